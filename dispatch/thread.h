/* thread.h: what a thread has for itself: its mode stack, levels, scopes, error and counters.
 *
 * The record is made at the thread's first use of the library and freed when the thread ends. Only
 * the memory counters are read by other threads.
 */
#ifndef TM_DISPATCH_THREAD_H
#define TM_DISPATCH_THREAD_H

#include <stdatomic.h>

#include <transmute/dispatch.h>
#include <transmute/memory.h>

#include "cache.h"
#include "error.h"
#include "generator.h"

/** For what few calls need: kept out of the frame that every call pays for. */
#define TM_OUT_OF_LINE __attribute__((noinline))

/** Room for a kernel to map inside a full stack of levels. */
enum { TM_OPEN_LEVELS = 2 * TM_MAX_LEVELS };

/** One open level, as the dispatcher needs to know it. modes/vmap.c keeps the rest. */
typedef struct tm_open_level {
    uint64_t id;
    int64_t size;        /**< -1 while no mapped input has set it */
    int64_t first;       /**< a piece of a batch: the index there of the piece's first example */
    int64_t whole;       /**< a piece of a batch: the size of all of it, else -1 */
    int64_t random_mode; /**< a tm_randomness */
    void *blocks;        /**< memory to free when the level ends (promotion) */
    void *owner;         /**< the tm_vmap_level, for modes/vmap.c */
} tm_open_level;

/** Counters written by their thread alone; atomics only so that others may read them. */
typedef struct tm_counters {
    _Atomic uint64_t allocations, releases, failures, peak_bytes;
    _Atomic int64_t live_bytes, live_tensors;
} tm_counters;

typedef struct tm_thread {
    uint64_t id;         /**< never 0, never used again */
    uint64_t last_level; /**< id of the level pushed last by this thread, 0 for none */

    /* The visible stack. While a kernel runs it is empty, and so are the levels. */
    tm_mode *top;
    tm_mode *floor;  /**< the top that what runs inside a call found: it and those below stay */
    bool closing;    /**< modes that were left open are being closed: none can be pushed */
    int interposers; /**< visible modes that handle or observe; 0: calls skip the stack */
    int level_base;  /**< levels below this one are not visible */
    int num_levels;
    tm_open_level levels[TM_OPEN_LEVELS];

    tm_scope *scope;
    uint64_t last_serial; /**< of scopes and modes pushed by the caller */
    bool in_kernel;
    bool in_random_kernel; /**< the kernel running was declared random */
    uint8_t guards;        /**< > 0: new storages are guarded and begin as `poison` */
    uint8_t poison;
    bool guard_broken;     /**< a guarded storage was freed whose zones were not whole */
    uint32_t storages;     /**< made by this thread, modulo 2^32 */
    struct tm_seat *seats; /**< see seat.h */
    tm_error_record error;
    bool callback_held, callback_due; /**< see tm_error_hold_callback */
    uint64_t error_serial;        /**< grows with each new record, and when NULL passes one on */
    tm_generator generator;       /**< the default one */
    struct tm_random_mark *marks; /**< visible ones, innermost first; see random.h */
    tm_acceleration acceleration;
    int num_threads;
    tm_dispatch_stats stats;
    tm_counters counters;
    tm_cache cache;
    struct tm_thread *next, *prev;
} tm_thread;

/** The size of the batch that a level is, or is a piece of. */
static inline int64_t tm_level_whole(const tm_open_level *level)
{
    return level->whole < 0 ? level->size : level->whole;
}

/** The calling thread's record, made if need be; NULL on lack of memory. */
tm_thread *tm_thread_slow(void);

extern _Thread_local tm_thread *tm_thread_current __attribute__((tls_model("initial-exec")));

static inline tm_thread *tm_thread_get(void)
{
    tm_thread *thread = tm_thread_current;
    return __builtin_expect(thread != NULL, 1) ? thread : tm_thread_slow();
}

/** A number that no other scope or mode of the process has had. What callers hold as a pointer to
 * one is this number, never followed, so that a stale pointer is found out. */
static inline uint64_t tm_thread_serial(tm_thread *thread)
{
    return thread->id << 40 | ++thread->last_serial;
}

/** The visible open level with that id, or NULL. */
static inline tm_open_level *tm_thread_level(tm_thread *thread, uint64_t id)
{
    for (int i = thread->num_levels; i-- > thread->level_base;)
        if (thread->levels[i].id == id)
            return &thread->levels[i];
    return NULL;
}

/** At exit: whether what is the process's can be freed, since no other thread uses the library. */
bool tm_process_is_over(void);

/** Adds up the counters of all threads, those that have ended included. */
void tm_thread_sum_counters(tm_memory_stats *stats);
void tm_thread_reset_peaks(void);

#endif
