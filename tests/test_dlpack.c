/* test_dlpack.c: DLPack structs handed out and taken over. What NumPy and PyTorch make of them is
 * tests/exchange's business.
 */
#include <string.h>

#include <transmute/dlpack.h>

#include "support.h"

static int deleted;

static void count_plain(DLManagedTensor *managed)
{
    (void)managed;
    deleted++;
}

static void count_versioned(DLManagedTensorVersioned *managed)
{
    (void)managed;
    deleted++;
}

static float values[6] = {0, 1, 2, 3, 4, 5};
static int64_t shape[2] = {2, 3}, strides[2] = {1, 2};

static DLTensor tensor(void)
{
    return (DLTensor){.data = values,
                      .device = {kDLCPU, 0},
                      .ndim = 2,
                      .dtype = {kDLFloat, 32, 1},
                      .shape = shape};
}

START_TEST(round_trips_every_dtype)
{
    for (int dtype = TM_BOOL; dtype < TM_NUM_DTYPES; dtype++) {
        tm_tensor *x = tm_new((tm_dtype)dtype, 2, (int64_t[]){2, 3});
        memset(tm_mutable_data(x), 1, (size_t)tm_numel(x) * tm_dtype_size((tm_dtype)dtype));
        tm_tensor *view = tm_strided_view(x, 1, (int64_t[]){2}, (int64_t[]){-3}, 5);
        DLManagedTensorVersioned *managed = tm_to_dlpack_versioned(view);
        ck_assert_msg(managed != NULL, "%s", tm_error_message());
        ck_assert_uint_eq(managed->version.major, 1);
        ck_assert_uint_eq(managed->flags, 0);
        ck_assert_ptr_eq(managed->dl_tensor.data, tm_data(view));
        ck_assert_int_eq(managed->dl_tensor.strides[0], -3);
        tm_tensor *back = MADE(tm_from_dlpack_versioned(managed));
        ck_assert_int_eq(tm_dtype_of(back), dtype);
        ck_assert_ptr_eq(tm_data(back), tm_data(view));
        tm_tensor *again = MADE(tm_from_dlpack(tm_to_dlpack(x)));
        ck_assert_ptr_eq(tm_data(again), tm_data(x));
        ck_assert_int_eq(tm_strides(again)[0], 3);
    }
}
END_TEST

START_TEST(strides_are_never_null)
{
    DLManagedTensor *zero = tm_to_dlpack(test_f32_scalar(3));
    ck_assert_int_eq(zero->dl_tensor.ndim, 0);
    ck_assert_ptr_nonnull(zero->dl_tensor.strides);
    ck_assert_ptr_nonnull(zero->dl_tensor.shape);
    zero->deleter(zero);
    DLManagedTensor *empty = tm_to_dlpack(tm_new(TM_INT8, 2, (int64_t[]){0, 4}));
    ck_assert_ptr_nonnull(empty->dl_tensor.strides);
    ck_assert_ptr_null(empty->dl_tensor.data);
    EXPECT_SHAPE(tm_from_dlpack(empty), TM_INT8, TM_INTS(0, 4));
}
END_TEST

START_TEST(an_export_outlives_its_handle)
{
    tm_scope *scope = tm_scope_push();
    DLManagedTensor *managed = tm_to_dlpack(F32(TM_INTS(2), 7, 8));
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_float_eq(((const float *)managed->dl_tensor.data)[1], 8);
    managed->deleter(managed);
}
END_TEST

START_TEST(the_deleter_is_called_once_at_the_end)
{
    deleted = 0;
    DLManagedTensor managed = {tensor(), NULL, count_plain};
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = MADE(tm_from_dlpack(&managed));
    EXPECT_F32(x, TM_INTS(2, 3), 0, 1, 2, 3, 4, 5);
    ck_assert_ptr_eq(tm_data(x), values);
    tm_tensor *view = tm_retain(tm_alias(x));
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(deleted, 0);
    tm_release(view);
    ck_assert_int_eq(deleted, 1);
    managed.deleter = NULL; /* nothing to give back */
    scope = tm_scope_push();
    MADE(tm_from_dlpack(&managed));
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(deleted, 1);
}
END_TEST

