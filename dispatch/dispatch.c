/* dispatch.c: the path of a call.
 *
 *     arguments checked -> meta -> modes, top first -> kernel -> results to the scope
 *
 * A call that fails before the modes reaches them only as an observed failure. What fails anywhere
 * becomes one record, named after the op that was called.
 */
#include "call.h"

#include "cast.h"
#include "memory.h"
#include "mode.h"
#include "plan.h"
#include "random.h"
#include "scope.h"
#include <assert.h>

/* One argument that is a tensor: TM_OK, or a failure in the call. */
static tm_status check_tensor(tm_call *call, const tm_tensor *x, const tm_param *param)
{
    if (__builtin_expect(!x, 0)) {
        call->chained_null = true;
        return tm_error_null(call->op->schema.name, param->name);
    }
    if (x == TM_NONE) {
        if (param->optional)
            return TM_OK;
        return tm_fail_arg(call, TM_ERR_USAGE, param->name, "%s must be a tensor, got TM_NONE",
                           param->name);
    }
    if (!tm_handle_live(x))
        return tm_fail_arg(call, TM_ERR_USAGE, param->name, "%s has been released", param->name);
    if (tm_handle_mapped(x) && tm_handle_escaped(call->thread, x))
        return tm_fail_arg(call, TM_ERR_ESCAPED, param->name,
                           "%s belongs to a vmap level that has ended or is another thread's",
                           param->name);
    return TM_OK;
}

static tm_status check_list(tm_call *call, tm_tensor_list list, const tm_param *param)
{
    if (list.count != 0 && !list.data) {
        call->chained_null = true;
        return tm_error_null(call->op->schema.name, param->name);
    }
    if (list.count < 0 || list.count > INT16_MAX)
        return tm_fail_arg(call, TM_ERR_VALUE, param->name, "%s has a count of %lld", param->name,
                           (long long)list.count);
    for (int64_t k = 0; k < list.count; k++) {
        tm_status status = check_tensor(call, list.data[k], param);
        if (status == TM_OK && list.data[k] == TM_NONE)
            status =
                tm_fail_arg(call, TM_ERR_USAGE, param->name,
                            "%s must hold tensors, got TM_NONE at %lld", param->name, (long long)k);
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

/* Lists of integers and strings: the pointer itself. Scalars: a failed call's is like NULL. Dtypes:
 * one there is. */
TM_OUT_OF_LINE static tm_status check_others(tm_call *call)
{
    const tm_schema *schema = &call->op->schema;
    for (int i = 0; i < schema->num_params; i++) {
        assert(call->args); /* NULL only where there are no parameters */
        const tm_param *param = &schema->params[i];
        const tm_value *arg = &call->args[i];
        const tm_int_list *ints = NULL;
        if (param->type == TM_TYPE_INT_LIST)
            ints = param->optional ? arg->opt : &arg->ints;
        if (ints && (ints->count < 0 || (ints->count > 0 && !ints->data)))
            return tm_fail_arg(call, TM_ERR_USAGE, param->name,
                               "%s is a list of %lld integers at %s", param->name,
                               (long long)ints->count, ints->data ? "a bad count" : "NULL");
        const tm_scalar *scalar = NULL;
        if (param->type == TM_TYPE_SCALAR)
            scalar = param->optional ? arg->opt : &arg->scalar;
        if (scalar && scalar->kind == TM_KIND_NONE) {
            call->chained_null = true;
            return tm_error_null(call->op->schema.name, param->name);
        }
        if (scalar && (scalar->kind < TM_KIND_NONE || scalar->kind > TM_KIND_COMPLEX))
            return tm_fail_arg(call, TM_ERR_USAGE, param->name, "%s is no number", param->name);
        if (param->type == TM_TYPE_DTYPE && !tm_dtype_size(arg->dtype) &&
            (arg->dtype != TM_DTYPE_NONE || !param->optional))
            return tm_fail_arg(call, TM_ERR_DTYPE, param->name, "%s must be a dtype, got %d",
                               param->name, (int)arg->dtype);
        if (param->type == TM_TYPE_STR && !param->optional && !arg->str)
            return tm_fail_arg(call, TM_ERR_USAGE, param->name, "%s must be a string, got NULL",
                               param->name);
    }
    return TM_OK;
}

/* Nearly always every tensor is one, live, and its levels are open. */
static inline bool tensors_good(const tm_thread *thread, const tm_op *op, const tm_value *args)
{
    for (int i = 0; i < op->num_operands; i++) {
        if (op->operands[i].type != TM_TYPE_TENSOR)
            return false;
        const tm_tensor *x = args[op->operands[i].arg].tensor;
        if (!x || x == TM_NONE || !tm_handle_live(x) ||
            (tm_handle_mapped(x) && tm_handle_escaped(thread, x)))
            return false;
    }
    return true;
}

TM_OUT_OF_LINE static tm_status check_each(tm_call *call)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->num_operands; i++) {
        const tm_op_operand *operand = &op->operands[i];
        const tm_param *param = &op->schema.params[operand->arg];
        const tm_value *arg = &call->args[operand->arg];
        tm_status status = operand->type == TM_TYPE_TENSOR_LIST
                               ? check_list(call, arg->tensors, param)
                               : check_tensor(call, arg->tensor, param);
        if (__builtin_expect(status != TM_OK, 0))
            return status;
    }
    return op->has_other_checks ? check_others(call) : TM_OK;
}

