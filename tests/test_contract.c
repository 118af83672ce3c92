/* test_contract.c: the contracts that are not loops over examples, registered at run time: written
 * arguments, composites, views, copies, data-dependent ops, reductions.
 */
#include "support.h"

static tm_status written_meta(tm_call *call, const tm_tensor *x, double by)
{
    (void)by;
    return tm_output_like(call, 0, x);
}

static tm_status written_impl(tm_call *call, tm_tensor *x, double by)
{
    (void)call;
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        ((float *)tm_mutable_data(x))[i * tm_strides(x)[0]] *= (float)by;
    return TM_OK;
}

START_TEST(a_written_tensor_is_the_output)
{
    const tm_op *op =
        OP(.schema = "con_scale_(Tensor! x, float by) -> Tensor!", .contract = TM_PER_EXAMPLE,
           .meta = (tm_fn)written_meta, .impl = (tm_fn)written_impl);
    tm_tensor *x = F32(TM_INTS(2, 2), 1, 2, 3, 4);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *column = MADE(tm_vmap_in(v, x, 1));
    ck_assert_ptr_eq(CALL(op, {.tensor = column}, {.f = 10}), column);
    EXPECT_OK(tm_vmap_pop(v));
    EXPECT_F32(x, TM_INTS(2, 2), 10, 20, 30, 40);
    tm_tensor *row = MADE(tm_strided_view(x, 1, (const int64_t[]){2}, (const int64_t[]){1}, 2));
    ck_assert_ptr_eq(CALL(op, {.tensor = row}, {.f = 0.5}), row);
    EXPECT_F32(x, TM_INTS(2, 2), 10, 20, 15, 20);
}
END_TEST

static tm_status both_meta(tm_call *call, const tm_tensor *x, const tm_scalar *by)
{
    (void)by;
    tm_status status = tm_output_like(call, 0, x);
    return status == TM_OK ? tm_output_like(call, 1, x) : status;
}

static tm_status both_impl(tm_call *call, const tm_tensor *x, const tm_scalar *by, tm_tensor **sum,
                           tm_tensor **same)
{
    (void)call;
    *sum = by ? tm_add_scalar(x, *by) : tm_add(x, x);
    *same = tm_alias(x);
    return TM_OK;
}

