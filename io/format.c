/* format.c: tm_print, tm_to_string, both with options, and tm_format_shape.
 *
 * A tensor prints as NumPy's print(array). One that is mapped has no values to print, only those of
 * all its examples: it prints as one line with what an example sees and the levels,
 *
 *     <tensor (3,) float32, mapped at level 7 (size 32)>
 */
#include <inttypes.h>
#include <string.h>

#include "dispatch/call.h"
#include "dispatch/error.h"
#include "dispatch/event.h"
#include "dispatch/handle.h"
#include "dispatch/thread.h"
#include "format.h"

int tm_format_shape(char *buffer, size_t size, int64_t ndim, const int64_t *shape)
{
    if (ndim < 0) {
        tm_error_set(TM_ERR_VALUE, "format_shape", "ndim", "ndim must not be negative, got %lld",
                     (long long)ndim);
        return -1;
    }
    if (ndim > 0 && !shape) {
        tm_error_null("format_shape", "shape");
        return -1;
    }
    return tm_sizes_print(buffer, size, ndim, shape);
}

static void format_mapped(tm_text *text, const tm_tensor *x)
{
    char piece[TM_MAX_NDIM * 24];
    tm_text_append_string(text, "<tensor ");
    tm_format_shape(piece, sizeof(piece), tm_ndim(x), tm_shape(x));
    tm_text_append_string(text, piece);
    tm_text_append_string(text, " ");
    tm_text_append_string(text, tm_dtype_name(tm_dtype_of(x)));
    int levels = tm_num_levels(x);
    for (int i = 0; i < levels; i++) {
        int64_t size;
        uint64_t id = tm_level_at(x, i, &size);
        snprintf(piece, sizeof(piece), "%s level %" PRIu64 " (size %" PRId64 ")",
                 i == 0 ? ", mapped at" : ",", id, size);
        tm_text_append_string(text, piece);
    }
    tm_text_append_string(text, ">");
}

/* The text of x, to be freed by the caller; an empty one after a failure, which is recorded. */
static tm_text format_tensor(const tm_tensor *x, const tm_print_options *options,
                             const char *function)
{
    tm_text text = {0};
    tm_print_style style;
    if (tm_handle_check(tm_thread_get(), x, function, "x") != TM_OK ||
        tm_print_style_of(options, function, &style) != TM_OK) {
        return text;
    }
    if (tm_num_levels(x) > 0) {
        format_mapped(&text, x);
    } else {
        tm_format_array(&text, x, tm_data(x), &style);
    }
    if (text.failed) {
        tm_error_memory(function, (int64_t)(2 * text.length));
        tm_text_free(&text);
    }
    return text;
}

static tm_status print(FILE *stream, const tm_tensor *x, const tm_print_options *options,
                       const char *function)
{
    if (stream == NULL) {
        return tm_error_set(TM_ERR_USAGE, function, "stream", "stream is NULL");
    }
    tm_text text = format_tensor(x, options, function);
    if (text.data == NULL) {
        return tm_error_code();
    }
    bool written =
        fwrite(text.data, 1, text.length, stream) == text.length && fputc('\n', stream) != EOF;
    tm_text_free(&text);
    if (written && stream == stdout && tm_modes_listen(tm_thread_get())) {
        const tm_event_arg arg = {"x", TM_TYPE_TENSOR, false, {.tensor = x}};
        tm_modes_tell(tm_thread_get(), "print", 1, &arg, NULL);
    }
    return written ? TM_OK
                   : tm_error_set(TM_ERR_IO, function, "stream", "the stream takes no more");
}

tm_status tm_print(FILE *stream, const tm_tensor *x)
{
    return print(stream, x, NULL, "print");
}

tm_status tm_print_with(FILE *stream, const tm_tensor *x, const tm_print_options *options)
{
    return print(stream, x, options, "print_with");
}

char *tm_to_string(const tm_tensor *x)
{
    return format_tensor(x, NULL, "to_string").data;
}

char *tm_to_string_with(const tm_tensor *x, const tm_print_options *options)
{
    return format_tensor(x, options, "to_string_with").data;
}

void tm_string_free(char *string)
{
    tm_text text = {.data = string};
    tm_text_free(&text);
}
