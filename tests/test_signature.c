/* test_signature.c: gufunc signatures: the parser with its columns, and the checks, shapes and
 * loops that follow from a signature.
 */
#include <stdlib.h>
#include <string.h>

#include "dispatch/signature.h"
#include "support.h"

static tm_signature signature;
static tm_schema_error error;

/* -- The parser ------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int column;
} refused[] = {
    {"", 1},
    {"m", 1},
    {"(m)", 4},
    {"(m)->", 6},
    {"(m)-(m)", 4},
    {"(m->(m)", 3},
    {"(m))->(m)", 4},
    {"(m,)->(m)", 4},
    {"(,m)->(m)", 2},
    {"(m n)->(m)", 4},
    {"(m),->(m)", 5},
    {"(m)->(m) x", 10},
    {"(m)->(m),", 10},
    {"(m)->m", 6},
    {"(m)->(n)", 7},
    {"(m!)->(m)", 3},
    {"(m?\?)->(m)", 4},
    {"(?)->()", 2},
    {"(m?),(m)->(m)", 7},
    {"(m),(m?)->(m)", 6},
    {"(0)->()", 2},
    {"(3x)->()", 2},
    {"(a,b,c,d,e,f,g,h),(i,j,k,l,m)->()", 28},          /* more than 12 names */
    {"(),(),(),(),(),(),(),(),(),(),(),(),()->()", 37}, /* more than 12 operands */
    {"(a,a,a,a,a,a,a,a,a)->()", 18},                    /* more than 8 dimensions of one */
    {"(-3)->()", 2},
    {"(averyveryverylongname)->()", 2},
};

START_TEST(each_malformed_signature_is_refused_at_its_column)
{
    const char *text = refused[_i].text;
    ck_assert_msg(!tm_signature_parse(text, &signature, &error), "\"%s\" was accepted", text);
    ck_assert_msg(error.column == refused[_i].column, "\"%s\": column %d (%s), expected %d", text,
                  error.column, error.message, refused[_i].column);
    ck_assert_str_ne(error.message, "");
}
END_TEST

static tm_status nothing(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    (void)x;
    (void)out;
    return TM_OK;
}

START_TEST(registering_a_malformed_signature_fails_with_its_column)
{
    char part[64];
    tm_op_def def = {.struct_size = sizeof def,
                     .schema = "bad_signature(Tensor x) -> Tensor",
                     .contract = TM_SIGNATURE,
                     .signature = refused[_i].text,
                     .impl = (tm_fn)nothing};
    snprintf(part, sizeof part, "column %d", refused[_i].column);
    ck_assert_ptr_null(tm_library_register(test_library, &def));
    EXPECT_ERROR(TM_ERR_SCHEMA, part);
}
END_TEST

START_TEST(matmul_signature)
{
    ck_assert(tm_signature_parse(" (m?, n) , (n,p?) -> (m? ,p?) ", &signature, &error));
    ck_assert_int_eq(signature.num_inputs, 2);
    ck_assert_int_eq(signature.num_outputs, 1);
    ck_assert_int_eq(signature.num_dims, 3);
    ck_assert_int_eq(signature.operands[2].num_dims, 2);
    ck_assert(signature.optional[0] && !signature.optional[1] && signature.optional[2]);
}
END_TEST

START_TEST(empty_and_fixed_core_dimensions)
{
    ck_assert(tm_signature_parse("(),(3),(n,2)->(3),()", &signature, &error));
    ck_assert_int_eq(signature.num_inputs, 3);
    ck_assert_int_eq(signature.num_outputs, 2);
    ck_assert_int_eq(signature.operands[0].num_dims, 0);
    ck_assert_int_eq(signature.fixed[signature.operands[1].dims[0]], 3);
    ck_assert_int_eq(signature.operands[4].num_dims, 0);
}
END_TEST

/* -- What a signature promises ----------------------------------------------------------------- */

static tm_library *try_register(const char *schema, const char *text)
{
    tm_op_def def = {.struct_size = sizeof def,
                     .schema = schema,
                     .contract = TM_SIGNATURE,
                     .signature = text,
                     .impl = (tm_fn)nothing};
    return tm_library_register(test_library, &def) ? test_library : NULL;
}

