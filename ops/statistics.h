/* statistics.h: what the metas of statistics tell their kernels. */
#ifndef TM_OPS_STATISTICS_H
#define TM_OPS_STATISTICS_H

#include <stdbool.h>

/** var and std. */
typedef struct tm_spread {
    double correction; /**< taken from the number of elements */
    bool root;         /**< std */
} tm_spread;

/** What a quantile between two elements is. */
typedef enum tm_quantile_method {
    TM_QUANTILE_LINEAR = 0,
    TM_QUANTILE_LOWER,
    TM_QUANTILE_HIGHER,
    TM_QUANTILE_MIDPOINT,
    TM_QUANTILE_NEAREST, /**< of two equally near the one at the even place */
    TM_NUM_QUANTILE_METHODS
} tm_quantile_method;

#endif
