/* creation.h: what the files that make tensors of numbers share. */
#ifndef TM_OPS_CREATION_H
#define TM_OPS_CREATION_H

#include <transmute/kernel.h>

/** The dtype where none is given. */
static inline tm_dtype tm_or_default(tm_dtype dtype, tm_dtype fallback)
{
    return dtype == TM_DTYPE_NONE ? fallback : dtype;
}

/** Zeros in every element, whatever the dtype. */
void tm_zero_fill(tm_tensor *out);

/** TM_ERR_VALUE for a number that is inf or nan in any part; TM_ERR_DTYPE for a bool, and for a
 *  complex number where `real`. */
tm_status tm_check_finite(tm_call *call, const char *argument, tm_scalar value, bool real);

#endif
