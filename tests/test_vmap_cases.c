/* test_vmap_cases.c: faults that other libraries' vmaps had, each as a test of the whole path.
 *
 *     accepted what one example refuses   the_examples_own_check: triu-rank1 trace-rank1
 *                                         cross-batch-is-3 pad-eats-batch conv-bias-rank0
 *                                         select-scatter-rank expand-leading-minus1
 *                                         numpy-gufunc-out-bcast
 *     batch taken for an axis             axes_are_the_examples: argmax-none-keepdim squeeze-b1
 *                                         functorch-repeat mlx-reduce-all jax-scalar-slice
 *                                         squeeze-dim0-rank0; flatten_from_every_in_dim:
 * mlx-flatten out dimensions                      every_output_has_its_own_batch:
 * mlx-split-out-axes; results_that_do_not_depend_on_the_batch: mlx-const-out an argument that is
 * not mapped      mixed_with_unmapped: mlx-concat-unmapped mlx-gather mlx-gather-both
 * mlx-take-along-unmapped mlx-scatter-axis2 jax-betainc-scalar-mix index-by-mapped-scalar dtypes
 * dtypes_stay: mlx-floor-divide-dtype torch-scalar-promotion empty batches and batches of one
 * empty_and_single_batches: batch0-view batch0-fallback batch1-sum-rank0 vmap's own arguments
 * dims_are_judged: outdim-range indim-range indim-scalar-with-size writes
 * writes_are_whole_or_refused: inplace-unmapped-self inplace-factory what has no one answer
 * refused_by_the_closed_list: random-default nonzero-dynamic branch-on-value escaped-handle
 *
 * Elsewhere: mlx-fft-subset in ops/samples/fourier.c. Out of place here, as nothing changes a
 * handle's shape in place: squeeze-inplace-b1, functorch-unsqueeze-bdim1 (expand_dims is in
 * axes_are_the_examples). jax-nested-loops is about loops over values, which C has itself.
 */
#include "support.h"

/* A function of one example, of at most three inputs. */
typedef tm_tensor *(*one_fn)(const tm_tensor *const *in);

