/* test_cli.c: the command line program: its commands, help, `ops` and `law`. `call` is tested in
 * test_cli_call.c, --vmap in test_cli_vmap.c, -o and --trace in test_cli_output.c, --load in
 * test_cli_plugin.c.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <transmute/dispatch.h>

#include "cli_support.h"
#include "suites.h"

/* -- Commands ---------------------------------------------------------------------------------- */

START_TEST(needs_a_command)
{
    const cli_case cases[] = {
        {"", 2, "a command is missing..."},
        {"''", 2, "there is no command ''..."},
        {"cal", 2, "there is no command 'cal': ops, call, run, law or tour"},
        {"--json", 2, "there is no command '--json'..."},
        {"ops a b", 2, "ops: takes one PATTERN..."},
        {"ops --all", 2, "unknown option '--all'"},
        {"ops --json --json", 2, "--json is given twice"},
        {"ops --json=1", 2, "--json takes no value"},
        {"tour a b", 2, "tour: takes one DIR..."},
        {"tour no_such_directory", 2, "tour: 'no_such_directory': No such file or directory"},
        {"tour m.npy", 2, "tour: 'm.npy': Not a directory"},
        {"tour", 2, "tour: 'data': No such file or directory"},
        {"tour --fast", 2, "unknown option '--fast'"},
        {"law no_such_op", 2, "unknown op 'no_such_op'..."},
        {"law triu --cases", 2, "--cases needs a value"},
        {"law triu --cases -1", 2, "--cases must be an integer of at least 0, got '-1'"},
        {"law triu --cases 1.5", 2, "--cases must be..."},
        {"law triu --cases 1 --cases 2", 2, "--cases is given twice"},
        {"law triu --seed x", 2, "--seed must be..."},
        {"law triu --seed 18446744073709551616", 2, "--seed must be..."},
        {"law triu --simd sse9", 2, "--simd must be portable, avx2 or avx512, got 'sse9'"},
        {"law triu --paths flat", 2, "--paths must be PATH=auto, PATH=off..."},
        {"law --vmap 0", 2, "unknown option '--vmap'"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

START_TEST(helps)
{
    static const char *const ways[] = {"--help", "-h",          "ops --help",  "call --help",
                                       "law -h", "tour --help", "call triu -h"};
    char first[8192] = "";
    for (int i = 0; i < COUNT(ways); i++) {
        const cli_run *run = cli_exec(ways[i]);
        ck_assert_msg(run->code == 0 && run->err[0] == '\0', "%s: %d %s", ways[i], run->code,
                      run->err);
        if (i == 0)
            cli_keep(first, sizeof first, run->out);
        ck_assert_str_eq(run->out, first);
    }
    ck_assert_int_le(count_lines(first), 30);
    ck_assert_int_eq(strncmp(first, "usage: transmute ops [PATTERN] [--json | --names]\n", 50), 0);
    const cli_case version[] = {{"--version", 0, "transmute 0.1.0\n"}};
    cli_check(version, 1);
}
END_TEST

/* -- ops --------------------------------------------------------------------------------------- */

START_TEST(lists_ops)
{
    const cli_case none[] = {
        {"ops no_such_op", 0, ""},
        {"ops no_such_op --json", 0, "[]\n"},
    };
    cli_check(none, COUNT(none));
    const cli_run *run = cli_exec("ops tri");
    ck_assert_int_eq(run->code, 0);
    const tm_op *op;
    int named = 0;
    for (int64_t i = 0; (op = tm_op_at(i)); i++)
        named += strstr(tm_op_name(op), "tri") != NULL;
    int begun = 0; /* an entry's further lines are indented */
    for (const char *line = run->out; *line; line = strchr(line, '\n') + 1)
        begun += *line != ' ';
    ck_assert_int_eq(begun, named);
    ck_assert_ptr_nonnull(strstr(run->out, "triu(Tensor x, int k=0) -> Tensor "));
    ck_assert_ptr_nonnull(strstr(run->out, tm_op_doc(tm_op_find("triu", ""))));
    ck_assert_ptr_nonnull(strstr(run->out, "tril_out(Tensor x, int k=0, Tensor! out) -> Tensor!"));
    /* Every overload has its schema. */
    run = cli_exec("ops");
    ck_assert_int_eq(run->code, 0);
    for (int64_t i = 0; (op = tm_op_at(i)); i++)
        ck_assert_msg(strstr(run->out, tm_op_schema(op)) != NULL, "%s", tm_op_schema(op));
}
END_TEST

/* Takes one token off JSON text; false, and the text stays, where another stands there. */
static bool accept(const char **at, const char *token)
{
    *at += strspn(*at, " \n");
    if (strncmp(*at, token, strlen(token)) != 0)
        return false;
    *at += strlen(token);
    return true;
}

static void expect_string(const char **at, const char *value)
{
    ck_assert_msg(accept(at, "\""), "a string at %.40s", *at);
    for (; *value; value++, (*at)++) {
        *at += **at == '\\';
        ck_assert_msg(**at == *value, "%s at %.40s", value, *at);
    }
    ck_assert_msg(**at == '"', "the end of a string at %.40s", *at);
    (*at)++;
}

static void expect_field(const char **at, const char *name, const char *value)
{
    expect_string(at, name);
    ck_assert_msg(accept(at, ":"), "%s: at %.40s", name, *at);
    expect_string(at, value);
    accept(at, ",");
}

/* A list of the comma-joined words, in that order. */
static void expect_list(const char **at, const char *name, const char *words)
{
    expect_string(at, name);
    ck_assert_msg(accept(at, ":") && accept(at, "["), "%s: [ at %.40s", name, *at);
    while (*words) {
        char word[64];
        size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        expect_string(at, word);
        words += length + (words[length] == ',');
        ck_assert(accept(at, ",") == (*words != '\0'));
    }
    ck_assert_msg(accept(at, "]"), "] at %.40s", *at);
    accept(at, ",");
}

static void add_word(char *words, size_t size, const char *word)
{
    size_t used = strlen(words);
    snprintf(words + used, size - used, "%s%s", used ? "," : "", word);
}

static void expect_dtypes(const char **at, const tm_op *op)
{
    char words[256] = "";
    for (int d = TM_BOOL; d < TM_NUM_DTYPES; d++)
        if (tm_op_has_loop(op, (tm_dtype)d))
            add_word(words, sizeof words, tm_dtype_name((tm_dtype)d));
    if (words[0]) {
        expect_list(at, "dtypes", words);
        return;
    }
    expect_string(at, "dtypes");
    ck_assert(accept(at, ":") && accept(at, "null") && accept(at, ","));
}

static void expect_forms(const char **at, const tm_op *op)
{
    char words[256] = "";
    const tm_op *form;
    for (int64_t i = 0; (form = tm_op_at(i)); i++)
        if (tm_op_base(form) == op)
            add_word(words, sizeof words, tm_op_name(form));
    expect_list(at, "forms", words);
}

static void expect_object(const char **at, const tm_op *op)
{
    ck_assert_msg(accept(at, "{"), "{ at %.40s", *at);
    expect_field(at, "name", tm_op_name(op));
    expect_field(at, "overload", tm_op_overload(op));
    expect_list(at, "aliases", tm_op_aliases(op));
    expect_field(at, "schema", tm_op_schema(op));
    expect_field(at, "contract", tm_contract_name(tm_op_contract(op)));
    char keys[64] = "";
    for (int key = 0; key < TM_NUM_KEYS; key++)
        if (tm_op_has_key(op, (tm_key)key))
            add_word(keys, sizeof keys, tm_key_name((tm_key)key));
    expect_list(at, "keys", keys);
    expect_dtypes(at, op);
    expect_forms(at, op);
    if (tm_op_base(op)) {
        expect_field(at, "base", tm_op_name(tm_op_base(op)));
    } else {
        expect_string(at, "base");
        ck_assert(accept(at, ":") && accept(at, "null") && accept(at, ","));
    }
    expect_field(at, "doc", tm_op_doc(op));
    ck_assert_msg(accept(at, "}"), "} at %.40s", *at);
}

static void check_json(const char *command, const char *pattern)
{
    const cli_run *run = cli_exec(command);
    ck_assert_int_eq(run->code, 0);
    const char *at = run->out;
    ck_assert(accept(&at, "["));
    const tm_op *op;
    int count = 0;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (!strstr(tm_op_name(op), pattern))
            continue;
        ck_assert(count++ == 0 || accept(&at, ","));
        expect_object(&at, op);
    }
    ck_assert_int_gt(count, 0);
    ck_assert(accept(&at, "]") && strcmp(at, "\n") == 0);
}

START_TEST(lists_ops_as_json)
{
    check_json("ops --json", "");
    check_json("ops --json ''", "");
    check_json("ops tri --json", "tri");
    check_json("ops --json add", "add");
    check_json("ops --json -- _out", "_out");
}
END_TEST

/* What completion offers: every name and alias, once. */
START_TEST(lists_names)
{
    const cli_case cases[] = {
        {"ops --names reciprocal", 0, "reciprocal\nreciprocal_\nreciprocal_out\n"},
        {"ops --names multipl", 0, ""},
        {"ops --names no_such_op", 0, ""},
        {"ops --names --json", 2, "ops: --json or --names, not both"},
    };
    cli_check(cases, COUNT(cases));
    char text[1 << 16] = "\n";
    const cli_run *run = cli_exec("ops --names");
    ck_assert_int_eq(run->code, 0);
    cli_keep(text + 1, sizeof text - 1, run->out);
    static const char *const some[] = {"\nmul\n", "\nmultiply\n", "\nmul_out\n", "\nexp_\n"};
    for (int i = 0; i < COUNT(some); i++) {
        const char *at = strstr(text, some[i]);
        ck_assert_msg(at && !strstr(at + 1, some[i]), "%s", some[i]);
    }
}
END_TEST

/* dtypes and forms in full, as a reader sees them. */
START_TEST(json_has_dtypes_and_forms)
{
    const cli_run *run = cli_exec("ops relu --json");
    ck_assert_ptr_nonnull(strstr(run->out, "\"forms\": [\"relu_\", \"relu_out\"],\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "\"base\": \"relu\",\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "\"float32\", \"float64\""));
    run = cli_exec("ops triu --json");
    ck_assert_ptr_nonnull(strstr(run->out, "\"dtypes\": null,\n"));
}
END_TEST

/* -- law --------------------------------------------------------------------------------------- */

START_TEST(checks_the_law)
{
    const cli_run *run = cli_exec("law triu --cases 20 --seed 3");
    ck_assert_msg(run->code == 0, "%s%s", run->out, run->err);
    const char *last = "20 cases, 0 violations, 0 leaks\n";
    size_t length = strlen(run->out);
    ck_assert_uint_ge(length, strlen(last));
    ck_assert_str_eq(run->out + length - strlen(last), last);
}
END_TEST

Suite *cli_suite(void)
{
    Suite *suite = suite_create("cli");
    TCase *tests = tcase_create("cli");
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, cli_set_up, cli_tear_down);
    tcase_add_test(tests, needs_a_command);
    tcase_add_test(tests, helps);
    tcase_add_test(tests, lists_ops);
    tcase_add_test(tests, lists_ops_as_json);
    tcase_add_test(tests, lists_names);
    tcase_add_test(tests, json_has_dtypes_and_forms);
    tcase_add_test(tests, checks_the_law);
    cli_call_tests(tests);
    cli_vmap_tests(tests);
    cli_output_tests(tests);
    cli_plugin_tests(tests);
    cli_run_tests(tests);
    cli_trace_tests(tests);
    cli_long_tests(tests);
    suite_add_tcase(suite, tests);
    return suite;
}
