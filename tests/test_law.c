/* test_law.c: the law checker: every op under it, what the samples cover, a user's ops that are
 * right, and how it is called.
 *
 * TM_LAW_CASES and TM_LAW_SEED in the environment set how many cases every op's run has and where
 * they begin. Faults in the dispatcher are planted in tests/faults.
 */
#include <stdlib.h>
#include <string.h>

#include "law/sample.h"
#include "law_support.h"

START_TEST(every_op_keeps_the_law)
{
    int64_t cases = (int64_t)test_law_number("TM_LAW_CASES", 5000);
    tm_law_result result;
    char *text = test_law_report(NULL, cases, test_law_number("TM_LAW_SEED", 0), &result);
    ck_assert_int_eq(result.cases, cases);
    ck_assert_msg(result.violations == 0 && result.leaks == 0,
                  "%lld cases, %lld violations, %lld leaks\n%.6000s", (long long)result.cases,
                  (long long)result.violations, (long long)result.leaks, text);
    free(text);
}
END_TEST

/* -- What the samples cover -------------------------------------------------------------------- */

static bool is_among(const char *const *names, int count, const tm_op *op)
{
    char full[128];
    tm_law_name(op, full, sizeof full);
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], full) == 0)
            return true;
    return false;
}

/* How many samples an op has whose expectation begins so. */
static int count_samples(const tm_op *op, const char *begin)
{
    size_t at = 0;
    int count = 0;
    for (const tm_sample *sample; (sample = tm_law_next_sample(op, &at));)
        count += sample->expected && strncmp(sample->expected, begin, strlen(begin)) == 0;
    return count;
}

/* Valid samples that state a value or bring a check of their own. */
static int count_judged(const tm_op *op)
{
    size_t at = 0;
    int count = 0;
    for (const tm_sample *sample; (sample = tm_law_next_sample(op, &at));) {
        bool invalid = sample->expected && sample->expected[0] == '!';
        count += !invalid && (sample->expected || sample->check);
    }
    return count;
}

/* Checks in ops/ are counted one by one in tests/faults/checks.c; here, that no op is without. */
START_TEST(every_op_has_valid_and_invalid_samples)
{
    /* These take every tensor there is: nothing in their meta can fail. */
    static const char *const never_fail[] = {
        "zeros_like", "ones_like",  "clone", "nonzero", "eq.scalar", "eq.rscalar",
        "ne.scalar",  "ne.rscalar", "isnan", "isinf",   "isfinite",  "logical_not"};
    /* These have no kernel where there is no LAPACK. */
    static const char *const by_lapack[] = {"solve",
                                            "triangular_solve",
                                            "cholesky_solve",
                                            "lu_factor",
                                            "lu_solve",
                                            "lu",
                                            "lstsq",
                                            "inv",
                                            "det",
                                            "slogdet",
                                            "qr",
                                            "eigh",
                                            "eigvalsh",
                                            "eig",
                                            "eigvals",
                                            "svd",
                                            "svdvals",
                                            "pinv",
                                            "pinv.tensor",
                                            "matrix_rank",
                                            "matrix_rank.tensor",
                                            "matrix_power",
                                            "matrix_exp"};
#ifdef TM_HAVE_LAPACK
    const int num_by_lapack = 0;
#else
    const int num_by_lapack = COUNT(by_lapack);
#endif
    const tm_op *op;
    int lacking = 0;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (tm_op_base(op))
            continue;
        bool can_fail = !is_among(never_fail, COUNT(never_fail), op);
        bool can_succeed = !is_among(by_lapack, num_by_lapack, op);
        if ((can_fail && count_samples(op, "!") == 0) || (can_succeed && count_judged(op) == 0)) {
            fprintf(stderr, "%s: %d invalid samples, %d valid ones that are judged\n",
                    tm_op_schema(op), count_samples(op, "!"), count_judged(op));
            lacking++;
        }
    }
    ck_assert_msg(lacking == 0, "%d ops lack samples", lacking);
}
END_TEST

