/* test_registry.c: libraries and the table of ops: registering, names and overloads, overriding,
 * aliases, looking at ops, and what closing a library leaves, also while another thread calls.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* -- Ops for these tests: each returns a number, so that one sees which kernel ran ------------- */

static tm_status number_meta(tm_call *call)
{
    return tm_output(call, 0, TM_FLOAT32, 0, NULL);
}

#define NUMBER(n)                                                                                  \
    static tm_status number_##n(tm_call *call, tm_tensor *out)                                     \
    {                                                                                              \
        (void)call;                                                                                \
        *(float *)tm_mutable_data(out) = n;                                                        \
        return TM_OK;                                                                              \
    }
NUMBER(1)
NUMBER(2)
NUMBER(3)

static const tm_op *number_op(const char *schema, tm_fn impl)
{
    return OP(.schema = schema, .contract = TM_PER_EXAMPLE, .meta = (tm_fn)number_meta,
              .impl = impl);
}

static tm_op_def number_def(const char *schema)
{
    return (tm_op_def){.struct_size = sizeof(tm_op_def),
                       .schema = schema,
                       .contract = TM_PER_EXAMPLE,
                       .meta = (tm_fn)number_meta,
                       .impl = (tm_fn)number_1};
}

static double call_number(const tm_op *op)
{
    tm_value result;
    ck_assert_msg(tm_op_call(op, NULL, 0, &result, 1) == TM_OK, "%s", tm_error_message());
    return test_value(result.tensor, 0);
}

/* -- Registering and finding ------------------------------------------------------------------- */

START_TEST(a_registered_op_is_found_and_called)
{
    ck_assert_ptr_null(tm_op_find("reg_a", NULL));
    const tm_op *op = number_op("reg_a() -> Tensor", (tm_fn)number_1);
    ck_assert_ptr_eq(tm_op_find("reg_a", NULL), op);
    ck_assert_ptr_eq(tm_op_find("reg_a", ""), op);
    ck_assert_ptr_null(tm_op_find("reg_a", "other"));
    ck_assert_ptr_null(tm_op_find("reg", NULL));
    ck_assert_ptr_null(tm_op_find("", NULL));
    ck_assert_ptr_null(tm_op_find(NULL, NULL));
    ck_assert_int_eq(tm_error_code(), TM_OK); /* not finding is no failure */
    ck_assert_double_eq(call_number(op), 1);
}
END_TEST

START_TEST(the_declaration_can_be_read_back)
{
    static const struct tm_op_samples samples = {0, NULL};
    const tm_op *op = OP(.schema = "reg_b.over() -> Tensor", .contract = TM_PER_EXAMPLE,
                         .doc = "One number.", .meta = (tm_fn)number_meta, .impl = (tm_fn)number_1,
                         .rtol = 0.5, .atol = 0.25, .samples = &samples, .aliases = "reg_c,reg_d");
    double rtol, atol;
    tm_op_tolerance(op, &rtol, &atol);
    ck_assert_double_eq(rtol, 0.5);
    ck_assert_double_eq(atol, 0.25);
    ck_assert_str_eq(tm_op_name(op), "reg_b");
    ck_assert_str_eq(tm_op_overload(op), "over");
    ck_assert_str_eq(tm_op_doc(op), "One number.");
    ck_assert_str_eq(tm_op_aliases(op), "reg_c,reg_d");
    ck_assert_int_eq(tm_op_contract(op), TM_PER_EXAMPLE);
    ck_assert_int_eq(tm_op_num_params(op), 0);
    ck_assert_int_eq(tm_op_num_outputs(op), 1);
    ck_assert_int_eq(tm_op_output_type(op, 0), TM_TYPE_TENSOR);
    ck_assert_ptr_eq(tm_op_get_samples(op), &samples);
    ck_assert_ptr_null(tm_op_base(op));
    ck_assert(tm_op_has_key(op, TM_KEY_PLAIN) && !tm_op_has_key(op, TM_KEY_BATCHED));
    ck_assert_ptr_eq(tm_op_find("reg_d", "over"), op);
}
END_TEST

START_TEST(strings_of_an_op_without_them_are_empty)
{
    const tm_op *op = number_op("reg_e() -> Tensor", (tm_fn)number_1);
    ck_assert_str_eq(tm_op_overload(op), "");
    ck_assert_str_eq(tm_op_doc(op), "");
    ck_assert_str_eq(tm_op_aliases(op), "");
    ck_assert_ptr_null(tm_op_get_samples(op));
}
END_TEST

