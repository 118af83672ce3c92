/* test_schema.c: the schema parser: what it accepts, with every type and default, and what it
 * refuses, with the column of each error.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/schema.h"
#include "support.h"

static tm_schema schema;
static tm_schema_error error;

static void parse(const char *text)
{
    ck_assert_msg(tm_schema_parse(text, &schema, &error), "\"%s\": %s at column %d", text,
                  error.message, error.column);
}

/* -- Refused ---------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int column; /* 1-based, of the offending character */
    const char *part;
} refused[] = {
    {"", 1, "name"},
    {"   ", 4, "name"},
    {"1op() -> Tensor", 1, "name"},
    {"-op() -> Tensor", 1, "name"},
    {"op", 3, "'('"},
    {"op\t() -> Tensor", 3, "'('"},
    {"op.() -> Tensor", 4, "overload"},
    {"op.2(Tensor x) -> Tensor", 4, "overload"},
    {"op.a.b(Tensor x) -> Tensor", 5, "'('"},
    {"op x(Tensor x) -> Tensor", 4, "'('"},
    {"op(", 4, "type"},
    {"op(x) -> Tensor", 4, "'x' is no type"},
    {"op(tensor x) -> Tensor", 4, "'tensor' is no type"},
    {"op(Tensors x) -> Tensor", 4, "'Tensors' is no type"},
    {"op(double x) -> Tensor", 4, "'double' is no type"},
    {"op((Tensor x) -> Tensor", 4, "type"},
    {"op(, Tensor x) -> Tensor", 4, "type"},
    {"op(Tensor) -> Tensor", 10, "name"},
    {"op(Tensor, int k) -> Tensor", 10, "name"},
    {"op(Tensor 2x) -> Tensor", 11, "name"},
    {"op(Tensor x", 12, "')'"},
    {"op(Tensor x,) -> Tensor", 13, "type"},
    {"op(Tensor x y) -> Tensor", 13, "')'"},
    {"op(Tensor x; int k) -> Tensor", 12, "')'"},
    {"op(Tensor x, Tensor x) -> Tensor", 21, "'x'"},
    {"op(Tensor?! x) -> Tensor", 11, "name"},
    {"op(Tensor?? x) -> Tensor", 11, "name"},
    {"op(float[] x) -> Tensor", 9, "float"},
    {"op(bool[] x) -> Tensor", 8, "bool"},
    {"op(str[] x) -> Tensor", 7, "str"},
    {"op(dtype[] x) -> Tensor", 9, "dtype"},
    {"op(Scalar[] x) -> Tensor", 10, "Scalar"},
    {"op(int[ x) -> Tensor", 9, "']'"},
    {"op(int[3] x) -> Tensor", 8, "']'"},
    {"op(Tensor[]? x) -> Tensor", 12, "optional"},
    {"op(Generator x) -> Tensor", 14, "optional (Generator?)"},
    {"op(Generator[] x) -> Tensor", 13, "no list of Generator"},
    {"op(Generator? x, int i, Generator? y) -> Tensor", 25, "two Generators"},
    {"op(Generator? x=7) -> Tensor", 17, "a Generator has no default but None"},
    {"op(Generator? x) -> Generator", 21, "an output is"},
    {"op(Tensor[]! x) -> Tensor", 12, "written"},
    {"op(int! x) -> Tensor", 7, "written"},
    {"op(Tensor x) Tensor", 14, "'->'"},
    {"op(Tensor x)", 13, "'->'"},
    {"op(Tensor x) - > Tensor", 14, "'->'"},
    {"op(Tensor x) ->", 16, "type"},
    {"op(Tensor x) -> ", 17, "type"},
    {"op(Tensor x) -> ()", 18, "type"},
    {"op(Tensor x) -> (Tensor", 24, "')'"},
    {"op(Tensor x) -> (Tensor,)", 25, "type"},
    {"op(Tensor x) -> int", 17, "output"},
    {"op(Tensor x) -> float", 17, "output"},
    {"op(Tensor x) -> int[]", 17, "output"},
    {"op(Tensor x) -> Tensor?", 23, "end"},
    {"op(Tensor x) -> Scalar!", 23, "end"},
    {"op(Tensor x) -> Tensor a b", 26, "end"},
    {"op(Tensor x) -> Tensor, Tensor", 23, "end"},
    {"op(Tensor x) -> Tensor\n", 23, "end"},
    {"op(Tensor x) -> (Tensor a, Tensor a)", 35, "'a'"},
    {"op(Tensor! x) -> Tensor", 15, "written"},
    {"op(Tensor x) -> Tensor!", 14, "written"},
    {"op(Tensor! x, Tensor! y) -> Tensor!", 26, "written"},
    /* defaults */
    {"op(int k=1, Tensor x) -> Tensor", 20, "default"},
    {"op(int k=1, int j) -> Tensor", 17, "default"},
    {"op(int k=) -> Tensor", 10, "integer"},
    {"op(int k=a) -> Tensor", 10, "integer"},
    {"op(int k=1.5) -> Tensor", 11, "')'"},
    {"op(int k=0x10) -> Tensor", 11, "')'"},
    {"op(int k=True) -> Tensor", 10, "integer"},
    {"op(int k=None) -> Tensor", 10, "optional"},
    {"op(int k=- 1) -> Tensor", 10, "integer"},
    {"op(int k=9223372036854775808) -> Tensor", 10, "64 bits"},
    {"op(int k=-9223372036854775809) -> Tensor", 10, "64 bits"},
    {"op(Scalar k=99999999999999999999) -> Tensor", 13, "64 bits"},
    {"op(float k=) -> Tensor", 12, "number"},
    {"op(float k=one) -> Tensor", 12, "number"},
    {"op(float k=None) -> Tensor", 12, "optional"},
    {"op(bool k=1) -> Tensor", 11, "True or False"},
    {"op(bool k=true) -> Tensor", 11, "True or False"},
    {"op(bool k=Truely) -> Tensor", 15, "')'"},
    {"op(Scalar k=Tru) -> Tensor", 13, "True or False"},
    {"op(Scalar k=x) -> Tensor", 13, "number"},
    {"op(Scalar k=None) -> Tensor", 13, "optional"},
    {"op(dtype k=float33) -> Tensor", 12, "'float33' is no dtype"},
    {"op(dtype k=None) -> Tensor", 12, "optional"},
    {"op(dtype k=3) -> Tensor", 12, "dtype"},
    {"op(str k=abc) -> Tensor", 10, "'''"},
    {"op(str k='abc) -> Tensor", 25, "'''"},
    {"op(str k=None) -> Tensor", 10, "optional"},
    {"op(int[] k=1) -> Tensor", 12, "'['"},
    {"op(int[] k=[1,]) -> Tensor", 15, "integer"},
    {"op(int[] k=[1 2]) -> Tensor", 15, "']'"},
    {"op(int[] k=[1,2) -> Tensor", 16, "']'"},
    {"op(int[] k=[a]) -> Tensor", 13, "integer"},
    {"op(int[] k=None) -> Tensor", 12, "optional"},
    {"op(Tensor x=None) -> Tensor", 13, "optional"},
    {"op(Tensor x=1) -> Tensor", 13, "default"},
    {"op(Tensor? x=1) -> Tensor", 14, "default"},
    {"op(Tensor[] x=[1]) -> Tensor", 15, "a list of tensors has no default but []"},
    {"op(int? k=Nonesuch) -> Tensor", 15, "')'"},
};

