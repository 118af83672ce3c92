/* sorting_radix.h: a stable radix sort for one type of element, a byte of the key at a time from
 * the lowest; included by sorting_order.c once for each.
 *
 * E is the element type, KEY(e) what is compared, of which the bits from FROM on count; NAME(x) is
 * a name of its own for x. A byte that is the same in all keys takes no pass.
 */

/* Sorts n elements of `from`; the result is in the one of the two buffers that is returned. */
static E *NAME(radix_sort)(E *from, E *to, int64_t n)
{
    enum { DIGITS = 8 - (FROM) / 8, VALUES = 256 };
    int64_t place[DIGITS][VALUES] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            place[d][KEY(from[i]) >> ((FROM) + 8 * d) & 0xff]++;
    for (int d = 0; d < DIGITS; d++) {
        const int shift = (FROM) + 8 * d;
        if (place[d][KEY(from[0]) >> shift & 0xff] == n)
            continue;
        int64_t next = 0;
        for (int v = 0; v < VALUES; v++) {
            const int64_t count = place[d][v];
            place[d][v] = next;
            next += count;
        }
        for (int64_t i = 0; i < n; i++)
            to[place[d][KEY(from[i]) >> shift & 0xff]++] = from[i];
        E *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

#undef E
#undef KEY
#undef FROM
#undef NAME
