/* vmap_chunk.c: a batch in pieces.
 *
 * The mapped function runs once per piece, each time in a level of its own that knows where in the
 * batch it stands. Every mapped result belongs in one block, made when the first piece has told
 * dtype and shape: it is copied there, unless it has been made there (vmap_place.c). The piece's
 * memory is given back before the next one begins. So memory is bounded by the results and one
 * piece.
 *
 * Each piece finds the generators it draws from as they were at entry, and random numbers depend
 * on an example's index, not on the piece: the results are those of one run over all examples.
 */
#include <assert.h>
#include <string.h>

#include "dispatch/bypass.h"
#include "dispatch/cast.h"
#include "dispatch/event.h"
#include "dispatch/handle.h"
#include "dispatch/mode.h"
#include "dispatch/random.h"
#include "dispatch/scope.h"
#include "modes/vmap.h"
#include "modes/vmap_place.h"

enum { FEW = 8 };

/* -- How many at once -------------------------------------------------------------------------- */

/* Bytes of the mapped inputs per example; those of outer levels count each of their examples. */
static int64_t bytes_per_example(const tm_mapping *m)
{
    int64_t sum = 0;
    for (int i = 0; i < m->num_in; i++) {
        const tm_tensor *x = m->in[i];
        if (x == TM_NONE || m->in_dims[i] == TM_NOT_MAPPED)
            continue;
        tm_batch_entry entries[TM_MAX_LEVELS];
        int n = tm_handle_mapped(x) ? tm_handle_entries(x, entries) : 0;
        int64_t bytes = tm_handle_numel(x) / m->size * tm_item_size(x->dtype);
        for (int e = 0; e < n; e++)
            if (!tm_mul_size(bytes, entries[e].size, &bytes))
                return INT64_MAX;
        if (!tm_add_size(sum, bytes, &sum))
            return INT64_MAX;
    }
    return sum;
}

/* The fewest examples in a piece: where an input has the batch innermost, a piece of it is many
 * short runs, which are to be worth a memory's while. */
static int64_t least_chunk(const tm_mapping *m)
{
    enum { RUN = 2048 };
    int64_t least = 1;
    for (int i = 0; i < m->num_in; i++) {
        const tm_tensor *x = m->in[i];
        if (x == TM_NONE || m->in_dims[i] == TM_NOT_MAPPED)
            continue;
        int64_t dim = m->in_dims[i] < 0 ? m->in_dims[i] + x->ndim : m->in_dims[i];
        int64_t item = tm_item_size(x->dtype), step = tm_handle_step(x, (int)dim);
        assert(item > 0);
        if (tm_handle_numel(x) > m->size && step == item && RUN / item > least)
            least = RUN / item;
    }
    return least < m->size ? least : m->size;
}

int64_t tm_vmap_auto_chunk(const tm_mapping *m)
{
    int64_t bytes = m->size > 0 ? bytes_per_example(m) : 0;
    if (bytes == 0)
        return m->size;
    int64_t threads = tm_get_num_threads(), room = tm_cache_core() / 2 * threads;
    if (room > tm_cache_last() / 2)
        room = tm_cache_last() / 2;
    int64_t chunk = room / bytes, least = least_chunk(m);
    if (least < threads)
        least = threads;
    return chunk < least ? least : chunk;
}

/* -- Results ------------------------------------------------------------------------------------
 */

static int out_dim_of(const tm_mapping *m, int i, const tm_tensor *y)
{
    int64_t dim = m->out_dims ? m->out_dims[i] : 0;
    return (int)(dim < 0 ? dim + y->ndim : dim);
}

static bool is_mapped_out(const tm_mapping *m, int i)
{
    return !m->out_dims || m->out_dims[i] != TM_NOT_MAPPED;
}

/* Memory for all examples of a result, of which y has some along `dim`; with y's outer levels. */
static tm_tensor *make_block(tm_thread *thread, const tm_tensor *y, int dim, int64_t whole)
{
    int64_t shape[TM_MAX_NDIM], numel;
    memcpy(shape, y->shape, y->ndim * sizeof *shape);
    shape[dim] = whole;
    if (!tm_shape_numel((tm_dtype)y->dtype, y->ndim, shape, &numel)) {
        tm_error_set(TM_ERR_SHAPE, "vmap", "y",
                     "the result's bytes do not fit in memory's address range");
        return NULL;
    }
    tm_batch_entry entries[TM_MAX_LEVELS];
    int levels = tm_handle_mapped(y) ? tm_handle_entries(y, entries) : 0;
    int64_t bytes = numel * tm_item_size(y->dtype);
    bool fits = true;
    for (int l = levels; l-- > 0;) {
        entries[l].stride = bytes;
        fits = fits && tm_mul_size(bytes, entries[l].size, &bytes);
    }
    tm_tensor *block =
        fits ? tm_handle_new_storage(thread, (tm_dtype)y->dtype, y->ndim, shape, bytes, levels)
             : NULL;
    if (!block) {
        tm_error_memory("vmap", fits ? bytes : INT64_MAX);
        return NULL;
    }
    for (int l = 0; l < levels; l++)
        block->storage->entries[l] = entries[l];
    block->storage->num_entries = (uint8_t)levels;
    return tm_scope_adopt(thread, block);
}

