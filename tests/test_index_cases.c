/* test_index_cases.c: indexing under vmap where other libraries were wrong, each test named after
 * the case; and what is particular to keys: views, masks, who may be mapped.
 */
#include "support.h"

typedef tm_tensor *(*binary)(const tm_tensor *a, const tm_tensor *b);

/* fn over one level; TM_NOT_MAPPED for a tensor that is not mapped. */
static tm_tensor *map(binary fn, const tm_tensor *a, int64_t a_dim, const tm_tensor *b,
                      int64_t b_dim)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = tm_vmap_out(v, fn(tm_vmap_in(v, a, a_dim), tm_vmap_in(v, b, b_dim)), 0);
    ck_assert_int_eq(tm_vmap_pop(v), TM_OK);
    return y;
}

static tm_tensor *i64(tm_int_list shape, const int64_t *values)
{
    return tm_from_data(TM_INT64, (int)shape.count, shape.data, values);
}

static tm_tensor *mask(tm_int_list shape, const bool *values)
{
    return tm_from_data(TM_BOOL, (int)shape.count, shape.data, values);
}

static tm_tensor *by_tensor(const tm_tensor *x, const tm_tensor *index)
{
    return tm_index(x, "T", TM_TENSORS(index));
}

/* -- Cases ------------------------------------------------------------------------------------- */

static tm_tensor *scatter_into_axis_1(const tm_tensor *x, const tm_tensor *src)
{
    return tm_select_scatter(x, src, 1, 2);
}

START_TEST(select_scatter_rank)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 5, 5, 5));
    tm_tensor *src = test_iota(TM_FLOAT32, TM_INTS(2, 5));
    EXPECT_NULL(map(scatter_into_axis_1, x, 0, src, 0), TM_ERR_SHAPE,
                "src must have the slice's shape (5, 5), got shape (5,)");
}
END_TEST

static tm_tensor *add_to_row(const tm_tensor *a, const tm_tensor *index)
{
    return tm_index_put(a, "T", TM_TENSORS(index), F32(TM_INTS(3), 1, 1, 1), true);
}

static tm_tensor *index_add_to_row(const tm_tensor *a, const tm_tensor *index)
{
    return tm_index_add(a, 0, index, F32(TM_INTS(1, 3), 1, 1, 1), tm_scalar_int(1));
}

START_TEST(mlx_scatter_axis2)
{
    tm_tensor *a = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4)),
              *index = i64(TM_INTS(1), (int64_t[]){1});
    const binary writers[] = {add_to_row, index_add_to_row};
    for (int w = 0; w < COUNT(writers); w++) {
        tm_tensor *y = MADE(map(writers[w], a, 2, index, TM_NOT_MAPPED));
        EXPECT_F32(y, TM_INTS(4, 2, 3), 0, 4, 8, 13, 17, 21, 1, 5, 9, 14, 18, 22, 2, 6, 10, 15, 19,
                   23, 3, 7, 11, 16, 20, 24);
    }
}
END_TEST

START_TEST(mlx_gather)
{
    tm_tensor *a = F32(TM_INTS(2, 2), 1, 2, 3, 4), *index = i64(tm_no_ints, (int64_t[]){0});
    EXPECT_F32(map(by_tensor, a, 0, index, TM_NOT_MAPPED), TM_INTS(2), 1, 3);
    EXPECT_F32(map(by_tensor, a, 1, index, TM_NOT_MAPPED), TM_INTS(2), 1, 2);
}
END_TEST

START_TEST(mlx_gather_both)
{
    tm_tensor *a = F32(TM_INTS(2, 2), 1, 2, 3, 4), *index = i64(TM_INTS(2), (int64_t[]){0, 1});
    EXPECT_F32(map(by_tensor, a, 0, index, 0), TM_INTS(2), 1, 4);
}
END_TEST

static tm_tensor *along_axis_0(const tm_tensor *x, const tm_tensor *indices)
{
    return tm_take_along_axis(x, indices, 0);
}

