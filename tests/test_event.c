/* test_event.c: what modes are told that is no call of an op. */
#include <string.h>

#include "mode_support.h"

static void told(const tm_event *event, void *state)
{
    test_tell("%s:%s ", (char *)state, event->name);
    ck_assert_uint_eq(event->struct_size, sizeof *event);
}

static const tm_mode_def listener = {
    .struct_size = sizeof(tm_mode_def), .name = "listener", .event = told};

START_TEST(told_top_first)
{
    test_begin_story();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    tm_mode *a = test_push_mode(&listener, "a"), *b = test_push_mode(&listener, "b");
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_STORY("b:vmap a:vmap ");
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    MADE(tm_vmap_index(v));
    MADE(tm_vmap_out(v, row, 0));
    EXPECT_STORY("b:in a:in b:vmap_index a:vmap_index b:out a:out ");
    /* What fails is no event, and ops are calls. */
    EXPECT_NULL(tm_vmap_in(v, x, 7), TM_ERR_DIM, "");
    MADE(tm_neg(row));
    EXPECT_STORY("");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_STORY("b:end a:end ");
    int64_t one = 1;
    MADE(tm_strided_view(x, 1, &one, &one, 0));
    EXPECT_OK(tm_rng_at(0, 0, NULL));
    EXPECT_STORY("b:strided_view a:strided_view b:rng_at a:rng_at ");
    EXPECT_OK(tm_mode_pop(b));
    EXPECT_OK(tm_mode_pop(a));
    tm_seed(0);
}
END_TEST

static tm_status leaves_open(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_vmap_in(tm_vmap_current(), in[0], TM_NOT_MAPPED);
    ck_assert_ptr_nonnull(tm_vmap_push(NULL));
    return TM_OK;
}

START_TEST(forced_end)
{
    test_begin_story();
    tm_mode *a = test_push_mode(&listener, "a");
    const tm_tensor *in[] = {test_iota(TM_FLOAT32, TM_INTS(3, 2))};
    tm_tensor *out;
    EXPECT_OK(tm_vmap(leaves_open, NULL, NULL, 1, in, (int64_t[]){0}, 1, &out, NULL));
    EXPECT_STORY("a:vmap a:in a:in a:vmap a:end a:out a:end ");
    EXPECT_OK(tm_mode_pop(a));
}
END_TEST

static tm_mode *victim;
static tm_status popped;

static void pops(const tm_event *event, void *state)
{
    (void)event;
    (void)state;
    popped = tm_mode_pop(victim);
}

static void calls(const tm_event *event, void *state)
{
    (void)event;
    test_tell("%s ", (char *)state);
    tm_vmap_pop(tm_vmap_push(NULL));
}

/* A listener's own events are told to those below it alone; no mode can be popped meanwhile. */
START_TEST(listeners_are_off_meanwhile)
{
    static const tm_mode_def popper = {
        .struct_size = sizeof(tm_mode_def), .name = "popper", .event = pops};
    static const tm_mode_def caller = {
        .struct_size = sizeof(tm_mode_def), .name = "caller", .event = calls};
    test_begin_story();
    victim = test_push_mode(&listener, "a");
    tm_mode *p = test_push_mode(&popper, "p");
    popped = TM_OK;
    EXPECT_OK(tm_rng_at(0, 0, NULL));
    ck_assert_int_eq(popped, TM_ERR_USAGE);
    tm_error_clear();
    EXPECT_STORY("a:rng_at ");
    EXPECT_OK(tm_mode_pop(p));
    tm_mode *c = test_push_mode(&caller, "c");
    EXPECT_OK(tm_rng_at(0, 0, NULL));
    EXPECT_STORY("c a:vmap a:end a:rng_at ");
    EXPECT_OK(tm_mode_pop(c));
    EXPECT_OK(tm_mode_pop(victim));
    tm_seed(0);
}
END_TEST

/* A definition made for a version without events. */
START_TEST(shorter_definition)
{
    tm_mode_def old = listener;
    old.struct_size = offsetof(tm_mode_def, event);
    test_begin_story();
    tm_mode *a = test_push_mode(&old, "a");
    EXPECT_OK(tm_rng_at(0, 0, NULL));
    EXPECT_STORY("");
    EXPECT_OK(tm_mode_pop(a));
    tm_seed(0);
}
END_TEST

Suite *event_suite(void)
{
    const TTest *tests[] = {told_top_first, forced_end, listeners_are_off_meanwhile,
                            shorter_definition};
    return test_suite("event", tests, COUNT(tests));
}
