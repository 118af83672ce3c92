/* transmute.c: the command line program: the subcommands and help.
 *
 * Exit codes: 0; 1 where an op fails or the law is broken; 2 where the command itself is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "tour.h"

static const char *const help[] = {
    "usage: transmute ops [PATTERN] [--json | --names]",
    "       transmute call OP [ARG ...] [NAME=VALUE ...] [OPTION ...]",
    "       transmute run FILE [--input NAME=FILE.npy] [--threads N]",
    "       transmute law [OP ...] [--cases N] [--seed S] [--simd LEVEL] [--paths P=USE,...]",
    "                     [--check] [--fail-alloc]",
    "       transmute tour [DIR] [--trace FILE]",
    "",
    "ops   lists the ops whose name contains PATTERN",
    "call  runs an op on ARGs in schema order: .npy files (a list: a.npy,b.npy),",
    "      numbers, True, False, None, integers as 0,1 or (), dtypes by name",
    "  --vmap IN_DIMS[:OUT_DIMS]",
    "               maps it over a dimension of each tensor, as in 0,-1 (-: of none),",
    "               which comes back as a dimension of each result (0 if left out);",
    "               once per level, outermost first; --vmap=-1 for a leading minus",
    "  --size B     the batch size of the --vmap before it",
    "  --chunk N    of the first --vmap, at most N examples at a time (auto: as fit the cache)",
    "  --randomness error|different|same   of random ops under --vmap (error)",
    "  --seed S     of the random numbers (0)",
    "  --threads N  how many threads may compute (1; 0: one for each core)",
    "  --trace      shows each call on standard error",
    "  -o FILE.npy  saves a result instead of printing it; once per result",
    "run   runs a program, a text with one call per line (-: standard input)",
    "law   checks that mapping an op equals a loop over examples, in N cases (1000);",
    "      --check: and that kernels write what they may, no more and no less;",
    "      --fail-alloc: each call also with every allocation of its own failing once",
    "tour  shows the library at work on the digit images in DIR (data); --trace writes",
    "      what it does to FILE, a program for run, and FILE.x0.npy and so on",
    "--load PLUGIN.so (ops, call, run, law) adds ops; --help, --version; -- ends options",
};

void tm_cli_help(FILE *stream, const char *indent)
{
    for (size_t i = 0; i < sizeof help / sizeof help[0]; i++)
        if (*help[i] || !*indent) /* an error's lines are all indented */
            fprintf(stream, "%s%s\n", indent, help[i]);
}

static int start_tour(const char *directory, const char *trace)
{
    struct stat status;
    if (stat(directory, &status) != 0)
        return tm_cli_wrong("tour: '%s': %s", directory, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return tm_cli_wrong("tour: '%s': %s", directory, strerror(ENOTDIR));
    return tm_tour(directory, trace);
}

static int tour(int count, char **words)
{
    static const tm_cli_option options[] = {{"--trace", true, false}, {0}};
    tm_cli_words at = {.words = words, .count = count, .options = options};
    const char *directory = NULL, *trace = NULL, *value;
    for (int option;;) {
        switch (tm_cli_next(&at, &option, &value)) {
        case TM_CLI_END:
            return start_tour(directory ? directory : "data", trace);
        case TM_CLI_HELP:
            tm_cli_help(stdout, "");
            return TM_EXIT_OK;
        case TM_CLI_ARGUMENT:
            if (directory)
                return tm_cli_wrong("tour: takes one DIR, '%s' is one too many", value);
            directory = value;
            break;
        case TM_CLI_OPTION:
            trace = value;
            break;
        default:
            return TM_EXIT_USAGE;
        }
    }
}

static int run(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **words);
    } commands[] = {{"ops", tm_cli_ops},
                    {"call", tm_cli_call},
                    {"run", tm_cli_run},
                    {"law", tm_cli_law},
                    {"tour", tour}};
    if (count == 0) {
        tm_cli_wrong("a command is missing: ops, call, run, law or tour");
        tm_cli_help(stderr, "  ");
        return TM_EXIT_USAGE;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0) {
        tm_cli_help(stdout, "");
        return TM_EXIT_OK;
    }
    if (strcmp(words[0], "--version") == 0) {
        printf("transmute %d.%d.%d\n", TM_VERSION_MAJOR, TM_VERSION_MINOR, TM_VERSION_PATCH);
        return TM_EXIT_OK;
    }
    if (tm_op_count() == 0) /* else every op would be said to be unknown */
        return tm_cli_wrong_record(words[0]);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(words[0], commands[i].name) == 0)
            return commands[i].run(count - 1, words + 1);
    return tm_cli_wrong("there is no command '%s': ops, call, run, law or tour", words[0]);
}

int main(int argc, char **argv)
{
    int code = run(argc > 0 ? argc - 1 : 0, argv + (argc > 0));
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == TM_EXIT_OK)
        code = tm_cli_wrong("standard output: %s", strerror(errno ? errno : EIO));
    return code;
}
