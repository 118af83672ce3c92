/* throughput_rows.c: the table of rows. */
#include "throughput_ours.h"

#ifdef TM_HAVE_LAPACK
#define LIBRARY(loop) loop
#else
#define LIBRARY(loop) NULL
#endif

/* Inputs of one example: mapped, of a fill; shared. */
#define IN(fill, ...)                                                                              \
    {                                                                                              \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}, fill, false      \
    }
#define SHARED(...)                                                                                \
    {                                                                                              \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}, UNIFORM, true    \
    }
#define X(...) IN(UNIFORM, __VA_ARGS__)
#define UNPACK(...) __VA_ARGS__

/* ROW(group, name, op, arg, batch, place, inputs, limit, goal, ...) */
#define ROW(g, n, o, a, b, p, inputs, l, ...)                                                      \
    {                                                                                              \
        .group = g, .name = n, .op = #o, .arg = a, .batch = b, .place = p, .in = {UNPACK inputs},  \
        .ours = ours_##o, .limit = LIMIT_##l, .limit_name = #l, __VA_ARGS__                        \
    }

#define OF_LIMIT(x) .goal = {GOAL_LIMIT, x}
#define OF_LOOP(x) .goal = {GOAL_LOOP, x}
#define OF_FUNCTORCH(x) .goal = {GOAL_FUNCTORCH, x}
#define OF_NUMPY(x) .goal = {GOAL_NUMPY, x}
#define ALSO_FUNCTORCH(x) .also = {GOAL_FUNCTORCH, x}
#define ALSO_NUMPY(x) .also = {GOAL_NUMPY, x}
#define BARE(name) .bare = bare_##name
#define FLAGS(x) .flags = x
#define LOOP(f, text) .loop = f, .loop_name = text
#define TOLERANCE(x) .tolerance = x

/* A row with the batch in each place: first, last, in the middle. */
#define PLACES(g, n, o, a, b, inputs, l, f, ...)                                                   \
    ROW(g, n, o, a, b, FIRST, inputs, l, OF_LIMIT(0.8), FLAGS(f), __VA_ARGS__),                    \
        ROW(g, n ", batch last", o, a, b, LAST, inputs, l, OF_LIMIT(0.8), __VA_ARGS__),            \
        ROW(g, n ", batch in the middle", o, a, b, MIDDLE, inputs, l, OF_LIMIT(0.7), __VA_ARGS__)

#define MATMUL(n, b, text, f)                                                                      \
    PLACES("products", "matmul " #n "x" #n ", " text, matmul, 0, b, (X(n, n), X(n, n)), triad, f,  \
           BARE(matmul), LOOP(LIBRARY(loop_sgemm), "cblas_sgemm"))
#define MATMUL4(n, p, f)                                                                           \
    ROW("products", n, matmul, 0, 100000, p, (X(4, 4), X(4, 4)), triad, OF_LOOP(4), BARE(matmul),  \
        LOOP(LIBRARY(loop_sgemm), "cblas_sgemm"))

#define REDUCTION(name, o, a, b, f)                                                                \
    PLACES("reductions", name ", 32x32, 10,000", o, a, 10000, (X(32, 32)), read, f, BARE(b))

