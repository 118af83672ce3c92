/* fail.c: a call's failure: said by a meta or a kernel, placed by the runners, told by the record.
 */
#include <stdarg.h>
#include <string.h>

#include "mode.h"
#include "plan.h"

static void set_text(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

static tm_status fail(tm_call *call, tm_status code, const char *argument, const char *format,
                      va_list list)
{
    if (!call)
        return tm_error_null("fail", "call");
    tm_failure *failure = &call->failure;
    failure->code = code == TM_OK ? TM_ERR_USAGE : code;
    failure->inner_op[0] = '\0';
    set_text(failure->argument, sizeof failure->argument, argument);
    vsnprintf(failure->message, sizeof failure->message, format, list);
    call->num_failed_levels = 0;
    call->failed_at = 0;
    call->passed_failure = false;
    return failure->code;
}

tm_status tm_fail(tm_call *call, tm_status code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    tm_status status = fail(call, code, "", format, list);
    va_end(list);
    return status;
}

tm_status tm_fail_arg(tm_call *call, tm_status code, const char *argument, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    tm_status status = fail(call, code, argument ? argument : "", format, list);
    va_end(list);
    return status;
}

tm_status tm_fail_at(tm_call *call, int64_t i, tm_status code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    tm_status status = fail(call, code, "", format, list);
    va_end(list);
    if (call)
        call->failed_at = i;
    return status;
}

tm_status tm_kernel_null(tm_call *call, const char *function, const char *argument)
{
    if (!call)
        return tm_error_null(function, "call");
    return tm_fail(call, TM_ERR_USAGE, "the op's meta or kernel gives %s no %s", function,
                   argument);
}

tm_status tm_kernel_not_meta(tm_call *call, const char *function)
{
    return tm_fail(call, TM_ERR_USAGE, "%s was called outside the op's meta", function);
}

tm_status tm_call_no_memory(tm_call *call, int64_t bytes)
{
    return tm_fail(call, TM_ERR_MEMORY, "no memory for %lld bytes", (long long)bytes);
}

void tm_call_take_error(tm_call *call, tm_status status)
{
    const tm_error *error = tm_error_get();
    tm_failure *failure = &call->failure;
    if (failure->code != TM_OK)
        return;
    if (!error || !tm_call_has_error(call)) {
        tm_fail(call, status, "failed without saying why (%s)", tm_status_name(status));
        return;
    }
    failure->code = error->code;
    set_text(failure->inner_op, sizeof failure->inner_op,
             error->inner_op ? error->inner_op : error->op);
    set_text(failure->argument, sizeof failure->argument, error->argument ? error->argument : "");
    set_text(failure->message, sizeof failure->message, error->message);
    call->num_failed_levels = error->num_levels;
    for (int i = 0; i < error->num_levels; i++)
        call->failed_levels[i] = error->levels[i];
}

tm_status tm_call_verdict(tm_call *call, tm_status status)
{
    if (status == TM_OK && call->failure.code == TM_OK) {
        if (!tm_call_has_error(call))
            return TM_OK; /* it was looked at and cleared */
        status = tm_error_code();
    }
    tm_call_take_error(call, status);
    return call->failure.code;
}

void tm_plan_failed(tm_plan *plan, tm_call *call, int64_t flat, int num_logical,
                    const int64_t *logical_size)
{
    int64_t logical[TM_MAX_NDIM];
    for (int d = num_logical; d-- > 0; flat /= logical_size[d])
        logical[d] = flat % logical_size[d];
    call->num_failed_levels = plan->num_levels;
    for (int l = plan->num_levels; l-- > 0; flat /= plan->size[l])
        call->failed_levels[l] =
            (tm_error_level){plan->level[l], plan->size[l], flat % plan->size[l]};
    if (num_logical == 0)
        return;
    char *message = call->failure.message;
    size_t used = strlen(message), room = sizeof call->failure.message;
    snprintf(message + used, room - used, " (at index %s)",
             tm_sizes_text(call, num_logical, logical));
}

void tm_call_place_failure(tm_call *call)
{
    for (int i = 0; call->failure.code != TM_OK && i < call->num_failed_levels; i++) {
        tm_error_level *failed = &call->failed_levels[i];
        const tm_open_level *level = tm_thread_level(call->thread, failed->level);
        if (!level || level->whole < 0)
            continue;
        failed->index += level->first;
        failed->size = level->whole;
    }
}

/* "x (2, 3) float32, y None": the tensors of a call, as one example sees them or in memory. */
static void describe(const tm_call *call, bool physical, char *text, size_t size)
{
    const tm_op *op = call->op;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < op->num_operands && used + 1 < size; i++) {
        const tm_op_operand *operand = &op->operands[i];
        const tm_value *arg = &call->args[operand->arg];
        bool list = operand->type == TM_TYPE_TENSOR_LIST;
        int64_t count = list ? (arg->tensors.data ? arg->tensors.count : 0) : 1;
        for (int64_t k = 0; k < count && used + 1 < size; k++) {
            const tm_tensor *x = list ? arg->tensors.data[k] : arg->tensor;
            int n = snprintf(text + used, size - used, "%s%s ", used ? ", " : "",
                             op->schema.params[operand->arg].name);
            used += (size_t)n;
            if (used + 1 >= size)
                break;
            if (!x || x == TM_NONE || !tm_handle_live(x)) {
                used += (size_t)snprintf(text + used, size - used, "%s", x ? "None" : "NULL");
                continue;
            }
            int64_t sizes[TM_MAX_LEVELS + TM_MAX_NDIM];
            int levels = 0;
            if (physical) {
                tm_batch_entry entries[TM_MAX_LEVELS];
                levels = tm_handle_entries(x, entries);
                for (int l = 0; l < levels; l++)
                    sizes[l] = entries[l].size;
            }
            memcpy(sizes + levels, x->shape, x->ndim * sizeof *sizes);
            used += (size_t)tm_sizes_print(text + used, size - used, levels + x->ndim, sizes);
            if (used + 1 < size)
                used += (size_t)snprintf(text + used, size - used, " %s",
                                         tm_dtype_name((tm_dtype)x->dtype));
        }
    }
}

