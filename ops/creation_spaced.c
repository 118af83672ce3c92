/* creation_spaced.c: linspace and logspace.
 *
 * Element i is start + i * step, in float64, and the last one is stop itself where it is included.
 * logspace raises the base to these numbers.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "creation.h"
#include "dispatch/cast.h"
#include "ops_kernels.h"

enum { BLOCK = 128 }; /* elements made at once, then converted */

typedef struct spacing {
    int parts; /* 1: real numbers; 2: real and imaginary part */
    bool ends; /* the last element is stop */
    double start[2], stop[2], step[2], base;
} spacing;

static void read_number(tm_scalar scalar, double part[2])
{
    bool is_complex = scalar.kind == TM_KIND_COMPLEX;
    part[0] = is_complex ? scalar.value.c.re : tm_scalar_as_float(scalar);
    part[1] = is_complex ? scalar.value.c.im : 0;
}

static tm_status describe(tm_call *call, tm_scalar start, tm_scalar stop, int64_t num,
                          bool endpoint, tm_dtype dtype, bool real)
{
    tm_status status = tm_check_finite(call, "start", start, real);
    if (status == TM_OK)
        status = tm_check_finite(call, "stop", stop, real);
    if (status != TM_OK)
        return status;
    if (num < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "num", "num must not be negative, got %lld",
                           (long long)num);
    bool is_complex = start.kind == TM_KIND_COMPLEX || stop.kind == TM_KIND_COMPLEX;
    dtype = tm_or_default(dtype, is_complex ? TM_COMPLEX64 : TM_FLOAT32);
    tm_kind kind = tm_dtype_kind(dtype);
    if (kind != TM_KIND_COMPLEX && (is_complex || kind != TM_KIND_FLOAT))
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype", "dtype must be %s dtype, got %s",
                           is_complex ? "a complex" : "a floating-point or complex",
                           tm_dtype_name(dtype));
    spacing *s = tm_params(call, sizeof *s);
    int64_t steps = endpoint ? num - 1 : num;
    s->parts = is_complex ? 2 : 1;
    s->ends = endpoint && num > 1;
    read_number(start, s->start);
    read_number(stop, s->stop);
    for (int k = 0; k < 2 && steps > 0; k++) {
        double span = s->stop[k] - s->start[k], n = (double)steps;
        s->step[k] = isfinite(span) ? span / n : s->stop[k] / n - s->start[k] / n;
    }
    return tm_output(call, 0, dtype, 1, &num);
}

/* Elements from `at` on: pairs where there are two parts. */
static void make(const spacing *s, int64_t at, int64_t count, int64_t last, double *to)
{
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < s->parts; k++)
            *to++ = s->ends && at + i == last ? s->stop[k]
                                              : s->start[k] + (double)(at + i) * s->step[k];
}

static void write(tm_call *call, tm_tensor *out, bool powers)
{
    const spacing *s = tm_params(call, sizeof *s);
    assert(s->parts == 1 || s->parts == 2);
    const tm_dtype made = s->parts == 2 ? TM_COMPLEX128 : TM_FLOAT64;
    const tm_cast_fn cast = tm_cast(made, tm_dtype_of(out));
    const int64_t n = tm_shape(out)[0];
    const int64_t step = n > 1 ? tm_strides(out)[0] * (int64_t)tm_dtype_size(tm_dtype_of(out)) : 0;
    char *to = tm_mutable_data(out);
    double block[2 * BLOCK];
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t count = n - at < BLOCK ? n - at : BLOCK;
        make(s, at, count, n - 1, block);
        for (int64_t i = 0; powers && i < count; i++)
            block[i] = pow(s->base, block[i]);
        cast((const char *)block, (int64_t)tm_dtype_size(made), to + at * step, step, count);
    }
}

tm_status tm_linspace_meta(tm_call *call, tm_scalar start, tm_scalar stop, int64_t num,
                           bool endpoint, tm_dtype dtype)
{
    return describe(call, start, stop, num, endpoint, dtype, false);
}

tm_status tm_linspace_impl(tm_call *call, tm_scalar start, tm_scalar stop, int64_t num,
                           bool endpoint, tm_dtype dtype, tm_tensor *out)
{
    (void)start, (void)stop, (void)num, (void)endpoint, (void)dtype;
    write(call, out, false);
    return TM_OK;
}

tm_status tm_logspace_meta(tm_call *call, tm_scalar start, tm_scalar stop, int64_t num,
                           bool endpoint, double base, tm_dtype dtype)
{
    tm_status status = describe(call, start, stop, num, endpoint, dtype, true);
    spacing *s = tm_params(call, sizeof *s);
    s->base = base;
    return status;
}

tm_status tm_logspace_impl(tm_call *call, tm_scalar start, tm_scalar stop, int64_t num,
                           bool endpoint, double base, tm_dtype dtype, tm_tensor *out)
{
    (void)start, (void)stop, (void)num, (void)endpoint, (void)base, (void)dtype;
    write(call, out, true);
    return TM_OK;
}
