/* views.c: ops that describe memory anew and touch no element. */
#include "layout.h"
#include "ops_kernels.h"
#include "slices.h"

/* -- More of the same elements ---------------------------------------------------------------- */

tm_status tm_expand_meta(tm_call *call, const tm_tensor *x, tm_int_list shape)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    if (shape.count > TM_MAX_NDIM)
        return tm_check_sizes(call, "shape", shape);
    if (shape.count < ndim)
        return tm_fail_arg(
            call, TM_ERR_SHAPE, "shape",
            "shape must have at least the %d dimensions of x, which has shape %s, got %s", ndim,
            tm_shape_text(call, x), tm_sizes_text(call, shape.count, shape.data));
    int leading = (int)shape.count - ndim;
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < shape.count; d++) {
        int64_t wanted = shape.data[d], size = d < leading ? 1 : sizes[d - leading];
        if (wanted < (d < leading ? 0 : -1))
            return tm_fail_arg(
                call, TM_ERR_SHAPE, "shape",
                wanted == -1 ? "shape must not have -1 for a new axis, got %s for x of shape %s"
                             : "shape must not have negative sizes but -1, got %s for x of shape "
                               "%s",
                tm_sizes_text(call, shape.count, shape.data), tm_shape_text(call, x));
        if (wanted == -1)
            wanted = size;
        if (wanted != size && size != 1)
            return tm_fail_arg(
                call, TM_ERR_SHAPE, "shape",
                "x of shape %s cannot be expanded to %s: its axis %d has size %lld, not 1",
                tm_shape_text(call, x), tm_sizes_text(call, shape.count, shape.data), d - leading,
                (long long)size);
        tm_layout_push(&l, wanted, size == wanted && d >= leading ? strides[d - leading] : 0);
    }
    return tm_layout_finish(call, x, &l, 0);
}

/* -- Axes in another order --------------------------------------------------------------------- */

tm_status tm_permute_dims_meta(tm_call *call, const tm_tensor *x, tm_int_list axes)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    uint32_t named;
    tm_status status = tm_check_axes(call, "axes", ndim, &axes, &named);
    if (status != TM_OK)
        return status;
    if (axes.count != ndim)
        return tm_fail_arg(call, TM_ERR_DIM, "axes",
                           "axes must name all %d axes of x, which has shape %s, got %s", ndim,
                           tm_shape_text(call, x), tm_sizes_text(call, axes.count, axes.data));
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++) {
        int64_t axis = axes.data[d] < 0 ? axes.data[d] + ndim : axes.data[d];
        tm_layout_push(&l, sizes[axis], strides[axis]);
    }
    return tm_layout_finish(call, x, &l, 0);
}

tm_status tm_swapaxes_meta(tm_call *call, const tm_tensor *x, int64_t axis1, int64_t axis2)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    tm_status status = tm_check_axis(call, "axis1", ndim, &axis1);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis2", ndim, &axis2);
    if (status != TM_OK)
        return status;
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++)
        tm_layout_push(&l, sizes[d], strides[d]);
    l.shape[axis1] = sizes[axis2];
    l.strides[axis1] = strides[axis2];
    l.shape[axis2] = sizes[axis1];
    l.strides[axis2] = strides[axis1];
    return tm_layout_finish(call, x, &l, 0);
}

/* -- Axes of size 1 ---------------------------------------------------------------------------- */

tm_status tm_squeeze_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    uint32_t named;
    tm_status status = tm_check_axes(call, "axis", ndim, axis, &named);
    if (status != TM_OK)
        return status;
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++) {
        if (!(named >> d & 1) || (!axis && sizes[d] != 1))
            tm_layout_push(&l, sizes[d], strides[d]);
        else if (sizes[d] != 1)
            return tm_fail_arg(call, TM_ERR_SHAPE, "axis",
                               "axis %d of x has size %lld, only an axis of size 1 can be "
                               "squeezed: x has shape %s",
                               d, (long long)sizes[d], tm_shape_text(call, x));
    }
    return tm_layout_finish(call, x, &l, 0);
}

