/* cache.h: blocks that a thread keeps for its next allocations.
 *
 * Small blocks (handles, small results) are kept by size class. Large ones are kept because a fresh
 * page costs the system more than the kernel that fills it: a few blocks per thread, and of all
 * threads together no more than a share of the machine's memory.
 * Not used in debug builds and under sanitizers, nor with an allocator of the caller's, so that
 * each of these sees every block come and go.
 */
#ifndef TM_DISPATCH_CACHE_H
#define TM_DISPATCH_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TM_CACHE_UNIT = 32,    /* class c holds blocks of c units */
    TM_CACHE_CLASSES = 17, /* beyond them a block is not small */
    TM_CACHE_BLOCKS = 32,  /* kept per class */
    TM_CACHE_LARGE = 16,   /* large blocks kept */
    TM_CACHE_LARGE_LEAST = 1 << 16,
    TM_CACHE_SHARE = 4 /* kept large blocks are at most this part of the machine's memory */
};

typedef struct tm_cached {
    struct tm_cached *next;
} tm_cached;

typedef struct tm_cache {
    tm_cached *first[TM_CACHE_CLASSES];
    int count[TM_CACHE_CLASSES];
    int num_large;
    struct {
        void *memory;
        size_t size;
    } large[TM_CACHE_LARGE];
} tm_cache;

/** The class of a size; TM_CACHE_CLASSES or more: none. */
static inline size_t tm_cache_class(size_t size)
{
    return (size + TM_CACHE_UNIT - 1) / TM_CACHE_UNIT;
}

/** What is asked of the allocator for a size: small blocks are of whole units. */
static inline size_t tm_cache_real_size(size_t size)
{
    size_t class = tm_cache_class(size);
    if (class == 0)
        return TM_CACHE_UNIT;
    return class < TM_CACHE_CLASSES ? class * TM_CACHE_UNIT : size;
}

static inline void *tm_cache_take_small(tm_cache *cache, size_t class)
{
    tm_cached *block = cache->first[class];
    if (block) {
        cache->first[class] = block->next;
        cache->count[class]--;
    }
    return block;
}

static inline bool tm_cache_keep_small(tm_cache *cache, void *memory, size_t class)
{
    if (class == 0 || cache->count[class] == TM_CACHE_BLOCKS)
        return false;
    tm_cached *block = memory;
    block->next = cache->first[class];
    cache->first[class] = block;
    cache->count[class]++;
    return true;
}

/** A kept block of at least `size` bytes and little more, or NULL. */
void *tm_cache_take_large(tm_cache *cache, size_t size);
/** Keeps a large block; older ones that have no room beside it go to `release`. */
bool tm_cache_keep_large(tm_cache *cache, void *memory, size_t size,
                         void (*release)(void *memory, size_t size));
/** Gives every block to `release`. */
void tm_cache_empty(tm_cache *cache, void (*release)(void *memory, size_t size));

#endif