START_TEST(contracts_and_keys_are_spelled_as_documented)
{
    static const char *const names[] = {"elementwise", "reduction",      "per-example",
                                        "signature",   "view",           "view-or-copy",
                                        "random",      "data-dependent", "composite"};
    for (int i = 0; i < COUNT(names); i++)
        ck_assert_str_eq(tm_contract_name((tm_contract)i), names[i]);
    ck_assert_ptr_nonnull(tm_contract_name((tm_contract)99));
    ck_assert_str_eq(tm_key_name(TM_KEY_PLAIN), "plain");
    ck_assert_str_eq(tm_key_name(TM_KEY_BATCHED), "batched");
    ck_assert_ptr_nonnull(tm_key_name((tm_key)-1));
}
END_TEST

START_TEST(a_taken_name_is_refused_and_the_first_stays)
{
    const tm_op *op = number_op("reg_f() -> Tensor", (tm_fn)number_1);
    tm_op_def def = number_def("reg_f() -> Tensor");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE, "reg_f");
    ck_assert_ptr_eq(tm_op_find("reg_f", NULL), op);
    def = number_def("add(Tensor x1) -> Tensor"); /* a built-in one's */
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE, "add");
}
END_TEST

/* All forms are registered or nothing: `reg_g_out` is taken, so `reg_g` must not appear. */
START_TEST(a_taken_form_refuses_the_whole_op)
{
    number_op("reg_g_out() -> Tensor", (tm_fn)number_1);
    int64_t before = tm_op_count();
    tm_op_def def = number_def("reg_g() -> Tensor");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE,
                "reg_g_out");
    ck_assert_ptr_null(tm_op_find("reg_g", NULL));
    ck_assert_int_eq(tm_op_count(), before);
    def.no_forms = true;
    ck_assert_ptr_nonnull(tm_library_register(test_library, &def));
}
END_TEST

START_TEST(overloads_share_a_name_and_the_first_is_the_default)
{
    const tm_op *first = number_op("reg_h.b() -> Tensor", (tm_fn)number_1);
    const tm_op *second = number_op("reg_h.a() -> Tensor", (tm_fn)number_2);
    ck_assert_ptr_eq(tm_op_find("reg_h", NULL), first);
    ck_assert_ptr_eq(tm_op_find("reg_h", ""), first);
    ck_assert_ptr_eq(tm_op_find("reg_h", "a"), second);
    ck_assert_double_eq(call_number(second), 2);
}
END_TEST

START_TEST(a_declaration_must_have_what_its_contract_needs)
{
    static const struct {
        tm_contract contract;
        bool meta, impl;
    } lacking[] = {{TM_ELEMENTWISE, true, true},  {TM_REDUCTION, true, true},
                   {TM_PER_EXAMPLE, false, true}, {TM_PER_EXAMPLE, true, false},
                   {TM_VIEW, false, false},       {TM_VIEW_OR_COPY, true, false},
                   {TM_RANDOM, true, false},      {TM_DATA_DEPENDENT, true, false},
                   {TM_COMPOSITE, true, false},   {TM_COMPOSITE, false, true},
                   {(tm_contract)99, true, true}, {(tm_contract)-1, true, true}};
    for (int i = 0; i < COUNT(lacking); i++) {
        tm_op_def def = number_def("reg_i(Tensor x) -> Tensor");
        def.contract = lacking[i].contract;
        def.meta = lacking[i].meta ? (tm_fn)number_meta : NULL;
        def.impl = lacking[i].impl ? (tm_fn)number_1 : NULL;
        ck_assert_msg(!tm_library_register(test_library, &def), "case %d was accepted", i);
        EXPECT_ERROR(TM_ERR_SCHEMA, "library_register");
    }
}
END_TEST

START_TEST(ops_are_listed_in_order_of_name)
{
    number_op("reg_zz() -> Tensor", (tm_fn)number_1);
    number_op("reg_aa.z() -> Tensor", (tm_fn)number_1);
    number_op("reg_aa.a() -> Tensor", (tm_fn)number_1);
    int64_t count = tm_op_count();
    ck_assert_int_gt(count, 6);
    int found = 0;
    for (int64_t i = 1; i < count; i++) {
        ck_assert_ptr_nonnull(tm_op_at(i));
        ck_assert_int_le(strcmp(tm_op_name(tm_op_at(i - 1)), tm_op_name(tm_op_at(i))), 0);
        ck_assert_ptr_ne(tm_op_at(i - 1), tm_op_at(i));
        found += strncmp(tm_op_name(tm_op_at(i)), "reg_", 4) == 0;
    }
    ck_assert_int_eq(found, 6); /* with the _out forms */
    ck_assert_ptr_null(tm_op_at(count));
    ck_assert_ptr_null(tm_op_at(-1));
    ck_assert_ptr_null(tm_op_at(INT64_MAX));
    ck_assert_int_eq(tm_error_code(), TM_OK);
}
END_TEST

