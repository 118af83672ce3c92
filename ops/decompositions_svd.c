/* decompositions_svd.c: the singular value decomposition, by divide and conquer. */
#include <math.h>
#include <string.h>

#include "decompositions_small.h"
#include "ops_kernels.h"
#include "svd.h"

/* The sizes are those of LAPACK's documentation for gesdd, and a column's blocks besides. */
tm_svd_parts tm_carve_svd(tm_carver *w, tm_dtype dtype, int64_t rows, int64_t columns,
                          tm_svd_vectors vectors)
{
    tm_dtype real = tm_real_dtype(dtype);
    int64_t k = tm_shorter(rows, columns), longer = rows + columns - k;
    tm_svd_parts p = {.dtype = dtype,
                      .vectors = vectors,
                      .rows = rows,
                      .columns = columns,
                      .count = k,
                      .work_size = 10 * k + (1 + TM_LAPACK_BLOCK) * (rows + columns) + 1};
    if (tm_is_complex(dtype))
        p.real_size = 7 * k;
    if (vectors != TM_SVD_NONE) {
        p.work_size += 4 * k * k;
        if (tm_is_complex(dtype))
            p.real_size = 5 * k * k + 2 * longer * k + 7 * k;
    }
    p.a = tm_carve_matrix(w, dtype, rows, columns);
    p.s = tm_carve_matrix(w, real, k, 1);
    p.work = tm_carve_matrix(w, dtype, p.work_size, 1);
    p.real_work = tm_carve_matrix(w, real, p.real_size, 1);
    p.int_work = tm_carve(w, 8, k, sizeof(lapack_int));
    if (vectors != TM_SVD_NONE) {
        p.u = tm_carve_matrix(w, dtype, rows, vectors == TM_SVD_FULL ? rows : k);
        p.vh = tm_carve_matrix(w, dtype, vectors == TM_SVD_FULL ? columns : k, columns);
    }
    return p;
}

tm_status tm_check_svd(tm_call *call, const char *argument, const tm_tensor *x,
                       tm_svd_vectors vectors, tm_carver *w)
{
    tm_status status = tm_check_matrix(call, argument, x);
    if (status != TM_OK)
        return status;
    tm_svd_parts p = tm_carve_svd(w, tm_dtype_of(x), tm_size(x, -2), tm_size(x, -1), vectors);
    return tm_check_lapack_size(call, argument, x,
                                p.work_size > p.real_size ? p.work_size : p.real_size);
}

tm_status tm_run_svd(tm_call *call, const char *argument, const tm_tensor *x, tm_svd_parts *p)
{
    static const char jobs[] = {[TM_SVD_NONE] = 'N', [TM_SVD_REDUCED] = 'S', [TM_SVD_FULL] = 'A'};
    tm_status status = tm_load_finite_matrix(call, argument, x, p->dtype, p->a);
    if (status != TM_OK)
        return status;
    if (tm_is_small_for(TM_SMALL_SVD, p->dtype, p->rows, p->columns) &&
        (p->vectors != TM_SVD_FULL || p->rows == p->columns) &&
        tm_svd_small(p->dtype, p->rows, p->columns, p->a, p->work, p->u, p->s, p->vh))
        return TM_OK;
    status = tm_check_lapack(call);
    if (status == TM_OK)
        status = tm_load_finite_matrix(call, argument, x, p->dtype, p->a);
    if (status != TM_OK)
        return status;
    char job = jobs[p->vectors];
    bool full = p->vectors == TM_SVD_FULL;
    if (p->count == 0) { /* LAPACK leaves the square factors unset */
        if (full) {
            tm_set_identity(p->dtype, p->u, p->rows);
            tm_set_identity(p->dtype, p->vh, p->columns);
        }
        return TM_OK;
    }
    lapack_int m = (lapack_int)p->rows, n = (lapack_int)p->columns, work = (lapack_int)p->work_size;
    lapack_int vh_lead = full ? n : (lapack_int)p->count, info;
    if (tm_is_complex(p->dtype))
        info = TM_LAPACK_COMPLEX(p->dtype, gesdd, job, m, n, p->a, m, p->s, p->u, m, p->vh, vh_lead,
                                 p->work, work, p->real_work, p->int_work);
    else
        info = TM_LAPACK_REAL(p->dtype, gesdd, job, m, n, p->a, m, p->s, p->u, m, p->vh, vh_lead,
                              p->work, work, p->int_work);
    if (info == 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_NUMERIC, argument, "the singular values of %s do not converge",
                       argument);
}

