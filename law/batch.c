/* batch.c: the call inside its levels, and nothing judged.
 *
 * One function goes down the levels. Each is opened through tm_vmap or by push, in, out and pop;
 * on the way tensors are made, copied and promoted at the depth that was drawn for them, and a mode
 * of the checker's may stand between two levels.
 */
#include <string.h>

#include "law/case.h"

typedef struct batch {
    tm_law_case *c;
    const tm_tensor **handles; /* the inputs as they stand at this depth; NULL: not made yet */
    const tm_tensor *watched[TM_MAX_OUTPUTS]; /* handles on written tensors made before the call */
    tm_tensor **results;
    int before, after; /* what the mode has seen */
} batch;

/* -- A mode in between ------------------------------------------------------------------------- */

static tm_mode_answer decline(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_DECLINE;
}

static tm_mode_answer pass_on(tm_call *call, void *state)
{
    (void)state;
    return tm_mode_pass_on(call) == TM_OK ? TM_MODE_HANDLED : TM_MODE_FAILED;
}

static void count_before(const tm_call *call, void *state)
{
    (void)call;
    ((batch *)state)->before++;
}

static void count_after(const tm_call *call, tm_status status, void *state)
{
    (void)call;
    (void)status;
    ((batch *)state)->after++;
}

static const tm_mode_def modes[] = {
    {.struct_size = sizeof(tm_mode_def), .name = "law: declines", .handle = decline},
    {.struct_size = sizeof(tm_mode_def), .name = "law: passes on", .handle = pass_on},
    {.struct_size = sizeof(tm_mode_def),
     .name = "law: observes",
     .before = count_before,
     .after = count_after},
};

/* -- The call ---------------------------------------------------------------------------------- */

static tm_status run_op(batch *b)
{
    tm_law_case *c = b->c;
    tm_law_outcome *out = &c->outcome;
    int num_params = tm_op_num_params(c->op), num_outputs = tm_op_num_outputs(c->op);
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    tm_law_args(c, b->handles, args);
    tm_law_random_args(c, args);
    tm_error_clear();
    uint64_t allocations = tm_memory_get_stats().allocations;
    out->infer_status =
        tm_law_infer(c->op, args, out->infer_specs, c->num_results, &out->infer_count);
    out->infer_allocations = tm_memory_get_stats().allocations - allocations;
    tm_law_take_failure(&out->infer_failure);
    tm_error_clear();
    for (int i = 0; i < c->num_inputs; i++) {
        const tm_law_input *in = &c->inputs[i];
        if (!in->written)
            continue;
        b->watched[in->output] = in->by_alias ? tm_alias(b->handles[i]) : b->handles[i];
        if (!b->watched[in->output]) {
            tm_law_problem(c, "no alias of %s: %s", in->name, tm_error_message());
            return TM_ERR_USAGE;
        }
    }
    out->called = true;
    out->status = c->fail_alloc ? tm_law_call_failing(c, args, results)
                                : tm_op_call(c->op, args, num_params, results, num_outputs);
    tm_law_random_counts(c);
    if (out->status != TM_OK) {
        tm_law_take_failure(&out->failure);
        return out->status;
    }
    if (tm_law_count_results(c->op, results) != c->num_results) {
        tm_law_problem(c, "the batch has %lld results, one example has %d",
                       (long long)tm_law_count_results(c->op, results), c->num_results);
        return TM_ERR_USAGE;
    }
    for (int i = 0; i < c->num_results; i++) {
        if (tm_law_gives_scalar(c->op, i)) {
            out->scalars[i] = results[i].scalar;
            continue;
        }
        b->results[i] = tm_law_result_at(c->op, results, i);
        if (i >= num_outputs || !b->watched[i])
            continue;
        for (int k = 0; k < c->num_inputs; k++)
            if (c->inputs[k].written && c->inputs[k].output == i && b->handles[k] != b->results[i])
                tm_law_problem(c, "result %d is not the handle of the written %s", i,
                               c->inputs[k].name);
        b->results[i] = (tm_tensor *)(uintptr_t)b->watched[i];
    }
    return TM_OK;
}

/* -- What is made on the way ------------------------------------------------------------------- */

