/* gen_ops.c: from the declarations in ops/all.def to C.
 *
 *     gen_ops prototypes   include/transmute/ops.h: the public typed prototypes
 *     gen_ops kernels      ops_kernels.h: prototypes of the metas and kernels, loop tables
 *     gen_ops table        ops_table.c: typed wrappers, thunks, and the table of declarations
 *
 * Schemas go through the library's own parser, so a declaration that does not parse stops the
 * build with its column.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/registry.h"

/* The registry is linked, but there is nothing to register yet. */
const tm_builtin tm_builtins[1];
const int tm_num_builtins = 0;
_Atomic(const tm_op *) tm_builtin_ops[3];

typedef struct declaration {
    const char *family, *schema, *contract_name;
    tm_contract contract;
    const char *meta, *kernel;
    const char *rest; /* the doc, a string literal as it stands in the source, and the fields */
} declaration;

#define TM_FAMILY(name) {.family = #name},
#define TM_OP(text, kind, meta_name, kernel_name, ...)                                             \
    {.schema = text,                                                                               \
     .contract_name = #kind,                                                                       \
     .contract = TM_##kind,                                                                        \
     .meta = #meta_name,                                                                           \
     .kernel = #kernel_name,                                                                       \
     .rest = #__VA_ARGS__},

static const declaration declarations[] = {
#include "ops/all.def"
};

enum { COUNT = sizeof declarations / sizeof declarations[0], MAX_CODES = 512 };

static tm_op *ops[COUNT][3];

static void die(const char *what, const char *text)
{
    fprintf(stderr, "gen_ops: %s: %s\n", text, what);
    exit(1);
}

/* The literal (or several, one after the other) that `rest` begins with ends where the fields
 * begin. */
static const char *fields_of(const declaration *d)
{
    const char *at = d->rest;
    while (*at == '"') {
        for (at++; *at != '"'; at++)
            at += *at == '\\';
        at++;
        at += strspn(at, " ");
    }
    at += *at == ',';
    return at + strspn(at, " ");
}

static void print_literal(const declaration *d)
{
    int length = (int)(fields_of(d) - d->rest);
    while (length > 0 && (d->rest[length - 1] == ' ' || d->rest[length - 1] == ','))
        length--;
    printf("%.*s", length, d->rest);
}

/* The doc's text, for a comment: no quotes. */
static void print_doc(const declaration *d)
{
    for (const char *at = d->rest, *end = fields_of(d); at < end; at++) {
        if (*at == '"') {
            for (at++; *at != '"'; at++) {
                at += *at == '\\';
                putchar(*at);
            }
        }
    }
}

static tm_op *make(const declaration *d, tm_form form, const tm_op *base)
{
    tm_op_def def = {.struct_size = sizeof def, .schema = d->schema, .contract = d->contract};
    def.no_forms = strstr(fields_of(d), ".no_forms = true") != NULL;
    const char *signature = strstr(fields_of(d), ".signature = \"");
    char copy[256] = "";
    if (signature) {
        signature += strlen(".signature = \"");
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(signature, "\""), signature);
        def.signature = copy;
    }
    char *text;
    if (form == TM_FORM_DECLARED) {
        text = strdup(d->schema);
    } else {
        bool none;
        text = tm_form_text(base, form, &none);
        if (none)
            return NULL;
    }
    tm_op *op = tm_op_new(&def, text, form, base);
    if (!op)
        die(tm_error_message(), d->schema);
    return op;
}

static void make_ops(void)
{
    for (int i = 0; i < COUNT; i++) {
        if (declarations[i].family)
            continue;
        ops[i][0] = make(&declarations[i], TM_FORM_DECLARED, NULL);
        ops[i][1] = make(&declarations[i], TM_FORM_INPLACE, ops[i][0]);
        ops[i][2] = make(&declarations[i], TM_FORM_OUT, ops[i][0]);
    }
}

/* -- C types ---------------------------------------------------------------------------------- */

static const char *c_type(const tm_param *param)
{
    bool optional = param->optional;
    switch (param->type) {
    case TM_TYPE_TENSOR:
        return param->written ? "tm_tensor *" : "const tm_tensor *";
    case TM_TYPE_TENSOR_LIST:
        return "tm_tensor_list ";
    case TM_TYPE_INT:
        return optional ? "const int64_t *" : "int64_t ";
    case TM_TYPE_INT_LIST:
        return optional ? "const tm_int_list *" : "tm_int_list ";
    case TM_TYPE_FLOAT:
        return optional ? "const double *" : "double ";
    case TM_TYPE_BOOL:
        return optional ? "const bool *" : "bool ";
    case TM_TYPE_STR:
        return "const char *";
    case TM_TYPE_DTYPE:
        return "tm_dtype ";
    case TM_TYPE_GENERATOR:
        return "tm_generator *";
    default:
        return optional ? "const tm_scalar *" : "tm_scalar ";
    }
}

