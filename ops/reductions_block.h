/* reductions_block.h: walking a reduced block in logical order.
 *
 * A kernel's outputs are taken in tiles: one at a time where a block's own elements are the closer
 * ones in memory, TM_TILE at a time where those of neighbouring outputs are (a sum down the columns
 * of a row-major matrix) or blocks are small, so that either way memory is read along its lines.
 * The order of elements within a block never depends on that.
 */
#ifndef TM_OPS_REDUCTIONS_BLOCK_H
#define TM_OPS_REDUCTIONS_BLOCK_H

#include <transmute/kernel.h>

enum {
    TM_TILE = 16, /**< most outputs in a tile */
    TM_RUN = 128, /**< most elements of a block that are taken at once */
    TM_SMALL = 16 /**< blocks too small to be worth taking one by one */
};

/** A place in the blocks of one tile of outputs. */
typedef struct tm_block_walk {
    const tm_reduce_args *args;
    const char *at; /**< the next element of the tile's first output */
    int tile;       /**< how many outputs, x_step apart */
    int64_t index[TM_MAX_NDIM];
} tm_block_walk;

/** The next n elements: element i of the tile's output t lies at row[i] + t * x_step, or, where
 *  `row` is not used (a tile of one), at first + i * step. */
typedef struct tm_block_run {
    int64_t n, step;
    const char *first;
    const char *row[TM_RUN];
} tm_block_run;

/** How many outputs a tile should have. */
static inline int tm_tile_size(const tm_reduce_args *args)
{
    if (args->num == 1 || args->ndim == 0)
        return 1;
    if (args->count <= TM_SMALL)
        return TM_TILE;
    int64_t across = args->x_step, along = args->step[args->ndim - 1];
    return (across < 0 ? -across : across) < (along < 0 ? -along : along) ? TM_TILE : 1;
}

static inline void tm_block_begin(tm_block_walk *walk, const tm_reduce_args *args, int64_t output,
                                  int tile)
{
    walk->args = args;
    walk->at = args->x + output * args->x_step;
    walk->tile = tile;
    for (int d = 0; d < args->ndim; d++)
        walk->index[d] = 0;
}

/* Steps over k elements that lie along the innermost dimension. */
static inline void tm_block_advance(tm_block_walk *walk, int64_t k)
{
    const tm_reduce_args *args = walk->args;
    int d = args->ndim - 1;
    walk->at += k * args->step[d];
    walk->index[d] += k;
    while (d > 0 && walk->index[d] == args->size[d]) {
        walk->at += args->step[d - 1] - args->size[d] * args->step[d];
        walk->index[d--] = 0;
        walk->index[d]++;
    }
}

/** tm_block_take where the elements do not lie along one dimension, or in a tile of several. */
void tm_block_gather(tm_block_walk *walk, int64_t n, int64_t item, char *buffer, tm_block_run *run);

/** Takes the next n elements, at most TM_RUN. `item`, `buffer` (room for n elements): where they
 *  lie at unequal steps, a tile of one has them gathered there. */
static inline void tm_block_take(tm_block_walk *walk, int64_t n, int64_t item, char *buffer,
                                 tm_block_run *run)
{
    const tm_reduce_args *args = walk->args;
    int inner = args->ndim - 1;
    run->n = n;
    run->first = walk->at;
    run->step = item;
    if (inner < 0) /* one element */
        return;
    if (walk->tile > 1 || n > args->size[inner] - walk->index[inner]) {
        tm_block_gather(walk, n, item, buffer, run);
        return;
    }
    run->step = args->step[inner];
    tm_block_advance(walk, n);
}

#endif