START_TEST(flags_strides_and_offset_count)
{
    deleted = 0;
    DLManagedTensorVersioned managed = {
        {1, 7}, NULL, count_versioned, DLPACK_FLAG_BITMASK_READ_ONLY, tensor()};
    managed.dl_tensor.strides = strides;
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = MADE(tm_from_dlpack_versioned(&managed));
    EXPECT_F32(x, TM_INTS(2, 3), 0, 2, 4, 1, 3, 5);
    EXPECT_NULL(tm_mutable_data(x), TM_ERR_ALIASING, "read-only");
    EXPECT_NULL(tm_to_dlpack(x), TM_ERR_ALIASING, "x is read-only");
    DLManagedTensorVersioned *again = tm_to_dlpack_versioned(x);
    ck_assert_uint_eq(again->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    again->deleter(again);
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(deleted, 1);

    int64_t one_row[2] = {1, 3}, wild[2] = {INT64_MIN, 1};
    managed.flags = DLPACK_FLAG_BITMASK_IS_COPIED;
    managed.dl_tensor.shape = one_row;
    managed.dl_tensor.strides = wild; /* along an axis of size 1 they mean nothing */
    managed.dl_tensor.byte_offset = 12;
    scope = tm_scope_push();
    x = MADE(tm_from_dlpack_versioned(&managed));
    EXPECT_F32(x, TM_INTS(1, 3), 3, 4, 5);
    ck_assert_ptr_nonnull(tm_mutable_data(x));
    EXPECT_OK(tm_scope_pop(scope));
    ck_assert_int_eq(deleted, 2);
}
END_TEST

/* Refused through both structs, the deleter not being called. */
static void check_refused(DLTensor dl, tm_status code, const char *parts)
{
    deleted = 0;
    DLManagedTensor plain = {dl, NULL, count_plain};
    DLManagedTensorVersioned versioned = {{1, 0}, NULL, count_versioned, 0, dl};
    EXPECT_NULL(tm_from_dlpack(&plain), code, parts);
    EXPECT_NULL(tm_from_dlpack_versioned(&versioned), code, parts);
    ck_assert_int_eq(deleted, 0);
}

START_TEST(refuses_what_it_cannot_take)
{
    int64_t negative[2] = {2, -3}, huge[2] = {INT64_MAX, INT64_MAX}, far[2] = {INT64_MAX, 1};
    DLTensor dl = tensor();
    dl.device.device_type = kDLCUDA;
    check_refused(dl, TM_ERR_VALUE, "the memory must be the CPU's, device type 1, got 2");
    dl = tensor();
    dl.dtype.lanes = 4;
    check_refused(dl, TM_ERR_DTYPE, "code 2, 32 bits and 4 lanes");
    dl = tensor();
    dl.dtype.bits = 8;
    check_refused(dl, TM_ERR_DTYPE, "code 2, 8 bits and 1 lanes");
    dl = tensor();
    dl.dtype.code = kDLOpaqueHandle;
    check_refused(dl, TM_ERR_DTYPE, "code 3");
    dl = tensor();
    dl.ndim = 33;
    check_refused(dl, TM_ERR_RANK, "ndim must be in 0..32, got 33");
    dl.ndim = -1;
    check_refused(dl, TM_ERR_RANK, "got -1");
    dl = tensor();
    dl.shape = NULL;
    check_refused(dl, TM_ERR_USAGE, "shape");
    dl.shape = negative;
    check_refused(dl, TM_ERR_SHAPE, "must not be negative, got -3");
    dl.shape = huge;
    check_refused(dl, TM_ERR_SHAPE, "do not fit");
    dl = tensor();
    dl.strides = far;
    check_refused(dl, TM_ERR_VALUE, "reach beyond memory");
    dl = tensor();
    dl.byte_offset = 2;
    check_refused(dl, TM_ERR_VALUE, "aligned to 4 bytes");
    dl.byte_offset = UINT64_MAX - 3;
    check_refused(dl, TM_ERR_VALUE, "reaches beyond memory");
    dl = tensor();
    dl.data = NULL;
    check_refused(dl, TM_ERR_USAGE, "data");
    DLManagedTensorVersioned later = {{2, 0}, NULL, count_versioned, 0, tensor()};
    EXPECT_NULL(tm_from_dlpack_versioned(&later), TM_ERR_VALUE, "major version must be 1, got 2");
    ck_assert_int_eq(deleted, 0);
    EXPECT_NULL(tm_from_dlpack_versioned(NULL), TM_ERR_USAGE, "managed");
    EXPECT_NULL(tm_from_dlpack(NULL), TM_ERR_USAGE, "managed");
}
END_TEST

START_TEST(refuses_numbers_that_cannot_be)
{
    static const int32_t ranks[] = {INT32_MIN, INT32_MAX},
                         devices[] = {INT32_MIN, -1, 0, INT32_MAX};
    static const uint32_t majors[] = {0, 2, UINT32_MAX};
    static const uint64_t offsets[] = {1, UINT64_MAX, (uint64_t)1 << 63};
    static const DLDataType types[] = {
        {kDLFloat, 0, 1},      {kDLFloat, 255, 1},  {kDLFloat, 32, 0},
        {kDLFloat, 32, 65535}, {7, 32, 1},          {255, 255, 65535},
        {kDLInt, 128, 1},      {kDLComplex, 32, 1}, {kDLBool, 1, 1}};
    static int64_t shapes[][2] = {
        {INT64_MIN, 1}, {1, -1}, {INT64_MAX, 2}, {INT64_C(1) << 32, 1 << 30}};
    static int64_t steps[][2] = {{INT64_MIN, 1}, {1, INT64_MAX}, {-(INT64_C(1) << 58), 1}};
    DLTensor dl = tensor();
    for (int i = 0; i < COUNT(ranks); i++) {
        dl.ndim = ranks[i];
        check_refused(dl, TM_ERR_RANK, "ndim must be in 0..32");
    }
    dl = tensor();
    for (int i = 0; i < COUNT(devices); i++) {
        memcpy(&dl.device.device_type, &devices[i], sizeof devices[i]);
        check_refused(dl, TM_ERR_VALUE, "the memory must be the CPU's");
    }
    dl = tensor();
    for (int i = 0; i < COUNT(types); i++) {
        dl.dtype = types[i];
        check_refused(dl, TM_ERR_DTYPE, "");
    }
    dl = tensor();
    for (int i = 0; i < COUNT(shapes); i++) {
        dl.shape = shapes[i];
        check_refused(dl, TM_ERR_SHAPE, "");
    }
    dl = tensor();
    for (int i = 0; i < COUNT(steps); i++) {
        dl.strides = steps[i];
        check_refused(dl, TM_ERR_VALUE, "");
    }
    dl = tensor();
    for (int i = 0; i < COUNT(offsets); i++) {
        dl.byte_offset = offsets[i];
        check_refused(dl, TM_ERR_VALUE, "");
    }
    for (int i = 0; i < COUNT(majors); i++) {
        DLManagedTensorVersioned other = {{majors[i], 0}, NULL, count_versioned, 0, tensor()};
        EXPECT_NULL(tm_from_dlpack_versioned(&other), TM_ERR_VALUE, "major version must be 1");
        ck_assert_int_eq(deleted, 0);
    }
    /* A later minor version and flags of its own change nothing. */
    static DLManagedTensorVersioned later;
    later = (DLManagedTensorVersioned){{1, UINT32_MAX}, NULL, NULL, UINT64_MAX - 1, tensor()};
    EXPECT_F32(tm_from_dlpack_versioned(&later), TM_INTS(2, 3), 0, 1, 2, 3, 4, 5);
}
END_TEST

START_TEST(refuses_what_it_cannot_give)
{
    EXPECT_NULL(tm_to_dlpack(NULL), TM_ERR_USAGE, "x");
    EXPECT_NULL(tm_to_dlpack_versioned(TM_NONE), TM_ERR_USAGE, "TM_NONE");
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_tensor *row = tm_retain(tm_vmap_in(level, x, 0));
    EXPECT_NULL(tm_to_dlpack(row), TM_ERR_VMAP, "x is mapped");
    EXPECT_NULL(tm_to_dlpack_versioned(test_f32_scalar(1)), TM_ERR_VMAP, "may move");
    DLManagedTensor *outside = tm_to_dlpack(x); /* made outside: it stays where it is */
    ck_assert_ptr_nonnull(outside);
    outside->deleter(outside);
    EXPECT_OK(tm_vmap_pop(level));
    EXPECT_NULL(tm_to_dlpack(row), TM_ERR_ESCAPED, "ended");
    tm_release(row);
}
END_TEST

Suite *dlpack_suite(void)
{
    const TTest *tests[] = {round_trips_every_dtype,        strides_are_never_null,
                            an_export_outlives_its_handle,  the_deleter_is_called_once_at_the_end,
                            flags_strides_and_offset_count, refuses_what_it_cannot_take,
                            refuses_what_it_cannot_give,    refuses_numbers_that_cannot_be};
    return test_suite("dlpack", tests, COUNT(tests));
}
