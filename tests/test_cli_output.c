/* test_cli_output.c: `transmute call`: -o, which writes all files or none, and --trace. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <transmute/io.h>

#include "cli_support.h"

/* The file holds float32 values of that shape. */
static void check_file(const char *name, tm_int_list shape, const float *values)
{
    tm_tensor *x = tm_npy_load(cli_path(name));
    ck_assert_msg(x != NULL, "%s", tm_error_message());
    ck_assert_int_eq(tm_dtype_of(x), TM_FLOAT32);
    ck_assert_int_eq(tm_ndim(x), shape.count);
    for (int d = 0; d < tm_ndim(x); d++)
        ck_assert_int_eq(tm_shape(x)[d], shape.data[d]);
    ck_assert_mem_eq(tm_data(x), values, (size_t)tm_numel(x) * sizeof *values);
    tm_release(x);
}

START_TEST(saves)
{
    int files = cli_count_files();
    const cli_case cases[] = {
        {"call triu m.npy -o out.npy", 0, "shape=(2, 2) dtype=float32\n"},
        {"call relu m23.npy --vmap 1:0 -o turned.npy", 0, "shape=(3, 2) dtype=float32\n"},
        {"call neg f1.npy -o -1.npy", 0, "shape=() dtype=float32\n"},
        {"call item f1.npy -o item.npy", 0, "shape=() dtype=float32\n"},
        {"call -o first.npy relu v2.npy", 0, "shape=(2,) dtype=float32\n"},
    };
    cli_check(cases, COUNT(cases));
    ck_assert_int_eq(cli_count_files(), files + COUNT(cases));
    check_file("out.npy", TM_INTS(2, 2), (const float[]){0, 1, 0, 3});
    check_file("turned.npy", TM_INTS(3, 2), (const float[]){0, 3, 1, 4, 2, 5});
    check_file("-1.npy", tm_no_ints, (const float[]){-0.1f});
    check_file("item.npy", tm_no_ints, (const float[]){0.1f});
    check_file("first.npy", TM_INTS(2), (const float[]){0, 1});
}
END_TEST

START_TEST(replaces_files)
{
    int files = cli_count_files();
    const cli_case cases[] = {
        {"call add_ v2.npy 1 -o v2.npy", 0, "shape=(2,) dtype=float32\n"},
        {"call add_ v2.npy 1", 0, "shape=(2,) dtype=float32\n[2. 3.]\n"},
        {"call add_ m.npy 1 -o v3.npy", 0, "shape=(2, 2) dtype=float32\n"},
    };
    cli_check(cases, COUNT(cases));
    ck_assert_int_eq(cli_count_files(), files);
    check_file("v2.npy", TM_INTS(2), (const float[]){1, 2});
    check_file("v3.npy", TM_INTS(2, 2), (const float[]){1, 2, 3, 4});
    check_file("m.npy", TM_INTS(2, 2), (const float[]){0, 1, 2, 3});
}
END_TEST

START_TEST(saves_every_output)
{
    const cli_case cases[] = {
        {"call sort_with_indices m.npy -1 True -o values.npy -o indices.npy", 0,
         "shape=(2, 2) dtype=float32\nshape=(2, 2) dtype=int64\n"},
        {"call sort_with_indices m.npy descending=True", 0,
         "shape=(2, 2) dtype=float32\n[[1. 0.]\n [3. 2.]]\nshape=(2, 2) dtype=int64\n[[1 0]\n"
         " [1 0]]\n"},
        {"call sort_with_indices m.npy --vmap 0:1,0", 0,
         "shape=(2, 2) dtype=float32\n[[0. 2.]\n [1. 3.]]\nshape=(2, 2) dtype=int64\n[[0 1]\n"
         " [0 1]]\n"},
        {"call relu indices.npy", 0, "shape=(2, 2) dtype=int64\n[[1 0]\n [1 0]]\n"},
    };
    cli_check(cases, COUNT(cases));
    check_file("values.npy", TM_INTS(2, 2), (const float[]){1, 0, 3, 2});
    const cli_case bad[] = {
        {"call sort_with_indices m.npy -o a.npy", 2, "sort_with_indices has 2 outputs, got 1 -o"},
        {"call sort_with_indices m.npy -o a.npy -o a.npy", 2, "-o: 'a.npy' is given twice"},
        {"call sort_with_indices m.npy -o a.npy -o no/b.npy", 2,
         "-o: 'no/b.npy': No such file or directory"},
        {"call sort_with_indices m.npy -o a.npy -o 6", 2, "-o: '6': not a regular file"},
        {"call sort_with_indices m.npy -o m.npy -o 6", 2, "-o: '6': not a regular file"},
        {"call sort_with_indices m.npy --vmap 0:0,0,0", 2, "--vmap '0:0,0,0': 3 out_dims..."},
        {"call sort_with_indices m.npy --vmap 0:0,2", 2,
         "--vmap '0:0,2': output 1: out_dim 2 is out of range..."},
    };
    cli_check(bad, COUNT(bad));
    check_file("m.npy", TM_INTS(2, 2), (const float[]){0, 1, 2, 3});
}
END_TEST

