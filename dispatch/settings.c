/* settings.c: a thread's choices and what its calls have done. */
#include "thread.h"

void tm_set_acceleration(tm_acceleration acceleration)
{
    tm_thread *thread = tm_thread_get();
    if (thread && acceleration >= TM_ACCEL_AUTO && acceleration <= TM_ACCEL_ON)
        thread->acceleration = acceleration;
}

tm_acceleration tm_get_acceleration(void)
{
    tm_thread *thread = tm_thread_get();
    return thread ? thread->acceleration : TM_ACCEL_AUTO;
}

tm_dispatch_stats tm_dispatch_get_stats(void)
{
    tm_thread *thread = tm_thread_get();
    tm_dispatch_stats stats = {.struct_size = sizeof stats};
    if (thread) {
        stats = thread->stats;
        stats.struct_size = sizeof stats;
    }
    return stats;
}

void tm_dispatch_reset_stats(void)
{
    tm_thread *thread = tm_thread_get();
    if (thread)
        thread->stats = (tm_dispatch_stats){.struct_size = sizeof(tm_dispatch_stats)};
}
