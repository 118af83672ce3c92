/* samples/fourier.c: transforms held against their defining sums in long double; small ones by
 * hand, from the transforms of an impulse, a constant and a wave.
 */
#include <assert.h>
#include <string.h>

#include "reading.h"
#include "samples.h"

/* -- The defining sum -------------------------------------------------------------------------- */

/* Of real numbers, or half a spectrum, as the ops' own words are: see fourier.def. */
typedef enum form { COMPLEX, REAL, HERMITIAN } form;

typedef struct axes {
    int count, axis[TM_MAX_NDIM];
    int64_t n[TM_MAX_NDIM]; /* lengths of the transforms */
} axes;

static void read_complex(const tm_tensor *x, int64_t flat, long double *re, long double *im)
{
    const char *p = element(x, flat);
    *im = 0;
    if (tm_dtype_of(x) == TM_COMPLEX64) {
        *re = (long double)((const float *)(const void *)p)[0];
        *im = (long double)((const float *)(const void *)p)[1];
    } else if (tm_dtype_of(x) == TM_COMPLEX128) {
        *re = (long double)((const double *)(const void *)p)[0];
        *im = (long double)((const double *)(const void *)p)[1];
    } else {
        *re = (long double)value(x, flat);
    }
}

/* Whether the n-th result is sum_k x_k exp(-+ 2 pi i sum_axis j k / n), scaled. What lies beyond n
 * in the input does not count. Of half a spectrum, every element but the ends counts twice. */
static bool is_sum(const tm_tensor *x, const tm_tensor *y, const axes *a, form from, bool inverse,
                   bool conjugate, const char *norm)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    bool backward = from == HERMITIAN ? inverse != conjugate : inverse || conjugate;
    long double scale = 1, largest = 0, worst = 0;
    for (int i = 0; i < a->count; i++)
        scale *= (long double)a->n[i];
    scale = strcmp(norm, "ortho") == 0                   ? 1 / sqrtl(scale)
            : (strcmp(norm, "forward") == 0) != backward ? 1 / scale
                                                         : 1;
    const int ndim = tm_ndim(x); /* and y's */
    for (int64_t at = 0; at < tm_numel(y); at++) {
        int64_t j[TM_MAX_NDIM], rest = at;
        long double re = 0, im = 0;
        for (int d = ndim; d-- > 0; rest /= tm_shape(y)[d])
            j[d] = rest % tm_shape(y)[d];
        for (int64_t source = 0; source < tm_numel(x); source++) {
            int64_t k[TM_MAX_NDIM];
            bool counts = true;
            int weight = 1;
            long double phase = 0, x_re, x_im;
            rest = source;
            for (int d = ndim; d-- > 0; rest /= tm_shape(x)[d])
                k[d] = rest % tm_shape(x)[d];
            for (int d = 0; d < ndim; d++) {
                int i = 0;
                while (i < a->count && a->axis[i] != d)
                    i++;
                if (i == a->count) {
                    counts = counts && k[d] == j[d];
                    continue;
                }
                assert(a->n[i] > 0);
                bool half = from == HERMITIAN && i == a->count - 1;
                counts = counts && k[d] < (half ? a->n[i] / 2 + 1 : a->n[i]);
                if (half && k[d] > 0 && 2 * k[d] != a->n[i])
                    weight = 2;
                phase += (long double)(j[d] * k[d] % a->n[i]) / (long double)a->n[i];
            }
            if (!counts)
                continue;
            read_complex(x, source, &x_re, &x_im);
            if (conjugate && from == HERMITIAN)
                x_im = -x_im;
            long double c = cosl(turn * phase), s = (inverse ? 1 : -1) * sinl(turn * phase);
            re += weight * (x_re * c - x_im * s);
            im += weight * (x_re * s + x_im * c);
        }
        long double got_re, got_im;
        read_complex(y, at, &got_re, &got_im);
        if (from == HERMITIAN)
            im = 0;
        if (conjugate && from == REAL)
            im = -im;
        largest = fmaxl(largest, hypotl(re, im) * scale);
        worst = fmaxl(worst, hypotl(got_re - re * scale, got_im - im * scale));
    }
    bool narrow = tm_dtype_of(y) == TM_FLOAT32 || tm_dtype_of(y) == TM_COMPLEX64;
    return worst <= (narrow ? 2e-6L : 4e-15L) * largest;
}

