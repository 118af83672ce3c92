/* test_library.c: what a library does to ops that are there: overrides and their order, aliases,
 * and what closing leaves, also while another thread calls.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "number_support.h"

/* -- Overriding -------------------------------------------------------------------------------- */

static tm_library *override_with(const tm_op *op, tm_fn impl)
{
    tm_library *library = tm_library_open("override");
    tm_kernel_def def = {.struct_size = sizeof def, .impl = impl};
    EXPECT_OK(tm_library_override(library, op, TM_KEY_PLAIN, &def));
    return library;
}

START_TEST(the_last_override_wins_until_its_library_closes)
{
    const tm_op *op = test_number_op("reg_j() -> Tensor", (tm_fn)test_number_1);
    tm_library *two = override_with(op, (tm_fn)test_number_2);
    ck_assert_double_eq(test_call_number(op), 2);
    tm_library *three = override_with(op, (tm_fn)test_number_3);
    ck_assert_double_eq(test_call_number(op), 3);
    tm_library_close(three);
    ck_assert_double_eq(test_call_number(op), 2);
    tm_library_close(two);
    ck_assert_double_eq(test_call_number(op), 1);
}
END_TEST

START_TEST(closing_a_lower_override_leaves_the_upper_one)
{
    const tm_op *op = test_number_op("reg_k() -> Tensor", (tm_fn)test_number_1);
    tm_library *two = override_with(op, (tm_fn)test_number_2);
    tm_library *three = override_with(op, (tm_fn)test_number_3);
    tm_library_close(two);
    ck_assert_double_eq(test_call_number(op), 3);
    tm_library_close(three);
    ck_assert_double_eq(test_call_number(op), 1);
}
END_TEST

START_TEST(overriding_a_base_serves_its_forms)
{
    const tm_op *op = test_number_op("reg_l() -> Tensor", (tm_fn)test_number_1);
    tm_library *library = override_with(op, (tm_fn)test_number_2);
    tm_tensor *x = test_f32_scalar(0);
    ck_assert_ptr_eq(CALL(tm_op_find("reg_l_out", NULL), {.tensor = x}), x);
    ck_assert_double_eq(test_value(x, 0), 2);
    tm_library_close(library);
}
END_TEST

START_TEST(the_meta_stays_whatever_kernel_wins)
{
    tm_library *library = override_with(tm_op_find("triu", NULL), (tm_fn)abort);
    EXPECT_NULL(tm_triu(F32(TM_INTS(2), 1, 2), 0), TM_ERR_RANK, "triu: x|(2,)");
    tm_library_close(library);
}
END_TEST

static tm_status add_100(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        *(float *)(void *)(ptr[2] + i * step[2]) = 100;
    return TM_OK;
}

START_TEST(a_dtype_that_an_override_lacks_falls_to_the_next)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, add_100}, {0}};
    const tm_op *mul = test_op_mul();
    tm_library *library = tm_library_open("override");
    tm_kernel_def def = {.struct_size = sizeof def, .loops = loops};
    EXPECT_OK(tm_library_override(library, mul, TM_KEY_PLAIN, &def));
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *y = test_iota(TM_FLOAT64, TM_INTS(2));
    EXPECT_F32(CALL(mul, {.tensor = x}, {.tensor = x}), TM_INTS(2), 100, 100);
    EXPECT(CALL(mul, {.tensor = y}, {.tensor = y}), TM_FLOAT64, TM_INTS(2), 0, 1);
    tm_library_close(library);
    EXPECT_F32(CALL(mul, {.tensor = x}, {.tensor = x}), TM_INTS(2), 1, 4);
}
END_TEST

static tm_status view_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_view(call, 0, x, tm_ndim(x), tm_shape(x), tm_strides(x), 0);
}

static tm_status batched_none(tm_call *call, const tm_batch *batch)
{
    (void)batch;
    tm_batch_decline(call);
    return TM_OK;
}

