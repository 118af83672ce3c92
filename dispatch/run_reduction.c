/* run_reduction.c: kept dimensions and the batch as outer loops, reduced dimensions for the kernel.
 *
 * The kernel gets runs of outputs that lie at equal steps, and the reduced dimensions in logical
 * order, neighbours merged where one step walks both. Merging never changes the order of elements,
 * so a kernel that goes by logical order gives the same bits whatever the layout.
 */
#include "nest.h"
#include "parallel.h"

typedef struct reduction {
    tm_plan *plan;
    tm_reduce_fn fn;
    char *base[2];
    int loops;
    int64_t size[TM_MAX_LOOPS], step[2 * TM_MAX_LOOPS]; /* x, out */
    int reduced;
    int64_t red_size[TM_MAX_NDIM], red_step[TM_MAX_NDIM];
    int64_t count; /* elements under one output */
} reduction;

static void add_loop(reduction *r, int64_t size, int64_t x_step, int64_t out_step)
{
    if (size == 1)
        return;
    int last = r->loops - 1;
    if (last >= 0 && r->step[2 * last] == x_step * size &&
        r->step[2 * last + 1] == out_step * size) {
        r->size[last] *= size;
    } else {
        last = r->loops++;
        r->size[last] = size;
    }
    r->step[2 * last] = x_step;
    r->step[2 * last + 1] = out_step;
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

/* False where there is no output element. */
static bool build(reduction *r)
{
    const tm_plan *plan = r->plan;
    const tm_tensor *x = plan->operand[0].tensor, *out = plan->operand[1].tensor;
    bool any = true;
    for (int l = 0; l < plan->num_levels; l++) {
        any = any && plan->size[l] > 0;
        add_loop(r, plan->size[l], plan->step[2 * l], plan->step[2 * l + 1]);
    }
    uint32_t mask = plan->call->reduce_mask;
    for (int d = 0, o = 0; d < x->ndim; d++) {
        if (mask >> d & 1) {
            add_reduced(r, x->shape[d], tm_handle_step(x, d));
            o += plan->call->reduce_keepdims;
        } else {
            any = any && x->shape[d] > 0;
            add_loop(r, x->shape[d], tm_handle_step(x, d), tm_handle_step(out, o));
            o++;
        }
    }
    if (r->loops == 0) {
        r->loops = 1;
        r->size[0] = 1;
        r->step[0] = r->step[1] = 0;
    }
    return any;
}

static tm_status run_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    (void)scope;
    const reduction *r = context;
    tm_nest nest = {r->loops, 2, r->size, r->step, r->base};
    char *ptr[2];
    int64_t index[TM_MAX_LOOPS];
    int inner = r->loops - 1;
    tm_nest_seek(&nest, begin, ptr, index);
    while (begin < end) {
        int64_t n = r->size[inner] - index[inner];
        if (n > end - begin)
            n = end - begin;
        tm_reduce_args args = {.x = ptr[0],
                               .out = ptr[1],
                               .num = n,
                               .x_step = r->step[2 * inner],
                               .out_step = r->step[2 * inner + 1],
                               .ndim = r->reduced,
                               .size = r->red_size,
                               .step = r->red_step,
                               .count = r->count};
        tm_status status = r->fn(call, &args);
        if (status != TM_OK) {
            const tm_tensor *out = r->plan->operand[1].tensor;
            tm_plan_failed(r->plan, call, begin + call->failed_at, out->ndim, out->shape);
            return status;
        }
        begin += n;
        tm_nest_advance(&nest, inner, n, ptr, index);
    }
    return TM_OK;
}

tm_status tm_run_reduction(tm_plan *plan, const tm_kernel *kernel)
{
    reduction r;
    r.plan = plan;
    r.fn = plan->call->reduce;
    r.loops = r.reduced = 0;
    r.count = 1;
    r.base[0] = plan->operand[0].base;
    r.base[1] = plan->operand[1].base;
    if (!build(&r))
        return TM_OK;
    int64_t count = tm_loop_count(r.loops, r.size);
    plan->call->failed_at = 0; /* for a loop that fails without saying where */
    plan->call->thread->stats.plain_runs++;
    return tm_run_range(plan->call, count, r.count, kernel->thread_safe, run_range, &r);
}
