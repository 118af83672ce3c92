/* cli_law.c: `transmute law`: the law checker's run and its verdict. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <transmute/error.h>
#include <transmute/law.h>
#include <transmute/tuning.h>

#include "cli.h"

enum { CASES, SEED, LOAD, SIMD, PATHS, FAIL_ALLOC, CHECK };

static const tm_cli_option options[] = {
    [CASES] = {"--cases", true, false},  [SEED] = {"--seed", true, false},
    [LOAD] = {"--load", true, true},     [SIMD] = {"--simd", true, false},
    [PATHS] = {"--paths", true, false},  [FAIL_ALLOC] = {"--fail-alloc", false, false},
    [CHECK] = {"--check", false, false}, {0},
};

/* "name" or "name.overload", as the samples write it. */
static bool exists(const char *name)
{
    char base[128];
    size_t length = strcspn(name, ".");
    if (!name[length])
        return tm_op_find(name, "") != NULL;
    if (length >= sizeof base)
        return false;
    memcpy(base, name, length);
    base[length] = '\0';
    return tm_op_find(base, name + length + 1) != NULL;
}

/* An option's value into its place, or -1 where the program goes on. */
static int set_option(int option, const char *value, tm_law_options *law)
{
    tm_simd level = TM_SIMD_PORTABLE;
    switch (option) {
    case LOAD:
        return tm_cli_load(value) == TM_EXIT_OK ? -1 : TM_EXIT_USAGE;
    case SEED:
        return tm_cli_unsigned(value, &law->seed)
                   ? -1
                   : tm_cli_wrong("--seed must be an integer of 64 bits, not negative, got '%s'",
                                  value);
    case SIMD:
        while (tm_simd_name(level) && strcmp(tm_simd_name(level), value) != 0)
            level++;
        if (!tm_simd_name(level))
            return tm_cli_wrong("--simd must be portable, avx2 or avx512, got '%s'", value);
        return tm_set_simd(level) == TM_OK ? -1 : tm_cli_wrong_record("law");
    case CHECK:
        law->check = true;
        return -1;
    case FAIL_ALLOC:
        law->fail_alloc = true;
        return -1;
    case PATHS:
        if (tm_set_paths(value) == TM_OK)
            return -1;
        tm_error_clear();
        return tm_cli_wrong("--paths must be PATH=auto, PATH=off or PATH=on, several with commas, "
                            "got '%s'",
                            value);
    default:
        return tm_cli_int(value, strlen(value), &law->cases) && law->cases >= 0
                   ? -1
                   : tm_cli_wrong("--cases must be an integer of at least 0, got '%s'", value);
    }
}

static int check(const tm_law_options *law)
{
    for (int i = 0; law->ops && i < law->num_ops; i++)
        if (!exists(law->ops[i]))
            return tm_cli_unknown_op(law->ops[i]);
    tm_law_result result = {.struct_size = sizeof result};
    if (tm_law_run(law, &result) != TM_OK)
        return tm_cli_wrong_record("law");
    printf("%" PRId64 " cases, %" PRId64 " violations, %" PRId64 " leaks\n", result.cases,
           result.violations, result.leaks);
    return result.violations || result.leaks ? TM_EXIT_FAILED : TM_EXIT_OK;
}

int tm_cli_law(int count, char **words)
{
    tm_cli_memory memory = {0};
    const char **ops = tm_cli_alloc(&memory, (size_t)count + 1, sizeof *ops);
    tm_law_options law = {.struct_size = sizeof law, .cases = 1000, .report = stdout};
    tm_cli_words at = {.words = words, .count = count, .options = options};
    int code = -1; /* not settled */
    while (code < 0) {
        int option = 0;
        const char *value;
        switch (tm_cli_next(&at, &option, &value)) {
        case TM_CLI_END:
            law.ops = law.num_ops ? ops : NULL;
            code = check(&law);
            break;
        case TM_CLI_HELP:
            tm_cli_help(stdout, "");
            code = TM_EXIT_OK;
            break;
        case TM_CLI_WRONG:
            code = TM_EXIT_USAGE;
            break;
        case TM_CLI_ARGUMENT:
            ops[law.num_ops++] = value;
            break;
        case TM_CLI_OPTION:
            code = set_option(option, value, &law);
        }
    }
    tm_cli_free(&memory);
    return code;
}
