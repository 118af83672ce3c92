/* decompositions_qr.c: QR by Householder reflections. */
#include <string.h>

#include "decompositions_small.h"
#include "lapack.h"
#include "ops_kernels.h"

/* x, which becomes R and the reflections; Q; LAPACK's own workspace. */
typedef struct qr_parts {
    void *a, *q, *tau, *work;
    int64_t work_size;
} qr_parts;

static qr_parts carve_qr(tm_carver *w, tm_dtype dtype, int64_t rows, int64_t columns,
                         int64_t q_columns)
{
    int64_t work = (rows > columns ? rows : columns) * TM_LAPACK_BLOCK + 1;
    return (qr_parts){.a = tm_carve_matrix(w, dtype, rows, columns),
                      .q = tm_carve_matrix(w, dtype, rows, q_columns),
                      .tau = tm_carve_matrix(w, dtype, tm_shorter(rows, columns), 1),
                      .work = tm_carve_matrix(w, dtype, work, 1),
                      .work_size = work};
}

tm_status tm_qr_meta(tm_call *call, const tm_tensor *x, const char *mode)
{
    tm_status status = tm_check_matrix(call, "x", x);
    if (status != TM_OK)
        return status;
    bool complete = strcmp(mode, "complete") == 0;
    if (!complete && strcmp(mode, "reduced") != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "mode",
                           "mode must be 'reduced' or 'complete', got '%s'", mode);
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    int64_t rows = shape[ndim - 2], columns = shape[ndim - 1];
    int64_t inner = complete || rows < columns ? rows : columns;
    tm_carver w = {0};
    carve_qr(&w, tm_dtype_of(x), rows, columns, inner);
    tm_need_workspace(call, w.used);
    shape[ndim - 1] = inner;
    status = tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    shape[ndim - 2] = inner;
    shape[ndim - 1] = columns;
    return status == TM_OK ? tm_output(call, 1, tm_dtype_of(x), ndim, shape) : status;
}

tm_status tm_qr_impl(tm_call *call, const tm_tensor *x, const char *mode, tm_tensor *q,
                     tm_tensor *r)
{
    (void)mode;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t rows = tm_shape(x)[0], columns = tm_shape(x)[1], inner = tm_shape(q)[1];
    int64_t reflections = tm_shorter(rows, columns);
    lapack_int m = (lapack_int)rows, k = (lapack_int)reflections, lead = tm_lead(rows);
    tm_carver w = {.base = tm_workspace(call)};
    qr_parts p = carve_qr(&w, dtype, rows, columns, inner);
    lapack_int work = (lapack_int)p.work_size;
    bool small = tm_is_small_for(TM_SMALL_QR, dtype, rows, columns);
    tm_status status = small ? TM_OK : tm_check_lapack(call);
    if (status == TM_OK)
        status = tm_load_finite_matrix(call, "x", x, dtype, p.a);
    if (status != TM_OK)
        return status;
    if (small) {
        tm_qr_small(dtype, rows, columns, p.a, inner, p.q);
    } else {
        (void)TM_LAPACK(dtype, geqrf, m, (lapack_int)columns, p.a, lead, p.tau, p.work, work);
        memcpy(p.q, p.a, (size_t)(rows * reflections) * tm_dtype_size(dtype));
        if (tm_is_complex(dtype))
            (void)TM_LAPACK_COMPLEX(dtype, ungqr, m, (lapack_int)inner, k, p.q, lead, p.tau, p.work,
                                    work);
        else
            (void)TM_LAPACK_REAL(dtype, orgqr, m, (lapack_int)inner, k, p.q, lead, p.tau, p.work,
                                 work);
    }
    tm_store_matrix(q, p.q, rows);
    tm_clear_triangle(dtype, p.a, rows, columns, false);
    tm_store_matrix(r, p.a, rows);
    return TM_OK;
}
