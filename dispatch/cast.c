/* cast.c: element conversions, one small loop per pair of dtypes. */
#include "cast.h"

#include <string.h>

#include "half.h"
#include "items.h"

typedef uint8_t bool8;
typedef struct complex64 {
    float re, im;
} complex64;
typedef struct complex128 {
    double re, im;
} complex128;

/* One X(name, stored, load) per real dtype: `load` makes the number of a stored element. */
#define AS_IT_IS(v) (v)
#define REALS(X)                                                                                   \
    X(BOOL, bool8, AS_IT_IS)                                                                       \
    X(INT8, int8_t, AS_IT_IS)                                                                      \
    X(INT16, int16_t, AS_IT_IS)                                                                    \
    X(INT32, int32_t, AS_IT_IS)                                                                    \
    X(INT64, int64_t, AS_IT_IS)                                                                    \
    X(UINT8, uint8_t, AS_IT_IS)                                                                    \
    X(UINT16, uint16_t, AS_IT_IS)                                                                  \
    X(UINT32, uint32_t, AS_IT_IS)                                                                  \
    X(UINT64, uint64_t, AS_IT_IS)                                                                  \
    X(FLOAT16, tm_float16, tm_float_from_float16)                                                  \
    X(BFLOAT16, tm_bfloat16, tm_float_from_bfloat16)                                               \
    X(FLOAT32, float, AS_IT_IS)                                                                    \
    X(FLOAT64, double, AS_IT_IS)
#define COMPLEXES(X)                                                                               \
    X(COMPLEX64, complex64, float)                                                                 \
    X(COMPLEX128, complex128, double)

/* Float to integer: NaN becomes 0, values beyond the range its ends. INT64_MAX rounds up to
 * 2^63 as a double, which is the first value beyond the range, so >= is right for it too. */
#define SATURATE(type, low, high)                                                                  \
    static inline type saturate_##type(double v)                                                   \
    {                                                                                              \
        if (!(v == v))                                                                             \
            return 0;                                                                              \
        if (v <= (double)(low))                                                                    \
            return low;                                                                            \
        if (v >= (double)(high))                                                                   \
            return high;                                                                           \
        return (type)v;                                                                            \
    }                                                                                              \
    static inline type cut_signed_##type(int64_t v)                                                \
    {                                                                                              \
        return (type)v;                                                                            \
    }                                                                                              \
    static inline type cut_unsigned_##type(uint64_t v)                                             \
    {                                                                                              \
        return (type)v;                                                                            \
    }
SATURATE(int8_t, INT8_MIN, INT8_MAX)
SATURATE(int16_t, INT16_MIN, INT16_MAX)
SATURATE(int32_t, INT32_MIN, INT32_MAX)
SATURATE(int64_t, INT64_MIN, INT64_MAX)
SATURATE(uint8_t, 0, UINT8_MAX)
SATURATE(uint16_t, 0, UINT16_MAX)
SATURATE(uint32_t, 0, UINT32_MAX)
SATURATE(uint64_t, 0, UINT64_MAX)

