/* indexed_moves.c: what is done with one element of the table and one of the dense side.
 *
 * Each is written once, as a statement in t (the table's element), d (the dense side's) and f (the
 * factor, where there is one), and compiled for points and for rows. Rows of neighbours are a
 * loop that the compiler makes a memcpy or vectorises; both go element by element, so they agree.
 */
#include <math.h>
#include <string.h>

#include "dispatch/half.h"
#include "dispatch/items.h"
#include "indexed.h"
#include "loops.h"

#define MOVE(name, type, statement)                                                                \
    TM_INLINE void name##_one(type *restrict t, type *restrict d, const type *f)                   \
    {                                                                                              \
        (void)f;                                                                                   \
        statement;                                                                                 \
    }                                                                                              \
    static void name##_points(char *table, int64_t table_step, const int64_t *offset, char *dense, \
                              int64_t dense_step, int64_t n, const void *with)                     \
    {                                                                                              \
        if (table_step == 0 && dense_step == (int64_t)sizeof(type)) {                              \
            type *d = (type *)(void *)dense;                                                       \
            for (int64_t i = 0; i < n; i++)                                                        \
                name##_one(&TM_AT(type, table + offset[i]), &d[i], with);                          \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            name##_one(&TM_AT(type, table + offset[i] + i * table_step),                           \
                       &TM_AT(type, dense + i * dense_step), with);                                \
    }                                                                                              \
    static void name##_row(char *table, int64_t table_step, char *dense, int64_t dense_step,       \
                           int64_t n, const void *with)                                            \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        if (table_step == item && dense_step == item) {                                            \
            type *restrict t = (type *)(void *)table, *restrict d = (type *)(void *)dense;         \
            for (int64_t i = 0; i < n; i++)                                                        \
                name##_one(&t[i], &d[i], with);                                                    \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            name##_one(&TM_AT(type, table + i * table_step), &TM_AT(type, dense + i * dense_step), \
                       with);                                                                      \
    }

/* -- Moves, by the size of elements ------------------------------------------------------------ */

/* Runs of bytes need no loop over elements. */
#define RUN(name, bytes, to, from)                                                                 \
    static void name##_run(char *table, int64_t table_step, char *dense, int64_t dense_step,       \
                           int64_t n, const void *with)                                            \
    {                                                                                              \
        enum { SHORT_RUN = 1024 };                                                                 \
        if (table_step != (bytes) || dense_step != (bytes))                                        \
            name##_row(table, table_step, dense, dense_step, n, with);                             \
        else if (n * (bytes) <= SHORT_RUN)                                                         \
            tm_copy_run(to, from, (size_t)n *(bytes));                                             \
        else                                                                                       \
            memcpy(to, from, (size_t)n *(bytes));                                                  \
    }
