/* gen_reference.c: the reference of every op, as Markdown on standard output.
 *
 * For each op: its schema, C prototype, one line of documentation, forms, the dtypes it takes, and
 * a call that is made here and now. Calls and dtypes come from the samples that the law checker
 * uses: a dtype is taken if an op's checks accept it for all tensors of that dtype in a valid
 * sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <transmute/transmute.h>

#include "law/sample.h"

enum { LONGEST_EXAMPLE = 110 };

static void die(const char *what)
{
    fprintf(stderr, "gen_reference: %s: %s\n", what, tm_error_message());
    exit(1);
}

static const char *full_name(const tm_op *op)
{
    static char name[128];
    return tm_law_name(op, name, sizeof name);
}

/* -- Samples ----------------------------------------------------------------------------------- */

/* The op's next sample that is no failing call. */
static const tm_sample *next_valid(const tm_op *op, size_t *at)
{
    const tm_sample *sample;
    do {
        sample = tm_law_next_sample(op, at);
    } while (sample && sample->expected && sample->expected[0] == '!');
    return sample;
}

static bool parse(tm_law_arena *arena, const tm_op *op, const tm_sample *source,
                  tm_law_sample *sample)
{
    char error[256];
    return tm_law_parse(arena, op, source, sample, error, sizeof error);
}

/* The sample's arguments; its tensors, with dtype `from` replaced by `to`, in the open scope. */
static void make_args(const tm_law_sample *sample, tm_dtype from, tm_dtype to,
                      const tm_tensor **handles, tm_value *args)
{
    for (int i = 0; i < sample->num_tensors; i++) {
        const tm_law_tensor *t = &sample->tensors[i];
        tm_dtype dtype = t->dtype == from ? to : t->dtype;
        handles[i] = t->literal && dtype == t->dtype
                         ? tm_from_data(dtype, t->ndim, t->shape, t->literal)
                         : tm_zeros((tm_int_list){t->shape, t->ndim}, dtype);
        if (!handles[i])
            die(full_name(sample->op));
    }
    for (int p = 0; p < sample->num_args; p++) {
        const tm_law_arg *arg = &sample->args[p];
        tm_type type = tm_op_param(sample->op, p)->type;
        args[p] = arg->value;
        if (type == TM_TYPE_TENSOR_LIST)
            args[p].tensors = (tm_tensor_list){handles + arg->first, arg->count};
        else if (type == TM_TYPE_TENSOR && arg->count == 1)
            args[p].tensor = handles[arg->first];
    }
}

/* -- Dtypes ------------------------------------------------------------------------------------ */

static bool infers(const tm_law_sample *sample, tm_dtype from, tm_dtype to)
{
    const tm_tensor *handles[64];
    tm_value args[TM_MAX_ARGS];
    tm_spec specs[TM_MAX_OUTPUTS];
    if (sample->num_tensors > (int)(sizeof handles / sizeof handles[0]))
        return false;
    tm_scope *scope = tm_scope_push();
    make_args(sample, from, to, handles, args);
    const tm_op *op = sample->op;
    int64_t count;
    bool list = tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST;
    tm_status status = list ? tm_infer_list(op, args, sample->num_args, NULL, 0, &count)
                            : tm_infer(op, args, sample->num_args, specs, tm_op_num_outputs(op));
    bool ok = status == TM_OK;
    tm_error_clear();
    if (tm_scope_pop(scope) != TM_OK)
        die("scope_pop");
    return ok;
}

static bool uniform(const tm_law_sample *sample)
{
    for (int i = 1; i < sample->num_tensors; i++)
        if (sample->tensors[i].dtype != sample->tensors[0].dtype)
            return false;
    return true;
}

/* Whether there were samples to try: those whose tensors have one dtype, or any. */
static bool find_dtypes(const tm_op *op, bool any, bool *takes)
{
    size_t at = 0;
    bool tried = false;
    for (const tm_sample *source; (source = next_valid(op, &at));) {
        tm_law_arena arena = {0};
        tm_law_sample sample;
        if (parse(&arena, op, source, &sample) && sample.num_tensors > 0 &&
            (any || uniform(&sample))) {
            tried = true;
            for (int d = TM_BOOL; d < TM_NUM_DTYPES; d++)
                takes[d] = takes[d] || infers(&sample, sample.tensors[0].dtype, (tm_dtype)d);
        }
        tm_law_free_all(&arena);
    }
    return tried;
}

/* Samples of several dtypes would say that two bools can be added, because a bool and a float can;
 * they are asked where there is no other. */
