/* reductions_extreme.h: the greatest or least element and its index, stamped out per element type.
 *
 *     NAME, IN      prefix of what is defined, element type
 *     KEEPS(a, b)   whether a stays the extreme where b comes after it; true where a is NaN
 *     OUT           if given, NAME_reduce finds the element; NAME_index always finds the index
 *
 * The index is found in two steps: the extreme of a run of elements, which vectorises, and, only
 * where it beats all before, its place in the run.
 */
#define ACC IN
#define LOAD(v) (v)
#define JOIN(a, b) (KEEPS(a, b) ? (a) : (b))
#define COMPARES
#define TREE_GOES_ON
#include "ops/reductions_tree.h"
#undef TREE_GOES_ON

/* Where in a run output t's extreme is, the first time. */
static int64_t TREE(_place)(const tm_block_walk *walk, const tm_block_run *run, int t, IN extreme)
{
    int64_t i = 0;
    for (; i + 1 < run->n; i++) {
        const char *p =
            walk->tile == 1 ? run->first + i * run->step : run->row[i] + t * walk->args->x_step;
        IN v = *(const IN *)(const void *)p;
        if (KEEPS(v, extreme))
            break;
    }
    return i;
}

static tm_status TREE(_index)(tm_call *call, const tm_reduce_args *args)
{
    (void)call;
    int64_t tile = tm_tile_size(args);
    for (int64_t o = 0; o < args->num; o += tile) {
        IN best[TM_TILE], extreme[TM_TILE], buffer[TM_RUN];
        int64_t index[TM_TILE];
        int now = (int)(args->num - o < tile ? args->num - o : tile);
        tm_block_walk walk;
        tm_block_run run;
        tm_block_begin(&walk, args, o, now);
        for (int64_t from = 0; from < args->count; from += TM_RUN) {
            int64_t left = args->count - from;
            tm_block_take(&walk, left < TM_RUN ? left : TM_RUN, (int64_t)sizeof(IN), (char *)buffer,
                          &run);
            TREE(_run)(&walk, &run, NULL, extreme);
            for (int t = 0; t < now; t++) {
                if (from > 0 && KEEPS(best[t], extreme[t]))
                    continue;
                best[t] = extreme[t];
                index[t] = from + TREE(_place)(&walk, &run, t, extreme[t]);
            }
        }
        for (int t = 0; t < now; t++)
            *(int64_t *)(void *)(args->out + (o + t) * args->out_step) = index[t];
    }
    return TM_OK;
}

#undef COMPARES
#undef JOIN
#undef LOAD
#undef OUT
#undef NAME
#undef IN
#undef ACC
#undef TREE
#undef TREE_NAME
#undef TREE_PASTE
#undef TREE_WITH
#undef TREE_INLINE
