/* reductions_extreme_rows.h: the extremes of rows of 4-byte elements and their indices in vectors
 * of 512 bits. Included by reductions_extreme.h where WIDE is given, and with it
 *
 *     FAST(a, b)     the extreme of __m512i a and b, either zero and no NaN
 *     SAME(v, w)     where v and w are equal, as a mask
 *     DOUBT(a, b)    where a or b is NaN, as a mask; 0: never
 *     ZERO(v)        where which zero was first must be known, as a mask
 *
 * Sixteen rows are joined to one vector of their extremes. Where a NaN or a zero leaves it open
 * which of the elements comes first, the rows are reduced once more in their order.
 */
static void TREE(_find_rows)(const char *first, int64_t x_step, int64_t n, int tile,
                             const IN *restrict extreme, PLACE *restrict place);

/* The extreme of each of sixteen vectors, in order. */
TM_TARGET_AVX512 static inline __m512i TREE(_of_sixteen)(__m512i *v)
{
    for (int k = 0; k < 8; k++)
        v[k] = FAST(_mm512_unpacklo_epi32(v[2 * k], v[2 * k + 1]),
                    _mm512_unpackhi_epi32(v[2 * k], v[2 * k + 1]));
    for (int k = 0; k < 4; k++)
        v[k] = FAST(_mm512_unpacklo_epi64(v[2 * k], v[2 * k + 1]),
                    _mm512_unpackhi_epi64(v[2 * k], v[2 * k + 1]));
    for (int k = 2; k > 0; k--) /* blocks of four rows, twice */
        for (int j = 0; j < k; j++)
            v[j] = FAST(_mm512_shuffle_i32x4(v[2 * j], v[2 * j + 1], 0x88),
                        _mm512_shuffle_i32x4(v[2 * j], v[2 * j + 1], 0xdd));
    return v[0];
}

/* Where of 32 elements, the last 16 of which begin at `second` of 0 to 16, one equals `best`, as
 * bits. */
TM_TARGET_AVX512 static inline uint32_t TREE(_places)(const char *p, int64_t second, __m512i best)
{
    const uint32_t low = SAME(_mm512_loadu_si512(p), best);
    const uint32_t high = SAME(_mm512_loadu_si512(p + second * 4), best);
    return low | high << second;
}

/* Where in a row of n >= 16 elements one equals `best`, the first time. */
TM_TARGET_AVX512 static inline PLACE TREE(_place_of)(const char *p, int64_t n, __m512i best)
{
    int64_t from = 0;
    uint32_t found = 0;
    for (; from + 32 < n && !found; from += 32)
        found = TREE(_places)(p + from * 4, 16, best);
    if (found)
        return (PLACE)(from - 32 + __builtin_ctz(found));
    from = n > 32 ? n - 32 : 0;
    return (PLACE)(from + __builtin_ctz(TREE(_places)(p + from * 4, n - 16 - from, best)));
}

/* The extremes of sixteen rows of n >= 16 elements; false: they may not be the first. */
TM_TARGET_AVX512 static inline bool TREE(_sixteen_rows)(const char *rows, int64_t x_step, int64_t n,
                                                        bool placed, IN *extreme)
{
    const int64_t ahead = tm_block_rows_ahead(n * 4, x_step), last = (n - 16) * 4;
    __m512i best[16];
    __mmask16 doubt = 0;
    for (int r = 0; r < 16; r++) {
        const char *p = rows + r * x_step;
        for (int64_t i = 0; i < n * 4;
             i += placed ? 128 : 64) /* the others, while places are found */
            __builtin_prefetch(p + i + ahead);
        const __m512i begin = _mm512_loadu_si512(p), end = _mm512_loadu_si512(p + last);
        doubt |= DOUBT(begin, end);
        best[r] = FAST(begin, end);
        for (int64_t i = 64; i < last; i += 64) {
            const __m512i v = _mm512_loadu_si512(p + i);
            doubt |= DOUBT(v, v);
            best[r] = FAST(best[r], v);
        }
    }
    const __m512i joint = TREE(_of_sixteen)(best);
    _mm512_storeu_si512(extreme, joint);
    return !doubt && (placed || !ZERO(joint));
}

/* The extremes of `tile` rows of n >= 16 elements, and unless `place` is NULL their indices. */
TM_TARGET_AVX512 static void TREE(_wide_rows)(const char *first, int64_t x_step, int64_t n,
                                              int tile, IN *extreme, PLACE *place)
{
    static const double none[2] = {0};
    const int64_t ahead = tm_block_rows_ahead(n * 4, x_step);
    for (int t = 0; t < tile; t += 16) {
        const char *rows = first + t * x_step;
        const int count = tile - t < 16 ? tile - t : 16;
        if (count < 16 || !TREE(_sixteen_rows)(rows, x_step, n, place, extreme + t)) {
            TREE(_rows)(rows, x_step, n, count, none, 1, extreme + t);
            if (place)
                TREE(_find_rows)(rows, x_step, n, count, extreme + t, place + t);
            continue;
        }
        for (int r = t; place && r < t + 16; r++) {
            const char *p = first + r * x_step;
            int32_t bits;
            for (int64_t i = 64; i < n * 4; i += 128)
                __builtin_prefetch(p + i + ahead);
            __builtin_memcpy(&bits, extreme + r, sizeof bits);
            place[r] = TREE(_place_of)(p, n, _mm512_set1_epi32(bits));
        }
    }
}
