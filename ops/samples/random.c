/* samples/random.c: rand and randint: what holds for every seed. */
#include <math.h>

#include "samples.h"

/* Every element in [0, 1), and where there are many, their mean near a half: its deviation is
 * 0.289 / sqrt(n), so one draw in 10^9 lies farther than six of them. */
static bool judge_rand(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    int64_t n = tm_numel(y);
    double sum = 0;
    (void)args;
    for (int64_t i = 0; i < n; i++) {
        double v = tm_dtype_of(y) == TM_FLOAT64 ? ((const double *)tm_data(y))[i]
                                                : (double)((const float *)tm_data(y))[i];
        if (!(v >= 0 && v < 1))
            return false;
        sum += v;
    }
    return n < 100 || fabs(sum / (double)n - 0.5) < 6 * 0.289 / sqrt((double)n);
}

static int64_t integer_at(const tm_tensor *y, int64_t i)
{
    switch (tm_dtype_of(y)) {
    case TM_UINT8:
        return ((const uint8_t *)tm_data(y))[i];
    case TM_INT32:
        return ((const int32_t *)tm_data(y))[i];
    default:
        return ((const int64_t *)tm_data(y))[i];
    }
}

/* Every element in [low, high), and where there are many more than values, every value. */
static bool judge_randint(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    int64_t low = args[0].i, high = args[1].i, n = tm_numel(y);
    bool few = high <= INT64_C(8) && low >= 0 && n >= 500;
    uint32_t seen = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = integer_at(y, i);
        if (v < low || v >= high)
            return false;
        if (few)
            seen |= 1u << v;
    }
    return !few || seen == (1u << high) - (1u << low);
}

static const tm_sample rows[] = {
    /* rand */
    TM_JUDGED("rand", "(3,4)", judge_rand),
    TM_JUDGED("rand", "()", judge_rand),
    TM_JUDGED("rand", "(0)", judge_rand),
    TM_JUDGED("rand", "(7), float64", judge_rand),
    TM_JUDGED("rand", "(2,5), float32", judge_rand),
    TM_JUDGED("rand", "(1000)", judge_rand),
    TM_JUDGED("rand", "(1000), float64", judge_rand),
    TM_JUDGED("rand", "(2,0,3)", judge_rand),
    TM_JUDGED("rand", "(33), float64", judge_rand),
    TM_FAILS("rand", "(2,-1)", "shape: shape must not have negative sizes, got (2, -1)"),
    TM_FAILS("rand", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
             "rank: shape must have at most 32 dimensions, got 33"),
    TM_FAILS("rand", "(2), int32", "dtype: dtype must be float32 or float64, got int32"),
    TM_FAILS("rand", "(2), float16", "dtype: dtype must be float32 or float64, got float16"),

    /* randint */
    TM_JUDGED("randint", "0, 10, (3,4)", judge_randint),
    TM_JUDGED("randint", "-5, 5, ()", judge_randint),
    TM_JUDGED("randint", "0, 6, (500)", judge_randint),
    TM_JUDGED("randint", "3, 8, (600), uint8", judge_randint),
    TM_JUDGED("randint", "0, 1, (4)", judge_randint),
    TM_JUDGED("randint", "0, 256, (50), uint8", judge_randint),
    TM_JUDGED("randint", "-2147483648, 2147483648, (9), int32", judge_randint),
    TM_JUDGED("randint", "-9223372036854775808, 9223372036854775807, (20)", judge_randint),
    TM_JUDGED("randint", "7, 8, (2,3), int32", judge_randint),
    TM_JUDGED("randint", "0, 2, (0)", judge_randint),
    TM_JUDGED("randint", "-3, -1, (11), int64", judge_randint),
    TM_EXACT("randint", "5, 6, (2,2)", "i64[2,2]{5 5 5 5}"),
    TM_EXACT("randint", "-1, 0, (3), int32", "i32[3]{-1 -1 -1}"),
    TM_EXACT("randint", "255, 256, (), uint8", "u8[]{255}"),
    TM_FAILS("randint", "0, 2, (-1)", "shape: shape must not have negative sizes, got (-1,)"),
    TM_FAILS("randint", "0, 2, (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
             "rank: shape must have at most 32 dimensions, got 33"),
    TM_FAILS("randint", "0, 2, (2), float32",
             "dtype: dtype must be uint8, int32 or int64, got float32"),
    TM_FAILS("randint", "0, 2, (2), bool", "dtype: dtype must be uint8, int32 or int64, got bool"),
    TM_FAILS("randint", "5, 5, (2)", "value: high must be above low 5, got 5"),
    TM_FAILS("randint", "5, -5, (0)", "value: high must be above low 5, got -5"),
    TM_FAILS("randint", "-1, 5, (2), uint8", "value: low must fit in uint8, got -1"),
    TM_FAILS("randint", "0, 257, (2), uint8", "value: high - 1 must fit in uint8, got high 257"),
    TM_FAILS("randint", "-2147483649, 0, (2), int32",
             "value: low must fit in int32, got -2147483649"),
    TM_FAILS("randint", "0, 2147483649, (2), int32",
             "value: high - 1 must fit in int32, got high 2147483649"),
};
TM_SAMPLES(random, rows);
