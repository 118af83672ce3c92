/* test_law.c: the law checker: every op under it, and the checker itself under ops that are wrong
 * in one way each.
 *
 * TM_LAW_CASES and TM_LAW_SEED in the environment set how many cases every op's run has and where
 * they begin. Faults in the dispatcher are planted in tests/faults.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "law/sample.h"
#include "support.h"

/* -- Running it -------------------------------------------------------------------------------- */

static tm_law_result run_law(const char *op, int64_t cases, uint64_t seed, FILE *report)
{
    tm_law_options options = {.struct_size = sizeof options,
                              .ops = op ? &op : NULL,
                              .num_ops = 1,
                              .cases = cases,
                              .seed = seed,
                              .report = report};
    tm_law_result result = {.struct_size = sizeof result};
    EXPECT_OK(tm_law_run(&options, &result));
    return result;
}

/* Runs it and returns the report, to be freed. */
static char *report_of(const char *op, int64_t cases, uint64_t seed, tm_law_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    *result = run_law(op, cases, seed, stream);
    fclose(stream);
    return text;
}

static void expect_report(const char *op, const char *part)
{
    tm_law_result result;
    char *text = report_of(op, 300, 0, &result);
    ck_assert_msg(result.violations > 0, "%s: no violation was found", op);
    ck_assert_msg(strstr(text, part), "%s: the report lacks \"%s\":\n%s", op, part, text);
    free(text);
}

static uint64_t number_in_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* As many cases as asked for, and at most so many. */
static int64_t at_most(int64_t cases)
{
    int64_t asked = (int64_t)number_in_environment("TM_LAW_CASES", (uint64_t)cases);
    return asked < cases ? asked : cases;
}

START_TEST(every_op_keeps_the_law)
{
    int64_t cases = (int64_t)number_in_environment("TM_LAW_CASES", 5000);
    tm_law_result result;
    char *text = report_of(NULL, cases, number_in_environment("TM_LAW_SEED", 0), &result);
    ck_assert_int_eq(result.cases, cases);
    ck_assert_msg(result.violations == 0 && result.leaks == 0,
                  "%lld cases, %lld violations, %lld leaks\n%.6000s", (long long)result.cases,
                  (long long)result.violations, (long long)result.leaks, text);
    free(text);
}
END_TEST

/* -- What the samples cover -------------------------------------------------------------------- */

static bool sample_is_of(const tm_sample *sample, const tm_op *op)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s%s", tm_op_name(op), tm_op_overload(op)[0] ? "." : "",
             tm_op_overload(op));
    return strcmp(sample->op, name) == 0;
}

/* How many samples an op has whose expectation begins so. */
static int count_samples(const tm_op *op, const char *begin)
{
    const tm_op_samples *samples = tm_op_get_samples(op);
    int count = 0;
    for (size_t i = 0; samples && i < samples->count; i++) {
        const char *expected = samples->items[i].expected;
        count += sample_is_of(&samples->items[i], op) && expected &&
                 strncmp(expected, begin, strlen(begin)) == 0;
    }
    return count;
}

/* Valid samples that state a value or bring a check of their own. */
static int count_judged(const tm_op *op)
{
    const tm_op_samples *samples = tm_op_get_samples(op);
    int count = 0;
    for (size_t i = 0; samples && i < samples->count; i++) {
        const tm_sample *sample = &samples->items[i];
        bool invalid = sample->expected && sample->expected[0] == '!';
        count += sample_is_of(sample, op) && !invalid && (sample->expected || sample->check);
    }
    return count;
}

