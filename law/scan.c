/* scan.c: words and numbers of the language of samples. */
#include "law/scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tm_law_scan_fail(tm_law_scanner *p, const char *at, const char *format, ...)
{
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    snprintf(p->error, p->error_size, "%s at column %d of \"%s\"", what, (int)(at - p->start) + 1,
             p->start);
    return false;
}

bool tm_law_scan_no_memory(tm_law_scanner *p)
{
    snprintf(p->error, p->error_size, "no memory for the sample");
    return false;
}

void tm_law_scan_space(tm_law_scanner *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t')
        p->at++;
}

bool tm_law_scan_accept(tm_law_scanner *p, char c)
{
    tm_law_scan_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

bool tm_law_scan_expect(tm_law_scanner *p, char c)
{
    if (tm_law_scan_accept(p, c))
        return true;
    if (*p->at)
        return tm_law_scan_fail(p, p->at, "expected '%c', got '%c'", c, *p->at);
    return tm_law_scan_fail(p, p->at, "expected '%c', got the end", c);
}

/* Accepts a whole word, not the start of a longer one. */
bool tm_law_scan_accept_word(tm_law_scanner *p, const char *word)
{
    tm_law_scan_space(p);
    size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0 || tm_law_word_char(p->at[length]))
        return false;
    p->at += length;
    return true;
}

bool tm_law_scan_int(tm_law_scanner *p, int64_t *value)
{
    tm_law_scan_space(p);
    char *end;
    errno = 0;
    long long number = strtoll(p->at, &end, 10);
    if (end == p->at)
        return tm_law_scan_fail(p, p->at, "expected an integer");
    if (*end == '.' || *end == 'e' || *end == 'E')
        return tm_law_scan_fail(p, p->at, "expected an integer, got a float");
    if (errno == ERANGE)
        return tm_law_scan_fail(p, p->at, "the integer does not fit in 64 bits");
    p->at = end;
    *value = number;
    return true;
}

bool tm_law_scan_float(tm_law_scanner *p, double *value)
{
    tm_law_scan_space(p);
    char *end;
    *value = strtod(p->at, &end);
    if (end == p->at)
        return tm_law_scan_fail(p, p->at, "expected a number");
    p->at = end;
    return true;
}

bool tm_law_scan_bool(tm_law_scanner *p, bool *value)
{
    *value = tm_law_scan_accept_word(p, "True");
    if (*value || tm_law_scan_accept_word(p, "False"))
        return true;
    return tm_law_scan_fail(p, p->at, "expected True or False");
}

/* A number of any kind; what it is follows from how it is written. */
bool tm_law_scan_scalar(tm_law_scanner *p, tm_scalar *scalar)
{
    tm_law_scan_space(p);
    bool flag;
    if (*p->at == 'T' || *p->at == 'F') {
        bool ok = tm_law_scan_bool(p, &flag);
        *scalar = tm_scalar_bool(ok && flag);
        return ok;
    }
    const char *from = p->at;
    double re, im;
    if (!tm_law_scan_float(p, &re))
        return false;
    if (*p->at == 'j') {
        p->at++;
        *scalar = tm_scalar_complex(0, re);
        return true;
    }
    if (*p->at == '+' || *p->at == '-') {
        if (!tm_law_scan_float(p, &im))
            return false;
        if (*p->at != 'j')
            return tm_law_scan_fail(p, p->at, "expected 'j' after the imaginary part");
        p->at++;
        *scalar = tm_scalar_complex(re, im);
        return true;
    }
    size_t digits = strspn(from, "+-0123456789");
    if (from + digits != p->at) {
        *scalar = tm_scalar_float(re);
        return true;
    }
    p->at = from;
    int64_t integer = 0;
    bool ok = tm_law_scan_int(p, &integer);
    *scalar = tm_scalar_int(integer);
    return ok;
}

bool tm_law_scan_word(tm_law_scanner *p, const char *what, char *word, size_t size)
{
    tm_law_scan_space(p);
    size_t length = 0;
    while (tm_law_word_char(p->at[length]))
        length++;
    if (length == 0 || length >= size)
        return *p->at ? tm_law_scan_fail(p, p->at, "expected %s, got '%c'", what, *p->at)
                      : tm_law_scan_fail(p, p->at, "expected %s, got the end", what);
    memcpy(word, p->at, length);
    word[length] = '\0';
    p->at += length;
    return true;
}
