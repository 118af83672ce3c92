/* sorting_network.c: the sorting networks for each kind of row and level of vector instructions.
 *
 * A row is sorted a vector at a time: one of AVX-512, two of AVX2, four portable ones. What
 * compares and exchanges is written in instructions: of loops over lanes compilers make code that
 * is several times slower.
 */
#include "simd.h"
#include "sorting_lanes.h"

/* -- AVX-512 ----------------------------------------------------------------------------------- */

#ifdef TM_TARGET_AVX512
#include <immintrin.h>

#define ORDER_AVX512(bits)                                                                         \
    TM_TARGET_AVX512 TM_INLINE void order##bits##_avx512(__m512i *a, __m512i *b)                   \
    {                                                                                              \
        __m512i least = _mm512_min_epi##bits(*a, *b);                                              \
        *b = _mm512_max_epi##bits(*a, *b);                                                         \
        *a = least;                                                                                \
    }
ORDER_AVX512(32)
ORDER_AVX512(64)

typedef struct vector_pairs_avx512 {
    __m512i key, index;
} vector_pairs_avx512;

TM_TARGET_AVX512 TM_INLINE void order_pairs_avx512(vector_pairs_avx512 *a, vector_pairs_avx512 *b)
{
    __mmask8 equal = _mm512_cmpeq_epi64_mask(b->key, a->key);
    __mmask8 swap = _mm512_cmplt_epi64_mask(b->key, a->key) |
                    _mm512_mask_cmplt_epi64_mask(equal, b->index, a->index);
    vector_pairs_avx512 x = *a, y = *b;
    a->key = _mm512_mask_mov_epi64(x.key, swap, y.key);
    b->key = _mm512_mask_mov_epi64(y.key, swap, x.key);
    a->index = _mm512_mask_mov_epi64(x.index, swap, y.index);
    b->index = _mm512_mask_mov_epi64(y.index, swap, x.index);
}

/* -- AVX2 -------------------------------------------------------------------------------------- */

TM_TARGET_AVX2 TM_INLINE void order32_avx2(__m256i *a, __m256i *b)
{
    __m256i least = _mm256_min_epi32(*a, *b);
    *b = _mm256_max_epi32(*a, *b);
    *a = least;
}

/* a and b, exchanged where `swap` has all bits. */
TM_TARGET_AVX2 TM_INLINE void exchange_avx2(__m256i *a, __m256i *b, __m256i swap)
{
    __m256i x = *a;
    *a = _mm256_blendv_epi8(x, *b, swap);
    *b = _mm256_blendv_epi8(*b, x, swap);
}

TM_TARGET_AVX2 TM_INLINE void order64_avx2(__m256i *a, __m256i *b)
{
    exchange_avx2(a, b, _mm256_cmpgt_epi64(*a, *b));
}

typedef struct vector_pairs_avx2 {
    __m256i key, index;
} vector_pairs_avx2;

TM_TARGET_AVX2 TM_INLINE void order_pairs_avx2(vector_pairs_avx2 *a, vector_pairs_avx2 *b)
{
    __m256i equal = _mm256_cmpeq_epi64(a->key, b->key);
    __m256i swap = _mm256_or_si256(_mm256_cmpgt_epi64(a->key, b->key),
                                   _mm256_and_si256(equal, _mm256_cmpgt_epi64(a->index, b->index)));
    exchange_avx2(&a->key, &b->key, swap);
    exchange_avx2(&a->index, &b->index, swap);
}
#endif

/* -- Portable ---------------------------------------------------------------------------------- */

typedef int32_t vector32 __attribute__((vector_size(16), may_alias));
typedef int64_t vector64 __attribute__((vector_size(16), may_alias));

/* *a and *b, exchanged where `swap` has all bits. */
#define EXCHANGE_PORTABLE(a, b, swap)                                                              \
    do {                                                                                           \
        vector64 change = (*(a) ^ *(b)) & (swap);                                                  \
        *(a) ^= change;                                                                            \
        *(b) ^= change;                                                                            \
    } while (0)

