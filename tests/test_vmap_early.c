/* test_vmap_early.c: mapped functions that return early, at every depth of a nest, whole and in
 * pieces: what they say comes back, nothing is left open or alive, and the next run is right.
 */
#include "support.h"

enum { DEPTH = 3 };

/* How a function returns. */
typedef enum way {
    DONE,
    SILENT,  /* a failure without a word */
    TOLD,    /* an op's failure */
    UNSET,   /* success, its output never set */
    UNASKED, /* success, an op's failure behind it */
    STRAY    /* a failure, its output set to what is not its own */
} way;

static const struct {
    tm_status code;
    const char *part;
} told[] = {[SILENT] = {TM_ERR_NUMERIC, "vmap: the mapped function failed without an error"},
            [TOLD] = {TM_ERR_RANK, "triu: x must have at least 2 dimensions"},
            [UNSET] = {TM_ERR_USAGE, "vmap: the mapped function left output 0 unset"},
            [UNASKED] = {TM_ERR_RANK, "triu: x must have at least 2 dimensions"},
            [STRAY] = {TM_ERR_VALUE, "vmap: the mapped function failed without an error"}};

typedef struct nest {
    int depth, at;
    way how;
    int64_t chunk[DEPTH];
} nest;

static tm_status map_deeper(nest *n, const tm_tensor *x, tm_tensor **out);

/* Leaves open what can be, and returns in its way where it is its turn. */
static tm_status returns(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    nest *n = user;
    int depth = n->depth;
    tm_tensor *index = tm_vmap_index(tm_vmap_current());
    bool turn = index && depth == n->at && n->how != DONE;
    tm_scope_push();
    if (turn) {
        tm_vmap_push(NULL);
        tm_mode_push(&(tm_mode_def){.struct_size = sizeof(tm_mode_def), .name = "left"}, NULL);
        tm_zeros(TM_INTS(3), TM_FLOAT32);
        tm_tensor *row = tm_zeros(TM_INTS(2), TM_FLOAT32);
        switch (n->how) {
        case SILENT:
            return TM_ERR_NUMERIC;
        case TOLD:
            return tm_triu(row, 0) ? TM_OK : tm_error_code();
        case UNASKED:
            tm_triu(row, 0);
            return TM_OK;
        case STRAY:
            out[0] = row;
            return TM_ERR_VALUE;
        default:
            return TM_OK;
        }
    }
    n->depth = depth + 1;
    tm_status status = TM_OK;
    if (n->depth < DEPTH)
        status = map_deeper(n, in[0], out);
    else
        out[0] = tm_add(in[0], in[0]);
    n->depth = depth;
    return status;
}

static tm_status map_deeper(nest *n, const tm_tensor *x, tm_tensor **out)
{
    const tm_vmap_options options = {.struct_size = sizeof options,
                                     .chunk_size = n->chunk[n->depth]};
    return tm_vmap(returns, n, &options, 1, &x, (const int64_t[]){0}, 1, out, NULL);
}

static void check(nest n, const tm_tensor *x)
{
    tm_tensor *out;
    tm_scope *scope = tm_scope_push();
    uint64_t live = tm_memory_get_stats().live_tensors;
    EXPECT_FAIL(map_deeper(&n, x, &out), told[n.how].code, told[n.how].part);
    ck_assert_ptr_null(out);
    ck_assert_ptr_null(tm_vmap_current());
    ck_assert_uint_eq(tm_memory_get_stats().live_tensors, live);
    EXPECT_OK(tm_scope_pop(scope));
    scope = tm_scope_push();
    n.how = DONE;
    n.depth = 0;
    EXPECT_OK(map_deeper(&n, x, &out));
    EXPECT_SHAPE(out, TM_FLOAT32, TM_INTS(2, 3, 2));
    ck_assert_double_eq(test_value(out, 11), 22);
    EXPECT_OK(tm_scope_pop(scope));
}

START_TEST(at_every_depth_whole_and_in_pieces)
{
    const tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 2));
    static const int64_t chunks[] = {0, 1, 2, TM_CHUNK_AUTO};
    for (int how = SILENT; how <= STRAY; how++)
        for (int at = 0; at < DEPTH; at++)
            for (int c = 0; c < 64; c++)
                check((nest){.at = at,
                             .how = (way)how,
                             .chunk = {chunks[c % 4], chunks[c / 4 % 4], chunks[c / 16]}},
                      x);
}
END_TEST

Suite *vmap_early_suite(void)
{
    const TTest *tests[] = {at_every_depth_whole_and_in_pieces};
    return test_suite("vmap_early", tests, COUNT(tests));
}
