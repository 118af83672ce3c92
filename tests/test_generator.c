/* test_generator.c: generators as arguments: their streams, their counts, where they are refused,
 * and marks, from which a function is run again on the same numbers.
 */
#include <stdlib.h>

#include "dispatch/random.h"
#include "support.h"

static tm_generator *generator;

static void begin(void)
{
    generator = tm_generator_new(7);
    ck_assert_ptr_nonnull(generator);
}

/* Each test frees it: what a test has made must be gone when it ends. */
static void end(void)
{
    tm_generator_free(generator);
    generator = NULL;
}

static double draw(tm_generator *from)
{
    return test_value(MADE(tm_rand(tm_no_ints, TM_FLOAT64, from)), 0);
}

START_TEST(draws_what_the_threads_generator_draws)
{
    tm_seed(7);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(draw(generator), draw(NULL));
    ck_assert_uint_eq(tm_generator_count(generator), 3);
    ck_assert_uint_eq(tm_rng_count(), 3);
    draw(NULL);
    double next = draw(NULL); /* the other one has not moved */
    ck_assert_uint_eq(tm_generator_count(generator), 3);
    EXPECT_OK(tm_generator_skip(generator, 1));
    ck_assert_double_eq(draw(generator), next);
    EXPECT_OK(tm_generator_seed(generator, 7));
    ck_assert_uint_eq(tm_generator_count(generator), 0);
    EXPECT_OK(tm_generator_seed(generator, UINT64_MAX));
    tm_seed(UINT64_MAX);
    ck_assert_double_eq(draw(generator), draw(NULL));
    end();
}
END_TEST

START_TEST(a_call_that_meta_refuses_is_not_counted)
{
    EXPECT_NULL(tm_rand(TM_INTS(-1), TM_FLOAT32, generator), TM_ERR_SHAPE, "shape");
    ck_assert_uint_eq(tm_generator_count(generator), 0);
    const int64_t size = 2;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    tm_vmap_level *v = tm_vmap_push(&options);
    EXPECT_NULL(tm_rand(TM_INTS(1), TM_FLOAT32, generator), TM_ERR_VMAP, "rand: |random");
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_uint_eq(tm_generator_count(generator), 1); /* as the thread's own counts it */
    end();
}
END_TEST

START_TEST(mapped_draws_are_those_of_each_example)
{
    const int64_t sizes[] = {2, 3};
    tm_vmap_options outer = {
        .struct_size = sizeof outer, .size = &sizes[0], .randomness = TM_RANDOMNESS_DIFFERENT};
    tm_vmap_options inner = {
        .struct_size = sizeof inner, .size = &sizes[1], .randomness = TM_RANDOMNESS_DIFFERENT};
    tm_vmap_level *a = tm_vmap_push(&outer), *b = tm_vmap_push(&inner);
    tm_tensor *y = MADE(tm_rand(TM_INTS(2), TM_FLOAT64, generator));
    y = MADE(tm_vmap_out(b, y, 0));
    EXPECT_OK(tm_vmap_pop(b));
    y = MADE(tm_vmap_out(a, y, 0));
    EXPECT_OK(tm_vmap_pop(a));
    ck_assert_uint_eq(tm_generator_count(generator), 1);
    for (int64_t i = 0; i < 6; i++) {
        EXPECT_OK(tm_generator_at(generator, 0, 2, (int64_t[]){i / 3, i % 3}));
        tm_tensor *one = MADE(tm_rand(TM_INTS(2), TM_FLOAT64, generator));
        ck_assert_double_eq(test_value(one, 0), test_value(y, 2 * i));
        ck_assert_double_eq(test_value(one, 1), test_value(y, 2 * i + 1));
    }
    ck_assert_uint_eq(tm_generator_count(generator), 1);
    end();
}
END_TEST

START_TEST(one_draw_serves_all_under_same)
{
    const int64_t size = 3;
    tm_vmap_options options = {
        .struct_size = sizeof options, .size = &size, .randomness = TM_RANDOMNESS_SAME};
    tm_vmap_level *v = tm_vmap_push(&options);
    tm_tensor *y = MADE(tm_rand(TM_INTS(1), TM_FLOAT64, generator));
    y = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    tm_seed(7);
    double alone = draw(NULL);
    EXPECT(y, TM_FLOAT64, TM_INTS(3, 1), alone, alone, alone);
    end();
}
END_TEST

