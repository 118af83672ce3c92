/* kernel_meta.c: the metas that elementwise and reduction ops share. */
#include "call.h"
#include "cast.h"

static const tm_loop *find_loop(const tm_loop *loops, tm_dtype dtype)
{
    for (const tm_loop *l = loops; l && l->fn; l++)
        if (l->in == dtype)
            return l;
    return NULL;
}

static const tm_reduce_loop *find_reduce_loop(const tm_reduce_loop *loops, tm_dtype dtype)
{
    for (const tm_reduce_loop *l = loops; l->fn; l++)
        if (l->in == dtype)
            return l;
    return NULL;
}

static bool is_half(tm_dtype dtype)
{
    return dtype == TM_FLOAT16 || dtype == TM_BFLOAT16;
}

/* The loop for the operands' common dtype. 16-bit floats are computed in float32. An op with loops
 * for floats alone is a floating-point function: integers too are computed in float32. */
static const tm_loop *choose_loop(const tm_loop *loops, tm_dtype dtype)
{
    const tm_loop *loop = find_loop(loops, dtype);
    if (loop || (tm_dtype_kind(dtype) != TM_KIND_INT && !is_half(dtype)))
        return loop;
    for (const tm_loop *l = loops; l && l->fn && !is_half(dtype); l++)
        if (tm_dtype_kind(l->in) <= TM_KIND_INT)
            return NULL;
    return find_loop(loops, TM_FLOAT32);
}

/* A float32 that a 16-bit float was computed in goes back to it. */
static tm_dtype result_of(tm_dtype dtype, tm_dtype loop_in, tm_dtype loop_out)
{
    return is_half(dtype) && loop_in != dtype && loop_out == TM_FLOAT32 ? dtype : loop_out;
}

static void set_loop(tm_call *call, const tm_loop *loop, int operands)
{
    int outputs = call->op->schema.num_outputs;
    call->loop = loop->fn;
    call->num_compute = (uint8_t)(operands + outputs);
    for (int k = 0; k < operands; k++)
        call->compute[k] = (uint8_t)loop->in;
    for (int k = 0; k < outputs; k++)
        call->compute[operands + k] = (uint8_t)loop->out;
}

/* The common case: tensors of one dtype and one shape, which all checks let pass. */
static bool same_everything(tm_call *call)
{
    const tm_op *op = call->op;
    const tm_tensor *first = call->args[0].tensor;
    const tm_loop *loop = op->loop_of[first->dtype];
    if (!loop)
        return false;
    for (int i = 1; i < op->num_operands; i++) {
        const tm_tensor *x = call->args[i].tensor;
        if (x->dtype != first->dtype || x->ndim != first->ndim)
            return false;
        for (int d = 0; d < x->ndim; d++)
            if (x->shape[d] != first->shape[d])
                return false;
    }
    set_loop(call, loop, op->num_operands);
    call->same_shapes = true;
    return true;
}

