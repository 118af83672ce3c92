/* sorting.h: the order of the elements of one run.
 *
 * Every dtype becomes unsigned keys whose order is the order asked for: equal numbers have equal
 * keys, NaN the greatest, and a descending order is the complement of the keys. Where a key and an
 * index fit in 64 bits together they are sorted as one number, in which no two are equal.
 */
#ifndef TM_OPS_SORTING_H
#define TM_OPS_SORTING_H

#include <transmute/kernel.h>

typedef struct tm_sort_run {
    const char *data; /**< the first element */
    tm_dtype dtype;   /**< a real one */
    int64_t n, step;  /**< elements, and bytes from one to the next */
    bool descending;
} tm_sort_run;

/** Where the sorted order's indices lie: the i-th at data[i * step], narrow (uint32_t) or wide. */
typedef struct tm_sort_order {
    const char *data;
    int64_t step;
    bool narrow;
} tm_sort_order;

/** Bytes of workspace that a run takes; SIZE_MAX / 4 where no machine has them. */
size_t tm_sort_workspace(tm_dtype dtype, int64_t n);
/** Sorts; the result lies in the workspace (8-byte aligned). */
tm_sort_order tm_sort_find(const tm_sort_run *run, void *workspace);

/** Bytes of workspace that the batched kernels take for the first k of n elements in order; 0 where
 * they leave such runs to tm_sort_find. */
size_t tm_sort_lanes_workspace(tm_dtype dtype, int64_t n, int64_t k);
/** The elements, of `item` bytes, that the first n indices name, with all their bits. */
void tm_sort_gather(const tm_sort_order *order, int64_t n, const char *from, int64_t from_step,
                    char *to, int64_t to_step, size_t item);

/** The elements' keys, as 64-bit numbers, in the order in which they lie; `descending` is not
 * looked at. */
void tm_sort_keys(const tm_sort_run *run, uint64_t *keys);
/** Whether a key of that dtype's is a NaN's. */
static inline bool tm_sort_key_is_nan(tm_dtype dtype, uint64_t key)
{
    return tm_dtype_kind(dtype) == TM_KIND_FLOAT &&
           key == (dtype == TM_FLOAT64 ? UINT64_MAX : UINT32_MAX);
}
/** TM_ERR_DTYPE for a complex dtype, which has no order. */
tm_status tm_check_ordered(tm_call *call, const char *argument, const tm_tensor *x);
/** The one axis that the kernel sees of x, as a run. */
tm_sort_run tm_sort_run_of(const tm_tensor *x);

static inline int64_t tm_sort_index(const tm_sort_order *order, int64_t i)
{
    const void *at = order->data + i * order->step;
    return order->narrow ? (int64_t) * (const uint32_t *)at : *(const int64_t *)at;
}

#endif
