/* run_lanes.c: kernels that compute a few examples at once, one in each SIMD lane.
 *
 * A block of examples is brought from wherever its operands lie into arrays whose innermost
 * dimension is the lane, and its results are brought back. In the last block the lanes that are
 * left over repeat its last example. What the kernel does not vouch for runs again plainly, block
 * by block and in order, so that the failure that is seen is the first, in the plain kernel's
 * words.
 */
#include <assert.h>
#include <stdatomic.h>

#include "bypass.h"
#include "example.h"
#include "lanes_pack.h"
#include "memory.h"
#include "nest.h"
#include "tuning.h"

enum {
    ALIGNMENT = 64,
    MAX_OPERANDS = TM_MAX_ARGS + TM_MAX_OUTPUTS,
    MAX_WIDTH = 64,
    MAX_CORE = 1 << 16 /* elements of an operand: blocks are to stay in a cache */
};

typedef struct lanes_run {
    tm_example_run *run;
    const tm_lanes_kernel *kernel;
    size_t plain_bytes; /* of the workspace, which are the plain kernel's */
    bool bypass;        /* results are written past the caches */
    _Atomic bool declined;
    _Atomic uint64_t reruns;
} lanes_run;

/* One worker's block. */
typedef struct block {
    const lanes_run *l;
    tm_lanes lanes;
    tm_lanes_operand operand[MAX_OPERANDS];
    void *buffer[MAX_OPERANDS];
    bool moves[MAX_OPERANDS]; /* it differs between examples */
} block;

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int64_t core_count(const tm_example_operand *o)
{
    int64_t count = 1;
    for (int d = 0; d < o->core; d++)
        count *= o->shape[d];
    return count;
}

static const tm_lanes_kernel *choose(const tm_example_run *r, const tm_lanes_kernel *table)
{
    for (const tm_lanes_kernel *k = table; k->fn; k++) {
        bool fits = k->simd <= tm_simd_level() && k->width >= 2 && k->width <= MAX_WIDTH;
        for (int i = 0; i < r->plan->num_operands && fits; i++) {
            const tm_tensor *x = r->plan->operand[i].tensor;
            fits = (i >= r->plan->num_inputs || (tm_dtype)x->dtype == k->dtype) &&
                   core_count(&r->operands[i]) <= MAX_CORE;
            for (int d = 0; d < r->operands[i].core && fits; d++)
                fits = r->operands[i].shape[d] <= k->most;
        }
        if (fits)
            return k;
    }
    return NULL;
}

/* Cuts a worker's memory into a block's parts. Without a base: how many bytes they are. */
static size_t carve(block *b, char *base)
{
    const tm_example_run *r = b->l->run;
    int width = b->l->kernel->width, n = r->plan->num_operands;
    size_t used = 0;
    for (int k = 0; k < n; k++) {
        const tm_example_operand *from = &r->operands[k];
        tm_lanes_operand *o = &b->operand[k];
        size_t count = (size_t)core_count(from);
        size_t item = (size_t)tm_item_size(r->plan->operand[k].tensor->dtype);
        size_t buffer = used, offset = buffer + aligned(count * item * (size_t)width);
        size_t place = offset + count * sizeof(int64_t);
        size_t lane = aligned(place + count * sizeof(int32_t));
        used = aligned(lane + (size_t)width * sizeof(char *));
        if (!base)
            continue;
        *o = (tm_lanes_operand){
            .buffer = base + buffer, .item = (int)item, .width = width, .bypass = b->l->bypass};
        o->lane = (char **)(void *)(base + lane);
        tm_lanes_order(o, from->core, from->shape, from->strides,
                       (int64_t *)(void *)(base + offset), (int32_t *)(void *)(base + place));
        b->buffer[k] = o->buffer;
    }
    b->lanes = (tm_lanes){width, n, b->buffer};
    return used;
}

/* Points the lanes of every operand at the examples from `ptr` on and moves past them. Beyond
 * `valid` they repeat the last. */
static void seat(block *b, const tm_nest *nest, int valid, char **ptr, int64_t *index)
{
    int inner = nest->num_loops - 1, n = nest->operands, width = b->lanes.width;
    const int64_t *step = nest->step + inner * n;
    bool in_line = nest->size[inner] - index[inner] >= valid;
    if (in_line) {
        for (int k = 0; k < n; k++)
            for (int l = 0; l < valid; l++)
                b->operand[k].lane[l] = ptr[k] + l * step[k];
        tm_nest_advance(nest, inner, valid, ptr, index);
    } else {
        for (int l = 0; l < valid; l++) {
            for (int k = 0; k < n; k++)
                b->operand[k].lane[l] = ptr[k];
            tm_nest_advance(nest, inner, 1, ptr, index);
        }
    }
    for (int k = 0; k < n; k++) {
        b->operand[k].ahead = in_line ? width * step[k] : 0;
        for (int l = valid; l < width; l++)
            b->operand[k].lane[l] = b->operand[k].lane[valid - 1];
        b->operand[k].side_by_side = in_line && valid == width && step[k] == b->operand[k].item;
    }
}

