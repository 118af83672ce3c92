/* layout.c: where an input lies in memory.
 *
 * Its dimensions are the example's with those of the levels put among them, first, last or between;
 * in memory they are nested in any order, run backwards, have gaps, begin somewhere in a larger
 * block, or have stride 0 where all values along them are equal.
 */
#include <string.h>

#include "law/case.h"

/* Puts the levels' dimensions among the logical ones. The innermost is put in first, so an outer
 * level's in_dim counts the inner ones' dimensions. */
static void place_dims(tm_law_case *c, tm_law_input *in, tm_law_rng *rng)
{
    int order[TM_MAX_NDIM] = {0}, n = in->tensor.ndim;
    for (int d = 0; d < n; d++)
        order[d] = d;
    for (int l = c->num_levels; l-- > 0;) {
        in->in_dim[l] = TM_NOT_MAPPED;
        if (!in->mapped[l])
            continue;
        int64_t way = tm_law_below(rng, 3);
        int at = (int)(way == 0 ? 0 : way == 1 ? n : tm_law_below(rng, n + 1));
        memmove(order + at + 1, order + at, (size_t)(n - at) * sizeof *order);
        order[at] = -1 - l;
        n++;
        in->in_dim[l] = tm_law_chance(rng, 40) ? at - n : at;
    }
    in->ndim = n;
    for (int d = 0; d < n; d++) {
        bool level = order[d] < 0;
        int which = level ? -1 - order[d] : order[d];
        in->shape[d] = level ? c->size[which] : in->tensor.shape[which];
        if (level)
            in->level_dim[which] = d;
        else
            in->logical_dim[which] = d;
    }
}

static void draw_constant_axis(tm_law_input *in, tm_law_rng *rng)
{
    tm_law_generator g = in->tensor.generator;
    if (in->written || in->tensor.literal || in->tensor.ndim == 0 || g == TM_LAW_SPD ||
        g == TM_LAW_PERM || !tm_law_chance(rng, 15))
        return;
    int axis = (int)tm_law_below(rng, in->tensor.ndim);
    if (in->tensor.shape[axis] > 1)
        in->constant_axis = axis;
}

/* Nests the dimensions `order`, outermost first, from the innermost one outwards. */
static void nest_dims(const tm_law_case *c, tm_law_input *in, const int *order, bool plain,
                      tm_law_rng *rng)
{
    int64_t step = 1;
    in->offset = plain ? 0 : tm_law_below(rng, 6);
    for (int k = in->ndim; k-- > 0;) {
        int d = order[k];
        bool constant = in->constant_axis >= 0 && in->logical_dim[in->constant_axis] == d;
        for (int l = 0; l < c->num_levels; l++)
            constant = constant || (in->mapped[l] && !in->varies[l] && in->level_dim[l] == d);
        in->strides[d] = 0;
        if (constant)
            continue;
        int64_t size = in->shape[d] > 0 ? in->shape[d] : 1;
        if (!plain && tm_law_chance(rng, 15))
            step += 1 + tm_law_below(rng, 2); /* a gap after each of what lies inside */
        in->strides[d] = step;
        if (!plain && tm_law_chance(rng, 25)) {
            in->strides[d] = -step;
            in->offset += (size - 1) * step;
        }
        step *= size;
    }
    int64_t front = plain ? 0 : in->offset;
    in->room = step + front + (plain ? 0 : tm_law_below(rng, 4));
}

static void draw_layout(tm_law_case *c, tm_law_input *in, tm_law_rng *rng)
{
    int order[TM_MAX_NDIM] = {0};
    place_dims(c, in, rng);
    draw_constant_axis(in, rng);
    for (int d = 0; d < in->ndim; d++)
        order[d] = d;
    bool plain = tm_law_chance(rng, 40);
    for (int d = in->ndim - 1; d > 0 && !plain; d--) {
        int other = (int)tm_law_below(rng, d + 1), swap = order[d];
        order[d] = order[other];
        order[other] = swap;
    }
    nest_dims(c, in, order, plain, rng);
}

/* The written tensor's memory: the same way through it, one dimension backwards, two of equal size
 * exchanged, or all of it some elements further on. */
static void alias_layout(tm_law_case *c, tm_law_input *in, tm_law_rng *rng)
{
    tm_law_input *out = &c->inputs[in->alias_of];
    in->ndim = out->ndim;
    in->offset = out->offset;
    memcpy(in->in_dim, out->in_dim, sizeof in->in_dim);
    memcpy(in->shape, out->shape, sizeof in->shape);
    memcpy(in->strides, out->strides, sizeof in->strides);
    memcpy(in->level_dim, out->level_dim, sizeof in->level_dim);
    memcpy(in->logical_dim, out->logical_dim, sizeof in->logical_dim);
    int64_t way = tm_law_below(rng, 4);
    int a = (int)tm_law_below(rng, in->ndim), b = (int)tm_law_below(rng, in->ndim);
    if (way == 1 && in->ndim > 0 && in->shape[a] > 0) {
        in->offset += (in->shape[a] - 1) * in->strides[a];
        in->strides[a] = -in->strides[a];
    } else if (way == 2 && in->ndim > 0) {
        for (int turn = 0; turn < in->ndim && (a == b || in->shape[a] != in->shape[b]); turn++)
            b = (b + 1) % in->ndim;
        if (in->shape[a] == in->shape[b]) {
            in->strides[a] = out->strides[b];
            in->strides[b] = out->strides[a];
        }
    } else if (way == 3 && in->tensor.dtype != TM_BOOL) {
        int64_t by = 1 + tm_law_below(rng, 3);
        in->offset += by;
        out->room += by;
    }
    in->room = out->room;
}

