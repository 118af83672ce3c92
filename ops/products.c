/* products.c: matmul: its checks, and the kernel for one pair of matrices.
 *
 * The signature has checked ranks and sizes; an absent dimension (a vector's) is of size 1 here. A
 * factor of another dtype than the result's, or with steps that BLAS cannot follow, is copied into
 * the workspace first. 16-bit floats are: so they are converted to float32, and the product back.
 */
#include "products.h"

#include "dispatch/cast.h"
#include "numeric.h"
#include "ops_kernels.h"
#include "simd.h"

/* A step along an axis: of one element there is none, and its stride may be any number. */
static int64_t step_along(int64_t size, int64_t stride)
{
    return size > 1 ? stride : 1;
}

/* A factor as the kernel will see it: a vector of length n is a matrix of one row, or column. */
static tm_factor factor_of(const tm_tensor *x, bool is_column)
{
    const int64_t *strides = tm_strides(x);
    int ndim = tm_ndim(x);
    tm_factor f = {.dtype = tm_dtype_of(x), .row = 1, .column = 1};
    if (ndim >= 2) {
        f.row = strides[ndim - 2];
        f.column = strides[ndim - 1];
    } else if (is_column) {
        f.row = strides[0];
    } else {
        f.column = strides[0];
    }
    return f;
}

/* The bytes of workspace that a matrix takes, in whole cache lines. */
static size_t matrix_bytes(tm_dtype dtype, int64_t rows, int64_t columns)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)rows, (size_t)columns, &bytes) ||
        __builtin_mul_overflow(bytes, tm_dtype_size(dtype), &bytes) || bytes > SIZE_MAX / 8)
        return SIZE_MAX / 8; /* more than there is: the allocation will say so */
    return (bytes + 63) / 64 * 64;
}

/* The bytes that a factor's copy takes; 0: it needs none. */
static size_t copy_bytes(const tm_factor *f, tm_dtype dtype, int64_t rows, int64_t columns)
{
    bool for_blas = tm_dtype_kind(dtype) != TM_KIND_INT;
    if (f->dtype == dtype && (!for_blas || tm_blas_fits(rows, columns, f->row, f->column)))
        return 0;
    return matrix_bytes(dtype, rows, columns);
}

/* Whether BLAS does better: it packs, and fuses, so on wide vectors it does later. */
static bool is_large(tm_dtype dtype, int64_t n, int64_t p)
{
#ifdef TM_HAVE_LAPACK
    if (tm_dtype_kind(dtype) == TM_KIND_INT)
        return false;
    const tm_simd level = tm_simd_level();
    int64_t most = 16, deep = 16;
    if (tm_dtype_kind(dtype) == TM_KIND_FLOAT && level == TM_SIMD_AVX512) {
        most = 768;
        deep = 64;
    } else if (tm_dtype_kind(dtype) == TM_KIND_FLOAT && level == TM_SIMD_AVX2) {
        most = 32;
    } else if (tm_dtype_kind(dtype) == TM_KIND_COMPLEX) {
        return n > most || p > most;
    }
    return n > most || (p > most && n > deep);
#else
    (void)dtype, (void)n, (void)p;
    return false;
#endif
}

/* Whether tiles cannot have B copied on the stack. */
static bool is_long(tm_dtype dtype, int64_t n, int64_t p)
{
    return p > 1 && n > TM_TILE_PACKED / (int64_t)tm_dtype_size(dtype) / p;
}

bool tm_product_for_blas(const tm_product *q)
{
    return is_large(q->dtype, q->n, q->p) || (tm_dtype_kind(q->dtype) == TM_KIND_FLOAT &&
                                              q->b.column != 1 && is_long(q->dtype, q->n, q->p));
}

/* The bytes of a copy of C, where BLAS may compute it and C may lie as BLAS cannot write it, or its
 * dtype is another. */
static size_t room_bytes(tm_dtype dtype, tm_dtype c_dtype, int64_t m, int64_t n, int64_t p)
{
    bool for_blas =
        tm_dtype_kind(dtype) != TM_KIND_INT && (is_large(dtype, n, p) || is_long(dtype, n, p));
    return dtype != c_dtype || for_blas ? matrix_bytes(dtype, m, p) : 0;
}

tm_status tm_matmul_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = tm_check_numeric(call, "x1", x1);
    if (status == TM_OK)
        status = tm_check_numeric(call, "x2", x2);
    if (status != TM_OK)
        return status;
    tm_dtype c_dtype = tm_output_spec(call, 0)->dtype, dtype = tm_computed_in(c_dtype);
    int64_t m = tm_ndim(x1) < 2 ? 1 : tm_size(x1, -2), n = tm_size(x1, -1);
    int64_t p = tm_ndim(x2) < 2 ? 1 : tm_size(x2, -1);
    tm_factor a = factor_of(x1, false), b = factor_of(x2, true);
    size_t bytes = copy_bytes(&a, dtype, m, n) + copy_bytes(&b, dtype, n, p) +
                   room_bytes(dtype, c_dtype, m, n, p);
    if (bytes)
        tm_need_workspace(call, bytes);
    return TM_OK;
}

