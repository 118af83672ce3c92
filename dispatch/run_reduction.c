/* run_reduction.c: kept dimensions and the batch as outer loops, reduced dimensions for the kernel.
 *
 * The outer loops are in the order of memory, whatever dimension a batch lies in; a kernel that
 * fails is run again in the order of examples, which finds the first failure.
 *
 * The kernel gets runs of outputs that lie at equal steps, and the reduced dimensions in logical
 * order, neighbours merged where one step walks both. Merging never changes the order of elements,
 * so a kernel that goes by logical order gives the same bits whatever the layout.
 */
#include <stdlib.h>

#include "cast.h"
#include "memory.h"
#include "nest.h"
#include "parallel.h"

enum { CONVERTED_BYTES = 32768 }; /* converted at once, if one output's elements are fewer */

enum { BLOCK = 128 }; /* outputs of the innermost loop, where loops are blocked */

typedef struct reduction {
    tm_plan *plan;
    tm_reduce_fn fn;
    char *base[2];
    int loops;
    int64_t size[TM_MAX_LOOPS + 1], step[2 * (TM_MAX_LOOPS + 1)]; /* x, out */
    int reduced;
    int64_t red_size[TM_MAX_NDIM], red_step[TM_MAX_NDIM];
    int64_t count; /* elements under one output */
    bool converts;
    int64_t tile;        /* outputs converted at once */
    size_t converted_at; /* where in the workspace, behind the kernel's own */
} reduction;

static void insert_loop(reduction *r, int at, int64_t size, int64_t x_step, int64_t out_step)
{
    for (int l = r->loops++; l > at; l--) {
        r->size[l] = r->size[l - 1];
        r->step[2 * l] = r->step[2 * l - 2];
        r->step[2 * l + 1] = r->step[2 * l - 1];
    }
    r->size[at] = size;
    r->step[2 * at] = x_step;
    r->step[2 * at + 1] = out_step;
}

/* In the order of levels and dimensions, or `by_memory`: the loop that moves least in x innermost,
 * so that the kernel is given runs of x. */
static void add_loop(reduction *r, int64_t size, int64_t x_step, int64_t out_step, bool by_memory)
{
    int at = r->loops;
    if (size == 1)
        return;
    while (by_memory && at > 0 && llabs(r->step[2 * at - 2]) < llabs(x_step))
        at--;
    insert_loop(r, at, size, x_step, out_step);
}

/* Neighbours that one step walks become one loop. */
static void merge_loops(reduction *r)
{
    int last = 0;
    for (int l = 1; l < r->loops; l++) {
        const int64_t *step = r->step + 2 * l;
        if (r->step[2 * last] == step[0] * r->size[l] &&
            r->step[2 * last + 1] == step[1] * r->size[l]) {
            r->size[last] *= r->size[l];
        } else {
            last++;
            r->size[last] = r->size[l];
        }
        r->step[2 * last] = step[0];
        r->step[2 * last + 1] = step[1];
    }
    if (r->loops > 0)
        r->loops = last + 1;
    else
        insert_loop(r, 0, 1, 0, 0);
}

/* Where outputs lie closer along an outer loop than along the innermost one, that one is taken in
 * blocks, so that an output's line in memory is written while it is close by. */
static void block_loops(reduction *r)
{
    int inner = r->loops - 1, outer = 0;
    int64_t size = r->size[inner], x_step = r->step[2 * inner], out_step = r->step[2 * inner + 1];
    while (outer < inner && llabs(r->step[2 * outer + 1]) >= llabs(out_step))
        outer++;
    if (outer == inner || size <= BLOCK)
        return;
    int64_t block = BLOCK;
    while (block > BLOCK / 8 && size % block != 0)
        block--;
    if (size % block != 0)
        return;
    r->size[inner] = block;
    insert_loop(r, outer, size / block, x_step * block, out_step * block);
}

static void add_reduced(reduction *r, int64_t size, int64_t step)
{
    r->count *= size;
    if (size == 1)
        return;
    int last = r->reduced - 1;
    if (last >= 0 && r->red_step[last] == step * size) {
        r->red_size[last] *= size;
    } else {
        last = r->reduced++;
        r->red_size[last] = size;
    }
    r->red_step[last] = step;
}

