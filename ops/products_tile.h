/* products_tile.h: products in tiles, for one element type and one vector; included by
 * products_tile.c once for each.
 *
 * T is the element type, VECTOR an unaligned vector of LANES of it, NAME(x) a name of its own for
 * x, TARGET the attribute that chooses the instructions, DEEP how many rows a tile of two vectors
 * has. STREAM(to, vector) stores past the caches.
 *
 * A tile is some rows of C by some vectors of columns, its sums all in registers; k runs upward in
 * each. A's elements are read one by one, so its steps may be any; B's rows are read in vectors. A
 * tile at the end of a row begins early enough to be whole: what two tiles compute both compute
 * alike.
 */

TARGET TM_INLINE void NAME(tile)(const int rows, const int vectors, const tiles *q, const T *a,
                                 const T *b, T *c)
{
    VECTOR sum[16], factor[8];
    const int64_t row = q->a_row, column = q->a_column, b_row = q->b_row, c_row = q->c_row;
    for (int i = 0; i < rows * vectors; i++)
        sum[i] = (VECTOR){0};
    for (int64_t k = q->n; k > 0; k--, a += column, b += b_row) {
        for (int v = 0; v < vectors; v++)
            factor[v] = *(const VECTOR *)(const void *)(b + v * LANES);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < vectors; v++)
                sum[r * vectors + v] += a[r * row] * factor[v];
    }
    if (q->stream) {
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < vectors; v++)
                STREAM(c + r * c_row + v * LANES, sum[r * vectors + v]);
        return;
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            *(VECTOR *)(void *)(c + r * c_row + v * LANES) = sum[r * vectors + v];
}

/* `m` rows of C, two vectors of columns. */
TARGET TM_INLINE void NAME(columns_2)(const tiles *q, int64_t m, const T *a, const T *b, T *c)
{
    int64_t i = 0;
    for (; i + DEEP <= m; i += DEEP)
        NAME(tile)(DEEP, 2, q, a + i * q->a_row, b, c + i * q->c_row);
    for (; i + 2 <= m; i += 2)
        NAME(tile)(2, 2, q, a + i * q->a_row, b, c + i * q->c_row);
    if (i < m)
        NAME(tile)(1, 2, q, a + i * q->a_row, b, c + i * q->c_row);
}

TARGET TM_INLINE void NAME(columns_1)(const tiles *q, int64_t m, const T *a, const T *b, T *c)
{
    int64_t i = 0;
    for (; i + 8 <= m; i += 8)
        NAME(tile)(8, 1, q, a + i * q->a_row, b, c + i * q->c_row);
    for (; i + 4 <= m; i += 4)
        NAME(tile)(4, 1, q, a + i * q->a_row, b, c + i * q->c_row);
    for (; i < m; i++)
        NAME(tile)(1, 1, q, a + i * q->a_row, b, c + i * q->c_row);
}

/* One product; q->p is at least LANES. */
TARGET TM_INLINE void NAME(product)(const tiles *q, const T *a, const T *b, T *c)
{
    const int64_t p = q->p;
    for (int64_t i = 0; i < q->m; i += q->block) {
        const int64_t m = q->m - i < q->block ? q->m - i : q->block;
        const T *a_i = a + i * q->a_row;
        T *c_i = c + i * q->c_row;
        int64_t j = 0;
        if (m == 1) {
            for (; j + 8 * LANES <= p; j += 8 * LANES)
                NAME(tile)(1, 8, q, a_i, b + j, c_i + j);
            for (; j + 4 * LANES <= p; j += 4 * LANES)
                NAME(tile)(1, 4, q, a_i, b + j, c_i + j);
        }
        for (; j + 2 * LANES <= p; j += 2 * LANES)
            NAME(columns_2)(q, m, a_i, b + j, c_i + j);
        for (; j < p; j += LANES) {
            const int64_t from = j + LANES <= p ? j : p - LANES;
            NAME(columns_1)(q, m, a_i, b + from, c_i + from);
        }
    }
}

/* B, whose rows are no vectors, is copied for each product, or for all of them: as many columns at
 * a time as there is room for. The last ones begin early enough to be as many. */
TARGET static void NAME(products_packed)(const tiles *q, int64_t count, const T *a, const T *b,
                                         T *c)
{
    _Alignas(64) T packed[TM_TILE_PACKED / sizeof(T)];
    const int64_t n = q->n, p = q->p, room = TM_TILE_PACKED / (int64_t)sizeof(T) / (n > 0 ? n : 1);
    const int64_t part = TM_TILE_COLUMNS / (int64_t)sizeof(T);
    tiles t = *q;
    t.p = t.b_row = p <= room ? p : room / part * part;
    for (int64_t j = 0; j < p; j += t.p) {
        const int64_t from = j + t.p <= p ? j : p - t.p;
        const T *b_j = b + from * q->b_column;
        for (int64_t e = 0; e < count; e++) {
            for (int64_t k = 0; (e == 0 || q->b_step != 0) && k < n; k++)
                for (int64_t i = 0; i < t.p; i++)
                    packed[k * t.p + i] = b_j[e * q->b_step + k * q->b_row + i * q->b_column];
            NAME(product)(&t, a + e * q->a_step, packed, c + e * q->c_step + from);
        }
    }
}

TARGET static void NAME(products)(const tiles *q, int64_t count, const void *a_data,
                                  const void *b_data, void *c_data)
{
    const T *a = a_data, *b = b_data;
    T *c = c_data;
    if (q->b_column != 1) {
        NAME(products_packed)(q, count, a, b, c);
        return;
    }
    const int64_t item = (int64_t)sizeof(T);
    for (int64_t e = 0; e < count; e++, a += q->a_step, b += q->b_step, c += q->c_step) {
        if (q->ahead && q->a_step)
            ask(a + q->ahead * q->a_step, q->m, q->a_row * item, q->n * item, q->a_step * item, e,
                q->ahead);
        if (q->ahead && q->b_step)
            ask(b + q->ahead * q->b_step, q->n, q->b_row * item, q->p * item, q->b_step * item, e,
                q->ahead);
        NAME(product)(q, a, b, c);
    }
}

#undef LANES
#undef DEEP
#undef VECTOR
#undef STREAM
#undef NAME
