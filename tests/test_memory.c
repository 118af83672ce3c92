/* test_memory.c: the allocator: its counters, replacing it, and every single allocation failing
 * once: each time an error comes back, nothing leaks and the inputs are as they were.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* -- An allocator that writes sizes beside blocks and fails on demand -------------------------- */

static struct {
    tm_allocator below;
    int64_t until_failure; /* fails when it gets to 0; negative: never */
    int64_t asked, released, wrong_sizes;
} watch;

static void *watched_alloc(size_t size, void *user)
{
    (void)user;
    if (watch.until_failure == 0 || (watch.until_failure > 0 && --watch.until_failure == 0))
        return NULL;
    watch.asked++;
    return watch.below.alloc(size, watch.below.user);
}

static void watched_release(void *memory, size_t size, void *user)
{
    (void)user;
    watch.released++;
    watch.below.release(memory, size, watch.below.user);
}

/* Installs the allocator; the n-th allocation fails, and all after it. 0: none fails. */
static void watch_from(int64_t n)
{
    tm_trim();
    watch.below = tm_get_allocator();
    watch.asked = watch.released = 0;
    watch.until_failure = n > 0 ? n : -1;
    const tm_allocator allocator = {sizeof allocator, watched_alloc, watched_release, NULL};
    tm_set_allocator(&allocator);
}

static void unwatch(void)
{
    watch.until_failure = -1;
    tm_trim();
    tm_set_allocator(&watch.below);
}

/* -- Counters
 * --------------------------------------------------------------------------------------- */

START_TEST(counters_follow_blocks_bytes_and_handles)
{
    tm_memory_stats a = tm_memory_get_stats();
    ck_assert_uint_eq(a.struct_size, sizeof a);
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){1000}));
    tm_memory_stats b = tm_memory_get_stats();
    ck_assert_uint_gt(b.allocations, a.allocations);
    ck_assert_uint_eq(b.live_blocks - a.live_blocks, b.allocations - a.allocations);
    ck_assert_uint_ge(b.live_bytes, a.live_bytes + 4000);
    ck_assert_uint_ge(b.peak_bytes, b.live_bytes);
    ck_assert_uint_eq(b.live_tensors, a.live_tensors + 1);
    tm_release(x);
    tm_memory_stats c = tm_memory_get_stats();
    ck_assert_uint_eq(c.live_blocks, a.live_blocks);
    ck_assert_uint_eq(c.live_bytes, a.live_bytes);
    ck_assert_uint_eq(c.live_tensors, a.live_tensors);
    ck_assert_uint_eq(c.releases - a.releases, c.allocations - a.allocations);
    ck_assert_uint_ge(c.peak_bytes, b.live_bytes);
}
END_TEST

START_TEST(the_peak_can_be_reset)
{
    tm_release(MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){100000})));
    tm_memory_reset_peak();
    tm_memory_stats a = tm_memory_get_stats();
    ck_assert_uint_eq(a.peak_bytes, a.live_bytes);
    tm_release(MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){1000})));
    tm_memory_stats b = tm_memory_get_stats();
    ck_assert_uint_ge(b.peak_bytes, a.peak_bytes + 4000);
    ck_assert_uint_lt(b.peak_bytes, a.peak_bytes + 400000);
}
END_TEST

static void *make_one(void *user)
{
    tm_tensor **x = user;
    *x = tm_new(TM_FLOAT32, 1, (const int64_t[]){1000});
    return NULL;
}

START_TEST(the_peak_can_be_reset_after_threads)
{
    for (int i = 0; i < 3; i++) { /* made there, released here */
        tm_tensor *x = NULL;
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, make_one, &x), 0);
        pthread_join(thread, NULL);
        tm_release(MADE(x));
    }
    tm_memory_reset_peak();
    tm_memory_stats stats = tm_memory_get_stats();
    ck_assert_uint_eq(stats.peak_bytes, stats.live_bytes);
}
END_TEST

START_TEST(trimming_gives_kept_blocks_back)
{
    watch_from(0);
    tm_release(MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){100000})));
    tm_trim();
#ifdef TM_DEBUG
    ck_assert_int_ge(watch.released, 1); /* the dead handle waits in quarantine */
#else
    ck_assert_int_eq(watch.released, watch.asked);
#endif
    unwatch();
}
END_TEST

START_TEST(the_allocator_is_what_was_set)
{
    watch_from(0);
    ck_assert_ptr_eq((void *)(uintptr_t)tm_get_allocator().alloc, (void *)(uintptr_t)watched_alloc);
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){10}));
    ck_assert_int_ge(watch.asked, 1);
    tm_release(x);
    unwatch();
    ck_assert_ptr_ne((void *)(uintptr_t)tm_get_allocator().alloc, (void *)(uintptr_t)watched_alloc);
}
END_TEST

