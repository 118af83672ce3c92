/* kernel_output.c: what metas say of outputs and what kernels find in their call. */
#include <string.h>

#include "call.h"
#include "memory.h"

/* How many outputs there are; tm_infer_list has its own count, so that describing one of a list
 * comes to describe_inferred. -1: not said yet. */
static int64_t count_of(const tm_call *call)
{
    return call->num_outputs == TM_INFERRED ? call->list_count : call->num_outputs;
}

static tm_status bad_output(tm_call *call, int i)
{
    int64_t count = count_of(call);
    if (count < 0)
        return tm_fail(call, TM_ERR_SCHEMA, "meta describes output %d, but not how many there are",
                       i);
    return tm_fail(call, TM_ERR_SCHEMA, "meta describes output %d, there are %lld", i,
                   (long long)count);
}

static bool output_index(const tm_call *call, int i)
{
    return i >= 0 && i < call->num_outputs;
}

/* Sizes that depend on data: the op's contract must allow them. */
static bool may_be_open(const tm_call *call, int64_t ndim, const int64_t *shape)
{
    tm_contract contract = call->op->def.contract;
    for (int64_t d = 0; d < ndim; d++)
        if (shape[d] < 0 &&
            (shape[d] != TM_DYNAMIC || (contract != TM_DATA_DEPENDENT && contract != TM_COMPOSITE)))
            return false;
    return true;
}

/* -- How many ---------------------------------------------------------------------------------- */

enum { MOST_OUTPUTS = 1 << 30 };

/* Room for what is said and made of many outputs, until the call is done. */
static tm_status make_list_room(tm_call *call, size_t count)
{
    size_t size = count * (sizeof(tm_spec) + sizeof(tm_output_place) + sizeof(tm_value) +
                           2 * sizeof(tm_tensor *));
    char *room = tm_alloc(size);
    if (!room)
        return tm_call_no_memory(call, (int64_t)size);
    call->list_size = size;
    call->specs = (tm_spec *)(void *)room;
    call->places = (tm_output_place *)(void *)(call->specs + count);
    call->results = (tm_value *)(void *)(call->places + count);
    call->list_outs = (tm_tensor **)(void *)(call->results + count);
    return TM_OK;
}

tm_status tm_output_count(tm_call *call, int64_t count)
{
    if (__builtin_expect(!call, 0))
        return tm_kernel_null(call, "output_count", "call");
    if (!call->in_meta)
        return tm_kernel_not_meta(call, "tm_output_count");
    if (!call->op->list_output)
        return tm_fail(call, TM_ERR_SCHEMA,
                       "meta says how many outputs there are, but the schema "
                       "has no list of them");
    if (count < 0 || count_of(call) >= 0)
        return tm_fail(call, TM_ERR_SCHEMA, "meta says %s that there are %lld outputs",
                       count < 0 ? "wrongly" : "a second time", (long long)count);
    if (count > MOST_OUTPUTS)
        return tm_fail(call, TM_ERR_VALUE,
                       "the result would be a list of %lld tensors, the most there can be are %d",
                       (long long)count, MOST_OUTPUTS);
    int64_t here = count;
    if (call->num_outputs == TM_INFERRED) {
        call->list_count = count;
        here = call->list_room < count ? call->list_room : count;
    } else {
        call->results = call->few_results;
        tm_status status = count > TM_MAX_OUTPUTS ? make_list_room(call, (size_t)count) : TM_OK;
        if (status != TM_OK)
            return status;
        call->num_outputs = (int)count;
        for (int64_t i = 0; i < count; i++) {
            call->places[i].of = NULL;
            call->results[i].tensor = NULL;
        }
    }
    for (int64_t i = 0; i < here; i++)
        call->specs[i].dtype = TM_DTYPE_NONE;
    return TM_OK;
}

/* -- What each is ------------------------------------------------------------------------------ */

/* The refusals are out of line: every call describes an output, and few describe a wrong one. */

