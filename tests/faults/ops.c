/* ops.c: small ops with samples, one for each way a call can go.
 *
 *     fault_rows   a check of rank, by the shared tm_check_rank
 *     fault_take   a check of a value, of its own; FAULT_DROPPED_CHECK leaves it out,
 *                  FAULT_CHECK_OUTSIDE where a vmap is open
 *     fault_root   fails for some values, so for some examples
 *     fault_sum    elementwise over two tensors
 *     fault_ratio  elementwise, fails for some elements
 *     fault_twice  has a batched kernel, which leaves negative numbers to the plain one, which
 *                  refuses them; FAULT_BATCHED makes it wrong for the last example
 *     fault_ruled  the same with a rule; FAULT_RULE makes it take the first example for all
 */
#include "ops.h"

#include <math.h>

/* -- fault_rows: a copy of a stack of matrices ------------------------------------------------- */

static tm_status rows_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 2);
    if (status == TM_OK && tm_dtype_of(x) != TM_FLOAT32)
        status = tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32");
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

/* out[i] = by * x[i] + plus over any shape: the last dimension by its strides, the others nested.
 */
static void copy(const float *x, const int64_t *xs, float *out, const int64_t *os,
                 const int64_t *shape, int ndim, float by)
{
    if (ndim == 0) {
        *out = by * *x;
        return;
    }
    for (int64_t i = 0; i < *shape; i++)
        copy(x + i * *xs, xs + 1, out + i * *os, os + 1, shape + 1, ndim - 1, by);
}

static void copy_tensor(const tm_tensor *x, tm_tensor *out, float by)
{
    copy(tm_data(x), tm_strides(x), tm_mutable_data(out), tm_strides(out), tm_shape(x), tm_ndim(x),
         by);
}

static tm_status rows_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    copy_tensor(x, out, 1);
    return TM_OK;
}

/* -- fault_take: x times its element k, of the flattened example ------------------------------- */

static tm_status take_meta(tm_call *call, const tm_tensor *x, int64_t k)
{
    if (tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32");
#if defined FAULT_DROPPED_CHECK
    bool checked = false;
#elif defined FAULT_CHECK_OUTSIDE
    bool checked = tm_vmap_current() == NULL;
#else
    bool checked = true;
#endif
    if (checked && (k < 0 || k >= tm_numel(x)))
        return tm_fail_arg(call, TM_ERR_INDEX, "k", "k must be in 0..%lld, got %lld",
                           (long long)tm_numel(x) - 1, (long long)k);
    return tm_output_like(call, 0, x);
}

static tm_status take_impl(tm_call *call, const tm_tensor *x, int64_t k, tm_tensor *out)
{
    (void)call;
    copy_tensor(x, out, (float)k); /* nothing is looked up: safe without the check */
    return TM_OK;
}

/* -- fault_root: square roots of rows ---------------------------------------------------------- */

static tm_status root_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    if (status == TM_OK && tm_dtype_of(x) != TM_FLOAT32)
        status = tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32");
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

static tm_status root_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const float *from = tm_data(x);
    float *to = tm_mutable_data(out);
    bool row = tm_ndim(x) > 0; /* always, where the check of rank stands */
    for (int64_t i = 0; row && i < tm_shape(x)[0]; i++) {
        float value = from[i * tm_strides(x)[0]];
        if (value < 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not be negative, got %g",
                               (double)value);
        to[i * tm_strides(out)[0]] = sqrtf(value);
    }
    return TM_OK;
}

/* -- fault_sum --------------------------------------------------------------------------------- */

static tm_status sum_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++)
        *(float *)(void *)(ptr[2] + i * step[2]) = *(const float *)(void *)(ptr[0] + i * step[0]) +
                                                   *(const float *)(void *)(ptr[1] + i * step[1]);
    return TM_OK;
}

/* -- fault_ratio ------------------------------------------------------------------------------- */

