/* normalize_layers_single.h: layer_norm and rms_norm of contiguous rows of float32; included by
 * normalize_layers.c.
 *
 * Statistics are taken in float64 in one pass: sums of the distances from the row's first element
 * and of their squares, from which little is lost, as that element is one of the row. Lanes are as
 * in normalize_layers_row.h. The elements are then normalised in float32, the mean as a sum of two
 * numbers; a row whose deviation is near the end of float32's range, in float64.
 *
 * Rows are taken eight at a time, so that one's statistics do not wait for another's.
 */

enum { GROUP = 8 };

typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef float half_floats __attribute__((vector_size(8 * sizeof(float))));
typedef int64_t eight_longs __attribute__((vector_size(8 * sizeof(int64_t))));

/* Eight elements' distances from `from`. One by one: where a vector is converted, compilers take it
 * in halves. */
TM_INLINE void distances(const float *x, double from, eight_doubles *v)
{
    const eight_doubles wide = {(double)x[0], (double)x[1], (double)x[2], (double)x[3],
                                (double)x[4], (double)x[5], (double)x[6], (double)x[7]};
    *v = wide - from;
}

/* The same, 0 for the first `known` of them. */
TM_INLINE void new_distances(const float *x, int64_t known, double from, eight_doubles *v)
{
    static const int64_t window[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    eight_longs present;
    __builtin_memcpy(&present, window + 8 - known, sizeof present);
    distances(x, from, v);
    *v = (eight_doubles)((eight_longs)*v & present);
}

TM_INLINE void add_distances(const doubles *v, doubles *sum, doubles *square)
{
    for (int k = 0; k < PARTS; k++) {
        sum->part[k] += v->part[k];
        square->part[k] += v->part[k] * v->part[k];
    }
}

/* The row's last n % 16 elements: in the lanes that they have in its last 16, or below 16 in its
 * first 8 and last 8. */
TM_INLINE void last_distances(const float *x, int64_t n, double from, doubles *v)
{
    if (n >= LANES) {
        const int64_t known = LANES - n % LANES;
        new_distances(x + n - 16, known < 8 ? known : 8, from, &v->part[0]);
        new_distances(x + n - 8, known < 8 ? 0 : known - 8, from, &v->part[1]);
    } else if (n >= 8) {
        distances(x, from, &v->part[0]);
        new_distances(x + n - 8, LANES - n, from, &v->part[1]);
    } else {
#define OR_NONE(i) (i < n ? (double)x[i] : from)
        const eight_doubles first = {OR_NONE(0), OR_NONE(1), OR_NONE(2), OR_NONE(3),
                                     OR_NONE(4), OR_NONE(5), OR_NONE(6), from};
        v->part[0] = first - from;
        v->part[1] = (eight_doubles){0};
#undef OR_NONE
    }
}

TM_INLINE void row_moments(const float *x, int64_t n, double from, eight_doubles *sum,
                           eight_doubles *square)
{
    doubles s = {0}, q = {0}, v;
    for (int64_t i = 0; i + LANES <= n; i += LANES) {
        distances(x + i, from, &v.part[0]);
        distances(x + i + 8, from, &v.part[1]);
        add_distances(&v, &s, &q);
    }
    if (n % LANES) {
        last_distances(x, n, from, &v);
        add_distances(&v, &s, &q);
    }
    *sum = s.part[0] + s.part[1];
    *square = q.part[0] + q.part[1];
}

/* The lanes of eight vectors, each vector's joined by halves. */
TM_INLINE void lanes_totals(const eight_doubles *v, eight_doubles *total)
{
    eight_doubles four[4], two[2];
    for (int k = 0; k < 4; k++)
        four[k] = __builtin_shufflevector(v[2 * k], v[2 * k + 1], 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(v[2 * k], v[2 * k + 1], 4, 5, 6, 7, 12, 13, 14, 15);
    for (int k = 0; k < 2; k++)
        two[k] = __builtin_shufflevector(four[2 * k], four[2 * k + 1], 0, 1, 4, 5, 8, 9, 12, 13) +
                 __builtin_shufflevector(four[2 * k], four[2 * k + 1], 2, 3, 6, 7, 10, 11, 14, 15);
    *total = __builtin_shufflevector(two[0], two[1], 0, 2, 4, 6, 8, 10, 12, 14) +
             __builtin_shufflevector(two[0], two[1], 1, 3, 5, 7, 9, 11, 13, 15);
}

#define APPLY(type, i)                                                                             \
    do {                                                                                           \
        type v_, other_;                                                                           \
        __builtin_memcpy(&v_, x + (i), sizeof v_);                                                 \
        v_ = (v_ - mean - rest) * scale;                                                           \
        if (w) {                                                                                   \
            __builtin_memcpy(&other_, w + (i), sizeof other_);                                     \
            v_ *= other_;                                                                          \
        }                                                                                          \
        if (b) {                                                                                   \
            __builtin_memcpy(&other_, b + (i), sizeof other_);                                     \
            v_ += other_;                                                                          \
        }                                                                                          \
        __builtin_memcpy(out + (i), &v_, sizeof v_);                                               \
    } while (0)

/* The last vector of a row overlaps the one before. */
TM_INLINE void apply_row(const float *x, const float *w, const float *b, float *out, int64_t n,
                         double exact_mean, double exact_scale)
{
    const float mean = (float)exact_mean, scale = (float)exact_scale;
    const float rest = (float)(exact_mean - (double)mean);
    if (!(scale >= 0x1p-100f && scale <= 0x1p100f)) {
        for (int64_t i = 0; i < n; i++) {
            double v = ((double)x[i] - exact_mean) * exact_scale;
            if (w)
                v *= (double)w[i];
            out[i] = (float)(b ? v + (double)b[i] : v);
        }
    } else if (n >= LANES) {
        for (int64_t i = 0; i + LANES <= n; i += LANES)
            APPLY(floats, i);
        if (n % LANES)
            APPLY(floats, n - LANES);
    } else if (n >= 8) {
        APPLY(half_floats, 0);
        APPLY(half_floats, n - 8);
    } else {
        for (int64_t i = 0; i < n; i++)
            out[i] = (x[i] - mean - rest) * scale;
        for (int64_t i = 0; w && i < n; i++)
            out[i] *= w[i];
        for (int64_t i = 0; b && i < n; i++)
            out[i] += b[i];
    }
}
#undef APPLY

/* step[] in bytes, of x, w, b and out. */
#define ROW_AT(base, k, r)                                                                         \
    ((base) ? (float *)(void *)((char *)(uintptr_t)(base) + (r)*step[k]) : NULL)

/* `rows` rows, at most GROUP; w and b may be NULL. `centred`: less their mean. */
TM_INLINE void normalize_group(const float *x, const float *w, const float *b, float *out,
                               const int64_t *step, int rows, int64_t n, bool centred, double eps)
{
    eight_doubles sum[GROUP], square[GROUP], from = {0}, mean, var;
    for (int r = 0; r < rows; r++) {
        if (centred)
            from[r] = (double)*ROW_AT(x, 0, r);
        row_moments(ROW_AT(x, 0, r), n, from[r], &sum[r], &square[r]);
    }
    for (int r = rows; r < GROUP; r++)
        sum[r] = square[r] = (eight_doubles){0};
    lanes_totals(sum, &mean);
    lanes_totals(square, &var);
    mean /= (double)n;
    var /= (double)n;
    if (centred)
        var -= mean * mean;
    var = (eight_doubles)((eight_longs)var & ~(var < 0)) + eps;
    mean += from;
    double root[GROUP];
    for (int r = 0; r < GROUP; r++)
        root[r] = sqrt(var[r]);
    __builtin_memcpy(&var, root, sizeof var);
    var = 1 / var;
    for (int r = 0; r < rows; r++)
        apply_row(ROW_AT(x, 0, r), ROW_AT(w, 1, r), ROW_AT(b, 2, r), ROW_AT(out, 3, r), n,
                  centred ? mean[r] : 0, var[r]);
}

TM_INLINE void normalize_rows_float32_body(const float *x, const float *w, const float *b,
                                           float *out, const int64_t *step, int64_t rows, int64_t n,
                                           bool centred, double eps)
{
    for (int64_t r = 0; r < rows; r += GROUP) {
        const int group = rows - r < GROUP ? (int)(rows - r) : GROUP;
        normalize_group(ROW_AT(x, 0, r), ROW_AT(w, 1, r), ROW_AT(b, 2, r), ROW_AT(out, 3, r), step,
                        group, n, centred, eps);
    }
}

TM_SIMD_VERSIONS(normalize_rows_float32, normalize_rows_float32_body,
                 (const float *x, const float *w, const float *b, float *out, const int64_t *step,
                  int64_t rows, int64_t n, bool centred, double eps),
                 (x, w, b, out, step, rows, n, centred, eps))

#undef ROW_AT
