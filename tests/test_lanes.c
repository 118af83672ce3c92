/* test_lanes.c: kernels that compute several examples side by side: what they are given, wherever
 * operands lie, what becomes of suspects, and the built-in ones against the plain kernels.
 */
#include <math.h>
#include <string.h>

#include "support.h"

/* -- An op with a lanes kernel: a = 2 x^T + y, b = the whole part of x's first --------------------
 */

static const int8_t mix_core[] = {2, 1, 2, 0};
static int blocks;      /* that the lanes kernel has seen */
static float bias;      /* that it adds, so that one sees who computed */
static bool declines;   /* it does */
static int64_t suspect; /* a whole part that it does not vouch for, though the plain kernel does */

static tm_status mix_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y)
{
    int n = tm_ndim(x);
    int64_t shape[TM_MAX_NDIM];
    (void)y;
    memcpy(shape, tm_shape(x), (size_t)n * sizeof *shape);
    shape[n - 2] = tm_shape(x)[n - 1];
    shape[n - 1] = tm_shape(x)[n - 2];
    tm_status status = tm_output(call, 0, tm_dtype_of(x), n, shape);
    return status == TM_OK ? tm_output(call, 1, TM_INT64, n - 2, shape) : status;
}

static tm_status mix_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *a,
                          tm_tensor *b)
{
    int64_t rows = tm_shape(x)[0], columns = tm_shape(x)[1];
    const float *from = tm_data(x), *add = tm_data(y);
    float *to = tm_mutable_data(a);
    if (*from < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x", "x begins with %g", (double)*from);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * tm_strides(a)[0] + i * tm_strides(a)[1]] =
                2 * from[i * tm_strides(x)[0] + j * tm_strides(x)[1]] + add[j * *tm_strides(y)];
    *(int64_t *)tm_mutable_data(b) = (int64_t)*from;
    return TM_OK;
}

static uint64_t mix_lanes(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_arg(call, 0)->tensor);
    int64_t rows = shape[0], columns = shape[1], width = lanes->width, *b = lanes->operand[3];
    const float *x = lanes->operand[0], *y = lanes->operand[1];
    float *a = lanes->operand[2];
    uint64_t suspects = 0;
    blocks++;
    if (declines)
        tm_batch_decline(call);
    for (int64_t l = 0; l < width; l++) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                a[(j * rows + i) * width + l] =
                    2 * x[(i * columns + j) * width + l] + y[j * width + l] + bias;
        b[l] = (int64_t)x[l];
        suspects |= (uint64_t)(x[l] < 0 || b[l] == suspect) << l;
    }
    return suspects;
}

static tm_lanes_kernel mix_table[] = {{mix_lanes, TM_FLOAT32, TM_SIMD_PORTABLE, 4, 8}, {0}};

static const tm_op *mix(int width)
{
    blocks = 0;
    bias = 0;
    declines = false;
    suspect = -1;
    mix_table[0].width = width;
    const tm_op *op = tm_op_find("test_mix", "");
    if (!op)
        op = OP(.schema = "test_mix(Tensor x, Tensor y) -> (Tensor a, Tensor b)",
                .contract = TM_PER_EXAMPLE, .meta = (tm_fn)mix_meta, .impl = (tm_fn)mix_impl,
                .core = mix_core, .lanes = mix_table, .thread_safe = true);
    tm_dispatch_reset_stats();
    return op;
}

static void expect_counts(uint64_t lanes, uint64_t plain, uint64_t declined, uint64_t reruns)
{
    tm_dispatch_stats stats = tm_dispatch_get_stats();
    ck_assert_uint_eq(stats.lanes_runs, lanes);
    ck_assert_uint_eq(stats.plain_runs, plain);
    ck_assert_uint_eq(stats.declined_runs, declined);
    ck_assert_uint_eq(stats.reruns, reruns);
    tm_dispatch_reset_stats();
}

