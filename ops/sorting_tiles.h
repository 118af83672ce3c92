/* sorting_tiles.h: elements of several sequences as rows of lanes, and back.
 *
 * Where elements of one sequence lie one after the other, tiles as wide as a vector are transposed
 * in registers; where those of all lanes do, rows are copied.
 */
#ifndef TM_OPS_SORTING_TILES_H
#define TM_OPS_SORTING_TILES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t tm_tile32 __attribute__((vector_size(16)));
typedef uint64_t tm_tile64 __attribute__((vector_size(16)));

/* r[i] lane j and r[j] lane i change places. */
static inline void tm_tile_turn32(tm_tile32 r[4])
{
    tm_tile32 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    tm_tile32 b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    tm_tile32 c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    tm_tile32 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static inline void tm_tile_turn64(tm_tile64 r[2])
{
    tm_tile64 a = __builtin_shufflevector(r[0], r[1], 0, 2);
    r[1] = __builtin_shufflevector(r[0], r[1], 1, 3);
    r[0] = a;
}

/* Whether the lanes' elements lie one after the other. */
static inline bool tm_lanes_adjoin(const char *const *at, int lanes, int64_t item)
{
    for (int l = 1; l < lanes; l++)
        if (at[l] != at[0] + l * item)
            return false;
    return true;
}

/* X(bits, type, width): element types, and how many make a tile's side. */
#define TM_TILES(X) X(32, uint32_t, 4) X(64, uint64_t, 2)

/* n elements of each of `lanes` sequences, `step` bytes apart from at[l] on, to rows of so many
 * lanes, and from rows of `row` lanes. */
#define TM_TILES_MOVE(bits, type, width)                                                           \
    static inline void tm_lanes_load##bits(const char *const *at, int lanes, int64_t step,         \
                                           int64_t n, type *rows)                                  \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        int64_t i = 0;                                                                             \
        if (tm_lanes_adjoin(at, lanes, item)) {                                                    \
            for (; i < n; i++)                                                                     \
                memcpy(rows + i * lanes, at[0] + i * step, (size_t)lanes * sizeof(type));          \
        } else if (step == item) {                                                                 \
            for (; i + (width) <= n; i += (width))                                                 \
                for (int l = 0; l < lanes; l += (width)) {                                         \
                    tm_tile##bits r[width];                                                        \
                    for (int k = 0; k < (width); k++)                                              \
                        memcpy(r + k, at[l + k] + i * item, sizeof *r);                            \
                    tm_tile_turn##bits(r);                                                         \
                    for (int k = 0; k < (width); k++)                                              \
                        memcpy(rows + (i + k) * lanes + l, r + k, sizeof *r);                      \
                }                                                                                  \
        }                                                                                          \
        for (; i < n; i++)                                                                         \
            for (int l = 0; l < lanes; l++)                                                        \
                memcpy(rows + i * lanes + l, at[l] + i * step, sizeof(type));                      \
    }                                                                                              \
    static inline void tm_lanes_store##bits(char *const *at, int lanes, int64_t step, int64_t n,   \
                                            const type *rows, int row)                             \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        int whole = lanes - lanes % (width);                                                       \
        int64_t i = 0;                                                                             \
        if (tm_lanes_adjoin((const char *const *)at, lanes, item)) {                               \
            for (; i < n; i++)                                                                     \
                memcpy(at[0] + i * step, rows + i * row, (size_t)lanes * sizeof(type));            \
        } else if (step == item) {                                                                 \
            for (; i + (width) <= n; i += (width)) {                                               \
                for (int l = 0; l < whole; l += (width)) {                                         \
                    tm_tile##bits r[width];                                                        \
                    for (int k = 0; k < (width); k++)                                              \
                        memcpy(r + k, rows + (i + k) * row + l, sizeof *r);                        \
                    tm_tile_turn##bits(r);                                                         \
                    for (int k = 0; k < (width); k++)                                              \
                        memcpy(at[l + k] + i * item, r + k, sizeof *r);                            \
                }                                                                                  \
                for (int l = whole; l < lanes; l++)                                                \
                    for (int k = 0; k < (width); k++)                                              \
                        memcpy(at[l] + (i + k) * item, rows + (i + k) * row + l, sizeof(type));    \
            }                                                                                      \
        }                                                                                          \
        for (; i < n; i++)                                                                         \
            for (int l = 0; l < lanes; l++)                                                        \
                memcpy(at[l] + i * step, rows + i * row + l, sizeof(type));                        \
    }
TM_TILES(TM_TILES_MOVE)

#endif
