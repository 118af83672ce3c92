/* format_options.c: print options, checked and with NumPy's defaults filled in.
 *
 * An axis of at most 2 * edgeitems elements is never summarised, so a threshold of 0 would say what
 * 1 says; and a line holds at least one element, so a width of 0 would, too. Hence 0 is free to
 * mean the default there.
 */
#include <string.h>

#include "dispatch/error.h"
#include "dispatch/given.h"
#include "format.h"

const tm_print_style tm_print_defaults = {.precision = 8,
                                          .threshold = 1000,
                                          .edgeitems = 3,
                                          .linewidth = 75,
                                          .nanstr = "nan",
                                          .infstr = "inf",
                                          .sign = '-',
                                          .floatmode = TM_PRINT_MAXPREC};

/* Takes a count that is positive, or 0 for the default that stands in *count. */
static tm_status take_count(const char *function, const char *name, int64_t given, int64_t *count)
{
    if (given < 0) {
        return tm_error_set(TM_ERR_VALUE, function, name, "%s must not be negative, got %lld", name,
                            (long long)given);
    }
    if (given > 0) {
        *count = given;
    }
    return TM_OK;
}

/* Takes a word of visible ASCII characters and spaces, whose width is then its length. */
static tm_status take_string(const char *function, const char *name, const char *given,
                             const char **string)
{
    if (given == NULL) {
        return TM_OK;
    }
    size_t length = 0;
    bool blank = true;
    for (; length <= TM_PRINT_STRING_MAX && given[length] != '\0'; length++) {
        if (given[length] < ' ' || given[length] > '~') {
            return tm_error_set(TM_ERR_VALUE, function, name,
                                "%s must be printable ASCII, its byte %zu is not", name, length);
        }
        blank = blank && given[length] == ' ';
    }
    if (length > TM_PRINT_STRING_MAX) {
        return tm_error_set(TM_ERR_VALUE, function, name, "%s must have at most %d characters",
                            name, TM_PRINT_STRING_MAX);
    }
    if (blank) {
        return tm_error_set(TM_ERR_VALUE, function, name, "%s must not be blank", name);
    }
    *string = given;
    return TM_OK;
}

tm_status tm_print_style_of(const tm_print_options *given, const char *function,
                            tm_print_style *style)
{
    *style = tm_print_defaults;
    if (given == NULL) {
        return TM_OK;
    }
    tm_print_options options;
    tm_status status = tm_given_take(function, "options",
                                     TM_GIVEN_TYPE(tm_print_options, floatmode), given, &options);
    if (status == TM_OK) {
        status = take_count(function, "threshold", options.threshold, &style->threshold);
    }
    if (status == TM_OK) {
        status = take_count(function, "edgeitems", options.edgeitems, &style->edgeitems);
    }
    if (status == TM_OK) {
        status = take_count(function, "linewidth", options.linewidth, &style->linewidth);
    }
    if (status == TM_OK) {
        status = take_string(function, "nanstr", options.nanstr, &style->nanstr);
    }
    if (status == TM_OK) {
        status = take_string(function, "infstr", options.infstr, &style->infstr);
    }
    if (status != TM_OK) {
        return status;
    }
    if (options.precision != NULL) {
        int64_t precision = *options.precision;
        if (precision < 0 || precision > TM_PRINT_PRECISION_MAX) {
            return tm_error_set(TM_ERR_VALUE, function, "precision",
                                "precision must be from 0 to %d, got %lld", TM_PRINT_PRECISION_MAX,
                                (long long)precision);
        }
        style->precision = (int)precision;
    }
    if (options.sign != '\0') {
        if (strchr("-+ ", options.sign) == NULL) {
            return tm_error_set(TM_ERR_VALUE, function, "sign",
                                "sign must be '-', '+' or ' ', got the character %d", options.sign);
        }
        style->sign = options.sign;
    }
    switch (options.floatmode) {
    case TM_PRINT_UNIQUE:
        style->precision = -1;
        break;
    case TM_PRINT_MAXPREC:
    case TM_PRINT_MAXPREC_EQUAL:
    case TM_PRINT_FIXED:
        break;
    default:
        return tm_error_set(TM_ERR_VALUE, function, "floatmode",
                            "floatmode must be a tm_print_floatmode, got %d",
                            (int)options.floatmode);
    }
    style->floatmode = options.floatmode;
    style->suppress = options.suppress;
    return TM_OK;
}
