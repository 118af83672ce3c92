/* run_elementwise.c: batch and logical dimensions as one nest of loops, as few as can be.
 *
 * Every dimension of the output and every level is a loop. Loops are put in the order of the
 * output's steps and neighbours are merged, so a contiguous batch is one run. An operand whose
 * dtype is not the loop's goes through a small buffer, a block at a time; so do outputs that are
 * written past the caches. Ops that can fail keep the order of examples, so that the first failure
 * is the first in order.
 */
#include <string.h>

#include "bypass.h"
#include "cast.h"
#include "nest.h"
#include "numbers.h"
#include "parallel.h"

enum {
    BUFFER = 16384,
    /* Of each output: so short that one block's stores and the next one's loads overlap. */
    STREAM_BLOCK = 2048,
    MAX_OPERANDS = TM_MAX_COMPUTE
};

typedef struct elementwise {
    tm_plan *plan;
    tm_loop_fn loop;
    int operands, inputs;
    char *base[MAX_OPERANDS];
    tm_dtype dtype[MAX_OPERANDS], compute[MAX_OPERANDS];
    bool converts;
    bool dense; /* outputs, in the order of the nest */
    int loops;
    int64_t size[TM_MAX_LOOPS];
    int64_t step[TM_MAX_LOOPS * MAX_OPERANDS];
    union {
        int64_t align;
        char bytes[16];
    } scalar[TM_MAX_ARGS];
} elementwise;

/* Operands in the loop's order: present tensors and scalars in schema order, then outputs.
 * `from[k]` is the plan's operand, -1 for a scalar. False after a failure. */
static bool gather(elementwise *e, int from[MAX_OPERANDS])
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
static void insert_loop(elementwise *e, int64_t size, const int64_t *steps, bool keep_order)
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

