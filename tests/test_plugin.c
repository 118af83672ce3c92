/* test_plugin.c: tm_plugin_load, on plug-ins that are right or wrong in one way each. They stay
 * loaded until the process ends: Check forks for every test.
 */
#include <stdlib.h>

#include "support.h"

#define PLUGIN(name) TM_PLUGINS "/" name ".so"

static void expect_refused(const char *path, tm_status code, const char *message)
{
    ck_assert_int_eq(tm_plugin_load(path), code);
    ck_assert_str_eq(tm_error_get()->message, message);
    ck_assert_str_eq(tm_error_get()->op, "plugin_load");
    tm_error_clear();
}

START_TEST(a_plugin_registers_ops)
{
    ck_assert_ptr_null(tm_op_find("smoothstep", ""));
    EXPECT_OK(tm_plugin_load(PLUGIN("plugin")));
    const tm_op *op = tm_op_find("smoothstep", "");
    ck_assert_ptr_nonnull(op);
    ck_assert_str_eq(tm_plugin_of(op), PLUGIN("plugin"));
    ck_assert_ptr_null(tm_plugin_of(tm_op_find("triu", "")));
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_tensor *x = tm_vmap_in(level, F32(TM_INTS(3), -1, 0.5f, 2), 0);
    tm_tensor *y = tm_vmap_out(level, MADE(CALL(op, {.tensor = x})), 0);
    EXPECT_F32(y, TM_INTS(3), 0, 0.5, 1);
    EXPECT_OK(tm_vmap_pop(level));
}
END_TEST

START_TEST(aliases_and_overrides_too)
{
    EXPECT_OK(tm_plugin_load(PLUGIN("no_samples")));
    ck_assert_ptr_eq(tm_op_find("half_alias", ""), tm_op_find("half_bare", ""));
    EXPECT_F32(tm_triu(F32(TM_INTS(1, 2), 1, 2), 0), TM_INTS(1, 2), 0, 0);
}
END_TEST

START_TEST(loading_twice_is_harmless)
{
    EXPECT_OK(tm_plugin_load(PLUGIN("plugin")));
    int64_t count = tm_op_count();
    EXPECT_OK(tm_plugin_load(PLUGIN("plugin")));
    EXPECT_OK(tm_plugin_load(TM_PLUGINS "/../plugins/plugin.so"));
    ck_assert_int_eq(tm_op_count(), count);
}
END_TEST

START_TEST(what_is_no_plugin_is_refused)
{
    expect_refused("no.so", TM_ERR_IO, "'no.so': No such file or directory");
    expect_refused("/", TM_ERR_IO,
                   "'/' cannot be loaded: /: cannot read file data: Is a directory");
    ck_assert_int_eq(tm_plugin_load(TM_TEST_DATA "/../main.c"), TM_ERR_IO);
    tm_error_clear();
    expect_refused(PLUGIN("no_entry"), TM_ERR_USAGE,
                   "'" PLUGIN("no_entry") "' is no plug-in: it has no tm_plugin_entry");
    expect_refused(PLUGIN("other_version"), TM_ERR_USAGE,
                   "'" PLUGIN("other_version") "' was built for plug-in version 2, this library "
                                               "has version 1");
    expect_refused(
        PLUGIN("nameless"), TM_ERR_USAGE,
        "'" PLUGIN("nameless") "' says too little of itself: name or function is missing");
    expect_refused(PLUGIN("short"), TM_ERR_USAGE,
                   "'" PLUGIN("short") "': struct_size must be sizeof(tm_plugin), 32, got 24");
    expect_refused(PLUGIN("null_entry"), TM_ERR_USAGE,
                   "'" PLUGIN("null_entry") "': tm_plugin_entry returned NULL");
    char path[8000];
    memset(path, '/', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    ck_assert_int_eq(tm_plugin_load(path), TM_ERR_IO);
    tm_error_clear();
    ck_assert_int_eq(tm_plugin_load(NULL), TM_ERR_USAGE);
    tm_error_clear();
    ck_assert_ptr_null(tm_plugin_of(NULL));
    tm_error_clear();
}
END_TEST

START_TEST(a_plugin_that_fails_leaves_nothing)
{
    int64_t count = tm_op_count();
    for (int i = 0; i < 2; i++) { /* it may be tried again */
        expect_refused(PLUGIN("fails"), TM_ERR_USAGE,
                       "'" PLUGIN("fails") "': library_register: triu is registered already");
        ck_assert_ptr_null(tm_op_find("half_fails", ""));
        ck_assert_int_eq(tm_op_count(), count);
    }
    expect_refused(PLUGIN("fails_silently"), TM_ERR_NUMERIC,
                   "'" PLUGIN("fails_silently") "': it failed without an error");
}
END_TEST

/* The second one is taken back whole. */
START_TEST(two_plugins_with_one_op)
{
    EXPECT_OK(tm_plugin_load(PLUGIN("plugin")));
    int64_t count = tm_op_count();
    expect_refused(PLUGIN("same_op"), TM_ERR_USAGE,
                   "'" PLUGIN("same_op") "': library_register: smoothstep is registered already");
    ck_assert_int_eq(tm_op_count(), count);
    ck_assert_ptr_null(tm_op_find("half_same", ""));
    ck_assert_str_eq(tm_plugin_of(tm_op_find("smoothstep", "")), PLUGIN("plugin"));
    EXPECT_F32(tm_tril(F32(TM_INTS(1, 2), 1, 2), 0), TM_INTS(1, 2), 1, 0);
}
END_TEST

START_TEST(a_plugin_that_loads_itself)
{
    ck_assert_int_eq(setenv("TM_TEST_PLUGIN", PLUGIN("loads_itself"), 1), 0);
    expect_refused(PLUGIN("loads_itself"), TM_ERR_USAGE,
                   "'" PLUGIN("loads_itself") "': plugin_load: '" PLUGIN("loads_itself") "' is "
                                                                                         "being "
                                                                                         "loaded");
    ck_assert_int_eq(setenv("TM_TEST_PLUGIN", PLUGIN("plugin"), 1), 0);
    EXPECT_OK(tm_plugin_load(PLUGIN("loads_itself"))); /* another is no harm */
    ck_assert_ptr_nonnull(tm_op_find("smoothstep", ""));
}
END_TEST

Suite *plugin_suite(void)
{
    const TTest *tests[] = {
        a_plugin_registers_ops,       aliases_and_overrides_too,          loading_twice_is_harmless,
        what_is_no_plugin_is_refused, a_plugin_that_fails_leaves_nothing, two_plugins_with_one_op,
        a_plugin_that_loads_itself};
    return test_suite("plugin", tests, COUNT(tests));
}
