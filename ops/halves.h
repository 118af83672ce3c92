/* halves.h: lanes of vectors joined by halves, i with i + n/2, and so on until one is left.
 *
 * JOIN(a, b), of addresses of two vectors, leaves both joined in a. The order is that of the lanes
 * whatever the length of the vectors that hold them.
 */
#ifndef TM_OPS_HALVES_H
#define TM_OPS_HALVES_H

#include "simd.h"

/* Of two vectors' runs of 2 n lanes the first n, and the last n. */
#define LOW_16_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH_16_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define LOW_16_4 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define HIGH_16_4 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#define LOW_16_2 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29
#define HIGH_16_2 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31
#define LOW_16_1 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define HIGH_16_1 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW_8_4 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_8_4 4, 5, 6, 7, 12, 13, 14, 15
#define LOW_8_2 0, 1, 4, 5, 8, 9, 12, 13
#define HIGH_8_2 2, 3, 6, 7, 10, 11, 14, 15
#define LOW_8_1 0, 2, 4, 6, 8, 10, 12, 14
#define HIGH_8_1 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_4_2 0, 1, 4, 5
#define HIGH_4_2 2, 3, 6, 7
#define LOW_4_1 0, 2, 4, 6
#define HIGH_4_1 1, 3, 5, 7
#define LOW_2_1 0, 2
#define HIGH_2_1 1, 3

/* Every run of 2 n lanes of the vectors v[] becomes one of n, two vectors one: `count` are left. */
#define HALVE(v, count, n, JOIN)                                                                   \
    TM_UNROLLED for (int k_ = 0; k_ < (count); k_++)                                               \
    {                                                                                              \
        __typeof__(*(v)) low_ = __builtin_shufflevector((v)[2 * k_], (v)[2 * k_ + 1], LOW_##n);    \
        __typeof__(*(v)) high_ = __builtin_shufflevector((v)[2 * k_], (v)[2 * k_ + 1], HIGH_##n);  \
        JOIN(&low_, &high_);                                                                       \
        (v)[k_] = low_;                                                                            \
    }
/* The lanes of eight vectors: what each vector comes to lies in order in the first of them. */
#define HALVE_8_LANES_OF_8(v, JOIN)                                                                \
    HALVE(v, 4, 8_4, JOIN)                                                                         \
    HALVE(v, 2, 8_2, JOIN)                                                                         \
    HALVE(v, 1, 8_1, JOIN)
#define HALVE_4_LANES_OF_8(v, JOIN)                                                                \
    HALVE(v, 4, 4_2, JOIN)                                                                         \
    HALVE(v, 2, 4_1, JOIN)
#define HALVE_2_LANES_OF_8(v, JOIN) HALVE(v, 4, 2_1, JOIN)

/* The parts of one vector are joined in the first of them. */
#define FOLD(part, count, JOIN)                                                                    \
    TM_UNROLLED for (int half_ = (count) / 2; half_ > 0; half_ /= 2)                               \
    {                                                                                              \
        TM_UNROLLED for (int k_ = 0; k_ < half_; k_++) JOIN(&(part)[k_], &(part)[k_ + half_]);     \
    }

#endif
