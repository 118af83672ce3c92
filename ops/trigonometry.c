/* trigonometry.c: trigonometric and hyperbolic functions and their inverses.
 *
 * atan2, hypot and the complex ones are C's. There are loops for floats and complex numbers alone,
 * so the shared meta computes integers in float32.
 */
#include "complex_numbers.h"
#include "function_loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define FUNCTION(name)                                                                             \
    TM_FUNCTION_LOOPS(name)                                                                        \
    TM_COMPLEX_LIBM_LOOPS(name)                                                                    \
    const tm_loop tm_##name##_loops[] = {TM_FLOAT_LOOPS(name), TM_COMPLEX_LOOPS(name), {0}};
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)

#define FUNCTION_OF_TWO(name)                                                                      \
    TM_BINARY_LOOP(name##_float32, float, float, name##f(a, b))                                    \
    TM_BINARY_LOOP(name##_float64, double, double, name(a, b))                                     \
    const tm_loop tm_##name##_loops[] = {TM_FLOAT_LOOPS(name), {0}};                               \
    TM_SCALAR_METAS(name)
FUNCTION_OF_TWO(atan2)
FUNCTION_OF_TWO(hypot)
