/* normalize_softmax.h: softmax of float32 and its logarithm, along rows and down columns.
 *
 * A NaN, or a maximum that is not finite, makes the sum NaN, and so all of the result. Sums are
 * taken in 16 lanes, element i in lane i % 16, absent elements 0; the lanes of each 256 elements
 * are joined by halves and these parts in float64. That order depends on the length alone, so
 * neither the layout nor the machine's instructions change a bit.
 */
#ifndef TM_OPS_NORMALIZE_SOFTMAX_H
#define TM_OPS_NORMALIZE_SOFTMAX_H

#include "normalize_lanes.h"

enum {
    BLOCK = 256,
    GROUP = 8, /* rows */
    STRIPS = 4 /* of 16 columns, taken side by side */
};

/* What is taken from x less its maximum (the logarithm of its sum), or multiplied with its
 * exponential. */
TM_INLINE float last_operand(double total, bool logarithm)
{
    return (float)(logarithm ? log(total) : 1 / total);
}

/* The last elements of a row, `count` < 16 of them; the exponential of -inf is 0. By fours in
 * registers: a vector read back from elements just stored waits for them. */
TM_INLINE void load_rest(floats *v, const float *x, int64_t count)
{
    four_floats part[LANES / 4];
    for (int k = 0; k < LANES / 4; k++) {
        const int64_t left = count - 4 * k;
        part[k] = (four_floats){0} - INFINITY;
        if (left >= 4) {
            __builtin_memcpy(&part[k], x + 4 * k, sizeof part[k]);
        } else if (left > 0) {
            const float second = left > 1 ? x[4 * k + 1] : -INFINITY;
            const float third = left > 2 ? x[4 * k + 2] : -INFINITY;
            part[k] = (four_floats){x[4 * k], second, third, -INFINITY};
        }
    }
    const half_floats low = __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7);
    const half_floats high = __builtin_shufflevector(part[2], part[3], 0, 1, 2, 3, 4, 5, 6, 7);
    *v = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The exponentials of a row's last elements, 0 beyond them, where exp_lanes of -inf would compute
 * below the normal numbers, which processors do slowly. */
TM_INLINE void exp_rest(floats *v, int64_t count)
{
    const ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const ints present = lane < (int32_t)count;
    *v = (floats)((ints)*v & present);
    exp_lanes(v);
    *v = (floats)((ints)*v & present);
}

TM_INLINE void store_rest(const floats *v, float *out, int64_t count)
{
    float kept[LANES];
    store(v, kept);
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        __builtin_memcpy(out + i, kept + i, sizeof(four_floats));
    for (; i < count; i++)
        out[i] = kept[i];
}

TM_INLINE float row_maximum(const float *x, int64_t n)
{
    const int64_t whole = n - n % LANES;
    floats greatest = (floats){0} - INFINITY, v;
    if (whole < n)
        load_rest(&greatest, x + whole, n - whole);
    for (int64_t i = 0; i < whole; i += LANES) {
        load(&v, x + i);
        raise_to(&greatest, &v);
    }
    return greatest_lane(&greatest);
}

/* The sum of exponentials of x less its maximum; the terms, or for the logarithm the exponents, are
 * left in out. */
TM_INLINE double row_exponentials(const float *x, float *out, int64_t n, float maximum,
                                  bool logarithm)
{
    const int64_t whole = n - n % LANES;
    floats v;
    double total = 0;
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t end = whole - at < BLOCK ? whole : at + BLOCK;
        floats sum = {0};
        for (int64_t i = at; i < end; i += LANES) {
            load(&v, x + i);
            v -= maximum;
            if (logarithm)
                store(&v, out + i);
            exp_lanes(&v);
            sum += v;
            if (!logarithm)
                store(&v, out + i);
        }
        if (end - at < BLOCK && whole < n) {
            float kept[LANES];
            load_rest(&v, x + whole, n - whole);
            v -= maximum;
            if (logarithm)
                store(&v, kept);
            exp_rest(&v, n - whole);
            sum += v;
            if (!logarithm)
                store(&v, kept);
            for (int64_t i = whole; i < n; i++)
                out[i] = kept[i - whole];
        }
        total += (double)lane_sum(&sum);
    }
    return total;
}

TM_INLINE void row_finish(float *out, int64_t n, float last, bool logarithm)
{
    const int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES) {
        floats v;
        load(&v, out + i);
        v = logarithm ? v - last : v * last;
        store(&v, out + i);
    }
    for (int64_t i = whole; i < n; i++)
        out[i] = logarithm ? out[i] - last : out[i] * last;
}

