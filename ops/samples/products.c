/* samples/products.c: matmul; literal values by NumPy 1.24. */
#include "reading.h"
#include "samples.h"

/* The flat index, in an operand, of its loop element for the loop index `flat` of `loop`: sizes 1
 * and absent dimensions stand still. `core` trailing dimensions are the operand's own. */
static int64_t loop_offset(const tm_tensor *x, int core, const tm_tensor *out, int out_core,
                           int64_t flat)
{
    int loops = tm_ndim(out) - out_core;
    int64_t at = 0, step = 1;
    for (int d = tm_ndim(x) - 1; d >= 0; d--) {
        int64_t size = tm_shape(x)[d];
        if (d < tm_ndim(x) - core) {
            int64_t rest = flat;
            int from_end = tm_ndim(x) - core - d;
            for (int k = 1; k < from_end; k++)
                rest /= tm_shape(out)[loops - k];
            at += (size == 1 ? 0 : rest % tm_shape(out)[loops - from_end]) * step;
        }
        step *= size;
    }
    return at;
}

/* Every element is the sum it should be, computed here in float64 one product after another. */
static bool is_product(const tm_value *args, const tm_value *results)
{
    const tm_tensor *a = args[0].tensor, *b = args[1].tensor, *c = results[0].tensor;
    int a_core = tm_ndim(a) > 1 ? 2 : 1, b_core = tm_ndim(b) > 1 ? 2 : 1;
    int64_t m = a_core == 2 ? tm_size(a, -2) : 1, n = tm_size(a, -1);
    int64_t p = b_core == 2 ? tm_size(b, -1) : 1;
    int c_core = a_core + b_core - 2;
    double unit = tm_dtype_of(c) == TM_FLOAT64 ? 1e-14 : 1e-5;
    for (int64_t flat = 0; flat < tm_numel(c); flat++) {
        int64_t loop = flat / (m * p), i = flat / p % m, j = flat % p;
        int64_t a_at = loop_offset(a, a_core, c, c_core, loop) + i * n;
        int64_t b_at = loop_offset(b, b_core, c, c_core, loop) + j;
        double sum = 0, scale = 1;
        for (int64_t k = 0; k < n; k++) {
            double product = value(a, a_at + k) * value(b, b_at + k * p);
            sum += product;
            scale += fabs(product);
        }
        if (!close_to(value(c, flat), sum, unit * scale))
            return false;
    }
    return true;
}

