/* contractions_vectors.c: dot and vecdot, kernels of one pair of vectors; outer and kron,
 * composites of a product.
 *
 * A sum of products runs over eight lanes, element i in lane i mod 8, which are then added in
 * pairs: an order that depends on the length alone, so the layout cannot change a bit. Operands of
 * another dtype than is computed in are converted a block at a time. Integers are computed in 64
 * bits, of which the result keeps its own: they wrap.
 */
#include <string.h>

#include "complex_numbers.h"
#include "dispatch/cast.h"
#include "loops.h"
#include "numeric.h"
#include "ops_kernels.h"
#include "shapes.h"

/* -- a sum of products ------------------------------------------------------------------------ */

enum { LANES = 8, BLOCK = 32 * LANES };

/* One operand: elements `step` bytes apart. */
typedef struct vector {
    const char *at;
    int64_t step;
    tm_dtype dtype;
} vector;

static vector vector_of(const tm_tensor *x)
{
    tm_dtype dtype = tm_dtype_of(x);
    return (vector){tm_data(x), *tm_strides(x) * (int64_t)tm_dtype_size(dtype), dtype};
}

/* n elements from the i-th as T's: where they lie, or converted into `block`. */
static vector elements(const vector *v, tm_dtype dtype, int64_t i, int64_t n, void *block)
{
    const char *at = v->at + i * v->step;
    if (v->dtype == dtype)
        return (vector){at, v->step, dtype};
    int64_t item = (int64_t)tm_dtype_size(dtype);
    tm_cast(v->dtype, dtype)(at, v->step, block, item, n);
    return (vector){block, item, dtype};
}

/* sum_NAME adds n products to the lanes, of which the first is the next one's; dot_NAME is the
 * whole sum. The product is an expression in a and b. */
#define DOT(name, T, product)                                                                      \
    TM_INLINE T product_##name(T a, T b)                                                           \
    {                                                                                              \
        return product;                                                                            \
    }                                                                                              \
    TM_INLINE void lanes_##name(const char *a, int64_t a_step, const char *b, int64_t b_step,      \
                                int64_t n, T *sum)                                                 \
    {                                                                                              \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int64_t l = 0; l < LANES; l++)                                                    \
                sum[l] += product_##name(TM_CONST_AT(T, a + (i + l) * a_step),                     \
                                         TM_CONST_AT(T, b + (i + l) * b_step));                    \
        for (int64_t l = 0; i < n; i++, l++)                                                       \
            sum[l] +=                                                                              \
                product_##name(TM_CONST_AT(T, a + i * a_step), TM_CONST_AT(T, b + i * b_step));    \
    }                                                                                              \
    static void dot_##name(const vector *x1, const vector *x2, tm_dtype dtype, int64_t n,          \
                           char *out)                                                              \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(T);                                                   \
        T sum[LANES] = {0}, block1[BLOCK], block2[BLOCK];                                          \
        bool converts = x1->dtype != dtype || x2->dtype != dtype;                                  \
        int64_t length = converts ? BLOCK : n;                                                     \
        for (int64_t at = 0; at < n; at += length) {                                               \
            int64_t count = n - at < length ? n - at : length;                                     \
            vector a = elements(x1, dtype, at, count, block1);                                     \
            vector b = elements(x2, dtype, at, count, block2);                                     \
            if (a.step == item && b.step == item)                                                  \
                lanes_##name(a.at, item, b.at, item, count, sum);                                  \
            else                                                                                   \
                lanes_##name(a.at, a.step, b.at, b.step, count, sum);                              \
        }                                                                                          \
        for (int half = LANES / 2; half > 0; half /= 2)                                            \
            for (int l = 0; l < half; l++)                                                         \
                sum[l] += sum[l + half];                                                           \
        memcpy(out, sum, sizeof *sum);                                                             \
    }

DOT(integer, uint64_t, a *b)
DOT(float32, float, a *b)
DOT(float64, double, a *b)
DOT(complex64, tm_complex64, tm_mul_complex64(a, b))
DOT(complex128, tm_complex128, tm_mul_complex128(a, b))
DOT(conjugate64, tm_complex64, tm_mul_complex64(conjf(a), b))
DOT(conjugate128, tm_complex128, tm_mul_complex128(conj(a), b))

/* Of two vectors of one length, into a 0-D tensor. */
static void dot(const tm_tensor *x1, const tm_tensor *x2, bool conjugates, tm_tensor *out)
{
    vector a = vector_of(x1), b = vector_of(x2);
    int64_t n = tm_size(x1, 0);
    tm_dtype dtype = tm_computed_in(tm_dtype_of(out));
    char sum[sizeof(tm_complex128)];
    switch (dtype) {
    case TM_FLOAT32:
        dot_float32(&a, &b, dtype, n, sum);
        break;
    case TM_FLOAT64:
        dot_float64(&a, &b, dtype, n, sum);
        break;
    case TM_COMPLEX64:
        (conjugates ? dot_conjugate64 : dot_complex64)(&a, &b, dtype, n, sum);
        break;
    case TM_COMPLEX128:
        (conjugates ? dot_conjugate128 : dot_complex128)(&a, &b, dtype, n, sum);
        break;
    default:
        dtype = dtype == TM_UINT64 ? TM_UINT64 : TM_INT64;
        dot_integer(&a, &b, dtype, n, sum);
        break;
    }
    tm_cast(dtype, tm_dtype_of(out))(sum, 0, tm_mutable_data(out), 0, 1);
}

/* -- dot and vecdot --------------------------------------------------------------------------- */

static tm_status check_dtypes(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = tm_check_numeric(call, "x1", x1);
    return status == TM_OK ? tm_check_numeric(call, "x2", x2) : status;
}