/* Every block comes back with the size it was asked for, whatever was done in between. */
static struct {
    void *memory;
    size_t size;
} blocks[4096];

static void *sized_alloc(size_t size, void *user)
{
    (void)user;
    void *memory = malloc(size);
    for (int i = 0; i < COUNT(blocks); i++)
        if (!blocks[i].memory) {
            blocks[i].memory = memory;
            blocks[i].size = size;
            return memory;
        }
    abort();
}

static void sized_release(void *memory, size_t size, void *user)
{
    (void)user;
    for (int i = 0; i < COUNT(blocks); i++)
        if (blocks[i].memory == memory) {
            watch.wrong_sizes += blocks[i].size != size;
            blocks[i].memory = NULL;
            break;
        }
    free(memory);
}

/* -- A scenario that allocates in most ways there are
 * ------------------------------------------------ */

static const tm_op *zeros_op, *set_op, *sum_op, *list_op, *composite_op, *batched_op;

static tm_status list_meta(tm_call *call, tm_tensor_list xs)
{
    return tm_output_like(call, 0, xs.data[0]);
}

static tm_status list_impl(tm_call *call, tm_tensor_list xs, tm_tensor *out)
{
    tm_tensor *sum = tm_add(xs.data[0], xs.data[xs.count - 1]);
    (void)call;
    if (!sum)
        return tm_error_code();
    for (int64_t i = 0; i < tm_shape(out)[0]; i++)
        ((float *)tm_mutable_data(out))[i * tm_strides(out)[0]] = ((const float *)tm_data(sum))[i];
    return TM_OK;
}

static tm_status twice_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status twice_impl(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_add(tm_add(x, x), x);
    return *out ? TM_OK : tm_error_code();
}

static tm_status suspecting(tm_call *call, const tm_batch *batch)
{
    int64_t n = 1;
    for (int l = 0; l < batch->ndim; l++)
        n *= batch->size[l];
    for (int64_t i = 0; i < n; i++)
        tm_batch_suspect(call, i);
    return TM_OK;
}

