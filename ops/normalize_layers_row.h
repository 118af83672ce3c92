/* normalize_layers_row.h: layer_norm and rms_norm of one contiguous row, for one element type;
 * included by normalize_layers.c.
 *
 *     ROW_TYPE, ROW(name)   the element type, and a name of its own for what is defined
 *
 * All is computed in float64, so a row of another dtype has the same bits once it is converted.
 * Sums are taken in 16 lanes, element i in lane i % 16, absent elements 0, and the lanes joined by
 * halves.
 */

/* 16 elements as float64. */
TM_INLINE void ROW(take_lanes)(const ROW_TYPE *from, doubles *v)
{
    typedef ROW_TYPE part __attribute__((vector_size(8 * sizeof(ROW_TYPE))));
    for (int k = 0; k < PARTS; k++) {
        part p;
        __builtin_memcpy(&p, from + 8 * k, sizeof p);
        v->part[k] = __builtin_convertvector(p, eight_doubles);
    }
}

TM_INLINE void ROW(put_lanes)(const doubles *v, ROW_TYPE *to)
{
    typedef ROW_TYPE part __attribute__((vector_size(8 * sizeof(ROW_TYPE))));
    for (int k = 0; k < PARTS; k++) {
        const part p = __builtin_convertvector(v->part[k], part);
        __builtin_memcpy(to + 8 * k, &p, sizeof p);
    }
}

/* n >= 1 elements; w and b may be NULL. `centred`: less their mean. */
TM_INLINE void ROW(normalize_row)(const ROW_TYPE *x, const ROW_TYPE *w, const ROW_TYPE *b,
                                  ROW_TYPE *out, int64_t n, bool centred, double eps)
{
    const int64_t whole = n - n % LANES;
    doubles sum = {0}, square = {0}, v, other;
    double rest[LANES] = {0}, mean = 0;
    if (centred) {
        for (int64_t i = 0; i < whole; i += LANES) {
            ROW(take_lanes)(x + i, &v);
            add_to(&sum, &v);
        }
        for (int64_t i = whole; i < n; i++)
            rest[i - whole] = (double)x[i];
        if (whole < n) {
            __builtin_memcpy(&v, rest, sizeof v);
            add_to(&sum, &v);
        }
        mean = lanes_total(&sum) / (double)n;
    }
    for (int64_t i = 0; i < whole; i += LANES) {
        ROW(take_lanes)(x + i, &v);
        for (int k = 0; k < PARTS; k++) {
            v.part[k] -= mean;
            square.part[k] += v.part[k] * v.part[k];
        }
    }
    for (int64_t i = whole; i < n; i++)
        rest[i - whole] = ((double)x[i] - mean) * ((double)x[i] - mean);
    if (whole < n) {
        __builtin_memcpy(&v, rest, sizeof v);
        add_to(&square, &v);
    }
    const double scale = 1 / sqrt(lanes_total(&square) / (double)n + eps);
    for (int64_t i = 0; i < whole; i += LANES) {
        ROW(take_lanes)(x + i, &v);
        for (int k = 0; k < PARTS; k++)
            v.part[k] = (v.part[k] - mean) * scale;
        if (w) {
            ROW(take_lanes)(w + i, &other);
            for (int k = 0; k < PARTS; k++)
                v.part[k] *= other.part[k];
        }
        if (b) {
            ROW(take_lanes)(b + i, &other);
            add_to(&v, &other);
        }
        ROW(put_lanes)(&v, out + i);
    }
    for (int64_t i = whole; i < n; i++) {
        double value = ((double)x[i] - mean) * scale;
        if (w)
            value *= (double)w[i];
        if (b)
            value += (double)b[i];
        out[i] = (ROW_TYPE)value;
    }
}

/* `rows` rows; step[] in bytes, of x, w, b and out. */
TM_INLINE void ROW(normalize_rows_body)(const ROW_TYPE *x, const ROW_TYPE *w, const ROW_TYPE *b,
                                        ROW_TYPE *out, const int64_t *step, int64_t rows, int64_t n,
                                        bool centred, double eps)
{
    for (int64_t r = 0; r < rows; r++) {
        ROW(normalize_row)(x, w, b, out, n, centred, eps);
        x = (const ROW_TYPE *)(const void *)((const char *)x + step[0]);
        if (w)
            w = (const ROW_TYPE *)(const void *)((const char *)w + step[1]);
        if (b)
            b = (const ROW_TYPE *)(const void *)((const char *)b + step[2]);
        out = (ROW_TYPE *)(void *)((char *)out + step[3]);
    }
}

TM_SIMD_VERSIONS(ROW(normalize_rows), ROW(normalize_rows_body),
                 (const ROW_TYPE *x, const ROW_TYPE *w, const ROW_TYPE *b, ROW_TYPE *out,
                  const int64_t *step, int64_t rows, int64_t n, bool centred, double eps),
                 (x, w, b, out, step, rows, n, centred, eps))

#undef ROW
#undef ROW_TYPE
