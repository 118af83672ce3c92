/* searching.c: places of values in sorted sequences and sets.
 *
 * Both sides are converted to their common dtype and from there to unsigned keys (sorting_keys.h),
 * a row of which, in the workspace, is searched by halves.
 */
#include <string.h>

#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "rows.h"
#include "sorting.h"

enum { BLOCK = 128 };

static tm_status check_both(tm_call *call, const char *name1, const tm_tensor *x1,
                            const char *name2, const tm_tensor *x2)
{
    tm_status status = tm_check_ordered(call, name1, x1);
    return status == TM_OK ? tm_check_ordered(call, name2, x2) : status;
}

/* Elements of any dtype as keys in a block of BLOCK, by way of `dtype`. */
static void make_keys(const char *from, tm_dtype from_dtype, int64_t step, tm_dtype dtype,
                      int64_t n, uint64_t *keys)
{
    uint64_t converted[BLOCK];
    int64_t item = (int64_t)tm_dtype_size(dtype);
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t count = n - at < BLOCK ? n - at : BLOCK;
        tm_cast(from_dtype, dtype)(from + at * step, step, (char *)converted, item, count);
        tm_sort_run run = {
            .data = (const char *)converted, .dtype = dtype, .n = count, .step = item};
        tm_sort_keys(&run, keys + at);
    }
}

static void make_all_keys(const tm_tensor *x, tm_dtype dtype, uint64_t *keys)
{
    tm_rows r;
    for (bool more = tm_rows_first(&r, x, tm_data(x)); more; more = tm_rows_next(&r)) {
        make_keys(r.at, tm_dtype_of(x), r.step, dtype, r.n, keys);
        keys += r.n;
    }
}

/* How many of the n ascending keys are less than `key`, or also equal to it. */
static int64_t count_below(const uint64_t *keys, int64_t n, uint64_t key, bool equal)
{
    int64_t low = 0;
    while (n > 0) {
        int64_t half = n / 2;
        bool below = keys[low + half] < key || (equal && keys[low + half] == key);
        low = below ? low + half + 1 : low;
        n = below ? n - half - 1 : half;
    }
    return low;
}

/* Bytes for that many keys; SIZE_MAX / 4 where no machine has them. */
static size_t key_bytes(int64_t n)
{
    size_t bytes;
    return __builtin_mul_overflow((size_t)n, sizeof(uint64_t), &bytes) || bytes > SIZE_MAX / 4
               ? SIZE_MAX / 4
               : bytes;
}

/* -- searchsorted ------------------------------------------------------------------------------ */

static tm_status check_sorted(tm_call *call, const char *name, const tm_tensor *x)
{
    if (tm_ndim(x) == 1)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_RANK, name, "%s must have 1 dimension, got shape %s", name,
                       tm_shape_text(call, x));
}

tm_status tm_searchsorted_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                               const char *side, const tm_tensor *sorter)
{
    tm_status status = check_sorted(call, "x1", x1);
    if (status == TM_OK)
        status = check_both(call, "x1", x1, "x2", x2);
    if (status != TM_OK)
        return status;
    if (strcmp(side, "left") != 0 && strcmp(side, "right") != 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "side", "side must be left or right, got '%s'",
                           side);
    if (sorter != TM_NONE) {
        status = tm_check_kind(call, "sorter", sorter, TM_KIND_INT, "an integer dtype");
        if (status != TM_OK)
            return status;
        if (tm_ndim(sorter) != 1 || tm_shape(sorter)[0] != tm_shape(x1)[0])
            return tm_fail_arg(call, TM_ERR_SHAPE, "sorter",
                               "sorter must have the shape of x1, %s, got shape %s",
                               tm_shape_text(call, x1), tm_shape_text(call, sorter));
    }
    tm_need_workspace(call, key_bytes(tm_shape(x1)[0]));
    return tm_output(call, 0, TM_INT64, tm_ndim(x2), tm_shape(x2));
}

/* The keys of x1 in the order that sorter says. */
static tm_status sorted_keys(tm_call *call, const tm_tensor *x1, const tm_tensor *sorter,
                             tm_dtype dtype, uint64_t *keys)
{
    if (sorter == TM_NONE) {
        make_all_keys(x1, dtype, keys);
        return TM_OK;
    }
    int64_t n = tm_shape(x1)[0];
    tm_sort_run from = tm_sort_run_of(x1), places = tm_sort_run_of(sorter);
    tm_cast_fn load = tm_cast(places.dtype, TM_INT64);
    for (int64_t i = 0; i < n; i++) {
        int64_t at;
        load(places.data + i * places.step, 0, (char *)&at, 0, 1);
        if (at < 0 || at >= n)
            return tm_fail_arg(call, TM_ERR_INDEX, "sorter",
                               "sorter[%lld] must be in 0..%lld, got %lld", (long long)i,
                               (long long)n - 1, (long long)at);
        make_keys(from.data + at * from.step, from.dtype, 0, dtype, 1, keys + i);
    }
    return TM_OK;
}

