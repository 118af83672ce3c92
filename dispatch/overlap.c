/* overlap.c: the rules about memory that is written, in one place for all ops.
 *
 * An output whose elements are not provably disjoint is an error, whatever the op. An input that
 * overlaps an output is copied first, except where an elementwise loop reads each element just
 * before it writes the same one.
 */
#include "memory.h"
#include "numbers.h"
#include "plan.h"

typedef struct span {
    const char *low, *high; /* [low, high) */
} span;

static int64_t item_size(const tm_operand *operand)
{
    return tm_item_size(operand->tensor->dtype);
}

/* The i-th dimension of an operand, levels first: its size, and its step in bytes. */
static int64_t dim(const tm_plan *plan, int operand, int i, int64_t *step)
{
    if (i < plan->num_levels) {
        *step = plan->step[i * plan->num_operands + operand];
        if (*step ==
            TM_STEP_APART) { /* as far as one example's block goes, there is no such loop */
            *step = 0;
            return plan->size[i] > 0;
        }
        return plan->size[i];
    }
    const tm_tensor *x = plan->operand[operand].tensor;
    int d = i - plan->num_levels;
    *step = tm_handle_step(x, d);
    return x->shape[d];
}

static span span_of(const tm_plan *plan, int operand)
{
    const tm_operand *o = &plan->operand[operand];
    span s = {o->base, o->base + item_size(o)};
    for (int i = 0; i < plan->num_levels + o->tensor->ndim; i++) {
        int64_t step, size = dim(plan, operand, i, &step);
        if (size == 0)
            return (span){o->base, o->base};
        if (step < 0)
            s.low += (size - 1) * step;
        else
            s.high += (size - 1) * step;
    }
    return s;
}

static bool overlap(span a, span b)
{
    return a.low < a.high && b.low < b.high && a.low < b.high && b.low < a.high;
}

/* Disjoint where, dimensions taken by growing step, each steps over all that lies below it. */
static bool elements_disjoint(const tm_plan *plan, int operand)
{
    int64_t sizes[TM_MAX_LOOPS], steps[TM_MAX_LOOPS];
    int n = 0;
    for (int i = 0; i < plan->num_levels + plan->operand[operand].tensor->ndim; i++) {
        int64_t step, size = dim(plan, operand, i, &step);
        if (size == 0)
            return true;
        if (size == 1)
            continue;
        step = tm_magnitude(step);
        int at = n++;
        for (; at > 0 && steps[at - 1] > step; at--) {
            steps[at] = steps[at - 1];
            sizes[at] = sizes[at - 1];
        }
        steps[at] = step;
        sizes[at] = size;
    }
    int64_t extent = item_size(&plan->operand[operand]);
    for (int i = 0; i < n; i++) {
        if (steps[i] < extent)
            return false;
        extent += (sizes[i] - 1) * steps[i];
    }
    return true;
}

static const char *written_name(const tm_plan *plan, int output)
{
    return plan->call->op->schema.params[plan->call->op->written_arg[output]].name;
}

tm_status tm_overlap_check_outputs(tm_plan *plan)
{
    tm_call *call = plan->call;
    int outputs = call->op->schema.num_outputs;
    for (int i = 0; i < outputs; i++) {
        if (call->op->written_arg[i] < 0)
            continue;
        int operand = plan->num_inputs + i;
        const char *name = written_name(plan, i);
        const tm_tensor *x = plan->operand[operand].tensor;
        if (x->read_only || x->storage->read_only)
            return tm_fail_arg(call, TM_ERR_ALIASING, name, "%s must be writable, it is read-only",
                               name);
        if (!elements_disjoint(plan, operand))
            return tm_fail_arg(call, TM_ERR_ALIASING, name,
                               "%s must have its elements at different places in memory, but its "
                               "strides may bring several to one place",
                               name);
        for (int k = 0; k < i; k++)
            if (call->op->written_arg[k] >= 0 &&
                overlap(span_of(plan, operand), span_of(plan, plan->num_inputs + k)))
                return tm_fail_arg(call, TM_ERR_ALIASING, name, "%s overlaps %s in memory", name,
                                   written_name(plan, k));
    }
    return TM_OK;
}

/* Whether an elementwise loop reads each element of `a` where and when it writes that of `b`. */
static bool element_for_element(const tm_plan *plan, int a, int b)
{
    const tm_operand *x = &plan->operand[a], *y = &plan->operand[b];
    if (x->base != y->base || x->tensor->ndim != y->tensor->ndim || item_size(x) != item_size(y))
        return false;
    for (int i = 0; i < plan->num_levels + x->tensor->ndim; i++) {
        int64_t step, other, size = dim(plan, a, i, &step);
        if (size != dim(plan, b, i, &other) || (step != other && size > 1))
            return false;
    }
    return true;
}

static tm_status copy_input(tm_plan *plan, int i)
{
    tm_operand from = plan->operand[i];
    int64_t from_step[TM_MAX_LEVELS], to_step[TM_MAX_LEVELS];
    for (int l = 0; l < plan->num_levels; l++)
        from_step[l] = plan->step[l * plan->num_operands + i];
    const tm_tensor *x = from.tensor;
    tm_tensor *copy = tm_plan_new_tensor(plan, i, (tm_dtype)x->dtype, x->ndim, x->shape);
    if (!copy)
        return TM_ERR_MEMORY;
    plan->operand[i].temporary = copy;
    for (int l = 0; l < plan->num_levels; l++)
        to_step[l] = plan->step[l * plan->num_operands + i];
    tm_plan_copy(plan, &plan->operand[i], to_step, &from, from_step);
    plan->call->thread->stats.overlap_copies++;
    return TM_OK;
}

tm_status tm_overlap_copy_inputs(tm_plan *plan, bool elementwise)
{
    for (int i = 0; i < plan->num_inputs; i++)
        for (int k = plan->num_inputs; k < plan->num_operands; k++) {
            if (plan->call->op->written_arg[k - plan->num_inputs] < 0 ||
                plan->operand[k].temporary || plan->operand[i].temporary)
                continue;
            if (!overlap(span_of(plan, i), span_of(plan, k)) ||
                (elementwise && element_for_element(plan, i, k)))
                continue;
            tm_status status = copy_input(plan, i);
            if (status != TM_OK)
                return status;
        }
    return TM_OK;
}
