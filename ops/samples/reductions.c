/* samples/reductions.c: reductions with values by NumPy, and random ones judged by plain loops.
 *
 * The random ones are large enough for every part of the summation tree, along and across memory.
 */
#include "reading.h"
#include "samples.h"

enum { MOST = 2048 };

/* Axes that a call reduces, as a mask; None is all. */
static uint32_t mask_of(const tm_tensor *x, const int64_t *axes, int64_t count)
{
    uint32_t mask = axes ? 0 : UINT32_MAX;
    for (int64_t i = 0; i < count && axes; i++)
        mask |= 1u << (axes[i] < 0 ? axes[i] + tm_ndim(x) : axes[i]);
    return mask;
}

static uint32_t mask_of_list(const tm_value *args)
{
    const tm_int_list *axes = args[1].opt;
    return mask_of(args[0].tensor, axes ? axes->data : NULL, axes ? axes->count : 0);
}

static uint32_t mask_of_axis(const tm_value *args)
{
    return mask_of(args[0].tensor, args[1].opt, 1);
}

/* Collects, in logical order, what lies under one output; returns how many elements that is. */
static int64_t block(const tm_tensor *x, uint32_t mask, int64_t output, double *elements)
{
    int64_t count = 0;
    for (int64_t i = 0; i < tm_numel(x); i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int d = tm_ndim(x); d-- > 0; rest /= tm_shape(x)[d]) {
            if (mask >> d & 1)
                continue;
            at += rest % tm_shape(x)[d] * step;
            step *= tm_shape(x)[d];
        }
        if (at == output && count < MOST)
            elements[count++] = value(x, i);
    }
    return count;
}

static double epsilon(const tm_tensor *x)
{
    return tm_dtype_of(x) == TM_FLOAT32 ? 1e-6 : 1e-14;
}

static bool is_scaled_sum(const tm_value *args, const tm_tensor *y, bool mean)
{
    const tm_tensor *x = args[0].tensor;
    double elements[MOST];
    for (int64_t o = 0; o < tm_numel(y); o++) {
        int64_t n = block(x, mask_of_list(args), o, elements);
        double sum = 0, size = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += elements[i];
            size += fabs(elements[i]);
        }
        double scale = mean ? (double)n : 1;
        if (!close_to(value(y, o), sum / scale, epsilon(x) * size / scale))
            return false;
    }
    return true;
}

static bool is_sum(const tm_value *args, const tm_value *results)
{
    return is_scaled_sum(args, results[0].tensor, false);
}

static bool is_mean(const tm_value *args, const tm_value *results)
{
    return is_scaled_sum(args, results[0].tensor, true);
}

static int64_t place_of_extreme(const double *elements, int64_t n, double sign)
{
    int64_t best = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(elements[i]))
            return i;
        if (sign * elements[i] > sign * elements[best])
            best = i;
    }
    return best;
}

static bool is_amax(const tm_value *args, const tm_value *results)
{
    double elements[MOST];
    const tm_tensor *y = results[0].tensor;
    for (int64_t o = 0; o < tm_numel(y); o++) {
        int64_t n = block(args[0].tensor, mask_of_list(args), o, elements);
        if (!close_to(value(y, o), elements[place_of_extreme(elements, n, 1)], 0))
            return false;
    }
    return true;
}

static bool is_place(const tm_value *args, const tm_tensor *y, double sign)
{
    double elements[MOST];
    for (int64_t o = 0; o < tm_numel(y); o++) {
        int64_t n = block(args[0].tensor, mask_of_axis(args), o, elements);
        if (value(y, o) != (double)place_of_extreme(elements, n, sign))
            return false;
    }
    return true;
}

static bool is_argmax(const tm_value *args, const tm_value *results)
{
    return is_place(args, results[0].tensor, 1);
}

static bool is_argmin(const tm_value *args, const tm_value *results)
{
    return is_place(args, results[0].tensor, -1);
}

static double norm_of(const double *elements, int64_t n, double ord)
{
    double total = ord == -(double)INFINITY ? (double)INFINITY : 0;
    for (int64_t i = 0; i < n; i++) {
        double size = fabs(elements[i]);
        if (isinf(ord))
            total = isnan(size) || isnan(total)               ? (double)NAN
                    : (ord > 0 ? size > total : size < total) ? size
                                                              : total;
        else
            total += ord == 0 ? size != 0 : pow(size, ord);
    }
    return isinf(ord) || ord == 0 ? total : pow(total, 1 / ord);
}

static bool is_norm(const tm_value *args, const tm_value *results)
{
    double elements[MOST];
    const tm_tensor *x = args[0].tensor, *y = results[0].tensor;
    for (int64_t o = 0; o < tm_numel(y); o++) {
        int64_t n = block(x, mask_of_list(args), o, elements);
        double norm = norm_of(elements, n, args[3].f);
        if (!close_to(value(y, o), norm, epsilon(x) * norm))
            return false;
    }
    return true;
}