static void register_ops(void)
{
    static const int8_t core[] = {1, 0};
    zeros_op = test_op_zeros();
    set_op = test_op_set();
    sum_op = test_op_row_sum();
    list_op = OP(.schema = "test_list(Tensor[] xs) -> Tensor", .contract = TM_PER_EXAMPLE,
                 .meta = (tm_fn)list_meta, .impl = (tm_fn)list_impl);
    composite_op = OP(.schema = "test_twice(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                      .meta = (tm_fn)twice_meta, .impl = (tm_fn)twice_impl);
    batched_op = OP(.schema = "test_suspect(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                    .meta = (tm_fn)test_row_sum_meta, .impl = (tm_fn)test_row_sum_impl,
                    .core = core, .batched = suspecting);
}

static tm_mode_answer pass(tm_call *call, void *state)
{
    (void)state;
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static const tm_mode_def pass_mode = {
    .struct_size = sizeof(tm_mode_def), .name = "pass", .handle = pass};

/* One example: a row of x and the whole of y. */
static tm_status body(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    tm_mode *mode = tm_mode_push(&pass_mode, NULL);
    if (!mode)
        return tm_error_code();
    const tm_tensor *row = in[0], *y = in[1];
    tm_tensor *z = CALL(zeros_op, {.ints = TM_INTS(3)});
    z = CALL(set_op, {.tensor = z}, {.tensor = row}); /* promotes */
    z = tm_add_(z, CALL(composite_op, {.tensor = y}));
    const tm_tensor *many[20];
    for (int i = 0; i < 20; i++)
        many[i] = i % 2 ? row : y;
    tm_tensor *joined = CALL(list_op, {.tensors = {many, 20}});
    tm_tensor *sum = CALL(sum_op, {.tensor = tm_add(z, joined)});
    tm_tensor *again = CALL(batched_op, {.tensor = tm_add(z, joined)});
    tm_tensor *index = tm_vmap_index(tm_vmap_current());
    out[0] = tm_add(tm_alias(z), tm_add(sum, again));
    return out[0] && index ? TM_OK : tm_error_code();
}

static tm_status outer(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    return tm_vmap(body, user, NULL, 2, in, (const int64_t[]){0, TM_NOT_MAPPED}, 1, out, NULL);
}

static int deleted;

static void count_deletion(void *user)
{
    (void)user;
    deleted++;
}

/* NULL after a failure; everything but the result has been released. */
static tm_tensor *scenario(const tm_tensor *x, const tm_tensor *y)
{
    float memory[3] = {1, 2, 3};
    tm_wrap_options options = {.struct_size = sizeof options, .deleter = count_deletion};
    tm_scope *scope = tm_scope_push();
    if (!scope)
        return NULL;
    deleted = 0;
    tm_tensor *wrapped = tm_wrap(TM_FLOAT32, 1, (const int64_t[]){3}, NULL, memory, &options);
    bool made = wrapped != NULL;
    tm_tensor *shifted = tm_add(y, wrapped);
    tm_tensor *view = tm_strided_view(shifted, 1, (const int64_t[]){3}, (const int64_t[]){-1}, 2);
    const tm_tensor *in[] = {x, view};
    tm_tensor *result = NULL;
    if (view)
        tm_vmap(outer, NULL, NULL, 2, in, (const int64_t[]){0, TM_NOT_MAPPED}, 1, &result, NULL);
    char *text = result ? tm_to_string(result) : NULL;
    if (!text)
        result = NULL;
    tm_string_free(text);
    result = tm_keep(result);
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(deleted, made);
    return result;
}

START_TEST(the_scenario_computes)
{
    register_ops();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2, 3)), *y = F32(TM_INTS(3), 1, 1, 1);
    tm_tensor *z = MADE(scenario(x, y));
    ck_assert_int_eq(tm_ndim(z), 3);
    ck_assert_int_eq(tm_size(z, 2), 3);
    tm_release(z);
    tm_release(x);
    tm_release(y);
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    register_ops();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2, 3)), *y = F32(TM_INTS(3), 1, 1, 1);
    tm_tensor *expected = MADE(scenario(x, y));
    tm_memory_stats before = tm_memory_get_stats();
    int64_t n = 1;
    for (;; n++) {
        watch_from(n);
        tm_tensor *z = scenario(x, y);
        bool failed = watch.until_failure == 0;
        unwatch();
        tm_memory_stats after;
        if (z) {
            for (int64_t i = 0; i < tm_numel(z); i++)
                ck_assert_double_eq(test_value(z, i), test_value(expected, i));
            tm_release(z);
        } else {
            ck_assert_msg(failed, "run %lld failed though all memory was given: %s", (long long)n,
                          tm_error_message());
            ck_assert_msg(tm_error_code() == TM_ERR_MEMORY, "run %lld: %s", (long long)n,
                          tm_error_message());
            tm_error_clear();
        }
        after = tm_memory_get_stats();
        ck_assert_msg(after.live_blocks == before.live_blocks, "run %lld leaks %lld blocks",
                      (long long)n, (long long)(after.live_blocks - before.live_blocks));
        ck_assert_msg(after.live_bytes == before.live_bytes, "run %lld leaks bytes", (long long)n);
        ck_assert_msg(after.live_tensors == before.live_tensors, "run %lld leaks", (long long)n);
        for (int64_t i = 0; i < 12; i++)
            ck_assert_double_eq(test_value(x, i), (double)i);
        for (int64_t i = 0; i < 3; i++)
            ck_assert_double_eq(test_value(y, i), 1);
        ck_assert_ptr_null(tm_vmap_current());
        if (!failed)
            break;
    }
    ck_assert_int_gt(n, 20); /* it did fail many times */
    tm_release(expected);
    tm_release(x);
    tm_release(y);
}
END_TEST

START_TEST(blocks_come_back_with_their_size)
{
    register_ops();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2, 3)), *y = F32(TM_INTS(3), 1, 1, 1);
    tm_release(scenario(x, y)); /* what is made once is made */
    tm_trim();
    tm_allocator below = tm_get_allocator();
    const tm_allocator sized = {sizeof sized, sized_alloc, sized_release, NULL};
    watch.wrong_sizes = 0;
    tm_set_allocator(&sized);
    tm_release(MADE(scenario(x, y)));
    tm_trim();
    tm_set_allocator(&below);
    ck_assert_int_eq(watch.wrong_sizes, 0);
    tm_release(x);
    tm_release(y);
}
END_TEST

/* -- Registering
 * ---------------------------------------------------------------------------------------- */

START_TEST(registering_is_all_or_nothing)
{
    static const char *const names[] = {"mem_a", "mem_a_out", "mem_b", "mem_c"};
    tm_op_def def = {.struct_size = sizeof def,
                     .schema = "mem_a(Tensor x) -> Tensor",
                     .contract = TM_PER_EXAMPLE,
                     .meta = (tm_fn)twice_meta,
                     .impl = (tm_fn)test_row_sum_impl,
                     .batched = suspecting,
                     .aliases = "mem_b,mem_c"};
    int64_t count = tm_op_count();
    for (int64_t n = 1;; n++) {
        uint64_t before = tm_memory_get_stats().live_blocks;
        watch_from(n);
        const tm_op *op = tm_library_register(test_library, &def);
        unwatch();
        if (op) {
            ck_assert_int_gt(n, 3);
            break;
        }
        EXPECT_ERROR(TM_ERR_MEMORY, "memory");
        ck_assert_int_eq(tm_op_count(), count);
        for (int i = 0; i < COUNT(names); i++)
            ck_assert_msg(!tm_op_find(names[i], NULL), "run %lld left %s", (long long)n, names[i]);
        ck_assert_msg(tm_memory_get_stats().live_blocks == before, "run %lld leaks %lld blocks",
                      (long long)n, (long long)(tm_memory_get_stats().live_blocks - before));
    }
    for (int i = 0; i < COUNT(names); i++)
        ck_assert_ptr_nonnull(tm_op_find(names[i], NULL));
}
END_TEST

