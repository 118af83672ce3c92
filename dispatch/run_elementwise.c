/* run_elementwise.c: batch and logical dimensions as one nest of loops, as few as can be.
 *
 * Every dimension of the output and every level is a loop. Loops are put in the order of the
 * output's steps and neighbours are merged, so a contiguous batch is one run. An operand whose
 * dtype is not the loop's goes through a small buffer, a block at a time. Ops that can fail keep
 * the order of examples, so that the first failure is the first in order.
 */
#include <assert.h>
#include <string.h>

#include "cast.h"
#include "elementwise.h"
#include "nest.h"
#include "numbers.h"

enum { BUFFER = 16384 };

/* Operands in the loop's order: present tensors and scalars in schema order, then outputs.
 * `from[k]` is the plan's operand, -1 for a scalar. False after a failure. */
static bool gather(tm_elementwise *e, int from[TM_MAX_OPERANDS])
{
    tm_plan *plan = e->plan;
    tm_call *call = plan->call;
    const tm_schema *schema = &call->op->schema;
    int n = 0, tensor = 0, operand = 0;
    for (int i = 0; i < schema->num_params && tensor <= plan->num_inputs; i++) {
        const tm_param *param = &schema->params[i];
        if (param->type == TM_TYPE_TENSOR) {
            const tm_op_operand *o = &call->op->operands[operand++];
            if (!o->read || !tm_call_tensor(call, o))
                continue;
            from[n] = tensor++;
            e->base[n] = plan->operand[from[n]].base;
            e->dtype[n] = (tm_dtype)plan->operand[from[n]].tensor->dtype;
        } else if (param->type == TM_TYPE_SCALAR && n < call->num_compute) {
            const tm_scalar *scalar = tm_call_scalar(call, i, param);
            if (!scalar)
                continue;
            from[n] = -1;
            e->base[n] = e->scalar[i].bytes;
            e->dtype[n] = (tm_dtype)call->compute[n];
            if (!tm_scalar_store(*scalar, e->dtype[n], e->base[n])) {
                tm_fail_arg(call, TM_ERR_DTYPE, param->name, "%s cannot become %s", param->name,
                            tm_dtype_name(e->dtype[n]));
                return false;
            }
        } else {
            continue;
        }
        n++;
    }
    e->inputs = n;
    for (int k = plan->num_inputs; k < plan->num_operands; k++, n++) {
        from[n] = k;
        e->base[n] = plan->operand[k].base;
        e->dtype[n] = (tm_dtype)plan->operand[k].tensor->dtype;
    }
    e->operands = n;
    if (n != call->num_compute) {
        tm_fail(call, TM_ERR_SCHEMA, "meta set %d operands for the loop, there are %d",
                call->num_compute, n);
        return false;
    }
    for (int k = 0; k < n; k++) {
        e->compute[k] = (tm_dtype)call->compute[k];
        if (e->compute[k] == e->dtype[k])
            continue;
        e->converts = true;
        if (!(k < e->inputs ? tm_cast(e->dtype[k], e->compute[k])
                            : tm_cast(e->compute[k], e->dtype[k]))) {
            tm_fail(call, TM_ERR_DTYPE, "there is no conversion between %s and %s",
                    tm_dtype_name(e->dtype[k]), tm_dtype_name(e->compute[k]));
            return false;
        }
    }
    return true;
}

/* Puts a loop where its output step belongs (after larger ones), unless order must be kept. */
static void insert_loop(tm_elementwise *e, int64_t size, const int64_t *steps, bool keep_order)
{
    int n = e->operands, at = e->loops++;
    int64_t out = tm_magnitude(steps[n - 1]);
    for (; at > 0 && !keep_order && tm_magnitude(e->step[at * n - 1]) < out; at--) {
        e->size[at] = e->size[at - 1];
        memcpy(&e->step[at * n], &e->step[(at - 1) * n], (size_t)n * sizeof(int64_t));
    }
    e->size[at] = size;
    memcpy(&e->step[at * n], steps, (size_t)n * sizeof(int64_t));
}

static void merge_loops(tm_elementwise *e)
{
    int n = e->operands, last = 0;
    for (int l = 1; l < e->loops; l++) {
        int64_t *outer = &e->step[last * n];
        const int64_t *inner = &e->step[l * n];
        bool together = true;
        for (int k = 0; k < n && together; k++)
            together = outer[k] == inner[k] * e->size[l];
        if (together) {
            e->size[last] *= e->size[l];
        } else {
            last++;
            e->size[last] = e->size[l];
            outer = &e->step[last * n];
        }
        memmove(outer, inner, (size_t)n * sizeof(int64_t));
    }
    e->loops = e->loops ? last + 1 : 0;
}

/* The loops around the innermost one in the order of all operands' steps together: where inputs
 * agree on another order than the output's, more is read in order than is written out of order. */
static void order_outer_loops(tm_elementwise *e)
{
    int n = e->operands;
    int64_t total[TM_MAX_LOOPS];
    for (int l = 0; l < e->loops - 1; l++) {
        int64_t size = e->size[l], sum = 0, steps[TM_MAX_OPERANDS];
        memcpy(steps, &e->step[l * n], (size_t)n * sizeof(int64_t));
        for (int k = 0; k < n; k++)
            sum += tm_magnitude(steps[k]);
        int at = l;
        for (; at > 0 && total[at - 1] < sum; at--) {
            total[at] = total[at - 1];
            e->size[at] = e->size[at - 1];
            memcpy(&e->step[at * n], &e->step[(at - 1) * n], (size_t)n * sizeof(int64_t));
        }
        total[at] = sum;
        e->size[at] = size;
        memcpy(&e->step[at * n], steps, (size_t)n * sizeof(int64_t));
    }
}

