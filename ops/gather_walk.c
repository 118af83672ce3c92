/* gather_walk.c: the checks and the walk of the ops that index one axis. */
#include "gather.h"

#include <math.h>
#include <string.h>

#include "ops_kernels.h"
#include "scalars.h"

/* -- Checks ------------------------------------------------------------------------------------ */

tm_status tm_gather_check_rank(tm_call *call, const char *argument, const tm_tensor *index,
                               const tm_tensor *x)
{
    if (tm_ndim(index) == tm_ndim(x))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, argument,
                       "%s must have as many dimensions as x of shape %s, got shape %s", argument,
                       tm_shape_text(call, x), tm_shape_text(call, index));
}

tm_status tm_gather_check_list(tm_call *call, const tm_tensor *index)
{
    if (tm_ndim(index) <= 1)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, "index",
                       "index must have at most 1 dimension, got shape %s",
                       tm_shape_text(call, index));
}

tm_status tm_gather_check_element(tm_call *call, const char *argument, const tm_tensor *value)
{
    if (tm_ndim(value) == 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, argument, "%s must be a 0-D tensor, got shape %s",
                       argument, tm_shape_text(call, value));
}

tm_status tm_gather_check_within(tm_call *call, const tm_tensor *index, const char *name,
                                 const tm_tensor *x, int axis)
{
    for (int d = 0; d < tm_ndim(index); d++)
        if (d != axis && tm_shape(index)[d] > tm_shape(x)[d])
            return tm_fail_arg(call, TM_ERR_SHAPE, "index",
                               "index of shape %s must not be larger than %s of shape %s along "
                               "axis %d",
                               tm_shape_text(call, index), name, tm_shape_text(call, x), d);
    return TM_OK;
}

tm_status tm_gather_check_points(tm_call *call, const tm_tensor *x, int64_t *axis,
                                 const tm_tensor *index)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), axis);
    if (status == TM_OK)
        status = tm_gather_check_index(call, "index", index);
    if (status == TM_OK)
        status = tm_gather_check_rank(call, "index", index, x);
    return status == TM_OK ? tm_gather_check_within(call, index, "x", x, (int)*axis) : status;
}

tm_status tm_gather_check_dtype(tm_call *call, const char *argument, const tm_tensor *source,
                                const tm_tensor *x)
{
    if (tm_dtype_of(source) == tm_dtype_of(x))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_DTYPE, argument, "%s must have x's dtype %s, got %s", argument,
                       tm_dtype_name(tm_dtype_of(x)), tm_dtype_name(tm_dtype_of(source)));
}

