/* test_npz.c: .npz archives, .npy data in memory, .npy files in place.
 *
 * The archives in tests/data/npz were made by NumPy (see the README there). Malformed ones are made
 * here, by cutting good ones short and by changing their bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/npz.h"
#include "support.h"

#define NPZ_DATA TM_TEST_DATA "/npz/"
#define NPY_DATA TM_TEST_DATA "/npy/"

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_eq(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

/* The three arrays that every archive of the reference holds. */
static void check_arrays(const tm_npz *npz)
{
    EXPECT(tm_npz_load(npz, "ints"), TM_INT32, TM_INTS(3, 4), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    EXPECT(tm_npz_load(npz, "floats.npy"), TM_FLOAT64, TM_INTS(2), 0.5, -1.5);
    EXPECT_SHAPE(tm_npz_load(npz, "empty"), TM_BOOL, TM_INTS(0, 2));
}

START_TEST(reads_numpys_archives)
{
    static const char *const files[] = {"stored", "deflated", "zip64", "comment"};
    for (int i = 0; i < COUNT(files); i++) {
        char path[256];
        snprintf(path, sizeof path, NPZ_DATA "%s.npz", files[i]);
        tm_npz *npz = tm_npz_open(path);
        ck_assert_msg(npz != NULL, "%s", tm_error_message());
        check_arrays(npz);
        int first = i == 3 ? 1 : 0; /* the archive with a note */
        ck_assert_int_eq(tm_npz_count(npz), 3 + first);
        ck_assert_str_eq(tm_npz_name(npz, first), "ints");
        ck_assert_str_eq(tm_npz_name(npz, first + 2), "empty");
        ck_assert_ptr_null(tm_npz_name(npz, 3 + first));
        EXPECT_ERROR(TM_ERR_INDEX, "npz_name: i must be in 0..");
        EXPECT_NULL(tm_npz_load(npz, "float"), TM_ERR_VALUE, "there is no member 'float'");
        if (first)
            EXPECT_NULL(tm_npz_load(npz, "note.txt"), TM_ERR_IO, "'note.txt': not a .npy file");
        tm_npz_close(npz);
    }
    tm_npz *none = tm_npz_open(NPZ_DATA "none.npz");
    ck_assert_int_eq(tm_npz_count(none), 0);
    tm_npz_close(none);
}
END_TEST

/* Opens and loads everything, whatever comes of it. */
static int load_all(const char *data, size_t size, bool *opened)
{
    tm_npz *npz = tm_npz_open_memory(data, size);
    *opened = npz != NULL;
    int loaded = 0;
    for (int64_t i = 0; npz && i < tm_npz_count(npz); i++) {
        tm_scope *scope = tm_scope_push();
        if (tm_npz_load(npz, tm_npz_name(npz, i)))
            loaded++;
        else
            ck_assert(tm_error_code() == TM_ERR_IO || tm_error_code() == TM_ERR_DTYPE ||
                      tm_error_code() == TM_ERR_VALUE);
        EXPECT_OK(tm_scope_pop(scope));
    }
    if (!npz)
        ck_assert_int_eq(tm_error_code(), TM_ERR_IO);
    tm_npz_close(npz);
    tm_error_clear();
    return loaded;
}

START_TEST(survives_damage)
{
    static const char *const files[] = {"stored", "deflated", "zip64"};
    for (int f = 0; f < COUNT(files); f++) {
        char path[256];
        snprintf(path, sizeof path, NPZ_DATA "%s.npz", files[f]);
        size_t size;
        char *data = read_file(path, &size);
        bool opened;
        ck_assert_int_eq(load_all(data, size, &opened), 3);
        for (size_t cut = 0; cut < size; cut++) {
            char *exact = malloc(cut + 1); /* its own block, so that reading past it is seen */
            ck_assert_ptr_nonnull(exact);
            memcpy(exact, data, cut);
            load_all(exact, cut, &opened);
            ck_assert_msg(!opened, "%s opens, cut to %zu", files[f], cut);
            free(exact);
        }
        for (size_t at = 0; at < size; at++)
            for (int bit = 0; bit < 8; bit++) {
                data[at] = (char)(data[at] ^ 1 << bit);
                load_all(data, size, &opened);
                data[at] = (char)(data[at] ^ 1 << bit);
            }
        for (size_t at = 0; at < size; at++)
            for (int value = 0; value < 256; value += 255) {
                char kept = data[at];
                data[at] = (char)value;
                load_all(data, size, &opened);
                data[at] = kept;
            }
        free(data);
    }
}
END_TEST

START_TEST(the_checksum_is_compared)
{
    size_t size;
    char *data = read_file(NPZ_DATA "stored.npz", &size);
    const char half[] = {0, 0, 0, 0, 0, 0, (char)0xe0, 0x3f}; /* 0.5 */
    char *at = memmem(data, size, half, sizeof half);
    ck_assert_ptr_nonnull(at);
    at[0] = 1;
    tm_npz *npz = tm_npz_open_memory(data, size);
    ck_assert_ptr_nonnull(npz);
    EXPECT_NULL(tm_npz_load(npz, "floats"), TM_ERR_IO,
                "the buffer: member 'floats.npy': the checksum is|the data are corrupt");
    tm_npz_close(npz);
    free(data);
}
END_TEST

static const char *const names[] = {"a", "b/c", "d\xc3\xa9", "big"};

static void make_tensors(const tm_tensor *tensors[4])
{
    tensors[0] = tm_strided_view(test_iota(TM_INT32, TM_INTS(2, 3)), 2, (int64_t[]){3, 2},
                                 (int64_t[]){1, 3}, 0);
    tensors[1] = test_f32_scalar(2.5F);
    tensors[2] = tm_new(TM_COMPLEX128, 2, (int64_t[]){0, 5});
    tensors[3] = test_iota(TM_INT64, TM_INTS(300, 100));
}

static void check_written(void *data, size_t size)
{
    tm_npz *npz = tm_npz_open_memory(data, size);
    ck_assert_msg(npz != NULL, "%s", tm_error_message());
    ck_assert_int_eq(tm_npz_count(npz), 4);
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(tm_npz_name(npz, i), names[i]);
    EXPECT(tm_npz_load(npz, "a"), TM_INT32, TM_INTS(3, 2), 0, 3, 1, 4, 2, 5);
    EXPECT(tm_npz_load(npz, "b/c"), TM_FLOAT32, tm_no_ints, 2.5);
    EXPECT_SHAPE(tm_npz_load(npz, names[2]), TM_COMPLEX128, TM_INTS(0, 5));
    tm_tensor *big = MADE(tm_npz_load(npz, "big"));
    ck_assert_int_eq(((const int64_t *)tm_data(big))[29999], 29999);
    tm_npz_close(npz);
    tm_buffer_free(data);
}

START_TEST(writes_archives)
{
    const tm_tensor *tensors[4];
    make_tensors(tensors);
    for (int compressed = 0; compressed < 2; compressed++) {
        size_t size;
        void *data = tm_npz_save_memory(4, names, tensors, compressed, &size);
        ck_assert_msg(data != NULL, "%s", tm_error_message());
        ck_assert(compressed ? size < 100000 : size > 240000);
        check_written(data, size);
        char path[] = "/tmp/test-npz-XXXXXX";
        int fd = mkstemp(path);
        ck_assert_int_ge(fd, 0);
        close(fd);
        EXPECT_OK(tm_npz_save(path, 4, names, tensors, compressed));
        tm_npz *npz = tm_npz_open(path);
        ck_assert_int_eq(tm_npz_count(npz), 4);
        MADE(tm_npz_load(npz, "big"));
        tm_npz_close(npz);
        unlink(path);
    }
}
END_TEST

START_TEST(writes_zip64)
{
    const tm_tensor *tensors[4];
    make_tensors(tensors);
    static const int64_t limits[] = {0, 200, 1000, 100000};
    for (int i = 0; i < COUNT(limits); i++)
        for (int compressed = 0; compressed < 2; compressed++) {
            tm_npz_content content = {"test", 4, names, tensors, compressed, limits[i], i};
            size_t size;
            void *data = tm_write_memory(&size, "test", tm_npz_write, &content);
            ck_assert_ptr_nonnull(data);
            check_written(data, size);
        }
}
END_TEST

START_TEST(refuses_to_write)
{
    const tm_tensor *x = test_f32_scalar(1), *brain = tm_new(TM_BFLOAT16, 0, NULL);
    const char *const twice[] = {"a", "a"}, *const empty[] = {""}, *const null[] = {NULL};
    const tm_tensor *const both[] = {x, x}, *const bf16[] = {brain};
    size_t size;
    EXPECT_NULL(tm_npz_save_memory(2, twice, both, false, &size), TM_ERR_VALUE,
                "names must differ, 'a' stands at 0 and 1");
    EXPECT_NULL(tm_npz_save_memory(1, empty, both, false, &size), TM_ERR_VALUE,
                "names[0] must have 1 to 65000 bytes, got 0");
    EXPECT_NULL(tm_npz_save_memory(1, null, both, false, &size), TM_ERR_USAGE, "names[0] is NULL");
    EXPECT_NULL(tm_npz_save_memory(-1, null, both, false, &size), TM_ERR_VALUE, "count must be");
    EXPECT_NULL(tm_npz_save_memory(1, NULL, both, false, &size), TM_ERR_USAGE, "names is NULL");
    EXPECT_NULL(tm_npz_save_memory(1, twice, both, false, NULL), TM_ERR_USAGE, "size is NULL");
    EXPECT_NULL(tm_npz_save_memory(1, twice, bf16, false, &size), TM_ERR_DTYPE,
                "tensors[0] has dtype bfloat16");
    EXPECT_FAIL(tm_npz_save(NULL, 1, twice, both, false), TM_ERR_USAGE, "path is NULL");
    EXPECT_FAIL(tm_npz_save("/no/such/place.npz", 1, twice, both, false), TM_ERR_IO, "No such");
    EXPECT_NULL(tm_npz_open(NULL), TM_ERR_USAGE, "path is NULL");
    EXPECT_NULL(tm_npz_open_memory(NULL, 3), TM_ERR_USAGE, "data is NULL");
    EXPECT_NULL(tm_npz_open(NPY_DATA "good_f32.npy"), TM_ERR_IO, "not a .npz archive");
    EXPECT_NULL(tm_npz_load(NULL, "a"), TM_ERR_USAGE, "npz");
    EXPECT_NULL(tm_npz_name(NULL, 0), TM_ERR_USAGE, "npz");
    ck_assert_int_eq(tm_npz_count(NULL), -1);
    EXPECT_ERROR(TM_ERR_USAGE, "npz");
    tm_npz_close(NULL);
    tm_buffer_free(NULL);
}
END_TEST

START_TEST(reads_and_writes_memory)
{
    size_t size, back_size;
    char *file = read_file(NPY_DATA "good_f32_fortran.expect.npy", &size);
    tm_tensor *x = MADE(tm_npy_load_memory(file, size));
    char *back = tm_npy_save_memory(x, &back_size);
    ck_assert_uint_eq(back_size, size);
    ck_assert_mem_eq(back, file, size);
    for (size_t cut = 0; cut < size; cut++)
        EXPECT_NULL(tm_npy_load_memory(file, cut), TM_ERR_IO, "npy_load_memory: the buffer: ");
    EXPECT_NULL(tm_npy_load_memory(NULL, 5), TM_ERR_USAGE, "data is NULL");
    EXPECT_NULL(tm_npy_save_memory(NULL, &size), TM_ERR_USAGE, "x");
    EXPECT_NULL(tm_npy_save_memory(x, NULL), TM_ERR_USAGE, "size is NULL");
    tm_buffer_free(back);
    free(file);
}
END_TEST

/* Every prefix and every byte of small files, elements too: a tensor or an error, nothing kept. */
START_TEST(survives_damage_of_a_file_in_memory)
{
    static const char *const files[] = {"good_f32.npy", "good_u16_fortran.npy", "good_v3.npy",
                                        "good_v2_fortran_big.npy", "good_odd_bool.npy"};
    uint64_t live = tm_memory_get_stats().live_tensors;
    for (int f = 0; f < COUNT(files); f++) {
        char path[256];
        snprintf(path, sizeof path, NPY_DATA "%s", files[f]);
        size_t size;
        char *data = read_file(path, &size);
        for (size_t at = 0; at < 4 * size; at++) {
            char kept = data[at / 4];
            const char damaged[] = {0, (char)0xff, (char)(kept ^ 1), (char)(kept ^ 0x80)};
            data[at / 4] = damaged[at % 4];
            tm_scope *scope = tm_scope_push();
            if (!tm_npy_load_memory(data, size))
                ck_assert_msg(tm_error_code() == TM_ERR_IO || tm_error_code() == TM_ERR_DTYPE,
                              "%s: %s", files[f], tm_error_message());
            tm_error_clear();
            EXPECT_OK(tm_scope_pop(scope));
            ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live);
            data[at / 4] = kept;
        }
        for (size_t cut = 0; cut < size; cut++) {
            char *exact = malloc(cut + 1);
            ck_assert_ptr_nonnull(exact);
            memcpy(exact, data, cut);
            EXPECT_NULL(tm_npy_load_memory(exact, cut), TM_ERR_IO, "npy_load_memory: the buffer: ");
            free(exact);
        }
        free(data);
    }
}
END_TEST

