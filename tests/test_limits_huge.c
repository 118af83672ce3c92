/* test_limits_huge.c: every op's checks on tensors of more elements than memory has.
 *
 * In each valid sample one dimension of one tensor is made as large as can be told, all elements in
 * one place, so that the tensor costs nothing. The checks must say the same alone and mapped, of
 * sizes whose products no integer holds; and a call whose results nobody has memory for is a memory
 * error before anything is computed. What overflows is for the sanitizers to see.
 */
#include <string.h>

#include "law/case.h"
#include "limit_support.h"

enum { GROUPS = 8, SAMPLES = 16, RESULTS = 8 };

/* Bytes of all that a shape may have. */
static const int64_t most_bytes = PTRDIFF_MAX / 2;

/* One element, seen as a tensor of that shape, or as two equal examples of it. */
static tm_tensor *make_tensor(const tm_law_tensor *tensor, tm_vmap_level *level)
{
    static const char element[16];
    int64_t shape[TM_MAX_NDIM + 1] = {2}, strides[TM_MAX_NDIM + 1] = {0};
    int ndim = tensor->ndim + (level != NULL);
    memcpy(shape + (level != NULL), tensor->shape, (size_t)tensor->ndim * sizeof *shape);
    const tm_tensor *one = tm_from_data(tensor->dtype, 0, NULL, element);
    tm_tensor *x = one ? tm_strided_view(one, ndim, shape, strides, 0) : NULL;
    return x && level ? tm_vmap_in(level, x, 0) : x;
}

static bool make_args(const test_limit_call *c, tm_vmap_level *level, tm_value *args,
                      const tm_tensor **handles)
{
    for (int i = 0; i < c->num_tensors; i++)
        if (!(handles[i] = make_tensor(&c->tensors[i], level)))
            return false;
    test_limit_args(c, handles, args);
    return true;
}

/* What meta says. */
typedef struct said {
    tm_status status;
    char message[600];
    int count;
    tm_spec specs[RESULTS];
} said;

static void ask(const test_limit_call *c, const tm_value *args, said *s)
{
    s->status = tm_law_infer(c->op, args, s->specs, RESULTS, &s->count);
    snprintf(s->message, sizeof s->message, "%s", tm_error_message());
    tm_error_clear();
}

static bool same_specs(const test_limit_call *c, const said *a, const said *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count && i < RESULTS; i++) {
        const tm_spec *x = &a->specs[i], *y = &b->specs[i];
        if (tm_law_gives_scalar(c->op, i))
            continue; /* nothing is said of it */
        same = x->dtype == y->dtype && x->ndim == y->ndim &&
               memcmp(x->shape, y->shape, (size_t)x->ndim * sizeof *x->shape) == 0;
    }
    return same;
}

/* Whether a result needs more memory than there is, before the kernel runs. */
static bool is_beyond_memory(const test_limit_call *c, const said *s)
{
    tm_contract contract = tm_op_contract(c->op);
    bool beyond = false;
    for (int i = 0; i < s->count && i < RESULTS; i++) {
        if (tm_law_gives_scalar(c->op, i))
            continue;
        int64_t bytes = (int64_t)tm_dtype_size(s->specs[i].dtype);
        for (int d = 0; d < s->specs[i].ndim && bytes; d++)
            bytes *= s->specs[i].shape[d] > 0 ? s->specs[i].shape[d] : 0;
        beyond = beyond || bytes > TEST_LIMIT_BYTES;
    }
    return beyond && contract != TM_VIEW && contract != TM_VIEW_OR_COPY &&
           contract != TM_DATA_DEPENDENT && contract != TM_COMPOSITE;
}

static void expect_refusal(const test_limit_call *c, const tm_value *args, bool mapped)
{
    tm_value results[TM_MAX_OUTPUTS];
    tm_status status =
        tm_op_call(c->op, args, tm_op_num_params(c->op), results, tm_op_num_outputs(c->op));
    ck_assert_msg(status == TM_ERR_MEMORY || status == TM_ERR_ALIASING, "%s, %s: %s %s",
                  tm_op_schema(c->op), c->what, mapped ? "mapped" : "alone",
                  status ? tm_error_message() : "succeeds");
    tm_error_clear();
}

