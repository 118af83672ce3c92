/* functions.h: elementary functions of runs of float32 and float64 elements.
 *
 *     tm_exp_float32_run(x, y, n)      y[i] = exp(x[i])
 *
 * They come from SLEEF, a vector at a time, where the build and the processor have it (exp of
 * float32, with fused products, from functions_exp.h), otherwise from C's <math.h> or
 * unary_float32.h. Errors are below 1 unit in the last place with SLEEF (erf
 * of subnormal results below 2). An element's bits depend on its value alone, not on where it lies,
 * and are the same with AVX2 and AVX-512; without fused products (portable) the last bit may be
 * another. x and y may be the same, and must not overlap otherwise.
 */
#ifndef TM_OPS_FUNCTIONS_H
#define TM_OPS_FUNCTIONS_H

#include <stdint.h>

#define TM_FUNCTIONS(X)                                                                            \
    X(exp)                                                                                         \
    X(exp2)                                                                                        \
    X(expm1)                                                                                       \
    X(log)                                                                                         \
    X(log2)                                                                                        \
    X(log10)                                                                                       \
    X(log1p)                                                                                       \
    X(sin)                                                                                         \
    X(cos)                                                                                         \
    X(tan)                                                                                         \
    X(asin)                                                                                        \
    X(acos)                                                                                        \
    X(atan)                                                                                        \
    X(sinh)                                                                                        \
    X(cosh)                                                                                        \
    X(tanh)                                                                                        \
    X(asinh)                                                                                       \
    X(acosh)                                                                                       \
    X(atanh)                                                                                       \
    X(cbrt)                                                                                        \
    X(erf)

#define TM_DECLARE_FUNCTION(name)                                                                  \
    void tm_##name##_float32_run(const float *x, float *y, int64_t n);                             \
    void tm_##name##_float64_run(const double *x, double *y, int64_t n);
TM_FUNCTIONS(TM_DECLARE_FUNCTION)

#endif
