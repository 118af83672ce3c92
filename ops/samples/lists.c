/* samples/lists.c: pieces whose elements can be followed, and shapes that broadcast. */
#include "samples.h"

static const tm_sample rows[] = {
    /* unbind */
    TM_EXACT("unbind", "f32[2,3]{1 2 3 4 5 6}", "[f32[3]{1 2 3}, f32[3]{4 5 6}]"),
    TM_EXACT("unbind", "f32[2,3]{1 2 3 4 5 6}, -1", "[f32[2]{1 4}, f32[2]{2 5}, f32[2]{3 6}]"),
    TM_EXACT("unbind", "i64[8]{0 1 2 3 4 5 6 7}",
             "[i64[]{0}, i64[]{1}, i64[]{2}, i64[]{3}, i64[]{4}, i64[]{5}, i64[]{6}, i64[]{7}]"),
    TM_EXACT("unbind", "b8[1]{1}", "[b8[]{1}]"),
    TM_EXACT("unbind", "f32[0,2]", "[]"),
    TM_EXACT("unbind", "c64[2,0], 0", "[c64[0], c64[0]]"),
    TM_LAW("unbind", "f16[3,2,2], 1"),
    TM_LAW("unbind", "u8[2,9], 1"),
    TM_FAILS("unbind", "f32[]", "dim: axis 0 is out of range: a 0-D tensor has no axes"),
    TM_FAILS("unbind", "f32[2,3], 2", "dim: axis 2 is out of range, must be in -2..1"),

    /* split */
    TM_EXACT("split", "f32[5]{1 2 3 4 5}, 2", "[f32[2]{1 2}, f32[2]{3 4}, f32[1]{5}]"),
    TM_EXACT("split", "f32[2,2]{1 2 3 4}, 1, 1", "[f32[2,1]{1 3}, f32[2,1]{2 4}]"),
    TM_EXACT("split", "i32[2]{1 2}, 9223372036854775807", "[i32[2]{1 2}]"),
    TM_EXACT("split", "f32[0,2], 3", "[f32[0,2]]"),
    TM_EXACT("split", "c128[3]{1j 2 3}, 1", "[c128[1]{1j}, c128[1]{2}, c128[1]{3}]"),
    TM_LAW("split", "f64[2,5,3], 2, 1"),
    TM_LAW("split", "bf16[8], 1"),
    TM_FAILS("split", "f32[5], 0", "value: size must be at least 1, got 0"),
    TM_FAILS("split", "f32[5,5,5], -4", "value: size must be at least 1, got -4"),
    TM_FAILS("split", "f32[5,5,5], 2, -4", "dim: axis -4 is out of range, must be in -3..2"),
    TM_FAILS("split", "f32[], 5", "dim: axis 0 is out of range: a 0-D tensor has no axes"),
    TM_EXACT("split.sizes", "f32[5]{1 2 3 4 5}, (1,0,4)", "[f32[1]{1}, f32[0], f32[4]{2 3 4 5}]"),
    TM_EXACT("split.sizes", "u8[2,3]{1 2 3 4 5 6}, (2,1), -1", "[u8[2,2]{1 2 4 5}, u8[2,1]{3 6}]"),
    TM_EXACT("split.sizes", "f32[0], ()", "[]"),
    TM_LAW("split.sizes", "f32[3,6], (1,2,3), 1"),
    TM_FAILS("split.sizes", "f32[5,5,5], (3,3,1)",
             "shape: sizes must add up to 5, the size of axis 0 of x, got (3, 3, 1)"),
    TM_FAILS("split.sizes", "f32[5], (1,3)",
             "shape: sizes must add up to 5, the size of axis 0 of x, got (1, 3)"),
    TM_FAILS("split.sizes", "f32[5], (6,-1)",
             "shape: sizes must add up to 5, the size of axis 0 of x, got (6, -1)"),
    TM_FAILS("split.sizes", "f32[5], (-1,6)",
             "value: sizes must not have negative sizes, got (-1, 6)"),
    TM_FAILS("split.sizes", "f32[5], (1,3,1), 2", "dim: axis 2 is out of range, must be in -1..0"),

    /* chunk */
    TM_EXACT("chunk", "f32[5]{1 2 3 4 5}, 2", "[f32[3]{1 2 3}, f32[2]{4 5}]"),
    TM_EXACT("chunk", "i16[4]{1 2 3 4}, 3", "[i16[2]{1 2}, i16[2]{3 4}]"),
    TM_EXACT("chunk", "f32[1,3]{1 2 3}, 9223372036854775807, 1",
             "[f32[1,1]{1}, f32[1,1]{2}, f32[1,1]{3}]"),
    TM_EXACT("chunk", "f32[0,2], 2", "[f32[0,2], f32[0,2]]"),
    TM_LAW("chunk", "f32[3,7], 4, 1"),
    TM_FAILS("chunk", "f32[5], 0", "value: chunks must be at least 1, got 0"),
    TM_FAILS("chunk", "f32[5], 2, 1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_FAILS("chunk", "f32[0], 9223372036854775807",
             "value: the result would be a list of 9223372036854775807 tensors, the most there can "
             "be are 1073741824"),

    /* tensor_split */
    TM_EXACT("tensor_split", "f32[5]{1 2 3 4 5}, 3", "[f32[2]{1 2}, f32[2]{3 4}, f32[1]{5}]"),
    TM_EXACT("tensor_split", "u16[2]{1 2}, 4", "[u16[1]{1}, u16[1]{2}, u16[0], u16[0]]"),
    TM_EXACT("tensor_split", "f32[2,2]{1 2 3 4}, 1, -2", "[f32[2,2]{1 2 3 4}]"),
    TM_LAW("tensor_split", "f32[2,7], 3, 1"),
    TM_FAILS("tensor_split", "f32[5], -1", "value: sections must be at least 1, got -1"),
    TM_FAILS("tensor_split", "f32[5], 2, 3", "dim: axis 3 is out of range, must be in -1..0"),

    /* broadcast_arrays */
    TM_EXACT("broadcast_arrays", "[f32[2]{1 2}, i32[2,1]{3 4}]",
             "[f32[2,2]{1 2 1 2}, i32[2,2]{3 3 4 4}]"),
    TM_EXACT("broadcast_arrays", "[f32[]{1}, b8[1,2]{1 0}, f64[1]{2}]",
             "[f32[1,2]{1 1}, b8[1,2]{1 0}, f64[1,2]{2 2}]"),
    TM_EXACT("broadcast_arrays", "[f32[0], f32[2,1]]", "[f32[2,0], f32[2,0]]"),
    TM_EXACT("broadcast_arrays", "[]", "[]"),
    TM_LAW("broadcast_arrays", "[f32[3,1,2], i8[4,1], c64[2]]"),
    TM_LAW("broadcast_arrays", "[f32[2], f32[2], f32[1], f32[2], f32[2], f32[2], f32[1,1]]"),
    TM_FAILS("broadcast_arrays", "[f32[2], f32[3]]",
             "shape: xs must broadcast with shape (2,), got shape (3,)"),

    /* meshgrid */
    TM_EXACT("meshgrid", "[f32[3]{1 2 3}, f32[2]{4 5}]",
             "[f32[2,3]{1 2 3 1 2 3}, f32[2,3]{4 4 4 5 5 5}]"),
    TM_EXACT("meshgrid", "[f32[3]{1 2 3}, f32[2]{4 5}], 'ij'",
             "[f32[3,2]{1 1 2 2 3 3}, f32[3,2]{4 5 4 5 4 5}]"),
    TM_EXACT("meshgrid", "[i64[2]{1 2}, i64[1]{3}, i64[2]{4 5}]",
             "[i64[1,2,2]{1 1 2 2}, i64[1,2,2]{3 3 3 3}, i64[1,2,2]{4 5 4 5}]"),
    TM_EXACT("meshgrid", "[f32[]{1}, f32[2]{2 3}], indexing='ij'",
             "[f32[1,2]{1 1}, f32[1,2]{2 3}]"),
    TM_EXACT("meshgrid", "[c64[2]{1 2j}]", "[c64[2]{1 2j}]"),
    TM_EXACT("meshgrid", "[f32[0], f32[2]]", "[f32[2,0], f32[2,0]]"),
    TM_EXACT("meshgrid", "[]", "[]"),
    TM_LAW("meshgrid", "[f32[3], f32[2], f32[4]]"),
    TM_FAILS("meshgrid", "[f32[1,3]], indexing='ij'",
             "rank: xs[0] must have at most 1 dimension, got shape (1, 3)"),
    TM_FAILS("meshgrid", "[b8[3], f32[]], indexing='ij'",
             "dtype: xs[1] must have the dtype of xs[0], bool, got float32"),
    TM_FAILS("meshgrid", "[f32[2]], 'yx'", "value: indexing must be 'xy' or 'ij', got 'yx'"),
    TM_FAILS("meshgrid",
             "[f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], "
             "f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], "
             "f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[], f32[]]",
             "rank: the result must have at most 32 dimensions, got 33"),
};
TM_SAMPLES(lists, rows);