/* Runs the examples of a block's suspect lanes plainly. */
static tm_status rerun(block *b, tm_call *call, uint64_t suspects, int64_t first, tm_scope *scope)
{
    lanes_run *l = (lanes_run *)(uintptr_t)b->l;
    tm_status status = TM_OK;
    for (int i = 0; suspects && status == TM_OK; i++, suspects >>= 1)
        if (suspects & 1) {
            atomic_fetch_add_explicit(&l->reruns, 1, memory_order_relaxed);
            status = tm_example_range(call, l->run, first + i, first + i + 1, scope);
        }
    return status;
}

static tm_status run_blocks(block *b, tm_call *call, tm_worker *w, int64_t begin, int64_t end,
                            tm_scope *scope)
{
    const tm_example_run *r = b->l->run;
    int n = b->lanes.num_operands, inputs = r->plan->num_inputs, width = b->lanes.width;
    assert(inputs <= n);
    char *ptr[MAX_OPERANDS];
    int64_t index[TM_MAX_LOOPS];
    tm_nest nest = {r->loops, n, r->size, r->step, r->base};
    tm_nest_seek(&nest, begin, ptr, index);
    for (int64_t at = begin; at < end; at += width) {
        int valid = end - at < width ? (int)(end - at) : width;
        seat(b, &nest, valid, ptr, index);
        for (int k = 0; k < inputs; k++)
            if (b->moves[k] || at == begin)
                tm_lanes_pack(&b->operand[k]);
        uint64_t suspects = b->l->kernel->fn(call, &b->lanes);
        if (tm_kernel_untidy(call->thread, scope))
            tm_kernel_tidy(call->thread, scope);
        tm_status told = tm_call_judge(call, TM_OK);
        if (told != TM_OK || call->declined)
            return told;
        for (int k = inputs; k < n; k++)
            tm_lanes_unpack(&b->operand[k], valid);
        suspects &= UINT64_MAX >> (64 - valid);
        if (suspects) {
            tm_worker_end(call, w); /* the plain kernel has handles of its own */
            tm_status status = rerun(b, call, suspects, at, scope);
            tm_status again = tm_worker_begin(r, call, w);
            if (status != TM_OK || again != TM_OK)
                return status != TM_OK ? status : again;
        }
    }
    return TM_OK;
}

static tm_status run_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    lanes_run *l = context;
    const tm_example_run *r = l->run;
    block b;
    memset(b.moves, 0, sizeof b.moves);
    b.l = l;
    carve(&b, (char *)call->workspace + l->plain_bytes);
    const int n = b.lanes.num_operands;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < r->loops; i++)
            b.moves[k] = b.moves[k] || r->step[i * n + k] != 0;
    }
    tm_worker w;
    call->declined = false;
    tm_status status = tm_worker_begin(r, call, &w);
    if (status == TM_OK)
        status = run_blocks(&b, call, &w, begin, end, scope);
    tm_worker_end(call, &w);
    if (l->bypass)
        tm_bypass_end();
    if (call->declined)
        atomic_store_explicit(&l->declined, true, memory_order_relaxed);
    return status;
}

tm_status tm_run_lanes(tm_example_run *run, const tm_kernel *kernel, int64_t count, bool *declined)
{
    tm_call *call = run->plan->call;
    tm_thread *thread = call->thread;
    const tm_lanes_kernel *chosen = choose(run, kernel->lanes);
    bool wanted = thread->acceleration == TM_ACCEL_ON || (count > 1 && chosen);
    *declined =
        !chosen || thread->acceleration == TM_ACCEL_OFF || !tm_path_taken(TM_PATH_LANES, wanted);
    if (*declined)
        return TM_OK;
    lanes_run l = {.run = run, .kernel = chosen, .plain_bytes = aligned(call->workspace_size)};
    size_t plain_size = call->workspace_size;
    int64_t work = 0, bytes = 0;
    for (int k = 0; k < run->plan->num_operands; k++) {
        int64_t elements = core_count(&run->operands[k]);
        work += elements;
        bytes += elements * tm_item_size(run->plan->operand[k].tensor->dtype);
    }
    l.bypass = tm_bypass_pays(count * bytes);
    call->workspace_size = l.plain_bytes + carve(&(block){.l = &l}, NULL);
    tm_status status = tm_run_range(call, count, work,
                                    kernel->thread_safe && run->kernel->thread_safe, run_range, &l);
    call->workspace_size = plain_size;
    thread->stats.reruns += l.reruns;
    *declined = status == TM_OK && l.declined;
    if (*declined)
        thread->stats.declined_runs++;
    else
        thread->stats.lanes_runs++;
    return status;
}
