/* run_batched.c: accelerated kernels, which receive the loops and handle every example at once.
 *
 * They repeat no check: an example that the plain kernel could fail is reported as a suspect and
 * run again plainly, in order, so the failure and its words are the plain kernel's own.
 */
#include <stdlib.h>

#include "example.h"
#include "memory.h"

void tm_batch_decline(tm_call *call)
{
    if (call)
        call->declined = true;
}

void tm_batch_suspect(tm_call *call, int64_t index)
{
    tm_suspects *s = call ? call->suspects : NULL;
    if (!s || s->all)
        return;
    if (s->count == s->room) {
        int64_t room = s->room ? 2 * s->room : 64;
        int64_t *more = tm_alloc((size_t)room * sizeof *more);
        if (!more) {
            s->all = true; /* there is no memory to tell them apart */
            return;
        }
        for (int64_t i = 0; i < s->count; i++)
            more[i] = s->index[i];
        tm_free(s->index, (size_t)s->room * sizeof *more);
        s->index = more;
        s->room = room;
    }
    s->index[s->count++] = index;
}

static int by_index(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static tm_status rerun(tm_example_run *run, tm_call *call, tm_suspects *s, tm_scope *scope)
{
    int64_t count = tm_loop_count(run->loops, run->size);
    if (s->all) {
        call->thread->stats.reruns += (uint64_t)count;
        return tm_example_range(call, run, 0, count, scope);
    }
    if (s->count)
        qsort(s->index, (size_t)s->count, sizeof *s->index, by_index);
    tm_status status = TM_OK;
    for (int64_t i = 0; i < s->count && status == TM_OK; i++) {
        if (s->index[i] < 0 || s->index[i] >= count)
            return tm_fail(call, TM_ERR_SCHEMA, "the batched kernel suspects example %lld of %lld",
                           (long long)s->index[i], (long long)count);
        if (i > 0 && s->index[i] == s->index[i - 1])
            continue;
        call->thread->stats.reruns++;
        status = tm_example_range(call, run, s->index[i], s->index[i] + 1, scope);
    }
    return status;
}

typedef struct batched_run {
    tm_example_run *run;
    const tm_kernel *kernel;
} batched_run;

static tm_status run_all(tm_call *call, void *context, int64_t begin, int64_t end, tm_scope *scope)
{
    (void)begin;
    (void)end;
    const batched_run *b = context;
    tm_example_run *run = b->run;
    tm_suspects suspects = {0};
    tm_worker worker;
    tm_status status = tm_worker_begin(run, call, &worker);
    if (status == TM_OK) {
        tm_batch batch = {run->loops, run->size, run->plan->num_operands, run->step};
        call->suspects = &suspects;
        status = b->kernel->rule ? tm_rule_call(call, run, &worker, b->kernel, &suspects)
                                 : b->kernel->batched(call, &batch);
        call->suspects = NULL;
        tm_kernel_tidy(call->thread, scope);
    }
    tm_worker_end(call, &worker);
    if (status != TM_OK)
        tm_call_take_error(call, status);
    if (status == TM_OK && !call->declined)
        status = rerun(run, call, &suspects, scope);
    tm_free(suspects.index, (size_t)suspects.room * sizeof *suspects.index);
    return status;
}

tm_status tm_run_batched(tm_example_run *run, const tm_kernel *kernel, bool *declined)
{
    tm_call *call = run->plan->call;
    batched_run b = {run, kernel};
    call->declined = false;
    tm_status status = tm_run_range(call, 1, 1, false, run_all, &b);
    *declined = status == TM_OK && call->declined;
    if (*declined)
        call->thread->stats.declined_runs++;
    else
        call->thread->stats.batched_runs++;
    return status;
}
