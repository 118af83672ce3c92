/* test_cli_trace.c: a trace is a program, which run again gives the same results to the bit.
 *
 * A test does something under a trace and saves what comes out; the files are put aside, the trace
 * is run by the program, and must write the same files again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <transmute/transmute.h>

#include "cli_support.h"

enum { MAX_KEPT = 16 };

static tm_mode *trace;
static FILE *stream;
static char kept[MAX_KEPT][300];
static int num_kept;
static tm_scope *scope;
static char program[1 << 16];

static void begin(bool saving)
{
    char prefix[300];
    cli_keep(prefix, sizeof prefix, cli_path("t."));
    num_kept = 0;
    scope = tm_scope_push();
    stream = fopen(cli_path("t.tm"), "w");
    ck_assert_ptr_nonnull(stream);
    tm_seed(11);
    trace = saving ? tm_trace_push_saving(stream, prefix) : tm_trace_push(stream);
    ck_assert_ptr_nonnull(trace);
}

/* Saves a result, to be compared. */
static void keep(const tm_tensor *x)
{
    char name[16];
    snprintf(name, sizeof name, "y%d.npy", num_kept);
    cli_keep(kept[num_kept], sizeof kept[0], cli_path(name));
    ck_assert_msg(tm_npy_save(kept[num_kept], x) == TM_OK, "%s", tm_error_message());
    num_kept++;
}

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, size - 1, file);
    ck_assert_uint_lt(length, size - 1);
    text[length] = '\0';
    fclose(file);
}

/* Ends the trace; the program is in `program`. */
static void end(void)
{
    uint64_t live = tm_memory_get_stats().live_tensors;
    ck_assert_int_eq(tm_mode_pop(trace), TM_OK);
    ck_assert_uint_le(tm_memory_get_stats().live_tensors, live);
    ck_assert_int_eq(fclose(stream), 0);
    tm_scope_pop(scope);
    read_file(cli_path("t.tm"), program, sizeof program);
}

static void replay(const char *command)
{
    char aside[MAX_KEPT][320];
    for (int i = 0; i < num_kept; i++) {
        snprintf(aside[i], sizeof aside[i], "%.299s.aside", kept[i]);
        ck_assert_int_eq(rename(kept[i], aside[i]), 0);
    }
    const cli_run *run = cli_exec(command);
    ck_assert_msg(run->code == 0 && !run->err[0], "exit %d: %s\n%s", run->code, run->err, program);
    for (int i = 0; i < num_kept; i++) {
        static char now[1 << 16], then[1 << 16];
        memset(now, 0, sizeof now);
        memset(then, 0, sizeof then);
        read_file(kept[i], now, sizeof now);
        read_file(aside[i], then, sizeof then);
        ck_assert_msg(memcmp(now, then, sizeof now) == 0, "result %d differs\n%s", i, program);
    }
}

static void end_and_replay(void)
{
    end();
    replay("run t.tm");
}

static void expect_line(const char *line)
{
    const char *at = strstr(program, line);
    ck_assert_msg(at != NULL, "no '%s' in\n%s", line, program);
}

static tm_tensor *numbers(int ndim, const int64_t *shape)
{
    float data[64];
    for (int i = 0; i < COUNT(data); i++)
        data[i] = 0.1f * (float)(i * i % 23) - 1;
    return tm_from_data(TM_FLOAT32, ndim, shape, data);
}

/* -- Levels ------------------------------------------------------------------------------------ */

