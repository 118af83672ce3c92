/* handle.h: what a tm_tensor is made of.
 *
 * A handle is one allocation: the struct, its shape and strides, its batch entries. Shape and
 * strides are logical; entries are in order of level id, strides in elements. How far apart two
 * examples lie at a level is the sum of the handle's entry and its storage's (tm_handle_entries).
 *
 * A kernel's handle is a struct on the dispatcher's C stack: `data` points at one example, entries
 * are none, and the storage's entries do not count. It ends with the kernel's call.
 */
#ifndef TM_DISPATCH_HANDLE_H
#define TM_DISPATCH_HANDLE_H

#include <transmute/tensor.h>

#include "memory.h"
#include "storage.h"

#define TM_MAGIC_LIVE 0x746d4c56u
#define TM_MAGIC_DEAD 0x746d4444u

struct tm_tensor {
    uint32_t magic;
    _Atomic int32_t refs;
    uint8_t dtype;
    uint8_t ndim;
    uint8_t num_entries;
    bool plain;      /**< a kernel's handle */
    bool read_only;  /**< a kernel's handle on an argument its schema does not write */
    bool embedded;   /**< lies in its storage's allocation */
    bool row_major;  /**< known to be contiguous; false says nothing */
    bool heads_list; /**< the first of a list that was returned: it owns the array */
    tm_storage *storage;
    int64_t offset; /**< in elements, from the storage's data to the first logical element */
    union {
        char *data;                 /**< a kernel's handle: the first logical element */
        struct tm_list_array *list; /**< heads_list: what goes with the handle */
    };
    const int64_t *shape, *strides;
    tm_batch_entry *entries;
    tm_scope *scope; /**< the scope that owns one reference, or NULL */
    tm_tensor *scope_next, *scope_prev;
    /* Shape, strides and entries follow. */
};

/** The array of a list that was returned. */
typedef struct tm_list_array {
    struct tm_list_array
        *next; /**< of a list that was returned before with the same first handle */
    size_t size;
    const tm_tensor *items[];
} tm_list_array;

static inline size_t tm_handle_size(int ndim, int num_entries)
{
    return sizeof(tm_tensor) + 2 * (size_t)ndim * sizeof(int64_t) +
           (size_t)num_entries * sizeof(tm_batch_entry);
}

static inline void tm_count_tensor(tm_thread *thread, int64_t amount)
{
    _Atomic int64_t *live = &thread->counters.live_tensors;
    atomic_store_explicit(live, atomic_load_explicit(live, memory_order_relaxed) + amount,
                          memory_order_relaxed);
}

static inline int64_t *tm_handle_shape(tm_tensor *x)
{
    return (int64_t *)(x + 1);
}
static inline int64_t *tm_handle_strides(tm_tensor *x)
{
    return (int64_t *)(x + 1) + x->ndim;
}

/** Sets every field of a handle but what follows it; `storage` is the caller's reference. */
static inline void tm_handle_init(tm_tensor *x, tm_storage *storage, tm_dtype dtype, int ndim,
                                  int num_entries)
{
    x->magic = TM_MAGIC_LIVE;
    atomic_init(&x->refs, 1);
    x->dtype = (uint8_t)dtype;
    x->ndim = (uint8_t)ndim;
    x->num_entries = (uint8_t)num_entries;
    x->plain = x->read_only = x->embedded = x->row_major = x->heads_list = false;
    x->storage = storage;
    x->offset = 0;
    x->data = NULL;
    x->shape = tm_handle_shape(x);
    x->strides = tm_handle_strides(x);
    x->entries = (tm_batch_entry *)(tm_handle_shape(x) + 2 * ndim);
    x->scope = NULL;
}

/** A handle with room for shape, strides and entries, which the caller fills through the three
 *  writable pointers; takes over the caller's reference to `storage` (also on failure, when it
 *  returns NULL without a record). One reference, no scope. */
static inline tm_tensor *tm_handle_new(tm_thread *thread, tm_storage *storage, tm_dtype dtype,
                                       int ndim, int num_entries)
{
    tm_tensor *x = storage ? tm_alloc(tm_handle_size(ndim, num_entries)) : NULL;
    if (__builtin_expect(!x, 0)) {
        if (storage)
            tm_storage_release(storage);
        return NULL;
    }
    tm_handle_init(x, storage, dtype, ndim, num_entries);
    tm_count_tensor(thread, 1);
    return x;
}

/** A handle on new storage of its own: `bytes` with room for `num_entries` storage entries, none of
 *  the handle's. Shape is copied, strides are row-major. One reference, no scope; NULL on lack of
 *  memory, without a record. */
tm_tensor *tm_handle_new_storage(tm_thread *thread, tm_dtype dtype, int ndim, const int64_t *shape,
                                 int64_t bytes, int num_entries);

/** Frees a handle whose last reference is gone, and unlinks it from its scope. */
void tm_handle_free(tm_tensor *x);

/** Fills strides, in elements, of a row-major layout. */
static inline void tm_row_major(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    for (int d = ndim; d-- > 0;) {
        strides[d] = step;
        step *= shape[d] > 0 ? shape[d] : 1;
    }
}

