/* normalize_layers.c: layer_norm, rms_norm, group_norm, batch_norm.
 *
 * An example's elements are taken to the workspace as float64, row-major, normalised there, and
 * converted to the result. weight and bias follow them there. Where all are float32, layer_norm and
 * rms_norm read rows where they lie, or take them as float32.
 */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "simd.h"
#include "steps.h"

#define TM_LEVEL_BODY "normalize_layers_row.h"
#include "levels.h"

TM_SIMD_PICK(, static void, normalize_rows_float64,
             (const double *x, const double *w, const double *b, double *out, const int64_t *step,
              int64_t rows, int64_t n, bool centred, double eps),
             (x, w, b, out, step, rows, n, centred, eps))
TM_SIMD_PICK(, static void, normalize_rows_float32,
             (const float *x, const float *w, const float *b, float *out, const int64_t *step,
              int64_t rows, int64_t n, bool centred, double eps),
             (x, w, b, out, step, rows, n, centred, eps))

/* Takes x to *room and moves *room behind it; NULL where it is absent. */
static double *take(const tm_tensor *x, double **room)
{
    if (!x)
        return NULL;
    double *block = *room;
    tm_copy_row_major(x, tm_data(x), TM_FLOAT64, block, true);
    *room += tm_numel(x);
    return block;
}

static float *take_single(const tm_tensor *x, float **room)
{
    if (!x)
        return NULL;
    float *block = *room;
    tm_copy_row_major(x, tm_data(x), TM_FLOAT32, block, true);
    *room += tm_numel(x);
    return block;
}

static const tm_tensor *or_null(const tm_tensor *x)
{
    return x == TM_NONE ? NULL : x;
}

typedef struct statistics {
    double mean, scale; /**< elements become (v - mean) * scale */
} statistics;

/* Of `rows` runs of n elements, `step` apart. */
static statistics statistics_of(const double *v, int64_t rows, int64_t step, int64_t n, double eps)
{
    double sum = 0, square = 0, count = (double)(rows * n);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++)
            sum += v[r * step + i];
    double mean = sum / count;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++) {
            double distance = v[r * step + i] - mean;
            square += distance * distance;
        }
    return (statistics){mean, 1 / sqrt(square / count + eps)};
}

/* n elements of one weight and bias. */
static void apply(double *v, int64_t n, statistics s, double weight, double bias)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = (v[i] - s.mean) * s.scale * weight + bias;
}

static double or_else(const double *values, int64_t i, double otherwise)
{
    return values ? values[i] : otherwise;
}

static double least_step(tm_dtype dtype)
{
    switch (dtype) {
    case TM_FLOAT16:
        return 0x1p-10;
    case TM_BFLOAT16:
        return 0x1p-7;
    case TM_FLOAT32:
        return (double)FLT_EPSILON;
    default:
        return DBL_EPSILON;
    }
}

/* A kernel's operands, absent ones NULL. */
typedef struct layer {
    const tm_tensor *x, *weight, *bias;
    tm_tensor *out;
    bool centred;
    double eps;
} layer;

static bool is_single(const layer *l)
{
    const tm_tensor *each[] = {l->x, l->weight, l->bias, l->out};
    for (int k = 0; k < 4; k++)
        if (each[k] && tm_dtype_of(each[k]) != TM_FLOAT32)
            return false;
    return true;
}

/* Whether all lies as a row of float32. */
static bool is_row(const layer *l)
{
    const tm_tensor *each[] = {l->x, l->weight, l->bias, l->out};
    for (int k = 0; k < 4; k++)
        if (each[k] && !tm_is_contiguous(each[k]))
            return false;
    return is_single(l);
}

static void run_rows(const layer *l, const int64_t *offset, const int64_t *step, int64_t rows)
{
    const char *w = l->weight ? (const char *)tm_data(l->weight) + offset[1] : NULL;
    const char *b = l->bias ? (const char *)tm_data(l->bias) + offset[2] : NULL;
    const char *x = (const char *)tm_data(l->x) + offset[0];
    normalize_rows_float32((const float *)(const void *)x, (const float *)(const void *)w,
                           (const float *)(const void *)b,
                           (float *)(void *)((char *)tm_mutable_data(l->out) + offset[3]), step,
                           rows, tm_numel(l->x), l->centred, l->eps);
}

static tm_status run_layer(tm_call *call, const layer *l)
{
    static const int64_t none[4] = {0};
    int64_t n = tm_numel(l->x);
    if (n == 0)
        return TM_OK;
    if (is_row(l)) {
        run_rows(l, none, none, 1);
        return TM_OK;
    }
    if (is_single(l)) {
        float *room = tm_workspace(call), *x = take_single(l->x, &room), *out = room;
        room += n;
        const float *w = take_single(l->weight, &room), *b = take_single(l->bias, &room);
        normalize_rows_float32(x, w, b, out, none, 1, n, l->centred, l->eps);
        tm_copy_row_major(l->out, tm_mutable_data(l->out), TM_FLOAT32, out, false);
        return TM_OK;
    }
    double *room = tm_workspace(call), *v = take(l->x, &room);
    const double *w = take(l->weight, &room), *b = take(l->bias, &room);
    normalize_rows_float64(v, w, b, v, none, 1, n, l->centred, l->eps);
    tm_copy_row_major(l->out, tm_mutable_data(l->out), TM_FLOAT64, v, false);
    return TM_OK;
}

