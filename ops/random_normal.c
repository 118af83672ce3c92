/* random_normal.c: normal and exponential numbers.
 *
 *     randn         elements e and e + 1, e even, are r cos(2 pi u2) and r sin(2 pi u2) with
 *                   r = sqrt(-2 ln u1) (Box and Muller, Ann. Math. Stat. 29 (1958), 610):
 *                   float64   u1 = (k + 1/2) / 2^52, k the top 52 bits of half 0 of block e / 2,
 *                             u2 the top 53 bits of half 1 over 2^53
 *                   others    u1 = (w + 1/2) / 2^32 with word e % 4 of block e / 4, u2 the next
 *                             word over 2^32
 *     normal        mean + std * randn
 *     exponential   -ln(u) / rate, the inverse of the distribution function at 1 - u; u in (0, 1)
 *                   is (k + 1/2) / 2^52 with the top 52 bits k of the element's half in float64,
 *                   (w + 1/2) / 2^32 with its word in others
 *
 * All of it in float64, rounded once (float16 and bfloat16: from float32).
 */
#include <math.h>

#include "random_draws.h"
#include "scalars.h"

static const double two_pi = 6.283185307179586476925286766559;

static void draw_normal(const tm_call *call, int64_t first, int n, bool wide, double *to)
{
    for (int i = 0; i < n; i += 2) {
        uint64_t e = (uint64_t)first + (uint64_t)i;
        double u1, u2;
        if (wide) {
            tm_random_block block = tm_random(call, e / 2);
            u1 = ((double)(tm_random_half(&block, 0) >> 12) + 0.5) * 0x1p-52;
            u2 = (double)(tm_random_half(&block, 1) >> 11) * 0x1p-53;
        } else {
            tm_random_block block = tm_random(call, e / 4);
            u1 = ((double)block.word[e % 4] + 0.5) * 0x1p-32;
            u2 = (double)block.word[e % 4 + 1] * 0x1p-32;
        }
        double r = sqrt(-2 * log(u1));
        to[i] = r * cos(two_pi * u2);
        if (i + 1 < n)
            to[i + 1] = r * sin(two_pi * u2);
    }
}

/* -- randn ------------------------------------------------------------------------------------ */

tm_status tm_randn_meta(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_generator *generator)
{
    (void)generator;
    return tm_random_output(call, shape, dtype);
}

static tm_status draw_standard(tm_call *call, void *how, int64_t first, int n, bool wide,
                               double *to)
{
    (void)how;
    draw_normal(call, first, n, wide, to);
    return TM_OK;
}

tm_status tm_randn_impl(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_generator *generator,
                        tm_tensor *out)
{
    (void)shape, (void)dtype, (void)generator;
    return tm_draw(call, out, draw_standard, NULL);
}

/* -- normal ----------------------------------------------------------------------------------- */

/* A number, or a tensor that is read along. */
typedef struct parameter {
    bool varies;
    double value;
    tm_random_reader reader;
} parameter;

typedef struct normal {
    parameter mean, std;
} normal;

static tm_status check_std(tm_call *call, double std)
{
    if (std >= 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "std", "std must not be negative or NaN, got %g", std);
}

static tm_status draw_shifted(tm_call *call, void *how, int64_t first, int n, bool wide, double *to)
{
    normal *p = how;
    const bool means = p->mean.varies, stds = p->std.varies;
    double mean[TM_DRAW_RUN], std[TM_DRAW_RUN];
    draw_normal(call, first, n, wide, to);
    if (means)
        tm_random_read(&p->mean.reader, n, mean);
    if (stds)
        tm_random_read(&p->std.reader, n, std);
    for (int i = 0; i < n; i++) {
        double s = stds ? std[i] : p->std.value;
        tm_status status = check_std(call, s);
        if (status != TM_OK)
            return status;
        to[i] = (means ? mean[i] : p->mean.value) + s * to[i];
    }
    return TM_OK;
}

tm_status tm_normal_meta(tm_call *call, double mean, double std, tm_int_list shape, tm_dtype dtype,
                         tm_generator *generator)
{
    (void)mean, (void)generator;
    tm_status status = tm_random_output(call, shape, dtype);
    return status == TM_OK ? check_std(call, std) : status;
}

