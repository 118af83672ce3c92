/* test_example.c: the per-example contract: loops over what is not core, what an error there adds,
 * which example is named, what meta hands to the kernel.
 */
#include <stdint.h>
#include <string.h>

#include "support.h"

/* -- Core dimensions and loops ------------------------------------------------------------------
 */

START_TEST(other_dimensions_are_loops)
{
    const tm_op *op = test_op_row_sum();
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(3), 1, 2, 3)}), tm_no_ints, 6);
    EXPECT_F32(CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(2, 2, 2))}), TM_INTS(2, 2), 1, 5,
               9, 13);
    EXPECT_SHAPE(CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(0, 2))}), TM_FLOAT32,
                 TM_INTS(0));
    EXPECT_F32(CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(2, 0))}), TM_INTS(2), 0, 0);
}
END_TEST

START_TEST(loops_step_through_any_layout)
{
    const tm_op *op = test_op_row_sum();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(12));
    tm_tensor *y =
        MADE(tm_strided_view(x, 2, (const int64_t[]){3, 2}, (const int64_t[]){-1, -4}, 11));
    EXPECT_F32(CALL(op, {.tensor = y}), TM_INTS(3), 18, 16, 14);
    tm_tensor *same =
        MADE(tm_strided_view(x, 2, (const int64_t[]){2, 3}, (const int64_t[]){0, 5}, 1));
    EXPECT_F32(CALL(op, {.tensor = same}), TM_INTS(2), 18, 18);
}
END_TEST

START_TEST(an_error_names_the_loop_index)
{
    const tm_op *op = test_op_row_sum();
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 3, (const int64_t[]){2, 3, 1},
                                     (const float[]){0, 1, 2, 3, -4, -5}));
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC,
                "test_row_sum: row starts with a negative number, got -4 (at index (1, 1))");
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), -9)}), TM_ERR_NUMERIC, "got -9");
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(1), -9)}));
    ck_assert_str_eq(tm_error_get()->message, "row starts with a negative number, got -9");
    tm_error_clear();
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1, 1), -9)}), TM_ERR_NUMERIC,
                "got -9 (at index (0,))");
}
END_TEST

/* Law 2: the message is the example's, whose own loops keep their index. */
START_TEST(the_loop_index_is_the_same_alone_and_under_vmap)
{
    const tm_op *op = test_op_row_sum();
    float values[24] = {0};
    values[1 * 12 + 2 * 4 + 1 * 2] = -7; /* [1, 2, 1, 0] of (2, 3, 2, 2) */
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 4, (const int64_t[]){2, 3, 2, 2}, values));
    static const char *const expected[] = {"(at index (2, 1))", "(at index (1, 1))",
                                           "(at index (1, 2))"};
    static const int64_t index[] = {1, 2, 1};
    for (int dim = 0; dim < 3; dim++) {
        tm_vmap_level *v = tm_vmap_push(NULL);
        ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, dim))}));
        ck_assert_int_eq(tm_error_get()->levels[0].index, index[dim]);
        EXPECT_ERROR(TM_ERR_NUMERIC, expected[dim]);
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(the_first_example_in_order_of_levels_is_named)
{
    const tm_op *op = test_op_row_sum();
    float values[2 * 3] = {0, 0, -1, 0, -2, 0}; /* (2, 3): [0][2] and [1][1] */
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 3, (const int64_t[]){2, 3, 1}, values));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *outer = MADE(tm_vmap_in(v, x, 1)); /* outer level over the 3, inner over the 2 */
    tm_vmap_level *w = tm_vmap_push(NULL);
    ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(w, outer, 0))}));
    const tm_error *error = tm_error_get();
    ck_assert_int_eq(error->levels[0].index, 1); /* -2 has outer index 1, -1 has 2 */
    ck_assert_int_eq(error->levels[1].index, 1);
    EXPECT_ERROR(TM_ERR_NUMERIC, "got -2");
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(which_example_fails_does_not_depend_on_threads)
{
    const tm_op *op = test_op_row_sum();
    const int64_t n = 5000;
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){n, 64}));
    float *data = tm_mutable_data(x);
    for (int64_t i = 0; i < n * 64; i++)
        data[i] = i % 64 == 0 && i / 64 >= 1234 && i / 64 % 7 == 2 ? -(float)(i / 64) : 1;
    for (int threads = 1; threads <= 4; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        for (int repeat = 0; repeat < 5; repeat++)
            EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC, "got -1234 (at index (1234,))");
        tm_vmap_level *v = tm_vmap_push(NULL);
        ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
        ck_assert_int_eq(tm_error_get()->levels[0].index, 1234);
        EXPECT_ERROR(TM_ERR_NUMERIC, "got -1234");
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(the_number_of_threads)
{
    EXPECT_OK(tm_set_num_threads(3));
    ck_assert_int_eq(tm_get_num_threads(), 3);
    EXPECT_OK(tm_set_num_threads(0));
    ck_assert_int_ge(tm_get_num_threads(), 1);
    ck_assert_int_le(tm_get_num_threads(), 64);
    EXPECT_OK(tm_set_num_threads(1));
    EXPECT_FAIL(tm_set_num_threads(-1), TM_ERR_VALUE, "num_threads|-1");
    ck_assert_int_eq(tm_get_num_threads(), 1);
}
END_TEST

static tm_status count_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    if (tm_num_levels(x) != 0 || tm_num_levels(out) != 0)
        return tm_fail(call, TM_ERR_USAGE, "a kernel sees a level");
    *(int64_t *)tm_mutable_data(out) = tm_ndim(x) * 1000 + tm_numel(x);
    return TM_OK;
}