/* Checks in ops/ are counted one by one in tests/faults/checks.c; here, that no op is without. */
START_TEST(every_op_has_valid_and_invalid_samples)
{
    /* These take every tensor there is: nothing in their meta can fail. */
    static const char *const never_fail[] = {"zeros_like"};
    const tm_op *op;
    int lacking = 0;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (tm_op_base(op))
            continue;
        bool can_fail = true;
        for (int k = 0; k < COUNT(never_fail); k++)
            can_fail = can_fail && strcmp(tm_op_name(op), never_fail[k]) != 0;
        if ((can_fail && count_samples(op, "!") == 0) || count_judged(op) == 0) {
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
    const tm_op *op;
    int lacking = 0;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        int tensors = 0;
        for (int p = 0; p < tm_op_num_params(op); p++)
            tensors += tm_op_param(op, p)->type == TM_TYPE_TENSOR && !tm_op_param(op, p)->written;
        if (tm_op_base(op) || tm_op_contract(op) != TM_ELEMENTWISE || tensors == 0)
            continue;
        bool lacks =
            count_samples(op, "!dtype") == 0 || (tensors > 1 && count_samples(op, "!shape") == 0);
        if (lacks)
            fprintf(stderr, "%s lacks an invalid sample by dtype or shape\n", tm_op_schema(op));
        lacking += lacks;
    }
    ck_assert_msg(lacking == 0, "%d ops lack samples", lacking);
}
END_TEST

/* -- Ops that are right or wrong in one way ---------------------------------------------------- */

static tm_status row_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status == TM_OK && tm_dtype_of(x) != TM_FLOAT32)
        status = tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32");
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

/* out = by * x, row by row; negative numbers are refused. */
static tm_status scale_row(tm_call *call, const tm_tensor *x, tm_tensor *out, float by)
{
    const float *from = tm_data(x);
    float *to = tm_mutable_data(out);
    for (int64_t i = 0; i < tm_shape(x)[0]; i++) {
        float value = from[i * tm_strides(x)[0]];
        if (value < 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not be negative, got %g",
                               (double)value);
        to[i * tm_strides(out)[0]] = by * value;
    }
    return TM_OK;
}

static tm_status right_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    return scale_row(call, x, out, 2);
}

static const int8_t row_core[] = {1, 1};

static const tm_op *row_op(const char *schema, tm_fn meta, tm_fn impl, const tm_op_samples *samples)
{
    return OP(.schema = schema, .contract = TM_PER_EXAMPLE, .meta = meta, .impl = impl,
              .core = row_core, .samples = samples);
}

