/* normalize_layers_row.h: layer_norm and rms_norm of contiguous rows of float64, at one level of
 * vector instructions; included by normalize_layers.c (levels.h).
 *
 * Sums are taken in 16 lanes, element i in lane i % 16, absent elements 0, and the lanes joined by
 * halves.
 */
#include "normalize_lanes.h"

#define wide_lanes LEVEL(wide_lanes)
typedef struct wide_lanes {
    double_vector part[2 * PARTS];
} wide_lanes; /* 16 */

#define EACH_WIDE(p) TM_UNROLLED for (int p = 0; p < 2 * PARTS; p++)

TM_INLINE void LEVEL(load_wide)(wide_lanes *v, const double *from)
{
    EACH_WIDE(p)
    {
        __builtin_memcpy(&v->part[p], from + p * (WIDTH / 2), sizeof(double_vector));
    }
}

TM_INLINE void LEVEL(add_wide)(wide_lanes *sum, const wide_lanes *v)
{
    EACH_WIDE(p)
    {
        sum->part[p] += v->part[p];
    }
}

TM_INLINE double LEVEL(wide_total)(const wide_lanes *v)
{
    double s[LANES];
    __builtin_memcpy(s, v, sizeof s);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            s[k] += s[k + half];
    return s[0];
}

/* n >= 1 elements; w and b may be NULL. `centred`: less their mean. */
TM_INLINE void LEVEL(normalize_row)(const double *x, const double *w, const double *b, double *out,
                                    int64_t n, bool centred, double eps)
{
    const int64_t whole = n - n % LANES;
    wide_lanes sum, square, v, other;
    double rest[LANES] = {0}, mean = 0;
    EACH_WIDE(p)
    {
        sum.part[p] = square.part[p] = (double_vector){0};
    }
    if (centred) {
        for (int64_t i = 0; i < whole; i += LANES) {
            LEVEL(load_wide)(&v, x + i);
            LEVEL(add_wide)(&sum, &v);
        }
        for (int64_t i = whole; i < n; i++)
            rest[i - whole] = x[i];
        if (whole < n) {
            LEVEL(load_wide)(&v, rest);
            LEVEL(add_wide)(&sum, &v);
        }
        mean = LEVEL(wide_total)(&sum) / (double)n;
    }
    for (int64_t i = 0; i < whole; i += LANES) {
        LEVEL(load_wide)(&v, x + i);
        EACH_WIDE(p)
        {
            v.part[p] -= mean;
            square.part[p] += v.part[p] * v.part[p];
        }
    }
    for (int64_t i = whole; i < n; i++)
        rest[i - whole] = (x[i] - mean) * (x[i] - mean);
    if (whole < n) {
        LEVEL(load_wide)(&v, rest);
        LEVEL(add_wide)(&square, &v);
    }
    const double scale = 1 / sqrt(LEVEL(wide_total)(&square) / (double)n + eps);
    for (int64_t i = 0; i < whole; i += LANES) {
        LEVEL(load_wide)(&v, x + i);
        EACH_WIDE(p)
        {
            v.part[p] = (v.part[p] - mean) * scale;
        }
        if (w) {
            LEVEL(load_wide)(&other, w + i);
            EACH_WIDE(p)
            {
                v.part[p] *= other.part[p];
            }
        }
        if (b) {
            LEVEL(load_wide)(&other, b + i);
            LEVEL(add_wide)(&v, &other);
        }
        EACH_WIDE(p)
        {
            __builtin_memcpy(out + i + p * (WIDTH / 2), &v.part[p], sizeof(double_vector));
        }
    }
    for (int64_t i = whole; i < n; i++) {
        double value = (x[i] - mean) * scale;
        if (w)
            value *= w[i];
        if (b)
            value += b[i];
        out[i] = value;
    }
}

/* `rows` rows; step[] in bytes, of x, w, b and out. */
TARGET static void LEVEL(normalize_rows_float64)(const double *x, const double *w, const double *b,
                                                 double *out, const int64_t *step, int64_t rows,
                                                 int64_t n, bool centred, double eps)
{
    for (int64_t r = 0; r < rows; r++) {
        LEVEL(normalize_row)(x, w, b, out, n, centred, eps);
        x = (const double *)(const void *)((const char *)x + step[0]);
        if (w)
            w = (const double *)(const void *)((const char *)w + step[1]);
        if (b)
            b = (const double *)(const void *)((const char *)b + step[2]);
        out = (double *)(void *)((char *)out + step[3]);
    }
}

#include "normalize_layers_single.h"
