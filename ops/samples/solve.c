/* samples/solve.c: systems, inverses and determinants; values by hand, properties for the rest. */
#include "matrices.h"
#include "samples.h"

#ifdef TM_HAVE_LAPACK
/* x1 X = x2; equal leading dimensions. */
static bool is_solution(const tm_value *args, const tm_value *results)
{
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense a = read_matrix(args[0].tensor, at), b = read_matrix(args[1].tensor, at);
        dense x = read_matrix(results[0].tensor, at), ax = product(&a, &x);
        if (!same(&ax, &b, tolerance_of(results[0].tensor)))
            return false;
    }
    return true;
}

/* X x = I. The matrices are well-conditioned. */
static bool is_inverse(const tm_value *args, const tm_value *results)
{
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense a = read_matrix(args[0].tensor, at), b = read_matrix(results[0].tensor, at);
        dense ba = product(&b, &a), one = identity(a.rows);
        if (!same(&ba, &one, tolerance_of(args[0].tensor)))
            return false;
    }
    return true;
}

/* p l u = x, p of ones and zeros, l unit lower triangular, u upper triangular. */
static bool is_lu(const tm_value *args, const tm_value *results)
{
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at), p = read_matrix(results[0].tensor, at);
        dense l = read_matrix(results[1].tensor, at), u = read_matrix(results[2].tensor, at);
        dense pl = product(&p, &l), plu = product(&pl, &u);
        for (int64_t i = 0; i < l.rows; i++)
            for (int64_t j = 0; j < l.columns; j++)
                if (i == j ? l.at[i][j] != 1 : (j > i && l.at[i][j] != 0))
                    return false;
        for (int64_t i = 0; i < u.rows; i++)
            for (int64_t j = 0; j < i && j < u.columns; j++)
                if (u.at[i][j] != 0)
                    return false;
        if (!has_orthonormal_columns(&p, 0) || !same(&plu, &x, tolerance_of(args[0].tensor)))
            return false;
    }
    return true;
}

/* The normal equations: x1^H (x1 X - x2) = 0. */
static bool is_least(const tm_value *args, const tm_value *results)
{
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense a = read_matrix(args[0].tensor, at), b = read_matrix(args[1].tensor, at);
        dense x = read_matrix(results[0].tensor, at), h = adjoint(&a);
        dense ax = product(&a, &x), hax = product(&h, &ax), hb = product(&h, &b);
        if (!same(&hax, &hb, 10 * tolerance_of(results[0].tensor)))
            return false;
    }
    return true;
}
#endif

#define REFUSALS(op, name, more)                                                                   \
    TM_FAILS(op, "i32[2,2]" more,                                                                  \
             "dtype: " name " must be float32, float64, complex64 or complex128, got int32"),      \
        TM_FAILS(op, "bf16[2,2]" more,                                                             \
                 "dtype: " name                                                                    \
                 " must be float32, float64, complex64 or complex128, got bfloat16")
#define RANK(op) TM_FAILS(op, "f32[3]", "rank: x must have at least 2 dimensions, got shape (3,)")
#define SQUARE(op)                                                                                 \
    TM_FAILS(op, "f32[2,3]", "shape: x must be square in its last 2 dimensions, got shape (2, 3)")
#define SYSTEM(op)                                                                                 \
    REFUSALS(op, "x1", ", f32[2]"),                                                                \
        TM_FAILS(op, "f32[2,2], i64[2]",                                                           \
                 "dtype: x2 must be float32, float64, complex64 or complex128, got int64"),        \
        TM_FAILS(op, "f32[2,3], f32[2]",                                                           \
                 "shape: x1 has size 3 in its core dimension n, but x1 has 2 (signature "          \
                 "(n,n),(n,k?)->(n,k?))")
#define NOT_FINITE(op)                                                                             \
    TM_FAILS(op, "f32[2,2]{1 nan 0 1}", "numeric: x must be finite, but has NaN or infinity")

