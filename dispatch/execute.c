/* execute.c: below the modes: from a call to its kernel, by contract. */
#include "cast.h"
#include "mode.h"
#include "parallel.h"
#include "plan.h"
#include "scope.h"
#include "tuning.h"

TM_OUT_OF_LINE static tm_tensor *view_of_plain(tm_thread *thread, const tm_spec *spec,
                                               const tm_output_place *place)
{
    return tm_handle_view(thread, place->of, spec->ndim, spec->shape, place->strides,
                          place->offset);
}

/* tm_handle_view from a spec and a place, without copying them into arguments first. */
static inline tm_tensor *view_of(tm_thread *thread, const tm_spec *spec,
                                 const tm_output_place *place)
{
    const tm_tensor *x = place->of;
    if (__builtin_expect(x->plain, 0))
        return view_of_plain(thread, spec, place);
    return tm_handle_view_at(thread, tm_storage_retain(x->storage), x, x->offset + place->offset,
                             spec->ndim, spec->shape, place->strides);
}

/* Views must lie in their storage; most built-in metas are held to it by the tests alone. */
TM_OUT_OF_LINE static tm_status check_views(tm_call *call)
{
    for (int i = 0; i < call->num_outputs; i++) {
        tm_output_place *place = &call->places[i];
        const tm_spec *spec = &call->specs[i];
        if (!tm_output_is_view(call, i))
            return tm_fail(call, TM_ERR_SCHEMA, "meta does not say what output %d is a view of", i);
        if (!tm_view_fits(place->of, spec->ndim, spec->shape, place->strides, place->offset))
            return tm_fail(call, TM_ERR_SCHEMA, "meta describes a view that leaves the storage");
        tm_tame_view(place->of, spec->ndim, spec->shape, place->strides, &place->offset);
    }
    return TM_OK;
}

/* Views: the handle is all there is. */
static tm_status run_view(tm_call *call)
{
    int outputs = call->num_outputs;
    if (__builtin_expect(call->op->check_meta, 0)) {
        tm_status status = check_views(call);
        if (status != TM_OK)
            return status;
    }
    for (int i = 0; i < outputs; i++) {
        tm_tensor *view = view_of(call->thread, &call->specs[i], &call->places[i]);
        call->results[i].tensor = view;
        if (__builtin_expect(view != NULL, 1))
            continue;
        while (i-- > 0)
            tm_release(call->results[i].tensor);
        return tm_call_no_memory(call, (int64_t)tm_handle_size(TM_MAX_NDIM, TM_MAX_LEVELS));
    }
    return TM_OK;
}

/* The runners below are kept out of tm_call_execute: a view should not pay for their frames. */

TM_OUT_OF_LINE static tm_status run_composite(tm_call *call, const tm_kernel *kernel)
{
    tm_thread *thread = call->thread;
    tm_tensor *few[TM_MAX_OUTPUTS], **outs = tm_output_room(call, few, 0);
    for (int i = 0; i < call->num_outputs; i++)
        outs[i] = NULL;
    tm_guest guest;
    tm_guest_enter(thread, &guest, thread->top);
    call->outs = outs;
    tm_status status = tm_call_judge(call, kernel->thunk(call, kernel));
    call->outs = NULL;
    if (status == TM_OK)
        status =
            tm_call_take_outputs(call, (const tm_tensor *const *)outs, guest.top, &guest.scope);
    tm_guest_leave(thread, &guest);
    return status;
}

static bool any_mapped(const tm_call *call, const tm_op_operand *operand)
{
    if (operand->type == TM_TYPE_TENSOR) {
        const tm_tensor *x = tm_call_tensor(call, operand);
        return x && tm_handle_mapped(x);
    }
    tm_tensor_list list = call->args[operand->arg].tensors;
    bool mapped = false;
    for (int64_t k = 0; k < list.count; k++)
        mapped = mapped || tm_handle_mapped(list.data[k]);
    return mapped;
}

