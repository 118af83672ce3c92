/* schema.c: the schema parser.
 *
 *     schema  = name [ "." overload ] "(" [ param { "," param } ] ")" "->" outputs
 *     param   = type [ "?" | "!" ] name [ "=" default ]
 *     outputs = output | "(" output { "," output } ")"
 *     output  = ( "Tensor" [ "!" ] | "Scalar" ) [ name ]
 *     default = None | True | False | number | dtype | 'text' | "[" [ int { "," int } ] "]"
 *
 * One pass over the text with one character of look-ahead; the first error wins and carries its
 * column. Nothing is allocated: names go into the schema's own text.
 */
#include "schema.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *start, *at;
    tm_schema *schema;
    tm_schema_error *error;
    size_t text_used, ints_used;
    bool failed;
} parser;

static bool fail(parser *p, const char *at, const char *format, ...) TM_PRINTF(3, 4);

static bool fail(parser *p, const char *at, const char *format, ...)
{
    if (p->failed)
        return false;
    p->failed = true;
    p->error->column = (int)(at - p->start) + 1;
    va_list list;
    va_start(list, format);
    vsnprintf(p->error->message, sizeof p->error->message, format, list);
    va_end(list);
    return false;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool accept(parser *p, const char *token)
{
    skip_space(p);
    size_t length = strlen(token);
    if (strncmp(p->at, token, length) != 0)
        return false;
    p->at += length;
    return true;
}

static bool expect(parser *p, const char *token)
{
    if (accept(p, token))
        return true;
    if (*p->at)
        return fail(p, p->at, "expected '%s', got '%c'", token, *p->at);
    return fail(p, p->at, "expected '%s', got the end", token);
}

static bool name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *store(parser *p, const char *from, size_t length)
{
    if (length + 1 > TM_SCHEMA_TEXT - p->text_used) {
        fail(p, from, "the schema's names are too long");
        return "";
    }
    char *to = p->schema->text + p->text_used;
    memcpy(to, from, length);
    to[length] = '\0';
    p->text_used += length + 1;
    return to;
}

/* A name, stored; NULL after a failure. `what` says in words what is wanted. */
static const char *parse_name(parser *p, const char *what)
{
    skip_space(p);
    const char *from = p->at;
    if (!name_start(*from)) {
        if (*from)
            fail(p, from, "expected %s, got '%c'", what, *from);
        else
            fail(p, from, "expected %s, got the end", what);
        return NULL;
    }
    while (name_char(*p->at))
        p->at++;
    if (p->at - from > TM_SCHEMA_NAME) {
        fail(p, from, "%s is longer than %d characters", what, TM_SCHEMA_NAME);
        return NULL;
    }
    return store(p, from, (size_t)(p->at - from));
}

static bool parse_type(parser *p, tm_type *type)
{
    static const struct {
        const char *word;
        tm_type plain;
        int list; /* the list's type, or -1 */
    } words[] = {
        {"Tensor", TM_TYPE_TENSOR, TM_TYPE_TENSOR_LIST},
        {"int", TM_TYPE_INT, TM_TYPE_INT_LIST},
        {"float", TM_TYPE_FLOAT, -1},
        {"bool", TM_TYPE_BOOL, -1},
        {"str", TM_TYPE_STR, -1},
        {"dtype", TM_TYPE_DTYPE, -1},
        {"Scalar", TM_TYPE_SCALAR, -1},
        {"Generator", TM_TYPE_GENERATOR, -1},
    };
    skip_space(p);
    const char *from = p->at;
    while (name_char(*p->at))
        p->at++;
    size_t length = (size_t)(p->at - from);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (length != strlen(words[i].word) || strncmp(from, words[i].word, length) != 0)
            continue;
        *type = words[i].plain;
        const char *bracket = p->at;
        if (!accept(p, "["))
            return true;
        if (words[i].list < 0)
            return fail(p, bracket, "there is no list of %s", words[i].word);
        *type = (tm_type)words[i].list;
        return expect(p, "]");
    }
    if (length == 0)
        return fail(p, from, *from ? "expected a type, got '%c'" : "expected a type, got the end",
                    *from);
    return fail(p, from,
                "'%.*s' is no type (Tensor, int, float, bool, str, dtype, Scalar, "
                "Generator)",
                (int)(length > 40 ? 40 : length), from);
}

static bool parse_int(parser *p, int64_t *value)
{
    skip_space(p);
    const char *from = p->at;
    char *end;
    errno = 0;
    long long number = strtoll(from, &end, 10);
    if (end == from || isspace((unsigned char)*from))
        return fail(p, from, "expected an integer");
    if (errno == ERANGE)
        return fail(p, from, "the integer does not fit in 64 bits");
    p->at = end;
    *value = number;
    return true;
}

