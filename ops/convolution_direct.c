/* convolution_direct.c: convolutions of real numbers as sums over taps.
 *
 * The channels of a group are copied, zeros around them, into planes in which every tap lies at one
 * distance from every position: along an axis of stride s, those elements that one tap can meet,
 * each s-th, lie side by side in a plane of their own (a slot). So the products of a tap are those
 * of one number with a run of elements. Positions are counted through the planes; between the rows
 * of the result there are some that mean nothing, whose sums are not used.
 *
 * A sum is taken in the order of channels and taps, and the bias is added to it. Which positions,
 * examples or rows are computed together changes no bit.
 */
#include <string.h>

#include "complex_numbers.h"
#include "convolution.h"
#include "convolution_tiles.h"
#include "dispatch/numbers.h"
#include "loops.h"
#include "numeric.h"
#include "steps.h"

enum {
    STRIP = 768,              /* positions whose sums are taken before those of other channels */
    STRIP_STEP = 48,          /* divides it: positions that are computed together, or a multiple */
    MOST_ROWS = 8,            /* channels, likewise */
    MOST_EXAMPLES = 64,       /* that lie in the planes together */
    PLANE_BYTES = 512 << 10,  /* for the planes of one example, where it can be cut */
    SHARED_BYTES = 256 << 10, /* for those of several */
    MOST_POSITIONS = 8192,    /* of a piece, where it can be cut */
    MOST_BYTES = 16 << 20,    /* beyond, other ways take no more time */
    MAX_LOOPS = TM_MAX_LEVELS + TM_MAX_NDIM + 1
};

/* How it is computed, by the logical shapes alone; but `lanes` and `direct`, which change no bit.
 */
typedef struct plan {
    tm_dtype dtype;                /* that is computed in */
    int64_t item;                  /* its size */
    int64_t rows, channels, taps;  /* of a group: output channels, input channels, taps of both */
    int64_t slots[TM_WINDOW_DIMS]; /* planes along each axis */
    int64_t size[TM_WINDOW_DIMS];  /* of a plane */
    int64_t volume, plane;         /* elements of a plane: of one example, of all */
    int cut;                       /* the axis that is cut into pieces */
    int64_t piece;                 /* output positions of a piece along it */
    int64_t examples;
    int64_t lanes;
    bool direct; /* the rows of the result are long enough to be written as they are computed */
    size_t offsets, weight, bias, planes, places, sums,
        list; /* bytes of the workspace, in this order */
} plan;

