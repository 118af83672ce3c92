/* cli_support.h: the program run as a user runs it, in a directory of the test's own.
 *
 * A case is a command line of words parted by single spaces ('' is the empty word) and what must
 * come of it. The files it may name are made anew for every test; see cli_support.c for the list.
 */
#ifndef TRANSMUTE_TESTS_CLI_SUPPORT_H
#define TRANSMUTE_TESTS_CLI_SUPPORT_H

#include <stddef.h>

#include <check.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef struct cli_case {
    const char *command;
    int code;
    /** Code 0: standard output. Otherwise: standard error's first line behind "error: ", or how it
     *  begins where the text ends with "...". NULL: anything. */
    const char *text;
} cli_case;

/** What a run left. */
typedef struct cli_run {
    int code;
    char out[1 << 19], err[1 << 14];
} cli_run;

void cli_set_up(void);
void cli_tear_down(void);
/** A path in the test's directory, valid until the next call. */
const char *cli_path(const char *name);
/** How many files the directory holds. */
int cli_count_files(void);

/** Makes a file. */
void cli_write(const char *name, const char *text, size_t length);

/** Runs the program; the result is valid until the next run. */
const cli_run *cli_exec(const char *command);
/** The same with a terminal for standard error. */
const cli_run *cli_exec_terminal(const char *command);
/** Keeps a text beyond the next run. */
void cli_keep(char *to, size_t size, const char *text);
/** Runs each case. A failure must print nothing to standard output and write no file; a success
 *  must print nothing to standard error. */
void cli_check(const cli_case *cases, int count);

/** The cases of one file each, for the suite in test_cli.c. */
void cli_call_tests(TCase *tests);
void cli_vmap_tests(TCase *tests);
void cli_output_tests(TCase *tests);
void cli_plugin_tests(TCase *tests);
void cli_run_tests(TCase *tests);
void cli_trace_tests(TCase *tests);
void cli_long_tests(TCase *tests);

#endif
