/* test_npy.c: reading and writing .npy files.
 *
 * The files in tests/data/npy were made with NumPy and by hand (see the README there): those that
 * load, those that are malformed, those of a dtype the library does not have. Further malformed
 * files are made here, by cutting good ones short and by changing their bytes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>
#include <transmute/io.h>
#include <transmute/modes.h>

#include "memory_support.h"
#include "suites.h"

#define NPY_DATA TM_TEST_DATA "/npy"

/* A directory for the test's own files, made anew for every test. */
static char scratch[256];

static void make_scratch(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(scratch, sizeof(scratch), "%s/test-npy-XXXXXX", parent != NULL ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static const char *in_scratch(const char *name)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/%s", scratch, name);
    return path;
}

/* How many files stand in the scratch directory; removes them. */
static int empty_scratch(void)
{
    DIR *directory = opendir(scratch);
    ck_assert_ptr_nonnull(directory);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            unlink(in_scratch(entry->d_name));
            files++;
        }
    }
    closedir(directory);
    return files;
}

static void remove_scratch(void)
{
    empty_scratch();
    rmdir(scratch);
}

static void set_up(void)
{
    make_scratch();
    test_memory_begin();
}

static size_t read_file(const char *path, char **data)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    *data = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(*data);
    ck_assert_uint_eq(fread(*data, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return (size_t)size;
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void check_same_file(const char *path, const char *other)
{
    char *a, *b;
    size_t a_size = read_file(path, &a), b_size = read_file(other, &b);
    ck_assert_msg(a_size == b_size && memcmp(a, b, a_size) == 0, "%s differs from %s", path, other);
    free(a);
    free(b);
}

/* Calls `check` with every file whose name begins with `prefix`; returns how many. */
static int for_each_file(const char *prefix, void (*check)(const char *path))
{
    DIR *directory = opendir(NPY_DATA);
    ck_assert_ptr_nonnull(directory);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
            char path[512];
            snprintf(path, sizeof(path), NPY_DATA "/%s", entry->d_name);
            check(path);
            files++;
        }
    }
    closedir(directory);
    return files;
}

/* -- Loading ----------------------------------------------------------------------------------- */

static void check_good(const char *path)
{
    size_t length = strlen(path);
    if (strcmp(path + length - 11, ".expect.npy") == 0) {
        return;
    }
    char expected_path[600];
    snprintf(expected_path, sizeof(expected_path), "%.*s.expect.npy", (int)length - 4, path);
    tm_tensor *x = tm_npy_load(path);
    ck_assert_msg(x != NULL, "%s", tm_error_message());
    ck_assert(tm_is_contiguous(x));
    char *expected;
    size_t size = read_file(expected_path, &expected);
    size_t bytes = (size_t)tm_numel(x) * tm_dtype_size(tm_dtype_of(x));
    ck_assert_uint_lt(bytes, size);
    ck_assert_msg(memcmp(tm_data(x), expected + size - bytes, bytes) == 0,
                  "%s: the elements differ", path);
    free(expected);
    /* Dtype and shape: saving gives numpy.save's file. */
    ck_assert_int_eq(tm_npy_save(in_scratch("copy.npy"), x), TM_OK);
    check_same_file(in_scratch("copy.npy"), expected_path);
    tm_release(x);
    ck_assert_uint_eq(test_live_blocks(), 0);
}

START_TEST(loads_good_files)
{
    ck_assert_int_ge(for_each_file("good_", check_good), 100);
    ck_assert_int_eq(empty_scratch(), 1);
}
END_TEST

static void check_refused(const char *path, tm_status code)
{
    tm_memory_reset_peak();
    ck_assert_msg(tm_npy_load(path) == NULL, "%s loads", path);
    ck_assert_msg(tm_error_code() == code, "%s: %s", path, tm_error_message());
    ck_assert_str_eq(tm_error_get()->op, "npy_load");
    ck_assert_str_eq(tm_error_get()->argument, "path");
    ck_assert_ptr_nonnull(strstr(tm_error_message(), path));
    ck_assert_uint_eq(test_live_blocks(), 0);
    ck_assert_uint_lt(tm_memory_get_stats().peak_bytes,
                      test_memory_at_start.live_bytes + (1 << 20));
    tm_error_clear();
}

