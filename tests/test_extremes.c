/* test_extremes.c: public functions given numbers at the ends of their type, one more than the most
 * there can be, and sizes whose products no integer holds: an error in words, and nothing is left
 * behind; or the right answer. What ops make of such arguments is test_limits.c's business.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "support.h"

static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -3, 2, INT64_MAX - 1, INT64_MAX};
static const int far_int[] = {INT_MIN, INT_MIN + 1, -1, INT_MAX - 1, INT_MAX};

/* The expression, a handle, is NULL for every i; nothing is kept. */
#define EACH_NULL(count, expression, code, parts)                                                  \
    for (int i = 0; i < (count); i++) {                                                            \
        uint64_t live_ = tm_memory_get_stats().live_tensors;                                       \
        EXPECT_NULL(expression, code, parts);                                                      \
        ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live_);                              \
    }

/* -- Handles ----------------------------------------------------------------------------------- */

START_TEST(shapes_that_cannot_be)
{
    static float memory[4];
    const int64_t one[] = {1};
    EACH_NULL(COUNT(far_int), tm_new(TM_FLOAT32, far_int[i], one), TM_ERR_RANK, "new: ndim must")
    EACH_NULL(COUNT(far_int), tm_from_data(TM_FLOAT32, far_int[i], one, memory), TM_ERR_RANK,
              "from_data: ndim must")
    EACH_NULL(COUNT(far_int), tm_wrap(TM_FLOAT32, far_int[i], one, one, memory, NULL), TM_ERR_RANK,
              "wrap: ndim must")
    const tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EACH_NULL(COUNT(far_int), tm_strided_view(x, far_int[i], one, one, 0), TM_ERR_RANK,
              "strided_view: ndim must")
    EACH_NULL(COUNT(far_int), tm_new((tm_dtype)far_int[i], 1, one), TM_ERR_DTYPE, "is no dtype")
    static const int64_t huge[][3] = {{INT64_MAX, 1, 1},
                                      {INT64_MAX, INT64_MAX, INT64_MAX},
                                      {INT64_C(1) << 32, INT64_C(1) << 32, 1},
                                      {INT64_C(1) << 32, 0, INT64_C(1) << 32},
                                      {3, INT64_MAX / 3, 2},
                                      {INT64_C(1) << 61, 1, 1}};
    const int64_t still[3] = {0, 0, 0};
    EACH_NULL(COUNT(huge), tm_new(TM_FLOAT32, 3, huge[i]), TM_ERR_SHAPE, "do not fit")
    EACH_NULL(COUNT(huge), tm_from_data(TM_FLOAT32, 3, huge[i], memory), TM_ERR_SHAPE, "do not fit")
    EACH_NULL(COUNT(huge), tm_wrap(TM_FLOAT32, 3, huge[i], still, memory, NULL), TM_ERR_SHAPE,
              "do not fit")
    EACH_NULL(COUNT(huge), tm_strided_view(x, 3, huge[i], still, 0), TM_ERR_SHAPE, "do not fit")
    EACH_NULL(COUNT(huge), tm_expand(x, ((tm_int_list){huge[i], 3})), TM_ERR_SHAPE, "")
}
END_TEST

START_TEST(axes_and_levels_that_are_not_there)
{
    const tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    for (int i = 0; i < COUNT(far); i++) {
        ck_assert_int_eq(tm_size(x, far[i]), -1);
        EXPECT_ERROR(TM_ERR_DIM, "size: axis");
    }
    for (int i = 0; i < COUNT(far_int); i++) {
        int64_t size;
        ck_assert_uint_eq(tm_level_at(x, far_int[i], &size), 0);
        EXPECT_ERROR(TM_ERR_USAGE, "level_at: i must be");
    }
}
END_TEST

/* -- vmap -------------------------------------------------------------------------------------- */