tm_status tm_gather_check_number(tm_call *call, const char *argument, tm_scalar number,
                                 const tm_tensor *x, void *to)
{
    static const char *const kinds[] = {[TM_KIND_BOOL] = "bool",
                                        [TM_KIND_INT] = "int",
                                        [TM_KIND_FLOAT] = "float",
                                        [TM_KIND_COMPLEX] = "complex"};
    tm_dtype dtype = tm_dtype_of(x);
    if (number.kind > tm_dtype_kind(dtype))
        return tm_fail_arg(call, TM_ERR_DTYPE, argument,
                           "%s must not be of a wider kind than x's dtype %s, got %s", argument,
                           tm_dtype_name(dtype), kinds[number.kind]);
    if (!tm_scalar_fits(number, dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must fit in %s, got %lld", argument,
                           tm_dtype_name(dtype), (long long)number.value.i);
    tm_scalar_store(number, dtype, to);
    return TM_OK;
}

/* -- Walks ------------------------------------------------------------------------------------- */

tm_gather_plan *tm_gather_set(tm_call *call, const char *argument, int64_t axis, bool points)
{
    tm_gather_plan *plan = tm_params(call, sizeof *plan);
    plan->axis = (int)axis;
    plan->points = points;
    plan->argument = argument;
    return plan;
}

/* The element that a reduction leaves as it is: 0, 1, or the end of the dtype's range. */
static void set_neutral(tm_indexed_reduction reduction, tm_dtype dtype, void *to)
{
    int sign = reduction == TM_INDEXED_MAX ? -1 : 1;
    if (reduction == TM_INDEXED_ADD || reduction == TM_INDEXED_PROD)
        tm_scalar_store(tm_scalar_int(reduction == TM_INDEXED_PROD), dtype, to);
    else /* conversions are total: beyond an integer's range is its end */
        tm_scalar_store(tm_scalar_float(sign * (double)INFINITY), dtype, to);
}

tm_status tm_gather_reduction(tm_call *call, const tm_tensor *x, const char *reduce,
                              bool include_self)
{
    static const struct {
        const char *name;
        tm_indexed_reduction reduction;
    } known[] = {{"sum", TM_INDEXED_ADD},
                 {"prod", TM_INDEXED_PROD},
                 {"amax", TM_INDEXED_MAX},
                 {"amin", TM_INDEXED_MIN}};
    tm_gather_plan *plan = tm_params(call, sizeof *plan);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(reduce, known[i].name) != 0)
            continue;
        plan->kernel = tm_indexed_reduce(known[i].reduction, tm_dtype_of(x));
        if (!plan->kernel)
            return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must have a%s numeric dtype, got %s",
                               known[i].reduction >= TM_INDEXED_MAX ? " real" : "",
                               tm_dtype_name(tm_dtype_of(x)));
        plan->fresh = !include_self;
        set_neutral(known[i].reduction, tm_dtype_of(x), plan->neutral);
        return TM_OK;
    }
    return tm_fail_arg(call, TM_ERR_VALUE, "reduce",
                       "reduce must be 'sum', 'prod', 'amax' or 'amin', got '%s'", reduce);
}

/* A step along axis d of the dense side, counted in the iteration's ndim axes; 0 where it has none.
 */
static int64_t dense_step(const tm_tensor *dense, int ndim, int d)
{
    int at = dense ? d - (ndim - tm_ndim(dense)) : -1;
    return at < 0 ? 0 : tm_indexed_step(dense, at);
}

/* Points: over `shape`, of ndim dimensions as the table; index and dense side broadcast to it. */
static void add_points(tm_indexed *w, const tm_tensor *table, const tm_tensor *dense,
                       const tm_tensor *index, int axis, int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++) {
        tm_indexed_loop(w, shape[d], d == axis ? 0 : tm_indexed_step(table, d),
                        dense_step(dense, ndim, d));
        w->sources[0].step[w->num_loops - 1] = tm_indexed_step(index, d);
    }
}

/* Rows: over the table's axes, with the index's in place of the chosen one. A 0-D index that stands
 * for one row counts as one of a single index. */
static void add_rows(tm_indexed *w, const tm_tensor *table, const tm_tensor *dense,
                     const tm_tensor *index, int axis)
{
    int ndim = tm_ndim(table), chosen = tm_ndim(index);
    if (chosen == 0 && (!dense || tm_ndim(dense) == ndim))
        chosen = 1;
    int total = ndim - 1 + chosen;
    for (int d = 0; d < total; d++) {
        if (d >= axis && d < axis + chosen) {
            bool single = tm_ndim(index) == 0;
            tm_indexed_loop(w, single ? 1 : tm_shape(index)[d - axis], 0,
                            dense_step(dense, total, d));
            if (!single)
                w->sources[0].step[w->num_loops - 1] = tm_indexed_step(index, d - axis);
            continue;
        }
        int from = d < axis ? d : d - chosen + 1;
        tm_indexed_loop(w, tm_shape(table)[from], tm_indexed_step(table, from),
                        dense_step(dense, total, d));
    }
}

static tm_index_source source_of(const tm_tensor *index, const tm_tensor *table, int axis)
{
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(table));
    return (tm_index_source){.at = tm_data(index),
                             .dtype = tm_dtype_of(index),
                             .size = tm_shape(table)[axis],
                             .wrap = tm_shape(table)[axis],
                             .stride = tm_strides(table)[axis] * item};
}