static void check_bad(const char *path)
{
    check_refused(path, TM_ERR_IO);
}

static void check_dtype(const char *path)
{
    check_refused(path, TM_ERR_DTYPE);
}

START_TEST(refuses_bad_files)
{
    ck_assert_int_ge(for_each_file("bad_", check_bad), 60);
}
END_TEST

START_TEST(refuses_other_dtypes)
{
    ck_assert_int_ge(for_each_file("dtype_", check_dtype), 10);
}
END_TEST

static void check_message(const char *name, const char *part)
{
    char path[512];
    snprintf(path, sizeof(path), NPY_DATA "/%s.npy", name);
    ck_assert_ptr_null(tm_npy_load(path));
    ck_assert_msg(strstr(tm_error_message(), part) != NULL, "%s: %s", name, tm_error_message());
}

START_TEST(says_what_is_wrong)
{
    check_message("bad_zip", ".npz");
    check_message("bad_text", "not a .npy file");
    check_message("bad_shape_lying", "truncated: shape (4,) of float64 needs 32 bytes");
    check_message("bad_shape_negative", "negative size");
    check_message("bad_shape_ndim33", "more than 32 dimensions");
    check_message("bad_header_extra_key", "'x'");
    check_message("dtype_object", "object arrays (pickles)");
    check_message("dtype_structured", "structured");
    check_message("dtype_unicode", "'<U3'");
}
END_TEST

START_TEST(refuses_what_is_no_file)
{
    ck_assert_ptr_null(tm_npy_load(NULL));
    ck_assert_int_eq(tm_error_code(), TM_ERR_USAGE);
    check_bad(in_scratch("missing.npy"));
    check_bad(scratch);
    const char *fifo = in_scratch("fifo");
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    check_bad(fifo); /* and does not wait for a writer */
}
END_TEST

/* Every prefix of a good file and every change of one byte of its header: it is refused or loads,
 * and nothing is lost. What loads is no larger than the file. */
static void check_mutations(const char *name)
{
    char path[512], *data;
    snprintf(path, sizeof(path), NPY_DATA "/%s.npy", name);
    size_t size = read_file(path, &data);
    size_t header = 10 + (size_t)(unsigned char)data[8];
    const char *target = in_scratch("mutated.npy");
    for (size_t cut = 0; cut < size; cut++) {
        write_file(target, data, cut);
        check_bad(target);
    }
    static const char replacements[] = "\x00\xff\x01{}()[],:'\"-0129L OTFf<>|=\n\\";
    for (size_t at = 0; at < header; at++) {
        char kept = data[at];
        for (size_t k = 0; k < sizeof(replacements) - 1; k++) {
            data[at] = replacements[k];
            write_file(target, data, size);
            tm_error_clear();
            tm_tensor *x = tm_npy_load(target);
            if (x != NULL) {
                size_t bytes = (size_t)tm_numel(x) * tm_dtype_size(tm_dtype_of(x));
                ck_assert_uint_lt(bytes, size);
            } else {
                ck_assert(tm_error_code() == TM_ERR_IO || tm_error_code() == TM_ERR_DTYPE);
            }
            tm_release(x);
            ck_assert_uint_eq(test_live_blocks(), 0);
        }
        data[at] = kept;
    }
    free(data);
}

START_TEST(survives_mutations)
{
    check_mutations("good_f32");
    check_mutations("good_u16_fortran");
}
END_TEST

START_TEST(belongs_to_the_scope)
{
    tm_scope *scope = tm_scope_push();
    ck_assert_ptr_nonnull(tm_npy_load(NPY_DATA "/good_v3.npy"));
    ck_assert_ptr_nonnull(tm_npy_load(NPY_DATA "/good_v2_fortran_big.npy"));
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors - test_memory_at_start.live_tensors, 2);
    ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

