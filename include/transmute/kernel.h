/* kernel.h: what a meta function and a kernel are given, and what they say.
 *
 * Both take their call record first. A meta function checks and describes the outputs; it computes
 * nothing and allocates nothing:
 *
 *     static tm_status triu_meta(tm_call *call, const tm_tensor *x, int64_t k)
 *     {
 *         if (tm_ndim(x) < 2)
 *             return tm_fail_arg(call, TM_ERR_RANK, "x", "x must have at least 2 dimensions, "
 *                                "got shape %s", tm_shape_text(call, x));
 *         return tm_output_like(call, 0, x);
 *     }
 *
 * A kernel is given the inputs, then the outputs, as plain handles of one example, and reads them
 * with tm_data and tm_mutable_data. Neither can tell a vmap from an ordinary call.
 */
#ifndef TRANSMUTE_KERNEL_H
#define TRANSMUTE_KERNEL_H

#include <transmute/dispatch.h>

TM_BEGIN

/* -- Failing --------------------------------------------------------------------------------- */

/** Records a failure and returns `code`, so that it can be returned at once. The message leaves
 *  out the op's name, which is added when it is shown. */
TM_API tm_status tm_fail(tm_call *call, tm_status code, const char *format, ...) TM_PRINTF(3, 4);
/** The same, naming the argument at fault. `argument` must outlive the call (a literal). */
TM_API tm_status tm_fail_arg(tm_call *call, tm_status code, const char *argument,
                             const char *format, ...) TM_PRINTF(4, 5);
/** The same for an elementwise loop: element `i` of the n it was given is the one at fault. */
TM_API tm_status tm_fail_at(tm_call *call, int64_t i, tm_status code, const char *format, ...)
    TM_PRINTF(4, 5);
/** x's logical shape as text, "(2, 3)", valid until the call ends; a call has room for several. */
TM_API const char *tm_shape_text(tm_call *call, const tm_tensor *x);
/** The same for a shape that is no tensor's. */
TM_API const char *tm_sizes_text(tm_call *call, int64_t ndim, const int64_t *sizes);

/* -- Checks that many metas share ------------------------------------------------------------ */

/** What tm_check_axis does where the axis is not in 0..ndim-1 already. */
TM_API tm_status tm_resolve_axis(tm_call *call, const char *argument, int ndim, int64_t *axis);
/** Makes a negative axis positive, in place; TM_ERR_DIM where it is out of range for ndim. */
static inline tm_status tm_check_axis(tm_call *call, const char *argument, int ndim, int64_t *axis)
{
    if (axis && *axis >= 0 && *axis < ndim)
        return TM_OK;
    return tm_resolve_axis(call, argument, ndim, axis);
}
/** Resolves a list of axes to a bit mask; TM_ERR_DIM out of range or twice. NULL: all axes. */
TM_API tm_status tm_check_axes(tm_call *call, const char *argument, int ndim,
                               const tm_int_list *axes, uint32_t *mask);
/** Checks a shape given by the caller: sizes >= 0, at most TM_MAX_NDIM. */
TM_API tm_status tm_check_sizes(tm_call *call, const char *argument, tm_int_list shape);
/** TM_ERR_RANK unless x has at least `least` dimensions. */
TM_API tm_status tm_check_rank(tm_call *call, const char *argument, const tm_tensor *x, int least);
/** TM_ERR_DTYPE unless x is of that kind. `wanted` says it in words ("a floating-point dtype"). */
TM_API tm_status tm_check_kind(tm_call *call, const char *argument, const tm_tensor *x,
                               tm_kind kind, const char *wanted);
/** Broadcasts `shape` (in and out, ndim sizes) with x's shape; TM_ERR_SHAPE naming both. */
TM_API tm_status tm_check_broadcast(tm_call *call, const char *argument, int *ndim, int64_t *shape,
                                    const tm_tensor *x);

/* -- Describing outputs (meta) ---------------------------------------------------------------- */

/** Of an op that returns a list: how many outputs there are, once, before any is described. */
TM_API tm_status tm_output_count(tm_call *call, int64_t count);
/** Output i has this dtype and shape. */
TM_API tm_status tm_output(tm_call *call, int i, tm_dtype dtype, int64_t ndim,
                           const int64_t *shape);
