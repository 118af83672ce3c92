/* test_vmap.c: levels by push, in, out and pop: every dim, sizes, nesting up to the last level. */
#include "support.h"

static tm_tensor *in(tm_vmap_level *level, const tm_tensor *x, int64_t dim)
{
    return MADE(tm_vmap_in(level, x, dim));
}

static tm_vmap_level *push_size(int64_t size)
{
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    tm_vmap_level *level = tm_vmap_push(&options);
    ck_assert_msg(level != NULL, "%s", tm_error_message());
    return level;
}

/* -- In and out -------------------------------------------------------------------------------- */

START_TEST(every_in_dim_and_its_negative)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4));
    static const int64_t sizes[3][2] = {{3, 4}, {2, 4}, {2, 3}};
    for (int dim = -3; dim < 3; dim++) {
        int d = dim < 0 ? dim + 3 : dim;
        tm_vmap_level *v = tm_vmap_push(NULL);
        ck_assert_int_eq(tm_vmap_size(v), -1);
        tm_tensor *y = in(v, x, dim);
        ck_assert_int_eq(tm_ndim(y), 2);
        ck_assert_int_eq(tm_size(y, 0), sizes[d][0]);
        ck_assert_int_eq(tm_size(y, 1), sizes[d][1]);
        ck_assert_int_eq(tm_vmap_size(v), tm_size(x, d));
        tm_tensor *z = MADE(tm_vmap_out(v, y, dim)); /* back where it was */
        ck_assert_ptr_eq(tm_data(z), tm_data(x));
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(tm_size(z, k), tm_size(x, k));
            ck_assert_int_eq(tm_strides(z)[k], tm_strides(x)[k]);
        }
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(every_out_dim_and_its_negative)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = MADE(tm_add(in(v, x, 0), F32(TM_INTS(3), 0, 0, 0)));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 3), 0, 1, 2, 3, 4, 5);
    EXPECT_F32(tm_vmap_out(v, y, -2), TM_INTS(2, 3), 0, 1, 2, 3, 4, 5);
    EXPECT_F32(tm_vmap_out(v, y, 1), TM_INTS(3, 2), 0, 3, 1, 4, 2, 5);
    EXPECT_F32(tm_vmap_out(v, y, -1), TM_INTS(3, 2), 0, 3, 1, 4, 2, 5);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(dims_out_of_range_are_dim_errors)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    static const int64_t wrong[] = {2, -3, INT64_MAX, INT64_MIN + 1};
    tm_vmap_level *v = tm_vmap_push(NULL);
    for (int i = 0; i < COUNT(wrong); i++)
        EXPECT_NULL(tm_vmap_in(v, x, wrong[i]), TM_ERR_DIM, "in_dim|out of range");
    EXPECT_NULL(tm_vmap_in(v, test_f32_scalar(1), 0), TM_ERR_DIM, "in_dim 0");
    EXPECT_NULL(tm_vmap_in(v, test_f32_scalar(1), -1), TM_ERR_DIM, "in_dim -1");
    ck_assert_int_eq(tm_vmap_size(v), -1); /* a failure sets no size */
    tm_tensor *y = in(v, x, 0);
    for (int i = 0; i < COUNT(wrong); i++)
        EXPECT_NULL(tm_vmap_out(v, y, wrong[i]), TM_ERR_DIM, "out_dim|out of range");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(minus_one_is_a_dimension_and_not_mapped_is_none)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *column = in(v, x, -1), *same = in(v, x, TM_NOT_MAPPED);
    ck_assert_int_eq(tm_ndim(column), 1);
    ck_assert_int_eq(tm_num_levels(column), 1);
    ck_assert_int_eq(tm_ndim(same), 2);
    ck_assert_int_eq(tm_num_levels(same), 0);
    ck_assert_ptr_eq(tm_data(same), tm_data(x));
    EXPECT_F32(tm_vmap_out(v, same, TM_NOT_MAPPED), TM_INTS(2, 3), 0, 1, 2, 3, 4, 5);
    EXPECT_NULL(tm_vmap_out(v, column, TM_NOT_MAPPED), TM_ERR_USAGE, "out_dim|mapped");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(an_unmapped_result_is_expanded)
{
    tm_tensor *x = F32(TM_INTS(2), 7, 8);
    tm_vmap_level *v = push_size(3);
    tm_tensor *y = MADE(tm_vmap_out(v, x, 0));
    ck_assert_int_eq(tm_strides(y)[0], 0);
    EXPECT_F32(y, TM_INTS(3, 2), 7, 8, 7, 8, 7, 8);
    EXPECT_F32(tm_vmap_out(v, x, 1), TM_INTS(2, 3), 7, 7, 7, 8, 8, 8);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(the_result_belongs_to_the_scope_outside_the_level)
{
    uint64_t before = tm_memory_get_stats().live_tensors;
    tm_scope *scope = tm_scope_push();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y =
        MADE(tm_vmap_out(v, MADE(tm_add(in(v, F32(TM_INTS(2), 1, 2), 0), test_f32_scalar(1))), 0));
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, before + 1);
    EXPECT_F32(y, TM_INTS(2), 2, 3);
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, before);
}
END_TEST

