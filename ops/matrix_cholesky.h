/* matrix_cholesky.h: the factorisation for one element type; included by matrix_cholesky.c once for
 * each.
 *
 * T is the element type, R its real one, ROOT the square root of that, REAL(z) and CONJ(z) the real
 * part and the conjugate (of a real number itself), MUL(a, b) the product, NAME(x) a name of its
 * own for x. u is an (n, n) row-major buffer; below its diagonal nothing is read or written.
 */

/* A triangle of x into the upper triangle of u. */
static void NAME(load)(const tm_tensor *x, bool upper, int64_t n, T *u)
{
    const T *from = tm_data(x);
    const int64_t *strides = tm_strides(x);
    int64_t row = n > 1 ? strides[upper ? 0 : 1] : 0, column = n > 1 ? strides[upper ? 1 : 0] : 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            T value = from[i * row + j * column];
            u[i * n + j] = upper ? value : CONJ(value);
        }
}

/* The upper triangle of u, or its adjoint, into out, with zeros beside it. */
static void NAME(store)(tm_tensor *out, bool upper, int64_t n, const T *u)
{
    T *to = tm_mutable_data(out);
    const int64_t *strides = tm_strides(out);
    int64_t row = n > 1 ? strides[upper ? 0 : 1] : 0, column = n > 1 ? strides[upper ? 1 : 0] : 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++)
            to[i * row + j * column] = 0;
        to[i * row + i * column] = u[i * n + i];
        for (int64_t j = i + 1; j < n; j++)
            to[i * row + j * column] = upper ? u[i * n + j] : CONJ(u[i * n + j]);
    }
}

/* U in place of x. Returns the order of the first leading minor that is not positive, or 0. */
static int64_t NAME(factor)(int64_t n, T *u)
{
    for (int64_t k = 0; k < n; k++) {
        T *restrict pivot = u + k * n;
        if (!(REAL(pivot[k]) > 0)) /* also NaN */
            return k + 1;
        const R root = ROOT(REAL(pivot[k]));
        pivot[k] = root;
        const R inverse = 1 / root; /* finite: a root is never so small */
        for (int64_t j = k + 1; j < n; j++)
            pivot[j] *= inverse;
        for (int64_t i = k + 1; i < n; i++) {
            T *restrict row = u + i * n;
            const T scale = CONJ(pivot[i]);
            for (int64_t j = i; j < n; j++)
                row[j] -= MUL(scale, pivot[j]);
        }
    }
    return 0;
}

#ifdef TM_HAVE_LAPACK
/* The order of the first NaN among the first `end` elements of the diagonal, or 0. */
static int64_t NAME(find_nan)(int64_t n, int64_t end, const T *u)
{
    for (int64_t k = 0; k < end; k++)
        if (isnan(REAL(u[k * n + k])))
            return k + 1;
    return 0;
}
#endif

#undef T
#undef R
#undef ROOT
#undef REAL
#undef CONJ
#undef MUL
#undef NAME