/* A copy made here, by an op: its storage has the levels open now that x is mapped at. */
static const tm_tensor *copy_here(batch *b, const tm_law_input *in, const tm_tensor *x)
{
    const tm_op *astype = tm_op_find("astype", ""), *copy = tm_op_find("copy_", "");
    tm_value args[2] = {{.tensor = x}, {.dtype = tm_dtype_of(x)}}, result;
    if (in->source == TM_LAW_COPIED && astype && tm_op_num_params(astype) == 2)
        return tm_op_call(astype, args, 2, &result, 1) == TM_OK ? result.tensor : NULL;
    if (in->source == TM_LAW_PROMOTED && copy && tm_op_num_params(copy) == 2) {
        /* A view, with its axes the other way round, on a block made here. */
        int n = tm_ndim(x);
        int64_t strides[TM_MAX_NDIM], step = 1;
        for (int d = 0; d < n; d++) {
            strides[d] = step;
            step *= tm_shape(x)[d] > 0 ? tm_shape(x)[d] : 1;
        }
        int64_t room = step + 3;
        tm_tensor *block = tm_new(tm_dtype_of(x), 1, &room);
        args[0].tensor = tm_strided_view(block, n, tm_shape(x), strides, 2);
        args[1].tensor = x;
        return tm_op_call(copy, args, 2, &result, 1) == TM_OK ? args[0].tensor : NULL;
    }
    (void)b;
    return x; /* the op is not there: the handle itself */
}

static bool make_here(batch *b, int depth)
{
    tm_law_case *c = b->c;
    for (int i = 0; i < c->num_inputs; i++) {
        tm_law_input *in = &c->inputs[i];
        if (depth > 0 && in->written && in->made_at == depth) {
            if (!tm_law_build(c, in))
                return false;
            b->handles[i] = in->physical;
        }
        if (in->copied_at != depth || in->source < TM_LAW_COPIED)
            continue;
        b->handles[i] = copy_here(b, in, b->handles[i]);
        if (!b->handles[i])
            return tm_law_problem(c, "%s could not be copied inside the levels: %s", in->name,
                                  tm_error_message());
    }
    return true;
}

/* -- Down the levels --------------------------------------------------------------------------- */

static tm_status descend(batch *b, int depth);

static tm_vmap_options level_options(const tm_law_case *c, int level)
{
    return (tm_vmap_options){.struct_size = sizeof(tm_vmap_options),
                             .size = c->give_size[level] ? &c->size[level] : NULL,
                             .randomness = c->randomness[level]};
}

static tm_status by_hand(batch *b, int level)
{
    tm_law_case *c = b->c;
    tm_vmap_options options = level_options(c, level);
    tm_vmap_level *v = tm_vmap_push(&options);
    if (!v) {
        tm_law_problem(c, "tm_vmap_push fails: %s", tm_error_message());
        return TM_ERR_USAGE;
    }
    c->outcome.level_id[level] = tm_vmap_id(v);
    tm_status status = TM_OK;
    for (int i = 0; i < c->num_inputs && status == TM_OK; i++) {
        int64_t in_dim = c->inputs[i].in_dim[level];
        if (!b->handles[i] || (in_dim == TM_NOT_MAPPED && (i & 1)))
            continue;
        b->handles[i] = tm_vmap_in(v, b->handles[i], in_dim);
        if (b->handles[i])
            continue;
        tm_law_problem(c, "tm_vmap_in of %s fails: %s", c->inputs[i].name, tm_error_message());
        status = TM_ERR_USAGE;
    }
    if (status == TM_OK)
        status = descend(b, level + 1);
    for (int i = 0; i < c->num_results && status == TM_OK; i++) {
        if (!b->results[i])
            continue;
        b->results[i] = tm_vmap_out(v, b->results[i], c->out_dim[i][level]);
        if (b->results[i])
            continue;
        tm_law_problem(c, "tm_vmap_out of result %d fails: %s", i, tm_error_message());
        status = TM_ERR_USAGE;
    }
    if (tm_vmap_pop(v) != TM_OK)
        tm_law_problem(c, "tm_vmap_pop fails: %s", tm_error_message());
    return status;
}

typedef struct mapped {
    batch *b;
    int level;
    const tm_tensor **handles; /* as they stood outside the level: every piece begins with them */
} mapped;

static tm_status mapped_function(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    mapped *m = user;
    batch *b = m->b;
    tm_law_case *c = b->c;
    c->outcome.level_id[m->level] = tm_vmap_id(tm_vmap_current());
    for (int i = 0, at = 0; i < c->num_inputs; i++)
        b->handles[i] = m->handles[i] ? in[at++] : NULL;
    tm_status status = descend(b, m->level + 1);
    for (int i = 0, at = 0; i < c->num_results && status == TM_OK; i++)
        if (b->results[i])
            out[at++] = b->results[i];
    return status;
}

