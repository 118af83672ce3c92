/* cli_run.c: `transmute run`: a program in a file. */
#include <string.h>

#include "program.h"

enum { LOAD, INPUT, THREADS };

static const tm_cli_option options[] = {
    [LOAD] = {"--load", true, true},
    [INPUT] = {"--input", true, true},
    [THREADS] = {"--threads", true, false},
    {0},
};

typedef struct request {
    tm_cli_memory memory;
    const char *path;
    bool help;
    tm_run run;
} request;

/* NAME=FILE.npy */
static int take_input(request *r, const char *value)
{
    size_t length = strcspn(value, "=");
    if (length == 0 || !value[length] || !value[length + 1])
        return tm_cli_wrong("--input must be NAME=FILE.npy, got '%s'", value);
    char *name = tm_cli_alloc(&r->memory, length + 1, 1);
    for (size_t i = 0; i < length; i++)
        name[i] = value[i];
    for (int i = 0; i < r->run.num_inputs; i++)
        if (strcmp(r->run.inputs[i].name, name) == 0)
            return tm_cli_wrong("--input %s is given twice", name);
    r->run.inputs[r->run.num_inputs++] = (tm_run_input){.name = name, .path = value + length + 1};
    return TM_EXIT_OK;
}

static int take_option(request *r, int option, const char *value)
{
    switch (option) {
    case LOAD:
        return tm_cli_load(value);
    case INPUT:
        return take_input(r, value);
    default:
        return tm_cli_threads(value);
    }
}

static int read_words(request *r, int count, char **all)
{
    r->run.inputs = tm_cli_alloc(&r->memory, (size_t)count + 1, sizeof *r->run.inputs);
    tm_cli_words words = {.words = all, .count = count, .options = options};
    for (;;) {
        int option = 0, code = TM_EXIT_OK;
        const char *value;
        switch (tm_cli_next(&words, &option, &value)) {
        case TM_CLI_END:
            return r->path ? TM_EXIT_OK : tm_cli_wrong("run: which program?");
        case TM_CLI_HELP:
            r->help = true;
            return TM_EXIT_OK;
        case TM_CLI_WRONG:
            return TM_EXIT_USAGE;
        case TM_CLI_ARGUMENT:
            if (r->path)
                return tm_cli_wrong("run: takes one FILE, '%s' is one too many", value);
            r->path = value;
            break;
        case TM_CLI_OPTION:
            code = take_option(r, option, value);
        }
        if (code != TM_EXIT_OK)
            return code;
    }
}

static int read_and_run(request *r)
{
    tm_program program = {.memory = &r->memory};
    int code = tm_source_read(&r->memory, r->path, &program.source);
    if (code != TM_EXIT_OK)
        return code;
    program.names = tm_program_names_new();
    r->run.program = &program;
    code = tm_program_parse(&program);
    if (code == TM_EXIT_OK)
        code = tm_program_run(&r->run);
    tm_program_names_free(program.names);
    r->run.program = NULL; /* it ends here */
    return code;
}

int tm_cli_run(int count, char **words)
{
    request r = {0};
    int code = read_words(&r, count, words);
    if (r.help)
        tm_cli_help(stdout, "");
    else if (code == TM_EXIT_OK)
        code = read_and_run(&r);
    tm_cli_free(&r.memory);
    return code;
}
