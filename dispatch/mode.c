/* mode.c: the mode stack and a call's way down it.
 *
 * The stack is a chain from the top down. While a mode handles a call, the visible top is the mode
 * below it; what the handler pushes stands on that and is closed with the handler.
 */
#include "mode.h"

#include "event.h"
#include "given.h"
#include "memory.h"
#include "scope.h"

/* One that tm_mode_push made. */
typedef struct pushed_mode {
    tm_mode mode;
    tm_mode_def def; /* as the caller gave it */
} pushed_mode;

void tm_mode_enter(tm_thread *thread, tm_mode *mode, const tm_mode_def *def, void *state)
{
    bool interposes = def->handle || def->before || def->after || def->event;
    mode->def = def;
    mode->state = state;
    mode->below = thread->top;
    mode->interposers = thread->interposers + interposes;
    mode->serial = 0;
    mode->busy = 0;
    thread->top = mode;
    thread->interposers = mode->interposers;
}

void tm_mode_leave(tm_thread *thread, tm_mode *mode)
{
    thread->top = mode->below;
    thread->interposers = mode->below ? mode->below->interposers : 0;
    if (mode->def->destroy)
        mode->def->destroy(mode->state);
}

static void close_pushed(tm_mode *mode)
{
    tm_thread *thread = tm_thread_get();
    tm_mode_leave(thread, mode);
    tm_free(mode, sizeof(pushed_mode)); /* whose first member it is */
}

void tm_modes_close_to(tm_thread *thread, const tm_mode *base)
{
    while (thread->top && thread->top != base)
        thread->top->close(thread->top);
}

static tm_mode *public_pointer(const tm_mode *mode)
{
    return (tm_mode *)(uintptr_t)
        mode->serial; /* NOLINT(performance-no-int-to-ptr): never followed */
}

tm_mode *tm_mode_push(const tm_mode_def *def, void *state)
{
    tm_thread *thread = tm_thread_get();
    if (!def) {
        tm_error_null("mode_push", "def");
        return NULL;
    }
    tm_mode_def own;
    if (tm_given_take("mode_push", "def", TM_GIVEN_TYPE(tm_mode_def, destroy), def, &own) != TM_OK)
        return NULL;
    if (!own.name) {
        tm_error_set(TM_ERR_USAGE, "mode_push", "def", "a mode needs a name");
        return NULL;
    }
    pushed_mode *pushed = thread ? tm_alloc(sizeof *pushed) : NULL;
    if (!pushed) {
        tm_error_memory("mode_push", (int64_t)sizeof *pushed);
        return NULL;
    }
    pushed->def = own;
    tm_mode_enter(thread, &pushed->mode, &pushed->def, state);
    pushed->mode.close = close_pushed;
    pushed->mode.serial = tm_thread_serial(thread);
    return public_pointer(&pushed->mode);
}

tm_status tm_mode_pop(tm_mode *mode)
{
    tm_thread *thread = tm_thread_get();
    if (!mode)
        return tm_error_null("mode_pop", "mode");
    if (!thread || !thread->top || public_pointer(thread->top) != mode)
        return tm_error_set(TM_ERR_USAGE, "mode_pop", "mode",
                            "mode must be the innermost one of this thread, pushed by "
                            "tm_mode_push");
    if (thread->top->busy)
        return tm_error_set(
            TM_ERR_USAGE, "mode_pop", "mode",
            "mode is being told of a call, it cannot be popped before that is done");
    close_pushed(thread->top);
    return TM_OK;
}

