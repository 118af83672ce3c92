/* samples/random.c: what holds for every seed; few of the values are known beforehand. */
#include "reading.h"
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
    const void *p = element(y, i);
    switch (tm_dtype_of(y)) {
    case TM_INT8:
        return *(const int8_t *)p;
    case TM_UINT8:
        return *(const uint8_t *)p;
    case TM_INT16:
        return *(const int16_t *)p;
    case TM_UINT16:
        return *(const uint16_t *)p;
    case TM_INT32:
        return *(const int32_t *)p;
    case TM_UINT32:
        return *(const uint32_t *)p;
    default:
        return *(const int64_t *)p;
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

static bool judge_uniform(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    for (int64_t i = 0; i < tm_numel(y); i++)
        if (!(value(y, i) >= args[0].f && value(y, i) < args[1].f))
            return false;
    return true;
}

/* Every number from 0 on once. */
static bool judge_randperm(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    for (int64_t v = 0; v < args[0].i; v++) {
        int times = 0;
        for (int64_t i = 0; i < tm_numel(y); i++)
            times += integer_at(y, i) == v;
        if (times != 1)
            return false;
    }
    return tm_numel(y) == args[0].i;
}

/* Mean and variance within six deviations, where there are many; no element beyond ten. */
static bool judge_moments(const tm_tensor *y, double mean, double variance, double kurtosis)
{
    int64_t n = tm_numel(y);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = value(y, i) - mean;
        if (!(d * d <= 1600 * variance))
            return false;
        sum += d;
        squares += d * d;
    }
    double rate = 6 / sqrt((double)n), spread = variance * sqrt(kurtosis - 1);
    return n < 100 || (fabs(sum / (double)n) <= rate * sqrt(variance) &&
                       fabs(squares / (double)n - variance) <= rate * spread);
}

static bool judge_randn(const tm_value *args, const tm_value *results)
{
    (void)args;
    return judge_moments(results[0].tensor, 0, 1, 3);
}

static bool judge_normal(const tm_value *args, const tm_value *results)
{
    return judge_moments(results[0].tensor, args[0].f, args[1].f * args[1].f, 3);
}

/* Within ten deviations of the element's own mean, exactly it where there is no deviation. */
static bool judge_normals(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor, *mean = args[0].tensor, *std = args[1].tensor;
    for (int64_t i = 0; tm_ndim(mean) == tm_ndim(y) && tm_ndim(std) == tm_ndim(y) &&
                        tm_numel(mean) == tm_numel(std) && i < tm_numel(y);
         i++)
        if (!(fabs(value(y, i) - value(mean, i)) <= 10 * value(std, i)))
            return false;
    return true;
}

static bool judge_exponential(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    for (int64_t i = 0; i < tm_numel(y); i++)
        if (!(value(y, i) > 0))
            return false;
    return judge_moments(y, 1 / args[0].f, 1 / (args[0].f * args[0].f), 9);
}

static bool judge_bernoulli(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor, *p = args[0].tensor;
    for (int64_t i = 0; i < tm_numel(y); i++) {
        double v = value(y, i), at = value(p, i);
        if ((v != 0 && v != 1) || (at == 0 && v != 0) || (at == 1 && v != 1))
            return false;
    }
    return true;
}

static bool judge_bernoullis(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor;
    double p = args[0].f, n = (double)tm_numel(y), sum = 0;
    for (int64_t i = 0; i < tm_numel(y); i++) {
        if (value(y, i) != 0 && value(y, i) != 1)
            return false;
        sum += value(y, i);
    }
    return n < 100 || fabs(sum - n * p) <= 6 * sqrt(n * p * (1 - p));
}

/* Categories of positive weight; without replacement none of a row twice. */
static bool judge_multinomial(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor, *w = args[0].tensor;
    int64_t n = tm_shape(w)[tm_ndim(w) - 1], num = args[1].i;
    for (int64_t i = 0; i < tm_numel(y); i++) {
        int64_t c = integer_at(y, i), row = i / num;
        if (c < 0 || c >= n || !(value(w, row * n + c) > 0))
            return false;
        for (int64_t k = row * num; k < i && !args[2].b; k++)
            if (integer_at(y, k) == c)
                return false;
    }
    return true;
}

