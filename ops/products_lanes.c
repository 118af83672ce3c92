/* products_lanes.c: products whose examples lie side by side: a lane of a vector for each example.
 *
 * A block of B's elements is copied first, so that no stride makes them push each other out of the
 * cache; A is read where it lies. What the next block reads is asked for on the way. k runs upward
 * and nothing is fused, so the bits are those of products_tile.c.
 */
#include <string.h>

#include "dispatch/bypass.h"
#include "products.h"
#include "simd.h"

#ifdef TM_TARGET_AVX512
#include <immintrin.h>
#endif

enum { COPIED = 65536, /* bytes of B's copy */ LINE = 64, MOST_LINES = 4 };

/* Steps in elements; the examples of A and C are neighbours. */
typedef struct lanes {
    int64_t m, n, p;
    int64_t a_row, a_column, b_row, b_column, b_step, c_row, c_column;
    int64_t width; /* examples in a block */
    bool stream;   /* C is written past the caches */
} lanes;

typedef float float_4 __attribute__((vector_size(16)));

TM_INLINE void store_line(char *to, const void *line, bool stream)
{
#ifdef TM_TARGET_AVX512
    if (stream) {
        float_4 part[4];
        memcpy(part, line, sizeof part);
        for (int i = 0; i < 4; i++)
            _mm_stream_ps((float *)(void *)(to + 16 * i), (__m128)part[i]);
        return;
    }
#endif
    (void)stream;
    memcpy(to, line, LINE);
}

#define LANES_OF(T, LANES, VECTOR)                                                                 \
    typedef T VECTOR __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));              \
                                                                                                   \
    /* `columns` elements of a row of C for `lines` vectors of examples. `next`: how far the next  \
     * block is, 0: there is none, or it has been asked for. */                                    \
    TM_INLINE void tile_##T(const int columns, const int lines, const lanes *q, const T *a,        \
                            const T *copy, T *c, int64_t next, const T *b_next)                    \
    {                                                                                              \
        VECTOR sum[8];                                                                             \
        for (int i = 0; i < columns * lines; i++)                                                  \
            sum[i] = (VECTOR){0};                                                                  \
        for (int64_t k = 0; k < q->n; k++, a += q->a_column, copy += q->p * q->width) {            \
            for (int l = 0; l < lines; l++) {                                                      \
                const VECTOR x = *(const VECTOR *)(const void *)(a + l * LANES);                   \
                if (next) {                                                                        \
                    __builtin_prefetch(a + next + l * LANES);                                      \
                    __builtin_prefetch(b_next + l * LANES);                                        \
                }                                                                                  \
                for (int j = 0; j < columns; j++)                                                  \
                    sum[j * lines + l] +=                                                          \
                        x * *(const VECTOR *)(const void *)(copy + j * q->width + l * LANES);      \
            }                                                                                      \
            b_next += q->b_row;                                                                    \
        }                                                                                          \
        for (int j = 0; j < columns; j++)                                                          \
            for (int l = 0; l < lines; l++)                                                        \
                store_line((char *)(c + j * q->c_column + l * LANES), &sum[j * lines + l],         \
                           q->stream);                                                             \
    }                                                                                              \
                                                                                                   \
    TM_INLINE void copy_##T(const lanes *q, int64_t width, const T *b, T *copy)                    \
    {                                                                                              \
        for (int64_t k = 0; k < q->n; k++)                                                         \
            for (int64_t j = 0; j < q->p; j++, copy += q->width) {                                 \
                const T *from = b + k * q->b_row + j * q->b_column;                                \
                if (q->b_step == 1)                                                                \
                    for (int64_t e = 0; e < width; e += LANES)                                     \
                        *(VECTOR *)(void *)(copy + e) = *(const VECTOR *)(const void *)(from + e); \
                else                                                                               \
                    for (int64_t e = 0; e < width; e++)                                            \
                        copy[e] = from[e * q->b_step];                                             \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    TM_INLINE void block_##T(const lanes *q, int64_t width, const T *a, const T *b, const T *copy, \
                             T *c, int64_t next)                                                   \
    {                                                                                              \
        for (int64_t i = 0; i < q->m; i++, a += q->a_row, c += q->c_row) {                         \
            /* Row i asks for column i of B's next block; there may be no such column. */          \
            const T *b_next = q->b_step == 1 && i < q->p ? b + next + i * q->b_column : a + next;  \
            int64_t e = 0;                                                                         \
            if (q->p == 1)                                                                         \
                for (; e + 4 * LANES <= width; e += 4 * LANES)                                     \
                    tile_##T(1, 4, q, a + e, copy + e, c + e, next, b_next + e);                   \
            for (; e < width; e += LANES) {                                                        \
                int64_t j = 0, ahead = next;                                                       \
                for (; j + 8 <= q->p; j += 8, ahead = 0)                                           \
                    tile_##T(8, 1, q, a + e, copy + j * q->width + e, c + j * q->c_column + e,     \
                             ahead, b_next + e);                                                   \
                for (; j + 4 <= q->p; j += 4, ahead = 0)                                           \
                    tile_##T(4, 1, q, a + e, copy + j * q->width + e, c + j * q->c_column + e,     \
                             ahead, b_next + e);                                                   \
                for (; j < q->p; j++, ahead = 0)                                                   \
                    tile_##T(1, 1, q, a + e, copy + j * q->width + e, c + j * q->c_column + e,     \
                             ahead, b_next + e);                                                   \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    TM_INLINE void lanes_body_##T(const lanes *q, int64_t count, const void *a_data,               \
                                  const void *b_data, void *c_data)                                \
    {                                                                                              \
        _Alignas(64) T copy[COPIED / sizeof(T)];                                                   \
        const T *a = a_data, *b = b_data;                                                          \
        T *c = c_data;                                                                             \
        for (int64_t e = 0; e < count;) {                                                          \
            const int64_t width = count - e < q->width ? count - e : q->width;                     \
            const int64_t next = count - e - width >= width ? width : 0;                           \
            copy_##T(q, width, b + e * q->b_step, copy);                                           \
            block_##T(q, width, a + e, b + e * q->b_step, copy, c + e, next);                      \
            e += width;                                                                            \
        }                                                                                          \
    }                                                                                              \
    TM_SIMD_VERSIONS(lanes_##T, lanes_body_##T,                                                    \
                     (const lanes *q, int64_t count, const void *a, const void *b, void *c),       \
                     (q, count, a, b, c))

