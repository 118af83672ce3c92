/* test_threads.c: where threads meet and end: what a thread leaves open, handles that outlive the
 * thread that made them, a process that exits while others run, names and callbacks under the
 * registry's lock.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "number_support.h"

static void run_thread(void *(*work)(void *), void *user)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, work, user), 0);
    pthread_join(thread, NULL);
}

/* -- A thread's end ---------------------------------------------------------------------------- */

static int destroyed;

static void destroy(void *state)
{
    (void)state;
    destroyed++;
    tm_scope *scope = tm_scope_push(); /* the library is still there */
    destroyed += !tm_zeros(TM_INTS(2), TM_FLOAT32) || tm_scope_pop(scope) != TM_OK;
}

static tm_mode_answer declines(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_DECLINE;
}

static const tm_mode_def leaver = {
    .struct_size = sizeof leaver, .name = "leaver", .handle = declines, .destroy = destroy};

/* Opens all there is to open, and ends. */
static void *leaves_all_open(void *user)
{
    tm_trace_push(user);
    for (int i = 0; i < 3; i++) {
        tm_scope_push();
        tm_check_push();
        tm_tensor *x = tm_zeros(TM_INTS(4, 3, 2), TM_FLOAT32);
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_mode_push(&leaver, NULL);
        tm_tensor *sum = tm_zeros(TM_INTS(3, 2), TM_FLOAT32);
        tm_add_(sum, tm_vmap_in(v, x, 0)); /* promoted: the old block waits for the level's end */
        tm_vmap_out(v, sum, 0);
    }
    tm_triu(tm_zeros(TM_INTS(2), TM_FLOAT32), 0);
    return NULL;
}

START_TEST(what_a_thread_leaves_open_is_closed_at_its_end)
{
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    run_thread(leaves_all_open, stream); /* what ops keep process-wide is there from now on */
    for (int i = 0; i < 3; i++) {
        tm_memory_stats before = tm_memory_get_stats();
        destroyed = 0;
        run_thread(leaves_all_open, stream);
        ck_assert_int_eq(destroyed, 3);
        tm_memory_stats after = tm_memory_get_stats();
        ck_assert_uint_eq(after.live_blocks, before.live_blocks);
        ck_assert_uint_eq(after.live_bytes, before.live_bytes);
        ck_assert_uint_eq(after.live_tensors, before.live_tensors);
    }
    fclose(stream);
}
END_TEST

static void *makes_and_ends(void *user)
{
    tm_tensor **made = user;
    tm_scope_push();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(2, 3)), 0);
    made[0] = tm_retain(tm_vmap_out(v, tm_add(row, row), 0));
    made[1] = tm_retain(row); /* of a level that ends with the thread */
    return NULL;
}

START_TEST(handles_outlive_the_thread_that_made_them)
{
    uint64_t before = tm_memory_get_stats().live_tensors;
    tm_tensor *made[2];
    run_thread(makes_and_ends, made);
    EXPECT_F32(made[0], TM_INTS(2, 3), 0, 2, 4, 6, 8, 10);
    tm_tensor *sum = MADE(tm_add_(made[0], made[0]));
    EXPECT_F32(sum, TM_INTS(2, 3), 0, 4, 8, 12, 16, 20);
    EXPECT_NULL(tm_add(made[1], made[1]), TM_ERR_ESCAPED, "add: x1");
    tm_release(made[0]);
    tm_release(made[1]);
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, before);
}
END_TEST

/* -- A process's end --------------------------------------------------------------------------- */

static _Atomic int calls_made;

static void *calls_for_ever(void *user)
{
    (void)user;
    tm_set_num_threads(2);
    for (;;) {
        tm_scope *scope = tm_scope_push();
        tm_tensor *x = tm_zeros(TM_INTS(100000), TM_FLOAT32);
        tm_tensor *y = tm_real(tm_fft(tm_reshape(x, TM_INTS(1000, 100)), NULL, -1, "backward"));
        if (!tm_op_find("triu", NULL) || !tm_add(y, y) || tm_scope_pop(scope) != TM_OK)
            abort();
        atomic_fetch_add(&calls_made, 1);
    }
}

/* The exit status of a child that runs `child` and exits. */
static int status_of(void (*child)(void))
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        child();
        exit(0);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static void exits_while_others_call(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread, NULL, calls_for_ever, NULL) != 0)
            _exit(1);
    while (atomic_load(&calls_made) < 3)
        usleep(1000);
}

START_TEST(a_process_exits_while_other_threads_call)
{
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(status_of(exits_while_others_call), 0);
}
END_TEST

