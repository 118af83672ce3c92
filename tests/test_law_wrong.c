/* test_law_wrong.c: the law checker under ops and samples that are wrong in one way each, which it
 * must find.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "law_support.h"

START_TEST(an_op_without_samples_is_a_violation)
{
    test_row_op("law_bare(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row, NULL);
    test_expect_report("law_bare", "has no samples");
}
END_TEST

/* Remembers the first number it ever saw: a kernel with state. */
static tm_status stateful_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    static float by;
    by = by == 2.0f ? 2.5f : 2.0f;
    return test_scale_row(call, x, out, by);
}

START_TEST(a_kernel_with_a_memory_is_found_and_reproduced)
{
    SAMPLES(samples, "law_stateful");
    test_row_op("law_stateful(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)stateful_impl,
                &samples);
    test_expect_report("law_stateful", "differs at example");
}
END_TEST

/* Wrong for rows that lie with a stride: what a copy of the data would not show. */
static tm_status strided_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_status status = test_scale_row(call, x, out, 2);
    if (status == TM_OK && tm_shape(x)[0] > 1 && tm_strides(x)[0] != 1)
        *(float *)tm_mutable_data(out) += 1;
    return status;
}

START_TEST(the_printed_command_brings_a_case_back)
{
    SAMPLES(samples, "law_strided");
    test_row_op("law_strided(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)strided_impl,
                &samples);
    tm_law_result result, again;
    char *text = test_law_report("law_strided", 200, 1000, &result);
    ck_assert_int_gt(result.violations, 3);
    int seen = 0;
    for (const char *at = text; (at = strstr(at, "transmute law ")) && seen < 10; seen++) {
        char op[64];
        unsigned long long seed;
        long long cases;
        ck_assert_int_eq(
            sscanf(at, "transmute law %63s --cases %lld --seed %llu", op, &cases, &seed), 3);
        char *other = test_law_report(op, cases, seed, &again);
        ck_assert_msg(again.violations == 1, "%s again with seed %llu: %lld violations", op, seed,
                      (long long)again.violations);
        free(other);
        at++;
    }
    free(text);
}
END_TEST

/* Says nothing of rank, so that the kernel has to. */
static tm_status lax_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status late_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    if (tm_ndim(x) < 1)
        return tm_fail_arg(call, TM_ERR_RANK, "x",
                           "x must have at least 1 dimension, got shape ()");
    if (tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32");
    return test_scale_row(call, x, out, 2);
}

START_TEST(a_check_in_the_kernel_belongs_into_meta)
{
    SAMPLES(samples, "law_late");
    test_row_op("law_late(Tensor x) -> Tensor", (tm_fn)lax_meta, (tm_fn)late_impl, &samples);
    test_expect_report("law_late", "meta lets pass what the kernel refuses");
}
END_TEST

static tm_status making_meta(tm_call *call, const tm_tensor *x)
{
    tm_release(tm_new(TM_FLOAT32, 0, NULL));
    return test_row_meta(call, x);
}

START_TEST(a_meta_that_allocates_is_found)
{
    SAMPLES(samples, "law_making");
    test_row_op("law_making(Tensor x) -> Tensor", (tm_fn)making_meta, (tm_fn)test_double_row,
                &samples);
    test_expect_report("law_making", "tm_infer allocated");
}
END_TEST

static tm_tensor *leaked[4096];
static int num_leaked;

static tm_status leaking_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_tensor *extra = tm_new(TM_FLOAT32, 0, NULL);
    if (num_leaked < COUNT(leaked))
        leaked[num_leaked++] = tm_retain(extra);
    return test_scale_row(call, x, out, 2);
}

START_TEST(a_kernel_that_leaks_is_found)
{
    SAMPLES(samples, "law_leaking");
    test_row_op("law_leaking(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)leaking_impl,
                &samples);
    tm_law_result result = test_run_law("law_leaking", 5, 0, NULL);
    ck_assert_int_gt(result.leaks, 0);
    ck_assert_int_eq(result.violations, 0);
    while (num_leaked > 0)
        tm_release(leaked[--num_leaked]);
}
END_TEST

static tm_status scribbling_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_status status = test_scale_row(call, x, out, 2);
    if (status == TM_OK && tm_shape(x)[0] > 0)
        *(float *)(uintptr_t)tm_data(x) = 7;
    return status;
}

START_TEST(a_kernel_that_writes_its_input_is_found)
{
    SAMPLES(samples, "law_scribbling");
    test_row_op("law_scribbling(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)scribbling_impl,
                &samples);
    test_expect_report("law_scribbling", "was changed by a call on one example");
}
END_TEST

START_TEST(samples_are_held_to_what_they_state)
{
    static const struct {
        const char *args, *expected, *report;
    } cases[] = {
        {"f32[2]{1 2}", "f32[2]{2 5}", "element 1 of result 0 is 4, the sample states 5"},
        {"f32[2]{1 2}", "f64[2]{2 4}", "result 0 is float32 (2,), the sample states float64 (2,)"},
        {"f32[2]{1 2}", "f32[1,2]{2 4}", "the sample states float32 (1, 2)"},
        {"f32[2]{1 2}", "!value: no", "the sample states a failure, but the call succeeds"},
        {"f32[2]{1 -2}", "f32[2]{2 4}", "the sample is to succeed, but fails with value"},
        {"f32[2]{1 -2}", "!value: x is bad", "fails otherwise than it states"},
        {"f32[2]{1 -2}", "!rank: x must not be negative, got -2", "fails otherwise"},
        {"f32[2]{1}", "f32[2]{2 4}", "expected 2 values, got 1 at column 8"},
        {"f32[2]{1 2}, k=3", "f32[2]{2 4}", "'k' is no parameter of law_stated at column 14"},
    };
    static tm_sample sample = {.op = "law_stated"};
    static const tm_op_samples samples = {1, &sample};
    test_row_op("law_stated(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &samples);
    for (int i = 0; i < COUNT(cases); i++) {
        sample.args = cases[i].args;
        sample.expected = cases[i].expected;
        test_expect_report("law_stated", cases[i].report);
    }
}
END_TEST

static bool all_are_even(const tm_value *args, const tm_value *results)
{
    (void)args;
    const float *y = tm_data(results[0].tensor);
    for (int64_t i = 0; i < tm_numel(results[0].tensor); i++)
        if (fmodf(y[i], 2) != 0)
            return false;
    return true;
}

START_TEST(a_samples_own_check_judges_every_example)
{
    static const tm_sample rows[] = {
        {.op = "law_judged", .args = "f32[2]{1 2}", .check = all_are_even}};
    static const tm_op_samples samples = {1, rows};
    test_row_op("law_judged(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &samples);
    test_expect_report("law_judged", "the sample's check rejects the result of example");
}
END_TEST

Suite *law_wrong_suite(void)
{
    const TTest *tests[] = {
        an_op_without_samples_is_a_violation,    a_kernel_with_a_memory_is_found_and_reproduced,
        the_printed_command_brings_a_case_back,  a_check_in_the_kernel_belongs_into_meta,
        a_meta_that_allocates_is_found,          a_kernel_that_leaks_is_found,
        a_kernel_that_writes_its_input_is_found, samples_are_held_to_what_they_state,
        a_samples_own_check_judges_every_example};
    return test_suite("law_wrong", tests, COUNT(tests));
}
