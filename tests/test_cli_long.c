/* test_cli_long.c: `transmute call` on much: --chunk, progress; completion and the manual page. */
#include <stdio.h>
#include <string.h>

#include "cli_support.h"

START_TEST(chunks)
{
    char whole[1 << 12], command[256];
    static const char *const calls[] = {
        "call softmax b4822.npy -1 --vmap 0",
        "call add b4822.npy v2.npy --vmap 0,- --vmap 1,-",
        "call sum b482.npy --vmap 1:0 --vmap 0",
        "call sort_with_indices b482.npy --vmap -:0 --size 3 --vmap 1",
        "call rand 2 --vmap - --size 5 --randomness different",
        "call triu b4822.npy --vmap 0 --vmap 0:2",
    };
    for (int i = 0; i < COUNT(calls); i++) {
        const cli_run *run = cli_exec(calls[i]);
        ck_assert_msg(run->code == 0, "%s: %s", calls[i], run->err);
        cli_keep(whole, sizeof whole, run->out);
        for (int chunk = 0; chunk <= 4; chunk++) {
            char size[16];
            snprintf(size, sizeof size, "%d", chunk);
            snprintf(command, sizeof command, "%s --chunk %s", calls[i], chunk ? size : "auto");
            run = cli_exec(command);
            ck_assert_msg(run->code == 0 && strcmp(run->out, whole) == 0, "%s: %s%s", command,
                          run->out, run->err);
        }
    }
    const cli_case bad[] = {
        {"call triu b32_2.npy --vmap 0 --chunk 5", 1,
         "triu: x must have at least 2 dimensions, got shape (2,)"},
        {"call triu m.npy --chunk 2", 2, "--chunk: belongs to a --vmap"},
        {"call triu b222.npy --vmap 0 --chunk 0", 2,
         "--chunk must be auto or an integer of at least 1, got '0'"},
        {"call triu b222.npy --vmap 0 --chunk few", 2, "--chunk must be auto or..."},
        {"call item v2.npy --vmap 0 --chunk 1", 2,
         "--chunk: item returns something else than tensors"},
        {"call unbind m.npy --vmap 0 --chunk 1", 2, "--chunk: unbind returns something..."},
        {"call relu m.npy --vmap 0:7 --chunk 1", 2, "--vmap: ..."},
        {"call rand 2 --vmap - --size 5 --chunk 2", 1, "rand: ..."},
    };
    cli_check(bad, COUNT(bad));
}
END_TEST

START_TEST(progress)
{
    char command[600];
    snprintf(command, sizeof command, "call slow v2.npy 3.5 --load %s/slow.so -o y.npy",
             TM_PLUGINS);
    ck_assert_str_eq(cli_exec_terminal(command)->err, "\rslow: 2 s\rslow: 3 s\r\033[K");
    /* Not for a short call, and not where nobody looks. */
    snprintf(command, sizeof command, "call slow v2.npy 0.1 --load %s/slow.so -o y.npy",
             TM_PLUGINS);
    ck_assert_str_eq(cli_exec_terminal(command)->err, "");
    snprintf(command, sizeof command, "call slow v2.npy 2.5 --load %s/slow.so -o y.npy",
             TM_PLUGINS);
    ck_assert_str_eq(cli_exec(command)->err, "");
    /* A failure stands alone. */
    const char *err = cli_exec_terminal("call triu v2.npy")->err;
    ck_assert_msg(strncmp(err, "error: triu: ", 13) == 0, "%s", err);
}
END_TEST

/* Every command and option that the help names. */
START_TEST(help_is_everywhere)
{
    static char page[1 << 15], completion[1 << 14], help[1 << 13];
    static const char *const paths[] = {TM_TEST_DATA "/../../docs/transmute.1",
                                        TM_TEST_DATA "/../../tools/completion.bash"};
    char *const texts[] = {page, completion};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "r");
        ck_assert_ptr_nonnull(file);
        size_t length = fread(texts[i], 1, (i ? sizeof completion : sizeof page) - 1, file);
        texts[i][length] = '\0';
        fclose(file);
    }
    cli_keep(help, sizeof help, cli_exec("--help")->out);
    int options = 0;
    for (const char *at = help; (at = strstr(at, "--")); at += 2) {
        size_t length = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz");
        char option[64], escaped[64];
        if (length == 0)
            continue;
        snprintf(option, sizeof option, "--%.*s", (int)length, at + 2);
        snprintf(escaped, sizeof escaped, "\\-\\-%.*s", (int)length, at + 2);
        ck_assert_msg(strstr(page, escaped) != NULL, "%s has no place on the page", option);
        ck_assert_msg(strstr(completion, option) != NULL, "%s is not completed", option);
        options++;
    }
    ck_assert_int_ge(options, 15);
}
END_TEST

/* What bash offers for the last of some words. */
static void check_completion(const char *words, const char *offered)
{
    char command[1200], line[1 << 12] = "";
    snprintf(command, sizeof command,
             "bash -c '. %s/../../tools/completion.bash; COMP_WORDS=(%s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _transmute; echo ${COMPREPLY[*]}'",
             TM_TEST_DATA, words);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(line, 1, sizeof line - 1, pipe);
    line[length] = '\0';
    ck_assert_int_eq(pclose(pipe), 0);
    ck_assert_msg(strcmp(line, offered) == 0, "%s: %s, not %s", words, line, offered);
}

START_TEST(completes)
{
    check_completion("transmute l", "law\n");
    check_completion(TM_PROGRAM " call randp", "randperm\n");
    check_completion("transmute call triu --ch", "--chunk\n");
    check_completion("transmute call triu --randomness d", "different\n");
    check_completion("transmute run p.tm --inp", "--input\n");
    check_completion("transmute call triu --seed 1", "\n");
    check_completion("transmute nonsense --x", "\n");
}
END_TEST

void cli_long_tests(TCase *tests)
{
    tcase_add_test(tests, chunks);
    tcase_add_test(tests, progress);
    tcase_add_test(tests, help_is_everywhere);
    tcase_add_test(tests, completes);
}
