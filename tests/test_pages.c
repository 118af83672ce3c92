/* test_pages.c: every op on memory of the caller's that ends, or begins, where the next page may
 * not be touched, and that may not be written where the schema does not write it.
 *
 * So each tensor is aligned as its dtype is and no better, nobody reads or writes behind its ends,
 * and nobody writes to an input. Each valid sample is called alone and mapped, and gives what it
 * gives on the library's own memory. A written argument that is marked read-only is refused.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "law/case.h"
#include "law/elements.h"
#include "law/values.h"
#include "law_support.h"

enum { GROUPS = 16, SAMPLES = 8, BATCH = 3, MOST_TENSORS = 24, ROOM = 1 << 16 };

/* Where tensors are. */
typedef enum place { OWN, AT_END, AT_BEGIN, NUM_PLACES } place;

typedef struct page_call {
    const tm_op *op;
    const tm_law_sample *sample;
    place place;
    bool mapped;
    bool refuse; /* written arguments are marked read-only */
    int num_tensors;
    tm_tensor *tensors[MOST_TENSORS];
} page_call;

typedef struct page_outcome {
    tm_status status;
    char message[600];
    tm_value results[TM_MAX_OUTPUTS];
} page_outcome;

/* -- Rooms with walls -------------------------------------------------------------------------- */

static char
    *rooms[MOST_TENSORS]; /* ROOM bytes each, a page that may not be touched on both sides */

static void build_rooms(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < MOST_TENSORS; i++) {
        char *all = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ck_assert_ptr_ne(all, MAP_FAILED);
        rooms[i] = all + page;
    }
}

/* A place for so many bytes, writable; NULL where there is no more. */
static char *enter(const page_call *c, size_t bytes)
{
    if (c->num_tensors == MOST_TENSORS || bytes > ROOM)
        return NULL;
    char *room = rooms[c->num_tensors];
    ck_assert_int_eq(mprotect(room, ROOM, PROT_READ | PROT_WRITE), 0);
    memset(room, 0x5a, ROOM);
    return c->place == AT_END ? room + ROOM - bytes : room;
}

/* -- Arguments --------------------------------------------------------------------------------- */

static tm_tensor *make(page_call *c, tm_dtype dtype, int ndim, const int64_t *shape, bool written,
                       const tm_law_tensor *values)
{
    int64_t whole[TM_MAX_NDIM + 1] = {BATCH}, numel = 1;
    int front = c->mapped;
    memcpy(whole + front, shape, (size_t)ndim * sizeof *shape);
    for (int d = 0; d < ndim; d++)
        numel *= shape[d];
    size_t bytes = (size_t)numel * tm_dtype_size(dtype);
    char *data = malloc(BATCH * bytes + 1);
    ck_assert_ptr_nonnull(data);
    memset(data, 0, BATCH * bytes);
    for (int copy = 0; copy < BATCH && values && bytes > 0; copy++) {
        tm_law_rng rng = tm_law_rng_at(1, (uint64_t)(c->num_tensors * BATCH + copy));
        tm_law_original(&rng, values, data + (size_t)copy * bytes);
    }
    tm_tensor *x = NULL;
    size_t all = (front ? BATCH : 1) * bytes;
    char *to = c->place == OWN ? NULL : enter(c, all);
    if (c->place == OWN && c->num_tensors < MOST_TENSORS) {
        x = tm_from_data(dtype, ndim + front, whole, data);
    } else if (to) {
        memcpy(to, data, all);
        tm_wrap_options options = {.struct_size = sizeof options,
                                   .read_only = !written || c->refuse};
        /* Without elements it is at the wall, and so is what its steps of 0 lead to. */
        static const int64_t still[TM_MAX_NDIM + 1];
        x = tm_wrap(dtype, ndim + front, whole, all == 0 && c->place == AT_END ? still : NULL, to,
                    &options);
        if (options.read_only)
            ck_assert_int_eq(mprotect(rooms[c->num_tensors], ROOM, PROT_READ), 0);
    }
    free(data);
    if (x)
        c->tensors[c->num_tensors++] = x;
    return x && c->mapped ? tm_vmap_in(tm_vmap_current(), x, 0) : x;
}

