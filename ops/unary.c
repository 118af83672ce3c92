/* unary.c: functions of one element.
 *
 * neg, abs and relu also have loops for integers, which wrap: they are computed as unsigned. The
 * others have loops for floats alone, so the shared meta computes integers in float32.
 */
#include "complex_numbers.h"
#include "function_loops.h"
#include "ops_kernels.h"

#define NEG(name, type, wide) TM_UNARY_LOOP(name, type, type, (type)(0 - (wide)a))
TM_INTEGERS(NEG, neg)
TM_UNARY_LOOP(neg_float32, float, float, -a)
TM_UNARY_LOOP(neg_float64, double, double, -a)
TM_UNARY_LOOP(neg_complex64, tm_complex64, tm_complex64, -a)
TM_UNARY_LOOP(neg_complex128, tm_complex128, tm_complex128, -a)

#define SAME(name, type, wide) TM_UNARY_LOOP(name, type, type, a)
TM_REALS(SAME, positive)
TM_COMPLEXES(SAME, positive)

/* a > 0 and not a < 0, which for an unsigned type would be said of nothing. */
#define ABS(name, type, wide) TM_UNARY_LOOP(name, type, type, a > 0 ? a : (type)(0 - (wide)a))
#define SIGNED(X, name)                                                                            \
    X(name##_int8, int8_t, uint32_t)                                                               \
    X(name##_int16, int16_t, uint32_t)                                                             \
    X(name##_int32, int32_t, uint32_t) X(name##_int64, int64_t, uint64_t)
#define UNSIGNED(X, name)                                                                          \
    X(name##_uint8, uint8_t, uint32_t)                                                             \
    X(name##_uint16, uint16_t, uint32_t)                                                           \
    X(name##_uint32, uint32_t, uint32_t) X(name##_uint64, uint64_t, uint64_t)
SIGNED(ABS, abs)
UNSIGNED(SAME, abs)
TM_UNARY_LOOP(abs_float32, float, float, fabsf(a))
TM_UNARY_LOOP(abs_float64, double, double, fabs(a))
TM_UNARY_LOOP(abs_complex64, tm_complex64, float, cabsf(a))
TM_UNARY_LOOP(abs_complex128, tm_complex128, double, cabs(a))

/* A comparison with NaN is false, so NaN is passed on; -0 becomes +0. */
#define RELU(name, type, wide) TM_UNARY_LOOP(name, type, type, a <= 0 ? 0 : a)
TM_REALS(RELU, relu)

TM_FUNCTION_LOOPS(exp)
TM_FUNCTION_LOOPS(log)
TM_FUNCTION_LOOPS(tanh)
/* By exp(-|x|), which does not overflow. */
TM_THROUGH_LOOP(sigmoid_float32, float, 1, tm_exp_float32_run, -fabsf(a), (a < 0 ? t : 1) / (1 + t))
TM_THROUGH_LOOP(sigmoid_float64, double, 1, tm_exp_float64_run, -fabs(a), (a < 0 ? t : 1) / (1 + t))

TM_COMPLEX_LIBM_LOOPS(exp)
TM_COMPLEX_LIBM_LOOPS(log)
TM_COMPLEX_LIBM_LOOPS(sqrt)
TM_COMPLEX_LIBM_LOOPS(tanh)

TM_UNARY_LOOP(sqrt_float32, float, float, sqrtf(a))
TM_UNARY_LOOP(sqrt_float64, double, double, sqrt(a))

const tm_loop tm_neg_loops[] = {TM_NUMERIC_LOOPS(neg), TM_COMPLEX_LOOPS(neg), {0}};
const tm_loop tm_positive_loops[] = {TM_NUMERIC_LOOPS(positive), TM_COMPLEX_LOOPS(positive), {0}};
const tm_loop tm_abs_loops[] = {TM_NUMERIC_LOOPS(abs),
                                TM_LOOP_ROW(TM_COMPLEX64, TM_FLOAT32, abs_complex64),
                                TM_LOOP_ROW(TM_COMPLEX128, TM_FLOAT64, abs_complex128),
                                {0}};
const tm_loop tm_relu_loops[] = {TM_NUMERIC_LOOPS(relu), {0}};
const tm_loop tm_exp_loops[] = {TM_FLOAT_LOOPS(exp), TM_COMPLEX_LOOPS(exp), {0}};
const tm_loop tm_log_loops[] = {TM_FLOAT_LOOPS(log), TM_COMPLEX_LOOPS(log), {0}};
const tm_loop tm_sqrt_loops[] = {TM_FLOAT_LOOPS(sqrt), TM_COMPLEX_LOOPS(sqrt), {0}};
const tm_loop tm_tanh_loops[] = {TM_FLOAT_LOOPS(tanh), TM_COMPLEX_LOOPS(tanh), {0}};
const tm_loop tm_sigmoid_loops[] = {TM_FLOAT_LOOPS(sigmoid), {0}};
