/* solve_small.c: LU and triangular systems of small real matrices: for one matrix, and for a batch
 * in lanes. */
#include "solve_small.h"

#include "ops_kernels.h"

/* Columns that are computed side by side. */
enum { AT_ONCE = 4 };

#define TM_LANES_BODY "solve_lanes.h"
#include "lanes_versions.h"

const tm_lanes_kernel tm_solve_lanes[] = TM_LANES_TABLE(solve_lanes, TM_SMALL);
const tm_lanes_kernel tm_inv_lanes[] = TM_LANES_TABLE(inv_lanes, TM_SMALL);
const tm_lanes_kernel tm_det_lanes[] = TM_LANES_TABLE(det_lanes, TM_SMALL);
const tm_lanes_kernel tm_slogdet_lanes[] = TM_LANES_TABLE(slogdet_lanes, TM_SMALL);
const tm_lanes_kernel tm_lu_factor_lanes[] = TM_LANES_TABLE(lu_factor_lanes, TM_SMALL);
const tm_lanes_kernel tm_lu_lanes[] = TM_LANES_TABLE(lu_lanes, TM_SMALL);
const tm_lanes_kernel tm_triangular_solve_lanes[] =
    TM_LANES_TABLE(triangular_solve_lanes, TM_SMALL);
const tm_lanes_kernel tm_cholesky_solve_lanes[] = TM_LANES_TABLE(cholesky_solve_lanes, TM_SMALL);

#define FACTOR(type, name)                                                                         \
    {                                                                                              \
        type at[TM_SMALL];                                                                         \
        zero = lu_##name##_1(rows, columns, a, sides, b, true, at);                                \
        for (int64_t k = 0; k < steps; k++)                                                        \
            pivots[k] = (lapack_int)at[k] + 1;                                                     \
    }

TM_INLINE int64_t lu_body(tm_dtype dtype, int64_t rows, int64_t columns, void *a,
                          lapack_int *pivots, int64_t sides, void *b)
{
    int64_t zero, steps = tm_shorter(rows, columns);
    if (dtype == TM_FLOAT32)
        FACTOR(int32_t, f32)
    else
        FACTOR(int64_t, f64)
    return zero;
}

TM_INLINE void substitute_body(tm_dtype dtype, int64_t n, const void *a, tm_triangle t,
                               int64_t sides, void *b)
{
    int64_t row = t.transpose ? n : 1, column = t.transpose ? 1 : n;
    bool upper = t.upper != t.transpose;
    if (dtype == TM_FLOAT32)
        substitute_f32_1(n, a, row, column, upper, t.unit, sides, b);
    else
        substitute_f64_1(n, a, row, column, upper, t.unit, sides, b);
}

TM_SIMD_FUNCTIONS(int64_t, lu_versions, lu_body,
                  (tm_dtype dtype, int64_t rows, int64_t columns, void *a, lapack_int *pivots,
                   int64_t sides, void *b),
                  (dtype, rows, columns, a, pivots, sides, b))
TM_SIMD_VERSIONS(substitute_versions, substitute_body,
                 (tm_dtype dtype, int64_t n, const void *a, tm_triangle t, int64_t sides, void *b),
                 (dtype, n, a, t, sides, b))

int64_t tm_lu_small(tm_dtype dtype, int64_t rows, int64_t columns, void *a, lapack_int *pivots,
                    int64_t sides, void *b)
{
    return lu_versions(dtype, rows, columns, a, pivots, sides, b);
}

void tm_substitute_small(tm_dtype dtype, int64_t n, const void *a, tm_triangle t, int64_t sides,
                         void *b)
{
    substitute_versions(dtype, n, a, t, sides, b);
}
