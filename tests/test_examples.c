/* test_examples.c: the programs in examples/ run and print what is written here. They are built
 * with the public headers and the shared library alone.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support.h"

static void expect_output(const char *name, const char *expected)
{
    char command[512], output[4096];
    snprintf(command, sizeof command, "%s/example_%s 2>&1", TM_EXAMPLES, name);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s failed: %s", name, output);
    ck_assert_str_eq(output, expected);
}

START_TEST(a_c_function_registered_at_run_time)
{
    expect_output("kernel_ffi", "[[ -2.   0.   2.]\n"
                                " [-40. -20.  60.]]\n"
                                "center: x must be a float32 vector, got shape (2, 3)\n");
}
END_TEST

START_TEST(a_kernel_registered_by_signature)
{
    expect_output("kernel_signature", "[321. 654.]\n"
                                      "[[14. 32.]\n"
                                      " [32. 77.]]\n"
                                      "vmap: x has size 3 at in_dim 1, but the level's size is 2\n"
                                      "dot_product: y has size 2 in its core dimension n, but x "
                                      "has 3 (signature (n),(n)->())\n");
}
END_TEST

START_TEST(a_rule_for_a_whole_batch)
{
    expect_output("rule", "[[1. 3.]\n"
                          " [2. 4.]\n"
                          " [3. 7.]]\n"
                          "1 batch by the rule\n");
}
END_TEST

START_TEST(a_mode_that_counts)
{
    expect_output("count_mode", "[[ 4.  8.]\n"
                                " [ 0. 16.]]\n"
                                "add 2\n"
                                "triu 1\n");
}
END_TEST

START_TEST(two_levels_with_mixed_in_dims)
{
    expect_output("nested",
                  "[[[ 11.  24.]\n"
                  "  [ 12.  25.]\n"
                  "  [ 13.  26.]]\n"
                  "\n"
                  " [[101. 204.]\n"
                  "  [102. 205.]\n"
                  "  [103. 206.]]]\n"
                  "vmap: input 1 has size 3 at in_dim 1, but the other inputs have size 2\n");
}
END_TEST

START_TEST(the_idea_in_300_lines)
{
    expect_output("300_lines",
                  "triu of each matrix\n"
                  "  shape (2, 3, 3)\n"
                  "  0 1 2\n"
                  "  0 4 5\n"
                  "  0 0 8\n"
                  "  9 10 11\n"
                  "  0 13 14\n"
                  "  0 0 17\n"
                  "triu of each row: it has one dimension, and the one check there is says so\n"
                  "  error: triu: x must have at least 2 dimensions, got shape (3,)\n"
                  "each row projected: two levels of vmap\n"
                  "  shape (2, 3)\n"
                  "  1 4 7\n"
                  "  -0.5 -0.5 -0.5\n"
                  "the same as six calls, one by one: yes\n"
                  "each direction on itself, the second being 0\n"
                  "  error: project: x2 must not be 0, example 1 of level 0\n");
}
END_TEST

/* The tour holds what vmap finds against a loop, and one number against another. */
START_TEST(the_tour)
{
    static char output[1 << 14];
    FILE *pipe = popen(TM_EXAMPLES "/example_tour " TM_TEST_DATA "/../../data 2>&1", "r");
    ck_assert_ptr_nonnull(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    ck_assert_msg(pclose(pipe) == 0, "%s", output);
    static const char *const lines[] = {
        "\nfound 1, label 1\n",
#ifdef TM_HAVE_LAPACK
        "\n[[25.1 40.3 50.5 58.1 64.7 69.2 72.7 75.8]\n",
        "\nright: 0.96486825\n",
        "\nmean squared distance from the plane, and variance not explained: the same\n",
        "\nplanes by vmap and by a loop: the same\n",
        "\ndistances by vmap and by a loop: the same\n",
#endif
        "\nerror: triu: x must have at least 2 dimensions, got shape (8,)\n"};
    for (int i = 0; i < COUNT(lines); i++)
        ck_assert_msg(strstr(output, lines[i]) != NULL, "no line %s in %s", lines[i], output);
}
END_TEST

static int count_lines(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/../../%s.c", TM_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    int lines = 0;
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* Each is a page to read (the tour is a program of its own). */
START_TEST(examples_are_short)
{
    static const struct {
        const char *name;
        int most;
    } cases[] = {{"examples/kernel_ffi", 49},
                 {"examples/kernel_signature", 49},
                 {"examples/count_mode", 49},
                 {"examples/nested", 49},
                 {"examples/plugin", 49},
                 {"examples/rule", 49},
                 {"docs/transmute-in-300-lines", 300}};
    for (int i = 0; i < COUNT(cases); i++) {
        int lines = count_lines(cases[i].name);
        ck_assert_msg(lines <= cases[i].most, "%s has %d lines", cases[i].name, lines);
    }
}
END_TEST

Suite *examples_suite(void)
{
    const TTest *tests[] = {a_c_function_registered_at_run_time,
                            a_kernel_registered_by_signature,
                            a_rule_for_a_whole_batch,
                            a_mode_that_counts,
                            two_levels_with_mixed_in_dims,
                            the_idea_in_300_lines,
                            the_tour,
                            examples_are_short};
    return test_suite("examples", tests, COUNT(tests));
}
