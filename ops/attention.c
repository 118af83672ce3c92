/* attention.c: scaled dot product attention, from products and a softmax. */
#include <math.h>

#include "numeric.h"
#include "ops_kernels.h"

static tm_status check_operand(tm_call *call, const char *name, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, name, x, 2);
    return status == TM_OK ? tm_check_kind(call, name, x, TM_KIND_FLOAT, "a floating-point dtype")
                           : status;
}

/* Leading dimensions broadcast: adds those of x to `shape`. */
static tm_status add_leading(tm_call *call, const char *name, int *ndim, int64_t *shape,
                             const tm_tensor *x)
{
    int lead = tm_ndim(x) - 2, most = lead > *ndim ? lead : *ndim;
    int64_t result[TM_MAX_NDIM];
    for (int d = 1; d <= most; d++) {
        int64_t own = d <= lead ? tm_shape(x)[lead - d] : 1;
        int64_t so_far = d <= *ndim ? shape[*ndim - d] : 1;
        if (own != so_far && own != 1 && so_far != 1)
            return tm_fail_arg(call, TM_ERR_SHAPE, name,
                               "the leading dimensions of %s must broadcast with %s, got shape %s",
                               name, tm_sizes_text(call, *ndim, shape), tm_shape_text(call, x));
        result[most - d] = so_far == 1 ? own : so_far;
    }
    *ndim = most;
    for (int d = 0; d < most; d++)
        shape[d] = result[d];
    return TM_OK;
}

static tm_status check_mask(tm_call *call, const tm_tensor *mask, int ndim, const int64_t *scores)
{
    tm_kind kind = tm_dtype_kind(tm_dtype_of(mask));
    if (kind != TM_KIND_BOOL && kind != TM_KIND_FLOAT)
        return tm_fail_arg(call, TM_ERR_DTYPE, "attn_mask",
                           "attn_mask must be bool or have a floating-point dtype, got %s",
                           tm_dtype_name(tm_dtype_of(mask)));
    const int own = tm_ndim(mask);
    bool fits = own <= ndim;
    for (int d = 1; fits && d <= own; d++) {
        int64_t size = tm_shape(mask)[own - d];
        fits = size == 1 || size == scores[ndim - d];
    }
    if (fits)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "attn_mask",
                       "attn_mask must broadcast to the scores' shape %s, got shape %s",
                       tm_sizes_text(call, ndim, scores), tm_shape_text(call, mask));
}

tm_status tm_scaled_dot_product_attention_meta(tm_call *call, const tm_tensor *query,
                                               const tm_tensor *key, const tm_tensor *value,
                                               const tm_tensor *attn_mask, bool is_causal,
                                               const double *scale)
{
    tm_status status = check_operand(call, "query", query);
    if (status == TM_OK)
        status = check_operand(call, "key", key);
    if (status == TM_OK)
        status = check_operand(call, "value", value);
    if (status != TM_OK)
        return status;
    if (tm_size(key, -1) != tm_size(query, -1))
        return tm_fail_arg(call, TM_ERR_SHAPE, "key",
                           "key must have size %lld in its last dimension, as query of shape %s "
                           "has, got shape %s",
                           (long long)tm_size(query, -1), tm_shape_text(call, query),
                           tm_shape_text(call, key));
    if (tm_size(value, -2) != tm_size(key, -2))
        return tm_fail_arg(call, TM_ERR_SHAPE, "value",
                           "value must have as many rows as key of shape %s, got shape %s",
                           tm_shape_text(call, key), tm_shape_text(call, value));
    int ndim = 0;
    int64_t shape[TM_MAX_NDIM];
    status = add_leading(call, "query", &ndim, shape, query);
    if (status == TM_OK)
        status = add_leading(call, "key", &ndim, shape, key);
    int scores_ndim = ndim;
    if (status == TM_OK)
        status = add_leading(call, "value", &ndim, shape, value);
    if (status != TM_OK)
        return status;
    tm_dtype dtype =
        tm_promote(tm_promote(tm_dtype_of(query), tm_dtype_of(key)), tm_dtype_of(value));
    shape[ndim] = tm_size(query, -2);
    if (attn_mask != TM_NONE) {
        int64_t scores[TM_MAX_NDIM];
        for (int d = 0; d < scores_ndim; d++)
            scores[d] = shape[ndim - scores_ndim + d];
        scores[scores_ndim] = shape[ndim];
        scores[scores_ndim + 1] = tm_size(key, -2);
        status = check_mask(call, attn_mask, scores_ndim + 2, scores);
        if (status != TM_OK)
            return status;
        if (is_causal)
            return tm_fail_arg(call, TM_ERR_VALUE, "is_causal",
                               "is_causal must be False where there is an attn_mask");
        if (tm_dtype_kind(tm_dtype_of(attn_mask)) == TM_KIND_FLOAT)
            dtype = tm_promote(dtype, tm_dtype_of(attn_mask));
    }
    if (scale && !isfinite(*scale))
        return tm_fail_arg(call, TM_ERR_VALUE, "scale", "scale must be finite, got %g", *scale);
    shape[ndim + 1] = tm_size(value, -1);
    return tm_output(call, 0, dtype, ndim + 2, shape);
}

tm_status tm_scaled_dot_product_attention_impl(tm_call *call, const tm_tensor *query,
                                               const tm_tensor *key, const tm_tensor *value,
                                               const tm_tensor *attn_mask, bool is_causal,
                                               const double *scale, tm_tensor **out)
{
    double factor = scale ? *scale : 1 / sqrt((double)tm_size(query, -1));
    const tm_scalar hidden = tm_scalar_float(-INFINITY);
    tm_tensor *scaled = tm_mul_scalar(tm_widened(query), tm_scalar_float(factor));
    tm_tensor *scores = tm_matmul(scaled, tm_swapaxes(tm_widened(key), -1, -2));
    if (is_causal) {
        const tm_int_list shape = TM_INTS(tm_size(query, -2), tm_size(key, -2));
        scores = tm_where_scalar(tm_tril(tm_ones(shape, TM_BOOL), 0), scores, hidden);
    } else if (attn_mask != TM_NONE && tm_dtype_of(attn_mask) == TM_BOOL) {
        scores = tm_where_scalar(attn_mask, scores, hidden);
    } else if (attn_mask != TM_NONE) {
        scores = tm_add(scores, tm_widened(attn_mask));
    }
    tm_tensor *y = tm_matmul(tm_softmax(scores, -1), tm_widened(value));
    *out = tm_astype(y, tm_output_spec(call, 0)->dtype);
    return *out ? TM_OK : tm_error_code();
}
