/* arithmetic.c: functions of two elements.
 *
 * Integers wrap: they are computed as unsigned. div has loops for floats alone, so the shared meta
 * computes integers in float32; two bools have no arithmetic. An overload with a number has the
 * shared meta and one check more: a whole number must fit in the dtype of the result.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define ADD(name, type, wide) TM_BINARY_LOOP(name, type, type, (type)((wide)a + (wide)b))
TM_REALS(ADD, add)
TM_BINARY_LOOP(add_complex64, tm_complex64, tm_complex64, a + b)
TM_BINARY_LOOP(add_complex128, tm_complex128, tm_complex128, a + b)

#define SUB(name, type, wide) TM_BINARY_LOOP(name, type, type, (type)((wide)a - (wide)b))
TM_REALS(SUB, sub)
TM_BINARY_LOOP(sub_complex64, tm_complex64, tm_complex64, a - b)
TM_BINARY_LOOP(sub_complex128, tm_complex128, tm_complex128, a - b)

#define MUL(name, type, wide) TM_BINARY_LOOP(name, type, type, (type)((wide)a * (wide)b))
TM_REALS(MUL, mul)
TM_BINARY_LOOP(mul_complex64, tm_complex64, tm_complex64, tm_mul_complex64(a, b))
TM_BINARY_LOOP(mul_complex128, tm_complex128, tm_complex128, tm_mul_complex128(a, b))

TM_BINARY_LOOP(div_float32, float, float, a / b)
TM_BINARY_LOOP(div_float64, double, double, a / b)
TM_BINARY_LOOP(div_complex64, tm_complex64, tm_complex64, tm_div_complex64(a, b))
TM_BINARY_LOOP(div_complex128, tm_complex128, tm_complex128, tm_div_complex128(a, b))

TM_BINARY_LOOP(pow_float32, float, float, powf(a, b))
TM_BINARY_LOOP(pow_float64, double, double, pow(a, b))
TM_BINARY_LOOP(pow_complex64, tm_complex64, tm_complex64, cpowf(a, b))
TM_BINARY_LOOP(pow_complex128, tm_complex128, tm_complex128, cpow(a, b))

/* a >= b is false for NaN, so b = NaN is taken as it is, and a = NaN by the second test. */
#define MAXIMUM(name, type, wide) TM_BINARY_LOOP(name, type, type, a > b ? a : b)
TM_INTEGERS(MAXIMUM, maximum)
TM_BINARY_LOOP(maximum_float32, float, float, a >= b || a != a ? a : b)
TM_BINARY_LOOP(maximum_float64, double, double, a >= b || a != a ? a : b)

#define MINIMUM(name, type, wide) TM_BINARY_LOOP(name, type, type, a < b ? a : b)
TM_INTEGERS(MINIMUM, minimum)
TM_BINARY_LOOP(minimum_float32, float, float, a <= b || a != a ? a : b)
TM_BINARY_LOOP(minimum_float64, double, double, a <= b || a != a ? a : b)

/* The other one of NaN and a number; of integers the same as maximum and minimum. */
TM_BINARY_LOOP(fmax_float32, float, float, a >= b || b != b ? a : b)
TM_BINARY_LOOP(fmax_float64, double, double, a >= b || b != b ? a : b)
TM_BINARY_LOOP(fmin_float32, float, float, a <= b || b != b ? a : b)
TM_BINARY_LOOP(fmin_float64, double, double, a <= b || b != b ? a : b)

/* Integer powers by squaring, in the unsigned type of at least an int's width, so that nothing
 * overflows on the way. */
#define POW_INTEGER(name, type, wide)                                                              \
    static inline type name##_power(type base, type exponent)                                      \
    {                                                                                              \
        wide result = 1, square = (wide)base;                                                      \
        for (wide e = (wide)exponent; e; e >>= 1, square *= square)                                \
            if (e & 1)                                                                             \
                result *= square;                                                                  \
        return (type)result;                                                                       \
    }
TM_INTEGERS(POW_INTEGER, pow)
TM_BINARY_LOOP(pow_uint8, uint8_t, uint8_t, pow_uint8_power(a, b))
TM_BINARY_LOOP(pow_uint16, uint16_t, uint16_t, pow_uint16_power(a, b))
TM_BINARY_LOOP(pow_uint32, uint32_t, uint32_t, pow_uint32_power(a, b))
TM_BINARY_LOOP(pow_uint64, uint64_t, uint64_t, pow_uint64_power(a, b))

/* The first negative exponent is a failure of its element. */
#define POW_SIGNED_LOOP(name, type)                                                                \
    TM_CHECKED_LOOP(name, type, name##_power(a, b), b < 0,                                         \
                    "x2 must not be negative where x1 and x2 are integers, got %lld",              \
                    (long long)b)
POW_SIGNED_LOOP(pow_int8, int8_t)
POW_SIGNED_LOOP(pow_int16, int16_t)
POW_SIGNED_LOOP(pow_int32, int32_t)
POW_SIGNED_LOOP(pow_int64, int64_t)

const tm_loop tm_add_loops[] = {TM_NUMERIC_LOOPS(add), TM_COMPLEX_LOOPS(add), {0}};
const tm_loop tm_sub_loops[] = {TM_NUMERIC_LOOPS(sub), TM_COMPLEX_LOOPS(sub), {0}};
const tm_loop tm_mul_loops[] = {TM_NUMERIC_LOOPS(mul), TM_COMPLEX_LOOPS(mul), {0}};
const tm_loop tm_div_loops[] = {TM_FLOAT_LOOPS(div), TM_COMPLEX_LOOPS(div), {0}};
const tm_loop tm_pow_loops[] = {TM_NUMERIC_LOOPS(pow), TM_COMPLEX_LOOPS(pow), {0}};
const tm_loop tm_maximum_loops[] = {TM_NUMERIC_LOOPS(maximum), {0}};
const tm_loop tm_minimum_loops[] = {TM_NUMERIC_LOOPS(minimum), {0}};
const tm_loop tm_fmax_loops[] = {TM_FLOAT_LOOPS(fmax), TM_INTEGER_LOOPS(maximum), {0}};
const tm_loop tm_fmin_loops[] = {TM_FLOAT_LOOPS(fmin), TM_INTEGER_LOOPS(minimum), {0}};

/* -- Overloads with a number ------------------------------------------------------------------ */

TM_SCALAR_METAS(add)
TM_SCALAR_METAS(sub)
TM_SCALAR_METAS(mul)
TM_SCALAR_METAS(div)
TM_SCALAR_METAS(maximum)
TM_SCALAR_METAS(minimum)
TM_SCALAR_METAS(fmax)
TM_SCALAR_METAS(fmin)

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

TM_RSCALAR_META(pow, tm_elementwise_scalar_meta)
