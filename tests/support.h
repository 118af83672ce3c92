/* support.h: what the core's tests share: tensors from literals, values and errors compared, ops
 * registered for one test.
 *
 * Each test runs between test_set_up and test_tear_down, which open and close a library for the
 * ops it registers and hold the test to what it made: no error left standing that the test did not
 * look at, no handle left alive.
 */
#ifndef TRANSMUTE_TESTS_SUPPORT_H
#define TRANSMUTE_TESTS_SUPPORT_H

#include <check.h>
#include <transmute/transmute.h>

#include "suites.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/** The running test's library; closed, and its ops retired, when the test ends. */
extern tm_library *test_library;

/** A suite of tests that each run in a scope of their own, so that handles need no care. */
Suite *test_suite(const char *name, const TTest *const *tests, int count);
/** The same; `begin` runs before each test. */
Suite *test_suite_begin(const char *name, SFun begin, const TTest *const *tests, int count);
/** The same without the scope, for tests that are about ownership. */
Suite *test_suite_unscoped(const char *name, const TTest *const *tests, int count);
/** Further tests for a suite, each run `times` times with its number in _i. */
void test_suite_loop(Suite *suite, const TTest *const *tests, int count, int times);

/* -- Tensors ---------------------------------------------------------------------------------- */

/** A float32 tensor with these values in row-major order: F32(TM_INTS(2), 1, 2). */
#define F32(shape, ...) test_f32(shape, (const float[]){__VA_ARGS__})
tm_tensor *test_f32(tm_int_list shape, const float *values);
/** A 0-D float32 tensor. */
tm_tensor *test_f32_scalar(float value);
/** A tensor with the values 0, 1, 2, ... in row-major order. */
tm_tensor *test_iota(tm_dtype dtype, tm_int_list shape);
/** The value at a flat logical index of an unmapped tensor of any dtype (a complex one's real
 *  part). */
double test_value(const tm_tensor *x, int64_t flat);

/** Fails the test unless x has this dtype, shape and values: EXPECT(x, TM_BOOL, TM_INTS(2), 0, 1).
 */
#define EXPECT(x, dtype, shape, ...)                                                               \
    test_expect(__FILE__, __LINE__, x, dtype, shape, (const double[]){__VA_ARGS__},                \
                COUNT(((const double[]){__VA_ARGS__})))
#define EXPECT_F32(x, shape, ...) EXPECT(x, TM_FLOAT32, shape, __VA_ARGS__)
/** The same without values: a tensor with no elements, or whose values do not matter. */
#define EXPECT_SHAPE(x, dtype, shape) test_expect(__FILE__, __LINE__, x, dtype, shape, NULL, 0)
void test_expect(const char *file, int line, const tm_tensor *x, tm_dtype dtype, tm_int_list shape,
                 const double *values, int count);

/* -- Errors ----------------------------------------------------------------------------------- */

/** Fails the test unless an error of that code stands whose message contains each of the parts (up
 *  to four, separated by '|'); then clears it. */
#define EXPECT_ERROR(code, parts) test_expect_error(__FILE__, __LINE__, code, parts)
void test_expect_error(const char *file, int line, tm_status code, const char *parts);
/** The expression yields NULL and leaves that error. */
#define EXPECT_NULL(expression, code, parts)                                                       \
    do {                                                                                           \
        ck_assert_msg((expression) == NULL, "%s is not NULL", #expression);                        \
        EXPECT_ERROR(code, parts);                                                                 \
    } while (0)
/** The expression yields the status `code` and leaves that error. */
#define EXPECT_FAIL(expression, code, parts)                                                       \
    do {                                                                                           \
        tm_status status_ = (expression);                                                          \
        ck_assert_msg(status_ == (code), "%s is %s", #expression, tm_status_name(status_));        \
        EXPECT_ERROR(code, parts);                                                                 \
    } while (0)
/** The expression is TM_OK; otherwise the test fails with the standing message. */
#define EXPECT_OK(expression)                                                                      \
    ck_assert_msg((expression) == TM_OK, "%s failed: %s", #expression, tm_error_message())
/** The expression is a handle; otherwise the test fails with the standing message. */
#define MADE(expression) test_made(__FILE__, __LINE__, expression)
tm_tensor *test_made(const char *file, int line, tm_tensor *x);

/* -- Ops -------------------------------------------------------------------------------------- */

/** Registers an op in the test's library: OP(.schema = "...", .contract = TM_VIEW, ...). */
#define OP(...) test_register(&(const tm_op_def){.struct_size = sizeof(tm_op_def), __VA_ARGS__})
const tm_op *test_register(const tm_op_def *def);
/** Calls an op and returns its first output, NULL on failure: CALL(op, {.tensor = x}, {.i = 1}). */
#define CALL(op, ...)                                                                              \
    test_call(op, (const tm_value[]){__VA_ARGS__}, COUNT(((const tm_value[]){__VA_ARGS__})))
tm_tensor *test_call(const tm_op *op, const tm_value *args, int count);

/* -- Ops that several suites register -----------------------------------------------------------
 */

/** test_zeros(int[] shape) -> Tensor: per-example, float32. */
const tm_op *test_op_zeros(void);
/** test_set_(Tensor! x, Tensor src) -> Tensor!: elementwise, float32, src of x's shape. */
const tm_op *test_op_set(void);
/** test_mul(Tensor x1, Tensor x2) -> Tensor: elementwise, float32 and float64, with all forms. */
const tm_op *test_op_mul(void);
/** test_row_sum(Tensor x) -> Tensor: per-example over rows (core 1), float32; fails with
 *  TM_ERR_NUMERIC "row starts with a negative number, got V" where it does. */
const tm_op *test_op_row_sum(void);
/** The kernel of test_row_sum, for others to build on. */
tm_status test_row_sum_meta(tm_call *call, const tm_tensor *x);
tm_status test_row_sum_impl(tm_call *call, const tm_tensor *x, tm_tensor *out);

#endif
