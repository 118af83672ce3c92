/* normalize.c: softmax.
 *
 * A run that does not lie contiguously is gathered into the workspace, computed there and
 * scattered, so its layout cannot change a bit of it. float32 has an exponential on vectors,
 * compiled for the baseline and, on x86-64, for AVX2, with the same bits.
 */
#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"

enum { LANES = 8, BLOCK = 256 };

typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));

#define TARGET
#define NAME(x) x##_float32
#include "normalize_float32.h"

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#define NAME(x) x##_float32_avx2
#include "normalize_float32.h"
#endif

static void softmax_any_float32(const float *x, float *out, int64_t n)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        softmax_float32_avx2(x, out, n);
        return;
    }
#endif
    softmax_float32(x, out, n);
}

static void softmax_float64(const double *x, double *out, int64_t n)
{
    double maximum = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t end = n - at < BLOCK ? n : at + BLOCK;
        double part = 0;
        for (int64_t i = at; i < end; i++)
            part += out[i] = exp(x[i] - maximum);
        sum += part;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] /= sum;
}

tm_status tm_softmax_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    tm_status status = tm_check_float(call, "x", x);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 0, 1, &axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, 1, &axis);
    if (status != TM_OK)
        return status;
    int64_t inner = 1; /* the result's stride along the axis, and that of a copy of x */
    for (int d = (int)axis + 1; d < tm_ndim(x); d++)
        inner *= tm_size(x, d);
    if (inner != 1 || tm_strides(x)[axis] != 1) {
        size_t bytes;
        if (__builtin_mul_overflow((size_t)tm_size(x, axis), 2 * tm_dtype_size(tm_dtype_of(x)),
                                   &bytes) ||
            bytes > SIZE_MAX / 4)
            bytes = SIZE_MAX / 4; /* an expanded x can be larger than memory */
        tm_need_workspace(call, bytes);
    }
    return tm_output_like(call, 0, x);
}

tm_status tm_softmax_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    (void)axis;
    int64_t n = tm_shape(x)[0];
    if (n == 0)
        return TM_OK;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t item = (int64_t)tm_dtype_size(dtype);
    int64_t x_step = n > 1 ? tm_strides(x)[0] * item : item;
    int64_t out_step = n > 1 ? tm_strides(out)[0] * item : item;
    const char *from = tm_data(x);
    char *to = tm_mutable_data(out), *room = tm_workspace(call);
    tm_cast_fn copy = tm_cast(dtype, dtype);
    const char *run = from;
    char *result = to;
    if (x_step != item) {
        copy(from, x_step, room, item, n);
        run = room;
    }
    if (out_step != item)
        result = room + n * item;
    if (dtype == TM_FLOAT32)
        softmax_any_float32((const float *)(const void *)run, (float *)(void *)result, n);
    else
        softmax_float64((const double *)(const void *)run, (double *)(void *)result, n);
    if (out_step != item)
        copy(result, item, to, out_step, n);
    return TM_OK;
}