/* A batch of rows, where it lies. */
static tm_status run_layers(tm_call *call, const tm_batch *batch, const layer *l)
{
    const int inner = batch->ndim - 1;
    int64_t others = 1, step[TM_MAX_LEVELS + TM_MAX_NDIM][4];
    if (!is_row(l)) {
        tm_batch_decline(call);
        return TM_OK;
    }
    if (tm_numel(l->x) == 0)
        return TM_OK;
    for (int k = 0; k <= inner; k++) {
        int operand = 0;
        const int64_t *from = batch->step + k * batch->num_operands;
        step[k][0] = from[operand++];
        step[k][1] = l->weight ? from[operand++] : 0;
        step[k][2] = l->bias ? from[operand++] : 0;
        step[k][3] = from[operand];
        others *= k < inner ? batch->size[k] : 1;
    }
    for (int64_t i = 0; i < others; i++) {
        int64_t offset[4] = {0}, at = i;
        for (int k = inner; k-- > 0; at /= batch->size[k])
            for (int o = 0; o < 4; o++)
                offset[o] += at % batch->size[k] * step[k][o];
        run_rows(l, offset, step[inner], batch->size[inner]);
    }
    return TM_OK;
}

static layer layer_norm_of(const tm_tensor *x, const tm_tensor *weight, const tm_tensor *bias,
                           double eps, tm_tensor *out)
{
    return (layer){x, or_null(weight), or_null(bias), out, true, eps};
}

static layer rms_norm_of(const tm_tensor *x, const tm_tensor *weight, const double *eps,
                         tm_tensor *out)
{
    return (layer){x, or_null(weight), NULL, out, false, eps ? *eps : least_step(tm_dtype_of(x))};
}

tm_status tm_layer_norm_impl(tm_call *call, const tm_tensor *x, tm_int_list normalized_shape,
                             const tm_tensor *weight, const tm_tensor *bias, double eps,
                             tm_tensor *out)
{
    (void)normalized_shape;
    layer l = layer_norm_of(x, weight, bias, eps, out);
    return run_layer(call, &l);
}

tm_status tm_layer_norm_batched(tm_call *call, const tm_batch *batch)
{
    layer l = layer_norm_of(tm_call_arg(call, 0)->tensor, tm_call_arg(call, 2)->tensor,
                            tm_call_arg(call, 3)->tensor, tm_call_arg(call, 4)->f,
                            tm_call_output(call, 0));
    return run_layers(call, batch, &l);
}

tm_status tm_rms_norm_impl(tm_call *call, const tm_tensor *x, tm_int_list normalized_shape,
                           const tm_tensor *weight, const double *eps, tm_tensor *out)
{
    (void)normalized_shape;
    layer l = rms_norm_of(x, weight, eps, out);
    return run_layer(call, &l);
}

tm_status tm_rms_norm_batched(tm_call *call, const tm_batch *batch)
{
    layer l = rms_norm_of(tm_call_arg(call, 0)->tensor, tm_call_arg(call, 2)->tensor,
                          tm_call_arg(call, 3)->opt, tm_call_output(call, 0));
    return run_layers(call, batch, &l);
}

tm_status tm_group_norm_impl(tm_call *call, const tm_tensor *x, int64_t num_groups,
                             const tm_tensor *weight, const tm_tensor *bias, double eps,
                             tm_tensor *out)
{
    double *room = tm_workspace(call), *v = take(x, &room);
    const double *w = take(or_null(weight), &room), *b = take(or_null(bias), &room);
    int64_t channels = tm_shape(x)[0];
    if (tm_numel(x) == 0)
        return TM_OK;
    int64_t size = tm_numel(x) / channels, width = channels / num_groups;
    for (int64_t g = 0; g < num_groups; g++) {
        statistics s = statistics_of(v + g * width * size, 1, 0, width * size, eps);
        for (int64_t c = g * width; c < (g + 1) * width; c++)
            apply(v + c * size, size, s, or_else(w, c, 1), or_else(b, c, 0));
    }
    tm_copy_row_major(out, tm_mutable_data(out), TM_FLOAT64, v, false);
    return TM_OK;
}

tm_status tm_batch_norm_impl(tm_call *call, const tm_tensor *x, const tm_tensor *running_mean,
                             const tm_tensor *running_var, const tm_tensor *weight,
                             const tm_tensor *bias, bool training, double eps, tm_tensor *out)
{
    double *room = tm_workspace(call), *v = take(x, &room);
    const double *mean = take(or_null(running_mean), &room),
                 *var = take(or_null(running_var), &room);
    const double *w = take(or_null(weight), &room), *b = take(or_null(bias), &room);
    int64_t rows = tm_shape(x)[0], channels = tm_shape(x)[1];
    if (tm_numel(x) == 0)
        return TM_OK;
    assert(training || (mean && var)); /* as meta saw to it */
    int64_t size = tm_numel(x) / (rows * channels), step = channels * size;
    for (int64_t c = 0; c < channels; c++) {
        statistics s;
        if (training)
            s = statistics_of(v + c * size, rows, step, size, eps);
        else
            s = (statistics){mean[c], 1 / sqrt(var[c] + eps)};
        for (int64_t r = 0; r < rows; r++)
            apply(v + r * step + c * size, size, s, or_else(w, c, 1), or_else(b, c, 0));
    }
    tm_copy_row_major(out, tm_mutable_data(out), TM_FLOAT64, v, false);
    return TM_OK;
}
