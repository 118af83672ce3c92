/* test_elementwise.c: the elementwise contract: broadcasting and layouts against a plain loop,
 * dtypes, optional operands, loops that fail, and threads.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* -- Against a plain loop ---------------------------------------------------------------------- */

enum { LAYOUTS = 6 };

/* A tensor of that shape whose elements lie in one of several layouts; its values are `from`,
 * `from` + 1, ... in row-major order. */
static tm_tensor *laid_out(tm_int_list shape, int layout, float from)
{
    int n = (int)shape.count;
    int64_t room[8], strides[8], step = layout == 2 ? 2 : 1, offset = layout == 3 ? 3 : 0,
                                 total = 1;
    for (int d = 0; d < n; d++)
        total *= shape.data[d];
    tm_tensor *memory = MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){2 * total + 8}));
    for (int d = n; d-- > 0;) { /* row-major, with gaps for 2 */
        strides[d] = step;
        step *= shape.data[d];
    }
    if (layout == 1) /* column-major */
        for (int d = 0, s = 1; d < n; s *= (int)shape.data[d++])
            strides[d] = s;
    for (int d = 0; d < n; d++) {
        room[d] = shape.data[d];
        bool reversed = layout == 4 || (layout == 5 && d == n - 1);
        if (reversed && shape.data[d] > 0) {
            offset += (shape.data[d] - 1) * strides[d];
            strides[d] = -strides[d];
        }
    }
    tm_tensor *x = MADE(tm_strided_view(memory, n, room, strides, total ? offset : 0));
    float *data = tm_mutable_data(x);
    for (int64_t i = 0; i < total; i++) {
        int64_t at = 0, rest = i;
        for (int d = n; d-- > 0; rest /= shape.data[d])
            at += rest % shape.data[d] * strides[d];
        data[at] = from + (float)i;
    }
    return x;
}

/* x1 + x2 at a flat index of the result. */
static double expected_at(const tm_tensor *x, const tm_tensor *result, int64_t flat)
{
    int64_t at = 0, scale = 1;
    int shift = tm_ndim(result) - tm_ndim(x);
    for (int d = tm_ndim(result); d-- > 0; flat /= tm_shape(result)[d]) {
        if (d < shift)
            continue;
        int64_t size = tm_shape(x)[d - shift];
        at += (size == 1 ? 0 : flat % tm_shape(result)[d]) * scale;
        scale *= size;
    }
    return test_value(x, at);
}

static void check_sum(const tm_tensor *x, const tm_tensor *y, const tm_tensor *sum)
{
    ck_assert_msg(sum != NULL, "%s", tm_error_message());
    for (int64_t i = 0; i < tm_numel(sum); i++)
        ck_assert_double_eq(test_value(sum, i), expected_at(x, sum, i) + expected_at(y, sum, i));
}

static const struct {
    int64_t x[4], y[4], result[4];
    int x_ndim, y_ndim, ndim;
} shapes[] = {
    {{0}, {0}, {0}, 0, 0, 0},
    {{5}, {0}, {5}, 1, 0, 1},
    {{1}, {7}, {7}, 1, 1, 1},
    {{67}, {67}, {67}, 1, 1, 1}, /* past the SIMD width, with a tail */
    {{3, 5}, {3, 5}, {3, 5}, 2, 2, 2},
    {{3, 1}, {1, 5}, {3, 5}, 2, 2, 2},
    {{5}, {3, 1}, {3, 5}, 1, 2, 2},
    {{2, 3, 4}, {3, 1}, {2, 3, 4}, 3, 2, 3},
    {{2, 1, 4}, {3, 1}, {2, 3, 4}, 3, 2, 3},
    {{4, 1, 3, 1}, {2, 1, 5}, {4, 2, 3, 5}, 4, 3, 4},
    {{0, 3}, {3}, {0, 3}, 2, 1, 2},
    {{1, 3}, {0, 1}, {0, 3}, 2, 2, 2},
    {{1, 1, 1}, {1}, {1, 1, 1}, 3, 1, 3},
};

START_TEST(shapes_broadcast_in_every_layout)
{
    tm_int_list a = {shapes[_i].x, shapes[_i].x_ndim}, b = {shapes[_i].y, shapes[_i].y_ndim};
    for (int i = 0; i < LAYOUTS; i++)
        for (int k = 0; k < LAYOUTS; k++) {
            tm_tensor *x = laid_out(a, i, 1), *y = laid_out(b, k, 100);
            tm_tensor *sum = MADE(tm_add(x, y));
            EXPECT_SHAPE(sum, TM_FLOAT32, ((tm_int_list){shapes[_i].result, shapes[_i].ndim}));
            check_sum(x, y, sum);
            tm_tensor *out =
                laid_out((tm_int_list){shapes[_i].result, shapes[_i].ndim}, (i + k) % LAYOUTS, 0);
            ck_assert_ptr_eq(tm_add_out(x, y, out), out);
            check_sum(x, y, out);
        }
}
END_TEST

