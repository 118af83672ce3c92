/* vmap.c: levels.
 *
 * A level is a place in the thread's list of open levels, a mode that no call sees, and a scope.
 * Moving in and out rewrites a handle: a dimension leaves the shape for the batch list, or comes
 * back. Everything else about batches is the dispatcher's, which knows entries and loops only.
 *
 * The tm_vmap_level pointer that callers hold is the level's id in disguise and is never followed:
 * ids are not used again, so a stale one is found out, whatever has been allocated since.
 */
#include <assert.h>
#include <stdatomic.h>

#include <transmute/modes.h>

#include "dispatch/event.h"
#include "dispatch/given.h"
#include "dispatch/memory.h"
#include "dispatch/mode.h"
#include "dispatch/scope.h"
#include "modes/vmap.h"

typedef struct vmap_level {
    tm_mode mode;
    tm_scope scope;
    uint64_t id;
    bool functional; /* tm_vmap's own: the mapped function cannot pop it */
} vmap_level;

static const tm_mode_def vmap_mode = {.struct_size = sizeof(tm_mode_def), .name = "vmap"};
static _Atomic uint64_t last_id;

static tm_vmap_level *public_pointer(uint64_t id)
{
    return (tm_vmap_level *)(uintptr_t)id; /* NOLINT(performance-no-int-to-ptr): see above */
}

/* The open level behind a pointer, or NULL with the record set. */
static tm_open_level *find_level(tm_thread *thread, const tm_vmap_level *level,
                                 const char *function, bool innermost)
{
    if (!level) {
        tm_error_null(function, "level");
        return NULL;
    }
    for (int i = thread ? thread->num_levels : 0; i-- > (thread ? thread->level_base : 0);) {
        if (public_pointer(thread->levels[i].id) != level)
            continue;
        if (!innermost || i == thread->num_levels - 1)
            return &thread->levels[i];
        tm_error_set(TM_ERR_USAGE, function, "level", "level must be the innermost open one");
        return NULL;
    }
    tm_error_set(TM_ERR_ESCAPED, function, "level", "level has ended or is another thread's");
    return NULL;
}

static void close_level(vmap_level *level)
{
    tm_thread *thread = tm_thread_get();
    if (tm_modes_listen(thread)) {
        const tm_event_arg arg = {"level", TM_TYPE_INT, false, {.i = (int64_t)level->id}};
        tm_modes_tell(thread, "end", 1, &arg, NULL);
    }
    tm_modes_close_to(thread, &level->mode);
    tm_scope_close(thread, &level->scope);
    tm_mode_leave(thread, &level->mode);
    tm_storage_free_blocks(&thread->levels[--thread->num_levels]);
    tm_free(level, sizeof *level);
}

static void close_mode(tm_mode *mode)
{
    close_level((vmap_level *)mode); /* the mode is its first member */
}

tm_status tm_vmap_take_options(const tm_vmap_options *given, tm_vmap_options *options)
{
    *options = (tm_vmap_options){.struct_size = sizeof *options};
    if (!given)
        return TM_OK;
    return tm_given_take("vmap", "options", TM_GIVEN_TYPE(tm_vmap_options, randomness), given,
                         options);
}

tm_vmap_level *tm_vmap_push(const tm_vmap_options *given)
{
    tm_thread *thread = tm_thread_get();
    tm_vmap_options options;
    if (tm_vmap_take_options(given, &options) != TM_OK)
        return NULL;
    if (thread && (thread->num_levels - thread->level_base >= TM_MAX_LEVELS ||
                   thread->num_levels == TM_OPEN_LEVELS)) {
        tm_error_set(TM_ERR_USAGE, "vmap", NULL, "at most %d levels can be open", TM_MAX_LEVELS);
        return NULL;
    }
    tm_randomness randomness = options.randomness;
    if (randomness < TM_RANDOMNESS_ERROR || randomness > TM_RANDOMNESS_SAME) {
        tm_error_set(TM_ERR_VALUE, "vmap", "randomness", "%d is no randomness", (int)randomness);
        return NULL;
    }
    if (options.size && *options.size < 0) {
        tm_error_set(TM_ERR_VALUE, "vmap", "size", "size must not be negative, got %lld",
                     (long long)*options.size);
        return NULL;
    }
    if (options.chunk_size != 0) {
        tm_error_set(TM_ERR_USAGE, "vmap", "chunk_size",
                     "chunk_size is for tm_vmap, which runs the mapped function once per piece; "
                     "a level is one piece, so here it must be 0");
        return NULL;
    }
    vmap_level *level = thread ? tm_alloc(sizeof *level) : NULL;
    if (!level) {
        tm_error_memory("vmap", (int64_t)sizeof *level);
        return NULL;
    }
    level->functional = false;
    level->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    tm_mode_enter(thread, &level->mode, &vmap_mode, level);
    level->mode.close = close_mode;
    tm_scope_open(thread, &level->scope);
    thread->levels[thread->num_levels++] = (tm_open_level){
        .id = level->id,
        .size = options.size ? *options.size : -1,
        .whole = -1,
        .random_mode = randomness,
        .owner = level,
    };
    thread->last_level = level->id;
    if (tm_modes_listen(thread)) {
        static const char *const names[] = {"error", "different", "same"};
        const tm_event_arg args[] = {
            {"size", TM_TYPE_INT, true, {.opt = options.size}},
            {"randomness", TM_TYPE_STR, false, {.str = names[randomness]}}};
        tm_modes_tell(thread, "vmap", 2, args, NULL);
    }
    return public_pointer(level->id);
}

