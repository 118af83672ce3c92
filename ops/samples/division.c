/* samples/division.c: quotients rounded down and remainders; the rows of floats are the Array
 * API's special cases. */
#include "elementwise.h"

#define ZERO "value: x2 must not be 0 where x1 and x2 are integers"
#define ROWS(op)                                                                                   \
    ROWS_OF_TWO_NUMERIC(op),                                                                       \
        TM_FAILS(op, "i32[2,2]{1 2 3 4}, i32[2]{1 0}", ZERO " (at index (0, 1))"),                 \
        TM_FAILS(op, "u8[3]{1 2 3}, u8[3]{1 5 0}", ZERO " (at index (2,))"),                       \
        TM_FAILS(op, "i64[]{0}, i64[]{0}", ZERO),                                                  \
        TM_FAILS(op, "b8[1]{1}, i8[1]{0}", ZERO " (at index (0,))"),                               \
        TM_FAILS(op ".scalar", "i32[2], 0", ZERO), TM_FAILS(op ".scalar", "u64[0], False", ZERO),  \
        TM_FAILS(op ".rscalar", "3, i16[2]{1 0}", ZERO " (at index (1,))"),                        \
                                                                                                   \
        TM_EXACT(op ".scalar", "f32[0], 0", "f32[0]{}"),                                           \
        TM_EXACT(op, "i32[0], i32[1]{0}", "i32[0]{}")

static const tm_sample rows[] = {
    TM_EXACT("floor_divide", "i32[4]{7 -7 7 -7}, i32[4]{2 2 -2 -2}", "i32[4]{3 -4 -4 3}"),
    TM_EXACT("floor_divide", "i32[2]{-2147483648 6}, i32[2]{-1 -3}", "i32[2]{-2147483648 -2}"),
    TM_EXACT("floor_divide", "i64[2]{-9223372036854775808 9223372036854775807}, i64[2]{-1 -2}",
             "i64[2]{-9223372036854775808 -4611686018427387904}"),
    TM_EXACT("floor_divide", "i8[3]{-128 127 -128}, i8[3]{-1 -128 127}", "i8[3]{-128 -1 -2}"),
    TM_EXACT("floor_divide", "i16[2]{-32768 5}, i16[]{-1}", "i16[2]{-32768 -5}"),
    TM_EXACT("floor_divide", "u8[2]{200 7}, u8[2]{3 255}", "u8[2]{66 0}"),
    TM_EXACT("floor_divide", "u64[1]{18446744073709551615}, u64[1]{2}",
             "u64[1]{9223372036854775807}"),
    TM_EXACT("floor_divide", "f32[6]{7 -7 7 -7 0 -0}, f32[6]{2 2 -2 -2 3 3}",
             "f32[6]{3 -4 -4 3 0 -0}"),
    TM_EXACT("floor_divide", "f32[8]{1 -1 1 -1 0 nan 1 inf}, f32[8]{0 0 inf inf 0 1 -inf 2}",
             "f32[8]{inf -inf 0 -1 nan nan -1 inf}"),
    TM_EXACT("floor_divide", "f64[5]{inf 1 0 -0 5.5}, f64[5]{inf -0 -1 -1 0.1}",
             "f64[5]{nan -inf -0 0 54}"),
    TM_EXACT("floor_divide", "f16[2]{-7.5 1000}, f16[2]{2 3}", "f16[2]{-4 333}"),
    TM_EXACT("floor_divide", "i64[2]{7 -7}, f32[]{2}", "f32[2]{3 -4}"),
    TM_EXACT("floor_divide", "u8[2]{7 9}, i8[2]{-2 2}", "i16[2]{-4 4}"),
    TM_EXACT("floor_divide.scalar", "i32[3]{4 5 -1}, 5", "i32[3]{0 1 -1}"),
    TM_EXACT("floor_divide.scalar", "f32[2]{1 -1}, 0", "f32[2]{inf -inf}"),
    TM_EXACT("floor_divide.scalar", "i32[2]{7 -7}, 2.5", "f32[2]{2 -3}"),
    TM_EXACT("floor_divide.rscalar", "7, i64[2]{2 -2}", "i64[2]{3 -4}"),
    TM_EXACT("floor_divide.rscalar", "1, f64[2]{0 -0}", "f64[2]{inf -inf}"),
    ROWS("floor_divide"),

    TM_EXACT("remainder", "i32[4]{7 -7 7 -7}, i32[4]{2 2 -2 -2}", "i32[4]{1 1 -1 -1}"),
    TM_EXACT("remainder", "i64[2]{-9223372036854775808 6}, i64[2]{-1 -3}", "i64[2]{0 0}"),
    TM_EXACT("remainder", "i8[3]{-128 127 -128}, i8[3]{-1 -128 127}", "i8[3]{0 -1 126}"),
    TM_EXACT("remainder", "u8[2]{200 7}, u8[2]{3 255}", "u8[2]{2 7}"),
    TM_EXACT("remainder", "f32[6]{7 -7 7 -7 -4 4}, f32[6]{2 2 -2 -2 2 -2}",
             "f32[6]{1 1 -1 -1 0 -0}"),
    TM_EXACT("remainder", "f64[8]{1 -1 1 nan inf 0 -0 5}, f64[8]{inf inf -inf 1 1 0 3 0}",
             "f64[8]{1 inf -inf nan nan nan 0 nan}"),
    TM_EXACT("remainder", "f16[2]{-7.5 1000}, f16[2]{2 3}", "f16[2]{0.5 1}"),
    TM_EXACT("remainder.scalar", "i32[3]{4 5 -1}, 5", "i32[3]{4 0 4}"),
    TM_EXACT("remainder.scalar", "f32[2]{1 -1}, 0", "f32[2]{nan nan}"),
    TM_EXACT("remainder.rscalar", "7, i64[2]{2 -2}", "i64[2]{1 -1}"),
    TM_EXACT("remainder.rscalar", "-7.5, f32[]{2}", "f32[]{0.5}"),
    ROWS("remainder"),

    TM_EXACT("fmod", "i32[4]{7 -7 7 -7}, i32[4]{2 2 -2 -2}", "i32[4]{1 -1 1 -1}"),
    TM_EXACT("fmod", "i64[2]{-9223372036854775808 6}, i64[2]{-1 -3}", "i64[2]{0 0}"),
    TM_EXACT("fmod", "i8[3]{-128 127 -128}, i8[3]{-1 -128 127}", "i8[3]{0 127 -1}"),
    TM_EXACT("fmod", "u16[2]{200 7}, u16[2]{3 255}", "u16[2]{2 7}"),
    TM_EXACT("fmod", "f32[6]{7 -7 7 -7 -4 4}, f32[6]{2 2 -2 -2 2 -2}", "f32[6]{1 -1 1 -1 -0 0}"),
    TM_EXACT("fmod", "f64[7]{1 -1 nan inf 0 -0 5}, f64[7]{inf inf 1 1 0 3 0}",
             "f64[7]{1 -1 nan nan nan -0 nan}"),
    TM_EXACT("fmod", "bf16[2]{-7.5 10}, bf16[2]{2 3}", "bf16[2]{-1.5 1}"),
    TM_EXACT("fmod.scalar", "i32[3]{4 5 -1}, 5", "i32[3]{4 0 -1}"),
    TM_EXACT("fmod.rscalar", "-7, i64[2]{2 -2}", "i64[2]{-1 -1}"),
    TM_EXACT("fmod.rscalar", "-7.5, f32[]{2}", "f32[]{-1.5}"),
    ROWS("fmod"),
};
TM_SAMPLES(division, rows);
