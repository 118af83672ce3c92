/* kernel_check.c: checks that many metas share, worded once. */
#include "call.h"

/* A rank that the op's meta made up; a tensor's is none. */
static tm_status bad_rank(tm_call *call, const char *argument, int ndim)
{
    return tm_fail_arg(call, TM_ERR_SCHEMA, argument,
                       "the op's meta or kernel gives %s a rank of %d", argument, ndim);
}

static bool is_rank(int ndim)
{
    return ndim >= 0 && ndim <= TM_MAX_NDIM;
}

tm_status tm_resolve_axis(tm_call *call, const char *argument, int ndim, int64_t *axis)
{
    if (__builtin_expect(!call || !axis, 0))
        return tm_kernel_null(call, "check_axis", "axis");
    if (!is_rank(ndim))
        return bad_rank(call, argument, ndim);
    int64_t at = *axis < 0 ? *axis + ndim : *axis;
    if (at < 0 || at >= ndim) {
        if (ndim == 0)
            return tm_fail_arg(call, TM_ERR_DIM, argument,
                               "%s %lld is out of range: a 0-D tensor has no axes", argument,
                               (long long)*axis);
        return tm_fail_arg(call, TM_ERR_DIM, argument, "%s %lld is out of range, must be in %d..%d",
                           argument, (long long)*axis, -ndim, ndim - 1);
    }
    *axis = at;
    return TM_OK;
}

tm_status tm_check_axes(tm_call *call, const char *argument, int ndim, const tm_int_list *axes,
                        uint32_t *mask)
{
    if (__builtin_expect(!call || !mask || (axes && axes->count != 0 && !axes->data), 0))
        return tm_kernel_null(call, "check_axes", "axes");
    if (!is_rank(ndim))
        return bad_rank(call, argument, ndim);
    *mask = 0;
    if (!axes) {
        *mask = ndim == 32 ? UINT32_MAX : (1u << ndim) - 1;
        return TM_OK;
    }
    for (int64_t i = 0; i < axes->count; i++) {
        int64_t axis = axes->data[i];
        tm_status status = tm_check_axis(call, argument, ndim, &axis);
        if (status != TM_OK)
            return status;
        if (*mask >> axis & 1)
            return tm_fail_arg(call, TM_ERR_DIM, argument, "%s names axis %lld twice", argument,
                               (long long)axes->data[i]);
        *mask |= 1u << axis;
    }
    return TM_OK;
}

tm_status tm_check_sizes(tm_call *call, const char *argument, tm_int_list shape)
{
    if (__builtin_expect(!call || (shape.count != 0 && !shape.data), 0))
        return tm_kernel_null(call, "check_sizes", "shape");
    if (shape.count < 0 || shape.count > TM_MAX_NDIM)
        return tm_fail_arg(call, TM_ERR_RANK, argument,
                           "%s must have at most %d dimensions, got %lld", argument, TM_MAX_NDIM,
                           (long long)shape.count);
    for (int64_t d = 0; d < shape.count; d++)
        if (shape.data[d] < 0)
            return tm_fail_arg(call, TM_ERR_SHAPE, argument,
                               "%s must not have negative sizes, got %s", argument,
                               tm_sizes_text(call, shape.count, shape.data));
    return TM_OK;
}

tm_status tm_check_rank(tm_call *call, const char *argument, const tm_tensor *x, int least)
{
    if (__builtin_expect(!call || !tm_kernel_tensor(x), 0))
        return tm_kernel_null(call, "check_rank", "tensor");
    if (x->ndim >= least)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, argument,
                       "%s must have at least %d dimension%s, got shape %s", argument, least,
                       least == 1 ? "" : "s", tm_shape_text(call, x));
}

tm_status tm_check_kind(tm_call *call, const char *argument, const tm_tensor *x, tm_kind kind,
                        const char *wanted)
{
    if (__builtin_expect(!call || !tm_kernel_tensor(x), 0))
        return tm_kernel_null(call, "check_kind", "tensor");
    if (tm_dtype_kind((tm_dtype)x->dtype) == kind)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_DTYPE, argument, "%s must have %s, got %s", argument, wanted,
                       tm_dtype_name((tm_dtype)x->dtype));
}

bool tm_broadcast_sizes(int *ndim, int64_t *shape, int with_ndim, const int64_t *with)
{
    int n = with_ndim > *ndim ? with_ndim : *ndim;
    int64_t result[TM_MAX_NDIM];
    for (int d = 0; d < n; d++) {
        int a = d - (n - *ndim), b = d - (n - with_ndim);
        int64_t sa = a < 0 ? 1 : shape[a], sb = b < 0 ? 1 : with[b];
        if (sa != sb && sa != 1 && sb != 1)
            return false;
        result[d] = sa == 1 ? sb : sa;
    }
    *ndim = n;
    for (int d = 0; d < n; d++)
        shape[d] = result[d];
    return true;
}

tm_status tm_check_broadcast(tm_call *call, const char *argument, int *ndim, int64_t *shape,
                             const tm_tensor *x)
{
    if (__builtin_expect(!call || !ndim || !shape || !tm_kernel_tensor(x), 0))
        return tm_kernel_null(call, "check_broadcast", "tensor or shape");
    if (!is_rank(*ndim))
        return bad_rank(call, argument, *ndim);
    if (tm_broadcast_sizes(ndim, shape, x->ndim, x->shape))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, argument,
                       "%s must broadcast with shape %s, got shape %s", argument,
                       tm_sizes_text(call, *ndim, shape), tm_shape_text(call, x));
}
