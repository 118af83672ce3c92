/* tuning.h: reading the switches of transmute/tuning.h where a call is made. */
#ifndef TM_DISPATCH_TUNING_H
#define TM_DISPATCH_TUNING_H

#include <stdatomic.h>
#include <stdbool.h>

#include <transmute/tuning.h>

extern _Atomic unsigned char tm_simd_chosen;
extern _Atomic unsigned char tm_path_uses[TM_NUM_PATHS];

static inline tm_simd tm_simd_level(void)
{
    return (tm_simd)atomic_load_explicit(&tm_simd_chosen, memory_order_relaxed);
}

/** Whether to take a path that is possible, and pays if `pays`. */
static inline bool tm_path_taken(tm_path path, bool pays)
{
    unsigned char use = atomic_load_explicit(&tm_path_uses[path], memory_order_relaxed);
    return use == TM_PATH_AUTO ? pays : use == TM_PATH_ON;
}

#endif
