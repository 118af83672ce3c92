/* fuzz_index.c: keys of `index`, alone and mapped. The key is first, then behind a zero byte the
 * tensors' shapes. */
#include "fuzz/twice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char key[512];
    const tm_tensor *ts[4], *x;
    int64_t shape[8];
    fuzz_bytes bytes = {data, size};
    fuzz_limit_memory(1 << 24, 1 << 20);
    fuzz_text(&bytes, '\0', key, sizeof key);
    tm_scope *scope = fuzz_begin();
    tm_mode *mode = fuzz_limit_calls(1 << 14);
    int ndim = fuzz_below(&bytes, 5);
    for (int d = 0; d < ndim; d++)
        shape[d] = fuzz_one_in(&bytes, 16) ? 0 : fuzz_below(&bytes, 5) + 1;
    x = fuzz_pair(&bytes, TM_FLOAT32, ndim, shape);
    int count = fuzz_below(&bytes, 4);
    bool made = mode && x, masks = false;
    for (int i = 0; i < count; i++) {
        static const tm_dtype dtypes[] = {TM_INT64, TM_BOOL, TM_INT8, TM_UINT8, TM_FLOAT32};
        tm_dtype dtype = dtypes[fuzz_below(&bytes, 5)];
        int dims = fuzz_below(&bytes, 4);
        for (int d = 0; d < dims; d++)
            shape[d] = fuzz_one_in(&bytes, 16) ? 0 : fuzz_below(&bytes, 4) + 1;
        ts[i] = fuzz_pair(&bytes, dtype, dims, shape);
        made = made && ts[i];
        masks = masks || dtype == TM_BOOL;
    }
    const tm_value args[] = {{.tensor = x}, {.str = key}, {.tensors = {ts, count}}};
    if (made)
        fuzz_twice(tm_op_find("index", NULL), args, masks);
    if (mode)
        tm_mode_pop(mode);
    fuzz_end(scope);
    return 0;
}
