/* samples/complex.c: parts of complex numbers. */
#include "elementwise.h"

static const tm_sample rows[] = {
    TM_EXACT("conj", "c64[4]{1+2j -3-0j nan+1j 0+infj}", "c64[4]{1-2j -3+0j nan-1j 0-infj}"),
    TM_EXACT("conj", "c128[2,1]{0.1-0.2j 4+0j}", "c128[2,1]{0.1+0.2j 4-0j}"),
    TM_EXACT("conj", "f32[3]{1.5 -0 nan}", "f32[3]{1.5 -0 nan}"),
    TM_EXACT("conj", "i64[1]{-9223372036854775808}", "i64[1]{-9223372036854775808}"),
    TM_EXACT("conj", "f16[2]{-2.5 65504}", "f16[2]{-2.5 65504}"),
    ROWS_OF_NUMERIC("conj"),
    LAWS_OF_COMPLEX("conj"),

    TM_EXACT("real", "c64[3]{1+2j -0-3j nan+1j}", "f32[3]{1 -0 nan}"),
    TM_EXACT("real", "c128[2]{0.1-0.2j inf+0j}", "f64[2]{0.1 inf}"),
    TM_EXACT("real", "f64[2]{0.1 -0}", "f64[2]{0.1 -0}"),
    TM_EXACT("real", "u8[2]{255 0}", "u8[2]{255 0}"),
    ROWS_OF_NUMERIC("real"),
    LAWS_OF_COMPLEX("real"),

    TM_EXACT("imag", "c64[3]{1+2j -0-3j nan-0j}", "f32[3]{2 -3 -0}"),
    TM_EXACT("imag", "c128[2]{0.1-0.2j 0+infj}", "f64[2]{-0.2 inf}"),
    TM_EXACT("imag", "f64[3]{0.1 -0 nan}", "f64[3]{0 0 0}"),
    TM_EXACT("imag", "i16[2]{255 -1}", "i16[2]{0 0}"),
    TM_EXACT("imag", "bf16[1]{-1}", "bf16[1]{0}"),
    ROWS_OF_NUMERIC("imag"),
    LAWS_OF_COMPLEX("imag"),

    TM_NEAR("angle", "c128[4]{1+1j -1+0j -1-0j 0-2j}",
            "f64[4]{0.7853981633974483 3.141592653589793 -3.141592653589793 -1.5707963267948966}",
            1e-14, 0),
    TM_NEAR("angle", "f32[5]{1 -2 0 -0 nan}", "f32[5]{0 3.1415927 0 3.1415927 nan}", 1e-6, 0),
    TM_NEAR("angle", "i32[2]{1 -2}", "f32[2]{0 3.1415927}", 1e-6, 0),
    ROWS_OF_FLOATING("angle"),
    LAWS_OF_COMPLEX("angle"),
};
TM_SAMPLES(complex, rows);
