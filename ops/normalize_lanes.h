/* normalize_lanes.h: 16 float32 lanes in a level's own vectors, 8 of them as float64, and what the
 * lanes are joined to; included by each level's body (levels.h).
 *
 * Bits depend on the lanes alone, not on the vectors that hold them.
 */
#ifndef TM_OPS_NORMALIZE_LANES_H
#define TM_OPS_NORMALIZE_LANES_H

#include <math.h>

#include <transmute/kernel.h>

#include "halves.h"
#include "simd.h"

enum { LANES = 16, GROUP = 8 /* rows, whose lanes are joined together */ };

#define WIDTH (LEVEL_BYTES / 4) /* float32 in a vector */
#define PARTS (LANES / WIDTH)
#define SIDE (WIDTH < LANES ? PARTS : 2) /* vectors side by side, where a computation is long */

#define vector LEVEL(vector)
#define int_vector LEVEL(int_vector)
#define half_vector LEVEL(half_vector)
#define double_vector LEVEL(double_vector)
#define long_vector LEVEL(long_vector)
#define floats LEVEL(floats)
#define doubles LEVEL(doubles)

#define EACH_PART(p) TM_UNROLLED for (int p = 0; p < PARTS; p++)

/** *v = max(*v, *with), of vectors; a NaN in `with` is passed over. */
#define RAISE(v, with)                                                                             \
    do {                                                                                           \
        const __typeof__(*(v) > *(v)) above_ = *(with) > *(v);                                     \
        *(v) = (__typeof__(*(v)))(((__typeof__(above_))*(with)&above_) |                           \
                                  ((__typeof__(above_))*(v) & ~above_));                           \
    } while (0)
#define ADD(a, b) (*(a) += *(b))

/* Of a vector, lane i ^ n in lane i. */
#define ACROSS_16_4 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11
#define ACROSS_16_2 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
#define ACROSS_16_1 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#define ACROSS_8_4 4, 5, 6, 7, 0, 1, 2, 3
#define ACROSS_8_2 2, 3, 0, 1, 6, 7, 4, 5
#define ACROSS_8_1 1, 0, 3, 2, 5, 4, 7, 6
#define ACROSS_4_2 2, 3, 0, 1
#define ACROSS_4_1 1, 0, 3, 2

typedef float four_floats __attribute__((vector_size(4 * sizeof(float))));
typedef float eight_floats __attribute__((vector_size(8 * sizeof(float))));

/* Elements i to i + 3 of `count`, absent ones -inf. In registers: a vector read back from elements
 * just stored waits for them. */
TM_INLINE void load_four(const float *x, int64_t i, int64_t count, four_floats *v)
{
    *v = (four_floats){0} - INFINITY;
    if (i + 4 <= count) {
        __builtin_memcpy(v, x + i, sizeof *v);
    } else if (i < count) {
        const float second = i + 1 < count ? x[i + 1] : -INFINITY;
        const float third = i + 2 < count ? x[i + 2] : -INFINITY;
        *v = (four_floats){x[i], second, third, -INFINITY};
    }
}

#endif

/* -- Of each level ----------------------------------------------------------------------------- */

/* The lanes of two half vectors. */
#undef BOTH
#if WIDTH == 16
#define BOTH 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#elif WIDTH == 8
#define BOTH 0, 1, 2, 3, 4, 5, 6, 7
#else
#define BOTH 0, 1, 2, 3
#endif

typedef float vector __attribute__((vector_size(WIDTH * sizeof(float))));
typedef int32_t int_vector __attribute__((vector_size(WIDTH * sizeof(int32_t))));
typedef float half_vector __attribute__((vector_size(WIDTH / 2 * sizeof(float))));
typedef double double_vector __attribute__((vector_size(WIDTH / 2 * sizeof(double))));
typedef uint64_t long_vector __attribute__((vector_size(WIDTH / 2 * sizeof(uint64_t))));

typedef struct floats {
    vector part[PARTS];
} floats;

