/* test_overlap.c: the rules about written memory, the same for every op: an output's elements lie
 * apart, an input under an output is read as it stood at entry, a written argument has the result's
 * shape and a dtype at least as wide.
 */
#include "support.h"

static uint64_t copies(void)
{
    return tm_dispatch_get_stats().overlap_copies;
}

static tm_tensor *view(const tm_tensor *x, tm_int_list shape, const int64_t *strides,
                       int64_t offset)
{
    return MADE(tm_strided_view(x, (int)shape.count, shape.data, strides, offset));
}

#define VIEW(x, shape, offset, ...) view(x, shape, (const int64_t[]){__VA_ARGS__}, offset)

/* -- Outputs that overlap themselves or each other --------------------------------------------- */

START_TEST(an_output_whose_elements_share_memory_is_refused)
{
    tm_tensor *x = F32(TM_INTS(4), 1, 2, 3, 4), *y = F32(TM_INTS(2, 2), 1, 1, 1, 1);
    EXPECT_NULL(tm_add_(VIEW(x, TM_INTS(2, 2), 0, 0, 1), y), TM_ERR_ALIASING, "add_: x1");
    EXPECT_NULL(tm_add_(VIEW(x, TM_INTS(2, 2), 0, 1, 1), y), TM_ERR_ALIASING, "add_: x1");
    EXPECT_NULL(tm_add_out(y, y, VIEW(x, TM_INTS(2, 2), 1, -1, 1)), TM_ERR_ALIASING,
                "add_out: out");
    EXPECT_NULL(tm_triu_out(y, 0, VIEW(x, TM_INTS(2, 2), 0, 1, 1)), TM_ERR_ALIASING,
                "triu_out: out");
    EXPECT_F32(x, TM_INTS(4), 1, 2, 3, 4);
}
END_TEST

START_TEST(dimensions_of_size_one_and_empty_outputs_share_nothing)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *y = F32(TM_INTS(1, 2), 10, 20);
    MADE(tm_add_(VIEW(x, TM_INTS(1, 2), 0, 0, 1), y));
    EXPECT_F32(x, TM_INTS(2), 11, 22);
    tm_tensor *empty = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 3}));
    MADE(tm_add_(VIEW(x, TM_INTS(0, 3), 0, 0, 0), empty));
}
END_TEST

START_TEST(reversed_and_interleaved_outputs_are_fine)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(6)), *y = F32(TM_INTS(2, 3), 1, 2, 3, 4, 5, 6);
    MADE(tm_add_out(y, y, VIEW(x, TM_INTS(2, 3), 5, -1, -2)));
    EXPECT_F32(x, TM_INTS(6), 12, 6, 10, 4, 8, 2);
}
END_TEST

/* Disjoint in each example, but not across examples: the whole batch's memory is judged. */
START_TEST(examples_that_share_memory_are_refused)
{
    tm_tensor *x = F32(TM_INTS(4), 1, 2, 3, 4);
    tm_tensor *windows = VIEW(x, TM_INTS(3, 2), 0, 1, 1), *same = VIEW(x, TM_INTS(3, 2), 0, 0, 1);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *one = F32(TM_INTS(2), 1, 1);
    EXPECT_NULL(tm_add_(MADE(tm_vmap_in(v, windows, 0)), one), TM_ERR_ALIASING, "add_: x1");
    EXPECT_NULL(tm_add_(MADE(tm_vmap_in(v, same, 0)), one), TM_ERR_ALIASING, "add_: x1");
    tm_tensor *apart = MADE(tm_vmap_in(v, VIEW(x, TM_INTS(3, 1), 0, 1, 1), 0));
    MADE(tm_add_(apart, F32(TM_INTS(1), 1)));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(x, TM_INTS(4), 2, 3, 4, 4);
}
END_TEST

static tm_status pair_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? tm_output_like(call, 1, x) : status;
}

static tm_status pair_impl(tm_call *call, const tm_tensor *x, tm_tensor *a, tm_tensor *b)
{
    (void)call;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++) {
        float value = ((const float *)tm_data(x))[i * tm_strides(x)[0]];
        ((float *)tm_mutable_data(a))[i * tm_strides(a)[0]] = value;
        ((float *)tm_mutable_data(b))[i * tm_strides(b)[0]] = -value;
    }
    return TM_OK;
}