void tm_law_draw_layouts(tm_law_case *c)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->num_inputs; i++) {
            tm_law_rng rng = tm_law_rng_at(c->state, 100 + (uint64_t)i);
            bool shares = c->inputs[i].alias_of >= 0;
            if (pass == 0 && !shares)
                draw_layout(c, &c->inputs[i], &rng);
            else if (pass == 1 && shares)
                alias_layout(c, &c->inputs[i], &rng);
        }
}

/* -- Memory ------------------------------------------------------------------------------------ */

/* Copies elements between two layouts of one shape. */
static void copy_elements(size_t item, int ndim, const int64_t *shape, const int64_t *from_strides,
                          const int64_t *to_strides, const char *from, char *to)
{
    if (ndim == 0) {
        memcpy(to, from, item);
        return;
    }
    for (int64_t i = 0; i < *shape; i++) {
        copy_elements(item, ndim - 1, shape + 1, from_strides + 1, to_strides + 1, from, to);
        from += *from_strides * (int64_t)item;
        to += *to_strides * (int64_t)item;
    }
}

static void row_major_strides(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    for (int d = ndim; d-- > 0; step *= shape[d])
        strides[d] = step;
}

void tm_law_scatter(size_t item, int ndim, const int64_t *shape, const int64_t *strides,
                    const char *from, char *to)
{
    int64_t dense[TM_MAX_NDIM] = {0};
    row_major_strides(ndim, shape, dense);
    copy_elements(item, ndim, shape, dense, strides, from, to);
}

void tm_law_gather(size_t item, int ndim, const int64_t *shape, const int64_t *strides,
                   const char *from, char *to)
{
    int64_t dense[TM_MAX_NDIM] = {0};
    row_major_strides(ndim, shape, dense);
    copy_elements(item, ndim, shape, strides, dense, from, to);
}

/* Where the example at that index begins, in elements; the strides of its own dimensions. */
static int64_t find_example(const tm_law_case *c, const tm_law_input *in, const int64_t *index,
                            int64_t *strides)
{
    int64_t at = in->offset;
    for (int d = 0; d < in->tensor.ndim; d++)
        strides[d] = in->strides[in->logical_dim[d]];
    for (int l = 0; l < c->num_levels; l++)
        if (in->mapped[l])
            at += index[l] * in->strides[in->level_dim[l]];
    return at;
}

void tm_law_fill(const tm_law_case *c, const tm_law_input *in, char *block)
{
    size_t item = tm_dtype_size(in->tensor.dtype);
    int64_t strides[TM_MAX_NDIM] = {0}, count = 1, index[TM_LAW_LEVELS] = {0};
    for (int l = 0; l < c->num_levels; l++)
        count *= in->mapped[l] ? c->size[l] : 1;
    for (int64_t flat = 0; flat < count && in->tensor.numel > 0; flat++) {
        int64_t left = flat;
        for (int l = c->num_levels; l-- > 0;) {
            if (!in->mapped[l])
                continue;
            index[l] = left % c->size[l];
            left /= c->size[l];
        }
        int64_t at = find_example(c, in, index, strides);
        tm_law_scatter(item, in->tensor.ndim, in->tensor.shape, strides,
                       tm_law_data_at(c, in, index), block + at * (int64_t)item);
    }
}

void tm_law_read(const tm_law_case *c, const tm_law_input *in, const int64_t *index,
                 const char *block, char *to)
{
    size_t item = tm_dtype_size(in->tensor.dtype);
    int64_t strides[TM_MAX_NDIM] = {0}, at = find_example(c, in, index, strides);
    bool any = in->tensor.numel > 0;
    for (int l = 0; l < c->num_levels; l++)
        any = any && (!in->mapped[l] || c->size[l] > 0);
    if (any)
        tm_law_gather(item, in->tensor.ndim, in->tensor.shape, strides, block + at * (int64_t)item,
                      to);
}

bool tm_law_build(tm_law_case *c, tm_law_input *in)
{
    tm_dtype dtype = in->tensor.dtype;
    size_t size = (size_t)in->room * tm_dtype_size(dtype);
    if (in->alias_of >= 0) {
        const tm_law_input *out = &c->inputs[in->alias_of];
        in->base = out->base;
        in->block = out->block;
    } else if (in->source == TM_LAW_WRAPPED) {
        in->block = tm_law_alloc(c->arena, size);
    } else {
        in->base = tm_new(dtype, 1, &in->room);
        in->block = tm_mutable_data(in->base);
    }
    if (!in->block)
        return tm_law_problem(c, "no memory for %s could be made: %s", in->name,
                              tm_error_message());
    if (in->alias_of < 0) {
        memset(in->block, TM_LAW_FILLER, size);
        tm_law_fill(c, in, in->block);
    }
    if (in->source == TM_LAW_WRAPPED) {
        tm_wrap_options options = {.struct_size = sizeof options, .read_only = true};
        in->physical = tm_wrap(dtype, in->ndim, in->shape, in->strides,
                               in->block + in->offset * (int64_t)tm_dtype_size(dtype), &options);
    } else {
        in->physical = tm_strided_view(in->base, in->ndim, in->shape, in->strides, in->offset);
    }
    if (!in->physical)
        return tm_law_problem(c, "%s could not be laid out: %s", in->name, tm_error_message());
    if (in->made_at > 0)
        return true;
    in->snapshot = tm_law_alloc(c->arena, size);
    if (in->snapshot)
        memcpy(in->snapshot, in->block, size);
    return in->snapshot != NULL;
}
