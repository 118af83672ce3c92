/* products.c: matmul: its checks, and the kernel for one pair of matrices.
 *
 * The signature has checked ranks and sizes; an absent dimension (a vector's) is of size 1 here. A
 * factor of another dtype than the result's, or with steps that BLAS cannot follow, is copied into
 * the workspace first. 16-bit floats are: so they are converted to float32, and the product back.
 */
#include "products.h"

#include "blas.h"
#include "dispatch/cast.h"
#include "dispatch/fields.h"
#include "numeric.h"
#include "ops_kernels.h"
#include "simd.h"

/* A step along an axis: of one element there is none, and its stride may be any number. */
static int64_t step_along(int64_t size, int64_t stride)
{
    return size > 1 ? stride : 1;
}

/* A factor as the kernel will see it: a vector of length n is a matrix of one row, or column. */
static inline tm_factor factor_of(const tm_fields *x, bool is_column)
{
    const int64_t *strides = x->strides;
    const int ndim = x->ndim;
    tm_factor f = {.dtype = x->dtype, .row = 1, .column = 1};
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

/* As tm_dtype_kind of a numeric dtype, without a call. */
static inline tm_kind kind_of(tm_dtype dtype)
{
    return dtype < TM_FLOAT16     ? TM_KIND_INT
           : dtype < TM_COMPLEX64 ? TM_KIND_FLOAT
                                  : TM_KIND_COMPLEX;
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
static inline size_t copy_bytes(const tm_factor *f, tm_dtype dtype, int64_t rows, int64_t columns)
{
    bool for_blas = kind_of(dtype) != TM_KIND_INT;
    if (f->dtype == dtype && (!for_blas || tm_blas_fits(rows, columns, f->row, f->column)))
        return 0;
    return matrix_bytes(dtype, rows, columns);
}

enum { FEW = 16 /* of n and p: never for BLAS */ };

/* Whether BLAS does better: it packs, and fuses, so with vectors as wide as ours it does soon. */
static inline bool is_large(tm_dtype dtype, int64_t n, int64_t p)
{
#ifdef TM_HAVE_LAPACK
    const tm_kind kind = kind_of(dtype);
    if (kind == TM_KIND_INT || (n <= FEW && p <= FEW))
        return false;
    const tm_simd level = tm_simd_level();
    int64_t most = FEW, deep = FEW;
    if (kind == TM_KIND_FLOAT && level == TM_SIMD_AVX512 && !tm_blas_has_avx512()) {
        most = 768;
        deep = 64;
    } else if (kind == TM_KIND_FLOAT && level >= TM_SIMD_AVX2) {
        most = 32;
    } else if (kind == TM_KIND_COMPLEX) {
        return n > most || p > most;
    }
    return n > most || (p > most && n > deep);
#else
    (void)dtype, (void)n, (void)p;
    return false;
#endif
}

/* Whether tiles cannot have B copied on the stack. */
static inline bool is_long(tm_dtype dtype, int64_t m, int64_t n, int64_t p)
{
    return p > 1 && (n > FEW || p > FEW) && !tm_tile_packs((int64_t)tm_dtype_size(dtype), m, n, p);
}

bool tm_product_for_blas(const tm_product *q)
{
    return is_large(q->dtype, q->n, q->p) ||
           (kind_of(q->dtype) == TM_KIND_FLOAT && q->b.column != 1 &&
            is_long(q->dtype, q->m, q->n, q->p));
}

/* The bytes of a copy of C, where BLAS may compute it and C may lie as BLAS cannot write it, or its
 * dtype is another. */
static inline size_t room_bytes(tm_dtype dtype, tm_dtype c_dtype, int64_t m, int64_t n, int64_t p)
{
    bool for_blas =
        kind_of(dtype) != TM_KIND_INT && (is_large(dtype, n, p) || is_long(dtype, m, n, p));
    return dtype != c_dtype || for_blas ? matrix_bytes(dtype, m, p) : 0;
}

tm_status tm_matmul_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    tm_status status = tm_check_numeric(call, "x1", x1);
    if (status == TM_OK)
        status = tm_check_numeric(call, "x2", x2);
    if (status != TM_OK)
        return status;
    tm_fields f1, f2;
    tm_fields_of(x1, &f1);
    tm_fields_of(x2, &f2);
    const tm_dtype c_dtype = tm_output_spec(call, 0)->dtype, dtype = tm_computed_in(c_dtype);
    const int64_t m = f1.ndim < 2 ? 1 : f1.shape[f1.ndim - 2], n = f1.shape[f1.ndim - 1];
    const int64_t p = f2.ndim < 2 ? 1 : f2.shape[f2.ndim - 1];
    const tm_factor a = factor_of(&f1, false), b = factor_of(&f2, true);
    size_t bytes = copy_bytes(&a, dtype, m, n) + copy_bytes(&b, dtype, n, p) +
                   room_bytes(dtype, c_dtype, m, n, p);
    if (bytes)
        tm_need_workspace(call, bytes);
    return TM_OK;
}

/* In place: a struct that is returned is copied in pieces wider than those it was written in, for
 * which the processor waits. */
void tm_product_of(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, tm_tensor *out,
                   tm_product *q)
{
    tm_fields a, b, c;
    tm_fields_of(x1, &a);
    tm_fields_of(x2, &b);
    tm_fields_of(out, &c);
    const int64_t m = a.shape[0], n = a.shape[1], p = b.shape[1];
    const tm_dtype c_dtype = c.dtype, dtype = tm_computed_in(c_dtype);
    q->dtype = dtype;
    q->c_dtype = c_dtype;
    q->m = m;
    q->n = n;
    q->p = p;
    q->a.data = a.data;
    q->a.dtype = a.dtype;
    q->a.row = step_along(m, a.strides[0]);
    q->a.column = step_along(n, a.strides[1]);
    q->b.data = b.data;
    q->b.dtype = b.dtype;
    q->b.row = step_along(n, b.strides[0]);
    q->b.column = step_along(p, b.strides[1]);
    q->c = c.data;
    q->c_row = step_along(m, c.strides[0]);
    q->c_column = step_along(p, c.strides[1]);
    if (m == 0 || n == 0 || p == 0) /* a matrix without elements has any strides */
        q->a.row = q->a.column = q->b.row = q->b.column = 0;
    /* A factor may lie better here than it did for meta (an overlap copy), never worse. */
    const size_t a_bytes = copy_bytes(&q->a, dtype, m, n), b_bytes = copy_bytes(&q->b, dtype, n, p);
    q->a.copy = a_bytes ? tm_workspace(call) : NULL;
    q->b.copy = b_bytes ? (char *)tm_workspace(call) + a_bytes : NULL;
    q->c_wide = NULL;
    if (room_bytes(dtype, c_dtype, m, n, p) &&
        (c_dtype != dtype || !tm_blas_by_rows(m, p, q->c_row, q->c_column)))
        q->c_wide = (char *)tm_workspace(call) + a_bytes + b_bytes;
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
    tm_product q;
    tm_product_of(call, x1, x2, out, &q);
    tm_product_run(&q);
    return TM_OK;
}
