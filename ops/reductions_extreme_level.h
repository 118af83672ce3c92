/* reductions_extreme_level.h: the places of extremes at one level of vector instructions; included
 * by reductions_extreme.h (levels.h).
 */
#include "ops/reductions_width.h"

typedef PLACE TREE_LEVEL(_places) __attribute__((vector_size(WIDTH * sizeof(PLACE))));

/* a where the bits of c are set, elsewhere b. */
#define EXTREME_CHOOSE(type, c, a, b)                                                              \
    (type)(((TREE_LEVEL(_places))(a) & (TREE_LEVEL(_places))(c)) |                                 \
           ((TREE_LEVEL(_places))(b) & ~(TREE_LEVEL(_places))(c)))

TARGET static void TREE_LEVEL(_find_columns)(const char *const *row, int64_t n, int tile,
                                             IN *restrict extreme, PLACE *restrict place)
{
    const int64_t item = (int64_t)sizeof(IN);
    if (tile < WIDTH) {
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
    const int strips = (tile + WIDTH - 1) / WIDTH;
    TREE_LEVEL(_in) best[TM_TILE / WIDTH];
    TREE_LEVEL(_places) at[TM_TILE / WIDTH];
#define EXTREME_STRIP const int t = WIDTH * s + WIDTH <= tile ? WIDTH * s : tile - WIDTH
    for (int s = 0; s < strips; s++) {
        EXTREME_STRIP;
        __builtin_memcpy(&best[s], row[0] + t * item, sizeof best[s]);
        at[s] = (TREE_LEVEL(_places)){0};
    }
    for (int64_t i = 1; i < n; i += 8) {
        const int64_t rows = n - i < 8 ? n - i : 8;
        for (int s = 0; s < strips; s++) {
            EXTREME_STRIP;
            TREE_LEVEL(_in) own = best[s], v;
            TREE_LEVEL(_places) mine = at[s], here = (TREE_LEVEL(_places)){0} + (PLACE)(i - 1);
            for (int64_t k = 0; k < rows; k++) {
                here += 1;
                __builtin_memcpy(&v, row[i + k] + t * item, sizeof v);
                const TREE_LEVEL(_places) keeps = (TREE_LEVEL(_places))KEEPS(own, v);
                own = EXTREME_CHOOSE(TREE_LEVEL(_in), keeps, own, v);
                mine = EXTREME_CHOOSE(TREE_LEVEL(_places), keeps, mine, here);
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

TARGET static void TREE_LEVEL(_find_rows)(const char *first, int64_t x_step, int64_t n, int tile,
                                          const IN *restrict extreme, PLACE *restrict place)
{
    const int64_t item = (int64_t)sizeof(IN), whole = n - n % WIDTH;
    const PLACE none = TM_RUN - 1;
    TREE_LEVEL(_places) lane[TM_ROWS], last = {0};
    for (int k = 0; k < WIDTH; k++)
        last[k] = (PLACE)(whole - WIDTH + k);
    for (int t = 0; t < tile; t++) { /* backwards, so that the first place comes last */
        const char *p = first + t * x_step;
        const TREE_LEVEL(_in) best = (TREE_LEVEL(_in)){0} + extreme[t];
        PLACE rest = none;
        for (int64_t i = n; i-- > whole;) {
            IN v = *(const IN *)(const void *)(p + i * item);
            if (KEEPS(v, extreme[t]))
                rest = (PLACE)i;
        }
        TREE_LEVEL(_places) own = (TREE_LEVEL(_places)){0} + rest, here = last;
        for (int64_t i = whole; i > 0; i -= WIDTH) {
            TREE_LEVEL(_in) v;
            __builtin_memcpy(&v, p + (i - WIDTH) * item, sizeof v);
            own = EXTREME_CHOOSE(TREE_LEVEL(_places), KEEPS(v, best), here, own);
            here -= WIDTH;
        }
        lane[t] = own;
    }
    /* The least of the lanes, in eight outputs at once. */
#define EXTREME_LEAST(a, b)                                                                        \
    do {                                                                                           \
        const TREE_LEVEL(_places) c = (TREE_LEVEL(_places))(*(a) < *(b));                          \
        *(a) = (*(a)&c) | (*(b) & ~c);                                                             \
    } while (0)
    int t = 0;
    for (; t + 8 <= tile; t += 8) {
        HALVE_EIGHT(lane + t, EXTREME_LEAST)
        __builtin_memcpy(place + t, lane + t, 8 * sizeof *place);
    }
#undef EXTREME_LEAST
    for (; t < tile; t++) {
        place[t] = none;
        for (int k = 0; k < WIDTH; k++)
            place[t] = lane[t][k] < place[t] ? lane[t][k] : place[t];
    }
}
#undef EXTREME_CHOOSE
