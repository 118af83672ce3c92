/* simd.h: one body of code, compiled for each level of vector instructions.
 *
 *     TM_INLINE void scale_body(float *x, int64_t n) { ...plain C... }
 *     TM_SIMD_VERSIONS(scale, scale_body, (float *x, int64_t n), (x, n))
 *
 * makes a static function `scale` that runs the version for tm_simd_level(). The body must be
 * always_inline, so that it takes on each version's instructions. Products and sums are never
 * fused by the compiler (-ffp-contract=off), so all versions of a body give the same bits.
 *
 * Where the versions are functions name_portable, name_avx2 and name_avx512 already,
 * TM_SIMD_PICK(, static void, scale, (float *x, int64_t n), (x, n)) makes the one that runs the
 * level's.
 */
#ifndef TM_DISPATCH_SIMD_H
#define TM_DISPATCH_SIMD_H

#include "target.h"
#include "tuning.h"

/* One name of two, of what they stand for. */
#define TM_JOINED_AS_IS(a, b) a##b
#define TM_JOINED(a, b) TM_JOINED_AS_IS(a, b)

/* Before a loop of a few rounds whose number is a constant: no loop is left of it. */
#if defined(__GNUC__) && !defined(__clang__)
#define TM_UNROLLED _Pragma("GCC unroll 16")
#else
#define TM_UNROLLED _Pragma("unroll")
#endif

#ifdef TM_HAVE_TARGETS

#define TM_SIMD_PICK_NAMED(give, type, name, parameters, arguments)                                \
    type name parameters                                                                           \
    {                                                                                              \
        const tm_simd level = tm_simd_level();                                                     \
        if (level == TM_SIMD_AVX512)                                                               \
            give name##_avx512 arguments;                                                          \
        else if (level == TM_SIMD_AVX2)                                                            \
            give name##_avx2 arguments;                                                            \
        else                                                                                       \
            give name##_portable arguments;                                                        \
    }

#define TM_SIMD_MAKE(give, type, name, body, parameters, arguments)                                \
    static type name##_portable parameters                                                         \
    {                                                                                              \
        give body arguments;                                                                       \
    }                                                                                              \
    TM_TARGET_AVX2 static type name##_avx2 parameters                                              \
    {                                                                                              \
        give body arguments;                                                                       \
    }                                                                                              \
    TM_TARGET_AVX512 static type name##_avx512 parameters                                          \
    {                                                                                              \
        give body arguments;                                                                       \
    }                                                                                              \
    TM_SIMD_PICK(give, static type, name, parameters, arguments)

#else

#define TM_SIMD_PICK_NAMED(give, type, name, parameters, arguments)                                \
    type name parameters                                                                           \
    {                                                                                              \
        give name##_portable arguments;                                                            \
    }

#define TM_SIMD_MAKE(give, type, name, body, parameters, arguments)                                \
    static type name parameters                                                                    \
    {                                                                                              \
        give body arguments;                                                                       \
    }

#endif

#define TM_SIMD_PICK(give, type, name, parameters, arguments)                                      \
    TM_SIMD_PICK_NAMED(give, type, name, parameters, arguments)

/* Of a body that returns nothing, and of one that returns a `type`. */
#define TM_SIMD_VERSIONS(name, body, parameters, arguments)                                        \
    TM_SIMD_MAKE(, void, name, body, parameters, arguments)
#define TM_SIMD_FUNCTIONS(type, name, body, parameters, arguments)                                 \
    TM_SIMD_MAKE(return, type, name, body, parameters, arguments)

#endif
