/* indexed.c: the walk over a table by indices.
 *
 * Loops that all sides walk as one are merged. Those inside the last loop that moves a source are
 * the run: elements whose places follow from one index, moved without looking at another. Indices
 * are resolved, a block at a time, to offsets into the table. Elements that are read at indices of
 * their own, and are many, wait in a buffer and are written past the caches.
 */
#include "indexed.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/bypass.h"
#include "simd.h"

enum {
    BLOCK = 256,         /* positions whose indices are resolved at a time */
    BUFFER = 16 * BLOCK, /* bytes: a block's elements, whatever their size */
    PIECE = 1024         /* and what may wait there for more */
};

/* -- Indices to offsets ------------------------------------------------------------------------ */

/* Adds each index's offset; false where one is out of range. What is added for that one means
 * nothing, so it may wrap. */
#define RESOLVE(name, type, value)                                                                 \
    TM_INLINE bool name##_steps(const tm_index_source *s, const char *at, int64_t step,            \
                                int64_t *offset, int64_t n)                                        \
    {                                                                                              \
        const int64_t size = s->size, wrap = s->wrap, stride = s->stride;                          \
        uint64_t wrong = 0;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type raw = *(const type *)(const void *)(at + i * step);                         \
            int64_t index = value;                                                                 \
            index += index < 0 ? wrap : 0;                                                         \
            wrong |= (uint64_t)index | ((uint64_t)size - 1 - (uint64_t)index);                     \
            offset[i] = (int64_t)((uint64_t)offset[i] + (uint64_t)index * (uint64_t)stride);       \
        }                                                                                          \
        return wrong >> 63 == 0;                                                                   \
    }                                                                                              \
    TM_INLINE bool name##_body(const tm_index_source *s, const char *at, int64_t step,             \
                               int64_t *offset, int64_t n)                                         \
    {                                                                                              \
        if (step == (int64_t)sizeof(type))                                                         \
            return name##_steps(s, at, (int64_t)sizeof(type), offset, n);                          \
        return name##_steps(s, at, step, offset, n);                                               \
    }                                                                                              \
    TM_SIMD_FUNCTIONS(                                                                             \
        bool, resolve_##name, name##_body,                                                         \
        (const tm_index_source *s, const char *at, int64_t step, int64_t *offset, int64_t n),      \
        (s, at, step, offset, n))
RESOLVE(i8, int8_t, raw)
RESOLVE(i16, int16_t, raw)
RESOLVE(i32, int32_t, raw)
RESOLVE(i64, int64_t, raw)
RESOLVE(u8, uint8_t, raw)
RESOLVE(u16, uint16_t, raw)
RESOLVE(u32, uint32_t, raw)
RESOLVE(u64, uint64_t, raw > INT64_MAX ? INT64_MAX : (int64_t)raw)

static bool resolve_offset(const tm_index_source *s, const char *at, int64_t step, int64_t *offset,
                           int64_t n)
{
    (void)s;
    for (int64_t i = 0; i < n; i++)
        offset[i] += *(const int64_t *)(const void *)(at + i * step);
    return true;
}

typedef bool (*resolver)(const tm_index_source *s, const char *at, int64_t step, int64_t *offset,
                         int64_t n);

static resolver resolver_of(tm_dtype dtype)
{
    switch (dtype) {
    case TM_INT8:
        return resolve_i8;
    case TM_INT16:
        return resolve_i16;
    case TM_INT32:
        return resolve_i32;
    case TM_INT64:
        return resolve_i64;
    case TM_UINT8:
        return resolve_u8;
    case TM_UINT16:
        return resolve_u16;
    case TM_UINT32:
        return resolve_u32;
    case TM_UINT64:
        return resolve_u64;
    default:
        return resolve_offset;
    }
}

/* The n indices from `first` on along loop l, where the sources stand. */
static bool resolve(const tm_indexed *w, int l, int64_t first, int64_t *offset, int64_t n)
{
    memset(offset, 0, (size_t)n * sizeof *offset);
    bool good = true;
    for (int k = 0; k < w->num_sources; k++) {
        const tm_index_source *s = &w->sources[k];
        int64_t step = s->step[l];
        good &= resolver_of(s->dtype)(s, s->at + first * step, step, offset, n);
    }
    return good;
}

/* -- Loops ------------------------------------------------------------------------------------- */

