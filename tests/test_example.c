/* test_example.c: the per-example contract: core dimensions, loops over the others, what an error
 * there adds, what meta hands to the kernel.
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

/* -- All dimensions core, core axes from meta, lists ---------------------------------------------
 */

static tm_status count_meta(tm_call *call, const tm_tensor *x)
{
    (void)x;
    return tm_output(call, 0, TM_INT64, 0, NULL);
}

static tm_status count_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    if (tm_num_levels(x) != 0 || tm_num_levels(out) != 0)
        return tm_fail(call, TM_ERR_USAGE, "a kernel sees a level");
    *(int64_t *)tm_mutable_data(out) = tm_ndim(x) * 1000 + tm_numel(x);
    return TM_OK;
}

START_TEST(all_dimensions_are_core_by_default)
{
    const tm_op *op = OP(.schema = "test_count(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)count_meta, .impl = (tm_fn)count_impl);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4, 3, 2));
    EXPECT(CALL(op, {.tensor = x}), TM_INT64, tm_no_ints, 3024);
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT(tm_vmap_out(v, CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 1))}), 0), TM_INT64, TM_INTS(3),
           2008, 2008, 2008);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* x and its sum along two axes, which the kernel gets last, in the order meta names them. */
static tm_status along_meta(tm_call *call, const tm_tensor *x, int64_t axis1, int64_t axis2)
{
    if (tm_check_axis(call, "axis1", tm_ndim(x), &axis1) != TM_OK ||
        tm_check_axis(call, "axis2", tm_ndim(x), &axis2) != TM_OK)
        return TM_ERR_DIM;
    const int64_t axes[] = {axis1, axis2};
    int64_t shape[TM_MAX_NDIM];
    int n = 0;
    for (int d = 0; d < tm_ndim(x); d++)
        if (d != axis1 && d != axis2)
            shape[n++] = tm_shape(x)[d];
    tm_status status = tm_core_axes(call, 0, 2, axes);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, 0, NULL);
    return status == TM_OK ? tm_output(call, 0, TM_FLOAT32, n, shape) : status;
}

/* a - b + c - ... in the order that the kernel sees, so that the order shows. */
static tm_status along_impl(tm_call *call, const tm_tensor *x, int64_t axis1, int64_t axis2,
                            tm_tensor *out)
{
    (void)axis1;
    (void)axis2;
    if (tm_ndim(x) != 2 || tm_ndim(out) != 0)
        return tm_fail(call, TM_ERR_USAGE, "%d core dimensions", tm_ndim(x));
    float sum = 0, sign = 1;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        for (int64_t j = 0; j < tm_shape(x)[1]; j++, sign = -sign)
            sum += sign * ((const float *)tm_data(x))[i * tm_strides(x)[0] + j * tm_strides(x)[1]];
    *(float *)tm_mutable_data(out) = sum;
    return TM_OK;
}

START_TEST(core_axes_named_by_meta_come_last_in_that_order)
{
    const tm_op *op =
        OP(.schema = "test_along(Tensor x, int axis1, int axis2) -> Tensor",
           .contract = TM_PER_EXAMPLE, .meta = (tm_fn)along_meta, .impl = (tm_fn)along_impl);
    /* (2, 3): 0 1 2 / 3 4 5, row by row 0-1+2-3+4-5, column by column 0-3+1-4+2-5 */
    tm_tensor *m = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    EXPECT_F32(CALL(op, {.tensor = m}, {.i = 0}, {.i = 1}), tm_no_ints, -3);
    EXPECT_F32(CALL(op, {.tensor = m}, {.i = 1}, {.i = 0}), tm_no_ints, -9);
    EXPECT_NULL(CALL(op, {.tensor = m}, {.i = 2}, {.i = 0}), TM_ERR_DIM, "axis1 2|-2..1");
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2, 2)); /* loop over the middle axis */
    EXPECT_F32(CALL(op, {.tensor = x}, {.i = 0}, {.i = -1}), TM_INTS(2), 0 - 1 + 4 - 5,
               2 - 3 + 6 - 7);
    EXPECT_F32(CALL(op, {.tensor = x}, {.i = -1}, {.i = 0}), TM_INTS(2), 0 - 4 + 1 - 5,
               2 - 6 + 3 - 7);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *mapped = MADE(tm_vmap_in(v, x, 0));
    EXPECT_F32(tm_vmap_out(v, CALL(op, {.tensor = mapped}, {.i = 1}, {.i = 0}), 0), TM_INTS(2),
               0 - 2 + 1 - 3, 4 - 6 + 5 - 7);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status concat_meta(tm_call *call, tm_tensor_list xs, int64_t times)
{
    int64_t total = 0;
    (void)times;
    if (xs.count == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "xs", "xs must not be empty");
    for (int64_t i = 0; i < xs.count; i++) {
        if (tm_ndim(xs.data[i]) != 1)
            return tm_fail_arg(call, TM_ERR_RANK, "xs", "xs must be vectors, got shape %s at %d",
                               tm_shape_text(call, xs.data[i]), (int)i);
        total += tm_size(xs.data[i], 0);
    }
    return tm_output(call, 0, TM_FLOAT32, 1, &total);
}

