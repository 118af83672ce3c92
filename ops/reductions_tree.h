/* reductions_tree.h: the summation tree, stamped out for one kernel each time it is included.
 *
 *     NAME                prefix of what is defined
 *     IN, ACC             element type, and the type it is accumulated in
 *     LOAD(v)             an element v as an ACC; may use the doubles `w` and `w2`
 *     PER_OUTPUT          if given, `w` is another number for each output of a tile
 *     JOIN(a, b)          two ACCs into one, a earlier than b (both in words of reductions_lanes.h)
 *     WIDE(a, b)          if given, JOIN of vectors of 512 bits; IN is ACC, of 4 bytes, LOAD(v) v
 *     FAST                with WIDE, if given: reductions_extreme_rows.h
 *     PLAIN               if given, compiled without vectors
 *     OUT, FINISH(v, n)   if given, NAME_reduce is a tm_reduce_fn: what n elements came to
 *
 * A block of up to 128 elements is joined in 8 lanes, element i in lane i % 8, the lanes by
 * halves, and what is left over in order; a longer one is cut at the largest 128 * 2^k below its
 * length. So the tree depends on the number of elements alone, rounding errors grow with its
 * logarithm, and both ways to go through memory, along a block or across many of them, vectorise
 * and give the same bits.
 */
#include "ops/simd.h"

#define TREE(suffix) TM_JOINED(NAME, suffix)
#ifdef PER_OUTPUT
#define TREE_W(t) with[(t)*each]
#define TREE_W2 0
#else
#define TREE_W(t) with[0]
#define TREE_W2 with[1]
#endif
#define TREE_LANES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
/* Eight lanes by halves into lane 0: join(a, b) makes a of both. */
#define TREE_FOLD(join, lane)                                                                      \
    do {                                                                                           \
        join(lane##0, lane##4);                                                                    \
        join(lane##2, lane##6);                                                                    \
        join(lane##0, lane##2);                                                                    \
        join(lane##1, lane##5);                                                                    \
        join(lane##3, lane##7);                                                                    \
        join(lane##1, lane##3);                                                                    \
        join(lane##0, lane##1);                                                                    \
    } while (0)

#include <assert.h>

#include "ops/reductions_lanes.h"
#if defined(WIDE) && defined(TM_HAVE_TARGETS)
#include "ops/reductions_wide.h"
#ifdef FAST
#include "ops/reductions_extreme_rows.h"
#endif
#endif

/* The next n elements, at most TM_RUN, of each block of the tile. */
static inline void TREE(_run)(tm_block_run *run, int tile, const double *with, ACC *total)
{
#if defined(WIDE) && defined(TM_HAVE_TARGETS)
    if (tm_block_is_wide(run, tile)) {
        TREE(_wide)(run->first, run->row_step, run->n, tile, total);
        return;
    }
#ifdef FAST
    if (tm_block_is_wide_rows(run, tile)) {
        TREE(_wide_rows)(run->first, run->x_step, run->n, tile, total, NULL);
        return;
    }
#endif
#endif
    if (run->columns)
        TREE(_columns)(tm_block_rows(run), run->n, tile, with, total);
    else
        TREE(_rows)(run->first, run->x_step, run->n, tile, with, 1, total);
}

/* The next n elements, at most TM_PARTS runs, of a row. */
static ACC TREE(_parts)(tm_block_walk *walk, int64_t n, const double *with)
{
    const int64_t item = (int64_t)sizeof(IN);
    ACC part[TM_PARTS + 1];
    int parts = (int)(n / TM_RUN);
    assert(parts >= 1 && parts <= TM_PARTS);
    TREE(_rows)(walk->at, TM_RUN * item, TM_RUN, parts, with, 0, part);
    if (n % TM_RUN) {
        TREE(_rows)(walk->at + parts * TM_RUN * item, 0, n % TM_RUN, 1, with, 0, part + parts);
        parts++;
    }
    walk->at += n * item;
    for (int width = 1; width < parts; width *= 2)
        for (int j = 0; j + width < parts; j += 2 * width)
            part[j] = TREE(_join)(part[j], part[j + width]);
    return part[0];
}

/* The next n >= 1 elements of each block of the tile. */
static void TREE(_fold)(tm_block_walk *walk, int64_t n, const double *with, ACC *total)
{
    if (n <= TM_RUN) {
        _Alignas(16) char buffer[TM_RUN * TM_PACKED * sizeof(IN)];
        tm_block_run run;
        tm_block_take(walk, n, buffer, &run);
        TREE(_run)(&run, walk->tile, with, total);
        return;
    }
    if (n <= TM_RUN * TM_PARTS && tm_block_is_row(walk)) {
        assert(walk->tile == 1);
        *total = TREE(_parts)(walk, n, with);
        return;
    }
    ACC right[TM_TILE];
    int64_t half = TM_RUN;
    while (2 * half < n)
        half *= 2;
    TREE(_fold)(walk, half, with, total);
    TREE(_fold)(walk, n - half, with, right);
    for (int t = 0; t < walk->tile; t++)            /* a fold leaves the tile as it is */
        total[t] = TREE(_join)(total[t], right[t]); /* NOLINT(clang-analyzer-core.CallAndMessage) */
}

#ifdef OUT
TM_INLINE void TREE(_finish_body)(const ACC *restrict total, OUT *restrict out, int num,
                                  int64_t count)
{
    (void)count;
    for (int t = 0; t < num; t++)
        out[t] = FINISH(total[t], count);
}
TM_SIMD_VERSIONS(TREE(_finish), TREE(_finish_body),
                 (const ACC *restrict total, OUT *restrict out, int num, int64_t count),
                 (total, out, num, count))

static tm_status TREE(_reduce)(tm_call *call, const tm_reduce_args *args)
{
    static const double none[2] = {0};
    const int64_t item = (int64_t)sizeof(OUT);
    ACC total[TM_TILE];
    tm_block_walk walk;
    (void)call;
    tm_block_init(&walk, args, (int64_t)sizeof(IN));
    for (int64_t o = 0; o < args->num; o += walk.tile) {
        tm_block_begin(&walk, o);
        if (args->count > 0)
            TREE(_fold)(&walk, args->count, none, total);
        else
            __builtin_memset(total, 0, sizeof total); /* what no elements come to */
        char *out = args->out + o * args->out_step;
        if (args->out_step == item)
            TREE(_finish)(total, (OUT *)(void *)out, walk.tile, args->count);
        else
            for (int t = 0; t < walk.tile; t++)
                *(OUT *)(void *)(out + t * args->out_step) = FINISH(total[t], args->count);
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
#undef TREE_W
#undef TREE_W2
#undef TREE_LANES
#undef TREE_FOLD
#endif
