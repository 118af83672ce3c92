/* scan.h: reading a text from left to right, the column of the first error kept.
 *
 * Every function returns false after an error, with the error's text set.
 */
#ifndef TM_LAW_SCAN_H
#define TM_LAW_SCAN_H

#include <ctype.h>

#include "law/sample.h"

typedef struct tm_law_scanner {
    tm_law_arena *arena;
    const char *start, *at;
    char *error;
    size_t error_size;
} tm_law_scanner;

/** Sets the error's text, which gets the column of `at`; returns false. */
bool tm_law_scan_fail(tm_law_scanner *p, const char *at, const char *format, ...) TM_PRINTF(3, 4);
bool tm_law_scan_no_memory(tm_law_scanner *p);
void tm_law_scan_space(tm_law_scanner *p);
/** Steps over spaces and, where it comes next, the character or the whole word. */
bool tm_law_scan_accept(tm_law_scanner *p, char c);
bool tm_law_scan_accept_word(tm_law_scanner *p, const char *word);
/** The same, an error where it does not come next. */
bool tm_law_scan_expect(tm_law_scanner *p, char c);
/** Copies the next word; `what` says in words what is wanted. */
bool tm_law_scan_word(tm_law_scanner *p, const char *what, char *word, size_t size);
bool tm_law_scan_int(tm_law_scanner *p, int64_t *value);
bool tm_law_scan_float(tm_law_scanner *p, double *value);
bool tm_law_scan_bool(tm_law_scanner *p, bool *value);
/** A number of any kind; what it is follows from how it is written. */
bool tm_law_scan_scalar(tm_law_scanner *p, tm_scalar *scalar);
/** A dtype by its short or full name, and a tensor (sample_tensor.c). */
bool tm_law_scan_dtype(tm_law_scanner *p, tm_dtype *dtype);
bool tm_law_scan_tensor(tm_law_scanner *p, tm_law_tensor *tensor);

static inline bool tm_law_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

#endif
