/* tensor_new.c: handles that are not the result of an op: new, copied, wrapped, reviewed. */
#include <string.h>

#include "event.h"
#include "given.h"
#include "handle.h"
#include "memory.h"
#include "numbers.h"
#include "scope.h"

static tm_status check_shape(const char *function, tm_dtype dtype, int ndim, const int64_t *shape,
                             int64_t *numel)
{
    if (tm_dtype_size(dtype) == 0)
        return tm_error_set(TM_ERR_DTYPE, function, "dtype", "%d is no dtype", (int)dtype);
    if (ndim < 0 || ndim > TM_MAX_NDIM)
        return tm_error_set(TM_ERR_RANK, function, "ndim", "ndim must be in 0..%d, got %d",
                            TM_MAX_NDIM, ndim);
    if (ndim > 0 && !shape)
        return tm_error_null(function, "shape");
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return tm_error_set(TM_ERR_SHAPE, function, "shape",
                                "sizes must not be negative, got %lld at axis %d",
                                (long long)shape[d], d);
    if (!tm_shape_numel(dtype, ndim, shape, numel))
        return tm_error_set(TM_ERR_SHAPE, function, "shape",
                            "the tensor's bytes do not fit in memory's address range");
    return TM_OK;
}

static tm_tensor *new_tensor(const char *function, tm_dtype dtype, int ndim, const int64_t *shape,
                             int64_t *bytes)
{
    int64_t numel;
    if (check_shape(function, dtype, ndim, shape, &numel) != TM_OK)
        return NULL;
    *bytes = numel * (int64_t)tm_dtype_size(dtype);
    tm_thread *thread = tm_thread_get();
    tm_tensor *x = thread ? tm_handle_new_storage(thread, dtype, ndim, shape, *bytes, 0) : NULL;
    if (!x) {
        tm_error_memory(function, *bytes);
        return NULL;
    }
    return tm_scope_adopt(thread, x);
}

tm_tensor *tm_new(tm_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t bytes;
    return new_tensor("new", dtype, ndim, shape, &bytes);
}

tm_tensor *tm_from_data(tm_dtype dtype, int ndim, const int64_t *shape, const void *data)
{
    int64_t bytes, numel;
    if (check_shape("from_data", dtype, ndim, shape, &numel) != TM_OK)
        return NULL;
    if (numel > 0 && !data) {
        tm_error_null("from_data", "data");
        return NULL;
    }
    tm_tensor *x = new_tensor("from_data", dtype, ndim, shape, &bytes);
    if (x && bytes)
        memcpy(tm_handle_data(x), data, (size_t)bytes);
    return x;
}

/* The lowest and highest element offsets that shape and strides reach; false where they do not
 * fit. No elements: 0 and -1. */
static bool reach(int ndim, const int64_t *shape, const int64_t *strides, int64_t *low,
                  int64_t *high)
{
    *low = *high = 0;
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) {
            *high = -1;
            return true;
        }
    for (int d = 0; d < ndim; d++) {
        int64_t span;
        if (!tm_mul_size(shape[d] - 1, strides[d], &span) ||
            !tm_add_size(span < 0 ? *low : *high, span, span < 0 ? low : high))
            return false;
    }
    return true;
}

/* Whether `bytes` from `low` on, seen from `data`, are addresses. */
static bool addresses_exist(const void *data, int64_t low, int64_t bytes)
{
    int64_t first, last, at = (int64_t)(uintptr_t)data;
    return tm_add_size(at, low, &first) && first >= 0 && tm_add_size(first, bytes, &last);
}

/* tm_tame_view, in a storage of so many items. Returns whether there are no elements. */
static bool tame_strides(int ndim, const int64_t *shape, int64_t *strides, int64_t items,
                         bool no_examples)
{
    bool empty = no_examples;
    for (int d = 0; d < ndim; d++) {
        empty = empty || shape[d] == 0;
        if (strides[d] < INT64_MIN / 32 || strides[d] > INT64_MAX / 32)
            strides[d] = 0;
    }
    for (int d = 0; empty && d < ndim; d++)
        if (shape[d] > 1 && tm_magnitude(strides[d]) > items / (shape[d] - 1))
            strides[d] = 0;
    return empty;
}

/* Where what has no elements lies. */
static _Alignas(64) char nowhere[64];

tm_tensor *tm_handle_wrap(const char *function, tm_dtype dtype, int ndim, const int64_t *shape,
                          const int64_t *strides, void *data, const tm_wrap_options *given)
{
    int64_t numel, row_major[TM_MAX_NDIM], low, high, bytes;
    tm_wrap_options options = {.struct_size = sizeof options};
    if (given && tm_given_take(function, "options", TM_GIVEN_TYPE(tm_wrap_options, user), given,
                               &options) != TM_OK)
        return NULL;
    if (check_shape(function, dtype, ndim, shape, &numel) != TM_OK)
        return NULL;
    if (numel > 0 && !data) {
        tm_error_null(function, "data");
        return NULL;
    }
    size_t size = tm_dtype_size(dtype),
           alignment = size > 8 || dtype == TM_COMPLEX64 ? size / 2 : size;
    if ((uintptr_t)data % alignment != 0) {
        tm_error_set(TM_ERR_VALUE, function, "data", "data must be aligned to %zu bytes for %s",
                     alignment, tm_dtype_name(dtype));
        return NULL;
    }
    if (!strides) {
        tm_row_major(ndim, shape, row_major);
        strides = row_major;
    }
    int64_t item = (int64_t)tm_dtype_size(dtype);
    if (!data) /* no elements; an address all the same, to which an offset can be added */
        data = nowhere;
    if (!reach(ndim, shape, strides, &low, &high) || low < INT64_MIN / 32 ||
        high > INT64_MAX / 32 || !tm_mul_size(high - low + 1, item, &bytes) ||
        !addresses_exist(data, low * item, bytes)) {
        tm_error_set(TM_ERR_VALUE, function, "strides", "the elements reach beyond memory");
        return NULL;
    }
    tm_thread *thread = tm_thread_get();
    tm_storage *storage = NULL;
    if (thread)
        storage = tm_storage_wrap(thread, (char *)data + low * item, bytes, options.read_only);
    tm_tensor *x = thread ? tm_handle_new(thread, storage, dtype, ndim, 0) : NULL;
    if (!x) {
        tm_error_memory(function, (int64_t)tm_handle_size(ndim, 0));
        return NULL;
    }
    storage->deleter = options.deleter;
    storage->user = options.user;
    x->offset = -low;
    for (int d = 0; d < ndim; d++) {
        tm_handle_shape(x)[d] = shape[d];
        tm_handle_strides(x)[d] = strides[d];
    }
    if (strides != row_major)
        tame_strides(ndim, shape, tm_handle_strides(x), bytes / item, false);
    return tm_scope_adopt(thread, x);
}