START_TEST(signature_and_schema_must_have_the_same_operands)
{
    EXPECT_NULL(try_register("s1(Tensor x, Tensor y) -> Tensor", "(n)->(n)"), TM_ERR_SCHEMA,
                "signature");
    EXPECT_NULL(try_register("s2(Tensor x) -> Tensor", "(n),(n)->(n)"), TM_ERR_SCHEMA, "signature");
    EXPECT_NULL(try_register("s3(Tensor x) -> Tensor", "(n)->(n),(n)"), TM_ERR_SCHEMA, "signature");
    EXPECT_NULL(try_register("s4(Tensor[] x) -> Tensor", "(n)->(n)"), TM_ERR_SCHEMA, "signature");
    EXPECT_NULL(try_register("s5(Tensor? x) -> Tensor", "(n)->(n)"), TM_ERR_SCHEMA, "signature");
    EXPECT_NULL(try_register("s6(Tensor x) -> Scalar", "(n)->()"), TM_ERR_SCHEMA, "signature");
    EXPECT_NULL(try_register("s7(Tensor x) -> Tensor", NULL), TM_ERR_SCHEMA, "signature");
}
END_TEST

static float at(const tm_tensor *x, int64_t i, int64_t j)
{
    const float *data = tm_data(x);
    return data[i * tm_strides(x)[0] + j * tm_strides(x)[1]];
}

/* Handles always have two dimensions here, an absent optional one has size 1. */
static tm_status multiply(tm_call *call, const tm_tensor *a, const tm_tensor *b, tm_tensor *out)
{
    if (tm_ndim(a) != 2 || tm_ndim(b) != 2 || tm_ndim(out) != 2)
        return tm_fail(call, TM_ERR_USAGE, "a handle has %d, %d, %d dimensions", tm_ndim(a),
                       tm_ndim(b), tm_ndim(out));
    float *to = tm_mutable_data(out);
    for (int64_t i = 0; i < tm_shape(a)[0]; i++)
        for (int64_t j = 0; j < tm_shape(b)[1]; j++) {
            float sum = 0;
            for (int64_t k = 0; k < tm_shape(a)[1]; k++)
                sum += at(a, i, k) * at(b, k, j);
            to[i * tm_strides(out)[0] + j * tm_strides(out)[1]] = sum;
        }
    return TM_OK;
}

static const tm_op *multiply_op(void)
{
    return OP(.schema = "test_matmul(Tensor a, Tensor b) -> Tensor", .contract = TM_SIGNATURE,
              .signature = "(m?,n),(n,p?)->(m?,p?)", .impl = (tm_fn)multiply);
}

START_TEST(optional_dimensions_in_all_four_rank_pairs)
{
    const tm_op *op = multiply_op();
    tm_tensor *m = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *v = F32(TM_INTS(3), 1, 10, 100);
    tm_tensor *w = F32(TM_INTS(2), 1, 10);
    tm_tensor *n = test_iota(TM_FLOAT32, TM_INTS(3, 2));
    EXPECT_F32(CALL(op, {.tensor = m}, {.tensor = n}), TM_INTS(2, 2), 10, 13, 28, 40);
    EXPECT_F32(CALL(op, {.tensor = m}, {.tensor = v}), TM_INTS(2), 210, 543);
    EXPECT_F32(CALL(op, {.tensor = w}, {.tensor = m}), TM_INTS(3), 30, 41, 52);
    EXPECT_F32(CALL(op, {.tensor = v}, {.tensor = v}), tm_no_ints, 10101);
}
END_TEST

START_TEST(loop_dimensions_broadcast)
{
    const tm_op *op = multiply_op();
    tm_tensor *a = test_iota(TM_FLOAT32, TM_INTS(2, 1, 1, 2)); /* loops (2, 1), core (1, 2) */
    tm_tensor *b = F32(TM_INTS(3, 2, 1), 1, 0, 0, 1, 1, 1);    /* loops (3), core (2, 1) */
    EXPECT_F32(CALL(op, {.tensor = a}, {.tensor = b}), TM_INTS(2, 3, 1, 1), 0, 1, 1, 2, 3, 5);
}
END_TEST

START_TEST(a_vector_stays_a_vector_beside_loop_dimensions)
{
    const tm_op *op = multiply_op();
    tm_tensor *b = test_iota(TM_FLOAT32, TM_INTS(2, 2, 1));
    EXPECT_F32(CALL(op, {.tensor = F32(TM_INTS(2), 1, 10)}, {.tensor = b}), TM_INTS(2, 1), 10, 32);
}
END_TEST

