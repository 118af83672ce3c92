/* matrix_functions.c: powers and the exponential: products of a matrix with itself, and one system.
 */
#include <math.h>
#include <string.h>

#include "lapack.h"
#include "ops_kernels.h"

/* -- matrix_power -------------------------------------------------------------------------------
 */

/* The base, the result, and what the next product of either goes to. */
typedef struct power_parts {
    void *base, *result, *spare;
    lapack_int *pivots;
} power_parts;

static power_parts carve_power(tm_carver *w, tm_dtype dtype, int64_t n)
{
    return (power_parts){.base = tm_carve_matrix(w, dtype, n, n),
                         .result = tm_carve_matrix(w, dtype, n, n),
                         .spare = tm_carve_matrix(w, dtype, n, n),
                         .pivots = tm_carve(w, n, 1, sizeof(lapack_int))};
}

tm_status tm_matrix_power_meta(tm_call *call, const tm_tensor *x, int64_t n)
{
    (void)n;
    tm_status status = tm_check_square(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    carve_power(&w, tm_dtype_of(x), tm_size(x, -1));
    tm_need_workspace(call, w.used);
    return tm_output_like(call, 0, x);
}

/* a^-1 b in place of b; a is destroyed. */
static tm_status divide(tm_call *call, tm_dtype dtype, int64_t size, void *a, void *b,
                        lapack_int *pivots)
{
    lapack_int n = (lapack_int)size, lead = tm_lead(size);
    lapack_int zero = TM_LAPACK(dtype, gesv, n, n, a, lead, pivots, b, lead);
    return zero ? tm_fail_singular(call, "x", zero) : TM_OK;
}

static void swap(void **a, void **b)
{
    void *kept = *a;
    *a = *b;
    *b = kept;
}

tm_status tm_matrix_power_impl(tm_call *call, const tm_tensor *x, int64_t n, tm_tensor *out)
{
    tm_status status = tm_check_lapack(call);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t size = tm_shape(x)[0];
    tm_carver w = {.base = tm_workspace(call)};
    power_parts p = carve_power(&w, dtype, size);
    uint64_t exponent = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    tm_load_matrix(x, dtype, p.base);
    if (n < 0) {
        status = tm_check_finite_buffer(call, "x", dtype, p.base, size * size);
        if (status != TM_OK)
            return status;
        swap(&p.base, &p.spare);
        tm_set_identity(dtype, p.base, size);
        status = divide(call, dtype, size, p.spare, p.base, p.pivots);
        if (status != TM_OK)
            return status;
    }
    /* From the exponent's lowest bit up; the first factor is copied, not multiplied with ones. */
    bool started = false;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) {
            if (started) {
                tm_gemm(dtype, size, size, size, p.result, TM_AS_IS, p.base, TM_AS_IS, p.spare);
                swap(&p.result, &p.spare);
            } else {
                memcpy(p.result, p.base, (size_t)(size * size) * tm_dtype_size(dtype));
                started = true;
            }
        }
        if (exponent > 1) {
            tm_gemm(dtype, size, size, size, p.base, TM_AS_IS, p.base, TM_AS_IS, p.spare);
            swap(&p.base, &p.spare);
        }
    }
    if (!started)
        tm_set_identity(dtype, p.result, size);
    tm_store_matrix(out, p.result, size);
    return TM_OK;
}

/* -- matrix_exp ---------------------------------------------------------------------------------
 *
 * Scaling and squaring with the diagonal Pade approximant r of degree m: exp(A) = r(A / 2^s)^(2^s).
 * Degrees, bounds on the 1-norm and the evaluation are those of N. J. Higham, "The Scaling and
 * Squaring Method for the Matrix Exponential Revisited", SIAM J. Matrix Anal. Appl. 26 (2005),
 * tables 2.3 and 3.1 and (2.11), for unit roundoffs 2^-53 and 2^-24. r = (V - U)^-1 (V + U), where
 * U has the odd terms and V the even ones.
 */

