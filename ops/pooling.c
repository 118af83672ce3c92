/* pooling.c: means and maxima over windows.
 *
 * Each plane (a channel of an element of the batch) is read as it lies where it is row-major in the
 * dtype that is computed in, and from scratch memory where it is not, so its layout cannot change a
 * bit. What lies in the padding counts as 0 in a mean and not at all in a maximum.
 */
#include <math.h>

#include "dispatch/cast.h"
#include "loops.h"
#include "numeric.h"
#include "ops_kernels.h"
#include "simd.h"
#include "steps.h"
#include "window.h"

typedef struct pool {
    tm_window window;
    int64_t batch, channels;
    int64_t divisor; /* 0: the number of elements */
    bool count_padding;
} pool;

/* -- Checks ------------------------------------------------------------------------------------ */

/* The number of windows along axis d; 0 where there is none. In ceil mode one that begins beyond
 * the elements and the padding before them does not count. */
static int64_t count_windows(const tm_window *w, int d, bool ceil_mode)
{
    int64_t room = w->in[d] + 2 * w->padding[d] - tm_window_span(w, d);
    if (room < 0 && !(ceil_mode && room > -w->stride[d]))
        return 0;
    int64_t count = room < 0 ? 0 : room / w->stride[d];
    if (ceil_mode && room >= 0 && room % w->stride[d])
        count++;
    if (ceil_mode && count > 0 && count * w->stride[d] >= w->in[d] + w->padding[d])
        count--;
    return count + 1;
}

static tm_status describe(tm_call *call, const tm_tensor *x, int dims, tm_int_list kernel,
                          tm_int_list stride, tm_int_list padding, tm_int_list dilation,
                          bool ceil_mode, int num_outputs)
{
    pool *p = tm_params(call, sizeof *p);
    tm_window *w = &p->window;
    int64_t shape[TM_MAX_NDIM];
    tm_status status = tm_window_input(call, x, dims, w, &p->batch, &p->channels);
    if (status == TM_OK)
        status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = tm_window_list(call, "kernel_size", kernel, dims, 1, 1, w->kernel);
    if (status == TM_OK)
        status =
            tm_window_list(call, "stride", stride.count ? stride : kernel, dims, 1, 1, w->stride);
    if (status == TM_OK)
        status = tm_window_list(call, "padding", padding, dims, 0, 0, w->padding);
    if (status == TM_OK)
        status = tm_window_list(call, "dilation", dilation, dims, 1, 1, w->dilation);
    for (int d = 0; d < TM_WINDOW_DIMS && status == TM_OK; d++)
        if (w->padding[d] > w->kernel[d] / 2)
            return tm_fail_arg(call, TM_ERR_VALUE, "padding",
                               "padding must be at most half of kernel_size, %lld, got %lld",
                               (long long)w->kernel[d], (long long)w->padding[d]);
    for (int d = 0; d < TM_WINDOW_DIMS && status == TM_OK; d++)
        w->out[d] = w->padding[d] <= INT64_MAX / 4 ? count_windows(w, d, ceil_mode) : 0;
    if (status == TM_OK)
        status = tm_window_check_out(call, x, w);
    if (status != TM_OK)
        return status;
    int ndim = tm_window_shape(x, w, p->channels, shape);
    tm_dtype dtype = tm_computed_in(tm_dtype_of(x));
    tm_need_workspace(call, tm_window_bytes(dtype, TM_WINDOW_DIMS, w->in) +
                                tm_window_bytes(dtype, TM_WINDOW_DIMS, w->out) +
                                tm_window_bytes(TM_INT64, 2, (int64_t[]){3, w->kernel[2]}) +
                                tm_window_bytes(TM_INT64, 1, &w->out[2]));
    status = tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    return status == TM_OK && num_outputs > 1 ? tm_output(call, 1, TM_INT64, ndim, shape) : status;
}

/* -- Planes ------------------------------------------------------------------------------------ */

/* A tap along the last axis: the positions [begin, end) at which it lies on an element, and how far
 * that is from position * stride. */
typedef struct tap {
    int64_t begin, end, offset;
} tap;

static tap tap_of(const tm_window *w, int64_t c)
{
    const int64_t stride = w->stride[2], offset = c * w->dilation[2] - w->padding[2];
    tap t = {.begin = offset < 0 ? (-offset - 1) / stride + 1 : 0, .offset = offset};
    if (w->in[2] > offset)
        t.end = (w->in[2] - 1 - offset) / stride + 1;
    if (t.end > w->out[2])
        t.end = w->out[2];
    return t;
}