static int64_t divisor_of_both(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* a * b, or `most` where that is less; both >= 1. */
static int64_t product_up_to(int64_t a, int64_t b, int64_t most)
{
    return a > most / b ? most : a * b;
}

static bool make_plan(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                      const tm_tensor *bias, plan *p)
{
    const tm_window *w = &c->window;
    *p = (plan){.dtype = tm_computed_in(tm_dtype_of(x)), .cut = TM_WINDOW_DIMS - w->dims};
    if (c->transposed || tm_dtype_kind(p->dtype) != TM_KIND_FLOAT)
        return false;
    p->item = (int64_t)tm_dtype_size(p->dtype);
    p->rows = c->out_channels / c->groups;
    p->channels = c->channels / c->groups;
    const int64_t most = MOST_BYTES / p->item;
    int64_t beyond[TM_WINDOW_DIMS], planes = p->channels;
    p->volume = 1;
    p->taps = p->channels;
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        p->slots[d] =
            tm_smaller(w->kernel[d], w->stride[d] / divisor_of_both(w->dilation[d], w->stride[d]));
        beyond[d] = (w->kernel[d] - 1) * w->dilation[d] / w->stride[d];
        p->size[d] = beyond[d] > most - w->out[d] ? most : w->out[d] + beyond[d];
        p->taps = product_up_to(p->taps, w->kernel[d], most);
        planes = product_up_to(planes, p->slots[d], most);
        p->volume = product_up_to(p->volume, p->size[d], most);
    }
    /* Cut where the planes of one example are too large, to pieces as large as can be. */
    p->piece = w->out[p->cut];
    const int64_t all = product_up_to(planes, p->volume, most);
    int64_t room = PLANE_BYTES / p->item / planes;
    room = tm_smaller(room, MOST_POSITIONS);
    if (all > room * planes) {
        int64_t across = 1;
        for (int d = p->cut + 1; d < TM_WINDOW_DIMS; d++)
            across = product_up_to(across, p->size[d], most);
        const int64_t rows = room / across - beyond[p->cut], few = w->dims == 1 ? STRIP : 1;
        const int64_t most_of = rows > few ? rows : few;
        const int64_t pieces = (p->piece - 1) / most_of + 1;
        p->piece = (p->piece - 1) / pieces + 1;
        p->size[p->cut] = product_up_to(p->piece + tm_smaller(beyond[p->cut], most), 1, most);
        p->volume = 1;
        for (int d = 0; d < TM_WINDOW_DIMS; d++)
            p->volume = product_up_to(p->volume, p->size[d], most);
    }
    p->examples = 1;
    if (p->piece == w->out[p->cut]) {
        p->examples = tm_smaller(STRIP / p->volume, SHARED_BYTES / p->item / planes / p->volume);
        p->examples = p->examples < 1 ? 1 : tm_smaller(p->examples, MOST_EXAMPLES);
    }
    p->plane = p->examples * p->volume;
    p->offsets = tm_window_bytes(TM_INT32, 1, &p->taps);
    p->planes = tm_window_bytes(p->dtype, 2, (int64_t[]){planes, p->plane}) +
                (size_t)(TM_TAP_LANES * p->item);
    if (p->planes > MOST_BYTES || p->offsets > MOST_BYTES)
        return false;
    if (!tm_is_ready(weight, p->dtype))
        p->weight = tm_window_bytes(p->dtype, 2, (int64_t[]){c->out_channels, p->taps});
    if (bias != TM_NONE && !tm_is_ready(bias, p->dtype))
        p->bias = tm_window_bytes(p->dtype, 1, &c->out_channels);
    p->lanes = tm_tap_lanes(p->dtype);
    const int64_t row = p->cut == 2 ? p->piece : w->out[2];
    p->direct = p->dtype == tm_dtype_of(x) && row >= p->lanes &&
                (row + p->lanes - 1) / p->lanes * p->lanes <= row + row / 4;
    const int64_t strip = (tm_smaller(STRIP, p->plane) + STRIP_STEP) / STRIP_STEP * STRIP_STEP;
    const int64_t rows = p->plane / p->size[2] + p->plane / STRIP + 2;
    const int64_t places = p->direct ? rows * ((row + p->lanes - 1) / p->lanes) : strip / p->lanes;
    p->places = tm_window_bytes(TM_UINT8, 2, (int64_t[]){places, (int64_t)sizeof(tm_tap_place)});
    if (!p->direct) {
        p->sums = tm_window_bytes(p->dtype, 2, (int64_t[]){MOST_ROWS, strip + TM_TAP_LANES});
        p->list = tm_window_bytes(TM_UINT8, 2, (int64_t[]){rows, (int64_t)sizeof(tm_sums_row)});
    }
    return true;
}

bool tm_convolution_is_direct(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                              const tm_tensor *bias, size_t *workspace)
{
    plan p;
    if (!make_plan(c, x, weight, bias, &p))
        return false;
    *workspace = p.offsets + p.weight + p.bias + p.planes + p.places + p.sums + p.list;
    return true;
}

/* -- Planes -------------------------------------------------------------------------------------
 */

/* What the kernel works on. */
typedef struct work {
    const tm_convolution *c;
    const plan *p;
    const tm_tensor *x, *weight, *bias;
    const char *weight_from, *bias_from; /* those of the examples that are computed */
    const char *weight_data, *bias_data; /* row-major in the dtype that is computed in, or NULL */
    tm_dtype x_dtype, out_dtype;
    int64_t x_channel, x_step[TM_WINDOW_DIMS]; /* bytes from one to the next */
    int32_t *offset;
    char *weight_room, *bias_room, *planes, *sums;
    tm_tap_place *places;
    tm_sums_row *list; /* in the order of `from`; no row lies in two strips */
    int64_t num_places, num_rows;
    int64_t listed; /* how many examples these are of */
} work;

