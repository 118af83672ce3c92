/* format.h: the parts of printing, from a float's bits to a laid-out array.
 *
 *     format_text.c    a string that grows
 *     format_digits.c  a binary float as decimal digits
 *     format_number.c  digits as "1.5" or "1.5e+00", padded to a column
 *     format_words.c   one element of a tensor as a word; the column widths of all its elements
 *     format_options.c the options, checked
 *     format_array.c   words as NumPy lays them out: brackets, line breaks, "..."
 *     format.c         the public functions
 *
 * None of it depends on the locale.
 */
#ifndef TRANSMUTE_IO_FORMAT_H
#define TRANSMUTE_IO_FORMAT_H

#include <transmute/io.h>

/* -- format_options.c -- */

/** Print options with every field in range and the defaults filled in. */
typedef struct tm_print_style {
    int precision; /* -1: no limit */
    int64_t threshold, edgeitems, linewidth;
    bool suppress;
    const char *nanstr, *infstr;
    char sign; /* '-', '+' or ' ' */
    tm_print_floatmode floatmode;
} tm_print_style;

/** NumPy's defaults. */
extern const tm_print_style tm_print_defaults;
/** The style that the caller of `function` asks for; NULL: the defaults. TM_ERR_VALUE, naming the
 *  field, for one out of range. */
tm_status tm_print_style_of(const tm_print_options *options, const char *function,
                            tm_print_style *style);

/* -- format_text.c -- */

/** A string that grows. Once memory runs out it stays as it is and says so. */
typedef struct tm_text {
    char *data; /* NUL-terminated; NULL while empty */
    size_t length, capacity;
    bool failed;
} tm_text;

void tm_text_append(tm_text *text, const char *bytes, size_t count);
void tm_text_append_string(tm_text *text, const char *string);
void tm_text_fill(tm_text *text, char byte, size_t count);
/** Takes spaces off the end. */
void tm_text_trim(tm_text *text);
void tm_text_free(tm_text *text);

/* -- format_digits.c -- */

/** A binary float taken apart: mantissa * 2^exponent. */
typedef struct tm_binary {
    uint64_t mantissa;
    int exponent;
    bool negative, finite, nan;
    bool uneven;      /* the neighbour below is nearer than the one above (a power of two) */
    double magnitude; /* the absolute value, exact */
} tm_binary;

/** How many digits are wanted; -1 where there is no limit. */
typedef struct tm_cutoff {
    bool fractional; /* the limits count digits after the point, or all digits */
    bool exact;      /* the exact value's digits, at_most of them; at_least means nothing */
    int at_most, at_least;
} tm_cutoff;

/** Room for the digits of a number: those of its fraction and of a whole part below 1e16. */
#define TM_DIGITS_MAX (TM_PRINT_PRECISION_MAX + 20)

/** Takes one value of a floating dtype apart. */
tm_binary tm_binary_of(tm_dtype dtype, const void *element);
/** Writes the decimal digits of a finite x, as few as tell it from its neighbours within the
 *  limits. Returns their number, at most TM_DIGITS_MAX; the first one counts 10^*exponent. It is 0
 *  only where x is 0, or rounds to 0 within a fraction's limit. */
int tm_digits_of(const tm_binary *x, tm_cutoff cutoff, char digits[TM_DIGITS_MAX], int *exponent);

/* -- format_number.c -- */

/** What becomes of a fraction's trailing zeros. */
typedef enum tm_trim_rule {
    TM_TRIM_KEEP,  /* 1.500 */
    TM_TRIM_POINT, /* 1.5 and 1. */
    TM_TRIM_ZERO,  /* 1.5 and 1.0 */
    TM_TRIM_ALL    /* 1.5 and 1 */
} tm_trim_rule;

typedef struct tm_number_format {
    bool scientific;
    bool plus;  /* positive numbers get a sign too */
    bool exact; /* the exact value's digits, not the fewest that tell it from others */
    tm_trim_rule trim;
    int precision, min_digits; /* of the fraction; -1: as the number needs */
    int pad_left, pad_right;   /* characters before and after the point, filled with spaces */
    int exp_digits;
} tm_number_format;

/** Room for any number that is printed: its digits, the zeros before them, and the padding of a
 *  column, which may be as wide as a nanstr. */
#define TM_NUMBER_MAX (TM_DIGITS_MAX + 2 * TM_PRINT_STRING_MAX)

/** Writes a finite number. Returns its length; *whole, where not NULL, is the length of what stands
 *  before the point. Positional numbers are below 1e17. */
int tm_format_number(char out[TM_NUMBER_MAX], const tm_number_format *format, const tm_binary *x,
                     int *whole);
/** Writes an infinity or NaN as the style names it, right-aligned in `width`, with a plus where
 *  `plus`. */
int tm_format_special(char out[TM_NUMBER_MAX], const tm_print_style *style, const tm_binary *x,
                      bool plus, int width);

/* -- format_words.c -- */

/** The column of a real number, or of a complex one's real or imaginary parts. */
typedef struct tm_column {
    tm_number_format format;
    double largest, smallest;        /* of the nonzero finite magnitudes; 0 where there is none */
    int whole, fraction, exp_digits; /* the widest parts of any number */
    bool any_negative;               /* a finite number has a minus */
    bool any_special, any_negative_inf;
} tm_column;

/** How the elements of one tensor are printed. */
typedef struct tm_words {
    const tm_print_style *style;
    tm_dtype dtype;   /* the tensor's */
    tm_dtype part;    /* floats: the dtype of a part */
    size_t part_size; /* floats: bytes from the real part to the imaginary part */
    int num_parts;    /* floats: 1 or 2; else 0 */
    int int_width;
    tm_column column[2];
} tm_words;

#define TM_WORD_MAX (2 * TM_NUMBER_MAX)

/** Learning the columns takes two passes over the elements, each ended by its finish. */
void tm_words_begin(tm_words *words, tm_dtype dtype, const tm_print_style *style);
void tm_words_see_range(tm_words *words, const void *element);
void tm_words_finish_range(tm_words *words);
void tm_words_see_width(tm_words *words, const void *element);
void tm_words_finish_width(tm_words *words);
/** Writes one element, padded to its column; returns its length. */
int tm_words_write(const tm_words *words, const void *element, char out[TM_WORD_MAX]);
/** Writes an element that stands alone, as NumPy's str(scalar). */
int tm_words_write_scalar(tm_dtype dtype, const void *element, char out[TM_WORD_MAX]);

/* -- format_array.c -- */

/** Appends the elements of a tensor. `data` is its first element. */
void tm_format_array(tm_text *text, const tm_tensor *x, const void *data,
                     const tm_print_style *style);

#endif