#define MOVES(bytes)                                                                               \
    MOVE(read_##bytes, tm_word##bytes, *d = *t)                                                    \
    MOVE(write_##bytes, tm_word##bytes, *t = *d)                                                   \
    RUN(read_##bytes, bytes, dense, table)                                                         \
    RUN(write_##bytes, bytes, table, dense)
MOVES(1)
MOVES(2)
MOVES(4)
MOVES(8)
MOVES(16)

#define KERNEL(name)                                                                               \
    {                                                                                              \
        0, name##_points, name##_row                                                               \
    }
static const tm_indexed_kernel read_kernels[] = {{1, read_1_points, read_1_run},
                                                 {2, read_2_points, read_2_run},
                                                 {4, read_4_points, read_4_run},
                                                 {8, read_8_points, read_8_run},
                                                 {16, read_16_points, read_16_run}};
static const tm_indexed_kernel write_kernels[] = {{0, write_1_points, write_1_run},
                                                  {0, write_2_points, write_2_run},
                                                  {0, write_4_points, write_4_run},
                                                  {0, write_8_points, write_8_run},
                                                  {0, write_16_points, write_16_run}};

static int log2_of(size_t item)
{
    int power = 0;
    while (item >> (power + 1))
        power++;
    return power;
}

const tm_indexed_kernel *tm_indexed_read(size_t item)
{
    return &read_kernels[log2_of(item)];
}

const tm_indexed_kernel *tm_indexed_write(size_t item)
{
    return &write_kernels[log2_of(item)];
}

/* -- Reductions, by dtype ---------------------------------------------------------------------- */

/* `wide` is the unsigned type that arithmetic wraps in. */
#define INT_REDUCTIONS(name, type, wide)                                                           \
    MOVE(add_##name, type, *t = (type)((wide)*t + (wide)*d))                                       \
    MOVE(add_scaled_##name, type, *t = (type)((wide)*t + (wide)*f * (wide)*d))                     \
    MOVE(prod_##name, type, *t = (type)((wide)*t * (wide)*d))                                      \
    MOVE(max_##name, type, *t = *d > *t ? *d : *t)                                                 \
    MOVE(min_##name, type, *t = *d < *t ? *d : *t)
INT_REDUCTIONS(i8, int8_t, unsigned)
INT_REDUCTIONS(i16, int16_t, unsigned)
INT_REDUCTIONS(i32, int32_t, unsigned)
INT_REDUCTIONS(i64, int64_t, uint64_t)
INT_REDUCTIONS(u8, uint8_t, unsigned)
INT_REDUCTIONS(u16, uint16_t, unsigned)
INT_REDUCTIONS(u32, uint32_t, unsigned)
INT_REDUCTIONS(u64, uint64_t, uint64_t)

/* A NaN in the table stays, one in d comes in. */
#define FLOAT_REDUCTIONS(name, type)                                                               \
    MOVE(add_##name, type, *t = *t + *d)                                                           \
    MOVE(add_scaled_##name, type, *t = *t + *f * *d)                                               \
    MOVE(prod_##name, type, *t = *t * *d)                                                          \
    MOVE(max_##name, type, *t = isnan(*t) || *d <= *t ? *t : *d)                                   \
    MOVE(min_##name, type, *t = isnan(*t) || *d >= *t ? *t : *d)
FLOAT_REDUCTIONS(f32, float)
FLOAT_REDUCTIONS(f64, double)

/* Each step in float32, rounded once. */
#define HALF_REDUCTIONS(name, type)                                                                \
    TM_INLINE float name##_wide(tm_##type v)                                                       \
    {                                                                                              \
        return tm_float_from_##type(v);                                                            \
    }                                                                                              \
    MOVE(add_##name, tm_##type, *t = tm_##type##_from_float(W(name, *t) + W(name, *d)))            \
    MOVE(add_scaled_##name, tm_##type,                                                             \
         *t = tm_##type##_from_float(W(name, *t) + W(name, *f) * W(name, *d)))                     \
    MOVE(prod_##name, tm_##type, *t = tm_##type##_from_float(W(name, *t) * W(name, *d)))           \
    MOVE(max_##name, tm_##type, *t = isnan(W(name, *t)) || W(name, *d) <= W(name, *t) ? *t : *d)   \
    MOVE(min_##name, tm_##type, *t = isnan(W(name, *t)) || W(name, *d) >= W(name, *t) ? *t : *d)
#define W(name, value) name##_wide(value)
HALF_REDUCTIONS(f16, float16)
HALF_REDUCTIONS(bf16, bfloat16)

typedef struct pair64 {
    float re, im;
} pair64;
typedef struct pair128 {
    double re, im;
} pair128;

#define TIMES(type, a, b)                                                                          \
    ((type){(a).re * (b).re - (a).im * (b).im, (a).re * (b).im + (a).im * (b).re})
#define PLUS(type, a, b) ((type){(a).re + (b).re, (a).im + (b).im})
#define COMPLEX_REDUCTIONS(name, type)                                                             \
    MOVE(add_##name, type, *t = PLUS(type, *t, *d))                                                \
    MOVE(add_scaled_##name, type, const type by = TIMES(type, *f, *d); *t = PLUS(type, *t, by))    \
    MOVE(prod_##name, type, *t = TIMES(type, *t, *d))
COMPLEX_REDUCTIONS(c64, pair64)
COMPLEX_REDUCTIONS(c128, pair128)

#define FIELD_ROW(dtype, name)                                                                     \
    [dtype] = {[TM_INDEXED_ADD] = KERNEL(add_##name),                                              \
               [TM_INDEXED_ADD_SCALED] = KERNEL(add_scaled_##name),                                \
               [TM_INDEXED_PROD] = KERNEL(prod_##name)}
#define ORDERED_ROW(dtype, name)                                                                   \
    [dtype] = {[TM_INDEXED_ADD] = KERNEL(add_##name),                                              \
               [TM_INDEXED_ADD_SCALED] = KERNEL(add_scaled_##name),                                \
               [TM_INDEXED_PROD] = KERNEL(prod_##name),                                            \
               [TM_INDEXED_MAX] = KERNEL(max_##name),                                              \
               [TM_INDEXED_MIN] = KERNEL(min_##name)}
static const tm_indexed_kernel reductions[TM_NUM_DTYPES][TM_INDEXED_NUM_REDUCTIONS] = {
    ORDERED_ROW(TM_INT8, i8),       ORDERED_ROW(TM_INT16, i16),     ORDERED_ROW(TM_INT32, i32),
    ORDERED_ROW(TM_INT64, i64),     ORDERED_ROW(TM_UINT8, u8),      ORDERED_ROW(TM_UINT16, u16),
    ORDERED_ROW(TM_UINT32, u32),    ORDERED_ROW(TM_UINT64, u64),    ORDERED_ROW(TM_FLOAT16, f16),
    ORDERED_ROW(TM_BFLOAT16, bf16), ORDERED_ROW(TM_FLOAT32, f32),   ORDERED_ROW(TM_FLOAT64, f64),
    FIELD_ROW(TM_COMPLEX64, c64),   FIELD_ROW(TM_COMPLEX128, c128),
};

const tm_indexed_kernel *tm_indexed_reduce(tm_indexed_reduction reduction, tm_dtype dtype)
{
    const tm_indexed_kernel *kernel = &reductions[dtype][reduction];
    return kernel->row ? kernel : NULL;
}
