/* format_text.c: a string that grows.
 *
 * It doubles, so that appending is cheap. Its block knows its size (sized.h), because
 * tm_string_free gets the characters alone. A failed allocation is kept as a flag, so that the code
 * that lays out an array need not check every append; what was there before stays valid.
 */
#include <string.h>

#include "format.h"
#include "sized.h"

/* Makes room for `count` more characters and the NUL. */
static bool reserve(tm_text *text, size_t count)
{
    if (text->failed) {
        return false;
    }
    if (text->data != NULL && count < text->capacity - text->length) {
        return true;
    }
    if (count > SIZE_MAX / 4 || text->length > SIZE_MAX / 4) {
        text->failed = true;
        return false;
    }
    size_t capacity = 2 * text->length;
    if (capacity < text->length + count + 1) {
        capacity = text->length + count + 1;
    }
    if (capacity < 112) {
        capacity = 112;
    }
    char *data = tm_sized_alloc(capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    if (text->data != NULL) {
        memcpy(data, text->data, text->length);
        tm_sized_free(text->data);
    }
    data[text->length] = '\0';
    text->data = data;
    text->capacity = capacity;
    return true;
}

void tm_text_append(tm_text *text, const char *bytes, size_t count)
{
    if (reserve(text, count)) {
        memcpy(text->data + text->length, bytes, count);
        text->length += count;
        text->data[text->length] = '\0';
    }
}

void tm_text_append_string(tm_text *text, const char *string)
{
    tm_text_append(text, string, strlen(string));
}

void tm_text_fill(tm_text *text, char byte, size_t count)
{
    if (reserve(text, count)) {
        memset(text->data + text->length, byte, count);
        text->length += count;
        text->data[text->length] = '\0';
    }
}

void tm_text_trim(tm_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ') {
        text->data[--text->length] = '\0';
    }
}

void tm_text_free(tm_text *text)
{
    tm_sized_free(text->data);
    *text = (tm_text){0};
}
