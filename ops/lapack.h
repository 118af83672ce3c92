/* lapack.h: LAPACK by dtype: float32, float64, complex64, complex128.
 *
 *     TM_LAPACK(dtype, getrf, n, n, a, n, pivots)
 *
 * calls LAPACKE_sgetrf_work, LAPACKE_dgetrf_work, ... for column-major matrices; pointers to
 * elements are void pointers, and so fit all four. Where the arguments of real and complex routines
 * differ, there are TM_LAPACK_REAL and TM_LAPACK_COMPLEX. Call tm_check_lapack first: without
 * LAPACK it fails, and what the macros then stand for is never reached.
 */
#ifndef TM_OPS_LAPACK_H
#define TM_OPS_LAPACK_H

#include "linalg.h"

#ifdef TM_HAVE_LAPACK
#include <lapacke.h>

#include "blas.h"

/* Passes on what a routine returned. */
static inline lapack_int tm_lapack_end(lapack_int info)
{
    tm_blas_end();
    return info;
}

#define TM_LAPACK_CALL(first, dtype, one, other, routine, ...)                                     \
    tm_lapack_end(                                                                                 \
        (tm_blas_begin(), (dtype) == (first)                                                       \
                              ? LAPACKE_##one##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__)       \
                              : LAPACKE_##other##routine##_work(LAPACK_COL_MAJOR, __VA_ARGS__)))
#define TM_LAPACK_REAL(dtype, routine, ...)                                                        \
    TM_LAPACK_CALL(TM_FLOAT32, dtype, s, d, routine, __VA_ARGS__)
#define TM_LAPACK_COMPLEX(dtype, routine, ...)                                                     \
    TM_LAPACK_CALL(TM_COMPLEX64, dtype, c, z, routine, __VA_ARGS__)
#define TM_LAPACK(dtype, routine, ...)                                                             \
    (tm_is_complex(dtype) ? TM_LAPACK_COMPLEX(dtype, routine, __VA_ARGS__)                         \
                          : TM_LAPACK_REAL(dtype, routine, __VA_ARGS__))
#else
typedef int32_t lapack_int;

static inline lapack_int tm_no_lapack(tm_dtype dtype, ...)
{
    (void)dtype;
    return 0;
}

#define TM_LAPACK_REAL(dtype, routine, ...) tm_no_lapack(dtype, __VA_ARGS__)
#define TM_LAPACK_COMPLEX(dtype, routine, ...) tm_no_lapack(dtype, __VA_ARGS__)
#define TM_LAPACK(dtype, routine, ...) tm_no_lapack(dtype, __VA_ARGS__)
#endif

/** Without LAPACK: TM_ERR_NO_KERNEL. */
tm_status tm_check_lapack(tm_call *call);

/** Elements from one column of a matrix to the next: LAPACK wants at least 1. */
static inline lapack_int tm_lead(int64_t rows)
{
    return (lapack_int)(rows > 0 ? rows : 1);
}

/** The workspace, in elements a column, with which LAPACK's blocked code runs at full speed. */
enum { TM_LAPACK_BLOCK = 64 };

#endif