/* -- Saving ------------------------------------------------------------------------------------ */

START_TEST(saves_views_in_order)
{
    int16_t data[24];
    for (int16_t i = 0; i < 24; i++) {
        data[i] = i;
    }
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_from_data(TM_INT16, 2, (int64_t[]){4, 6}, data);
    static const struct {
        int64_t shape[2], strides[2], offset;
    } views[] = {
        {{6, 4}, {1, 6}, 0},   {{4, 6}, {-6, -1}, 23},  {{2, 3}, {12, 2}, 1},
        {{3, 4}, {0, 1}, 6},   {{1, 6}, {99, 1}, 18},   {{0, 6}, {6, 1}, 0},
        {{150, 9}, {0, 0}, 5}, {{100, 101}, {0, 0}, 7},
    };
    for (size_t v = 0; v < sizeof(views) / sizeof(views[0]); v++) {
        const int64_t *shape = views[v].shape, *strides = views[v].strides;
        tm_tensor *view = tm_strided_view(x, 2, shape, strides, views[v].offset);
        ck_assert_msg(view != NULL, "%s", tm_error_message());
        ck_assert_int_eq(tm_npy_save(in_scratch("view.npy"), view), TM_OK);
        tm_tensor *back = tm_npy_load(in_scratch("view.npy"));
        ck_assert_msg(back != NULL, "%s", tm_error_message());
        ck_assert_int_eq(tm_dtype_of(back), TM_INT16);
        ck_assert_int_eq(tm_size(back, 0), shape[0]);
        ck_assert_int_eq(tm_size(back, 1), shape[1]);
        const int16_t *read = tm_data(back);
        for (int64_t i = 0; i < shape[0]; i++) {
            for (int64_t j = 0; j < shape[1]; j++) {
                int64_t from = views[v].offset + i * strides[0] + j * strides[1];
                ck_assert_int_eq(read[i * shape[1] + j], data[from]);
            }
        }
    }
    ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
    ck_assert_int_eq(empty_scratch(), 1);
}
END_TEST

