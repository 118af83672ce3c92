/* fourier_plan.c: making plans.
 *
 * Twiddle factors are computed in float64 from an angle reduced to an eighth of a turn in whole
 * numbers, so each is right to a unit in the last place whatever the length.
 */
#include "fourier_plan.h"

#include <math.h>

#include "fourier_cache.h"

/* -- Lengths ----------------------------------------------------------------------------------- */

/* The radices for a length, 4 first: n is their product times what is returned. */
static int64_t factor(int64_t n, int64_t *radix, int *count)
{
    *count = 0;
    for (; n % 4 == 0; n /= 4)
        radix[(*count)++] = 4;
    for (int64_t r = 2; r <= TM_FFT_LARGEST_RADIX; r++)
        for (; n % r == 0; n /= r)
            radix[(*count)++] = r;
    return n;
}

/* The least number >= least whose factors are 2, 3 and 5; negative where it is beyond int64. */
static int64_t smooth_length(int64_t least)
{
    int64_t best = INT64_MAX;
    if (least > INT64_MAX / 32)
        return -1;
    for (int64_t five = 1; five < 2 * least; five *= 5)
        for (int64_t three = five; three < 2 * least; three *= 3) {
            int64_t m = three;
            while (m < least)
                m *= 2;
            best = m < best ? m : best;
        }
    return best;
}

int64_t tm_fft_work(int64_t n)
{
    int64_t radix[TM_FFT_MAX_STAGES];
    int count;
    if (factor(n, radix, &count) == 1)
        return n;
    return n > INT64_MAX / 2 ? -1 : smooth_length(2 * n - 1);
}

/* -- Tables ------------------------------------------------------------------------------------ */

/* cos and sin of 2 pi k / n, for 0 <= k < n < 2^60. */
static void unit_root(int64_t k, int64_t n, double *cosine, double *sine)
{
    const double eighth = 0x1.921fb54442d18p-1; /* pi / 4 */
    int64_t octant = 8 * k / n, rest = 8 * k - octant * n;
    if (octant % 2)
        rest = n - rest; /* down from the octant's far end */
    double angle = (double)rest / (double)n * eighth;
    double c = cos(angle), s = sin(angle);
    bool steep = octant == 1 || octant == 2 || octant == 5 || octant == 6;
    double x = steep ? s : c, y = steep ? c : s;
    *cosine = octant >= 2 && octant < 6 ? -x : x;
    *sine = octant >= 4 ? -y : y;
}

static void put(tm_fft_plan *plan, int64_t at, double value)
{
    if (plan->dtype == TM_FLOAT32)
        ((float *)(void *)plan->tables)[at] = (float)value;
    else
        ((double *)(void *)plan->tables)[at] = value;
}

static void fill_stage(tm_fft_plan *plan, const tm_fft_stage *s)
{
    double cosine, sine;
    int64_t n = s->radix * s->rest, count = (s->radix - 1) * s->rest;
    for (int64_t j = 1; j < s->radix; j++)
        for (int64_t p = 0; p < s->rest; p++) {
            int64_t at = s->twiddle + (j - 1) * s->rest + p;
            unit_root(j * p, n, &cosine, &sine);
            put(plan, at, cosine);
            put(plan, at + count, -sine);
        }
    for (int64_t k = 0; s->radix % 2 && k < s->radix; k++) {
        unit_root(k, s->radix, &cosine, &sine);
        put(plan, s->roots + k, cosine);
        put(plan, s->roots + s->radix + k, sine);
    }
}

/* The chirp exp(-pi i k^2 / n), and the transform of its conjugate over -n < k < n, wrapped around
 * the longer length and divided by it. With jk = (j^2 + k^2 - (j - k)^2) / 2 a transform of length
 * n is a convolution with it (Bluestein 1970). The transform is computed in float64. */
static bool fill_chirp(tm_fft_plan *plan)
{
    int64_t n = plan->n, m = plan->work;
    const tm_fft_plan *inner = tm_fft_take(TM_FLOAT64, m);
    size_t bytes = (size_t)m * 4 * sizeof(double);
    double *room = inner ? tm_fft_alloc(bytes) : NULL;
    if (room) {
        tm_fft_planes x = {room, room + m}, other = {room + 2 * m, room + 3 * m};
        for (int64_t k = 0; k < 2 * m; k++)
            room[k] = 0;
        for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
            double cosine, sine; /* square is k * k modulo 2 n */
            unit_root(square, 2 * n, &cosine, &sine);
            put(plan, plan->chirp + k, cosine);
            put(plan, plan->chirp + n + k, -sine);
            room[k] = room[k ? m - k : 0] = cosine;
            room[m + k] = room[m + (k ? m - k : 0)] = sine;
        }
        x = tm_fft_run(inner, 1, x, other);
        const double *re = x.re, *im = x.im;
        for (int64_t k = 0; k < m; k++) {
            put(plan, plan->spectrum + k, re[k] / (double)m);
            put(plan, plan->spectrum + m + k, im[k] / (double)m);
        }
        tm_fft_free(room, bytes);
    }
    if (inner)
        tm_fft_give_back(inner);
    return room != NULL;
}

tm_fft_plan *tm_fft_make(tm_dtype dtype, int64_t n)
{
    int64_t radix[TM_FFT_MAX_STAGES], at = 0, stride = 1;
    tm_fft_plan p = {.dtype = dtype, .n = n, .work = tm_fft_work(n)};
    if (p.work < 0 || p.work > INT64_MAX / 256) /* more than any memory: its tables' bytes fit */
        return NULL;
    factor(p.work, radix, &p.num_stages);
    for (int i = 0; i < p.num_stages; i++) {
        tm_fft_stage *s = &p.stage[i];
        *s =
            (tm_fft_stage){.radix = radix[i], .rest = p.work / stride / radix[i], .stride = stride};
        s->twiddle = at;
        at += 2 * (s->radix - 1) * s->rest;
        s->roots = at;
        at += s->radix % 2 ? 2 * s->radix : 0;
        stride *= s->radix;
    }
    if (p.work != n) {
        p.chirp = at;
        p.spectrum = at + 2 * n;
        at += 2 * n + 2 * p.work;
    }
    p.bytes = sizeof p + (size_t)at * tm_dtype_size(dtype);
    tm_fft_plan *plan = tm_fft_alloc(p.bytes);
    if (!plan)
        return NULL;
    *plan = p;
    plan->tables = (char *)(plan + 1);
    for (int i = 0; i < plan->num_stages; i++)
        fill_stage(plan, &plan->stage[i]);
    if (p.work != n && !fill_chirp(plan)) {
        tm_fft_free(plan, plan->bytes);
        return NULL;
    }
    return plan;
}
