/* cache.c: the large blocks, oldest first, and emptying. */
#include "cache.h"

#include <string.h>

static void remove_large(tm_cache *cache, int i)
{
    cache->large_bytes -= cache->large[i].size;
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
    if (size < TM_CACHE_LARGE_LEAST || size > TM_CACHE_LARGE_BYTES)
        return false;
    while (cache->num_large == TM_CACHE_LARGE || cache->large_bytes + size > TM_CACHE_LARGE_BYTES) {
        void *oldest = cache->large[0].memory;
        size_t oldest_size = cache->large[0].size;
        remove_large(cache, 0);
        release(oldest, oldest_size);
    }
    cache->large[cache->num_large].memory = memory;
    cache->large[cache->num_large++].size = size;
    cache->large_bytes += size;
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
