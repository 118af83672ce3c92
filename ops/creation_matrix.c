/* creation_matrix.c: the identity, and the places of a triangle's elements. */
#include "creation.h"
#include "dispatch/cast.h"
#include "ops_kernels.h"

static tm_status check_size(tm_call *call, const char *argument, int64_t size)
{
    if (size >= 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must not be negative, got %lld", argument,
                       (long long)size);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* -- eye --------------------------------------------------------------------------------------- */

tm_status tm_eye_meta(tm_call *call, int64_t rows, const int64_t *columns, int64_t k,
                      tm_dtype dtype)
{
    (void)k;
    tm_status status = check_size(call, "rows", rows);
    if (status == TM_OK && columns)
        status = check_size(call, "columns", *columns);
    const int64_t shape[] = {rows, columns ? *columns : rows};
    return status == TM_OK ? tm_output(call, 0, tm_or_default(dtype, TM_FLOAT32), 2, shape)
                           : status;
}

tm_status tm_eye_impl(tm_call *call, int64_t rows, const int64_t *columns, int64_t k,
                      tm_dtype dtype, tm_tensor *out)
{
    (void)call, (void)columns, (void)dtype;
    _Alignas(16) char one[16];
    const int64_t item = (int64_t)tm_dtype_size(tm_dtype_of(out)), width = tm_shape(out)[1];
    tm_scalar_store(tm_scalar_int(1), tm_dtype_of(out), one);
    tm_zero_fill(out);
    k = clamp(k, -rows, width);
    int64_t first = k < 0 ? -k : 0, column = k < 0 ? 0 : k;
    int64_t count = rows - first < width - column ? rows - first : width - column;
    if (count == 0)
        return TM_OK;
    const int64_t down = rows > 1 ? tm_strides(out)[0] * item : 0;
    const int64_t along = width > 1 ? tm_strides(out)[1] * item : 0;
    char *to = (char *)tm_mutable_data(out) + first * down + column * along;
    tm_cast(tm_dtype_of(out), tm_dtype_of(out))(one, 0, to, down + along, count);
    return TM_OK;
}

/* -- tril_indices, triu_indices ---------------------------------------------------------------- */

/* How many elements of a rows x columns matrix lie on and below diagonal k. Row i has i + k + 1 of
 * them: none up to row `first`, all from row `full` on. rows * columns must fit. */
static int64_t count_lower(int64_t rows, int64_t columns, int64_t k)
{
    k = clamp(k, -rows, columns);
    int64_t first = clamp(-k, 0, rows), full = rows;
    if (k >= 0 || columns <= INT64_MAX + k)
        full = clamp(columns - k - 1, first, rows);
    int64_t some = full - first;
    return some * (first + k + 1) + some * (some - 1) / 2 + (rows - full) * columns;
}

static tm_status describe(tm_call *call, int64_t rows, int64_t columns, int64_t k, bool lower)
{
    tm_status status = check_size(call, "rows", rows);
    if (status == TM_OK)
        status = check_size(call, "columns", columns);
    if (status != TM_OK)
        return status;
    int64_t all;
    if (__builtin_mul_overflow(rows, columns, &all))
        return tm_fail_arg(call, TM_ERR_SHAPE, "rows",
                           "a matrix of %lld rows and %lld columns has more than %lld elements",
                           (long long)rows, (long long)columns, (long long)INT64_MAX);
    int64_t below = count_lower(rows, columns, lower || k == INT64_MIN ? k : k - 1);
    return tm_output(call, 0, TM_INT64, 2, (const int64_t[]){2, lower ? below : all - below});
}

static inline void put(char *to, int64_t value)
{
    *(int64_t *)(void *)to = value;
}

/* Row by row: columns [from, to) of row i, which are i + k apart from the diagonal's at most. */
static void list_places(int64_t rows, int64_t columns, int64_t k, bool lower, tm_tensor *out)
{
    const int64_t count = tm_shape(out)[1], item = (int64_t)sizeof(int64_t);
    const int64_t step = count > 1 ? tm_strides(out)[1] * item : 0;
    char *row = tm_mutable_data(out), *column = row + tm_strides(out)[0] * item;
    k = clamp(k, -rows, columns);
    for (int64_t i = lower && k < 0 ? -k : 0, done = 0; done < count; i++) {
        int64_t from = lower ? 0 : clamp(i + k, 0, columns);
        int64_t to = lower ? clamp(i + k + 1, 0, columns) : columns;
        for (int64_t j = from; j < to; j++, done++) {
            put(row + done * step, i);
            put(column + done * step, j);
        }
    }
}

tm_status tm_tril_indices_meta(tm_call *call, int64_t rows, int64_t columns, int64_t k)
{
    return describe(call, rows, columns, k, true);
}

tm_status tm_tril_indices_impl(tm_call *call, int64_t rows, int64_t columns, int64_t k,
                               tm_tensor *out)
{
    (void)call;
    list_places(rows, columns, k, true, out);
    return TM_OK;
}

tm_status tm_triu_indices_meta(tm_call *call, int64_t rows, int64_t columns, int64_t k)
{
    return describe(call, rows, columns, k, false);
}

tm_status tm_triu_indices_impl(tm_call *call, int64_t rows, int64_t columns, int64_t k,
                               tm_tensor *out)
{
    (void)call;
    list_places(rows, columns, k, false, out);
    return TM_OK;
}