static void exits_with_modes_on(void)
{
    static const tm_mode_def fails = {
        .struct_size = sizeof fails, .name = "fails", .destroy = (void (*)(void *))abort};
    tm_mode_push(&fails, NULL);
    leaves_all_open(tmpfile());
}

START_TEST(a_process_exits_with_modes_on)
{
    ck_assert_int_eq(status_of(exits_with_modes_on), 0);
}
END_TEST

static tm_status exits(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    (void)out;
    exit(0);
}

static void exits_in_a_mapped_function(void)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3)), *out;
    tm_vmap(exits, NULL, NULL, 1, (const tm_tensor *const[]){x}, (const int64_t[]){0}, 1, &out,
            NULL);
}

START_TEST(a_mapped_function_exits_the_process)
{
    ck_assert_int_eq(status_of(exits_in_a_mapped_function), 0);
}
END_TEST

static void sums_in_threads(void)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_full(TM_INTS(400, 1000), tm_scalar_float(2), TM_FLOAT32);
    for (int i = 0; i < 3; i++)
        if (tm_scalar_as_float(tm_item(tm_sum(tm_add(x, x), NULL, false))) != 1600000)
            _exit(1);
    tm_scope_pop(scope);
}

static void does_nothing(void)
{
}

START_TEST(a_child_of_fork_has_threads_of_its_own)
{
    EXPECT_OK(tm_set_num_threads(2));
    sums_in_threads(); /* the pool's threads are there, in this process */
    ck_assert_int_eq(status_of(does_nothing), 0);
#ifndef __SANITIZE_THREAD__ /* it ends a child that makes threads */
    ck_assert_int_eq(status_of(sums_in_threads), 0);
#endif
    sums_in_threads();
}
END_TEST

/* The shared library, loaded beside the one that is linked, and let go while a thread has used it:
 * what that thread's end runs must still be there. */
static void *uses_and_waits(void *user)
{
    pthread_barrier_t *barrier = user;
    void *library = dlopen(TM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "tm_op_count") : NULL;
    int64_t (*count)(void);
    memcpy(&count, &symbol, sizeof count);
    if (symbol)
        count();
    if (library)
        dlclose(library);
    pthread_barrier_wait(barrier);
    return symbol;
}

START_TEST(the_shared_library_may_be_let_go_before_its_threads)
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, uses_and_waits, &barrier), 0);
    pthread_barrier_wait(&barrier);
    void *symbol;
    pthread_join(thread, &symbol);
    ck_assert_ptr_nonnull(symbol);
    pthread_barrier_destroy(&barrier);
}
END_TEST

/* -- The registry's lock ----------------------------------------------------------------------- */

static int called_back;

static void looks_up(const tm_error *error, void *user)
{
    called_back += tm_op_find(user, NULL) != NULL && tm_op_count() > 0;
    ck_assert_int_eq(error->code, TM_ERR_USAGE);
}

START_TEST(an_error_callback_may_look_up_ops)
{
    tm_op_def def = test_number_def("threads_a() -> Tensor");
    ck_assert_ptr_nonnull(tm_library_register(test_library, &def));
    tm_error_set_callback(looks_up, (void *)(uintptr_t) "threads_a");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE,
                "registered already");
    EXPECT_FAIL(tm_library_alias(test_library, "threads_b", "nothing"), TM_ERR_USAGE, "no op");
    tm_error_set_callback(NULL, NULL);
    ck_assert_int_eq(called_back, 2);
}
END_TEST

static _Atomic bool stop;

static void *reads_aliases(void *user)
{
    while (!atomic_load(&stop)) {
        const char *text = tm_op_aliases(user);
        size_t length = strlen(text);
        if (length > 0 && (text[0] != 'b' || text[length - 1] == ',' || strchr(text, ' ')))
            return user;
    }
    return NULL;
}

START_TEST(aliases_come_and_go_while_another_thread_reads_them)
{
    const tm_op *op = test_number_op("threads_c() -> Tensor", (tm_fn)test_number_1);
    ck_assert_str_eq(tm_op_aliases(op), "");
    atomic_store(&stop, false);
    pthread_t thread;
    void *wrong;
    ck_assert_int_eq(pthread_create(&thread, NULL, reads_aliases, (void *)(uintptr_t)op), 0);
    for (int i = 0; i < 200; i++) {
        tm_library *library = tm_library_open("aliases");
        EXPECT_OK(tm_library_alias(library, i % 2 ? "b1" : "b2", "threads_c"));
        ck_assert_str_eq(tm_op_aliases(op), i % 2 ? "b1" : "b2");
        EXPECT_OK(tm_library_alias(library, "b3", "threads_c"));
        ck_assert_str_eq(tm_op_aliases(op), i % 2 ? "b1,b3" : "b2,b3");
        tm_library_close(library);
    }
    atomic_store(&stop, true);
    pthread_join(thread, &wrong);
    ck_assert_ptr_null(wrong);
    ck_assert_str_eq(tm_op_aliases(op), "");
}
END_TEST