static tm_status concat_impl(tm_call *call, tm_tensor_list xs, int64_t times, tm_tensor *out)
{
    (void)call;
    float *to = tm_mutable_data(out);
    for (int64_t i = 0; i < xs.count; i++)
        for (int64_t k = 0; k < tm_shape(xs.data[i])[0]; k++, to += tm_strides(out)[0])
            *to =
                (float)times * ((const float *)tm_data(xs.data[i]))[k * tm_strides(xs.data[i])[0]];
    return TM_OK;
}

START_TEST(lists_of_tensors_some_of_them_mapped)
{
    const tm_op *op =
        OP(.schema = "test_join(Tensor[] xs, int times=1) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)concat_meta, .impl = (tm_fn)concat_impl);
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4), *y = F32(TM_INTS(1), 9);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0)), *column = MADE(tm_vmap_in(v, x, 1));
    tm_tensor *z = MADE(CALL(op, {.tensors = TM_TENSORS(row, y, column)}, {.i = 2}));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 5), 2, 4, 18, 2, 6, 6, 8, 18, 4, 8);
    EXPECT_NULL(CALL(op, {.tensors = TM_TENSORS(row, x)}, {.i = 1}), TM_ERR_RANK, "xs|(2, 2) at 1");
    EXPECT_NULL(CALL(op, {.tensors = {NULL, 0}}, {.i = 1}), TM_ERR_VALUE, "xs must not be empty");
    EXPECT_NULL(CALL(op, {.tensors = TM_TENSORS(row, TM_NONE)}, {.i = 1}), TM_ERR_USAGE,
                "xs|TM_NONE");
    EXPECT_NULL(CALL(op, {.tensors = {NULL, 2}}, {.i = 1}), TM_ERR_USAGE, "xs");
    EXPECT_NULL(CALL(op, {.tensors = {&(const tm_tensor *){row}, -1}}, {.i = 1}), TM_ERR_VALUE,
                "xs");
    const tm_tensor *many[40];
    for (int i = 0; i < 40; i++)
        many[i] = i % 2 ? row : y;
    z = MADE(CALL(op, {.tensors = {many, 40}}, {.i = 1}));
    ck_assert_int_eq(tm_size(z, 0), 60);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* Operands of different cores: their other dimensions broadcast. */
static tm_status scale_meta(tm_call *call, const tm_tensor *x, const tm_tensor *by)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status != TM_OK)
        return status;
    int ndim = tm_ndim(x) - 1;
    int64_t shape[TM_MAX_NDIM];
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    status = tm_check_broadcast(call, "by", &ndim, shape, by);
    if (status != TM_OK)
        return status;
    shape[ndim] = tm_size(x, -1);
    return tm_output(call, 0, TM_FLOAT32, ndim + 1, shape);
}

static tm_status scale_impl(tm_call *call, const tm_tensor *x, const tm_tensor *by, tm_tensor *out)
{
    (void)call;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        ((float *)tm_mutable_data(out))[i * tm_strides(out)[0]] =
            *(const float *)tm_data(by) * ((const float *)tm_data(x))[i * tm_strides(x)[0]];
    return TM_OK;
}

START_TEST(other_dimensions_of_several_operands_broadcast)
{
    static const int8_t core[] = {1, 0, 1};
    const tm_op *op =
        OP(.schema = "test_scale(Tensor x, Tensor by) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)scale_meta, .impl = (tm_fn)scale_impl, .core = core);
    tm_tensor *x = F32(TM_INTS(2, 1, 2), 1, 2, 3, 4), *by = F32(TM_INTS(3), 1, 10, 100);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = by}), TM_INTS(2, 3, 2), 1, 2, 10, 20, 100, 200, 3,
               4, 30, 40, 300, 400);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0)),
              *number = MADE(tm_vmap_in(v, F32(TM_INTS(2), 5, 7), 0));
    EXPECT_F32(tm_vmap_out(v, CALL(op, {.tensor = row}, {.tensor = number}), 0), TM_INTS(2, 1, 2),
               5, 10, 21, 28);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

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
                            all_dimensions_are_core_by_default,
                            core_axes_named_by_meta_come_last_in_that_order,
                            lists_of_tensors_some_of_them_mapped,
                            other_dimensions_of_several_operands_broadcast,
                            parameters_and_workspace,
                            a_block_of_parameters_has_its_limit,
                            specs_that_cannot_be_are_errors,
                            nothing_is_allocated_per_example};
    return test_suite("example", tests, COUNT(tests));
}
