/* matrix_functions_rank.c: pseudo-inverses and ranks, by the singular values that count. */
#include <string.h>

#include "ops_kernels.h"
#include "svd.h"

/* -- The tolerance ------------------------------------------------------------------------------
 */

static tm_status check_tolerance(tm_call *call, const tm_tensor *rtol)
{
    tm_dtype dtype = tm_dtype_of(rtol);
    if (dtype == TM_FLOAT32 || dtype == TM_FLOAT64)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_DTYPE, "rtol", "rtol must be float32 or float64, got %s",
                       tm_dtype_name(dtype));
}

/* One example's. */
static tm_status read_tolerance(tm_call *call, const tm_tensor *rtol, double *value)
{
    *value = tm_real_entry(tm_dtype_of(rtol), tm_data(rtol), 0);
    return tm_check_rtol(call, value);
}

/* -- pinv ---------------------------------------------------------------------------------------
 */

typedef struct pinv_parts {
    tm_svd_parts svd;
    void *inverse;
} pinv_parts;

static pinv_parts carve_pinv(tm_carver *w, tm_dtype dtype, int64_t rows, int64_t columns)
{
    return (pinv_parts){.svd = tm_carve_svd(w, dtype, rows, columns, TM_SVD_REDUCED),
                        .inverse = tm_carve_matrix(w, dtype, columns, rows)};
}

static tm_status pinv_checks(tm_call *call, const tm_tensor *x)
{
    tm_carver w = {0};
    tm_status status = tm_check_svd(call, "x", x, TM_SVD_REDUCED, &w);
    if (status != TM_OK)
        return status;
    w = (tm_carver){0};
    carve_pinv(&w, tm_dtype_of(x), tm_size(x, -2), tm_size(x, -1));
    tm_need_workspace(call, w.used);
    return TM_OK;
}

tm_status tm_pinv_meta(tm_call *call, const tm_tensor *x, const double *rtol)
{
    tm_status status = pinv_checks(call, x);
    if (status == TM_OK)
        status = tm_check_rtol(call, rtol);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    shape[ndim - 2] = tm_size(x, -1);
    shape[ndim - 1] = tm_size(x, -2);
    return tm_output(call, 0, tm_dtype_of(x), ndim, shape);
}

/* V S^+ U^H: the first `rank` rows of vh are divided, the others do not count. */
tm_status tm_pinv_impl(tm_call *call, const tm_tensor *x, const double *rtol, tm_tensor *out)
{
    tm_dtype dtype = tm_dtype_of(x);
    tm_carver w = {.base = tm_workspace(call)};
    pinv_parts p = carve_pinv(&w, dtype, tm_shape(x)[0], tm_shape(x)[1]);
    int64_t count = p.svd.count, rank;
    tm_status status = tm_run_svd(call, "x", x, &p.svd);
    if (status == TM_OK)
        status = tm_svd_rank(call, "x", &p.svd, rtol, &rank);
    if (status != TM_OK)
        return status;
    tm_svd_divide(&p.svd, rank, p.svd.vh, p.svd.columns);
    tm_gemm(dtype, p.svd.columns, p.svd.rows, count, p.svd.vh, TM_ADJOINT, p.svd.u, TM_ADJOINT,
            p.inverse);
    tm_store_matrix(out, p.inverse, p.svd.columns);
    return TM_OK;
}

/* A signature's outputs come in the promoted dtype; here the tolerance's does not count. */
static tm_status set_dtype(tm_call *call, tm_dtype dtype)
{
    const tm_spec *spec = tm_output_spec(call, 0);
    int64_t shape[TM_MAX_NDIM];
    memcpy(shape, spec->shape, (size_t)spec->ndim * sizeof *shape);
    return tm_output(call, 0, dtype, spec->ndim, shape);
}

tm_status tm_pinv_tensor_meta(tm_call *call, const tm_tensor *x, const tm_tensor *rtol)
{
    tm_status status = pinv_checks(call, x);
    if (status == TM_OK)
        status = check_tolerance(call, rtol);
    return status == TM_OK ? set_dtype(call, tm_dtype_of(x)) : status;
}

tm_status tm_pinv_tensor_impl(tm_call *call, const tm_tensor *x, const tm_tensor *rtol,
                              tm_tensor *out)
{
    double value;
    tm_status status = read_tolerance(call, rtol, &value);
    return status == TM_OK ? tm_pinv_impl(call, x, &value, out) : status;
}

/* -- matrix_rank ---------------------------------------------------------------------------------
 */

static tm_status rank_checks(tm_call *call, const tm_tensor *x)
{
    tm_carver w = {0};
    tm_status status = tm_check_svd(call, "x", x, TM_SVD_NONE, &w);
    if (status == TM_OK)
        tm_need_workspace(call, w.used);
    return status;
}

tm_status tm_matrix_rank_meta(tm_call *call, const tm_tensor *x, const double *rtol)
{
    tm_status status = rank_checks(call, x);
    if (status == TM_OK)
        status = tm_check_rtol(call, rtol);
    return status == TM_OK ? tm_output(call, 0, TM_INT64, tm_ndim(x) - 2, tm_shape(x)) : status;
}

tm_status tm_matrix_rank_impl(tm_call *call, const tm_tensor *x, const double *rtol, tm_tensor *out)
{
    tm_carver w = {.base = tm_workspace(call)};
    tm_svd_parts p = tm_carve_svd(&w, tm_dtype_of(x), tm_shape(x)[0], tm_shape(x)[1], TM_SVD_NONE);
    tm_status status = tm_run_svd(call, "x", x, &p);
    return status == TM_OK ? tm_svd_rank(call, "x", &p, rtol, tm_mutable_data(out)) : status;
}

tm_status tm_matrix_rank_tensor_meta(tm_call *call, const tm_tensor *x, const tm_tensor *rtol)
{
    tm_status status = rank_checks(call, x);
    if (status == TM_OK)
        status = check_tolerance(call, rtol);
    return status == TM_OK ? set_dtype(call, TM_INT64) : status;
}

tm_status tm_matrix_rank_tensor_impl(tm_call *call, const tm_tensor *x, const tm_tensor *rtol,
                                     tm_tensor *out)
{
    double value;
    tm_status status = read_tolerance(call, rtol, &value);
    return status == TM_OK ? tm_matrix_rank_impl(call, x, &value, out) : status;
}
