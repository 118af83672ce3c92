/* convolution_direct.c: the sums of a direct convolution (convolution_direct.h), and the loops over
 * its examples.
 */
#include <string.h>

#include "convolution_direct.h"
#include "dispatch/numbers.h"
#include "numeric.h"
#include "steps.h"

enum { MAX_LOOPS = TM_MAX_LEVELS + TM_MAX_NDIM + 1 };

/* -- Sums ---------------------------------------------------------------------------------------
 */

/* Lists a row of the result, n elements at `to`, whose positions begin at `at`: for writing its
 * sums in place; the last positions of two places overlap. */
static void list_places(tm_direct_work *k, int64_t at, int64_t to, int64_t n)
{
    const int64_t lanes = k->p->lanes;
    for (int64_t i = 0; i < n; i += lanes) {
        const int64_t skip = i + lanes > n ? n - lanes : i;
        k->places[k->num_places++] = (tm_tap_place){at + skip, to + skip};
    }
}

/* The same for copying sums, cut where a strip ends, joined with what it continues. */
static void list_parts(tm_direct_work *k, int64_t at, int64_t to, int64_t n, int64_t strip)
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

static void list_rows(tm_direct_work *k, const tm_direct_piece *s, int64_t strip)
{
    const tm_direct_plan *p = k->p;
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
static void spread(const tm_direct_work *k, const char *sums, const tm_sums_row *rows, int64_t num,
                   char *to)
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
static void convolve_direct(const tm_direct_work *k, tm_tap_sums *t, char *to, int64_t out_plane)
{
    const int64_t most = TM_DIRECT_STRIP / k->p->lanes, rows = t->rows, item = k->p->item;
    const char *weight = t->weight, *bias = t->bias;
    t->step = out_plane;
    for (int64_t at = 0; at < k->num_places; at += most) {
        t->place = k->places + at;
        t->count = tm_smaller(most, k->num_places - at);
        for (int64_t r = 0; r < rows; r += TM_DIRECT_ROWS) {
            t->rows = tm_smaller(TM_DIRECT_ROWS, rows - r);
            t->weight = weight + r * t->taps * item;
            t->bias = bias ? bias + r * item : NULL;
            t->to = to + r * out_plane * item;
            tm_tap_sums_run(k->p->dtype, t);
        }
    }
}

/* By way of strips of sums. */
static void convolve_strips(const tm_direct_work *k, tm_tap_sums *t, int64_t count, int64_t strip,
                            char *to, int64_t out_plane)
{
    const tm_direct_plan *p = k->p;
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
        for (int64_t r = 0; r < rows; r += TM_DIRECT_ROWS) {
            t->rows = tm_smaller(TM_DIRECT_ROWS, rows - r);
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

static void convolve_piece(tm_direct_work *k, const tm_direct_piece *s)
{
    const tm_direct_plan *p = k->p;
    const int64_t *size = k->c->window.out, plane = size[0] * size[1] * size[2];
    const int64_t out_item = (int64_t)tm_dtype_size(k->out_dtype);
    int64_t out[TM_WINDOW_DIMS], begin[TM_WINDOW_DIMS] = {0};
    memcpy(out, size, sizeof out);
    out[p->cut] = p->piece;
    begin[p->cut] = s->begin;
    const int64_t count = (s->examples - 1) * p->volume +
                          ((out[0] - 1) * p->size[1] + out[1] - 1) * p->size[2] + out[2];
    const int64_t strips = (count + TM_DIRECT_STRIP - 1) / TM_DIRECT_STRIP;
    const int64_t strip = ((count + strips - 1) / strips + TM_DIRECT_STRIP_STEP - 1) /
                          TM_DIRECT_STRIP_STEP * TM_DIRECT_STRIP_STEP;
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
        tm_direct_pack(k, s, group);
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
static void convolve_examples(tm_direct_work *k, const char *x, char *out, const loop *l,
                              int64_t count)
{
    const tm_direct_plan *p = k->p;
    const int64_t positions = k->c->window.out[p->cut];
    tm_direct_piece s = {.x = x, .out = out, .x_step = l->x, .out_step = l->out};
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

static void use_weight(tm_direct_work *k, const char *weight, const char *bias)
{
    if (weight != k->weight_from)
        k->weight_data = tm_ready(k->weight, weight, k->p->dtype, k->weight_room);
    if (bias && bias != k->bias_from)
        k->bias_data = tm_ready(k->bias, bias, k->p->dtype, k->bias_room);
    k->weight_from = weight;
    k->bias_from = bias;
}

static void run_loops(tm_direct_work *k, int num, const loop *l, const char *x, const char *weight,
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
static int loops_of(const tm_direct_work *k, const tm_batch *batch, loop *loops)
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
    tm_direct_plan p;
    if (!tm_direct_plan_make(c, x, weight, bias, &p))
        return false;
    tm_direct_work k = {.c = c, .p = &p, .x = x, .weight = weight, .bias = bias};
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
    tm_direct_find_taps(&k);
    for (int64_t i = 0; !p.direct && i < (int64_t)(p.places / sizeof *k.places); i++)
        k.places[i] = (tm_tap_place){i * p.lanes, i * p.lanes};
    loop loops[MAX_LOOPS];
    const int num = loops_of(&k, batch, loops);
    run_loops(&k, num, loops, tm_data(x), tm_data(weight), bias == TM_NONE ? NULL : tm_data(bias),
              tm_mutable_data(out));
    return true;
}
