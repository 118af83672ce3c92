/* test_stress.c: threads that do everything at once, each with a stack of its own.
 *
 * Every thread takes steps in an order of its own and knows what each must give, exactly. What
 * threads share, they share by the rules: retained handles, ops, the registry, plug-ins, the pool
 * of workers, process-wide tables. At the end nothing is left: no handle, no block but what the
 * registry keeps of retired ops, no name. TM_STRESS_ROUNDS sets how long it takes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_support.h"
#include "stress_support.h"

enum { THREADS = 6, SLOTS = 4, SHARED = 3 };

static int rounds(int otherwise)
{
    const char *text = getenv("TM_STRESS_ROUNDS");
    int n = text ? atoi(text) : 0;
    return n > 0 ? n : otherwise;
}

/* -- Steps: the pool, the tables, the counters ------------------------------------------------- */

static bool large_calls(worker *w)
{
    HOLDS(tm_set_num_threads(1 + (int)test_draw(w, 4)) == TM_OK);
    int64_t n = 70000, first = (int64_t)test_draw(w, 100);
    tm_tensor *x = test_count_from(first, TM_INTS(n));
    HOLDS(test_counts(tm_add(x, x), 2, first));
    tm_tensor *ones = tm_full(TM_INTS(300, 16, 16), tm_scalar_float(2), TM_FLOAT32);
    tm_tensor *product = tm_matmul(ones, ones);
    for (int64_t i = 0; i < 300 * 256; i += 97)
        HOLDS(product && ((const float *)tm_data(product))[i] == 64);
    return true;
}

static bool tables(worker *w)
{
    int64_t n = (int64_t)1 << test_draw(w, 9);
    tm_tensor *x = tm_zeros(TM_INTS(n), TM_FLOAT64);
    HOLDS(x);
    *(double *)tm_mutable_data(x) = 3;
    tm_tensor *y = tm_real(tm_fft(x, NULL, -1, "backward"));
    for (int64_t i = 0; i < n; i++)
        HOLDS(y && ((const double *)tm_data(y))[i * tm_strides(y)[0]] == 3);
    if (test_draw(w, 4) == 0)
        tm_trim();
    tm_memory_stats stats = tm_memory_get_stats();
    HOLDS(stats.allocations > 0 && stats.live_bytes > 0);
    if (test_draw(w, 8) == 0)
        tm_memory_reset_peak();
    return true;
}

static bool linear_systems(worker *w)
{
    int64_t first = (int64_t)test_draw(w, 100), n = 2 + (int64_t)test_draw(w, 20);
    tm_tensor *a = tm_mul(tm_eye(n, NULL, 0, TM_FLOAT32), test_f32_scalar(2));
    tm_tensor *b = test_count_from(first, TM_INTS(5, n));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *x = tm_vmap_out(v, tm_solve(a, tm_vmap_in(v, b, 0)), 0);
    HOLDS(tm_vmap_pop(v) == TM_OK && x && test_counts(x, 0.5, first));
    return true;
}

/* -- Steps: the registry ----------------------------------------------------------------------- */

static const tm_op *shared_op; /* gives 1, or 2 while somebody has overridden it */
static const tm_op *names_op;  /* never retired; aliases come and go */

static bool value_of(const tm_op *op, double *value)
{
    tm_value result;
    if (tm_op_call(op, NULL, 0, &result, 1) != TM_OK)
        return false;
    *value = *(const float *)tm_data(result.tensor);
    return true;
}

static bool registering_and_retiring(worker *w)
{
    char schema[40], name[20], alias[20];
    snprintf(name, sizeof name, "stress_%d", w->id);
    snprintf(alias, sizeof alias, "alias_%d", w->id);
    snprintf(schema, sizeof schema, "%s() -> Tensor", name);
    tm_op_def def = test_number_def(schema);
    tm_library *library = tm_library_open(name);
    HOLDS(library);
    const tm_op *op = tm_library_register(library, &def);
    double value;
    HOLDS(op && tm_op_find(name, NULL) == op && value_of(op, &value) && value == 1);
    HOLDS(tm_library_alias(library, alias, tm_op_name(names_op)) == TM_OK);
    HOLDS(tm_op_find(alias, NULL) == names_op && value_of(names_op, &value) && value == 1);
    def.impl = (tm_fn)test_number_3;
    HOLDS(!tm_library_register(library, &def) && tm_error_code() == TM_ERR_USAGE);
    tm_error_clear();
    tm_library_close(library);
    tm_value result;
    HOLDS(!tm_op_find(name, NULL) && !tm_op_find(alias, NULL));
    HOLDS(tm_op_call(op, NULL, 0, &result, 1) == TM_ERR_NO_KERNEL);
    tm_error_clear();
    return true;
}

static bool overriding_what_others_call(worker *w)
{
    double value;
    tm_library *library = NULL;
    if (test_draw(w, 2)) {
        tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)test_number_2};
        library = tm_library_open("over");
        HOLDS(tm_library_override(library, shared_op, TM_KEY_PLAIN, &def) == TM_OK);
        HOLDS(value_of(shared_op, &value) && value == 2);
    }
    HOLDS(value_of(shared_op, &value) && (value == 1 || value == 2));
    tm_library_close(library);
    return true;
}

static bool looking_at_ops(worker *w)
{
    int64_t count = tm_op_count(), i = (int64_t)test_draw(w, (uint64_t)count / 2);
    const tm_op *op = tm_op_at(i);
    HOLDS(op && tm_op_name(op)[0] && tm_op_aliases(op) && tm_op_schema(op)[0]);
    HOLDS(tm_op_find("add", NULL) && tm_op_has_key(tm_op_find("matmul", NULL), TM_KEY_PLAIN));
    return true;
}

