/* lists.c: lists of views: pieces along an axis, and tensors broadcast against each other. */
#include <string.h>

#include "ops_kernels.h"

/* -- Along an axis ----------------------------------------------------------------------------- */

/* Output i: `size` elements of the axis from `start` on. */
static tm_status piece(tm_call *call, int64_t i, const tm_tensor *x, int64_t axis, int64_t start,
                       int64_t size)
{
    int64_t shape[TM_MAX_NDIM];
    bool empty = size == 0;
    for (int d = 0; d < tm_ndim(x); d++) {
        shape[d] = d == axis ? size : tm_shape(x)[d];
        empty = empty || shape[d] == 0;
    }
    return tm_output_view(call, (int)i, x, tm_ndim(x), shape, tm_strides(x),
                          empty ? 0 : start * tm_strides(x)[axis]);
}

/* Pieces of one size but for the last, which has what is left. */
static tm_status pieces(tm_call *call, const tm_tensor *x, int64_t axis, int64_t size,
                        int64_t count)
{
    int64_t all = tm_shape(x)[axis];
    tm_status status = tm_output_count(call, count);
    for (int64_t i = 0; i < count && status == TM_OK; i++)
        status = piece(call, i, x, axis, i * size, size < all - i * size ? size : all - i * size);
    return status;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

tm_status tm_unbind_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    int ndim = tm_ndim(x);
    tm_status status = tm_check_axis(call, "axis", ndim, &axis);
    if (status == TM_OK)
        status = tm_output_count(call, tm_shape(x)[axis]);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM], strides[TM_MAX_NDIM];
    bool empty = false;
    for (int d = 0, to = 0; d < ndim; d++) {
        if (d == axis)
            continue;
        shape[to] = tm_shape(x)[d];
        empty = empty || shape[to] == 0;
        strides[to++] = tm_strides(x)[d];
    }
    for (int64_t i = 0; i < tm_shape(x)[axis] && status == TM_OK; i++)
        status = tm_output_view(call, (int)i, x, ndim - 1, shape, strides,
                                empty ? 0 : i * tm_strides(x)[axis]);
    return status;
}

tm_status tm_split_meta(tm_call *call, const tm_tensor *x, int64_t size, int64_t axis)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    if (size < 1)
        return tm_fail_arg(call, TM_ERR_VALUE, "size", "size must be at least 1, got %lld",
                           (long long)size);
    int64_t all = tm_shape(x)[axis];
    return pieces(call, x, axis, size, all ? ceil_div(all, size) : 1);
}

tm_status tm_split_sizes_meta(tm_call *call, const tm_tensor *x, tm_int_list sizes, int64_t axis)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    int64_t all = tm_shape(x)[axis], left = all;
    for (int64_t i = 0; i < sizes.count; i++) {
        if (sizes.data[i] < 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "sizes",
                               "sizes must not have negative sizes, got %s",
                               tm_sizes_text(call, sizes.count, sizes.data));
        left = left < sizes.data[i] ? -1 : left - sizes.data[i];
        if (left < 0)
            break;
    }
    if (left != 0)
        return tm_fail_arg(call, TM_ERR_SHAPE, "sizes",
                           "sizes must add up to %lld, the size of axis %lld of x, got %s",
                           (long long)all, (long long)axis,
                           tm_sizes_text(call, sizes.count, sizes.data));
    status = tm_output_count(call, sizes.count);
    for (int64_t i = 0, start = 0; i < sizes.count && status == TM_OK; start += sizes.data[i++])
        status = piece(call, i, x, axis, start, sizes.data[i]);
    return status;
}

tm_status tm_chunk_meta(tm_call *call, const tm_tensor *x, int64_t chunks, int64_t axis)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    if (chunks < 1)
        return tm_fail_arg(call, TM_ERR_VALUE, "chunks", "chunks must be at least 1, got %lld",
                           (long long)chunks);
    int64_t all = tm_shape(x)[axis];
    if (all == 0)
        return pieces(call, x, axis, 0, chunks);
    int64_t size = ceil_div(all, chunks);
    return pieces(call, x, axis, size, ceil_div(all, size));
}

