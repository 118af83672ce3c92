/* test_misuse.c: functions called where they have no business: each is an error, none does harm. */
#include <pthread.h>
#include <string.h>

#include "support.h"

/* -- Modes that reach into a call -----------------------------------------------------------------
 */

static tm_mode_answer describe_again(tm_call *call, void *state)
{
    (void)state;
    tm_output(call, 0, TM_FLOAT32, 2, (const int64_t[]){1, 1});
    return TM_MODE_FAILED;
}

static const tm_mode_def describing = {
    .struct_size = sizeof(tm_mode_def), .name = "describing", .handle = describe_again};

START_TEST(a_handler_cannot_change_the_specs)
{
    tm_mode *mode = tm_mode_push(&describing, NULL);
    EXPECT_NULL(tm_triu(test_iota(TM_FLOAT32, TM_INTS(30, 20)), 0), TM_ERR_USAGE,
                "tm_output was called outside the op's meta");
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_mode *self;
static tm_status popped;

static void pop_self(const tm_call *call, void *state)
{
    (void)call;
    (void)state;
    popped = tm_mode_pop(self);
}

static const tm_mode_def popping = {
    .struct_size = sizeof(tm_mode_def), .name = "popping", .before = pop_self};

START_TEST(a_mode_cannot_be_popped_while_it_is_told_of_a_call)
{
    self = tm_mode_push(&popping, NULL);
    MADE(tm_neg(test_iota(TM_FLOAT32, TM_INTS(2))));
    ck_assert_int_eq(popped, TM_ERR_USAGE);
    tm_error_clear();
    EXPECT_OK(tm_mode_pop(self));
}
END_TEST

static void call_an_op(const tm_call *call, void *state)
{
    (void)call;
    (*(int *)state)++;
    tm_scope *scope = tm_scope_push();
    tm_zeros(TM_INTS(2), TM_FLOAT32);
    tm_scope_pop(scope);
}

static const tm_mode_def calling = {
    .struct_size = sizeof(tm_mode_def), .name = "calling", .before = call_an_op};

START_TEST(a_mode_is_not_told_of_its_own_calls)
{
    int told = 0;
    tm_mode *mode = tm_mode_push(&calling, &told);
    MADE(tm_neg(test_iota(TM_FLOAT32, TM_INTS(2))));
    ck_assert_int_eq(told, 1);
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_mode_answer return_another(tm_call *call, void *state)
{
    tm_mode_return(call, 0, state);
    return TM_MODE_HANDLED;
}

static tm_mode_answer return_nothing(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_HANDLED;
}

START_TEST(an_in_place_op_is_handled_by_its_own_argument_only)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *other = F32(TM_INTS(2), 3, 4);
    tm_mode_def def = {.struct_size = sizeof def, .name = "other", .handle = return_another};
    tm_mode *mode = tm_mode_push(&def, other);
    EXPECT_NULL(tm_neg_(x), TM_ERR_SCHEMA, "output 0 must be x itself");
    EXPECT_OK(tm_mode_pop(mode));
    def.handle = return_nothing;
    mode = tm_mode_push(&def, NULL);
    EXPECT_NULL(tm_neg_(x), TM_ERR_SCHEMA, "output 0 was not set");
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_F32(x, TM_INTS(2), 1, 2);
}
END_TEST

/* -- Kernels that take themselves for modes ---------------------------------------------------- */

static tm_status copy_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status passing_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)x;
    (void)out;
    return tm_mode_pass_on(call);
}

static tm_status returning_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_mode_return(call, 0, x); /* means nothing here */
    memcpy(tm_mutable_data(out), tm_data(x), (size_t)tm_numel(x) * sizeof(float));
    return TM_OK;
}

static tm_status late_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)out;
    return tm_output_like(call, 0, x);
}

START_TEST(a_kernel_cannot_pass_its_call_on)
{
    const tm_op *op = OP(.schema = "misuse_pass(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)copy_meta, .impl = (tm_fn)passing_impl);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_USAGE,
                "tm_mode_pass_on was called outside a mode's handler");
}
END_TEST

