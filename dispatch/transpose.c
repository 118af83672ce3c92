/* transpose.c: moves where one side's neighbours are the other side's columns.
 *
 * A matrix is cut into square tiles that fit the vector registers. A tile of n rows is transposed
 * in log2(n) rounds: each interleaves every row of the upper half with its counterpart in the lower
 * half. At an edge the last tile is laid over the one before it; a matrix that is smaller than a
 * tile goes element by element.
 *
 * A large matrix is walked in blocks: ROWS rows of the source by COLUMNS of its columns, the next
 * block's columns being fetched meanwhile.
 */
#include "copy.h"
#include "turn.h"

#include <string.h>

enum { ROWS = 256, COLUMN_BYTES = 256 };

/* -- Tiles ------------------------------------------------------------------------------------- */

#define TILE_BEGIN(target, name, word, side)                                                       \
    target TM_INLINE void name(const char *from, int64_t from_step, char *to, int64_t to_step)     \
    {                                                                                              \
        typedef word row __attribute__((vector_size(sizeof(word) * (side))));                      \
        row a[side];                                                                               \
        TM_UNROLLED                                                                                \
        for (int i = 0; i < (side); i++)                                                           \
            memcpy(&a[i], from + i * from_step, sizeof(row));

/* `store` writes a whole register. */
#define TILE_END(side, store)                                                                      \
    TM_UNROLLED                                                                                    \
    for (int i = 0; i < (side); i++)                                                               \
        store(to + i * to_step, &a[i], sizeof(row));                                               \
    }

#define NARROW_TILE(name, word, per)                                                               \
    TILE_BEGIN(, name, word, per) TM_TURN_LANES(row, a, per, 1) TILE_END(per, memcpy)
#define WIDE_TILE(target, name, word, per, lanes, store)                                           \
    TILE_BEGIN(target, name, word, (per) * (lanes))                                                \
    TM_TURN(row, a, per, lanes)                                                                    \
    TILE_END((per) * (lanes), store)