/* y as one side of a copy over the `levels` of another tensor, then y's dimensions. */
static tm_copy_side side_of(const tm_tensor *y, int levels, const tm_batch_entry *level)
{
    tm_copy_side side = {.base = tm_handle_data(y), .dtype = (tm_dtype)y->dtype};
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_mapped(y) ? tm_handle_entries(y, entries) : 0;
    for (int l = 0; l < levels; l++) {
        side.step[l] = 0;
        for (int e = 0; e < n; e++)
            if (entries[e].level == level[l].level)
                side.step[l] = entries[e].stride;
    }
    for (int d = 0; d < y->ndim; d++)
        side.step[levels + d] = tm_handle_step(y, d);
    return side;
}

/* Sizes of x's levels, then of its dimensions; returns how many are levels. */
static int sizes_of(const tm_tensor *x, tm_batch_entry entries[TM_MAX_LEVELS], int64_t *size)
{
    int levels = tm_handle_mapped(x) ? tm_handle_entries(x, entries) : 0;
    for (int l = 0; l < levels; l++)
        size[l] = entries[l].size;
    for (int d = 0; d < x->ndim; d++)
        size[levels + d] = x->shape[d];
    return levels;
}

/* An outer level that only a later piece's result is mapped at. */
static tm_status add_levels(tm_thread *thread, const tm_tensor *block, const tm_tensor *y)
{
    tm_batch_entry entries[TM_MAX_LEVELS];
    int n = tm_handle_mapped(y) ? tm_handle_entries(y, entries) : 0;
    for (int e = 0; e < n; e++) {
        if (tm_storage_entry(block->storage, entries[e].level))
            continue;
        tm_open_level *level = tm_thread_level(thread, entries[e].level);
        if (!level || !tm_storage_promote(block->storage, level))
            return tm_error_memory("vmap", block->storage->root->bytes);
    }
    return TM_OK;
}

static tm_status write_piece(tm_thread *thread, const tm_tensor *block, const tm_tensor *y, int dim,
                             int64_t first)
{
    tm_status status = add_levels(thread, block, y);
    if (status != TM_OK)
        return status;
    tm_batch_entry entries[TM_MAX_LEVELS];
    int64_t size[TM_COPY_DIMS];
    int levels = sizes_of(block, entries, size);
    size[levels + dim] = y->shape[dim];
    tm_copy_side to = side_of(block, levels, entries), from = side_of(y, levels, entries);
    to.base += first * to.step[levels + dim];
    tm_copy(levels + y->ndim, size, &to, &from);
    return TM_OK;
}

/* -- Pieces agree -------------------------------------------------------------------------------
 */

/* Whether two results have one dtype and, but for dimension `dim`, one shape. */
static bool same_form(const tm_tensor *a, const tm_tensor *b, int dim)
{
    bool same = a->dtype == b->dtype && a->ndim == b->ndim;
    for (int d = 0; same && d < a->ndim; d++)
        same = d == dim || a->shape[d] == b->shape[d];
    return same;
}

static bool same_bytes(int n, const int64_t *size, const tm_copy_side *a, const char *at_a,
                       const tm_copy_side *b, const char *at_b, int dim)
{
    if (dim == n)
        return memcmp(at_a, at_b, tm_dtype_size(a->dtype)) == 0;
    bool same = true;
    for (int64_t i = 0; same && i < size[dim]; i++)
        same = same_bytes(n, size, a, at_a + i * a->step[dim], b, at_b + i * b->step[dim], dim + 1);
    return same;
}

/* Whether a result that is not mapped at the level is the same in two pieces, bit for bit. */
static bool same_value(const tm_tensor *a, const tm_tensor *b)
{
    tm_batch_entry levels_a[TM_MAX_LEVELS], levels_b[TM_MAX_LEVELS];
    int64_t size[TM_COPY_DIMS], size_b[TM_COPY_DIMS];
    int levels = sizes_of(a, levels_a, size);
    if (!same_form(a, b, -1) || sizes_of(b, levels_b, size_b) != levels)
        return false;
    for (int l = 0; l < levels; l++)
        if (levels_a[l].level != levels_b[l].level)
            return false;
    tm_copy_side side_a = side_of(a, levels, levels_a), side_b = side_of(b, levels, levels_a);
    return same_bytes(levels + a->ndim, size, &side_a, side_a.base, &side_b, side_b.base, 0);
}

