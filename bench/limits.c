/* limits.c: hand-written loops that show what the machine can do. Compiled for AVX-512, for AVX2
 * and for any machine (LEVEL names which); limits_find.c picks one when the program runs.
 *
 * The streams (read, copy, triad, ...) move the bytes of a row and do none of its work, whatever
 * the layout. Stores go past the cache where that is faster, which the caller tries. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "limits.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifdef TM_HAVE_SLEEF
#include <sleef.h>
#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(name) JOIN(JOIN(name, _), LEVEL)

/* -- A vector of floats ------------------------------------------------------------------------ */

#if defined __AVX512F__
enum { W = 16 };
typedef __m512 vec;
#define v_load _mm512_loadu_ps
#define v_store _mm512_storeu_ps
#define v_stream _mm512_stream_ps
#define v_add _mm512_add_ps
#define v_mul _mm512_mul_ps
#define v_fma _mm512_fmadd_ps
#define v_sum _mm512_reduce_add_ps
#define v_set _mm512_set1_ps
#define fence _mm_sfence
#ifdef TM_HAVE_SLEEF
#define v_exp Sleef_expf16_u10avx512f
#endif
#elif defined __AVX2__
enum { W = 8 };
typedef __m256 vec;
#define v_load _mm256_loadu_ps
#define v_store _mm256_storeu_ps
#define v_stream _mm256_stream_ps
#define v_add _mm256_add_ps
#define v_mul _mm256_mul_ps
#define v_fma _mm256_fmadd_ps
#define v_set _mm256_set1_ps
#define fence _mm_sfence
static float v_sum(vec x)
{
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_add_ss(h, _mm_shuffle_ps(h, h, 1)));
}
#ifdef TM_HAVE_SLEEF
#define v_exp Sleef_expf8_u10avx2
#endif
#else
enum { W = 1 };
typedef float vec;
#define v_load(p) (*(p))
#define v_store(p, x) (*(p) = (x))
#define v_stream v_store
#define v_add(a, b) ((a) + (b))
#define v_mul(a, b) ((a) * (b))
#define v_fma(a, b, c) ((a) * (b) + (c))
#define v_sum(x) (x)
#define v_set(x) (x)
#define fence() (void)0
#define v_exp expf
#endif

static volatile float sink;

/* A part of `count` floats, in whole cache lines but for the last part's end. */
static void lines(int64_t count, int part, int parts, int64_t *begin, int64_t *end)
{
    share(count / 16, part, parts, begin, end);
    *begin *= 16;
    *end = part == parts - 1 ? count : *end * 16;
}

/* FOR_LINES(begin, end, vector, one): `vector` at every i that a whole vector fits, `one` after. */
#define FOR_LINES(begin, end, vector, one)                                                         \
    do {                                                                                           \
        int64_t i = begin;                                                                         \
        for (; i + W <= (end); i += W) {                                                           \
            vector;                                                                                \
        }                                                                                          \
        for (; i < (end); i++) {                                                                   \
            one;                                                                                   \
        }                                                                                          \
    } while (0)

/* -- Streams ----------------------------------------------------------------------------------- */

static float read_floats(const float *x, int64_t begin, int64_t end)
{
    vec s[8];
    for (int k = 0; k < 8; k++)
        s[k] = v_set(0);
    int64_t i = begin;
    for (; i + 8 * W <= end; i += 8 * W)
        for (int k = 0; k < 8; k++)
            s[k] = v_add(s[k], v_load(x + i + k * W));
    float sum = 0;
    for (; i < end; i++)
        sum += x[i];
    for (int k = 0; k < 8; k++)
        sum += v_sum(s[k]);
    return sum;
}

/* All inputs are read. */
static void NAME(read)(const limit_data *d, int part, int parts)
{
    float sum = 0;
    for (int k = 0; k < d->num_in; k++) {
        int64_t begin, end;
        lines((int64_t)(d->bytes[k] / sizeof(float)), part, parts, &begin, &end);
        sum += read_floats(d->in[k], begin, end);
    }
    sink = sum;
}

