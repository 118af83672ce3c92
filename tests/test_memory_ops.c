/* test_memory_ops.c: built-in ops of every family, mapped, with each of their allocations failing
 * once: a memory error each time, nothing leaked, written arguments as they were, and the right
 * result as soon as memory is there.
 */
#include <string.h>

#include "support.h"

static tm_allocator below;
static int64_t until_failure;

static void *failing_alloc(size_t size, void *user)
{
    (void)user;
    if (until_failure == 0 || --until_failure == 0)
        return NULL;
    return below.alloc(size, below.user);
}

static void passing_release(void *memory, size_t size, void *user)
{
    (void)user;
    below.release(memory, size, below.user);
}

/* m: 3x3, positive definite, one example; w: the same memory for all examples. */
typedef tm_tensor *(*op_call)(const tm_tensor *m, tm_tensor *w);

#define OP_CALL(name, expression)                                                                  \
    static tm_tensor *call_##name(const tm_tensor *m, tm_tensor *w)                                \
    {                                                                                              \
        (void)m;                                                                                   \
        (void)w;                                                                                   \
        return expression;                                                                         \
    }

OP_CALL(add, tm_add(m, w))
OP_CALL(add_broadcast, tm_add(m, tm_select(m, 0, 1)))
OP_CALL(add_wide, tm_add(m, tm_astype(w, TM_FLOAT64)))
OP_CALL(add_in_place, tm_add_(tm_add(m, m), w))
OP_CALL(overlapping, tm_add_out(tm_swapaxes(m, 0, 1), w, tm_add(m, w)))
OP_CALL(promoted, tm_copy_(tm_zeros(TM_INTS(3, 3), TM_FLOAT32), m))
OP_CALL(where, tm_where(tm_lt(m, w), m, w))
OP_CALL(clamp, tm_clamp(m, TM_SOME(tm_scalar, tm_scalar_int(0)), NULL))
OP_CALL(astype, tm_astype(m, TM_INT32))
OP_CALL(reshape, tm_reshape(tm_swapaxes(m, 0, 1), TM_INTS(9)))
OP_CALL(concat, tm_concat(TM_TENSORS(m, w, m, w, m, w, m, w), 0))
OP_CALL(stack, tm_stack(TM_TENSORS(m, w), 1))
OP_CALL(sum, tm_sum(m, &TM_INTS(0), false))
OP_CALL(mean_all, tm_mean(m, NULL, true))
OP_CALL(argmax, tm_argmax(m, TM_SOME(int64_t, 0), false))
OP_CALL(norm, tm_vector_norm(m, NULL, false, 2))
OP_CALL(cumsum, tm_cumsum(m, 0))
OP_CALL(triu, tm_triu(m, 0))
OP_CALL(triu_out, tm_triu_out(m, 0, tm_zeros(TM_INTS(3, 3), TM_FLOAT64)))
OP_CALL(matmul, tm_matmul(m, m))
OP_CALL(matmul_shared, tm_matmul(m, w))
OP_CALL(matmul_vector, tm_matmul(tm_select(m, 0, 0), tm_swapaxes(m, 0, 1)))
OP_CALL(trace, tm_trace(m, 1))
OP_CALL(cholesky, tm_cholesky(m, false))
OP_CALL(cross, tm_cross(m, w, 0))
OP_CALL(sort, tm_sort(m, 0, true, true))
OP_CALL(argsort, tm_argsort(m, -1, false, true))
OP_CALL(sort_with_indices, tm_sort_with_indices(m, 0, false, true).indices)
OP_CALL(softmax, tm_softmax(m, 0))
OP_CALL(linear, tm_linear(m, w, tm_select(w, 0, 0)))
OP_CALL(rand, tm_rand(TM_INTS(4), TM_FLOAT32, NULL))
OP_CALL(randint, tm_randint(0, 9, TM_INTS(4), TM_INT64, NULL))
OP_CALL(nonzero, tm_nonzero(w))

