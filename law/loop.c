/* loop.c: the plain loop over examples, which says what must come of the call.
 *
 * Every example is a set of row-major tensors of its own values, and the op is called on them
 * outside any level, on one thread, without acceleration. The loop also holds each example to what
 * needs no batch: inputs stay as they were, a failing call leaves what it writes unchanged, a form
 * agrees with the op it was derived from, and the sample's own judgement.
 */
#include <stdarg.h>
#include <string.h>

#include "dispatch/cast.h"
#include "law/case.h"
#include "law/elements.h"

bool tm_law_problem(tm_law_case *c, const char *format, ...)
{
    if (c->problem[0])
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(c->problem, sizeof c->problem, format, list);
    va_end(list);
    return false;
}

void tm_law_take_failure(tm_law_failure *failure)
{
    const tm_error *error = tm_error_get();
    *failure = (tm_law_failure){.code = TM_OK};
    if (!error)
        return;
    failure->code = error->code;
    snprintf(failure->op, sizeof failure->op, "%s", error->op);
    snprintf(failure->message, sizeof failure->message, "%s", error->message);
    failure->num_levels = error->num_levels;
    for (int i = 0; i < error->num_levels; i++)
        failure->levels[i] = error->levels[i];
}

static size_t bytes_of(const tm_law_tensor *tensor)
{
    return (size_t)tensor->numel * tm_dtype_size(tensor->dtype);
}

static void fill_examples(const tm_law_case *c, const int64_t *index)
{
    for (int i = 0; i < c->num_inputs; i++) {
        size_t size = bytes_of(&c->inputs[i].tensor);
        if (size > 0)
            memcpy(tm_mutable_data(c->examples[i]), tm_law_data_at(c, &c->inputs[i], index), size);
    }
}

static tm_status call_examples(tm_law_case *c, const tm_op *op, const int64_t *index,
                               tm_value *results)
{
    tm_value args[TM_MAX_ARGS];
    tm_law_args(c, (const tm_tensor *const *)c->examples, args);
    tm_law_random_example(c, index, args);
    tm_status status = tm_op_call(op, args, tm_op_num_params(op), results, tm_op_num_outputs(op));
    c->drew = c->alone && tm_law_drew(c, args);
    return status;
}

/* -- Meta -------------------------------------------------------------------------------------- */

static bool same_failure(const tm_law_failure *a, const tm_law_failure *b)
{
    return a->code == b->code && strcmp(a->op, b->op) == 0 && strcmp(a->message, b->message) == 0;
}

tm_status tm_law_infer(const tm_op *op, const tm_value *args, tm_spec *specs, int room, int *count)
{
    int64_t all = tm_op_num_outputs(op);
    tm_status status = tm_law_gives_list(op)
                           ? tm_infer_list(op, args, tm_op_num_params(op), specs, room, &all)
                           : tm_infer(op, args, tm_op_num_params(op), specs, (int)all);
    *count = (int)all;
    return status;
}

/* Room for everything that is per result. */
static bool make_results(tm_law_case *c, const tm_value *args)
{
    c->num_results = tm_op_num_outputs(c->op);
    if (tm_law_gives_list(c->op) && tm_law_infer(c->op, args, NULL, 0, &c->num_results) != TM_OK) {
        c->num_results = 0; /* it fails again, and is judged then */
        tm_error_clear();
    }
    int n = c->num_results;
    c->expected.specs = tm_law_alloc_array(c->arena, n, sizeof *c->expected.specs);
    c->expected.values = tm_law_alloc_pointers(c->arena, n);
    c->outcome.infer_specs = tm_law_alloc_array(c->arena, n, sizeof *c->outcome.infer_specs);
    c->outcome.results = tm_law_alloc_pointers(c->arena, n);
    c->out_dim = tm_law_alloc_array(c->arena, n, sizeof *c->out_dim);
    return c->expected.specs && c->expected.values && c->outcome.infer_specs &&
           c->outcome.results && c->out_dim;
}

bool tm_law_meta(tm_law_case *c)
{
    tm_law_expected *expected = &c->expected;
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    int num_params = tm_op_num_params(c->op), num_outputs = tm_op_num_outputs(c->op), count;
    tm_law_args(c, (const tm_tensor *const *)c->examples, args);
    if (!make_results(c, args))
        return false;
    uint64_t before = tm_memory_get_stats().allocations;
    tm_status status = tm_law_infer(c->op, args, expected->specs, c->num_results, &count);
    uint64_t made = tm_memory_get_stats().allocations - before;
    if (made)
        return tm_law_problem(c, "tm_infer allocated %llu blocks", (unsigned long long)made);
    for (int i = 0; status == TM_OK && i < c->num_inputs; i++)
        if (c->inputs[i].written) /* its dtype may be wider than the result's */
            expected->specs[c->inputs[i].output].dtype = c->inputs[i].tensor.dtype;
    if (status == TM_OK)
        return true;
    expected->verdict = TM_LAW_META;
    tm_law_take_failure(&expected->failure);
    tm_error_clear();
    tm_law_failure failure = {.code = TM_OK};
    if (tm_op_call(c->op, args, num_params, results, num_outputs) != TM_OK)
        tm_law_take_failure(&failure);
    tm_error_clear();
    if (!same_failure(&failure, &expected->failure))
        return tm_law_problem(c, "tm_infer fails on one example with %s: %s\n  but the call %s%s%s",
                              tm_status_name(expected->failure.code), expected->failure.message,
                              failure.code ? tm_status_name(failure.code) : "succeeds",
                              failure.code ? ": " : "", failure.message);
    return true;
}