static tm_status ratio_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float x1 = *(const float *)(void *)(ptr[0] + i * step[0]);
        float x2 = *(const float *)(void *)(ptr[1] + i * step[1]);
        if (!(x2 > 0))
            return tm_fail_at(call, i, TM_ERR_VALUE, "x2 must be positive, got %g", (double)x2);
        *(float *)(void *)(ptr[2] + i * step[2]) = x1 / x2;
    }
    return TM_OK;
}

/* -- fault_twice: twice a scalar, one example or all ------------------------------------------- */

static tm_status twice_meta(tm_call *call, const tm_tensor *x)
{
    if (tm_ndim(x) != 0 || tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_RANK, "x", "x must be a float32 number, got shape %s",
                           tm_shape_text(call, x));
    return tm_output_like(call, 0, x);
}

static tm_status twice_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    float value = *(const float *)tm_data(x);
    if (value < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not be negative, got %g",
                           (double)value);
    copy_tensor(x, out, 2);
    return TM_OK;
}

static tm_status twice_batched(tm_call *call, const tm_batch *batch)
{
    if (batch->ndim != 1) {
        tm_batch_decline(call);
        return TM_OK;
    }
    const char *x = tm_data(tm_call_arg(call, 0)->tensor);
    char *out = tm_mutable_data(tm_call_output(call, 0));
    for (int64_t i = 0; i < batch->size[0]; i++) {
        float by = 2, value = *(const float *)(const void *)(x + i * batch->step[0]);
#ifdef FAULT_BATCHED
        by = i > 0 && i == batch->size[0] - 1 ? 3 : 2;
#endif
        if (value < 0)
            tm_batch_suspect(call, i);
        else
            *(float *)(void *)(out + i * batch->step[1]) = by * value;
    }
    return TM_OK;
}

static tm_status twice_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                            int num_inputs, tm_tensor *const *outputs)
{
    (void)mapped; /* there is one input, so it has the batch in front */
    (void)num_inputs;
    const float *x = tm_data(inputs[0]);
    float *out = tm_mutable_data(outputs[0]);
    int64_t step = tm_strides(inputs[0])[0];
#ifdef FAULT_RULE
    step = 0;
#endif
    for (int64_t i = 0; i < tm_size(inputs[0], 0); i++) {
        if (x[i * step] < 0)
            tm_batch_suspect(call, i);
        out[i * tm_strides(outputs[0])[0]] = 2 * x[i * step];
    }
    return TM_OK;
}

