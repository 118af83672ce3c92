/* test_tensor.c: handles and storage: what can be read, making tensors, wrapping the caller's
 * memory, views by strides.
 */
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* -- Reading ----------------------------------------------------------------------------------- */

START_TEST(a_new_tensor_is_row_major_and_aligned)
{
    tm_tensor *x = MADE(tm_new(TM_FLOAT64, 3, (const int64_t[]){2, 3, 4}));
    ck_assert_int_eq(tm_ndim(x), 3);
    ck_assert_int_eq(tm_shape(x)[2], 4);
    ck_assert_int_eq(tm_strides(x)[0], 12);
    ck_assert_int_eq(tm_strides(x)[1], 4);
    ck_assert_int_eq(tm_strides(x)[2], 1);
    ck_assert_int_eq(tm_numel(x), 24);
    ck_assert_int_eq(tm_dtype_of(x), TM_FLOAT64);
    ck_assert(tm_is_contiguous(x));
    ck_assert_int_eq(tm_num_levels(x), 0);
    ck_assert_int_eq((intptr_t)tm_data(x) % 64, 0);
    ck_assert_ptr_eq(tm_data(x), tm_mutable_data(x));
}
END_TEST

START_TEST(size_of_an_axis_counts_from_the_end_too)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    ck_assert_int_eq(tm_size(x, 0), 2);
    ck_assert_int_eq(tm_size(x, 1), 3);
    ck_assert_int_eq(tm_size(x, -1), 3);
    ck_assert_int_eq(tm_size(x, -2), 2);
    static const int64_t wrong[] = {2, -3, INT64_MAX, INT64_MIN, TM_NOT_MAPPED};
    for (int i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_eq(tm_size(x, wrong[i]), -1);
        EXPECT_ERROR(TM_ERR_DIM, "out of range");
    }
    ck_assert_int_eq(tm_size(test_f32_scalar(1), 0), -1);
    EXPECT_ERROR(TM_ERR_DIM, "out of range");
}
END_TEST

START_TEST(a_scalar_tensor_has_one_element_and_no_axes)
{
    tm_tensor *x = test_f32_scalar(5);
    ck_assert_int_eq(tm_ndim(x), 0);
    ck_assert_int_eq(tm_numel(x), 1);
    ck_assert(tm_is_contiguous(x));
    ck_assert_double_eq(test_value(x, 0), 5);
}
END_TEST

START_TEST(every_dtype_can_be_held)
{
    static const size_t sizes[TM_NUM_DTYPES] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    for (int d = 1; d < TM_NUM_DTYPES; d++) {
        ck_assert_uint_eq(tm_dtype_size((tm_dtype)d), sizes[d]);
        unsigned char bytes[48];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)i;
        tm_tensor *x = MADE(tm_from_data((tm_dtype)d, 1, (const int64_t[]){3}, bytes));
        ck_assert_int_eq(tm_dtype_of(x), d);
        ck_assert_mem_eq(tm_data(x), bytes, 3 * sizes[d]);
        ck_assert_int_eq(tm_dtype_from_name(tm_dtype_name((tm_dtype)d)), d);
    }
}
END_TEST

START_TEST(values_that_are_no_dtype)
{
    ck_assert_uint_eq(tm_dtype_size(TM_DTYPE_NONE), 0);
    ck_assert_uint_eq(tm_dtype_size((tm_dtype)99), 0);
    ck_assert_uint_eq(tm_dtype_size((tm_dtype)-1), 0);
    ck_assert_str_eq(tm_dtype_name(TM_DTYPE_NONE), "none");
    ck_assert_ptr_nonnull(tm_dtype_name((tm_dtype)99));
    ck_assert_int_eq(tm_dtype_kind((tm_dtype)99), TM_KIND_NONE);
    ck_assert_int_eq(tm_dtype_from_name("float31"), TM_DTYPE_NONE);
    ck_assert_int_eq(tm_dtype_from_name("none"), TM_DTYPE_NONE);
    ck_assert_int_eq(tm_dtype_from_name(""), TM_DTYPE_NONE);
    ck_assert_int_eq(tm_dtype_from_name(NULL), TM_DTYPE_NONE);
    ck_assert_int_eq(tm_promote(TM_FLOAT32, TM_DTYPE_NONE), TM_DTYPE_NONE);
    ck_assert_int_eq(tm_promote((tm_dtype)99, TM_FLOAT32), TM_DTYPE_NONE);
    ck_assert_int_eq(tm_error_code(), TM_OK);
}
END_TEST

