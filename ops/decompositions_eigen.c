/* decompositions_eigen.c: eigenvalues and eigenvectors: of symmetric and Hermitian matrices by
 * divide and conquer, of others by the QR algorithm. */
#include <string.h>

#include "complex_numbers.h"
#include "decompositions_small.h"
#include "lapack.h"
#include "ops_kernels.h"

static tm_status fail_to_converge(tm_call *call)
{
    return tm_fail_arg(call, TM_ERR_NUMERIC, "x", "the eigenvalues of x do not converge");
}

/* -- Symmetric and Hermitian --------------------------------------------------------------------
 */

typedef struct symmetric {
    void *a, *values, *work, *real_work;
    lapack_int *int_work;
    int64_t work_size, real_size, int_size;
} symmetric;

/* The sizes are those of LAPACK's documentation, for vectors, and a column's blocks besides. */
static symmetric carve_symmetric(tm_carver *w, tm_dtype dtype, int64_t n, bool vectors)
{
    tm_dtype real = tm_real_dtype(dtype);
    int64_t squares = vectors ? 2 * n * n : 0;
    symmetric s = {.work_size = 1 + (6 + TM_LAPACK_BLOCK) * n + squares,
                   .real_size = tm_is_complex(dtype) ? 1 + 5 * n + squares : 0,
                   .int_size = 3 + 5 * n};
    s.a = tm_carve_matrix(w, dtype, n, n);
    s.values = tm_carve_matrix(w, real, n, 1);
    s.work = tm_carve_matrix(w, dtype, s.work_size, 1);
    s.real_work = tm_carve_matrix(w, real, s.real_size, 1);
    s.int_work = tm_carve(w, s.int_size, 1, sizeof(lapack_int));
    return s;
}

/* The workspace, whose part for LAPACK has `work_size` elements, and the eigenvalues. */
static tm_status values_meta(tm_call *call, const tm_tensor *x, const tm_carver *w,
                             int64_t work_size, tm_dtype dtype)
{
    tm_status status = tm_check_lapack_size(call, "x", x, work_size);
    if (status != TM_OK)
        return status;
    tm_need_workspace(call, w->used);
    return tm_output(call, 0, dtype, tm_ndim(x) - 1, tm_shape(x));
}

static tm_status symmetric_meta(tm_call *call, const tm_tensor *x, bool vectors)
{
    tm_status status = tm_check_square(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    symmetric s = carve_symmetric(&w, tm_dtype_of(x), tm_size(x, -1), vectors);
    return values_meta(call, x, &w, s.work_size, tm_real_dtype(tm_dtype_of(x)));
}

/* By rotations, of the triangle in s->a, where it is small. False where that is no answer. */
static bool symmetric_small(tm_dtype dtype, int64_t n, bool upper, bool vectors, symmetric *s)
{
    if (!tm_is_small_for(TM_SMALL_EIGH, dtype, n, n))
        return false;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j + 1; i < n; i++) {
            int64_t low = j * n + i, high = i * n + j;
            double value = tm_real_entry(dtype, s->a, upper ? high : low);
            tm_set_real_entry(dtype, s->a, upper ? low : high, value);
        }
    if (!tm_eigh_small(dtype, n, s->a, s->values, vectors ? s->work : NULL))
        return false;
    if (vectors)
        memcpy(s->a, s->work, (size_t)(n * n) * tm_dtype_size(dtype));
    return true;
}

/* x's triangle into s->a. The other one is cleared: what stands there must not count, were it NaN.
 */
static tm_status load_triangle(tm_call *call, const tm_tensor *x, bool upper, const symmetric *s)
{
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0];
    tm_load_matrix(x, dtype, s->a);
    tm_clear_triangle(dtype, s->a, n, n, !upper);
    return tm_check_finite_buffer(call, "x", dtype, s->a, n * n);
}

static tm_status symmetric_impl(tm_call *call, const tm_tensor *x, bool upper, bool vectors,
                                tm_tensor *eigenvalues, symmetric *s)
{
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0];
    tm_carver w = {.base = tm_workspace(call)};
    *s = carve_symmetric(&w, dtype, n, vectors);
    tm_status status = load_triangle(call, x, upper, s);
    if (status != TM_OK)
        return status;
    if (symmetric_small(dtype, n, upper, vectors, s)) {
        tm_store_vector(eigenvalues, s->values);
        return TM_OK;
    }
    status = tm_check_lapack(call);
    if (status == TM_OK)
        status = load_triangle(call, x, upper, s);
    if (status != TM_OK)
        return status;
    char job = vectors ? 'V' : 'N', triangle = upper ? 'U' : 'L';
    lapack_int size = (lapack_int)n, work = (lapack_int)s->work_size;
    lapack_int real_work = (lapack_int)s->real_size, int_work = (lapack_int)s->int_size, info;
    if (tm_is_complex(dtype))
        info = TM_LAPACK_COMPLEX(dtype, heevd, job, triangle, size, s->a, tm_lead(n), s->values,
                                 s->work, work, s->real_work, real_work, s->int_work, int_work);
    else
        info = TM_LAPACK_REAL(dtype, syevd, job, triangle, size, s->a, tm_lead(n), s->values,
                              s->work, work, s->int_work, int_work);
    if (info)
        return fail_to_converge(call);
    tm_store_vector(eigenvalues, s->values);
    return TM_OK;
}

tm_status tm_eigh_meta(tm_call *call, const tm_tensor *x, bool upper)
{
    (void)upper;
    tm_status status = symmetric_meta(call, x, true);
    return status == TM_OK ? tm_output_like(call, 1, x) : status;
}

