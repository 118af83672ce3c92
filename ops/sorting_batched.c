/* sorting_batched.c: many runs sorted at once, one in each lane of sorting networks.
 *
 * Values alone are sorted as numbers (sorting_numbers.h). Else keys are sorted together with their
 * indices, as one number where both fit in 64 bits; no two are equal then, so that the order is the
 * stable one. Where the first k elements are wanted, runs are sorted in pieces, and of what has
 * been seen the first ones are kept.
 */
#include <stdlib.h>

#include "dispatch/lanes_pack.h"
#include "dispatch/nest.h"
#include "ops_kernels.h"
#include "simd.h"
#include "sorting.h"
#include "sorting_keys.h"
#include "sorting_lanes.h"
#include "sorting_numbers.h"
#include "steps.h"

/* What is wanted of every run: the elements in order from `first` to k, which is not 0. Steps are
 * those along the run, in bytes. */
typedef struct task {
    tm_dtype dtype;
    bool descending, wide; /* keys have 64 bits */
    int64_t n, first, k, rows;
    int64_t x_step, values_step, indices_step;
    bool values, indices;
} task;

/* A run in each lane; from `count` on the last one again. */
typedef struct group {
    int count;
    char *x[TM_LANES32], *values[TM_LANES32], *indices[TM_LANES32];
} group;

/* Rows of numbers or pairs, those of a further piece, the keys of one, and where elements lie. */
typedef struct room {
    int64_t *w, *other;
    void *keys;
    int64_t *offset[3];
    int32_t *place;
    int64_t ahead[3]; /* bytes from a run to that of the next group */
} room;

enum { X, VALUES, INDICES };

static int64_t power_of_two(int64_t least)
{
    int64_t n = 16;
    while (n < least)
        n *= 2;
    return n;
}

/* How many rows are sorted at once: no more than hold a run, and no less than are wanted. */
static int64_t piece_rows(int64_t n, int64_t k)
{
    return power_of_two(k < n ? k : n);
}

size_t tm_sort_lanes_workspace(tm_dtype dtype, int64_t n, int64_t k)
{
    if (k > TM_LANES_MOST_ROWS)
        return 0;
    size_t rows = (size_t)piece_rows(n, k), keys = TM_LANES64 * sizeof(int64_t);
    size_t row = tm_dtype_size(dtype) == sizeof(int64_t) ? 2 * keys : keys;
    size_t places = 3 * sizeof(int64_t) + sizeof(int32_t);
    return rows * (keys + ((int64_t)rows < n ? 2 : 1) * row + places);
}

/* The parts of the workspace, and in it where the elements of a run lie. */
static room lay_out(const task *t, void *workspace)
{
    const int64_t step[3] = {t->x_step, t->values_step, t->indices_step};
    int64_t row = t->wide ? TM_PAIR_ROW : TM_LANES64;
    room r = {.keys = workspace};
    r.w = (int64_t *)r.keys + t->rows * TM_LANES64;
    r.other = r.w + t->rows * row;
    int64_t *end = t->rows < t->n ? r.other + t->rows * row : r.other;
    for (int o = X; o <= INDICES; o++, end += t->rows) {
        r.offset[o] = end;
        for (int64_t i = 0; i < t->rows; i++)
            end[i] = i * step[o];
    }
    r.place = (int32_t *)end;
    for (int64_t i = 0; i < t->rows; i++)
        r.place[i] = (int32_t)i;
    return r;
}

/* n elements of runs as rows of so many lanes. */
static tm_lanes_operand rows_of(const room *r, int operand, char **lane, int item, int64_t n,
                                void *rows, int lanes)
{
    bool close = r->offset[operand][n > 1] == (n > 1) * item, side_by_side = true;
    for (int l = 1; l < lanes && side_by_side; l++)
        side_by_side = lane[l] == lane[0] + l * item;
    return (tm_lanes_operand){.buffer = rows,
                              .count = n,
                              .run = close ? n : 1,
                              .offset = r->offset[operand],
                              .place = r->place,
                              .lane = lane,
                              .item = item,
                              .width = lanes,
                              .ahead = r->ahead[operand],
                              .side_by_side = side_by_side};
}

/* n elements of each run, and so many into those there are. */
static void load_rows(const room *r, char **lane, int item, int64_t n, void *rows, int lanes)
{
    tm_lanes_operand o = rows_of(r, X, lane, item, n, rows, lanes);
    tm_lanes_pack(&o);
}