static void merge_loops(elementwise *e)
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
static void order_outer_loops(elementwise *e)
{
    int n = e->operands;
    int64_t total[TM_MAX_LOOPS];
    for (int l = 0; l < e->loops - 1; l++) {
        int64_t size = e->size[l], sum = 0, steps[MAX_OPERANDS];
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
static bool build_nest(elementwise *e, const int *from, bool keep_order)
{
    tm_plan *plan = e->plan;
    const tm_tensor *out = plan->operand[plan->num_inputs].tensor;
    int64_t steps[MAX_OPERANDS];
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
static tm_status run_converting(const elementwise *e, tm_call *call, char *const *ptr,
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
        char *p[MAX_OPERANDS];
        int64_t s[MAX_OPERANDS];
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
        tm_status status = e->loop(call, p, s, m);
        if (status != TM_OK) {
            call->failed_at += at;
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
    const elementwise *e = context;
    tm_nest nest = {e->loops, e->operands, e->size, e->step, e->base};
    char *ptr[MAX_OPERANDS];
    int64_t index[TM_MAX_LOOPS];
    int inner = e->loops - 1;
    const int64_t *step = &e->step[inner * e->operands];
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        int64_t n = e->size[inner] - index[inner];
        if (n > end - begin)
            n = end - begin;
        tm_status status =
            e->converts ? run_converting(e, call, ptr, step, n) : e->loop(call, ptr, step, n);
        if (__builtin_expect(status != TM_OK, 0)) {
            int64_t flat = begin + call->failed_at;
            const tm_tensor *out = e->plan->operand[e->plan->num_inputs].tensor;
            tm_plan_failed(e->plan, call, flat, out->ndim, out->shape);
            return status;
        }
        begin += n;
        tm_nest_advance(&nest, inner, n, ptr, index);
    }
    return TM_OK;
}

/* Computes into small buffers and writes those past the caches; where outputs are dense in the
 * order of the nest, several runs at a time. */
static tm_status run_streaming(tm_call *call, void *context, int64_t begin, int64_t end,
                               tm_scope *scope)
{
    (void)scope;
    const elementwise *e = context;
    _Alignas(64) char buffer[TM_MAX_OUTPUTS][STREAM_BLOCK];
    tm_nest nest = {e->loops, e->operands, e->size, e->step, e->base};
    char *ptr[MAX_OPERANDS], *p[MAX_OPERANDS], *to[TM_MAX_OUTPUTS];
    int64_t index[TM_MAX_LOOPS];
    int inner = e->loops - 1, outputs = e->operands - e->inputs;
    const int64_t *step = &e->step[inner * e->operands], *item = step + e->inputs;
    int64_t block = STREAM_BLOCK;
    for (int o = 0; o < outputs; o++)
        block = STREAM_BLOCK / item[o] < block ? STREAM_BLOCK / item[o] : block;
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        int64_t m = block - begin % block, n; /* blocks begin where lines do */
        if (m > end - begin)
            m = end - begin;
        if (!e->dense && m > e->size[inner] - index[inner])
            m = e->size[inner] - index[inner];
        for (int o = 0; o < outputs; o++)
            to[o] = ptr[e->inputs + o];
        for (int64_t done = 0; done < m; done += n) {
            n = e->size[inner] - index[inner];
            if (n > m - done)
                n = m - done;
            for (int k = 0; k < e->inputs; k++)
                p[k] = ptr[k];
            for (int o = 0; o < outputs; o++)
                p[e->inputs + o] = buffer[o] + done * item[o];
            tm_status status = e->loop(call, p, step, n);
            if (__builtin_expect(status != TM_OK, 0))
                return status; /* of a loop that broke its word: the op cannot fail */
            tm_nest_advance(&nest, inner, n, ptr, index);
        }
        for (int o = 0; o < outputs; o++)
            tm_bypass_copy(to[o], buffer[o], m * item[o]);
        begin += m;
    }
    tm_bypass_end();
    return TM_OK;
}

/* Whether outputs are contiguous in the innermost loop, and no input lies where they do. Finds
 * whether they are dense in the order of the nest. */
static bool can_stream(elementwise *e)
{
    e->dense = true;
    if (e->converts || e->plan->call->op->def.can_fail)
        return false;
    for (int k = e->inputs; k < e->operands; k++) {
        int64_t run = (int64_t)tm_dtype_size(e->dtype[k]);
        if (e->step[(e->loops - 1) * e->operands + k] != run)
            return false;
        for (int l = e->loops; l-- > 0; run *= e->size[l])
            e->dense = e->dense && e->step[l * e->operands + k] == run;
        for (int i = 0; i < e->inputs; i++)
            if (e->base[i] == e->base[k])
                return false;
    }
    return true;
}

/* Whether every run of the innermost loop is whole lines of each output, and several. */
static bool whole_lines(const elementwise *e)
{
    enum { LINE = 64, LEAST = 4 * LINE };
    for (int k = e->inputs; k < e->operands; k++) {
        int64_t bytes = e->size[e->loops - 1] * (int64_t)tm_dtype_size(e->dtype[k]);
        if ((uintptr_t)e->base[k] % LINE != 0 || bytes % LINE != 0 || bytes < LEAST)
            return false;
    }
    return true;
}

/* Bytes of the distinct elements of all operands. */
static int64_t bytes_touched(const elementwise *e)
{
    int64_t sum = 0;
    for (int k = 0; k < e->operands; k++) {
        int64_t bytes = (int64_t)tm_dtype_size(e->dtype[k]);
        for (int l = 0; l < e->loops; l++)
            if (e->step[l * e->operands + k] != 0)
                bytes *= e->size[l];
        sum += bytes;
    }
    return sum;
}

tm_status tm_run_elementwise(tm_plan *plan, const tm_kernel *kernel)
{
    elementwise e;
    e.plan = plan;
    e.loop = plan->call->loop;
    e.converts = false;
    int from[MAX_OPERANDS];
    if (!gather(&e, from))
        return plan->call->failure.code;
    if (!build_nest(&e, from, plan->call->op->def.can_fail))
        return TM_OK;
    int64_t count = tm_loop_count(e.loops, e.size);
    plan->call->failed_at = 0; /* for a loop that fails without saying where */
    plan->call->thread->stats.plain_runs++;
    bool stream =
        can_stream(&e) && tm_bypass_pays(e.dense || whole_lines(&e) ? bytes_touched(&e) : 0);
    return tm_run_range(plan->call, count, 1, kernel->thread_safe,
                        stream ? run_streaming : run_range, &e);
}
