/* format_words.c: one element of a tensor as a word, and the column that all its words share.
 *
 * NumPy's rules. Floats are printed in scientific form where the largest nonzero finite magnitude
 * is at least 1e8 or, unless that is suppressed, the smallest below 1e-4 or their ratio, in the
 * dtype's own arithmetic, above 1000; and then all with the same number of digits. Otherwise in
 * positional form, each with as many digits of fraction as it needs, up to the precision, padded;
 * or all with the same. Real and imaginary parts are two columns with a format each. NumPy has no
 * bfloat16: it gets the rules of float32 and its own shortest digits.
 */
#include <string.h>

#include "format.h"

void tm_words_begin(tm_words *words, tm_dtype dtype, const tm_print_style *style)
{
    *words = (tm_words){.dtype = dtype, .style = style};
    switch (tm_dtype_kind(dtype)) {
    case TM_KIND_FLOAT:
        words->num_parts = 1;
        words->part = dtype;
        break;
    case TM_KIND_COMPLEX:
        words->num_parts = 2;
        words->part = dtype == TM_COMPLEX64 ? TM_FLOAT32 : TM_FLOAT64;
        break;
    default:
        break;
    }
    words->part_size = tm_dtype_size(words->part);
}

/* An integer's decimal digits and sign. */
static int write_integer(char *out, bool negative, uint64_t magnitude, int width)
{
    char reversed[24];
    int length = 0;
    do {
        reversed[length++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (negative) {
        reversed[length++] = '-';
    }
    int at = 0;
    while (at < width - length) {
        out[at++] = ' ';
    }
    while (length > 0) {
        out[at++] = reversed[--length];
    }
    return at;
}

#define SIGNED(type)                                                                               \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, element, sizeof(value));                                                    \
        *negative = value < 0;                                                                     \
        return value < 0 ? -(uint64_t)value : (uint64_t)value;                                     \
    }
#define UNSIGNED(type)                                                                             \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, element, sizeof(value));                                                    \
        return value;                                                                              \
    }

static uint64_t read_integer(tm_dtype dtype, const void *element, bool *negative)
{
    *negative = false;
    switch (dtype) {
    case TM_INT8:
        SIGNED(int8_t)
    case TM_INT16:
        SIGNED(int16_t)
    case TM_INT32:
        SIGNED(int32_t)
    case TM_INT64:
        SIGNED(int64_t)
    case TM_UINT16:
        UNSIGNED(uint16_t)
    case TM_UINT32:
        UNSIGNED(uint32_t)
    case TM_UINT64:
        UNSIGNED(uint64_t)
    default: /* uint8 and bool */
        UNSIGNED(uint8_t)
    }
}

static tm_binary read_part(const tm_words *words, const void *element, int part)
{
    return tm_binary_of(words->part, (const char *)element + (size_t)part * words->part_size);
}

void tm_words_see_range(tm_words *words, const void *element)
{
    for (int part = 0; part < words->num_parts; part++) {
        tm_column *column = &words->column[part];
        tm_binary x = read_part(words, element, part);
        if (!x.finite) {
            column->any_special = true;
            column->any_negative_inf |= x.negative && !x.nan;
            continue;
        }
        column->any_negative |= x.negative;
        if (x.magnitude > column->largest) {
            column->largest = x.magnitude;
        }
        if (x.magnitude > 0 && (column->smallest == 0 || x.magnitude < column->smallest)) {
            column->smallest = x.magnitude;
        }
    }
}

/* Whether largest / smallest exceeds 1000, the quotient being rounded to the dtype first. */
static bool ratio_is_large(tm_dtype dtype, double largest, double smallest)
{
    if (dtype == TM_FLOAT64) {
        return largest / smallest > 1000;
    }
    float ratio = (float)largest / (float)smallest;
    /* float16 has 1000.5 next after 1000, and the tie 1000.25 goes to 1000, which is even. */
    return ratio > (dtype == TM_FLOAT16 ? 1000.25F : 1000.0F);
}

void tm_words_finish_range(tm_words *words)
{
    const tm_print_style *style = words->style;
    bool exact = style->floatmode == TM_PRINT_FIXED;
    for (int part = 0; part < words->num_parts; part++) {
        tm_column *column = &words->column[part];
        bool scientific = column->largest >= 1e8;
        if (column->largest > 0 && !style->suppress) {
            scientific = scientific || column->smallest < 1e-4 ||
                         ratio_is_large(words->part, column->largest, column->smallest);
        }
        column->format = (tm_number_format){.scientific = scientific,
                                            .plus = part == 1 || style->sign == '+',
                                            .exact = exact,
                                            .trim = exact ? TM_TRIM_KEEP : TM_TRIM_POINT,
                                            .precision = style->precision,
                                            .min_digits = exact ? style->precision : -1,
                                            .exp_digits = 2};
    }
}

static void widen(int *width, int length)
{
    if (length > *width) {
        *width = length;
    }
}

