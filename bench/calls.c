/* calls.c: what a call, a level and a check cost, beside bare C doing the same work.
 *
 * Every row is measured in this process, interleaved with the others over several rounds; a figure
 * is the median of the rounds, with the smallest and largest. Differences (one more level, above a
 * bare call) are taken within each round, so that a slow round cannot fall on one side only.
 *
 *     bench_calls [ROUNDS]
 */
#include <ffi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <transmute/transmute.h>

#include "dispatch/call.h"

enum { MAX_ROUNDS = 101, CALLS = 200000, EXAMPLES = 4096, PASSES = 50 };

typedef struct context {
    const tm_tensor *x, *y;      /* (4, 4) float32 */
    const tm_tensor *batched[3]; /* (8, 4, 4), (2, 4, 4, 4), (2, 2, 2, 4, 4) */
    const tm_tensor *examples;   /* (EXAMPLES, 4) */
    const tm_op *triu, *plain, *runtime;
    float *in, *out;
} context;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* -- The bare work ----------------------------------------------------------------------------- */

static void bare_add(const float *a, const float *b, float *out)
{
    for (int i = 0; i < 16; i++)
        out[i] = a[i] + b[i];
}

static void bare_increment(const float *x, float *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = x[i] + 1;
}

/* Through volatile pointers, so that neither is inlined or dropped. */
static void (*volatile call_add)(const float *, const float *, float *) = bare_add;
static void (*volatile call_increment)(const float *, float *) = bare_increment;

static tm_status increment_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status increment(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    call_increment(tm_data(x), tm_mutable_data(out));
    return TM_OK;
}

/* What the generator makes for a built-in op of this type. */
static tm_status meta_thunk(tm_call *call, const tm_kernel *kernel)
{
    return ((tm_status(*)(tm_call *, const tm_tensor *))kernel->fn)(call, call->args[0].tensor);
}

static tm_status impl_thunk(tm_call *call, const tm_kernel *kernel)
{
    return ((tm_status(*)(tm_call *, const tm_tensor *, tm_tensor *))kernel->fn)(
        call, call->args[0].tensor, call->outs[0]);
}

/* -- Rows: each returns nanoseconds per call (or example)
 * ------------------------------------------ */

static double row_bare_add(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        call_add(c->in, c->in + 16, c->out);
    return (now() - start) / CALLS;
}

static double add_loop(const tm_tensor *x, const tm_tensor *y)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_add(x, y));
    return (now() - start) / CALLS;
}

static double row_add(context *c)
{
    return add_loop(c->x, c->y);
}

static double row_new(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_new(TM_FLOAT32, 2, tm_shape(c->x)));
    return (now() - start) / CALLS;
}

static double row_view(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_swapaxes(c->x, 0, 1));
    return (now() - start) / CALLS;
}

static double row_triu(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_triu(c->x, 0));
    return (now() - start) / CALLS;
}

static double row_matmul(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_matmul(c->x, c->y));
    return (now() - start) / CALLS;
}

static double row_softmax(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_softmax(c->x, -1));
    return (now() - start) / CALLS;
}

static double row_sum(context *c)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_release(tm_sum(c->x, &TM_INTS(-1), false));
    return (now() - start) / CALLS;
}

/* The same 8 examples whatever the depth: batch sizes 8, 2x4, 2x2x2. */
static double under_levels(context *c, int depth)
{
    tm_vmap_level *levels[3];
    const tm_tensor *x = c->batched[depth - 1];
    for (int k = 0; k < depth; k++) {
        levels[k] = tm_vmap_push(NULL);
        x = tm_vmap_in(levels[k], x, 0);
    }
    double time = add_loop(x, x);
    for (int k = depth; k-- > 0;)
        tm_vmap_pop(levels[k]);
    return time;
}

/* The same 8 matrices, as one array. */
static double row_level0(context *c)
{
    return add_loop(c->batched[0], c->batched[0]);
}

static double row_level1(context *c)
{
    return under_levels(c, 1);
}

static double row_level2(context *c)
{
    return under_levels(c, 2);
}

static double row_level3(context *c)
{
    return under_levels(c, 3);
}

