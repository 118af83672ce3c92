/* draw_values.c: what every example holds: other values in each, known ones in the first.
 *
 * The first example of a valid sample keeps the values that are written out. Where the sample is
 * invalid by its values, some examples hold those and others what a valid sample of the same
 * shapes holds, so that the first example that fails may stand anywhere.
 */
#include <string.h>

#include "law/case.h"
#include "law/elements.h"
#include "law/values.h"

static bool same_ints(tm_int_list a, tm_int_list b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.data, b.data, (size_t)a.count * sizeof *a.data) == 0);
}

static bool same_args(const tm_law_sample *a, const tm_law_sample *b)
{
    for (int p = 0; p < a->num_args; p++) {
        const tm_param *param = tm_op_param(a->op, p);
        tm_value x = a->args[p].value, y = b->args[p].value;
        if (a->args[p].count != b->args[p].count)
            return false;
        bool by_value = param->type != TM_TYPE_TENSOR && param->type != TM_TYPE_TENSOR_LIST &&
                        param->type != TM_TYPE_DTYPE && param->type != TM_TYPE_STR &&
                        param->type != TM_TYPE_GENERATOR;
        if (param->optional && by_value && (!x.opt || !y.opt)) {
            if (x.opt != y.opt)
                return false;
            continue;
        }
        const void *px = param->optional && by_value ? x.opt : &x;
        const void *py = param->optional && by_value ? y.opt : &y;
        bool same = true;
        switch (param->type) {
        case TM_TYPE_TENSOR:
        case TM_TYPE_TENSOR_LIST:
            break;
        case TM_TYPE_INT:
            same = *(const int64_t *)px == *(const int64_t *)py;
            break;
        case TM_TYPE_INT_LIST:
            same = same_ints(*(const tm_int_list *)px, *(const tm_int_list *)py);
            break;
        case TM_TYPE_FLOAT:
            same = tm_law_equal(TM_FLOAT64, px, py, 0, 0);
            break;
        case TM_TYPE_BOOL:
            same = *(const bool *)px == *(const bool *)py;
            break;
        case TM_TYPE_STR:
            same = x.str == y.str || (x.str && y.str && strcmp(x.str, y.str) == 0);
            break;
        case TM_TYPE_GENERATOR: /* a case sets where it stands */
            break;
        case TM_TYPE_DTYPE:
            same = x.dtype == y.dtype;
            break;
        default:
            same = tm_law_same_scalar(*(const tm_scalar *)px, *(const tm_scalar *)py);
        }
        if (!same)
            return false;
    }
    return true;
}

/* Whether examples may take their values from that sample instead of the case's own. */
static bool compatible(const tm_law_case *c, const tm_law_sample *other)
{
    const tm_law_sample *own = c->sample;
    if (other == own || other->broken || other->num_tensors != own->num_tensors ||
        (other->invalid && other->fails_in_meta))
        return false;
    for (int i = 0; i < own->num_tensors; i++) {
        const tm_law_tensor *a = &c->inputs[i].tensor, *b = &other->tensors[i];
        if (a->dtype != b->dtype || a->ndim != b->ndim ||
            memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0)
            return false;
    }
    return same_args(own, other);
}

/* One of the compatible samples, valid ones alone if asked; NULL where there is none. */
static const tm_law_sample *draw_sibling(const tm_law_case *c, bool valid, tm_law_rng *rng)
{
    const tm_law_sample *chosen = NULL;
    int64_t seen = 0;
    for (int i = 0; i < c->num_siblings; i++) {
        const tm_law_sample *other = c->siblings[i];
        if ((valid && other->invalid) || !compatible(c, other))
            continue;
        if (tm_law_below(rng, ++seen) == 0)
            chosen = other;
    }
    return chosen;
}