START_TEST(nested_levels)
{
    begin(true);
    tm_tensor *x = numbers(3, (int64_t[]){2, 3, 4});
    int64_t two = 2;
    tm_vmap_options options = {
        .struct_size = sizeof options, .size = &two, .randomness = TM_RANDOMNESS_DIFFERENT};
    tm_vmap_level *v = tm_vmap_push(&options);
    tm_tensor *a = tm_vmap_in(v, x, 0);
    options = (tm_vmap_options){.struct_size = sizeof options, .randomness = TM_RANDOMNESS_SAME};
    tm_vmap_level *w = tm_vmap_push(&options);
    tm_tensor *b = tm_vmap_in(w, a, -1), *whole = tm_vmap_in(w, a, TM_NOT_MAPPED);
    tm_tensor *noise = tm_rand(TM_INTS(3), TM_FLOAT32, NULL);
    tm_tensor *state = tm_zeros(TM_INTS(3), TM_FLOAT32);
    tm_add_(state, tm_mul(b, noise));
    tm_sort_with_indices_result sorted = tm_sort_with_indices(state, -1, true, true);
    tm_tensor *outer = tm_astype(tm_vmap_index(v), TM_FLOAT32);
    tm_mul_(state, tm_add(outer, tm_astype(tm_vmap_index(w), TM_FLOAT32)));
    tm_tensor *parts[] = {tm_vmap_out(w, state, 0), tm_vmap_out(w, sorted.values, 1),
                          tm_vmap_out(w, sorted.indices, -1),
                          tm_vmap_out(w, tm_sum(whole, NULL, false), 0)};
    ck_assert_int_eq(tm_vmap_pop(w), TM_OK);
    tm_tensor *results[COUNT(parts)];
    for (int i = 0; i < COUNT(parts); i++)
        results[i] = tm_vmap_out(v, parts[i], 0);
    ck_assert_int_eq(tm_vmap_pop(v), TM_OK);
    for (int i = 0; i < COUNT(parts); i++)
        keep(results[i]);
    end_and_replay();
    expect_line("vmap size=2 randomness=different\n  x0 = load(");
    expect_line("\n  vmap randomness=same\n    t1 = in(t0, -1)  # float32(3,)@1,2\n");
    expect_line("    t2 = in(t0, None)");
    expect_line("    seed(11, 0)\n    t3 = rand(");
    expect_line("\n    add_(x1=t4, x2=t5)  # float32(3,)@1,2\n");
    expect_line("\n  end\n");
}
END_TEST

static tm_status draw(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(in[0], tm_rand(TM_INTS(2), TM_FLOAT32, NULL));
    out[1] = tm_sum(in[0], NULL, false);
    return tm_error_code();
}

/* A run in pieces is comments; what comes of it is an input. */
START_TEST(functions)
{
    for (int64_t chunk = 0; chunk <= 2; chunk += 2) {
        begin(true);
        tm_tensor *x = numbers(2, (int64_t[]){5, 2}), *out[2];
        tm_vmap_options options = {.struct_size = sizeof options,
                                   .randomness = TM_RANDOMNESS_DIFFERENT,
                                   .chunk_size = chunk};
        const tm_tensor *in[] = {x};
        ck_assert_int_eq(tm_vmap(draw, NULL, &options, 1, in, (int64_t[]){0}, 2, out, NULL), TM_OK);
        keep(tm_neg(out[0]));
        keep(tm_mul(out[1], tm_rand(TM_INTS(5), TM_FLOAT32, NULL)));
        end_and_replay();
        if (chunk) {
            expect_line("# vmap_pieces(5, 2)\n#   vmap(2, \"different\")\n");
            ck_assert_ptr_null(strstr(program, "\nvmap"));
        } else {
            expect_line("vmap size=5 randomness=different\n");
            expect_line("x0 = load(");
            ck_assert_ptr_null(strstr(program, "x1 = "));
        }
    }
}
END_TEST

START_TEST(levels_from_before)
{
    scope = tm_scope_push();
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, numbers(2, (int64_t[]){3, 2}), 0);
    begin(true);
    tm_scope *inner = scope;
    tm_exp(row);
    tm_vmap_index(v);
    keep(tm_full(TM_INTS(2), tm_scalar_float(0.5), TM_FLOAT32));
    scope = inner;
    end_and_replay();
    expect_line("# exp(x=float32(2,)@1)\n# not replayed: ");
    expect_line("# vmap_index(0)\n# not replayed: ");
    ck_assert_int_eq(tm_vmap_pop(v), TM_OK);
}
END_TEST

/* -- Calls ------------------------------------------------------------------------------------- */

START_TEST(values)
{
    begin(true);
    tm_tensor *x = numbers(2, (int64_t[]){3, 2});
    keep(tm_full(TM_INTS(2, 1), tm_scalar_float(2), TM_FLOAT64));
    keep(tm_full(TM_INTS(1), tm_scalar_float(0.1), TM_FLOAT64));
    keep(tm_full(tm_no_ints, tm_scalar_complex(1e300, -0.0), TM_COMPLEX128));
    keep(tm_add_scalar(x, tm_scalar_float(-__builtin_inf())));
    keep(tm_add_scalar(x, tm_scalar_complex(__builtin_nan(""), __builtin_inf())));
    keep(tm_add_scalar(x, tm_scalar_int(INT64_MIN)));
    keep(tm_full(TM_INTS(1), tm_scalar_bool(true), TM_BOOL));
    keep(tm_sum(x, TM_SOME(tm_int_list, TM_INTS(0)), true));
    keep(tm_mean(x, NULL, false));
    tm_tensor *columns = tm_sum(x, TM_SOME(tm_int_list, TM_INTS(0)), false);
    tm_tensor *rows = tm_sum(x, TM_SOME(tm_int_list, TM_INTS(1)), false);
    tm_tensor_list grid = tm_meshgrid(TM_TENSORS(columns, rows), "ij");
    ck_assert_int_eq(grid.count, 2);
    keep(grid.data[0]);
    keep(tm_concat(tm_unbind(x, 1), 0));
    keep(tm_split(x, 3, 0).data[0]);
    keep(tm_strided_view(x, 2, (int64_t[]){2, 2}, (int64_t[]){1, -1}, 2));
    tm_neg_out(x, tm_alias(x));
    keep(x);
    tm_item(tm_sum(x, NULL, false));
    end_and_replay();
    expect_line("value=2.0,");
    expect_line("x2=-inf)");
    expect_line("indexing=\"ij\")");
    expect_line("xs=[t");
    expect_line(", = split(x=x0, size=3, axis=0)");
    expect_line(" = strided_view(x0, (2, 2), (1, -1), 2)");
    expect_line("neg_out(x=x0, out=x0)");
    expect_line("\nitem(x=t");
}
END_TEST

