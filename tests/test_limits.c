/* test_limits.c: every op, each of its arguments at its limits.
 *
 * Each valid sample of each declared op is called with one number, list or tensor replaced by an
 * extreme one: alone, and mapped over two equal examples. It must end, in bounded memory, and both
 * must say the same. What is undefined in between is for the sanitizers to see.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "law/case.h"
#include "law/elements.h"
#include "law/values.h"
#include "law_support.h"

enum { GROUPS = 16, SAMPLES = 6, MOST_TENSORS = 32, MOST_RESULTS = 64, MOST_BYTES = 1 << 24 };

static const int64_t extreme_ints[] = {
    INT64_MIN,        INT64_MIN + 1,   -1, 0, 1, INT64_MAX, INT64_MAX - 1, INT32_MIN, INT32_MAX,
    INT64_C(1) << 32, INT64_C(1) << 62};
static const double extreme_floats[] = {NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, -DBL_MAX, 5e-324};

/* What the call is given: the sample's tensors, changed or not. */
typedef struct limit_call {
    const tm_op *op;
    const tm_law_sample *sample;
    tm_value args[TM_MAX_ARGS];
    int num_tensors;
    tm_law_tensor tensors[MOST_TENSORS];
    int filled; /* the tensor whose elements are all `fill`, -1: none */
    double fill;
    const char *what; /* which argument is at its limit */
} limit_call;

typedef struct limit_outcome {
    tm_status status;
    char message[600];
    int64_t count;
    tm_value results[TM_MAX_OUTPUTS];
} limit_outcome;

/* -- Memory: more than a call on small tensors may ask for is refused -----------------------------
 */

static void *limited_alloc(size_t size, void *user)
{
    (void)user;
    return size <= MOST_BYTES ? malloc(size) : NULL;
}

static void limited_release(void *memory, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(memory);
}

static void limit_memory(void)
{
    const tm_allocator limited = {sizeof limited, limited_alloc, limited_release, NULL};
    tm_set_allocator(&limited);
}

/* -- One call ---------------------------------------------------------------------------------- */

static void fill(const limit_call *c, int i, char *data, int64_t copies)
{
    const tm_law_tensor *tensor = &c->tensors[i];
    size_t item = tm_dtype_size(tensor->dtype), bytes = (size_t)tensor->numel * item;
    for (int64_t copy = 0; copy < copies && bytes > 0; copy++) {
        char *at = data + (size_t)copy * bytes;
        tm_law_rng rng = tm_law_rng_at(1, (uint64_t)i);
        tm_law_original(&rng, tensor, at);
        for (int64_t k = 0; i == c->filled && k < tensor->numel; k++) {
            if (tm_law_is_int(tensor->dtype))
                tm_law_store_int(tensor->dtype,
                                 c->fill < 0 ? tm_law_int_min(tensor->dtype)
                                             : (int64_t)(tm_law_int_max(tensor->dtype)),
                                 at + (size_t)k * item);
            else
                tm_law_store_complex(tensor->dtype, c->fill, c->fill, at + (size_t)k * item);
        }
    }
}

