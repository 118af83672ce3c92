/* test_rule_answers.c: what comes of a rule's answer: declines, suspects, failures; rules that come
 * and go; the law checker judges them.
 */
#include <string.h>

#include "law_support.h"
#include "rule_support.h"

/* -- Declines, suspects, failures ---------------------------------------------------------------
 */

static tm_status decline(tm_call *call, tm_tensor *const *outputs)
{
    (void)outputs;
    tm_batch_decline(call);
    return TM_OK;
}

START_TEST(a_decline_runs_the_plain_kernel)
{
    const tm_op *op = rule_dot_op(rule_dot);
    rule_then = decline;
    rule_bias = 100;
    EXPECT_F32(rule_map(op, rule_rows(), 0, F32(TM_INTS(2), 1, 10), TM_NOT_MAPPED), TM_INTS(3), 21,
               43, 65);
    rule_expect_counts(0, 1, 0);
    ck_assert_int_eq(rule_calls, 1);
}
END_TEST

START_TEST(suspects_are_run_again_plainly)
{
    const tm_op *op = rule_dot_op(rule_dot);
    rule_then = rule_report_suspect;
    rule_suspect = 1;
    rule_bias = 100;
    tm_tensor *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(rule_map(op, rule_rows(), 0, y, TM_NOT_MAPPED), TM_INTS(3), 121, 43, 165);
    rule_expect_counts(1, 0, 1);
    EXPECT_NULL(rule_map(op, F32(TM_INTS(3, 1), 1, -2, -3), 0, F32(TM_INTS(1), 1), TM_NOT_MAPPED),
                TM_ERR_VALUE, "x must not begin with a negative number");
}
END_TEST

static tm_status fail_with_numeric(tm_call *call, tm_tensor *const *outputs)
{
    (void)outputs;
    return tm_fail(call, TM_ERR_NUMERIC, "the rule's own words");
}

static tm_status singular_inside(tm_call *call, tm_tensor *const *outputs)
{
    (void)call;
    (void)outputs;
    tm_tensor *zeros = tm_zeros(TM_INTS(3, 2, 2), TM_FLOAT64);
    return tm_cholesky(zeros, false) ? TM_OK : tm_error_code();
}

/* The same, and nobody looks at it. */
static tm_status singular_unseen(tm_call *call, tm_tensor *const *outputs)
{
    singular_inside(call, outputs);
    return TM_OK;
}

