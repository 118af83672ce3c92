/* samples/convolution.c: small convolutions by hand, larger ones held against the defining sum.
 */
#include <stdlib.h>

#include "reading.h"
#include "samples.h"

/* -- The defining sum -------------------------------------------------------------------------- */

/* A list's number for axis i, or the one for all of them. */
static int64_t number(tm_int_list list, int i)
{
    return list.data[list.count > 1 ? i : 0];
}

/* Row-major index of (batch, channel, position). */
static int64_t flat(const tm_tensor *x, int dims, int64_t batch, int64_t channel,
                    const int64_t *position)
{
    int64_t at = batch * tm_size(x, -dims - 1) + channel;
    for (int d = 0; d < dims; d++)
        at = at * tm_size(x, d - dims) + position[d];
    return at;
}

static void unravel(int64_t at, const tm_tensor *x, int dims, int64_t *position)
{
    for (int d = dims; d-- > 0; at /= tm_size(x, d - dims))
        position[d] = at % tm_size(x, d - dims);
}

static int64_t volume(const tm_tensor *x, int dims)
{
    int64_t product = 1;
    for (int d = 0; d < dims; d++)
        product *= tm_size(x, d - dims);
    return product;
}

/* y[o, p] = bias[o] + sum over c and t of weight[o, c, t] x[c, p stride + t dilation - padding].
 * With `wide` the tensor that the window slides over and `positions` the one that has its
 * positions, both kinds of convolution are sums over the same triples; a transposed one adds up in
 * `wide`. */
static bool is_sum(const tm_value *args, const tm_tensor *y, tm_int_list padding,
                   tm_int_list dilation, int64_t groups, bool transposed)
{
    const tm_tensor *x = args[0].tensor, *weight = args[1].tensor, *bias = args[2].tensor;
    const tm_tensor *wide = transposed ? y : x, *positions = transposed ? x : y;
    const int dims = tm_ndim(weight) - 2;
    const int64_t batch = tm_ndim(x) > dims + 1 ? tm_size(x, 0) : 1;
    const int64_t wide_group = tm_size(wide, -dims - 1) / groups;
    const int64_t channels = tm_size(positions, -dims - 1), group = channels / groups;
    /* Of the terms, and of their magnitudes. */
    double *sums = calloc((size_t)tm_numel(y) * 2 + 1, sizeof *sums), *sizes = sums + tm_numel(y);
    bool is = sums != NULL;
    for (int64_t i = 0; i < tm_numel(y) && is; i++) {
        int64_t channel = i / volume(y, dims) % tm_size(y, -dims - 1);
        sums[i] = bias != TM_NONE ? value(bias, channel) : 0;
        sizes[i] = fabs(sums[i]);
    }
    for (int64_t i = 0; i < batch * channels * volume(positions, dims) && is; i++) {
        int64_t p[3], t[3], at[3], o = i / volume(positions, dims) % channels;
        int64_t b = i / volume(positions, dims) / channels;
        unravel(i, positions, dims, p);
        for (int64_t j = 0; j < wide_group * volume(weight, dims); j++) {
            int64_t c = j / volume(weight, dims);
            bool inside = true;
            unravel(j, weight, dims, t);
            for (int d = 0; d < dims; d++) {
                at[d] = p[d] * number(args[3].ints, d) + t[d] * number(dilation, d) -
                        number(padding, d);
                inside = inside && at[d] >= 0 && at[d] < tm_size(wide, d - dims);
            }
            if (!inside)
                continue;
            int64_t e = flat(wide, dims, b, o / group * wide_group + c, at),
                    to = transposed ? e : i;
            double term = value(weight, o * wide_group * volume(weight, dims) + j) *
                          value(x, transposed ? i : e);
            sums[to] += term;
            sizes[to] += fabs(term);
        }
    }
    double tolerance = tm_dtype_of(y) == TM_FLOAT32 ? 4e-6 : 1e-14;
    for (int64_t i = 0; i < tm_numel(y) && is; i++)
        is = close_to(value(y, i), sums[i], tolerance * sizes[i]);
    free(sums);
    return is;
}

