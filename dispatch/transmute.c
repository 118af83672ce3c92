/* transmute.c: batch entries become loops.
 *
 * This is the one place where levels meet a kernel call. An argument contributes a loop for each
 * of its entries, its own and its storage's; loops are in order of level id, whether or not the
 * levels' modes are on. A level that no argument has an entry of leaves no loop, so work that does
 * not depend on the batch is done once.
 *
 * A mapped write needs memory of each example's own. Where the written handle is not mapped at a
 * loop's level, or stands on storage made inside that level which all examples share so far, the
 * storage is promoted; memory made outside the level is refused. All refusals come before the
 * first promotion.
 */
#include <transmute/modes.h>

#include <assert.h>

#include "memory.h"
#include "plan.h"

static void count_operands(const tm_call *call, int *inputs, int *outputs)
{
    const tm_op *op = call->op;
    *inputs = 0;
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        if (!operand->read)
            continue;
        if (operand->type == TM_TYPE_TENSOR_LIST)
            *inputs += (int)call->args[operand->arg].tensors.count;
        else
            *inputs += tm_call_tensor(call, operand) != NULL;
    }
    *outputs = call->num_outputs;
}

static bool make_room(tm_plan *plan)
{
    plan->operand = plan->inline_operand;
    plan->step = plan->inline_step;
    plan->heap_size = 0;
    if (plan->num_operands <= TM_INLINE_OPERANDS)
        return true;
    size_t n = (size_t)plan->num_operands;
    size_t size = n * sizeof(tm_operand) + n * TM_MAX_LOOPS * sizeof(int64_t);
    char *heap = tm_alloc(size);
    if (!heap) {
        plan->num_operands = 0;
        return false;
    }
    plan->heap_size = size;
    plan->operand = (tm_operand *)heap;
    plan->step = (int64_t *)(heap + n * sizeof(tm_operand));
    return true;
}

void tm_plan_free(tm_plan *plan)
{
    for (int i = 0; i < plan->num_operands; i++)
        if (plan->operand[i].temporary)
            tm_release(plan->operand[i].temporary);
    if (plan->heap_size)
        tm_free(plan->operand, plan->heap_size);
}

/* Adds a level to the plan's, which stay in order of id. */
static void add_level(tm_plan *plan, uint64_t level, int64_t size)
{
    int at = plan->num_levels;
    while (at > 0 && plan->level[at - 1] > level)
        at--;
    if (at > 0 && plan->level[at - 1] == level)
        return;
    for (int i = plan->num_levels; i > at; i--) {
        plan->level[i] = plan->level[i - 1];
        plan->size[i] = plan->size[i - 1];
    }
    plan->level[at] = level;
    plan->size[at] = size;
    plan->num_levels++;
}

static void add_levels_of(tm_plan *plan, const tm_tensor *x)
{
    if (!tm_handle_mapped(x))
        return;
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    for (int i = 0; i < n; i++)
        add_level(plan, entries[i].level, entries[i].size);
}

/* The written argument of output i, or NULL. */
static const tm_tensor *written(const tm_call *call, int i)
{
    int arg = call->op->written_arg[i];
    return arg < 0 ? NULL : call->args[arg].tensor;
}

/* A random op draws for each example of every open level set to "different". */
static tm_status add_random_levels(tm_plan *plan)
{
    tm_thread *thread = plan->call->thread;
    plan->call->random_levels = 0;
    for (int i = thread->level_base; i < thread->num_levels; i++) {
        tm_open_level *level = &thread->levels[i];
        if (level->random_mode == TM_RANDOMNESS_ERROR)
            return tm_fail(plan->call, TM_ERR_VMAP,
                           "a random op is an error under this vmap; set its randomness to "
                           "\"different\" or \"same\"");
        if (level->random_mode == TM_RANDOMNESS_DIFFERENT && level->size < 0)
            return tm_fail(plan->call, TM_ERR_USAGE,
                           "nothing is mapped at the vmap yet and no size was given, so there are "
                           "no examples to draw for");
        if (level->random_mode == TM_RANDOMNESS_DIFFERENT)
            add_level(plan, level->id, level->size);
    }
    for (int l = 0; l < plan->num_levels; l++) {
        const tm_open_level *level = tm_thread_level(thread, plan->level[l]);
        if (!level || level->random_mode != TM_RANDOMNESS_DIFFERENT)
            continue;
        plan->call->random_levels |= 1u << l;
        plan->call->random_first[l] = level->first;
    }
    return TM_OK;
}

static bool has_entry(const tm_tensor *x, uint64_t level)
{
    for (int i = 0; i < x->num_entries; i++)
        if (x->entries[i].level == level)
            return true;
    return false;
}

/* Whether a mapped write at the level needs x's storage promoted. */
static bool needs_promotion(const tm_call *call, const tm_tensor *x, uint64_t level)
{
    return !x->plain && !tm_storage_entry(x->storage, level) && !x->storage->external &&
           tm_storage_inside(x->storage, call->thread, level);
}

