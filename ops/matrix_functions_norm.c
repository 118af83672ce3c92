/* matrix_functions_norm.c: norms of matrices: of their elements, their columns' and rows' sums, and
 * their singular values. */
#include <math.h>
#include <string.h>

#include "ops_kernels.h"
#include "svd.h"

/* Which norm; the last three need singular values. */
typedef enum norm_kind {
    FROBENIUS,
    COLUMNS_MOST,
    COLUMNS_LEAST,
    ROWS_MOST,
    ROWS_LEAST,
    NUCLEAR,
    SPECTRAL_MOST,
    SPECTRAL_LEAST
} norm_kind;

/* -- Metas --------------------------------------------------------------------------------------
 */

/* The least of no sums is none. `ord` is for the message. */
static tm_status check_not_empty(tm_call *call, const tm_tensor *x, norm_kind kind, double ord)
{
    int64_t rows = tm_size(x, -2), columns = tm_size(x, -1);
    bool empty = (kind == COLUMNS_LEAST && columns == 0) || (kind == ROWS_LEAST && rows == 0) ||
                 (kind == SPECTRAL_LEAST && (rows == 0 || columns == 0));
    if (!empty)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "x", "x must not be empty for ord %g, got shape %s", ord,
                       tm_shape_text(call, x));
}

static tm_status norm_meta(tm_call *call, const tm_tensor *x, norm_kind kind, bool keepdims)
{
    tm_carver w = {0};
    if (kind >= NUCLEAR) {
        tm_status status = tm_check_svd(call, "x", x, TM_SVD_NONE, &w);
        if (status != TM_OK)
            return status;
    } else {
        tm_carve_matrix(&w, tm_dtype_of(x), tm_size(x, -2), tm_size(x, -1));
        tm_carve_matrix(&w, TM_FLOAT64, tm_size(x, -2), tm_size(x, -1));
    }
    tm_need_workspace(call, w.used);
    norm_kind *chosen = tm_params(call, sizeof *chosen);
    *chosen = kind;

    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x), out_ndim = keepdims ? ndim : ndim - 2;
    memcpy(shape, tm_shape(x), (size_t)ndim * sizeof *shape);
    shape[ndim - 2] = shape[ndim - 1] = 1;
    const int64_t axes[] = {ndim - 2, ndim - 1};
    tm_status status = tm_core_axes(call, 0, 2, axes);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, keepdims ? 2 : 0, axes);
    return status == TM_OK ? tm_output(call, 0, tm_real_dtype(tm_dtype_of(x)), out_ndim, shape)
                           : status;
}

tm_status tm_matrix_norm_meta(tm_call *call, const tm_tensor *x, const char *ord, bool keepdims)
{
    tm_status status = tm_check_matrix(call, "x", x);
    if (status != TM_OK)
        return status;
    bool nuclear = strcmp(ord, "nuc") == 0;
    if (!nuclear && strcmp(ord, "fro") != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "ord", "ord must be 'fro' or 'nuc', got '%s'", ord);
    return norm_meta(call, x, nuclear ? NUCLEAR : FROBENIUS, keepdims);
}

tm_status tm_matrix_norm_number_meta(tm_call *call, const tm_tensor *x, double ord, bool keepdims)
{
    static const struct {
        double ord;
        norm_kind kind;
    } norms[] = {{1, COLUMNS_MOST},    {-1, COLUMNS_LEAST},   {2, SPECTRAL_MOST},
                 {-2, SPECTRAL_LEAST}, {INFINITY, ROWS_MOST}, {-INFINITY, ROWS_LEAST}};
    tm_status status = tm_check_matrix(call, "x", x);
    if (status != TM_OK)
        return status;
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
        if (norms[i].ord != ord)
            continue;
        status = check_not_empty(call, x, norms[i].kind, ord);
        return status == TM_OK ? norm_meta(call, x, norms[i].kind, keepdims) : status;
    }
    return tm_fail_arg(call, TM_ERR_VALUE, "ord", "ord must be 1, -1, 2, -2, inf or -inf, got %g",
                       ord);
}

/* -- Norms of elements --------------------------------------------------------------------------
 */