static bool parse_int_list(parser *p, tm_int_list *list)
{
    if (!expect(p, "["))
        return false;
    int64_t *first = p->schema->ints + p->ints_used;
    int64_t count = 0;
    if (!accept(p, "]")) {
        do {
            if (p->ints_used == TM_SCHEMA_INTS)
                return fail(p, p->at, "more than %d integers in defaults", TM_SCHEMA_INTS);
            if (!parse_int(p, &first[count]))
                return false;
            p->ints_used++;
            count++;
        } while (accept(p, ","));
        if (!expect(p, "]"))
            return false;
    }
    *list = (tm_int_list){first, count};
    return true;
}

static bool parse_bool(parser *p, bool *value)
{
    if (accept(p, "True"))
        return *value = true, true;
    if (accept(p, "False"))
        return *value = false, true;
    return fail(p, p->at, "expected True or False");
}

static bool parse_float(parser *p, double *value)
{
    skip_space(p);
    char *end;
    *value = strtod(p->at, &end);
    if (end == p->at)
        return fail(p, p->at, "expected a number");
    p->at = end;
    return true;
}

static bool parse_scalar(parser *p, tm_scalar *scalar)
{
    skip_space(p);
    bool flag = false;
    if (*p->at == 'T' || *p->at == 'F') {
        bool ok = parse_bool(p, &flag);
        *scalar = tm_scalar_bool(flag);
        return ok;
    }
    size_t sign = strspn(p->at, "+-"), digits = strspn(p->at + sign, "0123456789");
    if (digits && !strchr(".eExX", p->at[sign + digits] ? p->at[sign + digits] : ' ')) {
        int64_t number = 0;
        bool ok = parse_int(p, &number);
        *scalar = tm_scalar_int(number);
        return ok;
    }
    double number = 0;
    bool ok = parse_float(p, &number);
    *scalar = tm_scalar_float(number);
    return ok;
}

static bool parse_text(parser *p, const char **value)
{
    if (!expect(p, "'"))
        return false;
    const char *from = p->at;
    while (*p->at && *p->at != '\'')
        p->at++;
    *value = store(p, from, (size_t)(p->at - from));
    return expect(p, "'");
}

static bool parse_default(parser *p, tm_param *param, int index)
{
    tm_schema *schema = p->schema;
    tm_value *value = &param->fallback;
    param->has_default = true;
    skip_space(p);
    const char *at = p->at;
    if (accept(p, "None")) {
        if (!param->optional)
            return fail(p, at, "None is the default of an optional parameter only");
        if (param->type == TM_TYPE_TENSOR)
            value->tensor = TM_NONE;
        else if (param->type == TM_TYPE_DTYPE)
            value->dtype = TM_DTYPE_NONE;
        else
            value->opt = NULL;
        return true;
    }
    /* An optional by-value type points at its value, which has room in the schema. */
    tm_scalar *room = &schema->values[index];
    switch (param->type) {
    case TM_TYPE_INT: {
        bool ok = parse_int(p, &room->value.i);
        value->i = room->value.i;
        if (param->optional)
            value->opt = &room->value.i;
        return ok;
    }
    case TM_TYPE_FLOAT: {
        bool ok = parse_float(p, &room->value.f);
        value->f = room->value.f;
        if (param->optional)
            value->opt = &room->value.f;
        return ok;
    }
    case TM_TYPE_BOOL: {
        bool ok = parse_bool(p, &room->value.b);
        value->b = room->value.b;
        if (param->optional)
            value->opt = &room->value.b;
        return ok;
    }
    case TM_TYPE_SCALAR: {
        bool ok = parse_scalar(p, room);
        value->scalar = *room;
        if (param->optional)
            value->opt = room;
        return ok;
    }
    case TM_TYPE_INT_LIST: {
        bool ok = parse_int_list(p, &schema->lists[index]);
        value->ints = schema->lists[index];
        if (param->optional)
            value->opt = &schema->lists[index];
        return ok;
    }
    case TM_TYPE_STR:
        return parse_text(p, &value->str);
    case TM_TYPE_DTYPE: {
        const char *name = parse_name(p, "a dtype");
        value->dtype = tm_dtype_from_name(name);
        if (name && value->dtype == TM_DTYPE_NONE)
            return fail(p, at, "'%s' is no dtype", name);
        return name != NULL;
    }
    case TM_TYPE_TENSOR_LIST:
        value->tensors = (tm_tensor_list){NULL, 0};
        if (accept(p, "[") && accept(p, "]"))
            return true;
        return fail(p, at, "a list of tensors has no default but []");
    default:
        return fail(p, at, "a %s has no default but None",
                    param->type == TM_TYPE_GENERATOR ? "Generator" : "tensor");
    }
}

