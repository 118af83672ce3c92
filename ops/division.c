/* division.c: quotients rounded down, and remainders.
 *
 * Division of integers by zero is a failure of its element; the lowest integer over -1 wraps. A
 * remainder's sign is the divisor's in remainder and the dividend's in fmod.
 */
#include <math.h>

#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define ZERO_DIVISOR "x2 must not be 0 where x1 and x2 are integers"

#define DIVISION_LOOP(name, type, expression)                                                      \
    TM_CHECKED_LOOP(name, type, expression, b == 0, ZERO_DIVISOR)

/* -1 is a case of its own: the processor's division of the lowest integer by it faults. */
#define SIGNED_DIVISION(suffix, type, wide)                                                        \
    static inline bool inexact_below_##suffix(type a, type b)                                      \
    {                                                                                              \
        return a % b != 0 && (a < 0) != (b < 0);                                                   \
    }                                                                                              \
    DIVISION_LOOP(floor_divide_##suffix, type,                                                     \
                  b == -1 ? (type)(0 - (wide)a) : a / b - inexact_below_##suffix(a, b))            \
    DIVISION_LOOP(remainder_##suffix, type,                                                        \
                  b == -1 ? 0 : a % b + (inexact_below_##suffix(a, b) ? b : 0))                    \
    DIVISION_LOOP(fmod_##suffix, type, b == -1 ? 0 : a % b)
SIGNED_DIVISION(int8, int8_t, uint32_t)
SIGNED_DIVISION(int16, int16_t, uint32_t)
SIGNED_DIVISION(int32, int32_t, uint32_t)
SIGNED_DIVISION(int64, int64_t, uint64_t)

#define UNSIGNED_DIVISION(suffix, type)                                                            \
    DIVISION_LOOP(floor_divide_##suffix, type, a / b)                                              \
    DIVISION_LOOP(remainder_##suffix, type, a % b)
UNSIGNED_DIVISION(uint8, uint8_t)
UNSIGNED_DIVISION(uint16, uint16_t)
UNSIGNED_DIVISION(uint32, uint32_t)
UNSIGNED_DIVISION(uint64, uint64_t)
#define fmod_uint8 remainder_uint8 /* nothing is negative */
#define fmod_uint16 remainder_uint16
#define fmod_uint32 remainder_uint32
#define fmod_uint64 remainder_uint64

/* By fmod, which is exact: a minus it is a whole multiple of b, but for rounding. A quotient of 0
 * has the sign of a / b. */
#define FLOAT_DIVISION(suffix, type, f)                                                            \
    static inline type floored_quotient_##suffix(type a, type b)                                   \
    {                                                                                              \
        if (b == 0 || isinf(a))                                                                    \
            return a / b;                                                                          \
        const type rest = fmod##f(a, b);                                                           \
        type quotient = (a - rest) / b;                                                            \
        if (rest != 0 && (b < 0) != (rest < 0))                                                    \
            quotient -= 1;                                                                         \
        return quotient == 0 ? copysign##f(0, a / b) : rint##f(quotient);                          \
    }                                                                                              \
    static inline type floored_remainder_##suffix(type a, type b)                                  \
    {                                                                                              \
        const type rest = fmod##f(a, b);                                                           \
        if (rest == 0)                                                                             \
            return copysign##f(0, b);                                                              \
        return (b < 0) != (rest < 0) ? rest + b : rest;                                            \
    }                                                                                              \
    TM_BINARY_LOOP(floor_divide_##suffix, type, type, floored_quotient_##suffix(a, b))             \
    TM_BINARY_LOOP(remainder_##suffix, type, type, floored_remainder_##suffix(a, b))               \
    TM_BINARY_LOOP(fmod_##suffix, type, type, fmod##f(a, b))
FLOAT_DIVISION(float32, float, f)
FLOAT_DIVISION(float64, double, )

const tm_loop tm_floor_divide_loops[] = {TM_NUMERIC_LOOPS(floor_divide), {0}};
const tm_loop tm_remainder_loops[] = {TM_NUMERIC_LOOPS(remainder), {0}};
const tm_loop tm_fmod_loops[] = {TM_NUMERIC_LOOPS(fmod), {0}};

/* The divisor is known here, so the loops cannot fail. */
static tm_status by_number(tm_call *call, const tm_loop *loops, const tm_tensor *x,
                           const char *argument, tm_scalar scalar)
{
    tm_status status = tm_elementwise_scalar_meta(call, loops, x, argument, scalar);
    if (status != TM_OK)
        return status;
    if (tm_dtype_kind(tm_output_spec(call, 0)->dtype) == TM_KIND_INT &&
        tm_scalar_as_float(scalar) == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, argument, ZERO_DIVISOR);
    return TM_OK;
}

#define METAS(op)                                                                                  \
    TM_SCALAR_META(op, by_number)                                                                  \
    TM_RSCALAR_META(op, tm_elementwise_scalar_meta)
METAS(floor_divide)
METAS(remainder)
METAS(fmod)