START_TEST(random_state)
{
    begin(true);
    tm_generator *generator = tm_generator_new(3);
    keep(tm_randn(TM_INTS(2), TM_FLOAT64, generator));
    keep(tm_randn(TM_INTS(2), TM_FLOAT64, generator));
    keep(tm_rand(TM_INTS(2), TM_FLOAT64, NULL));
    /* A call that fails at a level has been counted. */
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_vmap_in(v, numbers(1, (int64_t[]){2}), 0);
    ck_assert_ptr_null(tm_rand(TM_INTS(2), TM_FLOAT64, NULL));
    tm_error_clear();
    ck_assert_int_eq(tm_vmap_pop(v), TM_OK);
    keep(tm_rand(TM_INTS(2), TM_FLOAT64, NULL));
    ck_assert_int_eq(tm_rng_at(7, 1, (int64_t[]){4}), TM_OK);
    keep(tm_rand(TM_INTS(2), TM_FLOAT64, NULL));
    keep(tm_rand(TM_INTS(2), TM_FLOAT64, NULL));
    tm_seed(UINT64_MAX);
    ck_assert_int_eq(tm_rng_skip(4), TM_OK);
    /* A composite draws too. */
    tm_tensor *x = numbers(1, (int64_t[]){8});
    keep(tm_dropout(x, 0.5, true, NULL));
    keep(tm_rand_like(x, TM_DTYPE_NONE, NULL));
    tm_generator_free(generator);
    end_and_replay();
    expect_line("generator=gen(3))");
    expect_line("generator=gen(3, 1))");
    expect_line("seed(11, 0)\n");
    expect_line("rng_at(7, (4,))\n");
    expect_line("seed(-1, 4)\n");
}
END_TEST

START_TEST(composites_and_failures)
{
    begin(true);
    tm_tensor *x = numbers(2, (int64_t[]){3, 2}), *w = numbers(2, (int64_t[]){4, 2});
    keep(tm_linear(x, w, TM_NONE));
    ck_assert_ptr_null(tm_matmul(x, x));
    tm_error_clear();
    tm_tensor *gone = tm_triu(NULL, 0);
    ck_assert_ptr_null(gone);
    tm_error_clear();
    keep(tm_add_(tm_alias(w), w));
    end_and_replay();
    expect_line("t0 = linear(x=x0, weight=x1, bias=None)  # float32(3, 4)\n#   ");
    expect_line("# matmul(x1=float32(3, 2), x2=float32(3, 2))\n# ! shape: ");
    expect_line("# triu(x=NULL, k=0)\n");
    expect_line("\nadd_(x1=x1, x2=x1)");
}
END_TEST

/* Names come and go with tensors. */
START_TEST(many_calls)
{
    begin(false);
    tm_tensor *x = tm_full(TM_INTS(2), tm_scalar_float(1), TM_FLOAT32);
    uint64_t live = tm_memory_get_stats().live_tensors;
    for (int i = 0; i < 500; i++) {
        tm_scope *step = tm_scope_push();
        tm_tensor *next = tm_keep(tm_mul_scalar(x, tm_scalar_float(i % 2 ? 0.75 : 1.5)));
        tm_scope_pop(step);
        x = next;
    }
    ck_assert_uint_lt(tm_memory_get_stats().live_tensors, live + 1200);
    keep(x);
    end_and_replay();
}
END_TEST

