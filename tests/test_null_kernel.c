/* test_null_kernel.c: the functions for kernel authors given NULL or a value out of range, without
 * a call and inside one.
 */
#include <string.h>

#include "null_support.h"

static const int64_t one = 1;

static tm_status no_impl(tm_call *call)
{
    return tm_fail(call, TM_ERR_USAGE, "never called");
}

/* -- kernel.h
 * ----------------------------------------------------------------------------------------- */

START_TEST(kernel_functions_without_a_call)
{
    tm_tensor *x = F32(TM_INTS(1), 1);
    int64_t axis = 0, shape[TM_MAX_NDIM] = {1};
    int ndim = 1;
    uint32_t mask;
    static const tm_loop no_loops[] = {{0}};
    static const tm_reduce_loop no_reduce[] = {{0}};
    FAILS(tm_fail(NULL, TM_ERR_VALUE, "text"));
    FAILS(tm_fail_arg(NULL, TM_ERR_VALUE, "x", "text"));
    FAILS(tm_fail_at(NULL, 0, TM_ERR_VALUE, "text"));
    SURVIVES(ck_assert_ptr_nonnull(tm_shape_text(NULL, x)));
    SURVIVES(ck_assert_ptr_nonnull(tm_sizes_text(NULL, 1, &one)));
    axis = 5;
    FAILS(tm_check_axis(NULL, "axis", 1, &axis));
    FAILS(tm_check_axes(NULL, "axis", 1, &TM_INTS(0, 0), &mask));
    FAILS(tm_check_sizes(NULL, "shape", TM_INTS(-1)));
    FAILS(tm_check_rank(NULL, "x", x, 2));
    FAILS(tm_check_kind(NULL, "x", x, TM_KIND_INT, "an integer dtype"));
    shape[0] = 7;
    FAILS(tm_check_broadcast(NULL, "x", &ndim, shape, F32(TM_INTS(2), 1, 2)));
    FAILS(tm_output(NULL, 0, TM_FLOAT32, 1, shape));
    FAILS(tm_output_like(NULL, 0, x));
    FAILS(tm_output_view(NULL, 0, x, 1, &one, &one, 0));
    SURVIVES(ck_assert_ptr_null(tm_output_spec(NULL, 0)));
    GIVES(tm_params(NULL, 8), NULL);
    SURVIVES(tm_need_workspace(NULL, 8));
    SURVIVES(ck_assert_ptr_null(tm_workspace(NULL)));
    FAILS(tm_elementwise_meta(NULL, no_loops));
    FAILS(tm_elementwise_loop(NULL, NULL, 1, (const tm_dtype[]){TM_FLOAT32}));
    FAILS(tm_reduction_meta(NULL, x, 1, false, no_reduce));
    FAILS(tm_reduction_meta_in(NULL, x, TM_FLOAT32, 1, false, no_reduce));
    FAILS(tm_core_axes(NULL, 0, 0, NULL));
    FAILS(tm_output_alloc(NULL, 0, 1, &one));
    FAILS(tm_output_scalar(NULL, 0, tm_scalar_int(1)));
    SURVIVES(tm_random(NULL, 0));
    SURVIVES(tm_batch_decline(NULL));
    SURVIVES(tm_batch_suspect(NULL, 0));
    SURVIVES(ck_assert_ptr_null(tm_call_op(NULL)));
    SURVIVES(tm_call_num_args(NULL));
    SURVIVES(ck_assert_ptr_null(tm_call_arg(NULL, 0)));
    SURVIVES(ck_assert_ptr_null(tm_call_output(NULL, 0)));
}
END_TEST