static void store_rows(const room *r, int operand, char **lane, int count, int item, int64_t n,
                       void *rows, int lanes)
{
    for (int l = count; l < lanes; l++)
        lane[l] = lane[count - 1];
    tm_lanes_operand o = rows_of(r, operand, lane, item, n, rows, lanes);
    tm_lanes_unpack(&o, count);
}

/* -- Values alone ------------------------------------------------------------------------------ */

/* Puts zeros and NaNs, which numbers do not tell apart, among sorted elements in the order in which
 * they were. */
#define RESTORE(name, type)                                                                        \
    static void restore_##name(const task *t, const char *x, char *to)                             \
    {                                                                                              \
        int64_t before = 0, nans = 0;                                                              \
        for (int64_t i = 0; i < t->n; i++) {                                                       \
            type v;                                                                                \
            memcpy(&v, x + i * t->x_step, sizeof v);                                               \
            before += t->descending ? v > 0 : v < 0;                                               \
            nans += v != v;                                                                        \
        }                                                                                          \
        int64_t zero = before + (t->descending ? nans : 0);                                        \
        int64_t nan = t->descending ? 0 : t->n - nans;                                             \
        for (int64_t i = 0; i < t->n; i++) {                                                       \
            type v;                                                                                \
            memcpy(&v, x + i * t->x_step, sizeof v);                                               \
            if (v == 0)                                                                            \
                memcpy(to + zero++ * t->values_step, &v, sizeof v);                                \
            else if (v != v)                                                                       \
                memcpy(to + nan++ * t->values_step, &v, sizeof v);                                 \
        }                                                                                          \
    }
RESTORE(float32, float)
RESTORE(float64, double)

#define SORT_VALUES(bits, lanes)                                                                   \
    static void sort_values##bits(const task *t, group *g, const room *r)                          \
    {                                                                                              \
        int##bits##_t *w = r->keys;                                                                \
        load_rows(r, g->x, (bits) / 8, t->n, w, lanes);                                            \
        for (int64_t i = t->n * (lanes); i < t->rows * (lanes); i++)                               \
            w[i] = INT##bits##_MAX;                                                                \
        bool special = tm_to_numbers(t->dtype, t->descending, w, t->n * (lanes));                  \
        tm_lanes_sort##bits(w, t->n);                                                              \
        tm_from_numbers(t->dtype, t->descending, w, t->n *(lanes));                                \
        store_rows(r, VALUES, g->values, g->count, (bits) / 8, t->n, w, lanes);                    \
        for (int l = 0; l < g->count && special; l++)                                              \
            restore_float##bits(t, g->x[l], g->values[l]);                                         \
    }
SORT_VALUES(32, TM_LANES32)
SORT_VALUES(64, TM_LANES64)

/* -- With indices ------------------------------------------------------------------------------ */

#define KEY_ROWS(dt, type, key)                                                                    \
    case dt:                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int l = 0; l < TM_LANES64; l++) {                                                 \
                type v;                                                                            \
                memcpy(&v, at[l] + i * t->x_step, sizeof v);                                       \
                to[i * TM_LANES64 + l] = (int32_t)(key(v) ^ flip);                                 \
            }                                                                                      \
        break;

/* Rows of keys by way of those of sorting_keys.h. */
static void load_keys(const task *t, char *const *at, int64_t n, int32_t *to)
{
    uint32_t flip = (t->descending ? UINT32_MAX : 0) ^ (uint32_t)1 << 31;
    switch (t->dtype) {
        TM_NARROW_KEYS(KEY_ROWS)
    default: /* a wide key is a number */
        break;
    }
}

/* Rows of keys of n elements from `from` on; true where the elements cannot be had from them. */
static bool load(const task *t, const group *g, const room *r, int64_t from, int64_t n)
{
    char *at[TM_LANES64];
    for (int l = 0; l < TM_LANES64; l++)
        at[l] = g->x[l] + from * t->x_step;
    if (!tm_has_numbers(t->dtype)) {
        load_keys(t, at, n, r->keys);
        return true;
    }
    load_rows(r, at, (int)tm_dtype_size(t->dtype), n, r->keys, TM_LANES64);
    return tm_to_numbers(t->dtype, t->descending, r->keys, n * TM_LANES64);
}

/* Keys with the indices from `from` on. */
TM_INLINE void join_packed_body(const int32_t *keys, int64_t from, int64_t n, int64_t *w)
{
    for (int64_t i = 0; i < n; i++)
        for (int l = 0; l < TM_LANES64; l++)
            w[i * TM_LANES64 + l] =
                (int64_t)keys[i * TM_LANES64 + l] * ((int64_t)1 << 32) + from + i;
}