LANES_OF(float, 16, float_16)
LANES_OF(double, 8, double_8)

int64_t tm_product_lanes(const tm_product *q, const tm_products *all)
{
    const int64_t item = (int64_t)tm_dtype_size(q->dtype), line = LINE / item;
    const int64_t count = all->count / line * line;
    if ((q->dtype != TM_FLOAT32 && q->dtype != TM_FLOAT64) || !tm_product_is_uniform(q) ||
        all->c_step != 1 || all->a_step != 1 || q->n == 0 || count == 0 ||
        q->n > COPIED / LINE / q->p || tm_product_for_blas(q))
        return 0;
    int64_t lines = q->p == 1 ? MOST_LINES : q->n * q->p <= 64 ? MOST_LINES / 2 : 1;
    while (lines > 1 && q->n * q->p * lines > COPIED / LINE)
        lines /= 2;
    const bool stream = (uintptr_t)q->c % LINE == 0 && q->c_row * item % LINE == 0 &&
                        q->c_column * item % LINE == 0 && all->bytes && tm_bypass_pays(all->bytes);
    const lanes l = {.m = q->m,
                     .n = q->n,
                     .p = q->p,
                     .a_row = q->a.row,
                     .a_column = q->a.column,
                     .b_row = q->b.row,
                     .b_column = q->b.column,
                     .b_step = all->b_step,
                     .c_row = q->c_row,
                     .c_column = q->c_column,
                     .width = lines * line,
                     .stream = stream};
    (q->dtype == TM_FLOAT32 ? lanes_float : lanes_double)(&l, count, q->a.data, q->b.data, q->c);
    if (stream)
        tm_bypass_end();
    return count;
}
