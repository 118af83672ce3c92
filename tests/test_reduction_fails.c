/* test_reduction_fails.c: a reduction whose loop can fail: whatever the order in which it walks
 * through memory, the failure is that of the first output of the first example.
 */
#include <string.h>

#include "support.h"

/* Sums; what is negative is refused, with its value, so that the message tells which it was. */
#define REFUSING(name, type)                                                                       \
    static tm_status name(tm_call *call, const tm_reduce_args *args)                               \
    {                                                                                              \
        for (int64_t k = 0; k < args->num; k++) {                                                  \
            type sum = 0;                                                                          \
            int64_t index[TM_MAX_NDIM] = {0};                                                      \
            for (int64_t i = 0; i < args->count; i++) {                                            \
                int64_t at = k * args->x_step;                                                     \
                for (int d = 0; d < args->ndim; d++)                                               \
                    at += index[d] * args->step[d];                                                \
                type x = *(const type *)(const void *)(args->x + at);                              \
                if (x < 0)                                                                         \
                    return tm_fail_at(call, k, TM_ERR_NUMERIC, "x must not be negative, got %g",   \
                                      (double)x);                                                  \
                sum += x;                                                                          \
                for (int d = args->ndim; d-- > 0 && ++index[d] == args->size[d];)                  \
                    index[d] = 0;                                                                  \
            }                                                                                      \
            *(type *)(void *)(args->out + k * args->out_step) = sum;                               \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
REFUSING(refusing_float32, float)
REFUSING(refusing_float64, double)

static const tm_reduce_loop loops[] = {
    {TM_FLOAT32, TM_FLOAT32, refusing_float32}, {TM_FLOAT64, TM_FLOAT64, refusing_float64}, {0}};

static tm_status wide_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    uint32_t mask;
    tm_status status = tm_check_axes(call, "axis", tm_ndim(x), &TM_INTS(axis), &mask);
    return status == TM_OK ? tm_reduction_meta_in(call, x, TM_FLOAT64, mask, false, loops) : status;
}

/* As it is, and converted before the loop sees it. */
static const tm_op *plain_op(void)
{
    return OP(.schema = "rf_sum(Tensor x, int axis) -> Tensor", .contract = TM_REDUCTION,
              .reduce = loops, .thread_safe = true);
}
static const tm_op *wide_op(void)
{
    return OP(.schema = "rf_wide(Tensor x, int axis) -> Tensor", .contract = TM_REDUCTION,
              .meta = (tm_fn)wide_meta, .reduce = loops, .thread_safe = true);
}

/* What a call fails with, "" where it does not. */
static const char *failure(const tm_op *op, const tm_tensor *x, int64_t axis)
{
    static char text[256];
    tm_value result;
    tm_status status =
        tm_op_call(op, (const tm_value[]){{.tensor = x}, {.i = axis}}, 2, &result, 1);
    snprintf(text, sizeof text, "%s", status == TM_OK ? "" : tm_error_message());
    tm_error_clear();
    return text;
}

/* 0, 1, 2, ..., and the elements at these places negative. */
static tm_tensor *with_negatives(tm_int_list shape, int count, const int64_t *places)
{
    tm_tensor *x = test_iota(TM_FLOAT32, shape);
    float *data = tm_mutable_data(x);
    for (int i = 0; i < count; i++)
        data[places[i]] = -data[places[i]];
    return x;
}
#define NEGATIVE(shape, ...)                                                                       \
    with_negatives(shape, COUNT(((const int64_t[]){__VA_ARGS__})), (const int64_t[]){__VA_ARGS__})

START_TEST(the_first_output_in_order_fails)
{
    const tm_op *ops[] = {plain_op(), wide_op()};
    const tm_tensor *x = NEGATIVE(TM_INTS(3, 4), 7, 9, 10); /* (1, 3), (2, 1), (2, 2) */
    for (int i = 0; i < COUNT(ops); i++) {
        ck_assert_ptr_nonnull(strstr(failure(ops[i], x, 1), "got -7"));
        ck_assert_ptr_nonnull(strstr(failure(ops[i], x, 0), "got -9"));
        const tm_tensor *turned = tm_swapaxes(x, 0, 1); /* in memory's order it would be -7 */
        ck_assert_ptr_nonnull(strstr(failure(ops[i], turned, 0), "got -7"));
        ck_assert_ptr_nonnull(strstr(failure(ops[i], turned, 1), "got -9"));
    }
}
END_TEST

/* The failure of the first example, alone. */
static void first_failure(const tm_op *op, const tm_tensor *x, int64_t dim, int64_t axis,
                          char *text, size_t size)
{
    *text = '\0';
    for (int64_t b = 0; b < tm_size(x, dim) && !*text; b++)
        snprintf(text, size, "%s", failure(op, tm_clone(tm_select(x, dim, b)), axis));
}

static void check_batches(const tm_op *op, const tm_tensor *x)
{
    char alone[256];
    for (int64_t dim = 0; dim < tm_ndim(x); dim++)
        for (int64_t axis = 0; axis < tm_ndim(x) - 1; axis++) {
            first_failure(op, x, dim, axis, alone, sizeof alone);
            ck_assert_str_ne(alone, "");
            tm_vmap_level *level = tm_vmap_push(NULL);
            const char *mapped = failure(op, MADE(tm_vmap_in(level, x, dim)), axis);
            ck_assert_msg(strcmp(mapped, alone) == 0, "dim %d, axis %d: %s, not %s", (int)dim,
                          (int)axis, mapped, alone);
            EXPECT_OK(tm_vmap_pop(level));
        }
}

START_TEST(batches_fail_as_their_first_example)
{
    const tm_op *ops[] = {plain_op(), wide_op()};
    const tm_tensor *small = NEGATIVE(TM_INTS(3, 4, 5), 28, 37, 46, 53, 59);
    const tm_tensor *large = NEGATIVE(TM_INTS(4, 300, 70), 30001, 40002, 50003, 70004, 83999);
    for (int i = 0; i < COUNT(ops); i++)
        for (int threads = 1; threads <= 2; threads++) {
            EXPECT_OK(tm_set_num_threads(threads));
            check_batches(ops[i], small);
            check_batches(ops[i], tm_clone(tm_permute_dims(small, TM_INTS(2, 0, 1))));
            check_batches(ops[i], tm_permute_dims(small, TM_INTS(1, 2, 0)));
            check_batches(ops[i], large);
            check_batches(ops[i], tm_swapaxes(large, 0, 2));
        }
}
END_TEST

Suite *reduction_fails_suite(void)
{
    const TTest *const tests[] = {the_first_output_in_order_fails,
                                  batches_fail_as_their_first_example};
    return test_suite("reduction_fails", tests, COUNT(tests));
}
