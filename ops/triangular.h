/* triangular.h: which part of a matrix triu and tril keep. */
#ifndef TM_OPS_TRIANGULAR_H
#define TM_OPS_TRIANGULAR_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t tm_triangle_clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/** What row i keeps: columns [*from, *to). */
static inline void tm_triangle_row(int64_t i, int64_t rows, int64_t columns, int64_t k, bool upper,
                                   int64_t *from, int64_t *to)
{
    /* Beyond the corners every k means the same, and row + k cannot overflow. */
    k = tm_triangle_clamp(k, -rows - 1, columns + 1);
    *from = upper ? tm_triangle_clamp(i + k, 0, columns) : 0;
    *to = upper ? columns : tm_triangle_clamp(i + k + 1, 0, columns);
}

#endif
