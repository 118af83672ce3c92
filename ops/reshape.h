/* reshape.h: x's elements, row-major, in another shape: for ops that only reckon the shape. */
#ifndef TM_OPS_RESHAPE_H
#define TM_OPS_RESHAPE_H

#include <transmute/kernel.h>

/** Describes output 0: a view of x where strides allow it, else a copy. The shape has as many
 *  elements as x. For view-or-copy ops. */
tm_status tm_reshape_describe(tm_call *call, const tm_tensor *x, int64_t ndim,
                              const int64_t *shape);
/** The copy, of one example or of a batch, with x as operand 0 and out as operand 1. */
tm_status tm_reshape_copy(tm_call *call, const tm_batch *batch, const tm_tensor *x, tm_tensor *out);

#endif
