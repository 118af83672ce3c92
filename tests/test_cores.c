/* test_cores.c: the core dimensions of per-example ops: all of them, trailing ones, axes that meta
 * names, lists of tensors, optional and written arguments.
 */
#include <string.h>

#include "support.h"

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

/* x's rows times z, plus y's sum where y is there: cores x 1, y all, z 0, out 1. */
static tm_status mixed_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y,
                            const tm_tensor *z)
{
    (void)y;
    int ndim = tm_ndim(x) - 1;
    int64_t shape[TM_MAX_NDIM];
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    tm_status status = tm_check_broadcast(call, "z", &ndim, shape, z);
    shape[ndim] = tm_size(x, -1);
    return status == TM_OK ? tm_output(call, 0, TM_FLOAT32, ndim + 1, shape) : status;
}

static tm_status mixed_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y,
                            const tm_tensor *z, tm_tensor *out)
{
    float bias = 0;
    if (tm_ndim(x) != 1 || tm_ndim(z) != 0 || tm_ndim(out) != 1 ||
        (y != TM_NONE && tm_ndim(y) != 2))
        return tm_fail(call, TM_ERR_USAGE, "cores of %d, %d, %d, %d dimensions", tm_ndim(x),
                       y == TM_NONE ? -1 : tm_ndim(y), tm_ndim(z), tm_ndim(out));
    for (int64_t i = 0; y != TM_NONE && i < tm_numel(y); i++)
        bias += ((const float *)tm_data(y))[i];
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        ((float *)tm_mutable_data(out))[i * tm_strides(out)[0]] =
            bias + *(const float *)tm_data(z) * ((const float *)tm_data(x))[i * tm_strides(x)[0]];
    return TM_OK;
}

START_TEST(cores_count_by_the_schema_also_where_an_optional_is_absent)
{
    static const int8_t core[] = {1, TM_CORE_ALL, 0, 1};
    const tm_op *op = OP(.schema = "test_cores(Tensor x, Tensor? y, Tensor z) -> Tensor",
                         .contract = TM_PER_EXAMPLE, .meta = (tm_fn)mixed_meta,
                         .impl = (tm_fn)mixed_impl, .core = core);
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4), *y = F32(TM_INTS(1, 2), 100, 200);
    tm_tensor *z = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}, {.tensor = z}), TM_INTS(2, 2), 301, 302, 330,
               340);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = TM_NONE}, {.tensor = z}), TM_INTS(2, 2), 1, 2, 30,
               40);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *number = MADE(tm_vmap_in(v, z, 0));
    EXPECT_F32(tm_vmap_out(v, CALL(op, {.tensor = x}, {.tensor = TM_NONE}, {.tensor = number}), 0),
               TM_INTS(2, 2, 2), 1, 2, 3, 4, 10, 20, 30, 40);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status scale_rows_meta(tm_call *call, const tm_tensor *x, const tm_tensor *by)
{
    (void)by;
    return tm_output_like(call, 0, x);
}

static tm_status scale_rows_impl(tm_call *call, tm_tensor *x, const tm_tensor *by)
{
    if (tm_ndim(x) != 1 || tm_ndim(by) != 0)
        return tm_fail(call, TM_ERR_USAGE, "cores of %d and %d dimensions", tm_ndim(x),
                       tm_ndim(by));
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        ((float *)tm_mutable_data(x))[i * tm_strides(x)[0]] *= *(const float *)tm_data(by);
    return TM_OK;
}

START_TEST(cores_list_inputs_then_written_arguments)
{
    static const int8_t core[] = {0, 1}; /* by, then x */
    const tm_op *op =
        OP(.schema = "test_rows_(Tensor! x, Tensor by) -> Tensor!", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)scale_rows_meta, .impl = (tm_fn)scale_rows_impl, .core = core);
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    MADE(CALL(op, {.tensor = x}, {.tensor = F32(TM_INTS(2), 10, 100)}));
    EXPECT_F32(x, TM_INTS(2, 2), 10, 20, 300, 400);
}
END_TEST

Suite *cores_suite(void)
{
    const TTest *tests[] = {all_dimensions_are_core_by_default,
                            core_axes_named_by_meta_come_last_in_that_order,
                            lists_of_tensors_some_of_them_mapped,
                            other_dimensions_of_several_operands_broadcast,
                            cores_count_by_the_schema_also_where_an_optional_is_absent,
                            cores_list_inputs_then_written_arguments};
    return test_suite("cores", tests, COUNT(tests));
}
