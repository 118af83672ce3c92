/* loops.h: the one shape of elementwise inner loops.
 *
 *     TM_BINARY_LOOP(add_float32, float, float, a + b)
 *
 * makes a tm_loop_fn from an expression in a (and b, c), which is written once. It is compiled for
 * the layouts that matter (everything contiguous; an input that stands still), these for each level
 * of vector instructions, and for any steps. The compiler vectorises the former; since all of them
 * evaluate the same expression element by element, a result never depends on where its element
 * lies. Outputs are disjoint and inputs
 * overlap them element for element at most (the dispatcher sees to it), so no iteration depends on
 * another.
 */
#ifndef TM_OPS_LOOPS_H
#define TM_OPS_LOOPS_H

#include <transmute/kernel.h>

#include "simd.h"

/* gcc takes this word for it; clang compares the pointers at run time and needs none. */
#if defined(__GNUC__) && !defined(__clang__)
#define TM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TM_INDEPENDENT
#endif

#define TM_AT(type, p) (*(type *)(void *)(p))
#define TM_CONST_AT(type, p) (*(const type *)(const void *)(p))

/* Whether a loop has versions for vector instructions. Not of complex numbers: gcc 12 fuses their
 * products and sums into one rounding where it can, whatever -ffp-contract says. */
#define TM_HAS_VERSIONS(type)                                                                      \
    _Generic((type *)0, float _Complex * : 0, double _Complex * : 0, default : 1)
#define TM_DENSE(type, name, arguments)                                                            \
    do {                                                                                           \
        if (TM_HAS_VERSIONS(type))                                                                 \
            name##_version arguments;                                                              \
        else                                                                                       \
            name##_dense arguments;                                                                \
    } while (0)

#define TM_UNARY_LOOP(name, in, out, expression)                                                   \
    TM_INLINE out name##_of(in a)                                                                  \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    TM_INLINE void name##_run(const char *pa, int64_t sa, char *po, int64_t so, int64_t n)         \
    {                                                                                              \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(out, po + i * so) = name##_of(TM_CONST_AT(in, pa + i * sa));                     \
    }                                                                                              \
    TM_INLINE void name##_dense(char *const *ptr, int64_t n)                                       \
    {                                                                                              \
        name##_run(ptr[0], (int64_t)sizeof(in), ptr[1], (int64_t)sizeof(out), n);                  \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_version, name##_dense, (char *const *ptr, int64_t n), (ptr, n))        \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        (void)call;                                                                                \
        if (step[0] == (int64_t)sizeof(in) && step[1] == (int64_t)sizeof(out))                     \
            TM_DENSE(in, name, (ptr, n));                                                          \
        else                                                                                       \
            name##_run(ptr[0], step[0], ptr[1], step[1], n);                                       \
        return TM_OK;                                                                              \
    }

#define TM_BINARY_LOOP(name, in, out, expression)                                                  \
    TM_INLINE out name##_of(in a, in b)                                                            \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    TM_INLINE void name##_run(const char *pa, int64_t sa, const char *pb, int64_t sb, char *po,    \
                              int64_t so, int64_t n)                                               \
    {                                                                                              \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(out, po + i * so) =                                                              \
                name##_of(TM_CONST_AT(in, pa + i * sa), TM_CONST_AT(in, pb + i * sb));             \
    }                                                                                              \
    /* The first inputs are dense or stand still, not both of them; the output is dense. */        \
    TM_INLINE void name##_dense(char *const *ptr, const int64_t *step, int64_t n)                  \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(in), out_item = (int64_t)sizeof(out);                 \
        if (step[1] == 0) {                                                                        \
            const in b = TM_CONST_AT(in, ptr[1]);                                                  \
            name##_run(ptr[0], item, (const char *)&b, 0, ptr[2], out_item, n);                    \
        } else if (step[0] == 0) {                                                                 \
            const in a = TM_CONST_AT(in, ptr[0]);                                                  \
            name##_run((const char *)&a, 0, ptr[1], item, ptr[2], out_item, n);                    \
        } else {                                                                                   \
            name##_run(ptr[0], item, ptr[1], item, ptr[2], out_item, n);                           \
        }                                                                                          \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_version, name##_dense,                                                 \
                     (char *const *ptr, const int64_t *step, int64_t n), (ptr, step, n))           \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(in);                                                  \
        (void)call;                                                                                \
        if (step[2] == (int64_t)sizeof(out) &&                                                     \
            ((step[0] == item && step[1] == item) || (step[0] == item && step[1] == 0) ||          \
             (step[0] == 0 && step[1] == item)))                                                   \
            TM_DENSE(in, name, (ptr, step, n));                                                    \
        else                                                                                       \
            name##_run(ptr[0], step[0], ptr[1], step[1], ptr[2], step[2], n);                      \
        return TM_OK;                                                                              \
    }

