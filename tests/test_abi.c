/* test_abi.c: what programs linked with the library rely on is what transmute.abi says: every
 * declaration of the public headers, and the sizes of structs. docs/abi.md has the promise.
 *
 *     TM_ABI_WRITE=FILE transmute_tests abi      writes the list as it is now (./dev abi)
 *
 * A declaration is its text with single spaces, without comments. Function-like macros and inline
 * functions are compiled into the program and are not part of it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define LIST TM_TEST_DATA "/../../transmute.abi"

enum { MAX_LINES = 4096 };

typedef struct lines {
    int count;
    char *text[MAX_LINES];
} lines;

static void add_line(lines *to, const char *text)
{
    ck_assert_int_lt(to->count, MAX_LINES);
    to->text[to->count++] = strdup(text);
}

static void free_lines(lines *of)
{
    for (int i = 0; i < of->count; i++)
        free(of->text[i]);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_lines(lines *of)
{
    qsort(of->text, (size_t)of->count, sizeof *of->text, by_text);
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* -- The headers --------------------------------------------------------------------------------
 */

/* Blanks comments out. */
static void strip_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "/*"));) {
        char *end = strstr(at + 2, "*/");
        ck_assert_ptr_nonnull(end);
        for (; at < end + 2; at++)
            if (*at != '\n')
                *at = ' ';
    }
}

/* Takes a directive out of the text: a #define of a value is a line of its own. */
static char *take_directive(char *at, lines *to)
{
    char *end = at;
    while (*end && !(*end == '\n' && end[-1] != '\\'))
        end++;
    char name[64], value[128];
    int used = 0;
    if (sscanf(at, "#define %63[A-Za-z0-9_]%n", name, &used) == 1 && at[used] == ' ' &&
        strncmp(name, "TM_", 3) == 0 && sscanf(at + used, " %127[^\n]", value) == 1 &&
        *value != '_' && !begins(name, "TM_VERSION") && strcmp(name, "TM_BEGIN") != 0 &&
        strcmp(name, "TM_END") != 0) {
        char line[256];
        while (*value && isspace((unsigned char)value[strlen(value) - 1]))
            value[strlen(value) - 1] = '\0';
        snprintf(line, sizeof line, "#define %s %s", name, value);
        if (*value)
            add_line(to, line);
    }
    memset(at, ' ', (size_t)(end - at));
    return end;
}

/* Adds a declaration, [from, end), its spaces made single ones. */
static void take_declaration(const char *from, const char *end, lines *to)
{
    char line[4096];
    size_t used = 0;
    for (; from < end; from++) {
        bool space = isspace((unsigned char)*from);
        if (space && (used == 0 || line[used - 1] == ' '))
            continue;
        ck_assert_uint_lt(used, sizeof line - 1);
        line[used++] = space ? ' ' : *from;
    }
    while (used > 0 && line[used - 1] == ' ')
        used--;
    line[used] = '\0';
    char *at = line;
    while (begins(at, "TM_BEGIN") || begins(at, "TM_END"))
        at += begins(at, "TM_END") ? 6 : 8, at += *at == ' ';
    at += begins(at, "TM_API ") ? 7 : 0;
    if (*at && !begins(at, "static"))
        add_line(to, at);
}

/* Cuts a header into its declarations. */
static void take_header(char *text, lines *to)
{
    strip_comments(text);
    for (char *at = text; *at; at++)
        if (*at == '#' && (at == text || at[-1] == '\n'))
            at = take_directive(at, to);
    int depth = 0;
    const char *from = text;
    for (const char *at = text; *at; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        if (depth > 0)
            continue;
        const char *first = from + strspn(from, " \n");
        if (begins(first, "TM_BEGIN"))
            first += 8 + strspn(first + 8, " \n");
        if (*at == ';' || (*at == '}' && begins(first, "static"))) {
            take_declaration(from, at, to);
            from = at + 1;
        }
    }
}

static void take_file(const char *path, lines *to)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "%s cannot be read", path);
    size_t room = 1 << 20;
    char *text = malloc(room);
    text[fread(text, 1, room - 1, file)] = '\0';
    ck_assert_msg(feof(file), "%s is too large", path);
    fclose(file);
    take_header(text, to);
    free(text);
}

/* -- Sizes --------------------------------------------------------------------------------------
 */

#define SIZE(type)                                                                                 \
    {                                                                                              \
#type, sizeof(type)                                                                        \
    }
static const struct {
    const char *name;
    size_t size;
} sizes[] = {
    SIZE(tm_value),       SIZE(tm_param),        SIZE(tm_loop),          SIZE(tm_reduce_args),
    SIZE(tm_reduce_loop), SIZE(tm_batch),        SIZE(tm_lanes),         SIZE(tm_lanes_kernel),
    SIZE(tm_op_def),      SIZE(tm_kernel_def),   SIZE(tm_spec),          SIZE(tm_dispatch_stats),
    SIZE(tm_error_level), SIZE(tm_error),        SIZE(tm_print_options), SIZE(tm_random_block),
    SIZE(tm_sample),      SIZE(tm_op_samples),   SIZE(tm_law_options),   SIZE(tm_law_result),
    SIZE(tm_allocator),   SIZE(tm_memory_stats), SIZE(tm_event_arg),     SIZE(tm_event),
    SIZE(tm_mode_def),    SIZE(tm_vmap_options), SIZE(tm_plugin),        SIZE(tm_wrap_options),
    SIZE(tm_scalar),      SIZE(tm_int_list),     SIZE(tm_tensor_list),   SIZE(tm_out_list)};