START_TEST(core_sizes_must_agree_and_the_message_says_everything)
{
    const tm_op *op = multiply_op();
    tm_tensor *a = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *b = test_iota(TM_FLOAT32, TM_INTS(4, 2));
    EXPECT_NULL(CALL(op, {.tensor = a}, {.tensor = b}), TM_ERR_SHAPE, "test_matmul: b|4|3|n");
    tm_tensor *c = test_iota(TM_FLOAT32, TM_INTS(3, 2, 2)),
              *d = test_iota(TM_FLOAT32, TM_INTS(2, 2, 2));
    EXPECT_NULL(CALL(op, {.tensor = c}, {.tensor = d}), TM_ERR_SHAPE, "(3,)|(2,)");
    EXPECT_NULL(CALL(op, {.tensor = test_f32_scalar(1)}, {.tensor = b}), TM_ERR_RANK, "a|()");
}
END_TEST

static tm_status cross(tm_call *call, const tm_tensor *x, const tm_tensor *y, tm_tensor *out)
{
    (void)call;
    const float *a = tm_data(x), *b = tm_data(y);
    float *c = tm_mutable_data(out);
    int64_t s = tm_strides(x)[0], t = tm_strides(y)[0];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i * tm_strides(out)[0]] = a[j * s] * b[k * t] - a[k * s] * b[j * t];
    }
    return TM_OK;
}

START_TEST(fixed_dimensions_are_checked)
{
    const tm_op *op =
        OP(.schema = "test_cross(Tensor x, Tensor y) -> Tensor", .contract = TM_SIGNATURE,
           .signature = "(3),(3)->(3)", .impl = (tm_fn)cross);
    tm_tensor *x = F32(TM_INTS(3), 1, 0, 0), *y = F32(TM_INTS(2, 3), 0, 1, 0, 0, 0, 1);
    EXPECT_F32(CALL(op, {.tensor = x}, {.tensor = y}), TM_INTS(2, 3), 0, 0, 1, 0, -1, 0);
    tm_tensor *two = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(CALL(op, {.tensor = two}, {.tensor = y}), TM_ERR_SHAPE, "x|2|3");
    EXPECT_NULL(CALL(op, {.tensor = x}, {.tensor = two}), TM_ERR_SHAPE, "y|2|3");
    /* Size 1 is not broadcast in a core dimension. */
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(1), 1)}, {.tensor = y}), TM_ERR_SHAPE, "x|1|3");
}
END_TEST

