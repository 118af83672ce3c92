/* manipulation_views.c: axes moved, reversed, merged and split; views wherever strides allow it. */
#include "layout.h"
#include "ops_kernels.h"
#include "reshape.h"

/* -- Axes in another order --------------------------------------------------------------------- */

tm_status tm_moveaxis_meta(tm_call *call, const tm_tensor *x, tm_int_list source,
                           tm_int_list destination)
{
    int ndim = tm_ndim(x);
    uint32_t from, to;
    tm_status status = tm_check_axes(call, "source", ndim, &source, &from);
    if (status == TM_OK)
        status = tm_check_axes(call, "destination", ndim, &destination, &to);
    if (status != TM_OK)
        return status;
    if (source.count != destination.count)
        return tm_fail_arg(call, TM_ERR_DIM, "destination",
                           "destination must name as many axes as source, %s, got %s",
                           tm_sizes_text(call, source.count, source.data),
                           tm_sizes_text(call, destination.count, destination.data));
    int8_t axis[TM_MAX_NDIM] = {0}; /* of x, for each of the result */
    for (int64_t i = 0; i < source.count; i++) {
        int64_t place = destination.data[i], moved = source.data[i];
        axis[place < 0 ? place + ndim : place] = (int8_t)(moved < 0 ? moved + ndim : moved);
    }
    for (int d = 0, rest = 0; d < ndim; d++) {
        if (to >> d & 1)
            continue;
        while (from >> rest & 1)
            rest++;
        axis[d] = (int8_t)rest++;
    }
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++)
        tm_layout_push(&l, tm_shape(x)[axis[d]], tm_strides(x)[axis[d]]);
    return tm_layout_finish(call, x, &l, 0);
}

tm_status tm_matrix_transpose_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 2);
    return status == TM_OK ? tm_swapaxes_meta(call, x, -2, -1) : status;
}

tm_status tm_flip_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis)
{
    uint32_t named;
    tm_status status = tm_check_axes(call, "axis", tm_ndim(x), axis, &named);
    if (status != TM_OK)
        return status;
    int64_t offset = 0;
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < tm_ndim(x); d++) {
        int64_t size = tm_shape(x)[d], stride = tm_strides(x)[d];
        bool turned = named >> d & 1 && size > 1;
        tm_layout_push(&l, size, turned ? tm_wrap_times(stride, -1) : stride);
        if (turned)
            offset = tm_wrap_plus(offset, tm_wrap_times(size - 1, stride));
    }
    return tm_layout_finish(call, x, &l, offset);
}

/* -- More axes, fewer axes --------------------------------------------------------------------- */

tm_status tm_expand_dims_meta(tm_call *call, const tm_tensor *x, tm_int_list axis)
{
    if (axis.count > TM_MAX_NDIM - tm_ndim(x))
        return tm_fail_arg(call, TM_ERR_RANK, "axis",
                           "the result must have at most %d dimensions, got %lld new ones for x of "
                           "shape %s",
                           TM_MAX_NDIM, (long long)axis.count, tm_shape_text(call, x));
    int ndim = tm_ndim(x) + (int)axis.count;
    uint32_t named;
    tm_status status = tm_check_axes(call, "axis", ndim, &axis, &named);
    if (status != TM_OK)
        return status;
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0, from = 0; d < ndim; d++) {
        if (named >> d & 1) {
            tm_layout_push(&l, 1, 0);
            continue;
        }
        tm_layout_push(&l, tm_shape(x)[from], tm_strides(x)[from]);
        from++;
    }
    return tm_layout_finish(call, x, &l, 0);
}

tm_status tm_broadcast_to_meta(tm_call *call, const tm_tensor *x, tm_int_list shape)
{
    tm_status status = tm_check_sizes(call, "shape", shape);
    return status == TM_OK ? tm_expand_meta(call, x, shape) : status;
}

