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

#define TM_LEVEL_BODY "ops/reductions_extreme_level.h"
#include "ops/levels.h"

/* The extreme of each of `tile` columns of n >= 1 elements, and its row. */
TM_SIMD_PICK(, static void, TREE(_find_columns),
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

/* Where in each of `tile` rows of n >= 1 elements its extreme is, the first time. */
TM_SIMD_PICK(, static void, TREE(_find_rows),
             (const char *first, int64_t x_step, int64_t n, int tile, const IN *restrict extreme,
              PLACE *restrict place),
             (first, x_step, n, tile, extreme, place))

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
#undef TREE_W
#undef TREE_W2
#undef TREE_LANES
#undef TREE_FOLD
