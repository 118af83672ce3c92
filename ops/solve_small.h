/* solve_small.h: LU and triangular systems of small real matrices by plain loops. The same source
 * is compiled for one example here and for the lanes of a batch, so both give the same bits. */
#ifndef TM_OPS_SOLVE_SMALL_H
#define TM_OPS_SOLVE_SMALL_H

#include "lapack.h"

/** Up to here the loops are as fast as LAPACK for one matrix. */
enum { TM_SMALL = 32 };

/** Whether a (rows, columns) matrix and `sides` right-hand sides are small, and real. */
static inline bool tm_is_small(tm_dtype dtype, int64_t rows, int64_t columns, int64_t sides)
{
    return !tm_is_complex(dtype) && rows <= TM_SMALL && columns <= TM_SMALL && sides <= TM_SMALL;
}

/** LU in place of a buffer, with L^-1 P b in place of b, a buffer of `sides` columns. Pivots count
 *  from 1. Returns the first pivot that is zero, counted from 1, or 0. */
int64_t tm_lu_small(tm_dtype dtype, int64_t rows, int64_t columns, void *a, lapack_int *pivots,
                    int64_t sides, void *b);

typedef struct tm_triangle {
    bool upper, transpose, unit; /**< it is a's upper triangle; taken transposed; with ones */
} tm_triangle;

/** t^-1 b in place of b, of `sides` columns; t is a triangle of the (n, n) buffer a. */
void tm_substitute_small(tm_dtype dtype, int64_t n, const void *a, tm_triangle t, int64_t sides,
                         void *b);

#endif
