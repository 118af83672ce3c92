/* test_invalid_calls.c: calls that another library rejects are rejected here too, alone and for
 * every placement of batches, with one code and message; or they are good calls, alone and under
 * vmap, listed with the reason (invalid_calls.h).
 *
 * Placements: every choice, for each tensor, of a dimension or none, at one level and at two.
 * Batches have 2 and 3 examples of different values; where the checks reject the call, they are
 * empty too.
 */
#include <string.h>

#include "invalid_calls.h"
#include "law/elements.h"
#include "law/values.h"
#include "support.h"

enum { MAX_TENSORS = 6, NONE = -1, MANY = 1000, PARTS = 24 };
static const int64_t base_batch[2] = {2, 3};

/* A call of ours. Tensor i is base[i], with the batches of both levels in front, of which as many
 * examples are taken as `batch` says. */
typedef struct batch_call {
    const invalid_call_here *here;
    int num_tensors;
    tm_tensor *base[MAX_TENSORS];
    int64_t batch[2];
    int dim[2][MAX_TENSORS]; /* where each level's dimension is, NONE: not mapped there */
    int placements;
} batch_call;

/* What came of a call. */
typedef struct outcome {
    tm_status status;
    char message[800];
    tm_tensor *results[8];
    int count;
} outcome;

/* -- Calling ------------------------------------------------------------------------------------
 */

static void take_results(const tm_op *op, const tm_value *results, outcome *out)
{
    bool list = tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST;
    out->count = list ? (int)results[0].tensors.count : tm_op_num_outputs(op);
    ck_assert_int_le(out->count, COUNT(out->results));
    for (int i = 0; i < out->count; i++) {
        const tm_tensor *x = list ? results[0].tensors.data[i] : results[i].tensor;
        out->results[i] = (tm_tensor *)(uintptr_t)x;
    }
}

static void set_args(const invalid_call_here *here, const tm_tensor *const *tensors, tm_value *args)
{
    const tm_law_sample *sample = &here->sample;
    for (int p = 0; p < sample->num_args; p++) {
        const tm_law_arg *arg = &sample->args[p];
        args[p] = arg->value;
        if (tm_op_param(here->op, p)->type == TM_TYPE_TENSOR_LIST)
            args[p].tensors = (tm_tensor_list){tensors + arg->first, arg->count};
        else if (arg->count == 1)
            args[p].tensor = tensors[arg->first];
    }
}

static outcome call_with(const invalid_call_here *here, const tm_tensor *const *tensors)
{
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    outcome out = {0};
    set_args(here, tensors, args);
    out.status =
        tm_op_call(here->op, args, here->sample.num_args, results, tm_op_num_outputs(here->op));
    if (out.status == TM_OK)
        take_results(here->op, results, &out);
    else
        snprintf(out.message, sizeof out.message, "%s", tm_error_message());
    tm_error_clear();
    return out;
}

/* One example of a tensor: at (i, j), 0 at a level where it is not mapped. */
static const tm_tensor *example(const batch_call *c, int t, int64_t i, int64_t j)
{
    i = c->dim[0][t] == NONE ? 0 : i;
    j = c->dim[1][t] == NONE ? 0 : j;
    return MADE(tm_clone(tm_select(tm_select(c->base[t], 0, i), 0, j)));
}

static outcome call_example(const batch_call *c, int64_t i, int64_t j)
{
    const tm_tensor *tensors[MAX_TENSORS];
    for (int t = 0; t < c->num_tensors; t++)
        tensors[t] = example(c, t, i, j);
    return call_with(c->here, tensors);
}

/* Whether the checks alone reject the call, whatever the values: then an empty batch is rejected.
 */
static bool checks_reject(const batch_call *c)
{
    tm_value args[TM_MAX_ARGS];
    tm_spec specs[TM_MAX_OUTPUTS];
    int64_t count;
    const tm_tensor *tensors[MAX_TENSORS];
    const tm_op *op = c->here->op;
    int num_args = c->here->sample.num_args;
    for (int t = 0; t < c->num_tensors; t++)
        tensors[t] = example(c, t, 0, 0);
    set_args(c->here, tensors, args);
    bool list = tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST;
    tm_status status = list ? tm_infer_list(op, args, num_args, NULL, 0, &count)
                            : tm_infer(op, args, num_args, specs, tm_op_num_outputs(op));
    tm_error_clear();
    return status != TM_OK;
}

