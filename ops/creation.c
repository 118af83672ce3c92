/* creation.c: tensors of one number. Zero is all bits zero in every dtype; other numbers need a
 * dtype that numbers convert to. */
#include <string.h>

#include "creation.h"
#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "rows.h"
#include "scalars.h"
#include <math.h>

static tm_status describe(tm_call *call, tm_int_list shape, tm_dtype dtype)
{
    tm_status status = tm_check_sizes(call, "shape", shape);
    return status == TM_OK ? tm_output(call, 0, dtype, shape.count, shape.data) : status;
}

/* Every element gets the bytes of `item`. The first is written, then copied to ever longer runs. */
static void fill(tm_tensor *out, const void *item)
{
    int64_t size = (int64_t)tm_dtype_size(tm_dtype_of(out));
    tm_rows r;
    for (bool more = tm_rows_first(&r, out, tm_mutable_data(out)); more; more = tm_rows_next(&r)) {
        if (r.step != size) {
            for (int64_t i = 0; i < r.n; i++)
                memcpy(r.at + i * r.step, item, (size_t)size);
            continue;
        }
        memcpy(r.at, item, (size_t)size);
        for (int64_t done = 1; done < r.n;) {
            int64_t more_of = done < r.n - done ? done : r.n - done;
            memcpy(r.at + done * size, r.at, (size_t)(more_of * size));
            done += more_of;
        }
    }
}

void tm_zero_fill(tm_tensor *out)
{
    static const char zero[16];
    if (tm_is_contiguous(out))
        memset(tm_mutable_data(out), 0, (size_t)tm_numel(out) * tm_dtype_size(tm_dtype_of(out)));
    else
        fill(out, zero);
}

tm_status tm_zeros_meta(tm_call *call, tm_int_list shape, tm_dtype dtype)
{
    return describe(call, shape, tm_or_default(dtype, TM_FLOAT32));
}

tm_status tm_zeros_impl(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_tensor *out)
{
    (void)call;
    (void)shape;
    (void)dtype;
    tm_zero_fill(out);
    return TM_OK;
}

tm_status tm_full_meta(tm_call *call, tm_int_list shape, tm_scalar value, tm_dtype dtype)
{
    dtype = tm_or_default(dtype, tm_promote_scalar(TM_DTYPE_NONE, value.kind));
    tm_status status = describe(call, shape, dtype);
    return status == TM_OK ? tm_check_scalar(call, "value", value, dtype) : status;
}

tm_status tm_full_impl(tm_call *call, tm_int_list shape, tm_scalar value, tm_dtype dtype,
                       tm_tensor *out)
{
    _Alignas(16) char item[16];
    (void)call;
    (void)shape;
    (void)dtype;
    tm_scalar_store(value, tm_dtype_of(out), item);
    fill(out, item);
    return TM_OK;
}

tm_status tm_ones_meta(tm_call *call, tm_int_list shape, tm_dtype dtype)
{
    return tm_full_meta(call, shape, tm_scalar_int(1), tm_or_default(dtype, TM_FLOAT32));
}

tm_status tm_ones_impl(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_tensor *out)
{
    return tm_full_impl(call, shape, tm_scalar_int(1), dtype, out);
}

/* -- Like another tensor ----------------------------------------------------------------------- */

static tm_status describe_like(tm_call *call, const tm_tensor *x, tm_dtype dtype)
{
    return tm_output(call, 0, tm_or_default(dtype, tm_dtype_of(x)), tm_ndim(x), tm_shape(x));
}

tm_status tm_zeros_like_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype)
{
    return describe_like(call, x, dtype);
}

tm_status tm_zeros_like_impl(tm_call *call, const tm_tensor *x, tm_dtype dtype, tm_tensor *out)
{
    (void)call;
    (void)x;
    (void)dtype;
    tm_zero_fill(out);
    return TM_OK;
}

tm_status tm_full_like_meta(tm_call *call, const tm_tensor *x, tm_scalar value, tm_dtype dtype)
{
    tm_status status = describe_like(call, x, dtype);
    return status == TM_OK
               ? tm_check_scalar(call, "value", value, tm_or_default(dtype, tm_dtype_of(x)))
               : status;
}

tm_status tm_full_like_impl(tm_call *call, const tm_tensor *x, tm_scalar value, tm_dtype dtype,
                            tm_tensor *out)
{
    (void)x;
    return tm_full_impl(call, tm_no_ints, value, dtype, out);
}

tm_status tm_ones_like_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype)
{
    return describe_like(call, x, dtype);
}

tm_status tm_ones_like_impl(tm_call *call, const tm_tensor *x, tm_dtype dtype, tm_tensor *out)
{
    (void)x;
    return tm_full_impl(call, tm_no_ints, tm_scalar_int(1), dtype, out);
}

/* -- Numbers ----------------------------------------------------------------------------------- */

tm_status tm_check_finite(tm_call *call, const char *argument, tm_scalar value, bool real)
{
    bool is_complex = value.kind == TM_KIND_COMPLEX;
    if (value.kind == TM_KIND_BOOL || (real && is_complex))
        return tm_fail_arg(call, TM_ERR_DTYPE, argument,
                           real ? "%s must be an integer or a float" : "%s must not be a bool",
                           argument);
    double part = is_complex ? value.value.c.re : tm_scalar_as_float(value);
    if (isfinite(part) && is_complex)
        part = value.value.c.im;
    if (isfinite(part))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must be finite, got %s", argument,
                       isnan(part) ? "nan"
                       : part > 0  ? "inf"
                                   : "-inf");
}