/* What is wrong with a description; TM_OK where it is only a size left open. */
TM_OUT_OF_LINE static tm_status refuse_output(tm_call *call, int i, tm_dtype dtype, int64_t ndim,
                                              const int64_t *shape)
{
    if (ndim < 0 || ndim > TM_MAX_NDIM)
        return tm_fail(call, TM_ERR_RANK, "the result must have at most %d dimensions, got %lld",
                       TM_MAX_NDIM, (long long)ndim);
    if (tm_dtype_size(dtype) == 0)
        return tm_fail(call, TM_ERR_DTYPE, "%d is no dtype", (int)dtype);
    if (!may_be_open(call, ndim, shape))
        return tm_fail(call, TM_ERR_SCHEMA, "meta describes a result of shape %s",
                       tm_sizes_text(call, ndim, shape));
    int64_t bytes = (int64_t)tm_dtype_size(dtype);
    bool fits = true;
    for (int64_t d = 0; d < ndim; d++)
        fits = fits && (shape[d] <= 1 || tm_mul_size(bytes, shape[d], &bytes));
    if (!fits || bytes > PTRDIFF_MAX / 2)
        return tm_fail(call, TM_ERR_SHAPE,
                       "the result's bytes do not fit in memory's address range: shape %s",
                       tm_sizes_text(call, ndim, shape));
    call->set_outputs |= tm_output_bit(i);
    return TM_OK;
}

/* Sets the spec of output i, and the strides of a view where `place` is not NULL. */
static inline __attribute__((always_inline)) tm_status
set_output(tm_call *call, int i, tm_spec *spec, tm_dtype dtype, int64_t ndim, const int64_t *shape,
           const int64_t *strides, tm_output_place *place)
{
    if (__builtin_expect((uint64_t)ndim > TM_MAX_NDIM || (unsigned)dtype - 1 >= TM_NUM_DTYPES - 1,
                         0))
        return refuse_output(call, i, dtype, ndim, shape);
    int64_t bytes = tm_item_size((uint8_t)dtype);
    bool odd = false;
    spec->dtype = dtype;
    spec->ndim = (int)ndim;
    for (int64_t d = 0; d < ndim; d++) {
        int64_t size = shape[d];
        spec->shape[d] = size;
        if (place)
            place->strides[d] = strides[d];
        /* A size of 0 must not hide an overflow: a view could bring the rest back. */
        if (__builtin_expect(size < 0 || __builtin_mul_overflow(bytes, size ? size : 1, &bytes), 0))
            odd = true;
    }
    if (__builtin_expect(odd || bytes > PTRDIFF_MAX / 2, 0))
        return refuse_output(call, i, dtype, ndim, shape);
    call->set_outputs |= tm_output_bit(i);
    return TM_OK;
}

/* Where the call cannot be told of output i; or it is tm_infer_list's, which has room for some. */
TM_OUT_OF_LINE static tm_status describe_inferred(tm_call *call, int i, const char *function,
                                                  const char *lacking, tm_dtype dtype, int64_t ndim,
                                                  const int64_t *shape)
{
    if (!call || lacking)
        return tm_kernel_null(call, function, lacking);
    if (!call->in_meta)
        return tm_kernel_not_meta(call, function);
    if (call->num_outputs != TM_INFERRED || i < 0 || i >= call->list_count)
        return bad_output(call, i);
    tm_spec beyond;
    tm_spec *spec = i < call->list_room ? &call->specs[i] : &beyond;
    return set_output(call, i, spec, dtype, ndim, shape, NULL, NULL);
}

tm_status tm_output(tm_call *call, int i, tm_dtype dtype, int64_t ndim, const int64_t *shape)
{
    bool lacks = ndim > 0 && !shape;
    if (__builtin_expect(!call || lacks || !call->in_meta || !output_index(call, i), 0))
        return describe_inferred(call, i, "tm_output", lacks ? "shape" : NULL, dtype, ndim, shape);
    return set_output(call, i, &call->specs[i], dtype, ndim, shape, NULL, NULL);
}

tm_status tm_output_like(tm_call *call, int i, const tm_tensor *x)
{
    if (__builtin_expect(!call || !tm_kernel_tensor(x), 0))
        return tm_kernel_null(call, "output_like", "tensor");
    return tm_output(call, i, (tm_dtype)x->dtype, x->ndim, x->shape);
}

