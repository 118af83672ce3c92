/* matrix_cholesky_lanes.h: the factorisation of real matrices, one in each lane; see lanes.h.
 *
 * Column by column of L. Each element subtracts the same products in the same order as in
 * matrix_cholesky.h, so the bits are the same.
 */

#if WIDTH > 1
/* l[i * row + j * column] is element (i, j) of L, row j of which is known up to the diagonal.
 * Elements (i, j) of `rows` rows from i on, which the pivot is yet to divide. */
LANES_FN TM_INLINE void NAME(cholesky_rows)(const V *x, V *l, int64_t row, int64_t column,
                                            int64_t i, int64_t j, int rows)
{
    V sum[4];
    for (int r = 0; r < rows; r++)
        sum[r] = x[(i + r) * row + j * column];
    for (int64_t k = 0; k < j; k++) {
        V other = l[j * row + k * column];
        for (int r = 0; r < rows; r++)
            sum[r] -= l[(i + r) * row + k * column] * other;
    }
    for (int r = 0; r < rows; r++)
        l[(i + r) * row + j * column] = sum[r];
}

LANES_FN static uint64_t NAME(cholesky_lanes)(tm_call *call, const tm_lanes *lanes)
{
    int64_t n = tm_shape(tm_call_arg(call, 0)->tensor)[0];
    bool upper = tm_call_arg(call, 1)->b;
    int64_t row = upper ? 1 : n, column = upper ? n : 1;
    const V *x = lanes->operand[0];
    V *l = lanes->operand[1];
    M good = NAME(equal)(NAME(splat)(0), NAME(splat)(0));
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < j; i++)
            l[i * row + j * column] = NAME(splat)(0);
        NAME(cholesky_rows)(x, l, row, column, j, j, 1);
        V pivot = l[j * row + j * column];
        good &= NAME(greater)(pivot, NAME(splat)(0));
        pivot = NAME(root)(pivot);
        l[j * row + j * column] = pivot;
        int64_t i = j + 1;
        for (; i + 4 <= n; i += 4)
            NAME(cholesky_rows)(x, l, row, column, i, j, 4);
        for (; i < n; i++)
            NAME(cholesky_rows)(x, l, row, column, i, j, 1);
        const V inverse = 1 / pivot;
        for (i = j + 1; i < n; i++)
            l[i * row + j * column] *= inverse;
    }
    return NAME(bits)(~good);
}
#endif
