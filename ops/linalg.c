/* linalg.c: what the kernels of linear algebra share. */
#include "linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "dispatch/cast.h"
#include "dispatch/fields.h"
#include "lapack.h"
#include "steps.h"

#ifdef TM_HAVE_LAPACK
#include <cblas.h>
#endif

enum { ALIGNMENT = 64 };

/* -- Dtypes ------------------------------------------------------------------------------------ */

double tm_epsilon(tm_dtype dtype)
{
    return tm_real_dtype(dtype) == TM_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

double complex tm_entry(tm_dtype dtype, const void *buffer, int64_t i)
{
    switch (dtype) {
    case TM_FLOAT32:
        return (double)((const float *)buffer)[i];
    case TM_FLOAT64:
        return ((const double *)buffer)[i];
    case TM_COMPLEX64:
        return (double complex)((const float complex *)buffer)[i];
    default:
        return ((const double complex *)buffer)[i];
    }
}

void tm_set_entry(tm_dtype dtype, void *buffer, int64_t i, double complex value)
{
    switch (dtype) {
    case TM_COMPLEX64:
        ((float complex *)buffer)[i] = (float complex)value;
        break;
    case TM_COMPLEX128:
        ((double complex *)buffer)[i] = value;
        break;
    default:
        tm_set_real_entry(dtype, buffer, i, creal(value));
    }
}

double tm_real_entry(tm_dtype dtype, const void *buffer, int64_t i)
{
    return dtype == TM_FLOAT32 ? (double)((const float *)buffer)[i] : ((const double *)buffer)[i];
}

void tm_set_real_entry(tm_dtype dtype, void *buffer, int64_t i, double value)
{
    if (dtype == TM_FLOAT32)
        ((float *)buffer)[i] = (float)value;
    else
        ((double *)buffer)[i] = value;
}

/* -- Checks ------------------------------------------------------------------------------------ */

tm_status tm_check_linalg(tm_call *call, const char *argument, const tm_tensor *x)
{
    switch (tm_dtype_of(x)) {
    case TM_FLOAT32:
    case TM_FLOAT64:
    case TM_COMPLEX64:
    case TM_COMPLEX128:
        return TM_OK;
    default:
        return tm_fail_arg(call, TM_ERR_DTYPE, argument,
                           "%s must be float32, float64, complex64 or complex128, got %s", argument,
                           tm_dtype_name(tm_dtype_of(x)));
    }
}

tm_status tm_check_lapack_size(tm_call *call, const char *argument, const tm_tensor *x,
                               int64_t elements)
{
    if (elements <= INT32_MAX)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, argument, "%s is too large for LAPACK, got shape %s",
                       argument, tm_shape_text(call, x));
}

tm_status tm_check_matrix(tm_call *call, const char *argument, const tm_tensor *x)
{
    tm_status status = tm_check_linalg(call, argument, x);
    if (status == TM_OK)
        status = tm_check_rank(call, argument, x, 2);
    if (status != TM_OK)
        return status;
    int64_t rows = tm_size(x, -2), columns = tm_size(x, -1);
    /* A column's share of LAPACK's blocks must be countable too. */
    int64_t longer = rows > columns ? rows : columns;
    int64_t elements = longer > INT32_MAX ? longer : longer * 2 * TM_LAPACK_BLOCK;
    return tm_check_lapack_size(call, argument, x, elements);
}

tm_status tm_check_square(tm_call *call, const char *argument, const tm_tensor *x)
{
    tm_status status = tm_check_matrix(call, argument, x);
    if (status != TM_OK || tm_size(x, -2) == tm_size(x, -1))
        return status;
    return tm_fail_arg(call, TM_ERR_SHAPE, argument,
                       "%s must be square in its last 2 dimensions, got shape %s", argument,
                       tm_shape_text(call, x));
}

tm_status tm_check_rtol(tm_call *call, const double *rtol)
{
    if (!rtol || *rtol >= 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "rtol", "rtol must be at least 0, got %g", *rtol);
}

/* -- Failures ---------------------------------------------------------------------------------- */

tm_status tm_check_lapack(tm_call *call)
{
#ifdef TM_HAVE_LAPACK
    (void)call;
    return TM_OK;
#else
    return tm_fail(call, TM_ERR_NO_KERNEL,
                   "linear algebra needs LAPACK, which this build is without");
#endif
}

