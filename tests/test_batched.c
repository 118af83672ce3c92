/* test_batched.c: batched kernels: when they run, what they are given, declining, and the examples
 * that they leave to the plain kernel. All of it read from the counters.
 */
#include <string.h>

#include "support.h"

/* -- A batched row sum: over the loops, every row at once -------------------------------------- */

static int calls;           /* of the batched kernel */
static tm_batch last_batch; /* what it was given */
static int64_t last_size[64], last_step[128];

static void remember(const tm_batch *batch)
{
    calls++;
    last_batch = *batch;
    memcpy(last_size, batch->size, (size_t)batch->ndim * sizeof *last_size);
    memcpy(last_step, batch->step, (size_t)(batch->ndim * batch->num_operands) * sizeof *last_step);
}

/* Byte offset of an operand for a flat example. */
static int64_t place(const tm_batch *batch, int operand, int64_t flat)
{
    int64_t at = 0;
    for (int l = batch->ndim; l-- > 0; flat /= batch->size[l])
        at += flat % batch->size[l] * batch->step[l * batch->num_operands + operand];
    return at;
}

static int64_t examples(const tm_batch *batch)
{
    int64_t n = 1;
    for (int l = 0; l < batch->ndim; l++)
        n *= batch->size[l];
    return n;
}

/* Sums from the right, so that its results differ from the plain kernel's where that matters; adds
 * `bias` so that one sees who computed. Rows that start with a negative number are suspect. */
static float bias;

static tm_status batched_sum(tm_call *call, const tm_batch *batch)
{
    remember(batch);
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    tm_tensor *out = tm_call_output(call, 0);
    int64_t n = tm_shape(x)[0], step = tm_strides(x)[0];
    for (int64_t e = 0; e < examples(batch); e++) {
        const float *row =
            (const float *)(const void *)((const char *)tm_data(x) + place(batch, 0, e));
        float sum = bias;
        for (int64_t i = n; i-- > 0;)
            sum += row[i * step];
        *(float *)(void *)((char *)tm_mutable_data(out) + place(batch, 1, e)) = sum;
        if (n > 0 && row[0] < 0)
            tm_batch_suspect(call, e);
    }
    return TM_OK;
}

static tm_status batched_declines(tm_call *call, const tm_batch *batch)
{
    remember(batch);
    tm_batch_decline(call);
    return TM_OK;
}

static tm_status batched_fails(tm_call *call, const tm_batch *batch)
{
    remember(batch);
    return tm_fail(call, TM_ERR_NUMERIC, "the batched kernel fails");
}

static const tm_op *op_with(tm_batched_fn batched)
{
    static const int8_t core[] = {1, 0};
    calls = 0;
    bias = 0;
    tm_dispatch_reset_stats();
    return OP(.schema = "test_bsum(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
              .meta = (tm_fn)test_row_sum_meta, .impl = (tm_fn)test_row_sum_impl, .core = core,
              .batched = batched);
}

static tm_tensor *map_rows(const tm_op *op, const tm_tensor *x)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))});
    if (y)
        y = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    return y;
}

static void expect_counts(uint64_t plain, uint64_t batched, uint64_t declined, uint64_t reruns)
{
    tm_dispatch_stats stats = tm_dispatch_get_stats();
    ck_assert_uint_eq(stats.struct_size, sizeof stats);
    ck_assert_uint_eq(stats.plain_runs, plain);
    ck_assert_uint_eq(stats.batched_runs, batched);
    ck_assert_uint_eq(stats.declined_runs, declined);
    ck_assert_uint_eq(stats.reruns, reruns);
    tm_dispatch_reset_stats();
}

/* -- When it runs
 * ---------------------------------------------------------------------------------- */

START_TEST(automatically_where_there_is_a_batch)
{
    const tm_op *op = op_with(batched_sum);
    ck_assert_int_eq(tm_get_acceleration(), TM_ACCEL_AUTO);
    ck_assert(tm_op_has_key(op, TM_KEY_BATCHED));
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), tm_no_ints, 3);
    expect_counts(1, 0, 0, 0);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(3, 2))), TM_INTS(3), 1, 5, 9);
    expect_counts(0, 1, 0, 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(forced_off_and_on)
{
    const tm_op *op = op_with(batched_sum);
    bias = 100;
    tm_set_acceleration(TM_ACCEL_OFF);
    ck_assert_int_eq(tm_get_acceleration(), TM_ACCEL_OFF);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(3, 2))), TM_INTS(3), 1, 5, 9);
    expect_counts(1, 0, 0, 0);
    tm_set_acceleration(TM_ACCEL_ON);
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), tm_no_ints, 103);
    expect_counts(0, 1, 0, 0);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(3, 2))), TM_INTS(3), 101, 105, 109);
    expect_counts(0, 1, 0, 0);
}
END_TEST

