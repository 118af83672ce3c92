/* test_mode_answer.c: what a mode's handler may answer: pass on, replace, fail, call other ops,
 * also between two levels, and what comes of answers that break the rules.
 */
#include <string.h>

#include "mode_support.h"

/* -- Answers ----------------------------------------------------------------------------------- */

START_TEST(a_handler_replaces_the_result)
{
    tm_tensor *x = test_pair();
    tm_mode *mode = test_push_handler(test_answers_99, NULL);
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 99, 99);
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
}
END_TEST

static tm_mode_answer returns_argument(tm_call *call, void *state)
{
    (void)state;
    tm_mode_return(call, 0, tm_call_arg(call, 0)->tensor);
    return TM_MODE_HANDLED;
}

START_TEST(a_handler_may_return_an_argument)
{
    tm_tensor *x = test_pair();
    tm_mode *mode = test_push_handler(returns_argument, NULL);
    tm_tensor *y = MADE(tm_add(x, x));
    EXPECT_OK(tm_mode_pop(mode));
    ck_assert_ptr_ne(y, x); /* a handle of its own */
    ck_assert_ptr_eq(tm_data(y), tm_data(x));
}
END_TEST

static tm_mode_answer adds_one(tm_call *call, void *state)
{
    (void)state;
    if (tm_mode_pass_on(call) != TM_OK)
        return TM_MODE_FAILED;
    tm_mode_return(call, 0, tm_add(tm_call_output(call, 0), test_f32_scalar(1)));
    return TM_MODE_HANDLED;
}

START_TEST(a_handler_calls_ops_that_the_modes_below_see)
{
    tm_tensor *x = test_pair();
    tm_mode *a = test_push_mode(&test_decliner, "a"), *b = test_push_handler(adds_one, NULL);
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 3, 5);
    EXPECT_STORY("a:add a:add ");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

