/* normalize_float32.h: softmax of one contiguous float32 run; included by normalize.c for each
 * instruction set.
 *
 * TARGET is the attribute that chooses the instructions, NAME(x) a name of its own for x. All is
 * done on vectors of LANES elements in an order that the length alone fixes, so the bits depend
 * neither on the layout nor on what the machine has.
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

TARGET static inline __attribute__((always_inline)) float NAME(greatest_lane)(const floats *v)
{
    float greatest = (*v)[0];
    for (int j = 1; j < LANES; j++)
        greatest = (*v)[j] > greatest ? (*v)[j] : greatest;
    return greatest;
}

TARGET static inline __attribute__((always_inline)) float NAME(lane_sum)(const floats *v)
{
    return (((*v)[0] + (*v)[4]) + ((*v)[2] + (*v)[6])) +
           (((*v)[1] + (*v)[5]) + ((*v)[3] + (*v)[7]));
}

/* Fewer than LANES elements: one vector, padded with -inf, whose exponential is 0. */
TARGET static void NAME(short_softmax)(const float *x, float *out, int64_t n)
{
    float padded[LANES];
    for (int j = 0; j < LANES; j++)
        padded[j] = j < n ? x[j] : -INFINITY;
    floats v;
    memcpy(&v, padded, sizeof v);
    v -= NAME(greatest_lane)(&v);
    NAME(exp)(&v);
    v *= (float)(1 / (double)NAME(lane_sum)(&v));
    memcpy(padded, &v, sizeof v);
    for (int64_t j = 0; j < n; j++)
        out[j] = padded[j];
}

/* The last n % LANES elements are the end of a vector that overlaps the one before; it writes the
 * same bits again, and what was summed before is masked out. A NaN, or a maximum that is not
 * finite, makes the sum NaN, and so all of the result. */
TARGET static void NAME(softmax)(const float *x, float *out, int64_t n)
{
    if (n < LANES) {
        NAME(short_softmax)(x, out, n);
        return;
    }
    const int64_t whole = n - n % LANES, last = n - LANES;
    floats greatest, v;
    memcpy(&greatest, x + last, sizeof greatest);
    for (int64_t i = 0; i < whole; i += LANES) {
        memcpy(&v, x + i, sizeof v);
        const ints above = v > greatest;
        NAME(choose)(&above, &v, &greatest, &greatest);
    }
    /* Where the lane began with NaN nothing was above it, but then the sum is NaN anyway. */
    const float maximum = NAME(greatest_lane)(&greatest);

    double sum = 0;
    for (int64_t at = 0; at < whole; at += BLOCK) { /* float32 inside a block, float64 outside */
        const int64_t end = whole - at < BLOCK ? whole : at + BLOCK;
        floats part = {0};
        for (int64_t i = at; i < end; i += LANES) {
            memcpy(&v, x + i, sizeof v);
            v -= maximum;
            NAME(exp)(&v);
            part += v;
            memcpy(out + i, &v, sizeof v);
        }
        sum += (double)NAME(lane_sum)(&part);
    }
    if (whole < n) {
        memcpy(&v, x + last, sizeof v);
        v -= maximum;
        NAME(exp)(&v);
        memcpy(out + last, &v, sizeof v);
        const ints lane = {0, 1, 2, 3, 4, 5, 6, 7}, first = (ints){0} + (int32_t)(whole - last);
        const ints fresh = lane >= first;
        v = (floats)((ints)v & fresh);
        sum += (double)NAME(lane_sum)(&v);
    }

    const float scale = (float)(1 / sum);
    for (int64_t i = 0; i < n; i++)
        out[i] *= scale;
}

#undef NAME
#undef TARGET
