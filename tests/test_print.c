/* test_print.c: printing tensors.
 *
 * The texts in tests/data/print are NumPy's own (see the README there), for a few hundred arrays of
 * every dtype; each is compared byte for byte. The rest holds what files cannot: views, streams,
 * mapped tensors, lack of memory.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <transmute/io.h>
#include <transmute/modes.h>

#include "memory_support.h"
#include "suites.h"

#define PRINT_DATA TM_TEST_DATA "/print"

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

/* The tensor of a case: bfloat16 is stored as its bits, which .npy can hold. */
static tm_tensor *load_case(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), PRINT_DATA "/%s", name);
    tm_tensor *x = tm_npy_load(path);
    ck_assert_msg(x != NULL, "%s: %s", name, tm_error_message());
    if (strncmp(name, "bf16", 4) == 0) {
        tm_tensor *bits = x;
        x = tm_from_data(TM_BFLOAT16, tm_ndim(bits), tm_shape(bits), tm_data(bits));
        ck_assert_ptr_nonnull(x);
        tm_release(bits);
    }
    return x;
}

START_TEST(prints_as_numpy)
{
    DIR *directory = opendir(PRINT_DATA);
    ck_assert_ptr_nonnull(directory);
    int cases = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        if (length < 4 || strcmp(name + length - 4, ".npy") != 0) {
            continue;
        }
        tm_tensor *x = load_case(name);
        char path[512];
        snprintf(path, sizeof(path), PRINT_DATA "/%.*s.txt", (int)length - 4, name);
        char *wanted = read_file(path);
        char *got = tm_to_string(x);
        ck_assert_ptr_nonnull(got);
        ck_assert_msg(strcmp(got, wanted) == 0, "%s: wanted\n%s\ngot\n%s", name, wanted, got);
        tm_string_free(got);
        free(wanted);
        tm_release(x);
        cases++;
    }
    closedir(directory);
    ck_assert_int_ge(cases, 300);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

static void check_text(const tm_tensor *x, const char *wanted)
{
    char *got = tm_to_string(x);
    ck_assert_msg(got != NULL, "%s", tm_error_message());
    ck_assert_str_eq(got, wanted);
    tm_string_free(got);
}

START_TEST(prints_views)
{
    const double data[] = {1, 2, 3, 4.5, 5, 6};
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_from_data(TM_FLOAT64, 2, (int64_t[]){2, 3}, data);
    check_text(x, "[[1.  2.  3. ]\n [4.5 5.  6. ]]");
    tm_tensor *t = tm_strided_view(x, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3}, 0);
    check_text(t, "[[1.  4.5]\n [2.  5. ]\n [3.  6. ]]");
    tm_tensor *back = tm_strided_view(x, 1, (int64_t[]){3}, (int64_t[]){-2}, 5);
    check_text(back, "[6.  4.5 2. ]");
    tm_tensor *repeated = tm_strided_view(x, 2, (int64_t[]){2, 2}, (int64_t[]){0, 1}, 1);
    check_text(repeated, "[[2. 3.]\n [2. 3.]]");
    /* A summary of a broadcast element reads only what the view holds. */
    tm_tensor *many = tm_strided_view(x, 2, (int64_t[]){1000, 1000}, (int64_t[]){0, 0}, 3);
    check_text(many, "[[4.5 4.5 4.5 ... 4.5 4.5 4.5]\n [4.5 4.5 4.5 ... 4.5 4.5 4.5]\n"
                     " [4.5 4.5 4.5 ... 4.5 4.5 4.5]\n ...\n [4.5 4.5 4.5 ... 4.5 4.5 4.5]\n"
                     " [4.5 4.5 4.5 ... 4.5 4.5 4.5]\n [4.5 4.5 4.5 ... 4.5 4.5 4.5]]");
    ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
}
END_TEST

