/* calls_record.c: a call, what it was given and what it did.
 *
 * At entry every block of memory that a tensor of the call lies in is copied. Afterwards a block
 * must be as it was but for what the call's written tensors cover; where a write has given every
 * example a copy of its own, each copy must be.
 */
#include <string.h>

#include "fuzz/calls.h"

/* -- At entry ---------------------------------------------------------------------------------- */

static int add_block(fuzz_record *r, const tm_tensor *x)
{
    const tm_storage *root = x->storage->root;
    for (int i = 0; i < r->num_blocks; i++)
        if (r->block[i].root == root)
            return i;
    fuzz_block *b = &r->block[r->num_blocks];
    *b = (fuzz_block){root, root->data, root->bytes, fuzz_pool((size_t)root->bytes + 1)};
    if (!b->bytes)
        return -1;
    if (b->size > 0)
        memcpy(b->bytes, b->data, (size_t)b->size);
    return r->num_blocks++;
}

static void join(fuzz_record *r, uint64_t id)
{
    for (int i = 0; i < r->num_open; i++)
        r->open[i].joins = r->open[i].joins || r->open[i].id == id;
}

static bool add_operand(fuzz_record *r, const tm_tensor *x, int param, int element)
{
    if (r->num_operands == FUZZ_OPERANDS)
        return false;
    fuzz_operand *o = &r->operand[r->num_operands++];
    int block = add_block(r, x);
    if (block < 0)
        return false;
    *o = (fuzz_operand){.handle = x,
                        .param = param,
                        .element = element,
                        .written = tm_op_param(r->op, param)->written,
                        .read_only = x->storage->read_only,
                        .block = block,
                        .offset = (int64_t)(tm_handle_data(x) - r->block[block].data),
                        .dtype = tm_dtype_of(x),
                        .ndim = tm_ndim(x)};
    size_t size = (size_t)o->ndim * sizeof(int64_t);
    o->shape = fuzz_pool(size + 1);
    o->strides = fuzz_pool(size + 1);
    if (!o->shape || !o->strides)
        return false;
    memcpy(o->shape, tm_shape(x), size);
    memcpy(o->strides, tm_strides(x), size);
    o->num_entries = tm_handle_entries(x, o->entries);
    for (int i = 0; i < o->num_entries; i++)
        join(r, o->entries[i].level);
    return true;
}

static bool add_operands(fuzz_record *r)
{
    for (int i = 0; i < tm_op_num_params(r->op); i++) {
        const tm_param *param = tm_op_param(r->op, i);
        const tm_value *arg = &r->args[i];
        r->writes = r->writes || param->written;
        if (param->type == TM_TYPE_TENSOR && arg->tensor != TM_NONE &&
            !add_operand(r, arg->tensor, i, 0))
            return false;
        for (int64_t k = 0; param->type == TM_TYPE_TENSOR_LIST && k < arg->tensors.count; k++)
            if (!add_operand(r, arg->tensors.data[k], i, (int)k))
                return false;
    }
    return true;
}

/* Why the law refuses the call, if it is one that examples would take. */
static bool must_refuse(const fuzz_record *r)
{
    tm_thread *thread = tm_thread_get();
    for (int i = 0; i < r->num_open; i++) {
        const fuzz_open *open = &r->open[i];
        if (tm_op_contract(r->op) == TM_RANDOM && open->randomness == TM_RANDOMNESS_ERROR)
            return true;
        if (open->joins && tm_op_contract(r->op) == TM_DATA_DEPENDENT)
            return true;
        for (int k = 0; open->joins && k < r->num_operands; k++) {
            const fuzz_operand *o = &r->operand[k];
            bool mapped = false;
            for (int e = 0; e < o->num_entries; e++)
                mapped = mapped || o->entries[e].level == open->id;
            const tm_storage *storage = o->handle->storage;
            if (o->written && !mapped &&
                (storage->external || !tm_storage_inside(storage, thread, open->id)))
                return true;
        }
    }
    return false;
}

