/* reading.h: for the checks that judge samples: elements in logical order, whatever the layout. */
#ifndef TM_OPS_SAMPLES_READING_H
#define TM_OPS_SAMPLES_READING_H

#include <math.h>

#include <transmute/tensor.h>

#include "law/elements.h"

/** The element at a flat logical index. */
static inline const char *element(const tm_tensor *x, int64_t flat)
{
    int64_t at = 0;
    for (int d = tm_ndim(x); d-- > 0; flat /= tm_shape(x)[d])
        at += flat % tm_shape(x)[d] * tm_strides(x)[d];
    return (const char *)tm_data(x) + at * (int64_t)tm_dtype_size(tm_dtype_of(x));
}

/** Its value (the real part of a complex number). */
static inline double value(const tm_tensor *x, int64_t flat)
{
    return tm_law_load(tm_dtype_of(x), element(x, flat));
}

/** Whether two numbers are equal, or as good as; NaN equals NaN. */
static inline bool close_to(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance;
}

#endif
