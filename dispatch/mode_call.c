/* mode_call.c: a call's way down the mode stack: told to observers, given to handlers, their
 * answers taken.
 *
 * While a mode handles a call or is told of one, the visible top is the mode below it.
 */
#include "mode.h"

#include "event.h"

/* Makes output i the call's result: checked against the spec, taken from `scope` or aliased. */
static tm_status take_output(tm_call *call, int i, const tm_tensor *output, const tm_scope *scope)
{
    const tm_op *op = call->op;
    if (!tm_op_gives_tensor(op, i)) {
        if (call->results[i].scalar.kind != TM_KIND_NONE)
            return TM_OK;
        return tm_fail(call, TM_ERR_SCHEMA, "output %d was not set", i);
    }
    int written = tm_op_written_arg(op, i);
    if (written >= 0) {
        call->results[i].tensor = call->args[written].tensor;
        if (!output || output == call->results[i].tensor)
            return TM_OK;
        return tm_fail(call, TM_ERR_SCHEMA, "output %d must be %s itself, which the op writes", i,
                       op->schema.params[written].name);
    }
    if (!output || output == TM_NONE || !tm_handle_live(output))
        return tm_fail(call, TM_ERR_SCHEMA, "output %d was not set", i);
    const tm_spec *spec = &call->specs[i];
    bool same = output->ndim == spec->ndim && (tm_dtype)output->dtype == spec->dtype;
    for (int d = 0; same && d < spec->ndim; d++)
        same = spec->shape[d] == TM_DYNAMIC || output->shape[d] == spec->shape[d];
    if (!same)
        return tm_fail(call, TM_ERR_SCHEMA, "output %d must be %s %s as meta said, got %s %s", i,
                       tm_dtype_name(spec->dtype), tm_sizes_text(call, spec->ndim, spec->shape),
                       tm_dtype_name((tm_dtype)output->dtype), tm_shape_text(call, output));
    if (tm_handle_mapped(output) && tm_handle_escaped(call->thread, output))
        return tm_fail(call, TM_ERR_ESCAPED, "output %d belongs to a vmap level that has ended", i);
    tm_tensor *own = (tm_tensor *)(uintptr_t)output;
    if (own->scope == scope && !own->plain) { /* given twice, it is in no scope the second time */
        tm_scope_forget(own);
    } else {
        own = tm_handle_view(call->thread, output, output->ndim, output->shape, output->strides, 0);
        if (!own)
            return tm_call_no_memory(call, (int64_t)tm_handle_size(output->ndim, TM_MAX_LEVELS));
    }
    call->results[i].tensor = own;
    return TM_OK;
}

tm_status tm_call_take_outputs(tm_call *call, const tm_tensor *const *outputs, tm_mode *base,
                               tm_scope *scope)
{
    int count = call->num_outputs;
    tm_tensor *few[TM_MAX_OUTPUTS], **held = tm_output_room(call, few, 1);
    for (int i = 0; i < count; i++) {
        bool counted = outputs[i] && outputs[i] != TM_NONE && !outputs[i]->plain;
        held[i] = counted ? tm_retain(outputs[i]) : NULL;
        if (tm_op_gives_tensor(call->op, i))
            call->results[i].tensor = NULL;
    }
    tm_modes_close_to(call->thread, base);
    while (call->thread->scope != scope)
        tm_scope_close(call->thread, call->thread->scope);
    tm_status status = TM_OK;
    int taken = 0;
    while (taken < count && status == TM_OK) {
        status = take_output(call, taken, outputs[taken], scope);
        taken += status == TM_OK;
    }
    for (int i = 0; i < count; i++) {
        if (status != TM_OK && i < taken && tm_op_written_arg(call->op, i) < 0)
            tm_release(call->results[i].tensor);
        if (held[i])
            tm_release(held[i]);
    }
    return status;
}

/* Whether the handler returned output i: of a list's, what it has not returned is NULL. */
static bool is_returned(const tm_call *call, int i)
{
    return call->op->list_output ? call->results[i].tensor != NULL : call->returned >> i & 1;
}

/* What the handler returned. */
static tm_status take_outputs(tm_call *call, tm_mode *base, tm_scope *scope)
{
    tm_tensor *few[TM_MAX_OUTPUTS], **outputs = tm_output_room(call, few, 0);
    for (int i = 0; i < call->num_outputs; i++) {
        bool tensor = tm_op_gives_tensor(call->op, i);
        if (tensor && !is_returned(call, i))
            return tm_fail(call, TM_ERR_SCHEMA, "output %d was not set", i);
        outputs[i] = tensor ? (tm_tensor *)(uintptr_t)call->results[i].tensor : NULL;
    }
    return tm_call_take_outputs(call, (const tm_tensor *const *)outputs, base, scope);
}

/* What is wrong with a handler's answer says whose it is. */
static tm_status name_mode(tm_call *call, const tm_mode *mode)
{
    char *message = call->failure.message;
    size_t used = strlen(message);
    snprintf(message + used, sizeof call->failure.message - used, " (mode %s)", mode->def->name);
    return call->failure.code;
}

/* Whether the handler recorded a failure that it did not answer: its own, or an op's inside. One
 * that came back from the modes below is for it to answer. */
static bool is_unanswered(const tm_call *call)
{
    return (call->failure.code != TM_OK && !call->passed_failure) || tm_call_has_error(call);
}

