/* normalize_functions.h: the exponential and the logarithm of a level's vectors; included by
 * normalize_softmax.h.
 */

/* exp(x) * 2^64 for x <= 0 or NaN, to 2 units in the last place, of `count` <= SIDE vectors side by
 * side: x = k ln 2 + r, |r| <= ln 2 / 2, a polynomial for exp(r) (least relative error, 0.02
 * units), and 2^(k + 64), which is never below the normal numbers. Below -104 it is 0. */
TM_INLINE void LEVEL(exp_vectors)(vector *in_out, int count)
{
    /* 1.5 * 2^23, which leaves no fraction, and the exponent of 2^64. Its other bits are shifted
     * out. */
    const float shift = 12582912 + 64 + 127;
    vector shifted[SIDE], r[SIDE], square[SIDE], p[SIDE];
    TM_UNROLLED
    for (int i = 0; i < count; i++)
        shifted[i] = in_out[i] * 1.44269504088896341f + shift;
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        const vector k = shifted[i] - shift;
        r[i] = in_out[i] - k * 0.693359375f - k * -2.12194440e-4f;
    }
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        square[i] = r[i] * r[i];
        p[i] = (r[i] * 1.3843592023e-3f + 8.3742076531e-3f) * square[i] +
               (r[i] * 4.1668005288e-2f + 1.6666430235e-1f);
    }
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        p[i] = p[i] * square[i] + (r[i] * 4.9999994040e-1f + 1);
    }
    TM_UNROLLED
    for (int i = 0; i < count; i++) {
        p[i] = p[i] * r[i] + 1;
        const int_vector below = in_out[i] < -104;
        in_out[i] = (vector)((int_vector)(p[i] * (vector)((int_vector)shifted[i] << 23)) & ~below);
    }
}

TM_INLINE void LEVEL(exp_floats)(floats *in_out)
{
    LEVEL(exp_vectors)(in_out->part, PARTS);
}

/* Logarithms of finite numbers above 0, or NaN: x = 2^k m, m in [1, 2), s = (m - 1) / (m + 1), and
 * log(m) = 2 (s + s^3 / 3 + ...), after m above the root of 2 is halved. */
TM_INLINE void LEVEL(log_doubles)(doubles *in_out)
{
    EACH_PART(i)
    {
        const double_vector x = in_out->part[i];
        const long_vector bits = (long_vector)x, fraction = bits & 0xfffffffffffff;
        const long_vector upper = (0x6a09e667f3bcc - fraction) >> 63;
        const long_vector k = (bits >> 52) - 1023 + upper;
        const double_vector m = (double_vector)(fraction | ((1023 - upper) << 52));
        const double_vector s = (m - 1) / (m + 1), t = s * s;
        double_vector p = t * (2 / 17.0) + 2 / 15.0;
        p = p * t + 2 / 13.0;
        p = p * t + 2 / 11.0;
        p = p * t + 2 / 9.0;
        p = p * t + 2 / 7.0;
        p = p * t + 2 / 5.0;
        p = p * t + 2 / 3.0;
        p = p * t + 2;
        /* An integer added to the bits of 1.5 * 2^52 is added to that number. */
        const double_vector whole = (double_vector)(k + 0x4338000000000000) - 6755399441055744.0;
        in_out->part[i] = whole * 0.69314718055994530942 + p * s + x * 0; /* not finite: NaN */
    }
}

/* Of eight sums of terms: what is taken from x less its maximum, or multiplied with its term. */
TM_INLINE void LEVEL(last_operands)(doubles *total, bool logarithm)
{
    EACH_PART(p)
    {
        total->part[p] = logarithm ? total->part[p] * 0x1p-64 : 1 / total->part[p];
    }
    if (logarithm)
        LEVEL(log_doubles)(total);
}

TM_INLINE void LEVEL(add_floats)(doubles *total, const float *v)
{
    doubles wide;
    LEVEL(widen)(v, &wide);
    EACH_PART(p)
    {
        total->part[p] += wide.part[p];
    }
}
