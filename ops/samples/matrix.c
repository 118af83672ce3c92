/* samples/matrix.c: functions of matrices and of 3-vectors; literal values by NumPy 1.24. */
#include "matrices.h"
#include "samples.h"

/* The factor is triangular with a positive diagonal, and L L^H (U^H U) is x. */
static bool is_factor(const tm_value *args, const tm_value *results)
{
    bool upper = args[1].b;
    for (int64_t at = 0; at < num_matrices(args[0].tensor); at++) {
        dense x = read_matrix(args[0].tensor, at), y = read_matrix(results[0].tensor, at);
        dense h = adjoint(&y), yy = upper ? product(&h, &y) : product(&y, &h);
        for (int64_t i = 0; i < y.rows; i++)
            for (int64_t j = 0; j < y.columns; j++) {
                bool beside = upper ? i > j : i < j;
                if ((beside && y.at[i][j] != 0) || (i == j && !(creal(y.at[i][i]) > 0)) ||
                    (i == j && cimag(y.at[i][i]) != 0))
                    return false;
            }
        if (!same(&yy, &x, tolerance_of(args[0].tensor)))
            return false;
    }
    return true;
}

/* Vectors along the last axis, of equal shape: the product is at right angles to both. */
static bool is_orthogonal(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    for (int64_t at = 0; at < tm_numel(y); at += 3)
        for (int k = 0; k < 2; k++) {
            double sum = 0;
            for (int64_t i = at; i < at + 3; i++)
                sum += value(y, i) * value(args[k].tensor, i);
            if (!close_to(sum, 0, 1e-5))
                return false;
        }
    return true;
}

