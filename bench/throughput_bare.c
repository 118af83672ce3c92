/* throughput_bare.c: one example in the plainest code: what ours is held against before it is
 * timed. Sums are in double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "throughput_ours.h"

static int64_t example_count(const input *x)
{
    int64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        n *= x->sizes[i];
    return n;
}

/* FLOATS(x, i): x is the i-th input, nx its elements. */
#define FLOATS(x, i)                                                                               \
    const float *x = in[i];                                                                        \
    const int64_t n##x = example_count(&r->in[i])

int64_t bare_addcmul(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    FLOATS(y, 1);
    FLOATS(z, 2);
    (void)ny, (void)nz;
    for (int64_t i = 0; i < nx; i++)
        out[i] = x[i] + y[i] * z[i];
    return nx;
}

int64_t bare_mul_add(const row *r, const void *const *in, float *out)
{
    return bare_addcmul(r, (const void *const[]){in[2], in[0], in[1]}, out);
}

int64_t bare_add(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    FLOATS(y, 1);
    (void)ny;
    for (int64_t i = 0; i < nx; i++)
        out[i] = x[i] + y[i];
    return nx;
}

int64_t bare_exp(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    for (int64_t i = 0; i < nx; i++)
        out[i] = (float)exp((double)x[i]);
    return nx;
}

/* A vector on the left is a row, on the right a column. */
int64_t bare_matmul(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    FLOATS(y, 1);
    int64_t n = r->in[0].sizes[r->in[0].ndim - 1], m = nx / n, p = ny / n;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < p; j++) {
            double s = 0;
            for (int64_t k = 0; k < n; k++)
                s += (double)x[i * n + k] * (double)y[k * p + j];
            out[i * p + j] = (float)s;
        }
    return m * p;
}

/* sum, mean, amax of a matrix over its last dimension (arg -1) or its first (0); of a vector. */
int64_t bare_reduce(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    int64_t last = r->in[0].sizes[r->in[0].ndim - 1], first = nx / last;
    int64_t kept = r->arg == -1 ? first : last, n = nx / kept;
    for (int64_t i = 0; i < kept; i++) {
        double s = 0, m = -INFINITY;
        for (int64_t j = 0; j < n; j++) {
            double v = (double)(r->arg == -1 ? x[i * n + j] : x[j * kept + i]);
            s += v;
            m = v > m ? v : m;
        }
        out[i] = (float)(!strcmp(r->op, "sum") ? s : !strcmp(r->op, "mean") ? s / (double)n : m);
    }
    return kept;
}

int64_t bare_argmax(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    int64_t last = r->in[0].sizes[1], kept = r->arg == -1 ? nx / last : last, n = nx / kept;
    for (int64_t i = 0; i < kept; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < n; j++)
            if (r->arg == -1 ? x[i * n + j] > x[i * n + best]
                             : x[j * kept + i] > x[best * kept + i])
                best = j;
        out[i] = (float)best;
    }
    return kept;
}

int64_t bare_triu(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    int64_t n = r->in[0].sizes[1];
    for (int64_t i = 0; i < nx; i++)
        out[i] = i % n >= i / n ? x[i] : 0;
    return nx;
}

int64_t bare_transpose(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    int64_t n = r->in[0].sizes[1], m = nx / n;
    for (int64_t i = 0; i < nx; i++)
        out[i] = x[i % m * n + i / m];
    return nx;
}

/* Along the first dimension. */
int64_t bare_concat(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    FLOATS(y, 1);
    memcpy(out, x, sizeof *out * (size_t)nx);
    memcpy(out + nx, y, sizeof *out * (size_t)ny);
    return nx + ny;
}

int64_t bare_gather(const row *r, const void *const *in, float *out)
{
    const int64_t *index = in[1];
    FLOATS(x, 0);
    (void)nx;
    int64_t n = example_count(&r->in[1]);
    for (int64_t i = 0; i < n; i++)
        out[i] = x[index[i]];
    return n;
}

static double log_sum(const float *x, int64_t n)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += exp((double)x[i]);
    return log(s);
}

int64_t bare_softmax(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    double s = log_sum(x, nx);
    for (int64_t i = 0; i < nx; i++)
        out[i] = (float)exp((double)x[i] - s);
    return nx;
}

int64_t bare_log_softmax(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    double s = log_sum(x, nx);
    for (int64_t i = 0; i < nx; i++)
        out[i] = (float)((double)x[i] - s);
    return nx;
}

int64_t bare_layer_norm(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    double s = 0, q = 0;
    for (int64_t i = 0; i < nx; i++)
        s += (double)x[i];
    s /= (double)nx;
    for (int64_t i = 0; i < nx; i++)
        q += ((double)x[i] - s) * ((double)x[i] - s);
    for (int64_t i = 0; i < nx; i++)
        out[i] = (float)(((double)x[i] - s) / sqrt(q / (double)nx + 1e-5));
    return nx;
}

/* -- Order ------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    float x = **(const float *const *)a, y = **(const float *const *)b;
    if (x != y)
        return x < y ? -1 : 1;
    const float *p = *(const float *const *)a, *q = *(const float *const *)b;
    return (p > q) - (p < q);
}

/* The values in order (topk: the arg greatest, from the greatest), then with `indices` where they
 * came from. */
