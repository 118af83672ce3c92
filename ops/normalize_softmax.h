/* normalize_softmax.h: softmax of float32 and its logarithm along rows, at one level of vector
 * instructions; included by normalize.c (levels.h).
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
#include "normalize_lanes.h"
/* after it */
#include "normalize_functions.h"

#define ROW_OF(base, step, r) ((float *)(void *)((char *)(uintptr_t)(base) + (r) * (step)))

TM_INLINE void LEVEL(raise_floats)(floats *v, const floats *with)
{
    EACH_PART(p)
    {
        RAISE(&v->part[p], &with->part[p]);
    }
}

TM_INLINE void LEVEL(add_lanes)(floats *v, const floats *with)
{
    EACH_PART(p)
    {
        v->part[p] += with->part[p];
    }
}

TM_INLINE void LEVEL(subtract)(floats *v, float x)
{
    EACH_PART(p)
    {
        v->part[p] -= x;
    }
}

/* Joins the greatest elements of a row of n >= 16 into `greatest`. */
TM_INLINE void LEVEL(row_greatest)(const float *x, int64_t n, floats *greatest)
{
    const int64_t whole = n - n % LANES;
    floats v, other;
    if (whole < n) {
        LEVEL(load_rest)(greatest, x + whole, n - whole);
    } else {
        EACH_PART(p)
        {
            greatest->part[p] = (vector){0} - INFINITY;
        }
    }
    other = *greatest;
    int64_t i = 0;
    for (; i + 2 * LANES <= whole; i += 2 * LANES) {
        LEVEL(load)(&v, x + i);
        LEVEL(raise_floats)(greatest, &v);
        LEVEL(load)(&v, x + i + LANES);
        LEVEL(raise_floats)(&other, &v);
    }
    if (i < whole) {
        LEVEL(load)(&v, x + i);
        LEVEL(raise_floats)(greatest, &v);
    }
    LEVEL(raise_floats)(greatest, &other);
}

/* Sums the terms of up to 256 of n elements, and leaves them in out unless the logarithm is asked
 * for. */
TM_INLINE void LEVEL(block_terms)(const float *x, float *out, int64_t n, float maximum,
                                  bool logarithm, floats *sum)
{
    const int64_t whole = n - n % LANES;
    floats v, total;
    EACH_PART(p)
    {
        total.part[p] = (vector){0};
    }
    int64_t i = 0;
    for (; i + SIDE * WIDTH <= whole; i += SIDE * WIDTH) {
        vector w[SIDE];
        TM_UNROLLED
        for (int k = 0; k < SIDE; k++) {
            __builtin_memcpy(&w[k], x + i + k * WIDTH, sizeof w[k]);
            w[k] -= maximum;
        }
        LEVEL(exp_vectors)(w, SIDE);
        TM_UNROLLED
        for (int k = 0; k < SIDE; k++) {
            total.part[k % PARTS] += w[k];
            if (!logarithm)
                __builtin_memcpy(out + i + k * WIDTH, &w[k], sizeof w[k]);
        }
    }
    for (; i < whole; i += LANES) {
        LEVEL(load)(&v, x + i);
        LEVEL(subtract)(&v, maximum);
        LEVEL(exp_floats)(&v);
        LEVEL(add_lanes)(&total, &v);
        if (!logarithm)
            LEVEL(store)(&v, out + i);
    }
    if (whole < n) {
        LEVEL(load_rest)(&v, x + whole, n - whole);
        LEVEL(subtract)(&v, maximum);
        LEVEL(exp_floats)(&v);
        LEVEL(add_lanes)(&total, &v);
        if (!logarithm)
            LEVEL(store_rest)(&v, out + whole, n - whole);
    }
    *sum = total;
}

