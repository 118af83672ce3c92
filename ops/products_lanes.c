/* products_lanes.c: products whose examples lie side by side: a lane of a vector for each example.
 *
 * An element of all examples is one run in memory, and the runs are as far apart as there are
 * examples. Memory serves pieces of some lines of a run better than single ones, so the next
 * examples are asked for in such pieces, all along, while those before them are multiplied: a line
 * or two of each run at a time, B from a copy, so that no stride makes its elements push each other
 * out of the cache, A where it lies. k runs upward and nothing is fused, so the bits are those of
 * products_tile.c.
 */
#include <string.h>

#include "dispatch/bypass.h"
#include "products.h"
#include "simd.h"

#ifdef TM_TARGET_AVX512
#include <immintrin.h>
#endif

enum {
    COPIED = 65536, /* bytes of B's copy */
    LINE = 64,
    MOST_LINES = 8,    /* of a run that are asked for at once */
    AHEAD = 256 * 1024 /* bytes that are asked for before they are read */
};

/* Steps in elements; the examples of A and C are neighbours. */
typedef struct lanes {
    int64_t m, n, p;
    int64_t a_row, a_column, b_row, b_column, b_step, c_row, c_column;
    int64_t width; /* examples that are multiplied at once */
    int64_t ahead; /* examples that are asked for at once, as many times `width` */
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
    /* What is asked for next: element (row, column) of A, then of B. */                           \
    typedef struct asking_##T {                                                                    \
        const T *a, *b; /* NULL: all has been */                                                   \
        int64_t row, column;                                                                       \
        bool in_b;                                                                                 \
    } asking_##T;                                                                                  \
                                                                                                   \
    /* Asks for the pieces of some elements. */                                                    \
    TM_INLINE void ask_##T(const lanes *q, asking_##T *s, int64_t elements)                        \
    {                                                                                              \
        for (; elements > 0 && s->a; elements--) {                                                 \
            const T *from = s->in_b ? s->b + s->row * q->b_row + s->column * q->b_column           \
                                    : s->a + s->row * q->a_row + s->column * q->a_column;          \
            for (int64_t e = 0; e < q->ahead; e += LANES)                                          \
                __builtin_prefetch(from + e);                                                      \
            if (++s->column < (s->in_b ? q->p : q->n))                                             \
                continue;                                                                          \
            s->column = 0;                                                                         \
            if (++s->row < (s->in_b ? q->n : q->m))                                                \
                continue;                                                                          \
            s->row = 0;                                                                            \
            if (s->in_b || q->b_step != 1)                                                         \
                s->a = NULL;                                                                       \
            s->in_b = true;                                                                        \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* `columns` elements of a row of C for `lines` vectors of examples; the copy's elements are   \
     * `next` apart. */                                                                            \
    TM_INLINE void tile_##T(const int columns, const int lines, const lanes *q, const T *a,        \
                            const T *copy, int64_t next, T *c)                                     \
    {                                                                                              \
        VECTOR sum[8];                                                                             \
        for (int i = 0; i < columns * lines; i++)                                                  \
            sum[i] = (VECTOR){0};                                                                  \
        for (int64_t k = 0; k < q->n; k++, a += q->a_column, copy += q->p * next)                  \
            for (int l = 0; l < lines; l++) {                                                      \
                const VECTOR x = *(const VECTOR *)(const void *)(a + l * LANES);                   \
                for (int j = 0; j < columns; j++)                                                  \
                    sum[j * lines + l] +=                                                          \
                        x * *(const VECTOR *)(const void *)(copy + j * next + l * LANES);          \
            }                                                                                      \
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
    TM_INLINE void block_##T(const lanes *q, int64_t width, const T *a, const T *copy, T *c,       \
                             asking_##T *s, int64_t share)                                         \
    {                                                                                              \
        const int64_t next = q->width;                                                             \
        for (int64_t i = 0; i < q->m; i++, a += q->a_row, c += q->c_row) {                         \
            int64_t e = 0;                                                                         \
            ask_##T(q, s, share);                                                                  \
            if (q->p == 1)                                                                         \
                for (; e + MOST_LINES * LANES <= width; e += MOST_LINES * LANES)                   \
                    tile_##T(1, MOST_LINES, q, a + e, copy + e, next, c + e);                      \
            for (; e < width; e += LANES) {                                                        \
                int64_t j = 0;                                                                     \
                for (; j + 8 <= q->p; j += 8)                                                      \
                    tile_##T(8, 1, q, a + e, copy + j * next + e, next, c + j * q->c_column + e);  \
                for (; j + 4 <= q->p; j += 4)                                                      \
                    tile_##T(4, 1, q, a + e, copy + j * next + e, next, c + j * q->c_column + e);  \
                for (; j < q->p; j++)                                                              \
                    tile_##T(1, 1, q, a + e, copy + j * next + e, next, c + j * q->c_column + e);  \
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
        const int64_t elements = q->m * q->n + (q->b_step == 1 ? q->n * q->p : 0);                 \
        const int64_t share = q->ahead ? elements * q->width / (q->ahead * q->m) + 1 : 0;          \
        asking_##T s = {NULL, NULL, 0, 0, false};                                                  \
        for (int64_t e = 0; e < count; e += q->width) {                                            \
            const int64_t width = count - e < q->width ? count - e : q->width;                     \
            if (q->ahead && e % q->ahead == 0 && count - e >= 2 * q->ahead)                        \
                s = (asking_##T){a + e + q->ahead, b + e + q->ahead, 0, 0, false};                 \
            copy_##T(q, width, b + e * q->b_step, copy);                                           \
            block_##T(q, width, a + e, copy, c + e, &s, share);                                    \
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
    const int64_t elements = q->n * q->p;
    int64_t lines = q->p == 1 || elements <= 16 ? MOST_LINES : elements <= 64 ? 2 : 1;
    int64_t ahead = MOST_LINES;
    while (lines > 1 && elements * lines > COPIED / LINE)
        lines /= 2;
    while (ahead > 1 && (q->m + q->p) * q->n * ahead > AHEAD / LINE)
        ahead /= 2;
    if (q->p == 1 || ahead <= lines) /* what is multiplied at once is as long */
        ahead = 0;
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
                     .ahead = ahead * line,
                     .stream = stream};
    (q->dtype == TM_FLOAT32 ? lanes_float : lanes_double)(&l, count, q->a.data, q->b.data, q->c);
    if (stream)
        tm_bypass_end();
    return count;
}