START_TEST(derived_forms_are_ops_with_a_base)
{
    const tm_op *mul = test_op_mul();
    const tm_op *in_place = tm_op_find("test_mul_", NULL), *out = tm_op_find("test_mul_out", NULL);
    ck_assert_str_eq(tm_op_schema(in_place), "test_mul_(Tensor! x1, Tensor x2) -> Tensor!");
    ck_assert_str_eq(tm_op_schema(out),
                     "test_mul_out(Tensor x1, Tensor x2, Tensor! out) -> Tensor!");
    ck_assert_ptr_eq(tm_op_base(in_place), mul);
    ck_assert_ptr_eq(tm_op_base(out), mul);
    ck_assert_ptr_null(tm_op_base(mul));
    const tm_op *sum = test_op_row_sum();
    ck_assert_ptr_null(tm_op_find("test_row_sum_", NULL)); /* elementwise ops alone have it */
    ck_assert_ptr_eq(tm_op_base(tm_op_find("test_row_sum_out", NULL)), sum);
    const tm_op *scalar = tm_op_find("add_", "scalar");
    ck_assert_ptr_nonnull(scalar);
    ck_assert_ptr_eq(tm_op_base(scalar), tm_op_find("add", "scalar"));
}
END_TEST

START_TEST(an_op_whose_out_form_cannot_be_is_registered_without_it)
{
    char schema[1024];
    char *at = schema + sprintf(schema, "reg_full(");
    for (int i = 0; i < TM_MAX_ARGS; i++)
        at += sprintf(at, "%sint a%d", i ? ", " : "", i);
    sprintf(at, ") -> Tensor");
    number_op(schema, (tm_fn)number_1);
    ck_assert_ptr_null(tm_op_find("reg_full_out", NULL));
    number_op("reg_named(Tensor out) -> Tensor", (tm_fn)number_1);
    ck_assert_ptr_null(tm_op_find("reg_named_out", NULL));
}
END_TEST

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
    const tm_op *op = number_op("reg_j() -> Tensor", (tm_fn)number_1);
    tm_library *two = override_with(op, (tm_fn)number_2);
    ck_assert_double_eq(call_number(op), 2);
    tm_library *three = override_with(op, (tm_fn)number_3);
    ck_assert_double_eq(call_number(op), 3);
    tm_library_close(three);
    ck_assert_double_eq(call_number(op), 2);
    tm_library_close(two);
    ck_assert_double_eq(call_number(op), 1);
}
END_TEST

START_TEST(closing_a_lower_override_leaves_the_upper_one)
{
    const tm_op *op = number_op("reg_k() -> Tensor", (tm_fn)number_1);
    tm_library *two = override_with(op, (tm_fn)number_2);
    tm_library *three = override_with(op, (tm_fn)number_3);
    tm_library_close(two);
    ck_assert_double_eq(call_number(op), 3);
    tm_library_close(three);
    ck_assert_double_eq(call_number(op), 1);
}
END_TEST

START_TEST(overriding_a_base_serves_its_forms)
{
    const tm_op *op = number_op("reg_l() -> Tensor", (tm_fn)number_1);
    tm_library *library = override_with(op, (tm_fn)number_2);
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
    const tm_op *op = number_op("reg_n() -> Tensor", (tm_fn)number_1);
    tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)number_2};
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
    const tm_op *op = number_op("reg_o() -> Tensor", (tm_fn)number_1);
    char *text = dump(op);
    ck_assert_msg(strstr(text, "reg_o() -> Tensor") && strstr(text, "plain") &&
                      strstr(text, "test"),
                  "%s", text);
    free(text);
    tm_library *library = tm_library_open("fast_kernels");
    tm_kernel_def def = {.struct_size = sizeof def, .impl = (tm_fn)number_2};
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
    const tm_op *one = number_op("reg_p() -> Tensor", (tm_fn)number_1);
    const tm_op *two = number_op("reg_p.two() -> Tensor", (tm_fn)number_2);
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
    number_op("reg_r() -> Tensor", (tm_fn)number_1);
    EXPECT_FAIL(tm_library_alias(test_library, "reg_s", "reg_no_such"), TM_ERR_USAGE,
                "reg_no_such");
    EXPECT_FAIL(tm_library_alias(test_library, "add", "reg_r"), TM_ERR_USAGE, "add");
    EXPECT_OK(tm_library_alias(test_library, "reg_t", "reg_r"));
    EXPECT_FAIL(tm_library_alias(test_library, "reg_t", "add"), TM_ERR_USAGE, "reg_t");
    tm_op_def def = number_def("reg_t() -> Tensor");
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

