/* trim.c: the list of hooks; it only grows, at its head, so it is read without a lock. */
#include "trim.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(tm_trim_hook *) first;

void tm_on_trim(tm_trim_hook *hook)
{
    if (hook->listed)
        return;
    hook->listed = true;
    hook->next = atomic_load(&first);
    while (!atomic_compare_exchange_weak(&first, &hook->next, hook))
        continue;
}

void tm_run_trim_hooks(void)
{
    for (tm_trim_hook *hook = atomic_load(&first); hook; hook = hook->next)
        hook->run();
}
