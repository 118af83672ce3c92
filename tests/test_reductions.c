/* test_reductions.c: a reduction's bits depend neither on how its block lies in memory, nor on the
 * vector instructions, nor on the threads. */
#include <math.h>
#include <string.h>

#include "support.h"

enum { OUTPUTS = 53 }; /* strips of columns of every width, and some left over */

/* Lengths around those where kernels change their way: lanes, runs, several runs at once. */
static const int64_t lengths[] = {0,   1,   2,   7,   8,   9,    31,   32,
                                  127, 128, 129, 300, 512, 1000, 2049, 2600};

typedef tm_tensor *(*reduce_fn)(const tm_tensor *x, int64_t axis);

static tm_tensor *sum(const tm_tensor *x, int64_t axis)
{
    return tm_sum(x, &TM_INTS(axis), false);
}

static tm_tensor *amax(const tm_tensor *x, int64_t axis)
{
    return tm_amax(x, &TM_INTS(axis), false);
}

static tm_tensor *argmin(const tm_tensor *x, int64_t axis)
{
    return tm_argmin(x, &axis, false);
}

static tm_tensor *var(const tm_tensor *x, int64_t axis)
{
    return tm_var(x, &TM_INTS(axis), false, 0);
}

static tm_tensor *norm(const tm_tensor *x, int64_t axis)
{
    return tm_vector_norm(x, &TM_INTS(axis), false, 2);
}

static tm_tensor *count_nonzero(const tm_tensor *x, int64_t axis)
{
    return tm_count_nonzero(x, &TM_INTS(axis), false);
}

static tm_tensor *logsumexp(const tm_tensor *x, int64_t axis)
{
    return tm_logsumexp(x, &TM_INTS(axis), false);
}

static const struct {
    reduce_fn fn;
    bool needs_elements;
} ops[] = {{sum, false},  {amax, true},           {argmin, true},    {var, false},
           {norm, false}, {count_nonzero, false}, {logsumexp, false}};

/* (OUTPUTS, n): few values, so that extremes are met more than once, and a NaN in some rows. */
static tm_tensor *sample(tm_dtype dtype, int64_t n)
{
    tm_tensor *x = tm_new(TM_FLOAT32, 2, (int64_t[]){OUTPUTS, n});
    float *data = tm_mutable_data(x);
    uint32_t state = (uint32_t)n;
    for (int64_t i = 0; i < OUTPUTS * n; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (float)(int32_t)(state >> 24) / 7 - 11;
        if (dtype == TM_FLOAT32 && i / n % 5 == 4 && i % n % 61 == 47)
            data[i] = NAN;
    }
    return dtype == TM_FLOAT32 ? x : tm_astype(x, dtype);
}

static void expect_same(const tm_tensor *a, const tm_tensor *b)
{
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    tm_tensor *same_nan =
        tm_isclose(tm_astype(a, TM_FLOAT64), tm_astype(b, TM_FLOAT64), 0, 0, true);
    tm_tensor *all = tm_all(same_nan, NULL, false);
    ck_assert_ptr_nonnull(all);
    ck_assert(*(const bool *)tm_data(all));
}

/* The rows one by one, each reduced alone. */
static tm_tensor *one_by_one(reduce_fn fn, const tm_tensor *x)
{
    const tm_tensor *each[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++)
        each[i] = fn(tm_select(x, 0, i), 0);
    return tm_stack((tm_tensor_list){each, OUTPUTS}, 0);
}

static void check_layouts(reduce_fn fn, const tm_tensor *x)
{
    tm_tensor *expected = one_by_one(fn, x);
    expect_same(expected, fn(x, 1));
    tm_tensor *columns = tm_clone(tm_swapaxes(x, 0, 1));
    expect_same(expected, fn(columns, 0));
    expect_same(tm_slice(expected, 0, 3, 6, 1), fn(tm_slice(columns, 1, 3, 6, 1), 0));
    tm_tensor *spread = tm_repeat(x, 2, &(int64_t){1});
    expect_same(expected, fn(tm_slice(spread, 1, 0, 2 * tm_size(x, 1), 2), 1));
    expect_same(expected, fn(tm_swapaxes(tm_slice(spread, 1, 1, 2 * tm_size(x, 1), 2), 0, 1), 0));
    for (int dim = 0; dim < 2; dim++) {
        tm_vmap_level *level = tm_vmap_push(NULL);
        tm_tensor *y = fn(tm_vmap_in(level, dim ? columns : x, dim), 0);
        tm_tensor *out = tm_vmap_out(level, y, 0);
        ck_assert_ptr_nonnull(out);
        tm_vmap_pop(level);
        expect_same(expected, out);
    }
}