static tm_mode_answer makes_garbage(tm_call *call, void *state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        test_f32_scalar((float)i);
    tm_scope_push();
    test_f32_scalar(5);
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

START_TEST(a_handler_has_a_scope_of_its_own)
{
    tm_tensor *x = test_pair();
    tm_mode *mode = test_push_handler(makes_garbage, NULL);
    uint64_t live = tm_memory_get_stats().live_tensors;
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live + 1);
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_mode_answer fails_with_a_message(tm_call *call, void *state)
{
    (void)state;
    tm_fail_arg(call, TM_ERR_VALUE, "x1", "x1 is not liked");
    return TM_MODE_FAILED;
}

static tm_mode_answer fails_by_an_op(tm_call *call, void *state)
{
    (void)state;
    tm_triu(tm_call_arg(call, 0)->tensor, 0);
    return TM_MODE_FAILED;
}

static tm_mode_answer fails_without_a_word(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_FAILED;
}

START_TEST(a_handler_may_fail_the_call)
{
    tm_tensor *x = test_pair();
    tm_mode *mode = test_push_handler(fails_with_a_message, NULL);
    EXPECT_NULL(tm_add(x, x), TM_ERR_VALUE, "add: x1 is not liked");
    EXPECT_OK(tm_mode_pop(mode));
    mode = test_push_handler(fails_by_an_op, NULL);
    ck_assert_ptr_null(tm_add(x, x));
    ck_assert_str_eq(tm_error_get()->op, "add");
    ck_assert_str_eq(tm_error_get()->inner_op, "triu");
    ck_assert_ptr_nonnull(strstr(tm_error_get()->modes, "handler"));
    EXPECT_ERROR(TM_ERR_RANK, "add: x must have at least 2 dimensions");
    EXPECT_OK(tm_mode_pop(mode));
    mode = test_push_handler(fails_without_a_word, NULL);
    ck_assert_ptr_null(tm_add(x, x));
    ck_assert_str_eq(tm_error_get()->op, "add");
    ck_assert_str_ne(tm_error_get()->message, "");
    tm_error_clear();
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

START_TEST(a_kernels_failure_comes_back_through_pass_on)
{
    const tm_op *op = test_op_row_sum();
    tm_mode *mode = test_push_mode(&test_passer, "a");
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, F32(TM_INTS(3, 1), 1, 2, -3), 0));
    ck_assert_ptr_null(CALL(op, {.tensor = row}));
    ck_assert_int_eq(tm_error_get()->levels[0].index, 2);
    ck_assert_ptr_null(tm_error_get()->inner_op);
    EXPECT_ERROR(TM_ERR_NUMERIC, "test_row_sum: row starts with a negative number, got -3");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_mode_answer says_nothing(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_HANDLED;
}

static tm_mode_answer returns_null(tm_call *call, void *state)
{
    (void)state;
    tm_mode_return(call, 0, NULL);
    return TM_MODE_HANDLED;
}

static tm_mode_answer returns_none(tm_call *call, void *state)
{
    (void)state;
    tm_mode_return(call, 0, TM_NONE);
    return TM_MODE_HANDLED;
}

static tm_mode_answer returns_given(tm_call *call, void *state)
{
    tm_mode_return(call, 0, state);
    return TM_MODE_HANDLED;
}

static tm_mode_answer returns_wrong_index(tm_call *call, void *state)
{
    tm_mode_return(call, 1, state);
    tm_mode_return(call, -1, state);
    return TM_MODE_HANDLED;
}

START_TEST(outputs_must_be_set_and_match_the_specs)
{
    tm_tensor *x = test_pair();
    tm_tensor *wrong[] = {F32(TM_INTS(3), 1, 2, 3), test_iota(TM_FLOAT64, TM_INTS(2)),
                          F32(TM_INTS(1, 2), 1, 2)};
    static tm_mode_answer (*const silent[])(tm_call *, void *) = {says_nothing, returns_null,
                                                                  returns_none};
    tm_mode *mode;
    for (int i = 0; i < COUNT(silent); i++) {
        mode = test_push_handler(silent[i], NULL);
        EXPECT_NULL(tm_add(x, x), TM_ERR_SCHEMA, "add: |output 0");
        EXPECT_OK(tm_mode_pop(mode));
    }
    for (int i = 0; i < COUNT(wrong); i++) {
        mode = test_push_handler(returns_given, wrong[i]);
        EXPECT_NULL(tm_add(x, x), TM_ERR_SCHEMA, "add: output 0|float32 (2,)");
        EXPECT_OK(tm_mode_pop(mode));
    }
    mode = test_push_handler(returns_wrong_index, x);
    EXPECT_NULL(tm_add(x, x), TM_ERR_SCHEMA, "add: ");
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_mode_answer answers_nonsense(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return (tm_mode_answer)42;
}

START_TEST(an_answer_that_is_none_fails_the_call)
{
    tm_tensor *x = test_pair();
    tm_mode *mode = test_push_handler(answers_nonsense, NULL);
    ck_assert_ptr_null(tm_add(x, x));
    ck_assert_int_ne(tm_error_code(), TM_OK);
    tm_error_clear();
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_mode_answer passes_on_twice(tm_call *call, void *state)
{
    (void)state;
    bool ok = tm_mode_pass_on(call) == TM_OK && tm_mode_pass_on(call) == TM_OK;
    return ok ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static tm_mode_answer passes_on_and_declines(tm_call *call, void *state)
{
    (void)state;
    tm_mode_pass_on(call);
    return TM_MODE_DECLINE;
}

static tm_mode_answer passes_on_and_fails(tm_call *call, void *state)
{
    (void)state;
    tm_mode_pass_on(call);
    tm_fail(call, TM_ERR_VALUE, "changed my mind");
    return TM_MODE_FAILED;
}

START_TEST(odd_orders_of_answers_leak_nothing)
{
    tm_tensor *x = test_pair();
    uint64_t live = tm_memory_get_stats().live_tensors;
    tm_mode *mode = test_push_handler(passes_on_twice, NULL);
    tm_tensor *y = tm_add(x, x);
    EXPECT_F32(y, TM_INTS(2), 2, 4);
    EXPECT_OK(tm_mode_pop(mode));
    mode = test_push_handler(passes_on_and_declines, NULL);
    tm_tensor *z = tm_add(x, x);
    EXPECT_F32(z, TM_INTS(2), 2, 4);
    EXPECT_OK(tm_mode_pop(mode));
    mode = test_push_handler(passes_on_and_fails, NULL);
    EXPECT_NULL(tm_add(x, x), TM_ERR_VALUE, "add: changed my mind");
    EXPECT_OK(tm_mode_pop(mode));
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live + 2);
}
END_TEST

static tm_status pair_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? tm_output_like(call, 1, x) : status;
}

static tm_status pair_impl(tm_call *call, const tm_tensor *x, tm_tensor **a, tm_tensor **b)
{
    (void)call;
    *a = *b = tm_add(x, x); /* each output becomes a handle of its own */
    return *a ? TM_OK : tm_error_code();
}

static tm_mode_answer returns_one_twice(tm_call *call, void *state)
{
    (void)state;
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    tm_tensor *y = tm_add(x, x);
    tm_mode_return(call, 0, y);
    tm_mode_return(call, 1, y);
    return TM_MODE_HANDLED;
}

static tm_mode_answer returns_half(tm_call *call, void *state)
{
    (void)state;
    tm_mode_return(call, 1, tm_call_arg(call, 0)->tensor);
    return TM_MODE_HANDLED;
}

START_TEST(one_tensor_for_two_outputs_and_one_output_of_two)
{
    const tm_op *op =
        OP(.schema = "test_two(Tensor x) -> (Tensor a, Tensor b)", .contract = TM_COMPOSITE,
           .meta = (tm_fn)pair_meta, .impl = (tm_fn)pair_impl);
    const tm_value args[] = {{.tensor = test_pair()}};
    tm_value results[2];
    for (int handled = 0; handled < 2; handled++) {
        tm_mode *mode = handled ? test_push_handler(returns_one_twice, NULL) : NULL;
        EXPECT_OK(tm_op_call(op, args, 1, results, 2));
        ck_assert_ptr_ne(results[0].tensor, results[1].tensor);
        EXPECT_F32(results[0].tensor, TM_INTS(2), 2, 4);
        tm_release(results[0].tensor);
        EXPECT_F32(results[1].tensor, TM_INTS(2), 2, 4);
        tm_release(results[1].tensor);
        if (mode)
            EXPECT_OK(tm_mode_pop(mode));
    }
    tm_mode *mode = test_push_handler(returns_half, NULL);
    EXPECT_FAIL(tm_op_call(op, args, 1, results, 2), TM_ERR_SCHEMA, "test_two: output 0");
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

START_TEST(in_place_and_out_through_a_handler)
{
    tm_tensor *x = test_pair(), *y = test_pair();
    tm_mode *mode = test_push_mode(&test_passer, "a");
    ck_assert_ptr_eq(tm_add_(x, y), x);
    ck_assert_ptr_eq(tm_add_out(x, x, y), y);
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_F32(x, TM_INTS(2), 2, 4);
    EXPECT_F32(y, TM_INTS(2), 4, 8);
}
END_TEST

/* -- Between levels ---------------------------------------------------------------------------- */

static tm_mode_answer doubles_first(tm_call *call, void *state)
{
    (void)state;
    if (strcmp(tm_op_name(tm_call_op(call)), "add") != 0)
        return TM_MODE_DECLINE;
    const tm_tensor *x1 = tm_call_arg(call, 0)->tensor, *x2 = tm_call_arg(call, 1)->tensor;
    test_tell("%d+%d ", tm_num_levels(x1), tm_num_levels(x2));
    tm_mode_return(call, 0, tm_add(tm_add(x1, x1), x2));
    return TM_MODE_HANDLED;
}

START_TEST(a_mode_between_two_levels_calls_other_ops)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = MADE(tm_vmap_in(v, x, 0));
    tm_mode *mode = test_push_handler(doubles_first, NULL);
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = MADE(tm_vmap_in(w, a, 0));
    tm_tensor *c = MADE(tm_vmap_in(w, F32(TM_INTS(3), 100, 200, 300), 0));
    tm_tensor *y = MADE(tm_vmap_out(w, MADE(tm_add(b, c)), 0));
    EXPECT_STORY("2+1 ");
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 3, 2), 100, 102, 204, 206, 308, 310, 112, 114, 216,
               218, 320, 322);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status maps_add(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(in[0], in[0]);
    return TM_OK;
}

static tm_mode_answer handles_by_mapping(tm_call *call, void *state)
{
    (void)state;
    tm_tensor *y;
    const tm_tensor *in[] = {tm_call_arg(call, 0)->tensor};
    if (tm_vmap(maps_add, NULL, NULL, 1, in, (const int64_t[]){-1}, 1, &y, (const int64_t[]){-1}) !=
        TM_OK)
        return TM_MODE_FAILED;
    tm_mode_return(call, 0, y);
    return TM_MODE_HANDLED;
}

START_TEST(a_handler_may_map)
{
    tm_mode *mode = test_push_handler(handles_by_mapping, NULL);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2)), 0));
    EXPECT_F32(tm_vmap_out(v, MADE(tm_add(row, row)), 0), TM_INTS(2, 2), 0, 2, 4, 6);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

Suite *mode_answer_suite(void)
{
    const TTest *tests[] = {a_handler_replaces_the_result,
                            a_handler_may_return_an_argument,
                            a_handler_calls_ops_that_the_modes_below_see,
                            a_handler_has_a_scope_of_its_own,
                            a_handler_may_fail_the_call,
                            a_kernels_failure_comes_back_through_pass_on,
                            outputs_must_be_set_and_match_the_specs,
                            an_answer_that_is_none_fails_the_call,
                            odd_orders_of_answers_leak_nothing,
                            one_tensor_for_two_outputs_and_one_output_of_two,
                            in_place_and_out_through_a_handler,
                            a_mode_between_two_levels_calls_other_ops,
                            a_handler_may_map};
    return test_suite_begin("mode_answer", test_begin_story, tests, COUNT(tests));
}
