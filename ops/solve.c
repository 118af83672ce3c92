/* solve.c: systems, inverses and determinants of square matrices by LU; systems by a triangular or
 * a Cholesky factor. */
#include <math.h>
#include <string.h>

#include "lapack.h"
#include "ops_kernels.h"
#include "solve.h"
#include "solve_small.h"

/* -- A system: x1 X = x2 ----------------------------------------------------------------------- */

int64_t tm_num_right_sides(const tm_tensor *x2)
{
    return tm_ndim(x2) > 1 ? tm_size(x2, -1) : 1;
}

tm_system tm_carve_system(tm_carver *w, tm_dtype dtype, int64_t n, int64_t k)
{
    return (tm_system){.dtype = dtype,
                       .small = tm_is_small(dtype, n, n, k),
                       .n = n,
                       .k = k,
                       .a = tm_carve_matrix(w, dtype, n, n),
                       .b = tm_carve_matrix(w, dtype, n, k),
                       .pivots = tm_carve(w, n, 1, sizeof(lapack_int))};
}

tm_status tm_system_meta(tm_call *call, const char *matrix, const tm_tensor *x1,
                         const tm_tensor *x2)
{
    tm_status status = tm_check_matrix(call, matrix, x1);
    if (status == TM_OK)
        status = tm_check_linalg(call, "x2", x2);
    int64_t k = tm_num_right_sides(x2);
    if (status == TM_OK)
        status = tm_check_lapack_size(call, "x2", x2, k);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    tm_carve_system(&w, tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)), tm_size(x1, -1), k);
    tm_need_workspace(call, w.used);
    return TM_OK;
}

tm_status tm_load_system(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                         const tm_tensor *out, tm_system *s)
{
    tm_carver w = {.base = tm_workspace(call)};
    *s = tm_carve_system(&w, tm_dtype_of(out), tm_shape(out)[0], tm_shape(out)[1]);
    tm_load_matrix(x1, s->dtype, s->a);
    tm_load_matrix(x2, s->dtype, s->b);
    return s->small ? TM_OK : tm_check_lapack(call);
}

/* LU in place of a. Returns the first pivot that is zero, counted from 1, or 0. Of a small matrix,
 * the right-hand sides b, if there are any, become those of the triangular system that is left. */
static int64_t factor(tm_dtype dtype, int64_t n, void *a, lapack_int *pivots, int64_t sides,
                      void *b)
{
    if (tm_is_small(dtype, n, n, sides))
        return tm_lu_small(dtype, n, n, a, pivots, sides, b);
    lapack_int size = (lapack_int)n;
    return TM_LAPACK(dtype, getrf, size, size, a, tm_lead(n), pivots);
}

static const tm_triangle upper_triangle = {.upper = true};

tm_status tm_solve_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    return tm_system_meta(call, "x1", x1, x2);
}

tm_status tm_solve_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor *out)
{
    tm_system s;
    tm_status status = tm_load_system(call, x1, x2, out, &s);
    if (status == TM_OK)
        status = tm_check_finite_buffer(call, "x1", s.dtype, s.a, s.n * s.n);
    if (status != TM_OK)
        return status;
    int64_t zero = factor(s.dtype, s.n, s.a, s.pivots, s.k, s.b);
    if (zero)
        return tm_fail_singular(call, "x1", zero);
    if (s.small)
        tm_substitute_small(s.dtype, s.n, s.a, upper_triangle, s.k, s.b);
    else
        (void)TM_LAPACK(s.dtype, getrs, 'N', (lapack_int)s.n, (lapack_int)s.k, s.a, tm_lead(s.n),
                        s.pivots, s.b, tm_lead(s.n));
    tm_store_matrix(out, s.b, s.n);
    return TM_OK;
}

/* -- Inverses and determinants ------------------------------------------------------------------
 */

/* A square matrix, its pivots and, for the inverse, LAPACK's own workspace, or the right-hand sides
 * that become a small matrix's inverse. */
typedef struct square {
    bool small;
    void *a, *work;
    lapack_int *pivots;
} square;

static square carve_square(tm_carver *w, tm_dtype dtype, int64_t n, int64_t work_columns)
{
    return (square){.small = tm_is_small(dtype, n, n, 0),
                    .a = tm_carve_matrix(w, dtype, n, n),
                    .work = tm_carve_matrix(w, dtype, n, work_columns),
                    .pivots = tm_carve(w, n, 1, sizeof(lapack_int))};
}

static tm_status square_meta(tm_call *call, const tm_tensor *x, int64_t work_columns)
{
    tm_status status = tm_check_square(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    carve_square(&w, tm_dtype_of(x), tm_size(x, -1), work_columns);
    tm_need_workspace(call, w.used);
    return TM_OK;
}

/* Loads x and factors it; `*zero` is its first pivot that is zero, or 0. Where there is a
 * workspace, it is the identity that a small matrix's right-hand sides begin as. */
static tm_status factor_square(tm_call *call, const tm_tensor *x, int64_t work_columns, square *s,
                               int64_t *zero)
{
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0];
    tm_carver w = {.base = tm_workspace(call)};
    *s = carve_square(&w, dtype, n, work_columns);
    tm_status status = s->small ? TM_OK : tm_check_lapack(call);
    if (status == TM_OK)
        status = tm_load_finite_matrix(call, "x", x, dtype, s->a);
    if (status != TM_OK)
        return status;
    int64_t sides = s->small && work_columns ? n : 0;
    if (sides)
        tm_set_identity(dtype, s->work, n);
    *zero = factor(dtype, n, s->a, s->pivots, sides, s->work);
    return TM_OK;
}