START_TEST(each_malformed_schema_is_refused_at_its_column)
{
    const char *text = refused[_i].text;
    ck_assert_msg(!tm_schema_parse(text, &schema, &error), "\"%s\" was accepted", text);
    ck_assert_msg(error.column == refused[_i].column, "\"%s\": column %d (%s), expected %d", text,
                  error.column, error.message, refused[_i].column);
    ck_assert_msg(strstr(error.message, refused[_i].part) != NULL, "\"%s\": \"%s\" lacks \"%s\"",
                  text, error.message, refused[_i].part);
}
END_TEST

START_TEST(registering_a_malformed_schema_fails_with_its_column)
{
    char part[64];
    tm_op_def def = {.struct_size = sizeof def, .schema = refused[_i].text, .contract = TM_VIEW};
    def.meta = (tm_fn)abort;
    snprintf(part, sizeof part, "column %d", refused[_i].column);
    ck_assert_ptr_null(tm_library_register(test_library, &def));
    EXPECT_ERROR(TM_ERR_SCHEMA, part);
}
END_TEST

START_TEST(every_prefix_of_a_schema_is_refused_at_or_before_its_end)
{
    static const char text[] =
        "name.over(Tensor! x, Tensor? y, Tensor[] z, int[]? a=[1, -2], "
        "str s='t', dtype d=int8, Scalar? c=-1.5e3) -> (Tensor! o, Scalar p)";
    parse(text);
    char prefix[sizeof text];
    for (size_t n = 0; n + 1 < sizeof text; n++) {
        memcpy(prefix, text, n);
        prefix[n] = '\0';
        ck_assert_msg(!tm_schema_parse(prefix, &schema, &error), "\"%s\" was accepted", prefix);
        ck_assert_int_ge(error.column, 1);
        ck_assert_msg(error.column <= (int)n + 1, "\"%s\": column %d", prefix, error.column);
        ck_assert_str_ne(error.message, "");
    }
}
END_TEST

