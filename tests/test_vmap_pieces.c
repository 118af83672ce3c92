/* test_vmap_pieces.c: batches in pieces: errors, random numbers, and results on which the pieces
 * must agree.
 */
#include "support.h"

static tm_status map(tm_mapped_fn fn, void *user, const tm_tensor *x, int64_t chunk,
                     tm_randomness randomness, tm_tensor **out)
{
    tm_vmap_options options = {
        .struct_size = sizeof options, .randomness = randomness, .chunk_size = chunk};
    return tm_vmap(fn, user, &options, 1, &x, (const int64_t[]){0}, 1, out, NULL);
}

static void expect_same(const tm_tensor *a, const tm_tensor *b)
{
    ck_assert_int_eq(tm_numel(a), tm_numel(b));
    for (int64_t i = 0; i < tm_numel(a); i++)
        ck_assert_msg(test_value(a, i) == test_value(b, i), "element %lld", (long long)i);
}

/* -- Errors -------------------------------------------------------------------------------------
 */

static tm_status calls_op(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = CALL(user, {.tensor = in[0]});
    return out[0] ? TM_OK : tm_error_code();
}

/* The first failing example, whatever the pieces, in the words of one run. */
static void expect_example(const tm_op *op, const tm_tensor *x, int64_t size, int64_t index)
{
    for (int64_t chunk = 0; chunk <= size + 1; chunk++) {
        tm_tensor *y = (tm_tensor *)(uintptr_t)x;
        ck_assert_int_eq(map(calls_op, (void *)(uintptr_t)op, x, chunk, 0, &y), TM_ERR_NUMERIC);
        ck_assert_ptr_null(y);
        const tm_error *error = tm_error_get();
        ck_assert_int_eq(error->num_levels, 1);
        ck_assert_int_eq(error->levels[0].size, size);
        ck_assert_msg(error->levels[0].index == index, "chunk %lld: example %lld", (long long)chunk,
                      (long long)error->levels[0].index);
        EXPECT_ERROR(TM_ERR_NUMERIC, "row starts with a negative number, got -6");
        ck_assert_ptr_null(tm_vmap_current());
    }
}

START_TEST(errors_name_the_example_in_the_whole_batch)
{
    const tm_op *op = test_op_row_sum();
    expect_example(op, F32(TM_INTS(7, 1), 1, 2, 3, 4, 5, -6, -7), 7, 5);
    expect_example(op, F32(TM_INTS(3, 2, 1), 1, 2, 3, -6, -5, 4), 3, 1);
    for (int threads = 1; threads <= 3; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        expect_example(op, F32(TM_INTS(2, 1), -6, -7), 2, 0);
    }
}
END_TEST

static tm_status passes_on_impl(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = CALL(tm_op_find("test_row_sum", NULL), {.tensor = x});
    return *out ? TM_OK : tm_error_code();
}