/* x's own entry or its storage's at the level. */
static bool is_mapped(const tm_tensor *x, uint64_t id)
{
    if (x->plain)
        return false;
    for (int i = 0; i < x->num_entries; i++)
        if (x->entries[i].level == id)
            return true;
    return tm_storage_entry(x->storage, id) != NULL;
}

/* "in" or "out" of a tensor that has become `result`. */
static tm_tensor *tell_moved(tm_thread *thread, const char *event, const tm_tensor *x, int64_t dim,
                             tm_tensor *result)
{
    if (result && tm_modes_listen(thread)) {
        const tm_event_arg args[] = {
            {"x", TM_TYPE_TENSOR, false, {.tensor = x}},
            {"dim", TM_TYPE_INT, true, {.opt = dim == TM_NOT_MAPPED ? NULL : &dim}}};
        tm_modes_tell(thread, event, 2, args, result);
    }
    return result;
}

static tm_tensor *no_memory(void)
{
    tm_error_memory("vmap", (int64_t)tm_handle_size(TM_MAX_NDIM, TM_MAX_LEVELS));
    return NULL;
}

/* x without dimension `dim`, which becomes an entry of the level. */
static tm_tensor *move_in(tm_thread *thread, const tm_open_level *open, const tm_tensor *x, int dim)
{
    int entries = x->plain ? 0 : x->num_entries;
    tm_tensor *y = tm_handle_new(thread, tm_handle_storage_for_view(thread, x), (tm_dtype)x->dtype,
                                 x->ndim - 1, entries + 1);
    if (!y)
        return no_memory();
    y->offset = tm_handle_offset(x) + open->first * x->strides[dim];
    y->row_major = x->row_major && dim == 0;
    for (int d = 0, k = 0; d < x->ndim; d++) {
        if (d == dim)
            continue;
        tm_handle_shape(y)[k] = x->shape[d];
        tm_handle_strides(y)[k++] = x->strides[d];
    }
    for (int i = 0; i < entries; i++)
        y->entries[i] = x->entries[i];
    y->entries[entries] =
        (tm_batch_entry){open->id, open->size, open->size < 2 ? 0 : x->strides[dim]};
    return tm_scope_adopt(thread, y);
}

tm_tensor *tm_vmap_in(tm_vmap_level *level, const tm_tensor *x, int64_t in_dim)
{
    tm_thread *thread = tm_thread_get();
    tm_open_level *open = find_level(thread, level, "vmap", true);
    if (!open || tm_handle_check(thread, x, "vmap", "x") != TM_OK)
        return NULL;
    if (in_dim == TM_NOT_MAPPED)
        return tell_moved(thread, "in", x, in_dim, tm_alias(x));
    if (is_mapped(x, open->id)) {
        tm_error_set(TM_ERR_USAGE, "vmap", "x", "x is mapped at this level already");
        return NULL;
    }
    int64_t dim = in_dim < 0 ? in_dim + x->ndim : in_dim;
    if (dim < 0 || dim >= x->ndim) {
        if (x->ndim == 0)
            tm_error_set(TM_ERR_DIM, "vmap", "in_dim",
                         "in_dim %lld is out of range: x has no dimensions", (long long)in_dim);
        else
            tm_error_set(TM_ERR_DIM, "vmap", "in_dim",
                         "in_dim %lld is out of range for x with %d dimension%s, must be in "
                         "%d..%d",
                         (long long)in_dim, x->ndim, x->ndim == 1 ? "" : "s", -x->ndim,
                         x->ndim - 1);
        return NULL;
    }
    if (open->size < 0)
        open->size = x->shape[dim];
    if (tm_level_whole(open) != x->shape[dim]) {
        tm_error_set(TM_ERR_SHAPE, "vmap", "x",
                     "x has size %lld at in_dim %lld, but the level's size is %lld",
                     (long long)x->shape[dim], (long long)in_dim, (long long)tm_level_whole(open));
        return NULL;
    }
    return tell_moved(thread, "in", x, in_dim, move_in(thread, open, x, (int)dim));
}

