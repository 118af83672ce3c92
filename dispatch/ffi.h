/* ffi.h: calling C functions of a type known only at run time. */
#ifndef TM_DISPATCH_FFI_H
#define TM_DISPATCH_FFI_H

#include "registry.h"

typedef struct tm_ffi tm_ffi;

/** What a function is called with besides the call and the inputs. */
typedef enum tm_ffi_outputs {
    TM_FFI_NO_OUTPUTS = 0,   /**< a meta */
    TM_FFI_HANDLES = 1,      /**< a kernel: tm_tensor * for each new output */
    TM_FFI_HANDLE_PLACES = 2 /**< a composite: tm_tensor ** for each new output */
} tm_ffi_outputs;

/** Prepares calls of functions with the C type that the schema and contract give. NULL with the
 *  thread's record set. */
tm_ffi *tm_ffi_prepare(const tm_schema *schema, tm_ffi_outputs outputs);
void tm_ffi_free(tm_ffi *ffi);

/** Calls kernel->fn through kernel->ffi. */
tm_status tm_ffi_thunk(tm_call *call, const tm_kernel *kernel);

#endif