/* The member of tm_value that holds a parameter, and one letter that says its C type. */
static const char *member(const tm_param *param, char *code)
{
    static const char letters[] = "TLiNfbsdcg";
    *code = letters[param->type];
    if (param->written)
        *code = 'W';
    if (param->optional && param->type != TM_TYPE_TENSOR && param->type != TM_TYPE_DTYPE &&
        param->type != TM_TYPE_STR && param->type != TM_TYPE_GENERATOR) {
        *code = (char)(param->type == TM_TYPE_INT_LIST ? 'n' : toupper((unsigned char)*code));
        return "opt";
    }
    static const char *const members[] = {"tensor", "tensors", "i",     "ints",   "f",
                                          "b",      "str",     "dtype", "scalar", "generator"};
    return members[param->type];
}

static void identifier(const tm_op *op, char *buffer, size_t size)
{
    tm_schema_identifier(&op->schema, buffer, size);
}

static void print_params(const tm_schema *schema)
{
    for (int i = 0; i < schema->num_params; i++)
        printf("%s%s%s", i ? ", " : "", c_type(&schema->params[i]), schema->params[i].name);
    if (schema->num_params == 0)
        printf("void");
}

static void print_result_type(const tm_op *op)
{
    char name[128];
    identifier(op, name, sizeof name);
    if (op->schema.num_outputs > 1)
        printf("tm_%s_result ", name);
    else
        printf("%s", op->list_output                                ? "tm_tensor_list "
                     : op->schema.outputs[0].type == TM_TYPE_SCALAR ? "tm_scalar "
                                                                    : "tm_tensor *");
}

/* -- The public header ------------------------------------------------------------------------ */

static void print_prototype(const tm_op *op, const declaration *d)
{
    char name[128];
    identifier(op, name, sizeof name);
    if (op->form == TM_FORM_DECLARED) {
        printf("\n/** ");
        print_doc(d);
        printf("\n *  `%s` (%s) */\n", op->text, tm_contract_name(op->def.contract));
    } else {
        printf("/** `%s` */\n", op->text);
    }
    if (op->schema.num_outputs > 1) {
        printf("typedef struct tm_%s_result {\n    tm_tensor ", name);
        for (int i = 0; i < op->schema.num_outputs; i++)
            printf("%s*%s", i ? ", " : "", op->schema.outputs[i].name);
        printf(";\n} tm_%s_result;\n", name);
    }
    printf("TM_API ");
    print_result_type(op);
    printf("tm_%s(", name);
    print_params(&op->schema);
    printf(");\n");
}

static void prototypes(void)
{
    printf(
        "/* ops.h: every built-in op, typed. Generated from the declarations; do not edit.\n"
        " *\n"
        " * A function returns a new handle, NULL after a failure (several outputs: a struct of\n"
        " * them, all NULL; a scalar: kind TM_KIND_NONE; a list: {NULL, -1}). A name that ends in "
        "_\n"
        " * writes its first argument, one that ends in _out its last; both return what they "
        "wrote.\n"
        " */\n"
        "#ifndef TRANSMUTE_OPS_H\n#define TRANSMUTE_OPS_H\n\n#include <transmute/tensor.h>\n\n"
        "TM_BEGIN\n");
    for (int i = 0; i < COUNT; i++) {
        if (declarations[i].family) {
            printf("\n/* -- %s -- */\n", declarations[i].family);
            continue;
        }
        for (int form = 0; form < 3; form++)
            if (ops[i][form])
                print_prototype(ops[i][form], &declarations[i]);
    }
    printf("\nTM_END\n#endif\n");
}

/* -- Kernels ---------------------------------------------------------------------------------- */

static bool is_function(const declaration *d)
{
    return d->contract != TM_ELEMENTWISE && d->contract != TM_REDUCTION && d->contract != TM_VIEW;
}

/* What a kernel is given for an output, NULL for what it is not given. */
static const char *output_type(const tm_op *op, int i)
{
    const tm_schema_output *output = &op->schema.outputs[i];
    if (output->type == TM_TYPE_TENSOR_LIST)
        return "tm_out_list ";
    if (output->type != TM_TYPE_TENSOR || output->written)
        return NULL;
    return op->def.contract == TM_COMPOSITE ? "tm_tensor **" : "tm_tensor *";
}

static void print_output_types(const tm_op *op, bool outputs)
{
    for (int i = 0; i < op->schema.num_outputs && outputs; i++)
        if (output_type(op, i))
            printf(", %s", output_type(op, i));
}

