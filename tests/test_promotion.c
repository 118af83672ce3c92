/* test_promotion.c: a tensor made inside a mapped function belongs to each example, so a mapped
 * write into it gives every example its own copy, and every handle and view sees that.
 */
#include "promotion_support.h"

static tm_tensor *element(const tm_tensor *x, int64_t i) /* x[i] for a vector */
{
    return MADE(tm_strided_view(x, 0, NULL, NULL, i * tm_strides(x)[0]));
}

/* -- Made inside ------------------------------------------------------------------------------- */

START_TEST(zeros_inside_written_with_a_mapped_value)
{
    test_register_put();
    tm_dispatch_reset_stats();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2));
    ck_assert_int_eq(tm_num_levels(z), 0);
    ck_assert_ptr_eq(test_set(z, test_in(v, x, 0)), z);
    ck_assert_int_eq(tm_num_levels(z), 1);
    ck_assert_int_eq(tm_ndim(z), 1);
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(3, 2), 0, 1, 2, 3, 4, 5);
    ck_assert_uint_eq(test_promotions(), 1);
    test_set(z, test_in(v, x, 0)); /* now it is every example's own */
    ck_assert_uint_eq(test_promotions(), 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(one_element_written_with_a_mapped_value)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(tm_add(F32(TM_INTS(3), 1, 2, 3), F32(TM_INTS(3), 0, 0, 0)));
    MADE(test_put(z, test_int_scalar(1), test_in(v, F32(TM_INTS(2), 7, 8), 0)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 1, 7, 3, 1, 8, 3);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_mapped_index_counts_as_a_mapped_write)
{
    test_register_put();
    int64_t indices[] = {2, 0};
    tm_tensor *i = MADE(tm_from_data(TM_INT64, 1, (const int64_t[]){2}, indices));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(3));
    MADE(test_put(z, test_in(v, i, 0), test_f32_scalar(5)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 0, 0, 5, 5, 0, 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(the_examples_index_can_be_written)
{
    test_register_put();
    const int64_t size = 4;
    tm_vmap_level *v =
        tm_vmap_push(&(tm_vmap_options){.struct_size = sizeof(tm_vmap_options), .size = &size});
    tm_tensor *z = test_zeros(TM_INTS(4));
    MADE(test_put(z, tm_vmap_index(v), test_f32_scalar(1)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(4, 4), 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(in_place_and_out_forms_promote_too)
{
    test_register_put();
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, x, 0), *z = test_zeros(TM_INTS(2)), *y = test_zeros(TM_INTS(2));
    ck_assert_ptr_eq(tm_add_(z, row), z);
    ck_assert_ptr_eq(tm_add_out(row, row, y), y);
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 2), 2, 4, 6, 8);
    tm_tensor *t = test_zeros(TM_INTS(2, 2)),
              *m = test_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2, 2)), 0);
    ck_assert_ptr_eq(tm_triu_out(m, 0, t), t);
    EXPECT_F32(tm_vmap_out(v, t, 0), TM_INTS(2, 2, 2), 0, 1, 0, 3, 4, 5, 0, 7);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(fill_with_the_examples_own_view)
{
    test_register_put();
    tm_tensor *x = F32(TM_INTS(2), 5, 6);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2, 2)), *n = test_in(v, x, 0);
    MADE(tm_fill_(test_row_of(z, 0), tm_scalar_int(7))); /* not mapped: no promotion */
    ck_assert_int_eq(tm_num_levels(z), 0);
    MADE(test_set(test_row_of(z, 1), n)); /* broadcast into the row */
    MADE(tm_fill_(element(test_row_of(z, 1), 0),
                  tm_scalar_float(0.5))); /* in every example's copy */
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2, 2), 7, 7, 0.5, 5, 7, 7, 0.5, 6);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(an_empty_batch_promotes_to_nothing)
{
    test_register_put();
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 2}));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2));
    MADE(test_set(z, test_in(v, x, 0)));
    EXPECT_SHAPE(tm_vmap_out(v, z, 0), TM_FLOAT32, TM_INTS(0, 2));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Views ------------------------------------------------------------------------------------- */

