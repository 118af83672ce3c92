/* test_null.c: every public function given NULL while no error stands, a value out of range, a
 * released or an escaped handle: each gives its documented failure value and leaves an error that
 * names the function. None of them crashes.
 */
#include <string.h>

#include "null_support.h"

static const int64_t one = 1;

/* -- tensor.h ------------------------------------------------------------------------------------
 */

START_TEST(getters_of_null)
{
    GIVES(tm_ndim(NULL), -1);
    GIVES(tm_shape(NULL), NULL);
    GIVES(tm_strides(NULL), NULL);
    GIVES(tm_size(NULL, 0), -1);
    GIVES(tm_numel(NULL), -1);
    GIVES(tm_dtype_of(NULL), TM_DTYPE_NONE);
    GIVES(tm_is_contiguous(NULL), false);
    GIVES(tm_num_levels(NULL), -1);
    GIVES(tm_level_at(NULL, 0, NULL), 0);
    GIVES(tm_data(NULL), NULL);
    GIVES(tm_mutable_data(NULL), NULL);
}
END_TEST

START_TEST(getters_of_none)
{
    GIVES(tm_ndim(TM_NONE), -1);
    GIVES(tm_shape(TM_NONE), NULL);
    GIVES(tm_strides(TM_NONE), NULL);
    GIVES(tm_size(TM_NONE, 0), -1);
    GIVES(tm_numel(TM_NONE), -1);
    GIVES(tm_dtype_of(TM_NONE), TM_DTYPE_NONE);
    GIVES(tm_is_contiguous(TM_NONE), false);
    GIVES(tm_num_levels(TM_NONE), -1);
    GIVES(tm_level_at(TM_NONE, 0, NULL), 0);
    GIVES(tm_data(TM_NONE), NULL);
    GIVES(tm_mutable_data((tm_tensor *)(uintptr_t)TM_NONE), NULL);
    GIVES(tm_alias(TM_NONE), NULL);
    GIVES(tm_strided_view(TM_NONE, 0, NULL, NULL, 0), NULL);
    GIVES(tm_retain(TM_NONE), NULL);
    GIVES(tm_keep((tm_tensor *)(uintptr_t)TM_NONE), NULL);
}
END_TEST

START_TEST(makers_of_tensors)
{
    float memory[1] = {1};
    tm_tensor *x = F32(TM_INTS(1), 1);
    GIVES(tm_new(TM_FLOAT32, 1, NULL), NULL);
    GIVES(tm_from_data(TM_FLOAT32, 1, NULL, memory), NULL);
    GIVES(tm_from_data(TM_FLOAT32, 1, &one, NULL), NULL);
    GIVES(tm_from_data(TM_FLOAT32, 0, NULL, NULL), NULL);
    GIVES(tm_wrap(TM_FLOAT32, 1, NULL, NULL, memory, NULL), NULL);
    GIVES(tm_wrap(TM_FLOAT32, 1, &one, NULL, NULL, NULL), NULL);
    GIVES(tm_alias(NULL), NULL);
    GIVES(tm_strided_view(NULL, 0, NULL, NULL, 0), NULL);
    GIVES(tm_strided_view(x, 1, NULL, &one, 0), NULL);
    GIVES(tm_strided_view(x, 1, &one, NULL, 0), NULL);
}
END_TEST

START_TEST(ownership)
{
    GIVES(tm_retain(NULL), NULL);
    GIVES(tm_keep(NULL), NULL);
    FAILS(tm_scope_pop(NULL));
    tm_release(NULL);
    tm_release(TM_NONE);
    ck_assert_int_eq(tm_error_code(), TM_OK);
}
END_TEST

/* -- error.h, memory.h, types.h -------------------------------------------------------------------
 */

