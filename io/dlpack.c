/* dlpack.c: handing memory to other libraries and taking theirs, through the DLPack structs.
 *
 * What is handed out holds a reference to the storage, not to the handle: the block must stay, and
 * must stay where it is. So a storage that a mapped write may still move (it was made inside an
 * open level) is refused.
 */
#include <transmute/dlpack.h>

#include "dispatch/handle.h"
#include "sized.h"

static const DLDataType dtypes[TM_NUM_DTYPES] = {
    [TM_BOOL] = {kDLBool, 8, 1},
    [TM_INT8] = {kDLInt, 8, 1},
    [TM_INT16] = {kDLInt, 16, 1},
    [TM_INT32] = {kDLInt, 32, 1},
    [TM_INT64] = {kDLInt, 64, 1},
    [TM_UINT8] = {kDLUInt, 8, 1},
    [TM_UINT16] = {kDLUInt, 16, 1},
    [TM_UINT32] = {kDLUInt, 32, 1},
    [TM_UINT64] = {kDLUInt, 64, 1},
    [TM_FLOAT16] = {kDLFloat, 16, 1},
    [TM_BFLOAT16] = {kDLBfloat, 16, 1},
    [TM_FLOAT32] = {kDLFloat, 32, 1},
    [TM_FLOAT64] = {kDLFloat, 64, 1},
    [TM_COMPLEX64] = {kDLComplex, 64, 1},
    [TM_COMPLEX128] = {kDLComplex, 128, 1},
};

/* -- Export ------------------------------------------------------------------------------------ */

/* What one export allocates: either struct, what it holds, and the shape and strides it points to.
 */
typedef struct export
{
    union {
        DLManagedTensor plain;
        DLManagedTensorVersioned versioned;
    } managed;
    tm_storage *storage;
    int64_t shape[TM_MAX_NDIM], strides[TM_MAX_NDIM];
}
export;

/* Whether the storage may be moved: a mapped write inside one of the thread's levels, those that a
 * kernel does not see included, would promote it. */
static bool may_move(const tm_thread *thread, const tm_storage *storage)
{
    for (int i = 0; i < thread->num_levels; i++) {
        if (tm_storage_inside(storage, thread, thread->levels[i].id)) {
            return true;
        }
    }
    return false;
}

static bool is_read_only(const tm_tensor *x)
{
    return x->read_only || x->storage->read_only;
}

/* Describes x; NULL with the record set. */
static export *export_tensor(const tm_tensor *x, const char *function, DLTensor *dl)
{
    tm_thread *thread = tm_thread_get();
    if (thread == NULL) {
        tm_error_memory(function, (int64_t)sizeof(*thread));
        return NULL;
    }
    if (tm_handle_check(thread, x, function, "x") != TM_OK) {
        return NULL;
    }
    if (tm_handle_mapped(x)) {
        tm_error_set(TM_ERR_VMAP, function, "x",
                     "x is mapped, so it has no memory of its own; export it after tm_vmap_out, "
                     "outside the level");
        return NULL;
    }
    if (may_move(thread, x->storage)) {
        tm_error_set(TM_ERR_VMAP, function, "x",
                     "x was made inside a level that is still open, so its memory may move; export "
                     "it outside the level");
        return NULL;
    }
    export *e = tm_sized_alloc(sizeof(*e));
    if (e == NULL) {
        tm_error_memory(function, (int64_t)sizeof(*e));
        return NULL;
    }
    e->storage = tm_storage_retain(x->storage);
    for (int d = 0; d < x->ndim; d++) {
        e->shape[d] = x->shape[d];
        e->strides[d] = x->strides[d];
    }
    *dl = (DLTensor){.data = tm_handle_numel(x) > 0 ? tm_handle_data(x) : NULL,
                     .device = {.device_type = kDLCPU},
                     .ndim = x->ndim,
                     .dtype = dtypes[x->dtype],
                     .shape = e->shape,
                     .strides = e->strides};
    return e;
}

static void release_export(export *e)
{
    tm_storage_release(e->storage);
    tm_sized_free(e);
}

static void release_plain(DLManagedTensor *managed)
{
    release_export(managed->manager_ctx);
}

static void release_versioned(DLManagedTensorVersioned *managed)
{
    release_export(managed->manager_ctx);
}

DLManagedTensorVersioned *tm_to_dlpack_versioned(const tm_tensor *x)
{
    DLTensor dl;
    export *e = export_tensor(x, "to_dlpack_versioned", &dl);
    if (e == NULL) {
        return NULL;
    }
    e->managed.versioned =
        (DLManagedTensorVersioned){.version = {.major = 1, .minor = 0},
                                   .manager_ctx = e,
                                   .deleter = release_versioned,
                                   .flags = is_read_only(x) ? DLPACK_FLAG_BITMASK_READ_ONLY : 0,
                                   .dl_tensor = dl};
    return &e->managed.versioned;
}

