/* reductions_truth.c: all, any, count_nonzero. NaN is not zero, -0 is. Of
 * integers the size alone matters. */
#include "ops/complex_numbers.h"
#include "ops/reductions_block.h"
#include "ops_kernels.h"

#define LOAD(v) TRUTH(v)

#define JOIN(a, b) ((a) & (b))
#define FINISH(v, n) ((v) != 0 || (n) == 0)
#define NAME all_uint8
#define IN uint8_t
#define ACC uint8_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME all_uint16
#define IN uint16_t
#define ACC uint16_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME all_uint32
#define IN uint32_t
#define ACC uint32_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME all_uint64
#define IN uint64_t
#define ACC uint64_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME all_float32
#define IN float
#define ACC uint32_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME all_float64
#define IN double
#define ACC uint64_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define PLAIN
#define NAME all_complex64
#define IN tm_complex64
#define ACC uint8_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME all_complex128
#define IN tm_complex128
#define ACC uint8_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#undef PLAIN
#undef JOIN
#undef FINISH

#define FINISH(v, n) ((OUT)(v))
#define JOIN(a, b) ((a) | (b))
#define NAME any_uint8
#define IN uint8_t
#define ACC uint8_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME any_uint16
#define IN uint16_t
#define ACC uint16_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME any_uint32
#define IN uint32_t
#define ACC uint32_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME any_uint64
#define IN uint64_t
#define ACC uint64_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME any_float32
#define IN float
#define ACC uint32_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME any_float64
#define IN double
#define ACC uint64_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define PLAIN
#define NAME any_complex64
#define IN tm_complex64
#define ACC uint8_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#define NAME any_complex128
#define IN tm_complex128
#define ACC uint8_t
#define OUT uint8_t
#include "ops/reductions_tree.h"
#undef PLAIN
#undef JOIN

#define JOIN(a, b) ((a) + (b))
#define NAME count_uint8
#define IN uint8_t
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME count_uint16
#define IN uint16_t
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME count_uint32
#define IN uint32_t
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME count_uint64
#define IN uint64_t
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME count_float32
#define IN float
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME count_float64
#define IN double
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define PLAIN
#define NAME count_complex64
#define IN tm_complex64
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#define NAME count_complex128
#define IN tm_complex128
#define ACC int64_t
#define OUT int64_t
#include "ops/reductions_tree.h"
#undef PLAIN

const tm_reduce_loop tm_all_loops[] = {{TM_FLOAT32, TM_BOOL, all_float32_reduce},
                                       {TM_FLOAT64, TM_BOOL, all_float64_reduce},
                                       {TM_BOOL, TM_BOOL, all_uint8_reduce},
                                       {TM_INT8, TM_BOOL, all_uint8_reduce},
                                       {TM_INT16, TM_BOOL, all_uint16_reduce},
                                       {TM_INT32, TM_BOOL, all_uint32_reduce},
                                       {TM_INT64, TM_BOOL, all_uint64_reduce},
                                       {TM_UINT8, TM_BOOL, all_uint8_reduce},
                                       {TM_UINT16, TM_BOOL, all_uint16_reduce},
                                       {TM_UINT32, TM_BOOL, all_uint32_reduce},
                                       {TM_UINT64, TM_BOOL, all_uint64_reduce},
                                       {TM_COMPLEX64, TM_BOOL, all_complex64_reduce},
                                       {TM_COMPLEX128, TM_BOOL, all_complex128_reduce},
                                       {0}};
const tm_reduce_loop tm_any_loops[] = {{TM_FLOAT32, TM_BOOL, any_float32_reduce},
                                       {TM_FLOAT64, TM_BOOL, any_float64_reduce},
                                       {TM_BOOL, TM_BOOL, any_uint8_reduce},
                                       {TM_INT8, TM_BOOL, any_uint8_reduce},
                                       {TM_INT16, TM_BOOL, any_uint16_reduce},
                                       {TM_INT32, TM_BOOL, any_uint32_reduce},
                                       {TM_INT64, TM_BOOL, any_uint64_reduce},
                                       {TM_UINT8, TM_BOOL, any_uint8_reduce},
                                       {TM_UINT16, TM_BOOL, any_uint16_reduce},
                                       {TM_UINT32, TM_BOOL, any_uint32_reduce},
                                       {TM_UINT64, TM_BOOL, any_uint64_reduce},
                                       {TM_COMPLEX64, TM_BOOL, any_complex64_reduce},
                                       {TM_COMPLEX128, TM_BOOL, any_complex128_reduce},
                                       {0}};
const tm_reduce_loop tm_count_nonzero_loops[] = {{TM_FLOAT32, TM_INT64, count_float32_reduce},
                                                 {TM_FLOAT64, TM_INT64, count_float64_reduce},
                                                 {TM_BOOL, TM_INT64, count_uint8_reduce},
                                                 {TM_INT8, TM_INT64, count_uint8_reduce},
                                                 {TM_INT16, TM_INT64, count_uint16_reduce},
                                                 {TM_INT32, TM_INT64, count_uint32_reduce},
                                                 {TM_INT64, TM_INT64, count_uint64_reduce},
                                                 {TM_UINT8, TM_INT64, count_uint8_reduce},
                                                 {TM_UINT16, TM_INT64, count_uint16_reduce},
                                                 {TM_UINT32, TM_INT64, count_uint32_reduce},
                                                 {TM_UINT64, TM_INT64, count_uint64_reduce},
                                                 {TM_COMPLEX64, TM_INT64, count_complex64_reduce},
                                                 {TM_COMPLEX128, TM_INT64, count_complex128_reduce},
                                                 {0}};