START_TEST(an_op_without_one_runs_plainly_however_forced)
{
    const tm_op *op = op_with(NULL);
    tm_set_acceleration(TM_ACCEL_ON);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(3, 2))), TM_INTS(3), 1, 5, 9);
    expect_counts(1, 0, 0, 0);
    tm_set_acceleration(
        (tm_acceleration)7); /* out of range: nothing changes, or an error says so */
    tm_acceleration now = tm_get_acceleration();
    ck_assert(now == TM_ACCEL_ON || now == TM_ACCEL_AUTO || now == TM_ACCEL_OFF);
    tm_error_clear();
}
END_TEST

START_TEST(the_check_is_made_before_it)
{
    const tm_op *op = op_with(batched_sum);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    EXPECT_NULL(map_rows(op, x), TM_ERR_RANK, "test_bsum: x must have at least 1 dimension");
    ck_assert_int_eq(calls, 0);
}
END_TEST

START_TEST(an_empty_batch_does_not_reach_it)
{
    const tm_op *op = op_with(batched_sum);
    tm_set_acceleration(TM_ACCEL_ON);
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 2}));
    EXPECT_SHAPE(map_rows(op, x), TM_FLOAT32, TM_INTS(0));
    ck_assert_int_eq(calls, 0);
}
END_TEST

/* Outside every level nothing is planned where the rows are one loop; it is the same kernel, and
 * what it does not vouch for is the plain kernel's. */
START_TEST(a_stack_of_rows_without_a_level)
{
    const tm_op *op = op_with(batched_sum);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 2));
    bias = 100;
    for (int direct = 0; direct < 2; direct++) {
        EXPECT_OK(tm_set_path(TM_PATH_DIRECT, direct ? TM_PATH_AUTO : TM_PATH_OFF));
        EXPECT_F32(CALL(op, {.tensor = MADE(tm_select(x, 0, 1))}), TM_INTS(3), 113, 117, 121);
        EXPECT_F32(CALL(op, {.tensor = MADE(tm_select(x, 1, 2))}), TM_INTS(2), 109, 121);
        EXPECT_F32(CALL(op, {.tensor = MADE(tm_expand(F32(TM_INTS(2), 1, 2), TM_INTS(2, 2)))}),
                   TM_INTS(2), 103, 103);
        EXPECT_F32(CALL(op, {.tensor = x}), TM_INTS(2, 3), 101, 105, 109, 113, 117, 121);
        EXPECT_F32(CALL(op, {.tensor = MADE(tm_swapaxes(x, 0, 1))}), TM_INTS(3, 2), 101, 113, 105,
                   117, 109, 121);
        expect_counts(0, 5, 0, 0);
        EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(1, 2), 1, 2)}), TM_INTS(1), 3);
        expect_counts(1, 0, 0, 0);
        EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(3, 1), 1, -2, -3)}), TM_ERR_NUMERIC,
                    "got -2 (at index (1,))");
        tm_dispatch_reset_stats();
    }
}
END_TEST

START_TEST(a_stack_without_a_level_that_is_declined)
{
    const tm_op *op = op_with(batched_declines);
    EXPECT_F32(CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(3, 2))}), TM_INTS(3), 1, 5, 9);
    expect_counts(1, 0, 1, 0);
}
END_TEST

/* -- What it is given
 * ------------------------------------------------------------------------------ */

START_TEST(loops_are_levels_then_logical_dimensions)
{
    const tm_op *op = op_with(batched_sum);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4, 5));
    /* Level over the 4, core is the 5 (last): loops 4, 2, 3, none of which merge. */
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = MADE(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 2))}));
    y = MADE(tm_vmap_out(v, y, -1));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_SHAPE(y, TM_FLOAT32, TM_INTS(2, 3, 4));
    for (int64_t i = 0; i < 24; i++)
        ck_assert_double_eq(test_value(y, i), (double)(25 * i + 10));
    ck_assert_int_eq(last_batch.num_operands, 2);
    ck_assert_int_ge(last_batch.ndim, 1);
    ck_assert_int_eq(last_size[0], 4);
    ck_assert_int_eq(last_step[0], 5 * (int64_t)sizeof(float));
}
END_TEST

static tm_status first_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y)
{
    (void)y;
    return tm_output_like(call, 0, x);
}