/* The same sums with a batch dimension in every place: bitwise what the examples give. */
START_TEST(shapes_broadcast_in_every_layout_under_vmap)
{
    tm_int_list a = {shapes[_i].x, shapes[_i].x_ndim}, b = {shapes[_i].y, shapes[_i].y_ndim};
    int64_t with_batch[5];
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int dim = 0; dim <= shapes[_i].x_ndim; dim++) {
            for (int d = 0, k = 0; d <= shapes[_i].x_ndim; d++)
                with_batch[d] = d == dim ? 3 : a.data[k++];
            tm_tensor *x = laid_out((tm_int_list){with_batch, shapes[_i].x_ndim + 1}, layout, 1);
            tm_tensor *y = laid_out(b, (layout + dim) % LAYOUTS, 100);
            tm_vmap_level *v = tm_vmap_push(NULL);
            tm_tensor *sums = MADE(tm_vmap_out(v, MADE(tm_add(MADE(tm_vmap_in(v, x, dim)), y)), 0));
            EXPECT_OK(tm_vmap_pop(v));
            for (int64_t e = 0; e < 3; e++) {
                int64_t strides[4];
                for (int d = 0, k = 0; d <= shapes[_i].x_ndim; d++)
                    if (d != dim)
                        strides[k++] = tm_strides(x)[d];
                tm_tensor *one = MADE(
                    tm_strided_view(x, shapes[_i].x_ndim, a.data, strides, e * tm_strides(x)[dim]));
                tm_tensor *part =
                    MADE(tm_strided_view(sums, tm_ndim(sums) - 1, tm_shape(sums) + 1,
                                         tm_strides(sums) + 1, e * tm_strides(sums)[0]));
                check_sum(one, y, part);
            }
        }
}
END_TEST

START_TEST(shapes_that_do_not_broadcast_name_both)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *y = test_iota(TM_FLOAT32, TM_INTS(2));
    EXPECT_NULL(tm_add(x, y), TM_ERR_SHAPE,
                "add: x2 must broadcast with shape (2, 3), got shape "
                "(2,)");
    EXPECT_NULL(tm_add(y, x), TM_ERR_SHAPE, "add: x2|(2,)|(2, 3)");
}
END_TEST

/* -- Dtypes ------------------------------------------------------------------------------------ */

START_TEST(inputs_are_promoted_and_converted)
{
    const tm_op *mul = test_op_mul();
    tm_tensor *f32 = F32(TM_INTS(2), 1.5, 2.5), *f64 = test_iota(TM_FLOAT64, TM_INTS(2));
    tm_tensor *i32 = test_iota(TM_INT32, TM_INTS(2)), *u8 = test_iota(TM_UINT8, TM_INTS(2, 1));
    tm_tensor *yes = test_iota(TM_BOOL, TM_INTS(2));
    EXPECT(CALL(mul, {.tensor = f32}, {.tensor = f64}), TM_FLOAT64, TM_INTS(2), 0, 2.5);
    EXPECT_F32(CALL(mul, {.tensor = f32}, {.tensor = i32}), TM_INTS(2), 0, 2.5);
    EXPECT_F32(CALL(mul, {.tensor = u8}, {.tensor = f32}), TM_INTS(2, 2), 0, 0, 1.5, 2.5);
    EXPECT_F32(CALL(mul, {.tensor = yes}, {.tensor = f32}), TM_INTS(2), 0, 2.5);
    /* Loops for floats alone: integers are computed in float32. */
    EXPECT_F32(CALL(mul, {.tensor = i32}, {.tensor = u8}), TM_INTS(2, 2), 0, 0, 0, 1);
    EXPECT_NULL(CALL(mul, {.tensor = yes}, {.tensor = yes}), TM_ERR_DTYPE, "test_mul: |bool");
    tm_tensor *half = MADE(tm_new(TM_FLOAT16, 1, (const int64_t[]){2}));
    MADE(tm_fill_(half, tm_scalar_float(0.5)));
    EXPECT(CALL(mul, {.tensor = half}, {.tensor = half}), TM_FLOAT16, TM_INTS(2), 0.25, 0.25);
    EXPECT_F32(CALL(mul, {.tensor = half}, {.tensor = f32}), TM_INTS(2), 0.75, 1.25);
    tm_tensor *both = MADE(tm_new(TM_COMPLEX64, 1, (const int64_t[]){2}));
    EXPECT_NULL(CALL(mul, {.tensor = both}, {.tensor = f32}), TM_ERR_DTYPE, "complex64");
}
END_TEST

