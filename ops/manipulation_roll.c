/* manipulation_roll.c: roll.
 *
 * Each axis of size n falls into a low part, which moves on, and a high part of shift[d] elements,
 * which goes to the front: at most 2^axes blocks are copied, fewer than there are elements. A shift
 * of all elements as one row is a sum of two numbers whose digits are indices and shifts: what goes
 * to the front along an axis is one further along the axis before.
 */
#include "blocks.h"
#include "ops_kernels.h"
#include "roll.h"

typedef struct rolling {
    const tm_tensor *x;
    tm_tensor *out;
    const tm_roll_by *by;
    int first; /* the place of axis 0 in the block */
    tm_block block;
} rolling;

/* The axes after d have their parts; `carry` is 1 where they are one further along this one. */
static void place(rolling *r, int d, int64_t carry)
{
    tm_block *b = &r->block;
    if (d < 0) {
        tm_block_copy(b);
        return;
    }
    const int64_t n = tm_shape(r->x)[d], shift = r->by->shift[d] + carry;
    const int64_t from_step = tm_axis_step(r->x, d), to_step = tm_axis_step(r->out, d);
    char *const from = b->from.base, *const to = b->to.base;
    b->from.step[r->first + d] = from_step;
    b->to.step[r->first + d] = to_step;
    for (int high = 0; high < 2; high++) {
        b->size[r->first + d] = high ? shift : n - shift;
        if (b->size[r->first + d] == 0)
            continue;
        b->from.base = from + (high ? (n - shift) * from_step : 0);
        b->to.base = to + (high ? 0 : shift * to_step);
        place(r, d - 1, r->by->carry && high);
    }
    b->from.base = from;
    b->to.base = to;
}

void tm_roll_blocks(const tm_batch *batch, const tm_tensor *x, tm_tensor *out, const tm_roll_by *by)
{
    if (tm_numel(x) == 0)
        return;
    rolling r = {.x = x, .out = out, .by = by};
    tm_block_begin(&r.block, batch, x, out);
    r.first = r.block.n;
    r.block.n += tm_ndim(x);
    place(&r, tm_ndim(x) - 1, 0);
}

static tm_status check(tm_call *call, const tm_tensor *x, tm_int_list shift,
                       const tm_int_list *axis)
{
    for (int64_t i = 0; axis && i < axis->count; i++) {
        int64_t one = axis->data[i];
        tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &one);
        if (status != TM_OK)
            return status;
    }
    if (!axis && shift.count != 1)
        return tm_fail_arg(call, TM_ERR_VALUE, "shift",
                           "shift must be one number where axis is None, got %s",
                           tm_sizes_text(call, shift.count, shift.data));
    if (axis && shift.count != 1 && shift.count != axis->count)
        return tm_fail_arg(call, TM_ERR_VALUE, "shift",
                           "shift must have one number or as many as axis, %s, got %s",
                           tm_sizes_text(call, axis->count, axis->data),
                           tm_sizes_text(call, shift.count, shift.data));
    return TM_OK;
}

tm_status tm_roll_meta(tm_call *call, const tm_tensor *x, tm_int_list shift,
                       const tm_int_list *axis)
{
    tm_status status = check(call, x, shift, axis);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

static void roll(const tm_batch *batch, const tm_tensor *x, tm_int_list shift,
                 const tm_int_list *axis, tm_tensor *out)
{
    tm_roll_by by = {.carry = !axis};
    int ndim = tm_ndim(x);
    const int64_t *shape = tm_shape(x);
    for (int64_t i = 0; axis && i < axis->count; i++) {
        int64_t d = axis->data[i] < 0 ? axis->data[i] + ndim : axis->data[i];
        int64_t more = tm_roll_shift(shift.data[shift.count == 1 ? 0 : i], shape[d]);
        by.shift[d] =
            more < shape[d] - by.shift[d] ? by.shift[d] + more : more - (shape[d] - by.shift[d]);
    }
    int64_t left = axis ? 0 : tm_roll_shift(shift.data[0], tm_numel(x));
    for (int d = ndim; d-- > 0 && left > 0; left /= shape[d])
        by.shift[d] = left % shape[d];
    tm_roll_blocks(batch, x, out, &by);
}

tm_status tm_roll_impl(tm_call *call, const tm_tensor *x, tm_int_list shift,
                       const tm_int_list *axis, tm_tensor *out)
{
    (void)call;
    roll(NULL, x, shift, axis, out);
    return TM_OK;
}

tm_status tm_roll_batched(tm_call *call, const tm_batch *batch)
{
    roll(batch, tm_call_arg(call, 0)->tensor, tm_call_arg(call, 1)->ints, tm_call_arg(call, 2)->opt,
         tm_call_output(call, 0));
    return TM_OK;
}
