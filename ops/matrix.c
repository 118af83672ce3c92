/* matrix.c: trace and cross: a few elements of one matrix, or of two vectors. */
#include <string.h>

#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"

/* -- trace ------------------------------------------------------------------------------------ */

tm_status tm_trace_meta(tm_call *call, const tm_tensor *x, int64_t offset)
{
    (void)offset;
    tm_status status = tm_check_rank(call, "x", x, 2);
    if (status == TM_OK)
        status = tm_check_arithmetic(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    if (tm_dtype_kind(dtype) != TM_KIND_FLOAT)
        dtype = TM_INT64;
    int ndim = tm_ndim(x);
    const int64_t axes[] = {ndim - 2, ndim - 1};
    status = tm_core_axes(call, 0, 2, axes);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, 0, axes);
    return status == TM_OK ? tm_output(call, 0, dtype, ndim - 2, tm_shape(x)) : status;
}

/* The diagonal as one run: `*length` elements, `*step` bytes apart. */
static const char *diagonal(const tm_tensor *x, int64_t offset, int64_t *length, int64_t *step)
{
    const int64_t *shape = tm_shape(x), *strides = tm_strides(x);
    int64_t rows = shape[0], columns = shape[1], item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    *step = 0;
    *length = 0;
    if (offset >= columns || offset <= -rows) /* beyond the corners */
        return NULL;
    int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
    *length = rows - row < columns - column ? rows - row : columns - column;
    if (*length > 1)
        *step = (strides[0] + strides[1]) * item;
    return (const char *)tm_data(x) + (row ? row * strides[0] : 0) * item +
           (column ? column * strides[1] : 0) * item;
}

/* Integers as int64; wraps. */
#define SUM_INTEGERS(type)                                                                         \
    {                                                                                              \
        uint64_t sum = 0;                                                                          \
        for (int64_t i = 0; i < length; i++)                                                       \
            sum += (uint64_t)(int64_t) * (const type *)(const void *)(at + i * step);              \
        memcpy(to, &sum, sizeof sum);                                                              \
        break;                                                                                     \
    }

/* Floats in float64, rounded once. */
#define SUM_FLOATS(type)                                                                           \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int64_t i = 0; i < length; i++)                                                       \
            sum += *(const type *)(const void *)(at + i * step);                                   \
        *(type *)to = (type)sum;                                                                   \
        break;                                                                                     \
    }

tm_status tm_trace_impl(tm_call *call, const tm_tensor *x, int64_t offset, tm_tensor *out)
{
    (void)call;
    int64_t length, step;
    const char *at = diagonal(x, offset, &length, &step);
    void *to = tm_mutable_data(out);
    switch (tm_dtype_of(x)) {
    case TM_BOOL:
    case TM_UINT8:
        SUM_INTEGERS(uint8_t)
    case TM_INT32:
        SUM_INTEGERS(int32_t)
    case TM_INT64:
        SUM_INTEGERS(int64_t)
    case TM_FLOAT32:
        SUM_FLOATS(float)
    default:
        SUM_FLOATS(double)
    }
    return TM_OK;
}

/* -- cross ------------------------------------------------------------------------------------ */

/* The axis is the result's; x has it too, with 3 elements, as its core. */
static tm_status check_vector(tm_call *call, int operand, const char *argument, const tm_tensor *x,
                              int from_end)
{
    tm_status status = tm_check_rank(call, argument, x, from_end);
    if (status != TM_OK)
        return status;
    int64_t axis = tm_ndim(x) - from_end;
    if (tm_size(x, axis) != 3)
        return tm_fail_arg(call, TM_ERR_SHAPE, argument,
                           "%s must have 3 elements along axis %d, got shape %s", argument,
                           -from_end, tm_shape_text(call, x));
    return tm_core_axes(call, operand, 1, &axis);
}

tm_status tm_cross_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t axis)
{
    int ndim = tm_ndim(x1) > tm_ndim(x2) ? tm_ndim(x1) : tm_ndim(x2);
    tm_status status = tm_check_numeric(call, "x1", x1);
    if (status == TM_OK)
        status = tm_check_numeric(call, "x2", x2);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", ndim, &axis);
    if (status == TM_OK)
        status = check_vector(call, 0, "x1", x1, ndim - (int)axis);
    if (status == TM_OK)
        status = check_vector(call, 1, "x2", x2, ndim - (int)axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 2, 1, &axis);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM];
    int out_ndim = tm_ndim(x1);
    memcpy(shape, tm_shape(x1), (size_t)out_ndim * sizeof *shape);
    status = tm_check_broadcast(call, "x2", &out_ndim, shape, x2);
    if (status != TM_OK)
        return status;
    return tm_output(call, 0, tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)), out_ndim, shape);
}

/* Three elements of a vector in the dtype that is computed in. */
static void load3(const tm_tensor *x, tm_dtype dtype, void *to)
{
    tm_dtype from = tm_dtype_of(x);
    tm_cast(from, dtype)(tm_data(x), *tm_strides(x) * (int64_t)tm_dtype_size(from), to,
                         (int64_t)tm_dtype_size(dtype), 3);
}

/* Signed integers are computed as unsigned ones: they wrap. */
#define CROSS(type)                                                                                \
    {                                                                                              \
        type a[3], b[3], *c = tm_mutable_data(out);                                                \
        load3(x1, dtype, a);                                                                       \
        load3(x2, dtype, b);                                                                       \
        c[0] = (type)(a[1] * b[2] - a[2] * b[1]);                                                  \
        c[step] = (type)(a[2] * b[0] - a[0] * b[2]);                                               \
        c[2 * step] = (type)(a[0] * b[1] - a[1] * b[0]);                                           \
        break;                                                                                     \
    }

tm_status tm_cross_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t axis,
                        tm_tensor *out)
{
    (void)call;
    (void)axis;
    tm_dtype dtype = tm_dtype_of(out);
    int64_t step = *tm_strides(out);
    switch (dtype) {
    case TM_UINT8:
        CROSS(uint8_t)
    case TM_INT32:
        CROSS(uint32_t)
    case TM_INT64:
        CROSS(uint64_t)
    case TM_FLOAT32:
        CROSS(float)
    default:
        CROSS(double)
    }
    return TM_OK;
}
