/* test_told.c: metas and kernels of every kind that record a failure, or have a library call leave
 * one standing, and return TM_OK all the same: they have failed by it, at the example where it was,
 * their arguments are as they were, and the op works afterwards.
 */
#include <stdlib.h>

#include "support.h"

/* How they fail: through their call, or by an op inside. None does where x starts with a number
 * that is not negative. */
static enum how { BY_PARAMS, BY_FAIL, BY_OP, BY_SCOPE, NUM_HOW } how;

static void fail_quietly(tm_call *call)
{
    switch (how) {
    case BY_PARAMS:
        if (tm_params(call, 300)) /* more than there are: NULL */
            abort();
        break;
    case BY_FAIL:
        tm_fail(call, TM_ERR_VALUE, "quietly");
        break;
    case BY_OP:
        tm_add(NULL, NULL);
        break;
    default:
        tm_scope_pop(NULL);
    }
}

static const char *const words[NUM_HOW] = {"parameters", "quietly", "x1 is NULL", "scope is NULL"};
static const tm_status codes[NUM_HOW] = {TM_ERR_SCHEMA, TM_ERR_VALUE, TM_ERR_USAGE, TM_ERR_USAGE};

static tm_status like(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status failing_meta(tm_call *call, const tm_tensor *x)
{
    fail_quietly(call);
    return tm_output_like(call, 0, x);
}

static tm_status row(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const float *from = tm_data(x);
    float *to = tm_mutable_data(out);
    int64_t n = tm_size(x, 0);
    for (int64_t i = 0; i < n; i++) {
        to[i * *tm_strides(out)] = from[i * *tm_strides(x)];
        if (i == 0 && *from < 0)
            fail_quietly(call); /* half way */
    }
    return TM_OK;
}

static tm_status loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float x = *(const float *)(ptr[0] + i * step[0]);
        *(float *)(ptr[1] + i * step[1]) = x;
        if (x < 0)
            fail_quietly(call);
    }
    return TM_OK;
}

static tm_status reduce(tm_call *call, const tm_reduce_args *args)
{
    for (int64_t i = 0; i < args->num; i++) {
        float x = *(const float *)(args->x + i * args->x_step);
        *(float *)(args->out + i * args->out_step) = x;
        if (x < 0)
            fail_quietly(call);
    }
    return TM_OK;
}

static tm_status batched(tm_call *call, const tm_batch *batch)
{
    (void)batch;
    fail_quietly(call);
    return TM_OK;
}

static tm_status rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                      int num_inputs, tm_tensor *const *outputs)
{
    (void)inputs, (void)mapped, (void)num_inputs, (void)outputs;
    fail_quietly(call);
    return TM_OK;
}

static uint64_t lanes(tm_call *call, const tm_lanes *given)
{
    (void)given;
    fail_quietly(call);
    return 0;
}

static tm_status composite(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    *out = tm_neg(x);
    fail_quietly(call);
    return TM_OK;
}

static tm_status dynamic_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output(call, 0, tm_dtype_of(x), 1, (const int64_t[]){TM_DYNAMIC});
}

static tm_status dynamic(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_output_alloc(call, 0, 1, (const int64_t[]){2});
    ((float *)tm_mutable_data(out))[0] = *(const float *)tm_data(x);
    fail_quietly(call);
    return TM_OK;
}

static void expect_told(const char *op)
{
    char text[100];
    snprintf(text, sizeof text, "%s: |%s", op, words[how]);
    EXPECT_ERROR(codes[how], text);
}

static bool placed = true; /* the kernel's failures have an example */

/* Rows 0, 1, 2, of which `bad` is negative (-1: none), each one example. */
static tm_tensor *map_rows(const tm_op *op, int bad)
{
    float values[] = {1, 2, 3, 4, 5, 6};
    if (bad >= 0)
        values[2 * bad] *= -1;
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 2, (const int64_t[]){3, 2}, values));
    tm_tensor *y = CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))});
    tm_tensor *out = y ? MADE(tm_vmap_out(v, y, 0)) : NULL;
    if (!y && bad >= 0 && placed)
        ck_assert_int_eq(tm_error_get()->levels[0].index, bad);
    EXPECT_OK(tm_vmap_pop(v));
    return out;
}

