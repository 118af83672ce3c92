/* window.c: the arguments of windows, checked; and a plane that they slide over. */
#include "window.h"

#include "dispatch/cast.h"

tm_status tm_window_input(tm_call *call, const tm_tensor *x, int dims, tm_window *w, int64_t *batch,
                          int64_t *channels)
{
    int ndim = tm_ndim(x);
    if (ndim != dims + 1 && ndim != dims + 2)
        return tm_fail_arg(call, TM_ERR_RANK, "x",
                           "x must have %d dimensions, or %d with a batch, got shape %s", dims + 1,
                           dims + 2, tm_shape_text(call, x));
    *batch = ndim == dims + 2 ? tm_shape(x)[0] : 1;
    *channels = tm_shape(x)[ndim - dims - 1];
    w->dims = dims;
    bool empty = *channels == 0;
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        int axis = ndim - TM_WINDOW_DIMS + d;
        w->in[d] = d < TM_WINDOW_DIMS - dims ? 1 : tm_shape(x)[axis];
        empty = empty || w->in[d] == 0;
    }
    if (empty)
        return tm_fail_arg(call, TM_ERR_SHAPE, "x",
                           "x must have no size 0 but a batch's, got shape %s",
                           tm_shape_text(call, x));
    return TM_OK;
}

tm_status tm_window_list(tm_call *call, const char *argument, tm_int_list list, int dims,
                         int64_t least, int64_t fill, int64_t *to)
{
    if (dims == 1 && list.count != 1)
        return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must be one number, got %lld",
                           argument, (long long)list.count);
    if (list.count != 1 && list.count != dims)
        return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must be one number or %d, got %lld",
                           argument, dims, (long long)list.count);
    for (int d = 0; d < TM_WINDOW_DIMS; d++) {
        int i = d - (TM_WINDOW_DIMS - dims);
        to[d] = i < 0 ? fill : list.data[list.count == 1 ? 0 : i];
        if (i >= 0 && to[d] < least)
            return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must be at least %lld, got %lld",
                               argument, (long long)least, (long long)to[d]);
    }
    return TM_OK;
}

int64_t tm_window_span(const tm_window *w, int d)
{
    int64_t span;
    if (__builtin_mul_overflow(w->kernel[d] - 1, w->dilation[d], &span) || span == INT64_MAX)
        return INT64_MAX;
    return span + 1;
}

int tm_window_shape(const tm_tensor *x, const tm_window *w, int64_t channels, int64_t *shape)
{
    int ndim = tm_ndim(x);
    if (ndim == w->dims + 2)
        shape[0] = tm_shape(x)[0];
    shape[ndim - w->dims - 1] = channels;
    for (int d = TM_WINDOW_DIMS - w->dims; d < TM_WINDOW_DIMS; d++)
        shape[ndim - TM_WINDOW_DIMS + d] = w->out[d];
    return ndim;
}

tm_status tm_window_check_out(tm_call *call, const tm_tensor *x, const tm_window *w)
{
    for (int d = 0; d < TM_WINDOW_DIMS; d++)
        if (w->out[d] < 1)
            return tm_fail_arg(call, TM_ERR_SHAPE, "x",
                               "x must hold a window of %lld elements along axis %d, padding "
                               "included, got shape %s",
                               (long long)tm_window_span(w, d), d - TM_WINDOW_DIMS,
                               tm_shape_text(call, x));
    return TM_OK;
}

size_t tm_window_bytes(tm_dtype dtype, int num, const int64_t *size)
{
    int64_t bytes = (int64_t)tm_dtype_size(dtype);
    for (int i = 0; i < num; i++)
        if (__builtin_mul_overflow(bytes, size[i], &bytes) || bytes > INT64_MAX / 16)
            return SIZE_MAX / 16;
    return (size_t)(bytes + 63) / 64 * 64;
}

void tm_window_read(const tm_tensor *x, int dims, int64_t batch, int64_t channel, int64_t channels,
                    tm_dtype dtype, void *to)
{
    const int64_t *strides = tm_strides(x), *shape = tm_shape(x);
    int ndim = tm_ndim(x), first = ndim - dims - 1;
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(x)), size[TM_COPY_DIMS];
    int64_t step = (int64_t)tm_dtype_size(dtype);
    int64_t at = (channel ? channel * strides[first] : 0) + (batch ? batch * strides[0] : 0);
    tm_copy_side from = {.base = (char *)(uintptr_t)tm_data(x) + at * item,
                         .dtype = tm_dtype_of(x)};
    tm_copy_side side = {.base = to, .dtype = dtype};
    for (int d = dims; d >= 0; d--) {
        size[d] = d ? shape[first + d] : channels;
        from.step[d] = size[d] > 1 ? strides[first + d] * item : 0;
        side.step[d] = step;
        step *= size[d];
    }
    tm_copy(dims + 1, size, &side, &from);
}
