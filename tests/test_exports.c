/* test_exports.c: the shared library exports what the public headers declare, and nothing else. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Everything a command prints, or a file holds. */
static char *read_all(FILE *stream)
{
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    for (size_t n; (n = fread(text + used, 1, room - used - 1, stream)) > 0;) {
        used += n;
        if (used + 1 == room)
            ck_assert_ptr_nonnull(text = realloc(text, room *= 2));
    }
    text[used] = '\0';
    return text;
}

static char *exported(void)
{
    FILE *pipe = popen("nm -D --defined-only " TM_LIBRARY, "r");
    ck_assert_ptr_nonnull(pipe);
    char *text = read_all(pipe);
    ck_assert_int_eq(pclose(pipe), 0);
    return text;
}

/* The text of every public header, generated ones included. */
static char *declared(void)
{
    FILE *pipe = popen("cat " TM_TEST_DATA "/../../include/transmute/*.h " TM_GENERATED
                       "/include/transmute/*.h",
                       "r");
    ck_assert_ptr_nonnull(pipe);
    char *text = read_all(pipe);
    ck_assert_int_eq(pclose(pipe), 0);
    return text;
}

/* Whether the text holds the name as a whole word. */
static bool holds(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if (!isalnum((unsigned char)at[length]) && at[length] != '_' &&
            (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')))
            return true;
    return false;
}

START_TEST(every_exported_symbol_is_declared)
{
    char *symbols = exported(), *headers = declared(), *rest = NULL;
    int count = 0;
    for (char *line = strtok_r(symbols, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char kind, name[128];
        if (sscanf(line, "%*s %c %127[A-Za-z0-9_]", &kind, name) != 2 || kind == 'A')
            continue; /* A: the version node */
        ck_assert_msg(strncmp(name, "tm_", 3) == 0, "%s is exported", name);
        ck_assert_msg(holds(headers, name), "%s is exported but in no header", name);
        count++;
    }
    ck_assert_int_gt(count, 100);
    free(symbols);
    free(headers);
}
END_TEST

START_TEST(every_declared_function_is_exported)
{
    char *symbols = exported(), *headers = declared();
    int count = 0;
    for (const char *at = headers; (at = strstr(at, "TM_API ")); at++) {
        const char *open = strpbrk(at, "(;"), *end = open;
        while (end > at && !isalnum((unsigned char)end[-1]) && end[-1] != '_')
            end--;
        const char *begin = end;
        while (begin > at && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
            begin--;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
        if (strncmp(name, "tm_", 3) != 0)
            continue;
        ck_assert_msg(holds(symbols, name), "%s is declared but not exported", name);
        count++;
    }
    ck_assert_int_gt(count, 100);
    free(symbols);
    free(headers);
}
END_TEST

Suite *exports_suite(void)
{
    const TTest *tests[] = {every_exported_symbol_is_declared, every_declared_function_is_exported};
    return test_suite("exports", tests, COUNT(tests));
}