tm_status tm_tensor_split_meta(tm_call *call, const tm_tensor *x, int64_t sections, int64_t axis)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    if (sections < 1)
        return tm_fail_arg(call, TM_ERR_VALUE, "sections", "sections must be at least 1, got %lld",
                           (long long)sections);
    int64_t size = tm_shape(x)[axis] / sections, larger = tm_shape(x)[axis] % sections;
    status = tm_output_count(call, sections);
    for (int64_t i = 0, start = 0; i < sections && status == TM_OK; i++) {
        int64_t here = size + (i < larger);
        status = piece(call, i, x, axis, start, here);
        start += here;
    }
    return status;
}

/* -- Against each other ------------------------------------------------------------------------ */

tm_status tm_broadcast_arrays_meta(tm_call *call, tm_tensor_list xs)
{
    int ndim = 0;
    int64_t shape[TM_MAX_NDIM];
    for (int64_t k = 0; k < xs.count; k++) {
        tm_status status = tm_check_broadcast(call, "xs", &ndim, shape, xs.data[k]);
        if (status != TM_OK)
            return status;
    }
    tm_status status = tm_output_count(call, xs.count);
    for (int64_t k = 0; k < xs.count && status == TM_OK; k++) {
        const tm_tensor *x = xs.data[k];
        int leading = ndim - tm_ndim(x);
        int64_t strides[TM_MAX_NDIM] = {0};
        for (int d = leading; d < ndim; d++)
            strides[d] = tm_shape(x)[d - leading] == shape[d] ? tm_strides(x)[d - leading] : 0;
        status = tm_output_view(call, (int)k, x, ndim, shape, strides, 0);
    }
    return status;
}

tm_status tm_meshgrid_meta(tm_call *call, tm_tensor_list xs, const char *indexing)
{
    bool xy = strcmp(indexing, "xy") == 0;
    if (!xy && strcmp(indexing, "ij") != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "indexing",
                           "indexing must be 'xy' or 'ij', got '%s'", indexing);
    if (xs.count > TM_MAX_NDIM)
        return tm_fail_arg(call, TM_ERR_RANK, "xs",
                           "the result must have at most %d dimensions, got %lld", TM_MAX_NDIM,
                           (long long)xs.count);
    int64_t shape[TM_MAX_NDIM];
    bool exchange = xy && xs.count > 1;
    for (int64_t k = 0; k < xs.count; k++) {
        const tm_tensor *x = xs.data[k];
        if (tm_ndim(x) > 1)
            return tm_fail_arg(call, TM_ERR_RANK, "xs",
                               "xs[%lld] must have at most 1 dimension, got shape %s", (long long)k,
                               tm_shape_text(call, x));
        if (tm_dtype_of(x) != tm_dtype_of(xs.data[0]))
            return tm_fail_arg(call, TM_ERR_DTYPE, "xs",
                               "xs[%lld] must have the dtype of xs[0], %s, got %s", (long long)k,
                               tm_dtype_name(tm_dtype_of(xs.data[0])),
                               tm_dtype_name(tm_dtype_of(x)));
        shape[exchange && k < 2 ? 1 - k : k] = tm_numel(x);
    }
    tm_status status = tm_output_count(call, xs.count);
    for (int64_t k = 0; k < xs.count && status == TM_OK; k++) {
        int64_t strides[TM_MAX_NDIM] = {0};
        if (tm_ndim(xs.data[k]) == 1)
            strides[exchange && k < 2 ? 1 - k : k] = tm_strides(xs.data[k])[0];
        status = tm_output_view(call, (int)k, xs.data[k], (int)xs.count, shape, strides, 0);
    }
    return status;
}