/* -- Inside kernels ---------------------------------------------------------------------------- */

static tm_status shape_meta(tm_call *call, tm_int_list shape, tm_generator *given)
{
    (void)given;
    return tm_output(call, 0, TM_FLOAT64, shape.count, shape.data);
}

static tm_status passes_on(tm_call *call, tm_int_list shape, tm_generator *given, tm_tensor *out)
{
    (void)call;
    ck_assert_ptr_null(given); /* a kernel draws from its stream alone */
    return tm_copy_(out, tm_rand(shape, TM_FLOAT64, given)) ? TM_OK : tm_error_code();
}

static tm_status draws_elsewhere(tm_call *call, tm_int_list shape, tm_generator *given,
                                 tm_tensor *out)
{
    (void)call;
    (void)given;
    return tm_copy_(out, tm_rand(shape, TM_FLOAT64, generator)) ? TM_OK : tm_error_code();
}

START_TEST(a_kernel_draws_from_its_examples_stream)
{
    const tm_op *op =
        OP(.schema = "test_inner(int[] shape, Generator? generator=None) -> Tensor",
           .contract = TM_RANDOM, .meta = (tm_fn)shape_meta, .impl = (tm_fn)passes_on);
    tm_tensor *first = CALL(op, {.ints = TM_INTS(2)}, {.generator = generator});
    tm_tensor *second = CALL(op, {.ints = TM_INTS(2)}, {.generator = generator});
    ck_assert_uint_eq(tm_generator_count(generator), 2);
    ck_assert_double_ne(test_value(first, 0), test_value(second, 0));
    EXPECT_OK(tm_generator_seed(generator, 7));
    tm_tensor *again = CALL(op, {.ints = TM_INTS(2)}, {.generator = generator});
    ck_assert_double_eq(test_value(first, 0), test_value(again, 0));
    const tm_op *other =
        OP(.schema = "test_other(int[] shape, Generator? generator=None) -> Tensor",
           .contract = TM_RANDOM, .meta = (tm_fn)shape_meta, .impl = (tm_fn)draws_elsewhere);
    ck_assert_ptr_null(CALL(other, {.ints = TM_INTS(2)}, {.generator = NULL}));
    EXPECT_ERROR(TM_ERR_USAGE, "test_other: |generator must be None");
    end();
}
END_TEST

START_TEST(only_random_and_composite_ops_take_one)
{
    const tm_op_def def = {.struct_size = sizeof def,
                           .schema = "test_taker(int[] shape, Generator? g=None) -> Tensor",
                           .contract = TM_PER_EXAMPLE,
                           .meta = (tm_fn)shape_meta,
                           .impl = (tm_fn)passes_on};
    EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA,
                "per-example|takes no Generator");
    end();
}
END_TEST

START_TEST(traced_as_it_stood)
{
    char *text = NULL;
    size_t length;
    tm_seed(0); /* where other tests have left the thread's, its place would be traced */
    FILE *stream = open_memstream(&text, &length);
    tm_mode *trace = tm_trace_push(stream);
    draw(generator);
    draw(generator);
    draw(NULL);
    EXPECT_OK(tm_mode_pop(trace));
    fclose(stream);
    ck_assert_str_eq(text, "t0 = rand(shape=(), dtype=float64, generator=gen(7))  # float64()\n"
                           "t1 = rand(shape=(), dtype=float64, generator=gen(7, 1))  # float64()\n"
                           "t2 = rand(shape=(), dtype=float64, generator=None)  # float64()\n");
    free(text);
    end();
}
END_TEST

START_TEST(refusals)
{
    const int64_t index[] = {0, -1};
    EXPECT_FAIL(tm_generator_seed(NULL, 1), TM_ERR_USAGE, "generator");
    EXPECT_FAIL(tm_generator_skip(NULL, 1), TM_ERR_USAGE, "generator");
    EXPECT_FAIL(tm_generator_at(NULL, 0, 0, NULL), TM_ERR_USAGE, "generator");
    ck_assert_uint_eq(tm_generator_count(NULL), 0);
    EXPECT_ERROR(TM_ERR_USAGE, "generator");
    tm_generator_free(NULL);
    EXPECT_FAIL(tm_generator_at(generator, 0, 1, NULL), TM_ERR_USAGE, "index");
    EXPECT_FAIL(tm_generator_at(generator, 0, -1, index), TM_ERR_VALUE, "num_levels");
    EXPECT_FAIL(tm_generator_at(generator, 0, TM_MAX_LEVELS + 1, index), TM_ERR_VALUE,
                "num_levels");
    EXPECT_FAIL(tm_generator_at(generator, 0, 2, index), TM_ERR_INDEX, "index|-1");
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_FAIL(tm_generator_at(generator, 0, 0, NULL), TM_ERR_USAGE, "outside any vmap");
    EXPECT_OK(tm_vmap_pop(v));
    end();
}
END_TEST

