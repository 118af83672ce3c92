/* activations.c: activation functions.
 *
 * Floats alone have loops (relu6: integers too), so the shared meta computes integers in float32.
 * Parameters are numbers that the loops are given as operands. Functions of the form x g(x), g
 * falling to 0, are 0 at -inf.
 */
#include <math.h>
#include <string.h>

#include "loops.h"
#include "ops_kernels.h"
#include "unary_float32.h"

/* One function for both floats, where `f` is the suffix of C's functions in float. */
#define BOTH(X)                                                                                    \
    X(float32, float, f)                                                                           \
    X(float64, double, )

/* x g, but for -inf, where g has become 0. */
TM_INLINE float gated_float32(float x, float g)
{
    return x == -INFINITY ? -0.0f : x * g;
}

TM_INLINE double gated_float64(double x, double g)
{
    return x == -(double)INFINITY ? -0.0 : x * g;
}

/* log(1 + exp(x)), by the larger of 0 and x. */
#define LOG_OF_ONE_AND_EXP(suffix, type, f)                                                        \
    TM_INLINE type log1pexp_##suffix(type x)                                                       \
    {                                                                                              \
        return (x < 0 ? 0 : x) + log1p##f(exp##f(-fabs##f(x)));                                    \
    }
BOTH(LOG_OF_ONE_AND_EXP)

/* -- gelu ------------------------------------------------------------------------------------- */

#define SQRT_HALF 0.70710678118654752
#define SQRT_8_OVER_PI 1.5957691216057308
#define CUBIC 0.044715

/* x Phi(x), the normal distribution by erfc, which does not cancel for x < 0; or (Hendrycks and
 * Gimpel, 2016) x (1 + tanh(u)) / 2 = x logistic(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3). */
#define GELU(suffix, type, f)                                                                      \
    TM_UNARY_LOOP(gelu_##suffix, type, type,                                                       \
                  gated_##suffix(a, (type)0.5 * erfc##f(-a * (type)SQRT_HALF)))                    \
    TM_UNARY_LOOP(gelu_tanh_##suffix, type, type,                                                  \
                  gated_##suffix(a, logistic_of_##suffix(                                          \
                                        (type)SQRT_8_OVER_PI *(a + (type)CUBIC * a * a * a))))
BOTH(GELU)

const tm_loop tm_gelu_loops[] = {TM_FLOAT_LOOPS(gelu), {0}};
static const tm_loop gelu_tanh_loops[] = {TM_FLOAT_LOOPS(gelu_tanh), {0}};

tm_status tm_gelu_meta(tm_call *call, const tm_tensor *x, const char *approximate)
{
    (void)x;
    if (strcmp(approximate, "none") == 0)
        return tm_elementwise_meta(call, tm_gelu_loops);
    if (strcmp(approximate, "tanh") == 0)
        return tm_elementwise_meta(call, gelu_tanh_loops);
    return tm_fail_arg(call, TM_ERR_VALUE, "approximate",
                       "approximate must be 'none' or 'tanh', got '%s'", approximate);
}

/* -- Functions of x alone --------------------------------------------------------------------- */

#define SELU_SCALE 1.0507009873554805
#define SELU_ALPHA 1.6732632423543772

/* NaN is neither below 0 nor above 6 and stays. */
#define SIX(x) ((x) < 0 ? 0 : (x) > 6 ? 6 : (x))

#define OF_ONE(suffix, type, f)                                                                    \
    TM_UNARY_LOOP(silu_##suffix, type, type, gated_##suffix(a, logistic_of_##suffix(a)))           \
    TM_UNARY_LOOP(mish_##suffix, type, type, gated_##suffix(a, tanh##f(log1pexp_##suffix(a))))     \
    TM_UNARY_LOOP(logsigmoid_##suffix, type, type, -log1pexp_##suffix(-a))                         \
    TM_UNARY_LOOP(softsign_##suffix, type, type,                                                   \
                  isinf(a) ? copysign##f(1, a) : a / (1 + fabs##f(a)))                             \
    TM_UNARY_LOOP(hardsigmoid_##suffix, type, type, SIX(a + 3) / 6)                                \
    TM_UNARY_LOOP(hardswish_##suffix, type, type, gated_##suffix(a, SIX(a + 3) / 6))               \
    TM_UNARY_LOOP(selu_##suffix, type, type,                                                       \
                  (type)SELU_SCALE *(a > 0 ? a : (type)SELU_ALPHA * expm1##f(a)))
BOTH(OF_ONE)

#define RELU6(name, type, wide) TM_UNARY_LOOP(name, type, type, a <= 0 ? 0 : a > 6 ? 6 : a)
TM_REALS(RELU6, relu6)

const tm_loop tm_silu_loops[] = {TM_FLOAT_LOOPS(silu), {0}};
const tm_loop tm_mish_loops[] = {TM_FLOAT_LOOPS(mish), {0}};
const tm_loop tm_logsigmoid_loops[] = {TM_FLOAT_LOOPS(logsigmoid), {0}};
const tm_loop tm_softsign_loops[] = {TM_FLOAT_LOOPS(softsign), {0}};
const tm_loop tm_hardsigmoid_loops[] = {TM_FLOAT_LOOPS(hardsigmoid), {0}};
const tm_loop tm_hardswish_loops[] = {TM_FLOAT_LOOPS(hardswish), {0}};
const tm_loop tm_selu_loops[] = {TM_FLOAT_LOOPS(selu), {0}};
const tm_loop tm_relu6_loops[] = {TM_NUMERIC_LOOPS(relu6), {0}};

/* -- Functions with parameters ---------------------------------------------------------------- */

/* b and c are the numbers, in the schema's order. Beyond the threshold softplus is x to the last
 * bit or nearly so. */
#define WITH_NUMBERS(suffix, type, f)                                                              \
    TM_BINARY_LOOP(elu_##suffix, type, type, a > 0 ? a : b * expm1##f(a))                          \
    TM_BINARY_LOOP(leaky_relu_##suffix, type, type, a > 0 ? a : a * b)                             \
    TM_TERNARY_LOOP(softplus_##suffix, type, type, a *b > c ? a : log1pexp_##suffix(a * b) / b)    \
    TM_TERNARY_LOOP(hardtanh_##suffix, type, type, a<b ? b : a> c ? c : a)                         \
    TM_TERNARY_LOOP(threshold_##suffix, type, type, a <= b ? c : a)
BOTH(WITH_NUMBERS)

const tm_loop tm_elu_loops[] = {TM_FLOAT_LOOPS(elu), {0}};
const tm_loop tm_leaky_relu_loops[] = {TM_FLOAT_LOOPS(leaky_relu), {0}};
const tm_loop tm_softplus_loops[] = {TM_FLOAT_LOOPS(softplus), {0}};
const tm_loop tm_hardtanh_loops[] = {TM_FLOAT_LOOPS(hardtanh), {0}};
const tm_loop tm_threshold_loops[] = {TM_FLOAT_LOOPS(threshold), {0}};
