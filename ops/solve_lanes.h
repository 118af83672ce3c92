/* solve_lanes.h: LU with partial pivoting and triangular systems of small real matrices, one in
 * each lane; see lanes.h.
 *
 * Matrices are column-major here: element (i, j) of `rows` rows is a[j * rows + i]. Every lane
 * picks its own pivots. Where all lanes have rows to swap that differ, a swap is a pass over the
 * column that takes the row up and puts the other in its place.
 */

/* Where the pivot of a column is: row `at` of one example; here[i] tells in which lanes row i is
 * it. */
typedef struct NAME(pivot) {
    M at;
#if WIDTH > 1
    M here[TM_SMALL];
#endif
} NAME(pivot);

LANES_FN TM_INLINE void NAME(set_pivot)(NAME(pivot) * p, int64_t rows, int64_t k, M at)
{
    p->at = at;
#if WIDTH > 1
    for (int64_t i = k + 1; i < rows; i++)
        p->here[i] = at == NAME(count)(i);
#else
    (void)rows, (void)k;
#endif
}

/* Brings the pivot's row up to row k in one column, and k's down to it. */
LANES_FN TM_INLINE void NAME(swap_rows)(V *column, int64_t rows, int64_t k, const NAME(pivot) * p)
{
    V kept = column[k];
#if WIDTH == 1
    (void)rows;
    column[k] = column[p->at];
    column[p->at] = kept;
#else
    V up = kept;
    for (int64_t i = k + 1; i < rows; i++) {
        V x = column[i];
        up = NAME(choose)(p->here[i], x, up);
        column[i] = NAME(choose)(p->here[i], kept, x);
    }
    column[k] = up;
#endif
}

/* Column k: finds the pivot (the first of those of the largest size), brings it up, and divides
 * what is below it. */
LANES_FN TM_INLINE void NAME(lu_column)(V *column, int64_t rows, int64_t k, NAME(pivot) * p)
{
    V best = NAME(size)(column[k]);
    M at = NAME(count)(k);
    for (int64_t i = k + 1; i < rows; i++) {
        V size = NAME(size)(column[i]);
        M larger = NAME(greater)(size, best);
        best = NAME(choose)(larger, size, best);
        at = (larger & NAME(count)(i)) | (~larger & at);
    }
    NAME(set_pivot)(p, rows, k, at);
    NAME(swap_rows)(column, rows, k, p);
    V pivot = column[k];
    M zero = NAME(equal)(pivot, NAME(splat)(0));
    pivot = NAME(choose)(zero, NAME(splat)(1), pivot); /* what is below it is zero, and stays */
    for (int64_t i = k + 1; i < rows; i++)
        column[i] /= pivot;
}

/* The same swap, and the elimination of column k, in `count` other columns, side by side so that
 * they share what is loaded. */
LANES_FN TM_INLINE void NAME(lu_update)(const V *restrict column, V *restrict other, int64_t rows,
                                        int64_t k, const NAME(pivot) *restrict p, int count)
{
#if WIDTH == 1
    for (int c = 0; c < count; c++, other += rows) {
        NAME(swap_rows)(other, rows, k, p);
        V up = other[k];
        for (int64_t i = k + 1; i < rows; i++)
            other[i] -= column[i] * up;
    }
#else
    V kept[AT_ONCE], up[AT_ONCE];
    for (int c = 0; c < count; c++)
        kept[c] = up[c] = other[c * rows + k];
    for (int64_t i = k + 1; i < rows; i++)
        for (int c = 0; c < count; c++)
            up[c] = NAME(choose)(p->here[i], other[c * rows + i], up[c]);
    for (int c = 0; c < count; c++)
        other[c * rows + k] = up[c];
    for (int64_t i = k + 1; i < rows; i++)
        for (int c = 0; c < count; c++) {
            V x = NAME(choose)(p->here[i], kept[c], other[c * rows + i]);
            other[c * rows + i] = x - column[i] * up[c];
        }
#endif
}

LANES_FN TM_INLINE void NAME(lu_updates)(const V *restrict column, V *restrict other, int64_t rows,
                                         int64_t k, const NAME(pivot) *restrict p, int64_t count)
{
    int64_t j = 0;
    for (; j + AT_ONCE <= count; j += AT_ONCE)
        NAME(lu_update)(column, other + j * rows, rows, k, p, AT_ONCE);
    for (; j < count; j++)
        NAME(lu_update)(column, other + j * rows, rows, k, p, 1);
}