static void check(const test_limit_call *c)
{
    const tm_tensor *handles[TEST_LIMIT_TENSORS];
    tm_value args[TM_MAX_ARGS];
    said alone, mapped;
    tm_scope *scope = tm_scope_push();
    if (make_args(c, NULL, args, handles)) {
        ask(c, args, &alone);
        bool beyond = alone.status == TM_OK && is_beyond_memory(c, &alone);
        if (beyond)
            expect_refusal(c, args, false);
        tm_vmap_level *level = tm_vmap_push(&(tm_vmap_options){
            .struct_size = sizeof(tm_vmap_options), .randomness = TM_RANDOMNESS_DIFFERENT});
        if (make_args(c, level, args, handles)) {
            ask(c, args, &mapped);
            ck_assert_msg(alone.status == mapped.status &&
                              strcmp(alone.message, mapped.message) == 0,
                          "%s, %s\n  alone:  %s\n  mapped: %s", tm_op_schema(c->op), c->what,
                          alone.message, mapped.message);
            ck_assert_msg(alone.status != TM_OK || same_specs(c, &alone, &mapped),
                          "%s, %s: other results mapped", tm_op_schema(c->op), c->what);
            if (beyond)
                expect_refusal(c, args, true);
        }
        tm_error_clear();
        EXPECT_OK(tm_vmap_pop(level));
    }
    tm_error_clear();
    EXPECT_OK(tm_scope_pop(scope));
}

/* Dimension d of tensor i as large as its bytes, of two examples, allow; and less. */
static void try_dim(test_limit_call *c, int i, int d)
{
    tm_law_tensor kept = c->tensors[i], *tensor = &c->tensors[i];
    int64_t rest = 2 * (int64_t)tm_dtype_size(tensor->dtype);
    for (int k = 0; k < tensor->ndim; k++)
        rest *= k != d && tensor->shape[k] > 0 ? tensor->shape[k] : 1;
    const int64_t sizes[] = {most_bytes / rest, most_bytes / rest - 1, (INT64_C(1) << 40) + 3,
                             INT64_C(3) << 33};
    for (int k = 0; k < COUNT(sizes); k++) {
        char what[80];
        snprintf(what, sizeof what, "size %lld at axis %d of tensor %d", (long long)sizes[k], d, i);
        tensor->shape[d] = sizes[k];
        c->what = what;
        check(c);
    }
    *tensor = kept;
}

/* One size everywhere: what fits together goes on doing so. */
static void try_all(test_limit_call *c, int64_t size, const char *what)
{
    tm_law_tensor kept[TEST_LIMIT_TENSORS];
    memcpy(kept, c->tensors, sizeof kept);
    for (int i = 0; i < c->num_tensors; i++)
        for (int d = 0; d < c->tensors[i].ndim; d++)
            if (c->tensors[i].shape[d] > 1)
                c->tensors[i].shape[d] = size;
    c->what = what;
    check(c);
    memcpy(c->tensors, kept, sizeof kept);
}

static bool check_sample(const tm_op *op, const tm_law_sample *sample)
{
    test_limit_call c;
    if (!test_limit_begin(&c, op, sample))
        return true;
    for (int i = 0; i < c.num_tensors && i < 4; i++)
        for (int d = 0; d < c.tensors[i].ndim; d++)
            try_dim(&c, i, d);
    try_all(&c, INT64_C(1) << 58, "2^58 for every size");
    try_all(&c, INT64_C(1) << 40, "2^40 for every size");
    try_all(&c, INT64_C(1) << 35, "2^35 for every size");
    try_all(&c, INT64_C(1) << 19, "2^19 for every size");
    return true;
}

START_TEST(every_op_on_tensors_larger_than_memory)
{
    test_limit_each_sample(_i, GROUPS, SAMPLES, check_sample);
}
END_TEST

Suite *limits_huge_suite(void)
{
    const TTest *tests[] = {every_op_on_tensors_larger_than_memory};
    Suite *suite = test_suite("limits_huge", NULL, 0);
    test_suite_loop(suite, tests, COUNT(tests), GROUPS);
    return suite;
}
