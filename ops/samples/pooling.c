/* samples/pooling.c: windows by hand. */
#include "samples.h"

/* The checks that all poolings share. */
#define BAD_LINE(op)                                                                               \
    TM_FAILS(op, "f32[4], 2",                                                                      \
             "rank: x must have 2 dimensions, or 3 with a batch, got shape (4,)"),                 \
        TM_FAILS(op, "f32[1,1,1,4], 2",                                                            \
                 "rank: x must have 2 dimensions, or 3 with a batch, got shape (1, 1, 1, 4)"),     \
        TM_FAILS(op, "f32[1,4], (2,2)", "value: kernel_size must be one number, got 2"),           \
        BAD_BOTH(op, "-1", "1,4", "1, 4", "1,0", "1, 0", "0,4", "0, 4")
#define BAD_PLANE(op)                                                                              \
    TM_FAILS(op, "f32[4,4], 2",                                                                    \
             "rank: x must have 3 dimensions, or 4 with a batch, got shape (4, 4)"),               \
        TM_FAILS(op, "f32[1,4,4], (2,2,2)", "value: kernel_size must be one number or 2, got 3"),  \
        TM_FAILS(op, "f32[1,4,4], 2, (1,1,1)", "value: stride must be one number or 2, got 3"),    \
        TM_FAILS(op, "f32[1,4,4], 2, 1, ()", "value: padding must be one number or 2, got 0"),     \
        BAD_BOTH(op, "-2", "1,4,4", "1, 4, 4", "1,4,0", "1, 4, 0", "0,4,4", "0, 4, 4")
#define BAD_BOTH(op, axis, good, good_text, empty, empty_text, none, none_text)                    \
    TM_FAILS(op, "i64[" good "], 2", "dtype: x must have a floating-point dtype, got int64"),      \
        TM_FAILS(op, "c64[" good "], 2",                                                           \
                 "dtype: x must have a floating-point dtype, got complex64"),                      \
        TM_FAILS(op, "f32[" empty "], 2",                                                          \
                 "shape: x must have no size 0 but a batch's, got shape (" empty_text ")"),        \
        TM_FAILS(op, "f32[" none "], 2",                                                           \
                 "shape: x must have no size 0 but a batch's, got shape (" none_text ")"),         \
        TM_FAILS(op, "f32[" good "], 0", "value: kernel_size must be at least 1, got 0"),          \
        TM_FAILS(op, "f32[" good "], 2, 0", "value: stride must be at least 1, got 0"),            \
        TM_FAILS(op, "f32[" good "], 2, 1, -1", "value: padding must be at least 0, got -1"),      \
        TM_FAILS(op, "f32[" good "], 3, 1, 2",                                                     \
                 "value: padding must be at most half of kernel_size, 3, got 2"),                  \
        TM_FAILS(op, "f32[" good "], 5",                                                           \
                 "shape: x must hold a window of 5 elements along axis " axis                      \
                 ", padding included, "                                                            \
                 "got shape (" good_text ")")
#define BAD_DILATION(op, good)                                                                     \
    TM_FAILS(op, "f32[" good "], 2, dilation=0", "value: dilation must be at least 1, got 0")

