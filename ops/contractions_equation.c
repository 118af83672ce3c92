/* contractions_equation.c: reads an equation of einsum and holds the tensors against it.
 *
 * Nothing is kept of a term: it is short, and read again when its tensor's turn comes.
 */
#include "contractions_equation.h"

#include <string.h>

#include "numeric.h"

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static uint8_t label_of(char c)
{
    return (uint8_t)(c <= 'Z' ? c - 'A' : c - 'a' + TM_EINSUM_LETTERS / 2);
}

static char letter_of(int label)
{
    const int half = TM_EINSUM_LETTERS / 2;
    return (char)(label < half ? 'A' + label : 'a' + label - half);
}

static bool ends_term(char c)
{
    return c == '\0' || c == ',' || c == '-';
}

static int term_length(const char *at)
{
    int n = 0;
    while (!ends_term(at[n]))
        n++;
    return n;
}

bool tm_labels_have(const tm_labels *labels, uint8_t label)
{
    return memchr(labels->label, label, (size_t)labels->count) != NULL;
}

/* How many letters the term has, and whether an ellipsis. */
static int count_letters(const char *at, bool *ellipsis)
{
    int letters = 0;
    *ellipsis = false;
    for (; !ends_term(*at); at++) {
        letters += is_letter(*at);
        *ellipsis = *ellipsis || *at == '.';
    }
    return letters;
}

const char *tm_equation_term(const char *at, int ndim, tm_labels *labels)
{
    bool ellipsis;
    int dots = ndim - count_letters(at, &ellipsis);
    labels->count = 0;
    for (; !ends_term(*at); at++) {
        if (is_letter(*at))
            labels->label[labels->count++] = label_of(*at);
        if (*at != '.')
            continue;
        for (int d = dots; d-- > 0;)
            labels->label[labels->count++] = (uint8_t)(TM_EINSUM_LETTERS + d);
        at += 2;
    }
    return *at == ',' ? at + 1 : at;
}

/* Whether the label stands before place i already. */
static bool is_repeated(const tm_labels *labels, int i)
{
    return memchr(labels->label, labels->label[i], (size_t)i) != NULL;
}

void tm_equation_pass(tm_equation *e, const tm_labels *term)
{
    for (int i = 0; i < term->count; i++)
        if (!is_repeated(term, i))
            e->left[term->label[i]]--;
}

/* -- the text --------------------------------------------------------------------------------- */

/* The characters; the number of terms before the output, and the output's, NULL where there is
 * none. */
static tm_status check_text(tm_call *call, const char *text, int64_t *terms, const char **output)
{
    bool ellipsis = false;
    *terms = 1;
    *output = NULL;
    for (const char *at = text; *at; at++) {
        bool dots = strncmp(at, "...", 3) == 0, arrow = strncmp(at, "->", 2) == 0;
        bool comma = *at == ',';
        if ((dots && ellipsis) || ((arrow || comma) && *output) ||
            (!dots && !arrow && !comma && !is_letter(*at) && *at != ' '))
            return tm_fail_arg(call, TM_ERR_VALUE, "equation",
                               "equation must be letters, with at most one '...' in each of the "
                               "terms between commas and one '->', got '%c' at character %lld",
                               *at, (long long)(at - text) + 1);
        *terms += comma;
        ellipsis = dots || (ellipsis && !comma && !arrow);
        if (arrow)
            *output = at + 2;
        at += dots ? 2 : arrow ? 1 : 0;
    }
    return TM_OK;
}

/* -- the terms -------------------------------------------------------------------------------- */

static tm_status check_term_rank(tm_call *call, const char *at, int64_t k, const tm_tensor *x)
{
    bool ellipsis;
    int letters = count_letters(at, &ellipsis), ndim = tm_ndim(x);
    if (ellipsis ? ndim >= letters : ndim == letters)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, "xs",
                       "xs[%lld] must have %s%d dimension%s for its term '%.*s', got shape %s",
                       (long long)k, ellipsis ? "at least " : "", letters, letters == 1 ? "" : "s",
                       term_length(at), at, tm_shape_text(call, x));
}

/* A letter has one size. `from` is the tensor that the size came from. */
static tm_status meet_letter(tm_call *call, tm_equation *e, int label, int64_t size, int64_t k,
                             int64_t *from)
{
    if (e->size[label] < 0) {
        e->size[label] = size;
        *from = k;
    }
    if (e->size[label] == size)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "xs",
                       "index '%c' must have one size, got %lld in xs[%lld] and %lld in xs[%lld]",
                       letter_of(label), (long long)e->size[label], (long long)*from,
                       (long long)size, (long long)k);
}

