/* samples/index.c: keys, for reading and for writing. */
#include "samples.h"

static const tm_sample rows[] = {
    /* index: without tensors */
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, ''", "f32[2,3]{1 2 3 4 5 6}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, '1'", "f32[3]{4 5 6}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, '-1, -1'", "f32[]{6}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, ':, ::-1'", "f32[2,3]{3 2 1 6 5 4}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, '..., 1:'", "f32[2,2]{2 3 5 6}"),
    TM_EXACT("index", "i8[6]{0 1 2 3 4 5}, '4:0:-2'", "i8[2]{4 2}"),
    TM_EXACT("index", "i8[6]{0 1 2 3 4 5}, '-100:100:4,'", "i8[2]{0 4}"),
    TM_EXACT("index", "i8[6]{0 1 2 3 4 5}, '3:3'", "i8[0]"),
    TM_EXACT("index", "b8[2]{1 0}, 'None, :, None'", "b8[1,2,1]{1 0}"),
    TM_EXACT("index", "c64[]{1+2j}, '..., None'", "c64[1]{1+2j}"),
    TM_EXACT("index", "f32[0,3], '::-1, 0'", "f32[0]"),
    TM_EXACT("index", "f64[1,2]{1 2}, ' +0 ,...'", "f64[2]{1 2}"),
    TM_LAW("index", "f16[3,4,5], '1:, ::-2, None, -1'"),
    TM_LAW("index", "u16[4,3,2], '..., None, ::-1'"),

    /* index: by tensors. x is 0..5, or 0..11 as (2, 3, 2). */
    TM_EXACT("index", "i32[6]{0 1 2 3 4 5}, 'T', [i64[2,2]{5 -1 0 -6}]", "i32[2,2]{5 5 0 0}"),
    TM_EXACT("index", "f32[3]{1 2 3}, 'T', [u8[]{2}]", "f32[]{3}"),
    TM_EXACT("index", "i32[2,3]{0 1 2 3 4 5}, 'T, T', [i64[2]{1 0}, i8[2]{-1 1}]", "i32[2]{5 1}"),
    TM_EXACT("index", "i32[2,3]{0 1 2 3 4 5}, 'T, T', [i64[2,1]{1 0}, i64[2]{2 0}]",
             "i32[2,2]{5 3 2 0}"),
    TM_EXACT("index", "i32[2,3]{0 1 2 3 4 5}, '::-1, T', [i64[2]{2 0}]", "i32[2,2]{5 3 2 0}"),
    TM_EXACT("index",
             "i32[2,3,2]{0 1 2 3 4 5 6 7 8 9 10 11}, 'T, :, T', [i64[2]{1 0}, i64[2]{0 1}]",
             "i32[2,3]{6 8 10 1 3 5}"),
    TM_EXACT("index",
             "i32[2,3,2]{0 1 2 3 4 5 6 7 8 9 10 11}, ':, T, T', [i64[2]{2 0}, i64[2]{0 1}]",
             "i32[2,2]{4 1 10 7}"),
    TM_EXACT("index", "i32[2,3,2]{0 1 2 3 4 5 6 7 8 9 10 11}, '1, 1:, T', [i64[3]{0 1 1}]",
             "i32[3,2]{8 10 9 11 9 11}"),
    TM_EXACT("index", "i32[2,3,2]{0 1 2 3 4 5 6 7 8 9 10 11}, ':, 1, T', [i64[1]{1}]",
             "i32[2,1]{3 9}"),
    TM_EXACT("index", "i32[2,3]{0 1 2 3 4 5}, 'T, None, T', [i64[1]{1}, i64[1]{2}]", "i32[1,1]{5}"),
    TM_EXACT("index", "f32[3]{1 2 3}, 'T', [i64[0]]", "f32[0]"),
    TM_EXACT("index", "f32[3,0], 'T', [i64[2]{2 -3}]", "f32[2,0]"),
    TM_EXACT("index", "f32[2,1]{1 2}, 'T, T', [i64[1]{1}, i64[3]{0 0 -1}]", "f32[3]{2 2 2}"),
    TM_LAW("index", "f32[3,4,5], 'T, 1:3, T', [i64[6]~index(3), i32[2,1]~index(5)]"),
    TM_LAW("index", "bf16[4,5,2], '::-1, T', [u16[3]~index(5)]"),
    TM_LAW("index", "c128[4,3], '..., T', [i16[]~index(3)]"),
    TM_LAW("index", "i64[5,300], 'T', [i64[2]~index(5)]"),
    TM_LAW("index", "f64[2,3,2], '1, ..., None, T', [u64[4]~index(2)]"),

    /* index: by masks */
    TM_EXACT("index", "f32[4]{1 2 3 4}, 'T', [b8[4]{0 1 0 1}]", "f32[2]{2 4}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, 'T', [b8[2,3]{1 0 0 0 1 1}]", "f32[3]{1 5 6}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, ':, T', [b8[3]{1 0 1}]", "f32[2,2]{1 3 4 6}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, 'T, T', [b8[2]{1 1}, i64[2]{2 0}]", "f32[2]{3 4}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, 'T, T', [b8[2]{0 1}, i64[2]{2 0}]", "f32[2]{6 4}"),
    TM_EXACT("index", "f32[2,3]{1 2 3 4 5 6}, 'T, T', [b8[2]{1 1}, b8[3]{0 1 1}]", "f32[2]{2 6}"),
    TM_EXACT("index", "f32[2]{1 2}, 'T', [b8[]{1}]", "f32[1,2]{1 2}"),
    TM_EXACT("index", "f32[2]{1 2}, 'T', [b8[]{0}]", "f32[0,2]"),
    TM_EXACT("index", "f32[]{7}, 'T', [b8[]{1}]", "f32[1]{7}"),
    TM_EXACT("index", "i16[3]{1 2 3}, 'T', [b8[3]{0 0 0}]", "i16[0]"),
    TM_EXACT("index", "f32[0,2], 'T', [b8[0]]", "f32[0,2]"),
    TM_EXACT("index", "i32[2,3,2]{0 1 2 3 4 5 6 7 8 9 10 11}, 'T, :, T', [b8[2]{1 1}, i64[]{1}]",
             "i32[2,3]{1 3 5 7 9 11}"),
    TM_LAW("index", "f32[3,4,2], '1:, T', [b8[4,2]]"),
    TM_LAW("index", "f32[3,4], 'T', [b8[3]]"),

    TM_FAILS("index", "f32[2,3], '1 2'",
             "value: key must have ',' or the end at column 3, got '2'"),
    TM_FAILS("index", "f32[2,3], '0,,1'",
             "value: key must have a number, a slice, '...', None or T at column 3, got ','"),
    TM_FAILS("index", "f32[2,3], '1:2:3:4'",
             "value: key must have ',' or the end at column 6, got ':'"),
    TM_FAILS("index", "f32[2,3], '0, -'",
             "value: key must have a number, a slice, '...', None or T at column 4, got '-'"),
    TM_FAILS("index", "f32[2,3], '1:3:0'", "value: key's step at column 5 must not be 0"),
    TM_FAILS("index", "f32[2,3], ':, 9223372036854775808'",
             "value: key's number at column 4 does not fit in 64 bits"),
    TM_FAILS("index", "f32[2,3], '..., 0, ...'",
             "value: key must have one '...', got a second at column 9"),
    TM_FAILS("index",
             "f32[2,3], "
             "'None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,"
             "None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,"
             "None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,"
             "None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,:'",
             "value: key must have at most 64 items, got another at column 321"),
    TM_FAILS("index",
             "f32[2,3], "
             "'None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,"
             "None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,...'",
             "rank: key must choose at most 32 dimensions, got 33"),
    TM_FAILS("index", "f32[2,3], '0, 0, 0'",
             "rank: key must index no more axes than x has, got 3 for shape (2, 3)"),
    TM_FAILS("index", "f32[2,3], ':, T', [b8[2,3]]",
             "rank: key must index no more axes than x has, got 3 for shape (2, 3)"),
    TM_FAILS("index", "f32[2,3], '0, 3'",
             "index: key's index 3 at column 4 is out of range for axis 1 of size 3"),
    TM_FAILS("index", "f32[0,3], '..., -1, 0'",
             "index: key's index -1 at column 6 is out of range for axis 0 of size 0"),
    TM_FAILS("index", "f32[2,3], 'T, T', [i64[1]{0}]",
             "value: key has a T at column 4, but there are no more than 1 tensors"),
    TM_FAILS("index", "f32[2,3], '0', [i64[1]{0}]",
             "value: tensors must have one tensor for every T of key, 0, got 1"),
    TM_FAILS("index", "f32[2,3], 'T, T', [i64[1]{0}, f32[1]{0}]",
             "dtype: tensors[1] must have an integer dtype or bool, got float32"),
    TM_FAILS(
        "index", "f32[2,3], 'T, T', [i64[2]{0 0}, i64[3]{0 0 0}]",
        "shape: tensors[1] must broadcast with the indices before it, of shape (2,), got shape "
        "(3,)"),
    TM_FAILS("index", "f32[2,3], ':, T', [b8[2]]",
             "shape: tensors[0], a mask, must have shape (3,) as x has from axis 1 on, got shape "
             "(2,)"),
    TM_FAILS("index", "f32[2,3], 'T', [b8[2,4]]",
             "shape: tensors[0], a mask, must have shape (2, 3) as x has from axis 0 on, got shape "
             "(2, 4)"),
    TM_FAILS("index", "f32[2,3]{1 2 3 4 5 6}, ':, T', [i64[2,2]{0 1 3 -4}]",
             "index: tensors[0][1, 0] is 3, out of range for axis 1 of size 3: must be in -3..2"),
    TM_FAILS("index", "f32[2,3]{1 2 3 4 5 6}, 'T, T', [b8[2]{1 1}, i8[]{-4}]",
             "index: tensors[1] is -4, out of range for axis 1 of size 3: must be in -3..2"),
    TM_FAILS(
        "index", "f32[4,3]{1 2 3 4 5 6 7 8 9 10 11 12}, 'T, T', [b8[4]{1 1 0 1}, i64[2]{0 1}]",
        "value: tensors[0], a mask, must have as many true elements as there are other indices, "
        "2, or one, got 3"),

    /* index.view */
    TM_EXACT("index.view", "f32[2,3]{1 2 3 4 5 6}, '1:, None, ::-2'", "f32[1,1,2]{6 4}"),
    TM_LAW("index.view", "u8[4,3,2], '-1, ..., 1'"),
    TM_FAILS("index.view", "f32[2,3], '0, T'",
             "value: key has a T at column 4, but there are no more than 0 tensors"),

    /* index.gather */
    TM_EXACT("index.gather", "i32[2,3]{0 1 2 3 4 5}, 'T', [i64[2,2]{1 0 0 -1}], (0)",
             "i32[2]{3 2}"),
    TM_EXACT("index.gather", "i32[2,3]{0 1 2 3 4 5}, '..., T', [i64[2]{2 0}]", "i32[2,2]{2 0 5 3}"),
    TM_EXACT("index.gather", "i32[2]{4 5}, 'T', [i64[3,0]], (0)", "i32[3,2]{4 5 4 5 4 5}"),
    TM_LAW("index.gather", "f32[3,4,2], 'T, T', [i64[5,2]~index(3), i32[5]~index(2)], (0)"),
    TM_LAW("index.gather", "f32[3,100,2], 'T, :, T', [i64[5]~index(3), i32[5]~index(2)]"),
    TM_LAW("index.gather", "f16[7], 'T', [i8[2]~index(7)], ()"),
    TM_FAILS("index.gather", "i32[2,3], 'T', [i64[2,2]], (1)",
             "value: coordinates must be positions in a list of 1 tensors, got 1"),
    TM_FAILS("index.gather", "i32[2,3], 'T', [i64[]], (0)",
             "rank: tensors[0], of coordinates, must have at least 1 dimension, got shape ()"),
    TM_FAILS(
        "index.gather", "i32[2,3], 'T', [i64[2,33]], (0)",
        "shape: tensors[0] must have at most 32 coordinates along its last axis, got shape (2, "
        "33)"),
    TM_FAILS("index.gather", "i32[2,3], 'T', [b8[2,3]], (0)",
             "dtype: tensors[0] must have an integer dtype, got bool"),
    TM_FAILS("index.gather", "i32[2,3], 'T', [b8[2,3]]",
             "dtype: tensors[0] must have an integer dtype, got bool"),
    TM_FAILS("index.gather", "i32[2,3]{0 1 2 3 4 5}, 'T', [i64[2,2]{1 0 0 3}], (0)",
             "index: tensors[0][1, 1] is 3, out of range for axis 1 of size 3: must be in -3..2"),
    TM_FAILS("index.gather", "i32[2]{4 5}, 'T', [u64[1]{2}]",
             "index: tensors[0][0] is 2, out of range for axis 0 of size 2: must be in -2..1"),
};

TM_SAMPLES(index, rows);
