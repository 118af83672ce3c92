/* draw.c: drawing a case: levels, who is mapped where, and the conditions of the run. */
#include "law/case.h"

enum {
    MOST_EXAMPLES = 600,
    MOST_ELEMENTS = 1 << 17,
    THREADED_ELEMENTS = 70000,
    ONE_PIECE = 4096 /* elements that any cache holds */
};

static int64_t draw_size(tm_law_rng *rng)
{
    static const struct {
        int size, percent;
    } sizes[] = {{0, 8}, {1, 12}, {2, 26}, {3, 26}, {7, 18}, {16, 5}, {33, 5}};
    int64_t at = tm_law_below(rng, 100);
    int i = 0;
    while (at >= sizes[i].percent)
        at -= sizes[i++].percent;
    return sizes[i].size;
}

/* The most elements of any tensor of one example, at least 1. */
static int64_t largest(const tm_law_case *c)
{
    int64_t most = 1;
    for (int i = 0; i < c->num_inputs; i++)
        if (c->inputs[i].tensor.numel > most)
            most = c->inputs[i].tensor.numel;
    for (int i = 0; c->expected.verdict != TM_LAW_META && i < c->num_results; i++) {
        const tm_spec *spec = &c->expected.specs[i];
        int64_t numel = 1;
        for (int d = 0; d < spec->ndim; d++)
            numel *= spec->shape[d] > 0 ? spec->shape[d] : 1;
        if (!tm_law_gives_scalar(c->op, i) && numel > most)
            most = numel;
    }
    return most;
}

/* Dimensions that every tensor and result has left for levels. */
static int spare_dims(const tm_law_case *c)
{
    int most = 0;
    for (int i = 0; i < c->num_inputs; i++)
        if (c->inputs[i].tensor.ndim > most)
            most = c->inputs[i].tensor.ndim;
    for (int i = 0; c->expected.verdict != TM_LAW_META && i < c->num_results; i++)
        if (!tm_law_gives_scalar(c->op, i) && c->expected.specs[i].ndim > most)
            most = c->expected.specs[i].ndim;
    return TM_MAX_NDIM - most;
}

static void draw_levels(tm_law_case *c, tm_law_rng *rng)
{
    static const int up_to[] = {5, 40, 70, 88, 100}; /* percent with that many levels or fewer */
    int64_t at = tm_law_below(rng, 100);
    while (at >= up_to[c->num_levels])
        c->num_levels++;
    int spare = spare_dims(c);
    if (c->num_levels > spare)
        c->num_levels = spare;
    int64_t elements = largest(c), examples = 1;
    for (int l = 0; l < c->num_levels; l++) {
        int64_t size = l > 0 && tm_law_chance(rng, 20) ? c->size[l - 1] : draw_size(rng);
        int64_t times = size > 0 ? size : 1;
        if (examples * times > MOST_EXAMPLES || examples * times * elements > MOST_ELEMENTS) {
            size = 1 + tm_law_below(rng, 2);
            times = size;
        }
        c->size[l] = size;
        examples *= times;
    }
}

/* One level, so large that several threads share the work. */
static void draw_threaded_level(tm_law_case *c)
{
    int64_t elements = largest(c);
    tm_contract contract = tm_op_contract(c->op);
    int64_t least = contract == TM_ELEMENTWISE || contract == TM_REDUCTION ? 1 : 4300;
    c->num_levels = 1;
    c->size[0] = THREADED_ELEMENTS / elements + 1;
    if (c->size[0] < least && elements < 64)
        c->size[0] = least;
}

static void draw_mapping(tm_law_case *c, tm_law_rng *rng)
{
    for (int l = 0; l < c->num_levels; l++) {
        int readable = 0, mapped = 0;
        for (int i = 0; i < c->num_inputs; i++)
            readable += !c->inputs[i].written;
        bool ignored = tm_law_chance(rng, 15);
        for (int i = 0; i < c->num_inputs && !ignored; i++) {
            tm_law_input *in = &c->inputs[i];
            in->mapped[l] = !in->written && tm_law_chance(rng, 70);
            mapped += in->mapped[l];
        }
        for (int i = 0, left = (int)tm_law_below(rng, readable);
             i < c->num_inputs && !ignored && !mapped; i++)
            if (!c->inputs[i].written && left-- == 0)
                mapped = c->inputs[i].mapped[l] = true;
        for (int i = 0; i < c->num_inputs; i++)
            c->inputs[i].varies[l] = c->inputs[i].mapped[l] && !tm_law_chance(rng, 8);
        c->give_size[l] = tm_law_chance(rng, 30);
        c->functional[l] = tm_law_chance(rng, 35);
    }
}

static void draw_sources(tm_law_case *c, tm_law_rng *rng)
{
    for (int i = 0; i < c->num_inputs; i++) {
        tm_law_input *in = &c->inputs[i];
        int64_t way = tm_law_below(rng, 100);
        if (in->written || in->alias_of >= 0 || way < 60)
            continue;
        in->source = way < 70 ? TM_LAW_WRAPPED : way < 85 ? TM_LAW_COPIED : TM_LAW_PROMOTED;
        in->copied_at = c->num_levels ? 1 + (int)tm_law_below(rng, c->num_levels) : 0;
    }
}

static void draw_randomness(tm_law_case *c, tm_law_rng *rng)
{
    bool any = !tm_law_draws(c) || tm_law_chance(rng, 15);
    for (int l = 0; l < c->num_levels; l++)
        c->randomness[l] = (tm_randomness)(any ? tm_law_below(rng, 3) : 1 + tm_law_below(rng, 2));
    tm_law_draw_generators(c, rng);
}

