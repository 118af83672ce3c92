/* test_error.c: the error record: its fields, how it is printed, the callback, and the context that
 * levels, composites and loops add beside the message.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static char *print_error(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    tm_error_print(stream);
    fclose(stream);
    return text;
}

START_TEST(status_names)
{
    static const char *const names[] = {
        "ok",       "rank", "shape",   "dtype",     "dim",    "index",  "value", "numeric",
        "aliasing", "vmap", "escaped", "no-kernel", "schema", "memory", "io",    "usage"};
    for (int i = 0; i < COUNT(names); i++)
        ck_assert_str_eq(tm_status_name((tm_status)i), names[i]);
    ck_assert_ptr_nonnull(tm_status_name((tm_status)99));
    ck_assert_ptr_nonnull(tm_status_name((tm_status)-1));
}
END_TEST

START_TEST(while_no_error_stands)
{
    ck_assert_ptr_null(tm_error_get());
    ck_assert_int_eq(tm_error_code(), TM_OK);
    ck_assert_str_eq(tm_error_message(), "");
    char *text = print_error();
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(a_plain_failure_fills_the_record)
{
    ck_assert_ptr_null(tm_triu(F32(TM_INTS(2), 1, 2), 0));
    const tm_error *error = tm_error_get();
    ck_assert_ptr_nonnull(error);
    ck_assert_uint_eq(error->struct_size, sizeof *error);
    ck_assert_int_eq(error->code, TM_ERR_RANK);
    ck_assert_int_eq(tm_error_code(), TM_ERR_RANK);
    ck_assert_str_eq(error->op, "triu");
    ck_assert_ptr_null(error->inner_op);
    ck_assert_str_eq(error->argument, "x");
    ck_assert_str_eq(error->message, "x must have at least 2 dimensions, got shape (2,)");
    ck_assert_str_eq(tm_error_message(), "triu: x must have at least 2 dimensions, got shape (2,)");
    ck_assert_str_eq(error->modes, "");
    ck_assert_ptr_nonnull(strstr(error->logical, "(2,)"));
    ck_assert_str_eq(error->physical, "");
    ck_assert_int_eq(error->num_levels, 0);
    tm_error_clear();
    ck_assert_ptr_null(tm_error_get());
}
END_TEST

/* The case the library exists for: the message is the example's, the batch is context. */
START_TEST(vmap_adds_context_and_leaves_the_message)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(32, 2)), 0));
    ck_assert_ptr_null(tm_triu(row, 0));
    const tm_error *error = tm_error_get();
    ck_assert_str_eq(error->message, "x must have at least 2 dimensions, got shape (2,)");
    ck_assert_str_eq(error->modes, "vmap");
    ck_assert_ptr_nonnull(strstr(error->logical, "(2,)"));
    ck_assert_ptr_null(strstr(error->logical, "(32"));
    ck_assert_ptr_nonnull(strstr(error->physical, "(32, 2)"));
    ck_assert_int_eq(error->num_levels, 1);
    ck_assert_uint_eq(error->levels[0].level, tm_vmap_id(v));
    ck_assert_int_eq(error->levels[0].size, 32);
    ck_assert_int_eq(error->levels[0].index, -1); /* all examples alike */
    tm_error_clear();
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_kernels_failure_names_the_example_at_each_level)
{
    const tm_op *op = test_op_row_sum();
    float values[2 * 3 * 2] = {0};
    values[(1 * 3 + 2) * 2] = -5; /* outer 1, inner 2 */
    tm_tensor *x = MADE(tm_from_data(TM_FLOAT32, 3, (const int64_t[]){2, 3, 2}, values));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = MADE(tm_vmap_in(v, x, 0));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = MADE(tm_vmap_in(w, a, 0));
    ck_assert_ptr_null(CALL(op, {.tensor = b}));
    const tm_error *error = tm_error_get();
    ck_assert_str_eq(error->message, "row starts with a negative number, got -5");
    ck_assert_str_eq(error->modes, "vmap, vmap");
    ck_assert_int_eq(error->num_levels, 2);
    ck_assert_uint_eq(error->levels[0].level, tm_vmap_id(v));
    ck_assert_int_eq(error->levels[0].index, 1);
    ck_assert_int_eq(error->levels[0].size, 2);
    ck_assert_uint_eq(error->levels[1].level, tm_vmap_id(w));
    ck_assert_int_eq(error->levels[1].index, 2);
    ck_assert_int_eq(error->levels[1].size, 3);
    ck_assert_ptr_nonnull(strstr(error->physical, "(2, 3, 2)"));
    tm_error_clear();
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(print_shows_the_line_then_indented_context)
{
    ck_assert_ptr_null(tm_triu(F32(TM_INTS(2), 1, 2), 0));
    char *text = print_error();
    const char *line = "error: triu: x must have at least 2 dimensions, got shape (2,)\n";
    ck_assert_msg(strncmp(text, line, strlen(line)) == 0, "%s", text);
    for (const char *at = text + strlen(line); *at; at = strchr(at, '\n') + 1) {
        ck_assert_msg(strncmp(at, "  ", 2) == 0, "%s", text);
        ck_assert_msg(strchr(at, '\n') != NULL, "%s", text);
    }
    free(text);
    EXPECT_ERROR(TM_ERR_RANK, ""); /* printing does not clear */
}
END_TEST

START_TEST(print_shows_the_failing_example)
{
    const tm_op *op = test_op_row_sum();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, F32(TM_INTS(3, 1), 0, 1, -7), 0));
    ck_assert_ptr_null(CALL(op, {.tensor = row}));
    char *text = print_error();
    const char *line = "error: test_row_sum: row starts with a negative number, got -7\n";
    ck_assert_msg(strncmp(text, line, strlen(line)) == 0, "%s", text);
    ck_assert_msg(strstr(text, "example 2") && strstr(text, "3") && strstr(text, "(3, 1)"), "%s",
                  text);
    free(text);
    tm_error_clear();
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- The callback ------------------------------------------------------------------------------ */

