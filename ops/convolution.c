/* convolution.c: convolutions: their checks. How they are computed is in convolution_run.c.
 */
#include <string.h>

#include "convolution.h"
#include "ops_kernels.h"

/* What all of the ops are called with. */
typedef struct arguments {
    const tm_tensor *x, *weight, *bias;
    int dims;
    bool transposed;
    tm_int_list stride, dilation;
    int64_t groups;
} arguments;

/* -- Tensors ------------------------------------------------------------------------------------
 */

static tm_status check_same_dtype(tm_call *call, const char *argument, const tm_tensor *y,
                                  const tm_tensor *x)
{
    if (tm_dtype_of(y) == tm_dtype_of(x))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_DTYPE, argument, "%s must have x's dtype %s, got %s", argument,
                       tm_dtype_name(tm_dtype_of(x)), tm_dtype_name(tm_dtype_of(y)));
}

/* weight's own checks; fills the window's kernel. */
static tm_status check_weight(tm_call *call, const arguments *a, tm_convolution *c)
{
    const tm_tensor *weight = a->weight;
    if (tm_ndim(weight) != a->dims + 2)
        return tm_fail_arg(call, TM_ERR_RANK, "weight",
                           "weight must have %d dimensions, got "
                           "shape %s",
                           a->dims + 2, tm_shape_text(call, weight));
    tm_status status = check_same_dtype(call, "weight", weight, a->x);
    if (status != TM_OK)
        return status;
    if (tm_numel(weight) == 0)
        return tm_fail_arg(call, TM_ERR_SHAPE, "weight", "weight must have no size 0, got shape %s",
                           tm_shape_text(call, weight));
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        int i = d - (TM_WINDOW_DIMS - a->dims);
        c->window.kernel[d] = i < 0 ? 1 : tm_shape(weight)[2 + i];
    }
    return TM_OK;
}

/* The channels of x, weight and the result. */
static tm_status check_channels(tm_call *call, const arguments *a, tm_convolution *c)
{
    const int64_t *shape = tm_shape(a->weight);
    c->groups = a->groups;
    if (a->groups < 1)
        return tm_fail_arg(call, TM_ERR_VALUE, "groups", "groups must be at least 1, got %lld",
                           (long long)a->groups);
    if (c->channels % a->groups)
        return tm_fail_arg(call, TM_ERR_VALUE, "groups",
                           "groups must divide x's number of channels %lld, got %lld",
                           (long long)c->channels, (long long)a->groups);
    if (!a->transposed && shape[0] % a->groups)
        return tm_fail_arg(call, TM_ERR_VALUE, "groups",
                           "groups must divide weight's number of output channels %lld, got %lld",
                           (long long)shape[0], (long long)a->groups);
    if (a->transposed && shape[0] != c->channels)
        return tm_fail_arg(call, TM_ERR_SHAPE, "weight",
                           "weight must have size %lld, x's channels, along axis 0, got shape %s",
                           (long long)c->channels, tm_shape_text(call, a->weight));
    if (!a->transposed && shape[1] != c->channels / a->groups)
        return tm_fail_arg(call, TM_ERR_SHAPE, "weight",
                           "weight must have size %lld, x's channels over groups, along axis 1, "
                           "got shape %s",
                           (long long)(c->channels / a->groups), tm_shape_text(call, a->weight));
    c->out_channels = a->transposed ? shape[1] * a->groups : shape[0];
    return TM_OK;
}

static tm_status check_bias(tm_call *call, const arguments *a, const tm_convolution *c)
{
    const tm_tensor *bias = a->bias;
    if (bias == TM_NONE)
        return TM_OK;
    if (tm_ndim(bias) != 1)
        return tm_fail_arg(call, TM_ERR_RANK, "bias", "bias must have 1 dimension, got shape %s",
                           tm_shape_text(call, bias));
    if (tm_size(bias, 0) != c->out_channels)
        return tm_fail_arg(call, TM_ERR_SHAPE, "bias",
                           "bias must have size %lld, the result's channels, got shape %s",
                           (long long)c->out_channels, tm_shape_text(call, bias));
    return check_same_dtype(call, "bias", bias, a->x);
}