static bool plugins(worker *w)
{
    HOLDS(tm_plugin_load(TM_PLUGINS "/plugin.so") == TM_OK);
    const tm_op *op = tm_op_find("smoothstep", NULL);
    HOLDS(op && strcmp(tm_plugin_of(op), TM_PLUGINS "/plugin.so") == 0);
    tm_tensor *y = CALL(op, {.tensor = tm_full(TM_INTS(3), tm_scalar_float(0.5), TM_FLOAT32)});
    HOLDS(y && ((const float *)tm_data(y))[2] == 0.5f);
    HOLDS(tm_plugin_load(TM_PLUGINS "/fails.so") != TM_OK && tm_error_code() != TM_OK);
    tm_error_clear();
    return true;
}

/* -- Steps: handles that go from thread to thread ---------------------------------------------- */

static tm_tensor *shared[SHARED];         /* everybody reads */
static _Atomic(tm_tensor *) slots[SLOTS]; /* whoever takes one owns it */
static _Atomic int wrapped_made, wrapped_deleted;

static void deleted(void *user)
{
    free(user);
    atomic_fetch_add(&wrapped_deleted, 1);
}

static bool reading_shared_handles(worker *w)
{
    int which = (int)test_draw(w, SHARED);
    tm_tensor *x = tm_retain(shared[which]);
    tm_tensor *view = tm_retain(tm_alias(x));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, x, 0);
    tm_tensor *y = tm_vmap_out(v, tm_add(row, row), 0);
    HOLDS(tm_vmap_pop(v) == TM_OK && test_counts(y, 2, 10 * which) &&
          test_counts(view, 1, 10 * which));
    tm_release(view);
    tm_release(x);
    return true;
}

static tm_tensor *wrap_from(int64_t first)
{
    float *data = malloc(6 * sizeof *data);
    for (int i = 0; data && i < 6; i++)
        data[i] = (float)(first + i);
    tm_wrap_options options = {.struct_size = sizeof options, .deleter = deleted, .user = data};
    atomic_fetch_add(&wrapped_made, 1);
    return tm_wrap(TM_FLOAT32, 2, (const int64_t[]){2, 3}, NULL, data, &options);
}

/* Leaves one behind, takes what another thread left. */
static bool exchanging_handles(worker *w)
{
    int64_t first = (int64_t)test_draw(w, 1000);
    tm_tensor *x = test_draw(w, 2) ? wrap_from(first) : test_count_from(first, TM_INTS(2, 3));
    if (test_draw(w, 2)) { /* a view, or a record derived from a level's */
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *row = tm_vmap_in(v, x, 0),
                  *inside = tm_add(row, tm_zeros(tm_no_ints, TM_FLOAT32));
        x = test_draw(w, 2) ? tm_vmap_out(v, row, 0) : tm_vmap_out(v, inside, 0);
        HOLDS(tm_vmap_pop(v) == TM_OK);
    }
    HOLDS(x);
    tm_tensor *other = atomic_exchange(&slots[test_draw(w, SLOTS)], tm_retain(x));
    if (!other)
        return true;
    const float *data = tm_data(other);
    HOLDS(data && test_counts(other, 1, (int64_t)data[0]) && tm_numel(other) == 6);
    tm_release(other);
    return true;
}

/* -- All of it ----------------------------------------------------------------------------------
 */

static const step steps[] = {test_nested_levels,
                             test_promotion,
                             test_errors,
                             test_modes,
                             test_traces,
                             test_scopes_and_random_numbers,
                             large_calls,
                             tables,
                             linear_systems,
                             registering_and_retiring,
                             overriding_what_others_call,
                             looking_at_ops,
                             plugins,
                             reading_shared_handles,
                             exchanging_handles};

static void *work(void *user)
{
    worker *w = user;
    for (int n = rounds(60); n > 0 && !w->broken[0]; n--) {
        tm_scope *scope = tm_scope_push();
        if (!steps[test_draw(w, COUNT(steps))](w))
            break; /* what is open is closed with the thread */
        if (tm_error_code() != TM_OK || tm_scope_pop(scope) != TM_OK)
            test_broken(w, __LINE__, "a step leaves nothing");
    }
    return NULL;
}

static void run_workers(uint64_t seed)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.id = i, .random = seed * 1000 + (uint64_t)i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_str_eq(workers[i].broken, "");
}

START_TEST(threads_do_everything_at_once)
{
    shared_op = test_number_op("stress_shared() -> Tensor", (tm_fn)test_number_1);
    names_op = test_number_op("stress_names() -> Tensor", (tm_fn)test_number_1);
    int64_t ops = -1;
    tm_memory_stats stats = {0};
    for (uint64_t again = 0; again < 3; again++) {
        for (int i = 0; i < SHARED; i++)
            shared[i] = test_count_from(10 * i, TM_INTS(8, 5));
        run_workers(again);
        for (int i = 0; i < SHARED; i++)
            tm_release(shared[i]);
        for (int i = 0; i < SLOTS; i++)
            tm_release(atomic_exchange(&slots[i], NULL));
        tm_trim();
        ck_assert_int_eq(atomic_load(&wrapped_made), atomic_load(&wrapped_deleted));
        tm_memory_stats now = tm_memory_get_stats();
        ck_assert_int_eq((int64_t)now.live_tensors, again ? (int64_t)stats.live_tensors : 0);
        ck_assert(ops < 0 ||
                  ops == tm_op_count()); /* the plug-in's are there since the first time */
        stats = now;
        ops = tm_op_count();
    }
}
END_TEST

Suite *stress_suite(void)
{
    const TTest *tests[] = {threads_do_everything_at_once};
    return test_suite_unscoped("stress", tests, COUNT(tests));
}
