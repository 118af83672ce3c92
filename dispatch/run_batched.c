/* run_batched.c: accelerated kernels, which receive the loops and handle every example at once.
 *
 * They repeat no check: an example that the plain kernel could fail is reported as a suspect and
 * run again plainly, in order, so the failure and its words are the plain kernel's own.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "memory.h"
#include "numbers.h"

void tm_batch_decline(tm_call *call)
{
    if (call)
        call->declined = true;
}

static void add_suspect(tm_suspects *s, int64_t index)
{
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

void tm_batch_suspect(tm_call *call, int64_t index)
{
    tm_suspects *s = call ? call->suspects : NULL;
    if (s && !s->all)
        add_suspect(s, index);
}

static int by_index(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A batched kernel's call. The range that threads share is one of its loops, in units. */
typedef struct batched_run {
    tm_example_run *run;
    const tm_kernel *kernel;
    int loop;
    int64_t unit;  /* iterations of that loop which stay together */
    int64_t inner; /* examples in one iteration */
    pthread_mutex_t lock;
    tm_suspects suspects; /* of all workers, under the lock */
    bool declined;        /* by any of them, under the lock */
} batched_run;

enum {
    TOGETHER = 64,    /* examples: kernels that fold the batch see whole blocks, in every part */
    SPLIT_LEAST = 256 /* iterations that are cut into units of so many examples */
};

/* Which loop to share: the first one that has enough for every thread, else the longest. */
static void choose_loop(batched_run *b)
{
    const tm_example_run *run = b->run;
    b->loop = 0;
    for (int l = 1; l < run->loops && run->size[b->loop] < SPLIT_LEAST; l++)
        if (run->size[l] > run->size[b->loop])
            b->loop = l;
    b->unit = run->size[b->loop] >= SPLIT_LEAST ? TOGETHER : 1;
    b->inner = tm_loop_count(run->loops - b->loop - 1, run->size + b->loop + 1);
}

/* An example's place in the whole batch, from its place in a part which begins at iteration `first`
 * of the shared loop and has `size` of them. */
static int64_t whole_index(const batched_run *b, int64_t index, int64_t first, int64_t size)
{
    int64_t inner = index % b->inner, at = index / b->inner;
    return (at / size * b->run->size[b->loop] + first + at % size) * b->inner + inner;
}

/* Adds a worker's findings to everybody's. */
static void collect(batched_run *b, const tm_call *call, const tm_suspects *found, int64_t first,
                    int64_t size)
{
    tm_suspects *all = &b->suspects;
    pthread_mutex_lock(&b->lock);
    b->declined = b->declined || call->declined;
    all->all = all->all || found->all;
    for (int64_t i = 0; i < found->count && !all->all; i++)
        add_suspect(all, whole_index(b, found->index[i], first, size));
    pthread_mutex_unlock(&b->lock);
}

static tm_status run_part(tm_call *call, void *context, int64_t begin, int64_t end, tm_scope *scope)
{
    batched_run *b = context;
    tm_example_run *run = b->run;
    int n = run->plan->num_operands;
    int64_t size[TM_MAX_LOOPS], whole = run->size[b->loop], first = begin * b->unit;
    memcpy(size, run->size, (size_t)run->loops * sizeof *size);
    size[b->loop] = tm_smaller(whole, end * b->unit) - first;
    tm_suspects found = {0};
    tm_worker worker;
    tm_status status = tm_worker_begin(run, call, &worker);
    if (status == TM_OK) {
        for (int k = 0; k < n; k++)
            worker.handles[k].data += first * run->step[b->loop * n + k];
        tm_batch batch = {run->loops, size, n, run->step};
        call->declined = false;
        call->suspects = &found;
        status = b->kernel->rule ? tm_rule_call(call, run, &worker, b->kernel, &found)
                                 : tm_call_judge(call, b->kernel->batched(call, &batch));
        call->suspects = NULL;
        tm_kernel_tidy(call->thread, scope);
    }
    tm_worker_end(call, &worker);
    if (status == TM_OK)
        collect(b, call, &found, first, size[b->loop]);
    tm_free(found.index, (size_t)found.room * sizeof *found.index);
    return status;
}

/* Runs the suspects plainly, in order. */
static tm_status rerun(tm_call *call, void *context, int64_t begin, int64_t end, tm_scope *scope)
{
    (void)begin;
    (void)end;
    batched_run *b = context;
    const tm_suspects *s = &b->suspects;
    int64_t count = tm_loop_count(b->run->loops, b->run->size);
    qsort(s->index, (size_t)s->count, sizeof *s->index, by_index);
    tm_status status = TM_OK;
    for (int64_t i = 0; i < s->count && status == TM_OK; i++) {
        if (s->index[i] < 0 || s->index[i] >= count)
            return tm_fail(call, TM_ERR_SCHEMA, "the batched kernel suspects example %lld of %lld",
                           (long long)s->index[i], (long long)count);
        if (i > 0 && s->index[i] == s->index[i - 1])
            continue;
        call->thread->stats.reruns++;
        status = tm_example_range(call, b->run, s->index[i], s->index[i] + 1, scope);
    }
    return status;
}

/* Elements that one iteration touches, for the choice of threads. */
static int64_t work_of_unit(const batched_run *b, int64_t units)
{
    int64_t work, count = tm_loop_count(b->run->loops, b->run->size);
    bool fits = tm_mul_size(tm_example_work(b->run), count, &work);
    return fits ? work / units : INT64_MAX;
}

tm_status tm_run_batched(tm_example_run *run, const tm_kernel *kernel, bool *declined)
{
    tm_call *call = run->plan->call;
    batched_run b = {.run = run, .kernel = kernel, .lock = PTHREAD_MUTEX_INITIALIZER};
    choose_loop(&b);
    /* A rule takes the batch as one, and an argument that is read and written is written once. */
    bool may_split = kernel->thread_safe && !kernel->rule &&
                     !(call->op->has_written && call->op->form == TM_FORM_DECLARED);
    int64_t units = (run->size[b.loop] + b.unit - 1) / b.unit;
    tm_status status = tm_run_range(call, units, work_of_unit(&b, units), may_split, run_part, &b);
    *declined = status == TM_OK && b.declined;
    if (*declined)
        call->thread->stats.declined_runs++;
    else
        call->thread->stats.batched_runs++;
    int64_t count = tm_loop_count(run->loops, run->size);
    if (status == TM_OK && !*declined && b.suspects.all) {
        call->thread->stats.reruns += (uint64_t)count;
        status = tm_run_range(call, count, tm_example_work(run), run->kernel->thread_safe,
                              tm_example_range, run);
    } else if (status == TM_OK && !*declined && b.suspects.count) {
        status = tm_run_range(call, 1, 1, false, rerun, &b);
    }
    tm_free(b.suspects.index, (size_t)b.suspects.room * sizeof *b.suspects.index);
    return status;
}