void tm_modes_text(const tm_thread *thread, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (const tm_mode *mode = thread->top; mode && used < size; mode = mode->below) {
        int n = snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", mode->def->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

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

tm_status tm_call_take_outputs(tm_call *call, const tm_tensor *const *outputs, const tm_mode *base,
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
static tm_status take_outputs(tm_call *call, const tm_mode *base, tm_scope *scope)
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

static tm_mode_answer run_handler(tm_call *call, tm_mode *mode, tm_status *status)
{
    tm_thread *thread = call->thread;
    tm_mode *top = thread->top, *pass_to = call->pass_to;
    int interposers = thread->interposers;
    uint32_t returned = call->returned;
    tm_scope scope;
    thread->top = mode->below;
    thread->interposers = mode->below ? mode->below->interposers : 0;
    call->pass_to = mode->below;
    call->returned = 0;
    for (int i = 0; call->op->list_output && i < call->num_outputs; i++)
        call->results[i].tensor = NULL;
    tm_scope_open(thread, &scope);
    bool handling = call->handling;
    call->handling = true;
    tm_mode_answer answer = mode->def->handle(call, mode->state);
    call->handling = handling;
    *status = TM_OK;
    if (answer == TM_MODE_HANDLED) {
        *status = take_outputs(call, mode->below, &scope);
    } else if (answer != TM_MODE_DECLINE) {
        tm_call_take_error(call, TM_ERR_USAGE);
        *status = call->failure.code;
    }
    tm_modes_close_to(thread, mode->below);
    tm_scope_close(thread, &scope);
    thread->top = top;
    thread->interposers = interposers;
    call->pass_to = pass_to;
    call->returned = returned;
    return answer;
}

/* Tells a mode of a call. The mode and those above it are off meanwhile: ops that it calls are not
 * told to it again. */
static void tell(const tm_call *call, tm_mode *mode, bool before, tm_status status)
{
    const tm_mode_def *def = mode->def;
    if (before ? !def->before : !def->after)
        return;
    tm_thread *thread = call->thread;
    tm_mode *top = thread->top;
    int interposers = thread->interposers;
    thread->top = mode->below;
    thread->interposers = mode->below ? mode->below->interposers : 0;
    if (before)
        def->before(call, mode->state);
    else
        def->after(call, status, mode->state);
    tm_modes_close_to(thread, mode->below);
    thread->top = top;
    thread->interposers = interposers;
}

/* No mode can be popped meanwhile. */
static void make_busy(const tm_thread *thread, int change)
{
    for (tm_mode *mode = thread->top; mode; mode = mode->below)
        mode->busy += change;
}

void tm_modes_tell(tm_thread *thread, const char *name, int num_args, const tm_event_arg *args,
                   const tm_tensor *result)
{
    const tm_event event = {sizeof event, name, num_args, args, result};
    tm_mode *top = thread->top;
    int interposers = thread->interposers;
    make_busy(thread, 1);
    for (tm_mode *mode = top; mode; mode = mode->below) {
        if (!mode->def->event)
            continue;
        thread->top = mode->below;
        thread->interposers = mode->below ? mode->below->interposers : 0;
        mode->def->event(&event, mode->state);
        tm_modes_close_to(thread, mode->below);
        thread->top = top;
        thread->interposers = interposers;
    }
    make_busy(thread, -1);
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
    mode->busy++;
    tell(call, mode, true, TM_OK);
    if (mode->def->handle)
        answer = run_handler(call, mode, &status);
    if (answer == TM_MODE_DECLINE)
        status = tm_call_through(call, mode->below);
    tell(call, mode, false, status);
    mode->busy--;
    return status;
}

static void observe_failure(const tm_call *call, tm_mode *mode, tm_status status)
{
    while (mode && !observes(mode))
        mode = mode->below;
    if (!mode)
        return;
    mode->busy++;
    tell(call, mode, true, status);
    observe_failure(call, mode->below, status);
    tell(call, mode, false, status);
    mode->busy--;
}

tm_status tm_modes_dispatch(tm_call *call, tm_status status)
{
    call->pass_to = NULL;
    if (status == TM_OK)
        return tm_call_through(call, call->thread->top);
    observe_failure(call, call->thread->top, status);
    return status;
}

tm_status tm_mode_pass_on(tm_call *call)
{
    if (!call)
        return tm_error_null("mode_pass_on", "call");
    if (!call->handling)
        return tm_fail(call, TM_ERR_USAGE, "tm_mode_pass_on was called outside a mode's handler");
    call->handling = false;
    tm_status status = tm_call_through(call, call->pass_to);
    call->handling = true;
    if (status != TM_OK)
        return status;
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
