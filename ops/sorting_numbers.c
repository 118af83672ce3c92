/* sorting_numbers.c: elements as signed numbers in the order that is asked for, and back. */
#include "sorting_numbers.h"

#include "simd.h"

/* The order of floats is that of their bits, with those of negative ones but the sign turned round.
 * All bits of `flip` are set for a descending order. */
#define FLOAT(bits, type, greatest, infinity)                                                      \
    TM_INLINE bool to_float##bits##_body(type *x, int64_t n, type flip)                            \
    {                                                                                              \
        type special = 0;                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type v = x[i], magnitude = v & (greatest);                                             \
            type number = v < 0 ? v ^ (greatest) : v;                                              \
            number = magnitude > (infinity) ? (greatest) : number;                                 \
            number = v == -(greatest)-1 ? 0 : number;                                              \
            special |= magnitude > (infinity) || v == -(greatest)-1 ? 1 : 0;                       \
            x[i] = number ^ flip;                                                                  \
        }                                                                                          \
        return special != 0;                                                                       \
    }                                                                                              \
    TM_INLINE void from_float##bits##_body(type *x, int64_t n, type flip)                          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type number = x[i] ^ flip;                                                             \
            x[i] = number < 0 ? number ^ (greatest) : number;                                      \
        }                                                                                          \
    }                                                                                              \
    TM_INLINE void flip##bits##_body(type *x, int64_t n, type flip)                                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            x[i] ^= flip;                                                                          \
    }                                                                                              \
    TM_SIMD_FUNCTIONS(bool, to_float##bits, to_float##bits##_body,                                 \
                      (type * x, int64_t n, type flip), (x, n, flip))                              \
    TM_SIMD_VERSIONS(from_float##bits, from_float##bits##_body, (type * x, int64_t n, type flip),  \
                     (x, n, flip))                                                                 \
    TM_SIMD_VERSIONS(flip##bits, flip##bits##_body, (type * x, int64_t n, type flip), (x, n, flip))
FLOAT(32, int32_t, INT32_MAX, 0x7f800000)
FLOAT(64, int64_t, INT64_MAX, 0x7ff0000000000000)

/* Integers: the sign of unsigned ones is turned round, and all bits for a descending order. */
static void flip_integers(tm_dtype dtype, bool descending, void *x, int64_t n)
{
    bool is_unsigned = dtype == TM_UINT32 || dtype == TM_UINT64;
    if (tm_dtype_size(dtype) == sizeof(int32_t))
        flip32(x, n, (is_unsigned ? INT32_MIN : 0) ^ (descending ? -1 : 0));
    else
        flip64(x, n, (is_unsigned ? INT64_MIN : 0) ^ (descending ? -1 : 0));
}

bool tm_to_numbers(tm_dtype dtype, bool descending, void *x, int64_t n)
{
    if (dtype == TM_FLOAT32)
        return to_float32(x, n, descending ? -1 : 0);
    if (dtype == TM_FLOAT64)
        return to_float64(x, n, descending ? -1 : 0);
    flip_integers(dtype, descending, x, n);
    return false;
}

void tm_from_numbers(tm_dtype dtype, bool descending, void *x, int64_t n)
{
    if (dtype == TM_FLOAT32)
        from_float32(x, n, descending ? -1 : 0);
    else if (dtype == TM_FLOAT64)
        from_float64(x, n, descending ? -1 : 0);
    else
        flip_integers(dtype, descending, x, n);
}