/* m columns of the source, one beside the other, become rows of the destination, of n elements. */
#define BLOCKS(target, name, tile, word, side)                                                     \
    target TM_INLINE void name(const char *from, int64_t from_step, char *to, int64_t to_step,     \
                               int64_t m, int64_t n)                                               \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(word), columns = COLUMN_BYTES / item;                 \
        for (int64_t i0 = 0; i0 < n; i0 += ROWS) {                                                 \
            const int64_t i1 = n - i0 < ROWS ? n : i0 + ROWS;                                      \
            for (int64_t j0 = 0; j0 < m; j0 += columns) {                                          \
                const int64_t j1 = m - j0 < columns ? m : j0 + columns;                            \
                for (int64_t i = i0; i < i1; i += (side)) {                                        \
                    const int64_t row = n - i < (side) ? n - (side) : i;                           \
                    const char *const at = from + row * from_step;                                 \
                    for (int64_t j = j0; j < j1; j += (side)) {                                    \
                        const int64_t column = m - j < (side) ? m - (side) : j;                    \
                        /* The tile below, or of a wide matrix the block beside. */                \
                        const int64_t next = m > 2 * columns ? columns * item : (side)*from_step;  \
                        for (int k = 0; k < (side); k++)                                           \
                            __builtin_prefetch(at + k * from_step + column * item + next, 0, 2);   \
                        tile(at + column * item, from_step, to + column * to_step + row * item,    \
                             to_step);                                                             \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* -- Matrices ---------------------------------------------------------------------------------- */

/* `count` matrices; what is smaller than a tile goes element by element. */
typedef struct matrices {
    int64_t count, from_loop, to_loop; /* and the steps from one to the next */
    int64_t from_step, to_step, m, n;
} matrices;

#define EACH(k, at, to)                                                                            \
    for (int64_t left = (k)->count; left > 0; left--, (at) += (k)->from_loop, (to) += (k)->to_loop)

/* Small squares with their sizes written out; `blocks` is for any of at least `side`. */
#define MATRICES(target, name, blocks, side, smaller)                                              \
    target TM_INLINE void name(const matrices *k, const char *from, char *to)                      \
    {                                                                                              \
        if (k->m < (side) || k->n < (side))                                                        \
            smaller(k, from, to);                                                                  \
        else if (k->m == (side) && k->n == (side))                                                 \
            EACH(k, from, to) blocks(from, k->from_step, to, k->to_step, side, side);              \
        else if (k->m == 2 * (side) && k->n == 2 * (side))                                         \
            EACH(k, from, to) blocks(from, k->from_step, to, k->to_step, 2 * (side), 2 * (side));  \
        else                                                                                       \
            EACH(k, from, to) blocks(from, k->from_step, to, k->to_step, k->m, k->n);              \
    }

#define ELEMENTS(name, word)                                                                       \
    static void name(const matrices *k, const char *from, char *to)                                \
    {                                                                                              \
        EACH(k, from, to)                                                                          \
        for (int64_t j = 0; j < k->m; j++)                                                         \
            for (int64_t i = 0; i < k->n; i++)                                                     \
                memcpy(to + j * k->to_step + i * (int64_t)sizeof(word),                            \
                       from + i * k->from_step + j * (int64_t)sizeof(word), sizeof(word));         \
    }

/* Tiles of one register's width, which every processor has. */
#define NARROW(bytes, word, side)                                                                  \
    ELEMENTS(elements##bytes, word)                                                                \
    NARROW_TILE(tile##bytes, word, side)                                                           \
    BLOCKS(, blocks##bytes, tile##bytes, word, side)                                               \
    MATRICES(, narrow##bytes, blocks##bytes, side, elements##bytes)                                \
    static void portable##bytes(const matrices *k, const char *from, char *to)                     \
    {                                                                                              \
        narrow##bytes(k, from, to);                                                                \
    }
NARROW(1, uint8_t, 16)
NARROW(2, uint16_t, 8)
NARROW(4, uint32_t, 4)
NARROW(8, uint64_t, 2)

#ifdef TM_TARGET_AVX512
#include <immintrin.h>

#define STREAM(to, row, bytes)                                                                     \
    _mm512_stream_si512((__m512i *)(void *)(to), *(const __m512i *)(const void *)(row))

/* Registers of 32 and 64 bytes: two and four times the side. */
#define WIDE(bytes, word, per, side, wide)                                                         \
    WIDE_TILE(TM_TARGET_AVX2, tile##bytes##_avx2, word, per, 2, memcpy)                            \
    BLOCKS(TM_TARGET_AVX2, blocks##bytes##_avx2, tile##bytes##_avx2, word, side)                   \
    MATRICES(TM_TARGET_AVX2, most##bytes##_avx2, blocks##bytes##_avx2, side, portable##bytes)      \
    TM_TARGET_AVX2 static void avx2_##bytes(const matrices *k, const char *from, char *to)         \
    {                                                                                              \
        most##bytes##_avx2(k, from, to);                                                           \
    }                                                                                              \
    WIDE_TILE(TM_TARGET_AVX512, half##bytes, word, per, 2, memcpy)                                 \
    BLOCKS(TM_TARGET_AVX512, blocks##bytes##_half, half##bytes, word, side)                        \
    MATRICES(TM_TARGET_AVX512, most##bytes##_half, blocks##bytes##_half, side, portable##bytes)    \
    TM_TARGET_AVX512 static void half_##bytes(const matrices *k, const char *from, char *to)       \
    {                                                                                              \
        most##bytes##_half(k, from, to);                                                           \
    }                                                                                              \
    WIDE_TILE(TM_TARGET_AVX512, tile##bytes##_avx512, word, per, 4, memcpy)                        \
    BLOCKS(TM_TARGET_AVX512, blocks##bytes##_avx512, tile##bytes##_avx512, word, wide)             \
    MATRICES(TM_TARGET_AVX512, most##bytes##_avx512, blocks##bytes##_avx512, wide, half_##bytes)   \
    TM_TARGET_AVX512 static void avx512_##bytes(const matrices *k, const char *from, char *to)     \
    {                                                                                              \
        most##bytes##_avx512(k, from, to);                                                         \
    }                                                                                              \
    WIDE_TILE(TM_TARGET_AVX512, tile##bytes##_stream, word, per, 4, STREAM)                        \
    BLOCKS(TM_TARGET_AVX512, blocks##bytes##_stream, tile##bytes##_stream, word, wide)             \
    MATRICES(TM_TARGET_AVX512, most##bytes##_stream, blocks##bytes##_stream, wide, avx512_##bytes) \
    TM_TARGET_AVX512 static void stream_##bytes(const matrices *k, const char *from, char *to)     \
    {                                                                                              \
        most##bytes##_stream(k, from, to);                                                         \
    }
WIDE(4, uint32_t, 4, 8, 16)
WIDE(8, uint64_t, 2, 4, 8)

bool tm_transpose_streams(int item)
{
    return tm_simd_level() == TM_SIMD_AVX512 && item >= 4;
}

static void transpose(const tm_copy_plan *p, const matrices *k, char *to, const char *from)
{
    tm_simd level = tm_simd_level();
    bool lines = p->stream == TM_COPY_STREAM_LINES;
    switch (p->item) {
    case 1:
        portable1(k, from, to);
        break;
    case 2:
        portable2(k, from, to);
        break;
    case 4:
        (lines                     ? stream_4
         : level == TM_SIMD_AVX512 ? avx512_4
         : level == TM_SIMD_AVX2   ? avx2_4
                                   : portable4)(k, from, to);
        break;
    default:
        (lines                     ? stream_8
         : level == TM_SIMD_AVX512 ? avx512_8
         : level == TM_SIMD_AVX2   ? avx2_8
                                   : portable8)(k, from, to);
        break;
    }
}

#else

bool tm_transpose_streams(int item)
{
    (void)item;
    return false;
}

static void transpose(const tm_copy_plan *p, const matrices *k, char *to, const char *from)
{
    (p->item == 1   ? portable1
     : p->item == 2 ? portable2
     : p->item == 4 ? portable4
                    : portable8)(k, from, to);
}

#endif

void tm_move_transposed(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    int j = p->loops, i = j + 1;
    matrices k = {
        n,          p->from_step[j - 1], p->to_step[j - 1], p->from_step[i], p->to_step[j],
        p->size[j], p->size[i]};
    transpose(p, &k, to, from);
}

void tm_move_columns(const tm_copy_plan *p, char *to, const char *from, int64_t n)
{
    int j = p->loops - 1, i = j + 1;
    matrices k = {1, 0, 0, p->from_step[i], p->to_step[j], n, p->size[i]};
    transpose(p, &k, to, from);
}
