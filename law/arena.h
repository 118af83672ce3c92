/* arena.h: the checker's own memory, from the library's allocator, given back all at once.
 *
 * What a case allocates goes with the case, so the library's counters stand where they stood
 * unless a call under test has leaked.
 */
#ifndef TM_LAW_ARENA_H
#define TM_LAW_ARENA_H

#include <transmute/base.h>

typedef struct tm_law_arena {
    struct tm_law_block *blocks;
    bool lost; /**< an allocation failed since the last tm_law_free_all */
} tm_law_arena;

/** `size` zeroed bytes, 16-byte aligned; NULL on lack of memory. */
void *tm_law_alloc(tm_law_arena *arena, size_t size);
/** The same for `count` items; NULL also where the product does not fit. */
void *tm_law_alloc_array(tm_law_arena *arena, int64_t count, size_t item);
/** Room for handles, or other pointers. */
static inline void *tm_law_alloc_pointers(tm_law_arena *arena, int64_t count)
{
    return tm_law_alloc_array(arena, count, sizeof(void *));
}
void tm_law_free_all(tm_law_arena *arena);

#endif
