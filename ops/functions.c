/* functions.c: elementary functions, by SLEEF or by C.
 *
 * Of SLEEF's versions those are taken that promise the same bits at any vector length: with fused
 * products (finz) for AVX2 and AVX-512, without (cinz) otherwise. Some give infinity for large
 * arguments where the function is finite still; there elements are C's.
 */
#include "functions.h"

#include <math.h>
#include <string.h>

#if defined(TM_HAVE_SLEEF) && defined(__x86_64__)

#include "functions_exp.h"

/* A last part of a vector is computed beside zeros. */
#define RUN(name, function, target, type, vector, lanes, load, store)                              \
    target static void name(function(vector) const type *x, type *y, int64_t n)                    \
    {                                                                                              \
        int64_t i = 0;                                                                             \
        for (; i + (lanes) <= n; i += (lanes))                                                     \
            store(y + i, f(load(x + i)));                                                          \
        if (i == n)                                                                                \
            return;                                                                                \
        type part[lanes] = {0};                                                                    \
        memcpy(part, x + i, (size_t)(n - i) * sizeof *x);                                          \
        store(part, f(load(part)));                                                                \
        memcpy(y + i, part, (size_t)(n - i) * sizeof *x);                                          \
    }
#define TARGET_ANY
#define GIVEN(vector) vector (*f)(vector),
RUN(run_16, GIVEN, TM_TARGET_AVX512, float, __m512, 16, _mm512_loadu_ps, _mm512_storeu_ps)
RUN(run_8d, GIVEN, TM_TARGET_AVX512, double, __m512d, 8, _mm512_loadu_pd, _mm512_storeu_pd)
RUN(run_8, GIVEN, TM_TARGET_AVX2, float, __m256, 8, _mm256_loadu_ps, _mm256_storeu_ps)
RUN(run_4d, GIVEN, TM_TARGET_AVX2, double, __m256d, 4, _mm256_loadu_pd, _mm256_storeu_pd)
RUN(run_4, GIVEN, TARGET_ANY, float, __m128, 4, _mm_loadu_ps, _mm_storeu_ps)
RUN(run_2d, GIVEN, TARGET_ANY, double, __m128d, 2, _mm_loadu_pd, _mm_storeu_pd)

#define KNOWN(vector)
#define f exp_16
RUN(run_exp_16, KNOWN, TM_TARGET_AVX512, float, __m512, 16, _mm512_loadu_ps, _mm512_storeu_ps)
#undef f
#define f exp_8
RUN(run_exp_8, KNOWN, TM_TARGET_AVX2, float, __m256, 8, _mm256_loadu_ps, _mm256_storeu_ps)
#undef f

