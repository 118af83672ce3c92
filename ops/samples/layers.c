/* samples/layers.c: linear; literal values by NumPy 1.24. */
#include "reading.h"
#include "samples.h"

static bool is_linear(const tm_value *args, const tm_value *results)
{
    const tm_tensor *x = args[0].tensor, *weight = args[1].tensor, *bias = args[2].tensor;
    const tm_tensor *y = results[0].tensor;
    int64_t in = tm_size(weight, 1), out = tm_size(weight, 0);
    double unit = tm_dtype_of(y) == TM_FLOAT32 ? 1e-5 : 1e-14;
    for (int64_t at = 0; at < tm_numel(y); at++) {
        double sum = bias == TM_NONE ? 0 : value(bias, at % out), scale = 1;
        for (int64_t k = 0; k < in; k++) {
            double product = value(x, at / out * in + k) * value(weight, at % out * in + k);
            sum += product;
            scale += fabs(product);
        }
        if (!close_to(value(y, at), sum, unit * scale))
            return false;
    }
    return true;
}

static const tm_sample rows[] = {

    TM_EXACT("linear", "f32[3]{1 0 -1}, f32[2,3]{1 2 3 4 5 6}", "f32[2]{-2 -2}"),
    TM_EXACT("linear", "f32[3]{1 0 -1}, f32[2,3]{1 2 3 4 5 6}, f32[2]{10 -10}", "f32[2]{8 -12}"),
    TM_EXACT("linear", "f32[2,3]{1 2 3 0.5 -1 0}, f32[2,3]{1 2 3 4 5 6}, f32[2]{10 -10}",
             "f32[2,2]{24 22 8.5 -13}"),
    TM_EXACT("linear", "f32[2,1,3]{1 2 3 0.5 -1 0}, f32[2,3]{1 2 3 4 5 6}",
             "f32[2,1,2]{14 32 -1.5 -3}"),
    TM_EXACT("linear", "f64[2,3]{1 2 3 0.5 -1 0}, f64[2,3]{1 2 3 4 5 6}, f64[2]{10 -10}",
             "f64[2,2]{24 22 8.5 -13}"),
    TM_EXACT("linear", "i32[2,3]{1 2 3 0 -1 0}, i32[2,3]{1 2 3 4 5 6}, i32[2]{10 -10}",
             "i32[2,2]{24 22 8 -15}"),
    TM_EXACT("linear", "u8[2,3]{1 2 3 0 1 255}, f32[2,3]{1 2 3 4 5 6}, f32[2]{10 -10}",
             "f32[2,2]{24 22 777 1525}"),
    TM_EXACT("linear", "f32[3]{1 0 -1}, f32[2,3]{1 2 3 4 5 6}, f64[2]{10 -10}", "f64[2]{8 -12}"),
    TM_EXACT("linear", "i64[3]{1 0 -1}, i64[2,3]{1 2 3 4 5 6}", "i64[2]{-2 -2}"),
    TM_EXACT("linear", "f32[2,0]{}, f32[3,0]{}, f32[3]{1 2 3}", "f32[2,3]{1 2 3 1 2 3}"),
    TM_EXACT("linear", "f32[0,3]{}, f32[2,3]{1 2 3 4 5 6}, f32[2]{10 -10}", "f32[0,2]{}"),
    TM_EXACT("linear", "f32[3]{1 2 3}, f32[0,3]{}, f32[0]{}", "f32[0]{}"),
    TM_EXACT("linear", "f32[3]{nan 1 2}, f32[2,3]{1 2 3 4 5 6}, f32[2]{10 -10}", "f32[2]{nan nan}"),
    TM_EXACT("linear", "f32[2]{1 2}, f32[1,2]{3 4}, None", "f32[1]{11}"),
    TM_JUDGED("linear", "f32[5], f32[3,5]", is_linear),
    TM_JUDGED("linear", "f32[4,5], f32[3,5], f32[3]", is_linear),
    TM_JUDGED("linear", "f64[2,3,4], f64[5,4], f64[5]", is_linear),
    TM_JUDGED("linear", "f32[3,20], f32[18,20], bias=f32[18]", is_linear),
    TM_JUDGED("linear", "i32[3,4], i64[2,4], i32[2]", is_linear),
    TM_JUDGED("linear", "u8[3,20], f32[17,20], f32[17]", is_linear),

    TM_FAILS("linear", "f32[], f32[2,3]", "rank: x must have at least 1 dimension, got shape ()"),
    TM_FAILS("linear", "f32[3], f32[3]", "rank: weight must have 2 dimensions, got shape (3,)"),
    TM_FAILS("linear", "f32[3], f32[2,2,3]",
             "rank: weight must have 2 dimensions, got shape (2, 2, 3)"),
    TM_FAILS("linear", "f32[2,3], f32[3,4]",
             "shape: x must have size 4 in its last dimension, as weight of shape (3, 4) has, got "
             "shape (2, 3)"),
    TM_FAILS("linear", "f32[3], f32[2,3], f32[3]",
             "shape: bias must have shape (2,) for weight of shape (2, 3), got shape (3,)"),
    TM_FAILS("linear", "f32[3], f32[2,3], f32[1]",
             "shape: bias must have shape (2,) for weight of shape (2, 3), got shape (1,)"),
    TM_FAILS("linear", "f32[4,3], f32[2,3], f32[4,2]",
             "shape: bias must have shape (2,) for weight of shape (2, 3), got shape (4, 2)"),
    TM_FAILS("linear", "f32[3], f32[2,3], f32[]",
             "shape: bias must have shape (2,) for weight of shape (2, 3), got shape ()"),
    TM_FAILS("linear", "b8[3], f32[2,3]", "dtype: x must have a numeric dtype, got bool"),
    TM_FAILS("linear", "f32[3], b8[2,3]", "dtype: weight must have a numeric dtype, got bool"),
    TM_FAILS("linear", "f32[3], f32[2,3], b8[2]",
             "dtype: bias must have a numeric dtype, got bool"),
    TM_EXACT("linear", "f16[2]{1 2}, f16[2,2]{3 4 0.5 -1}, f16[2]{1 0}", "f16[2]{12 -1.5}"),
    TM_EXACT("linear", "i16[2]{1 2}, u8[1,2]{3 4}, i8[1]{-1}", "i16[1]{10}"),
    TM_EXACT("linear", "f32[2]{1 2}, c64[1,2]{1j 3}", "c64[1]{6+1j}"),
};

TM_SAMPLES(layers, rows);
