/* fourier_block.c: contiguous lines into lanes and back, by what the processor has. */
#include "fourier_block.h"

#define TM_REALS_BODY "fourier_turn.h"
#include "simd_reals.h"

int64_t tm_fft_load(tm_dtype dtype, const tm_fft_block *b, const char *const *line)
{
    return TM_REALS_PICK(load, dtype)(b, line);
}

int64_t tm_fft_store(tm_dtype dtype, const tm_fft_block *b, char *const *line)
{
    return TM_REALS_PICK(store, dtype)(b, line);
}
