/* tensor.h: handles on storage, and the scopes that own them.
 *
 * A tm_tensor is a small reference-counted handle. Its shape and strides are always logical: what
 * one example sees. Batch dimensions live beside them, in a list that nothing here shows by
 * mistake. Every handle a function returns belongs to the innermost open scope of the thread,
 * which releases it when it is popped; with no scope open, to the caller.
 */
#ifndef TRANSMUTE_TENSOR_H
#define TRANSMUTE_TENSOR_H

#include <transmute/error.h>
#include <transmute/types.h>

TM_BEGIN

/** The absent optional tensor: pass it where a schema says `Tensor?`. */
TM_API extern const tm_tensor *const tm_none;
#define TM_NONE (tm_none)

/* -- Reading a handle ------------------------------------------------------------------------ */

/** Number of logical dimensions; -1 for NULL and TM_NONE. */
TM_API int tm_ndim(const tm_tensor *x);
/** The logical shape, tm_ndim(x) sizes, owned by the handle; NULL for NULL. */
TM_API const int64_t *tm_shape(const tm_tensor *x);
/** The logical strides in elements, signed, owned by the handle; NULL for NULL. A result made under
 *  vmap is row-major as one example's would be, but may have the batch inside, so that all its
 *  strides are multiples of a batch size. */
TM_API const int64_t *tm_strides(const tm_tensor *x);
/** The size of one axis (negative counts from the end); -1 for NULL or an axis out of range. */
TM_API int64_t tm_size(const tm_tensor *x, int64_t axis);
/** Number of logical elements; -1 for NULL. */
TM_API int64_t tm_numel(const tm_tensor *x);
/** The element type; TM_DTYPE_NONE for NULL. */
TM_API tm_dtype tm_dtype_of(const tm_tensor *x);
/** Whether logical elements lie row-major without gaps, which is independent of any batch
 *  dimension; false for NULL. */
TM_API bool tm_is_contiguous(const tm_tensor *x);
/** At how many levels the tensor is mapped, ended ones included; -1 for NULL. */
TM_API int tm_num_levels(const tm_tensor *x);
/** The id of the i-th level the tensor is mapped at, outermost first, and that level's size; 0
 *  for NULL or i out of range. `size` may be NULL. */
TM_API uint64_t tm_level_at(const tm_tensor *x, int i, int64_t *size);

/** The first logical element. NULL with TM_ERR_VMAP where x is mapped (the pointer would be one
 *  example's), with TM_ERR_ESCAPED where its level has ended, for NULL as an op would. */
TM_API const void *tm_data(const tm_tensor *x);
/** The same for writing; NULL with TM_ERR_ALIASING where the memory is read-only. */
TM_API void *tm_mutable_data(tm_tensor *x);

/* -- Making tensors -------------------------------------------------------------------------- */

/** A new tensor with unset elements, row-major, 64-byte aligned. Shape: ndim sizes >= 0. */
TM_API tm_tensor *tm_new(tm_dtype dtype, int ndim, const int64_t *shape);
/** A new tensor with a copy of row-major `data`. */
TM_API tm_tensor *tm_from_data(tm_dtype dtype, int ndim, const int64_t *shape, const void *data);

/** How caller's memory is wrapped. */
typedef struct tm_wrap_options {
    size_t struct_size;          /**< sizeof(tm_wrap_options); docs/abi.md */
    bool read_only;              /**< writing through the tensor is an error */
    void (*deleter)(void *user); /**< called once, when the last handle is gone; may be NULL */
    void *user;
} tm_wrap_options;

/** A tensor over the caller's memory, no copy. `strides` in elements, NULL for row-major; they may
 *  be negative, `data` being the first logical element, aligned as C aligns the dtype. On failure
 *  the deleter is not called. */
TM_API tm_tensor *tm_wrap(tm_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                          void *data, const tm_wrap_options *options);

/** A second handle on the same storage, shape and levels. */
TM_API tm_tensor *tm_alias(const tm_tensor *x);
/** A handle on the same storage with any logical shape and strides; `offset`, in elements, counts
 *  from x's first element. Both count elements of memory: under vmap work them out from
 *  tm_strides(x). TM_ERR_VALUE where an element would lie outside the storage. */
TM_API tm_tensor *tm_strided_view(const tm_tensor *x, int ndim, const int64_t *shape,
                                  const int64_t *strides, int64_t offset);

/* -- Ownership ------------------------------------------------------------------------------- */

/** Adds a reference and returns x; the caller owes a tm_release. NULL yields NULL. */
TM_API tm_tensor *tm_retain(const tm_tensor *x);
/** Gives a reference back. NULL and TM_NONE: a no-op. */
TM_API void tm_release(const tm_tensor *x);

/** Opens a scope: it owns the handles returned from here on. NULL on lack of memory. */
TM_API tm_scope *tm_scope_push(void);
/** Releases the scope's handles and closes it. TM_ERR_USAGE, and nothing is popped, where it is
 *  not the innermost or was opened before the running mapped function. */
TM_API tm_status tm_scope_pop(tm_scope *scope);
/** Moves a handle from its scope to the parent scope (the caller, where there is none); returns
 *  it. NULL yields NULL. */
TM_API tm_tensor *tm_keep(tm_tensor *x);

TM_END
#endif
