/* test_lists.c: ops that return a list of tensors: how long it is, who owns it, what can go wrong.
 */
#include <stdlib.h>

#include "support.h"

#include "dispatch/schema.h"

#include <transmute/kernel.h>
#include <transmute/memory.h>
#include <transmute/modes.h>
#include <transmute/ops.h>

static int64_t live(void)
{
    return (int64_t)tm_memory_get_stats().live_tensors;
}

/* -- The list and its handles ------------------------------------------------------------------ */

START_TEST(lengths)
{
    static const int64_t counts[] = {0, 1, 6, 7, 2000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        tm_scope *scope = tm_scope_push();
        tm_tensor *x = tm_new(TM_INT64, 1, &counts[k]);
        for (int64_t i = 0; i < counts[k]; i++)
            ((int64_t *)tm_mutable_data(x))[i] = 3 * i;
        tm_tensor_list list = tm_unbind(x, 0);
        ck_assert_int_eq(list.count, counts[k]);
        ck_assert_ptr_eq(list.data ? x : NULL, counts[k] ? x : NULL);
        for (int64_t i = 0; i < list.count; i++)
            ck_assert_int_eq(*(const int64_t *)tm_data(list.data[i]), 3 * i);
        tm_scope_pop(scope);
    }
}
END_TEST

START_TEST(handles_are_owned_one_by_one)
{
    int64_t before = live();
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_new(TM_FLOAT32, 2, (const int64_t[]){3, 2});
    tm_tensor_list list = tm_unbind(x, 0);
    tm_tensor *second = tm_retain(list.data[1]);
    tm_scope_pop(scope);
    ck_assert_int_eq(live(), before + 1);
    ck_assert_int_eq(tm_numel(second), 2);
    tm_release(second);
    /* Outside every scope each handle is the caller's. */
    x = tm_new(TM_FLOAT32, 1, (const int64_t[]){8});
    list = tm_split(x, 3, 0);
    ck_assert_int_eq(list.count, 3);
    ck_assert_int_eq(live(), before + 4);
    for (int64_t i = list.count; i-- > 0;)
        tm_release(list.data[i]);
    tm_release(x);
    ck_assert_int_eq(live(), before);
}
END_TEST

START_TEST(a_failed_list_is_like_null)
{
    tm_tensor *x = tm_new(TM_FLOAT32, 0, NULL);
    tm_tensor_list list = tm_unbind(x, 0);
    ck_assert_int_eq(list.count, -1);
    ck_assert_ptr_null(list.data);
    ck_assert_int_eq(tm_error_code(), TM_ERR_DIM);
    ck_assert_ptr_null(tm_concat(list, 0));
    ck_assert_int_eq(tm_error_code(), TM_ERR_DIM);
    ck_assert_str_eq(tm_error_get()->op, "unbind");
    ck_assert_int_eq(tm_broadcast_arrays(list).count, -1);
    ck_assert_int_eq(tm_error_code(), TM_ERR_DIM);
    tm_error_clear();
    ck_assert_ptr_null(tm_concat(list, 0));
    ck_assert_int_eq(tm_error_code(), TM_ERR_USAGE);
    tm_error_clear();
    tm_release(x);
}
END_TEST

START_TEST(chunks_beyond_counting)
{
    tm_tensor *x = tm_new(TM_FLOAT32, 1, (const int64_t[]){100});
    int64_t before = live();
    tm_tensor_list list = tm_chunk(x, INT64_MAX, 0);
    ck_assert_int_eq(list.count, 100);
    for (int64_t i = list.count; i-- > 0;)
        tm_release(list.data[i]);
    ck_assert_int_eq(live(), before);
    tm_tensor *none = tm_new(TM_FLOAT32, 1, (const int64_t[]){0});
    ck_assert_int_eq(tm_chunk(none, INT64_MAX, 0).count, -1);
    ck_assert_int_eq(tm_error_code(), TM_ERR_VALUE);
    tm_error_clear();
    tm_release(none);
    tm_release(x);
}
END_TEST

