/* support.c: see support.h. */
#include "support.h"

#include "law/elements.h"

#include <stdlib.h>
#include <string.h>

tm_library *test_library;
static tm_scope *scope;
static tm_memory_stats at_start;

static void set_up(void)
{
    tm_error_clear();
    test_library = tm_library_open("test");
    ck_assert_ptr_nonnull(test_library);
    at_start = tm_memory_get_stats();
    scope = NULL;
}

static void set_up_scoped(void)
{
    set_up();
    scope = tm_scope_push();
    ck_assert_ptr_nonnull(scope);
}

static void tear_down(void)
{
    ck_assert_msg(tm_error_code() == TM_OK, "an error stands at the test's end: %s",
                  tm_error_message());
    if (scope)
        EXPECT_OK(tm_scope_pop(scope));
    ck_assert_msg(!tm_vmap_current(), "a level is open at the test's end");
    uint64_t live = tm_memory_get_stats().live_tensors;
    ck_assert_msg(live == at_start.live_tensors, "%lld handles leaked",
                  (long long)(live - at_start.live_tensors));
    tm_library_close(test_library);
    tm_set_acceleration(TM_ACCEL_AUTO);
    ck_assert_int_eq(tm_set_num_threads(1), TM_OK);
    for (int p = 0; p < TM_NUM_PATHS; p++)
        ck_assert_int_eq(tm_set_path((tm_path)p, TM_PATH_AUTO), TM_OK);
}

static Suite *make_suite(const char *name, SFun common, SFun begin, const TTest *const *tests,
                         int count)
{
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, common, tear_down);
    tcase_add_checked_fixture(group, begin, NULL);
    tcase_set_timeout(group, 20);
    for (int i = 0; i < count; i++)
        tcase_add_test(group, tests[i]);
    suite_add_tcase(suite, group);
    return suite;
}

Suite *test_suite(const char *name, const TTest *const *tests, int count)
{
    return make_suite(name, set_up_scoped, NULL, tests, count);
}

Suite *test_suite_begin(const char *name, SFun begin, const TTest *const *tests, int count)
{
    return make_suite(name, set_up_scoped, begin, tests, count);
}

Suite *test_suite_unscoped(const char *name, const TTest *const *tests, int count)
{
    return make_suite(name, set_up, NULL, tests, count);
}

void test_suite_loop(Suite *suite, const TTest *const *tests, int count, int times)
{
    TCase *group = tcase_create("loop");
    tcase_add_checked_fixture(group, set_up_scoped, tear_down);
    tcase_set_timeout(group, 20);
    for (int i = 0; i < count; i++)
        tcase_add_loop_test(group, tests[i], 0, times);
    suite_add_tcase(suite, group);
}

/* -- Tensors ---------------------------------------------------------------------------------- */

tm_tensor *test_f32(tm_int_list shape, const float *values)
{
    return MADE(tm_from_data(TM_FLOAT32, (int)shape.count, shape.data, values));
}

tm_tensor *test_f32_scalar(float value)
{
    return test_f32(tm_no_ints, &value);
}

static void store(tm_dtype dtype, void *to, int64_t value)
{
    switch (dtype) {
    case TM_BOOL:
    case TM_UINT8:
        *(uint8_t *)to = (uint8_t)value;
        break;
    case TM_INT32:
        *(int32_t *)to = (int32_t)value;
        break;
    case TM_INT64:
        *(int64_t *)to = value;
        break;
    case TM_FLOAT32:
        *(float *)to = (float)value;
        break;
    case TM_FLOAT64:
        *(double *)to = (double)value;
        break;
    default:
        ck_abort_msg("test_iota makes no %s", tm_dtype_name(dtype));
    }
}

tm_tensor *test_iota(tm_dtype dtype, tm_int_list shape)
{
    tm_tensor *x = MADE(tm_new(dtype, (int)shape.count, shape.data));
    char *data = tm_mutable_data(x);
    int64_t count = tm_numel(x);
    for (int64_t i = 0; i < count; i++)
        store(dtype, data + i * (int64_t)tm_dtype_size(dtype), i);
    return x;
}

double test_value(const tm_tensor *x, int64_t flat)
{
    int64_t offset = 0;
    for (int d = tm_ndim(x); d-- > 0; flat /= tm_shape(x)[d])
        offset += flat % tm_shape(x)[d] * tm_strides(x)[d];
    const char *data = tm_data(x);
    ck_assert_msg(data != NULL, "%s", tm_error_message());
    tm_dtype dtype = tm_dtype_of(x);
    return tm_law_load(dtype, data + offset * (int64_t)tm_dtype_size(dtype));
}

void test_expect(const char *file, int line, const tm_tensor *x, tm_dtype dtype, tm_int_list shape,
                 const double *values, int count)
{
    test_made(file, line, (tm_tensor *)(uintptr_t)x);
    char got[128], wanted[128];
    tm_format_shape(got, sizeof got, tm_ndim(x), tm_shape(x));
    tm_format_shape(wanted, sizeof wanted, shape.count, shape.data);
    ck_assert_msg(strcmp(got, wanted) == 0, "%s:%d: shape is %s, expected %s", file, line, got,
                  wanted);
    ck_assert_msg(tm_dtype_of(x) == dtype, "%s:%d: dtype is %s, expected %s", file, line,
                  tm_dtype_name(tm_dtype_of(x)), tm_dtype_name(dtype));
    if (!values)
        return;
    ck_assert_msg(tm_numel(x) == count, "%s:%d: %lld elements, the test states %d", file, line,
                  (long long)tm_numel(x), count);
    for (int i = 0; i < count; i++) {
        double value = test_value(x, i);
        bool same = value == values[i] || (value != value && values[i] != values[i]);
        ck_assert_msg(same, "%s:%d: element %d is %g, expected %g", file, line, i, value,
                      values[i]);
    }
}

