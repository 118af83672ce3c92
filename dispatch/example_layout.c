/* example_layout.c: splitting operands into what a per-example kernel sees and what is looped over.
 *
 * Core dimensions come last, in the order the kernel expects. The other logical dimensions of all
 * operands broadcast against each other; they are loops inside the levels.
 */
#include <string.h>

#include "example.h"
#include "memory.h"

static bool make_room(tm_example_run *r)
{
    size_t n = (size_t)r->plan->num_operands;
    r->operands = r->inline_operands;
    r->base = r->inline_base;
    r->step = r->inline_step;
    r->heap_size = 0;
    if (n <= TM_INLINE_OPERANDS)
        return true;
    size_t size =
        n * (sizeof(tm_example_operand) + sizeof(char *) + TM_MAX_LOOPS * sizeof(int64_t));
    char *heap = tm_alloc(size);
    if (!heap)
        return false;
    r->heap = heap;
    r->heap_size = size;
    r->operands = (tm_example_operand *)heap;
    r->base = (char **)(heap + n * sizeof(tm_example_operand));
    r->step = (int64_t *)(heap + n * (sizeof(tm_example_operand) + sizeof(char *)));
    return true;
}

/* Splits an operand's logical dimensions into core and outer ones. `axes` are the core axes in the
 * order that the kernel sees. */
static void split_axes(tm_example_operand *o, const tm_tensor *x, int num_axes, const uint8_t *axes)
{
    uint32_t core_mask = 0;
    o->core = num_axes;
    o->outer = 0;
    for (int i = 0; i < num_axes; i++) {
        core_mask |= 1u << axes[i];
        o->room[i] = x->shape[axes[i]];
        o->room[TM_MAX_NDIM + i] = x->strides[axes[i]];
    }
    o->shape = o->room;
    o->strides = o->room + TM_MAX_NDIM;
    for (int d = 0; d < x->ndim; d++) {
        if (core_mask >> d & 1)
            continue;
        o->outer_shape[o->outer] = x->shape[d];
        o->outer_step[o->outer++] = tm_handle_step(x, d);
    }
}

/* A signature's operand: trailing core dimensions, absent optional ones of size 1. */
static void split_signature(tm_example_operand *o, const tm_tensor *x,
                            const tm_signature *signature, int operand, uint32_t absent)
{
    const tm_signature_operand *dims = &signature->operands[operand];
    uint8_t axes[TM_SIGNATURE_CORE];
    int present = 0;
    for (int i = 0; i < dims->num_dims; i++)
        present += !(absent >> dims->dims[i] & 1);
    for (int i = 0; i < present; i++)
        axes[i] = (uint8_t)(x->ndim - present + i);
    split_axes(o, x, present, axes);
    int64_t shape[TM_SIGNATURE_CORE], strides[TM_SIGNATURE_CORE];
    for (int i = 0, at = 0; i < dims->num_dims; i++) {
        bool here = !(absent >> dims->dims[i] & 1);
        shape[i] = here ? o->room[at] : 1;
        strides[i] = here ? o->room[TM_MAX_NDIM + at] : 1;
        at += here;
    }
    o->core = dims->num_dims;
    memcpy(o->room, shape, sizeof shape);
    memcpy(o->room + TM_MAX_NDIM, strides, sizeof strides);
}

static void split_operand(tm_example_run *r, int i)
{
    const tm_plan *plan = r->plan;
    const tm_call *call = plan->call;
    const tm_op_def *def = &call->op->def;
    const tm_tensor *x = plan->operand[i].tensor;
    tm_example_operand *o = &r->operands[i];
    if (def->contract == TM_SIGNATURE) {
        split_signature(o, x, &call->op->signature, i, call->reduce_mask);
        return;
    }
    int slot = plan->operand[i].slot;
    if (slot < TM_CORE_OPERANDS && (call->core_set >> slot & 1)) {
        split_axes(o, x, call->core_count[slot], call->core[slot]);
        return;
    }
    int core = def->core ? def->core[slot] : TM_CORE_ALL;
    if (core == TM_CORE_ALL || core >= x->ndim) {
        o->core = x->ndim;
        o->outer = 0;
        o->shape = x->shape;
        o->strides = x->strides;
        return;
    }
    uint8_t axes[TM_MAX_NDIM];
    for (int k = 0; k < core; k++)
        axes[k] = (uint8_t)(x->ndim - core + k);
    split_axes(o, x, core, axes);
}

