/* compare.c: the outcome held against what the loop over examples said: failures, and memory that
 * must be as it was. Results are compared in compare_results.c. */
#include <string.h>

#include "law/case.h"

static const char *words(const tm_law_failure *failure, char *buffer, size_t size)
{
    if (failure->code == TM_OK)
        snprintf(buffer, size, "success");
    else
        snprintf(buffer, size, "%s error of %s: %s", tm_status_name(failure->code), failure->op,
                 failure->message);
    return buffer;
}

static bool check_failure(tm_law_case *c, const char *what, const tm_law_failure *expected,
                          const tm_law_failure *got)
{
    char a[TM_LAW_MESSAGE + 100], b[TM_LAW_MESSAGE + 100];
    if (expected->code == got->code && strcmp(expected->op, got->op) == 0 &&
        strcmp(expected->message, got->message) == 0)
        return true;
    return tm_law_problem(c, "%s\n  expected %.700s\n  got      %.700s", what,
                          words(expected, a, sizeof a), words(got, b, sizeof b));
}

/* -- Meta inside the levels -------------------------------------------------------------------- */

/* A written argument's dtype may be wider than the spec's. */
static bool same_spec(const tm_law_case *c, int i)
{
    const tm_spec *a = &c->expected.specs[i], *b = &c->outcome.infer_specs[i];
    bool same = a->ndim == b->ndim, written = false;
    for (int k = 0; k < c->num_inputs; k++)
        written = written || (c->inputs[k].written && c->inputs[k].output == i);
    for (int d = 0; same && d < a->ndim; d++)
        same = a->shape[d] == b->shape[d] || b->shape[d] == TM_DYNAMIC;
    return same && (written || a->dtype == b->dtype);
}

static bool check_infer(tm_law_case *c)
{
    const tm_law_outcome *out = &c->outcome;
    const tm_law_failure none = {.code = TM_OK};
    if (out->infer_allocations)
        return tm_law_problem(c, "tm_infer inside the levels allocated %llu blocks",
                              (unsigned long long)out->infer_allocations);
    const tm_law_failure *failure =
        c->expected.verdict == TM_LAW_META ? &c->expected.failure : &none;
    if (!check_failure(c, "tm_infer inside the levels", failure, &out->infer_failure))
        return false;
    if (out->infer_status == TM_OK && out->infer_count != c->num_results)
        return tm_law_problem(c, "tm_infer inside the levels counts %d results, outside %d",
                              out->infer_count, c->num_results);
    for (int i = 0; out->infer_status == TM_OK && i < c->num_results; i++)
        if (!tm_law_gives_scalar(c->op, i) && !same_spec(c, i))
            return tm_law_problem(c, "tm_infer inside the levels describes result %d otherwise", i);
    return true;
}

/* -- Failures ---------------------------------------------------------------------------------- */

static int level_of(const tm_law_case *c, uint64_t id)
{
    for (int l = 0; l < c->num_levels; l++)
        if (c->outcome.level_id[l] == id)
            return l;
    return -1;
}

/* Meta fails for all examples alike: no one of them is named. */
static bool check_no_example(tm_law_case *c)
{
    const tm_law_failure *failure = &c->outcome.failure;
    for (int i = 0; i < failure->num_levels; i++)
        if (failure->levels[i].index != -1)
            return tm_law_problem(c, "a check's error names example %lld, not all",
                                  (long long)failure->levels[i].index);
    return true;
}

/* The record names the first example that fails, at every level that takes part, in order. */
static bool check_example(tm_law_case *c)
{
    const tm_law_failure *failure = &c->outcome.failure;
    int64_t index[TM_LAW_LEVELS];
    tm_law_index(c, c->expected.example, index);
    int at = 0;
    for (int l = 0; l < c->num_levels; l++) {
        if (!c->participates[l])
            continue;
        if (at >= failure->num_levels || failure->levels[at].level != c->outcome.level_id[l])
            return tm_law_problem(c, "the error's context leaves out level %d", l);
        if (failure->levels[at].size != c->size[l])
            return tm_law_problem(c, "the error says size %lld of level %d",
                                  (long long)failure->levels[at].size, l);
        if (failure->levels[at].index != index[l])
            return tm_law_problem(c,
                                  "the error names example %lld of level %d, the first that fails "
                                  "is %lld",
                                  (long long)failure->levels[at].index, l, (long long)index[l]);
        at++;
    }
    if (at != failure->num_levels)
        return tm_law_problem(c, "the error's context has a level that takes no part");
    return true;
}

