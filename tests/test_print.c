/* test_print.c: printing tensors.
 *
 * The texts in tests/data/print are NumPy's own (see the README there), for a few hundred arrays of
 * every dtype; each is compared byte for byte, and some with options as well. The rest holds what
 * files cannot: views, streams, mapped tensors, options out of range, lack of memory.
 */
#include <dirent.h>
#include <math.h>
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

/* Print options with what their pointers point at. */
typedef struct option_set {
    int64_t precision;
    tm_print_options options;
} option_set;

/* Sets the option of "precision=3" and the like; the string must stay. */
static void set_option(option_set *set, char *word)
{
    tm_print_options *options = &set->options;
    char *value = strchr(word, '=');
    ck_assert_msg(value != NULL, "%s", word);
    *value++ = '\0';
    if (strcmp(word, "precision") == 0) {
        set->precision = atoi(value);
        options->precision = &set->precision;
    } else if (strcmp(word, "threshold") == 0) {
        options->threshold = atoi(value);
    } else if (strcmp(word, "edgeitems") == 0) {
        options->edgeitems = atoi(value);
    } else if (strcmp(word, "linewidth") == 0) {
        options->linewidth = atoi(value);
    } else if (strcmp(word, "suppress") == 0) {
        options->suppress = atoi(value) != 0;
    } else if (strcmp(word, "nanstr") == 0) {
        options->nanstr = value;
    } else if (strcmp(word, "infstr") == 0) {
        options->infstr = value;
    } else if (strcmp(word, "sign") == 0) {
        options->sign = value[0];
    } else {
        static const char *const modes[] = {[TM_PRINT_MAXPREC] = "maxprec",
                                            [TM_PRINT_MAXPREC_EQUAL] = "maxprec_equal",
                                            [TM_PRINT_UNIQUE] = "unique",
                                            [TM_PRINT_FIXED] = "fixed"};
        ck_assert_str_eq(word, "floatmode");
        int mode = 0;
        while (strcmp(modes[mode], value) != 0) {
            ck_assert_int_lt(++mode, 4);
        }
        options->floatmode = (tm_print_floatmode)mode;
    }
}

/* Cuts the text at the first `mark`, and returns what comes after it; NULL where there is none. */
static char *cut(char *text, char mark)
{
    char *end = strchr(text, mark);
    if (end != NULL) {
        *end++ = '\0';
    }
    return end;
}

/* Cuts the text after `lines` lines, at least one, and returns what comes after them. */
static char *cut_lines(char *text, int lines)
{
    char *end = text;
    for (; lines > 0; lines--) {
        end = strchr(end, '\n');
        ck_assert_ptr_nonnull(end);
        end++;
    }
    end[-1] = '\0';
    return end;
}

START_TEST(prints_with_options_as_numpy)
{
    char *text = read_file(PRINT_DATA "/options.txt");
    int cases = 0;
    for (char *at = text; *at != '\0'; cases++) {
        char *name = at;
        char *wanted = cut(at, '\n');
        ck_assert_ptr_nonnull(wanted);
        char *lines = cut(name, '\t');
        ck_assert_ptr_nonnull(lines);
        option_set set = {.options = {.struct_size = sizeof(set.options)}};
        char *next = cut(lines, '\t');
        for (char *word = next; word != NULL; word = next) {
            next = cut(word, '\t');
            set_option(&set, word);
        }
        at = cut_lines(wanted, atoi(lines));
        tm_tensor *x = load_case(name);
        char *got = tm_to_string_with(x, &set.options);
        ck_assert_msg(got != NULL, "%s", tm_error_message());
        ck_assert_msg(strcmp(got, wanted) == 0, "case %d, %s: wanted\n%s\ngot\n%s", cases, name,
                      wanted, got);
        tm_string_free(got);
        tm_release(x);
    }
    ck_assert_int_ge(cases, 500);
    free(text);
    ck_assert_uint_eq(test_live_blocks(), 0);
}
END_TEST

/* The options are refused with this message, and name this field. */
static void check_refused(tm_print_options options, const char *field, const char *message)
{
    tm_tensor *x = tm_from_data(TM_FLOAT32, 1, (int64_t[]){1}, (float[]){1});
    tm_error_clear();
    ck_assert_ptr_null(tm_to_string_with(x, &options));
    ck_assert_str_eq(tm_error_get()->op, "to_string_with");
    ck_assert_str_eq(tm_error_get()->argument, field);
    ck_assert_msg(strstr(tm_error_message(), message) != NULL, "%s", tm_error_message());
    ck_assert_int_eq(tm_print_with(stdout, x, &options), tm_error_code());
    ck_assert_str_eq(tm_error_get()->op, "print_with");
    tm_release(x);
}

