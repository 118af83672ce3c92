/* normalize_layers_meta.c: what layer_norm, rms_norm, group_norm and batch_norm demand of their
 * arguments, and what they need.
 */
#include <math.h>

#include "ops_kernels.h"
#include "steps.h"

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
