/* vmap_function.c: tm_vmap, the functional form: a level around each run of a function. */
#include "dispatch/error.h"

#include "dispatch/memory.h"
#include "dispatch/mode.h"
#include "modes/vmap.h"
enum { FEW = 16 };

/* Size of input i at its in_dim, -1 where it is not mapped or in_dim is out of range. */
static int64_t size_of(const tm_tensor *x, int64_t in_dim)
{
    if (!x || x == TM_NONE || in_dim == TM_NOT_MAPPED)
        return -1;
    int ndim = tm_ndim(x);
    int64_t dim = in_dim < 0 ? in_dim + ndim : in_dim;
    return dim >= 0 && dim < ndim ? tm_shape(x)[dim] : -1;
}

static tm_status check_inputs(int num_in, const tm_tensor *const *in, const int64_t *in_dims)
{
    for (int i = 0; i < num_in; i++) {
        if (!in[i])
            return tm_error_null("vmap", "in");
        if (in[i] == TM_NONE && in_dims[i] == TM_NOT_MAPPED)
            continue;
        if (in_dims[i] == TM_NOT_MAPPED || size_of(in[i], in_dims[i]) >= 0)
            continue;
        if (in[i] == TM_NONE)
            return tm_error_set(TM_ERR_USAGE, "vmap", "in", "input %d is TM_NONE but mapped", i);
        int ndim = tm_ndim(in[i]);
        if (ndim < 0)
            return tm_error_code();
        if (ndim == 0)
            return tm_error_set(TM_ERR_DIM, "vmap", "in_dims",
                                "in_dim %lld of input %d is out of range: it has no dimensions",
                                (long long)in_dims[i], i);
        return tm_error_set(TM_ERR_DIM, "vmap", "in_dims",
                            "in_dim %lld of input %d is out of range for its %d dimension%s, must "
                            "be in %d..%d",
                            (long long)in_dims[i], i, ndim, ndim == 1 ? "" : "s", -ndim, ndim - 1);
    }
    return TM_OK;
}

/* The batch size that most mapped inputs have (the earliest of equals); the first input that has
 * another is the odd one. */
static tm_status agree(const tm_vmap_options *options, int num_in, const tm_tensor *const *in,
                       const int64_t *in_dims, int64_t *size)
{
    *size = -1;
    if (options->size && *options->size < 0)
        return tm_error_set(TM_ERR_VALUE, "vmap", "size", "size must not be negative, got %lld",
                            (long long)*options->size);
    if (options->size) {
        *size = *options->size;
    } else {
        int best = 0;
        for (int i = 0; i < num_in; i++) {
            int64_t here = size_of(in[i], in_dims[i]);
            int same = 0;
            for (int k = 0; k < num_in && here >= 0; k++)
                same += size_of(in[k], in_dims[k]) == here;
            if (same > best) {
                best = same;
                *size = here;
            }
        }
    }
    for (int i = 0; i < num_in; i++) {
        int64_t here = size_of(in[i], in_dims[i]);
        if (here >= 0 && here != *size)
            return tm_error_set(TM_ERR_SHAPE, "vmap", "in",
                                "input %d has size %lld at in_dim %lld, but %s size %lld", i,
                                (long long)here, (long long)in_dims[i],
                                options->size ? "the given" : "the other inputs have",
                                (long long)*size);
    }
    if (*size < 0)
        return tm_error_set(TM_ERR_USAGE, "vmap", "in_dims",
                            "no input is mapped and no size was given");
    return TM_OK;
}

/* Outputs outlive what the function left open, which is closed before they move out. */
static tm_status move_out(tm_vmap_level *level, int num_out, tm_tensor **out,
                          const int64_t *out_dims, int *num_done)
{
    int held = 0;
    while (held < num_out && tm_retain(out[held]))
        held++;
    tm_status status = held < num_out ? tm_error_code() : TM_OK;
    tm_vmap_close_inside(level);
    for (int i = 0; i < held; i++) {
        tm_tensor *inner = out[i];
        if (status == TM_OK) {
            out[i] = tm_vmap_out(level, inner, out_dims ? out_dims[i] : 0);
            if (out[i])
                *num_done = i + 1;
            else
                status = tm_error_code();
        }
        tm_release(inner);
    }
    return status;
}