START_TEST(prints_to_a_stream)
{
    tm_tensor *x = tm_from_data(TM_INT32, 1, (int64_t[]){2}, (int32_t[]){-1, 20});
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_int_eq(tm_print(stream, x), TM_OK);
    fclose(stream);
    ck_assert_str_eq(text, "[-1 20]\n");
    free(text);

    ck_assert_int_eq(tm_print(NULL, x), TM_ERR_USAGE);
    FILE *full = fopen("/dev/full", "w");
    if (full != NULL) {
        setvbuf(full, NULL, _IONBF, 0);
        ck_assert_int_eq(tm_print(full, x), TM_ERR_IO);
        ck_assert_str_eq(tm_error_get()->op, "print");
        fclose(full);
    }
    tm_release(x);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

START_TEST(refuses_null)
{
    ck_assert_ptr_null(tm_to_string(NULL));
    ck_assert_int_eq(tm_error_code(), TM_ERR_USAGE);
    tm_error_clear();
    /* A failure that is passed on keeps its record. */
    tm_tensor *failed = tm_new(TM_FLOAT32, 1, (int64_t[]){-1});
    tm_status code = tm_error_code();
    ck_assert_int_ne(code, TM_OK);
    ck_assert_int_eq(tm_print(stdout, failed), code);
    ck_assert_int_eq(tm_print(stdout, TM_NONE), TM_ERR_USAGE);
    tm_string_free(NULL);
}
END_TEST

START_TEST(prints_mapped)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_new(TM_FLOAT32, 3, (int64_t[]){4, 2, 3});
    tm_vmap_level *outer = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(outer, x, 1);
    char wanted[160];
    snprintf(wanted, sizeof(wanted), "<tensor (4, 3) float32, mapped at level %llu (size 2)>",
             (unsigned long long)tm_vmap_id(outer));
    check_text(row, wanted);
    tm_vmap_level *inner = tm_vmap_push(NULL);
    tm_tensor *element = tm_vmap_in(inner, row, -1);
    snprintf(wanted, sizeof(wanted),
             "<tensor (4,) float32, mapped at level %llu (size 2), level %llu (size 3)>",
             (unsigned long long)tm_vmap_id(outer), (unsigned long long)tm_vmap_id(inner));
    check_text(element, wanted);
    tm_retain(element);
    ck_assert_int_eq(tm_vmap_pop(inner), TM_OK);
    ck_assert_ptr_null(tm_to_string(element));
    ck_assert_int_eq(tm_error_code(), TM_ERR_ESCAPED);
    tm_release(element);
    ck_assert_int_eq(tm_vmap_pop(outer), TM_OK);
    ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
}
END_TEST

START_TEST(formats_shapes)
{
    char text[64];
    const int64_t shape[] = {2, 3, INT64_MAX};
    ck_assert_int_eq(tm_format_shape(text, sizeof(text), 0, NULL), 2);
    ck_assert_str_eq(text, "()");
    ck_assert_int_eq(tm_format_shape(text, sizeof(text), 1, shape), 4);
    ck_assert_str_eq(text, "(2,)");
    ck_assert_int_eq(tm_format_shape(text, sizeof(text), 2, shape), 6);
    ck_assert_str_eq(text, "(2, 3)");
    ck_assert_int_eq(tm_format_shape(text, sizeof(text), 3, shape), 27);
    ck_assert_str_eq(text, "(2, 3, 9223372036854775807)");
    /* As snprintf: cut off, terminated, and the whole length returned. */
    for (size_t size = 1; size < 28; size++) {
        memset(text, '#', sizeof(text));
        ck_assert_int_eq(tm_format_shape(text, size, 3, shape), 27);
        ck_assert_uint_eq(strlen(text), size - 1);
        ck_assert_int_eq(text[size], '#');
        ck_assert_int_eq(strncmp(text, "(2, 3, 9223372036854775807)", size - 1), 0);
    }
    ck_assert_int_eq(tm_format_shape(NULL, 0, 3, shape), 27);
}
END_TEST

START_TEST(survives_lack_of_memory)
{
    tm_tensor *x = load_case("f64_edge_7.npy");
    uint64_t before = test_live_blocks();
    tm_set_allocator(&test_limited_allocator);
    bool done = false;
    for (int n = 0; !done && n < 100; n++) {
        tm_error_clear();
        test_allocs_left = n;
        char *text = tm_to_string(x);
        done = text != NULL;
        if (!done) {
            ck_assert_int_eq(tm_error_code(), TM_ERR_MEMORY);
            ck_assert_uint_eq(test_live_blocks(), before);
        }
        test_allocs_left = 1000;
        tm_string_free(text);
    }
    ck_assert(done);
    tm_set_allocator(NULL);
    tm_release(x);
}
END_TEST

Suite *print_suite(void)
{
    Suite *suite = suite_create("print");
    TCase *tests = tcase_create("print");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, test_memory_begin, NULL);
    tcase_add_test(tests, prints_as_numpy);
    tcase_add_test(tests, prints_views);
    tcase_add_test(tests, prints_to_a_stream);
    tcase_add_test(tests, refuses_null);
    tcase_add_test(tests, prints_mapped);
    tcase_add_test(tests, formats_shapes);
    tcase_add_test(tests, survives_lack_of_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