/* A tensor with the dimensions of both levels in their places. */
static tm_tensor *physical(const batch_call *c, int t)
{
    int outer = c->dim[0][t], inner = c->dim[1][t];
    tm_tensor *x = c->base[t];
    x = inner == NONE
            ? tm_select(x, 1, 0)
            : tm_moveaxis(tm_slice(x, 1, 0, c->batch[1], 1), TM_INTS(1), TM_INTS(inner + 1));
    x = outer == NONE ? tm_select(x, 0, 0)
                      : tm_moveaxis(tm_slice(x, 0, 0, c->batch[0], 1), TM_INTS(0), TM_INTS(outer));
    return MADE(x);
}

static bool mapped_at(const batch_call *c, int level)
{
    for (int t = 0; t < c->num_tensors; t++)
        if (c->dim[level][t] != NONE)
            return true;
    return false;
}

/* The call inside its levels; results come back with the levels in front. */
static outcome call_mapped(const batch_call *c)
{
    tm_vmap_level *level[2] = {0};
    const tm_tensor *tensors[MAX_TENSORS];
    for (int t = 0; t < c->num_tensors; t++)
        tensors[t] = physical(c, t);
    for (int l = 0; l < 2; l++) {
        if (!mapped_at(c, l))
            continue;
        level[l] = tm_vmap_push(NULL);
        for (int t = 0; t < c->num_tensors; t++) {
            /* from the end in every other placement */
            int64_t dim = c->dim[l][t] - (c->placements % 2 ? tm_ndim(tensors[t]) : 0);
            if (c->dim[l][t] != NONE)
                tensors[t] = MADE(tm_vmap_in(level[l], tensors[t], dim));
        }
    }
    outcome out = call_with(c->here, tensors);
    for (int l = 1; l >= 0; l--)
        if (level[l]) {
            for (int i = 0; i < out.count; i++)
                out.results[i] = MADE(tm_vmap_out(level[l], out.results[i], 0));
            EXPECT_OK(tm_vmap_pop(level[l]));
        }
    return out;
}

/* -- Judging ------------------------------------------------------------------------------------
 */

static const char *placement_text(const batch_call *c)
{
    static char text[256];
    int used = snprintf(text, sizeof text, "%s(%s), levels at", c->here->name, c->here->args);
    for (int t = 0; t < c->num_tensors && used < (int)sizeof text; t++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, " %d/%d", c->dim[0][t], c->dim[1][t]);
    return text;
}

static void expect_same(const batch_call *c, const outcome *alone, const outcome *mapped)
{
    ck_assert_msg(mapped->status == alone->status && !strcmp(mapped->message, alone->message),
                  "%s: %s: %s, not %s: %s", placement_text(c), tm_status_name(mapped->status),
                  mapped->message, tm_status_name(alone->status), alone->message);
}

/* Whether one example of a mapped call's results is what came of it alone. */
static void expect_example(const batch_call *c, const outcome *mapped, int64_t i, int64_t j)
{
    double rtol, atol;
    tm_op_tolerance(c->here->op, &rtol, &atol);
    outcome alone = call_example(c, i, j);
    ck_assert_msg(alone.status == TM_OK, "%s: %s", placement_text(c), alone.message);
    ck_assert_int_eq(mapped->count, alone.count);
    for (int r = 0; r < alone.count; r++) {
        const tm_tensor *got = mapped->results[r];
        got = mapped_at(c, 0) ? tm_select(got, 0, i) : got;
        got = MADE(tm_clone(mapped_at(c, 1) ? tm_select(got, 0, j) : got));
        const tm_tensor *want = MADE(tm_clone(alone.results[r]));
        bool same = tm_dtype_of(got) == tm_dtype_of(want) && tm_ndim(got) == tm_ndim(want);
        for (int64_t d = 0; same && d < tm_ndim(want); d++)
            same = tm_size(got, d) == tm_size(want, d);
        same = same && tm_law_first_difference(tm_dtype_of(want), tm_numel(want), tm_data(got),
                                               tm_data(want), rtol, atol) < 0;
        ck_assert_msg(same, "%s: example (%d, %d) differs", placement_text(c), (int)i, (int)j);
    }
}

static void judge_placement(batch_call *c, const outcome *alone)
{
    tm_scope *scope = tm_scope_push();
    c->placements++;
    outcome mapped = call_mapped(c);
    expect_same(c, alone, &mapped);
    if (alone->status == TM_OK)
        for (int64_t i = 0; i < (mapped_at(c, 0) ? c->batch[0] : 1); i++)
            for (int64_t j = 0; j < (mapped_at(c, 1) ? c->batch[1] : 1); j++)
                expect_example(c, &mapped, i, j);
    EXPECT_OK(tm_scope_pop(scope));
}

/* -- Placements ---------------------------------------------------------------------------------
 */

