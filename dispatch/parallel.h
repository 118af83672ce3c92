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

/** What a thread had before a kernel began. */
typedef struct tm_kernel_frame {
    tm_mode *top;
    int interposers, level_base;
    bool in_kernel, in_random_kernel;
    struct tm_random_mark *marks;
    tm_scope scope;
} tm_kernel_frame;

void tm_kernel_enter(tm_thread *thread, tm_kernel_frame *frame, bool random);
void tm_kernel_leave(tm_thread *thread, tm_kernel_frame *frame);

/** Closes what a kernel opened and left open: modes, levels, scopes, handles in its scope. */
void tm_kernel_tidy(tm_thread *thread, tm_scope *scope);
static inline bool tm_kernel_untidy(const tm_thread *thread, const tm_scope *scope)
{
    return scope->first || thread->top || thread->scope != scope;
}

#endif
