/* throughput_ours.h: the mapped functions of the rows, and the plain code that answers are held
 * against. */
#ifndef BENCH_THROUGHPUT_OURS_H
#define BENCH_THROUGHPUT_OURS_H

#include "throughput.h"

/* X(name, number of results, how many of them are compared: vectors are free in sign) */
#define MAPPED(X)                                                                                  \
    X(addcmul, 1, 1)                                                                               \
    X(mul_add, 1, 1)                                                                               \
    X(add, 1, 1)                                                                                   \
    X(exp, 1, 1)                                                                                   \
    X(matmul, 1, 1)                                                                                \
    X(softmax, 1, 1)                                                                               \
    X(log_softmax, 1, 1)                                                                           \
    X(layer_norm, 1, 1)                                                                            \
    X(sum, 1, 1)                                                                                   \
    X(mean, 1, 1)                                                                                  \
    X(amax, 1, 1)                                                                                  \
    X(argmax, 1, 1)                                                                                \
    X(triu, 1, 1)                                                                                  \
    X(transpose, 1, 1)                                                                             \
    X(concat, 1, 1)                                                                                \
    X(gather, 1, 1)                                                                                \
    X(cholesky, 1, 1)                                                                              \
    X(solve, 1, 1)                                                                                 \
    X(inv, 1, 1)                                                                                   \
    X(det, 1, 1)                                                                                   \
    X(lu, 2, 2)                                                                                    \
    X(eigh, 2, 1)                                                                                  \
    X(svd, 3, 1)                                                                                   \
    X(qr, 2, 2)                                                                                    \
    X(sort, 1, 1)                                                                                  \
    X(argsort, 1, 1)                                                                               \
    X(sort_with_indices, 2, 2)                                                                     \
    X(topk, 2, 2)                                                                                  \
    X(conv1d, 1, 1)                                                                                \
    X(conv2d, 1, 1)                                                                                \
    X(fft, 1, 1)

#define X(name, results, compared)                                                                 \
    tm_status ours_##name(void *, const tm_tensor *const *, tm_tensor **);
MAPPED(X)
#undef X

/* How many results the row's function sets, and how many of them are compared. */
int ours_num_results(const row *r, int *compared);

bare_fn bare_addcmul, bare_mul_add, bare_add, bare_exp, bare_matmul, bare_reduce, bare_argmax,
    bare_triu, bare_transpose, bare_concat, bare_gather, bare_softmax, bare_log_softmax,
    bare_layer_norm, bare_sort, bare_argsort, bare_conv1d, bare_conv2d, bare_fft, bare_lu, bare_qr;

#endif
