/* fails.c: a plug-in whose second op has a name that is taken, and which does not look. */
#include "half.h"

static tm_status half(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    return half_row(x, out, true);
}

static tm_status load(tm_library *library)
{
    half_register(library, "half_fails(Tensor x) -> Tensor", (tm_fn)half, NULL);
    half_register(library, "triu(Tensor x) -> Tensor", (tm_fn)half, NULL);
    return TM_OK;
}

TM_PLUGIN("fails", load)
