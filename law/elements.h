/* elements.h: single elements of every dtype: written from numbers, read, compared. Independent of
 * the library's own conversions, which are under test. */
#ifndef TM_LAW_ELEMENTS_H
#define TM_LAW_ELEMENTS_H

#include <transmute/types.h>

/** Whether the dtype holds signed or unsigned integers, or bool. */
static inline bool tm_law_is_int(tm_dtype dtype)
{
    return dtype >= TM_BOOL && dtype <= TM_UINT64;
}

/** Writes a number as an element; it must be in the dtype's range. Complex: the real part. */
void tm_law_store(tm_dtype dtype, double value, char *to);
/** Writes an integer as an element of any dtype; false where an integer dtype does not hold it. */
bool tm_law_store_int(tm_dtype dtype, int64_t value, char *to);
/** Writes a complex number; other dtypes take its real part. */
void tm_law_store_complex(tm_dtype dtype, double re, double im, char *to);
/** The smallest and the largest number an integer dtype holds. */
int64_t tm_law_int_min(tm_dtype dtype);
uint64_t tm_law_int_max(tm_dtype dtype);

/** An element as a double (a complex one's real part). */
double tm_law_load(tm_dtype dtype, const char *from);
double tm_law_load_imag(tm_dtype dtype, const char *from);
/** An integer element. */
int64_t tm_law_load_int(tm_dtype dtype, const char *from);

/** Whether two elements are equal: bit by bit where rtol and atol are 0, otherwise
 *  |a - b| <= atol + rtol * |b|. A NaN equals every NaN. */
bool tm_law_equal(tm_dtype dtype, const char *a, const char *b, double rtol, double atol);
/** Whether two numbers are of one kind and equal bit by bit; a NaN equals every NaN. */
bool tm_law_same_scalar(tm_scalar a, tm_scalar b);
/** The first of n elements that differ, -1 for none. */
int64_t tm_law_first_difference(tm_dtype dtype, int64_t n, const char *a, const char *b,
                                double rtol, double atol);
/** Whether two elements of different dtypes are the same number. */
bool tm_law_same_number(tm_dtype a_dtype, const char *a, tm_dtype b_dtype, const char *b);
/** Writes an element as text; returns what snprintf would. */
int tm_law_element_text(tm_dtype dtype, const char *from, char *buffer, size_t size);

#endif
