/* calls_args.c: which op is called, and on what: mostly as one of its samples has it, with other
 * tensors, sizes, numbers and words now and then. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fuzz/calls.h"

static const tm_tensor *overlapping(fuzz_machine *m, const tm_tensor *x)
{
    int64_t shape[TM_MAX_NDIM];
    int n = tm_ndim(x);
    for (int d = 0; d < n; d++)
        shape[d] = tm_shape(x)[d];
    int64_t offset = 0;
    if (n > 0 && shape[0] > 1 && fuzz_one_in(m->bytes, 2)) {
        shape[0]--;
        offset = tm_strides(x)[0];
    }
    const tm_tensor *view = tm_strided_view(x, n, shape, tm_strides(x), offset);
    tm_error_clear();
    return view ? view : x;
}

static const tm_tensor *choose_tensor(fuzz_machine *m, const tm_law_tensor *like,
                                      const tm_tensor *before)
{
    int how = fuzz_byte(m->bytes);
    const tm_tensor *var = how >= 112 && how < 216 ? fuzz_pick(m) : NULL;
    if (var)
        return var;
    if (how >= 232 && before)
        return how < 240 ? before : overlapping(m, before);
    if (how == 216)
        return TM_NONE;
    if (!like || how == 217)
        return fuzz_any(m);
    tm_law_tensor strange = *like;
    if (how == 218) {
        strange.dtype = (tm_dtype)(1 + fuzz_below(m->bytes, TM_NUM_DTYPES - 1));
        strange.literal = NULL;
        strange.generator = TM_LAW_PLAIN;
    }
    return fuzz_fresh(m, &strange);
}

static bool choose_list(fuzz_machine *m, const tm_law_sample *sample, const tm_law_arg *arg,
                        tm_value *value)
{
    int how = fuzz_byte(m->bytes), count = arg ? arg->count : 0;
    if (how >= 200)
        count = fuzz_below(m->bytes, 5);
    const tm_tensor **items = fuzz_pool((size_t)(count + 1) * sizeof *items);
    for (int k = 0; items && k < count; k++) {
        const tm_law_tensor *like = arg && k < arg->count ? &sample->tensors[arg->first + k] : NULL;
        items[k] = choose_tensor(m, like, k ? items[k - 1] : NULL);
        if (items[k] == TM_NONE)
            items[k] = fuzz_any(m);
        if (!items[k])
            return false;
    }
    value->tensors = (tm_tensor_list){items, count};
    return items != NULL;
}

static double strange_float(fuzz_machine *m)
{
    static const double values[] = {0.0,      -0.0,    NAN,    INFINITY, -INFINITY, DBL_MAX,
                                    -DBL_MAX, DBL_MIN, 5e-324, -1.0,     1.0,       0.5,
                                    1e10,     -1e-10,  3.0,    1e19};
    return values[fuzz_below(m->bytes, (int)(sizeof values / sizeof *values))];
}

static tm_scalar strange_scalar(fuzz_machine *m)
{
    switch (fuzz_below(m->bytes, 4)) {
    case 0:
        return tm_scalar_int(fuzz_int(m->bytes));
    case 1:
        return tm_scalar_bool(fuzz_one_in(m->bytes, 2));
    case 2:
        return tm_scalar_float(strange_float(m));
    default:
        return tm_scalar_complex(strange_float(m), strange_float(m));
    }
}

static tm_int_list strange_ints(fuzz_machine *m, const tm_int_list *given)
{
    int count = fuzz_below(m->bytes, 6);
    int64_t *items = fuzz_pool((size_t)(count + 1) * sizeof *items);
    if (!items)
        return (tm_int_list){NULL, 0};
    for (int i = 0; i < count; i++)
        items[i] = given && i < given->count && fuzz_one_in(m->bytes, 2) ? given->data[i]
                                                                         : fuzz_int(m->bytes);
    return (tm_int_list){items, count};
}

static const char *strange_text(fuzz_machine *m)
{
    static const char *const texts[] = {"",         "mean",    "sum",      "none",      "reduced",
                                        "complete", "reflect", "circular", "ij,jk->ik", "T, 0",
                                        "::2",      "...",     "forward",  "ortho",     "prod",
                                        "amax",     "right",   "same",     "valid",     "xy",
                                        "ij",       "tanh",    "nuc",      "fro",       "\xff"};
    return texts[fuzz_below(m->bytes, (int)(sizeof texts / sizeof *texts))];
}

/* A value that no sample has. */
static bool strange_value(fuzz_machine *m, const tm_param *param, tm_value *value)
{
    const tm_int_list *ints = NULL;
    if (param->type == TM_TYPE_INT_LIST)
        ints = param->optional ? value->opt : &value->ints;
    void *room = fuzz_pool(sizeof(tm_value));
    if (!room)
        return false;
    if (param->optional && param->type != TM_TYPE_DTYPE && param->type != TM_TYPE_STR &&
        fuzz_one_in(m->bytes, 4)) {
        value->opt = NULL;
        return true;
    }
    switch (param->type) {
    case TM_TYPE_INT:
        value->i = *(int64_t *)room = fuzz_int(m->bytes);
        break;
    case TM_TYPE_FLOAT:
        value->f = *(double *)room = strange_float(m);
        break;
    case TM_TYPE_BOOL:
        value->b = *(bool *)room = fuzz_one_in(m->bytes, 2);
        break;
    case TM_TYPE_SCALAR:
        value->scalar = *(tm_scalar *)room = strange_scalar(m);
        break;
    case TM_TYPE_INT_LIST:
        value->ints = *(tm_int_list *)room = strange_ints(m, ints);
        break;
    case TM_TYPE_STR:
        value->str = strange_text(m);
        return true;
    case TM_TYPE_DTYPE:
        value->dtype = (tm_dtype)fuzz_below(m->bytes, TM_NUM_DTYPES + 2);
        return true;
    default:
        return true;
    }
    if (param->optional)
        value->opt = room;
    return true;
}