static void count_examples(tm_law_case *c)
{
    c->count = 1;
    for (int l = 0; l < c->num_levels; l++) {
        bool mapped = false;
        for (int i = 0; i < c->num_inputs; i++)
            mapped = mapped || c->inputs[i].mapped[l];
        c->participates[l] =
            mapped || (tm_law_draws(c) && c->randomness[l] == TM_RANDOMNESS_DIFFERENT);
        c->give_size[l] = c->give_size[l] || !mapped;
        if (c->participates[l])
            c->count *= c->size[l];
    }
}

/* Whether pieces of the level give what all of it gives at once: what they write outside of it is
 * written part by part, not several times, and is not read by a later piece. */
static bool can_be_in_pieces(const tm_law_case *c, int level)
{
    bool can = c->functional[level];
    for (int i = 0; i < c->num_inputs; i++) {
        const tm_law_input *in = &c->inputs[i];
        can =
            can && in->alias_of < 0 && !(in->written && in->made_at <= level && !in->mapped[level]);
    }
    return can;
}

static void draw_chunks(tm_law_case *c)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 7);
    int64_t elements = c->count * largest(c) * (1 + c->num_inputs);
    for (int l = 0; l < c->num_levels; l++) {
        int64_t way = tm_law_below(&rng, 10);
        int64_t some = 1 + tm_law_below(&rng, c->size[l] + 1);
        if (!can_be_in_pieces(c, l) || way > 6)
            continue;
        c->chunk[l] = way < 3 ? 1 + way % 2 : some;
        if (way == 6) /* which example fails first must be known, so it is to be one piece */
            c->chunk[l] = elements <= ONE_PIECE ? TM_CHUNK_AUTO : 0;
        if (c->chunk[l] > 0 && c->size[l] / c->chunk[l] > MOST_EXAMPLES)
            c->chunk[l] = c->size[l] / 2 + 1;
    }
}

bool tm_law_in_pieces(const tm_law_case *c)
{
    bool any = false;
    for (int l = 0; l < c->num_levels; l++)
        any = any || (c->chunk[l] > 0 && c->chunk[l] < c->size[l]);
    return any;
}

bool tm_law_before(const tm_law_case *c, int64_t a, int64_t b)
{
    int64_t index_a[TM_LAW_LEVELS], index_b[TM_LAW_LEVELS];
    tm_law_index(c, a, index_a);
    tm_law_index(c, b, index_b);
    for (int l = 0; l < c->num_levels; l++) {
        int64_t chunk = c->chunk[l] > 0 ? c->chunk[l] : c->size[l];
        if (chunk > 0 && index_a[l] / chunk != index_b[l] / chunk)
            return index_a[l] / chunk < index_b[l] / chunk;
    }
    return a < b;
}

/* Paths that the caller has forced stay so. Threads for little work are slow, so they are rare. */
static void draw_paths(tm_law_case *c, tm_law_rng *rng)
{
    for (int p = 0; p < TM_NUM_PATHS; p++) {
        c->paths[p] = tm_get_path((tm_path)p);
        if (c->paths[p] == TM_PATH_AUTO && tm_law_chance(rng, p == TM_PATH_SPLIT ? 3 : 30))
            c->paths[p] = tm_law_chance(rng, 50) ? TM_PATH_ON : TM_PATH_OFF;
    }
}

void tm_law_draw(tm_law_case *c)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 2);
    bool threaded = tm_law_below(&rng, 200) == 0 && c->num_inputs > 0;
    if (threaded && spare_dims(c) > 0)
        draw_threaded_level(c);
    else
        draw_levels(c, &rng);
    draw_mapping(c, &rng);
    tm_law_draw_written(c, &rng);
    draw_sources(c, &rng);
    draw_randomness(c, &rng);
    count_examples(c);
    c->threads = threaded ? 2 + (int)tm_law_below(&rng, 2) : 1 + (int)tm_law_below(&rng, 3);
    c->acceleration = (tm_acceleration)tm_law_below(&rng, 3);
    c->mode_depth = tm_law_chance(&rng, 15) ? (int)tm_law_below(&rng, c->num_levels + 1) : -1;
    c->mode_kind = (int)tm_law_below(&rng, 3);
    draw_chunks(c);
    draw_paths(c, &rng);
}

void tm_law_draw_out_dims(tm_law_case *c)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 3);
    for (int i = 0; i < c->num_results; i++) {
        int ndim = c->expected.specs[i].ndim;
        for (int l = c->num_levels; l-- > 0;) {
            if (!c->participates[l] && tm_law_chance(&rng, 50)) {
                c->out_dim[i][l] = TM_NOT_MAPPED;
                continue;
            }
            int64_t way = tm_law_below(&rng, 3);
            int64_t at = way == 0 ? 0 : way == 1 ? ndim : tm_law_below(&rng, ndim + 1);
            c->out_dim[i][l] = tm_law_chance(&rng, 40) ? at - (ndim + 1) : at;
            ndim++;
        }
    }
}

void tm_law_index(const tm_law_case *c, int64_t flat, int64_t index[TM_LAW_LEVELS])
{
    for (int l = TM_LAW_LEVELS; l-- > 0;) {
        index[l] = 0;
        if (l >= c->num_levels || !c->participates[l] || c->size[l] == 0)
            continue;
        index[l] = flat % c->size[l];
        flat /= c->size[l];
    }
}
