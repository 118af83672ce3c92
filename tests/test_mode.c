/* test_mode.c: modes of a user's own: what each kind sees of a call, composites among them, and the
 * order in which modes come and go.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mode_support.h"

/* Its state is its name in the story, as those of mode_support.h. */
static void before(const tm_call *call, void *state)
{
    test_tell("%s<%s ", (char *)state, tm_op_name(tm_call_op(call)));
}

static void after(const tm_call *call, tm_status status, void *state)
{
    test_tell("%s>%s=%s ", (char *)state, tm_op_name(tm_call_op(call)), tm_status_name(status));
}

static const tm_mode_def observer = {
    .struct_size = sizeof(tm_mode_def), .name = "observer", .before = before, .after = after};

/* -- Seeing calls ------------------------------------------------------------------------------ */

START_TEST(a_declining_mode_sees_each_call_and_changes_nothing)
{
    tm_tensor *x = test_pair();
    tm_mode *mode = test_push_mode(&test_decliner, "a");
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
    MADE(tm_add_(x, x));
    EXPECT_STORY("a:add a:add_ ");
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_STORY("~a ");
    MADE(tm_add(x, x));
    EXPECT_STORY("");
}
END_TEST

START_TEST(modes_see_a_call_from_the_top_down)
{
    tm_tensor *x = test_pair();
    tm_mode *a = test_push_mode(&test_decliner, "a"), *b = test_push_mode(&test_passer, "b"),
            *c = test_push_mode(&observer, "c");
    tm_mode *d = test_push_mode(&test_passer, "d");
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
    EXPECT_STORY("d(add c<add b(add a:add ) c>add=ok ) ");
    EXPECT_OK(tm_mode_pop(d));
    EXPECT_OK(tm_mode_pop(c));
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
    EXPECT_STORY("~a ");
}
END_TEST

START_TEST(a_call_that_fails_in_meta_is_only_observed)
{
    tm_tensor *x = test_pair();
    tm_mode *a = test_push_mode(&observer, "a"), *b = test_push_mode(&test_decliner, "b");
    EXPECT_NULL(tm_triu(x, 0), TM_ERR_RANK, "triu: x must have at least 2 dimensions");
    EXPECT_STORY("a<triu a>triu=rank ");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

START_TEST(a_failure_in_the_kernel_is_observed_with_its_status)
{
    const tm_op *op = test_op_row_sum();
    tm_mode *a = test_push_mode(&observer, "a");
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), -1)}), TM_ERR_NUMERIC, "");
    EXPECT_STORY("a<test_row_sum a>test_row_sum=numeric ");
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

START_TEST(infer_is_seen_by_no_mode)
{
    tm_tensor *x = test_pair();
    tm_mode *a = test_push_mode(&observer, "a"), *b = test_push_mode(&test_decliner, "b");
    tm_spec spec;
    EXPECT_OK(tm_infer(tm_op_find("add", NULL), (const tm_value[]){{.tensor = x}, {.tensor = x}}, 2,
                       &spec, 1));
    ck_assert_int_eq(spec.shape[0], 2);
    tm_op_find("add", NULL);
    EXPECT_STORY("");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
    EXPECT_STORY("~b ");
}
END_TEST

static tm_mode_answer looks(tm_call *call, void *state)
{
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    const tm_spec *spec = tm_output_spec(call, 0);
    test_tell("%d args, x %d-D at %d levels, k=%d, out %d-D %s", tm_call_num_args(call), tm_ndim(x),
              tm_num_levels(x), (int)tm_call_arg(call, 1)->i, spec->ndim,
              tm_dtype_name(spec->dtype));
    ck_assert_ptr_null(tm_output_spec(call, 1));
    ck_assert_ptr_null(tm_output_spec(call, -1));
    ck_assert_ptr_null(state);
    return TM_MODE_DECLINE;
}

