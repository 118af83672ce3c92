/* test_rule.c: rules, the batched kernels in the easy form: what they are given, and where their
 * results go.
 */
#include "rule_support.h"

static void expect_given(int at, bool mapped, tm_int_list shape)
{
    ck_assert_int_eq(rule_mapped[at], mapped);
    ck_assert_int_eq(rule_dims[at], shape.count);
    for (int64_t d = 0; d < shape.count; d++)
        ck_assert_int_eq(rule_sizes[at][d], shape.data[d]);
}

/* -- What it is given ---------------------------------------------------------------------------
 */

START_TEST(the_batch_is_in_front_of_what_is_mapped)
{
    const tm_op *op = rule_dot_op(rule_dot);
    rule_bias = 100;
    ck_assert(tm_op_has_key(op, TM_KEY_BATCHED));
    tm_tensor *x = F32(TM_INTS(2, 3), 1, 3, 5, 2, 4, 6), *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(rule_map(op, x, 1, y, TM_NOT_MAPPED), TM_INTS(3), 121, 143, 165);
    rule_expect_counts(1, 0, 0);
    ck_assert_int_eq(rule_calls, 1);
    ck_assert_int_eq(rule_given, 2);
    expect_given(0, true, TM_INTS(3, 2));
    expect_given(1, false, TM_INTS(2));
    expect_given(2, false, TM_INTS(3));
    ck_assert_int_eq(rule_steps[0][0], 1); /* a view, not a copy */
    ck_assert_int_eq(rule_steps[0][1], 3);
}
END_TEST

START_TEST(levels_and_loops_are_one_dimension)
{
    const tm_op *op = rule_dot_op(rule_dot);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4, 5)),
              *y = test_iota(TM_FLOAT32, TM_INTS(5));
    EXPECT_SHAPE(rule_map(op, x, 0, y, TM_NOT_MAPPED), TM_FLOAT32, TM_INTS(2, 3, 4));
    expect_given(0, true, TM_INTS(24, 5));
    expect_given(2, false, TM_INTS(24));
    ck_assert_int_eq(rule_steps[0][0], 5);
    /* Over the 4 its loops are no one run: a copy, in order of the examples. */
    tm_tensor *z = rule_map(op, x, 2, y, TM_NOT_MAPPED);
    EXPECT_SHAPE(z, TM_FLOAT32, TM_INTS(4, 2, 3));
    for (int64_t i = 0; i < 24; i++) { /* i: (level, 2, 3); the row of x begins with `first` */
        int64_t level = i / 6, first = (i % 6 * 4 + level) * 5;
        ck_assert_double_eq(test_value(z, i), (double)(10 * first + 30));
    }
    ck_assert_int_eq(rule_calls, 2);
}
END_TEST

START_TEST(operands_of_different_levels_are_brought_together)
{
    const tm_op *op = rule_dot_op(rule_dot);
    tm_tensor *x = F32(TM_INTS(2, 1), 10, 20), *y = F32(TM_INTS(3, 1), 1, 2, 3);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = MADE(tm_vmap_in(v, x, 0));
    tm_vmap_level *w = tm_vmap_push(NULL);
    tm_tensor *b = MADE(tm_vmap_in(w, y, 0));
    tm_tensor *z = MADE(tm_vmap_out(w, MADE(CALL(op, {.tensor = a}, {.tensor = b})), 0));
    EXPECT_OK(tm_vmap_pop(w));
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(2, 3), 10, 20, 30, 20, 40, 60);
    EXPECT_OK(tm_vmap_pop(v));
    expect_given(0, true, TM_INTS(6, 1));
    expect_given(1, true, TM_INTS(6, 1));
    ck_assert_int_eq(rule_calls, 1);
}
END_TEST

