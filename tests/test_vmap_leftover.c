/* test_vmap_leftover.c: tm_vmap ends well whatever the function did: failed, left outputs unset,
 * left scopes, modes and levels open, or tried to close what was not its own.
 */
#include "support.h"

static tm_status map(tm_mapped_fn fn, const tm_tensor *x, int64_t in_dim, tm_tensor **out)
{
    return tm_vmap(fn, NULL, NULL, 1, &x, &in_dim, 1, out, NULL);
}

static tm_status upper(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_triu(in[0], 0);
    return out[0] ? TM_OK : tm_error_code();
}

/* -- Failures inside --------------------------------------------------------------------------- */

START_TEST(an_error_inside_is_the_functions_error)
{
    tm_tensor *z = NULL;
    EXPECT_FAIL(map(upper, test_iota(TM_FLOAT32, TM_INTS(32, 2)), 0, &z), TM_ERR_RANK,
                "triu: x must have at least 2 dimensions, got shape (2,)");
    ck_assert_ptr_null(z);
    ck_assert_ptr_null(tm_vmap_current());
}
END_TEST

static tm_status fails_silently(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_alias(in[0]);
    return TM_ERR_NUMERIC;
}

START_TEST(a_function_that_fails_without_a_word_still_leaves_a_record)
{
    tm_tensor *z, *x = F32(TM_INTS(2), 1, 2);
    EXPECT_FAIL(map(fails_silently, x, 0, &z), TM_ERR_NUMERIC, "vmap");
    ck_assert_ptr_null(z);
    ck_assert_ptr_null(tm_triu(x, 0)); /* and it is not the one that stood before */
    EXPECT_FAIL(map(fails_silently, x, 0, &z), TM_ERR_NUMERIC, "vmap");
}
END_TEST

static tm_status forgets(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    (void)out;
    return TM_OK;
}

START_TEST(an_output_left_unset_fails)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *z = x;
    EXPECT_FAIL(map(forgets, x, 0, &z), TM_ERR_USAGE, "vmap: |output 0");
    ck_assert_ptr_null(z);
    ck_assert_ptr_null(tm_triu(x, 0));
    EXPECT_FAIL(map(forgets, x, 0, &z), TM_ERR_USAGE, "vmap: |output 0");
}
END_TEST

static tm_status unchecked(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(tm_triu(in[0], 0), in[0]);
    return TM_OK;
}

START_TEST(an_unchecked_chain_fails_with_its_first_error)
{
    tm_tensor *z;
    EXPECT_FAIL(map(unchecked, test_iota(TM_FLOAT32, TM_INTS(3, 2)), 0, &z), TM_ERR_RANK,
                "triu: x");
    ck_assert_ptr_null(z);
}
END_TEST

static tm_status two_outputs(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = tm_add(in[0], in[0]);
    out[1] = user ? user : tm_alias(in[0]);
    return TM_OK;
}

START_TEST(a_failing_second_output_releases_the_first)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *z[2] = {x, x};
    const tm_tensor *in[] = {x};
    uint64_t before = tm_memory_get_stats().live_tensors;
    EXPECT_FAIL(tm_vmap(two_outputs, NULL, NULL, 1, in, (const int64_t[]){0}, 2, z,
                        (const int64_t[]){0, 5}),
                TM_ERR_DIM, "out_dim 5");
    ck_assert_ptr_null(z[0]);
    ck_assert_ptr_null(z[1]);
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, before);
    EXPECT_OK(tm_vmap(two_outputs, x, NULL, 1, in, (const int64_t[]){0}, 2, z, NULL));
    EXPECT_F32(z[1], TM_INTS(2, 2), 1, 2, 1, 2); /* an outer tensor may be a result */
    ck_assert_int_eq(tm_ndim(x), 1);
}
END_TEST

/* -- What the function opens or tries to close ------------------------------------------------- */

static int destroyed;

static void count_destroyed(void *state)
{
    (void)state;
    destroyed++;
}

static const tm_mode_def leftover_mode = {
    .struct_size = sizeof(tm_mode_def), .name = "leftover", .destroy = count_destroyed};

static tm_status leaves_open(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    tm_scope_push();
    tm_mode_push(&leftover_mode, NULL);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *inner = tm_vmap_in(v, in[0], 0);
    tm_scope_push();
    tm_mode_push(&leftover_mode, NULL);
    out[0] = tm_add(in[0], in[0]);
    return inner && out[0] ? TM_OK : tm_error_code();
}

