/* gather_scatter.c: writing elements to points along an axis: scatter, scatter_add, scatter_reduce
 * and put_along_axis.
 *
 * index, x and src have the same rank; src[p] goes to x at p, with index[p] along the axis, for
 * every position p of index. Where points coincide, copies leave the last one in row-major order
 * of index, and reductions take them in that order.
 */
#include "gather.h"

#include "ops_kernels.h"

/* -- scatter ----------------------------------------------------------------------------------- */

/* The checks of all; sets the plan, whose kernel copies. */
static tm_status points_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                             const tm_tensor *index, const tm_tensor *src)
{
    tm_status status = tm_gather_check_points(call, x, &axis, index);
    if (status == TM_OK && src)
        status = tm_gather_check_dtype(call, "src", src, x);
    if (status == TM_OK && src)
        status = tm_gather_check_rank(call, "src", src, x);
    if (status == TM_OK && src)
        status = tm_gather_check_within(call, index, "src", src, -1);
    if (status != TM_OK)
        return status;
    tm_gather_set(call, "index", axis, true)->kernel =
        tm_indexed_write(tm_dtype_size(tm_dtype_of(x)));
    return tm_output_like(call, 0, x);
}

static tm_status number_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                             const tm_tensor *index, tm_scalar value)
{
    tm_status status = points_meta(call, x, axis, index, NULL);
    tm_gather_plan *plan = tm_params(call, sizeof *plan);
    return status == TM_OK ? tm_gather_check_number(call, "value", value, x, plan->value) : status;
}

TM_GATHER_FORMS(scatter, scatter_, points_meta(call, x, axis, index, src), src, (void)axis,
                int64_t axis, const tm_tensor *index, const tm_tensor *src)
TM_GATHER_FORMS(scatter_scalar, scatter__scalar, number_meta(call, x, axis, index, value), NULL,
                ((void)axis, (void)value), int64_t axis, const tm_tensor *index, tm_scalar value)

/* -- Reductions -------------------------------------------------------------------------------- */

static tm_status reduce_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                             const tm_tensor *index, const tm_tensor *src, const char *reduce,
                             bool include_self)
{
    tm_status status = points_meta(call, x, axis, index, src);
    return status == TM_OK ? tm_gather_reduction(call, x, reduce, include_self) : status;
}

TM_GATHER_FORMS(scatter_add, scatter_add_, reduce_meta(call, x, axis, index, src, "sum", true), src,
                (void)axis, int64_t axis, const tm_tensor *index, const tm_tensor *src)
TM_GATHER_FORMS(scatter_reduce, scatter_reduce_,
                reduce_meta(call, x, axis, index, src, reduce, include_self), src,
                ((void)axis, (void)reduce, (void)include_self), int64_t axis,
                const tm_tensor *index, const tm_tensor *src, const char *reduce, bool include_self)

/* -- put_along_axis ---------------------------------------------------------------------------- */

static tm_status put_meta(tm_call *call, const tm_tensor *x, const tm_tensor *indices,
                          const tm_tensor *values, int64_t axis)
{
    int ndim = tm_ndim(x), extra = ndim - tm_ndim(values);
    int64_t shape[TM_MAX_NDIM];
    tm_status status = tm_check_axis(call, "axis", ndim, &axis);
    if (status == TM_OK)
        status = tm_gather_check_index(call, "indices", indices);
    if (status == TM_OK)
        status = tm_gather_check_rank(call, "indices", indices, x);
    if (status == TM_OK)
        status = tm_gather_check_dtype(call, "values", values, x);
    if (status != TM_OK)
        return status;
    bool fits = true;
    for (int d = 0; d < ndim; d++) {
        int64_t size = tm_shape(indices)[d];
        shape[d] = d == axis ? size : tm_shape(x)[d];
        fits = fits && (size == shape[d] || size == 1);
    }
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "indices",
                           "indices must broadcast to x of shape %s except along axis %lld, got "
                           "shape %s",
                           tm_shape_text(call, x), (long long)axis, tm_shape_text(call, indices));
    fits = extra >= 0;
    for (int d = 0; fits && d < tm_ndim(values); d++)
        fits = tm_shape(values)[d] == 1 || tm_shape(values)[d] == shape[d + extra];
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "values",
                           "values must broadcast to the shape %s of what is chosen, got shape %s",
                           tm_sizes_text(call, ndim, shape), tm_shape_text(call, values));
    tm_gather_plan *plan = tm_gather_set(call, "indices", axis, true);
    plan->kernel = tm_indexed_write(tm_dtype_size(tm_dtype_of(x)));
    plan->broadcast = true;
    return tm_output_like(call, 0, x);
}

TM_GATHER_FORMS(put_along_axis, put_along_axis_, put_meta(call, x, index, values, axis), values,
                (void)axis, const tm_tensor *index, const tm_tensor *values, int64_t axis)