static tm_status call_one(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = (*(const one_fn *)user)(in);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_tensor *map(one_fn fn, int num_in, const tm_tensor *const *in, const int64_t *in_dims,
                      const tm_vmap_options *options)
{
    tm_tensor *out = NULL;
    tm_vmap(call_one, &fn, options, num_in, in, in_dims, 1, &out, NULL);
    return out;
}

/* map(fn) over tensors, all mapped at 0. */
#define MAP(fn, ...)                                                                               \
    map(fn, COUNT(((const tm_tensor *[]){__VA_ARGS__})), (const tm_tensor *[]){__VA_ARGS__},       \
        (const int64_t[]){0, 0, 0}, NULL)
#define IN(...) ((const tm_tensor *[]){__VA_ARGS__})
#define DIMS(...) ((const int64_t[]){__VA_ARGS__})
#define F(...) test_iota(TM_FLOAT32, TM_INTS(__VA_ARGS__))

/* -- Checks -------------------------------------------------------------------------------------
 */

static tm_tensor *triu(const tm_tensor *const *in)
{
    return tm_triu(in[0], 0);
}
static tm_tensor *trace(const tm_tensor *const *in)
{
    return tm_trace(in[0], 0);
}
static tm_tensor *cross(const tm_tensor *const *in)
{
    return tm_cross(in[0], in[1], -1);
}
static tm_tensor *pad_two_axes(const tm_tensor *const *in)
{
    return tm_pad(in[0], TM_INTS(0, 2, 0, 1), "constant", tm_scalar_int(1));
}
static tm_tensor *conv(const tm_tensor *const *in)
{
    return tm_conv2d(in[0], in[1], in[2], TM_INTS(2, 2), TM_INTS(2, 2), TM_INTS(1, 1), 1);
}
static tm_tensor *put_row(const tm_tensor *const *in)
{
    return tm_select_scatter(in[0], in[1], 1, 2);
}
static tm_tensor *expand(const tm_tensor *const *in)
{
    return tm_expand(in[0], TM_INTS(-1, 5, -1));
}
static tm_tensor *dot_into(const tm_tensor *const *in)
{
    return tm_matmul_out(in[0], in[1], tm_zeros(tm_no_ints, TM_FLOAT32));
}

START_TEST(the_examples_own_check)
{
    EXPECT_NULL(MAP(triu, F(32, 2)), TM_ERR_RANK,
                "triu: x must have at least 2 dimensions, got shape (2,)");
    EXPECT_NULL(MAP(trace, F(3, 3)), TM_ERR_RANK,
                "trace: x must have at least 2 dimensions, got shape (3,)");
    EXPECT_NULL(MAP(cross, F(3, 4), F(3, 4)), TM_ERR_SHAPE, "cross: |(4,)");
    EXPECT_NULL(MAP(pad_two_axes, F(2, 3)), TM_ERR_RANK, "pad: ");
    EXPECT_NULL(MAP(conv, F(2, 1, 3, 4, 4), F(2, 3, 3, 3, 3), F(2)), TM_ERR_RANK, "conv2d: bias");
    EXPECT_NULL(MAP(put_row, F(2, 5, 5, 5), F(2, 5)), TM_ERR_SHAPE, "select_scatter: |(5,)");
    EXPECT_NULL(MAP(expand, F(2, 1, 5)), TM_ERR_SHAPE, "expand: |-1 for a new axis|(1, 5)");
    EXPECT_NULL(map(dot_into, 2, IN(F(2, 3, 3), F(3)), DIMS(0, TM_NOT_MAPPED), NULL), TM_ERR_SHAPE,
                "matmul_out: out must have the result's shape (3,), got shape ()");
}
END_TEST

/* -- Axes ---------------------------------------------------------------------------------------
 */

static tm_tensor *argmax(const tm_tensor *const *in)
{
    return tm_argmax(in[0], NULL, true);
}
static tm_tensor *squeeze_all(const tm_tensor *const *in)
{
    return tm_squeeze(in[0], NULL);
}
static tm_tensor *squeeze_first(const tm_tensor *const *in)
{
    return tm_squeeze(in[0], &TM_INTS(0));
}
static tm_tensor *new_first(const tm_tensor *const *in)
{
    return tm_expand_dims(in[0], TM_INTS(0));
}
static tm_tensor *tile_once(const tm_tensor *const *in)
{
    return tm_tile(in[0], TM_INTS(1));
}
static tm_tensor *tile_never(const tm_tensor *const *in)
{
    return tm_tile(in[0], TM_INTS(0));
}
static tm_tensor *sum_all(const tm_tensor *const *in)
{
    return tm_sum(in[0], NULL, false);
}
static tm_tensor *same(const tm_tensor *const *in)
{
    return tm_reshape(in[0], tm_no_ints);
}

START_TEST(axes_are_the_examples)
{
    EXPECT(MAP(argmax, F(2, 3, 4)), TM_INT64, TM_INTS(2, 1, 1), 11, 11);
    EXPECT_F32(MAP(squeeze_all, F(1, 1, 3)), TM_INTS(1, 3), 0, 1, 2);
    EXPECT_NULL(MAP(squeeze_first, F(3)), TM_ERR_DIM, "squeeze: "); /* as the Array API has it */
    EXPECT_F32(map(new_first, 1, IN(F(3, 2)), DIMS(1), NULL), TM_INTS(2, 1, 3), 0, 2, 4, 1, 3, 5);
    EXPECT_F32(MAP(tile_once, F(3)), TM_INTS(3, 1), 0, 1, 2);
    EXPECT_SHAPE(MAP(tile_never, F(3)), TM_FLOAT32, TM_INTS(3, 0));
    EXPECT_F32(MAP(sum_all, tm_ones(TM_INTS(5, 10), TM_FLOAT32)), TM_INTS(5), 10, 10, 10, 10, 10);
    EXPECT_F32(MAP(same, F32(TM_INTS(4), 1, 2, 3, 4)), TM_INTS(4), 1, 2, 3, 4);
}
END_TEST

static tm_tensor *flatten(const tm_tensor *const *in)
{
    return tm_flatten(in[0], 0, 1);
}

START_TEST(flatten_from_every_in_dim)
{
    const int64_t shape[] = {2, 3, 4};
    for (int64_t dim = 0; dim < 3; dim++)
        EXPECT_SHAPE(map(flatten, 1, IN(F(2, 3, 4)), &dim, NULL), TM_FLOAT32,
                     TM_INTS(shape[dim], 24 / shape[dim]));
}
END_TEST

/* -- Results ------------------------------------------------------------------------------------
 */

static tm_status halves(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    tm_tensor_list parts = tm_split(in[0], 3, 1);
    if (parts.count != 2)
        return tm_error_code();
    const tm_tensor *turned[] = {parts.data[1], parts.data[0]};
    out[0] = tm_concat((tm_tensor_list){turned, 2}, 1);
    out[1] = (tm_tensor *)(uintptr_t)parts.data[0];
    out[2] = (tm_tensor *)(uintptr_t)parts.data[1];
    return TM_OK;
}

START_TEST(every_output_has_its_own_batch)
{
    const tm_tensor *x = F(5, 4, 6, 7);
    tm_tensor *out[3];
    EXPECT_OK(tm_vmap(halves, NULL, NULL, 1, &x, DIMS(1), 3, out, DIMS(0, 2, -1)));
    EXPECT_SHAPE(out[0], TM_FLOAT32, TM_INTS(4, 5, 6, 7));
    EXPECT_SHAPE(out[1], TM_FLOAT32, TM_INTS(5, 3, 4, 7));
    EXPECT_SHAPE(out[2], TM_FLOAT32, TM_INTS(5, 3, 7, 4));
    /* out[0][b, i, j, k] = x[i, b, (j + 3) % 6, k] */
    for (int64_t f = 0; f < 840; f++) {
        int64_t k = f % 7, j = f / 7 % 6, i = f / 42 % 5, b = f / 210;
        ck_assert_double_eq(test_value(out[0], f),
                            (double)(((i * 4 + b) * 6 + (j + 3) % 6) * 7 + k));
    }
}
END_TEST

static tm_tensor *two(const tm_tensor *const *in)
{
    (void)in;
    return tm_full(tm_no_ints, tm_scalar_int(2), TM_FLOAT32);
}

START_TEST(results_that_do_not_depend_on_the_batch)
{
    const tm_tensor *const in[] = {F(2, 3, 4), F(4, 3)};
    EXPECT_F32(map(two, 2, in, DIMS(0, TM_NOT_MAPPED), NULL), TM_INTS(2), 2, 2);
    EXPECT_F32(map(two, 2, in, DIMS(TM_NOT_MAPPED, 0), NULL), TM_INTS(4), 2, 2, 2, 2);
    EXPECT_F32(map(two, 2, in, DIMS(1, 1), NULL), TM_INTS(3), 2, 2, 2);
    EXPECT_NULL(map(two, 2, in, DIMS(TM_NOT_MAPPED, TM_NOT_MAPPED), NULL), TM_ERR_USAGE,
                "no input is mapped and no size was given");
    EXPECT_NULL(map(two, 2, in, DIMS(0, 0), NULL), TM_ERR_SHAPE, "size 4|size 2");
}
END_TEST

/* -- Arguments that are not mapped --------------------------------------------------------------
 */

static tm_tensor *concat_columns(const tm_tensor *const *in)
{
    return tm_concat((tm_tensor_list){in, 2}, 1);
}
static tm_tensor *element(const tm_tensor *const *in) /* in[0][in[1]] */
{
    const tm_tensor *one = tm_take(in[0], tm_reshape(in[1], TM_INTS(1)), &(const int64_t){0});
    return tm_squeeze(one, &TM_INTS(0));
}
static tm_tensor *take_along(const tm_tensor *const *in)
{
    return tm_take_along_axis(in[0], in[1], 0);
}
static tm_tensor *add_row(const tm_tensor *const *in)
{
    return tm_index_add(in[0], 0, in[1], in[2], tm_scalar_int(1));
}
static tm_tensor *mix(const tm_tensor *const *in)
{
    return tm_lerp(in[0], in[1], in[2]);
}

START_TEST(mixed_with_unmapped)
{
    const tm_tensor *ones = tm_ones(TM_INTS(2, 1), TM_FLOAT32);
    EXPECT_F32(map(concat_columns, 2, IN(F(2, 2, 2), ones), DIMS(0, TM_NOT_MAPPED), NULL),
               TM_INTS(2, 2, 3), 0, 1, 1, 2, 3, 1, 4, 5, 1, 6, 7, 1);
    const tm_tensor *a = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    const tm_tensor *zero = tm_zeros(tm_no_ints, TM_INT64), *both = test_iota(TM_INT64, TM_INTS(2));
    EXPECT_F32(map(element, 2, IN(a, zero), DIMS(0, TM_NOT_MAPPED), NULL), TM_INTS(2), 1, 3);
    EXPECT_F32(map(element, 2, IN(a, zero), DIMS(1, TM_NOT_MAPPED), NULL), TM_INTS(2), 1, 2);
    EXPECT_F32(MAP(element, a, both), TM_INTS(2), 1, 4);
    const int64_t places[] = {0, 2};
    const tm_tensor *i = tm_from_data(TM_INT64, 1, DIMS(2), places);
    EXPECT_F32(map(element, 2, IN(F(3), i), DIMS(TM_NOT_MAPPED, 0), NULL), TM_INTS(2), 0, 2);
    EXPECT_SHAPE(map(take_along, 2, IN(F(4, 5, 3), tm_zeros(TM_INTS(2, 2, 1, 3), TM_INT64)),
                     DIMS(TM_NOT_MAPPED, 0), NULL),
                 TM_FLOAT32, TM_INTS(2, 2, 5, 3));
    const int64_t row = 1;
    tm_tensor *y = map(add_row, 3,
                       IN(F(2, 3, 4), tm_from_data(TM_INT64, 1, DIMS(1), &row),
                          tm_ones(TM_INTS(1, 3), TM_FLOAT32)),
                       DIMS(2, TM_NOT_MAPPED, TM_NOT_MAPPED), NULL);
    EXPECT_SHAPE(y, TM_FLOAT32, TM_INTS(4, 2, 3));
    for (int64_t f = 0; f < 24; f++) {
        int64_t k = f % 3, j = f / 3 % 2, e = f / 6;
        ck_assert_double_eq(test_value(y, f), (double)((j * 3 + k) * 4 + e + (j == 1)));
    }
    const tm_tensor *w = tm_ones(TM_INTS(3), TM_FLOAT32);
    EXPECT_F32(map(mix, 3, IN(w, test_f32_scalar(1), F(2, 3)),
                   DIMS(TM_NOT_MAPPED, TM_NOT_MAPPED, 0), NULL),
               TM_INTS(2, 3), 1, 1, 1, 1, 1, 1);
}
END_TEST

static tm_tensor *fifth(const tm_tensor *const *in)
{
    return tm_floor_divide_scalar(in[0], tm_scalar_int(5));
}
static tm_tensor *tenth(const tm_tensor *const *in)
{
    return tm_mul_scalar(in[0], tm_scalar_float(0.1));
}

START_TEST(dtypes_stay)
{
    tm_tensor *y = MAP(fifth, test_iota(TM_INT32, TM_INTS(25)));
    EXPECT_SHAPE(y, TM_INT32, TM_INTS(25));
    for (int64_t i = 0; i < 25; i++)
        ck_assert_double_eq(test_value(y, i), (double)(i / 5));
    EXPECT_F32(MAP(tenth, F(3)), TM_INTS(3), 0, (double)0.1f, (double)0.2f);
}
END_TEST

/* -- Sizes of the batch -------------------------------------------------------------------------
 */

static tm_tensor *in_a_row(const tm_tensor *const *in)
{
    return tm_reshape(in[0], TM_INTS(-1));
}
static tm_tensor *row_sum(const tm_tensor *const *in)
{
    return CALL(tm_op_find("test_row_sum", NULL), {.tensor = in[0]});
}

START_TEST(empty_and_single_batches)
{
    EXPECT_SHAPE(MAP(in_a_row, MADE(tm_new(TM_FLOAT32, 3, DIMS(0, 3, 4)))), TM_FLOAT32,
                 TM_INTS(0, 12));
    test_op_row_sum();
    EXPECT_SHAPE(MAP(row_sum, MADE(tm_new(TM_FLOAT32, 2, DIMS(0, 3)))), TM_FLOAT32, TM_INTS(0));
    EXPECT_NULL(MAP(row_sum, MADE(tm_new(TM_FLOAT32, 1, DIMS(0)))), TM_ERR_RANK,
                "test_row_sum: x must have at least 1 dimension");
    EXPECT_F32(MAP(sum_all, F32(TM_INTS(1), 10)), TM_INTS(1), 10);
}
END_TEST

/* -- vmap's own arguments -----------------------------------------------------------------------
 */

static tm_tensor *identity(const tm_tensor *const *in)
{
    return tm_alias(in[0]);
}

START_TEST(dims_are_judged)
{
    one_fn fn = identity;
    const tm_tensor *x = F(2, 3, 5);
    tm_tensor *out;
    EXPECT_FAIL(tm_vmap(call_one, &fn, NULL, 1, &x, DIMS(0), 1, &out, DIMS(3)), TM_ERR_DIM,
                "out_dim 3|-3..2");
    EXPECT_NULL(map(identity, 1, IN(F(3, 3)), DIMS(2), NULL), TM_ERR_DIM,
                "in_dim 2 of input 0|2 dimensions|-2..1");
    const int64_t size = 1;
    tm_vmap_options options = {.struct_size = sizeof options, .size = &size};
    EXPECT_NULL(map(identity, 1, IN(test_f32_scalar(1)), DIMS(0), &options), TM_ERR_DIM,
                "in_dim 0 of input 0 is out of range: it has no dimensions");
}
END_TEST

/* -- Writes -------------------------------------------------------------------------------------
 */

static tm_tensor *add_in_place(const tm_tensor *const *in)
{
    return tm_add_((tm_tensor *)(uintptr_t)in[0], in[1]);
}

/* m = zeros(5, 6); m[0, 0] = m[0, 1] + x[0, 0] */
static tm_tensor *write_corner(const tm_tensor *const *in)
{
    tm_tensor *m = tm_zeros(TM_INTS(5, 6), TM_FLOAT32), *row = tm_select(m, 0, 0);
    const tm_tensor *corner = tm_select(tm_select(in[0], 0, 0), 0, 0);
    return tm_copy_(tm_select(row, 0, 0), tm_add(tm_select(row, 0, 1), corner)) ? m : NULL;
}

START_TEST(writes_are_whole_or_refused)
{
    tm_tensor *a = F(3);
    EXPECT_NULL(map(add_in_place, 2, IN(a, F(2, 3)), DIMS(TM_NOT_MAPPED, 0), NULL), TM_ERR_VMAP,
                "add_: |x1, which is not mapped");
    EXPECT_F32(a, TM_INTS(3), 0, 1, 2);
    tm_tensor *y = MAP(write_corner, F(10, 5, 6));
    EXPECT_SHAPE(y, TM_FLOAT32, TM_INTS(10, 5, 6));
    for (int64_t f = 0; f < 300; f++)
        ck_assert_double_eq(test_value(y, f), f % 30 ? 0 : (double)f);
}
END_TEST

/* -- Refusals -----------------------------------------------------------------------------------
 */

static tm_tensor *add_noise(const tm_tensor *const *in)
{
    return tm_add(in[0], tm_rand(tm_no_ints, TM_FLOAT32, NULL));
}

/* How many different values four zeros become. */
static int distinct(tm_randomness randomness)
{
    tm_vmap_options options = {.struct_size = sizeof options, .randomness = randomness};
    tm_tensor *y = MADE(map(add_noise, 1, IN(tm_zeros(TM_INTS(4), TM_FLOAT32)), DIMS(0), &options));
    int count = 0;
    for (int64_t i = 0; i < 4; i++) {
        bool seen = false;
        for (int64_t k = 0; k < i; k++)
            seen = seen || test_value(y, k) == test_value(y, i);
        count += !seen;
    }
    return count;
}

static tm_tensor *nonzero(const tm_tensor *const *in)
{
    return tm_nonzero(in[0]);
}
static tm_tensor *absolute(const tm_tensor *const *in)
{
    tm_scalar value = tm_item(in[0]);
    if (value.kind == TM_KIND_NONE)
        return NULL;
    return tm_scalar_as_float(value) > 0 ? tm_alias(in[0]) : tm_neg(in[0]);
}

static tm_tensor *left_behind;
static tm_tensor *leave(const tm_tensor *const *in)
{
    left_behind = tm_retain(tm_neg(in[0]));
    return tm_neg(in[0]);
}

START_TEST(refused_by_the_closed_list)
{
    EXPECT_NULL(MAP(add_noise, F(4)), TM_ERR_VMAP, "rand: ");
    ck_assert_int_eq(distinct(TM_RANDOMNESS_SAME), 1);
    ck_assert_int_eq(distinct(TM_RANDOMNESS_DIFFERENT), 4);
    EXPECT_NULL(MAP(nonzero, F(2, 3)), TM_ERR_VMAP, "nonzero: x is mapped");
    EXPECT_NULL(MAP(absolute, F(2)), TM_ERR_VMAP, "item: x is mapped");
    MADE(MAP(leave, F(3)));
    EXPECT_NULL(tm_neg(left_behind), TM_ERR_ESCAPED, "neg: |vmap level that has ended");
    tm_release(left_behind);
}
END_TEST

Suite *vmap_cases_suite(void)
{
    const TTest *tests[] = {the_examples_own_check,
                            axes_are_the_examples,
                            flatten_from_every_in_dim,
                            every_output_has_its_own_batch,
                            results_that_do_not_depend_on_the_batch,
                            mixed_with_unmapped,
                            dtypes_stay,
                            empty_and_single_batches,
                            dims_are_judged,
                            writes_are_whole_or_refused,
                            refused_by_the_closed_list};
    return test_suite("vmap_cases", tests, COUNT(tests));
}