/* LU in place of a; b, of `sides` columns, becomes L^-1 P b. Of L the rows are swapped only if it
 * is asked for. Sets the pivots' rows; returns the first pivot that is zero, counted from 1, or 0.
 */
LANES_FN TM_INLINE M NAME(lu)(int64_t rows, int64_t columns, V *a, int64_t sides, V *b, bool want_l,
                              M *pivots)
{
    int64_t steps = rows < columns ? rows : columns;
    M first_zero = NAME(count)(0);
    NAME(pivot) p;
    /* Without -0 there, and none comes of the differences below, to eliminate by 0 and not to do so
     * are the same to the bit. */
    for (int64_t i = 0; i < sides * rows; i++)
        b[i] += NAME(splat)(0);
    for (int64_t k = 0; k < steps; k++) {
        V *column = a + k * rows;
        NAME(lu_column)(column, rows, k, &p);
        pivots[k] = p.at;
        M zero = NAME(equal)(column[k], NAME(splat)(0)) & NAME(is_none)(first_zero);
        first_zero |= zero & NAME(count)(k + 1);
        for (int64_t j = 0; j < k && want_l; j++)
            NAME(swap_rows)(a + j * rows, rows, k, &p);
        if (k + 1 < columns)
            NAME(lu_updates)(column, column + rows, rows, k, &p, columns - k - 1);
#if WIDTH == 1
        for (int64_t j = 0; j < sides; j++)
            if (b[j * rows + p.at] == 0) /* nothing to eliminate: much of an inverse */
                NAME(swap_rows)(b + j * rows, rows, k, &p);
            else
                NAME(lu_update)(column, b + j * rows, rows, k, &p, 1);
#else
        NAME(lu_updates)(column, b, rows, k, &p, sides);
#endif
    }
    return first_zero;
}

/* b becomes t^-1 b: t is triangular, its element (i, j) is t[i * row + j * column], b column-major
 * with n rows. Each element subtracts its products in the order in which the others are found, one
 * example column by column, along memory, lanes all products of an element at once. */
#if WIDTH == 1
LANES_FN TM_INLINE void NAME(substitute)(int64_t n, const V *restrict t, int64_t row,
                                         int64_t column, bool upper, bool unit, int64_t sides,
                                         V *restrict b)
{
    for (int64_t step = 0; step < n; step++) {
        int64_t j = upper ? n - 1 - step : step;
        int64_t first = upper ? 0 : j + 1, end = upper ? j : n;
        V pivot = t[j * row + j * column];
        for (int64_t c = 0; c < sides; c++) {
            V x = b[c * n + j];
            if (!unit)
                b[c * n + j] = x = x / pivot;
            for (int64_t i = first; i < end; i++)
                b[c * n + i] -= t[i * row + j * column] * x;
        }
    }
}
#else
LANES_FN TM_INLINE void NAME(substitute_in)(int64_t n, const V *restrict t, int64_t row,
                                            int64_t column, bool upper, bool unit, V *restrict b,
                                            int count)
{
    int64_t first = upper ? n - 1 : 0, by = upper ? -1 : 1;
    for (int64_t i = first, found = 0; found < n; i += by, found++) {
        V x[AT_ONCE];
        for (int c = 0; c < count; c++)
            x[c] = b[c * n + i];
        for (int64_t j = first; j != i; j += by) {
            V factor = t[i * row + j * column];
            for (int c = 0; c < count; c++)
                x[c] -= factor * b[c * n + j];
        }
        V pivot = t[i * row + i * column];
        for (int c = 0; c < count; c++)
            b[c * n + i] = unit ? x[c] : x[c] / pivot;
    }
}

LANES_FN TM_INLINE void NAME(substitute)(int64_t n, const V *restrict t, int64_t row,
                                         int64_t column, bool upper, bool unit, int64_t sides,
                                         V *restrict b)
{
    int64_t c = 0;
    for (; c + AT_ONCE <= sides; c += AT_ONCE)
        NAME(substitute_in)(n, t, row, column, upper, unit, b + c * n, AT_ONCE);
    for (; c < sides; c++)
        NAME(substitute_in)(n, t, row, column, upper, unit, b + c * n, 1);
}
#endif

