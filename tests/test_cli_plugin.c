/* test_cli_plugin.c: --load, on every command that takes it. The plug-ins are those of
 * test_plugin.c. */
#include <stdio.h>
#include <string.h>

#include "cli_support.h"

#define PLUGIN(name) TM_PLUGINS "/" name ".so"

START_TEST(calls_an_op_of_a_plugin)
{
    const cli_case cases[] = {
        {"call smoothstep v2.npy", 2, "unknown op 'smoothstep'..."},
        {"call smoothstep v2.npy --load " PLUGIN("plugin"), 0,
         "shape=(2,) dtype=float32\n[0. 1.]\n"},
        {"call --load " PLUGIN("plugin") " smoothstep m.npy --vmap 0 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[0. 1.]\n [1. 1.]]\n"},
        {"call --load=" PLUGIN("plugin") " --load=" PLUGIN("no_samples") " triu m.npy", 0,
         "shape=(2, 2) dtype=float32\n[[0. 0.]\n [0. 0.]]\n"},
        {"call half_alias v2.npy --load " PLUGIN("no_samples"), 0,
         "shape=(2,) dtype=float32\n[0.  0.5]\n"},
        {"call half_bare m.npy --load " PLUGIN("no_samples"), 1,
         "half_bare: x must be a float32 vector, got shape (2, 2)"},
        {"ops smoothstep --names --load " PLUGIN("plugin"), 0,
         "smoothstep\nsmoothstep_\nsmoothstep_out\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(refuses_what_is_no_plugin)
{
    const cli_case cases[] = {
        {"call triu m.npy --load", 2, "--load needs a value"},
        {"call triu m.npy --load no.so", 2, "--load: 'no.so': No such file or directory"},
        {"ops --load no.so", 2, "--load: 'no.so': No such file or directory"},
        {"law --load no.so", 2, "--load: 'no.so': No such file or directory"},
        {"call triu m.npy --load m.npy", 2, "--load: 'm.npy' cannot be loaded: ..."},
        {"ops --load " PLUGIN("no_entry"), 2,
         "--load: '" PLUGIN("no_entry") "' is no plug-in: it has no tm_plugin_entry"},
        {"ops --load " PLUGIN("other_version"), 2,
         "--load: '" PLUGIN("other_version") "' was built for plug-in version 2, this library has "
                                             "version 1"},
        {"ops --load " PLUGIN("fails"), 2,
         "--load: '" PLUGIN("fails") "': library_register: triu is registered already"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(the_law_covers_a_plugin)
{
    const cli_run *run = cli_exec("law smoothstep --cases 400 --load " PLUGIN("plugin"));
    ck_assert_msg(run->code == 0, "%s%s", run->out, run->err);
    run = cli_exec("law half_wrong --cases 200 --load " PLUGIN("wrong_kernel"));
    ck_assert_int_eq(run->code, 1);
    ck_assert_ptr_nonnull(strstr(run->out, "violation: half_wrong, sample"));
    /* The command that it prints brings the case back. */
    char command[1024];
    const char *again = strstr(run->out, "again with: transmute ");
    ck_assert_ptr_nonnull(again);
    again += strlen("again with: transmute ");
    snprintf(command, sizeof command, "%.*s", (int)strcspn(again, "\n"), again);
    run = cli_exec(command);
    ck_assert_msg(run->code == 1 && strstr(run->out, "violation: half_wrong"), "%s: %s", command,
                  run->out);
    run = cli_exec("law half_bare --cases 20 --load " PLUGIN("no_samples"));
    ck_assert_int_eq(run->code, 1);
    ck_assert_ptr_nonnull(strstr(run->out, "half_bare"));
    ck_assert_ptr_nonnull(strstr(run->out, "has no samples"));
    /* Without names it is one of all ops, and an override of a built-in is found out too. */
    run = cli_exec("law --cases 0 --load " PLUGIN("no_samples"));
    ck_assert_int_eq(run->code, 1);
    ck_assert_ptr_nonnull(strstr(run->out, "violation: half_bare"));
    ck_assert_ptr_nonnull(strstr(run->out, "violation: triu"));
}
END_TEST

void cli_plugin_tests(TCase *tests)
{
    tcase_add_test(tests, calls_an_op_of_a_plugin);
    tcase_add_test(tests, refuses_what_is_no_plugin);
    tcase_add_test(tests, the_law_covers_a_plugin);
}
