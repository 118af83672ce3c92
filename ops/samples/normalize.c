/* samples/normalize.c: softmax; literal values by NumPy 1.24, computed in float64. */
#include "reading.h"
#include "samples.h"

/* exp(x - maximum) over its sum along the axis, in float64. */
static bool is_softmax(const tm_value *args, const tm_value *results)
{
    const tm_tensor *x = args[0].tensor, *y = results[0].tensor;
    int64_t axis = args[1].i < 0 ? args[1].i + tm_ndim(x) : args[1].i;
    int64_t n = tm_size(x, axis), step = 1;
    for (int64_t d = axis; ++d < tm_ndim(x);)
        step *= tm_shape(x)[d];
    double tolerance = tm_dtype_of(x) == TM_FLOAT32 ? 1e-5 : 1e-14;
    for (int64_t at = 0; at < tm_numel(x); at++) {
        int64_t first = at - at / step % n * step;
        double maximum = value(x, first), sum = 0;
        for (int64_t k = first; k < first + n * step; k += step)
            maximum = value(x, k) > maximum ? value(x, k) : maximum;
        for (int64_t k = first; k < first + n * step; k += step)
            sum += exp(value(x, k) - maximum);
        double wanted = exp(value(x, at) - maximum) / sum;
        if (!close_to(value(y, at), wanted, tolerance * wanted))
            return false;
    }
    return true;
}