START_TEST(refuses_to_save)
{
    tm_tensor *x = tm_from_data(TM_INT8, 0, NULL, "\x05");
    ck_assert_int_eq(tm_npy_save(NULL, x), TM_ERR_USAGE);
    ck_assert_int_eq(tm_npy_save(in_scratch("no/such/directory.npy"), x), TM_ERR_IO);
    ck_assert_int_eq(tm_npy_save(scratch, x), TM_ERR_IO);
    ck_assert_int_eq(tm_npy_save("", x), TM_ERR_IO);
    ck_assert_int_eq(tm_npy_save("/dev/null", x), TM_ERR_IO);
    tm_error_clear();
    ck_assert_int_eq(tm_npy_save(in_scratch("null.npy"), NULL), TM_ERR_USAGE);
    ck_assert_int_eq(tm_npy_save(in_scratch("none.npy"), TM_NONE), TM_ERR_USAGE);

    tm_tensor *brain = tm_new(TM_BFLOAT16, 1, (int64_t[]){3});
    ck_assert_int_eq(tm_npy_save(in_scratch("bf16.npy"), brain), TM_ERR_DTYPE);
    ck_assert_str_eq(tm_error_get()->op, "npy_save");
    ck_assert_ptr_nonnull(strstr(tm_error_message(), "bfloat16"));
    tm_release(brain);
    tm_release(x);
    ck_assert_int_eq(empty_scratch(), 0);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

START_TEST(leaves_no_half_file)
{
    tm_tensor *old = tm_from_data(TM_INT8, 0, NULL, "\x05");
    char path[512];
    snprintf(path, sizeof(path), "%s", in_scratch("kept.npy"));
    ck_assert_int_eq(tm_npy_save(path, old), TM_OK);
    char *before, *after;
    size_t size = read_file(path, &before);

    /* A file may grow to 64 KiB, then writing fails: within contiguous and gathered elements. */
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old_limit, limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
    limit = old_limit;
    limit.rlim_cur = 1 << 16;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    tm_tensor *large = tm_new(TM_FLOAT64, 2, (int64_t[]){200, 300});
    memset(tm_mutable_data(large), 0, 200 * 300 * 8);
    tm_tensor *turned = tm_strided_view(large, 2, (int64_t[]){300, 200}, (int64_t[]){1, 300}, 0);
    const tm_tensor *each[] = {large, turned};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(tm_npy_save(path, each[i]), TM_ERR_IO);
        ck_assert_uint_eq(read_file(path, &after), size);
        ck_assert_mem_eq(before, after, size);
        free(after);
        ck_assert_int_eq(tm_npy_save(in_scratch("other.npy"), each[i]), TM_ERR_IO);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
    ck_assert_int_eq(empty_scratch(), 1);
    free(before);
    tm_release(turned);
    tm_release(large);
    tm_release(old);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

START_TEST(fails_on_mapped_as_data_does)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_new(TM_FLOAT32, 2, (int64_t[]){2, 3});
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(level, x, 0);
    ck_assert_ptr_null(tm_data(row));
    ck_assert_int_eq(tm_error_code(), TM_ERR_VMAP);
    char message[1024];
    snprintf(message, sizeof(message), "%s", tm_error_get()->message);
    tm_error_clear();
    ck_assert_int_eq(tm_npy_save(in_scratch("row.npy"), row), TM_ERR_VMAP);
    ck_assert_str_eq(tm_error_get()->message, message);

    tm_retain(row);
    ck_assert_int_eq(tm_vmap_pop(level), TM_OK);
    ck_assert_ptr_null(tm_data(row));
    snprintf(message, sizeof(message), "%s", tm_error_get()->message);
    ck_assert_int_eq(tm_npy_save(in_scratch("row.npy"), row), TM_ERR_ESCAPED);
    ck_assert_str_eq(tm_error_get()->message, message);
    tm_release(row);
    ck_assert_int_eq(tm_scope_pop(scope), TM_OK);
    ck_assert_int_eq(empty_scratch(), 0);
}
END_TEST

/* -- Lack of memory ---------------------------------------------------------------------------- */

START_TEST(survives_lack_of_memory)
{
    tm_set_allocator(&test_limited_allocator);
    const char *path = NPY_DATA "/good_v2_fortran_big.npy";
    int failures = 0;
    tm_tensor *x = NULL;
    for (; x == NULL && failures < 50; failures++) {
        test_allocs_left = failures;
        x = tm_npy_load(path);
        if (x == NULL) {
            ck_assert_int_eq(tm_error_code(), TM_ERR_MEMORY);
            ck_assert_uint_eq(test_live_blocks(), 0);
        }
    }
    ck_assert_ptr_nonnull(x);
    ck_assert_int_gt(failures, 3);
    test_allocs_left = 0;
    ck_assert_int_eq(tm_npy_save(in_scratch("x.npy"), x), TM_ERR_MEMORY);
    ck_assert_int_eq(empty_scratch(), 0);
    tm_release(x);
    tm_set_allocator(NULL);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

Suite *npy_suite(void)
{
    Suite *suite = suite_create("npy");
    TCase *tests = tcase_create("npy");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, remove_scratch);
    tcase_add_test(tests, loads_good_files);
    tcase_add_test(tests, refuses_bad_files);
    tcase_add_test(tests, refuses_other_dtypes);
    tcase_add_test(tests, says_what_is_wrong);
    tcase_add_test(tests, refuses_what_is_no_file);
    tcase_add_test(tests, survives_mutations);
    tcase_add_test(tests, belongs_to_the_scope);
    tcase_add_test(tests, saves_views_in_order);
    tcase_add_test(tests, refuses_to_save);
    tcase_add_test(tests, leaves_no_half_file);
    tcase_add_test(tests, fails_on_mapped_as_data_does);
    tcase_add_test(tests, survives_lack_of_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
