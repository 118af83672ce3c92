/* test_check.c: the check mode: kernels that break their promise in one way each, alone and under
 * vmap, and kernels that break none.
 */
#include <stdlib.h>
#include <string.h>

#include "law_support.h"

/* -- Kernels over rows, each wrong in one way -------------------------------------------------- */

enum { RIGHT, BEYOND, BEFORE, INPUT, UNWRITTEN };
static int fault;

static tm_status row_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    int64_t n = tm_shape(x)[0];
    float *to = tm_mutable_data(out);
    tm_status status = test_double_row(call, x, out);
    if (status != TM_OK)
        return status;
    if (fault == BEYOND)
        to[n] = 1;
    if (fault == BEFORE)
        to[-1] = 1;
    if (fault == INPUT)
        *(float *)(uintptr_t)tm_data(x) += 1;
    return TM_OK;
}

static const tm_op *row_op(void)
{
    return test_row_op("check_row(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)row_impl,
                       NULL);
}

/* The op on the last row of two alone, and on both mapped; the input is not looked at again. */
static void expect_found(const tm_op *op, int what, const char *parts)
{
    for (int batch = 0; batch < 2; batch++) {
        tm_mode *mode = tm_check_push();
        ck_assert_ptr_nonnull(mode);
        tm_tensor *x = F32(TM_INTS(2, 3), 1, 2, 3, 4, 5, 6);
        tm_vmap_level *v = batch ? tm_vmap_push(NULL) : NULL;
        fault = what;
        tm_tensor *y = CALL(op, {.tensor = batch ? tm_vmap_in(v, x, 0) : tm_select(x, 0, 1)});
        fault = RIGHT;
        ck_assert_msg(!y, "fault %d is not found", what);
        EXPECT_ERROR(TM_ERR_SCHEMA, parts);
        if (v)
            EXPECT_OK(tm_vmap_pop(v));
        EXPECT_OK(tm_mode_pop(mode));
    }
}

START_TEST(a_kernel_that_keeps_its_promise)
{
    const tm_op *op = row_op();
    tm_mode *mode = tm_check_push();
    tm_tensor *x = F32(TM_INTS(2, 3), 1, 2, 3, 4, 5, 6);
    EXPECT_F32(CALL(op, {.tensor = x}), TM_INTS(2, 3), 2, 4, 6, 8, 10, 12);
    EXPECT_F32(tm_add_(x, tm_swapaxes(tm_ones(TM_INTS(3, 2), TM_FLOAT32), 0, 1)), TM_INTS(2, 3), 2,
               3, 4, 5, 6, 7);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, x, 0), *z = tm_zeros(TM_INTS(3), TM_FLOAT32);
    MADE(tm_copy_(tm_slice(z, 0, 0, 3, 2), tm_slice(row, 0, 0, 3, 2))); /* promotes z */
    tm_tensor *out = MADE(tm_vmap_out(v, z, 0));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(out, TM_INTS(2, 3), 2, 0, 4, 5, 0, 7);
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

START_TEST(writing_outside_an_output_is_found)
{
    const tm_op *op = row_op();
    expect_found(op, BEYOND, "check_row|the kernel wrote outside the memory of output 0");
    expect_found(op, BEFORE, "check_row|the kernel wrote outside the memory of output 0");
}
END_TEST

START_TEST(changing_an_input_is_found)
{
    expect_found(row_op(), INPUT,
                 "check_row|the kernel changed the memory of x, which its schema does not write");
}
END_TEST

/* -- Elements left unwritten ------------------------------------------------------------------- */

static tm_status first_only_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    for (int64_t i = 0; i + (fault == UNWRITTEN) < tm_shape(x)[0]; i++)
        ((float *)tm_mutable_data(out))[i * tm_strides(out)[0]] =
            ((const float *)tm_data(x))[i * tm_strides(x)[0]];
    return TM_OK;
}

