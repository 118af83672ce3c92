/* matrices.h: for the checks that judge samples of linear algebra: small dense matrices in double
 * precision, whatever dtype and layout the tensors have. */
#ifndef TM_OPS_SAMPLES_MATRICES_H
#define TM_OPS_SAMPLES_MATRICES_H

#include <complex.h>
#include <math.h>

#include "reading.h"

enum { MOST = 48 };

typedef struct dense {
    int64_t rows, columns;
    double complex at[MOST][MOST];
} dense;

/** An element at a flat logical index; of the four dtypes of linear algebra. */
static inline double complex complex_value(const tm_tensor *x, int64_t flat)
{
    const void *p = element(x, flat);
    switch (tm_dtype_of(x)) {
    case TM_COMPLEX64:
        return (double complex) * (const float complex *)p;
    case TM_COMPLEX128:
        return *(const double complex *)p;
    default:
        return value(x, flat);
    }
}

/** How many matrices a stack has. */
static inline int64_t num_matrices(const tm_tensor *x)
{
    int64_t num = 1;
    for (int d = 0; d < tm_ndim(x) - 2; d++)
        num *= tm_shape(x)[d];
    return num;
}

/** Matrix `index` of a stack; a tensor of one dimension is a column. */
static inline dense read_matrix(const tm_tensor *x, int64_t index)
{
    dense m = {.rows = tm_size(x, tm_ndim(x) > 1 ? -2 : -1),
               .columns = tm_ndim(x) > 1 ? tm_size(x, -1) : 1};
    for (int64_t i = 0; i < m.rows; i++)
        for (int64_t j = 0; j < m.columns; j++)
            m.at[i][j] = complex_value(x, (index * m.rows + i) * m.columns + j);
    return m;
}

/** A diagonal matrix of row `index` of a stack of vectors. */
static inline dense read_diagonal(const tm_tensor *x, int64_t index, int64_t rows, int64_t columns)
{
    int64_t n = tm_size(x, -1);
    dense m = {.rows = rows, .columns = columns};
    for (int64_t i = 0; i < n; i++)
        m.at[i][i] = complex_value(x, index * n + i);
    return m;
}

static inline dense product(const dense *a, const dense *b)
{
    dense c = {.rows = a->rows, .columns = b->columns};
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < b->columns; j++)
            for (int64_t k = 0; k < a->columns; k++)
                c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

static inline dense adjoint(const dense *a)
{
    dense c = {.rows = a->columns, .columns = a->rows};
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->columns; j++)
            c.at[j][i] = conj(a->at[i][j]);
    return c;
}

static inline dense identity(int64_t n)
{
    dense c = {.rows = n, .columns = n};
    for (int64_t i = 0; i < n; i++)
        c.at[i][i] = 1;
    return c;
}

static inline bool same(const dense *a, const dense *b, double tolerance)
{
    double scale = 1;
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->columns; j++)
            scale = fmax(scale, cabs(b->at[i][j]));
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->columns; j++)
            if (!(cabs(a->at[i][j] - b->at[i][j]) <= tolerance * scale))
                return false;
    return a->rows == b->rows && a->columns == b->columns;
}

/** A^H A = I. */
static inline bool has_orthonormal_columns(const dense *a, double tolerance)
{
    dense h = adjoint(a), gram = product(&h, a), one = identity(a->columns);
    return same(&gram, &one, tolerance);
}

/** What a well-conditioned result of x may be off. */
static inline double tolerance_of(const tm_tensor *x)
{
    return tm_dtype_of(x) == TM_FLOAT32 || tm_dtype_of(x) == TM_COMPLEX64 ? 2e-4 : 1e-11;
}

#endif