START_TEST(inside_a_composite_too)
{
    test_op_row_sum();
    const tm_op *op = OP(.schema = "test_passes(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)test_row_sum_meta, .impl = (tm_fn)passes_on_impl);
    expect_example(op, F32(TM_INTS(5, 1), 1, 2, 3, -6, -7), 5, 3);
}
END_TEST

static tm_status inner_rows(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const int64_t *chunk = user;
    return map(calls_op, (void *)(uintptr_t)tm_op_find("test_row_sum", NULL), in[0], *chunk, 0,
               out);
}

START_TEST(both_levels_of_a_nest)
{
    test_op_row_sum();
    tm_tensor *x = MADE(tm_ones(TM_INTS(5, 4, 2), TM_FLOAT32));
    ((float *)tm_mutable_data(x))[(3 * 4 + 2) * 2] = -6;
    for (int64_t outer = 0; outer < 6; outer++)
        for (int64_t inner = 0; inner < 5; inner++) {
            tm_tensor *y;
            ck_assert_int_eq(map(inner_rows, &inner, x, outer, 0, &y), TM_ERR_NUMERIC);
            const tm_error *error = tm_error_get();
            ck_assert_int_eq(error->num_levels, 2);
            ck_assert_int_eq(error->levels[0].size, 5);
            ck_assert_int_eq(error->levels[0].index, 3);
            ck_assert_int_eq(error->levels[1].size, 4);
            ck_assert_int_eq(error->levels[1].index, 2);
            tm_error_clear();
        }
}
END_TEST

static tm_status upper(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    ++*(int *)user;
    out[0] = tm_triu(in[0], 0);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(a_check_that_fails_is_every_examples)
{
    int runs = 0;
    tm_tensor *y;
    ck_assert_int_eq(map(upper, &runs, test_iota(TM_FLOAT32, TM_INTS(7, 2)), 3, 0, &y),
                     TM_ERR_RANK);
    ck_assert_int_eq(tm_error_get()->num_levels, 1);
    ck_assert_int_eq(tm_error_get()->levels[0].size, 7);
    ck_assert_int_eq(tm_error_get()->levels[0].index, -1);
    EXPECT_ERROR(TM_ERR_RANK, "triu: x must have at least 2 dimensions, got shape (2,)");
    ck_assert_int_eq(runs, 1);
}
END_TEST

/* -- Random numbers -----------------------------------------------------------------------------
 */

/* Draws three times, once from nothing mapped. */
static tm_status draws(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    tm_generator *generator = user; /* NULL: the thread's */
    tm_tensor *a = tm_rand(TM_INTS(3), TM_FLOAT32, generator);
    tm_tensor *b = tm_rand(TM_INTS(3), TM_FLOAT32, generator);
    tm_tensor *c = tm_astype(tm_randint(0, 1000, TM_INTS(3), TM_INT64, generator), TM_FLOAT32);
    out[0] = tm_add(tm_add(a, c), tm_mul(b, in[0]));
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(random_numbers_do_not_depend_on_pieces)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(7, 3)), *whole, *y;
    for (tm_randomness mode = TM_RANDOMNESS_DIFFERENT; mode <= TM_RANDOMNESS_SAME; mode++) {
        tm_seed(11);
        MADE(tm_rand(TM_INTS(1), TM_FLOAT32, NULL)); /* so that the count at entry is not 0 */
        EXPECT_OK(map(draws, NULL, x, 0, mode, &whole));
        ck_assert_uint_eq(tm_rng_count(), 4);
        tm_tensor *next = MADE(tm_rand(TM_INTS(3), TM_FLOAT32, NULL));
        for (int64_t chunk = -1; chunk <= 7; chunk++)
            for (int threads = 1; threads <= 2; threads++) {
                EXPECT_OK(tm_set_num_threads(threads));
                tm_seed(11);
                MADE(tm_rand(TM_INTS(1), TM_FLOAT32, NULL));
                EXPECT_OK(map(draws, NULL, x, chunk, mode, &y));
                expect_same(y, whole);
                ck_assert_uint_eq(tm_rng_count(), 4);
                expect_same(MADE(tm_rand(TM_INTS(3), TM_FLOAT32, NULL)), next);
            }
    }
    EXPECT_FAIL(map(draws, NULL, x, 2, TM_RANDOMNESS_ERROR, &y), TM_ERR_VMAP,
                "a random op is an error");
}
END_TEST

/* Two generators and the thread's, each its own count. */
static tm_status draws_from_three(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    tm_generator *const *generators = user;
    tm_tensor *sum = tm_alias(in[0]);
    for (int i = 0; i < 3; i++) {
        tm_tensor *y;
        if (draws(generators[i], in, &y) != TM_OK)
            return tm_error_code();
        sum = tm_add(sum, tm_mul_scalar(y, tm_scalar_int(i + 1)));
    }
    out[0] = sum;
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(generators_given_do_not_depend_on_pieces)
{
    tm_generator *generators[] = {tm_generator_new(1), NULL, tm_generator_new(2)};
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(7, 3)), *whole = NULL, *y;
    for (int64_t chunk = 0; chunk <= 7; chunk++) {
        tm_seed(3);
        EXPECT_OK(tm_generator_seed(generators[0], 1));
        EXPECT_OK(tm_generator_seed(generators[2], 2));
        EXPECT_OK(tm_generator_skip(generators[2], 10));
        EXPECT_OK(map(draws_from_three, generators, x, chunk, TM_RANDOMNESS_DIFFERENT, &y));
        ck_assert_uint_eq(tm_rng_count(), 3);
        ck_assert_uint_eq(tm_generator_count(generators[0]), 3);
        ck_assert_uint_eq(tm_generator_count(generators[2]), 13);
        whole = whole ? whole : y;
        expect_same(y, whole);
    }
    tm_generator_free(generators[0]);
    tm_generator_free(generators[2]);
}
END_TEST

static tm_status draws_inside(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const int64_t *option = user;
    tm_tensor *own = tm_rand(TM_INTS(3), TM_FLOAT32, NULL);
    tm_status status = map(draws, NULL, in[0], option[0], (tm_randomness)option[1], out);
    out[0] = status == TM_OK ? tm_add(out[0], own) : NULL;
    return out[0] ? TM_OK : tm_error_code();
}

/* -- A random kernel that calls a random op, which draws from the example's own stream ----------
 */

static tm_status noise_meta(tm_call *call, const tm_tensor *x, tm_generator *generator)
{
    (void)generator;
    return tm_output(call, 0, TM_FLOAT64, tm_ndim(x), tm_shape(x));
}

static tm_status noise_impl(tm_call *call, const tm_tensor *x, tm_generator *generator,
                            tm_tensor *out)
{
    (void)call;
    (void)generator;
    return tm_copy_(out, tm_add(x, tm_rand(tm_no_ints, TM_FLOAT64, NULL))) ? TM_OK
                                                                           : tm_error_code();
}

typedef struct noisy {
    const tm_op *op;
    tm_generator *generator;
} noisy;

static tm_status draws_three_ways(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const noisy *n = user;
    out[0] = CALL(n->op, {.tensor = in[0]}, {.generator = n->generator});
    out[1] = tm_rand(tm_no_ints, TM_FLOAT64, NULL);
    out[2] = CALL(n->op, {.tensor = in[0]}, {.generator = NULL});
    return TM_OK;
}

START_TEST(draws_inside_a_kernel_do_not_depend_on_pieces)
{
    noisy n = {.op = OP(.schema = "test_noise(Tensor x, Generator? generator=None) -> Tensor",
                        .contract = TM_RANDOM, .meta = (tm_fn)noise_meta, .impl = (tm_fn)noise_impl,
                        .thread_safe = true),
               .generator = tm_generator_new(5)};
    const tm_tensor *x = test_iota(TM_FLOAT64, TM_INTS(7));
    tm_tensor *out[2][3];
    for (int run = 0; run < 2; run++) {
        tm_vmap_options options = {.struct_size = sizeof options,
                                   .randomness = TM_RANDOMNESS_DIFFERENT,
                                   .chunk_size = 3 * run};
        tm_seed(4);
        EXPECT_OK(tm_generator_seed(n.generator, 5));
        EXPECT_OK(tm_vmap(draws_three_ways, &n, &options, 1, &x, (const int64_t[]){0}, 3, out[run],
                          NULL));
        ck_assert_uint_eq(tm_rng_count(), 2);
        ck_assert_uint_eq(tm_generator_count(n.generator), 1);
    }
    for (int i = 0; i < 3; i++)
        for (int64_t k = 0; k < 7; k++)
            ck_assert_double_eq(test_value(out[0][i], k), test_value(out[1][i], k));
    tm_generator_free(n.generator);
}
END_TEST

START_TEST(random_numbers_in_pieces_of_pieces)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4, 5, 3)), *whole, *y;
    for (tm_randomness outer = TM_RANDOMNESS_DIFFERENT; outer <= TM_RANDOMNESS_SAME; outer++)
        for (tm_randomness inner = TM_RANDOMNESS_DIFFERENT; inner <= TM_RANDOMNESS_SAME; inner++) {
            int64_t option[] = {0, inner};
            tm_seed(5);
            EXPECT_OK(map(draws_inside, option, x, 0, outer, &whole));
            uint64_t count = tm_rng_count();
            for (int64_t a = 1; a <= 4; a++)
                for (option[0] = 1; option[0] <= 5; option[0]++) {
                    tm_seed(5);
                    EXPECT_OK(map(draws_inside, option, x, a, outer, &y));
                    expect_same(y, whole);
                    ck_assert_uint_eq(tm_rng_count(), count);
                }
        }
}
END_TEST