/* Several examples of equal steps in bytes, and where along the axis that is cut their positions
 * begin. */
typedef struct piece {
    const char *x;
    char *out;
    int64_t x_step, out_step, examples;
    int64_t begin;
} piece;

/* The part of a slot's plane along an axis that elements lie in, and the first element's index. */
typedef struct covered {
    int64_t begin, end, element;
} covered;

static covered covered_part(const work *k, int d, int64_t slot, int64_t begin, int64_t size)
{
    const tm_window *w = &k->c->window;
    const int64_t stride = w->stride[d], first = slot * w->dilation[d] % stride - w->padding[d];
    /* The plane's element i is x's first + (begin + i) * stride. */
    covered r = {.begin = first < 0 ? (-first - 1) / stride + 1 - begin : -begin, .end = 0};
    if (w->in[d] > first)
        r.end = (w->in[d] - 1 - first) / stride + 1 - begin;
    r.begin = r.begin < 0 ? 0 : r.begin;
    r.end = tm_smaller(r.end, size);
    r.element = first + (begin + r.begin) * stride;
    return r;
}

static void pack_rows(const work *k, const char *from, int64_t from_row, char *to, int64_t rows,
                      int64_t n)
{
    const plan *p = k->p;
    const int64_t step = k->x_step[2] * k->c->window.stride[2], to_row = p->size[2] * p->item;
    if (k->x_dtype == p->dtype && (step == p->item || n == 1)) {
        tm_rows_pack(p->dtype, from, from_row, to, to_row, rows, n);
        return;
    }
    const tm_cast_fn cast = tm_cast(k->x_dtype, p->dtype);
    for (int64_t i = 0; i < rows; i++)
        cast(from + i * from_row, step, to + i * to_row, p->item, n);
}

/* The channels of a group. What is outside of x stays as it is: zeros. */
static void pack(const work *k, const piece *s, int64_t group)
{
    const plan *p = k->p;
    const tm_window *w = &k->c->window;
    const int64_t *slots = p->slots;
    char *to = k->planes;
    int64_t begin[TM_WINDOW_DIMS] = {0}, slot[TM_WINDOW_DIMS] = {0};
    begin[p->cut] = s->begin;
    const char *x = s->x + group * p->channels * k->x_channel;
    for (; slot[0] < slots[0]; slot[0]++)
        for (slot[1] = 0; slot[1] < slots[1]; slot[1]++)
            for (slot[2] = 0; slot[2] < slots[2]; slot[2]++) {
                covered part[TM_WINDOW_DIMS];
                int64_t from_at = 0, to_at = 0;
                bool any = true;
                for (int d = 0; d < TM_WINDOW_DIMS; d++) {
                    part[d] = covered_part(k, d, slot[d], begin[d], p->size[d]);
                    any = any && part[d].begin < part[d].end;
                    from_at += any ? part[d].element * k->x_step[d] : 0;
                    to_at = to_at * p->size[d] + part[d].begin;
                }
                for (int64_t c = 0; c < p->channels; c++, to += p->plane * p->item)
                    for (int64_t e = 0; e < s->examples; e++)
                        for (int64_t z = part[0].begin; any && z < part[0].end; z++) {
                            const int64_t plane = z - part[0].begin;
                            pack_rows(
                                k,
                                x + c * k->x_channel + e * s->x_step + from_at +
                                    plane * w->stride[0] * k->x_step[0],
                                w->stride[1] * k->x_step[1],
                                to + (e * p->volume + to_at + plane * p->size[1] * p->size[2]) *
                                         p->item,
                                part[1].end - part[1].begin, part[2].end - part[2].begin);
                        }
            }
}

