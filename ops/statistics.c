/* statistics.c: var, std, and quantiles.
 *
 * A quantile's elements are gathered as float64, which holds every float exactly, and sorted; NaN
 * comes last, so one look says whether there is any.
 */
#include "ops/statistics.h"

#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "sorting.h"
#include "steps.h"

/* -- var and std (the kernel is in reductions_spread.c) ---------------------------------------- */

static tm_status spread_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis,
                             bool keepdims, double correction, bool root)
{
    uint32_t mask;
    tm_status status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a real floating-point dtype");
    if (status == TM_OK)
        status = tm_check_axes(call, "axis", tm_ndim(x), axis, &mask);
    if (status == TM_OK)
        status = tm_reduction_meta(call, x, mask, keepdims, tm_spread_loops);
    if (status != TM_OK)
        return status;
    if (!isfinite(correction))
        return tm_fail_arg(call, TM_ERR_VALUE, "correction", "correction must be finite, got %s",
                           isnan(correction) ? "nan"
                           : correction > 0  ? "inf"
                                             : "-inf");
    tm_spread *p = tm_params(call, sizeof *p);
    *p = (tm_spread){.correction = correction, .root = root};
    return TM_OK;
}

tm_status tm_var_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims,
                      double correction)
{
    return spread_meta(call, x, axis, keepdims, correction, false);
}

tm_status tm_std_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims,
                      double correction)
{
    return spread_meta(call, x, axis, keepdims, correction, true);
}

/* -- Quantiles: metas -------------------------------------------------------------------------- */

typedef struct quantile {
    tm_quantile_method method;
    int64_t count; /**< elements under one output */
} quantile;

static tm_status check_fraction(tm_call *call, double q)
{
    if (q >= 0 && q <= 1)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "q", "q must be in 0..1, got %g", q);
}

static tm_status check_method(tm_call *call, const char *text, tm_quantile_method *method)
{
    static const char *const names[TM_NUM_QUANTILE_METHODS] = {"linear", "lower", "higher",
                                                               "midpoint", "nearest"};
    for (int i = 0; i < TM_NUM_QUANTILE_METHODS; i++)
        if (strcmp(text, names[i]) == 0) {
            *method = (tm_quantile_method)i;
            return TM_OK;
        }
    return tm_fail_arg(call, TM_ERR_VALUE, "method",
                       "method must be linear, lower, higher, midpoint or nearest, got '%s'", text);
}

/* The reduced axes are x's core; q's axes and, with keepdims, the axes of size 1 are the output's.
 * `q` NULL: a number. */
static tm_status describe(tm_call *call, const tm_tensor *x, const tm_tensor *q,
                          const tm_int_list *axis, bool keepdims, tm_quantile_method method)
{
    int ndim = tm_ndim(x), heads = q ? tm_ndim(q) : 0, reduced = 0, out_ndim = 0, cores = 0;
    uint32_t mask;
    if (tm_dtype_kind(tm_dtype_of(x)) != TM_KIND_FLOAT &&
        tm_dtype_kind(tm_dtype_of(x)) != TM_KIND_INT)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must have a real numeric dtype, got %s",
                           tm_dtype_name(tm_dtype_of(x)));
    tm_status status = tm_check_axes(call, "axis", ndim, axis, &mask);
    if (status != TM_OK)
        return status;
    if (heads + ndim > TM_MAX_NDIM)
        return tm_fail_arg(call, TM_ERR_RANK, "q", "the result must have at most %d dimensions",
                           TM_MAX_NDIM);
    int64_t shape[TM_MAX_NDIM], x_core[TM_MAX_NDIM], out_core[TM_MAX_NDIM], count = 1;
    for (int d = 0; d < heads; d++) {
        out_core[cores++] = out_ndim;
        shape[out_ndim++] = tm_shape(q)[d];
    }
    for (int d = 0; d < ndim; d++) {
        if (!(mask >> d & 1)) {
            shape[out_ndim++] = tm_shape(x)[d];
            continue;
        }
        x_core[reduced++] = d;
        count *= tm_shape(x)[d];
        if (keepdims) {
            out_core[cores++] = out_ndim;
            shape[out_ndim++] = 1;
        }
    }
    if (count == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x",
                           "x has no quantile along an axis of size 0, its shape is %s",
                           tm_shape_text(call, x));
    quantile *p = tm_params(call, sizeof *p);
    *p = (quantile){.method = method, .count = count};
    status = tm_core_axes(call, 0, reduced, x_core);
    if (status == TM_OK)
        status = tm_core_axes(call, q ? 2 : 1, cores, out_core);
    if (status != TM_OK)
        return status;
    size_t sorting = tm_sort_workspace(TM_FLOAT64, count);
    tm_need_workspace(call, sorting + (size_t)count * sizeof(double));
    bool is_float = tm_dtype_kind(tm_dtype_of(x)) == TM_KIND_FLOAT;
    return tm_output(call, 0, is_float ? tm_dtype_of(x) : TM_FLOAT32, out_ndim, shape);
}

tm_status tm_median_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    return describe(call, x, NULL, axis, keepdims, TM_QUANTILE_MIDPOINT);
}

