/* test_law_sample.c: the language of samples: what parses, and how what does not is told. */
#include <math.h>
#include <string.h>

#include "law/sample.h"
#include "law_support.h"

static const tm_op *parsed_op(void)
{
    return OP(.schema =
                  "law_text(Tensor[] xs, Tensor? x=None, int k=3, int? n=None, int[] axes=[0], "
                  "float f=0.5, bool b=False, str s='a', dtype? dtype=None, Scalar c=1, "
                  "Scalar? d=None) -> (Tensor first, Tensor second)",
              .contract = TM_PER_EXAMPLE, .meta = (tm_fn)test_row_meta,
              .impl = (tm_fn)test_double_row);
}

static tm_law_arena arena;

static bool parse(const tm_op *op, const char *args, const char *expected, tm_law_sample *sample,
                  char *error, size_t size)
{
    tm_sample *source = tm_law_alloc(&arena, sizeof *source);
    *source = (tm_sample){.op = "law_text", .args = args, .expected = expected};
    return tm_law_parse(&arena, op, source, sample, error, size);
}

static tm_law_sample *parsed(const tm_op *op, const char *args, const char *expected)
{
    char error[512] = "";
    tm_law_sample *sample = tm_law_alloc(&arena, sizeof *sample);
    ck_assert_msg(parse(op, args, expected, sample, error, sizeof error), "%s", error);
    return sample;
}

static void expect_no_parse(const tm_op *op, const char *args, const char *expected,
                            const char *message)
{
    char error[512] = "";
    tm_law_sample sample;
    ck_assert_msg(!parse(op, args, expected, &sample, error, sizeof error), "\"%s\" parses", args);
    ck_assert_msg(strstr(error, message), "\"%s\"\n  wanted: %s\n  got:    %s", args, message,
                  error);
}

START_TEST(arguments_of_every_type_parse)
{
    const tm_op *op = parsed_op();
    tm_law_sample *s = parsed(op,
                              "[f32[2,1]{1 nan}, i64[3]], b8[]{True}, -4, 5, (0,-1,), 1e-3, "
                              "True, 'x y', float64, 1+2j, -inf",
                              NULL);
    ck_assert_int_eq(s->num_tensors, 3);
    ck_assert_int_eq(s->tensors[0].ndim, 2);
    ck_assert_int_eq(s->tensors[0].numel, 2);
    ck_assert(isnan(((const float *)(const void *)s->tensors[0].literal)[1]));
    ck_assert_int_eq(s->args[0].count, 2);
    ck_assert_int_eq(s->args[1].first, 2);
    ck_assert_int_eq(s->tensors[1].dtype, TM_INT64);
    ck_assert_ptr_null(s->tensors[1].literal);
    ck_assert_int_eq(s->tensors[2].literal[0], 1);
    ck_assert_int_eq(s->args[2].value.i, -4);
    ck_assert_int_eq(*(const int64_t *)s->args[3].value.opt, 5);
    ck_assert_int_eq(s->args[4].value.ints.count, 2);
    ck_assert_int_eq(s->args[4].value.ints.data[1], -1);
    ck_assert_double_eq(s->args[5].value.f, 1e-3);
    ck_assert(s->args[6].value.b);
    ck_assert_str_eq(s->args[7].value.str, "x y");
    ck_assert_int_eq(s->args[8].value.dtype, TM_FLOAT64);
    ck_assert_int_eq(s->args[9].value.scalar.kind, TM_KIND_COMPLEX);
    ck_assert_double_eq(s->args[9].value.scalar.value.c.im, 2);
    const tm_scalar *d = s->args[10].value.opt;
    ck_assert_int_eq(d->kind, TM_KIND_FLOAT);
    ck_assert(isinf(d->value.f) && d->value.f < 0);
    tm_law_free_all(&arena);
}
END_TEST

START_TEST(names_and_defaults_fill_the_arguments)
{
    const tm_op *op = parsed_op();
    tm_law_sample *s = parsed(op, "[], x=None, axes=(), d=2, dtype=None", NULL);
    ck_assert_int_eq(s->args[0].count, 0);
    ck_assert_ptr_eq(s->args[1].value.tensor, TM_NONE);
    ck_assert_int_eq(s->args[2].value.i, 3);
    ck_assert_ptr_null(s->args[3].value.opt);
    ck_assert_int_eq(s->args[4].value.ints.count, 0);
    ck_assert_str_eq(s->args[7].value.str, "a");
    ck_assert_int_eq(((const tm_scalar *)s->args[10].value.opt)->value.i, 2);
    s = parsed(op, "[]", "f32[2]{1 2}, i64[0]");
    ck_assert(s->has_expected);
    ck_assert_int_eq(s->expected[1].numel, 0);
    s = parsed(op, "[]", "!dim: axis 3: no, really");
    ck_assert(s->invalid);
    ck_assert_int_eq(s->code, TM_ERR_DIM);
    ck_assert_str_eq(s->message, "axis 3: no, really");
    tm_law_free_all(&arena);
}
END_TEST