static bool make_args(page_call *c, tm_value *args, const tm_tensor **handles)
{
    const tm_law_sample *s = c->sample;
    for (int p = 0; p < s->num_args; p++) {
        const tm_law_arg *arg = &s->args[p];
        const tm_param *param = tm_op_param(c->op, p);
        args[p] = arg->value;
        bool is_list = param->type == TM_TYPE_TENSOR_LIST;
        if (param->type == TM_TYPE_GENERATOR)
            args[p].generator = NULL;
        if (param->type != TM_TYPE_TENSOR && !is_list)
            continue;
        for (int i = arg->first; i < arg->first + arg->count; i++) {
            const tm_law_tensor *t = &s->tensors[i];
            handles[i] = make(c, t->dtype, t->ndim, t->shape, param->written, t);
            if (!handles[i])
                return false;
            args[p].tensor = handles[i];
        }
        if (is_list)
            args[p].tensors = (tm_tensor_list){handles + arg->first, arg->count};
    }
    return true;
}

/* An _out form's outputs: like what the op gives. */
static bool make_outs(page_call *c, tm_value *args)
{
    const tm_op *base = tm_op_base(c->op);
    tm_value results[TM_MAX_OUTPUTS];
    int given = c->sample->num_args, more = tm_op_num_params(c->op) - given;
    if (more == 0)
        return true;
    tm_seed(0);
    if (tm_op_call(base, args, given, results, tm_op_num_outputs(base)) != TM_OK)
        return false;
    for (int i = 0; i < more; i++) {
        const tm_tensor *like = results[i].tensor;
        args[given + i].tensor =
            make(c, tm_dtype_of(like), tm_ndim(like), tm_shape(like), true, NULL);
        if (!args[given + i].tensor)
            return false;
    }
    return true;
}

/* -- Calls ------------------------------------------------------------------------------------- */

/* False where the arguments cannot be made. */
static bool run(page_call *c, page_outcome *o)
{
    const tm_tensor *handles[MOST_TENSORS];
    tm_value args[TM_MAX_ARGS];
    c->num_tensors = 0;
    *o = (page_outcome){.status = TM_OK};
    if (!make_args(c, args, handles) || !make_outs(c, args))
        return false;
    tm_seed(0);
    o->status =
        tm_op_call(c->op, args, tm_op_num_params(c->op), o->results, tm_op_num_outputs(c->op));
    snprintf(o->message, sizeof o->message, "%s", o->status ? tm_error_message() : "");
    tm_error_clear();
    return true;
}

static void compare(const page_call *c, const char *what, const tm_tensor *x, const tm_tensor *y)
{
    if (c->mapped) {
        x = tm_vmap_out(tm_vmap_current(), x, 0);
        y = tm_vmap_out(tm_vmap_current(), y, 0);
    }
    size_t item = tm_dtype_size(tm_dtype_of(x)), bytes = (size_t)tm_numel(x) * item;
    ck_assert_msg(x && y && bytes == (size_t)tm_numel(y) * item, "%s: %s: another size",
                  tm_op_schema(c->op), what);
    char *a = malloc(2 * bytes + 1), *b = a + bytes;
    tm_law_gather(item, tm_ndim(x), tm_shape(x), tm_strides(x), tm_data(x), a);
    tm_law_gather(item, tm_ndim(y), tm_shape(y), tm_strides(y), tm_data(y), b);
    int64_t at = tm_law_first_difference(tm_dtype_of(x), tm_numel(x), a, b, 0, 0);
    free(a);
    ck_assert_msg(at < 0, "%s, sample \"%s\", %s, place %d: element %lld differs",
                  tm_op_schema(c->op), c->sample->source->args, what, (int)c->place, (long long)at);
}

static void check_place(page_call *c, const page_outcome *own)
{
    page_outcome here;
    bool random = tm_op_contract(c->op) == TM_RANDOM || tm_law_takes_generator(c->op);
    if (!run(c, &here)) {
        tm_error_clear();
        return;
    }
    if (c->refuse) {
        ck_assert_msg(own->status != TM_OK || here.status == TM_ERR_ALIASING,
                      "%s: read-only memory: %s", tm_op_schema(c->op), tm_status_name(here.status));
        return;
    }
    ck_assert_msg(own->status == here.status && strcmp(own->message, here.message) == 0,
                  "%s: \"%s\" became \"%s\"", tm_op_schema(c->op), own->message, here.message);
    int count = here.status ? 0 : (int)tm_law_count_results(c->op, here.results);
    for (int i = 0; i < count && !random; i++)
        if (!tm_law_gives_scalar(c->op, i))
            compare(c, "result", tm_law_result_at(c->op, own->results, i),
                    tm_law_result_at(c->op, here.results, i));
}

