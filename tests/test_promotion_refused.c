/* test_promotion_refused.c: mapped writes that are refused, before anything is written, and writes
 * into memory from outside that are not.
 */
#include <pthread.h>

#include "promotion_support.h"

/* -- Made outside ------------------------------------------------------------------------------ */

START_TEST(a_tensor_made_outside_is_refused_before_any_write)
{
    test_register_put();
    tm_tensor *z = F32(TM_INTS(2), 1, 2), *m = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, F32(TM_INTS(3, 2), 7, 7, 7, 7, 7, 7), 0);
    EXPECT_NULL(test_set(z, row), TM_ERR_VMAP, "copy_: |x|made outside");
    ck_assert_str_eq((tm_add_(z, row), tm_error_get()->argument), "x1");
    EXPECT_ERROR(TM_ERR_VMAP, "add_: ");
    EXPECT_NULL(tm_add_out(row, row, z), TM_ERR_VMAP, "add_out: |out");
    EXPECT_NULL(test_set(test_row_of(m, 0), row), TM_ERR_VMAP, "copy_: |x");
    EXPECT_NULL(test_put(z, test_int_scalar(0), test_in(v, F32(TM_INTS(3), 5, 5, 5), 0)),
                TM_ERR_VMAP, "x");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(z, TM_INTS(2), 1, 2);
    EXPECT_F32(m, TM_INTS(2, 2), 0, 1, 2, 3);
}
END_TEST

START_TEST(a_view_made_inside_of_a_tensor_made_outside_is_refused)
{
    test_register_put();
    tm_tensor *m = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, F32(TM_INTS(3, 2), 7, 7, 7, 7, 7, 7), 0);
    EXPECT_NULL(test_set(MADE(tm_alias(test_row_of(m, 0))), row), TM_ERR_VMAP, "x");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(m, TM_INTS(2, 2), 0, 1, 2, 3);
}
END_TEST

START_TEST(meta_is_checked_before_the_write)
{
    test_register_put();
    tm_dispatch_reset_stats();
    tm_tensor *outside = F32(TM_INTS(2), 1, 2);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 3)), 0),
              *z = test_zeros(TM_INTS(2));
    EXPECT_NULL(test_set(outside, row), TM_ERR_SHAPE, "copy_: |x|(3,)|(2,)");
    EXPECT_NULL(test_set(z, row), TM_ERR_SHAPE, "copy_: |x|(3,)|(2,)");
    ck_assert_uint_eq(test_promotions(), 0);
    ck_assert_int_eq(tm_num_levels(z), 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status two_meta(tm_call *call, const tm_tensor *a, const tm_tensor *b,
                          const tm_tensor *src)
{
    tm_status status = tm_output_like(call, 0, a);
    (void)src;
    return status == TM_OK ? tm_output_like(call, 1, b) : status;
}

static tm_status two_impl(tm_call *call, tm_tensor *a, tm_tensor *b, const tm_tensor *src)
{
    (void)call;
    *(float *)tm_mutable_data(a) = *(float *)tm_mutable_data(b) = *(const float *)tm_data(src);
    return TM_OK;
}

START_TEST(two_written_arguments_are_promoted_together_or_not_at_all)
{
    test_register_put();
    tm_dispatch_reset_stats();
    const tm_op *op =
        OP(.schema = "test_two_(Tensor! a, Tensor! b, Tensor src) -> (Tensor!, "
                     "Tensor!)",
           .contract = TM_PER_EXAMPLE, .meta = (tm_fn)two_meta, .impl = (tm_fn)two_impl);
    tm_tensor *outside = test_f32_scalar(1);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = test_in(v, F32(TM_INTS(2), 5, 6), 0), *a = test_zeros(tm_no_ints),
              *b = test_zeros(tm_no_ints);
    tm_value results[2];
    const tm_value mixed[] = {{.tensor = a}, {.tensor = outside}, {.tensor = x}};
    EXPECT_FAIL(tm_op_call(op, mixed, 3, results, 2), TM_ERR_VMAP, "b");
    ck_assert_uint_eq(test_promotions(), 0);
    ck_assert_int_eq(tm_num_levels(a), 0);
    const tm_value inside[] = {{.tensor = a}, {.tensor = b}, {.tensor = x}};
    EXPECT_OK(tm_op_call(op, inside, 3, results, 2));
    ck_assert_ptr_eq(results[1].tensor, b);
    EXPECT_F32(tm_vmap_out(v, a, 0), TM_INTS(2), 5, 6);
    EXPECT_F32(tm_vmap_out(v, b, 0), TM_INTS(2), 5, 6);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(outside, tm_no_ints, 1);
}
END_TEST

START_TEST(wrapped_memory_is_never_promoted)
{
    test_register_put();
    float memory[2] = {1, 2};
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, memory, NULL));
    tm_tensor *row = test_in(v, F32(TM_INTS(3, 2), 7, 7, 7, 7, 7, 7), 0);
    EXPECT_NULL(test_set(x, row), TM_ERR_VMAP, "copy_: |x");
    ck_assert_float_eq(memory[0], 1);
    ck_assert_float_eq(memory[1], 2);
    MADE(test_set(x, F32(TM_INTS(2), 8, 9))); /* an unmapped write is one write */
    ck_assert_float_eq(memory[1], 9);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

