/* samples/sorting.c: orders, against Python's stable sort. */
#include "reading.h"
#include "samples.h"

/* -1, 0 or 1; NaN is equal to itself and greater than all else. */
static int compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (int)isnan(a) - (int)isnan(b);
    return (a > b) - (a < b);
}

/* How far apart neighbours along the axis are in the flat index. */
static int64_t axis_step(const tm_tensor *x, int64_t axis)
{
    int64_t step = 1;
    for (int64_t d = axis < 0 ? axis + tm_ndim(x) : axis; ++d < tm_ndim(x);)
        step *= tm_shape(x)[d];
    return step;
}

/* The indices put x in order and leave equal elements in theirs, so each occurs once; `values`,
 * where given, are the elements they name. */
static bool in_order(const tm_value *args, const tm_tensor *values, const tm_tensor *indices)
{
    const tm_tensor *x = args[0].tensor;
    int64_t n = tm_size(x, args[1].i), step = axis_step(x, args[1].i);
    for (int64_t at = 0; at < tm_numel(x); at++) {
        int64_t i = at / step % n, first = at - i * step;
        int64_t index = (int64_t)value(indices, at);
        if (index < 0 || index >= n)
            return false;
        double here = value(x, first + index * step);
        if (values && !close_to(value(values, at), here, 0))
            return false;
        if (i == 0)
            continue;
        int64_t before = (int64_t)value(indices, at - step);
        int order = compare(value(x, first + before * step), here);
        if (args[2].b)
            order = -order;
        if (order > 0 || (order == 0 && before >= index))
            return false;
    }
    return true;
}

static bool is_argsort(const tm_value *args, const tm_value *results)
{
    return in_order(args, NULL, results[0].tensor);
}

static bool is_sort_with_indices(const tm_value *args, const tm_value *results)
{
    return in_order(args, results[0].tensor, results[1].tensor);
}

/* The elements ascend (or descend), and each value is there as often as in x. */
static bool is_sort(const tm_value *args, const tm_value *results)
{
    const tm_tensor *x = args[0].tensor, *y = results[0].tensor;
    int64_t n = tm_size(x, args[1].i), step = axis_step(x, args[1].i);
    for (int64_t at = 0; at < tm_numel(x); at++) {
        int64_t i = at / step % n, first = at - i * step, surplus = 0;
        int order = i ? compare(value(y, at - step), value(y, at)) : 0;
        if (args[2].b ? order < 0 : order > 0)
            return false;
        for (int64_t k = first; k < first + n * step; k += step)
            surplus += (compare(value(x, k), value(y, at)) == 0) -
                       (compare(value(y, k), value(y, at)) == 0);
        if (surplus != 0)
            return false;
    }
    return true;
}

#define ORDERED(args)                                                                              \
    TM_JUDGED("sort", args, is_sort), TM_JUDGED("argsort", args, is_argsort),                      \
        TM_JUDGED("sort_with_indices", args, is_sort_with_indices)

#define ALL_FAIL(args, error)                                                                      \
    TM_FAILS("sort", args, error), TM_FAILS("argsort", args, error),                               \
        TM_FAILS("sort_with_indices", args, error)

