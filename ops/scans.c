/* scans.c: running sums along one axis, which is all that the kernel sees.
 *
 * A float's running sum is taken element by element in its own dtype; integers wrap.
 */
#include "ops_kernels.h"

typedef void (*scan_fn)(const char *x, int64_t x_step, char *out, int64_t out_step, int64_t n);

#define CUMSUM(name, in, sum, out_type)                                                            \
    static void cumsum_##name(const char *x, int64_t x_step, char *out, int64_t out_step,          \
                              int64_t n)                                                           \
    {                                                                                              \
        sum total = 0;                                                                             \
        for (int64_t i = 0; i < n; i++, x += x_step, out += out_step) {                            \
            sum v = (sum) * (const in *)(const void *)x;                                           \
            total = i == 0 ? v : total + v;                                                        \
            *(out_type *)(void *)out = (out_type)total;                                            \
        }                                                                                          \
    }
CUMSUM(bytes, uint8_t, uint64_t, int64_t)
CUMSUM(int32, int32_t, uint64_t, int64_t)
CUMSUM(int64, int64_t, uint64_t, int64_t)
CUMSUM(float32, float, float, float)
CUMSUM(float64, double, double, double)

static scan_fn cumsum_of(tm_dtype dtype)
{
    switch (dtype) {
    case TM_BOOL:
    case TM_UINT8:
        return cumsum_bytes;
    case TM_INT32:
        return cumsum_int32;
    case TM_INT64:
        return cumsum_int64;
    case TM_FLOAT32:
        return cumsum_float32;
    case TM_FLOAT64:
        return cumsum_float64;
    default:
        return NULL;
    }
}

tm_status tm_cumsum_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    tm_dtype dtype = tm_dtype_of(x);
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    if (!cumsum_of(dtype))
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "there is no kernel for dtype %s",
                           tm_dtype_name(dtype));
    tm_core_axes(call, 0, 1, &axis);
    tm_core_axes(call, 1, 1, &axis);
    return tm_output(call, 0, tm_dtype_kind(dtype) == TM_KIND_FLOAT ? dtype : TM_INT64, tm_ndim(x),
                     tm_shape(x));
}

tm_status tm_cumsum_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    (void)call;
    (void)axis;
    int64_t n = tm_shape(x)[0], x_step = 0, out_step = 0;
    if (n > 1) { /* a lone element's stride may be any number */
        x_step = tm_strides(x)[0] * (int64_t)tm_dtype_size(tm_dtype_of(x));
        out_step = tm_strides(out)[0] * (int64_t)tm_dtype_size(tm_dtype_of(out));
    }
    cumsum_of(tm_dtype_of(x))(tm_data(x), x_step, tm_mutable_data(out), out_step, n);
    return TM_OK;
}
