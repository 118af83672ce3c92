/* levels.h: includes TM_LEVEL_BODY once for each level of vector instructions, for code that is in
 * terms of the level's own vectors. The body is plain C over
 *
 *     LEVEL_BYTES   how long a vector of the level is
 *     TARGET        the attributes of a function that is not always inlined
 *     LEVEL(x)      x's name at this level
 *
 * A function's levels have the same parameters and give the same bits; TM_SIMD_PICK makes the one
 * that runs the level's.
 */
#include "simd.h"

#define LEVEL_BYTES 16
#define TARGET
#define LEVEL(x) TM_JOINED(x, _portable)
#include TM_LEVEL_BODY
#undef LEVEL_BYTES
#undef TARGET
#undef LEVEL
#ifdef TM_HAVE_TARGETS
#define LEVEL_BYTES 32
#define TARGET TM_TARGET_AVX2
#define LEVEL(x) TM_JOINED(x, _avx2)
#include TM_LEVEL_BODY
#undef LEVEL_BYTES
#undef TARGET
#undef LEVEL
#define LEVEL_BYTES 64
#define TARGET TM_TARGET_AVX512
#define LEVEL(x) TM_JOINED(x, _avx512)
#include TM_LEVEL_BODY
#undef LEVEL_BYTES
#undef TARGET
#undef LEVEL
#endif
#undef TM_LEVEL_BODY