static inline tm_status check_args(tm_call *call)
{
    if (!tensors_good(call->thread, call->op, call->args))
        return check_each(call);
    return call->op->has_other_checks ? check_others(call) : TM_OK;
}

/* A written argument must have the output's shape, and a dtype of its kind or a wider one. */
TM_OUT_OF_LINE static tm_status check_written(tm_call *call)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->schema.num_outputs; i++) {
        if (op->written_arg[i] < 0)
            continue;
        assert(call->set_outputs >> i & 1);
        const char *name = op->schema.params[op->written_arg[i]].name;
        const tm_tensor *x = call->args[op->written_arg[i]].tensor;
        const tm_spec *spec = &call->specs[i];
        bool same = x->ndim == spec->ndim;
        for (int d = 0; same && d < spec->ndim; d++)
            same = x->shape[d] == spec->shape[d];
        if (!same)
            return tm_fail_arg(
                call, TM_ERR_SHAPE, name, "%s must have the result's shape %s, got shape %s", name,
                tm_sizes_text(call, spec->ndim, spec->shape), tm_shape_text(call, x));
        tm_dtype dtype = (tm_dtype)x->dtype;
        if (dtype == spec->dtype)
            continue;
        bool narrower = tm_dtype_kind(dtype) < tm_dtype_kind(spec->dtype);
        if (narrower || !tm_cast(spec->dtype, dtype))
            return tm_fail_arg(call, TM_ERR_DTYPE, name,
                               narrower
                                   ? "%s must have a dtype of the result's kind (%s) or a wider "
                                     "one, got %s"
                                   : "%s: there is no conversion from the result's %s to %s",
                               name, tm_dtype_name(spec->dtype), tm_dtype_name(dtype));
    }
    return TM_OK;
}

/* Of a list: its length and every tensor. Where they are not described, the rest is a failure. */
TM_OUT_OF_LINE static tm_status check_described(tm_call *call)
{
    bool infer = call->num_outputs == TM_INFERRED;
    int64_t count = infer ? call->list_count : call->num_outputs;
    if (!call->op->list_output)
        return tm_fail(call, TM_ERR_SCHEMA, "meta left an output undescribed");
    if (count < 0)
        return tm_fail(call, TM_ERR_SCHEMA, "meta does not say how many outputs there are");
    for (int i = 0; i < count && (!infer || i < call->list_room); i++)
        if (!tm_output_is_set(call, i))
            return tm_fail(call, TM_ERR_SCHEMA, "meta left output %d of %lld undescribed", i,
                           (long long)count);
    return TM_OK;
}

static inline __attribute__((always_inline)) tm_status run_meta(tm_call *call)
{
    const tm_op *op = call->op;
    if (__builtin_expect(atomic_load_explicit(&op->retired, memory_order_acquire), 0))
        return tm_fail(call, TM_ERR_NO_KERNEL, "the op's library has been closed");
    tm_status status = TM_OK;
    if (op->def.contract == TM_SIGNATURE)
        status = tm_signature_meta(call, &op->signature);
    if (status == TM_OK && op->meta.thunk)
        status = op->meta.thunk(call, &op->meta);
    status = tm_call_judge(call, status);
    if (__builtin_expect(status != TM_OK, 0))
        return status;
    call->in_meta = false;
    if (__builtin_expect(call->set_outputs != op->tensor_outputs, 0))
        return check_described(call);
    if (__builtin_expect(op->check_meta && call->core_set != 0, 0)) {
        status = tm_core_check(call);
        if (status != TM_OK)
            return status;
    }
    return op->has_written ? check_written(call) : TM_OK;
}

