/* program_value.c: a written value as one of a parameter's type.
 *
 * Literals are read by cli_value.c, as the words of a command are. A name is a tensor, a list of
 * them, or a number that an op has returned.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

static bool refuse(tm_misfit *why, const tm_written *written, const char *format, ...)
    TM_PRINTF(3, 4);

static bool refuse(tm_misfit *why, const tm_written *written, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why->message, sizeof why->message, format, list);
    va_end(list);
    why->place = written->place;
    return false;
}

/* What a value is, for errors. */
static const char *describe(tm_program_names *names, const tm_written *written)
{
    if (written->kind == TM_WRITTEN_WORD)
        return written->text;
    if (written->kind != TM_WRITTEN_NAME)
        return written->kind == TM_WRITTEN_TEXT ? "a text" : "a list";
    switch (tm_program_names_at(names, written->name)->kind) {
    case TM_NAMED_TENSOR:
        return "a tensor";
    case TM_NAMED_LIST:
        return written->index < 0 ? "a list of tensors" : "a tensor";
    case TM_NAMED_SCALAR:
        return "a number";
    default:
        return "nothing";
    }
}

static const char *what_fits(const tm_param *param)
{
    switch (param->type) {
    case TM_TYPE_TENSOR:
        return "a tensor";
    case TM_TYPE_TENSOR_LIST:
        return "a list of tensors";
    case TM_TYPE_INT_LIST:
        return "a list of integers that an int64 can hold";
    case TM_TYPE_STR:
        return "a text in quotes";
    default:
        return tm_cli_expected(param->type);
    }
}

static bool misfit(tm_program_names *names, const tm_param *param, const tm_written *written,
                   tm_misfit *why)
{
    return refuse(why, written, "%s must be %s%s, got %.100s", param->name, what_fits(param),
                  param->optional ? ", or None" : "", describe(names, written));
}

static bool is_ended(tm_program_names *names, const tm_written *written)
{
    return written->kind == TM_WRITTEN_NAME &&
           tm_program_names_at(names, written->name)->kind == TM_NAMED_ENDED;
}

static bool ended(const tm_written *written, tm_misfit *why)
{
    return refuse(why, written, "'%.100s' belongs to a vmap block that has ended", written->text);
}

/* The tensor behind NAME or NAME[INDEX]. */
static bool find_tensor(tm_program_names *names, const tm_param *param, const tm_written *written,
                        const tm_tensor **tensor, tm_misfit *why)
{
    if (is_ended(names, written))
        return ended(written, why);
    if (written->kind != TM_WRITTEN_NAME)
        return misfit(names, param, written, why);
    const tm_named *named = tm_program_names_at(names, written->name);
    if (named->kind == TM_NAMED_LIST && written->index >= named->count)
        return refuse(why, written, "'%.100s' has %d tensor%s, there is none at %lld",
                      written->text, named->count, named->count == 1 ? "" : "s",
                      (long long)written->index);
    if (named->kind != TM_NAMED_LIST && written->index >= 0)
        return refuse(why, written, "'%.100s' is no list of tensors", written->text);
    bool element = named->kind == TM_NAMED_LIST && written->index >= 0;
    if (!element && named->kind != TM_NAMED_TENSOR)
        return misfit(names, param, written, why);
    *tensor = named->tensors[element ? written->index : 0];
    return true;
}

static bool find_list(tm_cli_memory *memory, tm_program_names *names, const tm_param *param,
                      const tm_written *written, tm_tensor_list *list, tm_misfit *why)
{
    if (is_ended(names, written))
        return ended(written, why);
    if (written->kind == TM_WRITTEN_NAME && written->index < 0) {
        const tm_named *named = tm_program_names_at(names, written->name);
        *list = (tm_tensor_list){named->tensors, named->count};
        return named->kind == TM_NAMED_LIST || misfit(names, param, written, why);
    }
    if (written->kind != TM_WRITTEN_LIST)
        return misfit(names, param, written, why);
    const tm_tensor **tensors = tm_cli_alloc(memory, (size_t)written->count + 1, sizeof *tensors);
    for (int i = 0; i < written->count; i++)
        if (!find_tensor(names, param, &written->items[i], &tensors[i], why))
            return false;
    *list = (tm_tensor_list){tensors, written->count};
    return true;
}

/* "(0, 1)" as the word "0,1". */
static const char *join(tm_cli_memory *memory, const tm_written *written)
{
    size_t length = 3;
    for (int i = 0; i < written->count; i++) {
        if (written->items[i].kind != TM_WRITTEN_WORD)
            return NULL;
        length += strlen(written->items[i].text) + 1;
    }
    char *word = tm_cli_alloc(memory, length, 1), *to = word;
    for (int i = 0; i < written->count; i++)
        to += sprintf(to, "%s%s", i ? "," : "", written->items[i].text);
    return written->count ? word : "()";
}

/* A number that an op has returned. */
static bool from_scalar(const tm_param *param, tm_scalar scalar, tm_cli_room *room, tm_value *value)
{
    bool ok = true;
    switch (param->type) {
    case TM_TYPE_SCALAR:
        value->scalar = room->scalar = scalar;
        break;
    case TM_TYPE_INT:
        ok = scalar.kind == TM_KIND_INT;
        value->i = room->i = scalar.value.i;
        break;
    case TM_TYPE_FLOAT:
        ok = scalar.kind == TM_KIND_INT || scalar.kind == TM_KIND_FLOAT;
        value->f = room->f = tm_scalar_as_float(scalar);
        break;
    case TM_TYPE_BOOL:
        ok = scalar.kind == TM_KIND_BOOL;
        value->b = room->b = scalar.value.b;
        break;
    default:
        return false;
    }
    if (param->optional)
        value->opt = room;
    return ok;
}

static bool is_none(const tm_written *written)
{
    return written->kind == TM_WRITTEN_WORD && strcmp(written->text, "None") == 0;
}

bool tm_written_fits(tm_cli_memory *memory, tm_program_names *names, const tm_param *param,
                     const tm_written *written, tm_cli_room *room, tm_value *value, tm_misfit *why)
{
    if (param->type == TM_TYPE_TENSOR) {
        value->tensor = TM_NONE;
        return (param->optional && is_none(written)) ||
               find_tensor(names, param, written, &value->tensor, why);
    }
    if (param->type == TM_TYPE_TENSOR_LIST)
        return find_list(memory, names, param, written, &value->tensors, why);
    const char *word = written->text;
    bool ok = false;
    switch (written->kind) {
    case TM_WRITTEN_NAME:
        if (is_ended(names, written))
            return ended(written, why);
        const tm_named *named = tm_program_names_at(names, written->name);
        ok = named->kind == TM_NAMED_SCALAR && written->index < 0 &&
             from_scalar(param, named->scalar, room, value);
        break;
    case TM_WRITTEN_TEXT: /* "None" in quotes is a text */
        ok = param->type == TM_TYPE_STR;
        value->str = word;
        break;
    case TM_WRITTEN_LIST:
        ok = param->type == TM_TYPE_INT_LIST && (word = join(memory, written)) &&
             tm_cli_value(memory, param, word, room, value);
        break;
    case TM_WRITTEN_WORD:
        ok = param->type != TM_TYPE_STR || is_none(written);
        ok = ok && tm_cli_value(memory, param, word, room, value);
        ok = ok && (param->type != TM_TYPE_STR || param->optional);
    }
    return ok || misfit(names, param, written, why);
}
