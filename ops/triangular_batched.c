/* triangular_batched.c: triu and tril of a whole batch.
 *
 * Small matrices go through a mask, as many at a time as stay near; where the batch is innermost, a
 * row of all matrices is one copy.
 */
#include <string.h>

#include "blocks.h"
#include "dispatch/bypass.h"
#include "dispatch/items.h"
#include "loops.h"
#include "ops_kernels.h"
#include "triangular.h"

enum {
    MASK = 4096, /* bytes of the largest matrix, and of as many as are masked at a time */
    PAST = 1024  /* the latter where they are then written past the caches */
};

TM_INLINE void mask_body(char *to, const char *from, const char *mask, int64_t bytes)
{
    int64_t at = 0;
    TM_INDEPENDENT
    for (; at + 8 <= bytes; at += 8)
        TM_AT(tm_item8, to + at) =
            TM_CONST_AT(tm_item8, from + at) & TM_CONST_AT(tm_item8, mask + at);
    for (; at < bytes; at++)
        to[at] = from[at] & mask[at];
}
TM_SIMD_VERSIONS(mask_bytes, mask_body,
                 (char *to, const char *from, const char *mask, int64_t bytes),
                 (to, from, mask, bytes))

typedef struct masking {
    char mask[MASK];          /* as many matrices' as are masked at a time */
    int64_t size, most;       /* bytes of a matrix, and how many these are */
    int64_t count, from_step; /* the innermost loop of the batch; its output is one run */
    bool dense;               /* so is its input */
    bool bypass;
    int64_t rows, columns;
    tm_copy_side to, from; /* of a few matrices, where the input is not dense */
} masking;

/* Matrices are brought together, if need be, and masked while they are near. */
static void mask_loop(masking *m, char *to, const char *from)
{
    _Alignas(TM_LINE) char buffer[MASK];
    for (int64_t left = m->count; left > 0; left -= m->most) {
        int64_t n = left < m->most ? left : m->most, bytes = n * m->size;
        char *at = m->bypass ? buffer : to;
        if (!m->dense) {
            m->from.base = (char *)(uintptr_t)from;
            m->to.base = at;
            tm_copy(3, (int64_t[]){n, m->rows, m->columns}, &m->to, &m->from);
        }
        mask_bytes(at, m->dense ? from : at, m->mask, bytes);
        if (m->bypass) {
            tm_ahead ahead = {m->dense, {(uintptr_t)from + TM_FETCHED}, {TM_LINE}};
            tm_bypass_rows(to, 0, buffer, bytes, 1, &ahead);
        }
        to += bytes;
        from += n * m->from_step;
    }
    m->to.base = NULL; /* the buffer goes */
    if (m->bypass)
        tm_bypass_end();
}

/* The mask of one matrix, and then of as many as are wanted at a time. */
static void set_mask(masking *m, int64_t k, bool upper, int64_t item)
{
    int64_t row = m->columns * item, from, to;
    memset(m->mask, 0, (size_t)m->size);
    for (int64_t i = 0; i < m->rows; i++) {
        tm_triangle_row(i, m->rows, m->columns, k, upper, &from, &to);
        memset(m->mask + i * row + from * item, 0xff, (size_t)((to - from) * item));
    }
    const int64_t most = m->bypass ? PAST : MASK;
    for (m->most = 1; 2 * m->most * m->size <= most && m->most < m->count; m->most *= 2)
        memcpy(m->mask + m->most * m->size, m->mask, (size_t)(m->most * m->size));
}

/* Small matrices that lie one after the other in the output. */
static void mask_batch(const tm_batch *batch, const tm_tensor *x, int64_t k, tm_tensor *out,
                       bool upper)
{
    masking m;
    int last = batch->ndim - 1;
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(x)), outer = 1;
    m.rows = tm_shape(x)[0];
    m.columns = tm_shape(x)[1];
    m.size = m.rows * m.columns * item;
    m.count = batch->size[last];
    m.from_step = batch->step[2 * last];
    m.dense = tm_is_contiguous(x) && (m.from_step == m.size || m.count == 1);
    m.from.dtype = m.to.dtype = tm_dtype_of(x);
    const int64_t from[] = {m.from_step, tm_axis_step(x, 0), tm_axis_step(x, 1)};
    const int64_t to[] = {m.size, m.columns * item, item};
    memcpy(m.from.step, from, sizeof from);
    memcpy(m.to.step, to, sizeof to);
    for (int l = 0; l < last; l++)
        outer *= batch->size[l];
    m.bypass = tm_bypass_pays(2 * outer * m.count * m.size);
    set_mask(&m, k, upper, item);
    for (int64_t i = 0; i < outer; i++) {
        char *at_out = tm_mutable_data(out);
        const char *at_x = tm_data(x);
        int64_t rest = i;
        for (int l = last; l-- > 0; rest /= batch->size[l]) {
            at_out += rest % batch->size[l] * batch->step[2 * l + 1];
            at_x += rest % batch->size[l] * batch->step[2 * l];
        }
        mask_loop(&m, at_out, at_x);
    }
}

/* Row by row, all examples at once: what is kept is one copy, and so are the zeros. */
static void copy_batch(const tm_batch *batch, const tm_tensor *x, int64_t k, tm_tensor *out,
                       bool upper)
{
    int64_t rows = tm_shape(x)[0], columns = tm_shape(x)[1];
    int64_t x_column = tm_axis_step(x, 1), out_column = tm_axis_step(out, 1);
    const tm_item16 zero = {0};
    for (int64_t i = 0; i < rows; i++) {
        int64_t from, to;
        tm_triangle_row(i, rows, columns, k, upper, &from, &to);
        for (int part = 0; part < 2; part++) { /* what is kept; the zeros beside it */
            int64_t begin = part == 0 ? from : upper ? 0 : to;
            int64_t end = part == 0 ? to : upper ? from : columns;
            tm_block block;
            tm_block_begin(&block, batch, x, out);
            block.to.base += i * tm_axis_step(out, 0) + begin * out_column;
            block.from.base += i * tm_axis_step(x, 0) + begin * x_column;
            tm_block_axis(&block, end - begin, out_column, x_column);
            if (part == 1) {
                block.from.base = (char *)(uintptr_t)&zero;
                memset(block.from.step, 0, sizeof block.from.step);
            }
            tm_block_copy(&block);
        }
    }
}

static tm_status cut_batch(tm_call *call, const tm_batch *batch, bool upper)
{
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    tm_tensor *out = tm_call_output(call, 0);
    int64_t k = tm_call_arg(call, 1)->i, item = (int64_t)tm_dtype_size(tm_dtype_of(x));
    int last = batch->ndim - 1;
    if (tm_numel(x) == 0)
        return TM_OK;
    int64_t size = tm_numel(x) * item, step = batch->step[2 * last + 1];
    if (size <= MASK && tm_is_contiguous(out) && step == size)
        mask_batch(batch, x, k, out, upper);
    else if (step == item)
        copy_batch(batch, x, k, out, upper);
    else
        tm_batch_decline(call);
    return TM_OK;
}

tm_status tm_triu_batched(tm_call *call, const tm_batch *batch)
{
    return cut_batch(call, batch, true);
}

tm_status tm_tril_batched(tm_call *call, const tm_batch *batch)
{
    return cut_batch(call, batch, false);
}
