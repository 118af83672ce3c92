/* test_vmap_end.c: handles and levels after their end and in other threads; layouts under a level.
 */
#include <pthread.h>

#include "support.h"

static tm_tensor *in(tm_vmap_level *level, const tm_tensor *x, int64_t dim)
{
    return MADE(tm_vmap_in(level, x, dim));
}

/* -- After the end ----------------------------------------------------------------------------- */

START_TEST(a_kept_handle_of_an_ended_level_is_detected)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_keep(in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2)), 0));
    tm_tensor *made = tm_keep(MADE(tm_add(row, row)));
    tm_tensor *index = tm_keep(MADE(tm_vmap_index(v)));
    EXPECT_OK(tm_vmap_pop(v));
    tm_tensor *handles[] = {row, made, index};
    for (int i = 0; i < COUNT(handles); i++) {
        EXPECT_NULL(tm_add(handles[i], handles[i]), TM_ERR_ESCAPED, "add: x1");
        EXPECT_NULL(tm_data(handles[i]), TM_ERR_ESCAPED, "data: x");
        EXPECT_NULL(tm_mutable_data(handles[i]), TM_ERR_ESCAPED, "mutable_data: x");
        EXPECT_NULL(tm_alias(handles[i]), TM_ERR_ESCAPED, "alias: x");
        EXPECT_NULL(tm_strided_view(handles[i], 0, NULL, NULL, 0), TM_ERR_ESCAPED, "x");
        EXPECT_FAIL(tm_print(stdout, handles[i]), TM_ERR_ESCAPED, "");
        EXPECT_FAIL(tm_npy_save("/tmp/never_written.npy", handles[i]), TM_ERR_ESCAPED, "");
    }
    v = tm_vmap_push(NULL); /* nor does a new level take it */
    EXPECT_NULL(tm_vmap_in(v, row, 0), TM_ERR_ESCAPED, "x");
    EXPECT_NULL(tm_vmap_out(v, row, 0), TM_ERR_ESCAPED, "y");
    EXPECT_NULL(tm_add(in(v, test_iota(TM_FLOAT32, TM_INTS(2, 2)), 0), row), TM_ERR_ESCAPED, "x2");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(an_ended_level_is_detected)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL), *w = tm_vmap_push(NULL);
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_NULL(tm_vmap_in(w, x, 0), TM_ERR_ESCAPED, "level");
    EXPECT_NULL(tm_vmap_out(w, x, 0), TM_ERR_ESCAPED, "level");
    EXPECT_NULL(tm_vmap_index(w), TM_ERR_ESCAPED, "level");
    EXPECT_FAIL(tm_vmap_pop(w), TM_ERR_ESCAPED, "level");
    ck_assert_int_eq(tm_vmap_size(w), -1);
    EXPECT_ERROR(TM_ERR_ESCAPED, "level");
    ck_assert_uint_eq(tm_vmap_id(w), 0);
    EXPECT_ERROR(TM_ERR_ESCAPED, "level");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* A new level must not be reached through the pointer of one that has ended. */
START_TEST(an_ended_level_stays_ended_when_another_is_pushed)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *old = tm_vmap_push(NULL);
    EXPECT_OK(tm_vmap_pop(old));
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_NULL(tm_vmap_in(old, x, 0), TM_ERR_ESCAPED, "level");
    EXPECT_FAIL(tm_vmap_pop(old), TM_ERR_ESCAPED, "level");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

struct foreign {
    tm_vmap_level *level;
    const tm_tensor *row, *plain;
    tm_status codes[8];
};

