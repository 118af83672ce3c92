/* op.c: making ops from declarations: operands, derived forms, kernels. */
#include <stdarg.h>
#include <string.h>

#include "call.h"
#include "ffi.h"
#include "memory.h"

size_t tm_text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* What each parameter is to the dispatcher. */
static void set_operands(tm_op *op)
{
    const tm_schema *schema = &op->schema;
    int written = 0;
    op->generator_arg = -1;
    for (int i = 0; i < schema->num_params; i++) {
        const tm_param *param = &schema->params[i];
        if (param->type == TM_TYPE_GENERATOR)
            op->generator_arg = (int8_t)i;
        if (param->type == TM_TYPE_INT_LIST || param->type == TM_TYPE_STR ||
            param->type == TM_TYPE_SCALAR || param->type == TM_TYPE_DTYPE)
            op->has_other_checks = true;
        if (param->type != TM_TYPE_TENSOR && param->type != TM_TYPE_TENSOR_LIST)
            continue;
        tm_op_operand *operand = &op->operands[op->num_operands++];
        operand->arg = (uint8_t)i;
        operand->type = (uint8_t)param->type;
        operand->optional = param->optional;
        operand->written = param->written;
        operand->read = !param->written || op->form == TM_FORM_INPLACE;
        op->has_list = op->has_list || param->type == TM_TYPE_TENSOR_LIST;
        op->has_written = op->has_written || param->written;
    }
    op->simple = op->num_operands == schema->num_params;
    for (int i = 0; i < op->num_operands; i++)
        op->simple = op->simple && op->operands[i].read && !op->operands[i].optional;
    for (const tm_loop *l = op->def.contract == TM_ELEMENTWISE ? op->def.loops : NULL; l && l->fn;
         l++)
        if (l->in > TM_DTYPE_NONE && l->in < TM_NUM_DTYPES && !op->loop_of[l->in])
            op->loop_of[l->in] = l;
    for (int i = 0; i < schema->num_outputs; i++) {
        op->written_arg[i] = -1;
        if (schema->outputs[i].type == TM_TYPE_TENSOR_LIST)
            op->list_output = true;
        else if (schema->outputs[i].type == TM_TYPE_TENSOR)
            op->tensor_outputs |= 1u << i;
        else
            op->has_host_output = true;
        if (!schema->outputs[i].written)
            continue;
        while (!schema->params[written].written)
            written++;
        op->written_arg[i] = (int8_t)written++;
    }
    op->num_outputs = op->list_output ? -1 : schema->num_outputs;
    op->has_list = op->has_list || op->list_output;
    if (op->list_output)
        op->tensor_outputs = TM_OUTPUT_LIST;
}

tm_op *tm_op_new(const tm_op_def *def, char *text, tm_form form, const tm_op *base)
{
    tm_op *op = tm_alloc(sizeof *op);
    if (!op || !text) {
        tm_free(text, tm_text_size(text));
        tm_free(op, sizeof *op);
        tm_error_memory("library_register", (int64_t)sizeof *op);
        return NULL;
    }
    memset(op, 0, sizeof *op);
    op->text = text;
    op->def = *def;
    op->form = form;
    op->base = base;
    tm_schema_error error;
    bool ok = tm_schema_parse(text, &op->schema, &error);
    if (!ok) {
        tm_error_set(TM_ERR_SCHEMA, "library_register", "schema", "%s at column %d of \"%s\"",
                     error.message, error.column, text);
    } else if (def->contract == TM_SIGNATURE) {
        ok = tm_signature_parse(def->signature ? def->signature : "", &op->signature, &error);
        if (!ok)
            tm_error_set(TM_ERR_SCHEMA, "library_register", "signature",
                         "%s at column %d of the signature \"%s\" of %s", error.message,
                         error.column, def->signature ? def->signature : "", op->schema.name);
    }
    if (!ok) {
        tm_op_free(op);
        return NULL;
    }
    set_operands(op);
    return op;
}

void tm_op_free(tm_op *op)
{
    if (op->meta.ffi)
        tm_ffi_free((tm_ffi *)(uintptr_t)op->meta.ffi);
    for (tm_alias_text *text = op->aliases, *before; text; text = before) {
        before = text->before;
        tm_free(text, sizeof *text + text->length + 1);
    }
    tm_free(op->text, tm_text_size(op->text));
    tm_free(op, sizeof *op);
}

static bool has_form(const tm_op *op, tm_form form)
{
    const tm_schema *schema = &op->schema;
    tm_contract contract = op->def.contract;
    if (op->def.no_forms || op->has_written || op->tensor_outputs == 0 || op->has_host_output ||
        op->list_output)
        return false;
    if (strlen(schema->name) + strlen("_out") > TM_SCHEMA_NAME)
        return false;
    if (form == TM_FORM_OUT) { /* its further parameters must have room, and names of their own */
        if (schema->num_params + schema->num_outputs > TM_MAX_ARGS)
            return false;
        for (int i = 0; i < schema->num_params; i++)
            if (strncmp(schema->params[i].name, "out", 3) == 0)
                return false;
    }
    if (form == TM_FORM_OUT)
        return contract == TM_ELEMENTWISE || contract == TM_REDUCTION ||
               contract == TM_PER_EXAMPLE || contract == TM_SIGNATURE;
    /* In place where the first parameter is the value that is changed, not a condition. */
    return contract == TM_ELEMENTWISE && schema->num_params > 0 && schema->num_outputs == 1 &&
           schema->params[0].type == TM_TYPE_TENSOR && !schema->params[0].optional &&
           schema->params[0].name[0] == 'x';
}

/* Text that is put together piece by piece; `used` beyond its room says that it does not fit. */
typedef struct text_builder {
    size_t used;
    char text[2048];
} text_builder;

