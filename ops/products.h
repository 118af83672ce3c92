/* products.h: one matrix product C = A B as the kernels of matmul see it.
 *
 * A is (m, n), B is (n, p), C is (m, p), each with a step along rows and one along columns, in
 * elements; so a transposed, reversed or expanded matrix is a matter of steps. C's memory overlaps
 * neither A's nor B's. float16 and bfloat16 are computed in float32 and rounded once. Every way to
 * compute one sums over n in ascending order or states that it does not (BLAS).
 */
#ifndef TM_OPS_PRODUCTS_H
#define TM_OPS_PRODUCTS_H

#include <transmute/kernel.h>

/** A factor: its elements where the caller has them, and memory for a copy that BLAS can read. */
typedef struct tm_factor {
    const char *data;
    tm_dtype dtype;
    int64_t row, column; /**< steps in elements */
    char *copy;          /**< room for a row-major copy in the product's dtype; NULL: not needed */
} tm_factor;

typedef struct tm_product {
    tm_dtype dtype; /**< that it is computed in: C's, or float32 where C has 16-bit floats */
    tm_dtype c_dtype;
    int64_t m, n, p;
    tm_factor a, b;
    char *c;
    int64_t c_row, c_column;
    char *c_wide; /**< room for C in `dtype`, row-major, where it is computed there; else NULL */
} tm_product;

/** The same product as C^T = B^T A^T. */
static inline tm_product tm_product_transposed(const tm_product *q)
{
    tm_product t = *q;
    t.m = q->p;
    t.p = q->m;
    t.a = q->b;
    t.a.row = q->b.column;
    t.a.column = q->b.row;
    t.b = q->a;
    t.b.row = q->a.column;
    t.b.column = q->a.row;
    t.c_row = q->c_column;
    t.c_column = q->c_row;
    return t;
}

/** Whether a row-major BLAS can take the matrix as it lies: rows without gaps between columns. */
static inline bool tm_blas_by_rows(int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    return (columns <= 1 || column == 1) && (rows <= 1 || (row >= 1 && row >= columns)) &&
           rows <= INT32_MAX && columns <= INT32_MAX && (rows <= 1 || row <= INT32_MAX);
}

/** The same, also as a transposed matrix. */
static inline bool tm_blas_fits(int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    return tm_blas_by_rows(rows, columns, row, column) ||
           tm_blas_by_rows(columns, rows, column, row);
}

/** Sets the product that the kernel's handles say. */
void tm_product_of(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor *out,
                   tm_product *q);
/** Computes a product by the best of the ways below. */
void tm_product_run(const tm_product *q);
/** Makes the factor's copy and points the factor at it, where a product needs one. */
void tm_factor_prepare(tm_factor *factor, tm_dtype dtype, int64_t rows, int64_t columns);

enum {
    TM_TILE_PACKED = 32768, /**< bytes of a factor that tiles copy on the stack at once */
    TM_TILE_COLUMNS = 128   /**< bytes of columns, at least, that a part of a longer factor has */
};

/** Whether tiles can copy B on the stack, where its rows are no vectors: all of it, or for enough
 *  rows of C parts of its columns by turns. */
static inline bool tm_tile_packs(int64_t item, int64_t m, int64_t n, int64_t p)
{
    enum { ENOUGH = 8 };
    return n <= TM_TILE_PACKED / item / p || (m >= ENOUGH && n <= TM_TILE_PACKED / TM_TILE_COLUMNS);
}

/** Whether nothing is to be converted. */
static inline bool tm_product_is_uniform(const tm_product *q)
{
    return q->a.dtype == q->dtype && q->b.dtype == q->dtype && q->c_dtype == q->dtype;
}

/** A product for each of `count` examples; steps in elements from one to the next. */
typedef struct tm_products {
    int64_t count, a_step, b_step, c_step;
    int64_t bytes; /**< that the call touches in all, 0: few */
} tm_products;

/** Whether BLAS is to compute it, which what C's layout is does not decide: an example's bits do
 *  not depend on where its result lies. */
bool tm_product_for_blas(const tm_product *q);
/** Floats without BLAS, by the best of the three ways below. False, and nothing is written, where
 *  none is made for the sizes and steps. */
bool tm_product_direct(const tm_product *q, const tm_products *all);
/** Each false, and nothing is written, where it does not serve. */
bool tm_product_square(const tm_product *q, const tm_products *all);
bool tm_product_rows(const tm_product *q, const tm_products *all);
bool tm_product_tiles(const tm_product *q, const tm_products *all);

/** As many of the first products as it computed, where those of A and C are neighbours in memory;
 *  0: it does not serve. */
int64_t tm_product_lanes(const tm_product *q, const tm_products *all);

/** Loops in plain C: any dtype, any steps; all three matrices have the product's dtype. */
void tm_product_plain(const tm_product *q);

/** By BLAS, floats and complex numbers. False, and nothing is written, where the steps of a matrix
 * or the sizes do not suit it, or there is no BLAS. */
bool tm_product_blas(const tm_product *q);

#endif
