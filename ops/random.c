/* random.c: uniform random numbers.
 *
 *     rand       the top p bits of a word (float64: of a half) over 2^p, p the dtype's precision
 *     uniform    low + u * (high - low) in float64, u as rand has it in float32 (float64: in
 *                float64), brought below high and rounded to the dtype
 *     randint    low + floor(R * range / 2^128), R block e as one number
 *     randperm   0 .. n-1, then for i = n-1 down to 1: swap i with floor(R * (i + 1) / 2^128), R
 *                block i (Fisher and Yates, in Durstenfeld's form, CACM 7 (1964), 420)
 */
#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
#include "random_draws.h"
#include "scalars.h"

/* -- rand ------------------------------------------------------------------------------------- */

tm_status tm_rand_meta(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_generator *generator)
{
    (void)generator;
    return tm_random_output(call, shape, dtype);
}

static tm_status draw_unit(tm_call *call, void *how, int64_t first, int n, bool wide, double *to)
{
    (void)wide;
    tm_random_unit(call, first, n, *(const int *)how, to);
    return TM_OK;
}

tm_status tm_rand_impl(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_generator *generator,
                       tm_tensor *out)
{
    (void)shape, (void)dtype, (void)generator;
    int bits = tm_random_bits(tm_dtype_of(out));
    return tm_draw(call, out, draw_unit, &bits);
}

/* -- uniform ---------------------------------------------------------------------------------- */

typedef struct range {
    double low, width, top; /* top: the last number of the dtype below high */
} range;

/* A number as the dtype has it. */
static double rounded(double value, tm_dtype dtype)
{
    _Alignas(16) char item[16];
    tm_scalar_store(tm_scalar_float(value), dtype, item);
    return tm_scalar_as_float(tm_scalar_load(dtype, item));
}

/* The last number of the dtype below one of its numbers: as integers, magnitudes are in order. */
static double below(double value, tm_dtype dtype)
{
    _Alignas(16) char item[16] = {0};
    size_t size = tm_dtype_size(dtype);
    uint64_t bits = 0, sign = UINT64_C(1) << (8 * size - 1);
    if (value == 0)
        bits = sign | 1;
    else {
        tm_scalar_store(tm_scalar_float(value), dtype, item);
        memcpy(&bits, item, size);
        bits = value > 0 ? bits - 1 : bits + 1;
    }
    memcpy(item, &bits, size);
    return tm_scalar_as_float(tm_scalar_load(dtype, item));
}

tm_status tm_uniform_meta(tm_call *call, double low, double high, tm_int_list shape, tm_dtype dtype,
                          tm_generator *generator)
{
    (void)generator;
    tm_status status = tm_random_output(call, shape, dtype);
    if (status != TM_OK)
        return status;
    dtype = tm_output_spec(call, 0)->dtype;
    double from = rounded(low, dtype), to = rounded(high, dtype);
    if (!isfinite(from))
        return tm_fail_arg(call, TM_ERR_VALUE, "low", "low must be finite in %s, got %g",
                           tm_dtype_name(dtype), low);
    if (!isfinite(to))
        return tm_fail_arg(call, TM_ERR_VALUE, "high", "high must be finite in %s, got %g",
                           tm_dtype_name(dtype), high);
    if (from >= to)
        return tm_fail_arg(call, TM_ERR_VALUE, "high", "high must be above low %g in %s, got %g",
                           low, tm_dtype_name(dtype), high);
    if (!isfinite(to - from))
        return tm_fail_arg(call, TM_ERR_VALUE, "high",
                           "high - low must be finite, got low %g and high %g", low, high);
    range *r = tm_params(call, sizeof *r);
    *r = (range){from, to - from, below(to, dtype)};
    return TM_OK;
}

static tm_status draw_range(tm_call *call, void *how, int64_t first, int n, bool wide, double *to)
{
    const range *r = how;
    tm_random_unit(call, first, n, tm_random_bits(wide ? TM_FLOAT64 : TM_FLOAT32), to);
    for (int i = 0; i < n; i++) {
        double v = r->low + to[i] * r->width;
        to[i] = v < r->top ? v : r->top;
    }
    return TM_OK;
}

