/* reductions_lanes.h: how runs of elements are joined in 8 lanes: along rows and across columns.
 * Included by reductions_tree.h, on vectors or (PLAIN given) element by element, with the same
 * bits.
 *
 * LOAD and JOIN are written once, for one element or a vector of them, in terms of
 *
 *     CONVERT(v)         an IN as an ACC
 *     TRUTH(v)           1 where v is not 0
 *     MAGNITUDE(v)       |v| of an ACC
 *     CHOOSE(c, a, b)    c ? a : b
 *
 * and are expanded where these mean the one or the other.
 */
#define CONVERT(v) ((ACC)(v))
#define TRUTH(v) ((ACC)((v) != 0))
#define MAGNITUDE(v) fabs(v)
#define CHOOSE(c, a, b) ((c) ? (a) : (b))

TM_INLINE ACC TREE(_load)(const char *p, double w, double w2)
{
    IN v = *(const IN *)(const void *)p;
    (void)w;
    (void)w2;
    return (ACC)(LOAD(v));
}

TM_INLINE ACC TREE(_join)(ACC a, ACC b)
{
    return (ACC)(JOIN(a, b));
}

TM_INLINE ACC TREE(_halves)(const ACC *lane)
{
    ACC half[4];
    for (int k = 0; k < 4; k++)
        half[k] = TREE(_join)(lane[k], lane[k + 4]);
    return TREE(_join)(TREE(_join)(half[0], half[2]), TREE(_join)(half[1], half[3]));
}

/* One block of n >= 1 elements, `step` apart. */
TM_INLINE ACC TREE(_block)(const char *p, int64_t step, int64_t n, double w, double w2)
{
    ACC lane[8];
    if (n < 8) {
        lane[0] = TREE(_load)(p, w, w2);
        for (int64_t i = 1; i < n; i++)
            lane[0] = TREE(_join)(lane[0], TREE(_load)(p + i * step, w, w2));
        return lane[0];
    }
    int64_t whole = n - n % 8;
    for (int k = 0; k < 8; k++)
        lane[k] = TREE(_load)(p + k * step, w, w2);
    for (int64_t i = 8; i < whole; i += 8)
        for (int k = 0; k < 8; k++)
            lane[k] = TREE(_join)(lane[k], TREE(_load)(p + (i + k) * step, w, w2));
    ACC total = TREE(_halves)(lane);
    for (int64_t i = whole; i < n; i++)
        total = TREE(_join)(total, TREE(_load)(p + i * step, w, w2));
    return total;
}

/* The same of column t. */
TM_INLINE ACC TREE(_column)(const char *const *row, int64_t t, int64_t n, double w, double w2)
{
    const int64_t at = t * (int64_t)sizeof(IN);
    ACC lane[8], total = TREE(_load)(row[0] + at, w, w2);
    int64_t i = 1;
    if (n >= 8) {
        for (int k = 0; k < 8; k++)
            lane[k] = TREE(_load)(row[k] + at, w, w2);
        for (i = 8; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++)
                lane[k] = TREE(_join)(lane[k], TREE(_load)(row[i + k] + at, w, w2));
        total = TREE(_halves)(lane);
    }
    for (; i < n; i++)
        total = TREE(_join)(total, TREE(_load)(row[i] + at, w, w2));
    return total;
}

#ifdef PLAIN

static void TREE(_rows)(const char *first, int64_t x_step, int64_t n, int tile, const double *with,
                        int each, ACC *total)
{
    (void)each;
    for (int t = 0; t < tile; t++)
        total[t] = TREE(_block)(first + t * x_step, (int64_t)sizeof(IN), n, TREE_W(t), TREE_W2);
}

static void TREE(_columns)(const char *const *row, int64_t n, int tile, const double *with,
                           ACC *total)
{
    const int each = 1;
    (void)each;
    for (int t = 0; t < tile; t++)
        total[t] = TREE(_column)(row, t, n, TREE_W(t), TREE_W2);
}

#else

#undef CONVERT
#undef TRUTH
#undef MAGNITUDE
#undef CHOOSE
#define CONVERT(v) __builtin_convertvector(v, TREE_LEVEL(_acc))
#define TRUTH(v) __builtin_convertvector(((v) != 0) & 1, TREE_LEVEL(_acc))
#define MAGNITUDE(v) ((__typeof__(v))((__typeof__((v) > (v)))(v)&INT64_MAX)) /* of float64 */
#define CHOOSE(c, a, b)                                                                            \
    __extension__({                                                                                \
        const __typeof__(c) mask_ = (c);                                                           \
        (__typeof__(a))(((__typeof__(c))(a)&mask_) | ((__typeof__(c))(b) & ~mask_));               \
    })

#define TM_LEVEL_BODY "ops/reductions_level.h"
#include "ops/levels.h"

TM_SIMD_PICK(, static void, TREE(_rows),
             (const char *first, int64_t x_step, int64_t n, int tile, const double *with, int each,
              ACC *restrict total),
             (first, x_step, n, tile, with, each, total))
TM_SIMD_PICK(, static void, TREE(_columns),
             (const char *const *row, int64_t n, int tile, const double *with, ACC *restrict total),
             (row, n, tile, with, total))
#endif

#undef CONVERT
#undef TRUTH
#undef MAGNITUDE
#undef CHOOSE