tm_status tm_unsqueeze_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    tm_status status = tm_check_axis(call, "axis", ndim + 1, &axis);
    if (status != TM_OK)
        return status;
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++) {
        if (d == axis)
            tm_layout_push(&l, 1, tm_wrap_times(sizes[d], strides[d]));
        tm_layout_push(&l, sizes[d], strides[d]);
    }
    if (axis == ndim)
        tm_layout_push(&l, 1, 1);
    return tm_layout_finish(call, x, &l, 0);
}

/* -- Some of the elements ---------------------------------------------------------------------- */

tm_status tm_slice_meta(tm_call *call, const tm_tensor *x, int64_t axis, int64_t start,
                        int64_t stop, int64_t step)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    tm_status status = tm_check_axis(call, "axis", ndim, &axis);
    if (status != TM_OK)
        return status;
    if (step == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "step", "step must not be 0");
    int64_t count = tm_slice_count(sizes[axis], &start, stop, step);
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++)
        tm_layout_push(&l, d == axis ? count : sizes[d],
                       d == axis && count > 1 ? tm_wrap_times(strides[d], step) : strides[d]);
    return tm_layout_finish(call, x, &l, tm_wrap_times(start, strides[axis]));
}

tm_status tm_select_meta(tm_call *call, const tm_tensor *x, int64_t axis, int64_t index)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    tm_status status = tm_check_axis(call, "axis", ndim, &axis);
    if (status != TM_OK)
        return status;
    int64_t size = sizes[axis];
    if (index < -size || index >= size) {
        if (size == 0)
            return tm_fail_arg(call, TM_ERR_INDEX, "index",
                               "index %lld is out of range: axis %lld of x has size 0",
                               (long long)index, (long long)axis);
        return tm_fail_arg(call, TM_ERR_INDEX, "index",
                           "index %lld is out of range for axis %lld of size %lld, must be in "
                           "%lld..%lld",
                           (long long)index, (long long)axis, (long long)size, (long long)-size,
                           (long long)size - 1);
    }
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++)
        if (d != axis)
            tm_layout_push(&l, sizes[d], strides[d]);
    return tm_layout_finish(call, x, &l,
                            tm_wrap_times(index < 0 ? index + size : index, strides[axis]));
}

tm_status tm_diagonal_meta(tm_call *call, const tm_tensor *x, int64_t offset, int64_t axis1,
                           int64_t axis2)
{
    int ndim = tm_ndim(x);
    const int64_t *sizes = tm_shape(x), *strides = tm_strides(x);
    int64_t given1 = axis1, given2 = axis2;
    tm_status status = tm_check_rank(call, "x", x, 2);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis1", ndim, &axis1);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis2", ndim, &axis2);
    if (status != TM_OK)
        return status;
    if (axis1 == axis2)
        return tm_fail_arg(call, TM_ERR_DIM, "axis2",
                           "axis1 and axis2 must be two axes, got %lld and %lld for x of shape %s",
                           (long long)given1, (long long)given2, tm_shape_text(call, x));
    tm_layout l;
    tm_layout_begin(&l);
    for (int d = 0; d < ndim; d++)
        if (d != axis1 && d != axis2)
            tm_layout_push(&l, sizes[d], strides[d]);
    /* Rows and columns that are left once the offset has cut some off. */
    int64_t rows = sizes[axis1], columns = sizes[axis2], first;
    if (offset < 0) {
        first = tm_wrap_times(tm_wrap_times(offset, -1), strides[axis1]);
        rows = offset < -rows ? 0 : rows + offset;
    } else {
        first = tm_wrap_times(offset, strides[axis2]);
        columns = offset > columns ? 0 : columns - offset;
    }
    tm_layout_push(&l, rows < columns ? rows : columns,
                   tm_wrap_plus(strides[axis1], strides[axis2]));
    return tm_layout_finish(call, x, &l, first);
}
