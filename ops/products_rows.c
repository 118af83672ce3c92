/* products_rows.c: a matrix times a vector, where the matrix's rows lie without gaps: the matrix is
 * read once, in order.
 *
 * A sum over n is taken in parts, one for each lane of a 64-byte vector; the parts are added up by
 * halves. So the bits depend neither on the instructions nor on how many products there are.
 *
 * Rows that a cache may hold are summed several together. What comes from memory does at its rate
 * only where it is read line after line: row by row.
 */
#include <string.h>

#include "dispatch/bypass.h"
#include "products.h"
#include "simd.h"

enum {
    AT_ONCE = 4,   /* rows whose sums are under way together */
    GROUP = 16384, /* bytes of vectors that a row of every product is multiplied with */
    COPIED = 1024, /* elements of a vector that is copied */
    AHEAD = 8192   /* bytes that matrices read line after line are fetched ahead */
};

/* Products of one shape; steps in elements. */
typedef struct rows {
    int64_t m, n;
    int64_t a_row, b_row, c_row;
    int64_t a_step, b_step, c_step; /* from one product to the next */
    int64_t group;                  /* products whose rows are read in turn */
    bool in_order;                  /* whether a matrix is read row by row */
} rows;

typedef float float_4 __attribute__((vector_size(16)));
typedef float float_8 __attribute__((vector_size(32)));
typedef float float_16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef double double_2 __attribute__((vector_size(16)));
typedef double double_4 __attribute__((vector_size(32)));
typedef double double_8 __attribute__((vector_size(64), aligned(8), may_alias));

TM_INLINE float sum_float(const float_16 *parts)
{
    const float_16 x = *parts;
    const float_8 y = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                      __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    const float_4 z =
        __builtin_shufflevector(y, y, 0, 1, 2, 3) + __builtin_shufflevector(y, y, 4, 5, 6, 7);
    return (z[0] + z[2]) + (z[1] + z[3]);
}

TM_INLINE double sum_double(const double_8 *parts)
{
    const double_8 x = *parts;
    const double_4 y =
        __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
    const double_2 z = __builtin_shufflevector(y, y, 0, 1) + __builtin_shufflevector(y, y, 2, 3);
    return z[0] + z[1];
}

