/* reduction_loops.h: the loops around a reduction's kernel, and the reduced dimensions it is given.
 *
 * Kept dimensions and levels are the loops, in the order of memory, whatever dimension a batch lies
 * in, or in the order of examples. Where the innermost loop's outputs lie far apart, and those of
 * another loop close together, a panel of both loops' outputs is made side by side and then
 * transposed into its place.
 */
#ifndef TM_DISPATCH_REDUCTION_LOOPS_H
#define TM_DISPATCH_REDUCTION_LOOPS_H

#include "plan.h"

/** `rows` times `columns` outputs of two loops, the last of them the innermost. Columns are at most
 *  `most_columns` at once, rows `most_rows`; without a panel that is 0. */
typedef struct tm_panel {
    int64_t rows, columns, most_rows, most_columns;
    int64_t row_step[2], column_step[2]; /**< x, out */
    int row_loop;
    int64_t item;
    size_t at; /**< where in the workspace, behind the kernel's own */
} tm_panel;

typedef struct tm_reduction {
    tm_plan *plan;
    tm_reduce_fn fn;
    char *base[2];
    int loops;
    int64_t size[TM_MAX_LOOPS + 1], step[2 * (TM_MAX_LOOPS + 1)]; /**< x, out */
    int reduced;
    int64_t red_size[TM_MAX_NDIM], red_step[TM_MAX_NDIM];
    int64_t count; /**< elements under one output */
    tm_panel panel;
    bool converts;
    int64_t tile;        /**< outputs converted at once */
    size_t converted_at; /**< where in the workspace, behind the kernel's own */
} tm_reduction;

/** Sets loops and reduced dimensions, in the order of examples or `by_memory`; there are no levels
 *  without a plan. False where there is no output element. */
bool tm_reduction_loops(tm_reduction *r, const tm_call *call, const tm_tensor *x,
                        const tm_tensor *out, bool by_memory);
/** Chooses a panel, of outputs of `item` bytes, if there is to be one: the loops over both its
 *  dimensions then go by blocks. */
void tm_reduction_panel(tm_reduction *r, int64_t item, int num_threads);

#endif
