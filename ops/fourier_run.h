/* fourier_run.h: the butterflies of fourier_run.c, for one type: REAL, and NAME(x) to name it.
 *
 * The self-sorting (Stockham) form: a stage of radix r takes inputs k = 0..r-1 that lie `in` apart,
 * and writes outputs j that lie `out` apart, times their twiddle factors. Every element goes
 * through the same operations in the same order whichever loop it is in, so neither the number of
 * lanes nor the vector length changes a bit.
 */

typedef struct NAME(stage) {
    int64_t radix, in, out, rest;
    const REAL *cosine, *sine; /* roots of the radix, where it is odd */
} NAME(stage);

/* Output j: times its twiddle factor, but in the last stage, where it is 1. */
TM_INLINE void NAME(put)(const NAME(stage) * s, REAL *yr, REAL *yi, const REAL *w, int64_t j,
                         bool last, REAL re, REAL im)
{
    if (!last && j > 0) {
        const REAL *wr = w + (j - 1) * s->rest, *wi = wr + (s->radix - 1) * s->rest;
        REAL turned = re * *wr - im * *wi;
        im = re * *wi + im * *wr;
        re = turned;
    }
    yr[j * s->out] = re;
    yi[j * s->out] = im;
}

TM_INLINE void NAME(two)(const NAME(stage) * s, const REAL *xr, const REAL *xi, REAL *yr, REAL *yi,
                         const REAL *w, bool last)
{
    const int64_t in = s->in;
    NAME(put)(s, yr, yi, w, 0, last, xr[0] + xr[in], xi[0] + xi[in]);
    NAME(put)(s, yr, yi, w, 1, last, xr[0] - xr[in], xi[0] - xi[in]);
}

TM_INLINE void NAME(four)(const NAME(stage) * s, const REAL *xr, const REAL *xi, REAL *yr, REAL *yi,
                          const REAL *w, bool last)
{
    const int64_t in = s->in;
    REAL sum02_re = xr[0] + xr[2 * in], sum02_im = xi[0] + xi[2 * in];
    REAL dif02_re = xr[0] - xr[2 * in], dif02_im = xi[0] - xi[2 * in];
    REAL sum13_re = xr[in] + xr[3 * in], sum13_im = xi[in] + xi[3 * in];
    REAL dif13_re = xr[in] - xr[3 * in], dif13_im = xi[in] - xi[3 * in];
    NAME(put)(s, yr, yi, w, 0, last, sum02_re + sum13_re, sum02_im + sum13_im);
    NAME(put)(s, yr, yi, w, 1, last, dif02_re + dif13_im, dif02_im - dif13_re);
    NAME(put)(s, yr, yi, w, 2, last, sum02_re - sum13_re, sum02_im - sum13_im);
    NAME(put)(s, yr, yi, w, 3, last, dif02_re - dif13_im, dif02_im + dif13_re);
}

/* An odd radix: inputs k and radix - k give outputs j and radix - j together. */
TM_INLINE void NAME(odd)(const NAME(stage) * s, int64_t radix, const REAL *xr, const REAL *xi,
                         REAL *yr, REAL *yi, const REAL *w, bool last)
{
    const int64_t half = radix / 2;
    REAL sum_re[TM_FFT_LARGEST_RADIX / 2 + 1], sum_im[TM_FFT_LARGEST_RADIX / 2 + 1];
    REAL dif_re[TM_FFT_LARGEST_RADIX / 2 + 1], dif_im[TM_FFT_LARGEST_RADIX / 2 + 1];
    REAL first_re = xr[0], first_im = xi[0], all_re = first_re, all_im = first_im;
    for (int64_t k = 1; k <= half; k++) {
        const int64_t a = k * s->in, b = (radix - k) * s->in;
        sum_re[k] = xr[a] + xr[b];
        sum_im[k] = xi[a] + xi[b];
        dif_re[k] = xr[a] - xr[b];
        dif_im[k] = xi[a] - xi[b];
        all_re += sum_re[k];
        all_im += sum_im[k];
    }
    NAME(put)(s, yr, yi, w, 0, last, all_re, all_im);
    for (int64_t j = 1; j <= half; j++) {
        REAL even_re = first_re, even_im = first_im, odd_re = 0, odd_im = 0;
        for (int64_t k = 1, turn = j; k <= half; k++, turn = (turn + j) % radix) {
            even_re += s->cosine[turn] * sum_re[k];
            even_im += s->cosine[turn] * sum_im[k];
            odd_re += s->sine[turn] * dif_re[k];
            odd_im += s->sine[turn] * dif_im[k];
        }
        NAME(put)(s, yr, yi, w, j, last, even_re + odd_im, even_im - odd_re);
        NAME(put)(s, yr, yi, w, radix - j, last, even_re - odd_im, even_im + odd_re);
    }
}

