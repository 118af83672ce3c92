/* handle.c: handles: making, freeing, checking, and the views that share their storage. */
#include "handle.h"

#include <string.h>

#include "memory.h"
#include "quarantine.h"
#include "scope.h"

static const tm_tensor none = {.magic = TM_MAGIC_LIVE, .plain = true};
const tm_tensor *const tm_none = &none;

tm_tensor *tm_handle_new_storage(tm_thread *thread, tm_dtype dtype, int ndim, const int64_t *shape,
                                 int64_t bytes, int num_entries)
{
#ifdef TM_DEBUG /* the quarantine needs handles that outlive their storage */
    tm_storage *storage = tm_storage_new(thread, bytes, num_entries, 0);
    tm_tensor *x = tm_handle_new(thread, storage, dtype, ndim, 0);
    if (!x)
        return NULL;
#else
    tm_storage *storage = tm_storage_new(thread, bytes, num_entries, tm_handle_size(ndim, 0));
    if (!storage)
        return NULL;
    tm_tensor *x = (tm_tensor *)(storage->entries + num_entries);
    tm_handle_init(x, storage, dtype, ndim, 0);
    x->embedded = true;
    tm_count_tensor(thread, 1);
#endif
    x->row_major = true;
    int64_t *to = tm_handle_shape(x);
    for (int d = 0; d < ndim; d++)
        to[d] = shape[d];
    tm_row_major(ndim, shape, tm_handle_strides(x));
    return x;
}

TM_OUT_OF_LINE static void free_lists(tm_list_array *array)
{
    while (array) {
        tm_list_array *next = array->next;
        tm_free(array, array->size);
        array = next;
    }
}

void tm_handle_free(tm_tensor *x)
{
    if (__builtin_expect(x->heads_list, 0))
        free_lists(x->list);
    tm_thread *thread = tm_thread_get();
    tm_scope_forget(x);
    tm_storage *storage = x->storage;
    x->magic = TM_MAGIC_DEAD;
    if (!x->embedded)
        tm_quarantine(x, tm_handle_size(x->ndim, x->num_entries));
    if (thread)
        tm_count_tensor(thread, -1);
    tm_storage_release(storage);
}

bool tm_shape_numel(tm_dtype dtype, int64_t ndim, const int64_t *shape, int64_t *numel)
{
    /* Sizes of 0 must not hide an overflow: a view could bring the others back. */
    int64_t count = 1, product = (int64_t)tm_dtype_size(dtype);
    for (int64_t d = 0; d < ndim; d++) {
        if (shape[d] < 0 || !tm_mul_size(product, shape[d] ? shape[d] : 1, &product))
            return false;
        count *= shape[d];
    }
    *numel = count;
    return product <= PTRDIFF_MAX / 2;
}

int64_t tm_handle_offset(const tm_tensor *x)
{
    if (!x->plain)
        return x->offset;
    return (x->data - x->storage->root->data) / tm_item_size(x->dtype);
}

tm_storage *tm_handle_storage_for_view(tm_thread *thread, const tm_tensor *x)
{
    if (x->plain && x->storage->num_entries)
        return tm_storage_derive(thread, x->storage, 0);
    return tm_storage_retain(x->storage);
}

int tm_handle_entries(const tm_tensor *x, tm_batch_entry entries[TM_MAX_LEVELS])
{
    if (x->plain)
        return 0;
    const tm_storage *storage = x->storage;
    int64_t item = tm_item_size(x->dtype);
    int num_own = x->num_entries, num_its = storage->num_entries, n = 0, h = 0, s = 0;
    while (h < num_own && s < num_its) {
        const tm_batch_entry *own = &x->entries[h], *its = &storage->entries[s];
        if (own->level < its->level) {
            entries[n++] = (tm_batch_entry){own->level, own->size, own->stride * item};
            h++;
        } else if (its->level < own->level) {
            entries[n++] = *its;
            s++;
        } else {
            entries[n++] =
                (tm_batch_entry){its->level, its->size, own->stride * item + its->stride};
            h++;
            s++;
        }
    }
    for (; h < num_own; h++)
        entries[n++] =
            (tm_batch_entry){x->entries[h].level, x->entries[h].size, x->entries[h].stride * item};
    for (; s < num_its; s++)
        entries[n++] = storage->entries[s];
    return n;
}

tm_tensor *tm_handle_view(tm_thread *thread, const tm_tensor *x, int ndim, const int64_t *shape,
                          const int64_t *strides, int64_t offset)
{
    return tm_handle_view_on(thread, tm_handle_storage_for_view(thread, x), x, ndim, shape, strides,
                             offset);
}

tm_tensor *tm_handle_view_on(tm_thread *thread, tm_storage *storage, const tm_tensor *x, int ndim,
                             const int64_t *shape, const int64_t *strides, int64_t offset)
{
    return tm_handle_view_at(thread, storage, x, tm_handle_offset(x) + offset, ndim, shape,
                             strides);
}

tm_status tm_handle_check(tm_thread *thread, const tm_tensor *x, const char *function,
                          const char *argument)
{
    if (!x)
        return tm_error_null(function, argument);
    if (x == TM_NONE)
        return tm_error_set(TM_ERR_USAGE, function, argument, "%s must be a tensor, got TM_NONE",
                            argument);
    if (!tm_handle_live(x))
        return tm_error_set(TM_ERR_USAGE, function, argument, "%s has been released", argument);
    if (thread && tm_handle_escaped(thread, x))
        return tm_error_set(TM_ERR_ESCAPED, function, argument,
                            "%s belongs to a vmap level that has ended or is another thread's",
                            argument);
    return TM_OK;
}