START_TEST(the_checks_of_elementwise_ops_have_samples)
{
    static const char *const every_dtype[] = {"eq",
                                              "eq.scalar",
                                              "eq.rscalar",
                                              "ne",
                                              "ne.scalar",
                                              "ne.rscalar",
                                              "isclose",
                                              "isnan",
                                              "isinf",
                                              "isfinite",
                                              "logical_not",
                                              "logical_and",
                                              "logical_and.scalar",
                                              "logical_and.rscalar",
                                              "logical_or",
                                              "logical_or.scalar",
                                              "logical_or.rscalar",
                                              "logical_xor",
                                              "logical_xor.scalar",
                                              "logical_xor.rscalar",
                                              "clone"};
    const tm_op *op;
    int lacking = 0;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        int tensors = 0;
        for (int p = 0; p < tm_op_num_params(op); p++)
            tensors += tm_op_param(op, p)->type == TM_TYPE_TENSOR && !tm_op_param(op, p)->written;
        if (tm_op_base(op) || tm_op_contract(op) != TM_ELEMENTWISE || tensors == 0)
            continue;
        bool by_dtype = !is_among(every_dtype, COUNT(every_dtype), op);
        bool lacks = (by_dtype && count_samples(op, "!dtype") == 0) ||
                     (tensors > 1 && count_samples(op, "!shape") == 0);
        if (lacks)
            fprintf(stderr, "%s lacks an invalid sample by dtype or shape\n", tm_op_schema(op));
        lacking += lacks;
    }
    ck_assert_msg(lacking == 0, "%d ops lack samples", lacking);
}
END_TEST

/* -- A user's ops ------------------------------------------------------------------------------ */

START_TEST(a_users_op_is_checked_like_any_other)
{
    SAMPLES(samples, "law_right");
    test_row_op("law_right(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &samples);
    tm_law_result result = test_run_law("law_right", test_law_at_most(2000), 5, stderr);
    ck_assert_int_eq(result.cases, test_law_at_most(2000));
    ck_assert_int_eq(result.violations, 0);
    ck_assert_int_eq(result.leaks, 0);
}
END_TEST

/* -- Composites, which fail as their inner calls do -------------------------------------------- */

static const tm_op *inner;

static tm_status pair_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = test_row_meta(call, x1);
    if (status == TM_OK && (tm_ndim(x2) != 1 || tm_dtype_of(x2) != TM_FLOAT32))
        status = tm_fail_arg(call, TM_ERR_RANK, "x2", "x2 must be a float32 row");
    return status == TM_OK ? tm_output_like(call, 0, x1) : status;
}

/* Both are refused where negative, x2 first; x1's is the result. */
static tm_status pair_function(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                               tm_tensor **out)
{
    (void)call;
    tm_value arg = {.tensor = x2}, result = {.tensor = NULL};
    tm_status status = tm_op_call(inner, &arg, 1, &result, 1);
    arg.tensor = x1;
    if (status == TM_OK)
        status = tm_op_call(inner, &arg, 1, &result, 1);
    *out = (tm_tensor *)(uintptr_t)result.tensor;
    return status;
}

START_TEST(a_composite_is_held_to_the_example_it_names)
{
    SAMPLES(row_samples, "law_inner");
    static const tm_sample rows[] = {
        {.op = "law_pair", .args = "f32[2]{1 2}, f32[3]{1 1 1}", .expected = "f32[2]{2 4}"},
        {.op = "law_pair", .args = "f32[2]~pos, f32[3]~pos"},
        {.op = "law_pair",
         .args = "f32[2]{1 -2}, f32[3]~pos",
         .expected = "!value: x must not be negative, got -2"},
        {.op = "law_pair",
         .args = "f32[2]{1 -2}, f32[3]{1 1 -3}",
         .expected = "!value: x must not be negative, got -3"},
        {.op = "law_pair", .args = "f32[2], f32[]", .expected = "!rank: x2 must be a float32 row"},
    };
    static const tm_op_samples samples = {COUNT(rows), rows};
    inner = test_row_op("law_inner(Tensor x) -> Tensor", (tm_fn)test_row_meta,
                        (tm_fn)test_double_row, &row_samples);
    OP(.schema = "law_pair(Tensor x1, Tensor x2) -> Tensor", .contract = TM_COMPOSITE,
       .meta = (tm_fn)pair_meta, .impl = (tm_fn)pair_function, .samples = &samples);
    tm_law_result result = test_run_law("law_pair", test_law_at_most(3000), 0, stderr);
    ck_assert_int_eq(result.violations, 0);
    ck_assert_int_eq(result.leaks, 0);
}
END_TEST

