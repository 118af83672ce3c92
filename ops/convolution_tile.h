/* convolution_tile.h: sums over taps, for one type and one level of vector instructions. Included
 * by convolution_tiles.c through simd_reals.h.
 *
 * A lane adds its products in the order of the taps and by itself, so no sum depends on LANES, on
 * the lane that a position is in, or on which rows are computed beside it.
 */

typedef REAL NAME(vector) __attribute__((vector_size(LANES * sizeof(REAL))));
typedef REAL NAME(vector_at)
    __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

/* `rows` of weight at so many places; the numbers are constants. */
TM_INLINE TARGET void NAME(tile)(int rows, int places, const tm_tap_sums *s, int64_t first,
                                 const tm_tap_place *place)
{
    const REAL *weight = (const REAL *)s->weight + first * s->taps, *x[8];
    NAME(vector) sum[8][8];
    TM_UNROLLED
    for (int v = 0; v < places; v++)
        x[v] = (const REAL *)s->x + place[v].from;
    TM_UNROLLED
    for (int r = 0; r < rows; r++)
        TM_UNROLLED
    for (int v = 0; v < places; v++)
        sum[r][v] = (NAME(vector)){0};
    for (int64_t t = 0; t < s->taps; t++) {
        const int64_t offset = s->offset[t];
        NAME(vector) element[8];
        TM_UNROLLED
        for (int v = 0; v < places; v++)
            element[v] = *(const NAME(vector_at) *)(const void *)(x[v] + offset);
        TM_UNROLLED
        for (int r = 0; r < rows; r++) {
            const REAL factor = weight[r * s->taps + t];
            TM_UNROLLED
            for (int v = 0; v < places; v++)
                sum[r][v] += element[v] * factor;
        }
    }
    TM_UNROLLED
    for (int r = 0; r < rows; r++)
        TM_UNROLLED
    for (int v = 0; v < places; v++) {
        REAL *to = (REAL *)s->to + (first + r) * s->step + place[v].to;
        if (s->bias)
            sum[r][v] += ((const REAL *)s->bias)[first + r];
        *(NAME(vector_at) *)(void *)to = sum[r][v];
    }
}

/* All places: several at a time, then half of that, then one by one. */
TM_INLINE TARGET void NAME(strip)(int rows, int places, const tm_tap_sums *s, int64_t first)
{
    const tm_tap_place *place = s->place, *end = place + s->count;
    for (; end - place >= places; place += places)
        NAME(tile)(rows, places, s, first, place);
    for (; end - place >= (places + 1) / 2; place += (places + 1) / 2)
        NAME(tile)(rows, (places + 1) / 2, s, first, place);
    for (; end - place > 0; place++)
        NAME(tile)(rows, 1, s, first, place);
}

TARGET static void NAME(sums)(const tm_tap_sums *s)
{
    int64_t first = 0;
#if VECTOR_BYTES == 64 /* with twice as many registers */
    for (; s->rows - first >= 8; first += 8)
        NAME(strip)(8, 3, s, first);
    for (; s->rows - first >= 4; first += 4)
        NAME(strip)(4, 6, s, first);
#else
    for (; s->rows - first >= 4; first += 4)
        NAME(strip)(4, 2, s, first);
#endif
    for (; s->rows - first >= 2; first += 2)
        NAME(strip)(2, 4, s, first);
    if (first < s->rows)
        NAME(strip)(1, 6, s, first);
}
