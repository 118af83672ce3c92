/* test_vmap_function.c: tm_vmap, the functional form: dims, sizes, and nesting. */
#include "support.h"

static tm_status map(tm_mapped_fn fn, const tm_tensor *x, int64_t in_dim, tm_tensor **out)
{
    return tm_vmap(fn, NULL, NULL, 1, &x, &in_dim, 1, out, NULL);
}

static tm_status twice(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(in[0], in[0]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status sum_of_two(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(in[0], in[1]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status identity(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_alias(in[0]);
    return TM_OK;
}

/* -- Dims and sizes ---------------------------------------------------------------------------- */

START_TEST(maps_over_the_dimension_asked_for)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *y;
    EXPECT_OK(map(twice, x, 0, &y));
    EXPECT_F32(y, TM_INTS(2, 3), 0, 2, 4, 6, 8, 10);
    EXPECT_OK(map(twice, x, -1, &y));
    EXPECT_F32(y, TM_INTS(3, 2), 0, 6, 2, 8, 4, 10);
}
END_TEST

START_TEST(out_dims_of_every_output)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *y;
    const int64_t in_dim = 0, out_dim = -1;
    const tm_tensor *in[] = {x};
    EXPECT_OK(tm_vmap(twice, NULL, NULL, 1, in, &in_dim, 1, &y, &out_dim));
    EXPECT_F32(y, TM_INTS(3, 2), 0, 6, 2, 8, 4, 10);
}
END_TEST

START_TEST(an_input_that_is_not_mapped)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *y = F32(TM_INTS(3), 10, 20, 30), *z;
    const tm_tensor *in[] = {y, x};
    const int64_t in_dims[] = {TM_NOT_MAPPED, 0};
    EXPECT_OK(tm_vmap(sum_of_two, NULL, NULL, 2, in, in_dims, 1, &z, NULL));
    EXPECT_F32(z, TM_INTS(2, 3), 10, 21, 32, 13, 24, 35);
}
END_TEST

START_TEST(in_dims_out_of_range_name_the_input)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *z = x;
    const tm_tensor *in[] = {x, x};
    EXPECT_FAIL(tm_vmap(sum_of_two, NULL, NULL, 2, in, (const int64_t[]){0, 2}, 1, &z, NULL),
                TM_ERR_DIM, "in_dim 2|input 1");
    ck_assert_ptr_null(z);
    EXPECT_FAIL(tm_vmap(sum_of_two, NULL, NULL, 2, in, (const int64_t[]){-3, 0}, 1, &z, NULL),
                TM_ERR_DIM, "in_dim -3|input 0");
    in[1] = test_f32_scalar(1);
    EXPECT_FAIL(tm_vmap(sum_of_two, NULL, NULL, 2, in, (const int64_t[]){0, 0}, 1, &z, NULL),
                TM_ERR_DIM, "in_dim 0|input 1");
}
END_TEST

START_TEST(out_dims_out_of_range_are_dim_errors)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *z = x;
    const tm_tensor *in[] = {x};
    const int64_t in_dim = 0;
    EXPECT_FAIL(tm_vmap(twice, NULL, NULL, 1, in, &in_dim, 1, &z, (const int64_t[]){2}), TM_ERR_DIM,
                "out_dim 2");
    ck_assert_ptr_null(z);
    EXPECT_FAIL(tm_vmap(twice, NULL, NULL, 1, in, &in_dim, 1, &z, (const int64_t[]){-3}),
                TM_ERR_DIM, "out_dim -3");
}
END_TEST

static tm_status first(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_alias(in[0]);
    return TM_OK;
}

START_TEST(disagreeing_sizes_name_the_odd_input)
{
    tm_tensor *two = test_iota(TM_FLOAT32, TM_INTS(2)), *three = test_iota(TM_FLOAT32, TM_INTS(3));
    tm_tensor *z;
    for (int odd = 0; odd < 4; odd++) {
        const tm_tensor *in[] = {three, three, three, three};
        const int64_t in_dims[] = {0, 0, 0, 0};
        in[odd] = two;
        char part[16];
        snprintf(part, sizeof part, "input %d", odd);
        EXPECT_FAIL(tm_vmap(first, NULL, NULL, 4, in, in_dims, 1, &z, NULL), TM_ERR_SHAPE, part);
    }
    /* Of two, the second is held against the first. */
    const tm_tensor *in[] = {two, three};
    const int64_t in_dims[] = {0, 0};
    EXPECT_FAIL(tm_vmap(first, NULL, NULL, 2, in, in_dims, 1, &z, NULL), TM_ERR_SHAPE,
                "input 1|3|2");
}
END_TEST

