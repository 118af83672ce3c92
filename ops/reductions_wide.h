/* reductions_wide.h: runs of elements joined across columns in vectors of 512 bits. Included by
 * reductions_tree.h where WIDE is given.
 *
 * Two strips of 16 columns of 4 bytes are taken at once: each load is a whole line of memory, and
 * many are under way. The last strips overlap those before.
 */
typedef IN TREE(_strip) __attribute__((vector_size(64)));

#define WIDE_LOAD(result, p) __builtin_memcpy(&result, p, sizeof result)
#define WIDE_JOIN(a, b) a = (TREE(_strip))(WIDE(a, b))
#define WIDE_STEP                                                                                  \
    __builtin_prefetch(p + ahead);                                                                 \
    __builtin_prefetch(p + ahead + apart);                                                         \
    p += step;
#define WIDE_FIRST(k)                                                                              \
    TREE(_strip) lane##k, other##k;                                                                \
    WIDE_LOAD(lane##k, p);                                                                         \
    WIDE_LOAD(other##k, p + apart);                                                                \
    WIDE_STEP
#define WIDE_NEXT(k)                                                                               \
    WIDE_LOAD(next, p);                                                                            \
    WIDE_LOAD(next2, p + apart);                                                                   \
    WIDE_STEP                                                                                      \
    WIDE_JOIN(lane##k, next);                                                                      \
    WIDE_JOIN(other##k, next2);

/* At least 16 columns of n >= 1 elements, `step` apart. */
TM_TARGET_AVX512 static void TREE(_wide)(const char *first, int64_t step, int64_t n, int tile,
                                         ACC *restrict total)
{
    const int64_t item = (int64_t)sizeof(IN);
    const int last = tile - 16;
    const int64_t ahead = tm_block_ahead(step, n, tile * item);
    for (int t = 0; t < tile; t += 32) {
        const int one = t < last ? t : last, two = t + 16 < last ? t + 16 : last;
        const int64_t apart = (two - one) * item;
        const char *p = first + one * item;
        TREE(_strip) sum, sum2, next, next2;
        int64_t i = 1;
        if (n < 8) {
            WIDE_LOAD(sum, p);
            WIDE_LOAD(sum2, p + apart);
            p += step;
        } else {
            TREE_LANES(WIDE_FIRST)
            for (i = 8; i + 8 <= n; i += 8) {
                TREE_LANES(WIDE_NEXT)
            }
            TREE_FOLD(WIDE_JOIN, lane);
            TREE_FOLD(WIDE_JOIN, other);
            sum = lane0;
            sum2 = other0;
        }
        for (; i < n; i++) {
            WIDE_LOAD(next, p);
            WIDE_LOAD(next2, p + apart);
            p += step;
            WIDE_JOIN(sum, next);
            WIDE_JOIN(sum2, next2);
        }
        __builtin_memcpy(total + one, &sum, sizeof sum);
        __builtin_memcpy(total + two, &sum2, sizeof sum2);
    }
}

#undef WIDE_LOAD
#undef WIDE_JOIN
#undef WIDE_STEP
#undef WIDE_FIRST
#undef WIDE_NEXT