static int64_t sorted(const row *r, const float *x, bool values, bool indices, float *out)
{
    int64_t n = r->in[0].sizes[0], k = r->arg ? r->arg : n, count = 0;
    const float **order = malloc(sizeof *order * (size_t)n);
    if (!order)
        return 0;
    for (int64_t i = 0; i < n; i++)
        order[i] = x + i;
    qsort(order, (size_t)n, sizeof *order, by_value);
    for (int64_t i = 0; values && i < k; i++)
        out[count++] = *order[r->arg ? n - 1 - i : i];
    for (int64_t i = 0; indices && i < k; i++)
        out[count++] = (float)(order[r->arg ? n - 1 - i : i] - x);
    free(order);
    return count;
}

int64_t bare_sort(const row *r, const void *const *in, float *out)
{
    return sorted(r, in[0], true, strcmp(r->op, "sort") != 0, out);
}

int64_t bare_argsort(const row *r, const void *const *in, float *out)
{
    return sorted(r, in[0], false, true, out);
}

/* -- Convolution, FFT -------------------------------------------------------------------------- */

/* x (channels, rows, columns), w (outputs, channels, height, width); zeros around by `pad`. */
static int64_t convolve(const float *x, const float *w, const int64_t *xs, const int64_t *ws,
                        int64_t pad_rows, int64_t pad, float *out)
{
    int64_t rows = xs[1] + 2 * pad_rows - ws[2] + 1, columns = xs[2] + 2 * pad - ws[3] + 1;
    for (int64_t o = 0; o < ws[0]; o++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                double s = 0;
                for (int64_t c = 0; c < xs[0]; c++)
                    for (int64_t u = 0; u < ws[2]; u++)
                        for (int64_t v = 0; v < ws[3]; v++) {
                            int64_t a = i + u - pad_rows, b = j + v - pad;
                            if (a >= 0 && a < xs[1] && b >= 0 && b < xs[2])
                                s += (double)x[(c * xs[1] + a) * xs[2] + b] *
                                     (double)w[((o * xs[0] + c) * ws[2] + u) * ws[3] + v];
                        }
                out[(o * rows + i) * columns + j] = (float)s;
            }
    return ws[0] * rows * columns;
}

int64_t bare_conv1d(const row *r, const void *const *in, float *out)
{
    const int64_t *x = r->in[0].sizes, *w = r->in[1].sizes;
    return convolve(in[0], in[1], (int64_t[]){x[0], 1, x[1]}, (int64_t[]){w[0], w[1], 1, w[2]}, 0,
                    0, out);
}

int64_t bare_conv2d(const row *r, const void *const *in, float *out)
{
    return convolve(in[0], in[1], r->in[0].sizes, r->in[1].sizes, 1, 1, out);
}

int64_t bare_fft(const row *r, const void *const *in, float *out)
{
    const float *x = in[0];
    int64_t n = r->in[0].sizes[0];
    for (int64_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (int64_t j = 0; j < n; j++) {
            double angle = -2 * M_PI * (double)(k * j % n) / (double)n;
            double c = cos(angle), d = sin(angle), u = (double)x[2 * j], v = (double)x[2 * j + 1];
            re += u * c - v * d;
            im += u * d + v * c;
        }
        out[2 * k] = (float)re;
        out[2 * k + 1] = (float)im;
    }
    return 2 * n;
}

/* -- Factorisations ---------------------------------------------------------------------------- */

/* L and U in one matrix; then, as int, the row that each was exchanged with. */
int64_t bare_lu(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    int64_t n = r->in[0].sizes[1];
    memcpy(out, x, sizeof *out * (size_t)nx);
    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabsf(out[i * n + k]) > fabsf(out[p * n + k]))
                p = i;
        out[nx + k] = (float)p;
        for (int64_t j = 0; j < n; j++) {
            float t = out[k * n + j];
            out[k * n + j] = out[p * n + j];
            out[p * n + j] = t;
        }
        for (int64_t i = k + 1; i < n; i++) {
            out[i * n + k] /= out[k * n + k];
            for (int64_t j = k + 1; j < n; j++)
                out[i * n + j] -= out[i * n + k] * out[k * n + j];
        }
    }
    return nx + n;
}

/* Q by Gram-Schmidt in double, then R = Q^T A; equal to the op's but for signs. */
int64_t bare_qr(const row *r, const void *const *in, float *out)
{
    FLOATS(x, 0);
    int64_t n = r->in[0].sizes[1];
    double q[32 * 32];
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            q[i * n + j] = (double)x[i * n + j];
        for (int twice = 0; twice < 2; twice++)
            for (int64_t k = 0; k < j; k++) {
                double s = 0;
                for (int64_t i = 0; i < n; i++)
                    s += q[i * n + k] * q[i * n + j];
                for (int64_t i = 0; i < n; i++)
                    q[i * n + j] -= s * q[i * n + k];
            }
        double s = 0;
        for (int64_t i = 0; i < n; i++)
            s += q[i * n + j] * q[i * n + j];
        for (int64_t i = 0; i < n; i++)
            q[i * n + j] /= sqrt(s);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double s = 0;
            for (int64_t k = 0; k < n; k++)
                s += q[k * n + i] * (double)x[k * n + j];
            out[i * n + j] = (float)q[i * n + j];
            out[nx + i * n + j] = i <= j ? (float)s : 0;
        }
    return 2 * nx;
}