START_TEST(what_the_function_left_open_is_closed)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *z;
    destroyed = 0;
    uint64_t before = tm_memory_get_stats().live_tensors;
    EXPECT_OK(map(leaves_open, x, 0, &z));
    ck_assert_int_eq(destroyed, 2);
    ck_assert_ptr_null(tm_vmap_current());
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, before + 1);
    EXPECT_F32(z, TM_INTS(2, 3), 0, 2, 4, 6, 8, 10);
    EXPECT_F32(tm_add(x, x), TM_INTS(2, 3), 0, 2, 4, 6, 8, 10);
}
END_TEST

static tm_status leaves_open_and_fails(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    tm_status status = leaves_open(user, in, out);
    return status == TM_OK ? TM_ERR_VALUE : status;
}

START_TEST(what_a_failing_function_left_open_is_closed)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *z;
    destroyed = 0;
    uint64_t before = tm_memory_get_stats().live_tensors;
    EXPECT_FAIL(map(leaves_open_and_fails, x, 0, &z), TM_ERR_VALUE, "");
    ck_assert_int_eq(destroyed, 2);
    ck_assert_ptr_null(tm_vmap_current());
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, before);
}
END_TEST

struct outer {
    tm_scope *scope;
    tm_mode *mode;
    tm_vmap_level *level;
    tm_status scope_status, mode_status, level_status, own_status;
};

static tm_status pops_outer(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    struct outer *outer = user;
    outer->scope_status = tm_scope_pop(outer->scope);
    outer->mode_status = tm_mode_pop(outer->mode);
    outer->level_status = tm_vmap_pop(outer->level);
    outer->own_status = tm_vmap_pop(tm_vmap_current());
    tm_error_clear();
    out[0] = tm_add(in[0], in[0]);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(nothing_opened_before_can_be_closed_inside)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *z;
    struct outer outer = {.level = tm_vmap_push(NULL)};
    outer.mode = tm_mode_push(&leftover_mode, NULL);
    outer.scope = tm_scope_push();
    const tm_tensor *in[] = {x};
    EXPECT_OK(tm_vmap(pops_outer, &outer, NULL, 1, in, (const int64_t[]){0}, 1, &z, NULL));
    ck_assert_int_eq(outer.scope_status, TM_ERR_USAGE);
    ck_assert_int_eq(outer.mode_status, TM_ERR_USAGE);
    ck_assert_int_eq(outer.level_status, TM_ERR_USAGE);
    ck_assert_int_eq(outer.own_status, TM_ERR_USAGE);
    EXPECT_F32(z, TM_INTS(2, 3), 0, 2, 4, 6, 8, 10);
    EXPECT_OK(tm_scope_pop(outer.scope));
    EXPECT_OK(tm_mode_pop(outer.mode));
    EXPECT_OK(tm_vmap_pop(outer.level));
}
END_TEST

static tm_tensor *kept;

static tm_status keeps(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    kept = tm_keep(tm_add(in[0], in[0]));
    out[0] = tm_alias(in[0]);
    return TM_OK;
}

START_TEST(a_handle_kept_by_the_function_has_escaped)
{
    tm_tensor *z;
    EXPECT_OK(map(keeps, F32(TM_INTS(2), 1, 2), 0, &z));
    EXPECT_NULL(tm_add(kept, kept), TM_ERR_ESCAPED, "add: x1");
}
END_TEST

static tm_status returns_dead(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    out[0] = kept;
    return TM_OK;
}

START_TEST(an_escaped_handle_is_no_result)
{
    tm_tensor *z;
    EXPECT_OK(map(keeps, F32(TM_INTS(2), 1, 2), 0, &z));
    EXPECT_FAIL(map(returns_dead, F32(TM_INTS(2), 1, 2), 0, &z), TM_ERR_ESCAPED, "");
    ck_assert_ptr_null(z);
}
END_TEST

Suite *vmap_leftover_suite(void)
{
    const TTest *tests[] = {an_error_inside_is_the_functions_error,
                            a_function_that_fails_without_a_word_still_leaves_a_record,
                            an_output_left_unset_fails,
                            an_unchecked_chain_fails_with_its_first_error,
                            a_failing_second_output_releases_the_first,
                            what_the_function_left_open_is_closed,
                            what_a_failing_function_left_open_is_closed,
                            nothing_opened_before_can_be_closed_inside,
                            a_handle_kept_by_the_function_has_escaped,
                            an_escaped_handle_is_no_result};
    return test_suite("vmap_leftover", tests, COUNT(tests));
}