static void expect_rows(const tm_op *op)
{
    for (how = 0; how < NUM_HOW; how++) {
        ck_assert_ptr_null(map_rows(op, 1));
        expect_told(tm_op_name(op));
        EXPECT_F32(map_rows(op, -1), TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
        ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(2), -1, 2)}));
        expect_told(tm_op_name(op));
        EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_INTS(2), 1, 2);
    }
}

START_TEST(kernels_of_examples)
{
    const int8_t core[] = {1, 1};
    expect_rows(OP(.schema = "told_row(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                   .core = core, .meta = (tm_fn)like, .impl = (tm_fn)row));
    tm_set_acceleration(TM_ACCEL_OFF);
    expect_rows(OP(.schema = "told_signature(Tensor x) -> Tensor", .contract = TM_SIGNATURE,
                   .signature = "(n)->(n)", .meta = (tm_fn)like, .impl = (tm_fn)row));
    tm_set_acceleration(TM_ACCEL_AUTO);
}
END_TEST

/* A block that meta has not asked for is none. */
static tm_status late_params(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    ck_assert_ptr_null(tm_params(call, 8));
    ck_assert_int_eq(tm_error_code(), TM_OK); /* it is the call's failure, not yet the thread's */
    how = BY_FAIL;
    row(call, x, out);
    return TM_OK;
}

START_TEST(parameters_that_meta_did_not_set)
{
    const tm_op *op = OP(.schema = "told_late(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)like, .impl = (tm_fn)late_params);
    EXPECT_NULL(map_rows(op, -1), TM_ERR_USAGE,
                "told_late: tm_params, for the first time, was called outside the op's meta");
}
END_TEST

START_TEST(loops)
{
    placed = false; /* they say so with tm_fail_at */
    static const tm_loop table[] = {{TM_FLOAT32, TM_FLOAT32, loop}, {0}};
    expect_rows(OP(.schema = "told_loop(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE,
                   .loops = table, .can_fail = true));
    static const tm_reduce_loop reductions[] = {{TM_FLOAT32, TM_FLOAT32, reduce}, {0}};
    const tm_op *op = OP(.schema = "told_reduce(Tensor x) -> Tensor", .contract = TM_REDUCTION,
                         .reduce = reductions, .can_fail = true);
    for (how = 0; how < NUM_HOW; how++) {
        ck_assert_ptr_null(map_rows(op, 1));
        expect_told("told_reduce");
        EXPECT_F32(map_rows(op, -1), TM_INTS(3), 1, 3, 5);
    }
}
END_TEST

/* Of loops that break their word: can_fail is not set. */
START_TEST(loops_that_may_not_fail)
{
    static const tm_loop table[] = {{TM_FLOAT32, TM_FLOAT32, loop}, {0}};
    const tm_op *op =
        OP(.schema = "told_word(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE, .loops = table);
    for (how = 0; how < NUM_HOW; how++) {
        ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(2), -1, 2)}));
        expect_told("told_word");
        tm_tensor *big = test_iota(TM_FLOAT32, TM_INTS(1 << 21));
        ((float *)tm_mutable_data(big))[70] = -1;
        ck_assert_ptr_null(CALL(op, {.tensor = big}));
        expect_told("told_word");
    }
}
END_TEST

