/* test_kernel.c: what surrounds a kernel while it runs: an empty mode stack, plain handles, a scope
 * per example, errors of inner calls, and what it must not do.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static tm_status same_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static const tm_op *kernel_op(const char *schema, tm_fn impl)
{
    return OP(.schema = schema, .contract = TM_PER_EXAMPLE, .meta = (tm_fn)same_meta, .impl = impl);
}

static void copy_out(const tm_tensor *x, tm_tensor *out)
{
    for (int64_t i = 0; i < tm_shape(out)[0]; i++)
        ((float *)tm_mutable_data(out))[i * tm_strides(out)[0]] =
            ((const float *)tm_data(x))[i * tm_strides(x)[0]];
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

/* -- Inner calls ---------------------------------------------------------------------------------
 */

static tm_status doubles(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    if (tm_vmap_current())
        return tm_fail(call, TM_ERR_USAGE, "a kernel sees a level");
    tm_tensor *twice = tm_add(x, x);
    if (!twice)
        return tm_error_code();
    copy_out(twice, out);
    return TM_OK;
}

START_TEST(a_kernel_calls_ops_on_its_plain_handles)
{
    const tm_op *op = kernel_op("test_double(Tensor x) -> Tensor", (tm_fn)doubles);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 3, 4)}), TM_INTS(2), 6, 8);
    EXPECT_F32(map_rows(op, x), TM_INTS(3, 2), 0, 2, 4, 6, 8, 10);
}
END_TEST

static int seen;

static void count_call(const tm_call *call, void *state)
{
    (void)call;
    (void)state;
    seen++;
}

START_TEST(modes_do_not_see_what_a_kernel_calls)
{
    static const tm_mode_def counter = {
        .struct_size = sizeof(tm_mode_def), .name = "counter", .before = count_call};
    const tm_op *op = kernel_op("test_double(Tensor x) -> Tensor", (tm_fn)doubles);
    seen = 0;
    tm_mode *mode = tm_mode_push(&counter, NULL);
    MADE(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(3, 2))));
    EXPECT_OK(tm_mode_pop(mode));
    ck_assert_int_eq(seen, 1);
}
END_TEST

static tm_status makes_temporaries(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    static uint64_t first;
    uint64_t live = tm_memory_get_stats().live_tensors;
    const float value = *(const float *)tm_data(x);
    if (value == 0)
        first = live;
    else if (live != first)
        return tm_fail(call, TM_ERR_USAGE, "%lld handles live on", (long long)(live - first));
    for (int i = 0; i < 10; i++)
        if (!tm_add(x, x) || !tm_alias(x) || !tm_new(TM_FLOAT64, 0, NULL))
            return tm_error_code();
    if (value == 2)
        tm_scope_push(); /* left open */
    copy_out(x, out);
    return TM_OK;
}

START_TEST(a_kernel_has_a_scope_per_example)
{
    const tm_op *op = kernel_op("test_temps(Tensor x) -> Tensor", (tm_fn)makes_temporaries);
    uint64_t live = tm_memory_get_stats().live_tensors;
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(5, 1));
    EXPECT_F32(map_rows(op, x), TM_INTS(5, 1), 0, 1, 2, 3, 4);
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live + 2);
}
END_TEST

static tm_status calls_triu(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    if (*(const float *)tm_data(x) == 4 && !tm_triu(x, 0))
        return TM_ERR_VALUE; /* the code that counts is the record's */
    copy_out(x, out);
    return TM_OK;
}

START_TEST(an_inner_ops_error_moves_into_the_calls_record)
{
    const tm_op *op = kernel_op("test_inner(Tensor x) -> Tensor", (tm_fn)calls_triu);
    ck_assert_ptr_null(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(4, 2))));
    const tm_error *error = tm_error_get();
    ck_assert_str_eq(error->op, "test_inner");
    ck_assert_str_eq(error->inner_op, "triu");
    ck_assert_str_eq(error->argument, "x");
    ck_assert_str_eq(error->modes, "vmap");
    ck_assert_int_eq(error->num_levels, 1);
    ck_assert_int_eq(error->levels[0].index, 2);
    EXPECT_ERROR(TM_ERR_RANK, "test_inner: x must have at least 2 dimensions, got shape (2,)");
}
END_TEST

static tm_status clears_error(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    tm_triu(x, 0);
    tm_error_clear();
    copy_out(x, out);
    return TM_OK;
}

