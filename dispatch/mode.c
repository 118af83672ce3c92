/* mode.c: the mode stack.
 *
 * The stack is a chain from the top down. What runs inside a call (a handler, an observer, a
 * composite) is a guest on it: the modes that it finds are below its floor and not its to pop, what
 * it pushes stands on them and is closed when it is done.
 */
#include "mode.h"

#include "given.h"
#include "memory.h"

/* One that tm_mode_push made. */
typedef struct pushed_mode {
    tm_mode mode;
    tm_mode_def def; /* as the caller gave it */
} pushed_mode;

void tm_mode_enter(tm_thread *thread, tm_mode *mode, const tm_mode_def *def, void *state)
{
    bool interposes = def->handle || def->before || def->after || def->event;
    mode->def = def;
    mode->state = state;
    mode->below = thread->top;
    mode->interposers = thread->interposers + interposes;
    mode->serial = 0;
    thread->top = mode;
    thread->interposers = mode->interposers;
}

void tm_mode_leave(tm_thread *thread, tm_mode *mode)
{
    thread->top = mode->below;
    thread->interposers = mode->below ? mode->below->interposers : 0;
    if (mode->def->destroy)
        mode->def->destroy(mode->state);
}

static void close_pushed(tm_mode *mode)
{
    tm_thread *thread = tm_thread_get();
    tm_mode_leave(thread, mode);
    tm_free(mode, sizeof(pushed_mode)); /* whose first member it is */
}

void tm_modes_close_to(tm_thread *thread, tm_mode *base)
{
    tm_mode *floor = thread->floor;
    bool closing = thread->closing;
    thread->floor = base; /* what is called as they go cannot pop it */
    thread->closing = true;
    while (thread->top && thread->top != base)
        thread->top->close(thread->top);
    thread->floor = floor;
    thread->closing = closing;
}

static tm_mode *public_pointer(const tm_mode *mode)
{
    return (tm_mode *)(uintptr_t)
        mode->serial; /* NOLINT(performance-no-int-to-ptr): never followed */
}

tm_mode *tm_mode_push(const tm_mode_def *def, void *state)
{
    tm_thread *thread = tm_thread_get();
    if (!def) {
        tm_error_null("mode_push", "def");
        return NULL;
    }
    tm_mode_def own;
    if (tm_given_take("mode_push", "def", TM_GIVEN_TYPE(tm_mode_def, destroy), def, &own) != TM_OK)
        return NULL;
    if (!own.name) {
        tm_error_set(TM_ERR_USAGE, "mode_push", "def", "a mode needs a name");
        return NULL;
    }
    if (thread && thread->closing) { /* one that pushes another as it goes would never end */
        tm_error_set(TM_ERR_USAGE, "mode_push", NULL,
                     "no mode can be pushed while modes that were left open are closed");
        return NULL;
    }
    pushed_mode *pushed = thread ? tm_alloc(sizeof *pushed) : NULL;
    if (!pushed) {
        tm_error_memory("mode_push", (int64_t)sizeof *pushed);
        return NULL;
    }
    pushed->def = own;
    tm_mode_enter(thread, &pushed->mode, &pushed->def, state);
    pushed->mode.close = close_pushed;
    pushed->mode.serial = tm_thread_serial(thread);
    return public_pointer(&pushed->mode);
}

tm_status tm_mode_pop(tm_mode *mode)
{
    tm_thread *thread = tm_thread_get();
    if (!mode)
        return tm_error_null("mode_pop", "mode");
    if (!thread || !thread->top || public_pointer(thread->top) != mode)
        return tm_error_set(TM_ERR_USAGE, "mode_pop", "mode",
                            "mode must be the innermost one of this thread, pushed by "
                            "tm_mode_push");
    if (thread->top == thread->floor)
        return tm_error_set(TM_ERR_USAGE, "mode_pop", "mode",
                            "mode was pushed before the running handler, observer or composite, "
                            "which cannot pop it");
    close_pushed(thread->top);
    return TM_OK;
}

void tm_guest_enter(tm_thread *thread, tm_guest *guest, tm_mode *top)
{
    *guest = (tm_guest){.top = thread->top,
                        .floor = thread->floor,
                        .interposers = thread->interposers,
                        .serial = thread->error_serial};
    thread->top = thread->floor = top;
    thread->interposers = top ? top->interposers : 0;
    tm_scope_open(thread, &guest->scope);
}

void tm_guest_leave(tm_thread *thread, tm_guest *guest)
{
    tm_modes_close_to(thread, thread->floor);
    tm_scope_close(thread, &guest->scope);
    thread->top = guest->top;
    thread->floor = guest->floor;
    thread->interposers = guest->interposers;
}

void tm_modes_text(const tm_thread *thread, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (const tm_mode *mode = thread->top; mode && used < size; mode = mode->below) {
        int n = snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", mode->def->name);
        used += n > 0 ? (size_t)n : 0;
    }
}
