/* plan.h: a kernel call as loops over memory.
 *
 * A plan lists the call's operands (inputs in schema order with lists flattened, then outputs) and
 * the loops around the kernel: first the levels, in order of level id, then whatever logical
 * dimensions the contract loops over. Steps are in bytes, 0 where an operand does not move.
 */
#ifndef TM_DISPATCH_PLAN_H
#define TM_DISPATCH_PLAN_H

#include "call.h"

enum { TM_MAX_LOOPS = TM_MAX_LEVELS + TM_MAX_NDIM, TM_INLINE_OPERANDS = 6 };

/** In place of a step while a written argument is checked: each example will have a block of its
 * own. */
#define TM_STEP_APART INT64_MIN

typedef struct tm_operand {
    const tm_tensor *tensor; /**< its logical shape, strides and dtype */
    char *base;              /**< the first logical element of the first example */
    int output;              /**< which output it is, -1 for an input */
    uint8_t slot; /**< its place among the schema's tensor inputs, outputs counted on; absent
                       ones count too, a list is one */
    tm_tensor *temporary; /**< stands in for the argument; released with the plan */
} tm_operand;

typedef struct tm_plan {
    tm_call *call;
    int num_inputs, num_operands;
    int num_levels, num_loops;
    uint64_t level[TM_MAX_LEVELS];
    int64_t size[TM_MAX_LOOPS];
    tm_operand *operand;
    int64_t *step; /**< step[loop * num_operands + operand] */
    size_t heap_size;
    tm_operand inline_operand[TM_INLINE_OPERANDS];
    int64_t inline_step[TM_MAX_LOOPS * TM_INLINE_OPERANDS];
} tm_plan;

/** Turns every batch entry of the call's arguments into loops, promotes what a mapped write needs
 *  promoted, and fills operands, levels and steps; outputs are still unset. The only function that
 *  does. Undo with tm_plan_free, also after a failure. */
tm_status tm_transmute(tm_call *call, tm_plan *plan);
void tm_plan_free(tm_plan *plan);

/** Makes the outputs: one allocation for loops and logical shape, in the order that the leading
 *  input has them in memory, or the written argument, or a
 *  temporary in its place. `elementwise`: the loops convert to a wider written dtype themselves,
 * and an input may be the output element for element. `in_temporary`: written arguments are
 * computed aside. Results are set. */
tm_status tm_outputs(tm_plan *plan, bool elementwise, bool in_temporary);
/** Copies temporaries into the written arguments they stand for. */
void tm_outputs_commit(tm_plan *plan);
/** Releases results after a failure. */
void tm_outputs_drop(tm_call *call);

/** TM_ERR_ALIASING where a written argument's elements are not provably disjoint, it is read-only,
 *  or two of them overlap. */
tm_status tm_overlap_check_outputs(tm_plan *plan);
/** Copies each input that overlaps an output. */
tm_status tm_overlap_copy_inputs(tm_plan *plan, bool elementwise);

/** A new tensor of that dtype and logical shape with the plan's levels, and its operand's steps. */
tm_tensor *tm_plan_new_tensor(tm_plan *plan, int operand, tm_dtype dtype, int ndim,
                              const int64_t *shape);
/** Points an operand at a tensor and sets its level steps from the tensor's entries. */
void tm_plan_set_operand(const tm_plan *plan, int operand, const tm_tensor *x);
/** Copies all examples of one operand to another of the same logical shape, converting. Steps are
 *  along the levels. */
void tm_plan_copy(const tm_plan *plan, const tm_operand *to, const int64_t *to_step,
                  const tm_operand *from, const int64_t *from_step);

/** Iterations of a nest of loops. */
static inline int64_t tm_loop_count(int num_loops, const int64_t *size)
{
    int64_t count = 1;
    for (int l = 0; l < num_loops; l++)
        count *= size[l];
    return count;
}

/** An elementwise call that is one run: makes the output and runs. False, and nothing done, where
 * it is not. */
bool tm_run_flat(tm_call *call, const tm_kernel *kernel, tm_status *status);
/** A per-example call without loops, or with one and a batched kernel: likewise. */
bool tm_run_direct(tm_call *call, const tm_kernel *kernel, tm_status *status);
/** An elementwise call whose loop is tm_convert_loop: likewise, but its loops and output are set.
 */
bool tm_run_copy(tm_plan *plan, const tm_kernel *kernel, tm_status *status);
/** A small reduction by a built-in kernel, outside every level: likewise. */
bool tm_run_reduction_direct(tm_call *call, const tm_kernel *kernel, tm_status *status);
/** The runners, by contract. They assume that every loop and output is set. */
tm_status tm_run_elementwise(tm_plan *plan, const tm_kernel *kernel);
tm_status tm_run_reduction(tm_plan *plan, const tm_kernel *kernel);
tm_status tm_run_example(tm_plan *plan, const tm_kernel *kernel);
/** Records in the call which example failed: `flat` over all loops. */
void tm_plan_failed(tm_plan *plan, tm_call *call, int64_t flat, int num_logical,
                    const int64_t *logical_size);

#endif