static bool is_convolution(const tm_value *args, const tm_value *results)
{
    return is_sum(args, results[0].tensor, args[4].ints, args[5].ints, args[6].i, false);
}

static bool is_same(const tm_value *args, const tm_value *results)
{
    int64_t padding[3];
    int dims = tm_ndim(args[1].tensor) - 2;
    for (int d = 0; d < dims; d++)
        padding[d] = (tm_size(args[1].tensor, 2 + d) - 1) * number(args[5].ints, d) / 2;
    return is_sum(args, results[0].tensor, (tm_int_list){padding, dims}, args[5].ints, args[6].i,
                  false);
}

static bool is_transposed(const tm_value *args, const tm_value *results)
{
    return is_sum(args, results[0].tensor, args[4].ints, args[7].ints, args[6].i, true);
}

/* -- The calls that fail ------------------------------------------------------------------------
 */

/* What all ops check. s: the sizes of an x of 4 channels (alone: with no size before); w: those of
 * a window in it; both as they are in a sample and in a message; the rank of x, and of x with a
 * batch. */
#define BAD(op, s, s_alone, s_text, w, w_text, rank, batch_rank)                                   \
    TM_FAILS(op, "f32[" s "], f32[4,4," w "]",                                                     \
             "rank: x must have " rank " dimensions, or " batch_rank                               \
             " with a batch, got shape (" s_alone ")"),                                            \
        TM_FAILS(op, "f32[1,1,1," s "], f32[4,4," w "]",                                           \
                 "rank: x must have " rank " dimensions, or " batch_rank                           \
                 " with a batch, got shape (1, 1, 1, " s_text ")"),                                \
        TM_FAILS(op, "i64[4," s "], i64[4,4," w "]",                                               \
                 "dtype: x must have a floating-point or complex dtype, got int64"),               \
        TM_FAILS(op, "b8[4," s "], b8[4,4," w "]",                                                 \
                 "dtype: x must have a floating-point or complex dtype, got bool"),                \
        TM_FAILS(op, "f32[0," s "], f32[4,4," w "]",                                               \
                 "shape: x must have no size 0 but a batch's, got shape (0, " s_text ")"),         \
        TM_FAILS(op, "f32[4," s "], f32[4," w "]",                                                 \
                 "rank: weight must have " batch_rank " dimensions, got shape (4, " w_text ")"),   \
        TM_FAILS(op, "f32[4," s "], f64[4,4," w "]",                                               \
                 "dtype: weight must have x's dtype float32, got float64"),                        \
        TM_FAILS(op, "f32[4," s "], f32[4,0," w "]",                                               \
                 "shape: weight must have no size 0, got shape (4, 0, " w_text ")"),               \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], groups=0",                                     \
                 "value: groups must be at least 1, got 0"),                                       \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], groups=3",                                     \
                 "value: groups must divide x's number of channels 4, got 3"),                     \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], f32[]",                                        \
                 "rank: bias must have 1 dimension, got shape ()"),                                \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], f32[4,1]",                                     \
                 "rank: bias must have 1 dimension, got shape (4, 1)"),                            \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], f32[1]",                                       \
                 "shape: bias must have size 4, the result's channels, got shape (1,)"),           \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], f64[4]",                                       \
                 "dtype: bias must have x's dtype float32, got float64"),                          \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], stride=0",                                     \
                 "value: stride must be at least 1, got 0"),                                       \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], dilation=0",                                   \
                 "value: dilation must be at least 1, got 0")
#define BAD_PADDING(op, s, w)                                                                      \
    TM_FAILS(op, "f32[4," s "], f32[4,4," w "], padding=-1",                                       \
             "value: padding must be at least 0, got -1")
