/* manipulation_repeat.c: tile and repeat: the same elements more than once.
 *
 * Repeating is one more axis along which x stands still, so all but the repetition by a tensor's
 * numbers is a single copy.
 */
#include "blocks.h"
#include "ops_kernels.h"
#include "rows.h"

static tm_status too_large(tm_call *call, tm_status code, const char *argument)
{
    return tm_fail_arg(call, code, argument,
                       "an axis of the result would have more than %lld elements",
                       (long long)INT64_MAX);
}

/* -- tile -------------------------------------------------------------------------------------- */

tm_status tm_tile_meta(tm_call *call, const tm_tensor *x, tm_int_list repetitions)
{
    tm_status status = tm_check_sizes(call, "repetitions", repetitions);
    if (status != TM_OK)
        return status;
    int times = (int)repetitions.count, ndim = times > tm_ndim(x) ? times : tm_ndim(x);
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++) {
        int axis = d - (ndim - tm_ndim(x)), time = d - (ndim - times);
        shape[d] = axis < 0 ? 1 : tm_shape(x)[axis];
        if (time >= 0 && __builtin_mul_overflow(shape[d], repetitions.data[time], &shape[d]))
            return too_large(call, TM_ERR_SHAPE, "repetitions");
    }
    return tm_output(call, 0, tm_dtype_of(x), ndim, shape);
}

/* Each axis of the result is two: which copy, and where in it. */
static void tile(const tm_batch *batch, const tm_tensor *x, tm_tensor *out)
{
    if (tm_numel(out) == 0)
        return;
    tm_block block;
    tm_block_begin(&block, batch, x, out);
    int new_axes = tm_ndim(out) - tm_ndim(x);
    for (int d = 0; d < tm_ndim(out); d++) {
        int64_t n = d < new_axes ? 1 : tm_shape(x)[d - new_axes], to = tm_axis_step(out, d);
        tm_block_axis(&block, tm_shape(out)[d] / n, n * to, 0);
        tm_block_axis(&block, n, to, d < new_axes ? 0 : tm_axis_step(x, d - new_axes));
    }
    tm_block_copy(&block);
}

tm_status tm_tile_impl(tm_call *call, const tm_tensor *x, tm_int_list repetitions, tm_tensor *out)
{
    (void)call;
    (void)repetitions;
    tile(NULL, x, out);
    return TM_OK;
}

tm_status tm_tile_batched(tm_call *call, const tm_batch *batch)
{
    tile(batch, tm_call_arg(call, 0)->tensor, tm_call_output(call, 0));
    return TM_OK;
}

/* -- repeat ------------------------------------------------------------------------------------ */

tm_status tm_repeat_meta(tm_call *call, const tm_tensor *x, int64_t repeats, const int64_t *axis)
{
    int64_t along = axis ? *axis : 0, shape[TM_MAX_NDIM];
    tm_status status = axis ? tm_check_axis(call, "axis", tm_ndim(x), &along) : TM_OK;
    if (status != TM_OK)
        return status;
    if (repeats < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "repeats", "repeats must not be negative, got %lld",
                           (long long)repeats);
    for (int d = 0; axis && d < tm_ndim(x); d++)
        shape[d] = tm_shape(x)[d];
    if (!axis)
        shape[0] = tm_numel(x);
    if (__builtin_mul_overflow(shape[along], repeats, &shape[along]))
        return too_large(call, TM_ERR_SHAPE, "repeats");
    return tm_output(call, 0, tm_dtype_of(x), axis ? tm_ndim(x) : 1, shape);
}

/* Along one axis the result's has a second one inside it, along which x stands still. Without an
 * axis all of x's axes are walked along the result's only one. */
static void repeat(const tm_batch *batch, const tm_tensor *x, int64_t repeats, const int64_t *axis,
                   tm_tensor *out)
{
    if (tm_numel(out) == 0)
        return;
    int ndim = tm_ndim(x), along = axis ? (int)(*axis < 0 ? *axis + ndim : *axis) : 0;
    int64_t step = tm_axis_step(out, along), run = repeats * step, flat[TM_MAX_NDIM];
    for (int d = ndim; d-- > 0; run *= tm_shape(x)[d])
        flat[d] = run;
    tm_block block;
    tm_block_begin(&block, batch, x, out);
    for (int d = 0; d < ndim; d++) {
        int64_t to = !axis ? flat[d] : d == along ? repeats * step : tm_axis_step(out, d);
        tm_block_axis(&block, tm_shape(x)[d], to, tm_axis_step(x, d));
        if (axis && d == along)
            tm_block_axis(&block, repeats, step, 0);
    }
    if (!axis)
        tm_block_axis(&block, repeats, step, 0);
    tm_block_copy(&block);
}

tm_status tm_repeat_impl(tm_call *call, const tm_tensor *x, int64_t repeats, const int64_t *axis,
                         tm_tensor *out)
{
    (void)call;
    repeat(NULL, x, repeats, axis, out);
    return TM_OK;
}

tm_status tm_repeat_batched(tm_call *call, const tm_batch *batch)
{
    repeat(batch, tm_call_arg(call, 0)->tensor, tm_call_arg(call, 1)->i, tm_call_arg(call, 2)->opt,
           tm_call_output(call, 0));
    return TM_OK;
}

