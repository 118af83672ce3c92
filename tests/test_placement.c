/* test_placement.c: a batch that lies innermost in the input lies innermost in the output, and
 * nothing but strides tells.
 */
#include "support.h"

/* The batch of 4 last in memory. */
static tm_tensor *batch_last(void)
{
    return test_iota(TM_FLOAT32, TM_INTS(2, 3, 4));
}

START_TEST(elementwise_keeps_the_batch_innermost)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_vmap_in(v, batch_last(), 2));
    tm_tensor *y = MADE(tm_neg(x));
    ck_assert_int_eq(tm_strides(y)[0], 12);
    ck_assert_int_eq(tm_strides(y)[1], 4);
    tm_tensor *out = MADE(tm_vmap_out(v, y, 2));
    ck_assert_int_eq(tm_strides(out)[2], 1);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(out, TM_INTS(2, 3, 4), 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13,
               -14, -15, -16, -17, -18, -19, -20, -21, -22, -23);
}
END_TEST

START_TEST(between_logical_dimensions_it_never_lies)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_vmap_in(v, batch_last(), 1));
    tm_tensor *y = MADE(tm_neg(x));
    ck_assert_int_eq(tm_strides(y)[0], 4);
    ck_assert_int_eq(tm_strides(y)[1], 1);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(switched_off_and_on)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *last = MADE(tm_vmap_in(v, batch_last(), 2));
    EXPECT_OK(tm_set_path(TM_PATH_INNER, TM_PATH_OFF));
    ck_assert_int_eq(tm_strides(MADE(tm_neg(last)))[1], 1);
    EXPECT_OK(tm_vmap_pop(v));
    v = tm_vmap_push(NULL);
    tm_tensor *first = MADE(tm_vmap_in(v, batch_last(), 0));
    EXPECT_OK(tm_set_path(TM_PATH_INNER, TM_PATH_ON));
    EXPECT_OK(tm_set_path(TM_PATH_FLAT, TM_PATH_OFF));
    ck_assert_int_eq(tm_strides(MADE(tm_neg(first)))[1], 2);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(reductions_keep_it_too)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_vmap_in(v, batch_last(), 2));
    tm_tensor *y = MADE(tm_sum(x, &TM_INTS(0), false));
    ck_assert_int_eq(tm_strides(y)[0], 4);
    tm_tensor *out = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(out, TM_INTS(4, 3), 12, 20, 28, 14, 22, 30, 16, 24, 32, 18, 26, 34);
}
END_TEST

/* A result of one example is row-major, so a reshape of it is a view and writes go through. */
START_TEST(views_of_such_a_result_are_views)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_vmap_in(v, batch_last(), 2));
    tm_tensor *y = MADE(tm_neg(x));
    tm_tensor *flat = MADE(tm_reshape(y, TM_INTS(6)));
    MADE(tm_mul_(flat, MADE(tm_sum(x, NULL, false))));
    tm_tensor *out = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(tm_select(out, 0, 1), TM_INTS(2, 3), -66, -330, -594, -858, -1122, -1386);
}
END_TEST

/* Two levels inside: the order of memory is kept, whichever level is outermost. */
START_TEST(two_levels_in_the_order_of_memory)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4)); /* v: the last, w: the middle one */
    tm_tensor *in_v = MADE(tm_vmap_in(v, x, 2));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *y = MADE(tm_neg(MADE(tm_vmap_in(w, in_v, 1))));
    ck_assert_int_eq(tm_strides(y)[0], 12);
    tm_tensor *out = MADE(tm_vmap_out(w, y, 1));
    EXPECT_OK(tm_vmap_pop(w));
    out = MADE(tm_vmap_out(v, out, 2));
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_int_eq(tm_strides(out)[1], 4);
    ck_assert_int_eq(tm_strides(out)[2], 1);
}
END_TEST

Suite *placement_suite(void)
{
    const TTest *const tests[] = {
        elementwise_keeps_the_batch_innermost,
        between_logical_dimensions_it_never_lies,
        switched_off_and_on,
        reductions_keep_it_too,
        views_of_such_a_result_are_views,
        two_levels_in_the_order_of_memory,
    };
    return test_suite("placement", tests, COUNT(tests));
}