START_TEST(promotion_is_commutative_and_never_narrows_the_kind)
{
    for (int a = 1; a < TM_NUM_DTYPES; a++) {
        ck_assert_int_eq(tm_promote((tm_dtype)a, (tm_dtype)a), a);
        for (int b = 1; b < TM_NUM_DTYPES; b++) {
            tm_dtype c = tm_promote((tm_dtype)a, (tm_dtype)b);
            ck_assert_int_eq(c, tm_promote((tm_dtype)b, (tm_dtype)a));
            ck_assert_int_ge(tm_dtype_kind(c), tm_dtype_kind((tm_dtype)a));
            ck_assert_int_ge(tm_dtype_kind(c), tm_dtype_kind((tm_dtype)b));
        }
    }
    ck_assert_int_eq(tm_promote(TM_INT32, TM_FLOAT32), TM_FLOAT32);
    ck_assert_int_eq(tm_promote(TM_INT8, TM_UINT8), TM_INT16);
    ck_assert_int_eq(tm_promote(TM_FLOAT16, TM_BFLOAT16), TM_FLOAT32);
    ck_assert_int_eq(tm_promote(TM_BOOL, TM_UINT8), TM_UINT8);
    ck_assert_int_eq(tm_promote(TM_FLOAT64, TM_COMPLEX64), TM_COMPLEX128);
}
END_TEST

START_TEST(scalars_hold_their_kind_and_value)
{
    ck_assert_int_eq(tm_scalar_bool(true).kind, TM_KIND_BOOL);
    ck_assert_int_eq(tm_scalar_int(-3).value.i, -3);
    ck_assert_double_eq(tm_scalar_as_float(tm_scalar_bool(true)), 1);
    ck_assert_double_eq(tm_scalar_as_float(tm_scalar_int(-3)), -3);
    ck_assert_double_eq(tm_scalar_as_float(tm_scalar_float(0.5)), 0.5);
    ck_assert_double_eq(tm_scalar_as_float(tm_scalar_complex(2, 3)), 2);
    ck_assert_double_nan(tm_scalar_as_float((tm_scalar){.kind = TM_KIND_NONE}));
}
END_TEST

/* -- Making ------------------------------------------------------------------------------------ */

START_TEST(as_many_dimensions_as_the_header_says)
{
    int64_t shape[TM_MAX_NDIM + 1];
    for (int d = 0; d <= TM_MAX_NDIM; d++)
        shape[d] = 1;
    shape[5] = 3;
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, TM_MAX_NDIM, shape));
    ck_assert_int_eq(tm_ndim(x), TM_MAX_NDIM);
    ck_assert_int_eq(tm_size(x, 5), 3);
    EXPECT_NULL(tm_new(TM_FLOAT32, TM_MAX_NDIM + 1, shape), TM_ERR_RANK, "ndim|33");
}
END_TEST

START_TEST(arguments_of_new_are_checked)
{
    EXPECT_NULL(tm_new(TM_DTYPE_NONE, 1, (const int64_t[]){1}), TM_ERR_DTYPE, "new");
    EXPECT_NULL(tm_new((tm_dtype)16, 1, (const int64_t[]){1}), TM_ERR_DTYPE, "16");
    EXPECT_NULL(tm_new(TM_FLOAT32, -1, (const int64_t[]){1}), TM_ERR_RANK, "ndim|-1");
    EXPECT_NULL(tm_new(TM_FLOAT32, 2, (const int64_t[]){2, -1}), TM_ERR_SHAPE, "-1");
    EXPECT_NULL(tm_new(TM_FLOAT32, 1, (const int64_t[]){TM_DYNAMIC}), TM_ERR_SHAPE, "negative");
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
    EXPECT_NULL(tm_new(TM_FLOAT64, 1, (const int64_t[]){INT64_MAX}), TM_ERR_SHAPE, "");
    EXPECT_NULL(tm_new(TM_BOOL, 2, (const int64_t[]){INT64_C(1) << 40, INT64_C(1) << 40}),
                TM_ERR_SHAPE, "");
    /* A size of 0 does not hide it: a view could bring the others back. */
    EXPECT_NULL(tm_new(TM_BOOL, 3, (const int64_t[]){INT64_C(1) << 40, 0, INT64_C(1) << 40}),
                TM_ERR_SHAPE, "");
}
END_TEST

