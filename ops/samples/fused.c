/* samples/fused.c: two operations in one. */
#include "elementwise.h"

#define ROWS_OF_PRODUCTS(op)                                                                       \
    TM_LAW(op, "f32[67], f32[67], f32[67]~pos"), TM_LAW(op, "f64[2,3]~special, f64[3], f64[2,1]"), \
        TM_LAW(op, "f16[9], f16[9], f16[9]~pos, 0.5"), TM_LAW(op, "bf16[3], f32[3], f64[1], 2"),   \
        TM_LAW(op, "c64[5], c64[5], c64[5]~pos, 1+2j"), TM_LAW(op, "c128[2,2], f32[2], c64[]"),    \
        TM_LAW(op, "i32[4], i32[4], i32[4]~pos, value=-3"), TM_LAW(op, "i8[3], u8[3], i16[2,1]"),  \
        TM_LAW(op, "f32[0], f32[1], f32[]"), TM_LAW(op, "f32[], f32[3], f32[2,1], -1.5"),          \
        NO_DTYPE(op, "b8[2], b8[2], b8[2], True", "bool"),                                         \
        TM_FAILS(op, "f32[2,3], f32[2], f32[3]",                                                   \
                 "shape: t1 must broadcast with shape (2, 3), got shape (2,)"),                    \
        TM_FAILS(op, "f32[2,3], f32[3], f32[4]",                                                   \
                 "shape: t2 must broadcast with shape (2, 3), got shape (4,)")

static const tm_sample rows[] = {
    TM_EXACT("lerp", "f32[3]{1 1 1}, f32[3]{3 3 3}, f32[3]{0 0.25 1}", "f32[3]{1 1.5 3}"),
    TM_EXACT("lerp", "f64[2]{0.1 0.1}, f64[2]{0.7 0.7}, f64[2]{0 1}", "f64[2]{0.1 0.7}"),
    TM_EXACT("lerp", "f32[2]{1e30 1}, f32[2]{1 1e30}, f32[]{1}", "f32[2]{1 1e30}"),
    TM_EXACT("lerp", "f64[3]{0 nan 0}, f64[3]{4 1 1}, f64[3]{-1 0.5 nan}", "f64[3]{-4 nan nan}"),
    TM_EXACT("lerp", "f16[2]{0 2}, f16[2,1]{4 8}, f16[]{0.5}", "f16[2,2]{2 3 4 5}"),
    TM_EXACT("lerp", "i32[2]{0 10}, i32[2]{4 20}, f32[]{0.25}", "f32[2]{1 12.5}"),
    TM_EXACT("lerp", "c64[2]{0+0j 1+1j}, c64[2]{4+4j 3-1j}, c64[2]{0.25+0j 0+1j}",
             "c64[2]{1+1j 3+3j}"),
    TM_EXACT("lerp.scalar", "f32[3]{1 2 3}, f32[3]{5 6 7}, 0.5", "f32[3]{3 4 5}"),
    TM_EXACT("lerp.scalar", "f64[2]{1 -1}, f64[]{2}, 1", "f64[2]{2 2}"),
    TM_EXACT("lerp.scalar", "i64[2]{0 8}, i64[2]{4 0}, 0.75", "f32[2]{3 2}"),
    TM_EXACT("lerp.scalar", "f32[0], f32[1]{1}, 0.5", "f32[0]{}"),
    TM_LAW("lerp", "f32[67], f32[67], f32[67]~unit"),
    TM_LAW("lerp", "f64[2,3]~special, f64[3], f64[2,1]~unit"),
    TM_LAW("lerp", "f16[9], bf16[9], f32[1]"),
    TM_LAW("lerp", "c128[4], f32[4], c64[2,1]"),
    TM_LAW("lerp.scalar", "f32[3,5], f32[5], 0.3"),
    TM_LAW("lerp.scalar", "c64[3], c64[3], 0.5+1j"),
    TM_LAW("lerp.scalar", "bf16[7], bf16[7], 0.9"),
    NO_DTYPE("lerp", "b8[2], b8[2], b8[2]", "bool"),
    NO_DTYPE("lerp.scalar", "b8[2], b8[2], True", "bool"),
    TM_FAILS("lerp", "f32[2,3], f32[2], f32[3]",
             "shape: x2 must broadcast with shape (2, 3), got shape (2,)"),
    TM_FAILS("lerp", "f32[2,3], f32[3], f32[4]",
             "shape: weight must broadcast with shape (2, 3), got shape (4,)"),
    TM_FAILS("lerp.scalar", "f32[2,3], f32[2], 0.5",
             "shape: x2 must broadcast with shape (2, 3), got shape (2,)"),

    TM_EXACT("addcmul", "f32[3]{1 2 3}, f32[3]{2 3 4}, f32[3]{5 6 7}", "f32[3]{11 20 31}"),
    TM_EXACT("addcmul", "f64[2,1]{1 2}, f64[2]{3 4}, f64[]{2}, 0.5", "f64[2,2]{4 5 5 6}"),
    TM_EXACT("addcmul", "i32[2]{1 2147483647}, i32[2]{3 1}, i32[2]{4 1}, 2",
             "i32[2]{25 -2147483647}"),
    TM_EXACT("addcmul", "u8[2]{250 1}, u8[2]{3 16}, u8[2]{4 16}", "u8[2]{6 1}"),
    TM_EXACT("addcmul", "i32[1]{1}, i32[1]{3}, i32[1]{4}, 0.5", "f32[1]{7}"),
    TM_EXACT("addcmul", "f16[1]{1}, f16[1]{300}, f16[1]{300}", "f16[1]{inf}"),
    TM_EXACT("addcmul", "c64[1]{1+0j}, c64[1]{0+1j}, c64[1]{0+1j}, 2", "c64[1]{-1+0j}"),
    TM_EXACT("addcmul", "f32[2]{nan 1}, f32[2]{1 inf}, f32[2]{1 0}", "f32[2]{nan nan}"),
    TM_FAILS("addcmul", "u8[2], u8[2], u8[2], 300", "value: value must fit in uint8, got 300"),
    ROWS_OF_PRODUCTS("addcmul"),

    TM_EXACT("addcdiv", "f32[3]{1 2 3}, f32[3]{2 3 4}, f32[3]{4 2 -1}", "f32[3]{1.5 3.5 -1}"),
    TM_EXACT("addcdiv", "f64[2,1]{1 2}, f64[2]{3 4}, f64[]{2}, 0.5", "f64[2,2]{1.75 2 2.75 3}"),
    TM_EXACT("addcdiv", "i32[2]{1 2}, i32[2]{3 1}, i32[2]{2 0}, 2", "f32[2]{4 inf}"),
    TM_EXACT("addcdiv", "f32[3]{1 1 1}, f32[3]{1 0 -1}, f32[3]{0 0 0}", "f32[3]{inf nan -inf}"),
    TM_EXACT("addcdiv", "c64[1]{1+0j}, c64[1]{0+1j}, c64[1]{0+2j}, 2", "c64[1]{2+0j}"),
    TM_EXACT("addcdiv", "bf16[1]{1}, bf16[1]{3}, bf16[1]{4}", "bf16[1]{1.75}"),
    ROWS_OF_PRODUCTS("addcdiv"),
};
TM_SAMPLES(fused, rows);
