/* law_support.c: see law_support.h. */
#include "law_support.h"

#include <stdlib.h>
#include <string.h>

#include "law/case.h"

static tm_law_result run_with(const char *op, tm_law_options options)
{
    options.struct_size = sizeof options;
    options.ops = op ? &op : NULL;
    options.num_ops = 1;
    tm_law_result result = {.struct_size = sizeof result};
    EXPECT_OK(tm_law_run(&options, &result));
    return result;
}

tm_law_result test_run_law(const char *op, int64_t cases, uint64_t seed, FILE *report)
{
    return run_with(op, (tm_law_options){.cases = cases, .seed = seed, .report = report});
}

char *test_law_report_with(const char *op, tm_law_options options, tm_law_result *result)
{
    char *text = NULL;
    size_t size = 0;
    options.report = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(options.report);
    *result = run_with(op, options);
    fclose(options.report);
    return text;
}

char *test_law_report(const char *op, int64_t cases, uint64_t seed, tm_law_result *result)
{
    return test_law_report_with(op, (tm_law_options){.cases = cases, .seed = seed}, result);
}

void test_expect_law(tm_law_options options)
{
    tm_law_result result;
    options.cases = test_law_at_most(options.cases);
    options.seed = test_law_number("TM_LAW_SEED", 0);
    char *text = test_law_report_with(NULL, options, &result);
    ck_assert_msg(result.violations == 0 && result.leaks == 0,
                  "%lld violations, %lld leaks\n%.6000s", (long long)result.violations,
                  (long long)result.leaks, text);
    free(text);
}

void test_expect_report(const char *op, const char *part)
{
    tm_law_result result;
    char *text = test_law_report(op, 300, 0, &result);
    ck_assert_msg(result.violations > 0, "%s: no violation was found", op);
    ck_assert_msg(strstr(text, part), "%s: the report lacks \"%s\":\n%s", op, part, text);
    free(text);
}

uint64_t test_law_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* As many cases as asked for, and at most so many. */
int64_t test_law_at_most(int64_t cases)
{
    int64_t asked = (int64_t)test_law_number("TM_LAW_CASES", (uint64_t)cases);
    return asked < cases ? asked : cases;
}

void test_each_valid_sample(const tm_op *op, int most,
                            bool (*check)(const tm_op *op, const tm_law_sample *sample))
{
    char error[256];
    tm_law_arena arena = {NULL, false};
    const tm_op *declared = tm_law_declared(op);
    size_t at = 0;
    int taken = 0;
    for (const tm_sample *source; taken < most && (source = tm_law_next_sample(declared, &at));) {
        tm_law_sample *sample = tm_law_alloc(&arena, sizeof *sample);
        if (tm_law_parse(&arena, declared, source, sample, error, sizeof error) && !sample->invalid)
            taken += check(op, sample);
    }
    tm_law_free_all(&arena);
}

tm_status test_row_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status == TM_OK && tm_dtype_of(x) != TM_FLOAT32)
        status = tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32");
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

/* out = by * x, row by row; negative numbers are refused. */
tm_status test_scale_row(tm_call *call, const tm_tensor *x, tm_tensor *out, float by)
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

tm_status test_double_row(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    return test_scale_row(call, x, out, 2);
}

static const int8_t row_core[] = {1, 1};

const tm_op *test_row_op(const char *schema, tm_fn meta, tm_fn impl, const tm_op_samples *samples)
{
    return OP(.schema = schema, .contract = TM_PER_EXAMPLE, .meta = meta, .impl = impl,
              .core = row_core, .samples = samples);
}
