/* matrix_cholesky.c: the Cholesky factorisation.
 *
 * Small matrices, and all where there is no LAPACK, are factored by plain loops over contiguous
 * rows: the requested triangle of x is brought into a buffer as the upper triangle of a matrix that
 * becomes U, and L is U transposed, so both variants are one computation. Larger ones go to LAPACK.
 * Either way the computation runs on a copy, and the layout of x cannot change a bit of the result.
 */
#include <math.h>
#include <string.h>

#include "complex_numbers.h"
#include "dispatch/cast.h"
#include "lapack.h"
#include "ops_kernels.h"

/* Up to here the plain loops are the faster ones. */
enum { SMALL = 24 };

tm_status tm_cholesky_meta(tm_call *call, const tm_tensor *x, bool upper)
{
    (void)upper;
    tm_status status = tm_check_square(call, "x", x);
    if (status != TM_OK)
        return status;
    int64_t n = tm_size(x, -1);
    tm_carver w = {0};
    if (n > SMALL) {
        tm_carve_matrix(&w, tm_dtype_of(x), n, n);
        tm_need_workspace(call, w.used);
    }
    return tm_output_like(call, 0, x);
}

#define ITSELF(x) (x)
#define TIMES(a, b) ((a) * (b))

#define T float
#define R float
#define ROOT sqrtf
#define REAL ITSELF
#define CONJ ITSELF
#define MUL TIMES
#define NAME(x) x##_float32
#include "matrix_cholesky.h"
#define T double
#define R double
#define ROOT sqrt
#define REAL ITSELF
#define CONJ ITSELF
#define MUL TIMES
#define NAME(x) x##_float64
#include "matrix_cholesky.h"
#define T tm_complex64
#define R float
#define ROOT sqrtf
#define REAL crealf
#define CONJ conjf
#define MUL tm_mul_complex64
#define NAME(x) x##_complex64
#include "matrix_cholesky.h"
#define T tm_complex128
#define R double
#define ROOT sqrt
#define REAL creal
#define CONJ conj
#define MUL tm_mul_complex128
#define NAME(x) x##_complex128
#include "matrix_cholesky.h"

#define TM_LANES_BODY "matrix_cholesky_lanes.h"
#include "lanes_versions.h"

const tm_lanes_kernel tm_cholesky_lanes[] = TM_LANES_TABLE(cholesky_lanes, SMALL);

/* By plain loops: u becomes the requested triangle of x as an upper one, and then the factor. */
#define FACTOR_PLAIN(name)                                                                         \
    load_##name(x, upper, n, u);                                                                   \
    order = factor_##name(n, u);                                                                   \
    if (order == 0)                                                                                \
        store_##name(out, upper, n, u);                                                            \
    break

static int64_t factor_plain(const tm_tensor *x, bool upper, tm_tensor *out, void *u)
{
    int64_t n = tm_shape(x)[0], order;
    switch (tm_dtype_of(x)) {
    case TM_FLOAT32:
        FACTOR_PLAIN(float32);
    case TM_FLOAT64:
        FACTOR_PLAIN(float64);
    case TM_COMPLEX64:
        FACTOR_PLAIN(complex64);
    default:
        FACTOR_PLAIN(complex128);
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

static int64_t find_nan(tm_dtype dtype, int64_t n, int64_t end, const void *u)
{
    switch (dtype) {
    case TM_FLOAT32:
        return find_nan_float32(n, end, u);
    case TM_FLOAT64:
        return find_nan_float64(n, end, u);
    case TM_COMPLEX64:
        return find_nan_complex64(n, end, u);
    default:
        return find_nan_complex128(n, end, u);
    }
}

/* By LAPACK, in out where that is row-major. Row-major's upper triangle is column-major's lower
 * one, of the conjugate matrix, whose factor transposed is the one wanted. LAPACK may step over a
 * NaN, so the diagonal is looked through. */
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
    lapack_int lead = (lapack_int)n;
    int64_t order = TM_LAPACK(dtype, potrf, upper ? 'L' : 'U', lead, u, lead);
    int64_t nan = find_nan(dtype, n, order > 0 ? order - 1 : n, u);
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
    if (tm_shape(x)[0] > SMALL)
        return factor_by_lapack(x, upper, out, workspace);
#endif
    return factor_plain(x, upper, out, workspace);
}

tm_status tm_cholesky_impl(tm_call *call, const tm_tensor *x, bool upper, tm_tensor *out)
{
    _Alignas(64) tm_complex128 small[SMALL * SMALL];
    int64_t order = factor(x, upper, out, tm_shape(x)[0] > SMALL ? tm_workspace(call) : small);
    if (order == 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_NUMERIC, "x",
                       "x must be positive definite, but its leading minor of order %lld is not "
                       "positive",
                       (long long)order);
}
