/* fourier.c: the Fourier transforms: their checks. The kernel is one for all of them.
 *
 * A transform of real numbers is stored as the first half of its spectrum along the last of the
 * axes. hfft is irfft of the conjugates, ihfft the conjugates of rfft, each scaled as the other
 * direction is.
 */
#include "fourier.h"

#include <string.h>

#include "dispatch/cast.h"
#include "fourier_block.h"
#include "fourier_plan.h"
#include "ops_kernels.h"

/* What an op is, and what its arguments are called. */
typedef struct transform {
    tm_fft_kind kind;
    bool inverse, conjugate, backward; /* backward: scaled as the inverse is */
    bool one;                          /* along one axis: n and axis instead of s and axes */
} transform;

/* -- Checks ------------------------------------------------------------------------------------ */

static tm_status check_dtype(tm_call *call, const tm_tensor *x, tm_fft_kind kind)
{
    tm_dtype dtype = tm_dtype_of(x);
    tm_kind is = tm_dtype_kind(dtype);
    if (is == TM_KIND_BOOL || (kind == TM_FFT_REAL && is == TM_KIND_COMPLEX))
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must have a %s dtype, got %s",
                           kind == TM_FFT_REAL ? "real numeric" : "numeric", tm_dtype_name(dtype));
    return TM_OK;
}

static tm_status check_norm(tm_call *call, const char *norm, bool backward, int *scaling)
{
    if (strcmp(norm, "backward") == 0)
        *scaling = backward ? 2 : 0;
    else if (strcmp(norm, "ortho") == 0)
        *scaling = 1;
    else if (strcmp(norm, "forward") == 0)
        *scaling = backward ? 0 : 2;
    else
        return tm_fail_arg(call, TM_ERR_VALUE, "norm",
                           "norm must be 'backward', 'ortho' or 'forward', got '%s'", norm);
    return TM_OK;
}

static tm_status check_axes(tm_call *call, const tm_tensor *x, const transform *t,
                            const tm_int_list *s, const tm_int_list *axes, tm_fft_call *how)
{
    int ndim = tm_ndim(x);
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status != TM_OK)
        return status;
    if (t->one) {
        int64_t axis = axes->data[0];
        status = tm_check_axis(call, "axis", ndim, &axis);
        how->num_axes = 1;
        how->axis[0] = (uint8_t)axis;
        return status;
    }
    if (axes) {
        uint32_t mask;
        status = tm_check_axes(call, "axes", ndim, axes, &mask);
        if (status != TM_OK)
            return status;
        if (axes->count == 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "axes", "axes must name at least one axis");
        if (s && s->count != axes->count)
            return tm_fail_arg(call, TM_ERR_VALUE, "s",
                               "s must have as many sizes as there are axes, %lld, got %lld",
                               (long long)axes->count, (long long)s->count);
        for (int64_t i = 0; i < axes->count; i++)
            how->axis[i] = (uint8_t)(axes->data[i] < 0 ? axes->data[i] + ndim : axes->data[i]);
        how->num_axes = (int)axes->count;
        return TM_OK;
    }
    how->num_axes = s ? (int)s->count : ndim;
    if (s && (s->count < 1 || s->count > ndim))
        return tm_fail_arg(call, TM_ERR_VALUE, "s",
                           "s must have 1 to %d sizes for x of shape %s, got %lld", ndim,
                           tm_shape_text(call, x), (long long)s->count);
    for (int i = 0; i < how->num_axes; i++)
        how->axis[i] = (uint8_t)(ndim - how->num_axes + i);
    return TM_OK;
}

