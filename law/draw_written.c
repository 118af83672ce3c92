/* draw_written.c: where written tensors are made and mapped, and whose memory they share.
 *
 * A written tensor is the caller's, made outside all levels, or made after some levels were opened:
 * then it has no dimension at those, and writing mapped values into it gives each example its own
 * copy. Not mapped at a level inside which it was not made, it must be refused.
 */
#include "law/case.h"

static void draw_place(tm_law_case *c, tm_law_input *in, tm_law_rng *rng)
{
    in->made_at = tm_law_chance(rng, 35) ? (int)tm_law_below(rng, c->num_levels + 1) : 0;
    in->by_alias = tm_law_chance(rng, 30);
    for (int l = 0; l < c->num_levels; l++) {
        bool others = false;
        for (int i = 0; i < c->num_inputs; i++)
            others = others || (!c->inputs[i].written && c->inputs[i].mapped[l]);
        in->mapped[l] = l >= in->made_at && tm_law_chance(rng, others ? 94 : 30);
        in->varies[l] = in->mapped[l];
    }
}

static bool same_tensor(const tm_law_tensor *a, const tm_law_tensor *b)
{
    bool same = a->dtype == b->dtype && a->ndim == b->ndim;
    for (int d = 0; same && d < a->ndim; d++)
        same = a->shape[d] == b->shape[d];
    return same;
}

/* Lets an input of the same dtype and shape lie in the written tensor's memory. */
static void draw_alias(tm_law_case *c, int written, tm_law_rng *rng)
{
    tm_law_input *out = &c->inputs[written];
    int candidates = 0;
    for (int i = 0; i < c->num_inputs; i++)
        candidates += !c->inputs[i].written && same_tensor(&c->inputs[i].tensor, &out->tensor);
    if (candidates == 0 || out->tensor.numel == 0 || !tm_law_chance(rng, 20))
        return;
    int64_t left = tm_law_below(rng, candidates);
    int at = 0;
    while (c->inputs[at].written || !same_tensor(&c->inputs[at].tensor, &out->tensor) || left-- > 0)
        at++;
    tm_law_input *in = &c->inputs[at];
    out->made_at = 0;
    out->by_alias = false;
    for (int l = 0; l < c->num_levels; l++)
        out->mapped[l] = out->varies[l] = in->varies[l] = in->mapped[l];
    if (tm_op_num_params(c->op) > c->sample->num_args)
        out->tensor = in->tensor; /* it is written only: what it holds first is the input's */
    in->alias_of = written;
}

void tm_law_draw_written(tm_law_case *c, tm_law_rng *rng)
{
    int written = -1;
    for (int i = c->num_inputs; i-- > 0;) {
        if (!c->inputs[i].written)
            continue;
        draw_place(c, &c->inputs[i], rng);
        written = i;
    }
    if (written >= 0)
        draw_alias(c, written, rng);
}