static void print_function(const tm_op *op, const char *function, bool outputs)
{
    printf("tm_status %s(tm_call *call", function);
    for (int i = 0; i < op->schema.num_params; i++)
        printf(", %s%s", c_type(&op->schema.params[i]), op->schema.params[i].name);
    for (int i = 0; i < op->schema.num_outputs && outputs; i++) {
        const char *name = op->schema.outputs[i].name;
        if (output_type(op, i))
            printf(", %sout%s%s", output_type(op, i), name[0] ? "_" : "", name);
    }
    printf(");\n");
}

static void kernels(void)
{
    printf("/* ops_kernels.h: what the declarations say each meta and kernel is. Generated. */\n"
           "#ifndef TM_OPS_KERNELS_H\n#define TM_OPS_KERNELS_H\n\n"
           "#include <transmute/kernel.h>\n#include <transmute/law.h>\n#include <transmute/ops.h>\n"
           "\n#include \"ops/core.h\"\n\n");
    for (int i = 0; i < COUNT; i++) {
        const declaration *d = &declarations[i];
        if (d->family) {
            printf("\n/* %s */\nextern const tm_op_samples tm_samples_%s;\n", d->family, d->family);
            continue;
        }
        if (strcmp(d->meta, "SHARED") != 0)
            print_function(ops[i][0], d->meta, false);
        if (d->contract == TM_ELEMENTWISE)
            printf("extern const tm_loop %s[];\n", d->kernel);
        else if (d->contract == TM_REDUCTION)
            printf("extern const tm_reduce_loop %s[];\n", d->kernel);
        else if (is_function(d))
            print_function(ops[i][0], d->kernel, true);
        const char *batched = strstr(fields_of(d), ".batched = ");
        if (batched) {
            batched += strlen(".batched = ");
            printf("tm_status %.*s(tm_call *call, const tm_batch *batch);\n",
                   (int)strcspn(batched, ", "), batched);
        }
        const char *lanes = strstr(fields_of(d), ".lanes = ");
        if (lanes) {
            lanes += strlen(".lanes = ");
            printf("extern const tm_lanes_kernel %.*s[];\n", (int)strcspn(lanes, ", "), lanes);
        }
    }
    printf("\n#endif\n");
}

/* -- Thunks, wrappers, table ------------------------------------------------------------------ */

/* A thunk serves every function of one C type; its name spells the type. */
static void thunk_name(const tm_op *op, bool outputs, char *name, size_t size)
{
    size_t used = (size_t)snprintf(name, size, "thunk_");
    for (int i = 0; i < op->schema.num_params && used + 2 < size; i++)
        member(&op->schema.params[i], &name[used++]);
    name[used] = '\0';
    if (!outputs)
        return;
    int n = 0;
    for (int i = 0; i < op->schema.num_outputs; i++)
        n += output_type(op, i) != NULL;
    if (op->list_output)
        snprintf(name + used, size - used, "_list");
    else
        snprintf(name + used, size - used, "_%s%d",
                 op->def.contract == TM_COMPOSITE ? "places" : "out", n);
}

static void print_thunk(const tm_op *op, bool outputs)
{
    static char done[MAX_CODES][64];
    static int num_done;
    char name[64], code;
    thunk_name(op, outputs, name, sizeof name);
    for (int i = 0; i < num_done; i++)
        if (strcmp(done[i], name) == 0)
            return;
    if (num_done == MAX_CODES)
        die("too many kinds of thunk", op->text);
    memcpy(done[num_done++], name, sizeof name);
    bool places = op->def.contract == TM_COMPOSITE;
    printf("\nstatic tm_status %s(tm_call *call, const tm_kernel *kernel)\n{\n", name);
    printf("    tm_status (*fn)(tm_call *");
    for (int i = 0; i < op->schema.num_params; i++)
        printf(", %s", c_type(&op->schema.params[i]));
    int n = 0;
    print_output_types(op, outputs);
    printf(") =\n        (tm_status(*)(tm_call *");
    for (int i = 0; i < op->schema.num_params; i++)
        printf(", %s", c_type(&op->schema.params[i]));
    print_output_types(op, outputs);
    printf("))kernel->fn;\n    return fn(call");
    for (int i = 0; i < op->schema.num_params; i++) {
        const tm_param *param = &op->schema.params[i];
        const char *field = member(param, &code);
        if (param->written)
            printf(", (tm_tensor *)(uintptr_t)call->args[%d].%s", i, field);
        else
            printf(", call->args[%d].%s", i, field);
    }
    for (int i = 0; i < op->schema.num_outputs && outputs; i++)
        if (op->list_output)
            printf(", (tm_out_list){call->outs, call->num_outputs}");
        else if (output_type(op, i))
            printf(", %scall->outs[%d]", places ? "&" : "", n++);
    printf(");\n}\n");
}

