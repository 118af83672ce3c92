/* contractions.c: matrix products of exact rank, and those that are added to something: composites
 * of matmul.
 *
 * The checks are complete, so the ops inside cannot fail but for lack of memory.
 */
#include "numeric.h"
#include "ops_kernels.h"
#include "scalars.h"
#include "shapes.h"

/* A factor pair, and the shape of its product. */
typedef struct pair {
    const char *a_name, *b_name;
    const tm_tensor *a, *b;
    int ndim;
    int64_t shape[3];
} pair;

/* a has `a_ndim` dimensions, b `b_ndim`: 2 and 1, 2 and 2, or 3 and 3. */
static tm_status check_pair(tm_call *call, pair *p, int a_ndim, int b_ndim)
{
    tm_status status = tm_check_ndim(call, p->a_name, p->a, a_ndim);
    if (status == TM_OK)
        status = tm_check_ndim(call, p->b_name, p->b, b_ndim);
    if (status == TM_OK && a_ndim == 3)
        status = tm_check_same_size(call, p->a_name, p->a, 0, p->b_name, p->b, 0);
    if (status == TM_OK)
        status = tm_check_same_size(call, p->a_name, p->a, a_ndim - 1, p->b_name, p->b,
                                    b_ndim > 1 ? b_ndim - 2 : 0);
    if (status == TM_OK)
        status = tm_check_numeric(call, p->a_name, p->a);
    if (status == TM_OK)
        status = tm_check_numeric(call, p->b_name, p->b);
    if (status != TM_OK)
        return status;
    p->ndim = 0;
    for (int d = 0; d < a_ndim - 1; d++)
        p->shape[p->ndim++] = tm_size(p->a, d);
    if (b_ndim > 1)
        p->shape[p->ndim++] = tm_size(p->b, b_ndim - 1);
    return TM_OK;
}

static tm_status product_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, int x1_ndim,
                              int x2_ndim)
{
    pair p = {.a_name = "x1", .b_name = "x2", .a = x1, .b = x2};
    tm_status status = check_pair(call, &p, x1_ndim, x2_ndim);
    if (status != TM_OK)
        return status;
    return tm_output(call, 0, tm_promote(tm_dtype_of(x1), tm_dtype_of(x2)), p.ndim, p.shape);
}

#define PRODUCT(name, x1_ndim, x2_ndim)                                                            \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)            \
    {                                                                                              \
        return product_meta(call, x1, x2, x1_ndim, x2_ndim);                                       \
    }                                                                                              \
    tm_status tm_##name##_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,            \
                               tm_tensor **out)                                                    \
    {                                                                                              \
        (void)call;                                                                                \
        *out = tm_matmul(x1, x2);                                                                  \
        return *out ? TM_OK : tm_error_code();                                                     \
    }

PRODUCT(mv, 2, 1)
PRODUCT(mm, 2, 2)
PRODUCT(bmm, 3, 3)

/* -- added to something ----------------------------------------------------------------------- */

/* x broadcasts to the product's shape, which stays as it is. */
static tm_status check_addend(tm_call *call, const tm_tensor *x, const pair *p)
{
    bool fits = tm_ndim(x) <= p->ndim;
    for (int d = 1; fits && d <= tm_ndim(x); d++)
        fits = tm_size(x, -d) == 1 || tm_size(x, -d) == p->shape[p->ndim - d];
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "x",
                           "x must broadcast to the product's shape %s, got shape %s",
                           tm_sizes_text(call, p->ndim, p->shape), tm_shape_text(call, x));
    return tm_check_numeric(call, "x", x);
}

static tm_status sum_meta(tm_call *call, const tm_tensor *x, const tm_tensor *a, const tm_tensor *b,
                          tm_scalar beta, tm_scalar alpha, int a_ndim, int b_ndim)
{
    pair p = {.a_name = "a", .b_name = "b", .a = a, .b = b};
    tm_status status = check_pair(call, &p, a_ndim, b_ndim);
    if (status == TM_OK)
        status = check_addend(call, x, &p);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_promote(tm_promote(tm_dtype_of(a), tm_dtype_of(b)), tm_dtype_of(x));
    dtype = tm_promote_scalar(tm_promote_scalar(dtype, beta.kind), alpha.kind);
    status = tm_check_scalar(call, "beta", beta, dtype);
    if (status == TM_OK)
        status = tm_check_scalar(call, "alpha", alpha, dtype);
    return status == TM_OK ? tm_output(call, 0, dtype, p.ndim, p.shape) : status;
}

static const tm_tensor *converted(const tm_tensor *x, tm_dtype dtype)
{
    return tm_dtype_of(x) != dtype ? tm_astype(x, dtype) : x;
}

static bool is_number(tm_scalar scalar, double number)
{
    return tm_scalar_as_float(scalar) == number &&
           (scalar.kind != TM_KIND_COMPLEX || scalar.value.c.im == 0);
}

/* In the result's dtype from the start; 16-bit floats in float32, so that they are rounded once. */
static tm_status sum_impl(tm_call *call, const tm_tensor *x, const tm_tensor *a, const tm_tensor *b,
                          tm_scalar beta, tm_scalar alpha, tm_tensor **out)
{
    tm_dtype dtype = tm_output_spec(call, 0)->dtype, wide = tm_computed_in(dtype);
    tm_tensor *sum = tm_matmul(converted(a, wide), converted(b, wide));
    if (!is_number(alpha, 1))
        sum = tm_mul_scalar(sum, alpha);
    if (!is_number(beta, 0)) {
        const tm_tensor *addend = converted(x, wide);
        sum = tm_add(is_number(beta, 1) ? addend : tm_mul_scalar(addend, beta), sum);
    }
    *out = wide == dtype ? sum : tm_astype(sum, dtype);
    return *out ? TM_OK : tm_error_code();
}

#define SUM(name, a_ndim, b_ndim)                                                                  \
    tm_status tm_##name##_meta(tm_call *call, const tm_tensor *x, const tm_tensor *a,              \
                               const tm_tensor *b, tm_scalar beta, tm_scalar alpha)                \
    {                                                                                              \
        return sum_meta(call, x, a, b, beta, alpha, a_ndim, b_ndim);                               \
    }                                                                                              \
    tm_status tm_##name##_impl(tm_call *call, const tm_tensor *x, const tm_tensor *a,              \
                               const tm_tensor *b, tm_scalar beta, tm_scalar alpha,                \
                               tm_tensor **out)                                                    \
    {                                                                                              \
        return sum_impl(call, x, a, b, beta, alpha, out);                                          \
    }

SUM(addmv, 2, 1)
SUM(addmm, 2, 2)
SUM(baddbmm, 3, 3)
