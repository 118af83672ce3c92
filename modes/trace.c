/* trace.c: a mode that writes what happens as a program that `transmute run` can run again.
 *
 * The outermost call is a statement; what a composite calls stands below it as comments, and so
 * does a call that fails. A statement is composed before its call, since the call may write its
 * arguments, and written after it, when it has succeeded and its results have names.
 *
 * The generator of random numbers must stand in the program where it stands here: `expected` is
 * where the program has it, and a seed(...) is written where the two differ.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/error.h"
#include "dispatch/memory.h"
#include "dispatch/mode.h"
#include "io/save.h"
#include "trace.h"

typedef struct trace {
    FILE *stream;
    char *prefix; /* of the files that inputs are saved in, NULL: they are not */
    int depth;    /* calls that have begun and not ended */
    int num_levels, levels_before;
    tm_trace_names names;
    tm_text line, notes;
    bool replayable; /* the statement in `line` */
    struct {
        uint64_t seed, count;
    } expected;
} trace;

/* -- Lines ------------------------------------------------------------------------------------- */

static void write_line(const trace *t, const char *text)
{
    fprintf(t->stream, "%*s%s\n", 2 * t->num_levels, "", text);
}

/* The notes, each line a comment. */
static void write_notes(trace *t)
{
    const char *at = t->notes.data;
    while (at && *at) {
        int length = (int)strcspn(at, "\n"); /* the last line has no end where memory ended */
        fprintf(t->stream, "%*s# %.*s\n", 2 * t->num_levels, "", length, at);
        at += length + (at[length] != '\0');
    }
    if (t->notes.failed)
        write_line(t, "# no memory: comments are missing");
    tm_text_free(&t->notes);
}

static void begin_note(trace *t)
{
    tm_text_fill(&t->notes, ' ', 2 * (size_t)t->depth);
}

/* -- Inputs ------------------------------------------------------------------------------------ */

/* Saves without a word: the thread's record is the caller's. */
static bool save_quietly(const char *path, const tm_tensor *x)
{
    tm_thread *thread = tm_thread_get();
    tm_error_record record = thread->error;
    uint64_t serial = thread->error_serial;
    tm_status status = tm_npy_save_file(path, x);
    thread->error = record;
    thread->error_serial = serial;
    return status == TM_OK;
}

static void write_input(trace *t, const char *name, const tm_tensor *x)
{
    tm_text line = {0}, path = {0};
    if (t->prefix)
        tm_trace_printf(&path, "%s%s.npy", t->prefix, name);
    bool saved = path.data && save_quietly(path.data, x);
    tm_trace_printf(&line, "%s = %s(", name, saved ? "load" : "input");
    tm_trace_quote(&line, saved ? path.data : name);
    tm_text_append_string(&line, ")  # ");
    tm_trace_form(&line, x);
    write_line(t, line.failed ? "# no memory: an input is missing" : line.data);
    tm_text_free(&line);
    tm_text_free(&path);
}

/* A tensor's name; one without a name becomes an input. */
static void print_name(trace *t, const tm_tensor *x)
{
    char name[TM_TRACE_NAME];
    if (!x || x == TM_NONE) {
        tm_text_append_string(&t->line, x ? "None" : "NULL");
        return;
    }
    if (!tm_trace_find(&t->names, x, name)) {
        if (tm_num_levels(x) > 0) {
            t->replayable = false;
            tm_trace_form(&t->line, x);
            return;
        }
        if (!tm_trace_add(&t->names, x, true, name)) {
            t->line.failed = true;
            return;
        }
        write_input(t, name, x);
    }
    tm_text_append_string(&t->line, name);
}

/* -- Values ------------------------------------------------------------------------------------ */

/* A tensor by its name in a statement, by its form in a comment. */
static void print_tensor(trace *t, tm_text *text, const tm_tensor *x)
{
    if (text == &t->line && t->replayable)
        print_name(t, x);
    else
        tm_trace_form(text, x);
}

static void print_value(trace *t, tm_text *text, tm_type type, bool optional, const tm_value *value)
{
    if (type == TM_TYPE_TENSOR) {
        print_tensor(t, text, value->tensor);
    } else if (type == TM_TYPE_TENSOR_LIST) {
        tm_text_append_string(text, "[");
        for (int64_t i = 0; i < value->tensors.count && value->tensors.data; i++) {
            tm_text_append_string(text, i ? ", " : "");
            print_tensor(t, text, value->tensors.data[i]);
        }
        tm_text_append_string(text, "]");
    } else {
        tm_trace_value(text, type, optional, value);
    }
}

static void print_call(trace *t, tm_text *text, const tm_call *call)
{
    const tm_schema *schema = &call->op->schema;
    const char *overload = tm_op_overload(call->op);
    tm_trace_printf(text, "%s%s%s(", schema->name, overload[0] ? "." : "", overload);
    for (int i = 0; i < schema->num_params; i++) {
        const tm_param *param = &schema->params[i];
        tm_trace_printf(text, "%s%s=", i ? ", " : "", param->name);
        if (param->type == TM_TYPE_GENERATOR)
            tm_trace_generator(text, call->args[i].generator, call);
        else
            print_value(t, text, param->type, param->optional, &call->args[i]);
    }
    tm_text_append_string(text, ")");
}