/* -- repeat.tensor ----------------------------------------------------------------------------- */

tm_status tm_repeat_tensor_meta(tm_call *call, const tm_tensor *x, const tm_tensor *repeats,
                                const int64_t *axis)
{
    int64_t along = axis ? *axis : 0, shape[TM_MAX_NDIM];
    tm_status status = axis ? tm_check_axis(call, "axis", tm_ndim(x), &along) : TM_OK;
    if (status == TM_OK)
        status = tm_check_kind(call, "repeats", repeats, TM_KIND_INT, "an integer dtype");
    if (status != TM_OK)
        return status;
    if (tm_ndim(repeats) > 1)
        return tm_fail_arg(call, TM_ERR_RANK, "repeats",
                           "repeats must have at most 1 dimension, got shape %s",
                           tm_shape_text(call, repeats));
    int64_t size = axis ? tm_shape(x)[along] : tm_numel(x);
    if (tm_numel(repeats) != 1 && tm_numel(repeats) != size)
        return tm_fail_arg(call, TM_ERR_SHAPE, "repeats",
                           "repeats must have 1 element or the %lld %s, got shape %s",
                           (long long)size, axis ? "of the axis" : "of x",
                           tm_shape_text(call, repeats));
    for (int d = 0; axis && d < tm_ndim(x); d++)
        shape[d] = tm_shape(x)[d];
    shape[along] = TM_DYNAMIC;
    return tm_output(call, 0, tm_dtype_of(x), axis ? tm_ndim(x) : 1, shape);
}

/* The number at index i; one element stands for all. */
static int64_t times_at(const tm_tensor *repeats, int64_t i)
{
    int64_t step = tm_ndim(repeats) ? tm_axis_step(repeats, 0) : 0, times;
    const char *at = (const char *)tm_data(repeats) + i * step;
    tm_cast(tm_dtype_of(repeats), TM_INT64)(at, 0, (char *)&times, 0, 1);
    return times;
}

/* Adds the numbers up. */
static tm_status count_all(tm_call *call, const tm_tensor *repeats, int64_t size, int64_t *total)
{
    *total = 0;
    for (int64_t i = 0; i < size; i++) {
        int64_t times = times_at(repeats, i);
        if (times < 0 && tm_dtype_of(repeats) != TM_UINT64)
            return tm_fail_arg(call, TM_ERR_VALUE, "repeats",
                               "repeats must not be negative, got %lld at index %lld",
                               (long long)times, (long long)i);
        if (times < 0 || __builtin_add_overflow(*total, times, total))
            return too_large(call, TM_ERR_VALUE, "repeats");
    }
    return TM_OK;
}

static void repeat_along(const tm_tensor *x, const tm_tensor *repeats, int axis, tm_tensor *out)
{
    tm_block block;
    tm_block_begin(&block, NULL, x, out);
    int64_t from = tm_axis_step(x, axis), to = tm_axis_step(out, axis);
    for (int d = 0; d < tm_ndim(x); d++) {
        block.size[d] = tm_shape(x)[d];
        block.from.step[d] = d == axis ? 0 : tm_axis_step(x, d);
        block.to.step[d] = tm_axis_step(out, d);
    }
    for (int64_t i = 0; i < tm_shape(x)[axis]; i++) {
        block.size[axis] = times_at(repeats, i);
        tm_copy(tm_ndim(x), block.size, &block.to, &block.from);
        block.from.base += from;
        block.to.base += block.size[axis] * to;
    }
}

static void repeat_row(const tm_tensor *x, const tm_tensor *repeats, tm_tensor *out)
{
    tm_cast_fn copy = tm_cast(tm_dtype_of(x), tm_dtype_of(x));
    int64_t step = tm_axis_step(out, 0), at = 0;
    char *to = tm_mutable_data(out);
    tm_rows r;
    for (bool more = tm_rows_first(&r, x, tm_data(x)); more; more = tm_rows_next(&r))
        for (int64_t i = 0; i < r.n; i++) {
            int64_t times = times_at(repeats, at++);
            copy(r.at + i * r.step, 0, to, step, times);
            to += times * step;
        }
}

tm_status tm_repeat_tensor_impl(tm_call *call, const tm_tensor *x, const tm_tensor *repeats,
                                const int64_t *axis, tm_tensor *out)
{
    int ndim = tm_ndim(x), along = axis ? (int)(*axis < 0 ? *axis + ndim : *axis) : 0;
    int64_t total, shape[TM_MAX_NDIM];
    tm_status status = count_all(call, repeats, axis ? tm_shape(x)[along] : tm_numel(x), &total);
    for (int d = 0; axis && d < ndim; d++)
        shape[d] = tm_shape(x)[d];
    shape[along] = total;
    if (status == TM_OK)
        status = tm_output_alloc(call, 0, axis ? ndim : 1, shape);
    if (status != TM_OK || tm_numel(out) == 0)
        return status;
    if (axis)
        repeat_along(x, repeats, along, out);
    else
        repeat_row(x, repeats, out);
    return TM_OK;
}