tm_status tm_elementwise_meta(tm_call *call, const tm_loop *loops)
{
    if (__builtin_expect(!call || !loops, 0))
        return tm_kernel_null(call, "elementwise_meta", "loops");
    if (__builtin_expect(!call->in_meta, 0))
        return tm_kernel_not_meta(call, "tm_elementwise_meta");
    const tm_op *op = call->op;
    if (op->simple && loops == op->def.loops && op->schema.num_outputs == 1 &&
        same_everything(call)) {
        const tm_tensor *x = call->args[0].tensor;
        return tm_output(call, 0, (tm_dtype)call->compute[op->num_operands], x->ndim, x->shape);
    }
    const tm_schema *schema = &op->schema;
    tm_dtype dtype = TM_DTYPE_NONE;
    int ndim = -1, operands = 0;
    int64_t shape[TM_MAX_NDIM];
    tm_kind scalars = TM_KIND_NONE;
    const tm_tensor *first = NULL;
    for (int i = 0, o = 0; i < schema->num_params; i++) {
        const tm_param *param = &schema->params[i];
        if (param->type == TM_TYPE_SCALAR) {
            const tm_scalar *scalar = tm_call_scalar(call, i, param);
            if (!scalar)
                continue;
            if (scalar->kind > scalars)
                scalars = scalar->kind;
            operands++;
            continue;
        }
        if (param->type != TM_TYPE_TENSOR)
            continue;
        const tm_op_operand *operand = &op->operands[o++];
        const tm_tensor *x = operand->read ? tm_call_tensor(call, operand) : NULL;
        if (!x)
            continue;
        operands++;
        if (!first) {
            first = x;
            dtype = (tm_dtype)x->dtype;
            continue;
        }
        if ((tm_dtype)x->dtype != dtype)
            dtype = tm_promote(dtype, (tm_dtype)x->dtype);
        if (ndim < 0) { /* equal shapes, the common case, need no broadcasting */
            bool same = x->ndim == first->ndim;
            for (int d = 0; same && d < x->ndim; d++)
                same = x->shape[d] == first->shape[d];
            if (same)
                continue;
            ndim = first->ndim;
            for (int d = 0; d < ndim; d++)
                shape[d] = first->shape[d];
        }
        tm_status status = tm_check_broadcast(call, param->name, &ndim, shape, x);
        if (status != TM_OK)
            return status;
    }
    dtype = tm_promote_scalar(dtype, scalars);
    const tm_loop *loop = choose_loop(loops, dtype);
    if (!loop)
        return tm_fail(call, TM_ERR_DTYPE, "there is no kernel for dtype %s", tm_dtype_name(dtype));
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        const tm_tensor *x = operand->read ? tm_call_tensor(call, operand) : NULL;
        if (x && (tm_dtype)x->dtype != loop->in && !tm_cast((tm_dtype)x->dtype, loop->in))
            return tm_fail_arg(call, TM_ERR_DTYPE, schema->params[operand->arg].name,
                               "there is no conversion from %s to %s",
                               tm_dtype_name((tm_dtype)x->dtype), tm_dtype_name(loop->in));
    }
    set_loop(call, loop, operands);
    tm_dtype result = result_of(dtype, loop->in, loop->out);
    for (int k = 0; k < schema->num_outputs; k++) {
        tm_status status = ndim >= 0 ? tm_output(call, k, result, ndim, shape)
                           : first   ? tm_output(call, k, result, first->ndim, first->shape)
                                     : tm_output(call, k, result, 0, NULL);
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

tm_status tm_elementwise_loop(tm_call *call, tm_loop_fn fn, int num_operands,
                              const tm_dtype *compute)
{
    if (__builtin_expect(!call || !fn || (num_operands > 0 && !compute), 0))
        return tm_kernel_null(call, "elementwise_loop", "loop or dtypes");
    if (__builtin_expect(!call->in_meta, 0))
        return tm_kernel_not_meta(call, "tm_elementwise_loop");
    if (num_operands < 1 || num_operands > TM_MAX_COMPUTE)
        return tm_fail(call, TM_ERR_SCHEMA, "meta sets %d operands for a loop", num_operands);
    for (int k = 0; k < num_operands; k++)
        if (tm_dtype_size(compute[k]) == 0)
            return tm_fail(call, TM_ERR_SCHEMA, "meta sets %d, which is no dtype, for operand %d",
                           (int)compute[k], k);
    call->loop = fn;
    call->num_compute = (uint8_t)num_operands;
    for (int k = 0; k < num_operands; k++)
        call->compute[k] = (uint8_t)compute[k];
    return TM_OK;
}

/* The loop for `dtype`, and the output: of dtype `out`, TM_DTYPE_NONE for what the loop says. */
static tm_status describe_reduction(tm_call *call, const tm_tensor *x, tm_dtype dtype, tm_dtype out,
                                    uint32_t mask, bool keepdims, const tm_reduce_loop *loops)
{
    if (x->ndim < TM_MAX_NDIM && mask >> x->ndim != 0)
        return tm_fail(call, TM_ERR_SCHEMA, "meta reduces axes that x does not have, by mask %#x",
                       (unsigned)mask);
    const tm_reduce_loop *loop = find_reduce_loop(loops, dtype);
    if (!loop && is_half(dtype))
        loop = find_reduce_loop(loops, TM_FLOAT32);
    if (!loop)
        return tm_fail_arg(call, TM_ERR_DTYPE, out == TM_DTYPE_NONE ? "x" : "dtype",
                           "there is no kernel for dtype %s", tm_dtype_name(dtype));
    int64_t shape[TM_MAX_NDIM];
    int ndim = 0;
    for (int d = 0; d < x->ndim; d++) {
        bool reduced = mask >> d & 1;
        if (!reduced || keepdims)
            shape[ndim++] = reduced ? 1 : x->shape[d];
    }
    call->reduce = loop->fn;
    call->reduce_in = loop->in;
    call->reduce_out = loop->out;
    call->reduce_mask = mask;
    call->reduce_keepdims = keepdims;
    if (out == TM_DTYPE_NONE)
        out = result_of(dtype, loop->in, loop->out);
    return tm_output(call, 0, out, ndim, shape);
}

tm_status tm_reduction_meta(tm_call *call, const tm_tensor *x, uint32_t mask, bool keepdims,
                            const tm_reduce_loop *loops)
{
    if (__builtin_expect(!call || !loops || !tm_kernel_tensor(x), 0))
        return tm_kernel_null(call, "reduction_meta", "tensor or loops");
    if (__builtin_expect(!call->in_meta, 0))
        return tm_kernel_not_meta(call, "tm_reduction_meta");
    return describe_reduction(call, x, (tm_dtype)x->dtype, TM_DTYPE_NONE, mask, keepdims, loops);
}

tm_status tm_reduction_meta_in(tm_call *call, const tm_tensor *x, tm_dtype dtype, uint32_t mask,
                               bool keepdims, const tm_reduce_loop *loops)
{
    if (__builtin_expect(!call || !loops || !tm_kernel_tensor(x), 0))
        return tm_kernel_null(call, "reduction_meta_in", "tensor or loops");
    if (__builtin_expect(!call->in_meta, 0))
        return tm_kernel_not_meta(call, "tm_reduction_meta_in");
    tm_status status = describe_reduction(call, x, dtype, dtype, mask, keepdims, loops);
    if (status != TM_OK)
        return status;
    if (!tm_cast((tm_dtype)x->dtype, call->reduce_in) || !tm_cast(call->reduce_out, dtype))
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype", "there is no conversion from %s to %s",
                           tm_dtype_name((tm_dtype)x->dtype), tm_dtype_name(dtype));
    return TM_OK;
}

