/* gather.h: what the ops that index one axis share: their checks, and the walk that meta plans.
 *
 * There are two kinds. Rows: one index chooses a whole slice of the table (take, index_add).
 * Points: the index has the table's rank and chooses along the axis for each of its own positions
 * (gather, scatter). Either way the iteration is over the dense side's elements, or as many of them
 * as there are indices.
 */
#ifndef TM_OPS_GATHER_H
#define TM_OPS_GATHER_H

#include "indexed.h"

/** What meta leaves for the kernel. */
typedef struct tm_gather_plan {
    int axis;
    bool points;
    bool broadcast;       /**< points: the index broadcasts to the table beside the axis */
    bool fresh;           /**< what is chosen is set to `neutral` first */
    const char *argument; /**< the indices' name */
    const tm_indexed_kernel *kernel;
    uint64_t value[2];   /**< a number among the arguments, as an element */
    uint64_t neutral[2]; /**< of the reduction */
} tm_gather_plan;

/** TM_ERR_DTYPE unless the index has an integer dtype. */
static inline tm_status tm_gather_check_index(tm_call *call, const char *argument,
                                              const tm_tensor *index)
{
    return tm_check_kind(call, argument, index, TM_KIND_INT, "an integer dtype");
}

/** TM_ERR_RANK unless it has x's number of dimensions. */
tm_status tm_gather_check_rank(tm_call *call, const char *argument, const tm_tensor *index,
                               const tm_tensor *x);
/** TM_ERR_RANK unless it is a list of indices: one dimension, or one index alone. */
tm_status tm_gather_check_list(tm_call *call, const tm_tensor *index);
/** TM_ERR_RANK unless it is a 0-D tensor. */
tm_status tm_gather_check_element(tm_call *call, const char *argument, const tm_tensor *value);
/** TM_ERR_SHAPE where the index is larger than x, of its rank, along an axis other than `axis`. */
tm_status tm_gather_check_within(tm_call *call, const tm_tensor *index, const char *name,
                                 const tm_tensor *x, int axis);
/** The checks of an index of x's rank that names a place along one axis for each of its elements;
 *  resolves the axis. */
tm_status tm_gather_check_points(tm_call *call, const tm_tensor *x, int64_t *axis,
                                 const tm_tensor *index);
/** TM_ERR_DTYPE unless it has x's dtype. */
tm_status tm_gather_check_dtype(tm_call *call, const char *argument, const tm_tensor *source,
                                const tm_tensor *x);
/** Stores a number as an element of x's dtype. TM_ERR_DTYPE where the number's kind is wider than
 *  x's, TM_ERR_VALUE where a whole number does not fit. */
tm_status tm_gather_check_number(tm_call *call, const char *argument, tm_scalar number,
                                 const tm_tensor *x, void *to);

/** Meta: sets the plan's kernel to a reduction, "sum", "prod", "amax" or "amin". TM_ERR_VALUE for
 *  another name, TM_ERR_DTYPE where x's dtype has none. */
tm_status tm_gather_reduction(tm_call *call, const tm_tensor *x, const char *reduce,
                              bool include_self);
/** Meta: the plan, to be completed. */
tm_gather_plan *tm_gather_set(tm_call *call, const char *argument, int64_t axis, bool points);
/** Kernel: out's elements, from x. The plan's kernel reads. */
tm_status tm_gather_read(tm_call *call, const tm_tensor *x, const tm_tensor *index, tm_tensor *out);
/** Kernel: the dense side's elements into the table; where it is NULL, the plan's value. */
tm_status tm_gather_write(tm_call *call, tm_tensor *table, const tm_tensor *index,
                          const tm_tensor *dense);

/** The two forms of an op that writes: out of place, and in place. `checks` is a meta's body as an
 *  expression, `dense` the kernel's source, or NULL; the other arguments of the kernel are in the
 *  plan. What follows are the parameters behind x. */
#define TM_GATHER_FORMS(name, in_place, checks, dense, unused, ...)                                \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, __VA_ARGS__)                     \
    {                                                                                              \
        return checks;                                                                             \
    }                                                                                              \
    tm_status tm_##in_place##_meta(tm_call *call, tm_tensor *x, __VA_ARGS__)                       \
    {                                                                                              \
        return checks;                                                                             \
    }                                                                                              \
    tm_status tm_##name##_impl(tm_call *call, const tm_tensor *x, __VA_ARGS__, tm_tensor *out)     \
    {                                                                                              \
        unused;                                                                                    \
        tm_indexed_copy(x, out);                                                                   \
        return tm_gather_write(call, out, index, dense);                                           \
    }                                                                                              \
    tm_status tm_##in_place##_impl(tm_call *call, tm_tensor *x, __VA_ARGS__)                       \
    {                                                                                              \
        unused;                                                                                    \
        return tm_gather_write(call, x, index, dense);                                             \
    }

#endif
