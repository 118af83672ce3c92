/* samples/logical.c: truth values of every dtype. */
#include "elementwise.h"

#define ROWS(op, table, with_one)                                                                  \
    TM_EXACT(op, "b8[4]{0 0 1 1}, b8[4]{0 1 0 1}", table),                                         \
        TM_EXACT(op, "f32[4]{0 -0 nan 1}, f32[4]{-0 inf 0 1e-45}", table),                         \
        TM_EXACT(op, "f16[4]{0 -0 nan 5.9604645e-08}, bf16[4]{0 1 -0 -inf}", table),               \
        TM_EXACT(op, "i8[4]{0 0 -128 1}, i8[4]{0 -1 0 1}", table),                                 \
        TM_EXACT(op, "i64[4]{0 0 4294967296 65536}, f16[4]{0 1 0 2}", table),                      \
        TM_EXACT(op, "c64[4]{0+0j 0-0j 0+1j 1+0j}, c128[4]{0+0j 0+nanj 0+0j 1+1j}", table),        \
        TM_EXACT(op, "u64[4]{0 0 18446744073709551615 1}, i32[4]{0 -1 0 1}", table),               \
        TM_EXACT(op, "f64[0], b8[1]{1}", "b8[0]{}"),                                               \
        TM_EXACT(op ".scalar", "f64[2]{0 0.5}, 2", with_one),                                      \
        TM_EXACT(op ".scalar", "i32[2]{0 5}, 0.25", with_one),                                     \
        TM_EXACT(op ".scalar", "b8[2]{0 1}, 0+1j", with_one),                                      \
        TM_EXACT(op ".rscalar", "True, f16[2]{0 -1}", with_one),                                   \
        TM_EXACT(op ".rscalar", "nan, c64[2]{0+0j 0+1j}", with_one), NO_SHAPE(op),                 \
        NO_UNFIT_NUMBER(op), LAWS_OF_TWO(op), LAWS_OF_TWO_INTEGERS(op), LAWS_OF_A_NUMBER(op),      \
        TM_LAW(op, "b8[33], b8[33]"), TM_LAW(op, "b8[2,3], b8[3]"), TM_LAW(op, "c64[5], c64[5]"),  \
        TM_LAW(op, "c128[2,3], i8[3]")

static const tm_sample rows[] = {
    TM_EXACT("logical_not", "f32[5]{0 -0 nan 1e-45 inf}", "b8[5]{1 1 0 0 0}"),
    TM_EXACT("logical_not", "f16[3]{-0 5.9604645e-08 nan}", "b8[3]{1 0 0}"),
    TM_EXACT("logical_not", "i64[2]{0 4294967296}", "b8[2]{1 0}"),
    TM_EXACT("logical_not", "u8[3]{0 255 1}", "b8[3]{1 0 0}"),
    TM_EXACT("logical_not", "b8[2]{0 1}", "b8[2]{1 0}"),
    TM_EXACT("logical_not", "c64[4]{0+0j 0+1j 1+0j -0-0j}", "b8[4]{1 0 0 1}"),
    LAWS_OF_FLOATS("logical_not"),
    LAWS_OF_INTEGERS("logical_not"),
    LAWS_OF_COMPLEX("logical_not"),
    TM_LAW("logical_not", "b8[9]"),

    ROWS("logical_and", "b8[4]{0 0 0 1}", "b8[2]{0 1}"),
    ROWS("logical_or", "b8[4]{0 1 1 1}", "b8[2]{1 1}"),
    ROWS("logical_xor", "b8[4]{0 1 1 0}", "b8[2]{1 0}"),
    TM_LAW("logical_or.scalar", "b8[3,5], False"),
    TM_LAW("logical_or.scalar", "b8[4,4], 0"),
    TM_LAW("logical_or.scalar", "b8[2,9], 0.0"),
    TM_LAW("logical_or.rscalar", "False, b8[3,5]"),
    TM_LAW("logical_or.rscalar", "0, b8[4,4]"),
    TM_LAW("logical_or.rscalar", "0.0, b8[2,9]"),
};
TM_SAMPLES(logical, rows);