START_TEST(a_mode_sees_arguments_with_their_levels_and_the_specs)
{
    tm_mode *mode = test_push_handler(looks, NULL);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(3, 2, 2)), 0));
    MADE(tm_triu(m, -4));
    EXPECT_STORY("2 args, x 2-D at 1 levels, k=-4, out 2-D float32");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

/* -- Composites -------------------------------------------------------------------------------- */

static tm_status same_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status four_times(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    tm_tensor *twice = tm_add(x, x);
    *out = tm_add(twice, twice);
    return *out ? TM_OK : tm_error_code();
}

static const tm_op *four_op(void)
{
    return OP(.schema = "four(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
              .meta = (tm_fn)same_meta, .impl = (tm_fn)four_times);
}

START_TEST(a_composite_is_seen_and_then_its_inner_calls)
{
    const tm_op *op = four_op();
    tm_mode *a = test_push_mode(&observer, "a"), *b = test_push_mode(&test_decliner, "b");
    EXPECT_F32(CALL(op, {.tensor = test_pair()}), TM_INTS(2), 4, 8);
    EXPECT_STORY("b:four a<four b:add a<add a>add=ok b:add a<add a>add=ok a>four=ok ");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

/* Below a handler that passes on, the composite runs with the handler off. */
START_TEST(a_composite_below_a_handler_runs_with_the_stack_below_it)
{
    const tm_op *op = four_op();
    tm_mode *a = test_push_mode(&test_decliner, "a"), *b = test_push_mode(&test_passer, "b");
    EXPECT_F32(CALL(op, {.tensor = test_pair()}), TM_INTS(2), 4, 8);
    EXPECT_STORY("b(four a:four a:add a:add ) ");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

START_TEST(a_handled_composite_does_not_run)
{
    const tm_op *op = four_op();
    tm_mode *a = test_push_mode(&observer, "a"), *b = test_push_handler(test_answers_99, NULL);
    EXPECT_F32(CALL(op, {.tensor = test_pair()}), TM_INTS(2), 99, 99);
    EXPECT_STORY(""); /* what a mode above has handled goes no further */
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

/* -- Coming and going -------------------------------------------------------------------------- */

START_TEST(pops_out_of_order_are_errors_and_pop_nothing)
{
    tm_mode *a = test_push_mode(&test_decliner, "a"), *b = test_push_mode(&test_decliner, "b");
    EXPECT_FAIL(tm_mode_pop(a), TM_ERR_USAGE, "mode_pop: mode|innermost");
    EXPECT_STORY("");
    MADE(tm_add(test_pair(), test_pair()));
    EXPECT_STORY("b:add a:add ");
    EXPECT_OK(tm_mode_pop(b));
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_FAIL(tm_mode_pop(a), TM_ERR_USAGE, "mode_pop: mode|innermost");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_mode_pop(a));
    EXPECT_STORY("~b ~a ");
}
END_TEST

START_TEST(a_popped_mode_is_not_popped_again)
{
    tm_mode *a = test_push_mode(&test_decliner, "a"), *b = test_push_mode(&test_decliner, "b");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_FAIL(tm_mode_pop(b), TM_ERR_USAGE, "mode_pop");
    EXPECT_OK(tm_mode_pop(a));
    EXPECT_STORY("~b ~a ");
}
END_TEST

static void *pop_elsewhere(void *user)
{
    static tm_status status;
    status = tm_mode_pop(user);
    tm_tensor *x = tm_new(TM_FLOAT32, 0, NULL); /* nor does the mode see this thread's calls */
    tm_release(tm_add(x, x));
    tm_release(x);
    return &status;
}

START_TEST(another_threads_mode_is_not_popped)
{
    tm_mode *a = test_push_mode(&test_decliner, "a");
    pthread_t thread;
    void *status;
    ck_assert_int_eq(pthread_create(&thread, NULL, pop_elsewhere, a), 0);
    pthread_join(thread, &status);
    ck_assert_int_eq(*(tm_status *)status, TM_ERR_USAGE);
    EXPECT_STORY("");
    EXPECT_OK(tm_mode_pop(a));
    EXPECT_STORY("~a ");
}
END_TEST

static tm_mode *own;

static tm_mode_answer pops_itself_and_leaves_others(tm_call *call, void *state)
{
    (void)state;
    ck_assert_int_eq(tm_mode_pop(own), TM_ERR_USAGE);
    tm_error_clear();
    test_push_mode(&test_decliner, "left");
    tm_vmap_push(NULL);
    test_push_mode(&test_decliner, "over");
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

START_TEST(what_a_handler_leaves_open_is_closed)
{
    tm_tensor *x = test_pair();
    own = test_push_handler(pops_itself_and_leaves_others, NULL);
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
    EXPECT_STORY("~over ~left ");
    ck_assert_ptr_null(tm_vmap_current());
    EXPECT_OK(tm_mode_pop(own));
}
END_TEST

START_TEST(a_mode_needs_a_definition_with_a_name)
{
    tm_mode_def nameless = {.struct_size = sizeof nameless};
    EXPECT_NULL(tm_mode_push(&nameless, NULL), TM_ERR_USAGE, "mode_push");
    nameless.name = "nothing at all";
    tm_mode *mode = tm_mode_push(&nameless, NULL);
    EXPECT_SHAPE(tm_add(test_pair(), test_pair()), TM_FLOAT32, TM_INTS(2));
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

START_TEST(the_error_lists_the_modes_top_first)
{
    tm_mode *a = test_push_mode(&observer, "a");
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_mode *b = test_push_mode(&test_decliner, "b");
    ck_assert_ptr_null(tm_triu(test_pair(), 0));
    ck_assert_str_eq(tm_error_get()->modes, "decliner, vmap, observer");
    tm_error_clear();
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

/* -- Trace ------------------------------------------------------------------------------------- */

START_TEST(trace_writes_calls_shapes_levels_and_failures)
{
    const tm_op *op = four_op();
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    tm_mode *trace = tm_trace_push(stream);
    ck_assert_ptr_nonnull(trace);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(5, 2)), 0));
    MADE(CALL(op, {.tensor = row}));
    EXPECT_NULL(tm_triu(row, 0), TM_ERR_RANK, "");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_mode_pop(trace));
    fclose(stream);
    const char *outer = strstr(text, "four"), *inner = strstr(text, "add");
    ck_assert_msg(outer && inner && inner > outer, "%s", text);
    ck_assert_msg(strstr(text, "(2,)") && strstr(text, "triu") && strstr(text, "rank"), "%s", text);
    const char *line = inner;
    while (line > text && line[-1] != '\n')
        line--;
    ck_assert_msg(strncmp(line, "  #   ", 6) == 0, "inner calls are comments: %s", text);
    free(text);
}
END_TEST

Suite *mode_suite(void)
{
    const TTest *tests[] = {a_declining_mode_sees_each_call_and_changes_nothing,
                            modes_see_a_call_from_the_top_down,
                            a_call_that_fails_in_meta_is_only_observed,
                            a_failure_in_the_kernel_is_observed_with_its_status,
                            infer_is_seen_by_no_mode,
                            a_mode_sees_arguments_with_their_levels_and_the_specs,
                            a_composite_is_seen_and_then_its_inner_calls,
                            a_composite_below_a_handler_runs_with_the_stack_below_it,
                            a_handled_composite_does_not_run,
                            pops_out_of_order_are_errors_and_pop_nothing,
                            a_popped_mode_is_not_popped_again,
                            another_threads_mode_is_not_popped,
                            what_a_handler_leaves_open_is_closed,
                            a_mode_needs_a_definition_with_a_name,
                            the_error_lists_the_modes_top_first,
                            trace_writes_calls_shapes_levels_and_failures};
    return test_suite_begin("mode", test_begin_story, tests, COUNT(tests));
}