START_TEST(inputs)
{
    begin(false);
    tm_tensor *x = numbers(1, (int64_t[]){4});
    keep(tm_neg(x));
    end();
    expect_line("x0 = input(\"x0\")  # float32(4,)\nt0 = neg(x=x0)");
    ck_assert_int_eq(cli_exec("run t.tm")->code, 2);
    tm_scope *own = tm_scope_push();
    ck_assert_int_eq(tm_npy_save(cli_path("in.npy"), numbers(1, (int64_t[]){4})), TM_OK);
    tm_scope_pop(own);
    replay("run t.tm --input x0=in.npy");
    /* One that cannot be saved stays an input, and the caller's error record what it was. */
    scope = tm_scope_push();
    char *text = NULL;
    size_t size;
    stream = open_memstream(&text, &size);
    trace = tm_trace_push_saving(stream, "/no/such/directory/");
    ck_assert_ptr_null(
        tm_triu(tm_arange(tm_scalar_int(0), tm_scalar_int(2), tm_scalar_int(1), TM_INT64), 0));
    char message[256];
    cli_keep(message, sizeof message, tm_error_message());
    ck_assert_ptr_nonnull(tm_neg(numbers(1, (int64_t[]){4})));
    ck_assert_str_eq(tm_error_message(), message);
    tm_error_clear();
    tm_mode_pop(trace);
    fclose(stream);
    ck_assert_ptr_nonnull(strstr(text, "x0 = input(\"x0\")"));
    free(text);
    tm_scope_pop(scope);
}
END_TEST

START_TEST(loads_and_prints)
{
    begin(true);
    tm_tensor *x = tm_npy_load(cli_path("m.npy"));
    keep(tm_triu(x, 1));
    FILE *other = fopen("/dev/null", "w");
    tm_print(other, x);
    fclose(other);
    end_and_replay();
    expect_line("m.npy\")  # float32(2, 2)\nt1 = triu(x=t0, k=1)");
    ck_assert_ptr_null(strstr(program, "print"));
}
END_TEST

/* -- The program ------------------------------------------------------------------------------- */

/* Each line that the replayed trace prints is the end of a line of the tour's, in that order. */
START_TEST(tour)
{
    char printed[1 << 14], command[600];
    snprintf(command, sizeof command, "tour %s/../../data --trace tour.tm", TM_TEST_DATA);
    const cli_run *run = cli_exec(command);
    ck_assert_msg(run->code == 0 && !run->err[0], "%s", run->err);
    cli_keep(printed, sizeof printed, run->out);
    run = cli_exec("run tour.tm");
    ck_assert_msg(run->code == 0 && !run->err[0], "%s", run->err);
    int lines = 0;
    const char *at = printed;
    for (const char *line = run->out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char wanted[400];
        snprintf(wanted, sizeof wanted, "%.*s\n", (int)(end - line), line);
        const char *found = strstr(at, wanted);
        ck_assert_msg(found != NULL, "not printed by the tour: %s", wanted);
        at = found + strlen(wanted);
        lines++;
    }
#ifdef TM_HAVE_LAPACK
    ck_assert_int_eq(lines, 12); /* five shares; ten digits' variances, and a share */
#else
    ck_assert_int_eq(lines, 1);
#endif
    const cli_case cases[] = {{"tour . --trace", 2, "--trace needs a value"},
                              {"tour . --trace no/t.tm", 2, "'no/t.tm': No such file..."}};
    cli_check(cases, COUNT(cases));
}
END_TEST

/* What `call` says, run again. */
START_TEST(call)
{
    const cli_run *run = cli_exec("call multiply m.npy 2 --vmap 0:1 --trace");
    const char *expected = "  t0 = load(\"m.npy\")  # float32(2, 2)\n"
                           "  vmap size=2\n"
                           "    t1 = in(t0, 0)  # float32(2,)@1\n"
                           "    t2 = mul.scalar(x1=t1, x2=2)  # float32(2,)@1\n"
                           "    t3 = out(t2, 1)  # float32(2, 2)\n"
                           "  end\n";
    ck_assert_str_eq(run->err, expected);
    cli_write("c.tm", expected, strlen(expected));
    const cli_case again[] = {{"run c.tm", 0, ""}};
    cli_check(again, COUNT(again));
}
END_TEST

void cli_trace_tests(TCase *tests)
{
    tcase_add_test(tests, nested_levels);
    tcase_add_test(tests, functions);
    tcase_add_test(tests, levels_from_before);
    tcase_add_test(tests, values);
    tcase_add_test(tests, random_state);
    tcase_add_test(tests, composites_and_failures);
    tcase_add_test(tests, many_calls);
    tcase_add_test(tests, inputs);
    tcase_add_test(tests, loads_and_prints);
    tcase_add_test(tests, tour);
    tcase_add_test(tests, call);
}
