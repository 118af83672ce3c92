/* samples/decompositions.c: factorisations; values by hand, properties for the rest. */
#include "matrices.h"
#include "samples.h"

#ifdef TM_HAVE_LAPACK
/* q r = x, q^H q = I, r upper triangular. */
static bool is_qr(const tm_value *args, const tm_value *results)
{
    double tolerance = tolerance_of(args[0].tensor);
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at);
        dense q = read_matrix(results[0].tensor, at), r = read_matrix(results[1].tensor, at);
        dense qr = product(&q, &r);
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t j = 0; j < i && j < r.columns; j++)
                if (r.at[i][j] != 0)
                    return false;
        if (!same(&qr, &x, tolerance) || !has_orthonormal_columns(&q, tolerance))
            return false;
    }
    return true;
}

/* A V = V diag(w) and V^H V = I, w ascending, where A is the lower or upper triangle of x and its
 * mirror image. */
static bool is_eigh(const tm_value *args, const tm_value *results)
{
    double tolerance = tolerance_of(args[0].tensor);
    bool upper = args[1].b;
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at), v = read_matrix(results[1].tensor, at);
        dense w = read_diagonal(results[0].tensor, at, x.rows, x.rows);
        for (int64_t i = 0; i < x.rows; i++) {
            x.at[i][i] = creal(x.at[i][i]);
            for (int64_t j = 0; j < i; j++)
                if (upper)
                    x.at[i][j] = conj(x.at[j][i]);
                else
                    x.at[j][i] = conj(x.at[i][j]);
            if (i > 0 && creal(w.at[i][i]) < creal(w.at[i - 1][i - 1]))
                return false;
        }
        dense xv = product(&x, &v), vw = product(&v, &w);
        if (!same(&xv, &vw, tolerance) || !has_orthonormal_columns(&v, tolerance))
            return false;
    }
    return true;
}

/* A V = V diag(w), columns of length 1. */
static bool is_eig(const tm_value *args, const tm_value *results)
{
    double tolerance = tolerance_of(args[0].tensor);
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at), v = read_matrix(results[1].tensor, at);
        dense w = read_diagonal(results[0].tensor, at, x.rows, x.rows);
        dense xv = product(&x, &v), vw = product(&v, &w);
        for (int64_t j = 0; j < x.rows; j++) {
            double squares = 0;
            for (int64_t i = 0; i < x.rows; i++)
                squares += creal(v.at[i][j] * conj(v.at[i][j]));
            if (!close_to(squares, 1, tolerance))
                return false;
        }
        if (!same(&xv, &vw, tolerance))
            return false;
    }
    return true;
}

/* u diag(s) vh = x, u and vh^H with orthonormal columns, s descending and not negative. */
static bool is_svd(const tm_value *args, const tm_value *results)
{
    double tolerance = tolerance_of(args[0].tensor);
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at);
        dense u = read_matrix(results[0].tensor, at), vh = read_matrix(results[2].tensor, at);
        dense s = read_diagonal(results[1].tensor, at, u.columns, vh.rows);
        dense us = product(&u, &s), usv = product(&us, &vh), v = adjoint(&vh);
        for (int64_t i = 0; i < tm_size(results[1].tensor, -1); i++)
            if (creal(s.at[i][i]) < 0 || (i > 0 && creal(s.at[i][i]) > creal(s.at[i - 1][i - 1])))
                return false;
        if (!same(&usv, &x, tolerance) || !has_orthonormal_columns(&u, tolerance) ||
            !has_orthonormal_columns(&v, tolerance))
            return false;
    }
    return true;
}
#endif

#define REFUSALS(op)                                                                               \
    TM_FAILS(op, "f32[3]", "rank: x must have at least 2 dimensions, got shape (3,)"),             \
        TM_FAILS(op, "i32[2,2]",                                                                   \
                 "dtype: x must be float32, float64, complex64 or complex128, got int32"),         \
        TM_FAILS(op, "f16[2,2]",                                                                   \
                 "dtype: x must be float32, float64, complex64 or complex128, got float16")
