/* elements.c: one element at a time, plainly. */
#include "law/elements.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <transmute/dispatch.h>

/* A float with `exponent_bits` and `mantissa_bits` (float16, bfloat16), rounded to nearest even. */
static uint16_t to_half(double value, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    uint32_t sign = signbit(value) ? 0x8000u : 0;
    uint32_t infinity = (uint32_t)top << mantissa_bits;
    if (isnan(value))
        return (uint16_t)(sign | infinity | 1u << (mantissa_bits - 1));
    double magnitude = fabs(value);
    int exponent = magnitude > 0 && !isinf(magnitude) ? ilogb(magnitude) : 1 - bias;
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    double steps = isinf(magnitude) ? 0 : nearbyint(ldexp(magnitude, mantissa_bits - exponent));
    if (isinf(magnitude) || ldexp(steps, exponent - mantissa_bits) >= ldexp(1, bias + 1))
        return (uint16_t)(sign | infinity);
    /* Below 2^mantissa_bits the number is subnormal; a carry into the next exponent adds up. */
    uint32_t bits = (uint32_t)steps + ((uint32_t)(exponent + bias - 1) << mantissa_bits);
    return (uint16_t)(sign | bits);
}

static double from_half(uint16_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    int exponent = bits >> mantissa_bits & top;
    int mantissa = bits & ((1 << mantissa_bits) - 1);
    double value;
    if (exponent == top)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, 1 - bias - mantissa_bits);
    else
        value = ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    return bits & 0x8000u ? -value : value;
}

#define PUT(type, value)                                                                           \
    do {                                                                                           \
        type put = (type)(value);                                                                  \
        memcpy(to, &put, sizeof put);                                                              \
    } while (0)

void tm_law_store_complex(tm_dtype dtype, double re, double im, char *to)
{
    switch (dtype) {
    case TM_FLOAT16:
        PUT(uint16_t, to_half(re, 5, 10));
        break;
    case TM_BFLOAT16:
        PUT(uint16_t, to_half(re, 8, 7));
        break;
    case TM_FLOAT32:
        PUT(float, re);
        break;
    case TM_FLOAT64:
        PUT(double, re);
        break;
    case TM_COMPLEX64: {
        float both[2] = {(float)re, (float)im};
        memcpy(to, both, sizeof both);
        break;
    }
    case TM_COMPLEX128: {
        double both[2] = {re, im};
        memcpy(to, both, sizeof both);
        break;
    }
    default:
        tm_law_store_int(dtype, (int64_t)re, to);
    }
}

void tm_law_store(tm_dtype dtype, double value, char *to)
{
    tm_law_store_complex(dtype, value, 0, to);
}

int64_t tm_law_int_min(tm_dtype dtype)
{
    switch (dtype) {
    case TM_INT8:
        return INT8_MIN;
    case TM_INT16:
        return INT16_MIN;
    case TM_INT32:
        return INT32_MIN;
    case TM_INT64:
        return INT64_MIN;
    default:
        return 0;
    }
}

uint64_t tm_law_int_max(tm_dtype dtype)
{
    switch (dtype) {
    case TM_BOOL:
        return 1;
    case TM_INT8:
        return INT8_MAX;
    case TM_INT16:
        return INT16_MAX;
    case TM_INT32:
        return INT32_MAX;
    case TM_INT64:
        return INT64_MAX;
    case TM_UINT8:
        return UINT8_MAX;
    case TM_UINT16:
        return UINT16_MAX;
    case TM_UINT32:
        return UINT32_MAX;
    default:
        return UINT64_MAX;
    }
}

bool tm_law_store_int(tm_dtype dtype, int64_t value, char *to)
{
    if (!tm_law_is_int(dtype)) {
        tm_law_store(dtype, (double)value, to);
        return true;
    }
    if (value < tm_law_int_min(dtype) || (value > 0 && (uint64_t)value > tm_law_int_max(dtype)))
        return false;
    switch (tm_dtype_size(dtype)) {
    case 1:
        PUT(uint8_t, value);
        break;
    case 2:
        PUT(uint16_t, value);
        break;
    case 4:
        PUT(uint32_t, value);
        break;
    default:
        PUT(uint64_t, value);
    }
    return true;
}

#define GET(type)                                                                                  \
    type got;                                                                                      \
    memcpy(&got, from, sizeof got)

int64_t tm_law_load_int(tm_dtype dtype, const char *from)
{
    bool is_signed = dtype >= TM_INT8 && dtype <= TM_INT64;
    switch (tm_dtype_size(dtype)) {
    case 1: {
        GET(uint8_t);
        return is_signed ? (int64_t)(int8_t)got : (int64_t)got;
    }
    case 2: {
        GET(uint16_t);
        return is_signed ? (int64_t)(int16_t)got : (int64_t)got;
    }
    case 4: {
        GET(uint32_t);
        return is_signed ? (int64_t)(int32_t)got : (int64_t)got;
    }
    default: {
        GET(int64_t);
        return got;
    }
    }
}

