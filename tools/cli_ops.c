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

/* Lists: begun with their name, one word at a time, ended. */
static void begin_list(const char *name)
{
    printf("    \"%s\": [", name);
}

static void print_word(const char *word, size_t length, bool *first)
{
    fputs(*first ? "" : ", ", stdout);
    print_string(word, length);
    *first = false;
}

static void end_list(void)
{
    puts("],");
}

static void print_aliases(const tm_op *op)
{
    bool first = true;
    begin_list("aliases");
    for (const char *at = tm_op_aliases(op); *at;) {
        size_t length = strcspn(at, ",");
        print_word(at, length, &first);
        at += length + (at[length] == ',');
    }
    end_list();
}

static void print_keys(const tm_op *op)
{
    bool first = true;
    begin_list("keys");
    for (int key = 0; key < TM_NUM_KEYS; key++)
        if (tm_op_has_key(op, (tm_key)key))
            print_word(tm_key_name((tm_key)key), strlen(tm_key_name((tm_key)key)), &first);
    end_list();
}

/* Where the op has loops: null says that nothing is known before a call. */
static void print_dtypes(const tm_op *op)
{
    bool first = true, known = false;
    for (int d = TM_BOOL; d < TM_NUM_DTYPES; d++)
        known = known || tm_op_has_loop(op, (tm_dtype)d);
    if (!known) {
        puts("    \"dtypes\": null,");
        return;
    }
    begin_list("dtypes");
    for (int d = TM_BOOL; d < TM_NUM_DTYPES; d++)
        if (tm_op_has_loop(op, (tm_dtype)d))
            print_word(tm_dtype_name((tm_dtype)d), strlen(tm_dtype_name((tm_dtype)d)), &first);
    end_list();
}

/* The ops derived from this one. */
static void print_forms(const tm_op *op)
{
    bool first = true;
    const tm_op *form;
    begin_list("forms");
    for (int64_t i = 0; (form = tm_op_at(i)); i++)
        if (tm_op_base(form) == op)
            print_word(tm_op_name(form), strlen(tm_op_name(form)), &first);
    end_list();
}

static void print_object(const tm_op *op)
{
    const tm_op *base = tm_op_base(op);
    puts("  {");
    print_field("name", tm_op_name(op));
    print_field("overload", tm_op_overload(op));
    print_aliases(op);
    print_field("schema", tm_op_schema(op));
    print_field("contract", tm_contract_name(tm_op_contract(op)));
    print_keys(op);
    print_dtypes(op);
    print_forms(op);
    if (base)
        print_field("base", tm_op_name(base));
    else
        puts("    \"base\": null,");
    fputs("    \"doc\": ", stdout);
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

/* Names and aliases, each once, one a line: for the shell's completion. */
static void print_names(const char *pattern)
{
    const tm_op *op;
    const char *last = "";
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        if (!matches(op, pattern) || strcmp(tm_op_name(op), last) == 0)
            continue;
        last = tm_op_name(op);
        puts(last);
        for (const char *at = tm_op_aliases(op); *at;) {
            int length = (int)strcspn(at, ",");
            printf("%.*s\n", length, at);
            at += length + (at[length] == ',');
        }
    }
}

int tm_cli_ops(int count, char **words)
{
    enum { JSON, NAMES, LOAD };
    static const tm_cli_option options[] = {[JSON] = {"--json", false, false},
                                            [NAMES] = {"--names", false, false},
                                            [LOAD] = {"--load", true, true},
                                            {0}};
    tm_cli_words at = {.words = words, .count = count, .options = options};
    const char *pattern = NULL, *value;
    bool json = false, names = false;
    for (int option = 0;;) {
        switch (tm_cli_next(&at, &option, &value)) {
        case TM_CLI_END:
            if (json && names)
                return tm_cli_wrong("ops: --json or --names, not both");
            (json ? print_json : names ? print_names : print_columns)(pattern);
            return TM_EXIT_OK;
        case TM_CLI_HELP:
            tm_cli_help(stdout, "");
            return TM_EXIT_OK;
        case TM_CLI_WRONG:
            return TM_EXIT_USAGE;
        case TM_CLI_OPTION:
            json = json || option == JSON;
            names = names || option == NAMES;
            if (option == LOAD && tm_cli_load(value) != TM_EXIT_OK)
                return TM_EXIT_USAGE;
            break;
        case TM_CLI_ARGUMENT:
            if (pattern)
                return tm_cli_wrong("ops: takes one PATTERN, '%s' is one too many", value);
            pattern = value;
        }
    }
}
