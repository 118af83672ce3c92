/* reductions_fold.h: eight lanes joined into one, of four outputs at once. */
#ifndef TM_OPS_REDUCTIONS_FOLD_H
#define TM_OPS_REDUCTIONS_FOLD_H

/* Joins the lanes of lane[0..3], vectors of eight, by halves: i with i + 4, then with i + 2, then
 * with i + 1. `joint`, a vector of four, gets the results. JOIN(a, b) leaves a and b joined in a;
 * both have the type `four`. */
#define TM_FOLD_EIGHT(four, lane, JOIN, joint)                                                     \
    do {                                                                                           \
        four half_[4], low_, high_, odd_;                                                          \
        for (int k_ = 0; k_ < 4; k_++) {                                                           \
            half_[k_] = __builtin_shufflevector((lane)[k_], (lane)[k_], 0, 1, 2, 3);               \
            high_ = __builtin_shufflevector((lane)[k_], (lane)[k_], 4, 5, 6, 7);                   \
            JOIN(half_[k_], high_);                                                                \
        }                                                                                          \
        low_ = __builtin_shufflevector(half_[0], half_[1], 0, 1, 4, 5);                            \
        high_ = __builtin_shufflevector(half_[0], half_[1], 2, 3, 6, 7);                           \
        JOIN(low_, high_);                                                                         \
        joint = __builtin_shufflevector(half_[2], half_[3], 0, 1, 4, 5);                           \
        high_ = __builtin_shufflevector(half_[2], half_[3], 2, 3, 6, 7);                           \
        JOIN(joint, high_);                                                                        \
        odd_ = __builtin_shufflevector(low_, joint, 1, 3, 5, 7);                                   \
        joint = __builtin_shufflevector(low_, joint, 0, 2, 4, 6);                                  \
        JOIN(joint, odd_);                                                                         \
    } while (0)

#endif
