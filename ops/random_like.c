/* random_like.c: draws in the shape of a tensor, as composites of the ops that draw. */
#include "random_draws.h"

static tm_int_list shape_of(const tm_tensor *x)
{
    return (tm_int_list){tm_shape(x), tm_ndim(x)};
}

static tm_dtype or_own(tm_dtype dtype, const tm_tensor *x)
{
    return dtype == TM_DTYPE_NONE ? tm_dtype_of(x) : dtype;
}

static tm_status made(const tm_tensor *x)
{
    return x ? TM_OK : tm_error_code();
}

tm_status tm_rand_like_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                            tm_generator *generator)
{
    return tm_rand_meta(call, shape_of(x), or_own(dtype, x), generator);
}

tm_status tm_rand_like_impl(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                            tm_generator *generator, tm_tensor **out)
{
    (void)call;
    return made(*out = tm_rand(shape_of(x), or_own(dtype, x), generator));
}

tm_status tm_randn_like_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                             tm_generator *generator)
{
    return tm_randn_meta(call, shape_of(x), or_own(dtype, x), generator);
}

tm_status tm_randn_like_impl(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                             tm_generator *generator, tm_tensor **out)
{
    (void)call;
    return made(*out = tm_randn(shape_of(x), or_own(dtype, x), generator));
}

tm_status tm_randint_like_meta(tm_call *call, const tm_tensor *x, int64_t low, int64_t high,
                               tm_dtype dtype, tm_generator *generator)
{
    return tm_randint_meta(call, low, high, shape_of(x), or_own(dtype, x), generator);
}

tm_status tm_randint_like_impl(tm_call *call, const tm_tensor *x, int64_t low, int64_t high,
                               tm_dtype dtype, tm_generator *generator, tm_tensor **out)
{
    (void)call;
    return made(*out = tm_randint(low, high, shape_of(x), or_own(dtype, x), generator));
}

/* -- dropout ---------------------------------------------------------------------------------- */

tm_status tm_dropout_meta(tm_call *call, const tm_tensor *x, double p, bool training,
                          tm_generator *generator)
{
    (void)training, (void)generator;
    tm_status status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK && !(p >= 0 && p <= 1))
        return tm_fail_arg(call, TM_ERR_VALUE, "p", "p must be in [0, 1], got %g", p);
    if (status == TM_OK)
        status = tm_random_output(call, shape_of(x), tm_dtype_of(x));
    return status;
}

/* Zeros are chosen, not multiplied by, so that NaN and infinity are dropped too. */
tm_status tm_dropout_impl(tm_call *call, const tm_tensor *x, double p, bool training,
                          tm_generator *generator, tm_tensor **out)
{
    (void)call;
    if (!training)
        return made(*out = tm_astype(x, tm_dtype_of(x)));
    double scale = p < 1 ? 1 / (1 - p) : 0;
    tm_tensor *keep = tm_bernoulli_shape(1 - p, shape_of(x), TM_BOOL, generator);
    tm_tensor *scaled = keep ? tm_mul_scalar(x, tm_scalar_float(scale)) : NULL;
    return made(*out = scaled ? tm_where_scalar(keep, scaled, tm_scalar_float(0)) : NULL);
}
