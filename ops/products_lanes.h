/* products_lanes.h: products side by side, for one element type and one level of instructions;
 * included by products_lanes.c once for each.
 *
 * T is the element type, VECTOR an unaligned vector of 64 bytes, LANES of it, NAME(x) a name of its
 * own for x, TARGET the attribute that chooses the instructions. STREAM(to, vector) stores past the
 * caches. SIZED: whether the common small sizes have code of their own.
 *
 * Fewer instructions let the processor see farther, so more of what it waits for is under way: the
 * steps are in a struct that no store can change, and how C is written is known.
 */

/* What is asked for next: element (row, column) of A, then of B. */
typedef struct NAME(asking) {
    const T *a, *b; /* NULL: all has been */
    int64_t row, column;
    bool in_b;
} NAME(asking);

/* Asks for the pieces of some elements. */
TARGET TM_INLINE void NAME(ask)(const lanes *q, NAME(asking) * s, int64_t elements)
{
    for (; elements > 0 && s->a; elements--) {
        const T *from = s->in_b ? s->b + s->row * q->b_row + s->column * q->b_column
                                : s->a + s->row * q->a_row + s->column * q->a_column;
        for (int64_t e = 0; e < q->ahead; e += LANES)
            __builtin_prefetch(from + e);
        if (++s->column < (s->in_b ? q->p : q->n))
            continue;
        s->column = 0;
        if (++s->row < (s->in_b ? q->n : q->m))
            continue;
        s->row = 0;
        if (s->in_b || q->b_step != 1)
            s->a = NULL;
        s->in_b = true;
    }
}

/* `columns` elements of a row of C for `lines` vectors of examples; the copy's elements are
 * `next` apart. */
TARGET TM_INLINE void NAME(tile)(const int columns, const int lines, const lanes *q, const T *a,
                                 const T *copy, int64_t next, T *c)
{
    VECTOR sum[8];
    for (int i = 0; i < columns * lines; i++)
        sum[i] = (VECTOR){0};
    for (int64_t k = 0; k < q->n; k++, a += q->a_column, copy += q->p * next)
        for (int l = 0; l < lines; l++) {
            const VECTOR x = *(const VECTOR *)(const void *)(a + l * LANES);
            for (int j = 0; j < columns; j++)
                sum[j * lines + l] +=
                    x * *(const VECTOR *)(const void *)(copy + j * next + l * LANES);
        }
    for (int j = 0; j < columns; j++)
        for (int l = 0; l < lines; l++) {
            T *to = c + j * q->c_column + l * LANES;
            if (q->stream)
                STREAM(to, sum[j * lines + l]);
            else
                *(VECTOR *)(void *)to = sum[j * lines + l];
        }
}

TARGET TM_INLINE void NAME(copy)(const lanes *q, int64_t width, const T *b, T *copy)
{
    for (int64_t k = 0; k < q->n; k++)
        for (int64_t j = 0; j < q->p; j++, copy += q->width) {
            const T *from = b + k * q->b_row + j * q->b_column;
            if (q->b_step == 1)
                for (int64_t e = 0; e < width; e += LANES)
                    *(VECTOR *)(void *)(copy + e) = *(const VECTOR *)(const void *)(from + e);
            else
                for (int64_t e = 0; e < width; e++)
                    copy[e] = from[e * q->b_step];
        }
}

TARGET TM_INLINE void NAME(block)(const lanes *q, int64_t width, const T *a, const T *copy, T *c,
                                  NAME(asking) * s)
{
    const int64_t next = q->width;
    for (int64_t i = 0; i < q->m; i++, a += q->a_row, c += q->c_row) {
        int64_t e = 0;
        if (q->p == 1)
            for (; e + MOST_LINES * LANES <= width; e += MOST_LINES * LANES)
                NAME(tile)(1, MOST_LINES, q, a + e, copy + e, next, c + e);
        for (; e < width; e += LANES) {
            int64_t j = 0;
            for (; j + 8 <= q->p; j += 8) {
                NAME(ask)(q, s, q->share);
                NAME(tile)(8, 1, q, a + e, copy + j * next + e, next, c + j * q->c_column + e);
            }
            for (; j + 4 <= q->p; j += 4) {
                NAME(ask)(q, s, q->share);
                NAME(tile)(4, 1, q, a + e, copy + j * next + e, next, c + j * q->c_column + e);
            }
            for (; j < q->p; j++) {
                NAME(ask)(q, s, q->share);
                NAME(tile)(1, 1, q, a + e, copy + j * next + e, next, c + j * q->c_column + e);
            }
        }
    }
}

/* What is constant in `known` is so in the code. */
TARGET TM_INLINE void NAME(each)(const lanes known, int64_t count, const T *a, const T *b, T *c)
{
    _Alignas(64) T copy[COPIED / sizeof(T)];
    const lanes *q = &known;
    NAME(asking) s = {NULL, NULL, 0, 0, false};
    for (int64_t e = 0; e < count; e += q->width) {
        const int64_t width = count - e < q->width ? count - e : q->width;
        if (q->ahead && e % q->ahead == 0 && count - e >= 2 * q->ahead)
            s = (NAME(asking)){a + e + q->ahead, b + e + q->ahead, 0, 0, false};
        if (e == 0 || q->b_step != 0)
            NAME(copy)(q, width, b + e * q->b_step, copy);
        NAME(block)(q, width, a + e, copy, c + e, &s);
    }
}

TARGET TM_INLINE void NAME(sized)(const lanes *q, int64_t n, int64_t p, int64_t width,
                                  int64_t count, const T *a, const T *b, T *c)
{
    lanes known = *q;
    known.n = n;
    known.p = p;
    known.width = width;
    known.stream = true;
    if (q->stream) {
        NAME(each)(known, count, a, b, c);
        return;
    }
    known.stream = false;
    NAME(each)(known, count, a, b, c);
}

TARGET static void NAME(lanes)(const lanes *q, int64_t count, const void *a, const void *b, void *c)
{
    if (q->p == 1)
        NAME(sized)(q, q->n, 1, q->width, count, a, b, c);
    else if (SIZED && q->n == 4 && q->p == 4)
        NAME(sized)(q, 4, 4, LANES, count, a, b, c);
    else if (SIZED && q->n == 8 && q->p == 8)
        NAME(sized)(q, 8, 8, LANES, count, a, b, c);
    else if (SIZED && q->n == 16 && q->p == 16)
        NAME(sized)(q, 16, 16, LANES, count, a, b, c);
    else
        NAME(sized)(q, q->n, q->p, LANES, count, a, b, c);
}

#undef SIZED
#undef STREAM
#undef NAME