/** Number of logical elements. Shapes are checked when they are made: the product fits. */
static inline int64_t tm_handle_numel(const tm_tensor *x)
{
    int64_t count = 1;
    for (int d = 0; d < x->ndim; d++)
        count *= x->shape[d];
    return count;
}

/** The storage that a view of x stands on, with a reference: x's own, or a plain record where x is
 *  a kernel's handle on a replicated storage. NULL on lack of memory. */
tm_storage *tm_handle_storage_for_view(tm_thread *thread, const tm_tensor *x);
/** x's offset in elements from its storage's data. */
int64_t tm_handle_offset(const tm_tensor *x);

/** Whether x has or may have an entry at any level. */
static inline bool tm_handle_mapped(const tm_tensor *x)
{
    return !x->plain && (x->num_entries | x->storage->num_entries);
}
/** x's levels, outermost first: sizes, and strides in bytes, the handle's and the storage's entries
 *  added up. Returns how many. */
int tm_handle_entries(const tm_tensor *x, tm_batch_entry entries[TM_MAX_LEVELS]);

/** Bytes from one element to the next along dimension d; 0 where there is no next one, since the
 *  stride of such a dimension may be any number. */
static inline int64_t tm_handle_step(const tm_tensor *x, int d)
{
    return x->shape[d] < 2 ? 0 : x->strides[d] * tm_item_size(x->dtype);
}

/** Where the first logical element of the first example lies. */
static inline char *tm_handle_data(const tm_tensor *x)
{
    return x->plain ? x->data : x->storage->root->data + x->offset * tm_item_size(x->dtype);
}

/** A new view of x: same storage, dtype and entries; shape and strides given, offset in elements
 *  from x's first. One reference, no scope; NULL on lack of memory, without a record. */
tm_tensor *tm_handle_view(tm_thread *thread, const tm_tensor *x, int ndim, const int64_t *shape,
                          const int64_t *strides, int64_t offset);

/** A view's handle on a given storage, whose reference it takes over (also on failure), at `offset`
 *  from the storage's data. */
static inline tm_tensor *tm_handle_view_at(tm_thread *thread, tm_storage *storage,
                                           const tm_tensor *x, int64_t offset, int ndim,
                                           const int64_t *shape, const int64_t *strides)
{
    tm_tensor *view = tm_handle_new(thread, storage, (tm_dtype)x->dtype, ndim, x->num_entries);
    if (!view)
        return NULL;
    view->offset = offset;
    int64_t *to_shape = tm_handle_shape(view), *to_strides = tm_handle_strides(view);
    for (int d = 0; d < ndim; d++) {
        to_shape[d] = shape[d];
        to_strides[d] = strides[d];
    }
    for (int i = 0; i < x->num_entries; i++) /* a kernel's handle has none */
        view->entries[i] = x->entries[i];
    return view;
}
/** The same on a given record over x's block, whose reference it takes over (also on failure). */
tm_tensor *tm_handle_view_on(tm_thread *thread, tm_storage *storage, const tm_tensor *x, int ndim,
                             const int64_t *shape, const int64_t *strides, int64_t offset);

/** Whether every element of such a view of x, for every example, lies in x's storage. */
bool tm_view_fits(const tm_tensor *x, int ndim, const int64_t *shape, const int64_t *strides,
                  int64_t offset);

/** Makes 0 of strides that count for nothing, in a view of x that fits: those that would not fit in
 *  bytes, and, where there are no elements, those that would lead loops over the other axes out of
 *  the storage, and the offset. */
void tm_tame_view(const tm_tensor *x, int ndim, const int64_t *shape, int64_t *strides,
                  int64_t *offset);

/** Whether a public function may use x: sets the error record and returns its code where x is NULL,
 *  TM_NONE, released (debug builds) or carries a level that is not open here. */
tm_status tm_handle_check(tm_thread *thread, const tm_tensor *x, const char *function,
                          const char *argument);
/** Whether every level of a list, which is in order of id, is visible in this thread. */
static inline bool tm_levels_open(const tm_thread *thread, const tm_batch_entry *entries, int n)
{
    int level = thread->num_levels;
    while (n-- > 0) { /* from the innermost on, where most entries are */
        do {
            if (level == thread->level_base)
                return false;
        } while (thread->levels[--level].id != entries[n].level);
    }
    return true;
}
/** Whether one of x's levels is not visible in this thread. */
static inline bool tm_handle_escaped(const tm_thread *thread, const tm_tensor *x)
{
    return !x->plain && (!tm_levels_open(thread, x->entries, x->num_entries) ||
                         !tm_levels_open(thread, x->storage->entries, x->storage->num_entries));
}
/** Whether x is a live handle; only debug builds can tell. */
static inline bool tm_handle_live(const tm_tensor *x)
{
    return x->magic == TM_MAGIC_LIVE;
}

/** tm_wrap for a function of another name. */
tm_tensor *tm_handle_wrap(const char *function, tm_dtype dtype, int ndim, const int64_t *shape,
                          const int64_t *strides, void *data, const tm_wrap_options *options);

/** Numel of a shape, checked: false where a size is negative or the bytes do not fit. */
bool tm_shape_numel(tm_dtype dtype, int64_t ndim, const int64_t *shape, int64_t *numel);

#endif
