/* trace_value.c: a value as it is written in a program. A number reads back as the same number: a
 * float always has a point, an exponent or a name, so that it is not taken for an integer.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/generator.h"
#include "trace.h"

void tm_trace_printf(tm_text *text, const char *format, ...)
{
    char piece[TM_MESSAGE_SIZE + TM_NAME_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    tm_text_append_string(text, piece);
}

void tm_trace_form(tm_text *text, const tm_tensor *x)
{
    if (!x || x == TM_NONE) {
        tm_text_append_string(text, x ? "None" : "NULL");
        return;
    }
    char shape[TM_MAX_NDIM * 24];
    tm_sizes_print(shape, sizeof shape, x->ndim, x->shape);
    tm_trace_printf(text, "%s%s", tm_dtype_name((tm_dtype)x->dtype), shape);
    const tm_thread *thread = tm_thread_get();
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    for (int i = 0; thread && i < n; i++) {
        int level = thread->level_base;
        while (level < thread->num_levels && thread->levels[level].id != entries[i].level)
            level++;
        tm_trace_printf(text, "%s%d", i ? "," : "@", level - thread->level_base + 1);
    }
}

void tm_trace_quote(tm_text *text, const char *string)
{
    tm_text_append_string(text, "\"");
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            tm_trace_printf(text, "\\%c", c);
        else if (c == '\n')
            tm_text_append_string(text, "\\n");
        else if (c < ' ' || c == 127)
            tm_trace_printf(text, "\\x%02x", c);
        else
            tm_text_append(text, string, 1);
    }
    tm_text_append_string(text, "\"");
}

static void print_float(tm_text *text, double value)
{
    char word[TM_WORD_MAX];
    int length = tm_words_write_scalar(TM_FLOAT64, &value, word);
    tm_text_append(text, word, (size_t)length);
}

/* "(1+2j)" without the brackets. */
static void print_complex(tm_text *text, double re, double im)
{
    char word[TM_WORD_MAX];
    double parts[2] = {re, im};
    int length = tm_words_write_scalar(TM_COMPLEX128, parts, word);
    bool bracket = word[0] == '(';
    tm_text_append(text, word + bracket, (size_t)(length - 2 * bracket));
}

void tm_trace_scalar(tm_text *text, tm_scalar scalar)
{
    switch (scalar.kind) {
    case TM_KIND_BOOL:
        tm_text_append_string(text, scalar.value.b ? "True" : "False");
        break;
    case TM_KIND_INT:
        tm_trace_printf(text, "%lld", (long long)scalar.value.i);
        break;
    case TM_KIND_FLOAT:
        print_float(text, scalar.value.f);
        break;
    case TM_KIND_COMPLEX:
        print_complex(text, scalar.value.c.re, scalar.value.c.im);
        break;
    default:
        tm_text_append_string(text, "NULL");
    }
}

static void print_ints(tm_text *text, const tm_int_list *ints)
{
    tm_text_append_string(text, "(");
    for (int64_t i = 0; i < ints->count && ints->data; i++)
        tm_trace_printf(text, "%s%lld", i ? ", " : "", (long long)ints->data[i]);
    tm_text_append_string(text, ints->count == 1 ? ",)" : ")");
}

void tm_trace_generator(tm_text *text, const tm_generator *generator, const tm_call *call)
{
    if (!generator) {
        tm_text_append_string(text, "None");
        return;
    }
    uint64_t count = generator->count;
    if (call->op->def.contract == TM_RANDOM && call->failure.code == TM_OK)
        count = call->stream.count;
    tm_trace_printf(text, "gen(%llu", (unsigned long long)generator->seed);
    if (count)
        tm_trace_printf(text, ", %llu", (unsigned long long)count);
    tm_text_append_string(text, ")");
}

void tm_trace_value(tm_text *text, tm_type type, bool optional, const tm_value *value)
{
    if (optional && type != TM_TYPE_DTYPE && !value->opt) {
        tm_text_append_string(text, "None");
        return;
    }
    switch (type) {
    case TM_TYPE_INT:
        tm_trace_printf(text, "%lld",
                        (long long)(optional ? *(const int64_t *)value->opt : value->i));
        break;
    case TM_TYPE_INT_LIST:
        print_ints(text, optional ? value->opt : &value->ints);
        break;
    case TM_TYPE_FLOAT:
        print_float(text, optional ? *(const double *)value->opt : value->f);
        break;
    case TM_TYPE_BOOL:
        tm_text_append_string(text,
                              (optional ? *(const bool *)value->opt : value->b) ? "True" : "False");
        break;
    case TM_TYPE_STR:
        tm_trace_quote(text, value->str ? value->str : "");
        break;
    case TM_TYPE_DTYPE:
        tm_text_append_string(text,
                              value->dtype == TM_DTYPE_NONE ? "None" : tm_dtype_name(value->dtype));
        break;
    default:
        tm_trace_scalar(text, optional ? *(const tm_scalar *)value->opt : value->scalar);
    }
}
