/* format_number.c: a number's digits as text, the way NumPy's print writes them.
 *
 * Positional ("12.5") or scientific ("1.25e+01"), trimmed and padded so that the points of a column
 * stand under each other. Which of the two, and how wide, is not decided here. The longest number
 * has TM_PRINT_PRECISION_MAX digits of fraction and those of a lone float below 1e16 before them,
 * or a column's padding, so TM_NUMBER_MAX is never reached.
 */
#include <string.h>

#include "format.h"

static int fill(char *out, int at, char byte, int count)
{
    for (; count > 0; count--) {
        out[at++] = byte;
    }
    return at;
}

static int copy(char *out, int at, const char *bytes, int count)
{
    if (count > 0) {
        memcpy(out + at, bytes, (size_t)count);
        at += count;
    }
    return at;
}

/* The spaces and the sign before `width` characters of whole number. */
static int begin(char *out, const tm_number_format *format, const tm_binary *x, int width)
{
    bool sign = x->negative || format->plus;
    int at = fill(out, 0, ' ', format->pad_left - width - (sign ? 1 : 0));
    return sign ? fill(out, at, x->negative ? '-' : '+', 1) : at;
}

/* Ends a fraction that began at `point` (its point included): trims it. */
static int trim(char *out, int at, int point, tm_trim_rule how)
{
    if (how == TM_TRIM_KEEP) {
        return at;
    }
    while (out[at - 1] == '0') {
        at--;
    }
    if (at == point + 1 && how == TM_TRIM_ZERO) {
        out[at++] = '0';
    } else if (at == point + 1 && how == TM_TRIM_ALL) {
        at--;
    }
    return at;
}

static int positional(char *out, const tm_number_format *format, const tm_binary *x, int *point)
{
    char digits[TM_DIGITS_MAX];
    int exponent;
    tm_cutoff cutoff = {true, format->exact, format->precision, format->min_digits};
    int count = tm_digits_of(x, cutoff, digits, &exponent);
    int whole = exponent >= 0 ? exponent + 1 : 1;
    int at = begin(out, format, x, whole);
    if (exponent < 0) {
        at = fill(out, at, '0', 1);
        whole = 0;
    } else {
        int given = count < whole ? count : whole;
        at = copy(out, at, digits, given);
        at = fill(out, at, '0', whole - given);
    }
    *point = at;
    out[at++] = '.';
    at = fill(out, at, '0', -exponent - 1);
    at = copy(out, at, digits + whole, count - whole);
    at = fill(out, at, '0', format->min_digits - (at - *point - 1));
    at = trim(out, at, *point, format->trim);
    int fraction = at > *point ? at - *point - 1 : 0;
    return fill(out, at, ' ', format->pad_right - fraction);
}

static int scientific(char *out, const tm_number_format *format, const tm_binary *x, int *point)
{
    char digits[TM_DIGITS_MAX];
    int exponent;
    tm_cutoff cutoff = {false, format->exact, format->precision < 0 ? -1 : format->precision + 1,
                        format->min_digits < 0 ? -1 : format->min_digits + 1};
    int count = tm_digits_of(x, cutoff, digits, &exponent);
    int at = begin(out, format, x, 1);
    out[at++] = digits[0];
    *point = at;
    out[at++] = '.';
    at = copy(out, at, digits + 1, count - 1);
    at = fill(out, at, '0', format->min_digits - (count - 1));
    at = trim(out, at, *point, format->trim);

    out[at++] = 'e';
    out[at++] = exponent < 0 ? '-' : '+';
    int left = exponent < 0 ? -exponent : exponent;
    char reversed[8];
    int length = 0;
    for (; left > 0 || length < format->exp_digits; left /= 10) {
        reversed[length++] = (char)('0' + left % 10);
    }
    while (length > 0) {
        out[at++] = reversed[--length];
    }
    return at;
}

int tm_format_number(char out[TM_NUMBER_MAX], const tm_number_format *format, const tm_binary *x,
                     int *whole)
{
    int point;
    int length = format->scientific ? scientific(out, format, x, &point)
                                    : positional(out, format, x, &point);
    if (whole != NULL) {
        *whole = point;
    }
    return length;
}

int tm_format_special(char out[TM_NUMBER_MAX], const tm_print_style *style, const tm_binary *x,
                      bool plus, int width)
{
    /* A NaN's sign bit is never shown. */
    const char *sign = x->negative && !x->nan ? "-" : plus ? "+" : "";
    const char *word = x->nan ? style->nanstr : style->infstr;
    int sign_length = (int)strlen(sign), word_length = (int)strlen(word);
    int at = fill(out, 0, ' ', width - sign_length - word_length);
    at = copy(out, at, sign, sign_length);
    return copy(out, at, word, word_length);
}
