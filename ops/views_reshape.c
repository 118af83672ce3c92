/* views_reshape.c: reshape, a view where the strides allow it, else a copy.
 *
 * The elements keep their row-major order. Old and new axes are walked side by side and cut into
 * groups of equal size: (2, 3, 4) to (6, 2, 2) has the groups (2, 3) = (6) and (4) = (2, 2). Where
 * each old group can be walked with one stride, its new axes have strides of their own and no
 * element moves. Only logical strides are looked at, so a batch decides as one example does.
 */
#include <assert.h>

#include "dispatch/cast.h"
#include "ops_kernels.h"

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

tm_status tm_reshape_meta(tm_call *call, const tm_tensor *x, tm_int_list shape)
{
    int64_t sizes[TM_MAX_NDIM], strides[TM_MAX_NDIM], numel = tm_numel(x);
    tm_status status = resolve(call, x, shape, numel, sizes);
    if (status != TM_OK)
        return status;
    if (numel == 0) { /* any strides do */
        for (int64_t d = 0; d < shape.count; d++)
            strides[d] = 0;
    } else if (!view_strides(x, shape.count, sizes, strides)) {
        return tm_output(call, 0, tm_dtype_of(x), shape.count, sizes);
    }
    return tm_output_view(call, 0, x, (int)shape.count, sizes, strides, 0);
}

/* The output is new memory, so it can be seen in x's shape; then it is a copy axis by axis, after
 * the loops of the batch, if there is one. */
static tm_status copy(tm_call *call, const tm_batch *batch, const tm_tensor *x, tm_tensor *out)
{
    int64_t strides[TM_MAX_NDIM], size[TM_COPY_DIMS];
    int ndim = tm_ndim(x);
    if (!view_strides(out, ndim, tm_shape(x), strides))
        return tm_fail(call, TM_ERR_SCHEMA, "the output is not row-major");
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    tm_copy_side from = {.base = (char *)(uintptr_t)tm_data(x), .dtype = tm_dtype_of(x)};
    tm_copy_side to = {.base = tm_mutable_data(out), .dtype = tm_dtype_of(x)};
    int n = 0;
    for (int l = 0; batch && l < batch->ndim; l++, n++) {
        size[n] = batch->size[l];
        from.step[n] = batch->step[2 * l];
        to.step[n] = batch->step[2 * l + 1];
    }
    for (int d = 0; d < ndim; d++, n++) {
        size[n] = tm_shape(x)[d];
        from.step[n] = size[n] > 1 ? tm_strides(x)[d] * item : 0;
        to.step[n] = size[n] > 1 ? strides[d] * item : 0;
    }
    tm_copy(n, size, &to, &from);
    return TM_OK;
}

tm_status tm_reshape_impl(tm_call *call, const tm_tensor *x, tm_int_list shape, tm_tensor *out)
{
    (void)shape;
    return copy(call, NULL, x, out);
}

tm_status tm_reshape_batched(tm_call *call, const tm_batch *batch)
{
    return copy(call, batch, tm_call_arg(call, 0)->tensor, tm_call_output(call, 0));
}
