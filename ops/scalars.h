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
/** The shared elementwise meta, then tm_check_scalar in the dtype of the result. */
tm_status tm_elementwise_scalar_meta(tm_call *call, const tm_loop *loops, const tm_tensor *x,
                                     const char *argument, tm_scalar scalar);

/* The metas of op.scalar(Tensor x1, Scalar x2) and op.rscalar(Scalar x1, Tensor x2), by a function
 * of the shape of tm_elementwise_scalar_meta. */
#define TM_SCALAR_META(op, meta)                                                                   \
    tm_status tm_##op##_scalar_meta(tm_call *call, const tm_tensor *x1, tm_scalar x2)              \
    {                                                                                              \
        return meta(call, tm_##op##_loops, x1, "x2", x2);                                          \
    }
#define TM_RSCALAR_META(op, meta)                                                                  \
    tm_status tm_##op##_rscalar_meta(tm_call *call, tm_scalar x1, const tm_tensor *x2)             \
    {                                                                                              \
        return meta(call, tm_##op##_loops, x2, "x1", x1);                                          \
    }
#define TM_SCALAR_METAS(op)                                                                        \
    TM_SCALAR_META(op, tm_elementwise_scalar_meta)                                                 \
    TM_RSCALAR_META(op, tm_elementwise_scalar_meta)

#endif
