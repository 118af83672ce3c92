/* check.c: a mode that holds kernels to what their contracts promise.
 *
 * While it is on, new storages of the thread have guard zones around them and begin as poison
 * (dispatch/storage.h). Each call is passed on; then
 *
 *     memory that the schema does not let it write is as it was, all of it where the call failed;
 *     guard zones are whole, those of temporaries too (they are looked at when they are freed);
 *     a view lies in an argument, another result shares memory with nothing;
 *     every element of a new result has been written: one that is still poison is looked at again
 *     after a second run over another poison, so that no value is taken for it.
 *
 * Composites are told by what they call. What a mode further down returns is not held to be the
 * kernel's.
 */
#include <string.h>

#include "check.h"
#include "dispatch/cast.h"
#include "dispatch/mode.h"

enum { FIRST_POISON = 0xff, SECOND_POISON = 0xa5 }; /* the first is a NaN in every dtype */

typedef struct check {
    void (*found)(void *user, const char *op, const char *message);
    void *user;
} check;

/* One tensor among the arguments and its storage's bytes before the call. */
typedef struct argument {
    const tm_tensor *x;
    const tm_param *param;
    char *bytes;
    int64_t size;
} argument;

static tm_mode_answer fail(tm_call *call, const check *c)
{
    if (c->found)
        c->found(c->user, call->op->schema.name, call->failure.message);
    return TM_MODE_FAILED;
}

/* -- Arguments --------------------------------------------------------------------------------- */

/* Lists them; where `all` is NULL, only counts. */
static int list_arguments(const tm_call *call, argument *all)
{
    int count = 0;
    for (int i = 0; i < call->op->num_operands; i++) {
        const tm_op_operand *operand = &call->op->operands[i];
        const tm_param *param = &call->op->schema.params[operand->arg];
        bool is_list = operand->type == TM_TYPE_TENSOR_LIST;
        tm_tensor_list list = {NULL, 1};
        if (is_list)
            list = call->args[operand->arg].tensors;
        for (int64_t k = 0; k < list.count; k++) {
            const tm_tensor *x = is_list ? list.data[k] : tm_call_tensor(call, operand);
            if (!x || x->plain)
                continue;
            if (all)
                all[count] = (argument){.x = x, .param = param};
            count++;
        }
    }
    return count;
}

static void forget(argument *all, int count)
{
    for (int i = 0; i < count; i++)
        tm_free(all[i].bytes, (size_t)all[i].size);
    tm_free(all, (size_t)(count + 1) * sizeof *all);
}

/* NULL for lack of memory; *count may be 0. */
static argument *remember(const tm_call *call, int *count)
{
    *count = list_arguments(call, NULL);
    argument *all = tm_alloc((size_t)(*count + 1) * sizeof *all); /* never of no size */
    if (!all)
        return NULL;
    list_arguments(call, all);
    for (int i = 0; i < *count; i++) {
        const tm_storage *root = all[i].x->storage->root;
        all[i].bytes = tm_alloc((size_t)root->bytes);
        if (!all[i].bytes) {
            forget(all, *count);
            return NULL;
        }
        all[i].size = root->bytes;
        if (root->bytes > 0)
            memcpy(all[i].bytes, root->data, (size_t)root->bytes);
    }
    return all;
}

/* Takes the elements of x, every example's, into `bytes`, which are like x's storage. */
static void take_elements(const tm_tensor *x, char *bytes)
{
    const tm_storage *root = x->storage->root;
    tm_batch_entry entries[TM_MAX_LEVELS];
    int64_t size[TM_COPY_DIMS];
    int levels = tm_handle_entries(x, entries), n = 0;
    tm_copy_side from = {.base = tm_handle_data(x), .dtype = (tm_dtype)x->dtype};
    tm_copy_side to = {.base = bytes + (from.base - root->data), .dtype = (tm_dtype)x->dtype};
    for (int l = 0; l < levels; l++, n++) {
        size[n] = entries[l].size;
        to.step[n] = from.step[n] = entries[l].stride;
    }
    for (int d = 0; d < x->ndim; d++, n++) {
        size[n] = x->shape[d];
        to.step[n] = from.step[n] = tm_handle_step(x, d);
    }
    tm_copy(n, size, &to, &from);
}

