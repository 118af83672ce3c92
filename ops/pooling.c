/* pooling.c: means and maxima over windows.
 *
 * Each plane (a channel of an element of the batch) is read into scratch memory, row-major in the
 * dtype that is computed in, so its layout cannot change a bit. What lies in the padding counts as
 * 0 in a mean and not at all in a maximum.
 */
#include <math.h>

#include "dispatch/cast.h"
#include "loops.h"
#include "numeric.h"
#include "ops_kernels.h"
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
                                tm_window_bytes(dtype, TM_WINDOW_DIMS, w->out));
    status = tm_output(call, 0, tm_dtype_of(x), ndim, shape);
    return status == TM_OK && num_outputs > 1 ? tm_output(call, 1, TM_INT64, ndim, shape) : status;
}

/* -- Planes ------------------------------------------------------------------------------------ */

/* The elements [begin, end) of axis d that a window has, its index `at`; where it begins and ends
 * with the padding. */
typedef struct range {
    int64_t begin, end, padded;
} range;

static range covered(const tm_window *w, int d, int64_t at)
{
    range r = {at * w->stride[d] - w->padding[d], 0, 0};
    r.end = r.begin + tm_window_span(w, d);
    if (r.end > w->in[d] + w->padding[d])
        r.end = w->in[d] + w->padding[d];
    r.padded = r.end - r.begin;
    if (r.begin < 0) /* on to the first position that is an element */
        r.begin += (-r.begin + w->dilation[d] - 1) / w->dilation[d] * w->dilation[d];
    if (r.end > w->in[d])
        r.end = w->in[d];
    return r;
}

#define EACH_WINDOW(w, r, at)                                                                      \
    int64_t at = 0;                                                                                \
    for (int64_t i = 0; i < (w)->out[0]; i++)                                                      \
        for (int64_t j = 0; j < (w)->out[1]; j++)                                                  \
            for (int64_t k = 0; k < (w)->out[2]; k++, at++)                                        \
                for (range r[] = {covered(w, 0, i), covered(w, 1, j), covered(w, 2, k)},           \
                           *once = r;                                                              \
                     once; once = NULL)

#define EACH_ELEMENT(w, r, from)                                                                   \
    for (int64_t a = r[0].begin; a < r[0].end; a += (w)->dilation[0])                              \
        for (int64_t b = r[1].begin; b < r[1].end; b += (w)->dilation[1])                          \
            for (int64_t c = r[2].begin, from = (a * (w)->in[1] + b) * (w)->in[2] + c;             \
                 c < r[2].end; c += (w)->dilation[2], from += (w)->dilation[2])

#define PLANES(name, T)                                                                            \
    static void mean_##name(const pool *p, const T *x, T *out)                                     \
    {                                                                                              \
        const tm_window *w = &p->window;                                                           \
        EACH_WINDOW(w, r, at)                                                                      \
        {                                                                                          \
            T sum = 0;                                                                             \
            int64_t count = 0;                                                                     \
            EACH_ELEMENT(w, r, from)                                                               \
            {                                                                                      \
                sum += x[from];                                                                    \
                count++;                                                                           \
            }                                                                                      \
            if (p->count_padding)                                                                  \
                count = r[0].padded * r[1].padded * r[2].padded;                                   \
            out[at] = sum / (T)(p->divisor ? p->divisor : count);                                  \
        }                                                                                          \
    }                                                                                              \
    static void largest_##name(const pool *p, const T *x, T *out, int64_t *indices)                \
    {                                                                                              \
        const tm_window *w = &p->window;                                                           \
        EACH_WINDOW(w, r, at)                                                                      \
        {                                                                                          \
            T best = -INFINITY;                                                                    \
            int64_t found = -1;                                                                    \
            EACH_ELEMENT(w, r, from)                                                               \
            if (found < 0 || x[from] > best || (isnan(x[from]) && !isnan(best))) {                 \
                best = x[from];                                                                    \
                found = from;                                                                      \
            }                                                                                      \
            out[at] = best;                                                                        \
            if (indices)                                                                           \
                indices[at] = found;                                                               \
        }                                                                                          \
    }
PLANES(float32, float)
PLANES(float64, double)

static tm_status run(tm_call *call, const tm_tensor *x, bool mean, tm_tensor *out,
                     tm_tensor *indices)
{
    const pool *p = tm_params(call, sizeof *p);
    const tm_window *w = &p->window;
    const tm_dtype dtype = tm_dtype_of(out), computed = tm_computed_in(dtype);
    const int64_t item = (int64_t)tm_dtype_size(dtype), each = (int64_t)tm_dtype_size(computed);
    const int64_t size = w->out[0] * w->out[1] * w->out[2];
    char *plane = tm_workspace(call), *to = tm_mutable_data(out);
    char *result = plane + tm_window_bytes(computed, TM_WINDOW_DIMS, w->in);
    int64_t *found = indices ? tm_mutable_data(indices) : NULL;
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t c = 0; c < p->channels; c++, to += size * item) {
            tm_window_read(x, w->dims, b, c, 1, computed, plane);
            if (mean && computed == TM_FLOAT32)
                mean_float32(p, (const float *)(const void *)plane, (float *)(void *)result);
            else if (mean)
                mean_float64(p, (const double *)(const void *)plane, (double *)(void *)result);
            else if (computed == TM_FLOAT32)
                largest_float32(p, (const float *)(const void *)plane, (float *)(void *)result,
                                found);
            else
                largest_float64(p, (const double *)(const void *)plane, (double *)(void *)result,
                                found);
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
