/* fourier_turn.h: several lines, each contiguous, into lanes of the planes and back, by turning
 * square blocks in registers; for one type and one level of vector instructions. Included by
 * fourier_block.c through simd_reals.h.
 *
 * The floats of a line of complex numbers are real and imaginary parts in turn: once a block has
 * been turned, its even rows belong to one plane and its odd ones to the other.
 */

typedef REAL NAME(vector) __attribute__((vector_size(LANES * sizeof(REAL))));
typedef REAL NAME(vector_at)
    __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

/* Exchanges the blocks of D x D beside the diagonal. */
#define BLOCKS(D)                                                                                  \
    TM_UNROLLED                                                                                    \
    for (int i = 0; i < LANES; i++)                                                                \
        if (!(i & (D))) {                                                                          \
            const NAME(vector) a = v[i], b = v[i + (D)];                                           \
            v[i] = __builtin_shufflevector(a, b, INDICES(FIRST, D));                               \
            v[i + (D)] = __builtin_shufflevector(a, b, INDICES(SECOND, D));                        \
        }
#define FIRST(i, D) ((i) & (D) ? LANES + (i) - (D) : (i))
#define SECOND(i, D) ((i) & (D) ? LANES + (i) : (i) + (D))
#if LANES == 16
#define INDICES(X, D)                                                                              \
    X(0, D), X(1, D), X(2, D), X(3, D), X(4, D), X(5, D), X(6, D), X(7, D), X(8, D), X(9, D),      \
        X(10, D), X(11, D), X(12, D), X(13, D), X(14, D), X(15, D)
#elif LANES == 8
#define INDICES(X, D) X(0, D), X(1, D), X(2, D), X(3, D), X(4, D), X(5, D), X(6, D), X(7, D)
#elif LANES == 4
#define INDICES(X, D) X(0, D), X(1, D), X(2, D), X(3, D)
#else
#define INDICES(X, D) X(0, D), X(1, D)
#endif

/* Row i's element j and row j's element i change places. */
TM_INLINE TARGET void NAME(turn)(NAME(vector) * v)
{
#if LANES == 16
    BLOCKS(8)
#endif
#if LANES >= 8
    BLOCKS(4)
#endif
#if LANES >= 4
    BLOCKS(2)
#endif
    BLOCKS(1)
}

TARGET static int64_t NAME(load)(const tm_fft_block *b, const char *const *line)
{
    const int64_t count = b->count / LANES * LANES;
    const REAL sign = b->negative ? -1 : 1;
    for (int64_t lane = 0; lane < b->lanes; lane += LANES)
        for (int64_t at = 0; at < count; at += LANES) {
            NAME(vector) v[LANES];
            TM_UNROLLED
            for (int i = 0; i < LANES; i++)
                v[i] = *(const NAME(
                    vector_at) *)(const void *)((const REAL *)(const void *)line[lane + i] + at);
            NAME(turn)(v);
            if (b->pairs) {
                REAL *re = (REAL *)b->re + at / 2 * b->lanes + lane;
                REAL *im = (REAL *)b->im + at / 2 * b->lanes + lane;
                TM_UNROLLED
                for (int i = 0; i < LANES; i += 2) {
                    *(NAME(vector_at) *)(void *)(re + i / 2 * b->lanes) = v[i];
                    *(NAME(vector_at) *)(void *)(im + i / 2 * b->lanes) = v[i + 1] * sign;
                }
            } else {
                REAL *re = (REAL *)b->re + at * b->lanes + lane;
                TM_UNROLLED
                for (int i = 0; i < LANES; i++)
                    *(NAME(vector_at) *)(void *)(re + i * b->lanes) = v[i];
            }
        }
    return count;
}

TARGET static int64_t NAME(store)(const tm_fft_block *b, char *const *line)
{
    const int64_t count = b->count / LANES * LANES;
    const REAL scale = (REAL)b->scale, im_scale = b->negative ? -scale : scale;
    for (int64_t lane = 0; lane < b->lanes; lane += LANES)
        for (int64_t at = 0; at < count; at += LANES) {
            NAME(vector) v[LANES];
            if (b->pairs) {
                const REAL *re = (const REAL *)b->re + at / 2 * b->lanes + lane;
                const REAL *im = (const REAL *)b->im + at / 2 * b->lanes + lane;
                TM_UNROLLED
                for (int i = 0; i < LANES; i += 2) {
                    v[i] = *(const NAME(vector_at) *)(const void *)(re + i / 2 * b->lanes) * scale;
                    v[i + 1] =
                        *(const NAME(vector_at) *)(const void *)(im + i / 2 * b->lanes) * im_scale;
                }
            } else {
                const REAL *re = (const REAL *)b->re + at * b->lanes + lane;
                TM_UNROLLED
                for (int i = 0; i < LANES; i++)
                    v[i] = *(const NAME(vector_at) *)(const void *)(re + i * b->lanes) * scale;
            }
            NAME(turn)(v);
            TM_UNROLLED
            for (int i = 0; i < LANES; i++)
                *(NAME(vector_at) *)(void *)((REAL *)(void *)line[lane + i] + at) = v[i];
        }
    return count;
}

#undef BLOCKS
#undef FIRST
#undef SECOND
#undef INDICES
