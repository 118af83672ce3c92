/* fuzz_einsum.c: equations of einsum on tensors of small sizes, alone and mapped. The text is
 * first, then behind a zero byte the tensors' shapes. */
#include "fuzz/twice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char equation[512];
    const tm_tensor *xs[8];
    fuzz_bytes bytes = {data, size};
    fuzz_limit_memory(1 << 24, 1 << 20);
    fuzz_text(&bytes, '\0', equation, sizeof equation);
    tm_scope *scope = fuzz_begin();
    tm_mode *mode = fuzz_limit_calls(1 << 14);
    int count = fuzz_below(&bytes, 6);
    tm_dtype dtype = fuzz_one_in(&bytes, 2) ? TM_FLOAT32 : TM_INT64;
    bool made = mode != NULL;
    for (int i = 0; i < count; i++) {
        int64_t shape[8];
        int ndim = fuzz_below(&bytes, 6);
        for (int d = 0; d < ndim; d++)
            shape[d] = fuzz_one_in(&bytes, 16) ? 0 : fuzz_below(&bytes, 3) + 1;
        xs[i] = fuzz_pair(&bytes, dtype, ndim, shape);
        made = made && xs[i];
    }
    const tm_value args[] = {{.str = equation}, {.tensors = {xs, count}}};
    if (made)
        fuzz_twice(tm_op_find("einsum", NULL), args, false);
    if (mode)
        tm_mode_pop(mode);
    fuzz_end(scope);
    return 0;
}
