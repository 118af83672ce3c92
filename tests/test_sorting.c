/* test_sorting.c: runs sorted side by side in lanes against runs sorted one at a time, bit for bit,
 * at every level of vector instructions.
 */
#include <math.h>
#include <string.h>

#include "support.h"

static const int64_t lengths[] = {1,  2,  3,   8,   15,  16,  17,  31,  33,
                                  64, 65, 100, 127, 128, 130, 255, 256, 257};
static const int64_t batches[] = {1, 2, 7, 16, 37};
static const tm_dtype dtypes[] = {TM_FLOAT32, TM_FLOAT64,  TM_INT32, TM_INT64, TM_UINT32,
                                  TM_UINT64,  TM_BFLOAT16, TM_UINT8, TM_INT16, TM_BOOL};
enum { MOST = 257 * 37 };

/* Many ties; among every 64 elements zeros of both signs, infinities and NaNs where asked for. */
static const tm_tensor *data(tm_dtype dtype, int64_t batch, int64_t n, bool last, bool special)
{
    static float values[MOST];
    uint32_t state = (uint32_t)(n * 37 + batch);
    for (int64_t i = 0; i < batch * n; i++) {
        state = state * 1664525 + 1013904223;
        uint32_t way = state >> 26;
        values[i] = (float)(int32_t)(state >> 12 & 1023) - 511;
        if (special && way < 8)
            values[i] = (const float[]){0, -0.0f, INFINITY, -INFINITY, NAN, -NAN, -0.0f, 0}[way];
    }
    int64_t shape[2] = {last ? n : batch, last ? batch : n};
    return tm_astype(tm_from_data(TM_FLOAT32, 2, shape, values), dtype);
}

typedef struct outcome {
    const tm_tensor *part[8];
} outcome;

/* Every op that sorts, over the rows of x; the k-th too. */
static outcome sort_all(const tm_tensor *x, int64_t in_dim, int64_t k, bool flag)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    const tm_tensor *row = tm_vmap_in(v, x, in_dim);
    tm_sort_with_indices_result both = tm_sort_with_indices(row, 0, flag, true);
    tm_topk_result top = tm_topk(row, k, 0, flag);
    tm_kthvalue_result kth = tm_kthvalue(row, k, 0, flag);
    outcome o = {{tm_sort(row, 0, flag, true), tm_argsort(row, 0, flag, true), both.values,
                  both.indices, top.values, top.indices, kth.values, kth.indices}};
    for (int i = 0; i < 8; i++)
        o.part[i] = tm_vmap_out(v, o.part[i], 0);
    tm_vmap_pop(v);
    for (int i = 0; i < 8; i++) /* in rows */
        o.part[i] = tm_clone(o.part[i]);
    return o;
}

static void expect_same(const outcome *a, const outcome *b, const char *what)
{
    for (int i = 0; i < 8; i++) {
        const tm_tensor *x = a->part[i], *y = b->part[i];
        ck_assert_ptr_nonnull(x);
        ck_assert_ptr_nonnull(y);
        ck_assert_int_eq(tm_numel(x), tm_numel(y));
        size_t bytes = (size_t)tm_numel(x) * tm_dtype_size(tm_dtype_of(x));
        ck_assert_msg(memcmp(tm_data(x), tm_data(y), bytes) == 0, "%s, result %d", what, i);
    }
}

START_TEST(lanes_sort_as_one_run_at_a_time)
{
    tm_dtype dtype = dtypes[_i];
    tm_simd most = tm_get_simd();
    for (int at = 0; at < COUNT(lengths) * COUNT(batches) * 2; at++) {
        int64_t n = lengths[at / 2 % COUNT(lengths)], b = batches[at / 2 / COUNT(lengths)];
        tm_scope *scope = tm_scope_push();
        bool last = at % 2, flag = at / 2 % 2;
        int64_t k = at % 3 == 0 ? n : at % 3 == 1 ? 1 : n / 8 + 1;
        const tm_tensor *x = data(dtype, b, n, last, at % 5 < 2);
        tm_set_acceleration(TM_ACCEL_OFF);
        outcome plain = sort_all(x, last, k, flag);
        tm_set_acceleration(TM_ACCEL_ON);
        for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
            char what[80];
            snprintf(what, sizeof what, "%s, n %d, batch %d %s, k %d, %s", tm_dtype_name(dtype),
                     (int)n, (int)b, last ? "last" : "first", (int)k, tm_simd_name(level));
            tm_set_simd(level);
            outcome lanes = sort_all(x, last, k, flag);
            expect_same(&plain, &lanes, what);
        }
        tm_scope_pop(scope);
    }
    tm_set_simd(most);
}
END_TEST

