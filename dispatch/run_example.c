/* run_example.c: a kernel of one example, stepped through the batch.
 *
 * The kernel's handles are structs on this stack. Stepping to the next example adds to their data
 * pointers and nothing else.
 */
#include "example.h"

#include "memory.h"
#include "nest.h"
#include "random.h"
#include <assert.h>

tm_status tm_worker_begin(const tm_example_run *r, tm_call *call, tm_worker *w)
{
    const tm_op *op = call->op;
    int n = r->plan->num_operands;
    w->caller_args = call->args;
    w->handles = w->inline_handles;
    w->outs = w->inline_outs;
    w->list = NULL;
    w->heap_size = 0;
    if (n > TM_INLINE_OPERANDS || op->has_list) {
        w->heap_size = (size_t)n * (sizeof(tm_tensor) + sizeof(tm_tensor *));
        w->handles = tm_alloc(w->heap_size);
        if (!w->handles) {
            w->heap_size = 0;
            return tm_call_no_memory(call, n);
        }
        w->list = (const tm_tensor **)(void *)((char *)w->handles + (size_t)n * sizeof(tm_tensor));
    }
    for (int k = 0; k < n; k++)
        tm_kernel_handle(&w->handles[k], r->plan->operand[k].tensor, r->plan->operand[k].base,
                         r->operands[k].core, r->operands[k].shape, r->operands[k].strides,
                         r->plan->operand[k].output < 0);
    for (int i = 0; i < op->schema.num_params; i++)
        tm_value_copy(&w->args[i], &call->args[i]);
    if (op->generator_arg >= 0) /* a kernel draws from its stream, whatever the generator */
        w->args[op->generator_arg].generator = NULL;
    int at = 0, listed = 0;
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        tm_value *arg = &w->args[operand->arg];
        if (operand->type == TM_TYPE_TENSOR_LIST) {
            assert(op->has_list); /* so there is a list */
            const tm_tensor **first = w->list + listed;
            for (int64_t k = 0; k < arg->tensors.count; k++)
                w->list[listed++] = &w->handles[at++];
            arg->tensors.data = first;
        } else if (operand->read && arg->tensor != TM_NONE) {
            arg->tensor = &w->handles[at++];
        }
    }
    if (op->list_output) {
        assert(w->list); /* has_list, too */
        w->outs = (tm_tensor **)(uintptr_t)(w->list + r->plan->num_inputs);
    }
    for (int i = 0; i < call->num_outputs; i++) {
        w->outs[i] = &w->handles[r->plan->num_inputs + i];
        int written = tm_op_written_arg(op, i);
        if (written >= 0) /* a declared `Tensor!` is passed where it stands */
            w->args[written].tensor = w->outs[i];
    }
    call->args = w->args;
    call->outs = w->outs;
    return TM_OK;
}

void tm_worker_end(tm_call *call, tm_worker *w)
{
    if (w->heap_size)
        tm_free(w->handles, w->heap_size);
    call->args = w->caller_args;
    call->outs = NULL;
}

static tm_status failed(const tm_example_run *r, tm_call *call, int64_t flat)
{
    tm_plan_failed(r->plan, call, flat, r->logical, r->logical_size);
    return call->failure.code;
}

/* Philox's key for this example, from its index at each level that draws. */
static void seek_stream(const tm_example_run *r, tm_call *call, int64_t flat)
{
    int64_t index[TM_MAX_LEVELS];
    const tm_plan *plan = r->plan;
    for (int d = 0; d < r->logical; d++)
        flat /= r->logical_size[d];
    for (int l = plan->num_levels; l-- > 0; flat /= plan->size[l])
        index[l] = flat % plan->size[l];
    tm_stream_seek(call, plan->num_levels, index);
    /* Random ops that the kernel calls draw from streams of this example's own, whichever thread
     * runs it: the key as seed, counts beyond those that calls reach. */
    tm_generator *generator = &call->thread->generator;
    generator->seed = (uint64_t)call->stream.key[1] << 32 | call->stream.key[0];
    generator->count = ~call->stream.count << 32;
    generator->pinned = false;
}

/* Examples [begin, end), pointers and indices already there. */
static tm_status run_examples(const tm_example_run *r, tm_call *call, tm_worker *w, char **ptr,
                              int64_t begin, int64_t end, tm_scope *scope)
{
    const tm_kernel *kernel = r->kernel;
    int n = r->plan->num_operands, inner = r->loops - 1;
    const int64_t *step = r->step + inner * n;
    bool random = call->op->def.contract == TM_RANDOM;
    tm_nest nest = {r->loops, n, r->size, r->step, r->base};
    int64_t index[TM_MAX_LOOPS];
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        int64_t run = r->size[inner] - index[inner];
        if (run > end - begin)
            run = end - begin;
        for (int k = 0; k < n; k++)
            w->handles[k].data = ptr[k];
        for (int64_t i = 0; i < run; i++) {
            if (random)
                seek_stream(r, call, begin + i);
            tm_status status = tm_call_judge(call, kernel->thunk(call, kernel));
            if (__builtin_expect(tm_kernel_untidy(call->thread, scope), 0))
                tm_kernel_tidy(call->thread, scope);
            if (__builtin_expect(status != TM_OK, 0))
                return failed(r, call, begin + i);
            for (int k = 0; k < n; k++)
                w->handles[k].data += step[k];
        }
        begin += run;
        tm_nest_advance(&nest, inner, run, ptr, index);
    }
    return TM_OK;
}

tm_status tm_example_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    const tm_example_run *r = context;
    size_t n = (size_t)r->plan->num_operands;
    tm_worker w;
    tm_status status = tm_worker_begin(r, call, &w);
    char *inline_ptr[TM_INLINE_OPERANDS], **ptr = inline_ptr;
    size_t ptr_size = n > TM_INLINE_OPERANDS ? n * sizeof *ptr : 0;
    if (ptr_size && !(ptr = tm_alloc(ptr_size)) && status == TM_OK)
        status = tm_call_no_memory(call, (int64_t)ptr_size);
    if (status == TM_OK) {
        assert(ptr);
        tm_generator generator;
        bool random = call->op->def.contract == TM_RANDOM;
        if (random)
            generator = call->thread->generator;
        status = run_examples(r, call, &w, ptr, begin, end, scope);
        if (random)
            call->thread->generator = generator;
    }
    if (ptr_size)
        tm_free(ptr, ptr_size);
    tm_worker_end(call, &w);
    return status;
}

tm_status tm_run_example(tm_plan *plan, const tm_kernel *kernel)
{
    tm_example_run run;
    run.plan = plan;
    run.kernel = kernel;
    run.heap_size = 0;
    bool any, declined = true;
    tm_status status = tm_example_layout(&run, &any);
    tm_call *call = plan->call;
    if (status == TM_OK && any) {
        int64_t count = tm_loop_count(run.loops, run.size);
        tm_thread *thread = call->thread;
        const tm_kernel *batched = tm_op_kernel(call->op, TM_KEY_BATCHED);
        if (batched && (thread->acceleration == TM_ACCEL_ON ||
                        (thread->acceleration == TM_ACCEL_AUTO && count > 1)))
            status = tm_run_batched(&run, batched, &declined);
        const tm_kernel *lanes = declined ? tm_op_kernel(call->op, TM_KEY_LANES) : NULL;
        if (lanes)
            status = tm_run_lanes(&run, lanes, count, &declined);
        if (declined) {
            thread->stats.plain_runs++;
            status = tm_run_range(call, count, tm_example_work(&run), kernel->thread_safe,
                                  tm_example_range, &run);
        }
    }
    tm_example_free(&run);
    return status;
}
