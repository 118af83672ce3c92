/* npy_header.c: parsing a .npy header.
 *
 * The header is a Python literal, but only what writers write is taken: a dict with exactly the
 * three keys, in any order and spacing, a string, True or False, and a tuple of sizes. Everything
 * comes from a file, so nothing is believed: every step checks the end of the text, and the product
 * of the sizes is checked for overflow.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

static const struct {
    tm_dtype dtype;
    const char *descr;
} dtypes[] = {
    {TM_BOOL, "b1"},      {TM_INT8, "i1"},        {TM_INT16, "i2"},   {TM_INT32, "i4"},
    {TM_INT64, "i8"},     {TM_UINT8, "u1"},       {TM_UINT16, "u2"},  {TM_UINT32, "u4"},
    {TM_UINT64, "u8"},    {TM_FLOAT16, "f2"},     {TM_FLOAT32, "f4"}, {TM_FLOAT64, "f8"},
    {TM_COMPLEX64, "c8"}, {TM_COMPLEX128, "c16"},
};

const char *tm_npy_descr(tm_dtype dtype)
{
    for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
        if (dtypes[i].dtype == dtype) {
            return dtypes[i].descr;
        }
    }
    return NULL;
}

bool tm_npy_little_endian(void)
{
    const uint16_t probe = 1;
    unsigned char first;
    memcpy(&first, &probe, 1);
    return first == 1;
}

void tm_npy_swap(tm_dtype dtype, char *data, size_t bytes)
{
    size_t size = tm_dtype_size(dtype);
    if (tm_dtype_kind(dtype) == TM_KIND_COMPLEX) {
        size /= 2; /* each part by itself */
    }
    if (size < 2) {
        return;
    }
    for (char *end = data + bytes; data < end; data += size) {
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            char byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
    }
}

typedef struct parser {
    const char *at, *end;
    tm_status status;
    char *why;
    size_t why_size;
} parser;

/* Says what is wrong; the first complaint stays. Returns false. */
TM_PRINTF(3, 4)
static bool fail(parser *p, tm_status status, const char *format, ...)
{
    if (p->status == TM_OK) {
        p->status = status;
        va_list list;
        va_start(list, format);
        vsnprintf(p->why, p->why_size, format, list);
        va_end(list);
    }
    return false;
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r'))) {
        p->at++;
    }
}

/* The next character that is not space, or NUL at the end. */
static char peek(parser *p)
{
    skip_space(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool take(parser *p, char wanted)
{
    if (peek(p) != wanted) {
        return false;
    }
    p->at++;
    return true;
}

static bool expect(parser *p, char wanted, const char *where)
{
    return take(p, wanted) ||
           fail(p, TM_ERR_IO, "malformed header: '%c' expected %s", wanted, where);
}

/* A quoted string of printable characters without escapes. */
static bool parse_string(parser *p, char *out, size_t size, const char *what)
{
    char quote = peek(p);
    if (quote != '\'' && quote != '"') {
        fail(p, TM_ERR_IO, "malformed header: a string expected for %s", what);
        return false;
    }
    size_t length = 0;
    for (p->at++; p->at < p->end && *p->at != quote; p->at++) {
        if (*p->at < ' ' || *p->at > '~' || *p->at == '\\' || length + 1 == size) {
            fail(p, TM_ERR_IO, "malformed header: bad string for %s", what);
            return false;
        }
        out[length++] = *p->at;
    }
    out[length] = '\0';
    if (p->at == p->end) {
        fail(p, TM_ERR_IO, "malformed header: the string for %s has no end", what);
        return false;
    }
    p->at++;
    return true;
}

static bool take_word(parser *p, const char *word)
{
    size_t length = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) {
        return false;
    }
    p->at += length;
    return true;
}

static bool parse_bool(parser *p, bool *out)
{
    *out = take_word(p, "True");
    return *out || take_word(p, "False") ||
           fail(p, TM_ERR_IO, "malformed header: fortran_order must be True or False");
}

static bool parse_size(parser *p, int64_t *out)
{
    if (peek(p) == '-') {
        return fail(p, TM_ERR_IO, "malformed header: a negative size in the shape");
    }
    const char *begin = p->at;
    int64_t value = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p->at - '0', &value)) {
            return fail(p, TM_ERR_IO, "malformed header: a size that does not fit 64 bits");
        }
    }
    if (p->at == begin) {
        return fail(p, TM_ERR_IO, "malformed header: a size expected in the shape");
    }
    if (p->at < p->end && *p->at == 'L') { /* Python 2 wrote its long integers so */
        p->at++;
    }
    *out = value;
    return true;
}