/* The k-th element of runs that are sorted in many pieces, the last of them short. */
START_TEST(pieces_keep_the_first_ones)
{
    enum { N = 1000 };
    const tm_tensor *x = data(dtypes[_i], 9, N, false, true);
    for (int64_t k = 1; k < N; k = 2 * k + 3) {
        tm_set_acceleration(TM_ACCEL_OFF);
        outcome plain = sort_all(x, 0, k, k % 2);
        tm_set_acceleration(TM_ACCEL_ON);
        outcome lanes = sort_all(x, 0, k, k % 2);
        expect_same(&plain, &lanes, tm_dtype_name(dtypes[_i]));
    }
}
END_TEST

/* An axis that is not the last, whose neighbours' runs are the neighbours in memory, and rows that
 * run backwards. */
START_TEST(any_strides_will_do)
{
    const tm_tensor *x = tm_reshape(data(TM_FLOAT32, 30, 100, false, true), TM_INTS(10, 20, 15));
    const tm_tensor *turned = tm_flip(tm_permute_dims(x, TM_INTS(2, 0, 1)), NULL);
    for (int64_t axis = 0; axis < 3; axis++) {
        tm_set_acceleration(TM_ACCEL_OFF);
        const tm_tensor *plain = tm_clone(tm_sort(x, axis, false, true));
        const tm_tensor *other = tm_clone(tm_argsort(turned, axis, false, true));
        tm_set_acceleration(TM_ACCEL_ON);
        const tm_tensor *lanes = tm_clone(tm_sort(x, axis, false, true));
        const tm_tensor *again = tm_clone(tm_argsort(turned, axis, false, true));
        ck_assert_int_eq(memcmp(tm_data(plain), tm_data(lanes), 3000 * sizeof(float)), 0);
        ck_assert_int_eq(memcmp(tm_data(other), tm_data(again), 3000 * sizeof(int64_t)), 0);
    }
}
END_TEST

/* Long runs are sorted by the bytes of their keys: numbers that differ in any of them. */
START_TEST(every_byte_of_a_key_counts)
{
    enum { N = 3000 };
    static int64_t numbers[N];
    const tm_dtype dtype = (const tm_dtype[]){TM_INT64, TM_INT32, TM_UINT64, TM_UINT32}[_i];
    const bool wide = tm_dtype_size(dtype) == 8, is_signed = _i < 2;
    int32_t *narrow = (int32_t *)numbers;
    uint64_t state = 7;
    for (int i = 0; i < N; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        const int64_t number = (int64_t)(state & (uint64_t)0xff << (state >> 61) * 8 ? state : 0);
        if (wide)
            numbers[i] = number;
        else
            narrow[i] = (int32_t)(number >> 32);
    }
    const tm_tensor *x = tm_from_data(dtype, 1, (int64_t[]){N}, numbers);
    const int64_t *order = tm_data(tm_argsort(x, 0, _i % 2, true));
    bool seen[N] = {false};
    for (int i = 0; i < N; i++) {
        ck_assert(order[i] >= 0 && order[i] < N && !seen[order[i]]);
        seen[order[i]] = true;
        if (i == 0)
            continue;
        int64_t a = order[_i % 2 ? i : i - 1], b = order[_i % 2 ? i - 1 : i];
        int64_t u = wide ? numbers[a] : narrow[a], v = wide ? numbers[b] : narrow[b];
        ck_assert(is_signed ? u <= v : (uint64_t)u <= (uint64_t)v);
        ck_assert(u != v || order[i - 1] < order[i]);
    }
}
END_TEST

Suite *sorting_suite(void)
{
    const TTest *const loops[] = {lanes_sort_as_one_run_at_a_time, pieces_keep_the_first_ones};
    const TTest *const tests[] = {any_strides_will_do};
    Suite *suite = test_suite("sorting", tests, COUNT(tests));
    test_suite_loop(suite, loops, COUNT(loops), COUNT(dtypes));
    test_suite_loop(suite, (const TTest *const[]){every_byte_of_a_key_counts}, 1, 4);
    return suite;
}
