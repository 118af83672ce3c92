/* logical.c: truth values. Every dtype has them: all but 0 is true, NaN too. */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define AND(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, (a != 0) & (b != 0))
#define OR(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, (a != 0) | (b != 0))
#define XOR(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, (a != 0) != (b != 0))
#define NOT(name, type, wide) TM_UNARY_LOOP(name, type, uint8_t, a == 0)

#define FUNCTION(op, X)                                                                            \
    TM_REALS(X, op)                                                                                \
    TM_COMPLEXES(X, op)                                                                            \
    const tm_loop tm_##op##_loops[] = {TM_EVERY_LOOP_TO_BOOL(op), {0}};
FUNCTION(logical_and, AND)
FUNCTION(logical_or, OR)
FUNCTION(logical_xor, XOR)
FUNCTION(logical_not, NOT)

/* A number is as true in any dtype that it fits in. */
static tm_status with_scalar(tm_call *call, const tm_loop *loops, const tm_tensor *x,
                             const char *argument, tm_scalar scalar)
{
    tm_status status = tm_elementwise_meta(call, loops);
    if (status != TM_OK)
        return status;
    return tm_check_scalar(call, argument, scalar, tm_promote_scalar(tm_dtype_of(x), scalar.kind));
}

TM_SCALAR_META(logical_and, with_scalar)
TM_RSCALAR_META(logical_and, with_scalar)
TM_SCALAR_META(logical_or, with_scalar)
TM_RSCALAR_META(logical_or, with_scalar)
TM_SCALAR_META(logical_xor, with_scalar)
TM_RSCALAR_META(logical_xor, with_scalar)
