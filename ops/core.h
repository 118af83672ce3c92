/* core.h: core dimensions that several families state: one entry per tensor operand. */
#ifndef TM_OPS_CORE_H
#define TM_OPS_CORE_H

#include <stdint.h>

extern const int8_t tm_matrix_core[]; /* every operand a matrix */
extern const int8_t tm_scalar_core[]; /* every operand one element */

#endif