static const struct {
    const char *name;
    op_call call;
} calls[] = {
    {"add", call_add},
    {"add_broadcast", call_add_broadcast},
    {"add_wide", call_add_wide},
    {"add_in_place", call_add_in_place},
    {"overlapping", call_overlapping},
    {"promoted", call_promoted},
    {"where", call_where},
    {"clamp", call_clamp},
    {"astype", call_astype},
    {"reshape", call_reshape},
    {"concat", call_concat},
    {"stack", call_stack},
    {"sum", call_sum},
    {"mean_all", call_mean_all},
    {"argmax", call_argmax},
    {"norm", call_norm},
    {"cumsum", call_cumsum},
    {"triu", call_triu},
    {"triu_out", call_triu_out},
    {"matmul", call_matmul},
    {"matmul_shared", call_matmul_shared},
    {"matmul_vector", call_matmul_vector},
    {"trace", call_trace},
    {"cholesky", call_cholesky},
    {"cross", call_cross},
    {"sort", call_sort},
    {"argsort", call_argsort},
    {"sort_with_indices", call_sort_with_indices},
    {"softmax", call_softmax},
    {"linear", call_linear},
    {"rand", call_rand},
    {"randint", call_randint},
    {"nonzero", call_nonzero},
};

static tm_status one_example(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const op_call *call = user;
    out[0] = (*call)(in[0], (tm_tensor *)(uintptr_t)in[1]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_tensor *map(op_call call, const tm_tensor *x, const tm_tensor *w, int64_t chunk)
{
    const tm_tensor *in[] = {x, w};
    const int64_t in_dims[] = {0, TM_NOT_MAPPED};
    tm_vmap_options options = {
        .struct_size = sizeof options, .randomness = TM_RANDOMNESS_DIFFERENT, .chunk_size = chunk};
    tm_tensor *out;
    tm_seed(3);
    return tm_vmap(one_example, &call, &options, 2, in, in_dims, 1, &out, NULL) == TM_OK ? out
                                                                                         : NULL;
}

START_TEST(each_allocation_of_each_op_fails_once)
{
    op_call call = calls[_i].call;
    float values[] = {4, 1, 2, 1, 5, 3, 2, 3, 6, 9, 2, 1, 2, 8, 0, 1, 0, 7};
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 3, (const int64_t[]){2, 3, 3}, values));
    tm_tensor *w = MADE(tm_from_data(TM_FLOAT32, 2, (const int64_t[]){3, 3}, values + 9));
    for (int run = 0; run < 4; run++) {
        EXPECT_OK(tm_set_num_threads(1 + run % 2));
        int64_t chunk = run / 2; /* all at once, or one example at a time */
        tm_tensor *expected = MADE(map(call, x, w, chunk));
        tm_memory_stats before = tm_memory_get_stats();
        bool failed = true;
        for (int64_t n = 1; failed; n++) {
            const tm_allocator failing = {sizeof failing, failing_alloc, passing_release, NULL};
            tm_trim();
            below = tm_get_allocator();
            until_failure = n;
            tm_set_allocator(&failing);
            tm_tensor *y = map(call, x, w, chunk);
            failed = until_failure == 0;
            tm_trim();
            tm_set_allocator(&below);
            if (y) {
                ck_assert_int_eq(tm_numel(y), tm_numel(expected));
                for (int64_t i = 0; i < tm_numel(y); i++)
                    ck_assert_msg(test_value(y, i) == test_value(expected, i),
                                  "%s, run %lld: element %lld", calls[_i].name, (long long)n,
                                  (long long)i);
                tm_release(y);
            } else {
                ck_assert_msg(failed && tm_error_code() == TM_ERR_MEMORY, "%s, run %lld: %s",
                              calls[_i].name, (long long)n, tm_error_message());
                tm_error_clear();
            }
            tm_memory_stats after = tm_memory_get_stats();
            ck_assert_msg(after.live_blocks == before.live_blocks &&
                              after.live_tensors == before.live_tensors,
                          "%s, run %lld leaks %lld blocks", calls[_i].name, (long long)n,
                          (long long)(after.live_blocks - before.live_blocks));
            ck_assert_int_eq(memcmp(tm_data(x), values, sizeof values), 0);
            ck_assert_int_eq(memcmp(tm_data(w), values + 9, sizeof values / 2), 0);
        }
        tm_release(expected);
    }
}
END_TEST

Suite *memory_ops_suite(void)
{
    const TTest *each[] = {each_allocation_of_each_op_fails_once};
    Suite *suite = test_suite("memory_ops", NULL, 0);
    test_suite_loop(suite, each, COUNT(each), COUNT(calls));
    return suite;
}