/* The result's shape depends on values, so it must be one shape: no argument may be mapped. */
TM_OUT_OF_LINE static tm_status run_data_dependent(tm_call *call, const tm_kernel *kernel)
{
    const tm_op *op = call->op;
    for (int i = 0; i < op->num_operands; i++) {
        if (!any_mapped(call, &op->operands[i]))
            continue;
        const char *name = op->schema.params[op->operands[i].arg].name;
        if (op->has_host_output)
            return tm_fail_arg(call, TM_ERR_VMAP, name,
                               "%s is mapped, so it has no single host value; read it after "
                               "tm_vmap_out, outside the level",
                               name);
        return tm_fail_arg(call, TM_ERR_VMAP, name,
                           "%s is mapped, and the result's shape would depend on each example's "
                           "values",
                           name);
    }
    tm_tensor outs[TM_MAX_OUTPUTS], *out_pointers[TM_MAX_OUTPUTS];
    for (int i = 0; i < op->schema.num_outputs; i++) {
        outs[i] = (tm_tensor){.magic = TM_MAGIC_LIVE, .plain = true};
        out_pointers[i] = &outs[i];
        if (op->schema.outputs[i].type == TM_TYPE_TENSOR)
            call->results[i].tensor = NULL;
    }
    tm_plan plan;
    tm_status status = tm_transmute(call, &plan);
    tm_kernel_frame frame;
    if (status == TM_OK) {
        call->outs = out_pointers;
        tm_kernel_enter(call->thread, &frame, false);
        status = tm_call_judge(call, kernel->thunk(call, kernel));
        tm_kernel_leave(call->thread, &frame);
        call->outs = NULL;
    }
    tm_plan_free(&plan);
    for (int i = 0; status == TM_OK && i < op->schema.num_outputs; i++) {
        bool tensor = op->schema.outputs[i].type == TM_TYPE_TENSOR;
        if (tensor ? !call->results[i].tensor : call->results[i].scalar.kind == TM_KIND_NONE)
            status = tm_fail(call, TM_ERR_SCHEMA, "output %d was not set", i);
    }
    if (status != TM_OK)
        for (int i = 0; i < op->schema.num_outputs; i++)
            if (op->schema.outputs[i].type == TM_TYPE_TENSOR)
                tm_release(call->results[i].tensor);
    return status;
}

/* An override's loop for the dtypes that meta chose, where it has one. */
static void choose_loops(tm_call *call, const tm_kernel *kernel)
{
    for (const tm_kernel *k = kernel; k; k = k->below) {
        for (const tm_loop *l = k->loops; l && l->fn; l++)
            if (l->in == (tm_dtype)call->compute[0] &&
                l->out == (tm_dtype)call->compute[call->num_compute - 1]) {
                call->loop = l->fn;
                return;
            }
        for (const tm_reduce_loop *l = k->reduce; l && l->fn; l++)
            if (l->in == call->reduce_in && l->out == call->reduce_out) {
                call->reduce = l->fn;
                return;
            }
    }
}

static tm_status run_plan(tm_plan *plan, const tm_kernel *kernel)
{
    tm_status status;
    switch (plan->call->op->def.contract) {
    case TM_ELEMENTWISE:
        return tm_run_copy(plan, kernel, &status) ? status : tm_run_elementwise(plan, kernel);
    case TM_REDUCTION:
        return tm_run_reduction(plan, kernel);
    default:
        return tm_run_example(plan, kernel);
    }
}

TM_OUT_OF_LINE static tm_status run_planned(tm_call *call, const tm_kernel *kernel)
{
    const tm_op *op = call->op;
    bool elementwise = op->def.contract == TM_ELEMENTWISE;
    bool can_fail = elementwise || op->def.contract == TM_REDUCTION ? op->def.can_fail : true;
    tm_plan plan;
    tm_status status = tm_transmute(call, &plan);
    bool have_results = false;
    if (status == TM_OK) {
        status = tm_outputs(&plan, elementwise, op->has_written && can_fail);
        have_results = status == TM_OK;
    }
    if (have_results) {
        call->thread->stats.calls++;
        if (kernel->below && (kernel->loops || kernel->reduce))
            choose_loops(call, kernel);
        status = run_plan(&plan, kernel);
        if (status != TM_OK)
            tm_outputs_drop(call);
        else if (op->has_written)
            tm_outputs_commit(&plan);
    }
    tm_plan_free(&plan);
    return status;
}

/* The ways that plan nothing come first. */
TM_OUT_OF_LINE static tm_status run_loops(tm_call *call, const tm_kernel *kernel)
{
    tm_status status;
    switch (call->op->def.contract) {
    case TM_ELEMENTWISE:
        if (tm_path_taken(TM_PATH_FLAT, true) && tm_run_flat(call, kernel, &status))
            return status;
        break;
    case TM_REDUCTION:
        if (tm_path_taken(TM_PATH_DIRECT, true) && tm_run_reduction_direct(call, kernel, &status))
            return status;
        break;
    case TM_PER_EXAMPLE:
    case TM_SIGNATURE:
        if (tm_path_taken(TM_PATH_DIRECT, true) && tm_run_direct(call, kernel, &status))
            return status;
        break;
    default:
        break;
    }
    return run_planned(call, kernel);
}

tm_status tm_call_execute(tm_call *call)
{
    const tm_op *op = call->op;
    if (op->def.contract == TM_VIEW || (op->def.contract == TM_VIEW_OR_COPY && call->view_outputs))
        return run_view(call);
    const tm_kernel *kernel = tm_op_kernel(op, TM_KEY_PLAIN);
    if (__builtin_expect(!kernel, 0))
        return tm_fail(call, TM_ERR_NO_KERNEL, "no kernel is registered");
    switch (op->def.contract) {
    case TM_COMPOSITE:
        return run_composite(call, kernel);
    case TM_DATA_DEPENDENT:
        return run_data_dependent(call, kernel);
    default: {
        tm_status status = run_loops(call, kernel);
        if (__builtin_expect(status != TM_OK, 0))
            tm_call_place_failure(call);
        return status;
    }
    }
}