enum { MOST_DEGREE = 13, MOST_POWERS = 4 };

typedef struct approximant {
    int degree;
    double bound;
    double coefficient[MOST_DEGREE + 1];
} approximant;

#define DEGREE_3                                                                                   \
    {                                                                                              \
        120, 60, 12, 1                                                                             \
    }
#define DEGREE_5                                                                                   \
    {                                                                                              \
        30240, 15120, 3360, 420, 30, 1                                                             \
    }
#define DEGREE_7                                                                                   \
    {                                                                                              \
        17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1                                     \
    }
#define DEGREE_9                                                                                   \
    {                                                                                              \
        17643225600., 8821612800., 2075673600., 302702400., 30270240., 2162160., 110880., 3960.,   \
            90., 1.                                                                                \
    }
#define DEGREE_13                                                                                  \
    {                                                                                              \
        64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800.,              \
            129060195264000., 10559470521600., 670442572800., 33522128640., 1323241920.,           \
            40840800., 960960., 16380., 182., 1.                                                   \
    }

static const approximant approximants_float32[] = {{3, 4.258730016922831e-1, DEGREE_3},
                                                   {5, 1.880152677804762, DEGREE_5},
                                                   {7, 3.925724783138660, DEGREE_7}};
static const approximant approximants_float64[] = {{3, 1.495585217958292e-2, DEGREE_3},
                                                   {5, 2.539398330063230e-1, DEGREE_5},
                                                   {7, 9.504178996162932e-1, DEGREE_7},
                                                   {9, 2.097847961257068, DEGREE_9},
                                                   {13, 5.371920351148152, DEGREE_13}};

/* The first whose bound the norm keeps, or the last one and how often the norm must be halved. */
static const approximant *choose(tm_dtype dtype, double norm, int *halvings)
{
    bool single = tm_real_dtype(dtype) == TM_FLOAT32;
    const approximant *a = single ? approximants_float32 : approximants_float64;
    const approximant *last = single ? approximants_float32 + 2 : approximants_float64 + 4;
    *halvings = 0;
    while (a < last && norm > a->bound)
        a++;
    if (norm > a->bound)
        *halvings = (int)ceil(log2(norm / a->bound));
    return a;
}

typedef struct exp_parts {
    void *a, *power[MOST_POWERS]; /* power[i] is a^(2 i + 2) */
    void *u, *v, *spare;
    lapack_int *pivots;
} exp_parts;

static exp_parts carve_exp(tm_carver *w, tm_dtype dtype, int64_t n)
{
    exp_parts p = {.a = tm_carve_matrix(w, dtype, n, n),
                   .u = tm_carve_matrix(w, dtype, n, n),
                   .v = tm_carve_matrix(w, dtype, n, n),
                   .spare = tm_carve_matrix(w, dtype, n, n),
                   .pivots = tm_carve(w, n, 1, sizeof(lapack_int))};
    for (int i = 0; i < MOST_POWERS; i++)
        p.power[i] = tm_carve_matrix(w, dtype, n, n);
    return p;
}

tm_status tm_matrix_exp_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_square(call, "x", x);
    if (status != TM_OK)
        return status;
    tm_carver w = {0};
    carve_exp(&w, tm_dtype_of(x), tm_size(x, -1));
    tm_need_workspace(call, w.used);
    return tm_output_like(call, 0, x);
}

/* to = scale to + factor from, over the real numbers that `count` elements are. */
static void combine(tm_dtype dtype, int64_t count, double scale, void *to, double factor,
                    const void *from)
{
    int64_t parts = tm_is_complex(dtype) ? 2 * count : count;
    if (tm_real_dtype(dtype) == TM_FLOAT32) {
        float *t = to, c = (float)factor, b = (float)scale;
        const float *f = from;
        for (int64_t i = 0; i < parts; i++)
            t[i] = b * t[i] + c * f[i];
    } else {
        double *t = to;
        const double *f = from;
        for (int64_t i = 0; i < parts; i++)
            t[i] = scale * t[i] + factor * f[i];
    }
}