double tm_law_load(tm_dtype dtype, const char *from)
{
    switch (dtype) {
    case TM_FLOAT16: {
        GET(uint16_t);
        return from_half(got, 5, 10);
    }
    case TM_BFLOAT16: {
        GET(uint16_t);
        return from_half(got, 8, 7);
    }
    case TM_FLOAT32:
    case TM_COMPLEX64: {
        GET(float);
        return (double)got;
    }
    case TM_FLOAT64:
    case TM_COMPLEX128: {
        GET(double);
        return got;
    }
    case TM_UINT64: {
        GET(uint64_t);
        return (double)got;
    }
    default:
        return (double)tm_law_load_int(dtype, from);
    }
}

double tm_law_load_imag(tm_dtype dtype, const char *from)
{
    if (dtype == TM_COMPLEX64)
        return tm_law_load(TM_FLOAT32, from + sizeof(float));
    if (dtype == TM_COMPLEX128)
        return tm_law_load(TM_FLOAT64, from + sizeof(double));
    return 0;
}

static bool close_numbers(double a, double b, double rtol, double atol)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= atol + rtol * fabs(b);
}

/* Numbers are close by their distance: rounding spreads from one part to the other. */
static bool close_complex(double a, double a_imag, double b, double b_imag, double rtol,
                          double atol)
{
    if (isfinite(a) && isfinite(a_imag) && isfinite(b) && isfinite(b_imag))
        return hypot(a - b, a_imag - b_imag) <= atol + rtol * hypot(b, b_imag);
    return close_numbers(a, b, rtol, atol) && close_numbers(a_imag, b_imag, rtol, atol);
}

bool tm_law_equal(tm_dtype dtype, const char *a, const char *b, double rtol, double atol)
{
    size_t item = tm_dtype_size(dtype);
    if (memcmp(a, b, item) == 0)
        return true;
    if (tm_law_is_int(dtype))
        return false;
    if (rtol != 0 || atol != 0)
        return close_complex(tm_law_load(dtype, a), tm_law_load_imag(dtype, a),
                             tm_law_load(dtype, b), tm_law_load_imag(dtype, b), rtol, atol);
    if (tm_dtype_kind(dtype) != TM_KIND_COMPLEX)
        return isnan(tm_law_load(dtype, a)) && isnan(tm_law_load(dtype, b));
    tm_dtype part = dtype == TM_COMPLEX64 ? TM_FLOAT32 : TM_FLOAT64;
    return tm_law_equal(part, a, b, 0, 0) && tm_law_equal(part, a + item / 2, b + item / 2, 0, 0);
}

bool tm_law_same_scalar(tm_scalar a, tm_scalar b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case TM_KIND_BOOL:
        return a.value.b == b.value.b;
    case TM_KIND_INT:
        return a.value.i == b.value.i;
    case TM_KIND_FLOAT:
        return tm_law_equal(TM_FLOAT64, (char *)&a.value.f, (char *)&b.value.f, 0, 0);
    default:
        return tm_law_equal(TM_COMPLEX128, (char *)&a.value.c, (char *)&b.value.c, 0, 0);
    }
}

int64_t tm_law_first_difference(tm_dtype dtype, int64_t n, const char *a, const char *b,
                                double rtol, double atol)
{
    size_t item = tm_dtype_size(dtype);
    if (n == 0 || memcmp(a, b, (size_t)n * item) == 0)
        return -1;
    for (int64_t i = 0; i < n; i++, a += item, b += item)
        if (!tm_law_equal(dtype, a, b, rtol, atol))
            return i;
    return -1;
}

bool tm_law_same_number(tm_dtype a_dtype, const char *a, tm_dtype b_dtype, const char *b)
{
    if (a_dtype == b_dtype)
        return tm_law_equal(a_dtype, a, b, 0, 0);
    if (tm_law_is_int(a_dtype) && tm_law_is_int(b_dtype))
        return tm_law_load_int(a_dtype, a) == tm_law_load_int(b_dtype, b);
    /* The wider of the two was converted to: compare as it would hold the narrower one. */
    char converted[16];
    tm_law_store_complex(b_dtype, tm_law_load(a_dtype, a), tm_law_load_imag(a_dtype, a), converted);
    return tm_law_equal(b_dtype, converted, b, 0, 0);
}

int tm_law_element_text(tm_dtype dtype, const char *from, char *buffer, size_t size)
{
    if (dtype == TM_BOOL)
        return snprintf(buffer, size, "%s", *from ? "True" : "False");
    if (dtype == TM_UINT64)
        return snprintf(buffer, size, "%" PRIu64, (uint64_t)tm_law_load_int(dtype, from));
    if (tm_law_is_int(dtype))
        return snprintf(buffer, size, "%" PRId64, tm_law_load_int(dtype, from));
    int digits = tm_dtype_size(dtype) <= 4 || dtype == TM_COMPLEX64 ? 9 : 17;
    if (tm_dtype_kind(dtype) == TM_KIND_COMPLEX)
        return snprintf(buffer, size, "%.*g%+.*gj", digits, tm_law_load(dtype, from), digits,
                        tm_law_load_imag(dtype, from));
    return snprintf(buffer, size, "%.*g", digits, tm_law_load(dtype, from));
}