/* What the planes of a call have in common. */
typedef struct work {
    const pool *p;
    tap *taps;
    int64_t *counts; /* of elements, or of positions with the padding, along the last axis */
} work;

/* The elements [begin, end) of axis d that a window has, its index `at`, and how many they are; or
 * how many positions it has with the padding. */
typedef struct range {
    int64_t begin, end, count;
} range;

static range covered(const tm_window *w, int d, int64_t at, bool count_padding)
{
    const int64_t dilation = w->dilation[d];
    range r = {at * w->stride[d] - w->padding[d], 0, 0};
    r.end = r.begin + tm_window_span(w, d);
    if (r.end > w->in[d] + w->padding[d])
        r.end = w->in[d] + w->padding[d];
    const int64_t padded = r.end - r.begin;
    if (r.begin < 0) /* on to the first position that is an element */
        r.begin += (-r.begin + dilation - 1) / dilation * dilation;
    if (r.end > w->in[d])
        r.end = w->in[d];
    r.count = count_padding ? padded : r.end > r.begin ? (r.end - r.begin - 1) / dilation + 1 : 0;
    return r;
}

/* A position's elements come in the order of the axes. The loops over positions are inside, so that
 * they fill vectors. */
#define EACH_POSITION(t, step, at, act)                                                            \
    for (int64_t k = (t).begin; k < (t).end; k++) {                                                \
        const int64_t at = k * (step) + (t).offset;                                                \
        act                                                                                        \
    }
#define EACH_POSITION_BY_STRIDE(w, t, at, act)                                                     \
    if ((w)->stride[2] == 1) {                                                                     \
        TM_INDEPENDENT                                                                             \
        EACH_POSITION(t, 1, at, act)                                                               \
    } else if ((w)->stride[2] == 2) {                                                              \
        TM_INDEPENDENT                                                                             \
        EACH_POSITION(t, 2, at, act)                                                               \
    } else {                                                                                       \
        TM_INDEPENDENT                                                                             \
        EACH_POSITION(t, (w)->stride[2], at, act)                                                  \
    }

/* For each row of the result, `to`: what comes first, then for each tap and position, then last. */
#define EACH_ROW(k, first, act, last)                                                              \
    const tm_window *w = &(k)->p->window;                                                          \
    const bool padded = (k)->p->count_padding;                                                     \
    for (int64_t i = 0; i < w->out[0]; i++)                                                        \
        for (int64_t j = 0; j < w->out[1]; j++) {                                                  \
            const range r0 = covered(w, 0, i, padded), r1 = covered(w, 1, j, padded);              \
            const int64_t row = (i * w->out[1] + j) * w->out[2];                                   \
            first;                                                                                 \
            for (int64_t a = r0.begin; a < r0.end; a += w->dilation[0])                            \
                for (int64_t b = r1.begin; b < r1.end; b += w->dilation[1]) {                      \
                    const int64_t from = (a * w->in[1] + b) * w->in[2];                            \
                    for (int64_t c = 0; c < w->kernel[2]; c++) {                                   \
                        const tap t = (k)->taps[c];                                                \
                        EACH_POSITION_BY_STRIDE(w, t, at, act)                                     \
                    }                                                                              \
                }                                                                                  \
            last;                                                                                  \
        }