/* `count` butterflies, steps in elements from one to the next. */
TM_INLINE void NAME(many)(const NAME(stage) * s, int64_t radix, const REAL *restrict xr,
                          const REAL *restrict xi, int64_t x_step, REAL *restrict yr,
                          REAL *restrict yi, int64_t y_step, const REAL *restrict w, int64_t w_step,
                          bool last, int64_t count)
{
    TM_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        const REAL *x_re = xr + i * x_step, *x_im = xi + i * x_step, *factors = w + i * w_step;
        REAL *y_re = yr + i * y_step, *y_im = yi + i * y_step;
        if (radix == 2)
            NAME(two)(s, x_re, x_im, y_re, y_im, factors, last);
        else if (radix == 4)
            NAME(four)(s, x_re, x_im, y_re, y_im, factors, last);
        else
            NAME(odd)(s, radix, x_re, x_im, y_re, y_im, factors, last);
    }
}

/* One stage: with one sequence and one lane along the twiddle factors, else along the sequences
 * and lanes, which share one. */
TM_INLINE void NAME(step)(NAME(stage) s, int64_t radix, int64_t width, const REAL *xr,
                          const REAL *xi, REAL *yr, REAL *yi, const REAL *w)
{
    s.radix = radix;
    if (s.rest == 1) {
        NAME(many)(&s, radix, xr, xi, 1, yr, yi, 1, w, 0, true, width);
    } else if (width == 1) {
        s.out = 1;
        NAME(many)(&s, radix, xr, xi, 1, yr, yi, radix, w, 1, false, s.rest);
    } else {
        for (int64_t p = 0; p < s.rest; p++)
            NAME(many)
        (&s, radix, xr + p * width, xi + p * width, 1, yr + p * radix * width,
         yi + p * radix * width, 1, w + p, 0, false, width);
    }
}

TM_INLINE void NAME(stage_body)(const tm_fft_plan *plan, const tm_fft_stage *from, int64_t lanes,
                                tm_fft_planes x, tm_fft_planes y)
{
    const REAL *tables = (const REAL *)(const void *)plan->tables, *w = tables + from->twiddle;
    const int64_t width = from->stride * lanes;
    const NAME(stage) s = {.radix = from->radix,
                           .in = width * from->rest,
                           .out = width,
                           .rest = from->rest,
                           .cosine = tables + from->roots,
                           .sine = tables + from->roots + from->radix};
    switch (s.radix) {
    case 2:
        NAME(step)(s, 2, width, x.re, x.im, y.re, y.im, w);
        break;
    case 3:
        NAME(step)(s, 3, width, x.re, x.im, y.re, y.im, w);
        break;
    case 4:
        NAME(step)(s, 4, width, x.re, x.im, y.re, y.im, w);
        break;
    case 5:
        NAME(step)(s, 5, width, x.re, x.im, y.re, y.im, w);
        break;
    case 7:
        NAME(step)(s, 7, width, x.re, x.im, y.re, y.im, w);
        break;
    default:
        NAME(step)(s, s.radix, width, x.re, x.im, y.re, y.im, w);
    }
}
TM_SIMD_VERSIONS(NAME(run_stage), NAME(stage_body),
                 (const tm_fft_plan *plan, const tm_fft_stage *from, int64_t lanes, tm_fft_planes x,
                  tm_fft_planes y),
                 (plan, from, lanes, x, y))

/* Times the table at `at`, `count` real parts and then imaginary ones. */
TM_INLINE void NAME(multiply_body)(const tm_fft_plan *plan, int64_t at, int64_t count,
                                   int64_t lanes, tm_fft_planes x)
{
    const REAL *wr = (const REAL *)(const void *)plan->tables + at, *wi = wr + count;
    REAL *restrict re = x.re, *restrict im = x.im;
    for (int64_t k = 0; k < count; k++)
        for (int64_t l = k * lanes; l < (k + 1) * lanes; l++) {
            REAL turned = re[l] * wr[k] - im[l] * wi[k];
            im[l] = re[l] * wi[k] + im[l] * wr[k];
            re[l] = turned;
        }
}
TM_SIMD_VERSIONS(NAME(multiply), NAME(multiply_body),
                 (const tm_fft_plan *plan, int64_t at, int64_t count, int64_t lanes,
                  tm_fft_planes x),
                 (plan, at, count, lanes, x))

#undef REAL
#undef NAME
