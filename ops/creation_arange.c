/* creation_arange.c: arithmetic progressions.
 *
 * The length is ceil((stop - start) / step): exact where all three are whole, which includes spans
 * that overflow int64, and computed in float64 otherwise. Element i is start + i * step, not a
 * running sum, so its error does not grow.
 */
#include <math.h>

#include "creation.h"
#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "scalars.h"

enum { BLOCK = 256 }; /* elements made at once, then converted */

typedef struct progression {
    bool whole;
    tm_scalar start, step;
} progression;

/* The number of elements; -1 where it is beyond int64. */
static int64_t count_whole(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? stop <= start : stop >= start)
        return 0;
    uint64_t from = (uint64_t)start, to = (uint64_t)stop;
    uint64_t span = step > 0 ? to - from : from - to;
    uint64_t stride = step > 0 ? (uint64_t)step : UINT64_C(0) - (uint64_t)step;
    uint64_t count = (span - 1) / stride + 1;
    return count <= INT64_MAX ? (int64_t)count : -1;
}

static int64_t count_float(double start, double stop, double step)
{
    double count = ceil((stop - start) / step);
    if (!(count > 0))
        return 0;
    return count < 0x1p63 ? (int64_t)count : -1;
}

static int64_t whole_at(const progression *p, int64_t i)
{
    return (int64_t)((uint64_t)p->start.value.i + (uint64_t)i * (uint64_t)p->step.value.i);
}

static double float_at(const progression *p, int64_t i)
{
    return tm_scalar_as_float(p->start) + (double)i * tm_scalar_as_float(p->step);
}

/* Whether element i can be held; a float beyond an integer dtype's range cannot. */
static bool fits(const progression *p, int64_t i, tm_dtype dtype)
{
    if (p->whole)
        return tm_scalar_fits(tm_scalar_int(whole_at(p, i)), dtype);
    if (tm_dtype_kind(dtype) != TM_KIND_INT)
        return true;
    double v = trunc(float_at(p, i));
    int bits = 8 * (int)tm_dtype_size(dtype);
    bool is_unsigned = dtype >= TM_UINT8;
    double low = is_unsigned ? 0 : -ldexp(1, bits - 1), end = ldexp(1, bits - !is_unsigned);
    return v >= low && v < end;
}

tm_status tm_arange_meta(tm_call *call, tm_scalar start, tm_scalar stop, tm_scalar step,
                         tm_dtype dtype)
{
    tm_status status = tm_check_finite(call, "start", start, true);
    if (status == TM_OK)
        status = tm_check_finite(call, "stop", stop, true);
    if (status == TM_OK)
        status = tm_check_finite(call, "step", step, true);
    if (status != TM_OK)
        return status;
    progression *p = tm_params(call, sizeof *p);
    p->start = start;
    p->step = step;
    p->whole = start.kind == TM_KIND_INT && stop.kind == TM_KIND_INT && step.kind == TM_KIND_INT;
    if (tm_scalar_as_float(step) == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "step", "step must not be 0");
    if (dtype == TM_DTYPE_NONE)
        dtype = p->whole ? TM_INT64 : TM_FLOAT32;
    if (dtype == TM_BOOL)
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype", "dtype must be a numeric dtype, got bool");
    int64_t count = p->whole ? count_whole(start.value.i, stop.value.i, step.value.i)
                             : count_float(tm_scalar_as_float(start), tm_scalar_as_float(stop),
                                           tm_scalar_as_float(step));
    if (count < 0)
        return tm_fail_arg(call, TM_ERR_SHAPE, "stop",
                           "the result would have more than %lld elements", (long long)INT64_MAX);
    status = tm_output(call, 0, dtype, 1, &count);
    if (status == TM_OK && count > 0 && !(fits(p, 0, dtype) && fits(p, count - 1, dtype)))
        return tm_fail_arg(call, TM_ERR_VALUE, "dtype", "the values do not fit in %s",
                           tm_dtype_name(dtype));
    return status;
}

tm_status tm_arange_impl(tm_call *call, tm_scalar start, tm_scalar stop, tm_scalar step,
                         tm_dtype dtype, tm_tensor *out)
{
    (void)start;
    (void)stop;
    (void)step;
    (void)dtype;
    const progression *p = tm_params(call, sizeof *p);
    union {
        int64_t whole[BLOCK];
        double number[BLOCK];
    } block;
    tm_cast_fn cast = tm_cast(p->whole ? TM_INT64 : TM_FLOAT64, tm_dtype_of(out));
    int64_t n = tm_shape(out)[0];
    int64_t out_step = n > 1 ? tm_strides(out)[0] * (int64_t)tm_dtype_size(tm_dtype_of(out)) : 0;
    char *to = tm_mutable_data(out);
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t count = n - at < BLOCK ? n - at : BLOCK;
        for (int64_t i = 0; i < count; i++)
            if (p->whole)
                block.whole[i] = whole_at(p, at + i);
            else
                block.number[i] = float_at(p, at + i);
        cast((const char *)&block, 8, to + at * out_step, out_step, count);
    }
    return TM_OK;
}
