/* cli_level.c: the levels of --vmap around the one call.
 *
 *     outermost .. innermost   open, move every tensor in
 *     the call
 *     innermost .. outermost   move every result out, close
 *
 * The in_dims have been checked; what an out_dim can be depends on the results and shows here.
 */
#include <transmute/error.h>
#include <transmute/memory.h>

#include "cli.h"

int tm_cli_levels_enter(tm_cli_memory *memory, tm_cli_level *levels, int count,
                        tm_randomness randomness, tm_cli_bound *bound)
{
    for (int l = 0; l < count; l++) {
        const tm_vmap_options options = {
            .struct_size = sizeof options, .size = &levels[l].size, .randomness = randomness};
        levels[l].open = tm_vmap_push(&options);
        bool ok = levels[l].open != NULL;
        for (int t = 0; ok && t < bound->num_tensors; t++) {
            tm_cli_tensor *x = &bound->tensors[t];
            x->tensor = tm_vmap_in(levels[l].open, x->tensor, levels[l].dim[t]);
            ok = x->tensor != NULL;
        }
        if (!ok)
            return tm_cli_wrong_record("--vmap");
    }
    tm_cli_set_tensors(memory, bound);
    return TM_EXIT_OK;
}

/* Whether the result with the level's dimension still has a number of bytes. */
static bool fits(const tm_tensor *x, int64_t size)
{
    int64_t bytes;
    return !__builtin_mul_overflow(tm_numel(x), (int64_t)tm_dtype_size(tm_dtype_of(x)), &bytes) &&
           !__builtin_mul_overflow(bytes, size, &bytes);
}

static int move_out(tm_cli_level *level, const tm_cli_results *results)
{
    if (level->num_out > 1 && level->num_out != results->count)
        return tm_cli_wrong("--vmap '%s': %d out_dims, but %s returns %d tensor%s here",
                            level->text, level->num_out, tm_op_name(results->op), results->count,
                            results->count == 1 ? "" : "s");
    for (int i = 0; i < results->count; i++) {
        if (!tm_cli_gives_tensor(results->op, i))
            continue;
        int64_t dim = level->num_out ? level->out[level->num_out == 1 ? 0 : i] : 0;
        const tm_tensor *x = results->values[i].tensor;
        if (dim != TM_NOT_MAPPED && !fits(x, level->size))
            return tm_cli_wrong(
                "--vmap '%s': output %d would have too many elements: %lld examples", level->text,
                i, (long long)level->size);
        bool mapped = false;
        for (int k = 0; k < tm_num_levels(x); k++)
            mapped = mapped || tm_level_at(x, k, NULL) == tm_vmap_id(level->open);
        if (dim == TM_NOT_MAPPED && mapped)
            return tm_cli_wrong("--vmap '%s': out_dim - for output %d, which is mapped",
                                level->text, i);
        results->values[i].tensor = tm_vmap_out(level->open, x, dim);
        if (!results->values[i].tensor) {
            char what[256];
            snprintf(what, sizeof what, "--vmap '%.100s': output %d", level->text, i);
            return tm_cli_wrong_record(what);
        }
    }
    return TM_EXIT_OK;
}

int tm_cli_levels_leave(tm_cli_level *levels, int count, const tm_cli_results *results)
{
    for (int l = count; l-- > 0;) {
        int code = move_out(&levels[l], results);
        if (code != TM_EXIT_OK)
            return code;
        tm_vmap_pop(levels[l].open);
        levels[l].open = NULL;
    }
    return TM_EXIT_OK;
}

void tm_cli_levels_close(tm_cli_level *levels, int count)
{
    for (int l = count; l-- > 0;) {
        if (levels[l].open)
            tm_vmap_pop(levels[l].open);
        levels[l].open = NULL;
    }
}
