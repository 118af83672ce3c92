/* test_scope.c: who owns a handle: scopes, keep, retain and release, and what debug builds say of a
 * handle used after its end.
 */
#include <pthread.h>

#include "support.h"

static uint64_t live(void)
{
    return tm_memory_get_stats().live_tensors;
}

static tm_tensor *make(void)
{
    return MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){2}));
}

START_TEST(without_a_scope_the_caller_owns)
{
    uint64_t before = live();
    tm_tensor *x = make();
    tm_tensor *y = MADE(tm_add(x, x));
    ck_assert_uint_eq(live(), before + 2);
    tm_release(x);
    tm_release(y);
    ck_assert_uint_eq(live(), before);
}
END_TEST

START_TEST(popping_a_scope_releases_what_was_made_in_it)
{
    tm_tensor *outside = make();
    uint64_t before = live();
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = make();
    MADE(tm_add(x, outside));
    MADE(tm_alias(x));
    ck_assert_uint_eq(live(), before + 3);
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_uint_eq(live(), before);
    ck_assert_int_eq(tm_ndim(outside), 1);
    tm_release(outside);
}
END_TEST

START_TEST(scopes_nest)
{
    uint64_t before = live();
    tm_scope *outer = tm_scope_push();
    make();
    tm_scope *inner = tm_scope_push();
    make();
    EXPECT_OK(tm_scope_pop(inner));
    ck_assert_uint_eq(live(), before + 1);
    make();
    ck_assert_uint_eq(live(), before + 2);
    EXPECT_OK(tm_scope_pop(outer));
    ck_assert_uint_eq(live(), before);
}
END_TEST

START_TEST(popping_an_outer_scope_is_an_error_and_pops_nothing)
{
    uint64_t before = live();
    tm_scope *outer = tm_scope_push();
    make();
    tm_scope *inner = tm_scope_push();
    make();
    EXPECT_FAIL(tm_scope_pop(outer), TM_ERR_USAGE, "scope_pop: scope|innermost");
    ck_assert_uint_eq(live(), before + 2);
    EXPECT_OK(tm_scope_pop(inner));
    EXPECT_OK(tm_scope_pop(outer));
    ck_assert_uint_eq(live(), before);
}
END_TEST

static void *pop_elsewhere(void *user)
{
    static tm_status status;
    status = tm_scope_pop(user);
    return &status;
}

START_TEST(a_scope_of_another_thread_is_not_popped)
{
    tm_scope *scope = tm_scope_push();
    pthread_t thread;
    void *status;
    ck_assert_int_eq(pthread_create(&thread, NULL, pop_elsewhere, scope), 0);
    pthread_join(thread, &status);
    ck_assert_int_eq(*(tm_status *)status, TM_ERR_USAGE);
    EXPECT_OK(tm_scope_pop(scope));
}
END_TEST

START_TEST(keep_moves_one_scope_out)
{
    uint64_t before = live();
    tm_scope *outer = tm_scope_push(), *inner = tm_scope_push();
    tm_tensor *x = make();
    ck_assert_ptr_eq(tm_keep(x), x);
    EXPECT_OK(tm_scope_pop(inner));
    ck_assert_uint_eq(live(), before + 1);
    ck_assert_int_eq(tm_size(x, 0), 2);
    ck_assert_ptr_eq(tm_keep(x), x); /* to the caller now */
    EXPECT_OK(tm_scope_pop(outer));
    ck_assert_uint_eq(live(), before + 1);
    tm_release(x);
    ck_assert_uint_eq(live(), before);
}
END_TEST

START_TEST(keep_of_a_handle_of_an_outer_scope_moves_it_from_there)
{
    uint64_t before = live();
    tm_scope *outer = tm_scope_push();
    tm_tensor *x = make();
    tm_scope *inner = tm_scope_push();
    ck_assert_ptr_eq(tm_keep(x), x); /* from outer to the caller */
    EXPECT_OK(tm_scope_pop(inner));
    EXPECT_OK(tm_scope_pop(outer));
    ck_assert_uint_eq(live(), before + 1);
    tm_release(x);
}
END_TEST

START_TEST(keep_and_retain_of_null_yield_null_and_leave_the_error)
{
    EXPECT_NULL(tm_new(TM_FLOAT32, -1, NULL), TM_ERR_RANK, "");
    ck_assert_ptr_null(tm_new(TM_FLOAT32, -1, NULL));
    ck_assert_ptr_null(tm_keep(NULL));
    ck_assert_ptr_null(tm_retain(NULL));
    ck_assert_ptr_null(tm_alias(NULL));
    EXPECT_ERROR(TM_ERR_RANK, "ndim");
}
END_TEST

