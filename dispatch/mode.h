/* mode.h: the mode stack as the dispatcher sees it. */
#ifndef TM_DISPATCH_MODE_H
#define TM_DISPATCH_MODE_H

#include <transmute/modes.h>

#include "call.h"

/** One mode on a thread's stack. A mode that neither handles nor observes (vmap) costs calls
 *  nothing: only the others count as interposers. */
struct tm_mode {
    const tm_mode_def *def;
    void *state;
    tm_mode *below;
    int interposers; /**< among this mode and those below */
    uint64_t thread;
    void (*close)(tm_mode *mode); /**< pops it with all that belongs to it */
};

/** Puts a mode in memory of the caller's on the stack. */
void tm_mode_enter(tm_thread *thread, tm_mode *mode, const tm_mode_def *def, void *state);
/** Takes the top mode off. */
void tm_mode_leave(tm_thread *thread, tm_mode *mode);
/** Closes modes from the top until `base` is the top. */
void tm_modes_close_to(tm_thread *thread, const tm_mode *base);

/** The call through the visible modes; `status` is what meta said. */
tm_status tm_modes_dispatch(tm_call *call, tm_status status);
/** The visible modes' names, top first, comma-separated. */
void tm_modes_text(const tm_thread *thread, char *buffer, size_t size);

/** Makes output i of a composite or handler the call's result: checked against the spec, taken from
 *  `scope` or aliased. */
tm_status tm_call_take_output(tm_call *call, int i, const tm_tensor *output, const tm_scope *scope);

#endif
