/* convolution_direct_planes.c: the planes of a direct convolution, and where its taps lie in them.
 */
#include "convolution_direct.h"
#include "dispatch/numbers.h"

/* The part of a slot's plane along an axis that elements lie in, and the first element's index. */
typedef struct covered {
    int64_t begin, end, element;
} covered;

static covered covered_part(const tm_direct_work *k, int d, int64_t slot, int64_t begin,
                            int64_t size)
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

static void pack_rows(const tm_direct_work *k, const char *from, int64_t from_row, char *to,
                      int64_t rows, int64_t n)
{
    const tm_direct_plan *p = k->p;
    const int64_t step = k->x_step[2] * k->c->window.stride[2], to_row = p->size[2] * p->item;
    if (k->x_dtype == p->dtype && (step == p->item || n == 1)) {
        tm_rows_pack(p->dtype, from, from_row, to, to_row, rows, n);
        return;
    }
    const tm_cast_fn cast = tm_cast(k->x_dtype, p->dtype);
    for (int64_t i = 0; i < rows; i++)
        cast(from + i * from_row, step, to + i * to_row, p->item, n);
}

void tm_direct_pack(const tm_direct_work *k, const tm_direct_piece *s, int64_t group)
{
    const tm_direct_plan *p = k->p;
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

/* Slots, then channels, then examples are the planes. */
void tm_direct_find_taps(const tm_direct_work *k)
{
    const tm_direct_plan *p = k->p;
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