static void put(text_builder *b, const char *format, ...) TM_PRINTF(2, 3);

static void put(text_builder *b, const char *format, ...)
{
    if (b->used >= sizeof b->text)
        return;
    va_list list;
    va_start(list, format);
    int n = vsnprintf(b->text + b->used, sizeof b->text - b->used, format, list);
    va_end(list);
    b->used += n > 0 ? (size_t)n : 0;
}

char *tm_form_text(const tm_op *op, tm_form form, bool *none)
{
    *none = !has_form(op, form);
    if (*none)
        return NULL;
    const tm_schema *schema = &op->schema;
    const char *open = strchr(op->text, '('), *arrow = strstr(op->text, "->");
    const char *close = arrow;
    while (*close != ')')
        close--;
    text_builder b = {.used = 0};
    put(&b, "%s%s%s%s(", schema->name, form == TM_FORM_INPLACE ? "_" : "_out",
        schema->overload[0] ? "." : "", schema->overload);
    if (form == TM_FORM_INPLACE) {
        const char *rest = strstr(open, "Tensor") + strlen("Tensor");
        put(&b, "Tensor!%.*s) -> Tensor!", (int)(close - rest), rest);
    } else {
        put(&b, "%.*s", (int)(close - open - 1), open + 1);
        for (int i = 0; i < schema->num_outputs; i++) {
            const char *name = schema->outputs[i].name;
            put(&b, "%sTensor! out%s%s", i || schema->num_params ? ", " : "", name[0] ? "_" : "",
                name);
        }
        put(&b, ") -> %s", schema->num_outputs > 1 ? "(" : "");
        for (int i = 0; i < schema->num_outputs; i++) {
            const char *name = schema->outputs[i].name;
            put(&b, "%sTensor!%s%s", i ? ", " : "", name[0] ? " " : "", name);
        }
        put(&b, "%s", schema->num_outputs > 1 ? ")" : "");
    }
    char *copy = b.used < sizeof b.text ? tm_alloc(b.used + 1) : NULL;
    if (copy)
        memcpy(copy, b.text, b.used + 1);
    return copy;
}

bool tm_op_takes_lanes(const tm_op *op)
{
    tm_contract contract = op->def.contract;
    return (contract == TM_PER_EXAMPLE || contract == TM_SIGNATURE) && !op->has_list &&
           !op->has_written;
}

static tm_ffi_outputs outputs_of(const tm_op *op)
{
    return op->def.contract == TM_COMPOSITE ? TM_FFI_HANDLE_PLACES : TM_FFI_HANDLES;
}

/* What a table of loops says that none may say; NULL: nothing. */
static const char *table_fault(const tm_kernel_def *def)
{
    for (const tm_loop *l = def->loops; l && l->fn; l++)
        if (!tm_dtype_size(l->in) || !tm_dtype_size(l->out))
            return "a loop's in and out must be dtypes";
    for (const tm_reduce_loop *l = def->reduce; l && l->fn; l++)
        if (!tm_dtype_size(l->in) || !tm_dtype_size(l->out))
            return "a loop's in and out must be dtypes";
    for (const tm_lanes_kernel *l = def->lanes; l && l->fn; l++)
        if (!tm_dtype_size(l->dtype) || l->width < 2 || l->width > 64)
            return "a lanes kernel must have a dtype and a width in 2..64";
    return NULL;
}

tm_kernel *tm_kernel_new(const tm_op *op, const tm_kernel_def *def, tm_thunk thunk,
                         const tm_library *library)
{
    const char *fault = table_fault(def);
    if (fault) {
        tm_error_set(TM_ERR_SCHEMA, "library_register", "def", "%s (schema \"%s\")", fault,
                     op->text);
        return NULL;
    }
    tm_kernel *kernel = tm_alloc(sizeof *kernel);
    if (!kernel) {
        tm_error_memory("library_register", (int64_t)sizeof *kernel);
        return NULL;
    }
    memset(kernel, 0, sizeof *kernel);
    kernel->thunk = thunk;
    kernel->fn = def->impl;
    kernel->loops = def->loops;
    kernel->reduce = def->reduce;
    kernel->batched = def->batched;
    kernel->rule = def->rule;
    kernel->lanes = def->lanes;
    kernel->thread_safe = def->thread_safe;
    kernel->library = library;
    if (def->impl && !thunk) {
        kernel->ffi = tm_ffi_prepare(&op->schema, outputs_of(op));
        kernel->thunk = tm_ffi_thunk;
        if (!kernel->ffi) {
            tm_free(kernel, sizeof *kernel);
            return NULL;
        }
    }
    return kernel;
}

void tm_kernel_free(tm_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->ffi)
        tm_ffi_free((tm_ffi *)(uintptr_t)kernel->ffi);
    tm_free(kernel, sizeof *kernel);
}

tm_status tm_boxed_thunk(tm_call *call, const tm_kernel *kernel)
{
    return ((tm_status(*)(tm_call *))kernel->fn)(call);
}

tm_status tm_meta_init(tm_op *op, tm_fn fn, tm_thunk thunk)
{
    op->meta.fn = fn;
    op->meta.thunk = thunk;
    if (!fn) {
        if (op->def.contract == TM_ELEMENTWISE || op->def.contract == TM_REDUCTION) {
            op->meta.fn = (tm_fn)tm_default_meta;
            op->meta.thunk = tm_boxed_thunk;
        }
        return TM_OK;
    }
    if (thunk)
        return TM_OK;
    op->meta.ffi = tm_ffi_prepare(op->base ? &op->base->schema : &op->schema, TM_FFI_NO_OUTPUTS);
    op->meta.thunk = tm_ffi_thunk;
    return op->meta.ffi ? TM_OK : tm_error_code();
}
