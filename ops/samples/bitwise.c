/* samples/bitwise.c: bits of integers and bools, and shifts. */
#include "elementwise.h"

#define NO_FLOATS(op)                                                                              \
    NO_DTYPE(op, "f32[2], f32[2]", "float32"), NO_DTYPE(op, "f16[2], i8[2]", "float16"),           \
        NO_DTYPE(op, "c64[2], i8[2]", "complex64"),                                                \
        NO_DTYPE(op ".scalar", "i32[2], 1.5", "float32"),                                          \
        NO_DTYPE(op ".rscalar", "1.5, u8[2]", "float32")
#define ROWS(op)                                                                                   \
    LAWS_OF_TWO_INTEGERS(op), TM_LAW(op ".scalar", "i16[9], 5"),                                   \
        TM_LAW(op ".scalar", "u64[3,2], 3"), TM_LAW(op ".rscalar", "7, i8[5]~index(5)"),           \
        TM_LAW(op ".rscalar", "9, u32[2,2]"), NO_FLOATS(op), NO_SHAPE_OF_INTEGERS(op),             \
        NO_UNFIT_NUMBER(op)
#define NO_SHAPE_OF_INTEGERS(op)                                                                   \
    TM_FAILS(op, "i32[2,3], i32[2]", "shape: x2 must broadcast with shape (2, 3), got shape (2,)")
#define BOOLS(op, expected, with_true)                                                             \
    TM_EXACT(op, "b8[4]{0 0 1 1}, b8[4]{0 1 0 1}", expected),                                      \
        TM_EXACT(op ".scalar", "b8[2]{0 1}, True", with_true),                                     \
        TM_EXACT(op ".rscalar", "True, b8[2]{0 1}", with_true), TM_LAW(op, "b8[33], b8[33]"),      \
        TM_LAW(op, "b8[2,3], b8[3]"), TM_LAW(op, "i32[4]~special, i32[4]~special")
#define NEGATIVE "value: x2 must not be negative, got "
#define SHIFT_ROWS(op)                                                                             \
    ROWS(op), TM_FAILS(op, "i32[3]{1 2 3}, i32[3]{0 40 -1}", NEGATIVE "-1 (at index (2,))"),       \
        TM_FAILS(op, "u8[2]{1 2}, i8[2]{-128 1}", NEGATIVE "-128 (at index (0,))"),                \
        TM_FAILS(op ".scalar", "i64[0], -3", NEGATIVE "-3"),                                       \
        TM_FAILS(op ".rscalar", "1, i16[2]{3 -2}", NEGATIVE "-2 (at index (1,))"),                 \
        NO_DTYPE(op, "b8[2], b8[2]", "bool"), NO_DTYPE(op ".scalar", "b8[2], True", "bool"),       \
        NO_DTYPE(op ".rscalar", "True, b8[2]", "bool")