#define SAMPLES(name, op_name)                                                                     \
    static const tm_sample name##_rows[] = {                                                       \
        {.op = op_name, .args = "f32[2]{1 2}", .expected = "f32[2]{2 4}"},                         \
        {.op = op_name, .args = "f32[2,3]~pos"},                                                   \
        {.op = op_name, .args = "f32[2]~pos"},                                                     \
        {.op = op_name,                                                                            \
         .args = "f32[2]{3 -1}",                                                                   \
         .expected = "!value: x must not be negative, got -1"},                                    \
        {.op = op_name,                                                                            \
         .args = "f32[]{3}",                                                                       \
         .expected = "!rank: x must have at least 1 dimension, got shape ()"},                     \
        {.op = op_name, .args = "i32[2]", .expected = "!dtype: x must be float32"},                \
    };                                                                                             \
    static const tm_op_samples name = {COUNT(name##_rows), name##_rows}

START_TEST(a_users_op_is_checked_like_any_other)
{
    SAMPLES(samples, "law_right");
    row_op("law_right(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &samples);
    tm_law_result result = run_law("law_right", at_most(2000), 5, stderr);
    ck_assert_int_eq(result.cases, at_most(2000));
    ck_assert_int_eq(result.violations, 0);
    ck_assert_int_eq(result.leaks, 0);
}
END_TEST

START_TEST(an_op_without_samples_is_a_violation)
{
    row_op("law_bare(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, NULL);
    expect_report("law_bare", "has no samples");
}
END_TEST

/* Remembers the first number it ever saw: a kernel with state. */
static tm_status stateful_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    static float by;
    by = by == 2.0f ? 2.5f : 2.0f;
    return scale_row(call, x, out, by);
}

START_TEST(a_kernel_with_a_memory_is_found_and_reproduced)
{
    SAMPLES(samples, "law_stateful");
    row_op("law_stateful(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)stateful_impl, &samples);
    expect_report("law_stateful", "differs at example");
}
END_TEST

/* Wrong for rows that lie with a stride: what a copy of the data would not show. */
static tm_status strided_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_status status = scale_row(call, x, out, 2);
    if (status == TM_OK && tm_shape(x)[0] > 1 && tm_strides(x)[0] != 1)
        *(float *)tm_mutable_data(out) += 1;
    return status;
}

START_TEST(the_printed_command_brings_a_case_back)
{
    SAMPLES(samples, "law_strided");
    row_op("law_strided(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)strided_impl, &samples);
    tm_law_result result, again;
    char *text = report_of("law_strided", 200, 1000, &result);
    ck_assert_int_gt(result.violations, 3);
    int seen = 0;
    for (const char *at = text; (at = strstr(at, "transmute law ")) && seen < 10; seen++) {
        char op[64];
        unsigned long long seed;
        long long cases;
        ck_assert_int_eq(
            sscanf(at, "transmute law %63s --cases %lld --seed %llu", op, &cases, &seed), 3);
        char *other = report_of(op, cases, seed, &again);
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
    return scale_row(call, x, out, 2);
}

START_TEST(a_check_in_the_kernel_belongs_into_meta)
{
    SAMPLES(samples, "law_late");
    row_op("law_late(Tensor x) -> Tensor", (tm_fn)lax_meta, (tm_fn)late_impl, &samples);
    expect_report("law_late", "meta lets pass what the kernel refuses");
}
END_TEST

static tm_status making_meta(tm_call *call, const tm_tensor *x)
{
    tm_release(tm_new(TM_FLOAT32, 0, NULL));
    return row_meta(call, x);
}

START_TEST(a_meta_that_allocates_is_found)
{
    SAMPLES(samples, "law_making");
    row_op("law_making(Tensor x) -> Tensor", (tm_fn)making_meta, (tm_fn)right_impl, &samples);
    expect_report("law_making", "tm_infer allocated");
}
END_TEST

static tm_tensor *leaked[4096];
static int num_leaked;

static tm_status leaking_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_tensor *extra = tm_new(TM_FLOAT32, 0, NULL);
    if (num_leaked < COUNT(leaked))
        leaked[num_leaked++] = tm_retain(extra);
    return scale_row(call, x, out, 2);
}

START_TEST(a_kernel_that_leaks_is_found)
{
    SAMPLES(samples, "law_leaking");
    row_op("law_leaking(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)leaking_impl, &samples);
    tm_law_result result = run_law("law_leaking", 5, 0, NULL);
    ck_assert_int_gt(result.leaks, 0);
    ck_assert_int_eq(result.violations, 0);
    while (num_leaked > 0)
        tm_release(leaked[--num_leaked]);
}
END_TEST

static tm_status scribbling_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_status status = scale_row(call, x, out, 2);
    if (status == TM_OK && tm_shape(x)[0] > 0)
        *(float *)(uintptr_t)tm_data(x) = 7;
    return status;
}

START_TEST(a_kernel_that_writes_its_input_is_found)
{
    SAMPLES(samples, "law_scribbling");
    row_op("law_scribbling(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)scribbling_impl, &samples);
    expect_report("law_scribbling", "was changed by a call on one example");
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
    row_op("law_stated(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &samples);
    for (int i = 0; i < COUNT(cases); i++) {
        sample.args = cases[i].args;
        sample.expected = cases[i].expected;
        expect_report("law_stated", cases[i].report);
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
    row_op("law_judged(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &samples);
    expect_report("law_judged", "the sample's check rejects the result of example");
}
END_TEST

/* -- Composites, which fail as their inner calls do -------------------------------------------- */

static const tm_op *inner;

static tm_status pair_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = row_meta(call, x1);
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
    inner =
        row_op("law_inner(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &row_samples);
    OP(.schema = "law_pair(Tensor x1, Tensor x2) -> Tensor", .contract = TM_COMPOSITE,
       .meta = (tm_fn)pair_meta, .impl = (tm_fn)pair_function, .samples = &samples);
    tm_law_result result = run_law("law_pair", at_most(3000), 0, stderr);
    ck_assert_int_eq(result.violations, 0);
    ck_assert_int_eq(result.leaks, 0);
}
END_TEST

/* -- How it is called
 * ------------------------------------------------------------------------------ */

START_TEST(names_choose_the_ops)
{
    SAMPLES(samples, "law_named");
    static const tm_sample rows[] = {
        {.op = "law_named.two", .args = "f32[2]{1 2}, 1", .expected = "f32[2]{2 4}"}};
    static const tm_op_samples second = {1, rows};
    row_op("law_named(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &samples);
    row_op("law_named.two(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &second);
    tm_law_result result = {.struct_size = sizeof result};
    /* The overload's sample does not parse; its name alone, or its op's, brings it up. */
    free(report_of("law_named.two", 10, 0, &result));
    ck_assert_int_eq(result.violations, 1);
    free(report_of("law_named", 10, 0, &result));
    ck_assert_int_eq(result.violations, 1);
    free(report_of("law_named_out", 10, 0, &result));
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
    row_op("law_settings(Tensor x) -> Tensor", (tm_fn)row_meta, (tm_fn)right_impl, &samples);
    tm_seed(77);
    tm_set_acceleration(TM_ACCEL_ON);
    EXPECT_OK(tm_set_num_threads(2));
    run_law("law_settings", 50, 0, NULL);
    ck_assert_int_eq(tm_get_acceleration(), TM_ACCEL_ON);
    ck_assert_int_eq(tm_get_num_threads(), 2);
    ck_assert_uint_eq(tm_rng_count(), 0);
    ck_assert_int_eq(tm_error_code(), TM_OK);
    tm_set_acceleration(TM_ACCEL_AUTO);
    EXPECT_OK(tm_set_num_threads(1));
}
END_TEST

/* -- The language of samples
 * ------------------------------------------------------------------------ */

static const tm_op *parsed_op(void)
{
    return OP(.schema =
                  "law_text(Tensor[] xs, Tensor? x=None, int k=3, int? n=None, int[] axes=[0], "
                  "float f=0.5, bool b=False, str s='a', dtype? dtype=None, Scalar c=1, "
                  "Scalar? d=None) -> (Tensor first, Tensor second)",
              .contract = TM_PER_EXAMPLE, .meta = (tm_fn)row_meta, .impl = (tm_fn)right_impl);
}

static tm_law_arena arena;

static bool parse(const tm_op *op, const char *args, const char *expected, tm_law_sample *sample,
                  char *error, size_t size)
{
    tm_sample *source = tm_law_alloc(&arena, sizeof *source);
    *source = (tm_sample){.op = "law_text", .args = args, .expected = expected};
    return tm_law_parse(&arena, op, source, sample, error, size);
}

static tm_law_sample *parsed(const tm_op *op, const char *args, const char *expected)
{
    char error[512] = "";
    tm_law_sample *sample = tm_law_alloc(&arena, sizeof *sample);
    ck_assert_msg(parse(op, args, expected, sample, error, sizeof error), "%s", error);
    return sample;
}

static void expect_no_parse(const tm_op *op, const char *args, const char *expected,
                            const char *message)
{
    char error[512] = "";
    tm_law_sample sample;
    ck_assert_msg(!parse(op, args, expected, &sample, error, sizeof error), "\"%s\" parses", args);
    ck_assert_msg(strstr(error, message), "\"%s\"\n  wanted: %s\n  got:    %s", args, message,
                  error);
}

START_TEST(arguments_of_every_type_parse)
{
    const tm_op *op = parsed_op();
    tm_law_sample *s = parsed(op,
                              "[f32[2,1]{1 nan}, i64[3]], b8[]{True}, -4, 5, (0,-1,), 1e-3, "
                              "True, 'x y', float64, 1+2j, -inf",
                              NULL);
    ck_assert_int_eq(s->num_tensors, 3);
    ck_assert_int_eq(s->tensors[0].ndim, 2);
    ck_assert_int_eq(s->tensors[0].numel, 2);
    ck_assert(isnan(((const float *)(const void *)s->tensors[0].literal)[1]));
    ck_assert_int_eq(s->args[0].count, 2);
    ck_assert_int_eq(s->args[1].first, 2);
    ck_assert_int_eq(s->tensors[1].dtype, TM_INT64);
    ck_assert_ptr_null(s->tensors[1].literal);
    ck_assert_int_eq(s->tensors[2].literal[0], 1);
    ck_assert_int_eq(s->args[2].value.i, -4);
    ck_assert_int_eq(*(const int64_t *)s->args[3].value.opt, 5);
    ck_assert_int_eq(s->args[4].value.ints.count, 2);
    ck_assert_int_eq(s->args[4].value.ints.data[1], -1);
    ck_assert_double_eq(s->args[5].value.f, 1e-3);
    ck_assert(s->args[6].value.b);
    ck_assert_str_eq(s->args[7].value.str, "x y");
    ck_assert_int_eq(s->args[8].value.dtype, TM_FLOAT64);
    ck_assert_int_eq(s->args[9].value.scalar.kind, TM_KIND_COMPLEX);
    ck_assert_double_eq(s->args[9].value.scalar.value.c.im, 2);
    const tm_scalar *d = s->args[10].value.opt;
    ck_assert_int_eq(d->kind, TM_KIND_FLOAT);
    ck_assert(isinf(d->value.f) && d->value.f < 0);
    tm_law_free_all(&arena);
}
END_TEST

START_TEST(names_and_defaults_fill_the_arguments)
{
    const tm_op *op = parsed_op();
    tm_law_sample *s = parsed(op, "[], x=None, axes=(), d=2, dtype=None", NULL);
    ck_assert_int_eq(s->args[0].count, 0);
    ck_assert_ptr_eq(s->args[1].value.tensor, TM_NONE);
    ck_assert_int_eq(s->args[2].value.i, 3);
    ck_assert_ptr_null(s->args[3].value.opt);
    ck_assert_int_eq(s->args[4].value.ints.count, 0);
    ck_assert_str_eq(s->args[7].value.str, "a");
    ck_assert_int_eq(((const tm_scalar *)s->args[10].value.opt)->value.i, 2);
    s = parsed(op, "[]", "f32[2]{1 2}, i64[0]");
    ck_assert(s->has_expected);
    ck_assert_int_eq(s->expected[1].numel, 0);
    s = parsed(op, "[]", "!dim: axis 3: no, really");
    ck_assert(s->invalid);
    ck_assert_int_eq(s->code, TM_ERR_DIM);
    ck_assert_str_eq(s->message, "axis 3: no, really");
    tm_law_free_all(&arena);
}
END_TEST

START_TEST(numbers_become_elements_of_every_dtype)
{
    const tm_op *op = parsed_op();
    tm_law_sample *s = parsed(
        op,
        "[u64[2]{18446744073709551615, 0}, f16[3]{1 -0 65504}, bf16[2]{1.0 -inf}, c64[1]{1-2j}, "
        "i8[2]{-128 127}]",
        NULL);
    uint64_t most;
    memcpy(&most, s->tensors[0].literal, sizeof most);
    ck_assert_uint_eq(most, UINT64_MAX);
    uint16_t half[3];
    memcpy(half, s->tensors[1].literal, sizeof half);
    ck_assert_uint_eq(half[0], 0x3c00);
    ck_assert_uint_eq(half[1], 0x8000);
    ck_assert_uint_eq(half[2], 0x7bff);
    memcpy(half, s->tensors[2].literal, 4);
    ck_assert_uint_eq(half[0], 0x3f80);
    ck_assert_uint_eq(half[1], 0xff80);
    ck_assert_float_eq(((const float *)(const void *)s->tensors[3].literal)[1], -2);
    ck_assert_int_eq((signed char)s->tensors[4].literal[0], -128);
    tm_law_free_all(&arena);
}
END_TEST

START_TEST(malformed_samples_are_told_with_their_column)
{
    static const struct {
        const char *args, *expected, *message;
    } cases[] = {
        {"[f32[2", NULL, "expected ']', got the end at column 7"},
        {"[f32[-1]]", NULL, "a size must be in 0..1048576 at column 6"},
        {"[f32[2]{1 2]", NULL, "expected a number at column 12"},
        {"[f32[2]{1 2 3}]", NULL, "expected 2 values, got 3 at column 9"},
        {"[f33[2]]", NULL, "'f33' is no dtype at column 2"},
        {"[i32[1]{1.5}]", NULL, "a float in a tensor of int32 at column 9"},
        {"[u8[1]{256}]", NULL, "the number is out of uint8's range at column 8"},
        {"[f32[1]{1j}]", NULL, "a complex number in a tensor of float32 at column 9"},
        {"[f32[2]~gauss]", NULL, "'gauss' is no generator at column 9"},
        {"[f32[2]~spd]", NULL, "~spd needs square matrices"},
        {"[f32[2]~index(0)]", NULL, "~index needs a bound of at least 1"},
        {"[f32[2] f32[2]]", NULL, "expected ']', got 'f' at column 9"},
        {"x=None", NULL, "xs is missing at column 7"},
        {"[], k=1.5", NULL, "expected an integer, got a float at column 7"},
        {"[], k=None", NULL, "k is not optional, it cannot be None"},
        {"[], q=1", NULL, "'q' is no parameter of law_text at column 5"},
        {"[], None, 1, k=2", NULL, "k is given twice"},
        {"[], k=2, 3", NULL, "an argument without a name after a named one at column 10"},
        {"[], b=yes", NULL, "expected True or False at column 7"},
        {"[], s='x", NULL, "the string does not end"},
        {"[], axes=(1 2)", NULL, "expected ')', got '2' at column 13"},
        {"[],", NULL, "expected an argument after ',', got the end at column 4"},
        {"[] 1", NULL, "expected ',', got '1' at column 4"},
        {"[]", "f32[2]{1 2}", "expected ',', got the end at column 12"},
        {"[]", "f32[2], f32[2]", "an expected tensor states its values at column 1"},
        {"[]", "f32[0], f32[0], f32[0]", "expected the end after 2 results, got ','"},
        {"[]", "!bad: x", "'bad' is no error code at column 2"},
        {"[]", "!rank", "expected ':', got the end"},
        {"[]", "!rank: ", "an invalid sample states its message"},
    };
    const tm_op *op = parsed_op();
    for (int i = 0; i < COUNT(cases); i++)
        expect_no_parse(op, cases[i].args, cases[i].expected, cases[i].message);
    tm_law_free_all(&arena);
}
END_TEST

Suite *law_suite(void)
{
    const TTest *tests[] = {a_users_op_is_checked_like_any_other,
                            an_op_without_samples_is_a_violation,
                            a_kernel_with_a_memory_is_found_and_reproduced,
                            the_printed_command_brings_a_case_back,
                            a_check_in_the_kernel_belongs_into_meta,
                            a_meta_that_allocates_is_found,
                            a_kernel_that_leaks_is_found,
                            a_kernel_that_writes_its_input_is_found,
                            samples_are_held_to_what_they_state,
                            a_samples_own_check_judges_every_example,
                            a_composite_is_held_to_the_example_it_names,
                            names_choose_the_ops,
                            misuse_is_refused,
                            the_threads_settings_are_as_before,
                            arguments_of_every_type_parse,
                            names_and_defaults_fill_the_arguments,
                            numbers_become_elements_of_every_dtype,
                            malformed_samples_are_told_with_their_column};
    Suite *suite = test_suite("law", tests, COUNT(tests));
    TCase *all = tcase_create("every op");
    tcase_set_timeout(all, 3600);
    tcase_add_test(all, every_op_has_valid_and_invalid_samples);
    tcase_add_test(all, the_checks_of_elementwise_ops_have_samples);
    tcase_add_test(all, every_op_keeps_the_law);
    suite_add_tcase(suite, all);
    return suite;
}