START_TEST(two_outputs_that_overlap_are_refused)
{
    const tm_op *op =
        OP(.schema = "test_pair(Tensor x) -> (Tensor a, Tensor b)", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)pair_meta, .impl = (tm_fn)pair_impl);
    const tm_op *out = tm_op_find("test_pair_out", NULL);
    ck_assert_ptr_eq(tm_op_base(out), op);
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *room = F32(TM_INTS(4), 9, 9, 9, 9);
    EXPECT_NULL(CALL(out, {.tensor = x}, {.tensor = room}, {.tensor = room}), TM_ERR_SHAPE,
                "out_a");
    tm_tensor *low = VIEW(room, TM_INTS(2), 0, 1), *middle = VIEW(room, TM_INTS(2), 1, 1);
    tm_tensor *high = VIEW(room, TM_INTS(2), 2, 1);
    EXPECT_NULL(CALL(out, {.tensor = x}, {.tensor = low}, {.tensor = low}), TM_ERR_ALIASING,
                "out_b|out_a");
    EXPECT_NULL(CALL(out, {.tensor = x}, {.tensor = low}, {.tensor = middle}), TM_ERR_ALIASING,
                "out_b|out_a");
    EXPECT_F32(room, TM_INTS(4), 9, 9, 9, 9);
    MADE(CALL(out, {.tensor = x}, {.tensor = low}, {.tensor = high}));
    EXPECT_F32(room, TM_INTS(4), 1, 2, -1, -2);
}
END_TEST

/* -- Inputs under outputs ---------------------------------------------------------------------- */

START_TEST(a_shifted_input_is_read_as_it_stood)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4)), *one = F32(TM_INTS(3), 1, 1, 1);
    tm_dispatch_reset_stats();
    MADE(tm_add_out(VIEW(x, TM_INTS(3), 0, 1), one, VIEW(x, TM_INTS(3), 1, 1)));
    EXPECT_F32(x, TM_INTS(4), 0, 1, 2, 3);
    ck_assert_uint_eq(copies(), 1);
    MADE(tm_add_out(VIEW(x, TM_INTS(3), 1, 1), one, VIEW(x, TM_INTS(3), 0, 1)));
    EXPECT_F32(x, TM_INTS(4), 2, 3, 4, 3);
    ck_assert_uint_eq(copies(), 2);
}
END_TEST

START_TEST(a_reversed_input_is_read_as_it_stood)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(5));
    tm_tensor *zero = F32(TM_INTS(5), 0, 0, 0, 0, 0);
    MADE(tm_add_out(VIEW(x, TM_INTS(5), 4, -1), zero, x));
    EXPECT_F32(x, TM_INTS(5), 4, 3, 2, 1, 0);
}
END_TEST

START_TEST(a_transposed_input_is_read_as_it_stood)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 3));
    MADE(tm_add_out(VIEW(x, TM_INTS(3, 3), 0, 1, 3), x, x));
    EXPECT_F32(x, TM_INTS(3, 3), 0, 4, 8, 4, 8, 12, 8, 12, 16);
}
END_TEST

START_TEST(a_broadcast_input_is_read_as_it_stood)
{
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    MADE(tm_add_(x, VIEW(x, TM_INTS(2), 0, 1))); /* the first row, to both */
    EXPECT_F32(x, TM_INTS(2, 2), 2, 4, 4, 6);
    MADE(tm_add_(x, VIEW(x, tm_no_ints, 3, 0)));
    EXPECT_F32(x, TM_INTS(2, 2), 8, 10, 10, 12);
}
END_TEST

START_TEST(element_for_element_needs_no_copy)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    tm_dispatch_reset_stats();
    MADE(tm_add_(x, x));
    MADE(tm_add_out(x, MADE(tm_alias(x)), x));
    EXPECT_F32(x, TM_INTS(2), 4, 8);
    ck_assert_uint_eq(copies(), 0);
}
END_TEST

START_TEST(other_contracts_copy_even_the_same_elements)
{
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    tm_dispatch_reset_stats();
    MADE(tm_triu_out(x, 0, x));
    EXPECT_F32(x, TM_INTS(2, 2), 1, 2, 0, 4);
    MADE(tm_triu_out(VIEW(x, TM_INTS(2, 2), 0, 1, 2), 0, x));
    EXPECT_F32(x, TM_INTS(2, 2), 1, 0, 0, 4);
}
END_TEST