/* Where each tap lies from a position: slots, then channels, then examples are the planes. */
static void find_taps(const work *k)
{
    const plan *p = k->p;
    const tm_window *w = &k->c->window;
    const int64_t *kernel = w->kernel;
    int64_t t = 0;
    for (int64_t c = 0; c < p->channels; c++)
        for (int64_t a = 0; a < kernel[0]; a++)
            for (int64_t b = 0; b < kernel[1]; b++)
                for (int64_t d = 0; d < kernel[2]; d++, t++) {
                    const int64_t tap[] = {a, b, d};
                    int64_t slot = 0, at = 0;
                    for (int i = 0; i < TM_WINDOW_DIMS; i++) {
                        slot = slot * p->slots[i] + tap[i] % p->slots[i];
                        at = at * p->size[i] + tap[i] * w->dilation[i] / w->stride[i];
                    }
                    k->offset[t] = (int32_t)((slot * p->channels + c) * p->plane + at);
                }
}

/* -- Sums ---------------------------------------------------------------------------------------
 */

/* Lists a row of the result, n elements at `to`, whose positions begin at `at`: for writing its
 * sums in place; the last positions of two places overlap. */
static void list_places(work *k, int64_t at, int64_t to, int64_t n)
{
    const int64_t lanes = k->p->lanes;
    for (int64_t i = 0; i < n; i += lanes) {
        const int64_t skip = i + lanes > n ? n - lanes : i;
        k->places[k->num_places++] = (tm_tap_place){at + skip, to + skip};
    }
}

/* The same for copying sums, cut where a strip ends, joined with what it continues. */
static void list_parts(work *k, int64_t at, int64_t to, int64_t n, int64_t strip)
{
    while (n > 0) {
        const int64_t part = tm_smaller(n, strip - at % strip);
        tm_sums_row *last = k->list + k->num_rows - 1;
        if (k->num_rows > 0 && last->from + last->n == at && last->to + last->n == to && at % strip)
            last->n += part;
        else
            k->list[k->num_rows++] = (tm_sums_row){at, part, to};
        at += part;
        to += part;
        n -= part;
    }
}

static void list_rows(work *k, const piece *s, int64_t strip)
{
    const plan *p = k->p;
    const int64_t *size = k->c->window.out, pitch = size[2], plane = size[1] * size[2];
    const int64_t out_item = (int64_t)tm_dtype_size(k->out_dtype);
    int64_t out[TM_WINDOW_DIMS];
    if (k->listed == s->examples)
        return;
    k->listed = s->examples;
    memcpy(out, size, sizeof out);
    out[p->cut] = p->piece;
    k->num_places = k->num_rows = 0;
    for (int64_t e = 0; e < s->examples; e++)
        for (int64_t z = 0; z < out[0]; z++)
            for (int64_t y = 0; y < out[1]; y++) {
                const int64_t at = e * p->volume + (z * p->size[1] + y) * p->size[2];
                const int64_t to = (e ? e * s->out_step / out_item : 0) + z * plane + y * pitch;
                if (p->direct)
                    list_places(k, at, to, out[2]);
                else
                    list_parts(k, at, to, out[2], strip);
            }
}
static void spread(const work *k, const char *sums, const tm_sums_row *rows, int64_t num, char *to)
{
    const tm_dtype dtype = k->p->dtype;
    if (k->out_dtype == dtype) {
        tm_sums_spread(dtype, sums, rows, num, to);
        return;
    }
    const int64_t item = k->p->item, out_item = (int64_t)tm_dtype_size(k->out_dtype);
    const tm_cast_fn cast = tm_cast(dtype, k->out_dtype);
    for (int64_t i = 0; i < num; i++)
        cast(sums + rows[i].from * item, item, to + rows[i].to * out_item, out_item, rows[i].n);
}

/* In place. */
static void convolve_direct(const work *k, tm_tap_sums *t, char *to, int64_t out_plane)
{
    const int64_t most = STRIP / k->p->lanes, rows = t->rows, item = k->p->item;
    const char *weight = t->weight, *bias = t->bias;
    t->step = out_plane;
    for (int64_t at = 0; at < k->num_places; at += most) {
        t->place = k->places + at;
        t->count = tm_smaller(most, k->num_places - at);
        for (int64_t r = 0; r < rows; r += MOST_ROWS) {
            t->rows = tm_smaller(MOST_ROWS, rows - r);
            t->weight = weight + r * t->taps * item;
            t->bias = bias ? bias + r * item : NULL;
            t->to = to + r * out_plane * item;
            tm_tap_sums_run(k->p->dtype, t);
        }
    }
}