#if WIDTH > 1

LANES_FN static uint64_t NAME(solve_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_output(call, 0));
    int64_t n = shape[0], k = shape[1];
    V a[TM_SMALL * TM_SMALL], b[TM_SMALL * TM_SMALL];
    M pivots[TM_SMALL];
    M finite = NAME(turn_finite)(lanes->operand[0], n, n, a);
    NAME(turn)(lanes->operand[1], n, k, b);
    M zero = NAME(lu)(n, n, a, k, b, false, pivots);
    NAME(substitute)(n, a, 1, n, true, false, k, b);
    /* Of infinities met on the way the plain kernel, which steps over zeros, may make other NaN. */
    finite &= NAME(turn_finite)(b, k, n, lanes->operand[2]);
    return NAME(bits)(~(finite & NAME(is_none)(zero)));
}

LANES_FN static uint64_t NAME(inv_lanes)(tm_call *call, const tm_lanes *lanes)
{
    int64_t n = tm_shape(tm_call_output(call, 0))[0];
    V a[TM_SMALL * TM_SMALL], b[TM_SMALL * TM_SMALL];
    M pivots[TM_SMALL];
    M finite = NAME(turn_finite)(lanes->operand[0], n, n, a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            b[j * n + i] = NAME(splat)(i == j);
    M zero = NAME(lu)(n, n, a, n, b, false, pivots);
    NAME(substitute)(n, a, 1, n, true, false, n, b);
    finite &= NAME(turn_finite)(b, n, n, lanes->operand[1]); /* as in solve_lanes */
    return NAME(bits)(~(finite & NAME(is_none)(zero)));
}

/* Whether the rows were swapped an odd number of times: the lowest bit. */
LANES_FN TM_INLINE M NAME(odd)(int64_t n, const M *pivots)
{
    M odd = NAME(count)(0);
    for (int64_t k = 0; k < n; k++)
        odd ^= pivots[k] != NAME(count)(k);
    return odd;
}

/* In double precision whatever the dtype is: a product of pivots can leave float32's range on its
 * way to a result that is in it. */
LANES_FN static uint64_t NAME(det_lanes)(tm_call *call, const tm_lanes *lanes)
{
    int64_t n = tm_shape(tm_call_arg(call, 0)->tensor)[0];
    V a[TM_SMALL * TM_SMALL], *out = lanes->operand[1];
    M pivots[TM_SMALL];
    M finite = NAME(turn_finite)(lanes->operand[0], n, n, a);
    M zero = NAME(lu)(n, n, a, 0, NULL, false, pivots), odd = NAME(odd)(n, pivots);
    double product[WIDTH];
    for (int l = 0; l < WIDTH; l++)
        product[l] = odd[l] & 1 ? -1 : 1;
    for (int64_t i = 0; i < n; i++)
        for (int l = 0; l < WIDTH; l++)
            product[l] *= (double)a[i * n + i][l];
    for (int l = 0; l < WIDTH; l++)
        out[0][l] = (S)(zero[l] ? 0 : product[l]);
    return NAME(bits)(~finite);
}

LANES_FN static uint64_t NAME(slogdet_lanes)(tm_call *call, const tm_lanes *lanes)
{
    int64_t n = tm_shape(tm_call_arg(call, 0)->tensor)[0];
    V a[TM_SMALL * TM_SMALL], *sign = lanes->operand[1], *logabsdet = lanes->operand[2];
    M pivots[TM_SMALL];
    M finite = NAME(turn_finite)(lanes->operand[0], n, n, a);
    M zero = NAME(lu)(n, n, a, 0, NULL, false, pivots), odd = NAME(odd)(n, pivots);
    double sum[WIDTH] = {0};
    for (int64_t i = 0; i < n; i++) {
        odd ^= NAME(greater)(NAME(splat)(0), a[i * n + i]);
        for (int l = 0; l < WIDTH; l++)
            sum[l] += log(fabs((double)a[i * n + i][l]));
    }
    for (int l = 0; l < WIDTH; l++) {
        sign[0][l] = zero[l] ? 0 : odd[l] & 1 ? -1 : 1;
        logabsdet[0][l] = zero[l] ? (S)-INFINITY : (S)sum[l];
        if (!zero[l] && !isfinite(sum[l])) /* the plain kernel knows which NaN is whose */
            finite[l] = 0;
    }
    return NAME(bits)(~finite);
}

LANES_FN static uint64_t NAME(lu_factor_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_output(call, 0));
    int64_t rows = shape[0], columns = shape[1], *out = lanes->operand[2];
    V a[TM_SMALL * TM_SMALL];
    M pivots[TM_SMALL];
    M finite = NAME(turn_finite)(lanes->operand[0], rows, columns, a);
    (void)NAME(lu)(rows, columns, a, 0, NULL, true, pivots);
    NAME(turn)(a, columns, rows, lanes->operand[1]);
    for (int64_t k = 0; k < rows && k < columns; k++)
        for (int l = 0; l < WIDTH; l++)
            out[k * WIDTH + l] = pivots[k][l];
    return NAME(bits)(~finite);
}

