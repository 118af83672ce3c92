/* convolution_run.c: convolutions as matrix products, a block of positions at a time.
 *
 * Every element of the batch and every group has products of its own, whose shapes follow from the
 * shapes of x and weight without the batch; so no result depends on what it is computed beside. The
 * factors are packed into the workspace, so none depends on a layout either. 16-bit floats are
 * converted to float32 there, and the result is rounded once.
 */
#include <string.h>

#include "complex_numbers.h"
#include "convolution.h"
#include "dispatch/cast.h"
#include "loops.h"
#include "numeric.h"
#include "ops_kernels.h"
#include "products.h"

enum { BLOCK_BYTES = 1 << 20, BLOCK_LEAST = 64, BLOCK_STEP = 16 };

/* What the workspace holds, in order: bytes for meta, memory for the kernel. */
typedef struct parts {
    size_t weight, bias; /* copies; 0 where the tensors can be read as they are */
    size_t planes;       /* a group's channels of x in the dtype that is computed in, or 0 */
    size_t columns;      /* the matrix of windows */
    size_t points;       /* transposed: x at the block's positions */
    size_t result;       /* of a group in the dtype that is computed in, or 0 */
} parts;

static int64_t volume(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

static parts parts_of(const tm_convolution *c, const tm_tensor *x, const tm_tensor *weight,
                      const tm_tensor *bias)
{
    const tm_window *w = &c->window;
    const tm_dtype dtype = tm_computed_in(tm_dtype_of(x));
    const bool narrow = dtype != tm_dtype_of(x);
    const int64_t x_channels = c->channels / c->groups, out_channels = c->out_channels / c->groups;
    const int64_t *k = w->kernel, *x_size = c->transposed ? w->out : w->in;
    const int64_t rows = c->transposed ? out_channels : x_channels;
    parts p = {0};
    if (!tm_is_ready(weight, dtype))
        p.weight =
            tm_window_bytes(dtype, 5, (int64_t[]){c->channels, out_channels, k[0], k[1], k[2]});
    if (bias != TM_NONE && !tm_is_ready(bias, dtype))
        p.bias = tm_window_bytes(dtype, 1, &c->out_channels);
    if (narrow)
        p.planes =
            tm_window_bytes(dtype, 4, (int64_t[]){x_channels, x_size[0], x_size[1], x_size[2]});
    p.columns = tm_window_bytes(dtype, 5, (int64_t[]){rows, k[0], k[1], k[2], c->block});
    if (c->transposed)
        p.points = tm_window_bytes(dtype, 2, (int64_t[]){x_channels, c->block});
    if (narrow && c->transposed)
        p.result =
            tm_window_bytes(dtype, 4, (int64_t[]){out_channels, w->in[0], w->in[1], w->in[2]});
    else if (narrow)
        p.result = tm_window_bytes(dtype, 2, (int64_t[]){out_channels, c->block});
    return p;
}

void tm_convolution_plan(tm_call *call, tm_convolution *c, const tm_tensor *x,
                         const tm_tensor *weight, const tm_tensor *bias)
{
    size_t workspace;
    if (tm_convolution_is_direct(c, x, weight, bias, &workspace)) {
        tm_need_workspace(call, workspace);
        return;
    }
    const int64_t rows =
        (c->transposed ? c->out_channels : c->channels) / c->groups * volume(c->window.kernel);
    const int64_t item = (int64_t)tm_dtype_size(tm_computed_in(tm_dtype_of(x)));
    c->block = BLOCK_BYTES / item / rows / BLOCK_STEP * BLOCK_STEP;
    if (c->block < BLOCK_LEAST)
        c->block = BLOCK_LEAST;
    if (c->block > volume(c->window.out))
        c->block = volume(c->window.out);
    parts p = parts_of(c, x, weight, bias);
    tm_need_workspace(call, p.weight + p.bias + p.planes + p.columns + p.points + p.result);
}

/* -- The pieces ---------------------------------------------------------------------------------
 */

/* What the kernel works on. */
typedef struct work {
    const tm_convolution *c;
    tm_dtype dtype; /* that is computed in */
    int64_t item;   /* its size */
    const tm_tensor *x;
    const char *weight, *bias; /* row-major in that dtype; bias may be NULL */
    char *planes, *columns, *points, *result;
    char *out;
    tm_dtype out_dtype;
} work;

static work begin(tm_call *call, const tm_tensor *x, const tm_tensor *weight, const tm_tensor *bias,
                  tm_tensor *out)
{
    const tm_convolution *c = tm_params(call, sizeof *c);
    const parts p = parts_of(c, x, weight, bias);
    work k = {.c = c, .dtype = tm_computed_in(tm_dtype_of(x)), .x = x};
    char *memory = tm_workspace(call);
    k.item = (int64_t)tm_dtype_size(k.dtype);
    k.weight = tm_ready(weight, tm_data(weight), k.dtype, memory);
    memory += p.weight;
    if (bias != TM_NONE)
        k.bias = tm_ready(bias, tm_data(bias), k.dtype, memory);
    k.planes = memory + p.bias;
    k.columns = k.planes + p.planes;
    k.points = k.columns + p.columns;
    k.result = p.result ? k.points + p.points : NULL;
    k.out = tm_mutable_data(out);
    k.out_dtype = tm_dtype_of(out);
    return k;
}

/* Planes of `size` that lie one behind the other. */
static tm_planes planes_at(char *base, const int64_t *size, int64_t item)
{
    return (tm_planes){base, volume(size) * item, {size[1] * size[2] * item, size[2] * item, item}};
}

/* A group's channels of one element of x's batch. */
static tm_planes group_of(const work *k, int64_t batch, int64_t group)
{
    const tm_convolution *c = k->c;
    const int64_t channels = c->channels / c->groups;
    const int dims = c->window.dims, first = tm_ndim(k->x) - dims - 1;
    if (tm_dtype_of(k->x) != k->dtype) {
        tm_window_read(k->x, dims, batch, group * channels, channels, k->dtype, k->planes);
        return planes_at(k->planes, c->transposed ? c->window.out : c->window.in, k->item);
    }
    tm_planes p = {.channel = tm_axis_step(k->x, first)};
    p.base = (char *)(uintptr_t)tm_data(k->x) + group * channels * p.channel;
    if (first > 0)
        p.base += batch * tm_axis_step(k->x, 0);
    for (int d = 0; d < dims; d++)
        p.step[TM_WINDOW_DIMS - dims + d] = tm_axis_step(k->x, first + 1 + d);
    return p;
}

/* C (m, p) = A (m, n) B (n, p), B and C row-major but for C's step from row to row. */
static void multiply(const work *k, int64_t m, int64_t n, int64_t p, const char *a, int64_t a_row,
                     int64_t a_column, const char *b, char *c, int64_t c_row)
{
    tm_product q = {.dtype = k->dtype,
                    .c_dtype = k->dtype,
                    .m = m,
                    .n = n,
                    .p = p,
                    .a = {a, k->dtype, a_row, a_column, NULL},
                    .b = {b, k->dtype, p, 1, NULL},
                    .c = c,
                    .c_row = c_row,
                    .c_column = 1};
    tm_product_run(&q);
}

#define ADD(name, T)                                                                               \
    static void add_##name(char *to, const char *number, int64_t n)                                \
    {                                                                                              \
        T *at = (T *)(void *)to;                                                                   \
        const T value = TM_CONST_AT(T, number);                                                    \
        for (int64_t i = 0; i < n; i++)                                                            \
            at[i] += value;                                                                        \
    }
ADD(float32, float)
ADD(float64, double)
ADD(complex64, tm_complex64)
ADD(complex128, tm_complex128)

static void add(tm_dtype dtype, char *to, const char *number, int64_t n)
{
    if (dtype == TM_FLOAT32)
        add_float32(to, number, n);
    else if (dtype == TM_FLOAT64)
        add_float64(to, number, n);
    else if (dtype == TM_COMPLEX64)
        add_complex64(to, number, n);
    else
        add_complex128(to, number, n);
}

/* A group's result, `rows` of n elements: adds bias, and converts it to where it belongs, which is
 * where it lies if no dtype is converted. Rows of the output are `pitch` elements apart. */
static void finish(const work *k, int64_t group, int64_t rows, char *result, int64_t n, char *to,
                   int64_t pitch)
{
    const int64_t out_item = (int64_t)tm_dtype_size(k->out_dtype);
    const int64_t step = k->result ? n * k->item : pitch * k->item;
    for (int64_t i = 0; i < rows; i++, result += step, to += pitch * out_item) {
        if (k->bias)
            add(k->dtype, result, k->bias + (group * rows + i) * k->item, n);
        if (k->result)
            tm_cast(k->dtype, k->out_dtype)(result, k->item, to, out_item, n);
    }
}

/* -- Convolutions -------------------------------------------------------------------------------
 */

/* To `to`, one group of one element of the batch. */
static void convolve(const work *k, int64_t batch, int64_t group, char *to)
{
    const tm_convolution *c = k->c;
    const tm_window *w = &c->window;
    const int64_t m = c->out_channels / c->groups, channels = c->channels / c->groups;
    const int64_t n = channels * volume(w->kernel), size = volume(w->out);
    const char *weight = k->weight + group * m * n * k->item;
    const tm_planes planes = group_of(k, batch, group);
    for (int64_t at = 0; at < size; at += c->block) {
        const int64_t end = at + c->block < size ? at + c->block : size, p = end - at;
        char *here = to + at * (int64_t)tm_dtype_size(k->out_dtype);
        char *result = k->result ? k->result : here;
        tm_columns_gather(w, k->dtype, &planes, channels, at, end, k->columns);
        multiply(k, m, n, p, weight, n, 1, k->columns, result, k->result ? p : size);
        finish(k, group, m, result, p, here, size);
    }
}

static void convolve_transposed(const work *k, int64_t batch, int64_t group, char *to)
{
    const tm_convolution *c = k->c;
    const tm_window *w = &c->window;
    const int64_t n = c->channels / c->groups, channels = c->out_channels / c->groups;
    const int64_t m = channels * volume(w->kernel), size = volume(w->in), points = volume(w->out);
    const char *weight = k->weight + group * n * m * k->item;
    const tm_planes planes = group_of(k, batch, group);
    char *result = k->result ? k->result : to;
    const tm_planes sums = planes_at(result, w->in, k->item);
    tm_window point = {
        .dims = w->dims, .kernel = {1, 1, 1}, .stride = {1, 1, 1}, .dilation = {1, 1, 1}};
    memcpy(point.in, w->out, sizeof point.in);
    memcpy(point.out, w->out, sizeof point.out);
    memset(result, 0, (size_t)(channels * size * k->item));
    for (int64_t at = 0; at < points; at += c->block) {
        const int64_t end = at + c->block < points ? at + c->block : points, p = end - at;
        tm_columns_gather(&point, k->dtype, &planes, n, at, end, k->points);
        multiply(k, m, n, p, weight, 1, m, k->points, k->columns, p);
        tm_columns_scatter(w, k->dtype, &sums, channels, at, end, k->columns);
    }
    finish(k, group, channels, result, size, to, size);
}

tm_status tm_convolution_run(tm_call *call, const tm_tensor *x, const tm_tensor *weight,
                             const tm_tensor *bias, tm_tensor *out)
{
    if (tm_convolution_direct(call, x, weight, bias, out, NULL))
        return TM_OK;
    const work k = begin(call, x, weight, bias, out);
    const tm_convolution *c = k.c;
    const int64_t size = volume(c->transposed ? c->window.in : c->window.out);
    const int64_t bytes = c->out_channels / c->groups * size * (int64_t)tm_dtype_size(k.out_dtype);
    char *to = k.out;
    for (int64_t batch = 0; batch < c->batch; batch++)
        for (int64_t group = 0; group < c->groups; group++, to += bytes)
            if (c->transposed)
                convolve_transposed(&k, batch, group, to);
            else
                convolve(&k, batch, group, to);
    return TM_OK;
}

tm_status tm_convolution_batched(tm_call *call, const tm_batch *batch)
{
    if (!tm_convolution_direct(call, tm_call_arg(call, 0)->tensor, tm_call_arg(call, 1)->tensor,
                               tm_call_arg(call, 2)->tensor, tm_call_output(call, 0), batch))
        tm_batch_decline(call);
    return TM_OK;
}
