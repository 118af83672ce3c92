/* arena.c: blocks in a chain; small requests share one. */
#include "law/arena.h"

#include <string.h>

#include "dispatch/memory.h"

enum { BLOCK = 1 << 16, ALIGNMENT = 16 };

typedef struct tm_law_block {
    struct tm_law_block *next;
    size_t size, used;
    _Alignas(ALIGNMENT) char data[];
} tm_law_block;

void *tm_law_alloc(tm_law_arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    tm_law_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK / 4 ? size : BLOCK;
        block = size < (size_t)PTRDIFF_MAX / 2 ? tm_alloc(sizeof *block + room) : NULL;
        if (!block) {
            arena->lost = true;
            return NULL;
        }
        block->size = room;
        block->used = 0;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    char *memory = block->data + block->used;
    block->used += size;
    memset(memory, 0, size);
    return memory;
}

void *tm_law_alloc_array(tm_law_arena *arena, int64_t count, size_t item)
{
    int64_t size;
    if (!tm_mul_size(count > 0 ? count : 1, (int64_t)(item ? item : 1), &size)) {
        arena->lost = true;
        return NULL;
    }
    return tm_law_alloc(arena, (size_t)size);
}

void tm_law_free_all(tm_law_arena *arena)
{
    while (arena->blocks) {
        tm_law_block *block = arena->blocks;
        arena->blocks = block->next;
        tm_free(block, sizeof *block + block->size);
    }
    arena->lost = false;
}
