/* core.h: core dimensions that several families state: one entry per tensor operand. */
#ifndef TM_OPS_CORE_H
#define TM_OPS_CORE_H

#include <stdint.h>

extern const int8_t tm_matrix_core[];            /* every operand a matrix */
extern const int8_t tm_scalar_core[];            /* every operand one element */
extern const int8_t tm_matrix_to_scalars_core[]; /* the first a matrix, the others one element */
extern const int8_t tm_matrix_to_vector_core[];  /* a matrix, a vector */
extern const int8_t tm_lu_factor_core[];         /* a matrix; a matrix, a vector */
extern const int8_t tm_eigen_core[];             /* a matrix; a vector, a matrix */
extern const int8_t tm_svd_core[];               /* a matrix; a matrix, a vector, a matrix */

#endif
