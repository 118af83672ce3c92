/* levels.h: includes TM_LEVEL_BODY once for each level of vector instructions, for code that is in
 * terms of the level's own vectors. The body is plain C over
 *
 *     WIDTH      how many float32 a vector of the level has
 *     TARGET     the attributes of a function that is not always inlined
 *     NAME(x)    x's name at this level
 *
 * A function's levels have the same parameters and give the same bits; TM_SIMD_PICK makes the one
 * that runs the level's.
 */
#include "simd.h"

#define WIDTH 4
#define TARGET
#define NAME(x) x##_portable
#include TM_LEVEL_BODY
#undef WIDTH
#undef TARGET
#undef NAME
#ifdef TM_HAVE_TARGETS
#define WIDTH 8
#define TARGET TM_TARGET_AVX2
#define NAME(x) x##_avx2
#include TM_LEVEL_BODY
#undef WIDTH
#undef TARGET
#undef NAME
#define WIDTH 16
#define TARGET TM_TARGET_AVX512
#define NAME(x) x##_avx512
#include TM_LEVEL_BODY
#undef WIDTH
#undef TARGET
#undef NAME
#endif
#undef TM_LEVEL_BODY
