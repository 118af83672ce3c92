/* unique.c: distinct elements: sort once, then go through the runs of equal ones. */
#include <string.h>

#include "ops_kernels.h"
#include "sorting.h"

static tm_status describe(tm_call *call, const tm_tensor *x, bool indices, bool inverse,
                          bool counts)
{
    const int64_t dynamic = TM_DYNAMIC;
    tm_status status = tm_check_ordered(call, "x", x);
    int i = 0;
    if (status == TM_OK)
        status = tm_output(call, i++, tm_dtype_of(x), 1, &dynamic);
    if (status == TM_OK && indices)
        status = tm_output(call, i++, TM_INT64, 1, &dynamic);
    if (status == TM_OK && inverse)
        status = tm_output(call, i++, TM_INT64, tm_ndim(x), tm_shape(x));
    if (status == TM_OK && counts)
        status = tm_output(call, i, TM_INT64, 1, &dynamic);
    return status;
}

/* Outputs that are wanted, and which they are. */
typedef struct outputs {
    tm_tensor *values, *indices, *inverse, *counts;
} outputs;

static tm_status allocate(tm_call *call, const outputs *o, const tm_tensor *x, int64_t distinct)
{
    int i = 0;
    tm_status status = tm_output_alloc(call, i++, 1, &distinct);
    if (status == TM_OK && o->indices)
        status = tm_output_alloc(call, i++, 1, &distinct);
    if (status == TM_OK && o->inverse)
        status = tm_output_alloc(call, i++, tm_ndim(x), tm_shape(x));
    if (status == TM_OK && o->counts)
        status = tm_output_alloc(call, i, 1, &distinct);
    return status;
}

/* Whether sorted elements i - 1 and i are equal; NaN is not. */
static bool same(const tm_tensor *sorted, int64_t i)
{
    uint64_t keys[2];
    tm_sort_run run = tm_sort_run_of(sorted);
    run.data += (i - 1) * run.step;
    run.n = 2;
    tm_sort_keys(&run, keys);
    return keys[0] == keys[1] && !tm_sort_key_is_nan(run.dtype, keys[0]);
}

static tm_status find(tm_call *call, const tm_tensor *x, outputs o)
{
    int64_t n = tm_numel(x), distinct = 0;
    tm_tensor *flat = tm_reshape(x, (tm_int_list){&n, 1});
    tm_sort_with_indices_result s = tm_sort_with_indices(flat, 0, false, true);
    if (!s.values)
        return tm_error_code();
    for (int64_t i = 0; i < n; i++)
        distinct += i == 0 || !same(s.values, i);
    tm_status status = allocate(call, &o, x, distinct);
    if (status != TM_OK || n == 0)
        return status;
    size_t item = tm_dtype_size(tm_dtype_of(x));
    const char *from = tm_data(s.values);
    const int64_t *place = tm_data(s.indices);
    char *values = tm_mutable_data(o.values);
    int64_t *indices = o.indices ? tm_mutable_data(o.indices) : NULL;
    int64_t *inverse = o.inverse ? tm_mutable_data(o.inverse) : NULL;
    int64_t *counts = o.counts ? tm_mutable_data(o.counts) : NULL;
    for (int64_t i = 0, at = -1; i < n; i++) {
        if (i == 0 || !same(s.values, i)) {
            at++;
            memcpy(values + (size_t)at * item, from + (size_t)i * item, item);
            if (indices) /* the sort is stable: the first of equals is the first in x */
                indices[at] = place[i];
            if (counts)
                counts[at] = 0;
        }
        if (inverse)
            inverse[place[i]] = at;
        if (counts)
            counts[at]++;
    }
    return TM_OK;
}

tm_status tm_unique_values_meta(tm_call *call, const tm_tensor *x)
{
    return describe(call, x, false, false, false);
}

tm_status tm_unique_values_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    return find(call, x, (outputs){.values = out});
}

tm_status tm_unique_counts_meta(tm_call *call, const tm_tensor *x)
{
    return describe(call, x, false, false, true);
}

tm_status tm_unique_counts_impl(tm_call *call, const tm_tensor *x, tm_tensor *out_values,
                                tm_tensor *out_counts)
{
    return find(call, x, (outputs){.values = out_values, .counts = out_counts});
}

tm_status tm_unique_inverse_meta(tm_call *call, const tm_tensor *x)
{
    return describe(call, x, false, true, false);
}

tm_status tm_unique_inverse_impl(tm_call *call, const tm_tensor *x, tm_tensor *out_values,
                                 tm_tensor *out_inverse_indices)
{
    return find(call, x, (outputs){.values = out_values, .inverse = out_inverse_indices});
}

tm_status tm_unique_all_meta(tm_call *call, const tm_tensor *x)
{
    return describe(call, x, true, true, true);
}

tm_status tm_unique_all_impl(tm_call *call, const tm_tensor *x, tm_tensor *out_values,
                             tm_tensor *out_indices, tm_tensor *out_inverse_indices,
                             tm_tensor *out_counts)
{
    return find(call, x,
                (outputs){.values = out_values,
                          .indices = out_indices,
                          .inverse = out_inverse_indices,
                          .counts = out_counts});
}
