/* convolution_direct_plan.c: how a direct convolution is cut into pieces, and the room it takes. */
#include "convolution_direct.h"

#include "dispatch/numbers.h"
#include "numeric.h"
#include <assert.h>

enum {
    MOST_EXAMPLES = 64,       /* that lie in the planes together */
    PLANE_BYTES = 512 << 10,  /* for the planes of one example, where it can be cut */
    SHARED_BYTES = 256 << 10, /* for those of several */
    MOST_POSITIONS = 8192,    /* of a piece, where it can be cut */
    MOST_BYTES = 16 << 20     /* beyond, other ways take no more time */
};

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
    assert(a >= 1 && b >= 1);
    return a > most / b ? most : a * b;
}

bool tm_direct_plan_make(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                         const tm_tensor *bias, tm_direct_plan *p)
{
    const tm_window *w = &c->window;
    assert(w->dims >= 1 && w->dims <= TM_WINDOW_DIMS);
    *p = (tm_direct_plan){.dtype = tm_computed_in(tm_dtype_of(x)), .cut = TM_WINDOW_DIMS - w->dims};
    if (c->transposed || tm_dtype_kind(p->dtype) != TM_KIND_FLOAT)
        return false;
    p->item = (int64_t)tm_dtype_size(p->dtype);
    p->rows = c->out_channels / c->groups;
    p->channels = c->channels / c->groups;
    const int64_t most = MOST_BYTES / p->item;
    int64_t beyond[TM_WINDOW_DIMS] = {0}, planes = p->channels;
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
    const int cut = TM_WINDOW_DIMS - w->dims;
    /* Cut where the planes of one example are too large, to pieces as large as can be. */
    p->piece = w->out[cut];
    const int64_t all = product_up_to(planes, p->volume, most);
    int64_t room = PLANE_BYTES / p->item / planes;
    room = tm_smaller(room, MOST_POSITIONS);
    if (all > room * planes) {
        int64_t across = 1;
        for (int d = cut + 1; d < TM_WINDOW_DIMS; d++)
            across = product_up_to(across, p->size[d], most);
        const int64_t rows = room / across - beyond[cut], few = w->dims == 1 ? TM_DIRECT_STRIP : 1;
        const int64_t most_of = rows > few ? rows : few;
        const int64_t pieces = (p->piece - 1) / most_of + 1;
        p->piece = (p->piece - 1) / pieces + 1;
        p->size[cut] = product_up_to(p->piece + tm_smaller(beyond[cut], most), 1, most);
        p->volume = 1;
        for (int d = 0; d < TM_WINDOW_DIMS; d++)
            p->volume = product_up_to(p->volume, p->size[d], most);
    }
    p->examples = 1;
    if (p->piece == w->out[cut]) {
        p->examples =
            tm_smaller(TM_DIRECT_STRIP / p->volume, SHARED_BYTES / p->item / planes / p->volume);
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
    const int64_t row = cut == 2 ? p->piece : w->out[2];
    p->direct = p->dtype == tm_dtype_of(x) && row >= p->lanes &&
                (row + p->lanes - 1) / p->lanes * p->lanes <= row + row / 4;
    const int64_t strip = (tm_smaller(TM_DIRECT_STRIP, p->plane) + TM_DIRECT_STRIP_STEP) /
                          TM_DIRECT_STRIP_STEP * TM_DIRECT_STRIP_STEP;
    const int64_t rows = p->plane / p->size[2] + p->plane / TM_DIRECT_STRIP + 2;
    const int64_t places = p->direct ? rows * ((row + p->lanes - 1) / p->lanes) : strip / p->lanes;
    p->places = tm_window_bytes(TM_UINT8, 2, (int64_t[]){places, (int64_t)sizeof(tm_tap_place)});
    if (!p->direct) {
        p->sums = tm_window_bytes(p->dtype, 2, (int64_t[]){TM_DIRECT_ROWS, strip + TM_TAP_LANES});
        p->list = tm_window_bytes(TM_UINT8, 2, (int64_t[]){rows, (int64_t)sizeof(tm_sums_row)});
    }
    return true;
}

bool tm_convolution_is_direct(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                              const tm_tensor *bias, size_t *workspace)
{
    tm_direct_plan p;
    if (!tm_direct_plan_make(c, x, weight, bias, &p))
        return false;
    *workspace = p.offsets + p.weight + p.bias + p.planes + p.places + p.sums + p.list;
    return true;
}