/* One character replaced by another at every place: no crash, and an error lies inside. */
START_TEST(mutated_schemas_parse_or_fail_inside_the_text)
{
    static const char text[] = "op(Tensor! x, int[]? a=[1,-2], str s='t', dtype d=int8) -> Tensor!";
    static const char letters[] = "([])!?=,'.- \t\"xN0\x01\x7f\xff";
    char changed[sizeof text];
    for (size_t at = 0; at + 1 < sizeof text; at++)
        for (size_t k = 0; k + 1 < sizeof letters; k++) {
            memcpy(changed, text, sizeof text);
            changed[at] = letters[k];
            if (tm_schema_parse(changed, &schema, &error))
                continue;
            ck_assert_int_ge(error.column, 1);
            ck_assert_int_le(error.column, (int)sizeof text);
        }
}
END_TEST

/* -- Limits ----------------------------------------------------------------------------------- */

static void many_params(char *text, int count)
{
    char *at = text + sprintf(text, "op(");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%sint a%02d", i ? ", " : "", i);
    sprintf(at, ") -> Tensor");
}

START_TEST(as_many_parameters_as_the_header_says)
{
    char text[1024];
    many_params(text, TM_MAX_ARGS);
    parse(text);
    ck_assert_int_eq(schema.num_params, TM_MAX_ARGS);
    ck_assert_str_eq(schema.params[TM_MAX_ARGS - 1].name, "a23");
    many_params(text, TM_MAX_ARGS + 1);
    ck_assert(!tm_schema_parse(text, &schema, &error));
    ck_assert_int_eq(error.column, 4 + TM_MAX_ARGS * 9);
}
END_TEST

START_TEST(as_many_outputs_as_the_header_says)
{
    parse("op(int n) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Scalar)");
    ck_assert_int_eq(schema.num_outputs, TM_MAX_OUTPUTS);
    ck_assert(!tm_schema_parse("op() -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
                               &schema, &error));
    ck_assert_int_eq(error.column, 10 + 6 * 8);
}
END_TEST