tm_status tm_inv_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = square_meta(call, x, TM_LAPACK_BLOCK);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

tm_status tm_inv_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    square s;
    int64_t zero;
    tm_status status = factor_square(call, x, TM_LAPACK_BLOCK, &s, &zero);
    if (status != TM_OK)
        return status;
    if (zero)
        return tm_fail_singular(call, "x", zero);
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0];
    if (s.small)
        tm_substitute_small(dtype, n, s.a, upper_triangle, n, s.work);
    else
        (void)TM_LAPACK(dtype, getri, (lapack_int)n, s.a, tm_lead(n), s.pivots, s.work,
                        tm_lead(n * TM_LAPACK_BLOCK));
    tm_store_matrix(out, s.small ? s.work : s.a, n);
    return TM_OK;
}

/* Whether the rows were swapped an odd number of times. */
static bool is_odd(const lapack_int *pivots, int64_t n)
{
    bool odd = false;
    for (int64_t i = 0; i < n; i++)
        odd ^= pivots[i] != i + 1;
    return odd;
}

tm_status tm_det_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = square_meta(call, x, 0);
    return status == TM_OK ? tm_output(call, 0, tm_dtype_of(x), tm_ndim(x) - 2, tm_shape(x))
                           : status;
}

tm_status tm_det_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    square s;
    int64_t zero, n = tm_shape(x)[0];
    tm_status status = factor_square(call, x, 0, &s, &zero);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    double complex det = is_odd(s.pivots, n) ? -1 : 1;
    if (tm_is_complex(dtype)) {
        for (int64_t i = 0; i < n; i++)
            det *= tm_entry(dtype, s.a, i * n + i);
    } else {
        double product = creal(det);
        for (int64_t i = 0; i < n; i++)
            product *= tm_real_entry(dtype, s.a, i * n + i);
        det = product;
    }
    tm_set_entry(dtype, tm_mutable_data(out), 0, zero ? 0 : det);
    return TM_OK;
}

tm_status tm_slogdet_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = square_meta(call, x, 0);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    status = tm_output(call, 0, dtype, tm_ndim(x) - 2, tm_shape(x));
    return status == TM_OK ? tm_output(call, 1, tm_real_dtype(dtype), tm_ndim(x) - 2, tm_shape(x))
                           : status;
}

tm_status tm_slogdet_impl(tm_call *call, const tm_tensor *x, tm_tensor *sign, tm_tensor *logabsdet)
{
    square s;
    int64_t zero, n = tm_shape(x)[0];
    tm_status status = factor_square(call, x, 0, &s, &zero);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    double complex direction = zero ? 0 : is_odd(s.pivots, n) ? -1 : 1;
    double sum = zero ? -INFINITY : 0;
    for (int64_t i = 0; i < n && !zero; i++) {
        double complex pivot = tm_entry(dtype, s.a, i * n + i);
        double size = cabs(pivot);
        direction *= pivot / size;
        sum += log(size);
    }
    tm_set_entry(dtype, tm_mutable_data(sign), 0, direction);
    tm_set_real_entry(tm_dtype_of(logabsdet), tm_mutable_data(logabsdet), 0, sum);
    return TM_OK;
}

/* -- Systems whose factor is given --------------------------------------------------------------
 */

tm_status tm_triangular_solve_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                   bool upper, bool transpose, bool unit_diagonal)
{
    (void)upper, (void)transpose, (void)unit_diagonal;
    return tm_system_meta(call, "x1", x1, x2);
}

tm_status tm_triangular_solve_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                   bool upper, bool transpose, bool unit_diagonal, tm_tensor *out)
{
    tm_system s;
    tm_status status = tm_load_system(call, x1, x2, out, &s);
    if (status != TM_OK)
        return status;
    int64_t zero = unit_diagonal ? 0 : tm_zero_on_diagonal(s.dtype, s.a, s.n);
    if (zero)
        return tm_fail_singular(call, "x1", zero);
    if (s.small)
        tm_substitute_small(s.dtype, s.n, s.a, (tm_triangle){upper, transpose, unit_diagonal}, s.k,
                            s.b);
    else
        (void)TM_LAPACK(s.dtype, trtrs, upper ? 'U' : 'L', transpose ? 'T' : 'N',
                        unit_diagonal ? 'U' : 'N', (lapack_int)s.n, (lapack_int)s.k, s.a,
                        tm_lead(s.n), s.b, tm_lead(s.n));
    tm_store_matrix(out, s.b, s.n);
    return TM_OK;
}

tm_status tm_cholesky_solve_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                 bool upper)
{
    (void)upper;
    return tm_system_meta(call, "x1", x1, x2);
}

tm_status tm_cholesky_solve_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                 bool upper, tm_tensor *out)
{
    tm_system s;
    tm_status status = tm_load_system(call, x1, x2, out, &s);
    if (status != TM_OK)
        return status;
    int64_t zero = tm_zero_on_diagonal(s.dtype, s.a, s.n);
    if (zero)
        return tm_fail_singular(call, "x1", zero);
    if (s.small) {
        tm_substitute_small(s.dtype, s.n, s.a, (tm_triangle){upper, upper, false}, s.k, s.b);
        tm_substitute_small(s.dtype, s.n, s.a, (tm_triangle){upper, !upper, false}, s.k, s.b);
    } else {
        (void)TM_LAPACK(s.dtype, potrs, upper ? 'U' : 'L', (lapack_int)s.n, (lapack_int)s.k, s.a,
                        tm_lead(s.n), s.b, tm_lead(s.n));
    }
    tm_store_matrix(out, s.b, s.n);
    return TM_OK;
}
