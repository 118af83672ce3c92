/* normalize_lanes.h: vectors of 16 float32 lanes, and their exponential. */
#ifndef TM_OPS_NORMALIZE_LANES_H
#define TM_OPS_NORMALIZE_LANES_H

#include <math.h>

#include <transmute/kernel.h>

#include "simd.h"

enum { LANES = 16, TOGETHER = 2 /* vectors, where a computation is long */ };

typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef float half_floats __attribute__((vector_size(LANES / 2 * sizeof(float))));
typedef float four_floats __attribute__((vector_size(LANES / 4 * sizeof(float))));
typedef double eight_doubles __attribute__((vector_size(LANES / 2 * sizeof(double))));
typedef int64_t eight_longs __attribute__((vector_size(LANES / 2 * sizeof(int64_t))));

/* Vectors are passed by address: how they are passed by value differs between the levels. */

TM_INLINE void load(floats *v, const void *from)
{
    __builtin_memcpy(v, from, sizeof *v);
}

TM_INLINE void store(const floats *v, void *to)
{
    __builtin_memcpy(to, v, sizeof *v);
}

/** *v = max(*v, *with), of vectors of either length; a NaN in `with` is passed over. */
#define RAISE(v, with)                                                                             \
    do {                                                                                           \
        const __typeof__(*(v) > *(v)) above_ = *(with) > *(v);                                     \
        *(v) = (__typeof__(*(v)))(((__typeof__(above_))*(with)&above_) |                           \
                                  ((__typeof__(above_))*(v) & ~above_));                           \
    } while (0)
#define ADD(a, b) *(a) += *(b)

/** The lanes of eight vectors joined by halves, i with i + 8, then with i + 4, i + 2 and i + 1:
 *  `result`, of eight lanes, has what each vector comes to. JOIN(&a, &b) leaves both in a,
 * JOIN_HALF those of half_floats. */
#define JOIN_LANES(v, JOIN, result)                                                                \
    do {                                                                                           \
        floats four_[4], two_[2], other_;                                                          \
        for (int k_ = 0; k_ < 4; k_++) {                                                           \
            four_[k_] = __builtin_shufflevector((v)[2 * k_], (v)[2 * k_ + 1], 0, 1, 2, 3, 4, 5, 6, \
                                                7, 16, 17, 18, 19, 20, 21, 22, 23);                \
            other_ = __builtin_shufflevector((v)[2 * k_], (v)[2 * k_ + 1], 8, 9, 10, 11, 12, 13,   \
                                             14, 15, 24, 25, 26, 27, 28, 29, 30, 31);              \
            JOIN(&four_[k_], &other_);                                                             \
        }                                                                                          \
        for (int k_ = 0; k_ < 2; k_++) {                                                           \
            two_[k_] = __builtin_shufflevector(four_[2 * k_], four_[2 * k_ + 1], 0, 1, 2, 3, 8, 9, \
                                               10, 11, 16, 17, 18, 19, 24, 25, 26, 27);            \
            other_ = __builtin_shufflevector(four_[2 * k_], four_[2 * k_ + 1], 4, 5, 6, 7, 12, 13, \
                                             14, 15, 20, 21, 22, 23, 28, 29, 30, 31);              \
            JOIN(&two_[k_], &other_);                                                              \
        }                                                                                          \
        other_ = __builtin_shufflevector(two_[0], two_[1], 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, \
                                         23, 26, 27, 30, 31);                                      \
        two_[0] = __builtin_shufflevector(two_[0], two_[1], 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20,  \
                                          21, 24, 25, 28, 29);                                     \
        JOIN(&two_[0], &other_);                                                                   \
        half_floats even_ = __builtin_shufflevector(two_[0], two_[0], 0, 2, 4, 6, 8, 10, 12, 14);  \
        half_floats odd_ = __builtin_shufflevector(two_[0], two_[0], 1, 3, 5, 7, 9, 11, 13, 15);   \
        JOIN(&even_, &odd_);                                                                       \
        result = even_;                                                                            \
    } while (0)

/** exp(x) * 2^64 for x <= 0 or NaN, to 2 units in the last place, of `count` vectors side by side:
 *  x = k ln 2 + r, |r| <= ln 2 / 2, a polynomial for exp(r) (least relative error, 0.02 units), and
 *  2^(k + 64), which is never below the normal numbers. Below -104 it is 0. */
TM_INLINE void exp_lanes(floats *in_out, int count)
{
    /* 1.5 * 2^23, which leaves no fraction, and the exponent of 2^64. Its other bits are shifted
     * out. */
    const float shift = 12582912 + 64 + 127;
    floats shifted[TOGETHER], r[TOGETHER], square[TOGETHER], p[TOGETHER];
    TM_UNROLLED
    for (int i = 0; i < count; i++)
        shifted[i] = in_out[i] * 1.44269504088896341f + shift;
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        const floats k = shifted[i] - shift;
        r[i] = in_out[i] - k * 0.693359375f - k * -2.12194440e-4f;
    }
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        square[i] = r[i] * r[i];
        p[i] = (r[i] * 1.3843592023e-3f + 8.3742076531e-3f) * square[i] +
               (r[i] * 4.1668005288e-2f + 1.6666430235e-1f);
    }
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        p[i] = p[i] * square[i] + (r[i] * 4.9999994040e-1f + 1);
    }
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        p[i] = p[i] * r[i] + 1;
        const ints below = in_out[i] < -104;
        in_out[i] = (floats)((ints)(p[i] * (floats)((ints)shifted[i] << 23)) & ~below);
    }
}

#endif
