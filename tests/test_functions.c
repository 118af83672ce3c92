/* test_functions.c: elementary functions of runs: close to C's, the same wherever an element lies.
 */
#include <math.h>
#include <string.h>

#include "ops/functions.h"
#include "suites.h"
#include "support.h"

typedef struct function {
    const char *name;
    void (*run)(const float *, float *, int64_t);
    void (*run_double)(const double *, double *, int64_t);
    double (*c)(double);
    long double (*c_long)(long double);
} function;

#define ROW(name) {#name, tm_##name##_float32_run, tm_##name##_float64_run, name, name##l},
static const function functions[] = {TM_FUNCTIONS(ROW)};

enum { VALUES = 1013 };

/* From the smallest to the largest, of both signs, and those where functions turn. */
static double value_at(int i, bool wide)
{
    static const double special[] = {0,        -0.0,      1,    -1,   0.5,     -0.5,
                                     2,        88.5,      -103, -NAN, 710,     -744.5,
                                     INFINITY, -INFINITY, 1e38, 104,  0x1p-126};
    if (i < COUNT(special))
        return special[i];
    double size =
        ldexp(1 + (i % 97) / 97.0, (i * 7919) % (wide ? 2000 : 250) - (wide ? 1000 : 125));
    if (i % 3 == 0)
        size = (i % 89) + (i % 83) / 83.0;
    return i % 2 ? size : -size;
}

/* In units of the last of `digits` bits; 0 where both are NaN, or infinities or zeros of one sign.
 */
static double error_of(double y, long double wanted, int digits, int least)
{
    if (isnan((double)wanted) || isnan(y))
        return isnan((double)wanted) && isnan(y) ? 0 : INFINITY;
    double nearest = digits == 24 ? (float)wanted : (double)wanted;
    if (isinf(nearest) || isinf(y) || nearest == 0)
        return y == nearest && !signbit(y) == !signbit(nearest) ? 0 : INFINITY;
    int exponent;
    frexpl(wanted, &exponent);
    exponent = exponent < least ? least : exponent;
    return (double)(fabsl(y - wanted) / ldexpl(1, exponent - digits));
}

/* Units in the last place. The C library's cbrt is off by more than SLEEF's. */
#ifdef TM_HAVE_SLEEF
enum { MOST_ULPS = 2 };
#else
enum { MOST_ULPS = 4 };
#endif

/* Whether long double has more digits than double where this runs: not under valgrind. */
static bool has_long_double(void)
{
    volatile long double more = 1 + 0x1p-60L;
    return more != 1;
}

START_TEST(close_to_exact)
{
    const function *f = &functions[_i];
    float x[VALUES], y[VALUES];
    double wide[VALUES], result[VALUES];
    const bool wider = has_long_double();
    for (int i = 0; i < VALUES; i++) {
        x[i] = (float)value_at(i, false);
        wide[i] = value_at(i, true);
    }
    tm_simd most = tm_get_simd();
    for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
        EXPECT_OK(tm_set_simd(level));
        f->run(x, y, VALUES);
        f->run_double(wide, result, VALUES);
        for (int i = 0; i < VALUES; i++) {
            ck_assert_msg(error_of(y[i], f->c(x[i]), 24, -125) <= MOST_ULPS, "%s(%g) is %g, not %g",
                          f->name, (double)x[i], (double)y[i], f->c(x[i]));
            ck_assert_msg(!wider || error_of(result[i], f->c_long(wide[i]), 53, -1021) <= MOST_ULPS,
                          "%s(%.17g) is %.17g, not %.17g", f->name, wide[i], result[i],
                          (double)f->c_long(wide[i]));
        }
    }
}
END_TEST

START_TEST(the_same_at_any_place)
{
    const function *f = &functions[_i];
    enum { ROOM = 80 };
    float x[ROOM], all[ROOM], y[ROOM];
    double wide[ROOM], all_wide[ROOM], result[ROOM];
    tm_simd most = tm_get_simd();
    for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
        EXPECT_OK(tm_set_simd(level));
        for (int i = 0; i < ROOM; i++) {
            wide[i] = value_at(i * 5, true);
            x[i] = (float)value_at(i * 5, false);
        }
        f->run(x, all, ROOM);
        f->run_double(wide, all_wide, ROOM);
        for (int at = 0; at < 20; at++)
            for (int n = 1; n < 40; n += 3) {
                f->run(x + at, y, n);
                ck_assert_mem_eq(y, all + at, (size_t)n * sizeof *y);
                f->run_double(wide + at, result, n);
                ck_assert_mem_eq(result, all_wide + at, (size_t)n * sizeof *result);
            }
        f->run(x, x, ROOM);
        ck_assert_mem_eq(x, all, sizeof x);
    }
}
END_TEST

/* Silent where the processor has only one of them. */
START_TEST(the_same_with_avx2_and_avx512)
{
    const function *f = &functions[_i];
    float x[VALUES], y[2][VALUES];
    tm_simd most = tm_get_simd();
    if (most < TM_SIMD_AVX512)
        return;
    for (int i = 0; i < VALUES; i++)
        x[i] = isnan(value_at(i, false)) ? 3 : (float)value_at(i, false);
    for (int v = 0; v < 2; v++) {
        EXPECT_OK(tm_set_simd(v ? TM_SIMD_AVX512 : TM_SIMD_AVX2));
        f->run(x, y[v], VALUES);
    }
    for (int i = 0; i < VALUES; i++)
        ck_assert(y[0][i] == y[1][i] || isnan(y[0][i]));
}
END_TEST

Suite *functions_suite(void)
{
    const TTest *tests[] = {close_to_exact, the_same_at_any_place, the_same_with_avx2_and_avx512};
    Suite *suite = test_suite("functions", NULL, 0);
    test_suite_loop(suite, tests, COUNT(tests), COUNT(functions));
    return suite;
}
