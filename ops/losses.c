/* losses.c: losses of pairs of elements. */
#include "losses.h"

#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
#include "ops_kernels.h"

tm_status tm_check_loss_reduction(tm_call *call, const char *text, tm_loss_reduction *reduction)
{
    static const char *const names[TM_NUM_LOSS_REDUCTIONS] = {"mean", "sum", "none"};
    for (int i = 0; i < TM_NUM_LOSS_REDUCTIONS; i++)
        if (strcmp(text, names[i]) == 0) {
            *reduction = (tm_loss_reduction)i;
            return TM_OK;
        }
    return tm_fail_arg(call, TM_ERR_VALUE, "reduction",
                       "reduction must be mean, sum or none, got '%s'", text);
}

tm_status tm_check_loss_shape(tm_call *call, const char *name, const tm_tensor *other,
                              const tm_tensor *x)
{
    bool same = tm_ndim(other) == tm_ndim(x);
    for (int d = 0; same && d < tm_ndim(x); d++)
        same = tm_shape(other)[d] == tm_shape(x)[d];
    if (same)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, name, "%s must have the shape of x, %s, got shape %s",
                       name, tm_shape_text(call, x), tm_shape_text(call, other));
}

/* The loss of one pair; `with` is a loss's own number. */
typedef double (*pair_fn)(double x, double target, double with);

typedef struct pairs {
    tm_loss_reduction reduction;
    double with;
} pairs;

static tm_status pairs_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                            const tm_tensor *weight, const char *reduction, double with)
{
    pairs p = {.with = with};
    tm_status status = tm_check_loss_reduction(call, reduction, &p.reduction);
    if (status == TM_OK)
        status = tm_check_loss_shape(call, "target", target, x);
    if (status == TM_OK)
        status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = tm_check_kind(call, "target", target, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK && weight != TM_NONE)
        status = tm_check_loss_shape(call, "weight", weight, x);
    if (status == TM_OK && weight != TM_NONE)
        status = tm_check_kind(call, "weight", weight, TM_KIND_FLOAT, "a floating-point dtype");
    if (status != TM_OK)
        return status;
    *(pairs *)tm_params(call, sizeof(pairs)) = p;
    tm_dtype dtype = tm_promote(tm_dtype_of(x), tm_dtype_of(target));
    if (weight != TM_NONE)
        dtype = tm_promote(dtype, tm_dtype_of(weight));
    return tm_output(call, 0, dtype, p.reduction == TM_LOSS_NONE ? tm_ndim(x) : 0, tm_shape(x));
}

/* An element as float64. */
static double load(const tm_tensor *x, const char *data, tm_cast_fn cast, int64_t at)
{
    double v;
    cast(data + at * (int64_t)tm_dtype_size(tm_dtype_of(x)), 0, (char *)&v, 0, 1);
    return v;
}

static tm_status run_pairs(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                           const tm_tensor *weight, tm_tensor *out, pair_fn fn, bool probabilities)
{
    const pairs *p = tm_params(call, sizeof *p);
    const tm_tensor *each[3] = {x, target, weight == TM_NONE ? x : weight};
    const char *data[3];
    const int64_t *strides[3];
    tm_cast_fn casts[3], store = tm_cast(TM_FLOAT64, tm_dtype_of(out));
    for (int k = 0; k < 3; k++) {
        data[k] = tm_data(each[k]);
        strides[k] = tm_strides(each[k]);
        casts[k] = tm_cast(tm_dtype_of(each[k]), TM_FLOAT64);
    }
    int64_t index[TM_MAX_NDIM] = {0}, at[3] = {0}, n = tm_numel(x);
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(out));
    char *to = tm_mutable_data(out);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = load(x, data[0], casts[0], at[0]);
        if (probabilities && !(v >= 0 && v <= 1))
            return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must be in 0..1, got %g", v);
        double loss = fn(v, load(target, data[1], casts[1], at[1]), p->with);
        if (weight != TM_NONE)
            loss *= load(weight, data[2], casts[2], at[2]);
        sum += loss;
        if (p->reduction == TM_LOSS_NONE) {
            store((const char *)&loss, 0, to, 0, 1);
            to += item; /* every dimension is core: the result is row-major */
        }
        tm_loss_step(tm_ndim(x), tm_shape(x), index, 3, strides, at);
    }
    if (p->reduction == TM_LOSS_NONE)
        return TM_OK;
    if (p->reduction == TM_LOSS_MEAN)
        sum /= (double)n;
    store((const char *)&sum, 0, to, 0, 1);
    return TM_OK;
}

