/* scalars.h: numbers among an op's arguments.
 *
 * A number is weak: a tensor's dtype changes only where the number's kind is wider. A whole number
 * that the dtype cannot hold is refused (300 with uint8), never cut to its bits; a fraction is
 * converted as elements are.
 */
#ifndef TM_OPS_SCALARS_H
#define TM_OPS_SCALARS_H

#include <transmute/kernel.h>

/** Whether a whole number is in the dtype's range; numbers of other kinds are. */
bool tm_scalar_fits(tm_scalar scalar, tm_dtype dtype);
/** TM_ERR_VALUE where it does not fit, TM_ERR_DTYPE for a complex number where the dtype is real.
 */
tm_status tm_check_scalar(tm_call *call, const char *argument, tm_scalar scalar, tm_dtype dtype);

#endif
