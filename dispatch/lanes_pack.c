/* lanes_pack.c: moving operands between where they lie and the lanes of a block.
 *
 * Where lanes are neighbours in memory an element's lanes are copied together; where elements are,
 * vectors of them are transposed; else elements are moved one by one.
 */
#include <stdbool.h>
#include <string.h>

#include "bypass.h"
#include "lanes_pack.h"
#include "turn.h"

#define STORE_ANY(to, vector)                                                                      \
    do {                                                                                           \
        char *there = (to);                                                                        \
        __builtin_prefetch(there + ahead, 1);                                                      \
        memcpy(there, &(vector), sizeof(vector));                                                  \
    } while (0)

#define U uint32_t
#define N 4
#define TARGET
#define STORE STORE_ANY
#define TURN(r) TM_TURN_LANES(NAME(vector), r, 4, 1)
#define NAME(x) x##_4_of_4
#include "lanes_transpose.h"
#define U uint64_t
#define N 2
#define TARGET
#define STORE STORE_ANY
#define TURN(r) TM_TURN_LANES(NAME(vector), r, 2, 1)
#define NAME(x) x##_2_of_8
#include "lanes_transpose.h"
#ifdef TM_HAVE_TARGETS
#include <immintrin.h>

/* A vector that is a whole line may go past the caches. */
#define STORE_LINE(to, vector)                                                                     \
    do {                                                                                           \
        char *line = (to);                                                                         \
        if (bypass && (uintptr_t)line % TM_LINE == 0)                                              \
            _mm512_stream_si512((void *)line, (__m512i)(vector));                                  \
        else                                                                                       \
            STORE_ANY(line, vector);                                                               \
    } while (0)

#define U uint32_t
#define N 8
#define TARGET TM_TARGET_AVX2
#define STORE STORE_ANY
#define TURN(r) TM_TURN(NAME(vector), r, 4, 2)
#define NAME(x) x##_8_of_4
#include "lanes_transpose.h"
#define U uint64_t
#define N 4
#define TARGET TM_TARGET_AVX2
#define STORE STORE_ANY
#define TURN(r) TM_TURN(NAME(vector), r, 2, 2)
#define NAME(x) x##_4_of_8
#include "lanes_transpose.h"
#define U uint32_t
#define N 16
#define TARGET TM_TARGET_AVX512
#define STORE STORE_LINE
#define TURN(r) TM_TURN(NAME(vector), r, 4, 4)
#define NAME(x) x##_16_of_4
#include "lanes_transpose.h"
#define U uint64_t
#define N 8
#define TARGET TM_TARGET_AVX512
#define STORE STORE_LINE
#define TURN(r) TM_TURN(NAME(vector), r, 2, 4)
#define NAME(x) x##_8_of_8
#include "lanes_transpose.h"
#endif

typedef struct transposer {
    int item, elements; /* of a vector */
    tm_simd simd;
    void (*pack)(const tm_lanes_operand *o);
    void (*unpack)(const tm_lanes_operand *o, int valid);
} transposer;

/* The widest ones first. */
static const transposer transposers[] = {
#ifdef TM_HAVE_TARGETS
    {4, 16, TM_SIMD_AVX512, pack_16_of_4, unpack_16_of_4},
    {8, 8, TM_SIMD_AVX512, pack_8_of_8, unpack_8_of_8},
    {4, 8, TM_SIMD_AVX2, pack_8_of_4, unpack_8_of_4},
    {8, 4, TM_SIMD_AVX2, pack_4_of_8, unpack_4_of_8},
#endif
    {4, 4, TM_SIMD_PORTABLE, pack_4_of_4, unpack_4_of_4},
    {8, 2, TM_SIMD_PORTABLE, pack_2_of_8, unpack_2_of_8},
};

/* The widest vectors that fit runs and lanes, or NULL. */
static const transposer *choose(const tm_lanes_operand *o)
{
    for (size_t i = 0; i < sizeof transposers / sizeof *transposers; i++) {
        const transposer *t = &transposers[i];
        if (t->item == o->item && t->elements <= o->run && o->width % t->elements == 0 &&
            t->simd <= tm_simd_level())
            return t;
    }
    return NULL;
}

