/* quarantine.h: where freed handles go. In debug builds they wait in a ring, marked dead, so that
 * their use is reported and not undefined; in release builds they are freed at once. */
#ifndef TM_DISPATCH_QUARANTINE_H
#define TM_DISPATCH_QUARANTINE_H

#include "memory.h"

#ifdef TM_DEBUG
void tm_quarantine(void *memory, size_t size);
#else
static inline void tm_quarantine(void *memory, size_t size)
{
    tm_free(memory, size);
}
#endif
/** Frees what waits (at exit, and before a test counts). */
void tm_quarantine_empty(void);

#endif
