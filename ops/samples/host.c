/* samples/host.c: nonzero and item. */
#include "samples.h"

static const tm_sample rows[] = {
    /* nonzero */
    TM_EXACT("nonzero", "f32[2,3]{0 1 0 -2 0 3}", "i64[3,2]{0 1 1 0 1 2}"),
    TM_EXACT("nonzero", "f64[4]{nan -0.0 inf 0}", "i64[2,1]{0 2}"),
    TM_EXACT("nonzero", "i32[2,2,2]{0 0 0 1 1 0 0 0}", "i64[2,3]{0 1 1 1 0 0}"),
    TM_EXACT("nonzero", "i64[3]{0 4294967296 0}", "i64[1,1]{1}"),
    TM_EXACT("nonzero", "u8[2]{0 255}", "i64[1,1]{1}"),
    TM_EXACT("nonzero", "b8[3]{1 0 1}", "i64[2,1]{0 2}"),
    TM_EXACT("nonzero", "f32[]{2}", "i64[1,0]{}"),
    TM_EXACT("nonzero", "f32[]{0}", "i64[0,0]{}"),
    TM_EXACT("nonzero", "f32[0,3]{}", "i64[0,2]{}"),
    TM_EXACT("nonzero", "i32[2,2]{0 0 0 0}", "i64[0,2]{}"),
    TM_LAW("nonzero", "f32[4,5]~ties"),
    TM_LAW("nonzero", "b8[33]"),
    TM_LAW("nonzero", "i32[2,3,4]"),
    TM_LAW("nonzero", "u8[7]"),
    TM_LAW("nonzero", "f64[600]~special"),
    TM_LAW("nonzero", "f16[2]"),
    TM_LAW("nonzero", "c64[2,2]"),

    /* item */
    TM_EXACT("item", "f32[]{1.5}", "1.5"),
    TM_EXACT("item", "f64[1,1]{0.1}", "0.1"),
    TM_EXACT("item", "i32[1]{-7}", "-7"),
    TM_EXACT("item", "i64[]{9223372036854775807}", "9223372036854775807"),
    TM_EXACT("item", "u8[]{255}", "255"),
    TM_EXACT("item", "b8[]{1}", "True"),
    TM_EXACT("item", "b8[1]{0}", "False"),
    TM_EXACT("item", "f32[]{nan}", "nan"),
    TM_EXACT("item", "f64[]{-inf}", "-inf"),
    TM_LAW("item", "f32[]"),
    TM_LAW("item", "i64[1]"),
    TM_LAW("item", "f64[1,1,1]"),
    TM_FAILS("item", "f32[2]", "shape: x must have exactly one element, got shape (2,)"),
    TM_FAILS("item", "f32[0]", "shape: x must have exactly one element, got shape (0,)"),
    TM_FAILS("item", "i32[1,2]", "shape: x must have exactly one element, got shape (1, 2)"),
    TM_LAW("item", "f16[]"),
    TM_LAW("item", "c64[1]"),
    TM_FAILS("item", "u64[1]{18446744073709551615}",
             "value: x must fit in int64, got 18446744073709551615"),
};
TM_SAMPLES(host, rows);