struct made {
    tm_tensor *x;
};

static void *make_elsewhere(void *user)
{
    struct made *made = user;
    const float values[] = {1, 2};
    made->x = tm_from_data(TM_FLOAT32, 1, (const int64_t[]){2}, values);
    return NULL;
}

START_TEST(a_tensor_of_another_thread_was_made_outside)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, F32(TM_INTS(3, 2), 7, 7, 7, 7, 7, 7), 0);
    struct made made = {NULL};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, make_elsewhere, &made), 0);
    pthread_join(thread, NULL);
    EXPECT_NULL(test_set(made.x, row), TM_ERR_VMAP, "x");
    EXPECT_F32(made.x, TM_INTS(2), 1, 2);
    tm_release(made.x);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* A level that has ended is no level that a tensor can be inside. */
START_TEST(made_inside_an_earlier_level_is_outside_of_the_next)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(tm_keep(test_zeros(TM_INTS(2))));
    EXPECT_OK(tm_vmap_pop(v));
    v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, F32(TM_INTS(3, 2), 7, 7, 7, 7, 7, 7), 0);
    EXPECT_NULL(test_set(z, row), TM_ERR_VMAP, "x");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(z, TM_INTS(2), 0, 0);
}
END_TEST

/* -- Writes that are allowed outside ----------------------------------------------------------- */

START_TEST(an_unmapped_write_into_outside_memory_happens_once)
{
    test_register_put();
    tm_tensor *count = F32(TM_INTS(1), 0);
    const int64_t size = 5;
    tm_vmap_level *v =
        tm_vmap_push(&(tm_vmap_options){.struct_size = sizeof(tm_vmap_options), .size = &size});
    MADE(tm_add_(count, F32(TM_INTS(1), 1)));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(count, TM_INTS(1), 1);
}
END_TEST

START_TEST(through_a_mapped_handle_each_example_writes_its_own_part)
{
    test_register_put();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *column = test_in(v, x, 1);
    MADE(tm_add_(column, test_in(v, F32(TM_INTS(3), 10, 20, 30), 0)));
    MADE(tm_add_(column, F32(TM_INTS(2), 0, 100))); /* an unmapped value, for every example */
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(x, TM_INTS(2, 3), 10, 21, 32, 113, 124, 135);
}
END_TEST

START_TEST(a_handle_mapped_at_the_outer_level_alone_is_refused_an_inner_value)
{
    test_register_put();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, x, 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    EXPECT_NULL(tm_add_(row, test_in(w, F32(TM_INTS(2, 2), 9, 9, 9, 9), 0)), TM_ERR_VMAP,
                "add_: |x1");
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(x, TM_INTS(2, 2), 0, 1, 2, 3);
}
END_TEST

Suite *promotion_refused_suite(void)
{
    const TTest *tests[] = {a_tensor_made_outside_is_refused_before_any_write,
                            a_view_made_inside_of_a_tensor_made_outside_is_refused,
                            meta_is_checked_before_the_write,
                            two_written_arguments_are_promoted_together_or_not_at_all,
                            wrapped_memory_is_never_promoted,
                            a_tensor_of_another_thread_was_made_outside,
                            made_inside_an_earlier_level_is_outside_of_the_next,
                            an_unmapped_write_into_outside_memory_happens_once,
                            through_a_mapped_handle_each_example_writes_its_own_part,
                            a_handle_mapped_at_the_outer_level_alone_is_refused_an_inner_value};
    return test_suite("promotion_refused", tests, COUNT(tests));
}
