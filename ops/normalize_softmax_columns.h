/* normalize_softmax_columns.h: softmax of float32 and its logarithm down columns that lie side by
 * side; included by normalize_softmax.h, whose order of sums it keeps.
 */

/* 16 * strips columns of n >= 1 elements. */
TARGET static void LEVEL(softmax_columns)(const char *x, int64_t x_step, char *out,
                                          int64_t out_step, int64_t n, int strips, bool logarithm)
{
    const int64_t strip = (int64_t)sizeof(floats);
    floats greatest[STRIPS], sum[LANES][STRIPS], v;
    doubles total[2 * STRIPS] = {{{{0}}}};
    float last[STRIPS * LANES], part[LANES];
    for (int s = 0; s < strips; s++)
        LEVEL(load)(&greatest[s], x + s * strip);
    for (int64_t i = 1; i < n; i++)
        for (int s = 0; s < strips; s++) {
            LEVEL(load)(&v, x + i * x_step + s * strip);
            LEVEL(raise_floats)(&greatest[s], &v);
        }
    for (int64_t at = 0; at < n; at += BLOCK) {
        __builtin_memset(sum, 0, sizeof sum);
        for (int64_t i = at; i < n && i < at + BLOCK; i++)
            for (int s = 0; s < strips; s++) {
                LEVEL(load)(&v, x + i * x_step + s * strip);
                EACH_PART(p)
                {
                    v.part[p] -= greatest[s].part[p];
                }
                LEVEL(exp_floats)(&v);
                LEVEL(add_lanes)(&sum[i % LANES][s], &v);
                if (!logarithm)
                    LEVEL(store)(&v, out + i * out_step + s * strip);
            }
        for (int s = 0; s < strips; s++) {
            for (int width = LANES / 2; width > 0; width /= 2)
                for (int k = 0; k < width; k++)
                    LEVEL(add_lanes)(&sum[k][s], &sum[k + width][s]);
            LEVEL(store)(&sum[0][s], part);
            for (int k = 0; k < 2; k++)
                LEVEL(add_floats)(&total[2 * s + k], part + k * GROUP);
        }
    }
    for (int t = 0; t < 2 * strips; t++) {
        LEVEL(last_operands)(&total[t], logarithm);
        LEVEL(narrow)(&total[t], last + t * GROUP);
    }
    for (int64_t i = 0; i < n; i++)
        for (int s = 0; s < strips; s++) {
            char *to = out + i * out_step + s * strip;
            floats with;
            LEVEL(load)(&v, logarithm ? x + i * x_step + s * strip : to);
            LEVEL(load)(&with, last + s * LANES);
            EACH_PART(p)
            {
                v.part[p] = logarithm ? v.part[p] - greatest[s].part[p] - with.part[p]
                                      : v.part[p] * with.part[p];
            }
            LEVEL(store)(&v, to);
        }
}