START_TEST(writing_a_view_promotes_what_it_views)
{
    test_register_put();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = test_zeros(TM_INTS(2, 2));
    MADE(test_set(test_row_of(m, 1), test_in(v, x, 0)));
    EXPECT_F32(tm_vmap_out(v, m, 0), TM_INTS(2, 2, 2), 0, 0, 0, 1, 0, 0, 2, 3);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(views_made_before_and_after_see_the_promotion)
{
    test_register_put();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = test_zeros(TM_INTS(2, 2));
    tm_tensor *before = test_row_of(m, 0), *corner = element(before, 1);
    tm_tensor *column = MADE(tm_strided_view(m, 1, (const int64_t[]){2}, (const int64_t[]){-2}, 3));
    MADE(test_set(before, test_in(v, x, 0)));
    tm_tensor *after = test_row_of(m, 0);
    EXPECT_F32(tm_vmap_out(v, before, 0), TM_INTS(2, 2), 0, 1, 2, 3);
    EXPECT_F32(tm_vmap_out(v, corner, 0), TM_INTS(2), 1, 3);
    EXPECT_F32(tm_vmap_out(v, column, 0), TM_INTS(2, 2), 0, 1, 0, 3);
    EXPECT_F32(tm_vmap_out(v, after, 0), TM_INTS(2, 2), 0, 1, 2, 3);
    /* And a later write through a view is seen by all. */
    MADE(test_set(corner, test_in(v, F32(TM_INTS(2), 50, 60), 0)));
    EXPECT_F32(tm_vmap_out(v, after, 0), TM_INTS(2, 2), 0, 50, 2, 60);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(strides_and_shape_do_not_change_by_promotion)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = test_zeros(TM_INTS(2, 3));
    tm_tensor *t = MADE(tm_strided_view(m, 2, (const int64_t[]){3, 2}, (const int64_t[]){1, 3}, 0));
    MADE(test_set(t, test_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 3, 2)), 0)));
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
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = test_zeros(TM_INTS(2, 2));
    tm_tensor *row = test_in(v, x, 0);
    MADE(test_set(x, test_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2, 2)), 0)));
    EXPECT_F32(tm_vmap_out(v, x, 0), TM_INTS(2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT_F32(tm_vmap_out(v, row, 0), TM_INTS(2, 2), 0, 1, 6, 7);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* Seen by example b: it writes row b of its own x, and no other example's x has that. */
START_TEST(vmap_in_on_a_tensor_made_inside_does_not_make_its_memory_per_example)
{
    test_register_put();
    tm_dispatch_reset_stats();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = test_zeros(TM_INTS(2, 2)), *row = test_in(v, x, 0);
    ck_assert_uint_eq(test_promotions(), 0);
    ck_assert_int_eq(tm_num_levels(x), 0);
    MADE(test_set(row, test_in(v, F32(TM_INTS(2, 2), 1, 2, 3, 4), 0)));
    ck_assert_uint_eq(test_promotions(), 1);
    EXPECT_F32(tm_vmap_out(v, x, 0), TM_INTS(2, 2, 2), 1, 2, 0, 0, 0, 0, 3, 4);
    EXPECT_F32(tm_vmap_out(v, row, 0), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Nested levels ----------------------------------------------------------------------------- */

START_TEST(made_in_the_inner_level_written_with_values_of_either)
{
    test_register_put();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = test_in(v, x, 0); /* (3, 2) */
    tm_tensor *outer_row = test_row_of(a, 1);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *both = test_in(w, a, 0);
    tm_tensor *z = test_zeros(TM_INTS(2)), *y = test_zeros(TM_INTS(2)), *q = test_zeros(TM_INTS(2));
    MADE(test_set(z, both));
    ck_assert_int_eq(tm_num_levels(z), 2);
    MADE(test_set(y, outer_row)); /* mapped at the outer level alone */
    ck_assert_int_eq(tm_num_levels(y), 1);
    ck_assert_uint_eq(tm_level_at(y, 0, NULL), tm_vmap_id(v));
    MADE(test_set(q, outer_row));
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
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = test_in(v, F32(TM_INTS(2), 10, 20), 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = test_in(w, F32(TM_INTS(3), 1, 2, 3), 0);
    tm_tensor *z = test_zeros(TM_INTS(2));
    MADE(test_set(element(z, 0), b));
    MADE(test_set(element(z, 1), a));
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
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2)), *row = test_in(v, F32(TM_INTS(2, 2), 1, 2, 3, 4), 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    MADE(test_set(z, row));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(made_in_the_outer_level_written_with_an_inner_value_is_refused)
{
    test_register_put();
    tm_dispatch_reset_stats();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 3, 2)); /* two levels of one size */
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2)), *a = test_in(v, x, 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    EXPECT_NULL(test_set(z, test_in(w, a, 0)), TM_ERR_VMAP, "copy_: |x");
    ck_assert_uint_eq(test_promotions(), 0); /* not even at the outer level */
    ck_assert_int_eq(tm_num_levels(z), 0);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_result_with_an_outer_level_is_promoted_at_the_inner)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = test_in(v, F32(TM_INTS(2, 1), 100, 200), 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *sum = MADE(tm_add(a, a)); /* made in w, allocated with v's loop */
    tm_tensor *b = test_in(w, F32(TM_INTS(3, 1), 1, 2, 3), 0);
    MADE(tm_add_(sum, b));
    sum = MADE(tm_vmap_out(w, sum, 0));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, sum, 0), TM_INTS(2, 3, 1), 201, 202, 203, 401, 402, 403);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_result_moved_out_of_the_inner_level_is_promoted_at_the_outer)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = test_in(v, F32(TM_INTS(2), 100, 200), 0);
    tm_tensor *c = test_zeros(TM_INTS(3));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = test_in(w, c, 0);
    tm_tensor *y = MADE(tm_vmap_out(w, MADE(tm_add(b, test_f32_scalar(1))), 0)); /* (3,) */
    EXPECT_OK(tm_vmap_pop(w));
    MADE(test_put(y, test_int_scalar(1), a));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 3), 1, 100, 1, 1, 200, 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Lifetimes --------------------------------------------------------------------------------- */