typedef struct doubles {
    double_vector part[PARTS];
} doubles; /* 8 */

TM_INLINE void LEVEL(load)(floats *v, const void *from)
{
    EACH_PART(p)
    {
        __builtin_memcpy(&v->part[p], (const char *)from + p * (int)sizeof(vector), sizeof(vector));
    }
}

TM_INLINE void LEVEL(store)(const floats *v, void *to)
{
    EACH_PART(p)
    {
        __builtin_memcpy((char *)to + p * (int)sizeof(vector), &v->part[p], sizeof(vector));
    }
}

/* The last elements of a row, `count` < 16 of them, and -inf. */
TM_INLINE void LEVEL(load_rest)(floats *v, const float *x, int64_t count)
{
    four_floats four[LANES / 4];
    TM_UNROLLED
    for (int k = 0; k < LANES / 4; k++)
        load_four(x, 4 * k, count, &four[k]);
#if WIDTH == 4
    __builtin_memcpy(v, four, sizeof *v);
#else
    eight_floats half[2];
    TM_UNROLLED
    for (int k = 0; k < 2; k++)
        half[k] = __builtin_shufflevector(four[2 * k], four[2 * k + 1], 0, 1, 2, 3, 4, 5, 6, 7);
#if WIDTH == 8
    v->part[0] = half[0], v->part[1] = half[1];
#else
    v->part[0] = __builtin_shufflevector(half[0], half[1], BOTH);
#endif
#endif
}

TM_INLINE void LEVEL(store_rest)(const floats *v, float *out, int64_t count)
{
    float kept[LANES];
    LEVEL(store)(v, kept);
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        __builtin_memcpy(out + i, kept + i, sizeof(four_floats));
    for (; i < count; i++)
        out[i] = kept[i];
}

TM_INLINE void LEVEL(load_doubles)(doubles *v, const double *from)
{
    __builtin_memcpy(v, from, sizeof *v);
}

TM_INLINE void LEVEL(store_doubles)(const doubles *v, double *to)
{
    __builtin_memcpy(to, v, sizeof *v);
}

/* Eight numbers as float64. */
TM_INLINE void LEVEL(widen)(const float *x, doubles *v)
{
#if WIDTH == 16 /* one by one: of a vector this long, gcc converts the halves */
    v->part[0] = (double_vector){(double)x[0], (double)x[1], (double)x[2], (double)x[3],
                                 (double)x[4], (double)x[5], (double)x[6], (double)x[7]};
#else
    EACH_PART(p)
    {
        half_vector half;
        __builtin_memcpy(&half, x + p * WIDTH / 2, sizeof half);
        v->part[p] = __builtin_convertvector(half, double_vector);
    }
#endif
}

/* Eight numbers as float32. */
TM_INLINE void LEVEL(narrow)(const doubles *v, float *x)
{
    EACH_PART(p)
    {
        const half_vector half = __builtin_convertvector(v->part[p], half_vector);
        __builtin_memcpy(x + p * WIDTH / 2, &half, sizeof half);
    }
}

/* The same, of twice eight. */
TM_INLINE void LEVEL(narrow_16)(const doubles *v, floats *x)
{
    half_vector half[2 * PARTS];
    TM_UNROLLED
    for (int p = 0; p < 2 * PARTS; p++)
        half[p] = __builtin_convertvector(v[p / PARTS].part[p % PARTS], half_vector);
    EACH_PART(p)
    {
        x->part[p] = __builtin_shufflevector(half[2 * p], half[2 * p + 1], BOTH);
    }
}

/* The lanes of eight times 16 joined by halves, i with i + 8, then with i + 4, i + 2 and i + 1:
 * what each 16 come to. JOIN(&a, &b) leaves both in a. */