/* An _out form's tensor for the result: as meta describes it, or any. */
static const tm_tensor *choose_out(fuzz_machine *m, const tm_op *op, const tm_value *args, int out)
{
    const tm_op *base = tm_op_base(op);
    tm_spec specs[TM_MAX_OUTPUTS];
    const tm_tensor *chosen = choose_tensor(m, NULL, NULL);
    if (fuzz_one_in(m->bytes, 4) || !base || tm_op_output_type(base, 0) != TM_TYPE_TENSOR)
        return chosen;
    tm_status status = tm_infer(base, args, tm_op_num_params(base), specs, tm_op_num_outputs(base));
    tm_error_clear();
    if (status != TM_OK)
        return chosen;
    const tm_spec *spec = &specs[out];
    tm_law_tensor like = {.dtype = spec->dtype, .ndim = spec->ndim, .numel = 1};
    for (int d = 0; d < spec->ndim; d++) {
        like.shape[d] = spec->shape[d];
        if (like.shape[d] < 0 || like.shape[d] > FUZZ_ELEMENTS)
            return chosen;
        like.numel *= like.shape[d];
        if (like.numel > FUZZ_ELEMENTS)
            return chosen;
    }
    return fuzz_fresh(m, &like);
}

static bool choose_arg(fuzz_machine *m, const tm_op *op, const tm_law_sample *sample, int i,
                       tm_value *args, const tm_tensor **before)
{
    const tm_param *param = tm_op_param(op, i);
    const tm_law_arg *arg = i < sample->num_args ? &sample->args[i] : NULL;
    if (param->type == TM_TYPE_TENSOR_LIST)
        return choose_list(m, sample, arg, &args[i]);
    if (param->type == TM_TYPE_TENSOR) {
        if (arg && arg->count == 0 && !fuzz_one_in(m->bytes, 8))
            args[i].tensor = TM_NONE;
        else if (!arg)
            args[i].tensor = choose_out(m, op, args, i - sample->num_args);
        else
            args[i].tensor =
                choose_tensor(m, arg->count ? &sample->tensors[arg->first] : NULL, *before);
        if (args[i].tensor && args[i].tensor != TM_NONE)
            *before = args[i].tensor;
        return args[i].tensor != NULL;
    }
    args[i] = arg ? arg->value : (tm_value){0};
    if (param->type == TM_TYPE_GENERATOR)
        args[i].generator = NULL;
    return fuzz_byte(m->bytes) < 216 || strange_value(m, param, &args[i]);
}

/* -- Work -------------------------------------------------------------------------------------- */

static int64_t product(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

static bool small_enough(const tm_op *op, const tm_value *args)
{
    static tm_spec specs[FUZZ_RESULTS];
    int64_t examples = 1;
    for (int i = 0; i < tm_op_num_params(op); i++) {
        tm_type type = tm_op_param(op, i)->type;
        int64_t n = type == TM_TYPE_TENSOR        ? args[i].tensor != TM_NONE
                    : type == TM_TYPE_TENSOR_LIST ? args[i].tensors.count
                                                  : 0;
        for (int64_t k = 0; k < n; k++) {
            const tm_tensor *x = type == TM_TYPE_TENSOR ? args[i].tensor : args[i].tensors.data[k];
            if (fuzz_elements(x) > FUZZ_ELEMENTS)
                return false;
        }
    }
    tm_thread *thread = tm_thread_get();
    for (int i = 0; i < thread->num_levels; i++)
        if (thread->levels[i].size > 0)
            examples = product(examples, thread->levels[i].size);
    int count = 0;
    if (tm_law_infer(op, args, specs, FUZZ_RESULTS, &count) != TM_OK) {
        tm_error_clear();
        return true; /* so will the call */
    }
    if (count > FUZZ_RESULTS)
        return false;
    for (int i = 0; i < count; i++) {
        int64_t numel = examples;
        for (int d = 0; !tm_law_gives_scalar(op, i) && d < specs[i].ndim; d++)
            numel = specs[i].shape[d] == TM_DYNAMIC ? numel : product(numel, specs[i].shape[d]);
        if (numel > FUZZ_ELEMENTS)
            return false;
    }
    return true;
}

const tm_op *fuzz_choose_call(fuzz_machine *m, tm_value args[TM_MAX_ARGS])
{
    unsigned number = (unsigned)fuzz_byte(m->bytes) << 8;
    const tm_op *op = fuzz_op(number | fuzz_byte(m->bytes));
    const tm_law_sample *sample = fuzz_sample(op, fuzz_byte(m->bytes));
    const tm_tensor *before = NULL;
    if (!sample)
        return NULL;
    for (int i = 0; i < sample->num_tensors; i++)
        if (sample->tensors[i].numel > FUZZ_ELEMENTS)
            return NULL;
    for (int i = 0; i < tm_op_num_params(op); i++)
        if (!choose_arg(m, op, sample, i, args, &before))
            return NULL;
    return small_enough(op, args) ? op : NULL;
}
