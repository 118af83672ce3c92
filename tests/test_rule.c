/* test_rule.c: rules, the batched kernels in the easy form: what they are given, what comes of
 * their results, declines, suspects and failures, and that the law checker judges them.
 */
#include <string.h>

#include "law_support.h"

/* -- An op over rows, and a rule made of ordinary ops -------------------------------------------
 */

enum { MOST = 6 };

static int calls, given; /* of the rule; its number of inputs */
static bool flags[MOST];
static int64_t dims[MOST], sizes[MOST][4], steps[MOST][4]; /* of the inputs, then of output 0 */

static void note(int at, const tm_tensor *x)
{
    dims[at] = x == TM_NONE ? -1 : tm_ndim(x);
    for (int d = 0; d < dims[at] && d < 4; d++) {
        sizes[at][d] = tm_shape(x)[d];
        steps[at][d] = tm_strides(x)[d];
    }
}

static void remember(const tm_tensor *const *inputs, const bool *mapped, int num_inputs,
                     tm_tensor *const *outputs)
{
    calls++;
    given = num_inputs;
    for (int i = 0; i < num_inputs; i++) {
        flags[i] = mapped[i];
        note(i, inputs[i]);
    }
    note(num_inputs, outputs[0]);
}

static void expect_given(int at, bool mapped, tm_int_list shape)
{
    ck_assert_int_eq(flags[at], mapped);
    ck_assert_int_eq(dims[at], shape.count);
    for (int64_t d = 0; d < shape.count; d++)
        ck_assert_int_eq(sizes[at][d], shape.data[d]);
}

static tm_status dot_meta(tm_call *call, const tm_tensor *x, const tm_tensor *y)
{
    if (tm_ndim(x) < 1 || tm_ndim(y) != 1 || tm_size(x, -1) != tm_size(y, 0))
        return tm_fail_arg(call, TM_ERR_SHAPE, "y", "y must be as long as x's rows");
    return tm_output(call, 0, TM_FLOAT32, tm_ndim(x) - 1, tm_shape(x));
}

/* The sum of products of two rows; x[0] must not be negative. */
static tm_status dot_impl(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out)
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

/* Adds `bias`, so that one sees who computed; then does what the test asks for. */
static float bias;
static tm_status (*then)(tm_call *call, tm_tensor *const *outputs);

static tm_status dot_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                          int num_inputs, tm_tensor *const *outputs)
{
    remember(inputs, mapped, num_inputs, outputs);
    const tm_tensor *sum = tm_sum(tm_mul(inputs[0], inputs[1]), &TM_INTS(-1), false);
    if (!tm_copy_(outputs[0], tm_add_scalar(sum, tm_scalar_float(bias))))
        return tm_error_code();
    return then ? then(call, outputs) : TM_OK;
}

static int64_t suspect;

static tm_status report_suspect(tm_call *call, tm_tensor *const *outputs)
{
    (void)outputs;
    tm_batch_suspect(call, suspect);
    return TM_OK;
}

static const tm_op *dot_with(tm_rule_fn rule)
{
    static const int8_t core[] = {1, 1, 0};
    calls = 0;
    bias = 0;
    then = NULL;
    tm_dispatch_reset_stats();
    return OP(.schema = "test_rdot(Tensor x, Tensor y) -> Tensor", .contract = TM_PER_EXAMPLE,
              .meta = (tm_fn)dot_meta, .impl = (tm_fn)dot_impl, .core = core, .rule = rule);
}

/* Not of plain runs: ops in the rule count too. */
static void expect_counts(uint64_t batched, uint64_t declined, uint64_t reruns)
{
    tm_dispatch_stats stats = tm_dispatch_get_stats();
    ck_assert_uint_eq(stats.batched_runs, batched);
    ck_assert_uint_eq(stats.declined_runs, declined);
    ck_assert_uint_eq(stats.reruns, reruns);
}

