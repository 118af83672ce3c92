/* layout.c: both DLPack headers in one translation unit, in the order that the build chooses. The
 * first one declares the structs; the second must compile behind it.
 */
#ifdef OFFICIAL_FIRST
#include <dlpack/dlpack.h>
#include <transmute/dlpack.h>
#else
#include <transmute/dlpack.h>

#include <dlpack/dlpack.h>
#endif

#include "layout.h"

const layout LAYOUT = {{sizeof(DLDevice),
                        offsetof(DLDevice, device_type) + 1,
                        offsetof(DLDevice, device_id),
                        sizeof(DLDataType),
                        offsetof(DLDataType, code) + 1,
                        offsetof(DLDataType, bits),
                        offsetof(DLDataType, lanes),
                        sizeof(DLTensor),
                        offsetof(DLTensor, data) + 1,
                        offsetof(DLTensor, device),
                        offsetof(DLTensor, ndim),
                        offsetof(DLTensor, dtype),
                        offsetof(DLTensor, shape),
                        offsetof(DLTensor, strides),
                        offsetof(DLTensor, byte_offset),
                        sizeof(DLManagedTensor),
                        offsetof(DLManagedTensor, dl_tensor) + 1,
                        offsetof(DLManagedTensor, manager_ctx),
                        offsetof(DLManagedTensor, deleter),
                        sizeof(DLManagedTensorVersioned),
                        offsetof(DLManagedTensorVersioned, version) + 1,
                        offsetof(DLManagedTensorVersioned, manager_ctx),
                        offsetof(DLManagedTensorVersioned, deleter),
                        offsetof(DLManagedTensorVersioned, flags),
                        offsetof(DLManagedTensorVersioned, dl_tensor),
                        DLPACK_FLAG_BITMASK_READ_ONLY,
                        kDLCPU,
                        kDLInt + 1,
                        kDLUInt,
                        kDLFloat,
                        kDLBfloat,
                        kDLComplex}};