START_TEST(overrides_that_make_no_sense_are_refused)
{
    const tm_op *view =
        OP(.schema = "reg_m(Tensor x) -> Tensor", .contract = TM_VIEW, .meta = (tm_fn)view_meta);
    const tm_op *op = test_number_op("reg_n() -> Tensor", (tm_fn)test_number_1);
    tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)test_number_2};
    tm_kernel_def empty = {.struct_size = sizeof empty};
    tm_kernel_def batched = {.struct_size = sizeof batched, .batched = batched_none};
    EXPECT_FAIL(tm_library_override(test_library, view, TM_KEY_PLAIN, &def), TM_ERR_USAGE, "view");
    EXPECT_FAIL(tm_library_override(test_library, op, TM_KEY_PLAIN, &empty), TM_ERR_USAGE, "plain");
    EXPECT_FAIL(tm_library_override(test_library, op, TM_KEY_BATCHED, &def), TM_ERR_USAGE,
                "batched");
    EXPECT_FAIL(tm_library_override(test_library, op, (tm_key)7, &def), TM_ERR_USAGE, "");
    EXPECT_FAIL(tm_library_override(test_library, op, (tm_key)-1, &def), TM_ERR_USAGE, "");
    EXPECT_FAIL(tm_library_override(test_library, tm_op_find("add", NULL), TM_KEY_PLAIN, &def),
                TM_ERR_USAGE, "add");
    EXPECT_OK(tm_library_override(test_library, op, TM_KEY_BATCHED, &batched));
    ck_assert(tm_op_has_key(op, TM_KEY_BATCHED));
}
END_TEST

static char *dump(const tm_op *op)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    tm_op_dump(op, stream);
    fclose(stream);
    return text;
}

START_TEST(dump_names_the_winning_library_for_each_key)
{
    const tm_op *op = test_number_op("reg_o() -> Tensor", (tm_fn)test_number_1);
    char *text = dump(op);
    ck_assert_msg(strstr(text, "reg_o() -> Tensor") && strstr(text, "plain") &&
                      strstr(text, "test"),
                  "%s", text);
    free(text);
    tm_library *library = tm_library_open("fast_kernels");
    tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)test_number_2};
    EXPECT_OK(tm_library_override(library, op, TM_KEY_PLAIN, &def));
    text = dump(op);
    ck_assert_msg(strstr(text, "fast_kernels") != NULL, "%s", text);
    free(text);
    tm_library_close(library);
    text = dump(op);
    ck_assert_msg(!strstr(text, "fast_kernels"), "%s", text);
    free(text);
    text = dump(tm_op_find("add", NULL));
    ck_assert_msg(strstr(text, "built-in") != NULL, "%s", text);
    free(text);
}
END_TEST

/* -- Aliases ----------------------------------------------------------------------------------- */

START_TEST(an_alias_finds_every_overload_until_its_library_closes)
{
    const tm_op *one = test_number_op("reg_p() -> Tensor", (tm_fn)test_number_1);
    const tm_op *two = test_number_op("reg_p.two() -> Tensor", (tm_fn)test_number_2);
    tm_library *library = tm_library_open("alias");
    int64_t count = tm_op_count();
    EXPECT_OK(tm_library_alias(library, "reg_q", "reg_p"));
    ck_assert_ptr_eq(tm_op_find("reg_q", NULL), one);
    ck_assert_ptr_eq(tm_op_find("reg_q", "two"), two);
    ck_assert_str_eq(tm_op_name(tm_op_find("reg_q", NULL)), "reg_p");
    ck_assert_str_eq(tm_op_aliases(one), "reg_q");
    ck_assert_int_eq(tm_op_count(), count);
    tm_library_close(library);
    ck_assert_ptr_null(tm_op_find("reg_q", NULL));
    ck_assert_str_eq(tm_op_aliases(one), "");
}
END_TEST

START_TEST(aliases_that_cannot_be_are_refused)
{
    test_number_op("reg_r() -> Tensor", (tm_fn)test_number_1);
    EXPECT_FAIL(tm_library_alias(test_library, "reg_s", "reg_no_such"), TM_ERR_USAGE,
                "reg_no_such");
    EXPECT_FAIL(tm_library_alias(test_library, "add", "reg_r"), TM_ERR_USAGE, "add");
    EXPECT_OK(tm_library_alias(test_library, "reg_t", "reg_r"));
    EXPECT_FAIL(tm_library_alias(test_library, "reg_t", "add"), TM_ERR_USAGE, "reg_t");
    tm_op_def def = test_number_def("reg_t() -> Tensor");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE, "reg_t");
}
END_TEST

