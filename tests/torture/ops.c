/* ops.c: an op of every contract, as a user would register it, and a call of each. */
#include <string.h>

#include "torture.h"

static const tm_op *ops[16];

/* -- Kernels, all of float32 ------------------------------------------------------------------- */

static tm_status twice_f32(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        *(float *)(ptr[1] + i * step[1]) = 2 * *(const float *)(ptr[0] + i * step[0]);
    return TM_OK;
}
static const tm_loop twice_loops[] = {{TM_FLOAT32, TM_FLOAT32, twice_f32}, {0}};

static tm_status count_f32(tm_call *call, const tm_reduce_args *args)
{
    (void)call;
    for (int64_t j = 0; j < args->num; j++)
        *(float *)(args->out + j * args->out_step) = (float)args->count;
    return TM_OK;
}
static const tm_reduce_loop count_loops[] = {{TM_FLOAT32, TM_FLOAT32, count_f32}, {0}};

static tm_status like_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    tm_need_workspace(call, 100);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

/* Calls another op, as kernels may, and works in scratch memory. */
static tm_status sum_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    tm_tensor *sum = tm_add(x, tm_clone(x));
    if (!sum)
        return tm_error_code();
    memset(tm_workspace(call), 1, 100);
    const float *from = tm_data(sum);
    for (int64_t i = 0; i < tm_numel(out); i++)
        ((float *)tm_mutable_data(out))[i] = from[i];
    return TM_OK;
}

static tm_status dot_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out)
{
    float sum = 0;
    (void)call;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        sum += ((const float *)tm_data(x))[i * tm_strides(x)[0]] *
               ((const float *)tm_data(y))[i * tm_strides(y)[0]];
    *(float *)tm_mutable_data(out) = sum;
    return TM_OK;
}

static tm_status back_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status != TM_OK)
        return status;
    int64_t stride = -tm_strides(x)[0];
    return tm_output_view(call, 0, x, 1, tm_shape(x), &stride,
                          (tm_shape(x)[0] - 1) * tm_strides(x)[0]);
}

static tm_status copied_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status copied_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    for (int64_t i = 0; i < tm_numel(x); i++)
        ((float *)tm_mutable_data(out))[i] = ((const float *)tm_data(x))[i * tm_strides(x)[0]];
    return TM_OK;
}

static tm_status noise_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)x;
    tm_random_block block = tm_random(call, 0);
    for (int64_t i = 0; i < tm_numel(out); i++)
        ((float *)tm_mutable_data(out))[i] = (float)(block.word[i % 4] >> 8);
    return TM_OK;
}

static tm_status positive_meta(tm_call *call, const tm_tensor *x)
{
    (void)x;
    return tm_output(call, 0, TM_FLOAT32, 1, (const int64_t[]){TM_DYNAMIC});
}

static tm_status positive_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    int64_t count = tm_numel(x) / 2;
    tm_status status = tm_output_alloc(call, 0, 1, &count);
    for (int64_t i = 0; status == TM_OK && i < count; i++)
        ((float *)tm_mutable_data(out))[i] = ((const float *)tm_data(x))[i];
    return status;
}

static tm_status thrice_impl(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_add(tm_add(x, x), x);
    return *out ? TM_OK : tm_error_code();
}

/* Leaves every example to the plain kernel. */
static tm_status suspect_all(tm_call *call, const tm_batch *batch)
{
    int64_t n = 1;
    for (int l = 0; l < batch->ndim; l++)
        n *= batch->size[l];
    for (int64_t i = 0; i < n; i++)
        tm_batch_suspect(call, i);
    return TM_OK;
}

static tm_status rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                      int num_inputs, tm_tensor *const *outputs)
{
    (void)call;
    (void)mapped;
    (void)num_inputs;
    return tm_add_out(inputs[0], inputs[0], outputs[0]) ? TM_OK : tm_error_code();
}

static tm_status halves_meta(tm_call *call, tm_tensor_list xs)
{
    tm_status status = tm_output_count(call, xs.count);
    for (int i = 0; i < xs.count && status == TM_OK; i++)
        status = tm_output_like(call, i, xs.data[i]);
    return status;
}

static tm_status halves_impl(tm_call *call, tm_tensor_list xs, tm_out_list out)
{
    for (int64_t k = 0; k < xs.count; k++)
        copied_impl(call, xs.data[k], out.data[k]);
    return TM_OK;
}

/* Writes its argument and can fail, so it computes aside. */
static tm_status half_impl(tm_call *call, tm_tensor *x)
{
    (void)call;
    for (int64_t i = 0; i < tm_numel(x); i++)
        ((float *)tm_mutable_data(x))[i * tm_strides(x)[0]] /= 2;
    return TM_OK;
}

enum {
    ELEMENTWISE,
    REDUCTION,
    PER_EXAMPLE,
    SIGNATURE,
    VIEW,
    VIEW_OR_COPY,
    RANDOM,
    DATA_DEPENDENT,
    COMPOSITE,
    BATCHED,
    RULE,
    LIST,
    WRITTEN
};

static const int8_t rows[] = {1, 1};