static inline void publish(tm_call *call, tm_status status)
{
    if (!call->chained_null)
        tm_call_publish(call, status);
}

/* Puts the results into the list that the call returns: an array that the first of them owns. */
static tm_status return_list(tm_call *call, tm_tensor_list *list)
{
    int64_t count = call->num_outputs;
    *list = (tm_tensor_list){NULL, count};
    if (count == 0)
        return TM_OK;
    size_t size = sizeof(tm_list_array) + (size_t)count * sizeof(tm_tensor *);
    tm_list_array *array = tm_alloc(size);
    if (!array) {
        tm_outputs_drop(call);
        return tm_call_no_memory(call, (int64_t)size);
    }
    tm_tensor *first = (tm_tensor *)(uintptr_t)call->results[0].tensor;
    array->next = first->heads_list ? first->list : NULL;
    array->size = size;
    first->heads_list = true;
    first->list = array;
    for (int64_t i = 0; i < count; i++) {
        array->items[i] = call->results[i].tensor;
        if (call->thread->scope)
            tm_scope_adopt(call->thread, (tm_tensor *)(uintptr_t)array->items[i]);
    }
    list->data = array->items;
    return TM_OK;
}

TM_OUT_OF_LINE static tm_status finish_list(tm_call *call, tm_status status, tm_value *results)
{
    if (status == TM_OK)
        status = return_list(call, &results[0].tensors);
    if (status != TM_OK)
        results[0].tensors = (tm_tensor_list){NULL, -1};
    if (call->num_outputs > TM_MAX_OUTPUTS)
        tm_free(call->specs, call->list_size);
    if (status != TM_OK)
        publish(call, status);
    return status;
}

static inline void finish(tm_call *call, tm_status status)
{
    const tm_op *op = call->op;
    if (__builtin_expect(status != TM_OK, 0)) {
        publish(call, status);
        return;
    }
    if (!call->thread->scope)
        return; /* results are the caller's */
    for (int i = 0; i < op->schema.num_outputs; i++)
        if (op->written_arg[i] < 0 && op->schema.outputs[i].type == TM_TYPE_TENSOR)
            tm_scope_adopt(call->thread, (tm_tensor *)(uintptr_t)call->results[i].tensor);
}

TM_OUT_OF_LINE static tm_status begin_random(tm_call *call)
{
    if (call->thread->in_kernel && !call->thread->in_random_kernel)
        return tm_fail(call, TM_ERR_USAGE,
                       "a random op cannot be called from a kernel that is not declared random");
    int arg = call->op->generator_arg;
    if (call->thread->in_kernel && arg >= 0 && call->args[arg].generator)
        return tm_fail_arg(call, TM_ERR_USAGE, call->op->schema.params[arg].name,
                           "in a kernel random ops draw from the example's own stream, so %s must "
                           "be None",
                           call->op->schema.params[arg].name);
    return tm_stream_begin(call);
}

static inline __attribute__((always_inline)) tm_status
dispatch(const tm_op *op, const tm_value *args, tm_value *results)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    assert(!op->list_output || op->num_outputs < 0); /* until meta has counted them */
    assert(op->num_outputs != TM_INFERRED);
    tm_call call;
    tm_spec specs[TM_MAX_OUTPUTS];
    tm_call_init(&call, op, thread, args, results, specs);
    if (op->has_host_output)
        for (int i = 0; i < op->schema.num_outputs; i++)
            results[i].scalar.kind = TM_KIND_NONE;
    tm_status status = check_args(&call);
    if (status == TM_OK)
        status = run_meta(&call);
    if (status == TM_OK && op->def.contract == TM_RANDOM)
        status = begin_random(&call);
    if (__builtin_expect(thread->interposers != 0, 0))
        status = tm_modes_dispatch(&call, status);
    else if (status == TM_OK)
        status = tm_call_execute(&call);
    if (__builtin_expect(op->list_output, 0))
        return finish_list(&call, status, results);
    finish(&call, status);
    return status;
}