START_TEST(accelerated_kernels)
{
    static const int8_t core[] = {1, 1};
    static const tm_lanes_kernel table[] = {{lanes, .dtype = TM_FLOAT32, .width = 4, .most = 8},
                                            {0}};
    const tm_op *ops[] = {
        OP(.schema = "told_batched(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .core = core,
           .meta = (tm_fn)like, .impl = (tm_fn)row, .batched = batched),
        OP(.schema = "told_rule(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .core = core,
           .meta = (tm_fn)like, .impl = (tm_fn)row, .rule = rule),
        OP(.schema = "told_lanes(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .core = core,
           .meta = (tm_fn)like, .impl = (tm_fn)row, .lanes = table)};
    for (int i = 0; i < COUNT(ops); i++)
        for (how = 0; how < NUM_HOW; how++) {
            tm_tensor *out = map_rows(ops[i], -1);
            if (i == 1 && codes[how] == TM_ERR_VALUE) { /* of data: the plain kernel decides */
                EXPECT_F32(out, TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
                continue;
            }
            ck_assert_ptr_null(out);
            expect_told(tm_op_name(ops[i]));
            tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4); /* rows outside every level */
            if (i == 0) {
                ck_assert_ptr_null(CALL(ops[i], {.tensor = x}));
                expect_told(tm_op_name(ops[i]));
            }
        }
}
END_TEST

START_TEST(metas_composites_and_shapes_that_depend_on_data)
{
    const tm_op *ops[] = {
        OP(.schema = "told_meta(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)failing_meta, .impl = (tm_fn)row),
        OP(.schema = "told_composite(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
           .meta = (tm_fn)like, .impl = (tm_fn)composite),
        OP(.schema = "told_dynamic(Tensor x) -> Tensor", .contract = TM_DATA_DEPENDENT,
           .meta = (tm_fn)dynamic_meta, .impl = (tm_fn)dynamic)};
    for (int i = 0; i < COUNT(ops); i++)
        for (how = 0; how < NUM_HOW; how++) {
            uint64_t live = tm_memory_get_stats().live_tensors;
            tm_tensor *x = F32(TM_INTS(2), 1, 2);
            ck_assert_ptr_null(CALL(ops[i], {.tensor = x}));
            expect_told(tm_op_name(ops[i]));
            EXPECT_F32(x, TM_INTS(2), 1, 2);
            ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live + 1);
        }
}
END_TEST

START_TEST(in_place_and_out_forms_write_nothing)
{
    static const tm_loop table[] = {{TM_FLOAT32, TM_FLOAT32, loop}, {0}};
    OP(.schema = "told_loop(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE, .loops = table,
       .can_fail = true);
    const tm_op *in_place = tm_op_find("told_loop_", ""), *out = tm_op_find("told_loop_out", "");
    for (how = 0; how < NUM_HOW; how++) {
        tm_tensor *x = F32(TM_INTS(2), 1, -2), *y = F32(TM_INTS(2), 7, 7);
        ck_assert_ptr_null(CALL(in_place, {.tensor = x}));
        expect_told("told_loop_");
        ck_assert_ptr_null(CALL(out, {.tensor = x}, {.tensor = y}));
        expect_told("told_loop_out");
        EXPECT_F32(x, TM_INTS(2), 1, -2);
        EXPECT_F32(y, TM_INTS(2), 7, 7);
    }
}
END_TEST

START_TEST(several_threads)
{
    const int8_t core[] = {1, 1};
    const tm_op *op =
        OP(.schema = "told_threads(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .core = core,
           .meta = (tm_fn)like, .impl = (tm_fn)row, .thread_safe = true);
    EXPECT_OK(tm_set_num_threads(4));
    for (how = 0; how < NUM_HOW; how++) {
        tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(1 << 14, 8));
        float *data = tm_mutable_data(x);
        data[8 * 9000] = data[8 * 16000] = -1;
        tm_vmap_level *v = tm_vmap_push(NULL);
        ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
        ck_assert_int_eq(tm_error_get()->levels[0].index, 9000);
        expect_told("told_threads");
        EXPECT_OK(tm_vmap_pop(v));
        tm_release(tm_keep(x));
    }
    EXPECT_OK(tm_set_num_threads(1));
}
END_TEST

Suite *told_suite(void)
{
    const TTest *tests[] = {kernels_of_examples,
                            parameters_that_meta_did_not_set,
                            loops,
                            loops_that_may_not_fail,
                            accelerated_kernels,
                            metas_composites_and_shapes_that_depend_on_data,
                            in_place_and_out_forms_write_nothing,
                            several_threads};
    return test_suite("told", tests, COUNT(tests));
}