static void copy_floats(const float *x, float *out, int64_t begin, int64_t end, bool stream)
{
    if (stream)
        FOR_LINES(begin, end, v_stream(out + i, v_load(x + i)), out[i] = x[i]);
    else
        FOR_LINES(begin, end, v_store(out + i, v_load(x + i)), out[i] = x[i]);
}

/* All inputs are read, the output is written. */
static void NAME(copy)(const limit_data *d, int part, int parts)
{
    int64_t done = 0, total = (int64_t)(d->out_bytes / sizeof(float));
    float sum = 0;
    for (int k = 0; k < d->num_in; k++) {
        int64_t begin, end, count = (int64_t)(d->bytes[k] / sizeof(float));
        int64_t copied = count < total - done ? count : total - done;
        lines(copied, part, parts, &begin, &end);
        copy_floats(d->in[k], (float *)d->out + done, begin, end, d->stream);
        lines(count - copied, part, parts, &begin, &end);
        sum += read_floats((const float *)d->in[k] + copied, begin, end);
        done += copied;
    }
    int64_t begin, end;
    float *out = (float *)d->out + done;
    lines(total - done, part, parts, &begin, &end);
    if (d->stream)
        FOR_LINES(begin, end, v_stream(out + i, v_set(0)), out[i] = 0);
    else
        FOR_LINES(begin, end, v_store(out + i, v_set(0)), out[i] = 0);
    fence();
    sink = sum;
}

/* x + y * z in one pass. */
static void NAME(addcmul)(const limit_data *d, int part, int parts)
{
    const float *x = d->in[0], *y = d->in[1], *z = d->in[2];
    float *out = d->out;
    int64_t begin, end;
    lines(d->count[0], part, parts, &begin, &end);
    if (d->stream)
        FOR_LINES(begin, end, v_stream(out + i, v_fma(v_load(y + i), v_load(z + i), v_load(x + i))),
                  out[i] = x[i] + y[i] * z[i]);
    else
        FOR_LINES(begin, end, v_store(out + i, v_fma(v_load(y + i), v_load(z + i), v_load(x + i))),
                  out[i] = x[i] + y[i] * z[i]);
    fence();
}

/* Two inputs combined into an output of their size. */
static void triad_floats(const float *x, const float *y, float *out, int64_t begin, int64_t end,
                         bool stream)
{
    if (stream)
        FOR_LINES(begin, end, v_stream(out + i, v_add(v_load(x + i), v_load(y + i))),
                  out[i] = x[i] + y[i]);
    else
        FOR_LINES(begin, end, v_store(out + i, v_add(v_load(x + i), v_load(y + i))),
                  out[i] = x[i] + y[i]);
}

static void NAME(triad)(const limit_data *d, int part, int parts)
{
    int64_t begin, end;
    lines(d->count[0], part, parts, &begin, &end);
    triad_floats(d->in[0], d->in[1], d->out, begin, end, d->stream);
    fence();
}

/* The streams of x * y, then of adding z to that. */
static void NAME(two_passes)(const limit_data *d, int part, int parts)
{
    int64_t begin, end;
    lines(d->count[0], part, parts, &begin, &end);
    triad_floats(d->in[0], d->in[1], d->out2, begin, end, d->stream);
    fence();
    triad_floats(d->out2, d->in[2], d->out, begin, end, d->stream);
    fence();
}

/* -- exp --------------------------------------------------------------------------------------- */

static void NAME(exp)(const limit_data *d, int part, int parts)
{
    const float *x = d->in[0];
    float *out = d->out;
    int64_t begin, end;
    lines(d->count[0], part, parts, &begin, &end);
#ifdef v_exp
    if (d->stream)
        FOR_LINES(begin, end, v_stream(out + i, v_exp(v_load(x + i))), out[i] = expf(x[i]));
    else
        FOR_LINES(begin, end, v_store(out + i, v_exp(v_load(x + i))), out[i] = expf(x[i]));
#else
    for (int64_t i = begin; i < end; i++)
        out[i] = expf(x[i]);
#endif
    fence();
}

