/* views_reshape.c: reshape, a view where the strides allow it, else a copy.
 *
 * The elements keep their row-major order. Old and new axes are walked side by side and cut into
 * groups of equal size: (2, 3, 4) to (6, 2, 2) has the groups (2, 3) = (6) and (4) = (2, 2). Where
 * each old group can be walked with one stride, its new axes have strides of their own and no
 * element moves. Only logical strides are looked at, so a batch decides as one example does.
 */
#include <assert.h>

#include "blocks.h"
#include "ops_kernels.h"
#include "reshape.h"

/* The strides of new axes over the same memory, or false. There is at least one element. */
static bool view_strides(const tm_tensor *x, int64_t ndim, const int64_t *shape, int64_t *strides)
{
    int64_t old_size[TM_MAX_NDIM], old_stride[TM_MAX_NDIM];
    int old_ndim = 0;
    for (int d = 0; d < tm_ndim(x); d++) {
        if (tm_shape(x)[d] == 1)
            continue;
        old_size[old_ndim] = tm_shape(x)[d];
        old_stride[old_ndim++] = tm_strides(x)[d];
    }
    int64_t at = 0, step = 1;
    for (int from = 0; from < old_ndim;) {
        int to = from;
        int64_t end = at, old_count = old_size[to++], new_count = shape[end++];
        while (old_count != new_count) {
            /* Both sides have the same number of elements: neither ends before the other. */
            assert(new_count < old_count ? end < ndim : to < old_ndim);
            if (new_count < old_count)
                new_count *= shape[end++];
            else
                old_count *= old_size[to++];
        }
        for (int d = from; d + 1 < to; d++)
            if (old_stride[d] != old_size[d + 1] * old_stride[d + 1])
                return false;
        step = old_stride[to - 1];
        for (int64_t d = end; d-- > at; step *= shape[d])
            strides[d] = step;
        step = old_stride[to - 1];
        from = to;
        at = end;
    }
    for (; at < ndim; at++) /* what is left are axes of size 1 */
        strides[at] = step;
    return true;
}

/* Sizes of the result: `shape` with its -1 resolved for the `numel` elements of x. */
static tm_status resolve(tm_call *call, const tm_tensor *x, tm_int_list shape, int64_t numel,
                         int64_t *sizes)
{
    if (shape.count > TM_MAX_NDIM)
        return tm_check_sizes(call, "shape", shape);
    int64_t count = 1, open = -1;
    bool fits = true, zero = false;
    for (int64_t d = 0; d < shape.count; d++) {
        sizes[d] = shape.data[d];
        if (sizes[d] < -1 || (sizes[d] == -1 && open >= 0))
            return tm_fail_arg(call, TM_ERR_SHAPE, "shape",
                               "shape must not have negative sizes but one -1, got %s",
                               tm_sizes_text(call, shape.count, shape.data));
        if (sizes[d] == -1)
            open = d;
        else if (sizes[d] == 0)
            zero = true;
        else
            fits = fits && !__builtin_mul_overflow(count, sizes[d], &count);
    }
    if (open >= 0 && zero && numel == 0)
        return tm_fail_arg(call, TM_ERR_SHAPE, "shape",
                           "the -1 in shape %s could be any size: x has no elements, its shape "
                           "is %s",
                           tm_sizes_text(call, shape.count, shape.data), tm_shape_text(call, x));
    if (zero) {
        fits = numel == 0;
    } else if (open >= 0) {
        fits = fits && numel % count == 0;
        sizes[open] = fits ? numel / count : 0;
    } else {
        fits = fits && numel == count;
    }
    if (fits)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "shape",
                       "shape %s cannot hold the %lld element%s of x, which has shape %s",
                       tm_sizes_text(call, shape.count, shape.data), (long long)numel,
                       numel == 1 ? "" : "s", tm_shape_text(call, x));
}

tm_status tm_reshape_describe(tm_call *call, const tm_tensor *x, int64_t ndim, const int64_t *shape)
{
    int64_t strides[TM_MAX_NDIM];
    if (tm_numel(x) == 0) { /* any strides do */
        for (int64_t d = 0; d < ndim; d++)
            strides[d] = 0;
    } else if (!view_strides(x, ndim, shape, strides)) {
        return tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    }
    return tm_output_view(call, 0, x, (int)ndim, shape, strides, 0);
}

tm_status tm_reshape_meta(tm_call *call, const tm_tensor *x, tm_int_list shape)
{
    int64_t sizes[TM_MAX_NDIM];
    tm_status status = resolve(call, x, shape, tm_numel(x), sizes);
    return status == TM_OK ? tm_reshape_describe(call, x, shape.count, sizes) : status;
}

/* The output is new memory, so it can be seen in x's shape; then it is a copy axis by axis. */
tm_status tm_reshape_copy(tm_call *call, const tm_batch *batch, const tm_tensor *x, tm_tensor *out)
{
    const int ndim = tm_ndim(x);
    int64_t strides[TM_MAX_NDIM], item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    if (!view_strides(out, ndim, tm_shape(x), strides))
        return tm_fail(call, TM_ERR_SCHEMA, "the output is not row-major");
    tm_block block;
    tm_block_begin(&block, batch, x, out);
    for (int d = 0; d < ndim; d++)
        tm_block_axis(&block, tm_shape(x)[d], strides[d] * item, tm_axis_step(x, d));
    tm_block_copy(&block);
    return TM_OK;
}

tm_status tm_reshape_impl(tm_call *call, const tm_tensor *x, tm_int_list shape, tm_tensor *out)
{
    (void)shape;
    return tm_reshape_copy(call, NULL, x, out);
}

tm_status tm_reshape_batched(tm_call *call, const tm_batch *batch)
{
    return tm_reshape_copy(call, batch, tm_call_arg(call, 0)->tensor, tm_call_output(call, 0));
}
