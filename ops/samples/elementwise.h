/* elementwise.h: rows that samples of elementwise functions have in common: layouts, dtypes and
 * special values under the law, and the refusals of the shared meta. */
#ifndef TM_OPS_SAMPLES_ELEMENTWISE_H
#define TM_OPS_SAMPLES_ELEMENTWISE_H

#include "samples.h"

#define NO_DTYPE(op, args, dtype) TM_FAILS(op, args, "dtype: there is no kernel for dtype " dtype)

/* Functions of one element x. */
#define LAWS_OF_INTEGERS(op)                                                                       \
    TM_LAW(op, "i8[11]~special"), TM_LAW(op, "i16[3,2]"), TM_LAW(op, "i32[3,5]~special"),          \
        TM_LAW(op, "i64[17]~special"), TM_LAW(op, "u8[40]"), TM_LAW(op, "u16[7]"),                 \
        TM_LAW(op, "u32[2,2]~special"), TM_LAW(op, "u64[5]~special")
#define LAWS_OF_FLOATS(op)                                                                         \
    TM_LAW(op, "f32[67]"), TM_LAW(op, "f64[4,3]"), TM_LAW(op, "f32[2,3,4]~special"),               \
        TM_LAW(op, "f64[33]~special"), TM_LAW(op, "f32[1,1]"), TM_LAW(op, "f32[5,7]~pos"),         \
        TM_LAW(op, "f16[9]~special"), TM_LAW(op, "bf16[3,2]~special"), TM_LAW(op, "f32[]"),        \
        TM_LAW(op, "f64[2,0,3]")
#define LAWS_OF_COMPLEX(op) TM_LAW(op, "c64[19]"), TM_LAW(op, "c128[2,3]"), TM_LAW(op, "c64[0]")
#define NO_BOOL(op) NO_DTYPE(op, "b8[2]", "bool")
#define NO_COMPLEX(op) NO_DTYPE(op, "c64[2]", "complex64"), NO_DTYPE(op, "c128[]", "complex128")

/* A function that computes integers in float32. */
#define ROWS_OF_FLOATING(op)                                                                       \
    LAWS_OF_FLOATS(op), TM_LAW(op, "i32[5]"), TM_LAW(op, "i64[2,3]"), TM_LAW(op, "u8[3]"),         \
        NO_BOOL(op)
/* One that knows integers too. */
#define ROWS_OF_NUMERIC(op) LAWS_OF_FLOATS(op), LAWS_OF_INTEGERS(op), NO_BOOL(op)

/* Functions of two elements, and of an element and a number. */
#define LAWS_OF_TWO(op)                                                                            \
    TM_LAW(op, "f32[3,4], f32[4]"), TM_LAW(op, "f64[2,1,3], f64[4,1]"),                            \
        TM_LAW(op, "f32[67]~special, f32[67]~special"), TM_LAW(op, "f64[5]~special, f64[]"),       \
        TM_LAW(op, "f64[3], f32[2,3]"), TM_LAW(op, "f16[9]~special, f16[9]"),                      \
        TM_LAW(op, "bf16[3], bf16[2,1]"), TM_LAW(op, "f16[4], bf16[4]"),                           \
        TM_LAW(op, "b8[3], f32[3]"), TM_LAW(op, "f32[0], f32[1]"), TM_LAW(op, "f32[1], f32[5]")
#define LAWS_OF_TWO_INTEGERS(op)                                                                   \
    TM_LAW(op, "i8[19]~special, i8[19]~pos"), TM_LAW(op, "i16[3,4], i16[3,1]~pos"),                \
        TM_LAW(op, "i32[3,4]~special, i32[3,1]~pos"), TM_LAW(op, "i64[19]~special, i64[19]~pos"),  \
        TM_LAW(op, "u8[41], u8[41]~pos"), TM_LAW(op, "u16[3], u16[2,3]~pos"),                      \
        TM_LAW(op, "u32[5]~special, u32[]~pos"), TM_LAW(op, "u64[4]~special, u64[4]~pos"),         \
        TM_LAW(op, "u8[4], i64[4]~pos"), TM_LAW(op, "b8[3], i32[3]~pos"),                          \
        TM_LAW(op, "i64[0], i64[1]")
#define LAWS_OF_A_NUMBER(op)                                                                       \
    TM_LAW(op ".scalar", "f32[67], 1.5"), TM_LAW(op ".scalar", "f64[2,3]~special, 2"),             \
        TM_LAW(op ".scalar", "u8[9], 5"), TM_LAW(op ".scalar", "i32[4], 2.5"),                     \
        TM_LAW(op ".scalar", "f16[7]~special, -1.5"), TM_LAW(op ".scalar", "f64[0], 1"),           \
        TM_LAW(op ".rscalar", "2, f32[67]~pos"), TM_LAW(op ".rscalar", "0.5, f64[2,3]~special"),   \
        TM_LAW(op ".rscalar", "-3, i64[4]~pos"), TM_LAW(op ".rscalar", "2.5, i32[3]~pos"),         \
        TM_LAW(op ".rscalar", "-0.5, bf16[7]~special"), TM_LAW(op ".rscalar", "1, f64[3,0]")
#define NO_SHAPE(op)                                                                               \
    TM_FAILS(op, "f32[2,3], f32[2]",                                                               \
             "shape: x2 must broadcast with shape (2, 3), got shape (2,)"),                        \
        TM_FAILS(op, "i64[3,1], f32[2,4]",                                                         \
                 "shape: x2 must broadcast with shape (3, 1), got shape (2, 4)")
#define NO_TWO_BOOLS(op)                                                                           \
    NO_DTYPE(op, "b8[2], b8[2]", "bool"), NO_DTYPE(op ".scalar", "b8[2], True", "bool"),           \
        NO_DTYPE(op ".rscalar", "False, b8[2]", "bool")
#define NO_TWO_COMPLEX(op)                                                                         \
    NO_DTYPE(op, "f32[2], c64[2]", "complex64"),                                                   \
        NO_DTYPE(op ".scalar", "f32[2], 1+2j", "complex64"),                                       \
        NO_DTYPE(op ".rscalar", "1+2j, f64[2]", "complex128")
#define NO_UNFIT_NUMBER(op)                                                                        \
    TM_FAILS(op ".scalar", "u8[2], 300", "value: x2 must fit in uint8, got 300"),                  \
        TM_FAILS(op ".rscalar", "-1, u8[2]", "value: x1 must fit in uint8, got -1"),               \
        TM_FAILS(op ".scalar", "i32[0], 2147483648",                                               \
                 "value: x2 must fit in int32, got 2147483648")

#define ROWS_OF_TWO_FLOATING(op)                                                                   \
    LAWS_OF_TWO(op), LAWS_OF_A_NUMBER(op), TM_LAW(op, "i32[3,4], i32[3,1]"),                       \
        TM_LAW(op, "u8[4], i64[4]"), NO_SHAPE(op), NO_TWO_BOOLS(op), NO_TWO_COMPLEX(op)
#define ROWS_OF_TWO_NUMERIC(op)                                                                    \
    LAWS_OF_TWO(op), LAWS_OF_TWO_INTEGERS(op), LAWS_OF_A_NUMBER(op), NO_SHAPE(op),                 \
        NO_TWO_BOOLS(op), NO_TWO_COMPLEX(op), NO_UNFIT_NUMBER(op)

#endif
