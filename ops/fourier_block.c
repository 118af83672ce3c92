/* fourier_block.c: contiguous lines into lanes and back, by what the processor has. */
#include "fourier_block.h"

#include "simd.h"

#define REAL float
#define NAME(x) x##_float32
#define TARGET
#define LANES 4
#include "fourier_turn.h"
#ifdef TM_TARGET_AVX2
#define NAME(x) x##_float32_avx2
#define TARGET TM_TARGET_AVX2
#define LANES 8
#include "fourier_turn.h"
#define NAME(x) x##_float32_avx512
#define TARGET TM_TARGET_AVX512
#define LANES 16
#include "fourier_turn.h"
#endif
#undef REAL

#define REAL double
#define NAME(x) x##_float64
#define TARGET
#define LANES 2
#include "fourier_turn.h"
#ifdef TM_TARGET_AVX2
#define NAME(x) x##_float64_avx2
#define TARGET TM_TARGET_AVX2
#define LANES 4
#include "fourier_turn.h"
#define NAME(x) x##_float64_avx512
#define TARGET TM_TARGET_AVX512
#define LANES 8
#include "fourier_turn.h"
#endif

#ifdef TM_TARGET_AVX2
#define PICK(name, wide)                                                                           \
    (tm_simd_level() == TM_SIMD_AVX512 ? (wide ? name##_float64_avx512 : name##_float32_avx512)    \
     : tm_simd_level() == TM_SIMD_AVX2 ? (wide ? name##_float64_avx2 : name##_float32_avx2)        \
                                       : (wide ? name##_float64 : name##_float32))
#else
#define PICK(name, wide) (wide ? name##_float64 : name##_float32)
#endif

int64_t tm_fft_load(tm_dtype dtype, const tm_fft_block *b, const char *const *line)
{
    return PICK(load, dtype == TM_FLOAT64)(b, line);
}

int64_t tm_fft_store(tm_dtype dtype, const tm_fft_block *b, char *const *line)
{
    return PICK(store, dtype == TM_FLOAT64)(b, line);
}
