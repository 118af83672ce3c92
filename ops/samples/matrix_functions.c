/* samples/matrix_functions.c: values by hand and from closed forms, properties for the rest. */
#include "matrices.h"
#include "samples.h"

#ifdef TM_HAVE_LAPACK
static bool is_hermitian(const dense *a, double tolerance)
{
    dense h = adjoint(a);
    return same(&h, a, tolerance);
}

/* The Moore-Penrose conditions: x p x = x, p x p = p, x p and p x Hermitian. */
static bool is_pinv(const tm_value *args, const tm_value *results)
{
    double tolerance = 10 * tolerance_of(args[0].tensor);
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at), p = read_matrix(results[0].tensor, at);
        dense xp = product(&x, &p), px = product(&p, &x);
        dense xpx = product(&xp, &x), pxp = product(&px, &p);
        if (!same(&xpx, &x, tolerance) || !same(&pxp, &p, tolerance) ||
            !is_hermitian(&xp, tolerance) || !is_hermitian(&px, tolerance))
            return false;
    }
    return true;
}
#endif

#define REFUSALS(op, more)                                                                         \
    TM_FAILS(op, "f32[3]" more, "rank: x must have at least 2 dimensions, got shape (3,)"),        \
        TM_FAILS(op, "i64[2,2]" more,                                                              \
                 "dtype: x must be float32, float64, complex64 or complex128, got int64")
#define SQUARE(op, more)                                                                           \
    TM_FAILS(op, "f32[2,3]" more,                                                                  \
             "shape: x must be square in its last 2 dimensions, got shape (2, 3)")
#define NOT_FINITE(op, more)                                                                       \
    TM_FAILS(op, "f32[1,1]{nan}" more, "numeric: x must be finite, but has NaN or infinity")