START_TEST(a_composite_gets_places_for_its_outputs)
{
    const tm_op *op =
        OP(.schema = "con_both(Tensor x, Scalar? by=None) -> (Tensor sum, Tensor "
                     "same)",
           .contract = TM_COMPOSITE, .meta = (tm_fn)both_meta, .impl = (tm_fn)both_impl);
    tm_tensor *x = F32(TM_INTS(2), 1, 2);
    const tm_scalar by = tm_scalar_int(10);
    tm_value results[2];
    EXPECT_OK(tm_op_call(op, (const tm_value[]){{.tensor = x}, {.opt = &by}}, 2, results, 2));
    EXPECT_F32(results[0].tensor, TM_INTS(2), 11, 12);
    EXPECT_F32(results[1].tensor, TM_INTS(2), 1, 2);
    tm_vmap_level *v = tm_vmap_push(NULL);
    EXPECT_OK(tm_op_call(op,
                         (const tm_value[]){{.tensor = MADE(tm_vmap_in(v, x, 0))}, {.opt = NULL}},
                         2, results, 2));
    EXPECT_F32(tm_vmap_out(v, results[0].tensor, 0), TM_INTS(2), 2, 4);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status wrong_shape_impl(tm_call *call, const tm_tensor *x, tm_tensor **out)
{
    (void)call;
    *out = tm_strided_view(x, 0, NULL, NULL, 0);
    return TM_OK;
}

static tm_status same_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

START_TEST(a_composite_must_return_what_meta_said)
{
    const tm_op *op = OP(.schema = "con_wrong(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)same_meta, .impl = (tm_fn)wrong_shape_impl);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_SCHEMA,
                "con_wrong: output 0|(2,)|()");
}
END_TEST

static tm_status diagonal_meta(tm_call *call, const tm_tensor *x, int64_t offset)
{
    if (tm_check_rank(call, "x", x, 2) != TM_OK)
        return TM_ERR_RANK;
    int64_t rows = tm_size(x, 0), columns = tm_size(x, 1) - offset;
    int64_t n = rows < columns ? rows : columns;
    if (offset < 0 || n < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "offset", "offset %lld is out of range",
                           (long long)offset);
    return tm_output_view(call, 0, x, 1, &n, (const int64_t[]){tm_strides(x)[0] + tm_strides(x)[1]},
                          offset * tm_strides(x)[1]);
}

START_TEST(a_view_is_its_meta_alone)
{
    const tm_op *op = OP(.schema = "con_diagonal(Tensor x, int offset=0) -> Tensor",
                         .contract = TM_VIEW, .meta = (tm_fn)diagonal_meta);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 3));
    tm_tensor *d = MADE(CALL(op, {.tensor = x}, {.i = 1}));
    EXPECT_F32(d, TM_INTS(2), 1, 5);
    MADE(tm_add_(d, F32(TM_INTS(2), 100, 100)));
    EXPECT_F32(x, TM_INTS(3, 3), 0, 101, 2, 3, 4, 105, 6, 7, 8);
    tm_tensor *y = test_iota(TM_FLOAT32, TM_INTS(2, 2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = MADE(tm_vmap_in(v, y, 2));
    d = MADE(CALL(op, {.tensor = m}, {.i = 0}));
    ck_assert_int_eq(tm_num_levels(d), 1);
    EXPECT_F32(tm_vmap_out(v, d, 0), TM_INTS(2, 2), 0, 6, 1, 7);
    EXPECT_NULL(CALL(op, {.tensor = d}, {.i = 0}), TM_ERR_RANK, "x|(2,)");
    EXPECT_NULL(CALL(op, {.tensor = m}, {.i = -1}), TM_ERR_VALUE, "offset -1");
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* reshape(-1): a view where the elements lie row-major, else a copy. */
static tm_status flatten_meta(tm_call *call, const tm_tensor *x)
{
    int64_t n = tm_numel(x);
    if (tm_is_contiguous(x))
        return tm_output_view(call, 0, x, 1, &n, (const int64_t[]){1}, 0);
    return tm_output(call, 0, tm_dtype_of(x), 1, &n);
}

static tm_status flatten_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    float *to = tm_mutable_data(out);
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        for (int64_t j = 0; j < tm_shape(x)[1]; j++)
            *to++ = ((const float *)tm_data(x))[i * tm_strides(x)[0] + j * tm_strides(x)[1]];
    return TM_OK;
}

START_TEST(view_or_copy_decides_from_logical_strides)
{
    const tm_op *op = OP(.schema = "con_flatten(Tensor x) -> Tensor", .contract = TM_VIEW_OR_COPY,
                         .meta = (tm_fn)flatten_meta, .impl = (tm_fn)flatten_impl);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    ck_assert_ptr_eq(tm_data(MADE(CALL(op, {.tensor = x}))), tm_data(x));
    tm_tensor *t = MADE(tm_strided_view(x, 2, (const int64_t[]){3, 2}, (const int64_t[]){1, 3}, 0));
    tm_tensor *copy = MADE(CALL(op, {.tensor = t}));
    EXPECT_F32(copy, TM_INTS(6), 0, 3, 1, 4, 2, 5);
    ck_assert_ptr_ne(tm_data(copy), tm_data(x));
    /* One example is contiguous, though the batch lies between: still a view. */
    tm_tensor *y = test_iota(TM_FLOAT32, TM_INTS(2, 2, 2));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = MADE(tm_vmap_in(v, y, 0));
    tm_tensor *flat = MADE(tm_vmap_out(v, MADE(CALL(op, {.tensor = m})), 0));
    ck_assert_ptr_eq(tm_data(flat), tm_data(y));
    m = MADE(tm_vmap_in(v, y, 1)); /* strides (4, 1): a copy */
    EXPECT_F32(tm_vmap_out(v, MADE(CALL(op, {.tensor = m})), 0), TM_INTS(2, 4), 0, 1, 4, 5, 2, 3, 6,
               7);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status positive_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status = tm_check_rank(call, "x", x, 1);
    return status == TM_OK ? tm_output(call, 0, TM_INT64, 1, (const int64_t[]){TM_DYNAMIC})
                           : status;
}

static tm_status positive_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    const float *data = tm_data(x);
    int64_t n = 0, step = tm_strides(x)[0];
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        n += data[i * step] > 0;
    tm_status status = tm_output_alloc(call, 0, 1, &n);
    if (status != TM_OK)
        return status;
    int64_t *to = tm_mutable_data(out);
    for (int64_t i = 0; i < tm_shape(x)[0]; i++)
        if (data[i * step] > 0)
            *to++ = i;
    return TM_OK;
}

