/* sorting_network.h: sorting networks over rows of lanes, for one type of element and number of
 * lanes; included by sorting_level.h once for each.
 *
 * TARGET names the instructions; T is the type of what is in memory, ROW how many of them from one
 * row to the next. V is what is sorted of each row, LOAD(v, w) and STORE(w, v) move it from and to
 * memory, ORDER(a, b) puts, lane by lane, the lesser of two elements into *a and the greater into
 * *b. NAME(x) is a name of its own for x.
 *
 * Each lane is a sequence of its own, sorted down the rows. Every comparison puts the lesser
 * element into the upper row, so rows of greatest elements at the end stay where they are: a
 * sequence whose length is no power of two is followed by them.
 *
 * Blocks of 16 rows are sorted by merging odd and even rows. Longer runs are merged bitonically:
 * rows that mirror each other are compared, then rows at falling distances. As many of these steps
 * as the registers hold are done on one set of rows.
 */

TARGET TM_INLINE void NAME(merge4)(V *r, int s)
{
    ORDER(r, r + 2 * s);
    ORDER(r + s, r + 3 * s);
    ORDER(r + s, r + 2 * s);
}

TARGET TM_INLINE void NAME(merge8)(V *r, int s)
{
    NAME(merge4)(r, 2 * s);
    NAME(merge4)(r + s, 2 * s);
    ORDER(r + s, r + 2 * s);
    ORDER(r + 3 * s, r + 4 * s);
    ORDER(r + 5 * s, r + 6 * s);
}

TARGET TM_INLINE void NAME(sort8)(V *r)
{
    for (int k = 0; k < 8; k += 2)
        ORDER(r + k, r + k + 1);
    NAME(merge4)(r, 1);
    NAME(merge4)(r + 4, 1);
    NAME(merge8)(r, 1);
}

TARGET TM_INLINE void NAME(sort16)(T *w)
{
    V r[16];
    for (int k = 0; k < 16; k++)
        LOAD(r + k, w + k * ROW);
    NAME(sort8)(r);
    NAME(sort8)(r + 8);
    NAME(merge8)(r, 2);
    NAME(merge8)(r + 1, 2);
    for (int k = 1; k < 15; k += 2)
        ORDER(r + k, r + k + 1);
    for (int k = 0; k < 16; k++)
        STORE(w + k * ROW, r + k);
}

/* Rows at distance 1; at 2 and 1; at 4, 2 and 1. */
TARGET TM_INLINE void NAME(clean2)(V *r)
{
    ORDER(r, r + 1);
}

TARGET TM_INLINE void NAME(clean4)(V *r)
{
    ORDER(r, r + 2);
    ORDER(r + 1, r + 3);
    NAME(clean2)(r);
    NAME(clean2)(r + 2);
}

TARGET TM_INLINE void NAME(clean8)(V *r)
{
    for (int k = 0; k < 4; k++)
        ORDER(r + k, r + k + 4);
    NAME(clean4)(r);
    NAME(clean4)(r + 4);
}

/* The same with `distance` for 1, from each of as many rows. */
#define CLEAN_ROWS(R)                                                                              \
    TARGET TM_INLINE void NAME(clean_rows##R)(T * w, int64_t distance)                             \
    {                                                                                              \
        for (int64_t i = 0; i < distance; i++) {                                                   \
            V r[R];                                                                                \
            for (int k = 0; k < R; k++)                                                            \
                LOAD(r + k, w + (i + k * distance) * ROW);                                         \
            NAME(clean##R)(r);                                                                     \
            for (int k = 0; k < R; k++)                                                            \
                STORE(w + (i + k * distance) * ROW, r + k);                                        \
        }                                                                                          \
    }
CLEAN_ROWS(2)
CLEAN_ROWS(4)
CLEAN_ROWS(8)
#undef CLEAN_ROWS

/* Compares rows at distance `far`, a power of two, then at half of it, down to 1, among the first
 * n rows and the greatest ones that follow them. */
TARGET TM_INLINE void NAME(clean)(T *w, int64_t n, int64_t far)
{
    for (; far >= 4; far /= 8)
        for (int64_t at = 0; at < n; at += 2 * far)
            NAME(clean_rows8)(w + at * ROW, far / 4);
    if (far == 2)
        for (int64_t at = 0; at < n; at += 4)
            NAME(clean_rows4)(w + at * ROW, 1);
    else if (far == 1)
        for (int64_t at = 0; at < n; at += 2)
            NAME(clean_rows2)(w + at * ROW, 1);
}

/* The beginning of a merge of two sorted runs: the comparison of mirrored rows and the distances
 * run / 2 and run / 4. After `second` rows of the second run all are greatest. */
TARGET TM_INLINE void NAME(mirror)(T *w, int64_t run, int64_t second)
{
    int64_t quarter = run / 4, step = quarter * ROW, first = quarter - second;
    for (int64_t i = first > 0 ? first : 0; i < quarter; i++) {
        V r[8];
        T *up = w + i * ROW, *down = w + (2 * run - 1 - i) * ROW;
        for (int k = 0; k < 4; k++) {
            LOAD(r + k, up + k * step);
            LOAD(r + 7 - k, down - k * step);
        }
        for (int k = 0; k < 4; k++)
            ORDER(r + k, r + 7 - k);
        NAME(clean4)(r);
        NAME(clean4)(r + 4);
        for (int k = 0; k < 4; k++) {
            STORE(up + k * step, r + k);
            STORE(down - k * step, r + 7 - k);
        }
    }
}

/* Sorts n rows; those from n to the next power of two, or to 16, are there and are greatest. */
TARGET TM_INLINE void NAME(sort_rows)(T *w, int64_t n)
{
    for (int64_t at = 0; at < n; at += 16)
        NAME(sort16)(w + at * ROW);
    for (int64_t run = 16; run < n; run *= 2) {
        int64_t at = 0;
        for (; at + run < n; at += 2 * run)
            NAME(mirror)(w + at * ROW, run, n - at - run);
        NAME(clean)(w, at < n ? at : n, run / 8);
    }
}

/* Of two sorted runs of `run` rows, a power of two, the lesser half becomes the first one. */
TARGET TM_INLINE void NAME(keep_rows)(T *w, T *other, int64_t run)
{
    for (int64_t i = 0; i < run; i++) {
        V a, b;
        LOAD(&a, w + i * ROW);
        LOAD(&b, other + (run - 1 - i) * ROW);
        ORDER(&a, &b);
        STORE(w + i * ROW, &a);
    }
    NAME(clean)(w, run, run / 2);
}