/* Calls under a level with the first `mapped` tensors mapped; results are moved out in front. */
static bool call_mapped(const tm_op *op, const tm_value *args, int count, int64_t in_dim,
                        int mapped, tm_value *results)
{
    tm_value in[TM_MAX_ARGS];
    memcpy(in, args, (size_t)count * sizeof *in);
    tm_vmap_level *v = tm_vmap_push(NULL);
    for (int i = 0; i < mapped; i++)
        in[i].tensor = MADE(tm_vmap_in(v, args[i].tensor, i ? 0 : in_dim));
    bool ok = tm_op_call(op, in, count, results, tm_op_num_outputs(op)) == TM_OK;
    for (int i = 0; i < tm_op_num_outputs(op) && ok; i++)
        results[i].tensor = MADE(tm_vmap_out(v, results[i].tensor, 0));
    EXPECT_OK(tm_vmap_pop(v));
    return ok;
}

static void expect_same(const tm_tensor *a, const tm_tensor *b)
{
    ck_assert_int_eq(tm_dtype_of(a), tm_dtype_of(b));
    ck_assert_int_eq(tm_numel(a), tm_numel(b));
    a = MADE(tm_clone(a)); /* row-major, however they lie */
    b = MADE(tm_clone(b));
    size_t bytes = (size_t)tm_numel(a) * tm_dtype_size(tm_dtype_of(a));
    ck_assert(bytes == 0 || memcmp(tm_data(a), tm_data(b), bytes) == 0);
}

/* The same bits with lanes and without. */
static void expect_as_plain(const tm_op *op, const tm_value *args, int count, int64_t in_dim,
                            int mapped)
{
    tm_value with[TM_MAX_OUTPUTS], without[TM_MAX_OUTPUTS];
    tm_set_acceleration(TM_ACCEL_OFF);
    ck_assert_msg(call_mapped(op, args, count, in_dim, mapped, without), "%s", tm_error_message());
    tm_set_acceleration(TM_ACCEL_ON);
    tm_dispatch_reset_stats();
    ck_assert_msg(call_mapped(op, args, count, in_dim, mapped, with), "%s", tm_error_message());
    ck_assert_uint_eq(tm_dispatch_get_stats().lanes_runs, 1);
    tm_set_acceleration(TM_ACCEL_AUTO);
    for (int i = 0; i < tm_op_num_outputs(op); i++)
        expect_same(with[i].tensor, without[i].tensor);
}

/* -- What they are given ----------------------------------------------------------------------- */

/* Any width, any batch, any place of the batch, core dimensions in any order and with gaps. */
START_TEST(operands_may_lie_anywhere)
{
    static const int widths[] = {2, 4, 5, 8, 16, 64}, sizes[] = {1, 3, 4, 16, 37};
    const tm_op *op = mix(widths[_i]);
    tm_scope *outer = tm_scope_push();
    for (int s = 0; s < COUNT(sizes); s++) {
        int64_t n = sizes[s];
        for (int rows = 1; rows <= 8; rows += 3) {
            tm_scope *scope = tm_scope_push();
            tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(n, rows, 6));
            tm_tensor *y = test_iota(TM_FLOAT32, TM_INTS(n, 6));
            tm_tensor *middle = MADE(tm_clone(MADE(tm_permute_dims(x, TM_INTS(1, 0, 2)))));
            tm_tensor *last = MADE(tm_clone(MADE(tm_permute_dims(x, TM_INTS(1, 2, 0)))));
            tm_tensor *turned = MADE(tm_clone(MADE(tm_permute_dims(x, TM_INTS(0, 2, 1)))));
            tm_tensor *wide = test_iota(TM_FLOAT32, TM_INTS(n, rows, 9));
            const tm_tensor *ways[] = {x,
                                       middle,
                                       last,
                                       MADE(tm_permute_dims(turned, TM_INTS(0, 2, 1))),
                                       MADE(tm_slice(wide, 2, 2, 8, 1)),
                                       MADE(tm_flip(x, &TM_INTS(1, 2)))};
            static const int64_t dims[] = {0, 1, 2, 0, 0, 0};
            for (int w = 0; w < COUNT(ways); w++) {
                expect_as_plain(op, (tm_value[]){{.tensor = ways[w]}, {.tensor = y}}, 2, dims[w],
                                2);
                tm_tensor *shared = MADE(tm_select(y, 0, 0));
                expect_as_plain(op, (tm_value[]){{.tensor = ways[w]}, {.tensor = shared}}, 2,
                                dims[w], 1);
            }
            EXPECT_OK(tm_scope_pop(scope));
        }
    }
    EXPECT_OK(tm_scope_pop(outer));
}
END_TEST

