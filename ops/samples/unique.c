/* samples/unique.c: distinct elements of a few numbers, by hand. */
#include "samples.h"

static const tm_sample rows[] = {
    TM_EXACT("unique_values", "i32[2,3]{3 1 3 2 1 3}", "i32[3]{1 2 3}"),
    TM_EXACT("unique_values", "f32[5]{nan 1 nan -0 0}", "f32[4]{-0 1 nan nan}"),
    TM_EXACT("unique_values", "b8[3]{1 1 1}", "b8[1]{1}"),
    TM_EXACT("unique_values", "f16[3]{2 1 2}", "f16[2]{1 2}"),
    TM_EXACT("unique_values", "u64[2]{18446744073709551615 0}", "u64[2]{0 18446744073709551615}"),
    TM_EXACT("unique_values", "f64[]{7}", "f64[1]{7}"),
    TM_EXACT("unique_values", "i8[0,3]", "i8[0]"),
    TM_LAW("unique_values", "bf16[4,5]~ties"),
    TM_FAILS("unique_values", "c64[2]", "dtype: x must have a real dtype, got complex64"),

    TM_EXACT("unique_counts", "i32[2,3]{3 1 3 2 1 3}", "i32[3]{1 2 3}, i64[3]{2 1 3}"),
    TM_EXACT("unique_counts", "f32[3]{nan 1 nan}", "f32[3]{1 nan nan}, i64[3]{1 1 1}"),
    TM_EXACT("unique_counts", "f64[0]", "f64[0], i64[0]"),
    TM_LAW("unique_counts", "u16[4,5]~ties"),
    TM_FAILS("unique_counts", "c64[2]", "dtype: x must have a real dtype, got complex64"),

    TM_EXACT("unique_inverse", "i32[2,3]{3 1 3 2 1 3}", "i32[3]{1 2 3}, i64[2,3]{2 0 2 1 0 2}"),
    TM_EXACT("unique_inverse", "f32[3]{nan 1 nan}", "f32[3]{1 nan nan}, i64[3]{1 0 2}"),
    TM_EXACT("unique_inverse", "u8[]{4}", "u8[1]{4}, i64[]{0}"),
    TM_EXACT("unique_inverse", "u8[2,0]", "u8[0], i64[2,0]"),
    TM_LAW("unique_inverse", "f16[3,4]~ties"),
    TM_FAILS("unique_inverse", "c128[2]", "dtype: x must have a real dtype, got complex128"),

    TM_EXACT("unique_all", "i32[2,3]{3 1 3 2 1 3}",
             "i32[3]{1 2 3}, i64[3]{1 3 0}, i64[2,3]{2 0 2 1 0 2}, i64[3]{2 1 3}"),
    TM_EXACT("unique_all", "i16[0]", "i16[0], i64[0], i64[0], i64[0]"),
    TM_LAW("unique_all", "i64[3,4]~ties"),
    TM_FAILS("unique_all", "c64[2]", "dtype: x must have a real dtype, got complex64"),
};
TM_SAMPLES(unique, rows);
