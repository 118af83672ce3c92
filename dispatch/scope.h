/* scope.h: scopes as the dispatcher uses them. A scope is a list of handles, each of which it owns
 * one reference to; a handle knows its scope, so leaving it is constant time. */
#ifndef TM_DISPATCH_SCOPE_H
#define TM_DISPATCH_SCOPE_H

#include "handle.h"

struct tm_scope {
    tm_scope *parent;
    tm_tensor *first;
    uint64_t thread;
    uint64_t serial; /**< what tm_scope_push gave the caller, 0 for the library's own */
};

/** Opens a scope in memory of the caller's (composites, kernels, levels). */
static inline void tm_scope_open(tm_thread *thread, tm_scope *scope)
{
    *scope = (tm_scope){.parent = thread->scope, .thread = thread->id};
    thread->scope = scope;
}
/** Releases the handles of every scope down to `scope`, which is in the thread's chain, and closes
 *  them; those that tm_scope_push made are freed. */
void tm_scope_close(tm_thread *thread, tm_scope *scope);
/** Releases the handles of the innermost scope; it stays open. */
void tm_scope_clear(tm_thread *thread, tm_scope *scope);

/** Gives the caller's reference to x to the innermost scope, if one is open. Returns x. */
static inline tm_tensor *tm_scope_adopt(tm_thread *thread, tm_tensor *x)
{
    tm_scope *scope = thread->scope;
    if (!scope)
        return x;
    x->scope = scope;
    x->scope_prev = NULL;
    x->scope_next = scope->first;
    if (scope->first)
        scope->first->scope_prev = x;
    scope->first = x;
    return x;
}

/** Takes x out of its scope; the reference is the caller's again. */
static inline void tm_scope_forget(tm_tensor *x)
{
    if (!x->scope)
        return;
    if (x->scope_prev)
        x->scope_prev->scope_next = x->scope_next;
    else
        x->scope->first = x->scope_next;
    if (x->scope_next)
        x->scope_next->scope_prev = x->scope_prev;
    x->scope = NULL;
}

#endif
