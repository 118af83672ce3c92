/* products_lanes.c: products whose examples lie side by side: a lane of a vector for each example.
 *
 * An element of all examples is one run in memory, and the runs are as far apart as there are
 * examples. Memory serves pieces of some lines of a run better than single ones, so the next
 * examples are asked for in such pieces, a few with every tile, while those before them are
 * multiplied: a line of each run at a time, B from a copy, so that no stride makes its elements
 * push each other out of the cache, A where it lies. k runs upward and nothing is fused, so the
 * bits are those of products_tile.c.
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
    AHEAD = 128 * 1024 /* bytes that are asked for before they are read */
};

/* Steps in elements; the examples of A and C are neighbours. */
typedef struct lanes {
    int64_t m, n, p;
    int64_t a_row, a_column, b_row, b_column, b_step, c_row, c_column;
    int64_t width; /* examples that are multiplied at once */
    int64_t ahead; /* examples that are asked for at once, as many times `width` */
    int64_t share; /* elements that are asked for with a tile */
    bool stream;   /* C is written past the caches */
} lanes;

typedef void (*lanes_fn)(const lanes *q, int64_t count, const void *a, const void *b, void *c);
typedef float float_16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef double double_8 __attribute__((vector_size(64), aligned(8), may_alias));

#ifdef TM_TARGET_AVX512
/* A line past the caches, in pieces that any such processor can store. */
TM_INLINE void stream_parts(void *to, const void *line)
{
    __m128 part[4];
    memcpy(part, line, sizeof part);
    for (int i = 0; i < 4; i++)
        _mm_stream_ps((float *)to + 4 * i, part[i]);
}
#define STREAM_PARTS(to, line) stream_parts(to, &(line))
#else
#define STREAM_PARTS(to, line) *(VECTOR *)(void *)(to) = line
#endif

#define T float
#define LANES 16
#define VECTOR float_16
#define TARGET
#define STREAM STREAM_PARTS
#define SIZED 0
#define NAME(x) x##_float
#include "products_lanes.h"
#ifdef TM_TARGET_AVX512
#undef TARGET
#define TARGET TM_TARGET_AVX2
#define STREAM STREAM_PARTS
#define SIZED 0
#define NAME(x) x##_float_avx2
#include "products_lanes.h"
#undef TARGET
#define TARGET TM_TARGET_AVX512
#define STREAM(to, line) _mm512_stream_ps(to, (__m512)(line))
#define SIZED 1
#define NAME(x) x##_float_avx512
#include "products_lanes.h"
#endif
#undef T
#undef LANES
#undef VECTOR
#undef TARGET
#define T double
#define LANES 8
#define VECTOR double_8
#define TARGET
#define STREAM STREAM_PARTS
#define SIZED 0
#define NAME(x) x##_double
#include "products_lanes.h"
#ifdef TM_TARGET_AVX512
#undef TARGET
#define TARGET TM_TARGET_AVX2
#define STREAM STREAM_PARTS
#define SIZED 0
#define NAME(x) x##_double_avx2
#include "products_lanes.h"
#undef TARGET
#define TARGET TM_TARGET_AVX512
#define STREAM(to, line) _mm512_stream_pd(to, (__m512d)(line))
#define SIZED 0
#define NAME(x) x##_double_avx512
#include "products_lanes.h"
#endif
#undef T
#undef LANES
#undef VECTOR
#undef TARGET

static lanes_fn choose(tm_dtype dtype)
{
#ifdef TM_TARGET_AVX512
    const tm_simd level = tm_simd_level();
    if (level == TM_SIMD_AVX512)
        return dtype == TM_FLOAT32 ? lanes_float_avx512 : lanes_double_avx512;
    if (level == TM_SIMD_AVX2)
        return dtype == TM_FLOAT32 ? lanes_float_avx2 : lanes_double_avx2;
#endif
    return dtype == TM_FLOAT32 ? lanes_float : lanes_double;
}

int64_t tm_product_lanes(const tm_product *q, const tm_products *all)
{
    const int64_t item = (int64_t)tm_dtype_size(q->dtype), line = LINE / item;
    const int64_t count = all->count / line * line;
    if ((q->dtype != TM_FLOAT32 && q->dtype != TM_FLOAT64) || !tm_product_is_uniform(q) ||
        all->c_step != 1 || all->a_step != 1 || q->n == 0 || count == 0 ||
        q->n > COPIED / LINE / q->p || tm_product_for_blas(q))
        return 0;
    const int64_t elements = (q->m + (all->b_step == 1 ? q->p : 0)) * q->n;
    int64_t lines = q->p == 1 ? MOST_LINES : 1, ahead = 0, share = 0;
    while (lines > 1 && q->n * lines > COPIED / LINE)
        lines /= 2;
    if (q->p > 1 && all->bytes > tm_cache_core() && elements <= AHEAD / LINE) {
        const int64_t tiles = q->m * (q->p / 8 + q->p % 8 / 4 + q->p % 4);
        ahead = MOST_LINES;
        while (elements * ahead > AHEAD / LINE)
            ahead /= 2;
        share = (elements - 1) / (tiles * ahead) + 1;
    }
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
                     .share = share,
                     .stream = stream};
    choose(q->dtype)(&l, count, q->a.data, q->b.data, q->c);
    if (stream)
        tm_bypass_end();
    return count;
}
