/* scope.c: opening and closing scopes, and reference counts by hand. */
#include "scope.h"

#include "memory.h"
#include "mode.h"

/* Puts x, which is in no scope, into one of the thread's; NULL: x is the caller's. */
static void put_into(tm_thread *thread, tm_tensor *x, tm_scope *scope)
{
    tm_scope *innermost = thread->scope;
    thread->scope = scope;
    tm_scope_adopt(thread, x);
    thread->scope = innermost;
}

/* The deleters of wrapped memory run as guests: what they leave open is closed, and handles that
 * they make go to the scope outside, as there would be no end of one that makes another. */
void tm_scope_clear(tm_thread *thread, tm_scope *scope)
{
    if (!scope->first)
        return;
    tm_guest guest;
    tm_guest_enter(thread, &guest, thread->top);
    while (scope->first) {
        tm_tensor *x = scope->first;
        tm_scope_forget(x);
        tm_release(x);
    }
    tm_modes_close_to(thread, thread->floor);
    while (thread->scope != &guest.scope)
        tm_scope_close(thread, thread->scope);
    while (guest.scope.first) {
        tm_tensor *x = guest.scope.first;
        tm_scope_forget(x);
        put_into(thread, x, scope->parent);
    }
    tm_guest_leave(thread, &guest);
}

void tm_scope_close(tm_thread *thread, tm_scope *scope)
{
    for (;;) {
        tm_scope *innermost = thread->scope;
        tm_scope_clear(thread, innermost);
        thread->scope = innermost->parent;
        if (innermost->serial)
            tm_free(innermost, sizeof *innermost);
        if (innermost == scope)
            return;
    }
}

static tm_scope *public_pointer(const tm_scope *scope)
{
    return (tm_scope *)(uintptr_t)
        scope->serial; /* NOLINT(performance-no-int-to-ptr): never followed */
}

tm_scope *tm_scope_push(void)
{
    tm_thread *thread = tm_thread_get();
    tm_scope *scope = thread ? tm_alloc(sizeof *scope) : NULL;
    if (!scope) {
        tm_error_memory("scope_push", (int64_t)sizeof *scope);
        return NULL;
    }
    tm_scope_open(thread, scope);
    scope->serial = tm_thread_serial(thread);
    return public_pointer(scope);
}

tm_status tm_scope_pop(tm_scope *scope)
{
    tm_thread *thread = tm_thread_get();
    if (!scope)
        return tm_error_null("scope_pop", "scope");
    if (!thread || !thread->scope || public_pointer(thread->scope) != scope)
        return tm_error_set(TM_ERR_USAGE, "scope_pop", "scope",
                            "scope must be the innermost open one of this thread");
    tm_scope_close(thread, thread->scope);
    return TM_OK;
}

tm_tensor *tm_keep(tm_tensor *x)
{
    tm_thread *thread = tm_thread_get();
    if (tm_handle_check(NULL, x, "keep", "x") != TM_OK)
        return NULL;
    tm_scope *scope = x->scope;
    if (!scope || !thread)
        return x;
    if (scope->thread != thread->id) {
        tm_error_set(TM_ERR_USAGE, "keep", "x", "x belongs to a scope of another thread");
        return NULL;
    }
    tm_scope_forget(x);
    put_into(thread, x, scope->parent);
    return x;
}

tm_tensor *tm_retain(const tm_tensor *x)
{
    if (tm_handle_check(NULL, x, "retain", "x") != TM_OK)
        return NULL;
    if (x->plain) {
        tm_error_set(TM_ERR_USAGE, "retain", "x",
                     "x is a kernel's handle, which ends with the kernel's call; retain a view "
                     "(tm_alias) or a copy");
        return NULL;
    }
    tm_tensor *y = (tm_tensor *)(uintptr_t)x;
    tm_ref_add(&y->refs);
    return y;
}

void tm_release(const tm_tensor *x)
{
    if (!x || x->plain)
        return;
    if (!tm_handle_live(x)) { /* only debug builds can see this: the handle is in quarantine */
        tm_error_set(TM_ERR_USAGE, "release", "x", "x has been released before");
        return;
    }
    tm_tensor *y = (tm_tensor *)(uintptr_t)x;
    if (tm_ref_drop(&y->refs))
        tm_handle_free(y);
}