START_TEST(maps_files)
{
    tm_tensor *loaded = MADE(tm_npy_load(NPY_DATA "good_f32.npy"));
    tm_tensor *mapped = MADE(tm_npy_map(NPY_DATA "good_f32.npy"));
    ck_assert_mem_eq(tm_data(mapped), tm_data(loaded), (size_t)tm_numel(loaded) * 4);
    EXPECT_NULL(tm_mutable_data(mapped), TM_ERR_ALIASING, "read-only");
    tm_tensor *turned = MADE(tm_npy_map(NPY_DATA "good_i16_fortran.npy"));
    tm_tensor *plain = MADE(tm_npy_load(NPY_DATA "good_i16_fortran.npy"));
    ck_assert_int_eq(tm_strides(turned)[0], 1);
    ck_assert_int_eq(tm_ndim(turned), tm_ndim(plain));
    for (int64_t i = 0; i < tm_numel(plain); i++)
        ck_assert_double_eq(test_value(turned, i), test_value(plain, i));
    EXPECT_SHAPE(tm_npy_map(NPY_DATA "good_empty.npy"), TM_FLOAT32, TM_INTS(0, 3));
    EXPECT_SHAPE(tm_npy_map(NPY_DATA "good_0d.npy"), TM_FLOAT64, tm_no_ints);
    EXPECT_NULL(tm_npy_map(NPY_DATA "good_f32_big.npy"), TM_ERR_IO, "byte order");
    EXPECT_NULL(tm_npy_map(NPY_DATA "good_spaces.npy"), TM_ERR_IO, "begin at byte|float64");
    EXPECT_NULL(tm_npy_map(NPY_DATA "good_odd_bool.npy"), TM_ERR_IO, "neither 0 nor 1");
    EXPECT_NULL(tm_npy_map(NPY_DATA "bad_shape_lying.npy"), TM_ERR_IO, "truncated");
    EXPECT_NULL(tm_npy_map("/no/such/file"), TM_ERR_IO, "No such");
    EXPECT_NULL(tm_npy_map(NULL), TM_ERR_USAGE, "path is NULL");
}
END_TEST

Suite *npz_suite(void)
{
    const TTest *tests[] = {
        reads_numpys_archives,   survives_damage, the_checksum_is_compared,
        writes_archives,         writes_zip64,    refuses_to_write,
        reads_and_writes_memory, maps_files,      survives_damage_of_a_file_in_memory};
    return test_suite("npz", tests, COUNT(tests));
}