#define LINALG(o, n, b, count, x, times, f, ...)                                                   \
    ROW("linear algebra", #o " " #n "x" #n ", " count, o, 0, b, FIRST, x, none, OF_LOOP(times),    \
        LOOP(LIBRARY(loop_##o), "LAPACKE"), FLAGS(f), __VA_ARGS__)

#define SQUARE(fill, n) (IN(fill, n, n))
#define SYSTEM(n) (IN(DOMINANT, n, n), X(n))

/* Ours over a bare loop stays what it is as the batch grows, and as it is split into levels. */
#define GROWTH(g, n, o, b, inputs, check, ...)                                                     \
    ROW(g, n, o, -1, b, FIRST, inputs, bare_##o, .goal = {GOAL_GROWTH, 1.2}, BARE(check),          \
        FLAGS(NO_PEERS), __VA_ARGS__)
#define SIZES_OF(o, inputs, check)                                                                 \
    GROWTH("growth of " #o, #o " of 8, 1,000", o, 1000, inputs, check, .levels = 1),               \
        GROWTH("growth of " #o, #o " of 8, 10,000", o, 10000, inputs, check, .levels = 1),         \
        GROWTH("growth of " #o, #o " of 8, 100,000", o, 100000, inputs, check, .levels = 1),       \
        GROWTH("growth of " #o, #o " of 8, 1,000,000", o, 1000000, inputs, check, .levels = 1),    \
        GROWTH("growth of " #o, #o " of 8, 10,000,000", o, 10000000, inputs, check, .levels = 1)
#define NEST(o, text, inputs, check, ...)                                                          \
    GROWTH("levels of " #o, #o " of 8, " text, o, 1000000, inputs, check,                          \
           .levels = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                           \
           .level_sizes = {__VA_ARGS__})
#define LEVELS_OF(o, inputs, check)                                                                \
    NEST(o, "1 level of 10^6", inputs, check, 1000000),                                            \
        NEST(o, "2 levels of 1,000", inputs, check, 1000, 1000),                                   \
        NEST(o, "3 levels of 100", inputs, check, 100, 100, 100),                                  \
        NEST(o, "4 levels, 100, 100, 10, 10", inputs, check, 100, 100, 10, 10),                    \
        NEST(o, "5 levels, 100, then 10s", inputs, check, 100, 10, 10, 10, 10),                    \
        NEST(o, "6 levels of 10", inputs, check, 10, 10, 10, 10, 10, 10)

const row throughput_rows[] = {
    /* -- elementwise
       ------------------------------------------------------------------------------- */
    PLACES("elementwise", "addcmul, 4096 x 64x64", addcmul, 0, 4096,
           (X(64, 64), X(64, 64), X(64, 64)), addcmul, MAIN, BARE(addcmul)),
    ROW("elementwise", "addcmul, 64 x 64x64 (in cache)", addcmul, 0, 64, FIRST,
        (X(64, 64), X(64, 64), X(64, 64)), addcmul, OF_LIMIT(0.8), BARE(addcmul), FLAGS(SMALL)),
    PLACES("elementwise", "exp, 4096 x 64x64", exp, 0, 4096, (X(64, 64)), copy, MAIN, BARE(exp)),
    ROW("elementwise", "exp, 64 x 64x64 (in cache)", exp, 0, 64, FIRST, (X(64, 64)), exp,
        OF_LIMIT(0.8), BARE(exp), FLAGS(SMALL | COMPUTE)),
    ROW("elementwise", "x*y+z, two ops, 4096 x 64x64", mul_add, 0, 4096, FIRST,
        (X(64, 64), X(64, 64), X(64, 64)), two_passes, OF_LIMIT(0.8), BARE(mul_add)),
    ROW("elementwise", "x*y+z, two ops, chunk auto, 4096 x 64x64", mul_add, 0, 4096, FIRST,
        (X(64, 64), X(64, 64), X(64, 64)), addcmul, OF_LIMIT(0.8), BARE(mul_add),
        FLAGS(CHUNKED | MAIN)),

    /* -- products
       ---------------------------------------------------------------------------------- */
    MATMUL4("matmul 4x4, 100,000", FIRST, CHART),
    MATMUL4("matmul 4x4, 100,000, batch last", LAST, 0),
    MATMUL4("matmul 4x4, 100,000, batch in the middle", MIDDLE, 0),
    MATMUL(8, 100000, "100,000", MAIN),
    MATMUL(16, 100000, "100,000", COMPUTE | CHART),
    ROW("products", "matmul 8x8, right side shared, 100,000", matmul, 0, 100000, FIRST,
        (X(8, 8), SHARED(8, 8)), gemm, OF_LIMIT(0.8), BARE(matmul), FLAGS(CHART)),
    ROW("products", "matmul 8x8, left side shared, 100,000", matmul, 0, 100000, FIRST,
        (SHARED(8, 8), X(8, 8)), gemm, OF_LIMIT(0.8), BARE(matmul)),
    ROW("products", "matmul 64x64, right side shared, 1,000", matmul, 0, 1000, FIRST,
        (X(64, 64), SHARED(64, 64)), gemm, OF_LIMIT(0.8), BARE(matmul), FLAGS(COMPUTE)),
    ROW("products", "matvec 64x64, matrix shared, 10,000", matmul, 0, 10000, FIRST,
        (SHARED(64, 64), X(64)), gemm, OF_LIMIT(0.8), BARE(matmul), FLAGS(CHART)),
    ROW("products", "matvec 64x64, vector shared, 10,000", matmul, 0, 10000, FIRST,
        (X(64, 64), SHARED(64)), read, OF_LIMIT(0.8), BARE(matmul)),
    ROW("products", "matvec 64x64, 10,000", matmul, 0, 10000, FIRST, (X(64, 64), X(64)), read,
        OF_LIMIT(0.8), BARE(matmul), FLAGS(MAIN)),

    /* -- rows of 128
       ------------------------------------------------------------------------------- */
    ROW("rows", "softmax of 128, 10,000", softmax, 0, 10000, FIRST, (X(128)), softmax,
        OF_LIMIT(0.8), BARE(softmax), FLAGS(MAIN | COMPUTE)),
    ROW("rows", "log_softmax of 128, 10,000", log_softmax, 0, 10000, FIRST, (X(128)), log_softmax,
        OF_LIMIT(0.8), BARE(log_softmax), FLAGS(CHART)),
    ROW("rows", "layer_norm of 128, 10,000", layer_norm, 0, 10000, FIRST, (X(128)), layer_norm,
        OF_LIMIT(0.8), BARE(layer_norm), FLAGS(CHART)),

    /* -- reductions
       -------------------------------------------------------------------------------- */
    REDUCTION("sum over the last dim", sum, -1, reduce, MAIN),
    REDUCTION("sum over the first dim", sum, 0, reduce, CHART),
    REDUCTION("mean over the last dim", mean, -1, reduce, 0),
    REDUCTION("mean over the first dim", mean, 0, reduce, 0),
    REDUCTION("amax over the last dim", amax, -1, reduce, 0),
    REDUCTION("amax over the first dim", amax, 0, reduce, 0),
    REDUCTION("argmax over the last dim", argmax, -1, argmax, CHART),
    REDUCTION("argmax over the first dim", argmax, 0, argmax, 0),

    /* -- copies
       ------------------------------------------------------------------------------------ */
    ROW("copies", "triu 8x8, 100,000", triu, 0, 100000, FIRST, (X(8, 8)), copy, OF_LIMIT(0.8),
        BARE(triu), FLAGS(MAIN)),
    ROW("copies", "transposing copy 8x8, 100,000", transpose, 0, 100000, FIRST, (X(8, 8)), copy,
        OF_LIMIT(0.8), BARE(transpose)),
    ROW("copies", "transposing copy 64x64, 4,096", transpose, 0, 4096, FIRST, (X(64, 64)), copy,
        OF_LIMIT(0.8), BARE(transpose), FLAGS(CHART)),
    ROW("copies", "concat of two 8x8, 100,000", concat, 0, 100000, FIRST, (X(8, 8), X(8, 8)), copy,
        OF_LIMIT(0.8), BARE(concat), FLAGS(CHART)),
    ROW("copies", "gather 64 of 128, 100,000", gather, 0, 100000, FIRST, (X(128), IN(INDICES, 64)),
        copy, OF_LIMIT(0.8), BARE(gather), FLAGS(CHART)),

    /* -- linear algebra
       ---------------------------------------------------------------------------- */
    LINALG(cholesky, 4, 100000, "100,000", SQUARE(SPD, 4), 5, 0, TOLERANCE(1e-3)),
    LINALG(cholesky, 16, 10000, "10,000", SQUARE(SPD, 16), 5, MAIN | COMPUTE, TOLERANCE(1e-3)),
    LINALG(solve, 4, 100000, "100,000", SYSTEM(4), 5, 0, TOLERANCE(1e-3)),
    LINALG(solve, 16, 10000, "10,000", SYSTEM(16), 5, MAIN | COMPUTE, TOLERANCE(1e-3)),
    LINALG(inv, 4, 100000, "100,000", SQUARE(DOMINANT, 4), 5, 0, TOLERANCE(1e-3)),
    LINALG(inv, 16, 10000, "10,000", SQUARE(DOMINANT, 16), 5, COMPUTE | CHART, TOLERANCE(1e-3)),
    LINALG(det, 4, 100000, "100,000", SQUARE(DOMINANT, 4), 5, 0, TOLERANCE(1e-3)),
    LINALG(det, 16, 10000, "10,000", SQUARE(DOMINANT, 16), 5, COMPUTE | CHART, TOLERANCE(1e-3)),
    LINALG(lu, 4, 100000, "100,000", SQUARE(DOMINANT, 4), 5, 0, BARE(lu), TOLERANCE(1e-3)),
    LINALG(lu, 16, 10000, "10,000", SQUARE(DOMINANT, 16), 5, COMPUTE | CHART, BARE(lu),
           TOLERANCE(1e-3)),
    LINALG(eigh, 8, 10000, "10,000", SQUARE(SPD, 8), 2, COMPUTE | CHART, TOLERANCE(1e-3)),
    LINALG(svd, 8, 10000, "10,000", SQUARE(DOMINANT, 8), 2, COMPUTE | CHART, TOLERANCE(1e-3)),
    LINALG(qr, 8, 10000, "10,000", SQUARE(DOMINANT, 8), 2, COMPUTE | CHART | SIZES, BARE(qr),
           TOLERANCE(1e-3)),

    /* -- order
       ------------------------------------------------------------------------------------- */
    ROW("order", "sort of 128, 10,000", sort, 0, 10000, FIRST, (X(128)), none, OF_LOOP(4),
        ALSO_NUMPY(1), LOOP(loop_qsort, "qsort"), BARE(sort), FLAGS(COMPUTE | CHART)),
    ROW("order", "argsort of 128, 10,000", argsort, 0, 10000, FIRST, (X(128)), none, OF_LOOP(4),
        LOOP(loop_qsort_indices, "qsort"), BARE(argsort), FLAGS(COMPUTE)),
    ROW("order", "sort_with_indices of 128, 10,000", sort_with_indices, 0, 10000, FIRST, (X(128)),
        none, OF_LOOP(4), ALSO_FUNCTORCH(5), LOOP(loop_qsort_indices, "qsort"), BARE(sort),
        FLAGS(MAIN | COMPUTE)),
    ROW("order", "topk 10 of 128, 10,000", topk, 10, 10000, FIRST, (X(128)), none, OF_LOOP(4),
        LOOP(loop_qsort_indices, "qsort"), BARE(sort), FLAGS(COMPUTE | CHART)),

    /* -- signals
       ----------------------------------------------------------------------------------- */
    ROW("signals", "conv1d 8x128 by 8x8x5, 1,000", conv1d, 0, 1000, FIRST,
        (X(8, 128), SHARED(8, 8, 5)), none, OF_FUNCTORCH(1), BARE(conv1d), FLAGS(COMPUTE | CHART)),
    ROW("signals", "conv2d 3x32x32 by 8x3x3x3, 1,000", conv2d, 0, 1000, FIRST,
        (X(3, 32, 32), SHARED(8, 3, 3, 3)), none, OF_FUNCTORCH(1), BARE(conv2d),
        FLAGS(MAIN | COMPUTE)),
    ROW("signals", "fft of 64, 10,000", fft, 0, 10000, FIRST, (IN(COMPLEX, 64)), none, OF_NUMPY(1),
        BARE(fft), FLAGS(COMPUTE)),
    ROW("signals", "fft of 1,024, 10,000", fft, 0, 10000, FIRST, (IN(COMPLEX, 1024)), none,
        OF_NUMPY(1), BARE(fft), FLAGS(MAIN | COMPUTE)),

    /* -- growth
       ------------------------------------------------------------------------------------ */
    SIZES_OF(add, (X(8), X(8)), add),
    SIZES_OF(sum, (X(8)), reduce),
    SIZES_OF(softmax, (X(8)), softmax),
    LEVELS_OF(add, (X(8), X(8)), add),
    LEVELS_OF(sum, (X(8)), reduce),
    LEVELS_OF(softmax, (X(8)), softmax),
};

const int throughput_num_rows = sizeof throughput_rows / sizeof *throughput_rows;

int row_num_inputs(const row *r)
{
    int n = 0;
    while (n < MAX_INPUTS && r->in[n].ndim)
        n++;
    return n;
}

int row_input_sizes(const row *r, int k, int64_t *sizes, int *axis)
{
    const input *x = &r->in[k];
    int ndim = x->ndim + (x->shared ? 0 : 1);
    *axis = x->shared ? -1 : r->place == LAST ? x->ndim : r->place == MIDDLE && x->ndim > 1 ? 1 : 0;
    for (int i = 0, j = 0; i < ndim; i++)
        sizes[i] = i == *axis ? r->batch : x->sizes[j++];
    return ndim;
}

int64_t row_input_count(const row *r, int k)
{
    int64_t count = r->in[k].shared ? 1 : r->batch;
    for (int i = 0; i < r->in[k].ndim; i++)
        count *= r->in[k].sizes[i];
    return count;
}

size_t row_input_bytes(const row *r, int k)
{
    bool wide = r->in[k].fill == INDICES || r->in[k].fill == COMPLEX;
    return (size_t)row_input_count(r, k) * (wide ? 8 : 4);
}

void *row_input_in(const row *r, int k, char *arena)
{
    size_t offset = 0;
    for (int i = 0; i < k; i++)
        offset += (row_input_bytes(r, i) + 4095) / 4096 * 4096;
    return arena + offset;
}
