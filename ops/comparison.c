/* comparison.c: functions of two elements with a bool result.
 *
 * Every comparison with NaN is false, but ne, which is true. eq, ne and isclose take all dtypes,
 * the others those that have an order. A whole number beside integers is compared exactly, also one
 * that their dtype cannot hold.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define EQ(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a == b)
#define NE(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a != b)
#define LT(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a < b)
#define LE(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a <= b)
#define GT(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a > b)
#define GE(name, type, wide) TM_BINARY_LOOP(name, type, uint8_t, a >= b)

/* The shared meta, except for a number that x's dtype cannot hold. It is compared in int64; with
 * uint64, where it can only be negative, in float64, which keeps the signs. */
static tm_status with_scalar(tm_call *call, const tm_loop *loops, const tm_tensor *x,
                             const char *argument, tm_scalar scalar)
{
    tm_status status = tm_elementwise_meta(call, loops);
    if (status != TM_OK)
        return status;
    tm_dtype dtype = tm_promote_scalar(tm_dtype_of(x), scalar.kind);
    if (tm_scalar_fits(scalar, dtype))
        return tm_check_scalar(call, argument, scalar, dtype);
    const tm_dtype wide = dtype == TM_UINT64 ? TM_FLOAT64 : TM_INT64;
    const tm_loop *loop = loops;
    while (loop->in != wide)
        loop++;
    const tm_dtype compute[3] = {wide, wide, TM_BOOL};
    return tm_elementwise_loop(call, loop->fn, 3, compute);
}

#define EQUALITY(op, X)                                                                            \
    TM_REALS(X, op)                                                                                \
    TM_COMPLEXES(X, op)                                                                            \
    const tm_loop tm_##op##_loops[] = {TM_EVERY_LOOP_TO_BOOL(op), {0}};                            \
    TM_SCALAR_META(op, with_scalar)                                                                \
    TM_RSCALAR_META(op, with_scalar)
EQUALITY(eq, EQ)
EQUALITY(ne, NE)

#define ORDER(op, X)                                                                               \
    TM_REALS(X, op)                                                                                \
    const tm_loop tm_##op##_loops[] = {                                                            \
        TM_FLOAT_LOOPS_TO(op, TM_BOOL), TM_INTEGER_LOOPS_TO(op, TM_BOOL), {0}};                    \
    TM_SCALAR_META(op, with_scalar)                                                                \
    TM_RSCALAR_META(op, with_scalar)
ORDER(lt, LT)
ORDER(le, LE)
ORDER(gt, GT)
ORDER(ge, GE)

/* -- isclose ---------------------------------------------------------------------------------- */

/* What the loops read of the call's parameters. */
typedef struct closeness {
    double rtol, atol;
    bool equal_nan;
} closeness;

/* |x - y| <= atol + rtol |y| for finite y, which an infinite one would make true of all x. */
static inline bool are_close(const closeness *c, double distance, double magnitude)
{
    return magnitude < (double)INFINITY && distance <= c->atol + c->rtol * magnitude;
}

static inline bool real_are_close(const closeness *c, double x, double y)
{
    return are_close(c, fabs(x - y), fabs(y)) || (c->equal_nan && isnan(x) && isnan(y));
}

static inline bool complex_are_close(const closeness *c, tm_complex128 x, tm_complex128 y)
{
    return are_close(c, cabs(x - y), cabs(y)) ||
           (c->equal_nan && tm_complex_is_nan(x) && tm_complex_is_nan(y));
}

#define ISCLOSE_LOOP(name, type, wide, close)                                                      \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        const closeness *c = tm_params(call, sizeof *c);                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type a = TM_CONST_AT(type, ptr[0] + i * step[0]);                                \
            const type b = TM_CONST_AT(type, ptr[1] + i * step[1]);                                \
            TM_AT(uint8_t, ptr[2] + i * step[2]) = a == b || close(c, (wide)a, (wide)b);           \
        }                                                                                          \
        return TM_OK;                                                                              \
    }
#define ISCLOSE(name, type, wide) ISCLOSE_LOOP(name, type, double, real_are_close)
TM_REALS(ISCLOSE, isclose)
ISCLOSE_LOOP(isclose_complex64, tm_complex64, tm_complex128, complex_are_close)
ISCLOSE_LOOP(isclose_complex128, tm_complex128, tm_complex128, complex_are_close)

const tm_loop tm_isclose_loops[] = {TM_EVERY_LOOP_TO_BOOL(isclose), {0}};

static tm_status check_tolerance(tm_call *call, const char *argument, double value)
{
    if (value >= 0)
        return TM_OK;
    return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must be at least 0, got %g", argument,
                       value);
}

tm_status tm_isclose_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2, double rtol,
                          double atol, bool equal_nan)
{
    (void)x1, (void)x2;
    tm_status status = check_tolerance(call, "rtol", rtol);
    if (status == TM_OK)
        status = check_tolerance(call, "atol", atol);
    if (status != TM_OK)
        return status;
    *(closeness *)tm_params(call, sizeof(closeness)) = (closeness){rtol, atol, equal_nan};
    return tm_elementwise_meta(call, tm_isclose_loops);
}