/* A loop over a and b that fails with a value error, worded by a format and its arguments, at the
 * first element where `bad` holds. */
#define TM_CHECKED_LOOP(name, type, expression, bad, ...)                                          \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type a = TM_CONST_AT(type, ptr[0] + i * step[0]);                                \
            const type b = TM_CONST_AT(type, ptr[1] + i * step[1]);                                \
            if (bad)                                                                               \
                return tm_fail_at(call, i, TM_ERR_VALUE, __VA_ARGS__);                             \
            TM_AT(type, ptr[2] + i * step[2]) = (type)(expression);                                \
        }                                                                                          \
        return TM_OK;                                                                              \
    }

/* The first input may have a type of its own; the others have the output's. */
#define TM_TERNARY_LOOP(name, first, type, expression)                                             \
    TM_INLINE type name##_of(first a, type b, type c)                                              \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    TM_INLINE void name##_run(const char *pa, int64_t sa, const char *pb, int64_t sb,              \
                              const char *pc, int64_t sc, char *po, int64_t so, int64_t n)         \
    {                                                                                              \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(type, po + i * so) =                                                             \
                name##_of(TM_CONST_AT(first, pa + i * sa), TM_CONST_AT(type, pb + i * sb),         \
                          TM_CONST_AT(type, pc + i * sc));                                         \
    }                                                                                              \
    /* The first input and the output are dense, the others so or still. */                        \
    TM_INLINE void name##_dense(char *const *ptr, const int64_t *step, int64_t n)                  \
    {                                                                                              \
        const int64_t head = (int64_t)sizeof(first), item = (int64_t)sizeof(type);                 \
        const type b = TM_CONST_AT(type, ptr[1]), c = TM_CONST_AT(type, ptr[2]);                   \
        const char *pb = (const char *)&b, *pc = (const char *)&c;                                 \
        if (step[1] == item && step[2] == item)                                                    \
            name##_run(ptr[0], head, ptr[1], item, ptr[2], item, ptr[3], item, n);                 \
        else if (step[1] == item)                                                                  \
            name##_run(ptr[0], head, ptr[1], item, pc, 0, ptr[3], item, n);                        \
        else if (step[2] == item)                                                                  \
            name##_run(ptr[0], head, pb, 0, ptr[2], item, ptr[3], item, n);                        \
        else                                                                                       \
            name##_run(ptr[0], head, pb, 0, pc, 0, ptr[3], item, n);                               \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_version, name##_dense,                                                 \
                     (char *const *ptr, const int64_t *step, int64_t n), (ptr, step, n))           \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        const int64_t head = (int64_t)sizeof(first), item = (int64_t)sizeof(type);                 \
        (void)call;                                                                                \
        if (step[0] == head && step[3] == item && (step[1] == item || step[1] == 0) &&             \
            (step[2] == item || step[2] == 0))                                                     \
            TM_DENSE(type, name, (ptr, step, n));                                                  \
        else                                                                                       \
            name##_run(ptr[0], step[0], ptr[1], step[1], ptr[2], step[2], ptr[3], step[3], n);     \
        return TM_OK;                                                                              \
    }

