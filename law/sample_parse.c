/* sample_parse.c: the language of samples.
 *
 *     args    = [ arg { "," arg } ]            in the schema's order, or named
 *     arg     = [ name "=" ] value             as the parameter's type asks:
 *     Tensor  = "None" | dtype "[" sizes "]" [ "{" numbers "}" | "~" generator ]
 *     Tensor[]= "[" [ Tensor { "," Tensor } ] "]"
 *     int[]   = int | "(" [ int { "," int } [ "," ] ] ")"
 *     int, float, bool (True, False), Scalar (any of them, or complex 1+2j), str ('x'), dtype
 *     "None" where the parameter is optional
 *     expected = result { "," result } | "!" code ":" message
 *
 * dtypes are short (f32, i64, b8, c128) or by their full name; numbers in braces are separated by
 * spaces or commas. The parser goes by the op's schema, so every error can say what was wanted.
 */
#include "law/sample.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "law/elements.h"

typedef struct parser {
    tm_law_arena *arena;
    const char *start, *at;
    char *error;
    size_t error_size;
    tm_law_sample *sample;
    int tensor_room;
} parser;

static bool fail(parser *p, const char *at, const char *format, ...) TM_PRINTF(3, 4);

static bool fail(parser *p, const char *at, const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    snprintf(p->error, p->error_size, "%s at column %d of \"%s\"", what, (int)(at - p->start) + 1,
             p->start);
    return false;
}

static bool no_memory(parser *p)
{
    snprintf(p->error, p->error_size, "no memory for the sample");
    return false;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t')
        p->at++;
}

