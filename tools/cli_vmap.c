/* cli_vmap.c: --vmap, read and checked before anything runs.
 *
 * All that can be wrong with the in_dims shows in the shapes of the files: an outer level takes a
 * dimension away from a tensor, and the next level counts what is left. So the levels are played
 * through on copies of the shapes; what the op says comes later and is never mixed up with it.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int read_dims(tm_cli_memory *memory, const char *option, const char *text, size_t length,
                     int *count, int64_t **dims)
{
    size_t entries = 1;
    for (size_t i = 0; i < length; i++)
        entries += text[i] == ',';
    *dims = tm_cli_alloc(memory, entries, sizeof **dims);
    *count = (int)entries;
    for (size_t e = 0; e < entries; e++) {
        size_t one = 0;
        while (one < length && text[one] != ',')
            one++;
        bool absent = one == 1 && text[0] == '-';
        if (absent)
            (*dims)[e] = TM_NOT_MAPPED;
        else if (!tm_cli_int(text, one, &(*dims)[e]) || (*dims)[e] == TM_NOT_MAPPED)
            return tm_cli_wrong("--vmap '%s': '%.*s' is no dimension, nor - for not mapped", option,
                                (int)(one > 80 ? 80 : one), text);
        text += one + 1;
        length -= one < length ? one + 1 : one;
    }
    return TM_EXIT_OK;
}

int tm_cli_level_read(tm_cli_memory *memory, const char *text, tm_cli_level *level)
{
    *level = (tm_cli_level){.text = text};
    size_t length = strcspn(text, ":");
    int code = read_dims(memory, text, text, length, &level->num_in, &level->in);
    if (code == TM_EXIT_OK && text[length] == ':') {
        const char *out = text + length + 1;
        code = read_dims(memory, text, out, strlen(out), &level->num_out, &level->out);
    }
    return code;
}

/* A tensor's shape as the levels so far have left it. */
typedef struct shape {
    int ndim;
    int64_t size[TM_MAX_NDIM];
} shape;

static int check_counts(const tm_cli_level *level, const tm_cli_bound *bound)
{
    int tensors = bound->num_tensors, outputs = tm_op_num_outputs(bound->op);
    const char *name = tm_op_name(bound->op);
    if (tensors == 0 && (level->num_in != 1 || level->in[0] != TM_NOT_MAPPED))
        return tm_cli_wrong("--vmap '%s': there is no tensor to map; write --vmap=- with --size",
                            level->text);
    if (level->num_in != 1 && level->num_in != tensors)
        return tm_cli_wrong("--vmap '%s': %d in_dims, but %s has %d tensor%s here", level->text,
                            level->num_in, name, tensors, tensors == 1 ? "" : "s");
    if (tm_cli_gives_list(bound->op)) /* how long it is shows when it is there */
        return TM_EXIT_OK;
    if (level->num_out > 1 && level->num_out != outputs)
        return tm_cli_wrong("--vmap '%s': %d out_dims, but %s has %d output%s", level->text,
                            level->num_out, name, outputs, outputs == 1 ? "" : "s");
    for (int i = 0; level->num_out && i < outputs; i++)
        if (tm_op_output_type(bound->op, i) != TM_TYPE_TENSOR &&
            level->out[level->num_out == 1 ? 0 : i] != TM_NOT_MAPPED)
            return tm_cli_wrong(
                "--vmap '%s': output %d of %s is one host value and has no dimension", level->text,
                i, name);
    return TM_EXIT_OK;
}

static int64_t in_dim(const tm_cli_level *level, int tensor)
{
    return level->in[level->num_in == 1 ? 0 : tensor];
}

