/* manipulation_pad.c: pad.
 *
 * Along an axis the result is up to three spans: before x, x, after x. A span is elements of x from
 * some index on, forwards, backwards or standing still, or lies outside x and has the value. Every
 * choice of a span for each axis is one block to copy, so there are fewer blocks than elements.
 */
#include <string.h>

#include "blocks.h"
#include "ops_kernels.h"
#include "scalars.h"

typedef enum pad_mode { CONSTANT = 0, REFLECT, REPLICATE, CIRCULAR, NO_MODE } pad_mode;

static pad_mode read_mode(const char *mode)
{
    static const struct {
        const char *name;
        pad_mode mode;
    } names[] = {{"constant", CONSTANT}, {"reflect", REFLECT},   {"replicate", REPLICATE},
                 {"edge", REPLICATE},    {"circular", CIRCULAR}, {"wrap", CIRCULAR}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(mode, names[i].name) == 0)
            return names[i].mode;
    return NO_MODE;
}

/* The numbers before and after an axis. */
static void pads_of(tm_int_list pad, int ndim, int axis, int64_t *before, int64_t *after)
{
    int64_t pair = ndim - 1 - axis;
    bool given = 2 * pair < pad.count;
    *before = given ? pad.data[2 * pair] : 0;
    *after = given ? pad.data[2 * pair + 1] : 0;
}

/* How many elements a mode that takes them from x can put on either side. */
static tm_status check_source(tm_call *call, const tm_tensor *x, int axis, int64_t before,
                              int64_t after, pad_mode mode, const char *name)
{
    int64_t size = tm_shape(x)[axis], larger = before > after ? before : after;
    if (before < 0 || after < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "pad",
                           "pad must not be negative in mode '%s', got (%lld, %lld) for axis %d",
                           name, (long long)before, (long long)after, axis);
    bool enough = mode == CIRCULAR    ? larger <= size
                  : mode == REPLICATE ? size > 0 || larger == 0
                                      : larger < size || larger == 0;
    if (enough)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_SHAPE, "pad",
                       "in mode '%s' pad must %s of axis %d, got (%lld, %lld) for x of shape %s",
                       name,
                       mode == CIRCULAR    ? "be at most the size"
                       : mode == REPLICATE ? "be 0 for the missing elements"
                                           : "be less than the size",
                       axis, (long long)before, (long long)after, tm_shape_text(call, x));
}

static tm_status check_value(tm_call *call, const tm_tensor *x, pad_mode mode, const char *name,
                             tm_scalar value)
{
    if (mode == CONSTANT)
        return tm_check_scalar(call, "value", value, tm_dtype_of(x));
    if (value.kind == TM_KIND_COMPLEX || tm_scalar_as_float(value) != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "value", "mode '%s' takes no value", name);
    return TM_OK;
}

tm_status tm_pad_meta(tm_call *call, const tm_tensor *x, tm_int_list pad, const char *mode,
                      tm_scalar value)
{
    int ndim = tm_ndim(x);
    pad_mode how = read_mode(mode);
    if (how == NO_MODE)
        return tm_fail_arg(call, TM_ERR_VALUE, "mode",
                           "mode must be 'constant', 'reflect', 'replicate', 'edge', 'circular' or "
                           "'wrap', got '%s'",
                           mode);
    if (pad.count % 2)
        return tm_fail_arg(call, TM_ERR_VALUE, "pad",
                           "pad must have two numbers for each axis, got %s",
                           tm_sizes_text(call, pad.count, pad.data));
    if (pad.count / 2 > ndim)
        return tm_fail_arg(call, TM_ERR_RANK, "pad",
                           "pad must have at most one pair for each of the %d axes of x, which has "
                           "shape %s, got %lld",
                           ndim, tm_shape_text(call, x), (long long)(pad.count / 2));
    tm_status status = check_value(call, x, how, mode, value);
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim && status == TM_OK; d++) {
        int64_t before, after;
        pads_of(pad, ndim, d, &before, &after);
        if (how != CONSTANT)
            status = check_source(call, x, d, before, after, how, mode);
        if (status != TM_OK)
            return status;
        if (__builtin_add_overflow(tm_shape(x)[d], before, &shape[d]) ||
            __builtin_add_overflow(shape[d], after, &shape[d]) || shape[d] < 0)
            return tm_fail_arg(call, TM_ERR_SHAPE, "pad",
                               "pad (%lld, %lld) leaves no size for axis %d of x of shape %s",
                               (long long)before, (long long)after, d, tm_shape_text(call, x));
    }
    return status == TM_OK ? tm_output(call, 0, tm_dtype_of(x), ndim, shape) : status;
}

