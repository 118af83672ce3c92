/* test_vmap_chunk.c: batches in pieces: the same results as all at once, in bounded memory. */
#include <string.h>
#include <unistd.h>

#include "support.h"

/* -- Mapping the same function all at once and in pieces ----------------------------------------
 */

static int runs;

static tm_tensor *chunked(tm_mapped_fn fn, const tm_tensor *x, int64_t in_dim, int64_t out_dim,
                          int64_t chunk)
{
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = chunk};
    tm_tensor *out;
    runs = 0;
    return tm_vmap(fn, NULL, &options, 1, &x, &in_dim, 1, &out, &out_dim) == TM_OK ? out : NULL;
}

/* Dtype, shape and every bit. */
static void expect_same(const tm_tensor *a, const tm_tensor *b)
{
    ck_assert_int_eq(tm_dtype_of(a), tm_dtype_of(b));
    ck_assert_int_eq(tm_ndim(a), tm_ndim(b));
    for (int d = 0; d < tm_ndim(a); d++)
        ck_assert_int_eq(tm_size(a, d), tm_size(b, d));
    for (int64_t i = 0; i < tm_numel(a); i++)
        ck_assert_msg(test_value(a, i) == test_value(b, i), "element %lld: %.17g, but %.17g",
                      (long long)i, test_value(a, i), test_value(b, i));
}

/* Some elementwise ops, and the example's own index. */
static tm_status mixed(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    runs++;
    tm_tensor *index = tm_astype(tm_vmap_index(tm_vmap_current()), TM_FLOAT32);
    tm_tensor *y =
        tm_add(tm_exp(tm_mul(in[0], tm_full(tm_no_ints, tm_scalar_float(0.1), TM_FLOAT32))),
               tm_mul(in[0], in[0]));
    out[0] = tm_mul(y, index);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(every_chunk_size_every_dim)
{
    static const int64_t chunks[] = {1, 2, 3, 4, 5, 6, 7, INT64_MAX, TM_CHUNK_AUTO};
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(5, 6, 5));
    for (int64_t in_dim = -3; in_dim < 3; in_dim++)
        for (int64_t out_dim = -3; out_dim < 3; out_dim++) {
            tm_tensor *whole = MADE(chunked(mixed, x, in_dim, out_dim, 0));
            ck_assert_int_eq(runs, 1);
            for (int c = 0; c < COUNT(chunks); c++) {
                expect_same(MADE(chunked(mixed, x, in_dim, out_dim, chunks[c])), whole);
                int64_t size = tm_size(x, (int)(in_dim < 0 ? in_dim + 3 : in_dim));
                if (chunks[c] > 0 && chunks[c] < size)
                    ck_assert_int_eq(runs, (size + chunks[c] - 1) / chunks[c]);
                else
                    ck_assert_int_eq(runs, 1);
            }
        }
}
END_TEST

START_TEST(an_empty_batch_runs_once)
{
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 3, (const int64_t[]){4, 0, 2}));
    for (int64_t chunk = -1; chunk < 2; chunk++) {
        EXPECT_SHAPE(chunked(mixed, x, 1, -1, chunk), TM_FLOAT32, TM_INTS(4, 2, 0));
        ck_assert_int_eq(runs, 1);
    }
}
END_TEST

START_TEST(empty_examples_are_mapped_like_others)
{
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 3, (const int64_t[]){4, 5, 0}));
    EXPECT_SHAPE(chunked(mixed, x, 1, 1, 2), TM_FLOAT32, TM_INTS(4, 5, 0));
    ck_assert_int_eq(runs, 3);
    EXPECT_SHAPE(chunked(mixed, x, 1, 1, TM_CHUNK_AUTO), TM_FLOAT32, TM_INTS(4, 5, 0));
    ck_assert_int_eq(runs, 1);
}
END_TEST

static tm_status index_and_size(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    out[0] = tm_vmap_index(tm_vmap_current());
    ck_assert_int_eq(tm_vmap_size(tm_vmap_current()), 5);
    return TM_OK;
}