static double row_enter(context *c)
{
    (void)c;
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_vmap_pop(tm_vmap_push(NULL));
    return (now() - start) / CALLS;
}

static double row_infer(context *c)
{
    tm_value args[2];
    tm_spec spec;
    args[0].tensor = c->x;
    args[1].i = 0;
    double start = now();
    for (int i = 0; i < CALLS; i++)
        tm_infer(c->triu, args, 2, &spec, 1);
    return (now() - start) / CALLS;
}

/* The meta alone, on a call record that stands ready. */
static double row_meta(context *c)
{
    tm_value args[2];
    tm_spec spec;
    tm_call call;
    args[0].tensor = c->x;
    args[1].i = 0;
    tm_call_init(&call, c->triu, tm_thread_get(), args, NULL, &spec);
    double start = now();
    for (int i = 0; i < CALLS; i++)
        c->triu->meta.thunk(&call, &c->triu->meta);
    return (now() - start) / CALLS;
}

static double row_bare_examples(context *c)
{
    double start = now();
    for (int p = 0; p < PASSES; p++)
        for (int i = 0; i < EXAMPLES; i++)
            call_increment(c->in + 4 * i, c->out + 4 * i);
    return (now() - start) / (PASSES * EXAMPLES);
}

static double examples(const tm_op *op, context *c)
{
    tm_value arg, result;
    tm_vmap_level *level = tm_vmap_push(NULL);
    arg.tensor = tm_vmap_in(level, c->examples, 0);
    double start = now();
    for (int p = 0; p < PASSES; p++)
        if (tm_op_call(op, &arg, 1, &result, 1) == TM_OK)
            tm_release(result.tensor);
    double time = (now() - start) / (PASSES * EXAMPLES);
    tm_vmap_pop(level);
    return time;
}

static double row_runtime(context *c)
{
    return examples(c->runtime, c);
}

static double row_plain(context *c)
{
    return examples(c->plain, c);
}

/* A function of the kernel's type that finds its data without handles. */
static int increment_bare(void *call, const float *x, float *out)
{
    (void)call;
    call_increment(x, out);
    return 0;
}

/* ffi_call alone, with three pointers as the dispatcher calls the kernel. */
static double row_bare_ffi(context *c)
{
    ffi_cif cif;
    ffi_type *types[] = {&ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer};
    ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 3, &ffi_type_sint, types);
    double start = now();
    for (int p = 0; p < PASSES; p++)
        for (int i = 0; i < EXAMPLES; i++) {
            const float *x = c->in + 4 * i;
            float *out = c->out + 4 * i;
            void *values[] = {&c, &x, &out};
            ffi_arg result;
            ffi_call(&cif, (void (*)(void))increment_bare, &result, values);
        }
    return (now() - start) / (PASSES * EXAMPLES);
}

typedef struct row {
    const char *name;
    double (*run)(context *);
    int minus; /* the row whose figure of the same round is taken off, -1: none */
    double goal;
    double sample[MAX_ROUNDS];
} row;

enum {
    BARE_ADD,
    ADD,
    NEW,
    VIEW,
    TRIU,
    MATMUL,
    SOFTMAX,
    SUM,
    LEVEL0,
    LEVEL1,
    ONE_LEVEL,
    LEVEL2,
    LEVEL3,
    ENTER,
    META,
    INFER,
    BARE_EXAMPLES,
    PLAIN,
    BARE_FFI,
    RUNTIME
};