/* A block goes on where one loop ends and the next iteration of the outer one begins. */
START_TEST(blocks_cross_levels_and_logical_loops)
{
    const tm_op *op = mix(16);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(7, 5, 3, 2, 3));
    tm_tensor *crossed = MADE(tm_permute_dims(x, TM_INTS(1, 0, 2, 3, 4)));
    tm_tensor *y = test_iota(TM_FLOAT32, TM_INTS(3, 3));
    expect_as_plain(op, (tm_value[]){{.tensor = crossed}, {.tensor = y}}, 2, 0, 1);
    expect_as_plain(op, (tm_value[]){{.tensor = crossed}, {.tensor = MADE(tm_select(y, 0, 1))}}, 2,
                    1, 1);
}
END_TEST

/* -- When they run ----------------------------------------------------------------------------- */

static bool run_mix(const tm_op *op, int64_t n, tm_value *results)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(n, 2, 3)), *y = F32(TM_INTS(3), 1, 2, 3);
    return call_mapped(op, (tm_value[]){{.tensor = x}, {.tensor = y}}, 2, 0, 1, results);
}

START_TEST(they_run_where_there_is_a_batch_and_no_switch_is_off)
{
    const tm_op *op = mix(4);
    tm_value r[2];
    bias = 1000;
    ck_assert(tm_op_has_key(op, TM_KEY_LANES));
    ck_assert_str_eq(tm_key_name(TM_KEY_LANES), "lanes");
    ck_assert(run_mix(op, 9, r));
    expect_counts(1, 0, 0, 0);
    ck_assert_int_eq(blocks, 3);
    ck_assert(test_value(r[0].tensor, 0) == 1001);
    CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(2, 3))},
         {.tensor = F32(TM_INTS(3), 1, 2, 3)});
    tm_set_acceleration(TM_ACCEL_OFF);
    ck_assert(run_mix(op, 9, r));
    tm_set_acceleration(TM_ACCEL_AUTO);
    EXPECT_OK(tm_set_path(TM_PATH_LANES, TM_PATH_OFF));
    ck_assert(run_mix(op, 9, r));
    EXPECT_OK(tm_set_path(TM_PATH_LANES, TM_PATH_AUTO));
    expect_counts(0, 3, 0, 0);
    tm_set_acceleration(TM_ACCEL_ON);
    CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(2, 3))},
         {.tensor = F32(TM_INTS(3), 1, 2, 3)});
    expect_counts(1, 0, 0, 0);
    tm_set_acceleration(TM_ACCEL_AUTO);
}
END_TEST

START_TEST(what_does_not_fit_runs_plainly)
{
    const tm_op *op = mix(4);
    tm_value r[2];
    tm_tensor *y = test_iota(TM_FLOAT32, TM_INTS(9));
    tm_tensor *large = test_iota(TM_FLOAT32, TM_INTS(20, 2, 9)); /* more than 8 */
    ck_assert(call_mapped(op, (tm_value[]){{.tensor = large}, {.tensor = y}}, 2, 0, 1, r));
    expect_counts(0, 1, 0, 0);
    declines = true;
    ck_assert(run_mix(op, 40, r));
    expect_counts(0, 1, 1, 0);
    ck_assert_int_eq(blocks, 1);
    ck_assert(test_value(r[0].tensor, 0) == 1);
    mix_table[0].dtype = TM_FLOAT64;
    ck_assert(run_mix(op, 40, r));
    expect_counts(0, 1, 0, 0);
    mix_table[0].dtype = TM_FLOAT32;
}
END_TEST

