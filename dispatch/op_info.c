/* op_info.c: looking at ops. */
#include <string.h>

#include "memory.h"
#include "names.h"

static const char *const contract_names[] = {
    [TM_ELEMENTWISE] = "elementwise",
    [TM_REDUCTION] = "reduction",
    [TM_PER_EXAMPLE] = "per-example",
    [TM_SIGNATURE] = "signature",
    [TM_VIEW] = "view",
    [TM_VIEW_OR_COPY] = "view-or-copy",
    [TM_RANDOM] = "random",
    [TM_DATA_DEPENDENT] = "data-dependent",
    [TM_COMPOSITE] = "composite",
};

const char *tm_contract_name(tm_contract contract)
{
    bool known = (int)contract >= 0 && (int)contract <= TM_COMPOSITE;
    return known ? contract_names[contract] : "unknown";
}

const char *tm_key_name(tm_key key)
{
    static const char *const names[TM_NUM_KEYS] = {
        [TM_KEY_PLAIN] = "plain", [TM_KEY_BATCHED] = "batched", [TM_KEY_LANES] = "lanes"};
    return (unsigned)key < TM_NUM_KEYS ? names[key] : "unknown";
}

const tm_op *tm_op_find(const char *name, const char *overload)
{
    if (!name || !tm_registry_ready())
        return NULL;
    tm_names_lock();
    const tm_op *op = tm_names_find(name, overload);
    tm_names_unlock();
    return op;
}

const tm_op *tm_op_at(int64_t i)
{
    if (!tm_registry_ready())
        return NULL;
    tm_names_lock();
    const tm_op *op = tm_names_at(i);
    tm_names_unlock();
    return op;
}

int64_t tm_op_count(void)
{
    if (!tm_registry_ready())
        return 0;
    tm_names_lock();
    int64_t count = tm_names_count();
    tm_names_unlock();
    return count;
}

static bool given(const tm_op *op, const char *function)
{
    if (op)
        return true;
    tm_error_null(function, "op");
    return false;
}

const char *tm_op_name(const tm_op *op)
{
    return given(op, "op_name") ? op->schema.name : NULL;
}

const char *tm_op_overload(const tm_op *op)
{
    return given(op, "op_overload") ? op->schema.overload : NULL;
}

const char *tm_op_schema(const tm_op *op)
{
    return given(op, "op_schema") ? op->text : NULL;
}

const char *tm_op_doc(const tm_op *op)
{
    return !given(op, "op_doc") ? NULL : op->def.doc ? op->def.doc : "";
}

/* The text given out last where it still holds, else a new one before it. */
static const char *alias_text(tm_op *op)
{
    size_t length = tm_names_aliases(op, NULL, 0);
    if (length == 0)
        return "";
    tm_alias_text *text = tm_alloc(sizeof *text + length + 1);
    if (!text)
        return op->aliases ? op->aliases->text : "";
    text->length = length;
    tm_names_aliases(op, text->text, length + 1);
    if (op->aliases && strcmp(op->aliases->text, text->text) == 0) {
        tm_free(text, sizeof *text + length + 1);
    } else {
        text->before = op->aliases;
        op->aliases = text;
    }
    return op->aliases->text;
}

const char *tm_op_aliases(const tm_op *op)
{
    if (!given(op, "op_aliases"))
        return NULL;
    tm_names_lock();
    const char *text = alias_text((tm_op *)(uintptr_t)op);
    tm_names_unlock();
    return text;
}

tm_contract tm_op_contract(const tm_op *op)
{
    return given(op, "op_contract") ? op->def.contract : TM_ELEMENTWISE;
}

int tm_op_num_params(const tm_op *op)
{
    return given(op, "op_num_params") ? op->schema.num_params : -1;
}

const tm_param *tm_op_param(const tm_op *op, int i)
{
    if (!given(op, "op_param"))
        return NULL;
    if (i >= 0 && i < op->schema.num_params)
        return &op->schema.params[i];
    tm_error_set(TM_ERR_USAGE, "op_param", "i", "%s has %d parameters, got i = %d", op->schema.name,
                 op->schema.num_params, i);
    return NULL;
}

int tm_op_num_outputs(const tm_op *op)
{
    return given(op, "op_num_outputs") ? op->schema.num_outputs : -1;
}

tm_type tm_op_output_type(const tm_op *op, int i)
{
    if (!given(op, "op_output_type"))
        return TM_TYPE_TENSOR;
    if (i >= 0 && i < op->schema.num_outputs)
        return op->schema.outputs[i].type;
    tm_error_set(TM_ERR_USAGE, "op_output_type", "i", "%s has %d outputs, got i = %d",
                 op->schema.name, op->schema.num_outputs, i);
    return TM_TYPE_TENSOR;
}

void tm_op_tolerance(const tm_op *op, double *rtol, double *atol)
{
    bool known = given(op, "op_tolerance");
    if (rtol)
        *rtol = known ? op->def.rtol : 0;
    if (atol)
        *atol = known ? op->def.atol : 0;
}

const struct tm_op_samples *tm_op_get_samples(const tm_op *op)
{
    return given(op, "op_get_samples") ? op->def.samples : NULL;
}

const tm_op *tm_op_base(const tm_op *op)
{
    return given(op, "op_base") ? op->base : NULL;
}

bool tm_op_has_key(const tm_op *op, tm_key key)
{
    if (!given(op, "op_has_key") || (int)key < 0 || key >= TM_NUM_KEYS)
        return false;
    return tm_op_kernel(op, key) != NULL;
}

bool tm_op_has_loop(const tm_op *op, tm_dtype dtype)
{
    if (!given(op, "op_has_loop"))
        return false;
    const tm_kernel *kernel = tm_op_kernel(op, TM_KEY_PLAIN);
    for (; kernel; kernel = atomic_load_explicit(&kernel->below, memory_order_acquire)) {
        for (const tm_loop *l = kernel->loops; l && l->fn; l++)
            if (l->in == dtype)
                return true;
        for (const tm_reduce_loop *l = kernel->reduce; l && l->fn; l++)
            if (l->in == dtype)
                return true;
    }
    return false;
}

void tm_op_dump(const tm_op *op, FILE *stream)
{
    if (!given(op, "op_dump"))
        return;
    if (!stream) {
        tm_error_null("op_dump", "stream");
        return;
    }
    fprintf(stream, "%s\n  contract %s, registered by %s\n", op->text,
            tm_contract_name(op->def.contract), tm_library_name(op->library));
    if (op->base)
        fprintf(stream, "  runs the kernels of %s\n", op->base->schema.name);
    for (int key = 0; key < TM_NUM_KEYS; key++) {
        const tm_kernel *kernel = tm_op_kernel(op, (tm_key)key);
        for (int depth = 0; kernel; depth++) {
            fprintf(stream, "  %-8s %s from %s%s\n", depth ? "" : tm_key_name((tm_key)key),
                    depth ? "over" : "wins", tm_library_name(kernel->library),
                    kernel->ffi ? ", through libffi" : "");
            kernel = atomic_load_explicit(&kernel->below, memory_order_acquire);
        }
    }
    if (op->def.contract == TM_VIEW)
        fprintf(stream, "  no kernel: a view is its meta alone\n");
}
