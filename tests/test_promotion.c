/* test_promotion.c: a tensor made inside a mapped function belongs to each example, so a mapped
 * write into it gives every example its own copy, and every handle and view sees that.
 */
#include "support.h"

static const tm_op *put_op;

/* x[index] = value, for a vector x. */
static tm_status put_meta(tm_call *call, const tm_tensor *x, const tm_tensor *index,
                          const tm_tensor *value)
{
    if (tm_ndim(x) != 1 || tm_ndim(index) != 0 || tm_ndim(value) != 0)
        return tm_fail(call, TM_ERR_RANK, "x must be a vector, index and value 0-D");
    return tm_output_like(call, 0, x);
}

static tm_status put_impl(tm_call *call, tm_tensor *x, const tm_tensor *index,
                          const tm_tensor *value)
{
    int64_t i = *(const int64_t *)tm_data(index);
    if (i < 0 || i >= tm_shape(x)[0])
        return tm_fail_arg(call, TM_ERR_INDEX, "index", "index %lld is out of range for size %lld",
                           (long long)i, (long long)tm_shape(x)[0]);
    ((float *)tm_mutable_data(x))[i * tm_strides(x)[0]] = *(const float *)tm_data(value);
    return TM_OK;
}

static void register_ops(void)
{
    put_op = OP(.schema = "test_put_(Tensor! x, Tensor index, Tensor value) -> Tensor!",
                .contract = TM_PER_EXAMPLE, .meta = (tm_fn)put_meta, .impl = (tm_fn)put_impl);
}

static tm_tensor *zeros(tm_int_list shape)
{
    return MADE(tm_zeros(shape, TM_FLOAT32));
}

static tm_tensor *set(tm_tensor *x, const tm_tensor *src)
{
    return tm_copy_(x, src);
}

static tm_tensor *put(tm_tensor *x, const tm_tensor *index, const tm_tensor *value)
{
    return CALL(put_op, {.tensor = x}, {.tensor = index}, {.tensor = value});
}

static tm_tensor *in(tm_vmap_level *level, const tm_tensor *x, int64_t dim)
{
    return MADE(tm_vmap_in(level, x, dim));
}

static tm_tensor *row_of(const tm_tensor *x, int64_t i) /* x[i] for a matrix */
{
    return MADE(tm_strided_view(x, 1, tm_shape(x) + 1, tm_strides(x) + 1, i * tm_strides(x)[0]));
}

static tm_tensor *element(const tm_tensor *x, int64_t i) /* x[i] for a vector */
{
    return MADE(tm_strided_view(x, 0, NULL, NULL, i * tm_strides(x)[0]));
}

static tm_tensor *int_scalar(int64_t value)
{
    return MADE(tm_from_data(TM_INT64, 0, NULL, &value));
}

static uint64_t promotions(void)
{
    return tm_dispatch_get_stats().promotions;
}

/* -- Made inside ------------------------------------------------------------------------------- */

