/* run_direct.c: common per-example calls outside every level, which plan nothing.
 *
 * Where no argument is mapped, none is a list or written, and the kernel sees neighbouring
 * dimensions of each operand in their own order, outputs are made, the kernel's handles are filled,
 * the kernel is called: the plain one for one example, or a batched one where the other dimensions
 * are one loop. Anything else, and what a batched kernel does not vouch for, is left to
 * run_example.c, which gives the same result.
 */
#include "example.h"

enum {
    DIRECT_OPERANDS = 6,
    DIRECT_ELEMENTS = 1 << 15, /* of an operand in a loop: as much as one thread does by itself */
    CALL = 16                  /* elements that are as much work as a call */
};

typedef struct direct {
    const tm_kernel *kernel, *batched; /* one of them runs, by the number of examples */
    int operands;
    int64_t count;
    int64_t step[DIRECT_OPERANDS]; /* bytes from one example to the next */
    tm_suspects suspects;
    tm_tensor handles[DIRECT_OPERANDS];
    int64_t padded[DIRECT_OPERANDS][2 * TM_SIGNATURE_CORE]; /* with absent core dimensions */
    tm_tensor *outs[TM_MAX_OUTPUTS];
    tm_value args[TM_MAX_ARGS];
} direct;

/* An operand's dimensions that the kernel sees, and the loop that the others are. */
typedef struct part {
    int from, core;
    int64_t count, step; /* in elements */
} part;

/* Which optional dimensions of the signature are absent. */
static inline uint32_t absent_of(const tm_call *call)
{
    return call->op->def.contract == TM_SIGNATURE ? call->reduce_mask : 0;
}

/* Whether the kernel sees all dimensions of the operand in that slot, in their own order. */
static inline bool is_whole(const tm_call *call, int slot, int ndim)
{
    const tm_op *op = call->op;
    if (op->def.contract == TM_SIGNATURE) {
        const tm_signature_operand *o = &op->signature.operands[slot];
        int present = o->num_dims;
        for (int i = 0; call->reduce_mask && i < o->num_dims; i++)
            present -= (int)(call->reduce_mask >> o->dims[i] & 1);
        return ndim == present;
    }
    if (call->core_set != 0)
        return false;
    return !op->def.core || op->def.core[slot] == TM_CORE_ALL || op->def.core[slot] >= ndim;
}

/* Sets which dimensions are core; false where they are not neighbours in their own order. */
static bool find_core(const tm_call *call, int slot, int ndim, part *p)
{
    const tm_op *op = call->op;
    p->core = ndim;
    p->from = 0;
    if (op->def.contract == TM_SIGNATURE) {
        p->core = op->signature.operands[slot].num_dims;
        p->from = ndim - p->core;
        return call->reduce_mask == 0;
    }
    if (slot < TM_CORE_OPERANDS && (call->core_set >> slot & 1)) {
        p->core = call->core_count[slot];
        p->from = call->core[slot][0];
        return p->core == 1;
    }
    if (op->def.core && op->def.core[slot] != TM_CORE_ALL && op->def.core[slot] < ndim) {
        p->core = op->def.core[slot];
        p->from = ndim - p->core;
    }
    return true;
}

/* False where the other dimensions are not one loop, of the call's examples or of none. */
TM_OUT_OF_LINE static bool split(const direct *d, const tm_call *call, int slot, const tm_tensor *x,
                                 part *p)
{
    if (!find_core(call, slot, x->ndim, p) || tm_handle_numel(x) > DIRECT_ELEMENTS)
        return false;
    p->count = 1;
    p->step = 0;
    for (int i = x->ndim; i-- > 0;) {
        if ((i >= p->from && i < p->from + p->core) || x->shape[i] == 1)
            continue;
        if (p->count == 1)
            p->step = x->strides[i];
        else if (x->strides[i] != p->step * p->count)
            return false;
        p->count *= x->shape[i];
    }
    return p->count == d->count || p->count == 1;
}

/* How many examples the dimensions of output i are besides its core; 0 where they are no single
 * loop of a new tensor, where there is none in it, or one (its place among them would belong to an
 * error), or more than one thread's work. */
TM_OUT_OF_LINE static int64_t count_examples(const tm_call *call, int i)
{
    const tm_spec *spec = &call->specs[i];
    int64_t before = 1, after = 1, size = 1;
    part p;
    if (!find_core(call, call->op->num_operands + i, spec->ndim, &p))
        return 0;
    if (p.core == spec->ndim)
        return 1;
    for (int d = 0; d < spec->ndim; d++) {
        if (d < p.from)
            before *= spec->shape[d];
        else if (d < p.from + p.core)
            size *= spec->shape[d];
        else
            after *= spec->shape[d];
    }
    const int64_t count = before * after;
    const bool fits = count <= DIRECT_ELEMENTS / CALL && size <= DIRECT_ELEMENTS &&
                      count * size <= DIRECT_ELEMENTS;
    return fits && count > 1 && (before == 1 || after == 1) ? count : 0;
}

/* Makes absent dimensions of a signature's operand dimensions of size 1. */
TM_OUT_OF_LINE static void pad(direct *d, const tm_call *call, int slot, int k, const tm_tensor *x)
{
    const tm_signature_operand *o = &call->op->signature.operands[slot];
    int64_t *shape = d->padded[k], *strides = shape + TM_SIGNATURE_CORE;
    for (int i = 0, at = 0; i < o->num_dims; i++) {
        bool here = !(call->reduce_mask >> o->dims[i] & 1);
        shape[i] = here ? x->shape[at] : 1;
        strides[i] = here ? x->strides[at] : 1;
        at += here;
    }
    d->handles[k].ndim = o->num_dims;
    d->handles[k].shape = shape;
    d->handles[k].strides = strides;
}

