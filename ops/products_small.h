/* products_small.h: the small-matrix kernel for one element type and one instruction set; included
 * by products_small.c once for each.
 *
 * T is the element type, VECTOR a vector of LANES of it, NAME(x) a name of its own for x, TARGET
 * the attribute that chooses the instructions. C is computed in panels of LANES columns, four rows
 * at a time, so that four sums are under way at once; k runs upward in each. B is read in whole
 * vectors: a panel that does not lie like that is packed first, padded with zeros.
 */

/* The first `columns` lanes of a row of C. */
TARGET static inline __attribute__((always_inline)) void
NAME(store)(T *to, int64_t step, int64_t columns, const VECTOR *sum)
{
    if (columns == LANES && step == 1) {
        memcpy(to, sum, sizeof *sum);
        return;
    }
    for (int lane = 0; lane < LANES; lane++)
        if (lane < columns)
            to[lane * step] = (*sum)[lane];
}

/* One panel of C: `columns` columns, at most LANES. */
TARGET static inline __attribute__((always_inline)) void
NAME(panel)(const tm_product *q, const T *a, const T *b, int64_t b_row, T *c, int64_t columns)
{
    const int64_t m = q->m, n = q->n, row = q->a.row, column = q->a.column, c_row = q->c_row;
    int64_t i = 0;
    for (; i + 4 <= m; i += 4, a += 4 * row, c += 4 * c_row) {
        VECTOR sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
        const T *at = a;
        for (int64_t k = 0; k < n; k++, at += column) {
            VECTOR factor;
            memcpy(&factor, b + k * b_row, sizeof factor);
            sum0 += at[0] * factor;
            sum1 += at[row] * factor;
            sum2 += at[2 * row] * factor;
            sum3 += at[3 * row] * factor;
        }
        NAME(store)(c, q->c_column, columns, &sum0);
        NAME(store)(c + c_row, q->c_column, columns, &sum1);
        NAME(store)(c + 2 * c_row, q->c_column, columns, &sum2);
        NAME(store)(c + 3 * c_row, q->c_column, columns, &sum3);
    }
    for (; i < m; i++, a += row, c += c_row) {
        VECTOR sum = {0};
        for (int64_t k = 0; k < n; k++) {
            VECTOR factor;
            memcpy(&factor, b + k * b_row, sizeof factor);
            sum += a[k * column] * factor;
        }
        NAME(store)(c, q->c_column, columns, &sum);
    }
}

/* All products, one panel of each. */
TARGET static void NAME(panels)(const tm_product *q, int64_t from, int64_t count, int64_t a_step,
                                int64_t b_step, int64_t c_step)
{
    const tm_product p = *q;
    const int64_t columns = p.p - from < LANES ? p.p - from : LANES;
    const T *a = (const T *)(const void *)p.a.data;
    const T *b = (const T *)(const void *)p.b.data + from * p.b.column;
    T *c = (T *)(void *)p.c + from * p.c_column;
    if (p.b.column == 1 && columns == LANES) {
        for (int64_t e = 0; e < count; e++, a += a_step, b += b_step, c += c_step)
            NAME(panel)(&p, a, b, p.b.row, c, LANES);
        return;
    }
    _Alignas(64) T packed[TM_PRODUCT_SMALL * LANES] = {0};
    for (int64_t e = 0; e < count; e++, a += a_step, b += b_step, c += c_step) {
        if (e == 0 || b_step != 0)
            for (int64_t k = 0; k < p.n; k++)
                for (int64_t j = 0; j < columns; j++)
                    packed[k * LANES + j] = b[k * p.b.row + j * p.b.column];
        NAME(panel)(&p, a, packed, LANES, c, columns);
    }
}

TARGET static void NAME(small)(const tm_product *q, int64_t count, int64_t a_step, int64_t b_step,
                               int64_t c_step)
{
    for (int64_t from = 0; from < q->p; from += LANES)
        NAME(panels)(q, from, count, a_step, b_step, c_step);
}

#undef LANES
#undef VECTOR
#undef NAME
