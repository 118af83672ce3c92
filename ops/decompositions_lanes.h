/* decompositions_lanes.h: eigenvalues of symmetric matrices and singular values by Jacobi's
 * rotations, and QR by reflections, of small real matrices, one in each lane; see lanes.h.
 *
 * Matrices are column-major: element (i, j) of `rows` rows is a[j * rows + i]. A lane that needs no
 * rotation keeps its elements to the last bit, so what it gets does not depend on the others; how
 * often all pairs of columns are gone through is the slowest lane's affair.
 */

#define EPSILON (sizeof(S) == 4 ? (S)FLT_EPSILON : (S)DBL_EPSILON)
/* The least square of a length that tells the length to full precision. */
#define LEAST_SQUARE (sizeof(S) == 4 ? (S)0x1p-100 : (S)0x1p-960)

/* The largest power of two up to a size; a normal number in any case. */
LANES_FN TM_INLINE V NAME(power)(V size)
{
    const SI exponent = (SI)(sizeof(S) == 4 ? 0x7f800000 : 0x7ff0000000000000);
    V least = NAME(splat)(sizeof(S) == 4 ? (S)FLT_MIN : (S)DBL_MIN), power;
#if WIDTH == 1
    SI bits;
    memcpy(&bits, &size, sizeof bits);
    bits &= exponent;
    memcpy(&power, &bits, sizeof bits);
#else
    power = (V)((M)size & exponent);
#endif
    return NAME(choose)(NAME(greater)(least, power), least, power);
}

LANES_FN TM_INLINE V NAME(largest)(int64_t count, const V *a)
{
    V most = NAME(splat)(0);
    for (int64_t i = 0; i < count; i++) {
        V size = NAME(size)(a[i]);
        most = NAME(choose)(NAME(greater)(size, most), size, most);
    }
    return most;
}

/* Divides a matrix by the power of two that makes its largest element one from 1 to 2, without
 * rounding. Returns the power. */
LANES_FN TM_INLINE V NAME(scale)(int64_t count, V *a)
{
    V power = NAME(power)(NAME(largest)(count, a)), factor = 1 / power;
    for (int64_t i = 0; i < count; i++)
        a[i] *= factor;
    return power;
}

/* A rotation that makes an off-diagonal element zero: x' = c x - s y, y' = s x + c y, where it is
 * wanted at all. t is its tangent. */
typedef struct NAME(rotation) {
    M wanted;
    V t, c, s;
} NAME(rotation);

/* Of the symmetric matrix (p, off; off, q). */
LANES_FN TM_INLINE NAME(rotation) NAME(rotation_of)(M wanted, V p, V q, V off)
{
    V one = NAME(splat)(1), divisor = NAME(choose)(wanted, off + off, one);
    V cotangent = (q - p) / divisor; /* of twice the angle */
    V size = NAME(size)(cotangent);
    V t = 1 / (size + NAME(root)(1 + size * size));
    t = NAME(choose)(NAME(greater)(NAME(splat)(0), cotangent), -t, t);
    V c = 1 / NAME(root)(1 + t * t);
    return (NAME(rotation)){wanted, t, c, t * c};
}

LANES_FN TM_INLINE void NAME(rotate)(const NAME(rotation) * r, V *x, V *y)
{
    V a = *x, b = *y;
    *x = NAME(choose)(r->wanted, r->c * a - r->s * b, a);
    *y = NAME(choose)(r->wanted, r->s * a + r->c * b, b);
}

LANES_FN TM_INLINE void NAME(rotate_columns)(const NAME(rotation) * r, int64_t rows, V *restrict x,
                                             V *restrict y)
{
    for (int64_t i = 0; i < rows; i++)
        NAME(rotate)(r, &x[i], &y[i]);
}

LANES_FN TM_INLINE void NAME(identity)(int64_t rows, int64_t columns, V *a)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            a[j * rows + i] = NAME(splat)(i == j);
}

/* Puts values in order, ascending or descending, and with them the columns of one or two matrices
 * (NULL: none). */
