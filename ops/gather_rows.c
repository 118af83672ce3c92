/* gather_rows.c: writing whole slices along an axis: index_copy, index_fill, index_add and
 * index_reduce.
 *
 * index is a list of n indices; source has x's shape with n along the axis. Where indices are
 * equal, copies leave the last, and reductions take them in order.
 */
#include "gather.h"

#include "ops_kernels.h"

/* The checks of all; sets the plan, whose kernel copies. */
static tm_status rows_meta(tm_call *call, const tm_tensor *x, int64_t axis, const tm_tensor *index,
                           const tm_tensor *source)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    tm_status status = tm_check_axis(call, "axis", ndim, &axis);
    if (status == TM_OK)
        status = tm_gather_check_list(call, index);
    if (status == TM_OK)
        status = tm_gather_check_index(call, "index", index);
    if (status == TM_OK && source)
        status = tm_gather_check_dtype(call, "source", source, x);
    if (status != TM_OK)
        return status;
    bool fits = !source || tm_ndim(source) == ndim;
    for (int d = 0; d < ndim; d++) {
        shape[d] = d == axis ? tm_numel(index) : tm_shape(x)[d];
        fits = fits && (!source || tm_shape(source)[d] == shape[d]);
    }
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "source",
                           "source must have shape %s, x's with one slice for each index, got "
                           "shape %s",
                           tm_sizes_text(call, ndim, shape), tm_shape_text(call, source));
    tm_gather_set(call, "index", axis, false)->kernel =
        tm_indexed_write(tm_dtype_size(tm_dtype_of(x)));
    return tm_output_like(call, 0, x);
}

static tm_status number_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                             const tm_tensor *index, tm_scalar value)
{
    tm_status status = rows_meta(call, x, axis, index, NULL);
    tm_gather_plan *plan = tm_params(call, sizeof *plan);
    return status == TM_OK ? tm_gather_check_number(call, "value", value, x, plan->value) : status;
}

static tm_status element_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                              const tm_tensor *index, const tm_tensor *value)
{
    tm_status status = rows_meta(call, x, axis, index, NULL);
    if (status == TM_OK)
        status = tm_gather_check_dtype(call, "value", value, x);
    return status == TM_OK ? tm_gather_check_element(call, "value", value) : status;
}

static tm_status reduce_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                             const tm_tensor *index, const tm_tensor *source, const char *reduce,
                             bool include_self)
{
    tm_status status = rows_meta(call, x, axis, index, source);
    return status == TM_OK ? tm_gather_reduction(call, x, reduce, include_self) : status;
}

static tm_status add_meta(tm_call *call, const tm_tensor *x, int64_t axis, const tm_tensor *index,
                          const tm_tensor *source, tm_scalar alpha)
{
    tm_status status = reduce_meta(call, x, axis, index, source, "sum", true);
    tm_gather_plan *plan = tm_params(call, sizeof *plan);
    if (status == TM_OK)
        status = tm_gather_check_number(call, "alpha", alpha, x, plan->value);
    bool one = alpha.kind == TM_KIND_INT && alpha.value.i == 1;
    if (status == TM_OK && !one)
        plan->kernel = tm_indexed_reduce(TM_INDEXED_ADD_SCALED, tm_dtype_of(x));
    return status;
}

TM_GATHER_FORMS(index_copy, index_copy_, rows_meta(call, x, axis, index, source), source,
                (void)axis, int64_t axis, const tm_tensor *index, const tm_tensor *source)
TM_GATHER_FORMS(index_fill, index_fill_, number_meta(call, x, axis, index, value), NULL,
                ((void)axis, (void)value), int64_t axis, const tm_tensor *index, tm_scalar value)
TM_GATHER_FORMS(index_fill_tensor, index_fill__tensor, element_meta(call, x, axis, index, value),
                value, (void)axis, int64_t axis, const tm_tensor *index, const tm_tensor *value)
TM_GATHER_FORMS(index_add, index_add_, add_meta(call, x, axis, index, source, alpha), source,
                ((void)axis, (void)alpha), int64_t axis, const tm_tensor *index,
                const tm_tensor *source, tm_scalar alpha)
TM_GATHER_FORMS(index_reduce, index_reduce_,
                reduce_meta(call, x, axis, index, source, reduce, include_self), source,
                ((void)axis, (void)reduce, (void)include_self), int64_t axis,
                const tm_tensor *index, const tm_tensor *source, const char *reduce,
                bool include_self)
