/* copy_moves.c: rows of bytes, repeated items, and whatever is left to the conversions. */
#include <string.h>

#include "bypass.h"
#include "copy.h"
#include "items.h"
#include "simd.h"

/* -- Any steps --------------------------------------------------------------------------------- */

/* A few items per row: one loop over all rows, the row's written out. */
#define SHORT_ROWS(word, length)                                                                   \
    for (; n > 0; n--, to += to_loop, from += from_loop)                                           \
        for (int i = 0; i < (length); i++)                                                         \
            *(word *)(to + i * to_step) = *(const word *)(from + i * from_step);                   \
    return true;
#define SHORT(word)                                                                                \
    switch (p->size[l]) {                                                                          \
    case 2:                                                                                        \
        SHORT_ROWS(word, 2)                                                                        \
    case 3:                                                                                        \
        SHORT_ROWS(word, 3)                                                                        \
    case 4:                                                                                        \
        SHORT_ROWS(word, 4)                                                                        \
    default:                                                                                       \
        return false;                                                                              \
    }

static bool move_short(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    int l = p->loops;
    int64_t to_loop = p->to_step[l - 1], from_loop = p->from_step[l - 1];
    int64_t to_step = p->to_step[l], from_step = p->from_step[l];
    switch (p->item) {
    case 1:
        SHORT(tm_item1)
    case 2:
        SHORT(tm_item2)
    case 4:
        SHORT(tm_item4)
    case 8:
        SHORT(tm_item8)
    default:
        return false;
    }
}

void tm_move_cast(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    int l = p->loops - 1;
    int64_t to_loop = p->to_step[l], from_loop = p->from_step[l];
    if (p->dims == p->loops) {
        p->cast(from, from_loop, to, to_loop, n);
        return;
    }
    if (p->item && move_short(p, to, from, n))
        return;
    int64_t size = p->size[l + 1], to_step = p->to_step[l + 1], from_step = p->from_step[l + 1];
    for (; n > 0; n--, to += to_loop, from += from_loop)
        p->cast(from, from_step, to, to_step, size);
}

/* -- Rows -------------------------------------------------------------------------------------- */

TM_INLINE void copy_rows(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                         size_t bytes)
{
    for (; n > 0; n--, to += to_step, from += from_step)
        tm_copy_run(to, from, bytes);
}

/* Common lengths written out. */
TM_INLINE void rows_body(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                         size_t bytes)
{
    if (bytes == 32)
        copy_rows(to, to_step, from, from_step, n, 32);
    else if (bytes == 64)
        copy_rows(to, to_step, from, from_step, n, 64);
    else if (bytes == 128)
        copy_rows(to, to_step, from, from_step, n, 128);
    else
        copy_rows(to, to_step, from, from_step, n, bytes);
}
TM_SIMD_VERSIONS(rows, rows_body,
                 (char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                  size_t bytes),
                 (to, to_step, from, from_step, n, bytes))

static void stream_rows(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                        size_t bytes)
{
    if (from_step == (int64_t)bytes) {
        tm_ahead ahead = {1, {(uintptr_t)from + TM_FETCHED}, {TM_LINE}};
        tm_bypass_rows(to, to_step, from, from_step, n, &ahead);
        return;
    }
    for (; n > 0; n--, to += to_step, from += from_step)
        tm_bypass_copy(to, from, (int64_t)bytes);
}

void tm_move_rows(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    int l = p->loops - 1;
    (p->stream == TM_COPY_STREAM_LINES ? stream_rows : rows)(
        to, p->to_step[l], from, p->from_step[l], n, (size_t)p->size[l + 1] * (size_t)p->item);
}

/* The rows of one place after the other, as the source has them, over a few blocks at a time, which
 * stay in the cache until all their rows are there. */
void tm_move_blocks(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    enum { NEAR = 1 << 13 };
    int l = p->loops - 1;
    int64_t num = p->size[l + 1], bytes = p->size[l + 2] * p->item;
    int64_t most = NEAR / (num * bytes) + 1;
    for (; n > 0; n -= most, to += most * p->to_step[l], from += most * p->from_step[l])
        for (int64_t i = 0; i < num; i++)
            (p->stream == TM_COPY_STREAM_LINES ? stream_rows : rows)(
                to + i * p->to_step[l + 1], p->to_step[l], from + i * p->from_step[l + 1],
                p->from_step[l], n < most ? n : most, (size_t)bytes);
}

/* -- Repeated items ---------------------------------------------------------------------------- */

/* Every item as a wider word that holds it several times. */
#define REPEAT(item, word, factor)                                                                 \
    for (; n > 0; n--, to += to_step, from += from_step)                                           \
        *(word *)(to) = (word) * (const item *)(from) * (factor);                                  \
    return;

void tm_move_repeat(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    int l = p->loops - 1;
    int64_t to_step = p->to_step[l], from_step = p->from_step[l], times = p->size[l + 1];
    switch (p->item * 32 + (int)(times * p->item)) {
    case 1 * 32 + 2:
        REPEAT(tm_item1, tm_item2, 0x101u)
    case 1 * 32 + 4:
        REPEAT(tm_item1, tm_item4, 0x1010101u)
    case 1 * 32 + 8:
        REPEAT(tm_item1, tm_item8, 0x101010101010101u)
    case 2 * 32 + 4:
        REPEAT(tm_item2, tm_item4, 0x10001u)
    case 2 * 32 + 8:
        REPEAT(tm_item2, tm_item8, 0x1000100010001u)
    case 4 * 32 + 8:
        REPEAT(tm_item4, tm_item8, 0x100000001u)
    default:
        for (; n > 0; n--, to += to_step, from += from_step)
            p->cast(from, 0, to, p->item, times);
    }
}
