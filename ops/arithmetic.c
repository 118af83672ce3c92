/* arithmetic.c: functions of two elements.
 *
 * Integers wrap: they are computed as unsigned. div has loops for floats alone, so the shared meta
 * computes integers in float32; two bools have no arithmetic. An overload with a number has the
 * shared meta and one check more: a whole number must fit in the dtype of the result.
 */
#include <math.h>

#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

TM_BINARY_LOOP(add_uint8, uint8_t, uint8_t, (uint8_t)(a + b))
TM_BINARY_LOOP(add_int32, int32_t, int32_t, (int32_t)((uint32_t)a + (uint32_t)b))
TM_BINARY_LOOP(add_int64, int64_t, int64_t, (int64_t)((uint64_t)a + (uint64_t)b))
TM_BINARY_LOOP(add_float32, float, float, a + b)
TM_BINARY_LOOP(add_float64, double, double, a + b)

TM_BINARY_LOOP(sub_uint8, uint8_t, uint8_t, (uint8_t)(a - b))
TM_BINARY_LOOP(sub_int32, int32_t, int32_t, (int32_t)((uint32_t)a - (uint32_t)b))
TM_BINARY_LOOP(sub_int64, int64_t, int64_t, (int64_t)((uint64_t)a - (uint64_t)b))
TM_BINARY_LOOP(sub_float32, float, float, a - b)
TM_BINARY_LOOP(sub_float64, double, double, a - b)

TM_BINARY_LOOP(mul_uint8, uint8_t, uint8_t, (uint8_t)(a *b))
TM_BINARY_LOOP(mul_int32, int32_t, int32_t, (int32_t)((uint32_t)a *(uint32_t)b))
TM_BINARY_LOOP(mul_int64, int64_t, int64_t, (int64_t)((uint64_t)a *(uint64_t)b))
TM_BINARY_LOOP(mul_float32, float, float, a *b)
TM_BINARY_LOOP(mul_float64, double, double, a *b)

TM_BINARY_LOOP(div_float32, float, float, a / b)
TM_BINARY_LOOP(div_float64, double, double, a / b)

TM_BINARY_LOOP(pow_float32, float, float, powf(a, b))
TM_BINARY_LOOP(pow_float64, double, double, pow(a, b))

/* a > b is false for NaN, so b = NaN is taken as it is, and a = NaN by the second test. */
TM_BINARY_LOOP(maximum_uint8, uint8_t, uint8_t, a > b ? a : b)
TM_BINARY_LOOP(maximum_int32, int32_t, int32_t, a > b ? a : b)
TM_BINARY_LOOP(maximum_int64, int64_t, int64_t, a > b ? a : b)
TM_BINARY_LOOP(maximum_float32, float, float, a >= b || a != a ? a : b)
TM_BINARY_LOOP(maximum_float64, double, double, a >= b || a != a ? a : b)

/* Integer powers by squaring, in the unsigned type of at least an int's width, so that nothing
 * overflows on the way. */
#define POW_INTEGER(type, wide)                                                                    \
    static inline type power_##type(type base, type exponent)                                      \
    {                                                                                              \
        wide result = 1, square = (wide)base;                                                      \
        for (wide e = (wide)exponent; e; e >>= 1, square *= square)                                \
            if (e & 1)                                                                             \
                result *= square;                                                                  \
        return (type)result;                                                                       \
    }
POW_INTEGER(uint8_t, uint32_t)
POW_INTEGER(int32_t, uint32_t)
POW_INTEGER(int64_t, uint64_t)
TM_BINARY_LOOP(pow_uint8, uint8_t, uint8_t, power_uint8_t(a, b))

/* The first negative exponent is a failure of its element. */
#define POW_SIGNED_LOOP(name, type)                                                                \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type exponent = TM_CONST_AT(type, ptr[1] + i * step[1]);                         \
            if (exponent < 0)                                                                      \
                return tm_fail_at(call, i, TM_ERR_VALUE,                                           \
                                  "x2 must not be negative where x1 and x2 are integers, "         \
                                  "got %lld",                                                      \
                                  (long long)exponent);                                            \
            TM_AT(type, ptr[2] + i * step[2]) =                                                    \
                power_##type(TM_CONST_AT(type, ptr[0] + i * step[0]), exponent);                   \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
POW_SIGNED_LOOP(pow_int32, int32_t)
POW_SIGNED_LOOP(pow_int64, int64_t)

const tm_loop tm_add_loops[] = {TM_NUMERIC_LOOPS(add), {0}};
const tm_loop tm_sub_loops[] = {TM_NUMERIC_LOOPS(sub), {0}};
const tm_loop tm_mul_loops[] = {TM_NUMERIC_LOOPS(mul), {0}};
const tm_loop tm_div_loops[] = {TM_FLOAT_LOOPS(div), {0}};
const tm_loop tm_pow_loops[] = {TM_NUMERIC_LOOPS(pow), {0}};
const tm_loop tm_maximum_loops[] = {TM_NUMERIC_LOOPS(maximum), {0}};

/* -- Overloads with a number ------------------------------------------------------------------ */

static tm_status with_scalar(tm_call *call, const tm_loop *loops, const char *argument,
                             tm_scalar scalar)
{
    tm_status status = tm_elementwise_meta(call, loops);
    if (status != TM_OK)
        return status;
    return tm_check_scalar(call, argument, scalar, tm_output_spec(call, 0)->dtype);
}

#define SCALAR_METAS(op)                                                                           \
    tm_status tm_##op##_scalar_meta(tm_call *call, const tm_tensor *x1, tm_scalar x2)              \
    {                                                                                              \
        (void)x1;                                                                                  \
        return with_scalar(call, tm_##op##_loops, "x2", x2);                                       \
    }                                                                                              \
    tm_status tm_##op##_rscalar_meta(tm_call *call, tm_scalar x1, const tm_tensor *x2)             \
    {                                                                                              \
        (void)x2;                                                                                  \
        return with_scalar(call, tm_##op##_loops, "x1", x1);                                       \
    }
SCALAR_METAS(add)
SCALAR_METAS(sub)
SCALAR_METAS(mul)
SCALAR_METAS(div)
SCALAR_METAS(maximum)

/* The exponent is known here, so the loops cannot fail. */
tm_status tm_pow_scalar_meta(tm_call *call, const tm_tensor *x1, tm_scalar x2)
{
    (void)x1;
    tm_status status = tm_elementwise_meta(call, tm_pow_loops);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_output_spec(call, 0)->dtype;
    if (tm_dtype_kind(dtype) == TM_KIND_INT && x2.kind == TM_KIND_INT && x2.value.i < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x2",
                           "x2 must not be negative where x1 and x2 are integers, got %lld",
                           (long long)x2.value.i);
    return tm_check_scalar(call, "x2", x2, dtype);
}

tm_status tm_pow_rscalar_meta(tm_call *call, tm_scalar x1, const tm_tensor *x2)
{
    (void)x2;
    return with_scalar(call, tm_pow_loops, "x1", x1);
}
