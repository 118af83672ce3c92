/* fourier_block.h: contiguous lines into the lanes of a transform's planes, and back. */
#ifndef TM_OPS_FOURIER_BLOCK_H
#define TM_OPS_FOURIER_BLOCK_H

#include <transmute/types.h>

/** As many lines as these divide fill whole vectors. */
enum { TM_FFT_BLOCK_LANES = 16 };

typedef struct tm_fft_block {
    void *re, *im; /**< rows of `lanes` numbers, a multiple of TM_FFT_BLOCK_LANES */
    int64_t lanes;
    int64_t count; /**< the numbers of a line; of a complex element there are two */
    bool pairs;    /**< complex elements; else real numbers, in re */
    bool negative; /**< imaginary parts change their sign */
    double scale;  /**< of what is stored */
} tm_fft_block;

/** As many numbers of each line as whole blocks have; returns how many. What is left of a line is
 *  the caller's to do. dtype: TM_FLOAT32 or TM_FLOAT64, of the numbers. */
int64_t tm_fft_load(tm_dtype dtype, const tm_fft_block *b, const char *const *line);
int64_t tm_fft_store(tm_dtype dtype, const tm_fft_block *b, char *const *line);

#endif