static void add_loops(tm_indexed *w, const tm_gather_plan *plan, const tm_tensor *table,
                      const tm_tensor *dense, const tm_tensor *index, int ndim,
                      const int64_t *shape)
{
    if (plan->points)
        add_points(w, table, dense, index, plan->axis, ndim, shape);
    else
        add_rows(w, table, dense, index, plan->axis);
}

static tm_status fail_index(tm_call *call, const tm_gather_plan *plan, const tm_tensor *index,
                            const tm_tensor *table)
{
    int64_t size = tm_shape(table)[plan->axis];
    return tm_indexed_fail(call, plan->argument, -1, index, -1, plan->axis, size, size);
}

tm_status tm_gather_read(tm_call *call, const tm_tensor *x, const tm_tensor *index, tm_tensor *out)
{
    const tm_gather_plan *plan = tm_params(call, sizeof *plan);
    tm_indexed w;
    tm_index_source source = source_of(index, x, plan->axis);
    tm_indexed_begin(&w, tm_data(x), tm_mutable_data(out), &source, 1);
    add_loops(&w, plan, x, out, index, tm_ndim(out), tm_shape(out));
    return tm_indexed_run(&w, plan->kernel, NULL) ? TM_OK : fail_index(call, plan, index, x);
}

/* All examples in one walk. An index that is out of range somewhere is left to the plain
 * kernel, which says where. */
tm_status tm_gather_batched(tm_call *call, const tm_batch *batch)
{
    const tm_gather_plan *plan = tm_params(call, sizeof *plan);
    const tm_tensor *x = tm_call_arg(call, 0)->tensor, *index = NULL;
    tm_tensor *out = tm_call_output(call, 0);
    for (int i = 1; !index; i++)
        index = tm_op_param(tm_call_op(call), i)->type == TM_TYPE_TENSOR
                    ? tm_call_arg(call, i)->tensor
                    : NULL;
    tm_indexed w;
    tm_index_source source = source_of(index, x, plan->axis);
    tm_indexed_begin(&w, tm_data(x), tm_mutable_data(out), &source, 1);
    int64_t count = 1;
    for (int l = 0; l < batch->ndim; l++) {
        const int64_t *step = batch->step + l * batch->num_operands;
        tm_indexed_loop(&w, batch->size[l], step[0], step[2]);
        source.step[l] = step[1];
        count *= batch->size[l];
    }
    add_loops(&w, plan, x, out, index, tm_ndim(out), tm_shape(out));
    bool good = tm_indexed_run(&w, plan->kernel, NULL);
    for (int64_t i = 0; i < count && !good; i++)
        tm_batch_suspect(call, i);
    return TM_OK;
}

tm_status tm_gather_write(tm_call *call, tm_tensor *table, const tm_tensor *index,
                          const tm_tensor *dense)
{
    const tm_gather_plan *plan = tm_params(call, sizeof *plan);
    const int ndim = tm_ndim(index);
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(plan->broadcast && d != plan->axis ? table : index)[d];
    for (int pass = plan->fresh ? 0 : 1; pass < 2; pass++) {
        const tm_tensor *from = pass == 0 ? NULL : dense;
        tm_indexed w;
        tm_index_source source = source_of(index, table, plan->axis);
        tm_indexed_begin(&w, tm_mutable_data(table),
                         from        ? tm_data(from)
                         : pass == 0 ? plan->neutral
                                     : plan->value,
                         &source, 1);
        add_loops(&w, plan, table, from, index, ndim, shape);
        const tm_indexed_kernel *kernel =
            pass == 0 ? tm_indexed_write(tm_dtype_size(tm_dtype_of(table))) : plan->kernel;
        if (!tm_indexed_run(&w, kernel, plan->value))
            return fail_index(call, plan, index, table);
    }
    return TM_OK;
}
