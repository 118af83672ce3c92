/* cli_call.c: `transmute call`: one op on files, under any number of vmap levels.
 *
 * Usage is settled first: the overload, the files, everything about --vmap that the shapes tell.
 * Then the op runs, and what it says is said in its own words: the same line with and without
 * --vmap. Results are written last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <transmute/error.h>

#include "cli.h"

enum { VMAP, SIZE, CHUNK, RANDOMNESS, SEED, THREADS, TRACE, OUTPUT, LOAD };

static const tm_cli_option options[] = {
    [VMAP] = {"--vmap", true, true},     [SIZE] = {"--size", true, true},
    [CHUNK] = {"--chunk", true, false},  [RANDOMNESS] = {"--randomness", true, false},
    [SEED] = {"--seed", true, false},    [THREADS] = {"--threads", true, false},
    [TRACE] = {"--trace", false, false}, [OUTPUT] = {"-o", true, true},
    [LOAD] = {"--load", true, true},     {0},
};

typedef struct request {
    tm_cli_memory memory;
    const char *name;
    int num_words, num_levels, num_files;
    const char **words, **files;
    tm_cli_level *levels;
    tm_randomness randomness;
    int64_t chunk; /* 0: not given */
    uint64_t seed;
    bool trace, help;
    tm_mode *mode; /* --trace: what writes to `stream`, which writes to `text` */
    FILE *stream;
    char *text;
    size_t length;
} request;

static int take_size(request *r, const char *value)
{
    if (r->num_levels == 0)
        return tm_cli_wrong("--size %s: belongs to a --vmap before it", value);
    tm_cli_level *level = &r->levels[r->num_levels - 1];
    if (level->has_size)
        return tm_cli_wrong("--size %s: --vmap '%s' has a --size already", value, level->text);
    if (!tm_cli_int(value, strlen(value), &level->size) || level->size < 0)
        return tm_cli_wrong("--size must be an integer of at least 0, got '%s'", value);
    level->has_size = true;
    return TM_EXIT_OK;
}

static int take_chunk(request *r, const char *value)
{
    r->chunk = TM_CHUNK_AUTO;
    if (strcmp(value, "auto") == 0 || (tm_cli_int(value, strlen(value), &r->chunk) && r->chunk > 0))
        return TM_EXIT_OK;
    return tm_cli_wrong("--chunk must be auto or an integer of at least 1, got '%s'", value);
}

static int take_option(request *r, int option, const char *value)
{
    switch (option) {
    case VMAP:
        return tm_cli_level_read(&r->memory, value, &r->levels[r->num_levels++]);
    case SIZE:
        return take_size(r, value);
    case CHUNK:
        return take_chunk(r, value);
    case RANDOMNESS:
        if (!tm_cli_randomness(value, &r->randomness))
            return tm_cli_wrong("--randomness must be error, different or same, got '%s'", value);
        return TM_EXIT_OK;
    case SEED:
        if (!tm_cli_unsigned(value, &r->seed))
            return tm_cli_wrong("--seed must be an integer of 64 bits, not negative, got '%s'",
                                value);
        return TM_EXIT_OK;
    case THREADS:
        return tm_cli_threads(value);
    case TRACE:
        r->trace = true;
        return TM_EXIT_OK;
    case LOAD:
        return tm_cli_load(value);
    default:
        r->files[r->num_files++] = value;
        return TM_EXIT_OK;
    }
}

static int read_words(request *r, int count, char **all)
{
    r->words = tm_cli_alloc(&r->memory, (size_t)count + 1, sizeof *r->words);
    r->files = tm_cli_alloc(&r->memory, (size_t)count + 1, sizeof *r->files);
    r->levels = tm_cli_alloc(&r->memory, (size_t)count + 1, sizeof *r->levels);
    tm_cli_words words = {.words = all, .count = count, .options = options};
    for (;;) {
        int option = 0, code = TM_EXIT_OK;
        const char *value;
        switch (tm_cli_next(&words, &option, &value)) {
        case TM_CLI_END:
            return r->name ? TM_EXIT_OK : tm_cli_wrong("call: which op?");
        case TM_CLI_HELP:
            r->help = true;
            return TM_EXIT_OK;
        case TM_CLI_WRONG:
            return TM_EXIT_USAGE;
        case TM_CLI_ARGUMENT:
            if (!r->name)
                r->name = value;
            else
                r->words[r->num_words++] = value;
            break;
        case TM_CLI_OPTION:
            code = take_option(r, option, value);
        }
        if (code != TM_EXIT_OK)
            return code;
    }
}

/* -- --trace: from the first file that is read to the last level's end --------------------------
 */