/* Adds the sizes; a struct of the headers that is not among them fails the test, but for an op's
 * results, which are pointers. */
static void take_sizes(lines *to)
{
    int declared = to->count;
    for (int i = 0; i < declared; i++) {
        char kind[8], name[64];
        if (sscanf(to->text[i], "typedef %7s %63[a-z0-9_] {", kind, name) != 2 ||
            strcmp(kind, "enum") == 0 || !strchr(to->text[i], '{') || begins(name, "DL") ||
            strstr(name, "_result"))
            continue;
        bool known = false;
        for (int k = 0; k < COUNT(sizes); k++)
            known = known || strcmp(sizes[k].name, name) == 0;
        ck_assert_msg(known, "%s is not in the table of sizes", name);
    }
    for (int i = 0; i < COUNT(sizes); i++) {
        char line[128];
        snprintf(line, sizeof line, "sizeof(%s) == %zu", sizes[i].name, sizes[i].size);
        add_line(to, line);
    }
}

/* -- The test -----------------------------------------------------------------------------------
 */

static void take_all(lines *to)
{
    static const char *const headers[] = {"base",   "dispatch", "error",  "io",
                                          "kernel", "law",      "memory", "modes",
                                          "plugin", "tensor",   "tuning", "types"};
    char path[512];
    for (int i = 0; i < COUNT(headers); i++) {
        snprintf(path, sizeof path, TM_TEST_DATA "/../../include/transmute/%s.h", headers[i]);
        take_file(path, to);
    }
    take_file(TM_GENERATED "/include/transmute/ops.h", to);
    take_sizes(to);
    sort_lines(to);
}

static void read_list(lines *to)
{
    FILE *file = fopen(LIST, "r");
    ck_assert_msg(file, LIST " cannot be read");
    char line[4096];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && !begins(line, "# "))
            add_line(to, line);
    }
    fclose(file);
}

static void write_list(const char *path, const lines *now)
{
    FILE *file = fopen(path, "w");
    ck_assert_msg(file, "%s cannot be written", path);
    fputs("# What programs linked with the library rely on: see docs/abi.md. Sizes are those of\n"
          "# 64-bit machines.\n",
          file);
    for (int i = 0; i < now->count; i++)
        fprintf(file, "%s\n", now->text[i]);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(the_interface_is_what_the_list_says)
{
    static lines now, stated;
    take_all(&now);
    const char *path = getenv("TM_ABI_WRITE");
    if (path)
        write_list(path, &now);
    read_list(&stated);
    sort_lines(&stated);
    ck_assert_int_gt(now.count, 1000);
    char gone[512] = "nothing", added[512] = "nothing";
    for (int i = 0, k = 0; i < stated.count || k < now.count;) {
        int order = i == stated.count ? 1
                    : k == now.count  ? -1
                                      : strcmp(stated.text[i], now.text[k]);
        if (order < 0 && begins(gone, "nothing"))
            snprintf(gone, sizeof gone, "%s", stated.text[i]);
        if (order > 0 && begins(added, "nothing"))
            snprintf(added, sizeof added, "%s", now.text[k]);
        i += order <= 0;
        k += order >= 0;
    }
    ck_assert_msg(
        begins(gone, "nothing") && begins(added, "nothing"),
        "transmute.abi is not the interface; if that is meant: ./dev abi\n  gone:  %s\n  added: %s",
        gone, added);
    free_lines(&now);
    free_lines(&stated);
}
END_TEST

/* Programs find the version whose interface they were built for: it is in each symbol's name. */
START_TEST(symbols_carry_the_version)
{
    FILE *pipe = popen("nm -D --defined-only " TM_LIBRARY, "r");
    ck_assert_ptr_nonnull(pipe);
    char line[512], node[64];
    snprintf(node, sizeof node, "@@TRANSMUTE_%d.%d\n", TM_VERSION_MAJOR, TM_VERSION_MINOR);
    int count = 0;
    while (fgets(line, sizeof line, pipe)) {
        ck_assert_msg(strstr(line, " A ") || strstr(line, node), "not of this version: %s", line);
        count++;
    }
    ck_assert_int_eq(pclose(pipe), 0);
    ck_assert_int_gt(count, 100);
}
END_TEST

Suite *abi_suite(void)
{
    const TTest *const tests[] = {the_interface_is_what_the_list_says, symbols_carry_the_version};
    return test_suite("abi", tests, COUNT(tests));
}
