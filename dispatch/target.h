/* target.h: attributes of functions that are compiled for a level of vector instructions. */
#ifndef TM_DISPATCH_TARGET_H
#define TM_DISPATCH_TARGET_H

#define TM_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)
#define TM_HAVE_TARGETS
#define TM_TARGET_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__)
#define TM_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#else /* gcc keeps to 256 bits unless told */
#define TM_TARGET_AVX512                                                                           \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")))
#endif
#endif

#endif