tm_status tm_normal_impl(tm_call *call, double mean, double std, tm_int_list shape, tm_dtype dtype,
                         tm_generator *generator, tm_tensor *out)
{
    (void)shape, (void)dtype, (void)generator;
    normal p = {.mean.value = mean, .std.value = std};
    return tm_draw(call, out, draw_shifted, &p);
}

static tm_status check_float(tm_call *call, const char *name, const tm_tensor *x)
{
    return tm_check_kind(call, name, x, TM_KIND_FLOAT, "a floating-point dtype");
}

tm_status tm_normal_tensor_meta(tm_call *call, const tm_tensor *mean, const tm_tensor *std,
                                tm_generator *generator)
{
    (void)generator;
    int ndim = tm_ndim(mean);
    int64_t shape[TM_MAX_NDIM];
    tm_status status = check_float(call, "mean", mean);
    if (status == TM_OK)
        status = check_float(call, "std", std);
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(mean)[d];
    if (status == TM_OK)
        status = tm_check_broadcast(call, "std", &ndim, shape, std);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_promote(tm_dtype_of(mean), tm_dtype_of(std));
    return tm_random_output(call, (tm_int_list){shape, ndim}, dtype);
}

tm_status tm_normal_tensor_impl(tm_call *call, const tm_tensor *mean, const tm_tensor *std,
                                tm_generator *generator, tm_tensor *out)
{
    (void)generator;
    normal p = {.mean.varies = true, .std.varies = true};
    tm_random_read_from(&p.mean.reader, mean, out);
    tm_random_read_from(&p.std.reader, std, out);
    return tm_draw(call, out, draw_shifted, &p);
}

static tm_status like(tm_call *call, const char *name, const tm_tensor *x)
{
    tm_status status = check_float(call, name, x);
    if (status != TM_OK)
        return status;
    return tm_random_output(call, (tm_int_list){tm_shape(x), tm_ndim(x)}, tm_dtype_of(x));
}

tm_status tm_normal_mean_meta(tm_call *call, const tm_tensor *mean, double std,
                              tm_generator *generator)
{
    (void)generator;
    tm_status status = like(call, "mean", mean);
    return status == TM_OK ? check_std(call, std) : status;
}

tm_status tm_normal_mean_impl(tm_call *call, const tm_tensor *mean, double std,
                              tm_generator *generator, tm_tensor *out)
{
    (void)generator;
    normal p = {.mean.varies = true, .std.value = std};
    tm_random_read_from(&p.mean.reader, mean, out);
    return tm_draw(call, out, draw_shifted, &p);
}

tm_status tm_normal_std_meta(tm_call *call, double mean, const tm_tensor *std,
                             tm_generator *generator)
{
    (void)mean, (void)generator;
    return like(call, "std", std);
}

tm_status tm_normal_std_impl(tm_call *call, double mean, const tm_tensor *std,
                             tm_generator *generator, tm_tensor *out)
{
    (void)generator;
    normal p = {.mean.value = mean, .std.varies = true};
    tm_random_read_from(&p.std.reader, std, out);
    return tm_draw(call, out, draw_shifted, &p);
}

/* -- exponential ------------------------------------------------------------------------------ */

tm_status tm_exponential_meta(tm_call *call, double rate, tm_int_list shape, tm_dtype dtype,
                              tm_generator *generator)
{
    (void)generator;
    tm_status status = tm_random_output(call, shape, dtype);
    if (status == TM_OK && !(rate > 0 && isfinite(rate)))
        return tm_fail_arg(call, TM_ERR_VALUE, "rate", "rate must be positive and finite, got %g",
                           rate);
    return status;
}

static tm_status draw_exponential(tm_call *call, void *how, int64_t first, int n, bool wide,
                                  double *to)
{
    double rate = *(const double *)how;
    tm_random_open(call, first, n, wide, to);
    for (int i = 0; i < n; i++)
        to[i] = -log(to[i]) / rate;
    return TM_OK;
}

tm_status tm_exponential_impl(tm_call *call, double rate, tm_int_list shape, tm_dtype dtype,
                              tm_generator *generator, tm_tensor *out)
{
    (void)shape, (void)dtype, (void)generator;
    return tm_draw(call, out, draw_exponential, &rate);
}
