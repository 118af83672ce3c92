/* memory.c: the allocator and its counters.
 *
 * Counters live in the thread records, each written by its own thread only (a relaxed load and
 * store, no locked instruction), so counting costs less than a nanosecond. A block may be freed by
 * another thread than allocated it: only the sums mean anything.
 */
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "given.h"
#include "thread.h"
#include "trim.h"

enum { HUGE_PAGE = 1 << 21 };

/* Blocks of several huge pages ask for them: they are made and found faster than small ones. */
static void *malloc_alloc(size_t size, void *user)
{
    (void)user;
    if (size < 2 * HUGE_PAGE)
        return malloc(size);
    size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, whole);
#ifdef MADV_HUGEPAGE
    if (memory)
        (void)madvise(memory, whole, MADV_HUGEPAGE); /* refused, it is memory all the same */
#endif
    return memory;
}

static void malloc_release(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

/* Threads, the pool's among them, begin and end where they may not be seen to be ordered behind
 * whoever set it: what asks for all of it takes the lock, but not every block. */
static tm_allocator current = {sizeof(tm_allocator), malloc_alloc, malloc_release, NULL};
static pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;

/* Where every block must be seen to come and go, none is kept. */
#ifdef __has_feature /* as clang says it */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TM_SANITIZED
#endif
#endif
#if defined(TM_DEBUG) || defined(TM_SANITIZED) || defined(__SANITIZE_ADDRESS__) ||                 \
    defined(__SANITIZE_THREAD__)
enum { CACHE_IN_BUILD = 0 };
#else
enum { CACHE_IN_BUILD = 1 };
#endif
static bool use_cache = CACHE_IN_BUILD;

void tm_set_allocator(const tm_allocator *allocator)
{
    tm_allocator next = {sizeof next, malloc_alloc, malloc_release, NULL};
    if (allocator && tm_given_take("set_allocator", "allocator", TM_GIVEN_TYPE(tm_allocator, user),
                                   allocator, &next) != TM_OK)
        return;
    if (!next.alloc || !next.release) {
        tm_error_set(TM_ERR_USAGE, "set_allocator", "allocator",
                     "an allocator needs both alloc and release");
        return;
    }
    tm_thread *thread = tm_thread_get();
    if (thread)
        tm_memory_forget(thread);
    next.struct_size = sizeof next; /* what tm_get_allocator says */
    pthread_mutex_lock(&current_lock);
    current = next;
    pthread_mutex_unlock(&current_lock);
    use_cache = CACHE_IN_BUILD && next.alloc == malloc_alloc;
}

tm_allocator tm_get_allocator(void)
{
    pthread_mutex_lock(&current_lock);
    tm_allocator allocator = current;
    pthread_mutex_unlock(&current_lock);
    return allocator;
}

#define ADD(counter, amount)                                                                       \
    atomic_store_explicit(&(counter),                                                              \
                          atomic_load_explicit(&(counter), memory_order_relaxed) + (amount),       \
                          memory_order_relaxed)

static void count_alloc(tm_thread *thread, size_t size)
{
    tm_counters *counters = &thread->counters;
    ADD(counters->allocations, 1);
    int64_t live =
        atomic_load_explicit(&counters->live_bytes, memory_order_relaxed) + (int64_t)size;
    atomic_store_explicit(&counters->live_bytes, live, memory_order_relaxed);
    if (live > (int64_t)atomic_load_explicit(&counters->peak_bytes, memory_order_relaxed))
        atomic_store_explicit(&counters->peak_bytes, (uint64_t)live, memory_order_relaxed);
}

/* Where the thread keeps no small block of the size. */
TM_OUT_OF_LINE static void *alloc_more(size_t size)
{
    tm_thread *thread = tm_thread_get();
    if (!thread || size > PTRDIFF_MAX)
        return NULL;
    void *memory = NULL;
    if (thread->cache.num_large && tm_cache_class(size) >= TM_CACHE_CLASSES)
        memory = tm_cache_take_large(&thread->cache, size);
    if (!memory)
        memory = current.alloc(tm_cache_real_size(size), current.user);
    if (memory)
        count_alloc(thread, size);
    else
        ADD(thread->counters.failures, 1);
    return memory;
}

void *tm_alloc(size_t size)
{
    tm_thread *thread = tm_thread_current;
    size_t class = tm_cache_class(size);
    if (__builtin_expect(thread && class < TM_CACHE_CLASSES, 1)) {
        void *memory = tm_cache_take_small(&thread->cache, class);
        if (__builtin_expect(memory != NULL, 1)) {
            count_alloc(thread, size);
            return memory;
        }
    }
    return alloc_more(size);
}

void tm_uncount(size_t size)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return;
    ADD(thread->counters.releases, 1);
    ADD(thread->counters.live_bytes, -(int64_t)size);
}

void tm_free_uncounted(void *memory, size_t size)
{
    current.release(memory, tm_cache_real_size(size), current.user);
}

/* Where the block is not kept as a small one. */
TM_OUT_OF_LINE static void free_more(void *memory, size_t size)
{
    tm_thread *thread = tm_thread_get();
    tm_uncount(size);
    if (thread && use_cache && tm_cache_class(size) >= TM_CACHE_CLASSES &&
        tm_cache_keep_large(&thread->cache, memory, size, tm_free_uncounted))
        return;
    tm_free_uncounted(memory, size);
}

void tm_free(void *memory, size_t size)
{
    tm_thread *thread = tm_thread_current;
    size_t class = tm_cache_class(size);
    if (!memory)
        return;
    if (__builtin_expect(thread && use_cache && class < TM_CACHE_CLASSES, 1) &&
        tm_cache_keep_small(&thread->cache, memory, class)) {
        ADD(thread->counters.releases, 1);
        ADD(thread->counters.live_bytes, -(int64_t)size);
        return;
    }
    free_more(memory, size);
}

void tm_memory_forget(tm_thread *thread)
{
    tm_cache_empty(&thread->cache, tm_free_uncounted);
}

void tm_trim(void)
{
    tm_thread *thread = tm_thread_get();
    if (thread)
        tm_memory_forget(thread);
    tm_run_trim_hooks();
}

tm_memory_stats tm_memory_get_stats(void)
{
    tm_memory_stats stats = {.struct_size = sizeof stats};
    tm_thread_sum_counters(&stats);
    return stats;
}

void tm_memory_reset_peak(void)
{
    tm_thread_reset_peaks();
}