/* The lengths of the transforms into shape[axis], the last one into how->last. */
static tm_status check_lengths(tm_call *call, const tm_tensor *x, const transform *t,
                               const tm_int_list *s, tm_fft_call *how, int64_t *shape)
{
    for (int i = 0; i < how->num_axes; i++) {
        int axis = how->axis[i];
        bool spectrum = t->kind == TM_FFT_HERMITIAN && i == how->num_axes - 1;
        int64_t n = s ? s->data[i] : -1, size = tm_shape(x)[axis];
        if (s && n < 1 && (t->one || n != -1))
            return tm_fail_arg(call, TM_ERR_VALUE, t->one ? "n" : "s",
                               t->one ? "n must be at least 1, got %lld"
                                      : "s must hold sizes of at least 1, or -1, got %lld",
                               (long long)n);
        if (size == 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "x",
                               "x must have at least 1 element along axis %d, got shape %s", axis,
                               tm_shape_text(call, x));
        if (n == -1)
            n = spectrum ? 2 * (size - 1) : size;
        if (n == 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "x",
                               "x must have at least 2 elements along axis %d where the result's "
                               "size is not given, got shape %s",
                               axis, tm_shape_text(call, x));
        shape[axis] = how->last = n;
    }
    return TM_OK;
}

/* -- What the kernel needs --------------------------------------------------------------------- */

/* The bytes of `count` items, or more than any memory has: the allocation will say so. */
static size_t bytes_of(int64_t count, int64_t item)
{
    int64_t bytes;
    bool fits = count >= 0 && !__builtin_mul_overflow(count, item, &bytes);
    return fits && bytes < INT64_MAX / 16 ? (size_t)(bytes + 63) / 64 * 64 : SIZE_MAX / 16;
}

enum { LANE_ELEMENTS = 32768 };

/* Several lines at a time, of this example and others, as long as they fit in the cache; room for
 * them, and for the complex array that several axes need on the way to real numbers. */
static void need_room(tm_call *call, tm_fft_call *how, tm_dtype real, int ndim,
                      const int64_t *shape)
{
    int64_t item = (int64_t)tm_dtype_size(real), longest = 1, elements = 1;
    int last = how->axis[how->num_axes - 1];
    how->lanes = TM_FFT_BLOCK_LANES;
    for (int i = 0; i < how->num_axes; i++) {
        int64_t work = tm_fft_work(i == how->num_axes - 1 ? how->last : shape[how->axis[i]]);
        longest = work < 0 || longest < 0 ? -1 : work > longest ? work : longest;
    }
    if (longest < 0 || longest * how->lanes > LANE_ELEMENTS)
        how->lanes = longest < 0 || longest > LANE_ELEMENTS ? 1 : LANE_ELEMENTS / longest;
    how->plane = bytes_of(longest, item * how->lanes);
    size_t bytes = 4 * how->plane;
    if (how->kind == TM_FFT_HERMITIAN && how->num_axes > 1) {
        for (int d = 0; d < ndim; d++)
            if (__builtin_mul_overflow(elements, d == last ? how->last / 2 + 1 : shape[d],
                                       &elements)) {
                elements = -1;
                break;
            }
        bytes += bytes_of(elements, 2 * item);
    }
    tm_need_workspace(call, bytes);
}

static tm_status describe(tm_call *call, const tm_tensor *x, const transform *t,
                          const tm_int_list *s, const tm_int_list *axes, const char *norm)
{
    tm_fft_call *how = tm_params(call, sizeof *how);
    int64_t shape[TM_MAX_NDIM];
    int ndim = tm_ndim(x);
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(x)[d];
    tm_status status = check_dtype(call, x, t->kind);
    if (status == TM_OK)
        status = check_axes(call, x, t, s, axes, how);
    if (status == TM_OK)
        status = check_lengths(call, x, t, s, how, shape);
    if (status == TM_OK)
        status = check_norm(call, norm, t->backward, &how->scaling);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    bool wide = dtype == TM_FLOAT64 || dtype == TM_COMPLEX128;
    how->kind = t->kind;
    how->inverse = t->inverse;
    how->conjugate = t->conjugate;
    if (t->kind == TM_FFT_REAL)
        shape[how->axis[how->num_axes - 1]] = how->last / 2 + 1;
    if (t->kind == TM_FFT_HERMITIAN)
        dtype = wide ? TM_FLOAT64 : TM_FLOAT32;
    else
        dtype = wide ? TM_COMPLEX128 : TM_COMPLEX64;
    status = tm_output(call, 0, dtype, ndim, shape);
    if (status == TM_OK)
        need_room(call, how, wide ? TM_FLOAT64 : TM_FLOAT32, ndim, shape);
    return status;
}

