/* losses_classes.c: nll_loss and cross_entropy: one loss for each place that has classes.
 *
 * x is (C,), (N, C) or (N, C, ...). A place is an index over x without C; the elements of a place
 * lie along C. cross_entropy takes their log_softmax on the way.
 */
#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
#include "losses.h"
#include "ops_kernels.h"

typedef struct classes {
    tm_loss_reduction reduction;
    bool logits, probabilities;
    int64_t ignored;
    double smoothing;
} classes;

/* -- Metas ------------------------------------------------------------------------------------- */

static tm_status check_target(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                              int class_axis)
{
    int ndim = tm_ndim(x);
    int64_t shape[TM_MAX_NDIM];
    bool same = tm_ndim(target) == ndim - 1;
    for (int d = 0, o = 0; d < ndim; d++)
        if (d != class_axis) {
            shape[o] = tm_shape(x)[d];
            same = same && tm_shape(target)[o] == shape[o];
            o++;
        }
    if (!same)
        return tm_fail_arg(call, TM_ERR_SHAPE, "target",
                           "target must have shape %s for x of shape %s, got shape %s",
                           tm_sizes_text(call, ndim - 1, shape), tm_shape_text(call, x),
                           tm_shape_text(call, target));
    return tm_check_kind(call, "target", target, TM_KIND_INT, "an integer dtype");
}

static tm_status classes_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                              const tm_tensor *weight, const char *reduction, classes c)
{
    int class_axis = tm_ndim(x) > 1;
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status == TM_OK)
        status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = tm_check_loss_reduction(call, reduction, &c.reduction);
    if (status == TM_OK)
        status = c.probabilities ? tm_check_loss_shape(call, "target", target, x)
                                 : check_target(call, x, target, class_axis);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t count = tm_shape(x)[class_axis];
    if (weight != TM_NONE) {
        if (tm_ndim(weight) != 1 || tm_shape(weight)[0] != count)
            return tm_fail_arg(call, TM_ERR_SHAPE, "weight",
                               "weight must have shape %s for x of shape %s, got shape %s",
                               tm_sizes_text(call, 1, &count), tm_shape_text(call, x),
                               tm_shape_text(call, weight));
        status = tm_check_kind(call, "weight", weight, TM_KIND_FLOAT, "a floating-point dtype");
        if (status != TM_OK)
            return status;
        dtype = tm_promote(dtype, tm_dtype_of(weight));
    }
    if (c.probabilities)
        dtype = tm_promote(dtype, tm_dtype_of(target));
    *(classes *)tm_params(call, sizeof(classes)) = c;
    int64_t shape[TM_MAX_NDIM];
    int ndim = 0;
    for (int d = 0; d < tm_ndim(x) && c.reduction == TM_LOSS_NONE; d++)
        if (d != class_axis)
            shape[ndim++] = tm_shape(x)[d];
    return tm_output(call, 0, dtype, ndim, shape);
}

tm_status tm_nll_loss_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                           const tm_tensor *weight, int64_t ignore_index, const char *reduction)
{
    return classes_meta(call, x, target, weight, reduction, (classes){.ignored = ignore_index});
}

tm_status tm_cross_entropy_meta(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                                const tm_tensor *weight, int64_t ignore_index,
                                const char *reduction, double label_smoothing)
{
    if (!(label_smoothing >= 0 && label_smoothing <= 1))
        return tm_fail_arg(call, TM_ERR_VALUE, "label_smoothing",
                           "label_smoothing must be in 0..1, got %g", label_smoothing);
    return classes_meta(
        call, x, target, weight, reduction,
        (classes){.logits = true,
                  .probabilities = tm_dtype_kind(tm_dtype_of(target)) == TM_KIND_FLOAT,
                  .ignored = ignore_index,
                  .smoothing = label_smoothing});
}

/* -- Kernel ------------------------------------------------------------------------------------ */

/* A row of elements along C. */
typedef struct row {
    const char *at;
    int64_t step; /**< in bytes */
    tm_cast_fn cast;
} row;

static row row_of(const tm_tensor *x, int axis)
{
    return (row){tm_data(x), tm_strides(x)[axis] * (int64_t)tm_dtype_size(tm_dtype_of(x)),
                 tm_cast(tm_dtype_of(x), TM_FLOAT64)};
}

static double element(const row *r, int64_t offset, int64_t c)
{
    double v;
    r->cast(r->at + offset + (c ? c * r->step : 0), 0, (char *)&v, 0, 1);
    return v;
}

/* What is taken from the elements of a place to make logarithms of probabilities of them. */
static double log_of_sum(const row *x, int64_t offset, int64_t count)
{
    double maximum = -INFINITY, sum = 0;
    for (int64_t c = 0; c < count; c++) {
        double v = element(x, offset, c);
        maximum = v > maximum ? v : maximum;
    }
    for (int64_t c = 0; c < count; c++)
        sum += exp(element(x, offset, c) - maximum);
    return maximum + log(sum);
}

