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

typedef IN TREE(_in) __attribute__((vector_size(8 * sizeof(IN))));
typedef ACC TREE(_acc) __attribute__((vector_size(8 * sizeof(ACC))));
typedef ACC TREE(_half) __attribute__((vector_size(4 * sizeof(ACC))));

#undef CONVERT
#undef TRUTH
#undef MAGNITUDE
#undef CHOOSE
#define CONVERT(v) __builtin_convertvector(v, TREE(_acc))
#define TRUTH(v) __builtin_convertvector(((v) != 0) & 1, TREE(_acc))
#define MAGNITUDE(v) ((__typeof__(v))((__typeof__((v) > (v)))(v)&INT64_MAX)) /* of float64 */
#define CHOOSE(c, a, b)                                                                            \
    __extension__({                                                                                \
        const __typeof__(c) mask_ = (c);                                                           \
        (__typeof__(a))(((__typeof__(c))(a)&mask_) | ((__typeof__(c))(b) & ~mask_));               \
    })

/* 8 elements, as ACCs. */
#define TREE_LOAD(result, p)                                                                       \
    do {                                                                                           \
        TREE(_in) v;                                                                               \
        __builtin_memcpy(&v, p, sizeof v);                                                         \
        result = LOAD(v);                                                                          \
    } while (0)
#define TREE_JOIN(a, b) a = JOIN(a, b)

TM_INLINE void TREE(_rows_body)(const char *first, int64_t x_step, int64_t n, int tile,
                                const double *with, int each, ACC *restrict total)
{
    const int64_t item = (int64_t)sizeof(IN), whole = n - n % 8;
    (void)each;
    if (n < 8) {
        for (int t = 0; t < tile; t++)
            total[t] = TREE(_block)(first + t * x_step, item, n, TREE_W(t), TREE_W2);
        return;
    }
    const int64_t ahead = tm_block_rows_ahead(n * item, x_step);
    TREE(_acc) lane[TM_ROWS];
    for (int t = 0; t < tile; t++) {
        const char *p = first + t * x_step;
        const double w = TREE_W(t), w2 = TREE_W2;
        TREE(_acc) own, next;
        (void)w;
        (void)w2;
        for (int64_t at = 0; at < n * item; at += 64)
            __builtin_prefetch(p + at + ahead);
        TREE_LOAD(own, p);
        for (int64_t i = 8; i < whole; i += 8) {
            TREE_LOAD(next, p + i * item);
            TREE_JOIN(own, next);
        }
        lane[t] = own;
    }
    /* Lanes by halves, in four outputs at once. */
    int t = 0;
    for (; t + 4 <= tile; t += 4) {
        TREE(_half) joint;
        TM_FOLD_EIGHT(TREE(_half), lane + t, TREE_JOIN, joint);
        __builtin_memcpy(total + t, &joint, sizeof joint);
    }
    for (; t < tile; t++)
        total[t] = TREE(_halves)((const ACC *)&lane[t]);
    for (int64_t i = whole; i < n; i++)
        for (t = 0; t < tile; t++)
            total[t] = TREE(_join)(total[t],
                                   TREE(_load)(first + t * x_step + i * item, TREE_W(t), TREE_W2));
}

/* In strips of eight columns, whose lanes stay in registers; the last strip overlaps the one
 * before. */
TM_INLINE void TREE(_columns_body)(const char *const *row, int64_t n, int tile, const double *with,
                                   ACC *restrict total)
{
    const int64_t item = (int64_t)sizeof(IN), whole = n - n % 8;
    const int each = 1;
    (void)each;
    if (tile < 8) {
        for (int t = 0; t < tile; t++)
            total[t] = TREE(_column)(row, t, n, TREE_W(t), TREE_W2);
        return;
    }
    /* The next tile, or where this one is a run of memory what lies behind the next such run, is
     * asked for meanwhile: its lines are not met in an order that the processor foresees. */
    const int64_t width = tile * item;
    const int64_t ahead = row[n - 1] - row[0] == (n - 1) * width ? 2 * n * width : width;
    for (int t = 0; t < tile; t += 8) {
        if (t > tile - 8)
            t = tile - 8;
        const int64_t at = t * item;
#ifdef PER_OUTPUT
        double w __attribute__((vector_size(8 * sizeof(double))));
        __builtin_memcpy(&w, with + t, sizeof w);
#else
        const double w = TREE_W(t), w2 = TREE_W2;
        (void)w2;
#endif
        (void)w;
#define TREE_FIRST(k)                                                                              \
    TREE(_acc) lane##k;                                                                            \
    TREE_LOAD(lane##k, row[k] + at);
#define TREE_AHEAD0(k) __builtin_prefetch(row[k] + at + ahead);
#define TREE_AHEAD(k) __builtin_prefetch(row[i + k] + at + ahead);
#define TREE_NEXT(k)                                                                               \
    TREE_LOAD(next, row[i + k] + at);                                                              \
    TREE_JOIN(lane##k, next);
        TREE(_acc) sum, next;
        int64_t i = 1;
        if (n < 8) {
            TREE_LOAD(sum, row[0] + at);
        } else {
            TREE_LANES(TREE_FIRST)
            const int64_t part = item < 8 ? 8 / item : 1; /* strips in a line of memory */
            if (t / 8 % part == 0) {
                TREE_LANES(TREE_AHEAD0)
            }
            for (i = 8; i < whole; i += 8) {
                TREE_LANES(TREE_NEXT)
                if ((t / 8 + i / 8) % part == 0) {
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

TM_SIMD_VERSIONS(TREE(_rows), TREE(_rows_body),
                 (const char *first, int64_t x_step, int64_t n, int tile, const double *with,
                  int each, ACC *restrict total),
                 (first, x_step, n, tile, with, each, total))
TM_SIMD_VERSIONS(TREE(_columns), TREE(_columns_body),
                 (const char *const *row, int64_t n, int tile, const double *with,
                  ACC *restrict total),
                 (row, n, tile, with, total))

#undef TREE_LOAD
#undef TREE_JOIN
#endif

#undef CONVERT
#undef TRUTH
#undef MAGNITUDE
#undef CHOOSE
