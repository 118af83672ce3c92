/* samples/rounding.c: rounding, signs and neighbours. */
#include "elementwise.h"

#define INTEGERS_STAY(op)                                                                          \
    TM_EXACT(op, "i64[2]{9223372036854775807 -3}", "i64[2]{9223372036854775807 -3}"),              \
        TM_EXACT(op, "u8[2]{255 0}", "u8[2]{255 0}"), TM_EXACT(op, "i8[1]{-128}", "i8[1]{-128}")

static const tm_sample rows[] = {
    TM_EXACT("floor", "f32[6]{-1.5 1.5 -0.5 0.5 -0 7}", "f32[6]{-2 1 -1 0 -0 7}"),
    TM_EXACT("floor", "f64[5]{nan inf -inf 4503599627370495.5 1e300}",
             "f64[5]{nan inf -inf 4503599627370495 1e300}"),
    TM_EXACT("floor", "f16[2]{-2.5 1023.5}", "f16[2]{-3 1023}"),
    INTEGERS_STAY("floor"),
    ROWS_OF_NUMERIC("floor"),
    NO_COMPLEX("floor"),

    TM_EXACT("ceil", "f32[6]{-1.5 1.5 -0.5 0.5 -0 7}", "f32[6]{-1 2 -0 1 -0 7}"),
    TM_EXACT("ceil", "f64[5]{nan inf -inf 4503599627370495.5 -1e300}",
             "f64[5]{nan inf -inf 4503599627370496 -1e300}"),
    TM_EXACT("ceil", "bf16[2]{-2.5 2.5}", "bf16[2]{-2 3}"),
    INTEGERS_STAY("ceil"),
    ROWS_OF_NUMERIC("ceil"),
    NO_COMPLEX("ceil"),

    TM_EXACT("round", "f32[9]{0.5 1.5 2.5 -0.5 -1.5 2.4 2.6 -0 8388609}",
             "f32[9]{0 2 2 -0 -2 2 3 -0 8388609}"),
    TM_EXACT("round", "f64[5]{nan inf -inf 0.49999999999999994 4503599627370497.5}",
             "f64[5]{nan inf -inf 0 4503599627370498}"),
    TM_EXACT("round", "f16[2]{-2.5 1023.5}", "f16[2]{-2 1024}"),
    TM_EXACT("round", "c64[2]{1.5-2.5j nan+0.5j}", "c64[2]{2-2j nan+0j}"),
    INTEGERS_STAY("round"),
    ROWS_OF_NUMERIC("round"),
    LAWS_OF_COMPLEX("round"),

    TM_EXACT("trunc", "f32[6]{-1.5 1.5 -0.5 0.5 -0 7}", "f32[6]{-1 1 -0 0 -0 7}"),
    TM_EXACT("trunc", "f64[4]{nan inf -inf -4503599627370495.5}",
             "f64[4]{nan inf -inf -4503599627370495}"),
    INTEGERS_STAY("trunc"),
    ROWS_OF_NUMERIC("trunc"),
    NO_COMPLEX("trunc"),

    TM_EXACT("sign", "f32[7]{-1.5 2 0 -0 nan inf -inf}", "f32[7]{-1 1 0 0 nan 1 -1}"),
    TM_EXACT("sign", "f64[2]{5e-324 -1e300}", "f64[2]{1 -1}"),
    TM_EXACT("sign", "i64[3]{-9223372036854775808 0 5}", "i64[3]{-1 0 1}"),
    TM_EXACT("sign", "i8[3]{-128 0 127}", "i8[3]{-1 0 1}"),
    TM_EXACT("sign", "u64[2]{18446744073709551615 0}", "u64[2]{1 0}"),
    TM_EXACT("sign", "u8[2]{255 0}", "u8[2]{1 0}"),
    TM_NEAR("sign", "c128[3]{3+4j 0-2j 0+0j}", "c128[3]{0.6+0.8j 0-1j 0+0j}", 1e-15, 0),
    TM_NEAR("sign", "c128[2]{1.2e308-1.6e308j 3e-320+4e-320j}", "c128[2]{0.6-0.8j 0.6+0.8j}", 1e-3,
            0),
    TM_EXACT("sign", "c64[2]{nan+1j 1+nanj}", "c64[2]{nan+nanj nan+nanj}"),
    TM_NEAR("sign", "c64[1]{3e38+4e37j}", "c64[1]{0.99122787+0.13216372j}", 1e-6, 0),
    ROWS_OF_NUMERIC("sign"),
    LAWS_OF_COMPLEX("sign"),

    TM_EXACT("copysign", "f32[6]{1 -2 0 inf -3 1}, f32[6]{-1 3 -0 -5 -0 inf}",
             "f32[6]{-1 2 -0 -inf -3 1}"),
    TM_EXACT("copysign", "f64[2,2]{1 -2 0 nan}, f64[2]{-0 1}", "f64[2,2]{-1 2 -0 nan}"),
    TM_EXACT("copysign", "f16[3]{65504 -5.9604645e-08 0}, f16[3]{-1 1 -0}",
             "f16[3]{-65504 5.9604645e-08 -0}"),
    TM_EXACT("copysign", "bf16[2]{1.5 -0}, bf16[]{-0}", "bf16[2]{-1.5 -0}"),
    TM_EXACT("copysign", "i32[2]{3 -4}, i32[2]{-1 0}", "f32[2]{-3 4}"),
    TM_EXACT("copysign", "f16[1]{2}, f32[1]{-1}", "f32[1]{-2}"),
    TM_EXACT("copysign.scalar", "f16[3]{1 -2 0}, -1.5", "f16[3]{-1 -2 -0}"),
    TM_EXACT("copysign.rscalar", "3, f64[3]{1 -2 -0}", "f64[3]{3 -3 -3}"),
    ROWS_OF_TWO_FLOATING("copysign"),

    TM_EXACT("nextafter", "f32[5]{1 1 0 -0 3}, f32[5]{2 0 1 -1 3}",
             "f32[5]{1.0000001 0.99999994 1e-45 -1e-45 3}"),
    TM_EXACT("nextafter", "f64[5]{1 0 nan 1 inf}, f64[5]{2 -1 1 nan 0}",
             "f64[5]{1.0000000000000002 -5e-324 nan nan 1.7976931348623157e308}"),
    TM_EXACT("nextafter", "f16[8]{1 1 0 -0 65504 inf 3 0}, f16[8]{2 0 1 -1 inf 0 3 -0}",
             "f16[8]{1.0009766 0.99951172 5.9604645e-08 -5.9604645e-08 inf 65504 3 -0}"),
    TM_EXACT("nextafter", "f16[5]{5.9604645e-08 -5.9604645e-08 nan 1 -1}, f16[5]{0 0 1 nan -2}",
             "f16[5]{0 -0 nan nan -1.0009766}"),
    TM_EXACT("nextafter", "bf16[4]{1 1 -1 inf}, bf16[4]{2 0 0 nan}",
             "bf16[4]{1.0078125 0.99609375 -0.99609375 nan}"),
    TM_EXACT("nextafter", "i32[1]{1}, i32[1]{2}", "f32[1]{1.0000001}"),
    TM_EXACT("nextafter.scalar", "f16[2]{1 -1}, 0", "f16[2]{0.99951172 -0.99951172}"),
    TM_EXACT("nextafter.rscalar", "1, f32[2]{2 0}", "f32[2]{1.0000001 0.99999994}"),
    ROWS_OF_TWO_FLOATING("nextafter"),
};
TM_SAMPLES(rounding, rows);