static const tm_sample rows[] = {

    TM_EXACT("sort", "f32[6]{3 1 2 -5 10 0}", "f32[6]{-5 0 1 2 3 10}"),
    TM_EXACT("argsort", "f32[6]{3 1 2 -5 10 0}", "i64[6]{3 5 1 2 0 4}"),
    TM_EXACT("sort_with_indices", "f32[6]{3 1 2 -5 10 0}",
             "f32[6]{-5 0 1 2 3 10}, i64[6]{3 5 1 2 0 4}"),
    TM_EXACT("sort", "f32[6]{3 1 2 -5 10 0}, descending=True", "f32[6]{10 3 2 1 0 -5}"),
    TM_EXACT("argsort", "f32[6]{3 1 2 -5 10 0}, descending=True", "i64[6]{4 0 2 1 5 3}"),
    TM_EXACT("sort_with_indices", "f32[6]{3 1 2 -5 10 0}, descending=True",
             "f32[6]{10 3 2 1 0 -5}, i64[6]{4 0 2 1 5 3}"),
    TM_EXACT("sort", "f32[8]{2 nan -inf 0 -0 inf nan 2}", "f32[8]{-inf 0 -0 2 2 inf nan nan}"),
    TM_EXACT("argsort", "f32[8]{2 nan -inf 0 -0 inf nan 2}", "i64[8]{2 3 4 0 7 5 1 6}"),
    TM_EXACT("sort_with_indices", "f32[8]{2 nan -inf 0 -0 inf nan 2}",
             "f32[8]{-inf 0 -0 2 2 inf nan nan}, i64[8]{2 3 4 0 7 5 1 6}"),
    TM_EXACT("sort", "f32[8]{2 nan -inf 0 -0 inf nan 2}, descending=True",
             "f32[8]{nan nan inf 2 2 0 -0 -inf}"),
    TM_EXACT("argsort", "f32[8]{2 nan -inf 0 -0 inf nan 2}, descending=True",
             "i64[8]{1 6 5 0 7 3 4 2}"),
    TM_EXACT("sort_with_indices", "f32[8]{2 nan -inf 0 -0 inf nan 2}, descending=True",
             "f32[8]{nan nan inf 2 2 0 -0 -inf}, i64[8]{1 6 5 0 7 3 4 2}"),
    TM_EXACT("sort", "f64[7]{2 nan -inf 0 -0 inf 2}", "f64[7]{-inf 0 -0 2 2 inf nan}"),
    TM_EXACT("argsort", "f64[7]{2 nan -inf 0 -0 inf 2}", "i64[7]{2 3 4 0 6 5 1}"),
    TM_EXACT("sort_with_indices", "f64[7]{2 nan -inf 0 -0 inf 2}",
             "f64[7]{-inf 0 -0 2 2 inf nan}, i64[7]{2 3 4 0 6 5 1}"),
    TM_EXACT("sort", "f64[7]{2 nan -inf 0 -0 inf 2}, descending=True",
             "f64[7]{nan inf 2 2 0 -0 -inf}"),
    TM_EXACT("argsort", "f64[7]{2 nan -inf 0 -0 inf 2}, descending=True", "i64[7]{1 5 0 6 3 4 2}"),
    TM_EXACT("sort_with_indices", "f64[7]{2 nan -inf 0 -0 inf 2}, descending=True",
             "f64[7]{nan inf 2 2 0 -0 -inf}, i64[7]{1 5 0 6 3 4 2}"),
    TM_EXACT("sort", "i32[5]{2147483647 -2147483648 0 -1 0}",
             "i32[5]{-2147483648 -1 0 0 2147483647}"),
    TM_EXACT("argsort", "i32[5]{2147483647 -2147483648 0 -1 0}", "i64[5]{1 3 2 4 0}"),
    TM_EXACT("sort_with_indices", "i32[5]{2147483647 -2147483648 0 -1 0}",
             "i32[5]{-2147483648 -1 0 0 2147483647}, i64[5]{1 3 2 4 0}"),
    TM_EXACT("sort", "i32[5]{2147483647 -2147483648 0 -1 0}, descending=True",
             "i32[5]{2147483647 0 0 -1 -2147483648}"),
    TM_EXACT("argsort", "i32[5]{2147483647 -2147483648 0 -1 0}, descending=True",
             "i64[5]{0 2 4 3 1}"),
    TM_EXACT("sort_with_indices", "i32[5]{2147483647 -2147483648 0 -1 0}, descending=True",
             "i32[5]{2147483647 0 0 -1 -2147483648}, i64[5]{0 2 4 3 1}"),
    TM_EXACT("sort", "i64[4]{9223372036854775807 -9223372036854775808 5 -5}",
             "i64[4]{-9223372036854775808 -5 5 9223372036854775807}"),
    TM_EXACT("argsort", "i64[4]{9223372036854775807 -9223372036854775808 5 -5}", "i64[4]{1 3 2 0}"),
    TM_EXACT("sort_with_indices", "i64[4]{9223372036854775807 -9223372036854775808 5 -5}",
             "i64[4]{-9223372036854775808 -5 5 9223372036854775807}, i64[4]{1 3 2 0}"),
    TM_EXACT("sort", "u8[5]{255 0 128 127 0}, descending=True", "u8[5]{255 128 127 0 0}"),
    TM_EXACT("argsort", "u8[5]{255 0 128 127 0}, descending=True", "i64[5]{0 2 3 1 4}"),
    TM_EXACT("sort_with_indices", "u8[5]{255 0 128 127 0}, descending=True",
             "u8[5]{255 128 127 0 0}, i64[5]{0 2 3 1 4}"),
    TM_EXACT("sort", "u8[5]{255 0 128 127 0}", "u8[5]{0 0 127 128 255}"),
    TM_EXACT("argsort", "u8[5]{255 0 128 127 0}", "i64[5]{1 4 3 2 0}"),
    TM_EXACT("sort_with_indices", "u8[5]{255 0 128 127 0}",
             "u8[5]{0 0 127 128 255}, i64[5]{1 4 3 2 0}"),
    TM_EXACT("sort", "b8[4]{1 0 1 0}", "b8[4]{0 0 1 1}"),
    TM_EXACT("argsort", "b8[4]{1 0 1 0}", "i64[4]{1 3 0 2}"),
    TM_EXACT("sort_with_indices", "b8[4]{1 0 1 0}", "b8[4]{0 0 1 1}, i64[4]{1 3 0 2}"),
    TM_EXACT("sort", "b8[4]{1 0 1 0}, descending=True", "b8[4]{1 1 0 0}"),
    TM_EXACT("argsort", "b8[4]{1 0 1 0}, descending=True", "i64[4]{0 2 1 3}"),
    TM_EXACT("sort_with_indices", "b8[4]{1 0 1 0}, descending=True",
             "b8[4]{1 1 0 0}, i64[4]{0 2 1 3}"),
    TM_EXACT("sort", "f32[3,2]{3 1 1 2 2 0}, axis=0", "f32[3,2]{1 0 2 1 3 2}"),
    TM_EXACT("argsort", "f32[3,2]{3 1 1 2 2 0}, axis=0", "i64[3,2]{1 2 2 0 0 1}"),
    TM_EXACT("sort_with_indices", "f32[3,2]{3 1 1 2 2 0}, axis=0",
             "f32[3,2]{1 0 2 1 3 2}, i64[3,2]{1 2 2 0 0 1}"),
    TM_EXACT("sort", "i32[2,2,2]{4 3 1 2 8 7 6 5}, axis=1", "i32[2,2,2]{1 2 4 3 6 5 8 7}"),
    TM_EXACT("argsort", "i32[2,2,2]{4 3 1 2 8 7 6 5}, axis=1", "i64[2,2,2]{1 1 0 0 1 1 0 0}"),
    TM_EXACT("sort_with_indices", "i32[2,2,2]{4 3 1 2 8 7 6 5}, axis=1",
             "i32[2,2,2]{1 2 4 3 6 5 8 7}, i64[2,2,2]{1 1 0 0 1 1 0 0}"),
    TM_EXACT("sort", "f32[2,3]{3 1 2 -1 -3 -2}, descending=True", "f32[2,3]{3 2 1 -1 -2 -3}"),
    TM_EXACT("argsort", "f32[2,3]{3 1 2 -1 -3 -2}, descending=True", "i64[2,3]{0 2 1 0 2 1}"),
    TM_EXACT("sort_with_indices", "f32[2,3]{3 1 2 -1 -3 -2}, descending=True",
             "f32[2,3]{3 2 1 -1 -2 -3}, i64[2,3]{0 2 1 0 2 1}"),
    TM_EXACT("sort", "f32[1]{5}", "f32[1]{5}"),
    TM_EXACT("argsort", "f32[1]{5}", "i64[1]{0}"),
    TM_EXACT("sort_with_indices", "f32[1]{5}", "f32[1]{5}, i64[1]{0}"),
    TM_EXACT("sort", "f32[0]{}", "f32[0]{}"),
    TM_EXACT("argsort", "f32[0]{}", "i64[0]{}"),
    TM_EXACT("sort_with_indices", "f32[0]{}", "f32[0]{}, i64[0]{}"),
    TM_EXACT("sort", "i64[0,3]{}, axis=0", "i64[0,3]{}"),
    TM_EXACT("argsort", "i64[0,3]{}, axis=0", "i64[0,3]{}"),
    TM_EXACT("sort_with_indices", "i64[0,3]{}, axis=0", "i64[0,3]{}, i64[0,3]{}"),
    TM_EXACT("sort", "f32[2,0]{}", "f32[2,0]{}"),
    TM_EXACT("argsort", "f32[2,0]{}", "i64[2,0]{}"),
    TM_EXACT("sort_with_indices", "f32[2,0]{}", "f32[2,0]{}, i64[2,0]{}"),
    TM_EXACT("sort", "f32[3]{3 1 2}, -1, False, False", "f32[3]{1 2 3}"),
    TM_EXACT("argsort", "f32[3]{3 1 3}, stable=False", "i64[3]{1 0 2}"),

    /* random ones */
    ORDERED("f32[7]"),
    ORDERED("f32[8]~ties"),
    ORDERED("f64[9]~ties, descending=True"),
    ORDERED("i32[16]~ties"),
    ORDERED("i64[13]~ties, descending=True"),
    ORDERED("u8[33]"),
    ORDERED("b8[10]"),
    ORDERED("f32[12]~special"),
    ORDERED("f64[12]~special, descending=True"),
    ORDERED("f32[3,5]~ties, axis=0"),
    ORDERED("f64[2,3,4], axis=1, descending=True"),
    ORDERED("i32[4,6], axis=-2"),
    ORDERED("f32[2,2]"),
    ORDERED("f32[100]"),
    ORDERED("f64[65]"),

    /* failures */
    ALL_FAIL("f32[3], axis=1", "dim: axis 1 is out of range, must be in -1..0"),
    ALL_FAIL("f32[2,3], axis=-3", "dim: axis -3 is out of range, must be in -2..1"),
    ALL_FAIL("f32[]", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    ALL_FAIL("c64[2,2]", "dtype: x must have a real dtype, got complex64"),

    TM_EXACT("sort", "i8[3]{5 -128 127}", "i8[3]{-128 5 127}"),
    TM_EXACT("sort", "u16[3]{5 65535 0}, descending=True", "u16[3]{65535 5 0}"),
    TM_EXACT("sort", "u64[3]{9223372036854775808 1 18446744073709551615}",
             "u64[3]{1 9223372036854775808 18446744073709551615}"),
    TM_EXACT("sort", "f16[5]{nan 1 -inf -0 0}", "f16[5]{-inf -0 0 1 nan}"),
    TM_EXACT("argsort", "bf16[4]{3 nan 1 2}, descending=True", "i64[4]{1 0 3 2}"),
    TM_EXACT("sort_with_indices", "i16[2,2]{4 3 2 1}, 0", "i16[2,2]{2 1 4 3}, i64[2,2]{1 1 0 0}"),
    TM_LAW("sort", "bf16[3,20]~ties, 1"),
    TM_LAW("argsort", "u32[20,3], 0"),

    TM_EXACT("topk", "f32[5]{1 5 3 5 2}, 3", "f32[3]{5 5 3}, i64[3]{1 3 2}"),
    TM_EXACT("topk", "f32[5]{1 5 3 5 2}, 2, largest=False", "f32[2]{1 2}, i64[2]{0 4}"),
    TM_EXACT("topk", "i32[2,3]{1 2 3 6 5 4}, 1, 0", "i32[1,3]{6 5 4}, i64[1,3]{1 1 1}"),
    TM_EXACT("topk", "f16[3]{1 nan 2}, 1", "f16[1]{nan}, i64[1]{1}"),
    TM_EXACT("topk", "f32[2], 0", "f32[0], i64[0]"),
    TM_EXACT("topk", "f32[0,2], 0, 0", "f32[0,2], i64[0,2]"),
    TM_LAW("topk", "u8[3,9]~ties, 4"),
    TM_LAW("topk", "f64[9,3], 9, 0, False"),
    TM_FAILS("topk", "f32[3], 4", "value: k must be in 0..3 for axis 0 of size 3, got 4"),
    TM_FAILS("topk", "f32[2,3], -1, 1", "value: k must be in 0..3 for axis 1 of size 3, got -1"),
    TM_FAILS("topk", "f32[], 1", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    TM_FAILS("topk", "c64[3], 1", "dtype: x must have a real dtype, got complex64"),

    TM_EXACT("kthvalue", "f32[5]{1 5 3 4 2}, 2", "f32[]{2}, i64[]{4}"),
    TM_EXACT("kthvalue", "i64[2,3]{1 2 3 6 5 4}, 3, 1, True", "i64[2,1]{3 6}, i64[2,1]{2 0}"),
    TM_EXACT("kthvalue", "i64[2,3]{1 2 3 6 5 4}, 1, 0", "i64[3]{1 2 3}, i64[3]{0 0 0}"),
    TM_EXACT("kthvalue", "f16[3]{nan 1 2}, 3", "f16[]{nan}, i64[]{0}"),
    TM_LAW("kthvalue", "u16[3,9]~ties, 5"),
    TM_LAW("kthvalue", "bf16[9,3], 9, 0, True"),
    TM_FAILS("kthvalue", "f32[3], 0", "value: k must be in 1..3 for axis 0 of size 3, got 0"),
    TM_FAILS("kthvalue", "f32[0], 1", "value: k must be in 1..0 for axis 0 of size 0, got 1"),
    TM_FAILS("kthvalue", "f32[3], 1, 1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_FAILS("kthvalue", "c64[3], 1", "dtype: x must have a real dtype, got complex64"),
};

TM_SAMPLES(sorting, rows);