START_TEST(a_data_dependent_op_states_its_shape)
{
    const tm_op *op =
        OP(.schema = "con_positive(Tensor x) -> Tensor", .contract = TM_DATA_DEPENDENT,
           .meta = (tm_fn)positive_meta, .impl = (tm_fn)positive_impl);
    tm_tensor *x = F32(TM_INTS(4), 1, -1, 0, 2);
    EXPECT(CALL(op, {.tensor = x}), TM_INT64, TM_INTS(2), 0, 3);
    EXPECT_SHAPE(CALL(op, {.tensor = F32(TM_INTS(1), -1)}), TM_INT64, TM_INTS(0));
    tm_spec spec;
    EXPECT_OK(tm_infer(op, (const tm_value[]){{.tensor = x}}, 1, &spec, 1));
    ck_assert_int_eq(spec.shape[0], TM_DYNAMIC);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *number = MADE(tm_vmap_in(v, x, 0));
    EXPECT_NULL(CALL(op, {.tensor = number}), TM_ERR_RANK, "x must have at least 1 dimension");
    tm_tensor *row = MADE(tm_vmap_in(v, test_iota(TM_FLOAT32, TM_INTS(4, 2)), 0));
    EXPECT_NULL(CALL(op, {.tensor = row}), TM_ERR_VMAP, "con_positive: x");
    EXPECT(CALL(op, {.tensor = x}), TM_INT64, TM_INTS(2), 0, 3); /* not mapped: once */
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

static tm_status total_meta(tm_call *call, tm_tensor_list xs)
{
    (void)xs;
    return tm_output(call, 0, TM_INT64, 1, (const int64_t[]){TM_DYNAMIC});
}

static tm_status total_impl(tm_call *call, tm_tensor_list xs, tm_tensor *out)
{
    tm_status status = tm_output_alloc(call, 0, 1, &xs.count);
    for (int64_t i = 0; status == TM_OK && i < xs.count; i++)
        ((int64_t *)tm_mutable_data(out))[i] = tm_numel(xs.data[i]);
    return status;
}

START_TEST(a_data_dependent_op_takes_no_mapped_list)
{
    const tm_op *op =
        OP(.schema = "con_total(Tensor[] xs) -> Tensor", .contract = TM_DATA_DEPENDENT,
           .meta = (tm_fn)total_meta, .impl = (tm_fn)total_impl);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2)), *y = test_f32_scalar(1);
    EXPECT(CALL(op, {.tensors = TM_TENSORS(x, y)}), TM_INT64, TM_INTS(2), 6, 1);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, x, 0));
    EXPECT_NULL(CALL(op, {.tensors = TM_TENSORS(y, row)}), TM_ERR_VMAP, "con_total: xs");
    EXPECT(CALL(op, {.tensors = TM_TENSORS(y, x)}), TM_INT64, TM_INTS(2), 1, 6);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* A signature op may bring a meta besides: it runs after the signature's checks. */
static tm_status length_meta(tm_call *call, const tm_tensor *x)
{
    if (tm_dtype_of(x) != TM_FLOAT32)
        return tm_fail_arg(call, TM_ERR_DTYPE, "x", "x must be float32, got %s",
                           tm_dtype_name(tm_dtype_of(x)));
    return tm_output(call, 0, TM_INT64, tm_ndim(x) - 1, tm_shape(x));
}

