/* half.h: float16 and bfloat16, which are stored and converted but never computed with.
 *
 * IEEE 754-2019, 3.6 (binary16); bfloat16 is the upper half of a binary32. Rounding is to nearest,
 * ties to even. There is no branch on values, so loops over these functions vectorise.
 */
#ifndef TM_DISPATCH_HALF_H
#define TM_DISPATCH_HALF_H

#include <stdint.h>
#include <string.h>

typedef uint16_t tm_float16;
typedef uint16_t tm_bfloat16;

static inline uint32_t tm_float_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline float tm_float_from_bits(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float tm_float_from_bfloat16(tm_bfloat16 v)
{
    return tm_float_from_bits((uint32_t)v << 16);
}

static inline tm_bfloat16 tm_bfloat16_from_float(float v)
{
    uint32_t bits = tm_float_bits(v);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    uint32_t quiet = bits >> 16 | 0x40u; /* a NaN stays one */
    return (tm_bfloat16)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

/* Normal numbers by moving the exponent; subnormal ones by an exact product of floats. */
static inline float tm_float_from_float16(tm_float16 v)
{
    uint32_t sign = (uint32_t)(v & 0x8000u) << 16, rest = v & 0x7fffu;
    uint32_t normal = (rest << 13) + (112u << 23);
    uint32_t special = (rest << 13) | 0x7f800000u;
    uint32_t subnormal = tm_float_bits((float)(int32_t)rest * 0x1p-24f);
    uint32_t bits = rest >= 0x7c00u ? special : rest < 0x0400u ? subnormal : normal;
    return tm_float_from_bits(bits | sign);
}

/* A subnormal result has its last bit at 2^-24, which is where the sum with 0.5 rounds. */
static inline tm_float16 tm_float16_from_float(float v)
{
    uint32_t bits = tm_float_bits(v), sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    uint32_t normal = (bits - (112u << 23) + 0x0fffu + (bits >> 13 & 1)) >> 13;
    uint32_t subnormal = tm_float_bits(tm_float_from_bits(bits) + 0.5f) - 0x3f000000u;
    uint32_t result = bits < 0x38800000u ? subnormal : normal;
    result = bits >= 0x477ff000u ? 0x7c00u : result; /* 65520 and beyond */
    result = bits > 0x7f800000u ? 0x7e00u : result;
    return (tm_float16)(result | sign);
}

/* A float that rounds on to 16 bits as v itself would: where v lies between two floats, the one
 * whose last bit is set ("round to odd": Boldo and Melquiond, 2008). */
static inline float tm_float_to_odd(double v)
{
    float near = (float)v;
    uint32_t bits = tm_float_bits(near);
    double back = (double)near;
    uint32_t toward_zero = bits - ((back < 0 ? -back : back) > (v < 0 ? -v : v));
    return back == v || v != v ? near : tm_float_from_bits(toward_zero | 1u);
}

/* The same for whole numbers of more bits than a double has: what is cut off sets the last bit. */
static inline double tm_double_to_odd(uint64_t v)
{
    uint64_t kept = (v >> 11 | ((v & 0x7ffu) != 0)) << 11;
    return (double)(v >> 53 ? kept : v);
}

static inline float tm_float_from_uint64(uint64_t v)
{
    return tm_float_to_odd(tm_double_to_odd(v));
}

static inline float tm_float_from_int64(int64_t v)
{
    return v < 0 ? -tm_float_from_uint64(0 - (uint64_t)v) : tm_float_from_uint64((uint64_t)v);
}

#endif