/* fn inside the level: moves in, runs, moves out. */
static tm_status run(tm_vmap_level *level, const tm_mapping *m, tm_tensor **out,
                     const tm_tensor **mapped, int *num_done)
{
    for (int i = 0; i < m->num_in; i++) {
        mapped[i] = m->in[i] == TM_NONE ? m->in[i] : tm_vmap_in(level, m->in[i], m->in_dims[i]);
        if (!mapped[i])
            return tm_error_code();
    }
    tm_thread *thread = tm_thread_get();
    uint64_t serial = thread->error_serial;
    tm_status status = m->fn(m->user, mapped, out);
    bool told = thread->error_serial != serial && tm_error_code() != TM_OK;
    if (status != TM_OK)
        return told ? status
                    : tm_error_set(status, "vmap", "fn",
                                   "the mapped function failed without an error");
    for (int i = 0; i < m->num_out; i++)
        if (!out[i])
            return told ? tm_error_code()
                        : tm_error_set(TM_ERR_USAGE, "vmap", "fn",
                                       "the mapped function left output %d unset", i);
    return move_out(level, m->num_out, out, m->out_dims, num_done);
}

tm_status tm_vmap_piece(const tm_mapping *m, int64_t first, int64_t size, tm_tensor **out)
{
    tm_vmap_options options = {
        .struct_size = sizeof options, .size = &size, .randomness = m->randomness};
    for (int i = 0; i < m->num_out; i++)
        out[i] = NULL;
    tm_vmap_level *level = tm_vmap_push(&options);
    if (!level)
        return tm_error_code();
    tm_vmap_guard(level);
    if (size != m->size)
        tm_vmap_make_piece(level, first, m->size);
    int num_done = 0;
    const tm_tensor *few[FEW], **mapped = few;
    size_t bytes = m->num_in > FEW ? (size_t)m->num_in * sizeof *mapped : 0;
    tm_status status;
    if (bytes && !(mapped = tm_alloc(bytes)))
        status = tm_error_memory("vmap", (int64_t)bytes);
    else
        status = run(level, m, out, mapped, &num_done);
    if (bytes)
        tm_free(mapped, mapped ? bytes : 0);
    for (int i = 0; status != TM_OK && i < m->num_out; i++) {
        if (i < num_done)
            tm_release(out[i]);
        out[i] = NULL;
    }
    tm_vmap_close(level);
    return status;
}

tm_status tm_vmap(tm_mapped_fn fn, void *user, const tm_vmap_options *given, int num_in,
                  const tm_tensor *const *in, const int64_t *in_dims, int num_out, tm_tensor **out,
                  const int64_t *out_dims)
{
    for (int i = 0; out && i < num_out; i++)
        out[i] = NULL;
    if (!fn || (num_in > 0 && (!in || !in_dims)) || (num_out > 0 && !out))
        return tm_error_null("vmap", !fn ? "fn" : !out && num_out > 0 ? "out" : "in");
    if (num_in < 0 || num_out < 0)
        return tm_error_set(TM_ERR_USAGE, "vmap", "num_in", "the counts must not be negative");
    tm_tensor *none;
    out = out ? out : &none; /* there are no outputs, and out is never NULL */
    tm_vmap_options options;
    if (tm_vmap_take_options(given, &options) != TM_OK)
        return tm_error_code();
    int64_t chunk = options.chunk_size;
    if (chunk < TM_CHUNK_AUTO)
        return tm_error_set(TM_ERR_VALUE, "vmap", "chunk_size",
                            "chunk_size must be positive, 0 for all examples at once, or "
                            "TM_CHUNK_AUTO, got %lld",
                            (long long)chunk);
    tm_mapping m = {.fn = fn,
                    .user = user,
                    .randomness = options.randomness,
                    .num_in = num_in,
                    .num_out = num_out,
                    .in = in,
                    .in_dims = in_dims,
                    .out_dims = out_dims};
    tm_status status = check_inputs(num_in, in, in_dims);
    if (status == TM_OK)
        status = agree(&options, num_in, in, in_dims, &m.size);
    if (status != TM_OK)
        return status;
    if (chunk == TM_CHUNK_AUTO)
        chunk = tm_vmap_auto_chunk(&m);
    if (chunk == 0 || chunk >= m.size)
        return tm_vmap_piece(&m, 0, m.size, out);
    return tm_vmap_pieces(&m, chunk, out);
}
