/* test_mode_fails.c: modes that fail in the middle of a call, by whatever they do: the answer is an
 * error that names the mode, nothing leaks, the stacks are as they were and the next call works.
 */
#include <string.h>

#include "mode_support.h"

static tm_status first_codes[8];
static int num_codes;

/* Leaves open what can be left open. */
static void litter(void)
{
    tm_scope_push();
    tm_mode_push(&test_decliner, "left");
    tm_vmap_push(NULL);
    tm_zeros(TM_INTS(3), TM_FLOAT32);
    tm_scope_push();
}

/* -- Handlers ---------------------------------------------------------------------------------- */

static tm_mode_answer answer;

static tm_mode_answer fails_and_says_otherwise(tm_call *call, void *state)
{
    (void)state;
    litter();
    if (answer == TM_MODE_HANDLED)
        tm_mode_return(call, 0, tm_call_arg(call, 0)->tensor);
    tm_fail(call, TM_ERR_VALUE, "not today");
    return answer;
}

static tm_mode_answer fails_inside(tm_call *call, void *state)
{
    (void)state;
    tm_add(NULL, NULL);
    litter();
    tm_mode_return(call, 0, tm_call_arg(call, 0)->tensor);
    return answer;
}

static tm_mode_answer says_nothing(tm_call *call, void *state)
{
    (void)call, (void)state;
    litter();
    return answer;
}

static tm_status negates(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_neg(in[0]);
    return TM_OK;
}

static tm_status maps_rows(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    return tm_vmap(negates, user, NULL, 1, in, (const int64_t[]){0}, 1, out, NULL);
}

static tm_status like(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status composite(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_neg(tm_neg(x));
    return *out ? TM_OK : tm_error_code();
}

/* Under `depth` levels, or in a composite. The mode stands below them. */
static tm_tensor *call_at(int depth, const tm_tensor *x)
{
    tm_tensor *out = NULL;
    const tm_tensor *in[] = {x};
    if (depth == 0)
        return tm_neg(x);
    if (depth == 3)
        return CALL(tm_op_find("fails_twice", ""), {.tensor = x});
    tm_vmap(depth == 1 ? negates : maps_rows, NULL, NULL, 1, in, (const int64_t[]){0}, 1, &out,
            NULL);
    return out;
}

START_TEST(handlers_at_every_depth)
{
    static tm_mode_answer (*const handlers[])(tm_call *, void *) = {fails_and_says_otherwise,
                                                                    fails_inside, says_nothing};
    static const char *const words[] = {"not today", "x1 is NULL", "(mode handler)"};
    tm_tensor *x = F32(TM_INTS(1, 2), 1, 2);
    OP(.schema = "fails_twice(Tensor x) -> Tensor", .contract = TM_COMPOSITE, .meta = (tm_fn)like,
       .impl = (tm_fn)composite);
    uint64_t live = tm_memory_get_stats().live_tensors;
    for (int h = 0; h < COUNT(handlers); h++)
        for (int depth = 0; depth < 4; depth++)
            for (answer = TM_MODE_DECLINE; answer <= TM_MODE_FAILED; answer++) {
                if (handlers[h] == says_nothing && answer == TM_MODE_DECLINE)
                    continue;
                tm_mode *mode = test_push_handler(handlers[h], NULL);
                ck_assert_ptr_null(call_at(depth, x));
                ck_assert_msg(strstr(tm_error_message(), words[h]), "%s", tm_error_message());
                ck_assert_ptr_nonnull(strstr(tm_error_get()->modes, "handler"));
                tm_error_clear();
                EXPECT_OK(tm_mode_pop(mode));
                ck_assert_ptr_null(tm_vmap_current());
                ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live);
                tm_scope *scope = tm_scope_push();
                MADE(call_at(depth, x));
                EXPECT_OK(tm_scope_pop(scope));
                test_begin_story();
            }
    EXPECT_F32(x, TM_INTS(1, 2), 1, 2);
}
END_TEST

static tm_mode_answer answers_a_failure(tm_call *call, void *state)
{
    (void)state;
    if (tm_mode_pass_on(call) == TM_OK)
        return TM_MODE_HANDLED;
    tm_mode_return(call, 0, tm_call_arg(call, 0)->tensor);
    return answer;
}

START_TEST(a_failure_from_below_may_be_answered)
{
    const tm_op *op = test_op_row_sum();
    OP(.schema = "fails_sum(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .meta = (tm_fn)like,
       .impl = (tm_fn)test_row_sum_impl);
    tm_tensor *x = F32(TM_INTS(2), -1, 2);
    tm_mode *mode = test_push_handler(answers_a_failure, NULL);
    answer = TM_MODE_HANDLED;
    EXPECT_F32(CALL(tm_op_find("fails_sum", ""), {.tensor = x}), TM_INTS(2), -1, 2);
    answer = TM_MODE_DECLINE; /* the kernel is asked again */
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC, "row starts with a negative number");
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), tm_no_ints, 3);
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

/* -- Observers ---------------------------------------------------------------------------------
 */

static void fails_before(const tm_call *call, void *state)
{
    (void)call, (void)state;
    litter();
    tm_add(NULL, NULL);
}

static void fails_after(const tm_call *call, tm_status status, void *state)
{
    (void)status;
    fails_before(call, state);
}

static void fails_at_event(const tm_event *event, void *state)
{
    (void)event;
    fails_before(NULL, state);
}

static const tm_mode_def observers[] = {
    {.struct_size = sizeof(tm_mode_def), .name = "watcher", .before = fails_before},
    {.struct_size = sizeof(tm_mode_def), .name = "watcher", .after = fails_after},
    {.struct_size = sizeof(tm_mode_def), .name = "watcher", .event = fails_at_event}};

