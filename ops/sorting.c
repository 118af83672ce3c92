/* sorting.c: sort, argsort, both at once, and the first or k-th in order: find the order of a run,
 * then gather by it. */
#include "sorting.h"

#include <string.h>

#include "ops_kernels.h"
#include "steps.h"

tm_status tm_check_ordered(tm_call *call, const char *argument, const tm_tensor *x)
{
    if (tm_dtype_kind(tm_dtype_of(x)) != TM_KIND_COMPLEX)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_DTYPE, argument, "%s must have a real dtype, got %s", argument,
                       tm_dtype_name(tm_dtype_of(x)));
}

tm_sort_run tm_sort_run_of(const tm_tensor *x)
{
    return (tm_sort_run){.data = tm_data(x),
                         .dtype = tm_dtype_of(x),
                         .n = tm_shape(x)[0],
                         .step = tm_axis_step(x, 0)};
}

/* Of a kernel for one run, or for many at once, to put the first k elements in order. */
static void need_workspace(tm_call *call, const tm_tensor *x, int64_t axis, int64_t k)
{
    size_t one = tm_sort_workspace(tm_dtype_of(x), tm_size(x, axis));
    size_t many = tm_sort_lanes_workspace(tm_dtype_of(x), tm_size(x, axis), k);
    tm_need_workspace(call, one > many ? one : many);
}

static tm_status check(tm_call *call, const tm_tensor *x, int64_t axis, int outputs)
{
    tm_status status = tm_check_ordered(call, "x", x);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    for (int operand = 0; operand <= outputs && status == TM_OK; operand++)
        status = tm_core_axes(call, operand, 1, &axis);
    if (status == TM_OK)
        need_workspace(call, x, axis, tm_size(x, axis));
    return status;
}