/* Elements one by one: `copy` moves one, of `size` bytes, between the two places. */
#define ONE_BY_ONE(size, to, from)                                                                 \
    case size:                                                                                     \
        for (int64_t m = 0; m < o->count; m++) {                                                   \
            char *row = o->buffer + (int64_t)o->place[m] * o->width * (size);                      \
            for (int l = 0; l < lanes; l++) {                                                      \
                char *mine = o->lane[l] + o->offset[m], *its = row + l * (size);                   \
                memcpy(to, from, size);                                                            \
            }                                                                                      \
        }                                                                                          \
        break;
#define EVERY_SIZE(to, from)                                                                       \
    switch (o->item) {                                                                             \
        ONE_BY_ONE(1, to, from)                                                                    \
        ONE_BY_ONE(2, to, from)                                                                    \
        ONE_BY_ONE(4, to, from)                                                                    \
        ONE_BY_ONE(8, to, from)                                                                    \
        ONE_BY_ONE(16, to, from)                                                                   \
    }

static void pack_each(const tm_lanes_operand *o)
{
    int lanes = o->width;
    EVERY_SIZE(its, mine)
}

static void unpack_each(const tm_lanes_operand *o, int lanes)
{
    EVERY_SIZE(mine, its)
}

/* One element's lanes; the common size is a copy the compiler sees through. */
static inline void copy_lanes(void *to, const void *from, size_t bytes)
{
    if (bytes == 64)
        memcpy(to, from, 64);
    else
        memcpy(to, from, bytes);
}

void tm_lanes_pack(const tm_lanes_operand *o)
{
    if (o->side_by_side) {
        size_t bytes = (size_t)o->width * (size_t)o->item;
        for (int64_t m = 0; m < o->count; m++)
            copy_lanes(o->buffer + (size_t)o->place[m] * bytes, o->lane[0] + o->offset[m], bytes);
        return;
    }
    const transposer *t = choose(o);
    if (t)
        t->pack(o);
    else
        pack_each(o);
}

void tm_lanes_unpack(const tm_lanes_operand *o, int valid)
{
    if (o->side_by_side) {
        size_t row = (size_t)o->width * (size_t)o->item, bytes = (size_t)valid * (size_t)o->item;
        for (int64_t m = 0; m < o->count; m++)
            copy_lanes(o->lane[0] + o->offset[m], o->buffer + (size_t)o->place[m] * row, bytes);
        return;
    }
    const transposer *t = choose(o);
    if (t)
        t->unpack(o, valid);
    else
        unpack_each(o, valid);
}

void tm_lanes_order(tm_lanes_operand *o, int ndim, const int64_t *shape, const int64_t *strides,
                    int64_t *offset, int32_t *place)
{
    enum { MOST = 64 };
    int axis[MOST], n = 0;
    int64_t row_major[MOST], index[MOST] = {0}, at = 0, element = 0;
    o->count = 1;
    for (int d = ndim; d-- > 0;) {
        row_major[d] = o->count;
        o->count *= shape[d];
    }
    for (int d = 0; d < ndim; d++) { /* by stride, the largest first; axes of size 1 have none */
        int to = shape[d] > 1 ? n++ : -1;
        for (; to > 0 && strides[axis[to - 1]] < strides[d]; to--)
            axis[to] = axis[to - 1];
        if (to >= 0)
            axis[to] = d;
    }
    o->run = 1;
    for (int i = n; i-- > 0 && strides[axis[i]] == o->run;)
        o->run *= shape[axis[i]];
    for (int64_t m = 0; m < o->count; m++) {
        offset[m] = at * o->item;
        place[m] = (int32_t)element;
        for (int i = n; i-- > 0;) {
            int d = axis[i];
            at += strides[d];
            element += row_major[d];
            if (++index[i] < shape[d])
                break;
            at -= strides[d] * shape[d];
            element -= row_major[d] * shape[d];
            index[i] = 0;
        }
    }
    o->offset = offset;
    o->place = place;
}