START_TEST(a_given_size_decides_who_is_odd)
{
    tm_tensor *two = test_iota(TM_FLOAT32, TM_INTS(2)), *three = test_iota(TM_FLOAT32, TM_INTS(3));
    tm_tensor *z;
    const tm_tensor *in[] = {three, two, three};
    const int64_t in_dims[] = {0, 0, 0}, size = 2;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    EXPECT_FAIL(tm_vmap(first, NULL, &options, 3, in, in_dims, 1, &z, NULL), TM_ERR_SHAPE,
                "input 0|3|2");
}
END_TEST

START_TEST(nothing_mapped_needs_a_size)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *z;
    EXPECT_FAIL(map(twice, x, TM_NOT_MAPPED, &z), TM_ERR_USAGE, "size");
    const int64_t size = 3, none = TM_NOT_MAPPED;
    const tm_tensor *in[] = {x};
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    EXPECT_OK(tm_vmap(twice, NULL, &options, 1, in, &none, 1, &z, NULL));
    EXPECT_F32(z, TM_INTS(3, 2), 2, 4, 2, 4, 2, 4);
    EXPECT_OK(tm_vmap(twice, NULL, &options, 1, in, &none, 1, &z, &none));
    EXPECT_F32(z, TM_INTS(2), 2, 4);
}
END_TEST

START_TEST(not_mapped_out_with_a_mapped_result_is_a_usage_error)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *z;
    const tm_tensor *in[] = {x};
    const int64_t in_dim = 0, none = TM_NOT_MAPPED;
    EXPECT_FAIL(tm_vmap(twice, NULL, NULL, 1, in, &in_dim, 1, &z, &none), TM_ERR_USAGE,
                "out_dim|mapped");
    ck_assert_ptr_null(z);
}
END_TEST

static tm_status show_index(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)in;
    int64_t *size = user;
    *size = tm_vmap_size(tm_vmap_current());
    out[0] = tm_vmap_index(tm_vmap_current());
    return TM_OK;
}

START_TEST(no_inputs_at_all_with_a_size)
{
    const int64_t size = 3;
    int64_t seen = 0;
    tm_tensor *z;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    EXPECT_OK(tm_vmap(show_index, &seen, &options, 0, NULL, NULL, 1, &z, NULL));
    EXPECT(z, TM_INT64, TM_INTS(3), 0, 1, 2);
    ck_assert_int_eq(seen, 3);
}
END_TEST

static tm_status nothing(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)in;
    (void)out;
    ++*(int *)user;
    return TM_OK;
}

START_TEST(no_outputs_and_one_run_whatever_the_size)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(7));
    const tm_tensor *in[] = {x};
    int runs = 0;
    EXPECT_OK(tm_vmap(nothing, &runs, NULL, 1, in, (const int64_t[]){0}, 0, NULL, NULL));
    ck_assert_int_eq(runs, 1);
    in[0] = MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){0}));
    EXPECT_OK(tm_vmap(nothing, &runs, NULL, 1, in, (const int64_t[]){0}, 0, NULL, NULL));
    ck_assert_int_eq(runs, 2);
}
END_TEST

static tm_status upper(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_triu(in[0], 0);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(an_empty_batch_is_checked_as_any_other)
{
    tm_tensor *z;
    EXPECT_FAIL(map(upper, MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 2})), 0, &z),
                TM_ERR_RANK, "triu: x must have at least 2 dimensions, got shape (2,)");
    EXPECT_OK(map(upper, MADE(tm_new(TM_FLOAT32, 3, (const int64_t[]){2, 0, 2})), 1, &z));
    EXPECT_SHAPE(z, TM_FLOAT32, TM_INTS(0, 2, 2));
}
END_TEST

static tm_status optional_second(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    if (in[1] != TM_NONE)
        return TM_ERR_USAGE;
    out[0] = tm_alias(in[0]);
    return TM_OK;
}

