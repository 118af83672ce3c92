/* numeric.h: which dtypes a function takes, and which it computes in. */
#ifndef TM_OPS_NUMERIC_H
#define TM_OPS_NUMERIC_H

#include <transmute/kernel.h>
#include <transmute/ops.h>

/** float32 for 16-bit floats, which are converted a block at a time; every other dtype itself. */
static inline tm_dtype tm_computed_in(tm_dtype dtype)
{
    return dtype == TM_FLOAT16 || dtype == TM_BFLOAT16 ? TM_FLOAT32 : dtype;
}

/** TM_ERR_DTYPE unless x is of a numeric dtype, any but bool. */
static inline tm_status tm_check_numeric(tm_call *call, const char *argument, const tm_tensor *x)
{
    if (tm_dtype_of(x) != TM_BOOL)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_DTYPE, argument, "%s must have a numeric dtype, got bool",
                       argument);
}

/** x itself, or converted to the dtype that it is computed in; for composites. NULL on failure. */
static inline tm_tensor *tm_widened(const tm_tensor *x)
{
    tm_dtype dtype = tm_computed_in(tm_dtype_of(x));
    return dtype == tm_dtype_of(x) ? tm_alias(x) : tm_astype(x, dtype);
}

#endif
