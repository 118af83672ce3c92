/* reductions_level.h: runs of elements joined in 8 lanes, along rows and across columns, at one
 * level of vector instructions; included by reductions_lanes.h (levels.h).
 */
#include "ops/reductions_width.h"

typedef IN TREE_LEVEL(_in) __attribute__((vector_size(WIDTH * sizeof(IN))));
typedef ACC TREE_LEVEL(_acc) __attribute__((vector_size(WIDTH * sizeof(ACC))));

/* WIDTH elements, as ACCs. */
#define TREE_LOAD(result, p)                                                                       \
    do {                                                                                           \
        TREE_LEVEL(_in) v;                                                                         \
        __builtin_memcpy(&v, p, sizeof v);                                                         \
        result = LOAD(v);                                                                          \
    } while (0)
#define TREE_JOIN(a, b) a = JOIN(a, b)
#define TREE_JOIN_AT(a, b) (*(a) = JOIN(*(a), *(b)))

/* The lanes of one vector by halves. */
TM_INLINE ACC TREE_LEVEL(_joint)(const TREE_LEVEL(_acc) * v)
{
    ACC lane[WIDTH];
    __builtin_memcpy(lane, v, sizeof lane);
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] = TREE(_join)(lane[k], lane[k + half]);
    return lane[0];
}

TARGET static void TREE_LEVEL(_rows)(const char *first, int64_t x_step, int64_t n, int tile,
                                     const double *with, int each, ACC *restrict total)
{
    enum { PARTS = 8 / WIDTH };
    const int64_t item = (int64_t)sizeof(IN), whole = n - n % 8;
    (void)each;
    if (n < 8) {
        for (int t = 0; t < tile; t++)
            total[t] = TREE(_block)(first + t * x_step, item, n, TREE_W(t), TREE_W2);
        return;
    }
    const int64_t ahead = tm_block_rows_ahead(n * item, x_step);
    TREE_LEVEL(_acc) lane[TM_ROWS];
    for (int t = 0; t < tile; t++) {
        const char *p = first + t * x_step;
        const double w = TREE_W(t), w2 = TREE_W2;
        TREE_LEVEL(_acc) own[PARTS], next;
        (void)w;
        (void)w2;
        for (int64_t at = 0; at < n * item; at += 64)
            __builtin_prefetch(p + at + ahead);
        TM_UNROLLED
        for (int k = 0; k < PARTS; k++)
            TREE_LOAD(own[k], p + k * WIDTH * item);
        for (int64_t i = 8; i < whole; i += 8) {
            TM_UNROLLED
            for (int k = 0; k < PARTS; k++) {
                TREE_LOAD(next, p + (i + k * WIDTH) * item);
                TREE_JOIN(own[k], next);
            }
        }
        FOLD(own, PARTS, TREE_JOIN_AT)
        lane[t] = own[0];
    }
    int t = 0;
    for (; t + 8 <= tile; t += 8) {
        HALVE_EIGHT(lane + t, TREE_JOIN_AT)
        __builtin_memcpy(total + t, lane + t, 8 * sizeof *total);
    }
    for (; t < tile; t++)
        total[t] = TREE_LEVEL(_joint)(&lane[t]);
    for (int64_t i = whole; i < n; i++)
        for (t = 0; t < tile; t++)
            total[t] = TREE(_join)(total[t],
                                   TREE(_load)(first + t * x_step + i * item, TREE_W(t), TREE_W2));
}

/* In strips of WIDTH columns, whose lanes stay in registers; the last strip overlaps the one
 * before. */
TARGET static void TREE_LEVEL(_columns)(const char *const *row, int64_t n, int tile,
                                        const double *with, ACC *restrict total)
{
    const int64_t item = (int64_t)sizeof(IN), whole = n - n % 8;
    const int each = 1;
    (void)each;
    if (tile < WIDTH) {
        for (int t = 0; t < tile; t++)
            total[t] = TREE(_column)(row, t, n, TREE_W(t), TREE_W2);
        return;
    }
    /* The next tile, or where this one is a run of memory what lies behind the next such run, is
     * asked for meanwhile: its lines are not met in an order that the processor foresees. */
    const int64_t width = tile * item;
    const int64_t ahead = row[n - 1] - row[0] == (n - 1) * width ? 2 * n * width : width;
    for (int t = 0; t < tile; t += WIDTH) {
        if (t > tile - WIDTH)
            t = tile - WIDTH;
        const int64_t at = t * item;
#ifdef PER_OUTPUT
        double w __attribute__((vector_size(WIDTH * sizeof(double))));
        __builtin_memcpy(&w, with + t, sizeof w);
#else
        const double w = TREE_W(t), w2 = TREE_W2;
        (void)w2;
#endif
        (void)w;
#define TREE_FIRST(k)                                                                              \
    TREE_LEVEL(_acc) lane##k;                                                                      \
    TREE_LOAD(lane##k, row[k] + at);
#define TREE_AHEAD0(k) __builtin_prefetch(row[k] + at + ahead);
#define TREE_AHEAD(k) __builtin_prefetch(row[i + k] + at + ahead);
#define TREE_NEXT(k)                                                                               \
    TREE_LOAD(next, row[i + k] + at);                                                              \
    TREE_JOIN(lane##k, next);
        TREE_LEVEL(_acc) sum, next;
        int64_t i = 1;
        if (n < 8) {
            TREE_LOAD(sum, row[0] + at);
        } else {
            TREE_LANES(TREE_FIRST)
            const int64_t strip = WIDTH * item, part = strip < 64 ? 64 / strip : 1; /* of a line */
            if (t / WIDTH % part == 0) {
                TREE_LANES(TREE_AHEAD0)
            }
            for (i = 8; i < whole; i += 8) {
                TREE_LANES(TREE_NEXT)
                if ((t / WIDTH + i / 8) % part == 0) {
                    TREE_LANES(TREE_AHEAD)
                }
            }
            TREE_FOLD(TREE_JOIN, lane);
            sum = lane0;
        }
        for (; i < n; i++) {
            TREE_LOAD(next, row[i] + at);
            TREE_JOIN(sum, next);
        }
        __builtin_memcpy(total + t, &sum, sizeof sum);
#undef TREE_FIRST
#undef TREE_NEXT
    }
}

#undef TREE_LOAD
#undef TREE_JOIN
#undef TREE_JOIN_AT