/* In a call, each of these is a failure of the call; the last one is what it fails with. */
static tm_status bad_meta(tm_call *call, const tm_tensor *x)
{
    int64_t shape[TM_MAX_NDIM] = {1};
    int ndim = 1;
    uint32_t mask;
#define REFUSED(expression)                                                                        \
    if ((expression) == TM_OK)                                                                     \
    return tm_fail(call, TM_ERR_SCHEMA, "accepted: %s", #expression)
    REFUSED(tm_check_axis(call, "axis", 1, NULL));
    REFUSED(tm_check_axes(call, "axis", 1, &(tm_int_list){NULL, 1}, &mask));
    REFUSED(tm_check_axes(call, "axis", 1, &TM_INTS(INT64_MAX), &mask));
    REFUSED(tm_check_axes(call, "axis", 1, &TM_INTS(INT64_MIN), &mask));
    REFUSED(tm_check_axes(call, "axis", 1, &TM_INTS(0), NULL));
    REFUSED(tm_check_sizes(call, "shape", (tm_int_list){NULL, 1}));
    REFUSED(tm_check_rank(call, "x", NULL, 1));
    REFUSED(tm_check_rank(call, "x", TM_NONE, 1));
    REFUSED(tm_check_kind(call, "x", NULL, TM_KIND_FLOAT, "a floating-point dtype"));
    REFUSED(tm_check_broadcast(call, "x", &ndim, shape, NULL));
    REFUSED(tm_check_broadcast(call, "x", NULL, shape, x));
    REFUSED(tm_check_broadcast(call, "x", &ndim, NULL, x));
    REFUSED(tm_output(call, -1, TM_FLOAT32, 0, NULL));
    REFUSED(tm_output(call, 1, TM_FLOAT32, 0, NULL));
    REFUSED(tm_output(call, INT32_MAX, TM_FLOAT32, 0, NULL));
    REFUSED(tm_output(call, 0, TM_FLOAT32, 1, NULL));
    REFUSED(tm_output(call, 0, TM_FLOAT32, INT64_MAX, shape));
    REFUSED(tm_output_like(call, 0, NULL));
    REFUSED(tm_output_like(call, 0, TM_NONE));
    REFUSED(tm_output_like(call, 9, x));
    REFUSED(tm_output_view(call, 0, NULL, 0, NULL, NULL, 0));
    REFUSED(tm_output_view(call, 0, x, 1, shape, NULL, 0));
    REFUSED(tm_elementwise_loop(call, NULL, 1, NULL));
    REFUSED(tm_elementwise_loop(call, NULL, -1, (const tm_dtype[]){TM_FLOAT32}));
    REFUSED(tm_elementwise_loop(call, NULL, 1000, (const tm_dtype[]){TM_FLOAT32}));
    REFUSED(tm_reduction_meta(call, NULL, 1, false, NULL));
    REFUSED(tm_reduction_meta_in(call, x, TM_FLOAT32, 1, false, NULL));
    REFUSED(tm_reduction_meta(call, x, 1, false, NULL));
    REFUSED(tm_core_axes(call, -1, 0, NULL));
    REFUSED(tm_core_axes(call, 99, 0, NULL));
    REFUSED(tm_core_axes(call, 0, 1, NULL));
    REFUSED(tm_core_axes(call, 0, -1, &one));
    REFUSED(tm_output_alloc(call, 0, 0, NULL)); /* in a kernel only */
#undef REFUSED
    if (!tm_shape_text(call, NULL) || !tm_sizes_text(call, 1, NULL) ||
        !tm_sizes_text(call, -1, &one))
        return tm_fail(call, TM_ERR_SCHEMA, "no text");
    if (tm_call_arg(call, -1) || tm_call_arg(call, 1) || tm_call_output(call, -1) ||
        tm_call_output(call, 1) || tm_output_spec(call, 6))
        return tm_fail(call, TM_ERR_SCHEMA, "out of range, yet there");
    return tm_fail(call, TM_ERR_VALUE, "all refused");
}

START_TEST(kernel_functions_given_null_in_a_call)
{
    const tm_op *op = OP(.schema = "null_meta(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)bad_meta, .impl = (tm_fn)no_impl);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), 1)}), TM_ERR_VALUE, "null_meta: all refused");
}
END_TEST

/* More texts than a call has room for: old ones are given up, none overflows. */
static tm_status wordy_meta(tm_call *call, const tm_tensor *x)
{
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < TM_MAX_NDIM; d++)
        shape[d] = INT64_MAX - d;
    for (int i = 0; i < 100; i++)
        if (!tm_shape_text(call, x) || strlen(tm_sizes_text(call, TM_MAX_NDIM, shape)) < 3)
            return tm_fail(call, TM_ERR_SCHEMA, "no text");
    return tm_fail(call, TM_ERR_VALUE, "%s", tm_shape_text(call, x));
}

START_TEST(a_call_has_room_for_several_texts)
{
    const tm_op *op = OP(.schema = "null_wordy(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)wordy_meta, .impl = (tm_fn)no_impl);
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(1), 1)}));
    EXPECT_ERROR(TM_ERR_VALUE, "null_wordy: ");
}
END_TEST

Suite *null_kernel_suite(void)
{
    const TTest *tests[] = {kernel_functions_without_a_call, kernel_functions_given_null_in_a_call,
                            a_call_has_room_for_several_texts};
    return test_suite("null_kernel", tests, COUNT(tests));
}