/* A mapped value into memory that all examples share and that cannot be replicated. */
static tm_status refuse_write(tm_call *call, int output, uint64_t level)
{
    const tm_tensor *target = written(call, output);
    assert(target); /* check_written has looked at it */
    const tm_storage *storage = target->storage;
    const char *name = call->op->schema.params[call->op->written_arg[output]].name;
    bool wrapped = storage->external && tm_storage_inside(storage, call->thread, level);
    return tm_fail_arg(call, TM_ERR_VMAP, name,
                       "a mapped value cannot be written into %s, which is not mapped and %s", name,
                       wrapped ? "stands on wrapped memory; make it with an op, or map it"
                               : "was made outside the vmap; make it inside, or map it");
}

/* The refusals that promotion depends on: nothing has been written or promoted yet. */
static tm_status check_written(tm_plan *plan)
{
    tm_call *call = plan->call;
    for (int i = 0; i < call->op->schema.num_outputs; i++) {
        const tm_tensor *x = written(call, i);
        if (!x)
            continue;
        int operand = plan->num_inputs + i;
        tm_plan_set_operand(plan, operand, x);
        for (int l = 0; l < plan->num_levels; l++) {
            uint64_t level = plan->level[l];
            if (needs_promotion(call, x, level))
                plan->step[l * plan->num_operands + operand] = TM_STEP_APART;
            else if (!has_entry(x, level) && !tm_storage_entry(x->storage, level))
                return refuse_write(call, i, level);
        }
    }
    return tm_overlap_check_outputs(plan);
}

static tm_status promotion_memory(tm_call *call, int64_t bytes, int64_t examples)
{
    int64_t all;
    return tm_call_no_memory(call, tm_mul_size(bytes, examples, &all) ? all : INT64_MAX);
}

static tm_status promote_written(tm_plan *plan)
{
    tm_call *call = plan->call;
    for (int i = 0; i < call->op->schema.num_outputs; i++) {
        const tm_tensor *x = written(call, i);
        for (int l = 0; x && l < plan->num_levels; l++) {
            if (!needs_promotion(call, x, plan->level[l]))
                continue;
            tm_open_level *level = tm_thread_level(call->thread, plan->level[l]);
            if (!level || !tm_storage_promote(x->storage, level))
                return promotion_memory(call, x->storage->root->bytes, plan->size[l]);
            call->thread->stats.promotions++;
        }
    }
    return TM_OK;
}

void tm_plan_set_operand(const tm_plan *plan, int operand, const tm_tensor *x)
{
    plan->operand[operand].tensor = x;
    plan->operand[operand].base = tm_handle_data(x);
    if (plan->num_levels == 0)
        return;
    int64_t *step = plan->step + operand;
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_mapped(x) ? tm_handle_entries(x, entries) : 0;
    for (int l = 0, e = 0; l < plan->num_levels; l++) {
        step[l * plan->num_operands] = 0;
        if (e < n && entries[e].level == plan->level[l])
            step[l * plan->num_operands] = entries[e++].stride;
    }
}

static void set_operands(tm_plan *plan)
{
    const tm_call *call = plan->call;
    int at = 0, slot = 0;
    for (int i = 0; i < call->op->num_operands; i++) {
        const tm_op_operand *operand = &call->op->operands[i];
        if (!operand->read)
            continue;
        if (operand->type == TM_TYPE_TENSOR_LIST) {
            tm_tensor_list list = call->args[operand->arg].tensors;
            for (int64_t k = 0; k < list.count; k++, at++) {
                plan->operand[at].slot = (uint8_t)slot;
                tm_plan_set_operand(plan, at, list.data[k]);
            }
        } else {
            const tm_tensor *x = tm_call_tensor(call, operand);
            if (x) {
                plan->operand[at].slot = (uint8_t)slot;
                tm_plan_set_operand(plan, at++, x);
            }
        }
        slot++;
    }
    for (; at < plan->num_operands; at++)
        plan->operand[at].slot = (uint8_t)(call->op->list_output ? slot : slot++);
}

tm_status tm_transmute(tm_call *call, tm_plan *plan)
{
    const tm_op *op = call->op;
    int outputs;
    plan->call = call;
    plan->num_levels = plan->num_loops = 0;
    count_operands(call, &plan->num_inputs, &outputs);
    plan->num_operands = plan->num_inputs + outputs;
    if (!make_room(plan))
        return tm_call_no_memory(call, plan->num_operands);
    for (int i = 0; i < plan->num_operands; i++) {
        plan->operand[i].output = i < plan->num_inputs ? -1 : i - plan->num_inputs;
        plan->operand[i].temporary = NULL;
    }
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        if (operand->type == TM_TYPE_TENSOR_LIST) {
            tm_tensor_list list = call->args[operand->arg].tensors;
            for (int64_t k = 0; k < list.count; k++)
                add_levels_of(plan, list.data[k]);
        } else {
            const tm_tensor *x = tm_call_tensor(call, operand);
            if (x)
                add_levels_of(plan, x);
        }
    }
    tm_status status = op->def.contract == TM_RANDOM ? add_random_levels(plan) : TM_OK;
    if (status == TM_OK && op->has_written) {
        status = check_written(plan);
        if (status == TM_OK)
            status = promote_written(plan);
    }
    if (status != TM_OK)
        return status;
    plan->num_loops = plan->num_levels;
    set_operands(plan);
    return TM_OK;
}