START_TEST(a_kernel_may_clear_an_inner_failure)
{
    const tm_op *op = kernel_op("test_clears(Tensor x) -> Tensor", (tm_fn)clears_error);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(2, 2))), TM_INTS(2, 2), 0, 1, 2, 3);
}
END_TEST

static tm_status fails_silently(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    (void)x;
    (void)out;
    return TM_ERR_NUMERIC;
}

START_TEST(a_kernel_that_fails_without_a_word_still_leaves_a_record)
{
    const tm_op *op = kernel_op("test_silent(Tensor x) -> Tensor", (tm_fn)fails_silently);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    EXPECT_NULL(map_rows(op, x), TM_ERR_NUMERIC, "test_silent: ");
    ck_assert_ptr_null(tm_new(TM_FLOAT32, -1, NULL)); /* an older error is not taken for it */
    EXPECT_NULL(map_rows(op, x), TM_ERR_NUMERIC, "test_silent: ");
}
END_TEST

static tm_status fails_with_ok(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    copy_out(x, out);
    return tm_fail(call, TM_OK, "a failure with code OK is still one");
}

START_TEST(failing_with_ok_is_a_failure)
{
    const tm_op *op = kernel_op("test_ok(Tensor x) -> Tensor", (tm_fn)fails_with_ok);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), 1)}), TM_ERR_USAGE, "test_ok: a failure");
}
END_TEST

static int runs;

static tm_status counts_runs(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    runs++;
    copy_out(x, out);
    return TM_OK;
}

START_TEST(what_does_not_depend_on_the_batch_is_done_once)
{
    const tm_op *op = kernel_op("test_runs(Tensor x) -> Tensor", (tm_fn)counts_runs);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    const int64_t size = 5;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0)), *plain = F32(TM_INTS(2), 1, 2);
    tm_vmap_level *w = tm_vmap_push(&options);
    runs = 0;
    MADE(CALL(op, {.tensor = plain}));
    ck_assert_int_eq(runs, 1);
    MADE(CALL(op, {.tensor = row})); /* mapped at the outer level alone */
    ck_assert_int_eq(runs, 4);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Mapping inside a kernel ---------------------------------------------------------------------
 */

static tm_status add_itself(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(in[0], in[0]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status maps_inside(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    tm_tensor *y;
    const tm_tensor *in[] = {x};
    tm_status status = tm_vmap(add_itself, NULL, NULL, 1, in, (const int64_t[]){0}, 1, &y, NULL);
    if (status == TM_OK)
        copy_out(y, out);
    tm_vmap_push(NULL); /* left open */
    return status;
}

START_TEST(a_kernel_may_map_even_below_sixteen_levels)
{
    const tm_op *op = kernel_op("test_maps(Tensor x) -> Tensor", (tm_fn)maps_inside);
    EXPECT_F32(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(2, 2))), TM_INTS(2, 2), 0, 2, 4, 6);
    ck_assert_ptr_null(tm_vmap_current());
    tm_vmap_level *levels[TM_MAX_LEVELS];
    const int64_t size = 1;
    for (int l = 0; l < TM_MAX_LEVELS; l++)
        levels[l] =
            tm_vmap_push(&(tm_vmap_options){.struct_size = sizeof(tm_vmap_options), .size = &size});
    tm_tensor *row = MADE(tm_vmap_in(levels[15], F32(TM_INTS(1, 2), 5, 6), 0));
    tm_tensor *y = MADE(tm_vmap_out(levels[15], MADE(CALL(op, {.tensor = row})), 0));
    EXPECT_F32(y, TM_INTS(1, 2), 10, 12);
    for (int l = TM_MAX_LEVELS; l-- > 0;)
        EXPECT_OK(tm_vmap_pop(levels[l]));
}
END_TEST

static tm_vmap_level *outer_level;
static tm_status outer_codes[3];

static tm_status uses_outer_level(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    tm_vmap_in(outer_level, x, 0);
    outer_codes[0] = tm_error_code();
    tm_error_clear();
    tm_vmap_index(outer_level);
    outer_codes[1] = tm_error_code();
    tm_error_clear();
    outer_codes[2] = tm_vmap_pop(outer_level);
    tm_error_clear();
    copy_out(x, out);
    return TM_OK;
}

START_TEST(the_levels_around_a_kernel_are_out_of_its_reach)
{
    const tm_op *op = kernel_op("test_reach(Tensor x) -> Tensor", (tm_fn)uses_outer_level);
    outer_level = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(outer_level, test_iota(TM_FLOAT32, TM_INTS(2, 2)), 0));
    MADE(CALL(op, {.tensor = row}));
    for (int i = 0; i < COUNT(outer_codes); i++)
        ck_assert_int_ne(outer_codes[i], TM_OK);
    EXPECT_OK(tm_vmap_pop(outer_level));
}
END_TEST

