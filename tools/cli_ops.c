/* cli_ops.c: `transmute ops`: what the registry holds, for a reader or as JSON. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { SCHEMA_WIDTH = 64 };

/* PATTERN is a substring of the name; one with a dot, which no name has, of NAME.OVERLOAD. */
static bool matches(const tm_op *op, const char *pattern)
{
    const char *name = tm_op_name(op), *overload = tm_op_overload(op);
    if (!pattern || strstr(name, pattern))
        return true;
    char full[256];
    snprintf(full, sizeof full, "%s.%s", name, overload);
    return overload[0] && strchr(pattern, '.') && strstr(full, pattern);
}

static void print_string(const char *text, size_t length)
{
    putchar('"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_field(const char *name, const char *text)
{
    printf("    \"%s\": ", name);
    print_string(text, strlen(text));
    puts(",");
}

static void print_object(const tm_op *op)
{
    puts("  {");
    print_field("name", tm_op_name(op));
    print_field("overload", tm_op_overload(op));
    fputs("    \"aliases\": [", stdout);
    const char *at = tm_op_aliases(op);
    for (bool first = true; *at; first = false) {
        size_t length = strcspn(at, ",");
        fputs(first ? "" : ", ", stdout);
        print_string(at, length);
        at += length + (at[length] == ',');
    }
    puts("],");
    print_field("schema", tm_op_schema(op));
    print_field("contract", tm_contract_name(tm_op_contract(op)));
    fputs("    \"keys\": [", stdout);
    bool first = true;
    for (int key = 0; key < TM_NUM_KEYS; key++) {
        if (!tm_op_has_key(op, (tm_key)key))
            continue;
        fputs(first ? "" : ", ", stdout);
        print_string(tm_key_name((tm_key)key), strlen(tm_key_name((tm_key)key)));
        first = false;
    }
    fputs("],\n    \"doc\": ", stdout);
    print_string(tm_op_doc(op), strlen(tm_op_doc(op)));
    fputs("\n  }", stdout);
}

static void print_json(const char *pattern)
{
    bool first = true;
    const tm_op *op;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (!matches(op, pattern))
            continue;
        fputs(first ? "[\n" : ",\n", stdout);
        print_object(op);
        first = false;
    }
    puts(first ? "[]" : "\n]");
}

/* The schema in a column as wide as the widest that is not too wide, the doc beside or below it. */
static void print_columns(const char *pattern)
{
    int width = 0;
    const tm_op *op;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        int length = (int)strlen(tm_op_schema(op));
        if (matches(op, pattern) && length > width && length <= SCHEMA_WIDTH)
            width = length;
    }
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (!matches(op, pattern))
            continue;
        const char *schema = tm_op_schema(op);
        if ((int)strlen(schema) <= width)
            printf("%-*s  %s\n", width, schema, tm_op_doc(op));
        else
            printf("%s\n%*s  %s\n", schema, width, "", tm_op_doc(op));
    }
}

int tm_cli_ops(int count, char **words)
{
    static const tm_cli_option options[] = {{"--json", false, false}, {0}};
    tm_cli_words at = {.words = words, .count = count, .options = options};
    const char *pattern = NULL, *value;
    bool json = false;
    for (int option;;) {
        switch (tm_cli_next(&at, &option, &value)) {
        case TM_CLI_END:
            if (json)
                print_json(pattern);
            else
                print_columns(pattern);
            return TM_EXIT_OK;
        case TM_CLI_HELP:
            tm_cli_help(stdout, "");
            return TM_EXIT_OK;
        case TM_CLI_WRONG:
            return TM_EXIT_USAGE;
        case TM_CLI_OPTION:
            json = true;
            break;
        case TM_CLI_ARGUMENT:
            if (pattern)
                return tm_cli_wrong("ops: takes one PATTERN, '%s' is one too many", value);
            pattern = value;
        }
    }
}