LANES_FN static uint64_t NAME(lu_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_arg(call, 0)->tensor);
    int64_t rows = shape[0], columns = shape[1], k = rows < columns ? rows : columns;
    V a[TM_SMALL * TM_SMALL], one = NAME(splat)(1), none = NAME(splat)(0);
    V *p = lanes->operand[1], *lower = lanes->operand[2], *upper = lanes->operand[3];
    M pivots[TM_SMALL];
    V order[TM_SMALL]; /* row i of P x is row order[i] of x; its bits are a count's */
    M finite = NAME(turn_finite)(lanes->operand[0], rows, columns, a);
    (void)NAME(lu)(rows, columns, a, 0, NULL, true, pivots);
    for (int64_t i = 0; i < rows; i++)
        order[i] = (V)NAME(count)(i);
    for (int64_t i = 0; i < k; i++) {
        NAME(pivot) at;
        NAME(set_pivot)(&at, rows, i, pivots[i]);
        NAME(swap_rows)(order, rows, i, &at);
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++)
            p[i * rows + j] = NAME(choose)((M)order[j] == NAME(count)(i), one, none);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            lower[i * k + j] = i > j ? a[j * rows + i] : i == j ? one : none;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < columns; j++)
            upper[i * columns + j] = i <= j ? a[j * rows + i] : none;
    return NAME(bits)(~finite);
}

/* The lanes in which no element of an (n, n) matrix's diagonal is zero. */
LANES_FN TM_INLINE M NAME(has_pivots)(int64_t n, const V *t)
{
    M has = NAME(is_none)(NAME(count)(0));
    for (int64_t i = 0; i < n; i++)
        has &= ~NAME(equal)(t[i * n + i], NAME(splat)(0));
    return has;
}

LANES_FN static uint64_t NAME(triangular_solve_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_output(call, 0));
    int64_t n = shape[0], k = shape[1];
    bool upper = tm_call_arg(call, 2)->b, transpose = tm_call_arg(call, 3)->b;
    bool unit = tm_call_arg(call, 4)->b;
    V b[TM_SMALL * TM_SMALL];
    NAME(turn)(lanes->operand[1], n, k, b);
    NAME(substitute)
    (n, lanes->operand[0], transpose ? 1 : n, transpose ? n : 1, upper != transpose, unit, k, b);
    NAME(turn)(b, k, n, lanes->operand[2]);
    return unit ? 0 : NAME(bits)(~NAME(has_pivots)(n, lanes->operand[0]));
}

LANES_FN static uint64_t NAME(cholesky_solve_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_output(call, 0));
    int64_t n = shape[0], k = shape[1], row = tm_call_arg(call, 2)->b ? 1 : n;
    const V *l = lanes->operand[0];
    V b[TM_SMALL * TM_SMALL];
    NAME(turn)(lanes->operand[1], n, k, b);
    NAME(substitute)(n, l, row, row == 1 ? n : 1, false, false, k, b);
    NAME(substitute)(n, l, row == 1 ? n : 1, row, true, false, k, b);
    NAME(turn)(b, k, n, lanes->operand[2]);
    return NAME(bits)(~NAME(has_pivots)(n, l));
}
#endif
