/* inputs.c: the tensors of a call, as one example has them.
 *
 * A sample is written for the op that is declared. Its in-place form needs a first argument of the
 * result's shape and its _out form one more tensor for each result; most are made to fit, some are
 * left or made not to, because those checks are the law's too.
 */
#include <string.h>

#include "law/case.h"

/* The dtypes that elements can be converted between. */
static const tm_dtype convertible[] = {TM_BOOL,  TM_UINT8,   TM_INT32,
                                       TM_INT64, TM_FLOAT32, TM_FLOAT64};
enum { NUM_CONVERTIBLE = sizeof convertible / sizeof *convertible, STRANGE_PERCENT = 6 };

/* Specs of the declared op's results on the sample's tensors; false where its meta fails. */
static bool infer_declared(tm_law_case *c, tm_spec *specs)
{
    const tm_op *declared = tm_law_declared(c->op);
    int n = c->sample->num_tensors;
    const tm_tensor **handles = tm_law_alloc_pointers(c->arena, n);
    tm_scope *scope = tm_scope_push();
    bool ok = handles && scope;
    for (int i = 0; ok && i < n; i++) {
        const tm_law_tensor *tensor = &c->inputs[i].tensor;
        handles[i] = tm_new(tensor->dtype, tensor->ndim, tensor->shape);
        ok = handles[i] != NULL;
    }
    if (ok) {
        tm_value args[TM_MAX_ARGS];
        tm_law_args(c, handles, args);
        ok = tm_infer(declared, args, tm_op_num_params(declared), specs,
                      tm_op_num_outputs(declared)) == TM_OK;
    }
    tm_scope_pop(scope);
    tm_error_clear();
    return ok;
}

static void set_spec(tm_law_tensor *tensor, const tm_spec *spec)
{
    tensor->dtype = spec->dtype;
    tensor->ndim = spec->ndim;
    tensor->numel = 1;
    for (int d = 0; d < spec->ndim; d++) {
        tensor->shape[d] = spec->shape[d];
        tensor->numel *= spec->shape[d];
    }
}

/* A dtype that may hold results of `dtype`, usually another one. */
static tm_dtype wider(tm_law_rng *rng, tm_dtype dtype)
{
    tm_dtype to = convertible[tm_law_below(rng, NUM_CONVERTIBLE)];
    tm_kind kind = tm_dtype_kind(dtype), to_kind = tm_dtype_kind(to);
    bool from_convertible = false;
    for (int i = 0; i < NUM_CONVERTIBLE; i++)
        from_convertible = from_convertible || convertible[i] == dtype;
    bool holds = to_kind >= kind;
    return from_convertible && holds ? to : dtype;
}

/* Another shape or dtype, which as a rule is refused. */
static void make_misfit(tm_law_rng *rng, tm_law_tensor *tensor)
{
    int64_t way = tm_law_below(rng, 4);
    if (way == 0) {
        tensor->dtype = convertible[tm_law_below(rng, NUM_CONVERTIBLE)];
    } else if (way == 1 && tensor->ndim > 1) {
        int64_t first = tensor->shape[0];
        tensor->shape[0] = tensor->shape[tensor->ndim - 1];
        tensor->shape[tensor->ndim - 1] = first;
    } else if (way == 2 && tensor->ndim > 0) {
        int64_t *size = &tensor->shape[tm_law_below(rng, tensor->ndim)];
        *size = tm_law_chance(rng, 80) ? *size + 1 : 0;
    } else if (tensor->ndim < TM_MAX_NDIM) {
        memmove(tensor->shape + 1, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape);
        tensor->shape[0] = 1 + tm_law_below(rng, 2);
        tensor->ndim++;
    }
    tensor->numel = 1;
    for (int d = 0; d < tensor->ndim; d++)
        tensor->numel *= tensor->shape[d];
}

static void fit_inplace(tm_law_case *c, tm_law_rng *rng)
{
    tm_law_tensor *first = &c->inputs[c->sample->args[0].first].tensor;
    tm_spec specs[TM_MAX_OUTPUTS];
    if (!tm_law_chance(rng, 75) || !infer_declared(c, specs))
        return;
    bool same = first->dtype == specs[0].dtype && first->ndim == specs[0].ndim;
    for (int d = 0; same && d < first->ndim; d++)
        same = first->shape[d] == specs[0].shape[d];
    if (same)
        return;
    set_spec(first, &specs[0]);
    first->literal = NULL;
    if (first->generator == TM_LAW_SPD)
        first->generator = TM_LAW_PLAIN;
}

