/* thread.c: making, finding and ending thread records.
 *
 * All live records form a list under one lock, for the counters. A record that ends adds its
 * counters to `ended`, so that nothing counted is ever lost.
 */
#include "thread.h"

#include <pthread.h>
#include <string.h>

#include "memory.h"
#include "mode.h"
#include "parallel.h"
#include "registry.h"
#include "scope.h"
#include "trim.h"

_Thread_local tm_thread *tm_thread_current __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tm_thread *records;
static tm_memory_stats ended; /* live_bytes may wrap below zero here: only sums count */
static uint64_t last_id;
static pthread_key_t end_key;
static bool have_key;
static bool over; /* at exit, and no other thread has a record */

static uint64_t load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_counters(tm_memory_stats *sum, const tm_counters *counters)
{
    sum->allocations += load(&counters->allocations);
    sum->releases += load(&counters->releases);
    sum->failures += load(&counters->failures);
    sum->peak_bytes += load(&counters->peak_bytes);
    sum->live_bytes += (uint64_t)atomic_load_explicit(&counters->live_bytes, memory_order_relaxed);
    sum->live_tensors +=
        (uint64_t)atomic_load_explicit(&counters->live_tensors, memory_order_relaxed);
}

static void end_record(tm_thread *thread)
{
    while (thread->scope)
        tm_scope_close(thread, thread->scope);
    tm_memory_forget(thread);
    pthread_mutex_lock(&lock);
    add_counters(&ended, &thread->counters);
    if (thread->prev)
        thread->prev->next = thread->next;
    else
        records = thread->next;
    if (thread->next)
        thread->next->prev = thread->prev;
    pthread_mutex_unlock(&lock);
    tm_thread_current = NULL;
    tm_allocator allocator = tm_get_allocator();
    allocator.release(thread, sizeof *thread, allocator.user);
}

/* When a thread ends. What it left on its stack of modes is popped, levels among it. */
static void end_thread(void *pointer)
{
    tm_thread *thread = pointer;
    tm_thread_current = thread; /* the loader may have cleared it before us */
    thread->closing = true;     /* to its end */
    tm_modes_close_to(thread, NULL);
    end_record(thread);
}

bool tm_process_is_over(void)
{
    return over;
}

/* At exit, where no key destructor runs for this thread. Modes stay as they are: their states may
 * have been in the frame of main. While other threads run, what they use stays too. */
__attribute__((destructor)) static void end_process(void)
{
    tm_pool_end();
    tm_thread *thread = tm_thread_current;
    if (thread && thread->top)
        return;
    if (thread) {
        if (have_key)
            pthread_setspecific(end_key, NULL);
        end_record(thread);
    }
    pthread_mutex_lock(&lock);
    over = records == NULL;
    pthread_mutex_unlock(&lock);
    tm_run_trim_hooks();
    if (over)
        tm_registry_free();
}

tm_thread *tm_thread_slow(void)
{
    if (tm_thread_current)
        return tm_thread_current;
    tm_allocator allocator = tm_get_allocator();
    tm_thread *thread = allocator.alloc(sizeof *thread, allocator.user);
    if (!thread)
        return NULL;
    memset(thread, 0, sizeof *thread);
    thread->num_threads = 1;
    pthread_mutex_lock(&lock);
    if (!have_key)
        have_key = pthread_key_create(&end_key, end_thread) == 0;
    thread->id = ++last_id;
    thread->next = records;
    if (records)
        records->prev = thread;
    records = thread;
    pthread_mutex_unlock(&lock);
    if (have_key)
        pthread_setspecific(end_key, thread);
    tm_thread_current = thread;
    return thread;
}

void tm_thread_sum_counters(tm_memory_stats *stats)
{
    tm_thread_get();
    pthread_mutex_lock(&lock);
    *stats = ended;
    for (tm_thread *thread = records; thread; thread = thread->next)
        add_counters(stats, &thread->counters);
    pthread_mutex_unlock(&lock);
    stats->struct_size = sizeof *stats;
    stats->live_blocks = stats->allocations - stats->releases;
}

void tm_thread_reset_peaks(void)
{
    pthread_mutex_lock(&lock);
    /* A thread that frees what another made has fewer than no live bytes; its peak is then 0, and
     * `ended` takes the difference, so that the sum is what is live. */
    uint64_t rest = ended.live_bytes;
    for (tm_thread *thread = records; thread; thread = thread->next) {
        int64_t live = atomic_load_explicit(&thread->counters.live_bytes, memory_order_relaxed);
        uint64_t peak = live > 0 ? (uint64_t)live : 0;
        atomic_store_explicit(&thread->counters.peak_bytes, peak, memory_order_relaxed);
        rest += (uint64_t)live - peak;
    }
    ended.peak_bytes = rest;
    pthread_mutex_unlock(&lock);
}
