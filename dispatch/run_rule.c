/* run_rule.c: rules, the batched kernels in the easy form: all examples in one tensor per operand.
 *
 * Of an operand that differs between examples the rule sees one dimension more, in front: as a view
 * where its loops are one run in memory, else as a copy, which for an output is copied back. A rule
 * decides no error of data: where it fails by one, every example is left to the plain kernel, and
 * what it wrote is as if it had not been, since an argument that a kernel may also read is written
 * aside.
 */
#include <string.h>

#include "cast.h"
#include "example.h"

/* An operand as the rule sees it. */
typedef struct front {
    bool batched;    /* with the batch in front */
    tm_tensor *copy; /* what stands for it, where it is no view */
    int64_t shape[TM_MAX_NDIM], strides[TM_MAX_NDIM];
} front;

typedef struct rule_run {
    const tm_example_run *run;
    tm_call *call;
    tm_worker *worker;
    int64_t count; /* of the batch */
    bool aside;    /* outputs hold something that the plain kernel may read */
    front *fronts;
    const tm_tensor **inputs;
    bool *mapped;
} rule_run;

/* Whether operand k differs between examples, as far as its steps tell. */
static bool moves(const tm_example_run *r, int k)
{
    bool any = false;
    for (int l = 0; l < r->loops; l++)
        any = any || r->step[l * r->plan->num_operands + k] != 0;
    return any;
}

/* The one stride, in elements, of operand k over all its loops; false where there is none. */
static bool one_stride(const tm_example_run *r, int k, int64_t *stride)
{
    int n = r->plan->num_operands, last = r->loops - 1;
    for (int l = 0; l < last; l++)
        if (r->step[l * n + k] != r->step[(l + 1) * n + k] * r->size[l + 1])
            return false;
    int64_t item = tm_item_size(r->plan->operand[k].tensor->dtype), step = r->step[last * n + k];
    *stride = step / item;
    return step % item == 0;
}

/* Copies operand k from its own memory to the copy, or back. */
static void copy_operand(const rule_run *u, int k, bool back)
{
    const tm_example_run *r = u->run;
    const tm_tensor *x = r->plan->operand[k].tensor;
    const front *f = &u->fronts[k];
    int64_t item = tm_item_size(x->dtype), size[TM_COPY_DIMS];
    tm_copy_side own = {.base = r->base[k], .dtype = (tm_dtype)x->dtype};
    tm_copy_side copy = {.base = f->copy->storage->data, .dtype = (tm_dtype)x->dtype};
    int n = r->loops + r->operands[k].core;
    for (int d = n; d-- > r->loops;) {
        size[d] = f->shape[1 + d - r->loops];
        bool one = size[d] < 2; /* whose stride may be any number */
        own.step[d] = one ? 0 : r->operands[k].strides[d - r->loops] * item;
        copy.step[d] = one ? 0 : f->strides[1 + d - r->loops] * item;
    }
    int64_t step = f->strides[0] * item;
    for (int l = r->loops; l-- > 0; step *= r->size[l]) {
        size[l] = r->size[l];
        own.step[l] = r->step[l * r->plan->num_operands + k];
        copy.step[l] = step;
    }
    tm_copy(n, size, back ? &own : &copy, back ? &copy : &own);
}

/* Makes operand k's handle one with the batch in front. False on lack of memory. */
static bool put_in_front(rule_run *u, int k)
{
    const tm_example_run *r = u->run;
    const tm_tensor *x = r->plan->operand[k].tensor;
    const tm_example_operand *o = &r->operands[k];
    front *f = &u->fronts[k];
    bool output = k >= r->plan->num_inputs;
    char *data = r->base[k];
    f->shape[0] = u->count;
    memcpy(f->shape + 1, o->shape, (size_t)o->core * sizeof *f->shape);
    memcpy(f->strides + 1, o->strides, (size_t)o->core * sizeof *f->strides);
    if (!one_stride(r, k, &f->strides[0]) || (output && u->aside)) {
        int64_t numel;
        tm_row_major(o->core + 1, f->shape, f->strides);
        if (!tm_shape_numel((tm_dtype)x->dtype, o->core + 1, f->shape, &numel))
            return false;
        f->copy = tm_handle_new_storage(u->call->thread, (tm_dtype)x->dtype, o->core + 1, f->shape,
                                        numel * tm_item_size(x->dtype), 0);
        if (!f->copy)
            return false;
        x = f->copy;
        data = x->storage->data;
        if (!output || u->aside)
            copy_operand(u, k, false);
    }
    tm_kernel_handle(&u->worker->handles[k], x, data, o->core + 1, f->shape, f->strides, !output);
    return true;
}