/* Loops l and l + 1 are one, for every side. */
static bool together(const tm_indexed *w, int outer, int inner)
{
    int64_t size = w->size[inner];
    bool one = w->table_step[outer] == w->table_step[inner] * size &&
               w->dense_step[outer] == w->dense_step[inner] * size;
    for (int k = 0; k < w->num_sources && one; k++)
        one = w->sources[k].step[outer] == w->sources[k].step[inner] * size;
    return one;
}

static void move_loop(tm_indexed *w, int to, int from)
{
    w->table_step[to] = w->table_step[from];
    w->dense_step[to] = w->dense_step[from];
    for (int k = 0; k < w->num_sources; k++)
        w->sources[k].step[to] = w->sources[k].step[from];
}

/* Drops loops of size 1 and merges neighbours, which keeps the order of positions. */
static void simplify(tm_indexed *w)
{
    int kept = 0;
    for (int l = 0; l < w->num_loops; l++) {
        if (w->size[l] == 1)
            continue;
        if (kept > 0 && together(w, kept - 1, l)) {
            w->size[kept - 1] *= w->size[l];
            move_loop(w, kept - 1, l);
            continue;
        }
        w->size[kept] = w->size[l];
        move_loop(w, kept++, l);
    }
    w->num_loops = kept;
    if (kept == 0)
        tm_indexed_loop(w, 1, 0, 0);
}

static bool moves_source(const tm_indexed *w, int l)
{
    for (int k = 0; k < w->num_sources; k++)
        if (w->sources[k].step[l] != 0)
            return true;
    return false;
}

/* Where no element is moved, the indices alone are walked. */
static bool drop_empty(tm_indexed *w)
{
    bool empty = false;
    for (int l = 0; l < w->num_loops; l++)
        empty = empty || w->size[l] == 0;
    for (int l = 0; l < w->num_loops && empty; l++)
        if (!moves_source(w, l))
            w->size[l] = 1;
    return empty;
}

typedef struct walk {
    tm_indexed *w;
    const tm_indexed_kernel *kernel; /* NULL: indices are checked and nothing moved */
    const void *with;
    int last;                   /* the last loop that moves a source; the run follows */
    int64_t ahead, table_bytes; /* see look_ahead */
    char *buffer;               /* what goes past the caches waits there, else NULL */
    char *to;                   /* where it goes, and how much is there */
    int64_t waiting;
} walk;

/* -- Fetching ---------------------------------------------------------------------------------- */

enum { AHEAD = 8192 };

/* Where the indices of a row of positions choose among the elements of one dense row of the table,
 * its lines are touched in no order that the processor foresees: they are fetched a few rows ahead,
 * unless the indices are too few to want them all. */
static void look_ahead(walk *k)
{
    const tm_indexed *w = k->w;
    int l = k->last;
    k->ahead = 0;
    if (l < 1 || l != w->num_loops - 1 || !k->kernel || w->num_sources != 1)
        return;
    int64_t n = w->size[l], most = n < AHEAD / TM_LINE ? n * TM_LINE : AHEAD;
    const tm_index_source *s = &w->sources[0];
    if (w->table_step[l] != 0 || w->table_step[l - 1] == 0 || s->step[l] <= 0 || s->stride <= 0 ||
        s->step[l] > AHEAD || n > AHEAD / s->step[l] || s->stride > most ||
        s->size > most / s->stride)
        return;
    k->table_bytes = s->size * s->stride;
    k->ahead = AHEAD / (k->table_bytes + n * s->step[l]) + 1;
}

TM_INLINE void fetch(const char *from, int64_t rows, int64_t step, int64_t bytes)
{
    uintptr_t at = (uintptr_t)from + (uintptr_t)rows * (uintptr_t)step; /* may lie behind the end */
    for (int64_t i = 0; i < bytes; i += TM_LINE)
        __builtin_prefetch((const void *)(at + (uintptr_t)i));
}

/* Of the loop before the last one, whose table's row is at `table`. Always in line: gcc takes a
 * function that only fetches for one that does nothing, and drops its calls. */
TM_INLINE void fetch_ahead(const walk *k, const char *table)
{
    const tm_indexed *w = k->w;
    const tm_index_source *s = &w->sources[0];
    int l = k->last;
    fetch(table, k->ahead, w->table_step[l - 1], k->table_bytes);
    if (s->step[l - 1] != 0)
        fetch(s->at, k->ahead, s->step[l - 1], w->size[l] * s->step[l]);
}