START_TEST(a_mapped_0d_tensor_promotes_like_any_tensor)
{
    const tm_op *mul = test_op_mul();
    tm_tensor *f32 = F32(TM_INTS(2), 1.5, 2.5), *f64 = test_iota(TM_FLOAT64, TM_INTS(2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *number = MADE(tm_vmap_in(v, f64, 0));
    tm_tensor *y = MADE(CALL(mul, {.tensor = f32}, {.tensor = number}));
    EXPECT(tm_vmap_out(v, y, 0), TM_FLOAT64, TM_INTS(2, 2), 0, 0, 1.5, 2.5);
    EXPECT_OK(tm_vmap_pop(v));
    tm_tensor *zero_d = MADE(tm_strided_view(f64, 0, NULL, NULL, 1));
    EXPECT(CALL(mul, {.tensor = f32}, {.tensor = zero_d}), TM_FLOAT64, TM_INTS(2), 1.5, 2.5);
}
END_TEST

START_TEST(scalars_are_weak)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_F32(tm_add_scalar(x, tm_scalar_int(3)), TM_INTS(2), 4, 5);
    EXPECT_F32(tm_add_scalar(x, tm_scalar_float(0.5)), TM_INTS(2), 1.5, 2.5);
    EXPECT_F32(tm_add_scalar(x, tm_scalar_bool(true)), TM_INTS(2), 2, 3);
    ck_assert_ptr_eq(tm_add__scalar(x, tm_scalar_float(1)), x);
    EXPECT_F32(x, TM_INTS(2), 2, 3);
    EXPECT(tm_add_scalar(x, tm_scalar_complex(1, 2)), TM_COMPLEX64, TM_INTS(2), 3, 4);
    tm_scalar none = {.kind = TM_KIND_NONE};
    ck_assert_ptr_null(tm_add_scalar(x, none)); /* a failed call's value: no number */
    ck_assert_int_ne(tm_error_code(), TM_OK);
    tm_error_clear();
}
END_TEST

/* -- Metas of one's own, optional operands, several outputs ------------------------------------ */

static tm_status choose_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        memcpy(ptr[3] + i * step[3],
               *(const uint8_t *)(ptr[0] + i * step[0]) ? ptr[1] + i * step[1]
                                                        : ptr[2] + i * step[2],
               sizeof(double));
    return TM_OK;
}

static tm_status choose_meta(tm_call *call, const tm_tensor *cond, const tm_tensor *a,
                             const tm_tensor *b)
{
    int ndim = 0;
    int64_t shape[TM_MAX_NDIM];
    const tm_tensor *all[] = {cond, a, b};
    static const char *const names[] = {"cond", "a", "b"};
    for (int i = 0; i < 3; i++)
        if (tm_check_broadcast(call, names[i], &ndim, shape, all[i]) != TM_OK)
            return TM_ERR_SHAPE;
    const tm_dtype compute[] = {TM_BOOL, TM_FLOAT64, TM_FLOAT64, TM_FLOAT64};
    tm_status status = tm_elementwise_loop(call, choose_loop, 4, compute);
    return status == TM_OK ? tm_output(call, 0, TM_FLOAT64, ndim, shape) : status;
}

START_TEST(operands_of_different_compute_dtypes)
{
    static const tm_loop loops[] = {{TM_FLOAT64, TM_FLOAT64, choose_loop}, {0}};
    const tm_op *op = OP(.schema = "test_choose(Tensor cond, Tensor a, Tensor b) -> Tensor",
                         .contract = TM_ELEMENTWISE, .meta = (tm_fn)choose_meta, .loops = loops);
    tm_tensor *cond = test_iota(TM_INT32, TM_INTS(2, 1)), *a = F32(TM_INTS(3), 1, 2, 3);
    tm_tensor *b = test_iota(TM_UINT8, tm_no_ints);
    EXPECT(CALL(op, {.tensor = cond}, {.tensor = a}, {.tensor = b}), TM_FLOAT64, TM_INTS(2, 3), 0,
           0, 0, 1, 2, 3);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *c = MADE(tm_vmap_in(v, cond, 0));
    EXPECT(tm_vmap_out(v, CALL(op, {.tensor = c}, {.tensor = a}, {.tensor = b}), 1), TM_FLOAT64,
           TM_INTS(3, 2), 0, 1, 0, 2, 0, 3);
    EXPECT_OK(tm_vmap_pop(v));
    ck_assert_ptr_null(tm_op_find("test_choose_", NULL)); /* its first parameter is a condition */
}
END_TEST

