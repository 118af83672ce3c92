/* program_forms.c: what a program calls that is no op: files, levels, the random state. */
#include <stdio.h>
#include <string.h>

#include <transmute/error.h>
#include <transmute/io.h>
#include <transmute/memory.h>
#include <transmute/tensor.h>

#include "program.h"

#define TENSOR(text)                                                                               \
    {                                                                                              \
        .name = (text), .type = TM_TYPE_TENSOR                                                     \
    }
#define TEXT(text)                                                                                 \
    {                                                                                              \
        .name = (text), .type = TM_TYPE_STR                                                        \
    }
#define INTEGER(text)                                                                              \
    {                                                                                              \
        .name = (text), .type = TM_TYPE_INT                                                        \
    }
#define INTEGERS(text)                                                                             \
    {                                                                                              \
        .name = (text), .type = TM_TYPE_INT_LIST                                                   \
    }
#define INTEGER_OR(text, value)                                                                    \
    {                                                                                              \
        .name = (text), .type = TM_TYPE_INT, .has_default = true, .fallback = {.i = (value) }      \
    }
/* In dim=None stands for "not mapped". */
#define DIM                                                                                        \
    {                                                                                              \
        .name = "dim", .type = TM_TYPE_INT, .optional = true, .has_default = true, .fallback = {   \
            .opt = &first_dim                                                                      \
        }                                                                                          \
    }

static const int64_t first_dim = 0;

/* Gives a statement a tensor of the innermost scope, or says why there is none. */
static int give(const tm_run *run, const tm_statement *s, const tm_tensor *x,
                const tm_tensor **result)
{
    *result = tm_retain(x);
    return x ? TM_EXIT_OK : tm_source_failed(&run->program->source, s->place, s->callee);
}

static int done(const tm_run *run, const tm_statement *s, tm_status status)
{
    return status == TM_OK ? TM_EXIT_OK
                           : tm_source_failed(&run->program->source, s->place, s->callee);
}

/* -- Files ------------------------------------------------------------------------------------- */

static int load(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    return give(run, s, tm_npy_load(bound->args[0].str), result);
}

static int input(tm_run *run, const tm_statement *s, const tm_bound *bound,
                 const tm_tensor **result)
{
    for (int i = 0; i < run->num_inputs; i++)
        if (strcmp(run->inputs[i].name, bound->args[0].str) == 0)
            return give(run, s, tm_npy_load(run->inputs[i].path), result);
    return TM_EXIT_USAGE; /* tm_form_check_inputs has found it */
}

int tm_form_check_inputs(tm_run *run)
{
    const tm_program *program = run->program;
    for (int i = 0; i < program->num_statements; i++) {
        const tm_statement *s = &program->statements[i];
        if (strcmp(s->callee, "input") != 0 || s->num_arguments != 1)
            continue;
        const tm_written *written = &s->arguments[0].value;
        bool found = false;
        for (int k = 0; k < run->num_inputs && written->kind == TM_WRITTEN_TEXT; k++)
            if (strcmp(run->inputs[k].name, written->text) == 0)
                run->inputs[k].used = found = true;
        if (!found && written->kind == TM_WRITTEN_TEXT)
            return tm_source_wrong(&program->source, written->place,
                                   "the input is missing: --input %.100s=FILE.npy", written->text);
    }
    for (int k = 0; k < run->num_inputs; k++)
        if (!run->inputs[k].used)
            return tm_cli_wrong("--input %.100s: the program has no input(\"%.100s\")",
                                run->inputs[k].name, run->inputs[k].name);
    return TM_EXIT_OK;
}

static int save(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    (void)result;
    return done(run, s, tm_npy_save(bound->args[0].str, bound->args[1].tensor));
}

static int print(tm_run *run, const tm_statement *s, const tm_bound *bound,
                 const tm_tensor **result)
{
    (void)result;
    return done(run, s, tm_print(stdout, bound->args[0].tensor));
}

static int print_list(tm_run *run, const tm_statement *s, const tm_bound *bound,
                      const tm_tensor **result)
{
    (void)result;
    tm_tensor_list list = bound->args[0].tensors;
    for (int64_t i = 0; i < list.count; i++) {
        int code = done(run, s, tm_print(stdout, list.data[i]));
        if (code != TM_EXIT_OK)
            return code;
    }
    return TM_EXIT_OK;
}

static int print_number(tm_run *run, const tm_statement *s, const tm_bound *bound,
                        const tm_tensor **result)
{
    (void)result;
    const tm_tensor *x = tm_cli_from_scalar(bound->args[0].scalar, TM_DTYPE_NONE);
    return x ? done(run, s, tm_print(stdout, x)) : TM_EXIT_FAILED;
}

/* -- Levels ------------------------------------------------------------------------------------ */

static int vmap(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    (void)result;
    tm_vmap_options options = {.struct_size = sizeof options, .size = bound->args[0].opt};
    if (!tm_cli_randomness(bound->args[1].str, &options.randomness))
        return tm_source_wrong(&run->program->source, bound->written[1]->place,
                               "randomness must be error, different or same, got '%.100s'",
                               bound->args[1].str);
    tm_vmap_level *level = tm_vmap_push(&options);
    if (level)
        run->levels[run->num_levels++] = level;
    return done(run, s, level ? TM_OK : tm_error_code());
}

static int end(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    (void)bound;
    (void)result;
    tm_vmap_level *level = run->levels[--run->num_levels];
    tm_program_names_end_level(run->program->names, tm_vmap_id(level));
    return done(run, s, tm_vmap_pop(level));
}

static int64_t dim_of(const tm_value *value)
{
    return value->opt ? *(const int64_t *)value->opt : TM_NOT_MAPPED;
}

