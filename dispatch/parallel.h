/* parallel.h: running a range of iterations as a kernel runs: with no mode, no level, a scope of
 * its own, its workspace; on one thread or several. */
#ifndef TM_DISPATCH_PARALLEL_H
#define TM_DISPATCH_PARALLEL_H

#include "call.h"
#include "scope.h"

/** Runs iterations [begin, end) in order and stops at the first that fails, with the failure in
 *  `call`, which is this worker's own. `scope` is the worker's kernel scope. */
typedef tm_status (*tm_range_fn)(tm_call *call, void *context, int64_t begin, int64_t end,
                                 tm_scope *scope);

/** Runs fn over [0, count). Several threads only where the thread asked for them, `may_split` and
 *  there is work enough (`work`: about how many elements one iteration touches). The failure that
 *  is kept is the first in order. */
tm_status tm_run_range(tm_call *call, int64_t count, int64_t work, bool may_split, tm_range_fn fn,
                       void *context);

/** At exit: ends the pool of workers, unless a call is using it. */
void tm_pool_end(void);

/** What a thread had before a kernel began. */
typedef struct tm_kernel_frame {
    tm_mode *top;
    int interposers, level_base;
    bool in_kernel, in_random_kernel;
    struct tm_random_mark *marks;
    tm_scope scope;
} tm_kernel_frame;

/** Closes what a kernel opened and left open: modes, levels, scopes, handles in its scope. */
void tm_kernel_tidy(tm_thread *thread, tm_scope *scope);
static inline bool tm_kernel_untidy(const tm_thread *thread, const tm_scope *scope)
{
    return scope->first || thread->top || thread->scope != scope;
}

static inline void tm_kernel_enter(tm_thread *thread, tm_kernel_frame *frame, bool random)
{
    frame->top = thread->top;
    frame->interposers = thread->interposers;
    frame->level_base = thread->level_base;
    frame->in_kernel = thread->in_kernel;
    frame->in_random_kernel = thread->in_random_kernel;
    frame->marks = thread->marks;
    thread->top = NULL;
    thread->interposers = 0;
    thread->level_base = thread->num_levels;
    thread->in_kernel = true;
    thread->in_random_kernel = random;
    thread->marks = NULL; /* random ops in a kernel draw from its stream */
    tm_scope_open(thread, &frame->scope);
}

static inline void tm_kernel_leave(tm_thread *thread, tm_kernel_frame *frame)
{
    if (tm_kernel_untidy(thread, &frame->scope))
        tm_kernel_tidy(thread, &frame->scope);
    thread->scope = frame->scope.parent;
    thread->top = frame->top;
    thread->interposers = frame->interposers;
    thread->level_base = frame->level_base;
    thread->in_kernel = frame->in_kernel;
    thread->in_random_kernel = frame->in_random_kernel;
    thread->marks = frame->marks;
}

/** Gives the call its workspace; *block, for tm_free with *size, stays NULL where it needs none. */
tm_status tm_workspace_begin(tm_call *call, void **block, size_t *size);

/** Runs fn over [begin, end) on this thread; the call has its workspace. */
static inline tm_status tm_run_kernel(tm_call *call, tm_thread *thread, tm_range_fn fn,
                                      void *context, int64_t begin, int64_t end)
{
    tm_kernel_frame frame;
    tm_kernel_enter(thread, &frame, call->op->def.contract == TM_RANDOM);
    tm_status status = fn(call, context, begin, end, &frame.scope);
    tm_kernel_leave(thread, &frame);
    return status;
}

/** The same with its workspace, as tm_run_range does where it does not split. */
static inline tm_status tm_run_here(tm_call *call, tm_thread *thread, tm_range_fn fn, void *context,
                                    int64_t begin, int64_t end)
{
    void *block = NULL;
    size_t size = 0;
    if (__builtin_expect(call->workspace_size != 0, 0)) {
        tm_status status = tm_workspace_begin(call, &block, &size);
        if (status != TM_OK)
            return status;
    }
    tm_status status = tm_run_kernel(call, thread, fn, context, begin, end);
    if (block)
        tm_free(block, size);
    return status;
}

#endif
