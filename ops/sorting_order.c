/* sorting_order.c: keys from elements, and their order. */
#include "sorting.h"

#include "sorting_keys.h"

/* A key and where it was, where they do not fit in one number. */
typedef struct pair {
    uint64_t key;
    int64_t index;
} pair;

/* c ? a : b without a jump, which compilers make of a pair's. */
static inline uint64_t select_number(bool c, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)c));
}

static inline pair select_pair(bool c, pair a, pair b)
{
    return (pair){select_number(c, a.key, b.key),
                  (int64_t)select_number(c, (uint64_t)a.index, (uint64_t)b.index)};
}

#define E uint64_t
#define KEY(e) (e)
#define FROM 32 /* below is the index */
#define SELECT(c, a, b) ((c) ? (a) : (b))
#define NAME(x) x##_packed
#include "sorting_merge.h"
#include "sorting_radix.h"
#define E pair
#define KEY(e) (e).key
#define FROM 0
#define SELECT select_pair
#define NAME(x) x##_pairs
#include "sorting_merge.h"
#include "sorting_radix.h"

/* From so many elements on the bytes of their keys are the faster way (measured). */
enum { RADIX_PACKED = 128, RADIX_PAIRS = 256 };

static bool fits_packed(tm_dtype dtype, int64_t n)
{
    return tm_dtype_size(dtype) <= 4 && n <= UINT32_MAX;
}

size_t tm_sort_workspace(tm_dtype dtype, int64_t n)
{
    size_t item = fits_packed(dtype, n) ? sizeof(uint64_t) : sizeof(pair), bytes;
    if (__builtin_mul_overflow(2 * item, (size_t)n, &bytes) || bytes > SIZE_MAX / 4)
        return SIZE_MAX / 4;
    return bytes;
}

#define PACK(dt, type, key)                                                                        \
    case dt:                                                                                       \
        for (int64_t i = 0; i < run->n; i++) {                                                     \
            type v = *(const type *)(const void *)(run->data + i * run->step);                     \
            to[i] = (uint64_t)(key(v) ^ flip) << 32 | (uint64_t)i;                                 \
        }                                                                                          \
        break;

static void pack(const tm_sort_run *run, uint64_t *to)
{
    uint32_t flip = run->descending ? UINT32_MAX : 0;
    switch (run->dtype) {
        TM_NARROW_KEYS(PACK)
    default: /* wide keys are paired */
        break;
    }
}

#define PAIR(dt, type, key)                                                                        \
    case dt:                                                                                       \
        for (int64_t i = 0; i < run->n; i++) {                                                     \
            type v = *(const type *)(const void *)(run->data + i * run->step);                     \
            to[i] = (pair){(uint64_t)key(v) ^ flip, i};                                            \
        }                                                                                          \
        break;

static void make_pairs(const tm_sort_run *run, pair *to)
{
    uint64_t flip = run->descending ? UINT64_MAX : 0;
    switch (run->dtype) {
        TM_WIDE_KEYS(PAIR)
        TM_NARROW_KEYS(PAIR)
    default: /* complex numbers have no order */
        break;
    }
}

#define KEY_ROW(dt, type, key)                                                                     \
    case dt:                                                                                       \
        for (int64_t i = 0; i < run->n; i++) {                                                     \
            type v = *(const type *)(const void *)(run->data + i * run->step);                     \
            keys[i] = key(v);                                                                      \
        }                                                                                          \
        break;

void tm_sort_keys(const tm_sort_run *run, uint64_t *keys)
{
    switch (run->dtype) {
        TM_WIDE_KEYS(KEY_ROW)
        TM_NARROW_KEYS(KEY_ROW)
    default:
        break;
    }
}

tm_sort_order tm_sort_find(const tm_sort_run *run, void *workspace)
{
    if (fits_packed(run->dtype, run->n)) {
        uint64_t *from = workspace, *to = from + run->n;
        pack(run, from);
        const char *sorted =
            (const char *)(run->n < RADIX_PACKED ? merge_sort_packed(from, to, run->n)
                                                 : radix_sort_packed(from, to, run->n));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        sorted += sizeof(uint32_t); /* the index is the lower half */
#endif
        return (tm_sort_order){sorted, sizeof(uint64_t), true};
    }
    pair *from = workspace, *to = from + run->n;
    make_pairs(run, from);
    pair *sorted = run->n < RADIX_PAIRS ? merge_sort_pairs(from, to, run->n)
                                        : radix_sort_pairs(from, to, run->n);
    return (tm_sort_order){(const char *)&sorted->index, sizeof(pair), false};
}