/* A dimension of the ellipsis broadcasts. */
static tm_status meet_ellipsis(tm_call *call, tm_equation *e, int label, const tm_tensor *x,
                               int64_t size, int64_t k)
{
    if (e->size[label] < 0 || e->size[label] == 1)
        e->size[label] = size;
    if (size == e->size[label] || size == 1)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "xs",
                       "the dimensions of '...' must broadcast, got %lld where another has %lld in "
                       "xs[%lld] of shape %s",
                       (long long)size, (long long)e->size[label], (long long)k,
                       tm_shape_text(call, x));
}

/* Adds the labels of xs[k] to what is known; `times` counts each in all terms. */
static tm_status meet_term(tm_call *call, tm_equation *e, const tm_tensor *x, int64_t k,
                           const tm_labels *term, int64_t *from, int64_t *times)
{
    tm_status status = TM_OK;
    for (int i = 0; status == TM_OK && i < term->count; i++) {
        uint8_t label = term->label[i];
        times[label]++;
        e->left[label] += !is_repeated(term, i);
        status = label < TM_EINSUM_LETTERS
                     ? meet_letter(call, e, label, tm_size(x, i), k, &from[label])
                     : meet_ellipsis(call, e, label, x, tm_size(x, i), k);
    }
    if (status == TM_OK && tm_dtype_of(x) == TM_BOOL)
        return tm_fail_arg(call, TM_ERR_DTYPE, "xs",
                           "xs must have numeric dtypes, got bool at %lld", (long long)k);
    return status;
}

/* -- the output ------------------------------------------------------------------------------- */

static int ellipsis_dims(const tm_equation *e)
{
    int n = 0;
    while (n < TM_MAX_NDIM && e->size[TM_EINSUM_LETTERS + n] >= 0)
        n++;
    return n;
}

/* An index in the output is one of a term's, and stands there once: so the labels have room. */
static tm_status stated_output(tm_call *call, const char *output, tm_equation *e)
{
    bool ellipsis;
    int letters = count_letters(output, &ellipsis);
    for (const char *at = output; !ends_term(*at); at++) {
        if (!is_letter(*at))
            continue;
        if (memchr(output, *at, (size_t)(at - output)))
            return tm_fail_arg(call, TM_ERR_VALUE, "equation",
                               "equation must have an index once in its output, got '%c' twice",
                               *at);
        if (e->size[label_of(*at)] < 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "equation",
                               "equation must have the indices of its output in a term, got '%c' "
                               "in the output alone",
                               *at);
    }
    tm_equation_term(output, letters + (ellipsis ? ellipsis_dims(e) : 0), &e->out);
    return TM_OK;
}

/* Without "->": the ellipsis, then the letters that stand once. */
static void implied_output(tm_equation *e, const int64_t *times)
{
    e->out.count = 0;
    for (int d = ellipsis_dims(e); d-- > 0;)
        e->out.label[e->out.count++] = (uint8_t)(TM_EINSUM_LETTERS + d);
    for (int label = 0; label < TM_EINSUM_LETTERS; label++)
        if (times[label] == 1)
            e->out.label[e->out.count++] = (uint8_t)label;
}

tm_status tm_equation_read(tm_call *call, const char *text, tm_tensor_list xs, tm_equation *e)
{
    int64_t terms, from[TM_EINSUM_LABELS], times[TM_EINSUM_LABELS] = {0};
    const char *output;
    tm_status status = check_text(call, text, &terms, &output);
    if (status != TM_OK)
        return status;
    if (terms != xs.count)
        return tm_fail_arg(call, TM_ERR_VALUE, "xs",
                           "xs must be as many tensors as equation has terms, %lld, got %lld",
                           (long long)terms, (long long)xs.count);
    memset(e, 0, sizeof *e);
    for (int label = 0; label < TM_EINSUM_LABELS; label++)
        e->size[label] = -1;
    const char *at = text;
    e->dtype = tm_dtype_of(xs.data[0]);
    for (int64_t k = 0; status == TM_OK && k < xs.count; k++) {
        const tm_tensor *x = xs.data[k];
        status = check_term_rank(call, at, k, x);
        if (status != TM_OK)
            return status;
        tm_labels term;
        at = tm_equation_term(at, tm_ndim(x), &term);
        status = meet_term(call, e, x, k, &term, from, times);
        e->dtype = tm_promote(e->dtype, tm_dtype_of(x));
    }
    if (status == TM_OK && output)
        status = stated_output(call, output, e);
    else if (status == TM_OK)
        implied_output(e, times);
    if (status != TM_OK)
        return status;
    for (int i = 0; i < e->out.count; i++)
        e->left[e->out.label[i]]++;
    return TM_OK;
}
