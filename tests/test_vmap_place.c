/* test_vmap_place.c: results of pieces that are made where they belong, and whatever else takes the
 * place that was laid out for one.
 */
#include "support.h"

enum { BATCH = 12, EXAMPLE = 5 };

/* What a function did in its pieces so far. */
typedef struct state {
    int piece;
    tm_tensor *kept[BATCH];
    int num_kept;
} state;

static tm_tensor *examples(void)
{
    return test_iota(TM_FLOAT32, TM_INTS(BATCH, EXAMPLE));
}

static void map(tm_mapped_fn fn, state *s, int64_t chunk, int num_out, tm_tensor **out,
                const int64_t *out_dims)
{
    *s = (state){0};
    const tm_tensor *x = examples();
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = chunk};
    EXPECT_OK(tm_vmap(fn, s, &options, 1, &x, (const int64_t[]){0}, num_out, out, out_dims));
}

/* Both ways round, the same in pieces of every size; outputs are x plus these numbers. */
static void expect(tm_mapped_fn fn, int num_out, const float *plus, const int64_t *out_dims)
{
    for (int stream = 0; stream < 2; stream++) {
        EXPECT_OK(tm_set_paths(stream ? "stream=on,flat=off" : "stream=auto,flat=auto"));
        for (int64_t chunk = 1; chunk <= BATCH; chunk++) {
            state s;
            tm_tensor *out[3];
            map(fn, &s, chunk, num_out, out, out_dims);
            for (int i = 0; i < s.num_kept; i++)
                tm_release(s.kept[i]);
            for (int o = 0; o < num_out; o++)
                for (int64_t k = 0; k < tm_numel(out[o]); k++) {
                    int64_t at = out_dims ? k % BATCH * EXAMPLE + k / BATCH : k;
                    ck_assert_msg(test_value(out[o], k) == (double)((float)at + plus[o]),
                                  "output %d, element %lld, in pieces of %lld", o, (long long)k,
                                  (long long)chunk);
                }
        }
    }
    EXPECT_OK(tm_set_paths("stream=auto,flat=auto"));
}

static tm_tensor *plus(const tm_tensor *x, double number)
{
    return tm_add_scalar(x, tm_scalar_float(number));
}

static tm_status two_ops(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = plus(plus(in[0], 1), 2);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(the_last_of_two)
{
    expect(two_ops, 1, (const float[]){3}, NULL);
    expect(two_ops, 1, (const float[]){3}, (const int64_t[]){1});
}
END_TEST

/* A piece's memory is then that of what it makes on the way. */
START_TEST(takes_no_memory_of_its_own)
{
    enum { NUM = 64, LENGTH = 4096, CHUNK = 16 };
    const tm_tensor *x = MADE(tm_ones(TM_INTS(NUM, LENGTH), TM_FLOAT32));
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = CHUNK};
    tm_tensor *out;
    int64_t before = (int64_t)tm_memory_get_stats().live_bytes, whole = NUM * LENGTH * 4;
    tm_memory_reset_peak();
    EXPECT_OK(tm_vmap(two_ops, NULL, &options, 1, &x, (const int64_t[]){0}, 1, &out, NULL));
    int64_t most = (int64_t)tm_memory_get_stats().peak_bytes - before;
    ck_assert_int_lt(most, whole + whole * CHUNK / NUM * 3 / 2);
}
END_TEST

/* The storage that was the result is something else in the next piece, and outlives it. */
static tm_status changes(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    state *s = user;
    tm_tensor *first = plus(in[0], 3), *second = plus(in[0], 4);
    out[0] = s->piece % 3 == 1 ? plus(second, -1) : first;
    s->kept[s->num_kept++] = tm_retain(s->piece++ % 3 == 1 ? first : second);
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(another_storage_each_time)
{
    expect(changes, 1, (const float[]){3}, NULL);
}
END_TEST

/* The result itself is kept by the function: what it holds has escaped. */
static tm_status keeps(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    state *s = user;
    out[0] = s->kept[s->num_kept++] = tm_retain(plus(in[0], 7));
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(a_result_that_is_kept)
{
    expect(keeps, 1, (const float[]){7}, NULL);
}
END_TEST

/* One result twice, and another way of looking at it. */
static tm_status thrice(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    state *s = user;
    tm_tensor *y = plus(in[0], 1);
    out[0] = out[1] = y;
    out[2] = s->piece++ == 1 ? tm_flip(tm_flip(y, NULL), NULL) : y;
    return out[2] ? TM_OK : tm_error_code();
}

START_TEST(one_result_in_several_places)
{
    expect(thrice, 3, (const float[]){1, 1, 1}, NULL);
}
END_TEST

/* From the second piece on a view that turns its storage round. */
static tm_status turns(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    state *s = user;
    tm_tensor *y = s->piece++ ? plus(tm_flip(in[0], NULL), 2) : plus(in[0], 2);
    out[0] = s->piece > 1 ? tm_flip(y, NULL) : y;
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(a_view_in_the_place)
{
    expect(turns, 1, (const float[]){2}, NULL);
}
END_TEST

/* Results change places. */
static tm_status swaps(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    state *s = user;
    bool odd = s->piece++ % 2;
    tm_tensor *a = plus(in[0], odd ? 2 : 1), *b = plus(in[0], odd ? 1 : 2);
    out[0] = odd ? b : a;
    out[1] = odd ? a : b;
    return a && b ? TM_OK : tm_error_code();
}

START_TEST(results_that_change_places)
{
    expect(swaps, 2, (const float[]){1, 2}, NULL);
}
END_TEST

Suite *vmap_place_suite(void)
{
    const TTest *tests[] = {
        the_last_of_two,           takes_no_memory_of_its_own,   another_storage_each_time,
        a_result_that_is_kept,     one_result_in_several_places, a_view_in_the_place,
        results_that_change_places};
    return test_suite("vmap_place", tests, COUNT(tests));
}