START_TEST(zeros_inside_written_with_a_mapped_value)
{
    register_ops();
    tm_dispatch_reset_stats();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2));
    ck_assert_int_eq(tm_num_levels(z), 0);
    ck_assert_ptr_eq(set(z, in(v, x, 0)), z);
    ck_assert_int_eq(tm_num_levels(z), 1);
    ck_assert_int_eq(tm_ndim(z), 1);
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(3, 2), 0, 1, 2, 3, 4, 5);
    ck_assert_uint_eq(promotions(), 1);
    set(z, in(v, x, 0)); /* now it is every example's own */
    ck_assert_uint_eq(promotions(), 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(one_element_written_with_a_mapped_value)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(tm_add(F32(TM_INTS(3), 1, 2, 3), F32(TM_INTS(3), 0, 0, 0)));
    MADE(put(z, int_scalar(1), in(v, F32(TM_INTS(2), 7, 8), 0)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 1, 7, 3, 1, 8, 3);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_mapped_index_counts_as_a_mapped_write)
{
    register_ops();
    int64_t indices[] = {2, 0};
    tm_tensor *i = MADE(tm_from_data(TM_INT64, 1, (const int64_t[]){2}, indices));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(3));
    MADE(put(z, in(v, i, 0), test_f32_scalar(5)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 0, 0, 5, 5, 0, 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(the_examples_index_can_be_written)
{
    register_ops();
    const int64_t size = 4;
    tm_vmap_level *v = tm_vmap_push(&(tm_vmap_options){sizeof(tm_vmap_options), &size, 0});
    tm_tensor *z = zeros(TM_INTS(4));
    MADE(put(z, tm_vmap_index(v), test_f32_scalar(1)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(4, 4), 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(in_place_and_out_forms_promote_too)
{
    register_ops();
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = in(v, x, 0), *z = zeros(TM_INTS(2)), *y = zeros(TM_INTS(2));
    ck_assert_ptr_eq(tm_add_(z, row), z);
    ck_assert_ptr_eq(tm_add_out(row, row, y), y);
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 2), 2, 4, 6, 8);
    tm_tensor *t = zeros(TM_INTS(2, 2)), *m = in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2, 2)), 0);
    ck_assert_ptr_eq(tm_triu_out(m, 0, t), t);
    EXPECT_F32(tm_vmap_out(v, t, 0), TM_INTS(2, 2, 2), 0, 1, 0, 3, 4, 5, 0, 7);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(fill_with_the_examples_own_view)
{
    register_ops();
    tm_tensor *x = F32(TM_INTS(2), 5, 6);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2, 2)), *n = in(v, x, 0);
    MADE(tm_fill_(row_of(z, 0), tm_scalar_int(7))); /* not mapped: no promotion */
    ck_assert_int_eq(tm_num_levels(z), 0);
    MADE(set(row_of(z, 1), n));                                     /* broadcast into the row */
    MADE(tm_fill_(element(row_of(z, 1), 0), tm_scalar_float(0.5))); /* in every example's copy */
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2, 2), 7, 7, 0.5, 5, 7, 7, 0.5, 6);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(an_empty_batch_promotes_to_nothing)
{
    register_ops();
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 2}));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2));
    MADE(set(z, in(v, x, 0)));
    EXPECT_SHAPE(tm_vmap_out(v, z, 0), TM_FLOAT32, TM_INTS(0, 2));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Views ------------------------------------------------------------------------------------- */

