/* simd.h: one body of code for each level of vector instructions, as dispatch/simd.h makes it. */
#ifndef TM_OPS_SIMD_H
#define TM_OPS_SIMD_H

#include "dispatch/simd.h"

#endif
