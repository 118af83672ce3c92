/* register.c: registering ops: a declaration becomes an op, its derived forms and its kernels, all
 * of them or none. */
#include <string.h>

#include "memory.h"
#include "names.h"

static void undo(tm_op *made[3], int count, tm_kernel *kernels[TM_NUM_KEYS])
{
    for (int i = 0; i < count; i++) {
        tm_names_drop_empty(made[i]->schema.name);
        tm_op_free(made[i]);
    }
    for (int key = 0; key < TM_NUM_KEYS; key++)
        tm_kernel_free(kernels[key]);
}

/* The op and its forms, not yet entered. Returns how many, 0 with the record set. */
static int make_ops(const tm_op_def *def, tm_thunk meta_thunk, tm_op *made[3])
{
    made[0] = tm_op_new(def, tm_copy_text(def->schema), TM_FORM_DECLARED, NULL);
    if (!made[0])
        return 0;
    int count = 1;
    bool ok = true;
    for (tm_form form = TM_FORM_INPLACE; form <= TM_FORM_OUT && ok; form++) {
        bool none;
        char *text = tm_form_text(made[0], form, &none);
        if (none)
            continue;
        made[count] = tm_op_new(def, text, form, made[0]);
        ok = made[count] != NULL;
        count += ok;
    }
    for (int i = 0; i < count && ok; i++)
        ok = tm_meta_init(made[i], def->meta, meta_thunk) == TM_OK;
    if (ok)
        return count;
    for (int i = 0; i < count; i++)
        tm_op_free(made[i]);
    return 0;
}

static tm_status check_def(const tm_op_def *def)
{
    const char *missing = NULL;
    switch (def->contract) {
    case TM_ELEMENTWISE:
        missing = def->loops ? NULL : "loops";
        break;
    case TM_REDUCTION:
        missing = def->reduce ? NULL : "reduce";
        break;
    case TM_VIEW:
        missing = def->meta ? NULL : "a meta";
        break;
    case TM_SIGNATURE:
        missing = def->impl ? NULL : "an impl";
        break;
    case TM_PER_EXAMPLE:
    case TM_VIEW_OR_COPY:
    case TM_RANDOM:
    case TM_DATA_DEPENDENT:
    case TM_COMPOSITE:
        missing = !def->meta ? "a meta" : !def->impl ? "an impl" : NULL;
        break;
    default:
        return tm_error_set(TM_ERR_SCHEMA, "library_register", "contract", "%d is no contract",
                            (int)def->contract);
    }
    if (missing)
        return tm_error_set(TM_ERR_SCHEMA, "library_register", "def",
                            "a %s op needs %s (schema \"%s\")", tm_contract_name(def->contract),
                            missing, def->schema);
    return TM_OK;
}

static tm_status misfit(const tm_op *op, const char *what)
{
    return tm_error_set(TM_ERR_SCHEMA, "library_register", "schema", "a %s op %s: \"%s\"",
                        tm_contract_name(op->def.contract), what, op->text);
}

/* Core dimensions are counted: TM_CORE_ALL or none to all of them. */
static bool has_cores(const tm_op *op)
{
    int slots = op->schema.num_outputs;
    for (int i = 0; i < op->num_operands; i++)
        slots += op->operands[i].read;
    bool fit = true;
    for (int i = 0; i < slots && op->def.core; i++)
        fit = fit && op->def.core[i] >= TM_CORE_ALL && op->def.core[i] <= TM_MAX_NDIM;
    return fit;
}

/* What a contract asks of the schema. */
static tm_status check_op(const tm_op *op)
{
    tm_contract contract = op->def.contract;
    const tm_schema *schema = &op->schema;
    if (contract != TM_DATA_DEPENDENT && contract != TM_COMPOSITE && op->has_host_output)
        return misfit(op, "has no Scalar output");
    if (op->list_output && contract != TM_VIEW && contract != TM_VIEW_OR_COPY &&
        contract != TM_PER_EXAMPLE && contract != TM_COMPOSITE)
        return misfit(op, "returns no list of tensors");
    if ((contract == TM_ELEMENTWISE || contract == TM_SIGNATURE) && op->has_list)
        return misfit(op, "takes no list of tensors");
    if (contract == TM_REDUCTION &&
        (op->num_operands != 1 || op->operands[0].arg != 0 || op->has_list || op->has_written ||
         op->operands[0].optional || schema->num_outputs != 1))
        return misfit(op, "takes one tensor, its first parameter, and returns one");
    if ((contract == TM_VIEW || contract == TM_VIEW_OR_COPY) && op->has_written)
        return misfit(op, "writes no argument");
    if (op->def.rule && contract != TM_PER_EXAMPLE && contract != TM_SIGNATURE)
        return misfit(op, "has no rule");
    if (op->def.rule && op->def.batched)
        return misfit(op, "has a batched kernel or a rule, not both");
    if (op->def.lanes && !tm_op_takes_lanes(op))
        return misfit(op, "has no lanes kernel");
    if (contract != TM_RANDOM && contract != TM_COMPOSITE && op->generator_arg >= 0)
        return misfit(op, "takes no Generator");
    if (!has_cores(op))
        return misfit(op, "has core dimensions by TM_CORE_ALL or a count");
    if (!(op->def.rtol >= 0 && op->def.atol >= 0))
        return misfit(op, "has a tolerance of 0 or more");
    if (contract != TM_SIGNATURE)
        return TM_OK;
    bool fits = !op->has_written && op->num_operands == op->signature.num_inputs &&
                schema->num_outputs == op->signature.num_outputs;
    for (int i = 0; i < op->num_operands; i++)
        fits = fits && !op->operands[i].optional;
    if (fits)
        return TM_OK;
    return tm_error_set(
        TM_ERR_SCHEMA, "library_register", "signature",
        "the signature \"%s\" must have an operand for every tensor of \"%s\", none "
        "of them optional, listed or written",
        op->def.signature, op->text);
}

