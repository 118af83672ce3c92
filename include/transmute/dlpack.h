/* dlpack.h: tensors shared with other libraries, without a copy, through the DLPack structs.
 *
 * The structs are those of DLPack 1.0 (https://dmlc.github.io/dlpack/latest/c_api.html), declared
 * here so that no other package is needed. The official dlpack.h can be included before or after;
 * whichever comes first declares them. This header is not part of transmute.h, because its names
 * are another library's.
 */
#ifndef TRANSMUTE_DLPACK_H
#define TRANSMUTE_DLPACK_H

#include <transmute/tensor.h>

TM_BEGIN

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_ /* the official header's guard */
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0

/** Where memory lies; transmute takes and gives kDLCPU alone. */
typedef enum DLDeviceType {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16
} DLDeviceType;

typedef struct DLDevice {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

/** The kind of an element. */
typedef enum DLDataTypeCode {
    kDLInt = 0U,
    kDLUInt = 1U,
    kDLFloat = 2U,
    kDLOpaqueHandle = 3U,
    kDLBfloat = 4U,
    kDLComplex = 5U,
    kDLBool = 6U
} DLDataTypeCode;

typedef struct DLDataType {
    uint8_t code; /**< a DLDataTypeCode */
    uint8_t bits; /**< of one element */
    uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;     /**< in elements; NULL: row-major */
    uint64_t byte_offset; /**< from data to the first element */
} DLTensor;

/** A tensor and the function that gives it back. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
#endif

#ifndef DLPACK_FLAG_BITMASK_READ_ONLY /* the official header before 1.0 has none of this */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

typedef struct DLPackVersion {
    uint32_t major; /**< another one: another layout of what follows */
    uint32_t minor;
} DLPackVersion;

/** The same with a version and flags. */
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

/** Shares x's memory: the struct holds it until its deleter is called, from any thread. Strides are
 *  never NULL; the read-only flag is set where x cannot be written; data is NULL where x has no
 *  elements. NULL with TM_ERR_VMAP where x is mapped, or was made inside a level that is still
 *  open, where a mapped write may move it; with TM_ERR_ESCAPED as tm_data. */
TM_API struct DLManagedTensorVersioned *tm_to_dlpack_versioned(const tm_tensor *x);
/** The same as the older struct, which has no flags: TM_ERR_ALIASING where x is read-only. */
TM_API struct DLManagedTensor *tm_to_dlpack(const tm_tensor *x);

/** A tensor over another library's memory, without a copy. Takes the struct over: its deleter is
 *  called once, when the last handle is gone. The read-only flag makes a read-only tensor. On
 *  failure the struct stays the caller's and its deleter is not called: TM_ERR_VALUE for another
 *  major version, for memory that is not the CPU's, misaligned or NULL, or strides that overflow;
 *  TM_ERR_DTYPE, TM_ERR_RANK and TM_ERR_SHAPE for what transmute does not have. The bytes of
 *  booleans must be 0 or 1. */
TM_API tm_tensor *tm_from_dlpack_versioned(struct DLManagedTensorVersioned *managed);
/** The same from the older struct. */
TM_API tm_tensor *tm_from_dlpack(struct DLManagedTensor *managed);

TM_END
#endif