/* By way of strips of sums. */
static void convolve_strips(const work *k, tm_tap_sums *t, int64_t count, int64_t strip, char *to,
                            int64_t out_plane)
{
    const plan *p = k->p;
    const int64_t rows = t->rows, out_item = (int64_t)tm_dtype_size(k->out_dtype);
    const char *weight = t->weight, *bias = t->bias, *x = t->x;
    const tm_sums_row *list = k->list, *end = list + k->num_rows, *next = list;
    t->step = strip + TM_TAP_LANES;
    t->to = k->sums;
    t->place = k->places;
    for (int64_t at = 0; at < count; at += strip, list = next) {
        t->x = x + at * p->item;
        t->count = (tm_smaller(strip, count - at) + p->lanes - 1) / p->lanes;
        while (next < end && next->from < at + strip)
            next++;
        for (int64_t r = 0; r < rows; r += MOST_ROWS) {
            t->rows = tm_smaller(MOST_ROWS, rows - r);
            t->weight = weight + r * t->taps * p->item;
            t->bias = bias ? bias + r * p->item : NULL;
            tm_tap_sums_run(p->dtype, t);
            for (int64_t i = 0; i < t->rows; i++) {
                const char *sums = k->sums + (i * t->step - at) * p->item;
                char *row = to + (r + i) * out_plane * out_item;
                spread(k, sums, list, next - list, row);
            }
        }
    }
}

static void convolve_piece(work *k, const piece *s)
{
    const plan *p = k->p;
    const int64_t *size = k->c->window.out, plane = size[0] * size[1] * size[2];
    const int64_t out_item = (int64_t)tm_dtype_size(k->out_dtype);
    int64_t out[TM_WINDOW_DIMS], begin[TM_WINDOW_DIMS] = {0};
    memcpy(out, size, sizeof out);
    out[p->cut] = p->piece;
    begin[p->cut] = s->begin;
    const int64_t count = (s->examples - 1) * p->volume +
                          ((out[0] - 1) * p->size[1] + out[1] - 1) * p->size[2] + out[2];
    const int64_t strips = (count + STRIP - 1) / STRIP;
    const int64_t strip =
        ((count + strips - 1) / strips + STRIP_STEP - 1) / STRIP_STEP * STRIP_STEP;
    const int64_t first = (begin[0] * size[1] + begin[1]) * size[2] + begin[2];
    list_rows(k, s, strip);
    for (int64_t group = 0; group < k->c->groups; group++) {
        const int64_t row = group * p->rows;
        char *to = s->out + (row * plane + first) * out_item;
        tm_tap_sums t = {.weight = k->weight_data + row * p->taps * p->item,
                         .x = k->planes,
                         .bias = k->bias_data ? k->bias_data + row * p->item : NULL,
                         .offset = k->offset,
                         .rows = p->rows,
                         .taps = p->taps};
        pack(k, s, group);
        if (p->direct)
            convolve_direct(k, &t, to, plane);
        else
            convolve_strips(k, &t, count, strip, to, plane);
    }
}

/* -- Examples -----------------------------------------------------------------------------------
 */

/* One loop over examples: its size, and steps in bytes. */
typedef struct loop {
    int64_t size, x, weight, bias, out;
} loop;

/* `count` examples that share weight and bias. */
static void convolve_examples(work *k, const char *x, char *out, const loop *l, int64_t count)
{
    const plan *p = k->p;
    const int64_t positions = k->c->window.out[p->cut];
    piece s = {.x = x, .out = out, .x_step = l->x, .out_step = l->out};
    for (int64_t i = 0; i < count; i += s.examples) {
        s.examples = tm_smaller(p->examples, count - i);
        s.x = x + i * l->x;
        s.out = out + i * l->out;
        for (int64_t begin = 0; begin < positions; begin += p->piece) {
            s.begin = tm_smaller(begin, positions - p->piece); /* the last two may overlap */
            if (p->piece < positions)
                memset(k->planes, 0, p->planes);
            convolve_piece(k, &s);
        }
    }
}