START_TEST(memory_that_the_machine_lacks_is_an_error)
{
    EXPECT_NULL(tm_new(TM_BOOL, 1, (const int64_t[]){INT64_C(1) << 60}), TM_ERR_MEMORY, "memory");
}
END_TEST

START_TEST(empty_tensors)
{
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 3, (const int64_t[]){2, 0, 3}));
    ck_assert_int_eq(tm_numel(x), 0);
    ck_assert(tm_is_contiguous(x));
    tm_tensor *y = MADE(tm_from_data(TM_FLOAT32, 1, (const int64_t[]){0}, NULL));
    ck_assert_int_eq(tm_numel(y), 0);
    EXPECT_SHAPE(tm_wrap(TM_FLOAT32, 2, (const int64_t[]){0, 4}, NULL, NULL, NULL), TM_FLOAT32,
                 TM_INTS(0, 4));
}
END_TEST

START_TEST(from_data_copies)
{
    float values[] = {1, 2, 3, 4};
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 2, (const int64_t[]){2, 2}, values));
    values[0] = 9;
    EXPECT_F32(x, TM_INTS(2, 2), 1, 2, 3, 4);
}
END_TEST

/* -- Wrapping ---------------------------------------------------------------------------------- */

static int deleted;
static void *deleted_user;

static void count_deletion(void *user)
{
    deleted++;
    deleted_user = user;
}

static tm_wrap_options deleting(void *user)
{
    return (tm_wrap_options){
        .struct_size = sizeof(tm_wrap_options), .deleter = count_deletion, .user = user};
}

START_TEST(the_deleter_is_called_once_when_the_last_view_goes)
{
    float memory[4] = {1, 2, 3, 4};
    tm_wrap_options options = deleting(memory);
    deleted = 0;
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = MADE(tm_wrap(TM_FLOAT32, 1, (const int64_t[]){4}, NULL, memory, &options));
    ck_assert_ptr_eq(tm_data(x), memory);
    tm_tensor *view = MADE(tm_strided_view(x, 1, (const int64_t[]){2}, (const int64_t[]){2}, 1));
    tm_tensor *other = tm_retain(tm_alias(view));
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(deleted, 0);
    EXPECT_F32(other, TM_INTS(2), 2, 4);
    tm_release(other);
    ck_assert_int_eq(deleted, 1);
    ck_assert_ptr_eq(deleted_user, memory);
}
END_TEST

START_TEST(a_failing_wrap_does_not_call_the_deleter)
{
    float memory[4];
    tm_wrap_options options = deleting(memory);
    deleted = 0;
    EXPECT_NULL(tm_wrap(TM_FLOAT32, 1, (const int64_t[]){-4}, NULL, memory, &options), TM_ERR_SHAPE,
                "");
    EXPECT_NULL(tm_wrap(TM_DTYPE_NONE, 1, (const int64_t[]){4}, NULL, memory, &options),
                TM_ERR_DTYPE, "");
    EXPECT_NULL(tm_wrap(TM_FLOAT32, 2, (const int64_t[]){2, 2},
                        (const int64_t[]){INT64_MAX, INT64_MAX}, memory, &options),
                TM_ERR_VALUE, "");
    /* Strides that would step below address 0, and above the last one. */
    EXPECT_NULL(tm_wrap(TM_INT8, 1, (const int64_t[]){2}, (const int64_t[]){-(INT64_C(1) << 58)},
                        memory, &options),
                TM_ERR_VALUE, "reach beyond memory");
    EXPECT_NULL(tm_wrap(TM_FLOAT64, 1, (const int64_t[]){16},
                        (const int64_t[]){(INT64_C(1) << 56) - 1}, (void *)(UINTPTR_MAX - 63),
                        &options),
                TM_ERR_VALUE, "reach beyond memory");
    ck_assert_int_eq(deleted, 0);
}
END_TEST