/* Builds the nest. False where there is nothing to compute. */
static bool build_nest(tm_elementwise *e, const int *from, bool keep_order)
{
    tm_plan *plan = e->plan;
    const tm_tensor *out = plan->operand[plan->num_inputs].tensor;
    int64_t steps[TM_MAX_OPERANDS];
    assert(e->operands > 0); /* there is an output */
    e->loops = 0;
    for (int l = 0; l < plan->num_levels; l++) {
        if (plan->size[l] == 0)
            return false;
        if (plan->size[l] == 1)
            continue;
        for (int k = 0; k < e->operands; k++)
            steps[k] = from[k] < 0 ? 0 : plan->step[l * plan->num_operands + from[k]];
        insert_loop(e, plan->size[l], steps, keep_order);
    }
    for (int d = 0; d < out->ndim; d++) {
        if (out->shape[d] == 0)
            return false;
        if (out->shape[d] == 1)
            continue;
        for (int k = 0; k < e->operands; k++) {
            const tm_tensor *x = from[k] < 0 ? NULL : plan->operand[from[k]].tensor;
            int at = x ? d - (out->ndim - x->ndim) : -1;
            steps[k] = at < 0 ? 0 : tm_handle_step(x, at);
        }
        insert_loop(e, out->shape[d], steps, keep_order);
    }
    merge_loops(e);
    if (e->loops > 2 && !keep_order)
        order_outer_loops(e);
    if (e->loops == 0) {
        e->loops = 1;
        e->size[0] = 1;
        memset(e->step, 0, (size_t)e->operands * sizeof(int64_t));
    }
    return true;
}

/* A run of n elements through buffers, for operands whose dtype is not the loop's. */
static tm_status run_converting(const tm_elementwise *e, tm_call *call, char *const *ptr,
                                const int64_t *step, int64_t n)
{
    _Alignas(64) char buffer[BUFFER];
    int converted = 0;
    for (int k = 0; k < e->operands; k++)
        converted += e->compute[k] != e->dtype[k];
    assert(converted > 0); /* e->converts is set */
    int64_t block = BUFFER / 16 / converted;
    for (int64_t at = 0; at < n; at += block) {
        int64_t m = n - at < block ? n - at : block;
        char *p[TM_MAX_OPERANDS];
        int64_t s[TM_MAX_OPERANDS];
        char *free_buffer = buffer;
        for (int k = 0; k < e->operands; k++) {
            p[k] = ptr[k] + at * step[k];
            s[k] = step[k];
            if (e->compute[k] == e->dtype[k])
                continue;
            s[k] = (int64_t)tm_dtype_size(e->compute[k]);
            if (k < e->inputs)
                tm_cast(e->dtype[k], e->compute[k])(p[k], step[k], free_buffer, s[k], m);
            p[k] = free_buffer;
            free_buffer += block * 16;
        }
        tm_status status = tm_call_judge(call, e->loop(call, p, s, m));
        if (status != TM_OK) {
            call->failed_at = at + tm_failed_at(call, m);
            return status;
        }
        for (int k = e->inputs; k < e->operands; k++)
            if (e->compute[k] != e->dtype[k])
                tm_cast(e->compute[k], e->dtype[k])(p[k], s[k], ptr[k] + at * step[k], step[k], m);
    }
    return TM_OK;
}

static tm_status run_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    (void)scope;
    const tm_elementwise *e = context;
    tm_nest nest = {e->loops, e->operands, e->size, e->step, e->base};
    char *ptr[TM_MAX_OPERANDS];
    int64_t index[TM_MAX_LOOPS];
    int inner = e->loops - 1;
    const int64_t *step = &e->step[inner * e->operands];
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        int64_t n = e->size[inner] - index[inner];
        if (n > end - begin)
            n = end - begin;
        tm_status status = e->converts ? run_converting(e, call, ptr, step, n)
                                       : tm_call_judge(call, e->loop(call, ptr, step, n));
        if (__builtin_expect(status != TM_OK, 0)) {
            int64_t flat = begin + tm_failed_at(call, n);
            const tm_tensor *out = e->plan->operand[e->plan->num_inputs].tensor;
            tm_plan_failed(e->plan, call, flat, out->ndim, out->shape);
            return status;
        }
        begin += n;
        tm_nest_advance(&nest, inner, n, ptr, index);
    }
    return TM_OK;
}

tm_status tm_run_elementwise(tm_plan *plan, const tm_kernel *kernel)
{
    tm_elementwise e;
    e.plan = plan;
    e.loop = plan->call->loop;
    e.converts = false;
    int from[TM_MAX_OPERANDS];
    if (!gather(&e, from))
        return plan->call->failure.code;
    if (!build_nest(&e, from, plan->call->op->def.can_fail))
        return TM_OK;
    int64_t count = tm_loop_count(e.loops, e.size);
    plan->call->failed_at = 0; /* for a loop that fails without saying where */
    plan->call->thread->stats.plain_runs++;
    return tm_run_range(plan->call, count, 1, kernel->thread_safe,
                        tm_stream_pays(&e) ? tm_stream_range : run_range, &e);
}
