/* test_tuning.c: the switches between several ways to one result. */
#include <string.h>

#include "support.h"

START_TEST(simd_levels_are_those_of_the_processor)
{
    tm_simd most = tm_get_simd();
    for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
        ck_assert_int_eq(tm_set_simd(level), TM_OK);
        ck_assert_int_eq(tm_get_simd(), level);
        ck_assert_ptr_nonnull(tm_simd_name(level));
    }
    EXPECT_FAIL(tm_set_simd((tm_simd)3), TM_ERR_VALUE, "level must be in 0..2, got 3");
    ck_assert_int_eq(tm_get_simd(), most);
    ck_assert_ptr_null(tm_simd_name((tm_simd)3));
}
END_TEST

START_TEST(paths_are_set_by_name)
{
    ck_assert_int_eq(tm_set_paths("flat=off,split=on"), TM_OK);
    ck_assert_int_eq(tm_get_path(TM_PATH_FLAT), TM_PATH_OFF);
    ck_assert_int_eq(tm_get_path(TM_PATH_SPLIT), TM_PATH_ON);
    ck_assert_int_eq(tm_set_path(TM_PATH_FLAT, TM_PATH_AUTO), TM_OK);
    ck_assert_int_eq(tm_get_path(TM_PATH_FLAT), TM_PATH_AUTO);
    for (int p = 0; p < TM_NUM_PATHS; p++) {
        char text[64];
        snprintf(text, sizeof text, "%s=off", tm_path_name((tm_path)p));
        ck_assert_int_eq(tm_set_paths(text), TM_OK);
        ck_assert_int_eq(tm_get_path((tm_path)p), TM_PATH_OFF);
    }
}
END_TEST

START_TEST(what_is_not_understood_sets_nothing)
{
    const char *wrong[] = {"flat", "flat=", "flat=maybe", "wings=on", "direct=off,flat=onn", "=on"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT_FAIL(tm_set_paths(wrong[i]), TM_ERR_VALUE, "must");
        ck_assert_int_eq(tm_get_path(TM_PATH_DIRECT), TM_PATH_AUTO);
        ck_assert_int_eq(tm_get_path(TM_PATH_FLAT), TM_PATH_AUTO);
    }
    EXPECT_FAIL(tm_set_paths(NULL), TM_ERR_VALUE, "must");
    EXPECT_FAIL(tm_set_path(TM_NUM_PATHS, TM_PATH_ON), TM_ERR_VALUE, "must");
    EXPECT_FAIL(tm_set_path(TM_PATH_FLAT, (tm_path_use)3), TM_ERR_VALUE, "must");
    ck_assert_int_eq(tm_get_path(TM_NUM_PATHS), TM_PATH_AUTO);
    ck_assert_ptr_null(tm_path_name(TM_NUM_PATHS));
}
END_TEST

/* By programs, before they begin. */
START_TEST(the_environment_is_read_or_complained_about)
{
    static const struct {
        const char *setting, *said;
    } cases[] = {
        {"TRANSMUTE_SIMD=portable", "transmute 0"},
        {"TRANSMUTE_SIMD=mmx", "transmute: TRANSMUTE_SIMD=mmx: not portable, avx2 or avx512"},
        {"TRANSMUTE_PATHS=flat=off,split=on", "transmute 0"},
        {"TRANSMUTE_PATHS=flat=off,wings=on", "transmute: TRANSMUTE_PATHS: 'wings=on' is not"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char command[512], line[256] = "";
        snprintf(command, sizeof command, "%s " TM_PROGRAM " --version 2>&1", cases[i].setting);
        FILE *pipe = popen(command, "r");
        ck_assert_ptr_nonnull(pipe);
        ck_assert_ptr_nonnull(fgets(line, sizeof line, pipe));
        while (fgetc(pipe) != EOF)
            continue;
        ck_assert_int_eq(pclose(pipe), 0);
        ck_assert_msg(strncmp(line, cases[i].said, strlen(cases[i].said)) == 0, "%s: %s",
                      cases[i].setting, line);
    }
}
END_TEST

Suite *tuning_suite(void)
{
    const TTest *const tests[] = {
        simd_levels_are_those_of_the_processor,
        paths_are_set_by_name,
        what_is_not_understood_sets_nothing,
        the_environment_is_read_or_complained_about,
    };
    return test_suite("tuning", tests, COUNT(tests));
}