tm_product tm_product_of(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor *out)
{
    const int64_t *a_shape = tm_shape(x1), *a = tm_strides(x1), *b = tm_strides(x2),
                  *c = tm_strides(out);
    int64_t m = a_shape[0], n = a_shape[1], p = tm_shape(x2)[1];
    tm_product q = {
        .dtype = tm_computed_in(tm_dtype_of(out)),
        .c_dtype = tm_dtype_of(out),
        .m = m,
        .n = n,
        .p = p,
        .a = {tm_data(x1), tm_dtype_of(x1), step_along(m, a[0]), step_along(n, a[1]), NULL},
        .b = {tm_data(x2), tm_dtype_of(x2), step_along(n, b[0]), step_along(p, b[1]), NULL},
        .c = tm_mutable_data(out),
        .c_row = step_along(m, c[0]),
        .c_column = step_along(p, c[1])};
    if (m == 0 || n == 0 || p == 0) /* a matrix without elements has any strides */
        q.a.row = q.a.column = q.b.row = q.b.column = 0;
    /* A factor may lie better here than it did for meta (an overlap copy), never worse. */
    size_t a_bytes = copy_bytes(&q.a, q.dtype, q.m, q.n);
    size_t b_bytes = copy_bytes(&q.b, q.dtype, q.n, q.p);
    if (a_bytes)
        q.a.copy = tm_workspace(call);
    if (b_bytes)
        q.b.copy = (char *)tm_workspace(call) + a_bytes;
    if (room_bytes(q.dtype, q.c_dtype, m, n, p) &&
        (q.c_dtype != q.dtype || !tm_blas_by_rows(m, p, q.c_row, q.c_column)))
        q.c_wide = (char *)tm_workspace(call) + a_bytes + b_bytes;
    return q;
}

/* A matrix of `dtype` at `base`, as one side of a copy; steps in elements. */
static tm_copy_side side_of(const char *base, tm_dtype dtype, int64_t row, int64_t column)
{
    int64_t item = (int64_t)tm_dtype_size(dtype);
    return (tm_copy_side){
        .base = (char *)(uintptr_t)base, .dtype = dtype, .step = {row * item, column * item}};
}

void tm_factor_prepare(tm_factor *f, tm_dtype dtype, int64_t rows, int64_t columns)
{
    if (!f->copy)
        return;
    tm_copy_side from = side_of(f->data, f->dtype, f->row, f->column);
    tm_copy_side to = side_of(f->copy, dtype, columns, 1);
    tm_copy(2, (int64_t[]){rows, columns}, &to, &from);
    *f = (tm_factor){.data = f->copy, .dtype = dtype, .row = columns, .column = 1};
}

bool tm_product_direct(const tm_product *q, const tm_products *all)
{
    if (q->dtype != TM_FLOAT32 && q->dtype != TM_FLOAT64)
        return false;
    if (tm_product_square(q, all) || tm_product_rows(q, all))
        return true;
    const tm_product t = tm_product_transposed(q);
    const tm_products mirrored = {all->count, all->b_step, all->a_step, all->c_step, all->bytes};
    return tm_product_rows(&t, &mirrored) ||
           (!tm_product_for_blas(q) &&
            (tm_product_tiles(q, all) || tm_product_tiles(&t, &mirrored)));
}

void tm_product_run(const tm_product *q)
{
    static const tm_products one = {.count = 1};
    if (q->m == 0 || q->p == 0 || tm_product_direct(q, &one))
        return;
    if (tm_product_is_uniform(q) && tm_dtype_kind(q->dtype) == TM_KIND_FLOAT &&
        !tm_product_for_blas(q)) {
        tm_product_plain(q); /* a copy might be summed in another order */
        return;
    }
    tm_product r = *q;
    tm_factor_prepare(&r.a, r.dtype, r.m, r.n);
    tm_factor_prepare(&r.b, r.dtype, r.n, r.p);
    if (q->c_wide) {
        r.c_dtype = r.dtype;
        r.c = r.c_wide;
        r.c_row = r.p;
        r.c_column = 1;
    }
    if (!tm_product_direct(&r, &one) && !(tm_product_for_blas(&r) && tm_product_blas(&r)))
        tm_product_plain(&r);
    if (q->c_wide) {
        tm_copy_side from = side_of(r.c, r.c_dtype, r.c_row, r.c_column);
        tm_copy_side to = side_of(q->c, q->c_dtype, q->c_row, q->c_column);
        tm_copy(2, (int64_t[]){q->m, q->p}, &to, &from);
    }
}

tm_status tm_matmul_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor *out)
{
    tm_product q = tm_product_of(call, x1, x2, out);
    tm_product_run(&q);
    return TM_OK;
}
