/* layout.h: a view's axes, size and stride, listed one by one.
 *
 * A result without elements has offset 0, so that no handle ever points beyond its storage. Strides
 * of axes with fewer than two elements mean nothing and may be any number, so arithmetic on strides
 * wraps.
 */
#ifndef TM_OPS_LAYOUT_H
#define TM_OPS_LAYOUT_H

#include <transmute/kernel.h>

typedef struct tm_layout {
    int ndim;
    bool empty;
    int64_t shape[TM_MAX_NDIM + 1], strides[TM_MAX_NDIM + 1];
} tm_layout;

/* The axes are set as they are pushed; zeroing them would cost more than the view. */
static inline void tm_layout_begin(tm_layout *l)
{
    l->ndim = 0;
    l->empty = false;
}

static inline void tm_layout_push(tm_layout *l, int64_t size, int64_t stride)
{
    l->shape[l->ndim] = size;
    l->strides[l->ndim++] = stride;
    l->empty = l->empty || size == 0;
}

/** Describes output 0 as this view of x, whose first element lies `offset` from x's. */
static inline tm_status tm_layout_finish(tm_call *call, const tm_tensor *x, const tm_layout *l,
                                         int64_t offset)
{
    return tm_output_view(call, 0, x, l->ndim, l->shape, l->strides, l->empty ? 0 : offset);
}

static inline int64_t tm_wrap_times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static inline int64_t tm_wrap_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