/* -- Handles -------------------------------------------------------------------------------------
 */

static const tm_tensor *smuggled;

static tm_status retains(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    copy_out(x, out);
    smuggled = tm_retain(x);
    return TM_OK;
}

START_TEST(a_kernels_handle_cannot_be_retained)
{
    const tm_op *op = kernel_op("test_retains(Tensor x) -> Tensor", (tm_fn)retains);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), 1)}), TM_ERR_USAGE,
                "test_retains: x is a kernel's handle");
    ck_assert_ptr_null(smuggled);
}
END_TEST

static tm_status views(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    int64_t n = tm_shape(x)[0];
    tm_tensor *reversed =
        tm_strided_view(x, 1, &n, (const int64_t[]){-tm_strides(x)[0]}, (n - 1) * tm_strides(x)[0]);
    if (!reversed)
        return tm_error_code();
    tm_tensor *sum = tm_add(x, reversed);
    if (!sum)
        return tm_error_code();
    if (tm_strided_view(x, 1, (const int64_t[]){1000000}, (const int64_t[]){1}, 0))
        return tm_fail(call, TM_ERR_USAGE, "a view outside the storage was made");
    tm_error_clear();
    copy_out(sum, out);
    return TM_OK;
}

START_TEST(a_kernel_makes_views_of_its_handles)
{
    const tm_op *op = kernel_op("test_views(Tensor x) -> Tensor", (tm_fn)views);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    EXPECT_F32(map_rows(op, x), TM_INTS(2, 3), 2, 2, 2, 8, 8, 8);
    tm_tensor *t = MADE(tm_strided_view(x, 2, (const int64_t[]){3, 2}, (const int64_t[]){1, 3}, 0));
    EXPECT_F32(map_rows(op, t), TM_INTS(3, 2), 3, 3, 5, 5, 7, 7);
    /* Of a mapped result, whose storage itself has the level. */
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    tm_tensor *y = MADE(CALL(op, {.tensor = MADE(tm_add(row, row))}));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2, 3), 4, 4, 4, 16, 16, 16);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status writes_input(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    copy_out(x, out);
    tm_tensor *one = tm_from_data(TM_FLOAT32, 1, tm_shape(x), (const float[]){1, 1, 1});
    if (tm_add_((tm_tensor *)(uintptr_t)x, one))
        return tm_fail(call, TM_ERR_USAGE, "an input was written");
    return tm_error_code();
}

START_TEST(a_kernels_inputs_are_read_only_if_their_memory_is)
{
    const tm_op *op = kernel_op("test_writes(Tensor x) -> Tensor", (tm_fn)writes_input);
    static const float memory[] = {1, 2, 3};
    tm_wrap_options options = {.struct_size = sizeof options, .read_only = true};
    tm_tensor *x = MADE(
        tm_wrap(TM_FLOAT32, 1, (const int64_t[]){3}, NULL, (void *)(uintptr_t)memory, &options));
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_ALIASING, "read-only");
}
END_TEST

/* -- Random --------------------------------------------------------------------------------------
 */

static tm_status noise_meta(tm_call *call, tm_int_list shape)
{
    return tm_output(call, 0, TM_INT64, shape.count, shape.data);
}

static tm_status noise_impl(tm_call *call, tm_int_list shape, tm_tensor *out)
{
    (void)shape;
    for (int64_t i = 0; i < tm_numel(out); i++) /* row-major: outputs are */
        ((int64_t *)tm_mutable_data(out))[i] = tm_random(call, (uint64_t)i).word[0];
    return TM_OK;
}

static const tm_op *noise_op(void)
{
    return OP(.schema = "test_noise(int[] shape) -> Tensor", .contract = TM_RANDOM,
              .meta = (tm_fn)noise_meta, .impl = (tm_fn)noise_impl);
}

static tm_status calls_noise(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    const tm_op *noise = tm_op_find("test_noise", NULL);
    if (!CALL(noise, {.ints = TM_INTS(2)}))
        return tm_error_code();
    copy_out(x, out);
    return TM_OK;
}