START_TEST(an_absent_input_stays_absent)
{
    const tm_tensor *in[] = {F32(TM_INTS(2), 1, 2), TM_NONE};
    tm_tensor *z;
    EXPECT_OK(tm_vmap(optional_second, NULL, NULL, 2, in, (const int64_t[]){0, TM_NOT_MAPPED}, 1,
                      &z, NULL));
    EXPECT_FAIL(tm_vmap(optional_second, NULL, NULL, 2, in, (const int64_t[]){0, 0}, 1, &z, NULL),
                TM_ERR_USAGE, "input 1|TM_NONE");
}
END_TEST

START_TEST(many_inputs)
{
    const tm_tensor *in[40];
    int64_t in_dims[40];
    for (int i = 0; i < 40; i++) {
        in[i] = test_iota(TM_FLOAT32, TM_INTS(2, 3));
        in_dims[i] = i % 3 ? 0 : TM_NOT_MAPPED;
    }
    tm_tensor *z;
    EXPECT_OK(tm_vmap(first, NULL, NULL, 40, in, in_dims, 1, &z, NULL));
    EXPECT_SHAPE(z, TM_FLOAT32, TM_INTS(2, 2, 3));
}
END_TEST

/* -- Nesting ----------------------------------------------------------------------------------- */

static tm_status rows(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    return tm_vmap(twice, NULL, NULL, 1, in, (const int64_t[]){0}, 1, out, NULL);
}

static tm_status odd_rows(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    return tm_vmap(upper, NULL, NULL, 1, in, (const int64_t[]){-1}, 1, out, NULL);
}

START_TEST(a_mapped_function_maps_again)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2, 2)), *z;
    EXPECT_OK(map(rows, x, 1, &z));
    EXPECT_F32(z, TM_INTS(2, 2, 2), 0, 2, 8, 10, 4, 6, 12, 14);
    EXPECT_FAIL(map(odd_rows, test_iota(TM_FLOAT32, TM_INTS(4, 8, 2)), 0, &z), TM_ERR_RANK,
                "triu: x must have at least 2 dimensions, got shape (8,)");
    ck_assert_ptr_null(z);
    EXPECT_OK(map(odd_rows, test_iota(TM_FLOAT32, TM_INTS(4, 8, 2, 2)), 0, &z));
    EXPECT_SHAPE(z, TM_FLOAT32, TM_INTS(4, 2, 8, 2));
}
END_TEST

static tm_status recurse(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    int *depth = user;
    if (++*depth > TM_MAX_LEVELS + 1)
        return TM_OK;
    const int64_t size = 1, none = TM_NOT_MAPPED;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    return tm_vmap(recurse, user, &options, 1, in, &none, 1, out, NULL);
}

START_TEST(recursion_ends_at_sixteen_levels)
{
    int depth = 0;
    tm_tensor *z;
    const tm_tensor *in[] = {test_f32_scalar(1)};
    EXPECT_FAIL(recurse(&depth, in, &z), TM_ERR_USAGE, "16");
    ck_assert_int_eq(depth, TM_MAX_LEVELS + 1);
    ck_assert_ptr_null(tm_vmap_current());
}
END_TEST

START_TEST(the_result_may_be_an_input)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *z;
    EXPECT_OK(map(identity, x, 1, &z));
    EXPECT_F32(z, TM_INTS(3, 2), 0, 3, 1, 4, 2, 5);
    ck_assert_ptr_eq(tm_data(z), tm_data(x)); /* no copy */
}
END_TEST

Suite *vmap_function_suite(void)
{
    const TTest *tests[] = {maps_over_the_dimension_asked_for,
                            out_dims_of_every_output,
                            an_input_that_is_not_mapped,
                            in_dims_out_of_range_name_the_input,
                            out_dims_out_of_range_are_dim_errors,
                            disagreeing_sizes_name_the_odd_input,
                            a_given_size_decides_who_is_odd,
                            nothing_mapped_needs_a_size,
                            not_mapped_out_with_a_mapped_result_is_a_usage_error,
                            no_inputs_at_all_with_a_size,
                            no_outputs_and_one_run_whatever_the_size,
                            an_empty_batch_is_checked_as_any_other,
                            an_absent_input_stays_absent,
                            many_inputs,
                            a_mapped_function_maps_again,
                            recursion_ends_at_sixteen_levels,
                            the_result_may_be_an_input};
    return test_suite("vmap_function", tests, COUNT(tests));
}