START_TEST(they_are_refused_where_they_do_not_belong)
{
    tm_op_def op = {.struct_size = sizeof op, .contract = TM_PER_EXAMPLE};
    op.schema = "test_lanes(Tensor[] xs) -> Tensor";
    op.meta = (tm_fn)mix_meta;
    op.impl = (tm_fn)mix_impl;
    op.lanes = mix_table;
    EXPECT_NULL(tm_library_register(test_library, &op), TM_ERR_SCHEMA, "has no lanes kernel");
    op.schema = "test_lanes(Tensor! x) -> Tensor!";
    EXPECT_NULL(tm_library_register(test_library, &op), TM_ERR_SCHEMA, "has no lanes kernel");
    tm_kernel_def def = {.struct_size = sizeof def, .lanes = mix_table};
    EXPECT_FAIL(tm_library_override(test_library, tm_op_find("exp", ""), TM_KEY_LANES, &def),
                TM_ERR_USAGE, "lanes");
    def.lanes = NULL;
    EXPECT_FAIL(tm_library_override(test_library, tm_op_find("inv", ""), TM_KEY_LANES, &def),
                TM_ERR_USAGE, "lacks the lanes kernel");
}
END_TEST

/* -- Suspects ---------------------------------------------------------------------------------- */

START_TEST(the_first_example_that_fails_is_named_in_the_plain_words)
{
    const tm_op *op = mix(_i ? 16 : 4);
    tm_value r[2];
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(40, 2, 3)), *y = F32(TM_INTS(3), 1, 2, 3);
    float *data = tm_mutable_data(x);
    data[25 * 6] = -25;
    data[22 * 6] = -22;
    data[39 * 6] = -39;
    suspect = 18; /* example 3 succeeds when it runs again */
    ck_assert(!call_mapped(op, (tm_value[]){{.tensor = x}, {.tensor = y}}, 2, 0, 1, r));
    ck_assert_int_eq(tm_error_get()->num_levels, 1);
    ck_assert_int_eq(tm_error_get()->levels[0].index, 22);
    EXPECT_ERROR(TM_ERR_VALUE, "test_mix: x begins with -22");
    expect_counts(1, 0, 0, 2);
}
END_TEST

START_TEST(a_suspect_that_succeeds_has_the_plain_result)
{
    const tm_op *op = mix(4);
    tm_value r[2];
    bias = 1000;
    suspect = 18;
    ck_assert(run_mix(op, 10, r));
    expect_counts(1, 0, 0, 1);
    ck_assert(test_value(r[0].tensor, 2 * 6) == 2 * 12 + 1 + 1000);
    ck_assert(test_value(r[0].tensor, 3 * 6) == 2 * 18 + 1);
    ck_assert(test_value(r[0].tensor, 4 * 6) == 2 * 24 + 1 + 1000);
}
END_TEST

/* -- The built-in ones ------------------------------------------------------------------------- */

static uint32_t state;

static double draw(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 24) * 2 - 1;
}

/* Matrices of all sorts: well-conditioned, of very large and very small elements, with columns of
 * very different lengths, symmetric ones with equal eigenvalues. */
static tm_tensor *matrices(tm_dtype dtype, int64_t count, int64_t rows, int64_t columns,
                           bool definite)
{
    tm_tensor *x = MADE(tm_zeros(TM_INTS(count, rows, columns), TM_FLOAT64));
    double *a = tm_mutable_data(x);
    for (int64_t e = 0; e < count; e++, a += rows * columns) {
        double scale = e % 5 == 1 ? 1e15 : e % 5 == 2 ? 1e-15 : 1;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                a[i * columns + j] = scale * draw() * (e % 5 == 3 && j == 0 ? 1e-6 : 1);
        for (int64_t i = 0; i < rows && definite; i++)
            for (int64_t j = 0; j <= i; j++)
                a[j * columns + i] = a[i * columns + j] =
                    i == j ? scale * (double)(rows + 1) : a[i * columns + j] * (e % 5 == 4 ? 0 : 1);
    }
    return MADE(tm_astype(x, dtype));
}

typedef struct builtin {
    const char *name;
    bool definite, system;
    int64_t most;
    tm_value more;
} builtin;