/* The storage that y stands on once it is out of the level: a record that later mapped writes
 * inside the level do not reach. */
static tm_storage *storage_outside(tm_thread *thread, const tm_open_level *open, const tm_tensor *y)
{
    if (!y->plain && tm_storage_inside(y->storage, thread, open->id))
        return tm_storage_derive(thread, y->storage, open->id);
    return tm_handle_storage_for_view(thread, y);
}

/* y with the level's entry as dimension `dim` of its shape. */
static tm_tensor *move_out(tm_thread *thread, const tm_open_level *open, const tm_tensor *y,
                           int dim)
{
    int64_t stride = 0, item = (int64_t)tm_dtype_size((tm_dtype)y->dtype);
    int own = -1, entries = y->plain ? 0 : y->num_entries;
    for (int i = 0; i < entries; i++)
        if (y->entries[i].level == open->id)
            own = i;
    if (own >= 0)
        stride = y->entries[own].stride;
    const tm_batch_entry *its = y->plain ? NULL : tm_storage_entry(y->storage, open->id);
    if (its)
        stride += its->stride / item;
    tm_storage *storage = storage_outside(thread, open, y);
    tm_tensor *out =
        tm_handle_new(thread, storage, (tm_dtype)y->dtype, y->ndim + 1, entries - (own >= 0));
    if (!out)
        return no_memory();
    out->offset = tm_handle_offset(y);
    for (int d = 0, k = 0; d <= y->ndim; d++) {
        bool moved = d == dim;
        tm_handle_shape(out)[d] = moved ? open->size : y->shape[k];
        tm_handle_strides(out)[d] = moved ? stride : y->strides[k];
        k += !moved;
    }
    for (int i = 0, k = 0; i < entries; i++)
        if (i != own)
            out->entries[k++] = y->entries[i];
    return out;
}

tm_tensor *tm_vmap_out(tm_vmap_level *level, const tm_tensor *y, int64_t out_dim)
{
    tm_thread *thread = tm_thread_get();
    tm_open_level *open = find_level(thread, level, "vmap", true);
    if (!open || tm_handle_check(thread, y, "vmap", "y") != TM_OK)
        return NULL;
    tm_tensor *out;
    if (out_dim == TM_NOT_MAPPED) {
        if (is_mapped(y, open->id)) {
            tm_error_set(TM_ERR_USAGE, "vmap", "out_dim",
                         "out_dim is TM_NOT_MAPPED, but y is mapped at the level");
            return NULL;
        }
        out = tm_handle_view_on(thread, storage_outside(thread, open, y), y, y->ndim, y->shape,
                                y->strides, 0);
        if (!out)
            return no_memory();
    } else {
        if (open->size < 0) {
            tm_error_set(TM_ERR_USAGE, "vmap", "size",
                         "nothing is mapped at the level and no size was given");
            return NULL;
        }
        int64_t dim = out_dim < 0 ? out_dim + y->ndim + 1 : out_dim;
        if (dim < 0 || dim > y->ndim) {
            tm_error_set(TM_ERR_DIM, "vmap", "out_dim",
                         "out_dim %lld is out of range for a result with %d dimension%s, must be "
                         "in %d..%d",
                         (long long)out_dim, y->ndim + 1, y->ndim == 0 ? "" : "s", -y->ndim - 1,
                         y->ndim);
            return NULL;
        }
        if (y->ndim == TM_MAX_NDIM) {
            tm_error_set(TM_ERR_RANK, "vmap", "y", "the result would have more than %d dimensions",
                         TM_MAX_NDIM);
            return NULL;
        }
        int64_t bytes = tm_item_size(y->dtype);
        bool fits = tm_mul_size(bytes, open->size ? open->size : 1, &bytes);
        for (int d = 0; d < y->ndim; d++)
            fits = fits && tm_mul_size(bytes, y->shape[d] ? y->shape[d] : 1, &bytes);
        if (!fits || bytes > PTRDIFF_MAX / 2) {
            tm_error_set(TM_ERR_SHAPE, "vmap", "y",
                         "the result's bytes do not fit in memory's address range");
            return NULL;
        }
        out = move_out(thread, open, y, (int)dim);
        if (!out)
            return NULL;
    }
    tm_scope *innermost = thread->scope;
    thread->scope = ((vmap_level *)open->owner)->scope.parent;
    tm_scope_adopt(thread, out);
    thread->scope = innermost;
    return tell_moved(thread, "out", y, out_dim, out);
}