tm_status tm_dispatch(const tm_op *op, const tm_value *args, tm_value *results)
{
    return dispatch(op, args, results);
}

tm_status tm_dispatch_builtin(int place, const tm_value *args, tm_value *results)
{
    const tm_op *op = atomic_load_explicit(&tm_builtin_ops[place], memory_order_acquire);
    if (__builtin_expect(!op, 0)) {
        if (!tm_registry_ready())
            return TM_ERR_MEMORY;
        op = atomic_load_explicit(&tm_builtin_ops[place], memory_order_acquire);
    }
    return dispatch(op, args, results);
}

/* What both forms of infer ask of their arguments. */
static tm_status check_infer(const tm_op *op, const tm_value *args, int num_args, bool list)
{
    if (!op)
        return tm_error_null("infer", "op");
    if (op->list_output != list)
        return tm_error_set(TM_ERR_USAGE, "infer", "op", "%s returns %s: ask %s", op->schema.name,
                            list ? "no list" : "a list", list ? "tm_infer" : "tm_infer_list");
    if (num_args != op->schema.num_params || (num_args > 0 && !args))
        return tm_error_set(TM_ERR_USAGE, "infer", "num_args", "%s takes %d arguments, got %d",
                            op->schema.name, op->schema.num_params, num_args);
    return TM_OK;
}

static tm_status infer(tm_call *call)
{
    tm_status status = check_args(call);
    if (status == TM_OK)
        status = run_meta(call);
    if (status != TM_OK)
        publish(call, status);
    return status;
}

tm_status tm_infer_list(const tm_op *op, const tm_value *args, int num_args, tm_spec *specs,
                        int64_t room, int64_t *count)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    tm_status status = check_infer(op, args, num_args, true);
    if (status != TM_OK)
        return status;
    if (room < 0 || (room > 0 && !specs) || !count)
        return tm_error_set(TM_ERR_USAGE, "infer", count ? "specs" : "count",
                            count ? "specs at NULL cannot have room for %lld outputs"
                                  : "count must not be NULL (room %lld)",
                            (long long)room);
    tm_call call;
    tm_call_init(&call, op, thread, args, NULL, specs);
    call.num_outputs = TM_INFERRED;
    call.list_room = room < INT32_MAX ? (int)room : INT32_MAX;
    call.list_count = -1;
    status = infer(&call);
    if (status == TM_OK)
        *count = call.list_count;
    return status;
}

tm_status tm_infer(const tm_op *op, const tm_value *args, int num_args, tm_spec *specs,
                   int num_specs)
{
    tm_thread *thread = tm_thread_get();
    if (!thread)
        return TM_ERR_MEMORY;
    tm_status status = check_infer(op, args, num_args, false);
    if (status != TM_OK)
        return status;
    if (num_specs != op->schema.num_outputs || !specs)
        return tm_error_set(TM_ERR_USAGE, "infer", "num_specs",
                            "%s has %d outputs, got room for %d", op->schema.name,
                            op->schema.num_outputs, num_specs);
    tm_call call;
    tm_call_init(&call, op, thread, args, NULL, specs);
    status = infer(&call);
    for (int i = 0; status == TM_OK && op->has_written && i < num_specs; i++)
        if (op->written_arg[i] >= 0) /* what comes back is the argument, which may be wider */
            specs[i].dtype = (tm_dtype)args[op->written_arg[i]].tensor->dtype;
    return status;
}

tm_status tm_op_call(const tm_op *op, const tm_value *args, int num_args, tm_value *results,
                     int num_results)
{
    if (!op)
        return tm_error_null("op_call", "op");
    if (num_args != op->schema.num_params || (num_args > 0 && !args))
        return tm_error_set(TM_ERR_USAGE, op->schema.name, NULL, "takes %d arguments, got %d",
                            op->schema.num_params, num_args);
    if (num_results != op->schema.num_outputs || !results)
        return tm_error_set(TM_ERR_USAGE, op->schema.name, NULL, "has %d outputs, got room for %d",
                            op->schema.num_outputs, num_results);
    return tm_dispatch(op, args, results);
}