static const tm_sample rows[] = {
    REFUSALS("pinv", ""),
    REFUSALS("matrix_rank", ""),
    REFUSALS("matrix_norm", ""),
    REFUSALS("matrix_norm.number", ", 1"),
    REFUSALS("matrix_power", ", 2"),
    SQUARE("matrix_power", ", 2"),
    REFUSALS("matrix_exp", ""),
    SQUARE("matrix_exp", ""),
    TM_FAILS("pinv.tensor", "i64[2,2], f32[]",
             "dtype: x must be float32, float64, complex64 or complex128, got int64"),
    TM_FAILS("matrix_rank.tensor", "i64[2,2], f32[]",
             "dtype: x must be float32, float64, complex64 or complex128, got int64"),
    TM_FAILS("pinv", "f32[2,2], rtol=nan", "value: rtol must be at least 0, got nan"),
    TM_FAILS("matrix_rank", "f32[2,2], rtol=-0.5", "value: rtol must be at least 0, got -0.5"),
    TM_FAILS("pinv.tensor", "f32[2,2], i64[]", "dtype: rtol must be float32 or float64, got int64"),
    TM_FAILS("matrix_rank.tensor", "f32[2,2], c64[]",
             "dtype: rtol must be float32 or float64, got complex64"),
    TM_FAILS("matrix_norm", "f32[2,2], 'max'", "value: ord must be 'fro' or 'nuc', got 'max'"),
    TM_FAILS("matrix_norm.number", "f32[2,2], 3",
             "value: ord must be 1, -1, 2, -2, inf or -inf, got 3"),
    TM_FAILS("matrix_norm.number", "f32[2,0], -1",
             "shape: x must not be empty for ord -1, got shape (2, 0)"),
    TM_FAILS("matrix_norm.number", "f32[0,2], -2",
             "shape: x must not be empty for ord -2, got shape (0, 2)"),
    TM_FAILS("matrix_norm.number", "f32[0,2], -inf",
             "shape: x must not be empty for ord -inf, got shape (0, 2)"),

    /* matrix_norm, of elements */
    TM_EXACT("matrix_norm", "f64[2,2]{1 2 2 4}", "f64[]{5}"),
    TM_EXACT("matrix_norm", "f32[2,1,1]{-3 4}", "f32[2]{3 4}"),
    TM_EXACT("matrix_norm", "c64[1,1]{3+4j}, keepdims=True", "f32[1,1]{5}"),
    TM_NEAR("matrix_norm", "f64[1,2]{3e200 4e200}", "f64[]{5e200}", 1e-15, 0),
    TM_EXACT("matrix_norm", "f32[0,2]", "f32[]{0}"),
    TM_EXACT("matrix_norm", "f32[2,2]{1 nan inf 1}", "f32[]{nan}"),
    TM_EXACT("matrix_norm", "f32[1,2]{1 -inf}", "f32[]{inf}"),
    TM_LAW("matrix_norm", "c128[2,3,2]"),
    TM_LAW("matrix_norm", "f32[3,3]~special"),
    TM_EXACT("matrix_norm.number", "f64[2,3]{1 -2 3 4 5 -6}, 1", "f64[]{9}"),
    TM_EXACT("matrix_norm.number", "f64[2,3]{1 -2 3 4 5 -6}, -1", "f64[]{5}"),
    TM_EXACT("matrix_norm.number", "f32[2,3]{1 -2 3 4 5 -6}, inf", "f32[]{15}"),
    TM_EXACT("matrix_norm.number", "f32[2,3]{1 -2 3 4 5 -6}, -inf, keepdims=True", "f32[1,1]{6}"),
    TM_EXACT("matrix_norm.number", "f32[0,2], 1", "f32[]{0}"),
    TM_EXACT("matrix_norm.number", "f32[1,2]{nan 1}, -1", "f32[]{nan}"),
    TM_LAW("matrix_norm.number", "c64[2,3,2], 1"),
#ifdef TM_HAVE_LAPACK
    /* ... of singular values */
    TM_NEAR("matrix_norm", "f64[2,2]{3 0 0 -4}, 'nuc'", "f64[]{7}", 1e-14, 0),
    TM_NEAR("matrix_norm.number", "f64[2,2]{3 0 0 -4}, 2", "f64[]{4}", 1e-14, 0),
    TM_NEAR("matrix_norm.number", "c64[2,2]{3 0 0 0+4j}, -2", "f32[]{3}", 1e-6, 0),
    TM_EXACT("matrix_norm.number", "f32[2,0], 2", "f32[]{0}"),
    TM_EXACT("matrix_norm", "f32[0,0], 'nuc'", "f32[]{0}"),
    TM_LAW("matrix_norm.number", "f64[2,3,2], 2, True"),
    NOT_FINITE("matrix_norm", ", 'nuc'"),
    NOT_FINITE("matrix_norm.number", ", 2"),

    /* pinv */
    TM_NEAR("pinv", "f64[2,2]{2 0 0 0}", "f64[2,2]{0.5 0 0 0}", 1e-14, 1e-14),
    TM_NEAR("pinv", "f64[1,2]{3 4}", "f64[2,1]{0.12 0.16}", 1e-14, 1e-14),
    TM_NEAR("pinv", "f64[2,2]{2 0 0 0.5}, rtol=0.3", "f64[2,2]{0.5 0 0 0}", 1e-14, 1e-14),
    TM_EXACT("pinv", "f32[2,0]", "f32[0,2]"),
    TM_EXACT("pinv", "f32[2,1]{0 0}", "f32[1,2]{0 0}"),
    TM_JUDGED("pinv", "f64[4,2]", is_pinv),
    TM_JUDGED("pinv", "f64[2,2,4]", is_pinv),
    TM_JUDGED("pinv", "c128[3,2]", is_pinv),
    TM_LAW("pinv", "f32[3,3]"),
    TM_LAW("pinv", "c64[2,3]"),
    NOT_FINITE("pinv", ""),
    TM_FAILS("pinv", "f32[2,2]{3e38 3e38 3e38 3e38}",
             "numeric: x is too large: its largest singular value overflows"),
    TM_NEAR("pinv.tensor", "f64[2,2]{2 0 0 0.5}, f32[2]{0.3 0.1}",
            "f64[2,2,2]{0.5 0 0 0 0.5 0 0 2}", 1e-14, 1e-14),
    TM_LAW("pinv.tensor", "f32[3,2], f64[2]~unit"),
    NOT_FINITE("pinv.tensor", ", f32[]{0}"),
    TM_FAILS("pinv.tensor", "f32[1,1]{1}, f32[]{-1}", "value: rtol must be at least 0, got -1"),

    /* matrix_rank */
    TM_EXACT("matrix_rank", "f64[2,2]{1 2 2 4}", "i64[]{1}"),
    TM_EXACT("matrix_rank", "f32[2,2,3]{1 0 0 0 1 0 0 0 0 0 0 0}", "i64[2]{2 0}"),
    TM_EXACT("matrix_rank", "f64[2,2]{1 0 0 0.1}, rtol=0.5", "i64[]{1}"),
    TM_EXACT("matrix_rank", "c64[0,3]", "i64[]{0}"),
    TM_EXACT("matrix_rank", "c128[2,2]{1 0+1j 0-1j 1}", "i64[]{1}"),
    TM_LAW("matrix_rank", "f32[2,3,3]"),
    NOT_FINITE("matrix_rank", ""),
    TM_FAILS("matrix_rank", "f64[2,2]{1e308 1e308 1e308 1e308}",
             "numeric: x is too large: its largest singular value overflows"),
    TM_EXACT("matrix_rank.tensor", "f64[2,2]{1 0 0 0.1}, f64[2]{0.5 0.05}", "i64[2]{1 2}"),
    TM_LAW("matrix_rank.tensor", "f32[2,3,3], f32[2]~unit"),
    NOT_FINITE("matrix_rank.tensor", ", f32[]{0}"),
    TM_FAILS("matrix_rank.tensor", "f32[1,1]{1}, f64[]{nan}",
             "value: rtol must be at least 0, got nan"),

    /* matrix_power */
    TM_EXACT("matrix_power", "f32[2,2]{1 1 0 1}, 5", "f32[2,2]{1 5 0 1}"),
    TM_EXACT("matrix_power", "f64[2,2]{0 1 1 1}, 10", "f64[2,2]{34 55 55 89}"),
    TM_EXACT("matrix_power", "f64[2,2]{1 1 0 1}, -3", "f64[2,2]{1 -3 0 1}"),
    TM_EXACT("matrix_power", "c64[1,1]{0+1j}, 3", "c64[1,1]{0-1j}"),
    TM_EXACT("matrix_power", "f32[2,2]{0 0 0 0}, 0", "f32[2,2]{1 0 0 1}"),
    TM_EXACT("matrix_power", "f32[0,0], -1", "f32[0,0]"),
    TM_EXACT("matrix_power", "f64[1,1]{-1}, -9223372036854775808", "f64[1,1]{1}"),
    TM_LAW("matrix_power", "f32[2,3,3], 3"),
    TM_LAW("matrix_power", "c128[3,3], 2"),
    TM_FAILS("matrix_power", "f64[2,2]{1 2 2 4}, -1",
             "numeric: x is singular: its pivot (1, 1) is zero"),
    NOT_FINITE("matrix_power", ", -1"),

    /* matrix_exp: nilpotent, a rotation by 2 radians, diagonal, and one that is scaled */
    TM_NEAR("matrix_exp", "f64[3,3]{0 2 1 0 0 4 0 0 0}", "f64[3,3]{1 2 5 0 1 4 0 0 1}", 1e-14,
            1e-14),
    TM_NEAR(
        "matrix_exp", "f64[2,2]{0 -2 2 0}",
        "f64[2,2]{-0.4161468365471424 -0.9092974268256817 0.9092974268256817 -0.4161468365471424}",
        1e-13, 1e-13),
    TM_NEAR("matrix_exp", "f32[2,2]{1 0 0 -1}", "f32[2,2]{2.7182817 0 0 0.36787945}", 1e-6, 1e-6),
    TM_NEAR("matrix_exp", "f64[1,1]{0.01}", "f64[1,1]{1.010050167084168}", 1e-14, 0),
    TM_NEAR("matrix_exp", "f64[1,1]{0.2}", "f64[1,1]{1.2214027581601699}", 1e-14, 0),
    TM_NEAR("matrix_exp", "f64[1,1]{0.9}", "f64[1,1]{2.45960311115695}", 1e-14, 0),
    TM_NEAR("matrix_exp", "f64[1,1]{5}", "f64[1,1]{148.4131591025766}", 1e-13, 0),
    TM_NEAR("matrix_exp", "f64[1,1]{20}", "f64[1,1]{485165195.4097903}", 1e-12, 0),
    TM_NEAR("matrix_exp", "f32[1,1]{0.25}", "f32[1,1]{1.2840254}", 1e-6, 0),
    TM_NEAR("matrix_exp", "f32[1,1]{10}", "f32[1,1]{22026.465}", 1e-5, 0),
    TM_NEAR("matrix_exp", "c128[1,1]{0+3.141592653589793j}", "c128[1,1]{-1}", 1e-13, 1e-13),
    TM_EXACT("matrix_exp", "f32[0,0]", "f32[0,0]"),
    TM_EXACT("matrix_exp", "c64[2,2]{0 0 0 0}", "c64[2,2]{1 0 0 1}"),
    TM_LAW("matrix_exp", "f32[2,3,3]"),
    TM_LAW("matrix_exp", "c64[3,3]"),
    TM_LAW("matrix_exp", "f64[4,4]"),
    NOT_FINITE("matrix_exp", ""),
    TM_FAILS("matrix_exp", "f64[2,2]{1e308 0 1e308 0}",
             "numeric: x is too large: its 1-norm overflows"),
#endif
};

TM_SAMPLES(matrix_functions, rows);
