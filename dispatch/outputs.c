/* outputs.c: the memory a kernel writes.
 *
 * A new output is one allocation. The levels' loops lie outside or inside all of its logical
 * dimensions, which are row-major relative to each other, so what is asked about strides has the
 * same answer for a batch as for one example. A written argument is the output itself, or a
 * temporary stands in for it: where the kernel can fail half way, and where it computes in a
 * narrower dtype than the argument's.
 */
#include "cast.h"
#include "memory.h"
#include "placement.h"

/* The examples of a level lie `step` bytes apart. */
static inline void set_level(tm_plan *plan, int operand, tm_storage *storage, int l, int64_t step)
{
    storage->entries[l] = (tm_batch_entry){plan->level[l], plan->size[l], step};
    plan->step[l * plan->num_operands + operand] = step;
}

static tm_tensor *new_tensor(tm_plan *plan, int operand, tm_dtype dtype, int ndim,
                             const int64_t *shape, const tm_placement *place)
{
    tm_thread *thread = plan->call->thread;
    int64_t numel = 1, bytes;
    for (int d = 0; d < ndim; d++)
        numel *= shape[d];
    bytes = numel * tm_item_size((uint8_t)dtype);
    int levels = plan->num_levels;
    for (int l = levels; l-- > 0;)
        if (!tm_mul_size(bytes, plan->size[l], &bytes)) {
            tm_call_no_memory(plan->call, INT64_MAX);
            return NULL;
        }
    tm_tensor *x = tm_handle_new_storage(thread, dtype, ndim, shape, bytes, levels);
    if (!x) {
        tm_call_no_memory(plan->call, bytes);
        return NULL;
    }
    tm_storage *storage = x->storage;
    int64_t step = tm_item_size((uint8_t)dtype);
    if (place->count) {
        int64_t one = step, *strides = tm_handle_strides(x);
        for (int i = place->count; i-- > 0;) {
            int64_t size = plan->size[place->level[i]];
            set_level(plan, operand, storage, place->level[i], step);
            step *= size ? size : 1;
        }
        for (int d = 0; d < ndim; d++)
            strides[d] *= step / one;
        x->row_major = false;
    }
    step *= numel;
    for (int l = levels; l-- > 0;)
        if (!place->is_inner[l]) {
            set_level(plan, operand, storage, l, step);
            step *= plan->size[l];
        }
    storage->num_entries = (uint8_t)levels;
    plan->operand[operand].tensor = x;
    plan->operand[operand].base = storage->data;
    return x;
}

tm_tensor *tm_plan_new_tensor(tm_plan *plan, int operand, tm_dtype dtype, int ndim,
                              const int64_t *shape)
{
    const tm_placement outside = {0};
    return new_tensor(plan, operand, dtype, ndim, shape, &outside);
}

/* The operand's steps along the levels, without the other operands'. */
static void level_steps(const tm_plan *plan, int operand, int64_t steps[TM_MAX_LEVELS])
{
    for (int l = 0; l < plan->num_levels; l++)
        steps[l] = plan->step[l * plan->num_operands + operand];
}

void tm_plan_copy(const tm_plan *plan, const tm_operand *to, const int64_t *to_step,
                  const tm_operand *from, const int64_t *from_step)
{
    tm_copy_side dst = {.base = to->base, .dtype = (tm_dtype)to->tensor->dtype};
    tm_copy_side src = {.base = from->base, .dtype = (tm_dtype)from->tensor->dtype};
    int64_t size[TM_COPY_DIMS];
    int n = 0;
    for (int l = 0; l < plan->num_levels; l++, n++) {
        size[n] = plan->size[l];
        dst.step[n] = to_step[l];
        src.step[n] = from_step[l];
    }
    for (int d = 0; d < to->tensor->ndim; d++, n++) {
        size[n] = to->tensor->shape[d];
        dst.step[n] = tm_handle_step(to->tensor, d);
        src.step[n] = tm_handle_step(from->tensor, d);
    }
    tm_copy(n, size, &dst, &src);
}

static tm_status set_written(tm_plan *plan, int i, const tm_tensor *x, bool elementwise,
                             bool in_temporary)
{
    const tm_spec *spec = &plan->call->specs[i];
    int operand = plan->num_inputs + i;
    int first_out = plan->call->num_compute - plan->call->op->schema.num_outputs;
    plan->call->results[i].tensor = x;
    tm_plan_set_operand(plan, operand, x);
    /* A result of 16 bits that is computed in more is rounded to them, also on its way to a wider
     * argument. */
    bool direct = spec->dtype == (tm_dtype)x->dtype ||
                  (elementwise && spec->dtype == (tm_dtype)plan->call->compute[first_out + i]);
    if (!in_temporary && direct)
        return TM_OK;
    tm_operand argument = plan->operand[operand];
    int64_t from_step[TM_MAX_LEVELS], to_step[TM_MAX_LEVELS];
    level_steps(plan, operand, from_step);
    tm_tensor *aside = tm_plan_new_tensor(plan, operand, spec->dtype, spec->ndim, spec->shape);
    if (!aside)
        return TM_ERR_MEMORY;
    plan->operand[operand].temporary = aside;
    if (plan->call->op->form == TM_FORM_DECLARED) { /* its kernel may read what it writes */
        level_steps(plan, operand, to_step);
        tm_plan_copy(plan, &plan->operand[operand], to_step, &argument, from_step);
    }
    return TM_OK;
}

tm_status tm_outputs(tm_plan *plan, bool elementwise, bool in_temporary)
{
    tm_call *call = plan->call;
    int outputs = call->num_outputs;
    tm_placement place;
    tm_placement_choose(plan, &place);
    for (int i = 0; i < outputs; i++)
        call->results[i].tensor = NULL;
    for (int i = 0; i < outputs; i++) {
        int arg = tm_op_written_arg(call->op, i);
        tm_status status = TM_OK;
        if (arg >= 0) {
            status = set_written(plan, i, call->args[arg].tensor, elementwise, in_temporary);
        } else {
            const tm_spec *spec = &call->specs[i];
            call->results[i].tensor = new_tensor(plan, plan->num_inputs + i, spec->dtype,
                                                 spec->ndim, spec->shape, &place);
            if (!call->results[i].tensor)
                status = TM_ERR_MEMORY;
        }
        if (status != TM_OK) {
            tm_outputs_drop(call);
            return status;
        }
    }
    if (!call->op->has_written)
        return TM_OK;
    tm_status status = tm_overlap_copy_inputs(plan, elementwise);
    if (status != TM_OK)
        tm_outputs_drop(call);
    return status;
}

void tm_outputs_commit(tm_plan *plan)
{
    tm_call *call = plan->call;
    for (int i = 0; i < call->op->schema.num_outputs; i++) {
        int at = plan->num_inputs + i;
        tm_operand aside = plan->operand[at];
        if (!aside.temporary)
            continue;
        int64_t from_step[TM_MAX_LEVELS], to_step[TM_MAX_LEVELS];
        level_steps(plan, at, from_step);
        tm_plan_set_operand(plan, at, call->results[i].tensor);
        level_steps(plan, at, to_step);
        tm_plan_copy(plan, &plan->operand[at], to_step, &aside, from_step);
    }
}

void tm_outputs_drop(tm_call *call)
{
    for (int i = 0; i < call->num_outputs; i++) {
        if (tm_op_written_arg(call->op, i) < 0)
            tm_release(call->results[i].tensor);
        call->results[i].tensor = NULL;
    }
}
