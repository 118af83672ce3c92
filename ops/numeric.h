/* numeric.h: which dtypes a function takes, and which it computes in. */
#ifndef TM_OPS_NUMERIC_H
#define TM_OPS_NUMERIC_H

#include <transmute/kernel.h>

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

/** TM_ERR_DTYPE unless x is of one of the six dtypes that there is arithmetic for. */
static inline tm_status tm_check_arithmetic(tm_call *call, const char *argument, const tm_tensor *x)
{
    switch (tm_dtype_of(x)) {
    case TM_BOOL:
    case TM_UINT8:
    case TM_INT32:
    case TM_INT64:
    case TM_FLOAT32:
    case TM_FLOAT64:
        return TM_OK;
    default:
        return tm_fail_arg(call, TM_ERR_DTYPE, argument, "there is no kernel for dtype %s",
                           tm_dtype_name(tm_dtype_of(x)));
    }
}

/** The same for floats alone. */
static inline tm_status tm_check_float(tm_call *call, const char *argument, const tm_tensor *x)
{
    tm_status status = tm_check_kind(call, argument, x, TM_KIND_FLOAT, "a floating-point dtype");
    return status == TM_OK ? tm_check_arithmetic(call, argument, x) : status;
}

#endif
