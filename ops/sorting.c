/* sorting.c: sort, argsort and both at once: find the order of a run, then gather by it. */
#include "sorting.h"

#include "numeric.h"
#include "ops_kernels.h"

static tm_status check(tm_call *call, const tm_tensor *x, int64_t axis, int outputs)
{
    tm_status status = tm_check_arithmetic(call, "x", x);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    for (int operand = 0; operand <= outputs && status == TM_OK; operand++)
        status = tm_core_axes(call, operand, 1, &axis);
    if (status == TM_OK)
        tm_need_workspace(call, tm_sort_workspace(tm_dtype_of(x), tm_size(x, axis)));
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

static void gather(const tm_sort_order *order, int64_t n, const char *from, int64_t from_step,
                   char *to, int64_t to_step, size_t item)
{
    typedef uint8_t word1 __attribute__((may_alias));
    typedef uint32_t word4 __attribute__((may_alias));
    typedef uint64_t word8 __attribute__((may_alias));
    if (item == sizeof(word1)) {
        GATHER(word1)
    } else if (item == sizeof(word4)) {
        GATHER(word4)
    } else {
        GATHER(word8)
    }
}

/* One run; either output may be NULL. */
static tm_status sort(tm_call *call, const tm_tensor *x, bool descending, tm_tensor *values,
                      tm_tensor *indices)
{
    int64_t n = tm_shape(x)[0];
    if (n == 0)
        return TM_OK;
    size_t item = tm_dtype_size(tm_dtype_of(x));
    tm_sort_run run = {.data = tm_data(x),
                       .dtype = tm_dtype_of(x),
                       .n = n,
                       .step = n > 1 ? tm_strides(x)[0] * (int64_t)item : 0,
                       .descending = descending};
    tm_sort_order order = tm_sort_find(&run, tm_workspace(call));
    if (values)
        gather(&order, n, run.data, run.step, tm_mutable_data(values),
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
    return sort(call, x, descending, out, NULL);
}

tm_status tm_argsort_impl(tm_call *call, const tm_tensor *x, int64_t axis, bool descending,
                          bool stable, tm_tensor *out)
{
    (void)axis;
    (void)stable;
    return sort(call, x, descending, NULL, out);
}

tm_status tm_sort_with_indices_impl(tm_call *call, const tm_tensor *x, int64_t axis,
                                    bool descending, bool stable, tm_tensor *out_values,
                                    tm_tensor *out_indices)
{
    (void)axis;
    (void)stable;
    return sort(call, x, descending, out_values, out_indices);
}