/* -- The random state -------------------------------------------------------------------------- */

static bool may_draw(const tm_call *call)
{
    return call->op->def.contract == TM_RANDOM || call->op->def.contract == TM_COMPOSITE;
}

/* Whether the call has taken its number on the thread's generator already. */
static bool is_counted(const tm_call *call)
{
    int arg = call->op->generator_arg;
    bool own = arg < 0 || !call->args[arg].generator;
    return own && call->op->def.contract == TM_RANDOM && call->failure.code == TM_OK &&
           call->base_depth == 0 && call->stream.count + 1 == call->thread->generator.count;
}

static void match_generator(trace *t, const tm_generator *generator, bool counted)
{
    uint64_t count = generator->count - counted;
    if (t->expected.seed == generator->seed && t->expected.count == count)
        return;
    char line[96];
    snprintf(line, sizeof line, "seed(%lld, %lld)", (long long)generator->seed, (long long)count);
    write_line(t, line);
    t->expected.seed = generator->seed;
    t->expected.count = count;
}

/* -- Calls ------------------------------------------------------------------------------------- */

static void begin_statement(trace *t)
{
    tm_text_free(&t->line);
    tm_text_free(&t->notes);
    t->replayable = true;
}

static void before(const tm_call *call, void *state)
{
    trace *t = state;
    if (t->depth == 0) {
        begin_statement(t);
        t->replayable = call->failure.code == TM_OK && !call->chained_null;
        if (t->replayable && may_draw(call))
            match_generator(t, &call->thread->generator, is_counted(call));
        print_call(t, &t->line, call);
    } else {
        begin_note(t);
        print_call(t, &t->notes, call);
        tm_text_append_string(&t->notes, "\n");
    }
    t->depth++;
}

/* "t1, t2 = " in front of the statement, and what they are behind it. */
static void name_results(trace *t, const tm_call *call)
{
    tm_text targets = {0}, forms = {0};
    int named = 0;
    for (int i = 0; i < call->num_outputs; i++) {
        const char *comma = i ? ", " : "";
        char name[TM_TRACE_NAME] = "_";
        bool is_tensor = tm_op_gives_tensor(call->op, i);
        const tm_tensor *x = is_tensor ? call->results[i].tensor : NULL;
        bool is_new = is_tensor && tm_op_written_arg(call->op, i) < 0;
        if (is_new && !tm_trace_add(&t->names, x, false, name))
            targets.failed = true;
        named += is_new;
        tm_trace_printf(&targets, "%s%s", comma, name);
        tm_text_append_string(&forms, comma);
        if (is_tensor)
            tm_trace_form(&forms, x);
        else
            tm_trace_scalar(&forms, call->results[i].scalar);
    }
    if (named && call->op->list_output && call->num_outputs == 1)
        tm_text_append_string(&targets, ",");
    bool failed = targets.failed || forms.failed || t->line.failed;
    if (failed)
        write_line(t, "# no memory: a statement is missing");
    else
        fprintf(t->stream, "%*s%s%s%s  # %s\n", 2 * t->num_levels, "", named ? targets.data : "",
                named ? " = " : "", t->line.data, forms.data ? forms.data : "[]");
    tm_text_free(&targets);
    tm_text_free(&forms);
}

/* The statement as a comment, with the reason. */
static void write_comment(trace *t)
{
    fprintf(t->stream, "%*s# %s\n", 2 * t->num_levels, "", t->line.data ? t->line.data : "");
}

static void after(const tm_call *call, tm_status status, void *state)
{
    trace *t = state;
    t->depth--;
    if (status != TM_OK) {
        const tm_error *error = tm_error_get();
        bool own = call->failure.code != TM_OK;
        begin_note(t);
        tm_trace_printf(&t->notes, "! %s: %s\n", tm_status_name(status),
                        own     ? call->failure.message
                        : error ? error->message
                                : "");
    }
    if (t->depth > 0)
        return;
    if (status == TM_OK && t->replayable) {
        name_results(t, call);
        if (may_draw(call)) {
            t->expected.seed = call->thread->generator.seed;
            t->expected.count = call->thread->generator.count;
        }
    } else {
        write_comment(t);
        if (status == TM_OK)
            write_line(t, "# not replayed: an argument was mapped before the trace began");
    }
    write_notes(t);
}

/* -- Events ------------------------------------------------------------------------------------ */

/* The argument of a name that the event has. */
static const tm_value *find_arg(const tm_event *event, const char *name)
{
    int i = 0;
    while (strcmp(event->args[i].name, name) != 0) {
        i++;
        assert(i < event->num_args);
    }
    return &event->args[i].value;
}

