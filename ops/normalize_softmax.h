/* normalize_softmax.h: softmax of float32 and its logarithm, along rows and down columns.
 *
 * A NaN, or a maximum that is not finite, makes the sum NaN, and so all of the result. Terms are
 * exponentials times 2^64, so that none is below the normal numbers. They are summed in 16 lanes,
 * element i in lane i % 16, absent elements as if -inf; the lanes of each 256 elements are joined
 * by halves and these parts in float64. That order depends on the length alone, so neither the
 * layout nor the machine's instructions change a bit.
 *
 * Rows are taken eight at a time: one row's maximum, sum and quotient wait for each other, those of
 * eight rows are eight lanes.
 */
#ifndef TM_OPS_NORMALIZE_SOFTMAX_H
#define TM_OPS_NORMALIZE_SOFTMAX_H

#include "normalize_lanes.h"

enum {
    BLOCK = 256,
    GROUP = 8, /* rows */
    STRIPS = 4 /* of 16 columns, taken side by side */
};

/* Logarithms of finite numbers above 0, or NaN: x = 2^k m, m in [1, 2), s = (m - 1) / (m + 1), and
 * log(m) = 2 (s + s^3 / 3 + ...), after m above the root of 2 is halved. */
TM_INLINE void log_lanes(eight_doubles *in_out)
{
    const eight_longs bits = (eight_longs)*in_out;
    const eight_longs upper = ((bits & 0xfffffffffffff) > 0x6a09e667f3bcc) & 1;
    const eight_longs k = (bits >> 52) - 1023 + upper;
    const eight_doubles m = (eight_doubles)((bits & 0xfffffffffffff) | ((1023 - upper) << 52));
    const eight_doubles s = (m - 1) / (m + 1), t = s * s;
    eight_doubles p = t * (2 / 17.0) + 2 / 15.0;
    p = p * t + 2 / 13.0;
    p = p * t + 2 / 11.0;
    p = p * t + 2 / 9.0;
    p = p * t + 2 / 7.0;
    p = p * t + 2 / 5.0;
    p = p * t + 2 / 3.0;
    p = p * t + 2;
    /* An integer added to the bits of 1.5 * 2^52 is added to that number. */
    const eight_doubles whole = (eight_doubles)(k + 0x4338000000000000) - 6755399441055744.0;
    *in_out = whole * 0.69314718055994530942 + p * s + *in_out * 0; /* what is not finite: NaN */
}

/* Of eight sums of terms: what is taken from x less its maximum, or multiplied with its term. */
TM_INLINE void last_operands(const eight_doubles *total, bool logarithm, void *last)
{
    eight_doubles v = *total;
    if (logarithm) {
        v *= 0x1p-64;
        log_lanes(&v);
    } else {
        v = 1 / v;
    }
    const half_floats result = __builtin_convertvector(v, half_floats);
    __builtin_memcpy(last, &result, sizeof result);
}

/* The last elements of a row, `count` < 16 of them, and -inf. By fours in
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

/* Joins the greatest elements of a row of n >= 16 into `greatest`. */
TM_INLINE void row_greatest(const float *x, int64_t n, floats *greatest)
{
    const int64_t whole = n - n % LANES;
    floats v;
    if (whole < n)
        load_rest(greatest, x + whole, n - whole);
    else
        *greatest = (floats){0} - INFINITY;
    floats other = *greatest;
    int64_t i = 0;
    for (; i + 2 * LANES <= whole; i += 2 * LANES) {
        load(&v, x + i);
        RAISE(greatest, &v);
        load(&v, x + i + LANES);
        RAISE(&other, &v);
    }
    if (i < whole) {
        load(&v, x + i);
        RAISE(greatest, &v);
    }
    RAISE(greatest, &other);
}

/* Sums the terms of up to 256 of n elements, and leaves them in out unless the logarithm is asked
 * for. */
TM_INLINE void block_terms(const float *x, float *out, int64_t n, float maximum, bool logarithm,
                           floats *sum)
{
    const int64_t whole = n - n % LANES;
    floats v;
    *sum = (floats){0};
    int64_t i = 0;
    for (; i + TOGETHER * LANES <= whole; i += TOGETHER * LANES) {
        floats w[TOGETHER];
        TM_UNROLLED
        for (int k = 0; k < TOGETHER; k++) {
            load(&w[k], x + i + k * LANES);
            w[k] -= maximum;
        }
        exp_lanes(w, TOGETHER);
        TM_UNROLLED
        for (int k = 0; k < TOGETHER; k++) {
            *sum += w[k];
            if (!logarithm)
                store(&w[k], out + i + k * LANES);
        }
    }
    for (; i < whole; i += LANES) {
        load(&v, x + i);
        v -= maximum;
        exp_lanes(&v, 1);
        *sum += v;
        if (!logarithm)
            store(&v, out + i);
    }
    if (whole < n) {
        load_rest(&v, x + whole, n - whole);
        v -= maximum;
        exp_lanes(&v, 1);
        *sum += v;
        if (!logarithm)
            store_rest(&v, out + whole, n - whole);
    }
}

