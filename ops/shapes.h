/* shapes.h: checks of ranks and sizes that several families share. */
#ifndef TM_OPS_SHAPES_H
#define TM_OPS_SHAPES_H

#include <transmute/kernel.h>

/** TM_ERR_RANK unless x has exactly that many dimensions. */
static inline tm_status tm_check_ndim(tm_call *call, const char *argument, const tm_tensor *x,
                                      int ndim)
{
    if (tm_ndim(x) == ndim)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, argument, "%s must have %d dimension%s, got shape %s",
                       argument, ndim, ndim == 1 ? "" : "s", tm_shape_text(call, x));
}

/** TM_ERR_SHAPE unless y has along `y_axis` the size that x has along `x_axis`. */
static inline tm_status tm_check_same_size(tm_call *call, const char *x_name, const tm_tensor *x,
                                           int64_t x_axis, const char *y_name, const tm_tensor *y,
                                           int64_t y_axis)
{
    if (tm_size(x, x_axis) == tm_size(y, y_axis))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, y_name,
                       "%s must have size %lld along axis %lld, as %s of shape %s has along axis "
                       "%lld, got shape %s",
                       y_name, (long long)tm_size(x, x_axis), (long long)y_axis, x_name,
                       tm_shape_text(call, x), (long long)x_axis, tm_shape_text(call, y));
}

#endif