START_TEST(one_example_is_a_batch_of_one)
{
    const tm_op *op = rule_dot_op(rule_dot);
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}), tm_no_ints, 21);
    ck_assert_int_eq(rule_calls, 0);
    tm_set_acceleration(TM_ACCEL_ON);
    rule_bias = 100;
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}), tm_no_ints, 121);
    expect_given(0, true, TM_INTS(1, 2));
    expect_given(1, true, TM_INTS(1, 2));
    expect_given(2, false, TM_INTS(1));
    EXPECT_F32(rule_map(op, F32(TM_INTS(1, 2), 1, 2), 0, y, TM_NOT_MAPPED), TM_INTS(1), 121);
    tm_set_acceleration(TM_ACCEL_OFF);
    EXPECT_F32(rule_map(op, rule_rows(), 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
    ck_assert_int_eq(rule_calls, 2);
}
END_TEST

/* The same for all examples, and yet mapped: stride 0 makes no difference. */
START_TEST(where_no_input_differs_all_are_in_front)
{
    const tm_op *op = rule_dot_op(rule_dot);
    tm_tensor *x = MADE(tm_strided_view(F32(TM_INTS(2), 1, 2), 2, (const int64_t[]){3, 2},
                                        (const int64_t[]){0, 1}, 0));
    tm_tensor *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(rule_map(op, x, 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 21, 21);
    expect_given(0, true, TM_INTS(3, 2));
    expect_given(1, true, TM_INTS(3, 2));
    ck_assert_int_eq(rule_steps[0][0], 0);
}
END_TEST

START_TEST(an_empty_batch_and_a_failing_check_do_not_reach_it)
{
    const tm_op *op = rule_dot_op(rule_dot);
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 2})),
              *y = F32(TM_INTS(2), 1, 10);
    EXPECT_SHAPE(rule_map(op, x, 0, y, TM_NOT_MAPPED), TM_FLOAT32, TM_INTS(0));
    EXPECT_NULL(rule_map(op, rule_rows(), 0, F32(TM_INTS(3), 1, 2, 3), TM_NOT_MAPPED), TM_ERR_SHAPE,
                "y must be as long");
    ck_assert_int_eq(rule_calls, 0);
}
END_TEST

/* -- Lists, absent tensors, other arguments -----------------------------------------------------
 */

static tm_status list_meta(tm_call *call, tm_tensor_list xs, const tm_tensor *bias_arg, int64_t k)
{
    (void)bias_arg;
    (void)k;
    return tm_output_like(call, 0, xs.data[0]);
}

static tm_status list_impl(tm_call *call, tm_tensor_list xs, const tm_tensor *bias_arg, int64_t k,
                           tm_tensor *out)
{
    (void)call;
    float sum = bias_arg == TM_NONE ? 0 : *(const float *)tm_data(bias_arg);
    for (int64_t i = 0; i < xs.count; i++)
        sum += *(const float *)tm_data(xs.data[i]);
    *(float *)tm_mutable_data(out) = (float)k * sum;
    return TM_OK;
}

static bool absent; /* the rule saw TM_NONE for the bias */

static tm_status list_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                           int num_inputs, tm_tensor *const *outputs)
{
    rule_remember(inputs, mapped, num_inputs, outputs);
    absent = inputs[num_inputs - 1] == TM_NONE;
    const tm_tensor *sum = inputs[0];
    for (int i = 1; i < num_inputs - absent; i++)
        sum = tm_add(sum, inputs[i]);
    int64_t k = tm_call_arg(call, 2)->i;
    return tm_copy_(outputs[0], tm_mul_scalar(sum, tm_scalar_int(k))) ? TM_OK : tm_error_code();
}

START_TEST(lists_absent_tensors_and_other_arguments)
{
    const tm_op *op = OP(.schema = "test_rlist(Tensor[] xs, Tensor? bias, int k=1) -> Tensor",
                         .contract = TM_PER_EXAMPLE, .meta = (tm_fn)list_meta,
                         .impl = (tm_fn)list_impl, .rule = list_rule);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = MADE(tm_vmap_in(v, F32(TM_INTS(2), 1, 2), 0));
    const tm_tensor *xs[] = {a, F32(tm_no_ints, 10), a};
    tm_tensor *y = MADE(CALL(op, {.tensors = {xs, 3}}, {.tensor = TM_NONE}, {.i = 2}));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2), 24, 28);
    ck_assert_int_eq(rule_given, 4);
    ck_assert(absent);
    ck_assert(rule_mapped[0] && !rule_mapped[1] && rule_mapped[2] && !rule_mapped[3]);
    tm_tensor *b = MADE(tm_vmap_in(v, F32(TM_INTS(2), 100, 200), 0));
    y = MADE(CALL(op, {.tensors = {xs, 2}}, {.tensor = b}, {.i = 1}));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2), 111, 212);
    ck_assert_int_eq(rule_given, 3);
    ck_assert(!absent && rule_mapped[0] && !rule_mapped[1] && rule_mapped[2]);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status inner_meta(tm_call *call, const tm_tensor *x1, const tm_tensor *x2)
{
    return tm_dtype_of(x1) == TM_FLOAT32 && tm_dtype_of(x2) == TM_FLOAT32
               ? tm_output(call, 0, TM_FLOAT32, tm_output_spec(call, 0)->ndim,
                           tm_output_spec(call, 0)->shape)
               : tm_fail(call, TM_ERR_DTYPE, "only float32");
}

