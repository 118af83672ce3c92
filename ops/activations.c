/* activations.c: activation functions.
 *
 * Floats alone have loops (relu6: integers too), so the shared meta computes integers in float32.
 * Parameters are numbers that the loops are given as operands. Functions of the form x g(x), g
 * falling to 0, are 0 at -inf.
 */
#include <math.h>
#include <string.h>

#include "function_loops.h"
#include "ops_kernels.h"

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

/* exp(-|x|) does not overflow; the logistic function by it. */
#define LOGISTIC(x, t) (((x) < 0 ? (t) : 1) / (1 + (t)))

/* log(1 + exp(x)) for x <= 0. */
#define LOG1P_OF_EXP(suffix, type, f)                                                              \
    static void log1p_of_exp_##suffix(const type *x, type *y, int64_t n)                           \
    {                                                                                              \
        tm_exp_##suffix##_run(x, y, n);                                                            \
        tm_log1p_##suffix##_run(y, y, n);                                                          \
    }
BOTH(LOG1P_OF_EXP)

/* -- gelu ------------------------------------------------------------------------------------- */

#define SQRT_HALF 0.70710678118654752
#define SQRT_8_OVER_PI 1.5957691216057308
#define CUBIC 0.044715

/* x Phi(x), the normal distribution by erfc, which does not cancel for x < 0; or (Hendrycks and
 * Gimpel, 2016) x (1 + tanh(u)) / 2 = x logistic(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3). */
#define TWO_U(type, x) ((type)SQRT_8_OVER_PI * ((x) + (type)CUBIC * (x) * (x) * (x)))
#define GELU(suffix, type, f)                                                                      \
    TM_UNARY_LOOP(gelu_##suffix, type, type,                                                       \
                  gated_##suffix(a, (type)0.5 * erfc##f(-a * (type)SQRT_HALF)))                    \
    TM_THROUGH_LOOP(gelu_tanh_##suffix, type, 1, tm_exp_##suffix##_run, -fabs##f(TWO_U(type, a)),  \
                    gated_##suffix(a, LOGISTIC(TWO_U(type, a), t)))
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

/* tanh(log(1 + exp(x))) = ((1 + e)^2 - 1) / ((1 + e)^2 + 1) with e = exp(x), by t = exp(-|x|). */
#define TANH_OF_SOFTPLUS(x, t)                                                                     \
    ((x) < 0 ? (t) * ((t) + 2) / ((t) * ((t) + 2) + 2) : (1 + 2 * (t)) / (1 + 2 * (t) * (1 + (t))))

#define OF_ONE(suffix, type, f)                                                                    \
    TM_THROUGH_LOOP(silu_##suffix, type, 1, tm_exp_##suffix##_run, -fabs##f(a),                    \
                    gated_##suffix(a, LOGISTIC(a, t)))                                             \
    TM_THROUGH_LOOP(mish_##suffix, type, 1, tm_exp_##suffix##_run, -fabs##f(a),                    \
                    gated_##suffix(a, TANH_OF_SOFTPLUS(a, t)))                                     \
    TM_THROUGH_LOOP(logsigmoid_##suffix, type, 1, log1p_of_exp_##suffix, -fabs##f(a),              \
                    -((a > 0 ? 0 : -a) + t))                                                       \
    TM_UNARY_LOOP(softsign_##suffix, type, type,                                                   \
                  isinf(a) ? copysign##f(1, a) : a / (1 + fabs##f(a)))                             \
    TM_UNARY_LOOP(hardsigmoid_##suffix, type, type, SIX(a + 3) / 6)                                \
    TM_UNARY_LOOP(hardswish_##suffix, type, type, gated_##suffix(a, SIX(a + 3) / 6))               \
    TM_THROUGH_LOOP(selu_##suffix, type, 1, tm_expm1_##suffix##_run, a,                            \
                    (type)SELU_SCALE *(a > 0 ? a : (type)SELU_ALPHA * t))
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
    TM_THROUGH_LOOP(elu_##suffix, type, 2, tm_expm1_##suffix##_run, a, a > 0 ? a : b * t)          \
    TM_BINARY_LOOP(leaky_relu_##suffix, type, type, a > 0 ? a : a * b)                             \
    TM_THROUGH_LOOP(softplus_##suffix, type, 3, log1p_of_exp_##suffix, -fabs##f(a *b),             \
                    a *b > c ? a : ((a * b < 0 ? 0 : a * b) + t) / b)                              \
    TM_TERNARY_LOOP(hardtanh_##suffix, type, type, a<b ? b : a> c ? c : a)                         \
    TM_TERNARY_LOOP(threshold_##suffix, type, type, a <= b ? c : a)
BOTH(WITH_NUMBERS)

const tm_loop tm_elu_loops[] = {TM_FLOAT_LOOPS(elu), {0}};
const tm_loop tm_leaky_relu_loops[] = {TM_FLOAT_LOOPS(leaky_relu), {0}};
const tm_loop tm_softplus_loops[] = {TM_FLOAT_LOOPS(softplus), {0}};
const tm_loop tm_hardtanh_loops[] = {TM_FLOAT_LOOPS(hardtanh), {0}};
const tm_loop tm_threshold_loops[] = {TM_FLOAT_LOOPS(threshold), {0}};