START_TEST(retained_handles_outlive_their_scope)
{
    uint64_t before = live();
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = F32(TM_INTS(2), 3, 4);
    ck_assert_ptr_eq(tm_retain(x), x);
    EXPECT_OK(tm_scope_pop(scope));
    EXPECT_F32(x, TM_INTS(2), 3, 4);
    tm_retain(x);
    tm_release(x);
    EXPECT_F32(x, TM_INTS(2), 3, 4);
    tm_release(x);
    ck_assert_uint_eq(live(), before);
}
END_TEST

START_TEST(a_scoped_handle_released_by_hand_leaves_its_scope)
{
    uint64_t before = live();
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = make(), *y = make();
    tm_release(x);
    ck_assert_uint_eq(live(), before + 1);
    tm_release(y);
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_uint_eq(live(), before);
}
END_TEST

START_TEST(releasing_nothing_is_allowed)
{
    tm_release(NULL);
    tm_release(TM_NONE);
    ck_assert_int_eq(tm_error_code(), TM_OK);
}
END_TEST

START_TEST(views_keep_the_memory)
{
    tm_tensor *x = F32(TM_INTS(4), 1, 2, 3, 4);
    tm_tensor *y = MADE(tm_strided_view(x, 1, (const int64_t[]){2}, (const int64_t[]){1}, 2));
    tm_release(x);
    EXPECT_F32(y, TM_INTS(2), 3, 4);
    tm_release(y);
}
END_TEST

START_TEST(in_place_and_out_return_their_argument_and_leave_its_owner)
{
    uint64_t before = live();
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    tm_scope *scope = tm_scope_push();
    tm_tensor *y = F32(TM_INTS(2), 10, 20);
    ck_assert_ptr_eq(tm_add_(x, y), x);
    ck_assert_ptr_eq(tm_add_out(y, y, x), x);
    EXPECT_OK(tm_scope_pop(scope));
    EXPECT_F32(x, TM_INTS(2), 20, 40);
    tm_release(x);
    ck_assert_uint_eq(live(), before);
}
END_TEST

START_TEST(a_failing_call_leaves_no_handle)
{
    uint64_t before = live();
    tm_tensor *x = make(), *y = MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){3}));
    EXPECT_NULL(tm_add(x, y), TM_ERR_SHAPE, "add: x2");
    tm_release(x);
    tm_release(y);
    ck_assert_uint_eq(live(), before);
}
END_TEST

static void *release_elsewhere(void *user)
{
    tm_tensor *x = user;
    tm_tensor *y = tm_add(x, x);
    double value = y ? test_value(y, 0) : -1;
    tm_release(y);
    tm_release(x);
    static double result;
    result = value;
    return &result;
}

START_TEST(a_retained_handle_may_go_to_another_thread)
{
    uint64_t before = live();
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_retain(F32(TM_INTS(1), 4));
    EXPECT_OK(tm_scope_pop(scope));
    pthread_t thread;
    void *value;
    ck_assert_int_eq(pthread_create(&thread, NULL, release_elsewhere, x), 0);
    pthread_join(thread, &value);
    ck_assert_double_eq(*(double *)value, 8);
    ck_assert_uint_eq(live(), before);
}
END_TEST

/* -- NULL chains ------------------------------------------------------------------------------- */

START_TEST(a_chain_is_checked_once_at_its_end)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    tm_tensor *y = tm_add(tm_triu(tm_add(x, x), 0), x);
    ck_assert_ptr_null(y);
    const tm_error *error = tm_error_get();
    ck_assert_str_eq(error->op, "triu");
    ck_assert_ptr_null(tm_add_(y, y));
    ck_assert_int_eq(tm_ndim(y), -1);
    ck_assert_ptr_null(tm_shape(y));
    ck_assert_ptr_null(tm_data(y));
    ck_assert_str_eq(tm_error_get()->op, "triu");
    EXPECT_ERROR(TM_ERR_RANK, "triu: x must have at least 2 dimensions");
    EXPECT_OK(tm_scope_pop(scope));
}
END_TEST

START_TEST(a_failing_call_whose_arguments_are_good_replaces_the_error)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *y = F32(TM_INTS(3), 1, 2, 3);
    ck_assert_ptr_null(tm_triu(x, 0));
    ck_assert_ptr_null(tm_add(x, y));
    EXPECT_ERROR(TM_ERR_SHAPE, "add:");
    EXPECT_OK(tm_scope_pop(scope));
}
END_TEST

