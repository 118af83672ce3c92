/* fourier_lines.h: a line of a tensor into a lane of the planes and back, for one type: REAL, and
 * NAME(x) to name it. Included by fourier_transform.c.
 */

/* The elements [first, count) of a line. */
static void NAME(load)(const pass *p, const char *line, int64_t first, int64_t count, int64_t lanes,
                       REAL *re, REAL *im)
{
    const int64_t step = p->from.step[p->axis], left = count - first;
    if (left <= 0)
        return;
    line += first * step;
    re += first * lanes;
    im += first * lanes;
    if (tm_dtype_kind(p->from.dtype) == TM_KIND_COMPLEX) {
        for (int64_t k = 0; k < left; k++) {
            const REAL *from = (const REAL *)(const void *)(line + k * step);
            re[k * lanes] = from[0];
            im[k * lanes] = p->conjugate_in ? -from[1] : from[1];
        }
    } else {
        const int64_t item = (int64_t)sizeof(REAL);
        tm_cast(p->from.dtype, p->plan->dtype)(line, step, (char *)re, lanes * item, left);
    }
}

/* Of half a spectrum the other half too: its elements n - k are the conjugates of those at k, so
 * its first, and that at n / 2, are real. */
static void NAME(mirror)(int64_t n, int64_t lanes, REAL *re, REAL *im)
{
    for (int64_t l = 0; l < lanes; l++)
        im[l] = 0;
    for (int64_t l = n / 2 * lanes; n % 2 == 0 && l < (n / 2 + 1) * lanes; l++)
        im[l] = 0;
    for (int64_t k = 1; k < (n + 1) / 2; k++)
        for (int64_t l = 0; l < lanes; l++) {
            re[(n - k) * lanes + l] = re[k * lanes + l];
            im[(n - k) * lanes + l] = -im[k * lanes + l];
        }
}

/* The elements that are there, then zeros. */
static void NAME(load_all)(const pass *p, int64_t lanes, const char *const *line)
{
    const int64_t n = p->plan->n, most = p->in == HALF ? n / 2 + 1 : n,
                  size = p->from.size[p->axis];
    const int64_t count = size < most ? size : most, item = (int64_t)sizeof(REAL);
    const bool pairs = tm_dtype_kind(p->from.dtype) == TM_KIND_COMPLEX;
    REAL *re = p->x.re, *im = p->x.im;
    int64_t first = 0;
    if (lanes % TM_FFT_BLOCK_LANES == 0 && all_there(lanes, line) &&
        p->from.step[p->axis] == (pairs ? 2 * item : item) &&
        (pairs || p->from.dtype == p->plan->dtype)) {
        const tm_fft_block b = {.re = re,
                                .im = im,
                                .lanes = lanes,
                                .count = pairs ? 2 * count : count,
                                .pairs = pairs,
                                .negative = p->conjugate_in};
        first = tm_fft_load(p->plan->dtype, &b, line) / (pairs ? 2 : 1);
    }
    for (int64_t l = 0; l < lanes; l++) {
        NAME(load)(p, line[l], first, line[l] ? count : 0, lanes, re + l, im + l);
        for (int64_t k = 0; !line[l] && k < count; k++)
            re[k * lanes + l] = im[k * lanes + l] = 0;
    }
    if (!pairs)
        memset(im, 0, (size_t)(count * lanes * item));
    memset(re + count * lanes, 0, (size_t)((n - count) * lanes * item));
    memset(im + count * lanes, 0, (size_t)((n - count) * lanes * item));
    if (p->in == HALF)
        NAME(mirror)(n, lanes, re, im);
}

/* The elements [first, count) of a line. */
static void NAME(store)(const pass *p, const REAL *re, const REAL *im, int64_t first, int64_t lanes,
                        char *line)
{
    const int64_t count = p->to.size[p->axis], step = p->to.step[p->axis];
    const REAL scale = (REAL)p->scale, im_scale = p->conjugate_out ? -scale : scale;
    for (int64_t k = first; k < count; k++) {
        REAL *to = (REAL *)(void *)(line + k * step);
        to[0] = re[k * lanes] * scale;
        if (p->out != REALS)
            to[1] = im[k * lanes] * im_scale;
    }
}

static void NAME(store_all)(const pass *p, tm_fft_planes x, int64_t lanes, char *const *line)
{
    const int64_t count = p->to.size[p->axis], item = (int64_t)sizeof(REAL);
    const bool pairs = p->out != REALS;
    int64_t first = 0;
    if (lanes % TM_FFT_BLOCK_LANES == 0 && p->to.step[p->axis] == (pairs ? 2 * item : item)) {
        const tm_fft_block b = {.re = x.re,
                                .im = x.im,
                                .lanes = lanes,
                                .count = pairs ? 2 * count : count,
                                .pairs = pairs,
                                .negative = p->conjugate_out,
                                .scale = p->scale};
        first = tm_fft_store(p->plan->dtype, &b, line) / (pairs ? 2 : 1);
    }
    for (int64_t l = 0; l < lanes; l++)
        NAME(store)(p, (const REAL *)x.re + l, (const REAL *)x.im + l, first, lanes, line[l]);
}

/* `count` lines: loaded, transformed together, stored. */
static void NAME(lines)(const pass *p, int count, const char *const *from, char *const *to)
{
    tm_fft_planes x = p->inverse ? (tm_fft_planes){p->x.im, p->x.re} : p->x;
    NAME(load_all)(p, count, from);
    x = tm_fft_run(p->plan, count, x, p->other);
    if (p->inverse)
        x = (tm_fft_planes){x.im, x.re};
    NAME(store_all)(p, x, count, to);
}

#undef REAL
#undef NAME