/* Call by call: every example reads the memory as it stood at the call's entry. */
START_TEST(an_input_under_another_examples_output_is_read_as_it_stood)
{
    tm_tensor *x = F32(TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
    tm_tensor *last = VIEW(x, TM_INTS(2), 4, 1), *first = VIEW(x, TM_INTS(2), 0, 1);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    MADE(tm_add_(row, first));
    EXPECT_F32(x, TM_INTS(3, 2), 2, 4, 4, 6, 6, 8);
    MADE(tm_add_(row, last));
    EXPECT_F32(x, TM_INTS(3, 2), 8, 12, 10, 14, 12, 16);
    tm_tensor *reversed = MADE(tm_vmap_in(v, VIEW(x, TM_INTS(3, 2), 4, -2, 1), 0));
    MADE(tm_add_out(row, reversed, row));
    EXPECT_F32(x, TM_INTS(3, 2), 20, 28, 20, 28, 20, 28);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(memory_wrapped_twice_is_one_memory)
{
    float memory[4] = {0, 1, 2, 3};
    const int64_t three = 3;
    tm_tensor *low = MADE(tm_wrap(TM_FLOAT32, 1, &three, NULL, memory, NULL));
    tm_tensor *high = MADE(tm_wrap(TM_FLOAT32, 1, &three, NULL, memory + 1, NULL));
    MADE(tm_add_out(low, F32(TM_INTS(3), 10, 10, 10), high));
    EXPECT_F32(high, TM_INTS(3), 10, 11, 12);
    ck_assert_float_eq(memory[0], 0);
}
END_TEST

/* -- What a written argument must be ----------------------------------------------------------- */

START_TEST(outputs_are_neither_resized_nor_broadcast)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *m = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_NULL(tm_add_(x, m), TM_ERR_SHAPE, "add_: x1|(2, 2)|(2,)");
    EXPECT_NULL(tm_add_(F32(TM_INTS(1, 2), 1, 2), m), TM_ERR_SHAPE, "add_: x1|(2, 2)|(1, 2)");
    EXPECT_NULL(tm_add_out(x, x, m), TM_ERR_SHAPE, "add_out: out|(2,)|(2, 2)");
    EXPECT_NULL(tm_add_out(x, x, F32(TM_INTS(1, 2), 1, 2)), TM_ERR_SHAPE, "out|(2,)|(1, 2)");
    EXPECT_NULL(tm_triu_out(m, 0, F32(TM_INTS(4), 1, 2, 3, 4)), TM_ERR_SHAPE, "triu_out: out");
    EXPECT_F32(tm_add_(m, x), TM_INTS(2, 2), 2, 4, 4, 6);
}
END_TEST

START_TEST(the_shape_check_speaks_of_one_example)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2)),
              *m = test_iota(TM_FLOAT32, TM_INTS(3, 2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_NULL(tm_add_(MADE(tm_vmap_in(v, x, 0)), MADE(tm_vmap_in(v, m, 0))), TM_ERR_SHAPE,
                "add_: x1|(2, 2)|got shape (2,)");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(an_output_of_a_wider_dtype_is_converted_to)
{
    const tm_op *sum = test_op_row_sum();
    const tm_op *sum_out = tm_op_find("test_row_sum_out", NULL);
    ck_assert_ptr_eq(tm_op_base(sum_out), sum);
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *wide = test_iota(TM_FLOAT64, TM_INTS(2));
    ck_assert_ptr_eq(tm_add_out(x, x, wide), wide);
    EXPECT(wide, TM_FLOAT64, TM_INTS(2), 2, 4);
    tm_tensor *rows = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    ck_assert_ptr_eq(CALL(sum_out, {.tensor = rows}, {.tensor = wide}), wide);
    EXPECT(wide, TM_FLOAT64, TM_INTS(2), 3, 7);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *column = MADE(tm_vmap_in(v, rows, 1)), *to = MADE(tm_vmap_in(v, wide, 0));
    MADE(CALL(sum_out, {.tensor = column}, {.tensor = to}));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT(wide, TM_FLOAT64, TM_INTS(2), 4, 6);
}
END_TEST

START_TEST(an_output_of_the_same_kind_is_converted_to)
{
    const tm_op *mul = test_op_mul();
    const tm_op *mul_in_place = tm_op_find("test_mul_", NULL);
    ck_assert_ptr_eq(tm_op_base(mul_in_place), mul);
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *wide = test_iota(TM_FLOAT64, TM_INTS(2));
    MADE(CALL(mul_in_place, {.tensor = x}, {.tensor = wide}));
    EXPECT_F32(x, TM_INTS(2), 0, 2);
    tm_tensor *n = test_iota(TM_UINT8, TM_INTS(2)),
              *more = MADE(tm_full(TM_INTS(2), tm_scalar_int(300), TM_INT64));
    MADE(tm_add_(n, more)); /* 300 and 301 cut to eight bits */
    EXPECT(n, TM_UINT8, TM_INTS(2), 44, 45);
}
END_TEST

START_TEST(an_output_of_a_narrower_kind_is_refused)
{
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(tm_add_out(x, x, test_iota(TM_INT64, TM_INTS(2))), TM_ERR_DTYPE,
                "add_out: out|float32|int64");
    EXPECT_NULL(tm_add_out(MADE(tm_astype(x, TM_COMPLEX64)), x, x), TM_ERR_DTYPE,
                "out|complex64|float32");
    EXPECT_NULL(tm_add_out(x, x, test_iota(TM_BOOL, TM_INTS(2))), TM_ERR_DTYPE, "out|bool");
    EXPECT_F32(x, TM_INTS(2), 1, 2);
}
END_TEST

/* -- No half-written results ------------------------------------------------------------------- */

START_TEST(a_failing_op_leaves_its_output_as_it_was)
{
    test_op_row_sum();
    const tm_op *sum_out = tm_op_find("test_row_sum_out", NULL);
    tm_tensor *x = F32(TM_INTS(3, 1), 1, 2, -3), *out = F32(TM_INTS(3), 7, 8, 9);
    EXPECT_NULL(CALL(sum_out, {.tensor = x}, {.tensor = out}), TM_ERR_NUMERIC,
                "test_row_sum_out: row starts with a negative number, got -3");
    EXPECT_F32(out, TM_INTS(3), 7, 8, 9);
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_NULL(CALL(sum_out, {.tensor = MADE(tm_vmap_in(v, x, 0))},
                     {.tensor = MADE(tm_vmap_in(v, out, 0))}),
                TM_ERR_NUMERIC, "got -3");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(out, TM_INTS(3), 7, 8, 9);
}
END_TEST

static tm_status half_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float value = *(const float *)(void *)(ptr[0] + i * step[0]);
        if (value < 0)
            return tm_fail_at(call, i, TM_ERR_NUMERIC, "x must not be negative, got %g",
                              (double)value);
        *(float *)(void *)(ptr[1] + i * step[1]) = value / 2;
    }
    return TM_OK;
}