static tm_status length_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    *(int64_t *)tm_mutable_data(out) = tm_shape(x)[0];
    return TM_OK;
}

START_TEST(a_signature_with_a_meta_of_its_own)
{
    const tm_op *op =
        OP(.schema = "con_length(Tensor x) -> Tensor", .contract = TM_SIGNATURE,
           .signature = "(n)->()", .meta = (tm_fn)length_meta, .impl = (tm_fn)length_impl);
    EXPECT(CALL(op, {.tensor = test_iota(TM_FLOAT32, TM_INTS(2, 3))}), TM_INT64, TM_INTS(2), 3, 3);
    EXPECT_NULL(CALL(op, {.tensor = test_f32_scalar(1)}), TM_ERR_RANK, "x|signature");
    EXPECT_NULL(CALL(op, {.tensor = test_iota(TM_INT32, TM_INTS(2))}), TM_ERR_DTYPE, "int32");
}
END_TEST

static tm_status first_meta(tm_call *call, const tm_tensor *x)
{
    return tm_numel(x) > 0 ? TM_OK : tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not be empty");
}

static tm_status first_impl(tm_call *call, const tm_tensor *x)
{
    return tm_output_scalar(call, 0, tm_scalar_float((double)*(const float *)tm_data(x)));
}

static tm_status no_scalar_impl(tm_call *call, const tm_tensor *x)
{
    (void)call;
    (void)x;
    return TM_OK;
}

