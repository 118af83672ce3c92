/* format_text.c: a string that grows.
 *
 * It doubles, so that appending is cheap; it comes from the library's allocator. The block's size
 * stands in front of the characters, because tm_string_free gets the characters alone. A failed
 * allocation is kept as a flag, so that the code that lays out an array need not check every
 * append; what was there before stays valid.
 */
#include <string.h>

#include "dispatch/memory.h"
#include "format.h"

/* In front of the characters: the size of the block, padded so that it stays aligned. */
#define HEADER 16

_Static_assert(sizeof(size_t) <= HEADER, "the header holds a size");

static void free_block(char *data)
{
    size_t size;
    memcpy(&size, data - HEADER, sizeof(size));
    tm_free(data - HEADER, size);
}

/* Makes room for `count` more characters and the NUL. */
static bool reserve(tm_text *text, size_t count)
{
    if (text->failed) {
        return false;
    }
    if (text->data != NULL && count < text->capacity - text->length) {
        return true;
    }
    if (count > SIZE_MAX / 4 || text->length > SIZE_MAX / 4 - HEADER) {
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
    size_t size = capacity + HEADER;
    char *block = tm_alloc(size);
    if (block == NULL) {
        text->failed = true;
        return false;
    }
    memcpy(block, &size, sizeof(size));
    char *data = block + HEADER;
    if (text->data != NULL) {
        memcpy(data, text->data, text->length);
        free_block(text->data);
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
    if (text->data != NULL) {
        free_block(text->data);
    }
    *text = (tm_text){0};
}