/* -- The kernel -------------------------------------------------------------------------------- */

typedef struct padding {
    const tm_tensor *x;
    tm_tensor *out;
    tm_int_list pad;
    pad_mode mode;
    tm_copy_side value; /* the value's bytes, which stand still along every axis */
    int first;          /* the place of axis 0 in the block */
    bool outside;       /* some axis is outside x */
    tm_block block;
} padding;

static void place(padding *p, int d);

/* `size` elements of axis d of the result, from index `to` on, are x's from `from` on. */
static void span(padding *p, int d, int64_t to, int64_t size, int64_t from, int direction)
{
    if (size <= 0)
        return;
    tm_block *b = &p->block;
    char *const to_base = b->to.base, *const from_base = b->from.base;
    int64_t to_step = tm_axis_step(p->out, d), from_step = tm_axis_step(p->x, d);
    b->size[p->first + d] = size;
    b->to.step[p->first + d] = to_step;
    b->from.step[p->first + d] = direction * from_step;
    b->to.base += to * to_step;
    b->from.base += from * from_step;
    place(p, d + 1);
    b->to.base = to_base;
    b->from.base = from_base;
}

static void span_outside(padding *p, int d, int64_t to, int64_t size)
{
    bool outside = p->outside;
    p->outside = true;
    span(p, d, to, size, 0, 0);
    p->outside = outside;
}

/* Element i of the result is x's element i - before, where there is one. */
static void place_constant(padding *p, int d, int64_t before, int64_t all)
{
    int64_t n = tm_shape(p->x)[d], start = before > 0 ? before : 0, end = n + before;
    start = start < all ? start : all;
    end = end < all ? end : all;
    span_outside(p, d, 0, start);
    if (end > start)
        span(p, d, start, end - start, start - before, 1);
    else
        end = start;
    span_outside(p, d, end, all - end);
}

/* Blocks for every choice of spans along the axes from d on. */
static void place(padding *p, int d)
{
    if (d == tm_ndim(p->x)) {
        tm_copy(p->block.n, p->block.size, &p->block.to, p->outside ? &p->value : &p->block.from);
        return;
    }
    int64_t n = tm_shape(p->x)[d], before, after;
    pads_of(p->pad, tm_ndim(p->x), d, &before, &after);
    if (p->mode == CONSTANT) {
        place_constant(p, d, before, tm_shape(p->out)[d]);
        return;
    }
    int direction = p->mode == REFLECT ? -1 : p->mode == CIRCULAR ? 1 : 0;
    span(p, d, 0, before,
         p->mode == REFLECT    ? before
         : p->mode == CIRCULAR ? n - before
                               : 0,
         direction);
    span(p, d, before, n, 0, 1);
    span(p, d, before + n, after,
         p->mode == REFLECT    ? n - 2
         : p->mode == CIRCULAR ? 0
                               : n - 1,
         direction);
}

static void pad_all(const tm_batch *batch, const tm_tensor *x, tm_int_list pad, const char *mode,
                    tm_scalar value, tm_tensor *out)
{
    if (tm_numel(out) == 0)
        return;
    _Alignas(16) char item[16];
    padding p = {.x = x, .out = out, .pad = pad, .mode = read_mode(mode)};
    tm_scalar_store(value, tm_dtype_of(x), item);
    p.value.base = item;
    p.value.dtype = tm_dtype_of(x);
    tm_block_begin(&p.block, batch, x, out);
    p.first = p.block.n;
    p.block.n += tm_ndim(x);
    place(&p, 0);
}

tm_status tm_pad_impl(tm_call *call, const tm_tensor *x, tm_int_list pad, const char *mode,
                      tm_scalar value, tm_tensor *out)
{
    (void)call;
    pad_all(NULL, x, pad, mode, value, out);
    return TM_OK;
}

tm_status tm_pad_batched(tm_call *call, const tm_batch *batch)
{
    pad_all(batch, tm_call_arg(call, 0)->tensor, tm_call_arg(call, 1)->ints,
            tm_call_arg(call, 2)->str, tm_call_arg(call, 3)->scalar, tm_call_output(call, 0));
    return TM_OK;
}
