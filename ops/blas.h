/* blas.h: what every kernel that calls BLAS or LAPACK does around it. */
#ifndef TM_OPS_BLAS_H
#define TM_OPS_BLAS_H

#include <stdbool.h>

/** Before calls of BLAS or LAPACK, which tm_blas_end ends; between the two, nothing else is called.
 *  Sets BLAS up, once; where BLAS is not safe in threads, waits until no other thread is inside.
 *  Where there is no BLAS, both do nothing. */
void tm_blas_begin(void);
void tm_blas_end(void);
/** Whether BLAS computes products by AVX-512. Where the processor could it need not: an OpenBLAS
 *  older than the processor falls back on plain SSE. */
bool tm_blas_has_avx512(void);

#endif