START_TEST(wrapped_memory_is_the_callers)
{
    float memory[4] = {1, 2, 3, 4};
    tm_tensor *x = MADE(tm_wrap(TM_FLOAT32, 2, (const int64_t[]){2, 2}, NULL, memory, NULL));
    memory[3] = 8;
    EXPECT_F32(x, TM_INTS(2, 2), 1, 2, 3, 8);
    *(float *)tm_mutable_data(x) = 7;
    ck_assert_float_eq(memory[0], 7);
}
END_TEST

START_TEST(wrapping_with_negative_strides)
{
    float memory[6] = {0, 1, 2, 3, 4, 5};
    tm_tensor *x = MADE(tm_wrap(TM_FLOAT32, 2, (const int64_t[]){2, 3}, (const int64_t[]){-3, -1},
                                memory + 5, NULL));
    EXPECT_F32(x, TM_INTS(2, 3), 5, 4, 3, 2, 1, 0);
    ck_assert_ptr_eq(tm_data(x), memory + 5);
    ck_assert(!tm_is_contiguous(x));
    EXPECT_F32(tm_add(x, x), TM_INTS(2, 3), 10, 8, 6, 4, 2, 0);
    tm_tensor *row = MADE(tm_strided_view(x, 1, (const int64_t[]){3}, (const int64_t[]){1}, -5));
    EXPECT_F32(row, TM_INTS(3), 0, 1, 2);
}
END_TEST

START_TEST(wrapping_with_zero_strides)
{
    float value = 3;
    tm_tensor *x = MADE(
        tm_wrap(TM_FLOAT32, 2, (const int64_t[]){2, 2}, (const int64_t[]){0, 0}, &value, NULL));
    EXPECT_F32(tm_add(x, x), TM_INTS(2, 2), 6, 6, 6, 6);
    ck_assert(!tm_is_contiguous(x));
}
END_TEST

START_TEST(read_only_memory_is_not_written)
{
    static const float memory[2] = {1, 2};
    tm_wrap_options options = {.struct_size = sizeof options, .read_only = true};
    tm_tensor *x = MADE(
        tm_wrap(TM_FLOAT32, 1, (const int64_t[]){2}, NULL, (void *)(uintptr_t)memory, &options));
    ck_assert_ptr_eq(tm_data(x), memory);
    EXPECT_NULL(tm_mutable_data(x), TM_ERR_ALIASING, "read-only");
    EXPECT_NULL(tm_mutable_data(MADE(tm_alias(x))), TM_ERR_ALIASING, "read-only");
    tm_tensor *view = MADE(tm_strided_view(x, 1, (const int64_t[]){1}, (const int64_t[]){1}, 1));
    EXPECT_NULL(tm_mutable_data(view), TM_ERR_ALIASING, "read-only");
    EXPECT_NULL(tm_add_(x, x), TM_ERR_ALIASING, "add_: x1|read-only");
    EXPECT_NULL(tm_add_out(view, view, view), TM_ERR_ALIASING, "add_out: out|read-only");
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    EXPECT_NULL(tm_add_(row, row), TM_ERR_ALIASING, "read-only");
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(tm_add(x, x), TM_INTS(2), 2, 4);
}
END_TEST

/* -- Views ------------------------------------------------------------------------------------- */

START_TEST(an_alias_shares_the_memory)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2)), *y = MADE(tm_alias(x));
    ck_assert_ptr_ne(x, y);
    ck_assert_ptr_eq(tm_data(x), tm_data(y));
    *(float *)tm_mutable_data(y) = 9;
    EXPECT_F32(x, TM_INTS(2, 2), 9, 1, 2, 3);
}
END_TEST

START_TEST(views_of_views_count_from_the_views_first_element)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(10));
    tm_tensor *y = MADE(tm_strided_view(x, 1, (const int64_t[]){3}, (const int64_t[]){-2}, 8));
    EXPECT_F32(y, TM_INTS(3), 8, 6, 4);
    tm_tensor *z =
        MADE(tm_strided_view(y, 2, (const int64_t[]){2, 2}, (const int64_t[]){1, -8}, 0));
    EXPECT_F32(z, TM_INTS(2, 2), 8, 0, 9, 1);
    tm_tensor *one = MADE(tm_strided_view(y, 0, NULL, NULL, -8));
    EXPECT_F32(one, tm_no_ints, 0);
}
END_TEST