static tm_op *register_locked(const tm_op_def *def, tm_thunk meta_thunk, tm_thunk impl_thunk,
                              const tm_library *library, const tm_op *places[3])
{
    tm_op *made[3];
    tm_kernel *kernels[TM_NUM_KEYS] = {0};
    int count = make_ops(def, meta_thunk, made);
    if (!count)
        return NULL;
    tm_name_entry *entries[3] = {0};
    tm_status status = check_op(made[0]);
    for (int i = 0; i < count && status == TM_OK; i++) {
        if (tm_names_taken(made[i]))
            status = tm_error_set(TM_ERR_USAGE, "library_register", "schema",
                                  "%s%s%s is registered already", made[i]->schema.name,
                                  made[i]->schema.overload[0] ? "." : "", made[i]->schema.overload);
        else if (!(entries[i] = tm_names_add(made[i]->schema.name)))
            status = tm_error_memory("library_register", 0);
        made[i]->library = library;
        made[i]->check_meta = library || made[i]->list_output;
    }
    if (status == TM_OK && !tm_names_reserve(count))
        status = tm_error_memory("library_register", 0);
    tm_kernel_def kernel = {.struct_size = sizeof kernel,
                            .impl = def->impl,
                            .loops = def->loops,
                            .reduce = def->reduce,
                            .batched = def->batched,
                            .rule = def->rule,
                            .thread_safe = def->thread_safe};
    if (status == TM_OK && def->contract != TM_VIEW) {
        kernels[TM_KEY_PLAIN] = tm_kernel_new(made[0], &kernel, impl_thunk, library);
        status = kernels[TM_KEY_PLAIN] ? TM_OK : tm_error_code();
    }
    if (status == TM_OK && (def->batched || def->rule)) {
        kernel.impl = NULL;
        kernels[TM_KEY_BATCHED] = tm_kernel_new(made[0], &kernel, NULL, library);
        status = kernels[TM_KEY_BATCHED] ? TM_OK : tm_error_code();
    }
    if (status == TM_OK && def->lanes) {
        kernel = (tm_kernel_def){
            .struct_size = sizeof kernel, .lanes = def->lanes, .thread_safe = def->thread_safe};
        kernels[TM_KEY_LANES] = tm_kernel_new(made[0], &kernel, NULL, library);
        status = kernels[TM_KEY_LANES] ? TM_OK : tm_error_code();
    }
    if (status == TM_OK)
        status = tm_names_add_aliases(made[0]);
    if (status != TM_OK) {
        undo(made, count, kernels);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        tm_names_enter(made[i], entries[i]);
        places[made[i]->form] = made[i];
    }
    for (int key = 0; key < TM_NUM_KEYS; key++)
        if (kernels[key])
            tm_registry_push_kernel(made[0], (tm_key)key, kernels[key]);
    return made[0];
}

tm_op *tm_registry_register(const tm_op_def *def, tm_thunk meta_thunk, tm_thunk impl_thunk,
                            const tm_library *library, const tm_op *places[3])
{
    if (!tm_registry_ready() || check_def(def) != TM_OK)
        return NULL;
    tm_op *op = NULL;
    tm_names_lock();
    if (!library || tm_library_open_still(library, "library_register") == TM_OK)
        op = register_locked(def, meta_thunk, impl_thunk, library, places);
    tm_names_unlock();
    return op;
}

void tm_registry_push_kernel(tm_op *op, tm_key key, tm_kernel *kernel)
{
    atomic_store_explicit(&kernel->below,
                          atomic_load_explicit(&op->kernels[key], memory_order_relaxed),
                          memory_order_relaxed);
    kernel->op = op;
    kernel->key = key;
    tm_names_keep_kernel(kernel);
    atomic_store_explicit(&op->kernels[key], kernel, memory_order_release);
}

bool tm_registry_ready(void)
{
    static _Atomic bool ready;
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return true;
    if (!tm_thread_get())
        return false;
    tm_names_lock();
    bool ok = atomic_load_explicit(&ready, memory_order_relaxed);
    if (!ok) {
        ok = true;
        for (int i = 0; i < tm_num_builtins && ok; i++) {
            const tm_builtin *builtin = &tm_builtins[i];
            if (tm_builtin_ops[3 * i]) /* a first try may have run out of memory half way */
                continue;
            const tm_op *places[3] = {0};
            ok = register_locked(&builtin->def, builtin->meta_thunk, builtin->impl_thunk, NULL,
                                 places) != NULL;
            for (int form = 2; form >= 0; form--)
                atomic_store_explicit(&tm_builtin_ops[3 * i + form], places[form],
                                      memory_order_release);
        }
        atomic_store_explicit(&ready, ok, memory_order_release);
    }
    tm_names_unlock();
    return ok;
}