START_TEST(signature_ops_have_rules)
{
    rule_calls = 0;
    rule_then = NULL;
    rule_bias = 0;
    const tm_op *op = OP(.schema = "test_rinner(Tensor x1, Tensor x2) -> Tensor",
                         .contract = TM_SIGNATURE, .signature = "(n),(n)->()",
                         .meta = (tm_fn)inner_meta, .impl = (tm_fn)rule_dot_impl, .rule = rule_dot);
    EXPECT_F32(CALL(op, {.tensor = rule_rows()}, {.tensor = F32(TM_INTS(2), 1, 10)}), TM_INTS(3),
               21, 43, 65);
    ck_assert_int_eq(rule_calls, 1);
    expect_given(0, true, TM_INTS(3, 2));
    expect_given(1, false, TM_INTS(2));
}
END_TEST

/* -- Outputs ------------------------------------------------------------------------------------
 */

static tm_status first_meta(tm_call *call, const tm_tensor *x)
{
    int64_t axis = 0;
    tm_core_axes(call, 0, 1, &axis);
    tm_core_axes(call, 1, 1, &axis);
    return tm_output_like(call, 0, x);
}

static tm_status double_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        ((float *)tm_mutable_data(out))[i * tm_strides(out)[0]] =
            2 * ((const float *)tm_data(x))[i * tm_strides(x)[0]];
    return TM_OK;
}

static tm_status double_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                             int num_inputs, tm_tensor *const *outputs)
{
    (void)call;
    rule_remember(inputs, mapped, num_inputs, outputs);
    return tm_copy_(outputs[0], tm_add(inputs[0], inputs[0])) ? TM_OK : tm_error_code();
}

START_TEST(an_output_that_is_no_one_run_is_copied_back)
{
    rule_calls = 0;
    const tm_op *op =
        OP(.schema = "test_rdouble(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)first_meta, .impl = (tm_fn)double_impl, .rule = double_rule);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 2)); /* core: the 3 */
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *y = MADE(CALL(op, {.tensor = MADE(tm_vmap_in(v, x, 0))}));
    y = MADE(tm_vmap_out(v, y, 0));
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(y, TM_INTS(2, 3, 2), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22);
    expect_given(0, true, TM_INTS(4, 3));
    expect_given(1, false, TM_INTS(4, 3));
    ck_assert_int_eq(rule_calls, 1);
}
END_TEST

START_TEST(the_out_form_has_the_rule)
{
    rule_dot_op(rule_dot);
    const tm_op *form = tm_op_find("test_rdot_out", NULL);
    tm_tensor *out = F32(TM_INTS(3), 7, 8, 9), *x = rule_rows(), *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(CALL(form, {.tensor = x}, {.tensor = y}, {.tensor = out}), TM_INTS(3), 21, 43, 65);
    ck_assert_int_eq(rule_calls, 1);
    ((float *)tm_mutable_data(x))[4] = -5;
    rule_then = rule_report_suspect;
    rule_suspect = 2;
    EXPECT_NULL(CALL(form, {.tensor = x}, {.tensor = y}, {.tensor = out}), TM_ERR_VALUE,
                "at index (2,)");
    ck_assert_int_eq(rule_calls, 2);
    EXPECT_F32(out, TM_INTS(3), 21, 43, 65);
}
END_TEST

/* counts_(Tensor! x) adds 1 and gives up at 9. */
static tm_status count_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status count_impl(tm_call *call, tm_tensor *x)
{
    float *value = tm_mutable_data(x);
    if (*value == 9)
        return tm_fail(call, TM_ERR_VALUE, "9 is the last");
    *value += 1;
    return TM_OK;
}

static tm_status count_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                            int num_inputs, tm_tensor *const *outputs)
{
    rule_remember(inputs, mapped, num_inputs, outputs);
    if (rule_suspect >= 0)
        tm_batch_suspect(call, rule_suspect);
    if (!tm_add__scalar(outputs[0], tm_scalar_int(1)))
        return tm_error_code();
    return rule_suspect == -2 ? tm_fail(call, TM_ERR_NUMERIC, "the rule gives up") : TM_OK;
}