TM_INLINE void join_pairs_body(const int64_t *keys, int64_t from, int64_t n, int64_t *w)
{
    for (int64_t i = 0; i < n; i++)
        for (int l = 0; l < TM_LANES64; l++) {
            w[i * TM_PAIR_ROW + l] = keys[i * TM_LANES64 + l];
            w[i * TM_PAIR_ROW + TM_LANES64 + l] = from + i;
        }
}

/* The keys of n rows, and the indices as rows of their own in the place of both. */
TM_INLINE void part_packed_body(int64_t *w, int64_t n, int32_t *keys)
{
    for (int64_t i = 0; i < n * TM_LANES64; i++) {
        keys[i] = (int32_t)(w[i] >> 32);
        w[i] &= UINT32_MAX;
    }
}

TM_INLINE void part_pairs_body(int64_t *w, int64_t n, int64_t *keys)
{
    for (int64_t i = 0; i < n; i++)
        for (int l = 0; l < TM_LANES64; l++)
            keys[i * TM_LANES64 + l] = w[i * TM_PAIR_ROW + l];
    for (int64_t i = 0; i < n; i++)
        for (int l = 0; l < TM_LANES64; l++)
            w[i * TM_LANES64 + l] = w[i * TM_PAIR_ROW + TM_LANES64 + l];
}

TM_SIMD_VERSIONS(join_packed, join_packed_body,
                 (const int32_t *keys, int64_t from, int64_t n, int64_t *w), (keys, from, n, w))
TM_SIMD_VERSIONS(join_pairs, join_pairs_body,
                 (const int64_t *keys, int64_t from, int64_t n, int64_t *w), (keys, from, n, w))
TM_SIMD_VERSIONS(part_packed, part_packed_body, (int64_t * w, int64_t n, int32_t *keys),
                 (w, n, keys))
TM_SIMD_VERSIONS(part_pairs, part_pairs_body, (int64_t * w, int64_t n, int64_t *keys), (w, n, keys))

static void sort_indexed(const task *t, group *g, const room *r)
{
    bool lost = false;
    int64_t row = t->wide ? TM_PAIR_ROW : TM_LANES64;
    for (int64_t at = 0; at < t->n; at += t->rows) {
        int64_t *w = at == 0 ? r->w : r->other, left = t->n - at,
                n = left < t->rows ? left : t->rows;
        lost = load(t, g, r, at, n) || lost;
        for (int64_t i = n * row; i < t->rows * row; i++)
            w[i] = INT64_MAX;
        if (t->wide) {
            join_pairs(r->keys, at, n, w);
            tm_lanes_sort_pairs(w, n);
        } else {
            join_packed(r->keys, at, n, w);
            tm_lanes_sort64(w, n);
        }
        if (at > 0 && t->wide)
            tm_lanes_keep_pairs(r->w, w, t->rows);
        else if (at > 0)
            tm_lanes_keep64(r->w, w, t->rows);
    }
    int64_t *index = r->w + t->first * row, n = t->k - t->first;
    if (t->wide)
        part_pairs(index, n, r->keys);
    else
        part_packed(index, n, r->keys);
    if (t->indices)
        store_rows(r, INDICES, g->indices, g->count, sizeof(int64_t), n, index, TM_LANES64);
    if (t->values && !lost) {
        tm_from_numbers(t->dtype, t->descending, r->keys, n * TM_LANES64);
        store_rows(r, VALUES, g->values, g->count, (int)tm_dtype_size(t->dtype), n, r->keys,
                   TM_LANES64);
    }
    for (int l = 0; l < g->count && t->values && lost; l++) {
        tm_sort_order order = {(const char *)(index + l), TM_LANES64 * sizeof *index, false};
        tm_sort_gather(&order, n, g->x[l], t->x_step, g->values[l], t->values_step,
                       tm_dtype_size(t->dtype));
    }
}

/* -- All runs ---------------------------------------------------------------------------------- */

/* The loops in the order in which runs go to lanes: where a run's elements lie apart, neighbouring
 * runs are to be neighbours. */
static void order_loops(const tm_batch *batch, const task *t, int64_t *size, int64_t *step)
{
    int operands = batch->num_operands, inner = batch->ndim - 1;
    if (t->x_step != (int64_t)tm_dtype_size(t->dtype))
        for (int l = 0; l < batch->ndim; l++)
            if (llabs(batch->step[l * operands]) < llabs(batch->step[inner * operands]))
                inner = l;
    for (int l = 0, to = 0; l < batch->ndim; l++) {
        int at = l == inner ? batch->ndim - 1 : to++;
        size[at] = batch->size[l];
        memcpy(step + at * operands, batch->step + l * operands, (size_t)operands * sizeof *step);
    }
}

