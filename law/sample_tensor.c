/* sample_tensor.c: a tensor as samples write it: dtype, sizes, values or the generator of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "law/elements.h"
#include "law/scan.h"

static tm_dtype find_dtype(const char *name)
{
    static const char *const names[TM_NUM_DTYPES] = {NULL,  "b8",  "i8",  "i16", "i32", "i64",
                                                     "u8",  "u16", "u32", "u64", "f16", "bf16",
                                                     "f32", "f64", "c64", "c128"};
    for (int i = 1; i < TM_NUM_DTYPES; i++)
        if (strcmp(name, names[i]) == 0)
            return (tm_dtype)i;
    return tm_dtype_from_name(name);
}

static const char *const generators[TM_LAW_NUM_GENERATORS] = {
    [TM_LAW_PLAIN] = "",    [TM_LAW_POS] = "pos",         [TM_LAW_UNIT] = "unit",
    [TM_LAW_SPD] = "spd",   [TM_LAW_NONNEG] = "nonneg",   [TM_LAW_INDEX] = "index",
    [TM_LAW_PERM] = "perm", [TM_LAW_SPECIAL] = "special", [TM_LAW_TIES] = "ties"};

const char *tm_law_generator_name(tm_law_generator generator)
{
    return generators[generator];
}

bool tm_law_scan_dtype(tm_law_scanner *p, tm_dtype *dtype)
{
    char word[32];
    tm_law_scan_space(p);
    const char *from = p->at;
    if (!tm_law_scan_word(p, "a dtype", word, sizeof word))
        return false;
    *dtype = find_dtype(word);
    return *dtype != TM_DTYPE_NONE || tm_law_scan_fail(p, from, "'%s' is no dtype", word);
}

static bool parse_generator(tm_law_scanner *p, tm_law_tensor *tensor)
{
    char word[32];
    const char *from = p->at;
    if (!tm_law_scan_word(p, "a generator", word, sizeof word))
        return false;
    int which = 1;
    while (which < TM_LAW_NUM_GENERATORS && strcmp(word, generators[which]) != 0)
        which++;
    if (which == TM_LAW_NUM_GENERATORS)
        return tm_law_scan_fail(p, from, "'%s' is no generator", word);
    tensor->generator = (tm_law_generator)which;
    int n = tensor->ndim;
    if (which == TM_LAW_INDEX) {
        if (!tm_law_scan_expect(p, '(') || !tm_law_scan_int(p, &tensor->bound) ||
            !tm_law_scan_expect(p, ')'))
            return false;
        if (tensor->bound < 1)
            return tm_law_scan_fail(p, from, "~index needs a bound of at least 1");
    }
    if (which == TM_LAW_SPD && (n < 2 || tensor->shape[n - 1] != tensor->shape[n - 2] ||
                                tm_dtype_kind(tensor->dtype) < TM_KIND_FLOAT))
        return tm_law_scan_fail(p, from, "~spd needs square matrices of a floating-point dtype");
    return true;
}

static bool parse_element(tm_law_scanner *p, tm_dtype dtype, char *to)
{
    tm_law_scan_space(p);
    const char *from = p->at;
    tm_scalar scalar;
    if (dtype == TM_UINT64 && isdigit((unsigned char)*from)) { /* beyond int64's range */
        char *end;
        errno = 0;
        unsigned long long number = strtoull(from, &end, 10);
        uint64_t value = number;
        if (errno == ERANGE)
            return tm_law_scan_fail(p, from, "the number is out of uint64's range");
        p->at = end;
        memcpy(to, &value, sizeof value);
        return true;
    }
    if (!tm_law_scan_scalar(p, &scalar))
        return false;
    if (scalar.kind == TM_KIND_COMPLEX) {
        if (tm_dtype_kind(dtype) != TM_KIND_COMPLEX)
            return tm_law_scan_fail(p, from, "a complex number in a tensor of %s",
                                    tm_dtype_name(dtype));
        tm_law_store_complex(dtype, scalar.value.c.re, scalar.value.c.im, to);
        return true;
    }
    if (scalar.kind == TM_KIND_FLOAT) {
        if (tm_law_is_int(dtype))
            return tm_law_scan_fail(p, from, "a float in a tensor of %s", tm_dtype_name(dtype));
        tm_law_store(dtype, scalar.value.f, to);
        return true;
    }
    bool minus_zero = *from == '-' && scalar.kind == TM_KIND_INT && scalar.value.i == 0;
    int64_t value = scalar.kind == TM_KIND_BOOL ? scalar.value.b : scalar.value.i;
    if (minus_zero && !tm_law_is_int(dtype))
        tm_law_store(dtype, -0.0, to);
    else if (!tm_law_store_int(dtype, value, to))
        return tm_law_scan_fail(p, from, "the number is out of %s's range", tm_dtype_name(dtype));
    return true;
}

static bool parse_literal(tm_law_scanner *p, tm_law_tensor *tensor)
{
    const char *from = p->at;
    size_t item = tm_dtype_size(tensor->dtype);
    char *values = tm_law_alloc_array(p->arena, tensor->numel, item);
    if (!values)
        return tm_law_scan_no_memory(p);
    tensor->literal = values;
    int64_t count = 0;
    for (; !tm_law_scan_accept(p, '}'); tm_law_scan_accept(p, ',')) {
        char element[16];
        if (!*p->at)
            return tm_law_scan_expect(p, '}');
        if (!parse_element(p, tensor->dtype, element))
            return false;
        if (count < tensor->numel)
            memcpy(values + (size_t)count * item, element, item);
        count++;
    }
    if (count != tensor->numel)
        return tm_law_scan_fail(p, from, "expected %lld values, got %lld", (long long)tensor->numel,
                                (long long)count);
    return true;
}

bool tm_law_scan_tensor(tm_law_scanner *p, tm_law_tensor *tensor)
{
    *tensor = (tm_law_tensor){.numel = 1};
    if (!tm_law_scan_dtype(p, &tensor->dtype) || !tm_law_scan_expect(p, '['))
        return false;
    while (!tm_law_scan_accept(p, ']')) {
        const char *from = p->at;
        int64_t size;
        if (tensor->ndim == TM_MAX_NDIM)
            return tm_law_scan_fail(p, from, "more than %d dimensions", TM_MAX_NDIM);
        if (!tm_law_scan_int(p, &size))
            return false;
        if (size < 0 || size > 1 << 20)
            return tm_law_scan_fail(p, from, "a size must be in 0..%d", 1 << 20);
        tensor->shape[tensor->ndim++] = size;
        tensor->numel *= size;
        if (tensor->numel > 1 << 24)
            return tm_law_scan_fail(p, from, "the tensor is too large for a sample");
        if (!tm_law_scan_accept(p, ',') && *p->at != ']')
            return tm_law_scan_expect(p, ']');
    }
    if (tm_law_scan_accept(p, '{'))
        return parse_literal(p, tensor);
    return !tm_law_scan_accept(p, '~') || parse_generator(p, tensor);
}
