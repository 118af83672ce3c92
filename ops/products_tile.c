/* products_tile.c: products of floats in tiles of C that stay in registers.
 *
 * The sum over n runs in ascending order, and no multiplication is fused with an addition, so the
 * bits depend neither on the instructions, nor on the layout, nor on how many products are computed
 * at once.
 */
#include "dispatch/bypass.h"
#include "products.h"
#include "simd.h"

enum {
    BLOCK = 16384, /* bytes of A's rows that meet all columns of B before others do */
    AHEAD = 16384  /* bytes of small factors that are asked for before they are read */
};

/* Products of one shape; steps in elements. */
typedef struct tiles {
    int64_t m, n, p;
    int64_t a_row, a_column, b_row, b_column, c_row;
    int64_t a_step, b_step, c_step; /* from one product to the next */
    int64_t block;                  /* rows of A that meet all of B before others do */
    int64_t ahead;                  /* products whose factors are asked for early; 0: none */
    bool stream;                    /* C is written past the caches */
} tiles;

/* Asks for a factor of product `e` + `ahead` at x, whose row in memory has `row` bytes, its own
 * `length`. Where the same row of the next product comes right after it, pieces of several products
 * are asked for, since memory serves them better, and each time for some of the rows. */
TM_INLINE void ask(const void *x, int64_t rows, int64_t row, int64_t length, int64_t step,
                   int64_t e, int64_t ahead)
{
    const char *from = x;
    int64_t i = 0;
    if (row == length) {
        length *= rows;
        rows = 1;
    } else if (step == length && ahead > 1) {
        const int64_t at = e % ahead;
        from -= at * step;
        length *= ahead;
        i = rows * at / ahead;
        rows = rows * (at + 1) / ahead;
    }
    for (; i < rows; i++)
        for (int64_t at = 0; at < length; at += TM_LINE)
            __builtin_prefetch(from + i * row + at);
}

typedef float float_2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float float_4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double double_2 __attribute__((vector_size(16), aligned(8), may_alias));

#define T float
#define TARGET
#define LANES 2
#define DEEP 4
#define VECTOR float_2
#define STREAM(to, sum) *(VECTOR *)(void *)(to) = sum
#define NAME(x) x##_float_2
#include "products_tile.h"
#define LANES 4
#define DEEP 4
#define VECTOR float_4
#define STREAM(to, sum) *(VECTOR *)(void *)(to) = sum
#define NAME(x) x##_float_4
#include "products_tile.h"
#undef T
#define T double
#define LANES 2
#define DEEP 4
#define VECTOR double_2
#define STREAM(to, sum) *(VECTOR *)(void *)(to) = sum
#define NAME(x) x##_double_2
#include "products_tile.h"
#undef T
#undef TARGET

#ifdef TM_TARGET_AVX512
#include <immintrin.h>

typedef float float_8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float float_16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef double double_4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double double_8 __attribute__((vector_size(64), aligned(8), may_alias));

#define T float
#define TARGET TM_TARGET_AVX2
#define LANES 4
#define DEEP 4
#define VECTOR float_4
#define STREAM(to, sum) *(VECTOR *)(void *)(to) = sum
#define NAME(x) x##_float_4_avx2
#include "products_tile.h"
#define LANES 8
#define DEEP 4
#define VECTOR float_8
#define STREAM(to, sum) _mm256_stream_ps(to, (__m256)(sum))
#define NAME(x) x##_float_8_avx2
#include "products_tile.h"
#undef TARGET
#define TARGET TM_TARGET_AVX512
#define LANES 16
#define DEEP 8
#define VECTOR float_16
#define STREAM(to, sum) _mm512_stream_ps(to, (__m512)(sum))
#define NAME(x) x##_float_16_avx512
#include "products_tile.h"
#undef T
#undef TARGET
#define T double
#define TARGET TM_TARGET_AVX2
#define LANES 4
#define DEEP 4
#define VECTOR double_4
#define STREAM(to, sum) _mm256_stream_pd(to, (__m256d)(sum))
#define NAME(x) x##_double_4_avx2
#include "products_tile.h"
#undef TARGET
#define TARGET TM_TARGET_AVX512
#define LANES 8
#define DEEP 8
#define VECTOR double_8
#define STREAM(to, sum) _mm512_stream_pd(to, (__m512d)(sum))
#define NAME(x) x##_double_8_avx512
#include "products_tile.h"
#undef T
#undef TARGET
#endif

typedef void (*products_fn)(const tiles *q, int64_t count, const void *a, const void *b, void *c);

/* By the widest vector that p columns fill. */
static products_fn choose_float(tm_simd level, int64_t p)
{
#ifdef TM_TARGET_AVX512
    if (level == TM_SIMD_AVX512 && p >= 16)
        return products_float_16_avx512;
    if (level >= TM_SIMD_AVX2 && p >= 8)
        return products_float_8_avx2;
    if (level >= TM_SIMD_AVX2 && p >= 4)
        return products_float_4_avx2;
#endif
    (void)level;
    return p >= 4 ? products_float_4 : products_float_2;
}

static products_fn choose_double(tm_simd level, int64_t p)
{
#ifdef TM_TARGET_AVX512
    if (level == TM_SIMD_AVX512 && p >= 8)
        return products_double_8_avx512;
    if (level >= TM_SIMD_AVX2 && p >= 4)
        return products_double_4_avx2;
#endif
    (void)level;
    (void)p;
    return products_double_2;
}

/* Whether every vector of C lies at a multiple of its size. */
static bool streams(const tiles *q, tm_simd level, int64_t item, const char *c)
{
    const int64_t bytes = level == TM_SIMD_AVX512 ? 64 : 32;
    return (uintptr_t)c % 64 == 0 && q->p * item % bytes == 0 && q->c_row * item % bytes == 0 &&
           q->c_step * item % bytes == 0;
}

bool tm_product_tiles(const tm_product *q, const tm_products *all)
{
    const tm_simd level = tm_simd_level();
    const int64_t item = (int64_t)tm_dtype_size(q->dtype);
    if ((q->dtype != TM_FLOAT32 && q->dtype != TM_FLOAT64) || q->p < 2 || q->c_column != 1 ||
        (q->b.column != 1 && !tm_tile_packs(item, q->m, q->n, q->p)) || !tm_product_is_uniform(q))
        return false;
    const int64_t block = BLOCK / item / (q->n + 1) / 8 * 8;
    tiles t = {.m = q->m,
               .n = q->n,
               .p = q->p,
               .a_row = q->a.row,
               .a_column = q->a.column,
               .b_row = q->b.row,
               .b_column = q->b.column,
               .c_row = q->c_row,
               .a_step = all->a_step,
               .b_step = all->b_step,
               .c_step = all->c_step,
               .block = block < 8 ? 8 : block};
    const int64_t factors = (t.m + t.p) * t.n * item;
    if (all->count > 1 && all->bytes > tm_cache_core() && factors <= AHEAD && t.a_column == 1 &&
        t.b_column == 1)
        t.ahead = AHEAD / factors;
    t.stream = all->bytes && streams(&t, level, item, q->c) && tm_bypass_pays(all->bytes);
    (q->dtype == TM_FLOAT32 ? choose_float : choose_double)(level, q->p)(&t, all->count, q->a.data,
                                                                         q->b.data, q->c);
    return true;
}
