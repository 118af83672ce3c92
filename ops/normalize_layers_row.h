/* normalize_layers_row.h: layer_norm and rms_norm of contiguous rows of float64; included by
 * normalize_layers.c.
 *
 * Sums are taken in 16 lanes, element i in lane i % 16, absent elements 0, and the lanes joined by
 * halves.
 */

/* n >= 1 elements; w and b may be NULL. `centred`: less their mean. */
TM_INLINE void normalize_row(const double *x, const double *w, const double *b, double *out,
                             int64_t n, bool centred, double eps)
{
    const int64_t whole = n - n % LANES;
    doubles sum = {0}, square = {0}, v, other;
    double rest[LANES] = {0}, mean = 0;
    if (centred) {
        for (int64_t i = 0; i < whole; i += LANES) {
            __builtin_memcpy(&v, x + i, sizeof v);
            add_to(&sum, &v);
        }
        for (int64_t i = whole; i < n; i++)
            rest[i - whole] = x[i];
        if (whole < n) {
            __builtin_memcpy(&v, rest, sizeof v);
            add_to(&sum, &v);
        }
        mean = lanes_total(&sum) / (double)n;
    }
    for (int64_t i = 0; i < whole; i += LANES) {
        __builtin_memcpy(&v, x + i, sizeof v);
        for (int k = 0; k < PARTS; k++) {
            v.part[k] -= mean;
            square.part[k] += v.part[k] * v.part[k];
        }
    }
    for (int64_t i = whole; i < n; i++)
        rest[i - whole] = (x[i] - mean) * (x[i] - mean);
    if (whole < n) {
        __builtin_memcpy(&v, rest, sizeof v);
        add_to(&square, &v);
    }
    const double scale = 1 / sqrt(lanes_total(&square) / (double)n + eps);
    for (int64_t i = 0; i < whole; i += LANES) {
        __builtin_memcpy(&v, x + i, sizeof v);
        for (int k = 0; k < PARTS; k++)
            v.part[k] = (v.part[k] - mean) * scale;
        if (w) {
            __builtin_memcpy(&other, w + i, sizeof other);
            for (int k = 0; k < PARTS; k++)
                v.part[k] *= other.part[k];
        }
        if (b) {
            __builtin_memcpy(&other, b + i, sizeof other);
            add_to(&v, &other);
        }
        __builtin_memcpy(out + i, &v, sizeof v);
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
TM_INLINE void normalize_rows_float64_body(const double *x, const double *w, const double *b,
                                           double *out, const int64_t *step, int64_t rows,
                                           int64_t n, bool centred, double eps)
{
    for (int64_t r = 0; r < rows; r++) {
        normalize_row(x, w, b, out, n, centred, eps);
        x = (const double *)(const void *)((const char *)x + step[0]);
        if (w)
            w = (const double *)(const void *)((const char *)w + step[1]);
        if (b)
            b = (const double *)(const void *)((const char *)b + step[2]);
        out = (double *)(void *)((char *)out + step[3]);
    }
}

TM_SIMD_VERSIONS(normalize_rows_float64, normalize_rows_float64_body,
                 (const double *x, const double *w, const double *b, double *out,
                  const int64_t *step, int64_t rows, int64_t n, bool centred, double eps),
                 (x, w, b, out, step, rows, n, centred, eps))
