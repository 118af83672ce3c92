/* blas.h: what every kernel that calls BLAS or LAPACK does first. */
#ifndef TM_OPS_BLAS_H
#define TM_OPS_BLAS_H

/** Sets BLAS up, once. Where there is no BLAS, nothing. */
void tm_blas_begin(void);

#endif