static row rows[] = {
    [BARE_ADD] = {"bare C add 4x4", row_bare_add, -1, 0, {0}},
    [ADD] = {"add 4x4, result made and released", row_add, -1, 45, {0}},
    [NEW] = {"  of which: an empty 4x4 made and released", row_new, -1, 0, {0}},
    [VIEW] = {"view (swapaxes)", row_view, -1, 25, {0}},
    [TRIU] = {"triu 4x4", row_triu, -1, 60, {0}},
    [MATMUL] = {"matmul 4x4", row_matmul, -1, 80, {0}},
    [SOFTMAX] = {"softmax 4x4", row_softmax, -1, 100, {0}},
    [SUM] = {"sum of 4x4 over the last dim", row_sum, -1, 60, {0}},
    [LEVEL0] = {"add of (8, 4, 4) outside any level", row_level0, -1, 0, {0}},
    [LEVEL1] = {"add 4x4 under 1 level, batch 8", row_level1, -1, 0, {0}},
    [ONE_LEVEL] = {"  one level: 1 above none", row_level1, LEVEL0, 10, {0}},
    [LEVEL2] = {"  one more level: 2 above 1", row_level2, LEVEL1, 10, {0}},
    [LEVEL3] = {"  one more level: 3 above 2", row_level3, LEVEL2, 10, {0}},
    [ENTER] = {"entering and leaving a vmap", row_enter, -1, 100, {0}},
    [META] = {"the meta of triu", row_meta, -1, 5, {0}},
    [INFER] = {"  tm_infer of triu: arguments and meta", row_infer, -1, 0, {0}},
    [BARE_EXAMPLES] = {"bare loop calling a kernel, per example", row_bare_examples, -1, 0, {0}},
    [PLAIN] = {"  the kernel under vmap, above that", row_plain, BARE_EXAMPLES, 5, {0}},
    [BARE_FFI] = {"bare ffi_call of it, per example", row_bare_ffi, -1, 0, {0}},
    [RUNTIME] = {"  registered at run time, above that", row_runtime, BARE_FFI, 8, {0}},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const row *r, int rounds)
{
    double values[MAX_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        values[i] = r->sample[i];
        if (r->minus >= 0)
            values[i] -= rows[r->minus].sample[i];
    }
    qsort(values, (size_t)rounds, sizeof *values, by_value);
    double mid = values[rounds / 2];
    printf("%-46s %8.1f  (%.1f .. %.1f)", r->name, mid, values[0], values[rounds - 1]);
    if (r->goal > 0)
        printf("  goal %g %s", r->goal, mid <= r->goal ? "met" : "MISSED");
    printf("\n");
}

static int set_up(context *c)
{
    const int64_t shapes[3][5] = {{8, 4, 4}, {2, 4, 4, 4}, {2, 2, 2, 4, 4}};
    static float data[8 * 16];
    for (int i = 0; i < 8 * 16; i++)
        data[i] = (float)i;
    c->in = calloc(4 * EXAMPLES, sizeof *c->in);
    c->out = calloc(4 * EXAMPLES, sizeof *c->out);
    c->x = tm_from_data(TM_FLOAT32, 2, shapes[0] + 1, data);
    c->y = tm_from_data(TM_FLOAT32, 2, shapes[0] + 1, data + 16);
    c->examples = tm_from_data(TM_FLOAT32, 2, (int64_t[]){EXAMPLES, 4}, c->in);
    for (int k = 0; k < 3; k++)
        c->batched[k] = tm_from_data(TM_FLOAT32, 3 + k, shapes[k], data);
    c->triu = tm_op_find("triu", "");
    tm_library *library = tm_library_open("bench");
    tm_op_def def = {.struct_size = sizeof def,
                     .schema = "increment(Tensor x) -> Tensor",
                     .contract = TM_PER_EXAMPLE,
                     .meta = (tm_fn)increment_meta,
                     .impl = (tm_fn)increment};
    c->runtime = tm_library_register(library, &def);
    def.schema = "plain_increment(Tensor x) -> Tensor";
    const tm_op *places[3];
    c->plain = tm_registry_register(&def, meta_thunk, impl_thunk, library, places);
    return c->x && c->y && c->examples && c->runtime && c->plain ? 0 : 1;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 11;
    if (rounds < 1 || rounds > MAX_ROUNDS)
        rounds = 11;
    context c = {0};
    if (set_up(&c)) {
        tm_error_print(stderr);
        return 1;
    }
    for (int i = 0; i < rounds; i++)
        for (int r = 0; r < ROWS; r++)
            rows[r].sample[i] = rows[r].run(&c);
    printf("nanoseconds, median of %d rounds (smallest .. largest)\n\n", rounds);
    for (int r = 0; r < ROWS; r++)
        print_row(&rows[r], rounds);
    return 0;
}