static tm_status sum3_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        *(float *)(void *)(ptr[3] + i * step[3]) = *(const float *)(void *)(ptr[0] + i * step[0]) +
                                                   *(const float *)(void *)(ptr[1] + i * step[1]) +
                                                   *(const float *)(void *)(ptr[2] + i * step[2]);
    return TM_OK;
}

static tm_status sum2_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        *(float *)(void *)(ptr[2] + i * step[2]) = *(const float *)(void *)(ptr[0] + i * step[0]) +
                                                   *(const float *)(void *)(ptr[1] + i * step[1]);
    return TM_OK;
}

static tm_status sum3_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y,
                           const tm_scalar *z)
{
    static const tm_loop two[] = {{TM_FLOAT32, TM_FLOAT32, sum2_loop}, {0}};
    static const tm_loop three[] = {{TM_FLOAT32, TM_FLOAT32, sum3_loop}, {0}};
    (void)x;
    if (y == TM_NONE && !z)
        return tm_fail(call, TM_ERR_VALUE, "y and z must not both be absent");
    return tm_elementwise_meta(call, y == TM_NONE || !z ? two : three);
}

START_TEST(absent_operands_are_left_out)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, sum3_loop}, {0}};
    const tm_op *op = OP(.schema = "test_sum3(Tensor x, Tensor? y=None, Scalar? z=None) -> Tensor",
                         .contract = TM_ELEMENTWISE, .meta = (tm_fn)sum3_meta, .loops = loops);
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *y = F32(TM_INTS(2), 10, 20);
    const tm_scalar z = tm_scalar_int(100);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}, {.opt = &z}), TM_INTS(2), 111, 122);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = TM_NONE}, {.opt = &z}), TM_INTS(2), 101, 102);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}, {.opt = NULL}), TM_INTS(2), 11, 22);
    EXPECT_NULL(CALL(op, {.tensor = x}, {.tensor = TM_NONE}, {.opt = NULL}), TM_ERR_VALUE,
                "absent");
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *number = MADE(tm_vmap_in(v, y, 0));
    EXPECT_F32(tm_vmap_out(v, CALL(op, {.tensor = x}, {.tensor = number}, {.opt = &z}), 0),
               TM_INTS(2, 2), 111, 112, 121, 122);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status split_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++) {
        float value = *(const float *)(void *)(ptr[0] + i * step[0]);
        float whole = (float)(int)value;
        memcpy(ptr[1] + i * step[1], &whole, sizeof whole);
        value -= whole;
        memcpy(ptr[2] + i * step[2], &value, sizeof value);
    }
    return TM_OK;
}

START_TEST(several_outputs)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, split_loop}, {0}};
    const tm_op *op = OP(.schema = "test_split(Tensor x) -> (Tensor whole, Tensor rest)",
                         .contract = TM_ELEMENTWISE, .loops = loops);
    tm_tensor *x = F32(TM_INTS(2, 2), 1.5, 2.25, 3, 4.75);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_value results[2];
    EXPECT_OK(
        tm_op_call(op, (const tm_value[]){{.tensor = MADE(tm_vmap_in(v, x, 1))}}, 1, results, 2));
    EXPECT_F32(tm_vmap_out(v, results[0].tensor, 1), TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_F32(tm_vmap_out(v, results[1].tensor, 1), TM_INTS(2, 2), 0.5, 0.25, 0, 0.75);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- Loops that fail --------------------------------------------------------------------------- */

static tm_status root_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float value = *(const float *)(void *)(ptr[0] + i * step[0]);
        if (value < 0)
            return tm_fail_at(call, i, TM_ERR_NUMERIC, "%g has no root", (double)value);
        *(float *)(void *)(ptr[1] + i * step[1]) = value;
    }
    return TM_OK;
}

static const tm_op *root_op(void)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, root_loop}, {0}};
    return OP(.schema = "test_root(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE, .loops = loops,
              .can_fail = true, .thread_safe = true);
}