START_TEST(a_host_value_is_a_scalar)
{
    const tm_op *op = OP(.schema = "con_first(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)first_meta, .impl = (tm_fn)first_impl);
    tm_tensor *x = F32(TM_INTS(2), 2.5, 3);
    tm_value result;
    EXPECT_OK(tm_op_call(op, (const tm_value[]){{.tensor = x}}, 1, &result, 1));
    ck_assert_int_eq(result.scalar.kind, TM_KIND_FLOAT);
    ck_assert_double_eq(result.scalar.value.f, 2.5);
    ck_assert_int_eq(tm_op_output_type(op, 0), TM_TYPE_SCALAR);
    tm_vmap_level *v = tm_vmap_push(NULL);
    const tm_value mapped[] = {{.tensor = MADE(tm_vmap_in(v, x, 0))}};
    EXPECT_FAIL(tm_op_call(op, mapped, 1, &result, 1), TM_ERR_VMAP, "con_first: x|tm_vmap_out");
    EXPECT_OK(tm_vmap_pop(v));
    const tm_op *lazy = OP(.schema = "con_lazy(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                           .meta = (tm_fn)first_meta, .impl = (tm_fn)no_scalar_impl);
    EXPECT_FAIL(tm_op_call(lazy, (const tm_value[]){{.tensor = x}}, 1, &result, 1), TM_ERR_SCHEMA,
                "con_lazy: ");
}
END_TEST

static tm_mode_answer handles_without_a_scalar(tm_call *call, void *state)
{
    (void)call;
    (void)state;
    return TM_MODE_HANDLED;
}

START_TEST(a_handler_cannot_leave_a_host_value_unset)
{
    static const tm_mode_def lazy = {
        .struct_size = sizeof(tm_mode_def), .name = "lazy", .handle = handles_without_a_scalar};
    const tm_op *op = OP(.schema = "con_first(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)first_meta, .impl = (tm_fn)first_impl);
    tm_value result;
    tm_tensor *x = F32(TM_INTS(2), 2.5, 3);
    tm_mode *mode = tm_mode_push(&lazy, NULL);
    EXPECT_FAIL(tm_op_call(op, (const tm_value[]){{.tensor = x}}, 1, &result, 1), TM_ERR_SCHEMA,
                "con_first: output 0");
    EXPECT_OK(tm_mode_pop(mode));
}
END_TEST

static tm_status mean_loop(tm_call *call, const tm_reduce_args *args)
{
    (void)call;
    for (int64_t k = 0; k < args->num; k++) {
        double sum = 0;
        int64_t index[TM_MAX_NDIM] = {0};
        for (int64_t i = 0; i < args->count; i++) {
            int64_t at = k * args->x_step;
            for (int d = 0; d < args->ndim; d++)
                at += index[d] * args->step[d];
            sum += (double)*(const float *)(const void *)(args->x + at);
            for (int d = args->ndim; d-- > 0 && ++index[d] == args->size[d];)
                index[d] = 0;
        }
        *(float *)(void *)(args->out + k * args->out_step) = (float)(sum / (double)args->count);
    }
    return TM_OK;
}

START_TEST(a_reduction_with_the_shared_meta)
{
    static const tm_reduce_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, mean_loop}, {0}};
    const tm_op *op = OP(.schema = "con_mean(Tensor x, int[]? axis=None, bool keepdims=False) -> "
                                   "Tensor",
                         .contract = TM_REDUCTION, .reduce = loops);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3, 4));
    EXPECT_F32(CALL(op, {.tensor = x}, {.opt = NULL}, {.b = false}), tm_no_ints, 11.5);
    EXPECT_F32(CALL(op, {.tensor = x}, {.opt = NULL}, {.b = true}), TM_INTS(1, 1, 1), 11.5);
    EXPECT_F32(CALL(op, {.tensor = x}, {.opt = &TM_INTS(0, -1)}, {.b = false}), TM_INTS(3), 7.5,
               11.5, 15.5);
    EXPECT_F32(CALL(op, {.tensor = x}, {.opt = &TM_INTS(1)}, {.b = true}), TM_INTS(2, 1, 4), 4, 5,
               6, 7, 16, 17, 18, 19);
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}, {.opt = &tm_no_ints}, {.b = false}),
               TM_INTS(2), 1, 2);
    EXPECT_NULL(CALL(op, {.tensor = x}, {.opt = &TM_INTS(3)}, {.b = false}), TM_ERR_DIM,
                "axis 3|-3..2");
    EXPECT_NULL(CALL(op, {.tensor = x}, {.opt = &TM_INTS(0, -3)}, {.b = false}), TM_ERR_DIM,
                "twice");
    EXPECT_NULL(CALL(op, {.tensor = test_iota(TM_INT32, TM_INTS(2))}, {.opt = NULL}, {.b = false}),
                TM_ERR_DTYPE, "int32");
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *m = MADE(tm_vmap_in(v, x, 1)); /* (2, 4) */
    EXPECT_F32(tm_vmap_out(v, CALL(op, {.tensor = m}, {.opt = &TM_INTS(0)}, {.b = false}), 1),
               TM_INTS(4, 3), 6, 10, 14, 7, 11, 15, 8, 12, 16, 9, 13, 17);
    EXPECT_NULL(CALL(op, {.tensor = m}, {.opt = &TM_INTS(2)}, {.b = false}), TM_ERR_DIM,
                "axis 2|-2..1");
    EXPECT_OK(tm_vmap_pop(v));
    tm_tensor *out = F32(TM_INTS(2), 0, 0);
    const tm_op *out_op = tm_op_find("con_mean_out", NULL);
    ck_assert_ptr_eq(CALL(out_op, {.tensor = F32(TM_INTS(2, 2), 1, 3, 5, 9)}, {.opt = &TM_INTS(1)},
                          {.b = false}, {.tensor = out}),
                     out);
    EXPECT_F32(out, TM_INTS(2), 2, 7);
}
END_TEST

Suite *contract_suite(void)
{
    const TTest *tests[] = {a_written_tensor_is_the_output,
                            a_composite_gets_places_for_its_outputs,
                            a_composite_must_return_what_meta_said,
                            a_view_is_its_meta_alone,
                            view_or_copy_decides_from_logical_strides,
                            a_data_dependent_op_states_its_shape,
                            a_data_dependent_op_takes_no_mapped_list,
                            a_signature_with_a_meta_of_its_own,
                            a_host_value_is_a_scalar,
                            a_handler_cannot_leave_a_host_value_unset,
                            a_reduction_with_the_shared_meta};
    return test_suite("contract", tests, COUNT(tests));
}
