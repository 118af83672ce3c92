/* nest.h: walking operands through a nest of loops, from any iteration on. */
#ifndef TM_DISPATCH_NEST_H
#define TM_DISPATCH_NEST_H

#include "plan.h"

/** Loops, outermost first, over operands; steps in bytes, steps of loop l at step[l * operands]. */
typedef struct tm_nest {
    int num_loops, operands;
    const int64_t *size;
    const int64_t *step;
    char *const *base;
} tm_nest;

/** Sets pointers and indices for iteration `flat`. */
static inline void tm_nest_seek(const tm_nest *nest, int64_t flat, char **ptr, int64_t *index)
{
    for (int k = 0; k < nest->operands; k++)
        ptr[k] = nest->base[k];
    if (flat == 0) { /* divisions cost more than a small kernel */
        for (int l = 0; l < nest->num_loops; l++)
            index[l] = 0;
        return;
    }
    for (int l = nest->num_loops; l-- > 0;) {
        index[l] = flat % nest->size[l];
        flat /= nest->size[l];
        for (int k = 0; k < nest->operands; k++)
            ptr[k] += index[l] * nest->step[l * nest->operands + k];
    }
}

/** Advances loop `l`, of which `done` iterations have been walked (pointers still at the first of
 *  them), carrying into the outer loops. */
static inline void tm_nest_advance(const tm_nest *nest, int l, int64_t done, char **ptr,
                                   int64_t *index)
{
    for (; l >= 0; l--, done = 1) {
        const int64_t *step = nest->step + l * nest->operands;
        index[l] += done;
        if (index[l] < nest->size[l]) {
            for (int k = 0; k < nest->operands; k++)
                ptr[k] += done * step[k];
            return;
        }
        for (int k = 0; k < nest->operands; k++)
            ptr[k] -= (index[l] - done) * step[k];
        index[l] = 0;
    }
}

#endif
