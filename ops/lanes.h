/* lanes.h: a kernel's body for one example and for several, one in each lane of a vector.
 *
 *     #define TM_LANES_BODY "matrix_cholesky_lanes.h"
 *     #include "lanes_versions.h"
 *
 * includes the body for each version: float32 and float64, for one example and for vectors of 16,
 * 32 and 64 bytes. The body is plain C over
 *
 *     S          the element type; V one element of every lane; M a truth value for every lane, all
 *                bits or none (one example: an integer, 0 or not)
 *     WIDTH      the number of lanes, 1 for one example
 *     NAME(x)    x's name in this version: of its own functions, and of those below
 *     LANES_FN   the attributes of a function of its own
 *
 * and the functions of lanes_type.h. A lane's result depends on that lane alone, and all versions
 * give the same bits: nothing but IEEE's operations is used, in the order of the body.
 */
#ifndef TM_OPS_LANES_H
#define TM_OPS_LANES_H

#include <math.h>
#include <string.h>

#include <transmute/kernel.h>

#include "simd.h"

/** A table of lanes kernels, from a body's function of that name. */
#ifdef TM_HAVE_TARGETS
#define TM_LANES_TABLE(function, most)                                                             \
    {                                                                                              \
        {function##_f32_64, TM_FLOAT32, TM_SIMD_AVX512, 16, most},                                 \
            {function##_f64_64, TM_FLOAT64, TM_SIMD_AVX512, 8, most},                              \
            {function##_f32_32, TM_FLOAT32, TM_SIMD_AVX2, 8, most},                                \
            {function##_f64_32, TM_FLOAT64, TM_SIMD_AVX2, 4, most},                                \
            {function##_f32_16, TM_FLOAT32, TM_SIMD_PORTABLE, 4, most},                            \
            {function##_f64_16, TM_FLOAT64, TM_SIMD_PORTABLE, 2, most}, {0},                       \
    }
#else
#define TM_LANES_TABLE(function, most)                                                             \
    {                                                                                              \
        {function##_f32_16, TM_FLOAT32, TM_SIMD_PORTABLE, 4, most},                                \
            {function##_f64_16, TM_FLOAT64, TM_SIMD_PORTABLE, 2, most}, {0},                       \
    }
#endif

/** Row-major element (i, j) of a matrix of that many columns. */
#define AT(i, j, columns) ((i) * (columns) + (j))

#endif