#define BAD_FORWARD(op, s, s_text, w, w_text, axis)                                                \
    TM_FAILS(op, "f32[4," s "], f32[3,2," w "], groups=2",                                         \
             "value: groups must divide weight's number of output channels 3, got 2"),             \
        TM_FAILS(op, "f32[4," s "], f32[4,3," w "]",                                               \
                 "shape: weight must have size 4, x's channels over groups, along axis 1, got "    \
                 "shape (4, 3, " w_text ")"),                                                      \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], dilation=6",                                   \
                 "shape: x must hold a window of 7 elements along axis " axis ", padding "         \
                 "included, got shape (4, " s_text ")")
#define BAD_NUMBERS(op, s, s_text, w, w_text, axis)                                                \
    BAD_FORWARD(op, s, s_text, w, w_text, axis), BAD_PADDING(op, s, w),                            \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], padding=5000000000000000000",                  \
                 "value: padding is too large, got 5000000000000000000")
#define BAD_NAMED(op, s, s_text, w, w_text, axis)                                                  \
    BAD_FORWARD(op, s, s_text, w, w_text, axis),                                                   \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], padding='full'",                               \
                 "value: padding must be 'valid' or 'same', got 'full'"),                          \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], stride=2, padding='same'",                     \
                 "value: stride must be 1 where padding is 'same', got 2"),                        \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], padding='same', dilation=4000000000000000000", \
                 "value: dilation is too large, got 4000000000000000000")
#define BAD_TRANSPOSED(op, s, w, w_text, axis)                                                     \
    BAD_PADDING(op, s, w),                                                                         \
        TM_FAILS(                                                                                  \
            op, "f32[4," s "], f32[2,4," w "], groups=2",                                          \
            "shape: weight must have size 4, x's channels, along axis 0, got shape (2, 4, " w_text \
            ")"),                                                                                  \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], output_padding=-1",                            \
                 "value: output_padding must be at least 0, got -1"),                              \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], stride=2, output_padding=2",                   \
                 "value: output_padding must be less than stride or dilation, got 2"),             \
        TM_FAILS(op, "f32[4," s "], f32[4,4," w "], padding=4",                                    \
                 "value: padding must leave at least one element along axis " axis ", got 4")
/* A list of four numbers, where there must be one or `dims`. */
#define BAD_LIST(op, s, w, list, wanted)                                                           \
    TM_FAILS(op, "f32[4," s "], f32[4,4," w "], " list "=(1,1,1,1)",                               \
             "value: " list " must be " wanted ", got 4")
#define BAD_LISTS(op, s, w, wanted)                                                                \
    BAD_LIST(op, s, w, "stride", wanted), BAD_LIST(op, s, w, "dilation", wanted)