static void print_wrapper(const tm_op *op, int place)
{
    char name[128], code;
    int outputs = op->schema.num_outputs;
    identifier(op, name, sizeof name);
    printf("\n");
    print_result_type(op);
    printf("tm_%s(", name);
    print_params(&op->schema);
    printf(")\n{\n");
    if (op->schema.num_params)
        printf("    tm_value args[%d];\n", op->schema.num_params);
    for (int i = 0; i < op->schema.num_params; i++) {
        const tm_param *param = &op->schema.params[i];
        printf("    args[%d].%s = %s;\n", i, member(param, &code), param->name);
    }
    printf("    tm_value results[%d];\n", outputs);
    printf("    if (__builtin_expect(tm_dispatch_builtin(%d, %s, results) != TM_OK, 0))\n", place,
           op->schema.num_params ? "args" : "NULL");
    if (op->list_output) {
        printf("        return (tm_tensor_list){NULL, -1};\n    return results[0].tensors;\n}\n");
    } else if (outputs > 1) {
        printf("        return (tm_%s_result){0};\n    return (tm_%s_result){", name, name);
        for (int i = 0; i < outputs; i++)
            printf("%s(tm_tensor *)(uintptr_t)results[%d].tensor", i ? ",\n        " : "", i);
        printf("};\n}\n");
    } else if (op->schema.outputs[0].type == TM_TYPE_SCALAR) {
        printf("        return (tm_scalar){.kind = TM_KIND_NONE};\n"
               "    return results[0].scalar;\n}\n");
    } else {
        printf("        return NULL;\n"
               "    return (tm_tensor *)(uintptr_t)results[0].tensor;\n}\n");
    }
}

static void print_entry(const declaration *d, const tm_op *op, const char *family)
{
    char name[64];
    bool shared = strcmp(d->meta, "SHARED") == 0;
    printf("    {.def = {.struct_size = sizeof(tm_op_def),\n             .schema = \"%s\",\n"
           "             .contract = TM_%s,\n             .samples = &tm_samples_%s,\n"
           "             .doc = ",
           d->schema, d->contract_name, family);
    print_literal(d);
    if (!shared)
        printf(",\n             .meta = (tm_fn)%s", d->meta);
    if (d->contract == TM_ELEMENTWISE)
        printf(",\n             .loops = %s", d->kernel);
    else if (d->contract == TM_REDUCTION)
        printf(",\n             .reduce = %s", d->kernel);
    else if (is_function(d))
        printf(",\n             .impl = (tm_fn)%s", d->kernel);
    if (fields_of(d)[0])
        printf(",\n             %s", fields_of(d));
    printf("},\n");
    if (!shared) {
        thunk_name(op, false, name, sizeof name);
        printf("     .meta_thunk = %s,\n", name);
    }
    if (is_function(d)) {
        thunk_name(op, true, name, sizeof name);
        printf("     .impl_thunk = %s,\n", name);
    }
    printf("    },\n");
}

static void table(void)
{
    int count = 0, place = 0;
    const char *family = "";
    printf("/* ops_table.c: typed wrappers, thunks and the table of built-in ops. Generated. */\n"
           "#include \"dispatch/call.h\"\n#include \"ops_kernels.h\"\n");
    for (int i = 0; i < COUNT; i++) {
        if (declarations[i].family)
            continue;
        count++;
        if (strcmp(declarations[i].meta, "SHARED") != 0)
            print_thunk(ops[i][0], false);
        if (is_function(&declarations[i]))
            print_thunk(ops[i][0], true);
    }
    printf("\nconst tm_builtin tm_builtins[] = {\n");
    for (int i = 0; i < COUNT; i++) {
        if (declarations[i].family)
            family = declarations[i].family;
        else
            print_entry(&declarations[i], ops[i][0], family);
    }
    printf("};\n\nconst int tm_num_builtins = %d;\n_Atomic(const tm_op *) tm_builtin_ops[%d];\n",
           count, 3 * count);
    for (int i = 0; i < COUNT; i++) {
        if (declarations[i].family)
            continue;
        for (int form = 0; form < 3; form++, place++)
            if (ops[i][form])
                print_wrapper(ops[i][form], place);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    make_ops();
    if (strcmp(what, "prototypes") == 0)
        prototypes();
    else if (strcmp(what, "kernels") == 0)
        kernels();
    else if (strcmp(what, "table") == 0)
        table();
    else
        die("expected prototypes, kernels or table", what);
    return ferror(stdout) != 0;
}