START_TEST(views_outside_the_storage_are_refused)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(10));
    static const struct {
        int64_t size, stride, offset;
    } wrong[] = {{11, 1, 0},        {1, 1, 10},           {1, 1, -1},
                 {2, 10, 0},        {2, -1, 0},           {4, 3, 1},
                 {2, INT64_MAX, 0}, {2, INT64_MIN, 9},    {3, 5, 0},
                 {1, 1, INT64_MAX}, {1, 1, INT64_MIN},    {INT64_C(1) << 58, 1, 0},
                 {2, -10, 9},       {2, INT64_MAX / 4, 0}};
    for (int i = 0; i < COUNT(wrong); i++) {
        tm_tensor *y = tm_strided_view(x, 1, &wrong[i].size, &wrong[i].stride, wrong[i].offset);
        ck_assert_msg(y == NULL, "case %d was accepted", i);
        EXPECT_ERROR(TM_ERR_VALUE, "strided_view");
    }
    EXPECT_SHAPE(tm_strided_view(x, 1, (const int64_t[]){1}, (const int64_t[]){INT64_MAX}, 9),
                 TM_FLOAT32, TM_INTS(1));
    EXPECT_SHAPE(tm_strided_view(x, 1, (const int64_t[]){0}, (const int64_t[]){1}, 10), TM_FLOAT32,
                 TM_INTS(0));
    /* Strides that count for nothing, and would not fit in bytes. */
    const int64_t empty[] = {2, 3, 0}, wild[] = {INT64_MIN, INT64_MAX, -5};
    tm_tensor *view = MADE(tm_strided_view(x, 3, empty, wild, 0));
    EXPECT_SHAPE(tm_add_out(view, view, MADE(tm_wrap(TM_FLOAT32, 3, empty, wild, NULL, NULL))),
                 TM_FLOAT32, ((tm_int_list){empty, 3}));
    EXPECT_SHAPE(tm_sum(view, &TM_INTS(2), false), TM_FLOAT32, TM_INTS(2, 3));
    /* They would fit in bytes, but a loop over the rows would leave memory: sanitizers tell. */
    const int64_t far[] = {INT64_MAX / 64, INT64_MIN / 64, 1};
    view = MADE(tm_strided_view(x, 3, empty, far, 0));
    EXPECT_SHAPE(tm_sum(view, &TM_INTS(2), false), TM_FLOAT32, TM_INTS(2, 3));
    EXPECT_SHAPE(tm_add_out(view, view, MADE(tm_wrap(TM_FLOAT32, 3, empty, far, NULL, NULL))),
                 TM_FLOAT32, ((tm_int_list){empty, 3}));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *none = MADE(tm_vmap_in(v, tm_zeros(TM_INTS(0, 4), TM_FLOAT32), 0));
    none = MADE(
        tm_vmap_out(v, MADE(tm_strided_view(none, 2, TM_INTS(2, 3).data, far, INT64_MIN / 2)), 0));
    EXPECT_SHAPE(tm_sum(none, &TM_INTS(0), false), TM_FLOAT32, TM_INTS(2, 3));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(arguments_of_strided_view_are_checked)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(4));
    EXPECT_NULL(tm_strided_view(x, -1, NULL, NULL, 0), TM_ERR_RANK, "ndim");
    EXPECT_NULL(tm_strided_view(x, 33, tm_shape(x), tm_strides(x), 0), TM_ERR_RANK, "ndim");
    EXPECT_NULL(tm_strided_view(x, 1, (const int64_t[]){-1}, tm_strides(x), 0), TM_ERR_SHAPE, "-1");
}
END_TEST

START_TEST(a_strided_view_of_one_example_stays_inside_every_example)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 4));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    tm_tensor *ends = MADE(tm_strided_view(row, 1, (const int64_t[]){2}, (const int64_t[]){3}, 0));
    EXPECT_F32(tm_vmap_out(v, ends, 0), TM_INTS(3, 2), 0, 3, 4, 7, 8, 11);
    /* For the last example this would lie outside. */
    EXPECT_NULL(tm_strided_view(row, 1, (const int64_t[]){5}, (const int64_t[]){1}, 0),
                TM_ERR_VALUE, "");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(contiguous_means_no_gaps_in_logical_order)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(12));
    static const struct {
        int64_t shape[2], strides[2];
        bool expected;
    } cases[] = {
        {{3, 4}, {4, 1}, true},  {{3, 2}, {4, 1}, false}, {{4, 3}, {1, 4}, false},
        {{1, 4}, {99, 1}, true}, {{4, 1}, {1, 99}, true}, {{3, 4}, {-1, 1}, false},
        {{0, 4}, {7, 3}, true},  {{2, 2}, {0, 1}, false}, {{1, 1}, {0, 0}, true},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        int64_t offset = cases[i].strides[0] < 0 ? 2 : 0;
        tm_tensor *y = MADE(tm_strided_view(x, 2, cases[i].shape, cases[i].strides, offset));
        ck_assert_msg(tm_is_contiguous(y) == cases[i].expected, "case %d", i);
    }
}
END_TEST

