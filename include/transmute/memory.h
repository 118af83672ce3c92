/* memory.h: the one allocator all memory of the library comes from. */
#ifndef TRANSMUTE_MEMORY_H
#define TRANSMUTE_MEMORY_H

#include <transmute/base.h>

TM_BEGIN

/** Where memory comes from. `alloc` returns `size` bytes aligned as malloc's, or NULL; `release`
 *  is given the same size back. Both may be called from any thread. */
typedef struct tm_allocator {
    size_t struct_size; /**< sizeof(tm_allocator); docs/abi.md */
    void *(*alloc)(size_t size, void *user);
    void (*release)(void *memory, size_t size, void *user);
    void *user;
} tm_allocator;

/** Replaces the allocator (NULL: back to malloc). Memory is given back to the allocator that is set
 * at that moment, so a new one must be able to release what the old one gave (by passing on to it,
 *  say). Not while other threads are in the library. One without functions or with a wrong
 *  struct_size leaves an error (TM_ERR_USAGE) and the allocator as it is. */
TM_API void tm_set_allocator(const tm_allocator *allocator);
/** The allocator in use. */
TM_API tm_allocator tm_get_allocator(void);

/** Each thread keeps some freed blocks for its next allocations (at most 256 MiB); gives those of
 * the calling thread back to the allocator, and the tables that ops keep, process-wide. */
TM_API void tm_trim(void);

/** What the allocator has done, process-wide, since the start. Every thread counts for itself, so
 *  the sums are exact once the other threads stand still. */
typedef struct tm_memory_stats {
    size_t struct_size;
    uint64_t allocations; /**< blocks handed out */
    uint64_t releases;    /**< blocks given back */
    uint64_t live_blocks;
    uint64_t live_bytes;
    uint64_t peak_bytes;   /**< the most live_bytes since tm_memory_reset_peak; an upper bound
                                where several threads allocate */
    uint64_t live_tensors; /**< handles not yet freed */
    uint64_t failures;     /**< blocks that the allocator was asked for and did not have */
} tm_memory_stats;

TM_API tm_memory_stats tm_memory_get_stats(void);
/** Makes peak_bytes equal live_bytes. */
TM_API void tm_memory_reset_peak(void);

TM_END
#endif
