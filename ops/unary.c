/* unary.c: functions of one element.
 *
 * neg, abs and relu also have loops for integers, which wrap: they are computed as unsigned. The
 * others have loops for floats alone, so the shared meta computes integers in float32.
 */
#include <math.h>

#include "loops.h"
#include "ops_kernels.h"
#include "unary_float32.h"

TM_UNARY_LOOP(neg_uint8, uint8_t, uint8_t, (uint8_t)(0u - a))
TM_UNARY_LOOP(neg_int32, int32_t, int32_t, (int32_t)(0u - (uint32_t)a))
TM_UNARY_LOOP(neg_int64, int64_t, int64_t, (int64_t)(UINT64_C(0) - (uint64_t)a))
TM_UNARY_LOOP(neg_float32, float, float, -a)
TM_UNARY_LOOP(neg_float64, double, double, -a)

TM_UNARY_LOOP(abs_uint8, uint8_t, uint8_t, a)
TM_UNARY_LOOP(abs_int32, int32_t, int32_t, a < 0 ? (int32_t)(0u - (uint32_t)a) : a)
TM_UNARY_LOOP(abs_int64, int64_t, int64_t, a < 0 ? (int64_t)(UINT64_C(0) - (uint64_t)a) : a)
TM_UNARY_LOOP(abs_float32, float, float, fabsf(a))
TM_UNARY_LOOP(abs_float64, double, double, fabs(a))

/* A comparison with NaN is false, so NaN is passed on; -0 becomes +0. */
TM_UNARY_LOOP(relu_uint8, uint8_t, uint8_t, a)
TM_UNARY_LOOP(relu_int32, int32_t, int32_t, a <= 0 ? 0 : a)
TM_UNARY_LOOP(relu_int64, int64_t, int64_t, a <= 0 ? 0 : a)
TM_UNARY_LOOP(relu_float32, float, float, a <= 0 ? 0 : a)
TM_UNARY_LOOP(relu_float64, double, double, a <= 0 ? 0 : a)

/* Contiguous runs also in AVX2, where the machine has it: the same operations, the same bits. */
#if defined(__x86_64__)
#define FLOAT32_LOOP(name, function)                                                               \
    TM_UNARY_LOOP(name##_any, float, float, function(a))                                           \
    __attribute__((target("avx2"))) static void name##_avx2(const char *from, char *to, int64_t n) \
    {                                                                                              \
        name##_any_run(from, (int64_t)sizeof(float), to, (int64_t)sizeof(float), n);               \
    }                                                                                              \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(float);                                               \
        if (step[0] != item || step[1] != item || !__builtin_cpu_supports("avx2"))                 \
            return name##_any(call, ptr, step, n);                                                 \
        name##_avx2(ptr[0], ptr[1], n);                                                            \
        return TM_OK;                                                                              \
    }
#else
#define FLOAT32_LOOP(name, function) TM_UNARY_LOOP(name, float, float, function(a))
#endif
FLOAT32_LOOP(exp_float32, exp_of_float32)
FLOAT32_LOOP(log_float32, log_of_float32)
FLOAT32_LOOP(tanh_float32, tanh_of_float32)
FLOAT32_LOOP(sigmoid_float32, logistic_of_float32)

TM_UNARY_LOOP(exp_float64, double, double, exp(a))
TM_UNARY_LOOP(log_float64, double, double, log(a))
TM_UNARY_LOOP(tanh_float64, double, double, tanh(a))
TM_UNARY_LOOP(sqrt_float32, float, float, sqrtf(a))
TM_UNARY_LOOP(sqrt_float64, double, double, sqrt(a))

/* By exp(-|x|), which does not overflow. */
static inline double logistic_of_float64(double x)
{
    const double e = exp(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}
TM_UNARY_LOOP(sigmoid_float64, double, double, logistic_of_float64(a))

const tm_loop tm_neg_loops[] = {TM_NUMERIC_LOOPS(neg), {0}};
const tm_loop tm_abs_loops[] = {TM_NUMERIC_LOOPS(abs), {0}};
const tm_loop tm_relu_loops[] = {TM_NUMERIC_LOOPS(relu), {0}};
const tm_loop tm_exp_loops[] = {TM_FLOAT_LOOPS(exp), {0}};
const tm_loop tm_log_loops[] = {TM_FLOAT_LOOPS(log), {0}};
const tm_loop tm_sqrt_loops[] = {TM_FLOAT_LOOPS(sqrt), {0}};
const tm_loop tm_tanh_loops[] = {TM_FLOAT_LOOPS(tanh), {0}};
const tm_loop tm_sigmoid_loops[] = {TM_FLOAT_LOOPS(sigmoid), {0}};