static bool is_line(const tm_value *args, const tm_value *results, form from, bool inverse,
                    bool conjugate)
{
    const tm_tensor *x = args[0].tensor;
    const int64_t *n = args[1].opt;
    axes a = {.count = 1, .axis = {(int)(args[2].i < 0 ? args[2].i + tm_ndim(x) : args[2].i)}};
    a.n[0] = n ? *n : tm_shape(from == HERMITIAN ? results[0].tensor : x)[a.axis[0]];
    return is_sum(x, results[0].tensor, &a, from, inverse, conjugate, args[3].str);
}

static bool is_block(const tm_value *args, const tm_value *results, const tm_int_list *list,
                     form from, bool inverse)
{
    const tm_tensor *x = args[0].tensor;
    const tm_int_list *s = args[1].opt;
    int ndim = tm_ndim(x);
    axes a = {.count = (int)(list ? list->count : s ? s->count : ndim)};
    for (int i = 0; i < a.count; i++) {
        int axis = (int)(list ? list->data[i] : ndim - a.count + i);
        a.axis[i] = axis < 0 ? axis + ndim : axis;
        a.n[i] = s && s->data[i] > 0
                     ? s->data[i]
                     : tm_shape(from == HERMITIAN ? results[0].tensor : x)[a.axis[i]];
    }
    return is_sum(x, results[0].tensor, &a, from, inverse, false, args[3].str);
}

#define LINE(op, from, inverse, conjugate)                                                         \
    static bool is_##op(const tm_value *args, const tm_value *results)                             \
    {                                                                                              \
        return is_line(args, results, from, inverse, conjugate);                                   \
    }
#define BLOCK(op, from, inverse)                                                                   \
    static bool is_##op(const tm_value *args, const tm_value *results)                             \
    {                                                                                              \
        return is_block(args, results, args[2].opt, from, inverse);                                \
    }
#define PLANE(op, from, inverse)                                                                   \
    static bool is_##op(const tm_value *args, const tm_value *results)                             \
    {                                                                                              \
        return is_block(args, results, &args[2].ints, from, inverse);                              \
    }
LINE(fft, COMPLEX, false, false)
LINE(ifft, COMPLEX, true, false)
LINE(rfft, REAL, false, false)
LINE(irfft, HERMITIAN, true, false)
LINE(hfft, HERMITIAN, true, true)
LINE(ihfft, REAL, false, true)
BLOCK(fftn, COMPLEX, false)
BLOCK(ifftn, COMPLEX, true)
BLOCK(rfftn, REAL, false)
BLOCK(irfftn, HERMITIAN, true)
PLANE(fft2, COMPLEX, false)
PLANE(ifft2, COMPLEX, true)
PLANE(rfft2, REAL, false)
PLANE(irfft2, HERMITIAN, true)

/* -- Samples ----------------------------------------------------------------------------------- */