static const tm_sample rows[] = {
    SYSTEM("solve"),
    SYSTEM("triangular_solve"),
    SYSTEM("cholesky_solve"),
    REFUSALS("inv", "x", ""),
    RANK("inv"),
    SQUARE("inv"),
    REFUSALS("det", "x", ""),
    RANK("det"),
    SQUARE("det"),
    REFUSALS("slogdet", "x", ""),
    RANK("slogdet"),
    SQUARE("slogdet"),
    REFUSALS("lu_factor", "x", ""),
    RANK("lu_factor"),
    REFUSALS("lu", "x", ""),
    RANK("lu"),
    REFUSALS("lu_solve", "lu", ", i64[2], f32[2]"),
    TM_FAILS("lu_solve", "f32[2,2], i32[2], f32[2]", "dtype: pivots must be int64, got int32"),
    REFUSALS("lstsq", "x1", ", f32[2]"),
    TM_FAILS("lstsq", "f32[3], f32[3]", "rank: x1 must have at least 2 dimensions, got shape (3,)"),
    TM_FAILS("lstsq", "f32[2,2], i64[2]",
             "dtype: x2 must be float32, float64, complex64 or complex128, got int64"),
    TM_FAILS("lstsq", "f32[2,2], f32[]", "rank: x2 must have at least 1 dimension, got shape ()"),
    TM_FAILS("lstsq", "f32[2,2], f32[2], rtol=-1", "value: rtol must be at least 0, got -1"),
    TM_FAILS("lstsq", "f32[3,2], f32[2]",
             "shape: x2 must have as many rows as x1, 3, got shape (2,)"),
    TM_FAILS("lstsq", "f32[2,3,2], f32[3,3,1]",
             "shape: the leading dimensions of x2 must broadcast with those of x1, got shapes "
             "(3, 3, 1) and (2, 3, 2)"),
#ifdef TM_HAVE_LAPACK
    /* solve */
    TM_EXACT("solve", "f64[2,2]{2 1 1 1}, f64[2]{3 2}", "f64[2]{1 1}"),
    TM_EXACT("solve", "f32[2,2]{0 1 1 0}, f32[2,3]{1 2 3 4 5 6}", "f32[2,3]{4 5 6 1 2 3}"),
    /* ... the leading axis of x2 is one of matrices */
    TM_EXACT("solve", "f64[2,2,2]{1 0 0 1 2 0 0 2}, f64[2,1]{12 24}", "f64[2,2,1]{12 24 6 12}"),
    TM_EXACT("solve", "f32[1,1]{4}, f64[1]{2}", "f64[1]{0.5}"),
    TM_EXACT("solve", "c64[1,1]{0+1j}, c64[1,1]{2}", "c64[1,1]{0-2j}"),
    TM_EXACT("solve", "f32[0,0], f32[0]", "f32[0]"),
    TM_EXACT("solve", "f32[2,2]{1 0 0 1}, f32[2,0]", "f32[2,0]"),
    TM_EXACT("solve", "f32[1,1]{2}, f32[1]{nan}", "f32[1]{nan}"),
    TM_JUDGED("solve", "f64[4,4]~spd, f64[4,2]", is_solution),
    TM_JUDGED("solve", "f32[2,3,3]~spd, f32[2,3,1]", is_solution),
    TM_JUDGED("solve", "f64[40,40]~spd, f64[40]", is_solution),
    TM_LAW("solve", "c128[3,3], c128[3]"),
    TM_LAW("solve", "f64[2,3,3], f64[3]"),
    TM_FAILS("solve", "f64[3,3]{1 2 3 2 4 6 1 1 1}, f64[3]",
             "numeric: x1 is singular: its pivot (2, 2) is zero"),
    TM_FAILS("solve", "f32[2,2,2]{1 0 0 1 0 0 0 0}, f32[2]",
             "numeric: x1 is singular: its pivot (0, 0) is zero (at index (1,))"),
    TM_FAILS("solve", "f32[1,1]{nan}, f32[1]",
             "numeric: x1 must be finite, but has NaN or infinity"),

    /* inv */
    TM_NEAR("inv", "f64[2,2]{4 7 2 6}", "f64[2,2]{0.6 -0.7 -0.2 0.4}", 1e-14, 1e-14),
    TM_EXACT("inv", "f32[2,2]{2 2 0 4}", "f32[2,2]{0.5 -0.25 0 0.25}"),
    TM_EXACT("inv", "f32[0,0]", "f32[0,0]"),
    TM_EXACT("inv", "c64[1,1]{0+2j}", "c64[1,1]{0-0.5j}"),
    TM_JUDGED("inv", "f32[5,5]~spd", is_inverse),
    TM_JUDGED("inv", "f64[2,3,3]~spd", is_inverse),
    TM_JUDGED("inv", "f64[40,40]~spd", is_inverse),
    TM_LAW("inv", "c128[3,3]"),
    TM_LAW("inv", "c64[2,2]"),
    TM_FAILS("inv", "f64[2,2]{1 2 2 4}", "numeric: x is singular: its pivot (1, 1) is zero"),
    NOT_FINITE("inv"),

    /* det, slogdet */
    TM_EXACT("det", "f64[2,2]{0 1 1 0}", "f64[]{-1}"),
    TM_EXACT("det", "f32[2,2]{2 1 1 3}", "f32[]{5}"),
    TM_EXACT("det", "f64[3,3]{2 5 7 0 3 8 0 0 4}", "f64[]{24}"),
    TM_EXACT("det", "f32[2,1,1]{7 -2}", "f32[2]{7 -2}"),
    TM_EXACT("det", "f32[0,0]", "f32[]{1}"),
    TM_EXACT("det", "c64[2,2]{0+1j 0 0 0+1j}", "c64[]{-1}"),
    TM_EXACT("det", "f64[2,2]{1 2 2 4}", "f64[]{0}"),
    TM_LAW("det", "f64[2,4,4]"),
    TM_LAW("det", "c128[3,3]"),
    NOT_FINITE("det"),
    TM_NEAR("slogdet", "f64[2,2]{0 2 2 0}", "f64[]{-1}, f64[]{1.3862943611198906}", 1e-14, 0),
    TM_EXACT("slogdet", "f64[2,2]{1 2 2 4}", "f64[]{0}, f64[]{-inf}"),
    TM_EXACT("slogdet", "c64[1,1]{0-1j}", "c64[]{0-1j}, f32[]{0}"),
    TM_EXACT("slogdet", "f32[0,0]", "f32[]{1}, f32[]{0}"),
    TM_LAW("slogdet", "f32[2,3,3]"),
    TM_LAW("slogdet", "c128[3,3]"),
    NOT_FINITE("slogdet"),

    /* triangular_solve */
    TM_EXACT("triangular_solve", "f64[2,2]{2 nan 1 4}, f64[2]{2 5}", "f64[2]{1 1}"),
    TM_EXACT("triangular_solve", "f64[2,2]{2 1 nan 4}, f64[2]{3 4}, upper=True", "f64[2]{1 1}"),
    TM_EXACT("triangular_solve", "f32[2,2]{2 nan 1 4}, f32[2,1]{3 4}, transpose=True",
             "f32[2,1]{1 1}"),
    TM_EXACT("triangular_solve", "f32[2,2]{nan nan 1 nan}, f32[2]{3 4}, unit_diagonal=True",
             "f32[2]{3 1}"),
    TM_EXACT("triangular_solve", "c64[1,1]{0+1j}, c64[1]{1}, transpose=True", "c64[1]{0-1j}"),
    TM_EXACT("triangular_solve", "f32[0,0], f32[0,2]", "f32[0,2]"),
    TM_LAW("triangular_solve", "f64[2,3,3], f64[3,2], True, True"),
    TM_FAILS("triangular_solve", "f64[2,2]{1 0 0 0}, f64[2]",
             "numeric: x1 is singular: its pivot (1, 1) is zero"),

    /* cholesky_solve: (2 0; 1 1) is the factor of (4 2; 2 2) */
    TM_EXACT("cholesky_solve", "f64[2,2]{2 nan 1 1}, f64[2]{6 4}", "f64[2]{1 1}"),
    TM_EXACT("cholesky_solve", "f32[2,2]{2 1 nan 1}, f32[2,1]{6 4}, upper=True", "f32[2,1]{1 1}"),
    TM_EXACT("cholesky_solve", "c128[2,2]{1 0 0+1j 1}, c128[2]{1 0+1j}", "c128[2]{1 0}"),
    TM_EXACT("cholesky_solve", "f64[0,0], f64[0]", "f64[0]"),
    TM_LAW("cholesky_solve", "f32[2,3,3], f32[3,2]"),
    TM_FAILS("cholesky_solve", "f64[2,2]{0 0 1 1}, f64[2]",
             "numeric: x1 is singular: its pivot (0, 0) is zero"),

    /* lu_factor, lu_solve, lu */
    TM_EXACT("lu_factor", "f64[2,2]{1 2 2 8}", "f64[2,2]{2 8 0.5 -2}, i64[2]{1 1}"),
    TM_EXACT("lu_factor", "f32[2,3]{1 0 2 0 4 1}", "f32[2,3]{1 0 2 0 4 1}, i64[2]{0 1}"),
    TM_EXACT("lu_factor", "c64[2,1]{1 0+2j}", "c64[2,1]{0+2j 0-0.5j}, i64[1]{1}"),
    TM_EXACT("lu_factor", "f32[2,2]{0 0 0 0}", "f32[2,2]{0 0 0 0}, i64[2]{0 1}"),
    TM_EXACT("lu_factor", "f32[0,2]", "f32[0,2], i64[0]"),
    TM_LAW("lu_factor", "f64[2,4,3]"),
    NOT_FINITE("lu_factor"),
    TM_EXACT("lu_solve", "f64[2,2]{2 8 0.5 -2}, i64[2]{1 1}, f64[2]{3 10}", "f64[2]{1 1}"),
    TM_EXACT("lu_solve", "f64[2,2]{2 8 0.5 -2}, i64[2]{1 1}, f64[2,1]{3 10}, transpose=True",
             "f64[2,1]{1 1}"),
    TM_EXACT("lu_solve", "f64[0,0], i64[0], f64[0]", "f64[0]"),
    TM_LAW("lu_solve", "f32[2,3,3], i64[3]~index(3), f32[3,2]"),
    TM_LAW("lu_solve", "c64[2,2], i64[2]~index(2), c64[2]"),
    TM_FAILS("lu_solve", "f64[2,2]{1 0 0 1}, i64[2]{0 2}, f64[2]",
             "index: pivots must be in 0..1, got 2 at index (1,)"),
    TM_FAILS("lu_solve", "f64[2,2]{1 0 0 0}, i64[2]{0 1}, f64[2]",
             "numeric: lu is singular: its pivot (1, 1) is zero"),
    TM_EXACT("lu", "f64[2,2]{1 2 2 8}",
             "f64[2,2]{0 1 1 0}, f64[2,2]{1 0 0.5 1}, f64[2,2]{2 8 0 -2}"),
    TM_EXACT("lu", "f64[0,2]", "f64[0,0], f64[0,0], f64[0,2]"),
    TM_JUDGED("lu", "f32[4,3]", is_lu),
    TM_JUDGED("lu", "f64[3,5]", is_lu),
    TM_JUDGED("lu", "c128[2,3,3]", is_lu),
    TM_JUDGED("lu", "c64[3,3]", is_lu),
    NOT_FINITE("lu"),

    /* lstsq: the mean of two observations, a line through three points, the shortest of many */
    TM_NEAR("lstsq", "f64[2,1]{1 1}, f64[2]{1 3}",
            "f64[1]{2}, f64[]{2}, i64[]{1}, f64[1]{1.4142135623730951}", 1e-14, 1e-14),
    TM_NEAR("lstsq", "f64[3,2]{1 0 1 1 1 2}, f64[3,1]{1 2 3}",
            "f64[2,1]{1 1}, f64[1]{0}, i64[]{2}, f64[2]{2.6762432 0.91527175}", 1e-7, 1e-13),
    TM_NEAR("lstsq", "f32[1,2]{1 1}, f32[1]{2}",
            "f32[2]{1 1}, f32[]{0}, i64[]{1}, f32[1]{1.4142135}", 1e-6, 1e-6),
    TM_NEAR("lstsq", "f64[2,2]{1 0 0 0.1}, f64[2]{1 1}, rtol=0.5",
            "f64[2]{1 0}, f64[]{1}, i64[]{1}, f64[2]{1 0.1}", 1e-14, 1e-14),
    TM_EXACT("lstsq", "f32[0,2], f32[0,1]", "f32[2,1]{0 0}, f32[1]{0}, i64[]{0}, f32[0]"),
    TM_JUDGED("lstsq", "f64[5,3], f64[5,2]", is_least),
    TM_JUDGED("lstsq", "c128[4,2], c128[4]", is_least),
    TM_JUDGED("lstsq", "f64[2,2,4], f64[2,2,1]", is_least),
    TM_LAW("lstsq", "f32[2,4,2], f32[4]"),
    TM_LAW("lstsq", "c64[3,2], c64[2,3,2]"),
    TM_FAILS("lstsq", "f32[2,2]{3e38 3e38 3e38 3e38}, f32[2]",
             "numeric: x1 is too large: its largest singular value overflows"),
    TM_FAILS("lstsq", "f32[1,1]{inf}, f32[1]",
             "numeric: x1 must be finite, but has NaN or infinity"),
#endif
};

TM_SAMPLES(solve, rows);