tm_status tm_svd_rank(tm_call *call, const char *argument, const tm_svd_parts *p,
                      const double *rtol, int64_t *rank)
{
    tm_dtype real = tm_real_dtype(p->dtype);
    int64_t longer = p->rows > p->columns ? p->rows : p->columns;
    double relative = rtol ? *rtol : (double)longer * tm_epsilon(p->dtype);
    double most = p->count ? tm_real_entry(real, p->s, 0) : 0;
    if (!isfinite(most))
        return tm_fail_arg(call, TM_ERR_NUMERIC, argument,
                           "%s is too large: its largest singular value overflows", argument);
    *rank = 0;
    while (*rank < p->count && tm_real_entry(real, p->s, *rank) > relative * most)
        ++*rank;
    return TM_OK;
}

void tm_svd_divide(const tm_svd_parts *p, int64_t rank, void *buffer, int64_t columns)
{
    tm_dtype real = tm_real_dtype(p->dtype);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < p->count; i++) {
            int64_t at = j * p->count + i;
            double complex quotient = 0;
            if (i < rank)
                quotient = tm_entry(p->dtype, buffer, at) / tm_real_entry(real, p->s, i);
            tm_set_entry(p->dtype, buffer, at, quotient);
        }
}

/* -- Ops --------------------------------------------------------------------------------------- */

/* The singular values as output i: x's shape without its longer side. */
static tm_status values_output(tm_call *call, int i, const tm_tensor *x)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    shape[ndim - 2] = tm_shorter(shape[ndim - 2], shape[ndim - 1]);
    return tm_output(call, i, tm_real_dtype(tm_dtype_of(x)), ndim - 1, shape);
}

tm_status tm_svd_meta(tm_call *call, const tm_tensor *x, bool full_matrices)
{
    tm_carver w = {0};
    tm_status status = tm_check_svd(call, "x", x, full_matrices ? TM_SVD_FULL : TM_SVD_REDUCED, &w);
    if (status != TM_OK)
        return status;
    tm_need_workspace(call, w.used);
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    int64_t rows = shape[ndim - 2], columns = shape[ndim - 1], k = tm_shorter(rows, columns);
    shape[ndim - 1] = full_matrices ? rows : k;
    status = tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    if (status == TM_OK)
        status = values_output(call, 1, x);
    shape[ndim - 2] = full_matrices ? columns : k;
    shape[ndim - 1] = columns;
    return status == TM_OK ? tm_output(call, 2, tm_dtype_of(x), ndim, shape) : status;
}

tm_status tm_svd_impl(tm_call *call, const tm_tensor *x, bool full_matrices, tm_tensor *u,
                      tm_tensor *s, tm_tensor *vh)
{
    tm_carver w = {.base = tm_workspace(call)};
    tm_svd_parts p = tm_carve_svd(&w, tm_dtype_of(x), tm_shape(x)[0], tm_shape(x)[1],
                                  full_matrices ? TM_SVD_FULL : TM_SVD_REDUCED);
    tm_status status = tm_run_svd(call, "x", x, &p);
    if (status != TM_OK)
        return status;
    tm_store_matrix(u, p.u, p.rows);
    tm_store_vector(s, p.s);
    tm_store_matrix(vh, p.vh, tm_shape(vh)[0]);
    return TM_OK;
}

tm_status tm_svdvals_meta(tm_call *call, const tm_tensor *x)
{
    tm_carver w = {0};
    tm_status status = tm_check_svd(call, "x", x, TM_SVD_NONE, &w);
    if (status != TM_OK)
        return status;
    tm_need_workspace(call, w.used);
    return values_output(call, 0, x);
}

tm_status tm_svdvals_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_carver w = {.base = tm_workspace(call)};
    tm_svd_parts p = tm_carve_svd(&w, tm_dtype_of(x), tm_shape(x)[0], tm_shape(x)[1], TM_SVD_NONE);
    tm_status status = tm_run_svd(call, "x", x, &p);
    if (status == TM_OK)
        tm_store_vector(out, p.s);
    return status;
}
