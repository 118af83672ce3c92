/* samples/attention.c: attention where every weight is known: scores that are equal, or one far
 * above the others. */
#include "samples.h"

#define SDPA "scaled_dot_product_attention"

static const tm_sample rows[] = {
    /* Equal scores: the mean of the values. */
    TM_EXACT(SDPA, "f32[1,2]{0 0}, f32[2,2]{1 2 3 4}, f32[2,1]{10 20}", "f32[1,1]{15}"),
    TM_EXACT(SDPA, "f64[2,1]{0 0}, f64[2,1]{1 1}, f64[2,1]{10 20}, is_causal=True",
             "f64[2,1]{10 15}"),
    TM_EXACT(SDPA, "f32[1,1]{0}, f32[3,1]{1 1 1}, f32[3,2]{1 2 3 4 5 6}, b8[1,3]{1 0 1}",
             "f32[1,2]{3 4}"),
    TM_EXACT(SDPA, "f32[1,1]{0}, f32[2,1]{1 1}, f32[2,1]{10 20}, f32[2]{0 -inf}", "f32[1,1]{10}"),
    /* One score 1000 above the other. */
    TM_EXACT(SDPA, "f32[1,1]{1}, f32[2,1]{1000 0}, f32[2,1]{10 20}, scale=1", "f32[1,1]{10}"),
    TM_EXACT(SDPA, "f16[1,2]{0 0}, f16[2,2]{1 2 3 4}, f16[2,1]{10 20}", "f16[1,1]{15}"),
    TM_LAW(SDPA, "f32[2,1,3,4], f32[5,6,4], f32[6,2]"),
    TM_LAW(SDPA, "f32[3,4], f32[6,4], f32[2,6,2], f32[3,6]"),
    TM_LAW(SDPA, "bf16[3,4], bf16[3,4], bf16[3,4], is_causal=True"),
    TM_FAILS(SDPA, "f32[4], f32[2,4], f32[2,1]",
             "rank: query must have at least 2 dimensions, got shape (4,)"),
    TM_FAILS(SDPA, "f32[2,4], f32[4], f32[2,1]",
             "rank: key must have at least 2 dimensions, got shape (4,)"),
    TM_FAILS(SDPA, "f32[2,4], f32[2,4], f32[2]",
             "rank: value must have at least 2 dimensions, got shape (2,)"),
    TM_FAILS(SDPA, "i32[2,4], f32[2,4], f32[2,4]",
             "dtype: query must have a floating-point dtype, got int32"),
    TM_FAILS(SDPA, "f32[2,4], f32[2,3], f32[2,4]",
             "shape: key must have size 4 in its last dimension, as query of shape (2, 4) has, got "
             "shape (2, 3)"),
    TM_FAILS(SDPA, "f32[2,4], f32[2,4], f32[3,4]",
             "shape: value must have as many rows as key of shape (2, 4), got shape (3, 4)"),
    TM_FAILS(SDPA, "f32[2,2,4], f32[3,2,4], f32[2,4]",
             "shape: the leading dimensions of key must broadcast with (2,), got shape (3, 2, 4)"),
    TM_FAILS(
        SDPA, "f32[2,2,4], f32[2,4], f32[3,2,4]",
        "shape: the leading dimensions of value must broadcast with (2,), got shape (3, 2, 4)"),
    TM_FAILS(SDPA, "f32[2,4], f32[3,4], f32[3,4], i32[2,3]",
             "dtype: attn_mask must be bool or have a floating-point dtype, got int32"),
    TM_FAILS(SDPA, "f32[2,4], f32[3,4], f32[3,4], b8[3,2]",
             "shape: attn_mask must broadcast to the scores' shape (2, 3), got shape (3, 2)"),
    TM_FAILS(SDPA, "f32[2,4], f32[3,4], f32[3,4], b8[2,3], True",
             "value: is_causal must be False where there is an attn_mask"),
    TM_FAILS(SDPA, "f32[2,4], f32[3,4], f32[3,4], scale=nan",
             "value: scale must be finite, got nan"),
};
TM_SAMPLES(attention, rows);