/* A failure of data is the plain kernel's to find: its words, its example; or its results. */
START_TEST(a_failure_of_data_is_left_to_the_plain_kernel)
{
    tm_status (*const ways[])(tm_call *, tm_tensor *const *) = {fail_with_numeric, singular_inside,
                                                                singular_unseen};
    for (int i = 0; i < COUNT(ways); i++) {
        const tm_op *op = rule_dot_op(rule_dot);
        rule_then = ways[i];
        rule_bias = 100;
        tm_tensor *y = F32(TM_INTS(2), 1, 10);
        EXPECT_F32(rule_map(op, rule_rows(), 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
        rule_expect_counts(1, 0,
                           3 + (i > 0)); /* the cholesky inside has run an example again too */
        ck_assert_ptr_null(tm_error_get());
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *x = MADE(tm_vmap_in(v, F32(TM_INTS(3, 2), 1, 2, -3, 4, -5, 6), 0));
        ck_assert_ptr_null(CALL(op, {.tensor = x}, {.tensor = y}));
        ck_assert_int_eq(tm_error_get()->num_levels, 1);
        ck_assert_int_eq(tm_error_get()->levels[0].index, 1);
        EXPECT_ERROR(TM_ERR_VALUE, "test_rdot: x must not begin with a negative number");
        EXPECT_OK(tm_vmap_pop(v));
        tm_library_close(test_library); /* the name is free again */
        test_library = tm_library_open("test");
    }
}
END_TEST

START_TEST(an_error_that_stood_before_stands_after)
{
    const tm_op *op = rule_dot_op(rule_dot);
    rule_then = singular_inside;
    tm_tensor *x = rule_rows(), *y = F32(TM_INTS(2), 1, 10);
    ck_assert_ptr_null(tm_exp(NULL));
    char before[200];
    snprintf(before, sizeof before, "%s", tm_error_message());
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(CALL(op, {.tensor = tm_vmap_in(v, x, 0)}, {.tensor = y}));
    ck_assert_str_eq(tm_error_message(), before);
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(3), 21, 43, 65);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_ERROR(TM_ERR_USAGE, "exp");
}
END_TEST

static tm_status wrong_shapes(tm_call *call, tm_tensor *const *outputs)
{
    (void)call;
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    return tm_copy_(outputs[0], tm_matmul(x, F32(TM_INTS(3), 1, 2, 3))) ? TM_OK : tm_error_code();
}

static tm_status says_nothing(tm_call *call, tm_tensor *const *outputs)
{
    (void)call;
    (void)outputs;
    return TM_ERR_SCHEMA;
}

START_TEST(any_other_failure_is_the_calls)
{
    const tm_op *op = rule_dot_op(rule_dot);
    rule_then = wrong_shapes;
    tm_tensor *y = F32(TM_INTS(2), 1, 10);
    tm_tensor *z = rule_map(op, rule_rows(), 0, y, TM_NOT_MAPPED);
    ck_assert_ptr_null(z);
    ck_assert_str_eq(tm_error_get()->inner_op, "matmul");
    EXPECT_ERROR(TM_ERR_SHAPE, "test_rdot");
    rule_then = says_nothing;
    EXPECT_NULL(rule_map(op, rule_rows(), 0, y, TM_NOT_MAPPED), TM_ERR_SCHEMA,
                "test_rdot: failed without saying why");
}
END_TEST

/* -- Registering --------------------------------------------------------------------------------
 */

START_TEST(an_override_brings_a_rule_and_takes_it_away)
{
    const tm_op *op = rule_dot_op(NULL);
    ck_assert(!tm_op_has_key(op, TM_KEY_BATCHED));
    tm_library *library = tm_library_open("fast");
    tm_kernel_def def = {.struct_size = sizeof def, .rule = rule_dot};
    EXPECT_OK(tm_library_override(library, op, TM_KEY_BATCHED, &def));
    tm_tensor *x = rule_rows(), *y = F32(TM_INTS(2), 1, 10);
    rule_bias = 100;
    EXPECT_F32(rule_map(op, x, 0, y, TM_NOT_MAPPED), TM_INTS(3), 121, 143, 165);
    tm_library_close(library);
    ck_assert(!tm_op_has_key(op, TM_KEY_BATCHED));
    EXPECT_F32(rule_map(op, x, 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
    ck_assert_int_eq(rule_calls, 1);
}
END_TEST

static tm_status no_batched(tm_call *call, const tm_batch *batch)
{
    (void)call;
    (void)batch;
    return TM_OK;
}

START_TEST(a_rule_that_fits_nowhere_is_refused)
{
    const tm_op *op = rule_dot_op(rule_dot);
    tm_kernel_def both = {.struct_size = sizeof both, .rule = rule_dot, .batched = no_batched};
    EXPECT_FAIL(tm_library_override(test_library, op, TM_KEY_BATCHED, &both), TM_ERR_USAGE,
                "a batched function and a rule");
    tm_kernel_def neither = {.struct_size = sizeof neither};
    EXPECT_FAIL(tm_library_override(test_library, op, TM_KEY_BATCHED, &neither), TM_ERR_USAGE,
                "lacks the batched kernel");
    EXPECT_FAIL(tm_library_override(test_library, tm_op_find("exp", ""), TM_KEY_BATCHED, &both),
                TM_ERR_USAGE, "has no batched kernels");
    tm_op_def def = {.struct_size = sizeof def,
                     .schema = "test_rboth(Tensor x, Tensor y) -> Tensor",
                     .contract = TM_PER_EXAMPLE,
                     .meta = (tm_fn)rule_dot_meta,
                     .impl = (tm_fn)rule_dot_impl,
                     .rule = rule_dot,
                     .batched = no_batched};
    EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA, "not both");
    def.batched = NULL;
    def.contract = TM_RANDOM;
    EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA, "a random op has no rule");
}
END_TEST

/* -- In a mapped function, piece by piece -------------------------------------------------------
 */

static tm_status dot_fn(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = CALL(user, {.tensor = in[0]}, {.tensor = in[1]});
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(pieces_are_batches_of_their_own)
{
    const tm_op *op = rule_dot_op(rule_dot);
    const tm_tensor *in[] = {test_iota(TM_FLOAT32, TM_INTS(5, 2)), F32(TM_INTS(2), 1, 10)};
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    tm_tensor *out;
    EXPECT_OK(tm_vmap(dot_fn, (void *)(uintptr_t)op, &options, 2, in,
                      (const int64_t[]){0, TM_NOT_MAPPED}, 1, &out, NULL));
    EXPECT_F32(out, TM_INTS(5), 10, 32, 54, 76, 98);
    ck_assert_int_eq(rule_calls, 2); /* the last piece is one example: the plain kernel's */
}
END_TEST

/* -- Judged by the law --------------------------------------------------------------------------
 */

static int wrong; /* 1: one example is wrong; 2: it does not report what the kernel refuses */

static tm_status rows_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                           int num_inputs, tm_tensor *const *outputs)
{
    (void)mapped;
    (void)num_inputs;
    tm_tensor *twice = tm_add(inputs[0], inputs[0]);
    if (!tm_copy_(outputs[0], twice))
        return tm_error_code();
    int64_t n = tm_size(twice, 0);
    if (wrong == 1 && n > 2)
        tm_copy_(tm_select(outputs[0], 0, 2), tm_select(outputs[0], 0, 1));
    const float *data = tm_data(twice);
    for (int64_t i = 0; i < tm_numel(twice) && wrong != 2; i++)
        if (data[i] < 0)
            tm_batch_suspect(call, i / tm_size(twice, 1));
    return TM_OK;
}

START_TEST(the_law_holds_rules_against_the_plain_kernel)
{
    SAMPLES(samples, "law_rule");
    static const int8_t core[] = {1, 1};
    OP(.schema = "law_rule(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .core = core,
       .meta = (tm_fn)test_row_meta, .impl = (tm_fn)test_double_row, .samples = &samples,
       .rule = rows_rule);
    wrong = 0;
    int64_t cases = test_law_at_most(1500);
    tm_dispatch_reset_stats();
    tm_law_result result = test_run_law("law_rule", cases, 0, stdout);
    ck_assert_int_eq(result.violations, 0);
    ck_assert_int_eq(result.leaks, 0);
    ck_assert_uint_gt(tm_dispatch_get_stats().batched_runs, (uint64_t)cases / 10);
    ck_assert_uint_gt(tm_dispatch_get_stats().reruns, (uint64_t)cases / 100);
    wrong = 1;
    test_expect_report("law_rule", "differs at example");
    wrong = 2;
    test_expect_report("law_rule", "which fails for some example");
}
END_TEST

Suite *rule_answers_suite(void)
{
    const TTest *tests[] = {a_decline_runs_the_plain_kernel,
                            suspects_are_run_again_plainly,
                            a_failure_of_data_is_left_to_the_plain_kernel,
                            an_error_that_stood_before_stands_after,
                            any_other_failure_is_the_calls,
                            an_override_brings_a_rule_and_takes_it_away,
                            a_rule_that_fits_nowhere_is_refused,
                            pieces_are_batches_of_their_own,
                            the_law_holds_rules_against_the_plain_kernel};
    return test_suite("rule_answers", tests, COUNT(tests));
}