/* A pinned call is the same one in every piece. */
START_TEST(a_pinned_call_in_pieces)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(5, 3)), *whole, *y;
    tm_seed(2);
    EXPECT_OK(tm_rng_at(40, 1, (const int64_t[]){9}));
    EXPECT_OK(map(draws, NULL, x, 0, TM_RANDOMNESS_DIFFERENT, &whole));
    tm_seed(2);
    EXPECT_OK(tm_rng_at(40, 1, (const int64_t[]){9}));
    EXPECT_OK(map(draws, NULL, x, 2, TM_RANDOMNESS_DIFFERENT, &y));
    expect_same(y, whole);
}
END_TEST

/* One example's stream by hand, against what it drew in its piece. */
static tm_status draws_once(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    out[0] = tm_rand(TM_INTS(3), TM_FLOAT32, NULL);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status draws_twice_inside(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const int64_t *option = user;
    return map(draws_once, NULL, in[0], option[0], (tm_randomness)option[1], out);
}

START_TEST(rng_at_gives_each_examples_numbers)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 4, 1)), *y;
    for (tm_randomness outer = TM_RANDOMNESS_DIFFERENT; outer <= TM_RANDOMNESS_SAME; outer++)
        for (tm_randomness inner = TM_RANDOMNESS_DIFFERENT; inner <= TM_RANDOMNESS_SAME; inner++)
            for (int64_t chunk = 0; chunk <= 3; chunk++) {
                int64_t option[] = {chunk, inner};
                tm_seed(8);
                EXPECT_OK(map(draws_twice_inside, option, x, chunk, outer, &y));
                for (int64_t i = 0; i < 12; i++) {
                    int64_t index[2];
                    int num = 0;
                    if (outer == TM_RANDOMNESS_DIFFERENT)
                        index[num++] = i / 4;
                    if (inner == TM_RANDOMNESS_DIFFERENT)
                        index[num++] = i % 4;
                    tm_seed(8);
                    EXPECT_OK(tm_rng_at(0, num, index));
                    tm_tensor *one = MADE(tm_rand(TM_INTS(3), TM_FLOAT32, NULL));
                    for (int64_t k = 0; k < 3; k++)
                        ck_assert(test_value(y, 3 * i + k) == test_value(one, k));
                }
            }
}
END_TEST