/* `x`: the row; its terms are in out. */
TM_INLINE void row_finish(const float *x, float *out, int64_t n, float maximum, float last,
                          bool logarithm)
{
    const int64_t whole = n - n % LANES;
    floats v;
    for (int64_t i = 0; i < whole; i += LANES) {
        load(&v, logarithm ? x + i : out + i);
        v = logarithm ? v - maximum - last : v * last;
        store(&v, out + i);
    }
    for (int64_t i = whole; i < n; i++)
        out[i] = logarithm ? x[i] - maximum - last : out[i] * last;
}

#define ROW_OF(base, step, r) ((float *)(void *)((char *)(uintptr_t)(base) + (r) * (step)))

/* `rows` rows, at most GROUP, of n >= 16 elements. */
TM_INLINE void group_of_rows(const char *x, int64_t x_step, char *out, int64_t out_step, int rows,
                             int64_t n, bool logarithm)
{
    floats lanes[GROUP];
    half_floats joint;
    float maximum[GROUP], last[GROUP];
    eight_doubles total = {0};
    for (int r = rows; r < GROUP; r++)
        lanes[r] = (floats){0};
    for (int r = 0; r < rows; r++)
        row_greatest(ROW_OF(x, x_step, r), n, &lanes[r]);
    JOIN_LANES(lanes, RAISE, joint);
    __builtin_memcpy(maximum, &joint, sizeof joint);
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t m = n - at < BLOCK ? n - at : BLOCK;
        for (int r = 0; r < rows; r++)
            block_terms(ROW_OF(x, x_step, r) + at, ROW_OF(out, out_step, r) + at, m, maximum[r],
                        logarithm, &lanes[r]);
        JOIN_LANES(lanes, ADD, joint);
        total += __builtin_convertvector(joint, eight_doubles);
    }
    last_operands(&total, logarithm, last);
    for (int r = 0; r < rows; r++)
        row_finish(ROW_OF(x, x_step, r), ROW_OF(out, out_step, r), n, maximum[r], last[r],
                   logarithm);
}

/* `rows` rows, at most GROUP, of n < 16 elements, which stay in registers. Up to `open` of them may
 * be read, and written after those before, 16 elements at a time. */
TM_INLINE void group_of_short_rows(const char *x, int64_t x_step, char *out, int64_t out_step,
                                   int rows, int64_t open, int64_t n, bool logarithm)
{
    static const int32_t window[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                              -1, -1, -1, -1, -1, -1, -1, -1};
    ints present;
    __builtin_memcpy(&present, window + LANES - n, sizeof present);
    const ints absent = ~present & (ints)((floats){0} - INFINITY);
    floats v[GROUP], terms[GROUP];
    half_floats joint;
    float maximum[GROUP], last[GROUP];
    for (int r = rows; r < GROUP; r++)
        v[r] = terms[r] = (floats){0};
    for (int r = 0; r < rows; r++) {
        if (r < open)
            load(&v[r], ROW_OF(x, x_step, r));
        else
            load_rest(&v[r], ROW_OF(x, x_step, r), n);
        v[r] = (floats)(((ints)v[r] & present) | absent);
    }
    JOIN_LANES(v, RAISE, joint);
    __builtin_memcpy(maximum, &joint, sizeof joint);
    for (int r = 0; r < rows; r++) {
        v[r] -= maximum[r];
        terms[r] = v[r];
        exp_lanes(&terms[r], 1);
        terms[r] = (floats)((ints)terms[r] & present);
    }
    JOIN_LANES(terms, ADD, joint);
    const eight_doubles total = __builtin_convertvector(joint, eight_doubles);
    last_operands(&total, logarithm, last);
    for (int r = 0; r < rows; r++) {
        v[r] = logarithm ? v[r] - last[r] : terms[r] * last[r];
        if (r < open)
            store(&v[r], ROW_OF(out, out_step, r));
        else
            store_rest(&v[r], ROW_OF(out, out_step, r), n);
    }
}