/* Every operand as the rule sees it. False where the batch is none for rules: more dimensions than
 * a tensor has, or too little memory for the copies. */
static bool prepare(rule_run *u)
{
    const tm_example_run *r = u->run;
    int inputs = r->plan->num_inputs, n = r->plan->num_operands;
    bool any = false;
    for (int k = 0; k < n; k++) {
        if (r->operands[k].core == TM_MAX_NDIM || r->operands[k].core + r->loops > TM_COPY_DIMS)
            return false;
        any = any || (k < inputs && moves(r, k));
    }
    for (int k = 0; k < n; k++) {
        u->fronts[k].batched = k >= inputs || !any || moves(r, k);
        if (u->fronts[k].batched && !put_in_front(u, k))
            return false;
    }
    return true;
}

/* Lists the inputs in schema order, TM_NONE where one is absent, with their flags. */
static int list_inputs(const rule_run *u)
{
    const tm_op *op = u->call->op;
    int n = 0, k = 0;
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        const tm_value *arg = &u->call->args[operand->arg];
        bool list = operand->type == TM_TYPE_TENSOR_LIST;
        int64_t count = !operand->read ? 0 : list ? arg->tensors.count : 1;
        for (int64_t j = 0; j < count; j++, n++) {
            u->inputs[n] = list ? arg->tensors.data[j] : arg->tensor;
            u->mapped[n] = u->inputs[n] != TM_NONE && u->fronts[k++].batched;
        }
    }
    return n;
}

static void end(const rule_run *u)
{
    for (int k = 0; k < u->run->plan->num_operands; k++)
        if (u->fronts[k].copy)
            tm_release(u->fronts[k].copy);
}

/* What a kernel may find out from values; and lack of memory, which the plain kernel needs less of.
 */
static bool is_of_data(tm_status code)
{
    return code == TM_ERR_INDEX || code == TM_ERR_VALUE || code == TM_ERR_NUMERIC ||
           code == TM_ERR_MEMORY;
}

static tm_status call_rule(rule_run *u, const tm_kernel *kernel, bool *unsure)
{
    tm_call *call = u->call;
    tm_thread *thread = call->thread;
    tm_error_record standing = thread->error;
    uint64_t serial = thread->error_serial;
    tm_status status = kernel->rule(call, u->inputs, u->mapped, list_inputs(u), call->outs);
    if (tm_call_judge(call, status) == TM_OK)
        return TM_OK;
    if (!is_of_data(call->failure.code))
        return call->failure.code;
    call->failure.code = TM_OK;
    call->num_failed_levels = 0;
    thread->error = standing;
    thread->error_serial = serial;
    *unsure = true;
    return TM_OK;
}

tm_status tm_rule_call(tm_call *call, const tm_example_run *run, tm_worker *worker,
                       const tm_kernel *kernel, tm_suspects *suspects)
{
    size_t n = (size_t)run->plan->num_operands, inputs = n + TM_MAX_ARGS; /* absent ones too */
    size_t size = n * sizeof(front) + inputs * (sizeof(tm_tensor *) + sizeof(bool));
    char *block = tm_alloc(size);
    if (!block) {
        call->declined = true;
        return TM_OK;
    }
    memset(block, 0, size);
    rule_run u = {.run = run,
                  .call = call,
                  .worker = worker,
                  .count = tm_loop_count(run->loops, run->size),
                  .aside = call->op->has_written && call->op->form == TM_FORM_DECLARED};
    u.fronts = (front *)(void *)block;
    u.inputs = (const tm_tensor **)(void *)(block + n * sizeof(front));
    u.mapped = (bool *)(u.inputs + inputs);
    tm_status status = TM_OK;
    if (prepare(&u))
        status = call_rule(&u, kernel, &suspects->all);
    else
        call->declined = true;
    if (u.aside && suspects->count)
        suspects->all = true;
    if (status == TM_OK && !call->declined && !suspects->all)
        for (int k = run->plan->num_inputs; k < run->plan->num_operands; k++)
            if (u.fronts[k].copy)
                copy_operand(&u, k, true);
    end(&u);
    tm_free(block, size);
    return status;
}
