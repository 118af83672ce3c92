/* reductions_extreme.h: the greatest or least element and its index, stamped out per element type.
 *
 *     NAME, IN      prefix of what is defined, element type
 *     PLACE         signed integer type of IN's size
 *     KEEPS(a, b)   whether a stays the extreme where b comes after it; true where a is NaN
 *     WIDE(a, b)    if given, the same choice for vectors of 512 bits, a NaN in its one form
 *     FAST, SAME, DOUBT, ZERO   with WIDE: reductions_extreme_rows.h
 *     OUT           if given, NAME_reduce finds the element; NAME_index always finds the index
 *
 * The index is found run by run. Down columns an element that beats those above brings its row
 * with it; along a row the extreme is found first, then its place. Places are counted within a run,
 * so that the narrowest integer holds one and vectors have as many of them as elements.
 */
#define ACC IN
#define LOAD(v) (v)
#define JOIN(a, b) CHOOSE(KEEPS(a, b), a, b)
#define TREE_GOES_ON
#include "ops/reductions_tree.h"
#undef TREE_GOES_ON

typedef PLACE TREE(_place) __attribute__((vector_size(8 * sizeof(PLACE))));
typedef PLACE TREE(_place4) __attribute__((vector_size(4 * sizeof(PLACE))));

/* a where the bits of c are set, elsewhere b. */
#define EXTREME_CHOOSE(type, c, a, b)                                                              \
    (type)(((TREE(_place))(a) & (TREE(_place))(c)) | ((TREE(_place))(b) & ~(TREE(_place))(c)))

/* The extreme of each of `tile` columns of n >= 1 elements, and its row. */
TM_INLINE void TREE(_find_columns_body)(const char *const *row, int64_t n, int tile,
                                        IN *restrict extreme, PLACE *restrict place)
{
    const int64_t item = (int64_t)sizeof(IN);
    if (tile < 8) {
        for (int t = 0; t < tile; t++) {
            IN best = *(const IN *)(const void *)(row[0] + t * item);
            place[t] = 0;
            for (int64_t i = 1; i < n; i++) {
                IN v = *(const IN *)(const void *)(row[i] + t * item);
                if (KEEPS(best, v))
                    continue;
                best = v;
                place[t] = (PLACE)i;
            }
            extreme[t] = best;
        }
        return;
    }
    const int strips = (tile + 7) / 8;
    TREE(_in) best[TM_TILE / 8];
    TREE(_place) at[TM_TILE / 8];
#define EXTREME_STRIP const int t = 8 * s + 8 <= tile ? 8 * s : tile - 8
    for (int s = 0; s < strips; s++) {
        EXTREME_STRIP;
        __builtin_memcpy(&best[s], row[0] + t * item, sizeof best[s]);
        at[s] = (TREE(_place)){0};
    }
    for (int64_t i = 1; i < n; i += 8) {
        const int64_t rows = n - i < 8 ? n - i : 8;
        for (int s = 0; s < strips; s++) {
            EXTREME_STRIP;
            TREE(_in) own = best[s], v;
            TREE(_place) mine = at[s], here = (TREE(_place)){0} + (PLACE)(i - 1);
            for (int64_t k = 0; k < rows; k++) {
                here += 1;
                __builtin_memcpy(&v, row[i + k] + t * item, sizeof v);
                const TREE(_place) keeps = (TREE(_place))KEEPS(own, v);
                own = EXTREME_CHOOSE(TREE(_in), keeps, own, v);
                mine = EXTREME_CHOOSE(TREE(_place), keeps, mine, here);
            }
            best[s] = own;
            at[s] = mine;
        }
    }
    for (int s = 0; s < strips; s++) {
        EXTREME_STRIP;
        __builtin_memcpy(extreme + t, &best[s], sizeof best[s]);
        __builtin_memcpy(place + t, &at[s], sizeof at[s]);
    }
#undef EXTREME_STRIP
}

