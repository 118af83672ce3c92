/* sample_parse.c: the language of samples.
 *
 *     args    = [ arg { "," arg } ]            in the schema's order, or named
 *     arg     = [ name "=" ] value             as the parameter's type asks:
 *     Tensor  = "None" | dtype "[" sizes "]" [ "{" numbers "}" | "~" generator ]
 *     Tensor[]= "[" [ Tensor { "," Tensor } ] "]"
 *     int[]   = int | "(" [ int { "," int } [ "," ] ] ")"
 *     int, float, bool (True, False), Scalar (any of them, or complex 1+2j), str ('x'), dtype
 *     Generator = "gen(" seed [ "," count of calls before ] ")"
 *     "None" where the parameter is optional
 *     expected = result { "," result } | Tensor[] | "!" code ":" message
 *
 * dtypes are short (f32, i64, b8, c128) or by their full name; numbers in braces are separated by
 * spaces or commas. The parser goes by the op's schema, so every error can say what was wanted.
 */
#include "law/sample.h"

#include <string.h>

#include "law/scan.h"

typedef struct parser {
    tm_law_scanner scan;
    tm_law_sample *sample;
    int tensor_room, expected_room;
} parser;

static bool parse_int_list(parser *p, tm_int_list *list)
{
    int64_t few[TM_MAX_NDIM + 8];
    int64_t count = 0;
    bool single = !tm_law_scan_accept(&p->scan, '(');
    while (single || !tm_law_scan_accept(&p->scan, ')')) {
        if (count == (int64_t)(sizeof few / sizeof *few))
            return tm_law_scan_fail(&p->scan, p->scan.at, "more than %d integers in a list",
                                    (int)count);
        if (!tm_law_scan_int(&p->scan, &few[count]))
            return false;
        count++;
        if (single)
            break;
        if (!tm_law_scan_accept(&p->scan, ',') && *p->scan.at != ')')
            return tm_law_scan_expect(&p->scan, ')');
    }
    int64_t *data = tm_law_alloc_array(p->scan.arena, count, sizeof *data);
    if (!data)
        return tm_law_scan_no_memory(&p->scan);
    memcpy(data, few, (size_t)count * sizeof *data);
    *list = (tm_int_list){data, count};
    return true;
}

/* Room for one more behind `count` tensors. */
static bool make_room(parser *p, tm_law_tensor **tensors, int count, int *room)
{
    if (count < *room)
        return true;
    *room = *room ? 2 * *room : 4;
    tm_law_tensor *more = tm_law_alloc_array(p->scan.arena, *room, sizeof *more);
    if (!more)
        return tm_law_scan_no_memory(&p->scan);
    for (int i = 0; i < count; i++)
        more[i] = (*tensors)[i];
    *tensors = more;
    return true;
}

static bool add_tensor(parser *p, tm_law_arg *arg)
{
    tm_law_sample *sample = p->sample;
    if (!make_room(p, &sample->tensors, sample->num_tensors, &p->tensor_room))
        return false;
    if (arg->count == 0)
        arg->first = sample->num_tensors;
    if (!tm_law_scan_tensor(&p->scan, &sample->tensors[sample->num_tensors]))
        return false;
    sample->num_tensors++;
    arg->count++;
    return true;
}

/* -- Arguments -------------------------------------------------------------------------------- */

/* None is also what stands for a failed call's value where a dtype or Scalar is required: there are
 * checks against it. */
static bool parse_none(parser *p, const tm_param *param, tm_law_arg *arg)
{
    if (param->type == TM_TYPE_TENSOR)
        arg->value.tensor = TM_NONE;
    else if (param->type == TM_TYPE_DTYPE)
        arg->value.dtype = TM_DTYPE_NONE;
    else if (param->optional)
        arg->value.opt = NULL;
    else if (param->type == TM_TYPE_SCALAR)
        arg->value.scalar = (tm_scalar){.kind = TM_KIND_NONE};
    else
        return tm_law_scan_fail(&p->scan, p->scan.at, "%s is not optional, it cannot be None",
                                param->name);
    return true;
}

static bool parse_text(parser *p, const char **text)
{
    if (!tm_law_scan_expect(&p->scan, '\''))
        return false;
    const char *end = strchr(p->scan.at, '\'');
    if (!end)
        return tm_law_scan_fail(&p->scan, p->scan.at, "the string does not end");
    size_t length = (size_t)(end - p->scan.at);
    char *copy = tm_law_alloc(p->scan.arena, length + 1);
    if (!copy)
        return tm_law_scan_no_memory(&p->scan);
    memcpy(copy, p->scan.at, length);
    *text = copy;
    p->scan.at = end + 1;
    return true;
}

