/* simd_reals.h: includes TM_REALS_BODY once for float and double at each level of vector
 * instructions, with
 *
 *     REAL          the type
 *     NAME(x)       x with the type and the level behind it
 *     TARGET        the attribute of functions that use the level's instructions
 *     VECTOR_BYTES  the size of its vectors
 *     LANES         how many elements they hold
 */
#include "simd.h"

#define REAL float
#define NAME(x) x##_float32
#define TARGET
#define VECTOR_BYTES 16
#define LANES 4
#include TM_REALS_BODY
#include "simd_reals_end.h"
#ifdef TM_TARGET_AVX2
#define NAME(x) x##_float32_avx2
#define TARGET TM_TARGET_AVX2
#define VECTOR_BYTES 32
#define LANES 8
#include TM_REALS_BODY
#include "simd_reals_end.h"
#define NAME(x) x##_float32_avx512
#define TARGET TM_TARGET_AVX512
#define VECTOR_BYTES 64
#define LANES 16
#include TM_REALS_BODY
#include "simd_reals_end.h"
#endif
#undef REAL

#define REAL double
#define NAME(x) x##_float64
#define TARGET
#define VECTOR_BYTES 16
#define LANES 2
#include TM_REALS_BODY
#include "simd_reals_end.h"
#ifdef TM_TARGET_AVX2
#define NAME(x) x##_float64_avx2
#define TARGET TM_TARGET_AVX2
#define VECTOR_BYTES 32
#define LANES 4
#include TM_REALS_BODY
#include "simd_reals_end.h"
#define NAME(x) x##_float64_avx512
#define TARGET TM_TARGET_AVX512
#define VECTOR_BYTES 64
#define LANES 8
#include TM_REALS_BODY
#include "simd_reals_end.h"
#endif
#undef REAL
#undef TM_REALS_BODY

/* The version of `name` for a dtype, float32 or float64, and the level that is chosen. */
#ifdef TM_TARGET_AVX2
#define TM_REALS_PICK(name, dtype)                                                                 \
    (tm_simd_level() == TM_SIMD_AVX512                                                             \
         ? ((dtype) == TM_FLOAT64 ? name##_float64_avx512 : name##_float32_avx512)                 \
     : tm_simd_level() == TM_SIMD_AVX2                                                             \
         ? ((dtype) == TM_FLOAT64 ? name##_float64_avx2 : name##_float32_avx2)                     \
         : ((dtype) == TM_FLOAT64 ? name##_float64 : name##_float32))
#else
#define TM_REALS_PICK(name, dtype) ((dtype) == TM_FLOAT64 ? name##_float64 : name##_float32)
#endif