/* False where there is no output element. Without a plan there are no levels. */
static bool build(reduction *r, const tm_call *call, const tm_tensor *x, const tm_tensor *out,
                  bool by_memory)
{
    const tm_plan *plan = r->plan;
    bool any = true;
    r->loops = r->reduced = 0;
    r->count = 1;
    for (int l = 0; plan && l < plan->num_levels; l++) {
        any = any && plan->size[l] > 0;
        add_loop(r, plan->size[l], plan->step[2 * l], plan->step[2 * l + 1], by_memory);
    }
    uint32_t mask = call->reduce_mask;
    for (int d = 0, o = 0; d < x->ndim; d++) {
        if (mask >> d & 1) {
            add_reduced(r, x->shape[d], tm_handle_step(x, d));
            o += call->reduce_keepdims;
        } else {
            any = any && x->shape[d] > 0;
            add_loop(r, x->shape[d], tm_handle_step(x, d), tm_handle_step(out, o), by_memory);
            o++;
        }
    }
    merge_loops(r);
    if (by_memory)
        block_loops(r);
    return any;
}

/* Outputs begin behind the inputs, at a place that suits every dtype. */
static int64_t inputs_room(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* A run through buffers: `converted` has room for `tile` outputs' elements in the loop's dtype,
 * then for the outputs. */
static tm_status run_converting(const reduction *r, tm_call *call, const tm_reduce_args *args,
                                char *converted)
{
    int64_t tile = r->tile;
    const tm_plan *plan = r->plan;
    tm_dtype x_dtype = (tm_dtype)plan->operand[0].tensor->dtype;
    tm_dtype out_dtype = (tm_dtype)plan->operand[1].tensor->dtype;
    int64_t item = (int64_t)tm_dtype_size(call->reduce_in);
    int64_t out_item = (int64_t)tm_dtype_size(call->reduce_out);
    char *out = converted + inputs_room(tile * r->count * item);
    for (int64_t at = 0; at < args->num; at += tile) {
        int64_t n = args->num - at < tile ? args->num - at : tile;
        int64_t size[1 + TM_MAX_NDIM] = {n};
        tm_copy_side from = {.base = (char *)(uintptr_t)args->x + at * args->x_step,
                             .dtype = x_dtype,
                             .step = {args->x_step}};
        tm_copy_side to = {.base = converted, .dtype = call->reduce_in};
        int64_t step = item;
        for (int d = r->reduced; d-- > 0; step *= r->red_size[d]) {
            size[1 + d] = r->red_size[d];
            from.step[1 + d] = r->red_step[d];
            to.step[1 + d] = step;
        }
        to.step[0] = step;
        tm_copy(1 + r->reduced, size, &to, &from);
        const tm_reduce_args block = {.x = converted,
                                      .out = out,
                                      .num = n,
                                      .x_step = step,
                                      .out_step = out_item,
                                      .ndim = r->count == 1 ? 0 : 1,
                                      .size = &r->count,
                                      .step = &item,
                                      .count = r->count};
        tm_status status = tm_call_judge(call, r->fn(call, &block));
        if (status != TM_OK) {
            call->failed_at = at + tm_failed_at(call, n);
            return status;
        }
        tm_cast(call->reduce_out, out_dtype)(out, out_item, args->out + at * args->out_step,
                                             args->out_step, n);
    }
    return TM_OK;
}

/* How many of the `left` outputs to come the innermost loop has at once; `args` for them. */
static int64_t next_run(const reduction *r, char *const *ptr, const int64_t *index, int64_t left,
                        tm_reduce_args *args)
{
    int inner = r->loops - 1;
    int64_t n = r->size[inner] - index[inner];
    if (n > left)
        n = left;
    *args = (tm_reduce_args){.x = ptr[0],
                             .out = ptr[1],
                             .num = n,
                             .x_step = r->step[2 * inner],
                             .out_step = r->step[2 * inner + 1],
                             .ndim = r->reduced,
                             .size = r->red_size,
                             .step = r->red_step,
                             .count = r->count};
    return n;
}

static tm_status run_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    (void)scope;
    const reduction *r = context;
    tm_nest nest = {r->loops, 2, r->size, r->step, r->base};
    char *ptr[2];
    int64_t index[TM_MAX_LOOPS + 1];
    int inner = r->loops - 1;
    char *converted = r->converts ? (char *)tm_workspace(call) + r->converted_at : NULL;
    tm_status status = TM_OK;
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        tm_reduce_args args;
        int64_t n = next_run(r, ptr, index, end - begin, &args);
        status = converted ? run_converting(r, call, &args, converted)
                           : tm_call_judge(call, r->fn(call, &args));
        if (status != TM_OK) {
            const tm_tensor *out = r->plan->operand[1].tensor;
            tm_plan_failed(r->plan, call, begin + tm_failed_at(call, n), out->ndim, out->shape);
            break;
        }
        begin += n;
        tm_nest_advance(&nest, inner, n, ptr, index);
    }
    return status;
}