static const tm_sample rows[] = {

    TM_NEAR("softmax", "f32[4]{1 2 3 4}", "f32[4]{0.032058604 0.087144315 0.23688282 0.6439143}",
            1e-6, 1e-7),
    TM_NEAR(
        "softmax", "f64[4]{1 2 3 4}",
        "f64[4]{0.03205860328008498 0.08714431874203256 0.23688281808991016 0.6439142598879724}",
        1e-15, 1e-16),
    TM_NEAR("softmax", "f32[2,3]{0 1 2 -1 0 1}",
            "f32[2,3]{0.09003057 0.24472848 0.66524094 0.09003057 0.24472848 0.66524094}", 1e-6,
            1e-7),
    TM_NEAR("softmax", "f32[3,2]{0 1 2 -1 0 1}, axis=0",
            "f32[3,2]{0.10650698 0.46831053 0.78698605 0.06337894 0.10650698 0.46831053}", 1e-6,
            1e-7),
    TM_NEAR(
        "softmax", "f64[2,2,2]{0 1 2 3 -1 -2 -3 -4}, axis=1",
        "f64[2,2,2]{0.11920292202211755 0.11920292202211755 0.8807970779778825 0.8807970779778825 "
        "0.8807970779778825 0.8807970779778825 0.11920292202211755 0.11920292202211755}",
        1e-15, 1e-16),
    TM_NEAR("softmax", "f32[3]{1000 1000 999}", "f32[3]{0.4223188 0.4223188 0.1553624}", 1e-6,
            1e-7),
    TM_NEAR("softmax", "f32[4]{-1000 -1001 -1000 -1e+30}",
            "f32[4]{0.4223188 0.1553624 0.4223188 0}", 1e-6, 1e-7),
    TM_NEAR("softmax", "f32[3]{-inf 0 1}", "f32[3]{0 0.26894143 0.7310586}", 1e-6, 1e-7),
    TM_NEAR("softmax", "f32[1]{7}", "f32[1]{1}", 1e-6, 1e-7),
    TM_NEAR("softmax", "f32[3]{1 nan 2}", "f32[3]{nan nan nan}", 1e-6, 1e-7),
    TM_NEAR("softmax", "f32[3]{inf 0 1}", "f32[3]{nan nan nan}", 1e-6, 1e-7),
    TM_NEAR("softmax", "f32[2]{-inf -inf}", "f32[2]{nan nan}", 1e-6, 1e-7),
    TM_NEAR("softmax", "f64[3]{1 nan 2}", "f64[3]{nan nan nan}", 1e-15, 1e-16),
    TM_NEAR("softmax", "f64[3]{-inf 0 1}", "f64[3]{0 0.26894142136999516 0.7310585786300049}",
            1e-15, 1e-16),
    TM_NEAR("softmax", "f32[10]{-2 -1.9 -1.6 -1.1 -0.4 0.5 1.6 2.9 4.4 6.1}",
            "f32[10]{0.0002444753 0.00027018698 0.00036471427 0.00060131215 0.001210894 "
            "0.0029783186 0.008947364 0.032830536 0.14713626 0.8054159}",
            1e-6, 1e-7),
    TM_NEAR("softmax", "f32[17]{-4 -0.5 3 -2 1.5 -3.5 0 3.5 -1.5 2 -3 0.5 4 -1 2.5 -2.5 1}",
            "f32[17]{0.00013202112 0.004371939 0.14477874 0.00097551144 0.032304503 0.00021766603 "
            "0.007208109 0.2386998 0.0016083465 0.05326112 0.0003588706 0.011884162 0.3935494 "
            "0.0026517152 0.087812744 0.0005916776 0.019593671}",
            1e-6, 1e-7),
    TM_EXACT("softmax", "f32[4]{3 3 3 3}", "f32[4]{0.25 0.25 0.25 0.25}"),
    TM_EXACT("softmax", "f64[2]{-7 -7}", "f64[2]{0.5 0.5}"),
    TM_EXACT("softmax", "f32[0]{}", "f32[0]{}"),
    TM_EXACT("softmax", "f32[2,0]{}", "f32[2,0]{}"),
    TM_EXACT("softmax", "f64[0,3]{}, axis=0", "f64[0,3]{}"),
    TM_EXACT("softmax", "f32[0,2]{}, axis=1", "f32[0,2]{}"),
    TM_JUDGED("softmax", "f32[5]", is_softmax),
    TM_JUDGED("softmax", "f32[8]", is_softmax),
    TM_JUDGED("softmax", "f32[37]", is_softmax),
    TM_JUDGED("softmax", "f64[37]", is_softmax),
    TM_JUDGED("softmax", "f32[600]", is_softmax),
    TM_JUDGED("softmax", "f32[3,4], axis=0", is_softmax),
    TM_JUDGED("softmax", "f64[2,3,4], axis=-2", is_softmax),
    TM_JUDGED("softmax", "f32[2,20], axis=1", is_softmax),
    TM_LAW("softmax", "f32[9]~special"),
    TM_LAW("softmax", "f64[4,3]~special, axis=0"),

    TM_FAILS("softmax", "i32[3]", "dtype: x must have a floating-point dtype, got int32"),
    TM_FAILS("softmax", "b8[3]", "dtype: x must have a floating-point dtype, got bool"),
    TM_EXACT("softmax", "f16[2]{0 0}", "f16[2]{0.5 0.5}"),
    TM_LAW("softmax", "bf16[3,40], 1"),
    TM_LAW("softmax", "f16[40,3], 0"),
    TM_FAILS("softmax", "f32[3], axis=1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_FAILS("softmax", "f32[3,2], axis=-3", "dim: axis -3 is out of range, must be in -2..1"),
    TM_FAILS("softmax", "f32[]", "dim: axis -1 is out of range: a 0-D tensor has no axes"),

    /* log(1/2), and no overflow far from 0. */
    TM_NEAR("log_softmax", "f64[2]{0 0}", "f64[2]{-0.6931471805599453 -0.6931471805599453}", 1e-15,
            0),
    TM_NEAR("log_softmax", "f32[2]{1000 1000}", "f32[2]{-0.6931472 -0.6931472}", 1e-6, 0),
    TM_EXACT("log_softmax", "f32[2]{-inf 0}", "f32[2]{-inf 0}"),
    TM_EXACT("log_softmax", "f32[2]{nan 0}", "f32[2]{nan nan}"),
    TM_EXACT("log_softmax", "f16[1]{7}", "f16[1]{0}"),
    TM_EXACT("log_softmax", "f64[0]", "f64[0]"),
    TM_LAW("log_softmax", "f32[40,3], 0"),
    TM_LAW("log_softmax", "bf16[3,40]"),
    TM_FAILS("log_softmax", "i32[3]", "dtype: x must have a floating-point dtype, got int32"),
    TM_FAILS("log_softmax", "f32[3], 1", "dim: axis 1 is out of range, must be in -1..0"),

    /* 1 and 3 lie one standard deviation from their mean. */
    TM_EXACT("layer_norm", "f64[2,2]{1 3 5 9}, 2, eps=0", "f64[2,2]{-1 1 -1 1}"),
    TM_EXACT("layer_norm", "f32[2]{1 3}, 2, f32[2]{10 20}, f32[2]{1 2}, 0", "f32[2]{-9 22}"),
    TM_EXACT("layer_norm", "f16[2,2]{1 3 3 1}, (2,2), eps=0", "f16[2,2]{-1 1 1 -1}"),
    TM_EXACT("layer_norm", "f64[2]{5 5}, 2", "f64[2]{0 0}"),
    TM_EXACT("layer_norm", "f32[2,0], 0", "f32[2,0]"),
    TM_LAW("layer_norm", "f32[3,4,5], (4,5), f32[4,5], bias=f64[4,5]"),
    TM_LAW("layer_norm", "bf16[3,8], 8, bf16[8]"),
    TM_FAILS("layer_norm", "f32[2,3], ()",
             "rank: normalized_shape must have at least 1 dimension, got ()"),
    TM_FAILS("layer_norm", "f32[2,3], (2)",
             "shape: normalized_shape must be the trailing sizes of x, which has shape (2, 3), got "
             "(2,)"),
    TM_FAILS("layer_norm", "f32[3], (2,3)",
             "shape: normalized_shape must be the trailing sizes of x, which has shape (3,), got "
             "(2, 3)"),
    TM_FAILS("layer_norm", "f32[3], (-3)",
             "shape: normalized_shape must not have negative sizes, got (-3,)"),
    TM_FAILS("layer_norm", "i32[3], 3", "dtype: x must have a floating-point dtype, got int32"),
    TM_FAILS("layer_norm", "f32[3], 3, f32[2]",
             "shape: weight must have shape (3,), got shape (2,)"),
    TM_FAILS("layer_norm", "f32[3], 3, f32[3], f32[3,1]",
             "shape: bias must have shape (3,), got shape (3, 1)"),
    TM_FAILS("layer_norm", "f32[3], 3, i32[3]",
             "dtype: weight must have a floating-point dtype, got int32"),
    TM_FAILS("layer_norm", "f32[3], 3, eps=-1",
             "value: eps must be finite and not negative, got -1"),

    /* 1 and 7: the mean square is 25. */
    TM_NEAR("rms_norm", "f64[2]{1 7}, 2, eps=0", "f64[2]{0.2 1.4}", 1e-15, 0),
    TM_NEAR("rms_norm", "f32[2,2]{3 4 0 0}, (2), f32[2]{1 10}", "f32[2,2]{0.8485281 11.313708 0 0}",
            1e-6, 0),
    TM_LAW("rms_norm", "bf16[3,8], 8"),
    TM_LAW("rms_norm", "f16[2,3,4], (3,4), f32[3,4], 0.1"),
    TM_FAILS("rms_norm", "f32[3], 2",
             "shape: normalized_shape must be the trailing sizes of x, which has shape (3,), got "
             "(2,)"),
    TM_FAILS("rms_norm", "f32[3], 3, eps=inf",
             "value: eps must be finite and not negative, got inf"),

    TM_EXACT("group_norm", "f64[1,4]{1 3 5 9}, 2, eps=0", "f64[1,4]{-1 1 -1 1}"),
    TM_EXACT("group_norm", "f32[1,2,2]{1 3 3 1}, 1, f32[2]{1 2}, f32[2]{0 5}, 0",
             "f32[1,2,2]{-1 1 7 3}"),
    TM_EXACT("group_norm", "f32[2,0,3], 1", "f32[2,0,3]"),
    TM_LAW("group_norm", "f32[2,6,5], 3, f32[6], f32[6]"),
    TM_LAW("group_norm", "f16[2,4], 2"),
    TM_FAILS("group_norm", "f32[4], 2", "rank: x must have at least 2 dimensions, got shape (4,)"),
    TM_FAILS("group_norm", "f32[2,4], 3",
             "value: num_groups must divide the 4 channels of x, which has shape (2, 4), got 3"),
    TM_FAILS("group_norm", "f32[2,4], 0",
             "value: num_groups must divide the 4 channels of x, which has shape (2, 4), got 0"),
    TM_FAILS("group_norm", "i32[2,4], 2", "dtype: x must have a floating-point dtype, got int32"),
    TM_FAILS("group_norm", "f32[2,4], 2, f32[2]",
             "shape: weight must have shape (4,), got shape (2,)"),
    TM_FAILS("group_norm", "f32[2,4], 2, bias=f32[]",
             "shape: bias must have shape (4,), got shape ()"),
    TM_FAILS("group_norm", "f32[2,4], 2, eps=nan",
             "value: eps must be finite and not negative, got nan"),

    TM_EXACT("batch_norm", "f64[2,1]{1 3}, training=True, eps=0", "f64[2,1]{-1 1}"),
    TM_EXACT("batch_norm", "f32[1,2]{5 8}, f32[2]{1 2}, f32[2]{4 9}, eps=0", "f32[1,2]{2 2}"),
    TM_EXACT("batch_norm", "f32[1,1,2]{5 7}, f32[1]{1}, f32[1]{4}, f32[1]{10}, f32[1]{3}, eps=0",
             "f32[1,1,2]{23 33}"),
    TM_EXACT("batch_norm", "f32[0,2], f32[2], f32[2]", "f32[0,2]"),
    TM_LAW("batch_norm", "f32[3,4,5], None, None, f32[4], f32[4], True"),
    TM_LAW("batch_norm", "bf16[3,4], f32[4], f32[4]~pos"),
    TM_FAILS("batch_norm", "f32[4], f32[4], f32[4]",
             "rank: x must have at least 2 dimensions, got shape (4,)"),
    TM_FAILS("batch_norm", "i32[2,4], f32[4], f32[4]",
             "dtype: x must have a floating-point dtype, got int32"),
    TM_FAILS("batch_norm", "f32[2,4], f32[3], f32[4]",
             "shape: running_mean must have shape (4,), got shape (3,)"),
    TM_FAILS("batch_norm", "f32[2,4], f32[4]", "value: running_var is needed but in training"),
    TM_FAILS("batch_norm", "f32[2,4]", "value: running_mean is needed but in training"),
    TM_FAILS("batch_norm", "f32[0,4], training=True",
             "value: x must have elements to take statistics of, got shape (0, 4)"),
    TM_FAILS("batch_norm", "f32[2,4], f32[4], f32[4], eps=-1",
             "value: eps must be finite and not negative, got -1"),
};

TM_SAMPLES(normalize, rows);
