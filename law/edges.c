/* edges.c: vmap's own arguments, each wrong in one way (the law's fifth point).
 *
 * An in_dim or out_dim out of range is a dim error; sizes that disagree are a shape error that
 * names the odd input; nothing mapped and no size, or out_dim "not mapped" with a mapped result,
 * is a usage error; a level that has ended is an escaped error. Written memory that is read-only or
 * overlaps itself, over the whole batch, is an aliasing error.
 */
#include <string.h>

#include "law/case.h"

/* The last call must have failed with this code. */
static bool must_fail(tm_law_case *c, const void *result, tm_status code, const char *what)
{
    tm_status got = result ? TM_OK : tm_error_code();
    char message[TM_LAW_MESSAGE];
    snprintf(message, sizeof message, "%s", tm_error_message());
    tm_error_clear();
    if (got == code)
        return true;
    return tm_law_problem(c, "%s\n  expected %s error\n  got      %s %s", what,
                          tm_status_name(code), tm_status_name(got), got ? message : "");
}

static bool must_return(tm_law_case *c, tm_status got, tm_status code, const char *what)
{
    return must_fail(c, got == TM_OK ? c : NULL, code, what);
}

static tm_status return_first(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = (tm_tensor *)(uintptr_t)in[0];
    return TM_OK;
}

static bool bad_in_dim(tm_law_case *c, const tm_tensor *x, tm_law_rng *rng)
{
    int64_t ndim = tm_ndim(x), dim = tm_law_chance(rng, 50) ? ndim : -ndim - 1;
    tm_tensor *out;
    tm_vmap_level *v = tm_vmap_push(NULL);
    bool ok = must_fail(c, tm_vmap_in(v, x, dim), TM_ERR_DIM, "tm_vmap_in out of range");
    tm_vmap_pop(v);
    return ok && must_return(c, tm_vmap(return_first, NULL, NULL, 1, &x, &dim, 1, &out, NULL),
                             TM_ERR_DIM, "tm_vmap with an in_dim out of range");
}

static bool bad_sizes(tm_law_case *c, tm_law_rng *rng)
{
    int odd = (int)tm_law_below(rng, 3);
    const tm_tensor *x[3];
    int64_t in_dims[3] = {0, 0, 0};
    tm_tensor *out;
    for (int i = 0; i < 3; i++)
        x[i] = tm_new(TM_FLOAT32, 1, &(int64_t){i == odd ? 2 : 3});
    char named[16];
    snprintf(named, sizeof named, "input %d", odd);
    tm_status status = tm_vmap(return_first, NULL, NULL, 3, x, in_dims, 1, &out, NULL);
    if (status == TM_ERR_SHAPE && !strstr(tm_error_message(), named))
        return tm_law_problem(c, "disagreeing sizes\n  expected the error to name %s\n  got %s",
                              named, tm_error_message());
    if (!must_return(c, status, TM_ERR_SHAPE, "tm_vmap with disagreeing sizes"))
        return false;
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_vmap_in(v, x[odd], 0);
    bool ok = must_fail(c, tm_vmap_in(v, x[(odd + 1) % 3], 0), TM_ERR_SHAPE,
                        "tm_vmap_in of another size");
    tm_vmap_pop(v);
    return ok;
}

static bool no_size(tm_law_case *c, const tm_tensor *x)
{
    int64_t in_dim = TM_NOT_MAPPED;
    tm_tensor *out;
    tm_vmap_level *v = tm_vmap_push(NULL);
    bool ok = must_fail(c, tm_vmap_out(v, x, 0), TM_ERR_USAGE, "tm_vmap_out without a size");
    tm_vmap_pop(v);
    return ok && must_return(c, tm_vmap(return_first, NULL, NULL, 1, &x, &in_dim, 1, &out, NULL),
                             TM_ERR_USAGE, "tm_vmap without a size");
}