/* Where in each of `tile` rows of n >= 1 elements its extreme is, the first time. */
TM_INLINE void TREE(_find_rows_body)(const char *first, int64_t x_step, int64_t n, int tile,
                                     const IN *restrict extreme, PLACE *restrict place)
{
    const int64_t item = (int64_t)sizeof(IN), whole = n - n % 8;
    const PLACE none = TM_RUN - 1;
    for (int t = 0; t < tile; t++) {
        const char *p = first + t * x_step;
        place[t] = none;
        for (int64_t i = n; i-- > whole;) {
            IN v = *(const IN *)(const void *)(p + i * item);
            if (KEEPS(v, extreme[t]))
                place[t] = (PLACE)i;
        }
    }
    if (n < 8)
        return;
    TREE(_place) lane[TM_ROWS];
    const TREE(_place) last = (TREE(_place)){0, 1, 2, 3, 4, 5, 6, 7} + (PLACE)(whole - 8);
    for (int t = 0; t < tile; t++) { /* backwards, so that the first place comes last */
        const char *p = first + t * x_step;
        const TREE(_in) best = (TREE(_in)){0} + extreme[t];
        TREE(_place) own = (TREE(_place)){0} + place[t], here = last;
        for (int64_t i = whole; i > 0; i -= 8) {
            TREE(_in) v;
            __builtin_memcpy(&v, p + (i - 8) * item, sizeof v);
            own = EXTREME_CHOOSE(TREE(_place), KEEPS(v, best), here, own);
            here -= 8;
        }
        lane[t] = own;
    }
    /* The least of the lanes, in four outputs at once. */
#define EXTREME_LEAST(a, b)                                                                        \
    do {                                                                                           \
        const TREE(_place4) c = (TREE(_place4))((a) < (b));                                        \
        a = ((a)&c) | ((b) & ~c);                                                                  \
    } while (0)
    int t = 0;
    for (; t + 4 <= tile; t += 4) {
        TREE(_place4) joint;
        TM_FOLD_EIGHT(TREE(_place4), lane + t, EXTREME_LEAST, joint);
        __builtin_memcpy(place + t, &joint, sizeof joint);
    }
#undef EXTREME_LEAST
    for (; t < tile; t++) {
        place[t] = none;
        for (int k = 0; k < 8; k++)
            place[t] = lane[t][k] < place[t] ? lane[t][k] : place[t];
    }
}

TM_SIMD_VERSIONS(TREE(_find_columns), TREE(_find_columns_body),
                 (const char *const *row, int64_t n, int tile, IN *restrict extreme,
                  PLACE *restrict place),
                 (row, n, tile, extreme, place))

#if defined(WIDE) && defined(TM_HAVE_TARGETS)
/* The same of at least 16 columns, `step` from row to row, in strips of 16, two of them at once;
 * the last overlap those before. */
TM_TARGET_AVX512 static void TREE(_find_wide)(const char *from, int64_t step, int64_t n, int tile,
                                              IN *restrict extreme, PLACE *restrict place)
{
    const int last = tile - 16;
    const int64_t ahead = tm_block_ahead(step, n, tile * 4);
    for (int t = 0; t < tile; t += 32) {
        const int one = t < last ? t : last, two = t + 16 < last ? t + 16 : last;
        const char *p = from + one * 4, *q = from + two * 4;
        __m512i v = _mm512_loadu_si512(p), v2 = _mm512_loadu_si512(q);
        __m512i own = WIDE(v, v), own2 = WIDE(v2, v2);
        __m512i mine = _mm512_setzero_si512(), mine2 = mine, here = mine;
        for (int64_t i = 1; i < n; i++) {
            p += step;
            q += step;
            here = _mm512_add_epi32(here, _mm512_set1_epi32(1));
            v = _mm512_loadu_si512(p);
            v2 = _mm512_loadu_si512(q);
            __builtin_prefetch(p + ahead);
            __builtin_prefetch(q + ahead);
            const __m512i joint = WIDE(own, v), joint2 = WIDE(own2, v2);
            mine = _mm512_mask_mov_epi32(mine, _mm512_cmpneq_epi32_mask(own, joint), here);
            mine2 = _mm512_mask_mov_epi32(mine2, _mm512_cmpneq_epi32_mask(own2, joint2), here);
            own = joint;
            own2 = joint2;
        }
        _mm512_storeu_si512(extreme + one, own);
        _mm512_storeu_si512(extreme + two, own2);
        _mm512_storeu_si512(place + one, mine);
        _mm512_storeu_si512(place + two, mine2);
    }
}
#endif