START_TEST(index_and_size_are_the_whole_batchs)
{
    EXPECT(chunked(index_and_size, test_iota(TM_FLOAT32, TM_INTS(5)), 0, 0, 2), TM_INT64,
           TM_INTS(5), 0, 1, 2, 3, 4);
}
END_TEST

/* A tensor from outside, moved in by the function itself. */
static tm_status adds_captured(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = tm_add(in[0], tm_vmap_in(tm_vmap_current(), user, 1));
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(what_the_function_moves_in_is_its_piece)
{
    tm_tensor *x = F32(TM_INTS(3), 10, 20, 30), *w = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *y;
    const tm_tensor *in[] = {x};
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    EXPECT_OK(tm_vmap(adds_captured, w, &options, 1, in, (const int64_t[]){0}, 1, &y, NULL));
    EXPECT_F32(y, TM_INTS(3, 2), 10, 13, 21, 24, 32, 35);
    w = test_iota(TM_FLOAT32, TM_INTS(2, 2)); /* as large as a piece, but not as the batch */
    EXPECT_FAIL(tm_vmap(adds_captured, w, &options, 1, in, (const int64_t[]){0}, 1, &y, NULL),
                TM_ERR_SHAPE, "x has size 2 at in_dim 1, but the level's size is 3");
}
END_TEST

static tm_status identity(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_alias(in[0]);
    return TM_OK;
}

START_TEST(a_result_that_is_an_input)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 5));
    tm_tensor *y = MADE(chunked(identity, x, 1, 0, 2));
    EXPECT_F32(y, TM_INTS(5, 2), 0, 5, 1, 6, 2, 7, 3, 8, 4, 9);
    ck_assert_ptr_ne(tm_data(y), tm_data(x));
    ck_assert(tm_is_contiguous(y));
}
END_TEST

static tm_status constant(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    out[0] = tm_ones(TM_INTS(2), TM_INT32);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(a_result_that_depends_on_no_example)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    EXPECT(chunked(constant, x, 0, 1, 2), TM_INT32, TM_INTS(2, 3), 1, 1, 1, 1, 1, 1);
    EXPECT(chunked(constant, x, 0, TM_NOT_MAPPED, 2), TM_INT32, TM_INTS(2), 1, 1);
}
END_TEST

/* Each example writes its own part of memory made outside. */
static tm_status doubles_in_place(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)out;
    return tm_add_((tm_tensor *)(uintptr_t)in[0], in[0]) ? TM_OK : tm_error_code();
}

START_TEST(writes_into_mapped_memory)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 5));
    const tm_tensor *in[] = {x};
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    EXPECT_OK(
        tm_vmap(doubles_in_place, NULL, &options, 1, in, (const int64_t[]){1}, 0, NULL, NULL));
    EXPECT_F32(x, TM_INTS(2, 5), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18);
}
END_TEST

/* A promoted result: zeros made inside, written with a mapped value. */
static tm_status fills_zeros(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_zeros(TM_INTS(2), TM_FLOAT32);
    return tm_copy_(out[0], tm_expand(in[0], TM_INTS(2))) ? TM_OK : tm_error_code();
}

START_TEST(a_promoted_result)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    EXPECT_F32(chunked(fills_zeros, x, 0, 1, 2), TM_INTS(2, 3), 0, 1, 2, 0, 1, 2);
}
END_TEST

enum { MANY = 20 };

static tm_status many(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    for (int i = 0; i < MANY; i++) {
        out[i] = tm_add_scalar(in[i], tm_scalar_int(i));
        if (!out[i])
            return tm_error_code();
    }
    return TM_OK;
}

START_TEST(many_inputs_and_outputs)
{
    const tm_tensor *in[MANY];
    tm_tensor *out[MANY];
    int64_t in_dims[MANY], out_dims[MANY];
    for (int i = 0; i < MANY; i++) {
        in[i] = test_iota(TM_FLOAT32, i % 2 ? TM_INTS(2, 3) : TM_INTS(3, 2));
        in_dims[i] = i % 2;
        out_dims[i] = i % 2 ? -1 : 0;
    }
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    EXPECT_OK(tm_vmap(many, NULL, &options, MANY, in, in_dims, MANY, out, out_dims));
    for (int i = 0; i < MANY; i++)
        for (int64_t k = 0; k < 6; k++)
            ck_assert_double_eq(test_value(out[i], k), (double)(k + i));
}
END_TEST