static int begin_trace(request *r)
{
    r->stream = r->trace ? open_memstream(&r->text, &r->length) : NULL;
    if (!r->trace)
        return TM_EXIT_OK;
    if (!r->stream)
        return tm_cli_wrong("--trace: no memory"), TM_EXIT_FAILED;
    r->mode = tm_trace_push(r->stream);
    return r->mode ? TM_EXIT_OK : tm_cli_wrong_record("--trace");
}

/* Writes what the trace mode wrote, each line indented. Once. */
static void end_trace(request *r)
{
    if (r->mode)
        tm_mode_pop(r->mode);
    r->mode = NULL;
    if (r->stream && fclose(r->stream) == 0 && r->text) {
        bool start = true;
        for (const char *c = r->text; *c; c++) {
            if (start)
                fputs("  ", stderr);
            fputc(*c, stderr);
            start = *c == '\n';
        }
    }
    r->stream = NULL;
    free(r->text);
    r->text = NULL;
}

/* -- The call ---------------------------------------------------------------------------------- */

int tm_cli_call_op(tm_cli_memory *memory, const tm_cli_bound *bound, tm_cli_results *results)
{
    *results = (tm_cli_results){bound->op, tm_op_num_outputs(bound->op),
                                tm_cli_alloc(memory, TM_MAX_OUTPUTS, sizeof(tm_value))};
    tm_status status = tm_op_call(bound->op, bound->args, tm_op_num_params(bound->op),
                                  results->values, results->count);
    if (status != TM_OK)
        tm_error_print(stderr);
    if (status == TM_OK && tm_cli_gives_list(bound->op)) {
        tm_tensor_list list = results->values[0].tensors;
        results->count = (int)list.count;
        results->values = tm_cli_alloc(memory, (size_t)list.count + 1, sizeof(tm_value));
        for (int i = 0; i < results->count; i++)
            results->values[i].tensor = list.data[i];
    }
    return status == TM_OK ? TM_EXIT_OK : TM_EXIT_FAILED;
}

/* The op under its levels. */
static int call(request *r, tm_cli_bound *bound, tm_cli_results *results)
{
    if (r->chunk)
        return tm_cli_chunk_run(&r->memory, r->levels, r->num_levels, r->randomness, r->chunk,
                                bound, results);
    int code = tm_cli_levels_enter(&r->memory, r->levels, r->num_levels, r->randomness, bound);
    if (code == TM_EXIT_OK)
        code = tm_cli_call_op(&r->memory, bound, results);
    if (code == TM_EXIT_OK)
        code = tm_cli_levels_leave(r->levels, r->num_levels, results);
    tm_cli_levels_close(r->levels, r->num_levels);
    return code;
}

static int run(request *r, tm_cli_bound *bound)
{
    int outputs = tm_op_num_outputs(bound->op);
    if (r->num_files && r->num_files != outputs && !tm_cli_gives_list(bound->op))
        return tm_cli_wrong("%s has %d output%s, got %d -o", tm_op_name(bound->op), outputs,
                            outputs == 1 ? "" : "s", r->num_files);
    if (r->chunk && !r->num_levels)
        return tm_cli_wrong("--chunk: belongs to a --vmap");
    int code = tm_cli_levels_check(&r->memory, r->levels, r->num_levels, bound);
    if (code != TM_EXIT_OK)
        return code;
    tm_cli_results results;
    tm_dtype like = bound->num_tensors ? tm_dtype_of(bound->tensors[0].tensor) : TM_DTYPE_NONE;
    tm_seed(r->seed);
    tm_cli_progress *progress = tm_cli_progress_begin(&r->memory, tm_op_name(bound->op));
    code = call(r, bound, &results);
    tm_cli_progress_end(progress);
    if (code != TM_EXIT_OK)
        return code;
    end_trace(r);
    return tm_cli_output(&r->memory, &results, like, r->files, r->num_files);
}

static int bind_and_run(request *r)
{
    const tm_op *op = tm_op_find(r->name, "");
    if (!op)
        return tm_cli_unknown_op(r->name);
    tm_cli_bound *bound = tm_cli_alloc(&r->memory, 1, sizeof *bound);
    int code = begin_trace(r);
    if (code == TM_EXIT_OK)
        code = tm_cli_bind(&r->memory, op, r->num_words, r->words, bound);
    if (code == TM_EXIT_OK)
        code = run(r, bound);
    end_trace(r);
    tm_cli_unbind(bound);
    return code;
}

int tm_cli_call(int count, char **words)
{
    request r = {0};
    int code = read_words(&r, count, words);
    tm_scope *scope = code == TM_EXIT_OK && !r.help ? tm_scope_push() : NULL;
    if (r.help)
        tm_cli_help(stdout, "");
    else if (code == TM_EXIT_OK)
        code = scope ? bind_and_run(&r) : tm_cli_wrong_record("call");
    if (scope)
        tm_scope_pop(scope);
    tm_cli_free(&r.memory);
    return code;
}
