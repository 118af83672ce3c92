/* turn.h: a square of elements in vector registers, whose rows become columns.
 *
 * A register is lanes of 16 bytes. First squares within a lane are turned, which costs less than
 * what crosses lanes; then whole lanes change places.
 */
#ifndef TM_DISPATCH_TURN_H
#define TM_DISPATCH_TURN_H

#include "simd.h"

/* Two registers interleaved within every lane of 16 bytes, its lower and its upper half; and the
 * even and the odd lanes of both. By items per lane and number of lanes. */
#define TM_LOW_2_1 0, 2
#define TM_HIGH_2_1 1, 3
#define TM_LOW_4_1 0, 4, 1, 5
#define TM_HIGH_4_1 2, 6, 3, 7
#define TM_LOW_8_1 0, 8, 1, 9, 2, 10, 3, 11
#define TM_HIGH_8_1 4, 12, 5, 13, 6, 14, 7, 15
#define TM_LOW_16_1 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define TM_HIGH_16_1 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define TM_LOW_2_2 0, 4, 2, 6
#define TM_HIGH_2_2 1, 5, 3, 7
#define TM_EVEN_2_2 0, 1, 4, 5
#define TM_ODD_2_2 2, 3, 6, 7
#define TM_LOW_2_4 0, 8, 2, 10, 4, 12, 6, 14
#define TM_HIGH_2_4 1, 9, 3, 11, 5, 13, 7, 15
#define TM_EVEN_2_4 0, 1, 4, 5, 8, 9, 12, 13
#define TM_ODD_2_4 2, 3, 6, 7, 10, 11, 14, 15
#define TM_LOW_4_2 0, 8, 1, 9, 4, 12, 5, 13
#define TM_HIGH_4_2 2, 10, 3, 11, 6, 14, 7, 15
#define TM_EVEN_4_2 0, 1, 2, 3, 8, 9, 10, 11
#define TM_ODD_4_2 4, 5, 6, 7, 12, 13, 14, 15
#define TM_LOW_4_4 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define TM_HIGH_4_4 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define TM_EVEN_4_4 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define TM_ODD_4_4 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31

#define TM_TURN_DONE(a, b, side)                                                                   \
    TM_UNROLLED                                                                                    \
    for (int i_ = 0; i_ < (side); i_++)                                                            \
        (a)[i_] = (b)[i_];

/* Squares of `per` items, one beside the other in every lane, in an array `a` of rows. Each round
 * interleaves the upper half of a square's rows with the lower one. */
#define TM_TURN_LANES(row, a, per, lanes)                                                          \
    TM_UNROLLED                                                                                    \
    for (int round_ = 1; round_ < (per); round_ *= 2) {                                            \
        row b_[(per) * (lanes)];                                                                   \
        TM_UNROLLED                                                                                \
        for (int at_ = 0; at_ < (per) * (lanes) / 2; at_++) {                                      \
            const int c_ = at_ % ((per) / 2), r_ = at_ / ((per) / 2) * (per) + c_, k_ = r_ + c_;   \
            b_[k_] =                                                                               \
                __builtin_shufflevector((a)[r_], (a)[r_ + (per) / 2], TM_LOW_##per##_##lanes);     \
            b_[k_ + 1] =                                                                           \
                __builtin_shufflevector((a)[r_], (a)[r_ + (per) / 2], TM_HIGH_##per##_##lanes);    \
        }                                                                                          \
        TM_TURN_DONE(a, b_, (per) * (lanes))                                                       \
    }

/* All of an array `a` of per * lanes rows. */
#define TM_TURN(row, a, per, lanes)                                                                \
    TM_TURN_LANES(row, a, per, lanes)                                                              \
    TM_UNROLLED                                                                                    \
    for (int round_ = 1; round_ < (lanes); round_ *= 2) {                                          \
        row b_[(per) * (lanes)];                                                                   \
        TM_UNROLLED                                                                                \
        for (int at_ = 0; at_ < (per) * (lanes) / 2; at_++) {                                      \
            const int c_ = at_ % (per), k_ = at_ / (per);                                          \
            const row even_ = (a)[2 * k_ * (per) + c_], odd_ = (a)[(2 * k_ + 1) * (per) + c_];     \
            b_[k_ * (per) + c_] = __builtin_shufflevector(even_, odd_, TM_EVEN_##per##_##lanes);   \
            b_[(k_ + (lanes) / 2) * (per) + c_] =                                                  \
                __builtin_shufflevector(even_, odd_, TM_ODD_##per##_##lanes);                      \
        }                                                                                          \
        TM_TURN_DONE(a, b_, (per) * (lanes))                                                       \
    }

#endif