static const tm_sample rows[] = {
    TM_EXACT("bitwise_not", "i32[3]{0 -1 5}", "i32[3]{-1 0 -6}"),
    TM_EXACT("bitwise_not", "u8[3]{0 255 5}", "u8[3]{255 0 250}"),
    TM_EXACT("bitwise_not", "i8[2]{-128 127}", "i8[2]{127 -128}"),
    TM_EXACT("bitwise_not", "u64[1]{0}", "u64[1]{18446744073709551615}"),
    TM_EXACT("bitwise_not", "b8[2]{0 1}", "b8[2]{1 0}"),
    LAWS_OF_INTEGERS("bitwise_not"),
    TM_LAW("bitwise_not", "b8[9]"),
    TM_LAW("bitwise_not", "i32[2,0]"),
    NO_DTYPE("bitwise_not", "f32[2]", "float32"),
    NO_DTYPE("bitwise_not", "bf16[2]", "bfloat16"),
    NO_DTYPE("bitwise_not", "c64[]", "complex64"),

    TM_EXACT("bitwise_and", "i32[3]{12 -1 -8}, i32[3]{10 7 13}", "i32[3]{8 7 8}"),
    TM_EXACT("bitwise_and", "u8[2]{255 170}, i64[]{-241}", "i64[2]{15 10}"),
    TM_EXACT("bitwise_and", "u64[1]{18446744073709551615}, u64[1]{9223372036854775808}",
             "u64[1]{9223372036854775808}"),
    TM_EXACT("bitwise_and.scalar", "i8[3]{12 -1 0}, 10", "i8[3]{8 10 0}"),
    TM_EXACT("bitwise_and.rscalar", "10, u16[2]{12 65535}", "u16[2]{8 10}"),
    BOOLS("bitwise_and", "b8[4]{0 0 0 1}", "b8[2]{0 1}"),
    ROWS("bitwise_and"),

    TM_EXACT("bitwise_or", "i32[3]{12 -1 -8}, i32[3]{10 7 13}", "i32[3]{14 -1 -3}"),
    TM_EXACT("bitwise_or", "u8[2]{240 0}, u8[2,1]{15 1}", "u8[2,2]{255 15 241 1}"),
    TM_EXACT("bitwise_or.scalar", "i64[2]{12 0}, -16", "i64[2]{-4 -16}"),
    TM_EXACT("bitwise_or.rscalar", "10, i16[2]{12 -1}", "i16[2]{14 -1}"),
    BOOLS("bitwise_or", "b8[4]{0 1 1 1}", "b8[2]{1 1}"),
    ROWS("bitwise_or"),

    TM_EXACT("bitwise_xor", "i32[3]{12 -1 -8}, i32[3]{10 7 13}", "i32[3]{6 -8 -11}"),
    TM_EXACT("bitwise_xor", "u8[2]{255 1}, u8[]{15}", "u8[2]{240 14}"),
    TM_EXACT("bitwise_xor.scalar", "i64[2]{12 0}, -1", "i64[2]{-13 -1}"),
    TM_EXACT("bitwise_xor.rscalar", "10, u32[1]{12}", "u32[1]{6}"),
    BOOLS("bitwise_xor", "b8[4]{0 1 1 0}", "b8[2]{1 0}"),
    ROWS("bitwise_xor"),

    TM_EXACT("bitwise_left_shift", "i32[5]{1 -1 3 1 5}, i32[5]{31 4 0 32 2147483647}",
             "i32[5]{-2147483648 -16 3 0 0}"),
    TM_EXACT("bitwise_left_shift", "u8[4]{1 255 3 7}, u8[4]{7 4 8 255}", "u8[4]{128 240 0 0}"),
    TM_EXACT("bitwise_left_shift", "i8[3]{1 -128 65}, i8[3]{7 1 1}", "i8[3]{-128 0 -126}"),
    TM_EXACT("bitwise_left_shift", "i64[3]{1 1 -1}, i64[3]{63 64 62}",
             "i64[3]{-9223372036854775808 0 -4611686018427387904}"),
    TM_EXACT("bitwise_left_shift", "u64[2]{1 1}, u64[2]{63 64}", "u64[2]{9223372036854775808 0}"),
    TM_EXACT("bitwise_left_shift.scalar", "i32[2]{3 -3}, 4", "i32[2]{48 -48}"),
    TM_EXACT("bitwise_left_shift.rscalar", "3, u16[3]{0 15 16}", "u16[3]{3 32768 0}"),
    SHIFT_ROWS("bitwise_left_shift"),

    TM_EXACT("bitwise_right_shift", "i32[5]{-16 16 -1 1 -7}, i32[5]{2 2 100 100 1}",
             "i32[5]{-4 4 -1 0 -4}"),
    TM_EXACT("bitwise_right_shift", "u8[3]{255 128 1}, u8[3]{4 8 0}", "u8[3]{15 0 1}"),
    TM_EXACT("bitwise_right_shift", "i8[3]{-128 127 -128}, i8[3]{7 7 8}", "i8[3]{-1 0 -1}"),
    TM_EXACT("bitwise_right_shift", "i64[2]{-9223372036854775808 9223372036854775807}, i64[]{63}",
             "i64[2]{-1 0}"),
    TM_EXACT("bitwise_right_shift", "u64[2]{18446744073709551615 1}, u64[2]{63 64}", "u64[2]{1 0}"),
    TM_EXACT("bitwise_right_shift.scalar", "i32[2]{48 -48}, 4", "i32[2]{3 -3}"),
    TM_EXACT("bitwise_right_shift.rscalar", "-3, i16[2]{1 16}", "i16[2]{-2 -1}"),
    SHIFT_ROWS("bitwise_right_shift"),
    TM_FAILS("bitwise_left_shift", "i8[2], i8[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_left_shift", "i16[2], i16[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_left_shift", "i32[2], i32[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_left_shift", "i64[2], i64[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_right_shift", "i8[2], i8[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_right_shift", "i16[2], i16[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_right_shift", "i32[2], i32[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
    TM_FAILS("bitwise_right_shift", "i64[2], i64[2]{1 -1}",
             "value: x2 must not be negative, got -1 (at index (1,))"),
};
TM_SAMPLES(bitwise, rows);
