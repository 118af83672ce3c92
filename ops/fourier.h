/* fourier.h: what the metas of the Fourier transforms tell their kernel. */
#ifndef TM_OPS_FOURIER_H
#define TM_OPS_FOURIER_H

#include <transmute/kernel.h>

/** What goes in and what comes out along the last of the axes; the others are complex. */
typedef enum tm_fft_kind {
    TM_FFT_COMPLEX,  /**< complex (or real) to complex */
    TM_FFT_REAL,     /**< real to the half of the spectrum that is not redundant */
    TM_FFT_HERMITIAN /**< that half to real */
} tm_fft_kind;

typedef struct tm_fft_call {
    tm_fft_kind kind;
    bool inverse;   /**< positive exponent */
    bool conjugate; /**< of the input (TM_FFT_HERMITIAN) or the result (TM_FFT_REAL) */
    int scaling;    /**< halves of a power of the length that results are divided by: 0, 1, 2 */
    int num_axes;
    uint8_t axis[TM_MAX_NDIM]; /**< in the order they are given */
    int64_t last;              /**< length of the transform along the last of them */
    int64_t lanes;             /**< lines that are transformed together */
    size_t plane;              /**< bytes of each of the four planes of scratch memory */
} tm_fft_call;

/** The kernel of all of them. */
tm_status tm_fft_transform(tm_call *call, const tm_tensor *x, tm_tensor *out);

#endif