static const tm_sample rows[] = {
    TM_EXACT("avg_pool1d", "f32[1,5]{1 3 5 7 9}, 2", "f32[1,2]{2 6}"),
    TM_EXACT("avg_pool1d", "f32[1,5]{1 3 5 7 9}, 2, ceil_mode=True", "f32[1,3]{2 6 9}"),
    TM_EXACT("avg_pool1d", "f64[2,1,3]{1 3 5 2 4 6}, 3, 1, 1",
             "f64[2,1,3]{1.3333333333333333 3 2.6666666666666665 2 4 3.3333333333333335}"),
    TM_EXACT("avg_pool1d", "f32[1,3]{1 3 5}, 2, 2, 1, False, False", "f32[1,2]{1 4}"),
    TM_EXACT("avg_pool1d", "f32[1,3]{1 nan 5}, 1", "f32[1,3]{1 nan 5}"),
    TM_EXACT("avg_pool1d", "f32[0,1,3], 2", "f32[0,1,1]"),
    TM_LAW("avg_pool1d", "f32[2,3,9], 3, 2, 1, True"),
    BAD_LINE("avg_pool1d"),
    TM_EXACT("avg_pool2d", "f32[1,2,4]{1 2 3 4 5 6 7 8}, 2", "f32[1,1,2]{3.5 5.5}"),
    TM_EXACT("avg_pool2d", "f64[1,2,2]{1 2 3 4}, (1,2), (1,2)", "f64[1,2,1]{1.5 3.5}"),
    TM_EXACT("avg_pool2d", "f32[1,2,2]{4 8 12 16}, 2, 1, 1", "f32[1,3,3]{1 3 2 4 10 6 3 7 4}"),
    TM_EXACT("avg_pool2d", "f32[1,2,2]{4 8 12 16}, 2, 1, 1, count_include_pad=False",
             "f32[1,3,3]{4 6 8 8 10 12 12 14 16}"),
    TM_EXACT("avg_pool2d", "f32[1,1,2,2]{1 2 3 4}, 2, divisor_override=-5", "f32[1,1,1,1]{-2}"),
    TM_LAW("avg_pool2d", "f64[2,2,5,4], (3,2), (2,1), (1,0), True"),
    TM_LAW("avg_pool2d", "f32[3,4,4], 2"),
    TM_FAILS("avg_pool2d", "f32[1,2,2], 2, divisor_override=0",
             "value: divisor_override must not be 0"),
    BAD_PLANE("avg_pool2d"),
    TM_EXACT("max_pool1d", "f32[1,5]{1 3 2 7 5}, 2", "f32[1,2]{3 7}"),
    TM_EXACT("max_pool1d", "f32[1,5]{1 3 2 7 5}, 2, ceil_mode=True", "f32[1,3]{3 7 5}"),
    TM_EXACT("max_pool1d", "f64[1,1,5]{1 3 2 7 5}, 2, 1, 0, 3", "f64[1,1,2]{7 5}"),
    TM_EXACT("max_pool1d", "f32[1,3]{-1 nan -3}, 3, 1, 1", "f32[1,3]{nan nan nan}"),
    TM_EXACT("max_pool1d", "f32[1,4]{-1 -2 nan -3}, 2", "f32[1,2]{-1 nan}"),
    TM_EXACT("max_pool1d", "f32[1,2]{-inf -inf}, 2", "f32[1,1]{-inf}"),
    TM_EXACT("max_pool1d", "f32[1,1]{3}, 2, 1, 1, 2", "f32[1,1]{-inf}"),
    TM_EXACT("max_pool1d", "f32[0,1,3], 2", "f32[0,1,1]"),
    TM_LAW("max_pool1d", "f32[2,9]~special, 3, 2, 1"),
    BAD_LINE("max_pool1d"),
    BAD_DILATION("max_pool1d", "1,4"),
    TM_EXACT("max_pool2d", "f32[1,2,4]{1 6 3 4 5 2 7 8}, 2", "f32[1,1,2]{6 8}"),
    TM_EXACT("max_pool2d", "f64[1,1,3,3]{1 2 3 4 5 6 7 8 9}, 2, 1, 1, 2",
             "f64[1,1,3,3]{5 6 5 8 9 8 5 6 5}"),
    TM_LAW("max_pool2d", "f64[2,2,5,4]~ties, (3,2), (2,1), (1,0), (1,2), True"),
    BAD_PLANE("max_pool2d"),
    BAD_DILATION("max_pool2d", "1,4,4"),
    TM_EXACT("max_pool2d_with_indices", "f32[1,2,4]{1 6 3 4 5 2 7 8}, 2",
             "f32[1,1,2]{6 8}, i64[1,1,2]{1 7}"),
    TM_EXACT("max_pool2d_with_indices", "f32[1,1,2,2]{3 3 nan nan}, (1,2)",
             "f32[1,1,2,1]{3 nan}, i64[1,1,2,1]{0 2}"),
    TM_LAW("max_pool2d_with_indices", "f32[2,5,4]~ties, 3, 2, 1"),
    BAD_PLANE("max_pool2d_with_indices"),
    BAD_DILATION("max_pool2d_with_indices", "1,4,4"),
};
TM_SAMPLES(pooling, rows);