/* -- Writing past the caches ------------------------------------------------------------------- */

/* Whether elements that are read, each at its index, are so many that they go past the caches. */
static bool goes_past(const walk *k)
{
    const tm_indexed *w = k->w;
    int l = w->num_loops - 1;
    if (!k->kernel || !k->kernel->reads || k->last != l || w->dense_step[l] != k->kernel->reads)
        return false;
    int64_t bytes = 3 * w->dense_step[l]; /* an element, what it comes from, and its index */
    for (; l >= 0; l--)
        bytes *= w->size[l]; /* fits: two of the dense side's bytes, and it has been allocated */
    return tm_bypass_pays(bytes);
}

static void write_waiting(walk *k)
{
    if (k->waiting)
        tm_bypass_copy(k->to, k->buffer + (uintptr_t)k->to % TM_LINE, k->waiting);
    k->waiting = 0;
}

/* Room for n elements that belong at `dense`, behind those that wait if they are its neighbours. */
static char *wait_for(walk *k, char *dense, int64_t bytes)
{
    if (dense != k->to + k->waiting || k->waiting + bytes > PIECE) {
        write_waiting(k);
        k->to = dense;
    }
    assert(bytes <= BUFFER);
    char *room = k->buffer + (uintptr_t)k->to % TM_LINE + k->waiting;
    k->waiting += bytes;
    return room;
}

/* -- Positions --------------------------------------------------------------------------------- */

static void run_rows(const walk *k, int l, char *table, char *dense)
{
    const tm_indexed *w = k->w;
    if (l == w->num_loops - 1) {
        k->kernel->row(table, w->table_step[l], dense, w->dense_step[l], w->size[l], k->with);
        return;
    }
    for (int64_t i = 0; i < w->size[l]; i++, table += w->table_step[l], dense += w->dense_step[l])
        run_rows(k, l + 1, table, dense);
}

/* A block of the last loop's positions, at `table` and `dense`. */
static void run_block(walk *k, char *table, char *dense, int64_t *offset, int64_t n)
{
    const tm_indexed *w = k->w;
    int l = k->last;
    int64_t table_step = w->table_step[l], dense_step = w->dense_step[l];
    if (l == w->num_loops - 1) {
        if (k->buffer)
            dense = wait_for(k, dense, n * dense_step);
        k->kernel->points(table, table_step, offset, dense, dense_step, n, k->with);
        return;
    }
    for (int64_t i = 0; i < n; i++, table += table_step, dense += dense_step)
        run_rows(k, l + 1, table + offset[i], dense);
}

/* All positions of the loops from l on. */
static bool run_from(walk *k, int l, char *table, char *dense, int64_t *offset, bool kept)
{
    tm_indexed *w = k->w;
    if (l < k->last) {
        bool good = true;
        const bool fetches = k->ahead && l == k->last - 1;
        for (int64_t i = 0; i < w->size[l] && good; i++) {
            if (fetches)
                fetch_ahead(k, table + i * w->table_step[l]);
            good = run_from(k, l + 1, table + i * w->table_step[l], dense + i * w->dense_step[l],
                            offset, kept);
            for (int s = 0; s < w->num_sources; s++)
                w->sources[s].at += w->sources[s].step[l];
        }
        for (int s = 0; s < w->num_sources; s++)
            w->sources[s].at -= w->sources[s].step[l] * w->size[l];
        return good;
    }
    for (int64_t first = 0; first < w->size[l]; first += BLOCK) {
        int64_t n = w->size[l] - first < BLOCK ? w->size[l] - first : BLOCK;
        if (!kept && !resolve(w, l, first, offset, n))
            return false;
        if (k->kernel)
            run_block(k, table + first * w->table_step[l], dense + first * w->dense_step[l], offset,
                      n);
    }
    return true;
}