static tm_status run(reduction *r, const tm_kernel *kernel)
{
    tm_call *call = r->plan->call;
    int64_t count = tm_loop_count(r->loops, r->size);
    call->failed_at = 0; /* for a loop that fails without saying where */
    size_t own = call->workspace_size;
    if (r->converts) {
        int64_t one;
        if (!tm_mul_size(r->count, (int64_t)tm_dtype_size(call->reduce_in), &one) ||
            one > INT64_MAX / 4)
            return tm_call_no_memory(call, INT64_MAX);
        r->tile = one < CONVERTED_BYTES ? CONVERTED_BYTES / (one + 1) + 1 : 1;
        r->converted_at = (size_t)inputs_room((int64_t)own);
        call->workspace_size =
            r->converted_at + (size_t)(inputs_room(r->tile * one) +
                                       r->tile * (int64_t)tm_dtype_size(call->reduce_out));
    }
    tm_status status = tm_run_range(call, count, r->count, kernel->thread_safe, run_range, r);
    call->workspace_size = own;
    return status;
}

tm_status tm_run_reduction(tm_plan *plan, const tm_kernel *kernel)
{
    const tm_tensor *x = plan->operand[0].tensor, *out = plan->operand[1].tensor;
    reduction r;
    r.plan = plan;
    r.fn = plan->call->reduce;
    r.converts = (tm_dtype)x->dtype != plan->call->reduce_in ||
                 (tm_dtype)out->dtype != plan->call->reduce_out;
    r.base[0] = plan->operand[0].base;
    r.base[1] = plan->operand[1].base;
    if (!build(&r, plan->call, x, out, true))
        return TM_OK;
    plan->call->thread->stats.plain_runs++;
    tm_status status = run(&r, kernel);
    if (status == TM_OK)
        return TM_OK;
    plan->call->failure.code = TM_OK; /* which output fails first is a matter of the other order */
    build(&r, plan->call, x, out, false);
    return run(&r, kernel);
}

/* As much as one thread does by itself. */
enum { DIRECT_ELEMENTS = 1 << 15 };

bool tm_run_reduction_direct(tm_call *call, const tm_kernel *kernel, tm_status *status)
{
    const tm_op *op = call->op;
    const tm_spec *spec = &call->specs[0];
    const tm_tensor *x = call->args[op->operands[0].arg].tensor;
    if (op->has_written || kernel->library || kernel->below || tm_handle_mapped(x) ||
        (tm_dtype)x->dtype != call->reduce_in || spec->dtype != call->reduce_out ||
        tm_handle_numel(x) > DIRECT_ELEMENTS)
        return false;
    int64_t bytes = tm_item_size((uint8_t)spec->dtype);
    for (int d = 0; d < spec->ndim; d++)
        bytes *= spec->shape[d];
    tm_tensor *out =
        tm_handle_new_storage(call->thread, spec->dtype, spec->ndim, spec->shape, bytes, 0);
    if (!out) {
        *status = tm_call_no_memory(call, bytes);
        return true;
    }
    call->results[0].tensor = out;
    call->thread->stats.calls++;
    call->thread->stats.plain_runs++;
    *status = TM_OK;
    reduction r;
    r.plan = NULL;
    r.base[0] = tm_handle_data(x);
    r.base[1] = out->storage->data;
    if (!build(&r, call, x, out, true))
        return true;
    tm_nest nest = {r.loops, 2, r.size, r.step, r.base};
    char *ptr[2];
    int64_t index[TM_MAX_LOOPS + 1];
    tm_nest_seek(&nest, 0, ptr, index);
    for (int64_t left = tm_loop_count(r.loops, r.size), n; left > 0 && *status == TM_OK;
         left -= n) {
        tm_reduce_args args;
        n = next_run(&r, ptr, index, left, &args);
        *status = call->reduce(call, &args);
        tm_nest_advance(&nest, r.loops - 1, n, ptr, index);
    }
    if (*status != TM_OK) { /* only a loop that broke its word comes here */
        tm_call_take_error(call, *status);
        tm_outputs_drop(call);
    }
    return true;
}