/* Many examples on several threads, a large count of elements each. */
START_TEST(rng_at_under_threads)
{
    enum { EXAMPLES = 3000 };
    tm_tensor *x = MADE(tm_zeros(TM_INTS(EXAMPLES, 64), TM_FLOAT32)), *y;
    EXPECT_OK(tm_set_num_threads(4));
    for (int64_t chunk = 0; chunk <= EXAMPLES; chunk += 1999) {
        tm_seed(21);
        EXPECT_OK(map(draws_once, NULL, x, chunk, TM_RANDOMNESS_DIFFERENT, &y));
        for (int64_t i = 0; i < EXAMPLES; i += 7) {
            tm_seed(21);
            EXPECT_OK(tm_rng_at(0, 1, &i));
            tm_tensor *one = MADE(tm_rand(TM_INTS(3), TM_FLOAT32, NULL));
            ck_assert(test_value(y, 3 * i) == test_value(one, 0));
            ck_assert(test_value(y, 3 * i + 2) == test_value(one, 2));
            tm_release(one);
        }
    }
}
END_TEST

/* -- Pieces that disagree -----------------------------------------------------------------------
 */

/* What a function returns in each of its runs. */
typedef struct runs {
    const tm_tensor *first, *later;
    int count;
} runs;

static tm_status returns(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    runs *r = user;
    const tm_tensor *y = r->count++ ? r->later : r->first;
    out[0] = tm_alias(y ? y : in[0]);
    return TM_OK;
}

static tm_status in_two(runs *r, int64_t out_dim, tm_tensor **out)
{
    const tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4));
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    r->count = 0;
    return tm_vmap(returns, r, &options, 1, &x, (const int64_t[]){0}, 1, out, &out_dim);
}

