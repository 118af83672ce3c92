/* gather.c: elements of x chosen by indices into one axis: take, index_select, embedding by rows,
 * gather and take_along_axis at points.
 */
#include "gather.h"

#include "ops_kernels.h"

/* -- Rows -------------------------------------------------------------------------------------- */

/* The result has the index's shape (one index, where `least` is 1 and it is 0-D) in the axis'
 * place. */
static tm_status rows_meta(tm_call *call, const tm_tensor *x, const char *argument,
                           const tm_tensor *index, int64_t axis, int least)
{
    int64_t shape[2 * TM_MAX_NDIM] = {1};
    int ndim = 0;
    tm_status status = tm_gather_check_index(call, argument, index);
    if (status != TM_OK)
        return status;
    for (int d = 0; d < axis; d++)
        shape[ndim++] = tm_shape(x)[d];
    for (int d = 0; d < tm_ndim(index); d++)
        shape[ndim++] = tm_shape(index)[d];
    if (tm_ndim(index) < least)
        shape[ndim++] = 1;
    for (int d = (int)axis + 1; d < tm_ndim(x); d++)
        shape[ndim++] = tm_shape(x)[d];
    tm_gather_set(call, argument, axis, false)->kernel =
        tm_indexed_read(tm_dtype_size(tm_dtype_of(x)));
    return tm_output(call, 0, tm_dtype_of(x), ndim, shape);
}

tm_status tm_take_meta(tm_call *call, const tm_tensor *x, const tm_tensor *indices,
                       const int64_t *axis)
{
    int64_t at = axis ? *axis : 0;
    if (!axis && tm_ndim(x) != 1)
        return tm_fail_arg(call, TM_ERR_RANK, "x",
                           "x must have 1 dimension where axis is left out, got shape %s",
                           tm_shape_text(call, x));
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &at);
    if (status != TM_OK)
        return status;
    if (tm_ndim(indices) != 1)
        return tm_fail_arg(call, TM_ERR_RANK, "indices",
                           "indices must have 1 dimension, got shape %s",
                           tm_shape_text(call, indices));
    return rows_meta(call, x, "indices", indices, at, 1);
}

tm_status tm_take_impl(tm_call *call, const tm_tensor *x, const tm_tensor *indices,
                       const int64_t *axis, tm_tensor *out)
{
    (void)axis;
    return tm_gather_read(call, x, indices, out);
}

tm_status tm_index_select_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                               const tm_tensor *index)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status == TM_OK)
        status = tm_gather_check_list(call, index);
    return status == TM_OK ? rows_meta(call, x, "index", index, axis, 1) : status;
}

tm_status tm_index_select_impl(tm_call *call, const tm_tensor *x, int64_t axis,
                               const tm_tensor *index, tm_tensor *out)
{
    (void)axis;
    return tm_gather_read(call, x, index, out);
}

tm_status tm_embedding_meta(tm_call *call, const tm_tensor *weight, const tm_tensor *indices)
{
    if (tm_ndim(weight) != 2)
        return tm_fail_arg(call, TM_ERR_RANK, "weight",
                           "weight must have 2 dimensions, got shape %s",
                           tm_shape_text(call, weight));
    return rows_meta(call, weight, "indices", indices, 0, 0);
}

tm_status tm_embedding_impl(tm_call *call, const tm_tensor *weight, const tm_tensor *indices,
                            tm_tensor *out)
{
    return tm_gather_read(call, weight, indices, out);
}

/* -- Points ------------------------------------------------------------------------------------ */

static tm_status points_meta(tm_call *call, const tm_tensor *x, const char *argument, int64_t axis,
                             const int64_t *shape)
{
    tm_gather_set(call, argument, axis, true)->kernel =
        tm_indexed_read(tm_dtype_size(tm_dtype_of(x)));
    return tm_output(call, 0, tm_dtype_of(x), tm_ndim(x), shape);
}

tm_status tm_gather_meta(tm_call *call, const tm_tensor *x, int64_t axis, const tm_tensor *index)
{
    tm_status status = tm_gather_check_points(call, x, &axis, index);
    return status == TM_OK ? points_meta(call, x, "index", axis, tm_shape(index)) : status;
}

tm_status tm_gather_impl(tm_call *call, const tm_tensor *x, int64_t axis, const tm_tensor *index,
                         tm_tensor *out)
{
    (void)axis;
    return tm_gather_read(call, x, index, out);
}

tm_status tm_take_along_axis_meta(tm_call *call, const tm_tensor *x, const tm_tensor *indices,
                                  int64_t axis)
{
    int64_t shape[TM_MAX_NDIM];
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status == TM_OK)
        status = tm_gather_check_index(call, "indices", indices);
    if (status == TM_OK)
        status = tm_gather_check_rank(call, "indices", indices, x);
    if (status != TM_OK)
        return status;
    for (int d = 0; d < tm_ndim(x); d++) {
        int64_t mine = tm_shape(x)[d], other = tm_shape(indices)[d];
        shape[d] = d == axis || mine == 1 ? other : mine;
        if (d != axis && other != shape[d] && other != 1)
            return tm_fail_arg(call, TM_ERR_SHAPE, "indices",
                               "indices must broadcast with x of shape %s except along axis %lld, "
                               "got shape %s",
                               tm_shape_text(call, x), (long long)axis,
                               tm_shape_text(call, indices));
    }
    return points_meta(call, x, "indices", axis, shape);
}

tm_status tm_take_along_axis_impl(tm_call *call, const tm_tensor *x, const tm_tensor *indices,
                                  int64_t axis, tm_tensor *out)
{
    (void)axis;
    return tm_gather_read(call, x, indices, out);
}
