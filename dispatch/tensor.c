/* tensor.c: the public functions that read handles. */
#include <assert.h>
#include <string.h>

#include "fields.h"
#include "handle.h"
#include "scope.h"

/* Getters cost a few instructions where all is well; the record is set on the other path. */
static bool readable(const tm_tensor *x, const char *function)
{
    if (__builtin_expect(x && x != TM_NONE && tm_handle_live(x), 1))
        return true;
    tm_handle_check(NULL, x, function, "x");
    return false;
}

int tm_ndim(const tm_tensor *x)
{
    return readable(x, "ndim") ? x->ndim : -1;
}

const int64_t *tm_shape(const tm_tensor *x)
{
    return readable(x, "shape") ? x->shape : NULL;
}

const int64_t *tm_strides(const tm_tensor *x)
{
    return readable(x, "strides") ? x->strides : NULL;
}

int64_t tm_size(const tm_tensor *x, int64_t axis)
{
    if (!readable(x, "size"))
        return -1;
    int64_t at = axis < 0 ? axis + x->ndim : axis;
    if (at >= 0 && at < x->ndim)
        return x->shape[at];
    tm_error_set(TM_ERR_DIM, "size", "axis", "axis %lld is out of range for %d dimensions",
                 (long long)axis, x->ndim);
    return -1;
}

void tm_fields_of(const tm_tensor *x, tm_fields *fields)
{
    fields->dtype = (tm_dtype)x->dtype;
    fields->ndim = x->ndim;
    fields->item = tm_item_size(x->dtype);
    fields->shape = x->shape;
    fields->strides = x->strides;
    fields->data = x->data;
}

int64_t tm_numel(const tm_tensor *x)
{
    return readable(x, "numel") ? tm_handle_numel(x) : -1;
}

tm_dtype tm_dtype_of(const tm_tensor *x)
{
    return readable(x, "dtype_of") ? (tm_dtype)x->dtype : TM_DTYPE_NONE;
}

bool tm_is_contiguous(const tm_tensor *x)
{
    if (!readable(x, "is_contiguous"))
        return false;
    if (tm_handle_numel(x) == 0)
        return true;
    int64_t step = 1;
    for (int d = x->ndim; d-- > 0;) {
        if (x->shape[d] != 1 && x->strides[d] != step)
            return false;
        step *= x->shape[d];
    }
    return true;
}

int tm_num_levels(const tm_tensor *x)
{
    if (!readable(x, "num_levels"))
        return -1;
    tm_batch_entry entries[TM_MAX_LEVELS];
    return tm_handle_entries(x, entries);
}

uint64_t tm_level_at(const tm_tensor *x, int i, int64_t *size)
{
    if (!readable(x, "level_at"))
        return 0;
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_entries(x, entries);
    if (i < 0 || i >= n) {
        tm_error_set(TM_ERR_USAGE, "level_at", "i", "i must be in 0..%d, got %d", n - 1, i);
        return 0;
    }
    if (size)
        *size = entries[i].size;
    return entries[i].level;
}

static bool host_readable(const tm_tensor *x, const char *function)
{
    if (tm_handle_check(tm_thread_get(), x, function, "x") != TM_OK)
        return false;
    assert(x); /* the check lets no NULL pass */
    if (!tm_handle_mapped(x))
        return true;
    tm_error_set(TM_ERR_VMAP, function, "x",
                 "x is mapped, so it has no single host value; read it after tm_vmap_out, outside "
                 "the level");
    return false;
}

const void *tm_data(const tm_tensor *x)
{
    if (__builtin_expect(x && x->plain && x != TM_NONE, 1)) /* a kernel's handle */
        return x->data;
    return host_readable(x, "data") ? tm_handle_data(x) : NULL;
}

void *tm_mutable_data(tm_tensor *x)
{
    if (__builtin_expect(x && x->plain && x != TM_NONE && !x->read_only, 1))
        return x->data;
    if (!host_readable(x, "mutable_data"))
        return NULL;
    if (x->read_only || x->storage->read_only) {
        tm_error_set(TM_ERR_ALIASING, "mutable_data", "x", "x must be writable, it is read-only");
        return NULL;
    }
    return tm_handle_data(x);
}
