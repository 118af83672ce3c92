/* joining.c: concat and stack: every tensor of a list is copied to its part of the output.
 *
 * A part is described by its first element and its strides, so a copy with the batch's loops in
 * front serves one example and all of them alike.
 */
#include "dispatch/bypass.h"
#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "steps.h"

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

/* What is joined, and how. */
typedef struct joining {
    tm_tensor_list xs;
    tm_tensor *out;
    int axis;
    bool stacked; /* the axis is a new one */
} joining;

/* Copies operand k to the part of the output that begins `offset` elements into it. */
static void copy_part(const joining *j, const tm_batch *batch, int first, const int64_t *skip,
                      int64_t n, char *to_base, int64_t k, int64_t offset)
{
    const tm_tensor *x = j->xs.data[k], *out = j->out;
    tm_copy_side from = {.base = (char *)(uintptr_t)tm_data(x), .dtype = tm_dtype_of(x)};
    tm_copy_side to = {.base = to_base, .dtype = tm_dtype_of(out)};
    int64_t size[TM_COPY_DIMS], item = (int64_t)tm_dtype_size(to.dtype);
    int dims = 0;
    for (int l = 0; batch && l < batch->ndim; l++) {
        const int64_t *step = batch->step + l * batch->num_operands;
        from.base += skip[l] * step[k];
        if (l < first)
            continue;
        size[dims] = l == batch->ndim - 1 ? n : batch->size[l];
        from.step[dims] = step[k];
        to.step[dims++] = step[batch->num_operands - 1];
    }
    for (int d = 0; d < tm_ndim(x); d++, dims++) {
        size[dims] = tm_shape(x)[d];
        from.step[dims] = tm_axis_step(x, d);
        to.step[dims] = tm_strides(out)[d + (j->stacked && d >= j->axis)] * item;
    }
    to.base += offset * item;
    tm_copy(dims, size, &to, &from);
}

/* All parts of n examples along the innermost loop and of whole loops from `first` on. */
static void copy_parts(const joining *j, const tm_batch *batch, int first, const int64_t *skip,
                       int64_t n, char *to)
{
    int64_t at = 0, stride = tm_strides(j->out)[j->axis];
    for (int64_t k = 0; k < j->xs.count; k++) {
        copy_part(j, batch, first, skip, n, to, k, at * stride);
        at += j->stacked ? 1 : tm_shape(j->xs.data[k])[j->axis];
    }
}

/* Whether every part is whole lines in a dense output: then nothing is gained by its neighbours. */
static bool whole_lines(const joining *j)
{
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(j->out));
    bool whole = true;
    for (int64_t k = 0; k < j->xs.count; k++) {
        int64_t size = j->stacked ? 1 : tm_shape(j->xs.data[k])[j->axis];
        whole = whole && size * tm_strides(j->out)[j->axis] * item % TM_LINE == 0;
    }
    return whole;
}

static void join(const tm_batch *batch, tm_tensor_list xs, int64_t axis, tm_tensor *out,
                 bool stacked)
{
    enum { NEAR = 1 << 14 };
    joining j = {xs, out, (int)(axis < 0 ? axis + tm_ndim(out) : axis), stacked};
    int64_t skip[TM_COPY_DIMS] = {0},
            bytes = tm_numel(out) * (int64_t)tm_dtype_size(tm_dtype_of(out));
    int last = batch ? batch->ndim - 1 : 0;
    bool dense = batch && bytes > 0 && 2 * bytes <= NEAR && tm_is_contiguous(out) &&
                 batch->step[(last + 1) * batch->num_operands - 1] == bytes && !whole_lines(&j);
    if (!dense) {
        copy_parts(&j, batch, 0, skip, batch ? batch->size[last] : 1, tm_mutable_data(out));
        return;
    }
    /* A few examples at a time, so that all their parts are there before a line leaves the cache.
     */
    _Alignas(TM_LINE) char buffer[NEAR];
    int64_t most = NEAR / bytes, count = 1;
    for (int l = 0; l < last; l++)
        count *= batch->size[l];
    bool bypass = tm_bypass_pays(2 * count * batch->size[last] * bytes);
    for (int64_t i = 0; i < count; i++) {
        char *to = tm_mutable_data(out);
        int64_t rest = i;
        for (int l = last; l-- > 0; rest /= batch->size[l]) {
            skip[l] = rest % batch->size[l];
            to += skip[l] * batch->step[(l + 1) * batch->num_operands - 1];
        }
        for (int64_t at = 0; at < batch->size[last]; at += most, to += most * bytes) {
            int64_t n = batch->size[last] - at < most ? batch->size[last] - at : most;
            skip[last] = at;
            copy_parts(&j, batch, last, skip, n, bypass ? buffer : to);
            if (bypass)
                tm_bypass_copy(to, buffer, n * bytes);
        }
    }
    if (bypass)
        tm_bypass_end();
}

tm_status tm_concat_impl(tm_call *call, tm_tensor_list xs, int64_t axis, tm_tensor *out)
{
    (void)call;
    join(NULL, xs, axis, out, false);
    return TM_OK;
}

tm_status tm_concat_batched(tm_call *call, const tm_batch *batch)
{
    join(batch, tm_call_arg(call, 0)->tensors, tm_call_arg(call, 1)->i, tm_call_output(call, 0),
         false);
    return TM_OK;
}

tm_status tm_stack_impl(tm_call *call, tm_tensor_list xs, int64_t axis, tm_tensor *out)
{
    (void)call;
    join(NULL, xs, axis, out, true);
    return TM_OK;
}

tm_status tm_stack_batched(tm_call *call, const tm_batch *batch)
{
    join(batch, tm_call_arg(call, 0)->tensors, tm_call_arg(call, 1)->i, tm_call_output(call, 0),
         true);
    return TM_OK;
}