START_TEST(functions_that_take_null_as_nothing)
{
    tm_error_set_callback(NULL, NULL);
    tm_error_print(NULL);
    tm_set_allocator(NULL);
    tm_library_close(NULL);
    tm_string_free(NULL);
    ck_assert_int_eq(tm_dtype_from_name(NULL), TM_DTYPE_NONE);
    ck_assert_ptr_null(tm_op_find(NULL, NULL));
    ck_assert_int_eq(tm_error_code(), TM_OK);
    ck_assert_ptr_null(tm_new(TM_DTYPE_NONE, 0, NULL));
    SURVIVES(tm_error_print(NULL));
}
END_TEST

START_TEST(an_allocator_without_functions_is_not_set)
{
    tm_allocator half = tm_get_allocator();
    half.release = NULL;
    SURVIVES(tm_set_allocator(&half));
    ck_assert_ptr_nonnull((void *)(uintptr_t)tm_get_allocator().release);
    MADE(tm_new(TM_FLOAT32, 0, NULL));
}
END_TEST

/* -- dispatch.h
 * ------------------------------------------------------------------------------------ */

static tm_status no_impl(tm_call *call)
{
    return tm_fail(call, TM_ERR_USAGE, "never called");
}

START_TEST(libraries)
{
    const tm_op *add = tm_op_find("add", NULL), *triu = tm_op_find("triu", NULL);
    tm_op_def def = {.struct_size = sizeof def, .schema = NULL, .contract = TM_COMPOSITE};
    tm_kernel_def kernel = {.struct_size = sizeof kernel, .impl = (tm_fn)no_impl};
    GIVES(tm_library_open(NULL), NULL);
    GIVES(tm_library_register(NULL, &def), NULL);
    GIVES(tm_library_register(test_library, NULL), NULL);
    GIVES(tm_library_register(test_library, &def), NULL);
    def.schema = "null_a(Tensor x) -> Tensor";
    GIVES(tm_library_register(NULL, &def), NULL);
    FAILS(tm_library_override(NULL, triu, TM_KEY_PLAIN, &kernel));
    FAILS(tm_library_override(test_library, NULL, TM_KEY_PLAIN, &kernel));
    FAILS(tm_library_override(test_library, triu, TM_KEY_PLAIN, NULL));
    FAILS(tm_library_override(test_library, add, TM_NUM_KEYS, &kernel));
    FAILS(tm_library_alias(NULL, "a", "add"));
    FAILS(tm_library_alias(test_library, NULL, "add"));
    FAILS(tm_library_alias(test_library, "null_b", NULL));
    FAILS(tm_library_alias(test_library, "", "add"));
}
END_TEST

START_TEST(looking_at_no_op)
{
    double rtol, atol;
    GIVES(tm_op_name(NULL), NULL);
    GIVES(tm_op_overload(NULL), NULL);
    GIVES(tm_op_schema(NULL), NULL);
    GIVES(tm_op_doc(NULL), NULL);
    GIVES(tm_op_aliases(NULL), NULL);
    GIVES(tm_op_num_params(NULL), -1);
    GIVES(tm_op_param(NULL, 0), NULL);
    GIVES(tm_op_num_outputs(NULL), -1);
    GIVES(tm_op_get_samples(NULL), NULL);
    GIVES(tm_op_base(NULL), NULL);
    GIVES(tm_op_has_key(NULL, TM_KEY_PLAIN), false);
    GIVES(tm_op_has_loop(NULL, TM_FLOAT32), false);
    GIVES((tm_op_contract(NULL), 0), 0);
    GIVES((tm_op_output_type(NULL, 0), 0), 0);
    GIVES((tm_op_tolerance(NULL, &rtol, &atol), 0), 0);
    GIVES((tm_op_dump(NULL, stderr), 0), 0);
}
END_TEST

START_TEST(places_out_of_range_of_an_op)
{
    const tm_op *add = tm_op_find("add", NULL);
    static const int wrong[] = {-1, 2, 99, INT32_MAX, INT32_MIN};
    for (int i = 0; i < COUNT(wrong); i++) {
        GIVES(tm_op_param(add, wrong[i]), NULL);
        GIVES((tm_op_output_type(add, wrong[i]), 0), 0);
    }
    SURVIVES(ck_assert(!tm_op_has_key(add, TM_NUM_KEYS)));
    SURVIVES(ck_assert(!tm_op_has_key(add, (tm_key)-1)));
    SURVIVES(tm_op_tolerance(add, NULL, NULL));
    GIVES((tm_op_dump(add, NULL), 0), 0);
}
END_TEST

