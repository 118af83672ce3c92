/* convolution_tiles.h: the arithmetic of direct convolutions, compiled for each level of vector
 * instructions. float32 and float64.
 */
#ifndef TM_OPS_CONVOLUTION_TILES_H
#define TM_OPS_CONVOLUTION_TILES_H

#include <transmute/kernel.h>

/** The most lanes there are: what may be read beyond the last position, and written beyond the last
 *  sum that is wanted. */
enum { TM_TAP_LANES = 16 };

/** The positions that are computed together. */
int64_t tm_tap_lanes(tm_dtype dtype);

/** As many positions side by side, and where their sums go, in elements. */
typedef struct tm_tap_place {
    int64_t from, to;
} tm_tap_place;

/** For each of `rows`, and each position p of a place: the sum, over the taps in order, of
 *  weight[row * taps + t] * x[offset[t] + from + p], and then bias[row], at to[row * step + to +
 * p]. bias may be NULL. Places may overlap. */
typedef struct tm_tap_sums {
    const void *weight, *x, *bias;
    const int32_t *offset;
    const tm_tap_place *place;
    int64_t rows, taps, count;
    void *to;
    int64_t step;
} tm_tap_sums;

void tm_tap_sums_run(tm_dtype dtype, const tm_tap_sums *s);

/** n sums, and where they belong, in elements. */
typedef struct tm_sums_row {
    int64_t from, n, to;
} tm_sums_row;

/** Copies them there. */
void tm_sums_spread(tm_dtype dtype, const char *sums, const tm_sums_row *rows, int64_t num,
                    char *to);
/** Copies rows of n elements, that lie so many bytes apart. */
void tm_rows_pack(tm_dtype dtype, const char *from, int64_t from_row, char *to, int64_t to_row,
                  int64_t rows, int64_t n);

#endif