START_TEST(overlong_names_and_lists_are_refused)
{
    char text[4096];
    char name[2000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "%s() -> Tensor", name);
    ck_assert(!tm_schema_parse(text, &schema, &error));
    ck_assert_int_eq(error.column, 1);
    snprintf(text, sizeof text, "op(int %s) -> Tensor", name);
    ck_assert(!tm_schema_parse(text, &schema, &error));
    ck_assert_int_eq(error.column, 8);
    snprintf(text, sizeof text, "op(str s='%s') -> Tensor", name);
    ck_assert(!tm_schema_parse(text, &schema, &error));
    char *at = text + sprintf(text, "op(int[] k=[");
    for (int i = 0; i < 200; i++)
        at += sprintf(at, "%d,", i);
    sprintf(at, "1]) -> Tensor");
    ck_assert(!tm_schema_parse(text, &schema, &error));
    ck_assert_int_gt(error.column, 12);
}
END_TEST

/* -- Accepted --------------------------------------------------------------------------------- */

START_TEST(names_and_overloads)
{
    parse("add(Tensor x) -> Tensor");
    ck_assert_str_eq(schema.name, "add");
    ck_assert_str_eq(schema.overload, "");
    parse("_a1_.scalar_2(Tensor x) -> Tensor");
    ck_assert_str_eq(schema.name, "_a1_");
    ck_assert_str_eq(schema.overload, "scalar_2");
    char identifier[32];
    ck_assert_int_eq(tm_schema_identifier(&schema, identifier, sizeof identifier), 13);
    ck_assert_str_eq(identifier, "_a1__scalar_2");
}
END_TEST

START_TEST(spaces_do_not_matter)
{
    parse("  op ( Tensor ?  x , int [ ] k = [ 1 , 2 ] )  ->  ( Tensor  a , Scalar b )  ");
    ck_assert_int_eq(schema.num_params, 2);
    ck_assert(schema.params[0].optional);
    ck_assert_int_eq(schema.params[1].fallback.ints.count, 2);
    ck_assert_int_eq(schema.num_outputs, 2);
    ck_assert_str_eq(schema.outputs[1].name, "b");
    parse("op(Tensor?x,int[]k=[1,2])->(Tensor a,Scalar b)");
    ck_assert_int_eq(schema.num_params, 2);
    ck_assert_str_eq(schema.outputs[0].name, "a");
}
END_TEST

START_TEST(every_type_and_mark)
{
    static const tm_type types[] = {
        TM_TYPE_TENSOR, TM_TYPE_TENSOR,   TM_TYPE_TENSOR,   TM_TYPE_TENSOR_LIST, TM_TYPE_INT,
        TM_TYPE_INT,    TM_TYPE_INT_LIST, TM_TYPE_INT_LIST, TM_TYPE_FLOAT,       TM_TYPE_FLOAT,
        TM_TYPE_BOOL,   TM_TYPE_BOOL,     TM_TYPE_STR,      TM_TYPE_STR,         TM_TYPE_DTYPE,
        TM_TYPE_DTYPE,  TM_TYPE_SCALAR,   TM_TYPE_SCALAR,   TM_TYPE_GENERATOR};
    parse("op(Tensor a, Tensor? b, Tensor! c, Tensor[] d, int e, int? f, int[] g, int[]? h, "
          "float i, float? j, bool k, bool? l, str m, str? n, dtype o, dtype? p, Scalar q, "
          "Scalar? r, Generator? s) -> (Tensor!, Tensor s, Scalar t)");
    ck_assert_int_eq(schema.num_params, COUNT(types));
    for (int i = 0; i < COUNT(types); i++) {
        const tm_param *param = &schema.params[i];
        ck_assert_int_eq(param->type, types[i]);
        ck_assert_int_eq(param->name[0], 'a' + i);
        ck_assert_int_eq(param->optional, strchr("bfhjlnprs", 'a' + i) != NULL);
        ck_assert_int_eq(param->written, i == 2);
        ck_assert(!param->has_default);
    }
    ck_assert(schema.outputs[0].written && !schema.outputs[1].written);
    ck_assert_str_eq(schema.outputs[0].name, "");
    ck_assert_str_eq(schema.outputs[1].name, "s");
    ck_assert_int_eq(schema.outputs[2].type, TM_TYPE_SCALAR);
}
END_TEST