static tm_status disagree(int i, const tm_tensor *y, const tm_tensor *before, int64_t first)
{
    enum { ROOM = 256 };
    char now[ROOM], then[ROOM];
    tm_sizes_print(now, ROOM, y->ndim, y->shape);
    tm_sizes_print(then, ROOM, before->ndim, before->shape);
    return tm_error_set(TM_ERR_USAGE, "vmap", "fn",
                        "the mapped function's output %d is %s %s in the piece from example %lld "
                        "on, which does not fit with %s %s so far",
                        i, tm_dtype_name((tm_dtype)y->dtype), now, (long long)first,
                        tm_dtype_name((tm_dtype)before->dtype), then);
}

/* Takes result i of a piece, whose handle it releases or makes the whole's. */
static tm_status take(const tm_mapping *m, int i, int64_t first, tm_tensor *y, tm_tensor **whole)
{
    tm_thread *thread = tm_thread_get();
    if (!is_mapped_out(m, i)) {
        if (!*whole) {
            *whole = y;
            return TM_OK;
        }
        tm_status status = TM_OK;
        if (!same_form(*whole, y, -1))
            status = disagree(i, y, *whole, first);
        else if (!same_value(*whole, y))
            status = tm_error_set(TM_ERR_USAGE, "vmap", "out_dim",
                                  "output %d is not mapped, but in the piece from example %lld on "
                                  "it has another value than before",
                                  i, (long long)first);
        tm_release(y);
        return status;
    }
    int dim = out_dim_of(m, i, y);
    tm_status status = TM_OK;
    if (!*whole)
        *whole = make_block(thread, y, dim, m->size);
    if (!*whole)
        status = tm_error_code();
    else if (!same_form(*whole, y, dim))
        status = disagree(i, y, *whole, first);
    else if (!tm_place_holds(*whole, y, dim, first, m->size) &&
             (status = tm_place_clear(thread, whole, first, m->size)) == TM_OK)
        status = write_piece(thread, *whole, y, dim, first);
    tm_release(y);
    return status;
}

/* The results of a piece that is `size` examples from `first` on; before it, `made` storages had
 * been made. */
static tm_status take_all(const tm_mapping *m, int64_t first, int64_t size, uint32_t made,
                          tm_tensor **part, tm_place *places, tm_tensor **out)
{
    tm_thread *thread = tm_thread_get();
    tm_status status = TM_OK;
    for (int i = 0; i < m->num_out; i++) {
        if (status == TM_OK && is_mapped_out(m, i))
            tm_place_learn(&places[i], part[i], out_dim_of(m, i, part[i]), made);
        if (status == TM_OK)
            status = take(m, i, first, part[i], &out[i]);
        else
            tm_release(part[i]);
    }
    for (int i = 0; i < m->num_out && status == TM_OK; i++)
        if (is_mapped_out(m, i))
            status = tm_place_clear(thread, &out[i], first + size, m->size);
    return status;
}

static tm_status run_pieces(const tm_mapping *m, int64_t chunk, tm_tensor **part, tm_place *places,
                            tm_tensor **out)
{
    tm_thread *thread = tm_thread_get();
    tm_random_mark mark;
    tm_random_mark_set(&mark, thread);
    tm_status status = TM_OK;
    for (int64_t first = 0; status == TM_OK; first += chunk) {
        int64_t left = m->size - first, size = left < chunk ? left : chunk;
        tm_random_restart(&mark);
        uint32_t made = thread->storages;
        tm_seat *seats = tm_places_offer(thread, m->num_out, places, out, first, size, m->size);
        status = tm_vmap_piece(m, first, size, part);
        thread->seats = seats;
        if (status == TM_OK)
            status = take_all(m, first, size, made, part, places, out);
        if (left <= chunk)
            break;
    }
    tm_random_mark_drop(&mark);
    return status;
}

tm_status tm_vmap_pieces(const tm_mapping *m, int64_t chunk, tm_tensor **out)
{
    tm_tensor *few_parts[FEW], **part = few_parts;
    tm_place few_places[FEW], *places = few_places;
    size_t num = (size_t)m->num_out, bytes = num > FEW ? num * (sizeof *part + sizeof *places) : 0;
    if (bytes) {
        if (!(places = tm_alloc(bytes)))
            return tm_error_memory("vmap", (int64_t)bytes);
        part = (tm_tensor **)(places + num);
    }
    for (size_t i = 0; i < num; i++)
        places[i].nth = 0;
    tm_thread *thread = tm_thread_get();
    if (tm_modes_listen(thread)) {
        const tm_event_arg args[] = {{"size", TM_TYPE_INT, false, {.i = m->size}},
                                     {"chunk_size", TM_TYPE_INT, false, {.i = chunk}}};
        tm_modes_tell(thread, "vmap_pieces", 2, args, NULL);
    }
    tm_status status = run_pieces(m, chunk, part, places, out);
    if (tm_modes_listen(thread))
        tm_modes_tell(thread, "vmap_pieces_end", 0, NULL, NULL);
    if (bytes)
        tm_free(places, bytes);
    for (int i = 0; status != TM_OK && i < m->num_out; i++) {
        tm_release(out[i]);
        out[i] = NULL;
    }
    return status;
}