/* -- What the law refuses ---------------------------------------------------------------------- */

/* Why the call must fail with TM_ERR_VMAP, or NULL. */
static const char *refusal(const tm_law_case *c)
{
    tm_contract contract = tm_op_contract(c->op);
    for (int l = 0; l < c->num_levels; l++) {
        if (tm_law_draws(c) && c->randomness[l] == TM_RANDOMNESS_ERROR)
            return "a random op under randomness \"error\"";
        for (int i = 0; i < c->num_inputs; i++) {
            const tm_law_input *in = &c->inputs[i];
            if (contract == TM_DATA_DEPENDENT && in->mapped[l])
                return "a data-dependent op over a mapped argument";
            if (in->written && l >= in->made_at && c->participates[l] && !in->mapped[l])
                return "a mapped write into a tensor made outside the level and not mapped there";
        }
    }
    return NULL;
}

/* A composite's size that is left open depends on some of its arguments, on which it does not say.
 */
static bool may_refuse(const tm_law_case *c)
{
    bool open = false, mapped = false;
    for (int i = 0; i < c->num_results; i++)
        for (int d = 0; !tm_law_gives_scalar(c->op, i) && d < c->expected.specs[i].ndim; d++)
            open = open || c->expected.specs[i].shape[d] == TM_DYNAMIC;
    for (int l = 0; l < c->num_levels; l++)
        for (int i = 0; i < c->num_inputs; i++)
            mapped = mapped || c->inputs[i].mapped[l];
    return open && mapped && tm_op_contract(c->op) == TM_COMPOSITE;
}

/* -- One example ------------------------------------------------------------------------------- */

/* Copies the result's values, row-major, to `to`; checks that it is what meta said. */
static bool take_result(tm_law_case *c, int i, const tm_tensor *result, int64_t flat)
{
    tm_spec *spec = &c->expected.specs[i];
    int ndim = tm_ndim(result);
    bool same = tm_dtype_of(result) == spec->dtype && ndim == spec->ndim;
    for (int d = 0; same && d < ndim; d++) {
        int64_t size = tm_shape(result)[d];
        if (spec->shape[d] == TM_DYNAMIC) /* there is one example, it decides */
            spec->shape[d] = size;
        same = spec->shape[d] == size;
    }
    if (!same && c->expected.may_refuse && tm_dtype_of(result) == spec->dtype) {
        c->expected.verdict = TM_LAW_REFUSAL;
        c->expected.refusal = "the examples' results have different shapes";
        return true;
    }
    if (!same)
        return tm_law_problem(c, "result %d of one example is not what tm_infer said", i);
    size_t item = tm_dtype_size(spec->dtype);
    int64_t numel = tm_numel(result);
    if (!c->expected.values[i])
        c->expected.values[i] = tm_law_alloc_array(c->arena, c->count * numel, item);
    if (!c->expected.values[i])
        return false;
    if (numel > 0)
        tm_law_gather(item, ndim, tm_shape(result), tm_strides(result), tm_data(result),
                      c->expected.values[i] + (size_t)(flat * numel) * item);
    return true;
}

static bool unchanged(tm_law_case *c, const int64_t *index, bool written_too, const char *when)
{
    for (int i = 0; i < c->num_inputs; i++) {
        const tm_law_input *in = &c->inputs[i];
        if ((in->written && !written_too) || in->tensor.numel == 0)
            continue;
        if (memcmp(tm_data(c->examples[i]), tm_law_data_at(c, in, index), bytes_of(&in->tensor)) !=
            0)
            return tm_law_problem(c, "%s was changed by a call on one example that %s", in->name,
                                  when);
    }
    return true;
}

