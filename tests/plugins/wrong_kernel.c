/* wrong_kernel.c: a plug-in whose kernel takes every row for contiguous: its samples are right. */
#include "half.h"

static tm_status half(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    return half_row(x, out, false);
}

static const tm_sample samples[] = {
    {"half_wrong", "f32[3]{1 2 -3}", "f32[3]{0.5 1 -1.5}", NULL, 0, 0},
    {"half_wrong", "f32[5]", NULL, NULL, 0, 0},
    {"half_wrong", "f32[]{1}", "!rank: x must be a float32 vector, got shape ()", NULL, 0, 0},
};
static const tm_op_samples all_samples = {sizeof samples / sizeof *samples, samples};

static tm_status load(tm_library *library)
{
    half_register(library, "half_wrong(Tensor x) -> Tensor", (tm_fn)half, &all_samples);
    return TM_OK;
}

TM_PLUGIN("wrong kernel", load)
