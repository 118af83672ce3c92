/* trim.h: what is kept beside the threads' blocks and given back by tm_trim and at exit. */
#ifndef TM_DISPATCH_TRIM_H
#define TM_DISPATCH_TRIM_H

#include <stdbool.h>

/** A function that gives memory back; static, one for each thing that keeps some. */
typedef struct tm_trim_hook {
    void (*run)(void);
    struct tm_trim_hook *next; /**< the list's */
    bool listed;
} tm_trim_hook;

/** Has the hook run by each tm_trim from now on, and at exit. Again: nothing. The caller sees to it
 *  that no two threads list the same hook at once. */
void tm_on_trim(tm_trim_hook *hook);
/** Runs the hooks. */
void tm_run_trim_hooks(void);

#endif
