/* rule.c: matrix times vector, with a rule that makes one large product of a whole batch. */
#include <transmute/transmute.h>

static tm_status product_meta(tm_call *call, const tm_tensor *w, const tm_tensor *x)
{
    if (tm_ndim(w) != 2 || tm_ndim(x) != 1 || tm_size(w, 1) != tm_size(x, 0))
        return tm_fail_arg(call, TM_ERR_SHAPE, "x", "x must be as long as the rows of w");
    return tm_output(call, 0, TM_FLOAT64, 1, tm_shape(w));
}

static tm_status product_impl(tm_call *call, const tm_tensor *w, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    return tm_matmul_out(w, x, out) ? TM_OK : tm_error_code();
}

static tm_status product_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                              int num_inputs, tm_tensor *const *outputs)
{
    (void)num_inputs;
    if (mapped[0]) /* a matrix each: the plain kernel is as good */
        tm_batch_decline(call);
    else if (!tm_matmul_out(inputs[1], tm_swapaxes(inputs[0], 0, 1), outputs[0]))
        return tm_error_code();
    return TM_OK;
}

int main(void)
{
    tm_library *library = tm_library_open("example");
    const tm_op_def def = {sizeof def,
                           "product(Tensor w, Tensor x) -> Tensor",
                           TM_PER_EXAMPLE,
                           .meta = (tm_fn)product_meta,
                           .impl = (tm_fn)product_impl,
                           .rule = product_rule};
    tm_scope *scope = tm_scope_push();
    tm_tensor *w = tm_from_data(TM_FLOAT64, 2, TM_INTS(2, 2).data, (double[]){1, 2, 3, 4});
    tm_tensor *x = tm_from_data(TM_FLOAT64, 2, TM_INTS(3, 2).data, (double[]){1, 0, 0, 1, 1, 1});
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_value args[2] = {{.tensor = w}, {.tensor = tm_vmap_in(v, x, 0)}}, y;
    if (tm_op_call(tm_library_register(library, &def), args, 2, &y, 1) == TM_OK)
        tm_print(stdout, tm_vmap_out(v, y.tensor, 0));
    printf("%d batch by the rule\n", (int)tm_dispatch_get_stats().batched_runs);
    tm_vmap_pop(v);
    tm_scope_pop(scope);
    tm_library_close(library);
    return 0;
}
