/* exponential.c: exponentials, logarithms, powers and roots of one element, and logaddexp.
 *
 * square has loops for integers, which wrap. The others have loops for floats alone, so the shared
 * meta computes integers in float32. Complex functions that C lacks are made here in double.
 */
#include "complex_numbers.h"
#include "function_loops.h"
#include "ops_kernels.h"
#include "scalars.h"

TM_FUNCTION_LOOPS(expm1)
TM_FUNCTION_LOOPS(exp2)
TM_FUNCTION_LOOPS(log1p)
TM_FUNCTION_LOOPS(log2)
TM_FUNCTION_LOOPS(log10)
TM_FUNCTION_LOOPS(cbrt)
TM_FUNCTION_LOOPS(erf)
TM_LIBM_LOOPS(erfc)
TM_UNARY_LOOP(rsqrt_float32, float, float, 1 / sqrtf(a))
TM_UNARY_LOOP(rsqrt_float64, double, double, 1 / sqrt(a))
TM_UNARY_LOOP(reciprocal_float32, float, float, 1 / a)
TM_UNARY_LOOP(reciprocal_float64, double, double, 1 / a)

#define SQUARE(name, type, wide) TM_UNARY_LOOP(name, type, type, (type)((wide)a * (wide)a))
TM_REALS(SQUARE, square)
TM_UNARY_LOOP(square_complex64, tm_complex64, tm_complex64, tm_mul_complex64(a, a))
TM_UNARY_LOOP(square_complex128, tm_complex128, tm_complex128, tm_mul_complex128(a, a))

/* -- Complex numbers -------------------------------------------------------------------------- */

static tm_complex128 times(tm_complex128 z, double factor)
{
    return tm_make_complex128(creal(z) * factor, cimag(z) * factor);
}

/* exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y / 2)^2, in which nothing cancels near 0. */
static tm_complex128 expm1_of(tm_complex128 z)
{
    const double x = creal(z), y = cimag(z);
    if (!isfinite(x) || !isfinite(y) || y == 0 || x > 1) {
        const tm_complex128 e = cexp(z);
        return tm_make_complex128(y == 0 ? expm1(x) : creal(e) - 1, cimag(e));
    }
    const double half = sin(y / 2);
    return tm_make_complex128(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

/* Near 0, log|1 + z| = log1p(x (2 + x) + y^2) / 2. */
static tm_complex128 log1p_of(tm_complex128 z)
{
    const double x = creal(z), y = cimag(z), near = 0.5;
    if (fabs(x) < near && fabs(y) < near)
        return tm_make_complex128(log1p(x * (2 + x) + y * y) / 2, atan2(y, 1 + x));
    return clog(tm_make_complex128(1 + x, y));
}

#define LN_2 0.69314718055994531
#define LN_10 2.3025850929940457
#define COMPLEX_BY_DOUBLE(name, expression)                                                        \
    TM_UNARY_LOOP(name##_complex128, tm_complex128, tm_complex128, expression)                     \
    TM_UNARY_LOOP(name##_complex64, tm_complex64, tm_complex64,                                    \
                  (tm_complex64)name##_complex128_of((tm_complex128)a))
COMPLEX_BY_DOUBLE(expm1, expm1_of(a))
COMPLEX_BY_DOUBLE(exp2, cexp(times(a, LN_2)))
COMPLEX_BY_DOUBLE(log1p, log1p_of(a))
COMPLEX_BY_DOUBLE(log2, times(clog(a), 1 / LN_2))
COMPLEX_BY_DOUBLE(log10, times(clog(a), 1 / LN_10))
COMPLEX_BY_DOUBLE(rsqrt, tm_div_complex128(1, csqrt(a)))
COMPLEX_BY_DOUBLE(reciprocal, tm_div_complex128(1, a))

/* -- logaddexp -------------------------------------------------------------------------------- */

/* By the larger one, so that nothing overflows; two equal infinities have no difference. */
#define LOGADDEXP(suffix, type, f)                                                                 \
    static void log1p_of_exp_##suffix(const type *x, type *y, int64_t n)                           \
    {                                                                                              \
        tm_exp_##suffix##_run(x, y, n);                                                            \
        tm_log1p_##suffix##_run(y, y, n);                                                          \
    }                                                                                              \
    TM_THROUGH_LOOP(logaddexp_##suffix, type, 2, log1p_of_exp_##suffix, -fabs##f(a - b),           \
                    a == b ? a + (type)LN_2 : (a >= b || a != a ? a : b) + t)
LOGADDEXP(float32, float, f)
LOGADDEXP(float64, double, )

const tm_loop tm_expm1_loops[] = {TM_FLOAT_LOOPS(expm1), TM_COMPLEX_LOOPS(expm1), {0}};
const tm_loop tm_exp2_loops[] = {TM_FLOAT_LOOPS(exp2), TM_COMPLEX_LOOPS(exp2), {0}};
const tm_loop tm_log1p_loops[] = {TM_FLOAT_LOOPS(log1p), TM_COMPLEX_LOOPS(log1p), {0}};
const tm_loop tm_log2_loops[] = {TM_FLOAT_LOOPS(log2), TM_COMPLEX_LOOPS(log2), {0}};
const tm_loop tm_log10_loops[] = {TM_FLOAT_LOOPS(log10), TM_COMPLEX_LOOPS(log10), {0}};
const tm_loop tm_square_loops[] = {TM_NUMERIC_LOOPS(square), TM_COMPLEX_LOOPS(square), {0}};
const tm_loop tm_rsqrt_loops[] = {TM_FLOAT_LOOPS(rsqrt), TM_COMPLEX_LOOPS(rsqrt), {0}};
const tm_loop tm_reciprocal_loops[] = {
    TM_FLOAT_LOOPS(reciprocal), TM_COMPLEX_LOOPS(reciprocal), {0}};
const tm_loop tm_cbrt_loops[] = {TM_FLOAT_LOOPS(cbrt), {0}};
const tm_loop tm_erf_loops[] = {TM_FLOAT_LOOPS(erf), {0}};
const tm_loop tm_erfc_loops[] = {TM_FLOAT_LOOPS(erfc), {0}};
const tm_loop tm_logaddexp_loops[] = {TM_FLOAT_LOOPS(logaddexp), {0}};

TM_SCALAR_METAS(logaddexp)