START_TEST(a_written_argument_is_not_counted_twice)
{
    const tm_op *op = OP(.schema = "test_rcount_(Tensor! x) -> Tensor!", .contract = TM_PER_EXAMPLE,
                         .core = (const int8_t[]){0, 0}, .meta = (tm_fn)count_meta,
                         .impl = (tm_fn)count_impl, .rule = count_rule);
    tm_tensor *x = F32(TM_INTS(2, 2), 0, 1, 2, 3);
    for (rule_suspect = -2; rule_suspect < 4; rule_suspect++)
        ck_assert_ptr_eq(MADE(CALL(op, {.tensor = x})), x);
    ck_assert_int_eq(rule_given, 0);
    EXPECT_F32(x, TM_INTS(2, 2), 6, 7, 8, 9);
    rule_suspect = 0; /* and where one is at fault nothing is written */
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_VALUE, "9 is the last (at index (1, 1))");
    EXPECT_F32(x, TM_INTS(2, 2), 6, 7, 8, 9);
}
END_TEST

static tm_status writes_input(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                              int num_inputs, tm_tensor *const *outputs)
{
    (void)call;
    rule_remember(inputs, mapped, num_inputs, outputs);
    tm_tensor *x = (tm_tensor *)(uintptr_t)inputs[0];
    return tm_copy_(x, F32(TM_INTS(2), 0, 0)) ? TM_OK : tm_error_code();
}

START_TEST(an_input_cannot_be_written)
{
    const tm_op *op = rule_dot_op(writes_input);
    tm_tensor *x = rule_rows();
    EXPECT_NULL(rule_map(op, x, 0, F32(TM_INTS(2), 1, 10), TM_NOT_MAPPED), TM_ERR_ALIASING,
                "read-only");
    EXPECT_F32(x, TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
}
END_TEST

/* -- More dimensions than a tensor has ----------------------------------------------------------
 */

static tm_status full_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    *(float *)tm_mutable_data(out) = 2 * *(const float *)tm_data(x);
    return TM_OK;
}

START_TEST(full_examples_are_left_to_the_plain_kernel)
{
    rule_calls = 0;
    tm_dispatch_reset_stats();
    const tm_op *op = OP(.schema = "test_rfull(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)count_meta, .impl = (tm_fn)full_impl, .rule = double_rule);
    int64_t shape[TM_MAX_NDIM];
    for (int d = 0; d < TM_MAX_NDIM; d++)
        shape[d] = 1;
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, TM_MAX_NDIM, shape));
    *(float *)tm_mutable_data(x) = 4;
    tm_set_acceleration(TM_ACCEL_ON);
    tm_tensor *y = MADE(CALL(op, {.tensor = x}));
    ck_assert_double_eq(test_value(y, 0), 8);
    rule_expect_counts(0, 1, 0);
    ck_assert_int_eq(rule_calls, 0);
}
END_TEST

Suite *rule_suite(void)
{
    const TTest *tests[] = {the_batch_is_in_front_of_what_is_mapped,
                            levels_and_loops_are_one_dimension,
                            operands_of_different_levels_are_brought_together,
                            one_example_is_a_batch_of_one,
                            where_no_input_differs_all_are_in_front,
                            an_empty_batch_and_a_failing_check_do_not_reach_it,
                            lists_absent_tensors_and_other_arguments,
                            signature_ops_have_rules,
                            an_output_that_is_no_one_run_is_copied_back,
                            the_out_form_has_the_rule,
                            a_written_argument_is_not_counted_twice,
                            an_input_cannot_be_written,
                            full_examples_are_left_to_the_plain_kernel};
    return test_suite("rule", tests, COUNT(tests));
}
