/* test_products.c: products of batches too large for a core's cache, wherever the batch lies: the
 * bits are those of each product alone, whatever is asked for ahead, copied or written past the
 * caches.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support.h"

typedef struct shapes {
    int64_t m, n, p; /* 0: x1, or x2, is a vector */
    int64_t batch;
} shapes;

/* Batches that end within a block. */
static const shapes cases[] = {
    {4, 4, 4, 21013}, {8, 8, 8, 5021},  {16, 16, 16, 1511}, {5, 7, 3, 9001},
    {3, 20, 18, 997}, {64, 64, 0, 203}, {0, 64, 64, 203},   {16, 16, 0, 2003},
};

enum { NUM_CASES = COUNT(cases), PLACES = 3, SHOWN = 13 };

/* The tensor of numbers from -8 to 8 that do not repeat soon. */
static tm_tensor *numbers(int ndim, const int64_t *shape)
{
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, ndim, shape));
    float *data = tm_mutable_data(x);
    for (int64_t i = 0; i < tm_numel(x); i++)
        data[i] = (float)(i * 7919 % 10007) / 625 - 8;
    return x;
}

/* A factor with the batch as dimension `place`, or the last if there is no such. */
static tm_tensor *factor(int64_t rows, int64_t columns, int64_t batch, int *place)
{
    int64_t core[2] = {rows, columns}, shape[3];
    int ndim = 2, at = 0;
    if (!rows || !columns) {
        core[0] = rows + columns;
        ndim = 1;
    }
    if (*place > ndim)
        *place = ndim;
    for (int d = 0; d <= ndim; d++)
        shape[d] = d == *place ? batch : core[at++];
    return numbers(ndim + 1, shape);
}

START_TEST(products_of_a_large_batch)
{
    const shapes *s = &cases[_i % NUM_CASES];
    int place_1 = _i / NUM_CASES, place_2 = place_1;
    const tm_tensor *x1 = factor(s->m, s->n, s->batch, &place_1);
    const tm_tensor *x2 = factor(s->n, s->p, s->batch, &place_2);
    const tm_simd most = tm_get_simd();
    for (tm_simd simd = TM_SIMD_PORTABLE; simd <= most; simd++) {
        EXPECT_OK(tm_set_simd(simd));
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *y =
            MADE(tm_matmul(MADE(tm_vmap_in(v, x1, place_1)), MADE(tm_vmap_in(v, x2, place_2))));
        y = MADE(tm_vmap_out(v, y, 0));
        EXPECT_OK(tm_vmap_pop(v));
        for (int64_t i = 0; i < SHOWN; i++) {
            const int64_t e = (s->batch - 1) * i / (SHOWN - 1);
            const tm_tensor *alone =
                MADE(tm_matmul(MADE(tm_select(x1, place_1, e)), MADE(tm_select(x2, place_2, e))));
            const tm_tensor *mapped = MADE(tm_clone(MADE(tm_select(y, 0, e))));
            ck_assert_int_eq(tm_numel(alone), tm_numel(mapped));
            ck_assert_mem_eq(tm_data(alone), tm_data(mapped),
                             (size_t)tm_numel(alone) * sizeof(float));
        }
    }
}
END_TEST

/* A vector that all examples share: the matrices are rows of one. */
START_TEST(a_shared_vector)
{
    const int64_t shape[] = {203, 64, 64};
    const tm_tensor *x = numbers(3, shape), *w = numbers(1, shape + 1);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = MADE(tm_vmap_out(v, MADE(tm_matmul(MADE(tm_vmap_in(v, x, 0)), w)), 0));
    EXPECT_OK(tm_vmap_pop(v));
    for (int64_t e = 0; e < shape[0]; e += 101) {
        const tm_tensor *alone = MADE(tm_matmul(MADE(tm_select(x, 0, e)), w));
        ck_assert_mem_eq(tm_data(alone), tm_data(MADE(tm_select(y, 0, e))), 64 * sizeof(float));
    }
}
END_TEST

/* A right side whose columns lie in order, of any length, against sums in float64: tiles copy it
 * all at once, part by part, or leave it to BLAS. */