/* Finds each tensor's dimension at the level, counted from the front. */
static int check_ranges(tm_cli_memory *memory, tm_cli_level *level, const tm_cli_bound *bound,
                        const shape *shapes)
{
    level->dim = tm_cli_alloc(memory, (size_t)bound->num_tensors + 1, sizeof *level->dim);
    for (int t = 0; t < bound->num_tensors; t++) {
        int64_t dim = in_dim(level, t);
        int ndim = shapes[t].ndim;
        level->dim[t] = dim < 0 && dim != TM_NOT_MAPPED ? dim + ndim : dim;
        if (dim == TM_NOT_MAPPED || (level->dim[t] >= 0 && level->dim[t] < ndim))
            continue;
        if (ndim == 0)
            return tm_cli_wrong(
                "--vmap '%s': in_dim %lld is out of range: %s has no dimensions here", level->text,
                (long long)dim, bound->tensors[t].label);
        return tm_cli_wrong("--vmap '%s': in_dim %lld is out of range: %s has %d dimension%s here, "
                            "must be in %d..%d",
                            level->text, (long long)dim, bound->tensors[t].label, ndim,
                            ndim == 1 ? "" : "s", -ndim, ndim - 1);
    }
    return TM_EXIT_OK;
}

/* A tensor's size at the level, -1 where it is not mapped. */
static int64_t size_at(const tm_cli_level *level, const shape *shapes, int t)
{
    return level->dim[t] == TM_NOT_MAPPED ? -1 : shapes[t].size[level->dim[t]];
}

/* The level's size: as given, or what most mapped tensors have (the earliest of equals). Any tensor
 * of another size is the odd one. */
static int check_sizes(tm_cli_level *level, const tm_cli_bound *bound, const shape *shapes)
{
    int best = 0, tensors = bound->num_tensors;
    for (int t = 0; !level->has_size && t < tensors; t++) {
        int64_t size = size_at(level, shapes, t);
        int same = 0;
        for (int k = 0; size >= 0 && k < tensors; k++)
            same += size_at(level, shapes, k) == size;
        if (same > best) {
            best = same;
            level->size = size;
        }
    }
    if (!level->has_size && best == 0)
        return tm_cli_wrong("--vmap '%s': no tensor is mapped and no --size is given", level->text);
    for (int t = 0; t < tensors; t++) {
        int64_t size = size_at(level, shapes, t);
        if (size >= 0 && size != level->size)
            return tm_cli_wrong("--vmap '%s': %s has size %lld at in_dim %lld, but %s %lld",
                                level->text, bound->tensors[t].label, (long long)size,
                                (long long)in_dim(level, t),
                                level->has_size ? "--size is" : "the other tensors have size",
                                (long long)level->size);
    }
    return TM_EXIT_OK;
}

static void take_away(const tm_cli_level *level, int tensors, shape *shapes)
{
    for (int t = 0; t < tensors; t++) {
        if (level->dim[t] == TM_NOT_MAPPED)
            continue;
        shape *s = &shapes[t];
        s->ndim--;
        for (int d = (int)level->dim[t]; d < s->ndim; d++)
            s->size[d] = s->size[d + 1];
    }
}

int tm_cli_levels_check(tm_cli_memory *memory, tm_cli_level *levels, int count,
                        const tm_cli_bound *bound)
{
    if (count > TM_MAX_LEVELS)
        return tm_cli_wrong("--vmap: at most %d levels, got %d", TM_MAX_LEVELS, count);
    shape *shapes = tm_cli_alloc(memory, (size_t)bound->num_tensors + 1, sizeof *shapes);
    for (int t = 0; t < bound->num_tensors; t++) {
        const tm_tensor *x = bound->tensors[t].tensor;
        shapes[t].ndim = tm_ndim(x);
        for (int d = 0; d < shapes[t].ndim; d++)
            shapes[t].size[d] = tm_shape(x)[d];
    }
    for (int l = 0; l < count; l++) {
        int code = check_counts(&levels[l], bound);
        if (code == TM_EXIT_OK)
            code = check_ranges(memory, &levels[l], bound, shapes);
        if (code == TM_EXIT_OK)
            code = check_sizes(&levels[l], bound, shapes);
        if (code != TM_EXIT_OK)
            return code;
        take_away(&levels[l], bound->num_tensors, shapes);
    }
    return TM_EXIT_OK;
}