static void take_magnitudes(tm_dtype dtype, const void *buffer, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++)
        switch (dtype) {
        case TM_FLOAT32:
            to[i] = fabs((double)((const float *)buffer)[i]);
            break;
        case TM_FLOAT64:
            to[i] = fabs(((const double *)buffer)[i]);
            break;
        default:
            to[i] = cabs(tm_entry(dtype, buffer, i));
        }
}

/* Of non-negative numbers, or NaN, which stays. 0 where there are none. */
static double largest(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        if (x[i] > most || isnan(x[i])) {
            most = x[i];
            if (isnan(most))
                break;
        }
    return most;
}

/* By a power of two, which is exact, so that no square overflows or vanishes. */
static double root_of_squares(const double *x, int64_t n)
{
    double most = largest(x, n), sum = 0;
    if (most == 0 || !isfinite(most))
        return most;
    int exponent;
    (void)frexp(most, &exponent);
    for (int64_t i = 0; i < n; i++) {
        double scaled = ldexp(x[i], -exponent);
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum), exponent);
}

/* The largest or smallest of the sums along columns (step 1) or rows. */
static double extreme_sum(const double *x, int64_t num, int64_t num_step, int64_t length,
                          int64_t step, bool most)
{
    double result = most ? 0 : INFINITY;
    for (int64_t i = 0; i < num; i++) {
        double sum = 0;
        for (int64_t j = 0; j < length; j++)
            sum += x[i * num_step + j * step];
        if (isnan(sum))
            return sum;
        if (most ? sum > result : sum < result)
            result = sum;
    }
    return result;
}

static double norm_of_elements(norm_kind kind, const double *x, int64_t rows, int64_t columns)
{
    switch (kind) {
    case COLUMNS_MOST:
    case COLUMNS_LEAST:
        return extreme_sum(x, columns, rows, rows, 1, kind == COLUMNS_MOST);
    case ROWS_MOST:
    case ROWS_LEAST:
        return extreme_sum(x, rows, 1, columns, rows, kind == ROWS_MOST);
    default:
        return root_of_squares(x, rows * columns);
    }
}

/* -- Norms of singular values -------------------------------------------------------------------
 */

static double norm_of_values(norm_kind kind, const tm_svd_parts *p)
{
    tm_dtype real = tm_real_dtype(p->dtype);
    if (p->count == 0)
        return 0;
    if (kind == SPECTRAL_MOST)
        return tm_real_entry(real, p->s, 0);
    if (kind == SPECTRAL_LEAST)
        return tm_real_entry(real, p->s, p->count - 1);
    double sum = 0;
    for (int64_t i = 0; i < p->count; i++)
        sum += tm_real_entry(real, p->s, i);
    return sum;
}

static tm_status norm_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_dtype dtype = tm_dtype_of(x);
    int64_t rows = tm_shape(x)[0], columns = tm_shape(x)[1];
    const norm_kind kind = *(const norm_kind *)tm_params(call, sizeof(norm_kind));
    tm_carver w = {.base = tm_workspace(call)};
    double norm;
    if (kind >= NUCLEAR) {
        tm_svd_parts p = tm_carve_svd(&w, dtype, rows, columns, TM_SVD_NONE);
        tm_status status = tm_run_svd(call, "x", x, &p);
        if (status != TM_OK)
            return status;
        norm = norm_of_values(kind, &p);
    } else {
        void *buffer = tm_carve_matrix(&w, dtype, rows, columns);
        double *magnitudes = tm_carve_matrix(&w, TM_FLOAT64, rows, columns);
        tm_load_matrix(x, dtype, buffer);
        take_magnitudes(dtype, buffer, rows * columns, magnitudes);
        norm = norm_of_elements(kind, magnitudes, rows, columns);
    }
    tm_set_real_entry(tm_dtype_of(out), tm_mutable_data(out), 0, norm);
    return TM_OK;
}

tm_status tm_matrix_norm_impl(tm_call *call, const tm_tensor *x, const char *ord, bool keepdims,
                              tm_tensor *out)
{
    (void)ord, (void)keepdims;
    return norm_impl(call, x, out);
}

tm_status tm_matrix_norm_number_impl(tm_call *call, const tm_tensor *x, double ord, bool keepdims,
                                     tm_tensor *out)
{
    (void)ord, (void)keepdims;
    return norm_impl(call, x, out);
}