START_TEST(a_transposed_right_side)
{
    static const int64_t ms[] = {1, 7, 8, 21}, ns[] = {0, 1, 17, 64, 256, 257};
    const int64_t p = (const int64_t[]){2, 33, 300, 4003}[_i / 2];
    const tm_dtype dtype = _i % 2 ? TM_FLOAT64 : TM_FLOAT32;
    const tm_simd most = tm_get_simd();
    for (tm_simd simd = TM_SIMD_PORTABLE; simd <= most; simd++) {
        EXPECT_OK(tm_set_simd(simd));
        for (int i = 0; i < COUNT(ms) * COUNT(ns); i++) {
            const int64_t m = ms[i % COUNT(ms)], n = ns[i / COUNT(ms)];
            tm_scope *scope = tm_scope_push();
            const tm_tensor *a = numbers(2, (int64_t[]){m, n}), *b = numbers(2, (int64_t[]){p, n});
            const float *x = tm_data(a), *w = tm_data(b);
            const tm_tensor *y = MADE(tm_matmul(
                MADE(tm_astype(a, dtype)), MADE(tm_swapaxes(MADE(tm_astype(b, dtype)), 0, 1))));
            double worst = 0;
            for (int64_t e = 0; e < m * p; e++) {
                double sum = 0, size = 0;
                for (int64_t k = 0; k < n; k++) {
                    const double term = (double)x[e / p * n + k] * (double)w[e % p * n + k];
                    sum += term;
                    size += fabs(term);
                }
                worst = fmax(worst, fabs(test_value(y, e) - sum) / (size > 0 ? size : 1));
            }
            const double unit = dtype == TM_FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
            ck_assert_double_le(worst, (double)n * unit);
            EXPECT_OK(tm_scope_pop(scope));
        }
    }
}
END_TEST

/* A matrix that all examples share, more of them than are copied at once. */
START_TEST(a_shared_matrix)
{
    const int64_t shape[] = {3001, 64};
    const tm_tensor *x = numbers(2, shape), *w = numbers(2, (int64_t[]){64, 64});
    for (int place = 0; place < 2; place++) {
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *y = MADE(tm_matmul(w, MADE(tm_vmap_in(v, x, 0))));
        y = MADE(tm_vmap_out(v, y, place));
        EXPECT_OK(tm_vmap_pop(v));
        for (int64_t e = 0; e < shape[0]; e += 500)
            for (int64_t r = 0; r < 64; r++) {
                double sum = 0;
                for (int64_t k = 0; k < 64; k++)
                    sum += test_value(w, 64 * r + k) * test_value(x, 64 * e + k);
                const double got = test_value(y, place ? 3001 * r + e : 64 * e + r);
                ck_assert_double_eq_tol(got, sum, 64 * 64 * 64 * FLT_EPSILON);
            }
    }
}
END_TEST

/* An infinity is one in a product by BLAS too: by hand, (inf + 0i)(1 + i) = inf + inf i. */
START_TEST(complex_infinities)
{
    const tm_dtype dtype = _i % 2 ? TM_COMPLEX128 : TM_COMPLEX64;
    const int64_t rows = _i / 2 % 2 ? 3 : 1, columns = _i / 4 ? 100 : 1;
    const tm_scalar inf = tm_scalar_float(INFINITY), one = tm_scalar_complex(1, 1);
    const tm_tensor *x = MADE(tm_full(TM_INTS(rows, 1), inf, dtype));
    const tm_tensor *w = MADE(tm_full(TM_INTS(1, columns), one, dtype));
    const tm_tensor *y = MADE(tm_matmul(x, w));
    const tm_tensor *re = MADE(tm_real(y)), *im = MADE(tm_imag(y));
    for (int64_t i = 0; i < rows * columns; i++) {
        ck_assert_double_eq(test_value(re, i), INFINITY);
        ck_assert_double_eq(test_value(im, i), INFINITY);
    }
}
END_TEST

Suite *products_suite(void)
{
    const TTest *loop[] = {products_of_a_large_batch};
    const TTest *dtypes[] = {a_transposed_right_side, complex_infinities};
    const TTest *once[] = {a_shared_vector, a_shared_matrix};
    Suite *suite = test_suite("products", once, COUNT(once));
    test_suite_loop(suite, loop, COUNT(loop), NUM_CASES * PLACES);
    test_suite_loop(suite, dtypes, COUNT(dtypes), 8);
    return suite;
}
