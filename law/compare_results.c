/* compare_results.c: results moved out of the levels, example by example.
 *
 * Besides the values it looks at where results lie: a view op's in its input, a view-or-copy's
 * exactly where one example's would. And it takes the plain path at its word: on a view of one
 * example in the batch's own memory, the plain kernel gives the very same bits.
 */
#include <string.h>

#include "law/case.h"
#include "law/elements.h"

/* -- Results ----------------------------------------------------------------------------------- */

/* A result moved out of the levels: which of its dimensions is what. */
typedef struct placed {
    const tm_tensor *result;
    int ndim; /* logical */
    int64_t shape[TM_MAX_NDIM], strides[TM_MAX_NDIM];
    int level_dim[TM_LAW_LEVELS]; /* -1: it has none */
    size_t item;
    int64_t numel; /* of one example */
} placed;

static bool place_result(tm_law_case *c, int i, placed *p)
{
    const tm_spec *spec = &c->expected.specs[i];
    const tm_tensor *result = c->outcome.results[i];
    int order[TM_MAX_NDIM + TM_LAW_LEVELS], n = spec->ndim;
    for (int d = 0; d < n; d++)
        order[d] = d;
    for (int l = TM_LAW_LEVELS; l-- > 0;) {
        p->level_dim[l] = -1;
        int64_t dim = l < c->num_levels ? c->out_dim[i][l] : TM_NOT_MAPPED;
        if (dim == TM_NOT_MAPPED)
            continue;
        int at = (int)(dim < 0 ? dim + n + 1 : dim);
        memmove(order + at + 1, order + at, (size_t)(n - at) * sizeof *order);
        order[at] = -1 - l;
        n++;
    }
    if (tm_dtype_of(result) != spec->dtype || tm_ndim(result) != n)
        return tm_law_problem(c, "result %d has %d dimensions of %s, expected %d of %s", i,
                              tm_ndim(result), tm_dtype_name(tm_dtype_of(result)), n,
                              tm_dtype_name(spec->dtype));
    p->result = result;
    p->ndim = spec->ndim;
    p->item = tm_dtype_size(spec->dtype);
    p->numel = 1;
    for (int d = 0; d < n; d++) {
        bool level = order[d] < 0;
        int which = level ? -1 - order[d] : order[d];
        int64_t size = level ? c->size[which] : spec->shape[which];
        if (size == TM_DYNAMIC) /* in an empty batch no example has decided it */
            size = tm_shape(result)[d];
        if (tm_shape(result)[d] != size)
            return tm_law_problem(c, "result %d has size %lld at dimension %d, expected %lld", i,
                                  (long long)tm_shape(result)[d], d, (long long)size);
        if (level) {
            p->level_dim[which] = d;
        } else {
            p->shape[which] = size;
            p->strides[which] = tm_strides(result)[d];
            p->numel *= size;
        }
    }
    return true;
}

/* One example's values, row-major. */
static void gather_result(const placed *p, const int64_t *index, char *to)
{
    int64_t at = 0;
    for (int l = 0; l < TM_LAW_LEVELS; l++)
        if (p->level_dim[l] >= 0)
            at += index[l] * tm_strides(p->result)[p->level_dim[l]];
    const char *data = tm_data(p->result);
    tm_law_gather(p->item, p->ndim, p->shape, p->strides, data + at * (int64_t)p->item, to);
}

static bool differ(tm_law_case *c, int i, const placed *p, const int64_t *index, int64_t element,
                   const char *expected, const char *got, const char *with)
{
    char where[160], a[64], b[64];
    size_t used = 0;
    tm_dtype dtype = c->expected.specs[i].dtype;
    for (int l = 0; l < c->num_levels; l++)
        used += (size_t)snprintf(where + used, sizeof where - used, "%s%lld", l ? ", " : "",
                                 (long long)index[l]);
    tm_law_element_text(dtype, expected + (size_t)element * p->item, a, sizeof a);
    tm_law_element_text(dtype, got + (size_t)element * p->item, b, sizeof b);
    return tm_law_problem(c,
                          "result %d differs at example (%s), element %lld%s\n  expected %s\n  "
                          "got      %s",
                          i, c->num_levels ? where : "", (long long)element, with, a, b);
}

static bool check_values(tm_law_case *c, int i, const placed *p)
{
    double rtol, atol;
    tm_op_tolerance(c->op, &rtol, &atol);
    int64_t index[TM_LAW_LEVELS] = {0}, count = 1;
    for (int l = 0; l < c->num_levels; l++)
        count *= p->level_dim[l] >= 0 ? c->size[l] : 1;
    char *got = tm_law_alloc_array(c->arena, p->numel, p->item);
    if (!got)
        return false;
    for (int64_t flat = 0; flat < count && p->numel > 0; flat++) {
        int64_t left = flat, example = 0;
        for (int l = c->num_levels; l-- > 0;) {
            if (p->level_dim[l] < 0)
                continue;
            index[l] = left % c->size[l];
            left /= c->size[l];
        }
        for (int l = 0; l < c->num_levels; l++)
            if (c->participates[l])
                example = example * c->size[l] + index[l];
        gather_result(p, index, got);
        const char *expected = c->expected.values[i] + (size_t)(example * p->numel) * p->item;
        int64_t at = tm_law_first_difference(c->expected.specs[i].dtype, p->numel, expected, got,
                                             rtol, atol);
        if (at >= 0)
            return differ(c, i, p, index, at, expected, got, "");
    }
    return true;
}