#define JOIN_LANES(v, JOIN, result)                                                                \
    do {                                                                                           \
        vector each_[GROUP];                                                                       \
        for (int r_ = 0; r_ < GROUP; r_++) {                                                       \
            floats lanes_ = (v)[r_];                                                               \
            FOLD(lanes_.part, PARTS, JOIN)                                                         \
            each_[r_] = lanes_.part[0];                                                            \
        }                                                                                          \
        JOIN_WIDTH(each_, JOIN)                                                                    \
        __builtin_memcpy(result, each_, GROUP * sizeof(float));                                    \
    } while (0)
#undef JOIN_WIDTH
#if WIDTH == 16
#define JOIN_WIDTH(v, JOIN)                                                                        \
    HALVE(v, 4, 16_8, JOIN)                                                                        \
    HALVE(v, 2, 16_4, JOIN)                                                                        \
    HALVE(v, 1, 16_2, JOIN)                                                                        \
    v[1] = v[0];                                                                                   \
    HALVE(v, 1, 16_1, JOIN)
#elif WIDTH == 8
#define JOIN_WIDTH HALVE_8_LANES_OF_8
#else
#define JOIN_WIDTH HALVE_4_LANES_OF_8
#endif

/* Lanes i and i ^ n, joined in both. */
#undef JOIN_ACROSS_4
#undef JOIN_ACROSS_2
#undef JOIN_ACROSS_1
#define JOIN_ACROSS(v, list, JOIN)                                                                 \
    EACH_PART(p_)                                                                                  \
    {                                                                                              \
        const vector other_ = __builtin_shufflevector((v).part[p_], (v).part[p_], list);           \
        JOIN(&(v).part[p_], &other_);                                                              \
    }
#if WIDTH == 16
#define JOIN_ACROSS_4(v, JOIN) JOIN_ACROSS(v, ACROSS_16_4, JOIN)
#define JOIN_ACROSS_2(v, JOIN) JOIN_ACROSS(v, ACROSS_16_2, JOIN)
#define JOIN_ACROSS_1(v, JOIN) JOIN_ACROSS(v, ACROSS_16_1, JOIN)
#elif WIDTH == 8
#define JOIN_ACROSS_4(v, JOIN) JOIN_ACROSS(v, ACROSS_8_4, JOIN)
#define JOIN_ACROSS_2(v, JOIN) JOIN_ACROSS(v, ACROSS_8_2, JOIN)
#define JOIN_ACROSS_1(v, JOIN) JOIN_ACROSS(v, ACROSS_8_1, JOIN)
#else
#define JOIN_ACROSS_4(v, JOIN)                                                                     \
    EACH_PART(p_)                                                                                  \
    {                                                                                              \
        if (p_ % 2 == 0) {                                                                         \
            const vector low_ = (v).part[p_];                                                      \
            JOIN(&(v).part[p_], &(v).part[p_ + 1]);                                                \
            JOIN(&(v).part[p_ + 1], &low_);                                                        \
        }                                                                                          \
    }
#define JOIN_ACROSS_2(v, JOIN) JOIN_ACROSS(v, ACROSS_4_2, JOIN)
#define JOIN_ACROSS_1(v, JOIN) JOIN_ACROSS(v, ACROSS_4_1, JOIN)
#endif

/* The lanes of eight times eight numbers, each eight joined by halves to their sum. */
#undef SUM_WIDTH
#if WIDTH == 16
#define SUM_WIDTH(v) HALVE_8_LANES_OF_8(v, ADD)
#elif WIDTH == 8
#define SUM_WIDTH(v) HALVE_4_LANES_OF_8(v, ADD)
#else
#define SUM_WIDTH(v) HALVE(v, 4, 2_1, ADD)
#endif
TM_INLINE void LEVEL(lanes_totals)(const doubles *v, doubles *total)
{
    double_vector each[GROUP];
    for (int r = 0; r < GROUP; r++) {
        doubles lanes = v[r];
        FOLD(lanes.part, PARTS, ADD)
        each[r] = lanes.part[0];
    }
    SUM_WIDTH(each)
    EACH_PART(p)
    {
        total->part[p] = each[p];
    }
}
