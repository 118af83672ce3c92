/* complex.c: parts of complex numbers.
 *
 * A real number is a complex one without an imaginary part: conj and real pass it through in its
 * own dtype, imag is 0.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"

#define SAME(name, type, wide) TM_UNARY_LOOP(name, type, type, a)
TM_REALS(SAME, same)

TM_UNARY_LOOP(conj_complex64, tm_complex64, tm_complex64, tm_make_complex64(crealf(a), -cimagf(a)))
TM_UNARY_LOOP(conj_complex128, tm_complex128, tm_complex128,
              tm_make_complex128(creal(a), -cimag(a)))
TM_UNARY_LOOP(real_complex64, tm_complex64, float, crealf(a))
TM_UNARY_LOOP(real_complex128, tm_complex128, double, creal(a))
TM_UNARY_LOOP(imag_complex64, tm_complex64, float, cimagf(a))
TM_UNARY_LOOP(imag_complex128, tm_complex128, double, cimag(a))
TM_UNARY_LOOP(angle_complex64, tm_complex64, float, cargf(a))
TM_UNARY_LOOP(angle_complex128, tm_complex128, double, carg(a))
/* NaN stays; the angle of -0 is that of the negative numbers, as atan2 has it. */
TM_UNARY_LOOP(angle_float32, float, float, atan2f(0, a))
TM_UNARY_LOOP(angle_float64, double, double, atan2(0, a))

#define NOTHING(name, type, wide)                                                                  \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        (void)call;                                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(type, ptr[1] + i * step[1]) = 0;                                                 \
        return TM_OK;                                                                              \
    }
TM_REALS(NOTHING, zero)

#define PARTS_TO_FLOAT(name)                                                                       \
    TM_LOOP_ROW(TM_COMPLEX64, TM_FLOAT32, name##_complex64),                                       \
        TM_LOOP_ROW(TM_COMPLEX128, TM_FLOAT64, name##_complex128)

const tm_loop tm_conj_loops[] = {TM_NUMERIC_LOOPS(same), TM_COMPLEX_LOOPS(conj), {0}};
const tm_loop tm_real_loops[] = {TM_NUMERIC_LOOPS(same), PARTS_TO_FLOAT(real), {0}};
const tm_loop tm_imag_loops[] = {TM_NUMERIC_LOOPS(zero), PARTS_TO_FLOAT(imag), {0}};
const tm_loop tm_angle_loops[] = {TM_FLOAT_LOOPS(angle), PARTS_TO_FLOAT(angle), {0}};