static const tm_sample rows[] = {

    /* trace */
    TM_EXACT("trace", "f32[3,3]{1 2 3 4 5 6 7 8 10}", "f32[]{16}"),
    TM_EXACT("trace", "f32[3,3]{1 2 3 4 5 6 7 8 10}, 1", "f32[]{8}"),
    TM_EXACT("trace", "f32[3,3]{1 2 3 4 5 6 7 8 10}, -2", "f32[]{7}"),
    TM_EXACT("trace", "f32[3,3]{1 2 3 4 5 6 7 8 10}, 3", "f32[]{0}"),
    TM_EXACT("trace", "f32[3,3]{1 2 3 4 5 6 7 8 10}, -3", "f32[]{0}"),
    TM_EXACT("trace", "f64[2,4]{1 2 3 4 5 6 7 8.5}, 2", "f64[]{11.5}"),
    TM_EXACT("trace", "f32[2,2,3]{1 2 3 4 5 6 -1 -2 -3 0.5 0.25 0}, 1", "f32[2]{8 -2}"),
    TM_EXACT("trace", "i32[2,2]{2147483647 0 0 5}", "i64[]{2147483652}"),
    TM_EXACT("trace", "u8[2,2]{200 1 2 100}", "i64[]{300}"),
    TM_EXACT("trace", "b8[3,3]{1 0 0 0 1 1 1 1 1}", "i64[]{3}"),
    TM_EXACT("trace", "i64[2,2]{9223372036854775807 0 0 1}", "i64[]{-9223372036854775808}"),
    TM_EXACT("trace", "f32[0,3]{}", "f32[]{0}"),
    TM_EXACT("trace", "f32[2,0]{}", "f32[]{0}"),
    TM_EXACT("trace", "f32[0,2,2]{}", "f32[0]{}"),
    TM_EXACT("trace", "f32[1,1]{-2.5}", "f32[]{-2.5}"),
    TM_EXACT("trace", "f32[2,2]{nan 1 2 3}", "f32[]{nan}"),
    TM_EXACT("trace", "f32[2,2]{inf 1 2 -inf}", "f32[]{nan}"),
    TM_EXACT("trace", "f32[2,2]{1 nan nan 3}", "f32[]{4}"),
    TM_EXACT("trace", "f32[2,2]{1 2 3 4}, 9223372036854775807", "f32[]{0}"),
    TM_EXACT("trace", "f32[2,2]{1 2 3 4}, -9223372036854775808", "f32[]{0}"),
    TM_EXACT("trace", "i8[2,2]{127 0 0 127}", "i64[]{254}"),
    TM_EXACT("trace", "u32[2,2]{4294967295 0 0 1}", "i64[]{4294967296}"),
    TM_EXACT("trace", "u64[2,2]{18446744073709551615 0 0 3}", "u64[]{2}"),
    TM_EXACT("trace", "f16[3,3]{2048 0 0 0 1 0 0 0 1}", "f16[]{2050}"),
    TM_EXACT("trace", "bf16[2,2]{256 0 0 1}", "bf16[]{256}"),
    TM_EXACT("trace", "c64[2,2]{1+2j 0 0 3-5j}", "c64[]{4-3j}"),
    TM_EXACT("trace", "c128[1,2]{1 2j}, 1", "c128[]{2j}"),
    TM_LAW("trace", "c64[3,70]"),
    TM_LAW("trace", "f16[70,70]"),
    TM_LAW("trace", "i16[2,3,3], offset=-1"),
    TM_LAW("trace", "f32[3,4]"),
    TM_LAW("trace", "f64[2,5,5], -1"),
    TM_LAW("trace", "i32[4,3], offset=1"),
    TM_LAW("trace", "f32[4,4]~special"),
    TM_FAILS("trace", "f32[3]", "rank: x must have at least 2 dimensions, got shape (3,)"),
    TM_FAILS("trace", "f32[]", "rank: x must have at least 2 dimensions, got shape ()"),

    /* cross */
    TM_EXACT("cross", "f32[3]{1 2 3}, f32[3]{4 5 6}", "f32[3]{-3 6 -3}"),
    TM_EXACT("cross", "f64[3]{1 0 0}, f64[3]{0 1 0}", "f64[3]{0 0 1}"),
    TM_EXACT("cross", "f32[2,3]{1 2 3 4 5 6}, f32[3]{1 0 -1}", "f32[2,3]{-2 4 -2 -5 10 -5}"),
    TM_EXACT("cross", "f32[3]{1 0 -1}, f32[2,3]{1 2 3 4 5 6}", "f32[2,3]{2 -4 2 5 -10 5}"),
    TM_EXACT("cross", "f32[3,2]{1 2 3 4 5 6}, f32[3,2]{0 1 2 -1 5 0.5}, axis=0",
             "f32[3,2]{5 8 -5 5 2 -6}"),
    TM_EXACT("cross", "f32[3,2]{1 2 3 4 5 6}, f32[3,2]{0 1 2 -1 5 0.5}, axis=-2",
             "f32[3,2]{5 8 -5 5 2 -6}"),
    TM_EXACT("cross", "f32[2,1,3]{1 2 3 4 5 6}, f32[2,3]{1 1 0 0 1 1}",
             "f32[2,2,3]{-3 3 -1 -1 -1 1 -6 6 -1 -1 -4 4}"),
    TM_EXACT("cross", "f32[2,3,1]{1 2 3 4 5 6}, f32[3,2]{1 0 0 1 2 -1}, axis=1",
             "f32[2,3,2]{4 -5 1 1 -2 1 10 -11 -2 4 -5 4}"),
    TM_EXACT("cross", "i32[3]{2147483647 1 0}, i32[3]{0 2 2}", "i32[3]{2 2 -2}"),
    TM_EXACT("cross", "i64[3]{1 2 3}, i64[3]{-4 5 6}", "i64[3]{-3 -18 13}"),
    TM_EXACT("cross", "u8[3]{1 2 3}, u8[3]{4 5 6}", "u8[3]{253 6 253}"),
    TM_EXACT("cross", "i8[3]{100 1 0}, i8[3]{0 2 2}", "i8[3]{2 56 -56}"),
    TM_EXACT("cross", "u16[3]{65535 1 0}, u16[3]{0 65535 1}", "u16[3]{1 1 1}"),
    TM_EXACT("cross", "u64[3]{1 2 3}, u64[3]{4 5 6}",
             "u64[3]{18446744073709551613 6 18446744073709551613}"),
    TM_EXACT("cross", "f16[3]{1 2 3}, f16[3]{4 5 6}", "f16[3]{-3 6 -3}"),
    TM_EXACT("cross", "f16[3]{0 300 300}, f16[3]{0 301 300}", "f16[3]{-300 0 0}"),
    TM_EXACT("cross", "bf16[3]{1 0 0}, f16[3]{0 1 0}", "f32[3]{0 0 1}"),
    TM_EXACT("cross", "c64[3]{1j 0 0}, c64[3]{0 1j 2}", "c64[3]{0 -2j -1}"),
    TM_EXACT("cross", "c128[3]{1 2 3j}, f32[3]{4 5 6}", "c128[3]{12-15j -6+12j -3}"),
    TM_LAW("cross", "c64[4,3], c64[3]"),
    TM_LAW("cross", "f16[3,2], f16[3,2], axis=0"),
    TM_EXACT("cross", "i32[3]{1 2 3}, f32[3]{0.5 0 -1}", "f32[3]{-2 2.5 -1}"),
    TM_EXACT("cross", "u8[3]{1 2 3}, i32[3]{4 5 6}", "i32[3]{-3 6 -3}"),
    TM_EXACT("cross", "f32[3]{1 2 3}, f64[3]{0.5 0 -1}", "f64[3]{-2 2.5 -1}"),
    TM_EXACT("cross", "f32[0,3]{}, f32[3]{1 2 3}", "f32[0,3]{}"),
    TM_EXACT("cross", "f32[3]{nan 1 0}, f32[3]{1 inf 2}", "f32[3]{nan nan nan}"),
    TM_JUDGED("cross", "f32[4,3], f32[4,3]", is_orthogonal),
    TM_JUDGED("cross", "f64[2,2,3], f64[2,2,3]", is_orthogonal),
    TM_JUDGED("cross", "i32[5,3], i32[5,3]", is_orthogonal),
    TM_LAW("cross", "f32[2,3,4], f32[3,1], axis=-2"),
    TM_LAW("cross", "i64[3,2], f32[3,2], axis=0"),
    TM_LAW("cross", "f32[3,3]~special, f32[3]"),
    TM_FAILS("cross", "f32[2], f32[2]",
             "shape: x1 must have 3 elements along axis -1, got shape (2,)"),
    TM_FAILS("cross", "f32[3], f32[3,1]",
             "shape: x2 must have 3 elements along axis -1, got shape (3, 1)"),
    TM_FAILS("cross", "f32[3,2], f32[3,2]",
             "shape: x1 must have 3 elements along axis -1, got shape (3, 2)"),
    TM_FAILS("cross", "f32[3,3], f32[1,3], axis=0",
             "shape: x2 must have 3 elements along axis -2, got shape (1, 3)"),
    TM_FAILS("cross", "f32[3,3], f32[3], axis=0",
             "rank: x2 must have at least 2 dimensions, got shape (3,)"),
    TM_FAILS("cross", "f32[3], f32[3,3], axis=-2",
             "rank: x1 must have at least 2 dimensions, got shape (3,)"),
    TM_FAILS("cross", "f32[2,3], f32[4,3]",
             "shape: x2 must broadcast with shape (2, 3), got shape (4, 3)"),
    TM_FAILS("cross", "f32[3], f32[3], axis=1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_FAILS("cross", "f32[2,3], f32[3], axis=-3",
             "dim: axis -3 is out of range, must be in -2..1"),
    TM_FAILS("cross", "f32[], f32[]", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    TM_FAILS("cross", "b8[3], f32[3]", "dtype: x1 must have a numeric dtype, got bool"),
    TM_FAILS("cross", "f32[3], b8[3]", "dtype: x2 must have a numeric dtype, got bool"),

    /* cholesky */
    TM_NEAR("cholesky", "f32[2,2]{4 2 2 3}", "f32[2,2]{2 0 1 1.4142135}", 1e-6, 1e-6),
    TM_NEAR("cholesky", "f32[2,2]{4 2 2 3}, upper=True", "f32[2,2]{2 1 0 1.4142135}", 1e-6, 1e-6),
    TM_NEAR("cholesky", "f64[3,3]{4 12 -16 12 37 -43 -16 -43 98}", "f64[3,3]{2 0 0 6 1 0 -8 5 3}",
            1e-14, 1e-14),
    TM_NEAR("cholesky", "f64[3,3]{4 12 -16 12 37 -43 -16 -43 98}, upper=True",
            "f64[3,3]{2 6 -8 0 1 5 0 0 3}", 1e-14, 1e-14),
    TM_NEAR("cholesky", "f32[1,1]{9}", "f32[1,1]{3}", 1e-6, 1e-6),
    TM_NEAR("cholesky", "f32[2,2,2]{1 0 0 1 2 1 1 2}",
            "f32[2,2,2]{1 0 0 1 1.4142135 0 0.70710677 1.2247449}", 1e-6, 1e-6),

    /* ... reads one triangle */
    TM_NEAR("cholesky", "f32[2,2]{4 nan 2 3}", "f32[2,2]{2 0 1 1.4142135}", 1e-6, 1e-6),
    TM_NEAR("cholesky", "f32[2,2]{4 2 99 3}, upper=True", "f32[2,2]{2 1 0 1.4142135}", 1e-6, 1e-6),
    TM_EXACT("cholesky", "f32[0,0]{}", "f32[0,0]{}"),
    TM_EXACT("cholesky", "f64[0,2,2]{}", "f64[0,2,2]{}"),
    TM_JUDGED("cholesky", "f32[3,3]~spd", is_factor),
    TM_JUDGED("cholesky", "f64[4,4]~spd, upper=True", is_factor),
    TM_JUDGED("cholesky", "f32[2,5,5]~spd", is_factor),
    TM_JUDGED("cholesky", "f64[16,16]~spd", is_factor),
    TM_JUDGED("cholesky", "f32[24,24]~spd", is_factor),
    TM_EXACT("cholesky", "c64[2,2]{4 2-2j 2+2j 3}", "c64[2,2]{2 0 1+1j 1}"),
    TM_EXACT("cholesky", "c128[2,2]{4 2-2j nan 3}, upper=True", "c128[2,2]{2 1-1j 0 1}"),
    TM_JUDGED("cholesky", "c64[3,3]~spd, upper=True", is_factor),
    TM_JUDGED("cholesky", "c128[2,4,4]~spd", is_factor),

    /* ... by LAPACK */
    TM_JUDGED("cholesky", "f32[30,30]~spd", is_factor),
    TM_JUDGED("cholesky", "f64[27,27]~spd, upper=True", is_factor),
    TM_JUDGED("cholesky", "f64[2,25,25]~spd", is_factor),
    TM_JUDGED("cholesky", "c64[26,26]~spd, upper=True", is_factor),
    TM_JUDGED("cholesky", "c128[25,25]~spd", is_factor),

    TM_FAILS("cholesky", "f32[2,2]{1 2 2 1}",
             "numeric: x must be positive definite, but its leading minor of order 2 is not "
             "positive"),
    TM_FAILS("cholesky", "f64[2,2]{0 0 0 1}, upper=True",
             "numeric: x must be positive definite, but its leading minor of order 1 is not "
             "positive"),
    TM_FAILS("cholesky", "f32[2,2]{nan 0 0 1}",
             "numeric: x must be positive definite, but its leading minor of order 1 is not "
             "positive"),
    TM_FAILS("cholesky", "f32[3,3]{1 0 0 nan 1 0 0 0 1}",
             "numeric: x must be positive definite, but its leading minor of order 2 is not "
             "positive"),
    TM_FAILS("cholesky", "f32[2,2,2]{1 0 0 1 -1 0 0 1}",
             "numeric: x must be positive definite, but its leading minor of order 1 is not "
             "positive (at index (1,))"),
    TM_FAILS("cholesky", "f32[4]", "rank: x must have at least 2 dimensions, got shape (4,)"),
    TM_FAILS("cholesky", "f32[2,3]",
             "shape: x must be square in its last 2 dimensions, got shape (2, 3)"),
    TM_FAILS("cholesky", "f32[2,2,1]",
             "shape: x must be square in its last 2 dimensions, got shape (2, 2, 1)"),
    TM_FAILS("cholesky", "i32[2,2]",
             "dtype: x must be float32, float64, complex64 or complex128, got int32"),
    TM_FAILS("cholesky", "b8[2,2]",
             "dtype: x must be float32, float64, complex64 or complex128, got bool"),
    TM_FAILS("cholesky", "f16[2,2]",
             "dtype: x must be float32, float64, complex64 or complex128, got float16"),
};

TM_SAMPLES(matrix, rows);
