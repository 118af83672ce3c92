/* distances.c: distances and similarities of vectors. */
#include <math.h>

#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"

/* -- cosine_similarity ------------------------------------------------------------------------- */

tm_status tm_cosine_similarity_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                    int64_t axis, double eps)
{
    tm_status status = tm_check_kind(call, "x1", x1, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = tm_check_kind(call, "x2", x2, TM_KIND_FLOAT, "a floating-point dtype");
    if (status != TM_OK)
        return status;
    int ndim = tm_ndim(x1), kept = 0;
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(x1)[d];
    status = tm_check_broadcast(call, "x2", &ndim, shape, x2);
    if (status == TM_OK)
        status = tm_check_axis(call, "axis", ndim, &axis);
    if (status != TM_OK)
        return status;
    if (!(eps >= 0))
        return tm_fail_arg(call, TM_ERR_VALUE, "eps", "eps must not be negative, got %g", eps);
    for (int d = 0; d < ndim; d++)
        if (d != axis)
            shape[kept++] = shape[d];
    return tm_output(call, 0, tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)), kept, shape);
}

tm_status tm_cosine_similarity_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                    int64_t axis, double eps, tm_tensor **out)
{
    (void)call;
    const tm_int_list axes = {&axis, 1};
    tm_tensor_list both = tm_broadcast_arrays(TM_TENSORS(tm_widened(x1), tm_widened(x2)));
    if (both.count != 2)
        return tm_error_code();
    tm_tensor *length[2];
    for (int i = 0; i < 2; i++)
        length[i] =
            tm_maximum_scalar(tm_vector_norm(both.data[i], &axes, false, 2), tm_scalar_float(eps));
    tm_tensor *dot = tm_sum(tm_mul(both.data[0], both.data[1]), &axes, false);
    *out = tm_astype(tm_div(dot, tm_mul(length[0], length[1])),
                     tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)));
    return *out ? TM_OK : tm_error_code();
}

/* -- cdist ------------------------------------------------------------------------------------- */

tm_status tm_cdist_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, double p)
{
    tm_status status = tm_check_kind(call, "x1", x1, TM_KIND_FLOAT, "a floating-point dtype");
    if (status == TM_OK)
        status = tm_check_kind(call, "x2", x2, TM_KIND_FLOAT, "a floating-point dtype");
    if (status != TM_OK)
        return status;
    if (!(p >= 0))
        return tm_fail_arg(call, TM_ERR_VALUE, "p", "p must not be negative, got %g", p);
    size_t rows = (size_t)tm_size(x2, -2) + 1, bytes; /* one of x1's and all of x2's */
    if (__builtin_mul_overflow(rows, (size_t)tm_size(x2, -1), &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(double), &bytes) || bytes > SIZE_MAX / 4)
        bytes = SIZE_MAX / 4;
    tm_need_workspace(call, bytes);
    tm_dtype dtype = tm_promote(tm_dtype_of(x1), tm_dtype_of(x2));
    const tm_spec *spec = tm_output_spec(call, 0); /* its shape follows from the signature */
    return tm_output(call, 0, dtype, spec->ndim, spec->shape);
}

static double distance(const double *a, const double *b, int64_t n, double p)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        if (p == 2)
            total += d * d;
        else if (p == 1)
            total += d;
        else if (p == 0)
            total += d != 0;
        else if (isinf(p))
            total = d > total || d != d ? d : total;
        else
            total += pow(d, p);
        if (isinf(p) && total != total)
            break;
    }
    return p == 2 ? sqrt(total) : p == 0 || p == 1 || isinf(p) ? total : pow(total, 1 / p);
}

/* A row as float64. */
static void take_row(const tm_tensor *x, int64_t row, double *to)
{
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(x)), n = tm_shape(x)[1];
    const char *from = (const char *)tm_data(x) + (row ? row * tm_strides(x)[0] * item : 0);
    tm_cast(tm_dtype_of(x), TM_FLOAT64)(from, n > 1 ? tm_strides(x)[1] * item : 0, (char *)to,
                                        (int64_t)sizeof(double), n);
}

tm_status tm_cdist_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, double p,
                        tm_tensor *out)
{
    int64_t rows = tm_shape(x1)[0], others = tm_shape(x2)[0], n = tm_shape(x1)[1];
    double *one = tm_workspace(call), *all = one + n;
    int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(out));
    tm_cast_fn store = tm_cast(TM_FLOAT64, tm_dtype_of(out));
    char *to = tm_mutable_data(out);
    const int64_t *strides = tm_strides(out);
    for (int64_t k = 0; k < others; k++)
        take_row(x2, k, all + k * n);
    for (int64_t i = 0; i < rows; i++) {
        take_row(x1, i, one);
        for (int64_t k = 0; k < others; k++) {
            double d = distance(one, all + k * n, n, p);
            int64_t at = (i ? i * strides[0] : 0) + (k ? k * strides[1] : 0);
            store((const char *)&d, 0, to + at * item, 0, 1);
        }
    }
    return TM_OK;
}
