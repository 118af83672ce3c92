/* losses.h: what losses share: how they are reduced, and elements as float64. */
#ifndef TM_OPS_LOSSES_H
#define TM_OPS_LOSSES_H

#include <transmute/kernel.h>

typedef enum tm_loss_reduction {
    TM_LOSS_MEAN = 0,
    TM_LOSS_SUM,
    TM_LOSS_NONE,
    TM_NUM_LOSS_REDUCTIONS
} tm_loss_reduction;

/** The reduction of that name, or TM_ERR_VALUE. */
tm_status tm_check_loss_reduction(tm_call *call, const char *text, tm_loss_reduction *reduction);
/** TM_ERR_SHAPE unless `other` has x's shape. */
tm_status tm_check_loss_shape(tm_call *call, const char *name, const tm_tensor *other,
                              const tm_tensor *x);

/** Steps a row-major index over a shape. `at` is the place, in elements, under each of `num`
 *  tensors' strides. */
static inline void tm_loss_step(int ndim, const int64_t *shape, int64_t *index, int num,
                                const int64_t *const *strides, int64_t *at)
{
    for (int d = ndim; d-- > 0;) {
        for (int k = 0; k < num; k++)
            at[k] += strides[k][d];
        if (++index[d] < shape[d])
            return;
        for (int k = 0; k < num; k++)
            at[k] -= index[d] * strides[k][d];
        index[d] = 0;
    }
}

#endif
