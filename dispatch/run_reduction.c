/* run_reduction.c: kept dimensions and the batch as outer loops, reduced dimensions for the kernel.
 *
 * The outer loops are in the order of memory, whatever dimension a batch lies in; a kernel that
 * fails is run again in the order of examples, which finds the first failure.
 *
 * The kernel gets runs of outputs that lie at equal steps, and the reduced dimensions in logical
 * order, neighbours merged where one step walks both. Merging never changes the order of elements,
 * so a kernel that goes by logical order gives the same bits whatever the layout.
 */
#include "cast.h"
#include "memory.h"
#include "nest.h"
#include "parallel.h"
#include "reduction_loops.h"

enum { CONVERTED_BYTES = 32768 }; /* converted at once, if one output's elements are fewer */

/* Outputs begin behind the inputs, at a place that suits every dtype. */
static int64_t inputs_room(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* A run through buffers: `converted` has room for `tile` outputs' elements in the loop's dtype,
 * then for the outputs. */
static tm_status run_converting(const tm_reduction *r, tm_call *call, const tm_reduce_args *args,
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

/* `num` outputs, x_step and out_step apart. */
static tm_reduce_args args_for(const tm_reduction *r, const char *x, char *out, int64_t num,
                               int64_t x_step, int64_t out_step)
{
    return (tm_reduce_args){.x = x,
                            .out = out,
                            .num = num,
                            .x_step = x_step,
                            .out_step = out_step,
                            .ndim = r->reduced,
                            .size = r->red_size,
                            .step = r->red_step,
                            .count = r->count};
}

/* How many of the `left` outputs to come the innermost loop has at once; `args` for them. */
static int64_t next_run(const tm_reduction *r, char *const *ptr, const int64_t *index, int64_t left,
                        tm_reduce_args *args)
{
    int inner = r->loops - 1;
    int64_t n = r->size[inner] - index[inner];
    if (n > left)
        n = left;
    *args = args_for(r, ptr[0], ptr[1], n, r->step[2 * inner], r->step[2 * inner + 1]);
    return n;
}

static tm_status run_outputs(const tm_reduction *r, tm_call *call, const tm_reduce_args *args)
{
    if (r->converts)
        return run_converting(r, call, args, (char *)tm_workspace(call) + r->converted_at);
    return tm_call_judge(call, r->fn(call, args));
}

static tm_status run_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    (void)scope;
    const tm_reduction *r = context;
    tm_nest nest = {r->loops, 2, r->size, r->step, r->base};
    char *ptr[2];
    int64_t index[TM_MAX_LOOPS + 1];
    int inner = r->loops - 1;
    tm_status status = TM_OK;
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        tm_reduce_args args;
        int64_t n = next_run(r, ptr, index, end - begin, &args);
        status = run_outputs(r, call, &args);
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

/* Whole panels. Which output fails first is found by another run. */
static tm_status run_panels(tm_call *call, void *context, int64_t begin, int64_t end,
                            tm_scope *scope)
{
    (void)scope;
    const tm_reduction *r = context;
    const tm_panel *p = &r->panel;
    tm_nest nest = {r->loops, 2, r->size, r->step, r->base};
    char *ptr[2], *made = (char *)tm_workspace(call) + p->at;
    int64_t index[TM_MAX_LOOPS + 1];
    int inner = r->loops - 1;
    tm_status status = TM_OK;
    tm_nest_seek(&nest, begin, ptr, index);
    for (; begin < end && status == TM_OK; begin++) {
        int64_t rows = p->rows - index[p->row_loop] * p->most_rows;
        int64_t columns = p->columns - index[inner] * p->most_columns;
        rows = rows < p->most_rows ? rows : p->most_rows;
        columns = columns < p->most_columns ? columns : p->most_columns;
        for (int64_t i = 0; i < rows && status == TM_OK; i++) {
            const tm_reduce_args args =
                args_for(r, ptr[0] + i * p->row_step[0], made + i * columns * p->item, columns,
                         p->column_step[0], p->item);
            status = run_outputs(r, call, &args);
        }
        if (status == TM_OK) {
            tm_dtype dtype = (tm_dtype)r->plan->operand[1].tensor->dtype;
            const tm_copy_side from = {
                .base = made, .dtype = dtype, .step = {p->item, columns * p->item}};
            const tm_copy_side to = {
                .base = ptr[1], .dtype = dtype, .step = {p->column_step[1], p->row_step[1]}};
            tm_copy(2, (const int64_t[]){columns, rows}, &to, &from);
        }
        tm_nest_advance(&nest, inner, 1, ptr, index);
    }
    return status;
}

static tm_status run(tm_reduction *r, const tm_kernel *kernel)
{
    tm_call *call = r->plan->call;
    tm_panel *p = &r->panel;
    int64_t count = tm_loop_count(r->loops, r->size), work = r->count;
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
    if (p->most_columns) {
        p->at = (size_t)inputs_room((int64_t)call->workspace_size);
        int64_t outputs = p->most_rows * p->most_columns;
        call->workspace_size = p->at + (size_t)(outputs * p->item);
        work = work < INT64_MAX / outputs ? work * outputs : INT64_MAX;
    }
    tm_status status = tm_run_range(call, count, work, kernel->thread_safe,
                                    p->most_columns ? run_panels : run_range, r);
    call->workspace_size = own;
    return status;
}

tm_status tm_run_reduction(tm_plan *plan, const tm_kernel *kernel)
{
    const tm_tensor *x = plan->operand[0].tensor, *out = plan->operand[1].tensor;
    tm_reduction r;
    r.plan = plan;
    r.fn = plan->call->reduce;
    r.converts = (tm_dtype)x->dtype != plan->call->reduce_in ||
                 (tm_dtype)out->dtype != plan->call->reduce_out;
    r.base[0] = plan->operand[0].base;
    r.base[1] = plan->operand[1].base;
    if (!tm_reduction_loops(&r, plan->call, x, out, true))
        return TM_OK;
    tm_reduction_panel(&r, tm_item_size((uint8_t)out->dtype), plan->call->thread->num_threads);
    plan->call->thread->stats.plain_runs++;
    tm_status status = run(&r, kernel);
    if (status == TM_OK)
        return TM_OK;
    plan->call->failure.code = TM_OK; /* which output fails first is a matter of the other order */
    tm_reduction_loops(&r, plan->call, x, out, false);
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
    tm_reduction r;
    r.plan = NULL;
    r.base[0] = tm_handle_data(x);
    r.base[1] = out->storage->data;
    if (!tm_reduction_loops(&r, call, x, out, true))
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
