/* reductions_width.h: how long the vectors of a kernel's IN and ACC are at a level (levels.h).
 *
 *     WIDTH         elements of a vector: as many of the larger type as the level's vectors hold,
 *                   at most 8; in vectors that a processor lacks, elements are taken one by one
 *     HALVE_EIGHT   HALVE_n_LANES_OF_8 of halves.h, n being WIDTH
 *     TREE_LEVEL(suffix)   a name of this kernel's at this level
 */
#ifndef TM_OPS_REDUCTIONS_WIDTH_H
#define TM_OPS_REDUCTIONS_WIDTH_H

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
#define TREE_BYTES_OF(type) TM_JOINED(TREE_BYTES_OF_, type)
#define TREE_LEVEL(suffix) LEVEL(TREE(suffix))

#endif

#undef WIDTH
#undef HALVE_EIGHT
#undef TREE_BYTES
#if TREE_BYTES_OF(IN) == 8 || TREE_BYTES_OF(ACC) == 8
#define TREE_BYTES 8
#elif TREE_BYTES_OF(IN) == 4 || TREE_BYTES_OF(ACC) == 4
#define TREE_BYTES 4
#else
#define TREE_BYTES 2 /* or 1 */
#endif

#if LEVEL_BYTES >= 8 * TREE_BYTES
#define WIDTH 8
#define HALVE_EIGHT HALVE_8_LANES_OF_8
#elif LEVEL_BYTES >= 4 * TREE_BYTES
#define WIDTH 4
#define HALVE_EIGHT HALVE_4_LANES_OF_8
#else
#define WIDTH 2
#define HALVE_EIGHT HALVE_2_LANES_OF_8
#endif
