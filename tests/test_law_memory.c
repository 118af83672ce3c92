/* test_law_memory.c: the law checker with failing allocations: every op, and ops that break what
 * they promise only when there is no memory.
 */
#include <stdlib.h>
#include <string.h>

#include "law_support.h"

START_TEST(every_op_without_memory)
{
    test_expect_law((tm_law_options){.cases = 3000, .fail_alloc = true});
}
END_TEST

static void expect_found(const char *op, const char *part)
{
    tm_law_result result;
    char *text =
        test_law_report_with(op, (tm_law_options){.cases = 100, .fail_alloc = true}, &result);
    ck_assert_msg(strstr(text, part) && strstr(text, "--fail-alloc"),
                  "%s: the report lacks \"%s\":\n%s", op, part, text);
    free(text);
}

static tm_status written_meta(tm_call *call, const tm_tensor *x)
{
    return test_row_meta(call, x);
}

/* Writes its argument, then fails. */
static tm_status torn_impl(tm_call *call, tm_tensor *x, tm_tensor **out)
{
    (void)call;
    (void)out;
    return tm_neg_(x) && tm_clone(x) ? TM_OK : tm_error_code();
}

START_TEST(an_argument_half_written_is_found)
{
    static const tm_sample rows[] = {{.op = "law_torn_", .args = "f32[2]{1 2}"},
                                     {.op = "law_torn_", .args = "f32[2,3]~pos"}};
    static const tm_op_samples samples = {COUNT(rows), rows};
    OP(.schema = "law_torn_(Tensor! x) -> Tensor!", .contract = TM_COMPOSITE,
       .meta = (tm_fn)written_meta, .impl = (tm_fn)torn_impl, .samples = &samples);
    expect_found("law_torn_", "tensor 0 of its arguments is changed");
}
END_TEST

static tm_tensor *lost[4096];
static int num_lost;

/* Loses what it holds where it cannot have more. */
static tm_status losing_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_tensor *held = tm_retain(tm_new(TM_FLOAT32, 0, NULL));
    if (!held)
        return tm_error_code();
    if (!tm_new(TM_FLOAT32, 0, NULL)) {
        if (num_lost < COUNT(lost))
            lost[num_lost++] = held;
        return tm_error_code();
    }
    tm_release(held);
    return test_double_row(call, x, out);
}

START_TEST(a_handle_left_behind_is_found)
{
    SAMPLES(samples, "law_losing");
    test_row_op("law_losing(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)losing_impl,
                &samples);
    expect_found("law_losing", "leaves 1 handles");
    while (num_lost > 0)
        tm_release(lost[--num_lost]);
}
END_TEST

/* Takes lack of memory for an answer. */
static tm_status lying_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_tensor *held = tm_new(TM_FLOAT32, 0, NULL);
    tm_error_clear();
    return test_scale_row(call, x, out, held ? 2 : 3);
}

START_TEST(a_wrong_result_for_lack_of_memory_is_found)
{
    SAMPLES(samples, "law_lying");
    test_row_op("law_lying(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)lying_impl, &samples);
    expect_found("law_lying", "differs at example");
}
END_TEST

/* Cannot be checked: that is no violation. */
static bool enough;
static tm_allocator below;

static void *scarce(size_t size, void *user)
{
    return enough || size < 4000 ? below.alloc(size, user) : NULL;
}

START_TEST(the_checker_without_memory_says_so)
{
    SAMPLES(samples, "law_scarce");
    test_row_op("law_scarce(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &samples);
    const char *op = "law_scarce";
    const tm_law_options options = {
        .struct_size = sizeof options, .ops = &op, .num_ops = 1, .cases = 10};
    tm_law_result result = {.struct_size = sizeof result};
    below = tm_get_allocator();
    tm_allocator allocator = below;
    allocator.alloc = scarce;
    tm_trim();
    tm_set_allocator(&allocator);
    uint64_t failures = tm_memory_get_stats().failures;
    tm_status status = tm_law_run(&options, &result);
    failures = tm_memory_get_stats().failures - failures;
    tm_set_allocator(&below);
    ck_assert_int_eq(status, TM_ERR_MEMORY);
    ck_assert_uint_gt(failures, 0);
    ck_assert_int_eq(result.violations, 0);
    tm_error_clear();
}
END_TEST

Suite *law_memory_suite(void)
{
    const TTest *tests[] = {
        every_op_without_memory, an_argument_half_written_is_found, a_handle_left_behind_is_found,
        a_wrong_result_for_lack_of_memory_is_found, the_checker_without_memory_says_so};
    return test_suite("law_memory", tests, COUNT(tests));
}
