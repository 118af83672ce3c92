/* limit_support.c: see limit_support.h. */
#include "limit_support.h"

#include <stdlib.h>
#include <string.h>

#include "law/case.h"
#include "law/elements.h"
#include "law/values.h"

enum { MOST_RESULTS = 64 };

typedef struct outcome {
    tm_status status;
    char message[600];
    int64_t count;
    tm_value results[TM_MAX_OUTPUTS];
} outcome;

/* How a call is mapped. */
typedef struct placement {
    int64_t batch;
    bool last; /* the batch is every tensor's last dimension, else the first */
} placement;
static const placement placements[] = {{2, false}, {2, true}, {0, false}, {0, true}};

/* -- Memory: more than a call on small tensors may ask for is refused -----------------------------
 */

static void *limited_alloc(size_t size, void *user)
{
    (void)user;
    return size <= TEST_LIMIT_BYTES ? malloc(size) : NULL;
}

static void limited_release(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

void test_limit_each_sample(int64_t first, int groups, int samples,
                            bool (*check)(const tm_op *op, const tm_law_sample *sample))
{
    const tm_allocator limited = {sizeof limited, limited_alloc, limited_release, NULL};
    const char *only = getenv("TM_LIMITS_OP");
    tm_set_allocator(&limited);
    for (int64_t i = first; i < tm_op_count(); i += groups) {
        const tm_op *op = tm_op_at(i);
        if (!tm_op_base(op) && (!only || strcmp(only, tm_op_name(op)) == 0))
            test_each_valid_sample(op, samples, check);
    }
    tm_set_allocator(NULL);
}

/* -- One call ---------------------------------------------------------------------------------- */

bool test_limit_begin(test_limit_call *c, const tm_op *op, const tm_law_sample *sample)
{
    *c = (test_limit_call){
        .op = op, .sample = sample, .num_tensors = sample->num_tensors, .filled = -1};
    if (sample->num_tensors > TEST_LIMIT_TENSORS)
        return false;
    int64_t elements = 0;
    for (int i = 0; i < sample->num_tensors; i++) {
        c->tensors[i] = sample->tensors[i];
        elements += sample->tensors[i].numel;
    }
    for (int p = 0; p < sample->num_args; p++)
        c->args[p] = sample->args[p].value;
    return elements <= 1000;
}

/* One example of a tensor. */
static void fill(const test_limit_call *c, int i, char *example)
{
    const tm_law_tensor *tensor = &c->tensors[i];
    size_t item = tm_dtype_size(tensor->dtype);
    tm_law_rng rng = tm_law_rng_at(1, (uint64_t)i);
    tm_law_original(&rng, tensor, example);
    for (int64_t k = 0; i == c->filled && k < tensor->numel; k++) {
        if (tm_law_is_int(tensor->dtype))
            tm_law_store_int(tensor->dtype,
                             c->fill < 0 ? tm_law_int_min(tensor->dtype)
                                         : (int64_t)(tm_law_int_max(tensor->dtype)),
                             example + (size_t)k * item);
        else
            tm_law_store_complex(tensor->dtype, c->fill, c->fill, example + (size_t)k * item);
    }
}

/* Copies of an example, one after the other or side by side. */
static tm_tensor *make_batch(const tm_law_tensor *tensor, const char *example, tm_vmap_level *level,
                             const placement *place)
{
    int64_t shape[TM_MAX_NDIM + 1], batch = place->batch;
    memcpy(shape + !place->last, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
    shape[place->last ? tensor->ndim : 0] = batch;
    tm_tensor *x = tm_new(tensor->dtype, tensor->ndim + 1, shape);
    size_t item = tm_dtype_size(tensor->dtype);
    char *data = x ? tm_mutable_data(x) : NULL;
    for (int64_t k = 0; x && k < tensor->numel; k++)
        for (int64_t b = 0; b < batch; b++)
            memcpy(data + (size_t)(place->last ? k * batch + b : b * tensor->numel + k) * item,
                   example + (size_t)k * item, item);
    return x ? tm_vmap_in(level, x, place->last ? -1 : 0) : NULL;
}

static tm_tensor *make_tensor(const test_limit_call *c, int i, tm_vmap_level *level,
                              const placement *place)
{
    const tm_law_tensor *tensor = &c->tensors[i];
    char *example = malloc((size_t)tensor->numel * tm_dtype_size(tensor->dtype) + 1);
    fill(c, i, example);
    tm_tensor *x = level ? make_batch(tensor, example, level, place)
                         : tm_from_data(tensor->dtype, tensor->ndim, tensor->shape, example);
    free(example);
    return x;
}

void test_limit_args(const test_limit_call *c, const tm_tensor *const *handles, tm_value *args)
{
    memcpy(args, c->args, sizeof c->args);
    for (int p = 0; p < c->sample->num_args; p++) {
        const tm_law_arg *arg = &c->sample->args[p];
        tm_type type = tm_op_param(c->op, p)->type;
        if (type == TM_TYPE_TENSOR && arg->count == 1)
            args[p].tensor = handles[arg->first];
        else if (type == TM_TYPE_TENSOR_LIST)
            args[p].tensors = (tm_tensor_list){handles + arg->first, arg->count};
        else if (type == TM_TYPE_GENERATOR)
            args[p].generator = NULL;
    }
}

static bool make_args(const test_limit_call *c, tm_vmap_level *level, const placement *place,
                      tm_value *args, const tm_tensor **handles)
{
    for (int i = 0; i < c->num_tensors; i++) {
        handles[i] = make_tensor(c, i, level, place);
        if (!handles[i])
            return false;
    }
    test_limit_args(c, handles, args);
    return true;
}

/* Takes what stands, which must be there exactly after a failure. */
static void take_error(const test_limit_call *c, outcome *o)
{
    const tm_error *error = tm_error_get();
    snprintf(o->message, sizeof o->message, "%s", o->status && error ? error->message : "");
    ck_assert_msg((error != NULL) == (o->status != TM_OK), "%s, %s: %s, but the record says %s",
                  tm_op_schema(c->op), c->what, tm_status_name(o->status), tm_error_message());
    tm_error_clear();
}

static void call_op(const test_limit_call *c, const tm_value *args, outcome *o)
{
    tm_seed(0);
    o->status =
        tm_op_call(c->op, args, tm_op_num_params(c->op), o->results, tm_op_num_outputs(c->op));
    o->count = o->status ? 0 : tm_law_count_results(c->op, o->results);
    take_error(c, o);
}

/* -- Two examples ------------------------------------------------------------------------------ */

static void compare(const test_limit_call *c, int i, const tm_tensor *alone, const tm_tensor *one)
{
    double rtol, atol;
    tm_op_tolerance(c->op, &rtol, &atol);
    ck_assert_msg(tm_dtype_of(alone) == tm_dtype_of(one) && tm_ndim(alone) == tm_ndim(one),
                  "%s, %s: result %d has another dtype or rank", tm_op_schema(c->op), c->what, i);
    size_t item = tm_dtype_size(tm_dtype_of(alone)), bytes = (size_t)tm_numel(alone) * item;
    ck_assert_msg(tm_numel(alone) == tm_numel(one), "%s, %s: result %d has another size",
                  tm_op_schema(c->op), c->what, i);
    if (bytes == 0 || bytes > 1 << 16)
        return;
    char *a = malloc(2 * bytes), *b = a + bytes;
    tm_law_gather(item, tm_ndim(alone), tm_shape(alone), tm_strides(alone), tm_data(alone), a);
    tm_law_gather(item, tm_ndim(one), tm_shape(one), tm_strides(one), tm_data(one), b);
    int64_t at = tm_law_first_difference(tm_dtype_of(alone), tm_numel(alone), a, b, rtol, atol);
    char alone_text[64] = "", mapped_text[64] = "";
    if (at >= 0) {
        tm_law_element_text(tm_dtype_of(alone), a + (size_t)at * item, alone_text,
                            sizeof alone_text);
        tm_law_element_text(tm_dtype_of(alone), b + (size_t)at * item, mapped_text,
                            sizeof mapped_text);
    }
    free(a);
    ck_assert_msg(at < 0, "%s, %s: result %d, element %lld: %s alone, %s mapped",
                  tm_op_schema(c->op), c->what, i, (long long)at, alone_text, mapped_text);
}

static void compare_results(const test_limit_call *c, const outcome *alone, const outcome *mapped,
                            tm_vmap_level *level)
{
    ck_assert_msg(alone->count == mapped->count, "%s, %s: other numbers of results",
                  tm_op_schema(c->op), c->what);
    if (tm_op_contract(c->op) == TM_RANDOM || tm_law_takes_generator(c->op))
        return;
    for (int i = 0; i < alone->count && i < MOST_RESULTS; i++) {
        if (tm_law_gives_scalar(c->op, i))
            continue;
        const tm_tensor *out = tm_vmap_out(level, tm_law_result_at(c->op, mapped->results, i), 0);
        const tm_tensor *one = out ? tm_select(out, 0, 1) : NULL;
        if (one)
            compare(c, i, tm_law_result_at(c->op, alone->results, i), one);
        tm_error_clear();
    }
}

/* -- None -------------------------------------------------------------------------------------- */

/* What meta says of one example: of no example that is all there is. */
static void infer(const test_limit_call *c, const tm_value *args, outcome *o,
                  tm_spec specs[MOST_RESULTS])
{
    int count;
    o->status = tm_law_infer(c->op, args, specs, MOST_RESULTS, &count);
    o->count = o->status ? 0 : count;
    take_error(c, o);
}

static void compare_specs(const test_limit_call *c, const outcome *said, const tm_spec *specs,
                          const outcome *mapped, tm_vmap_level *level)
{
    ck_assert_msg(said->count == mapped->count, "%s, %s: other numbers of results of no example",
                  tm_op_schema(c->op), c->what);
    for (int i = 0; i < said->count && i < MOST_RESULTS; i++) {
        if (tm_law_gives_scalar(c->op, i))
            continue;
        const tm_spec *spec = &specs[i];
        const tm_tensor *out = tm_vmap_out(level, tm_law_result_at(c->op, mapped->results, i), 0);
        bool same = !out || (tm_dtype_of(out) == spec->dtype && tm_ndim(out) == spec->ndim + 1 &&
                             tm_size(out, 0) == 0);
        for (int d = 0; out && same && d < spec->ndim; d++)
            same = spec->shape[d] == TM_DYNAMIC || tm_shape(out)[1 + d] == spec->shape[d];
        ck_assert_msg(same, "%s, %s: result %d of no example has another dtype or shape",
                      tm_op_schema(c->op), c->what, i);
        tm_error_clear();
    }
}

/* -- Alone and mapped -------------------------------------------------------------------------- */

bool test_limit_may_refuse(const tm_op *op)
{
    tm_contract contract = tm_op_contract(op);
    return contract == TM_DATA_DEPENDENT || contract == TM_COMPOSITE;
}

static void check_mapped(const test_limit_call *c, const outcome *alone, const outcome *said,
                         const tm_spec *specs, const placement *place)
{
    const tm_tensor *handles[TEST_LIMIT_TENSORS];
    tm_value args[TM_MAX_ARGS];
    outcome mapped = {.status = TM_OK};
    const outcome *expected = place->batch ? alone : said;
    const tm_vmap_options options = {.struct_size = sizeof options,
                                     .randomness = TM_RANDOMNESS_DIFFERENT};
    tm_vmap_level *level = tm_vmap_push(&options);
    if (level && make_args(c, level, place, args, handles)) {
        call_op(c, args, &mapped);
        bool refused = mapped.status == TM_ERR_VMAP && test_limit_may_refuse(c->op);
        bool memory = expected->status == TM_ERR_MEMORY || mapped.status == TM_ERR_MEMORY;
        if (!refused && !memory) {
            ck_assert_msg(
                expected->status == mapped.status && strcmp(expected->message, mapped.message) == 0,
                "%s, %s\n  alone:  %s: %s\n  mapped (%lld%s): %s: %s", tm_op_schema(c->op), c->what,
                tm_status_name(expected->status), expected->message, (long long)place->batch,
                place->last ? ", last" : "", tm_status_name(mapped.status), mapped.message);
            if (place->batch)
                compare_results(c, alone, &mapped, level);
            else
                compare_specs(c, said, specs, &mapped, level);
        }
    }
    tm_error_clear();
    if (level)
        EXPECT_OK(tm_vmap_pop(level));
}

void test_limit_check(const test_limit_call *c)
{
    const tm_tensor *handles[TEST_LIMIT_TENSORS];
    tm_value args[TM_MAX_ARGS];
    outcome alone = {.status = TM_OK}, said = {.status = TM_OK};
    tm_spec specs[MOST_RESULTS];
    tm_scope *scope = tm_scope_push();
    bool made = make_args(c, NULL, NULL, args, handles);
    if (made) {
        infer(c, args, &said, specs);
        call_op(c, args, &alone);
    }
    tm_error_clear();
    for (int p = 0; made && c->num_tensors > 0 && p < COUNT(placements); p++)
        check_mapped(c, &alone, &said, specs, &placements[p]);
    EXPECT_OK(tm_scope_pop(scope));
}
