/* rows.h: a tensor's elements in row-major order, a run at a time.
 *
 * A run is the last axis, or everything where the tensor is contiguous; n elements, `step` bytes
 * apart, the first at `at`.
 *
 *     tm_rows r;
 *     for (bool more = tm_rows_first(&r, x, tm_data(x)); more; more = tm_rows_next(&r))
 *         for (int64_t i = 0; i < r.n; i++)
 *             ... r.at + i * r.step ...
 */
#ifndef TM_OPS_ROWS_H
#define TM_OPS_ROWS_H

#include <transmute/tensor.h>

typedef struct tm_rows {
    char *at;
    int64_t n, step;
    int outer; /**< dimensions around the run */
    int64_t size[TM_MAX_NDIM], outer_step[TM_MAX_NDIM], index[TM_MAX_NDIM];
} tm_rows;

/** False where there is no element. `data` is x's first; only who may write it does. */
static inline bool tm_rows_first(tm_rows *r, const tm_tensor *x, const void *data)
{
    int ndim = tm_ndim(x);
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    r->at = (char *)(uintptr_t)data;
    r->outer = 0;
    r->n = tm_numel(x);
    r->step = item;
    if (r->n == 0 || ndim == 0 || tm_is_contiguous(x))
        return r->n > 0;
    const int64_t *shape = tm_shape(x), *strides = tm_strides(x);
    r->outer = ndim - 1;
    for (int d = 0; d < ndim - 1; d++) {
        r->size[d] = shape[d];
        r->outer_step[d] = strides[d] * item;
        r->index[d] = 0;
    }
    r->n = shape[ndim - 1];
    r->step = strides[ndim - 1] * item;
    return true;
}

/** Moves to the next run; false after the last. */
static inline bool tm_rows_next(tm_rows *r)
{
    for (int d = r->outer; d-- > 0;) {
        r->at += r->outer_step[d];
        if (++r->index[d] < r->size[d])
            return true;
        r->index[d] = 0;
        r->at -= r->outer_step[d] * r->size[d];
    }
    return false;
}

#endif