/* Rows of n < 16 elements: the same, and nothing is stored on the way. */
TM_INLINE void short_rows(const char *x, int64_t x_step, char *out, int64_t out_step, int64_t rows,
                          int64_t n, bool logarithm)
{
    for (int64_t r = 0; r < rows; r++) {
        floats v, terms;
        load_rest(&v, (const float *)(const void *)(x + r * x_step), n);
        v -= greatest_lane(&v);
        terms = v;
        exp_rest(&terms, n);
        const float last = last_operand((double)lane_sum(&terms), logarithm);
        v = logarithm ? v - last : terms * last;
        store_rest(&v, (float *)(void *)(out + r * out_step), n);
    }
}

/* Contiguous rows of n >= 1 elements, steps in bytes. In groups, so that the processor has other
 * rows to go on with where one waits for its maximum or its sum. */
TM_INLINE void softmax_rows_of(const char *x, int64_t x_step, char *out, int64_t out_step,
                               int64_t rows, int64_t n, bool logarithm)
{
    if (n < LANES) {
        short_rows(x, x_step, out, out_step, rows, n, logarithm);
        return;
    }
    for (int64_t from = 0; from < rows; from += GROUP) {
        const int group = rows - from < GROUP ? (int)(rows - from) : GROUP;
        float maximum[GROUP], last[GROUP];
        for (int r = 0; r < group; r++)
            maximum[r] = row_maximum((const float *)(const void *)(x + r * x_step), n);
        for (int r = 0; r < group; r++)
            last[r] = last_operand(row_exponentials((const float *)(const void *)(x + r * x_step),
                                                    (float *)(void *)(out + r * out_step), n,
                                                    maximum[r], logarithm),
                                   logarithm);
        for (int r = 0; r < group; r++)
            row_finish((float *)(void *)(out + r * out_step), n, last[r], logarithm);
        x += GROUP * x_step;
        out += GROUP * out_step;
    }
}

TM_INLINE void softmax_rows_body(const char *x, int64_t x_step, char *out, int64_t out_step,
                                 int64_t rows, int64_t n, bool logarithm)
{
    if (logarithm)
        softmax_rows_of(x, x_step, out, out_step, rows, n, true);
    else
        softmax_rows_of(x, x_step, out, out_step, rows, n, false);
}

/* 16 * strips columns of n >= 1 elements. */
TM_INLINE void softmax_columns_body(const char *x, int64_t x_step, char *out, int64_t out_step,
                                    int64_t n, int strips, bool logarithm)
{
    const int64_t strip = (int64_t)sizeof(floats);
    floats greatest[STRIPS], sum[LANES][STRIPS], v;
    double total[STRIPS * LANES] = {0};
    float last[STRIPS * LANES];
    for (int s = 0; s < strips; s++)
        load(&greatest[s], x + s * strip);
    for (int64_t i = 1; i < n; i++)
        for (int s = 0; s < strips; s++) {
            load(&v, x + i * x_step + s * strip);
            raise_to(&greatest[s], &v);
        }
    for (int64_t at = 0; at < n; at += BLOCK) {
        __builtin_memset(sum, 0, sizeof sum);
        for (int64_t i = at; i < n && i < at + BLOCK; i++)
            for (int s = 0; s < strips; s++) {
                load(&v, x + i * x_step + s * strip);
                v -= greatest[s];
                if (logarithm)
                    store(&v, out + i * out_step + s * strip);
                exp_lanes(&v);
                sum[i % LANES][s] += v;
                if (!logarithm)
                    store(&v, out + i * out_step + s * strip);
            }
        for (int s = 0; s < strips; s++) {
            for (int width = LANES / 2; width > 0; width /= 2)
                for (int k = 0; k < width; k++)
                    sum[k][s] += sum[k + width][s];
            float part[LANES];
            store(&sum[0][s], part);
            for (int k = 0; k < LANES; k++)
                total[s * LANES + k] += (double)part[k];
        }
    }
    for (int t = 0; t < strips * LANES; t++)
        last[t] = last_operand(total[t], logarithm);
    for (int64_t i = 0; i < n; i++)
        for (int s = 0; s < strips; s++) {
            char *to = out + i * out_step + s * strip;
            floats with;
            load(&v, to);
            load(&with, last + s * LANES);
            v = logarithm ? v - with : v * with;
            store(&v, to);
        }
}

TM_SIMD_VERSIONS(softmax_rows, softmax_rows_body,
                 (const char *x, int64_t x_step, char *out, int64_t out_step, int64_t rows,
                  int64_t n, bool logarithm),
                 (x, x_step, out, out_step, rows, n, logarithm))
TM_SIMD_VERSIONS(softmax_columns, softmax_columns_body,
                 (const char *x, int64_t x_step, char *out, int64_t out_step, int64_t n, int strips,
                  bool logarithm),
                 (x, x_step, out, out_step, n, strips, logarithm))

#endif