START_TEST(a_tensor_is_mapped_at_a_level_once)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = in(v, x, 0);
    EXPECT_NULL(tm_vmap_in(v, row, 0), TM_ERR_USAGE, "x|already");
    EXPECT_NULL(tm_vmap_in(v, MADE(tm_add(row, row)), 0), TM_ERR_USAGE, "x|already");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(two_dimensions_of_one_tensor_in_two_handles)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *sum = MADE(tm_add(in(v, x, 0), in(v, x, 1)));
    EXPECT_F32(tm_vmap_out(v, sum, 0), TM_INTS(2, 2), 0, 3, 3, 6);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_full_rank_tensor_gains_no_dimension)
{
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < TM_MAX_NDIM; d++)
        shape[d] = 1;
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, TM_MAX_NDIM, shape));
    tm_vmap_level *v = push_size(2);
    EXPECT_NULL(tm_vmap_out(v, x, 0), TM_ERR_RANK, "32");
    EXPECT_SHAPE(tm_vmap_out(v, in(v, test_iota(TM_FLOAT32, TM_INTS(2, 1)), 0), 0), TM_FLOAT32,
                 TM_INTS(2, 1));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* A kernel may hold 32 logical dimensions and 16 levels at once. */
START_TEST(full_rank_under_full_levels)
{
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < TM_MAX_NDIM; d++)
        shape[d] = d == 3 ? 2 : 1;
    tm_vmap_level *levels[TM_MAX_LEVELS];
    for (int l = 0; l < TM_MAX_LEVELS; l++)
        levels[l] = push_size(1);
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, TM_MAX_NDIM, shape));
    ((float *)tm_mutable_data(x))[0] = 1;
    ((float *)tm_mutable_data(x))[1] = 2;
    tm_tensor *one = in(levels[TM_MAX_LEVELS - 1], F32(TM_INTS(1), 1), 0);
    tm_tensor *y = MADE(tm_add(x, one));
    EXPECT_NULL(tm_vmap_out(levels[TM_MAX_LEVELS - 1], y, 0), TM_ERR_RANK, "");
    tm_tensor *z = MADE(
        tm_vmap_out(levels[TM_MAX_LEVELS - 1],
                    MADE(tm_strided_view(y, 1, (const int64_t[]){2}, (const int64_t[]){1}, 0)), 0));
    EXPECT_F32(z, TM_INTS(1, 2), 2, 3);
    for (int l = TM_MAX_LEVELS; l-- > 0;)
        EXPECT_OK(tm_vmap_pop(levels[l]));
}
END_TEST

/* -- Sizes ------------------------------------------------------------------------------------- */

START_TEST(the_first_mapped_input_sets_the_size_and_others_must_agree)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    in(v, test_iota(TM_FLOAT32, TM_INTS(2, 3)), 1);
    ck_assert_int_eq(tm_vmap_size(v), 3);
    EXPECT_NULL(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 3)), 0), TM_ERR_SHAPE, "x|2|3");
    EXPECT_NULL(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(1)), 0), TM_ERR_SHAPE, "x|1|3");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_given_size_is_checked)
{
    tm_vmap_level *v = push_size(4);
    ck_assert_int_eq(tm_vmap_size(v), 4);
    EXPECT_NULL(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(3)), 0), TM_ERR_SHAPE, "3|4");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(bad_options_are_refused)
{
    int64_t size = -1;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    EXPECT_NULL(tm_vmap_push(&options), TM_ERR_VALUE, "size|-1");
    options = (tm_vmap_options){.struct_size = sizeof options, .randomness = (tm_randomness)3};
    EXPECT_NULL(tm_vmap_push(&options), TM_ERR_VALUE, "randomness|3");
    options.randomness = (tm_randomness)-1;
    EXPECT_NULL(tm_vmap_push(&options), TM_ERR_VALUE, "randomness|-1");
}
END_TEST

