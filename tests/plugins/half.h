/* half.h: an op for the tests' plug-ins: half of every row. Which kernel, which samples and what
 * else goes wrong is each plug-in's.
 */
#ifndef TRANSMUTE_TESTS_PLUGINS_HALF_H
#define TRANSMUTE_TESTS_PLUGINS_HALF_H

#include <transmute/transmute.h>

static inline tm_status half_meta(tm_call *call, const tm_tensor *x)
{
    if (tm_ndim(x) != 1 || tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_RANK, "x", "x must be a float32 vector, got shape %s",
                           tm_shape_text(call, x));
    return tm_output_like(call, 0, x);
}

/* Through the strides, or, wrongly, as if the row had none. */
static inline tm_status half_row(const tm_tensor *x, tm_tensor *out, bool through_strides)
{
    const float *from = tm_data(x);
    float *to = tm_mutable_data(out);
    int64_t step = through_strides ? *tm_strides(x) : 1;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        to[i * *tm_strides(out)] = from[i * step] / 2;
    return TM_OK;
}

static inline const tm_op *half_register(tm_library *library, const char *schema, tm_fn impl,
                                         const tm_op_samples *samples)
{
    const tm_op_def def = {.struct_size = sizeof def,
                           .schema = schema,
                           .contract = TM_PER_EXAMPLE,
                           .doc = "Half of x.",
                           .meta = (tm_fn)half_meta,
                           .impl = impl,
                           .no_forms = true,
                           .samples = samples};
    return tm_library_register(library, &def);
}

#endif
