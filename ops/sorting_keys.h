/* sorting_keys.h: unsigned keys whose order is that of the numbers: equal numbers have equal keys,
 * NaN the greatest. */
#ifndef TM_OPS_SORTING_KEYS_H
#define TM_OPS_SORTING_KEYS_H

#include <string.h>

#include "dispatch/half.h"

/* The order of floats is that of their bits with the sign turned round, and for negative ones all
 * the others too. Adding 0 makes 0 of -0. */
static inline uint32_t tm_key_float(float v)
{
    float canonical = v + 0.0f;
    uint32_t bits;
    memcpy(&bits, &canonical, sizeof bits);
    bits ^= bits >> 31 ? UINT32_MAX : (uint32_t)1 << 31;
    return v == v ? bits : UINT32_MAX;
}

static inline uint64_t tm_key_double(double v)
{
    double canonical = v + 0.0;
    uint64_t bits;
    memcpy(&bits, &canonical, sizeof bits);
    bits ^= bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63;
    return v == v ? bits : UINT64_MAX;
}

static inline uint32_t tm_key_float16(tm_float16 v)
{
    return tm_key_float(tm_float_from_float16(v));
}

static inline uint32_t tm_key_bfloat16(tm_bfloat16 v)
{
    return tm_key_float(tm_float_from_bfloat16(v));
}

static inline uint32_t tm_key_signed(int32_t v)
{
    return (uint32_t)v ^ (uint32_t)1 << 31;
}

static inline uint32_t tm_key_unsigned(uint32_t v)
{
    return v;
}

static inline uint64_t tm_key_int64(int64_t v)
{
    return (uint64_t)v ^ (uint64_t)1 << 63;
}

static inline uint64_t tm_key_uint64(uint64_t v)
{
    return v;
}

/* X(dtype, type, key) for the real dtypes whose keys have 32 bits, and those whose keys have 64. */
#define TM_NARROW_KEYS(X)                                                                          \
    X(TM_FLOAT32, float, tm_key_float)                                                             \
    X(TM_INT32, int32_t, tm_key_signed)                                                            \
    X(TM_UINT32, uint32_t, tm_key_unsigned)                                                        \
    X(TM_INT16, int16_t, tm_key_signed)                                                            \
    X(TM_UINT16, uint16_t, tm_key_unsigned)                                                        \
    X(TM_INT8, int8_t, tm_key_signed)                                                              \
    X(TM_UINT8, uint8_t, tm_key_unsigned)                                                          \
    X(TM_BOOL, uint8_t, tm_key_unsigned)                                                           \
    X(TM_FLOAT16, tm_float16, tm_key_float16)                                                      \
    X(TM_BFLOAT16, tm_bfloat16, tm_key_bfloat16)
#define TM_WIDE_KEYS(X)                                                                            \
    X(TM_FLOAT64, double, tm_key_double)                                                           \
    X(TM_INT64, int64_t, tm_key_int64)                                                             \
    X(TM_UINT64, uint64_t, tm_key_uint64)

#endif
