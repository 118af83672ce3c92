/* test_infer.c: tm_infer: an op's checks alone. It says what a call would return or how it would
 * fail, and neither computes nor allocates.
 */
#include <string.h>

#include "support.h"

static uint64_t allocations(void)
{
    tm_memory_stats stats = tm_memory_get_stats();
    return stats.allocations + stats.releases;
}

static tm_spec spec;

static tm_status infer(const tm_op *op, const tm_value *args)
{
    return tm_infer(op, args, tm_op_num_params(op), &spec, 1);
}

#define INFER(op, ...) infer(op, (const tm_value[]){__VA_ARGS__})

START_TEST(a_spec_is_what_the_call_returns)
{
    const tm_op *triu = tm_op_find("triu", NULL), *add = tm_op_find("add", NULL);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4, 2, 3)), *y = F32(TM_INTS(2, 1), 1, 2);
    EXPECT_OK(INFER(triu, {.tensor = x}, {.i = 0}));
    ck_assert_int_eq(spec.dtype, TM_FLOAT32);
    ck_assert_int_eq(spec.ndim, 3);
    ck_assert_int_eq(spec.shape[0], 4);
    EXPECT_OK(INFER(add, {.tensor = x}, {.tensor = y}));
    ck_assert_int_eq(spec.ndim, 3);
    ck_assert_int_eq(spec.shape[2], 3);
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_OK(INFER(triu, {.tensor = MADE(tm_vmap_in(v, x, 2))}, {.i = 0}));
    ck_assert_int_eq(spec.ndim, 2); /* logical */
    ck_assert_int_eq(spec.shape[0], 4);
    ck_assert_int_eq(spec.shape[1], 2);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_failure_is_the_calls_failure)
{
    const tm_op *triu = tm_op_find("triu", NULL), *add_out = tm_op_find("add_out", NULL);
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_FAIL(INFER(triu, {.tensor = x}, {.i = 0}), TM_ERR_RANK,
                "triu: x must have at least 2 dimensions, got shape (2,)");
    EXPECT_FAIL(INFER(triu, {.tensor = NULL}, {.i = 0}), TM_ERR_USAGE, "triu: x is NULL");
    EXPECT_FAIL(INFER(triu, {.tensor = TM_NONE}, {.i = 0}), TM_ERR_USAGE, "triu: x|TM_NONE");
    EXPECT_FAIL(INFER(add_out, {.tensor = x}, {.tensor = x}, {.tensor = F32(TM_INTS(1), 1)}),
                TM_ERR_SHAPE, "add_out: out");
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_keep(MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(3, 2)), 0)));
    ck_assert_int_eq(INFER(triu, {.tensor = row}, {.i = 0}), TM_ERR_RANK);
    ck_assert_int_eq(tm_error_get()->num_levels, 1);
    EXPECT_ERROR(TM_ERR_RANK, "triu: x must have at least 2 dimensions, got shape (2,)");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_FAIL(INFER(triu, {.tensor = row}, {.i = 0}), TM_ERR_ESCAPED, "triu: x");
}
END_TEST

START_TEST(a_null_passed_on_leaves_the_first_error)
{
    const tm_op *triu = tm_op_find("triu", NULL);
    ck_assert_ptr_null(tm_new(TM_DTYPE_NONE, 0, NULL));
    ck_assert_int_ne(INFER(triu, {.tensor = NULL}, {.i = 0}), TM_OK);
    EXPECT_ERROR(TM_ERR_DTYPE, "new: ");
}
END_TEST

START_TEST(nothing_is_written_and_nothing_promoted)
{
    const tm_op *set = test_op_set(), *zeros = test_op_zeros();
    tm_dispatch_reset_stats();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(CALL(zeros, {.ints = TM_INTS(2)}));
    tm_tensor *row = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(3, 2)), 0));
    tm_dispatch_reset_stats();
    EXPECT_OK(INFER(set, {.tensor = z}, {.tensor = row}));
    ck_assert_int_eq(tm_num_levels(z), 0);
    EXPECT_F32(z, TM_INTS(2), 0, 0);
    ck_assert_uint_eq(tm_dispatch_get_stats().calls, 0);
    ck_assert_uint_eq(tm_dispatch_get_stats().promotions, 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* At any nesting, well or ill: not one block is asked for or given back. */
START_TEST(no_memory_is_touched)
{
    const tm_op *mul = test_op_mul(), *sum = test_op_row_sum();
    const tm_op *triu = tm_op_find("triu", NULL), *add_scalar = tm_op_find("add", "scalar");
    tm_vmap_level *levels[TM_MAX_LEVELS];
    int64_t shape[TM_MAX_LEVELS + 2];
    for (int d = 0; d < TM_MAX_LEVELS; d++)
        shape[d] = 1;
    shape[TM_MAX_LEVELS] = shape[TM_MAX_LEVELS + 1] = 2;
    tm_tensor *x = test_iota(TM_FLOAT32, (tm_int_list){shape, TM_MAX_LEVELS + 2});
    tm_tensor *other = test_iota(TM_FLOAT32, TM_INTS(3));
    for (int l = 0; l < TM_MAX_LEVELS; l++) {
        levels[l] = tm_vmap_push(NULL);
        x = MADE(tm_vmap_in(levels[l], x, 0));
        uint64_t before = allocations();
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(INFER(triu, {.tensor = x}, {.i = i}), TM_OK);
            ck_assert_int_eq(INFER(mul, {.tensor = x}, {.tensor = x}), TM_OK);
            ck_assert_int_eq(INFER(sum, {.tensor = x}), TM_OK);
            ck_assert_int_eq(INFER(add_scalar, {.tensor = x}, {.scalar = tm_scalar_int(1)}), TM_OK);
            ck_assert_int_eq(INFER(mul, {.tensor = x}, {.tensor = other}), TM_ERR_SHAPE);
            ck_assert_int_eq(INFER(triu, {.tensor = other}, {.i = 0}), TM_ERR_RANK);
            ck_assert_int_eq(INFER(triu, {.tensor = NULL}, {.i = 0}), TM_ERR_RANK);
            tm_error_clear();
        }
        ck_assert_uint_eq(allocations(), before);
    }
    for (int l = TM_MAX_LEVELS; l-- > 0;)
        EXPECT_OK(tm_vmap_pop(levels[l]));
}
END_TEST

static tm_status unreachable(tm_call *call)
{
    return tm_fail(call, TM_ERR_USAGE, "the kernel ran");
}

static tm_status noise_meta(tm_call *call)
{
    return tm_output(call, 0, TM_INT64, 0, NULL);
}

START_TEST(a_random_op_is_not_counted_and_no_kernel_runs)
{
    const tm_op *op = OP(.schema = "test_noise() -> Tensor", .contract = TM_RANDOM,
                         .meta = (tm_fn)noise_meta, .impl = (tm_fn)unreachable);
    tm_seed(3);
    EXPECT_OK(tm_infer(op, NULL, 0, &spec, 1));
    ck_assert_uint_eq(tm_rng_count(), 0);
    ck_assert_int_eq(spec.dtype, TM_INT64);
}
END_TEST

Suite *infer_suite(void)
{
    const TTest *tests[] = {a_spec_is_what_the_call_returns,
                            a_failure_is_the_calls_failure,
                            a_null_passed_on_leaves_the_first_error,
                            nothing_is_written_and_nothing_promoted,
                            no_memory_is_touched,
                            a_random_op_is_not_counted_and_no_kernel_runs};
    return test_suite("infer", tests, COUNT(tests));
}
