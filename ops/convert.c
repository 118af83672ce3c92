/* convert.c: copies that convert: astype makes a tensor, copy_ and fill_ write into one. */
#include "dispatch/cast.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define ROW(dtype, bytes) {dtype, dtype, tm_convert_loop},
const tm_loop tm_convert_loops[] = {TM_ALL_DTYPES(ROW){0}};

/* Sets the loop from one dtype to another; `argument` is what is converted. */
static tm_status set_loop(tm_call *call, const char *argument, tm_dtype from, tm_dtype to)
{
    if (!tm_cast(from, to))
        return tm_fail_arg(call, TM_ERR_DTYPE, argument, "there is no conversion from %s to %s",
                           tm_dtype_name(from), tm_dtype_name(to));
    const tm_dtype compute[2] = {from, to};
    return tm_elementwise_loop(call, tm_convert_loop, 2, compute);
}

tm_status tm_astype_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype)
{
    tm_status status = tm_output(call, 0, dtype, tm_ndim(x), tm_shape(x));
    return status == TM_OK ? set_loop(call, "x", tm_dtype_of(x), dtype) : status;
}

tm_status tm_clone_meta(tm_call *call, const tm_tensor *x)
{
    return tm_astype_meta(call, x, tm_dtype_of(x));
}

tm_status tm_copy__meta(tm_call *call, tm_tensor *x, const tm_tensor *src)
{
    int extra = tm_ndim(x) - tm_ndim(src);
    bool fits = extra >= 0;
    for (int d = 0; fits && d < tm_ndim(src); d++) {
        int64_t size = tm_shape(src)[d];
        fits = size == 1 || size == tm_shape(x)[d + extra];
    }
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "src",
                           "src must broadcast to x's shape %s, got shape %s",
                           tm_shape_text(call, x), tm_shape_text(call, src));
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? set_loop(call, "src", tm_dtype_of(src), tm_dtype_of(x)) : status;
}

tm_status tm_fill__meta(tm_call *call, tm_tensor *x, tm_scalar value)
{
    tm_dtype dtype = tm_dtype_of(x);
    tm_status status = tm_check_scalar(call, "value", value, dtype);
    if (status == TM_OK)
        status = tm_output_like(call, 0, x);
    return status == TM_OK ? set_loop(call, "value", dtype, dtype) : status;
}

tm_status tm_fill__tensor_meta(tm_call *call, tm_tensor *x, const tm_tensor *value)
{
    if (tm_ndim(value) != 0)
        return tm_fail_arg(call, TM_ERR_RANK, "value", "value must be a 0-D tensor, got shape %s",
                           tm_shape_text(call, value));
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? set_loop(call, "value", tm_dtype_of(value), tm_dtype_of(x)) : status;
}
