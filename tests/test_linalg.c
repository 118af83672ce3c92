/* test_linalg.c: what samples of linear algebra cannot say: a solve that must not mix examples,
 * sizes too large for LAPACK, and BLAS called by several threads.
 */
#include <string.h>

#include "support.h"

#ifdef TM_HAVE_LAPACK
/* A reported fault of another library: the leading axis that x2 lacks was paired with the batch. */
START_TEST(a_right_side_with_fewer_axes_stays_with_its_example)
{
    tm_tensor *a = F32(TM_INTS(2, 2, 2, 2), 1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3, 4, 0, 0, 4);
    tm_tensor *b = F32(TM_INTS(2, 2, 1), 12, 24, 120, 240);
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_solve(MADE(tm_vmap_in(level, a, 0)), MADE(tm_vmap_in(level, b, 0))));
    EXPECT_F32(tm_vmap_out(level, x, 0), TM_INTS(2, 2, 2, 1), 12, 24, 6, 12, 40, 80, 30, 60);
    EXPECT_OK(tm_vmap_pop(level));
}
END_TEST

/* Products so small that most of their time goes by inside BLAS's own buffers; without the lock, an
 * OpenBLAS that needs it spoils about every second run. */
START_TEST(threads_do_not_disturb_each_other_in_blas)
{
    enum { EXAMPLES = 60000, SIZE = 3, RUNS = 6 };
    const size_t bytes = EXAMPLES * SIZE * SIZE * sizeof(double);
    tm_tensor *x = MADE(tm_sin(test_iota(TM_FLOAT64, TM_INTS(EXAMPLES, SIZE, SIZE))));
    tm_tensor *alone = MADE(tm_matrix_power(x, 7));
    int threads = tm_get_num_threads();
    EXPECT_OK(tm_set_num_threads(4));
    for (int run = 0; run < RUNS; run++) {
        tm_tensor *together = MADE(tm_matrix_power(x, 7));
        ck_assert(memcmp(tm_data(alone), tm_data(together), bytes) == 0);
    }
    EXPECT_OK(tm_set_num_threads(threads));
}
END_TEST
#else
START_TEST(without_lapack_a_kernel_says_so)
{
    tm_tensor *x = MADE(tm_eye(64, NULL, 0, TM_FLOAT32)); /* small ones do without */
    EXPECT_NULL(tm_inv(x), TM_ERR_NO_KERNEL, "inv: |LAPACK");
    EXPECT_NULL(tm_solve(x, x), TM_ERR_NO_KERNEL, "solve: |LAPACK");
    EXPECT_NULL(tm_svdvals(x), TM_ERR_NO_KERNEL, "svdvals: |LAPACK");
    EXPECT_NULL(tm_eigvalsh(x, false), TM_ERR_NO_KERNEL, "eigvalsh: |LAPACK");
    EXPECT_NULL(tm_qr(x, "reduced").q, TM_ERR_NO_KERNEL, "qr: |LAPACK");
    EXPECT_NULL(tm_matrix_exp(x), TM_ERR_NO_KERNEL, "matrix_exp: |LAPACK");
    EXPECT_NULL(tm_matrix_power(x, 2), TM_ERR_NO_KERNEL, "matrix_power: |LAPACK");
    EXPECT_NULL(tm_lstsq(x, x, NULL).solution, TM_ERR_NO_KERNEL, "lstsq: |LAPACK");
    /* Neither do bad arguments become any others. */
    EXPECT_NULL(tm_inv(F32(TM_INTS(2), 1, 2)), TM_ERR_RANK, "x must have at least 2 dimensions");
    /* These do without. */
    EXPECT_F32(tm_matrix_norm(x, "fro", false), tm_no_ints, 8);
    EXPECT_F32(tm_cholesky(F32(TM_INTS(1, 1), 4), false), TM_INTS(1, 1), 2);
}
END_TEST
#endif

/* -- Sizes ------------------------------------------------------------------------------------- */

enum { LONG = 40000 }; /* its square is more than LAPACK's integers count */

static tm_tensor *large(void)
{
    return MADE(tm_expand(test_f32_scalar(1), TM_INTS(LONG, LONG)));
}

START_TEST(sizes_beyond_lapack_are_shape_errors)
{
    const int64_t huge = 3000000000;
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (int64_t[]){0, huge}));
    tm_tensor *square = MADE(tm_new(TM_FLOAT32, 2, (int64_t[]){0, 0}));
    tm_tensor *pivots = MADE(tm_new(TM_INT64, 1, (int64_t[]){0}));
    tm_tensor *rows = MADE(tm_new(TM_FLOAT32, 2, (int64_t[]){0, 2}));
    EXPECT_NULL(tm_qr(x, "reduced").q, TM_ERR_SHAPE,
                "qr: x is too large for LAPACK, got shape (0, 3000000000)");
    EXPECT_NULL(tm_lu_factor(x).lu, TM_ERR_SHAPE, "lu_factor: x is too large for LAPACK");
    EXPECT_NULL(tm_lu(x).p, TM_ERR_SHAPE, "lu: x is too large for LAPACK");
    EXPECT_NULL(tm_matrix_norm(x, "fro", false), TM_ERR_SHAPE, "x is too large for LAPACK");
    EXPECT_NULL(tm_solve(square, x), TM_ERR_SHAPE, "solve: x2 is too large for LAPACK");
    EXPECT_NULL(tm_triangular_solve(square, x, false, false, false), TM_ERR_SHAPE,
                "x2 is too large for LAPACK");
    EXPECT_NULL(tm_cholesky_solve(square, x, false), TM_ERR_SHAPE, "x2 is too large for LAPACK");
    EXPECT_NULL(tm_lu_solve(square, pivots, x, false), TM_ERR_SHAPE, "x2 is too large for LAPACK");
    EXPECT_NULL(tm_lstsq(rows, x, NULL).solution, TM_ERR_SHAPE, "x2 is too large for LAPACK");
    EXPECT_NULL(tm_lstsq(x, rows, NULL).solution, TM_ERR_SHAPE, "x1 is too large for LAPACK");
}
END_TEST

START_TEST(workspaces_beyond_lapack_are_shape_errors)
{
    tm_tensor *x = large();
    EXPECT_NULL(tm_eigh(x, false).eigenvalues, TM_ERR_SHAPE,
                "eigh: x is too large for LAPACK, got shape (40000, 40000)");
    EXPECT_NULL(tm_svd(x, true).u, TM_ERR_SHAPE, "svd: x is too large for LAPACK");
    EXPECT_NULL(tm_pinv(x, NULL), TM_ERR_SHAPE, "pinv: x is too large for LAPACK");
}
END_TEST

Suite *linalg_suite(void)
{
    const TTest *const tests[] = {
#ifdef TM_HAVE_LAPACK
        a_right_side_with_fewer_axes_stays_with_its_example,
        threads_do_not_disturb_each_other_in_blas,
#else
        without_lapack_a_kernel_says_so,
#endif
        sizes_beyond_lapack_are_shape_errors,
        workspaces_beyond_lapack_are_shape_errors,
    };
    return test_suite("linalg", tests, COUNT(tests));
}
