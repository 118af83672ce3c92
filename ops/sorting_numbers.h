/* sorting_numbers.h: elements as signed numbers in the order that is asked for, and back.
 *
 * Of the dtypes of 4 and 8 bytes, in place. Equal elements become equal numbers, NaN the greatest
 * one (before the order is turned round); so -0 and what kind of NaN it was are lost, and those who
 * come upon one are told.
 */
#ifndef TM_OPS_SORTING_NUMBERS_H
#define TM_OPS_SORTING_NUMBERS_H

#include <transmute/types.h>

/** Whether the elements of a dtype can become numbers. */
static inline bool tm_has_numbers(tm_dtype dtype)
{
    return tm_dtype_kind(dtype) != TM_KIND_COMPLEX && tm_dtype_size(dtype) >= sizeof(int32_t);
}

/** n elements into numbers of as many bytes; true where there is a -0 or a NaN among them. */
bool tm_to_numbers(tm_dtype dtype, bool descending, void *x, int64_t n);
/** And back, as 0 and as a NaN. */
void tm_from_numbers(tm_dtype dtype, bool descending, void *x, int64_t n);

#endif
