/* limits.h: what a row is measured against: hand-written C for the machine at hand. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a limit or a loop works on. Inputs lie as the row says; outputs have the batch in front. */
typedef struct limit_data {
    int64_t batch;
    int num_in;
    void *in[3];
    int64_t count[3];   /* elements in all */
    int64_t example[3]; /* elements of one example */
    size_t bytes[3];
    int64_t last[3]; /* the last size of an example */
    int arg;
    bool stream; /* stores past the cache */
    void *out, *out2;
    size_t out_bytes; /* of `out`, as the op's own output has */
} limit_data;

/* Does its part of the work, of `parts`. */
typedef void limit_fn(const limit_data *d, int part, int parts);
/* The part's share of a range. */
static inline void share(int64_t count, int part, int parts, int64_t *begin, int64_t *end)
{
    *begin = count * part / parts;
    *end = count * (part + 1) / parts;
}

/* X(name): compiled three times, for AVX-512, AVX2 and any machine. */
#define LIMITS(X)                                                                                  \
    X(read)                                                                                        \
    X(copy)                                                                                        \
    X(addcmul)                                                                                     \
    X(two_passes)                                                                                  \
    X(triad)                                                                                       \
    X(exp)                                                                                         \
    X(softmax)                                                                                     \
    X(log_softmax)                                                                                 \
    X(layer_norm)                                                                                  \
    X(bare_add)                                                                                    \
    X(bare_sum)                                                                                    \
    X(bare_softmax)

typedef enum limit_id {
    LIMIT_none,
#define X(name) LIMIT_##name,
    LIMITS(X)
#undef X
        LIMIT_gemm,
    NUM_LIMITS
} limit_id;

extern limit_fn *const limits_avx512[], *const limits_avx2[], *const limits_portable[];
limit_fn limit_gemm;

/* The table for this machine. */
limit_fn *limit_find(limit_id id);

/* loops.c: a library call per example. */
limit_fn loop_sgemm, loop_cholesky, loop_solve, loop_inv, loop_det, loop_lu, loop_eigh, loop_svd,
    loop_qr, loop_qsort, loop_qsort_indices;

#endif
