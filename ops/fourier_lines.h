/* fourier_lines.h: a line of a tensor into a lane of the planes and back, for one type: REAL, and
 * NAME(x) to name it. Included by fourier_transform.c.
 */

/* The elements of the line that are there, then zeros; of half a spectrum, the other half too: its
 * elements n - k are the conjugates of those at k, so its first, and that at n / 2, are real. */
static void NAME(load)(const pass *p, const char *line, int64_t lanes, REAL *re, REAL *im)
{
    const int64_t n = p->plan->n, step = p->from.step[p->axis];
    const int64_t most = p->in == HALF ? n / 2 + 1 : n;
    int64_t count = p->from.size[p->axis] < most ? p->from.size[p->axis] : most;
    if (!line)
        count = 0;
    if (count > 0 && tm_dtype_kind(p->from.dtype) == TM_KIND_COMPLEX) {
        for (int64_t k = 0; k < count; k++) {
            const REAL *from = (const REAL *)(const void *)(line + k * step);
            re[k * lanes] = from[0];
            im[k * lanes] = p->conjugate_in ? -from[1] : from[1];
        }
    } else if (count > 0) {
        const int64_t item = (int64_t)sizeof(REAL);
        tm_cast(p->from.dtype, p->plan->dtype)(line, step, (char *)re, lanes * item, count);
        for (int64_t k = 0; k < count; k++)
            im[k * lanes] = 0;
    }
    for (int64_t k = count; k < n; k++)
        re[k * lanes] = im[k * lanes] = 0;
    if (p->in != HALF)
        return;
    im[0] = 0;
    if (n % 2 == 0)
        im[n / 2 * lanes] = 0;
    for (int64_t k = 1; k < (n + 1) / 2; k++) {
        re[(n - k) * lanes] = re[k * lanes];
        im[(n - k) * lanes] = -im[k * lanes];
    }
}

static void NAME(store)(const pass *p, const REAL *re, const REAL *im, int64_t lanes, char *line)
{
    const int64_t count = p->to.size[p->axis], step = p->to.step[p->axis];
    const REAL scale = (REAL)p->scale, im_scale = p->conjugate_out ? -scale : scale;
    if (p->out == REALS) {
        for (int64_t k = 0; k < count; k++)
            *(REAL *)(void *)(line + k * step) = re[k * lanes] * scale;
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        REAL *to = (REAL *)(void *)(line + k * step);
        to[0] = re[k * lanes] * scale;
        to[1] = im[k * lanes] * im_scale;
    }
}

/* `count` lines: loaded, transformed together, stored. */
static void NAME(lines)(const pass *p, int count, const char *const *from, char *const *to)
{
    tm_fft_planes x = p->inverse ? (tm_fft_planes){p->x.im, p->x.re} : p->x;
    for (int l = 0; l < count; l++)
        NAME(load)(p, from[l], count, (REAL *)p->x.re + l, (REAL *)p->x.im + l);
    x = tm_fft_run(p->plan, count, x, p->other);
    if (p->inverse)
        x = (tm_fft_planes){x.im, x.re};
    for (int l = 0; l < count; l++)
        NAME(store)(p, (const REAL *)x.re + l, (const REAL *)x.im + l, count, to[l]);
}

#undef REAL
#undef NAME
