/* gather_parts.c: one_hot, and select_scatter, which is a composite: a copy of x, a view of that,
 * and copy_.
 */
#include "gather.h"

#include <string.h>

#include "ops_kernels.h"

/* -- one_hot ----------------------------------------------------------------------------------- */

tm_status tm_one_hot_meta(tm_call *call, const tm_tensor *x, int64_t num_classes, tm_dtype dtype)
{
    int64_t shape[TM_MAX_NDIM + 1];
    tm_status status = tm_gather_check_index(call, "x", x);
    if (status != TM_OK)
        return status;
    if (num_classes < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "num_classes",
                           "num_classes must not be negative, got %lld", (long long)num_classes);
    for (int d = 0; d < tm_ndim(x); d++)
        shape[d] = tm_shape(x)[d];
    shape[tm_ndim(x)] = num_classes;
    dtype = dtype == TM_DTYPE_NONE ? TM_INT64 : dtype;
    tm_gather_plan *plan = tm_gather_set(call, "x", tm_ndim(x), false);
    tm_scalar_store(tm_scalar_int(1), dtype, plan->value);
    return tm_output(call, 0, dtype, tm_ndim(x) + 1, shape);
}

/* Each index of x chooses an element of its row of out. Negative ones are no classes. */
tm_status tm_one_hot_impl(tm_call *call, const tm_tensor *x, int64_t num_classes, tm_dtype dtype,
                          tm_tensor *out)
{
    (void)dtype;
    const tm_gather_plan *plan = tm_params(call, sizeof *plan);
    size_t item = tm_dtype_size(tm_dtype_of(out));
    int ndim = tm_ndim(x);
    if (tm_numel(out) > 0)
        memset(tm_mutable_data(out), 0, (size_t)tm_numel(out) * item);
    tm_index_source source = {
        .at = tm_data(x), .dtype = tm_dtype_of(x), .size = num_classes, .stride = (int64_t)item};
    tm_indexed w;
    tm_indexed_begin(&w, tm_mutable_data(out), plan->value, &source, 1);
    for (int d = 0; d < ndim; d++) {
        tm_indexed_loop(&w, tm_shape(x)[d], tm_indexed_step(out, d), 0);
        source.step[d] = tm_indexed_step(x, d);
    }
    if (tm_indexed_run(&w, tm_indexed_write(item), NULL))
        return TM_OK;
    return tm_indexed_fail(call, "x", -1, x, -1, ndim, num_classes, 0);
}

/* -- select_scatter ---------------------------------------------------------------------------- */

tm_status tm_select_scatter_meta(tm_call *call, const tm_tensor *x, const tm_tensor *src,
                                 int64_t axis, int64_t index)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = 0;
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status == TM_OK)
        status = tm_gather_check_dtype(call, "src", src, x);
    if (status != TM_OK)
        return status;
    for (int d = 0; d < tm_ndim(x); d++)
        if (d != axis)
            shape[ndim++] = tm_shape(x)[d];
    bool same = tm_ndim(src) == ndim;
    for (int d = 0; same && d < ndim; d++)
        same = tm_shape(src)[d] == shape[d];
    if (!same)
        return tm_fail_arg(call, TM_ERR_SHAPE, "src",
                           "src must have the slice's shape %s, got shape %s",
                           tm_sizes_text(call, ndim, shape), tm_shape_text(call, src));
    int64_t size = tm_shape(x)[axis];
    if (index < -size || index >= size)
        return tm_fail_arg(call, TM_ERR_INDEX, "index",
                           "index %lld is out of range for axis %lld of size %lld",
                           (long long)index, (long long)axis, (long long)size);
    return tm_output_like(call, 0, x);
}

tm_status tm_select_scatter_impl(tm_call *call, const tm_tensor *x, const tm_tensor *src,
                                 int64_t axis, int64_t index, tm_tensor **out)
{
    (void)call;
    tm_tensor *copy = tm_astype(x, tm_dtype_of(x));
    *out = tm_copy_(tm_select(copy, axis, index), src) ? copy : NULL;
    return *out ? TM_OK : tm_error_code();
}