/* op(x, y) with x mapped at in_dim and y mapped at 0 or not. */
static tm_tensor *map(const tm_op *op, const tm_tensor *x, int64_t in_dim, const tm_tensor *y,
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

static tm_tensor *rows(void)
{
    return F32(TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
}

/* -- What it is given ---------------------------------------------------------------------------
 */

START_TEST(the_batch_is_in_front_of_what_is_mapped)
{
    const tm_op *op = dot_with(dot_rule);
    bias = 100;
    ck_assert(tm_op_has_key(op, TM_KEY_BATCHED));
    tm_tensor *x = F32(TM_INTS(2, 3), 1, 3, 5, 2, 4, 6), *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(map(op, x, 1, y, TM_NOT_MAPPED), TM_INTS(3), 121, 143, 165);
    expect_counts(1, 0, 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(given, 2);
    expect_given(0, true, TM_INTS(3, 2));
    expect_given(1, false, TM_INTS(2));
    expect_given(2, false, TM_INTS(3));
    ck_assert_int_eq(steps[0][0], 1); /* a view, not a copy */
    ck_assert_int_eq(steps[0][1], 3);
}
END_TEST

START_TEST(levels_and_loops_are_one_dimension)
{
    const tm_op *op = dot_with(dot_rule);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4, 5)),
              *y = test_iota(TM_FLOAT32, TM_INTS(5));
    EXPECT_SHAPE(map(op, x, 0, y, TM_NOT_MAPPED), TM_FLOAT32, TM_INTS(2, 3, 4));
    expect_given(0, true, TM_INTS(24, 5));
    expect_given(2, false, TM_INTS(24));
    ck_assert_int_eq(steps[0][0], 5);
    /* Over the 4 its loops are no one run: a copy, in order of the examples. */
    tm_tensor *z = map(op, x, 2, y, TM_NOT_MAPPED);
    EXPECT_SHAPE(z, TM_FLOAT32, TM_INTS(4, 2, 3));
    for (int64_t i = 0; i < 24; i++) { /* i: (level, 2, 3); the row of x begins with `first` */
        int64_t level = i / 6, first = (i % 6 * 4 + level) * 5;
        ck_assert_double_eq(test_value(z, i), (double)(10 * first + 30));
    }
    ck_assert_int_eq(calls, 2);
}
END_TEST

START_TEST(operands_of_different_levels_are_brought_together)
{
    const tm_op *op = dot_with(dot_rule);
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
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(one_example_is_a_batch_of_one)
{
    const tm_op *op = dot_with(dot_rule);
    tm_tensor *x = F32(TM_INTS(2), 1, 2), *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}), tm_no_ints, 21);
    ck_assert_int_eq(calls, 0);
    tm_set_acceleration(TM_ACCEL_ON);
    bias = 100;
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}), tm_no_ints, 121);
    expect_given(0, true, TM_INTS(1, 2));
    expect_given(1, true, TM_INTS(1, 2));
    expect_given(2, false, TM_INTS(1));
    EXPECT_F32(map(op, F32(TM_INTS(1, 2), 1, 2), 0, y, TM_NOT_MAPPED), TM_INTS(1), 121);
    tm_set_acceleration(TM_ACCEL_OFF);
    EXPECT_F32(map(op, rows(), 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
    ck_assert_int_eq(calls, 2);
}
END_TEST

/* The same for all examples, and yet mapped: stride 0 makes no difference. */
START_TEST(where_no_input_differs_all_are_in_front)
{
    const tm_op *op = dot_with(dot_rule);
    tm_tensor *x = MADE(tm_strided_view(F32(TM_INTS(2), 1, 2), 2, (const int64_t[]){3, 2},
                                        (const int64_t[]){0, 1}, 0));
    tm_tensor *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(map(op, x, 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 21, 21);
    expect_given(0, true, TM_INTS(3, 2));
    expect_given(1, true, TM_INTS(3, 2));
    ck_assert_int_eq(steps[0][0], 0);
}
END_TEST

START_TEST(an_empty_batch_and_a_failing_check_do_not_reach_it)
{
    const tm_op *op = dot_with(dot_rule);
    tm_tensor *x = MADE(tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 2})),
              *y = F32(TM_INTS(2), 1, 10);
    EXPECT_SHAPE(map(op, x, 0, y, TM_NOT_MAPPED), TM_FLOAT32, TM_INTS(0));
    EXPECT_NULL(map(op, rows(), 0, F32(TM_INTS(3), 1, 2, 3), TM_NOT_MAPPED), TM_ERR_SHAPE,
                "y must be as long");
    ck_assert_int_eq(calls, 0);
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
    remember(inputs, mapped, num_inputs, outputs);
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
    ck_assert_int_eq(given, 4);
    ck_assert(absent);
    ck_assert(flags[0] && !flags[1] && flags[2] && !flags[3]);
    tm_tensor *b = MADE(tm_vmap_in(v, F32(TM_INTS(2), 100, 200), 0));
    y = MADE(CALL(op, {.tensors = {xs, 2}}, {.tensor = b}, {.i = 1}));
    EXPECT_F32(tm_vmap_out(v, y, 0), TM_INTS(2), 111, 212);
    ck_assert_int_eq(given, 3);
    ck_assert(!absent && flags[0] && !flags[1] && flags[2]);
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
    calls = 0;
    then = NULL;
    bias = 0;
    const tm_op *op = OP(.schema = "test_rinner(Tensor x1, Tensor x2) -> Tensor",
                         .contract = TM_SIGNATURE, .signature = "(n),(n)->()",
                         .meta = (tm_fn)inner_meta, .impl = (tm_fn)dot_impl, .rule = dot_rule);
    EXPECT_F32(CALL(op, {.tensor = rows()}, {.tensor = F32(TM_INTS(2), 1, 10)}), TM_INTS(3), 21, 43,
               65);
    ck_assert_int_eq(calls, 1);
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
    remember(inputs, mapped, num_inputs, outputs);
    return tm_copy_(outputs[0], tm_add(inputs[0], inputs[0])) ? TM_OK : tm_error_code();
}