DLManagedTensor *tm_to_dlpack(const tm_tensor *x)
{
    DLTensor dl;
    export *e = export_tensor(x, "to_dlpack", &dl);
    if (e == NULL) {
        return NULL;
    }
    if (is_read_only(x)) {
        release_export(e);
        tm_error_set(TM_ERR_ALIASING, "to_dlpack", "x",
                     "x is read-only, which the older struct cannot say; use "
                     "tm_to_dlpack_versioned");
        return NULL;
    }
    e->managed.plain =
        (DLManagedTensor){.dl_tensor = dl, .manager_ctx = e, .deleter = release_plain};
    return &e->managed.plain;
}

/* -- Import ------------------------------------------------------------------------------------ */

static tm_dtype find_dtype(const char *function, DLDataType wanted)
{
    for (int dtype = TM_BOOL; dtype < TM_NUM_DTYPES && wanted.lanes == 1; dtype++) {
        if (dtypes[dtype].code == wanted.code && dtypes[dtype].bits == wanted.bits) {
            return (tm_dtype)dtype;
        }
    }
    tm_error_set(TM_ERR_DTYPE, function, "managed",
                 "there is no dtype of DLPack code %d, %d bits and %d lanes", wanted.code,
                 wanted.bits, wanted.lanes);
    return TM_DTYPE_NONE;
}

/* Strides that are harmless where they do not count: along axes of size 1. */
static void take_strides(const DLTensor *dl, int64_t strides[TM_MAX_NDIM])
{
    for (int d = 0; d < dl->ndim; d++) {
        strides[d] = dl->shape[d] > 1 ? dl->strides[d] : 1;
    }
}

static tm_tensor *import_tensor(const DLTensor *dl, const char *function,
                                const tm_wrap_options *options)
{
    if (dl->device.device_type != kDLCPU) {
        tm_error_set(TM_ERR_VALUE, function, "managed",
                     "the memory must be the CPU's, device type 1, got %d",
                     (int)dl->device.device_type);
        return NULL;
    }
    tm_dtype dtype = find_dtype(function, dl->dtype);
    if (dtype == TM_DTYPE_NONE) {
        return NULL;
    }
    int64_t numel = 1, strides[TM_MAX_NDIM];
    bool sound = dl->ndim >= 0 && dl->ndim <= TM_MAX_NDIM && (dl->ndim == 0 || dl->shape != NULL);
    for (int d = 0; sound && d < dl->ndim; d++) {
        numel = dl->shape[d] == 0 ? 0 : numel;
    }
    bool strided = sound && dl->strides != NULL && numel > 0;
    if (strided) {
        take_strides(dl, strides);
    }
    char *data = numel > 0 ? dl->data : NULL;
    if (data != NULL && dl->byte_offset > (uint64_t)INTPTR_MAX - (uint64_t)(uintptr_t)data) {
        tm_error_set(TM_ERR_VALUE, function, "managed", "byte_offset %llu reaches beyond memory",
                     (unsigned long long)dl->byte_offset);
        return NULL;
    }
    return tm_handle_wrap(function, dtype, dl->ndim, dl->shape, strided ? strides : NULL,
                          data == NULL ? NULL : data + dl->byte_offset, options);
}

static void delete_plain(void *user)
{
    DLManagedTensor *managed = user;
    if (managed->deleter != NULL) {
        managed->deleter(managed);
    }
}

static void delete_versioned(void *user)
{
    DLManagedTensorVersioned *managed = user;
    if (managed->deleter != NULL) {
        managed->deleter(managed);
    }
}

tm_tensor *tm_from_dlpack_versioned(DLManagedTensorVersioned *managed)
{
    if (managed == NULL) {
        tm_error_null("from_dlpack_versioned", "managed");
        return NULL;
    }
    if (managed->version.major != 1) {
        tm_error_set(TM_ERR_VALUE, "from_dlpack_versioned", "managed",
                     "DLPack's major version must be 1, got %u", (unsigned)managed->version.major);
        return NULL;
    }
    tm_wrap_options options = {.struct_size = sizeof(options),
                               .read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0,
                               .deleter = delete_versioned,
                               .user = managed};
    return import_tensor(&managed->dl_tensor, "from_dlpack_versioned", &options);
}

tm_tensor *tm_from_dlpack(DLManagedTensor *managed)
{
    if (managed == NULL) {
        tm_error_null("from_dlpack", "managed");
        return NULL;
    }
    tm_wrap_options options = {
        .struct_size = sizeof(options), .deleter = delete_plain, .user = managed};
    return import_tensor(&managed->dl_tensor, "from_dlpack", &options);
}
