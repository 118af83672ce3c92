/* cache.c: the large blocks, oldest first, and emptying. */
#include "cache.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_size_t kept_bytes; /* large blocks, of all threads */

/* Two threads that are first at once find the same. */
static size_t most_kept_bytes(void)
{
    static atomic_size_t most;
    size_t found = atomic_load_explicit(&most, memory_order_relaxed);
    if (!found) {
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        found =
            pages > 0 && page > 0 ? (size_t)pages / TM_CACHE_SHARE * (size_t)page : (size_t)1 << 28;
        atomic_store_explicit(&most, found, memory_order_relaxed);
    }
    return found;
}

/* Adds to what is kept, if it may be kept. */
static bool reserve(size_t size)
{
    size_t kept = atomic_fetch_add_explicit(&kept_bytes, size, memory_order_relaxed);
    if (size <= most_kept_bytes() && kept <= most_kept_bytes() - size)
        return true;
    atomic_fetch_sub_explicit(&kept_bytes, size, memory_order_relaxed);
    return false;
}

static void remove_large(tm_cache *cache, int i)
{
    atomic_fetch_sub_explicit(&kept_bytes, cache->large[i].size, memory_order_relaxed);
    cache->num_large--;
    memmove(&cache->large[i], &cache->large[i + 1],
            (size_t)(cache->num_large - i) * sizeof cache->large[0]);
}

void *tm_cache_take_large(tm_cache *cache, size_t size)
{
    int best = -1;
    for (int i = cache->num_large; i-- > 0;) { /* the newest of equals: its pages are warm */
        size_t here = cache->large[i].size;
        if (here >= size && here - size <= size / 4 && (best < 0 || here < cache->large[best].size))
            best = i;
    }
    if (best < 0)
        return NULL;
    void *memory = cache->large[best].memory;
    remove_large(cache, best);
    return memory;
}

bool tm_cache_keep_large(tm_cache *cache, void *memory, size_t size,
                         void (*release)(void *memory, size_t size))
{
    if (size < TM_CACHE_LARGE_LEAST)
        return false;
    while (cache->num_large == TM_CACHE_LARGE || !reserve(size)) {
        if (cache->num_large == 0)
            return false; /* the other threads keep all there may be */
        void *oldest = cache->large[0].memory;
        size_t oldest_size = cache->large[0].size;
        remove_large(cache, 0);
        release(oldest, oldest_size);
    }
    cache->large[cache->num_large].memory = memory;
    cache->large[cache->num_large++].size = size;
    return true;
}

void tm_cache_empty(tm_cache *cache, void (*release)(void *memory, size_t size))
{
    for (size_t class = 0; class < TM_CACHE_CLASSES; class ++) {
        void *block;
        while ((block = tm_cache_take_small(cache, class)))
            release(block, class * TM_CACHE_UNIT);
    }
    while (cache->num_large) {
        void *memory = cache->large[0].memory;
        size_t size = cache->large[0].size;
        remove_large(cache, 0);
        release(memory, size);
    }
}