static void fit_out(tm_law_case *c, tm_law_rng *rng)
{
    const tm_op *declared = tm_law_declared(c->op);
    tm_spec specs[TM_MAX_OUTPUTS];
    bool known = infer_declared(c, specs);
    int first_out = tm_op_num_params(declared);
    for (int i = 0; i < tm_op_num_outputs(declared); i++) {
        tm_law_input *in = &c->inputs[c->num_inputs++];
        *in = (tm_law_input){.name = tm_op_param(c->op, first_out + i)->name,
                             .written = true,
                             .output = i,
                             .tensor = {.dtype = TM_FLOAT32, .ndim = 1, .shape = {2}, .numel = 2}};
        if (known)
            set_spec(&in->tensor, &specs[i]);
        int64_t way = tm_law_below(rng, 100);
        if (way < 12)
            in->tensor.dtype = wider(rng, in->tensor.dtype);
        else if (way < 24)
            make_misfit(rng, &in->tensor);
    }
}

/* Gives one input a dtype or shape that nobody wrote a sample for: whatever comes of it must be the
 * same for one example and for all. */
static void make_strange(tm_law_case *c, tm_law_rng *rng)
{
    tm_law_tensor *tensor = &c->inputs[tm_law_below(rng, c->num_inputs)].tensor;
    c->strange = true;
    if (tm_law_chance(rng, 50))
        tensor->dtype = (tm_dtype)(1 + tm_law_below(rng, TM_NUM_DTYPES - 1));
    else
        make_misfit(rng, tensor);
    tensor->literal = NULL;
    if (tensor->generator == TM_LAW_SPD)
        tensor->generator = TM_LAW_PLAIN;
}

/* A row-major tensor for each input, which the loop fills for one example after the other. */
static bool make_examples(tm_law_case *c)
{
    c->examples = tm_law_alloc_pointers(c->arena, c->num_inputs);
    for (int i = 0; c->examples && i < c->num_inputs; i++) {
        const tm_law_tensor *tensor = &c->inputs[i].tensor;
        c->examples[i] = tm_new(tensor->dtype, tensor->ndim, tensor->shape);
        if (!c->examples[i])
            return tm_law_problem(c, "no example tensor could be made: %s", tm_error_message());
        memset(tm_mutable_data(c->examples[i]), 0,
               (size_t)tensor->numel * tm_dtype_size(tensor->dtype));
    }
    return c->examples != NULL;
}

bool tm_law_inputs(tm_law_case *c)
{
    const tm_law_sample *sample = c->sample;
    tm_law_rng rng = tm_law_rng_at(c->state, 1);
    c->inputs =
        tm_law_alloc_array(c->arena, sample->num_tensors + TM_MAX_OUTPUTS, sizeof *c->inputs);
    c->list = tm_law_alloc_pointers(c->arena, sample->num_tensors);
    if (!c->inputs || !c->list)
        return false;
    c->num_inputs = sample->num_tensors;
    int written = 0;
    for (int p = 0; p < sample->num_args; p++) {
        const tm_param *param = tm_op_param(c->op, p);
        for (int k = 0; k < sample->args[p].count; k++) {
            int at = sample->args[p].first + k;
            c->inputs[at] = (tm_law_input){.name = param->name, .tensor = sample->tensors[at]};
            c->inputs[at].written = param->written;
            c->inputs[at].output = written;
        }
        written += param->written;
    }
    if (!c->alone && c->num_inputs > 0 && tm_law_chance(&rng, STRANGE_PERCENT))
        make_strange(c, &rng);
    if (tm_op_num_params(c->op) > sample->num_args)
        fit_out(c, &rng);
    else if (tm_op_base(c->op) && sample->args[0].count == 1)
        fit_inplace(c, &rng);
    for (int i = 0; i < c->num_inputs; i++)
        c->inputs[i].alias_of = c->inputs[i].constant_axis = -1;
    return make_examples(c);
}

void tm_law_args(const tm_law_case *c, const tm_tensor *const *handles, tm_value args[TM_MAX_ARGS])
{
    const tm_law_sample *sample = c->sample;
    for (int p = 0; p < sample->num_args; p++) {
        const tm_law_arg *arg = &sample->args[p];
        args[p] = arg->value;
        if (tm_op_param(c->op, p)->type == TM_TYPE_TENSOR_LIST) {
            for (int k = 0; k < arg->count; k++)
                c->list[arg->first + k] = handles[arg->first + k];
            args[p].tensors = (tm_tensor_list){c->list + arg->first, arg->count};
        } else if (arg->count == 1) {
            args[p].tensor = handles[arg->first];
        }
    }
    for (int p = sample->num_args; p < tm_op_num_params(c->op); p++)
        args[p].tensor = handles[sample->num_tensors + p - sample->num_args];
}