TM_INLINE void order32_portable(vector64 *a, vector64 *b)
{
    vector64 swap = (vector64)((vector32)*a > (vector32)*b);
    EXCHANGE_PORTABLE(a, b, swap);
}

TM_INLINE void order64_portable(vector64 *a, vector64 *b)
{
    EXCHANGE_PORTABLE(a, b, *a > *b);
}

typedef struct vector_pairs_portable {
    vector64 key, index;
} vector_pairs_portable;

TM_INLINE void order_pairs_portable(vector_pairs_portable *a, vector_pairs_portable *b)
{
    vector64 swap = (a->key > b->key) | ((a->key == b->key) & (a->index > b->index));
    EXCHANGE_PORTABLE(&a->key, &b->key, swap);
    EXCHANGE_PORTABLE(&a->index, &b->index, swap);
}

/* -- The networks ------------------------------------------------------------------------------ */

#define JOIN_WORDS(x, kind, level) x##kind##_##level
#define JOIN(x, kind, level) JOIN_WORDS(x, kind, level)
#define NAME(x) JOIN(x, KIND, LEVEL)
#define ORDER NAME(order)

#ifdef TM_TARGET_AVX512
#define LEVEL avx512
#define TARGET TM_TARGET_AVX512
#define VECTOR __m512i
#include "sorting_level.h"
#define LEVEL avx2
#define TARGET TM_TARGET_AVX2
#define VECTOR __m256i
#include "sorting_level.h"
#endif
#define LEVEL portable
#define TARGET
#define VECTOR vector64
#include "sorting_level.h"

/* A function for each level, and the one that picks it. ROWS(kind, level, l) is what the networks
 * of a kind are to do with the vector that begins at lane l. */
#define NETWORK(function, parameters, ROWS, kind, level, target, vector, lane)                     \
    target static void function##_##level parameters                                               \
    {                                                                                              \
        for (size_t l = 0; l < 64 / sizeof(lane); l += sizeof(vector) / sizeof(lane))              \
            ROWS(kind, level, l);                                                                  \
    }
#define PORTABLE_NETWORK(function, parameters, ROWS, kind, lane)                                   \
    NETWORK(function, parameters, ROWS, kind, portable, , vector64, lane)
#ifdef TM_TARGET_AVX512
#define NETWORKS(function, parameters, arguments, ROWS, kind, lane)                                \
    NETWORK(function, parameters, ROWS, kind, avx512, TM_TARGET_AVX512, __m512i, lane)             \
    NETWORK(function, parameters, ROWS, kind, avx2, TM_TARGET_AVX2, __m256i, lane)                 \
    PORTABLE_NETWORK(function, parameters, ROWS, kind, lane)                                       \
    TM_SIMD_PICK(, void, function, parameters, arguments)
#else
#define NETWORKS(function, parameters, arguments, ROWS, kind, lane)                                \
    PORTABLE_NETWORK(function, parameters, ROWS, kind, lane)                                       \
    TM_SIMD_PICK(, void, function, parameters, arguments)
#endif

#define SORT_ROWS(kind, level, l) sort_rows##kind##_##level(w + (l), n)
#define KEEP_ROWS(kind, level, l) keep_rows##kind##_##level(w + (l), other + (l), run)
NETWORKS(tm_lanes_sort32, (int32_t * w, int64_t n), (w, n), SORT_ROWS, 32, int32_t)
NETWORKS(tm_lanes_sort64, (int64_t * w, int64_t n), (w, n), SORT_ROWS, 64, int64_t)
NETWORKS(tm_lanes_sort_pairs, (int64_t * w, int64_t n), (w, n), SORT_ROWS, _pairs, int64_t)
NETWORKS(tm_lanes_keep64, (int64_t * w, int64_t *other, int64_t run), (w, other, run), KEEP_ROWS,
         64, int64_t)
NETWORKS(tm_lanes_keep_pairs, (int64_t * w, int64_t *other, int64_t run), (w, other, run),
         KEEP_ROWS, _pairs, int64_t)