/* to = c[0] I + c[2] a^2 + c[4] a^4 + ..., with that many powers. */
static void even_terms(const exp_parts *p, tm_dtype dtype, int64_t n, const double *c,
                       int num_powers, void *to)
{
    memset(to, 0, (size_t)(n * n) * tm_dtype_size(dtype));
    for (int i = num_powers; i-- > 0;)
        combine(dtype, n * n, 1, to, c[2 * i + 2], p->power[i]);
    for (int64_t i = 0; i < n; i++)
        tm_set_entry(dtype, to, i * n + i, tm_entry(dtype, to, i * n + i) + c[0]);
}

/* to = the terms of c of even order; beyond a^6 they are a^6 times such terms again. */
static void polynomial(const exp_parts *p, tm_dtype dtype, int64_t n, int degree, const double *c,
                       void *to, void *spare)
{
    even_terms(p, dtype, n, c, degree == MOST_DEGREE ? 3 : degree / 2, to);
    if (degree != MOST_DEGREE)
        return;
    double high[] = {0, 0, c[8], 0, c[10], 0, c[12]};
    even_terms(p, dtype, n, high, 3, p->power[3]);
    tm_gemm(dtype, n, n, n, p->power[2], TM_AS_IS, p->power[3], TM_AS_IS, spare);
    combine(dtype, n * n, 1, to, 1, spare);
}

/* The largest sum of the magnitudes of a column, in double precision whatever the dtype is. */
static double norm_of_columns(tm_dtype dtype, int64_t n, const void *a)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += cabs(tm_entry(dtype, a, j * n + i));
        most = fmax(most, sum);
    }
    return most;
}

tm_status tm_matrix_exp_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_status status = tm_check_lapack(call);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_dtype_of(x);
    int64_t n = tm_shape(x)[0], count = n * n;
    tm_carver w = {.base = tm_workspace(call)};
    exp_parts p = carve_exp(&w, dtype, n);
    status = tm_load_finite_matrix(call, "x", x, dtype, p.a);
    if (status != TM_OK)
        return status;
    double norm = norm_of_columns(dtype, n, p.a);
    if (!isfinite(norm))
        return tm_fail_arg(call, TM_ERR_NUMERIC, "x", "x is too large: its 1-norm overflows");

    int halvings;
    const approximant *r = choose(dtype, norm, &halvings);
    combine(dtype, count, ldexp(1, -halvings), p.a, 0, p.a);
    int num_powers = r->degree == MOST_DEGREE ? 3 : r->degree / 2;
    for (int i = 0; i < num_powers; i++)
        tm_gemm(dtype, n, n, n, i ? p.power[i - 1] : p.a, TM_AS_IS, i ? p.power[0] : p.a, TM_AS_IS,
                p.power[i]);
    polynomial(&p, dtype, n, r->degree, r->coefficient + 1, p.v, p.u);
    tm_gemm(dtype, n, n, n, p.a, TM_AS_IS, p.v, TM_AS_IS, p.u);
    polynomial(&p, dtype, n, r->degree, r->coefficient, p.v, p.spare);

    /* The numerator into spare, the denominator into v. */
    memcpy(p.spare, p.v, (size_t)count * tm_dtype_size(dtype));
    combine(dtype, count, 1, p.spare, 1, p.u);
    combine(dtype, count, 1, p.v, -1, p.u);
    status = divide(call, dtype, n, p.v, p.spare, p.pivots);
    for (int i = 0; i < halvings && status == TM_OK; i++) {
        tm_gemm(dtype, n, n, n, p.spare, TM_AS_IS, p.spare, TM_AS_IS, p.u);
        swap(&p.spare, &p.u);
    }
    if (status == TM_OK)
        tm_store_matrix(out, p.spare, n);
    return status;
}
