/* types.h: dtypes, scalars and lists, the C types of an op's parameters. */
#ifndef TRANSMUTE_TYPES_H
#define TRANSMUTE_TYPES_H

#include <transmute/base.h>

TM_BEGIN

/** Element types. The values are part of the ABI. */
typedef enum tm_dtype {
    TM_DTYPE_NONE = 0, /**< absent (an optional dtype), never the dtype of a tensor */
    TM_BOOL = 1,       /**< one byte, 0 or 1 */
    TM_INT8 = 2,
    TM_INT16 = 3,
    TM_INT32 = 4,
    TM_INT64 = 5,
    TM_UINT8 = 6,
    TM_UINT16 = 7,
    TM_UINT32 = 8,
    TM_UINT64 = 9,
    TM_FLOAT16 = 10,
    TM_BFLOAT16 = 11,
    TM_FLOAT32 = 12,
    TM_FLOAT64 = 13,
    TM_COMPLEX64 = 14,
    TM_COMPLEX128 = 15
} tm_dtype;

#define TM_NUM_DTYPES 16

/** Kinds of dtype, from narrow to wide: promotion never goes down this list. */
typedef enum tm_kind {
    TM_KIND_NONE = 0,
    TM_KIND_BOOL = 1,
    TM_KIND_INT = 2, /**< signed and unsigned integers */
    TM_KIND_FLOAT = 3,
    TM_KIND_COMPLEX = 4
} tm_kind;

/** Bytes of one element; 0 for TM_DTYPE_NONE and for values that are no dtype. */
TM_API size_t tm_dtype_size(tm_dtype dtype);
/** The dtype's name ("float32"), or "none". The string is static. */
TM_API const char *tm_dtype_name(tm_dtype dtype);
/** The dtype of that name, or TM_DTYPE_NONE. */
TM_API tm_dtype tm_dtype_from_name(const char *name);
/** The dtype's kind, TM_KIND_NONE for values that are no dtype. */
TM_API tm_kind tm_dtype_kind(tm_dtype dtype);
/** The dtype two tensors are computed in (docs/design.md has the table), or TM_DTYPE_NONE where
 *  either is no dtype. Commutative. */
TM_API tm_dtype tm_promote(tm_dtype a, tm_dtype b);
/** The dtype that a Scalar of that kind makes of a tensor's dtype (TM_DTYPE_NONE: of no tensor):
 * the same unless the kind is wider; TM_DTYPE_NONE where dtype is none there is. */
TM_API tm_dtype tm_promote_scalar(tm_dtype dtype, tm_kind kind);

/** A number given by the caller, weak in promotion: it changes a tensor's dtype only where its
 *  kind is wider than the tensor's. */
typedef struct tm_scalar {
    tm_kind kind; /**< which member holds the value; TM_KIND_NONE: a failed call's value */
    union {
        bool b;
        int64_t i;
        double f;
        struct {
            double re, im;
        } c;
    } value;
} tm_scalar;

TM_API tm_scalar tm_scalar_bool(bool value);
TM_API tm_scalar tm_scalar_int(int64_t value);
TM_API tm_scalar tm_scalar_float(double value);
TM_API tm_scalar tm_scalar_complex(double re, double im);
/** The scalar's value as a double (the real part of a complex one); NaN for a failed call's. */
TM_API double tm_scalar_as_float(tm_scalar scalar);

/** A list of integers (axes, a shape). The callee does not keep the pointer. */
typedef struct tm_int_list {
    const int64_t *data;
    int64_t count;
} tm_int_list;

/** A list of tensors. As an argument: the callee does not keep the pointer. As a result: every
 *  handle is owned like any other result (by the innermost scope, else by the caller), the array
 *  belongs to the list's first tensor and is freed with that handle; an empty list is {NULL, 0}, a
 *  failed call's {NULL, -1}, which as an argument is like NULL. */
typedef struct tm_tensor_list {
    const tm_tensor *const *data;
    int64_t count;
} tm_tensor_list;

/** The outputs of an op that returns a list, as its kernel is given them: handles to write through,
 *  or in a composite places, unset, for the tensors it returns. */
typedef struct tm_out_list {
    tm_tensor **data;
    int64_t count;
} tm_out_list;

#ifndef __cplusplus
/** A list of integers written in place: tm_zeros(TM_INTS(2, 3), TM_FLOAT32). */
#define TM_INTS(...)                                                                               \
    ((tm_int_list){(const int64_t[]){__VA_ARGS__},                                                 \
                   (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))})
/** A list of tensors written in place: tm_concat(TM_TENSORS(a, b), 0). */
#define TM_TENSORS(...)                                                                            \
    ((tm_tensor_list){                                                                             \
        (const tm_tensor *const[]){__VA_ARGS__},                                                   \
        (int64_t)(sizeof((const tm_tensor *const[]){__VA_ARGS__}) / sizeof(const tm_tensor *))})
/** A pointer to an optional value written in place: TM_SOME(tm_int_list, TM_INTS(0, 1)). */
#define TM_SOME(type, ...) ((const type[1]){__VA_ARGS__})
#endif
/** The empty list of integers: the shape of a 0-D tensor. */
TM_API extern const tm_int_list tm_no_ints;

TM_END
#endif