static tm_status first_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out)
{
    (void)call;
    *(float *)tm_mutable_data(out) = *(const float *)tm_data(x) + *(const float *)tm_data(y);
    return TM_OK;
}

static tm_status first_batched(tm_call *call, const tm_batch *batch)
{
    remember(batch);
    const char *x = tm_data(tm_call_arg(call, 0)->tensor),
               *y = tm_data(tm_call_arg(call, 1)->tensor);
    char *out = tm_mutable_data(tm_call_output(call, 0));
    for (int64_t e = 0; e < examples(batch); e++)
        *(float *)(void *)(out + place(batch, 2, e)) =
            *(const float *)(const void *)(x + place(batch, 0, e)) +
            *(const float *)(const void *)(y + place(batch, 1, e));
    return TM_OK;
}

START_TEST(an_unmapped_operand_does_not_move)
{
    calls = 0;
    const tm_op *op =
        OP(.schema = "test_bfirst(Tensor x, Tensor y) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)first_meta, .impl = (tm_fn)first_impl, .batched = first_batched);
    tm_tensor *x = F32(TM_INTS(2), 10, 20), *y = F32(TM_INTS(3), 1, 2, 3);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = MADE(tm_vmap_in(v, x, 0));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = MADE(tm_vmap_in(w, y, 0));
    tm_tensor *z = MADE(tm_vmap_out(w, MADE(CALL(op, {.tensor = a}, {.tensor = b})), 0));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 11, 12, 13, 21, 22, 23);
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_int_eq(last_batch.ndim, 2);
    ck_assert_int_eq(last_batch.num_operands, 3);
    ck_assert_int_eq(last_size[0], 2);
    ck_assert_int_eq(last_size[1], 3);
    static const int64_t steps[] = {4, 0, 12, 0, 4, 4};
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(last_step[i], steps[i]);
}
END_TEST

/* -- Declining, suspects, failures
 * ------------------------------------------------------------------ */

START_TEST(a_decline_runs_the_plain_kernel)
{
    const tm_op *op = op_with(batched_declines);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(3, 2))), TM_INTS(3), 1, 5, 9);
    ck_assert_int_eq(calls, 1);
    expect_counts(1, 0, 1, 0);
}
END_TEST

START_TEST(suspects_are_run_again_plainly_and_fail_as_they_would)
{
    const tm_op *op = op_with(batched_sum);
    tm_tensor *x = F32(TM_INTS(4, 1), 1, -2, 3, -4);
    EXPECT_NULL(map_rows(op, x), TM_ERR_NUMERIC,
                "test_bsum: row starts with a negative number, got -2");
    ck_assert_int_eq(calls, 1);
    tm_vmap_level *v = tm_vmap_push(NULL);
    ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
    ck_assert_int_eq(tm_error_get()->num_levels, 1);
    ck_assert_int_eq(tm_error_get()->levels[0].index, 1);
    tm_error_clear();
    EXPECT_OK(tm_vmap_pop(v));
    /* and alone, over a loop */
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC, "got -2 (at index (1,))");
}
END_TEST

static const int64_t *suspects;

static tm_status batched_suspects(tm_call *call, const tm_batch *batch)
{
    tm_status status = batched_sum(call, batch);
    for (const int64_t *s = suspects; *s != INT64_MAX; s++)
        tm_batch_suspect(call, *s);
    return status;
}

START_TEST(where_the_rerun_succeeds_its_result_is_kept)
{
    const tm_op *op = op_with(batched_suspects);
    bias = 100;
    suspects = (const int64_t[]){2, 0, INT64_MAX};
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(4, 2))), TM_INTS(4), 1, 105, 9, 113);
    expect_counts(0, 1, 0, 2);
}
END_TEST

START_TEST(suspects_out_of_order_twice_and_out_of_range)
{
    const tm_op *op = op_with(batched_suspects);
    suspects = (const int64_t[]){3, 1, 3, 0, INT64_MAX};
    tm_tensor *x = F32(TM_INTS(4, 1), 1, 2, 3, 4);
    EXPECT_F32(map_rows(op, x), TM_INTS(4), 1, 2, 3, 4);
    suspects = (const int64_t[]){99, -1, INT64_MIN, INT64_MAX - 1, INT64_MAX};
    tm_tensor *y = map_rows(op, x); /* a broken promise: an error, or nothing to run again */
    if (y)
        EXPECT_F32(y, TM_INTS(4), 1, 2, 3, 4);
    else
        EXPECT_ERROR(TM_ERR_SCHEMA, "test_bsum");
    suspects = (const int64_t[]){INT64_MAX};
    x = F32(TM_INTS(4, 1), 1, -2, 3, -4); /* the kernel itself suspects 1 and 3 */
    EXPECT_NULL(map_rows(op, x), TM_ERR_NUMERIC, "got -2");
}
END_TEST

