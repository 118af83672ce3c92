/* fourier_run.c: running a plan: its stages, and Bluestein's convolution around them. */
#include <string.h>

#include "fourier_plan.h"
#include "loops.h"
#include "simd.h"

#define REAL float
#define NAME(x) x##_float32
#include "fourier_run.h"

#define REAL double
#define NAME(x) x##_float64
#include "fourier_run.h"

static tm_fft_planes run_stages(const tm_fft_plan *plan, int64_t lanes, tm_fft_planes x,
                                tm_fft_planes other)
{
    for (int i = 0; i < plan->num_stages; i++) {
        if (plan->dtype == TM_FLOAT32)
            run_stage_float32(plan, &plan->stage[i], lanes, x, other);
        else
            run_stage_float64(plan, &plan->stage[i], lanes, x, other);
        tm_fft_planes result = other;
        other = x;
        x = result;
    }
    return x;
}

static void multiply(const tm_fft_plan *plan, int64_t at, int64_t count, int64_t lanes,
                     tm_fft_planes x)
{
    if (plan->dtype == TM_FLOAT32)
        multiply_float32(plan, at, count, lanes, x);
    else
        multiply_float64(plan, at, count, lanes, x);
}

static tm_fft_planes exchanged(tm_fft_planes x)
{
    return (tm_fft_planes){x.im, x.re};
}

tm_fft_planes tm_fft_run(const tm_fft_plan *plan, int64_t lanes, tm_fft_planes x,
                         tm_fft_planes other)
{
    if (plan->work == plan->n)
        return run_stages(plan, lanes, x, other);
    size_t item = tm_dtype_size(plan->dtype);
    size_t used = (size_t)(plan->n * lanes) * item;
    size_t padding = (size_t)((plan->work - plan->n) * lanes) * item;
    multiply(plan, plan->chirp, plan->n, lanes, x);
    memset((char *)x.re + used, 0, padding);
    memset((char *)x.im + used, 0, padding);
    tm_fft_planes y = run_stages(plan, lanes, x, other);
    other = y.re == x.re ? other : x;
    multiply(plan, plan->spectrum, plan->work, lanes, y);
    y = exchanged(run_stages(plan, lanes, exchanged(y), exchanged(other)));
    multiply(plan, plan->chirp, plan->n, lanes, y);
    return y;
}