/* One place: its loss, and the weight that it has in the mean. */
typedef struct place_loss {
    double loss, weight;
} place_loss;

static place_loss of_class(const classes *p, const row *x, int64_t offset, const row *weight,
                           int64_t count, int64_t target)
{
    double shift = p->logits ? log_of_sum(x, offset, count) : 0;
    place_loss result = {.weight = weight ? element(weight, 0, target) : 1};
    result.loss = -(1 - p->smoothing) * result.weight * (element(x, offset, target) - shift);
    for (int64_t c = 0; c < count && p->smoothing > 0; c++)
        result.loss -= p->smoothing / (double)count * (weight ? element(weight, 0, c) : 1) *
                       (element(x, offset, c) - shift);
    return result;
}

static place_loss of_probabilities(const classes *p, const row *x, int64_t offset,
                                   const row *target, int64_t target_offset, const row *weight,
                                   int64_t count)
{
    double shift = log_of_sum(x, offset, count);
    place_loss result = {.weight = 1};
    for (int64_t c = 0; c < count; c++) {
        double t =
            element(target, target_offset, c) * (1 - p->smoothing) + p->smoothing / (double)count;
        result.loss -= t * (weight ? element(weight, 0, c) : 1) * (element(x, offset, c) - shift);
    }
    return result;
}

static tm_status bad_class(tm_call *call, int64_t target, int64_t count)
{
    return tm_fail_arg(call, TM_ERR_INDEX, "target",
                       "target has class %lld, but x has %lld class%s", (long long)target,
                       (long long)count, count == 1 ? "" : "es");
}

static tm_status run(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                     const tm_tensor *weight, tm_tensor *out)
{
    const classes *p = tm_params(call, sizeof *p);
    int class_axis = tm_ndim(x) > 1, ndim = 0;
    int64_t count = tm_shape(x)[class_axis], places = 1;
    int64_t shape[TM_MAX_NDIM], x_strides[TM_MAX_NDIM], target_strides[TM_MAX_NDIM];
    for (int d = 0; d < tm_ndim(x); d++) {
        if (d == class_axis)
            continue;
        shape[ndim] = tm_shape(x)[d];
        places *= shape[ndim];
        x_strides[ndim] = tm_strides(x)[d] * (int64_t)tm_dtype_size(tm_dtype_of(x));
        target_strides[ndim] = tm_strides(target)[p->probabilities ? d : ndim] *
                               (int64_t)tm_dtype_size(tm_dtype_of(target));
        ndim++;
    }
    row elements = row_of(x, class_axis), chances = {0}, weights = {0};
    if (p->probabilities)
        chances = row_of(target, class_axis);
    if (weight != TM_NONE)
        weights = row_of(weight, 0);
    const row *by = weight == TM_NONE ? NULL : &weights;
    tm_cast_fn load = tm_cast(tm_dtype_of(target), TM_INT64);
    tm_cast_fn store = tm_cast(TM_FLOAT64, tm_dtype_of(out));
    const int64_t *strides[2] = {x_strides, target_strides};
    int64_t index[TM_MAX_NDIM] = {0}, at[2] = {0};
    const char *labels = tm_data(target);
    char *to = tm_mutable_data(out);
    double sum = 0, total = 0;
    for (int64_t i = 0; i < places; i++) {
        place_loss one = {0, 0};
        int64_t t = 0;
        if (p->probabilities) {
            one = of_probabilities(p, &elements, at[0], &chances, at[1], by, count);
        } else {
            load(labels + at[1], 0, (char *)&t, 0, 1);
            if (t != p->ignored && (t < 0 || t >= count))
                return bad_class(call, t, count);
            if (t != p->ignored)
                one = of_class(p, &elements, at[0], by, count, t);
        }
        sum += one.loss;
        total += one.weight;
        if (p->reduction == TM_LOSS_NONE) {
            store((const char *)&one.loss, 0, to, 0, 1);
            to += tm_dtype_size(tm_dtype_of(out));
        }
        tm_loss_step(ndim, shape, index, 2, strides, at);
    }
    if (p->reduction == TM_LOSS_NONE)
        return TM_OK;
    if (p->reduction == TM_LOSS_MEAN)
        sum /= total;
    store((const char *)&sum, 0, to, 0, 1);
    return TM_OK;
}

tm_status tm_nll_loss_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                           const tm_tensor *weight, int64_t ignore_index, const char *reduction,
                           tm_tensor *out)
{
    (void)ignore_index;
    (void)reduction;
    return run(call, x, target, weight, out);
}

tm_status tm_cross_entropy_impl(tm_call *call, const tm_tensor *x, const tm_tensor *target,
                                const tm_tensor *weight, int64_t ignore_index,
                                const char *reduction, double label_smoothing, tm_tensor *out)
{
    (void)label_smoothing;
    return tm_nll_loss_impl(call, x, target, weight, ignore_index, reduction, out);
}