/* -- What meta hands to the kernel ----------------------------------------------------------------
 */

static tm_status params_meta(tm_call *call, const tm_tensor *x)
{
    int64_t *params = tm_params(call, 32 * sizeof *params);
    for (int i = 0; i < 32; i++)
        if (params[i] != 0)
            return tm_fail(call, TM_ERR_USAGE, "the block is not zeroed");
    params[31] = 31;
    params[0] = tm_numel(x);
    tm_need_workspace(call, 100);
    tm_need_workspace(call, 50);
    return tm_output(call, 0, TM_INT64, 0, NULL);
}

static tm_status params_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const int64_t *params = tm_params(call, 32 * sizeof *params);
    unsigned char *workspace = tm_workspace(call);
    if ((uintptr_t)workspace % 64 != 0)
        return tm_fail(call, TM_ERR_USAGE, "workspace at %p", (void *)workspace);
    memset(workspace, (int)tm_numel(x), 100);
    *(int64_t *)tm_mutable_data(out) = params[0] + params[31] + workspace[99];
    return TM_OK;
}

START_TEST(parameters_and_workspace)
{
    const tm_op *op =
        OP(.schema = "test_params(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)params_meta, .impl = (tm_fn)params_impl, .thread_safe = true);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(50, 5));
    EXPECT(CALL(op, {.tensor = x}), TM_INT64, tm_no_ints, 250 + 31 + 250);
    for (int threads = 1; threads <= 3; threads += 2) {
        EXPECT_OK(tm_set_num_threads(threads));
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *y = MADE(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
        y = MADE(tm_vmap_out(v, y, 0));
        for (int64_t i = 0; i < 50; i++)
            ck_assert_double_eq(test_value(y, i), 41);
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

static tm_status greedy_meta(tm_call *call, const tm_tensor *x)
{
    if (tm_params(call, 257))
        return tm_output_like(call, 0, x);
    return TM_ERR_SCHEMA;
}

START_TEST(a_block_of_parameters_has_its_limit)
{
    const tm_op *op = OP(.schema = "test_greedy(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)greedy_meta, .impl = (tm_fn)params_impl);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), 1)}), TM_ERR_SCHEMA, "test_greedy: |256");
}
END_TEST

static const tm_spec *wanted;

static tm_status wanted_meta(tm_call *call, const tm_tensor *x)
{
    (void)x;
    return wanted ? tm_output(call, 0, wanted->dtype, wanted->ndim, wanted->shape) : TM_OK;
}

START_TEST(specs_that_cannot_be_are_errors)
{
    const tm_op *op = OP(.schema = "test_spec(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)wanted_meta, .impl = (tm_fn)count_impl);
    tm_tensor *x = F32(TM_INTS(1), 1);
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_SCHEMA, "test_spec: |output");
    static const tm_spec wrong[] = {
        {TM_DTYPE_NONE, 1, {2}},      {(tm_dtype)99, 1, {2}},
        {TM_FLOAT32, 33, {1}},        {TM_FLOAT32, -1, {1}},
        {TM_FLOAT32, 1, {-1}},        {TM_FLOAT32, 2, {3, -5}},
        {TM_FLOAT32, 2, {-3, -5}},    {TM_FLOAT32, 1, {TM_DYNAMIC}},
        {TM_FLOAT32, 1, {INT64_MAX}}, {TM_FLOAT32, 2, {INT64_C(1) << 40, INT64_C(1) << 40}}};
    for (int i = 0; i < COUNT(wrong); i++) {
        wanted = &wrong[i];
        ck_assert_msg(CALL(op, {.tensor = x}) == NULL, "spec %d was accepted", i);
        ck_assert_msg(tm_error_code() != TM_ERR_MEMORY, "spec %d: %s", i, tm_error_message());
        tm_error_clear();
    }
    wanted = NULL;
}
END_TEST

/* -- Allocations --------------------------------------------------------------------------------
 */

static uint64_t allocations(void)
{
    return tm_memory_get_stats().allocations;
}

START_TEST(nothing_is_allocated_per_example)
{
    const tm_op *op = test_op_row_sum();
    uint64_t used[2];
    static const int64_t sizes[2][2] = {{10, 4}, {10000, 4}};
    for (int i = 0; i < 2; i++) {
        tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, sizes[i]));
        memset(tm_mutable_data(x), 0, (size_t)tm_numel(x) * sizeof(float));
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
        uint64_t before = allocations();
        MADE(CALL(op, {.tensor = row}));
        used[i] = allocations() - before;
        EXPECT_OK(tm_vmap_pop(v));
    }
    ck_assert_uint_eq(used[0], used[1]);
    ck_assert_uint_le(used[0], 2);
}
END_TEST

Suite *example_suite(void)
{
    const TTest *tests[] = {other_dimensions_are_loops,
                            loops_step_through_any_layout,
                            an_error_names_the_loop_index,
                            the_loop_index_is_the_same_alone_and_under_vmap,
                            the_first_example_in_order_of_levels_is_named,
                            which_example_fails_does_not_depend_on_threads,
                            the_number_of_threads,
                            parameters_and_workspace,
                            a_block_of_parameters_has_its_limit,
                            specs_that_cannot_be_are_errors,
                            nothing_is_allocated_per_example};
    return test_suite("example", tests, COUNT(tests));
}