tm_status tm_output_view(tm_call *call, int i, const tm_tensor *x, int ndim, const int64_t *shape,
                         const int64_t *strides, int64_t offset)
{
    bool lacks = !tm_kernel_tensor(x) || (ndim > 0 && (!shape || !strides));
    if (__builtin_expect(!call || lacks || !call->in_meta || !output_index(call, i), 0))
        return describe_inferred(call, i, "tm_output_view",
                                 lacks ? "tensor, shape or strides" : NULL,
                                 lacks ? TM_DTYPE_NONE : (tm_dtype)x->dtype, ndim, shape);
    tm_output_place *place = &call->places[i];
    place->of = x;
    place->offset = offset;
    call->view_outputs |= tm_output_bit(i);
    return set_output(call, i, &call->specs[i], (tm_dtype)x->dtype, ndim, shape, strides, place);
}

const tm_spec *tm_output_spec(const tm_call *call, int i)
{
    if (!call || i < 0 || i >= count_of(call) ||
        (call->num_outputs == TM_INFERRED && i >= call->list_room))
        return NULL;
    return &call->specs[i];
}

void *tm_params(tm_call *call, size_t size)
{
    if (__builtin_expect(!call, 0))
        return tm_kernel_null(call, "params", "call"), NULL;
    if (size > TM_PARAMS_SIZE) {
        tm_fail(call, TM_ERR_SCHEMA, "meta asks for %zu bytes of parameters, there are %d", size,
                TM_PARAMS_SIZE);
        return NULL;
    }
    if (!call->params_set) {
        if (!call->in_meta)
            return tm_kernel_not_meta(call, "tm_params, for the first time,"), NULL;
        memset(call->params, 0, TM_PARAMS_SIZE);
        call->params_set = true;
    }
    return call->params;
}

void tm_need_workspace(tm_call *call, size_t size)
{
    if (!call || !call->in_meta)
        return;
    if (size > TM_MOST_WORKSPACE) /* room for what is added to it; no allocator has as much */
        size = TM_MOST_WORKSPACE;
    if (size > call->workspace_size)
        call->workspace_size = size;
}

void *tm_workspace(tm_call *call)
{
    static _Alignas(
        64) char nothing[64]; /* where no bytes were asked for: an address all the same */
    if (__builtin_expect(!call, 0))
        return NULL;
    return call->workspace ? call->workspace : nothing;
}

tm_status tm_core_axes(tm_call *call, int operand, int num_axes, const int64_t *axes)
{
    if (__builtin_expect(!call || (num_axes > 0 && !axes), 0))
        return tm_kernel_null(call, "core_axes", "axes");
    if (__builtin_expect(!call->in_meta, 0))
        return tm_kernel_not_meta(call, "tm_core_axes");
    if (operand < 0 || operand >= TM_CORE_OPERANDS || num_axes < 0 || num_axes > TM_MAX_NDIM)
        return tm_fail(call, TM_ERR_SCHEMA, "meta names %d core axes of operand %d", num_axes,
                       operand);
    uint32_t seen = 0;
    for (int i = 0; i < num_axes; i++) {
        if (axes[i] < 0 || axes[i] >= TM_MAX_NDIM || seen >> axes[i] & 1)
            return tm_fail(
                call, TM_ERR_SCHEMA, "meta names axis %lld %s the core axes of operand %d",
                (long long)axes[i], axes[i] < 0 || axes[i] >= TM_MAX_NDIM ? "among" : "twice among",
                operand);
        seen |= 1u << axes[i];
    }
    call->core_set |= 1u << operand;
    call->core_count[operand] = (uint8_t)num_axes;
    for (int i = 0; i < num_axes; i++)
        call->core[operand][i] = (uint8_t)axes[i];
    return TM_OK;
}

/* The fewest dimensions that a tensor of the slot has: an input's, of a list each, or an output's.
 */
static int rank_of_slot(const tm_call *call, int slot)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        if (!operand->read || slot-- > 0)
            continue;
        int least = TM_MAX_NDIM;
        if (operand->type == TM_TYPE_TENSOR) {
            const tm_tensor *x = tm_call_tensor(call, operand);
            return x ? x->ndim : least;
        }
        tm_tensor_list list = call->args[operand->arg].tensors;
        for (int64_t k = 0; k < list.count; k++)
            least = list.data[k]->ndim < least ? list.data[k]->ndim : least;
        return least;
    }
    int least = TM_MAX_NDIM, from = op->list_output ? 0 : slot;
    int end = op->list_output ? call->num_outputs : slot + 1;
    for (int i = from; i < end && i < call->num_outputs; i++)
        least = call->specs[i].ndim < least ? call->specs[i].ndim : least;
    return least;
}