/* All but padding, and what depends on it. */
static tm_status check_arguments(tm_call *call, const arguments *a)
{
    tm_convolution *c = tm_params(call, sizeof *c);
    tm_window *w = &c->window;
    c->transposed = a->transposed;
    tm_status status = tm_window_input(call, a->x, a->dims, w, &c->batch, &c->channels);
    tm_kind kind = tm_dtype_kind(tm_dtype_of(a->x));
    if (status == TM_OK && kind != TM_KIND_FLOAT && kind != TM_KIND_COMPLEX)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x",
                           "x must have a floating-point or complex dtype, got %s",
                           tm_dtype_name(tm_dtype_of(a->x)));
    if (status == TM_OK)
        status = check_weight(call, a, c);
    if (status == TM_OK)
        status = check_channels(call, a, c);
    if (status == TM_OK)
        status = check_bias(call, a, c);
    if (status == TM_OK)
        status = tm_window_list(call, "stride", a->stride, a->dims, 1, 1, w->stride);
    if (status == TM_OK)
        status = tm_window_list(call, "dilation", a->dilation, a->dims, 1, 1, w->dilation);
    return status;
}

/* -- Sizes --------------------------------------------------------------------------------------
 */

/* The result, of the window's positions, once everything is checked. */
static tm_status describe_result(tm_call *call, const arguments *a)
{
    tm_convolution *c = tm_params(call, sizeof *c);
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_window_shape(a->x, &c->window, c->out_channels, shape);
    tm_status status = tm_output(call, 0, tm_dtype_of(a->x), ndim, shape);
    if (c->transposed) {
        int64_t in[TM_WINDOW_DIMS];
        memcpy(in, c->window.in, sizeof in);
        memcpy(c->window.in, c->window.out, sizeof in);
        memcpy(c->window.out, in, sizeof in);
    }
    /* Steps that are never taken may be any number; no arithmetic is to meet them. */
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        if (c->window.out[d] < 2)
            c->window.stride[d] = 1;
        if (c->window.kernel[d] < 2)
            c->window.dilation[d] = 1;
    }
    if (status == TM_OK)
        tm_convolution_plan(call, c, a->x, a->weight, a->bias);
    return status;
}

/* The positions of the window over x and its padding, then the result. */
static tm_status describe_padded(tm_call *call, const arguments *a)
{
    tm_convolution *c = tm_params(call, sizeof *c);
    tm_window *w = &c->window;
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        int64_t span = tm_window_span(w, d), room;
        if (__builtin_mul_overflow(w->padding[d], 2, &room) ||
            __builtin_add_overflow(room, w->in[d], &room))
            return tm_fail_arg(call, TM_ERR_VALUE, "padding", "padding is too large, got %lld",
                               (long long)w->padding[d]);
        w->out[d] = room < span || span == INT64_MAX ? 0 : (room - span) / w->stride[d] + 1;
    }
    tm_status status = tm_window_check_out(call, a->x, w);
    return status == TM_OK ? describe_result(call, a) : status;
}

static tm_status describe_numbers(tm_call *call, const arguments *a, tm_int_list padding)
{
    tm_convolution *c = tm_params(call, sizeof *c);
    tm_status status = check_arguments(call, a);
    if (status == TM_OK)
        status = tm_window_list(call, "padding", padding, a->dims, 0, 0, c->window.padding);
    return status == TM_OK ? describe_padded(call, a) : status;
}

/* 'same' pads by one less than the window's span: half before, the rest, which may be one more,
 * behind. */
static tm_status describe_named(tm_call *call, const arguments *a, const char *padding)
{
    tm_convolution *c = tm_params(call, sizeof *c);
    tm_window *w = &c->window;
    tm_status status = check_arguments(call, a);
    if (status != TM_OK)
        return status;
    if (strcmp(padding, "valid") == 0)
        return describe_padded(call, a);
    if (strcmp(padding, "same") != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "padding",
                           "padding must be 'valid' or 'same', got '%s'", padding);
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        int64_t span = tm_window_span(w, d);
        if (w->stride[d] != 1)
            return tm_fail_arg(call, TM_ERR_VALUE, "stride",
                               "stride must be 1 where padding is 'same', got %lld",
                               (long long)w->stride[d]);
        if (span > INT64_MAX / 4)
            return tm_fail_arg(call, TM_ERR_VALUE, "dilation", "dilation is too large, got %lld",
                               (long long)w->dilation[d]);
        w->padding[d] = (span - 1) / 2;
        w->out[d] = w->in[d];
    }
    return describe_result(call, a);
}

/* The size that has x's as its convolution's; the largest number where it is beyond. */
static int64_t grown(const tm_window *w, int d, int64_t output_padding)
{
    int64_t size, span = tm_window_span(w, d);
    if (span == INT64_MAX || __builtin_mul_overflow(w->in[d] - 1, w->stride[d], &size) ||
        __builtin_add_overflow(size, span, &size) ||
        __builtin_add_overflow(size, output_padding, &size))
        return INT64_MAX;
    return size / 2 < w->padding[d] ? 0 : size - 2 * w->padding[d];
}

