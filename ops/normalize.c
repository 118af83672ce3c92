/* normalize.c: softmax and its logarithm.
 *
 * A run that does not lie contiguously is gathered into the workspace, computed there and
 * scattered, so its layout cannot change a bit of it. float32 has an exponential on vectors,
 * compiled for the baseline and, on x86-64, for AVX2, with the same bits.
 */
#include <math.h>
#include <string.h>

#include "dispatch/cast.h"
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
#include "numeric.h"
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

/* x less the logarithm of the sum of exponentials; as for softmax, from x less its maximum. */
static void log_softmax_float32(const float *x, float *out, int64_t n)
{
    float maximum = -INFINITY;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)(x[i] - maximum));
    double shift = log(sum);
    for (int64_t i = 0; i < n; i++)
        out[i] = (float)((double)(x[i] - maximum) - shift);
}

static void log_softmax_float64(const double *x, double *out, int64_t n)
{
    double maximum = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        maximum = x[i] > maximum ? x[i] : maximum;
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t end = n - at < BLOCK ? n : at + BLOCK;
        double part = 0;
        for (int64_t i = at; i < end; i++)
            part += exp(x[i] - maximum);
        sum += part;
    }
    double shift = log(sum);
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] - maximum - shift;
}

static tm_status rows_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    tm_status status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a floating-point dtype");
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
    tm_dtype dtype = tm_computed_in(tm_dtype_of(x));
    if (inner != 1 || tm_strides(x)[axis] != 1 || tm_dtype_of(x) != dtype) {
        size_t bytes;
        if (__builtin_mul_overflow((size_t)tm_size(x, axis), 2 * tm_dtype_size(dtype), &bytes) ||
            bytes > SIZE_MAX / 4)
            bytes = SIZE_MAX / 4; /* an expanded x can be larger than memory */
        tm_need_workspace(call, bytes);
    }
    return tm_output_like(call, 0, x);
}

/* What is computed of one row of n elements, contiguous on both sides. */
typedef struct row_functions {
    void (*float32)(const float *x, float *out, int64_t n);
    void (*float64)(const double *x, double *out, int64_t n);
} row_functions;

static tm_status run_rows(tm_call *call, const tm_tensor *x, tm_tensor *out,
                          const row_functions *functions)
{
    int64_t n = tm_shape(x)[0];
    if (n == 0)
        return TM_OK;
    tm_dtype own = tm_dtype_of(x), dtype = tm_computed_in(own);
    int64_t item = (int64_t)tm_dtype_size(dtype), own_item = (int64_t)tm_dtype_size(own);
    int64_t x_step = n > 1 ? tm_strides(x)[0] * own_item : own_item;
    int64_t out_step = n > 1 ? tm_strides(out)[0] * own_item : own_item;
    char *room = tm_workspace(call), *result = tm_mutable_data(out);
    const char *run = tm_data(x);
    if (own != dtype || x_step != item) {
        tm_cast(own, dtype)(run, x_step, room, item, n);
        run = room;
    }
    bool aside = own != dtype || out_step != item;
    if (aside)
        result = room + n * item;
    if (dtype == TM_FLOAT32)
        functions->float32((const float *)(const void *)run, (float *)(void *)result, n);
    else
        functions->float64((const double *)(const void *)run, (double *)(void *)result, n);
    if (aside)
        tm_cast(dtype, own)(result, item, tm_mutable_data(out), out_step, n);
    return TM_OK;
}

tm_status tm_softmax_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    return rows_meta(call, x, axis);
}

tm_status tm_softmax_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    static const row_functions functions = {softmax_any_float32, softmax_float64};
    (void)axis;
    return run_rows(call, x, out, &functions);
}

tm_status tm_log_softmax_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    return rows_meta(call, x, axis);
}

tm_status tm_log_softmax_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    static const row_functions functions = {log_softmax_float32, log_softmax_float64};
    (void)axis;
    return run_rows(call, x, out, &functions);
}