static const builtin builtins[] = {
    {"cholesky", true, false, 24, {.b = false}},
    {"cholesky", true, false, 24, {.b = true}},
    {"solve", false, true, 32, {0}},
    {"inv", false, false, 32, {0}},
    {"det", false, false, 32, {0}},
    {"slogdet", false, false, 32, {0}},
    {"lu", false, false, 32, {0}},
    {"lu_factor", false, false, 32, {0}},
    {"eigh", true, false, 8, {.b = false}},
    {"eigh", false, false, 8, {.b = true}},
    {"eigvalsh", false, false, 8, {.b = false}},
    {"svd", false, false, 12, {.b = false}},
    {"svd", false, false, 12, {.b = true}},
    {"svdvals", false, false, 12, {0}},
    {"qr", false, false, 24, {.str = "reduced"}},
    {"qr", false, false, 24, {.str = "complete"}},
};

/* At every level of instructions, for one thread and two. */
START_TEST(built_in_ones_give_the_plain_bits)
{
    const builtin *b = &builtins[_i];
    const tm_op *op = tm_op_find(b->name, "");
    static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, 32};
    tm_simd most = tm_get_simd();
    state = 1;
    for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
        EXPECT_OK(tm_set_simd(level));
        for (int s = 0; s < COUNT(sizes) && sizes[s] <= b->most; s++)
            for (tm_dtype dtype = TM_FLOAT32; dtype <= TM_FLOAT64; dtype++) {
                tm_scope *scope = tm_scope_push();
                int64_t n = sizes[s], count = 21;
                tm_tensor *x = matrices(dtype, count, n, n, b->definite);
                tm_value args[3] = {{.tensor = x}, b->more};
                if (b->system)
                    args[1].tensor = matrices(dtype, count, n, 2, false);
                tm_set_num_threads(1 + s % 2);
                expect_as_plain(op, args, tm_op_num_params(op), 0, b->system ? 2 : 1);
                EXPECT_OK(tm_scope_pop(scope));
            }
    }
    EXPECT_OK(tm_set_simd(most));
    tm_set_num_threads(1);
}
END_TEST

START_TEST(oblong_matrices_give_the_plain_bits)
{
    static const int64_t shapes[][2] = {{3, 7}, {7, 3}, {1, 5}, {5, 1}, {4, 6}};
    static const char *const names[] = {"lu", "lu_factor", "qr", "svd", "svdvals"};
    for (int i = 0; i < COUNT(shapes); i++)
        for (int k = 0; k < COUNT(names); k++) {
            const tm_op *op = tm_op_find(names[k], "");
            tm_tensor *x = matrices(TM_FLOAT32, 19, shapes[i][0], shapes[i][1], false);
            tm_value args[2] = {{.tensor = x}};
            if (k == 2)
                args[1].str = i % 2 ? "complete" : "reduced";
            expect_as_plain(op, args, tm_op_num_params(op), 0, 1);
        }
}
END_TEST

START_TEST(triangular_systems_give_the_plain_bits)
{
    const tm_op *triangular = tm_op_find("triangular_solve", ""),
                *factor = tm_op_find("cholesky_solve", "");
    tm_tensor *x = matrices(TM_FLOAT32, 21, 6, 6, false),
              *y = matrices(TM_FLOAT32, 21, 6, 3, false);
    for (int i = 0; i < 8; i++)
        expect_as_plain(
            triangular,
            (tm_value[]){{.tensor = x}, {.tensor = y}, {.b = i & 1}, {.b = i & 2}, {.b = i & 4}}, 5,
            0, 2);
    for (int i = 0; i < 2; i++)
        expect_as_plain(factor, (tm_value[]){{.tensor = x}, {.tensor = y}, {.b = i & 1}}, 3, 0, 2);
}
END_TEST