START_TEST(mlx_take_along_unmapped)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4, 5, 3));
    tm_tensor *indices = tm_full(TM_INTS(2, 2, 1, 3), tm_scalar_int(3), TM_INT64);
    tm_tensor *y = MADE(map(along_axis_0, x, TM_NOT_MAPPED, indices, 0));
    EXPECT_SHAPE(y, TM_FLOAT32, TM_INTS(2, 2, 5, 3));
    for (int64_t i = 0; i < 60; i++)
        ck_assert_double_eq(test_value(y, i), (double)(45 + i % 15));
}
END_TEST

START_TEST(functorch_index_put_bcast)
{
    tm_tensor *t = tm_zeros(TM_INTS(3, 2, 3), TM_FLOAT32);
    tm_tensor *index = i64(TM_INTS(3, 2), (int64_t[]){1, 2, 1, 2, 1, 2});
    tm_tensor *values = tm_ones(TM_INTS(3, 1, 2), TM_FLOAT32);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *one = tm_vmap_in(v, t, 0);
    MADE(tm_index_put_(one, ":, T", TM_TENSORS(tm_vmap_in(v, index, 0)), tm_vmap_in(v, values, 0),
                       false));
    tm_vmap_pop(v);
    EXPECT_F32(t, TM_INTS(3, 2, 3), 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1);
}
END_TEST

START_TEST(index_by_mapped_scalar)
{
    tm_tensor *x = F32(TM_INTS(3), 0, 1, 2), *i = i64(TM_INTS(2), (int64_t[]){0, 2});
    EXPECT_F32(map(by_tensor, x, TM_NOT_MAPPED, i, 0), TM_INTS(2), 0, 2);
}
END_TEST

/* -- Keys -------------------------------------------------------------------------------------- */

START_TEST(without_tensors_it_is_a_view)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    tm_tensor *view = MADE(tm_index(x, "::-1, None, 1", (tm_tensor_list){NULL, 0}));
    EXPECT_F32(view, TM_INTS(2, 1), 4, 1);
    MADE(tm_copy_(view, F32(TM_INTS(2, 1), 40, 10)));
    EXPECT_F32(x, TM_INTS(2, 3), 0, 10, 2, 3, 40, 5);
}
END_TEST

START_TEST(with_tensors_it_is_a_copy)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    tm_tensor *y = MADE(by_tensor(x, i64(TM_INTS(3), (int64_t[]){0, 1, 2})));
    MADE(tm_copy_(y, F32(TM_INTS(3), 7, 7, 7)));
    EXPECT_F32(x, TM_INTS(3), 0, 1, 2);
}
END_TEST

START_TEST(a_mask_that_is_not_mapped_chooses_for_every_example)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    tm_tensor *which = mask(TM_INTS(3), (bool[]){true, false, true});
    EXPECT_F32(map(by_tensor, x, 1, which, TM_NOT_MAPPED), TM_INTS(2, 2), 0, 4, 1, 5);
}
END_TEST

START_TEST(a_mapped_mask_chooses_no_one_shape)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    tm_tensor *which = mask(TM_INTS(2, 3), (bool[]){true, false, true, false, true, true});
    EXPECT_NULL(map(by_tensor, x, TM_NOT_MAPPED, which, 0), TM_ERR_VMAP, "shape would depend");
}
END_TEST

static tm_tensor *blank(const tm_tensor *x, const tm_tensor *which)
{
    return tm_index_put(x, "T", TM_TENSORS(which), test_f32_scalar(-1), false);
}

START_TEST(a_mapped_mask_says_where_each_example_is_written)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    tm_tensor *which = mask(TM_INTS(2, 3), (bool[]){true, false, true, false, true, false});
    EXPECT_F32(map(blank, x, TM_NOT_MAPPED, which, 0), TM_INTS(2, 3), -1, 1, -1, 0, -1, 2);
}
END_TEST