START_TEST(defaults_of_every_type)
{
    parse(
        "op(int a=-3, float b=2.5, bool c=True, str d='it is', dtype e=bfloat16, int[] f=[4, -5], "
        "int[] g=[], Scalar h=7, Scalar i=0.5, Scalar j=False, float k=inf, str l='', Tensor[] "
        "m=[]) -> Tensor");
    const tm_param *p = schema.params;
    for (int i = 0; i < schema.num_params; i++)
        ck_assert(p[i].has_default);
    ck_assert_int_eq(p[0].fallback.i, -3);
    ck_assert_double_eq(p[1].fallback.f, 2.5);
    ck_assert(p[2].fallback.b);
    ck_assert_str_eq(p[3].fallback.str, "it is");
    ck_assert_int_eq(p[4].fallback.dtype, TM_BFLOAT16);
    ck_assert_int_eq(p[5].fallback.ints.count, 2);
    ck_assert_int_eq(p[5].fallback.ints.data[1], -5);
    ck_assert_int_eq(p[6].fallback.ints.count, 0);
    ck_assert_int_eq(p[7].fallback.scalar.kind, TM_KIND_INT);
    ck_assert_int_eq(p[7].fallback.scalar.value.i, 7);
    ck_assert_int_eq(p[8].fallback.scalar.kind, TM_KIND_FLOAT);
    ck_assert_double_eq(p[8].fallback.scalar.value.f, 0.5);
    ck_assert_int_eq(p[9].fallback.scalar.kind, TM_KIND_BOOL);
    ck_assert(!p[9].fallback.scalar.value.b);
    ck_assert(isinf(p[10].fallback.f));
    ck_assert_str_eq(p[11].fallback.str, "");
    ck_assert_int_eq(p[12].fallback.tensors.count, 0);
    ck_assert_ptr_null(p[12].fallback.tensors.data);
}
END_TEST

START_TEST(scalar_defaults_keep_their_kind)
{
    parse("op(Scalar a=-2, Scalar b=-2.0, Scalar c=1e3, Scalar d=.5, Scalar e=True, "
          "Scalar f=-9223372036854775808, Scalar g=nan, Scalar h=-inf) -> Tensor");
    const tm_param *p = schema.params;
    static const tm_kind kinds[] = {TM_KIND_INT,  TM_KIND_FLOAT, TM_KIND_FLOAT, TM_KIND_FLOAT,
                                    TM_KIND_BOOL, TM_KIND_INT,   TM_KIND_FLOAT, TM_KIND_FLOAT};
    for (int i = 0; i < COUNT(kinds); i++)
        ck_assert_msg(p[i].fallback.scalar.kind == kinds[i], "default %d has another kind", i);
    ck_assert_int_eq(p[5].fallback.scalar.value.i, INT64_MIN);
    ck_assert_double_nan(p[6].fallback.scalar.value.f);
    ck_assert_double_eq(p[2].fallback.scalar.value.f, 1000);
}
END_TEST

START_TEST(optional_defaults_are_pointers)
{
    parse("op(int? a=3, float? b=1.5, bool? c=False, int[]? d=[1, 2], Scalar? e=2, str? f='s', "
          "dtype? g=int8) -> Tensor");
    const tm_param *p = schema.params;
    ck_assert_int_eq(*(const int64_t *)p[0].fallback.opt, 3);
    ck_assert_double_eq(*(const double *)p[1].fallback.opt, 1.5);
    ck_assert(!*(const bool *)p[2].fallback.opt);
    ck_assert_int_eq(((const tm_int_list *)p[3].fallback.opt)->data[1], 2);
    ck_assert_int_eq(((const tm_scalar *)p[4].fallback.opt)->value.i, 2);
    ck_assert_str_eq((const char *)p[5].fallback.opt, "s");
    ck_assert_int_eq(p[6].fallback.dtype, TM_INT8);
}
END_TEST