START_TEST(the_error_of_an_alias_names_the_op)
{
    EXPECT_OK(tm_library_alias(test_library, "upper", "triu"));
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(CALL(tm_op_find("upper", NULL), {.tensor = x}, {.i = 0}), TM_ERR_RANK, "triu: x");
}
END_TEST

START_TEST(an_alias_of_an_alias_is_the_ops)
{
    const tm_op *op = test_number_op("reg_one() -> Tensor", (tm_fn)test_number_1);
    tm_library *first = tm_library_open("first"), *second = tm_library_open("second");
    EXPECT_OK(tm_library_alias(first, "reg_two", "reg_one"));
    EXPECT_OK(tm_library_alias(second, "reg_three", "reg_two"));
    ck_assert_ptr_eq(tm_op_find("reg_three", NULL), op);
    tm_library_close(first);
    ck_assert_ptr_null(tm_op_find("reg_two", NULL));
    ck_assert_ptr_eq(tm_op_find("reg_three", NULL), op);
    tm_library_close(second);
    ck_assert_ptr_null(tm_op_find("reg_three", NULL));
}
END_TEST

START_TEST(an_alias_outlives_its_op_harmlessly)
{
    tm_library *library = tm_library_open("owner"), *other = tm_library_open("other");
    tm_op_def def = test_number_def("reg_gone() -> Tensor");
    ck_assert_ptr_nonnull(tm_library_register(library, &def));
    EXPECT_OK(tm_library_alias(other, "reg_ghost", "reg_gone"));
    tm_library_close(library);
    ck_assert_ptr_null(tm_op_find("reg_ghost", NULL));
    ck_assert_ptr_null(tm_op_find("reg_gone", NULL));
    const tm_op *again = test_number_op("reg_gone() -> Tensor", (tm_fn)test_number_2);
    ck_assert_ptr_eq(tm_op_find("reg_gone", NULL), again);
    tm_library_close(other);
    ck_assert_ptr_null(tm_op_find("reg_ghost", NULL));
    ck_assert_ptr_eq(tm_op_find("reg_gone", NULL), again);
}
END_TEST

START_TEST(overloads_of_several_libraries)
{
    tm_library *library = tm_library_open("first");
    tm_op_def def = test_number_def("reg_many.a() -> Tensor");
    const tm_op *first = tm_library_register(library, &def);
    const tm_op *second = test_number_op("reg_many.b() -> Tensor", (tm_fn)test_number_2);
    ck_assert_ptr_eq(tm_op_find("reg_many", NULL), first);
    tm_library_close(library);
    ck_assert_ptr_eq(tm_op_find("reg_many", NULL), second);
    ck_assert_ptr_null(tm_op_find("reg_many", "a"));
    const tm_op *third = test_number_op("reg_many.a() -> Tensor", (tm_fn)test_number_3);
    ck_assert_ptr_eq(tm_op_find("reg_many", "a"), third);
    ck_assert_ptr_eq(tm_op_find("reg_many", NULL), second);
}
END_TEST

