/* complex_numbers.h: complex elements.
 *
 * Products and quotients are the plain formulas, so that they vectorise and mean the same to every
 * compiler: C's own operators also repair infinities that turned into NaN.
 */
#ifndef TM_OPS_COMPLEX_NUMBERS_H
#define TM_OPS_COMPLEX_NUMBERS_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>

typedef float _Complex tm_complex64;
typedef double _Complex tm_complex128;

/* A number from its parts; C11's CMPLX is not in every compiler's mode. */
static inline tm_complex64 tm_make_complex64(float re, float im)
{
    union {
        float part[2];
        tm_complex64 z;
    } u = {.part = {re, im}};
    return u.z;
}

static inline tm_complex128 tm_make_complex128(double re, double im)
{
    union {
        double part[2];
        tm_complex128 z;
    } u = {.part = {re, im}};
    return u.z;
}

/* Whether a part is NaN; of complex64 too, which widening keeps. */
static inline bool tm_complex_is_nan(tm_complex128 z)
{
    return isnan(creal(z)) || isnan(cimag(z));
}

/* X(name_DTYPE, type, wide) for both, as TM_REALS has it for the others; complex is its own. */
#define TM_COMPLEXES(X, name)                                                                      \
    X(name##_complex64, tm_complex64, tm_complex64)                                                \
    X(name##_complex128, tm_complex128, tm_complex128)

/* Both complex loops of a function of C's <complex.h>; loops.h comes before. */
#define TM_COMPLEX_LIBM_LOOPS(name)                                                                \
    TM_UNARY_LOOP(name##_complex64, tm_complex64, tm_complex64, c##name##f(a))                     \
    TM_UNARY_LOOP(name##_complex128, tm_complex128, tm_complex128, c##name(a))

static inline tm_complex64 tm_mul_complex64(tm_complex64 a, tm_complex64 b)
{
    float ar = crealf(a), ai = cimagf(a), br = crealf(b), bi = cimagf(b);
    return tm_make_complex64(ar * br - ai * bi, ar * bi + ai * br);
}

static inline tm_complex128 tm_mul_complex128(tm_complex128 a, tm_complex128 b)
{
    double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
    return tm_make_complex128(ar * br - ai * bi, ar * bi + ai * br);
}

/* By the smaller part of the divisor over the larger, so that no square overflows (R. L. Smith,
 * "Algorithm 116", 1962). */
static inline tm_complex128 tm_div_complex128(tm_complex128 a, tm_complex128 b)
{
    double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
    if (fabs(br) >= fabs(bi)) {
        if (br == 0 && bi == 0)
            return tm_make_complex128(ar / br, ai / br);
        double ratio = bi / br, scale = br + bi * ratio;
        return tm_make_complex128((ar + ai * ratio) / scale, (ai - ar * ratio) / scale);
    }
    double ratio = br / bi, scale = br * ratio + bi;
    return tm_make_complex128((ar * ratio + ai) / scale, (ai * ratio - ar) / scale);
}

/* In double, where no step of it overflows or loses a float's digit. */
static inline tm_complex64 tm_div_complex64(tm_complex64 a, tm_complex64 b)
{
    return (tm_complex64)tm_div_complex128((tm_complex128)a, (tm_complex128)b);
}

#endif