tm_status tm_quantile_meta(tm_call *call, const tm_tensor *x, double q, const tm_int_list *axis,
                           bool keepdims, const char *method)
{
    tm_quantile_method how = TM_QUANTILE_LINEAR;
    tm_status status = check_fraction(call, q);
    if (status == TM_OK)
        status = check_method(call, method, &how);
    return status == TM_OK ? describe(call, x, NULL, axis, keepdims, how) : status;
}

tm_status tm_quantile_tensor_meta(tm_call *call, const tm_tensor *x, const tm_tensor *q,
                                  const tm_int_list *axis, bool keepdims, const char *method)
{
    tm_quantile_method how = TM_QUANTILE_LINEAR;
    tm_status status = tm_check_kind(call, "q", q, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = check_method(call, method, &how);
    return status == TM_OK ? describe(call, x, q, axis, keepdims, how) : status;
}

/* -- Quantiles: kernels ------------------------------------------------------------------------ */

/* One example's elements and their order, in the workspace. */
typedef struct sorted {
    const double *value;
    tm_sort_order order;
    int64_t n;
} sorted;

static sorted sort(tm_call *call, const tm_tensor *x)
{
    const quantile *p = tm_params(call, sizeof *p);
    double *values = tm_workspace(call);
    tm_copy_row_major(x, tm_data(x), TM_FLOAT64, values, true);
    tm_sort_run run = {.data = (const char *)values,
                       .dtype = TM_FLOAT64,
                       .n = p->count,
                       .step = p->count > 1 ? (int64_t)sizeof(double) : 0};
    return (sorted){values, tm_sort_find(&run, values + p->count), p->count};
}

static double at(const sorted *s, int64_t i)
{
    return s->value[tm_sort_index(&s->order, i)];
}

static double between(double low, double high, double fraction, int64_t place,
                      tm_quantile_method method)
{
    switch (method) {
    case TM_QUANTILE_LOWER:
        return low;
    case TM_QUANTILE_HIGHER:
        return high;
    case TM_QUANTILE_MIDPOINT:
        return (low + high) / 2;
    case TM_QUANTILE_NEAREST:
        return fraction < 0.5 || (fraction == 0.5 && place % 2 == 0) ? low : high;
    default: /* exact at both ends */
        return fraction < 0.5 ? low + (high - low) * fraction
                              : high - (high - low) * (1 - fraction);
    }
}

static double quantile_of(const sorted *s, double q, tm_quantile_method method)
{
    double last = at(s, s->n - 1), position = q * (double)(s->n - 1);
    if (isnan(last))
        return last;
    int64_t place = (int64_t)position;
    double fraction = position - (double)place, low = at(s, place);
    if (fraction == 0 || place + 1 >= s->n)
        return low;
    double high = at(s, place + 1);
    return low == high ? low : between(low, high, fraction, place, method);
}

static void store(tm_tensor *out, double value)
{
    tm_cast(TM_FLOAT64, tm_dtype_of(out))((const char *)&value, 0, tm_mutable_data(out), 0, 1);
}

tm_status tm_quantile_impl(tm_call *call, const tm_tensor *x, double q, const tm_int_list *axis,
                           bool keepdims, const char *method, tm_tensor *out)
{
    const quantile *p = tm_params(call, sizeof *p);
    (void)axis;
    (void)keepdims;
    (void)method;
    sorted s = sort(call, x);
    store(out, quantile_of(&s, q, p->method));
    return TM_OK;
}

tm_status tm_median_impl(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims,
                         tm_tensor *out)
{
    return tm_quantile_impl(call, x, 0.5, axis, keepdims, NULL, out);
}

tm_status tm_quantile_tensor_impl(tm_call *call, const tm_tensor *x, const tm_tensor *q,
                                  const tm_int_list *axis, bool keepdims, const char *method,
                                  tm_tensor *out)
{
    const quantile *p = tm_params(call, sizeof *p);
    (void)axis;
    (void)keepdims;
    (void)method;
    sorted s = sort(call, x);
    int ndim = tm_ndim(q);
    int64_t index[TM_MAX_NDIM] = {0}, from = 0, to = 0;
    int64_t q_item = (int64_t)tm_dtype_size(tm_dtype_of(q));
    int64_t out_item = (int64_t)tm_dtype_size(tm_dtype_of(out));
    tm_cast_fn load = tm_cast(tm_dtype_of(q), TM_FLOAT64);
    tm_cast_fn put = tm_cast(TM_FLOAT64, tm_dtype_of(out));
    const char *fractions = tm_data(q);
    char *results = tm_mutable_data(out);
    for (int64_t i = 0; i < tm_numel(q); i++) {
        double fraction, value;
        load(fractions + from * q_item, 0, (char *)&fraction, 0, 1);
        tm_status status = check_fraction(call, fraction);
        if (status != TM_OK)
            return status;
        value = quantile_of(&s, fraction, p->method);
        put((const char *)&value, 0, results + to * out_item, 0, 1);
        for (int d = ndim; d-- > 0;) { /* out's core begins with q's axes */
            from += tm_strides(q)[d];
            to += tm_strides(out)[d];
            if (++index[d] < tm_shape(q)[d])
                break;
            from -= index[d] * tm_strides(q)[d];
            to -= index[d] * tm_strides(out)[d];
            index[d] = 0;
        }
    }
    return TM_OK;
}