START_TEST(nothing_mapped_and_no_size_is_a_usage_error)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_NULL(tm_vmap_out(v, F32(TM_INTS(2), 1, 2), 0), TM_ERR_USAGE, "size");
    EXPECT_NULL(tm_vmap_index(v), TM_ERR_USAGE, "size");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(empty_batches_are_checked_and_give_empty_results)
{
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 3}));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = in(v, x, 0);
    ck_assert_int_eq(tm_numel(row), 3);
    EXPECT_SHAPE(tm_vmap_out(v, tm_add(row, row), 1), TM_FLOAT32, TM_INTS(3, 0));
    EXPECT_NULL(tm_triu(row, 0), TM_ERR_RANK,
                "triu: x must have at least 2 dimensions, got shape "
                "(3,)");
    EXPECT_NULL(tm_add(row, F32(TM_INTS(2), 1, 2)), TM_ERR_SHAPE, "add: x2");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(index_and_size_inside)
{
    tm_vmap_level *v = push_size(2), *w = push_size(3);
    ck_assert_ptr_eq(tm_vmap_current(), w);
    ck_assert_int_eq(tm_vmap_size(v), 2);
    tm_tensor *i = MADE(tm_vmap_index(w)), *j = MADE(tm_vmap_index(v));
    ck_assert_int_eq(tm_ndim(i), 0);
    ck_assert_int_eq(tm_dtype_of(i), TM_INT64);
    EXPECT(tm_vmap_out(w, i, 0), TM_INT64, TM_INTS(3), 0, 1, 2);
    j = MADE(tm_vmap_out(w, j, 0)); /* the outer level's, for every inner example */
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT(tm_vmap_out(v, j, 0), TM_INT64, TM_INTS(2, 3), 0, 0, 0, 1, 1, 1);
    ck_assert_ptr_eq(tm_vmap_current(), v);
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_ptr_null(tm_vmap_current());
    ck_assert_int_eq(tm_error_code(), TM_OK);
}
END_TEST

/* -- Nesting ----------------------------------------------------------------------------------- */