/* A composite fails as its inner calls do, in program order: the example it names must fail so. */
static bool check_named_example(tm_law_case *c)
{
    const tm_law_failure *failure = &c->outcome.failure;
    int64_t wanted[TM_LAW_LEVELS];
    for (int l = 0; l < TM_LAW_LEVELS; l++)
        wanted[l] = -1;
    for (int i = 0; i < failure->num_levels; i++) {
        int l = level_of(c, failure->levels[i].level);
        if (l < 0)
            return tm_law_problem(c, "the error's context has a level that is not open");
        wanted[l] = failure->levels[i].index;
    }
    for (int64_t flat = 0; flat < c->count; flat++) {
        int64_t index[TM_LAW_LEVELS];
        bool named = true;
        tm_law_index(c, flat, index);
        for (int l = 0; l < c->num_levels; l++)
            named = named && (wanted[l] < 0 || !c->participates[l] || index[l] == wanted[l]);
        if (!named)
            continue;
        tm_law_failure alone;
        tm_law_run_one(c, flat, &alone);
        return check_failure(c, "the example that the error names, alone and in the batch", &alone,
                             failure);
    }
    return tm_law_problem(c, "the error names no example");
}

static bool check_refusal(tm_law_case *c)
{
    const tm_law_failure *failure = &c->outcome.failure;
    char text[TM_LAW_MESSAGE + 100];
    if (failure->code == TM_ERR_VMAP)
        return true;
    return tm_law_problem(c, "%s\n  expected a vmap error\n  got      %.700s", c->expected.refusal,
                          words(failure, text, sizeof text));
}

/* In an empty batch a composite may still fail: by an inner call whose arguments are not mapped at
 * the empty level, which is made all the same. */
static bool fails_past_empty(const tm_law_case *c)
{
    const tm_law_failure *failure = &c->outcome.failure;
    bool past = tm_op_contract(c->op) == TM_COMPOSITE && c->count == 0 && failure->code != TM_OK;
    for (int i = 0; past && i < failure->num_levels; i++)
        past = failure->levels[i].size > 0 || failure->levels[i].index == -1;
    return past;
}

static bool check_verdict(tm_law_case *c)
{
    const tm_law_expected *expected = &c->expected;
    const tm_law_failure none = {.code = TM_OK};
    if (expected->may_refuse && c->outcome.failure.code == TM_ERR_VMAP)
        return true;
    switch (expected->verdict) {
    case TM_LAW_META:
        return check_failure(c, "the call, which meta refuses", &expected->failure,
                             &c->outcome.failure) &&
               check_no_example(c);
    case TM_LAW_REFUSAL:
        return check_refusal(c);
    case TM_LAW_RESULT:
        return fails_past_empty(c) || check_failure(c, "the call, which succeeds for every example",
                                                    &none, &c->outcome.failure);
    default:
        if (tm_op_contract(c->op) == TM_COMPOSITE && c->outcome.status != TM_OK)
            return check_named_example(c);
        return check_failure(c, "the call, which fails for some example", &expected->failure,
                             &c->outcome.failure) &&
               check_example(c);
    }
}

/* -- Memory that must be as it was ------------------------------------------------------------- */

static bool check_block(tm_law_case *c, const tm_law_input *in)
{
    size_t item = tm_dtype_size(in->tensor.dtype), size = (size_t)in->room * item;
    if (!in->snapshot || (in->alias_of >= 0 && c->outcome.status == TM_OK))
        return true;
    /* Where a later piece fails, the earlier ones have written their part. */
    bool in_part = c->expected.verdict == TM_LAW_EXAMPLE && tm_law_in_pieces(c);
    if (!in->written || (c->outcome.status != TM_OK && !in_part)) {
        if (memcmp(in->block, in->snapshot, size) == 0)
            return true;
        return tm_law_problem(c, "the memory of %s was changed%s", in->name,
                              in->written ? " by a call that failed" : "");
    }
    /* What was written: its elements, nothing between or around them. */
    char *elements = tm_law_alloc(c->arena, size);
    if (!elements)
        return false;
    int64_t numel = tm_numel(in->physical);
    const char *first = in->block + in->offset * (int64_t)item;
    if (numel > 0) {
        tm_law_gather(item, in->ndim, in->shape, in->strides, first, elements);
        tm_law_scatter(item, in->ndim, in->shape, in->strides, elements,
                       in->snapshot + in->offset * (int64_t)item);
    }
    if (memcmp(in->block, in->snapshot, size) == 0)
        return true;
    return tm_law_problem(c, "the call wrote beside the elements of %s", in->name);
}

bool tm_law_compare(tm_law_case *c)
{
    if (!c->outcome.called)
        return tm_law_problem(c, "the call was not reached");
    if (!check_infer(c) || !check_verdict(c))
        return false;
    for (int i = 0; i < c->num_inputs; i++)
        if (!check_block(c, &c->inputs[i]))
            return false;
    if (tm_law_draws(c)) {
        uint64_t counted = c->expected.verdict == TM_LAW_META ? 0 : 1 + (uint64_t)c->random_calls;
        if (c->outcome.rng_count != counted)
            return tm_law_problem(c, "%llu random calls are counted, expected %llu",
                                  (unsigned long long)c->outcome.rng_count,
                                  (unsigned long long)counted);
        if (c->outcome.stray_count)
            return tm_law_problem(c, "the thread's generator is used instead of the one given");
    }
    return c->outcome.status != TM_OK || tm_law_compare_results(c);
}
