/* products_square.c: products with n and p both 4, or both 8, in float32: several rows of C in one
 * vector.
 *
 * A row of C would fill a quarter or a half of a vector of 16. So a vector holds as many rows of A,
 * from each of which the element k is spread by a permutation, and as many copies of B's row k. k
 * runs upward and nothing is fused, so the bits are those of products_tile.c.
 */
#include "dispatch/bypass.h"
#include "products.h"
#include "simd.h"

#ifdef TM_TARGET_AVX512
#include <immintrin.h>

/* Four rows of four elements, or two of eight. */
TM_TARGET_AVX512 TM_INLINE __m512 load_4(const float *x, int64_t row)
{
    __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(x));
    __m256 high = _mm256_castps128_ps256(_mm_loadu_ps(x + 2 * row));
    low = _mm256_insertf128_ps(low, _mm_loadu_ps(x + row), 1);
    high = _mm256_insertf128_ps(high, _mm_loadu_ps(x + 3 * row), 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

TM_TARGET_AVX512 TM_INLINE __m512 load_8(const float *x, int64_t row)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(x)), _mm256_loadu_ps(x + row),
                              1);
}

TM_TARGET_AVX512 TM_INLINE void store_4(float *x, int64_t row, __m512 rows)
{
    _mm_storeu_ps(x, _mm512_castps512_ps128(rows));
    _mm_storeu_ps(x + row, _mm512_extractf32x4_ps(rows, 1));
    _mm_storeu_ps(x + 2 * row, _mm512_extractf32x4_ps(rows, 2));
    _mm_storeu_ps(x + 3 * row, _mm512_extractf32x4_ps(rows, 3));
}

TM_TARGET_AVX512 TM_INLINE void store_8(float *x, int64_t row, __m512 rows)
{
    _mm256_storeu_ps(x, _mm512_castps512_ps256(rows));
    _mm256_storeu_ps(x + row, _mm512_extractf32x8_ps(rows, 1));
}

/* The element k of every row, all along it. */
TM_TARGET_AVX512 TM_INLINE __m512 spread_4(__m512 rows, int k)
{
    return _mm512_permutevar_ps(rows, _mm512_set1_epi32(k));
}

TM_TARGET_AVX512 TM_INLINE __m512 spread_8(__m512 rows, int k)
{
    const __m512i place = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
    return _mm512_permutexvar_ps(_mm512_add_epi32(place, _mm512_set1_epi32(k)), rows);
}

TM_TARGET_AVX512 TM_INLINE __m512 repeat_4(const float *x)
{
    return _mm512_broadcast_f32x4(_mm_loadu_ps(x));
}

TM_TARGET_AVX512 TM_INLINE __m512 repeat_8(const float *x)
{
    return _mm512_broadcast_f32x8(_mm256_loadu_ps(x));
}

enum { AHEAD = 16 /* products */ };

typedef struct square {
    int64_t m, a_row, b_row, c_row;
    int64_t a_step, b_step, c_step; /* from one product to the next */
} square;

/* How C lies and is written. */
enum { ANY_ROWS, WHOLE, STREAMED };

/* N: n and p. VECTORS: how many of them N rows are. `whole`: A's and B's rows have no gaps between
 * them; where they have, those of products to come are asked for, since that is many streams. */
