/* test_convolution.c: convolutions against sums written out, bit for bit: whichever level of vector
 * instructions is used, however x and weight lie, plain and batched, in one piece or several.
 */
#include <math.h>
#include <string.h>

#include "support.h"

/* A convolution of x (batch, channels, h, w); weight (out, channels / groups, kh, kw). */
typedef struct shape {
    int64_t batch, channels, h, w, out, kh, kw, groups;
    int64_t stride[2], padding[2], dilation[2];
    bool bias;
} shape;

static const shape shapes[] = {
    {3, 3, 28, 28, 8, 3, 3, 1, {1, 1}, {1, 1}, {1, 1}, true},
    {5, 8, 16, 16, 16, 3, 3, 1, {1, 1}, {1, 1}, {1, 1}, false},
    {7, 2, 5, 6, 3, 3, 2, 1, {1, 1}, {1, 0}, {1, 1}, true},
    {2, 4, 9, 40, 6, 3, 3, 2, {2, 3}, {1, 2}, {1, 1}, true},
    {2, 4, 20, 19, 4, 2, 5, 4, {3, 2}, {2, 4}, {2, 3}, false},
    {1, 6, 14, 14, 13, 1, 1, 1, {1, 1}, {0, 0}, {1, 1}, true},
    {2, 1, 7, 7, 1, 7, 7, 1, {1, 1}, {9, 9}, {1, 1}, false},
    {1, 2, 60, 300, 2, 5, 3, 1, {1, 1}, {2, 1}, {3, 2}, true},   /* in pieces */
    {1, 1, 1, 20000, 9, 1, 4, 1, {1, 2}, {0, 3}, {1, 1}, false}, /* rows of more than a strip */
    {2, 1, 4, 4, 1, 2, 2, 1, {1000, 1000}, {500, 500}, {1, 1}, true}, /* all but padding */
};

static double number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (1 << 23) - 1;
}

static tm_tensor *numbers(tm_dtype dtype, int ndim, const int64_t *size, uint64_t seed)
{
    tm_tensor *x = tm_zeros((tm_int_list){size, ndim}, TM_FLOAT64);
    double *data = tm_mutable_data(x);
    for (int64_t i = 0; i < tm_numel(x); i++)
        data[i] = number(&seed);
    return tm_clone(tm_astype(x, dtype));
}

/* The sums in the order of channels and taps, elements of padding among them as 0. */
#define WRITTEN_OUT(T, dtype)                                                                      \
    static tm_tensor *written_out_##T(const shape *s, const tm_tensor *x, const tm_tensor *weight, \
                                      const tm_tensor *bias, int64_t oh, int64_t ow)               \
    {                                                                                              \
        tm_tensor *y = tm_zeros(TM_INTS(s->batch, s->out, oh, ow), dtype);                         \
        const T *from = tm_data(x), *factor = tm_data(weight);                                     \
        T *to = tm_mutable_data(y);                                                                \
        const int64_t own = s->channels / s->groups, rows = s->out / s->groups;                    \
        for (int64_t at = 0; at < tm_numel(y); at++) {                                             \
            const int64_t j = at % ow, i = at / ow % oh, o = at / ow / oh % s->out;                \
            const int64_t b = at / ow / oh / s->out;                                               \
            T sum = 0;                                                                             \
            for (int64_t t = 0; t < own * s->kh * s->kw; t++) {                                    \
                const int64_t kj = t % s->kw, ki = t / s->kw % s->kh, c = t / s->kw / s->kh;       \
                const int64_t r = i * s->stride[0] + ki * s->dilation[0] - s->padding[0];          \
                const int64_t q = j * s->stride[1] + kj * s->dilation[1] - s->padding[1];          \
                const int64_t plane = b * s->channels + o / rows * own + c;                        \
                const bool there = r >= 0 && r < s->h && q >= 0 && q < s->w;                       \
                sum += factor[o * own * s->kh * s->kw + t] *                                       \
                       (there ? from[(plane * s->h + r) * s->w + q] : 0);                          \
            }                                                                                      \
            to[at] = s->bias ? sum + ((const T *)tm_data(bias))[o] : sum;                          \
        }                                                                                          \
        return y;                                                                                  \
    }
WRITTEN_OUT(float, TM_FLOAT32)
WRITTEN_OUT(double, TM_FLOAT64)

static tm_tensor *convolved(const shape *s, const tm_tensor *x, const tm_tensor *weight,
                            const tm_tensor *bias)
{
    return tm_conv2d(x, weight, bias, (tm_int_list){s->stride, 2}, (tm_int_list){s->padding, 2},
                     (tm_int_list){s->dilation, 2}, s->groups);
}

static void assert_same(const tm_tensor *x, const tm_tensor *y)
{
    tm_tensor *a = tm_clone(x), *b = tm_clone(y);
    ck_assert_int_eq(tm_numel(a), tm_numel(b));
    ck_assert_int_eq(tm_dtype_of(a), tm_dtype_of(b));
    ck_assert_int_eq(
        memcmp(tm_data(a), tm_data(b), (size_t)tm_numel(a) * tm_dtype_size(tm_dtype_of(a))), 0);
}

