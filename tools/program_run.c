/* program_run.c: statements in order.
 *
 * A statement's results are the names' alone: it runs in a scope of its own, and a name gives its
 * tensors up after the last statement that mentions it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <transmute/error.h>
#include <transmute/memory.h>
#include <transmute/tensor.h>

#include "program.h"

/* -- Results to names -------------------------------------------------------------------------- */

static void hand_over(tm_run *run, const tm_target *target, tm_named_kind kind, int count,
                      const tm_tensor *const *tensors)
{
    if (target->name < 0) {
        for (int i = 0; i < count; i++)
            tm_release(tensors[i]);
        return;
    }
    const tm_tensor **own = malloc(((size_t)count + 1) * sizeof *own);
    if (!own)
        tm_cli_no_memory();
    for (int i = 0; i < count; i++)
        own[i] = tensors[i];
    tm_program_names_set(tm_program_names_at(run->program->names, target->name), kind, count, own);
}

static int wrong_count(const tm_run *run, const tm_statement *s, int count)
{
    return tm_source_wrong(&run->program->source, s->targets[0].place,
                           "%s gives %d result%s here, not %d", s->callee, count,
                           count == 1 ? "" : "s", s->num_targets);
}

int tm_run_assign(tm_run *run, const tm_statement *s, int count, const tm_tensor *const *tensors,
                  bool is_list)
{
    bool whole = is_list && s->num_targets == 1 && !s->list_of_one;
    if (s->num_targets && s->num_targets != count && !whole) {
        for (int i = 0; i < count; i++)
            tm_release(tensors[i]);
        return wrong_count(run, s, count);
    }
    if (whole)
        hand_over(run, &s->targets[0], TM_NAMED_LIST, count, tensors);
    for (int i = 0; i < count && !whole; i++) {
        if (s->num_targets)
            hand_over(run, &s->targets[i], TM_NAMED_TENSOR, 1, &tensors[i]);
        else
            tm_release(tensors[i]);
    }
    return TM_EXIT_OK;
}

/* The results of an op: tensors, of which the caller has no reference yet, and numbers. */
static int assign_results(tm_run *run, const tm_statement *s, const tm_op *op,
                          const tm_value *results)
{
    int count = tm_op_num_outputs(op);
    if (tm_cli_gives_list(op)) {
        tm_tensor_list list = results[0].tensors;
        for (int64_t i = 0; i < list.count; i++)
            tm_retain(list.data[i]);
        return tm_run_assign(run, s, (int)list.count, list.data, true);
    }
    if (s->num_targets && s->num_targets != count)
        return wrong_count(run, s, count);
    for (int i = 0; i < s->num_targets; i++) {
        const tm_target *target = &s->targets[i];
        if (tm_op_output_type(op, i) == TM_TYPE_TENSOR) {
            const tm_tensor *x = tm_retain(results[i].tensor);
            hand_over(run, target, TM_NAMED_TENSOR, 1, &x);
        } else if (target->name >= 0) {
            tm_named *named = tm_program_names_at(run->program->names, target->name);
            tm_program_names_set(named, TM_NAMED_SCALAR, 0, NULL);
            named->scalar = results[i].scalar;
        }
    }
    return TM_EXIT_OK;
}

/* -- Statements -------------------------------------------------------------------------------- */

static int call(tm_cli_memory *memory, tm_run *run, const tm_statement *s)
{
    tm_bound bound;
    tm_value results[TM_MAX_OUTPUTS];
    int code = tm_statement_bind(memory, run->program, s, &bound);
    if (code == TM_EXIT_OK) {
        const tm_op *op = bound.op;
        if (tm_op_call(op, bound.args, tm_op_num_params(op), results, tm_op_num_outputs(op)) !=
            TM_OK)
            code = tm_source_failed(&run->program->source, s->place, NULL);
        else
            code = assign_results(run, s, op, results);
    }
    tm_bound_free(&bound);
    return code;
}

static int run_op(tm_run *run, const tm_statement *s)
{
    tm_cli_memory memory = {0};
    tm_scope *scope = tm_scope_push();
    int code =
        scope ? call(&memory, run, s) : tm_source_failed(&run->program->source, s->place, NULL);
    if (scope)
        tm_scope_pop(scope);
    tm_cli_free(&memory);
    return code;
}

static void drop(tm_run *run, int name, int at)
{
    tm_program_names *names = run->program->names;
    if (name >= 0 && tm_program_names_last_use(names, name) == at)
        tm_program_names_clear(tm_program_names_at(names, name));
}

static void drop_written(tm_run *run, const tm_written *written, int at)
{
    drop(run, written->name, at);
    for (int i = 0; i < written->count; i++)
        drop_written(run, &written->items[i], at);
}

static void drop_unused(tm_run *run, int at)
{
    const tm_statement *s = &run->program->statements[at];
    for (int i = 0; i < s->num_arguments; i++)
        drop_written(run, &s->arguments[i].value, at);
    for (int i = 0; i < s->num_targets; i++)
        drop(run, s->targets[i].name, at);
}

int tm_program_run(tm_run *run)
{
    int code = tm_form_check_inputs(run);
    for (int i = 0; i < run->program->num_statements && code == TM_EXIT_OK; i++) {
        const tm_statement *s = &run->program->statements[i];
        code = tm_form_find(s->callee) ? tm_form_run(run, s) : run_op(run, s);
        drop_unused(run, i);
    }
    while (run->num_levels)
        tm_vmap_pop(run->levels[--run->num_levels]);
    return code;
}