/* The base op's result, converted, must be what the form has written. */
static bool agrees_with_base(tm_law_case *c, const int64_t *index, int64_t flat)
{
    const tm_op *base = tm_op_base(c->op);
    tm_value results[TM_MAX_OUTPUTS];
    fill_examples(c, index);
    if (call_examples(c, base, index, results) != TM_OK)
        return tm_law_problem(c, "the form succeeds where %s fails with %s: %s", tm_op_name(base),
                              tm_status_name(tm_error_code()), tm_error_get()->message);
    for (int i = 0; i < tm_op_num_outputs(base); i++) {
        const tm_tensor *result = results[i].tensor;
        tm_dtype dtype = tm_dtype_of(result), written = c->expected.specs[i].dtype;
        int64_t numel = tm_numel(result);
        size_t item = tm_dtype_size(dtype), wide = tm_dtype_size(written);
        const char *got = c->expected.values[i] + (size_t)(flat * numel) * wide;
        char *values = tm_law_alloc_array(c->arena, numel, item);
        if (!values)
            return false;
        if (numel > 0)
            tm_law_gather(item, tm_ndim(result), tm_shape(result), tm_strides(result),
                          tm_data(result), values);
        char *converted = values;
        if (dtype != written && numel > 0) {
            converted = tm_law_alloc_array(c->arena, numel, wide);
            if (!converted)
                return false;
            tm_cast(dtype, written)(values, (int64_t)item, converted, (int64_t)wide, numel);
        }
        for (int64_t k = 0; k < numel; k++) {
            if (tm_law_same_number(written, converted + (size_t)k * wide, written,
                                   got + (size_t)k * wide))
                continue;
            char a[64], b[64];
            tm_law_element_text(dtype, values + (size_t)k * item, a, sizeof a);
            tm_law_element_text(written, got + (size_t)k * wide, b, sizeof b);
            return tm_law_problem(c, "on one example, element %lld is %s by %s and %s by the form",
                                  (long long)k, a, tm_op_name(base), b);
        }
    }
    return true;
}

/* What needs no values to be found is meta's to find, or an empty batch would let it pass. */
static bool found_late(tm_law_case *c)
{
    const tm_law_failure *failure = &c->expected.failure;
    tm_contract contract = tm_op_contract(c->op);
    bool checkable = failure->code == TM_ERR_RANK || failure->code == TM_ERR_SHAPE ||
                     failure->code == TM_ERR_DTYPE || failure->code == TM_ERR_DIM;
    if (!checkable || contract == TM_COMPOSITE)
        return false;
    tm_law_problem(c, "meta lets pass what the kernel refuses on one example\n  %s error: %s",
                   tm_status_name(failure->code), failure->message);
    return true;
}

static bool run_example(tm_law_case *c, int64_t flat, bool *failed)
{
    tm_law_expected *expected = &c->expected;
    int64_t index[TM_LAW_LEVELS];
    tm_value results[TM_MAX_OUTPUTS];
    tm_law_index(c, flat, index);
    fill_examples(c, index);
    if (call_examples(c, c->op, index, results) != TM_OK) {
        if (!*failed || tm_law_before(c, flat, expected->example)) {
            expected->example = flat;
            tm_law_take_failure(&expected->failure);
        }
        *failed = true;
        expected->verdict = TM_LAW_EXAMPLE;
        tm_error_clear();
        return !found_late(c) && unchanged(c, index, true, "failed");
    }
    if (!unchanged(c, index, false, "succeeded"))
        return false;
    if (tm_law_count_results(c->op, results) != c->num_results)
        return tm_law_problem(c, "one example has %lld results, tm_infer said %d",
                              (long long)tm_law_count_results(c->op, results), c->num_results);
    for (int i = 0; i < c->num_results; i++) {
        if (tm_law_gives_scalar(c->op, i))
            expected->scalars[i] = results[i].scalar;
        else if (!take_result(c, i, tm_law_result_at(c->op, results, i), flat))
            return false;
    }
    if (tm_op_base(c->op) && (flat == 0 || flat == c->count - 1))
        return agrees_with_base(c, index, flat);
    const tm_sample *source = c->sample->source;
    if (tm_op_base(c->op) || !source->check || c->sample->invalid || c->strange)
        return true;
    tm_value args[TM_MAX_ARGS];
    tm_law_args(c, (const tm_tensor *const *)c->examples, args);
    if (!source->check(args, results))
        return tm_law_problem(c, "the sample's check rejects the result of example %lld alone",
                              (long long)flat);
    return true;
}

/* A scope of its own for each example; what the checker allocates for it goes with the case. */
static bool run_scoped(tm_law_case *c, int64_t flat, bool *failed)
{
    tm_scope *scope = tm_scope_push();
    if (!scope)
        return tm_law_problem(c, "no scope: %s", tm_error_message());
    bool ok = run_example(c, flat, failed);
    tm_scope_pop(scope);
    return ok;
}

bool tm_law_loop(tm_law_case *c)
{
    tm_law_expected *expected = &c->expected;
    if (expected->verdict == TM_LAW_META)
        return true;
    expected->refusal = refusal(c);
    if (expected->refusal) {
        expected->verdict = TM_LAW_REFUSAL;
        return true;
    }
    expected->may_refuse = may_refuse(c);
    bool failed = false, in_order = !tm_law_in_pieces(c);
    for (int64_t flat = 0; flat < c->count && !(failed && in_order) && !expected->refusal; flat++)
        if (!run_scoped(c, flat, &failed))
            return false;
    return true;
}

tm_status tm_law_run_one(tm_law_case *c, int64_t flat, tm_law_failure *failure)
{
    int64_t index[TM_LAW_LEVELS];
    tm_value results[TM_MAX_OUTPUTS];
    tm_law_index(c, flat, index);
    fill_examples(c, index);
    tm_status status = call_examples(c, c->op, index, results);
    *failure = (tm_law_failure){.code = TM_OK};
    if (status != TM_OK)
        tm_law_take_failure(failure);
    tm_error_clear();
    return status;
}
