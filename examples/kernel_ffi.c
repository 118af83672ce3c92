/* kernel_ffi.c: a plain C function for one vector, with a check of its own, becomes an op at run
 * time and runs under vmap without knowing it. */
#include <transmute/transmute.h>

static tm_status center_meta(tm_call *call, const tm_tensor *x, double scale)
{
    (void)scale;
    if (tm_ndim(x) != 1 || tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_RANK, "x", "x must be a float32 vector, got shape %s",
                           tm_shape_text(call, x));
    return tm_output_like(call, 0, x);
}

static tm_status center(tm_call *call, const tm_tensor *x, double scale, tm_tensor *out)
{
    (void)call;
    int64_t n = tm_shape(x)[0], xs = tm_strides(x)[0], os = tm_strides(out)[0];
    const float *in = tm_data(x);
    float *to = tm_mutable_data(out), mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += in[i * xs] / (float)n;
    for (int64_t i = 0; i < n; i++)
        to[i * os] = (in[i * xs] - mean) * (float)scale;
    return TM_OK;
}

int main(void)
{
    tm_library *library = tm_library_open("example");
    const tm_op_def def = {.struct_size = sizeof def,
                           .schema = "center(Tensor x, float scale=1.0) -> Tensor",
                           .contract = TM_PER_EXAMPLE,
                           .meta = (tm_fn)center_meta,
                           .impl = (tm_fn)center};
    const tm_op *op = tm_library_register(library, &def);
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_from_data(TM_FLOAT32, 2, TM_INTS(2, 3).data, (float[]){1, 2, 3, 10, 20, 60});
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_value args[2] = {{.tensor = tm_vmap_in(v, x, 0)}, {.f = 2}}, result;
    if (tm_op_call(op, args, 2, &result, 1) == TM_OK)
        tm_print(stdout, tm_vmap_out(v, result.tensor, 0));
    args[0].tensor = x; /* not one row but the whole: the function's own check */
    if (tm_op_call(op, args, 2, &result, 1) != TM_OK)
        printf("%s\n", tm_error_message());
    tm_vmap_pop(v);
    tm_scope_pop(scope);
    tm_library_close(library);
    return 0;
}