START_TEST(a_random_op_in_a_kernel_not_declared_random_is_an_error)
{
    noise_op();
    const tm_op *op = kernel_op("test_calls_noise(Tensor x) -> Tensor", (tm_fn)calls_noise);
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(1), 1)}));
    ck_assert_str_eq(tm_error_get()->inner_op, "test_noise");
    EXPECT_ERROR(TM_ERR_USAGE, "test_calls_noise: |random");
    const tm_op *random = OP(.schema = "test_random(Tensor x) -> Tensor", .contract = TM_RANDOM,
                             .meta = (tm_fn)same_meta, .impl = (tm_fn)calls_noise);
    EXPECT_F32(CALL(random, {.tensor = F32(TM_INTS(1), 1)}), TM_INTS(1), 1);
}
END_TEST

START_TEST(a_random_op_registered_at_run_time_draws_per_example)
{
    const tm_op *noise = noise_op();
    const int64_t size = 3;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    tm_vmap_level *v = tm_vmap_push(&options);
    EXPECT_NULL(CALL(noise, {.ints = TM_INTS(2)}), TM_ERR_VMAP, "test_noise: |random");
    EXPECT_OK(tm_vmap_pop(v));
    options.randomness = TM_RANDOMNESS_DIFFERENT;
    tm_seed(7);
    v = tm_vmap_push(&options);
    tm_tensor *all = MADE(tm_vmap_out(v, MADE(CALL(noise, {.ints = TM_INTS(2)})), 0));
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_uint_eq(tm_rng_count(), 1);
    for (int64_t b = 0; b < 3; b++) { /* the law: the example's own stream gives the same */
        EXPECT_OK(tm_rng_at(0, 1, &b));
        tm_tensor *one = MADE(CALL(noise, {.ints = TM_INTS(2)}));
        ck_assert_double_eq(test_value(one, 0), test_value(all, 2 * b));
        ck_assert_double_eq(test_value(one, 1), test_value(all, 2 * b + 1));
    }
    ck_assert_double_ne(test_value(all, 0), test_value(all, 2));
    options.randomness = TM_RANDOMNESS_SAME;
    v = tm_vmap_push(&options);
    tm_tensor *same = MADE(CALL(noise, {.ints = TM_INTS(2)}));
    ck_assert_int_eq(tm_num_levels(same), 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Threads
 * --------------------------------------------------------------------------------------- */

static pthread_t caller_thread;

static tm_status checks_thread(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    if (!pthread_equal(pthread_self(), caller_thread))
        return tm_fail(call, TM_ERR_USAGE, "run in another thread");
    copy_out(x, out);
    return TM_OK;
}

START_TEST(a_kernel_not_declared_thread_safe_runs_in_the_callers_thread)
{
    const tm_op *op = kernel_op("test_serial(Tensor x) -> Tensor", (tm_fn)checks_thread);
    caller_thread = pthread_self();
    EXPECT_OK(tm_set_num_threads(4));
    MADE(map_rows(op, test_iota(TM_FLOAT32, TM_INTS(1000, 100))));
}
END_TEST

START_TEST(kernels_that_call_ops_run_in_threads)
{
    static const int8_t core[] = {1, 1};
    const tm_op *op =
        OP(.schema = "test_double(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)same_meta, .impl = (tm_fn)doubles, .core = core, .thread_safe = true);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(500, 16));
    for (int threads = 1; threads <= 4; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        tm_tensor *y = MADE(map_rows(op, x));
        for (int64_t i = 0; i < 500 * 16; i += 97)
            ck_assert_double_eq(test_value(y, i), (double)(2 * i));
        tm_release(y);
    }
}
END_TEST

Suite *kernel_suite(void)
{
    const TTest *tests[] = {a_kernel_calls_ops_on_its_plain_handles,
                            modes_do_not_see_what_a_kernel_calls,
                            a_kernel_has_a_scope_per_example,
                            an_inner_ops_error_moves_into_the_calls_record,
                            a_kernel_may_clear_an_inner_failure,
                            a_kernel_that_fails_without_a_word_still_leaves_a_record,
                            failing_with_ok_is_a_failure,
                            what_does_not_depend_on_the_batch_is_done_once,
                            a_kernel_may_map_even_below_sixteen_levels,
                            the_levels_around_a_kernel_are_out_of_its_reach,
                            a_kernels_handle_cannot_be_retained,
                            a_kernel_makes_views_of_its_handles,
                            a_kernels_inputs_are_read_only_if_their_memory_is,
                            a_random_op_in_a_kernel_not_declared_random_is_an_error,
                            a_random_op_registered_at_run_time_draws_per_example,
                            a_kernel_not_declared_thread_safe_runs_in_the_callers_thread,
                            kernels_that_call_ops_run_in_threads};
    return test_suite("kernel", tests, COUNT(tests));
}
