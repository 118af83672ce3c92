/* roll.h: elements moved on along axes, the last ones to the front. */
#ifndef TM_OPS_ROLL_H
#define TM_OPS_ROLL_H

#include <transmute/kernel.h>

/** How far along each axis: 0 <= shift[d] < size, 0 where the axis is empty. */
typedef struct tm_roll_by {
    int64_t shift[TM_MAX_NDIM];
    bool carry; /**< elements beyond the end of an axis go on to the next index of the one before */
} tm_roll_by;

/** Of one example or a batch, with x as operand 0 and out as operand 1. */
void tm_roll_blocks(const tm_batch *batch, const tm_tensor *x, tm_tensor *out,
                    const tm_roll_by *by);

/** A shift by any number as one in 0..size-1. */
static inline int64_t tm_roll_shift(int64_t shift, int64_t size)
{
    if (size == 0)
        return 0;
    return shift % size < 0 ? shift % size + size : shift % size;
}

#endif