static tm_status check_vectors(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = tm_check_ndim(call, "x1", x1, 1);
    if (status == TM_OK)
        status = tm_check_ndim(call, "x2", x2, 1);
    return status == TM_OK ? check_dtypes(call, x1, x2) : status;
}

static tm_dtype promoted(const tm_tensor *x1, const tm_tensor *x2)
{
    return tm_promote(tm_dtype_of(x1), tm_dtype_of(x2));
}

tm_status tm_dot_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = check_vectors(call, x1, x2);
    if (status == TM_OK)
        status = tm_check_same_size(call, "x1", x1, 0, "x2", x2, 0);
    return status == TM_OK ? tm_output(call, 0, promoted(x1, x2), 0, NULL) : status;
}

tm_status tm_dot_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor *out)
{
    (void)call;
    dot(x1, x2, false, out);
    return TM_OK;
}

/* The axis is the broadcast shape's; the operands have it too, as far from the end. */
tm_status tm_vecdot_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t axis)
{
    int ndim = tm_ndim(x1) > tm_ndim(x2) ? tm_ndim(x1) : tm_ndim(x2);
    tm_status status = check_dtypes(call, x1, x2);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", ndim, &axis);
    if (status != TM_OK)
        return status;
    int from_end = ndim - (int)axis;
    status = tm_check_rank(call, "x1", x1, from_end);
    if (status == TM_OK)
        status = tm_check_rank(call, "x2", x2, from_end);
    if (status == TM_OK)
        status = tm_check_same_size(call, "x1", x1, -from_end, "x2", x2, -from_end);
    if (status != TM_OK)
        return status;
    int64_t shape[TM_MAX_NDIM], x1_axis = tm_ndim(x1) - from_end, x2_axis = tm_ndim(x2) - from_end;
    int out_ndim = tm_ndim(x1);
    memcpy(shape, tm_shape(x1), (size_t)out_ndim * sizeof *shape);
    status = tm_check_broadcast(call, "x2", &out_ndim, shape, x2);
    if (status == TM_OK)
        status = tm_core_axes(call, 0, 1, &x1_axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, 1, &x2_axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 2, 0, &axis);
    if (status != TM_OK)
        return status;
    memmove(shape + axis, shape + axis + 1, (size_t)(out_ndim - axis - 1) * sizeof *shape);
    return tm_output(call, 0, promoted(x1, x2), out_ndim - 1, shape);
}

tm_status tm_vecdot_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t axis,
                         tm_tensor *out)
{
    (void)call;
    (void)axis;
    dot(x1, x2, tm_dtype_kind(tm_dtype_of(x1)) == TM_KIND_COMPLEX, out);
    return TM_OK;
}

/* -- outer and kron --------------------------------------------------------------------------- */

tm_status tm_outer_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = check_vectors(call, x1, x2);
    if (status != TM_OK)
        return status;
    const int64_t shape[] = {tm_size(x1, 0), tm_size(x2, 0)};
    return tm_output(call, 0, promoted(x1, x2), 2, shape);
}

tm_status tm_outer_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor **out)
{
    (void)call;
    *out = tm_mul(tm_unsqueeze(x1, 1), x2);
    return *out ? TM_OK : tm_error_code();
}

/* The product is computed with two dimensions for one of the result. */
enum { KRON_MAX_NDIM = TM_MAX_NDIM / 2 };

/* The size of x along an axis of the result, which has `ndim`. */
static int64_t padded_size(const tm_tensor *x, int ndim, int axis)
{
    int d = axis - (ndim - tm_ndim(x));
    return d < 0 ? 1 : tm_size(x, d);
}

static int kron_shape(const tm_tensor *x1, const tm_tensor *x2, int64_t *shape)
{
    int ndim = tm_ndim(x1) > tm_ndim(x2) ? tm_ndim(x1) : tm_ndim(x2);
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(padded_size(x1, ndim, d), padded_size(x2, ndim, d), &shape[d]))
            shape[d] = INT64_MAX; /* refused, as every shape beyond memory is */
    return ndim;
}

static tm_status check_kron_rank(tm_call *call, const char *argument, const tm_tensor *x)
{
    if (tm_ndim(x) <= KRON_MAX_NDIM)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, argument,
                       "%s must have at most %d dimensions, got shape %s", argument, KRON_MAX_NDIM,
                       tm_shape_text(call, x));
}

tm_status tm_kron_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = check_kron_rank(call, "x1", x1);
    if (status == TM_OK)
        status = check_kron_rank(call, "x2", x2);
    if (status == TM_OK)
        status = check_dtypes(call, x1, x2);
    if (status != TM_OK)
        return status;
    int64_t shape[KRON_MAX_NDIM];
    int ndim = kron_shape(x1, x2, shape);
    return tm_output(call, 0, promoted(x1, x2), ndim, shape);
}

tm_status tm_kron_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor **out)
{
    (void)call;
    int64_t shape[KRON_MAX_NDIM], blocks[TM_MAX_NDIM], within[TM_MAX_NDIM];
    int ndim = kron_shape(x1, x2, shape);
    for (int d = 0; d < ndim; d++) {
        blocks[2 * d] = padded_size(x1, ndim, d);
        within[2 * d + 1] = padded_size(x2, ndim, d);
        blocks[2 * d + 1] = within[2 * d] = 1;
    }
    const tm_tensor *product = tm_mul(tm_reshape(x1, (tm_int_list){blocks, 2 * ndim}),
                                      tm_reshape(x2, (tm_int_list){within, 2 * ndim}));
    *out = tm_reshape(product, (tm_int_list){shape, ndim});
    return *out ? TM_OK : tm_error_code();
}