static void use_weight(work *k, const char *weight, const char *bias)
{
    if (weight != k->weight_from)
        k->weight_data = tm_ready(k->weight, weight, k->p->dtype, k->weight_room);
    if (bias && bias != k->bias_from)
        k->bias_data = tm_ready(k->bias, bias, k->p->dtype, k->bias_room);
    k->weight_from = weight;
    k->bias_from = bias;
}

static void run_loops(work *k, int num, const loop *l, const char *x, const char *weight,
                      const char *bias, char *out)
{
    if (num > 1 || l->weight || l->bias) {
        for (int64_t i = 0; i < l->size; i++)
            if (num > 1) {
                run_loops(k, num - 1, l + 1, x + i * l->x, weight + i * l->weight,
                          bias ? bias + i * l->bias : NULL, out + i * l->out);
            } else {
                use_weight(k, weight + i * l->weight, bias ? bias + i * l->bias : NULL);
                convolve_examples(k, x + i * l->x, out + i * l->out, l, 1);
            }
        return;
    }
    use_weight(k, weight, bias);
    convolve_examples(k, x, out, l, l->size);
}

/* The batch's loops, then the one over x's own batch. */
static int loops_of(const work *k, const tm_batch *batch, loop *loops)
{
    const int64_t *out = k->c->window.out;
    const int64_t bytes =
        k->c->out_channels * out[0] * out[1] * out[2] * (int64_t)tm_dtype_size(k->out_dtype);
    int num = 0;
    for (int i = 0; batch && i < batch->ndim; i++) {
        const int64_t *step = batch->step + i * batch->num_operands;
        if (batch->size[i] > 1)
            loops[num++] = (loop){batch->size[i], step[0], step[1],
                                  k->bias == TM_NONE ? 0 : step[2], step[batch->num_operands - 1]};
    }
    if (num == 0 || k->c->batch != 1)
        loops[num++] = (loop){k->c->batch, tm_axis_step(k->x, 0), 0, 0, bytes};
    return num;
}

bool tm_convolution_direct(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                           const tm_tensor *bias, tm_tensor *out, const tm_batch *batch)
{
    const tm_convolution *c = tm_params(call, sizeof *c);
    plan p;
    if (!make_plan(c, x, weight, bias, &p))
        return false;
    work k = {.c = c, .p = &p, .x = x, .weight = weight, .bias = bias};
    char *memory = tm_workspace(call);
    k.offset = (int32_t *)(void *)memory;
    k.weight_room = memory + p.offsets;
    k.bias_room = k.weight_room + p.weight;
    k.planes = k.bias_room + p.bias;
    k.places = (tm_tap_place *)(void *)(k.planes + p.planes);
    k.sums = k.planes + p.planes + p.places;
    k.list = (tm_sums_row *)(void *)(k.sums + p.sums);
    k.x_dtype = tm_dtype_of(x);
    k.out_dtype = tm_dtype_of(out);
    const int first = tm_ndim(x) - c->window.dims - 1;
    k.x_channel = tm_axis_step(x, first);
    for (int d = 0; d < c->window.dims; d++)
        k.x_step[TM_WINDOW_DIMS - c->window.dims + d] = tm_axis_step(x, first + 1 + d);
    memset(k.planes, 0, p.planes);
    find_taps(&k);
    for (int64_t i = 0; !p.direct && i < (int64_t)(p.places / sizeof *k.places); i++)
        k.places[i] = (tm_tap_place){i * p.lanes, i * p.lanes};
    loop loops[MAX_LOOPS];
    const int num = loops_of(&k, batch, loops);
    run_loops(&k, num, loops, tm_data(x), tm_data(weight), bias == TM_NONE ? NULL : tm_data(bias),
              tm_mutable_data(out));
    return true;
}