START_TEST(layouts_and_instructions_change_no_bit)
{
    static const tm_dtype dtypes[] = {TM_FLOAT32, TM_FLOAT64, TM_INT32, TM_INT8};
    const reduce_fn fn = ops[_i].fn;
    for (int d = 0; d < COUNT(dtypes); d++) {
        if (d > 1 && (fn == var || fn == norm || fn == logsumexp))
            break;
        for (int l = ops[_i].needs_elements ? 1 : 0; l < COUNT(lengths); l++) {
            tm_scope *scope = tm_scope_push();
            const tm_tensor *x = sample(dtypes[d], lengths[l]);
            const tm_simd most = tm_get_simd();
            tm_tensor *expected = one_by_one(fn, x);
            for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
                ck_assert_int_eq(tm_set_simd(level), TM_OK);
                expect_same(expected, fn(x, 1));
                check_layouts(fn, x);
            }
            ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
        }
    }
}
END_TEST

/* Blocks of two dimensions that are no one run, kept dimensions between them and around. */
START_TEST(blocks_of_several_dimensions)
{
    tm_tensor *x = tm_new(TM_FLOAT32, 4, (int64_t[]){5, 9, 6, 33});
    float *data = tm_mutable_data(x);
    for (int64_t i = 0; i < tm_numel(x); i++)
        data[i] = (float)(i * 37 % 101) / 3;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) {
            int64_t order[4], n = 0;
            for (int d = 0; d < 4; d++)
                if (d != a && d != b)
                    order[n++] = d;
            order[2] = a, order[3] = b;
            tm_tensor *rows = tm_clone(tm_permute_dims(x, (tm_int_list){order, 4}));
            expect_same(tm_sum(rows, &TM_INTS(2, 3), false), tm_sum(x, &TM_INTS(a, b), false));
            expect_same(tm_amax(rows, &TM_INTS(2, 3), false), tm_amax(x, &TM_INTS(a, b), false));
        }
}
END_TEST

/* An op over one logical axis of a batch in dimension `dim`, against the same of a copy with the
 * batch in front. */
static void check_batch_at(tm_tensor *(*op)(const tm_tensor *, int64_t), const tm_tensor *x,
                           int64_t dim)
{
    for (int axis = 0; axis < 2; axis++)
        for (int threads = 1; threads <= 2; threads++) {
            tm_set_num_threads(threads);
            tm_vmap_level *level = tm_vmap_push(NULL);
            tm_tensor *out = tm_vmap_out(level, op(tm_vmap_in(level, x, dim), axis), 0);
            tm_vmap_pop(level);
            expect_same(op(tm_clone(tm_moveaxis(x, TM_INTS(dim), TM_INTS(0))), axis + 1), out);
        }
    tm_set_num_threads(1);
}

static tm_tensor *argmax(const tm_tensor *x, int64_t axis)
{
    return tm_argmax(x, &axis, false);
}

/* Small enough for outputs to be written where they belong, and large enough for panels: of few
 * outputs that lie together, and of more than one panel takes. */
START_TEST(a_batch_in_the_middle_or_last)
{
    static const int64_t shapes[][3] = {{7, 640, 12}, {3, 3001, 5}, {70, 3001, 3}, {130, 2, 1100}};
    for (int i = 0; i < COUNT(shapes); i++) {
        tm_tensor *x = tm_new(TM_FLOAT32, 3, shapes[i]);
        float *data = tm_mutable_data(x);
        for (int64_t j = 0; j < tm_numel(x); j++)
            data[j] = (float)(j * 37 % 1009) / 3;
        for (int64_t dim = 1; dim < 3; dim++) {
            check_batch_at(sum, x, dim);
            check_batch_at(argmax, x, dim);
            check_batch_at(sum, tm_astype(x, TM_FLOAT16), dim); /* through conversions */
        }
    }
}
END_TEST

static tm_tensor *extreme_of(const tm_tensor *x, bool most)
{
    return most ? tm_amax(x, &TM_INTS(1), false) : tm_amin(x, &TM_INTS(1), false);
}

/* Among many equal elements and a NaN or two the first place is found; which of two zeros of
 * different signs an extreme is does not depend on the instructions. */