/* Every length up to 8, primes of both methods, products of several radices, several axes. */
#define JUDGED_LINE(op, real, wide)                                                                \
    TM_JUDGED(#op, real "[2]", is_##op), TM_JUDGED(#op, real "[3]", is_##op),                      \
        TM_JUDGED(#op, real "[4]", is_##op), TM_JUDGED(#op, wide "[5]", is_##op),                  \
        TM_JUDGED(#op, wide "[6]", is_##op), TM_JUDGED(#op, real "[7]", is_##op),                  \
        TM_JUDGED(#op, wide "[8]", is_##op), TM_JUDGED(#op, wide "[11]", is_##op),                 \
        TM_JUDGED(#op, real "[30]", is_##op), TM_JUDGED(#op, wide "[37]", is_##op),                \
        TM_JUDGED(#op, real "[41]", is_##op), TM_JUDGED(#op, wide "[84]", is_##op),                \
        TM_JUDGED(#op, real "[3,5], axis=0", is_##op),                                             \
        TM_JUDGED(#op, wide "[2,6,3], axis=1, norm='ortho'", is_##op),                             \
        TM_JUDGED(#op, real "[6,2], axis=-2, norm='forward'", is_##op),                            \
        TM_JUDGED(#op, wide "[2,6], n=9", is_##op), TM_JUDGED(#op, real "[3,9], n=4", is_##op),    \
        TM_JUDGED(#op, real "[20,5]", is_##op), TM_JUDGED(#op, wide "[4,2], 43, 0", is_##op),      \
        TM_JUDGED(#op, real "[3], n=1", is_##op), TM_JUDGED(#op, "i32[7], n=7", is_##op)

#define JUDGED_BLOCK(op, real, wide)                                                               \
    TM_JUDGED(#op, real "[3,4]", is_##op), TM_JUDGED(#op, wide "[2,3,5]", is_##op),                \
        TM_JUDGED(#op, wide "[2,3,4], axes=(0,1)", is_##op),                                       \
        TM_JUDGED(#op, real "[4,3,2], axes=(-1,0), norm='ortho'", is_##op),                        \
        TM_JUDGED(#op, real "[4,6], s=(3,8), axes=(0,1)", is_##op),                                \
        TM_JUDGED(#op, wide "[4,3], s=(-1,5), axes=(1,0), norm='forward'", is_##op),               \
        TM_JUDGED(#op, wide "[5,4], s=(7,3), axes=(-2,-1)", is_##op),                              \
        TM_JUDGED(#op, real "[3,37], axes=(1,0)", is_##op)

/* The checks that all ops along one axis share; those that all along several do. */
#define BAD_LINE(op)                                                                               \
    TM_FAILS(op, "f32[]", "rank: x must have at least 1 dimension, got shape ()"),                 \
        TM_FAILS(op, "f32[4], axis=1", "dim: axis 1 is out of range, must be in -1..0"),           \
        TM_FAILS(op, "f32[2,4], axis=-3", "dim: axis -3 is out of range, must be in -2..1"),       \
        TM_FAILS(op, "f32[4], n=0", "value: n must be at least 1, got 0"),                         \
        TM_FAILS(op, "f32[4], n=-1", "value: n must be at least 1, got -1"),                       \
        TM_FAILS(op, "f32[2,0]",                                                                   \
                 "value: x must have at least 1 element along axis 1, got shape (2, 0)"),          \
        TM_FAILS(op, "f32[0,2], n=4, axis=0",                                                      \
                 "value: x must have at least 1 element along axis 0, got shape (0, 2)"),          \
        TM_FAILS(op, "f32[4], norm='unitary'",                                                     \
                 "value: norm must be 'backward', 'ortho' or 'forward', got 'unitary'")

#define BAD_BLOCK(op)                                                                              \
    TM_FAILS(op, "f32[]", "rank: x must have at least 1 dimension, got shape ()"),                 \
        TM_FAILS(op, "f32[3,4], axes=(0,2)", "dim: axes 2 is out of range, must be in -2..1"),     \
        TM_FAILS(op, "f32[3,4], axes=(1,-1)", "dim: axes names axis -1 twice"),                    \
        TM_FAILS(op, "f32[3,4], axes=()", "value: axes must name at least one axis"),              \
        TM_FAILS(op, "f32[3,4], s=(2), axes=(0,1)",                                                \
                 "value: s must have as many sizes as there are axes, 2, got 1"),                  \
        TM_FAILS(op, "f32[3,4], s=(2,0), axes=(0,1)",                                              \
                 "value: s must hold sizes of at least 1, or -1, got 0"),                          \
        TM_FAILS(op, "f32[0,4], axes=(0,1)",                                                       \
                 "value: x must have at least 1 element along axis 0, got shape (0, 4)"),          \
        TM_FAILS(op, "f32[3,4], axes=(0,1), norm=''",                                              \
                 "value: norm must be 'backward', 'ortho' or 'forward', got ''")

#define NO_BOOL(op) TM_FAILS(op, "b8[2,2]", "dtype: x must have a numeric dtype, got bool")
#define NO_COMPLEX(op)                                                                             \
    TM_FAILS(op, "c64[2,2]", "dtype: x must have a real numeric dtype, got complex64"),            \
        TM_FAILS(op, "b8[2,2]", "dtype: x must have a real numeric dtype, got bool")
#define NO_SINGLE(op)                                                                              \
    TM_FAILS(op, "c64[2,1]",                                                                       \
             "value: x must have at least 2 elements along axis 1 where the result's size is not " \
             "given, got shape (2, 1)")

static const tm_sample rows[] = {
    /* fft, ifft */
    TM_EXACT("fft", "c64[4]{1 0 0 0}", "c64[4]{1 1 1 1}"),
    TM_EXACT("fft", "f32[4]{1 1 1 1}", "c64[4]{4 0 0 0}"),
    TM_EXACT("fft", "f64[4]{0 1 0 0}", "c128[4]{1 0-1j -1 0+1j}"),
    TM_EXACT("fft", "f32[2,2]{1 2 3 4}", "c64[2,2]{3 -1 7 -1}"),
    TM_EXACT("fft", "f32[2,2]{1 2 3 4}, axis=0", "c64[2,2]{4 6 -2 -2}"),
    TM_EXACT("fft", "i64[4]{0 0 1 0}", "c64[4]{1 -1 1 -1}"),
    TM_EXACT("fft", "u8[4]{1 2 3 4}, n=2", "c64[2]{3 -1}"),
    TM_EXACT("fft", "f32[0,4]", "c64[0,4]"),
    TM_EXACT("fft", "f32[2]{nan 1}", "c64[2]{nan nan}"),
    TM_EXACT("ifft", "c64[4]{4 0 0 0}", "c64[4]{1 1 1 1}"),
    TM_EXACT("ifft", "c128[4]{0 4 0 0}", "c128[4]{1 0+1j -1 0-1j}"),
    TM_EXACT("ifft", "f32[4]{4 0 0 0}, norm='forward'", "c64[4]{4 4 4 4}"),
    TM_EXACT("fft", "f32[4]{4 0 0 0}, norm='ortho'", "c64[4]{2 2 2 2}"),
    JUDGED_LINE(fft, "c64", "c128"),
    JUDGED_LINE(ifft, "c64", "c128"),
    TM_JUDGED("fft", "f64[10]", is_fft),
    TM_JUDGED("fft", "f32[256]", is_fft),
    BAD_LINE("fft"),
    NO_BOOL("fft"),
    BAD_LINE("ifft"),
    NO_BOOL("ifft"),

    /* fftn and the others along several axes */
    TM_EXACT("fftn", "f32[2,2]{1 2 3 4}", "c64[2,2]{10 -2 -4 0}"),
    TM_EXACT("ifftn", "f64[2,2]{10 -2 -4 0}", "c128[2,2]{1 2 3 4}"),
    TM_EXACT("fft2", "f32[1,2,2]{1 2 3 4}", "c64[1,2,2]{10 -2 -4 0}"),
    TM_EXACT("ifft2", "f64[2,2]{10 -2 -4 0}", "c128[2,2]{1 2 3 4}"),
    TM_EXACT("fftn", "f32[2,0,2], axes=(0,2)", "c64[2,0,2]"),
    JUDGED_BLOCK(fftn, "c64", "c128"),
    JUDGED_BLOCK(ifftn, "c64", "c128"),
    JUDGED_BLOCK(fft2, "c64", "c128"),
    JUDGED_BLOCK(ifft2, "c64", "c128"),
    BAD_BLOCK("fftn"),
    NO_BOOL("fftn"),
    BAD_BLOCK("ifftn"),
    NO_BOOL("ifftn"),
    BAD_BLOCK("fft2"),
    NO_BOOL("fft2"),
    BAD_BLOCK("ifft2"),
    NO_BOOL("ifft2"),
    TM_FAILS("fft2", "f32[4]", "dim: axes -2 is out of range, must be in -1..0"),

    /* Over a part of the axes and in their order (the case mlx-fft-subset). */
    TM_JUDGED("fftn", "f32[8,6], axes=-1", is_fftn),
    TM_JUDGED("fftn", "f32[8,6], axes=0", is_fftn),
    TM_JUDGED("fftn", "f32[8,6], axes=(-2,-1)", is_fftn),
    TM_JUDGED("fftn", "f32[8,6], axes=(-1,-2)", is_fftn),
    TM_JUDGED("ifftn", "c64[8,6], axes=-1", is_ifftn),
    TM_JUDGED("ifftn", "c64[8,6], axes=0", is_ifftn),
    TM_JUDGED("ifftn", "c64[8,6], axes=(-1,-2)", is_ifftn),
    TM_JUDGED("rfftn", "f32[8,6], axes=-1", is_rfftn),
    TM_JUDGED("rfftn", "f32[8,6], axes=0", is_rfftn),
    TM_JUDGED("rfftn", "f32[8,6], axes=(-1,-2)", is_rfftn),
    TM_JUDGED("rfftn", "f32[8,6], axes=(0,1)", is_rfftn),
    TM_JUDGED("irfftn", "c64[8,6], axes=-1", is_irfftn),
    TM_JUDGED("irfftn", "c64[8,6], axes=0", is_irfftn),
    TM_JUDGED("irfftn", "c64[8,6], axes=(-1,-2)", is_irfftn),
    TM_JUDGED("irfftn", "c64[8,6], axes=(0,1)", is_irfftn),

    /* Sizes without axes are those of the last axes. */
    TM_JUDGED("fftn", "f32[2,3,4], s=(5)", is_fftn),
    TM_JUDGED("ifftn", "c64[2,3,4], s=(2,5)", is_ifftn),
    TM_JUDGED("rfftn", "f64[2,3,4], s=(2,-1)", is_rfftn),
    TM_JUDGED("irfftn", "c128[2,3,4], s=(5,7)", is_irfftn),
    TM_FAILS("fftn", "f32[4], s=(2,2)",
             "value: s must have 1 to 1 sizes for x of shape (4,), got 2"),
    TM_FAILS("ifftn", "f32[4], s=()", "value: s must have 1 to 1 sizes for x of shape (4,), got 0"),
    TM_FAILS("rfftn", "f32[2,4], s=(2,2,2)",
             "value: s must have 1 to 2 sizes for x of shape (2, 4), got 3"),
    TM_FAILS("irfftn", "f32[4], s=(2,2)",
             "value: s must have 1 to 1 sizes for x of shape (4,), got 2"),

    /* Of real numbers, and back. */
    TM_EXACT("rfft", "f32[4]{1 0 0 0}", "c64[3]{1 1 1}"),
    TM_EXACT("rfft", "f64[4]{0 1 0 0}", "c128[3]{1 0-1j -1}"),
    TM_EXACT("irfft", "c64[3]{1 1 1}", "f32[4]{1 0 0 0}"),
    TM_EXACT("irfft", "c128[3]{1 0-1j -1}", "f64[4]{0 1 0 0}"),
    TM_EXACT("irfft", "c64[2]{0+5j 0+7j}, n=2", "f32[2]{0 0}"),
    TM_EXACT("hfft", "c64[3]{0.25 0.25 0.25}", "f32[4]{1 0 0 0}"),
    TM_EXACT("ihfft", "f32[4]{0 4 0 0}", "c64[3]{1-0j 0+1j -1-0j}"),
    TM_EXACT("rfftn", "f32[2,2]{1 2 3 4}", "c64[2,2]{10 -2 -4 0}"),
    TM_EXACT("irfftn", "c64[2,2]{10 -2 -4 0}", "f32[2,2]{1 2 3 4}"),
    TM_EXACT("rfft2", "f64[2,2]{1 2 3 4}", "c128[2,2]{10 -2 -4 0}"),
    TM_EXACT("irfft2", "f64[2,2]{10 -2 -4 0}", "f64[2,2]{1 2 3 4}"),
    TM_EXACT("irfftn", "c64[0,3], axes=1", "f32[0,4]"),
    JUDGED_LINE(rfft, "f32", "f64"),
    JUDGED_LINE(irfft, "c64", "c128"),
    JUDGED_LINE(hfft, "c64", "c128"),
    JUDGED_LINE(ihfft, "f32", "f64"),
    JUDGED_BLOCK(rfftn, "f32", "f64"),
    JUDGED_BLOCK(irfftn, "c64", "c128"),
    JUDGED_BLOCK(rfft2, "f32", "f64"),
    JUDGED_BLOCK(irfft2, "c64", "c128"),
    TM_JUDGED("irfft", "c64[3], n=5", is_irfft),
    TM_JUDGED("irfft", "f64[5]", is_irfft),
    TM_JUDGED("irfft", "c128[4], n=37", is_irfft),
    TM_JUDGED("hfft", "f32[4], n=7", is_hfft),
    BAD_LINE("rfft"),
    NO_COMPLEX("rfft"),
    BAD_LINE("irfft"),
    NO_BOOL("irfft"),
    NO_SINGLE("irfft"),
    BAD_LINE("hfft"),
    NO_BOOL("hfft"),
    NO_SINGLE("hfft"),
    BAD_LINE("ihfft"),
    NO_COMPLEX("ihfft"),
    BAD_BLOCK("rfftn"),
    NO_COMPLEX("rfftn"),
    BAD_BLOCK("irfftn"),
    NO_BOOL("irfftn"),
    NO_SINGLE("irfftn"),
    BAD_BLOCK("rfft2"),
    NO_COMPLEX("rfft2"),
    BAD_BLOCK("irfft2"),
    NO_BOOL("irfft2"),
    NO_SINGLE("irfft2"),

    /* fftfreq, rfftfreq */
    TM_EXACT("fftfreq", "4", "f32[4]{0 0.25 -0.5 -0.25}"),
    TM_EXACT("fftfreq", "5, 0.1, dtype=float64", "f64[5]{0 2 4 -4 -2}"),
    TM_EXACT("fftfreq", "1", "f32[1]{0}"),
    TM_EXACT("fftfreq", "2, -0.5", "f32[2]{-0 1}"),
    TM_FAILS("fftfreq", "0", "value: n must be at least 1, got 0"),
    TM_FAILS("fftfreq", "4, 0", "value: d must not be 0"),
    TM_FAILS("fftfreq", "4, dtype=int64", "dtype: dtype must be a floating-point dtype, got int64"),
    TM_EXACT("rfftfreq", "4", "f32[3]{0 0.25 0.5}"),
    TM_EXACT("rfftfreq", "5, 0.1, dtype=float64", "f64[3]{0 2 4}"),
    TM_EXACT("rfftfreq", "1, 2", "f32[1]{0}"),
    TM_FAILS("rfftfreq", "-1", "value: n must be at least 1, got -1"),
    TM_FAILS("rfftfreq", "4, 0", "value: d must not be 0"),
    TM_FAILS("rfftfreq", "4, dtype=complex64",
             "dtype: dtype must be a floating-point dtype, got complex64"),

    /* fftshift, ifftshift */
    TM_EXACT("fftshift", "f32[4]{0 1 -2 -1}", "f32[4]{-2 -1 0 1}"),
    TM_EXACT("fftshift", "i8[5]{0 1 2 -2 -1}", "i8[5]{-2 -1 0 1 2}"),
    TM_EXACT("fftshift", "f64[2,3]{1 2 3 4 5 6}", "f64[2,3]{6 4 5 3 1 2}"),
    TM_EXACT("fftshift", "f16[2,3]{1 2 3 4 5 6}, axes=1", "f16[2,3]{3 1 2 6 4 5}"),
    TM_EXACT("fftshift", "c64[2,2]{1 2 3 4}, axes=(0,-1)", "c64[2,2]{4 3 2 1}"),
    TM_EXACT("fftshift", "b8[]{1}", "b8[]{1}"),
    TM_EXACT("fftshift", "f32[3]{1 2 3}, axes=()", "f32[3]{1 2 3}"),
    TM_EXACT("fftshift", "f32[0,2]", "f32[0,2]"),
    TM_LAW("fftshift", "c128[3,4,2], axes=(0,1)"),
    TM_LAW("fftshift", "u16[5,1,3]"),
    TM_FAILS("fftshift", "f32[3], axes=1", "dim: axes 1 is out of range, must be in -1..0"),
    TM_FAILS("fftshift", "f32[3,3], axes=(0,-2)", "dim: axes names axis -2 twice"),
    TM_EXACT("ifftshift", "f32[4]{-2 -1 0 1}", "f32[4]{0 1 -2 -1}"),
    TM_EXACT("ifftshift", "i64[5]{-2 -1 0 1 2}", "i64[5]{0 1 2 -2 -1}"),
    TM_EXACT("ifftshift", "f64[2,3]{6 4 5 3 1 2}", "f64[2,3]{1 2 3 4 5 6}"),
    TM_EXACT("ifftshift", "u8[1]{7}, axes=0", "u8[1]{7}"),
    TM_LAW("ifftshift", "f32[2,3,3], axes=(2,1)"),
    TM_FAILS("ifftshift", "f32[3], axes=1", "dim: axes 1 is out of range, must be in -1..0"),
    TM_FAILS("ifftshift", "f32[3,3], axes=(1,1)", "dim: axes names axis 1 twice"),
};
TM_SAMPLES(fourier, rows);