/* How many placements there are for tensors from t on. */
static int64_t count_placements(const batch_call *c)
{
    int64_t count = 1;
    for (int t = 0; t < c->num_tensors; t++) {
        int64_t ndim = c->here->sample.tensors[t].ndim;
        count *= (ndim + 2) + (ndim + 1) * (ndim + 3);
    }
    return count;
}

/* Chooses a place for tensor t at both levels; then for those behind it. Where there would be too
 * many, only the first and the last dimension. */
static void place(batch_call *c, int t, bool ends, const outcome *alone)
{
    if (t == c->num_tensors) {
        if (mapped_at(c, 0) || mapped_at(c, 1))
            judge_placement(c, alone);
        return;
    }
    int ndim = c->here->sample.tensors[t].ndim;
    for (int inner = NONE; inner <= ndim; inner++) {
        if (ends && inner > 0 && inner < ndim)
            continue;
        int last = ndim + (inner != NONE);
        for (int outer = NONE; outer <= last; outer++) {
            if (ends && outer > 0 && outer < last)
                continue;
            c->dim[0][t] = outer;
            c->dim[1][t] = inner;
            place(c, t + 1, ends, alone);
        }
    }
}

/* Tensor t with both batches in front, other values in every example. */
static tm_tensor *make_base(const batch_call *c, int t)
{
    tm_law_tensor tensor = c->here->sample.tensors[t];
    tensor.generator = tm_law_is_int(tensor.dtype) ? TM_LAW_INDEX : TM_LAW_PLAIN;
    tensor.bound = 2;
    int64_t shape[TM_MAX_NDIM] = {base_batch[0], base_batch[1]};
    for (int d = 0; d < tensor.ndim; d++)
        shape[d + 2] = tensor.shape[d];
    tm_tensor *x = MADE(tm_new(tensor.dtype, tensor.ndim + 2, shape));
    char *data = tm_mutable_data(x);
    size_t item = tm_dtype_size(tensor.dtype) * (size_t)tensor.numel;
    tm_law_rng rng = tm_law_rng_at(1, (uint64_t)t);
    for (int64_t b = 0; b < base_batch[0] * base_batch[1]; b++)
        tm_law_original(&rng, &tensor, data + (size_t)b * item);
    return x;
}

static void judge_batches(batch_call *c, int64_t outer, int64_t inner, const outcome *alone)
{
    c->batch[0] = outer;
    c->batch[1] = inner;
    place(c, 0, count_placements(c) > MANY, alone);
}

static void judge_line(int number)
{
    invalid_call call;
    invalid_call_here here;
    tm_law_arena arena = {0};
    char why[256];
    invalid_call_read(number, &call);
    invalid_call_translate(&arena, &call, &here);
    invalid_call_accepted(&call, why, sizeof why);
    if (!here.op) {
        ck_assert_msg(!*why, "line %d is in the list, but there is no op", call.number);
        const char *name = strrchr(call.op, '.') ? strrchr(call.op, '.') + 1 : call.op;
        ck_assert_msg(*here.why || !tm_op_find(name, ""), "there is an op %s", name);
        return;
    }
    batch_call c = {.here = &here, .num_tensors = here.sample.num_tensors};
    ck_assert_int_le(c.num_tensors, MAX_TENSORS);
    for (int t = 0; t < c.num_tensors; t++)
        c.base[t] = make_base(&c, t);
    outcome alone = call_example(&c, 0, 0);
    ck_assert_msg((alone.status == TM_OK) == (*why != '\0'), "line %d: %s(%s) is %s%s", call.number,
                  here.name, here.args, *why ? "rejected, though listed: " : "accepted",
                  alone.message);
    judge_batches(&c, base_batch[0], base_batch[1], &alone);
    if (checks_reject(&c))
        judge_batches(&c, 0, 2, &alone);
    ck_assert_int_gt(c.placements, 0);
    tm_law_free_all(&arena);
}

/* Every PARTS-th line a test. */
START_TEST(rejected_everywhere_or_listed)
{
    for (int number = _i + 1; number <= INVALID_CALLS; number += PARTS) {
        tm_scope *scope = tm_scope_push();
        judge_line(number);
        EXPECT_OK(tm_scope_pop(scope));
    }
}
END_TEST

/* Call number 0 is not listed, but every line of the list is looked at. */
START_TEST(the_list_names_calls)
{
    invalid_call none = {0};
    char why[256];
    invalid_call_accepted(&none, why, sizeof why);
    ck_assert_str_eq(why, "");
}
END_TEST

Suite *invalid_calls_suite(void)
{
    const TTest *const tests[] = {the_list_names_calls};
    const TTest *const each[] = {rejected_everywhere_or_listed};
    Suite *suite = test_suite("invalid_calls", tests, COUNT(tests));
    test_suite_loop(suite, each, COUNT(each), PARTS);
    return suite;
}
