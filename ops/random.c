/* random.c: uniform random numbers.
 *
 * Element e depends on the stream and on e alone, never on the layout or the order of the work:
 *
 *     rand, float32   the top 24 bits of word e % 4 of block e / 4, over 2^24
 *     rand, float64   the top 53 bits of half e % 2 of block e / 2, over 2^53
 *     randint         low + floor(R * range / 2^128), R block e as one number of 128 bits; each
 *                     value's probability is within 2^-64 of 1 / range, relatively
 */
#include "ops_kernels.h"
#include "rows.h"
#include "scalars.h"

__extension__ typedef unsigned __int128 uint128;

static tm_status describe(tm_call *call, tm_int_list shape, tm_dtype dtype)
{
    tm_status status = tm_check_sizes(call, "shape", shape);
    return status == TM_OK ? tm_output(call, 0, dtype, shape.count, shape.data) : status;
}

/* The first or second 8 bytes of a block as one number. */
static uint64_t half(const tm_random_block *block, int64_t which)
{
    const uint32_t *word = block->word + 2 * which;
    return (uint64_t)word[1] << 32 | word[0];
}

/* -- rand ------------------------------------------------------------------------------------- */

tm_status tm_rand_meta(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_generator *generator)
{
    (void)generator;
    if (dtype == TM_DTYPE_NONE)
        dtype = TM_FLOAT32;
    tm_status status = describe(call, shape, dtype);
    if (status == TM_OK && dtype != TM_FLOAT32 && dtype != TM_FLOAT64)
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype", "dtype must be float32 or float64, got %s",
                           tm_dtype_name(dtype));
    return status;
}

tm_status tm_rand_impl(tm_call *call, tm_int_list shape, tm_dtype dtype, tm_generator *generator,
                       tm_tensor *out)
{
    (void)shape;
    (void)dtype;
    (void)generator;
    bool wide = tm_dtype_of(out) == TM_FLOAT64;
    int64_t e = 0;
    tm_random_block block = {{0}};
    tm_rows r;
    for (bool more = tm_rows_first(&r, out, tm_mutable_data(out)); more; more = tm_rows_next(&r)) {
        char *at = r.at;
        if (wide) {
            for (int64_t i = 0; i < r.n; i++, e++, at += r.step) {
                if (e % 2 == 0)
                    block = tm_random(call, (uint64_t)e / 2);
                *(double *)(void *)at = (double)(half(&block, e % 2) >> 11) * 0x1p-53;
            }
        } else {
            for (int64_t i = 0; i < r.n; i++, e++, at += r.step) {
                if (e % 4 == 0)
                    block = tm_random(call, (uint64_t)e / 4);
                *(float *)(void *)at = (float)(block.word[e % 4] >> 8) * 0x1p-24f;
            }
        }
    }
    return TM_OK;
}

/* -- randint ---------------------------------------------------------------------------------- */

tm_status tm_randint_meta(tm_call *call, int64_t low, int64_t high, tm_int_list shape,
                          tm_dtype dtype, tm_generator *generator)
{
    (void)generator;
    if (dtype == TM_DTYPE_NONE)
        dtype = TM_INT64;
    tm_status status = describe(call, shape, dtype);
    if (status != TM_OK)
        return status;
    if (dtype != TM_UINT8 && dtype != TM_INT32 && dtype != TM_INT64)
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype",
                           "dtype must be uint8, int32 or int64, got %s", tm_dtype_name(dtype));
    if (low >= high)
        return tm_fail_arg(call, TM_ERR_VALUE, "high", "high must be above low %lld, got %lld",
                           (long long)low, (long long)high);
    if (!tm_scalar_fits(tm_scalar_int(low), dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, "low", "low must fit in %s, got %lld",
                           tm_dtype_name(dtype), (long long)low);
    if (!tm_scalar_fits(tm_scalar_int(high - 1), dtype))
        return tm_fail_arg(call, TM_ERR_VALUE, "high", "high - 1 must fit in %s, got high %lld",
                           tm_dtype_name(dtype), (long long)high);
    return TM_OK;
}

/* floor(block * range / 2^128) */
static uint64_t scale(const tm_random_block *block, uint64_t range)
{
    uint128 low = (uint128)half(block, 0) * range, high = (uint128)half(block, 1) * range;
    return (uint64_t)((high + (low >> 64)) >> 64);
}

tm_status tm_randint_impl(tm_call *call, int64_t low, int64_t high, tm_int_list shape,
                          tm_dtype dtype, tm_generator *generator, tm_tensor *out)
{
    (void)shape;
    (void)dtype;
    (void)generator;
    uint64_t range = (uint64_t)high - (uint64_t)low, e = 0;
    tm_dtype type = tm_dtype_of(out);
    tm_rows r;
    for (bool more = tm_rows_first(&r, out, tm_mutable_data(out)); more; more = tm_rows_next(&r)) {
        char *at = r.at;
        for (int64_t i = 0; i < r.n; i++, e++, at += r.step) {
            tm_random_block block = tm_random(call, e);
            int64_t v = (int64_t)((uint64_t)low + scale(&block, range));
            if (type == TM_INT64)
                *(int64_t *)(void *)at = v;
            else if (type == TM_INT32)
                *(int32_t *)(void *)at = (int32_t)v;
            else
                *(uint8_t *)at = (uint8_t)v;
        }
    }
    return TM_OK;
}