/* -- Levels ------------------------------------------------------------------------------------ */

START_TEST(under_nested_levels)
{
    tm_tensor *x = tm_new(TM_INT32, 3, (const int64_t[]){2, 3, 7});
    for (int i = 0; i < 42; i++)
        ((int32_t *)tm_mutable_data(x))[i] = i;
    tm_vmap_level *outer = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(outer, x, 1);
    tm_vmap_level *inner = tm_vmap_push(NULL);
    tm_tensor_list list = tm_unbind(tm_vmap_in(inner, row, 0), 0);
    ck_assert_int_eq(list.count, 7);
    tm_tensor *last = tm_vmap_out(inner, list.data[6], 0);
    tm_vmap_pop(inner);
    tm_tensor *out = tm_vmap_out(outer, last, 0);
    tm_vmap_pop(outer);
    ck_assert_int_eq(tm_ndim(out), 2);
    ck_assert_int_eq(tm_size(out, 0), 3);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 2; b++) {
            const int32_t *data = tm_data(out);
            ck_assert_int_eq(data[a * tm_strides(out)[0] + b * tm_strides(out)[1]],
                             21 * b + 7 * a + 6);
        }
    tm_release(out);
    tm_release(x);
}
END_TEST

/* split in two parts and put together the other way round: each part has a batch axis of its own */
START_TEST(every_part_has_its_batch_axis)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_zeros(TM_INTS(5, 4, 6, 7), TM_FLOAT32);
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_tensor_list parts = tm_chunk(tm_vmap_in(level, x, 1), 2, 1);
    tm_tensor *y = tm_concat(TM_TENSORS(parts.data[1], parts.data[0]), 1);
    tm_tensor *out = tm_vmap_out(level, y, 0);
    ck_assert_ptr_nonnull(out);
    tm_vmap_pop(level);
    static const int64_t shape[] = {4, 5, 6, 7};
    ck_assert_int_eq(tm_ndim(out), 4);
    for (int d = 0; d < 4; d++)
        ck_assert_int_eq(tm_size(out, d), shape[d]);
    tm_scope_pop(scope);
}
END_TEST

/* -- Ops registered at run time ---------------------------------------------------------------- */

/* multiples(x, n): x, 2x, ... nx; fails at a value of 13 once it has written. */
static tm_status multiples_meta(tm_call *call, const tm_tensor *x, int64_t n)
{
    tm_status status = tm_output_count(call, n);
    for (int i = 0; i < n && status == TM_OK; i++)
        status = tm_output_like(call, i, x);
    return status;
}

static tm_status multiples_impl(tm_call *call, const tm_tensor *x, int64_t n, tm_out_list out)
{
    ck_assert_int_eq(out.count, n);
    ck_assert_int_eq(tm_call_num_outputs(call), (int)n);
    for (int64_t i = 0; i < n; i++) {
        double value = *(const double *)tm_data(x);
        if (i == n - 1 && value == 13)
            return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not be 13");
        *(double *)tm_mutable_data(out.data[i]) = value * (double)(i + 1);
    }
    return TM_OK;
}

static tm_status both_ways_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_output_count(call, tm_size(x, 0));
    for (int i = 0; i < tm_size(x, 0) && status == TM_OK; i++)
        status = tm_output(call, i, tm_dtype_of(x), 0, NULL);
    return status;
}

/* The elements, the last first: a composite that hands on the handles of another list. */
static tm_status both_ways_impl(tm_call *call, const tm_tensor *x, tm_out_list out)
{
    (void)call;
    tm_tensor_list list = tm_unbind(x, 0);
    for (int64_t i = 0; i < out.count; i++)
        out.data[i] = (tm_tensor *)(uintptr_t)list.data[out.count - 1 - i];
    if (out.count > 1)
        out.data[1] = out.data[0]; /* one handle twice */
    return TM_OK;
}