/* -- Marks ------------------------------------------------------------------------------------- */

START_TEST(a_restart_draws_the_same_again)
{
    tm_thread *thread = tm_thread_get();
    tm_random_mark mark;
    tm_generator *second = tm_generator_new(8), *third = tm_generator_new(9);
    double got[2][6];
    tm_seed(3);
    draw(second); /* where it stood is not the beginning */
    draw(NULL);
    tm_random_mark_set(&mark, thread);
    for (int run = 0; run < 2; run++) {
        tm_random_restart(&mark);
        got[run][0] = draw(NULL);
        got[run][1] = draw(second);
        got[run][2] = draw(generator);
        tm_seed(11);
        got[run][3] = draw(NULL);
        EXPECT_OK(tm_generator_seed(generator, 5));
        got[run][4] = draw(generator);
        got[run][5] = draw(third);
    }
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq(got[0][i], got[1][i]);
    tm_generator_free(third); /* and is not put back any more */
    tm_random_restart(&mark);
    tm_random_mark_drop(&mark);
    ck_assert_uint_eq(tm_rng_count(), 1);
    ck_assert_uint_eq(tm_generator_count(second), 1);
    ck_assert_uint_eq(tm_generator_count(generator), 0);
    draw(second);
    ck_assert_uint_eq(tm_generator_count(second), 2);
    tm_generator_free(second);
    end();
}
END_TEST

START_TEST(marks_nest)
{
    tm_thread *thread = tm_thread_get();
    tm_random_mark outer, inner;
    tm_random_mark_set(&outer, thread);
    double first = draw(generator);
    tm_random_mark_set(&inner, thread);
    double second = draw(generator);
    tm_random_restart(&inner);
    ck_assert_double_eq(draw(generator), second);
    tm_random_mark_drop(&inner);
    ck_assert_uint_eq(tm_generator_count(generator), 2);
    tm_random_restart(&outer);
    ck_assert_double_eq(draw(generator), first);
    tm_random_mark_drop(&outer);
    end();
}
END_TEST

START_TEST(a_kernels_draws_are_not_noted)
{
    tm_random_mark mark;
    const tm_op *op =
        OP(.schema = "test_inner(int[] shape, Generator? generator=None) -> Tensor",
           .contract = TM_RANDOM, .meta = (tm_fn)shape_meta, .impl = (tm_fn)passes_on);
    tm_seed(3);
    tm_random_mark_set(&mark, tm_thread_get());
    MADE(CALL(op, {.ints = TM_INTS(2)}, {.generator = generator}));
    tm_random_restart(&mark);
    tm_random_mark_drop(&mark);
    tm_seed(3);
    double want = draw(NULL);
    tm_seed(3);
    tm_random_mark_set(&mark, tm_thread_get());
    MADE(CALL(op, {.ints = TM_INTS(2)}, {.generator = generator}));
    tm_random_restart(&mark);
    ck_assert_double_eq(draw(NULL), want);
    tm_random_mark_drop(&mark);
    end();
}
END_TEST

Suite *generator_suite(void)
{
    const TTest *const tests[] = {draws_what_the_threads_generator_draws,
                                  a_call_that_meta_refuses_is_not_counted,
                                  mapped_draws_are_those_of_each_example,
                                  one_draw_serves_all_under_same,
                                  a_kernel_draws_from_its_examples_stream,
                                  only_random_and_composite_ops_take_one,
                                  traced_as_it_stood,
                                  refusals,
                                  a_restart_draws_the_same_again,
                                  marks_nest,
                                  a_kernels_draws_are_not_noted};
    return test_suite_begin("generator", begin, tests, COUNT(tests));
}