TM_SIMD_VERSIONS(TREE(_find_rows), TREE(_find_rows_body),
                 (const char *first, int64_t x_step, int64_t n, int tile,
                  const IN *restrict extreme, PLACE *restrict place),
                 (first, x_step, n, tile, extreme, place))
#undef EXTREME_CHOOSE

/* The extremes of a run, and their places in it. */
static inline void TREE(_find)(tm_block_run *run, int tile, IN *extreme, PLACE *place)
{
    static const double none[2] = {0};
#if defined(WIDE) && defined(TM_HAVE_TARGETS)
    if (tm_block_is_wide(run, tile)) {
        TREE(_find_wide)(run->first, run->row_step, run->n, tile, extreme, place);
        return;
    }
    if (tm_block_is_wide_rows(run, tile)) {
        TREE(_wide_rows)(run->first, run->x_step, run->n, tile, extreme, place);
        return;
    }
#endif
    if (run->columns) {
        TREE(_find_columns)(tm_block_rows(run), run->n, tile, extreme, place);
    } else {
        TREE(_rows)(run->first, run->x_step, run->n, tile, none, 1, extreme);
        TREE(_find_rows)(run->first, run->x_step, run->n, tile, extreme, place);
    }
}

static tm_status TREE(_index)(tm_call *call, const tm_reduce_args *args)
{
    (void)call;
    tm_block_walk walk;
    tm_block_init(&walk, args, (int64_t)sizeof(IN));
    for (int64_t o = 0; o < args->num; o += walk.tile) {
        _Alignas(16) char buffer[TM_RUN * TM_PACKED * sizeof(IN)];
        IN best[TM_TILE], extreme[TM_TILE];
        PLACE place[TM_TILE];
        int64_t index[TM_TILE];
        tm_block_run run;
        tm_block_begin(&walk, o);
        for (int64_t from = 0; from < args->count; from += TM_RUN) {
            int64_t left = args->count - from;
            tm_block_take(&walk, left < TM_RUN ? left : TM_RUN, buffer, &run);
            TREE(_find)(&run, walk.tile, extreme, place);
            if (from == 0) {
                memcpy(best, extreme, (size_t)walk.tile * sizeof(IN));
                for (int t = 0; t < walk.tile; t++)
                    index[t] = place[t];
                continue;
            }
            for (int t = 0; t < walk.tile; t++) {
                if (KEEPS(best[t], extreme[t]))
                    continue;
                best[t] = extreme[t];
                index[t] = from + place[t];
            }
        }
        char *out = args->out + o * args->out_step;
        if (args->out_step == (int64_t)sizeof *index)
            memcpy(out, index, (size_t)walk.tile * sizeof *index);
        else
            for (int t = 0; t < walk.tile; t++)
                *(int64_t *)(void *)(out + t * args->out_step) = index[t];
    }
    return TM_OK;
}

#undef JOIN
#undef LOAD
#undef OUT
#undef NAME
#undef IN
#undef PLACE
#undef ACC
#undef TREE
#undef TREE_NAME
#undef TREE_PASTE
#undef TREE_W
#undef TREE_W2
#undef TREE_LANES
#undef TREE_FOLD