static bool judge_rand_like(const tm_value *args, const tm_value *results)
{
    return judge_rand(args, results);
}

static bool judge_randint_like(const tm_value *args, const tm_value *results)
{
    return judge_randint(args + 1, results);
}

/* Each element zero, or x / (1 - p) up to the dtype's rounding. */
static bool judge_dropout(const tm_value *args, const tm_value *results)
{
    const tm_tensor *y = results[0].tensor, *x = args[0].tensor;
    double p = args[1].f;
    for (int64_t i = 0; i < tm_numel(y); i++) {
        double v = value(y, i), kept = value(x, i) / (1 - p);
        if (p == 1 ? v != 0 : v != 0 && !close_to(v, kept, 1e-6 * fabs(kept)))
            return false;
    }
    return true;
}

#define TOO_MANY_SIZES "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"
#define TOO_MANY "rank: shape must have at most 32 dimensions, got 33"
#define NEGATIVE "shape: shape must not have negative sizes, got (-1,)"
#define NO_FLOAT "dtype: dtype must be a floating-point dtype, got int32"

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
    TM_FAILS("rand", TOO_MANY_SIZES, TOO_MANY),
    TM_JUDGED("rand", "(40), generator=gen(7)", judge_rand),
    TM_JUDGED("rand", "(4), float64, gen(7, 3)", judge_rand),
    TM_FAILS("rand", "(2), int32", NO_FLOAT),
    TM_FAILS("rand", "(2), complex64",
             "dtype: dtype must be a floating-point dtype, got complex64"),

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
    TM_FAILS("randint", "0, 2, (2), float32", "dtype: dtype must be an integer dtype, got float32"),
    TM_FAILS("randint", "0, 2, (2), bool", "dtype: dtype must be an integer dtype, got bool"),
    TM_JUDGED("randint", "-128, 128, (40), int8", judge_randint),
    TM_JUDGED("randint", "-32768, 32768, (5), int16", judge_randint),
    TM_JUDGED("randint", "0, 65536, (5), uint16", judge_randint),
    TM_JUDGED("randint", "0, 4294967296, (5), uint32", judge_randint),
    TM_JUDGED("randint", "0, 9223372036854775807, (5), uint64, gen(1)", judge_randint),
    TM_FAILS("randint", "0, 129, (2), int8", "value: high - 1 must fit in int8, got high 129"),
    TM_FAILS("randint", "-1, 1, (2), uint64", "value: low must fit in uint64, got -1"),
    TM_FAILS("randint", "5, 5, (2)", "value: high must be above low 5, got 5"),
    TM_FAILS("randint", "5, -5, (0)", "value: high must be above low 5, got -5"),
    TM_FAILS("randint", "-1, 5, (2), uint8", "value: low must fit in uint8, got -1"),
    TM_FAILS("randint", "0, 257, (2), uint8", "value: high - 1 must fit in uint8, got high 257"),
    TM_FAILS("randint", "-2147483649, 0, (2), int32",
             "value: low must fit in int32, got -2147483649"),
    TM_FAILS("randint", "0, 2147483649, (2), int32",
             "value: high - 1 must fit in int32, got high 2147483649"),

    /* uniform */
    TM_JUDGED("uniform", "-1.5, 2.5, (3,4)", judge_uniform),
    TM_JUDGED("uniform", "0, 1, (), float64", judge_uniform),
    TM_JUDGED("uniform", "1, 1.0000001, (300)", judge_uniform),
    TM_JUDGED("uniform", "-1.401298464324817e-45, 0, (20)", judge_uniform),
    TM_JUDGED("uniform", "-3, -2, (300), float64, gen(5)", judge_uniform),
    TM_JUDGED("uniform", "0, 1, (2,0)", judge_uniform),
    TM_EXACT("uniform", "1, 1.0000001, (3)", "f32[3]{1 1 1}"),
    TM_FAILS("uniform", "0, 1, (-1)", NEGATIVE),
    TM_FAILS("uniform", "0, 1, (2), int32", NO_FLOAT),
    TM_FAILS("uniform", "inf, 1, (2)", "value: low must be finite in float32, got inf"),
    TM_FAILS("uniform", "0, 1e39, (2)", "value: high must be finite in float32, got 1e+39"),
    TM_FAILS("uniform", "0, nan, (2)", "value: high must be finite in float32, got nan"),
    TM_FAILS("uniform", "1, 1, (2)", "value: high must be above low 1 in float32, got 1"),
    TM_FAILS("uniform", "2, -1, (2), float64",
             "value: high must be above low 2 in float64, got -1"),
    TM_FAILS("uniform", "-1e308, 1e308, (2), float64",
             "value: high - low must be finite, got low -1e+308 and high 1e+308"),

    /* randperm */
    TM_JUDGED("randperm", "0", judge_randperm),
    TM_JUDGED("randperm", "1", judge_randperm),
    TM_JUDGED("randperm", "9", judge_randperm),
    TM_JUDGED("randperm", "40, int8", judge_randperm),
    TM_JUDGED("randperm", "256, uint8, gen(3)", judge_randperm),
    TM_JUDGED("randperm", "17, int32", judge_randperm),
    TM_JUDGED("randperm", "17, uint16", judge_randperm),
    TM_FAILS("randperm", "-1", "value: n must not be negative, got -1"),
    TM_FAILS("randperm", "257, uint8", "value: n - 1 must fit in uint8, got n 257"),
    TM_FAILS("randperm", "3, float32", "dtype: dtype must be an integer dtype, got float32"),

    /* randn, normal, exponential */
    TM_JUDGED("randn", "(3,5)", judge_randn),
    TM_JUDGED("randn", "()", judge_randn),
    TM_JUDGED("randn", "(0,2), float64", judge_randn),
    TM_JUDGED("randn", "(1001)", judge_randn),
    TM_JUDGED("randn", "(701), float64, gen(2)", judge_randn),
    TM_FAILS("randn", "(-1)", NEGATIVE),
    TM_FAILS("randn", TOO_MANY_SIZES, TOO_MANY),
    TM_FAILS("randn", "(2), int32", NO_FLOAT),
    TM_JUDGED("normal", "3, 0.5, (2,3)", judge_normal),
    TM_JUDGED("normal", "-3, 2, (600), float64, gen(9)", judge_normal),
    TM_EXACT("normal", "2.5, 0, (3)", "f32[3]{2.5 2.5 2.5}"),
    TM_FAILS("normal", "0, 1, (-1)", NEGATIVE),
    TM_FAILS("normal", "0, 1, (2), int32", NO_FLOAT),
    TM_FAILS("normal", "0, -1, (2)", "value: std must not be negative or NaN, got -1"),
    TM_FAILS("normal", "0, nan, (2)", "value: std must not be negative or NaN, got nan"),
    TM_JUDGED("normal.tensor", "f32[3,4], f32[3,4]~unit", judge_normals),
    TM_JUDGED("normal.tensor", "f64[300], f64[300]~unit, gen(4)", judge_normals),
    TM_JUDGED("normal.tensor", "f32[3,1], f64[1,4]~unit", judge_normals),
    TM_JUDGED("normal.tensor", "f32[2,3,4], f32[3,1]~pos", judge_normals),
    TM_JUDGED("normal.tensor", "f32[], f32[2,0]~unit", judge_normals),
    TM_EXACT("normal.tensor", "f64[2]{1 2}, f32[]{0}", "f64[2]{1 2}"),
    TM_FAILS("normal.tensor", "f32[2]{1 2}, f32[2]{1 -2}",
             "value: std must not be negative or NaN, got -2"),
    TM_JUDGED("normal.tensor", "f32[2]{1 2}, f32[2]{1 2}", judge_normals),
    TM_FAILS("normal.tensor", "i32[2], f32[2]",
             "dtype: mean must have a floating-point dtype, got int32"),
    TM_FAILS("normal.tensor", "f32[2], b8[2]",
             "dtype: std must have a floating-point dtype, got bool"),
    TM_LAW("normal.mean", "f32[3,4], 0.25"),
    TM_LAW("normal.mean", "f64[300], generator=gen(4)"),
    TM_EXACT("normal.mean", "f32[2]{1 2}, 0", "f32[2]{1 2}"),
    TM_FAILS("normal.mean", "f32[2], -0.5", "value: std must not be negative or NaN, got -0.5"),
    TM_FAILS("normal.mean", "i64[2]", "dtype: mean must have a floating-point dtype, got int64"),
    TM_LAW("normal.std", "1.5, f32[3,4]~unit"),
    TM_LAW("normal.std", "-1, f64[]~unit, gen(4)"),
    TM_EXACT("normal.std", "1.5, f32[2]{0 0}", "f32[2]{1.5 1.5}"),
    TM_FAILS("normal.std", "1.5, f32[2]{0 nan}", "value: std must not be negative or NaN, got nan"),
    TM_FAILS("normal.std", "1, i64[2]", "dtype: std must have a floating-point dtype, got int64"),
    TM_JUDGED("exponential", "2, (3,4)", judge_exponential),
    TM_JUDGED("exponential", "0.5, (900)", judge_exponential),
    TM_JUDGED("exponential", "1, (), float64", judge_exponential),
    TM_JUDGED("exponential", "3, (800), float64, gen(1)", judge_exponential),
    TM_FAILS("exponential", "1, (-1)", NEGATIVE),
    TM_FAILS("exponential", "1, (2), int32", NO_FLOAT),
    TM_FAILS("exponential", "0, (2)", "value: rate must be positive and finite, got 0"),
    TM_FAILS("exponential", "inf, (2)", "value: rate must be positive and finite, got inf"),
    TM_FAILS("exponential", "nan, (2)", "value: rate must be positive and finite, got nan"),

    /* bernoulli */
    TM_JUDGED("bernoulli", "f32[3,4]~unit", judge_bernoulli),
    TM_JUDGED("bernoulli", "f64[300]~unit, bool, gen(6)", judge_bernoulli),
    TM_JUDGED("bernoulli", "f32[]~unit, int64", judge_bernoulli),
    TM_JUDGED("bernoulli", "f32[0,3]~unit", judge_bernoulli),
    TM_EXACT("bernoulli", "f32[4]{0 1 1 0}", "f32[4]{0 1 1 0}"),
    TM_FAILS("bernoulli", "f32[4]{0 1 1.5 0}", "value: p must be in [0, 1], got 1.5"),
    TM_FAILS("bernoulli", "f32[4]{0 nan 1 0}", "value: p must be in [0, 1], got nan"),
    TM_FAILS("bernoulli", "i32[4]", "dtype: p must have a floating-point dtype, got int32"),
    TM_JUDGED("bernoulli.shape", "0.25, (3,4)", judge_bernoullis),
    TM_JUDGED("bernoulli.shape", "0.9, (700), uint8, gen(2)", judge_bernoullis),
    TM_JUDGED("bernoulli.shape", "0.5, (), float64", judge_bernoullis),
    TM_EXACT("bernoulli.shape", "1, (3), bool", "b8[3]{1 1 1}"),
    TM_EXACT("bernoulli.shape", "0, (2,1)", "f32[2,1]{0 0}"),
    TM_FAILS("bernoulli.shape", "0.5, (-1)", NEGATIVE),
    TM_FAILS("bernoulli.shape", "-0.5, (2)", "value: p must be in [0, 1], got -0.5"),
    TM_FAILS("bernoulli.shape", "nan, (2)", "value: p must be in [0, 1], got nan"),

    /* multinomial */
    TM_JUDGED("multinomial", "f32[5]~pos, 3", judge_multinomial),
    TM_JUDGED("multinomial", "f64[2,4]~pos, 4", judge_multinomial),
    TM_JUDGED("multinomial", "f32[2,3]~pos, 300, True, gen(8)", judge_multinomial),
    TM_JUDGED("multinomial", "f32[300]~pos, 290", judge_multinomial),
    TM_JUDGED("multinomial", "f32[4]{0 1 0 2}, 9, True", judge_multinomial),
    TM_JUDGED("multinomial", "f32[4]{0 1 0 2}, 2", judge_multinomial),
    TM_JUDGED("multinomial", "f32[0,4]~pos, 2", judge_multinomial),
    TM_EXACT("multinomial", "f32[3]{0 2 0}, 4, True", "i64[4]{1 1 1 1}"),
    TM_EXACT("multinomial", "f32[2,1]{2 3}, 1", "i64[2,1]{0 0}"),
    TM_EXACT("multinomial", "f32[2,3]~pos, 0", "i64[2,0]"),
    TM_FAILS("multinomial", "f32[], 1", "rank: probs must have at least 1 dimension, got shape ()"),
    TM_FAILS("multinomial", "i32[3], 1",
             "dtype: probs must have a floating-point dtype, got int32"),
    TM_FAILS("multinomial", "f32[2,0], 1",
             "shape: probs must have at least one category, got shape (2, 0)"),
    TM_FAILS("multinomial", "f32[3]~pos, -1", "value: num_samples must not be negative, got -1"),
    TM_FAILS("multinomial", "f32[3]~pos, 4",
             "value: num_samples must be at most the number of categories 3 without replacement, "
             "got 4"),
    TM_FAILS("multinomial", "f32[4]{0 1 0 2}, 3",
             "value: num_samples must be at most the number of categories with a positive weight 2 "
             "without replacement, got 3"),
    TM_FAILS("multinomial", "f32[3]{1 -1 1}, 1",
             "value: probs must be finite and not negative, got -1"),
    TM_FAILS("multinomial", "f32[3]{1 nan 1}, 1, True",
             "value: probs must be finite and not negative, got nan"),
    TM_FAILS("multinomial", "f32[3]{1 inf 1}, 1, True",
             "value: probs must be finite and not negative, got inf"),
    TM_FAILS("multinomial", "f32[2]{0 0}, 1, True",
             "value: probs must have a positive, finite sum, got 0"),
    TM_FAILS("multinomial", "f64[2]{1e308 1e308}, 1",
             "value: probs must have a positive, finite sum, got inf"),

    /* in the shape of a tensor */
    TM_JUDGED("rand_like", "f32[3,4]", judge_rand_like),
    TM_JUDGED("rand_like", "i32[200], float64, gen(3)", judge_rand_like),
    TM_FAILS("rand_like", "i32[2]", NO_FLOAT),
    TM_JUDGED("randn_like", "f64[3,4]", judge_randn),
    TM_JUDGED("randn_like", "b8[200], float32, gen(3)", judge_randn),
    TM_FAILS("randn_like", "i32[2]", NO_FLOAT),
    TM_JUDGED("randint_like", "i32[3,4], -2, 5", judge_randint_like),
    TM_JUDGED("randint_like", "f32[7], 0, 3, int64, gen(3)", judge_randint_like),
    TM_FAILS("randint_like", "f32[2], 0, 3", "dtype: dtype must be an integer dtype, got float32"),
    TM_FAILS("randint_like", "i32[2], 3, 3", "value: high must be above low 3, got 3"),
    TM_FAILS("randint_like", "u8[2], -1, 3", "value: low must fit in uint8, got -1"),
    TM_FAILS("randint_like", "u8[2], 0, 300", "value: high - 1 must fit in uint8, got high 300"),
    TM_JUDGED("dropout", "f32[3,4]", judge_dropout),
    TM_JUDGED("dropout", "f64[300], 0.25, True, gen(3)", judge_dropout),
    TM_JUDGED("dropout", "f32[4]~special, 1", judge_dropout),
    TM_EXACT("dropout", "f32[3]{1 nan inf}, 1", "f32[3]{0 0 0}"),
    TM_EXACT("dropout", "f32[3]{1 nan -2}, 0", "f32[3]{1 nan -2}"),
    TM_EXACT("dropout", "f32[3]{1 nan -2}, 0.5, False", "f32[3]{1 nan -2}"),
    TM_FAILS("dropout", "i32[2]", "dtype: x must have a floating-point dtype, got int32"),
    TM_FAILS("dropout", "f32[2], 1.5", "value: p must be in [0, 1], got 1.5"),
    TM_FAILS("dropout", "f32[2], nan", "value: p must be in [0, 1], got nan"),
    TM_FAILS("normal.tensor", "f32[2], f32[3]~pos",
             "shape: std must broadcast with shape (2,), got shape (3,)"),
};
TM_SAMPLES(random, rows);
