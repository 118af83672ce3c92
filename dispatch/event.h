/* event.h: telling the modes of what is no call of an op. */
#ifndef TM_DISPATCH_EVENT_H
#define TM_DISPATCH_EVENT_H

#include <transmute/modes.h>

#include "thread.h"

/** Whether some visible mode may want to know of events. */
static inline bool tm_modes_listen(const tm_thread *thread)
{
    return __builtin_expect(thread && thread->interposers != 0, 0);
}
/** Tells the visible modes of an event, top first. */
void tm_modes_tell(tm_thread *thread, const char *name, int num_args, const tm_event_arg *args,
                   const tm_tensor *result);

#endif
