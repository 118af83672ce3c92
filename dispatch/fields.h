/* fields.h: what a handle says, read at once.
 *
 * The public getters check their argument and are a call each, which a kernel of a few elements
 * feels. Metas and kernels of built-in ops are given live handles and may read them this way.
 */
#ifndef TM_DISPATCH_FIELDS_H
#define TM_DISPATCH_FIELDS_H

#include <transmute/tensor.h>

typedef struct tm_fields {
    tm_dtype dtype;
    int ndim;
    int64_t item;                   /**< bytes of an element */
    const int64_t *shape, *strides; /**< strides in elements */
    char *data;                     /**< a kernel's handle: the first element */
} tm_fields;

/** Reads x, which is a live handle; `data` is unset where it is not a kernel's. */
void tm_fields_of(const tm_tensor *x, tm_fields *fields);

/** Bytes along an axis; 0 where there is no next element: the stride may be any number then. */
static inline int64_t tm_fields_step(const tm_fields *x, int axis)
{
    return x->shape[axis] > 1 ? x->strides[axis] * x->item : 0;
}

#endif