static tm_mode_answer run_handler(tm_call *call, tm_mode *mode, tm_status *status)
{
    tm_mode *pass_to = call->pass_to;
    uint32_t returned = call->returned;
    bool handling = call->handling;
    tm_guest guest;
    call->pass_to = mode->below;
    call->returned = 0;
    call->passed_failure = false;
    for (int i = 0; call->op->list_output && i < call->num_outputs; i++)
        call->results[i].tensor = NULL;
    tm_guest_enter(call->thread, &guest, mode->below);
    call->handling = true;
    tm_mode_answer answer = mode->def->handle(call, mode->state);
    call->handling = handling;
    *status = TM_OK;
    if (is_unanswered(call))
        answer = TM_MODE_FAILED;
    if (answer == TM_MODE_HANDLED || answer == TM_MODE_DECLINE)
        call->failure.code = TM_OK; /* answered, if there was one */
    if (answer == TM_MODE_HANDLED) {
        *status = take_outputs(call, mode->below, &guest.scope);
        if (*status != TM_OK)
            name_mode(call, mode);
    } else if (answer != TM_MODE_DECLINE) {
        bool explained = call->failure.code != TM_OK || tm_call_has_error(call);
        tm_call_take_error(call, TM_ERR_USAGE);
        *status = explained ? call->failure.code : name_mode(call, mode);
    }
    tm_guest_leave(call->thread, &guest);
    call->pass_to = pass_to;
    call->returned = returned;
    return answer;
}

/* Ends what told a mode of something. A failure inside is the mode's: it stands, with the mode
 * first among `modes`, but neither the call nor who made it fails by it. */
static void end_telling(tm_thread *thread, tm_guest *guest, tm_mode *mode)
{
    tm_guest_leave(thread, guest);
    if (thread->error_serial == guest->serial)
        return;
    thread->error_serial = guest->serial;
    if (tm_error_code() != TM_OK) {
        thread->top = mode;
        tm_modes_text(thread, thread->error.modes, sizeof thread->error.modes);
        thread->top = guest->top;
    }
}

/* Tells a mode of a call. The mode and those above it are off meanwhile: ops that it calls are not
 * told to it again. */
static void tell(const tm_call *call, tm_mode *mode, bool before, tm_status status)
{
    const tm_mode_def *def = mode->def;
    if (before ? !def->before : !def->after)
        return;
    tm_guest guest;
    tm_guest_enter(call->thread, &guest, mode->below);
    if (before)
        def->before(call, mode->state);
    else
        def->after(call, status, mode->state);
    end_telling(call->thread, &guest, mode);
}

void tm_modes_tell(tm_thread *thread, const char *name, int num_args, const tm_event_arg *args,
                   const tm_tensor *result)
{
    const tm_event event = {sizeof event, name, num_args, args, result};
    for (tm_mode *mode = thread->top; mode; mode = mode->below) {
        if (!mode->def->event)
            continue;
        tm_guest guest;
        tm_guest_enter(thread, &guest, mode->below);
        mode->def->event(&event, mode->state);
        end_telling(thread, &guest, mode);
    }
}

static bool observes(const tm_mode *mode)
{
    return mode->def->before || mode->def->after;
}

tm_status tm_call_through(tm_call *call, tm_mode *mode)
{
    while (mode && !observes(mode) && !mode->def->handle)
        mode = mode->below;
    if (!mode)
        return tm_call_execute(call);
    tm_status status = TM_OK;
    tm_mode_answer answer = TM_MODE_DECLINE;
    tell(call, mode, true, TM_OK);
    if (mode->def->handle)
        answer = run_handler(call, mode, &status);
    if (answer == TM_MODE_DECLINE)
        status = tm_call_through(call, mode->below);
    tell(call, mode, false, status);
    return status;
}

/* The call has failed already: what its observers leave in the record is not what stands. */
static void observe_failure(const tm_call *call, tm_mode *mode, tm_status status)
{
    while (mode && !observes(mode))
        mode = mode->below;
    if (!mode)
        return;
    tell(call, mode, true, status);
    observe_failure(call, mode->below, status);
    tell(call, mode, false, status);
}

tm_status tm_modes_dispatch(tm_call *call, tm_status status)
{
    call->pass_to = NULL;
    if (status == TM_OK)
        return tm_call_through(call, call->thread->top);
    tm_error_record standing = call->thread->error;
    observe_failure(call, call->thread->top, status);
    call->thread->error = standing;
    return status;
}

tm_status tm_mode_pass_on(tm_call *call)
{
    if (!call)
        return tm_error_null("mode_pass_on", "call");
    if (!call->handling)
        return tm_fail(call, TM_ERR_USAGE, "tm_mode_pass_on was called outside a mode's handler");
    uint64_t serial = call->error_serial;
    call->handling = false;
    call->failure.code = TM_OK; /* the modes below and the kernel have failed in nothing yet */
    call->error_serial = call->thread->error_serial;
    tm_status status = tm_call_through(call, call->pass_to);
    call->handling = true;
    call->passed_failure = status != TM_OK;
    if (status != TM_OK) {
        call->error_serial = call->thread->error_serial; /* what is in the record came with it */
        return status;
    }
    call->error_serial = serial;
    for (int i = 0; i < call->num_outputs; i++) {
        if (tm_op_written_arg(call->op, i) < 0 && tm_op_gives_tensor(call->op, i))
            tm_scope_adopt(call->thread, (tm_tensor *)(uintptr_t)call->results[i].tensor);
        call->returned |= tm_output_bit(i);
    }
    return TM_OK;
}

void tm_mode_return(tm_call *call, int i, const tm_tensor *output)
{
    if (!call || !call->handling || i < 0 || i >= call->num_outputs)
        return;
    if (!tm_op_gives_tensor(call->op, i))
        return;
    call->results[i].tensor = output;
    call->returned |= tm_output_bit(i);
}