tm_tensor *tm_wrap(tm_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                   void *data, const tm_wrap_options *options)
{
    return tm_handle_wrap("wrap", dtype, ndim, shape, strides, data, options);
}

static bool has_no_examples(const tm_tensor *x)
{
    tm_batch_entry entries[TM_MAX_LEVELS];
    for (int i = tm_handle_entries(x, entries); i-- > 0;)
        if (entries[i].size == 0)
            return true;
    return false;
}

void tm_tame_view(const tm_tensor *x, int ndim, const int64_t *shape, int64_t *strides,
                  int64_t *offset)
{
    int64_t items = x->storage->root->bytes / tm_item_size(x->dtype);
    if (tame_strides(ndim, shape, strides, items, has_no_examples(x)))
        *offset = 0;
}

static tm_tensor *view(const char *function, const tm_tensor *x, int ndim, const int64_t *shape,
                       const int64_t *strides, int64_t offset)
{
    tm_thread *thread = tm_thread_get();
    int64_t tamed[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        tamed[d] = strides[d];
    tm_tame_view(x, ndim, shape, tamed, &offset);
    tm_tensor *y = thread ? tm_handle_view(thread, x, ndim, shape, tamed, offset) : NULL;
    if (!y) {
        tm_error_memory(function, (int64_t)tm_handle_size(ndim, TM_MAX_LEVELS));
        return NULL;
    }
    return tm_scope_adopt(thread, y);
}

tm_tensor *tm_alias(const tm_tensor *x)
{
    if (tm_handle_check(tm_thread_get(), x, "alias", "x") != TM_OK)
        return NULL;
    return view("alias", x, x->ndim, x->shape, x->strides, 0);
}

/* The last byte that every example of x may touch counts: one example's elements must lie in the
 * storage for all of them. */
static bool inside_storage(const tm_tensor *x, int64_t low, int64_t high)
{
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    int64_t item = tm_item_size(x->dtype);
    int64_t first = 0, last = x->storage->root->bytes;
    for (int i = 0; i < n; i++) {
        int64_t span = entries[i].size > 0 ? entries[i].stride * (entries[i].size - 1) : 0;
        if (span < 0)
            first -= span;
        else
            last -= span;
    }
    int64_t at = tm_handle_offset(x), a, b;
    return tm_add_size(at, low, &a) && tm_add_size(at, high, &b) && tm_mul_size(a, item, &a) &&
           tm_add_size(b, 1, &b) && tm_mul_size(b, item, &b) && a >= first && b <= last;
}

bool tm_view_fits(const tm_tensor *x, int ndim, const int64_t *shape, const int64_t *strides,
                  int64_t offset)
{
    int64_t low, high;
    if (!reach(ndim, shape, strides, &low, &high))
        return false;
    return high < low || has_no_examples(x) ||
           (tm_add_size(low, offset, &low) && tm_add_size(high, offset, &high) &&
            inside_storage(x, low, high));
}

tm_tensor *tm_strided_view(const tm_tensor *x, int ndim, const int64_t *shape,
                           const int64_t *strides, int64_t offset)
{
    int64_t numel = 0;
    if (tm_handle_check(tm_thread_get(), x, "strided_view", "x") != TM_OK ||
        check_shape("strided_view", (tm_dtype)x->dtype, ndim, shape, &numel) != TM_OK)
        return NULL;
    if (ndim > 0 && !strides) {
        tm_error_null("strided_view", "strides");
        return NULL;
    }
    if (!tm_view_fits(x, ndim, shape, strides, offset)) {
        tm_error_set(TM_ERR_VALUE, "strided_view", "strides",
                     "an element would lie outside the storage");
        return NULL;
    }
    tm_tensor *y = view("strided_view", x, ndim, shape, strides, offset);
    if (y && tm_modes_listen(tm_thread_get())) {
        const tm_event_arg args[] = {
            {"x", TM_TYPE_TENSOR, false, {.tensor = x}},
            {"shape", TM_TYPE_INT_LIST, false, {.ints = {shape, ndim}}},
            {"strides", TM_TYPE_INT_LIST, false, {.ints = {strides, ndim}}},
            {"offset", TM_TYPE_INT, false, {.i = offset}}};
        tm_modes_tell(tm_thread_get(), "strided_view", 4, args, y);
    }
    return y;
}
