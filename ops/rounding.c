/* rounding.c: rounding to whole numbers, signs, and the neighbours of floating-point numbers.
 *
 * Integers are whole already and pass through. copysign and nextafter are about the dtype's own
 * numbers, so they have loops for 16-bit floats, on their bits.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define SAME(name, type, wide) TM_UNARY_LOOP(name, type, type, a)
TM_INTEGERS(SAME, same)
TM_LIBM_LOOPS(floor)
TM_LIBM_LOOPS(ceil)
TM_LIBM_LOOPS(trunc)
/* In the default rounding mode: to the even one of two. */
TM_LIBM_LOOPS(rint)
TM_UNARY_LOOP(rint_complex64, tm_complex64, tm_complex64,
              tm_make_complex64(rintf(crealf(a)), rintf(cimagf(a))))
TM_UNARY_LOOP(rint_complex128, tm_complex128, tm_complex128,
              tm_make_complex128(rint(creal(a)), rint(cimag(a))))

const tm_loop tm_floor_loops[] = {TM_FLOAT_LOOPS(floor), TM_INTEGER_LOOPS(same), {0}};
const tm_loop tm_ceil_loops[] = {TM_FLOAT_LOOPS(ceil), TM_INTEGER_LOOPS(same), {0}};
const tm_loop tm_trunc_loops[] = {TM_FLOAT_LOOPS(trunc), TM_INTEGER_LOOPS(same), {0}};
const tm_loop tm_round_loops[] = {
    TM_FLOAT_LOOPS(rint), TM_INTEGER_LOOPS(same), TM_COMPLEX_LOOPS(rint), {0}};

/* -- Signs ------------------------------------------------------------------------------------ */

/* What is not above 0 and not 0 is below, which cannot be asked of an unsigned type. */
#define SIGN(name, type, wide) TM_UNARY_LOOP(name, type, type, (type)(a > 0 ? 1 : 0 - (a != 0)))
TM_INTEGERS(SIGN, sign)
TM_UNARY_LOOP(sign_float32, float, float, a != a ? a : (float)((a > 0) - (a < 0)))
TM_UNARY_LOOP(sign_float64, double, double, a != a ? a : (double)((a > 0) - (a < 0)))

/* Scaled by the larger part, so that the magnitude neither overflows nor vanishes. */
static tm_complex128 sign_of_complex(tm_complex128 z)
{
    const double scale = fmax(fabs(creal(z)), fabs(cimag(z)));
    if (tm_complex_is_nan(z))
        return tm_make_complex128(NAN, NAN);
    if (scale == 0)
        return 0;
    const double re = creal(z) / scale, im = cimag(z) / scale, magnitude = hypot(re, im);
    return tm_make_complex128(re / magnitude, im / magnitude);
}
TM_UNARY_LOOP(sign_complex128, tm_complex128, tm_complex128, sign_of_complex(a))
TM_UNARY_LOOP(sign_complex64, tm_complex64, tm_complex64,
              (tm_complex64)sign_of_complex((tm_complex128)a))

const tm_loop tm_sign_loops[] = {TM_NUMERIC_LOOPS(sign), TM_COMPLEX_LOOPS(sign), {0}};

enum { SIGN_16 = 0x8000, MAGNITUDE_16 = 0x7fff, INF_FLOAT16 = 0x7c00, INF_BFLOAT16 = 0x7f80 };

TM_BINARY_LOOP(copysign_16, uint16_t, uint16_t, (uint16_t)((a & MAGNITUDE_16) | (b & SIGN_16)))
TM_BINARY_LOOP(copysign_float32, float, float, copysignf(a, b))
TM_BINARY_LOOP(copysign_float64, double, double, copysign(a, b))

const tm_loop tm_copysign_loops[] = {TM_FLOAT_LOOPS(copysign),
                                     TM_LOOP_ROW(TM_FLOAT16, TM_FLOAT16, copysign_16),
                                     TM_LOOP_ROW(TM_BFLOAT16, TM_BFLOAT16, copysign_16),
                                     {0}};
TM_SCALAR_METAS(copysign)

/* -- Neighbours ------------------------------------------------------------------------------- */

/* The bits of a 16-bit float as a whole number of the same order; both zeros are 0. */
TM_INLINE int order_16(uint16_t bits)
{
    const int magnitude = bits & MAGNITUDE_16;
    return bits & SIGN_16 ? -magnitude : magnitude;
}

/* One step in that order. Equal numbers give the second, as C's nextafter has it. */
TM_INLINE uint16_t next_16(uint16_t a, uint16_t b, int inf)
{
    const int from = order_16(a), to = order_16(b);
    if ((a & MAGNITUDE_16) > inf)
        return a;
    if ((b & MAGNITUDE_16) > inf || from == to)
        return b;
    const int next = from < to ? from + 1 : from - 1;
    const int sign = next < 0 || (next == 0 && from < 0) ? SIGN_16 : 0;
    return (uint16_t)((next < 0 ? -next : next) | sign);
}
TM_BINARY_LOOP(nextafter_float16, uint16_t, uint16_t, next_16(a, b, INF_FLOAT16))
TM_BINARY_LOOP(nextafter_bfloat16, uint16_t, uint16_t, next_16(a, b, INF_BFLOAT16))
TM_BINARY_LOOP(nextafter_float32, float, float, nextafterf(a, b))
TM_BINARY_LOOP(nextafter_float64, double, double, nextafter(a, b))

const tm_loop tm_nextafter_loops[] = {TM_FLOAT_LOOPS(nextafter),
                                      TM_LOOP_ROW(TM_FLOAT16, TM_FLOAT16, nextafter_float16),
                                      TM_LOOP_ROW(TM_BFLOAT16, TM_BFLOAT16, nextafter_bfloat16),
                                      {0}};
TM_SCALAR_METAS(nextafter)