static fuzz_record *begin(fuzz_machine *m, const tm_op *op, const tm_value *args)
{
    fuzz_record *r = fuzz_pool(sizeof *r);
    if (!r)
        return NULL;
    r->op = op;
    memcpy(r->args, args, (size_t)tm_op_num_params(op) * sizeof *args);
    r->random = tm_op_contract(op) == TM_RANDOM || tm_law_takes_generator(op);
    r->seed = m->seed;
    r->draws = tm_rng_count();
    tm_thread *thread = tm_thread_get();
    for (int i = 0; i < thread->num_levels; i++) {
        const tm_open_level *level = &thread->levels[i];
        bool different = level->random_mode == TM_RANDOMNESS_DIFFERENT;
        r->open[r->num_open++] =
            (fuzz_open){level->id, level->size, level->first, (tm_randomness)level->random_mode,
                        r->random && different};
        r->no_size = r->no_size || (r->random && different && level->size < 0);
    }
    if (!add_operands(r))
        return NULL;
    r->count = 1;
    for (int i = 0; i < r->num_open; i++)
        r->count *= r->open[i].joins && r->open[i].size >= 0 ? r->open[i].size : 1;
    r->must_refuse = must_refuse(r);
    return r;
}

void fuzz_index(const fuzz_record *r, int64_t flat, int64_t index[TM_OPEN_LEVELS])
{
    for (int i = r->num_open; i-- > 0;) {
        index[i] = 0;
        if (!r->open[i].joins || r->open[i].size <= 0)
            continue;
        index[i] = flat % r->open[i].size;
        flat /= r->open[i].size;
    }
}

int64_t fuzz_distance(const fuzz_record *r, const tm_batch_entry *entries, int n,
                      const int64_t *index)
{
    int64_t at = 0;
    for (int e = 0; e < n; e++)
        for (int i = 0; i < r->num_open; i++)
            if (r->open[i].id == entries[e].level)
                at += index[i] * entries[e].stride;
    return at;
}