bool tm_indexed_run(tm_indexed *w, const tm_indexed_kernel *kernel, const void *with)
{
    _Alignas(TM_LINE) int64_t offset[BLOCK];
    bool empty = drop_empty(w);
    simplify(w);
    walk k = {.w = w, .kernel = empty ? NULL : kernel, .with = with, .last = w->num_loops - 1};
    while (k.last >= 0 && !moves_source(w, k.last))
        k.last--;
    if (k.last < 0) { /* the same indices for all: the whole nest is the run */
        bool good = resolve(w, 0, 0, offset, 1);
        if (good && k.kernel)
            run_rows(&k, 0, w->table + offset[0], w->dense);
        return good;
    }
    bool outer_moves = false;
    for (int l = 0; l < k.last; l++)
        outer_moves = outer_moves || moves_source(w, l);
    bool kept = !outer_moves && w->size[k.last] <= BLOCK; /* one block of offsets serves all */
    if (kept && !resolve(w, k.last, 0, offset, w->size[k.last]))
        return false;
    look_ahead(&k);
    _Alignas(TM_LINE) char buffer[BUFFER + TM_LINE];
    k.buffer = goes_past(&k) ? buffer : NULL;
    bool good = run_from(&k, 0, w->table, w->dense, offset, kept);
    if (k.buffer) {
        write_waiting(&k);
        tm_bypass_end();
    }
    return good;
}

/* -- Which index is out of range --------------------------------------------------------------- */

/* Writes the index's digits; whether it is in -wrap..size-1. */
static bool in_range(tm_dtype dtype, const char *at, int64_t size, int64_t wrap, char *text,
                     size_t room)
{
    const tm_index_source as_it_is = {.stride = 1};
    int64_t index = 0;
    resolver_of(dtype)(&as_it_is, at, 0, &index, 1);
    if (dtype == TM_UINT64)
        snprintf(text, room, "%llu", (unsigned long long)*(const uint64_t *)(const void *)at);
    else
        snprintf(text, room, "%lld", (long long)index);
    return index >= -wrap && index < size;
}

/* "indices[1, 2]", or the name alone for a 0-D tensor. */
static void name_element(const char *argument, int item, int ndim, const int64_t *index, char *text,
                         size_t room)
{
    int at = snprintf(text, room, item < 0 ? "%s" : "%s[%d]", argument, item);
    for (int d = 0; d < ndim && (size_t)at < room; d++)
        at += snprintf(text + at, room - (size_t)at, "%s%lld%s", d == 0 ? "[" : ", ",
                       (long long)index[d], d == ndim - 1 ? "]" : "");
}

tm_status tm_indexed_fail(tm_call *call, const char *argument, int item, const tm_tensor *index,
                          int column, int axis, int64_t size, int64_t wrap)
{
    enum { NUMBER = 24, NAME = 160 };
    char number[NUMBER], name[NAME];
    int64_t at[TM_MAX_NDIM] = {0};
    int ndim = tm_ndim(index);
    const char *from = tm_data(index);
    for (int64_t left = tm_numel(index); left > 0; left--) {
        bool meant = column < 0 || at[ndim - 1] == column;
        if (meant && !in_range(tm_dtype_of(index), from, size, wrap, number, sizeof number)) {
            name_element(argument, item, ndim, at, name, sizeof name);
            if (size == 0)
                return tm_fail_arg(call, TM_ERR_INDEX, argument, "%s is %s, but axis %d has size 0",
                                   name, number, axis);
            return tm_fail_arg(call, TM_ERR_INDEX, argument,
                               "%s is %s, out of range for axis %d of size %lld: must be in "
                               "%lld..%lld",
                               name, number, axis, (long long)size, (long long)-wrap,
                               (long long)size - 1);
        }
        for (int d = ndim; d-- > 0; at[d] = 0) {
            from += tm_indexed_step(index, d);
            if (++at[d] < tm_shape(index)[d])
                break;
            from -= tm_indexed_step(index, d) * tm_shape(index)[d];
        }
    }
    return TM_OK;
}

void tm_indexed_copy(const tm_tensor *x, tm_tensor *out)
{
    tm_copy_side from = {.base = (char *)(uintptr_t)tm_data(x), .dtype = tm_dtype_of(x)};
    tm_copy_side to = {.base = tm_mutable_data(out), .dtype = tm_dtype_of(out)};
    for (int d = 0; d < tm_ndim(x); d++) {
        from.step[d] = tm_indexed_step(x, d);
        to.step[d] = tm_indexed_step(out, d);
    }
    tm_copy(tm_ndim(x), tm_shape(x), &to, &from);
}