/* Of every shape, with x as it is given. */
static void check_all(tm_dtype dtype, bool by_channels_last)
{
    for (int i = 0; i < COUNT(shapes); i++) {
        const shape *s = &shapes[i];
        tm_scope *scope = tm_scope_push();
        tm_tensor *x = numbers(dtype, 4, (int64_t[]){s->batch, s->channels, s->h, s->w}, 1);
        tm_tensor *weight =
            numbers(dtype, 4, (int64_t[]){s->out, s->channels / s->groups, s->kh, s->kw}, 2);
        tm_tensor *bias = s->bias ? numbers(dtype, 1, &s->out, 3) : (tm_tensor *)TM_NONE;
        tm_tensor *lying = x, *lying_weight = weight;
        if (by_channels_last) {
            lying = tm_permute_dims(tm_clone(tm_permute_dims(x, TM_INTS(2, 3, 0, 1))),
                                    TM_INTS(2, 3, 0, 1));
            lying_weight = tm_permute_dims(tm_clone(tm_permute_dims(weight, TM_INTS(3, 2, 1, 0))),
                                           TM_INTS(3, 2, 1, 0));
        }
        tm_tensor *y = convolved(s, lying, lying_weight, bias);
        ck_assert_ptr_nonnull(y);
        tm_tensor *right = (dtype == TM_FLOAT64 ? written_out_double : written_out_float)(
            s, x, weight, bias, tm_size(y, 2), tm_size(y, 3));
        assert_same(y, right);
        /* Each example alone, and all in a batch with weights that are mapped too. */
        tm_vmap_options options = {.struct_size = sizeof options};
        for (int mapped = 0; mapped < 2; mapped++) {
            tm_vmap_level *level = tm_vmap_push(&options);
            tm_tensor *w = lying_weight;
            if (mapped)
                w = tm_vmap_in(
                    level,
                    tm_clone(tm_broadcast_to(
                        weight, TM_INTS(s->batch, s->out, s->channels / s->groups, s->kh, s->kw))),
                    0);
            tm_tensor *z =
                tm_vmap_out(level, convolved(s, tm_vmap_in(level, lying, 0), w, bias), 0);
            tm_vmap_pop(level);
            assert_same(z, right);
        }
        tm_scope_pop(scope);
    }
}

START_TEST(sums_are_those_written_out)
{
    const tm_simd most = tm_get_simd();
    for (int level = TM_SIMD_PORTABLE; level <= (int)most; level++) {
        tm_set_simd((tm_simd)level);
        check_all(TM_FLOAT32, false);
        check_all(TM_FLOAT32, true);
        check_all(TM_FLOAT64, true);
    }
    tm_set_simd(most);
}
END_TEST

START_TEST(narrow_floats_are_rounded_once)
{
    const shape *s = &shapes[3];
    tm_tensor *x = numbers(TM_BFLOAT16, 4, (int64_t[]){s->batch, s->channels, s->h, s->w}, 1);
    tm_tensor *weight =
        numbers(TM_BFLOAT16, 4, (int64_t[]){s->out, s->channels / s->groups, s->kh, s->kw}, 2);
    tm_tensor *bias = numbers(TM_BFLOAT16, 1, &s->out, 3);
    tm_tensor *wide = convolved(s, tm_astype(x, TM_FLOAT32), tm_astype(weight, TM_FLOAT32),
                                tm_astype(bias, TM_FLOAT32));
    assert_same(convolved(s, x, weight, bias), tm_astype(wide, TM_BFLOAT16));
}
END_TEST

/* NaN and infinity reach the positions that meet them, and 0 times infinity of the padding is NaN.
 */
START_TEST(what_is_not_finite_stays_where_it_is)
{
    float x[40] = {0}, weight[2] = {1, 2};
    x[20] = INFINITY;
    x[30] = NAN;
    tm_tensor *a = tm_from_data(TM_FLOAT32, 2, (int64_t[]){1, 40}, x);
    tm_tensor *w = tm_from_data(TM_FLOAT32, 3, (int64_t[]){1, 1, 2}, weight);
    tm_tensor *y = tm_conv1d(a, w, TM_NONE, TM_INTS(1), TM_INTS(0), TM_INTS(1), 1);
    const float *out = tm_data(y);
    for (int i = 0; i < 39; i++) {
        if (i == 19 || i == 20)
            ck_assert(isinf(out[i]));
        else if (i == 29 || i == 30)
            ck_assert(isnan(out[i]));
        else
            ck_assert(out[i] == 0);
    }
}
END_TEST

Suite *convolution_suite(void)
{
    const TTest *const tests[] = {sums_are_those_written_out, narrow_floats_are_rounded_once,
                                  what_is_not_finite_stays_where_it_is};
    return test_suite("convolution", tests, COUNT(tests));
}
