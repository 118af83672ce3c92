/* test_copy.c: copies of blocks, whatever their steps, held against one element after the other. */
#include <stdlib.h>
#include <string.h>

#include <transmute/transmute.h>

#include "dispatch/copy.h"
#include "suites.h"

enum { ROOM = 1 << 18 };

static char source[ROOM], target[ROOM], expected[ROOM];

typedef struct block {
    int n;
    int64_t size[TM_COPY_DIMS];
    tm_copy_side to, from;
} block;

static void one_by_one(const block *b, int d, char *to, const char *from)
{
    if (d == TM_COPY_DIMS || d == b->n) {
        tm_cast(b->from.dtype, b->to.dtype)(from, 0, to, 0, 1);
        return;
    }
    for (int64_t i = 0; i < b->size[d]; i++)
        one_by_one(b, d + 1, to + i * b->to.step[d], from + i * b->from.step[d]);
}

/* Row-major steps over the dimensions in the order of `order`, with `gap` items between rows. */
static void set_steps(const block *b, tm_copy_side *side, const int *order, int64_t gap)
{
    int64_t step = (int64_t)tm_dtype_size(side->dtype), item = step;
    for (int k = b->n; k-- > 0;) {
        side->step[order[k]] = step;
        step = step * b->size[order[k]] + gap * item;
    }
}

static void check(block *b, char *to_base, char *expected_base)
{
    memset(target, 0x55, ROOM);
    memset(expected, 0x55, ROOM);
    one_by_one(b, 0, expected_base, b->from.base);
    tm_copy_plan plan;
    b->to.base = to_base;
    tm_copy_lay_out(&plan, b->n, b->size, &b->to, &b->from);
    int64_t half = plan.count / 3; /* as two threads would */
    tm_copy_range(&plan, half, plan.count);
    tm_copy_range(&plan, 0, half);
    ck_assert_int_eq(memcmp(target, expected, ROOM), 0);
}

static void check_sizes(tm_dtype from, tm_dtype to, const int64_t *size, int64_t gap, int64_t shift)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {2, 0, 1}, {2, 1, 0}, {1, 2, 0}};
    static const int row_major[] = {0, 1, 2};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        block b = {.n = 3, .to.dtype = to, .from.dtype = from};
        memcpy(b.size, size, 3 * sizeof *size);
        b.from.base = source;
        set_steps(&b, &b.from, orders[k], gap);
        set_steps(&b, &b.to, row_major, gap);
        check(&b, target + shift, expected + shift);
        b.from.base = source + b.from.step[2] * (size[2] - 1);
        b.from.step[2] = -b.from.step[2];
        check(&b, target + shift, expected + shift);
        b.from.base = source;
        b.from.step[2] = 0;
        check(&b, target + shift, expected + shift);
    }
}

static const int64_t sizes[][3] = {{3, 4, 4},   {5, 8, 8},   {2, 16, 16}, {3, 17, 33}, {2, 5, 3},
                                   {2, 32, 40}, {7, 3, 2},   {1, 70, 80}, {16, 1, 16}, {9, 9, 1},
                                   {2, 3, 600}, {300, 2, 4}, {0, 3, 4},   {1, 1, 1}};

static void check_all(void)
{
    static const tm_dtype dtypes[] = {TM_UINT8, TM_FLOAT16, TM_FLOAT32, TM_FLOAT64, TM_COMPLEX128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            int64_t item = (int64_t)tm_dtype_size(dtypes[d]);
            check_sizes(dtypes[d], dtypes[d], sizes[s], 0, 0);
            check_sizes(dtypes[d], dtypes[d], sizes[s], 0, item);
            check_sizes(dtypes[d], dtypes[d], sizes[s], 1, 0);
        }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        check_sizes(TM_INT16, TM_FLOAT32, sizes[s], 0, 4);
}

START_TEST(every_layout_is_copied_as_element_by_element)
{
    tm_simd most = tm_get_simd();
    for (int i = 0; i < ROOM; i++)
        source[i] = (char)(i * 7 + i / 251);
    for (tm_simd level = TM_SIMD_PORTABLE; level <= most; level++) {
        tm_set_simd(level);
        tm_set_path(TM_PATH_STREAM, TM_PATH_OFF);
        check_all();
        tm_set_path(TM_PATH_STREAM, TM_PATH_ON);
        check_all();
    }
    tm_set_path(TM_PATH_STREAM, TM_PATH_AUTO);
}
END_TEST

Suite *copy_suite(void)
{
    Suite *s = suite_create("copy");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_layout_is_copied_as_element_by_element);
    suite_add_tcase(s, tc);
    return s;
}