/* -- Nesting ------------------------------------------------------------------------------------
 */

static tm_status inner(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    runs++;
    tm_tensor *index = tm_astype(tm_vmap_index(tm_vmap_current()), TM_FLOAT32);
    out[0] = tm_add(tm_mul(in[0], index), in[1]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status outer(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const int64_t *inner_chunk = user;
    tm_tensor *index = tm_astype(tm_vmap_index(tm_vmap_current()), TM_FLOAT32);
    const tm_tensor *both[] = {in[0], index};
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = *inner_chunk};
    return tm_vmap(inner, NULL, &options, 2, both, (const int64_t[]){1, TM_NOT_MAPPED}, 1, out,
                   (const int64_t[]){-1});
}

static tm_tensor *nested(const tm_tensor *x, int64_t outer_chunk, int64_t inner_chunk)
{
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = outer_chunk};
    tm_tensor *out;
    runs = 0;
    EXPECT_OK(tm_vmap(outer, &inner_chunk, &options, 1, &x, (const int64_t[]){1}, 1, &out,
                      (const int64_t[]){1}));
    return out;
}

START_TEST(pieces_of_pieces)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 5, 4)), *whole = nested(x, 0, 0);
    for (int64_t a = 0; a < 6; a++)
        for (int64_t b = 0; b < 5; b++)
            expect_same(nested(x, a, b), whole);
    nested(x, 2, 3);
    ck_assert_int_eq(runs, 3 * 2);
}
END_TEST

/* Mapped at the outer level in the second piece only. */
static tm_status turns_mapped(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_alias(runs++ ? in[1] : in[0]);
    return TM_OK;
}

START_TEST(an_outer_level_that_comes_late)
{
    tm_tensor *x = F32(TM_INTS(3), 1, 2, 3), *y = F32(TM_INTS(2), 10, 20), *z;
    tm_vmap_level *v = tm_vmap_push(NULL);
    const tm_tensor *in[] = {x, MADE(tm_vmap_in(v, y, 0))};
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    runs = 0;
    EXPECT_OK(tm_vmap(turns_mapped, NULL, &options, 2, in, (const int64_t[]){0, TM_NOT_MAPPED}, 1,
                      &z, NULL));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 1, 2, 10, 1, 2, 20);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Memory -------------------------------------------------------------------------------------
 */

enum { EXAMPLES = 512, WIDTH = 1024, ROOM_FOR_HANDLES = 32 * 1024 };

static tm_status long_way(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    tm_tensor *x = tm_neg(in[0]);
    for (int i = 0; i < 5; i++)
        x = tm_add(x, in[0]);
    out[0] = tm_amax(x, NULL, false);
    return out[0] ? TM_OK : tm_error_code();
}

static uint64_t peak(const tm_tensor *x, int64_t chunk)
{
    tm_memory_reset_peak();
    uint64_t before = tm_memory_get_stats().live_bytes;
    tm_tensor *y = MADE(chunked(long_way, x, 0, 0, chunk));
    uint64_t most = tm_memory_get_stats().peak_bytes - before;
    tm_release(y);
    return most;
}

START_TEST(memory_is_bounded_by_one_piece)
{
    tm_tensor *x = MADE(tm_ones(TM_INTS(EXAMPLES, WIDTH), TM_FLOAT32));
    const uint64_t one = WIDTH * sizeof(float), all = EXAMPLES * one;
    ck_assert_uint_ge(peak(x, 0), 6 * all); /* every temporary of the one run */
    const uint64_t results = EXAMPLES * sizeof(float);
    for (int64_t chunk = 1; chunk <= 64; chunk *= 4) {
        uint64_t most = peak(x, chunk);
        ck_assert_msg(most <= results + 6 * (uint64_t)chunk * one + ROOM_FOR_HANDLES,
                      "chunk %lld takes %llu bytes", (long long)chunk, (unsigned long long)most);
    }
}
END_TEST

