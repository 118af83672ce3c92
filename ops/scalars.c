/* scalars.c: numbers among an op's arguments. */
#include "scalars.h"

bool tm_scalar_fits(tm_scalar scalar, tm_dtype dtype)
{
    if (scalar.kind != TM_KIND_INT || tm_dtype_kind(dtype) != TM_KIND_INT)
        return true;
    int64_t v = scalar.value.i;
    int bits = 8 * (int)tm_dtype_size(dtype);
    if (dtype >= TM_UINT8 && dtype <= TM_UINT64)
        return v >= 0 && (bits == 64 || v >> bits == 0);
    return bits == 64 || (v >> (bits - 1)) == (v < 0 ? -1 : 0);
}

tm_status tm_check_scalar(tm_call *call, const char *argument, tm_scalar scalar, tm_dtype dtype)
{
    if (scalar.kind == TM_KIND_COMPLEX && tm_dtype_kind(dtype) != TM_KIND_COMPLEX)
        return tm_fail_arg(call, TM_ERR_DTYPE, argument, "%s must be real, got a complex number",
                           argument);
    if (!tm_scalar_fits(scalar, dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must fit in %s, got %lld", argument,
                           tm_dtype_name(dtype), (long long)scalar.value.i);
    return TM_OK;
}

tm_status tm_elementwise_scalar_meta(tm_call *call, const tm_loop *loops, const tm_tensor *x,
                                     const char *argument, tm_scalar scalar)
{
    (void)x; /* for metas of this shape that ask for its dtype */
    tm_status status = tm_elementwise_meta(call, loops);
    if (status != TM_OK)
        return status;
    return tm_check_scalar(call, argument, scalar, tm_output_spec(call, 0)->dtype);
}
