/* classification.c: what kind of number an element is.
 *
 * Of integers and bools all is known beforehand, so their loops read nothing. 16-bit floats are
 * looked at in float32, which keeps their kind and sign.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"

static void fill(char *out, int64_t step, int64_t n, uint8_t value)
{
    for (int64_t i = 0; i < n; i++)
        TM_AT(uint8_t, out + i * step) = value;
}

static tm_status never(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    fill(ptr[1], step[1], n, 0);
    return TM_OK;
}

static tm_status always(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    fill(ptr[1], step[1], n, 1);
    return TM_OK;
}

TM_UNARY_LOOP(isnan_float32, float, uint8_t, a != a)
TM_UNARY_LOOP(isnan_float64, double, uint8_t, a != a)
TM_UNARY_LOOP(isinf_float32, float, uint8_t, fabsf(a) == INFINITY)
TM_UNARY_LOOP(isinf_float64, double, uint8_t, fabs(a) == (double)INFINITY)
TM_UNARY_LOOP(isfinite_float32, float, uint8_t, fabsf(a) < INFINITY)
TM_UNARY_LOOP(isfinite_float64, double, uint8_t, fabs(a) < (double)INFINITY)

/* Of the two parts by what is known of each. */
#define OF_PARTS(name, both)                                                                       \
    TM_UNARY_LOOP(name##_complex64, tm_complex64, uint8_t,                                         \
                  name##_float32_of(crealf(a)) both name##_float32_of(cimagf(a)))                  \
    TM_UNARY_LOOP(name##_complex128, tm_complex128, uint8_t,                                       \
                  name##_float64_of(creal(a)) both name##_float64_of(cimag(a)))
OF_PARTS(isnan, |)
OF_PARTS(isinf, |)
OF_PARTS(isfinite, &)

#define MINUS(name, type, wide) TM_UNARY_LOOP(name, type, uint8_t, a < 0)
MINUS(signbit_int8, int8_t, )
MINUS(signbit_int16, int16_t, )
MINUS(signbit_int32, int32_t, )
MINUS(signbit_int64, int64_t, )
TM_UNARY_LOOP(signbit_float32, float, uint8_t, signbit(a) != 0)
TM_UNARY_LOOP(signbit_float64, double, uint8_t, signbit(a) != 0)

#define UNSIGNED_ROWS(loop)                                                                        \
    TM_LOOP_ROW(TM_BOOL, TM_BOOL, loop), TM_LOOP_ROW(TM_UINT8, TM_BOOL, loop),                     \
        TM_LOOP_ROW(TM_UINT16, TM_BOOL, loop), TM_LOOP_ROW(TM_UINT32, TM_BOOL, loop),              \
        TM_LOOP_ROW(TM_UINT64, TM_BOOL, loop)
#define INTEGER_ROWS(loop)                                                                         \
    UNSIGNED_ROWS(loop), TM_LOOP_ROW(TM_INT8, TM_BOOL, loop),                                      \
        TM_LOOP_ROW(TM_INT16, TM_BOOL, loop), TM_LOOP_ROW(TM_INT32, TM_BOOL, loop),                \
        TM_LOOP_ROW(TM_INT64, TM_BOOL, loop)

const tm_loop tm_isnan_loops[] = {TM_FLOAT_LOOPS_TO(isnan, TM_BOOL),
                                  TM_COMPLEX_LOOPS_TO(isnan, TM_BOOL),
                                  INTEGER_ROWS(never),
                                  {0}};
const tm_loop tm_isinf_loops[] = {TM_FLOAT_LOOPS_TO(isinf, TM_BOOL),
                                  TM_COMPLEX_LOOPS_TO(isinf, TM_BOOL),
                                  INTEGER_ROWS(never),
                                  {0}};
const tm_loop tm_isfinite_loops[] = {TM_FLOAT_LOOPS_TO(isfinite, TM_BOOL),
                                     TM_COMPLEX_LOOPS_TO(isfinite, TM_BOOL),
                                     INTEGER_ROWS(always),
                                     {0}};
const tm_loop tm_signbit_loops[] = {TM_FLOAT_LOOPS_TO(signbit, TM_BOOL),
                                    UNSIGNED_ROWS(never),
                                    TM_LOOP_ROW(TM_INT8, TM_BOOL, signbit_int8),
                                    TM_LOOP_ROW(TM_INT16, TM_BOOL, signbit_int16),
                                    TM_LOOP_ROW(TM_INT32, TM_BOOL, signbit_int32),
                                    TM_LOOP_ROW(TM_INT64, TM_BOOL, signbit_int64),
                                    {0}};
