/* blocks.h: kernels that move blocks of x to their places in out, for one example or a whole batch.
 *
 * A block is one copy (dispatch/cast.h): the loops of the batch, if there is one, then what axes
 * the kernel adds, outermost first. Operand 0 is x and operand 1 is out. There is room for any
 * block that can be: more than TM_COPY_DIMS axes of two elements would be more than 2^48 elements.
 */
#ifndef TM_OPS_BLOCKS_H
#define TM_OPS_BLOCKS_H

#include "ops/steps.h"

#include <transmute/kernel.h>

typedef struct tm_block {
    int n; /**< how many axes there are so far */
    int64_t size[TM_COPY_DIMS];
    tm_copy_side to, from;
} tm_block;

/** Adds an axis; steps in bytes. One of a single element is left out. */
static inline void tm_block_axis(tm_block *b, int64_t size, int64_t to_step, int64_t from_step)
{
    if (size == 1)
        return;
    b->size[b->n] = size;
    b->to.step[b->n] = to_step;
    b->from.step[b->n++] = from_step;
}

/** The first elements of x and out and the loops of the batch (NULL: none). */
static inline void tm_block_begin(tm_block *b, const tm_batch *batch, const tm_tensor *x,
                                  tm_tensor *out)
{
    b->n = 0;
    b->from.base = (char *)(uintptr_t)tm_data(x);
    b->to.base = tm_mutable_data(out);
    b->from.dtype = b->to.dtype = tm_dtype_of(x);
    for (int l = 0; batch && l < batch->ndim; l++)
        tm_block_axis(b, batch->size[l], batch->step[2 * l + 1], batch->step[2 * l]);
}

static inline void tm_block_copy(const tm_block *b)
{
    tm_copy(b->n, b->size, &b->to, &b->from);
}

#endif