static const tm_op_def multiples = {sizeof multiples, "multiples(Tensor x, int n) -> Tensor[] ys",
                                    TM_PER_EXAMPLE, .meta = (tm_fn)multiples_meta,
                                    .impl = (tm_fn)multiples_impl};
static const tm_op_def both_ways = {sizeof both_ways, "both_ways(Tensor x) -> Tensor[]",
                                    TM_COMPOSITE, .meta = (tm_fn)both_ways_meta,
                                    .impl = (tm_fn)both_ways_impl};

static tm_status call_list(const tm_op *op, const tm_tensor *x, int64_t n, tm_tensor_list *list)
{
    tm_value args[2] = {{.tensor = x}, {.i = n}}, result;
    tm_status status = tm_op_call(op, args, tm_op_num_params(op), &result, 1);
    *list = result.tensors;
    return status;
}

START_TEST(kernels_write_a_list)
{
    tm_library *library = tm_library_open("lists");
    const tm_op *op = tm_library_register(library, &multiples);
    ck_assert_ptr_nonnull(op);
    ck_assert_int_eq(tm_op_output_type(op, 0), TM_TYPE_TENSOR_LIST);
    ck_assert_ptr_null(tm_op_find("multiples_out", ""));
    int64_t before = live();
    for (int64_t n = 0; n < 30; n += 5) {
        tm_scope *scope = tm_scope_push();
        tm_tensor *x =
            tm_from_data(TM_FLOAT64, 1, (const int64_t[]){3}, (const double[]){1, 5, 13});
        tm_vmap_level *level = tm_vmap_push(NULL);
        tm_tensor_list list;
        tm_tensor *first = tm_vmap_in(level, tm_slice(x, 0, 0, 2, 1), 0);
        ck_assert_int_eq(call_list(op, first, n, &list), TM_OK);
        ck_assert_int_eq(list.count, n);
        if (n > 0) {
            tm_tensor *last = tm_vmap_out(level, list.data[n - 1], 0);
            ck_assert_double_eq(((const double *)tm_data(last))[1], 5 * (double)n);
            tm_status status =
                call_list(op, tm_vmap_in(level, tm_slice(x, 0, 1, 3, 1), 0), n, &list);
            ck_assert_int_eq(status, TM_ERR_VALUE);
            ck_assert_int_eq(list.count, -1);
            ck_assert_int_eq(tm_error_get()->levels[0].index, 1);
            tm_error_clear();
        }
        tm_vmap_pop(level);
        tm_scope_pop(scope);
        ck_assert_int_eq(live(), before);
    }
    tm_library_close(library);
}
END_TEST

START_TEST(composites_hand_a_list_on)
{
    tm_library *library = tm_library_open("lists");
    const tm_op *op = tm_library_register(library, &both_ways);
    ck_assert_ptr_nonnull(op);
    int64_t before = live();
    for (int64_t n = 0; n < 20; n += 4) {
        tm_tensor *x = tm_zeros((tm_int_list){&n, 1}, TM_FLOAT32);
        tm_tensor_list list;
        ck_assert_int_eq(call_list(op, x, 0, &list), TM_OK);
        ck_assert_int_eq(list.count, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < i; k++)
                ck_assert_ptr_ne(list.data[i], list.data[k]);
        for (int64_t i = n; i-- > 0;)
            tm_release(list.data[i]);
        tm_release(x);
        ck_assert_int_eq(live(), before);
    }
    tm_library_close(library);
}
END_TEST

START_TEST(other_contracts_refuse_a_list)
{
    static const tm_contract refused[] = {TM_ELEMENTWISE, TM_REDUCTION, TM_SIGNATURE, TM_RANDOM,
                                          TM_DATA_DEPENDENT};
    static const tm_loop loops[] = {{0}};
    static const tm_reduce_loop reduce[] = {{0}};
    tm_library *library = tm_library_open("lists");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tm_op_def def = both_ways;
        def.contract = refused[i];
        def.loops = loops;
        def.reduce = reduce;
        def.signature = "()->()";
        ck_assert_ptr_null(tm_library_register(library, &def));
        ck_assert_int_eq(tm_error_code(), TM_ERR_SCHEMA);
        ck_assert_ptr_nonnull(strstr(tm_error_message(), "returns no list of tensors"));
        tm_error_clear();
    }
    tm_library_close(library);
}
END_TEST

