/* convert.c: copies that convert: astype makes a tensor, copy_ and fill_ write into one.
 *
 * Equal dtypes are copied by the size of their elements, so every dtype can be. Unequal ones go
 * through the conversion that meta looked up, without a buffer between.
 */
#include "dispatch/cast.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

/* An input that stands still fills. */
#define COPY_LOOP(name, type)                                                                      \
    TM_UNARY_LOOP(move_##name, type, type, a)                                                      \
    TM_INLINE void spread_##name(const char *from, char *to, int64_t step, int64_t n)              \
    {                                                                                              \
        const type value = TM_CONST_AT(type, from);                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            TM_AT(type, to + i * step) = value;                                                    \
    }                                                                                              \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        if (step[0] != 0)                                                                          \
            return move_##name(call, ptr, step, n);                                                \
        if (step[1] == (int64_t)sizeof(type))                                                      \
            spread_##name(ptr[0], ptr[1], (int64_t)sizeof(type), n);                               \
        else                                                                                       \
            spread_##name(ptr[0], ptr[1], step[1], n);                                             \
        return TM_OK;                                                                              \
    }
COPY_LOOP(copy_1, tm_word1)
COPY_LOOP(copy_2, tm_word2)
COPY_LOOP(copy_4, tm_word4)
COPY_LOOP(copy_8, tm_word8)
COPY_LOOP(copy_16, tm_word16)

#define COPY_ROW(dtype, bytes) {dtype, dtype, copy_##bytes},
const tm_loop tm_convert_loops[] = {TM_ALL_DTYPES(COPY_ROW){0}};

typedef struct conversion {
    tm_cast_fn cast;
} conversion;

static tm_status convert(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    const conversion *c = tm_params(call, sizeof *c);
    c->cast(ptr[0], step[0], ptr[1], step[1], n);
    return TM_OK;
}

/* Sets the loop from one dtype to another; `argument` is what is converted. */
static tm_status set_loop(tm_call *call, const char *argument, tm_dtype from, tm_dtype to)
{
    tm_loop_fn fn = convert;
    for (const tm_loop *l = tm_convert_loops; l->fn && from == to; l++)
        if (l->in == from)
            fn = l->fn;
    if (from != to) {
        conversion *c = tm_params(call, sizeof *c);
        c->cast = tm_cast(from, to);
        if (!c->cast)
            return tm_fail_arg(call, TM_ERR_DTYPE, argument, "there is no conversion from %s to %s",
                               tm_dtype_name(from), tm_dtype_name(to));
    }
    const tm_dtype compute[2] = {from, to};
    return tm_elementwise_loop(call, fn, 2, compute);
}

tm_status tm_astype_meta(tm_call *call, const tm_tensor *x, tm_dtype dtype)
{
    tm_status status = tm_output(call, 0, dtype, tm_ndim(x), tm_shape(x));
    return status == TM_OK ? set_loop(call, "x", tm_dtype_of(x), dtype) : status;
}

tm_status tm_clone_meta(tm_call *call, const tm_tensor *x)
{
    return tm_astype_meta(call, x, tm_dtype_of(x));
}

tm_status tm_copy__meta(tm_call *call, tm_tensor *x, const tm_tensor *src)
{
    int extra = tm_ndim(x) - tm_ndim(src);
    bool fits = extra >= 0;
    for (int d = 0; fits && d < tm_ndim(src); d++) {
        int64_t size = tm_shape(src)[d];
        fits = size == 1 || size == tm_shape(x)[d + extra];
    }
    if (!fits)
        return tm_fail_arg(call, TM_ERR_SHAPE, "src",
                           "src must broadcast to x's shape %s, got shape %s",
                           tm_shape_text(call, x), tm_shape_text(call, src));
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? set_loop(call, "src", tm_dtype_of(src), tm_dtype_of(x)) : status;
}

tm_status tm_fill__meta(tm_call *call, tm_tensor *x, tm_scalar value)
{
    tm_dtype dtype = tm_dtype_of(x);
    tm_status status = tm_check_scalar(call, "value", value, dtype);
    if (status == TM_OK)
        status = tm_output_like(call, 0, x);
    return status == TM_OK ? set_loop(call, "value", dtype, dtype) : status;
}

tm_status tm_fill__tensor_meta(tm_call *call, tm_tensor *x, const tm_tensor *value)
{
    if (tm_ndim(value) != 0)
        return tm_fail_arg(call, TM_ERR_RANK, "value", "value must be a 0-D tensor, got shape %s",
                           tm_shape_text(call, value));
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? set_loop(call, "value", tm_dtype_of(value), tm_dtype_of(x)) : status;
}