/* How many results a list has is known once the op was called. */
START_TEST(lists)
{
    int files = cli_count_files();
    const cli_case cases[] = {
        {"call unbind m23.npy", 0,
         "shape=(3,) dtype=float32\n[0. 1. 2.]\nshape=(3,) dtype=float32\n[3. 4. 5.]\n"},
        {"call chunk m23.npy 2 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[0. 1.]\n [3. 4.]]\nshape=(2, 1) dtype=float32\n[[2.]\n "
         "[5.]]\n"},
        {"call chunk m23.npy 2 --vmap 1:0,1", 0,
         "shape=(3, 1) dtype=float32\n[[0.]\n [1.]\n [2.]]\nshape=(1, 3) dtype=float32\n"
         "[[3. 4. 5.]]\n"},
        {"call unbind empty.npy", 0, ""},
        {"call unbind m23.npy 2", 1, "unbind: axis 2 is out of range, must be in -2..1"},
        {"call unbind m23.npy 1 -o a.npy", 2, "unbind has 3 outputs, got 1 -o"},
        {"call unbind empty.npy -o a.npy", 2, "unbind has 0 outputs, got 1 -o"},
        {"call chunk m23.npy 2 --vmap 1:0,1,0", 2, "--vmap '1:0,1,0': 3 out_dims..."},
    };
    cli_check(cases, COUNT(cases));
    ck_assert_int_eq(cli_count_files(), files);
    const cli_case saved[] = {{"call split m23.npy 2 1 -o left.npy -o right.npy", 0,
                               "shape=(2, 2) dtype=float32\nshape=(2, 1) dtype=float32\n"}};
    cli_check(saved, COUNT(saved));
    check_file("left.npy", TM_INTS(2, 2), (const float[]){0, 1, 3, 4});
    check_file("right.npy", TM_INTS(2, 1), (const float[]){2, 5});
}
END_TEST

START_TEST(writes_nothing_on_failure)
{
    const cli_case cases[] = {
        {"call triu m.npy -o", 2, "-o needs a value"},
        {"call triu m.npy -o --trace", 2, "-o needs a value"},
        {"call triu m.npy -o a.npy -o b.npy", 2, "triu has 1 output, got 2 -o"},
        {"call triu m.npy -o ''", 2, "-o: '': No such file or directory"},
        {"call triu m.npy -o no/out.npy", 2, "-o: 'no/out.npy': No such file or directory"},
        {"call triu m.npy -o .", 2, "-o: '.': not a regular file"},
        {"call triu m.npy -o /dev/null", 2, "-o: '/dev/null': not a regular file"},
        {"call triu v2.npy -o out.npy", 1, "triu: x must have..."},
        {"call triu v2.npy -o no/out.npy", 1, "triu: x must have..."},
        {"call triu no.npy -o out.npy", 2, "triu: x must be..."},
        {"call relu m.npy --vmap 0:7 -o out.npy", 2, "--vmap '0:7': ..."},
        {"call item m.npy -o out.npy", 1, "item: ..."},
        {"call reshape s.npy () -o m.npy/out.npy", 2, "-o: 'm.npy/out.npy': ..."},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

/* Every line of standard error but `first` (may be NULL) begins with two spaces. */
static void check_trace(const char *command, int code, const char *first, const char *call)
{
    const cli_run *run = cli_exec(command);
    ck_assert_msg(run->code == code, "%s: exit %d\n%s", command, run->code, run->err);
    const char *at = run->err;
    if (first) {
        ck_assert_int_eq(strncmp(at, first, strlen(first)), 0);
        at = strchr(at, '\n') + 1;
    }
    ck_assert_msg(strstr(at, call) != NULL, "%s: %s", command, run->err);
    while (*at) {
        ck_assert_msg(strncmp(at, "  ", 2) == 0, "%s: %s", command, at);
        at = strchr(at, '\n') + 1;
    }
}

START_TEST(traces)
{
    check_trace("call triu m.npy --trace", 0, NULL, "  t1 = triu(x=t0");
    check_trace("call --trace multiply m.npy 2", 0, NULL, "  t1 = mul.scalar(x1=t0");
    check_trace("call triu b4822.npy --vmap 0 --vmap 0 --trace", 0, NULL,
                "  vmap size=4\n    t1 = in(t0, 0)");
    check_trace("call triu b32_2.npy --vmap 0 --trace", 1,
                "error: triu: x must have at least 2 dimensions, got shape (2,)\n", "    # triu(");
    check_trace("call relu m.npy --vmap 0:7 --trace", 2, "error: --vmap '0:7'", "    t2 = relu(");
    /* The result is the same, the failure's context too. */
    const cli_run *run = cli_exec("call triu m.npy --trace");
    ck_assert_str_eq(run->out, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 3.]]\n");
    /* What is refused before the call leaves no trace. */
    const cli_case usage[] = {{"call triu no.npy --trace", 2, "triu: x must be the path..."}};
    cli_check(usage, 1);
    ck_assert_ptr_null(strchr(strchr(cli_exec(usage[0].command)->err, '\n'), ' '));
}
END_TEST

void cli_output_tests(TCase *tests)
{
    tcase_add_test(tests, saves);
    tcase_add_test(tests, replaces_files);
    tcase_add_test(tests, saves_every_output);
    tcase_add_test(tests, lists);
    tcase_add_test(tests, writes_nothing_on_failure);
    tcase_add_test(tests, traces);
}
