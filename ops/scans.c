/* scans.c: running sums and products along one axis, which is all that the kernel sees.
 *
 * Elements are converted, a block at a time, to the dtype that the scan runs in, and from it to the
 * result's: 64-bit integers, which wrap, float32 for the floats up to 32 bits, or their own.
 */
#include "complex_numbers.h"
#include "dispatch/cast.h"
#include "ops_kernels.h"
#include "steps.h"

enum { BLOCK = 256 };

typedef union elements {
    uint64_t integer[BLOCK];
    float single[BLOCK];
    double number[BLOCK];
    tm_complex64 complex_single[BLOCK];
    tm_complex128 complex_number[BLOCK];
} elements;

/* Scans n elements in place; `before` is what all elements so far came to, and becomes what these
 * came to as well. `first`: there are none so far. */
typedef void (*scan_fn)(elements *block, int64_t n, elements *before, bool first);

#define SCAN(name, field, join)                                                                    \
    static void name##_##field(elements *block, int64_t n, elements *before, bool first)           \
    {                                                                                              \
        if (!first)                                                                                \
            block->field[0] = join(before->field[0], block->field[0]);                             \
        for (int64_t i = 1; i < n; i++)                                                            \
            block->field[i] = join(block->field[i - 1], block->field[i]);                          \
        before->field[0] = block->field[n - 1];                                                    \
    }
#define PLUS(a, b) ((a) + (b))
SCAN(sum, integer, PLUS)
SCAN(sum, single, PLUS)
SCAN(sum, number, PLUS)
SCAN(sum, complex_single, PLUS)
SCAN(sum, complex_number, PLUS)
#define TIMES(a, b) ((a) * (b))
SCAN(product, integer, TIMES)
SCAN(product, single, TIMES)
SCAN(product, number, TIMES)
SCAN(product, complex_single, tm_mul_complex64)
SCAN(product, complex_number, tm_mul_complex128)

/* The dtype that a result of `dtype` is scanned in. */
static tm_dtype scan_dtype(tm_dtype dtype)
{
    switch (tm_dtype_kind(dtype)) {
    case TM_KIND_FLOAT:
        return dtype == TM_FLOAT64 ? TM_FLOAT64 : TM_FLOAT32;
    case TM_KIND_COMPLEX:
        return dtype;
    default:
        return dtype == TM_UINT64 ? TM_UINT64 : TM_INT64;
    }
}

static scan_fn scan_of(tm_dtype dtype, bool product)
{
    switch (scan_dtype(dtype)) {
    case TM_FLOAT32:
        return product ? product_single : sum_single;
    case TM_FLOAT64:
        return product ? product_number : sum_number;
    case TM_COMPLEX64:
        return product ? product_complex_single : sum_complex_single;
    case TM_COMPLEX128:
        return product ? product_complex_number : sum_complex_number;
    default:
        return product ? product_integer : sum_integer;
    }
}

static tm_status scan(const tm_tensor *x, tm_tensor *out, bool product)
{
    tm_dtype dtype = scan_dtype(tm_dtype_of(out));
    scan_fn fn = scan_of(dtype, product);
    tm_cast_fn load = tm_cast(tm_dtype_of(x), dtype), store = tm_cast(dtype, tm_dtype_of(out));
    int64_t n = tm_shape(x)[0], x_step = tm_axis_step(x, 0), out_step = tm_axis_step(out, 0);
    int64_t item = (int64_t)tm_dtype_size(dtype);
    const char *from = tm_data(x);
    char *to = tm_mutable_data(out);
    elements block, before;
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t count = n - i < BLOCK ? n - i : BLOCK;
        load(from + i * x_step, x_step, (char *)&block, item, count);
        fn(&block, count, &before, i == 0);
        store((const char *)&block, item, to + i * out_step, out_step, count);
    }
    return TM_OK;
}

static tm_status scan_meta(tm_call *call, const tm_tensor *x, int64_t axis, tm_dtype dtype)
{
    tm_status status = tm_check_axis(call, "axis", tm_ndim(x), &axis);
    if (status != TM_OK)
        return status;
    tm_dtype computed = scan_dtype(dtype);
    if (!tm_cast(tm_dtype_of(x), computed) || !tm_cast(computed, dtype))
        return tm_fail_arg(call, TM_ERR_DTYPE, "dtype", "there is no conversion from %s to %s",
                           tm_dtype_name(tm_dtype_of(x)), tm_dtype_name(dtype));
    status = tm_core_axes(call, 0, 1, &axis);
    if (status == TM_OK)
        status = tm_core_axes(call, 1, 1, &axis);
    return status == TM_OK ? tm_output(call, 0, dtype, tm_ndim(x), tm_shape(x)) : status;
}

/* Of bools and small integers in 64 bits. */
static tm_dtype default_dtype(const tm_tensor *x)
{
    tm_dtype dtype = tm_dtype_of(x);
    return tm_dtype_kind(dtype) >= TM_KIND_FLOAT ? dtype : scan_dtype(dtype);
}

tm_status tm_cumsum_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    return scan_meta(call, x, axis, default_dtype(x));
}

tm_status tm_cumsum_dtype_meta(tm_call *call, const tm_tensor *x, int64_t axis, tm_dtype dtype)
{
    return scan_meta(call, x, axis, dtype);
}

tm_status tm_cumprod_meta(tm_call *call, const tm_tensor *x, int64_t axis)
{
    return scan_meta(call, x, axis, default_dtype(x));
}

tm_status tm_cumprod_dtype_meta(tm_call *call, const tm_tensor *x, int64_t axis, tm_dtype dtype)
{
    return scan_meta(call, x, axis, dtype);
}

tm_status tm_cumsum_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    (void)call;
    (void)axis;
    return scan(x, out, false);
}

tm_status tm_cumsum_dtype_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_dtype dtype,
                               tm_tensor *out)
{
    (void)dtype;
    return tm_cumsum_impl(call, x, axis, out);
}

tm_status tm_cumprod_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_tensor *out)
{
    (void)call;
    (void)axis;
    return scan(x, out, true);
}

tm_status tm_cumprod_dtype_impl(tm_call *call, const tm_tensor *x, int64_t axis, tm_dtype dtype,
                                tm_tensor *out)
{
    (void)dtype;
    return tm_cumprod_impl(call, x, axis, out);
}
