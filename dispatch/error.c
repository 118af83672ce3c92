/* error.c: the thread's error record.
 *
 * A record is filled in place and then published; it needs no memory. A thread that has no record
 * (none could be allocated) answers with one static record that says so.
 */
#include "error.h"

#include <stdarg.h>
#include <string.h>

#include "thread.h"

static const char *const names[] = {
    "ok",       "rank", "shape",   "dtype",     "dim",    "index",  "value", "numeric",
    "aliasing", "vmap", "escaped", "no-kernel", "schema", "memory", "io",    "usage"};

static const tm_error no_memory = {
    .struct_size = sizeof(tm_error),
    .code = TM_ERR_MEMORY,
    .op = "thread",
    .message = "no memory for the thread's record",
    .modes = "",
    .logical = "",
    .physical = "",
};

static tm_error_callback callback;
static void *callback_user;

const char *tm_status_name(tm_status status)
{
    return status >= TM_OK && status <= TM_ERR_USAGE ? names[status] : "unknown";
}

void tm_error_set_callback(tm_error_callback function, void *user)
{
    callback = function;
    callback_user = user;
}

const tm_error *tm_error_get(void)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return &no_memory;
    return thread->error.view.code == TM_OK ? NULL : &thread->error.view;
}

tm_status tm_error_code(void)
{
    const tm_error *error = tm_error_get();
    return error ? error->code : TM_OK;
}

const char *tm_error_message(void)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return "thread: no memory for the thread's record";
    return thread->error.view.code == TM_OK ? "" : thread->error.line;
}

void tm_error_clear(void)
{
    tm_thread *thread = tm_thread_get();
    if (thread)
        thread->error.view.code = TM_OK;
}

static void copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);
    memmove(to, from, length);
    to[length] = '\0';
}

tm_error_record *tm_error_begin(tm_status code, const char *op, const char *inner_op,
                                const char *argument, const char *message)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return NULL;
    tm_error_record *record = &thread->error;
    /* The message may be the standing record's own. */
    copy(record->message, sizeof record->message, message);
    copy(record->inner_op, sizeof record->inner_op, inner_op);
    copy(record->argument, sizeof record->argument, argument);
    copy(record->op, sizeof record->op, op);
    record->modes[0] = record->logical[0] = record->physical[0] = '\0';
    record->view = (tm_error){.struct_size = sizeof(tm_error), .code = code};
    return record;
}

static void call_back(tm_thread *thread)
{
    if (!thread->callback_due)
        return;
    thread->callback_due = false;
    callback(&thread->error.view, callback_user);
}

void tm_error_publish(tm_error_record *record)
{
    if (!record)
        return;
    tm_error *view = &record->view;
    view->op = record->op;
    view->inner_op = record->inner_op[0] ? record->inner_op : NULL;
    view->argument = record->argument[0] ? record->argument : NULL;
    view->message = record->message;
    view->modes = record->modes;
    view->logical = record->logical;
    view->physical = record->physical;
    view->levels = record->levels;
    tm_thread *thread = tm_thread_get();
    thread->error_serial++;
    snprintf(record->line, sizeof record->line, "%s: %s", record->op, record->message);
    thread->callback_due = callback != NULL;
    if (!thread->callback_held)
        call_back(thread);
}

void tm_error_hold_callback(void)
{
    tm_thread *thread = tm_thread_get();
    if (thread)
        thread->callback_held = true;
}

void tm_error_release_callback(void)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return;
    thread->callback_held = false;
    call_back(thread);
}

tm_status tm_error_set(tm_status code, const char *function, const char *argument,
                       const char *format, ...)
{
    char message[TM_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    tm_error_publish(tm_error_begin(code, function, "", argument ? argument : "", message));
    return code;
}

tm_status tm_error_memory(const char *function, int64_t bytes)
{
    return tm_error_set(TM_ERR_MEMORY, function, NULL, "no memory for %lld bytes",
                        (long long)bytes);
}

tm_status tm_error_null(const char *function, const char *argument)
{
    tm_status standing = tm_error_code();
    tm_thread *thread = tm_thread_get();
    if (standing != TM_OK) {
        if (thread)
            thread->error_serial++; /* whoever passed NULL on fails with this record */
        return standing;
    }
    return tm_error_set(TM_ERR_USAGE, function, argument,
                        "%s is NULL, but no error stands; NULL means that a call failed "
                        "(TM_NONE says that an optional tensor is absent)",
                        argument);
}