LANES_FN TM_INLINE void NAME(put_in_order)(int64_t n, V *values, bool descending, int64_t rows,
                                           V *a, int64_t other_rows, V *b)
{
    for (int64_t end = n - 1; end > 0; end--)
        for (int64_t j = 0; j < end; j++) {
            V x = values[j], y = values[j + 1];
            M swap = descending ? NAME(greater)(y, x) : NAME(greater)(x, y);
            if (!NAME(any)(swap))
                continue;
            values[j] = NAME(choose)(swap, y, x);
            values[j + 1] = NAME(choose)(swap, x, y);
            for (int64_t i = 0; a && i < rows; i++) {
                V *u = a + j * rows + i, kept = u[0];
                u[0] = NAME(choose)(swap, u[rows], kept);
                u[rows] = NAME(choose)(swap, kept, u[rows]);
            }
            for (int64_t i = 0; b && i < other_rows; i++) {
                V *u = b + j * other_rows + i, kept = u[0];
                u[0] = NAME(choose)(swap, u[other_rows], kept);
                u[other_rows] = NAME(choose)(swap, kept, u[other_rows]);
            }
        }
}

/* The eigenvalues, ascending, of the symmetric a, which is destroyed; the eigenvectors into v
 * unless it is NULL. Returns where they have converged. */
LANES_FN TM_INLINE M NAME(eigh)(int64_t n, V *restrict a, V *restrict values, V *restrict v)
{
    V power = NAME(scale)(n * n, a);
    V least = NAME(splat)(EPSILON / 8);
    M moved = NAME(count)(0);
    if (v)
        NAME(identity)(n, n, v);
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        moved = NAME(count)(0);
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                V off = a[q * n + p];
                M wanted = NAME(greater)(NAME(size)(off), least);
                if (!NAME(any)(wanted))
                    continue;
                moved |= wanted;
                NAME(rotation) r = NAME(rotation_of)(wanted, a[p * n + p], a[q * n + q], off);
                V change = r.t * off;
                for (int64_t i = 0; i < n; i++) {
                    if (i == p || i == q)
                        continue;
                    NAME(rotate)(&r, &a[p * n + i], &a[q * n + i]);
                    a[i * n + p] = a[p * n + i];
                    a[i * n + q] = a[q * n + i];
                }
                a[p * n + p] = NAME(choose)(wanted, a[p * n + p] - change, a[p * n + p]);
                a[q * n + q] = NAME(choose)(wanted, a[q * n + q] + change, a[q * n + q]);
                a[q * n + p] = a[p * n + q] = NAME(choose)(wanted, NAME(splat)(0), off);
                if (v)
                    NAME(rotate_columns)(&r, n, v + p * n, v + q * n);
            }
        if (!NAME(any)(moved))
            break;
    }
    for (int64_t j = 0; j < n; j++)
        values[j] = a[j * n + j] * power;
    NAME(put_in_order)(n, values, false, n, v, 0, NULL);
    return NAME(is_none)(moved);
}

LANES_FN TM_INLINE V NAME(product)(int64_t rows, const V *x, const V *y)
{
    V sum = NAME(splat)(0);
    for (int64_t i = 0; i < rows; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The singular values, descending, of a, which has at least as many rows as columns and whose
 * columns become u's; v's unless it is NULL. Columns are rotated until all are at right angles.
 * Returns where that has converged, and no length is too small to divide by. */
LANES_FN TM_INLINE M NAME(svd)(int64_t rows, int64_t n, V *restrict a, V *restrict values,
                               V *restrict v)
{
    V power = NAME(scale)(rows * n, a);
    V tolerance = NAME(splat)(EPSILON * (S)(rows > 4 ? rows : 4) / 4);
    M moved = NAME(count)(0);
    if (v)
        NAME(identity)(n, n, v);
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        moved = NAME(count)(0);
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                V *x = a + p * rows, *y = a + q * rows;
                V xx = NAME(product)(rows, x, x), yy = NAME(product)(rows, y, y);
                V xy = NAME(product)(rows, x, y);
                V bound = tolerance * NAME(root)(xx) * NAME(root)(yy);
                M wanted = NAME(greater)(NAME(size)(xy), bound);
                if (!NAME(any)(wanted))
                    continue;
                moved |= wanted;
                NAME(rotation) r = NAME(rotation_of)(wanted, xx, yy, xy);
                NAME(rotate_columns)(&r, rows, x, y);
                if (v)
                    NAME(rotate_columns)(&r, n, v + p * n, v + q * n);
            }
        if (!NAME(any)(moved))
            break;
    }
    M good = NAME(is_none)(moved);
    for (int64_t j = 0; j < n; j++) {
        V square = NAME(product)(rows, a + j * rows, a + j * rows), length = NAME(root)(square);
        good &= NAME(greater)(square, NAME(splat)(LEAST_SQUARE));
        for (int64_t i = 0; i < rows; i++)
            a[j * rows + i] /= length;
        values[j] = length * power;
    }
    NAME(put_in_order)(n, values, true, rows, a, n, v);
    return good;
}