tm_status tm_core_check(tm_call *call)
{
    for (int slot = 0; slot < TM_CORE_OPERANDS; slot++) {
        if (!(call->core_set >> slot & 1))
            continue;
        int ndim = rank_of_slot(call, slot);
        for (int i = 0; i < call->core_count[slot]; i++)
            if (call->core[slot][i] >= ndim)
                return tm_fail(call, TM_ERR_SCHEMA,
                               "meta names axis %d among the core axes of operand %d, which has %d "
                               "dimensions",
                               call->core[slot][i], slot, ndim);
    }
    return TM_OK;
}

tm_status tm_output_alloc(tm_call *call, int i, int ndim, const int64_t *shape)
{
    if (__builtin_expect(!call || (ndim > 0 && !shape), 0))
        return tm_kernel_null(call, "output_alloc", "shape");
    if (!output_index(call, i))
        return bad_output(call, i);
    if (!call->outs || call->op->def.contract != TM_DATA_DEPENDENT)
        return tm_fail(call, TM_ERR_SCHEMA,
                       "only a data-dependent kernel states an output's shape");
    if (ndim < 0 || ndim > TM_MAX_NDIM)
        return tm_fail(call, TM_ERR_SCHEMA, "output %d cannot have %d dimensions", i, ndim);
    const tm_spec *spec = &call->specs[i];
    bool same = ndim == spec->ndim;
    for (int d = 0; same && d < ndim; d++)
        same = shape[d] >= 0 && (spec->shape[d] == TM_DYNAMIC || spec->shape[d] == shape[d]);
    if (!same)
        return tm_fail(call, TM_ERR_SCHEMA, "output %d must have shape %s as meta said, got %s", i,
                       tm_sizes_text(call, spec->ndim, spec->shape),
                       tm_sizes_text(call, ndim, shape));
    int64_t numel;
    tm_tensor *x = NULL;
    if (tm_shape_numel(spec->dtype, ndim, shape, &numel)) {
        int64_t bytes = numel * (int64_t)tm_dtype_size(spec->dtype);
        x = tm_handle_new_storage(call->thread, spec->dtype, ndim, shape, bytes, 0);
    }
    if (!x)
        return tm_call_no_memory(call, INT64_MAX);
    tm_release(call->results[i].tensor);
    call->results[i].tensor = x;
    tm_tensor *out = call->outs[i]; /* the kernel's handle now stands for it */
    out->dtype = x->dtype;
    out->ndim = x->ndim;
    out->storage = x->storage;
    out->data = tm_handle_data(x);
    out->shape = x->shape;
    out->strides = x->strides;
    return TM_OK;
}

tm_status tm_output_scalar(tm_call *call, int i, tm_scalar value)
{
    if (__builtin_expect(!call, 0))
        return tm_kernel_null(call, "output_scalar", "call");
    if (!output_index(call, i) || call->op->schema.outputs[i].type != TM_TYPE_SCALAR)
        return bad_output(call, i);
    if (value.kind <= TM_KIND_NONE || value.kind > TM_KIND_COMPLEX)
        return tm_fail(call, TM_ERR_SCHEMA, "the host value of output %d is no number", i);
    call->results[i].scalar = value;
    return TM_OK;
}

const tm_op *tm_call_op(const tm_call *call)
{
    return call ? call->op : NULL;
}

int tm_call_num_args(const tm_call *call)
{
    return call ? call->op->schema.num_params : 0;
}

const tm_value *tm_call_arg(const tm_call *call, int i)
{
    return call && i >= 0 && i < call->op->schema.num_params ? &call->args[i] : NULL;
}

int tm_call_num_outputs(const tm_call *call)
{
    return call && call->num_outputs > 0 ? call->num_outputs : 0;
}

tm_tensor *tm_call_output(const tm_call *call, int i)
{
    if (!call || !output_index(call, i))
        return NULL;
    if (call->outs)
        return call->outs[i];
    return (tm_tensor *)(uintptr_t)call->results[i].tensor;
}