/* Fills the next handle. */
static inline tm_tensor *add_operand(direct *d, const tm_call *call, int slot, const tm_tensor *x,
                                     char *data, const part *p, bool read_only)
{
    const int k = d->operands++;
    tm_kernel_handle(&d->handles[k], x, data, p->core, x->shape + p->from, x->strides + p->from,
                     read_only);
    d->step[k] = p->step ? p->step * tm_item_size(x->dtype) : 0;
    if (absent_of(call))
        pad(d, call, slot, k, x);
    return &d->handles[k];
}

/* Gives the inputs handles; false where one is mapped or has a loop of its own. */
static inline bool add_inputs(direct *d, const tm_call *call)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->schema.num_params; i++)
        tm_value_copy(&d->args[i], &call->args[i]);
    for (int i = 0; i < op->num_operands; i++) {
        const tm_tensor *x = tm_call_tensor(call, &op->operands[i]);
        if (!x)
            continue;
        part p = {0, x->ndim, 1, 0};
        if (d->operands == DIRECT_OPERANDS || tm_handle_mapped(x) ||
            (!is_whole(call, i, x->ndim) && !split(d, call, i, x, &p)))
            return false;
        d->args[op->operands[i].arg].tensor =
            add_operand(d, call, i, x, tm_handle_data(x), &p, true);
    }
    return true;
}

/* Makes the outputs. */
static inline tm_status add_outputs(direct *d, tm_call *call)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->schema.num_outputs; i++)
        call->results[i].tensor = NULL;
    for (int i = 0; i < op->schema.num_outputs; i++) {
        const tm_spec *spec = &call->specs[i];
        int64_t bytes = tm_item_size((uint8_t)spec->dtype);
        for (int k = 0; k < spec->ndim; k++)
            bytes *= spec->shape[k]; /* meta has checked that it fits */
        tm_tensor *out =
            tm_handle_new_storage(call->thread, spec->dtype, spec->ndim, spec->shape, bytes, 0);
        if (!out) {
            tm_outputs_drop(call);
            return tm_call_no_memory(call, bytes);
        }
        call->results[i].tensor = out;
        part p = {0, spec->ndim, 1, 0};
        const int slot = op->num_operands + i;
        if (!is_whole(call, slot, spec->ndim))
            split(d, call, slot, out, &p);
        d->outs[i] = add_operand(d, call, slot, out, out->storage->data, &p, false);
    }
    return TM_OK;
}

static tm_status run(tm_call *call, void *context, int64_t begin, int64_t end, tm_scope *scope)
{
    (void)begin;
    (void)end;
    direct *d = context;
    const tm_value *args = call->args;
    call->args = d->args;
    call->outs = d->outs;
    tm_status status;
    if (__builtin_expect(d->count == 1, 1)) {
        status = d->kernel->thunk(call, d->kernel);
    } else {
        const tm_batch batch = {1, &d->count, d->operands, d->step};
        call->suspects = &d->suspects;
        status = d->batched->batched(call, &batch);
        call->suspects = NULL;
    }
    call->args = args;
    call->outs = NULL;
    if (tm_kernel_untidy(call->thread, scope))
        tm_kernel_tidy(call->thread, scope);
    return tm_call_judge(call, status);
}

/* Whether an accelerated kernel is to run that this file does not run. */
static inline bool is_accelerated(direct *d, const tm_call *call)
{
    const tm_op *op = call->op;
    tm_acceleration use = call->thread->acceleration;
    if (d->count == 1)
        return use == TM_ACCEL_ON &&
               (tm_op_kernel(op, TM_KEY_BATCHED) || tm_op_kernel(op, TM_KEY_LANES));
    d->batched = tm_op_kernel(op, TM_KEY_BATCHED);
    return use != TM_ACCEL_AUTO || !d->batched || d->batched->rule;
}

/* Whether a batched kernel has done all examples. */
static bool vouched_for(direct *d, const tm_call *call)
{
    const tm_suspects *s = &d->suspects;
    if (s->room)
        tm_free(s->index, (size_t)s->room * sizeof *s->index);
    return !call->declined && !s->all && s->count == 0;
}

bool tm_run_direct(tm_call *call, const tm_kernel *kernel, tm_status *status)
{
    const tm_op *op = call->op;
    int outputs = op->schema.num_outputs;
    if (op->has_list || op->has_written)
        return false;
    direct d;
    d.kernel = kernel;
    d.operands = 0;
    d.count = 1;
    for (int i = 0; i < outputs; i++) {
        int64_t count = 1;
        if (!is_whole(call, op->num_operands + i, call->specs[i].ndim))
            count = count_examples(call, i);
        if (i == 0)
            d.count = count;
        else if (count != d.count)
            return false;
    }
    if (d.count == 0 || is_accelerated(&d, call) || !add_inputs(&d, call) ||
        d.operands + outputs > DIRECT_OPERANDS)
        return false;
    *status = add_outputs(&d, call);
    if (*status != TM_OK)
        return true;
    if (d.count > 1) {
        d.suspects = (tm_suspects){0};
        call->declined = false;
    }
    *status = tm_run_here(call, call->thread, run, &d, 0, 1);
    if (d.count > 1 && !vouched_for(&d, call) && *status == TM_OK) {
        tm_outputs_drop(call);
        return false;
    }
    if (*status != TM_OK)
        tm_outputs_drop(call);
    call->thread->stats.calls++;
    if (d.count == 1)
        call->thread->stats.plain_runs++;
    else
        call->thread->stats.batched_runs++;
    return true;
}
