/* index_walk.c: the walk over what a key chooses. */
#include "index_key.h"

static int64_t item_of(const tm_tensor *table)
{
    return (int64_t)tm_dtype_size(tm_dtype_of(table));
}

static void add_source(tm_key_walk *k, int tensor, int column, int axis, const tm_index_source *s)
{
    int i = k->w.num_sources++;
    k->tensor[i] = tensor;
    k->column[i] = column;
    k->axis[i] = axis;
    k->sources[i] = *s;
}

/* Where numbers and slices put the first element, in bytes. A slice without elements has none. */
static int64_t base_of(const tm_key_plan *plan, const tm_tensor *table)
{
    int64_t base = 0;
    for (int i = 0; i < plan->num_numbers; i++)
        base += plan->numbers[i].index * tm_strides(table)[plan->numbers[i].axis];
    for (int b = 0; b < plan->num_basic; b++)
        if (plan->basic[b].axis >= 0 && plan->basic[b].size > 0)
            base += plan->basic[b].start * tm_strides(table)[plan->basic[b].axis];
    return base * item_of(table);
}

void tm_key_begin(tm_key_walk *k, const tm_key_plan *plan, const tm_tensor *table,
                  const tm_tensor *dense, tm_tensor_list tensors)
{
    tm_indexed_begin(&k->w, (const char *)tm_data(table) + base_of(plan, table), tm_data(dense),
                     k->sources, 0);
    for (int i = 0; i < plan->num_tensors; i++) {
        const tm_key_tensor *t = &plan->tensors[i];
        const tm_tensor *index = tensors.data[i];
        if (t->kind == TM_KEY_MASK && t->num_axes > 0)
            add_source(k, i, -1, t->axis, &(tm_index_source){.at = (const char *)t->offsets});
        if (t->kind == TM_KEY_MASK)
            continue;
        bool coordinates = t->kind == TM_KEY_COORDINATES;
        for (int a = 0; a < t->num_axes; a++) {
            int64_t size = tm_shape(table)[t->axis + a];
            int64_t skip = coordinates ? a * tm_indexed_step(index, t->ndim) : 0;
            add_source(
                k, i, coordinates ? a : -1, t->axis + a,
                &(tm_index_source){.at = (const char *)tm_data(index) + skip,
                                   .dtype = tm_dtype_of(index),
                                   .size = size,
                                   .wrap = size,
                                   .stride = tm_strides(table)[t->axis + a] * item_of(table)});
        }
    }
}

/* The bytes from one index of tensor i to the next along axis d of what the indices broadcast to.
 */
static int64_t step_of(const tm_key_plan *plan, int i, const tm_tensor *index, int d)
{
    const tm_key_tensor *t = &plan->tensors[i];
    int its = d - (plan->ndim - t->ndim);
    if (t->kind == TM_KEY_MASK)
        return its == 0 && t->count != 1 ? (int64_t)sizeof(int64_t) : 0;
    return its < 0 ? 0 : tm_indexed_step(index, its);
}

static int64_t dense_step(const tm_tensor *dense, int from_last)
{
    int d = tm_ndim(dense) - from_last;
    return d < 0 ? 0 : tm_indexed_step(dense, d);
}

void tm_key_loops(tm_key_walk *k, const tm_key_plan *plan, const tm_tensor *table,
                  const tm_tensor *dense, tm_tensor_list tensors)
{
    int left = plan->num_basic + plan->ndim;
    for (int b = 0; b <= plan->num_basic; b++) {
        for (int d = 0; b == plan->place && d < plan->ndim; d++) {
            tm_indexed_loop(&k->w, plan->shape[d], 0, dense_step(dense, left--));
            for (int s = 0; s < k->w.num_sources; s++)
                k->sources[s].step[k->w.num_loops - 1] =
                    step_of(plan, k->tensor[s], tensors.data[k->tensor[s]], d);
        }
        if (b == plan->num_basic)
            break;
        const tm_key_axis *basic = &plan->basic[b];
        int64_t stride = basic->size > 1 ? tm_strides(table)[basic->axis] : 0;
        tm_indexed_loop(&k->w, basic->size, basic->step * stride * item_of(table),
                        dense_step(dense, left--));
    }
}

tm_status tm_key_run(tm_call *call, const tm_key_plan *plan, const tm_tensor *table,
                     const tm_tensor *dense, tm_tensor_list tensors,
                     const tm_indexed_kernel *kernel)
{
    tm_key_walk k;
    tm_key_begin(&k, plan, table, dense, tensors);
    tm_key_loops(&k, plan, table, dense, tensors);
    tm_status status = TM_OK;
    bool good = tm_indexed_run(&k.w, kernel, NULL);
    for (int s = 0; s < k.w.num_sources && !good && status == TM_OK; s++)
        if (k.column[s] >= 0 || plan->tensors[k.tensor[s]].kind != TM_KEY_MASK)
            status = tm_indexed_fail(call, "tensors", k.tensor[s], tensors.data[k.tensor[s]],
                                     k.column[s], k.axis[s], tm_shape(table)[k.axis[s]],
                                     tm_shape(table)[k.axis[s]]);
    return status;
}
