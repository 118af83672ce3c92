/* linalg.h: what the kernels of linear algebra share.
 *
 * A kernel copies its matrices, column by column, into the workspace and computes there. So it
 * finds them in the same layout and alignment whatever the tensors' strides are, and no layout can
 * change a bit of the result. "A buffer" below is such a matrix without gaps.
 */
#ifndef TM_OPS_LINALG_H
#define TM_OPS_LINALG_H

#include <complex.h>

#include <transmute/kernel.h>

/* -- Dtypes ------------------------------------------------------------------------------------ */

static inline bool tm_is_complex(tm_dtype dtype)
{
    return dtype == TM_COMPLEX64 || dtype == TM_COMPLEX128;
}

/** The dtype of a part of a complex number; a real dtype is its own. */
static inline tm_dtype tm_real_dtype(tm_dtype dtype)
{
    return dtype == TM_COMPLEX64 ? TM_FLOAT32 : dtype == TM_COMPLEX128 ? TM_FLOAT64 : dtype;
}

/** The complex dtype of that precision. */
static inline tm_dtype tm_complex_dtype(tm_dtype dtype)
{
    return dtype == TM_FLOAT32 ? TM_COMPLEX64 : dtype == TM_FLOAT64 ? TM_COMPLEX128 : dtype;
}

/** The distance from 1 to the next number of the dtype. */
double tm_epsilon(tm_dtype dtype);

/** Element i of a buffer, and writing it. */
double complex tm_entry(tm_dtype dtype, const void *buffer, int64_t i);
void tm_set_entry(tm_dtype dtype, void *buffer, int64_t i, double complex value);
/** The same for a real dtype. */
double tm_real_entry(tm_dtype dtype, const void *buffer, int64_t i);
void tm_set_real_entry(tm_dtype dtype, void *buffer, int64_t i, double value);

/* -- Sizes ------------------------------------------------------------------------------------- */

/** The number of pivots, reflections, singular values of a matrix. */
static inline int64_t tm_shorter(int64_t rows, int64_t columns)
{
    return rows < columns ? rows : columns;
}

/* -- Checks (in metas) ------------------------------------------------------------------------- */

/** TM_ERR_DTYPE unless x has one of the four dtypes of linear algebra. */
tm_status tm_check_linalg(tm_call *call, const char *argument, const tm_tensor *x);
/** The same, and TM_ERR_RANK, TM_ERR_SHAPE unless it is a stack of matrices of a size for LAPACK.
 */
tm_status tm_check_matrix(tm_call *call, const char *argument, const tm_tensor *x);
/** The same, and TM_ERR_SHAPE unless they are square. */
tm_status tm_check_square(tm_call *call, const char *argument, const tm_tensor *x);
/** TM_ERR_SHAPE unless a workspace of that many elements is one for LAPACK, which counts in 32
 *  bits. */
tm_status tm_check_lapack_size(tm_call *call, const char *argument, const tm_tensor *x,
                               int64_t elements);
/** TM_ERR_VALUE unless rtol is None or not negative. */
tm_status tm_check_rtol(tm_call *call, const double *rtol);

/* -- Failures (in kernels) --------------------------------------------------------------------- */

/** TM_ERR_NUMERIC unless all `count` elements of a buffer are finite. */
tm_status tm_check_finite_buffer(tm_call *call, const char *argument, tm_dtype dtype,
                                 const void *buffer, int64_t count);
/** TM_ERR_NUMERIC: that pivot is zero. It counts from 1, as LAPACK's do; the message has its index,
 *  from 0. */
tm_status tm_fail_singular(tm_call *call, const char *argument, int64_t pivot);
/** The first zero on the diagonal of an (n, n) buffer, counted from 1, or 0. */
int64_t tm_zero_on_diagonal(tm_dtype dtype, const void *buffer, int64_t n);

/* -- Memory ------------------------------------------------------------------------------------ */

/** Cuts a workspace into parts. A meta runs the cuts without a base, for `used`; the kernel runs
 *  the same ones with it, for the parts. */
typedef struct tm_carver {
    char *base;
    size_t used; /**< saturates */
} tm_carver;

/** A part of rows * columns elements, 64-byte aligned. */
void *tm_carve(tm_carver *w, int64_t rows, int64_t columns, size_t item);
/** The same for a matrix of that dtype. */
static inline void *tm_carve_matrix(tm_carver *w, tm_dtype dtype, int64_t rows, int64_t columns)
{
    return tm_carve(w, rows, columns, tm_dtype_size(dtype));
}

/** A matrix (two dimensions, as a kernel sees it) into a buffer of that dtype. */
void tm_load_matrix(const tm_tensor *x, tm_dtype dtype, void *buffer);
/** The same; TM_ERR_NUMERIC unless all of it is finite. */
tm_status tm_load_finite_matrix(tm_call *call, const char *argument, const tm_tensor *x,
                                tm_dtype dtype, void *buffer);
/** A vector alike. */
void tm_load_vector(const tm_tensor *x, tm_dtype dtype, void *buffer);
/** The first rows and columns of a buffer of `rows` rows, as many as out has, into out. */
void tm_store_matrix(tm_tensor *out, const void *buffer, int64_t rows);
/** A buffer of one column of the vector's dtype into out. */
void tm_store_vector(tm_tensor *out, const void *buffer);
/** The identity, into an (n, n) buffer. */
void tm_set_identity(tm_dtype dtype, void *buffer, int64_t n);
/** Zeros above the diagonal, or below it, in a buffer. */
void tm_clear_triangle(tm_dtype dtype, void *buffer, int64_t rows, int64_t columns, bool above);

/* -- Products ---------------------------------------------------------------------------------- */

/** The form in which a product takes a factor; a complex one is conjugated besides. */
typedef enum tm_gemm_form { TM_AS_IS, TM_ADJOINT } tm_gemm_form;

/** c = a b by BLAS: buffers; (m, k) and (k, n) as taken. */
void tm_gemm(tm_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a, tm_gemm_form form_a,
             const void *b, tm_gemm_form form_b, void *c);

#endif