/* The tensor, with two equal examples in front where there is a level. */
static tm_tensor *make_tensor(const limit_call *c, int i, tm_vmap_level *level)
{
    const tm_law_tensor *tensor = &c->tensors[i];
    int64_t shape[TM_MAX_NDIM + 1] = {2};
    memcpy(shape + 1, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
    tm_tensor *x = level ? tm_new(tensor->dtype, tensor->ndim + 1, shape)
                         : tm_new(tensor->dtype, tensor->ndim, tensor->shape);
    if (!x)
        return NULL;
    fill(c, i, tm_mutable_data(x), level ? 2 : 1);
    return level ? tm_vmap_in(level, x, 0) : x;
}

static bool make_args(const limit_call *c, tm_vmap_level *level, tm_value *args,
                      const tm_tensor **handles)
{
    memcpy(args, c->args, sizeof c->args);
    for (int i = 0; i < c->num_tensors; i++) {
        handles[i] = make_tensor(c, i, level);
        if (!handles[i])
            return false;
    }
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
    return true;
}

static void call_op(const limit_call *c, const tm_value *args, limit_outcome *o)
{
    tm_seed(0);
    o->status =
        tm_op_call(c->op, args, tm_op_num_params(c->op), o->results, tm_op_num_outputs(c->op));
    const tm_error *error = tm_error_get();
    snprintf(o->message, sizeof o->message, "%s", o->status && error ? error->message : "");
    o->count = o->status ? 0 : tm_law_count_results(c->op, o->results);
    ck_assert_msg((error != NULL) == (o->status != TM_OK), "%s, %s: %s, but the record says %s",
                  tm_op_schema(c->op), c->what, tm_status_name(o->status), tm_error_message());
    tm_error_clear();
}

/* -- Alone and mapped -------------------------------------------------------------------------- */

static void compare(const limit_call *c, int i, const tm_tensor *alone, const tm_tensor *one)
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

static void compare_results(const limit_call *c, const limit_outcome *alone,
                            const limit_outcome *mapped, tm_vmap_level *level)
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

/* A mapped value cannot become what decides a shape, and such calls are refused. */
static bool may_refuse(const tm_op *op)
{
    tm_contract contract = tm_op_contract(op);
    return contract == TM_DATA_DEPENDENT || contract == TM_COMPOSITE;
}

static void check_call(const limit_call *c)
{
    const tm_tensor *handles[MOST_TENSORS];
    tm_value args[TM_MAX_ARGS];
    limit_outcome alone = {.status = TM_OK}, mapped = {.status = TM_OK};
    tm_scope *scope = tm_scope_push();
    bool made = make_args(c, NULL, args, handles);
    if (made)
        call_op(c, args, &alone);
    tm_error_clear();
    const tm_vmap_options options = {.struct_size = sizeof options,
                                     .randomness = TM_RANDOMNESS_DIFFERENT};
    tm_vmap_level *level = made && c->num_tensors > 0 ? tm_vmap_push(&options) : NULL;
    if (level && make_args(c, level, args, handles)) {
        call_op(c, args, &mapped);
        bool refused = mapped.status == TM_ERR_VMAP && may_refuse(c->op);
        bool memory = alone.status == TM_ERR_MEMORY || mapped.status == TM_ERR_MEMORY;
        if (!refused && !memory) {
            ck_assert_msg(alone.status == mapped.status &&
                              strcmp(alone.message, mapped.message) == 0,
                          "%s, %s\n  alone:  %s: %s\n  mapped: %s: %s", tm_op_schema(c->op),
                          c->what, tm_status_name(alone.status), alone.message,
                          tm_status_name(mapped.status), mapped.message);
            compare_results(c, &alone, &mapped, level);
        }
    }
    tm_error_clear();
    if (level)
        EXPECT_OK(tm_vmap_pop(level));
    EXPECT_OK(tm_scope_pop(scope));
}

/* -- Limits of each type ----------------------------------------------------------------------- */

static void try_ints(limit_call *c, int p, bool optional)
{
    for (int k = 0; k < COUNT(extreme_ints); k++) {
        tm_value value = {.i = extreme_ints[k]};
        if (optional)
            value.opt = &extreme_ints[k];
        c->args[p] = value;
        check_call(c);
    }
}

static void try_list(limit_call *c, int p, bool optional, tm_int_list list)
{
    c->args[p].ints = list;
    if (optional)
        c->args[p].opt = &list;
    check_call(c);
}

static void try_lists(limit_call *c, int p, bool optional)
{
    static int64_t items[TM_MAX_NDIM + 8];
    tm_int_list given = {NULL, 0};
    if (!optional)
        given = c->args[p].ints;
    else if (c->args[p].opt)
        given = *(const tm_int_list *)c->args[p].opt;
    int64_t count = given.count < TM_MAX_NDIM ? given.count : TM_MAX_NDIM;
    for (int k = 0; k < COUNT(extreme_ints); k++) {
        for (int64_t at = 0; at < count; at++) {
            memcpy(items, given.data, (size_t)count * sizeof *items);
            items[at] = extreme_ints[k];
            try_list(c, p, optional, (tm_int_list){items, count});
        }
        for (int i = 0; i < COUNT(items); i++)
            items[i] = extreme_ints[k];
        for (int64_t n = 1; n <= COUNT(items); n += n < 4 ? 1 : COUNT(items) - 4)
            try_list(c, p, optional, (tm_int_list){items, n});
    }
    try_list(c, p, optional, (tm_int_list){NULL, 0});
    for (int i = 0; i < COUNT(items); i++)
        items[i] = i;
    try_list(c, p, optional, (tm_int_list){items, COUNT(items)});
    try_list(c, p, optional, (tm_int_list){items, count + 1});
}

static void try_floats(limit_call *c, int p, bool optional)
{
    for (int k = 0; k < COUNT(extreme_floats); k++) {
        tm_value value = {.f = extreme_floats[k]};
        if (optional)
            value.opt = &extreme_floats[k];
        c->args[p] = value;
        check_call(c);
    }
}

static void try_scalars(limit_call *c, int p, bool optional)
{
    for (int k = 0; k < COUNT(extreme_ints) + 2 * COUNT(extreme_floats); k++) {
        int f = (k - COUNT(extreme_ints)) / 2;
        tm_scalar scalar = k < COUNT(extreme_ints) ? tm_scalar_int(extreme_ints[k])
                           : k % 2                 ? tm_scalar_float(extreme_floats[f])
                                   : tm_scalar_complex(extreme_floats[f], extreme_floats[f]);
        tm_value value = {.scalar = scalar};
        if (optional)
            value.opt = &scalar;
        c->args[p] = value;
        check_call(c);
    }
}

static void try_words(limit_call *c, int p)
{
    static char many[4096];
    memset(many, 'i', sizeof many - 1);
    const char *words[] = {"", "\xff\x01", "i->", many, "9223372036854775808", "T"};
    for (int k = 0; k < COUNT(words); k++) {
        c->args[p].str = words[k];
        check_call(c);
    }
}

static void try_param(limit_call *c, int p)
{
    const tm_param *param = tm_op_param(c->op, p);
    tm_value kept = c->args[p];
    c->what = param->name;
    if (param->type == TM_TYPE_INT)
        try_ints(c, p, param->optional);
    else if (param->type == TM_TYPE_INT_LIST)
        try_lists(c, p, param->optional);
    else if (param->type == TM_TYPE_FLOAT)
        try_floats(c, p, param->optional);
    else if (param->type == TM_TYPE_SCALAR)
        try_scalars(c, p, param->optional);
    else if (param->type == TM_TYPE_STR)
        try_words(c, p);
    c->args[p] = kept;
}

/* A shape of a sample's tensor, without its literal values. */
static void try_shape(limit_call *c, int i, int ndim, const int64_t *shape)
{
    tm_law_tensor kept = c->tensors[i], *tensor = &c->tensors[i];
    tensor->ndim = ndim;
    tensor->numel = 1;
    tensor->literal = NULL;
    if (tensor->generator == TM_LAW_SPD || tensor->generator == TM_LAW_PERM)
        tensor->generator = TM_LAW_PLAIN;
    for (int d = 0; d < ndim; d++)
        tensor->numel *= tensor->shape[d] = shape[d];
    check_call(c);
    c->tensors[i] = kept;
}

static void try_tensor(limit_call *c, int i)
{
    int64_t shape[TM_MAX_NDIM];
    int ndim = c->tensors[i].ndim;
    c->filled = i;
    for (int k = 0; k < COUNT(extreme_floats); k++) {
        char what[80];
        snprintf(what, sizeof what, "tensor %d of %s full of %g", i,
                 tm_dtype_name(c->tensors[i].dtype), extreme_floats[k]);
        c->what = what;
        c->fill = extreme_floats[k];
        check_call(c);
    }
    c->filled = -1;
    c->what = "a tensor's shape";
    for (int empty = 0; empty <= ndim; empty++) { /* one axis without elements; at last all */
        for (int d = 0; d < ndim; d++)
            shape[d] = d == empty || empty == ndim ? 0 : c->tensors[i].shape[d];
        if (ndim > 0)
            try_shape(c, i, ndim, shape);
    }
    try_shape(c, i, 0, shape);
    const int more[] = {1, TM_MAX_NDIM - 1 - ndim}; /* axes of size 1 in front: as many as can be */
    for (int k = 0; k < COUNT(more); k++) {
        for (int d = 0; d < more[k]; d++)
            shape[d] = 1;
        memcpy(shape + more[k], c->tensors[i].shape, (size_t)ndim * sizeof *shape);
        try_shape(c, i, ndim + more[k], shape);
    }
}

/* -- Every op ---------------------------------------------------------------------------------- */

static bool check_sample(const tm_op *op, const tm_law_sample *sample)
{
    limit_call c = {.op = op, .sample = sample, .num_tensors = sample->num_tensors, .filled = -1};
    if (sample->num_tensors > MOST_TENSORS)
        return true;
    int64_t elements = 0;
    for (int i = 0; i < sample->num_tensors; i++) {
        c.tensors[i] = sample->tensors[i];
        elements += sample->tensors[i].numel;
    }
    if (elements > 1000)
        return true;
    for (int p = 0; p < sample->num_args; p++)
        c.args[p] = sample->args[p].value;
    for (int p = 0; p < sample->num_args; p++)
        try_param(&c, p);
    for (int i = 0; i < sample->num_tensors && i < 4; i++)
        try_tensor(&c, i);
    return true;
}

START_TEST(every_argument_of_every_op_at_its_limits)
{
    const char *only = getenv("TM_LIMITS_OP");
    limit_memory();
    for (int64_t i = _i; i < tm_op_count(); i += GROUPS) {
        const tm_op *op = tm_op_at(i);
        if (!tm_op_base(op) && (!only || strcmp(only, tm_op_name(op)) == 0))
            test_each_valid_sample(op, SAMPLES, check_sample);
    }
    tm_set_allocator(NULL);
}
END_TEST

Suite *limits_suite(void)
{
    const TTest *tests[] = {every_argument_of_every_op_at_its_limits};
    Suite *suite = test_suite("limits", NULL, 0);
    test_suite_loop(suite, tests, COUNT(tests), GROUPS);
    return suite;
}