static const tm_sample samples[] = {
    {.op = "fault_rows", .args = "f32[2,2]{1 2 3 4}", .expected = "f32[2,2]{1 2 3 4}"},
    {.op = "fault_rows", .args = "f32[3,2,2]"},
    {.op = "fault_rows",
     .args = "f32[4]",
     .expected = "!rank: x must have at least 2 dimensions, got shape (4,)"},
    {.op = "fault_take", .args = "f32[3]{1 2 3}, k=2", .expected = "f32[3]{2 4 6}"},
    {.op = "fault_take",
     .args = "f32[3]{1 2 3}, k=3",
     .expected = "!index: k must be in 0..2, got 3"},
    {.op = "fault_root", .args = "f32[2]{4 9}", .expected = "f32[2]{2 3}"},
    {.op = "fault_root", .args = "f32[2,3]~pos"},
    {.op = "fault_root", .args = "f32[2]~pos"},
    {.op = "fault_root",
     .args = "f32[2]{1 -2}",
     .expected = "!value: x must not be negative, got -2"},
    {.op = "fault_root",
     .args = "f32[2,2]{1 2 3 -4}",
     .expected = "!value: x must not be negative, got -4 (at index (1,))"},
    {.op = "fault_root",
     .args = "f32[]{1}",
     .expected = "!rank: x must have at least 1 dimension, got shape ()"},
    {.op = "fault_root", .args = "f32[2,2]~pos"},
    {.op = "fault_sum", .args = "f32[3]{1 2 3}, f32[3]{4 5 6}", .expected = "f32[3]{5 7 9}"},
    {.op = "fault_sum", .args = "f32[2,3], f32[3]"},
    {.op = "fault_sum",
     .args = "f32[2], f32[3]",
     .expected = "!shape: x2 must broadcast with shape (2,), got shape (3,)"},
    {.op = "fault_ratio", .args = "f32[2]{1 3}, f32[2]{2 4}", .expected = "f32[2]{0.5 0.75}"},
    {.op = "fault_ratio", .args = "f32[2,3], f32[2,3]~pos"},
    {.op = "fault_ratio", .args = "f32[2,3], f32[3]~pos"},
    {.op = "fault_ratio",
     .args = "f32[2,3], f32[2,3]{1 1 0 1 -1 1}",
     .expected = "!value: x2 must be positive, got 0 (at index (0, 2))"},
    {.op = "fault_ratio",
     .args = "f32[2], f32[3]",
     .expected = "!shape: x2 must broadcast with shape (2,), got shape (3,)"},
    {.op = "fault_twice", .args = "f32[]{1.5}", .expected = "f32[]{3}"},
    {.op = "fault_twice", .args = "f32[]~pos"},
    {.op = "fault_twice",
     .args = "f32[]{-1}",
     .expected = "!value: x must not be negative, got -1"},
    {.op = "fault_twice",
     .args = "f32[1]{1.5}",
     .expected = "!rank: x must be a float32 number, got shape (1,)"},
    {.op = "fault_ruled", .args = "f32[]{1.5}", .expected = "f32[]{3}"},
    {.op = "fault_ruled", .args = "f32[]~pos"},
    {.op = "fault_ruled",
     .args = "f32[]{-1}",
     .expected = "!value: x must not be negative, got -1"},
    {.op = "fault_ruled",
     .args = "f32[1]{1.5}",
     .expected = "!rank: x must be a float32 number, got shape (1,)"},
};
static const tm_op_samples all_samples = {sizeof samples / sizeof *samples, samples};

tm_library *fault_ops_register(void)
{
    static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, sum_loop}, {0}};
    static const tm_loop ratio_loops[] = {{TM_FLOAT32, TM_FLOAT32, ratio_loop}, {0}};
    static const int8_t rows_core[] = {1, 1};
    static const tm_op_def defs[] = {
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_rows(Tensor x) -> Tensor",
         .contract = TM_PER_EXAMPLE,
         .meta = (tm_fn)rows_meta,
         .impl = (tm_fn)rows_impl,
         .samples = &all_samples},
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_take(Tensor x, int k) -> Tensor",
         .contract = TM_PER_EXAMPLE,
         .meta = (tm_fn)take_meta,
         .impl = (tm_fn)take_impl,
         .samples = &all_samples},
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_root(Tensor x) -> Tensor",
         .contract = TM_PER_EXAMPLE,
         .meta = (tm_fn)root_meta,
         .impl = (tm_fn)root_impl,
         .core = rows_core,
         .thread_safe = true,
         .samples = &all_samples},
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_sum(Tensor x1, Tensor x2) -> Tensor",
         .contract = TM_ELEMENTWISE,
         .loops = loops,
         .thread_safe = true,
         .samples = &all_samples},
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_ratio(Tensor x1, Tensor x2) -> Tensor",
         .contract = TM_ELEMENTWISE,
         .loops = ratio_loops,
         .can_fail = true,
         .thread_safe = true,
         .samples = &all_samples},
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_twice(Tensor x) -> Tensor",
         .contract = TM_PER_EXAMPLE,
         .meta = (tm_fn)twice_meta,
         .impl = (tm_fn)twice_impl,
         .batched = twice_batched,
         .samples = &all_samples},
        {.struct_size = sizeof(tm_op_def),
         .schema = "fault_ruled(Tensor x) -> Tensor",
         .contract = TM_PER_EXAMPLE,
         .meta = (tm_fn)twice_meta,
         .impl = (tm_fn)twice_impl,
         .rule = twice_rule,
         .samples = &all_samples},
    };
    tm_library *library = tm_library_open("faults");
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++)
        if (!tm_library_register(library, &defs[i])) {
            tm_error_print(stderr);
            tm_library_close(library);
            return NULL;
        }
    return library;
}