/* -- Distances --------------------------------------------------------------------------------- */

static double square(double x, double target, double with)
{
    (void)with;
    return (x - target) * (x - target);
}

static double distance(double x, double target, double with)
{
    (void)with;
    return fabs(x - target);
}

static double smooth_l1(double x, double target, double beta)
{
    double d = fabs(x - target);
    return d < beta ? d * d / (2 * beta) : d - beta / 2;
}

static double huber(double x, double target, double delta)
{
    double d = fabs(x - target);
    return d <= delta ? d * d / 2 : delta * (d - delta / 2);
}

tm_status tm_mse_loss_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                           const char *reduction)
{
    return pairs_meta(call, x, target, TM_NONE, reduction, 0);
}

tm_status tm_mse_loss_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                           const char *reduction, tm_tensor *out)
{
    (void)reduction;
    return run_pairs(call, x, target, TM_NONE, out, square, false);
}

tm_status tm_l1_loss_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                          const char *reduction)
{
    return pairs_meta(call, x, target, TM_NONE, reduction, 0);
}

tm_status tm_l1_loss_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                          const char *reduction, tm_tensor *out)
{
    (void)reduction;
    return run_pairs(call, x, target, TM_NONE, out, distance, false);
}

tm_status tm_smooth_l1_loss_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                                 const char *reduction, double beta)
{
    if (!(beta >= 0))
        return tm_fail_arg(call, TM_ERR_VALUE, "beta", "beta must not be negative, got %g", beta);
    return pairs_meta(call, x, target, TM_NONE, reduction, beta);
}

tm_status tm_smooth_l1_loss_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                                 const char *reduction, double beta, tm_tensor *out)
{
    (void)reduction;
    (void)beta;
    return run_pairs(call, x, target, TM_NONE, out, smooth_l1, false);
}

tm_status tm_huber_loss_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                             const char *reduction, double delta)
{
    if (!(delta > 0))
        return tm_fail_arg(call, TM_ERR_VALUE, "delta", "delta must be positive, got %g", delta);
    return pairs_meta(call, x, target, TM_NONE, reduction, delta);
}

tm_status tm_huber_loss_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                             const char *reduction, double delta, tm_tensor *out)
{
    (void)reduction;
    (void)delta;
    return run_pairs(call, x, target, TM_NONE, out, huber, false);
}

/* -- Two classes ------------------------------------------------------------------------------- */

static double bounded_log(double v)
{
    double l = log(v);
    return l < -100 ? -100 : l;
}

static double cross_entropy_of_two(double x, double target, double with)
{
    (void)with;
    return 0 - (target * bounded_log(x) + (1 - target) * bounded_log(1 - x)); /* 0, never -0 */
}

/* log(1 + e^-|x|) does not overflow. */
static double cross_entropy_of_logit(double x, double target, double with)
{
    (void)with;
    return (x > 0 || x != x ? x : 0) - x * target + log1p(exp(-fabs(x)));
}

tm_status tm_binary_cross_entropy_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                                       const tm_tensor *weight, const char *reduction)
{
    return pairs_meta(call, x, target, weight, reduction, 0);
}

tm_status tm_binary_cross_entropy_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                                       const tm_tensor *weight, const char *reduction,
                                       tm_tensor *out)
{
    (void)reduction;
    return run_pairs(call, x, target, weight, out, cross_entropy_of_two, true);
}

tm_status tm_binary_cross_entropy_with_logits_meta(tm_call *call, const tm_tensor *x,
                                                   const tm_tensor *target, const tm_tensor *weight,
                                                   const char *reduction)
{
    return pairs_meta(call, x, target, weight, reduction, 0);
}

tm_status tm_binary_cross_entropy_with_logits_impl(tm_call *call, const tm_tensor *x,
                                                   const tm_tensor *target, const tm_tensor *weight,
                                                   const char *reduction, tm_tensor *out)
{
    (void)reduction;
    return run_pairs(call, x, target, weight, out, cross_entropy_of_logit, false);
}