START_TEST(many_suspects)
{
    const tm_op *op = op_with(batched_suspects);
    static int64_t all[1001];
    for (int i = 0; i < 1000; i++)
        all[i] = 999 - i;
    all[1000] = INT64_MAX;
    suspects = all;
    bias = 7;
    tm_tensor *y = map_rows(op, test_iota(TM_FLOAT32, TM_INTS(1000, 1)));
    for (int64_t i = 0; i < 1000; i++)
        ck_assert_double_eq(test_value(y, i), (double)i);
    expect_counts(0, 1, 0, 1000);
}
END_TEST

START_TEST(a_batched_kernel_may_fail_outright)
{
    const tm_op *op = op_with(batched_fails);
    uint64_t live = tm_memory_get_stats().live_tensors;
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    EXPECT_NULL(map_rows(op, x), TM_ERR_NUMERIC, "test_bsum: the batched kernel fails");
    tm_release(x);
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live);
}
END_TEST

START_TEST(a_failing_batch_leaves_its_output_as_it_was)
{
    op_with(batched_sum);
    const tm_op *out_op = tm_op_find("test_bsum_out", NULL);
    tm_tensor *x = F32(TM_INTS(3, 1), 1, 2, -3), *out = F32(TM_INTS(3), 7, 8, 9);
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_NULL(CALL(out_op, {.tensor = MADE(tm_vmap_in(v, x, 0))},
                     {.tensor = MADE(tm_vmap_in(v, out, 0))}),
                TM_ERR_NUMERIC, "test_bsum_out: |got -3");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(out, TM_INTS(3), 7, 8, 9);
    ck_assert_int_ge(calls, 1);
}
END_TEST

START_TEST(an_override_brings_a_batched_kernel_and_takes_it_away)
{
    const tm_op *op = op_with(NULL);
    tm_library *library = tm_library_open("fast");
    tm_kernel_def def = {.struct_size = sizeof def, .batched = batched_sum};
    EXPECT_OK(tm_library_override(library, op, TM_KEY_BATCHED, &def));
    ck_assert(tm_op_has_key(op, TM_KEY_BATCHED));
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    EXPECT_F32(map_rows(op, x), TM_INTS(3), 1, 5, 9);
    expect_counts(0, 1, 0, 0);
    tm_library_close(library);
    ck_assert(!tm_op_has_key(op, TM_KEY_BATCHED));
    EXPECT_F32(map_rows(op, x), TM_INTS(3), 1, 5, 9);
    expect_counts(1, 0, 0, 0);
}
END_TEST

/* Overriding the plain kernel leaves the batched one, whose suspects go to the new plain kernel. */
START_TEST(suspects_rerun_on_the_plain_kernel_that_wins)
{
    const tm_op *op = op_with(batched_sum);
    tm_library *library = tm_library_open("other");
    tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)test_row_sum_impl};
    EXPECT_OK(tm_library_override(library, op, TM_KEY_PLAIN, &def));
    EXPECT_NULL(map_rows(op, F32(TM_INTS(2, 1), 1, -2)), TM_ERR_NUMERIC, "got -2");
    tm_library_close(library);
}
END_TEST

Suite *batched_suite(void)
{
    const TTest *tests[] = {automatically_where_there_is_a_batch,
                            forced_off_and_on,
                            an_op_without_one_runs_plainly_however_forced,
                            the_check_is_made_before_it,
                            an_empty_batch_does_not_reach_it,
                            a_stack_of_rows_without_a_level,
                            a_stack_without_a_level_that_is_declined,
                            loops_are_levels_then_logical_dimensions,
                            an_unmapped_operand_does_not_move,
                            a_decline_runs_the_plain_kernel,
                            suspects_are_run_again_plainly_and_fail_as_they_would,
                            where_the_rerun_succeeds_its_result_is_kept,
                            suspects_out_of_order_twice_and_out_of_range,
                            many_suspects,
                            a_batched_kernel_may_fail_outright,
                            a_failing_batch_leaves_its_output_as_it_was,
                            an_override_brings_a_batched_kernel_and_takes_it_away,
                            suspects_rerun_on_the_plain_kernel_that_wins};
    return test_suite("batched", tests, COUNT(tests));
}