START_TEST(pieces_with_other_shapes_or_dtypes)
{
    tm_tensor *out;
    runs r = {F32(TM_INTS(2), 1, 2), F32(TM_INTS(3), 1, 2, 3), 0};
    EXPECT_FAIL(in_two(&r, 0, &out), TM_ERR_USAGE,
                "output 0 is float32 (2, 3) in the piece from example 2 on|float32 (4, 2) so far");
    ck_assert_ptr_null(out);
    EXPECT_FAIL(in_two(&r, TM_NOT_MAPPED, &out), TM_ERR_USAGE, "float32 (3,)|float32 (2,) so far");
    r.later = test_iota(TM_INT32, TM_INTS(2));
    EXPECT_FAIL(in_two(&r, -1, &out), TM_ERR_USAGE, "int32 (2, 2)|float32 (2, 4) so far");
    r.later = test_f32_scalar(1);
    EXPECT_FAIL(in_two(&r, 0, &out), TM_ERR_USAGE, "float32 (2,)|float32 (4, 2) so far");
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(a_result_that_is_not_mapped_has_one_value)
{
    tm_tensor *out;
    runs r = {F32(TM_INTS(2), 1, 2), F32(TM_INTS(2), 1, 2), 0};
    EXPECT_OK(in_two(&r, TM_NOT_MAPPED, &out));
    EXPECT_F32(out, TM_INTS(2), 1, 2);
    ck_assert_int_eq(r.count, 2);
    r.later = F32(TM_INTS(2), 1, 3);
    EXPECT_FAIL(in_two(&r, TM_NOT_MAPPED, &out), TM_ERR_USAGE,
                "output 0 is not mapped, but in the piece from example 2 on it has another value");
    ck_assert_ptr_null(out);
    r = (runs){NULL, F32(TM_INTS(2), 1, 2), 0};
    EXPECT_FAIL(in_two(&r, TM_NOT_MAPPED, &out), TM_ERR_USAGE, "out_dim is TM_NOT_MAPPED");
    ck_assert_int_eq(r.count, 1);
    r = (runs){test_f32_scalar(1), NULL, 0}; /* mapped in the second piece */
    EXPECT_FAIL(in_two(&r, TM_NOT_MAPPED, &out), TM_ERR_USAGE, "out_dim is TM_NOT_MAPPED");
    ck_assert_int_eq(r.count, 2);
    ck_assert_ptr_null(out);
}
END_TEST

/* At an outer level it may well be mapped; then it has one value for each example there. */
START_TEST(a_result_mapped_further_out_only)
{
    tm_tensor *out, *a = F32(TM_INTS(2), 1, 2), *b = F32(TM_INTS(2), 1, 3);
    tm_vmap_level *v = tm_vmap_push(NULL);
    runs r = {MADE(tm_vmap_in(v, a, 0)), MADE(tm_neg(MADE(tm_neg(MADE(tm_vmap_in(v, a, 0)))))), 0};
    EXPECT_OK(in_two(&r, TM_NOT_MAPPED, &out));
    EXPECT_F32(tm_vmap_out(v, out, 0), TM_INTS(2), 1, 2);
    r.later = MADE(tm_vmap_in(v, b, 0));
    EXPECT_FAIL(in_two(&r, TM_NOT_MAPPED, &out), TM_ERR_USAGE, "another value than before");
    r.later = test_f32_scalar(1);
    EXPECT_FAIL(in_two(&r, TM_NOT_MAPPED, &out), TM_ERR_USAGE, "another value than before");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

Suite *vmap_pieces_suite(void)
{
    const TTest *tests[] = {errors_name_the_example_in_the_whole_batch,
                            inside_a_composite_too,
                            both_levels_of_a_nest,
                            a_check_that_fails_is_every_examples,
                            random_numbers_do_not_depend_on_pieces,
                            generators_given_do_not_depend_on_pieces,
                            draws_inside_a_kernel_do_not_depend_on_pieces,
                            random_numbers_in_pieces_of_pieces,
                            a_pinned_call_in_pieces,
                            rng_at_gives_each_examples_numbers,
                            rng_at_under_threads,
                            pieces_with_other_shapes_or_dtypes,
                            a_result_that_is_not_mapped_has_one_value,
                            a_result_mapped_further_out_only};
    return test_suite("vmap_pieces", tests, COUNT(tests));
}