START_TEST(none_as_a_default)
{
    parse("op(Tensor? a=None, int? b=None, int[]? c=None, float? d=None, bool? e=None, "
          "str? f=None, dtype? g=None, Scalar? h=None, Generator? i=None) -> Tensor");
    const tm_param *p = schema.params;
    ck_assert_ptr_eq(p[0].fallback.tensor, TM_NONE);
    for (int i = 1; i < 6; i++)
        ck_assert_ptr_null(p[i].fallback.opt);
    ck_assert_int_eq(p[6].fallback.dtype, TM_DTYPE_NONE);
    ck_assert_ptr_null(p[7].fallback.opt);
    ck_assert_ptr_null(p[8].fallback.generator);
}
END_TEST

static tm_status no_meta(tm_call *call)
{
    return tm_output(call, 0, TM_FLOAT32, 0, NULL);
}

START_TEST(registered_schemas_come_back_as_they_were_written)
{
    static const char text[] = "round_trip.one(int a=-3, float b=2.5,  bool c=True, str d='x, y', "
                               "int[]? e=[4, -5]) -> (Tensor o, Tensor p)";
    const tm_op *op = OP(.schema = text, .contract = TM_COMPOSITE, .meta = (tm_fn)no_meta,
                         .impl = (tm_fn)no_meta);
    ck_assert_str_eq(tm_op_schema(op), text);
    ck_assert_str_eq(tm_op_name(op), "round_trip");
    ck_assert_str_eq(tm_op_overload(op), "one");
    ck_assert_int_eq(tm_op_num_params(op), 5);
    ck_assert_int_eq(tm_op_num_outputs(op), 2);
    ck_assert_str_eq(tm_op_param(op, 3)->fallback.str, "x, y");
    ck_assert_int_eq(tm_op_output_type(op, 1), TM_TYPE_TENSOR);
}
END_TEST

START_TEST(every_registered_schema_parses_again_to_the_same)
{
    for (int64_t i = 0; i < tm_op_count(); i++) {
        const tm_op *op = tm_op_at(i);
        parse(tm_op_schema(op));
        ck_assert_str_eq(schema.name, tm_op_name(op));
        ck_assert_str_eq(schema.overload, tm_op_overload(op));
        ck_assert_int_eq(schema.num_params, tm_op_num_params(op));
        ck_assert_int_eq(schema.num_outputs, tm_op_num_outputs(op));
        for (int k = 0; k < schema.num_params; k++) {
            const tm_param *param = tm_op_param(op, k);
            ck_assert_str_eq(schema.params[k].name, param->name);
            ck_assert_int_eq(schema.params[k].type, param->type);
            ck_assert_int_eq(schema.params[k].optional, param->optional);
            ck_assert_int_eq(schema.params[k].written, param->written);
            ck_assert_int_eq(schema.params[k].has_default, param->has_default);
        }
    }
}
END_TEST

Suite *schema_suite(void)
{
    const TTest *tests[] = {every_prefix_of_a_schema_is_refused_at_or_before_its_end,
                            mutated_schemas_parse_or_fail_inside_the_text,
                            as_many_parameters_as_the_header_says,
                            as_many_outputs_as_the_header_says,
                            overlong_names_and_lists_are_refused,
                            names_and_overloads,
                            spaces_do_not_matter,
                            every_type_and_mark,
                            defaults_of_every_type,
                            scalar_defaults_keep_their_kind,
                            optional_defaults_are_pointers,
                            none_as_a_default,
                            registered_schemas_come_back_as_they_were_written,
                            every_registered_schema_parses_again_to_the_same};
    const TTest *each[] = {each_malformed_schema_is_refused_at_its_column,
                           registering_a_malformed_schema_fails_with_its_column};
    Suite *suite = test_suite("schema", tests, COUNT(tests));
    test_suite_loop(suite, each, COUNT(each), COUNT(refused));
    return suite;
}
