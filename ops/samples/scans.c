/* samples/scans.c: running sums with values by NumPy, and random ones judged by their steps. */
#include "reading.h"
#include "samples.h"

/* Each element is the one before it on its axis plus x, the first is x alone. */
static bool is_cumsum(const tm_value *args, const tm_value *results)
{
    const tm_tensor *x = args[0].tensor, *y = results[0].tensor;
    int64_t axis = args[1].i < 0 ? args[1].i + tm_ndim(x) : args[1].i, step = 1;
    for (int d = tm_ndim(x) - 1; d > axis; d--)
        step *= tm_shape(x)[d];
    bool single = tm_dtype_of(x) == TM_FLOAT32;
    for (int64_t i = 0; i < tm_numel(x); i++) {
        bool first = i / step % tm_shape(x)[axis] == 0;
        double sum = first ? value(x, i) : value(y, i - step) + value(x, i);
        if (!close_to(value(y, i), single ? (double)(float)sum : sum, 0))
            return false;
    }
    return true;
}

static const tm_sample rows[] = {
    /* cumsum */
    TM_EXACT("cumsum", "f32[2,3]{1 2 3 4 5 6}, 1", "f32[2,3]{1 3 6 4 9 15}"),
    TM_EXACT("cumsum", "f32[2,3]{1 2 3 4 5 6}, 0", "f32[2,3]{1 2 3 5 7 9}"),
    TM_EXACT("cumsum", "f32[2,3]{1 2 3 4 5 6}, -2", "f32[2,3]{1 2 3 5 7 9}"),
    TM_EXACT("cumsum", "f64[4]{0.1 0.2 0.3 0.4}, 0",
             "f64[4]{0.1 0.30000000000000004 0.6000000000000001 1}"),
    TM_EXACT("cumsum", "f32[4]{0.1 0.2 0.3 0.4}, -1", "f32[4]{0.1 0.3 0.6 1}"),
    TM_EXACT("cumsum", "b8[4]{1 0 1 1}, 0", "i64[4]{1 1 2 3}"),
    TM_EXACT("cumsum", "u8[3]{200 100 255}, 0", "i64[3]{200 300 555}"),
    TM_EXACT("cumsum", "i32[2,2]{2147483647 1 2 3}, 1", "i64[2,2]{2147483647 2147483648 2 5}"),
    TM_EXACT("cumsum", "i64[2]{9223372036854775807 2}, 0",
             "i64[2]{9223372036854775807 -9223372036854775807}"),
    TM_EXACT("cumsum", "i32[2,2,2]{1 2 3 4 5 6 7 8}, 1", "i64[2,2,2]{1 2 4 6 5 6 12 14}"),
    TM_EXACT("cumsum", "f32[1]{3}, 0", "f32[1]{3}"),
    TM_EXACT("cumsum", "f32[0], 0", "f32[0]"),
    TM_EXACT("cumsum", "f32[2,0], 0", "f32[2,0]"),
    TM_EXACT("cumsum", "f32[2,0], 1", "f32[2,0]"),
    TM_EXACT("cumsum", "f32[4]{1 nan 2 3}, 0", "f32[4]{1 nan nan nan}"),
    TM_EXACT("cumsum", "f64[3]{1 inf -inf}, 0", "f64[3]{1 inf nan}"),
    TM_JUDGED("cumsum", "f32[200], 0", is_cumsum),
    TM_JUDGED("cumsum", "f32[30,3], 0", is_cumsum),
    TM_JUDGED("cumsum", "f32[3,30], 1", is_cumsum),
    TM_JUDGED("cumsum", "f64[2,3,4], 1", is_cumsum),
    TM_JUDGED("cumsum", "i32[4,5], -1", is_cumsum),
    TM_JUDGED("cumsum", "i64[6,2], 0", is_cumsum),
    TM_JUDGED("cumsum", "u8[20], 0", is_cumsum),
    TM_JUDGED("cumsum", "b8[3,3], 1", is_cumsum),
    TM_JUDGED("cumsum", "f32[8,2]~special, 0", is_cumsum),
    TM_JUDGED("cumsum", "f32[2,1,3], 1", is_cumsum),
    TM_FAILS("cumsum", "f32[2,3]{1 2 3 4 5 6}, 2", "dim: axis 2 is out of range, must be in -2..1"),
    TM_FAILS("cumsum", "f32[2,3]{1 2 3 4 5 6}, -3",
             "dim: axis -3 is out of range, must be in -2..1"),
    TM_FAILS("cumsum", "f32[], 0", "dim: axis 0 is out of range: a 0-D tensor has no axes"),
    TM_EXACT("cumsum", "i16[2]{32767 1}, 0", "i64[2]{32767 32768}"),
    TM_EXACT("cumsum", "u64[2]{18446744073709551615 2}, 0", "u64[2]{18446744073709551615 1}"),
    TM_EXACT("cumsum", "f16[3]{1 0.5 0.25}, 0", "f16[3]{1 1.5 1.75}"),
    TM_EXACT("cumsum", "c64[2]{1+2j 3-1j}, 0", "c64[2]{1+2j 4+1j}"),
    TM_LAW("cumsum", "bf16[3,300], 1"),
    TM_LAW("cumsum", "u32[5,2], 0"),
    TM_LAW("cumsum", "c128[4], 0"),

    TM_EXACT("cumsum.dtype", "u8[3]{200 100 255}, 0, uint8", "u8[3]{200 44 43}"),
    TM_EXACT("cumsum.dtype", "i32[3]{1 2 3}, 0, float64", "f64[3]{1 3 6}"),
    TM_EXACT("cumsum.dtype", "f32[3]{1.5 1.5 -2.5}, 0, int32", "i32[3]{1 2 0}"),
    TM_EXACT("cumsum.dtype", "f64[2]{1 2}, 0, complex64", "c64[2]{1 3}"),
    TM_LAW("cumsum.dtype", "f32[3,300], -1, float16"),
    TM_FAILS("cumsum.dtype", "c64[2], 0, float32",
             "dtype: there is no conversion from complex64 to float32"),
    TM_FAILS("cumsum.dtype", "f32[2], 1, float64", "dim: axis 1 is out of range, must be in -1..0"),

    /* cumprod */
    TM_EXACT("cumprod", "f32[2,3]{1 2 3 4 5 6}, 1", "f32[2,3]{1 2 6 4 20 120}"),
    TM_EXACT("cumprod", "i8[4]{100 2 3 -1}, 0", "i64[4]{100 200 600 -600}"),
    TM_EXACT("cumprod", "b8[3]{1 0 1}, 0", "i64[3]{1 0 0}"),
    TM_EXACT("cumprod", "i64[2]{4611686018427387904 4}, 0", "i64[2]{4611686018427387904 0}"),
    TM_EXACT("cumprod", "c128[3]{0+1j 0+1j 2}, 0", "c128[3]{0+1j -1 -2}"),
    TM_EXACT("cumprod", "f64[0,2], 0", "f64[0,2]"),
    TM_EXACT("cumprod", "f16[2]{1.5 nan}, 0", "f16[2]{1.5 nan}"),
    TM_LAW("cumprod", "f32[2,300]~pos, 1"),
    TM_LAW("cumprod", "c64[3,2], 0"),
    TM_FAILS("cumprod", "f32[2], 1", "dim: axis 1 is out of range, must be in -1..0"),
    TM_EXACT("cumprod.dtype", "i32[3]{2 3 4}, 0, float32", "f32[3]{2 6 24}"),
    TM_EXACT("cumprod.dtype", "u8[2]{16 16}, 0, uint8", "u8[2]{16 0}"),
    TM_FAILS("cumprod.dtype", "c64[2], 0, int32",
             "dtype: there is no conversion from complex64 to int32"),

    /* diff */
    TM_EXACT("diff", "f32[4]{1 4 9 16}", "f32[3]{3 5 7}"),
    TM_EXACT("diff", "f32[4]{1 4 9 16}, n=2", "f32[2]{2 2}"),
    TM_EXACT("diff", "f32[4]{1 4 9 16}, n=0", "f32[4]{1 4 9 16}"),
    TM_EXACT("diff", "f32[2]{1 4}, n=3", "f32[0]"),
    TM_EXACT("diff", "i32[2,2]{1 4 9 16}, 0", "i32[1,2]{8 12}"),
    TM_EXACT("diff", "u8[2]{2 1}", "u8[1]{255}"),
    TM_EXACT("diff", "f64[2]{1 4}, prepend=f64[1]{0}, append=f64[2]{4 5}", "f64[4]{1 3 0 1}"),
    TM_EXACT("diff", "i32[1]{1}, append=f32[1]{1.5}", "f32[1]{0.5}"),
    TM_EXACT("diff", "f32[0]", "f32[0]"),
    TM_LAW("diff", "f16[3,4], 0"),
    TM_LAW("diff", "c64[3,4], 1, 2"),
    TM_LAW("diff", "f32[2,3], 0, 1, f32[1,3], f32[2,3]"),
    TM_FAILS("diff", "f32[]", "dim: axis -1 is out of range: a 0-D tensor has no axes"),
    TM_FAILS("diff", "f32[3], n=-1", "value: n must not be negative, got -1"),
    TM_FAILS("diff", "b8[3]", "dtype: x must have a numeric dtype, got bool"),
    TM_FAILS(
        "diff", "f32[2,3], 0, prepend=f32[1,2]",
        "shape: prepend must have the shape of x, (2, 3), except along axis 0, got shape (1, 2)"),
    TM_FAILS("diff", "f32[2,3], 0, append=f32[3]",
             "shape: append must have the shape of x, (2, 3), except along axis 0, got shape (3,)"),
};
TM_SAMPLES(scans, rows);