START_TEST(the_first_failing_element_in_row_major_order_is_told)
{
    const tm_op *op = root_op();
    tm_tensor *x = F32(TM_INTS(2, 3), 1, 2, -3, -4, 5, 6);
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC, "test_root: -3 has no root");
    tm_tensor *transposed =
        MADE(tm_strided_view(x, 2, (const int64_t[]){3, 2}, (const int64_t[]){1, 3}, 0));
    EXPECT_NULL(CALL(op, {.tensor = transposed}), TM_ERR_NUMERIC, "test_root: -4 has no root");
    tm_tensor *reversed =
        MADE(tm_strided_view(x, 1, (const int64_t[]){6}, (const int64_t[]){-1}, 5));
    EXPECT_NULL(CALL(op, {.tensor = reversed}), TM_ERR_NUMERIC, "test_root: -4 has no root");
}
END_TEST

START_TEST(the_first_failing_example_is_told_wherever_the_batch_lies)
{
    const tm_op *op = root_op();
    tm_tensor *x = F32(TM_INTS(2, 3), 1, -2, 3, -4, 5, 6);
    for (int dim = 0; dim < 2; dim++) {
        tm_vmap_level *v = tm_vmap_push(NULL);
        ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, dim))}));
        /* rows: example 0 holds -2; columns: example 0 holds -4 */
        ck_assert_int_eq(tm_error_get()->levels[0].index, 0);
        EXPECT_ERROR(TM_ERR_NUMERIC,
                     dim == 0 ? "test_root: -2 has no root" : "test_root: -4 has no root");
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(the_message_is_the_same_alone_and_under_vmap)
{
    const tm_op *op = root_op();
    tm_tensor *x = F32(TM_INTS(2, 2, 2), 1, 2, 3, 4, 5, -6, -7, 8);
    char alone[128];
    tm_tensor *second = MADE(tm_strided_view(x, 2, tm_shape(x) + 1, tm_strides(x) + 1, 4));
    ck_assert_ptr_null(CALL(op, {.tensor = second}));
    snprintf(alone, sizeof alone, "%s", tm_error_message());
    tm_error_clear();
    tm_vmap_level *v = tm_vmap_push(NULL);
    ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
    ck_assert_str_eq(tm_error_message(), alone);
    ck_assert_int_eq(tm_error_get()->levels[0].index, 1);
    tm_error_clear();
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(which_element_fails_does_not_depend_on_threads)
{
    const tm_op *op = root_op();
    enum { N = 200000 };
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 1, (const int64_t[]){N}));
    float *data = tm_mutable_data(x);
    for (int i = 0; i < N; i++)
        data[i] = i > 70000 && i % 1000 == 7 ? -(float)i : 1;
    for (int threads = 1; threads <= 4; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC, "test_root: -70007 has no root");
        tm_vmap_level *v = tm_vmap_push(NULL);
        ck_assert_ptr_null(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
        ck_assert_int_eq(tm_error_get()->levels[0].index, 70007);
        EXPECT_ERROR(TM_ERR_NUMERIC, "test_root: -70007 has no root");
        EXPECT_OK(tm_vmap_pop(v));
    }
}
END_TEST

START_TEST(results_do_not_depend_on_threads)
{
    const int64_t n = 100003;
    tm_tensor *x = test_iota(TM_FLOAT32, (tm_int_list){&n, 1});
    tm_tensor *y = MADE(tm_strided_view(x, 1, &n, (const int64_t[]){-1}, n - 1));
    tm_tensor *first = MADE(tm_add(x, y));
    for (int threads = 2; threads <= 5; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        tm_tensor *sum = MADE(tm_add(x, y));
        ck_assert_int_eq(memcmp(tm_data(sum), tm_data(first), (size_t)n * sizeof(float)), 0);
    }
}
END_TEST

Suite *elementwise_suite(void)
{
    const TTest *tests[] = {shapes_that_do_not_broadcast_name_both,
                            inputs_are_promoted_and_converted,
                            a_mapped_0d_tensor_promotes_like_any_tensor,
                            scalars_are_weak,
                            operands_of_different_compute_dtypes,
                            absent_operands_are_left_out,
                            several_outputs,
                            the_first_failing_element_in_row_major_order_is_told,
                            the_first_failing_example_is_told_wherever_the_batch_lies,
                            the_message_is_the_same_alone_and_under_vmap,
                            which_element_fails_does_not_depend_on_threads,
                            results_do_not_depend_on_threads};
    const TTest *each[] = {shapes_broadcast_in_every_layout,
                           shapes_broadcast_in_every_layout_under_vmap};
    Suite *suite = test_suite("elementwise", tests, COUNT(tests));
    test_suite_loop(suite, each, COUNT(each), COUNT(shapes));
    return suite;
}
