/* fourier_frequency.c: the order of a spectrum's elements: their frequencies, and shifts that put
 * frequency 0 in the middle.
 */
#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "roll.h"

/* -- fftfreq, rfftfreq ------------------------------------------------------------------------- */

static tm_status describe_frequencies(tm_call *call, int64_t n, double d, tm_dtype dtype,
                                      int64_t count)
{
    if (dtype == TM_DTYPE_NONE)
        dtype = TM_FLOAT32;
    if (n < 1)
        return tm_fail_arg(call, TM_ERR_VALUE, "n", "n must be at least 1, got %lld", (long long)n);
    if (d == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "d", "d must not be 0");
    if (tm_dtype_kind(dtype) != TM_KIND_FLOAT)
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype",
                           "dtype must be a floating-point dtype, got %s", tm_dtype_name(dtype));
    return tm_output(call, 0, dtype, 1, &count);
}

/* Element k is k / (n d); those from `negative` on are n less. */
static void write_frequencies(int64_t n, double d, int64_t negative, tm_tensor *out)
{
    tm_dtype dtype = tm_dtype_of(out);
    tm_cast_fn cast = tm_cast(TM_FLOAT64, dtype);
    const int64_t item = (int64_t)tm_dtype_size(dtype), size = tm_shape(out)[0];
    const int64_t step = size > 1 ? tm_strides(out)[0] * item : item;
    char *to = tm_mutable_data(out);
    for (int64_t k = 0; k < size; k++) {
        double frequency = (double)(k < negative ? k : k - n) / ((double)n * d);
        cast((const char *)&frequency, 0, to + k * step, 0, 1);
    }
}

tm_status tm_fftfreq_meta(tm_call *call, int64_t n, double d, tm_dtype dtype)
{
    return describe_frequencies(call, n, d, dtype, n);
}

tm_status tm_fftfreq_impl(tm_call *call, int64_t n, double d, tm_dtype dtype, tm_tensor *out)
{
    (void)call;
    (void)dtype;
    write_frequencies(n, d, n - n / 2, out);
    return TM_OK;
}

tm_status tm_rfftfreq_meta(tm_call *call, int64_t n, double d, tm_dtype dtype)
{
    return describe_frequencies(call, n, d, dtype, n / 2 + 1);
}

tm_status tm_rfftfreq_impl(tm_call *call, int64_t n, double d, tm_dtype dtype, tm_tensor *out)
{
    (void)call;
    (void)dtype;
    write_frequencies(n, d, n, out);
    return TM_OK;
}

/* -- fftshift, ifftshift ----------------------------------------------------------------------- */

static tm_status describe_shift(tm_call *call, const tm_tensor *x, const tm_int_list *axes)
{
    uint32_t *mask = tm_params(call, sizeof *mask);
    tm_status status = tm_check_axes(call, "axes", tm_ndim(x), axes, mask);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

/* Frequency 0 to the middle of each axis, or back. */
static void shift(tm_call *call, const tm_tensor *x, tm_tensor *out, bool back)
{
    const uint32_t *mask = tm_params(call, sizeof *mask);
    tm_roll_by by = {0};
    for (int d = 0; d < tm_ndim(x); d++) {
        const int64_t half = tm_shape(x)[d] / 2;
        if (*mask >> d & 1)
            by.shift[d] = tm_roll_shift(back ? -half : half, tm_shape(x)[d]);
    }
    tm_roll_blocks(NULL, x, out, &by);
}

tm_status tm_fftshift_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axes)
{
    return describe_shift(call, x, axes);
}

tm_status tm_fftshift_impl(tm_call *call, const tm_tensor *x, const tm_int_list *axes,
                           tm_tensor *out)
{
    (void)axes;
    shift(call, x, out, false);
    return TM_OK;
}

tm_status tm_ifftshift_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axes)
{
    return describe_shift(call, x, axes);
}

tm_status tm_ifftshift_impl(tm_call *call, const tm_tensor *x, const tm_int_list *axes,
                            tm_tensor *out)
{
    (void)axes;
    shift(call, x, out, true);
    return TM_OK;
}
