/* reductions_extremes.c: amax, argmax, argmin. Where there is a NaN the first one is the answer. */
#include <math.h>

#include "ops/reductions_block.h"
#include "ops_kernels.h"

/* -- Integers and bools ------------------------------------------------------------------------ */

#define FINISH(v, n) (v)
#define KEEPS(a, b) ((a) >= (b))
#define NAME max_bytes
#define IN uint8_t
#define OUT uint8_t
#include "ops/reductions_extreme.h"
#define NAME max_int32
#define IN int32_t
#define OUT int32_t
#include "ops/reductions_extreme.h"
#define NAME max_int64
#define IN int64_t
#define OUT int64_t
#include "ops/reductions_extreme.h"
#undef KEEPS

#define KEEPS(a, b) ((a) <= (b))
#define NAME min_bytes
#define IN uint8_t
#include "ops/reductions_extreme.h"
#define NAME min_int32
#define IN int32_t
#include "ops/reductions_extreme.h"
#define NAME min_int64
#define IN int64_t
#include "ops/reductions_extreme.h"
#undef KEEPS
#undef FINISH

/* -- Floats ------------------------------------------------------------------------------------ */

#define FINISH(v, n) ((v) == (v) ? (v) : (ACC)NAN)
#define KEEPS(a, b) (((a) >= (b)) | ((a) != (a)))
#define NAME max_float32
#define IN float
#define OUT float
#include "ops/reductions_extreme.h"
#define NAME max_float64
#define IN double
#define OUT double
#include "ops/reductions_extreme.h"
#undef KEEPS

#define KEEPS(a, b) (((a) <= (b)) | ((a) != (a)))
#define NAME min_float32
#define IN float
#include "ops/reductions_extreme.h"
#define NAME min_float64
#define IN double
#include "ops/reductions_extreme.h"

/* -- Tables ------------------------------------------------------------------------------------ */

const tm_reduce_loop tm_amax_loops[] = {{TM_BOOL, TM_BOOL, max_bytes_reduce},
                                        {TM_UINT8, TM_UINT8, max_bytes_reduce},
                                        {TM_INT32, TM_INT32, max_int32_reduce},
                                        {TM_INT64, TM_INT64, max_int64_reduce},
                                        {TM_FLOAT32, TM_FLOAT32, max_float32_reduce},
                                        {TM_FLOAT64, TM_FLOAT64, max_float64_reduce},
                                        {0}};

#define INDEX_LOOPS(of)                                                                            \
    {TM_BOOL, TM_INT64, of##_bytes_index}, {TM_UINT8, TM_INT64, of##_bytes_index},                 \
        {TM_INT32, TM_INT64, of##_int32_index}, {TM_INT64, TM_INT64, of##_int64_index},            \
        {TM_FLOAT32, TM_INT64, of##_float32_index}, {TM_FLOAT64, TM_INT64, of##_float64_index},    \
    {                                                                                              \
        0                                                                                          \
    }
const tm_reduce_loop tm_argmax_loops[] = {INDEX_LOOPS(max)};
const tm_reduce_loop tm_argmin_loops[] = {INDEX_LOOPS(min)};