/* Joins every `n` lanes, 1, 2, 4 or 8, by halves; all of them get the result. */
#define JOIN_PARTS(v, n, JOIN)                                                                     \
    do {                                                                                           \
        floats other_;                                                                             \
        if ((n) == 8) {                                                                            \
            other_ = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9,   \
                                             10, 11);                                              \
            JOIN(&v, &other_);                                                                     \
        }                                                                                          \
        if ((n) >= 4) {                                                                            \
            other_ = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15,   \
                                             12, 13);                                              \
            JOIN(&v, &other_);                                                                     \
        }                                                                                          \
        if ((n) >= 2) {                                                                            \
            other_ = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12,   \
                                             15, 14);                                              \
            JOIN(&v, &other_);                                                                     \
        }                                                                                          \
    } while (0)

/* Rows of 1, 2, 4 or 8 elements without gaps, `count` elements in all: several rows a vector. */
TM_INLINE void packed_rows(const float *x, float *out, int64_t count, int64_t n, bool logarithm)
{
    for (int64_t i = 0; i < count; i += LANES) {
        const bool whole = count - i >= LANES;
        floats v, terms;
        if (whole)
            load(&v, x + i);
        else
            load_rest(&v, x + i, count - i);
        terms = v;
        JOIN_PARTS(terms, n, RAISE);
        v -= terms;
        terms = v;
        exp_lanes(&terms, 1);
        floats sum = terms, last;
        half_floats part[2];
        JOIN_PARTS(sum, n, ADD);
        store(&sum, part);
        for (int k = 0; k < 2; k++) {
            const eight_doubles total = __builtin_convertvector(part[k], eight_doubles);
            last_operands(&total, logarithm, &part[k]);
        }
        load(&last, part);
        v = logarithm ? v - last : terms * last;
        if (whole)
            store(&v, out + i);
        else
            store_rest(&v, out + i, count - i);
    }
}

/* Contiguous rows of n >= 1 elements, steps in bytes. */
TM_INLINE void softmax_rows_of(const char *x, int64_t x_step, char *out, int64_t out_step,
                               int64_t rows, int64_t n, bool logarithm)
{
    const int64_t bytes = n * (int64_t)sizeof(float);
    const bool dense = x_step == bytes && out_step == bytes;
    if (dense && n < LANES && (n & (n - 1)) == 0) {
        packed_rows(ROW_OF(x, 0, 0), ROW_OF(out, 0, 0), rows * n, n, logarithm);
        return;
    }
    int64_t open = 0; /* short rows behind which others of this call's lie */
    if (dense && rows * n >= LANES)
        open = (rows * n - LANES) / n + 1;
    for (; rows > 0; rows -= GROUP, open -= GROUP) {
        const int group = rows < GROUP ? (int)rows : GROUP;
        if (n < LANES)
            group_of_short_rows(x, x_step, out, out_step, group, open, n, logarithm);
        else
            group_of_rows(x, x_step, out, out_step, group, n, logarithm);
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
    eight_doubles total[2 * STRIPS] = {{0}};
    float last[STRIPS * LANES];
    for (int s = 0; s < strips; s++)
        load(&greatest[s], x + s * strip);
    for (int64_t i = 1; i < n; i++)
        for (int s = 0; s < strips; s++) {
            load(&v, x + i * x_step + s * strip);
            RAISE(&greatest[s], &v);
        }
    for (int64_t at = 0; at < n; at += BLOCK) {
        __builtin_memset(sum, 0, sizeof sum);
        for (int64_t i = at; i < n && i < at + BLOCK; i++)
            for (int s = 0; s < strips; s++) {
                load(&v, x + i * x_step + s * strip);
                v -= greatest[s];
                exp_lanes(&v, 1);
                sum[i % LANES][s] += v;
                if (!logarithm)
                    store(&v, out + i * out_step + s * strip);
            }
        for (int s = 0; s < strips; s++) {
            for (int width = LANES / 2; width > 0; width /= 2)
                for (int k = 0; k < width; k++)
                    sum[k][s] += sum[k + width][s];
            half_floats part[2];
            store(&sum[0][s], part);
            for (int k = 0; k < 2; k++)
                total[2 * s + k] += __builtin_convertvector(part[k], eight_doubles);
        }
    }
    for (int t = 0; t < 2 * strips; t++)
        last_operands(&total[t], logarithm, last + t * LANES / 2);
    for (int64_t i = 0; i < n; i++)
        for (int s = 0; s < strips; s++) {
            char *to = out + i * out_step + s * strip;
            floats with;
            load(&v, logarithm ? x + i * x_step + s * strip : to);
            load(&with, last + s * LANES);
            v = logarithm ? v - greatest[s] - with : v * with;
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
