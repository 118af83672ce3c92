/* steps.h: the bytes from one element to the next, and elements as a row-major buffer. */
#ifndef TM_OPS_STEPS_H
#define TM_OPS_STEPS_H

#include "dispatch/cast.h"

#include <transmute/tensor.h>

/** Bytes along an axis; 0 where there is no next element: the stride may be any number then. */
static inline int64_t tm_axis_step(const tm_tensor *x, int axis)
{
    return tm_shape(x)[axis] > 1 ? tm_strides(x)[axis] * (int64_t)tm_dtype_size(tm_dtype_of(x)) : 0;
}

/** Copies x, whose first element is at `data`, to a row-major buffer of elements of `dtype`; or,
 * the other way, from it. */
static inline void tm_copy_row_major(const tm_tensor *x, const void *data, tm_dtype dtype,
                                     void *buffer, bool to_buffer)
{
    tm_copy_side own = {.base = (char *)(uintptr_t)data, .dtype = tm_dtype_of(x)};
    tm_copy_side row_major = {.base = buffer, .dtype = dtype};
    int64_t step = (int64_t)tm_dtype_size(dtype);
    for (int d = tm_ndim(x); d-- > 0; step *= tm_shape(x)[d]) {
        own.step[d] = tm_axis_step(x, d);
        row_major.step[d] = step;
    }
    tm_copy(tm_ndim(x), tm_shape(x), to_buffer ? &row_major : &own, to_buffer ? &own : &row_major);
}

#endif