static void print_event(trace *t, tm_text *text, const tm_event *event)
{
    tm_trace_printf(text, "%s(", event->name);
    for (int i = 0; i < event->num_args; i++) {
        const tm_event_arg *arg = &event->args[i];
        tm_text_append_string(text, i ? ", " : "");
        print_value(t, text, arg->type, arg->optional, &arg->value);
    }
    tm_text_append_string(text, ")");
}

static void open_level(trace *t, const tm_event *event)
{
    const int64_t *size = find_arg(event, "size")->opt;
    const char *randomness = find_arg(event, "randomness")->str;
    tm_text_append_string(&t->line, "vmap");
    if (size)
        tm_trace_printf(&t->line, " size=%lld", (long long)*size);
    if (strcmp(randomness, "error") != 0)
        tm_trace_printf(&t->line, " randomness=%s", randomness);
    write_line(t, t->line.failed ? "# no memory: a vmap is missing" : t->line.data);
    t->num_levels++;
}

static void close_level(trace *t)
{
    bool own = t->num_levels > 0;
    t->num_levels -= own;
    write_line(t, own ? "end" : "# end of a level that was open before the trace began");
}

/* Levels count from those that the trace has seen open. */
static void print_index(trace *t, const tm_event *event)
{
    int64_t level = find_arg(event, "level")->i - t->levels_before;
    t->replayable = level > 0;
    tm_trace_printf(&t->line, "vmap_index(%lld)", (long long)level);
}

static void write_event(trace *t, const tm_event *event)
{
    if (strcmp(event->name, "rng_at") == 0)
        match_generator(t, &tm_thread_get()->generator, false);
    if (strcmp(event->name, "vmap_index") == 0)
        print_index(t, event);
    else
        print_event(t, &t->line, event);
    char name[TM_TRACE_NAME];
    const tm_tensor *x = event->result;
    if (t->line.failed || (x && t->replayable && !tm_trace_add(&t->names, x, false, name))) {
        write_line(t, "# no memory: a statement is missing");
    } else if (!t->replayable) {
        write_comment(t);
        write_line(t, "# not replayed: it is of a level that was open before the trace began");
    } else if (x) {
        tm_text form = {0};
        tm_trace_form(&form, x);
        fprintf(t->stream, "%*s%s = %s  # %s\n", 2 * t->num_levels, "", name, t->line.data,
                form.failed ? "no memory" : form.data);
        tm_text_free(&form);
    } else {
        write_line(t, t->line.data);
    }
}

static void event(const tm_event *event, void *state)
{
    trace *t = state;
    bool begins = strcmp(event->name, "vmap_pieces") == 0;
    bool ends = strcmp(event->name, "end") == 0;
    if (ends)
        tm_trace_forget(&t->names, (uint64_t)find_arg(event, "level")->i);
    if (strcmp(event->name, "vmap_pieces_end") == 0) {
        if (--t->depth == 0)
            write_notes(t);
        return;
    }
    if (t->depth == 0)
        begin_statement(t);
    if (t->depth > 0 || begins) {
        begin_note(t);
        print_event(t, &t->notes, event);
        tm_text_append_string(&t->notes, "\n");
        t->depth += begins;
    } else if (strcmp(event->name, "vmap") == 0) {
        open_level(t, event);
    } else if (ends) {
        close_level(t);
    } else {
        write_event(t, event);
    }
}

/* -- The mode ---------------------------------------------------------------------------------- */

static void destroy(void *state)
{
    trace *t = state;
    tm_trace_forget(&t->names, 0);
    tm_text_free(&t->line);
    tm_text_free(&t->notes);
    if (t->prefix)
        tm_free(t->prefix, strlen(t->prefix) + 1);
    tm_free(t, sizeof *t);
}

static const tm_mode_def trace_mode = {.struct_size = sizeof(tm_mode_def),
                                       .name = "trace",
                                       .before = before,
                                       .after = after,
                                       .destroy = destroy,
                                       .event = event};

tm_mode *tm_trace_push_saving(FILE *stream, const char *prefix)
{
    if (!stream) {
        tm_error_null("trace_push", "stream");
        return NULL;
    }
    tm_thread *thread = tm_thread_get();
    trace *t = tm_alloc(sizeof *t);
    char *copy = t && prefix ? tm_alloc(strlen(prefix) + 1) : NULL;
    if (!thread || !t || (prefix && !copy)) {
        tm_error_memory("trace_push", (int64_t)sizeof *t);
        if (t)
            tm_free(t, sizeof *t);
        return NULL;
    }
    *t = (trace){.stream = stream, .levels_before = thread->num_levels - thread->level_base};
    t->prefix = copy ? memcpy(copy, prefix, strlen(prefix) + 1) : NULL;
    tm_mode *mode = tm_mode_push(&trace_mode, t);
    if (!mode)
        destroy(t);
    return mode;
}

tm_mode *tm_trace_push(FILE *stream)
{
    return tm_trace_push_saving(stream, NULL);
}