static tm_status by_function(batch *b, int level)
{
    tm_law_case *c = b->c;
    const tm_tensor **in = tm_law_alloc_pointers(c->arena, c->num_inputs);
    int64_t *in_dims = tm_law_alloc_array(c->arena, c->num_inputs, sizeof *in_dims);
    tm_tensor **out = tm_law_alloc_pointers(c->arena, c->num_results);
    int64_t *out_dims = tm_law_alloc_array(c->arena, c->num_results, sizeof *out_dims);
    const tm_tensor **handles = tm_law_alloc_pointers(c->arena, c->num_inputs);
    int num_in = 0, num_out = 0;
    if (!in || !in_dims || !out || !out_dims || !handles)
        return TM_ERR_MEMORY;
    for (int i = 0; i < c->num_inputs; i++)
        handles[i] = b->handles[i];
    for (int i = 0; i < c->num_inputs; i++) {
        if (!b->handles[i])
            continue;
        in[num_in] = b->handles[i];
        in_dims[num_in++] = c->inputs[i].in_dim[level];
    }
    for (int i = 0; i < c->num_results; i++)
        if (!tm_law_gives_scalar(c->op, i))
            out_dims[num_out++] = c->out_dim[i][level];
    tm_vmap_options options = level_options(c, level);
    options.chunk_size = c->chunk[level];
    mapped m = {b, level, handles};
    tm_status status =
        tm_vmap(mapped_function, &m, &options, num_in, in, in_dims, num_out, out, out_dims);
    if (status != TM_OK && (!c->outcome.called || c->outcome.status == TM_OK))
        tm_law_problem(c, "tm_vmap fails: %s", tm_error_message());
    for (int i = 0, at = 0; i < c->num_results; i++)
        if (!tm_law_gives_scalar(c->op, i))
            b->results[i] = out[at++];
    return status;
}

/* With `depth` levels open. */
static tm_status descend(batch *b, int depth)
{
    tm_law_case *c = b->c;
    if (!make_here(b, depth))
        return TM_ERR_USAGE;
    tm_mode *mode = NULL;
    if (c->mode_depth == depth) {
        mode = tm_mode_push(&modes[c->mode_kind], b);
        if (!mode)
            tm_law_problem(c, "tm_mode_push fails: %s", tm_error_message());
    }
    tm_status status = depth == c->num_levels ? run_op(b)
                       : c->functional[depth] ? by_function(b, depth)
                                              : by_hand(b, depth);
    if (mode && tm_mode_pop(mode) != TM_OK)
        tm_law_problem(c, "tm_mode_pop fails: %s", tm_error_message());
    return status;
}

/* Calls that draw before the one that is checked, so that its number is not always 0. */
static bool draw_before(tm_law_case *c)
{
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    tm_law_args(c, (const tm_tensor *const *)c->examples, args);
    tm_law_random_batch(c, args);
    if (!tm_law_draws(c) || c->expected.verdict == TM_LAW_META)
        return true;
    for (int i = 0; i < c->random_calls; i++)
        tm_op_call(c->op, args, tm_op_num_params(c->op), results, tm_op_num_outputs(c->op));
    tm_error_clear();
    return true;
}

/* Sets the case's paths and keeps those that were set, or the other way round. */
static void exchange_paths(tm_law_case *c)
{
    for (int p = 0; p < TM_NUM_PATHS; p++) {
        tm_path_use before = tm_get_path((tm_path)p);
        tm_set_path((tm_path)p, c->paths[p]);
        c->paths[p] = before;
    }
}

bool tm_law_batch(tm_law_case *c)
{
    batch b = {.c = c, .results = c->outcome.results};
    b.handles = tm_law_alloc_pointers(c->arena, c->num_inputs);
    if (!b.handles)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->num_inputs; i++) {
            tm_law_input *in = &c->inputs[i];
            if (in->made_at > 0 || (in->alias_of >= 0) != (pass == 1))
                continue;
            if (!tm_law_build(c, in))
                return false;
            b.handles[i] = in->physical;
        }
    if (!draw_before(c))
        return false;
    tm_set_num_threads(c->threads);
    tm_set_acceleration(c->acceleration);
    exchange_paths(c);
    tm_status status = descend(&b, 0);
    exchange_paths(c);
    tm_set_num_threads(1);
    tm_set_acceleration(TM_ACCEL_OFF);
    if (c->problem[0] || c->arena->lost)
        return false;
    tm_law_outcome *out = &c->outcome;
    if (status != out->status)
        return tm_law_problem(c, "the levels return %s where the call inside returned %s",
                              tm_status_name(status), tm_status_name(out->status));
    if (status != TM_OK) {
        tm_law_failure standing;
        tm_law_take_failure(&standing);
        if (standing.code != out->failure.code ||
            strcmp(standing.message, out->failure.message) != 0)
            return tm_law_problem(c, "leaving the levels changed the error to %s: %s",
                                  tm_status_name(standing.code), standing.message);
    }
    if (b.before != b.after)
        return tm_law_problem(c, "a mode was told of %d calls before and of %d after", b.before,
                              b.after);
    tm_error_clear();
    return true;
}
