/* loops.c: a call of a library for each example, as one would write it without a batch: matrices
 * column-major (so that LAPACKE transposes nothing), workspace allocated once, no search for NaN.
 *
 * A row-major matrix read as a column-major one is its transpose. Where that changes the answer the
 * work is the same, and the outputs are not compared. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"

#ifdef TM_HAVE_LAPACK
#include <cblas.h>
#include <lapacke.h>

enum { MAX_N = 32, MAX_WORK = 64 * 1024 };

/* Where the part's matrices are: n x n each. */
#define MATRICES                                                                                   \
    int64_t begin, end;                                                                            \
    int n = (int)d->last[0], nn = n * n;                                                           \
    const float *x = d->in[0];                                                                     \
    float *out = d->out;                                                                           \
    (void)out;                                                                                     \
    share(d->batch, part, parts, &begin, &end)

void loop_sgemm(const limit_data *d, int part, int parts)
{
    MATRICES;
    const float *y = d->in[1];
    for (int64_t b = begin; b < end; b++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x + b * nn, n,
                    y + b * nn, n, 0, out + b * nn, n);
}

void loop_cholesky(const limit_data *d, int part, int parts)
{
    MATRICES;
    for (int64_t b = begin; b < end; b++) {
        float *a = out + b * nn;
        memcpy(a, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'U', n, a, n);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                a[i * n + j] = 0;
    }
}

void loop_solve(const limit_data *d, int part, int parts)
{
    MATRICES;
    const float *y = d->in[1];
    float a[MAX_N * MAX_N];
    lapack_int pivots[MAX_N];
    for (int64_t b = begin; b < end; b++) {
        memcpy(a, x + b * nn, sizeof(float) * (size_t)nn);
        memcpy(out + b * n, y + b * n, sizeof(float) * (size_t)n);
        LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivots);
        LAPACKE_sgetrs_work(LAPACK_COL_MAJOR, 'T', n, 1, a, n, pivots, out + b * n, n);
    }
}

void loop_inv(const limit_data *d, int part, int parts)
{
    MATRICES;
    float work[MAX_N * 64];
    lapack_int pivots[MAX_N];
    for (int64_t b = begin; b < end; b++) {
        float *a = out + b * nn;
        memcpy(a, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivots);
        LAPACKE_sgetri_work(LAPACK_COL_MAJOR, n, a, n, pivots, work, MAX_N * 64);
    }
}

void loop_det(const limit_data *d, int part, int parts)
{
    MATRICES;
    float a[MAX_N * MAX_N];
    lapack_int pivots[MAX_N];
    for (int64_t b = begin; b < end; b++) {
        memcpy(a, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivots);
        float det = 1;
        for (int i = 0; i < n; i++)
            det *= pivots[i] == i + 1 ? a[i * n + i] : -a[i * n + i];
        out[b] = det;
    }
}

void loop_lu(const limit_data *d, int part, int parts)
{
    MATRICES;
    lapack_int *pivots = d->out2;
    for (int64_t b = begin; b < end; b++) {
        memcpy(out + b * nn, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n, n, out + b * nn, n, pivots + b * n);
    }
}

void loop_eigh(const limit_data *d, int part, int parts)
{
    MATRICES;
    float *vectors = d->out2, *work = malloc(sizeof *work * MAX_WORK);
    for (int64_t b = begin; work && b < end; b++) {
        float *a = vectors + b * nn;
        memcpy(a, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_ssyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, out + b * n, work, MAX_WORK);
    }
    free(work);
}

/* The output: singular values; u and vt beside them. */
void loop_svd(const limit_data *d, int part, int parts)
{
    MATRICES;
    float *u = d->out2, *vt = u + d->batch * nn, *work = malloc(sizeof *work * MAX_WORK);
    float a[MAX_N * MAX_N];
    lapack_int iwork[8 * MAX_N];
    for (int64_t b = begin; work && b < end; b++) {
        memcpy(a, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_sgesdd_work(LAPACK_COL_MAJOR, 'S', n, n, a, n, out + b * n, u + b * nn, n,
                            vt + b * nn, n, work, MAX_WORK, iwork);
    }
    free(work);
}

void loop_qr(const limit_data *d, int part, int parts)
{
    MATRICES;
    float *r = d->out2, work[MAX_N * 64], tau[MAX_N];
    for (int64_t b = begin; b < end; b++) {
        float *q = out + b * nn;
        memcpy(q, x + b * nn, sizeof(float) * (size_t)nn);
        LAPACKE_sgeqrf_work(LAPACK_COL_MAJOR, n, n, q, n, tau, work, MAX_N * 64);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                r[b * nn + j * n + i] = i <= j ? q[j * n + i] : 0;
        LAPACKE_sorgqr_work(LAPACK_COL_MAJOR, n, n, n, q, n, tau, work, MAX_N * 64);
    }
}
#endif

/* -- Sorting ----------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void loop_qsort(const limit_data *d, int part, int parts)
{
    int64_t begin, end, n = d->last[0];
    share(d->count[0] / n, part, parts, &begin, &end);
    for (int64_t b = begin; b < end; b++) {
        float *row = (float *)d->out + b * n;
        memcpy(row, (const float *)d->in[0] + b * n, sizeof(float) * (size_t)n);
        qsort(row, (size_t)n, sizeof *row, by_value);
    }
}

typedef struct pair {
    float value;
    int32_t index;
} pair;

static int by_pair(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Pairs of value and index are sorted, then parted: values, and 64-bit indices. */
void loop_qsort_indices(const limit_data *d, int part, int parts)
{
    int64_t begin, end, n = d->last[0];
    share(d->count[0] / n, part, parts, &begin, &end);
    pair *pairs = malloc(sizeof *pairs * (size_t)n);
    for (int64_t b = begin; pairs && b < end; b++) {
        const float *x = (const float *)d->in[0] + b * n;
        for (int64_t j = 0; j < n; j++)
            pairs[j] = (pair){x[j], (int32_t)j};
        qsort(pairs, (size_t)n, sizeof *pairs, by_pair);
        for (int64_t j = 0; j < n; j++) {
            ((float *)d->out)[b * n + j] = pairs[j].value;
            ((int64_t *)d->out2)[b * n + j] = pairs[j].index;
        }
    }
    free(pairs);
}