/* -- How it is called -------------------------------------------------------------------------- */

/* Its case: a matrix converted on the way, which lies by columns in the batch. */
START_TEST(what_a_composite_makes_may_lie_otherwise_in_a_batch)
{
    tm_law_result result;
    char *text = test_law_report("addmv", 1, 219265, &result);
    ck_assert_msg(result.violations == 0, "%.6000s", text);
    free(text);
}
END_TEST

START_TEST(names_choose_the_ops)
{
    SAMPLES(samples, "law_named");
    static const tm_sample rows[] = {
        {.op = "law_named.two", .args = "f32[2]{1 2}, 1", .expected = "f32[2]{2 4}"}};
    static const tm_op_samples second = {1, rows};
    test_row_op("law_named(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &samples);
    test_row_op("law_named.two(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &second);
    tm_law_result result = {.struct_size = sizeof result};
    /* The overload's sample does not parse; its name alone, or its op's, brings it up. */
    free(test_law_report("law_named.two", 10, 0, &result));
    ck_assert_int_eq(result.violations, 1);
    free(test_law_report("law_named", 10, 0, &result));
    ck_assert_int_eq(result.violations, 1);
    free(test_law_report("law_named_out", 10, 0, &result));
    ck_assert_int_eq(result.violations, 1);
    const char *both[] = {"law_named.two", "law_named"};
    tm_law_options options = {.struct_size = sizeof options, .ops = both, .num_ops = 2};
    EXPECT_OK(tm_law_run(&options, &result));
    ck_assert_int_eq(result.violations, 1);
}
END_TEST

START_TEST(misuse_is_refused)
{
    const char *unknown = "law_unknown";
    tm_law_options options = {.struct_size = sizeof options, .ops = &unknown, .num_ops = 1};
    tm_law_result result = {.struct_size = sizeof result};
    EXPECT_FAIL(tm_law_run(&options, &result), TM_ERR_USAGE, "there is no op 'law_unknown'");
    EXPECT_FAIL(tm_law_run(NULL, &result), TM_ERR_USAGE, "options is NULL");
    EXPECT_FAIL(tm_law_run(&options, NULL), TM_ERR_USAGE, "result is NULL");
    options.ops = NULL;
    options.cases = -1;
    EXPECT_FAIL(tm_law_run(&options, &result), TM_ERR_VALUE, "must not be negative");
    options.cases = 1;
    tm_vmap_level *level = tm_vmap_push(NULL);
    EXPECT_FAIL(tm_law_run(&options, &result), TM_ERR_USAGE, "inside a vmap");
    EXPECT_OK(tm_vmap_pop(level));
}
END_TEST

START_TEST(the_threads_settings_are_as_before)
{
    SAMPLES(samples, "law_settings");
    test_row_op("law_settings(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)test_double_row,
                &samples);
    tm_seed(77);
    tm_set_acceleration(TM_ACCEL_ON);
    EXPECT_OK(tm_set_num_threads(2));
    test_run_law("law_settings", 50, 0, NULL);
    ck_assert_int_eq(tm_get_acceleration(), TM_ACCEL_ON);
    ck_assert_int_eq(tm_get_num_threads(), 2);
    ck_assert_uint_eq(tm_rng_count(), 0);
    ck_assert_int_eq(tm_error_code(), TM_OK);
    tm_set_acceleration(TM_ACCEL_AUTO);
    EXPECT_OK(tm_set_num_threads(1));
}
END_TEST

Suite *law_suite(void)
{
    const TTest *tests[] = {a_users_op_is_checked_like_any_other,
                            a_composite_is_held_to_the_example_it_names,
                            what_a_composite_makes_may_lie_otherwise_in_a_batch,
                            names_choose_the_ops,
                            misuse_is_refused,
                            the_threads_settings_are_as_before};
    Suite *suite = test_suite("law", tests, COUNT(tests));
    TCase *all = tcase_create("every op");
    tcase_set_timeout(all, 3600);
    tcase_add_test(all, every_op_has_valid_and_invalid_samples);
    tcase_add_test(all, the_checks_of_elementwise_ops_have_samples);
    tcase_add_test(all, every_op_keeps_the_law);
    suite_add_tcase(suite, all);
    return suite;
}
