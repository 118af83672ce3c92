/* calls_tensor.c: new tensors for a program of calls. */
#include <string.h>

#include "fuzz/calls.h"
#include "law/values.h"

/* What a fresh tensor is to be, from one byte. */
typedef struct plan {
    bool mapped, outer, promoted, external, read_only;
    int layout;
    int ndim, batch; /* the batch's dimension */
    int64_t shape[TM_MAX_NDIM], size;
} plan;

static void free_memory(void *user)
{
    free(user);
}

/* Strides of one layout; the first element's offset, and all the room there must be. */
static void lay_out(const plan *p, int64_t *strides, int64_t *offset, int64_t *room)
{
    int64_t step = p->layout == 2 ? 2 : 1;
    *offset = p->layout == 0 ? 0 : 1;
    for (int i = 0; i < p->ndim; i++) {
        int d = p->layout == 1 ? i : p->ndim - 1 - i; /* 1: the first dimension innermost */
        strides[d] = step;
        step *= p->shape[d] > 0 ? p->shape[d] : 1;
    }
    *room = step + 2;
    if (p->layout != 3)
        return;
    for (int d = 0; d < p->ndim; d++) {
        *offset += p->shape[d] > 0 ? (p->shape[d] - 1) * strides[d] : 0;
        strides[d] = -strides[d];
    }
}

/* `data` is where the first element can be written. */
static tm_tensor *make(const plan *p, tm_dtype dtype, char **data, int64_t *strides)
{
    int64_t offset, room, item = (int64_t)tm_dtype_size(dtype);
    lay_out(p, strides, &offset, &room);
    if (p->external) {
        char *memory = calloc((size_t)room, (size_t)item);
        const tm_wrap_options options = {sizeof options, p->read_only, free_memory, memory};
        *data = memory + offset * item;
        tm_tensor *x = memory ? tm_wrap(dtype, p->ndim, p->shape, strides, *data, &options) : NULL;
        if (!x)
            free(memory);
        return x;
    }
    tm_tensor *x = p->layout == 0 ? tm_new(dtype, p->ndim, p->shape) : tm_new(dtype, 1, &room);
    *data = x ? tm_mutable_data(x) : NULL;
    if (!*data)
        return NULL;
    memset(*data, 0, (size_t)(tm_numel(x) * item));
    *data += offset * item;
    return p->layout == 0 ? x : tm_strided_view(x, p->ndim, p->shape, strides, offset);
}

/* Values of its own for every example along the batch's dimension. */
static bool fill(const plan *p, const tm_law_tensor *like, int seed, char *data,
                 const int64_t *strides)
{
    size_t item = tm_dtype_size(like->dtype);
    char *values = fuzz_pool((size_t)like->numel * item + 1);
    int64_t shape[TM_MAX_NDIM], steps[TM_MAX_NDIM];
    tm_law_rng rng = tm_law_rng_at((uint64_t)seed, 0);
    int ndim = 0;
    if (!values)
        return false;
    for (int d = 0; d < p->ndim; d++)
        if (!p->mapped || d != p->batch) {
            shape[ndim] = p->shape[d];
            steps[ndim++] = strides[d];
        }
    for (int64_t b = 0; b < (p->mapped ? p->size : 1); b++) {
        if (b == 0 && seed % 2 == 0)
            tm_law_original(&rng, like, values);
        else
            tm_law_variant(&rng, like, values);
        int64_t at = p->mapped ? b * strides[p->batch] * (int64_t)item : 0;
        if (like->numel > 0)
            tm_law_scatter(item, ndim, shape, steps, values, data + at);
    }
    return true;
}

/* Mapped at an outer level too: that level's index is added. */
static tm_tensor *map_outside(fuzz_machine *m, tm_tensor *x)
{
    int at = fuzz_below(m->bytes, m->depth ? m->depth : 1);
    tm_vmap_level *level = m->depth ? m->stack[at].level : NULL;
    if (!level || tm_dtype_of(x) == TM_BOOL)
        return x;
    tm_tensor *sum = tm_add(x, tm_astype(tm_vmap_index(level), tm_dtype_of(x)));
    tm_error_clear();
    return sum ? sum : x;
}

/* Copied into memory made here, which every example then has of its own. */
static tm_tensor *promote(tm_tensor *x)
{
    tm_tensor *y = tm_new(tm_dtype_of(x), tm_ndim(x), tm_shape(x));
    if (y && tm_numel(y) > 0)
        memset(tm_mutable_data(y), 0, (size_t)tm_numel(y) * tm_dtype_size(tm_dtype_of(y)));
    tm_tensor *copied = y ? tm_copy_(y, x) : NULL;
    tm_error_clear();
    return copied ? copied : x;
}

tm_tensor *fuzz_fresh(fuzz_machine *m, const tm_law_tensor *like)
{
    int how = fuzz_byte(m->bytes), seed = fuzz_byte(m->bytes);
    tm_vmap_level *level = fuzz_level(m);
    plan p = {.mapped = level && (how & 1) && like->ndim < TM_MAX_NDIM,
              .outer = (how & 6) == 6,
              .promoted = (how & 24) == 24,
              .external = (how & 224) == 224,
              .read_only = seed % 3 == 0,
              .layout = how >> 5 & 3};
    p.size = level ? tm_vmap_size(level) : -1;
    if (p.size < 0)
        p.size = 1 + seed % 3;
    if (like->numel * p.size > FUZZ_ELEMENTS)
        return NULL;
    p.batch = fuzz_below(m->bytes, p.mapped ? like->ndim + 1 : 0);
    for (int d = 0; d < like->ndim; d++) {
        if (p.mapped && d == p.batch)
            p.shape[p.ndim++] = p.size;
        p.shape[p.ndim++] = like->shape[d];
    }
    if (p.mapped && p.batch == like->ndim)
        p.shape[p.ndim++] = p.size;
    int64_t strides[TM_MAX_NDIM];
    char *data = NULL;
    tm_tensor *x = make(&p, like->dtype, &data, strides);
    if (!x || !fill(&p, like, seed, data, strides)) {
        tm_error_clear();
        return NULL;
    }
    if (p.mapped)
        x = tm_vmap_in(level, x, p.batch);
    FUZZ_REQUIRE(x || tm_error_code() == TM_ERR_MEMORY, "%s", tm_error_message());
    if (x && p.outer)
        x = map_outside(m, x);
    return x && p.promoted ? promote(x) : x;
}

tm_tensor *fuzz_any(fuzz_machine *m)
{
    tm_law_tensor like = {.dtype = (tm_dtype)(1 + fuzz_below(m->bytes, TM_NUM_DTYPES - 1)),
                          .ndim = fuzz_below(m->bytes, 5),
                          .numel = 1};
    int sizes = fuzz_byte(m->bytes);
    for (int d = 0; d < like.ndim; d++) {
        static const int64_t choice[] = {2, 3, 1, 0};
        like.shape[d] = choice[sizes >> 2 * d & 3];
        like.numel *= like.shape[d];
    }
    if (sizes % 7 == 0)
        like.generator = TM_LAW_SPECIAL;
    return fuzz_fresh(m, &like);
}
