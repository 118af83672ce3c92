/* matrix_cholesky.c: the Cholesky factorisation.
 *
 * Small matrices, and all where there is no LAPACK, are factored by plain loops over contiguous
 * rows: the requested triangle of x is brought into a buffer as the upper triangle of a matrix that
 * becomes U, and L is U transposed, so both variants are one computation. Larger ones go to LAPACK.
 * Either way the computation runs on a copy, and the layout of x cannot change a bit of the result.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"

#ifdef TM_HAVE_LAPACK
#include <lapacke.h>
#endif

/* Up to here the plain loops are the faster ones. */
enum { SMALL = 24 };

tm_status tm_cholesky_meta(tm_call *call, const tm_tensor *x, bool upper)
{
    (void)upper;
    tm_status status = tm_check_rank(call, "x", x, 2);
    if (status == TM_OK)
        status = tm_check_float(call, "x", x);
    if (status != TM_OK)
        return status;
    int64_t n = tm_size(x, -1);
    if (tm_size(x, -2) != n)
        return tm_fail_arg(call, TM_ERR_SHAPE, "x",
                           "x must be square in its last 2 dimensions, got shape %s",
                           tm_shape_text(call, x));
    size_t item = tm_dtype_size(tm_dtype_of(x)), bytes;
    if (__builtin_mul_overflow((size_t)n, (size_t)n, &bytes) ||
        __builtin_mul_overflow(bytes, item, &bytes) || bytes > SIZE_MAX / 4)
        bytes = SIZE_MAX / 4; /* an expanded x can be larger than memory */
    if (n > SMALL)
        tm_need_workspace(call, bytes);
    return tm_output_like(call, 0, x);
}

#define T float
#define ROOT sqrtf
#define NAME(x) x##_float32
#include "matrix_cholesky.h"
#define T double
#define ROOT sqrt
#define NAME(x) x##_float64
#include "matrix_cholesky.h"

/* By plain loops: u holds the requested triangle of x as an upper one. */
static int64_t factor_plain(const tm_tensor *x, bool upper, tm_tensor *out, void *u)
{
    int64_t n = tm_shape(x)[0], order;
    if (tm_dtype_of(x) == TM_FLOAT32) {
        load_float32(x, upper, n, u);
        order = factor_float32(n, u);
        if (order == 0)
            store_float32(out, upper, n, u);
    } else {
        load_float64(x, upper, n, u);
        order = factor_float64(n, u);
        if (order == 0)
            store_float64(out, upper, n, u);
    }
    return order;
}

#ifdef TM_HAVE_LAPACK
static tm_copy_side matrix_side(const tm_tensor *x, void *base, int64_t row, int64_t column)
{
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    return (tm_copy_side){
        .base = base, .dtype = tm_dtype_of(x), .step = {row * item, column * item}};
}

/* By LAPACK, in out where that is row-major. Row-major's upper triangle is column-major's lower
 * one. LAPACK may step over a NaN, so the diagonal is looked through. */
static int64_t factor_by_lapack(const tm_tensor *x, bool upper, tm_tensor *out, void *workspace)
{
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0], size[2] = {n, n};
    const int64_t *xs = tm_strides(x), *os = tm_strides(out);
    bool in_place = os[0] == n && os[1] == 1;
    void *u = in_place ? tm_mutable_data(out) : workspace;
    tm_copy_side from = matrix_side(x, (void *)(uintptr_t)tm_data(x), xs[0], xs[1]);
    tm_copy_side buffer = matrix_side(x, u, n, 1);
    tm_copy(2, size, &buffer, &from);
    tm_blas_begin();
    lapack_int lead = (lapack_int)n;
    char triangle = upper ? 'L' : 'U';
    int64_t order = dtype == TM_FLOAT32
                        ? LAPACKE_spotrf_work(LAPACK_COL_MAJOR, triangle, lead, u, lead)
                        : LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, triangle, lead, u, lead);
    int64_t end = order > 0 ? order - 1 : n;
    int64_t nan = dtype == TM_FLOAT32 ? find_nan_float32(n, end, u) : find_nan_float64(n, end, u);
    if (nan || order)
        return nan ? nan : order;
    for (int64_t i = 0; i < n; i++) {
        char *row = (char *)u + i * buffer.step[0];
        int64_t zeros = upper ? i : n - 1 - i;
        memset(upper ? row : row + (i + 1) * buffer.step[1], 0, (size_t)(zeros * buffer.step[1]));
    }
    if (!in_place) {
        tm_copy_side to = matrix_side(out, tm_mutable_data(out), os[0], os[1]);
        tm_copy(2, size, &to, &buffer);
    }
    return 0;
}
#endif

static int64_t factor(const tm_tensor *x, bool upper, tm_tensor *out, void *workspace)
{
#ifdef TM_HAVE_LAPACK
    if (tm_shape(x)[0] > SMALL && tm_shape(x)[0] <= INT32_MAX)
        return factor_by_lapack(x, upper, out, workspace);
#endif
    return factor_plain(x, upper, out, workspace);
}

tm_status tm_cholesky_impl(tm_call *call, const tm_tensor *x, bool upper, tm_tensor *out)
{
    _Alignas(64) double small[SMALL * SMALL];
    int64_t order = factor(x, upper, out, tm_shape(x)[0] > SMALL ? tm_workspace(call) : small);
    if (order == 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_NUMERIC, "x",
                       "x must be positive definite, but its leading minor of order %lld is not "
                       "positive",
                       (long long)order);
}