static tm_status only_counts(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    (void)out;
    runs++;
    return TM_OK;
}

static int64_t auto_runs(const tm_tensor *x, int64_t in_dim)
{
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = TM_CHUNK_AUTO};
    runs = 0;
    EXPECT_OK(tm_vmap(only_counts, NULL, &options, 1, &x, &in_dim, 0, NULL, NULL));
    return runs;
}

/* As modes.h states it. */
static int64_t auto_chunk(int64_t bytes, int64_t threads)
{
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    int64_t room = (l2 > 0 ? l2 : 1 << 20) / 2 * threads;
    if (l3 > 0 && room > l3 / 2)
        room = l3 / 2;
    return room / bytes < threads ? threads : room / bytes;
}

START_TEST(auto_fits_the_cache)
{
    /* Large tensors of one element. */
    tm_tensor *x = MADE(tm_expand(F32(TM_INTS(1), 1), TM_INTS(1000, 64, 64)));
    for (int threads = 1; threads <= 4; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        int64_t chunk = auto_chunk(64 * 64 * 4, threads);
        ck_assert_int_eq(auto_runs(x, 0), (1000 + chunk - 1) / chunk);
        chunk = auto_chunk(1000 * 64 * 4, threads);
        ck_assert_int_eq(auto_runs(x, 1), (64 + chunk - 1) / chunk);
        tm_tensor *huge = MADE(tm_expand(F32(TM_INTS(1), 1), TM_INTS(1 << 30, 1 << 20, 8)));
        ck_assert_int_eq(auto_runs(huge, 2), (8 + threads - 1) / threads);
    }
    ck_assert_int_eq(auto_runs(test_iota(TM_FLOAT32, TM_INTS(50)), 0), 1);
}
END_TEST

/* -- The option ---------------------------------------------------------------------------------
 */

START_TEST(other_chunk_sizes_are_value_errors)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3));
    EXPECT_NULL(chunked(identity, x, 0, 0, -2), TM_ERR_VALUE, "vmap: chunk_size|got -2");
    EXPECT_NULL(chunked(identity, x, 0, 0, INT64_MIN), TM_ERR_VALUE, "chunk_size");
    ck_assert_int_eq(runs, 0);
}
END_TEST

START_TEST(a_level_is_one_piece)
{
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    EXPECT_NULL(tm_vmap_push(&options), TM_ERR_USAGE, "chunk_size is for tm_vmap");
    options.chunk_size = TM_CHUNK_AUTO;
    EXPECT_NULL(tm_vmap_push(&options), TM_ERR_USAGE, "chunk_size is for tm_vmap");
    ck_assert_ptr_null(tm_vmap_current());
}
END_TEST

START_TEST(an_older_struct_has_no_chunk_size)
{
    tm_vmap_options options = {.struct_size = offsetof(tm_vmap_options, chunk_size),
                               .chunk_size = -77};
    tm_vmap_level *v = tm_vmap_push(&options);
    ck_assert_ptr_nonnull(v);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

Suite *vmap_chunk_suite(void)
{
    const TTest *tests[] = {every_chunk_size_every_dim,
                            an_empty_batch_runs_once,
                            empty_examples_are_mapped_like_others,
                            index_and_size_are_the_whole_batchs,
                            what_the_function_moves_in_is_its_piece,
                            a_result_that_is_an_input,
                            a_result_that_depends_on_no_example,
                            writes_into_mapped_memory,
                            a_promoted_result,
                            many_inputs_and_outputs,
                            pieces_of_pieces,
                            an_outer_level_that_comes_late,
                            memory_is_bounded_by_one_piece,
                            auto_fits_the_cache,
                            other_chunk_sizes_are_value_errors,
                            a_level_is_one_piece,
                            an_older_struct_has_no_chunk_size};
    return test_suite("vmap_chunk", tests, COUNT(tests));
}
