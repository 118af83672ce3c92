/* host.c: results that depend on values: indices of what is not zero, and a host number. */
#include <string.h>

#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "rows.h"

/* -- nonzero ---------------------------------------------------------------------------------- */

tm_status tm_nonzero_meta(tm_call *call, const tm_tensor *x)
{
    const int64_t shape[2] = {TM_DYNAMIC, tm_ndim(x)};
    return tm_output(call, 0, TM_INT64, 2, shape);
}

/* Counts x's nonzero elements; where `index` is not NULL, writes the index of each. */
static int64_t find(const tm_tensor *x, int64_t *index)
{
    uint8_t flags[512];
    const int64_t block = (int64_t)sizeof flags;
    tm_cast_fn to_bool = tm_cast(tm_dtype_of(x), TM_BOOL);
    int ndim = tm_ndim(x);
    const int64_t *shape = tm_shape(x);
    int64_t found = 0, flat = 0;
    tm_rows r;
    for (bool more = tm_rows_first(&r, x, tm_data(x)); more; more = tm_rows_next(&r)) {
        for (int64_t at = 0; at < r.n; at += block) {
            int64_t n = r.n - at < block ? r.n - at : block;
            to_bool(r.at + at * r.step, r.step, (char *)flags, 1, n);
            for (int64_t i = 0; i < n; i++, flat++) {
                if (!flags[i])
                    continue;
                int64_t rest = flat;
                for (int d = index ? ndim : 0; d-- > 0; rest /= shape[d])
                    index[found * ndim + d] = rest % shape[d];
                found++;
            }
        }
    }
    return found;
}

tm_status tm_nonzero_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const int64_t shape[2] = {find(x, NULL), tm_ndim(x)};
    tm_status status = tm_output_alloc(call, 0, 2, shape);
    if (status == TM_OK && shape[0] > 0)
        find(x, tm_mutable_data(out));
    return status;
}

/* -- item ------------------------------------------------------------------------------------- */

tm_status tm_item_meta(tm_call *call, const tm_tensor *x)
{
    if (tm_numel(x) != 1)
        return tm_fail_arg(call, TM_ERR_SHAPE, "x", "x must have exactly one element, got shape %s",
                           tm_shape_text(call, x));
    return TM_OK;
}

tm_status tm_item_impl(tm_call *call, const tm_tensor *x)
{
    tm_scalar value = tm_scalar_load(tm_dtype_of(x), tm_data(x));
    if (tm_dtype_of(x) == TM_UINT64 && value.value.i < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must fit in int64, got %llu",
                           (unsigned long long)value.value.i);
    return tm_output_scalar(call, 0, value);
}