START_TEST(pointers_read_before_the_promotion_stay_readable)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(tm_add(F32(TM_INTS(2), 1, 2), F32(TM_INTS(2), 1, 2)));
    const float *data = tm_data(z);
    MADE(test_set(z, test_in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0)));
    ck_assert_float_eq(data[0], 2);
    ck_assert_float_eq(data[1], 4);
    EXPECT_NULL(tm_data(z), TM_ERR_VMAP, ""); /* it is mapped now */
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(the_block_of_an_inner_promotion_lives_until_that_level_ends)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL), *w = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2));
    const float *data = tm_data(z);
    MADE(test_set(z, test_in(w, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0)));
    tm_tensor *y = MADE(tm_vmap_out(w, z, 0));
    ck_assert_float_eq(data[0], 0);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(y, TM_INTS(2, 2), 5, 6, 7, 8);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_kept_promoted_handle_has_escaped)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = tm_keep(test_zeros(TM_INTS(2))), *y = tm_keep(test_zeros(TM_INTS(2)));
    MADE(test_set(z, test_in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0)));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_NULL(tm_add(z, z), TM_ERR_ESCAPED, "add: x1");
    EXPECT_NULL(tm_data(z), TM_ERR_ESCAPED, "");
    EXPECT_F32(tm_add(y, y), TM_INTS(2), 0, 0); /* never mapped, so it is an ordinary tensor */
}
END_TEST

START_TEST(a_result_moved_out_shares_memory_with_what_it_came_from)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = test_zeros(TM_INTS(2)), *row = test_in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0);
    MADE(test_set(z, row));
    tm_tensor *y = MADE(tm_vmap_out(v, z, 0));
    MADE(tm_add_(z, row)); /* one memory */
    EXPECT_F32(y, TM_INTS(2, 2), 10, 12, 14, 16);
    MADE(test_set(test_row_of(y, 0), F32(TM_INTS(2), 1, 2)));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 2), 1, 2, 14, 16);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(y, TM_INTS(2, 2), 1, 2, 14, 16);
}
END_TEST

/* Moved out before the promotion: what the caller got stays an ordinary tensor. */
START_TEST(a_result_moved_out_before_the_promotion_does_not_escape)
{
    test_register_put();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = test_in(v, F32(TM_INTS(2, 2), 5, 6, 7, 8), 0);
    tm_tensor *z = test_zeros(TM_INTS(2));
    tm_tensor *y = MADE(tm_vmap_out(v, z, 0)), *same = MADE(tm_vmap_out(v, z, TM_NOT_MAPPED));
    MADE(test_set(z, row));
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