/* -- Errors ----------------------------------------------------------------------------------- */

void test_expect_error(const char *file, int line, tm_status code, const char *parts)
{
    const tm_error *error = tm_error_get();
    ck_assert_msg(error != NULL, "%s:%d: no error stands, expected %s", file, line,
                  tm_status_name(code));
    ck_assert_msg(error->code == code, "%s:%d: the error is %s (%s), expected %s", file, line,
                  tm_status_name(error->code), tm_error_message(), tm_status_name(code));
    while (*parts) {
        size_t length = strcspn(parts, "|");
        char part[256];
        snprintf(part, sizeof part, "%.*s", (int)length, parts);
        ck_assert_msg(strstr(tm_error_message(), part) != NULL,
                      "%s:%d: the message \"%s\" does not contain \"%s\"", file, line,
                      tm_error_message(), part);
        parts += length + (parts[length] == '|');
    }
    tm_error_clear();
}

tm_tensor *test_made(const char *file, int line, tm_tensor *x)
{
    ck_assert_msg(x != NULL, "%s:%d: got NULL: %s", file, line, tm_error_message());
    return x;
}

/* -- Ops -------------------------------------------------------------------------------------- */

const tm_op *test_register(const tm_op_def *def)
{
    const tm_op *op = tm_library_register(test_library, def);
    ck_assert_msg(op != NULL, "%s", tm_error_message());
    return op;
}

tm_tensor *test_call(const tm_op *op, const tm_value *args, int count)
{
    tm_value results[TM_MAX_OUTPUTS] = {0};
    if (tm_op_call(op, args, count, results, tm_op_num_outputs(op)) != TM_OK)
        return NULL;
    return (tm_tensor *)(uintptr_t)results[0].tensor;
}

static tm_status zeros_meta(tm_call *call, tm_int_list shape)
{
    tm_status status = tm_check_sizes(call, "shape", shape);
    return status == TM_OK ? tm_output(call, 0, TM_FLOAT32, shape.count, shape.data) : status;
}

static tm_status zeros_impl(tm_call *call, tm_int_list shape, tm_tensor *out)
{
    (void)call;
    (void)shape;
    memset(tm_mutable_data(out), 0, (size_t)tm_numel(out) * sizeof(float));
    return TM_OK;
}

const tm_op *test_op_zeros(void)
{
    return OP(.schema = "test_zeros(int[] shape) -> Tensor", .contract = TM_PER_EXAMPLE,
              .meta = (tm_fn)zeros_meta, .impl = (tm_fn)zeros_impl);
}

static tm_status set_float32(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        memcpy(ptr[1] + i * step[1], ptr[0] + i * step[0], sizeof(float));
    return TM_OK;
}

const tm_op *test_op_set(void)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, set_float32}, {0}};
    return OP(.schema = "test_set_(Tensor! x, Tensor src) -> Tensor!", .contract = TM_ELEMENTWISE,
              .loops = loops);
}

#define MUL_LOOP(name, type)                                                                       \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        (void)call;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type a, b, c;                                                                          \
            memcpy(&a, ptr[0] + i * step[0], sizeof a);                                            \
            memcpy(&b, ptr[1] + i * step[1], sizeof b);                                            \
            c = a * b;                                                                             \
            memcpy(ptr[2] + i * step[2], &c, sizeof c);                                            \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
MUL_LOOP(mul_float32, float)
MUL_LOOP(mul_float64, double)

const tm_op *test_op_mul(void)
{
    static const tm_loop loops[] = {
        {TM_FLOAT32, TM_FLOAT32, mul_float32}, {TM_FLOAT64, TM_FLOAT64, mul_float64}, {0}};
    return OP(.schema = "test_mul(Tensor x1, Tensor x2) -> Tensor", .contract = TM_ELEMENTWISE,
              .loops = loops, .thread_safe = true);
}

tm_status test_row_sum_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status == TM_OK && tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32, got %s",
                           tm_dtype_name(tm_dtype_of(x)));
    return status == TM_OK ? tm_output(call, 0, TM_FLOAT32, tm_ndim(x) - 1, tm_shape(x)) : status;
}

tm_status test_row_sum_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const float *row = tm_data(x);
    int64_t n = tm_shape(x)[0], step = tm_strides(x)[0];
    if (n > 0 && row[0] < 0)
        return tm_fail_arg(call, TM_ERR_NUMERIC, "x", "row starts with a negative number, got %g",
                           (double)row[0]);
    float sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += row[i * step];
    *(float *)tm_mutable_data(out) = sum;
    return TM_OK;
}

const tm_op *test_op_row_sum(void)
{
    static const int8_t core[] = {1, 0};
    return OP(.schema = "test_row_sum(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
              .meta = (tm_fn)test_row_sum_meta, .impl = (tm_fn)test_row_sum_impl, .core = core,
              .thread_safe = true);
}
