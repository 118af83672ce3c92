/* triangular.c: triu and tril: rows of a matrix, cut at a diagonal. */
#include <string.h>

#include "ops_kernels.h"

static tm_status check(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 2);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

tm_status tm_triu_meta(tm_call *call, const tm_tensor *x, int64_t k)
{
    (void)k;
    return check(call, x);
}

tm_status tm_tril_meta(tm_call *call, const tm_tensor *x, int64_t k)
{
    (void)k;
    return check(call, x);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Row i keeps columns [from, to) of n, the others are zeros. */
static void copy_row(char *out, int64_t out_step, const char *x, int64_t x_step, size_t item,
                     int64_t n, int64_t from, int64_t to)
{
    if (out_step == (int64_t)item && x_step == (int64_t)item) {
        memset(out, 0, (size_t)from * item);
        memcpy(out + (size_t)from * item, x + (size_t)from * item, (size_t)(to - from) * item);
        memset(out + (size_t)to * item, 0, (size_t)(n - to) * item);
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        if (j >= from && j < to)
            memcpy(out + j * out_step, x + j * x_step, item);
        else
            memset(out + j * out_step, 0, item);
    }
}

static tm_status cut(const tm_tensor *x, int64_t k, tm_tensor *out, bool upper)
{
    const int64_t *shape = tm_shape(x), *xs = tm_strides(x), *os = tm_strides(out);
    int64_t rows = shape[0], columns = shape[1];
    size_t item = tm_dtype_size(tm_dtype_of(x));
    const char *src = tm_data(x);
    char *dst = tm_mutable_data(out);
    /* Beyond the corners every k means the same, and row + k cannot overflow. */
    k = clamp(k, -rows - 1, columns + 1);
    for (int64_t i = 0; i < rows; i++) {
        int64_t from = upper ? clamp(i + k, 0, columns) : 0;
        int64_t to = upper ? columns : clamp(i + k + 1, 0, columns);
        copy_row(dst + i * os[0] * (int64_t)item, os[1] * (int64_t)item,
                 src + i * xs[0] * (int64_t)item, xs[1] * (int64_t)item, item, columns, from, to);
    }
    return TM_OK;
}

tm_status tm_triu_impl(tm_call *call, const tm_tensor *x, int64_t k, tm_tensor *out)
{
    (void)call;
    return cut(x, k, out, true);
}

tm_status tm_tril_impl(tm_call *call, const tm_tensor *x, int64_t k, tm_tensor *out)
{
    (void)call;
    return cut(x, k, out, false);
}