/* -- Memory afterwards ------------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + TM_ALIGNMENT - 1) / TM_ALIGNMENT * TM_ALIGNMENT;
}

/* Marks the bytes of one example that a written tensor covers, within one copy of the block. */
static void mark(const fuzz_operand *o, int64_t at, int64_t period, int64_t size, char *covered)
{
    int64_t index[TM_MAX_NDIM] = {0}, item = (int64_t)tm_dtype_size(o->dtype);
    for (int d = 0; d < o->ndim; d++)
        if (o->shape[d] == 0)
            return;
    for (;;) {
        for (int64_t k = at % period; k < at % period + item && k < size; k++)
            covered[k] = 1;
        int d = o->ndim;
        while (d-- > 0) {
            at += o->strides[d] * item;
            if (++index[d] < o->shape[d])
                break;
            at -= o->strides[d] * item * o->shape[d];
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

static void check_block(const fuzz_record *r, int block)
{
    const fuzz_block *b = &r->block[block];
    const tm_storage *root = b->root;
    bool moved = root->data != b->data || root->bytes != b->size;
    int64_t period = moved ? round_up(b->size) : b->size;
    char *covered = fuzz_pool((size_t)b->size + 1);
    if (!covered || b->size == 0)
        return;
    for (int i = 0; i < r->num_operands && r->status == TM_OK; i++) {
        const fuzz_operand *o = &r->operand[i];
        if (!o->written || o->handle->storage->root != root)
            continue;
        tm_batch_entry entries[TM_MAX_LEVELS];
        int n = tm_handle_entries(o->handle, entries);
        for (int64_t flat = 0; flat < r->count; flat++) {
            int64_t index[TM_OPEN_LEVELS];
            fuzz_index(r, flat, index);
            mark(o,
                 (int64_t)(tm_handle_data(o->handle) - root->data) +
                     fuzz_distance(r, entries, n, index),
                 period, b->size, covered);
        }
    }
    for (int64_t copy = 0; copy * period < root->bytes; copy++)
        for (int64_t k = 0; k < b->size; k++)
            if (!covered[k] && root->data[copy * period + k] != b->bytes[k]) {
                fuzz_describe(r);
                FUZZ_REQUIRE(false, "byte %lld of block %d has changed (copy %lld)", (long long)k,
                             block, (long long)copy);
            }
}

/* -- Results ----------------------------------------------------------------------------------- */

static bool in_block(const fuzz_record *r, const tm_tensor *x, int *block)
{
    const char *data = tm_handle_data(x);
    for (int i = 0; i < r->num_blocks; i++)
        if (r->block[i].size > 0 && data >= r->block[i].data &&
            data < r->block[i].data + r->block[i].size && x->storage->root == r->block[i].root) {
            *block = i;
            return true;
        }
    *block = -1;
    return false;
}

static bool take_result(fuzz_record *r, const tm_tensor *x, fuzz_result *result)
{
    size_t item = tm_dtype_size(tm_dtype_of(x)), size = (size_t)tm_ndim(x) * sizeof(int64_t);
    result->dtype = tm_dtype_of(x);
    result->ndim = tm_ndim(x);
    result->numel = tm_numel(x);
    result->shape = fuzz_pool(size + 1);
    if (result->numel * r->count > 4 * FUZZ_ELEMENTS)
        return false;
    result->values = fuzz_pool((size_t)(result->numel * r->count) * item + 1);
    result->place = fuzz_pool((size_t)(r->count + 1) * sizeof *result->place);
    if (!result->shape || !result->values || !result->place)
        return false;
    memcpy(result->shape, tm_shape(x), size);
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    for (int e = 0; e < n; e++) {
        bool joins = false;
        for (int i = 0; i < r->num_open; i++)
            joins = joins || (r->open[i].id == entries[e].level && r->open[i].joins &&
                              r->open[i].size == entries[e].size);
        if (!joins)
            fuzz_describe(r);
        FUZZ_REQUIRE(joins, "a result is mapped where no argument is");
    }
    in_block(r, x, &result->block);
    for (int64_t flat = 0; flat < r->count; flat++) {
        int64_t index[TM_OPEN_LEVELS];
        fuzz_index(r, flat, index);
        const char *from = tm_handle_data(x) + fuzz_distance(r, entries, n, index);
        if (result->block >= 0)
            result->place[flat] = (int64_t)(from - r->block[result->block].data);
        if (result->numel > 0)
            tm_law_gather(item, result->ndim, result->shape, tm_strides(x), from,
                          result->values + (size_t)(flat * result->numel) * item);
    }
    return true;
}

static bool take_results(fuzz_machine *m, fuzz_record *r, const tm_value *results)
{
    int64_t count = tm_law_count_results(r->op, results);
    if (count > FUZZ_RESULTS)
        return false;
    r->num_results = (int)count;
    for (int i = 0; i < r->num_results; i++) {
        fuzz_result *result = &r->result[i];
        result->is_scalar = tm_law_gives_scalar(r->op, i);
        if (result->is_scalar) {
            result->scalar = results[i].scalar;
            continue;
        }
        tm_tensor *x = tm_law_result_at(r->op, results, i);
        FUZZ_REQUIRE(x, "%s: result %d is NULL", tm_op_schema(r->op), i);
        if (!take_result(r, x, result))
            return false;
        fuzz_keep(m, x);
    }
    return true;
}

/* -- The call ---------------------------------------------------------------------------------- */

static bool any_escaped(const tm_op *op, const tm_value *args)
{
    tm_thread *thread = tm_thread_get();
    bool escaped = false;
    for (int i = 0; i < tm_op_num_params(op); i++) {
        tm_type type = tm_op_param(op, i)->type;
        if (type == TM_TYPE_TENSOR && args[i].tensor != TM_NONE)
            escaped = escaped || tm_handle_escaped(thread, args[i].tensor);
        for (int64_t k = 0; type == TM_TYPE_TENSOR_LIST && k < args[i].tensors.count; k++)
            escaped = escaped || tm_handle_escaped(thread, args[i].tensors.data[k]);
    }
    return escaped;
}

void fuzz_call(fuzz_machine *m, const tm_op *op, const tm_value *args)
{
    tm_value results[TM_MAX_OUTPUTS];
    bool escaped = any_escaped(op, args);
    fuzz_record *r = escaped ? NULL : begin(m, op, args);
    if (!r && !escaped)
        return;
    tm_error_clear();
    if (r && getenv("FUZZ_TRACE"))
        fuzz_describe(r);
    tm_status status = tm_op_call(op, args, tm_op_num_params(op), results, tm_op_num_outputs(op));
    if (escaped) {
        FUZZ_REQUIRE(status != TM_OK, "%s takes a handle of a level that has ended",
                     tm_op_schema(op));
        fuzz_require_error("an escaped handle");
        return;
    }
    r->status = status;
    if (status != TM_OK) {
        tm_law_take_failure(&r->failure);
        FUZZ_REQUIRE(r->failure.code == status, "%s: %s stands, %s returned", tm_op_schema(op),
                     tm_status_name(r->failure.code), tm_status_name(status));
    }
    fuzz_trace("    %s %s\n", tm_status_name(status), r->failure.message);
    tm_error_clear();
    for (int i = 0; i < r->num_blocks; i++)
        check_block(r, i);
    if (status == TM_OK && !take_results(m, r, results))
        return;
    *m->last_record = r;
    m->last_record = &r->next;
}

void fuzz_describe(const fuzz_record *r)
{
    fuzz_say("  %s\n", tm_op_schema(r->op));
    for (int i = 0; i < r->num_open; i++)
        fuzz_say("    level %llu: size %lld from %lld, randomness %d%s\n",
                 (unsigned long long)r->open[i].id, (long long)r->open[i].size,
                 (long long)r->open[i].first, (int)r->open[i].randomness,
                 r->open[i].joins ? ", joins" : "");
    for (int i = 0; i < r->num_operands; i++) {
        const fuzz_operand *o = &r->operand[i];
        fuzz_say("    %s[%d]: %s block %d of %lld bytes + %lld,",
                 tm_op_param(r->op, o->param)->name, o->element, tm_dtype_name(o->dtype), o->block,
                 (long long)r->block[o->block].size, (long long)o->offset);
        for (int d = 0; d < o->ndim; d++)
            fuzz_say(" %lld:%lld", (long long)o->shape[d], (long long)o->strides[d]);
        for (int e = 0; e < o->num_entries; e++)
            fuzz_say(" @%llu %lld:%lld", (unsigned long long)o->entries[e].level,
                     (long long)o->entries[e].size, (long long)o->entries[e].stride);
        fuzz_say("%s%s\n", o->written ? " written" : "", o->read_only ? " read-only" : "");
    }
    for (int i = 0; i < tm_op_num_params(r->op); i++) {
        const tm_param *param = tm_op_param(r->op, i);
        const tm_value *v = &r->args[i];
        if (param->type <= TM_TYPE_TENSOR_LIST || param->type == TM_TYPE_GENERATOR)
            continue;
        fuzz_say("    %s = ", param->name);
        if (param->type == TM_TYPE_STR || param->type == TM_TYPE_DTYPE) {
            fuzz_say("%s\n", param->type == TM_TYPE_DTYPE ? tm_dtype_name(v->dtype)
                             : v->str                     ? v->str
                                                          : "None");
            continue;
        }
        const void *at = param->optional ? v->opt : (const void *)v;
        const tm_int_list *list = at;
        if (!at)
            fuzz_say("None");
        else if (param->type == TM_TYPE_INT)
            fuzz_say("%lld", (long long)*(const int64_t *)at);
        else if (param->type == TM_TYPE_FLOAT)
            fuzz_say("%g", *(const double *)at);
        else if (param->type == TM_TYPE_BOOL)
            fuzz_say("%d", *(const bool *)at);
        else if (param->type == TM_TYPE_SCALAR)
            fuzz_say("%d: %g", (int)((const tm_scalar *)at)->kind,
                     tm_scalar_as_float(*(const tm_scalar *)at));
        else
            for (int64_t k = 0; k < list->count; k++)
                fuzz_say("%lld ", (long long)list->data[k]);
        fuzz_say("\n");
    }
}
