/* sorting_lanes.h: many sequences sorted at once, one in each lane of rows.
 *
 * Row i holds the i-th element of every sequence. Rows are 64 bytes and lie on such a boundary;
 * those of pairs, TM_LANES64 keys and then as many indices, are two of that.
 */
#ifndef TM_OPS_SORTING_LANES_H
#define TM_OPS_SORTING_LANES_H

#include <stdint.h>

enum {
    TM_LANES32 = 16,
    TM_LANES64 = 8,
    TM_PAIR_ROW = 2 * TM_LANES64,
    TM_LANES_MOST_ROWS = 4096
}; /* beyond, sorting one sequence at a time is as fast */

/** Sorts n rows of numbers, or of pairs, of which no two in a lane are equal. The rows from n to
 * the next power of two, at least 16, must be there and hold greatest elements (INT32_MAX,
 * INT64_MAX). */
void tm_lanes_sort32(int32_t *w, int64_t n);
void tm_lanes_sort64(int64_t *w, int64_t n);
void tm_lanes_sort_pairs(int64_t *w, int64_t n);

/** Two sorted runs of `run` rows, a power of two: the least `run` of both, sorted, go to w; what is
 * left in `other` is not sorted. */
void tm_lanes_keep64(int64_t *w, int64_t *other, int64_t run);
void tm_lanes_keep_pairs(int64_t *w, int64_t *other, int64_t run);

#endif
