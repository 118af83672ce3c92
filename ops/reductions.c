/* reductions.c: the metas of reductions, sum and mean. */
#include <math.h>

#include "ops/reductions_block.h"
#include "ops_kernels.h"

/* -- Metas ------------------------------------------------------------------------------------- */

static tm_status floats_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis,
                             bool keepdims, const tm_reduce_loop *loops, uint32_t *mask)
{
    tm_status status = tm_check_kind(call, "x", x, TM_KIND_FLOAT, "a real floating-point dtype");
    if (status == TM_OK)
        status = tm_check_axes(call, "axis", tm_ndim(x), axis, mask);
    return status == TM_OK ? tm_reduction_meta(call, x, *mask, keepdims, loops) : status;
}

/* For reductions that have no answer over no elements; `answer` names it. */
static tm_status check_elements(tm_call *call, const tm_tensor *x, uint32_t mask,
                                const char *answer)
{
    for (int d = 0; d < tm_ndim(x); d++)
        if ((mask >> d & 1) && tm_shape(x)[d] == 0)
            return tm_fail_arg(call, TM_ERR_VALUE, "x",
                               "x has no %s along an axis of size 0, its shape is %s", answer,
                               tm_shape_text(call, x));
    return TM_OK;
}

static tm_status extreme_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axes,
                              bool keepdims, const tm_reduce_loop *loops, const char *answer)
{
    uint32_t mask;
    tm_status status = tm_check_axes(call, "axis", tm_ndim(x), axes, &mask);
    if (status == TM_OK)
        status = check_elements(call, x, mask, answer);
    return status == TM_OK ? tm_reduction_meta(call, x, mask, keepdims, loops) : status;
}

tm_status tm_mean_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    uint32_t mask;
    return floats_meta(call, x, axis, keepdims, tm_mean_loops, &mask);
}

tm_status tm_amax_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis, bool keepdims)
{
    return extreme_meta(call, x, axis, keepdims, tm_amax_loops, "maximum");
}

tm_status tm_argmax_meta(tm_call *call, const tm_tensor *x, const int64_t *axis, bool keepdims)
{
    tm_int_list axes = {axis, 1};
    return extreme_meta(call, x, axis ? &axes : NULL, keepdims, tm_argmax_loops, "maximum");
}

tm_status tm_argmin_meta(tm_call *call, const tm_tensor *x, const int64_t *axis, bool keepdims)
{
    tm_int_list axes = {axis, 1};
    return extreme_meta(call, x, axis ? &axes : NULL, keepdims, tm_argmin_loops, "minimum");
}

tm_status tm_vector_norm_meta(tm_call *call, const tm_tensor *x, const tm_int_list *axis,
                              bool keepdims, double ord)
{
    uint32_t mask;
    tm_status status = floats_meta(call, x, axis, keepdims, tm_vector_norm_loops, &mask);
    if (status != TM_OK)
        return status;
    if (isnan(ord))
        return tm_fail_arg(call, TM_ERR_VALUE, "ord", "ord must not be NaN");
    if (isinf(ord))
        status = check_elements(call, x, mask, ord > 0 ? "inf-norm" : "-inf-norm");
    double *with = tm_params(call, sizeof *with);
    *with = ord;
    return status;
}

/* -- sum and mean ------------------------------------------------------------------------------ */

#define JOIN(a, b) ((a) + (b))
#define LOAD(v) ((ACC)(v))

/* Integers wrap, which unsigned ones may. */
#define FINISH(v, n) ((int64_t)(v))
#define NAME sum_bytes
#define IN uint8_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME sum_int32
#define IN int32_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME sum_int64
#define IN int64_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#undef FINISH

/* One NaN for all: which of several comes through is the processor's choice. */
#define FINISH(v, n) ((v) == (v) ? (v) : (ACC)NAN)
#define NAME sum_float32
#define IN float
#define ACC float
#define OUT float
#include "ops/reductions_tree.h"
#define NAME sum_float64
#define IN double
#define ACC double
#define OUT double
#include "ops/reductions_tree.h"
#undef FINISH

#define FINISH(v, n) ((n) > 0 && (v) == (v) ? (v) / (ACC)(n) : (ACC)NAN)
#define NAME mean_float32
#define IN float
#define ACC float
#define OUT float
#include "ops/reductions_tree.h"
#define NAME mean_float64
#define IN double
#define ACC double
#define OUT double
#include "ops/reductions_tree.h"

const tm_reduce_loop tm_sum_loops[] = {{TM_BOOL, TM_INT64, sum_bytes_reduce},
                                       {TM_UINT8, TM_INT64, sum_bytes_reduce},
                                       {TM_INT32, TM_INT64, sum_int32_reduce},
                                       {TM_INT64, TM_INT64, sum_int64_reduce},
                                       {TM_FLOAT32, TM_FLOAT32, sum_float32_reduce},
                                       {TM_FLOAT64, TM_FLOAT64, sum_float64_reduce},
                                       {0}};
const tm_reduce_loop tm_mean_loops[] = {{TM_FLOAT32, TM_FLOAT32, mean_float32_reduce},
                                        {TM_FLOAT64, TM_FLOAT64, mean_float64_reduce},
                                        {0}};
