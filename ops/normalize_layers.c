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

enum { LANES = 16, PARTS = LANES / 8 };

typedef double eight_doubles __attribute__((vector_size(8 * sizeof(double))));
typedef struct doubles {
    eight_doubles part[PARTS];
} doubles;

TM_INLINE void add_to(doubles *sum, const doubles *v)
{
    for (int k = 0; k < PARTS; k++)
        sum->part[k] += v->part[k];
}

TM_INLINE double lanes_total(const doubles *v)
{
    const eight_doubles s = v->part[0] + v->part[1];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

#include "normalize_layers_row.h"
#include "normalize_layers_single.h"

/* -- Metas ------------------------------------------------------------------------------------- */

static tm_status check_eps(tm_call *call, double eps)
{
    if (eps >= 0 && isfinite(eps))
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, "eps", "eps must be finite and not negative, got %g",
                       eps);
}

static tm_status check_float(tm_call *call, const char *name, const tm_tensor *x)
{
    return tm_check_kind(call, name, x, TM_KIND_FLOAT, "a floating-point dtype");
}

/* An optional tensor of exactly this shape. */
static tm_status check_shape(tm_call *call, const char *name, const tm_tensor *w, int64_t ndim,
                             const int64_t *shape)
{
    if (w == TM_NONE)
        return TM_OK;
    bool same = tm_ndim(w) == ndim;
    for (int64_t d = 0; same && d < ndim; d++)
        same = tm_shape(w)[d] == shape[d];
    if (!same)
        return tm_fail_arg(call, TM_ERR_SHAPE, name, "%s must have shape %s, got shape %s", name,
                           tm_sizes_text(call, ndim, shape), tm_shape_text(call, w));
    return check_float(call, name, w);
}

/* Room for x and `others` tensors of `count` elements, as float64. */
static void need_room(tm_call *call, int64_t numel, int others, int64_t count)
{
    size_t bytes, more;
    if (__builtin_mul_overflow((size_t)numel, sizeof(double), &bytes) || bytes > SIZE_MAX / 8 ||
        __builtin_mul_overflow((size_t)count, (size_t)others * sizeof(double), &more) ||
        more > SIZE_MAX / 8)
        bytes = more = SIZE_MAX / 8; /* an expanded x can be larger than memory */
    tm_need_workspace(call, bytes + more);
}

