/* cli_chunk.c: --chunk: the outermost level in pieces. It is a run of tm_vmap whose function opens
 * the inner levels, calls the op and leaves them.
 */
#include <transmute/error.h>
#include <transmute/tensor.h>

#include "cli.h"

typedef struct chunked {
    tm_cli_memory *memory;
    tm_cli_level *inner;
    int num_inner;
    tm_randomness randomness;
    tm_cli_bound *bound;
    tm_cli_results *results;
    int code;
} chunked;

static tm_status run_piece(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    chunked *c = user;
    for (int t = 0; t < c->bound->num_tensors; t++)
        c->bound->tensors[t].tensor = in[t];
    c->code = tm_cli_levels_enter(c->memory, c->inner, c->num_inner, c->randomness, c->bound);
    if (c->code == TM_EXIT_OK)
        c->code = tm_cli_call_op(c->memory, c->bound, c->results);
    if (c->code == TM_EXIT_OK)
        c->code = tm_cli_levels_leave(c->inner, c->num_inner, c->results);
    tm_cli_levels_close(c->inner, c->num_inner);
    for (int i = 0; c->code == TM_EXIT_OK && i < c->results->count; i++)
        out[i] = (tm_tensor *)(uintptr_t)c->results->values[i].tensor;
    return c->code == TM_EXIT_OK ? TM_OK : TM_ERR_USAGE;
}

int tm_cli_chunk_run(tm_cli_memory *memory, tm_cli_level *levels, int count,
                     tm_randomness randomness, int64_t chunk, tm_cli_bound *bound,
                     tm_cli_results *results)
{
    const tm_op *op = bound->op;
    int outputs = tm_op_num_outputs(op), tensors = bound->num_tensors;
    for (int i = 0; i < outputs; i++)
        if (tm_op_output_type(op, i) != TM_TYPE_TENSOR)
            return tm_cli_wrong("--chunk: %s returns something else than tensors", tm_op_name(op));
    const tm_tensor **in = tm_cli_alloc(memory, (size_t)tensors + 1, sizeof *in);
    for (int t = 0; t < tensors; t++)
        in[t] = bound->tensors[t].tensor;
    int64_t *out_dims = tm_cli_alloc(memory, (size_t)outputs, sizeof *out_dims);
    for (int i = 0; i < outputs && levels->num_out; i++)
        out_dims[i] = levels->out[levels->num_out == 1 ? 0 : i];
    tm_tensor **out = tm_cli_alloc(memory, (size_t)outputs, sizeof *out);
    tm_vmap_options options = {.struct_size = sizeof options,
                               .size = &levels->size,
                               .randomness = randomness,
                               .chunk_size = chunk};
    chunked c = {memory, levels + 1, count - 1, randomness, bound, results, TM_EXIT_OK};
    tm_status status =
        tm_vmap(run_piece, &c, &options, tensors, in, levels->dim, outputs, out, out_dims);
    if (c.code != TM_EXIT_OK)
        return c.code;
    if (status != TM_OK)
        return tm_cli_wrong_record("--vmap");
    for (int i = 0; i < outputs; i++)
        results->values[i].tensor = out[i];
    return TM_EXIT_OK;
}