START_TEST(ids_only_grow)
{
    uint64_t last = 0;
    for (int i = 0; i < 3; i++) {
        tm_vmap_level *v = tm_vmap_push(NULL), *w = tm_vmap_push(NULL);
        ck_assert_uint_gt(tm_vmap_id(v), last);
        ck_assert_uint_gt(tm_vmap_id(w), tm_vmap_id(v));
        last = tm_vmap_id(w);
        EXPECT_OK(tm_vmap_pop(w));
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(two_levels_and_a_pair_of_tensors_mapped_at_one_each)
{
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4), *y = F32(TM_INTS(3, 2), 10, 20, 30, 40, 50, 60);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = in(v, x, 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = in(w, y, 0);
    tm_tensor *sum = MADE(tm_add(a, b));
    ck_assert_int_eq(tm_num_levels(sum), 2);
    sum = MADE(tm_vmap_out(w, sum, 0));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, sum, 0), TM_INTS(2, 3, 2), 11, 22, 31, 42, 51, 62, 13, 24, 33, 44, 53,
               64);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_level_that_a_call_ignores_leaves_no_loop)
{
    tm_vmap_level *v = push_size(5), *w = tm_vmap_push(NULL);
    tm_tensor *b = in(w, test_iota(TM_FLOAT32, TM_INTS(2, 2)), 0);
    tm_tensor *sum = MADE(tm_add(b, b));
    ck_assert_int_eq(tm_num_levels(sum), 1);
    ck_assert_uint_eq(tm_level_at(sum, 0, NULL), tm_vmap_id(w));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(sixteen_levels_and_not_seventeen)
{
    tm_vmap_level *levels[TM_MAX_LEVELS];
    int64_t shape[TM_MAX_LEVELS];
    for (int l = 0; l < TM_MAX_LEVELS; l++)
        shape[l] = l % 5 == 0 ? 2 : 1;
    tm_tensor *x = test_iota(TM_FLOAT32, (tm_int_list){shape, TM_MAX_LEVELS});
    tm_tensor *y = x;
    for (int l = 0; l < TM_MAX_LEVELS; l++) {
        levels[l] = tm_vmap_push(NULL);
        ck_assert_ptr_nonnull(levels[l]);
        y = in(levels[l], y, 0);
    }
    ck_assert_int_eq(tm_ndim(y), 0);
    ck_assert_int_eq(tm_num_levels(y), TM_MAX_LEVELS);
    EXPECT_NULL(tm_vmap_push(NULL), TM_ERR_USAGE, "16");
    y = MADE(tm_add(y, y));
    for (int l = TM_MAX_LEVELS; l-- > 0;) {
        y = MADE(tm_vmap_out(levels[l], y, 0));
        EXPECT_OK(tm_vmap_pop(levels[l]));
    }
    ck_assert_int_eq(tm_ndim(y), TM_MAX_LEVELS);
    for (int64_t i = 0; i < 16; i++)
        ck_assert_double_eq(test_value(y, i), (double)(2 * i));
}
END_TEST

START_TEST(in_and_out_work_on_the_innermost_level_only)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = in(v, x, 0);
    tm_vmap_level *w = tm_vmap_push(NULL);
    EXPECT_NULL(tm_vmap_in(v, x, 0), TM_ERR_USAGE, "level|innermost");
    EXPECT_NULL(tm_vmap_out(v, row, 0), TM_ERR_USAGE, "level|innermost");
    EXPECT_FAIL(tm_vmap_pop(v), TM_ERR_USAGE, "level|innermost");
    ck_assert_ptr_eq(tm_vmap_current(), w);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_mode_def plain_mode = {.struct_size = sizeof(tm_mode_def), .name = "plain"};

START_TEST(a_level_is_popped_after_the_scopes_and_modes_in_it)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_scope *scope = tm_scope_push();
    EXPECT_FAIL(tm_vmap_pop(v), TM_ERR_USAGE, "vmap_pop: level");
    EXPECT_OK(tm_scope_pop(scope));
    tm_mode *mode = tm_mode_push(&plain_mode, NULL);
    EXPECT_FAIL(tm_vmap_pop(v), TM_ERR_USAGE, "vmap_pop: level");
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_scope_outside_is_not_popped_inside)
{
    tm_scope *scope = tm_scope_push();
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_FAIL(tm_scope_pop(scope), TM_ERR_USAGE, "scope_pop");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_scope_pop(scope));
}
END_TEST

Suite *vmap_suite(void)
{
    const TTest *tests[] = {every_in_dim_and_its_negative,
                            every_out_dim_and_its_negative,
                            dims_out_of_range_are_dim_errors,
                            minus_one_is_a_dimension_and_not_mapped_is_none,
                            an_unmapped_result_is_expanded,
                            the_result_belongs_to_the_scope_outside_the_level,
                            a_tensor_is_mapped_at_a_level_once,
                            two_dimensions_of_one_tensor_in_two_handles,
                            a_full_rank_tensor_gains_no_dimension,
                            full_rank_under_full_levels,
                            the_first_mapped_input_sets_the_size_and_others_must_agree,
                            a_given_size_is_checked,
                            bad_options_are_refused,
                            nothing_mapped_and_no_size_is_a_usage_error,
                            empty_batches_are_checked_and_give_empty_results,
                            index_and_size_inside,
                            ids_only_grow,
                            two_levels_and_a_pair_of_tensors_mapped_at_one_each,
                            a_level_that_a_call_ignores_leaves_no_loop,
                            sixteen_levels_and_not_seventeen,
                            in_and_out_work_on_the_innermost_level_only,
                            a_level_is_popped_after_the_scopes_and_modes_in_it,
                            a_scope_outside_is_not_popped_inside};
    return test_suite("vmap", tests, COUNT(tests));
}