tm_status tm_sort_meta(tm_call *call, const tm_tensor *x, int64_t axis, bool descending,
                       bool stable)
{
    (void)descending;
    (void)stable;
    tm_status status = check(call, x, axis, 1);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

tm_status tm_argsort_meta(tm_call *call, const tm_tensor *x, int64_t axis, bool descending,
                          bool stable)
{
    (void)descending;
    (void)stable;
    tm_status status = check(call, x, axis, 1);
    return status == TM_OK ? tm_output(call, 0, TM_INT64, tm_ndim(x), tm_shape(x)) : status;
}

tm_status tm_sort_with_indices_meta(tm_call *call, const tm_tensor *x, int64_t axis,
                                    bool descending, bool stable)
{
    (void)descending;
    (void)stable;
    tm_status status = check(call, x, axis, 2);
    if (status == TM_OK)
        status = tm_output_like(call, 0, x);
    return status == TM_OK ? tm_output(call, 1, TM_INT64, tm_ndim(x), tm_shape(x)) : status;
}

/* Elements keep their bits: those of NaN, and the sign of a zero. */
#define GATHER(word)                                                                               \
    for (int64_t i = 0; i < n; i++)                                                                \
        *(word *)(void *)(to + i * to_step) =                                                      \
            *(const word *)(const void *)(from + tm_sort_index(order, i) * from_step);

void tm_sort_gather(const tm_sort_order *order, int64_t n, const char *from, int64_t from_step,
                    char *to, int64_t to_step, size_t item)
{
    typedef uint8_t word1 __attribute__((may_alias));
    typedef uint16_t word2 __attribute__((may_alias));
    typedef uint32_t word4 __attribute__((may_alias));
    typedef uint64_t word8 __attribute__((may_alias));
    if (item == sizeof(word1)) {
        GATHER(word1)
    } else if (item == sizeof(word2)) {
        GATHER(word2)
    } else if (item == sizeof(word4)) {
        GATHER(word4)
    } else {
        GATHER(word8)
    }
}

/* One run, or the `n` elements that come first in order; either output may be NULL. */
static tm_status sort(tm_call *call, const tm_tensor *x, int64_t n, bool descending,
                      tm_tensor *values, tm_tensor *indices)
{
    if (n == 0)
        return TM_OK;
    size_t item = tm_dtype_size(tm_dtype_of(x));
    tm_sort_run run = tm_sort_run_of(x);
    run.descending = descending;
    tm_sort_order order = tm_sort_find(&run, tm_workspace(call));
    if (values)
        tm_sort_gather(&order, n, run.data, run.step, tm_mutable_data(values),
                       n > 1 ? tm_strides(values)[0] * (int64_t)item : 0, item);
    if (indices) {
        int64_t *to = tm_mutable_data(indices), step = n > 1 ? tm_strides(indices)[0] : 0;
        for (int64_t i = 0; i < n; i++)
            to[i * step] = tm_sort_index(&order, i);
    }
    return TM_OK;
}

tm_status tm_sort_impl(tm_call *call, const tm_tensor *x, int64_t axis, bool descending,
                       bool stable, tm_tensor *out)
{
    (void)axis;
    (void)stable;
    return sort(call, x, tm_shape(x)[0], descending, out, NULL);
}

tm_status tm_argsort_impl(tm_call *call, const tm_tensor *x, int64_t axis, bool descending,
                          bool stable, tm_tensor *out)
{
    (void)axis;
    (void)stable;
    return sort(call, x, tm_shape(x)[0], descending, NULL, out);
}

tm_status tm_sort_with_indices_impl(tm_call *call, const tm_tensor *x, int64_t axis,
                                    bool descending, bool stable, tm_tensor *out_values,
                                    tm_tensor *out_indices)
{
    (void)axis;
    (void)stable;
    return sort(call, x, tm_shape(x)[0], descending, out_values, out_indices);
}

/* -- A part of the order ----------------------------------------------------------------------- */

static tm_status check_k(tm_call *call, const tm_tensor *x, int64_t axis, int64_t k, int64_t least)
{
    int64_t size = tm_shape(x)[axis];
    if (k >= least && k <= size)
        return TM_OK;
    return tm_fail_arg(
        call, TM_ERR_VALUE, "k", "k must be in %lld..%lld for axis %lld of size %lld, got %lld",
        (long long)least, (long long)size, (long long)axis, (long long)size, (long long)k);
}

tm_status tm_topk_meta(tm_call *call, const tm_tensor *x, int64_t k, int64_t axis, bool largest)
{
    (void)largest;
    tm_status status = check(call, x, axis, 2);
    if (status != TM_OK)
        return status;
    int ndim = tm_ndim(x);
    axis += axis < 0 ? ndim : 0;
    status = check_k(call, x, axis, k, 0);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        shape[d] = d == axis ? k : tm_shape(x)[d];
    status = tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    return status == TM_OK ? tm_output(call, 1, TM_INT64, ndim, shape) : status;
}

tm_status tm_topk_impl(tm_call *call, const tm_tensor *x, int64_t k, int64_t axis, bool largest,
                       tm_tensor *out_values, tm_tensor *out_indices)
{
    (void)axis;
    return sort(call, x, k, largest, out_values, out_indices);
}

tm_status tm_kthvalue_meta(tm_call *call, const tm_tensor *x, int64_t k, int64_t axis,
                           bool keepdims)
{
    tm_status status = tm_check_ordered(call, "x", x);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status == TM_OK)
        status = check_k(call, x, axis, k, 1);
    if (status == TM_OK)
        status = tm_core_axes(call, 0, 1, &axis);
    for (int operand = 1; operand <= 2 && status == TM_OK; operand++)
        status = tm_core_axes(call, operand, keepdims ? 1 : 0, &axis);
    if (status != TM_OK)
        return status;
    need_workspace(call, x, axis, k);
    int64_t shape[TM_MAX_NDIM];
    int ndim = 0;
    for (int d = 0; d < tm_ndim(x); d++)
        if (d != axis || keepdims)
            shape[ndim++] = d == axis ? 1 : tm_shape(x)[d];
    status = tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    return status == TM_OK ? tm_output(call, 1, TM_INT64, ndim, shape) : status;
}

tm_status tm_kthvalue_impl(tm_call *call, const tm_tensor *x, int64_t k, int64_t axis,
                           bool keepdims, tm_tensor *out_values, tm_tensor *out_indices)
{
    (void)axis;
    (void)keepdims;
    tm_sort_run run = tm_sort_run_of(x);
    tm_sort_order order = tm_sort_find(&run, tm_workspace(call));
    int64_t index = tm_sort_index(&order, k - 1);
    memcpy(tm_mutable_data(out_values), run.data + index * run.step, tm_dtype_size(run.dtype));
    *(int64_t *)tm_mutable_data(out_indices) = index;
    return TM_OK;
}
