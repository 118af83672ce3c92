/* convolution_columns.c: from planes to the matrix of windows, and back.
 *
 * Both walk the matrix in the same order, by runs: the positions of one tap along the last axis. So
 * the order in which scattered values are added depends on the window and the block alone.
 */
#include <string.h>

#include "complex_numbers.h"
#include "convolution.h"
#include "dispatch/numbers.h"
#include "loops.h"

/* `n` positions; the `count` of them from `first` on are at elements, the others in the padding. */
typedef struct run {
    int64_t n, first, count;
    char *element; /* the first of those */
    int64_t step;  /* bytes from one to the next */
} run;

typedef void run_fn(char *column, const run *r);

/* The positions from `begin` to `end` of the row of tap t, where the walk stands at (i, j, k). */
TM_INLINE run run_of(const tm_window *w, const tm_planes *planes, int64_t channel,
                     const int64_t *offset, const int64_t *at, int64_t left)
{
    run r = {.n = tm_smaller(w->out[2] - at[2], left)};
    int64_t a = at[0] * w->stride[0] + offset[0], b = at[1] * w->stride[1] + offset[1];
    if (a < 0 || a >= w->in[0] || b < 0 || b >= w->in[1] || offset[2] >= w->in[2])
        return r;
    int64_t stride = w->stride[2], first = at[2];
    if (offset[2] < 0 && (-offset[2] - 1) / stride + 1 > first)
        first = (-offset[2] - 1) / stride + 1;
    int64_t end = tm_smaller((w->in[2] - 1 - offset[2]) / stride + 1, at[2] + r.n);
    if (first >= end)
        return r;
    r.first = first - at[2];
    r.count = end - first;
    r.step = r.count > 1 ? stride * planes->step[2] : 0;
    r.element = planes->base + channel * planes->channel + a * planes->step[0] +
                b * planes->step[1] + (first * stride + offset[2]) * planes->step[2];
    return r;
}

TM_INLINE void walk(const tm_window *w, const tm_planes *planes, int64_t channels, int64_t begin,
                    int64_t end, char *column, int64_t item, run_fn *act)
{
    const int64_t *kernel = w->kernel, *out = w->out;
    const int64_t taps = kernel[0] * kernel[1] * kernel[2];
    for (int64_t c = 0; c < channels; c++)
        for (int64_t tap = 0; tap < taps; tap++) {
            const int64_t offset[] = {tap / kernel[2] / kernel[1] * w->dilation[0] - w->padding[0],
                                      tap / kernel[2] % kernel[1] * w->dilation[1] - w->padding[1],
                                      tap % kernel[2] * w->dilation[2] - w->padding[2]};
            int64_t at[] = {begin / out[2] / out[1], begin / out[2] % out[1], begin % out[2]};
            for (int64_t left = end - begin; left > 0;) {
                run r = run_of(w, planes, c, offset, at, left);
                act(column, &r);
                column += r.n * item;
                left -= r.n;
                at[2] = 0;
                if (++at[1] == out[1]) {
                    at[1] = 0;
                    at[0]++;
                }
            }
        }
}

/* Moved by size alone. */
#define GATHER(T)                                                                                  \
    TM_INLINE void gather_run_##T(char *column, const run *r)                                      \
    {                                                                                              \
        T *to = (T *)(void *)column + r->first;                                                    \
        memset(column, 0, (size_t)r->first * sizeof(T));                                           \
        if (r->step == (int64_t)sizeof(T)) {                                                       \
            memcpy(to, r->element, (size_t)r->count * sizeof(T));                                  \
        } else {                                                                                   \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                to[i] = TM_CONST_AT(T, r->element + i * r->step);                                  \
        }                                                                                          \
        memset(to + r->count, 0, (size_t)(r->n - r->first - r->count) * sizeof(T));                \
    }                                                                                              \
    static void gather_##T(const tm_window *w, const tm_planes *planes, int64_t channels,          \
                           int64_t begin, int64_t end, char *columns)                              \
    {                                                                                              \
        walk(w, planes, channels, begin, end, columns, sizeof(T), gather_run_##T);                 \
    }
GATHER(tm_word4)
GATHER(tm_word8)
GATHER(tm_word16)

void tm_columns_gather(const tm_window *w, tm_dtype dtype, const tm_planes *planes,
                       int64_t channels, int64_t begin, int64_t end, char *columns)
{
    switch (tm_dtype_size(dtype)) {
    case 4:
        gather_tm_word4(w, planes, channels, begin, end, columns);
        break;
    case 8:
        gather_tm_word8(w, planes, channels, begin, end, columns);
        break;
    default:
        gather_tm_word16(w, planes, channels, begin, end, columns);
        break;
    }
}

#define SCATTER(name, T)                                                                           \
    TM_INLINE void scatter_run_##name(char *column, const run *r)                                  \
    {                                                                                              \
        const T *from = (const T *)(const void *)column + r->first;                                \
        if (r->step == (int64_t)sizeof(T)) {                                                       \
            T *to = (T *)(void *)r->element;                                                       \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                to[i] += from[i];                                                                  \
        } else {                                                                                   \
            for (int64_t i = 0; i < r->count; i++)                                                 \
                TM_AT(T, r->element + i * r->step) += from[i];                                     \
        }                                                                                          \
    }                                                                                              \
    static void scatter_##name(const tm_window *w, const tm_planes *planes, int64_t channels,      \
                               int64_t begin, int64_t end, char *columns)                          \
    {                                                                                              \
        walk(w, planes, channels, begin, end, columns, sizeof(T), scatter_run_##name);             \
    }
SCATTER(float32, float)
SCATTER(float64, double)
SCATTER(complex64, tm_complex64)
SCATTER(complex128, tm_complex128)

void tm_columns_scatter(const tm_window *w, tm_dtype dtype, const tm_planes *planes,
                        int64_t channels, int64_t begin, int64_t end, const char *columns)
{
    char *from = (char *)(uintptr_t)columns; /* the walk writes to neither side by itself */
    if (dtype == TM_FLOAT32)
        scatter_float32(w, planes, channels, begin, end, from);
    else if (dtype == TM_FLOAT64)
        scatter_float64(w, planes, channels, begin, end, from);
    else if (dtype == TM_COMPLEX64)
        scatter_complex64(w, planes, channels, begin, end, from);
    else
        scatter_complex128(w, planes, channels, begin, end, from);
}