START_TEST(one_key_serves_coordinates_of_a_mapped_result)
{
    /* The largest element of each example's matrix, by its coordinates. */
    tm_tensor *x = F32(TM_INTS(2, 2, 2), 1, 9, 3, 4, 5, 6, 8, 7);
    tm_tensor *at = i64(TM_INTS(2, 2), (int64_t[]){0, 1, 1, 0});
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y =
        tm_index_gather(tm_vmap_in(v, x, 0), "T", TM_TENSORS(tm_vmap_in(v, at, 0)), TM_INTS(0));
    y = MADE(tm_vmap_out(v, y, 0));
    tm_vmap_pop(v);
    EXPECT_F32(y, TM_INTS(2), 9, 8);
}
END_TEST

START_TEST(values_that_do_not_fit_leave_x_as_it_was)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    tm_tensor *index = i64(TM_INTS(2), (int64_t[]){0, 3});
    EXPECT_NULL(tm_index_put_(x, "T", TM_TENSORS(index), test_f32_scalar(7), false), TM_ERR_INDEX,
                "tensors[0][1] is 3, out of range for axis 0 of size 3: must be in -3..2");
    tm_tensor *which = mask(TM_INTS(3), (bool[]){true, true, true});
    EXPECT_NULL(tm_index_put_(x, "T", TM_TENSORS(which), F32(TM_INTS(2), 7, 7), false),
                TM_ERR_VALUE, "values must broadcast to the shape (3,)");
    EXPECT_F32(x, TM_INTS(3), 0, 1, 2);
}
END_TEST

static tm_tensor *along_axis_1(const tm_tensor *x, const tm_tensor *index)
{
    return tm_gather(x, 1, index);
}

/* Elements of every size, in runs up to more than are collected before they go past the caches. */
START_TEST(what_is_gathered_past_the_caches)
{
    static const tm_dtype dtypes[] = {TM_INT16, TM_FLOAT32, TM_INT64, TM_FLOAT64};
    static const int64_t sizes[] = {1, 63, 64, 127, 129, 255, 256, 257, 300, 700};
    enum { ROWS = 3, MAPPED = 2, WIDTH = 90 };
    for (int d = 0; d < COUNT(dtypes); d++)
        for (int k = 0; k < COUNT(sizes); k++) {
            const int64_t n = sizes[k];
            tm_tensor *x = tm_astype(test_iota(TM_INT64, TM_INTS(MAPPED, ROWS, WIDTH)), dtypes[d]);
            tm_tensor *index = tm_new(TM_INT64, 3, (int64_t[]){MAPPED, ROWS, n});
            int64_t *at = tm_mutable_data(index);
            for (int64_t i = 0; i < tm_numel(index); i++)
                at[i] = i * 37 % WIDTH;
            for (tm_path_use use = TM_PATH_AUTO; use <= TM_PATH_ON; use++) {
                tm_set_path(TM_PATH_STREAM, use);
                tm_tensor *y = MADE(map(along_axis_1, x, 0, index, 0));
                tm_set_path(TM_PATH_STREAM, TM_PATH_AUTO);
                const tm_tensor *back = MADE(tm_astype(y, TM_FLOAT64));
                for (int64_t i = 0; i < tm_numel(y); i++)
                    ck_assert_double_eq(((const double *)tm_data(back))[i],
                                        (double)(i / n * WIDTH + at[i]));
            }
        }
}
END_TEST

Suite *index_cases_suite(void)
{
    const TTest *tests[] = {select_scatter_rank,
                            mlx_scatter_axis2,
                            mlx_gather,
                            mlx_gather_both,
                            mlx_take_along_unmapped,
                            functorch_index_put_bcast,
                            index_by_mapped_scalar,
                            without_tensors_it_is_a_view,
                            with_tensors_it_is_a_copy,
                            a_mask_that_is_not_mapped_chooses_for_every_example,
                            a_mapped_mask_chooses_no_one_shape,
                            a_mapped_mask_says_where_each_example_is_written,
                            one_key_serves_coordinates_of_a_mapped_result,
                            values_that_do_not_fit_leave_x_as_it_was,
                            what_is_gathered_past_the_caches};
    return test_suite("index_cases", tests, COUNT(tests));
}