static const tm_sample rows[] = {

    /* vectors and matrices */
    TM_EXACT("matmul", "f32[2,3]{1 2 3 4 5 6}, f32[3,2]{7 8 9 10 11 12}",
             "f32[2,2]{58 64 139 154}"),
    TM_EXACT("matmul", "f64[2,3]{1 2 3 4 5 6}, f64[3,2]{7 8 9 10 11 12}",
             "f64[2,2]{58 64 139 154}"),
    TM_EXACT("matmul", "f32[3]{1 2 3}, f32[3]{4 5 6}", "f32[]{32}"),
    TM_EXACT("matmul", "f32[3]{1 -2 3}, f32[3,2]{1 2 3 4 5 6}", "f32[2]{10 12}"),
    TM_EXACT("matmul", "f32[2,3]{1 2 3 4 5 6}, f32[3]{1 0 -1}", "f32[2]{-2 -2}"),
    TM_EXACT("matmul", "f32[2,2,3]{1 2 3 4 5 6 -1 -2 -3 0.5 0.25 0}, f32[3]{1 0 -1}",
             "f32[2,2]{-2 -2 2 0.5}"),
    TM_EXACT("matmul", "f32[2]{2 -1}, f32[2,2,3]{1 2 3 4 5 6 -1 -2 -3 0.5 0.25 0}",
             "f32[2,3]{-2 -1 0 -2.5 -4.25 -6}"),
    TM_EXACT("matmul", "f32[2,2,3]{1 2 3 4 5 6 -1 -2 -3 0.5 0.25 0}, f32[3,2]{1 2 3 4 5 6}",
             "f32[2,2,2]{22 28 49 64 -22 -28 1.25 2}"),
    TM_EXACT("matmul",
             "f32[2,2,3]{1 2 3 4 5 6 -1 -2 -3 0.5 0.25 0}, f32[2,3,2]{0 1 2 3 4 5 6 7 8 9 10 11}",
             "f32[2,2,2]{16 22 34 49 -52 -58 5 5.75}"),
    TM_EXACT("matmul", "f32[2,1,1,2]{1 2 3 4}, f32[3,2,1]{1 1 2 0 0 5}",
             "f32[2,3,1,1]{3 2 10 7 6 20}"),
    TM_EXACT("matmul", "f32[1,1]{3}, f32[1,1]{-0.5}", "f32[1,1]{-1.5}"),
    TM_EXACT("matmul", "f32[2,0]{}, f32[0,3]{}", "f32[2,3]{0 0 0 0 0 0}"),
    TM_EXACT("matmul", "f32[0,3]{}, f32[3,2]{1 2 3 4 5 6}", "f32[0,2]{}"),
    TM_EXACT("matmul", "f32[3,2]{1 2 3 4 5 6}, f32[2,0]{}", "f32[3,0]{}"),
    TM_EXACT("matmul", "f32[0]{}, f32[0]{}", "f32[]{0}"),
    TM_EXACT("matmul", "f32[0,2,2]{}, f32[2,2]{1 2 3 4}", "f32[0,2,2]{}"),
    TM_EXACT("matmul", "i32[2,2]{1 -2 3 4}, i32[2,2]{5 6 -7 8}", "i32[2,2]{19 -10 -13 50}"),
    TM_EXACT("matmul", "i32[1,2]{2147483647 1}, i32[2,1]{2 3}", "i32[1,1]{1}"),
    TM_EXACT("matmul", "i64[2,2]{9223372036854775807 -1 2 3}, i64[2]{2 5}", "i64[2]{-7 19}"),
    TM_EXACT("matmul", "u8[2,2]{200 100 3 4}, u8[2,2]{2 3 1 255}", "u8[2,2]{244 244 10 5}"),
    TM_EXACT("matmul", "i8[1,2]{100 -3}, i8[2,2]{2 3 100 -100}", "i8[1,2]{-100 88}"),
    TM_EXACT("matmul", "i16[2]{32767 2}, i16[2,5]{2 1 0 -1 3 0 0 1 1 1}",
             "i16[5]{-2 32767 2 -32765 32767}"),
    TM_EXACT("matmul", "u16[2]{65535 65535}, u16[2]{65535 2}", "u16[]{65535}"),
    TM_EXACT("matmul", "u32[1,1]{4294967295}, u32[1,1]{4294967295}", "u32[1,1]{1}"),
    TM_EXACT("matmul", "u64[2]{9223372036854775807 1}, u64[2]{2 1}", "u64[]{18446744073709551615}"),
    TM_EXACT("matmul", "f16[2]{0.5 -3}, f16[2,2]{1 2 4 0.25}", "f16[2]{-11.5 0.25}"),
    TM_EXACT("matmul", "f16[3]{2048 1 1}, f16[3]{1 1 1}", "f16[]{2050}"),
    TM_EXACT("matmul", "f16[2]{60000 -60000}, f16[2,1]{2 2}", "f16[1]{0}"),
    TM_EXACT("matmul", "f16[1]{60000}, f16[1]{2}", "f16[]{inf}"),
    TM_EXACT("matmul", "bf16[3]{256 1 1}, bf16[3]{1 1 1}", "bf16[]{258}"),
    TM_EXACT("matmul", "f16[0,2]{}, f16[2,3]{1 2 3 4 5 6}", "f16[0,3]{}"),
    TM_EXACT("matmul", "f16[2,0]{}, f16[0,1]{}", "f16[2,1]{0 0}"),
    TM_EXACT("matmul", "f16[1]{2048}, bf16[1]{3}", "f32[]{6144}"),
    TM_EXACT("matmul", "f16[1]{0.5}, i32[1,2]{3 5}", "f16[2]{1.5 2.5}"),
    TM_EXACT("matmul", "c64[2]{1+2j 1j}, c64[2]{3-1j 2}", "c64[]{5+7j}"),
    TM_EXACT("matmul", "c64[2,2]{1+1j 0 1j 2}, c64[2,2]{1 1j 1-1j 3}",
             "c64[2,2]{1+1j -1+1j 2-1j 5}"),
    TM_EXACT("matmul", "c128[1,2]{1+2j 1j}, c128[2,1]{3-1j 2}", "c128[1,1]{5+7j}"),
    TM_EXACT("matmul", "f32[2]{1 2}, c64[2]{1j 3}", "c64[]{6+1j}"),
    TM_EXACT("matmul", "f64[2]{1 2}, c64[2]{1j 3}", "c128[]{6+1j}"),
    TM_EXACT("matmul", "c64[0]{}, c64[0,2]{}", "c64[2]{0 0}"),
    TM_EXACT("matmul", "i32[2,2]{1 -2 3 4}, f32[2,2]{0.5 0.25 2 -4}",
             "f32[2,2]{-3.5 8.25 9.5 -15.25}"),
    TM_EXACT("matmul", "f32[2,2]{0.5 0.25 2 -4}, f64[2]{3 5}", "f64[2]{2.75 -14}"),
    TM_EXACT("matmul", "u8[2]{200 3}, i32[2,2]{100 -3 7 -9}", "i32[2]{20021 -627}"),
    TM_EXACT("matmul", "i64[2,2]{5 6 7 8}, i32[2]{1000000 -1}", "i64[2]{4999994 6999992}"),
    TM_EXACT("matmul", "f32[3,3]{1 nan 2 inf 0 1 0 1 -1}, f32[3,2]{1 0 2 0 3 inf}",
             "f32[3,2]{nan nan inf nan -1 -inf}"),

    /* small matrices, and those that BLAS takes */
    TM_JUDGED("matmul", "f32[4,4], f32[4,4]", is_product),
    TM_JUDGED("matmul", "f64[3,5], f64[5,2]", is_product),
    TM_JUDGED("matmul", "f32[8,8], f32[8,8]", is_product),
    TM_JUDGED("matmul", "f32[7,16], f32[16,13]", is_product),
    TM_JUDGED("matmul", "f64[5,15], f64[15,16]", is_product),
    TM_JUDGED("matmul", "f32[20,18], f32[18,17]", is_product),
    TM_JUDGED("matmul", "f64[17,20], f64[20,19]", is_product),
    TM_JUDGED("matmul", "f32[3,40], f32[40,2]", is_product),
    TM_JUDGED("matmul", "f32[2,3], f32[3,40]", is_product),
    TM_JUDGED("matmul", "f32[1,20], f32[20,18]", is_product),
    TM_JUDGED("matmul", "f64[18,20], f64[20,1]", is_product),

    /* vectors */
    TM_JUDGED("matmul", "f32[5], f32[5]", is_product),
    TM_JUDGED("matmul", "f64[40], f64[40]", is_product),
    TM_JUDGED("matmul", "f32[6,5], f32[5]", is_product),
    TM_JUDGED("matmul", "f32[20,33], f32[33]", is_product),
    TM_JUDGED("matmul", "f64[33], f64[33,20]", is_product),
    TM_JUDGED("matmul", "f32[4], f32[4,3]", is_product),

    /* loops */
    TM_JUDGED("matmul", "f32[2,3,4], f32[4,5]", is_product),
    TM_JUDGED("matmul", "f32[3,4], f32[2,4,5]", is_product),
    TM_JUDGED("matmul", "f64[2,1,3,4], f64[3,4,2]", is_product),
    TM_JUDGED("matmul", "f32[3,18,20], f32[20,17]", is_product),
    TM_JUDGED("matmul", "f32[3,18,20], f32[3,20,17]", is_product),
    TM_JUDGED("matmul", "f32[2,18,20], f32[20]", is_product),
    TM_JUDGED("matmul", "f64[20], f64[2,20,18]", is_product),
    TM_JUDGED("matmul", "f32[2,5,1,3], f32[3]", is_product),

    /* other dtypes */
    TM_JUDGED("matmul", "i32[5,6], i32[6,3]", is_product),
    TM_JUDGED("matmul", "i64[20,18], i64[18]", is_product),
    TM_JUDGED("matmul", "i32[2,3,4], i64[4,5]", is_product),
    TM_JUDGED("matmul", "i32[20,18], f32[18,19]", is_product),
    TM_JUDGED("matmul", "f32[3,4], f64[4,2]", is_product),
    TM_JUDGED("matmul", "f64[19,18], u8[2,18,17]", is_product),
    TM_LAW("matmul", "u8[6,7], u8[7,5]"),
    TM_LAW("matmul", "i16[2,6,7], i16[7,5]"),
    TM_LAW("matmul", "u64[3]~special, u64[3,2]"),
    TM_LAW("matmul", "i8[3,4]~special, i64[4]"),
    TM_LAW("matmul", "f16[4,3], f32[3,2]"),
    TM_LAW("matmul", "f16[4,3], f16[3,2]"),
    TM_LAW("matmul", "bf16[2,4,20], bf16[20,18]"),
    TM_LAW("matmul", "f16[3]~special, f16[3,4]"),
    TM_LAW("matmul", "c64[3,4], c64[4,2]"),
    TM_LAW("matmul", "c64[3,4]~special, c64[4,2]"),
    TM_LAW("matmul", "c128[2,3,20], c128[20,18]"),
    TM_LAW("matmul", "c64[20], c64[20,17]"),
    TM_LAW("matmul", "c64[18,20], c64[20]"),
    TM_LAW("matmul", "c128[33], c128[33]"),
    TM_LAW("matmul", "c64[17,18], f32[18,17]"),
    TM_LAW("matmul", "f32[3,4]~special, f32[4,2]~special"),
    TM_LAW("matmul", "f64[3]~special, f64[3,5]"),

    /* failures: ranks */
    TM_FAILS(
        "matmul", "f32[], f32[3]",
        "rank: x1 must have at least 1 dimension for the signature (m?,n),(n,p?)->(m?,p?), got "
        "shape ()"),
    TM_FAILS(
        "matmul", "f32[2,3], f32[]",
        "rank: x2 must have at least 1 dimension for the signature (m?,n),(n,p?)->(m?,p?), got "
        "shape ()"),

    /* ... sizes */
    TM_FAILS("matmul", "f32[2,3], f32[4,5]",
             "shape: x2 has size 4 in its core dimension n, but x1 has 3 (signature "
             "(m?,n),(n,p?)->(m?,p?))"),
    TM_FAILS("matmul", "f32[3], f32[2]",
             "shape: x2 has size 2 in its core dimension n, but x1 has 3 (signature "
             "(m?,n),(n,p?)->(m?,p?))"),
    TM_FAILS("matmul", "f32[2,0], f32[1,2]",
             "shape: x2 has size 1 in its core dimension n, but x1 has 0 (signature "
             "(m?,n),(n,p?)->(m?,p?))"),
    TM_FAILS("matmul", "f32[3,3], f32[3,2,3]",
             "shape: x2 has size 2 in its core dimension n, but x1 has 3 (signature "
             "(m?,n),(n,p?)->(m?,p?))"),
    TM_FAILS("matmul", "f32[2,3,4], f32[3,4,5]",
             "shape: x2 has loop dimensions (3,), which do not broadcast with (2,) (signature "
             "(m?,n),(n,p?)->(m?,p?))"),

    /* ... dtypes */
    TM_FAILS("matmul", "b8[2,2], f32[2]", "dtype: x1 must have a numeric dtype, got bool"),
    TM_FAILS("matmul", "f32[2,2], b8[2]", "dtype: x2 must have a numeric dtype, got bool"),
};

TM_SAMPLES(products, rows);