const tm_op_def contract_ops[] = {
    [ELEMENTWISE] = {sizeof(tm_op_def), "torture_twice(Tensor x) -> Tensor", TM_ELEMENTWISE,
                     .loops = twice_loops, .aliases = "torture_double,torture_two"},
    [REDUCTION] = {sizeof(tm_op_def), "torture_count(Tensor x, int? axis=None) -> Tensor",
                   TM_REDUCTION, .reduce = count_loops},
    [PER_EXAMPLE] = {sizeof(tm_op_def), "torture_sum(Tensor x) -> Tensor", TM_PER_EXAMPLE,
                     .meta = (tm_fn)like_meta, .impl = (tm_fn)sum_impl, .core = rows},
    [SIGNATURE] = {sizeof(tm_op_def), "torture_dot(Tensor x, Tensor y) -> Tensor", TM_SIGNATURE,
                   .signature = "(n),(n)->()", .impl = (tm_fn)dot_impl},
    [VIEW] = {sizeof(tm_op_def), "torture_back(Tensor x) -> Tensor", TM_VIEW,
              .meta = (tm_fn)back_meta},
    [VIEW_OR_COPY] = {sizeof(tm_op_def), "torture_copied(Tensor x) -> Tensor", TM_VIEW_OR_COPY,
                      .meta = (tm_fn)copied_meta, .impl = (tm_fn)copied_impl},
    [RANDOM] = {sizeof(tm_op_def), "torture_noise(Tensor x) -> Tensor", TM_RANDOM,
                .meta = (tm_fn)copied_meta, .impl = (tm_fn)noise_impl},
    [DATA_DEPENDENT] = {sizeof(tm_op_def), "torture_positive(Tensor x) -> Tensor",
                        TM_DATA_DEPENDENT, .meta = (tm_fn)positive_meta,
                        .impl = (tm_fn)positive_impl},
    [COMPOSITE] = {sizeof(tm_op_def), "torture_thrice(Tensor x) -> Tensor", TM_COMPOSITE,
                   .meta = (tm_fn)copied_meta, .impl = (tm_fn)thrice_impl},
    [BATCHED] = {sizeof(tm_op_def), "torture_batched(Tensor x) -> Tensor", TM_PER_EXAMPLE,
                 .meta = (tm_fn)like_meta, .impl = (tm_fn)sum_impl, .core = rows,
                 .batched = suspect_all},
    [RULE] = {sizeof(tm_op_def), "torture_ruled(Tensor x) -> Tensor", TM_PER_EXAMPLE,
              .meta = (tm_fn)like_meta, .impl = (tm_fn)sum_impl, .core = rows, .rule = rule},
    [LIST] = {sizeof(tm_op_def), "torture_halves(Tensor[] xs) -> Tensor[]", TM_PER_EXAMPLE,
              .meta = (tm_fn)halves_meta, .impl = (tm_fn)halves_impl},
    [WRITTEN] = {sizeof(tm_op_def), "torture_half_(Tensor! x) -> Tensor!", TM_PER_EXAMPLE,
                 .meta = (tm_fn)copied_meta, .impl = (tm_fn)half_impl},
};
const int num_contract_ops = COUNT(contract_ops);

void contract_ops_registered(int i, const tm_op *op)
{
    ops[i] = op;
}

/* -- Calls ------------------------------------------------------------------------------------- */

static tm_tensor *call_one(int i, const tm_tensor *x)
{
    tm_value args[2] = {{.tensor = x}, {.opt = NULL}}, result = {0};
    const tm_tensor *many[9] = {x, x, x, x, x, x, x, x, x}; /* more than a call has room for */
    if (i == SIGNATURE)
        args[1].tensor = x;
    if (i == WRITTEN)
        args[0].tensor = tm_clone(x);
    if (i == LIST)
        args[0].tensors = (tm_tensor_list){many, 9};
    if (tm_op_call(ops[i], args, tm_op_num_params(ops[i]), &result, 1) != TM_OK)
        return NULL;
    return (tm_tensor *)(uintptr_t)(i == LIST ? result.tensors.data[8] : result.tensor);
}

static tm_status call_row(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = call_one(*(const int *)user, in[0]);
    return out[0] ? TM_OK : tm_error_code();
}

static tm_status call_block(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const int64_t in_dim = 0;
    const tm_vmap_options options = {.struct_size = sizeof options,
                                     .randomness = TM_RANDOMNESS_DIFFERENT};
    return tm_vmap(call_row, user, &options, 1, in, &in_dim, 1, out, NULL);
}

tm_status call_contract_ops(digest *d)
{
    float values[2 * 3 * 4];
    for (int k = 0; k < COUNT(values); k++)
        values[k] = (float)(k * k % 7);
    const tm_tensor *x = tm_from_data(TM_FLOAT32, 3, (const int64_t[]){2, 3, 4}, values);
    const tm_tensor *row = tm_select(tm_select(x, 0, 1), 0, 1);
    if (!row)
        return tm_error_code();
    tm_seed(5);
    for (int i = 0; i < num_contract_ops; i++) {
        tm_tensor *y = call_one(i, row);
        if (!y)
            return tm_error_code();
        digest_tensor(d, y);
        if (i == DATA_DEPENDENT)
            continue;
        for (int64_t chunk = 0; chunk < 2; chunk++) {
            const int64_t in_dim = 0;
            const tm_vmap_options options = {.struct_size = sizeof options,
                                             .randomness = TM_RANDOMNESS_DIFFERENT,
                                             .chunk_size = chunk};
            tm_status status = tm_vmap(call_block, &i, &options, 1, &x, &in_dim, 1, &y, NULL);
            if (status != TM_OK)
                return status;
            digest_tensor(d, y);
        }
    }
    return TM_OK;
}
