/* solve_lu.c: the LU factorisation as a result, and systems solved by it. */
#include <string.h>

#include "ops_kernels.h"
#include "solve.h"
#include "solve_small.h"

/* A matrix, its pivots, and the two factors apart. */
typedef struct lu_parts {
    void *a, *p, *l;
    lapack_int *pivots;
} lu_parts;

static lu_parts carve_lu(tm_carver *w, tm_dtype dtype, int64_t rows, int64_t columns, bool apart)
{
    int64_t k = tm_shorter(rows, columns);
    lu_parts parts = {.a = tm_carve_matrix(w, dtype, rows, columns),
                      .pivots = tm_carve(w, k, 1, sizeof(lapack_int))};
    if (apart) {
        parts.p = tm_carve_matrix(w, dtype, rows, rows);
        parts.l = tm_carve_matrix(w, dtype, rows, k);
    }
    return parts;
}

static tm_status lu_checks(tm_call *call, const tm_tensor *x, bool apart)
{
    tm_status status = tm_check_matrix(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    carve_lu(&w, tm_dtype_of(x), tm_size(x, -2), tm_size(x, -1), apart);
    tm_need_workspace(call, w.used);
    return TM_OK;
}

/* A zero pivot is no failure here: the factorisation exists all the same. */
static tm_status factor(tm_call *call, const tm_tensor *x, bool apart, lu_parts *parts)
{
    tm_dtype dtype = tm_dtype_of(x);
    int64_t rows = tm_shape(x)[0], columns = tm_shape(x)[1];
    bool small = tm_is_small(dtype, rows, columns, 0);
    tm_status status = small ? TM_OK : tm_check_lapack(call);
    if (status != TM_OK)
        return status;
    tm_carver w = {.base = tm_workspace(call)};
    *parts = carve_lu(&w, dtype, rows, columns, apart);
    status = tm_load_finite_matrix(call, "x", x, dtype, parts->a);
    if (status != TM_OK)
        return status;
    if (small)
        (void)tm_lu_small(dtype, rows, columns, parts->a, parts->pivots, 0, NULL);
    else
        (void)TM_LAPACK(dtype, getrf, (lapack_int)rows, (lapack_int)columns, parts->a,
                        tm_lead(rows), parts->pivots);
    return TM_OK;
}

tm_status tm_lu_factor_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = lu_checks(call, x, false);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    shape[ndim - 2] = tm_shorter(shape[ndim - 2], shape[ndim - 1]);
    status = tm_output_like(call, 0, x);
    return status == TM_OK ? tm_output(call, 1, TM_INT64, ndim - 1, shape) : status;
}

tm_status tm_lu_factor_impl(tm_call *call, const tm_tensor *x, tm_tensor *lu, tm_tensor *pivots)
{
    lu_parts parts;
    tm_status status = factor(call, x, false, &parts);
    if (status != TM_OK)
        return status;
    tm_store_matrix(lu, parts.a, tm_shape(x)[0]);
    int64_t *to = tm_mutable_data(pivots);
    for (int64_t i = 0; i < tm_shape(pivots)[0]; i++)
        to[i * tm_strides(pivots)[0]] = parts.pivots[i] - 1;
    return TM_OK;
}

tm_status tm_lu_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = lu_checks(call, x, true);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    int64_t rows = shape[ndim - 2], columns = shape[ndim - 1];
    const int64_t sizes[3][2] = {
        {rows, rows}, {rows, tm_shorter(rows, columns)}, {tm_shorter(rows, columns), columns}};
    for (int i = 0; i < 3 && status == TM_OK; i++) {
        memcpy(shape + ndim - 2, sizes[i], sizeof sizes[i]);
        status = tm_output(call, i, tm_dtype_of(x), ndim, shape);
    }
    return status;
}

tm_status tm_lu_impl(tm_call *call, const tm_tensor *x, tm_tensor *p, tm_tensor *l, tm_tensor *u)
{
    lu_parts parts;
    tm_status status = factor(call, x, true, &parts);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t rows = tm_shape(x)[0], columns = tm_shape(x)[1], k = tm_shorter(rows, columns);
    size_t column_bytes = (size_t)rows * tm_dtype_size(dtype);

    /* The swaps in reverse, of the identity's rows, undo those of x. */
    tm_set_identity(dtype, parts.p, rows);
    for (int64_t i = k; i-- > 0;)
        for (int64_t j = 0; j < rows; j++) {
            int64_t one = j * rows + i, other = j * rows + parts.pivots[i] - 1;
            double complex kept = tm_entry(dtype, parts.p, one);
            tm_set_entry(dtype, parts.p, one, tm_entry(dtype, parts.p, other));
            tm_set_entry(dtype, parts.p, other, kept);
        }
    tm_store_matrix(p, parts.p, rows);

    memcpy(parts.l, parts.a, column_bytes * (size_t)k);
    tm_clear_triangle(dtype, parts.l, rows, k, true);
    for (int64_t i = 0; i < k; i++)
        tm_set_entry(dtype, parts.l, i * rows + i, 1);
    tm_store_matrix(l, parts.l, rows);

    tm_clear_triangle(dtype, parts.a, rows, columns, false);
    tm_store_matrix(u, parts.a, rows);
    return TM_OK;
}

/* -- lu_solve ---------------------------------------------------------------------------------- */

tm_status tm_lu_solve_meta(tm_call *call, const tm_tensor *lu, const tm_tensor *pivots,
                           const tm_tensor *x2, bool transpose)
{
    (void)transpose;
    tm_status status = tm_system_meta(call, "lu", lu, x2);
    if (status != TM_OK)
        return status;
    if (tm_dtype_of(pivots) != TM_INT64)
        return tm_fail_arg(call, TM_ERR_DTYPE, "pivots", "pivots must be int64, got %s",
                           tm_dtype_name(tm_dtype_of(pivots)));
    const tm_spec *spec = tm_output_spec(call, 0);
    int64_t shape[TM_MAX_NDIM];
    memcpy(shape, spec->shape, (size_t)spec->ndim * sizeof *shape);
    return tm_output(call, 0, tm_promote(tm_dtype_of(lu), tm_dtype_of(x2)), spec->ndim, shape);
}

tm_status tm_lu_solve_impl(tm_call *call, const tm_tensor *lu, const tm_tensor *pivots,
                           const tm_tensor *x2, bool transpose, tm_tensor *out)
{
    tm_system s;
    tm_status status = tm_check_lapack(call);
    if (status == TM_OK)
        status = tm_load_system(call, lu, x2, out, &s);
    if (status != TM_OK)
        return status;
    const int64_t *from = tm_data(pivots);
    for (int64_t i = 0; i < s.n; i++) {
        int64_t row = from[s.n > 1 ? i * tm_strides(pivots)[0] : 0];
        if (row < 0 || row >= s.n)
            return tm_fail_arg(call, TM_ERR_INDEX, "pivots",
                               "pivots must be in 0..%lld, got %lld at index (%lld,)",
                               (long long)(s.n - 1), (long long)row, (long long)i);
        s.pivots[i] = (lapack_int)(row + 1);
    }
    int64_t zero = tm_zero_on_diagonal(s.dtype, s.a, s.n);
    if (zero)
        return tm_fail_singular(call, "lu", zero);
    (void)TM_LAPACK(s.dtype, getrs, transpose ? 'T' : 'N', (lapack_int)s.n, (lapack_int)s.k, s.a,
                    tm_lead(s.n), s.pivots, s.b, tm_lead(s.n));
    tm_store_matrix(out, s.b, s.n);
    return TM_OK;
}
