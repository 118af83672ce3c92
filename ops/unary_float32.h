/* unary_float32.h: exp, log and tanh in float32 without branches, for builds without SLEEF.
 *
 * A loop over one of them vectorises. They are made of additions, multiplications, divisions and
 * bits alone, each rounded by IEEE 754 wherever it is done, so an element's bits depend neither on
 * where it lies nor on what instructions the machine has. Polynomials and split constants are from
 * Cephes (S. L. Moshier). Errors, in units in the last place: below 1 for exp and log, below 2
 * for tanh.
 */
#ifndef TM_OPS_UNARY_FLOAT32_H
#define TM_OPS_UNARY_FLOAT32_H

#include <math.h>

#include "loops.h"

/* ln 2 in two parts: the first has few bits, so small whole multiples of it are exact. */
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-2.12194440e-4f)

TM_INLINE uint32_t float32_bits(float x)
{
    union {
        float f;
        uint32_t bits;
    } u = {x};
    return u.bits;
}

TM_INLINE float float32_of_bits(uint32_t bits)
{
    union {
        uint32_t bits;
        float f;
    } u = {bits};
    return u.f;
}

/* c ? a : b by bits: gcc does not vectorise a choice that it takes for a branch. */
TM_INLINE float choose_float32(int c, float a, float b)
{
    const uint32_t mask = 0u - (uint32_t)c;
    return float32_of_bits((float32_bits(a) & mask) | (float32_bits(b) & ~mask));
}

/* x = k ln 2 + r with |r| <= ln 2 / 2, a polynomial for exp(r), and 2^k in two steps, of which the
 * second may overflow or end below the normal numbers. Beyond the bounds the result is inf or 0. */
TM_INLINE float exp_of_float32(float x)
{
    const float shift = 12582912; /* 1.5 * 2^23: a float this large has no fraction */
    x = choose_float32(x > 89, 89, x);
    x = choose_float32(x < -104, -104, x);
    const float shifted = x * 1.44269504088896341f + shift, whole = shifted - shift;
    const float r = x - whole * LN2_HIGH - whole * LN2_LOW;
    float p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1;
    const int32_t k = (int32_t)(float32_bits(shifted) - 0x4b400000u), half = k >> 1;
    return p * float32_of_bits((uint32_t)(half + 127) << 23) *
           float32_of_bits((uint32_t)(k - half + 127) << 23);
}

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)), and a polynomial for log(1 + (m - 1)). */
TM_INLINE float log_of_float32(float x)
{
    const uint32_t least = 0x3f3504f3u; /* sqrt(1/2) */
    const int subnormal = x < 0x1p-126f;
    const float scaled = x * 0x1p23f;
    const uint32_t bits = float32_bits(choose_float32(subnormal, scaled, x)) - least;
    const float e = (float)(((int32_t)bits >> 23) - 23 * subnormal);
    const float f = float32_of_bits((bits & 0x7fffffu) + least) - 1, z = f * f;
    float p = f * 7.0376836292e-2f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    float y = f + (f * z * p + e * LN2_LOW - z * 0.5f) + e * LN2_HIGH;
    y = choose_float32(x == 0, -INFINITY, y);
    y = choose_float32(x < 0, NAN, y);
    return choose_float32(x < INFINITY, y, x); /* inf and NaN as they are */
}

/* 1 - 2 / (exp(2|x|) + 1), near 0 a polynomial; the sign is x's. */
TM_INLINE float tanh_of_float32(float x)
{
    const uint32_t sign = float32_bits(x) & 0x80000000u;
    const float t = float32_of_bits(float32_bits(x) ^ sign), z = t * t;
    const float far = 1 - 2 / (exp_of_float32(t + t) + 1);
    float p = z * -5.70498872745e-3f + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    const float near = p * z * t + t;
    return float32_of_bits(float32_bits(choose_float32(t < 0.625f, near, far)) | sign);
}

#endif