tm_status tm_check_finite_buffer(tm_call *call, const char *argument, tm_dtype dtype,
                                 const void *buffer, int64_t count)
{
    bool finite = true;
    int64_t parts = tm_is_complex(dtype) ? 2 * count : count;
    if (tm_real_dtype(dtype) == TM_FLOAT32)
        for (int64_t i = 0; i < parts; i++)
            finite &= isfinite(((const float *)buffer)[i]) != 0;
    else
        for (int64_t i = 0; i < parts; i++)
            finite &= isfinite(((const double *)buffer)[i]) != 0;
    if (finite)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_NUMERIC, argument, "%s must be finite, but has NaN or infinity",
                       argument);
}

tm_status tm_fail_singular(tm_call *call, const char *argument, int64_t pivot)
{
    long long at = (long long)pivot - 1;
    return tm_fail_arg(call, TM_ERR_NUMERIC, argument,
                       "%s is singular: its pivot (%lld, %lld) is zero", argument, at, at);
}

int64_t tm_zero_on_diagonal(tm_dtype dtype, const void *buffer, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (tm_entry(dtype, buffer, i * n + i) == 0)
            return i + 1;
    return 0;
}

/* -- Memory ------------------------------------------------------------------------------------ */

void *tm_carve(tm_carver *w, int64_t rows, int64_t columns, size_t item)
{
    const size_t most = SIZE_MAX / 4; /* an expanded matrix can be larger than memory */
    size_t bytes, at = w->used;
    if (__builtin_mul_overflow((size_t)rows, (size_t)columns, &bytes) ||
        __builtin_mul_overflow(bytes, item, &bytes) || bytes > most || at > most) {
        w->used = most;
        return NULL;
    }
    w->used = at + (bytes / ALIGNMENT + 1) * ALIGNMENT;
    return w->base ? w->base + at : NULL;
}

/* A tensor's matrix with its columns outermost, and a buffer of `rows` rows alike. */
static tm_copy_side tensor_side(const tm_fields *x)
{
    return (tm_copy_side){
        .base = x->data, .dtype = x->dtype, .step = {tm_fields_step(x, 1), tm_fields_step(x, 0)}};
}

static tm_copy_side buffer_side(tm_dtype dtype, const void *buffer, int64_t rows)
{
    int64_t item = (int64_t)tm_dtype_size(dtype);
    return (tm_copy_side){
        .base = (char *)(uintptr_t)buffer, .dtype = dtype, .step = {rows * item, item}};
}

enum { FEW = 256 /* elements: laying a copy out would cost more than making it */ };

#define COPY_FEW(T)                                                                                \
    for (int64_t j = 0; j < size[0]; j++)                                                          \
        for (int64_t i = 0; i < size[1]; i++)                                                      \
    memcpy(to->base + j * to->step[0] + i * to->step[1],                                           \
           from->base + j * from->step[0] + i * from->step[1], sizeof(T))

/* `size`: columns, rows. */
static void copy_matrix(const int64_t size[2], const tm_copy_side *to, const tm_copy_side *from)
{
    if (size[0] == 0 || size[1] == 0)
        return;
    const bool few = size[0] <= FEW && size[1] <= FEW && size[0] * size[1] <= FEW;
    if (few && to->dtype == from->dtype && to->dtype == TM_FLOAT32)
        COPY_FEW(float);
    else if (few && to->dtype == from->dtype && to->dtype == TM_FLOAT64)
        COPY_FEW(double);
    else
        tm_copy(2, size, to, from);
}

void tm_load_matrix(const tm_tensor *x, tm_dtype dtype, void *buffer)
{
    tm_fields f;
    tm_fields_of(x, &f);
    const int64_t size[2] = {f.shape[1], f.shape[0]};
    const tm_copy_side from = tensor_side(&f), to = buffer_side(dtype, buffer, size[1]);
    copy_matrix(size, &to, &from);
}

tm_status tm_load_finite_matrix(tm_call *call, const char *argument, const tm_tensor *x,
                                tm_dtype dtype, void *buffer)
{
    tm_load_matrix(x, dtype, buffer);
    return tm_check_finite_buffer(call, argument, dtype, buffer, tm_shape(x)[0] * tm_shape(x)[1]);
}

