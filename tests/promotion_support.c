/* promotion_support.c: see promotion_support.h. */
#include "promotion_support.h"

static const tm_op *put_op;

/* x[index] = value, for a vector x. */
static tm_status put_meta(tm_call *call, const tm_tensor *x, const tm_tensor *index,
                          const tm_tensor *value)
{
    if (tm_ndim(x) != 1 || tm_ndim(index) != 0 || tm_ndim(value) != 0)
        return tm_fail(call, TM_ERR_RANK, "x must be a vector, index and value 0-D");
    return tm_output_like(call, 0, x);
}

static tm_status put_impl(tm_call *call, tm_tensor *x, const tm_tensor *index,
                          const tm_tensor *value)
{
    int64_t i = *(const int64_t *)tm_data(index);
    if (i < 0 || i >= tm_shape(x)[0])
        return tm_fail_arg(call, TM_ERR_INDEX, "index", "index %lld is out of range for size %lld",
                           (long long)i, (long long)tm_shape(x)[0]);
    ((float *)tm_mutable_data(x))[i * tm_strides(x)[0]] = *(const float *)tm_data(value);
    return TM_OK;
}

void test_register_put(void)
{
    put_op = OP(.schema = "test_put_(Tensor! x, Tensor index, Tensor value) -> Tensor!",
                .contract = TM_PER_EXAMPLE, .meta = (tm_fn)put_meta, .impl = (tm_fn)put_impl);
}

tm_tensor *test_zeros(tm_int_list shape)
{
    return MADE(tm_zeros(shape, TM_FLOAT32));
}

tm_tensor *test_set(tm_tensor *x, const tm_tensor *src)
{
    return tm_copy_(x, src);
}

tm_tensor *test_put(tm_tensor *x, const tm_tensor *index, const tm_tensor *value)
{
    return CALL(put_op, {.tensor = x}, {.tensor = index}, {.tensor = value});
}

tm_tensor *test_in(tm_vmap_level *level, const tm_tensor *x, int64_t dim)
{
    return MADE(tm_vmap_in(level, x, dim));
}

tm_tensor *test_row_of(const tm_tensor *x, int64_t i)
{
    return MADE(tm_strided_view(x, 1, tm_shape(x) + 1, tm_strides(x) + 1, i * tm_strides(x)[0]));
}

tm_tensor *test_int_scalar(int64_t value)
{
    return MADE(tm_from_data(TM_INT64, 0, NULL, &value));
}

uint64_t test_promotions(void)
{
    return tm_dispatch_get_stats().promotions;
}
