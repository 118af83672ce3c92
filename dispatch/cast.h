/* cast.h: copying and converting elements.
 *
 * Between any two dtypes, but not from a complex one to a real one that is not bool. Conversions
 * are total: a float beyond an integer's range becomes the nearest end of it, NaN becomes 0; a wide
 * integer is cut to the narrow one's bits; anything but zero is true.
 */
#ifndef TM_DISPATCH_CAST_H
#define TM_DISPATCH_CAST_H

#include <transmute/kernel.h>

enum { TM_COPY_DIMS = TM_MAX_LEVELS + TM_MAX_NDIM };

/** The loop of ops that convert, for any pair of dtypes that meta lets pass. */
tm_status tm_convert_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n);

/** Converts n elements, steps in bytes. */
typedef void (*tm_cast_fn)(const char *from, int64_t from_step, char *to, int64_t to_step,
                           int64_t n);

/** The conversion, or NULL where there is none. Between equal dtypes: always a plain copy. */
tm_cast_fn tm_cast(tm_dtype from, tm_dtype to);
/** A plain copy of items of 1, 2, 4, 8 or 16 bytes, wherever they lie. */
tm_cast_fn tm_copy_items(int item);

/** One side of a copy. */
typedef struct tm_copy_side {
    char *base;
    tm_dtype dtype;
    int64_t step[TM_COPY_DIMS]; /**< bytes along each dimension */
} tm_copy_side;

/** Copies an n-dimensional block. The conversion must exist. Memory must not overlap. */
void tm_copy(int n, const int64_t *size, const tm_copy_side *to, const tm_copy_side *from);

/** Writes a scalar as one element, converted as elements are; false where there is no conversion.
 */
bool tm_scalar_store(tm_scalar scalar, tm_dtype dtype, void *to);
/** Reads one element; a uint64 beyond int64 keeps its bits. */
tm_scalar tm_scalar_load(tm_dtype dtype, const void *from);

#endif
