/* program_bind.c: a statement's values bound to parameters.
 *
 * Where no overload is written, they are tried in order and the first that every value fits is
 * taken, as `transmute call` does; where none fits, the one that got furthest says why.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

static bool refuse(tm_misfit *why, tm_place place, int fitting, const char *format, ...)
    TM_PRINTF(4, 5);

static bool refuse(tm_misfit *why, tm_place place, int fitting, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why->message, sizeof why->message, format, list);
    va_end(list);
    why->place = place;
    why->fitting = fitting;
    return false;
}

static int find_param(const tm_param *params, int num_params, const char *name)
{
    for (int i = 0; i < num_params; i++)
        if (strcmp(params[i].name, name) == 0)
            return i;
    return -1;
}

bool tm_statement_fits(tm_cli_memory *memory, tm_program_names *names, const tm_statement *s,
                       const tm_param *params, int num_params, tm_bound *bound, tm_misfit *why)
{
    *bound = (tm_bound){0};
    int next = 0;
    for (int at = 0; at < s->num_arguments; at++) {
        const tm_argument *argument = &s->arguments[at];
        int i = argument->name ? find_param(params, num_params, argument->name) : next++;
        if (i < 0)
            return refuse(why, argument->place, at, "there is no parameter '%.100s'",
                          argument->name);
        if (i >= num_params)
            return refuse(why, argument->place, at, "takes %d argument%s", num_params,
                          num_params == 1 ? "" : "s");
        if (bound->written[i])
            return refuse(why, argument->place, at, "%s is given twice", params[i].name);
        bound->written[i] = &argument->value;
        why->fitting = at;
        if (!tm_written_fits(memory, names, &params[i], &argument->value, &bound->room[i],
                             &bound->args[i], why))
            return false;
    }
    for (int i = 0; i < num_params; i++) {
        if (bound->written[i])
            continue;
        if (!params[i].has_default)
            return refuse(why, s->place, s->num_arguments, "%s is missing", params[i].name);
        bound->args[i] = params[i].fallback;
    }
    return true;
}

static bool fits_op(tm_cli_memory *memory, const tm_program *program, const tm_statement *s,
                    const tm_op *op, tm_bound *bound, tm_misfit *why)
{
    bool fits = tm_statement_fits(memory, program->names, s, tm_op_param(op, 0),
                                  tm_op_num_params(op), bound, why);
    bound->op = op;
    return fits;
}

/* The generator is made anew for each call, as it stands there. */
static int make_generator(const tm_program *program, const tm_statement *s, tm_bound *bound)
{
    for (int i = 0; i < tm_op_num_params(bound->op); i++) {
        if (tm_op_param(bound->op, i)->type != TM_TYPE_GENERATOR || !bound->written[i] ||
            strcmp(bound->written[i]->text, "None") == 0)
            continue;
        bound->generator = tm_generator_new(bound->room[i].generator.seed);
        if (!bound->generator ||
            tm_generator_skip(bound->generator, bound->room[i].generator.count) != TM_OK)
            return tm_source_failed(&program->source, s->place, NULL);
        bound->args[i].generator = bound->generator;
    }
    return TM_EXIT_OK;
}

int tm_statement_bind(tm_cli_memory *memory, const tm_program *program, const tm_statement *s,
                      tm_bound *bound)
{
    tm_misfit best = {.fitting = -1}, why;
    const tm_op *first = tm_op_find(s->callee, s->overload);
    if (fits_op(memory, program, s, first, bound, &best))
        return make_generator(program, s, bound);
    const tm_op *other;
    for (int64_t i = 0; !s->overload && (other = tm_op_at(i)); i++) {
        if (other == first || strcmp(tm_op_name(other), tm_op_name(first)) != 0)
            continue;
        if (fits_op(memory, program, s, other, bound, &why))
            return make_generator(program, s, bound);
        if (why.fitting > best.fitting)
            best = why;
    }
    return tm_source_wrong(&program->source, best.place, "%s: %s", s->callee, best.message);
}

void tm_bound_free(tm_bound *bound)
{
    tm_generator_free(bound->generator);
    bound->generator = NULL;
}