static const tm_sample rows[] = {
    /* sum */
    TM_EXACT("sum", "f32[2,3]{1 2 3 4 5 6}", "f32[]{21}"),
    TM_EXACT("sum", "f32[2,3]{1 2 3 4 5 6}, 0", "f32[3]{5 7 9}"),
    TM_EXACT("sum", "f32[2,3]{1 2 3 4 5 6}, -1, True", "f32[2,1]{6 15}"),
    TM_EXACT("sum", "f32[2,3]{1 2 3 4 5 6}, (1,0), keepdims=True", "f32[1,1]{21}"),
    TM_EXACT("sum", "f32[2,3]{1 2 3 4 5 6}, ()", "f32[2,3]{1 2 3 4 5 6}"),
    TM_EXACT("sum", "i32[2,2,2]{1 2 3 4 5 6 7 8}, (0,-1)", "i64[2]{14 22}"),
    TM_EXACT("sum", "b8[5]{1 0 1 1 0}", "i64[]{3}"),
    TM_EXACT("sum", "u8[3]{200 100 255}", "i64[]{555}"),
    TM_EXACT("sum", "i32[2]{2147483647 1}", "i64[]{2147483648}"),
    TM_EXACT("sum", "i64[2]{9223372036854775807 2}", "i64[]{-9223372036854775807}"),
    TM_EXACT("sum", "f64[4]{0.1 0.2 0.3 0.4}", "f64[]{1}"),
    TM_EXACT("sum", "f32[10]{0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.1}", "f32[]{5.6}"),
    TM_EXACT("sum", "f32[]{2.5}", "f32[]{2.5}"),
    TM_EXACT("sum", "f32[0]", "f32[]{0}"),
    TM_EXACT("sum", "f32[2,0], 1", "f32[2]{0 0}"),
    TM_EXACT("sum", "f32[2,0], 0", "f32[0]"),
    TM_EXACT("sum", "i64[0], keepdims=True", "i64[1]{0}"),
    TM_EXACT("sum", "f32[3]{1 nan 2}", "f32[]{nan}"),
    TM_EXACT("sum", "f32[2]{inf -inf}", "f32[]{nan}"),
    TM_EXACT("sum", "f64[2]{inf 1}", "f64[]{inf}"),
    TM_EXACT("sum", "f32[1,3]{1 2 3}, 0", "f32[3]{1 2 3}"),
    TM_JUDGED("sum", "f32[300]", is_sum),
    TM_JUDGED("sum", "f32[1000]", is_sum),
    TM_JUDGED("sum", "f32[300,3], 0", is_sum),
    TM_JUDGED("sum", "f32[3,300], 1", is_sum),
    TM_JUDGED("sum", "f32[2,3,4], (0,2)", is_sum),
    TM_JUDGED("sum", "f32[7,5,11], (0,2)", is_sum),
    TM_JUDGED("sum", "f32[20,9,3], (0,1)", is_sum),
    TM_JUDGED("sum", "f32[17,18], 0", is_sum),
    TM_JUDGED("sum", "f64[40,5], 0", is_sum),
    TM_JUDGED("sum", "f64[5,40], -1", is_sum),
    TM_JUDGED("sum", "f32[4,1,6], (1,2), True", is_sum),
    TM_JUDGED("sum", "f32[33,35], (1,0)", is_sum),
    TM_JUDGED("sum", "i32[4,50], 1", is_sum),
    TM_JUDGED("sum", "i64[3,40], 0", is_sum),
    TM_JUDGED("sum", "u8[200]", is_sum),
    TM_JUDGED("sum", "b8[3,30], 0", is_sum),
    TM_JUDGED("sum", "f32[30]~special", is_sum),
    TM_JUDGED("sum", "i32[2,1,3], 1", is_sum),
    TM_FAILS("sum", "f32[2,3]{1 2 3 4 5 6}, 2", "dim: axis 2 is out of range, must be in -2..1"),
    TM_FAILS("sum", "f32[2,3]{1 2 3 4 5 6}, (0,-2)", "dim: axis names axis -2 twice"),
    TM_FAILS("sum", "f32[], 0", "dim: axis 0 is out of range: a 0-D tensor has no axes"),

    /* mean */
    TM_EXACT("mean", "f32[2,3]{1 2 3 4 5 6}", "f32[]{3.5}"),
    TM_EXACT("mean", "f32[2,3]{1 2 3 4 5 6}, 0", "f32[3]{2.5 3.5 4.5}"),
    TM_EXACT("mean", "f32[2,3]{1 2 3 4 5 6}, -1, True", "f32[2,1]{2 5}"),
    TM_EXACT("mean", "f64[2,2,2]{1 2 3 4 5 6 7 9}, (0,2)", "f64[2]{3.5 5.75}"),
    TM_EXACT("mean", "f32[3]{0.1 0.2 0.4}", "f32[]{0.23333335}"),
    TM_EXACT("mean", "f64[]{2.5}", "f64[]{2.5}"),
    TM_EXACT("mean", "f32[0]", "f32[]{nan}"),
    TM_EXACT("mean", "f32[2,0], 1", "f32[2]{nan nan}"),
    TM_EXACT("mean", "f32[0,2], 1, True", "f32[0,1]"),
    TM_EXACT("mean", "f32[2]{nan 1}", "f32[]{nan}"),
    TM_EXACT("mean", "f64[2]{-inf 1}", "f64[]{-inf}"),
    TM_JUDGED("mean", "f32[300]", is_mean),
    TM_JUDGED("mean", "f64[200,3], 0", is_mean),
    TM_JUDGED("mean", "f32[3,200], -1", is_mean),
    TM_JUDGED("mean", "f32[4,5,6], (0,2), True", is_mean),
    TM_JUDGED("mean", "f32[17,2], 0", is_mean),
    TM_JUDGED("mean", "f32[9]~special", is_mean),
    TM_FAILS("mean", "i64[3]",
             "dtype: x must have a floating-point dtype, got int64; mean.dtype converts"),
    TM_FAILS("mean", "b8[3]",
             "dtype: x must have a floating-point dtype, got bool; mean.dtype converts"),
    TM_LAW("mean", "f16[3]"),
    TM_FAILS("mean", "f32[2,3]{1 2 3 4 5 6}, -3", "dim: axis -3 is out of range, must be in -2..1"),
    TM_FAILS("mean", "f32[2,3]{1 2 3 4 5 6}, (1,1)", "dim: axis names axis 1 twice"),

    /* amax */
    TM_EXACT("amax", "f32[2,3]{1 9 3 4 5 6}", "f32[]{9}"),
    TM_EXACT("amax", "f32[2,3]{1 9 3 4 5 6}, 0", "f32[3]{4 9 6}"),
    TM_EXACT("amax", "f32[2,3]{1 9 3 4 5 6}, -1, True", "f32[2,1]{9 6}"),
    TM_EXACT("amax", "f32[2,3]{1 9 3 4 5 6}, (0,1), True", "f32[1,1]{9}"),
    TM_EXACT("amax", "i32[3]{-5 -2 -9}", "i32[]{-2}"),
    TM_EXACT("amax", "i64[2]{-9223372036854775808 9223372036854775807}",
             "i64[]{9223372036854775807}"),
    TM_EXACT("amax", "u8[3]{7 255 3}", "u8[]{255}"),
    TM_EXACT("amax", "b8[2,2]{0 0 0 1}, 1", "b8[2]{0 1}"),
    TM_EXACT("amax", "f64[]{-3}", "f64[]{-3}"),
    TM_EXACT("amax", "f32[4]{1 nan 3 inf}", "f32[]{nan}"),
    TM_EXACT("amax", "f64[2,2]{nan 1 -inf -2}, 1", "f64[2]{nan -2}"),
    TM_EXACT("amax", "f32[0,3], 1", "f32[0]"),
    TM_EXACT("amax", "f32[2]{-inf -inf}", "f32[]{-inf}"),
    TM_EXACT("amax", "f32[1,2]{1 2}, 0", "f32[2]{1 2}"),
    TM_JUDGED("amax", "f32[300]", is_amax),
    TM_JUDGED("amax", "f32[200,3], 0", is_amax),
    TM_JUDGED("amax", "f32[3,200], 1", is_amax),
    TM_JUDGED("amax", "f64[4,5,6], (0,2)", is_amax),
    TM_JUDGED("amax", "i32[5,20], 0", is_amax),
    TM_JUDGED("amax", "i64[30]", is_amax),
    TM_JUDGED("amax", "u8[4,50], 1", is_amax),
    TM_JUDGED("amax", "b8[3,4], 0", is_amax),
    TM_JUDGED("amax", "f32[4,20]~special, 1", is_amax),
    TM_JUDGED("amax", "f64[20,4]~special, 0", is_amax),
    TM_JUDGED("amax", "f32[7,4]~ties, 0", is_amax),
    TM_FAILS("amax", "f32[0]",
             "value: x has no maximum along an axis of size 0, its shape is (0,)"),
    TM_FAILS("amax", "f32[2,0,3], (0,1)",
             "value: x has no maximum along an axis of size 0, its shape is (2, 0, 3)"),
    TM_FAILS("amax", "f32[0,0], 1",
             "value: x has no maximum along an axis of size 0, its shape is (0, 0)"),
    TM_FAILS("amax", "f32[2,3]{1 2 3 4 5 6}, 2", "dim: axis 2 is out of range, must be in -2..1"),
    TM_FAILS("amax", "f32[2,3]{1 2 3 4 5 6}, (0,0)", "dim: axis names axis 0 twice"),

    /* argmax */
    TM_EXACT("argmax", "f32[2,3]{1 9 -3 4 5 6}", "i64[]{1}"),
    TM_EXACT("argmax", "f32[2,3]{1 9 -3 4 5 6}, 0", "i64[3]{1 0 1}"),
    TM_EXACT("argmax", "f32[2,3]{1 9 -3 4 5 6}, -1", "i64[2]{1 2}"),
    TM_EXACT("argmax", "f32[2,3]{1 9 -3 4 5 6}, 1, True", "i64[2,1]{1 2}"),
    TM_EXACT("argmax", "f32[2,3]{1 9 -3 4 5 6}, None, True", "i64[1,1]{1}"),
    TM_EXACT("argmax", "f64[5]{2 7 2 7 2}", "i64[]{1}"),
    TM_EXACT("argmax", "i32[4]{5 -1 5 -1}", "i64[]{0}"),
    TM_EXACT("argmax", "i64[2]{-9223372036854775808 9223372036854775807}", "i64[]{1}"),
    TM_EXACT("argmax", "u8[3]{3 200 1}", "i64[]{1}"),
    TM_EXACT("argmax", "b8[4]{0 1 1 0}", "i64[]{1}"),
    TM_EXACT("argmax", "f32[]{1}", "i64[]{0}"),
    TM_EXACT("argmax", "f32[4]{1 nan inf nan}", "i64[]{1}"),
    TM_EXACT("argmax", "f64[2,3]{nan 1 2 -inf inf nan}, 1", "i64[2]{0 2}"),
    TM_EXACT("argmax", "f32[2]{-0 0}", "i64[]{0}"),
    TM_EXACT("argmax", "f32[0,3], 1", "i64[0]"),
    TM_EXACT("argmax", "f32[3,1]{3 2 1}, 1", "i64[3]{0 0 0}"),
    TM_JUDGED("argmax", "f32[300]", is_argmax),
    TM_JUDGED("argmax", "f32[200,3], 0", is_argmax),
    TM_JUDGED("argmax", "f32[3,200], 1", is_argmax),
    TM_JUDGED("argmax", "f64[4,5,6], 1", is_argmax),
    TM_JUDGED("argmax", "i32[5,20], 0", is_argmax),
    TM_JUDGED("argmax", "i64[30]", is_argmax),
    TM_JUDGED("argmax", "u8[4,50], 1", is_argmax),
    TM_JUDGED("argmax", "b8[3,4], 0", is_argmax),
    TM_JUDGED("argmax", "f32[4,20]~special, 1", is_argmax),
    TM_JUDGED("argmax", "f64[20,18]~special, 0", is_argmax),
    TM_JUDGED("argmax", "f32[150,2]~ties, 0", is_argmax),
    TM_JUDGED("argmax", "i32[3,140]~ties, 1, True", is_argmax),
    TM_FAILS("argmax", "f32[0]",
             "value: x has no maximum along an axis of size 0, its shape is (0,)"),
    TM_FAILS("argmax", "f32[2,0], 1",
             "value: x has no maximum along an axis of size 0, its shape is (2, 0)"),
    TM_FAILS("argmax", "f32[2,3]{1 2 3 4 5 6}, 2", "dim: axis 2 is out of range, must be in -2..1"),
    TM_FAILS("argmax", "f32[], -1", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    TM_FAILS("argmax", "c128[2]", "dtype: there is no kernel for dtype complex128"),

    /* argmin */
    TM_EXACT("argmin", "f32[2,3]{1 9 -3 4 5 6}", "i64[]{2}"),
    TM_EXACT("argmin", "f32[2,3]{1 9 -3 4 5 6}, 0", "i64[3]{0 1 0}"),
    TM_EXACT("argmin", "f32[2,3]{1 9 -3 4 5 6}, -1", "i64[2]{2 0}"),
    TM_EXACT("argmin", "f32[2,3]{1 9 -3 4 5 6}, 1, True", "i64[2,1]{2 0}"),
    TM_EXACT("argmin", "f32[2,3]{1 9 -3 4 5 6}, None, True", "i64[1,1]{2}"),
    TM_EXACT("argmin", "f64[5]{2 7 2 7 2}", "i64[]{0}"),
    TM_EXACT("argmin", "i32[4]{5 -1 5 -1}", "i64[]{1}"),
    TM_EXACT("argmin", "i64[2]{-9223372036854775808 9223372036854775807}", "i64[]{0}"),
    TM_EXACT("argmin", "u8[3]{3 200 1}", "i64[]{2}"),
    TM_EXACT("argmin", "b8[4]{0 1 1 0}", "i64[]{0}"),
    TM_EXACT("argmin", "f32[]{1}", "i64[]{0}"),
    TM_EXACT("argmin", "f32[4]{1 nan inf nan}", "i64[]{1}"),
    TM_EXACT("argmin", "f64[2,3]{nan 1 2 -inf inf nan}, 1", "i64[2]{0 2}"),
    TM_EXACT("argmin", "f32[2]{-0 0}", "i64[]{0}"),
    TM_EXACT("argmin", "f32[0,3], 1", "i64[0]"),
    TM_EXACT("argmin", "f32[3,1]{3 2 1}, 1", "i64[3]{0 0 0}"),
    TM_JUDGED("argmin", "f32[300]", is_argmin),
    TM_JUDGED("argmin", "f32[200,3], 0", is_argmin),
    TM_JUDGED("argmin", "f32[3,200], 1", is_argmin),
    TM_JUDGED("argmin", "f64[4,5,6], 1", is_argmin),
    TM_JUDGED("argmin", "i32[5,20], 0", is_argmin),
    TM_JUDGED("argmin", "i64[30]", is_argmin),
    TM_JUDGED("argmin", "u8[4,50], 1", is_argmin),
    TM_JUDGED("argmin", "b8[3,4], 0", is_argmin),
    TM_JUDGED("argmin", "f32[4,20]~special, 1", is_argmin),
    TM_JUDGED("argmin", "f64[20,18]~special, 0", is_argmin),
    TM_JUDGED("argmin", "f32[150,2]~ties, 0", is_argmin),
    TM_JUDGED("argmin", "i32[3,140]~ties, 1, True", is_argmin),
    TM_FAILS("argmin", "f32[0]",
             "value: x has no minimum along an axis of size 0, its shape is (0,)"),
    TM_FAILS("argmin", "f32[2,0], 1",
             "value: x has no minimum along an axis of size 0, its shape is (2, 0)"),
    TM_FAILS("argmin", "f32[2,3]{1 2 3 4 5 6}, 2", "dim: axis 2 is out of range, must be in -2..1"),
    TM_FAILS("argmin", "f32[], -1", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    TM_FAILS("argmin", "c128[2]", "dtype: there is no kernel for dtype complex128"),

    /* vector_norm */
    TM_NEAR("vector_norm", "f32[2,2]{3 -4 6 8}", "f32[]{11.18034}", 1e-7, 0),
    TM_EXACT("vector_norm", "f32[2,2]{3 -4 6 8}, 1", "f32[2]{5 10}"),
    TM_EXACT("vector_norm", "f32[2,2]{3 -4 6 8}, -1, True", "f32[2,1]{5 10}"),
    TM_NEAR("vector_norm", "f32[2,2]{3 -4 6 8}, None, True", "f32[1,1]{11.18034}", 1e-7, 0),
    TM_EXACT("vector_norm", "f32[2,2]{3 -4 6 8}, 0, False, 1", "f32[2]{9 12}"),
    TM_EXACT("vector_norm", "f32[2,2]{3 -4 6 8}, 0, ord=inf", "f32[2]{6 8}"),
    TM_EXACT("vector_norm", "f32[2,2]{3 -4 6 8}, 0, ord=-inf", "f32[2]{3 4}"),
    TM_EXACT("vector_norm", "f64[4]{0 1 -2 0}, ord=0", "f64[]{2}"),
    TM_NEAR("vector_norm", "f64[3]{1 -2 3}, ord=3", "f64[]{3.3019272488946263}", 1e-14, 0),
    TM_NEAR("vector_norm", "f64[3]{1 -4 9}, ord=0.5", "f64[]{36}", 1e-14, 0),
    TM_NEAR("vector_norm", "f64[2]{2 -4}, ord=-1", "f64[]{1.3333333333333333}", 1e-14, 0),
    TM_EXACT("vector_norm", "f64[2]{0 -4}, ord=-2", "f64[]{0}"),
    TM_EXACT("vector_norm", "f32[]{-3}", "f32[]{3}"),
    TM_EXACT("vector_norm", "f32[2]{3 -4}, ()", "f32[2]{3 4}"),
    TM_NEAR("vector_norm", "f64[2,2,2]{1 2 3 4 5 6 7 8}, (0,2)",
            "f64[2]{8.12403840463596 11.74734012447073}", 1e-14, 0),
    TM_EXACT("vector_norm", "f32[0]", "f32[]{0}"),
    TM_EXACT("vector_norm", "f32[2,0], 1, ord=0", "f32[2]{0 0}"),
    TM_EXACT("vector_norm", "f32[0], ord=-1", "f32[]{inf}"),
    TM_EXACT("vector_norm", "f32[0,2], 1, ord=inf", "f32[0]"),
    TM_NEAR("vector_norm", "f64[2]{3e200 4e200}", "f64[]{5e200}", 1e-14, 0),
    TM_NEAR("vector_norm", "f64[2]{3e-200 4e-200}", "f64[]{5e-200}", 1e-14, 0),
    TM_NEAR("vector_norm", "f32[2]{3e30 4e30}", "f32[]{5e30}", 1e-6, 0),
    TM_NEAR("vector_norm", "f64[2]{3e-320 4e-320}", "f64[]{5e-320}", 1e-3, 0),
    TM_NEAR("vector_norm", "f64[2]{2e300 2e300}, ord=-2", "f64[]{1.4142135623730951e300}", 1e-14,
            0),
    TM_NEAR("vector_norm", "f64[2]{1e100 1e100}, ord=4", "f64[]{1.189207115002721e100}", 1e-14, 0),
    TM_EXACT("vector_norm", "f32[2]{nan 1}", "f32[]{nan}"),
    TM_EXACT("vector_norm", "f32[2]{nan 1}, ord=inf", "f32[]{nan}"),
    TM_EXACT("vector_norm", "f32[2]{1 nan}, ord=-inf", "f32[]{nan}"),
    TM_EXACT("vector_norm", "f32[2]{nan 0}, ord=0", "f32[]{1}"),
    TM_EXACT("vector_norm", "f32[2]{-inf 1}", "f32[]{inf}"),
    TM_EXACT("vector_norm", "f32[2]{inf 2}, ord=-2", "f32[]{2}"),
    TM_JUDGED("vector_norm", "f32[300]", is_norm),
    TM_JUDGED("vector_norm", "f32[200,3], 0", is_norm),
    TM_JUDGED("vector_norm", "f32[3,200], 1", is_norm),
    TM_JUDGED("vector_norm", "f64[4,5,6], (0,2), True", is_norm),
    TM_JUDGED("vector_norm", "f32[17,18], 0, ord=3", is_norm),
    TM_JUDGED("vector_norm", "f64[9,2], ord=inf", is_norm),
    TM_JUDGED("vector_norm", "f64[9,2], 0, ord=-inf", is_norm),
    TM_JUDGED("vector_norm", "f32[40]~ties, ord=0", is_norm),
    TM_JUDGED("vector_norm", "f32[5,4], 1, ord=1", is_norm),
    TM_JUDGED("vector_norm", "f64[20]~pos, ord=-0.5", is_norm),
    TM_JUDGED("vector_norm", "f32[12]~special", is_norm),
    TM_JUDGED("vector_norm", "f64[3,8]~special, 1, ord=1", is_norm),
    TM_FAILS("vector_norm", "i32[3]", "dtype: x must have a real floating-point dtype, got int32"),
    TM_FAILS("vector_norm", "c64[3]",
             "dtype: x must have a real floating-point dtype, got complex64"),
    TM_LAW("vector_norm", "bf16[3]"),
    TM_FAILS("vector_norm", "f32[2,3]{1 2 3 4 5 6}, 2",
             "dim: axis 2 is out of range, must be in -2..1"),
    TM_FAILS("vector_norm", "f32[2,3]{1 2 3 4 5 6}, (0,0)", "dim: axis names axis 0 twice"),
    TM_FAILS("vector_norm", "f32[2,3]{1 2 3 4 5 6}, ord=nan", "value: ord must not be NaN"),
    TM_FAILS("vector_norm", "f32[2,0], 1, ord=inf",
             "value: x has no inf-norm along an axis of size 0, its shape is (2, 0)"),
    TM_FAILS("vector_norm", "f32[0], ord=-inf",
             "value: x has no -inf-norm along an axis of size 0, its shape is (0,)"),

    /* In every dtype: sums and products of small integers in 64 bits. */
    TM_EXACT("sum", "i8[3]{127 127 1}", "i64[]{255}"),
    TM_EXACT("sum", "u16[2,2]{65535 1 2 3}, 0", "i64[2]{65537 4}"),
    TM_EXACT("sum", "u64[2]{18446744073709551615 2}", "u64[]{1}"),
    TM_EXACT("sum", "f16[3]{60000 60000 -60000}", "f16[]{60000}"),
    TM_EXACT("sum", "c64[2]{1+2j 3-1j}", "c64[]{4+1j}"),
    TM_LAW("sum", "bf16[40,3], 0"),
    TM_LAW("sum", "f16[2,3,4], (0,2), True"),
    TM_LAW("sum", "c128[30,3], 0"),
    TM_LAW("sum", "u32[7,9], 1"),
    TM_EXACT("sum.dtype", "f32[2]{1.5 1.5}, int32", "i32[]{2}"),
    TM_EXACT("sum.dtype", "u8[2]{200 100}, uint8", "u8[]{44}"),
    TM_EXACT("sum.dtype", "i32[2,2]{1 2 3 4}, float64, 0", "f64[2]{4 6}"),
    TM_EXACT("sum.dtype", "b8[2]{1 1}, complex64", "c64[]{2}"),
    TM_EXACT("sum.dtype", "f32[0], int8", "i8[]{0}"),
    TM_LAW("sum.dtype", "f32[3,50], float16, 1, True"),
    TM_LAW("sum.dtype", "i64[50,3], float32, 0"),
    TM_FAILS("sum.dtype", "c64[2], float32",
             "dtype: there is no conversion from complex64 to float32"),
    TM_FAILS("sum.dtype", "f32[2], float64, 1", "dim: axis 1 is out of range, must be in -1..0"),

    TM_EXACT("prod", "f32[3]{2 3 4}", "f32[]{24}"),
    TM_EXACT("prod", "i8[2,2]{100 100 3 -4}, 1", "i64[2]{10000 -12}"),
    TM_EXACT("prod", "b8[3]{1 1 0}", "i64[]{0}"),
    TM_EXACT("prod", "u64[2]{9223372036854775808 3}", "u64[]{9223372036854775808}"),
    TM_EXACT("prod", "c64[2]{0+1j 0+1j}", "c64[]{-1}"),
    TM_EXACT("prod", "f64[0]", "f64[]{1}"),
    TM_EXACT("prod", "i32[0,2], 0", "i64[2]{1 1}"),
    TM_EXACT("prod", "f16[2]{1.5 nan}", "f16[]{nan}"),
    TM_LAW("prod", "f32[3,40]~pos, 0"),
    TM_LAW("prod", "c128[20,3], 0"),
    TM_FAILS("prod", "f32[2], 1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_EXACT("prod.dtype", "u8[2]{16 17}, uint8", "u8[]{16}"),
    TM_EXACT("prod.dtype", "i32[2]{3 4}, float32", "f32[]{12}"),
    TM_FAILS("prod.dtype", "c64[2], int64",
             "dtype: there is no conversion from complex64 to int64"),

    TM_EXACT("mean", "c64[2]{1+2j 3-1j}", "c64[]{2+0.5j}"),
    TM_EXACT("mean", "f16[2]{60000 60000}", "f16[]{60000}"),
    TM_EXACT("mean.dtype", "i32[2]{1 2}, float32", "f32[]{1.5}"),
    TM_EXACT("mean.dtype", "u8[2,2]{200 100 1 2}, float64, 1, True", "f64[2,1]{150 1.5}"),
    TM_EXACT("mean.dtype", "f32[0], float16", "f16[]{nan}"),
    TM_LAW("mean.dtype", "bf16[30,3], float32, 0"),
    TM_FAILS("mean.dtype", "i32[2], int64", "dtype: there is no kernel for dtype int64"),
    TM_FAILS("mean.dtype", "c64[2], float32",
             "dtype: there is no conversion from complex64 to float32"),

    /* log(e^0 + e^0) = log 2; log(e^1000 + e^1000) = 1000 + log 2. */
    TM_NEAR("logsumexp", "f64[2]{0 0}", "f64[]{0.6931471805599453}", 1e-15, 0),
    TM_NEAR("logsumexp", "f64[2,2]{1000 1000 -1000 -1000}, 1",
            "f64[2]{1000.6931471805599 -999.3068528194401}", 1e-15, 0),
    TM_EXACT("logsumexp", "f32[0]", "f32[]{-inf}"),
    TM_EXACT("logsumexp", "f32[2]{-inf -inf}", "f32[]{-inf}"),
    TM_EXACT("logsumexp", "f32[2]{inf 1}", "f32[]{inf}"),
    TM_EXACT("logsumexp", "f32[2]{nan inf}", "f32[]{nan}"),
    TM_EXACT("logsumexp", "f16[1]{3}", "f16[]{3}"),
    TM_LAW("logsumexp", "f32[40,3], 0, True"),
    TM_LAW("logsumexp", "bf16[2,3,4], (0,2)"),
    TM_FAILS("logsumexp", "i32[2]", "dtype: x must have a real floating-point dtype, got int32"),
    TM_FAILS("logsumexp", "f32[2], 1", "dim: axis 1 is out of range, must be in -1..0"),

    TM_EXACT("all", "b8[2,2]{1 1 1 0}, 1", "b8[2]{1 0}"),
    TM_EXACT("all", "f32[2]{nan 1}", "b8[]{1}"),
    TM_EXACT("all", "f64[2]{-0 1}", "b8[]{0}"),
    TM_EXACT("all", "i16[0]", "b8[]{1}"),
    TM_EXACT("all", "c64[2]{0+1j 1}", "b8[]{1}"),
    TM_EXACT("all", "bf16[2]{0 1}", "b8[]{0}"),
    TM_LAW("all", "u64[30,3]~ties, 0"),
    TM_LAW("all", "c128[3,4], 1, True"),
    TM_FAILS("all", "b8[2], 1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_EXACT("any", "b8[2,2]{0 1 0 0}, 1", "b8[2]{1 0}"),
    TM_EXACT("any", "f32[0,2], 0", "b8[2]{0 0}"),
    TM_EXACT("any", "f16[2]{0 nan}", "b8[]{1}"),
    TM_EXACT("any", "c64[2]{0 0}", "b8[]{0}"),
    TM_LAW("any", "i8[30,3], 0"),
    TM_FAILS("any", "f32[], 0", "dim: axis 0 is out of range: a 0-D tensor has no axes"),
    TM_EXACT("count_nonzero", "f32[2,3]{0 1 nan -0 2 0}, 1", "i64[2]{2 1}"),
    TM_EXACT("count_nonzero", "u32[3]{0 7 9}", "i64[]{2}"),
    TM_EXACT("count_nonzero", "c128[2]{0+1j 0}", "i64[]{1}"),
    TM_EXACT("count_nonzero", "f16[0]", "i64[]{0}"),
    TM_LAW("count_nonzero", "bf16[30,3]~ties, (0,1), True"),
    TM_FAILS("count_nonzero", "b8[2], 1", "dim: axis 1 is out of range, must be in -1..0"),

    TM_EXACT("amax", "i8[3]{-128 5 127}", "i8[]{127}"),
    TM_EXACT("amax", "u64[2]{18446744073709551615 1}", "u64[]{18446744073709551615}"),
    TM_EXACT("amax", "f16[2,2]{1 nan 3 4}, 1", "f16[2]{nan 4}"),
    TM_EXACT("amin", "f32[2,3]{3 1 2 -1 -2 nan}, 1", "f32[2]{1 nan}"),
    TM_EXACT("amin", "i16[3]{7 -32768 2}", "i16[]{-32768}"),
    TM_EXACT("amin", "b8[2]{1 0}", "b8[]{0}"),
    TM_EXACT("amin", "bf16[2]{2 1}", "bf16[]{1}"),
    TM_LAW("amin", "f64[30,3], 0, True"),
    TM_LAW("amin", "u32[2,3,4], (0,2)"),
    TM_FAILS("amin", "f32[0]",
             "value: x has no minimum along an axis of size 0, its shape is (0,)"),
    TM_FAILS("amin", "c64[2]", "dtype: there is no kernel for dtype complex64"),
    TM_FAILS("amin", "f32[2], 1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_EXACT("argmax", "f16[3]{1 5 5}", "i64[]{1}"),
    TM_EXACT("argmin", "u16[3]{9 3 3}", "i64[]{1}"),
    TM_LAW("argmax", "bf16[20,3]~ties, 0"),
    TM_LAW("argmin", "i8[20,3]~ties, 0"),

    TM_EXACT("aminmax", "f32[2,2]{1 4 3 2}, 1", "f32[2]{1 2}, f32[2]{4 3}"),
    TM_EXACT("aminmax", "i8[3]{5 -7 2}", "i8[]{-7}, i8[]{5}"),
    TM_EXACT("aminmax", "f16[2]{1 nan}, (0), True", "f16[1]{nan}, f16[1]{nan}"),
    TM_FAILS("aminmax", "f32[0]",
             "value: x has no minimum along an axis of size 0, its shape is (0,)"),
    TM_FAILS("aminmax", "c64[2]", "dtype: there is no kernel for dtype complex64"),
    TM_EXACT("max_with_indices", "f32[2,3]{1 5 5 9 nan 7}, 1", "f32[2]{5 nan}, i64[2]{1 1}"),
    TM_EXACT("max_with_indices", "u8[2,2]{1 4 3 2}, 0, True", "u8[1,2]{3 4}, i64[1,2]{1 0}"),
    TM_LAW("max_with_indices", "bf16[4,5]~ties"),
    TM_FAILS("max_with_indices", "f32[2,0]",
             "value: x has no maximum along an axis of size 0, its shape is (2, 0)"),
    TM_FAILS("max_with_indices", "f32[]", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    TM_EXACT("min_with_indices", "f32[2,3]{1 5 1 9 nan 7}, 1", "f32[2]{1 nan}, i64[2]{0 1}"),
    TM_LAW("min_with_indices", "i16[4,5]~ties, 0, True"),
    TM_FAILS("min_with_indices", "f32[0]",
             "value: x has no minimum along an axis of size 0, its shape is (0,)"),
};
TM_SAMPLES(reductions, rows);