START_TEST(numbers_become_elements_of_every_dtype)
{
    const tm_op *op = parsed_op();
    tm_law_sample *s = parsed(
        op,
        "[u64[2]{18446744073709551615, 0}, f16[3]{1 -0 65504}, bf16[2]{1.0 -inf}, c64[1]{1-2j}, "
        "i8[2]{-128 127}]",
        NULL);
    uint64_t most;
    memcpy(&most, s->tensors[0].literal, sizeof most);
    ck_assert_uint_eq(most, UINT64_MAX);
    uint16_t half[3];
    memcpy(half, s->tensors[1].literal, sizeof half);
    ck_assert_uint_eq(half[0], 0x3c00);
    ck_assert_uint_eq(half[1], 0x8000);
    ck_assert_uint_eq(half[2], 0x7bff);
    memcpy(half, s->tensors[2].literal, 4);
    ck_assert_uint_eq(half[0], 0x3f80);
    ck_assert_uint_eq(half[1], 0xff80);
    ck_assert_float_eq(((const float *)(const void *)s->tensors[3].literal)[1], -2);
    ck_assert_int_eq((signed char)s->tensors[4].literal[0], -128);
    tm_law_free_all(&arena);
}
END_TEST

START_TEST(malformed_samples_are_told_with_their_column)
{
    static const struct {
        const char *args, *expected, *message;
    } cases[] = {
        {"[f32[2", NULL, "expected ']', got the end at column 7"},
        {"[f32[-1]]", NULL, "a size must be in 0..1048576 at column 6"},
        {"[f32[2]{1 2]", NULL, "expected a number at column 12"},
        {"[f32[2]{1 2 3}]", NULL, "expected 2 values, got 3 at column 9"},
        {"[f33[2]]", NULL, "'f33' is no dtype at column 2"},
        {"[i32[1]{1.5}]", NULL, "a float in a tensor of int32 at column 9"},
        {"[u8[1]{256}]", NULL, "the number is out of uint8's range at column 8"},
        {"[f32[1]{1j}]", NULL, "a complex number in a tensor of float32 at column 9"},
        {"[f32[2]~gauss]", NULL, "'gauss' is no generator at column 9"},
        {"[f32[2]~spd]", NULL, "~spd needs square matrices"},
        {"[f32[2]~index(0)]", NULL, "~index needs a bound of at least 1"},
        {"[f32[2] f32[2]]", NULL, "expected ']', got 'f' at column 9"},
        {"x=None", NULL, "xs is missing at column 7"},
        {"[], k=1.5", NULL, "expected an integer, got a float at column 7"},
        {"[], k=None", NULL, "k is not optional, it cannot be None"},
        {"[], q=1", NULL, "'q' is no parameter of law_text at column 5"},
        {"[], None, 1, k=2", NULL, "k is given twice"},
        {"[], k=2, 3", NULL, "an argument without a name after a named one at column 10"},
        {"[], b=yes", NULL, "expected True or False at column 7"},
        {"[], s='x", NULL, "the string does not end"},
        {"[], axes=(1 2)", NULL, "expected ')', got '2' at column 13"},
        {"[],", NULL, "expected an argument after ',', got the end at column 4"},
        {"[] 1", NULL, "expected ',', got '1' at column 4"},
        {"[]", "f32[2]{1 2}", "expected ',', got the end at column 12"},
        {"[]", "f32[2], f32[2]", "an expected tensor states its values at column 1"},
        {"[]", "f32[0], f32[0], f32[0]", "expected the end after 2 results, got ','"},
        {"[]", "!bad: x", "'bad' is no error code at column 2"},
        {"[]", "!rank", "expected ':', got the end"},
        {"[]", "!rank: ", "an invalid sample states its message"},
    };
    const tm_op *op = parsed_op();
    for (int i = 0; i < COUNT(cases); i++)
        expect_no_parse(op, cases[i].args, cases[i].expected, cases[i].message);
    tm_law_free_all(&arena);
}
END_TEST

Suite *law_sample_suite(void)
{
    const TTest *tests[] = {arguments_of_every_type_parse, names_and_defaults_fill_the_arguments,
                            numbers_become_elements_of_every_dtype,
                            malformed_samples_are_told_with_their_column};
    return test_suite("law_sample", tests, COUNT(tests));
}
