/* reductions_sums.c: sum, mean and prod. Integers are accumulated as unsigned ones, which may wrap.
 */
#include "ops/complex_numbers.h"
#include "ops/reductions_block.h"
#include "ops_kernels.h"

/* One NaN for all: which of several comes through is the processor's choice. */
#define ONE_NAN(v) ((v) == (v) ? (v) : (ACC)NAN)

/* -- sum --------------------------------------------------------------------------------------- */

#define LOAD(v) CONVERT(v)
#define JOIN(a, b) ((a) + (b))

#define FINISH(v, n) ((OUT)(v))
#define NAME sum_int8
#define IN int8_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME sum_int16
#define IN int16_t
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
#define NAME sum_uint8
#define IN uint8_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME sum_uint16
#define IN uint16_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME sum_uint32
#define IN uint32_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME sum_uint64
#define IN uint64_t
#define ACC uint64_t
#define OUT uint64_t
#include "ops/reductions_tree.h"
#define PLAIN
#define NAME sum_complex64
#define IN tm_complex64
#define ACC tm_complex64
#define OUT tm_complex64
#include "ops/reductions_tree.h"
#define NAME sum_complex128
#define IN tm_complex128
#define ACC tm_complex128
#define OUT tm_complex128
#include "ops/reductions_tree.h"
#undef PLAIN
#undef FINISH

#define FINISH(v, n) ONE_NAN(v)
#define WIDE(a, b) ((a) + (b))
#define NAME sum_float32
#define IN float
#define ACC float
#define OUT float
#include "ops/reductions_tree.h"
#undef WIDE
#define NAME sum_float64
#define IN double
#define ACC double
#define OUT double
#include "ops/reductions_tree.h"
#undef FINISH

/* -- mean -------------------------------------------------------------------------------------- */

#define FINISH(v, n) ((n) > 0 && (v) == (v) ? (v) / (ACC)(n) : (ACC)NAN)
#define WIDE(a, b) ((a) + (b))
#define NAME mean_float32
#define IN float
#define ACC float
#define OUT float
#include "ops/reductions_tree.h"
#undef WIDE
#define NAME mean_float64
#define IN double
#define ACC double
#define OUT double
#include "ops/reductions_tree.h"
#undef FINISH

#define FINISH(v, n) ((n) > 0 ? (v) / (ACC)(n) : (ACC)NAN)
#define PLAIN
#define NAME mean_complex64
#define IN tm_complex64
#define ACC tm_complex64
#define OUT tm_complex64
#include "ops/reductions_tree.h"
#define NAME mean_complex128
#define IN tm_complex128
#define ACC tm_complex128
#define OUT tm_complex128
#include "ops/reductions_tree.h"
#undef PLAIN
#undef FINISH
#undef JOIN

/* -- prod: of no elements 1 -------------------------------------------------------------------- */

#define JOIN(a, b) ((a) * (b))
#define FINISH(v, n) ((n) > 0 ? (OUT)(v) : 1)
#define NAME prod_int8
#define IN int8_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_int16
#define IN int16_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_int32
#define IN int32_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_int64
#define IN int64_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_uint8
#define IN uint8_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_uint16
#define IN uint16_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_uint32
#define IN uint32_t
#define ACC uint64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME prod_uint64
#define IN uint64_t
#define ACC uint64_t
#define OUT uint64_t
#include "ops/reductions_tree.h"
#undef FINISH

#define FINISH(v, n) ((n) > 0 ? ONE_NAN(v) : 1)
#define WIDE(a, b) ((a) * (b))
#define NAME prod_float32
#define IN float
#define ACC float
#define OUT float
#include "ops/reductions_tree.h"
#undef WIDE
#define NAME prod_float64
#define IN double
#define ACC double
#define OUT double
#include "ops/reductions_tree.h"
#undef FINISH
#undef JOIN

#define FINISH(v, n) ((n) > 0 ? (v) : 1)
#define JOIN(a, b) tm_mul_complex64(a, b)
#define PLAIN
#define NAME prod_complex64
#define IN tm_complex64
#define ACC tm_complex64
#define OUT tm_complex64
#include "ops/reductions_tree.h"
#undef JOIN
#define JOIN(a, b) tm_mul_complex128(a, b)
#define NAME prod_complex128
#define IN tm_complex128
#define ACC tm_complex128
#define OUT tm_complex128
#include "ops/reductions_tree.h"
#undef PLAIN

const tm_reduce_loop tm_sum_loops[] = {{TM_FLOAT32, TM_FLOAT32, sum_float32_reduce},
                                       {TM_FLOAT64, TM_FLOAT64, sum_float64_reduce},
                                       {TM_BOOL, TM_INT64, sum_uint8_reduce},
                                       {TM_INT8, TM_INT64, sum_int8_reduce},
                                       {TM_INT16, TM_INT64, sum_int16_reduce},
                                       {TM_INT32, TM_INT64, sum_int32_reduce},
                                       {TM_INT64, TM_INT64, sum_int64_reduce},
                                       {TM_UINT8, TM_INT64, sum_uint8_reduce},
                                       {TM_UINT16, TM_INT64, sum_uint16_reduce},
                                       {TM_UINT32, TM_INT64, sum_uint32_reduce},
                                       {TM_UINT64, TM_UINT64, sum_uint64_reduce},
                                       {TM_COMPLEX64, TM_COMPLEX64, sum_complex64_reduce},
                                       {TM_COMPLEX128, TM_COMPLEX128, sum_complex128_reduce},
                                       {0}};
const tm_reduce_loop tm_mean_loops[] = {{TM_FLOAT32, TM_FLOAT32, mean_float32_reduce},
                                        {TM_FLOAT64, TM_FLOAT64, mean_float64_reduce},
                                        {TM_COMPLEX64, TM_COMPLEX64, mean_complex64_reduce},
                                        {TM_COMPLEX128, TM_COMPLEX128, mean_complex128_reduce},
                                        {0}};
const tm_reduce_loop tm_prod_loops[] = {{TM_FLOAT32, TM_FLOAT32, prod_float32_reduce},
                                        {TM_FLOAT64, TM_FLOAT64, prod_float64_reduce},
                                        {TM_BOOL, TM_INT64, prod_uint8_reduce},
                                        {TM_INT8, TM_INT64, prod_int8_reduce},
                                        {TM_INT16, TM_INT64, prod_int16_reduce},
                                        {TM_INT32, TM_INT64, prod_int32_reduce},
                                        {TM_INT64, TM_INT64, prod_int64_reduce},
                                        {TM_UINT8, TM_INT64, prod_uint8_reduce},
                                        {TM_UINT16, TM_INT64, prod_uint16_reduce},
                                        {TM_UINT32, TM_INT64, prod_uint32_reduce},
                                        {TM_UINT64, TM_UINT64, prod_uint64_reduce},
                                        {TM_COMPLEX64, TM_COMPLEX64, prod_complex64_reduce},
                                        {TM_COMPLEX128, TM_COMPLEX128, prod_complex128_reduce},
                                        {0}};