/* Levels of the arguments where no example was singled out: the failure is every example's. */
static int argument_levels(const tm_call *call, tm_error_level *levels)
{
    const tm_thread *thread = call->thread;
    int n = 0;
    for (int l = thread->level_base; l < thread->num_levels; l++) {
        bool mapped = false;
        for (int i = 0; i < call->op->num_operands && !mapped; i++) {
            const tm_op_operand *operand = &call->op->operands[i];
            const tm_value *arg = &call->args[operand->arg];
            bool list = operand->type == TM_TYPE_TENSOR_LIST;
            int64_t count = list ? (arg->tensors.data ? arg->tensors.count : 0) : 1;
            for (int64_t k = 0; k < count && !mapped; k++) {
                const tm_tensor *x = list ? arg->tensors.data[k] : arg->tensor;
                tm_batch_entry entries[TM_MAX_LEVELS];
                int m = x && x != TM_NONE && tm_handle_live(x) ? tm_handle_entries(x, entries) : 0;
                for (int e = 0; e < m; e++)
                    mapped = mapped || entries[e].level == thread->levels[l].id;
            }
        }
        if (mapped)
            levels[n++] =
                (tm_error_level){thread->levels[l].id, tm_level_whole(&thread->levels[l]), -1};
    }
    return n;
}

void tm_call_publish(tm_call *call, tm_status status)
{
    tm_failure *failure = &call->failure;
    tm_call_take_error(call, status);
    tm_error_record *record =
        tm_error_begin(failure->code, call->op->schema.name, failure->inner_op, failure->argument,
                       failure->message);
    if (!record)
        return;
    tm_error *view = &record->view;
    view->num_levels = call->num_failed_levels;
    if (view->num_levels)
        memcpy(record->levels, call->failed_levels,
               (size_t)view->num_levels * sizeof *record->levels);
    else
        view->num_levels = argument_levels(call, record->levels);
    describe(call, false, record->logical, sizeof record->logical);
    if (view->num_levels)
        describe(call, true, record->physical, sizeof record->physical);
    tm_modes_text(call->thread, record->modes, sizeof record->modes);
    tm_error_publish(record);
}