static void add_loop(tm_example_run *r, int64_t size, const int64_t *steps)
{
    int n = r->plan->num_operands;
    if (size == 1)
        return;
    if (r->loops > 0) { /* merging neighbours keeps the order of examples */
        int64_t *outer = r->step + (r->loops - 1) * n;
        bool together = true;
        for (int k = 0; k < n && together; k++)
            together = outer[k] == steps[k] * size;
        if (together) {
            r->size[r->loops - 1] *= size;
            memmove(outer, steps, (size_t)n * sizeof *steps);
            return;
        }
    }
    memmove(r->step + r->loops * n, steps, (size_t)n * sizeof *steps);
    r->size[r->loops++] = size;
}

/* The outer shape that all operands broadcast to. Meta has checked that they do. */
static tm_status broadcast_outer(tm_example_run *r)
{
    int n = r->plan->num_operands;
    r->logical = 0;
    for (int k = 0; k < n; k++)
        if (r->operands[k].outer > r->logical)
            r->logical = r->operands[k].outer;
    for (int d = 0; d < r->logical; d++) {
        r->logical_size[d] = 1;
        for (int k = 0; k < n; k++) {
            const tm_example_operand *o = &r->operands[k];
            int at = d - (r->logical - o->outer);
            if (at < 0 || o->outer_shape[at] == 1 || o->outer_shape[at] == r->logical_size[d])
                continue;
            if (r->logical_size[d] != 1)
                return tm_fail(r->plan->call, TM_ERR_SCHEMA,
                               "meta let loop sizes %lld and %lld pass, which do not broadcast",
                               (long long)r->logical_size[d], (long long)o->outer_shape[at]);
            r->logical_size[d] = o->outer_shape[at];
        }
    }
    return TM_OK;
}

/* Whether there are examples at all. Those that lie in one place and have no elements can be more
 * than there are numbers. */
static tm_status count_examples(const tm_example_run *r, bool *any)
{
    const tm_plan *plan = r->plan;
    int64_t count = 1;
    bool fits = true;
    *any = true;
    for (int l = 0; l < plan->num_levels + r->logical; l++) {
        int at = l - plan->num_levels;
        int64_t size = at < 0 ? plan->size[l] : r->logical_size[at];
        *any = *any && size > 0;
        fits = fits && tm_mul_size(count, size, &count);
    }
    if (*any && !fits)
        return tm_fail(plan->call, TM_ERR_MEMORY, "there are more examples than can be counted");
    return TM_OK;
}

/* Every loop: the levels, then the outer logical dimensions. */
static void build_loops(tm_example_run *r)
{
    const tm_plan *plan = r->plan;
    int n = plan->num_operands;
    r->loops = 0;
    for (int l = 0; l < plan->num_levels; l++)
        add_loop(r, plan->size[l], plan->step + l * n);
    for (int d = 0; d < r->logical; d++) {
        int64_t inline_steps[TM_INLINE_OPERANDS];
        /* The last row of step is free: there are never as many loops as rows. */
        int64_t *steps = n <= TM_INLINE_OPERANDS ? inline_steps : r->step + (TM_MAX_LOOPS - 1) * n;
        for (int k = 0; k < n; k++) {
            const tm_example_operand *o = &r->operands[k];
            int at = d - (r->logical - o->outer);
            steps[k] = at < 0 || o->outer_shape[at] == 1 ? 0 : o->outer_step[at];
        }
        add_loop(r, r->logical_size[d], steps);
    }
    if (r->loops == 0) {
        r->loops = 1;
        r->size[0] = 1;
        memset(r->step, 0, (size_t)n * sizeof *r->step);
    }
}

tm_status tm_example_layout(tm_example_run *run, bool *any)
{
    *any = false;
    if (!make_room(run))
        return tm_call_no_memory(run->plan->call, run->plan->num_operands);
    for (int i = 0; i < run->plan->num_operands; i++) {
        split_operand(run, i);
        run->base[i] = run->plan->operand[i].base;
    }
    tm_status status = broadcast_outer(run);
    if (status == TM_OK)
        status = count_examples(run, any);
    if (status == TM_OK && *any)
        build_loops(run);
    return status;
}

void tm_example_free(tm_example_run *run)
{
    if (run->heap_size)
        tm_free(run->heap, run->heap_size);
}
