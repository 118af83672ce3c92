/* fourier_cache.h: the memory of plans. */
#ifndef TM_OPS_FOURIER_CACHE_H
#define TM_OPS_FOURIER_CACHE_H

#include "fourier_plan.h"

/** Makes a plan (fourier_plan.c); NULL on lack of memory. */
tm_fft_plan *tm_fft_make(tm_dtype dtype, int64_t n);

/** From the library's allocator, uncounted: plans outlive the calls that make them. */
void *tm_fft_alloc(size_t bytes);
void tm_fft_free(void *memory, size_t bytes);

#endif
