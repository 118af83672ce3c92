/* sized.c: blocks with their size in front of them, because the library's allocator wants it back.
 */
#include "sized.h"

#include <stdint.h>
#include <string.h>

#include "dispatch/memory.h"

/* In front of the block: its size, padded so that the block stays aligned. */
#define HEADER 16

_Static_assert(sizeof(size_t) <= HEADER, "the header holds a size");

void *tm_sized_alloc(size_t size)
{
    if (size > PTRDIFF_MAX - HEADER) {
        return NULL;
    }
    size += HEADER;
    char *block = tm_alloc(size);
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &size, sizeof(size));
    return block + HEADER;
}

void tm_sized_free(void *memory)
{
    if (memory != NULL) {
        char *block = (char *)memory - HEADER;
        size_t size;
        memcpy(&size, block, sizeof(size));
        tm_free(block, size);
    }
}