/* Whether networks are the faster way for such runs. */
static bool pays(const task *t)
{
    bool indexed = t->indices || !tm_has_numbers(t->dtype);
    int64_t most = TM_LANES_MOST_ROWS;
    if (tm_simd_level() == TM_SIMD_PORTABLE && (indexed || t->wide))
        most = t->wide && indexed ? 0 : 128;
    return t->k <= most;
}

static tm_status sort_all(tm_call *call, const tm_batch *batch, task *t, tm_tensor *values,
                          tm_tensor *indices)
{
    const tm_tensor *x = tm_call_arg(call, 0)->tensor;
    t->dtype = tm_dtype_of(x);
    t->n = tm_shape(x)[0];
    if (t->n == 0 || t->k == 0)
        return TM_OK;
    t->wide = tm_dtype_size(t->dtype) == sizeof(int64_t);
    t->values = values;
    t->indices = indices;
    t->rows = piece_rows(t->n, t->k);
    if (!pays(t)) {
        tm_batch_decline(call);
        return TM_OK;
    }
    t->x_step = tm_axis_step(x, 0);
    t->values_step = values && tm_ndim(values) ? tm_axis_step(values, 0) : 0;
    t->indices_step = indices && tm_ndim(indices) ? tm_axis_step(indices, 0) : 0;
    bool alone = !indices && tm_has_numbers(t->dtype);
    int lanes = alone && !t->wide ? TM_LANES32 : TM_LANES64;

    int64_t size[TM_MAX_LOOPS] = {0}, step[TM_MAX_LOOPS * 3] = {0}, index[TM_MAX_LOOPS];
    char *base[3] = {(char *)(uintptr_t)tm_data(x)}, *ptr[3];
    int operands = 1, values_at = 0, indices_at = 0;
    if (values)
        base[values_at = operands++] = tm_mutable_data(values);
    if (indices)
        base[indices_at = operands++] = tm_mutable_data(indices);
    order_loops(batch, t, size, step);
    tm_nest nest = {batch->ndim, operands, size, step, base};
    tm_nest_seek(&nest, 0, ptr, index);
    int64_t left = tm_loop_count(batch->ndim, size);
    room r = lay_out(t, tm_workspace(call));
    if (batch->ndim > 0) {
        const int64_t *along = step + (batch->ndim - 1) * operands;
        r.ahead[X] = along[0] * lanes;
        r.ahead[VALUES] = along[values_at] * lanes;
        r.ahead[INDICES] = along[indices_at] * lanes;
    }
    while (left > 0) {
        group g = {.count = left < lanes ? (int)left : lanes};
        for (int l = 0; l < g.count; l++) {
            g.x[l] = ptr[0];
            g.values[l] = ptr[values_at];
            g.indices[l] = ptr[indices_at];
            tm_nest_advance(&nest, batch->ndim - 1, 1, ptr, index);
        }
        for (int l = g.count; l < lanes; l++)
            g.x[l] = g.x[g.count - 1];
        if (!alone)
            sort_indexed(t, &g, &r);
        else if (t->wide)
            sort_values64(t, &g, &r);
        else
            sort_values32(t, &g, &r);
        left -= g.count;
    }
    return TM_OK;
}

static task whole(const tm_call *call)
{
    return (task){.k = tm_shape(tm_call_arg(call, 0)->tensor)[0],
                  .descending = tm_call_arg(call, 2)->b};
}

tm_status tm_sort_batched(tm_call *call, const tm_batch *batch)
{
    task t = whole(call);
    return sort_all(call, batch, &t, tm_call_output(call, 0), NULL);
}

tm_status tm_argsort_batched(tm_call *call, const tm_batch *batch)
{
    task t = whole(call);
    return sort_all(call, batch, &t, NULL, tm_call_output(call, 0));
}

tm_status tm_sort_with_indices_batched(tm_call *call, const tm_batch *batch)
{
    task t = whole(call);
    return sort_all(call, batch, &t, tm_call_output(call, 0), tm_call_output(call, 1));
}

tm_status tm_topk_batched(tm_call *call, const tm_batch *batch)
{
    task t = {.k = tm_call_arg(call, 1)->i, .descending = tm_call_arg(call, 3)->b};
    return sort_all(call, batch, &t, tm_call_output(call, 0), tm_call_output(call, 1));
}

tm_status tm_kthvalue_batched(tm_call *call, const tm_batch *batch)
{
    int64_t k = tm_call_arg(call, 1)->i;
    task t = {.first = k - 1, .k = k};
    return sort_all(call, batch, &t, tm_call_output(call, 0), tm_call_output(call, 1));
}