/* One reflection, in the rows from j on: its vector v has a 1 at j, not stored, and lies below. */
LANES_FN TM_INLINE void NAME(reflect)(int64_t rows, int64_t j, V tau, const V *restrict v,
                                      V *restrict x)
{
    V sum = x[j];
    for (int64_t i = j + 1; i < rows; i++)
        sum += v[i] * x[i];
    sum *= tau;
    x[j] -= sum;
    for (int64_t i = j + 1; i < rows; i++)
        x[i] -= v[i] * sum;
}

/* Makes a column zero below j by a reflection, whose vector is put there, and returns its tau. A
 * column that is zero there already is left alone. */
LANES_FN TM_INLINE V NAME(reflection)(int64_t rows, int64_t j, V *x)
{
    V below = NAME(largest)(rows - j - 1, x + j + 1), zero = NAME(splat)(0), first = x[j];
    M any = NAME(greater)(below, zero);
    V power = NAME(power)(NAME(largest)(rows - j, x + j)), factor = 1 / power, sum = zero;
    for (int64_t i = j; i < rows; i++) {
        V y = x[i] * factor;
        sum += y * y;
    }
    V length = NAME(root)(sum) * power;
    length = NAME(choose)(NAME(greater)(zero, first), length, -length); /* away from the first */
    V divisor = NAME(choose)(any, first - length, NAME(splat)(1));
    for (int64_t i = j + 1; i < rows; i++)
        x[i] /= divisor;
    x[j] = NAME(choose)(any, length, first);
    return NAME(choose)(any, (length - first) / NAME(choose)(any, length, divisor), zero);
}

/* R in place of a, with what is below its diagonal unset; q of q_columns columns. */
LANES_FN TM_INLINE void NAME(qr)(int64_t rows, int64_t columns, V *restrict a, int64_t q_columns,
                                 V *restrict q)
{
    int64_t steps = rows < columns ? rows : columns;
    V tau[TM_SMALL_QR];
    for (int64_t j = 0; j < steps; j++) {
        tau[j] = NAME(reflection)(rows, j, a + j * rows);
        for (int64_t c = j + 1; c < columns; c++)
            NAME(reflect)(rows, j, tau[j], a + j * rows, a + c * rows);
    }
    NAME(identity)(rows, q_columns, q);
    for (int64_t j = steps; j-- > 0;)
        for (int64_t c = j; c < q_columns; c++)
            NAME(reflect)(rows, j, tau[j], a + j * rows, q + c * rows);
}

#if WIDTH > 1

/* One triangle of a packed matrix as the whole of a symmetric one. Returns where it is finite. */
LANES_FN TM_INLINE M NAME(mirror)(const V *x, int64_t n, bool upper, V *a)
{
    M finite = NAME(is_none)(NAME(count)(0));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            V value = upper ? x[j * n + i] : x[i * n + j];
            finite &= NAME(finite)(value);
            a[i * n + j] = a[j * n + i] = value;
        }
    return finite;
}