/** Output i has x's dtype and shape. */
TM_API tm_status tm_output_like(tm_call *call, int i, const tm_tensor *x);
/** Output i is a view of x: `offset` in elements from x's first. For view and view-or-copy ops. */
TM_API tm_status tm_output_view(tm_call *call, int i, const tm_tensor *x, int ndim,
                                const int64_t *shape, const int64_t *strides, int64_t offset);
/** The description of output i as it stands (also for modes). NULL out of range. */
TM_API const tm_spec *tm_output_spec(const tm_call *call, int i);

/** A block that meta fills and the kernel reads; at most 256 bytes, zeroed when first asked for.
 *  NULL where it is larger. In a kernel: the block that meta filled. */
TM_API void *tm_params(tm_call *call, size_t size);
/** Asks (in meta) for `size` bytes of scratch memory for the kernel. */
TM_API void tm_need_workspace(tm_call *call, size_t size);
/** The scratch memory (in a kernel), 64-byte aligned; one per worker thread, unset. */
TM_API void *tm_workspace(tm_call *call);

/** Elementwise, when an op brings its own meta: runs the shared checks and picks the loop among
 *  `loops`: promotion over the tensors and scalars among the arguments, broadcast shape. */
TM_API tm_status tm_elementwise_meta(tm_call *call, const tm_loop *loops);
/** Elementwise, by hand: the loop, the dtype each operand (tensors and scalars that are present, in
 *  schema order, then outputs) is converted to for it. Describe the output besides. */
TM_API tm_status tm_elementwise_loop(tm_call *call, tm_loop_fn fn, int num_operands,
                                     const tm_dtype *compute);
/** Reduction: runs the shared checks over `mask` (tm_check_axes), picks the loop by x's dtype and
 *  describes the output. */
TM_API tm_status tm_reduction_meta(tm_call *call, const tm_tensor *x, uint32_t mask, bool keepdims,
                                   const tm_reduce_loop *loops);
/** The same with x's elements converted to `dtype`, which is the output's dtype too. */
TM_API tm_status tm_reduction_meta_in(tm_call *call, const tm_tensor *x, tm_dtype dtype,
                                      uint32_t mask, bool keepdims, const tm_reduce_loop *loops);
/** Per-example: operand (the tensor inputs of the schema in order, absent ones included, then the
 *  outputs) has these core axes, presented to the kernel last, in this order. */
TM_API tm_status tm_core_axes(tm_call *call, int operand, int num_axes, const int64_t *axes);

/* -- In kernels ------------------------------------------------------------------------------- */

/** Data-dependent: output i has this shape; allocates it. Call it once for each output before
 *  writing to it. */
TM_API tm_status tm_output_alloc(tm_call *call, int i, int ndim, const int64_t *shape);
/** Data-dependent: the host value this call returns. */
TM_API tm_status tm_output_scalar(tm_call *call, int i, tm_scalar value);

/** 16 random bytes, block `index` of this example's stream in this call. */
typedef struct tm_random_block {
    uint32_t word[4];
} tm_random_block;
TM_API tm_random_block tm_random(const tm_call *call, uint64_t index);

/** Batched and lanes kernels: this batch is not one the kernel handles; the plain kernel runs. */
TM_API void tm_batch_decline(tm_call *call);
/** Batched kernels: example `index` (flat over the loops, outermost first) must run plainly. */
TM_API void tm_batch_suspect(tm_call *call, int64_t index);

/* -- The record, for boxed kernels and modes --------------------------------------------------- */

TM_API const tm_op *tm_call_op(const tm_call *call);
TM_API int tm_call_num_args(const tm_call *call);
TM_API const tm_value *tm_call_arg(const tm_call *call, int i);
/** How many outputs the call has, counting those of a list; 0 while a meta has not said it. */
TM_API int tm_call_num_outputs(const tm_call *call);
/** Output i: a kernel's handle of it while a kernel runs, the result once the call is done. */
TM_API tm_tensor *tm_call_output(const tm_call *call, int i);

TM_END
#endif
