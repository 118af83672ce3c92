/* invalid_calls.c: see invalid_calls.h. */
#include "invalid_calls.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define CALLS TM_TEST_DATA "/invalid_calls.jsonl"
#define TABLE TM_TEST_DATA "/invalid_calls_ops.txt"
#define ACCEPTED TM_TEST_DATA "/invalid_calls_accepted.txt"

enum { MAX_ITEMS = 16, ITEM = 128 };

/* A text cut at its commas. */
typedef struct items {
    int count;
    char text[MAX_ITEMS][ITEM];
} items;

/* The next line of a file without its end, comments and empty lines passed over. */
static bool next_line(FILE *file, char *line, int size)
{
    while (fgets(line, size, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && *line != '#')
            return true;
    }
    return false;
}

static FILE *open_data(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "%s cannot be read", path);
    return file;
}

/* The closing bracket that belongs to the opening one at `open`. */
static const char *closing(const char *open)
{
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += *at == '[' || *at == '(';
        depth -= *at == ']' || *at == ')';
        if (depth == 0)
            return at;
    }
    ck_abort_msg("a bracket is not closed: %s", open);
    return NULL;
}

static void add_item(items *to, const char *from, const char *end)
{
    while (from < end && *from == ' ')
        from++;
    if (from == end)
        return;
    ck_assert_msg(to->count < MAX_ITEMS && end - from < ITEM, "too long: %s", from);
    memcpy(to->text[to->count], from, (size_t)(end - from));
    to->text[to->count++][end - from] = '\0';
}

/* Cuts [from, end) at the commas that are outside brackets and quotes. */
static void cut(const char *from, const char *end, items *to)
{
    to->count = 0;
    const char *begin = from;
    for (const char *at = from; at < end; at++) {
        if (*at == '[' || *at == '(')
            at = closing(at);
        else if (*at == '\'')
            at = strchr(at + 1, '\'');
        else if (*at == ',') {
            add_item(to, begin, at);
            begin = at + 1;
        }
    }
    add_item(to, begin, end);
}

/* -- The calls --------------------------------------------------------------------------------- */

/* The text of a field behind "NAME": ; brackets or quotes around it are left out. */
static const char *field(const char *line, const char *name, const char **end)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(line, key);
    ck_assert_msg(at, "no %s in %s", name, line);
    at += strlen(key);
    *end = *at == '"' ? strchr(at + 1, '"') : closing(at);
    return at + 1;
}

void invalid_call_read(int number, invalid_call *call)
{
    char line[1024];
    FILE *file = open_data(CALLS);
    for (int i = 0; i < number; i++)
        ck_assert_msg(next_line(file, line, sizeof line), "there is no line %d", number);
    fclose(file);
    const char *end, *at = field(line, "op", &end);
    snprintf(call->op, sizeof call->op, "%.*s", (int)(end - at), at);
    at = field(line, "args", &end);
    snprintf(call->args, sizeof call->args, "%.*s", (int)(end - at), at);
    items shapes, dtypes;
    at = field(line, "shapes", &end);
    cut(at, end, &shapes);
    at = field(line, "dtypes", &end);
    cut(at, end, &dtypes);
    ck_assert_msg(shapes.count == dtypes.count && shapes.count <= COUNT(call->tensors),
                  "shapes and dtypes in %s", line);
    call->number = number;
    call->num_tensors = shapes.count;
    for (int i = 0; i < shapes.count; i++)
        snprintf(call->tensors[i], sizeof *call->tensors, "%.*s%.40s",
                 (int)strlen(dtypes.text[i]) - 2, dtypes.text[i] + 1, shapes.text[i]);
}

/* -- The translation ----------------------------------------------------------------------------
 */

static bool names_tensor(const char *from, const char *end)
{
    for (; from < end; from++)
        if (*from == 'T' && isdigit((unsigned char)from[1]))
            return true;
    return false;
}

/* Writes [from, end) as samples have it: tensors for T0, round brackets around numbers, square ones
 * around tensors. */
static void rewrite(const invalid_call *call, const char *from, const char *end, FILE *to)
{
    while (from < end) {
        if (*from == '[' || *from == '(') {
            const char *close = closing(from);
            bool tensors = names_tensor(from, close);
            fputc(tensors ? '[' : '(', to);
            rewrite(call, from + 1, close, to);
            fputc(tensors ? ']' : ')', to);
            from = close + 1;
        } else if (names_tensor(from, from + 1)) {
            int i = from[1] - '0';
            ck_assert_msg(i < call->num_tensors, "there is no T%d", i);
            fputs(call->tensors[i], to);
            from += 2;
        } else if (strncmp(from, "torch.", 6) == 0) {
            from += 6;
        } else {
            fputc(*from++, to);
        }
    }
}

/* Gives each argument of the call its name; false where there is no parameter for one. values[i] is
 * the argument of params->text[i], "" for none. */