static void *use_elsewhere(void *user)
{
    struct foreign *f = user;
    int n = 0;
    tm_tensor *y;
#define TRY(expression)                                                                            \
    y = expression;                                                                                \
    f->codes[n++] = y ? TM_OK : tm_error_code();                                                   \
    tm_error_clear();
    TRY(tm_add(f->row, f->row))
    TRY((tm_tensor *)(uintptr_t)tm_data(f->row))
    TRY(tm_vmap_in(f->level, f->plain, 0))
    TRY(tm_vmap_out(f->level, f->row, 0))
    TRY(tm_vmap_index(f->level))
#undef TRY
    f->codes[n++] = tm_vmap_pop(f->level);
    tm_error_clear();
    f->codes[n++] = tm_vmap_size(f->level) == -1 ? tm_error_code() : TM_OK;
    tm_error_clear();
    f->codes[n++] = tm_vmap_current() ? TM_ERR_USAGE : TM_ERR_ESCAPED;
    return NULL;
}

START_TEST(another_threads_level_and_its_handles_are_detected)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    struct foreign f = {.level = v, .row = in(v, x, 0), .plain = x};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, use_elsewhere, &f), 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < COUNT(f.codes); i++)
        ck_assert_msg(f.codes[i] == TM_ERR_ESCAPED, "use %d: %s", i, tm_status_name(f.codes[i]));
    EXPECT_F32(tm_vmap_out(v, tm_add(f.row, f.row), 0), TM_INTS(2, 2), 0, 2, 4, 6);
    tm_retain(f.row);
    EXPECT_OK(tm_vmap_pop(v)); /* nor does another thread take what has ended */
    ck_assert_int_eq(pthread_create(&thread, NULL, use_elsewhere, &f), 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < COUNT(f.codes); i++)
        ck_assert_msg(f.codes[i] == TM_ERR_ESCAPED, "use %d: %s", i, tm_status_name(f.codes[i]));
    tm_release(f.row);
}
END_TEST

/* -- Layouts ----------------------------------------------------------------------------------- */

START_TEST(reversed_expanded_and_offset_inputs)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(12));
    tm_tensor *reversed =
        MADE(tm_strided_view(x, 2, (const int64_t[]){2, 3}, (const int64_t[]){-3, -1}, 11));
    tm_tensor *expanded =
        MADE(tm_strided_view(x, 2, (const int64_t[]){2, 3}, (const int64_t[]){0, 2}, 1));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *sum = MADE(tm_add(in(v, reversed, 0), in(v, expanded, 0)));
    EXPECT_F32(tm_vmap_out(v, sum, 0), TM_INTS(2, 3), 12, 13, 14, 9, 10, 11);
    sum = MADE(tm_add(in(v,
                         MADE(tm_strided_view(reversed, 2, (const int64_t[]){3, 2},
                                              (const int64_t[]){-1, -3}, 0)),
                         1),
                      in(v, expanded, -2)));
    EXPECT_F32(tm_vmap_out(v, sum, -1), TM_INTS(3, 2), 12, 9, 13, 10, 14, 11);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* Broadcasting goes by the logical shape: the batch dimension never takes part. */
START_TEST(broadcasting_does_not_see_the_batch)
{
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2)), *y = F32(TM_INTS(3), 10, 20, 30);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = in(v, x, 0), *number = in(v, y, 0);
    EXPECT_F32(tm_vmap_out(v, tm_add(row, number), 0), TM_INTS(3, 2), 10, 11, 22, 23, 34, 35);
    EXPECT_NULL(tm_add(row, y), TM_ERR_SHAPE, "add: x2|(2,)|(3,)");
    EXPECT_F32(tm_vmap_out(v, tm_add(F32(TM_INTS(2, 1), 0, 100), row), 0), TM_INTS(3, 2, 2), 0, 1,
               100, 101, 2, 3, 102, 103, 4, 5, 104, 105);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

Suite *vmap_end_suite(void)
{
    const TTest *tests[] = {a_kept_handle_of_an_ended_level_is_detected,
                            an_ended_level_is_detected,
                            an_ended_level_stays_ended_when_another_is_pushed,
                            another_threads_level_and_its_handles_are_detected,
                            reversed_expanded_and_offset_inputs,
                            broadcasting_does_not_see_the_batch};
    return test_suite("vmap_end", tests, COUNT(tests));
}