static void draw_example(tm_law_case *c, int i, int64_t at, char *to)
{
    const tm_law_sample *own = c->sample;
    const tm_law_tensor *tensor = &c->inputs[i].tensor;
    tm_law_rng rng = tm_law_rng_at(c->state, 1000 + (uint64_t)i * 0x100000001b3u + (uint64_t)at);
    bool of_sample = i < own->num_tensors;
    if (!c->alone && own->invalid && !own->fails_in_meta && of_sample && tensor->literal) {
        const tm_law_sample *other =
            tm_law_chance(&rng, 65) ? draw_sibling(c, tm_law_chance(&rng, 75), &rng) : NULL;
        if (other)
            tm_law_original(&rng, &other->tensors[i], to);
        else
            tm_law_original(&rng, tensor, to);
        return;
    }
    if (at == 0) {
        tm_law_original(&rng, tensor, to);
        return;
    }
    const tm_law_sample *other =
        of_sample && c->mixes && tm_law_chance(&rng, 40) ? draw_sibling(c, false, &rng) : NULL;
    if (other && (other->invalid || tm_law_chance(&rng, 50)))
        tm_law_original(&rng, &other->tensors[i], to);
    else
        tm_law_variant(&rng, other ? &other->tensors[i] : tensor, to);
}

/* The index of values `at`; levels at which the input does not vary get 0. */
static void index_of_values(const tm_law_case *c, const tm_law_input *in, int64_t at,
                            int64_t index[TM_LAW_LEVELS])
{
    for (int l = TM_LAW_LEVELS; l-- > 0;) {
        index[l] = 0;
        if (l >= c->num_levels || !in->varies[l] || c->size[l] == 0)
            continue;
        index[l] = at % c->size[l];
        at /= c->size[l];
    }
}

const char *tm_law_data_at(const tm_law_case *c, const tm_law_input *in, const int64_t *index)
{
    int64_t at = 0;
    for (int l = 0; l < c->num_levels; l++)
        if (in->varies[l] && c->size[l] > 0)
            at = at * c->size[l] + index[l];
    return in->data + at * in->tensor.numel * (int64_t)tm_dtype_size(in->tensor.dtype);
}

/* The values of an input that shares a written one's memory: what that memory says, read along the
 * input's own way through it. */
static bool draw_shared(tm_law_case *c, const tm_law_input *in, char *data)
{
    size_t item = tm_dtype_size(in->tensor.dtype), size = (size_t)in->tensor.numel * item;
    char *block = tm_law_alloc_array(c->arena, in->room, item);
    if (!block)
        return false;
    memset(block, TM_LAW_FILLER, (size_t)in->room * item);
    tm_law_fill(c, &c->inputs[in->alias_of], block);
    for (int64_t at = 0; at < in->data_count; at++) {
        int64_t index[TM_LAW_LEVELS];
        index_of_values(c, in, at, index);
        tm_law_read(c, in, index, block, data + (size_t)at * size);
    }
    return true;
}

bool tm_law_draw_values(tm_law_case *c)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 4);
    c->mixes = tm_law_chance(&rng, 35);
    for (int pass = 0; pass < 2; pass++) /* what shares memory takes over what was drawn */
        for (int i = 0; i < c->num_inputs; i++) {
            tm_law_input *in = &c->inputs[i];
            size_t size = (size_t)in->tensor.numel * tm_dtype_size(in->tensor.dtype);
            if ((in->alias_of >= 0) != (pass == 1))
                continue;
            in->data_count = 1;
            for (int l = 0; l < c->num_levels; l++)
                if (in->varies[l] && c->size[l] > 0)
                    in->data_count *= c->size[l];
            char *data = tm_law_alloc_array(c->arena, in->data_count, size);
            if (!data)
                return false;
            in->data = data;
            if (pass == 1 && !draw_shared(c, in, data))
                return false;
            for (int64_t at = 0; at < in->data_count && size > 0 && pass == 0; at++) {
                char *to = data + (size_t)at * size;
                draw_example(c, i, at, to);
                if (in->constant_axis >= 0)
                    tm_law_make_constant(&in->tensor, in->constant_axis, to);
            }
        }
    return true;
}