START_TEST(writing_a_view_promotes_what_it_views)
{
    register_ops();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = zeros(TM_INTS(2, 2));
    MADE(set(row_of(m, 1), in(v, x, 0)));
    EXPECT_F32(tm_vmap_out(v, m, 0), TM_INTS(2, 2, 2), 0, 0, 0, 1, 0, 0, 2, 3);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(views_made_before_and_after_see_the_promotion)
{
    register_ops();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = zeros(TM_INTS(2, 2));
    tm_tensor *before = row_of(m, 0), *corner = element(before, 1);
    tm_tensor *column = MADE(tm_strided_view(m, 1, (const int64_t[]){2}, (const int64_t[]){-2}, 3));
    MADE(set(before, in(v, x, 0)));
    tm_tensor *after = row_of(m, 0);
    EXPECT_F32(tm_vmap_out(v, before, 0), TM_INTS(2, 2), 0, 1, 2, 3);
    EXPECT_F32(tm_vmap_out(v, corner, 0), TM_INTS(2), 1, 3);
    EXPECT_F32(tm_vmap_out(v, column, 0), TM_INTS(2, 2), 0, 1, 0, 3);
    EXPECT_F32(tm_vmap_out(v, after, 0), TM_INTS(2, 2), 0, 1, 2, 3);
    /* And a later write through a view is seen by all. */
    MADE(set(corner, in(v, F32(TM_INTS(2), 50, 60), 0)));
    EXPECT_F32(tm_vmap_out(v, after, 0), TM_INTS(2, 2), 0, 50, 2, 60);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(strides_and_shape_do_not_change_by_promotion)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = zeros(TM_INTS(2, 3));
    tm_tensor *t = MADE(tm_strided_view(m, 2, (const int64_t[]){3, 2}, (const int64_t[]){1, 3}, 0));
    MADE(set(t, in(v, test_iota(TM_FLOAT32, TM_INTS(2, 3, 2)), 0)));
    ck_assert_int_eq(tm_strides(t)[0], 1);
    ck_assert_int_eq(tm_strides(t)[1], 3);
    ck_assert_int_eq(tm_size(t, 0), 3);
    ck_assert(tm_is_contiguous(m) && !tm_is_contiguous(t));
    EXPECT_F32(tm_vmap_out(v, m, 0), TM_INTS(2, 2, 3), 0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* Seen by example b: its own copy of x, of which it takes row b. */
START_TEST(a_handle_mapped_before_the_promotion_takes_its_row_of_each_examples_copy)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = zeros(TM_INTS(2, 2));
    tm_tensor *row = in(v, x, 0);
    MADE(set(x, in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2, 2)), 0)));
    EXPECT_F32(tm_vmap_out(v, x, 0), TM_INTS(2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT_F32(tm_vmap_out(v, row, 0), TM_INTS(2, 2), 0, 1, 6, 7);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* Seen by example b: it writes row b of its own x, and no other example's x has that. */
START_TEST(vmap_in_on_a_tensor_made_inside_does_not_make_its_memory_per_example)
{
    register_ops();
    tm_dispatch_reset_stats();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = zeros(TM_INTS(2, 2)), *row = in(v, x, 0);
    ck_assert_uint_eq(promotions(), 0);
    ck_assert_int_eq(tm_num_levels(x), 0);
    MADE(set(row, in(v, F32(TM_INTS(2, 2), 1, 2, 3, 4), 0)));
    ck_assert_uint_eq(promotions(), 1);
    EXPECT_F32(tm_vmap_out(v, x, 0), TM_INTS(2, 2, 2), 1, 2, 0, 0, 0, 0, 3, 4);
    EXPECT_F32(tm_vmap_out(v, row, 0), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Nested levels ----------------------------------------------------------------------------- */

START_TEST(made_in_the_inner_level_written_with_values_of_either)
{
    register_ops();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = in(v, x, 0); /* (3, 2) */
    tm_tensor *outer_row = row_of(a, 1);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *both = in(w, a, 0);
    tm_tensor *z = zeros(TM_INTS(2)), *y = zeros(TM_INTS(2)), *q = zeros(TM_INTS(2));
    MADE(set(z, both));
    ck_assert_int_eq(tm_num_levels(z), 2);
    MADE(set(y, outer_row)); /* mapped at the outer level alone */
    ck_assert_int_eq(tm_num_levels(y), 1);
    ck_assert_uint_eq(tm_level_at(y, 0, NULL), tm_vmap_id(v));
    MADE(set(q, outer_row));
    MADE(tm_add_(q, both)); /* a second promotion of the same storage */
    ck_assert_int_eq(tm_num_levels(q), 2);
    z = MADE(tm_vmap_out(w, z, 0));
    y = MADE(tm_vmap_out(w, y, 1)); /* expanded */
    q = MADE(tm_vmap_out(w, q, 0));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3, 2), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 2, 3), 2, 2, 2, 3, 3, 3, 8, 8, 8, 9, 9, 9);
    EXPECT_F32(tm_vmap_out(v, q, 0), TM_INTS(2, 3, 2), 2, 4, 4, 6, 6, 8, 14, 16, 16, 18, 18, 20);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(promoted_at_the_inner_level_first_then_at_the_outer)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = in(v, F32(TM_INTS(2), 10, 20), 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = in(w, F32(TM_INTS(3), 1, 2, 3), 0);
    tm_tensor *z = zeros(TM_INTS(2));
    MADE(set(element(z, 0), b));
    MADE(set(element(z, 1), a));
    MADE(tm_add_(element(z, 0), a));
    tm_tensor *y = MADE(tm_vmap_out(w, z, 0)); /* (3, 2), mapped at v */
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 3, 2), 11, 10, 12, 10, 13, 10, 21, 20, 22, 20, 23,
               20);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(made_in_the_outer_level_written_in_the_inner_with_an_outer_value)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2)), *row = in(v, F32(TM_INTS(2, 2), 1, 2, 3, 4), 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    MADE(set(z, row));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(made_in_the_outer_level_written_with_an_inner_value_is_refused)
{
    register_ops();
    tm_dispatch_reset_stats();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 3, 2)); /* two levels of one size */
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2)), *a = in(v, x, 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    EXPECT_NULL(set(z, in(w, a, 0)), TM_ERR_VMAP, "copy_: |x");
    ck_assert_uint_eq(promotions(), 0); /* not even at the outer level */
    ck_assert_int_eq(tm_num_levels(z), 0);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_result_with_an_outer_level_is_promoted_at_the_inner)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = in(v, F32(TM_INTS(2, 1), 100, 200), 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *sum = MADE(tm_add(a, a)); /* made in w, allocated with v's loop */
    tm_tensor *b = in(w, F32(TM_INTS(3, 1), 1, 2, 3), 0);
    MADE(tm_add_(sum, b));
    sum = MADE(tm_vmap_out(w, sum, 0));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, sum, 0), TM_INTS(2, 3, 1), 201, 202, 203, 401, 402, 403);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_result_moved_out_of_the_inner_level_is_promoted_at_the_outer)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = in(v, F32(TM_INTS(2), 100, 200), 0);
    tm_tensor *c = zeros(TM_INTS(3));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = in(w, c, 0);
    tm_tensor *y = MADE(tm_vmap_out(w, MADE(tm_add(b, test_f32_scalar(1))), 0)); /* (3,) */
    EXPECT_OK(tm_vmap_pop(w));
    MADE(put(y, int_scalar(1), a));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 3), 1, 100, 1, 1, 200, 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