START_TEST(a_call_that_succeeds_leaves_the_error_standing)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    ck_assert_ptr_null(tm_triu(x, 0));
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
    EXPECT_ERROR(TM_ERR_RANK, "triu:");
    EXPECT_OK(tm_scope_pop(scope));
}
END_TEST

START_TEST(none_is_not_null)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(tm_add(x, TM_NONE), TM_ERR_USAGE, "add: x2|TM_NONE");
    ck_assert_int_eq(tm_ndim(TM_NONE), -1);
    tm_error_clear();
    EXPECT_NULL(tm_alias(TM_NONE), TM_ERR_USAGE, "TM_NONE");
    EXPECT_OK(tm_scope_pop(scope));
}
END_TEST

/* -- After the end ----------------------------------------------------------------------------- */

START_TEST(a_released_handle_is_reported_in_debug_builds)
{
#ifdef TM_DEBUG
    tm_tensor *x = make(), *y = make();
    tm_release(x);
    EXPECT_NULL(tm_add(y, x), TM_ERR_USAGE, "add: x2|released");
    EXPECT_NULL(tm_add_(x, y), TM_ERR_USAGE, "released");
    ck_assert_int_eq(tm_ndim(x), -1);
    EXPECT_ERROR(TM_ERR_USAGE, "released");
    ck_assert_ptr_null(tm_shape(x));
    EXPECT_ERROR(TM_ERR_USAGE, "released");
    EXPECT_NULL(tm_data(x), TM_ERR_USAGE, "released");
    EXPECT_NULL(tm_retain(x), TM_ERR_USAGE, "released");
    EXPECT_NULL(tm_keep(x), TM_ERR_USAGE, "released");
    EXPECT_NULL(tm_alias(x), TM_ERR_USAGE, "released");
    tm_release(x);
    EXPECT_ERROR(TM_ERR_USAGE, "released");
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_NULL(tm_vmap_in(v, x, 0), TM_ERR_USAGE, "released");
    EXPECT_NULL(tm_vmap_out(v, x, 0), TM_ERR_USAGE, "released");
    EXPECT_OK(tm_vmap_pop(v));
    tm_release(y);
#endif
}
END_TEST

START_TEST(a_handle_of_a_popped_scope_is_reported_in_debug_builds)
{
#ifdef TM_DEBUG
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = make();
    EXPECT_OK(tm_scope_pop(scope));
    EXPECT_NULL(tm_triu(x, 0), TM_ERR_USAGE, "triu: x|released");
#endif
}
END_TEST

START_TEST(a_popped_scope_is_not_popped_again)
{
    tm_scope *outer = tm_scope_push(), *inner = tm_scope_push();
    EXPECT_OK(tm_scope_pop(inner));
    EXPECT_FAIL(tm_scope_pop(inner), TM_ERR_USAGE, "scope_pop");
    EXPECT_OK(tm_scope_pop(outer));
}
END_TEST

Suite *scope_suite(void)
{
    const TTest *tests[] = {without_a_scope_the_caller_owns,
                            popping_a_scope_releases_what_was_made_in_it,
                            scopes_nest,
                            popping_an_outer_scope_is_an_error_and_pops_nothing,
                            a_scope_of_another_thread_is_not_popped,
                            keep_moves_one_scope_out,
                            keep_of_a_handle_of_an_outer_scope_moves_it_from_there,
                            keep_and_retain_of_null_yield_null_and_leave_the_error,
                            retained_handles_outlive_their_scope,
                            a_scoped_handle_released_by_hand_leaves_its_scope,
                            releasing_nothing_is_allowed,
                            views_keep_the_memory,
                            in_place_and_out_return_their_argument_and_leave_its_owner,
                            a_failing_call_leaves_no_handle,
                            a_retained_handle_may_go_to_another_thread,
                            a_chain_is_checked_once_at_its_end,
                            a_failing_call_whose_arguments_are_good_replaces_the_error,
                            a_call_that_succeeds_leaves_the_error_standing,
                            none_is_not_null,
                            a_released_handle_is_reported_in_debug_builds,
                            a_handle_of_a_popped_scope_is_reported_in_debug_builds,
                            a_popped_scope_is_not_popped_again};
    return test_suite_unscoped("scope", tests, COUNT(tests));
}