static const tm_sample rows[] = {
    TM_EXACT("conv1d", "f32[1,4]{1 2 3 4}, f32[1,1,2]{1 -1}", "f32[1,3]{-1 -1 -1}"),
    TM_EXACT("conv1d", "f64[1,1,4]{1 2 3 4}, f64[1,1,2]{1 -1}, f64[1]{10}, 2, 1",
             "f64[1,1,3]{9 9 14}"),
    TM_EXACT("conv1d", "f32[1,4]{1 2 3 4}, f32[1,1,2]{1 -1}, dilation=2", "f32[1,2]{-2 -2}"),
    TM_EXACT("conv1d", "f64[1,2,3]{1 2 3 4 5 6}, f64[2,1,2]{1 1 1 -1}, groups=2",
             "f64[1,2,2]{3 5 -1 -1}"),
    TM_EXACT("conv1d", "f32[2,2]{1 2 3 4}, f32[3,2,1]{1 0 0 1 1 1}", "f32[3,2]{1 2 3 4 4 6}"),
    TM_EXACT("conv1d", "c64[1,2]{1+1j 2}, c64[1,1,2]{1j 1-1j}, c64[1]{1}", "c64[1,1]{2-1j}"),
    TM_EXACT("conv1d", "f16[1,3]{1 2 3}, f16[1,1,2]{0.5 2}, f16[1]{1}", "f16[1,2]{5.5 8}"),
    TM_EXACT("conv1d", "bf16[1,2]{256 1}, bf16[1,1,2]{1 1}, bf16[1]{1}", "bf16[1,1]{258}"),
    TM_EXACT("conv1d", "f32[1,3]{1 nan inf}, f32[1,1,1]{2}", "f32[1,3]{2 nan inf}"),
    TM_EXACT("conv1d", "f32[1,1]{3}, f32[1,1,1]{2}, padding=2", "f32[1,5]{0 0 6 0 0}"),
    TM_EXACT("conv1d", "f32[0,1,3], f32[2,1,2]", "f32[0,2,2]"),
    TM_LAW("conv1d", "f32[2,3,9], f32[4,3,3], f32[4], 2, 2, 2"),
    TM_LAW("conv1d", "f16[2,4,9], f16[4,2,3], f16[4], 2, 1, groups=2"),
    TM_LAW("conv1d", "c128[4,9], c128[2,2,3], c128[2], 1, 1, groups=2"),
    TM_JUDGED("conv1d", "f32[3,4,37], f32[6,2,3], f32[6], 3, 2, 2, 2", is_convolution),
    TM_JUDGED("conv1d", "f32[6,40], f32[6,1,5], None, 1, 2, 1, 6", is_convolution),
    TM_FAILS("conv1d",
             "f32[1,1], f32[1,1,2], padding=4611686018427387903, dilation=9223372036854775807",
             "shape: x must hold a window of 9223372036854775807 elements along axis -1, padding "
             "included, got shape (1, 1)"),
    BAD("conv1d", "6", "6,", "6", "2", "2", "2", "3"),
    BAD_NUMBERS("conv1d", "6", "6", "2", "2", "-1"),
    BAD_LISTS("conv1d", "6", "2", "one number"),
    BAD_LIST("conv1d", "6", "2", "padding", "one number"),

    TM_EXACT("conv1d.padding", "f32[1,4]{1 2 3 4}, f32[1,1,2]{1 -1}, stride=2", "f32[1,2]{-1 -1}"),
    TM_EXACT("conv1d.padding", "f32[1,4]{1 2 3 4}, f32[1,1,2]{1 1}, padding='same'",
             "f32[1,4]{3 5 7 4}"),
    TM_EXACT("conv1d.padding", "f64[1,4]{1 2 3 4}, f64[1,1,3]{1 1 1}, f64[1]{1}, 1, 'same'",
             "f64[1,4]{4 7 10 8}"),
    TM_EXACT("conv1d.padding", "f32[1,4]{1 2 3 4}, f32[1,1,2]{1 1}, None, 1, 'same', 2",
             "f32[1,4]{2 4 6 3}"),
    TM_JUDGED("conv1d.padding", "f64[2,4,11], f64[6,2,4], f64[6], 1, 'same', 3, 2", is_same),
    BAD("conv1d.padding", "6", "6,", "6", "2", "2", "2", "3"),
    BAD_NAMED("conv1d.padding", "6", "6", "2", "2", "-1"),
    BAD_LISTS("conv1d.padding", "6", "2", "one number"),

    TM_EXACT("conv2d", "f32[1,3,3]{1 2 3 4 5 6 7 8 9}, f32[1,1,2,2]{1 0 0 1}",
             "f32[1,2,2]{6 8 12 14}"),
    TM_EXACT("conv2d", "f64[1,3,3]{1 2 3 4 5 6 7 8 9}, f64[1,1,2,2]{1 0 0 1}, None, (2,1), (1,0)",
             "f64[1,2,2]{2 3 12 14}"),
    TM_EXACT("conv2d", "f32[1,1,1,1]{3}, f32[2,1,1,1]{2 -1}, f32[2]{1 1}", "f32[1,2,1,1]{7 -2}"),
    TM_EXACT("conv2d", "f32[0,1,3,3], f32[2,1,2,2]", "f32[0,2,2,2]"),
    TM_LAW("conv2d", "f32[1,3,4,4], f32[3,3,3,3], f32[3], 2, 2"),
    TM_LAW("conv2d", "f32[2,4,5,6]~special, f32[4,2,3,2], f32[4], (1,2), (2,0), (2,1), 2"),
    TM_LAW("conv2d", "bf16[2,2,5,5], bf16[3,2,3,3], bf16[3], 1, 1"),
    TM_LAW("conv2d", "c64[2,5,5], c64[3,2,2,2], c64[3]"),
    TM_JUDGED("conv2d", "f32[2,4,9,8], f32[6,2,3,2], f32[6], (2,1), (1,2), (1,2), 2",
              is_convolution),
    /* Several blocks of positions. */
    TM_JUDGED("conv2d", "f64[64,18,18], f64[2,64,3,3], f64[2]", is_convolution),
    BAD("conv2d", "6,6", "6, 6", "6, 6", "2,2", "2, 2", "3", "4"),
    BAD_NUMBERS("conv2d", "6,6", "6, 6", "2,2", "2, 2", "-2"),
    BAD_LISTS("conv2d", "6,6", "2,2", "one number or 2"),
    BAD_LIST("conv2d", "6,6", "2,2", "padding", "one number or 2"),
    /* A bias whose examples are numbers: in a batch of two it has the shape (2,). */
    TM_FAILS("conv2d", "f32[1,3,4,4], f32[3,3,3,3], f32[], 2, 2",
             "rank: bias must have 1 dimension, got shape ()"),

    TM_EXACT("conv2d.padding", "f32[1,2,2]{1 2 3 4}, f32[1,1,2,2]{1 1 1 1}, padding='same'",
             "f32[1,2,2]{10 6 7 4}"),
    TM_EXACT("conv2d.padding", "f64[1,2,2]{1 2 3 4}, f64[1,1,2,2]{1 1 1 1}, padding='valid'",
             "f64[1,1,1]{10}"),
    TM_JUDGED("conv2d.padding", "f32[2,2,5,4], f32[3,2,3,2], f32[3], 1, 'same', (1,2)", is_same),
    BAD("conv2d.padding", "6,6", "6, 6", "6, 6", "2,2", "2, 2", "3", "4"),
    BAD_NAMED("conv2d.padding", "6,6", "6, 6", "2,2", "2, 2", "-2"),
    BAD_LISTS("conv2d.padding", "6,6", "2,2", "one number or 2"),

    TM_EXACT("conv3d", "f32[1,2,2,2]{1 2 3 4 5 6 7 8}, f32[1,1,2,2,2]{1 1 1 1 1 1 1 1}",
             "f32[1,1,1,1]{36}"),
    TM_EXACT("conv3d", "f64[1,2,1,2]{1 2 3 4}, f64[1,1,2,1,1]{1 10}, f64[1]{1}, 1, (1,0,0)",
             "f64[1,3,1,2]{11 21 32 43 4 5}"),
    TM_JUDGED("conv3d", "f32[2,4,4,5,3], f32[2,2,2,3,2], f32[2], (1,2,1), (1,1,0), (2,1,1), 2",
              is_convolution),
    BAD("conv3d", "6,6,6", "6, 6, 6", "6, 6, 6", "2,2,2", "2, 2, 2", "4", "5"),
    BAD_NUMBERS("conv3d", "6,6,6", "6, 6, 6", "2,2,2", "2, 2, 2", "-3"),
    BAD_LISTS("conv3d", "6,6,6", "2,2,2", "one number or 3"),
    BAD_LIST("conv3d", "6,6,6", "2,2,2", "padding", "one number or 3"),

    TM_EXACT("conv3d.padding", "f32[1,1,1,3]{1 2 3}, f32[1,1,1,1,2]{1 1}, padding='same'",
             "f32[1,1,1,3]{3 5 3}"),
    TM_JUDGED("conv3d.padding", "f64[2,3,4,3], f64[2,1,2,3,2], f64[2], 1, 'same', (1,2,1), 2",
              is_same),
    BAD("conv3d.padding", "6,6,6", "6, 6, 6", "6, 6, 6", "2,2,2", "2, 2, 2", "4", "5"),
    BAD_NAMED("conv3d.padding", "6,6,6", "6, 6, 6", "2,2,2", "2, 2, 2", "-3"),
    BAD_LISTS("conv3d.padding", "6,6,6", "2,2,2", "one number or 3"),

    TM_EXACT("conv_transpose1d", "f32[1,2]{1 2}, f32[1,1,3]{1 10 100}", "f32[1,4]{1 12 120 200}"),
    TM_EXACT("conv_transpose1d", "f32[1,2]{1 2}, f32[1,1,3]{1 10 100}, f32[1]{5}, 2",
             "f32[1,5]{6 15 107 25 205}"),
    TM_EXACT("conv_transpose1d", "f64[1,1,2]{1 2}, f64[1,1,3]{1 10 100}, None, 2, 1",
             "f64[1,1,3]{10 102 20}"),
    TM_EXACT("conv_transpose1d", "f32[1,2]{1 2}, f32[1,1,3]{1 10 100}, None, 2, 1, 1",
             "f32[1,4]{10 102 20 200}"),
    TM_EXACT("conv_transpose1d", "f32[1,2]{1 2}, f32[1,1,3]{1 10 100}, dilation=2",
             "f32[1,6]{1 2 10 20 100 200}"),
    TM_EXACT("conv_transpose1d", "f64[2,1]{2 3}, f64[2,2,1]{1 2 3 4}, groups=2",
             "f64[4,1]{2 4 9 12}"),
    TM_EXACT("conv_transpose1d", "f32[2,1]{2 3}, f32[2,1,2]{1 2 3 4}", "f32[1,2]{11 16}"),
    TM_EXACT("conv_transpose1d", "c64[1,1]{1+1j}, c64[1,1,2]{1j 2}, c64[1]{1}",
             "c64[1,2]{1j 3+2j}"),
    TM_EXACT("conv_transpose1d", "f16[1,2]{1 2}, f16[1,1,2]{0.5 3}, f16[1]{1}",
             "f16[1,3]{1.5 5 7}"),
    TM_EXACT("conv_transpose1d", "bf16[1,2]{256 1}, bf16[1,1,2]{1 1}, bf16[1]{1}, padding=1",
             "bf16[1,1]{258}"),
    TM_EXACT("conv_transpose1d", "f32[0,1,3], f32[1,2,2]", "f32[0,2,4]"),
    TM_LAW("conv_transpose1d", "f16[2,4,5], f16[4,2,3], f16[4], 2, 1, 1, 2"),
    TM_LAW("conv_transpose1d", "c128[4,5], c128[4,1,3], c128[2], 2, 1, groups=2"),
    TM_JUDGED("conv_transpose1d", "f32[2,4,9], f32[4,3,3], f32[6], 3, 2, 1, 2, 2", is_transposed),
    /* Sizes at the end of int64: one within and one beyond. */
    TM_EXACT("conv_transpose1d", "f32[1,1]{3}, f32[1,1,2]{1 10}, stride=9223372036854775807",
             "f32[1,2]{3 30}"),
    TM_FAILS("conv_transpose1d",
             "f32[1,1], f32[1,1,2], padding=4611686018427387903, dilation=9223372036854775807",
             "shape: the result's bytes do not fit in memory's address range: shape (1, "
             "9223372036854775807)"),
    BAD("conv_transpose1d", "6", "6,", "6", "2", "2", "2", "3"),
    BAD_TRANSPOSED("conv_transpose1d", "6", "2", "2", "-1"),
    BAD_LISTS("conv_transpose1d", "6", "2", "one number"),
    BAD_LIST("conv_transpose1d", "6", "2", "padding", "one number"),
    BAD_LIST("conv_transpose1d", "6", "2", "output_padding", "one number"),

    TM_EXACT("conv_transpose2d", "f32[1,1,1,2]{1 2}, f32[1,1,2,2]{1 2 3 4}",
             "f32[1,1,2,3]{1 4 4 3 10 8}"),
    TM_EXACT("conv_transpose2d", "f64[1,1,2]{1 2}, f64[1,1,1,1]{3}, f64[1]{1}, (1,2), 0, (0,1)",
             "f64[1,1,4]{4 1 7 1}"),
    TM_LAW("conv_transpose2d", "f32[1,3,4,4], f32[3,3,3,3], f32[3], 2, 2, 1"),
    TM_LAW("conv_transpose2d",
           "f32[2,2,3,4]~special, f32[2,1,3,2], f32[2], (1,2), (1,0), (0,1), 2"),
    TM_LAW("conv_transpose2d", "bf16[2,3,3], bf16[2,3,3,3], bf16[3], 2, 1"),
    TM_JUDGED("conv_transpose2d",
              "f32[2,4,5,4], f32[4,3,3,2], f32[6], (2,1), (1,0), (1,1), 2, (1,2)", is_transposed),
    /* Several blocks of positions. */
    TM_JUDGED("conv_transpose2d", "f64[2,18,18], f64[2,64,3,3], f64[64], padding=1", is_transposed),
    BAD("conv_transpose2d", "6,6", "6, 6", "6, 6", "2,2", "2, 2", "3", "4"),
    BAD_TRANSPOSED("conv_transpose2d", "6,6", "2,2", "2, 2", "-2"),
    BAD_LISTS("conv_transpose2d", "6,6", "2,2", "one number or 2"),
    BAD_LIST("conv_transpose2d", "6,6", "2,2", "padding", "one number or 2"),
    BAD_LIST("conv_transpose2d", "6,6", "2,2", "output_padding", "one number or 2"),
    TM_FAILS("conv_transpose2d", "f32[1,3,4,4], f32[3,3,3,0], f32[3], (2,2), 2, (1,1)",
             "shape: weight must have no size 0, got shape (3, 3, 3, 0)"),
    TM_FAILS("conv_transpose2d", "f32[1,3,4,4], f32[3,3,3,3], f32[4], (2,2), 2, (1,1)",
             "shape: bias must have size 3, the result's channels, got shape (4,)"),
    TM_FAILS("conv_transpose2d", "f32[1,3,4,4], f32[3,3,3,3], f64[3], (2,2), 2, (1,1)",
             "dtype: bias must have x's dtype float32, got float64"),

    TM_EXACT("conv_transpose3d", "f64[1,1,1,1]{2}, f64[1,1,2,1,2]{1 2 3 4}",
             "f64[1,2,1,2]{2 4 6 8}"),
    TM_JUDGED("conv_transpose3d",
              "f32[2,4,2,3,2], f32[4,1,2,3,2], f32[2], (1,2,1), (1,1,0), (0,1,0), 2, (2,1,1)",
              is_transposed),
    BAD("conv_transpose3d", "6,6,6", "6, 6, 6", "6, 6, 6", "2,2,2", "2, 2, 2", "4", "5"),
    BAD_TRANSPOSED("conv_transpose3d", "6,6,6", "2,2,2", "2, 2, 2", "-3"),
    BAD_LISTS("conv_transpose3d", "6,6,6", "2,2,2", "one number or 3"),
    BAD_LIST("conv_transpose3d", "6,6,6", "2,2,2", "padding", "one number or 3"),
    BAD_LIST("conv_transpose3d", "6,6,6", "2,2,2", "output_padding", "one number or 3"),
    TM_LAW("conv_transpose3d", "f32[2,3,2,3], f32[2,2,2,1,2]"),
    TM_LAW("conv_transpose3d", "f64[1,2,3,2], f64[1,3,2,2,1]"),
};
TM_SAMPLES(convolution, rows);
