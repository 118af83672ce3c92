/* cli_bind.c: words bound to an op's parameters.
 *
 * Overloads are tried in order; the first that every word fits is taken. A word fits a tensor where
 * a file of that name exists: whether it is a good one is found out when it is loaded, after the
 * choice, so a malformed file is never taken for a number. Where none fits, the overload that got
 * furthest along the words says why.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <transmute/error.h>
#include <transmute/io.h>

#include "cli.h"

/* Why an overload does not fit, and how many words did. */
typedef struct misfit {
    int fitting;
    char message[1024];
} misfit;

static bool refuse(misfit *why, int fitting, const char *format, ...) TM_PRINTF(3, 4);

static bool refuse(misfit *why, int fitting, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why->message, sizeof why->message, format, list);
    va_end(list);
    why->fitting = fitting;
    return false;
}

/* The parameter that "NAME=VALUE" names, or -1. */
static int named_param(const tm_op *op, const char *word)
{
    size_t length = strcspn(word, "=");
    for (int i = 0; word[length] == '=' && i < tm_op_num_params(op); i++) {
        const char *name = tm_op_param(op, i)->name;
        if (strlen(name) == length && strncmp(name, word, length) == 0)
            return i;
    }
    return -1;
}

/* A word that did not fit may have been meant as NAME=VALUE. */
static bool hint(misfit *why, const char *word)
{
    size_t length = strspn(word, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    size_t used = strlen(why->message);
    if (length > 0 && word[length] == '=')
        snprintf(why->message + used, sizeof why->message - used, " (there is no parameter %.*s)",
                 (int)(length > 80 ? 80 : length), word);
    return false;
}

static bool is_absent(const tm_param *param, const char *word)
{
    return param->optional && strcmp(word, "None") == 0;
}

/* Whether a path names something that may be a file. */
static const char *why_no_file(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return strerror(errno);
    return S_ISDIR(status.st_mode) ? strerror(EISDIR) : NULL;
}

/* The next path of a list of them: its length, *list moved behind it. */
static const char *next_path(tm_cli_memory *memory, const char **list)
{
    size_t length = strcspn(*list, ",");
    char *path = tm_cli_alloc(memory, length + 1, 1);
    memcpy(path, *list, length);
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return path;
}

static bool fits(tm_cli_memory *memory, const tm_param *param, const char *word, int at,
                 tm_cli_room *room, tm_value *value, misfit *why)
{
    if (param->type == TM_TYPE_TENSOR || param->type == TM_TYPE_TENSOR_LIST) {
        if (is_absent(param, word))
            return true;
        for (const char *rest = word; rest;) {
            const char *path = word;
            if (param->type == TM_TYPE_TENSOR)
                rest = NULL;
            else
                path = next_path(memory, &rest);
            const char *no_file = why_no_file(path);
            if (no_file)
                return refuse(why, at, "%s must be %s, got '%.500s': %s", param->name,
                              tm_cli_expected(param->type), path, no_file);
        }
        return true;
    }
    if (tm_cli_value(memory, param, word, room, value))
        return true;
    return refuse(why, at, "%s must be %s%s, got '%.500s'", param->name,
                  tm_cli_expected(param->type), param->optional ? ", or None" : "", word);
}

/* Binds all but the tensors. */
static bool match(tm_cli_memory *memory, const tm_op *op, int count, const char *const *words,
                  tm_cli_bound *bound, misfit *why)
{
    memset(bound, 0, sizeof *bound);
    bound->op = op;
    int num_params = tm_op_num_params(op), next = 0;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        int named = named_param(op, word), i = named < 0 ? next++ : named;
        if (named >= 0)
            word += strlen(tm_op_param(op, i)->name) + 1;
        if (i >= num_params) {
            refuse(why, at, "takes %d argument%s, '%.500s' is one too many", num_params,
                   num_params == 1 ? "" : "s", word);
            return hint(why, word);
        }
        const tm_param *param = tm_op_param(op, i);
        if (bound->word[i])
            return refuse(why, at, "%s is given twice", param->name);
        bound->word[i] = word;
        if (!fits(memory, param, word, at, &bound->room[i], &bound->args[i], why))
            return named < 0 && hint(why, word);
    }
    for (int i = 0; i < num_params; i++) {
        const tm_param *param = tm_op_param(op, i);
        if (bound->word[i])
            continue;
        if (!param->has_default)
            return refuse(why, count, "%s is missing: %s", param->name,
                          tm_cli_expected(param->type));
        bound->args[i] = param->fallback;
    }
    return true;
}