START_TEST(a_kernel_cannot_return_as_a_mode_does)
{
    const tm_op *op = OP(.schema = "misuse_return(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)copy_meta, .impl = (tm_fn)returning_impl);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = CALL(op, {.tensor = tm_vmap_in(v, F32(TM_INTS(2, 2), 1, 2, 3, 4), 0)});
    tm_tensor *out = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(out, TM_INTS(2, 2), 1, 2, 3, 4);
}
END_TEST

START_TEST(a_kernel_cannot_describe_outputs)
{
    const tm_op *op = OP(.schema = "misuse_late(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)copy_meta, .impl = (tm_fn)late_impl);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_USAGE, "outside the op's meta");
}
END_TEST

/* -- What comes back as it goes ------------------------------------------------------------------
 */

static int gone;
static bool enough;
static tm_mode *again;
static tm_status pushed_again;

static void push_again(void *state);
static const tm_mode_def returning = {
    .struct_size = sizeof(tm_mode_def), .name = "returning", .destroy = push_again};

static void push_again(void *state)
{
    gone++;
    again = enough ? NULL : tm_mode_push(&returning, state);
    pushed_again = again ? TM_OK : tm_error_code();
    tm_error_clear();
    if (!again)
        tm_vmap_push(NULL); /* left open */
}

static tm_status leaves_modes(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    tm_mode_push(&returning, user);
    tm_vmap_push(NULL);
    tm_mode_push(&returning, user);
    out[0] = tm_alias(in[0]);
    return TM_OK;
}

static void *leaves_a_mode(void *user)
{
    return tm_mode_push(&returning, user);
}

START_TEST(a_mode_that_is_pushed_again_as_it_goes)
{
    const tm_tensor *in[] = {F32(TM_INTS(2), 1, 2)};
    tm_tensor *out;
    gone = 0;
    enough = false;
    EXPECT_OK(tm_vmap(leaves_modes, NULL, NULL, 1, in, (const int64_t[]){0}, 1, &out, NULL));
    ck_assert_int_eq(gone, 2);
    ck_assert_int_eq(pushed_again, TM_ERR_USAGE);
    ck_assert_ptr_null(tm_vmap_current());
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, leaves_a_mode, NULL), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(gone, 3);
    ck_assert_int_eq(pushed_again, TM_ERR_USAGE);
    again = tm_mode_push(&returning, NULL); /* popped by hand it may come back, each time */
    for (int turn = 0; turn < 3; turn++) {
        enough = turn == 2;
        EXPECT_OK(tm_mode_pop(again));
        ck_assert_int_eq(pushed_again, TM_OK);
    }
    ck_assert_int_eq(gone, 6);
    EXPECT_OK(tm_vmap_pop(tm_vmap_current()));
}
END_TEST

static float wrapped[2];
static tm_wrap_options wrap_again_options(void);

/* Wraps its memory anew, and leaves open what can be. */
static void wrap_again(void *user)
{
    const tm_wrap_options options = wrap_again_options();
    (void)user;
    gone++;
    ck_assert_int_lt(gone, 20);
    tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, wrapped, &options);
    tm_scope_push();
    tm_vmap_push(NULL);
    tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, wrapped, NULL);
}

static tm_wrap_options wrap_again_options(void)
{
    return (tm_wrap_options){.struct_size = sizeof(tm_wrap_options),
                             .deleter = enough ? NULL : wrap_again};
}

static tm_status wraps(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const tm_wrap_options options = wrap_again_options();
    memcpy(tm_mutable_data(out), tm_data(x), sizeof(float));
    return tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, wrapped, &options)
               ? TM_OK
               : tm_fail(call, TM_ERR_USAGE, "no wrapping");
}

/* What a deleter makes goes to the scope outside the one that is closed. */
START_TEST(a_deleter_that_wraps_its_memory_again)
{
    const tm_op *op = OP(.schema = "misuse_wrap(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)copy_meta, .impl = (tm_fn)wraps);
    gone = 0;
    enough = false;
    tm_scope *outer = tm_scope_push(), *scope = tm_scope_push();
    const tm_wrap_options options = wrap_again_options();
    MADE(tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, wrapped, &options));
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(gone, 1);
    ck_assert_ptr_null(tm_vmap_current());
    MADE(CALL(op, {.tensor = F32(TM_INTS(1), 1)}));
    ck_assert_int_eq(gone, 2);
    enough = true; /* the next ones let go */
    EXPECT_OK(tm_scope_pop(outer));
    ck_assert_int_eq(gone, 4);
    ck_assert_ptr_null(tm_vmap_current());
}
END_TEST

/* -- Memory ---------------------------------------------------------------------------------------
 */

START_TEST(wrapped_memory_must_be_aligned)
{
    static float data[4];
    const int64_t shape[] = {2};
    EXPECT_NULL(tm_wrap(TM_FLOAT32, 1, shape, NULL, (char *)data + 1, NULL), TM_ERR_VALUE,
                "data must be aligned to 4 bytes for float32");
    MADE(tm_wrap(TM_COMPLEX64, 1, shape, NULL, data, NULL));
}
END_TEST

START_TEST(a_refused_write_promotes_nothing)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *mapped = tm_vmap_in(v, F32(TM_INTS(3), 1, 2, 3), 0);
    tm_tensor *y = tm_expand(tm_zeros(TM_INTS(1), TM_FLOAT32), TM_INTS(3));
    EXPECT_NULL(tm_add_(y, mapped), TM_ERR_ALIASING,
                "x1 must have its elements at different places");
    ck_assert_int_eq(tm_num_levels(y), 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

Suite *misuse_suite(void)
{
    const TTest *tests[] = {
        a_handler_cannot_change_the_specs,    a_mode_cannot_be_popped_while_it_is_told_of_a_call,
        a_mode_is_not_told_of_its_own_calls,  an_in_place_op_is_handled_by_its_own_argument_only,
        a_kernel_cannot_pass_its_call_on,     a_kernel_cannot_return_as_a_mode_does,
        a_kernel_cannot_describe_outputs,     wrapped_memory_must_be_aligned,
        a_refused_write_promotes_nothing,     a_mode_that_is_pushed_again_as_it_goes,
        a_deleter_that_wraps_its_memory_again};
    return test_suite("misuse", tests, COUNT(tests));
}