/* What was remembered of an argument, as long as its storage is now: promotion repeats it. */
static bool match_promotion(argument *a)
{
    const tm_storage *root = a->x->storage->root;
    int64_t step = (a->size + TM_ALIGNMENT - 1) / TM_ALIGNMENT * TM_ALIGNMENT;
    if (root->bytes == a->size || a->size == 0)
        return true;
    char *bytes = tm_alloc((size_t)root->bytes);
    if (!bytes)
        return false;
    memcpy(bytes, root->data, (size_t)root->bytes); /* what lies between is nobody's */
    for (int64_t at = 0; at < root->bytes; at += step)
        memcpy(bytes + at, a->bytes, (size_t)a->size);
    tm_free(a->bytes, (size_t)a->size);
    a->bytes = bytes;
    a->size = root->bytes;
    return true;
}

/* TM_OK, or the failure. */
static tm_status check_argument(tm_call *call, argument *all, int count, int i, bool failed)
{
    argument *a = &all[i];
    const tm_storage *root = a->x->storage->root;
    if (!match_promotion(a))
        return tm_call_no_memory(call, root->bytes);
    for (int k = 0; k < count && !failed; k++)
        if (all[k].param->written && all[k].x->storage->root == root)
            take_elements(all[k].x, a->bytes);
    if (a->size == root->bytes && memcmp(a->bytes, root->data, (size_t)a->size) != 0)
        return tm_fail_arg(call, TM_ERR_SCHEMA, a->param->name,
                           failed ? "check: the call failed, but the memory of %s is changed"
                           : a->param->written
                               ? "check: the kernel wrote beside the elements of %s"
                               : "check: the kernel changed the memory of %s, which "
                                 "its schema does not write",
                           a->param->name);
    if (!tm_storage_intact(root))
        return tm_fail_arg(call, TM_ERR_SCHEMA, a->param->name,
                           "check: the kernel wrote outside the memory of %s", a->param->name);
    return TM_OK;
}

static tm_status check_arguments(tm_call *call, argument *all, int count, bool failed)
{
    for (int i = 0; i < count; i++) {
        tm_status status = check_argument(call, all, count, i, failed);
        if (status != TM_OK)
            return status;
    }
    if (!call->thread->guard_broken)
        return TM_OK;
    return tm_fail(call, TM_ERR_SCHEMA,
                   "check: the kernel wrote outside the memory of a temporary");
}

/* -- Results ----------------------------------------------------------------------------------- */

/* The storage of a new result, NULL where output i is none. */
static const tm_storage *new_result(const tm_call *call, int i)
{
    if (!tm_op_gives_tensor(call->op, i) || tm_op_written_arg(call->op, i) >= 0)
        return NULL;
    return call->results[i].tensor->storage->root;
}

static bool is_argument(const argument *all, int count, const tm_storage *root)
{
    for (int i = 0; i < count; i++)
        if (all[i].x->storage->root == root)
            return true;
    return false;
}

static tm_status check_place(tm_call *call, const argument *all, int count, int i)
{
    tm_contract contract = call->op->def.contract;
    const tm_storage *root = new_result(call, i);
    if (!tm_storage_intact(root))
        return tm_fail(call, TM_ERR_SCHEMA,
                       "check: the kernel wrote outside the memory of output %d", i);
    if (contract == TM_VIEW_OR_COPY)
        return TM_OK;
    bool shares = is_argument(all, count, root);
    if (contract == TM_VIEW)
        return shares
                   ? TM_OK
                   : tm_fail(call, TM_ERR_SCHEMA, "check: output %d is no view of an argument", i);
    for (int k = 0; k < i; k++)
        shares = shares || new_result(call, k) == root;
    if (shares)
        return tm_fail(call, TM_ERR_SCHEMA,
                       "check: output %d shares memory with an argument or another output", i);
    return TM_OK;
}

/* Bytes of what a kernel stores at once. */
static int64_t part_size(const tm_tensor *x)
{
    bool complex = tm_dtype_kind((tm_dtype)x->dtype) == TM_KIND_COMPLEX;
    return tm_item_size(x->dtype) / (complex ? 2 : 1);
}

static bool is_poison(const char *part, int64_t size, unsigned char poison)
{
    for (int64_t k = 0; k < size; k++)
        if ((unsigned char)part[k] != poison)
            return false;
    return true;
}

/* The first part of a new result that is poison, and in `again` the other poison; -1: none. */
static int64_t find_poison(const tm_tensor *x, const tm_tensor *again)
{
    const tm_storage *root = x->storage->root;
    int64_t size = part_size(x);
    for (int64_t at = 0; at + size <= root->bytes; at += size)
        if (is_poison(root->data + at, size, FIRST_POISON) &&
            (!again || (at + size <= again->storage->root->bytes &&
                        is_poison(again->storage->root->data + at, size, SECOND_POISON))))
            return at / tm_item_size(x->dtype);
    return -1;
}