tm_status tm_flatten_meta(tm_call *call, const tm_tensor *x, int64_t start_axis, int64_t end_axis)
{
    int ndim = tm_ndim(x);
    tm_status status = tm_check_axis(call, "start_axis", ndim ? ndim : 1, &start_axis);
    if (status == TM_OK)
        status = tm_check_axis(call, "end_axis", ndim ? ndim : 1, &end_axis);
    if (status != TM_OK)
        return status;
    if (end_axis < start_axis)
        return tm_fail_arg(call, TM_ERR_DIM, "end_axis",
                           "end_axis must not lie before start_axis, got %lld and %lld for x of "
                           "shape %s",
                           (long long)start_axis, (long long)end_axis, tm_shape_text(call, x));
    int64_t shape[TM_MAX_NDIM] = {1};
    int to = 0;
    for (int d = 0; d < ndim; d++) {
        if (d > start_axis && d <= end_axis)
            shape[to - 1] *= tm_shape(x)[d]; /* no tensor has sizes whose product is beyond int64 */
        else
            shape[to++] = tm_shape(x)[d];
    }
    return tm_reshape_describe(call, x, ndim ? to : 1, shape);
}

tm_status tm_flatten_impl(tm_call *call, const tm_tensor *x, int64_t start_axis, int64_t end_axis,
                          tm_tensor *out)
{
    (void)start_axis;
    (void)end_axis;
    return tm_reshape_copy(call, NULL, x, out);
}

tm_status tm_flatten_batched(tm_call *call, const tm_batch *batch)
{
    return tm_reshape_copy(call, batch, tm_call_arg(call, 0)->tensor, tm_call_output(call, 0));
}

/* The sizes' product, with -1 as 1; negative where it is beyond int64. */
static int64_t product(tm_int_list sizes)
{
    int64_t count = 1;
    bool fits = true, zero = false;
    for (int64_t i = 0; i < sizes.count; i++) {
        zero = zero || sizes.data[i] == 0;
        if (sizes.data[i] > 0)
            fits = fits && !__builtin_mul_overflow(count, sizes.data[i], &count);
    }
    return zero ? 0 : fits ? count : -1;
}

tm_status tm_unflatten_meta(tm_call *call, const tm_tensor *x, int64_t axis, tm_int_list sizes)
{
    int ndim = tm_ndim(x);
    tm_status status = tm_check_axis(call, "axis", ndim, &axis);
    if (status != TM_OK)
        return status;
    if (sizes.count == 0 || sizes.count > TM_MAX_NDIM + 1 - ndim)
        return tm_fail_arg(call, TM_ERR_RANK, "sizes",
                           "sizes must have 1 to %d sizes for x of shape %s, got %lld",
                           TM_MAX_NDIM + 1 - ndim, tm_shape_text(call, x), (long long)sizes.count);
    int64_t all = tm_shape(x)[axis], count = product(sizes), open = -1;
    for (int64_t i = 0; i < sizes.count; i++) {
        if (sizes.data[i] < -1 || (sizes.data[i] == -1 && open >= 0))
            return tm_fail_arg(call, TM_ERR_SHAPE, "sizes",
                               "sizes must not have negative sizes but one -1, got %s",
                               tm_sizes_text(call, sizes.count, sizes.data));
        if (sizes.data[i] == -1)
            open = i;
    }
    if (open >= 0 && all == 0 && count == 0)
        return tm_fail_arg(call, TM_ERR_SHAPE, "sizes",
                           "the -1 in sizes %s could be any size: axis %lld of x has size 0",
                           tm_sizes_text(call, sizes.count, sizes.data), (long long)axis);
    if (open >= 0 ? count <= 0 || all % count != 0 : count != all)
        return tm_fail_arg(call, TM_ERR_SHAPE, "sizes",
                           "sizes must multiply to %lld, the size of axis %lld of x, got %s",
                           (long long)all, (long long)axis,
                           tm_sizes_text(call, sizes.count, sizes.data));
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++) {
        if (d != axis) {
            tm_layout_push(&l, tm_shape(x)[d], tm_strides(x)[d]);
            continue;
        }
        for (int64_t i = 0; i < sizes.count; i++)
            tm_layout_push(&l, i == open ? all / count : sizes.data[i], 0);
        int64_t stride = tm_strides(x)[d];
        for (int64_t i = sizes.count; i-- > 0; stride = tm_wrap_times(stride, l.shape[d + i]))
            l.strides[d + i] = stride;
    }
    return tm_layout_finish(call, x, &l, 0);
}