/* Where it stands is set anew before each call: see random.c. */
static bool parse_generator(parser *p, tm_law_arg *arg)
{
    int64_t seed, count = 0;
    if (!tm_law_scan_accept_word(&p->scan, "gen"))
        return tm_law_scan_fail(&p->scan, p->scan.at, "expected gen(SEED) or None");
    if (!tm_law_scan_expect(&p->scan, '(') || !tm_law_scan_int(&p->scan, &seed) ||
        (tm_law_scan_accept(&p->scan, ',') && !tm_law_scan_int(&p->scan, &count)) ||
        !tm_law_scan_expect(&p->scan, ')'))
        return false;
    arg->room.generator.seed = (uint64_t)seed;
    arg->room.generator.count = (uint64_t)count;
    arg->room.generator.now = (tm_generator){.seed = (uint64_t)seed, .count = (uint64_t)count};
    arg->value.generator = &arg->room.generator.now;
    return true;
}

static bool parse_value(parser *p, const tm_param *param, tm_law_arg *arg)
{
    if (tm_law_scan_accept_word(&p->scan, "None"))
        return parse_none(p, param, arg);
    bool ok;
    switch (param->type) {
    case TM_TYPE_TENSOR:
        return add_tensor(p, arg);
    case TM_TYPE_TENSOR_LIST:
        if (!tm_law_scan_expect(&p->scan, '['))
            return false;
        while (!tm_law_scan_accept(&p->scan, ']')) {
            if (!add_tensor(p, arg))
                return false;
            if (!tm_law_scan_accept(&p->scan, ',') && *p->scan.at != ']')
                return tm_law_scan_expect(&p->scan, ']');
        }
        return true;
    case TM_TYPE_INT:
        ok = tm_law_scan_int(&p->scan, &arg->room.i);
        arg->value.i = arg->room.i;
        break;
    case TM_TYPE_INT_LIST:
        ok = parse_int_list(p, &arg->room.ints);
        arg->value.ints = arg->room.ints;
        break;
    case TM_TYPE_FLOAT:
        ok = tm_law_scan_float(&p->scan, &arg->room.f);
        arg->value.f = arg->room.f;
        break;
    case TM_TYPE_BOOL:
        ok = tm_law_scan_bool(&p->scan, &arg->room.b);
        arg->value.b = arg->room.b;
        break;
    case TM_TYPE_SCALAR:
        ok = tm_law_scan_scalar(&p->scan, &arg->room.scalar);
        arg->value.scalar = arg->room.scalar;
        break;
    case TM_TYPE_STR:
        return parse_text(p, &arg->value.str);
    case TM_TYPE_GENERATOR:
        return parse_generator(p, arg);
    default:
        return tm_law_scan_dtype(&p->scan, &arg->value.dtype);
    }
    if (ok && param->optional)
        arg->value.opt = &arg->room;
    return ok;
}

/* Which parameter `name =` at this place names; -1 where it is no name, -2 after a failure. */
static int named_param(parser *p)
{
    tm_law_scan_space(&p->scan);
    const char *from = p->scan.at, *end = from;
    while (tm_law_word_char(*end))
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
            p->scan.at = end + 1;
            return i;
        }
    }
    tm_law_scan_fail(&p->scan, from, "'%.*s' is no parameter of %s", (int)length, from,
                     tm_op_name(op));
    return -2;
}

static bool parse_args(parser *p)
{
    tm_law_sample *sample = p->sample;
    bool given[TM_MAX_ARGS] = {0};
    int next = 0;
    bool any_named = false;
    tm_law_scan_space(&p->scan);
    while (*p->scan.at) {
        const char *from = p->scan.at;
        int i = named_param(p);
        if (i == -2)
            return false;
        if (i >= 0)
            any_named = true;
        else if (any_named)
            return tm_law_scan_fail(&p->scan, from, "an argument without a name after a named one");
        else
            i = next++;
        if (i >= sample->num_args)
            return tm_law_scan_fail(&p->scan, from, "%s takes %d arguments", tm_op_name(sample->op),
                                    sample->num_args);
        if (given[i])
            return tm_law_scan_fail(&p->scan, from, "%s is given twice",
                                    tm_op_param(sample->op, i)->name);
        given[i] = true;
        if (!parse_value(p, tm_op_param(sample->op, i), &sample->args[i]))
            return false;
        tm_law_scan_space(&p->scan);
        if (!*p->scan.at)
            break;
        if (!tm_law_scan_expect(&p->scan, ','))
            return false;
        tm_law_scan_space(&p->scan);
        if (!*p->scan.at)
            return tm_law_scan_fail(&p->scan, p->scan.at,
                                    "expected an argument after ',', got the end");
    }
    for (int i = 0; i < sample->num_args; i++) {
        const tm_param *param = tm_op_param(sample->op, i);
        if (given[i])
            continue;
        if (!param->has_default)
            return tm_law_scan_fail(&p->scan, p->scan.at, "%s is missing", param->name);
        sample->args[i].value = param->fallback;
    }
    return true;
}

