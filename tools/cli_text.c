/* cli_text.c: memory for a run of the program, and error lines.
 *
 * Memory is a chain of blocks that is freed as a whole: a command makes a few dozen small ones. An
 * error line stays one line: control characters in the user's words become "?".
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <transmute/error.h>

#include "cli.h"

typedef union block {
    union block *before;
    max_align_t align;
} block;

void tm_cli_no_memory(void)
{
    fputs("error: no memory\n", stderr);
    exit(TM_EXIT_FAILED);
}

void *tm_cli_alloc(tm_cli_memory *memory, size_t count, size_t size)
{
    size_t bytes;
    block *b = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *b, &bytes))
        b = calloc(1, bytes);
    if (!b)
        tm_cli_no_memory();
    b->before = memory->last;
    memory->last = b;
    return b + 1;
}

void tm_cli_free(tm_cli_memory *memory)
{
    for (block *b = memory->last, *before; b; b = before) {
        before = b->before;
        free(b);
    }
    memory->last = NULL;
}

int tm_cli_wrong(const char *format, ...)
{
    char line[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    fprintf(stderr, "error: %s\n", line);
    return TM_EXIT_USAGE;
}

int tm_cli_wrong_record(const char *what)
{
    const tm_error *error = tm_error_get();
    tm_cli_wrong("%s: %s", what, error ? error->message : "failed without saying why");
    return error && error->code == TM_ERR_MEMORY ? TM_EXIT_FAILED : TM_EXIT_USAGE;
}
