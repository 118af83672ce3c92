/* scalars.h: numbers among an op's arguments.
 *
 * A number is weak: a tensor's dtype changes only where the number's kind is wider. A whole number
 * that the dtype cannot hold is refused (300 with uint8), never cut to its bits; a fraction is
 * converted as elements are.
 */
#ifndef TM_OPS_SCALARS_H
#define TM_OPS_SCALARS_H

#include <transmute/kernel.h>

/** The dtype that a number makes of a tensor's; TM_DTYPE_NONE: of no tensor. */
tm_dtype tm_scalar_promote(tm_dtype dtype, tm_scalar scalar);
/** Whether a whole number is one of an integer dtype's; true for every other pair. */
bool tm_scalar_fits(tm_scalar scalar, tm_dtype dtype);
/** TM_ERR_VALUE where it does not fit, TM_ERR_DTYPE where there is no conversion. */
tm_status tm_check_scalar(tm_call *call, const char *argument, tm_scalar scalar, tm_dtype dtype);
/** TM_ERR_DTYPE for dtypes that are stored and moved but not computed with. */
tm_status tm_check_computes(tm_call *call, const char *argument, tm_dtype dtype);

#endif
