/* indexed.h: moving elements between a table and a dense side, by indices.
 *
 * A walk is a nest of loops. At each position there is one element of the dense side, and one of
 * the table: at the table's steps, plus, for every source of indices, its index there times the
 * stride of the axis it indexes. Reading (take, gather, index) makes the dense side of the table;
 * writing (scatter, index_put) and accumulating go the other way. Loops over a batch are loops like
 * others.
 *
 *     tm_indexed w;
 *     tm_indexed_begin(&w, table, dense, sources, num_sources);
 *     ... tm_indexed_loop(&w, size, table_step, dense_step), then steps of sources ...
 *     if (!tm_indexed_run(&w, kernel, NULL))
 *         ... some index is out of range: tm_indexed_fail says which ...
 *
 * Positions are visited in row-major order of the loops, so of equal indices the last one wins and
 * sums have one order. Indices are checked also where no element is moved.
 */
#ifndef TM_OPS_INDEXED_H
#define TM_OPS_INDEXED_H

#include "dispatch/cast.h"
#include <transmute/kernel.h>

/** Indices into one axis of the table. */
typedef struct tm_index_source {
    const char *at; /**< the first index */
    tm_dtype dtype; /**< an integer's; TM_DTYPE_NONE: int64 byte offsets, right as they are */
    int64_t size;   /**< of the axis */
    int64_t wrap;   /**< what negative indices are counted from: size; 0 refuses them */
    int64_t stride; /**< of the axis, in bytes */
    int64_t step[TM_COPY_DIMS]; /**< bytes from one index to the next along each loop */
} tm_index_source;

typedef struct tm_indexed {
    int num_loops, num_sources;
    tm_index_source *sources;
    char *table, *dense;
    int64_t size[TM_COPY_DIMS], table_step[TM_COPY_DIMS], dense_step[TM_COPY_DIMS];
} tm_indexed;

/** What is done with the elements. `with` is the kernel's own. */
typedef struct tm_indexed_kernel {
    /** Bytes of an element where the dense side is written and never read, else 0. */
    int reads;
    /** n elements of both sides, a step apart, the table's moved by byte offsets. */
    void (*points)(char *table, int64_t table_step, const int64_t *offset, char *dense,
                   int64_t dense_step, int64_t n, const void *with);
    /** n elements of both sides, a step apart. */
    void (*row)(char *table, int64_t table_step, char *dense, int64_t dense_step, int64_t n,
                const void *with);
} tm_indexed_kernel;

/** From the table to the dense side, for elements of any dtype of that size. */
const tm_indexed_kernel *tm_indexed_read(size_t item);
/** From the dense side to the table. */
const tm_indexed_kernel *tm_indexed_write(size_t item);

/** Reductions into the table. */
typedef enum tm_indexed_reduction {
    TM_INDEXED_ADD = 0,
    TM_INDEXED_ADD_SCALED, /**< `with`: the factor, an element of the dtype */
    TM_INDEXED_PROD,
    TM_INDEXED_MAX, /**< NaN wins */
    TM_INDEXED_MIN,
    TM_INDEXED_NUM_REDUCTIONS
} tm_indexed_reduction;

/** NULL where the dtype has none. Integers wrap; 16-bit floats compute in float32. */
const tm_indexed_kernel *tm_indexed_reduce(tm_indexed_reduction reduction, tm_dtype dtype);

static inline void tm_indexed_begin(tm_indexed *w, const void *table, const void *dense,
                                    tm_index_source *sources, int num_sources)
{
    w->num_loops = 0;
    w->num_sources = num_sources;
    w->sources = sources;
    w->table = (char *)(uintptr_t)table;
    w->dense = (char *)(uintptr_t)dense;
}

/** One more loop, inside the others; the sources stand still in it until their steps are set. */
static inline void tm_indexed_loop(tm_indexed *w, int64_t size, int64_t table_step,
                                   int64_t dense_step)
{
    int l = w->num_loops++;
    w->size[l] = size;
    w->table_step[l] = table_step;
    w->dense_step[l] = dense_step;
    for (int k = 0; k < w->num_sources; k++)
        w->sources[k].step[l] = 0;
}

/** Runs the walk; false where some index is out of range. Changes the walk. */
bool tm_indexed_run(tm_indexed *w, const tm_indexed_kernel *kernel, const void *with);

/** Fails with TM_ERR_INDEX for the first index, in row-major order, that is out of range for the
 *  axis; TM_OK where none is. `item` is its number in a list of tensors, or -1; `column` says which
 *  element along the last axis of index is meant, or -1 for all. */
tm_status tm_indexed_fail(tm_call *call, const char *argument, int item, const tm_tensor *index,
                          int column, int axis, int64_t size, int64_t wrap);

/** The bytes from one element to the next along axis d: 0 where there is but one, never 0 where
 *  there is none, whatever the stride: so a walk tells an axis without indices from one along which
 *  a single index stands for all. */
static inline int64_t tm_indexed_step(const tm_tensor *x, int d)
{
    int64_t size = tm_shape(x)[d], item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    return size == 1 ? 0 : size == 0 ? item : tm_strides(x)[d] * item;
}

/** Copies all of x to out, of the same shape and dtype. */
void tm_indexed_copy(const tm_tensor *x, tm_tensor *out);

#endif