START_TEST(calling_no_op)
{
    tm_value value = {0};
    tm_spec spec;
    FAILS(tm_op_call(NULL, &value, 1, &value, 1));
    FAILS(tm_infer(NULL, &value, 1, &spec, 1));
    FAILS(tm_infer(tm_op_find("add", NULL), NULL, 2, &spec, 1));
    FAILS(tm_infer(tm_op_find("add", NULL), (const tm_value[2]){{0}}, 2, NULL, 1));
    FAILS(tm_op_call(tm_op_find("add", NULL), (const tm_value[2]){{0}}, 2, NULL, 1));
}
END_TEST

/* Every op, each of its tensors in turn: NULL, TM_NONE where it is not optional, released, escaped.
 * The message names the parameter. */
static void fill_args(const tm_op *op, tm_value *args, const tm_tensor *const *x)
{
    static tm_int_list no_list;
    for (int i = 0; i < tm_op_num_params(op); i++) {
        const tm_param *param = tm_op_param(op, i);
        args[i] = (tm_value){0};
        if (param->type == TM_TYPE_TENSOR)
            args[i].tensor = *x;
        else if (param->type == TM_TYPE_TENSOR_LIST)
            args[i].tensors = (tm_tensor_list){x, 1};
        else if (param->type == TM_TYPE_STR)
            args[i].str = "";
        else if (param->type == TM_TYPE_DTYPE)
            args[i].dtype = TM_FLOAT32;
        else if (param->type == TM_TYPE_SCALAR && !param->optional)
            args[i].scalar = tm_scalar_int(1);
        else if (param->type == TM_TYPE_INT_LIST && !param->optional)
            args[i].ints = no_list;
    }
}

static tm_status infer_any(const tm_op *op, const tm_value *args)
{
    tm_spec specs[TM_MAX_OUTPUTS];
    int64_t count;
    int outputs = tm_op_num_outputs(op);
    return tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST
               ? tm_infer_list(op, args, tm_op_num_params(op), specs, TM_MAX_OUTPUTS, &count)
               : tm_infer(op, args, tm_op_num_params(op), specs, outputs);
}

static void try_bad(const tm_op *op, const tm_tensor *good, const tm_tensor *bad, tm_status code)
{
    for (int k = 0; k < tm_op_num_params(op); k++) {
        const tm_param *param = tm_op_param(op, k);
        tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
        const tm_tensor *list[] = {bad};
        fill_args(op, args, &good);
        if (param->type == TM_TYPE_TENSOR)
            args[k].tensor = bad;
        else if (param->type == TM_TYPE_TENSOR_LIST)
            args[k].tensors.data = list;
        else
            continue;
        if (bad == TM_NONE && param->optional)
            continue;
        for (int infer = 0; infer < 2; infer++) {
            tm_status status =
                infer ? infer_any(op, args)
                      : tm_op_call(op, args, tm_op_num_params(op), results, tm_op_num_outputs(op));
            ck_assert_msg(status == code && tm_error_code() == code, "%s, %s: %s (%s)",
                          tm_op_schema(op), param->name, tm_status_name(status),
                          tm_error_message());
            ck_assert_msg(strncmp(tm_error_get()->message, param->name, strlen(param->name)) == 0,
                          "%s, %s: %s", tm_op_schema(op), param->name, tm_error_message());
            ck_assert_str_eq(tm_error_get()->argument, param->name);
            tm_error_clear();
        }
    }
}