START_TEST(a_list_is_the_only_output)
{
    static const char *const wrong[] = {"f(Tensor x) -> (Tensor[] a, Tensor b)",
                                        "f(Tensor x) -> (Tensor a, Tensor[] b)",
                                        "f(Tensor! x) -> Tensor[]!", "f(Tensor x) -> int[]"};
    tm_schema schema;
    tm_schema_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!tm_schema_parse(wrong[i], &schema, &error), "%s", wrong[i]);
    ck_assert(tm_schema_parse("f(Tensor x) -> Tensor[] parts", &schema, &error));
    ck_assert_int_eq(schema.outputs[0].type, TM_TYPE_TENSOR_LIST);
}
END_TEST

/* -- Metas that say wrong things ----------------------------------------------------------------
 */

static int64_t wrong_way;

static tm_status wrong_meta(tm_call *call, const tm_tensor *x)
{
    if (wrong_way == 0)
        return tm_output_like(call, 0, x);
    if (wrong_way == 1)
        return TM_OK;
    tm_status status = tm_output_count(call, wrong_way == 2 ? -1 : 9);
    if (status != TM_OK)
        return status;
    if (wrong_way == 3)
        return tm_output_count(call, 9);
    for (int i = 0; i < (wrong_way == 4 ? 8 : 10) && status == TM_OK; i++)
        status = tm_output_like(call, i, x);
    return status;
}

static tm_status wrong_impl(tm_call *call, const tm_tensor *x, tm_out_list out)
{
    (void)x;
    (void)out;
    return tm_fail(call, TM_ERR_VALUE, "not reached");
}

START_TEST(wrong_metas_are_schema_errors)
{
    static const char *const messages[] = {"meta describes output 0, but not how many there are",
                                           "meta does not say how many outputs there are",
                                           "meta says wrongly that there are -1 outputs",
                                           "meta says a second time that there are 9 outputs",
                                           "meta left output 8 of 9 undescribed",
                                           "meta describes output 9, there are 9"};
    tm_library *library = tm_library_open("lists");
    const tm_op_def def = {sizeof def, "wrong(Tensor x) -> Tensor[]", TM_PER_EXAMPLE,
                           .meta = (tm_fn)wrong_meta, .impl = (tm_fn)wrong_impl};
    const tm_op *op = tm_library_register(library, &def);
    tm_tensor *x = tm_zeros(tm_no_ints, TM_FLOAT32);
    tm_value arg = {.tensor = x};
    for (wrong_way = 0; wrong_way < 6; wrong_way++) {
        tm_tensor_list list;
        tm_spec specs[9];
        int64_t count;
        ck_assert_int_eq(call_list(op, x, 0, &list), TM_ERR_SCHEMA);
        ck_assert_ptr_nonnull(strstr(tm_error_message(), messages[wrong_way]));
        ck_assert_int_eq(tm_infer_list(op, &arg, 1, specs, 9, &count), TM_ERR_SCHEMA);
        ck_assert_ptr_nonnull(strstr(tm_error_message(), messages[wrong_way]));
        tm_error_clear();
    }
    tm_release(x);
    tm_library_close(library);
}
END_TEST

/* -- Infer and modes --------------------------------------------------------------------------- */