START_TEST(overriding_and_aliasing_without_memory)
{
    const tm_op *op = test_op_row_sum();
    tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)test_row_sum_impl};
    bool done = false;
    for (int64_t n = 1; !done; n++) {
        uint64_t before = tm_memory_get_stats().live_blocks;
        watch_from(n);
        tm_status status = tm_library_override(test_library, op, TM_KEY_PLAIN, &def);
        unwatch();
        done = status == TM_OK;
        if (!done) {
            EXPECT_ERROR(TM_ERR_MEMORY, "memory");
            ck_assert_uint_eq(tm_memory_get_stats().live_blocks, before);
        }
    }
    done = false;
    for (int64_t n = 1; !done; n++) {
        uint64_t before = tm_memory_get_stats().live_blocks;
        watch_from(n);
        tm_status status = tm_library_alias(test_library, "mem_alias", "test_row_sum");
        unwatch();
        done = status == TM_OK;
        if (!done) {
            EXPECT_ERROR(TM_ERR_MEMORY, "memory");
            ck_assert_ptr_null(tm_op_find("mem_alias", NULL));
            ck_assert_uint_eq(tm_memory_get_stats().live_blocks, before);
        }
    }
    watch_from(1);
    tm_library *library = tm_library_open("mem");
    const char *aliases = tm_op_aliases(op);
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_mode *mode = tm_mode_push(&pass_mode, NULL);
    unwatch();
    ck_assert_ptr_null(library);
    ck_assert_ptr_null(level);
    ck_assert_ptr_null(mode);
    (void)aliases; /* "" or the right answer: neither is wrong to read */
    tm_error_clear();
    ck_assert_str_eq(tm_op_aliases(op), "mem_alias");
}
END_TEST

/* -- A thread that never gets memory
 * --------------------------------------------------------------------- */

static void *poor(void *user)
{
    tm_status *codes = user;
    tm_tensor *x = tm_new(TM_FLOAT32, 0, NULL);
    codes[0] = x ? TM_OK : tm_error_code();
    codes[1] = tm_scope_push() ? TM_OK : tm_error_code();
    codes[2] = tm_vmap_push(NULL) ? TM_OK : tm_error_code();
    codes[3] = tm_mode_push(&pass_mode, NULL) ? TM_OK : tm_error_code();
    codes[4] = tm_add(x, x) ? TM_OK : tm_error_code();
    codes[5] = tm_ndim(x) == -1 ? tm_error_code() : TM_OK;
    codes[6] = tm_error_get() && tm_error_message()[0] ? tm_error_get()->code : TM_OK;
    codes[7] = tm_op_call(sum_op, (const tm_value[]){{.tensor = x}}, 1, &(tm_value){0}, 1);
    tm_vmap_current();
    tm_seed(1);
    tm_rng_count();
    tm_set_num_threads(2);
    tm_set_acceleration(TM_ACCEL_OFF);
    tm_dispatch_reset_stats();
    tm_dispatch_get_stats();
    tm_error_clear();
    return NULL;
}

START_TEST(a_thread_without_memory_gets_memory_errors)
{
    register_ops();
    tm_status codes[8];
    watch_from(1);
    pthread_t thread;
    int created = pthread_create(&thread, NULL, poor, codes);
    if (created == 0)
        pthread_join(thread, NULL);
    unwatch();
    ck_assert_int_eq(created, 0);
    for (int i = 0; i < COUNT(codes); i++)
        ck_assert_msg(codes[i] == TM_ERR_MEMORY, "use %d: %s", i, tm_status_name(codes[i]));
}
END_TEST

Suite *memory_suite(void)
{
    const TTest *tests[] = {counters_follow_blocks_bytes_and_handles,
                            the_peak_can_be_reset,
                            the_peak_can_be_reset_after_threads,
                            trimming_gives_kept_blocks_back,
                            the_allocator_is_what_was_set,
                            the_scenario_computes,
                            every_allocation_fails_once,
                            blocks_come_back_with_their_size,
                            registering_is_all_or_nothing,
                            overriding_and_aliasing_without_memory,
                            a_thread_without_memory_gets_memory_errors};
    return test_suite_unscoped("memory", tests, COUNT(tests));
}