/* -- Expected results -------------------------------------------------------------------------- */

static bool parse_code(parser *p)
{
    tm_law_sample *sample = p->sample;
    size_t length = strcspn(p->scan.at, ":");
    for (int code = TM_ERR_RANK; code <= TM_ERR_USAGE; code++) {
        const char *name = tm_status_name((tm_status)code);
        if (strlen(name) == length && strncmp(p->scan.at, name, length) == 0)
            sample->code = (tm_status)code;
    }
    if (sample->code == TM_OK)
        return tm_law_scan_fail(&p->scan, p->scan.at, "'%.*s' is no error code",
                                (int)(length > 40 ? 40 : length), p->scan.at);
    p->scan.at += length;
    if (!tm_law_scan_expect(&p->scan, ':'))
        return false;
    tm_law_scan_space(&p->scan);
    if (!*p->scan.at)
        return tm_law_scan_fail(&p->scan, p->scan.at, "an invalid sample states its message");
    sample->invalid = true;
    sample->message = p->scan.at;
    return true;
}

static bool parse_expected_tensor(parser *p)
{
    tm_law_sample *sample = p->sample;
    if (!make_room(p, &sample->expected, sample->num_expected, &p->expected_room))
        return false;
    tm_law_tensor *tensor = &sample->expected[sample->num_expected++];
    tm_law_scan_space(&p->scan);
    const char *from = p->scan.at;
    if (!tm_law_scan_tensor(&p->scan, tensor))
        return false;
    if (!tensor->literal && tensor->numel > 0)
        return tm_law_scan_fail(&p->scan, from, "an expected tensor states its values");
    return true;
}

static bool parse_expected_list(parser *p)
{
    if (!tm_law_scan_expect(&p->scan, '['))
        return false;
    while (!tm_law_scan_accept(&p->scan, ']')) {
        if (!parse_expected_tensor(p))
            return false;
        if (!tm_law_scan_accept(&p->scan, ',') && *p->scan.at != ']')
            return tm_law_scan_expect(&p->scan, ']');
    }
    return true;
}

static bool parse_expected(parser *p)
{
    tm_law_sample *sample = p->sample;
    tm_law_scan_space(&p->scan);
    if (*p->scan.at == '!') {
        p->scan.at++;
        return parse_code(p);
    }
    int outputs = tm_op_num_outputs(sample->op);
    for (int i = 0; i < outputs; i++) {
        tm_type type = tm_op_output_type(sample->op, i);
        if (i > 0 && !tm_law_scan_expect(&p->scan, ','))
            return false;
        bool ok;
        if (type == TM_TYPE_SCALAR) {
            if (!make_room(p, &sample->expected, sample->num_expected++, &p->expected_room))
                return false;
            ok = tm_law_scan_scalar(&p->scan, &sample->expected_scalar[i]);
        } else {
            ok = type == TM_TYPE_TENSOR_LIST ? parse_expected_list(p) : parse_expected_tensor(p);
        }
        if (!ok)
            return false;
    }
    tm_law_scan_space(&p->scan);
    if (*p->scan.at)
        return tm_law_scan_fail(&p->scan, p->scan.at,
                                "expected the end after %d result%s, got '%c'", outputs,
                                outputs == 1 ? "" : "s", *p->scan.at);
    sample->has_expected = true;
    return true;
}

bool tm_law_parse(tm_law_arena *arena, const tm_op *op, const tm_sample *source,
                  tm_law_sample *sample, char *error, size_t error_size)
{
    *sample = (tm_law_sample){.source = source, .op = op, .num_args = tm_op_num_params(op)};
    parser p = {.scan = {.arena = arena, .error = error, .error_size = error_size},
                .sample = sample};
    p.scan.start = p.scan.at = source->args ? source->args : "";
    if (!parse_args(&p))
        return false;
    if (!source->expected)
        return true;
    p.scan.start = p.scan.at = source->expected;
    return parse_expected(&p);
}