#define TO_INTEGER(type, v)                                                                        \
    _Generic((v), float                                                                            \
             : saturate_##type, double                                                             \
             : saturate_##type, uint64_t                                                           \
             : cut_unsigned_##type, default                                                        \
             : cut_signed_##type)(v)
/* A float that rounds to 16 bits as the number does; 32-bit integers are exact as doubles. */
#define TO_ODD(v)                                                                                  \
    _Generic((v), float                                                                            \
             : (v), int64_t                                                                        \
             : tm_float_from_int64((int64_t)(v)), uint64_t                                         \
             : tm_float_from_uint64((uint64_t)(v)), default                                        \
             : tm_float_to_odd((double)(v)))

#define CONVERT_BOOL(v) ((bool8)((v) != 0))
#define CONVERT_INT8(v) TO_INTEGER(int8_t, v)
#define CONVERT_INT16(v) TO_INTEGER(int16_t, v)
#define CONVERT_INT32(v) TO_INTEGER(int32_t, v)
#define CONVERT_INT64(v) TO_INTEGER(int64_t, v)
#define CONVERT_UINT8(v) TO_INTEGER(uint8_t, v)
#define CONVERT_UINT16(v) TO_INTEGER(uint16_t, v)
#define CONVERT_UINT32(v) TO_INTEGER(uint32_t, v)
#define CONVERT_UINT64(v) TO_INTEGER(uint64_t, v)
#define CONVERT_FLOAT16(v) tm_float16_from_float((float)TO_ODD(v))
#define CONVERT_BFLOAT16(v) tm_bfloat16_from_float((float)TO_ODD(v))
#define CONVERT_FLOAT32(v) ((float)(v))
#define CONVERT_FLOAT64(v) ((double)(v))
#define CONVERT_COMPLEX64(v) ((complex64){(float)(v), 0})
#define CONVERT_COMPLEX128(v) ((complex128){(double)(v), 0})

#define CAST(name, from, to, expression)                                                           \
    static void name(const char *src, int64_t src_step, char *dst, int64_t dst_step, int64_t n)    \
    {                                                                                              \
        if (src_step == (int64_t)sizeof(from) && dst_step == (int64_t)sizeof(to)) {                \
            const from *restrict s = (const from *)(const void *)src;                              \
            to *restrict d = (to *)(void *)dst;                                                    \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const from v = s[i];                                                               \
                d[i] = (expression);                                                               \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++, src += src_step, dst += dst_step) {                        \
            const from v = *(const from *)(const void *)src;                                       \
            *(to *)(void *)dst = (expression);                                                     \
        }                                                                                          \
    }

/* -- From real numbers ------------------------------------------------------------------------- */

#define CAST_REAL(from_name, from, load, to_name, to)                                              \
    CAST(cast_##from_name##_##to_name, from, to, CONVERT_##to_name(load(v)))
#define CASTS_FROM_REAL(name, type, load)                                                          \
    CAST_REAL(name, type, load, BOOL, bool8)                                                       \
    CAST_REAL(name, type, load, INT8, int8_t)                                                      \
    CAST_REAL(name, type, load, INT16, int16_t)                                                    \
    CAST_REAL(name, type, load, INT32, int32_t)                                                    \
    CAST_REAL(name, type, load, INT64, int64_t)                                                    \
    CAST_REAL(name, type, load, UINT8, uint8_t)                                                    \
    CAST_REAL(name, type, load, UINT16, uint16_t)                                                  \
    CAST_REAL(name, type, load, UINT32, uint32_t)                                                  \
    CAST_REAL(name, type, load, UINT64, uint64_t)                                                  \
    CAST_REAL(name, type, load, FLOAT16, tm_float16)                                               \
    CAST_REAL(name, type, load, BFLOAT16, tm_bfloat16)                                             \
    CAST_REAL(name, type, load, FLOAT32, float)                                                    \
    CAST_REAL(name, type, load, FLOAT64, double)                                                   \
    CAST_REAL(name, type, load, COMPLEX64, complex64)                                              \
    CAST_REAL(name, type, load, COMPLEX128, complex128)
REALS(CASTS_FROM_REAL)

/* -- From complex numbers: to complex ones and to bool ---------------------------------------- */

#define CASTS_FROM_COMPLEX(name, type, part)                                                       \
    CAST(cast_##name##_BOOL, type, bool8, (bool8)(v.re != 0 || v.im != 0))                         \
    CAST(cast_##name##_COMPLEX64, type, complex64, ((complex64){(float)v.re, (float)v.im}))        \
    CAST(cast_##name##_COMPLEX128, type, complex128, ((complex128){(double)v.re, (double)v.im}))
COMPLEXES(CASTS_FROM_COMPLEX)

#define ROW_OF_REAL(name, type, load)                                                              \
    [TM_##name] = {                                                                                \
        [TM_BOOL] = cast_##name##_BOOL,                                                            \
        [TM_INT8] = cast_##name##_INT8,                                                            \
        [TM_INT16] = cast_##name##_INT16,                                                          \
        [TM_INT32] = cast_##name##_INT32,                                                          \
        [TM_INT64] = cast_##name##_INT64,                                                          \
        [TM_UINT8] = cast_##name##_UINT8,                                                          \
        [TM_UINT16] = cast_##name##_UINT16,                                                        \
        [TM_UINT32] = cast_##name##_UINT32,                                                        \
        [TM_UINT64] = cast_##name##_UINT64,                                                        \
        [TM_FLOAT16] = cast_##name##_FLOAT16,                                                      \
        [TM_BFLOAT16] = cast_##name##_BFLOAT16,                                                    \
        [TM_FLOAT32] = cast_##name##_FLOAT32,                                                      \
        [TM_FLOAT64] = cast_##name##_FLOAT64,                                                      \
        [TM_COMPLEX64] = cast_##name##_COMPLEX64,                                                  \
        [TM_COMPLEX128] = cast_##name##_COMPLEX128,                                                \
    },
#define ROW_OF_COMPLEX(name, type, part)                                                           \
    [TM_##name] = {                                                                                \
        [TM_BOOL] = cast_##name##_BOOL,                                                            \
        [TM_COMPLEX64] = cast_##name##_COMPLEX64,                                                  \
        [TM_COMPLEX128] = cast_##name##_COMPLEX128,                                                \
    },
static const tm_cast_fn casts[TM_NUM_DTYPES][TM_NUM_DTYPES] = {REALS(ROW_OF_REAL)
                                                                   COMPLEXES(ROW_OF_COMPLEX)};

/* Items that lie side by side, that stand still, that go backwards, and any others. */
#define COPY(bytes, word)                                                                          \
    static void copy_##bytes(const char *src, int64_t src_step, char *dst, int64_t dst_step,       \
                             int64_t n)                                                            \
    {                                                                                              \
        if (dst_step != (bytes)) {                                                                 \
            for (int64_t i = 0; i < n; i++, src += src_step, dst += dst_step)                      \
                *(word *)dst = *(const word *)src;                                                 \
        } else if (src_step == (bytes)) {                                                          \
            memcpy(dst, src, (size_t)n *(bytes));                                                  \
        } else if (src_step == 0 && n > 0) {                                                       \
            const word v = *(const word *)src;                                                     \
            for (int64_t i = 0; i < n; i++)                                                        \
                ((word *)dst)[i] = v;                                                              \
        } else if (src_step == -(bytes)) {                                                         \
            const word *const s = (const word *)src;                                               \
            for (int64_t i = 0; i < n; i++)                                                        \
                ((word *)dst)[i] = s[-i];                                                          \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++, src += src_step)                                       \
                ((word *)dst)[i] = *(const word *)src;                                             \
        }                                                                                          \
    }
COPY(1, tm_item1)
COPY(2, tm_item2)
COPY(4, tm_item4)
COPY(8, tm_item8)
COPY(16, tm_item16)

tm_cast_fn tm_copy_items(int item)
{
    switch (item) {
    case 1:
        return copy_1;
    case 2:
        return copy_2;
    case 4:
        return copy_4;
    case 8:
        return copy_8;
    case 16:
        return copy_16;
    default:
        return NULL;
    }
}

tm_cast_fn tm_cast(tm_dtype from, tm_dtype to)
{
    if (from != to)
        return tm_dtype_size(from) && tm_dtype_size(to) ? casts[from][to] : NULL;
    return tm_copy_items((int)tm_dtype_size(from));
}
