/* no_samples.c: a plug-in that is right, but brings no samples. It also registers an alias and an
 * override. */
#include "half.h"

static tm_status half(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    return half_row(x, out, true);
}

/* Instead of triu: zeros, which a test can tell. */
static tm_status zeros(tm_call *call, const tm_tensor *x, int64_t k, tm_tensor *out)
{
    (void)call, (void)k;
    char *to = tm_mutable_data(out);
    for (int64_t i = 0; i < tm_numel(x) * (int64_t)tm_dtype_size(tm_dtype_of(x)); i++)
        to[i] = 0;
    return TM_OK;
}

static tm_status load(tm_library *library)
{
    const tm_kernel_def kernel = {.struct_size = sizeof kernel, .impl = (tm_fn)zeros};
    half_register(library, "half_bare(Tensor x) -> Tensor", (tm_fn)half, NULL);
    tm_library_alias(library, "half_alias", "half_bare");
    tm_library_override(library, tm_op_find("triu", ""), TM_KEY_PLAIN, &kernel);
    return TM_OK;
}

TM_PLUGIN("no samples", load)