/* A matrix that is singular, or not finite, among others; the first one names the error. */
START_TEST(a_broken_matrix_in_the_middle)
{
    tm_tensor *x = matrices(TM_FLOAT32, 40, 4, 4, true), *y = matrices(TM_FLOAT32, 40, 4, 1, false);
    float *a = tm_mutable_data(x);
    tm_value r[3], args[2] = {{.tensor = x}, {.tensor = y}};
    for (int j = 0; j < 4; j++)
        a[21 * 16 + 2 * 4 + j] = 0;
    ck_assert(!call_mapped(tm_op_find("solve", ""), args, 2, 0, 2, r));
    ck_assert_int_eq(tm_error_get()->levels[0].index, 21);
    EXPECT_ERROR(TM_ERR_NUMERIC, "solve: x1 is singular: its pivot");
    args[1].b = false;
    ck_assert(!call_mapped(tm_op_find("cholesky", ""), args, 2, 0, 1, r));
    ck_assert_int_eq(tm_error_get()->levels[0].index, 21);
    EXPECT_ERROR(TM_ERR_NUMERIC, "leading minor of order 3");
    ck_assert(call_mapped(tm_op_find("det", ""), args, 1, 0, 1, r));
    ck_assert(test_value(r[0].tensor, 21) == 0 && test_value(r[0].tensor, 20) != 0);
    a[9 * 16 + 5] = NAN;
    a[11 * 16 + 5] = INFINITY;
    static const char *const names[] = {"inv",     "det", "slogdet", "lu",  "lu_factor",
                                        "svdvals", "qr",  "svd",     "eigh"};
    for (int k = 0; k < COUNT(names); k++) {
        const tm_op *op = tm_op_find(names[k], "");
        args[1] = (tm_value){0};
        if (k == 6)
            args[1].str = "reduced";
        ck_assert(!call_mapped(op, args, tm_op_num_params(op), 0, 1, r));
        ck_assert_int_eq(tm_error_get()->levels[0].index, 9);
        EXPECT_ERROR(TM_ERR_NUMERIC, "x must be finite");
    }
}
END_TEST

/* A singular value that is zero tells no vector: such an example is decomposed plainly. */
START_TEST(deficient_ranks_are_left_to_the_plain_kernel)
{
    tm_tensor *x = matrices(TM_FLOAT64, 20, 3, 3, false);
    double *a = tm_mutable_data(x);
    memset(a + 7 * 9, 0, 9 * sizeof *a);
    for (int i = 0; i < 3; i++)
        a[13 * 9 + i * 3] = 0;
    tm_value r[3], args[2] = {{.tensor = x}, {.b = true}};
    tm_dispatch_reset_stats();
#ifndef TM_HAVE_LAPACK /* which is what the plain kernel does it by */
    ck_assert(!call_mapped(tm_op_find("svd", ""), args, 2, 0, 1, r));
    EXPECT_ERROR(TM_ERR_NO_KERNEL, "LAPACK");
    return;
#endif
    ck_assert(call_mapped(tm_op_find("svd", ""), args, 2, 0, 1, r));
    expect_counts(1, tm_dispatch_get_stats().plain_runs, 0, 2);
    for (int i = 0; i < 3; i++)
        ck_assert(test_value(r[1].tensor, 7 * 3 + i) == 0);
    expect_as_plain(tm_op_find("svd", ""), args, 2, 0, 1);
}
END_TEST

Suite *lanes_suite(void)
{
    const TTest *tests[] = {blocks_cross_levels_and_logical_loops,
                            they_run_where_there_is_a_batch_and_no_switch_is_off,
                            what_does_not_fit_runs_plainly,
                            they_are_refused_where_they_do_not_belong,
                            a_suspect_that_succeeds_has_the_plain_result,
                            oblong_matrices_give_the_plain_bits,
                            triangular_systems_give_the_plain_bits,
                            a_broken_matrix_in_the_middle,
                            deficient_ranks_are_left_to_the_plain_kernel};
    const TTest *widths[] = {operands_may_lie_anywhere};
    const TTest *twice[] = {the_first_example_that_fails_is_named_in_the_plain_words};
    const TTest *each[] = {built_in_ones_give_the_plain_bits};
    Suite *suite = test_suite("lanes", tests, COUNT(tests));
    test_suite_loop(suite, widths, COUNT(widths), 6);
    test_suite_loop(suite, twice, COUNT(twice), 2);
    test_suite_loop(suite, each, COUNT(each), COUNT(builtins));
    return suite;
}