#define SQUARE_REFUSALS(op)                                                                        \
    REFUSALS(op), TM_FAILS(op, "f32[2,3]",                                                         \
                           "shape: x must be square in its last 2 dimensions, got shape (2, 3)")
#define NOT_FINITE(op)                                                                             \
    TM_FAILS(op, "f32[2,2]{1 nan nan 1}", "numeric: x must be finite, but has NaN or infinity"),   \
        TM_FAILS(op, "c128[2,2,2]{1 0 0 1 1 inf inf 1}",                                           \
                 "numeric: x must be finite, but has NaN or infinity (at index (1,))")

static const tm_sample rows[] = {
    SQUARE_REFUSALS("eigh"),
    SQUARE_REFUSALS("eigvalsh"),
    SQUARE_REFUSALS("eig"),
    SQUARE_REFUSALS("eigvals"),
    REFUSALS("qr"),
    REFUSALS("svd"),
    REFUSALS("svdvals"),
    TM_FAILS("qr", "f32[2,2], 'raw'", "value: mode must be 'reduced' or 'complete', got 'raw'"),
#ifdef TM_HAVE_LAPACK
    NOT_FINITE("qr"),
    NOT_FINITE("eigh"),
    NOT_FINITE("eigvalsh"),
    NOT_FINITE("eig"),
    NOT_FINITE("eigvals"),
    NOT_FINITE("svd"),
    NOT_FINITE("svdvals"),

    /* qr */
    TM_NEAR("qr", "f64[2,2]{3 1 4 2}", "f64[2,2]{-0.6 -0.8 -0.8 0.6}, f64[2,2]{-5 -2.2 0 0.4}",
            1e-14, 1e-14),
    TM_EXACT("qr", "f32[0,2]", "f32[0,0], f32[0,2]"),
    TM_EXACT("qr", "f32[2,0]", "f32[2,0], f32[0,0]"),
    TM_EXACT("qr", "f32[2,0], mode='complete'", "f32[2,2]{1 0 0 1}, f32[2,0]"),
    TM_JUDGED("qr", "f32[3,3]", is_qr),
    TM_JUDGED("qr", "f64[5,3]", is_qr),
    TM_JUDGED("qr", "f64[3,5]", is_qr),
    TM_JUDGED("qr", "c64[4,2], 'complete'", is_qr),
    TM_JUDGED("qr", "c128[2,3,3]", is_qr),
    TM_JUDGED("qr", "f32[5,2], 'complete'", is_qr),
    TM_JUDGED("qr", "f64[40,36]", is_qr),
    TM_JUDGED("qr", "f64[1,1]", is_qr),

    /* eigh, eigvalsh */
    TM_NEAR("eigvalsh", "f64[2,2]{2 1 1 2}", "f64[2]{1 3}", 1e-14, 1e-14),
    TM_NEAR("eigvalsh", "c64[2,2]{1 0-1j 0+1j 1}", "f32[2]{0 2}", 1e-6, 1e-6),
    TM_NEAR("eigvalsh", "f32[2,2]{2 nan 1 2}", "f32[2]{1 3}", 1e-6, 1e-6),
    TM_NEAR("eigvalsh", "f32[2,2]{2 1 nan 2}, upper=True", "f32[2]{1 3}", 1e-6, 1e-6),
    TM_EXACT("eigvalsh", "f32[3,3]{3 0 0 0 1 0 0 0 2}", "f32[3]{1 2 3}"),
    TM_EXACT("eigvalsh", "f64[0,0]", "f64[0]"),
    TM_EXACT("eigvalsh", "c64[1,1]{2+5j}", "f32[1]{2}"),
    TM_LAW("eigvalsh", "f64[2,4,4]"),
    TM_EXACT("eigh", "f64[0,0]", "f64[0], f64[0,0]"),
    TM_EXACT("eigh", "f32[1,1]{-3}", "f32[1]{-3}, f32[1,1]{1}"),
    TM_JUDGED("eigh", "f32[3,3]", is_eigh),
    TM_JUDGED("eigh", "f64[4,4], upper=True", is_eigh),
    TM_JUDGED("eigh", "c64[3,3]", is_eigh),
    TM_JUDGED("eigh", "c128[2,3,3], True", is_eigh),
    TM_JUDGED("eigh", "f64[40,40]", is_eigh),
    TM_JUDGED("eigh", "f32[2,2]{2 nan 1 2}", NULL),

    /* eig, eigvals: a rotation has the eigenvalues i and -i */
    TM_NEAR("eigvals", "f64[2,2]{0 -1 1 0}", "c128[2]{0+1j 0-1j}", 1e-14, 1e-14),
    TM_EXACT("eigvals", "f32[2,2]{1 5 0 2}", "c64[2]{1 2}"),
    TM_EXACT("eigvals", "c64[2,2]{1+1j 5 0 2}", "c64[2]{1+1j 2}"),
    TM_EXACT("eigvals", "f32[0,0]", "c64[0]"),
    TM_EXACT("eigvals", "f64[1,1]{-3}", "c128[1]{-3}"),
    TM_LAW("eigvals", "f64[2,4,4]"),
    TM_LAW("eigvals", "c64[3,3]"),
    TM_EXACT("eig", "f32[2,2]{1 0 0 2}", "c64[2]{1 2}, c64[2,2]{1 0 0 1}"),
    TM_EXACT("eig", "f64[0,0]", "c128[0], c128[0,0]"),
    TM_JUDGED("eig", "f64[2,2]{0 -1 1 0}", is_eig),
    TM_JUDGED("eig", "f32[3,3]", is_eig),
    TM_JUDGED("eig", "f64[5,5]", is_eig),
    TM_JUDGED("eig", "c64[3,3]", is_eig),
    TM_JUDGED("eig", "c128[2,4,4]", is_eig),
    TM_JUDGED("eig", "f64[40,40]", is_eig),

    /* svd, svdvals */
    TM_NEAR("svdvals", "f64[2,2]{3 0 0 -4}", "f64[2]{4 3}", 1e-14, 1e-14),
    TM_NEAR("svdvals", "c64[1,2]{3 0+4j}", "f32[1]{5}", 1e-6, 1e-6),
    TM_EXACT("svdvals", "f32[0,3]", "f32[0]"),
    TM_LAW("svdvals", "f32[2,4,3]"),
    TM_LAW("svdvals", "c128[3,4]"),
    TM_EXACT("svd", "f64[0,2]", "f64[0,0], f64[0], f64[2,2]{1 0 0 1}"),
    TM_EXACT("svd", "f64[2,0]", "f64[2,2]{1 0 0 1}, f64[0], f64[0,0]"),
    TM_EXACT("svd", "f64[2,0], False", "f64[2,0], f64[0], f64[0,0]"),
    TM_JUDGED("svd", "f32[3,3]", is_svd),
    TM_JUDGED("svd", "f64[4,2]", is_svd),
    TM_JUDGED("svd", "f64[2,4]", is_svd),
    TM_JUDGED("svd", "f32[2,5,2], False", is_svd),
    TM_JUDGED("svd", "c64[3,4], full_matrices=False", is_svd),
    TM_JUDGED("svd", "c128[4,3]", is_svd),
    TM_JUDGED("svd", "c128[1,1]", is_svd),
    TM_JUDGED("svd", "f64[40,30]", is_svd),
    TM_JUDGED("svd", "f32[12,2]", is_svd),
    TM_JUDGED("svd", "c64[2,12]", is_svd),
#endif
};

TM_SAMPLES(decompositions, rows);
