/* solve.h: a system of linear equations, in a kernel's workspace. */
#ifndef TM_OPS_SOLVE_H
#define TM_OPS_SOLVE_H

#include "lapack.h"

typedef struct tm_system {
    tm_dtype dtype;
    bool small;         /**< as tm_is_small has it */
    int64_t n, k;       /**< a is (n, n), b is (n, k) */
    void *a, *b;        /**< buffers */
    lapack_int *pivots; /**< n */
} tm_system;

/** The right-hand sides in x2, as a meta sees it: a 1-D x2 is one. */
int64_t tm_num_right_sides(const tm_tensor *x2);
/** The checks and the workspace of a system; `matrix` is the name of x1. */
tm_status tm_system_meta(tm_call *call, const char *matrix, const tm_tensor *x1,
                         const tm_tensor *x2);
tm_system tm_carve_system(tm_carver *w, tm_dtype dtype, int64_t n, int64_t k);
/** Brings both sides into the workspace, in out's dtype. TM_ERR_NO_KERNEL where the system is not
 *  small and there is no LAPACK. */
tm_status tm_load_system(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                         const tm_tensor *out, tm_system *s);

#endif
