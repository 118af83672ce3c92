/* solve_lstsq.c: least squares by the singular value decomposition: X = V S^+ U^H x2, which is the
 * shortest of all solutions where there are many. */
#include <string.h>

#include "ops_kernels.h"
#include "solve.h"
#include "svd.h"

typedef struct lstsq_parts {
    tm_svd_parts svd;
    void *a, *b;         /* both sides, as given */
    void *c, *x, *image; /* U^H b, the solution, a x */
} lstsq_parts;

static lstsq_parts carve_lstsq(tm_carver *w, tm_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    lstsq_parts p = {.svd = tm_carve_svd(w, dtype, m, n, TM_SVD_REDUCED)};
    p.a = tm_carve_matrix(w, dtype, m, n);
    p.b = tm_carve_matrix(w, dtype, m, k);
    p.c = tm_carve_matrix(w, dtype, p.svd.count, k);
    p.x = tm_carve_matrix(w, dtype, n, k);
    p.image = tm_carve_matrix(w, dtype, m, k);
    return p;
}

/* The leading dimensions of both sides, broadcast. */
static tm_status broadcast_leading(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                   int x2_core, int *ndim, int64_t *shape)
{
    int n1 = tm_ndim(x1) - 2, n2 = tm_ndim(x2) - x2_core;
    *ndim = n1 > n2 ? n1 : n2;
    for (int d = 0; d < *ndim; d++) {
        int d1 = d - (*ndim - n1), d2 = d - (*ndim - n2);
        int64_t a = d1 < 0 ? 1 : tm_shape(x1)[d1], b = d2 < 0 ? 1 : tm_shape(x2)[d2];
        if (a != b && a != 1 && b != 1)
            return tm_fail_arg(call, TM_ERR_SHAPE, "x2",
                               "the leading dimensions of x2 must broadcast with those of x1, got "
                               "shapes %s and %s",
                               tm_shape_text(call, x2), tm_shape_text(call, x1));
        shape[d] = a == 1 ? b : a;
    }
    return TM_OK;
}

tm_status tm_lstsq_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, const double *rtol)
{
    tm_carver w = {0};
    tm_status status = tm_check_svd(call, "x1", x1, TM_SVD_REDUCED, &w);
    if (status == TM_OK)
        status = tm_check_linalg(call, "x2", x2);
    if (status == TM_OK)
        status = tm_check_rank(call, "x2", x2, 1);
    if (status == TM_OK)
        status = tm_check_rtol(call, rtol);
    if (status != TM_OK)
        return status;
    int core = tm_ndim(x2) > 1 ? 2 : 1, ndim;
    int64_t m = tm_size(x1, -2), n = tm_size(x1, -1), k = tm_num_right_sides(x2);
    if (tm_size(x2, -core) != m)
        return tm_fail_arg(call, TM_ERR_SHAPE, "x2",
                           "x2 must have as many rows as x1, %lld, got shape %s", (long long)m,
                           tm_shape_text(call, x2));
    int64_t shape[TM_MAX_NDIM + 2];
    status = tm_check_lapack_size(call, "x2", x2, k);
    if (status == TM_OK)
        status = broadcast_leading(call, x1, x2, core, &ndim, shape);
    if (status != TM_OK)
        return status;

    tm_dtype dtype = tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)), real = tm_real_dtype(dtype);
    w = (tm_carver){0};
    carve_lstsq(&w, dtype, m, n, k);
    tm_need_workspace(call, w.used);

    shape[ndim] = n;
    shape[ndim + 1] = k;
    status = tm_output(call, 0, dtype, ndim + core, shape);
    shape[ndim] = k;
    if (status == TM_OK)
        status = tm_output(call, 1, real, ndim + core - 1, shape);
    if (status == TM_OK)
        status = tm_output(call, 2, TM_INT64, ndim, shape);
    shape[ndim] = m < n ? m : n;
    if (status == TM_OK)
        status = tm_output(call, 3, real, ndim + 1, shape);

    const int core_dims[] = {2, core, core, core - 1, 0, 1};
    const int dims[] = {tm_ndim(x1), tm_ndim(x2), ndim + core, ndim + core - 1, ndim, ndim + 1};
    for (int i = 0; i < 6 && status == TM_OK; i++) {
        const int64_t axes[2] = {dims[i] - core_dims[i], dims[i] - 1};
        status = tm_core_axes(call, i, core_dims[i], axes);
    }
    return status;
}

/* A column, or a vector, as a matrix of one column. */
static void load_columns(const tm_tensor *x, tm_dtype dtype, void *buffer)
{
    if (tm_ndim(x) == 2)
        tm_load_matrix(x, dtype, buffer);
    else
        tm_load_vector(x, dtype, buffer);
}

static double squared_distance(tm_dtype dtype, const void *a, const void *b, int64_t from,
                               int64_t n)
{
    double sum = 0;
    for (int64_t i = from; i < from + n; i++) {
        double complex d = tm_entry(dtype, a, i) - tm_entry(dtype, b, i);
        sum += creal(d) * creal(d) + cimag(d) * cimag(d);
    }
    return sum;
}

tm_status tm_lstsq_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, const double *rtol,
                        tm_tensor *solution, tm_tensor *residuals, tm_tensor *rank,
                        tm_tensor *singular_values)
{
    tm_dtype dtype = tm_dtype_of(solution), real = tm_real_dtype(dtype);
    bool vector = tm_ndim(x2) == 1;
    int64_t m = tm_shape(x1)[0], n = tm_shape(x1)[1], k = vector ? 1 : tm_shape(x2)[1];
    tm_carver w = {.base = tm_workspace(call)};
    lstsq_parts p = carve_lstsq(&w, dtype, m, n, k);
    int64_t num;
    tm_status status = tm_run_svd(call, "x1", x1, &p.svd);
    if (status == TM_OK)
        status = tm_svd_rank(call, "x1", &p.svd, rtol, &num);
    if (status != TM_OK)
        return status;
    tm_load_matrix(x1, dtype, p.a);
    load_columns(x2, dtype, p.b);
    int64_t count = p.svd.count;
    tm_gemm(dtype, count, k, m, p.svd.u, TM_ADJOINT, p.b, TM_AS_IS, p.c);
    tm_svd_divide(&p.svd, num, p.c, k);
    tm_gemm(dtype, n, k, count, p.svd.vh, TM_ADJOINT, p.c, TM_AS_IS, p.x);
    tm_gemm(dtype, m, k, n, p.a, TM_AS_IS, p.x, TM_AS_IS, p.image);
    if (vector)
        tm_store_vector(solution, p.x);
    else
        tm_store_matrix(solution, p.x, n);
    int64_t step = vector || k < 2 ? 0 : tm_strides(residuals)[0];
    for (int64_t j = 0; j < k; j++)
        tm_set_real_entry(real, tm_mutable_data(residuals), j * step,
                          squared_distance(dtype, p.b, p.image, j * m, m));
    *(int64_t *)tm_mutable_data(rank) = num;
    tm_store_vector(singular_values, p.svd.s);
    return TM_OK;
}
