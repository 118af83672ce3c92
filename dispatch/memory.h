/* memory.h: allocation inside the library. Every size goes through the checked arithmetic here. */
#ifndef TM_DISPATCH_MEMORY_H
#define TM_DISPATCH_MEMORY_H

#include <transmute/memory.h>

/** `size` bytes from the library's allocator, or NULL. Sets no error. */
void *tm_alloc(size_t size);
/** Gives a block back; NULL is a no-op. `size` is the size it was asked with. */
void tm_free(void *memory, size_t size);

struct tm_thread;
/** Gives the blocks that the thread keeps for reuse back to the allocator. */
void tm_memory_forget(struct tm_thread *thread);

/** A counted block whose bytes are given back later by tm_free_uncounted (the quarantine). */
void tm_uncount(size_t size);
void tm_free_uncounted(void *memory, size_t size);

/** *result = a * b, or a + b; false where it does not fit. */
static inline bool tm_mul_size(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}
static inline bool tm_add_size(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

#endif