tm_status tm_eigh_impl(tm_call *call, const tm_tensor *x, bool upper, tm_tensor *eigenvalues,
                       tm_tensor *eigenvectors)
{
    symmetric s;
    tm_status status = symmetric_impl(call, x, upper, true, eigenvalues, &s);
    if (status == TM_OK)
        tm_store_matrix(eigenvectors, s.a, tm_shape(x)[0]);
    return status;
}

tm_status tm_eigvalsh_meta(tm_call *call, const tm_tensor *x, bool upper)
{
    (void)upper;
    return symmetric_meta(call, x, false);
}

tm_status tm_eigvalsh_impl(tm_call *call, const tm_tensor *x, bool upper, tm_tensor *out)
{
    symmetric s;
    return symmetric_impl(call, x, upper, false, out, &s);
}

/* -- General ------------------------------------------------------------------------------------
 */

/* values and vectors are complex. LAPACK gives those of a real matrix in real numbers: the real and
 * the imaginary parts of the values, and `packed`, where a conjugate pair of vectors has two
 * columns for its real and its imaginary part. */
typedef struct general {
    void *a, *values, *vectors, *work, *real_work;
    void *real_parts, *imaginary_parts, *packed;
    int64_t work_size;
} general;

static general carve_general(tm_carver *w, tm_dtype dtype, int64_t n, bool vectors)
{
    tm_dtype wide = tm_complex_dtype(dtype);
    int64_t columns = vectors ? n : 0;
    general g = {.work_size = 1 + (4 + 2 * TM_LAPACK_BLOCK) * n};
    g.a = tm_carve_matrix(w, dtype, n, n);
    g.values = tm_carve_matrix(w, wide, n, 1);
    g.vectors = tm_carve_matrix(w, wide, n, columns);
    g.work = tm_carve_matrix(w, dtype, g.work_size, 1);
    if (tm_is_complex(dtype)) {
        g.real_work = tm_carve_matrix(w, tm_real_dtype(dtype), n, 2);
    } else {
        g.real_parts = tm_carve_matrix(w, dtype, n, 1);
        g.imaginary_parts = tm_carve_matrix(w, dtype, n, 1);
        g.packed = tm_carve_matrix(w, dtype, n, columns);
    }
    return g;
}

static tm_status general_meta(tm_call *call, const tm_tensor *x, bool vectors)
{
    tm_status status = tm_check_square(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    general g = carve_general(&w, tm_dtype_of(x), tm_size(x, -1), vectors);
    return values_meta(call, x, &w, g.work_size, tm_complex_dtype(tm_dtype_of(x)));
}

/* From LAPACK's real numbers to complex ones. */
static void unpack(const general *g, tm_dtype dtype, int64_t n, bool vectors)
{
    tm_dtype wide = tm_complex_dtype(dtype);
    for (int64_t j = 0; j < n; j++) {
        double imaginary = tm_real_entry(dtype, g->imaginary_parts, j);
        tm_set_entry(wide, g->values, j,
                     tm_make_complex128(tm_real_entry(dtype, g->real_parts, j), imaginary));
        /* The first of a pair has the positive imaginary part; the second is its conjugate. */
        int64_t re = imaginary < 0 ? j - 1 : j, im = imaginary > 0 ? j + 1 : j;
        for (int64_t i = 0; i < n && vectors; i++) {
            double a = tm_real_entry(dtype, g->packed, re * n + i);
            double b = imaginary == 0 ? 0 : tm_real_entry(dtype, g->packed, im * n + i);
            tm_set_entry(wide, g->vectors, j * n + i,
                         tm_make_complex128(a, imaginary < 0 ? -b : b));
        }
    }
}

static tm_status general_impl(tm_call *call, const tm_tensor *x, bool vectors,
                              tm_tensor *eigenvalues, general *g)
{
    tm_status status = tm_check_lapack(call);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0];
    tm_carver w = {.base = tm_workspace(call)};
    *g = carve_general(&w, dtype, n, vectors);
    status = tm_load_finite_matrix(call, "x", x, dtype, g->a);
    if (status != TM_OK)
        return status;
    char job = vectors ? 'V' : 'N';
    lapack_int size = (lapack_int)n, lead = tm_lead(n), work = (lapack_int)g->work_size, info;
    void *none = NULL; /* left eigenvectors */
    if (tm_is_complex(dtype)) {
        info = TM_LAPACK_COMPLEX(dtype, geev, 'N', job, size, g->a, lead, g->values, none, 1,
                                 g->vectors, lead, g->work, work, g->real_work);
    } else {
        info = TM_LAPACK_REAL(dtype, geev, 'N', job, size, g->a, lead, g->real_parts,
                              g->imaginary_parts, none, 1, g->packed, lead, g->work, work);
        if (info == 0)
            unpack(g, dtype, n, vectors);
    }
    if (info)
        return fail_to_converge(call);
    tm_store_vector(eigenvalues, g->values);
    return TM_OK;
}

tm_status tm_eig_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = general_meta(call, x, true);
    return status == TM_OK
               ? tm_output(call, 1, tm_complex_dtype(tm_dtype_of(x)), tm_ndim(x), tm_shape(x))
               : status;
}

tm_status tm_eig_impl(tm_call *call, const tm_tensor *x, tm_tensor *eigenvalues,
                      tm_tensor *eigenvectors)
{
    general g;
    tm_status status = general_impl(call, x, true, eigenvalues, &g);
    if (status == TM_OK)
        tm_store_matrix(eigenvectors, g.vectors, tm_shape(x)[0]);
    return status;
}

tm_status tm_eigvals_meta(tm_call *call, const tm_tensor *x)
{
    return general_meta(call, x, false);
}

tm_status tm_eigvals_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    general g;
    return general_impl(call, x, false, out, &g);
}
