/* normalize_float32.h: softmax of one contiguous float32 run; included by normalize.c for each
 * instruction set.
 *
 * TARGET is the attribute that chooses the instructions, NAME(x) a name of its own for x. All is
 * done on vectors of LANES elements, the last of which may be padded with -inf, so an element's
 * bits depend neither on where it lies nor on what the machine has.
 */

/* c ? a : b, lane by lane. */
TARGET static inline __attribute__((always_inline)) void
NAME(choose)(const ints *c, const floats *a, const floats *b, floats *result)
{
    *result = (floats)(((ints)*a & *c) | ((ints)*b & ~*c));
}

/* exp(x) for x <= 0 or NaN, to 2 units in the last place: x = k ln 2 + r, |r| <= ln 2 / 2, a
 * polynomial for exp(r) (Cephes, S. L. Moshier), and 2^k in two steps, which may end below the
 * normal numbers. From -104 down the result is 0. */
TARGET static inline __attribute__((always_inline)) void NAME(exp)(floats *in_out)
{
    const float shift = 12582912; /* 1.5 * 2^23: a float this large has no fraction */
    const floats least = (floats){0} - 104;
    floats x = *in_out;
    const ints below = x < least;
    NAME(choose)(&below, &least, &x, &x);
    const floats shifted = x * 1.44269504088896341f + shift, whole = shifted - shift;
    const floats r = x - whole * 0.693359375f - whole * -2.12194440e-4f;
    floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1;
    const ints k = (ints)shifted - 0x4b400000, half = k >> 1;
    *in_out = p * (floats)((half + 127) << 23) * (floats)((k - half + 127) << 23);
}

/* LANES elements, or those there are and -inf. */
TARGET static inline __attribute__((always_inline)) void NAME(load)(const float *x, int64_t count,
                                                                    floats *to)
{
    if (count >= LANES) {
        memcpy(to, x, sizeof *to);
        return;
    }
    *to = (floats){0} - INFINITY;
    memcpy(to, x, (size_t)count * sizeof *x);
}

/* A NaN, or a maximum that is not finite, makes the sum NaN, and so all of the result. */
TARGET static void NAME(softmax)(const float *x, float *out, int64_t n)
{
    floats greatest = (floats){0} - INFINITY, v;
    for (int64_t i = 0; i < n; i += LANES) {
        NAME(load)(x + i, n - i, &v);
        const ints above = v > greatest;
        NAME(choose)(&above, &v, &greatest, &greatest);
    }
    float maximum = greatest[0];
    for (int j = 1; j < LANES; j++)
        maximum = greatest[j] > maximum ? greatest[j] : maximum;

    double sum = 0;
    for (int64_t at = 0; at < n; at += BLOCK) { /* short sums in float32, their sum in float64 */
        int64_t end = n - at < BLOCK ? n : at + BLOCK;
        floats part = {0};
        for (int64_t i = at; i < end; i += LANES) {
            NAME(load)(x + i, end - i, &v);
            v -= maximum;
            NAME(exp)(&v);
            part += v;
            memcpy(out + i, &v, (size_t)(end - i < LANES ? end - i : LANES) * sizeof *out);
        }
        sum += (double)(((part[0] + part[4]) + (part[2] + part[6])) +
                        ((part[1] + part[5]) + (part[3] + part[7])));
    }

    const float scale = (float)(1 / sum);
    for (int64_t i = 0; i < n; i++)
        out[i] *= scale;
}

#undef NAME
#undef TARGET