static int told;
static char told_message[128];

static void tell(const tm_error *error, void *user)
{
    told++;
    snprintf(told_message, sizeof told_message, "%s|%s|%s", (const char *)user, error->op,
             error->message);
}

START_TEST(the_callback_is_told_of_each_new_record)
{
    told = 0;
    tm_error_set_callback(tell, (void *)(uintptr_t) "mine");
    tm_tensor *bad = tm_triu(F32(TM_INTS(2), 1, 2), 0);
    ck_assert_int_eq(told, 1);
    ck_assert_str_eq(told_message, "mine|triu|x must have at least 2 dimensions, got shape (2,)");
    ck_assert_ptr_null(tm_add(bad, bad)); /* passes the failure on: no new record */
    ck_assert_int_eq(told, 1);
    ck_assert_ptr_null(tm_new(TM_FLOAT32, -1, NULL));
    ck_assert_int_eq(told, 2);
    tm_error_set_callback(NULL, NULL);
    ck_assert_ptr_null(tm_new(TM_FLOAT32, -1, NULL));
    ck_assert_int_eq(told, 2);
    tm_error_clear();
}
END_TEST

/* -- Composites -------------------------------------------------------------------------------- */

static tm_status any_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status upper_twice(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_triu(tm_triu(x, 0), 1);
    return TM_OK;
}

static const tm_op *composite(const char *schema, tm_fn impl)
{
    return OP(.schema = schema, .contract = TM_COMPOSITE, .meta = (tm_fn)any_meta, .impl = impl);
}

START_TEST(a_composites_error_names_the_op_called_and_the_inner_op)
{
    const tm_op *op = composite("twice(Tensor x) -> Tensor", (tm_fn)upper_twice);
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}));
    const tm_error *error = tm_error_get();
    ck_assert_str_eq(error->op, "twice");
    ck_assert_str_eq(error->inner_op, "triu");
    ck_assert_str_eq(error->argument, "x");
    ck_assert_str_eq(error->message, "x must have at least 2 dimensions, got shape (2,)");
    char *text = print_error();
    ck_assert_msg(strncmp(text, "error: twice: x must", 20) == 0 && strstr(text, "triu"), "%s",
                  text);
    free(text);
    tm_error_clear();
}
END_TEST

static tm_status call_twice(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = CALL(tm_op_find("twice", NULL), {.tensor = x});
    return *out ? TM_OK : tm_error_code();
}

START_TEST(of_nested_composites_the_innermost_is_the_inner_op)
{
    composite("twice(Tensor x) -> Tensor", (tm_fn)upper_twice);
    const tm_op *op = composite("outermost(Tensor x) -> Tensor", (tm_fn)call_twice);
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}));
    ck_assert_str_eq(tm_error_get()->op, "outermost");
    ck_assert_str_eq(tm_error_get()->inner_op, "triu");
    tm_error_clear();
}
END_TEST

static tm_status fails_silently(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    (void)x;
    (void)out;
    return TM_ERR_NUMERIC;
}

START_TEST(a_function_that_fails_without_a_word_still_leaves_a_record)
{
    const tm_op *op = composite("silent(Tensor x) -> Tensor", (tm_fn)fails_silently);
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}));
    ck_assert_str_ne(tm_error_get()->message, "");
    ck_assert_str_eq(tm_error_get()->op, "silent");
    ck_assert_int_eq(tm_error_code(), TM_ERR_NUMERIC);
    tm_error_clear();
}
END_TEST

