/* reductions_block.h: walking a reduced block in logical order.
 *
 * A kernel's outputs are taken in tiles, and each tile's blocks in runs of at most TM_RUN elements,
 * so that memory is read along its lines and vectors are filled: along the blocks' own elements
 * where these lie side by side (rows), across the outputs where those do (columns: a sum down the
 * columns of a row-major matrix). What lies neither way is packed first. The order of elements
 * within a block never depends on that.
 */
#ifndef TM_OPS_REDUCTIONS_BLOCK_H
#define TM_OPS_REDUCTIONS_BLOCK_H

#include <math.h>

#include <transmute/kernel.h>

#include "ops/halves.h"
#include "ops/simd.h"

enum {
    TM_TILE = 256,  /**< most outputs in a tile */
    TM_ROWS = 64,   /**< most of them in a tile of rows */
    TM_PACKED = 16, /**< most of them in a tile that is packed */
    TM_RUN = 128,   /**< most elements of a block that are taken at once */
    TM_AHEAD = 256, /**< bytes: so few that what is asked for stays in the cache until it is read */
    TM_ROWS_AHEAD = 4096, /**< bytes, of rows: some hundred cycles, more than a fold takes */
    TM_PARTS = 16         /**< runs of one long row that are taken at once */
};

typedef enum tm_layout {
    TM_LAYOUT_COLUMNS, /**< outputs' elements side by side */
    TM_LAYOUT_ROWS,    /**< a block's elements side by side */
    TM_LAYOUT_PACKED_COLUMNS,
    TM_LAYOUT_PACKED_ROW
} tm_layout;

/** A place in the blocks of one tile of outputs. */
typedef struct tm_block_walk {
    const tm_reduce_args *args;
    const char *at; /**< the next element of the tile's first output */
    tm_layout layout;
    int64_t item; /**< bytes of an element */
    int64_t most; /**< outputs in a tile, if there are as many */
    int tile;     /**< outputs in this one, x_step apart */
    int64_t index[TM_MAX_NDIM];
} tm_block_walk;

/** The next n elements: as rows, element i of the tile's output t at first + t * x_step + i * item;
 *  as columns, at row[i] + t * item, or where `even` at first + i * row_step + t * item. */
typedef struct tm_block_run {
    bool columns, even;
    int64_t n, x_step, row_step;
    const char *first;
    const char *row[TM_RUN]; /* where even, after tm_block_rows alone */
} tm_block_run;

/** Chooses a layout; tm_block_begin follows. */
static inline void tm_block_init(tm_block_walk *walk, const tm_reduce_args *args, int64_t item)
{
    int inner = args->ndim - 1;
    bool rows = inner >= 0 && args->step[inner] == item;
    walk->args = args;
    walk->item = item;
    if (args->num > 1 && args->x_step == item) {
        walk->layout = TM_LAYOUT_COLUMNS;
        walk->most = args->count <= 32 ? TM_TILE : TM_TILE / 4; /* what a core holds close by */
    } else if (inner == 0 && rows) {
        walk->layout = TM_LAYOUT_ROWS;
        walk->most = args->count <= TM_RUN ? TM_ROWS : args->count < 4 * TM_RUN ? TM_PACKED : 1;
    } else if (inner >= 0 && (args->num == 1 || (rows && args->size[inner] > TM_PACKED))) {
        walk->layout = TM_LAYOUT_PACKED_ROW;
        walk->most = 1;
    } else {
        walk->layout = TM_LAYOUT_PACKED_COLUMNS;
        walk->most = TM_PACKED;
    }
}

/** To the first element of a tile: outputs from `output` on, `most` or what is left. */
static inline void tm_block_begin(tm_block_walk *walk, int64_t output)
{
    const tm_reduce_args *args = walk->args;
    int64_t left = args->num - output;
    walk->at = args->x + output * args->x_step;
    walk->tile = (int)(left < walk->most ? left : walk->most);
    for (int d = 0; d < args->ndim; d++)
        walk->index[d] = 0;
}

/** Whether the tile's n elements from here on are one row of memory, so that several runs of it can
 *  be taken at once. */
static inline bool tm_block_is_row(const tm_block_walk *walk)
{
    return walk->layout == TM_LAYOUT_ROWS && walk->tile == 1;
}

/** tm_block_take for what is not the common case. `buffer`: TM_RUN * TM_PACKED elements. */
void tm_block_collect(tm_block_walk *walk, int64_t n, char *buffer, tm_block_run *run);

/** Takes the next n elements, at most TM_RUN. */
static inline void tm_block_take(tm_block_walk *walk, int64_t n, char *buffer, tm_block_run *run)
{
    const tm_reduce_args *args = walk->args;
    run->n = n;
    run->columns = walk->layout == TM_LAYOUT_COLUMNS;
    if (walk->layout == TM_LAYOUT_ROWS) {
        run->first = walk->at;
        run->x_step = args->x_step;
        walk->at += n * walk->item;
    } else if (run->columns && args->ndim == 1) {
        run->even = true;
        run->first = walk->at;
        run->row_step = args->step[0];
        walk->at += n * run->row_step;
    } else {
        tm_block_collect(walk, n, buffer, run);
    }
}

/** Whether columns of 4 bytes are for vectors of 512 bits. */
static inline bool tm_block_is_wide(const tm_block_run *run, int tile)
{
    return run->columns && run->even && tile >= 16 && tm_simd_level() == TM_SIMD_AVX512;
}

/** The same of rows, which are joined sixteen at a time. */
static inline bool tm_block_is_wide_rows(const tm_block_run *run, int tile)
{
    return !run->columns && run->n >= 16 && tile >= 16 && tm_simd_level() == TM_SIMD_AVX512;
}

/** How far behind the place where a tile of columns is read, `width` bytes of each of n rows, lines
 *  are asked for, which are not met in an order that the processor foresees: a little way along
 *  each row, or where the tile is a run of memory what lies behind the next such run. */
static inline int64_t tm_block_ahead(int64_t row_step, int64_t n, int64_t width)
{
    return row_step == width ? 2 * n * width : TM_AHEAD;
}

/** How far behind a row of `bytes` > 0 bytes the row lies that is asked for while it is read. While
 *  the lanes of a tile of rows are folded nothing would be on its way from memory. */
static inline int64_t tm_block_rows_ahead(int64_t bytes, int64_t x_step)
{
    return (TM_ROWS_AHEAD + bytes - 1) / bytes * x_step;
}

/** The rows' places, for code that takes them one by one. */
static inline const char *const *tm_block_rows(tm_block_run *run)
{
    if (run->even)
        for (int64_t i = 0; i < run->n; i++)
            run->row[i] = run->first + i * run->row_step;
    return run->row;
}

#endif