static int load(const tm_cli_bound *bound, const char *path, tm_cli_tensor *to)
{
    to->tensor = tm_npy_load(path);
    if (to->tensor)
        return TM_EXIT_OK;
    char what[256];
    snprintf(what, sizeof what, "%s: %s", tm_op_name(bound->op), to->label);
    return tm_cli_wrong_record(what);
}

static int make_generator(tm_cli_bound *bound)
{
    for (int i = 0; i < tm_op_num_params(bound->op); i++) {
        const tm_param *param = tm_op_param(bound->op, i);
        const char *word = bound->word[i];
        if (param->type != TM_TYPE_GENERATOR || !word || is_absent(param, word))
            continue;
        bound->generator = tm_generator_new(bound->room[i].generator.seed);
        if (!bound->generator ||
            tm_generator_skip(bound->generator, bound->room[i].generator.count) != TM_OK)
            return tm_cli_wrong_record(param->name);
        bound->args[i].generator = bound->generator;
    }
    return TM_EXIT_OK;
}

void tm_cli_unbind(tm_cli_bound *bound)
{
    tm_generator_free(bound->generator);
    bound->generator = NULL;
}

static int load_all(tm_cli_memory *memory, tm_cli_bound *bound)
{
    int num_params = tm_op_num_params(bound->op), room = 0;
    for (int i = 0; i < num_params; i++) {
        tm_type type = tm_op_param(bound->op, i)->type;
        room += type == TM_TYPE_TENSOR || type == TM_TYPE_TENSOR_LIST;
        for (const char *c = bound->word[i]; type == TM_TYPE_TENSOR_LIST && c && *c; c++)
            room += *c == ',';
    }
    bound->tensors = tm_cli_alloc(memory, (size_t)room + 1, sizeof *bound->tensors);
    for (int i = 0; i < num_params; i++) {
        const tm_param *param = tm_op_param(bound->op, i);
        const char *rest = bound->word[i];
        bool list = param->type == TM_TYPE_TENSOR_LIST;
        if (!rest || (param->type != TM_TYPE_TENSOR && !list))
            continue;
        if (is_absent(param, rest)) {
            bound->args[i].tensor = TM_NONE;
            continue;
        }
        for (int element = 0; rest; element++) {
            tm_cli_tensor *to = &bound->tensors[bound->num_tensors++];
            const char *path = rest;
            *to = (tm_cli_tensor){.label = param->name, .param = i, .element = element};
            if (list) {
                char *label = tm_cli_alloc(memory, strlen(param->name) + 16, 1);
                sprintf(label, "%s[%d]", param->name, element);
                to->label = label;
                path = next_path(memory, &rest);
            } else {
                rest = NULL;
            }
            int code = load(bound, path, to);
            if (code != TM_EXIT_OK)
                return code;
        }
    }
    tm_cli_set_tensors(memory, bound);
    return make_generator(bound);
}

void tm_cli_set_tensors(tm_cli_memory *memory, tm_cli_bound *bound)
{
    for (int t = 0; t < bound->num_tensors; t++) {
        const tm_cli_tensor *first = &bound->tensors[t];
        tm_value *value = &bound->args[first->param];
        if (tm_op_param(bound->op, first->param)->type == TM_TYPE_TENSOR) {
            value->tensor = first->tensor;
            continue;
        }
        int count = 1;
        while (t + count < bound->num_tensors && first[count].param == first->param)
            count++;
        const tm_tensor **list = tm_cli_alloc(memory, (size_t)count, sizeof *list);
        for (int k = 0; k < count; k++)
            list[k] = first[k].tensor;
        value->tensors = (tm_tensor_list){list, count};
        t += count - 1;
    }
}

int tm_cli_bind(tm_cli_memory *memory, const tm_op *op, int count, const char *const *words,
                tm_cli_bound *bound)
{
    const char *name = tm_op_name(op);
    misfit best = {.fitting = -1}, why;
    if (match(memory, op, count, words, bound, &best))
        return load_all(memory, bound);
    const tm_op *other;
    for (int64_t i = 0; (other = tm_op_at(i)); i++) {
        if (other == op || strcmp(tm_op_name(other), name) != 0)
            continue;
        if (match(memory, other, count, words, bound, &why))
            return load_all(memory, bound);
        if (why.fitting > best.fitting)
            best = why;
    }
    return tm_cli_wrong("%s: %s", name, best.message);
}
