/* reductions_levels.h: includes TREE_BODY once for each level of vector instructions, with
 *
 *     LEVEL(suffix)   a name of this kernel's at this level
 *     TARGET          the attributes of its functions
 *     WIDTH           elements of a vector: as many of IN and of ACC as the level's vectors hold,
 *                     at most 8; in vectors that a processor lacks, elements are taken one by one
 *     HALVE_EIGHT     HALVE_n_LANES_OF_8 of halves.h, n being WIDTH
 *
 * TREE_BYTES is the size of the larger of IN and ACC.
 */
#define TREE_BYTES_OF_int8_t 1
#define TREE_BYTES_OF_uint8_t 1
#define TREE_BYTES_OF_int16_t 2
#define TREE_BYTES_OF_uint16_t 2
#define TREE_BYTES_OF_int32_t 4
#define TREE_BYTES_OF_uint32_t 4
#define TREE_BYTES_OF_float 4
#define TREE_BYTES_OF_int64_t 8
#define TREE_BYTES_OF_uint64_t 8
#define TREE_BYTES_OF_double 8
#define TREE_BYTES_OF(type) TREE_NAME(TREE_BYTES_OF_, type)
#if TREE_BYTES_OF(IN) == 8 || TREE_BYTES_OF(ACC) == 8
#define TREE_BYTES 8
#elif TREE_BYTES_OF(IN) == 4 || TREE_BYTES_OF(ACC) == 4
#define TREE_BYTES 4
#else
#define TREE_BYTES 2 /* or 1 */
#endif

#define TARGET
#define LEVEL(suffix) TREE_NAME(TREE(suffix), _portable)
#if TREE_BYTES == 8
#define WIDTH 2
#define HALVE_EIGHT HALVE_2_LANES_OF_8
#elif TREE_BYTES == 4
#define WIDTH 4
#define HALVE_EIGHT HALVE_4_LANES_OF_8
#else
#define WIDTH 8
#define HALVE_EIGHT HALVE_8_LANES_OF_8
#endif
#include TREE_BODY
#undef WIDTH
#undef HALVE_EIGHT
#undef TARGET
#undef LEVEL
#ifdef TM_HAVE_TARGETS
#define TARGET TM_TARGET_AVX2
#define LEVEL(suffix) TREE_NAME(TREE(suffix), _avx2)
#if TREE_BYTES == 8
#define WIDTH 4
#define HALVE_EIGHT HALVE_4_LANES_OF_8
#else
#define WIDTH 8
#define HALVE_EIGHT HALVE_8_LANES_OF_8
#endif
#include TREE_BODY
#undef WIDTH
#undef HALVE_EIGHT
#undef TARGET
#undef LEVEL
#define TARGET TM_TARGET_AVX512
#define LEVEL(suffix) TREE_NAME(TREE(suffix), _avx512)
#define WIDTH 8
#define HALVE_EIGHT HALVE_8_LANES_OF_8
#include TREE_BODY
#undef WIDTH
#undef HALVE_EIGHT
#undef TARGET
#undef LEVEL
#endif
#undef TREE_BODY
#undef TREE_BYTES
