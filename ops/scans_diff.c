/* scans_diff.c: differences of neighbours. */
#include "ops_kernels.h"

/* What is put at one end: x's shape but along the axis. Adds its size to *size. */
static tm_status check_end(tm_call *call, const char *argument, const tm_tensor *x,
                           const tm_tensor *end, int64_t axis, int64_t *size, tm_dtype *dtype)
{
    if (end == TM_NONE)
        return TM_OK;
    bool same = tm_ndim(end) == tm_ndim(x);
    for (int d = 0; same && d < tm_ndim(x); d++)
        same = d == axis || tm_shape(end)[d] == tm_shape(x)[d];
    if (!same)
        return tm_fail_arg(call, TM_ERR_SHAPE, argument,
                           "%s must have the shape of x, %s, except along axis %lld, got shape %s",
                           argument, tm_shape_text(call, x), (long long)axis,
                           tm_shape_text(call, end));
    *size += tm_shape(end)[axis];
    *dtype = tm_promote(*dtype, tm_dtype_of(end));
    return TM_OK;
}

tm_status tm_diff_meta(tm_call *call, const tm_tensor *x, int64_t axis, int64_t n,
                       const tm_tensor *prepend, const tm_tensor *append)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    if (n < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "n", "n must not be negative, got %lld",
                           (long long)n);
    int64_t size = tm_shape(x)[axis], shape[TM_MAX_NDIM];
    tm_dtype dtype = tm_dtype_of(x);
    status = check_end(call, "prepend", x, prepend, axis, &size, &dtype);
    if (status == TM_OK)
        status = check_end(call, "append", x, append, axis, &size, &dtype);
    if (status != TM_OK)
        return status;
    if (dtype == TM_BOOL)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must have a numeric dtype, got bool");
    for (int d = 0; d < tm_ndim(x); d++)
        shape[d] = tm_shape(x)[d];
    shape[axis] = n < size ? size - n : 0;
    return tm_output(call, 0, dtype, tm_ndim(x), shape);
}

tm_status tm_diff_impl(tm_call *call, const tm_tensor *x, int64_t axis, int64_t n,
                       const tm_tensor *prepend, const tm_tensor *append, tm_tensor **out)
{
    (void)call;
    const tm_tensor *parts[3];
    int64_t count = 0;
    if (prepend != TM_NONE)
        parts[count++] = prepend;
    parts[count++] = x;
    if (append != TM_NONE)
        parts[count++] = append;
    tm_tensor *y = tm_concat((tm_tensor_list){parts, count}, axis);
    for (int64_t i = 0; y && i < n && tm_size(y, axis) > 0; i++)
        y = tm_sub(tm_slice(y, axis, 1, INT64_MAX, 1), tm_slice(y, axis, 0, -1, 1));
    *out = y;
    return y ? TM_OK : tm_error_code();
}
