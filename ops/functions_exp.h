/* functions_exp.h: exp of a vector of float32, with fused products.
 *
 * A call of a library's function for each vector costs more than these few operations. They are the
 * same for 8 and for 16 elements, so an element's bits do not depend on the vector. x = k ln 2 + r
 * with |r| <= ln 2 / 2; a polynomial (coefficients from Cephes, S. L. Moshier) gives exp(r); 2^k is
 * applied in one rounding, so that results below the normal numbers are right too. Beyond the
 * bounds the result is inf or 0. Errors are below 0.95 units in the last place.
 */
#ifndef TM_OPS_FUNCTIONS_EXP_H
#define TM_OPS_FUNCTIONS_EXP_H

#include <immintrin.h>

#include "simd.h"

#define LOG2_E 1.44269504088896341f
/* ln 2 in two parts: the first has few bits, so its small whole multiples are exact. */
#define LN2_FIRST 0.693145751953125f
#define LN2_REST 1.42860682030941723e-6f
#define NO_FRACTION 12582912.f /* 1.5 * 2^23: so large a number has none */
#define EXP_MOST 89.f
#define EXP_LEAST (-104.f)

/* `set`, `min`, ... are the instructions of one width; sets k and p = exp(r). The bounds come first
 * in min and max, which give their second operand where one is NaN. */
#define EXP_OF_REST(vector, set, min, max, subtract, muladd, x, k, p)                              \
    x = max(set(EXP_LEAST), min(set(EXP_MOST), x));                                                \
    const vector k = subtract(muladd(x, set(LOG2_E), set(NO_FRACTION)), set(NO_FRACTION));         \
    const vector r = muladd(k, set(-LN2_REST), muladd(k, set(-LN2_FIRST), x));                     \
    vector p = muladd(r, set(1.9875691500e-4f), set(1.3981999507e-3f));                            \
    p = muladd(p, r, set(8.3334519073e-3f));                                                       \
    p = muladd(p, r, set(4.1665795894e-2f));                                                       \
    p = muladd(p, r, set(1.6666665459e-1f));                                                       \
    p = muladd(p, r, set(5.0000001201e-1f));                                                       \
    p = muladd(p, r, set(1));                                                                      \
    p = muladd(p, r, set(1))

TM_TARGET_AVX512 TM_INLINE __m512 exp_16(__m512 x)
{
    EXP_OF_REST(__m512, _mm512_set1_ps, _mm512_min_ps, _mm512_max_ps, _mm512_sub_ps,
                _mm512_fmadd_ps, x, k, p);
    return _mm512_scalef_ps(p, k);
}

/* 2^k as the product of two that are normal numbers, of which the first loses no bit. */
TM_TARGET_AVX2 TM_INLINE __m256 exp_8(__m256 x)
{
    EXP_OF_REST(__m256, _mm256_set1_ps, _mm256_min_ps, _mm256_max_ps, _mm256_sub_ps,
                _mm256_fmadd_ps, x, k, p);
    const __m256i whole = _mm256_cvtps_epi32(k), half = _mm256_srai_epi32(whole, 1);
    const __m256i bias = _mm256_set1_epi32(127), rest = _mm256_sub_epi32(whole, half);
    p = _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23)));
    return _mm256_mul_ps(p,
                         _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(rest, bias), 23)));
}

#endif
