/* trace.c: a mode that writes each call: op, arguments as one example sees them, the levels each is
 * mapped at (1 is the outermost), what comes out. Calls inside a composite are indented under it.
 */

#include <transmute/modes.h>

#include "dispatch/memory.h"
#include "dispatch/mode.h"

typedef struct trace {
    FILE *stream;
    int depth;
} trace;

static void print_tensor(const tm_call *call, FILE *stream, const tm_tensor *x)
{
    if (!x || x == TM_NONE) {
        fputs(x ? "None" : "NULL", stream);
        return;
    }
    char shape[TM_MAX_NDIM * 24];
    tm_sizes_print(shape, sizeof shape, x->ndim, x->shape);
    fprintf(stream, "%s%s", tm_dtype_name((tm_dtype)x->dtype), shape);
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    for (int i = 0; i < n; i++) {
        const tm_thread *thread = call->thread;
        int level = thread->level_base;
        while (level < thread->num_levels && thread->levels[level].id != entries[i].level)
            level++;
        fprintf(stream, "%s%d", i ? "," : "@", level - thread->level_base + 1);
    }
}

static void print_scalar(FILE *stream, tm_scalar scalar)
{
    switch (scalar.kind) {
    case TM_KIND_BOOL:
        fputs(scalar.value.b ? "True" : "False", stream);
        break;
    case TM_KIND_INT:
        fprintf(stream, "%lld", (long long)scalar.value.i);
        break;
    case TM_KIND_FLOAT:
        fprintf(stream, "%.17g", scalar.value.f);
        break;
    default:
        fprintf(stream, "%.17g%+.17gj", scalar.value.c.re, scalar.value.c.im);
    }
}

static void print_ints(FILE *stream, const tm_int_list *ints)
{
    fputc('(', stream);
    for (int64_t i = 0; i < ints->count; i++)
        fprintf(stream, "%s%lld", i ? ", " : "", (long long)ints->data[i]);
    fputs(ints->count == 1 ? ",)" : ")", stream);
}

/* As it stood before the call: a random call that is traced has been counted. */
static void print_generator(const tm_call *call, FILE *stream, const tm_generator *generator)
{
    uint64_t count = generator->count;
    if (call->op->def.contract == TM_RANDOM && call->failure.code == TM_OK)
        count = call->stream.count;
    fprintf(stream, "gen(%llu", (unsigned long long)generator->seed);
    if (count)
        fprintf(stream, ", %llu", (unsigned long long)count);
    fputc(')', stream);
}

static void print_arg(const tm_call *call, FILE *stream, const tm_param *param,
                      const tm_value *value)
{
    bool optional = param->optional;
    if (param->type == TM_TYPE_TENSOR) {
        print_tensor(call, stream, value->tensor);
        return;
    }
    if (optional && param->type != TM_TYPE_DTYPE && !value->opt) {
        fputs("None", stream);
        return;
    }
    switch (param->type) {
    case TM_TYPE_TENSOR_LIST:
        fputc('[', stream);
        for (int64_t i = 0; i < value->tensors.count && value->tensors.data; i++) {
            fputs(i ? ", " : "", stream);
            print_tensor(call, stream, value->tensors.data[i]);
        }
        fputc(']', stream);
        break;
    case TM_TYPE_INT:
        fprintf(stream, "%lld", (long long)(optional ? *(const int64_t *)value->opt : value->i));
        break;
    case TM_TYPE_INT_LIST:
        print_ints(stream, optional ? value->opt : &value->ints);
        break;
    case TM_TYPE_FLOAT:
        fprintf(stream, "%.17g", optional ? *(const double *)value->opt : value->f);
        break;
    case TM_TYPE_BOOL:
        fputs((optional ? *(const bool *)value->opt : value->b) ? "True" : "False", stream);
        break;
    case TM_TYPE_STR:
        fprintf(stream, "'%s'", value->str ? value->str : "");
        break;
    case TM_TYPE_DTYPE:
        fputs(value->dtype == TM_DTYPE_NONE ? "None" : tm_dtype_name(value->dtype), stream);
        break;
    case TM_TYPE_GENERATOR:
        print_generator(call, stream, value->generator);
        break;
    default:
        print_scalar(stream, optional ? *(const tm_scalar *)value->opt : value->scalar);
    }
}

static void before(const tm_call *call, void *state)
{
    trace *t = state;
    const tm_schema *schema = &call->op->schema;
    fprintf(t->stream, "%*s%s(", 2 * t->depth++, "", schema->name);
    for (int i = 0; i < schema->num_params; i++) {
        fprintf(t->stream, "%s%s=", i ? ", " : "", schema->params[i].name);
        print_arg(call, t->stream, &schema->params[i], &call->args[i]);
    }
    fputc(')', t->stream);
    bool list = call->op->list_output && call->failure.code == TM_OK;
    if (list)
        fputs(" -> [", t->stream);
    for (int i = 0; i < call->num_outputs && call->failure.code == TM_OK; i++) {
        char shape[TM_MAX_NDIM * 24];
        if (!tm_op_gives_tensor(call->op, i)) {
            fprintf(t->stream, "%sScalar", i ? ", " : " -> ");
            continue;
        }
        if (!tm_output_is_set(call, i))
            break;
        const tm_spec *spec = &call->specs[i];
        tm_sizes_print(shape, sizeof shape, spec->ndim, spec->shape);
        fprintf(t->stream, "%s%s%s",
                i      ? ", "
                : list ? ""
                       : " -> ",
                tm_dtype_name(spec->dtype), shape);
    }
    fputs(list ? "]\n" : "\n", t->stream);
}

static void after(const tm_call *call, tm_status status, void *state)
{
    trace *t = state;
    t->depth--;
    if (status == TM_OK)
        return;
    const char *message = call->failure.code != TM_OK ? call->failure.message
                          : tm_error_get()            ? tm_error_get()->message
                                                      : "";
    fprintf(t->stream, "%*s! %s: %s\n", 2 * t->depth, "", tm_status_name(status), message);
}

static void destroy(void *state)
{
    tm_free(state, sizeof(trace));
}

static const tm_mode_def trace_mode = {.struct_size = sizeof(tm_mode_def),
                                       .name = "trace",
                                       .before = before,
                                       .after = after,
                                       .destroy = destroy};

tm_mode *tm_trace_push(FILE *stream)
{
    if (!stream) {
        tm_error_null("trace_push", "stream");
        return NULL;
    }
    trace *t = tm_alloc(sizeof *t);
    if (!t) {
        tm_error_memory("trace_push", (int64_t)sizeof *t);
        return NULL;
    }
    *t = (trace){.stream = stream};
    tm_mode *mode = tm_mode_push(&trace_mode, t);
    if (!mode)
        tm_free(t, sizeof *t);
    return mode;
}
