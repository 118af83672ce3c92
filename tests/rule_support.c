/* rule_support.c: the op that the tests of rules call, and what its rule was given. */
#include "rule_support.h"

int rule_calls, rule_given;
bool rule_mapped[RULE_INPUTS];
int64_t rule_dims[RULE_INPUTS], rule_sizes[RULE_INPUTS][4], rule_steps[RULE_INPUTS][4];

static void note(int at, const tm_tensor *x)
{
    rule_dims[at] = x == TM_NONE ? -1 : tm_ndim(x);
    for (int d = 0; d < rule_dims[at] && d < 4; d++) {
        rule_sizes[at][d] = tm_shape(x)[d];
        rule_steps[at][d] = tm_strides(x)[d];
    }
}

void rule_remember(const tm_tensor *const *inputs, const bool *mapped, int num_inputs,
                   tm_tensor *const *outputs)
{
    rule_calls++;
    rule_given = num_inputs;
    for (int i = 0; i < num_inputs; i++) {
        rule_mapped[i] = mapped[i];
        note(i, inputs[i]);
    }
    note(num_inputs, outputs[0]);
}

tm_status rule_dot_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y)
{
    if (tm_ndim(x) < 1 || tm_ndim(y) != 1 || tm_size(x, -1) != tm_size(y, 0))
        return tm_fail_arg(call, TM_ERR_SHAPE, "y", "y must be as long as x's rows");
    return tm_output(call, 0, TM_FLOAT32, tm_ndim(x) - 1, tm_shape(x));
}

tm_status rule_dot_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out)
{
    const float *a = tm_data(x), *b = tm_data(y);
    float sum = 0;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        sum += a[i * tm_strides(x)[0]] * b[i * tm_strides(y)[0]];
    if (tm_shape(x)[0] > 0 && *a < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not begin with a negative number");
    *(float *)tm_mutable_data(out) = sum;
    return TM_OK;
}

float rule_bias;
tm_status (*rule_then)(tm_call *call, tm_tensor *const *outputs);

tm_status rule_dot(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                   int num_inputs, tm_tensor *const *outputs)
{
    rule_remember(inputs, mapped, num_inputs, outputs);
    const tm_tensor *sum = tm_sum(tm_mul(inputs[0], inputs[1]), &TM_INTS(-1), false);
    if (!tm_copy_(outputs[0], tm_add_scalar(sum, tm_scalar_float(rule_bias))))
        return tm_error_code();
    return rule_then ? rule_then(call, outputs) : TM_OK;
}

int64_t rule_suspect;

tm_status rule_report_suspect(tm_call *call, tm_tensor *const *outputs)
{
    (void)outputs;
    tm_batch_suspect(call, rule_suspect);
    return TM_OK;
}

const tm_op *rule_dot_op(tm_rule_fn rule)
{
    static const int8_t core[] = {1, 1, 0};
    rule_calls = 0;
    rule_bias = 0;
    rule_then = NULL;
    tm_dispatch_reset_stats();
    return OP(.schema = "test_rdot(Tensor x, Tensor y) -> Tensor", .contract = TM_PER_EXAMPLE,
              .meta = (tm_fn)rule_dot_meta, .impl = (tm_fn)rule_dot_impl, .core = core,
              .rule = rule);
}

void rule_expect_counts(uint64_t batched, uint64_t declined, uint64_t reruns)
{
    tm_dispatch_stats stats = tm_dispatch_get_stats();
    ck_assert_uint_eq(stats.batched_runs, batched);
    ck_assert_uint_eq(stats.declined_runs, declined);
    ck_assert_uint_eq(stats.reruns, reruns);
}

tm_tensor *rule_map(const tm_op *op, const tm_tensor *x, int64_t in_dim, const tm_tensor *y,
                    int64_t y_dim)
{
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = CALL(op, {.tensor = MADE(tm_vmap_in(v, x, in_dim))},
                        {.tensor = MADE(tm_vmap_in(v, y, y_dim))});
    if (z)
        z = MADE(tm_vmap_out(v, z, 0));
    EXPECT_OK(tm_vmap_pop(v));
    return z;
}

tm_tensor *rule_rows(void)
{
    return F32(TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
}