/* Both floats' loops of a function of C's <math.h>, which the user includes. */
#define TM_LIBM_LOOPS(name)                                                                        \
    TM_UNARY_LOOP(name##_float32, float, float, name##f(a))                                        \
    TM_UNARY_LOOP(name##_float64, double, double, name(a))

/* Elements that are moved and not computed with, by their size alone. */
typedef uint8_t tm_word1 __attribute__((may_alias));
typedef uint16_t tm_word2 __attribute__((may_alias));
typedef uint32_t tm_word4 __attribute__((may_alias));
typedef uint64_t tm_word8 __attribute__((may_alias));
typedef struct tm_word16 {
    uint64_t word[2];
} __attribute__((may_alias)) tm_word16;

/* One X(name_DTYPE, type, wide) per dtype. Integers wrap where they are computed as `wide`, an
 * unsigned type of at least an int's width; floats are their own. */
#define TM_INTEGERS(X, name)                                                                       \
    X(name##_int8, int8_t, uint32_t)                                                               \
    X(name##_int16, int16_t, uint32_t)                                                             \
    X(name##_int32, int32_t, uint32_t)                                                             \
    X(name##_int64, int64_t, uint64_t)                                                             \
    X(name##_uint8, uint8_t, uint32_t)                                                             \
    X(name##_uint16, uint16_t, uint32_t)                                                           \
    X(name##_uint32, uint32_t, uint32_t)                                                           \
    X(name##_uint64, uint64_t, uint64_t)
#define TM_FLOATS(X, name)                                                                         \
    X(name##_float32, float, float)                                                                \
    X(name##_float64, double, double)
#define TM_REALS(X, name) TM_INTEGERS(X, name) TM_FLOATS(X, name)

/* Rows of tables: the loops that those names make, with an output of the inputs' dtype or of `out`.
 * float16 and bfloat16 need none: they are computed in float32. */
#define TM_LOOP_ROW(in, out, name)                                                                 \
    {                                                                                              \
        in, out, name                                                                              \
    }
#define TM_INTEGER_LOOPS_TO(name, out)                                                             \
    TM_LOOP_ROW(TM_INT64, out, name##_int64), TM_LOOP_ROW(TM_INT32, out, name##_int32),            \
        TM_LOOP_ROW(TM_UINT8, out, name##_uint8), TM_LOOP_ROW(TM_INT8, out, name##_int8),          \
        TM_LOOP_ROW(TM_INT16, out, name##_int16), TM_LOOP_ROW(TM_UINT16, out, name##_uint16),      \
        TM_LOOP_ROW(TM_UINT32, out, name##_uint32), TM_LOOP_ROW(TM_UINT64, out, name##_uint64)
#define TM_FLOAT_LOOPS_TO(name, out)                                                               \
    TM_LOOP_ROW(TM_FLOAT32, out, name##_float32), TM_LOOP_ROW(TM_FLOAT64, out, name##_float64)
#define TM_COMPLEX_LOOPS_TO(name, out)                                                             \
    TM_LOOP_ROW(TM_COMPLEX64, out, name##_complex64),                                              \
        TM_LOOP_ROW(TM_COMPLEX128, out, name##_complex128)
#define TM_INTEGER_LOOPS(name)                                                                     \
    TM_LOOP_ROW(TM_INT64, TM_INT64, name##_int64), TM_LOOP_ROW(TM_INT32, TM_INT32, name##_int32),  \
        TM_LOOP_ROW(TM_UINT8, TM_UINT8, name##_uint8), TM_LOOP_ROW(TM_INT8, TM_INT8, name##_int8), \
        TM_LOOP_ROW(TM_INT16, TM_INT16, name##_int16),                                             \
        TM_LOOP_ROW(TM_UINT16, TM_UINT16, name##_uint16),                                          \
        TM_LOOP_ROW(TM_UINT32, TM_UINT32, name##_uint32),                                          \
        TM_LOOP_ROW(TM_UINT64, TM_UINT64, name##_uint64)
#define TM_FLOAT_LOOPS(name)                                                                       \
    TM_LOOP_ROW(TM_FLOAT32, TM_FLOAT32, name##_float32),                                           \
        TM_LOOP_ROW(TM_FLOAT64, TM_FLOAT64, name##_float64)
#define TM_COMPLEX_LOOPS(name)                                                                     \
    TM_LOOP_ROW(TM_COMPLEX64, TM_COMPLEX64, name##_complex64),                                     \
        TM_LOOP_ROW(TM_COMPLEX128, TM_COMPLEX128, name##_complex128)
/* Of a function that takes every dtype; bools are bytes. */
#define TM_EVERY_LOOP_TO_BOOL(name)                                                                \
    TM_FLOAT_LOOPS_TO(name, TM_BOOL), TM_INTEGER_LOOPS_TO(name, TM_BOOL),                          \
        TM_COMPLEX_LOOPS_TO(name, TM_BOOL), TM_LOOP_ROW(TM_BOOL, TM_BOOL, name##_uint8)
#define TM_NUMERIC_LOOPS(name) TM_FLOAT_LOOPS(name), TM_INTEGER_LOOPS(name)
/* All dtypes, by size: X(dtype, bytes). */
#define TM_ALL_DTYPES(X)                                                                           \
    X(TM_FLOAT32, 4)                                                                               \
    X(TM_FLOAT64, 8)                                                                               \
    X(TM_INT64, 8)                                                                                 \
    X(TM_INT32, 4)                                                                                 \
    X(TM_UINT8, 1)                                                                                 \
    X(TM_BOOL, 1)                                                                                  \
    X(TM_INT8, 1)                                                                                  \
    X(TM_INT16, 2)                                                                                 \
    X(TM_UINT16, 2)                                                                                \
    X(TM_UINT32, 4)                                                                                \
    X(TM_UINT64, 8)                                                                                \
    X(TM_FLOAT16, 2)                                                                               \
    X(TM_BFLOAT16, 2)                                                                              \
    X(TM_COMPLEX64, 8)                                                                             \
    X(TM_COMPLEX128, 16)

#endif