void tm_words_see_width(tm_words *words, const void *element)
{
    char word[TM_NUMBER_MAX];
    for (int part = 0; part < words->num_parts; part++) {
        tm_column *column = &words->column[part];
        tm_binary x = read_part(words, element, part);
        if (!x.finite) {
            continue;
        }
        int whole;
        int length = tm_format_number(word, &column->format, &x, &whole);
        int end = length;
        if (column->format.scientific) {
            end = whole;
            while (word[end] != 'e') {
                end++;
            }
            widen(&column->exp_digits, length - end - 2);
        }
        widen(&column->whole, whole);
        widen(&column->fraction, end - whole - 1);
    }
    if (words->num_parts == 0) {
        bool negative;
        uint64_t magnitude = read_integer(words->dtype, element, &negative);
        widen(&words->int_width, write_integer(word, negative, magnitude, 0));
    }
}

void tm_words_finish_width(tm_words *words)
{
    const tm_print_style *style = words->style;
    bool equal = style->floatmode == TM_PRINT_FIXED || style->floatmode == TM_PRINT_MAXPREC_EQUAL;
    for (int part = 0; part < words->num_parts; part++) {
        tm_column *column = &words->column[part];
        tm_number_format *format = &column->format;
        format->pad_left = column->whole;
        format->pad_right = column->fraction;
        if (format->scientific) {
            format->trim = TM_TRIM_KEEP;
            format->precision = format->min_digits = column->fraction;
            format->exp_digits = column->exp_digits;
            /* "e+" and the exponent: only the specials need to know. */
            format->pad_right += 2 + column->exp_digits;
        } else if (equal) {
            format->trim = TM_TRIM_KEEP;
            format->precision = format->min_digits = column->fraction;
        } else {
            format->min_digits = 0;
        }
        bool room = part == 0 && style->sign == ' '; /* for signs, even if there are none */
        if (room && !column->any_negative) {
            format->pad_left++;
        }
        if (column->any_special) {
            /* NumPy makes room for a sign before inf where signs are written or an inf is negative,
             * whether or not there is an inf. */
            int sign = room || format->plus || column->any_negative_inf ? 1 : 0;
            widen(&format->pad_left, (int)strlen(style->infstr) + sign - format->pad_right - 1);
            widen(&format->pad_left, (int)strlen(style->nanstr) - format->pad_right - 1);
        }
    }
}

static int write_part(const tm_words *words, int part, const void *element, char *out)
{
    const tm_number_format *format = &words->column[part].format;
    tm_binary x = read_part(words, element, part);
    return x.finite ? tm_format_number(out, format, &x, NULL)
                    : tm_format_special(out, words->style, &x, format->plus,
                                        format->pad_left + format->pad_right + 1);
}

int tm_words_write(const tm_words *words, const void *element, char out[TM_WORD_MAX])
{
    if (words->dtype == TM_BOOL) {
        bool negative;
        const char *word = read_integer(TM_BOOL, element, &negative) != 0 ? " True" : "False";
        memcpy(out, word, 5);
        return 5;
    }
    if (words->num_parts == 0) {
        bool negative;
        uint64_t magnitude = read_integer(words->dtype, element, &negative);
        return write_integer(out, negative, magnitude, words->int_width);
    }
    int length = write_part(words, 0, element, out);
    if (words->num_parts == 2) {
        length += write_part(words, 1, element, out + length);
        /* The j stands right after the number, before its padding. */
        int end = length;
        while (out[end - 1] == ' ') {
            end--;
        }
        memmove(out + end + 1, out + end, (size_t)(length - end));
        out[end] = 'j';
        length++;
    }
    return length;
}

/* A float that stands alone, for which NumPy has no options: its shortest digits, scientific from
 * 1e16 on and below 1e-4. */
static int write_lone_float(const tm_binary *x, tm_trim_rule trim, bool plus, char *out)
{
    if (!x->finite) {
        return tm_format_special(out, &tm_print_defaults, x, plus, 0);
    }
    bool scientific = x->magnitude != 0 && (x->magnitude >= 1e16 || x->magnitude < 1e-4);
    tm_number_format format = {.scientific = scientific,
                               .plus = plus,
                               .trim = scientific ? TM_TRIM_ALL : trim,
                               .precision = -1,
                               .min_digits = -1,
                               .exp_digits = 2};
    return tm_format_number(out, &format, x, NULL);
}

int tm_words_write_scalar(tm_dtype dtype, const void *element, char out[TM_WORD_MAX])
{
    tm_words words;
    tm_words_begin(&words, dtype, &tm_print_defaults);
    if (dtype == TM_BOOL) {
        int length = tm_words_write(&words, element, out);
        int skip = out[0] == ' ' ? 1 : 0;
        memmove(out, out + skip, (size_t)(length - skip));
        return length - skip;
    }
    if (words.num_parts == 0) {
        return tm_words_write(&words, element, out);
    }
    tm_binary re = read_part(&words, element, 0);
    if (words.num_parts == 1) {
        return write_lone_float(&re, TM_TRIM_ZERO, false, out);
    }
    tm_binary im = read_part(&words, element, 1);
    int at = 0;
    bool pure = re.finite && re.mantissa == 0 && !re.negative; /* 0+2j is written 2j */
    if (!pure) {
        out[at++] = '(';
        at += write_lone_float(&re, TM_TRIM_ALL, false, out + at);
    }
    at += write_lone_float(&im, TM_TRIM_ALL, !pure, out + at);
    out[at++] = 'j';
    if (!pure) {
        out[at++] = ')';
    }
    return at;
}
