/* layers.c: linear, a composite: its checks speak of its own arguments, its function calls ops.
 *
 * The checks are complete, so the ops inside cannot fail but for lack of memory.
 */
#include <string.h>

#include "numeric.h"
#include "ops_kernels.h"
#include "shapes.h"

static tm_status check_shapes(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                              const tm_tensor *bias)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status == TM_OK)
        status = tm_check_ndim(call, "weight", weight, 2);
    if (status != TM_OK)
        return status;
    if (tm_size(x, -1) != tm_size(weight, 1))
        return tm_fail_arg(call, TM_ERR_SHAPE, "x",
                           "x must have size %lld in its last dimension, as weight of shape %s "
                           "has, got shape %s",
                           (long long)tm_size(weight, 1), tm_shape_text(call, weight),
                           tm_shape_text(call, x));
    if (bias != TM_NONE && (tm_ndim(bias) != 1 || tm_size(bias, 0) != tm_size(weight, 0)))
        return tm_fail_arg(call, TM_ERR_SHAPE, "bias",
                           "bias must have shape %s for weight of shape %s, got shape %s",
                           tm_sizes_text(call, 1, tm_shape(weight)), tm_shape_text(call, weight),
                           tm_shape_text(call, bias));
    return TM_OK;
}

tm_status tm_linear_meta(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                         const tm_tensor *bias)
{
    tm_status status = check_shapes(call, x, weight, bias);
    if (status == TM_OK)
        status = tm_check_numeric(call, "x", x);
    if (status == TM_OK)
        status = tm_check_numeric(call, "weight", weight);
    if (status == TM_OK && bias != TM_NONE)
        status = tm_check_numeric(call, "bias", bias);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_promote(tm_dtype_of(x), tm_dtype_of(weight));
    if (bias != TM_NONE)
        dtype = tm_promote(dtype, tm_dtype_of(bias));
    int ndim = tm_ndim(x);
    int64_t shape[TM_MAX_NDIM];
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    shape[ndim - 1] = tm_size(weight, 0);
    return tm_output(call, 0, dtype, ndim, shape);
}

tm_status tm_linear_impl(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                         const tm_tensor *bias, tm_tensor **out)
{
    (void)call;
    *out = tm_matmul(x, tm_swapaxes(weight, 0, 1));
    if (*out && bias != TM_NONE)
        *out = tm_add(*out, bias);
    return *out ? TM_OK : tm_error_code();
}
