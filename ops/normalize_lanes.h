/* normalize_lanes.h: vectors of 16 float32 lanes, and their exponential. */
#ifndef TM_OPS_NORMALIZE_LANES_H
#define TM_OPS_NORMALIZE_LANES_H

#include <math.h>

#include <transmute/kernel.h>

#include "simd.h"

enum { LANES = 16 };

typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef float half_floats __attribute__((vector_size(LANES / 2 * sizeof(float))));
typedef float four_floats __attribute__((vector_size(LANES / 4 * sizeof(float))));
typedef int32_t half_ints __attribute__((vector_size(LANES / 2 * sizeof(int32_t))));

/* Vectors are passed by address: how they are passed by value differs between the levels. */

TM_INLINE void load(floats *v, const void *from)
{
    __builtin_memcpy(v, from, sizeof *v);
}

TM_INLINE void store(const floats *v, void *to)
{
    __builtin_memcpy(to, v, sizeof *v);
}

/** c ? a : b, lane by lane. */
TM_INLINE void choose(const ints *c, const floats *a, const floats *b, floats *result)
{
    *result = (floats)(((ints)*a & *c) | ((ints)*b & ~*c));
}

/** The lanes' sum, by halves. */
TM_INLINE float lane_sum(const floats *v)
{
    half_floats s = __builtin_shufflevector(*v, *v, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(*v, *v, 8, 9, 10, 11, 12, 13, 14, 15);
    s += __builtin_shufflevector(s, s, 4, 5, 6, 7, 0, 1, 2, 3);
    s += __builtin_shufflevector(s, s, 2, 3, 0, 1, 6, 7, 4, 5);
    return s[0] + s[1];
}

/** v = max(v, with); a NaN in `with` is passed over. */
TM_INLINE void raise_to(floats *v, const floats *with)
{
    const ints above = *with > *v;
    choose(&above, with, v, v);
}

TM_INLINE float greatest_lane(const floats *v)
{
    half_floats a = __builtin_shufflevector(*v, *v, 0, 1, 2, 3, 4, 5, 6, 7);
    half_floats b = __builtin_shufflevector(*v, *v, 8, 9, 10, 11, 12, 13, 14, 15);
#define RAISE                                                                                      \
    do {                                                                                           \
        const half_ints above = a > b;                                                             \
        a = (half_floats)(((half_ints)a & above) | ((half_ints)b & ~above));                       \
    } while (0)
    RAISE;
    b = __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
    RAISE;
    b = __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5);
    RAISE;
#undef RAISE
    return a[0] > a[1] ? a[0] : a[1];
}

/** exp(x) for x <= 0 or NaN, to 2 units in the last place: x = k ln 2 + r, |r| <= ln 2 / 2, a
 *  polynomial for exp(r) (Cephes, S. L. Moshier), and 2^k in two steps, which may end below the
 *  normal numbers. From -104 down the result is 0. */
TM_INLINE void exp_lanes(floats *in_out)
{
    const float shift = 12582912; /* 1.5 * 2^23: a float this large has no fraction */
    const floats least = (floats){0} - 104;
    floats x = *in_out;
    const ints below = x < least;
    choose(&below, &least, &x, &x);
    const floats shifted = x * 1.44269504088896341f + shift, whole = shifted - shift;
    const floats r = x - whole * 0.693359375f - whole * -2.12194440e-4f;
    floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1;
    const ints k = (ints)shifted - 0x4b400000, half = k >> 1;
    *in_out = p * (floats)((half + 127) << 23) * (floats)((k - half + 127) << 23);
}

#endif