/* `x`: the row; its terms are in out. */
TM_INLINE void LEVEL(row_finish)(const float *x, float *out, int64_t n, float maximum, float last,
                                 bool logarithm)
{
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        vector v;
        __builtin_memcpy(&v, (logarithm ? x : out) + i, sizeof v);
        v = logarithm ? v - maximum - last : v * last;
        __builtin_memcpy(out + i, &v, sizeof v);
    }
    for (; i < n; i++)
        out[i] = logarithm ? x[i] - maximum - last : out[i] * last;
}

/* `rows` rows, at most GROUP, of n >= 16 elements. */
TM_INLINE void LEVEL(group_of_rows)(const char *x, int64_t x_step, char *out, int64_t out_step,
                                    int rows, int64_t n, bool logarithm)
{
    floats lanes[GROUP];
    float maximum[GROUP], sum[GROUP], last[GROUP];
    doubles total = {{{0}}};
    for (int r = rows; r < GROUP; r++)
        lanes[r] = (floats){{{0}}};
    for (int r = 0; r < rows; r++)
        LEVEL(row_greatest)(ROW_OF(x, x_step, r), n, &lanes[r]);
    JOIN_LANES(lanes, RAISE, maximum);
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t m = n - at < BLOCK ? n - at : BLOCK;
        for (int r = 0; r < rows; r++)
            LEVEL(block_terms)
        (ROW_OF(x, x_step, r) + at, ROW_OF(out, out_step, r) + at, m, maximum[r], logarithm,
         &lanes[r]);
        JOIN_LANES(lanes, ADD, sum);
        LEVEL(add_floats)(&total, sum);
    }
    LEVEL(last_operands)(&total, logarithm);
    LEVEL(narrow)(&total, last);
    for (int r = 0; r < rows; r++)
        LEVEL(row_finish)
    (ROW_OF(x, x_step, r), ROW_OF(out, out_step, r), n, maximum[r], last[r], logarithm);
}

/* Lanes that a row of n < 16 elements has keep v's bits, the others get those of `otherwise`. */
TM_INLINE void LEVEL(keep_present)(floats *v, int64_t n, float otherwise)
{
    static const int32_t window[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                              -1, -1, -1, -1, -1, -1, -1, -1};
    EACH_PART(p)
    {
        int_vector present;
        __builtin_memcpy(&present, window + LANES - n + p * WIDTH, sizeof present);
        v->part[p] = (vector)(((int_vector)v->part[p] & present) |
                              (~present & (int_vector)((vector){0} + otherwise)));
    }
}

/* `rows` rows, at most GROUP, of n < 16 elements, which stay in registers. Up to `open` of them may
 * be read, and written after those before, 16 elements at a time. */
TM_INLINE void LEVEL(group_of_short_rows)(const char *x, int64_t x_step, char *out,
                                          int64_t out_step, int rows, int64_t open, int64_t n,
                                          bool logarithm)
{
    floats v[GROUP], terms[GROUP];
    float maximum[GROUP], sum[GROUP], last[GROUP];
    doubles total = {{{0}}};
    for (int r = rows; r < GROUP; r++)
        v[r] = terms[r] = (floats){{{0}}};
    for (int r = 0; r < rows; r++) {
        if (r < open)
            LEVEL(load)(&v[r], ROW_OF(x, x_step, r));
        else
            LEVEL(load_rest)(&v[r], ROW_OF(x, x_step, r), n);
        LEVEL(keep_present)(&v[r], n, -INFINITY);
    }
    JOIN_LANES(v, RAISE, maximum);
    for (int r = 0; r < rows; r++) {
        LEVEL(subtract)(&v[r], maximum[r]);
        terms[r] = v[r];
        LEVEL(exp_floats)(&terms[r]);
        LEVEL(keep_present)(&terms[r], n, 0);
    }
    JOIN_LANES(terms, ADD, sum);
    LEVEL(add_floats)(&total, sum);
    LEVEL(last_operands)(&total, logarithm);
    LEVEL(narrow)(&total, last);
    for (int r = 0; r < rows; r++) {
        EACH_PART(p)
        {
            v[r].part[p] = logarithm ? v[r].part[p] - last[r] : terms[r].part[p] * last[r];
        }
        if (r < open)
            LEVEL(store)(&v[r], ROW_OF(out, out_step, r));
        else
            LEVEL(store_rest)(&v[r], ROW_OF(out, out_step, r), n);
    }
}

