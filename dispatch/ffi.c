/* ffi.c: kernels registered at run time, called through libffi.
 *
 * A schema's C type is prepared once; a call fills an array of pointers, one per parameter, into
 * the call's own argument values: every member of tm_value starts at its address.
 */
#include "ffi.h"

#include <ffi.h>

#include "call.h"
#include "memory.h"

struct tm_ffi {
    ffi_cif cif;
    tm_ffi_outputs outputs;
    ffi_type *types[1 + TM_MAX_ARGS + TM_MAX_OUTPUTS];
};

/* With sizes, which libffi else writes at the first use: two threads may register at once. */
static ffi_type *list_elements[] = {&ffi_type_pointer, &ffi_type_sint64, NULL};
static ffi_type list_type = {.size = sizeof(tm_int_list),
                             .alignment = _Alignof(tm_int_list),
                             .type = FFI_TYPE_STRUCT,
                             .elements = list_elements};
static ffi_type *scalar_elements[] = {&ffi_type_uint32, &ffi_type_double, &ffi_type_double, NULL};
static ffi_type scalar_type = {.size = sizeof(tm_scalar),
                               .alignment = _Alignof(tm_scalar),
                               .type = FFI_TYPE_STRUCT,
                               .elements = scalar_elements};

_Static_assert(sizeof(tm_dtype) == sizeof(uint32_t), "a dtype is passed as uint32");
_Static_assert(sizeof(tm_scalar) == 24, "a scalar is passed as {uint32, double, double}");
_Static_assert(sizeof(tm_status) == sizeof(int), "a status is returned as int");

static ffi_type *type_of(const tm_param *param)
{
    if (param->optional && param->type != TM_TYPE_DTYPE)
        return &ffi_type_pointer;
    switch (param->type) {
    case TM_TYPE_INT:
        return &ffi_type_sint64;
    case TM_TYPE_FLOAT:
        return &ffi_type_double;
    case TM_TYPE_BOOL:
        return &ffi_type_uint8;
    case TM_TYPE_DTYPE:
        return &ffi_type_uint32;
    case TM_TYPE_SCALAR:
        return &scalar_type;
    case TM_TYPE_INT_LIST:
    case TM_TYPE_TENSOR_LIST:
        return &list_type; /* a tm_out_list is one too */
    default:
        return &ffi_type_pointer;
    }
}

tm_ffi *tm_ffi_prepare(const tm_schema *schema, tm_ffi_outputs outputs)
{
    tm_ffi *ffi = tm_alloc(sizeof *ffi);
    if (!ffi) {
        tm_error_memory(schema->name, (int64_t)sizeof *ffi);
        return NULL;
    }
    unsigned n = 0;
    ffi->outputs = outputs;
    ffi->types[n++] = &ffi_type_pointer;
    for (int i = 0; i < schema->num_params; i++)
        ffi->types[n++] = type_of(&schema->params[i]);
    for (int i = 0; i < schema->num_outputs && outputs != TM_FFI_NO_OUTPUTS; i++) {
        if (schema->outputs[i].type == TM_TYPE_TENSOR_LIST)
            ffi->types[n++] = &list_type;
        else if (schema->outputs[i].type == TM_TYPE_TENSOR && !schema->outputs[i].written)
            ffi->types[n++] = &ffi_type_pointer;
    }
    if (ffi_prep_cif(&ffi->cif, FFI_DEFAULT_ABI, n, &ffi_type_sint, ffi->types) != FFI_OK) {
        tm_ffi_free(ffi);
        tm_error_set(TM_ERR_SCHEMA, schema->name, NULL,
                     "libffi cannot call functions of the schema's type");
        return NULL;
    }
    return ffi;
}

void tm_ffi_free(tm_ffi *ffi)
{
    tm_free(ffi, sizeof *ffi);
}

tm_status tm_ffi_thunk(tm_call *call, const tm_kernel *kernel)
{
    const tm_ffi *ffi = kernel->ffi;
    /* The prepared schema is the base op's: a derived form's further arguments are outputs. */
    const tm_schema *schema = call->op->base ? &call->op->base->schema : &call->op->schema;
    void *values[1 + TM_MAX_ARGS + TM_MAX_OUTPUTS];
    tm_tensor **places[TM_MAX_OUTPUTS];
    tm_out_list list;
    unsigned n = 0;
    values[n++] = &call;
    for (int i = 0; i < schema->num_params; i++)
        values[n++] = (void *)(uintptr_t)&call->args[i];
    for (int i = 0; i < schema->num_outputs && ffi->outputs != TM_FFI_NO_OUTPUTS; i++) {
        if (schema->outputs[i].type == TM_TYPE_TENSOR_LIST) {
            list = (tm_out_list){call->outs, call->num_outputs};
            values[n++] = &list;
            continue;
        }
        if (schema->outputs[i].type != TM_TYPE_TENSOR || schema->outputs[i].written)
            continue;
        places[i] = &call->outs[i];
        values[n++] = ffi->outputs == TM_FFI_HANDLES ? (void *)&call->outs[i] : (void *)&places[i];
    }
    union {
        ffi_arg wide; /* libffi widens a small return value to this */
        int status;
    } result = {0};
    ffi_call((ffi_cif *)(uintptr_t)&ffi->cif, kernel->fn, &result, values);
    return (tm_status)(int)result.wide;
}
