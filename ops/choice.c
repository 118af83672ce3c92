/* choice.c: where and clamp.
 *
 * where moves elements and computes nothing, so it takes every dtype; what promotion converts must
 * have a conversion. clamp is minimum(maximum(x, min), max): max wins where the bounds cross, NaN
 * in any of the three is the result, and a number as bound promotes as in arithmetic.
 */
#include "dispatch/cast.h"
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

/* -- where ------------------------------------------------------------------------------------ */

TM_TERNARY_LOOP(where_1, uint8_t, tm_word1, a ? b : c)
TM_TERNARY_LOOP(where_2, uint8_t, tm_word2, a ? b : c)
TM_TERNARY_LOOP(where_4, uint8_t, tm_word4, a ? b : c)
TM_TERNARY_LOOP(where_8, uint8_t, tm_word8, a ? b : c)
TM_TERNARY_LOOP(where_16, uint8_t, tm_word16, a ? b : c)

#define WHERE_ROW(dtype, bytes) {TM_BOOL, dtype, where_##bytes},
const tm_loop tm_where_loops[] = {TM_ALL_DTYPES(WHERE_ROW){0}};

/* One of the two values: a tensor, or a number where `tensor` is NULL. */
typedef struct choice {
    const char *name;
    const tm_tensor *tensor;
    tm_scalar scalar;
} choice;

static tm_status choose(tm_call *call, const tm_tensor *cond, choice x1, choice x2)
{
    tm_status status = tm_check_kind(call, "cond", cond, TM_KIND_BOOL, "dtype bool");
    if (status != TM_OK)
        return status;
    int ndim = tm_ndim(cond);
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        shape[d] = tm_shape(cond)[d];
    const choice *both[2] = {&x1, &x2};
    tm_dtype dtype = TM_DTYPE_NONE;
    for (int i = 0; i < 2; i++) {
        if (!both[i]->tensor)
            continue;
        tm_dtype other = tm_dtype_of(both[i]->tensor);
        dtype = dtype == TM_DTYPE_NONE ? other : tm_promote(dtype, other);
        status = tm_check_broadcast(call, both[i]->name, &ndim, shape, both[i]->tensor);
        if (status != TM_OK)
            return status;
    }
    for (int i = 0; i < 2; i++)
        if (!both[i]->tensor)
            dtype = tm_promote_scalar(dtype, both[i]->scalar.kind);
    for (int i = 0; i < 2; i++)
        if (!both[i]->tensor) {
            status = tm_check_scalar(call, both[i]->name, both[i]->scalar, dtype);
            if (status != TM_OK)
                return status;
        }
    const tm_loop *loop = tm_where_loops;
    while (loop->out != dtype)
        loop++;
    const tm_dtype compute[4] = {TM_BOOL, dtype, dtype, dtype};
    status = tm_elementwise_loop(call, loop->fn, 4, compute);
    return status == TM_OK ? tm_output(call, 0, dtype, ndim, shape) : status;
}

tm_status tm_where_meta(tm_call *call, const tm_tensor *cond, const tm_tensor *x1,
                        const tm_tensor *x2)
{
    return choose(call, cond, (choice){.name = "x1", .tensor = x1},
                  (choice){.name = "x2", .tensor = x2});
}

tm_status tm_where_scalar_meta(tm_call *call, const tm_tensor *cond, const tm_tensor *x1,
                               tm_scalar x2)
{
    return choose(call, cond, (choice){.name = "x1", .tensor = x1},
                  (choice){.name = "x2", .scalar = x2});
}

tm_status tm_where_rscalar_meta(tm_call *call, const tm_tensor *cond, tm_scalar x1,
                                const tm_tensor *x2)
{
    return choose(call, cond, (choice){.name = "x1", .scalar = x1},
                  (choice){.name = "x2", .tensor = x2});
}

tm_status tm_where_scalars_meta(tm_call *call, const tm_tensor *cond, tm_scalar x1, tm_scalar x2)
{
    return choose(call, cond, (choice){.name = "x1", .scalar = x1},
                  (choice){.name = "x2", .scalar = x2});
}

/* -- clamp ------------------------------------------------------------------------------------ */

/* A comparison with NaN is false, so NaN in the first place is kept; in the second it is taken by
 * the test b != b, which for integers is nothing. */
#define RAISE(a, b) ((a) < (b) || (b) != (b) ? (b) : (a))
#define LOWER(a, b) ((a) > (b) || (b) != (b) ? (b) : (a))

#define CLAMP_LOOPS(name, type, wide)                                                              \
    TM_INLINE type raise_##name(type a, type b)                                                    \
    {                                                                                              \
        return RAISE(a, b);                                                                        \
    }                                                                                              \
    TM_INLINE type lower_##name(type a, type b)                                                    \
    {                                                                                              \
        return LOWER(a, b);                                                                        \
    }                                                                                              \
    TM_UNARY_LOOP(keep_##name, type, type, a)                                                      \
    TM_BINARY_LOOP(min_##name, type, type, raise_##name(a, b))                                     \
    TM_BINARY_LOOP(max_##name, type, type, lower_##name(a, b))                                     \
    TM_TERNARY_LOOP(name, type, type, lower_##name(raise_##name(a, b), c))
TM_REALS(CLAMP_LOOPS, clamp)

const tm_loop tm_clamp_loops[] = {TM_NUMERIC_LOOPS(clamp), {0}};
static const tm_loop clamp_min_loops[] = {TM_NUMERIC_LOOPS(min_clamp), {0}};
static const tm_loop clamp_max_loops[] = {TM_NUMERIC_LOOPS(max_clamp), {0}};
static const tm_loop keep_loops[] = {TM_NUMERIC_LOOPS(keep_clamp), {0}};

static tm_status clamp(tm_call *call, bool min, bool max)
{
    return tm_elementwise_meta(call, min && max ? tm_clamp_loops
                                     : min      ? clamp_min_loops
                                     : max      ? clamp_max_loops
                                                : keep_loops);
}

tm_status tm_clamp_meta(tm_call *call, const tm_tensor *x, const tm_scalar *min,
                        const tm_scalar *max)
{
    (void)x;
    tm_status status = clamp(call, min != NULL, max != NULL);
    if (status == TM_OK && min)
        status = tm_check_scalar(call, "min", *min, tm_output_spec(call, 0)->dtype);
    if (status == TM_OK && max)
        status = tm_check_scalar(call, "max", *max, tm_output_spec(call, 0)->dtype);
    return status;
}

tm_status tm_clamp_tensor_meta(tm_call *call, const tm_tensor *x, const tm_tensor *min,
                               const tm_tensor *max)
{
    (void)x;
    return clamp(call, min != TM_NONE, max != TM_NONE);
}
