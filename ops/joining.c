/* joining.c: concat and stack: every tensor of a list is copied to its part of the output.
 *
 * A part is described by its first element and its strides, so a copy with the batch's loops in
 * front serves one example and all of them alike.
 */
#include "dispatch/cast.h"
#include "ops_kernels.h"

/* -- Checks ------------------------------------------------------------------------------------ */

/* The dtype that the list promotes to: dtypes of the widest kind first, so that order does not
 * matter. */
static tm_dtype common_dtype(tm_tensor_list xs)
{
    tm_dtype dtype = TM_DTYPE_NONE;
    for (int kind = TM_KIND_COMPLEX; kind >= TM_KIND_BOOL; kind--)
        for (int64_t k = 0; k < xs.count; k++) {
            tm_dtype d = tm_dtype_of(xs.data[k]);
            if (tm_dtype_kind(d) == (tm_kind)kind)
                dtype = dtype == TM_DTYPE_NONE ? d : tm_promote(dtype, d);
        }
    return dtype;
}

static tm_status check_not_empty(tm_call *call, tm_tensor_list xs)
{
    if (xs.count > 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "xs", "xs must hold at least one tensor");
}

tm_status tm_concat_meta(tm_call *call, tm_tensor_list xs, int64_t axis)
{
    tm_status status = check_not_empty(call, xs);
    if (status != TM_OK)
        return status;
    const tm_tensor *first = xs.data[0];
    int ndim = tm_ndim(first);
    if (ndim == 0)
        return tm_fail_arg(call, TM_ERR_RANK, "xs",
                           "xs[0] must have at least 1 dimension, got shape ()");
    status = tm_check_axis(call, "axis", ndim, &axis);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(first)[d];
    for (int64_t k = 1; k < xs.count; k++) {
        const tm_tensor *x = xs.data[k];
        if (tm_ndim(x) != ndim)
            return tm_fail_arg(call, TM_ERR_RANK, "xs",
                               "xs[%lld] must have as many dimensions as xs[0] of shape %s, got "
                               "shape %s",
                               (long long)k, tm_shape_text(call, first), tm_shape_text(call, x));
        for (int d = 0; d < ndim; d++)
            if (d != axis && tm_shape(x)[d] != shape[d])
                return tm_fail_arg(call, TM_ERR_SHAPE, "xs",
                                   "xs[%lld] must have the sizes of xs[0] of shape %s except along "
                                   "axis %lld, got shape %s",
                                   (long long)k, tm_shape_text(call, first), (long long)axis,
                                   tm_shape_text(call, x));
        /* A sum beyond 64 bits is certainly more than tm_output lets pass. */
        if (__builtin_add_overflow(shape[axis], tm_shape(x)[axis], &shape[axis]))
            shape[axis] = INT64_MAX;
    }
    return tm_output(call, 0, common_dtype(xs), ndim, shape);
}

tm_status tm_stack_meta(tm_call *call, tm_tensor_list xs, int64_t axis)
{
    tm_status status = check_not_empty(call, xs);
    if (status != TM_OK)
        return status;
    const tm_tensor *first = xs.data[0];
    int ndim = tm_ndim(first);
    status = tm_check_axis(call, "axis", ndim + 1, &axis);
    if (status != TM_OK)
        return status;
    for (int64_t k = 1; k < xs.count; k++) {
        const tm_tensor *x = xs.data[k];
        bool same = tm_ndim(x) == ndim;
        for (int d = 0; same && d < ndim; d++)
            same = tm_shape(x)[d] == tm_shape(first)[d];
        if (!same)
            return tm_fail_arg(call, TM_ERR_SHAPE, "xs",
                               "xs[%lld] must have the shape of xs[0], %s, got shape %s",
                               (long long)k, tm_shape_text(call, first), tm_shape_text(call, x));
    }
    int64_t shape[TM_MAX_NDIM + 1];
    for (int d = 0, from = 0; d <= ndim; d++)
        shape[d] = d == axis ? xs.count : tm_shape(first)[from++];
    return tm_output(call, 0, common_dtype(xs), ndim + 1, shape);
}

/* -- Copies ------------------------------------------------------------------------------------ */

/* Copies operand k, of ndim dimensions, to the part of the output that begins `offset` elements
 * into it and has these strides, for every example of the batch if there is one. */
static void copy_part(const tm_batch *batch, int64_t k, int ndim, const tm_tensor *x,
                      tm_tensor *out, const int64_t *out_strides, int64_t offset)
{
    tm_copy_side from = {.base = (char *)(uintptr_t)tm_data(x), .dtype = tm_dtype_of(x)};
    tm_copy_side to = {.base = tm_mutable_data(out), .dtype = tm_dtype_of(out)};
    int64_t size[TM_COPY_DIMS];
    int64_t from_item = (int64_t)tm_dtype_size(from.dtype);
    int64_t to_item = (int64_t)tm_dtype_size(to.dtype);
    int n = 0;
    for (int l = 0; batch && l < batch->ndim; l++, n++) {
        size[n] = batch->size[l];
        from.step[n] = batch->step[l * batch->num_operands + k];
        to.step[n] = batch->step[(l + 1) * batch->num_operands - 1];
    }
    for (int d = 0; d < ndim; d++, n++) {
        size[n] = tm_shape(x)[d];
        from.step[n] = size[n] > 1 ? tm_strides(x)[d] * from_item : 0;
        to.step[n] = size[n] > 1 ? out_strides[d] * to_item : 0;
    }
    to.base += offset * to_item;
    tm_copy(n, size, &to, &from);
}

static void concat(const tm_batch *batch, tm_tensor_list xs, int64_t axis, tm_tensor *out)
{
    int ndim = tm_ndim(out);
    if (axis < 0)
        axis += ndim;
    int64_t at = 0;
    for (int64_t k = 0; k < xs.count; k++) {
        copy_part(batch, k, ndim, xs.data[k], out, tm_strides(out), at * tm_strides(out)[axis]);
        at += tm_shape(xs.data[k])[axis];
    }
}

static void stack(const tm_batch *batch, tm_tensor_list xs, int64_t axis, tm_tensor *out)
{
    int ndim = tm_ndim(out) - 1;
    if (axis < 0)
        axis += ndim + 1;
    int64_t strides[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        strides[d] = tm_strides(out)[d < axis ? d : d + 1];
    for (int64_t k = 0; k < xs.count; k++)
        copy_part(batch, k, ndim, xs.data[k], out, strides, k * tm_strides(out)[axis]);
}

tm_status tm_concat_impl(tm_call *call, tm_tensor_list xs, int64_t axis, tm_tensor *out)
{
    (void)call;
    concat(NULL, xs, axis, out);
    return TM_OK;
}

tm_status tm_concat_batched(tm_call *call, const tm_batch *batch)
{
    concat(batch, tm_call_arg(call, 0)->tensors, tm_call_arg(call, 1)->i, tm_call_output(call, 0));
    return TM_OK;
}

tm_status tm_stack_impl(tm_call *call, tm_tensor_list xs, int64_t axis, tm_tensor *out)
{
    (void)call;
    stack(NULL, xs, axis, out);
    return TM_OK;
}

tm_status tm_stack_batched(tm_call *call, const tm_batch *batch)
{
    stack(batch, tm_call_arg(call, 0)->tensors, tm_call_arg(call, 1)->i, tm_call_output(call, 0));
    return TM_OK;
}