START_TEST(an_output_that_is_no_one_run_is_copied_back)
{
    calls = 0;
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
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(the_out_form_has_the_rule)
{
    dot_with(dot_rule);
    const tm_op *form = tm_op_find("test_rdot_out", NULL);
    tm_tensor *out = F32(TM_INTS(3), 7, 8, 9), *x = rows(), *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(CALL(form, {.tensor = x}, {.tensor = y}, {.tensor = out}), TM_INTS(3), 21, 43, 65);
    ck_assert_int_eq(calls, 1);
    ((float *)tm_mutable_data(x))[4] = -5;
    then = report_suspect;
    suspect = 2;
    EXPECT_NULL(CALL(form, {.tensor = x}, {.tensor = y}, {.tensor = out}), TM_ERR_VALUE,
                "at index (2,)");
    ck_assert_int_eq(calls, 2);
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
    remember(inputs, mapped, num_inputs, outputs);
    if (suspect >= 0)
        tm_batch_suspect(call, suspect);
    if (!tm_add__scalar(outputs[0], tm_scalar_int(1)))
        return tm_error_code();
    return suspect == -2 ? tm_fail(call, TM_ERR_NUMERIC, "the rule gives up") : TM_OK;
}

START_TEST(a_written_argument_is_not_counted_twice)
{
    const tm_op *op = OP(.schema = "test_rcount_(Tensor! x) -> Tensor!", .contract = TM_PER_EXAMPLE,
                         .core = (const int8_t[]){0, 0}, .meta = (tm_fn)count_meta,
                         .impl = (tm_fn)count_impl, .rule = count_rule);
    tm_tensor *x = F32(TM_INTS(2, 2), 0, 1, 2, 3);
    for (suspect = -2; suspect < 4; suspect++)
        ck_assert_ptr_eq(MADE(CALL(op, {.tensor = x})), x);
    ck_assert_int_eq(given, 0);
    EXPECT_F32(x, TM_INTS(2, 2), 6, 7, 8, 9);
    suspect = 0; /* and where one is at fault nothing is written */
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_VALUE, "9 is the last (at index (1, 1))");
    EXPECT_F32(x, TM_INTS(2, 2), 6, 7, 8, 9);
}
END_TEST