START_TEST(every_op_given_null)
{
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    for (int64_t i = 0; i < tm_op_count(); i++) {
        try_bad(tm_op_at(i), x, NULL, TM_ERR_USAGE);
        try_bad(tm_op_at(i), x, TM_NONE, TM_ERR_USAGE);
    }
}
END_TEST

START_TEST(every_op_given_an_escaped_handle)
{
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *escaped =
        tm_keep(MADE(tm_vmap_in(v, F32(TM_INTS(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8), 0)));
    EXPECT_OK(tm_vmap_pop(v));
    for (int64_t i = 0; i < tm_op_count(); i++)
        try_bad(tm_op_at(i), x, escaped, TM_ERR_ESCAPED);
}
END_TEST

START_TEST(every_op_given_a_released_handle_in_debug_builds)
{
#ifdef TM_DEBUG
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4), *dead = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    tm_release(dead);
    for (int64_t i = 0; i < tm_op_count(); i++)
        try_bad(tm_op_at(i), x, dead, TM_ERR_USAGE);
#endif
}
END_TEST

START_TEST(typed_functions_given_null)
{
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    EXPECT_NULL(tm_add(NULL, x), TM_ERR_USAGE, "add: x1 is NULL");
    EXPECT_NULL(tm_add(x, NULL), TM_ERR_USAGE, "add: x2 is NULL");
    EXPECT_NULL(tm_add_(NULL, x), TM_ERR_USAGE, "add_: x1 is NULL");
    EXPECT_NULL(tm_add_out(x, x, NULL), TM_ERR_USAGE, "add_out: out is NULL");
    EXPECT_NULL(tm_triu(NULL, 0), TM_ERR_USAGE, "triu: x is NULL");
}
END_TEST

/* -- modes.h
 * ---------------------------------------------------------------------------------------- */

static tm_status no_map(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    (void)in;
    (void)out;
    return TM_OK;
}

START_TEST(modes)
{
    GIVES(tm_mode_push(NULL, NULL), NULL);
    FAILS(tm_mode_pop(NULL));
    FAILS(tm_mode_pass_on(NULL));
    SURVIVES(tm_mode_return(NULL, 0, NULL));
    GIVES(tm_trace_push(NULL), NULL);
}
END_TEST