static tm_status first(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_alias(in[0]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_tensor *map(const tm_tensor *x, int64_t in_dim, int64_t out_dim, int64_t size,
                      int64_t chunk)
{
    tm_tensor *out;
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = chunk};
    if (size != 2)
        options.size = &size;
    return tm_vmap(first, NULL, &options, 1, &x, &in_dim, 1, &out, &out_dim) == TM_OK ? out : NULL;
}

START_TEST(dims_of_a_level)
{
    static const int64_t in_dims[] = {INT64_MIN + 1, -3, 2, INT64_MAX - 1, INT64_MAX};
    static const int64_t out_dims[] = {INT64_MIN + 1, -3, 2, INT64_MAX};
    const tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    tm_vmap_level *v = tm_vmap_push(NULL);
    EACH_NULL(COUNT(in_dims), tm_vmap_in(v, x, in_dims[i]), TM_ERR_DIM, "must be in -2..1")
    const tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    EACH_NULL(COUNT(out_dims), tm_vmap_out(v, row, out_dims[i]), TM_ERR_DIM, "must be in -2..1")
    EXPECT_OK(tm_vmap_pop(v));
    EACH_NULL(COUNT(in_dims), map(x, in_dims[i], 0, 2, 0), TM_ERR_DIM, "must be in -2..1")
    for (int64_t chunk = 0; chunk < 3; chunk++)
        EACH_NULL(COUNT(out_dims), map(x, 0, out_dims[i], 2, chunk), TM_ERR_DIM, "must be in -2..1")
}
END_TEST

START_TEST(sizes_and_counts_of_a_vmap)
{
    static const int64_t negative[] = {INT64_MIN, INT64_MIN + 1, -1};
    static const int64_t chunks[] = {INT64_MIN, INT64_MIN + 1, -2};
    static const int counts[] = {INT_MIN, -1};
    const tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    EACH_NULL(COUNT(negative), map(x, 0, 0, negative[i], 0), TM_ERR_VALUE, "vmap: size must not")
    EACH_NULL(COUNT(chunks), map(x, 0, 0, 2, chunks[i]), TM_ERR_VALUE, "vmap: chunk_size must")
    EACH_NULL(1, map(x, 0, 0, INT64_MAX, 0), TM_ERR_SHAPE, "the given size 9223372036854775807")
    EXPECT_SHAPE(map(x, 0, 0, 2, INT64_MAX), TM_FLOAT32, TM_INTS(2, 3));
    EXPECT_SHAPE(map(x, 0, 0, 2, INT64_MAX - 1), TM_FLOAT32, TM_INTS(2, 3));
    tm_tensor *out = NULL;
    const int64_t dim = 0;
    for (int i = 0; i < COUNT(counts); i++) {
        EXPECT_FAIL(tm_vmap(first, NULL, NULL, counts[i], &x, &dim, 1, &out, NULL), TM_ERR_USAGE,
                    "counts must not be negative");
        EXPECT_FAIL(tm_vmap(first, NULL, NULL, 1, &x, &dim, counts[i], &out, NULL), TM_ERR_USAGE,
                    "counts must not be negative");
    }
    for (int i = 0; i < COUNT(far_int); i++) {
        tm_vmap_options options = {.struct_size = sizeof options,
                                   .randomness = (tm_randomness)far_int[i]};
        EXPECT_FAIL(tm_vmap(first, NULL, &options, 1, &x, &dim, 1, &out, NULL), TM_ERR_VALUE,
                    "is no randomness");
    }
}
END_TEST

static tm_vmap_level *push(int64_t size, tm_randomness randomness)
{
    tm_vmap_level *level = tm_vmap_push(&(tm_vmap_options){
        .struct_size = sizeof(tm_vmap_options), .size = &size, .randomness = randomness});
    ck_assert_ptr_nonnull(level);
    return level;
}

/* Two levels of 2^59 examples each, all in one place: their product is no int64. */
START_TEST(levels_whose_examples_cannot_be_counted)
{
    const int64_t many = INT64_C(1) << 59;
    for (int64_t n = 0; n < 2; n++) { /* elements of an example */
        const tm_tensor *x =
            MADE(tm_expand(MADE(tm_zeros(TM_INTS(1, n), TM_FLOAT32)), TM_INTS(many, n)));
        tm_vmap_level *v = push(many, TM_RANDOMNESS_DIFFERENT);
        tm_tensor *a = MADE(tm_vmap_in(v, x, 0));
        tm_vmap_level *w = push(many, TM_RANDOMNESS_DIFFERENT);
        tm_tensor *b = MADE(tm_vmap_in(w, x, 0)), *sum = tm_add(a, b);
        if (n == 0) {
            MADE(sum);
            EXPECT_NULL(tm_rand(TM_INTS(0), TM_FLOAT32, NULL), TM_ERR_MEMORY,
                        "rand: there are more examples than can be counted");
            MADE(tm_add_(MADE(tm_zeros(TM_INTS(0), TM_FLOAT32)), sum));
            EXPECT_NULL(tm_sum(sum, NULL, false), TM_ERR_MEMORY, "sum: no memory for");
        } else {
            tm_error_clear();
            EXPECT_NULL(tm_add(a, b), TM_ERR_MEMORY, "add: no memory for");
            EXPECT_NULL(tm_concat(TM_TENSORS(a, b), 0), TM_ERR_MEMORY, "concat: no memory for");
            EXPECT_NULL(tm_dot(a, b), TM_ERR_MEMORY, "dot: no memory for");
            EXPECT_NULL(tm_rand(TM_INTS(1), TM_FLOAT32, NULL), TM_ERR_MEMORY, "rand: no memory");
            EXPECT_NULL(tm_add_(MADE(tm_zeros(TM_INTS(1), TM_FLOAT32)), b), TM_ERR_MEMORY,
                        "add_: no memory for");
        }
        tm_tensor *out = n == 0 ? MADE(tm_vmap_out(w, sum, 0)) : NULL;
        EXPECT_OK(tm_vmap_pop(w));
        if (out)
            EXPECT_NULL(tm_vmap_out(v, out, 0), TM_ERR_SHAPE, "do not fit");
        EXPECT_NULL(tm_vmap_index(v), TM_ERR_MEMORY, "vmap_index: no memory for");
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(a_level_of_the_largest_size)
{
    const int64_t sizes[] = {INT64_MAX, INT64_MAX / 4, INT64_C(1) << 61};
    for (int i = 0; i < COUNT(sizes); i++) {
        tm_vmap_level *v = push(sizes[i], TM_RANDOMNESS_DIFFERENT);
        ck_assert_int_eq(tm_vmap_size(v), sizes[i]);
        tm_tensor *x = F32(TM_INTS(2), 1, 2);
        EXPECT_NULL(tm_vmap_index(v), TM_ERR_MEMORY, "vmap_index");
        EXPECT_NULL(tm_vmap_out(v, x, 0), TM_ERR_SHAPE, "do not fit");
        EXPECT_NULL(tm_rand(TM_INTS(2), TM_FLOAT32, NULL), TM_ERR_MEMORY, "rand: no memory");
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

/* -- Counting ---------------------------------------------------------------------------------- */

START_TEST(ops_and_what_they_have)
{
    const tm_op *op = tm_op_find("triu", "");
    for (int i = 0; i < COUNT(far); i++)
        ck_assert(far[i] == 2 || !tm_op_at(far[i]));
    ck_assert_ptr_null(tm_op_at(tm_op_count()));
    for (int i = 0; i < COUNT(far_int); i++) {
        tm_value args[2] = {{.tensor = TM_NONE}}, result;
        tm_spec spec;
        int64_t count;
        EXPECT_NULL(tm_op_param(op, far_int[i]), TM_ERR_USAGE, "triu has 2 parameters");
        ck_assert_int_eq(tm_op_output_type(op, far_int[i]), TM_TYPE_TENSOR);
        EXPECT_ERROR(TM_ERR_USAGE, "triu has 1 outputs");
        ck_assert(!tm_op_has_key(op, (tm_key)far_int[i]));
        ck_assert(!tm_op_has_loop(op, (tm_dtype)far_int[i]));
        ck_assert_str_eq(tm_key_name((tm_key)far_int[i]), "unknown");
        ck_assert_ptr_nonnull(tm_contract_name((tm_contract)far_int[i]));
        ck_assert_ptr_nonnull(tm_status_name((tm_status)far_int[i]));
        EXPECT_FAIL(tm_op_call(op, args, far_int[i], &result, 1), TM_ERR_USAGE,
                    "takes 2 arguments");
        EXPECT_FAIL(tm_op_call(op, args, 2, &result, far_int[i]), TM_ERR_USAGE, "has 1 outputs");
        EXPECT_FAIL(tm_infer(op, args, far_int[i], &spec, 1), TM_ERR_USAGE, "takes 2 arguments");
        EXPECT_FAIL(tm_infer(op, args, 2, &spec, far_int[i]), TM_ERR_USAGE, "has 1 outputs");
        EXPECT_FAIL(tm_infer_list(tm_op_find("split", ""), args, far_int[i], &spec, 1, &count),
                    TM_ERR_USAGE, "takes");
        EXPECT_FAIL(tm_set_num_threads(far_int[i]), TM_ERR_VALUE, "num_threads must be in 0..64");
    }
    const tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4));
    tm_value args[] = {{.tensor = x}, {.i = 2}, {.i = 0}};
    const tm_op *chunk = tm_op_find("chunk", "");
    int64_t count;
    tm_spec spec;
    for (int i = 0; i < 3; i++)
        EXPECT_FAIL(tm_infer_list(chunk, args, 3, &spec, far[i], &count), TM_ERR_USAGE,
                    "cannot have room for -");
    EXPECT_FAIL(tm_infer_list(chunk, args, 3, NULL, INT64_MAX, &count), TM_ERR_USAGE, "room");
    tm_spec two[2];
    EXPECT_OK(tm_infer_list(chunk, args, 3, two, INT64_MAX, &count)); /* only two are written */
    ck_assert_int_eq(count, 2);
}
END_TEST

START_TEST(enumerations_and_scalars)
{
    for (int i = 0; i < COUNT(far_int); i++) {
        tm_dtype dtype = (tm_dtype)far_int[i];
        ck_assert_uint_eq(tm_dtype_size(dtype), 0);
        ck_assert_int_eq(tm_dtype_kind(dtype), TM_KIND_NONE);
        ck_assert_int_eq(tm_promote(dtype, TM_FLOAT32), TM_DTYPE_NONE);
        ck_assert_int_eq(tm_promote(TM_FLOAT32, dtype), TM_DTYPE_NONE);
        ck_assert_uint_eq(tm_dtype_size(tm_promote_scalar(dtype, TM_KIND_INT)), 0);
        tm_dtype promoted = tm_promote_scalar(TM_FLOAT32, (tm_kind)far_int[i]);
        ck_assert(promoted == TM_FLOAT32 || promoted == TM_DTYPE_NONE);
        ck_assert(isnan(tm_scalar_as_float((tm_scalar){.kind = (tm_kind)far_int[i]})));
        ck_assert_ptr_null(tm_simd_name((tm_simd)far_int[i]));
        ck_assert_ptr_null(tm_path_name((tm_path)far_int[i]));
        EXPECT_FAIL(tm_set_simd((tm_simd)far_int[i]), TM_ERR_VALUE, "");
        EXPECT_FAIL(tm_set_path((tm_path)far_int[i], TM_PATH_ON), TM_ERR_VALUE, "");
        EXPECT_FAIL(tm_set_path(TM_PATH_FLAT, (tm_path_use)far_int[i]), TM_ERR_VALUE, "");
        ck_assert_int_eq(tm_get_path((tm_path)far_int[i]), TM_PATH_AUTO);
        tm_set_acceleration((tm_acceleration)far_int[i]);
        ck_assert_int_eq(tm_get_acceleration(), TM_ACCEL_AUTO);
        EXPECT_NULL(tm_add_scalar(test_f32_scalar(1), (tm_scalar){.kind = (tm_kind)far_int[i]}),
                    TM_ERR_USAGE, "is no number");
    }
}
END_TEST

START_TEST(random_numbers)
{
    static const int levels[] = {INT_MIN, -1, TM_MAX_LEVELS + 1, INT_MAX};
    const int64_t index[TM_MAX_LEVELS] = {0}, wrong[] = {INT64_MIN};
    tm_generator *generator = tm_generator_new(UINT64_MAX);
    for (int i = 0; i < COUNT(levels); i++) {
        EXPECT_FAIL(tm_rng_at(0, levels[i], index), TM_ERR_VALUE, "num_levels must be in 0..16");
        EXPECT_FAIL(tm_generator_at(generator, 0, levels[i], index), TM_ERR_VALUE,
                    "num_levels must be in 0..16");
    }
    EXPECT_FAIL(tm_rng_at(0, 1, wrong), TM_ERR_INDEX, "index must not be negative");
    EXPECT_FAIL(tm_generator_at(generator, 0, 1, wrong), TM_ERR_INDEX, "must not be negative");
    EXPECT_OK(tm_generator_at(generator, UINT64_MAX, TM_MAX_LEVELS, index));
    MADE(tm_rand(TM_INTS(2), TM_FLOAT32, generator));
    EXPECT_OK(tm_generator_seed(generator, 0));
    EXPECT_OK(tm_generator_skip(generator, UINT64_MAX));
    EXPECT_OK(tm_generator_skip(generator, 3)); /* the count goes round, as unsigned numbers do */
    ck_assert_uint_eq(tm_generator_count(generator), 2);
    tm_generator_free(generator);
}
END_TEST

START_TEST(files_and_printing)
{
    const tm_tensor *x = test_f32_scalar(1), *const tensors[] = {x};
    const char *const names[] = {"x"};
    static const int counts[] = {INT_MIN, -1};
    size_t size;
    for (int i = 0; i < COUNT(counts); i++) {
        EXPECT_NULL(tm_npz_save_memory(counts[i], names, tensors, false, &size), TM_ERR_VALUE,
                    "count must");
        EXPECT_FAIL(tm_npz_save("/tmp/never_written.npz", counts[i], names, tensors, false),
                    TM_ERR_VALUE, "count must");
    }
    void *data = tm_npz_save_memory(1, names, tensors, false, &size);
    tm_npz *npz = tm_npz_open_memory(data, size);
    for (int i = 0; i < COUNT(far); i++)
        EXPECT_NULL(tm_npz_name(npz, far[i]), TM_ERR_INDEX, "");
    tm_npz_close(npz);
    tm_buffer_free(data);
    char text[4] = "abc";
    const int64_t shape[] = {INT64_MIN, INT64_MAX};
    ck_assert_int_eq(tm_format_shape(text, 0, 2, shape), 24);
    ck_assert_str_eq(text, "abc");
    ck_assert_int_eq(tm_format_shape(text, sizeof text, 2, shape), 24);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(tm_format_shape(text, sizeof text, far[i], shape), -1);
        EXPECT_ERROR(TM_ERR_VALUE, "ndim");
    }
}
END_TEST

START_TEST(the_checkers_options)
{
    const char *const ops[] = {"triu"};
    for (int i = 0; i < 3; i++) {
        tm_law_options options = {.struct_size = sizeof options, .cases = far[i]};
        tm_law_result result = {.struct_size = sizeof result};
        EXPECT_FAIL(tm_law_run(&options, &result), TM_ERR_VALUE, "");
        options = (tm_law_options){
            .struct_size = sizeof options, .ops = ops, .num_ops = far_int[i], .cases = 1};
        EXPECT_FAIL(tm_law_run(&options, &result), TM_ERR_VALUE, "");
    }
}
END_TEST

Suite *extremes_suite(void)
{
    const TTest *const tests[] = {shapes_that_cannot_be,
                                  axes_and_levels_that_are_not_there,
                                  dims_of_a_level,
                                  sizes_and_counts_of_a_vmap,
                                  levels_whose_examples_cannot_be_counted,
                                  a_level_of_the_largest_size,
                                  ops_and_what_they_have,
                                  enumerations_and_scalars,
                                  random_numbers,
                                  files_and_printing,
                                  the_checkers_options};
    return test_suite("extremes", tests, COUNT(tests));
}
