/* mode.h: the mode stack as the dispatcher sees it. */
#ifndef TM_DISPATCH_MODE_H
#define TM_DISPATCH_MODE_H

#include <transmute/modes.h>

#include "call.h"
#include "scope.h"

/** One mode on a thread's stack. A mode that neither handles nor observes (vmap) costs calls
 *  nothing: only the others count as interposers. */
struct tm_mode {
    const tm_mode_def *def;
    void *state;
    tm_mode *below;
    int interposers;              /**< among this mode and those below */
    uint64_t serial;              /**< what tm_mode_push gave the caller, 0 for the library's own */
    void (*close)(tm_mode *mode); /**< pops it with all that belongs to it */
};

/** Puts a mode in memory of the caller's on the stack. */
void tm_mode_enter(tm_thread *thread, tm_mode *mode, const tm_mode_def *def, void *state);
/** Takes the top mode off. */
void tm_mode_leave(tm_thread *thread, tm_mode *mode);
/** Closes modes from the top until `base` is the top. */
void tm_modes_close_to(tm_thread *thread, tm_mode *base);

/** What the thread had before a handler, an observer or a composite ran. */
typedef struct tm_guest {
    tm_mode *top, *floor;
    int interposers;
    uint64_t serial; /**< of the thread's errors */
    tm_scope scope;  /**< the guest's own */
} tm_guest;

/** Lets one run that sees the modes from `top` on, which it cannot pop, and a scope of its own. */
void tm_guest_enter(tm_thread *thread, tm_guest *guest, tm_mode *top);
/** Closes what it left open: modes, levels, scopes, handles in its scope. */
void tm_guest_leave(tm_thread *thread, tm_guest *guest);

/** The call through the visible modes; `status` is what meta said. */
tm_status tm_modes_dispatch(tm_call *call, tm_status status);
/** The visible modes' names, top first, comma-separated. */
void tm_modes_text(const tm_thread *thread, char *buffer, size_t size);

/** Makes the outputs of a composite or handler the call's results, or none of them: checked against
 *  the specs, taken from `scope` or aliased. Before that closes what was left open above `base` and
 *  inside `scope`; the outputs outlive it. */
tm_status tm_call_take_outputs(tm_call *call, const tm_tensor *const *outputs, tm_mode *base,
                               tm_scope *scope);

#endif
