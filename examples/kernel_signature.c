/* kernel_signature.c: an inner product registered by its gufunc signature "(n),(n)->()", from which
 * the checks, the shapes and the loops over further dimensions follow. */
#include <transmute/transmute.h>

static tm_status dot_product(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out)
{
    (void)call;
    const float *a = tm_data(x), *b = tm_data(y);
    float sum = 0;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        sum += a[i * tm_strides(x)[0]] * b[i * tm_strides(y)[0]];
    *(float *)tm_mutable_data(out) = sum;
    return TM_OK;
}

static tm_tensor *call(const tm_op *op, const tm_tensor *x, const tm_tensor *y)
{
    tm_value args[2] = {{.tensor = x}, {.tensor = y}}, result;
    tm_status status = tm_op_call(op, args, 2, &result, 1);
    return status == TM_OK ? (tm_tensor *)(uintptr_t)result.tensor : NULL;
}

int main(void)
{
    tm_library *library = tm_library_open("example");
    const tm_op_def def = {.struct_size = sizeof def,
                           .schema = "dot_product(Tensor x, Tensor y) -> Tensor",
                           .contract = TM_SIGNATURE,
                           .signature = "(n),(n)->()",
                           .impl = (tm_fn)dot_product};
    const tm_op *op = tm_library_register(library, &def);
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_from_data(TM_FLOAT32, 2, TM_INTS(2, 3).data, (float[]){1, 2, 3, 4, 5, 6});
    tm_tensor *y = tm_from_data(TM_FLOAT32, 1, TM_INTS(3).data, (float[]){1, 10, 100});
    tm_print(stdout, call(op, x, y)); /* both rows with y */

    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, x, 0);
    tm_print(stdout, tm_vmap_out(v, call(op, row, x), 0)); /* each row with all rows */
    if (!call(op, row, tm_vmap_in(v, x, 1)))               /* its columns would be three examples */
        printf("%s\n", tm_error_message());
    tm_vmap_pop(v);
    tm_tensor *z = tm_from_data(TM_FLOAT32, 1, TM_INTS(2).data, (float[]){1, 10});
    if (!call(op, x, z))
        printf("%s\n", tm_error_message());
    tm_scope_pop(scope);
    tm_library_close(library);
    return 0;
}
