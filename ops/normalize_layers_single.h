/* normalize_layers_single.h: layer_norm and rms_norm of contiguous rows of float32, at one level of
 * vector instructions; included by normalize_layers_row.h.
 *
 * Statistics are taken in float64 in one pass: sums of the distances from the row's first element
 * and of their squares, from which little is lost, as that element is one of the row. Lanes are as
 * in normalize_layers_row.h. The elements are then normalised in float32, the mean as a sum of two
 * numbers; a row whose deviation is near the end of float32's range, in float64.
 *
 * Rows are taken eight at a time, so that one's statistics do not wait for another's.
 */

/* Eight elements' distances from `from`, 0 for the first `known` of them. */
TM_INLINE void LEVEL(distances)(const float *x, int64_t known, double from, doubles *v)
{
    static const int64_t window[LANES] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    LEVEL(widen)(x, v);
    EACH_PART(p)
    {
        v->part[p] -= from;
        if (known > 0) {
            long_vector present;
            __builtin_memcpy(&present, window + 8 - known + p * (WIDTH / 2), sizeof present);
            v->part[p] = (double_vector)((long_vector)v->part[p] & present);
        }
    }
}

/* The row's last n % 16 elements: in the lanes that they have in its last 16, or below 16 in its
 * first 8 and last 8. */
TM_INLINE void LEVEL(last_distances)(const float *x, int64_t n, double from, doubles *v)
{
    if (n >= LANES) {
        const int64_t known = LANES - n % LANES;
        LEVEL(distances)(x + n - 16, known < 8 ? known : 8, from, &v[0]);
        LEVEL(distances)(x + n - 8, known < 8 ? 0 : known - 8, from, &v[1]);
    } else if (n >= 8) {
        LEVEL(distances)(x, 0, from, &v[0]);
        LEVEL(distances)(x + n - 8, LANES - n, from, &v[1]);
    } else {
        double first[8] = {0};
        for (int64_t i = 0; i < n; i++)
            first[i] = (double)x[i] - from;
        LEVEL(load_doubles)(&v[0], first);
        v[1] = (doubles){{{0}}};
    }
}

TM_INLINE void LEVEL(add_distances)(const doubles *v, doubles *sum, doubles *square)
{
    TM_UNROLLED
    for (int half = 0; half < 2; half++)
        EACH_PART(p)
        {
            sum[half].part[p] += v[half].part[p];
            square[half].part[p] += v[half].part[p] * v[half].part[p];
        }
}

TM_INLINE void LEVEL(row_moments)(const float *x, int64_t n, double from, doubles *sum,
                                  doubles *square)
{
    doubles s[2] = {{{{0}}}}, q[2] = {{{{0}}}}, v[2];
    for (int64_t i = 0; i + LANES <= n; i += LANES) {
        LEVEL(distances)(x + i, 0, from, &v[0]);
        LEVEL(distances)(x + i + 8, 0, from, &v[1]);
        LEVEL(add_distances)(v, s, q);
    }
    if (n % LANES) {
        LEVEL(last_distances)(x, n, from, v);
        LEVEL(add_distances)(v, s, q);
    }
    EACH_PART(p)
    {
        sum->part[p] = s[0].part[p] + s[1].part[p];
        square->part[p] = q[0].part[p] + q[1].part[p];
    }
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
TM_INLINE void LEVEL(apply_row)(const float *x, const float *w, const float *b, float *out,
                                int64_t n, double exact_mean, double exact_scale)
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
    } else if (n >= WIDTH) {
        for (int64_t i = 0; i + WIDTH <= n; i += WIDTH)
            APPLY(vector, i);
        if (n % WIDTH)
            APPLY(vector, n - WIDTH);
    } else if (n >= WIDTH / 2) {
        APPLY(half_vector, 0);
        APPLY(half_vector, n - WIDTH / 2);
    } else {
        for (int64_t i = 0; i < n; i++)
            APPLY(float, i);
    }
}
#undef APPLY

/* Row r of x (0), w, b or out (3), step[] in bytes; w and b may be NULL. */
#define ROW_AT(base, k, r) ((float *)(void *)((char *)(uintptr_t)(base) + (r)*step[k]))
#define ROW_OR_NULL(base, k, r) ((base) ? ROW_AT(base, k, r) : NULL)

/* `rows` rows, at most GROUP; w and b may be NULL. `centred`: less their mean. */
TM_INLINE void LEVEL(normalize_group)(const float *x, const float *w, const float *b, float *out,
                                      const int64_t *step, int rows, int64_t n, bool centred,
                                      double eps)
{
    doubles sum[GROUP], square[GROUP], mean, var, origin;
    double from[GROUP] = {0}, means[GROUP], root[GROUP];
    for (int r = 0; r < rows; r++) {
        if (centred)
            from[r] = (double)*ROW_AT(x, 0, r);
        LEVEL(row_moments)(ROW_AT(x, 0, r), n, from[r], &sum[r], &square[r]);
    }
    for (int r = rows; r < GROUP; r++)
        sum[r] = square[r] = (doubles){{{0}}};
    LEVEL(lanes_totals)(sum, &mean);
    LEVEL(lanes_totals)(square, &var);
    LEVEL(load_doubles)(&origin, from);
    EACH_PART(p)
    {
        mean.part[p] /= (double)n;
        var.part[p] /= (double)n;
        if (centred)
            var.part[p] -= mean.part[p] * mean.part[p];
        const long_vector below = (long_vector)(var.part[p] < 0);
        var.part[p] = (double_vector)((long_vector)var.part[p] & ~below) + eps;
        mean.part[p] += origin.part[p];
    }
    LEVEL(store_doubles)(&mean, means);
    LEVEL(store_doubles)(&var, root);
    for (int r = 0; r < GROUP; r++)
        root[r] = 1 / sqrt(root[r]);
    for (int r = 0; r < rows; r++)
        LEVEL(apply_row)
    (ROW_AT(x, 0, r), ROW_OR_NULL(w, 1, r), ROW_OR_NULL(b, 2, r), ROW_AT(out, 3, r), n,
     centred ? means[r] : 0, root[r]);
}

TARGET static void LEVEL(normalize_rows_float32)(const float *x, const float *w, const float *b,
                                                 float *out, const int64_t *step, int64_t rows,
                                                 int64_t n, bool centred, double eps)
{
    for (int64_t r = 0; r < rows; r += GROUP) {
        const int group = rows - r < GROUP ? (int)(rows - r) : GROUP;
        LEVEL(normalize_group)
        (ROW_AT(x, 0, r), ROW_OR_NULL(w, 1, r), ROW_OR_NULL(b, 2, r), ROW_AT(out, 3, r), step,
         group, n, centred, eps);
    }
}

#undef ROW_AT
#undef ROW_OR_NULL