/* An error that stood before the call is not the call's. */
START_TEST(a_standing_error_is_not_taken_for_the_calls_own)
{
    const tm_op *op = composite("silent(Tensor x) -> Tensor", (tm_fn)fails_silently);
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    ck_assert_ptr_null(tm_triu(x, 0));
    ck_assert_ptr_null(CALL(op, {.tensor = x}));
    ck_assert_str_eq(tm_error_get()->op, "silent");
    ck_assert_int_eq(tm_error_code(), TM_ERR_NUMERIC);
    ck_assert_ptr_null(strstr(tm_error_message(), "dimensions"));
    tm_error_clear();
}
END_TEST

static tm_status leaves_unset(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    (void)x;
    (void)out;
    return TM_OK;
}

START_TEST(an_unset_output_is_not_explained_by_an_older_error)
{
    const tm_op *op = composite("lazy(Tensor x) -> Tensor", (tm_fn)leaves_unset);
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_SCHEMA, "lazy: output");
    ck_assert_ptr_null(tm_triu(x, 0));
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_SCHEMA, "lazy: output");
}
END_TEST

/* An inner failure that the function clears leaves no trace; one that it leaves standing is its
 * own.
 */
static bool clears;

static tm_status recovers(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_triu(x, 0);
    if (!*out) {
        if (clears)
            tm_error_clear();
        *out = tm_add(x, x);
    }
    return TM_OK;
}

START_TEST(a_composite_may_recover_from_an_inner_failure)
{
    const tm_op *op = composite("recovers(Tensor x) -> Tensor", (tm_fn)recovers);
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_RANK, "recovers: x must have at least 2");
    clears = true;
    EXPECT_F32(CALL(op, {.tensor = x}), TM_INTS(2), 2, 4);
}
END_TEST

/* -- Threads and long texts -------------------------------------------------------------------- */

static void *fail_elsewhere(void *user)
{
    (void)user;
    static tm_status code;
    code = tm_error_code();
    if (code == TM_OK && tm_new(TM_FLOAT32, -1, NULL) == NULL)
        code = tm_error_code();
    return &code;
}

START_TEST(every_thread_has_its_own_record)
{
    ck_assert_ptr_null(tm_new(TM_DTYPE_NONE, 0, NULL));
    pthread_t thread;
    void *code;
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, &code);
    ck_assert_int_eq(*(tm_status *)code, TM_ERR_RANK);
    EXPECT_ERROR(TM_ERR_DTYPE, "");
}
END_TEST

static tm_status long_meta(tm_call *call, const tm_tensor *x)
{
    (void)x;
    char text[4000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return tm_fail_arg(call, TM_ERR_VALUE, text, "%s", text);
}

START_TEST(overlong_messages_are_cut)
{
    const tm_op *op = OP(.schema = "long(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)long_meta, .impl = (tm_fn)leaves_unset);
    ck_assert_ptr_null(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}));
    ck_assert_uint_gt(strlen(tm_error_get()->message), 100);
    char *text = print_error();
    ck_assert_uint_gt(strlen(text), 100);
    free(text);
    EXPECT_ERROR(TM_ERR_VALUE, "long: aaa");
}
END_TEST

START_TEST(shapes_of_many_arguments_and_dimensions_do_not_overflow_the_context)
{
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < TM_MAX_NDIM; d++)
        shape[d] = d % 8 ? 1 : 7;
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, TM_MAX_NDIM, shape));
    shape[0] = 3;
    tm_tensor *y = MADE(tm_new(TM_FLOAT32, TM_MAX_NDIM, shape));
    EXPECT_NULL(tm_add(x, y), TM_ERR_SHAPE, "x2|(3, 1,");
}
END_TEST

Suite *error_suite(void)
{
    const TTest *tests[] = {status_names,
                            while_no_error_stands,
                            a_plain_failure_fills_the_record,
                            vmap_adds_context_and_leaves_the_message,
                            a_kernels_failure_names_the_example_at_each_level,
                            print_shows_the_line_then_indented_context,
                            print_shows_the_failing_example,
                            the_callback_is_told_of_each_new_record,
                            a_composites_error_names_the_op_called_and_the_inner_op,
                            of_nested_composites_the_innermost_is_the_inner_op,
                            a_function_that_fails_without_a_word_still_leaves_a_record,
                            a_standing_error_is_not_taken_for_the_calls_own,
                            an_unset_output_is_not_explained_by_an_older_error,
                            a_composite_may_recover_from_an_inner_failure,
                            every_thread_has_its_own_record,
                            overlong_messages_are_cut,
                            shapes_of_many_arguments_and_dimensions_do_not_overflow_the_context};
    return test_suite("error", tests, COUNT(tests));
}
