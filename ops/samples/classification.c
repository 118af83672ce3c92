/* samples/classification.c: what kind of number an element is. */
#include "elementwise.h"

#define EVERY_DTYPE(op)                                                                            \
    LAWS_OF_FLOATS(op), LAWS_OF_INTEGERS(op), TM_LAW(op, "b8[5]"), TM_LAW(op, "i64[0,2]")
#define FLOAT_KINDS(op, expected)                                                                  \
    TM_EXACT(op, "f32[8]{nan inf -inf 0 -0 1e-40 3e38 -1}", expected),                             \
        TM_EXACT(op, "f64[8]{nan inf -inf 0 -0 5e-324 1e308 -1}", expected),                       \
        TM_EXACT(op, "f16[8]{nan inf -inf 0 -0 5.9604645e-08 65504 -1}", expected),                \
        TM_EXACT(op, "bf16[8]{nan inf -inf 0 -0 1e-40 3e38 -1}", expected)
#define WHOLE_NUMBERS(op, expected)                                                                \
    TM_EXACT(op, "i32[2]{-2147483648 7}", expected), TM_EXACT(op, "u8[2]{0 255}", expected),       \
        TM_EXACT(op, "u64[2]{0 18446744073709551615}", expected),                                  \
        TM_EXACT(op, "b8[2]{0 1}", expected)

static const tm_sample rows[] = {
    FLOAT_KINDS("isnan", "b8[8]{1 0 0 0 0 0 0 0}"),
    WHOLE_NUMBERS("isnan", "b8[2]{0 0}"),
    TM_EXACT("isnan", "c64[4]{nan+0j 0+nanj inf+1j 1+1j}", "b8[4]{1 1 0 0}"),
    EVERY_DTYPE("isnan"),
    LAWS_OF_COMPLEX("isnan"),

    FLOAT_KINDS("isinf", "b8[8]{0 1 1 0 0 0 0 0}"),
    WHOLE_NUMBERS("isinf", "b8[2]{0 0}"),
    TM_EXACT("isinf", "c128[5]{nan+0j 0-infj inf+nanj 1+1j 3e307+3e307j}", "b8[5]{0 1 1 0 0}"),
    EVERY_DTYPE("isinf"),
    LAWS_OF_COMPLEX("isinf"),

    FLOAT_KINDS("isfinite", "b8[8]{0 0 0 1 1 1 1 1}"),
    WHOLE_NUMBERS("isfinite", "b8[2]{1 1}"),
    TM_EXACT("isfinite", "c64[4]{nan+0j 0-infj 3e38+3e38j 1+1j}", "b8[4]{0 0 1 1}"),
    EVERY_DTYPE("isfinite"),
    LAWS_OF_COMPLEX("isfinite"),

    FLOAT_KINDS("signbit", "b8[8]{0 0 1 0 1 0 0 1}"),
    TM_EXACT("signbit", "f64[1]{-nan}", "b8[1]{1}"),
    TM_EXACT("signbit", "i64[3]{-9223372036854775808 0 1}", "b8[3]{1 0 0}"),
    TM_EXACT("signbit", "i8[2]{-1 127}", "b8[2]{1 0}"),
    TM_EXACT("signbit", "i16[2]{-1 3}", "b8[2]{1 0}"),
    TM_EXACT("signbit", "u8[2]{255 0}", "b8[2]{0 0}"),
    TM_EXACT("signbit", "b8[2]{1 0}", "b8[2]{0 0}"),
    EVERY_DTYPE("signbit"),
    NO_COMPLEX("signbit"),
};
TM_SAMPLES(classification, rows);
