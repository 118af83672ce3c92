/* matrix.c: trace and cross: a few elements of one matrix, or of two vectors, converted to what is
 * computed in.
 */
#include <string.h>

#include "complex_numbers.h"
#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"

/* -- trace ------------------------------------------------------------------------------------ */

/* The widest dtype of a kind. */
static tm_dtype wide_of(tm_dtype dtype)
{
    switch (tm_dtype_kind(dtype)) {
    case TM_KIND_FLOAT:
        return TM_FLOAT64;
    case TM_KIND_COMPLEX:
        return TM_COMPLEX128;
    default:
        return dtype == TM_UINT64 ? TM_UINT64 : TM_INT64;
    }
}

tm_status tm_trace_meta(tm_call *call, const tm_tensor *x, int64_t offset)
{
    (void)offset;
    tm_status status = tm_check_rank(call, "x", x, 2);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    if (tm_dtype_kind(dtype) <= TM_KIND_INT)
        dtype = wide_of(dtype);
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

/* Elements are converted a block at a time, summed as T, and the sum is rounded once. Signed
 * integers are added as unsigned ones: they wrap. */
#define SUM(T)                                                                                     \
    {                                                                                              \
        T sum = 0, block[BLOCK];                                                                   \
        for (int64_t at = 0; at < length; at += BLOCK) {                                           \
            int64_t n = length - at < BLOCK ? length - at : BLOCK;                                 \
            load(from + at * step, step, (char *)block, (int64_t)sizeof(T), n);                    \
            for (int64_t i = 0; i < n; i++)                                                        \
                sum += block[i];                                                                   \
        }                                                                                          \
        store((const char *)&sum, 0, tm_mutable_data(out), 0, 1);                                  \
        break;                                                                                     \
    }

tm_status tm_trace_impl(tm_call *call, const tm_tensor *x, int64_t offset, tm_tensor *out)
{
    enum { BLOCK = 64 };
    (void)call;
    int64_t length, step;
    const char *from = diagonal(x, offset, &length, &step);
    tm_dtype wide = wide_of(tm_dtype_of(x));
    tm_cast_fn load = tm_cast(tm_dtype_of(x), wide), store = tm_cast(wide, tm_dtype_of(out));
    switch (wide) {
    case TM_FLOAT64:
        SUM(double)
    case TM_COMPLEX128:
        SUM(tm_complex128)
    default:
        SUM(uint64_t)
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

static void store3(tm_tensor *out, tm_dtype dtype, const void *from)
{
    tm_dtype to = tm_dtype_of(out);
    tm_cast(dtype, to)(from, (int64_t)tm_dtype_size(dtype), tm_mutable_data(out),
                       *tm_strides(out) * (int64_t)tm_dtype_size(to), 3);
}

/* Integers are computed in 64 bits, of which the result keeps its own: they wrap. */
#define REAL_PRODUCT(a, b) ((a) * (b))
#define CROSS(T, product)                                                                          \
    {                                                                                              \
        T a[3], b[3];                                                                              \
        load3(x1, dtype, a);                                                                       \
        load3(x2, dtype, b);                                                                       \
        const T c[3] = {product(a[1], b[2]) - product(a[2], b[1]),                                 \
                        product(a[2], b[0]) - product(a[0], b[2]),                                 \
                        product(a[0], b[1]) - product(a[1], b[0])};                                \
        store3(out, dtype, c);                                                                     \
        break;                                                                                     \
    }

tm_status tm_cross_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t axis,
                        tm_tensor *out)
{
    (void)call;
    (void)axis;
    tm_dtype dtype = tm_dtype_of(out);
    dtype = tm_dtype_kind(dtype) == TM_KIND_INT ? wide_of(dtype) : tm_computed_in(dtype);
    switch (dtype) {
    case TM_FLOAT32:
        CROSS(float, REAL_PRODUCT)
    case TM_FLOAT64:
        CROSS(double, REAL_PRODUCT)
    case TM_COMPLEX64:
        CROSS(tm_complex64, tm_mul_complex64)
    case TM_COMPLEX128:
        CROSS(tm_complex128, tm_mul_complex128)
    default:
        CROSS(uint64_t, REAL_PRODUCT)
    }
    return TM_OK;
}