#define ROWS(T, LANES, VECTOR)                                                                     \
    TM_INLINE void dots_##T(const int count, int64_t n, const T *a, int64_t row, const T *x, T *c, \
                            int64_t c_row)                                                         \
    {                                                                                              \
        VECTOR sum[AT_ONCE];                                                                       \
        for (int r = 0; r < count; r++)                                                            \
            sum[r] = (VECTOR){0};                                                                  \
        int64_t k = 0;                                                                             \
        for (; k + LANES <= n; k += LANES) {                                                       \
            const VECTOR factor = *(const VECTOR *)(const void *)(x + k);                          \
            if (count == 1)                                                                        \
                __builtin_prefetch(a + k + AHEAD / (int)sizeof(T));                                \
            for (int r = 0; r < count; r++)                                                        \
                sum[r] += *(const VECTOR *)(const void *)(a + r * row + k) * factor;               \
        }                                                                                          \
        if (k < n) {                                                                               \
            const size_t left = (size_t)(n - k) * sizeof(T);                                       \
            VECTOR factor = {0}, part = {0};                                                       \
            memcpy(&factor, x + k, left);                                                          \
            for (int r = 0; r < count; r++) {                                                      \
                memcpy(&part, a + r * row + k, left);                                              \
                sum[r] += part * factor;                                                           \
            }                                                                                      \
        }                                                                                          \
        for (int r = 0; r < count; r++)                                                            \
            c[r * c_row] = sum_##T(&sum[r]);                                                       \
    }                                                                                              \
                                                                                                   \
    TM_INLINE void all_rows_##T(const rows *q, const T *a, const T *x, T *c)                       \
    {                                                                                              \
        int64_t i = 0;                                                                             \
        for (; !q->in_order && i + AT_ONCE <= q->m; i += AT_ONCE)                                  \
            dots_##T(AT_ONCE, q->n, a + i * q->a_row, q->a_row, x, c + i * q->c_row, q->c_row);    \
        for (; i < q->m; i++)                                                                      \
            dots_##T(1, q->n, a + i * q->a_row, q->a_row, x, c + i * q->c_row, q->c_row);          \
    }                                                                                              \
                                                                                                   \
    /* Where the same row of the next product comes right after a row, it is read next. */         \
    TM_INLINE void in_turn_##T(const rows *q, int64_t count, const T *a, const T *x, T *c)         \
    {                                                                                              \
        for (int64_t i = 0; i < q->m; i++)                                                         \
            for (int64_t e = 0; e < count; e++)                                                    \
                dots_##T(1, q->n, a + i * q->a_row + e * q->a_step, 0, x + e * q->b_step,          \
                         c + i * q->c_row + e * q->c_step, 0);                                     \
    }                                                                                              \
                                                                                                   \
    TM_INLINE void copied_##T(const rows *q, int64_t count, const T *a, const T *x, T *c)          \
    {                                                                                              \
        T vector[COPIED];                                                                          \
        for (int64_t e = 0; e < count; e++, a += q->a_step, x += q->b_step, c += q->c_step) {      \
            for (int64_t k = 0; k < q->n; k++)                                                     \
                vector[k] = x[k * q->b_row];                                                       \
            all_rows_##T(q, a, vector, c);                                                         \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    TM_INLINE void rows_body_##T(const rows *q, int64_t count, const void *a_data,                 \
                                 const void *x_data, void *c_data)                                 \
    {                                                                                              \
        const T *a = a_data, *x = x_data;                                                          \
        T *c = c_data;                                                                             \
        if (q->b_row != 1) {                                                                       \
            copied_##T(q, count, a, x, c);                                                         \
            return;                                                                                \
        }                                                                                          \
        for (int64_t e = 0; e < count; e += q->group) {                                            \
            const int64_t group = count - e < q->group ? count - e : q->group;                     \
            if (group > 1)                                                                         \
                in_turn_##T(q, group, a + e * q->a_step, x + e * q->b_step, c + e * q->c_step);    \
            else                                                                                   \
                all_rows_##T(q, a + e * q->a_step, x + e * q->b_step, c + e * q->c_step);          \
        }                                                                                          \
    }                                                                                              \
    TM_SIMD_VERSIONS(rows_##T, rows_body_##T,                                                      \
                     (const rows *q, int64_t count, const void *a, const void *x, void *c),        \
                     (q, count, a, x, c))

ROWS(float, 16, float_16)
ROWS(double, 8, double_8)

bool tm_product_rows(const tm_product *q, const tm_products *all)
{
    const int64_t item = (int64_t)tm_dtype_size(q->dtype);
    if ((q->dtype != TM_FLOAT32 && q->dtype != TM_FLOAT64) || q->p != 1 || q->n < 64 / item ||
        q->a.column != 1 || (q->b.row != 1 && q->n > COPIED) || !tm_product_is_uniform(q))
        return false;
    rows r = {.m = q->m,
              .n = q->n,
              .a_row = q->a.row,
              .b_row = q->b.row,
              .c_row = q->c_row,
              .a_step = all->a_step,
              .b_step = all->b_step,
              .c_step = all->c_step,
              .group = 1,
              .in_order =
                  all->bytes ? all->bytes > tm_cache_core() : all->count > 1 && all->a_step != 0};
    if (q->m > 1 && r.a_step >= q->n && r.a_row >= 2 * r.a_step)
        r.group = GROUP / item / q->n + 1;
    (q->dtype == TM_FLOAT32 ? rows_float : rows_double)(&r, all->count, q->a.data, q->b.data, q->c);
    return true;
}