/* SLEEF's header declares only what the file is compiled for, so these are declared here. */
#define BY_LEVEL(name)                                                                             \
    __m512 Sleef_finz_##name##f16_u10avx512f(__m512);                                              \
    __m256 Sleef_finz_##name##f8_u10avx2(__m256);                                                  \
    __m128 Sleef_cinz_##name##f4_u10sse2(__m128);                                                  \
    __m512d Sleef_finz_##name##d8_u10avx512f(__m512d);                                             \
    __m256d Sleef_finz_##name##d4_u10avx2(__m256d);                                                \
    __m128d Sleef_cinz_##name##d2_u10sse2(__m128d);                                                \
    TM_INLINE void name##_by_level(const float *x, float *y, int64_t n)                            \
    {                                                                                              \
        const tm_simd level = tm_simd_level();                                                     \
        if (level == TM_SIMD_AVX512)                                                               \
            run_16(Sleef_finz_##name##f16_u10avx512f, x, y, n);                                    \
        else if (level == TM_SIMD_AVX2)                                                            \
            run_8(Sleef_finz_##name##f8_u10avx2, x, y, n);                                         \
        else                                                                                       \
            run_4(Sleef_cinz_##name##f4_u10sse2, x, y, n);                                         \
    }                                                                                              \
    TM_INLINE void name##_by_level_d(const double *x, double *y, int64_t n)                        \
    {                                                                                              \
        const tm_simd level = tm_simd_level();                                                     \
        if (level == TM_SIMD_AVX512)                                                               \
            run_8d(Sleef_finz_##name##d8_u10avx512f, x, y, n);                                     \
        else if (level == TM_SIMD_AVX2)                                                            \
            run_4d(Sleef_finz_##name##d4_u10avx2, x, y, n);                                        \
        else                                                                                       \
            run_2d(Sleef_cinz_##name##d2_u10sse2, x, y, n);                                        \
    }

#define WHOLE(name)                                                                                \
    BY_LEVEL(name)                                                                                 \
    void tm_##name##_float32_run(const float *x, float *y, int64_t n)                              \
    {                                                                                              \
        name##_by_level(x, y, n);                                                                  \
    }                                                                                              \
    void tm_##name##_float64_run(const double *x, double *y, int64_t n)                            \
    {                                                                                              \
        name##_by_level_d(x, y, n);                                                                \
    }

/* C's beyond a limit. */
#define UP_TO(name, type, suffix, by_level, magnitude, plain, limit)                               \
    void tm_##name##_##suffix##_run(const type *x, type *y, int64_t n)                             \
    {                                                                                              \
        enum { BLOCK = 128 };                                                                      \
        type copy[BLOCK]; /* x may be y */                                                         \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                   \
            const int64_t m = n - i < BLOCK ? n - i : BLOCK;                                       \
            memcpy(copy, x + i, (size_t)m * sizeof *x);                                            \
            by_level(copy, y + i, m);                                                              \
            for (int64_t j = 0; j < m; j++)                                                        \
                if (magnitude(copy[j]) > (limit))                                                  \
                    y[i + j] = plain(copy[j]);                                                     \
        }                                                                                          \
    }
#define LIMITED(name, limit, limit_d)                                                              \
    BY_LEVEL(name)                                                                                 \
    UP_TO(name, float, float32, name##_by_level, fabsf, name##f, limit)                            \
    UP_TO(name, double, float64, name##_by_level_d, fabs, name, limit_d)

BY_LEVEL(exp)
void tm_exp_float32_run(const float *x, float *y, int64_t n)
{
    const tm_simd level = tm_simd_level();
    if (level == TM_SIMD_AVX512)
        run_exp_16(x, y, n);
    else if (level == TM_SIMD_AVX2)
        run_exp_8(x, y, n);
    else
        exp_by_level(x, y, n);
}
void tm_exp_float64_run(const double *x, double *y, int64_t n)
{
    exp_by_level_d(x, y, n);
}
WHOLE(exp2)
WHOLE(expm1)
WHOLE(log)
WHOLE(log2)
WHOLE(log10)
LIMITED(log1p, 1e37F, 1e306)
WHOLE(sin)
WHOLE(cos)
WHOLE(tan)
WHOLE(asin)
WHOLE(acos)
WHOLE(atan)
LIMITED(sinh, 88.F, 709.)
LIMITED(cosh, 88.F, 709.)
WHOLE(tanh)
LIMITED(asinh, 1e18F, 1e153)
LIMITED(acosh, 1e18F, 1e153)
WHOLE(atanh)
WHOLE(cbrt)
WHOLE(erf)

#else

#include "unary_float32.h"

#define BY(name, suffix, type, function)                                                           \
    TM_INLINE void name##_##suffix##_body(const type *x, type *y, int64_t n)                       \
    {                                                                                              \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = function(x[i]);                                                                 \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_##suffix##_version, name##_##suffix##_body,                            \
                     (const type *x, type *y, int64_t n), (x, y, n))                               \
    void tm_##name##_##suffix##_run(const type *x, type *y, int64_t n)                             \
    {                                                                                              \
        name##_##suffix##_version(x, y, n);                                                        \
    }
#define BY_C(name) BY(name, float32, float, name##f) BY(name, float64, double, name)
BY(exp, float32, float, exp_of_float32)
BY(exp, float64, double, exp)
BY(log, float32, float, log_of_float32)
BY(log, float64, double, log)
BY(tanh, float32, float, tanh_of_float32)
BY(tanh, float64, double, tanh)
BY_C(exp2)
BY_C(expm1)
BY_C(log2)
BY_C(log10)
BY_C(log1p)
BY_C(sin)
BY_C(cos)
BY_C(tan)
BY_C(asin)
BY_C(acos)
BY_C(atan)
BY_C(sinh)
BY_C(cosh)
BY_C(asinh)
BY_C(acosh)
BY_C(atanh)
BY_C(cbrt)
BY_C(erf)

#endif