#define PLANES(name, T)                                                                            \
    TM_INLINE void fill_##name(T *to, int64_t n, T value)                                          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] = value;                                                                         \
    }                                                                                              \
    TM_INLINE void divide_##name(const work *how, T *to, int64_t n, int64_t rows)                  \
    {                                                                                              \
        const int64_t divisor = how->p->divisor;                                                   \
        for (int64_t i = 0; i < n && divisor; i++)                                                 \
            to[i] /= (T)divisor;                                                                   \
        for (int64_t i = 0; i < n && !divisor; i++)                                                \
            to[i] /= (T)(rows * how->counts[i]);                                                   \
    }                                                                                              \
    TM_INLINE void mean_body_##name(const work *how, const T *restrict x, T *restrict out)         \
    {                                                                                              \
        EACH_ROW(how, T *restrict to = out + row;                                                  \
                 fill_##name(to, w->out[2], 0), to[k] += x[from + at];                             \
                 , divide_##name(how, to, w->out[2], r0.count * r1.count))                         \
    }                                                                                              \
    TM_SIMD_VERSIONS(mean_##name, mean_body_##name, (const work *how, const T *x, T *out),         \
                     (how, x, out))                                                                \
    TM_INLINE void largest_body_##name(const work *how, const T *restrict x, T *restrict out)      \
    {                                                                                              \
        EACH_ROW(how, T *restrict to = out + row;                                                  \
                 fill_##name(to, w->out[2], -INFINITY), const T value = x[from + at];              \
                 const T best = to[k];                                                             \
                 to[k] = (value > best) | ((value != value) & (best == best)) ? value : best;, )   \
    }                                                                                              \
    TM_SIMD_VERSIONS(largest_##name, largest_body_##name, (const work *how, const T *x, T *out),   \
                     (how, x, out))                                                                \
    TM_INLINE void found_body_##name(const work *how, const T *restrict x, T *restrict out,        \
                                     int64_t *restrict indices)                                    \
    {                                                                                              \
        EACH_ROW(how, T *restrict to = out + row; int64_t *restrict index = indices + row;         \
                 fill_##name(to, w->out[2], -INFINITY);                                            \
                 fill_index(index, w->out[2], -1), const T value = x[from + at];                   \
                 const T best = to[k]; const bool better = (index[k] < 0) | (value > best) |       \
                                                           ((value != value) & (best == best));    \
                 to[k] = better ? value : best; index[k] = better ? from + at : index[k];, )       \
    }                                                                                              \
    TM_SIMD_VERSIONS(found_##name, found_body_##name,                                              \
                     (const work *how, const T *x, T *out, int64_t *indices),                      \
                     (how, x, out, indices))

TM_INLINE void fill_index(int64_t *to, int64_t n, int64_t value)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = value;
}
PLANES(float32, float)
PLANES(float64, double)

static void pool_plane(const work *k, bool wide, bool mean, const char *from, char *to,
                       int64_t *indices)
{
    const void *x = from;
    void *out = to;
    if (mean)
        wide ? mean_float64(k, x, out) : mean_float32(k, x, out);
    else if (indices)
        wide ? found_float64(k, x, out, indices) : found_float32(k, x, out, indices);
    else
        wide ? largest_float64(k, x, out) : largest_float32(k, x, out);
}

/* Whether a plane of x can be read as it is. */
static bool is_ready(const tm_tensor *x, const tm_window *w, tm_dtype dtype)
{
    int64_t step = (int64_t)tm_dtype_size(dtype);
    bool ready = tm_dtype_of(x) == dtype;
    for (int d = 1; d <= w->dims; step *= w->in[TM_WINDOW_DIMS - d], d++)
        ready =
            ready && (w->in[TM_WINDOW_DIMS - d] == 1 || tm_axis_step(x, tm_ndim(x) - d) == step);
    return ready;
}

static tm_status run(tm_call *call, const tm_tensor *x, bool mean, tm_tensor *out,
                     tm_tensor *indices)
{
    const pool *p = tm_params(call, sizeof *p);
    const tm_window *w = &p->window;
    const tm_dtype dtype = tm_dtype_of(out), computed = tm_computed_in(dtype);
    const int64_t item = (int64_t)tm_dtype_size(dtype), each = (int64_t)tm_dtype_size(computed);
    const int64_t size = w->out[0] * w->out[1] * w->out[2];
    const int channel_axis = tm_ndim(x) - w->dims - 1;
    const int64_t channel = tm_axis_step(x, channel_axis);
    const int64_t element = channel_axis > 0 ? tm_axis_step(x, 0) : 0;
    const bool ready = is_ready(x, w, computed), convert = dtype != computed;
    char *room = tm_workspace(call), *to = tm_mutable_data(out);
    char *result = room + tm_window_bytes(computed, TM_WINDOW_DIMS, w->in);
    char *tables = result + tm_window_bytes(computed, TM_WINDOW_DIMS, w->out);
    int64_t *found = indices ? tm_mutable_data(indices) : NULL;
    work k = {
        p, (tap *)(void *)tables,
        (int64_t *)(void *)(tables + tm_window_bytes(TM_INT64, 2, (int64_t[]){3, w->kernel[2]}))};
    for (int64_t c = 0; c < w->kernel[2]; c++)
        k.taps[c] = tap_of(w, c);
    for (int64_t i = 0; mean && i < w->out[2]; i++)
        k.counts[i] = covered(w, 2, i, p->count_padding).count;
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t c = 0; c < p->channels; c++, to += size * item) {
            const char *plane = (const char *)tm_data(x) + b * element + c * channel;
            if (!ready) {
                tm_window_read(x, w->dims, b, c, 1, computed, room);
                plane = room;
            }
            pool_plane(&k, computed == TM_FLOAT64, mean, plane, convert ? result : to, found);
            if (convert)
                tm_cast(computed, dtype)(result, each, to, item, size);
            if (found)
                found += size;
        }
    return TM_OK;
}

