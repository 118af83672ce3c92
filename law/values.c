/* values.c: generators, and variations of literal values. */
#include "law/values.h"

#include <math.h>
#include <string.h>

#include "law/elements.h"

static double between(tm_law_rng *rng, double low, double high)
{
    return low + (high - low) * tm_law_unit(rng);
}

/* An element between two bounds: integers from an integer range, both ends included. */
static void put_between(tm_law_rng *rng, tm_dtype dtype, double low, double high, int64_t int_low,
                        int64_t int_high, char *to)
{
    if (dtype == TM_BOOL)
        *to = (char)(tm_law_next(rng) & 1);
    else if (tm_law_is_int(dtype))
        tm_law_store_int(dtype, int_low + tm_law_below(rng, int_high - int_low + 1), to);
    else {
        double re = between(rng, low, high);
        tm_law_store_complex(dtype, re, between(rng, low, high), to);
    }
}

static void put_special(tm_law_rng *rng, tm_dtype dtype, char *to)
{
    static const double specials[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0};
    if (!tm_law_is_int(dtype)) {
        tm_law_store(dtype, specials[tm_law_below(rng, 4)], to);
        return;
    }
    uint64_t max = tm_law_int_max(dtype);
    int64_t low = tm_law_int_min(dtype);
    bool top = tm_law_next(rng) & 1;
    size_t item = tm_dtype_size(dtype);
    if (top)
        memcpy(to, &max, item); /* little-endian, as every platform here */
    else
        memcpy(to, &low, item);
}

static bool is_unsigned(tm_dtype dtype)
{
    return dtype >= TM_UINT8 && dtype <= TM_UINT64;
}

static void put_element(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    tm_dtype dtype = tensor->dtype;
    int64_t low = is_unsigned(dtype) ? 0 : -9;
    switch (tensor->generator) {
    case TM_LAW_POS:
        put_between(rng, dtype, 0.1, 3, 1, 9, to);
        return;
    case TM_LAW_UNIT:
        put_between(rng, dtype, 0, 1, 0, 0, to);
        return;
    case TM_LAW_NONNEG:
        put_between(rng, dtype, 0, 3, 0, 9, to);
        return;
    case TM_LAW_INDEX:
        tm_law_store_int(dtype, tm_law_below(rng, tensor->bound), to);
        return;
    case TM_LAW_TIES: {
        int64_t value = tm_law_below(rng, dtype == TM_BOOL ? 2 : 3);
        tm_law_store_int(dtype, low < 0 && dtype != TM_BOOL ? value - 1 : value, to);
        return;
    }
    case TM_LAW_SPECIAL:
        if (tm_law_chance(rng, 40)) {
            put_special(rng, dtype, to);
            return;
        }
        break;
    default:
        break;
    }
    put_between(rng, dtype, -2, 2, low, 9, to);
}

/* B times its conjugate transpose, plus n on the diagonal. */
static void put_spd(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    enum { TERMS = 64 };
    int64_t n = tensor->shape[tensor->ndim - 1], terms = n < TERMS ? n : TERMS;
    size_t item = tm_dtype_size(tensor->dtype);
    bool is_complex = tm_dtype_kind(tensor->dtype) == TM_KIND_COMPLEX;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            /* Row i of B from a generator of its own: no room for B is needed. */
            tm_law_rng a = {rng->state + (uint64_t)i}, b = {rng->state + (uint64_t)j};
            double re = i == j ? (double)n : 0, im = 0;
            for (int64_t k = 0; k < terms; k++) {
                double a_re = between(&a, -1, 1), a_im = is_complex ? between(&a, -1, 1) : 0;
                double b_re = between(&b, -1, 1), b_im = is_complex ? between(&b, -1, 1) : 0;
                re += a_re * b_re + a_im * b_im;
                im += a_im * b_re - a_re * b_im;
            }
            tm_law_store_complex(tensor->dtype, re, im, to + (size_t)(i * n + j) * item);
            tm_law_store_complex(tensor->dtype, re, -im, to + (size_t)(j * n + i) * item);
        }
    rng->state += 0x51ed270b7a64d9u;
}