static int in(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    return give(run, s,
                tm_vmap_in(tm_vmap_current(), bound->args[0].tensor, dim_of(&bound->args[1])),
                result);
}

/* What comes out belongs to the scope outside the level: where there is none, to the caller. */
static int out(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    const tm_tensor *y =
        tm_vmap_out(tm_vmap_current(), bound->args[0].tensor, dim_of(&bound->args[1]));
    if (run->num_levels > 1)
        return give(run, s, y, result);
    *result = y;
    return done(run, s, y ? TM_OK : tm_error_code());
}

static int vmap_index(tm_run *run, const tm_statement *s, const tm_bound *bound,
                      const tm_tensor **result)
{
    int64_t level = bound->args[0].opt ? *(const int64_t *)bound->args[0].opt : run->num_levels;
    if (level < 1 || level > run->num_levels)
        return tm_source_wrong(&run->program->source, bound->written[0]->place,
                               "level must be in 1..%d, got %lld", run->num_levels,
                               (long long)level);
    return give(run, s, tm_vmap_index(run->levels[level - 1]), result);
}

/* -- Others ------------------------------------------------------------------------------------ */

static int strided_view(tm_run *run, const tm_statement *s, const tm_bound *bound,
                        const tm_tensor **result)
{
    tm_int_list shape = bound->args[1].ints, strides = bound->args[2].ints;
    if (shape.count != strides.count || shape.count > TM_MAX_NDIM)
        return tm_source_wrong(&run->program->source, bound->written[2]->place,
                               "strides must be as many as the shape's sizes, at most %d",
                               TM_MAX_NDIM);
    return give(run, s,
                tm_strided_view(bound->args[0].tensor, (int)shape.count, shape.data, strides.data,
                                bound->args[3].i),
                result);
}

static int seed(tm_run *run, const tm_statement *s, const tm_bound *bound, const tm_tensor **result)
{
    (void)result;
    tm_seed((uint64_t)bound->args[0].i);
    return done(run, s, tm_rng_skip((uint64_t)bound->args[1].i));
}

static int rng_at(tm_run *run, const tm_statement *s, const tm_bound *bound,
                  const tm_tensor **result)
{
    (void)result;
    tm_int_list index = bound->args[1].ints;
    int count = index.count > TM_MAX_LEVELS ? TM_MAX_LEVELS + 1 : (int)index.count;
    return done(run, s, tm_rng_at((uint64_t)bound->args[0].i, count, index.data));
}

static const tm_form forms[] = {
    {"load", true, 1, {TEXT("path")}, load},
    {"input", true, 1, {TEXT("name")}, input},
    {"save", false, 2, {TEXT("path"), TENSOR("x")}, save},
    {"print", false, 1, {TENSOR("x")}, print},
    {"print", false, 1, {{.name = "x", .type = TM_TYPE_TENSOR_LIST}}, print_list},
    {"print", false, 1, {{.name = "x", .type = TM_TYPE_SCALAR}}, print_number},
    {"vmap",
     false,
     2,
     {{.name = "size", .type = TM_TYPE_INT, .optional = true, .has_default = true},
      {.name = "randomness",
       .type = TM_TYPE_STR,
       .has_default = true,
       .fallback = {.str = "error"}}},
     vmap},
    {"end", false, 0, {{0}}, end},
    {"in", true, 2, {TENSOR("x"), DIM}, in},
    {"out", true, 2, {TENSOR("y"), DIM}, out},
    {"vmap_index",
     true,
     1,
     {{.name = "level", .type = TM_TYPE_INT, .optional = true, .has_default = true}},
     vmap_index},
    {"strided_view",
     true,
     4,
     {TENSOR("x"), INTEGERS("shape"), INTEGERS("strides"), INTEGER_OR("offset", 0)},
     strided_view},
    {"seed", false, 2, {INTEGER("seed"), INTEGER_OR("count", 0)}, seed},
    {"rng_at", false, 2, {INTEGER("count"), INTEGERS("index")}, rng_at},
};

enum { COUNT = sizeof forms / sizeof forms[0] };

const tm_form *tm_form_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

/* The form of the statement's name that it fits. */
static const tm_form *bind(tm_cli_memory *memory, const tm_run *run, const tm_statement *s,
                           tm_bound *bound, tm_misfit *best)
{
    tm_misfit why;
    best->fitting = -1;
    for (int i = 0; i < COUNT; i++) {
        const tm_form *form = &forms[i];
        if (strcmp(form->name, s->callee) != 0)
            continue;
        if (tm_statement_fits(memory, run->program->names, s, form->params, form->num_params, bound,
                              &why))
            return form;
        if (why.fitting > best->fitting)
            *best = why;
    }
    return NULL;
}

int tm_form_run(tm_run *run, const tm_statement *s)
{
    tm_cli_memory memory = {0};
    tm_bound bound;
    tm_misfit why;
    const tm_tensor *result = NULL;
    const tm_form *form = bind(&memory, run, s, &bound, &why);
    int code;
    if (!form) {
        code = tm_source_wrong(&run->program->source, why.place, "%s: %s", s->callee, why.message);
    } else if (!form->gives && s->num_targets) {
        code = tm_source_wrong(&run->program->source, s->targets[0].place,
                               "%s gives nothing that a name could stand for", s->callee);
    } else {
        bool in_scope = strcmp(s->callee, "vmap") != 0 && strcmp(s->callee, "end") != 0 &&
                        strcmp(s->callee, "out") != 0;
        tm_scope *scope = in_scope ? tm_scope_push() : NULL;
        code = form->run(run, s, &bound, &result);
        if (scope)
            tm_scope_pop(scope);
        if (code == TM_EXIT_OK && form->gives)
            code = tm_run_assign(run, s, 1, &result, false);
    }
    tm_cli_free(&memory);
    return code;
}
