/* comparison.c: functions of two elements with a bool result.
 *
 * Every comparison with NaN is false. eq takes all dtypes, lt those that have an order. A whole
 * number beside integers is compared exactly, also one that their dtype cannot hold.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define EQ(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a == b)
TM_REALS(EQ, eq)
TM_BINARY_LOOP(eq_complex64, tm_complex64, uint8_t, a == b)
TM_BINARY_LOOP(eq_complex128, tm_complex128, uint8_t, a == b)

#define LT(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a < b)
TM_REALS(LT, lt)

const tm_loop tm_eq_loops[] = {TM_FLOAT_LOOPS_TO(eq, TM_BOOL),
                               TM_INTEGER_LOOPS_TO(eq, TM_BOOL),
                               TM_COMPLEX_LOOPS_TO(eq, TM_BOOL),
                               TM_LOOP_ROW(TM_BOOL, TM_BOOL, eq_uint8),
                               {0}};
const tm_loop tm_lt_loops[] = {
    TM_FLOAT_LOOPS_TO(lt, TM_BOOL), TM_INTEGER_LOOPS_TO(lt, TM_BOOL), {0}};

/* The shared meta, except that a number which x's dtype cannot hold is compared in int64. */
static tm_status with_scalar(tm_call *call, const tm_loop *loops, tm_loop_fn in_int64,
                             const tm_tensor *x, const char *argument, tm_scalar scalar)
{
    tm_status status = tm_elementwise_meta(call, loops);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_promote_scalar(tm_dtype_of(x), scalar.kind);
    if (tm_scalar_fits(scalar, dtype))
        return tm_check_scalar(call, argument, scalar, dtype);
    const tm_dtype compute[3] = {TM_INT64, TM_INT64, TM_BOOL};
    return tm_elementwise_loop(call, in_int64, 3, compute);
}

tm_status tm_eq_scalar_meta(tm_call *call, const tm_tensor *x1, tm_scalar x2)
{
    return with_scalar(call, tm_eq_loops, eq_int64, x1, "x2", x2);
}

tm_status tm_eq_rscalar_meta(tm_call *call, tm_scalar x1, const tm_tensor *x2)
{
    return with_scalar(call, tm_eq_loops, eq_int64, x2, "x1", x1);
}

tm_status tm_lt_scalar_meta(tm_call *call, const tm_tensor *x1, tm_scalar x2)
{
    return with_scalar(call, tm_lt_loops, lt_int64, x1, "x2", x2);
}

tm_status tm_lt_rscalar_meta(tm_call *call, tm_scalar x1, const tm_tensor *x2)
{
    return with_scalar(call, tm_lt_loops, lt_int64, x2, "x1", x1);
}