#define REFUSED(field, message, ...)                                                               \
    check_refused((tm_print_options){.struct_size = sizeof(tm_print_options), __VA_ARGS__}, field, \
                  message)

START_TEST(refuses_options)
{
    const int64_t negative = -1, large = TM_PRINT_PRECISION_MAX + 1;
    char longest[TM_PRINT_STRING_MAX + 2];
    memset(longest, 'n', sizeof(longest));
    longest[TM_PRINT_STRING_MAX + 1] = '\0';
    REFUSED("precision", "precision must be from 0 to 1100, got -1", .precision = &negative);
    REFUSED("precision", "precision must be from 0 to 1100, got 1101", .precision = &large);
    REFUSED("threshold", "threshold must not be negative, got -1", .threshold = -1);
    REFUSED("edgeitems", "edgeitems must not be negative, got -2", .edgeitems = -2);
    REFUSED("linewidth", "linewidth must not be negative, got -3", .linewidth = -3);
    REFUSED("nanstr", "nanstr must not be blank", .nanstr = "");
    REFUSED("infstr", "infstr must not be blank", .infstr = "  ");
    REFUSED("nanstr", "nanstr must be printable ASCII, its byte 1 is not", .nanstr = "n\n");
    REFUSED("infstr", "infstr must be printable ASCII, its byte 0 is not",
            .infstr = "\xE2\x88\x9E");
    REFUSED("nanstr", "nanstr must have at most 64 characters", .nanstr = longest);
    REFUSED("sign", "sign must be '-', '+' or ' ', got the character 42", .sign = '*');
    REFUSED("floatmode", "floatmode must be a tm_print_floatmode, got 4",
            .floatmode = (tm_print_floatmode)4);
    check_refused((tm_print_options){.struct_size = 8}, "options",
                  "struct_size must be sizeof(tm_print_options)");
}
END_TEST

START_TEST(takes_options_at_their_limits)
{
    char longest[TM_PRINT_STRING_MAX + 1];
    memset(longest, 'n', TM_PRINT_STRING_MAX);
    longest[TM_PRINT_STRING_MAX] = '\0';
    const int64_t precision = TM_PRINT_PRECISION_MAX;
    tm_print_options options = {.struct_size = sizeof(options),
                                .precision = &precision,
                                .threshold = INT64_MAX,
                                .edgeitems = INT64_MAX,
                                .linewidth = INT64_MAX,
                                .nanstr = longest,
                                .infstr = longest,
                                .sign = ' ',
                                .floatmode = TM_PRINT_FIXED};
    tm_tensor *x = tm_from_data(TM_COMPLEX128, 1, (int64_t[]){2},
                                (double[]){99999999.5, 1, (double)NAN, -HUGE_VAL});
    char *got = tm_to_string_with(x, &options);
    ck_assert_ptr_nonnull(got);
    /* The widest column: 9 characters, a point and 1100; then a sign, a digit, those and the j. */
    ck_assert_uint_eq(strlen(got), 1 + (1110 + 1104) + 1 + (1110 + 1104) + 1);
    ck_assert_int_eq(strncmp(got, "[ 99999999.5000", 15), 0);
    tm_string_free(got);
    options.precision = TM_SOME(int64_t, 0);
    got = tm_to_string_with(x, &options);
    /* 64 characters and room for a sign in either column, and the j. */
    ck_assert_uint_eq(strlen(got), 1 + (65 + 65 + 1) + 1 + (65 + 65 + 1) + 1);
    tm_string_free(got);
    options = (tm_print_options){.struct_size = sizeof(options)};
    char *plain = tm_to_string(x);
    got = tm_to_string_with(x, &options);
    ck_assert_str_eq(got, plain);
    tm_string_free(got);
    got = tm_to_string_with(x, NULL);
    ck_assert_str_eq(got, plain);
    tm_string_free(got);
    tm_string_free(plain);
    tm_release(x);
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
    text = NULL;
    stream = open_memstream(&text, &size);
    const tm_print_options narrow = {.struct_size = sizeof(narrow), .linewidth = 1};
    ck_assert_int_eq(tm_print_with(stream, x, &narrow), TM_OK);
    fclose(stream);
    ck_assert_str_eq(text, "[-1\n 20]\n");
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
    tcase_add_test(tests, prints_with_options_as_numpy);
    tcase_add_test(tests, refuses_options);
    tcase_add_test(tests, takes_options_at_their_limits);
    tcase_add_test(tests, prints_views);
    tcase_add_test(tests, prints_to_a_stream);
    tcase_add_test(tests, refuses_null);
    tcase_add_test(tests, prints_mapped);
    tcase_add_test(tests, formats_shapes);
    tcase_add_test(tests, survives_lack_of_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