static tm_status describe_transposed(tm_call *call, const arguments *a, tm_int_list padding,
                                     tm_int_list output_padding)
{
    tm_convolution *c = tm_params(call, sizeof *c);
    tm_window *w = &c->window;
    int64_t further[TM_WINDOW_DIMS];
    tm_status status = check_arguments(call, a);
    if (status == TM_OK)
        status = tm_window_list(call, "padding", padding, a->dims, 0, 0, w->padding);
    if (status == TM_OK)
        status = tm_window_list(call, "output_padding", output_padding, a->dims, 0, 0, further);
    for (int d = 0; d < TM_WINDOW_DIMS && status == TM_OK; d++) {
        if (further[d] >= w->stride[d] && further[d] >= w->dilation[d])
            return tm_fail_arg(call, TM_ERR_VALUE, "output_padding",
                               "output_padding must be less than stride or dilation, got %lld",
                               (long long)further[d]);
        w->out[d] = grown(w, d, further[d]);
        if (w->out[d] < 1)
            return tm_fail_arg(call, TM_ERR_VALUE, "padding",
                               "padding must leave at least one element along axis %d, got %lld",
                               d - TM_WINDOW_DIMS, (long long)w->padding[d]);
    }
    return status == TM_OK ? describe_result(call, a) : status;
}

/* -- The ops ------------------------------------------------------------------------------------
 */

#define CONVOLUTION(name, num_dims, padding_type, describe)                                        \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, const tm_tensor *weight,         \
                               const tm_tensor *bias, tm_int_list stride, padding_type padding,    \
                               tm_int_list dilation, int64_t groups)                               \
    {                                                                                              \
        const arguments a = {.x = x,                                                               \
                             .weight = weight,                                                     \
                             .bias = bias,                                                         \
                             .dims = num_dims,                                                     \
                             .stride = stride,                                                     \
                             .dilation = dilation,                                                 \
                             .groups = groups};                                                    \
        return describe(call, &a, padding);                                                        \
    }                                                                                              \
    tm_status tm_##name##_impl(tm_call *call, const tm_tensor *x, const tm_tensor *weight,         \
                               const tm_tensor *bias, tm_int_list stride, padding_type padding,    \
                               tm_int_list dilation, int64_t groups, tm_tensor *out)               \
    {                                                                                              \
        (void)stride, (void)padding, (void)dilation, (void)groups;                                 \
        return tm_convolution_run(call, x, weight, bias, out);                                     \
    }
CONVOLUTION(conv1d, 1, tm_int_list, describe_numbers)
CONVOLUTION(conv2d, 2, tm_int_list, describe_numbers)
CONVOLUTION(conv3d, 3, tm_int_list, describe_numbers)
CONVOLUTION(conv1d_padding, 1, const char *, describe_named)
CONVOLUTION(conv2d_padding, 2, const char *, describe_named)
CONVOLUTION(conv3d_padding, 3, const char *, describe_named)

#define TRANSPOSED(name, num_dims)                                                                 \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, const tm_tensor *weight,         \
                               const tm_tensor *bias, tm_int_list stride, tm_int_list padding,     \
                               tm_int_list output_padding, int64_t groups, tm_int_list dilation)   \
    {                                                                                              \
        const arguments a = {.x = x,                                                               \
                             .weight = weight,                                                     \
                             .bias = bias,                                                         \
                             .dims = num_dims,                                                     \
                             .transposed = true,                                                   \
                             .stride = stride,                                                     \
                             .dilation = dilation,                                                 \
                             .groups = groups};                                                    \
        return describe_transposed(call, &a, padding, output_padding);                             \
    }                                                                                              \
    tm_status tm_##name##_impl(tm_call *call, const tm_tensor *x, const tm_tensor *weight,         \
                               const tm_tensor *bias, tm_int_list stride, tm_int_list padding,     \
                               tm_int_list output_padding, int64_t groups, tm_int_list dilation,   \
                               tm_tensor *out)                                                     \
    {                                                                                              \
        (void)stride, (void)padding, (void)output_padding, (void)groups, (void)dilation;           \
        return tm_convolution_run(call, x, weight, bias, out);                                     \
    }
TRANSPOSED(conv_transpose1d, 1)
TRANSPOSED(conv_transpose2d, 2)
TRANSPOSED(conv_transpose3d, 3)
