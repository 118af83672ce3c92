/* limits_find.c: the limits for this machine, and the one that is a single large product. */
#ifdef TM_HAVE_LAPACK
#include <cblas.h>
#endif

#include "limits.h"

/* All examples' rows of x times one matrix: (count / n, n) by (n, columns). With a shared matrix on
 * the left it is the same work. */
void limit_gemm(const limit_data *d, int part, int parts)
{
#ifdef TM_HAVE_LAPACK
    int mapped = d->count[0] == d->example[0] && d->batch > 1; /* the first one is shared */
    int64_t n = d->last[mapped], m = d->count[!mapped] / n, begin, end;
    share(d->count[mapped] / n, part, parts, &begin, &end);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, mapped ? CblasTrans : CblasNoTrans, (int)(end - begin),
                (int)m, (int)n, 1, (const float *)d->in[mapped] + begin * n, (int)n, d->in[!mapped],
                mapped ? (int)n : (int)m, 0, (float *)d->out + begin * m, (int)m);
#else
    (void)d, (void)part, (void)parts;
#endif
}

limit_fn *limit_find(limit_id id)
{
    if (id == LIMIT_gemm) {
#ifdef TM_HAVE_LAPACK
        return limit_gemm;
#else
        return NULL;
#endif
    }
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return limits_avx512[id];
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return limits_avx2[id];
#endif
    return limits_portable[id];
}