/* -- Mapped handles ---------------------------------------------------------------------------- */

START_TEST(a_mapped_handle_shows_its_logical_shape_and_levels)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4));
    tm_vmap_level *v = tm_vmap_push(NULL), *w = NULL;
    tm_tensor *a = MADE(tm_vmap_in(v, x, 1));
    w = tm_vmap_push(NULL);
    tm_tensor *b = MADE(tm_vmap_in(w, a, -1));
    ck_assert_int_eq(tm_ndim(b), 1);
    ck_assert_int_eq(tm_size(b, 0), 2);
    ck_assert_int_eq(tm_strides(b)[0], 12);
    ck_assert_int_eq(tm_numel(b), 2);
    ck_assert_int_eq(tm_num_levels(b), 2);
    int64_t size = 0;
    ck_assert_uint_eq(tm_level_at(b, 0, &size), tm_vmap_id(v));
    ck_assert_int_eq(size, 3);
    ck_assert_uint_eq(tm_level_at(b, 1, &size), tm_vmap_id(w));
    ck_assert_int_eq(size, 4);
    ck_assert_uint_eq(tm_level_at(b, 0, NULL), tm_vmap_id(v));
    for (int i = -1; i < 3; i += 3) {
        ck_assert_uint_eq(tm_level_at(b, i, NULL), 0);
        tm_error_clear();
    }
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(host_reads_of_a_mapped_handle_fail_with_a_hint)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(3, 4)), 0));
    EXPECT_NULL(tm_data(row), TM_ERR_VMAP, "data|tm_vmap_out");
    EXPECT_NULL(tm_mutable_data(row), TM_ERR_VMAP, "tm_vmap_out");
    ck_assert_int_eq(tm_npy_save("/tmp/never_written.npy", row), TM_ERR_VMAP);
    EXPECT_ERROR(TM_ERR_VMAP, "");
    tm_tensor *made = MADE(tm_add(row, row)); /* mapped by its storage, not by an entry */
    EXPECT_NULL(tm_data(made), TM_ERR_VMAP, "tm_vmap_out");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

Suite *tensor_suite(void)
{
    const TTest *tests[] = {a_new_tensor_is_row_major_and_aligned,
                            size_of_an_axis_counts_from_the_end_too,
                            a_scalar_tensor_has_one_element_and_no_axes,
                            every_dtype_can_be_held,
                            values_that_are_no_dtype,
                            promotion_is_commutative_and_never_narrows_the_kind,
                            scalars_hold_their_kind_and_value,
                            as_many_dimensions_as_the_header_says,
                            arguments_of_new_are_checked,
                            sizes_that_overflow_are_refused,
                            memory_that_the_machine_lacks_is_an_error,
                            empty_tensors,
                            from_data_copies,
                            the_deleter_is_called_once_when_the_last_view_goes,
                            a_failing_wrap_does_not_call_the_deleter,
                            wrapped_memory_is_the_callers,
                            wrapping_with_negative_strides,
                            wrapping_with_zero_strides,
                            read_only_memory_is_not_written,
                            an_alias_shares_the_memory,
                            views_of_views_count_from_the_views_first_element,
                            views_outside_the_storage_are_refused,
                            arguments_of_strided_view_are_checked,
                            a_strided_view_of_one_example_stays_inside_every_example,
                            contiguous_means_no_gaps_in_logical_order,
                            a_mapped_handle_shows_its_logical_shape_and_levels,
                            host_reads_of_a_mapped_handle_fail_with_a_hint};
    return test_suite("tensor", tests, COUNT(tests));
}