static bool is_fresh(const tm_call *call, const argument *all, int count, int i)
{
    const tm_storage *root = new_result(call, i);
    return root && root->guarded && !is_argument(all, count, root);
}

/* Runs the kernels once more, over the other poison; `first` are the results as they were. */
static tm_status run_again(tm_call *call, tm_value *first)
{
    tm_thread *thread = call->thread;
    memcpy(first, call->results, (size_t)call->num_outputs * sizeof *first);
    thread->poison = SECOND_POISON;
    tm_status status = tm_call_execute(call);
    thread->poison = FIRST_POISON;
    return status;
}

static tm_status check_again(tm_call *call, const argument *all, int count)
{
    size_t size = (size_t)call->num_outputs * sizeof(tm_value);
    tm_value *first = tm_alloc(size);
    if (!first)
        return tm_call_no_memory(call, (int64_t)size);
    tm_status status = run_again(call, first);
    if (status == TM_OK) {
        for (int i = 0; i < call->num_outputs; i++) {
            const tm_tensor *again = call->results[i].tensor;
            call->results[i] = first[i];
            if (!new_result(call, i))
                continue;
            int64_t at = is_fresh(call, all, count, i) ? find_poison(first[i].tensor, again) : -1;
            if (at >= 0 && status == TM_OK)
                status = tm_fail(call, TM_ERR_SCHEMA,
                                 "check: the kernel left element %lld of output %d unwritten",
                                 (long long)at, i);
            tm_release(again);
        }
    }
    memcpy(call->results, first, size);
    tm_free(first, size);
    return status;
}

static tm_status check_results(tm_call *call, const argument *all, int count)
{
    bool suspect = false;
    for (int i = 0; i < call->num_outputs; i++) {
        if (!new_result(call, i))
            continue;
        tm_status status = check_place(call, all, count, i);
        if (status != TM_OK)
            return status;
        suspect = suspect || (is_fresh(call, all, count, i) &&
                              find_poison(call->results[i].tensor, NULL) >= 0);
    }
    /* What a call writes it would write twice. */
    return suspect && !call->op->has_written ? check_again(call, all, count) : TM_OK;
}

/* -- The mode ---------------------------------------------------------------------------------- */

static bool is_handled_below(const tm_call *call)
{
    for (const tm_mode *mode = call->pass_to; mode; mode = mode->below)
        if (mode->def->handle)
            return true;
    return false;
}

static tm_mode_answer handle(tm_call *call, void *state)
{
    const check *c = state;
    int count;
    if (call->op->def.contract == TM_COMPOSITE)
        return TM_MODE_DECLINE;
    argument *all = remember(call, &count);
    if (!all)
        return tm_call_no_memory(call, 0), TM_MODE_FAILED;
    call->thread->guard_broken = false;
    tm_status status = tm_mode_pass_on(call);
    bool failed = status != TM_OK;
    status = check_arguments(call, all, count, failed);
    if (status == TM_OK && !failed && !is_handled_below(call))
        status = check_results(call, all, count);
    forget(all, count);
    if (status == TM_OK)
        return failed ? TM_MODE_FAILED : TM_MODE_HANDLED;
    return status == TM_ERR_SCHEMA ? fail(call, c) : TM_MODE_FAILED;
}

static void destroy(void *state)
{
    check *c = state;
    tm_thread *thread = tm_thread_get();
    thread->guards--;
    tm_free(c, sizeof *c);
}

static const tm_mode_def check_mode = {
    .struct_size = sizeof(tm_mode_def), .name = "check", .handle = handle, .destroy = destroy};

tm_mode *tm_check_push_telling(void (*found)(void *user, const char *op, const char *message),
                               void *user)
{
    tm_thread *thread = tm_thread_get();
    check *c = thread ? tm_alloc(sizeof *c) : NULL;
    if (!c) {
        tm_error_memory("check_push", (int64_t)sizeof *c);
        return NULL;
    }
    *c = (check){found, user};
    tm_mode *mode = tm_mode_push(&check_mode, c);
    if (!mode) {
        tm_free(c, sizeof *c);
        return NULL;
    }
    thread->guards++;
    thread->poison = FIRST_POISON;
    return mode;
}

tm_mode *tm_check_push(void)
{
    return tm_check_push_telling(NULL, NULL);
}