/* -- The ops ----------------------------------------------------------------------------------- */

#define KERNEL(name, sizes, sizes_type, axes, axes_type)                                           \
    tm_status tm_##name##_impl(tm_call *call, const tm_tensor *x, sizes_type sizes,                \
                               axes_type axes, const char *norm, tm_tensor *out)                   \
    {                                                                                              \
        (void)sizes;                                                                               \
        (void)axes;                                                                                \
        (void)norm;                                                                                \
        return tm_fft_transform(call, x, out);                                                     \
    }

/* Along one axis. */
#define ALONG_AXIS(name, ...)                                                                      \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, const int64_t *n, int64_t axis,  \
                               const char *norm)                                                   \
    {                                                                                              \
        static const transform t = {.one = true, __VA_ARGS__};                                     \
        const tm_int_list s = {n, 1}, axes = {&axis, 1};                                           \
        return describe(call, x, &t, n ? &s : NULL, &axes, norm);                                  \
    }                                                                                              \
    KERNEL(name, n, const int64_t *, axis, int64_t)

/* Along the given axes, by default all. */
#define ALONG_AXES(name, ...)                                                                      \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, const tm_int_list *s,            \
                               const tm_int_list *axes, const char *norm)                          \
    {                                                                                              \
        static const transform t = {__VA_ARGS__};                                                  \
        return describe(call, x, &t, s, axes, norm);                                               \
    }                                                                                              \
    KERNEL(name, s, const tm_int_list *, axes, const tm_int_list *)

/* Along the given axes, by default the last two. */
#define ALONG_TWO(name, ...)                                                                       \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, const tm_int_list *s,            \
                               tm_int_list axes, const char *norm)                                 \
    {                                                                                              \
        static const transform t = {__VA_ARGS__};                                                  \
        return describe(call, x, &t, s, &axes, norm);                                              \
    }                                                                                              \
    KERNEL(name, s, const tm_int_list *, axes, tm_int_list)

ALONG_AXIS(fft, .kind = TM_FFT_COMPLEX)
ALONG_AXIS(ifft, .kind = TM_FFT_COMPLEX, .inverse = true, .backward = true)
ALONG_AXIS(rfft, .kind = TM_FFT_REAL)
ALONG_AXIS(irfft, .kind = TM_FFT_HERMITIAN, .inverse = true, .backward = true)
ALONG_AXIS(hfft, .kind = TM_FFT_HERMITIAN, .inverse = true, .conjugate = true)
ALONG_AXIS(ihfft, .kind = TM_FFT_REAL, .conjugate = true, .backward = true)
ALONG_AXES(fftn, .kind = TM_FFT_COMPLEX)
ALONG_AXES(ifftn, .kind = TM_FFT_COMPLEX, .inverse = true, .backward = true)
ALONG_AXES(rfftn, .kind = TM_FFT_REAL)
ALONG_AXES(irfftn, .kind = TM_FFT_HERMITIAN, .inverse = true, .backward = true)
ALONG_TWO(fft2, .kind = TM_FFT_COMPLEX)
ALONG_TWO(ifft2, .kind = TM_FFT_COMPLEX, .inverse = true, .backward = true)
ALONG_TWO(rfft2, .kind = TM_FFT_REAL)
ALONG_TWO(irfft2, .kind = TM_FFT_HERMITIAN, .inverse = true, .backward = true)
