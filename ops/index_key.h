/* index_key.h: keys in Python's words, "1:, ::-1, ..., None, 0, T", and what they choose.
 *
 * T stands for the next tensor of the list: indices into one axis; or a mask of booleans over as
 * many axes as it has; or coordinates, indices into as many axes as its last axis has elements. A
 * plan has the basic axes of the result (slices, new axes, what an ellipsis or the end of the key
 * leaves) and the indices. The axes that the indices broadcast to stand where the first index
 * stood; or in front, where something basic parts the indices, numbers included. A mask counts as
 * one axis, of as many elements as are true.
 */
#ifndef TM_OPS_INDEX_KEY_H
#define TM_OPS_INDEX_KEY_H

#include "indexed.h"

enum { TM_KEY_ITEMS = 2 * TM_MAX_NDIM };

/** An axis of the result that no index makes. */
typedef struct tm_key_axis {
    int axis;                  /**< x's, or -1 for a new one */
    int64_t size, start, step; /**< how many elements of it, from which, how far apart */
} tm_key_axis;

typedef enum tm_key_kind { TM_KEY_INDICES, TM_KEY_COORDINATES, TM_KEY_MASK } tm_key_kind;

/** A tensor of the key. */
typedef struct tm_key_tensor {
    tm_key_kind kind;
    int axis, num_axes;     /**< of x, that it chooses from */
    int ndim;               /**< the axes it has in what the indices broadcast to */
    const int64_t *offsets; /**< of a mask, for a walk: what is true, in bytes from the first */
    int64_t count;          /**< and how much */
} tm_key_tensor;

/** A number of the key. */
typedef struct tm_key_number {
    int axis;
    int64_t index; /**< not negative */
} tm_key_number;

typedef struct tm_key_plan {
    int num_basic, num_numbers, num_tensors;
    tm_key_axis basic[TM_KEY_ITEMS + TM_MAX_NDIM];
    tm_key_number numbers[TM_KEY_ITEMS];
    tm_key_tensor tensors[TM_KEY_ITEMS];
    int place;                  /**< basic axes in front of the indices' */
    int ndim;                   /**< of what the indices broadcast to */
    int64_t shape[TM_MAX_NDIM]; /**< and its sizes, as far as open masks do not change the last */
    int num_open;               /**< masks whose true elements are not counted yet */
} tm_key_plan;

/** Reads the key for x. `coordinates` lists which tensors hold coordinates. Fails with
 * TM_ERR_VALUE, naming the column, where the key does not parse, and where the tensors are not as
 * many as its Ts; TM_ERR_RANK for too many indices; TM_ERR_INDEX for a number out of range;
 * TM_ERR_DTYPE or TM_ERR_SHAPE for tensors that do not fit. */
tm_status tm_key_read(tm_call *call, const tm_tensor *x, const char *key, tm_tensor_list tensors,
                      tm_int_list coordinates, tm_key_plan *plan);

/** Tensor k, a mask that was open, has so many true elements. TM_ERR_VALUE where they do not
 *  broadcast with the other indices. */
tm_status tm_key_close(tm_call *call, tm_key_plan *plan, int k, int64_t count);

/** The result's shape, TM_DYNAMIC where open masks decide; returns its number of axes. */
int tm_key_shape(const tm_key_plan *plan, int64_t *shape);

/** A walk over what a key chooses of a table; no mask is open. */
typedef struct tm_key_walk {
    tm_indexed w;
    int tensor[TM_MAX_NDIM]; /**< which tensor a source is of */
    int column[TM_MAX_NDIM]; /**< and which of its coordinates, else -1 */
    int axis[TM_MAX_NDIM];   /**< the table's */
    tm_index_source sources[TM_MAX_NDIM];
} tm_key_walk;

/** The walk without loops, for the batch's to be added first. */
void tm_key_begin(tm_key_walk *k, const tm_key_plan *plan, const tm_tensor *table,
                  const tm_tensor *dense, tm_tensor_list tensors);
/** The loops over one example; the dense side broadcasts to what the key chooses. */
void tm_key_loops(tm_key_walk *k, const tm_key_plan *plan, const tm_tensor *table,
                  const tm_tensor *dense, tm_tensor_list tensors);
/** Both, and the run; TM_ERR_INDEX for the first index out of range of the first tensor with one.
 */
tm_status tm_key_run(tm_call *call, const tm_key_plan *plan, const tm_tensor *table,
                     const tm_tensor *dense, tm_tensor_list tensors,
                     const tm_indexed_kernel *kernel);

#endif