/* -- The ops ----------------------------------------------------------------------------------- */

static tm_status describe_mean(tm_call *call, const tm_tensor *x, int dims, tm_int_list kernel_size,
                               tm_int_list stride, tm_int_list padding, bool ceil_mode,
                               bool count_include_pad, const int64_t *divisor)
{
    tm_status status =
        describe(call, x, dims, kernel_size, stride, padding, TM_INTS(1), ceil_mode, 1);
    if (status == TM_OK && divisor && *divisor == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "divisor_override",
                           "divisor_override must not be 0");
    pool *p = tm_params(call, sizeof *p);
    p->count_padding = count_include_pad;
    p->divisor = divisor ? *divisor : 0;
    return status;
}

tm_status tm_avg_pool1d_meta(tm_call *call, const tm_tensor *x, tm_int_list kernel_size,
                             tm_int_list stride, tm_int_list padding, bool ceil_mode,
                             bool count_include_pad)
{
    return describe_mean(call, x, 1, kernel_size, stride, padding, ceil_mode, count_include_pad,
                         NULL);
}

tm_status tm_avg_pool1d_impl(tm_call *call, const tm_tensor *x, tm_int_list kernel_size,
                             tm_int_list stride, tm_int_list padding, bool ceil_mode,
                             bool count_include_pad, tm_tensor *out)
{
    (void)kernel_size, (void)stride, (void)padding, (void)ceil_mode, (void)count_include_pad;
    return run(call, x, true, out, NULL);
}

tm_status tm_avg_pool2d_meta(tm_call *call, const tm_tensor *x, tm_int_list kernel_size,
                             tm_int_list stride, tm_int_list padding, bool ceil_mode,
                             bool count_include_pad, const int64_t *divisor_override)
{
    return describe_mean(call, x, 2, kernel_size, stride, padding, ceil_mode, count_include_pad,
                         divisor_override);
}

tm_status tm_avg_pool2d_impl(tm_call *call, const tm_tensor *x, tm_int_list kernel_size,
                             tm_int_list stride, tm_int_list padding, bool ceil_mode,
                             bool count_include_pad, const int64_t *divisor_override,
                             tm_tensor *out)
{
    (void)kernel_size, (void)stride, (void)padding, (void)ceil_mode, (void)count_include_pad;
    (void)divisor_override;
    return run(call, x, true, out, NULL);
}

#define MAXIMUM(dims)                                                                              \
    tm_status tm_max_pool##dims##d_meta(tm_call *call, const tm_tensor *x,                         \
                                        tm_int_list kernel_size, tm_int_list stride,               \
                                        tm_int_list padding, tm_int_list dilation, bool ceil_mode) \
    {                                                                                              \
        return describe(call, x, dims, kernel_size, stride, padding, dilation, ceil_mode, 1);      \
    }                                                                                              \
    tm_status tm_max_pool##dims##d_impl(                                                           \
        tm_call *call, const tm_tensor *x, tm_int_list kernel_size, tm_int_list stride,            \
        tm_int_list padding, tm_int_list dilation, bool ceil_mode, tm_tensor *out)                 \
    {                                                                                              \
        (void)kernel_size, (void)stride, (void)padding, (void)dilation, (void)ceil_mode;           \
        return run(call, x, false, out, NULL);                                                     \
    }
MAXIMUM(1)
MAXIMUM(2)

tm_status tm_max_pool2d_with_indices_meta(tm_call *call, const tm_tensor *x,
                                          tm_int_list kernel_size, tm_int_list stride,
                                          tm_int_list padding, tm_int_list dilation, bool ceil_mode)
{
    return describe(call, x, 2, kernel_size, stride, padding, dilation, ceil_mode, 2);
}

tm_status tm_max_pool2d_with_indices_impl(tm_call *call, const tm_tensor *x,
                                          tm_int_list kernel_size, tm_int_list stride,
                                          tm_int_list padding, tm_int_list dilation, bool ceil_mode,
                                          tm_tensor *values, tm_tensor *indices)
{
    (void)kernel_size, (void)stride, (void)padding, (void)dilation, (void)ceil_mode;
    return run(call, x, false, values, indices);
}
