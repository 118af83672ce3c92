/* reductions_extremes.c: amax, amin, argmax, argmin. Where there is a NaN the first one is the
 * answer. */
#include <math.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "ops/reductions_block.h"
#include "ops_kernels.h"

/* -- Integers and bools ------------------------------------------------------------------------ */

#define SAME(v, w) _mm512_cmpeq_epi32_mask(v, w)
#define DOUBT(a, b) 0
#define ZERO(v) 0
#define FINISH(v, n) (v)
#define KEEPS(a, b) ((a) >= (b))
#define NAME max_int8
#define IN int8_t
#define PLACE int8_t
#define OUT int8_t
#include "ops/reductions_extreme.h"
#define NAME max_int16
#define IN int16_t
#define PLACE int16_t
#define OUT int16_t
#include "ops/reductions_extreme.h"
#define WIDE(a, b) _mm512_max_epi32((__m512i)(a), (__m512i)(b))
#define FAST(a, b) WIDE(a, b)
#define NAME max_int32
#define IN int32_t
#define PLACE int32_t
#define OUT int32_t
#include "ops/reductions_extreme.h"
#undef WIDE
#undef FAST
#define NAME max_int64
#define IN int64_t
#define PLACE int64_t
#define OUT int64_t
#include "ops/reductions_extreme.h"
#define NAME max_uint8
#define IN uint8_t
#define PLACE int8_t
#define OUT uint8_t
#include "ops/reductions_extreme.h"
#define NAME max_uint16
#define IN uint16_t
#define PLACE int16_t
#define OUT uint16_t
#include "ops/reductions_extreme.h"
#define WIDE(a, b) _mm512_max_epu32((__m512i)(a), (__m512i)(b))
#define FAST(a, b) WIDE(a, b)
#define NAME max_uint32
#define IN uint32_t
#define PLACE int32_t
#define OUT uint32_t
#include "ops/reductions_extreme.h"
#undef WIDE
#undef FAST
#define NAME max_uint64
#define IN uint64_t
#define PLACE int64_t
#define OUT uint64_t
#include "ops/reductions_extreme.h"
#undef KEEPS

#define KEEPS(a, b) ((a) <= (b))
#define NAME min_int8
#define IN int8_t
#define PLACE int8_t
#define OUT int8_t
#include "ops/reductions_extreme.h"
#define NAME min_int16
#define IN int16_t
#define PLACE int16_t
#define OUT int16_t
#include "ops/reductions_extreme.h"
#define WIDE(a, b) _mm512_min_epi32((__m512i)(a), (__m512i)(b))
#define FAST(a, b) WIDE(a, b)
#define NAME min_int32
#define IN int32_t
#define PLACE int32_t
#define OUT int32_t
#include "ops/reductions_extreme.h"
#undef WIDE
#undef FAST
#define NAME min_int64
#define IN int64_t
#define PLACE int64_t
#define OUT int64_t
#include "ops/reductions_extreme.h"
#define NAME min_uint8
#define IN uint8_t
#define PLACE int8_t
#define OUT uint8_t
#include "ops/reductions_extreme.h"
#define NAME min_uint16
#define IN uint16_t
#define PLACE int16_t
#define OUT uint16_t
#include "ops/reductions_extreme.h"
#define WIDE(a, b) _mm512_min_epu32((__m512i)(a), (__m512i)(b))
#define FAST(a, b) WIDE(a, b)
#define NAME min_uint32
#define IN uint32_t
#define PLACE int32_t
#define OUT uint32_t
#include "ops/reductions_extreme.h"
#undef WIDE
#undef FAST
#define NAME min_uint64
#define IN uint64_t
#define PLACE int64_t
#define OUT uint64_t
#include "ops/reductions_extreme.h"
#undef KEEPS
#undef FINISH
#undef SAME
#undef DOUBT
#undef ZERO

/* -- Floats ------------------------------------------------------------------------------------ */

/* `choose` is _mm512_mask_max_ps or its like, which gives its last argument where that is equal, or
 * a NaN. */
#define WIDE_FLOAT(choose, a, b)                                                                   \
    (__m512i)                                                                                      \
        choose(_mm512_set1_ps(NAN), _mm512_cmp_ps_mask((__m512)(b), (__m512)(b), _CMP_ORD_Q),      \
               (__m512)(b), (__m512)(a))

