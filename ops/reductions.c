/* reductions.c: the metas of reductions, and what is made of several. */
#include <math.h>

#include "ops_kernels.h"

/* -- Metas ------------------------------------------------------------------------------------- */

static tm_status floats_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis,
                             bool keepdims, const tm_reduce_loop *loops, uint32_t *mask)
{
    tm_status status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a real floating-point dtype");
    if (status == TM_OK)
        status = tm_check_axes(call, "axis", tm_ndim(x), axis, mask);
    return status == TM_OK ? tm_reduction_meta(call, x, *mask, keepdims, loops) : status;
}

/* For reductions that have no answer over no elements; `answer` names it. */
static tm_status check_elements(tm_call *call, const tm_tensor *x, uint32_t mask,
                                const char *answer)
{
    for (int d = 0; d < tm_ndim(x); d++)
        if ((mask >> d & 1) && tm_shape(x)[d] == 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "x",
                               "x has no %s along an axis of size 0, its shape is %s", answer,
                               tm_shape_text(call, x));
    return TM_OK;
}

static tm_status extreme_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axes,
                              bool keepdims, const tm_reduce_loop *loops, const char *answer)
{
    uint32_t mask;
    tm_status status = tm_check_axes(call, "axis", tm_ndim(x), axes, &mask);
    if (status == TM_OK)
        status = check_elements(call, x, mask, answer);
    return status == TM_OK ? tm_reduction_meta(call, x, mask, keepdims, loops) : status;
}

tm_status tm_mean_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    uint32_t mask;
    if (tm_dtype_kind(tm_dtype_of(x)) < TM_KIND_FLOAT)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x",
                           "x must have a floating-point dtype, got %s; mean.dtype converts",
                           tm_dtype_name(tm_dtype_of(x)));
    tm_status status = tm_check_axes(call, "axis", tm_ndim(x), axis, &mask);
    return status == TM_OK ? tm_reduction_meta(call, x, mask, keepdims, tm_mean_loops) : status;
}

tm_status tm_amax_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    return extreme_meta(call, x, axis, keepdims, tm_amax_loops, "maximum");
}

tm_status tm_amin_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    return extreme_meta(call, x, axis, keepdims, tm_amin_loops, "minimum");
}

tm_status tm_argmax_meta(tm_call *call, const tm_tensor *x, const int64_t *axis, bool keepdims)
{
    tm_int_list axes = {axis, 1};
    return extreme_meta(call, x, axis ? &axes : NULL, keepdims, tm_argmax_loops, "maximum");
}

tm_status tm_argmin_meta(tm_call *call, const tm_tensor *x, const int64_t *axis, bool keepdims)
{
    tm_int_list axes = {axis, 1};
    return extreme_meta(call, x, axis ? &axes : NULL, keepdims, tm_argmin_loops, "minimum");
}

tm_status tm_vector_norm_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis,
                              bool keepdims, double ord)
{
    uint32_t mask;
    tm_status status = floats_meta(call, x, axis, keepdims, tm_vector_norm_loops, &mask);
    if (status != TM_OK)
        return status;
    if (isnan(ord))
        return tm_fail_arg(call, TM_ERR_VALUE, "ord", "ord must not be NaN");
    if (isinf(ord))
        status = check_elements(call, x, mask, ord > 0 ? "inf-norm" : "-inf-norm");
    double *with = tm_params(call, sizeof *with);
    *with = ord;
    return status;
}

/* -- In a dtype of the caller's ---------------------------------------------------------------- */

static tm_status meta_in(tm_call *call, const tm_tensor *x, tm_dtype dtype, const tm_int_list *axis,
                         bool keepdims, const tm_reduce_loop *loops)
{
    uint32_t mask;
    tm_status status = tm_check_axes(call, "axis", tm_ndim(x), axis, &mask);
    return status == TM_OK ? tm_reduction_meta_in(call, x, dtype, mask, keepdims, loops) : status;
}

tm_status tm_sum_dtype_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                            const tm_int_list *axis, bool keepdims)
{
    return meta_in(call, x, dtype, axis, keepdims, tm_sum_loops);
}

tm_status tm_mean_dtype_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                             const tm_int_list *axis, bool keepdims)
{
    return meta_in(call, x, dtype, axis, keepdims, tm_mean_loops);
}

tm_status tm_prod_dtype_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                             const tm_int_list *axis, bool keepdims)
{
    return meta_in(call, x, dtype, axis, keepdims, tm_prod_loops);
}

/* -- logsumexp --------------------------------------------------------------------------------- */

tm_status tm_logsumexp_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis,
                            bool keepdims)
{
    uint32_t mask;
    return floats_meta(call, x, axis, keepdims, tm_logsumexp_loops, &mask);
}

/* -- Two results ------------------------------------------------------------------------------- */

/* The checks of amax, and its result as output 0; output 1 has the same shape. */
static tm_status pair_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axes,
                           bool keepdims, const char *answer, tm_dtype second)
{
    tm_status status = extreme_meta(call, x, axes, keepdims, tm_amax_loops, answer);
    if (status != TM_OK)
        return status;
    const tm_spec *first = tm_output_spec(call, 0);
    return tm_output(call, 1, second, first->ndim, first->shape);
}

tm_status tm_max_with_indices_meta(tm_call *call, const tm_tensor *x, int64_t axis, bool keepdims)
{
    return pair_meta(call, x, &(tm_int_list){&axis, 1}, keepdims, "maximum", TM_INT64);
}

tm_status tm_max_with_indices_impl(tm_call *call, const tm_tensor *x, int64_t axis, bool keepdims,
                                   tm_tensor **out_values, tm_tensor **out_indices)
{
    (void)call;
    *out_values = tm_amax(x, &(tm_int_list){&axis, 1}, keepdims);
    *out_indices = tm_argmax(x, &axis, keepdims);
    return *out_values && *out_indices ? TM_OK : tm_error_code();
}

tm_status tm_min_with_indices_meta(tm_call *call, const tm_tensor *x, int64_t axis, bool keepdims)
{
    return pair_meta(call, x, &(tm_int_list){&axis, 1}, keepdims, "minimum", TM_INT64);
}

tm_status tm_min_with_indices_impl(tm_call *call, const tm_tensor *x, int64_t axis, bool keepdims,
                                   tm_tensor **out_values, tm_tensor **out_indices)
{
    (void)call;
    *out_values = tm_amin(x, &(tm_int_list){&axis, 1}, keepdims);
    *out_indices = tm_argmin(x, &axis, keepdims);
    return *out_values && *out_indices ? TM_OK : tm_error_code();
}

tm_status tm_aminmax_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    return pair_meta(call, x, axis, keepdims, "minimum", tm_dtype_of(x));
}

tm_status tm_aminmax_impl(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims,
                          tm_tensor **out_min, tm_tensor **out_max)
{
    (void)call;
    *out_min = tm_amin(x, axis, keepdims);
    *out_max = tm_amax(x, axis, keepdims);
    return *out_min && *out_max ? TM_OK : tm_error_code();
}