/* The trailing dimensions are x's and the result's core; weight's and bias's are all. */
static tm_status trailing_meta(tm_call *call, const tm_tensor *x, tm_int_list shape,
                               const tm_tensor *weight, const tm_tensor *bias, int outputs_slot)
{
    int ndim = tm_ndim(x), count = (int)shape.count;
    tm_status status = check_float(call, "x", x);
    if (status == TM_OK && shape.count == 0)
        return tm_fail_arg(call, TM_ERR_RANK, "normalized_shape",
                           "normalized_shape must have at least 1 dimension, got ()");
    if (status == TM_OK)
        status = tm_check_sizes(call, "normalized_shape", shape);
    if (status != TM_OK)
        return status;
    bool same = count <= ndim;
    int64_t axes[TM_MAX_NDIM], numel = 1;
    for (int d = 0; same && d < count; d++) {
        axes[d] = ndim - count + d;
        same = tm_shape(x)[axes[d]] == shape.data[d];
        numel *= same ? shape.data[d] : 1; /* another size may not fit */
    }
    if (!same)
        return tm_fail_arg(call, TM_ERR_SHAPE, "normalized_shape",
                           "normalized_shape must be the trailing sizes of x, which has shape %s, "
                           "got %s",
                           tm_shape_text(call, x), tm_sizes_text(call, count, shape.data));
    status = check_shape(call, "weight", weight, count, shape.data);
    if (status == TM_OK)
        status = check_shape(call, "bias", bias, count, shape.data);
    if (status == TM_OK)
        status = tm_core_axes(call, 0, count, axes);
    if (status == TM_OK)
        status = tm_core_axes(call, outputs_slot, count, axes);
    need_room(call, numel, 2, numel);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

tm_status tm_layer_norm_meta(tm_call *call, const tm_tensor *x, tm_int_list normalized_shape,
                             const tm_tensor *weight, const tm_tensor *bias, double eps)
{
    tm_status status = trailing_meta(call, x, normalized_shape, weight, bias, 3);
    return status == TM_OK ? check_eps(call, eps) : status;
}

tm_status tm_rms_norm_meta(tm_call *call, const tm_tensor *x, tm_int_list normalized_shape,
                           const tm_tensor *weight, const double *eps)
{
    tm_status status = trailing_meta(call, x, normalized_shape, weight, TM_NONE, 2);
    return status == TM_OK && eps ? check_eps(call, *eps) : status;
}

/* The checks of (N, C, ...); `*channels` is C. */
static tm_status check_channels(tm_call *call, const tm_tensor *x, int64_t *channels)
{
    tm_status status = tm_check_rank(call, "x", x, 2);
    if (status == TM_OK)
        status = check_float(call, "x", x);
    *channels = status == TM_OK ? tm_shape(x)[1] : 0;
    return status;
}

tm_status tm_group_norm_meta(tm_call *call, const tm_tensor *x, int64_t num_groups,
                             const tm_tensor *weight, const tm_tensor *bias, double eps)
{
    int64_t channels, axes[TM_MAX_NDIM], numel = 1;
    tm_status status = check_channels(call, x, &channels);
    if (status != TM_OK)
        return status;
    if (num_groups < 1 || channels % num_groups != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "num_groups",
                           "num_groups must divide the %lld channels of x, which has shape %s, got "
                           "%lld",
                           (long long)channels, tm_shape_text(call, x), (long long)num_groups);
    status = check_shape(call, "weight", weight, 1, &channels);
    if (status == TM_OK)
        status = check_shape(call, "bias", bias, 1, &channels);
    if (status == TM_OK)
        status = check_eps(call, eps);
    if (status != TM_OK)
        return status;
    for (int d = 1; d < tm_ndim(x); d++) {
        axes[d - 1] = d;
        numel *= tm_shape(x)[d];
    }
    need_room(call, numel, 2, channels);
    status = tm_core_axes(call, 0, tm_ndim(x) - 1, axes);
    if (status == TM_OK)
        status = tm_core_axes(call, 3, tm_ndim(x) - 1, axes);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

tm_status tm_batch_norm_meta(tm_call *call, const tm_tensor *x, const tm_tensor *running_mean,
                             const tm_tensor *running_var, const tm_tensor *weight,
                             const tm_tensor *bias, bool training, double eps)
{
    const struct {
        const char *name;
        const tm_tensor *tensor;
    } each[] = {{"running_mean", running_mean},
                {"running_var", running_var},
                {"weight", weight},
                {"bias", bias}};
    int64_t channels;
    tm_status status = check_channels(call, x, &channels);
    for (int i = 0; i < 4 && status == TM_OK; i++)
        status = check_shape(call, each[i].name, each[i].tensor, 1, &channels);
    for (int i = 0; i < 2 && status == TM_OK; i++)
        if (!training && each[i].tensor == TM_NONE)
            return tm_fail_arg(call, TM_ERR_VALUE, each[i].name, "%s is needed but in training",
                               each[i].name);
    if (status == TM_OK)
        status = check_eps(call, eps);
    if (status != TM_OK)
        return status;
    if (training && channels > 0 && tm_numel(x) == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x",
                           "x must have elements to take statistics of, got shape %s",
                           tm_shape_text(call, x));
    need_room(call, tm_numel(x), 4, channels);
    return tm_output_like(call, 0, x);
}

/* -- Kernels ----------------------------------------------------------------------------------- */

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