static bool writes(const page_call *c)
{
    bool writes = false;
    for (int p = 0; p < tm_op_num_params(c->op); p++)
        writes = writes || tm_op_param(c->op, p)->written;
    return writes;
}

static bool check_sample(const tm_op *op, const tm_law_sample *sample)
{
    const tm_vmap_options options = {.struct_size = sizeof options,
                                     .randomness = TM_RANDOMNESS_DIFFERENT};
    if (sample->num_tensors > MOST_TENSORS)
        return false;
    for (int mapped = 0; mapped < 2; mapped++) {
        page_call c = {.op = op, .sample = sample, .mapped = mapped};
        page_outcome own;
        tm_scope *scope = tm_scope_push();
        tm_vmap_level *level = mapped ? tm_vmap_push(&options) : NULL;
        bool made = run(&c, &own) && c.num_tensors > 0;
        for (c.place = AT_END; made && c.place < NUM_PLACES; c.place++)
            check_place(&c, &own);
        c.place = AT_END;
        c.refuse = true;
        if (made && writes(&c))
            check_place(&c, &own);
        tm_error_clear();
        if (level)
            EXPECT_OK(tm_vmap_pop(level));
        EXPECT_OK(tm_scope_pop(scope));
    }
    return true;
}

START_TEST(every_op_between_walls)
{
    const char *only = getenv("TM_PAGES_OP");
    build_rooms();
    for (int64_t i = _i; i < tm_op_count(); i += GROUPS) {
        const tm_op *op = tm_op_at(i);
        if (!only || strcmp(only, tm_op_name(op)) == 0)
            test_each_valid_sample(op, SAMPLES, check_sample);
    }
}
END_TEST

START_TEST(where_there_are_no_elements_none_is_read)
{
    const int64_t none[] = {0, 3}, one_row[] = {0, 1}; /* of which its axis could be made */
    void *wall = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(wall, MAP_FAILED);
    tm_tensor *at = MADE(tm_wrap(TM_INT64, 2, none, one_row, wall, NULL));
    tm_tensor *x = MADE(tm_zeros(TM_INTS(3, 2), TM_FLOAT32));
    tm_tensor *empty = MADE(tm_zeros(TM_INTS(0, 3), TM_FLOAT32));
    EXPECT_SHAPE(tm_embedding(x, at), TM_FLOAT32, TM_INTS(0, 3, 2));
    EXPECT_SHAPE(tm_index_select(x, 0, MADE(tm_wrap(TM_INT64, 1, none, one_row, wall, NULL))),
                 TM_FLOAT32, TM_INTS(0, 2));
    EXPECT_SHAPE(tm_gather(empty, 1, at), TM_FLOAT32, TM_INTS(0, 3));
    EXPECT_SHAPE(tm_take_along_axis(empty, at, 1), TM_FLOAT32, TM_INTS(0, 3));
    EXPECT_SHAPE(tm_scatter(empty, 1, at, empty), TM_FLOAT32, TM_INTS(0, 3));
    EXPECT_SHAPE(tm_index_gather(x, "T", TM_TENSORS(at), tm_no_ints), TM_FLOAT32, TM_INTS(0, 3, 2));
    EXPECT_SHAPE(tm_one_hot(at, 4, TM_FLOAT32), TM_FLOAT32, TM_INTS(0, 3, 4));
    const int64_t rows[] = {3, 0}, still[] = {0, 0};
    x = MADE(tm_wrap(TM_FLOAT64, 2, rows, still, wall, NULL));
    EXPECT_SHAPE(tm_cdist(x, x, 2), TM_FLOAT64, TM_INTS(3, 3));
}
END_TEST

Suite *pages_suite(void)
{
    const TTest *once[] = {where_there_are_no_elements_none_is_read};
    const TTest *tests[] = {every_op_between_walls};
    Suite *suite = test_suite("pages", once, COUNT(once));
    test_suite_loop(suite, tests, COUNT(tests), GROUPS);
    return suite;
}
