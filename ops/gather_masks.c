/* gather_masks.c: elements chosen by a mask of booleans. */
#include <string.h>

#include "gather.h"
#include "loops.h"
#include "ops_kernels.h"

/* -- masked_fill ------------------------------------------------------------------------------- */

#define FILL_LOOP(bytes)                                                                           \
    static tm_status fill_##bytes(tm_call *call, char *const *ptr, const int64_t *step, int64_t n) \
    {                                                                                              \
        (void)call;                                                                                \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(tm_word##bytes, ptr[3] + i * step[3]) =                                          \
                TM_CONST_AT(uint8_t, ptr[1] + i * step[1])                                         \
                    ? TM_CONST_AT(tm_word##bytes, ptr[2] + i * step[2])                            \
                    : TM_CONST_AT(tm_word##bytes, ptr[0] + i * step[0]);                           \
        return TM_OK;                                                                              \
    }
FILL_LOOP(1)
FILL_LOOP(2)
FILL_LOOP(4)
FILL_LOOP(8)
FILL_LOOP(16)

#define FILL_ROW(dtype, bytes) {dtype, dtype, fill_##bytes},
const tm_loop tm_masked_fill_loops[] = {TM_ALL_DTYPES(FILL_ROW){0}};

static tm_status check_mask(tm_call *call, const tm_tensor *mask)
{
    return tm_check_kind(call, "mask", mask, TM_KIND_BOOL, "dtype bool");
}

/* The mask broadcasts to x, never x to the mask. */
static tm_status mask_to_x(tm_call *call, const tm_tensor *x, const tm_tensor *mask)
{
    tm_status status = check_mask(call, mask);
    if (status != TM_OK)
        return status;
    int extra = tm_ndim(x) - tm_ndim(mask);
    bool fits = extra >= 0;
    for (int d = 0; fits && d < tm_ndim(mask); d++)
        fits = tm_shape(mask)[d] == 1 || tm_shape(mask)[d] == tm_shape(x)[d + extra];
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "mask",
                           "mask must broadcast to x's shape %s, got shape %s",
                           tm_shape_text(call, x), tm_shape_text(call, mask));
    return tm_output_like(call, 0, x);
}

static tm_status set_fill_loop(tm_call *call, tm_dtype dtype)
{
    const tm_loop *loop = tm_masked_fill_loops;
    while (loop->out != dtype)
        loop++;
    const tm_dtype compute[4] = {dtype, TM_BOOL, dtype, dtype};
    return tm_elementwise_loop(call, loop->fn, 4, compute);
}

tm_status tm_masked_fill_meta(tm_call *call, const tm_tensor *x, const tm_tensor *mask,
                              tm_scalar value)
{
    uint64_t element[2];
    tm_status status = mask_to_x(call, x, mask);
    if (status == TM_OK)
        status = tm_gather_check_number(call, "value", value, x, element);
    return status == TM_OK ? set_fill_loop(call, tm_dtype_of(x)) : status;
}

tm_status tm_masked_fill_tensor_meta(tm_call *call, const tm_tensor *x, const tm_tensor *mask,
                                     const tm_tensor *value)
{
    tm_status status = mask_to_x(call, x, mask);
    if (status == TM_OK)
        status = tm_gather_check_dtype(call, "value", value, x);
    if (status == TM_OK)
        status = tm_gather_check_element(call, "value", value);
    return status == TM_OK ? set_fill_loop(call, tm_dtype_of(x)) : status;
}

/* -- masked_select ----------------------------------------------------------------------------- */

tm_status tm_masked_select_meta(tm_call *call, const tm_tensor *x, const tm_tensor *mask)
{
    int ndim = tm_ndim(x);
    int64_t shape[TM_MAX_NDIM];
    tm_status status = check_mask(call, mask);
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(x)[d];
    if (status == TM_OK)
        status = tm_check_broadcast(call, "mask", &ndim, shape, mask);
    const int64_t open = TM_DYNAMIC;
    return status == TM_OK ? tm_output(call, 0, tm_dtype_of(x), 1, &open) : status;
}

/* Visits both, broadcast to `shape`, in row-major order; copies what is chosen to `to`, if given.
 * Returns how many are. */
static int64_t choose(const tm_tensor *x, const tm_tensor *mask, int ndim, const int64_t *shape,
                      char *to)
{
    size_t item = tm_dtype_size(tm_dtype_of(x));
    const char *from = tm_data(x), *flag = tm_data(mask);
    int64_t index[TM_MAX_NDIM] = {0}, from_step[TM_MAX_NDIM], flag_step[TM_MAX_NDIM];
    int64_t left = 1, chosen = 0;
    for (int d = 0; d < ndim; d++) {
        int xd = d - (ndim - tm_ndim(x)), md = d - (ndim - tm_ndim(mask));
        from_step[d] = xd < 0 ? 0 : tm_indexed_step(x, xd);
        flag_step[d] = md < 0 ? 0 : tm_indexed_step(mask, md);
        left *= shape[d];
    }
    for (; left > 0; left--) {
        if (*flag) {
            if (to)
                memcpy(to + (size_t)chosen * item, from, item);
            chosen++;
        }
        for (int d = ndim; d-- > 0; index[d] = 0) {
            from += from_step[d];
            flag += flag_step[d];
            if (++index[d] < shape[d])
                break;
            from -= from_step[d] * shape[d];
            flag -= flag_step[d] * shape[d];
        }
    }
    return chosen;
}

tm_status tm_masked_select_impl(tm_call *call, const tm_tensor *x, const tm_tensor *mask,
                                tm_tensor *out)
{
    int ndim = tm_ndim(x) > tm_ndim(mask) ? tm_ndim(x) : tm_ndim(mask);
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++) {
        int xd = d - (ndim - tm_ndim(x)), md = d - (ndim - tm_ndim(mask));
        int64_t mine = xd < 0 ? 1 : tm_shape(x)[xd];
        shape[d] = mine == 1 && md >= 0 ? tm_shape(mask)[md] : mine;
    }
    int64_t count = choose(x, mask, ndim, shape, NULL);
    tm_status status = tm_output_alloc(call, 0, 1, &count);
    if (status == TM_OK && count > 0)
        choose(x, mask, ndim, shape, tm_mutable_data(out));
    return status;
}