#define SAME(v, w) _mm512_cmp_ps_mask((__m512)(v), (__m512)(w), _CMP_EQ_OQ)
#define DOUBT(a, b) _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_UNORD_Q)
#define ZERO(v) _mm512_cmp_ps_mask((__m512)(v), _mm512_setzero_ps(), _CMP_EQ_OQ)
#define FINISH(v, n) ((v) == (v) ? (v) : (ACC)NAN)
#define KEEPS(a, b) (((a) >= (b)) | ((a) != (a)))
#define WIDE(a, b) WIDE_FLOAT(_mm512_mask_max_ps, a, b)
#define FAST(a, b) (__m512i) _mm512_max_ps((__m512)(a), (__m512)(b))
#define NAME max_float32
#define IN float
#define PLACE int32_t
#define OUT float
#include "ops/reductions_extreme.h"
#undef WIDE
#undef FAST
#define NAME max_float64
#define IN double
#define PLACE int64_t
#define OUT double
#include "ops/reductions_extreme.h"
#undef KEEPS

#define KEEPS(a, b) (((a) <= (b)) | ((a) != (a)))
#define WIDE(a, b) WIDE_FLOAT(_mm512_mask_min_ps, a, b)
#define FAST(a, b) (__m512i) _mm512_min_ps((__m512)(a), (__m512)(b))
#define NAME min_float32
#define IN float
#define PLACE int32_t
#define OUT float
#include "ops/reductions_extreme.h"
#undef WIDE
#undef FAST
#define NAME min_float64
#define IN double
#define PLACE int64_t
#define OUT double
#include "ops/reductions_extreme.h"

/* -- Tables ------------------------------------------------------------------------------------ */

const tm_reduce_loop tm_amax_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, max_float32_reduce}, {TM_FLOAT64, TM_FLOAT64, max_float64_reduce},
    {TM_BOOL, TM_BOOL, max_uint8_reduce},         {TM_INT8, TM_INT8, max_int8_reduce},
    {TM_INT16, TM_INT16, max_int16_reduce},       {TM_INT32, TM_INT32, max_int32_reduce},
    {TM_INT64, TM_INT64, max_int64_reduce},       {TM_UINT8, TM_UINT8, max_uint8_reduce},
    {TM_UINT16, TM_UINT16, max_uint16_reduce},    {TM_UINT32, TM_UINT32, max_uint32_reduce},
    {TM_UINT64, TM_UINT64, max_uint64_reduce},    {0}};
const tm_reduce_loop tm_amin_loops[] = {
    {TM_FLOAT32, TM_FLOAT32, min_float32_reduce}, {TM_FLOAT64, TM_FLOAT64, min_float64_reduce},
    {TM_BOOL, TM_BOOL, min_uint8_reduce},         {TM_INT8, TM_INT8, min_int8_reduce},
    {TM_INT16, TM_INT16, min_int16_reduce},       {TM_INT32, TM_INT32, min_int32_reduce},
    {TM_INT64, TM_INT64, min_int64_reduce},       {TM_UINT8, TM_UINT8, min_uint8_reduce},
    {TM_UINT16, TM_UINT16, min_uint16_reduce},    {TM_UINT32, TM_UINT32, min_uint32_reduce},
    {TM_UINT64, TM_UINT64, min_uint64_reduce},    {0}};
const tm_reduce_loop tm_argmax_loops[] = {
    {TM_FLOAT32, TM_INT64, max_float32_index}, {TM_FLOAT64, TM_INT64, max_float64_index},
    {TM_BOOL, TM_INT64, max_uint8_index},      {TM_INT8, TM_INT64, max_int8_index},
    {TM_INT16, TM_INT64, max_int16_index},     {TM_INT32, TM_INT64, max_int32_index},
    {TM_INT64, TM_INT64, max_int64_index},     {TM_UINT8, TM_INT64, max_uint8_index},
    {TM_UINT16, TM_INT64, max_uint16_index},   {TM_UINT32, TM_INT64, max_uint32_index},
    {TM_UINT64, TM_INT64, max_uint64_index},   {0}};
const tm_reduce_loop tm_argmin_loops[] = {
    {TM_FLOAT32, TM_INT64, min_float32_index}, {TM_FLOAT64, TM_INT64, min_float64_index},
    {TM_BOOL, TM_INT64, min_uint8_index},      {TM_INT8, TM_INT64, min_int8_index},
    {TM_INT16, TM_INT64, min_int16_index},     {TM_INT32, TM_INT64, min_int32_index},
    {TM_INT64, TM_INT64, min_int64_index},     {TM_UINT8, TM_INT64, min_uint8_index},
    {TM_UINT16, TM_INT64, min_uint16_index},   {TM_UINT32, TM_INT64, min_uint32_index},
    {TM_UINT64, TM_INT64, min_uint64_index},   {0}};
