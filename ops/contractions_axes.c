/* contractions_axes.c: tensordot and inner: sums of products over pairs of axes, as one product of
 * two matrices, whose rows and columns are all the axes that are left.
 */
#include "numeric.h"
#include "ops_kernels.h"
#include "shapes.h"

/* The axes that are summed over, in pairs, counted from 0. */
typedef struct pairing {
    int count;
    int64_t axes1[TM_MAX_NDIM], axes2[TM_MAX_NDIM];
} pairing;

/* The axes of x that are not among `axes`, in order. */
static int others(const tm_tensor *x, int count, const int64_t *axes, int64_t *rest)
{
    int n = 0;
    for (int d = 0; d < tm_ndim(x); d++) {
        bool listed = false;
        for (int i = 0; i < count; i++)
            listed = listed || axes[i] == d;
        if (!listed)
            rest[n++] = d;
    }
    return n;
}

/* -- the checks ------------------------------------------------------------------------------- */

static tm_status contraction_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                                  const pairing *p)
{
    tm_status status = TM_OK;
    for (int i = 0; status == TM_OK && i < p->count; i++)
        status = tm_check_same_size(call, "x1", x1, p->axes1[i], "x2", x2, p->axes2[i]);
    if (status == TM_OK)
        status = tm_check_numeric(call, "x1", x1);
    if (status == TM_OK)
        status = tm_check_numeric(call, "x2", x2);
    if (status != TM_OK)
        return status;
    int64_t rest[TM_MAX_NDIM], shape[2 * TM_MAX_NDIM];
    int ndim = 0, rows = others(x1, p->count, p->axes1, rest);
    for (int d = 0; d < rows; d++)
        shape[ndim++] = tm_size(x1, rest[d]);
    int columns = others(x2, p->count, p->axes2, rest);
    for (int d = 0; d < columns; d++)
        shape[ndim++] = tm_size(x2, rest[d]);
    return tm_output(call, 0, tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)), ndim, shape);
}

/* A list of axes of x, each once, counted from 0 in `to`. */
static tm_status check_list(tm_call *call, const char *argument, const tm_tensor *x,
                            tm_int_list axes, int64_t *to)
{
    uint32_t mask;
    tm_status status = tm_check_axes(call, argument, tm_ndim(x), &axes, &mask);
    for (int64_t i = 0; status == TM_OK && i < axes.count; i++)
        to[i] = axes.data[i] < 0 ? axes.data[i] + tm_ndim(x) : axes.data[i];
    return status;
}

static tm_status pair_lists(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                            tm_int_list axes1, tm_int_list axes2, pairing *p)
{
    p->count = 0;
    tm_status status = check_list(call, "axes1", x1, axes1, p->axes1);
    if (status == TM_OK)
        status = check_list(call, "axes2", x2, axes2, p->axes2);
    if (status == TM_OK && axes1.count != axes2.count)
        return tm_fail_arg(call, TM_ERR_DIM, "axes2",
                           "axes2 must be as many axes as axes1, %lld, got %lld",
                           (long long)axes1.count, (long long)axes2.count);
    p->count = (int)axes1.count;
    return status;
}

static tm_status pair_inner(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t n,
                            pairing *p)
{
    int most = tm_ndim(x1) < tm_ndim(x2) ? tm_ndim(x1) : tm_ndim(x2);
    p->count = 0;
    if (n < 0 || n > most)
        return tm_fail_arg(call, TM_ERR_DIM, "n",
                           "n must be in 0..%d for shapes %s and %s, got %lld", most,
                           tm_shape_text(call, x1), tm_shape_text(call, x2), (long long)n);
    p->count = (int)n;
    for (int i = 0; i < p->count; i++) {
        p->axes1[i] = tm_ndim(x1) - p->count + i;
        p->axes2[i] = i;
    }
    return TM_OK;
}

static pairing pair_last(const tm_tensor *x1, const tm_tensor *x2)
{
    pairing p = {.count = tm_ndim(x1) > 0 && tm_ndim(x2) > 0};
    p.axes1[0] = tm_ndim(x1) - 1;
    p.axes2[0] = tm_ndim(x2) - 1;
    return p;
}

/* -- the product ------------------------------------------------------------------------------ */

/* x with its axes in two groups, as a matrix; how many elements the groups have. */
static const tm_tensor *as_matrix(const tm_tensor *x, int rows, const int64_t *row_axes,
                                  int columns, const int64_t *column_axes, int64_t size[2])
{
    int64_t axes[TM_MAX_NDIM];
    size[0] = size[1] = 1;
    for (int d = 0; d < rows; d++) {
        axes[d] = row_axes[d];
        size[0] *= tm_size(x, axes[d]);
    }
    for (int d = 0; d < columns; d++) {
        axes[rows + d] = column_axes[d];
        size[1] *= tm_size(x, axes[rows + d]);
    }
    const tm_tensor *permuted = tm_permute_dims(x, (tm_int_list){axes, rows + columns});
    return tm_reshape(permuted, (tm_int_list){size, 2});
}

static tm_status contract(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, const pairing *p,
                          tm_tensor **out)
{
    int64_t rest1[TM_MAX_NDIM], rest2[TM_MAX_NDIM], size1[2], size2[2];
    int rows = others(x1, p->count, p->axes1, rest1);
    int columns = others(x2, p->count, p->axes2, rest2);
    const tm_tensor *a = as_matrix(x1, rows, rest1, p->count, p->axes1, size1);
    const tm_tensor *b = as_matrix(x2, p->count, p->axes2, columns, rest2, size2);
    const tm_spec *spec = tm_output_spec(call, 0);
    *out = tm_reshape(tm_matmul(a, b), (tm_int_list){spec->shape, spec->ndim});
    return *out ? TM_OK : tm_error_code();
}

tm_status tm_tensordot_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                            tm_int_list axes1, tm_int_list axes2)
{
    pairing p;
    tm_status status = pair_lists(call, x1, x2, axes1, axes2, &p);
    return status == TM_OK ? contraction_meta(call, x1, x2, &p) : status;
}

tm_status tm_tensordot_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                            tm_int_list axes1, tm_int_list axes2, tm_tensor **out)
{
    pairing p;
    tm_status status = pair_lists(call, x1, x2, axes1, axes2, &p);
    return status == TM_OK ? contract(call, x1, x2, &p, out) : status;
}

tm_status tm_tensordot_n_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t n)
{
    pairing p;
    tm_status status = pair_inner(call, x1, x2, n, &p);
    return status == TM_OK ? contraction_meta(call, x1, x2, &p) : status;
}

tm_status tm_tensordot_n_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int64_t n,
                              tm_tensor **out)
{
    pairing p;
    tm_status status = pair_inner(call, x1, x2, n, &p);
    return status == TM_OK ? contract(call, x1, x2, &p, out) : status;
}

tm_status tm_inner_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    pairing p = pair_last(x1, x2);
    return contraction_meta(call, x1, x2, &p);
}

tm_status tm_inner_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor **out)
{
    pairing p = pair_last(x1, x2);
    return contract(call, x1, x2, &p, out);
}