START_TEST(levels)
{
    tm_tensor *x = F32(TM_INTS(1), 1);
    GIVES(tm_vmap_in(NULL, x, 0), NULL);
    GIVES(tm_vmap_out(NULL, x, 0), NULL);
    FAILS(tm_vmap_pop(NULL));
    GIVES(tm_vmap_size(NULL), -1);
    GIVES(tm_vmap_index(NULL), NULL);
    GIVES(tm_vmap_id(NULL), 0);
    ck_assert_ptr_null(tm_vmap_current());
    ck_assert_int_eq(tm_error_code(), TM_OK);
    tm_vmap_level *v = tm_vmap_push(NULL);
    GIVES(tm_vmap_in(v, NULL, 0), NULL);
    GIVES(tm_vmap_in(v, TM_NONE, 0), NULL);
    GIVES(tm_vmap_in(v, NULL, TM_NOT_MAPPED), NULL);
    GIVES(tm_vmap_out(v, NULL, 0), NULL);
    GIVES(tm_vmap_out(v, TM_NONE, 0), NULL);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(mapping)
{
    tm_tensor *x = F32(TM_INTS(1), 1), *out = x;
    const tm_tensor *in[] = {x}, *null[] = {NULL};
    const int64_t dim = 0;
    FAILS(tm_vmap(NULL, NULL, NULL, 1, in, &dim, 1, &out, NULL));
    ck_assert_ptr_null(out);
    FAILS(tm_vmap(no_map, NULL, NULL, 1, NULL, &dim, 1, &out, NULL));
    FAILS(tm_vmap(no_map, NULL, NULL, 1, in, NULL, 1, &out, NULL));
    FAILS(tm_vmap(no_map, NULL, NULL, 1, in, &dim, 1, NULL, NULL));
    FAILS(tm_vmap(no_map, NULL, NULL, 1, null, &dim, 1, &out, NULL));
    FAILS(tm_vmap(no_map, NULL, NULL, -1, in, &dim, 1, &out, NULL));
    FAILS(tm_vmap(no_map, NULL, NULL, 1, in, &dim, -1, &out, NULL));
    FAILS(tm_vmap(no_map, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL));
}
END_TEST

START_TEST(random_numbers)
{
    int64_t index[TM_MAX_LEVELS + 1] = {0};
    FAILS(tm_rng_at(0, 1, NULL));
    FAILS(tm_rng_at(0, -1, index));
    FAILS(tm_rng_at(0, TM_MAX_LEVELS + 1, index));
    index[0] = -1;
    FAILS(tm_rng_at(0, 1, index));
    index[0] = 0;
    tm_vmap_level *v = tm_vmap_push(NULL);
    FAILS(tm_rng_at(0, 1, index)); /* outside any level only */
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_OK(tm_rng_at(0, 0, NULL));
    FAILS(tm_set_num_threads(-1));
    FAILS(tm_set_num_threads(INT32_MAX));
}
END_TEST

/* -- io.h
 * -------------------------------------------------------------------------------------------- */

START_TEST(the_law)
{
    tm_law_options options = {.struct_size = sizeof options, .cases = 1};
    tm_law_result result = {.struct_size = sizeof result};
    const char *names[] = {"no_such_op", NULL};
    FAILS(tm_law_run(NULL, &result));
    FAILS(tm_law_run(&options, NULL));
    options.ops = names;
    options.num_ops = 1;
    FAILS(tm_law_run(&options, &result));
    options.num_ops = -1;
    FAILS(tm_law_run(&options, &result));
    options = (tm_law_options){.struct_size = sizeof options, .cases = -1};
    FAILS(tm_law_run(&options, &result));
    options = (tm_law_options){.struct_size = sizeof options, .ops = names + 1, .num_ops = 1};
    FAILS(tm_law_run(&options, &result));
}
END_TEST

START_TEST(files_and_printing)
{
    tm_tensor *x = F32(TM_INTS(1), 1);
    char text[16];
    GIVES(tm_npy_load(NULL), NULL);
    FAILS(tm_npy_save(NULL, x));
    FAILS(tm_npy_save("/tmp/never_written.npy", NULL));
    FAILS(tm_npy_save("/tmp/never_written.npy", TM_NONE));
    GIVES(tm_npy_map(NULL), NULL);
    FAILS(tm_print(NULL, x));
    FAILS(tm_print(stdout, NULL));
    FAILS(tm_print(stdout, TM_NONE));
    GIVES(tm_to_string(NULL), NULL);
    GIVES(tm_to_string(TM_NONE), NULL);
    FAILS(tm_print_with(NULL, x, NULL));
    FAILS(tm_print_with(stdout, NULL, NULL));
    GIVES(tm_to_string_with(TM_NONE, NULL), NULL);
    ck_assert_int_eq(tm_format_shape(NULL, 0, 1, &one), 4);
    ck_assert_int_eq(tm_format_shape(text, sizeof text, 0, NULL), 2);
    SURVIVES(tm_format_shape(text, sizeof text, 1, NULL));
    SURVIVES(tm_format_shape(text, sizeof text, -1, &one));
}
END_TEST

Suite *null_suite(void)
{
    const TTest *tests[] = {getters_of_null,
                            getters_of_none,
                            makers_of_tensors,
                            ownership,
                            functions_that_take_null_as_nothing,
                            an_allocator_without_functions_is_not_set,
                            libraries,
                            looking_at_no_op,
                            places_out_of_range_of_an_op,
                            calling_no_op,
                            every_op_given_null,
                            every_op_given_an_escaped_handle,
                            every_op_given_a_released_handle_in_debug_builds,
                            typed_functions_given_null,
                            modes,
                            levels,
                            mapping,
                            random_numbers,
                            the_law,
                            files_and_printing};
    return test_suite("null", tests, COUNT(tests));
}