/* Of every `n` lanes, 1, 2, 4 or 8, each gets what they are joined to, by halves. */
#define JOIN_EVERY(n, v, JOIN)                                                                     \
    do {                                                                                           \
        if ((n) == 8)                                                                              \
            JOIN_ACROSS_4(v, JOIN)                                                                 \
        if ((n) >= 4)                                                                              \
            JOIN_ACROSS_2(v, JOIN)                                                                 \
        if ((n) >= 2)                                                                              \
            JOIN_ACROSS_1(v, JOIN)                                                                 \
    } while (0)

/* Rows of 1, 2, 4 or 8 elements without gaps, `count` elements in all: several rows a vector. */
TM_INLINE void LEVEL(packed_rows)(const float *x, float *out, int64_t count, int64_t n,
                                  bool logarithm)
{
    for (int64_t i = 0; i < count; i += LANES) {
        const bool whole = count - i >= LANES;
        floats v, terms, sum, last;
        doubles total[2];
        float part[LANES];
        if (whole)
            LEVEL(load)(&v, x + i);
        else
            LEVEL(load_rest)(&v, x + i, count - i);
        terms = v;
        JOIN_EVERY(n, terms, RAISE);
        EACH_PART(p)
        {
            v.part[p] -= terms.part[p];
        }
        terms = v;
        LEVEL(exp_floats)(&terms);
        sum = terms;
        JOIN_EVERY(n, sum, ADD);
        LEVEL(store)(&sum, part);
        for (int k = 0; k < 2; k++) {
            LEVEL(widen)(part + k * GROUP, &total[k]);
            LEVEL(last_operands)(&total[k], logarithm);
        }
        LEVEL(narrow_16)(total, &last);
        EACH_PART(p)
        {
            v.part[p] = logarithm ? v.part[p] - last.part[p] : terms.part[p] * last.part[p];
        }
        if (whole)
            LEVEL(store)(&v, out + i);
        else
            LEVEL(store_rest)(&v, out + i, count - i);
    }
}

/* Contiguous rows of n >= 1 elements, steps in bytes. */
TM_INLINE void LEVEL(softmax_rows_of)(const char *x, int64_t x_step, char *out, int64_t out_step,
                                      int64_t rows, int64_t n, bool logarithm)
{
    const int64_t bytes = n * (int64_t)sizeof(float);
    const bool dense = x_step == bytes && out_step == bytes;
    if (dense && n < LANES && (n & (n - 1)) == 0) {
        LEVEL(packed_rows)(ROW_OF(x, 0, 0), ROW_OF(out, 0, 0), rows * n, n, logarithm);
        return;
    }
    int64_t open = 0; /* short rows behind which others of this call's lie */
    if (dense && rows * n >= LANES)
        open = (rows * n - LANES) / n + 1;
    for (; rows > 0; rows -= GROUP, open -= GROUP) {
        const int group = rows < GROUP ? (int)rows : GROUP;
        if (n < LANES)
            LEVEL(group_of_short_rows)(x, x_step, out, out_step, group, open, n, logarithm);
        else
            LEVEL(group_of_rows)(x, x_step, out, out_step, group, n, logarithm);
        x += GROUP * x_step;
        out += GROUP * out_step;
    }
}

TARGET static void LEVEL(softmax_rows)(const char *x, int64_t x_step, char *out, int64_t out_step,
                                       int64_t rows, int64_t n, bool logarithm)
{
    if (logarithm)
        LEVEL(softmax_rows_of)(x, x_step, out, out_step, rows, n, true);
    else
        LEVEL(softmax_rows_of)(x, x_step, out, out_step, rows, n, false);
}

#include "normalize_softmax_columns.h"
