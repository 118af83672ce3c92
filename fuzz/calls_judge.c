/* calls_judge.c: the loop over examples.
 *
 * Each example's tensors are views, as it has them, of a copy of the memory at the call's entry; so
 * what overlaps in memory overlaps here. The call must do what all of these do, or fail as the
 * first of them that fails.
 */
#include <string.h>

#include "fuzz/calls.h"
#include "law/elements.h"

typedef struct judge {
    const fuzz_record *r;
    char *memory[FUZZ_OPERANDS]; /* a block's copy, at the same place modulo 64 bytes */
    char *allocated[FUZZ_OPERANDS];
} judge;

#define WRONG(r, ...)                                                                              \
    do {                                                                                           \
        fuzz_describe(r);                                                                          \
        fuzz_say("    the call: %s: %s\n", tm_status_name((r)->status), (r)->failure.message);     \
        FUZZ_REQUIRE(false, __VA_ARGS__);                                                          \
    } while (0)

/* -- Memory ------------------------------------------------------------------------------------ */

static bool make_memory(judge *j)
{
    for (int i = 0; i < j->r->num_blocks; i++) {
        const fuzz_block *b = &j->r->block[i];
        size_t shift = (uintptr_t)b->data % TM_ALIGNMENT;
        void *memory = NULL;
        if (posix_memalign(&memory, TM_ALIGNMENT, shift + (size_t)b->size + !b->size) != 0)
            return false;
        j->allocated[i] = memory;
        j->memory[i] = j->allocated[i] + shift;
    }
    return true;
}

static void fill_memory(judge *j)
{
    for (int i = 0; i < j->r->num_blocks; i++)
        if (j->r->block[i].size > 0)
            memcpy(j->memory[i], j->r->block[i].bytes, (size_t)j->r->block[i].size);
}

static void free_memory(judge *j)
{
    for (int i = 0; i < j->r->num_blocks; i++)
        free(j->allocated[i]);
}

/* The arguments of one example; false where they cannot be made. */
static bool make_args(judge *j, const int64_t *index, bool nowhere, tm_value *args)
{
    static _Alignas(64) char anywhere[64];
    const fuzz_record *r = j->r;
    static const tm_tensor *list[FUZZ_OPERANDS];
    memcpy(args, r->args, sizeof r->args);
    for (int i = 0; i < r->num_operands; i++) {
        const fuzz_operand *o = &r->operand[i];
        const tm_wrap_options options = {.struct_size = sizeof options, .read_only = o->read_only};
        int64_t at = o->offset + fuzz_distance(r, o->entries, o->num_entries, index);
        char *data = nowhere ? anywhere : j->memory[o->block] + at;
        const tm_tensor *x = tm_wrap(o->dtype, o->ndim, o->shape, o->strides, data, &options);
        if (!x)
            return false;
        list[i] = x;
        if (tm_op_param(r->op, o->param)->type == TM_TYPE_TENSOR) {
            args[o->param].tensor = x;
        } else if (o->element == 0) {
            args[o->param].tensors.data = &list[i];
        }
    }
    return true;
}

/* -- Failures ---------------------------------------------------------------------------------- */

static bool same_failure(const tm_law_failure *a, const tm_law_failure *b)
{
    return a->code == b->code && strcmp(a->op, b->op) == 0 && strcmp(a->message, b->message) == 0;
}

/* A mapped write may be refused for what examples do to each other in memory. */
static bool may_alias(const fuzz_record *r)
{
    bool joins = false;
    for (int i = 0; i < r->num_open; i++)
        joins = joins || r->open[i].joins;
    return joins && r->writes && r->status == TM_ERR_ALIASING;
}

/* Whether nothing can be said of a call that ended so. */
static bool is_open(const fuzz_record *r)
{
    bool composite = tm_op_contract(r->op) == TM_COMPOSITE;
    return r->status == TM_ERR_MEMORY || (composite && r->status == TM_ERR_VMAP) ||
           (composite && r->status != TM_OK && r->count == 0) ||
           (r->no_size && r->status == TM_ERR_USAGE);
}

/* Whether meta lets the example pass; else the call must have failed so. */
static bool passes_meta(judge *j, const tm_value *args)
{
    static tm_spec specs[FUZZ_RESULTS];
    const fuzz_record *r = j->r;
    int count;
    if (tm_law_infer(r->op, args, specs, FUZZ_RESULTS, &count) == TM_OK)
        return true;
    tm_law_failure failure;
    tm_law_take_failure(&failure);
    tm_error_clear();
    if (!same_failure(&failure, &r->failure))
        WRONG(r, "meta refuses one example: %s: %s", tm_status_name(failure.code), failure.message);
    return false;
}

/* -- Results ----------------------------------------------------------------------------------- */

