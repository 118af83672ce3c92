/* products_blas.c: matrix products by BLAS.
 *
 * BLAS reads a matrix whose rows, or columns, have no gaps; which of the two is said by a flag, so
 * a transposed view costs nothing. A vector goes to gemv, two to dot. BLAS sums in an order of its
 * own, which depends on the layout.
 */
#include "products.h"

#ifdef TM_HAVE_LAPACK
#include <cblas.h>

#include "blas.h"
#include "complex_numbers.h"

/* A matrix as BLAS is told of it. */
typedef struct blas_matrix {
    CBLAS_TRANSPOSE trans;
    blasint lead; /* elements from one row (or column) to the next */
} blas_matrix;

static blas_matrix describe(int64_t rows, int64_t columns, const tm_factor *f)
{
    bool by_rows = tm_blas_by_rows(rows, columns, f->row, f->column);
    int64_t length = by_rows ? columns : rows, count = by_rows ? rows : columns;
    int64_t lead = count > 1 ? (by_rows ? f->row : f->column) : length;
    return (blas_matrix){by_rows ? CblasNoTrans : CblasTrans, (blasint)(lead < 1 ? 1 : lead)};
}

static CBLAS_TRANSPOSE flipped(CBLAS_TRANSPOSE trans)
{
    return trans == CblasNoTrans ? CblasTrans : CblasNoTrans;
}

static const float one_complex64[2] = {1, 0}, zero_complex64[2] = {0, 0};
static const double one_complex128[2] = {1, 0}, zero_complex128[2] = {0, 0};

/* A matrix times a vector. y is cleared before: some gemv multiply what they find by 0, and what
 * they find is unset. */
#define GEMV(T, gemv, one)                                                                         \
    {                                                                                              \
        T *to = (T *)(void *)y;                                                                    \
        for (int64_t i = 0; i < length; i++)                                                       \
            to[i * y_step] = 0;                                                                    \
        gemv(CblasRowMajor, trans, stored_rows, stored_columns, one, (const void *)data, m.lead,   \
             (const void *)x, (blasint)x_step, one, (void *)to, (blasint)y_step);                  \
        break;                                                                                     \
    }

/* The matrix M (rows, columns), transposed if `trans` says so, times x. */
static void matrix_vector(tm_dtype dtype, blas_matrix m, bool transposed, int64_t rows,
                          int64_t columns, const char *data, const char *x, int64_t x_step, char *y,
                          int64_t y_step)
{
    CBLAS_TRANSPOSE trans = transposed ? flipped(m.trans) : m.trans;
    /* As BLAS counts rows and columns: before it transposes. */
    blasint stored_rows = (blasint)(m.trans == CblasNoTrans ? rows : columns);
    blasint stored_columns = (blasint)(m.trans == CblasNoTrans ? columns : rows);
    int64_t length = transposed ? columns : rows;
    switch (dtype) {
    case TM_FLOAT32:
        GEMV(float, cblas_sgemv, 1)
    case TM_FLOAT64:
        GEMV(double, cblas_dgemv, 1)
    case TM_COMPLEX64:
        GEMV(tm_complex64, cblas_cgemv, one_complex64)
    default:
        GEMV(tm_complex128, cblas_zgemv, one_complex128)
    }
}

static void dot(const tm_product *q, int64_t a_step, int64_t b_step)
{
    const void *a = q->a.data, *b = q->b.data;
    blasint n = (blasint)q->n, a_next = (blasint)a_step, b_next = (blasint)b_step;
    switch (q->dtype) {
    case TM_FLOAT32:
        *(float *)(void *)q->c = cblas_sdot(n, a, a_next, b, b_next);
        break;
    case TM_FLOAT64:
        *(double *)(void *)q->c = cblas_ddot(n, a, a_next, b, b_next);
        break;
    case TM_COMPLEX64:
        cblas_cdotu_sub(n, a, a_next, b, b_next, (void *)q->c);
        break;
    default:
        cblas_zdotu_sub(n, a, a_next, b, b_next, (void *)q->c);
        break;
    }
}

/* A step along a vector, 1 where it has one element and so no step. */
static int64_t step_of(int64_t length, int64_t step)
{
    return length > 1 ? step : 1;
}

#define GEMM(gemm, one, zero)                                                                      \
    {                                                                                              \
        gemm(CblasRowMajor, a.trans, b.trans, m, p, n, one, x, a.lead, y, b.lead, zero, c, lead);  \
        break;                                                                                     \
    }

static void multiply(const tm_product *q, blas_matrix a, blas_matrix b)
{
    blasint m = (blasint)q->m, n = (blasint)q->n, p = (blasint)q->p;
    blasint lead = (blasint)(q->m > 1 ? q->c_row : q->p);
    const void *x = q->a.data, *y = q->b.data;
    void *c = q->c;
    switch (q->dtype) {
    case TM_FLOAT32:
        GEMM(cblas_sgemm, 1, 0)
    case TM_FLOAT64:
        GEMM(cblas_dgemm, 1, 0)
    case TM_COMPLEX64:
        GEMM(cblas_cgemm, one_complex64, zero_complex64)
    default:
        GEMM(cblas_zgemm, one_complex128, zero_complex128)
    }
}

static bool is_nan(tm_dtype dtype, const void *z)
{
    return tm_complex_is_nan(dtype == TM_COMPLEX64 ? *(const tm_complex64 *)z
                                                   : *(const tm_complex128 *)z);
}

/* BLAS multiplies complex sums by 1 + 0i, which makes NaN of an infinity. What is NaN is computed
 * again, so that infinities stay whatever computes the product. */
static void repair(const tm_product *q)
{
    const int64_t item = (int64_t)tm_dtype_size(q->dtype);
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < q->p; j++) {
            char *c = q->c + (i * q->c_row + j * q->c_column) * item;
            if (!is_nan(q->dtype, c))
                continue;
            tm_product one = *q;
            one.c = c;
            one.m = one.p = 1;
            one.a.data += i * q->a.row * item;
            one.b.data += j * q->b.column * item;
            tm_product_plain(&one);
        }
}

bool tm_product_blas(const tm_product *q)
{
    bool fits = q->n > 0 && tm_product_is_uniform(q) && tm_dtype_kind(q->dtype) != TM_KIND_INT &&
                tm_blas_fits(q->m, q->n, q->a.row, q->a.column) &&
                tm_blas_fits(q->n, q->p, q->b.row, q->b.column) &&
                tm_blas_fits(q->m, q->p, q->c_row, q->c_column);
    if (!fits)
        return false;
    if (!tm_blas_by_rows(q->m, q->p, q->c_row, q->c_column)) {
        tm_product t = tm_product_transposed(q);
        return tm_product_blas(&t);
    }
    tm_blas_begin();
    blas_matrix a = describe(q->m, q->n, &q->a), b = describe(q->n, q->p, &q->b);
    int64_t a_step = step_of(q->n, q->a.column), b_step = step_of(q->n, q->b.row);
    if (q->m == 1 && q->p == 1)
        dot(q, a_step, b_step);
    else if (q->p == 1)
        matrix_vector(q->dtype, a, false, q->m, q->n, q->a.data, q->b.data, b_step, q->c, q->c_row);
    else if (q->m == 1)
        matrix_vector(q->dtype, b, true, q->n, q->p, q->b.data, q->a.data, a_step, q->c,
                      q->c_column);
    else
        multiply(q, a, b);
    tm_blas_end();
    if (tm_dtype_kind(q->dtype) == TM_KIND_COMPLEX)
        repair(q);
    return true;
}

#else

bool tm_product_blas(const tm_product *q)
{
    (void)q;
    return false;
}

#endif