void tm_load_vector(const tm_tensor *x, tm_dtype dtype, void *buffer)
{
    tm_cast(tm_dtype_of(x), dtype)(tm_data(x), tm_axis_step(x, 0), buffer,
                                   (int64_t)tm_dtype_size(dtype), tm_shape(x)[0]);
}

void tm_store_matrix(tm_tensor *out, const void *buffer, int64_t rows)
{
    tm_fields f;
    tm_fields_of(out, &f);
    const int64_t size[2] = {f.shape[1], f.shape[0]};
    const tm_copy_side from = buffer_side(f.dtype, buffer, rows), to = tensor_side(&f);
    copy_matrix(size, &to, &from);
}

void tm_store_vector(tm_tensor *out, const void *buffer)
{
    tm_dtype dtype = tm_dtype_of(out);
    tm_cast(dtype, dtype)(buffer, (int64_t)tm_dtype_size(dtype), tm_mutable_data(out),
                          tm_axis_step(out, 0), tm_shape(out)[0]);
}

void tm_set_identity(tm_dtype dtype, void *buffer, int64_t n)
{
    memset(buffer, 0, (size_t)(n * n) * tm_dtype_size(dtype));
    for (int64_t i = 0; i < n; i++)
        tm_set_entry(dtype, buffer, i * n + i, 1);
}

void tm_clear_triangle(tm_dtype dtype, void *buffer, int64_t rows, int64_t columns, bool above)
{
    size_t item = tm_dtype_size(dtype);
    for (int64_t j = 0; j < columns; j++) {
        char *column = (char *)buffer + (size_t)(j * rows) * item;
        if (above)
            memset(column, 0, (size_t)(j < rows ? j : rows) * item);
        else if (j + 1 < rows)
            memset(column + (size_t)(j + 1) * item, 0, (size_t)(rows - j - 1) * item);
    }
}

/* -- Products ---------------------------------------------------------------------------------- */

void tm_gemm(tm_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a, tm_gemm_form form_a,
             const void *b, tm_gemm_form form_b, void *c)
{
    if (k == 0)
        memset(c, 0, (size_t)(m * n) * tm_dtype_size(dtype));
    if (m == 0 || n == 0 || k == 0)
        return;
#ifdef TM_HAVE_LAPACK
    const CBLAS_TRANSPOSE adjoint = tm_is_complex(dtype) ? CblasConjTrans : CblasTrans;
    CBLAS_TRANSPOSE op_a = form_a == TM_ADJOINT ? adjoint : CblasNoTrans;
    CBLAS_TRANSPOSE op_b = form_b == TM_ADJOINT ? adjoint : CblasNoTrans;
    blasint lead_a = (blasint)(form_a == TM_ADJOINT ? k : m);
    blasint lead_b = (blasint)(form_b == TM_ADJOINT ? n : k);
    blasint rows = (blasint)m, columns = (blasint)n, inner = (blasint)k;
    const double complex one = 1, zero = 0;
    const float complex one_float = 1, zero_float = 0;
    tm_blas_begin();
    switch (dtype) {
    case TM_FLOAT32:
        cblas_sgemm(CblasColMajor, op_a, op_b, rows, columns, inner, 1, a, lead_a, b, lead_b, 0, c,
                    rows);
        break;
    case TM_FLOAT64:
        cblas_dgemm(CblasColMajor, op_a, op_b, rows, columns, inner, 1, a, lead_a, b, lead_b, 0, c,
                    rows);
        break;
    case TM_COMPLEX64:
        cblas_cgemm(CblasColMajor, op_a, op_b, rows, columns, inner, &one_float, a, lead_a, b,
                    lead_b, &zero_float, c, rows);
        break;
    default:
        cblas_zgemm(CblasColMajor, op_a, op_b, rows, columns, inner, &one, a, lead_a, b, lead_b,
                    &zero, c, rows);
        break;
    }
    tm_blas_end();
#else
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double complex sum = 0;
            for (int64_t l = 0; l < k; l++) {
                double complex x = tm_entry(dtype, a, form_a == TM_ADJOINT ? l + i * k : i + l * m);
                double complex y = tm_entry(dtype, b, form_b == TM_ADJOINT ? j + l * n : l + j * k);
                sum += (form_a == TM_ADJOINT ? conj(x) : x) * (form_b == TM_ADJOINT ? conj(y) : y);
            }
            tm_set_entry(dtype, c, i + j * m, sum);
        }
#endif
}