struct made {
    tm_tensor *x;
};

/* -- Lifetimes --------------------------------------------------------------------------------- */

START_TEST(pointers_read_before_the_promotion_stay_readable)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(tm_add(F32(TM_INTS(2), 1, 2), F32(TM_INTS(2), 1, 2)));
    const float *data = tm_data(z);
    MADE(set(z, in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0)));
    ck_assert_float_eq(data[0], 2);
    ck_assert_float_eq(data[1], 4);
    EXPECT_NULL(tm_data(z), TM_ERR_VMAP, ""); /* it is mapped now */
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(the_block_of_an_inner_promotion_lives_until_that_level_ends)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL), *w = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2));
    const float *data = tm_data(z);
    MADE(set(z, in(w, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0)));
    tm_tensor *y = MADE(tm_vmap_out(w, z, 0));
    ck_assert_float_eq(data[0], 0);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(y, TM_INTS(2, 2), 5, 6, 7, 8);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_kept_promoted_handle_has_escaped)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = tm_keep(zeros(TM_INTS(2))), *y = tm_keep(zeros(TM_INTS(2)));
    MADE(set(z, in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0)));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_NULL(tm_add(z, z), TM_ERR_ESCAPED, "add: x1");
    EXPECT_NULL(tm_data(z), TM_ERR_ESCAPED, "");
    EXPECT_F32(tm_add(y, y), TM_INTS(2), 0, 0); /* never mapped, so it is an ordinary tensor */
}
END_TEST

START_TEST(a_result_moved_out_shares_memory_with_what_it_came_from)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = zeros(TM_INTS(2)), *row = in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0);
    MADE(set(z, row));
    tm_tensor *y = MADE(tm_vmap_out(v, z, 0));
    MADE(tm_add_(z, row)); /* one memory */
    EXPECT_F32(y, TM_INTS(2, 2), 10, 12, 14, 16);
    MADE(set(row_of(y, 0), F32(TM_INTS(2), 1, 2)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2), 1, 2, 14, 16);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(y, TM_INTS(2, 2), 1, 2, 14, 16);
}
END_TEST

/* Moved out before the promotion: what the caller got stays an ordinary tensor. */
START_TEST(a_result_moved_out_before_the_promotion_does_not_escape)
{
    register_ops();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0);
    tm_tensor *z = zeros(TM_INTS(2));
    tm_tensor *y = MADE(tm_vmap_out(v, z, 0)), *same = MADE(tm_vmap_out(v, z, TM_NOT_MAPPED));
    MADE(set(z, row));
    ck_assert_int_eq(tm_num_levels(y), 0);
    ck_assert_int_eq(tm_num_levels(same), 0);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_SHAPE(tm_add(y, y), TM_FLOAT32, TM_INTS(2, 2));
    EXPECT_F32(tm_add(same, same), TM_INTS(2), 0, 0);
}
END_TEST

Suite *promotion_suite(void)
{
    const TTest *tests[] = {
        zeros_inside_written_with_a_mapped_value,
        one_element_written_with_a_mapped_value,
        a_mapped_index_counts_as_a_mapped_write,
        the_examples_index_can_be_written,
        in_place_and_out_forms_promote_too,
        fill_with_the_examples_own_view,
        an_empty_batch_promotes_to_nothing,
        writing_a_view_promotes_what_it_views,
        views_made_before_and_after_see_the_promotion,
        strides_and_shape_do_not_change_by_promotion,
        a_handle_mapped_before_the_promotion_takes_its_row_of_each_examples_copy,
        vmap_in_on_a_tensor_made_inside_does_not_make_its_memory_per_example,
        made_in_the_inner_level_written_with_values_of_either,
        promoted_at_the_inner_level_first_then_at_the_outer,
        made_in_the_outer_level_written_in_the_inner_with_an_outer_value,
        made_in_the_outer_level_written_with_an_inner_value_is_refused,
        a_result_with_an_outer_level_is_promoted_at_the_inner,
        a_result_moved_out_of_the_inner_level_is_promoted_at_the_outer,
        pointers_read_before_the_promotion_stay_readable,
        the_block_of_an_inner_promotion_lives_until_that_level_ends,
        a_kept_promoted_handle_has_escaped,
        a_result_moved_out_shares_memory_with_what_it_came_from,
        a_result_moved_out_before_the_promotion_does_not_escape};
    return test_suite("promotion", tests, COUNT(tests));
}