START_TEST(extremes_of_equal_elements)
{
    static const float values[][3] = {{-7, 5, 4}, {3, 2, NAN}, {-0.0F, 0, -1}, {0, -0.0F, 1}};
    const bool most = _i < 2, whole = _i % 2;
    const tm_simd level = tm_get_simd();
    const int64_t axis = 1;
    for (int64_t n = 1; n < 150; n += n < 70 ? 1 : 7) {
        tm_tensor *x = tm_new(TM_FLOAT32, 2, (int64_t[]){OUTPUTS, n});
        float *data = tm_mutable_data(x);
        uint32_t state = (uint32_t)n;
        for (int64_t i = 0; i < OUTPUTS * n; i++) {
            state = state * 1664525u + 1013904223u;
            const uint32_t k = (state >> 16) % (uint32_t)(n + 1);
            data[i] = values[i / n / 16][k ? k % 2 : 2];
            if (whole && isnan(data[i]))
                data[i] = -9;
        }
        const tm_tensor *in = whole ? tm_astype(x, TM_INT32) : x;
        const tm_tensor *found = most ? tm_argmax(in, &axis, false) : tm_argmin(in, &axis, false);
        const tm_tensor *extreme = tm_astype(extreme_of(in, most), TM_FLOAT32);
        tm_set_simd(TM_SIMD_PORTABLE);
        const tm_tensor *plain = tm_astype(extreme_of(in, most), TM_FLOAT32);
        tm_set_simd(level);
        for (int64_t r = 0; r < OUTPUTS; r++) {
            int64_t at = 0;
            for (int64_t i = 1; i < n; i++) {
                const float best = data[r * n + at], v = data[r * n + i];
                if (!isnan(best) && !(most ? best >= v : best <= v))
                    at = i;
            }
            const float best = data[r * n + at], y = ((const float *)tm_data(extreme))[r];
            ck_assert_int_eq(((const int64_t *)tm_data(found))[r], at);
            ck_assert(isnan(best) ? isnan(y) : best == y);
            ck_assert_mem_eq((const float *)tm_data(plain) + r, &y, sizeof y);
        }
    }
}
END_TEST

static tm_tensor *softmax(const tm_tensor *x)
{
    return tm_softmax(x, 0);
}

static tm_tensor *log_softmax(const tm_tensor *x)
{
    return tm_log_softmax(x, 0);
}

static tm_tensor *layer_norm(const tm_tensor *x)
{
    return tm_layer_norm(x, (tm_int_list){tm_shape(x), 1}, x, x, 1e-5);
}

static tm_tensor *rms_norm(const tm_tensor *x)
{
    return tm_rms_norm(x, (tm_int_list){tm_shape(x), 1}, TM_NONE, NULL);
}

static tm_tensor *(*const normalizations[])(const tm_tensor *x) = {softmax, log_softmax, layer_norm,
                                                                   rms_norm};

/* sample(), and rows in which a number is not finite or far below the others. */
static tm_tensor *sample_of_all(tm_dtype dtype, int64_t n)
{
    static const float each[] = {-INFINITY, INFINITY, NAN, -90, -150, -3e38f};
    tm_tensor *x = sample(TM_FLOAT32, n);
    float *data = tm_mutable_data(x);
    for (int k = 0; k < COUNT(each); k++)
        data[(k + 5) * n + k * 11 % n] = each[k];
    return tm_astype(x, dtype);
}

static void check_normalization(tm_tensor *(*fn)(const tm_tensor *x), tm_dtype dtype, int64_t n)
{
    const tm_tensor *x = sample_of_all(dtype, n), *expected = NULL;
    const tm_tensor *columns = tm_clone(tm_swapaxes(x, 0, 1));
    const tm_simd most = tm_get_simd();
    for (tm_simd simd = TM_SIMD_PORTABLE; simd <= most; simd++) {
        const tm_tensor *each[OUTPUTS];
        tm_set_simd(simd);
        for (int i = 0; i < OUTPUTS; i++)
            each[i] = fn(tm_select(x, 0, i));
        const tm_tensor *alone = tm_stack((tm_tensor_list){each, OUTPUTS}, 0);
        if (!expected)
            expected = alone;
        expect_same(expected, alone);
        for (int dim = 0; dim < 2; dim++) {
            tm_vmap_level *level = tm_vmap_push(NULL);
            tm_tensor *in = tm_vmap_in(level, dim ? columns : x, dim);
            tm_tensor *out = tm_vmap_out(level, fn(in), 0);
            tm_vmap_pop(level);
            expect_same(expected, out);
        }
    }
}

START_TEST(normalized_rows_and_columns)
{
    static const int64_t sizes[] = {128, 143, 255, 256, 257, 530};
    for (int64_t n = 1; n < 50; n++)
        check_normalization(normalizations[_i], n % 7 ? TM_FLOAT32 : TM_FLOAT64, n);
    for (int l = 0; l < COUNT(sizes); l++) {
        check_normalization(normalizations[_i], TM_FLOAT32, sizes[l]);
        check_normalization(normalizations[_i], TM_FLOAT64, sizes[l]);
    }
}
END_TEST

