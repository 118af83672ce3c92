/* run_direct.c: the common per-example call outside every level: one example, run once.
 *
 * Where no argument is mapped, none is a list or written, and every dimension is core, there are no
 * loops to plan: outputs are made, the kernel's handles are filled, the kernel is called. Anything
 * else is left to run_example.c, which gives the same result.
 */
#include "example.h"

enum { DIRECT_OPERANDS = 6 };

typedef struct direct {
    const tm_kernel *kernel;
    int operands;
    tm_tensor handles[DIRECT_OPERANDS];
    tm_tensor *outs[TM_MAX_OUTPUTS];
    tm_value args[TM_MAX_ARGS];
} direct;

/* Whether all `ndim` dimensions of the operand in that slot are core, in their own order. */
static bool all_core(const tm_call *call, int slot, int ndim)
{
    const tm_op_def *def = &call->op->def;
    if (def->contract == TM_SIGNATURE)
        return call->reduce_mask == 0 && ndim == call->op->signature.operands[slot].num_dims;
    if (slot < TM_CORE_OPERANDS && (call->core_set >> slot & 1))
        return ndim == 1 && call->core_count[slot] == 1;
    int core = def->core ? def->core[slot] : TM_CORE_ALL;
    return core == TM_CORE_ALL || core >= ndim;
}

/* Gives the inputs handles; false where one is mapped or has dimensions to loop over. */
static bool add_inputs(direct *d, const tm_call *call)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->schema.num_params; i++)
        d->args[i] = call->args[i];
    for (int i = 0; i < op->num_operands; i++) {
        const tm_tensor *x = tm_call_tensor(call, &op->operands[i]);
        if (!x)
            continue;
        if (d->operands == DIRECT_OPERANDS || tm_handle_mapped(x) || !all_core(call, i, x->ndim))
            return false;
        tm_tensor *h = &d->handles[d->operands++];
        tm_kernel_handle(h, x, tm_handle_data(x), x->ndim, x->shape, x->strides, true);
        d->args[op->operands[i].arg].tensor = h;
    }
    return true;
}

static tm_status run(tm_call *call, void *context, int64_t begin, int64_t end, tm_scope *scope)
{
    (void)begin;
    (void)end;
    direct *d = context;
    const tm_value *args = call->args;
    call->args = d->args;
    call->outs = d->outs;
    tm_status status = d->kernel->thunk(call, d->kernel);
    call->args = args;
    call->outs = NULL;
    if (tm_kernel_untidy(call->thread, scope))
        tm_kernel_tidy(call->thread, scope);
    if (__builtin_expect(status == TM_OK, 1))
        return TM_OK;
    tm_call_take_error(call, status);
    return call->failure.code;
}

bool tm_run_direct(tm_call *call, const tm_kernel *kernel, tm_status *status)
{
    const tm_op *op = call->op;
    int outputs = op->schema.num_outputs;
    if (op->has_list || op->has_written ||
        (op->def.contract != TM_PER_EXAMPLE && op->def.contract != TM_SIGNATURE) ||
        (call->thread->acceleration == TM_ACCEL_ON &&
         (tm_op_kernel(op, TM_KEY_BATCHED) || tm_op_kernel(op, TM_KEY_LANES))))
        return false;
    direct d;
    d.kernel = kernel;
    d.operands = 0;
    if (!add_inputs(&d, call) || d.operands + outputs > DIRECT_OPERANDS)
        return false;
    for (int i = 0; i < outputs; i++)
        if (!all_core(call, op->num_operands + i, call->specs[i].ndim))
            return false;
    for (int i = 0; i < outputs; i++)
        call->results[i].tensor = NULL;
    for (int i = 0; i < outputs; i++) {
        const tm_spec *spec = &call->specs[i];
        int64_t bytes = tm_item_size((uint8_t)spec->dtype);
        for (int k = 0; k < spec->ndim; k++)
            bytes *= spec->shape[k]; /* meta has checked that it fits */
        tm_tensor *out =
            tm_handle_new_storage(call->thread, spec->dtype, spec->ndim, spec->shape, bytes, 0);
        if (!out) {
            tm_outputs_drop(call);
            *status = tm_call_no_memory(call, bytes);
            return true;
        }
        call->results[i].tensor = out;
        tm_tensor *h = &d.handles[d.operands++];
        tm_kernel_handle(h, out, out->storage->data, out->ndim, out->shape, out->strides, false);
        d.outs[i] = h;
    }
    call->thread->stats.calls++;
    call->thread->stats.plain_runs++;
    *status = tm_run_range(call, 1, 1, false, run, &d);
    if (*status != TM_OK)
        tm_outputs_drop(call);
    return true;
}