/* -- Closing ----------------------------------------------------------------------------------- */

START_TEST(closing_retires_ops_and_frees_their_names)
{
    tm_library *library = tm_library_open("closing");
    int64_t count = tm_op_count();
    tm_op_def def = number_def("reg_u() -> Tensor");
    const tm_op *op = tm_library_register(library, &def);
    ck_assert_double_eq(call_number(op), 1);
    tm_library_close(library);
    ck_assert_ptr_null(tm_op_find("reg_u", NULL));
    ck_assert_ptr_null(tm_op_find("reg_u_out", NULL));
    ck_assert_int_eq(tm_op_count(), count);
    ck_assert_str_eq(tm_op_name(op), "reg_u"); /* the pointer stays valid */
    tm_value result;
    EXPECT_FAIL(tm_op_call(op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "reg_u");
    tm_spec spec;
    EXPECT_FAIL(tm_infer(op, NULL, 0, &spec, 1), TM_ERR_NO_KERNEL, "reg_u");
    const tm_op *again = number_op("reg_u() -> Tensor", (tm_fn)number_2);
    ck_assert_ptr_ne(again, op);
    ck_assert_double_eq(call_number(again), 2);
}
END_TEST

START_TEST(a_closed_library_takes_nothing_more)
{
    tm_library *library = tm_library_open("closed");
    tm_library_close(library);
    tm_library_close(library); /* nothing left to retire */
    tm_library_close(NULL);
    tm_op_def def = number_def("reg_v() -> Tensor");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(library, &def), TM_ERR_USAGE, "closed");
    tm_kernel_def kernel = {.struct_size = sizeof kernel, .impl = (tm_fn)number_2};
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
    tm_op_def def = number_def("reg_x() -> Tensor");
    const tm_op *op = tm_library_register(second, &def);
    char *text = dump(op);
    ck_assert_msg(strstr(text, "same") != NULL, "%s", text);
    free(text);
    tm_library_close(first);
    ck_assert_double_eq(call_number(op), 1);
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
    tm_op_def def = number_def("reg_y() -> Tensor");
    shared_op = tm_library_register(library, &def);
    atomic_store(&stop, false);
    static _Atomic int bad;
    pthread_t threads[2];
    for (int i = 0; i < COUNT(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, caller, &bad), 0);
    for (int i = 0; i < 200; i++) {
        tm_library *over = override_with(shared_op, (tm_fn)number_2);
        tm_op_def other = number_def("reg_z() -> Tensor");
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
    return number_1(call, out);
}

START_TEST(a_call_in_flight_finishes_on_what_it_found)
{
    suicidal = tm_library_open("suicidal");
    tm_op_def def = number_def("reg_0() -> Tensor");
    def.impl = (tm_fn)close_inside;
    const tm_op *op = tm_library_register(suicidal, &def);
    ck_assert_double_eq(call_number(op), 1);
    tm_value result;
    EXPECT_FAIL(tm_op_call(op, NULL, 0, &result, 1), TM_ERR_NO_KERNEL, "reg_0");
}
END_TEST

Suite *registry_suite(void)
{
    const TTest *tests[] = {a_registered_op_is_found_and_called,
                            the_declaration_can_be_read_back,
                            strings_of_an_op_without_them_are_empty,
                            contracts_and_keys_are_spelled_as_documented,
                            a_taken_name_is_refused_and_the_first_stays,
                            a_taken_form_refuses_the_whole_op,
                            overloads_share_a_name_and_the_first_is_the_default,
                            a_declaration_must_have_what_its_contract_needs,
                            ops_are_listed_in_order_of_name,
                            derived_forms_are_ops_with_a_base,
                            an_op_whose_out_form_cannot_be_is_registered_without_it,
                            the_last_override_wins_until_its_library_closes,
                            closing_a_lower_override_leaves_the_upper_one,
                            overriding_a_base_serves_its_forms,
                            the_meta_stays_whatever_kernel_wins,
                            a_dtype_that_an_override_lacks_falls_to_the_next,
                            overrides_that_make_no_sense_are_refused,
                            dump_names_the_winning_library_for_each_key,
                            an_alias_finds_every_overload_until_its_library_closes,
                            aliases_that_cannot_be_are_refused,
                            the_error_of_an_alias_names_the_op,
                            closing_retires_ops_and_frees_their_names,
                            a_closed_library_takes_nothing_more,
                            a_library_name_is_copied_and_may_repeat,
                            libraries_close_while_other_threads_call,
                            a_call_in_flight_finishes_on_what_it_found};
    return test_suite("registry", tests, COUNT(tests));
}
