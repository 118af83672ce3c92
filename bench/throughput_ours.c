/* throughput_ours.c: the functions of one example that rows map: each an ordinary call. */
#include "throughput_ours.h"

#define ARG (((const row *)user)->arg)

/* A function with one result. */
#define ONE(name, call)                                                                            \
    tm_status ours_##name(void *user, const tm_tensor *const *in, tm_tensor **out)                 \
    {                                                                                              \
        (void)user;                                                                                \
        out[0] = call;                                                                             \
        return tm_error_code();                                                                    \
    }

/* One with more: the results' fields follow. */
#define TWO(name, type, call, first, second)                                                       \
    tm_status ours_##name(void *user, const tm_tensor *const *in, tm_tensor **out)                 \
    {                                                                                              \
        (void)user;                                                                                \
        type r = call;                                                                             \
        out[0] = r.first;                                                                          \
        out[1] = r.second;                                                                         \
        return tm_error_code();                                                                    \
    }

ONE(addcmul, tm_addcmul(in[0], in[1], in[2], tm_scalar_int(1)))
ONE(mul_add, tm_add(tm_mul(in[0], in[1]), in[2]))
ONE(add, tm_add(in[0], in[1]))
ONE(exp, tm_exp(in[0]))
ONE(matmul, tm_matmul(in[0], in[1]))
ONE(softmax, tm_softmax(in[0], -1))
ONE(log_softmax, tm_log_softmax(in[0], -1))
ONE(layer_norm, tm_layer_norm(in[0], TM_INTS(tm_size(in[0], -1)), TM_NONE, TM_NONE, 1e-5))
ONE(sum, tm_sum(in[0], &TM_INTS(ARG), false))
ONE(mean, tm_mean(in[0], &TM_INTS(ARG), false))
ONE(amax, tm_amax(in[0], &TM_INTS(ARG), false))
ONE(argmax, tm_argmax(in[0], TM_SOME(int64_t, ARG), false))
ONE(triu, tm_triu(in[0], 0))
ONE(transpose, tm_clone(tm_swapaxes(in[0], -1, -2)))
ONE(concat, tm_concat(TM_TENSORS(in[0], in[1]), ARG))
ONE(gather, tm_gather(in[0], -1, in[1]))
ONE(cholesky, tm_cholesky(in[0], false))
ONE(solve, tm_solve(in[0], in[1]))
ONE(inv, tm_inv(in[0]))
ONE(det, tm_det(in[0]))
TWO(lu, tm_lu_factor_result, tm_lu_factor(in[0]), lu, pivots)
TWO(eigh, tm_eigh_result, tm_eigh(in[0], false), eigenvalues, eigenvectors)
TWO(qr, tm_qr_result, tm_qr(in[0], "reduced"), q, r)
ONE(sort, tm_sort(in[0], -1, false, true))
ONE(argsort, tm_argsort(in[0], -1, false, true))
TWO(sort_with_indices, tm_sort_with_indices_result, tm_sort_with_indices(in[0], -1, false, true),
    values, indices)
TWO(topk, tm_topk_result, tm_topk(in[0], ARG, -1, true), values, indices)
ONE(conv1d, tm_conv1d(in[0], in[1], TM_NONE, TM_INTS(1), TM_INTS(0), TM_INTS(1), 1))
ONE(conv2d, tm_conv2d(in[0], in[1], TM_NONE, TM_INTS(1), TM_INTS(1), TM_INTS(1), 1))
ONE(fft, tm_fft(in[0], NULL, -1, "backward"))

tm_status ours_svd(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    tm_svd_result r = tm_svd(in[0], false);
    out[0] = r.s;
    out[1] = r.u;
    out[2] = r.vh;
    return tm_error_code();
}

int ours_num_results(const row *r, int *num_compared)
{
#define X(name, results, compared)                                                                 \
    if (r->ours == ours_##name) {                                                                  \
        *num_compared = compared;                                                                  \
        return results;                                                                            \
    }
    MAPPED(X)
#undef X
    return 0;
}