static void print_dtypes(const tm_op *op)
{
    bool takes[TM_NUM_DTYPES] = {false};
    if (!find_dtypes(op, false, takes) && !find_dtypes(op, true, takes))
        return;
    int count = 0;
    for (int d = TM_BOOL; d < TM_NUM_DTYPES; d++)
        count += takes[d];
    printf("- dtypes: ");
    if (count == TM_NUM_DTYPES - 1)
        printf("all");
    for (int d = TM_BOOL, first = 1; d < TM_NUM_DTYPES && count < TM_NUM_DTYPES - 1; d++)
        if (takes[d]) {
            printf("%s%s", first ? "" : ", ", tm_dtype_name((tm_dtype)d));
            first = 0;
        }
    printf("\n");
}

/* -- A call ------------------------------------------------------------------------------------ */

static void print_result(const tm_op *op, const tm_value *result, int i)
{
    if (tm_op_output_type(op, i) == TM_TYPE_SCALAR) {
        printf("%g\n", tm_scalar_as_float(result->scalar));
        return;
    }
    const tm_tensor *one[1] = {result->tensor};
    bool list = tm_op_output_type(op, i) == TM_TYPE_TENSOR_LIST;
    tm_tensor_list tensors = list ? result->tensors : (tm_tensor_list){one, 1};
    for (int64_t k = 0; k < tensors.count; k++) {
        char shape[256];
        tm_format_shape(shape, sizeof shape, tm_ndim(tensors.data[k]), tm_shape(tensors.data[k]));
        printf("# %s %s\n", tm_dtype_name(tm_dtype_of(tensors.data[k])), shape);
        if (tm_print(stdout, tensors.data[k]) != TM_OK)
            die(full_name(op));
    }
}

/* Calls the first sample whose values are all written out and whose text is short. */
static void print_example(const tm_op *op)
{
    size_t at = 0;
    for (const tm_sample *source; (source = next_valid(op, &at));) {
        tm_law_arena arena = {0};
        tm_law_sample sample;
        bool fits = strlen(source->args) <= LONGEST_EXAMPLE && parse(&arena, op, source, &sample) &&
                    sample.num_tensors <= 16;
        for (int t = 0; fits && t < sample.num_tensors; t++)
            fits = sample.tensors[t].literal != NULL;
        if (fits) {
            const tm_tensor *handles[16];
            tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
            tm_scope *scope = tm_scope_push();
            make_args(&sample, TM_DTYPE_NONE, TM_DTYPE_NONE, handles, args);
            tm_seed(0);
            if (tm_op_call(op, args, sample.num_args, results, tm_op_num_outputs(op)) != TM_OK)
                die(full_name(op));
            printf("\n```text\n%s(%s)\n", full_name(op), source->args);
            for (int o = 0; o < tm_op_num_outputs(op); o++)
                print_result(op, &results[o], o);
            printf("```\n");
            if (tm_scope_pop(scope) != TM_OK)
                die("scope_pop");
        }
        tm_law_free_all(&arena);
        if (fits)
            return;
    }
}

/* -- Pages ------------------------------------------------------------------------------------- */

static void print_op(const tm_op *op)
{
    bool forms = false;
    const tm_op *form;
    if (tm_op_overload(op)[0])
        printf("\n### %s\n\n", full_name(op));
    else
        printf("\n## %s\n\n", tm_op_name(op));
    printf("%s\n\n- `%s`\n- contract: %s\n", tm_op_doc(op), tm_op_schema(op),
           tm_contract_name(tm_op_contract(op)));
    if (tm_op_aliases(op)[0])
        printf("- aliases: %s\n", tm_op_aliases(op));
    for (int64_t i = 0; (form = tm_op_at(i)); i++) {
        if (tm_op_base(form) != op)
            continue;
        printf(forms ? ", `%s`" : "- forms: `%s`", full_name(form));
        forms = true;
    }
    printf(forms ? "\n" : "");
    print_dtypes(op);
    print_example(op);
}

int main(void)
{
    const tm_op *op;
    printf(
        "# Ops\n\n"
        "Generated from the declarations and their samples; every call below was made to write\n"
        "this page. A tensor is written as in samples (`f32[2,2]{1 2 3 4}`), its dtype in short.\n"
        "The C function of `NAME.OVERLOAD` is `tm_NAME_OVERLOAD` in `transmute/ops.h`.\n\n");
    bool first = true;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (tm_op_base(op) || tm_op_overload(op)[0])
            continue;
        printf("%s[%s](#%s)", first ? "" : " ·\n", tm_op_name(op), tm_op_name(op));
        first = false;
    }
    printf("\n");
    for (int64_t i = 0; (op = tm_op_at(i)); i++)
        if (!tm_op_base(op))
            print_op(op);
    return ferror(stdout) != 0;
}
