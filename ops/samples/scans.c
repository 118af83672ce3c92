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
    TM_FAILS("cumsum", "i16[2], 0", "dtype: there is no kernel for dtype int16"),
};
TM_SAMPLES(scans, rows);