START_TEST(a_failing_in_place_op_leaves_its_argument_as_it_was)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, half_loop}, {0}};
    const tm_op *op = OP(.schema = "test_half(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE,
                         .loops = loops, .can_fail = true);
    tm_tensor *x = F32(TM_INTS(4), 2, 4, -6, 8);
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_NUMERIC,
                "test_half: x must not be negative, got -6");
    EXPECT_NULL(CALL(tm_op_find("test_half_", NULL), {.tensor = x}), TM_ERR_NUMERIC, "got -6");
    EXPECT_F32(x, TM_INTS(4), 2, 4, -6, 8);
    tm_tensor *positive = VIEW(x, TM_INTS(2), 0, 1);
    MADE(CALL(tm_op_find("test_half_", NULL), {.tensor = positive}));
    EXPECT_F32(x, TM_INTS(4), 1, 2, -6, 8);
}
END_TEST

Suite *overlap_suite(void)
{
    const TTest *tests[] = {an_output_whose_elements_share_memory_is_refused,
                            dimensions_of_size_one_and_empty_outputs_share_nothing,
                            reversed_and_interleaved_outputs_are_fine,
                            examples_that_share_memory_are_refused,
                            two_outputs_that_overlap_are_refused,
                            a_shifted_input_is_read_as_it_stood,
                            a_reversed_input_is_read_as_it_stood,
                            a_transposed_input_is_read_as_it_stood,
                            a_broadcast_input_is_read_as_it_stood,
                            element_for_element_needs_no_copy,
                            other_contracts_copy_even_the_same_elements,
                            an_input_under_another_examples_output_is_read_as_it_stood,
                            memory_wrapped_twice_is_one_memory,
                            outputs_are_neither_resized_nor_broadcast,
                            the_shape_check_speaks_of_one_example,
                            an_output_of_a_wider_dtype_is_converted_to,
                            an_output_of_the_same_kind_is_converted_to,
                            an_output_of_a_narrower_kind_is_refused,
                            a_failing_op_leaves_its_output_as_it_was,
                            a_failing_in_place_op_leaves_its_argument_as_it_was};
    return test_suite("overlap", tests, COUNT(tests));
}
