/* fourier_plan.h: the tables of one length of discrete Fourier transform, and running it.
 *
 * A plan never changes once it is made, so threads share it. Sequences lie in two planes, real and
 * imaginary parts; element k of lane l is at k * lanes + l, so that one pass transforms several
 * sequences, each as if it were alone.
 */
#ifndef TM_OPS_FOURIER_PLAN_H
#define TM_OPS_FOURIER_PLAN_H

#include <transmute/types.h>

/** Lengths whose prime factors are at most this are computed from their factors, others by
 *  Bluestein's method from a longer one. */
enum { TM_FFT_LARGEST_RADIX = 31, TM_FFT_MAX_STAGES = 62 };

/** One step of the mixed-radix method: the length is radix * rest, `stride` sequences lie
 *  interleaved. */
typedef struct tm_fft_stage {
    int64_t radix, rest, stride;
    int64_t twiddle; /**< where in the tables: (radix - 1) rows of `rest` real parts, then the
                          imaginary ones: row j - 1 has exp(-2 pi i j p / (radix * rest)) */
    int64_t roots;   /**< of odd radices: cos, then sin, of 2 pi k / radix */
} tm_fft_stage;

typedef struct tm_fft_plan {
    tm_dtype dtype; /**< TM_FLOAT32 or TM_FLOAT64 */
    int64_t n;      /**< the length */
    int64_t work;   /**< elements that each plane needs for a lane; the length of the stages */
    int64_t chirp, spectrum; /**< Bluestein's: where in the tables; unused where work == n */
    int num_stages;
    tm_fft_stage stage[TM_FFT_MAX_STAGES];
    int64_t refs, last_use; /**< the cache's, under its lock */
    size_t bytes;
    char *tables; /**< numbers of the plan's dtype */
} tm_fft_plan;

/** The elements a plane needs for a lane of length n >= 1; negative where that is beyond int64. */
int64_t tm_fft_work(int64_t n);
/** The plan for a length >= 1, from the cache or made anew; NULL on lack of memory. The caller owes
 *  a tm_fft_give_back. Any thread. */
const tm_fft_plan *tm_fft_take(tm_dtype dtype, int64_t n);
void tm_fft_give_back(const tm_fft_plan *plan);

/** Two planes of work * lanes numbers. */
typedef struct tm_fft_planes {
    void *re, *im;
} tm_fft_planes;

/** Transforms the lanes in `x` forward, X_j = sum_k x_k exp(-2 pi i j k / n), unscaled; `other` is
 *  room of the same size. The result is in one of the two, which is returned. With re and im
 *  exchanged, before and after, it is the inverse transform. */
tm_fft_planes tm_fft_run(const tm_fft_plan *plan, int64_t lanes, tm_fft_planes x,
                         tm_fft_planes other);

#endif
