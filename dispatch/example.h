/* example.h: a per-example kernel call laid out: which dimensions the kernel sees, which are loops.
 */
#ifndef TM_DISPATCH_EXAMPLE_H
#define TM_DISPATCH_EXAMPLE_H

#include "parallel.h"
#include "plan.h"

/* One operand as the kernel sees it. */
typedef struct tm_example_operand {
    int core;  /* number of core dimensions */
    int outer; /* logical dimensions that are loops */
    const int64_t *shape, *strides;
    int64_t room[2 * TM_MAX_NDIM]; /* shape and strides of permuted or padded core axes */
    int64_t outer_shape[TM_MAX_NDIM], outer_step[TM_MAX_NDIM];
} tm_example_operand;

typedef struct tm_example_run {
    tm_plan *plan;
    const tm_kernel *kernel;
    tm_example_operand *operands;
    char **base;
    int64_t *step; /* of the loops below, like plan->step */
    int loops;
    int64_t size[TM_MAX_LOOPS];
    int logical; /* how many of the loops are logical dimensions, in full */
    int64_t logical_size[TM_MAX_NDIM];
    size_t heap_size;
    void *heap;
    tm_example_operand inline_operands[TM_INLINE_OPERANDS];
    char *inline_base[TM_INLINE_OPERANDS];
    int64_t inline_step[TM_MAX_LOOPS * TM_INLINE_OPERANDS];
} tm_example_run;

/** Splits every operand and builds the loops; *any is false where there is no example. Free with
 *  tm_example_free, also after a failure. */
tm_status tm_example_layout(tm_example_run *run, bool *any);
void tm_example_free(tm_example_run *run);

/** About how many elements a kernel touches for one example: those of its largest operand, and what
 *  a call costs. */
static inline int64_t tm_example_work(const tm_example_run *run)
{
    enum { CALL = 16 };
    int64_t most = 0;
    for (int k = 0; k < run->plan->num_operands; k++) {
        int64_t numel = 1;
        for (int d = 0; d < run->operands[k].core; d++)
            numel *= run->operands[k].shape[d];
        if (numel > most)
            most = numel;
    }
    return most + CALL;
}

/** The handles and argument values of one worker. */
typedef struct tm_worker {
    tm_value args[TM_MAX_ARGS];
    tm_tensor **outs;
    tm_tensor *handles;
    const tm_tensor **list;
    size_t heap_size;
    const tm_value *caller_args;
    tm_tensor inline_handles[TM_INLINE_OPERANDS];
    tm_tensor *inline_outs[TM_MAX_OUTPUTS];
} tm_worker;

/** Fills a kernel's handle on x: one example's data, and what the kernel sees of shape and strides.
 */
static inline void tm_kernel_handle(tm_tensor *h, const tm_tensor *x, char *data, int ndim,
                                    const int64_t *shape, const int64_t *strides, bool read_only)
{
    h->magic = TM_MAGIC_LIVE;
    h->dtype = x->dtype;
    h->ndim = (uint8_t)ndim;
    h->num_entries = 0;
    h->plain = true;
    h->embedded = false;
    h->row_major = false;
    h->read_only = read_only;
    h->storage = x->storage;
    h->offset = 0;
    h->data = data;
    h->shape = shape;
    h->strides = strides;
    h->entries = NULL;
    h->scope = NULL;
}

/** Points the call at handles of this worker instead of the caller's arguments; undo with
 *  tm_worker_end, also after a failure. */
tm_status tm_worker_begin(const tm_example_run *run, tm_call *call, tm_worker *worker);
void tm_worker_end(tm_call *call, tm_worker *worker);

/** A tm_range_fn: the plain kernel on examples [begin, end). `context`: the run. */
tm_status tm_example_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope);

/** The examples a batched kernel would not vouch for. */
typedef struct tm_suspects {
    int64_t *index;
    int64_t count, room;
    bool all; /**< every example, whatever the list says */
} tm_suspects;

/** Calls a rule for all examples; `worker` has begun. Sets call->declined where the batch is none
 *  for a rule, suspects->all where the rule fails by what it found in the data. */
tm_status tm_rule_call(tm_call *call, const tm_example_run *run, tm_worker *worker,
                       const tm_kernel *kernel, tm_suspects *suspects);

/** All examples through the batched kernel; *declined where it would not. */
tm_status tm_run_batched(tm_example_run *run, const tm_kernel *kernel, bool *declined);
/** The `count` examples through the lanes kernel, a few at a time; *declined where none fits the
 *  examples, it does not pay, or the kernel would not. */
tm_status tm_run_lanes(tm_example_run *run, const tm_kernel *kernel, int64_t count, bool *declined);

#endif