START_TEST(an_element_left_unwritten_is_found)
{
    const tm_op *op = test_row_op("check_short(Tensor x) -> Tensor", (tm_fn)test_row_meta,
                                  (tm_fn)first_only_impl, NULL);
    expect_found(op, UNWRITTEN, "check_short|left element|of output 0 unwritten");
    /* What looks like poison is none where the kernel has written it. */
    tm_mode *mode = tm_check_push();
    uint32_t bits[3] = {0xffffffffu, 0xa5a5a5a5u, 0xffffffffu};
    float values[3];
    memcpy(values, bits, sizeof bits);
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 1, (const int64_t[]){3}, values));
    tm_tensor *y = MADE(CALL(op, {.tensor = x}));
    ck_assert_int_eq(memcmp(tm_data(y), bits, sizeof bits), 0);
    MADE(tm_full(TM_INTS(9), tm_scalar_int(-1), TM_INT8));
    tm_seed(1);
    tm_tensor *drawn = MADE(tm_randint(-1, 0, TM_INTS(9), TM_INT32, NULL));
    ck_assert_double_eq(test_value(drawn, 8), -1);
    ck_assert_uint_eq(tm_rng_count(), 1);
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

/* -- Arguments ----------------------------------------------------------------------------------
 */

static tm_status failing_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)out;
    *(float *)(uintptr_t)tm_data(x) += 1;
    return tm_fail(call, TM_ERR_VALUE, "half way");
}

START_TEST(a_failing_call_that_changed_something_is_found)
{
    const tm_op *op = test_row_op("check_failing(Tensor x) -> Tensor", (tm_fn)test_row_meta,
                                  (tm_fn)failing_impl, NULL);
    expect_found(op, RIGHT, "check_failing|the call failed, but the memory of x is changed");
}
END_TEST

/* x = 7, and one element more where there is a fault. */
static tm_status put_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        *(float *)(ptr[0] + i * step[0]) = 7;
    if (fault == BEYOND)
        *(float *)(ptr[0] + 4) = 7;
    return TM_OK;
}

static tm_status put_meta(tm_call *call, const tm_tensor *x)
{
    tm_elementwise_loop(call, put_loop, 1, (const tm_dtype[]){TM_FLOAT32});
    return tm_output_like(call, 0, x);
}

START_TEST(writing_beside_an_arguments_elements_is_found)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, put_loop}, {0}};
    const tm_op *op = OP(.schema = "check_put_(Tensor! x) -> Tensor!", .contract = TM_ELEMENTWISE,
                         .meta = (tm_fn)put_meta, .loops = loops);
    tm_mode *mode = tm_check_push();
    tm_tensor *x = F32(TM_INTS(5), 1, 2, 3, 4, 5);
    tm_tensor *view = MADE(tm_slice(x, 0, 0, 5, 2));
    MADE(CALL(op, {.tensor = view}));
    EXPECT_F32(x, TM_INTS(5), 7, 2, 7, 4, 7);
    fault = BEYOND;
    tm_tensor *y = CALL(op, {.tensor = view});
    fault = RIGHT;
    EXPECT_NULL(y, TM_ERR_SCHEMA, "check_put_|the kernel wrote beside the elements of x");
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

/* A written argument of a per-example op is computed aside. */
static tm_status aside_impl(tm_call *call, tm_tensor *x)
{
    (void)call;
    if (fault == BEYOND)
        ((float *)tm_mutable_data(x))[tm_numel(x)] = 1;
    return TM_OK;
}

START_TEST(writing_outside_a_temporary_is_found)
{
    const tm_op *op = OP(.schema = "check_aside_(Tensor! x) -> Tensor!", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)test_row_meta, .impl = (tm_fn)aside_impl);
    tm_mode *mode = tm_check_push();
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    MADE(CALL(op, {.tensor = x}));
    fault = BEYOND;
    tm_tensor *y = CALL(op, {.tensor = x});
    fault = RIGHT;
    EXPECT_NULL(y, TM_ERR_SCHEMA,
                "check_aside_|the kernel wrote outside the memory of a temporary");
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

/* -- The mode among others --------------------------------------------------------------------- */

