/* test_registry.c: the table of ops: registering, names and overloads, derived forms, looking at
 * ops.
 */
#include <string.h>

#include "number_support.h"

/* -- Registering and finding ------------------------------------------------------------------- */

START_TEST(a_registered_op_is_found_and_called)
{
    ck_assert_ptr_null(tm_op_find("reg_a", NULL));
    const tm_op *op = test_number_op("reg_a() -> Tensor", (tm_fn)test_number_1);
    ck_assert_ptr_eq(tm_op_find("reg_a", NULL), op);
    ck_assert_ptr_eq(tm_op_find("reg_a", ""), op);
    ck_assert_ptr_null(tm_op_find("reg_a", "other"));
    ck_assert_ptr_null(tm_op_find("reg", NULL));
    ck_assert_ptr_null(tm_op_find("", NULL));
    ck_assert_ptr_null(tm_op_find(NULL, NULL));
    ck_assert_int_eq(tm_error_code(), TM_OK); /* not finding is no failure */
    ck_assert_double_eq(test_call_number(op), 1);
}
END_TEST

START_TEST(the_declaration_can_be_read_back)
{
    static const struct tm_op_samples samples = {0, NULL};
    const tm_op *op =
        OP(.schema = "reg_b.over() -> Tensor", .contract = TM_PER_EXAMPLE, .doc = "One number.",
           .meta = (tm_fn)test_number_meta, .impl = (tm_fn)test_number_1, .rtol = 0.5, .atol = 0.25,
           .samples = &samples, .aliases = "reg_c,reg_d");
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
    const tm_op *op = test_number_op("reg_e() -> Tensor", (tm_fn)test_number_1);
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
    const tm_op *op = test_number_op("reg_f() -> Tensor", (tm_fn)test_number_1);
    tm_op_def def = test_number_def("reg_f() -> Tensor");
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE, "reg_f");
    ck_assert_ptr_eq(tm_op_find("reg_f", NULL), op);
    def = test_number_def("add(Tensor x1) -> Tensor"); /* a built-in one's */
    EXPECT_NULL((void *)(uintptr_t)tm_library_register(test_library, &def), TM_ERR_USAGE, "add");
}
END_TEST

/* All forms are registered or nothing: `reg_g_out` is taken, so `reg_g` must not appear. */
START_TEST(a_taken_form_refuses_the_whole_op)
{
    test_number_op("reg_g_out() -> Tensor", (tm_fn)test_number_1);
    int64_t before = tm_op_count();
    tm_op_def def = test_number_def("reg_g() -> Tensor");
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
    const tm_op *first = test_number_op("reg_h.b() -> Tensor", (tm_fn)test_number_1);
    const tm_op *second = test_number_op("reg_h.a() -> Tensor", (tm_fn)test_number_2);
    ck_assert_ptr_eq(tm_op_find("reg_h", NULL), first);
    ck_assert_ptr_eq(tm_op_find("reg_h", ""), first);
    ck_assert_ptr_eq(tm_op_find("reg_h", "a"), second);
    ck_assert_double_eq(test_call_number(second), 2);
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
        tm_op_def def = test_number_def("reg_i(Tensor x) -> Tensor");
        def.contract = lacking[i].contract;
        def.meta = lacking[i].meta ? (tm_fn)test_number_meta : NULL;
        def.impl = lacking[i].impl ? (tm_fn)test_number_1 : NULL;
        ck_assert_msg(!tm_library_register(test_library, &def), "case %d was accepted", i);
        EXPECT_ERROR(TM_ERR_SCHEMA, "library_register");
    }
}
END_TEST

START_TEST(ops_are_listed_in_order_of_name)
{
    test_number_op("reg_zz() -> Tensor", (tm_fn)test_number_1);
    test_number_op("reg_aa.z() -> Tensor", (tm_fn)test_number_1);
    test_number_op("reg_aa.a() -> Tensor", (tm_fn)test_number_1);
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
    test_number_op(schema, (tm_fn)test_number_1);
    ck_assert_ptr_null(tm_op_find("reg_full_out", NULL));
    test_number_op("reg_named(Tensor out) -> Tensor", (tm_fn)test_number_1);
    ck_assert_ptr_null(tm_op_find("reg_named_out", NULL));
}
END_TEST

/* The longest name that a schema can have; its forms would have a longer one. */
START_TEST(the_longest_name_is_registered)
{
    char schema[80], name[48];
    memset(name, 'n', 47);
    name[47] = '\0';
    snprintf(schema, sizeof schema, "%s() -> Tensor", name);
    const tm_op *op = test_number_op(schema, (tm_fn)test_number_1);
    ck_assert_ptr_eq(tm_op_find(name, NULL), op);
    tm_value result;
    EXPECT_FAIL(tm_op_call(op, NULL, 1, &result, 1), TM_ERR_USAGE, "nnn: ");
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
                            the_longest_name_is_registered};
    return test_suite("registry", tests, COUNT(tests));
}
