/* index_put.c: writing to what a key chooses.
 *
 * An example's masks become lists of byte offsets in workspace, which has room for all of their
 * elements. So the result's shape does not depend on data, and masks may be mapped.
 */
#include "index_key.h"
#include "ops_kernels.h"

/* Whether values broadcast to the shape; a size that masks decide is for the kernel to look at. */
static bool fits(const tm_tensor *values, int ndim, const int64_t *shape)
{
    int extra = ndim - tm_ndim(values);
    bool good = extra >= 0;
    for (int d = 0; good && d < tm_ndim(values); d++)
        good = tm_shape(values)[d] == 1 || tm_shape(values)[d] == shape[d + extra] ||
               shape[d + extra] == TM_DYNAMIC;
    return good;
}

static tm_status check_values(tm_call *call, tm_status code, const tm_key_plan *plan,
                              const tm_tensor *values)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_key_shape(plan, shape);
    if (fits(values, ndim, shape))
        return TM_OK;
    return tm_fail_arg(call, code, "values",
                       "values must broadcast to the shape %s of what key chooses, got shape %s",
                       tm_sizes_text(call, ndim, shape), tm_shape_text(call, values));
}

/* Room for the offsets of all masks; more than there can be asks for more than there is. */
static size_t room_for(tm_tensor_list tensors, const tm_key_plan *plan)
{
    int64_t room = 1; /* so that an empty mask has a block too */
    for (int k = 0; k < plan->num_tensors; k++)
        if (plan->tensors[k].kind == TM_KEY_MASK &&
            __builtin_add_overflow(room, tm_numel(tensors.data[k]), &room))
            return PTRDIFF_MAX;
    int64_t bytes;
    return __builtin_mul_overflow(room, (int64_t)sizeof room, &bytes) ? PTRDIFF_MAX : (size_t)bytes;
}

static tm_status put_meta(tm_call *call, const tm_tensor *x, const char *key,
                          tm_tensor_list tensors, const tm_tensor *values, bool accumulate)
{
    tm_key_plan plan;
    tm_dtype dtype = tm_dtype_of(x);
    tm_status status = tm_key_read(call, x, key, tensors, tm_no_ints, &plan);
    if (status != TM_OK)
        return status;
    if (tm_dtype_of(values) != dtype)
        return tm_fail_arg(call, TM_ERR_DTYPE, "values", "values must have x's dtype %s, got %s",
                           tm_dtype_name(dtype), tm_dtype_name(tm_dtype_of(values)));
    status = check_values(call, TM_ERR_SHAPE, &plan, values);
    if (status != TM_OK)
        return status;
    if (accumulate && !tm_indexed_reduce(TM_INDEXED_ADD, dtype))
        return tm_fail_arg(call, TM_ERR_DTYPE, "x",
                           "x must have a numeric dtype where values accumulate, got %s",
                           tm_dtype_name(dtype));
    if (plan.num_open > 0)
        tm_need_workspace(call, room_for(tensors, &plan));
    return tm_output_like(call, 0, x);
}

/* Writes where the mask is true, in bytes from the first element of its axes of the table, in
 * row-major order; returns how often. */
static int64_t find(const tm_tensor *mask, const tm_tensor *table, int axis, int64_t *offsets)
{
    int ndim = tm_ndim(mask);
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(table));
    int64_t index[TM_MAX_NDIM] = {0}, count = 0, offset = 0;
    const char *flag = tm_data(mask);
    for (int64_t left = tm_numel(mask); left > 0; left--) {
        if (*flag)
            offsets[count++] = offset;
        for (int d = ndim; d-- > 0; index[d] = 0) {
            int64_t size = tm_shape(mask)[d], step = tm_indexed_step(mask, d);
            int64_t stride = size == 1 ? 0 : tm_strides(table)[axis + d] * item;
            flag += step;
            offset += stride;
            if (++index[d] < size)
                break;
            flag -= step * size;
            offset -= stride * size;
        }
    }
    return count;
}

static tm_status put(tm_call *call, tm_tensor *x, const char *key, tm_tensor_list tensors,
                     const tm_tensor *values, bool accumulate)
{
    tm_key_plan plan;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t *offsets = tm_workspace(call);
    tm_status status = tm_key_read(call, x, key, tensors, tm_no_ints, &plan);
    bool masks = plan.num_open > 0;
    for (int k = 0; k < plan.num_tensors && status == TM_OK; k++) {
        tm_key_tensor *t = &plan.tensors[k];
        if (t->kind != TM_KEY_MASK)
            continue;
        t->offsets = offsets;
        int64_t count = find(tensors.data[k], x, t->axis, offsets);
        offsets += count;
        status = tm_key_close(call, &plan, k, count);
    }
    if (status == TM_OK && masks)
        status = check_values(call, TM_ERR_VALUE, &plan, values);
    if (status != TM_OK)
        return status;
    return tm_key_run(call, &plan, x, values, tensors,
                      accumulate ? tm_indexed_reduce(TM_INDEXED_ADD, dtype)
                                 : tm_indexed_write(tm_dtype_size(dtype)));
}

tm_status tm_index_put_meta(tm_call *call, const tm_tensor *x, const char *key,
                            tm_tensor_list tensors, const tm_tensor *values, bool accumulate)
{
    return put_meta(call, x, key, tensors, values, accumulate);
}

tm_status tm_index_put_impl(tm_call *call, const tm_tensor *x, const char *key,
                            tm_tensor_list tensors, const tm_tensor *values, bool accumulate,
                            tm_tensor *out)
{
    tm_indexed_copy(x, out);
    return put(call, out, key, tensors, values, accumulate);
}

tm_status tm_index_put__meta(tm_call *call, tm_tensor *x, const char *key, tm_tensor_list tensors,
                             const tm_tensor *values, bool accumulate)
{
    return put_meta(call, x, key, tensors, values, accumulate);
}

tm_status tm_index_put__impl(tm_call *call, tm_tensor *x, const char *key, tm_tensor_list tensors,
                             const tm_tensor *values, bool accumulate)
{
    return put(call, x, key, tensors, values, accumulate);
}