tm_status tm_uniform_impl(tm_call *call, double low, double high, tm_int_list shape, tm_dtype dtype,
                          tm_generator *generator, tm_tensor *out)
{
    (void)low, (void)high, (void)shape, (void)dtype, (void)generator;
    return tm_draw(call, out, draw_range, tm_params(call, sizeof(range)));
}

/* -- randint ---------------------------------------------------------------------------------- */

static tm_status describe_integers(tm_call *call, int64_t ndim, const int64_t *shape,
                                   tm_dtype dtype)
{
    if (dtype == TM_DTYPE_NONE)
        dtype = TM_INT64;
    if (tm_dtype_kind(dtype) != TM_KIND_INT)
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype", "dtype must be an integer dtype, got %s",
                           tm_dtype_name(dtype));
    return tm_output(call, 0, dtype, ndim, shape);
}

tm_status tm_randint_meta(tm_call *call, int64_t low, int64_t high, tm_int_list shape,
                          tm_dtype dtype, tm_generator *generator)
{
    (void)generator;
    tm_status status = tm_check_sizes(call, "shape", shape);
    if (status == TM_OK)
        status = describe_integers(call, shape.count, shape.data, dtype);
    if (status != TM_OK)
        return status;
    dtype = tm_output_spec(call, 0)->dtype;
    if (low >= high)
        return tm_fail_arg(call, TM_ERR_VALUE, "high", "high must be above low %lld, got %lld",
                           (long long)low, (long long)high);
    if (!tm_scalar_fits(tm_scalar_int(low), dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, "low", "low must fit in %s, got %lld",
                           tm_dtype_name(dtype), (long long)low);
    if (!tm_scalar_fits(tm_scalar_int(high - 1), dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, "high", "high - 1 must fit in %s, got high %lld",
                           tm_dtype_name(dtype), (long long)high);
    return TM_OK;
}

/* An integer in `size` bytes; it fits. */
static void put_integer(char *to, size_t size, uint64_t v)
{
    switch (size) {
    case 1:
        *(uint8_t *)to = (uint8_t)v;
        break;
    case 2:
        *(uint16_t *)(void *)to = (uint16_t)v;
        break;
    case 4:
        *(uint32_t *)(void *)to = (uint32_t)v;
        break;
    default:
        *(uint64_t *)(void *)to = v;
    }
}

tm_status tm_randint_impl(tm_call *call, int64_t low, int64_t high, tm_int_list shape,
                          tm_dtype dtype, tm_generator *generator, tm_tensor *out)
{
    (void)shape, (void)dtype, (void)generator;
    uint64_t width = (uint64_t)high - (uint64_t)low, count = (uint64_t)tm_numel(out);
    size_t size = tm_dtype_size(tm_dtype_of(out));
    char *to = tm_mutable_data(out);
    for (uint64_t e = 0; e < count; e++)
        put_integer(to + e * size, size, (uint64_t)low + tm_random_below(call, e, width));
    return TM_OK;
}

/* -- randperm --------------------------------------------------------------------------------- */

tm_status tm_randperm_meta(tm_call *call, int64_t n, tm_dtype dtype, tm_generator *generator)
{
    (void)generator;
    if (n < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "n", "n must not be negative, got %lld",
                           (long long)n);
    tm_status status = describe_integers(call, 1, &n, dtype);
    if (status != TM_OK)
        return status;
    dtype = tm_output_spec(call, 0)->dtype;
    if (n > 0 && !tm_scalar_fits(tm_scalar_int(n - 1), dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, "n", "n - 1 must fit in %s, got n %lld",
                           tm_dtype_name(dtype), (long long)n);
    return TM_OK;
}

tm_status tm_randperm_impl(tm_call *call, int64_t n, tm_dtype dtype, tm_generator *generator,
                           tm_tensor *out)
{
    (void)dtype, (void)generator;
    size_t size = tm_dtype_size(tm_dtype_of(out));
    char *to = tm_mutable_data(out), kept[8];
    for (uint64_t i = 0; i < (uint64_t)n; i++)
        put_integer(to + i * size, size, i);
    for (uint64_t i = n > 0 ? (uint64_t)n - 1 : 0; i > 0; i--) {
        uint64_t j = tm_random_below(call, i, i + 1);
        memcpy(kept, to + i * size, size);
        memmove(to + i * size, to + j * size, size);
        memcpy(to + j * size, kept, size);
    }
    return TM_OK;
}