#define SQUARE(N, VECTORS)                                                                         \
    TM_TARGET_AVX512 TM_INLINE void rows_##N(const bool whole, const int to, const square *q,      \
                                             const float *a, const __m512 *b, float *c)            \
    {                                                                                              \
        const int64_t a_next = 16 / N * (whole ? N : q->a_row);                                    \
        const int64_t c_next = 16 / N * (to != ANY_ROWS ? N : q->c_row);                           \
        __m512 sum[VECTORS], rows[VECTORS];                                                        \
        for (int v = 0; v < VECTORS; v++) {                                                        \
            rows[v] =                                                                              \
                whole ? _mm512_loadu_ps(a + v * a_next) : load_##N(a + v * a_next, q->a_row);      \
            sum[v] = _mm512_setzero_ps();                                                          \
        }                                                                                          \
        for (int k = 0; k < N; k++)                                                                \
            for (int v = 0; v < VECTORS; v++)                                                      \
                sum[v] = _mm512_add_ps(sum[v], _mm512_mul_ps(spread_##N(rows[v], k), b[k]));       \
        for (int v = 0; v < VECTORS; v++) {                                                        \
            if (to == STREAMED)                                                                    \
                _mm512_stream_ps(c + v * c_next, sum[v]);                                          \
            else if (to == WHOLE)                                                                  \
                _mm512_storeu_ps(c + v * c_next, sum[v]);                                          \
            else                                                                                   \
                store_##N(c + v * c_next, q->c_row, sum[v]);                                       \
        }                                                                                          \
    }                                                                                              \
    TM_TARGET_AVX512 TM_INLINE void each_##N(const bool whole, const int to, const square *q,      \
                                             int64_t count, const float *a, const float *b,        \
                                             float *c)                                             \
    {                                                                                              \
        const int64_t a_row = whole ? N : q->a_row, b_row = whole ? N : q->b_row;                  \
        for (int64_t e = 0; e < count; e++, a += q->a_step, b += q->b_step, c += q->c_step) {      \
            __m512 factor[N];                                                                      \
            for (int k = 0; k < N; k++) {                                                          \
                factor[k] = repeat_##N(b + k * b_row);                                             \
                if (N == 8 && !whole)                                                              \
                    __builtin_prefetch(b + k * b_row + AHEAD * q->b_step);                         \
            }                                                                                      \
            for (int64_t i = 0; i < q->m; i += N) {                                                \
                rows_##N(whole, to, q, a + i * a_row, factor,                                      \
                         c + i * (to != ANY_ROWS ? N : q->c_row));                                 \
                for (int r = 0; N == 8 && r < N && !whole; r++)                                    \
                    __builtin_prefetch(a + (i + r) * a_row + AHEAD * q->a_step);                   \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    TM_TARGET_AVX512 static void square_##N(bool whole, int to, const square *q, int64_t count,    \
                                            const float *a, const float *b, float *c)              \
    {                                                                                              \
        if (whole && to == STREAMED)                                                               \
            each_##N(true, STREAMED, q, count, a, b, c);                                           \
        else if (whole && to == WHOLE)                                                             \
            each_##N(true, WHOLE, q, count, a, b, c);                                              \
        else if (to == STREAMED)                                                                   \
            each_##N(false, STREAMED, q, count, a, b, c);                                          \
        else if (to == WHOLE)                                                                      \
            each_##N(false, WHOLE, q, count, a, b, c);                                             \
        else                                                                                       \
            each_##N(false, ANY_ROWS, q, count, a, b, c);                                          \
    }

SQUARE(4, 1)
SQUARE(8, 4)

bool tm_product_square(const tm_product *q, const tm_products *all)
{
    const int64_t n = q->n;
    if (q->dtype != TM_FLOAT32 || (n != 4 && n != 8) || q->p != n || q->m % n != 0 ||
        q->a.column != 1 || q->b.column != 1 || q->c_column != 1 || !tm_product_is_uniform(q) ||
        tm_simd_level() != TM_SIMD_AVX512)
        return false;
    const square s = {q->m, q->a.row, q->b.row, q->c_row, all->a_step, all->b_step, all->c_step};
    const bool whole = q->a.row == n && q->b.row == n;
    const bool stream = q->c_row == n && all->bytes && (uintptr_t)q->c % 64 == 0 &&
                        all->c_step * 4 % 64 == 0 && tm_bypass_pays(all->bytes);
    (n == 4 ? square_4 : square_8)(whole,
                                   stream          ? STREAMED
                                   : q->c_row == n ? WHOLE
                                                   : ANY_ROWS,
                                   &s, all->count, (const float *)(const void *)q->a.data,
                                   (const float *)(const void *)q->b.data, (float *)(void *)q->c);
    if (stream)
        tm_bypass_end();
    return true;
}

#else

bool tm_product_square(const tm_product *q, const tm_products *all)
{
    (void)q, (void)all;
    return false;
}

#endif