static bool parse_param(parser *p)
{
    tm_schema *schema = p->schema;
    skip_space(p);
    const char *from = p->at;
    if (schema->num_params == TM_MAX_ARGS)
        return fail(p, from, "more than %d parameters", TM_MAX_ARGS);
    int index = schema->num_params;
    tm_param *param = &schema->params[index];
    if (!parse_type(p, &param->type))
        return false;
    const char *mark = p->at;
    if (accept(p, "?"))
        param->optional = true;
    else if (accept(p, "!"))
        param->written = true;
    if (param->optional && param->type == TM_TYPE_TENSOR_LIST)
        return fail(p, mark, "a list of tensors cannot be optional; an empty list says as much");
    if (param->type == TM_TYPE_GENERATOR) {
        if (!param->optional)
            return fail(p, mark, "a Generator is optional (Generator?): None is the thread's own");
        for (int i = 0; i < index; i++)
            if (schema->params[i].type == TM_TYPE_GENERATOR)
                return fail(p, from, "there are two Generators");
    }
    if (param->written && param->type != TM_TYPE_TENSOR)
        return fail(p, mark, "only a Tensor can be written");
    const char *name_at = p->at + strspn(p->at, " ");
    param->name = parse_name(p, "a parameter's name");
    if (!param->name)
        return false;
    for (int i = 0; i < index; i++)
        if (strcmp(schema->params[i].name, param->name) == 0)
            return fail(p, name_at, "there are two parameters '%s'", param->name);
    schema->num_params++;
    if (accept(p, "="))
        return parse_default(p, param, index);
    if (index > 0 && schema->params[index - 1].has_default && !param->written)
        return fail(p, name_at, "'%s' needs a default, like the parameter before it", param->name);
    return true;
}

static bool parse_output(parser *p)
{
    tm_schema *schema = p->schema;
    skip_space(p);
    const char *from = p->at;
    if (schema->num_outputs == TM_MAX_OUTPUTS)
        return fail(p, from, "more than %d outputs", TM_MAX_OUTPUTS);
    tm_schema_output *output = &schema->outputs[schema->num_outputs++];
    output->name = "";
    if (!parse_type(p, &output->type))
        return false;
    if (output->type != TM_TYPE_TENSOR && output->type != TM_TYPE_SCALAR &&
        output->type != TM_TYPE_TENSOR_LIST)
        return fail(p, from, "an output is a Tensor, a Tensor[] or a Scalar");
    if (schema->num_outputs > 1 &&
        (output->type == TM_TYPE_TENSOR_LIST || schema->outputs[0].type == TM_TYPE_TENSOR_LIST))
        return fail(p, from, "a list of tensors is an op's only output");
    if (output->type == TM_TYPE_TENSOR)
        output->written = accept(p, "!");
    skip_space(p);
    if (!name_start(*p->at))
        return true;
    const char *name_at = p->at;
    output->name = parse_name(p, "an output's name");
    for (int i = 0; output->name && i < schema->num_outputs - 1; i++)
        if (strcmp(schema->outputs[i].name, output->name) == 0)
            return fail(p, name_at, "there are two outputs '%s'", output->name);
    return output->name != NULL;
}

/* Every `Tensor!` output stands for the written parameter of the same rank among those. */
static bool check_written(parser *p, const char *arrow)
{
    int params = 0, outputs = 0;
    for (int i = 0; i < p->schema->num_params; i++)
        params += p->schema->params[i].written;
    for (int i = 0; i < p->schema->num_outputs; i++)
        outputs += p->schema->outputs[i].written;
    if (params == outputs)
        return true;
    return fail(p, arrow, "%d parameters are written (Tensor!), but %d outputs are", params,
                outputs);
}

bool tm_schema_parse(const char *text, tm_schema *schema, tm_schema_error *error)
{
    memset(schema, 0, sizeof *schema);
    memset(error, 0, sizeof *error);
    parser p = {.start = text, .at = text, .schema = schema, .error = error};
    schema->overload = "";
    schema->name = parse_name(&p, "the op's name");
    if (!schema->name)
        return false;
    if (*p.at == '.') {
        p.at++;
        schema->overload = parse_name(&p, "the overload's name");
        if (!schema->overload)
            return false;
    }
    if (!expect(&p, "("))
        return false;
    if (!accept(&p, ")")) {
        do {
            if (!parse_param(&p))
                return false;
        } while (accept(&p, ","));
        if (!expect(&p, ")"))
            return false;
    }
    skip_space(&p);
    const char *arrow = p.at;
    if (!expect(&p, "->"))
        return false;
    if (accept(&p, "(")) {
        do {
            if (!parse_output(&p))
                return false;
        } while (accept(&p, ","));
        if (!expect(&p, ")"))
            return false;
    } else if (!parse_output(&p)) {
        return false;
    }
    skip_space(&p);
    if (*p.at)
        return fail(&p, p.at, "expected the end, got '%c'", *p.at);
    return !p.failed && check_written(&p, arrow);
}

int tm_schema_identifier(const tm_schema *schema, char *buffer, size_t size)
{
    int length = snprintf(buffer, size, "%s%s%s", schema->name, schema->overload[0] ? "_" : "",
                          schema->overload);
    for (char *c = buffer; size && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return length;
}
