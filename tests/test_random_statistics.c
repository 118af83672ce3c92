/* test_random_statistics.c: random numbers against the distributions they are to have.
 *
 * Seeds are fixed, so a test passes always or never. Distances of distribution functions are held
 * to the Kolmogorov-Smirnov bound at one in a thousand, counts to the chi-square quantile there.
 */
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { MANY = 40000 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The greatest distance between the samples' distribution function and `cdf`, times sqrt(n); below
 * 1.95 in all but one of a thousand cases. */
static double distance(const tm_tensor *samples, double (*cdf)(double))
{
    int64_t n = tm_numel(samples);
    double *v = malloc((size_t)n * sizeof *v), most = 0;
    for (int64_t i = 0; i < n; i++)
        v[i] = test_value(samples, i);
    qsort(v, (size_t)n, sizeof *v, ascending);
    for (int64_t i = 0; i < n; i++) {
        double at = cdf(v[i]), below = (double)i / (double)n, above = (double)(i + 1) / (double)n;
        most = fmax(most, fmax(at - below, above - at));
    }
    free(v);
    return most * sqrt((double)n);
}

static double uniform_cdf(double v)
{
    return (v + 1) / 4; /* of [-1, 3) */
}

static double normal_cdf(double v)
{
    return 0.5 * erfc(-(v - 2) / 3 / sqrt(2)); /* mean 2, deviation 3 */
}

static double exponential_cdf(double v)
{
    return -expm1(-0.5 * v); /* rate 1/2 */
}

START_TEST(distributions_are_the_stated_ones)
{
    const tm_int_list many = TM_INTS(MANY);
    static const tm_dtype dtypes[] = {TM_FLOAT32, TM_FLOAT64};
    for (int i = 0; i < COUNT(dtypes); i++) {
        tm_seed(11 + (uint64_t)i);
        ck_assert_double_lt(distance(MADE(tm_uniform(-1, 3, many, dtypes[i], NULL)), uniform_cdf),
                            1.95);
        ck_assert_double_lt(distance(MADE(tm_normal(2, 3, many, dtypes[i], NULL)), normal_cdf),
                            1.95);
        ck_assert_double_lt(
            distance(MADE(tm_exponential(0.5, many, dtypes[i], NULL)), exponential_cdf), 1.95);
    }
}
END_TEST

/* The distance itself tells distributions apart: a shift of a fiftieth of a deviation is seen. */
START_TEST(a_wrong_distribution_is_seen)
{
    tm_seed(11);
    tm_tensor *x = MADE(tm_normal(2.06, 3, TM_INTS(MANY), TM_FLOAT64, NULL));
    ck_assert_double_gt(distance(x, normal_cdf), 1.95);
}
END_TEST

/* The sum over k counts of (count - expected)^2 / expected. */
static double chi_square(const int64_t *counts, const double *share, int k)
{
    double total = 0, sum = 0;
    for (int i = 0; i < k; i++)
        total += (double)counts[i];
    for (int i = 0; i < k; i++) {
        double expected = total * share[i], off = (double)counts[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

static void count_values(const tm_tensor *x, int64_t *counts, int k)
{
    for (int64_t i = 0; i < tm_numel(x); i++) {
        int64_t v = (int64_t)test_value(x, i);
        ck_assert_msg(v >= 0 && v < k, "%lld is not in 0..%d", (long long)v, k - 1);
        counts[v]++;
    }
}

START_TEST(choices_have_their_weights)
{
    const double share[4] = {0.1, 0.2, 0.3, 0.4}, even[4] = {0.25, 0.25, 0.25, 0.25};
    int64_t counts[4] = {0}, whole[4] = {0}, coin[2] = {0};
    tm_seed(5);
    tm_tensor *weights = MADE(tm_from_data(TM_FLOAT64, 1, (const int64_t[]){4}, share));
    count_values(MADE(tm_multinomial(weights, MANY, true, NULL)), counts, 4);
    ck_assert_double_lt(chi_square(counts, share, 4), 16.27); /* 3 degrees of freedom */
    count_values(MADE(tm_randint(0, 4, TM_INTS(MANY), TM_INT32, NULL)), whole, 4);
    ck_assert_double_lt(chi_square(whole, even, 4), 16.27);
    const double biased[2] = {0.7, 0.3};
    count_values(MADE(tm_bernoulli_shape(0.3, TM_INTS(MANY), TM_FLOAT32, NULL)), coin, 2);
    ck_assert_double_lt(chi_square(coin, biased, 2), 10.83); /* 1 degree of freedom */
}
END_TEST

/* Without replacement the first choice still has the weights, and no choice comes twice. */
START_TEST(choices_without_replacement_differ)
{
    const double share[3] = {0.2, 0.3, 0.5};
    int64_t counts[3] = {0};
    tm_seed(6);
    tm_tensor *weights = MADE(tm_from_data(TM_FLOAT64, 1, (const int64_t[]){3}, share));
    tm_vmap_level *level = tm_vmap_push(&(tm_vmap_options){.struct_size = sizeof(tm_vmap_options),
                                                           .size = &(int64_t){MANY},
                                                           .randomness = TM_RANDOMNESS_DIFFERENT});
    tm_tensor *y = MADE(tm_vmap_out(level, MADE(tm_multinomial(weights, 3, false, NULL)), 0));
    EXPECT_OK(tm_vmap_pop(level));
    for (int64_t i = 0; i < MANY; i++) {
        int first = (int)test_value(y, 3 * i), second = (int)test_value(y, 3 * i + 1);
        int third = (int)test_value(y, 3 * i + 2);
        ck_assert_int_eq(1 << first | 1 << second | 1 << third, 7);
        counts[first]++;
    }
    ck_assert_double_lt(chi_square(counts, share, 3), 13.82); /* 2 degrees of freedom */
}
END_TEST

START_TEST(permutations_are_equally_likely)
{
    const double sixth = 1.0 / 6, even[6] = {sixth, sixth, sixth, sixth, sixth, sixth};
    int64_t counts[6] = {0};
    tm_seed(7);
    for (int i = 0; i < 6000; i++) {
        tm_scope *scope = tm_scope_push();
        tm_tensor *p = MADE(tm_randperm(3, TM_INT64, NULL));
        int a = (int)test_value(p, 0), b = (int)test_value(p, 1), c = (int)test_value(p, 2);
        ck_assert_int_eq(1 << a | 1 << b | 1 << c, 7);
        counts[2 * a + (b > c)]++;
        tm_scope_pop(scope);
    }
    ck_assert_double_lt(chi_square(counts, even, 6), 20.52); /* 5 degrees of freedom */
}
END_TEST

Suite *random_statistics_suite(void)
{
    const TTest *const tests[] = {distributions_are_the_stated_ones, a_wrong_distribution_is_seen,
                                  choices_have_their_weights, choices_without_replacement_differ,
                                  permutations_are_equally_likely};
    return test_suite("random_statistics", tests, COUNT(tests));
}