tm_status tm_searchsorted_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                               const char *side, const tm_tensor *sorter, tm_tensor *out)
{
    tm_dtype dtype = tm_promote(tm_dtype_of(x1), tm_dtype_of(x2));
    uint64_t *keys = tm_workspace(call), wanted[BLOCK];
    tm_status status = sorted_keys(call, x1, sorter, dtype, keys);
    if (status != TM_OK)
        return status;
    int64_t *to = tm_mutable_data(out), n = tm_shape(x1)[0];
    bool right = strcmp(side, "right") == 0;
    tm_rows r;
    for (bool more = tm_rows_first(&r, x2, tm_data(x2)); more; more = tm_rows_next(&r))
        for (int64_t at = 0; at < r.n; at += BLOCK) {
            int64_t count = r.n - at < BLOCK ? r.n - at : BLOCK;
            make_keys(r.at + at * r.step, tm_dtype_of(x2), r.step, dtype, count, wanted);
            for (int64_t i = 0; i < count; i++)
                *to++ = count_below(keys, n, wanted[i], right);
        }
    return TM_OK;
}

/* -- bucketize --------------------------------------------------------------------------------- */

tm_status tm_bucketize_meta(tm_call *call, const tm_tensor *x, const tm_tensor *boundaries,
                            bool right)
{
    (void)right;
    tm_status status = check_sorted(call, "boundaries", boundaries);
    if (status == TM_OK)
        status = check_both(call, "x", x, "boundaries", boundaries);
    return status == TM_OK ? tm_output(call, 0, TM_INT64, tm_ndim(x), tm_shape(x)) : status;
}

tm_status tm_bucketize_impl(tm_call *call, const tm_tensor *x, const tm_tensor *boundaries,
                            bool right, tm_tensor **out)
{
    (void)call;
    *out = tm_searchsorted(boundaries, x, right ? "right" : "left", TM_NONE);
    return *out ? TM_OK : tm_error_code();
}

/* -- isin -------------------------------------------------------------------------------------- */

tm_status tm_isin_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, bool invert)
{
    (void)invert;
    tm_status status = check_both(call, "x1", x1, "x2", x2);
    if (status != TM_OK)
        return status;
    size_t keys = key_bytes(tm_numel(x2)), order = tm_sort_workspace(TM_UINT64, tm_numel(x2));
    tm_need_workspace(call, 2 * keys + order); /* each at most SIZE_MAX / 4 */
    return tm_output(call, 0, TM_BOOL, tm_ndim(x1), tm_shape(x1));
}

tm_status tm_isin_impl(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, bool invert,
                       tm_tensor *out)
{
    tm_dtype dtype = tm_promote(tm_dtype_of(x1), tm_dtype_of(x2));
    int64_t n = tm_numel(x2);
    uint64_t *keys = tm_workspace(call), *sorted = keys + n, wanted[BLOCK];
    make_all_keys(x2, dtype, keys);
    if (n > 0) {
        tm_sort_run run = {.data = (const char *)keys,
                           .dtype = TM_UINT64,
                           .n = n,
                           .step = (int64_t)sizeof(uint64_t)};
        tm_sort_order order = tm_sort_find(&run, sorted + n);
        for (int64_t i = 0; i < n; i++)
            sorted[i] = keys[tm_sort_index(&order, i)];
    }
    uint8_t *to = tm_mutable_data(out);
    tm_rows r;
    for (bool more = tm_rows_first(&r, x1, tm_data(x1)); more; more = tm_rows_next(&r))
        for (int64_t at = 0; at < r.n; at += BLOCK) {
            int64_t count = r.n - at < BLOCK ? r.n - at : BLOCK;
            make_keys(r.at + at * r.step, tm_dtype_of(x1), r.step, dtype, count, wanted);
            for (int64_t i = 0; i < count; i++) {
                int64_t low = count_below(sorted, n, wanted[i], false);
                bool found =
                    low < n && sorted[low] == wanted[i] && !tm_sort_key_is_nan(dtype, wanted[i]);
                *to++ = found != invert;
            }
        }
    return TM_OK;
}