/* Three examples of size 3 are not mistaken for the fixed 3. */
START_TEST(a_batch_is_never_a_core_dimension)
{
    const tm_op *op =
        OP(.schema = "test_cross(Tensor x, Tensor y) -> Tensor", .contract = TM_SIGNATURE,
           .signature = "(3),(3)->(3)", .impl = (tm_fn)cross);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(3, 2)), *y = test_iota(TM_FLOAT32, TM_INTS(3, 3));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *a = MADE(tm_vmap_in(v, x, 0)), *b = MADE(tm_vmap_in(v, y, 0));
    EXPECT_NULL(CALL(op, {.tensor = a}, {.tensor = b}), TM_ERR_SHAPE, "x|2|3");
    tm_tensor *c = MADE(CALL(op, {.tensor = b}, {.tensor = b}));
    EXPECT_F32(tm_vmap_out(v, c, 0), TM_INTS(3, 3), 0, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(mapped_signature_op_with_one_operand_mapped)
{
    const tm_op *op = multiply_op();
    tm_tensor *a = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *b = test_iota(TM_FLOAT32, TM_INTS(3, 4));
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *column = MADE(tm_vmap_in(v, b, 1)); /* (3,): four of them */
    tm_tensor *y = MADE(CALL(op, {.tensor = a}, {.tensor = column}));
    EXPECT_F32(tm_vmap_out(v, y, -1), TM_INTS(2, 4), 20, 23, 26, 29, 56, 68, 80, 92);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(the_output_dtype_is_the_promotion)
{
    const tm_op *op = OP(.schema = "test_first(Tensor x, Tensor y) -> Tensor",
                         .contract = TM_SIGNATURE, .signature = "(n),()->()", .impl = (tm_fn)abort);
    tm_tensor *x = test_iota(TM_INT32, TM_INTS(3)), *y = test_iota(TM_FLOAT64, TM_INTS(4, 5));
    tm_spec spec;
    EXPECT_OK(tm_infer(op, (const tm_value[]){{.tensor = x}, {.tensor = y}}, 2, &spec, 1));
    ck_assert_int_eq(spec.dtype, TM_FLOAT64);
    ck_assert_int_eq(spec.ndim, 2);
    ck_assert_int_eq(spec.shape[1], 5);
}
END_TEST

static tm_status minmax(tm_call *call, const tm_tensor *x, tm_tensor *low, tm_tensor *high)
{
    const float *data = tm_data(x);
    if (tm_shape(x)[0] == 0)
        return tm_fail_arg(call, TM_ERR_VALUE, "x", "x must not be empty");
    float least = data[0], most = data[0];
    for (int64_t i = 1; i < tm_shape(x)[0]; i++) {
        float value = data[i * tm_strides(x)[0]];
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    *(float *)tm_mutable_data(low) = least;
    *(float *)tm_mutable_data(high) = most;
    return TM_OK;
}

START_TEST(several_outputs_and_an_out_form)
{
    const tm_op *op =
        OP(.schema = "test_minmax(Tensor x) -> (Tensor low, Tensor high)", .contract = TM_SIGNATURE,
           .signature = "(n)->(),()", .impl = (tm_fn)minmax);
    tm_tensor *x = F32(TM_INTS(2, 3), 3, 1, 2, 7, 9, 8);
    tm_value results[2];
    EXPECT_OK(tm_op_call(op, (const tm_value[]){{.tensor = x}}, 1, results, 2));
    EXPECT_F32(results[0].tensor, TM_INTS(2), 1, 7);
    EXPECT_F32(results[1].tensor, TM_INTS(2), 3, 9);
    const tm_op *out = tm_op_find("test_minmax_out", NULL);
    ck_assert_ptr_nonnull(out);
    ck_assert_ptr_eq(tm_op_base(out), op);
    ck_assert_str_eq(tm_op_schema(out), "test_minmax_out(Tensor x, Tensor! out_low, Tensor! "
                                        "out_high) -> (Tensor! low, Tensor! high)");
    tm_tensor *low = F32(TM_INTS(2), 0, 0), *high = F32(TM_INTS(2), 0, 0);
    ck_assert_ptr_eq(CALL(out, {.tensor = x}, {.tensor = low}, {.tensor = high}), low);
    EXPECT_F32(low, TM_INTS(2), 1, 7);
    EXPECT_F32(high, TM_INTS(2), 3, 9);
    /* A check of the impl's own fails with no loop index where there are no loops, with one where
     * there are; and nothing fails where no example exists. */
    EXPECT_NULL(CALL(op, {.tensor = tm_new(TM_FLOAT32, 1, (const int64_t[]){0})}), TM_ERR_VALUE,
                "test_minmax: x must not be empty");
    EXPECT_NULL(CALL(op, {.tensor = tm_new(TM_FLOAT32, 2, (const int64_t[]){2, 0})}), TM_ERR_VALUE,
                "x must not be empty (at index (0,))");
    EXPECT_SHAPE(CALL(op, {.tensor = tm_new(TM_FLOAT32, 2, (const int64_t[]){0, 0})}), TM_FLOAT32,
                 TM_INTS(0));
}
END_TEST

Suite *signature_suite(void)
{
    const TTest *tests[] = {matmul_signature,
                            empty_and_fixed_core_dimensions,
                            signature_and_schema_must_have_the_same_operands,
                            optional_dimensions_in_all_four_rank_pairs,
                            loop_dimensions_broadcast,
                            a_vector_stays_a_vector_beside_loop_dimensions,
                            core_sizes_must_agree_and_the_message_says_everything,
                            fixed_dimensions_are_checked,
                            a_batch_is_never_a_core_dimension,
                            mapped_signature_op_with_one_operand_mapped,
                            the_output_dtype_is_the_promotion,
                            several_outputs_and_an_out_form};
    const TTest *each[] = {each_malformed_signature_is_refused_at_its_column,
                           registering_a_malformed_signature_fails_with_its_column};
    Suite *suite = test_suite("signature", tests, COUNT(tests));
    test_suite_loop(suite, each, COUNT(each), COUNT(refused));
    return suite;
}
