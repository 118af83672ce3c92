/* items.h: items of memory by their size alone, of any type and at any address. */
#ifndef TM_DISPATCH_ITEMS_H
#define TM_DISPATCH_ITEMS_H

#include <stdint.h>
#include <string.h>

#include "target.h"

typedef uint8_t tm_item1 __attribute__((may_alias));
typedef uint16_t tm_item2 __attribute__((may_alias, aligned(1)));
typedef uint32_t tm_item4 __attribute__((may_alias, aligned(1)));
typedef uint64_t tm_item8 __attribute__((may_alias, aligned(1)));
typedef struct tm_item16 {
    uint64_t half[2];
} __attribute__((may_alias, packed)) tm_item16;

/* At least `piece` bytes, the last piece laid over the one before it. */
#define TM_COPY_PIECES(piece)                                                                      \
    {                                                                                              \
        for (size_t i = 0; i + (piece) < bytes; i += (piece))                                      \
            memcpy(to + i, from + i, piece);                                                       \
        memcpy(to + bytes - (piece), from + bytes - (piece), piece);                               \
    }

/** Copies a short run of bytes without a call. */
TM_INLINE void tm_copy_run(char *to, const char *from, size_t bytes)
{
    if (bytes >= 64)
        TM_COPY_PIECES(64)
    else if (bytes >= 32)
        TM_COPY_PIECES(32)
    else if (bytes >= 16)
        TM_COPY_PIECES(16)
    else if (bytes >= 8)
        TM_COPY_PIECES(8)
    else if (bytes >= 4)
        TM_COPY_PIECES(4)
    else
        for (size_t i = 0; i < bytes; i++)
            to[i] = from[i];
}

#endif