START_TEST(an_override_outlives_its_op_harmlessly)
{
    tm_library *library = tm_library_open("owner");
    tm_op_def def = test_number_def("reg_short() -> Tensor");
    const tm_op *op = tm_library_register(library, &def);
    tm_library *over = override_with(op, (tm_fn)test_number_2);
    ck_assert_double_eq(test_call_number(op), 2);
    tm_library_close(library);
    tm_value result;
    EXPECT_FAIL(tm_op_call(op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "reg_short");
    tm_kernel_def kernel = {.struct_size = sizeof kernel, .impl = (tm_fn)test_number_3};
    tm_status status = tm_library_override(over, op, TM_KEY_PLAIN, &kernel); /* of a retired op */
    ck_assert(status == TM_OK || tm_error_code() == status);
    tm_error_clear();
    tm_library_close(over);
    EXPECT_FAIL(tm_op_call(op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "reg_short");
}
END_TEST

static tm_status same_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status sum_once(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_add(x, x);
    return *out ? TM_OK : tm_error_code();
}

static tm_status sum_twice(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_add(tm_add(x, x), tm_add(x, x));
    return *out ? TM_OK : tm_error_code();
}

START_TEST(a_composites_function_can_be_overridden)
{
    const tm_op *op = OP(.schema = "reg_compose(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)same_meta, .impl = (tm_fn)sum_once);
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_F32(CALL(op, {.tensor = x}), TM_INTS(2), 2, 4);
    tm_library *library = override_with(op, (tm_fn)sum_twice);
    EXPECT_F32(CALL(op, {.tensor = x}), TM_INTS(2), 4, 8);
    tm_library_close(library);
    EXPECT_F32(CALL(op, {.tensor = x}), TM_INTS(2), 2, 4);
}
END_TEST

static tm_status reduce_to_7(tm_call *call, const tm_reduce_args *args)
{
    (void)call;
    for (int64_t k = 0; k < args->num; k++)
        *(float *)(void *)(args->out + k * args->out_step) = 7;
    return TM_OK;
}

START_TEST(a_reductions_loops_can_be_overridden)
{
    static const tm_reduce_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, reduce_to_7}, {0}};
    tm_library *library = tm_library_open("sevens");
    tm_kernel_def def = {.struct_size = sizeof def, .reduce = loops};
    EXPECT_OK(tm_library_override(library, tm_op_find("amax", NULL), TM_KEY_PLAIN, &def));
    EXPECT_F32(tm_amax(F32(TM_INTS(2), 1, 2), NULL, false), tm_no_ints, 7);
    EXPECT(tm_amax(test_iota(TM_FLOAT64, TM_INTS(2)), NULL, false), TM_FLOAT64, tm_no_ints, 1);
    tm_library_close(library);
    EXPECT_F32(tm_amax(F32(TM_INTS(2), 1, 2), NULL, false), tm_no_ints, 2);
}
END_TEST

/* -- Closing ----------------------------------------------------------------------------------- */

START_TEST(closing_retires_ops_and_frees_their_names)
{
    tm_library *library = tm_library_open("closing");
    int64_t count = tm_op_count();
    tm_op_def def = test_number_def("reg_u() -> Tensor");
    const tm_op *op = tm_library_register(library, &def);
    ck_assert_double_eq(test_call_number(op), 1);
    tm_library_close(library);
    ck_assert_ptr_null(tm_op_find("reg_u", NULL));
    ck_assert_ptr_null(tm_op_find("reg_u_out", NULL));
    ck_assert_int_eq(tm_op_count(), count);
    ck_assert_str_eq(tm_op_name(op), "reg_u"); /* the pointer stays valid */
    tm_value result;
    EXPECT_FAIL(tm_op_call(op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "reg_u");
    tm_spec spec;
    EXPECT_FAIL(tm_infer(op, NULL, 0, &spec, 1), TM_ERR_NO_KERNEL, "reg_u");
    const tm_op *again = test_number_op("reg_u() -> Tensor", (tm_fn)test_number_2);
    ck_assert_ptr_ne(again, op);
    ck_assert_double_eq(test_call_number(again), 2);
}
END_TEST

START_TEST(a_closed_library_takes_nothing_more)
{
    tm_library *library = tm_library_open("closed");
    tm_library_close(library);
    tm_library_close(library); /* nothing left to retire */
    tm_library_close(NULL);
    tm_op_def def = test_number_def("reg_v() -> Tensor");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(library, &def), TM_ERR_USAGE, "closed");
    tm_kernel_def kernel = {.struct_size = sizeof kernel, .impl = (tm_fn)test_number_2};
    EXPECT_FAIL(tm_library_override(library, tm_op_find("triu", NULL), TM_KEY_PLAIN, &kernel),
                TM_ERR_USAGE, "closed");
    EXPECT_FAIL(tm_library_alias(library, "reg_w", "add"), TM_ERR_USAGE, "closed");
}
END_TEST

START_TEST(a_library_name_is_copied_and_may_repeat)
{
    char name[] = "same";
    tm_library *first = tm_library_open(name), *second = tm_library_open(name);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_ne(first, second);
    name[0] = 'X';
    tm_op_def def = test_number_def("reg_x() -> Tensor");
    const tm_op *op = tm_library_register(second, &def);
    char *text = dump(op);
    ck_assert_msg(strstr(text, "same") != NULL, "%s", text);
    free(text);
    tm_library_close(first);
    ck_assert_double_eq(test_call_number(op), 1);
    tm_library_close(second);
}
END_TEST

/* -- Closing while another thread calls -------------------------------------------------------- */

static _Atomic bool stop;
static const tm_op *shared_op;

/* Calls until told to stop; the value must be one of the kernels', or the op retired. */
static void *caller(void *user)
{
    _Atomic int *bad = user;
    while (!atomic_load(&stop)) {
        tm_value result;
        tm_status status = tm_op_call(shared_op, NULL, 0, &result, 1);
        if (status == TM_OK) {
            float value = *(const float *)tm_data(result.tensor);
            if (value != 1 && value != 2)
                atomic_fetch_add(bad, 1);
            tm_release(result.tensor);
        } else if (status != TM_ERR_NO_KERNEL) {
            atomic_fetch_add(bad, 1);
        }
        tm_error_clear();
        if (!tm_op_find("add", NULL))
            atomic_fetch_add(bad, 1);
    }
    return NULL;
}

START_TEST(libraries_close_while_other_threads_call)
{
    tm_library *library = tm_library_open("closing");
    tm_op_def def = test_number_def("reg_y() -> Tensor");
    shared_op = tm_library_register(library, &def);
    atomic_store(&stop, false);
    static _Atomic int bad;
    pthread_t threads[2];
    for (int i = 0; i < COUNT(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, caller, &bad), 0);
    for (int i = 0; i < 200; i++) {
        tm_library *over = override_with(shared_op, (tm_fn)test_number_2);
        tm_op_def other = test_number_def("reg_z() -> Tensor");
        ck_assert_ptr_nonnull(tm_library_register(over, &other));
        tm_library_close(over);
    }
    tm_library_close(library);
    tm_value result;
    EXPECT_FAIL(tm_op_call(shared_op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "");
    atomic_store(&stop, true);
    for (int i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(atomic_load(&bad), 0);
}
END_TEST

static tm_library *suicidal;

static tm_status close_inside(tm_call *call, tm_tensor *out)
{
    tm_library_close(suicidal);
    return test_number_1(call, out);
}

START_TEST(a_call_in_flight_finishes_on_what_it_found)
{
    suicidal = tm_library_open("suicidal");
    tm_op_def def = test_number_def("reg_0() -> Tensor");
    def.impl = (tm_fn)close_inside;
    const tm_op *op = tm_library_register(suicidal, &def);
    ck_assert_double_eq(test_call_number(op), 1);
    tm_value result;
    EXPECT_FAIL(tm_op_call(op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "reg_0");
}
END_TEST

Suite *library_suite(void)
{
    const TTest *tests[] = {the_last_override_wins_until_its_library_closes,
                            closing_a_lower_override_leaves_the_upper_one,
                            overriding_a_base_serves_its_forms,
                            the_meta_stays_whatever_kernel_wins,
                            a_dtype_that_an_override_lacks_falls_to_the_next,
                            overrides_that_make_no_sense_are_refused,
                            dump_names_the_winning_library_for_each_key,
                            an_alias_finds_every_overload_until_its_library_closes,
                            aliases_that_cannot_be_are_refused,
                            the_error_of_an_alias_names_the_op,
                            an_alias_of_an_alias_is_the_ops,
                            an_alias_outlives_its_op_harmlessly,
                            overloads_of_several_libraries,
                            an_override_outlives_its_op_harmlessly,
                            a_composites_function_can_be_overridden,
                            a_reductions_loops_can_be_overridden,
                            closing_retires_ops_and_frees_their_names,
                            a_closed_library_takes_nothing_more,
                            a_library_name_is_copied_and_may_repeat,
                            libraries_close_while_other_threads_call,
                            a_call_in_flight_finishes_on_what_it_found};
    return test_suite("library", tests, COUNT(tests));
}