static void put_permutation(tm_law_rng *rng, tm_dtype dtype, int64_t n, char *to)
{
    size_t item = tm_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++) { /* inside-out shuffle */
        int64_t j = tm_law_below(rng, i + 1);
        memmove(to + (size_t)i * item, to + (size_t)j * item, item);
        tm_law_store_int(dtype, i, to + (size_t)j * item);
    }
}

void tm_law_generate(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    size_t item = tm_dtype_size(tensor->dtype);
    if (tensor->numel == 0)
        return;
    int64_t last = tensor->ndim ? tensor->shape[tensor->ndim - 1] : 1;
    if (tensor->generator == TM_LAW_SPD || tensor->generator == TM_LAW_PERM) {
        bool spd = tensor->generator == TM_LAW_SPD;
        int64_t block = spd ? last * last : last;
        for (int64_t i = 0; i < tensor->numel; i += block) {
            if (spd)
                put_spd(rng, tensor, to + (size_t)i * item);
            else
                put_permutation(rng, tensor->dtype, last, to + (size_t)i * item);
        }
        return;
    }
    for (int64_t i = 0; i < tensor->numel; i++)
        put_element(rng, tensor, to + (size_t)i * item);
}

void tm_law_original(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    if (tensor->literal)
        memcpy(to, tensor->literal, (size_t)tensor->numel * tm_dtype_size(tensor->dtype));
    else
        tm_law_generate(rng, tensor, to);
}

static void shuffle(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    size_t item = tm_dtype_size(tensor->dtype);
    char swap[16];
    for (int64_t i = tensor->numel - 1; i > 0; i--) {
        char *a = to + (size_t)i * item, *b = to + (size_t)tm_law_below(rng, i + 1) * item;
        memcpy(swap, a, item);
        memcpy(a, b, item);
        memcpy(b, swap, item);
    }
}

/* Multiplies by a positive number: what is positive definite, sorted or negative stays so. */
static void scale(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    size_t item = tm_dtype_size(tensor->dtype);
    double by = between(rng, 0.3, 2.5);
    for (int64_t i = 0; i < tensor->numel; i++, to += item)
        tm_law_store_complex(tensor->dtype, by * tm_law_load(tensor->dtype, to),
                             by * tm_law_load_imag(tensor->dtype, to), to);
}

/* New values from the range of the literal's finite ones; those that are not finite stay. */
static void redraw(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    tm_dtype dtype = tensor->dtype;
    size_t item = tm_dtype_size(dtype);
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int64_t i = 0; i < tensor->numel; i++) {
        double value = tm_law_load(dtype, to + (size_t)i * item);
        if (!isfinite(value))
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    bool wide = low < -1e15 || high > 1e15; /* no place for arithmetic on the bounds */
    for (int64_t i = 0; i < tensor->numel; i++) {
        char *at = to + (size_t)i * item;
        if (!wide && isfinite(tm_law_load(dtype, at)))
            put_between(rng, dtype, low, high, (int64_t)low, (int64_t)high, at);
    }
}

void tm_law_variant(tm_law_rng *rng, const tm_law_tensor *tensor, char *to)
{
    if (!tensor->literal) {
        tm_law_generate(rng, tensor, to);
        return;
    }
    tm_law_original(rng, tensor, to);
    int64_t way = tm_law_below(rng, 3);
    if (way == 0)
        shuffle(rng, tensor, to);
    else if (way == 1 && !tm_law_is_int(tensor->dtype))
        scale(rng, tensor, to);
    else
        redraw(rng, tensor, to);
}

void tm_law_make_constant(const tm_law_tensor *tensor, int axis, char *data)
{
    int64_t outer = 1, size = tensor->shape[axis];
    size_t inner = tm_dtype_size(tensor->dtype);
    for (int d = 0; d < axis; d++)
        outer *= tensor->shape[d];
    for (int d = axis + 1; d < tensor->ndim; d++)
        inner *= (size_t)tensor->shape[d];
    for (int64_t i = 0; i < outer; i++, data += (size_t)size * inner)
        for (int64_t k = 1; k < size; k++)
            memcpy(data + (size_t)k * inner, data, inner);
}
