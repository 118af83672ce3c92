/* index.c: what a key chooses of a tensor.
 *
 * `index` is made of two ops. Without tensors it is a view. With tensors it is a gather, whose
 * shape follows from shapes alone; what is true in masks becomes coordinates first, and only there
 * does the result's shape depend on data.
 */
#include "index_key.h"
#include "layout.h"
#include "ops_kernels.h"

static tm_status describe(tm_call *call, const tm_tensor *x, const tm_key_plan *plan)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_key_shape(plan, shape);
    return tm_output(call, 0, tm_dtype_of(x), ndim, shape);
}

/* -- Views ------------------------------------------------------------------------------------- */

tm_status tm_index_view_meta(tm_call *call, const tm_tensor *x, const char *key)
{
    tm_key_plan plan;
    tm_status status = tm_key_read(call, x, key, (tm_tensor_list){NULL, 0}, tm_no_ints, &plan);
    if (status != TM_OK)
        return status;
    int64_t offset = 0;
    tm_layout l;
    tm_layout_begin(&l);
    for (int i = 0; i < plan.num_numbers; i++) {
        int64_t stride = tm_strides(x)[plan.numbers[i].axis];
        offset = tm_wrap_plus(offset, tm_wrap_times(plan.numbers[i].index, stride));
    }
    for (int b = 0; b < plan.num_basic; b++) {
        const tm_key_axis *basic = &plan.basic[b];
        int64_t stride = basic->axis < 0 ? 1 : tm_strides(x)[basic->axis];
        tm_layout_push(&l, basic->size,
                       basic->size > 1 ? tm_wrap_times(basic->step, stride) : stride);
        offset = tm_wrap_plus(offset, tm_wrap_times(basic->start, stride));
    }
    return tm_layout_finish(call, x, &l, offset);
}

/* -- By tensors -------------------------------------------------------------------------------- */

tm_status tm_index_gather_meta(tm_call *call, const tm_tensor *x, const char *key,
                               tm_tensor_list tensors, tm_int_list coordinates)
{
    tm_key_plan plan;
    for (int64_t i = 0; i < coordinates.count; i++)
        if (coordinates.data[i] < 0 || coordinates.data[i] >= tensors.count)
            return tm_fail_arg(call, TM_ERR_VALUE, "coordinates",
                               "coordinates must be positions in a list of %lld tensors, got %lld",
                               (long long)tensors.count, (long long)coordinates.data[i]);
    tm_status status = tm_key_read(call, x, key, tensors, coordinates, &plan);
    if (status != TM_OK)
        return status;
    for (int k = 0; k < plan.num_tensors; k++)
        if (plan.tensors[k].kind == TM_KEY_MASK)
            return tm_fail_arg(call, TM_ERR_DTYPE, "tensors",
                               "tensors[%d] must have an integer dtype, got bool", k);
    return describe(call, x, &plan);
}

tm_status tm_index_gather_impl(tm_call *call, const tm_tensor *x, const char *key,
                               tm_tensor_list tensors, tm_int_list coordinates, tm_tensor *out)
{
    tm_key_plan plan;
    tm_status status = tm_key_read(call, x, key, tensors, coordinates, &plan);
    if (status != TM_OK)
        return status;
    return tm_key_run(call, &plan, x, out, tensors, tm_indexed_read(tm_dtype_size(tm_dtype_of(x))));
}

/* All examples in one walk. An index that is out of range somewhere is left to the plain
 * kernel, which says where. */
tm_status tm_index_gather_batched(tm_call *call, const tm_batch *batch)
{
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    const char *key = tm_call_arg(call, 1)->str;
    tm_tensor_list tensors = tm_call_arg(call, 2)->tensors;
    const tm_tensor *out = tm_call_output(call, 0);
    tm_key_plan plan;
    tm_status status = tm_key_read(call, x, key, tensors, tm_call_arg(call, 3)->ints, &plan);
    if (status != TM_OK)
        return status;
    tm_key_walk k;
    tm_key_begin(&k, &plan, x, out, tensors);
    int64_t count = 1;
    for (int l = 0; l < batch->ndim; l++) {
        const int64_t *step = batch->step + l * batch->num_operands;
        tm_indexed_loop(&k.w, batch->size[l], step[0], step[batch->num_operands - 1]);
        for (int s = 0; s < k.w.num_sources; s++)
            k.sources[s].step[l] = step[1 + k.tensor[s]];
        count *= batch->size[l];
    }
    tm_key_loops(&k, &plan, x, out, tensors);
    bool good = tm_indexed_run(&k.w, tm_indexed_read(tm_dtype_size(tm_dtype_of(x))), NULL);
    for (int64_t i = 0; i < count && !good; i++)
        tm_batch_suspect(call, i);
    return TM_OK;
}

/* -- index ------------------------------------------------------------------------------------- */

tm_status tm_index_meta(tm_call *call, const tm_tensor *x, const char *key, tm_tensor_list tensors)
{
    tm_key_plan plan;
    tm_status status = tm_key_read(call, x, key, tensors, tm_no_ints, &plan);
    return status == TM_OK ? describe(call, x, &plan) : status;
}

tm_status tm_index_impl(tm_call *call, const tm_tensor *x, const char *key, tm_tensor_list tensors,
                        tm_tensor **out)
{
    const tm_tensor *list[TM_KEY_ITEMS];
    int64_t masks[TM_KEY_ITEMS], num_masks = 0;
    tm_key_plan plan;
    tm_status status = tm_key_read(call, x, key, tensors, tm_no_ints, &plan);
    for (int k = 0; k < plan.num_tensors && status == TM_OK; k++) {
        list[k] = tensors.data[k];
        if (plan.tensors[k].kind != TM_KEY_MASK)
            continue;
        list[k] = tm_nonzero(list[k]);
        masks[num_masks++] = k;
        status = list[k] ? tm_key_close(call, &plan, k, tm_shape(list[k])[0]) : tm_error_code();
    }
    if (status != TM_OK)
        return status;
    *out = tensors.count == 0 ? tm_index_view(x, key)
                              : tm_index_gather(x, key, (tm_tensor_list){list, tensors.count},
                                                (tm_int_list){masks, num_masks});
    return *out ? TM_OK : tm_error_code();
}