static bool bind(const invalid_call *call, const items *params, items *values)
{
    items given;
    cut(call->args, call->args + strlen(call->args), &given);
    memset(values, 0, sizeof *values);
    for (int g = 0; g < given.count; g++) {
        const char *value = given.text[g];
        size_t name = strspn(value, "abcdefghijklmnopqrstuvwxyz_UPLO");
        int p = g;
        if (value[name] == '=') {
            for (p = 0; p < params->count; p++)
                if (strlen(params->text[p]) == name && !strncmp(params->text[p], value, name))
                    break;
            value += name + 1;
        }
        if (p >= params->count || *values->text[p])
            return false;
        FILE *to = fmemopen(values->text[p], ITEM, "w");
        rewrite(call, value, value + strlen(value), to);
        fclose(to);
    }
    return true;
}

/* Writes one argument of ours with what its $NAME stands for; false where that was not given. */
static bool fill(const invalid_call *call, const char *item, const items *params,
                 const items *values, FILE *to)
{
    for (const char *at = item; *at;) {
        if (*at != '$') {
            fputc(*at++, to);
            continue;
        }
        const char *name = ++at;
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        if (*name == 'T') {
            rewrite(call, name, at, to);
            continue;
        }
        int p = 0;
        while (p < params->count && (strlen(params->text[p]) != (size_t)(at - name) ||
                                     strncmp(params->text[p], name, (size_t)(at - name)) != 0))
            p++;
        ck_assert_msg(p < params->count, "%s: $%s is no parameter", call->op, name);
        if (!*values->text[p])
            return false;
        fputs(values->text[p], to);
    }
    return true;
}

/* Writes our arguments. */
static void fill_all(const invalid_call *call, const char *ours, const items *params,
                     const items *values, char *text, size_t size)
{
    items each;
    cut(ours, ours + strlen(ours), &each);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < each.count; i++) {
        char one[256] = "";
        FILE *to = fmemopen(one, sizeof one, "w");
        bool all = fill(call, each.text[i], params, values, to);
        fclose(to);
        if (all)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", one);
        ck_assert_msg(used < size, "%s: too long", call->op);
    }
}

/* Whether a line of the table, cut into what is left and right of its colon, is for this call. */
static bool fits(tm_law_arena *arena, const invalid_call *call, const char *theirs,
                 const char *ours, invalid_call_here *here)
{
    size_t length = strlen(call->op);
    if (strncmp(theirs, call->op, length) != 0 || (theirs[length] != '(' && theirs[length]))
        return false;
    items params = {0}, values = {0};
    if (theirs[length]) {
        cut(theirs + length + 1, closing(theirs + length), &params);
        if (!bind(call, &params, &values))
            return false;
    }
    if (*ours == '-') {
        here->op = NULL;
        snprintf(here->name, sizeof here->name, "%s", call->op);
        snprintf(here->why, sizeof here->why, "%s", ours + strspn(ours, "- "));
        return true;
    }
    size_t name = strcspn(ours, " ");
    snprintf(here->name, sizeof here->name, "%.*s", (int)name, ours);
    fill_all(call, ours + name, &params, &values, here->args, sizeof here->args);
    char base[64], error[512];
    snprintf(base, sizeof base, "%s", here->name);
    char *dot = strchr(base, '.');
    if (dot)
        *dot++ = '\0';
    here->op = tm_op_find(base, dot ? dot : "");
    ck_assert_msg(here->op, "there is no op %s", here->name);
    const tm_sample source = {here->name, here->args, NULL, NULL, 0, 0};
    return tm_law_parse(arena, here->op, &source, &here->sample, error, sizeof error);
}

void invalid_call_translate(tm_law_arena *arena, const invalid_call *call, invalid_call_here *here)
{
    char line[512];
    FILE *file = open_data(TABLE);
    bool found = false;
    while (!found && next_line(file, line, sizeof line)) {
        char *colon = strstr(line, " : ");
        ck_assert_msg(colon, "no ' : ' in %s", line);
        *colon = '\0';
        found = fits(arena, call, line, colon + 3, here);
    }
    fclose(file);
    ck_assert_msg(found, "line %d: %s(%s) is not in the table", call->number, call->op, call->args);
}

void invalid_call_accepted(const invalid_call *call, char *why, size_t size)
{
    char line[512];
    FILE *file = open_data(ACCEPTED);
    *why = '\0';
    while (!*why && next_line(file, line, sizeof line)) {
        char op[64];
        int number, used = 0;
        ck_assert_msg(sscanf(line, "%d %63s %n", &number, op, &used) == 2 && line[used],
                      "not NUMBER OP REASON: %s", line);
        ck_assert_msg(number >= 1 && number <= INVALID_CALLS, "there is no such call: %s", line);
        if (number != call->number)
            continue;
        ck_assert_msg(strcmp(op, call->op) == 0, "line %d is %s: %s", number, call->op, line);
        snprintf(why, size, "%s", line + used);
    }
    fclose(file);
}
