/* format_array.c: the layout of NumPy's print.
 *
 * Rows are wrapped at linewidth columns and continued under their first element; between the parts
 * of an outer axis stands a line break for every axis inside it. Above `threshold` elements an axis
 * longer than twice edgeitems shows its first and last edgeitems, and the hidden elements have no
 * say in the columns either.
 */
#include "format.h"

typedef struct layout {
    tm_text *text;
    const tm_print_style *style;
    tm_words words;
    const int64_t *shape, *strides;
    int ndim;
    int64_t item;
    bool summarise;
} layout;

/* How many elements of an axis are shown; `skip` is where the hidden ones begin, or -1. */
static int64_t shown(const layout *l, int axis, int64_t *skip)
{
    int64_t size = l->shape[axis], edge = l->style->edgeitems;
    bool summary = l->summarise && edge < size - edge;
    *skip = summary ? edge : -1;
    return summary ? 2 * edge : size;
}

/* The k-th shown element's step from the first. */
static int64_t step(const layout *l, int axis, int64_t k, int64_t skip)
{
    int64_t index = skip >= 0 && k >= skip ? k + l->shape[axis] - 2 * skip : k;
    return index * l->strides[axis] * l->item;
}

/* Shows every element that will be printed to `see`. */
static void visit(layout *l, int axis, const char *at,
                  void (*see)(tm_words *words, const void *element))
{
    if (axis == l->ndim) {
        see(&l->words, at);
        return;
    }
    int64_t skip;
    int64_t count = shown(l, axis, &skip);
    for (int64_t k = 0; k < count; k++) {
        visit(l, axis + 1, at + step(l, axis, k, skip), see);
    }
}

/* Appends a word to the line that is `*width` wide, on a new line where it would not fit. */
static void add_word(layout *l, const char *word, int length, int64_t *width)
{
    int indent = l->ndim;
    int64_t limit = l->style->linewidth - l->ndim; /* room for the closing brackets */
    if (*width + length > limit && *width > indent) {
        tm_text_trim(l->text);
        tm_text_fill(l->text, '\n', 1);
        tm_text_fill(l->text, ' ', (size_t)indent);
        *width = indent;
    }
    tm_text_append(l->text, word, (size_t)length);
    *width += length;
}

static void write_row(layout *l, const char *at)
{
    char word[TM_WORD_MAX];
    int axis = l->ndim - 1;
    int64_t skip;
    int64_t count = shown(l, axis, &skip);
    int64_t width = l->ndim;
    for (int64_t k = 0; k < count && !l->text->failed; k++) {
        if (k == skip) {
            add_word(l, "...", 3, &width);
            tm_text_fill(l->text, ' ', 1);
            width++;
        }
        int length = tm_words_write(&l->words, at + step(l, axis, k, skip), word);
        add_word(l, word, length, &width);
        if (k + 1 < count) {
            tm_text_fill(l->text, ' ', 1);
            width++;
        }
    }
}

static void write_axis(layout *l, int axis, const char *at)
{
    tm_text_fill(l->text, '[', 1);
    if (axis == l->ndim - 1) {
        write_row(l, at);
        tm_text_fill(l->text, ']', 1);
        return;
    }
    size_t indent = (size_t)axis + 1, breaks = (size_t)(l->ndim - 1 - axis);
    int64_t skip;
    int64_t count = shown(l, axis, &skip);
    for (int64_t k = 0; k < count && !l->text->failed; k++) {
        if (k > 0) {
            tm_text_fill(l->text, '\n', breaks);
            tm_text_fill(l->text, ' ', indent);
        }
        if (k == skip) {
            tm_text_append_string(l->text, "...");
            tm_text_fill(l->text, '\n', breaks);
            tm_text_fill(l->text, ' ', indent);
        }
        write_axis(l, axis + 1, at + step(l, axis, k, skip));
    }
    tm_text_fill(l->text, ']', 1);
}

void tm_format_array(tm_text *text, const tm_tensor *x, const void *data,
                     const tm_print_style *style)
{
    int64_t numel = tm_numel(x);
    tm_dtype dtype = tm_dtype_of(x);
    if (numel == 0) {
        tm_text_append_string(text, "[]");
        return;
    }
    if (tm_ndim(x) == 0) {
        char word[TM_WORD_MAX];
        tm_text_append(text, word, (size_t)tm_words_write_scalar(dtype, data, word));
        return;
    }
    layout l = {.text = text,
                .style = style,
                .shape = tm_shape(x),
                .strides = tm_strides(x),
                .ndim = tm_ndim(x),
                .item = (int64_t)tm_dtype_size(dtype),
                .summarise = numel > style->threshold};
    tm_words_begin(&l.words, dtype, style);
    if (l.words.num_parts > 0) {
        visit(&l, 0, data, tm_words_see_range);
        tm_words_finish_range(&l.words);
    }
    if (dtype != TM_BOOL) {
        visit(&l, 0, data, tm_words_see_width);
        tm_words_finish_width(&l.words);
    }
    write_axis(&l, 0, data);
}
