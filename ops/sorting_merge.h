/* sorting_merge.h: a stable merge sort for one type of element; included by sorting_order.c once
 * for each.
 *
 * E is the element type, KEY(e) what is compared, SELECT(c, a, b) means c ? a : b, NAME(x) is a
 * name of its own for x. Which element comes next decides about pointers and not about jumps, so
 * the cost does not depend on the data.
 */

/* Two runs of equal length w: the first w elements from the front and the last w from the back,
 * which are independent of each other and never run past an end. */
static inline void NAME(merge_equal)(const E *left, int64_t w, E *to)
{
    const E *right = left + w, *left_back = left + w - 1, *right_back = right + w - 1;
    E *back = to + 2 * w - 1;
    for (int64_t i = 0; i < w; i++) {
        bool from_right = KEY(*right) < KEY(*left);
        *to++ = SELECT(from_right, *right, *left);
        right += from_right;
        left += !from_right;
        bool from_left = KEY(*right_back) < KEY(*left_back);
        *back-- = SELECT(from_left, *left_back, *right_back);
        left_back -= from_left;
        right_back -= !from_left;
    }
}

static void NAME(merge)(const E *left, int64_t left_count, int64_t right_count, E *to)
{
    const E *right = left + left_count, *left_end = right, *right_end = right + right_count;
    while (left < left_end && right < right_end) {
        bool from_right = KEY(*right) < KEY(*left);
        *to++ = SELECT(from_right, *right, *left);
        right += from_right;
        left += !from_right;
    }
    memcpy(to, left, (size_t)(left_end - left) * sizeof(E));
    memcpy(to + (left_end - left), right, (size_t)(right_end - right) * sizeof(E));
}

/* Sorts n elements of `from`; the result is in the one of the two buffers that is returned. */
static E *NAME(merge_sort)(E *from, E *to, int64_t n)
{
    for (int64_t w = 1; w < n; w *= 2) {
        int64_t at = 0;
        for (; at + 2 * w <= n; at += 2 * w)
            NAME(merge_equal)(from + at, w, to + at);
        if (at + w < n)
            NAME(merge)(from + at, w, n - at - w, to + at);
        else
            memcpy(to + at, from + at, (size_t)(n - at) * sizeof(E));
        E *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

#undef SELECT