static tm_status twice_impl(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    *out = CALL(tm_op_find("check_row", NULL), {.tensor = tm_add(x, x)});
    (void)call;
    return *out ? TM_OK : tm_error_code();
}

START_TEST(a_composite_is_told_by_what_it_calls)
{
    row_op();
    const tm_op *op = OP(.schema = "check_twice(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)test_row_meta, .impl = (tm_fn)twice_impl);
    expect_found(op, BEYOND, "check_twice|the kernel wrote outside the memory of output 0");
}
END_TEST

static tm_mode_answer give_argument(tm_call *call, void *state)
{
    (void)state;
    tm_mode_return(call, 0, tm_call_arg(call, 0)->tensor);
    return TM_MODE_HANDLED;
}

START_TEST(what_another_mode_returns_is_not_the_kernels)
{
    static const tm_mode_def giving = {
        .struct_size = sizeof giving, .name = "giving", .handle = give_argument};
    tm_mode *below = tm_mode_push(&giving, NULL), *mode = tm_check_push();
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_F32(tm_neg(x), TM_INTS(2), 1, 2);
    EXPECT_OK(tm_mode_pop(mode));
    EXPECT_OK(tm_mode_pop(below));
    EXPECT_F32(tm_neg(x), TM_INTS(2), -1, -2);
}
END_TEST

START_TEST(without_the_mode_nothing_is_guarded)
{
    uint64_t before = tm_memory_get_stats().live_bytes;
    tm_tensor *x = MADE(tm_ones(TM_INTS(4), TM_FLOAT32));
    uint64_t plain = tm_memory_get_stats().live_bytes - before;
    tm_mode *mode = tm_check_push();
    tm_mode *again = tm_check_push();
    EXPECT_OK(tm_mode_pop(again));
    before = tm_memory_get_stats().live_bytes;
    tm_tensor *y = MADE(tm_ones(TM_INTS(4), TM_FLOAT32));
    ck_assert_uint_ge(tm_memory_get_stats().live_bytes - before, plain + 128);
    EXPECT_OK(tm_mode_pop(mode));
    before = tm_memory_get_stats().live_bytes;
    MADE(tm_ones(TM_INTS(4), TM_FLOAT32));
    ck_assert_uint_eq(tm_memory_get_stats().live_bytes - before, plain);
    EXPECT_F32(tm_add(x, y), TM_INTS(4), 2, 2, 2, 2); /* they outlive the mode */
}
END_TEST

/* -- The law under it -------------------------------------------------------------------------- */

START_TEST(every_op_keeps_the_law_under_check)
{
    test_expect_law((tm_law_options){.cases = 3000, .check = true});
}
END_TEST

START_TEST(the_law_under_check_finds_more)
{
    SAMPLES(samples, "check_row");
    test_row_op("check_row(Tensor x) -> Tensor", (tm_fn)test_row_meta, (tm_fn)row_impl, &samples);
    tm_law_result result;
    fault = BEYOND;
    char *text =
        test_law_report_with("check_row", (tm_law_options){.cases = 20, .check = true}, &result);
    fault = RIGHT;
    ck_assert_int_gt(result.violations, 0);
    ck_assert_msg(strstr(text, "check: the kernel wrote outside the memory of output 0"), "%s",
                  text);
    ck_assert_ptr_nonnull(strstr(text, " --check"));
    free(text);
}
END_TEST

Suite *check_suite(void)
{
    const TTest *tests[] = {a_kernel_that_keeps_its_promise,
                            writing_outside_an_output_is_found,
                            changing_an_input_is_found,
                            an_element_left_unwritten_is_found,
                            a_failing_call_that_changed_something_is_found,
                            writing_beside_an_arguments_elements_is_found,
                            writing_outside_a_temporary_is_found,
                            a_composite_is_told_by_what_it_calls,
                            what_another_mode_returns_is_not_the_kernels,
                            without_the_mode_nothing_is_guarded,
                            every_op_keeps_the_law_under_check,
                            the_law_under_check_finds_more};
    return test_suite("check", tests, COUNT(tests));
}