static void compare_result(judge *j, int i, const tm_tensor *x, int64_t flat)
{
    const fuzz_record *r = j->r;
    const fuzz_result *result = &r->result[i];
    double rtol, atol;
    size_t item = tm_dtype_size(result->dtype);
    bool same = tm_dtype_of(x) == result->dtype && tm_ndim(x) == result->ndim;
    for (int d = 0; same && d < result->ndim; d++)
        same = tm_shape(x)[d] == result->shape[d];
    if (!same)
        WRONG(r, "result %d: one example gives another shape or dtype", i);
    if (result->numel == 0)
        return;
    char *alone = malloc((size_t)result->numel * item);
    FUZZ_REQUIRE(alone, "memory");
    const char *got = result->values + (size_t)(flat * result->numel) * item;
    tm_law_gather(item, result->ndim, result->shape, tm_strides(x), tm_handle_data(x), alone);
    tm_op_tolerance(r->op, &rtol, &atol);
    int64_t at = tm_law_first_difference(result->dtype, result->numel, alone, got, rtol, atol);
    if (at >= 0) {
        char a[64], b[64];
        tm_law_element_text(result->dtype, alone + (size_t)at * item, a, sizeof a);
        tm_law_element_text(result->dtype, got + (size_t)at * item, b, sizeof b);
        WRONG(r, "result %d, example %lld, element %lld: alone %s, in the batch %s", i,
              (long long)flat, (long long)at, a, b);
    }
    free(alone);
    tm_contract contract = tm_op_contract(r->op);
    if (contract != TM_VIEW && contract != TM_VIEW_OR_COPY)
        return;
    int block = -1;
    for (int b = 0; b < r->num_blocks; b++)
        if (tm_handle_data(x) >= j->memory[b] &&
            tm_handle_data(x) < j->memory[b] + r->block[b].size)
            block = b;
    if (block != result->block)
        WRONG(r, "result %d, example %lld: it is a %s alone and a %s in the batch", i,
              (long long)flat, block < 0 ? "copy" : "view", result->block < 0 ? "copy" : "view");
    if (block >= 0 && tm_handle_data(x) - j->memory[block] != result->place[flat])
        WRONG(r, "result %d, example %lld: the view lies elsewhere", i, (long long)flat);
}

static void compare(judge *j, const tm_value *results, int64_t flat)
{
    const fuzz_record *r = j->r;
    if (tm_law_count_results(r->op, results) != r->num_results)
        WRONG(r, "one example gives %lld results", (long long)tm_law_count_results(r->op, results));
    for (int i = 0; i < r->num_results; i++)
        if (!r->result[i].is_scalar)
            compare_result(j, i, tm_law_result_at(r->op, results, i), flat);
        else if (!tm_law_same_scalar(r->result[i].scalar, results[i].scalar))
            WRONG(r, "result %d: %g alone", i, tm_scalar_as_float(results[i].scalar));
}

/* -- The loop ---------------------------------------------------------------------------------- */

static void seed(const fuzz_record *r, const int64_t *index)
{
    int64_t drawn[TM_OPEN_LEVELS];
    int n = 0;
    for (int i = 0; i < r->num_open; i++)
        if (r->open[i].randomness == TM_RANDOMNESS_DIFFERENT)
            drawn[n++] = r->open[i].first + index[i];
    tm_seed(r->seed);
    FUZZ_REQUIRE(tm_rng_at(r->draws, n, drawn) == TM_OK, "%s", tm_error_message());
}

/* One example: its failure, or its results held against the call's. */
static tm_status run_example(judge *j, int64_t flat, tm_law_failure *failure)
{
    const fuzz_record *r = j->r;
    int64_t index[TM_OPEN_LEVELS];
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    fuzz_index(r, flat, index);
    fill_memory(j);
    if (!make_args(j, index, false, args)) {
        tm_error_clear();
        return failure->code = TM_ERR_MEMORY;
    }
    if (r->random)
        seed(r, index);
    tm_status status =
        tm_op_call(r->op, args, tm_op_num_params(r->op), results, tm_op_num_outputs(r->op));
    tm_law_take_failure(failure);
    tm_error_clear();
    if (status == TM_OK && r->status == TM_OK)
        compare(j, results, flat);
    return status;
}

static void run_loop(judge *j)
{
    const fuzz_record *r = j->r;
    bool composite = tm_op_contract(r->op) == TM_COMPOSITE, failed = false;
    tm_law_failure first = {.code = TM_OK};
    for (int64_t flat = 0; flat < r->count && (!failed || composite); flat++) {
        tm_law_failure failure;
        tm_scope *scope = tm_scope_push();
        tm_status status = scope ? run_example(j, flat, &failure) : TM_ERR_MEMORY;
        FUZZ_REQUIRE(!scope || tm_scope_pop(scope) == TM_OK, "%s", tm_error_message());
        if (status == TM_ERR_MEMORY)
            return;
        if (status == TM_OK)
            continue;
        if (!failed)
            first = failure;
        failed = true;
        if (composite && same_failure(&failure, &r->failure))
            return;
    }
    if (failed && !same_failure(&first, &r->failure) && !may_alias(r))
        WRONG(r, "alone it fails: %s: %s", tm_status_name(first.code), first.message);
    if (!failed && r->status != TM_OK && !may_alias(r))
        WRONG(r, "alone every example succeeds");
}

void fuzz_judge(const fuzz_record *r)
{
    judge j = {.r = r};
    tm_value args[TM_MAX_ARGS];
    const int64_t index[TM_OPEN_LEVELS] = {0};
    if (is_open(r))
        return;
    if (make_memory(&j)) {
        tm_scope *scope = tm_scope_push();
        fill_memory(&j);
        bool made = scope && make_args(&j, index, r->count == 0, args), passes = false;
        tm_error_clear();
        if (made)
            passes = passes_meta(&j, args);
        FUZZ_REQUIRE(!scope || tm_scope_pop(scope) == TM_OK, "%s", tm_error_message());
        if (passes && r->must_refuse && r->status != TM_ERR_VMAP)
            WRONG(r, "the law refuses it");
        if (passes && !r->must_refuse)
            run_loop(&j);
    }
    free_memory(&j);
}
