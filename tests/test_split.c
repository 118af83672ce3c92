/* test_split.c: a batched kernel shared by threads: every example once, suspects in order, one
 * failure, whatever the number of threads.
 */
#ifdef __linux__
#include <sched.h>
#endif

#include "support.h"

/* -- A batched row sum that suspects rows with a negative first element -------------------------
 */

static bool declines_late; /* the parts that hold the last example decline */

static tm_status batched_sum(tm_call *call, const tm_batch *batch)
{
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    const char *from = tm_data(x);
    char *to = tm_mutable_data(tm_call_output(call, 0));
    int64_t inner = batch->ndim > 1 ? batch->size[1] : 1;
    for (int64_t e = 0; e < batch->size[0] * inner; e++) {
        int64_t in = e / inner * batch->step[0], out = e / inner * batch->step[1];
        if (batch->ndim > 1) {
            in += e % inner * batch->step[2];
            out += e % inner * batch->step[3];
        }
        const float *row = (const float *)(const void *)(from + in);
        float sum = 0;
        for (int64_t i = 0; i < tm_shape(x)[0]; i++)
            sum += row[i * tm_strides(x)[0]];
        *(float *)(void *)(to + out) = sum;
        if (row[0] < 0)
            tm_batch_suspect(call, e);
        if (declines_late && row[0] == 998)
            tm_batch_decline(call);
    }
    return TM_OK;
}

/* The plain sum, which fails at rows that begin with a number below -1. */
static tm_status checked_sum(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const float *row = tm_data(x);
    if (row[0] < -1)
        return tm_fail(call, TM_ERR_VALUE, "the row begins with %g", (double)row[0]);
    float sum = 0;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        sum += row[i * tm_strides(x)[0]];
    *(float *)tm_mutable_data(out) = sum;
    return TM_OK;
}

static const tm_op *sum_op(void)
{
    static const int8_t core[] = {1, 0};
    declines_late = false;
    tm_dispatch_reset_stats();
    return OP(.schema = "test_shared_sum(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
              .meta = (tm_fn)test_row_sum_meta, .impl = (tm_fn)checked_sum, .core = core,
              .batched = batched_sum, .thread_safe = true);
}

/* 500 rows (2 i, 2 i + 1). */
static tm_tensor *rows(void)
{
    return test_iota(TM_FLOAT32, TM_INTS(500, 2));
}

static float *data_of(tm_tensor *x)
{
    return tm_mutable_data(x);
}

static tm_tensor *map_in_threads(const tm_op *op, const tm_tensor *x, int threads)
{
    EXPECT_OK(tm_set_num_threads(threads));
    EXPECT_OK(tm_set_path(TM_PATH_SPLIT, TM_PATH_ON));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))});
    if (y)
        y = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    return y;
}

START_TEST(every_example_once)
{
    tm_tensor *y = map_in_threads(sum_op(), rows(), _i);
    for (int64_t i = 0; i < 500; i++)
        ck_assert_double_eq(test_value(y, i), (double)(4 * i + 1));
    ck_assert_uint_eq(tm_dispatch_get_stats().batched_runs, 1);
    ck_assert_uint_eq(tm_dispatch_get_stats().reruns, 0);
}
END_TEST

START_TEST(suspects_of_all_threads_are_run_again)
{
    tm_tensor *x = rows();
    for (int64_t i = 0; i < 500; i += 100)
        data_of(x)[2 * i] = -1;
    tm_tensor *y = map_in_threads(sum_op(), x, _i);
    for (int64_t i = 0; i < 500; i++)
        ck_assert_double_eq(test_value(y, i), i % 100 ? (double)(4 * i + 1) : (double)(2 * i));
    ck_assert_uint_eq(tm_dispatch_get_stats().reruns, 5);
}
END_TEST

START_TEST(the_first_failure_in_order_is_the_one)
{
    tm_tensor *x = rows();
    data_of(x)[2 * 130] = -2;
    data_of(x)[2 * 420] = -3;
    ck_assert_ptr_null(map_in_threads(sum_op(), x, _i));
    EXPECT_ERROR(TM_ERR_VALUE, "the row begins with -2");
}
END_TEST

START_TEST(one_part_that_declines_declines_for_all)
{
    const tm_op *op = sum_op();
    declines_late = true;
    tm_tensor *y = map_in_threads(op, rows(), _i);
    for (int64_t i = 0; i < 500; i++)
        ck_assert_double_eq(test_value(y, i), (double)(4 * i + 1));
    ck_assert_uint_eq(tm_dispatch_get_stats().declined_runs, 1);
}
END_TEST

/* Two loops that do not merge, the longer one inside: that one is shared. */
START_TEST(an_inner_loop_is_shared)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(300, 3, 2));
    data_of(x)[6 * 200 + 2] = -1; /* example (1, 200) */
    EXPECT_OK(tm_set_num_threads(_i));
    EXPECT_OK(tm_set_path(TM_PATH_SPLIT, TM_PATH_ON));
    const tm_op *op = sum_op();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *in_v = MADE(tm_vmap_in(v, x, 1));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *y = CALL(op, {.tensor = MADE(tm_vmap_in(w, in_v, 0))});
    y = MADE(tm_vmap_out(w, y, 0));
    EXPECT_OK(tm_vmap_pop(w));
    y = MADE(tm_vmap_out(v, y, 1));
    EXPECT_OK(tm_vmap_pop(v));
    for (int64_t i = 0; i < 900; i++)
        ck_assert_double_eq(test_value(y, i), i == 601 ? 1202.0 : (double)(4 * i + 1));
    ck_assert_uint_eq(tm_dispatch_get_stats().reruns, 1);
}
END_TEST

#ifdef CPU_COUNT
/* Those that the process may run on; more threads than that get all their work done. */
START_TEST(threads_share_the_cores_there_are)
{
    cpu_set_t all, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    EXPECT_OK(tm_set_num_threads(0));
    ck_assert_int_eq(tm_get_num_threads(), CPU_COUNT(&all) < 64 ? CPU_COUNT(&all) : 64);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_OK(tm_set_num_threads(0));
    ck_assert_int_eq(tm_get_num_threads(), 1);
    const tm_op *op = sum_op();
    for (int i = 0; i < 100; i++)
        ck_assert_double_eq(test_value(map_in_threads(op, rows(), _i), 499), 1997.0);
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST
#endif

Suite *split_suite(void)
{
    const TTest *const tests[] = {
        every_example_once,
        suspects_of_all_threads_are_run_again,
        the_first_failure_in_order_is_the_one,
        one_part_that_declines_declines_for_all,
        an_inner_loop_is_shared,
#ifdef CPU_COUNT
        threads_share_the_cores_there_are,
#endif
    };
    Suite *suite = suite_create("split");
    test_suite_loop(suite, tests, COUNT(tests), 5);
    return suite;
}