/* Two examples of every input, mapped at `v`; the first example's values in both. */
static bool map_all(tm_law_case *c, tm_vmap_level *v, const tm_tensor **handles)
{
    for (int i = 0; i < c->num_inputs; i++) {
        const tm_law_tensor *tensor = &c->inputs[i].tensor;
        size_t size = (size_t)tensor->numel * tm_dtype_size(tensor->dtype);
        int64_t shape[TM_MAX_NDIM] = {2};
        memcpy(shape + 1, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
        tm_tensor *both = tm_new(tensor->dtype, tensor->ndim + 1, shape);
        char *data = tm_mutable_data(both);
        for (int b = 0; b < 2 && data && size; b++)
            memcpy(data + (size_t)b * size, c->inputs[i].data, size);
        handles[i] = tm_vmap_in(v, both, 0);
        if (!handles[i])
            return tm_law_problem(c, "tm_vmap_in fails: %s", tm_error_message());
    }
    return true;
}

static bool bad_out_dim(tm_law_case *c, tm_vmap_level *v, const tm_tensor *y)
{
    int64_t ndim = tm_ndim(y);
    return must_fail(c, tm_vmap_out(v, y, ndim + 1), TM_ERR_DIM, "tm_vmap_out out of range") &&
           must_fail(c, tm_vmap_out(v, y, -ndim - 2), TM_ERR_DIM, "tm_vmap_out out of range") &&
           (tm_num_levels(y) == 0 || must_fail(c, tm_vmap_out(v, y, TM_NOT_MAPPED), TM_ERR_USAGE,
                                               "tm_vmap_out \"not mapped\" of a mapped result"));
}

/* The op's own result with a bad out_dim; then its arguments after their level has ended. */
static bool around_call(tm_law_case *c)
{
    const tm_tensor **handles = tm_law_alloc_pointers(c->arena, c->num_inputs);
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    int num_params = tm_op_num_params(c->op), num_outputs = tm_op_num_outputs(c->op);
    if (!handles)
        return false;
    tm_vmap_options options = {.struct_size = sizeof options,
                               .randomness = TM_RANDOMNESS_DIFFERENT};
    tm_vmap_level *v = tm_vmap_push(&options);
    bool ok = map_all(c, v, handles);
    tm_law_args(c, handles, args);
    for (int i = 0; i < c->num_inputs && ok; i++)
        tm_retain(handles[i]);
    bool retained = ok;
    if (ok && tm_op_call(c->op, args, num_params, results, num_outputs) == TM_OK)
        for (int i = 0; i < tm_law_count_results(c->op, results) && ok; i++)
            if (!tm_law_gives_scalar(c->op, i))
                ok = bad_out_dim(c, v, tm_law_result_at(c->op, results, i));
    tm_error_clear();
    tm_vmap_pop(v);
    if (ok) {
        tm_law_args(c, handles, args);
        ok = must_return(c, tm_op_call(c->op, args, num_params, results, num_outputs),
                         TM_ERR_ESCAPED, "a call with handles of a level that has ended") &&
             must_fail(c, tm_data(handles[0]), TM_ERR_ESCAPED,
                       "tm_data of a handle of a level that has ended") &&
             must_fail(c, tm_vmap_in(v, c->examples[0], 0), TM_ERR_ESCAPED,
                       "tm_vmap_in of a level that has ended");
    }
    for (int i = 0; i < c->num_inputs && retained; i++)
        tm_release(handles[i]);
    return ok;
}

/* The call with its written input `at` replaced by `written`, which must be refused. */
static bool refuses_written(tm_law_case *c, const tm_tensor **handles, int at,
                            const tm_tensor *written, const char *what)
{
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    handles[at] = written;
    if (!written)
        return tm_law_problem(c, "%s could not be made: %s", what, tm_error_message());
    tm_law_args(c, handles, args);
    return must_return(
        c, tm_op_call(c->op, args, tm_op_num_params(c->op), results, tm_op_num_outputs(c->op)),
        TM_ERR_ALIASING, what);
}

/* A written tensor that is read-only, or whose examples or elements share memory. */
static bool bad_written(tm_law_case *c, int at)
{
    const tm_law_tensor *tensor = &c->inputs[at].tensor;
    const tm_tensor *own = c->examples[at];
    size_t size = (size_t)tensor->numel * tm_dtype_size(tensor->dtype);
    const tm_tensor **handles = tm_law_alloc_pointers(c->arena, c->num_inputs);
    char *memory = tm_law_alloc(c->arena, size);
    if (!handles || !memory)
        return false;
    if (size == 0)
        return true;
    for (int i = 0; i < c->num_inputs; i++)
        handles[i] = c->examples[i];
    tm_wrap_options options = {.struct_size = sizeof options, .read_only = true};
    if (!refuses_written(
            c, handles, at,
            tm_wrap(tensor->dtype, tensor->ndim, tensor->shape, NULL, memory, &options),
            "a read-only tensor to write"))
        return false;
    int64_t shape[TM_MAX_NDIM] = {2}, strides[TM_MAX_NDIM] = {0};
    if (tensor->numel > 1 &&
        !refuses_written(c, handles, at,
                         tm_strided_view(own, tensor->ndim, tensor->shape, strides, 0),
                         "a tensor to write with all elements in one place"))
        return false;
    int written = 0;
    for (int i = 0; i < c->num_inputs; i++)
        written += c->inputs[i].written;
    if (written > 1) /* the others would have to be mapped too */
        return true;
    memcpy(shape + 1, tensor->shape, (size_t)tensor->ndim * sizeof *shape);
    memcpy(strides + 1, tm_strides(own), (size_t)tensor->ndim * sizeof *strides);
    tm_vmap_level *v = tm_vmap_push(NULL);
    const tm_tensor *both = tm_strided_view(own, tensor->ndim + 1, shape, strides, 0);
    bool ok = refuses_written(c, handles, at, both ? tm_vmap_in(v, both, 0) : NULL,
                              "a tensor to write with both examples in one place");
    tm_vmap_pop(v);
    return ok;
}

bool tm_law_edges(tm_law_case *c)
{
    tm_law_rng rng = tm_law_rng_at(c->state, 5);
    int64_t way = tm_law_below(&rng, 6);
    if (way == 0 || c->num_inputs == 0)
        return bad_sizes(c, &rng);
    const tm_tensor *x = c->examples[tm_law_below(&rng, c->num_inputs)];
    if (way == 1)
        return bad_in_dim(c, x, &rng);
    if (way == 2)
        return no_size(c, x);
    bool room = true;
    for (int i = 0; i < c->num_inputs; i++)
        room = room && c->inputs[i].tensor.ndim < TM_MAX_NDIM;
    for (int i = 0; i < c->num_inputs && way == 3 && room; i++)
        if (c->inputs[i].written)
            return bad_written(c, i);
    return !room || around_call(c);
}