tm_status tm_vmap_pop(tm_vmap_level *level)
{
    tm_thread *thread = tm_thread_get();
    tm_open_level *open = find_level(thread, level, "vmap_pop", true);
    if (!open)
        return tm_error_code();
    vmap_level *own = open->owner;
    if (thread->top != &own->mode || thread->top == thread->floor || thread->scope != &own->scope ||
        own->functional)
        return tm_error_set(TM_ERR_USAGE, "vmap_pop", "level",
                            "level must be the innermost of modes and scopes, and not the one that "
                            "the running mapped function was called in");
    close_level(own);
    return TM_OK;
}

/* Of a level that is known to be open. */
static tm_open_level *open_of(tm_vmap_level *level)
{
    tm_open_level *open = find_level(tm_thread_get(), level, "vmap", false);
    assert(open);
    return open;
}

static vmap_level *record_of(tm_vmap_level *level)
{
    return open_of(level)->owner;
}

void tm_vmap_close(tm_vmap_level *level)
{
    close_level(record_of(level));
}

void tm_vmap_guard(tm_vmap_level *level)
{
    record_of(level)->functional = true;
}

void tm_vmap_make_piece(tm_vmap_level *level, int64_t first, int64_t whole)
{
    tm_open_level *open = open_of(level);
    open->first = first;
    open->whole = whole;
}

void tm_vmap_close_inside(tm_vmap_level *level)
{
    tm_thread *thread = tm_thread_get();
    vmap_level *own = record_of(level);
    tm_modes_close_to(thread, &own->mode);
    while (thread->scope != &own->scope)
        tm_scope_close(thread, thread->scope);
}

int64_t tm_vmap_size(const tm_vmap_level *level)
{
    const tm_open_level *open = find_level(tm_thread_get(), level, "vmap_size", false);
    return open ? tm_level_whole(open) : -1;
}

uint64_t tm_vmap_id(const tm_vmap_level *level)
{
    const tm_open_level *open = find_level(tm_thread_get(), level, "vmap_id", false);
    return open ? open->id : 0;
}

tm_vmap_level *tm_vmap_current(void)
{
    tm_thread *thread = tm_thread_get();
    if (!thread || thread->num_levels == thread->level_base)
        return NULL;
    return public_pointer(thread->levels[thread->num_levels - 1].id);
}

tm_tensor *tm_vmap_index(tm_vmap_level *level)
{
    tm_thread *thread = tm_thread_get();
    const tm_open_level *open = find_level(thread, level, "vmap_index", false);
    if (!open)
        return NULL;
    if (open->size < 0) {
        tm_error_set(TM_ERR_USAGE, "vmap_index", "level",
                     "nothing is mapped at the level yet and no size was given");
        return NULL;
    }
    int64_t bytes;
    tm_tensor *index = NULL;
    if (tm_mul_size(open->size, 8, &bytes))
        index = tm_handle_new_storage(thread, TM_INT64, 0, NULL, bytes, 1);
    else
        bytes = INT64_MAX;
    if (!index) {
        tm_error_memory("vmap_index", bytes);
        return NULL;
    }
    tm_storage *storage = index->storage;
    for (int64_t i = 0; i < open->size; i++)
        ((int64_t *)(void *)storage->data)[i] = open->first + i;
    storage->entries[0] = (tm_batch_entry){open->id, open->size, 8};
    storage->num_entries = 1;
    tm_scope_adopt(thread, index);
    if (tm_modes_listen(thread)) {
        const tm_event_arg arg = {
            "level", TM_TYPE_INT, false, {.i = open - &thread->levels[thread->level_base] + 1}};
        tm_modes_tell(thread, "vmap_index", 1, &arg, index);
    }
    return index;
}
