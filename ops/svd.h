/* svd.h: the singular value decomposition in a kernel's workspace, for all that is made of it. */
#ifndef TM_OPS_SVD_H
#define TM_OPS_SVD_H

#include "lapack.h"

/** What is wanted besides the values: nothing, the vectors that belong to them, square factors. */
typedef enum tm_svd_vectors { TM_SVD_NONE, TM_SVD_REDUCED, TM_SVD_FULL } tm_svd_vectors;

/** x = u diag(s) vh. */
typedef struct tm_svd_parts {
    tm_dtype dtype;
    tm_svd_vectors vectors;
    int64_t rows, columns, count; /**< x is (rows, columns); `count` singular values */
    void *a;                      /**< x, destroyed */
    void *u;                      /**< (rows, count), full: (rows, rows) */
    void *s;                      /**< of the real dtype, descending */
    void *vh;                     /**< (count, columns), full: (columns, columns) */
    void *work, *real_work;
    lapack_int *int_work;
    int64_t work_size, real_size;
} tm_svd_parts;

tm_svd_parts tm_carve_svd(tm_carver *w, tm_dtype dtype, int64_t rows, int64_t columns,
                          tm_svd_vectors vectors);
/** In a meta: the checks of x, and that this decomposition of it is one for LAPACK. Cuts `w`. */
tm_status tm_check_svd(tm_call *call, const char *argument, const tm_tensor *x,
                       tm_svd_vectors vectors, tm_carver *w);
/** In a kernel: loads x and decomposes it. TM_ERR_NUMERIC where x is not finite, or where the
 * values do not converge. `argument` is x's name. */
tm_status tm_run_svd(tm_call *call, const char *argument, const tm_tensor *x, tm_svd_parts *parts);
/** How many singular values are greater than rtol times the largest; rtol NULL: epsilon times the
 *  longer side of x. TM_ERR_NUMERIC where the largest overflows, so that none can be told. */
tm_status tm_svd_rank(tm_call *call, const char *argument, const tm_svd_parts *parts,
                      const double *rtol, int64_t *rank);
/** Divides row i of a (count, columns) buffer by singular value i; from row `rank` on: zeros. */
void tm_svd_divide(const tm_svd_parts *parts, int64_t rank, void *buffer, int64_t columns);

#endif