LANES_FN static uint64_t NAME(eigh_lanes)(tm_call *call, const tm_lanes *lanes)
{
    int64_t n = tm_shape(tm_call_arg(call, 0)->tensor)[0];
    V a[TM_SMALL_EIGH * TM_SMALL_EIGH], v[TM_SMALL_EIGH * TM_SMALL_EIGH];
    M good = NAME(mirror)(lanes->operand[0], n, tm_call_arg(call, 1)->b, a);
    good &= NAME(eigh)(n, a, lanes->operand[1], v);
    NAME(turn)(v, n, n, lanes->operand[2]);
    return NAME(bits)(~good);
}

LANES_FN static uint64_t NAME(eigvalsh_lanes)(tm_call *call, const tm_lanes *lanes)
{
    int64_t n = tm_shape(tm_call_arg(call, 0)->tensor)[0];
    V a[TM_SMALL_EIGH * TM_SMALL_EIGH];
    M good = NAME(mirror)(lanes->operand[0], n, tm_call_arg(call, 1)->b, a);
    return NAME(bits)(~(good & NAME(eigh)(n, a, lanes->operand[1], NULL)));
}

/* A wide matrix is decomposed transposed: its u is the other's v. */
LANES_FN static uint64_t NAME(svd_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_arg(call, 0)->tensor);
    int64_t rows = shape[0], columns = shape[1];
    if (rows != columns && tm_call_arg(call, 1)->b) {
        tm_batch_decline(call);
        return 0;
    }
    V a[TM_SMALL_SVD * TM_SMALL_SVD], v[TM_SMALL_SVD * TM_SMALL_SVD];
    V *u = lanes->operand[1], *s = lanes->operand[2], *vh = lanes->operand[3];
    M good = NAME(turn_finite)(lanes->operand[0], rows, columns, a);
    if (rows >= columns) {
        good &= NAME(svd)(rows, columns, a, s, v);
        NAME(turn)(a, columns, rows, u);
        memcpy(vh, v, (size_t)(columns * columns) * sizeof *v);
    } else {
        memcpy(a, lanes->operand[0], (size_t)(rows * columns) * sizeof *a);
        good &= NAME(svd)(columns, rows, a, s, v);
        NAME(turn)(v, rows, rows, u);
        memcpy(vh, a, (size_t)(rows * columns) * sizeof *a);
    }
    return NAME(bits)(~good);
}

LANES_FN static uint64_t NAME(svdvals_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_arg(call, 0)->tensor);
    int64_t rows = shape[0], columns = shape[1];
    V a[TM_SMALL_SVD * TM_SMALL_SVD];
    M good = NAME(turn_finite)(lanes->operand[0], rows, columns, a);
    if (rows >= columns) {
        good &= NAME(svd)(rows, columns, a, lanes->operand[1], NULL);
    } else {
        memcpy(a, lanes->operand[0], (size_t)(rows * columns) * sizeof *a);
        good &= NAME(svd)(columns, rows, a, lanes->operand[1], NULL);
    }
    return NAME(bits)(~good);
}

LANES_FN static uint64_t NAME(qr_lanes)(tm_call *call, const tm_lanes *lanes)
{
    const int64_t *shape = tm_shape(tm_call_arg(call, 0)->tensor);
    int64_t rows = shape[0], columns = shape[1];
    int64_t q_columns = tm_shape(tm_call_output(call, 0))[1];
    V a[TM_SMALL_QR * TM_SMALL_QR], q[TM_SMALL_QR * TM_SMALL_QR], *r = lanes->operand[2];
    M finite = NAME(turn_finite)(lanes->operand[0], rows, columns, a);
    NAME(qr)(rows, columns, a, q_columns, q);
    NAME(turn)(q, q_columns, rows, lanes->operand[1]);
    for (int64_t i = 0; i < q_columns; i++)
        for (int64_t j = 0; j < columns; j++)
            r[i * columns + j] = i <= j ? a[j * rows + i] : NAME(splat)(0);
    return NAME(bits)(~finite);
}
#endif

#undef EPSILON
#undef LEAST_SQUARE