START_TEST(an_observers_failure_stands_and_fails_no_call)
{
    tm_tensor *x = F32(TM_INTS(1, 2), 1, 2);
    OP(.schema = "fails_twice(Tensor x) -> Tensor", .contract = TM_COMPOSITE, .meta = (tm_fn)like,
       .impl = (tm_fn)composite);
    uint64_t live = tm_memory_get_stats().live_tensors;
    for (int i = 0; i < COUNT(observers); i++)
        for (int depth = i == 2 ? 1 : 0; depth < (i == 2 ? 3 : 4); depth++) {
            tm_mode *outer = test_push_mode(&test_passer, "outer");
            tm_mode *mode = tm_mode_push(&observers[i], NULL);
            tm_scope *scope = tm_scope_push();
            tm_tensor *y = call_at(depth, x);
            ck_assert_msg(y != NULL, "%s", tm_error_message());
            ck_assert_int_eq(tm_error_code(), TM_ERR_USAGE);
            ck_assert_ptr_nonnull(strstr(tm_error_get()->modes, "watcher, "));
            tm_error_clear();
            EXPECT_OK(tm_scope_pop(scope));
            EXPECT_OK(tm_mode_pop(mode));
            EXPECT_OK(tm_mode_pop(outer));
            ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live);
            test_begin_story();
        }
}
END_TEST

START_TEST(a_failed_calls_error_is_its_own)
{
    tm_mode *mode = tm_mode_push(&observers[0], NULL), *after = tm_mode_push(&observers[1], NULL);
    EXPECT_NULL(tm_triu(F32(TM_INTS(2), 1, 2), 0), TM_ERR_RANK, "triu: x must have");
    ck_assert_ptr_null(tm_triu(F32(TM_INTS(2), 1, 2), 0));
    tm_tensor *passed_on = tm_triu(NULL, 0); /* leaves the first one standing */
    EXPECT_NULL(passed_on, TM_ERR_RANK, "triu: x must have");
    EXPECT_OK(tm_mode_pop(after));
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

/* -- Pops of what is not theirs ------------------------------------------------------------------
 */

static tm_mode *below, *own;
static tm_vmap_level *level;
static tm_scope *user_scope;

static void pop_all(void)
{
    num_codes = 0;
    first_codes[num_codes++] = tm_mode_pop(own);
    first_codes[num_codes++] = tm_mode_pop(below);
    first_codes[num_codes++] = tm_vmap_pop(level);
    first_codes[num_codes++] = tm_scope_pop(user_scope);
    first_codes[num_codes++] = tm_mode_pop(below);
    tm_error_clear();
}

static tm_mode_answer pops_in_handler(tm_call *call, void *state)
{
    (void)call, (void)state;
    pop_all();
    return TM_MODE_DECLINE;
}

static void pops_before(const tm_call *call, void *state)
{
    (void)call, (void)state;
    pop_all();
}

static void pops_after(const tm_call *call, tm_status status, void *state)
{
    (void)status;
    pops_before(call, state);
}

static void pops_at_event(const tm_event *event, void *state)
{
    (void)event, (void)state;
    pop_all();
}

static tm_status pops_in_composite(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    pop_all();
    return composite(call, x, out);
}

static const tm_mode_def poppers[] = {
    {.struct_size = sizeof(tm_mode_def), .name = "popper", .handle = pops_in_handler},
    {.struct_size = sizeof(tm_mode_def), .name = "popper", .before = pops_before},
    {.struct_size = sizeof(tm_mode_def), .name = "popper", .after = pops_after},
    {.struct_size = sizeof(tm_mode_def), .name = "popper", .event = pops_at_event},
    {.struct_size = sizeof(tm_mode_def), .name = "idle"}};
static const tm_mode_def idle = {.struct_size = sizeof(tm_mode_def), .name = "idle"};

START_TEST(what_the_caller_opened_stays_open)
{
    const tm_op *op = OP(.schema = "fails_pops(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)like, .impl = (tm_fn)pops_in_composite);
    tm_tensor *x = F32(TM_INTS(1), 1);
    for (int i = 0; i < COUNT(poppers); i++)
        for (int order = 0; order < 2; order++) { /* which of mode and level is right below */
            num_codes = 0;
            user_scope = tm_scope_push();
            level = NULL;
            below = order ? tm_mode_push(&idle, NULL) : NULL;
            level = tm_vmap_push(NULL);
            below = order ? below : tm_mode_push(&idle, NULL);
            own = tm_mode_push(&poppers[i], NULL);
            tm_tensor *y = MADE(tm_vmap_in(level, x, 0));
            MADE(CALL(op, {.tensor = y}));
            ck_assert_int_eq(num_codes, 5);
            for (int k = 0; k < num_codes; k++)
                ck_assert_msg(first_codes[k] != TM_OK, "popper %d pops %d", i, k);
            EXPECT_OK(tm_mode_pop(own));
            if (!order)
                EXPECT_OK(tm_mode_pop(below));
            EXPECT_OK(tm_vmap_pop(level));
            if (order)
                EXPECT_OK(tm_mode_pop(below));
            EXPECT_OK(tm_scope_pop(user_scope));
        }
}
END_TEST

Suite *mode_fails_suite(void)
{
    const TTest *tests[] = {handlers_at_every_depth, a_failure_from_below_may_be_answered,
                            an_observers_failure_stands_and_fails_no_call,
                            a_failed_calls_error_is_its_own, what_the_caller_opened_stays_open};
    return test_suite_begin("mode_fails", test_begin_story, tests, COUNT(tests));
}
