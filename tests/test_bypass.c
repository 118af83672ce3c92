/* test_bypass.c: results written past the caches are the results. */
#include <string.h>

#include "dispatch/bypass.h"
#include "suites.h"
#include "support.h"

START_TEST(copies_of_any_place_and_length)
{
    enum { ROOM = 400, LONGEST = 200 };
    _Alignas(64) char from[ROOM], to[ROOM];
    for (int i = 0; i < ROOM; i++)
        from[i] = (char)(i * 7 + 1);
    for (int at = 0; at < 64; at += 3)
        for (int length = 0; length < LONGEST; length++) {
            memset(to, 0, ROOM);
            tm_bypass_copy(to + at, from + 5, length);
            tm_bypass_end();
            ck_assert_mem_eq(to + at, from + 5, (size_t)length);
            for (int i = 0; i < ROOM; i++)
                ck_assert(to[i] == 0 || (i >= at && i < at + length));
        }
}
END_TEST

/* Rows of whole lines and of others, apart from each other; what is fetched need not exist. */
START_TEST(rows_of_any_place_and_length)
{
    enum { ROWS = 5, STEP = 256, ROOM = ROWS * STEP + 64 };
    _Alignas(64) char from[ROOM], to[ROOM];
    for (int i = 0; i < ROOM; i++)
        from[i] = (char)(i * 7 + 1);
    for (int count = 0; count <= TM_AHEAD; count++)
        for (int at = 0; at < 64; at += 16)
            for (int length = 0; length <= 192; length += 16) {
                tm_ahead ahead = {.count = count};
                for (int k = 0; k < count; k++)
                    ahead.at[k] = (uintptr_t)(k + 1) << 40, ahead.step[k] = 64 >> k;
                memset(to, 0, ROOM);
                tm_bypass_rows(to + at, STEP, from + 3, length, ROWS, &ahead);
                tm_bypass_end();
                for (int i = 0; i < ROOM; i++) {
                    int row = (i - at) / STEP, in = (i - at) % STEP;
                    bool inside = i >= at && row < ROWS && in < length;
                    ck_assert_int_eq(to[i], inside ? from[3 + row * length + in] : 0);
                }
            }
}
END_TEST

enum { RESULTS = 8 };

/* x + y, x + a row, x of another layout, into a tensor that starts between two lines, in place, in
 * an order that is not the output's; elements at indices, into a tensor that starts between two
 * lines, and where rows are not neighbours. */
static void results(tm_tensor *out[RESULTS])
{
    const int64_t shape[] = {7, 181};
    tm_int_list sizes = {shape, 2};
    tm_tensor *x = test_iota(TM_FLOAT32, sizes), *y = tm_mul_scalar(x, tm_scalar_float(0.25));
    tm_tensor *turned = tm_matrix_transpose(test_iota(TM_FLOAT32, TM_INTS(181, 7)));
    out[0] = MADE(tm_add(x, y));
    out[1] = MADE(tm_add(x, test_iota(TM_FLOAT32, TM_INTS(181))));
    out[2] = MADE(tm_mul(x, turned));
    out[3] = tm_slice(tm_zeros(TM_INTS(8, 181), TM_FLOAT32), 0, 1, 8, 1);
    tm_addcmul_out(x, x, y, tm_scalar_float(2), out[3]);
    out[4] = tm_clone(x);
    MADE(tm_mul_(out[4], out[4]));
    tm_tensor *middle = tm_swapaxes(test_iota(TM_FLOAT32, TM_INTS(5, 9, 64)), 0, 1);
    out[5] = MADE(tm_add(middle, middle));
    tm_tensor *table = test_iota(TM_FLOAT32, TM_INTS(100, 31));
    tm_tensor *index =
        tm_remainder_scalar(test_iota(TM_INT64, TM_INTS(100, 47)), tm_scalar_int(31));
    out[6] = tm_slice(tm_zeros(TM_INTS(101, 47), TM_FLOAT32), 0, 1, 101, 1);
    tm_gather_out(table, 1, index, out[6]);
    out[7] = tm_slice(tm_zeros(TM_INTS(100, 80), TM_FLOAT32), 1, 3, 50, 1);
    tm_gather_out(table, 1, index, out[7]);
}

START_TEST(results_do_not_depend_on_it)
{
    tm_tensor *plain[RESULTS], *past[RESULTS];
    EXPECT_OK(tm_set_paths("flat=off,stream=off"));
    results(plain);
    EXPECT_OK(tm_set_paths("stream=on"));
    for (tm_simd level = TM_SIMD_PORTABLE; tm_set_simd(level) == TM_OK; level++) {
        results(past);
        for (int i = 0; i < RESULTS; i++)
            for (int64_t k = 0; k < tm_numel(plain[i]); k++)
                ck_assert(test_value(plain[i], k) == test_value(past[i], k));
    }
    tm_error_clear();
    EXPECT_OK(tm_set_paths("flat=auto,stream=auto"));
}
END_TEST

Suite *bypass_suite(void)
{
    const TTest *tests[] = {copies_of_any_place_and_length, rows_of_any_place_and_length,
                            results_do_not_depend_on_it};
    return test_suite("bypass", tests, COUNT(tests));
}