static bool accept(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool expect(parser *p, char c)
{
    if (accept(p, c))
        return true;
    if (*p->at)
        return fail(p, p->at, "expected '%c', got '%c'", c, *p->at);
    return fail(p, p->at, "expected '%c', got the end", c);
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Accepts a whole word, not the start of a longer one. */
static bool accept_word(parser *p, const char *word)
{
    skip_space(p);
    size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0 || word_char(p->at[length]))
        return false;
    p->at += length;
    return true;
}

/* -- Numbers ---------------------------------------------------------------------------------- */

static bool parse_int(parser *p, int64_t *value)
{
    skip_space(p);
    char *end;
    errno = 0;
    long long number = strtoll(p->at, &end, 10);
    if (end == p->at)
        return fail(p, p->at, "expected an integer");
    if (*end == '.' || *end == 'e' || *end == 'E')
        return fail(p, p->at, "expected an integer, got a float");
    if (errno == ERANGE)
        return fail(p, p->at, "the integer does not fit in 64 bits");
    p->at = end;
    *value = number;
    return true;
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

static bool parse_bool(parser *p, bool *value)
{
    *value = accept_word(p, "True");
    if (*value || accept_word(p, "False"))
        return true;
    return fail(p, p->at, "expected True or False");
}

/* A number of any kind; what it is follows from how it is written. */
static bool parse_scalar(parser *p, tm_scalar *scalar)
{
    skip_space(p);
    bool flag;
    if (*p->at == 'T' || *p->at == 'F') {
        bool ok = parse_bool(p, &flag);
        *scalar = tm_scalar_bool(ok && flag);
        return ok;
    }
    const char *from = p->at;
    double re, im;
    if (!parse_float(p, &re))
        return false;
    if (*p->at == 'j') {
        p->at++;
        *scalar = tm_scalar_complex(0, re);
        return true;
    }
    if (*p->at == '+' || *p->at == '-') {
        if (!parse_float(p, &im))
            return false;
        if (*p->at != 'j')
            return fail(p, p->at, "expected 'j' after the imaginary part");
        p->at++;
        *scalar = tm_scalar_complex(re, im);
        return true;
    }
    size_t digits = strspn(from, "+-0123456789");
    if (from + digits != p->at) {
        *scalar = tm_scalar_float(re);
        return true;
    }
    p->at = from;
    int64_t integer = 0;
    bool ok = parse_int(p, &integer);
    *scalar = tm_scalar_int(integer);
    return ok;
}

static bool parse_int_list(parser *p, tm_int_list *list)
{
    int64_t few[TM_MAX_NDIM + 8];
    int64_t count = 0;
    bool single = !accept(p, '(');
    while (single || !accept(p, ')')) {
        if (count == (int64_t)(sizeof few / sizeof *few))
            return fail(p, p->at, "more than %d integers in a list", (int)count);
        if (!parse_int(p, &few[count]))
            return false;
        count++;
        if (single)
            break;
        if (!accept(p, ',') && *p->at != ')')
            return expect(p, ')');
    }
    int64_t *data = tm_law_alloc_array(p->arena, count, sizeof *data);
    if (!data)
        return no_memory(p);
    memcpy(data, few, (size_t)count * sizeof *data);
    *list = (tm_int_list){data, count};
    return true;
}

/* -- Tensors ---------------------------------------------------------------------------------- */

static tm_dtype find_dtype(const char *name)
{
    static const char *const names[TM_NUM_DTYPES] = {NULL,  "b8",  "i8",  "i16", "i32", "i64",
                                                     "u8",  "u16", "u32", "u64", "f16", "bf16",
                                                     "f32", "f64", "c64", "c128"};
    for (int i = 1; i < TM_NUM_DTYPES; i++)
        if (strcmp(name, names[i]) == 0)
            return (tm_dtype)i;
    return tm_dtype_from_name(name);
}

static const char *const generators[TM_LAW_NUM_GENERATORS] = {
    [TM_LAW_PLAIN] = "",    [TM_LAW_POS] = "pos",         [TM_LAW_UNIT] = "unit",
    [TM_LAW_SPD] = "spd",   [TM_LAW_NONNEG] = "nonneg",   [TM_LAW_INDEX] = "index",
    [TM_LAW_PERM] = "perm", [TM_LAW_SPECIAL] = "special", [TM_LAW_TIES] = "ties"};

const char *tm_law_generator_name(tm_law_generator generator)
{
    return generators[generator];
}

static bool parse_word(parser *p, const char *what, char *word, size_t size)
{
    skip_space(p);
    size_t length = 0;
    while (word_char(p->at[length]))
        length++;
    if (length == 0 || length >= size)
        return *p->at ? fail(p, p->at, "expected %s, got '%c'", what, *p->at)
                      : fail(p, p->at, "expected %s, got the end", what);
    memcpy(word, p->at, length);
    word[length] = '\0';
    p->at += length;
    return true;
}

static bool parse_dtype(parser *p, tm_dtype *dtype)
{
    char word[32];
    skip_space(p);
    const char *from = p->at;
    if (!parse_word(p, "a dtype", word, sizeof word))
        return false;
    *dtype = find_dtype(word);
    return *dtype != TM_DTYPE_NONE || fail(p, from, "'%s' is no dtype", word);
}

static bool parse_generator(parser *p, tm_law_tensor *tensor)
{
    char word[32];
    const char *from = p->at;
    if (!parse_word(p, "a generator", word, sizeof word))
        return false;
    int which = 1;
    while (which < TM_LAW_NUM_GENERATORS && strcmp(word, generators[which]) != 0)
        which++;
    if (which == TM_LAW_NUM_GENERATORS)
        return fail(p, from, "'%s' is no generator", word);
    tensor->generator = (tm_law_generator)which;
    int n = tensor->ndim;
    if (which == TM_LAW_INDEX) {
        if (!expect(p, '(') || !parse_int(p, &tensor->bound) || !expect(p, ')'))
            return false;
        if (tensor->bound < 1)
            return fail(p, from, "~index needs a bound of at least 1");
    }
    if (which == TM_LAW_SPD && (n < 2 || tensor->shape[n - 1] != tensor->shape[n - 2] ||
                                tm_dtype_kind(tensor->dtype) < TM_KIND_FLOAT))
        return fail(p, from, "~spd needs square matrices of a floating-point dtype");
    return true;
}

static bool parse_element(parser *p, tm_dtype dtype, char *to)
{
    skip_space(p);
    const char *from = p->at;
    tm_scalar scalar;
    if (dtype == TM_UINT64 && isdigit((unsigned char)*from)) { /* beyond int64's range */
        char *end;
        errno = 0;
        unsigned long long number = strtoull(from, &end, 10);
        uint64_t value = number;
        if (errno == ERANGE)
            return fail(p, from, "the number is out of uint64's range");
        p->at = end;
        memcpy(to, &value, sizeof value);
        return true;
    }
    if (!parse_scalar(p, &scalar))
        return false;
    if (scalar.kind == TM_KIND_COMPLEX) {
        if (tm_dtype_kind(dtype) != TM_KIND_COMPLEX)
            return fail(p, from, "a complex number in a tensor of %s", tm_dtype_name(dtype));
        tm_law_store_complex(dtype, scalar.value.c.re, scalar.value.c.im, to);
        return true;
    }
    if (scalar.kind == TM_KIND_FLOAT) {
        if (tm_law_is_int(dtype))
            return fail(p, from, "a float in a tensor of %s", tm_dtype_name(dtype));
        tm_law_store(dtype, scalar.value.f, to);
        return true;
    }
    bool minus_zero = *from == '-' && scalar.kind == TM_KIND_INT && scalar.value.i == 0;
    int64_t value = scalar.kind == TM_KIND_BOOL ? scalar.value.b : scalar.value.i;
    if (minus_zero && !tm_law_is_int(dtype))
        tm_law_store(dtype, -0.0, to);
    else if (!tm_law_store_int(dtype, value, to))
        return fail(p, from, "the number is out of %s's range", tm_dtype_name(dtype));
    return true;
}

static bool parse_literal(parser *p, tm_law_tensor *tensor)
{
    const char *from = p->at;
    size_t item = tm_dtype_size(tensor->dtype);
    char *values = tm_law_alloc_array(p->arena, tensor->numel, item);
    if (!values)
        return no_memory(p);
    tensor->literal = values;
    int64_t count = 0;
    for (; !accept(p, '}'); accept(p, ',')) {
        char element[16];
        if (!*p->at)
            return expect(p, '}');
        if (!parse_element(p, tensor->dtype, element))
            return false;
        if (count < tensor->numel)
            memcpy(values + (size_t)count * item, element, item);
        count++;
    }
    if (count != tensor->numel)
        return fail(p, from, "expected %lld values, got %lld", (long long)tensor->numel,
                    (long long)count);
    return true;
}

static bool parse_tensor(parser *p, tm_law_tensor *tensor)
{
    *tensor = (tm_law_tensor){.numel = 1};
    if (!parse_dtype(p, &tensor->dtype) || !expect(p, '['))
        return false;
    while (!accept(p, ']')) {
        const char *from = p->at;
        int64_t size;
        if (tensor->ndim == TM_MAX_NDIM)
            return fail(p, from, "more than %d dimensions", TM_MAX_NDIM);
        if (!parse_int(p, &size))
            return false;
        if (size < 0 || size > 1 << 20)
            return fail(p, from, "a size must be in 0..%d", 1 << 20);
        tensor->shape[tensor->ndim++] = size;
        tensor->numel *= size;
        if (tensor->numel > 1 << 24)
            return fail(p, from, "the tensor is too large for a sample");
        if (!accept(p, ',') && *p->at != ']')
            return expect(p, ']');
    }
    if (accept(p, '{'))
        return parse_literal(p, tensor);
    return !accept(p, '~') || parse_generator(p, tensor);
}

static bool add_tensor(parser *p, tm_law_arg *arg)
{
    tm_law_sample *sample = p->sample;
    if (sample->num_tensors == p->tensor_room) {
        int room = p->tensor_room ? 2 * p->tensor_room : 4;
        tm_law_tensor *more = tm_law_alloc_array(p->arena, room, sizeof *more);
        if (!more)
            return no_memory(p);
        for (int i = 0; i < sample->num_tensors; i++)
            more[i] = sample->tensors[i];
        sample->tensors = more;
        p->tensor_room = room;
    }
    if (arg->count == 0)
        arg->first = sample->num_tensors;
    if (!parse_tensor(p, &sample->tensors[sample->num_tensors]))
        return false;
    sample->num_tensors++;
    arg->count++;
    return true;
}

/* -- Arguments -------------------------------------------------------------------------------- */

static bool parse_none(parser *p, const tm_param *param, tm_law_arg *arg)
{
    if (param->type == TM_TYPE_TENSOR)
        arg->value.tensor = TM_NONE;
    else if (!param->optional)
        return fail(p, p->at, "%s is not optional, it cannot be None", param->name);
    else if (param->type == TM_TYPE_DTYPE)
        arg->value.dtype = TM_DTYPE_NONE;
    else
        arg->value.opt = NULL;
    return true;
}

static bool parse_text(parser *p, const char **text)
{
    if (!expect(p, '\''))
        return false;
    const char *end = strchr(p->at, '\'');
    if (!end)
        return fail(p, p->at, "the string does not end");
    size_t length = (size_t)(end - p->at);
    char *copy = tm_law_alloc(p->arena, length + 1);
    if (!copy)
        return no_memory(p);
    memcpy(copy, p->at, length);
    *text = copy;
    p->at = end + 1;
    return true;
}

static bool parse_value(parser *p, const tm_param *param, tm_law_arg *arg)
{
    if (accept_word(p, "None"))
        return parse_none(p, param, arg);
    bool ok;
    switch (param->type) {
    case TM_TYPE_TENSOR:
        return add_tensor(p, arg);
    case TM_TYPE_TENSOR_LIST:
        if (!expect(p, '['))
            return false;
        while (!accept(p, ']')) {
            if (!add_tensor(p, arg))
                return false;
            if (!accept(p, ',') && *p->at != ']')
                return expect(p, ']');
        }
        return true;
    case TM_TYPE_INT:
        ok = parse_int(p, &arg->room.i);
        arg->value.i = arg->room.i;
        break;
    case TM_TYPE_INT_LIST:
        ok = parse_int_list(p, &arg->room.ints);
        arg->value.ints = arg->room.ints;
        break;
    case TM_TYPE_FLOAT:
        ok = parse_float(p, &arg->room.f);
        arg->value.f = arg->room.f;
        break;
    case TM_TYPE_BOOL:
        ok = parse_bool(p, &arg->room.b);
        arg->value.b = arg->room.b;
        break;
    case TM_TYPE_SCALAR:
        ok = parse_scalar(p, &arg->room.scalar);
        arg->value.scalar = arg->room.scalar;
        break;
    case TM_TYPE_STR:
        return parse_text(p, &arg->value.str);
    default:
        return parse_dtype(p, &arg->value.dtype);
    }
    if (ok && param->optional)
        arg->value.opt = &arg->room;
    return ok;
}

/* Which parameter `name =` at this place names; -1 where it is no name, -2 after a failure. */
static int named_param(parser *p)
{
    skip_space(p);
    const char *from = p->at, *end = from;
    while (word_char(*end))
        end++;
    size_t length = (size_t)(end - from);
    while (*end == ' ')
        end++;
    if (length == 0 || isdigit((unsigned char)*from) || *end != '=')
        return -1;
    const tm_op *op = p->sample->op;
    for (int i = 0; i < tm_op_num_params(op); i++) {
        const char *name = tm_op_param(op, i)->name;
        if (strlen(name) == length && strncmp(name, from, length) == 0) {
            p->at = end + 1;
            return i;
        }
    }
    fail(p, from, "'%.*s' is no parameter of %s", (int)length, from, tm_op_name(op));
    return -2;
}

static bool parse_args(parser *p)
{
    tm_law_sample *sample = p->sample;
    bool given[TM_MAX_ARGS] = {0};
    int next = 0;
    bool any_named = false;
    skip_space(p);
    while (*p->at) {
        const char *from = p->at;
        int i = named_param(p);
        if (i == -2)
            return false;
        if (i >= 0)
            any_named = true;
        else if (any_named)
            return fail(p, from, "an argument without a name after a named one");
        else
            i = next++;
        if (i >= sample->num_args)
            return fail(p, from, "%s takes %d arguments", tm_op_name(sample->op), sample->num_args);
        if (given[i])
            return fail(p, from, "%s is given twice", tm_op_param(sample->op, i)->name);
        given[i] = true;
        if (!parse_value(p, tm_op_param(sample->op, i), &sample->args[i]))
            return false;
        skip_space(p);
        if (!*p->at)
            break;
        if (!expect(p, ','))
            return false;
        skip_space(p);
        if (!*p->at)
            return fail(p, p->at, "expected an argument after ',', got the end");
    }
    for (int i = 0; i < sample->num_args; i++) {
        const tm_param *param = tm_op_param(sample->op, i);
        if (given[i])
            continue;
        if (!param->has_default)
            return fail(p, p->at, "%s is missing", param->name);
        sample->args[i].value = param->fallback;
    }
    return true;
}

/* -- Expected results -------------------------------------------------------------------------- */

static bool parse_code(parser *p)
{
    tm_law_sample *sample = p->sample;
    size_t length = strcspn(p->at, ":");
    for (int code = TM_ERR_RANK; code <= TM_ERR_USAGE; code++) {
        const char *name = tm_status_name((tm_status)code);
        if (strlen(name) == length && strncmp(p->at, name, length) == 0)
            sample->code = (tm_status)code;
    }
    if (sample->code == TM_OK)
        return fail(p, p->at, "'%.*s' is no error code", (int)(length > 40 ? 40 : length), p->at);
    p->at += length;
    if (!expect(p, ':'))
        return false;
    skip_space(p);
    if (!*p->at)
        return fail(p, p->at, "an invalid sample states its message");
    sample->invalid = true;
    sample->message = p->at;
    return true;
}

static bool parse_expected(parser *p)
{
    tm_law_sample *sample = p->sample;
    skip_space(p);
    if (*p->at == '!') {
        p->at++;
        return parse_code(p);
    }
    int outputs = tm_op_num_outputs(sample->op);
    for (int i = 0; i < outputs; i++) {
        if (i > 0 && !expect(p, ','))
            return false;
        if (tm_op_output_type(sample->op, i) == TM_TYPE_SCALAR) {
            if (!parse_scalar(p, &sample->expected_scalar[i]))
                return false;
            continue;
        }
        skip_space(p);
        const char *from = p->at;
        if (!parse_tensor(p, &sample->expected[i]))
            return false;
        if (!sample->expected[i].literal && sample->expected[i].numel > 0)
            return fail(p, from, "an expected tensor states its values");
    }
    skip_space(p);
    if (*p->at)
        return fail(p, p->at, "expected the end after %d result%s, got '%c'", outputs,
                    outputs == 1 ? "" : "s", *p->at);
    sample->has_expected = true;
    return true;
}

bool tm_law_parse(tm_law_arena *arena, const tm_op *op, const tm_sample *source,
                  tm_law_sample *sample, char *error, size_t error_size)
{
    *sample = (tm_law_sample){.source = source, .op = op, .num_args = tm_op_num_params(op)};
    parser p = {.arena = arena, .error = error, .error_size = error_size, .sample = sample};
    p.start = p.at = source->args ? source->args : "";
    if (!parse_args(&p))
        return false;
    if (!source->expected)
        return true;
    p.start = p.at = source->expected;
    return parse_expected(&p);
}
