/* reductions_tree.h: the summation tree, stamped out for one kernel each time it is included.
 *
 *     NAME                prefix of what is defined
 *     IN, ACC             element type, and the type it is accumulated in
 *     LOAD(v)             an element v as an ACC; may use `with`, a const double *
 *     PER_OUTPUT          if given, `with` is one number for each output of a tile
 *     JOIN(a, b)          two ACCs into one, a earlier than b
 *     COMPARES            if given, JOIN chooses: then lanes become vectors only as a loop
 *     OUT, FINISH(v, n)   if given, NAME_reduce is a tm_reduce_fn: what n elements came to
 *
 * A block of up to 128 elements is joined in 8 lanes, element i in lane i % 8, the lanes by
 * halves, and what is left over in order; a longer one is cut in half, at a multiple of 8. So the
 * tree depends on the number of elements alone, rounding errors grow with its logarithm, and both
 * ways to go through memory, along a block or across 16 of them, vectorise and give the same bits.
 */
#define TREE_PASTE(a, b) a##b
#define TREE_NAME(a, b) TREE_PASTE(a, b)
#define TREE(suffix) TREE_NAME(NAME, suffix)
#define TREE_INLINE static inline __attribute__((always_inline))
#ifdef PER_OUTPUT
#define TREE_WITH(t) (with + (t))
#else
#define TREE_WITH(t) (with)
#endif

TREE_INLINE ACC TREE(_load)(const char *p, const double *with)
{
    IN v = *(const IN *)(const void *)p;
    (void)with;
    return LOAD(v);
}

TREE_INLINE ACC TREE(_join)(ACC a, ACC b)
{
    return JOIN(a, b);
}

/* n >= 1 elements of one block. */
TREE_INLINE ACC TREE(_along)(const char *p, int64_t step, int64_t n, const double *with)
{
    int64_t i = 1;
    ACC total;
    if (n < 8) {
        total = TREE(_load)(p, with);
    } else {
        ACC lane[8];
        for (int k = 0; k < 8; k++)
            lane[k] = TREE(_load)(p + k * step, with);
        for (i = 8; i + 8 <= n; i += 8) {
#ifdef COMPARES
#pragma GCC unroll 1
#endif
            for (int k = 0; k < 8; k++)
                lane[k] = TREE(_join)(lane[k], TREE(_load)(p + (i + k) * step, with));
        }
        for (int width = 4; width > 0; width /= 2)
            for (int k = 0; k < width; k++)
                lane[k] = TREE(_join)(lane[k], lane[k + width]);
        total = lane[0];
    }
    for (; i < n; i++)
        total = TREE(_join)(total, TREE(_load)(p + i * step, with));
    return total;
}

/* The same for `tile` blocks side by side. */
TREE_INLINE void TREE(_across)(const char *const *row, int64_t n, int64_t x_step, int tile,
                               const double *with, ACC *total)
{
    int64_t i = 1;
    if (n < 8) {
        for (int t = 0; t < tile; t++)
            total[t] = TREE(_load)(row[0] + t * x_step, TREE_WITH(t));
    } else {
        ACC lane[8][TM_TILE];
        for (int k = 0; k < 8; k++)
            for (int t = 0; t < tile; t++)
                lane[k][t] = TREE(_load)(row[k] + t * x_step, TREE_WITH(t));
        for (i = 8; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++)
                for (int t = 0; t < tile; t++)
                    lane[k][t] =
                        TREE(_join)(lane[k][t], TREE(_load)(row[i + k] + t * x_step, TREE_WITH(t)));
        for (int width = 4; width > 0; width /= 2)
            for (int k = 0; k < width; k++)
                for (int t = 0; t < tile; t++)
                    lane[k][t] = TREE(_join)(lane[k][t], lane[k + width][t]);
        for (int t = 0; t < tile; t++)
            total[t] = lane[0][t];
    }
    for (; i < n; i++)
        for (int t = 0; t < tile; t++)
            total[t] = TREE(_join)(total[t], TREE(_load)(row[i] + t * x_step, TREE_WITH(t)));
}

/* One run of a tile. The cases differ in nothing but what the compiler knows of the steps. */
static void TREE(_run)(const tm_block_walk *walk, const tm_block_run *run, const double *with,
                       ACC *total)
{
    const int64_t item = (int64_t)sizeof(IN), x_step = walk->args->x_step;
    if (walk->tile == 1)
        *total = run->step == item ? TREE(_along)(run->first, item, run->n, with)
                                   : TREE(_along)(run->first, run->step, run->n, with);
    else if (walk->tile == TM_TILE && x_step == item)
        TREE(_across)(run->row, run->n, item, TM_TILE, with, total);
    else if (walk->tile == TM_TILE)
        TREE(_across)(run->row, run->n, x_step, TM_TILE, with, total);
    else
        TREE(_across)(run->row, run->n, x_step, walk->tile, with, total);
}

static inline void TREE(_leaf)(tm_block_walk *walk, int64_t n, const double *with, ACC *total)
{
    IN buffer[TM_RUN];
    tm_block_run run;
    tm_block_take(walk, n, (int64_t)sizeof(IN), (char *)buffer, &run);
    TREE(_run)(walk, &run, with, total);
}

/* The next n >= 1 elements of each block of the tile. */
static inline void TREE(_fold)(tm_block_walk *walk, int64_t n, const double *with, ACC *total)
{
    if (n <= TM_RUN) {
        TREE(_leaf)(walk, n, with, total);
        return;
    }
    ACC right[TM_TILE];
    int64_t half = n / 2 - n / 2 % 8;
    TREE(_fold)(walk, half, with, total);
    TREE(_fold)(walk, n - half, with, right);
    for (int t = 0; t < walk->tile; t++)
        total[t] = TREE(_join)(total[t], right[t]);
}

#ifdef OUT
static tm_status TREE(_reduce)(tm_call *call, const tm_reduce_args *args)
{
    (void)call;
    ACC total[TM_TILE] = {0}; /* what no elements come to */
    int64_t tile = tm_tile_size(args);
    for (int64_t o = 0; o < args->num; o += tile) {
        int now = (int)(args->num - o < tile ? args->num - o : tile);
        tm_block_walk walk;
        tm_block_begin(&walk, args, o, now);
        if (args->count > 0)
            TREE(_fold)(&walk, args->count, NULL, total);
        for (int t = 0; t < now; t++) {
            ACC v = total[t];
            *(OUT *)(void *)(args->out + (o + t) * args->out_step) = FINISH(v, args->count);
        }
    }
    return TM_OK;
}
#endif

#ifndef TREE_GOES_ON /* with more functions for the same type, which undefine these themselves */
#undef OUT
#undef NAME
#undef IN
#undef ACC
#undef TREE
#undef TREE_NAME
#undef TREE_PASTE
#undef TREE_WITH
#undef TREE_INLINE
#endif