/* -- Views of one example in the batch's own memory -------------------------------------------- */

/* Every input as one example of it lies in the batch's memory; false where that is not so. */
static bool views_of_example(tm_law_case *c, const int64_t *index, const tm_tensor **views)
{
    for (int i = 0; i < c->num_inputs; i++) {
        const tm_law_input *in = &c->inputs[i];
        if (in->written || in->source > TM_LAW_WRAPPED)
            return false;
        int64_t strides[TM_MAX_NDIM], at = 0;
        for (int d = 0; d < in->tensor.ndim; d++)
            strides[d] = in->strides[in->logical_dim[d]];
        for (int l = 0; l < c->num_levels; l++)
            if (in->mapped[l])
                at += index[l] * in->strides[in->level_dim[l]];
        views[i] = tm_strided_view(in->physical, in->tensor.ndim, in->tensor.shape, strides, at);
        if (!views[i])
            return tm_law_problem(c, "no view of one example of %s: %s", in->name,
                                  tm_error_message());
    }
    return true;
}

static bool in_input(const tm_law_case *c, const tm_tensor *result)
{
    const char *data = tm_data(result);
    for (int i = 0; i < c->num_inputs; i++) {
        const tm_law_input *in = &c->inputs[i];
        size_t size = (size_t)in->room * tm_dtype_size(in->tensor.dtype);
        if (in->block && data >= in->block && data < in->block + size)
            return true;
    }
    return false;
}

/* The plain path is bitwise: with an example's own strides, even where a tolerance is stated. But
 * what a composite makes on its way lies in a batch as the batch does, and alone as an example. */
static bool check_plain_path(tm_law_case *c, int i, const placed *p, const tm_tensor *result,
                             const int64_t *index)
{
    char *alone = tm_law_alloc_array(c->arena, 2 * p->numel, p->item);
    if (!alone)
        return false;
    char *got = alone + (size_t)p->numel * p->item;
    tm_law_gather(p->item, p->ndim, p->shape, tm_strides(result), tm_data(result), alone);
    gather_result(p, index, got);
    int64_t at = tm_law_first_difference(c->expected.specs[i].dtype, p->numel, alone, got, 0, 0);
    return at < 0 || differ(c, i, p, index, at, alone, got,
                            " from the plain kernel on a view of that example");
}

/* A view must alias, and a view-or-copy must be one exactly where one example's would be; but of
 * pieces results are put together in new memory. */
static bool check_views(tm_law_case *c, const placed *p)
{
    tm_contract contract = tm_op_contract(c->op);
    double rtol, atol;
    tm_op_tolerance(c->op, &rtol, &atol);
    bool plain =
        (rtol != 0 || atol != 0) && c->acceleration == TM_ACCEL_OFF && contract != TM_COMPOSITE;
    bool may_view = (contract == TM_VIEW || contract == TM_VIEW_OR_COPY) && !tm_law_in_pieces(c);
    bool skip = (!plain && !may_view) || c->num_inputs == 0 || contract == TM_RANDOM ||
                tm_law_gives_scalar(c->op, 0);
    for (int l = 0; l < c->num_levels; l++)
        skip = skip || c->size[l] == 0;
    if (skip)
        return true;
    const tm_tensor **views = tm_law_alloc_pointers(c->arena, c->num_inputs);
    if (!views)
        return false;
    for (int64_t turn = 0; turn < 4 && turn < c->count; turn++) {
        int64_t index[TM_LAW_LEVELS];
        tm_law_index(c, turn == 3 ? c->count - 1 : turn, index);
        if (!views_of_example(c, index, views))
            return !c->problem[0];
        tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
        tm_law_args(c, views, args);
        if (tm_op_call(c->op, args, tm_op_num_params(c->op), results, tm_op_num_outputs(c->op)))
            return tm_law_problem(c, "the call on a view of one example fails: %s",
                                  tm_error_message());
        for (int i = 0; i < c->num_results; i++) {
            if (p[i].numel == 0)
                continue;
            const tm_tensor *one = tm_law_result_at(c->op, results, i);
            bool aliases = in_input(c, p[i].result), alone = in_input(c, one);
            if (may_view && contract == TM_VIEW && !aliases)
                return tm_law_problem(c, "result %d of a view op does not lie in its input", i);
            if (may_view && aliases != alone)
                return tm_law_problem(c, "result %d is a %s in the batch and a %s for one example",
                                      i, aliases ? "view" : "copy", alone ? "view" : "copy");
            if (plain && !check_plain_path(c, i, &p[i], one, index))
                return false;
        }
    }
    return true;
}

bool tm_law_compare_results(tm_law_case *c)
{
    placed *p = tm_law_alloc_array(c->arena, c->num_results, sizeof *p);
    if (!p)
        return false;
    for (int i = 0; i < c->num_results; i++) {
        if (tm_law_gives_scalar(c->op, i)) {
            if (!tm_law_same_scalar(c->expected.scalars[i], c->outcome.scalars[i]))
                return tm_law_problem(c, "scalar result %d is %g, expected %g", i,
                                      tm_scalar_as_float(c->outcome.scalars[i]),
                                      tm_scalar_as_float(c->expected.scalars[i]));
        } else if (!place_result(c, i, &p[i]) || !check_values(c, i, &p[i])) {
            return false;
        }
    }
    return check_views(c, p);
}
