/* fused.c: two operations in one. Integers wrap; lerp and addcdiv compute them in float32. */
#include "complex_numbers.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

/* -- lerp ------------------------------------------------------------------------------------- */

/* From the nearer end, so that weight 0 gives a and weight 1 gives b. */
#define LERP(name, type, wide)                                                                     \
    TM_TERNARY_LOOP(name, type, type, c < (type)0.5 ? a + c * (b - a) : b - (b - a) * (1 - c))
TM_FLOATS(LERP, lerp)

/* The same with the weight's magnitude. */
static inline tm_complex128 lerp_of_complex(tm_complex128 a, tm_complex128 b, tm_complex128 weight)
{
    const tm_complex128 way = b - a;
    return cabs(weight) < 0.5 ? a + tm_mul_complex128(weight, way)
                              : b - tm_mul_complex128(way, 1 - weight);
}
TM_TERNARY_LOOP(lerp_complex128, tm_complex128, tm_complex128, lerp_of_complex(a, b, c))
TM_TERNARY_LOOP(lerp_complex64, tm_complex64, tm_complex64,
                (tm_complex64)lerp_of_complex((tm_complex128)a, (tm_complex128)b, (tm_complex128)c))

const tm_loop tm_lerp_loops[] = {TM_FLOAT_LOOPS(lerp), TM_COMPLEX_LOOPS(lerp), {0}};

tm_status tm_lerp_scalar_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2,
                              tm_scalar weight)
{
    (void)x2;
    return tm_elementwise_scalar_meta(call, tm_lerp_loops, x1, "weight", weight);
}

/* -- addcmul, addcdiv ------------------------------------------------------------------------- */

/* A loop over a, b, c and d: contiguous with a d that stands still, or any steps. */
#define LOOP_OF_FOUR(name, type, expression)                                                       \
    TM_INLINE type name##_of(type a, type b, type c, type d)                                       \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    TM_INLINE void name##_run(char *const *ptr, int64_t sa, int64_t sb, int64_t sc, int64_t sd,    \
                              int64_t so, int64_t n)                                               \
    {                                                                                              \
        const char *pa = ptr[0], *pb = ptr[1], *pc = ptr[2], *pd = ptr[3];                         \
        char *po = ptr[4];                                                                         \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(type, po + i * so) =                                                             \
                name##_of(TM_CONST_AT(type, pa + i * sa), TM_CONST_AT(type, pb + i * sb),          \
                          TM_CONST_AT(type, pc + i * sc), TM_CONST_AT(type, pd + i * sd));         \
    }                                                                                              \
    TM_INLINE void name##_dense(char *const *ptr, int64_t n)                                       \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        const type d = TM_CONST_AT(type, ptr[3]);                                                  \
        char *const still[] = {ptr[0], ptr[1], ptr[2], (char *)&d, ptr[4]};                        \
        name##_run(still, item, item, item, 0, item, n);                                           \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_version, name##_dense, (char *const *ptr, int64_t n), (ptr, n))        \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        (void)call;                                                                                \
        if (step[0] == item && step[1] == item && step[2] == item && step[3] == 0 &&               \
            step[4] == item)                                                                       \
            TM_DENSE(type, name, (ptr, n));                                                        \
        else                                                                                       \
            name##_run(ptr, step[0], step[1], step[2], step[3], step[4], n);                       \
        return TM_OK;                                                                              \
    }

#define ADDCMUL(name, type, wide)                                                                  \
    LOOP_OF_FOUR(name, type, (type)((wide)a + (wide)d * (wide)b * (wide)c))
TM_REALS(ADDCMUL, addcmul)
LOOP_OF_FOUR(addcmul_complex64, tm_complex64, a + tm_mul_complex64(tm_mul_complex64(d, b), c))
LOOP_OF_FOUR(addcmul_complex128, tm_complex128, a + tm_mul_complex128(tm_mul_complex128(d, b), c))

LOOP_OF_FOUR(addcdiv_float32, float, a + d * b / c)
LOOP_OF_FOUR(addcdiv_float64, double, a + d * b / c)
LOOP_OF_FOUR(addcdiv_complex64, tm_complex64, a + tm_div_complex64(tm_mul_complex64(d, b), c))
LOOP_OF_FOUR(addcdiv_complex128, tm_complex128, a + tm_div_complex128(tm_mul_complex128(d, b), c))

const tm_loop tm_addcmul_loops[] = {TM_NUMERIC_LOOPS(addcmul), TM_COMPLEX_LOOPS(addcmul), {0}};
const tm_loop tm_addcdiv_loops[] = {TM_FLOAT_LOOPS(addcdiv), TM_COMPLEX_LOOPS(addcdiv), {0}};

#define META(op)                                                                                   \
    tm_status tm_##op##_meta(tm_call *call, const tm_tensor *x, const tm_tensor *t1,               \
                             const tm_tensor *t2, tm_scalar value)                                 \
    {                                                                                              \
        (void)t1, (void)t2;                                                                        \
        return tm_elementwise_scalar_meta(call, tm_##op##_loops, x, "value", value);               \
    }
META(addcmul)
META(addcdiv)
