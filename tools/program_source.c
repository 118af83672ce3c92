/* program_source.c: a program's text, and errors that point into it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <transmute/error.h>

#include "program.h"

/* A whole stream as a text; NULL where reading fails. */
static char *read_all(tm_cli_memory *memory, FILE *stream, size_t *length)
{
    size_t room = 1 << 14;
    char *text = tm_cli_alloc(memory, room, 1);
    *length = 0;
    for (;;) {
        size_t n = fread(text + *length, 1, room - *length - 1, stream);
        *length += n;
        if (n == 0)
            return ferror(stream) ? NULL : text;
        if (*length + 1 == room) {
            room *= 2;
            text = memcpy(tm_cli_alloc(memory, room, 1), text, *length);
        }
    }
}

int tm_source_read(tm_cli_memory *memory, const char *path, tm_source *source)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat status;
    errno = 0;
    if (!standard && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return tm_cli_wrong("run: '%s': %s", path, strerror(EISDIR));
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (!stream)
        return tm_cli_wrong("run: '%s': %s", path, strerror(errno));
    source->name = standard ? "standard input" : path;
    source->text = read_all(memory, stream, &source->length);
    int why = errno;
    if (!standard)
        fclose(stream);
    return source->text ? TM_EXIT_OK : tm_cli_wrong("run: '%s': %s", path, strerror(why));
}

static const char *line_start(const tm_source *source, tm_place place)
{
    const char *start = place.at;
    while (start > source->text && start[-1] != '\n')
        start--;
    return start;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80; /* UTF-8: no continuation byte */
}

static int column(const tm_source *source, tm_place place)
{
    int count = 1;
    for (const char *c = line_start(source, place); c < place.at; c++)
        count += begins_character(*c);
    return count;
}

enum { SHOWN = 100 };

/* The line and a caret; of a long line what stands around the place. */
static void show(const tm_source *source, tm_place place)
{
    const char *start = line_start(source, place), *end = source->text + source->length;
    if (place.at - start > SHOWN / 2)
        start = place.at - SHOWN / 2;
    fputs("  ", stderr);
    for (const char *c = start; c < end && *c != '\n' && c < start + SHOWN; c++)
        fputc((unsigned char)*c < ' ' || *c == 127 ? ' ' : *c, stderr);
    fputs("\n  ", stderr);
    for (const char *c = start; c < place.at; c++)
        if (begins_character(*c))
            fputc(' ', stderr);
    fputs("^\n", stderr);
}

int tm_source_wrong(const tm_source *source, tm_place place, const char *format, ...)
{
    char message[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    tm_cli_wrong("%s:%d:%d: %s", source->name, place.line, column(source, place), message);
    show(source, place);
    return TM_EXIT_USAGE;
}

int tm_source_failed(const tm_source *source, tm_place place, const char *name)
{
    const tm_error *error = tm_error_get();
    tm_source_wrong(source, place, "%s: %s",
                    name    ? name
                    : error ? error->op
                            : "call",
                    error ? error->message : "failed without saying why");
    char *context = NULL;
    size_t length;
    FILE *stream = open_memstream(&context, &length);
    if (!stream)
        return TM_EXIT_FAILED;
    tm_error_print(stream);
    if (fclose(stream) == 0) {
        const char *second = strchr(context, '\n');
        fputs(second ? second + 1 : "", stderr);
    }
    free(context);
    return TM_EXIT_FAILED;
}
