/* slices.h: slices as Python reads them. */
#ifndef TM_OPS_SLICES_H
#define TM_OPS_SLICES_H

#include <stdint.h>

/** A bound, negative from the end, between low and high. */
static inline int64_t tm_slice_bound(int64_t at, int64_t size, int64_t low, int64_t high)
{
    if (at < 0)
        at += size;
    return at < low ? low : at > high ? high : at;
}

/** How many elements of an axis the slice has; *start becomes the first. step is not 0. */
static inline int64_t tm_slice_count(int64_t size, int64_t *start, int64_t stop, int64_t step)
{
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    *start = tm_slice_bound(*start, size, low, high);
    stop = tm_slice_bound(stop, size, low, high);
    if (step > 0 && *start < stop)
        return (stop - *start - 1) / step + 1;
    if (step < 0 && *start > stop) /* -(step + 1): the least integer has no opposite */
        return (int64_t)((uint64_t)(*start - stop - 1) / ((uint64_t) - (step + 1) + 1)) + 1;
    return 0;
}

#endif
