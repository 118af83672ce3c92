/* decompositions_small.h: factorisations of small real matrices by plain loops. The same source is
 * compiled for one example here and for the lanes of a batch, so both give the same bits. */
#ifndef TM_OPS_DECOMPOSITIONS_SMALL_H
#define TM_OPS_DECOMPOSITIONS_SMALL_H

#include "linalg.h"

/** Up to here the loops are as fast as LAPACK for one matrix. */
enum { TM_SMALL_EIGH = 8, TM_SMALL_SVD = 12, TM_SMALL_QR = 24 };

static inline bool tm_is_small_for(int64_t most, tm_dtype dtype, int64_t rows, int64_t columns)
{
    return !tm_is_complex(dtype) && rows <= most && columns <= most;
}

/* All matrices are buffers. Where the rotations do not converge, or come to a singular value too
 * small to tell its vector, the result is false, and it is LAPACK's to answer. */

/** Eigenvalues and, unless NULL, eigenvectors of the symmetric (n, n) a, which is destroyed. */
bool tm_eigh_small(tm_dtype dtype, int64_t n, void *a, void *values, void *vectors);
/** a = u diag(s) vh, with as many columns of u and rows of vh as s has; both NULL: not wanted. a is
 *  destroyed; `spare` is as large. */
bool tm_svd_small(tm_dtype dtype, int64_t rows, int64_t columns, void *a, void *spare, void *u,
                  void *s, void *vh);
/** R in place of a, with what is below its diagonal unset; q has q_columns columns. */
void tm_qr_small(tm_dtype dtype, int64_t rows, int64_t columns, void *a, int64_t q_columns,
                 void *q);

#endif
