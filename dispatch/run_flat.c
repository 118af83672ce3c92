/* run_flat.c: the common elementwise call, as one run.
 *
 * Where every operand is contiguous, of the output's shape (or one unmapped element), of the
 * loop's dtype, and mapped at the same levels with its examples one behind the other, the batch
 * and the logical dimensions are a single loop. Nothing is planned; anything else is left to
 * run_elementwise.c, which gives the same result.
 */
#include "cast.h"
#include "plan.h"
#include "seat.h"

enum { FLAT_OPERANDS = 6, FLAT_ELEMENTS = 1 << 16 };

typedef struct flat {
    int operands, num_levels; /* num_levels -1: no full operand seen yet */
    char *ptr[FLAT_OPERANDS];
    int64_t step[FLAT_OPERANDS];
    int64_t numel; /* of one example */
    tm_batch_entry entries[TM_MAX_LEVELS];
    union {
        int64_t align;
        char bytes[16];
    } scalar[FLAT_OPERANDS];
} flat;

static bool same_shape(const tm_tensor *x, const tm_call *call)
{
    const tm_spec *spec = &call->specs[0];
    if (x->row_major && call->same_shapes)
        return true;
    if (x->ndim != spec->ndim)
        return false;
    int64_t step = 1;
    for (int d = x->ndim; d-- > 0;) {
        if (x->shape[d] != spec->shape[d] || (x->strides[d] != step && x->shape[d] != 1))
            return false;
        step *= x->shape[d];
    }
    return true;
}

/* Whether x's levels are those seen so far, one example right behind the other. A handle has
 * entries of its own or its storage's, seldom both. */
static bool same_levels(flat *f, const tm_tensor *x, int64_t item)
{
    tm_batch_entry merged[TM_MAX_LEVELS];
    const tm_batch_entry *entries = x->entries;
    int n = x->num_entries;
    int64_t unit = item; /* bytes in one step of an entry's stride */
    if (x->plain) {
        n = 0;
    } else if (x->storage->num_entries) {
        unit = 1;
        entries = n ? merged : x->storage->entries;
        n = n ? tm_handle_entries(x, merged) : x->storage->num_entries;
    }
    bool first = f->num_levels < 0;
    if (first)
        f->num_levels = n;
    if (n != f->num_levels)
        return false;
    int64_t run = f->numel * item;
    for (int l = n; l-- > 0;) {
        if (first)
            f->entries[l] = entries[l];
        if (entries[l].stride * unit != run || entries[l].level != f->entries[l].level)
            return false;
        run *= entries[l].size;
    }
    return true;
}

static bool add_tensor(flat *f, const tm_call *call, const tm_tensor *x)
{
    int k = f->operands;
    if (k == FLAT_OPERANDS - 1 || x->dtype != call->compute[k])
        return false;
    int64_t item = tm_item_size(x->dtype);
    f->ptr[k] = tm_handle_data(x);
    f->step[k] = item;
    f->operands++;
    if (same_shape(x, call) && same_levels(f, x, item))
        return true;
    f->step[k] = 0;
    return !tm_handle_mapped(x) && tm_handle_numel(x) == 1;
}

static bool add_operands(flat *f, const tm_call *call)
{
    const tm_op *op = call->op;
    for (int i = 0, o = 0; i < op->schema.num_params; i++) {
        const tm_param *param = &op->schema.params[i];
        if (param->type == TM_TYPE_TENSOR) {
            const tm_tensor *x = tm_call_tensor(call, &op->operands[o++]);
            if (x && !add_tensor(f, call, x))
                return false;
        } else if (param->type == TM_TYPE_SCALAR && f->operands < call->num_compute - 1) {
            const tm_scalar *scalar = tm_call_scalar(call, i, param);
            int k = f->operands;
            if (!scalar)
                continue;
            if (k == FLAT_OPERANDS - 1 ||
                !tm_scalar_store(*scalar, (tm_dtype)call->compute[k], f->scalar[k].bytes))
                return false;
            f->ptr[k] = f->scalar[k].bytes;
            f->step[k] = 0;
            f->operands++;
        }
    }
    return f->num_levels >= 0 && f->operands == call->num_compute - 1;
}

bool tm_run_flat(tm_call *call, const tm_kernel *kernel, tm_status *status)
{
    const tm_op *op = call->op;
    const tm_spec *spec = &call->specs[0];
    if (op->schema.num_outputs != 1 || op->has_written || op->def.can_fail || kernel->library ||
        kernel->below)
        return false;
    flat f;
    f.operands = 0;
    f.num_levels = -1;
    f.numel = 1;
    for (int d = 0; d < spec->ndim; d++)
        f.numel *= spec->shape[d];
    if (!add_operands(&f, call))
        return false;
    int64_t count = f.numel, item = tm_item_size((uint8_t)spec->dtype);
    for (int l = 0; l < f.num_levels; l++)
        count *= f.entries[l].size; /* fits: it is an operand's number of elements */
    const tm_seat *seat = tm_seat_next(call->thread, count * item, f.num_levels);
    if (count > FLAT_ELEMENTS || (seat && seat->cold))
        return false; /* for several threads, and writing past the caches */
    tm_tensor *out = tm_handle_new_storage(call->thread, spec->dtype, spec->ndim, spec->shape,
                                           count * item, f.num_levels);
    if (!out) {
        *status = tm_call_no_memory(call, count * item);
        return true;
    }
    int64_t step = f.numel * item;
    for (int l = f.num_levels; l-- > 0; step *= f.entries[l].size)
        out->storage->entries[l] = (tm_batch_entry){f.entries[l].level, f.entries[l].size, step};
    out->storage->num_entries = (uint8_t)f.num_levels;
    f.ptr[f.operands] = out->storage->data;
    f.step[f.operands] = item;
    call->results[0].tensor = out;
    call->thread->stats.calls++;
    call->thread->stats.plain_runs++;
    *status = count ? call->loop(call, f.ptr, f.step, count) : TM_OK;
    if (*status != TM_OK) { /* only a loop that broke its word comes here */
        tm_call_take_error(call, *status);
        tm_outputs_drop(call);
    }
    return true;
}