static tm_status writes_input(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                              int num_inputs, tm_tensor *const *outputs)
{
    (void)call;
    remember(inputs, mapped, num_inputs, outputs);
    tm_tensor *x = (tm_tensor *)(uintptr_t)inputs[0];
    return tm_copy_(x, F32(TM_INTS(2), 0, 0)) ? TM_OK : tm_error_code();
}

START_TEST(an_input_cannot_be_written)
{
    const tm_op *op = dot_with(writes_input);
    tm_tensor *x = rows();
    EXPECT_NULL(map(op, x, 0, F32(TM_INTS(2), 1, 10), TM_NOT_MAPPED), TM_ERR_ALIASING, "read-only");
    EXPECT_F32(x, TM_INTS(3, 2), 1, 2, 3, 4, 5, 6);
}
END_TEST

/* -- Declines, suspects, failures ---------------------------------------------------------------
 */

static tm_status decline(tm_call *call, tm_tensor *const *outputs)
{
    (void)outputs;
    tm_batch_decline(call);
    return TM_OK;
}

START_TEST(a_decline_runs_the_plain_kernel)
{
    const tm_op *op = dot_with(dot_rule);
    then = decline;
    bias = 100;
    EXPECT_F32(map(op, rows(), 0, F32(TM_INTS(2), 1, 10), TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
    expect_counts(0, 1, 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(suspects_are_run_again_plainly)
{
    const tm_op *op = dot_with(dot_rule);
    then = report_suspect;
    suspect = 1;
    bias = 100;
    tm_tensor *y = F32(TM_INTS(2), 1, 10);
    EXPECT_F32(map(op, rows(), 0, y, TM_NOT_MAPPED), TM_INTS(3), 121, 43, 165);
    expect_counts(1, 0, 1);
    EXPECT_NULL(map(op, F32(TM_INTS(3, 1), 1, -2, -3), 0, F32(TM_INTS(1), 1), TM_NOT_MAPPED),
                TM_ERR_VALUE, "x must not begin with a negative number");
}
END_TEST

static tm_status fail_with_numeric(tm_call *call, tm_tensor *const *outputs)
{
    (void)outputs;
    return tm_fail(call, TM_ERR_NUMERIC, "the rule's own words");
}

static tm_status singular_inside(tm_call *call, tm_tensor *const *outputs)
{
    (void)call;
    (void)outputs;
    tm_tensor *zeros = tm_zeros(TM_INTS(3, 2, 2), TM_FLOAT64);
    return tm_cholesky(zeros, false) ? TM_OK : tm_error_code();
}

/* The same, and nobody looks at it. */
static tm_status singular_unseen(tm_call *call, tm_tensor *const *outputs)
{
    singular_inside(call, outputs);
    return TM_OK;
}

/* A failure of data is the plain kernel's to find: its words, its example; or its results. */
START_TEST(a_failure_of_data_is_left_to_the_plain_kernel)
{
    tm_status (*const ways[])(tm_call *, tm_tensor *const *) = {fail_with_numeric, singular_inside,
                                                                singular_unseen};
    for (int i = 0; i < COUNT(ways); i++) {
        const tm_op *op = dot_with(dot_rule);
        then = ways[i];
        bias = 100;
        tm_tensor *y = F32(TM_INTS(2), 1, 10);
        EXPECT_F32(map(op, rows(), 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
        expect_counts(1, 0, 3 + (i > 0)); /* the cholesky inside has run an example again too */
        ck_assert_ptr_null(tm_error_get());
        tm_vmap_level *v = tm_vmap_push(NULL);
        tm_tensor *x = MADE(tm_vmap_in(v, F32(TM_INTS(3, 2), 1, 2, -3, 4, -5, 6), 0));
        ck_assert_ptr_null(CALL(op, {.tensor = x}, {.tensor = y}));
        ck_assert_int_eq(tm_error_get()->num_levels, 1);
        ck_assert_int_eq(tm_error_get()->levels[0].index, 1);
        EXPECT_ERROR(TM_ERR_VALUE, "test_rdot: x must not begin with a negative number");
        EXPECT_OK(tm_vmap_pop(v));
        tm_library_close(test_library); /* the name is free again */
        test_library = tm_library_open("test");
    }
}
END_TEST

START_TEST(an_error_that_stood_before_stands_after)
{
    const tm_op *op = dot_with(dot_rule);
    then = singular_inside;
    tm_tensor *x = rows(), *y = F32(TM_INTS(2), 1, 10);
    ck_assert_ptr_null(tm_exp(NULL));
    char before[200];
    snprintf(before, sizeof before, "%s", tm_error_message());
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *z = MADE(CALL(op, {.tensor = tm_vmap_in(v, x, 0)}, {.tensor = y}));
    ck_assert_str_eq(tm_error_message(), before);
    EXPECT_F32(tm_vmap_out(v, z, 0), TM_INTS(3), 21, 43, 65);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_ERROR(TM_ERR_USAGE, "exp");
}
END_TEST

static tm_status wrong_shapes(tm_call *call, tm_tensor *const *outputs)
{
    (void)call;
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    return tm_copy_(outputs[0], tm_matmul(x, F32(TM_INTS(3), 1, 2, 3))) ? TM_OK : tm_error_code();
}

static tm_status says_nothing(tm_call *call, tm_tensor *const *outputs)
{
    (void)call;
    (void)outputs;
    return TM_ERR_SCHEMA;
}

START_TEST(any_other_failure_is_the_calls)
{
    const tm_op *op = dot_with(dot_rule);
    then = wrong_shapes;
    tm_tensor *y = F32(TM_INTS(2), 1, 10);
    tm_tensor *z = map(op, rows(), 0, y, TM_NOT_MAPPED);
    ck_assert_ptr_null(z);
    ck_assert_str_eq(tm_error_get()->inner_op, "matmul");
    EXPECT_ERROR(TM_ERR_SHAPE, "test_rdot");
    then = says_nothing;
    EXPECT_NULL(map(op, rows(), 0, y, TM_NOT_MAPPED), TM_ERR_SCHEMA,
                "test_rdot: failed without saying why");
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
    calls = 0;
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
    expect_counts(0, 1, 0);
    ck_assert_int_eq(calls, 0);
}
END_TEST

/* -- Registering --------------------------------------------------------------------------------
 */

START_TEST(an_override_brings_a_rule_and_takes_it_away)
{
    const tm_op *op = dot_with(NULL);
    ck_assert(!tm_op_has_key(op, TM_KEY_BATCHED));
    tm_library *library = tm_library_open("fast");
    tm_kernel_def def = {.struct_size = sizeof def, .rule = dot_rule};
    EXPECT_OK(tm_library_override(library, op, TM_KEY_BATCHED, &def));
    tm_tensor *x = rows(), *y = F32(TM_INTS(2), 1, 10);
    bias = 100;
    EXPECT_F32(map(op, x, 0, y, TM_NOT_MAPPED), TM_INTS(3), 121, 143, 165);
    tm_library_close(library);
    ck_assert(!tm_op_has_key(op, TM_KEY_BATCHED));
    EXPECT_F32(map(op, x, 0, y, TM_NOT_MAPPED), TM_INTS(3), 21, 43, 65);
    ck_assert_int_eq(calls, 1);
}
END_TEST

static tm_status no_batched(tm_call *call, const tm_batch *batch)
{
    (void)call;
    (void)batch;
    return TM_OK;
}

START_TEST(a_rule_that_fits_nowhere_is_refused)
{
    const tm_op *op = dot_with(dot_rule);
    tm_kernel_def both = {.struct_size = sizeof both, .rule = dot_rule, .batched = no_batched};
    EXPECT_FAIL(tm_library_override(test_library, op, TM_KEY_BATCHED, &both), TM_ERR_USAGE,
                "a batched function and a rule");
    tm_kernel_def neither = {.struct_size = sizeof neither};
    EXPECT_FAIL(tm_library_override(test_library, op, TM_KEY_BATCHED, &neither), TM_ERR_USAGE,
                "lacks the batched kernel");
    EXPECT_FAIL(tm_library_override(test_library, tm_op_find("exp", ""), TM_KEY_BATCHED, &both),
                TM_ERR_USAGE, "has no batched kernels");
    tm_op_def def = {.struct_size = sizeof def,
                     .schema = "test_rboth(Tensor x, Tensor y) -> Tensor",
                     .contract = TM_PER_EXAMPLE,
                     .meta = (tm_fn)dot_meta,
                     .impl = (tm_fn)dot_impl,
                     .rule = dot_rule,
                     .batched = no_batched};
    EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA, "not both");
    def.batched = NULL;
    def.contract = TM_RANDOM;
    EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA, "a random op has no rule");
}
END_TEST

/* -- In a mapped function, piece by piece -------------------------------------------------------
 */

static tm_status dot_fn(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    out[0] = CALL(user, {.tensor = in[0]}, {.tensor = in[1]});
    return out[0] ? TM_OK : tm_error_code();
}

START_TEST(pieces_are_batches_of_their_own)
{
    const tm_op *op = dot_with(dot_rule);
    const tm_tensor *in[] = {test_iota(TM_FLOAT32, TM_INTS(5, 2)), F32(TM_INTS(2), 1, 10)};
    tm_vmap_options options = {.struct_size = sizeof options, .chunk_size = 2};
    tm_tensor *out;
    EXPECT_OK(tm_vmap(dot_fn, (void *)(uintptr_t)op, &options, 2, in,
                      (const int64_t[]){0, TM_NOT_MAPPED}, 1, &out, NULL));
    EXPECT_F32(out, TM_INTS(5), 10, 32, 54, 76, 98);
    ck_assert_int_eq(calls, 2); /* the last piece is one example: the plain kernel's */
}
END_TEST

/* -- Judged by the law --------------------------------------------------------------------------
 */

static int wrong; /* 1: one example is wrong; 2: it does not report what the kernel refuses */

static tm_status rows_rule(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                           int num_inputs, tm_tensor *const *outputs)
{
    (void)mapped;
    (void)num_inputs;
    tm_tensor *twice = tm_add(inputs[0], inputs[0]);
    if (!tm_copy_(outputs[0], twice))
        return tm_error_code();
    int64_t n = tm_size(twice, 0);
    if (wrong == 1 && n > 2)
        tm_copy_(tm_select(outputs[0], 0, 2), tm_select(outputs[0], 0, 1));
    const float *data = tm_data(twice);
    for (int64_t i = 0; i < tm_numel(twice) && wrong != 2; i++)
        if (data[i] < 0)
            tm_batch_suspect(call, i / tm_size(twice, 1));
    return TM_OK;
}

START_TEST(the_law_holds_rules_against_the_plain_kernel)
{
    SAMPLES(samples, "law_rule");
    static const int8_t core[] = {1, 1};
    OP(.schema = "law_rule(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE, .core = core,
       .meta = (tm_fn)test_row_meta, .impl = (tm_fn)test_double_row, .samples = &samples,
       .rule = rows_rule);
    wrong = 0;
    tm_dispatch_reset_stats();
    tm_law_result result = test_run_law("law_rule", test_law_at_most(1500), 0, stdout);
    ck_assert_int_eq(result.violations, 0);
    ck_assert_int_eq(result.leaks, 0);
    ck_assert_uint_gt(tm_dispatch_get_stats().batched_runs, 100);
    ck_assert_uint_gt(tm_dispatch_get_stats().reruns, 10);
    wrong = 1;
    test_expect_report("law_rule", "differs at example");
    wrong = 2;
    test_expect_report("law_rule", "which fails for some example");
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
                            a_decline_runs_the_plain_kernel,
                            suspects_are_run_again_plainly,
                            a_failure_of_data_is_left_to_the_plain_kernel,
                            an_error_that_stood_before_stands_after,
                            any_other_failure_is_the_calls,
                            full_examples_are_left_to_the_plain_kernel,
                            an_override_brings_a_rule_and_takes_it_away,
                            a_rule_that_fits_nowhere_is_refused,
                            pieces_are_batches_of_their_own,
                            the_law_holds_rules_against_the_plain_kernel};
    return test_suite("rule", tests, COUNT(tests));
}