START_TEST(infer_counts_without_allocating)
{
    const tm_op *unbind = tm_op_find("unbind", ""), *exp = tm_op_find("exp", "");
    tm_tensor *x = tm_zeros(TM_INTS(9, 2), TM_FLOAT32);
    tm_value args[2] = {{.tensor = x}, {.i = 0}};
    tm_spec specs[9];
    int64_t count = 0;
    uint64_t before = tm_memory_get_stats().allocations;
    ck_assert_int_eq(tm_infer_list(unbind, args, 2, NULL, 0, &count), TM_OK);
    ck_assert_int_eq(count, 9);
    ck_assert_int_eq(tm_infer_list(unbind, args, 2, specs, 4, &count), TM_OK);
    ck_assert_int_eq(tm_infer_list(unbind, args, 2, specs, 9, &count), TM_OK);
    ck_assert_int_eq(specs[8].shape[0], 2);
    ck_assert_uint_eq(tm_memory_get_stats().allocations, before);
    ck_assert_int_eq(tm_infer(unbind, args, 2, specs, 1), TM_ERR_USAGE);
    ck_assert_int_eq(tm_infer_list(exp, args, 1, specs, 1, &count), TM_ERR_USAGE);
    ck_assert_int_eq(tm_infer_list(unbind, args, 2, NULL, 1, &count), TM_ERR_USAGE);
    ck_assert_int_eq(tm_infer_list(unbind, args, 2, specs, 1, NULL), TM_ERR_USAGE);
    tm_error_clear();
    tm_release(x);
}
END_TEST

typedef struct answers {
    int64_t left_out; /* the output that is not returned, -1: all are */
    bool pass;
} answers;

static tm_mode_answer answer(tm_call *call, void *state)
{
    const answers *a = state;
    if (a->pass && tm_mode_pass_on(call) != TM_OK)
        return TM_MODE_FAILED;
    for (int i = 0; i < tm_call_num_outputs(call) && !a->pass; i++) {
        const tm_spec *spec = tm_output_spec(call, i);
        if (i != a->left_out)
            tm_mode_return(call, i, tm_new(spec->dtype, spec->ndim, spec->shape));
    }
    return TM_MODE_HANDLED;
}

START_TEST(modes_answer_with_a_list)
{
    static const tm_mode_def def = {.struct_size = sizeof def, .name = "answers", .handle = answer};
    static const answers kinds[] = {{-1, true}, {-1, false}, {3, false}, {39, false}};
    int64_t before = live();
    for (int64_t n = 5; n <= 40; n += 35) {
        tm_tensor *x = tm_zeros(TM_INTS(n, 2), TM_FLOAT32);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            answers a = kinds[k];
            bool fails = a.left_out >= 0 && a.left_out < n;
            tm_mode *mode = tm_mode_push(&def, &a);
            tm_tensor_list list = tm_unbind(x, 0);
            tm_mode_pop(mode);
            ck_assert_int_eq(list.count, fails ? -1 : n);
            for (int64_t i = list.count; i-- > 0;)
                tm_release(list.data[i]);
            tm_error_clear();
            ck_assert_int_eq(live(), before + 1);
        }
        tm_release(x);
    }
}
END_TEST

START_TEST(traces_show_a_list)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    tm_tensor *x = tm_zeros(TM_INTS(2, 3), TM_FLOAT32);
    tm_mode *mode = tm_trace_push(stream);
    tm_tensor_list list = tm_unbind(x, 0);
    tm_mode_pop(mode);
    fclose(stream);
    ck_assert_str_eq(text, "x0 = input(\"x0\")  # float32(2, 3)\n"
                           "t0, t1 = unbind(x=x0, axis=0)  # float32(3,), float32(3,)\n");
    free(text);
    for (int64_t i = list.count; i-- > 0;)
        tm_release(list.data[i]);
    tm_release(x);
}
END_TEST

Suite *lists_suite(void)
{
    const TTest *tests[] = {lengths,
                            handles_are_owned_one_by_one,
                            a_failed_list_is_like_null,
                            chunks_beyond_counting,
                            under_nested_levels,
                            every_part_has_its_batch_axis,
                            kernels_write_a_list,
                            composites_hand_a_list_on,
                            other_contracts_refuse_a_list,
                            a_list_is_the_only_output,
                            wrong_metas_are_schema_errors,
                            infer_counts_without_allocating,
                            modes_answer_with_a_list,
                            traces_show_a_list};
    return test_suite("lists", tests, COUNT(tests));
}
