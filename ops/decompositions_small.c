/* decompositions_small.c: factorisations of small real matrices: of one matrix, and of a batch in
 * lanes. */
#include "decompositions_small.h"

#include <float.h>

#include "ops_kernels.h"

/* Rotations converge in some six sweeps. */
enum { MOST_SWEEPS = 30 };

#define TM_LANES_BODY "decompositions_lanes.h"
#include "lanes_versions.h"

const tm_lanes_kernel tm_eigh_lanes[] = TM_LANES_TABLE(eigh_lanes, TM_SMALL_EIGH);
const tm_lanes_kernel tm_eigvalsh_lanes[] = TM_LANES_TABLE(eigvalsh_lanes, TM_SMALL_EIGH);
const tm_lanes_kernel tm_svd_lanes[] = TM_LANES_TABLE(svd_lanes, TM_SMALL_SVD);
const tm_lanes_kernel tm_svdvals_lanes[] = TM_LANES_TABLE(svdvals_lanes, TM_SMALL_SVD);
const tm_lanes_kernel tm_qr_lanes[] = TM_LANES_TABLE(qr_lanes, TM_SMALL_QR);

TM_INLINE bool eigh_body(tm_dtype dtype, int64_t n, void *a, void *values, void *vectors)
{
    return dtype == TM_FLOAT32 ? eigh_f32_1(n, a, values, vectors) != 0
                               : eigh_f64_1(n, a, values, vectors) != 0;
}

TM_INLINE bool svd_body(tm_dtype dtype, int64_t rows, int64_t columns, void *a, void *values,
                        void *v)
{
    return dtype == TM_FLOAT32 ? svd_f32_1(rows, columns, a, values, v) != 0
                               : svd_f64_1(rows, columns, a, values, v) != 0;
}

TM_INLINE void qr_body(tm_dtype dtype, int64_t rows, int64_t columns, void *a, int64_t q_columns,
                       void *q)
{
    if (dtype == TM_FLOAT32)
        qr_f32_1(rows, columns, a, q_columns, q);
    else
        qr_f64_1(rows, columns, a, q_columns, q);
}

TM_SIMD_FUNCTIONS(bool, eigh_versions, eigh_body,
                  (tm_dtype dtype, int64_t n, void *a, void *values, void *vectors),
                  (dtype, n, a, values, vectors))
TM_SIMD_FUNCTIONS(bool, svd_versions, svd_body,
                  (tm_dtype dtype, int64_t rows, int64_t columns, void *a, void *values, void *v),
                  (dtype, rows, columns, a, values, v))
TM_SIMD_VERSIONS(qr_versions, qr_body,
                 (tm_dtype dtype, int64_t rows, int64_t columns, void *a, int64_t q_columns,
                  void *q),
                 (dtype, rows, columns, a, q_columns, q))

bool tm_eigh_small(tm_dtype dtype, int64_t n, void *a, void *values, void *vectors)
{
    return eigh_versions(dtype, n, a, values, vectors);
}

/* (columns, rows) from (rows, columns). */
static void transpose(tm_dtype dtype, int64_t rows, int64_t columns, const void *from, void *to)
{
    size_t item = tm_dtype_size(dtype);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            memcpy((char *)to + (size_t)(i * columns + j) * item,
                   (const char *)from + (size_t)(j * rows + i) * item, item);
}

bool tm_svd_small(tm_dtype dtype, int64_t rows, int64_t columns, void *a, void *spare, void *u,
                  void *s, void *vh)
{
    size_t bytes = (size_t)(rows * columns) * tm_dtype_size(dtype);
    if (rows >= columns) {
        if (!svd_versions(dtype, rows, columns, a, s, vh ? spare : NULL))
            return false;
        if (u)
            memcpy(u, a, bytes);
        if (vh)
            transpose(dtype, columns, columns, spare, vh);
        return true;
    }
    transpose(dtype, rows, columns, a, spare); /* its u is this one's v, and its v our u */
    if (!svd_versions(dtype, columns, rows, spare, s, u))
        return false;
    if (vh)
        transpose(dtype, columns, rows, spare, vh);
    return true;
}

void tm_qr_small(tm_dtype dtype, int64_t rows, int64_t columns, void *a, int64_t q_columns, void *q)
{
    qr_versions(dtype, rows, columns, a, q_columns, q);
}