/* The meta of ops that bring none: (x, axis, keepdims) for reductions. */
tm_status tm_default_meta(tm_call *call)
{
    const tm_op *op = call->op;
    if (op->def.contract == TM_ELEMENTWISE)
        return tm_elementwise_meta(call, op->def.loops);
    const tm_schema *schema = &op->schema;
    const tm_tensor *x = call->args[0].tensor;
    const tm_int_list *axes = NULL;
    bool keepdims = false;
    const char *axis_name = "axis";
    tm_int_list one;
    for (int i = 1; i < schema->num_params; i++) {
        const tm_param *param = &schema->params[i];
        if (param->type == TM_TYPE_INT_LIST) {
            axes = param->optional ? call->args[i].opt : &call->args[i].ints;
            axis_name = param->name;
        } else if (param->type == TM_TYPE_INT) {
            const int64_t *axis = param->optional ? call->args[i].opt : &call->args[i].i;
            one = (tm_int_list){axis, 1};
            axes = axis ? &one : NULL;
            axis_name = param->name;
        } else if (param->type == TM_TYPE_BOOL) {
            keepdims = call->args[i].b;
        }
    }
    uint32_t mask;
    tm_status status = tm_check_axes(call, axis_name, x->ndim, axes, &mask);
    if (status != TM_OK)
        return status;
    return tm_reduction_meta(call, x, mask, keepdims, op->def.reduce);
}