static bool parse_shape(parser *p, tm_npy_header *header)
{
    if (!take(p, '(')) {
        return fail(p, TM_ERR_IO, "malformed header: the shape must be a tuple");
    }
    header->ndim = 0;
    bool comma = true;
    while (!take(p, ')')) {
        if (!comma) {
            return fail(p, TM_ERR_IO, "malformed header: ',' or ')' expected in the shape");
        }
        int64_t size = 0;
        if (!parse_size(p, &size)) {
            return false;
        }
        if (header->ndim == TM_MAX_NDIM) {
            return fail(p, TM_ERR_IO, "more than %d dimensions", TM_MAX_NDIM);
        }
        header->shape[header->ndim++] = size;
        comma = take(p, ',');
    }
    if (header->ndim == 1 && !comma) { /* (3) is a number in Python */
        return fail(p, TM_ERR_IO, "malformed header: the shape must be a tuple");
    }
    return true;
}

/* The descr: one of "|<>=", or none of them, and a kind with a size. */
static bool parse_descr(parser *p, tm_npy_header *header)
{
    char first = peek(p), descr[64];
    if (first == '[' || first == '(' || first == '{') {
        return fail(p, TM_ERR_DTYPE, "structured dtypes are not supported");
    }
    if (!parse_string(p, descr, sizeof(descr), "descr")) {
        return false;
    }
    const char *name = descr;
    char order = descr[0];
    if (order != '\0' && strchr("|<>=", order) != NULL) {
        name++;
    }
    if (name[0] == 'O') {
        return fail(p, TM_ERR_DTYPE, "object arrays (pickles) are not supported");
    }
    for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
        if (strcmp(name, dtypes[i].descr) == 0) {
            header->dtype = dtypes[i].dtype;
            header->swapped = tm_npy_little_endian() ? order == '>' : order == '<';
            return true;
        }
    }
    return fail(p, TM_ERR_DTYPE, "dtype '%s' is not supported", descr);
}

static bool parse_entry(parser *p, tm_npy_header *header, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[32];
    if (!parse_string(p, key, sizeof(key), "a key")) {
        return false;
    }
    unsigned k = 0;
    while (k < 3 && strcmp(key, keys[k]) != 0) {
        k++;
    }
    if (k == 3) {
        return fail(p, TM_ERR_IO, "malformed header: unknown key '%s'", key);
    }
    if ((*seen & (1U << k)) != 0) {
        return fail(p, TM_ERR_IO, "malformed header: key '%s' twice", key);
    }
    *seen |= 1U << k;
    if (!expect(p, ':', "after a key")) {
        return false;
    }
    return k == 0   ? parse_descr(p, header)
           : k == 1 ? parse_bool(p, &header->fortran)
                    : parse_shape(p, header);
}

static bool parse_dict(parser *p, tm_npy_header *header)
{
    unsigned seen = 0;
    bool comma = true;
    if (!expect(p, '{', "at the beginning")) {
        return false;
    }
    while (!take(p, '}')) {
        if (!comma) {
            return fail(p, TM_ERR_IO, "malformed header: ',' or '}' expected after a value");
        }
        if (!parse_entry(p, header, &seen)) {
            return false;
        }
        comma = take(p, ',');
    }
    if (seen != 7) {
        return fail(p, TM_ERR_IO,
                    "malformed header: it needs the keys descr, fortran_order and shape");
    }
    skip_space(p);
    return p->at == p->end || fail(p, TM_ERR_IO, "malformed header: text after the dict");
}

tm_status tm_npy_parse(const char *text, size_t length, tm_npy_header *header, char *why,
                       size_t why_size)
{
    parser p = {.at = text, .end = text + length, .why = why, .why_size = why_size};
    *header = (tm_npy_header){0};
    if (!parse_dict(&p, header)) {
        return p.status;
    }
    /* Sizes of 0 must not hide an overflow of the others. */
    int64_t bytes = (int64_t)tm_dtype_size(header->dtype);
    bool empty = false;
    for (int d = 0; d < header->ndim; d++) {
        empty |= header->shape[d] == 0;
        if (header->shape[d] != 0 && __builtin_mul_overflow(bytes, header->shape[d], &bytes)) {
            fail(&p, TM_ERR_IO, "malformed header: the array does not fit the address space");
            return p.status;
        }
    }
    header->bytes = empty ? 0 : bytes;
    return TM_OK;
}
