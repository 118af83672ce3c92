/* run_copy.c: elementwise ops that convert and do nothing else, as one copy.
 *
 * A copy knows better orders than a nest of loops: transposes in tiles, runs as bytes.
 */
#include "copy.h"
#include "parallel.h"
#include "plan.h"

tm_status tm_convert_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    tm_cast((tm_dtype)call->compute[0], (tm_dtype)call->compute[1])(ptr[0], step[0], ptr[1],
                                                                    step[1], n);
    return TM_OK;
}

static tm_status run_range(tm_call *call, void *context, int64_t begin, int64_t end,
                           tm_scope *scope)
{
    (void)call;
    (void)scope;
    tm_copy_range(context, begin, end);
    return TM_OK;
}

bool tm_run_copy(tm_plan *plan, const tm_kernel *kernel, tm_status *status)
{
    tm_call *call = plan->call;
    if (call->loop != tm_convert_loop || plan->num_inputs != 1 || call->num_compute != 2)
        return false;
    const tm_tensor *x = plan->operand[0].tensor, *out = plan->operand[1].tensor;
    if (x->dtype != call->compute[0] || out->dtype != call->compute[1])
        return false;
    tm_copy_side from = {.base = plan->operand[0].base, .dtype = (tm_dtype)x->dtype};
    tm_copy_side to = {.base = plan->operand[1].base, .dtype = (tm_dtype)out->dtype};
    int64_t size[TM_COPY_DIMS];
    int n = 0;
    for (int l = 0; l < plan->num_levels; l++, n++) {
        size[n] = plan->size[l];
        from.step[n] = plan->step[l * 2];
        to.step[n] = plan->step[l * 2 + 1];
    }
    for (int d = 0; d < out->ndim; d++, n++) {
        int at = d - (out->ndim - x->ndim); /* x may broadcast */
        size[n] = out->shape[d];
        from.step[n] = at < 0 ? 0 : tm_handle_step(x, at);
        to.step[n] = tm_handle_step(out, d);
    }
    tm_copy_plan copy;
    tm_copy_lay_out(&copy, n, size, &to, &from);
    call->thread->stats.plain_runs++;
    *status = tm_run_range(call, copy.count, copy.work, kernel->thread_safe, run_range, &copy);
    return true;
}