/* Rows that reach from 1 below the least float: some ulps, of subnormal numbers one step. A row of
 * NaN or infinity spoils no other. */
START_TEST(softmax_is_close)
{
    static const int64_t sizes[] = {2, 4, 7, 8, 13, 40, 300};
    for (int l = 0; l < COUNT(sizes); l++) {
        const int64_t n = sizes[l];
        tm_tensor *x = tm_new(TM_FLOAT32, 2, (int64_t[]){OUTPUTS, n});
        float *data = tm_mutable_data(x);
        for (int64_t i = 0; i < tm_numel(x); i++)
            data[i] = (float)(7 - (double)((i % n + i / n) % n) * 110 / (double)n);
        data[3 * n] = NAN;
        data[5 * n + 1] = INFINITY;
        for (int64_t i = 0; i < n; i++)
            data[6 * n + i] = -INFINITY;
        const float *y = tm_data(tm_softmax(x, 1)), *log_y = tm_data(tm_log_softmax(x, 1));
        for (int64_t r = 0; r < OUTPUTS; r++) {
            double total = 0;
            for (int64_t i = 0; i < n; i++)
                total += exp((double)data[r * n + i] - 7);
            for (int64_t i = r * n; i < r * n + n; i++) {
                if (r == 3 || r == 5 || r == 6) {
                    ck_assert_float_nan(y[i]);
                    ck_assert_float_nan(log_y[i]);
                    continue;
                }
                const double less = (double)data[i] - 7; /* which is rounded first */
                const double most = 0x1p-22 - less * 0x1p-24, exact = exp(less) / total;
                ck_assert_double_le(fabs((double)y[i] - exact), exact * most + 0x1p-149);
                ck_assert_double_le(fabs((double)log_y[i] - (less - log(total))), 2 * most);
            }
        }
    }
}
END_TEST

/* Rows far from 0, and at both ends of float32's range. */
START_TEST(layer_norm_is_close)
{
    static const int64_t sizes[] = {2, 5, 8, 12, 16, 21, 30, 128};
    static const struct {
        double from, scale;
    } rows[] = {{0, 1}, {1e4, 1}, {-3e6, 1}, {0, 1e38}, {1e30, 1e30}, {0, 1e-36}, {0, 1e-44}};
    for (int l = 0; l < COUNT(sizes); l++)
        for (int r = 0; r < COUNT(rows); r++) {
            const int64_t n = sizes[l];
            tm_tensor *x = tm_new(TM_FLOAT32, 1, &n);
            float *data = tm_mutable_data(x);
            double mean = 0, square = 0;
            for (int64_t i = 0; i < n; i++) {
                data[i] = (float)(rows[r].from + rows[r].scale * ((double)(i * 37 % 31) / 5 - 3));
                mean += (double)data[i] / (double)n;
            }
            for (int64_t i = 0; i < n; i++)
                square += ((double)data[i] - mean) * ((double)data[i] - mean) / (double)n;
            const float *y = tm_data(tm_layer_norm(x, (tm_int_list){&n, 1}, TM_NONE, TM_NONE, 0));
            for (int64_t i = 0; i < n; i++) {
                const double exact = ((double)data[i] - mean) / sqrt(square);
                ck_assert_double_le(fabs((double)y[i] - exact), 1e-6);
            }
        }
}
END_TEST

/* More elements under one output than there is memory to convert them, up to sizes that a count of
 * bytes has no room for. */
START_TEST(no_room_to_convert)
{
    for (int bits = 46; bits <= 61; bits++) {
        const int64_t size = (int64_t)1 << bits;
        tm_tensor *x = MADE(tm_broadcast_to(tm_zeros(TM_INTS(1), TM_INT8), TM_INTS(size)));
        EXPECT_NULL(tm_mean_dtype(x, TM_FLOAT64, NULL, false), TM_ERR_MEMORY, "memory");
    }
}
END_TEST

Suite *reductions_suite(void)
{
    const TTest *const tests[] = {blocks_of_several_dimensions, a_batch_in_the_middle_or_last,
                                  softmax_is_close, layer_norm_is_close, no_room_to_convert};
    const TTest *const each[] = {layouts_and_instructions_change_no_bit};
    Suite *suite = test_suite("reductions", tests, COUNT(tests));
    test_suite_loop(suite, each, COUNT(each), COUNT(ops));
    const TTest *const extremes[] = {extremes_of_equal_elements};
    test_suite_loop(suite, extremes, COUNT(extremes), 4); /* most or least, of floats or integers */
    const TTest *const normalized[] = {normalized_rows_and_columns};
    test_suite_loop(suite, normalized, COUNT(normalized), COUNT(normalizations));
    return suite;
}