/* exp to about 2 ulp, in code the compiler turns into vectors: 2^k by adding k to the exponent,
 * e^r for |r| <= ln(2)/2 by a polynomial. */
static inline float exp_poly(float x)
{
    x = x < -87.3f ? -87.3f : x > 88.0f ? 88.0f : x;
    float k = rintf(x * 1.44269504f);
    float r = x - k * 0.693359375f + k * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1;
    int32_t bits = ((int32_t)k + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/* -- Rows of n --------------------------------------------------------------------------------- */

/* Sizes are known where it matters: `body` is compiled for 128 and for any n. */
#define ROWS_OF_N(name)                                                                            \
    static void NAME(name)(const limit_data *d, int part, int parts)                               \
    {                                                                                              \
        const float *x = d->in[0];                                                                 \
        float *out = d->out;                                                                       \
        int64_t begin, end, n = d->last[0];                                                        \
        share(d->count[0] / n, part, parts, &begin, &end);                                         \
        if (n == 128)                                                                              \
            for (int64_t i = begin; i < end; i++)                                                  \
                name##_row(x + i * 128, out + i * 128, 128);                                       \
        else                                                                                       \
            for (int64_t i = begin; i < end; i++)                                                  \
                name##_row(x + i * n, out + i * n, n);                                             \
    }

static inline float row_max(const float *x, int64_t n)
{
    float m = -FLT_MAX;
    for (int64_t j = 0; j < n; j++)
        m = x[j] > m ? x[j] : m;
    return m;
}

static inline void softmax_row(const float *x, float *out, int64_t n)
{
    float m = row_max(x, n), s = 0;
    for (int64_t j = 0; j < n; j++) {
        out[j] = exp_poly(x[j] - m);
        s += out[j];
    }
    s = 1 / s;
    for (int64_t j = 0; j < n; j++)
        out[j] *= s;
}
ROWS_OF_N(softmax)

static inline void log_softmax_row(const float *x, float *out, int64_t n)
{
    float m = row_max(x, n), s = 0;
    for (int64_t j = 0; j < n; j++)
        s += exp_poly(x[j] - m);
    s = m + logf(s);
    for (int64_t j = 0; j < n; j++)
        out[j] = x[j] - s;
}
ROWS_OF_N(log_softmax)

static inline void layer_norm_row(const float *x, float *out, int64_t n)
{
    float s = 0, q = 0;
    for (int64_t j = 0; j < n; j++)
        s += x[j];
    s /= (float)n;
    for (int64_t j = 0; j < n; j++)
        q += (x[j] - s) * (x[j] - s);
    q = 1 / sqrtf(q / (float)n + 1e-5f);
    for (int64_t j = 0; j < n; j++)
        out[j] = (x[j] - s) * q;
}
ROWS_OF_N(layer_norm)

/* -- Bare loops on small examples, as one writes them: growth is measured against these -------- */

static void NAME(bare_add)(const limit_data *d, int part, int parts)
{
    const float *restrict x = d->in[0], *restrict y = d->in[1];
    float *restrict out = d->out;
    int64_t begin, end;
    share(d->count[0], part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        out[i] = x[i] + y[i];
}

static void NAME(bare_sum)(const limit_data *d, int part, int parts)
{
    const float *restrict x = d->in[0];
    float *restrict out = d->out;
    int64_t begin, end;
    share(d->batch, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        float s = 0;
        for (int j = 0; j < 8; j++)
            s += x[8 * i + j];
        out[i] = s;
    }
}

static void NAME(bare_softmax)(const limit_data *d, int part, int parts)
{
    const float *x = d->in[0];
    float *out = d->out;
    int64_t begin, end;
    share(d->batch, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        softmax_row(x + 8 * i, out + 8 * i, 8);
}

limit_fn *const JOIN(limits_, LEVEL)[] = {
#define X(name) [LIMIT_##name] = NAME(name),
    LIMITS(X)
#undef X
};