static tm_library *in_dispute;

static void *registers_in_it(void *user)
{
    static _Atomic int number;
    while (!atomic_load(&stop)) {
        char schema[40];
        snprintf(schema, sizeof schema, "dispute_%d() -> Tensor", atomic_fetch_add(&number, 1));
        tm_op_def def = test_number_def(schema);
        if (!tm_library_register(in_dispute, &def) && tm_error_code() != TM_ERR_USAGE)
            return user;
        tm_error_clear();
    }
    return NULL;
}

START_TEST(nothing_enters_a_library_that_another_thread_closes)
{
    int64_t before = tm_op_count();
    for (int i = 0; i < 20; i++) {
        in_dispute = tm_library_open("dispute");
        atomic_store(&stop, false);
        pthread_t threads[2];
        for (int k = 0; k < 2; k++)
            ck_assert_int_eq(pthread_create(&threads[k], NULL, registers_in_it, &stop), 0);
        usleep(500);
        tm_library_close(in_dispute);
        atomic_store(&stop, true);
        for (int k = 0; k < 2; k++) {
            void *wrong;
            pthread_join(threads[k], &wrong);
            ck_assert_ptr_null(wrong);
        }
        ck_assert_int_eq(tm_op_count(), before);
    }
}
END_TEST

/* -- Storages over one block ------------------------------------------------------------------- */

static _Atomic(tm_tensor *) given;

static void *releases_what_it_is_given(void *user)
{
    while (!atomic_load(&stop)) {
        tm_tensor *x = atomic_exchange(&given, NULL);
        tm_release(x);
    }
    return user;
}

/* Results of an inner level go to another thread, which releases them while the block they stand on
 * is promoted at the outer level: some before, some meanwhile, some afterwards. */
START_TEST(results_are_released_elsewhere_while_their_block_is_promoted)
{
    atomic_store(&stop, false);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, releases_what_it_is_given, NULL), 0);
    tm_scope *outer = tm_scope_push();
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4, 2, 3));
    for (int i = 0; i < 1000; i++) {
        tm_scope *scope = tm_scope_push();
        tm_vmap_level *a = tm_vmap_push(NULL);
        tm_tensor *rows = tm_vmap_in(a, x, 0);
        tm_vmap_level *b = tm_vmap_push(NULL);
        rows = MADE(tm_vmap_in(b, rows, 0));
        tm_tensor *sum = MADE(tm_zeros(TM_INTS(3), TM_FLOAT32));
        for (int k = 0; k < 3; k++) {
            tm_tensor *y = MADE(tm_vmap_out(b, sum, 0));
            tm_release(atomic_exchange(&given, tm_retain(y)));
        }
        MADE(tm_add_(sum, rows));
        tm_tensor *out = MADE(tm_vmap_out(b, sum, 0));
        EXPECT_OK(tm_vmap_pop(b));
        out = MADE(tm_vmap_out(a, out, 0));
        EXPECT_OK(tm_vmap_pop(a));
        ck_assert_double_eq(test_value(out, 23), 23);
        EXPECT_OK(tm_scope_pop(scope));
    }
    EXPECT_OK(tm_scope_pop(outer));
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    tm_release(atomic_exchange(&given, NULL));
}
END_TEST

Suite *threads_suite(void)
{
    const TTest *tests[] = {what_a_thread_leaves_open_is_closed_at_its_end,
                            handles_outlive_the_thread_that_made_them,
                            a_process_exits_while_other_threads_call,
                            a_process_exits_with_modes_on,
                            a_mapped_function_exits_the_process,
                            a_child_of_fork_has_threads_of_its_own,
                            the_shared_library_may_be_let_go_before_its_threads,
                            an_error_callback_may_look_up_ops,
                            aliases_come_and_go_while_another_thread_reads_them,
                            nothing_enters_a_library_that_another_thread_closes,
                            results_are_released_elsewhere_while_their_block_is_promoted};
    return test_suite_unscoped("threads", tests, COUNT(tests));
}
