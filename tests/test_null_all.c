/* test_null_all.c: that no public function was forgotten: each that takes a pointer is given NULL
 * in one of the tests named test_null*.c. What the other ones leave out is here.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <transmute/dlpack.h>

#include "null_support.h"

START_TEST(generators)
{
    tm_generator_free(NULL);
    FAILS(tm_generator_seed(NULL, 1));
    FAILS(tm_generator_skip(NULL, 1));
    FAILS(tm_generator_at(NULL, 0, 0, NULL));
    GIVES(tm_generator_count(NULL), 0);
    tm_generator *generator = tm_generator_new(1);
    FAILS(tm_generator_at(generator, 0, 1, NULL));
    tm_generator_free(generator);
}
END_TEST

START_TEST(archives_and_memory)
{
    tm_tensor *x = F32(TM_INTS(1), 1);
    const tm_tensor *const tensors[] = {x}, *const none[] = {NULL};
    const char *const names[] = {"x"}, *const nameless[] = {NULL};
    size_t size;
    tm_buffer_free(NULL);
    tm_npz_close(NULL);
    GIVES(tm_npy_load_memory(NULL, 8), NULL);
    GIVES(tm_npy_save_memory(NULL, &size), NULL);
    GIVES(tm_npy_save_memory(x, NULL), NULL);
    GIVES(tm_npz_open(NULL), NULL);
    GIVES(tm_npz_open_memory(NULL, 8), NULL);
    GIVES(tm_npz_count(NULL), -1);
    GIVES(tm_npz_name(NULL, 0), NULL);
    GIVES(tm_npz_load(NULL, "x"), NULL);
    FAILS(tm_npz_save(NULL, 1, names, tensors, false));
    FAILS(tm_npz_save("/tmp/never_written.npz", 1, NULL, tensors, false));
    FAILS(tm_npz_save("/tmp/never_written.npz", 1, names, NULL, false));
    FAILS(tm_npz_save("/tmp/never_written.npz", 1, names, none, false));
    FAILS(tm_npz_save("/tmp/never_written.npz", 1, nameless, tensors, false));
    GIVES(tm_npz_save_memory(1, NULL, tensors, false, &size), NULL);
    GIVES(tm_npz_save_memory(1, names, NULL, false, &size), NULL);
    GIVES(tm_npz_save_memory(1, names, tensors, false, NULL), NULL);
}
END_TEST

START_TEST(exchange_and_plugins)
{
    GIVES(tm_from_dlpack(NULL), NULL);
    GIVES(tm_from_dlpack_versioned(NULL), NULL);
    GIVES(tm_to_dlpack(NULL), NULL);
    GIVES(tm_to_dlpack_versioned(NULL), NULL);
    FAILS(tm_plugin_load(NULL));
    GIVES(tm_plugin_of(NULL), NULL);
}
END_TEST

START_TEST(kernels_modes_and_settings)
{
    FAILS(tm_output_count(NULL, 1));
    FAILS(tm_resolve_axis(NULL, "axis", 1, NULL));
    SURVIVES(ck_assert_int_eq(tm_call_num_outputs(NULL), 0));
    GIVES(tm_trace_push_saving(NULL, "x"), NULL);
    SURVIVES(tm_set_paths(NULL));
}
END_TEST

/* -- None forgotten -------------------------------------------------------------------------------
 */

static char *output_of(const char *command)
{
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t room = 1 << 20;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    size_t used = fread(text, 1, room - 1, pipe);
    ck_assert_uint_lt(used, room - 1);
    text[used] = '\0';
    ck_assert_int_eq(pclose(pipe), 0);
    return text;
}

static bool calls(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if (at[length] == '(' && !isalnum((unsigned char)at[-1]) && at[-1] != '_')
            return true;
    return false;
}

START_TEST(every_function_that_takes_a_pointer_is_given_null)
{
    char *headers = output_of("cat " TM_TEST_DATA "/../../include/transmute/*.h");
    char *tests = output_of("cat " TM_TEST_DATA "/../test_null*.c");
    int count = 0;
    for (const char *at = headers; (at = strstr(at, "TM_API ")); at++) {
        const char *open = strpbrk(at, "(;"), *end = strchr(at, ';');
        char name[128];
        int length = 0;
        ck_assert_ptr_nonnull(end);
        if (*open == ';' || !memchr(open, '*', (size_t)(end - open)))
            continue;
        while (open - length > at &&
               (isalnum((unsigned char)open[-1 - length]) || open[-1 - length] == '_'))
            length++;
        snprintf(name, sizeof name, "%.*s", length, open - length);
        if (strncmp(name, "tm_", 3) != 0)
            continue;
        ck_assert_msg(calls(tests, name), "no test_null*.c gives %s NULL", name);
        count++;
    }
    ck_assert_int_gt(count, 100);
    free(headers);
    free(tests);
}
END_TEST

Suite *null_all_suite(void)
{
    const TTest *tests[] = {generators, archives_and_memory, exchange_and_plugins,
                            kernels_modes_and_settings,
                            every_function_that_takes_a_pointer_is_given_null};
    return test_suite("null_all", tests, COUNT(tests));
}
