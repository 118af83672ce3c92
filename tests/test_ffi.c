/* test_ffi.c: kernels registered at run time as plain C functions of every type that a schema can
 * name: what arrives is what was given, alone and under vmap.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "support.h"

/* Metas and kernels of these tests write the arguments they see here; both must see the same. */
static char seen[1024];

static void note(const char *format, ...) TM_PRINTF(1, 2);

static void note(const char *format, ...)
{
    size_t used = strlen(seen);
    va_list list;
    va_start(list, format);
    vsnprintf(seen + used, sizeof seen - used, format, list);
    va_end(list);
}

/* Meta and kernel have each noted `text`; the kernel once for each example. */
static void expect_seen(const char *text, int times)
{
    char expected[1024] = "";
    for (int i = 0; i < times; i++)
        strncat(expected, text, sizeof expected - strlen(expected) - 1);
    ck_assert_str_eq(seen, expected);
    seen[0] = '\0';
}

static tm_status one_number(tm_call *call)
{
    return tm_output(call, 0, TM_FLOAT32, 0, NULL);
}

static tm_status write_number(tm_tensor *out)
{
    *(float *)tm_mutable_data(out) = 1;
    return TM_OK;
}

/* Registers `schema` with the pair of functions that CASE defines. */
#define REGISTER(text, name)                                                                       \
    OP(.schema = text, .contract = TM_PER_EXAMPLE, .meta = (tm_fn)name##_meta,                     \
       .impl = (tm_fn)name##_impl)

/* A meta and a kernel for one C type; `show` notes the argument x. */
#define CASE(name, type, show)                                                                     \
    static tm_status name##_meta(tm_call *call, type x)                                            \
    {                                                                                              \
        show;                                                                                      \
        return one_number(call);                                                                   \
    }                                                                                              \
    static tm_status name##_impl(tm_call *call, type x, tm_tensor *out)                            \
    {                                                                                              \
        (void)call;                                                                                \
        show;                                                                                      \
        return write_number(out);                                                                  \
    }

CASE(int_, int64_t, note("%lld;", (long long)x))
CASE(float_, double, note("%g;", x))
CASE(bool_, bool, note("%d;", x))
CASE(str_, const char *, note("%s;", x ? x : "NULL"))
CASE(dtype_, tm_dtype, note("%s;", tm_dtype_name(x)))

static void note_ints(tm_int_list x)
{
    for (int64_t i = 0; i < x.count; i++)
        note("%lld,", (long long)x.data[i]);
    note(";");
}

CASE(ints_, tm_int_list, note_ints(x))

static void note_scalar(tm_scalar x)
{
    switch (x.kind) {
    case TM_KIND_BOOL:
        note("b%d;", x.value.b);
        break;
    case TM_KIND_INT:
        note("i%lld;", (long long)x.value.i);
        break;
    case TM_KIND_FLOAT:
        note("f%g;", x.value.f);
        break;
    default:
        note("c%g,%g;", x.value.c.re, x.value.c.im);
    }
}

CASE(scalar_, tm_scalar, note_scalar(x))
CASE(opt_int_, const int64_t *, x ? note("%lld;", (long long)*x) : note("absent;"))
CASE(opt_float_, const double *, x ? note("%g;", *x) : note("absent;"))
CASE(opt_bool_, const bool *, x ? note("%d;", *x) : note("absent;"))
CASE(opt_ints_, const tm_int_list *, x ? note_ints(*x) : note("absent;"))
CASE(opt_scalar_, const tm_scalar *, x ? note_scalar(*x) : note("absent;"))

static void note_shape(const tm_tensor *x)
{
    char text[64] = "absent";
    if (x != TM_NONE)
        tm_format_shape(text, sizeof text, tm_ndim(x), tm_shape(x));
    note("%s;", text);
}

CASE(tensor_, const tm_tensor *, note_shape(x))

static void note_list(tm_tensor_list x)
{
    for (int64_t i = 0; i < x.count; i++)
        note_shape(x.data[i]);
    note(".");
}

CASE(list_, tm_tensor_list, note_list(x))

/* -- One type at a time ------------------------------------------------------------------------ */

START_TEST(an_int)
{
    const tm_op *op = REGISTER("ffi_int(int x) -> Tensor", int_);
    static const int64_t values[] = {0, -1, INT64_MAX, INT64_MIN};
    for (int i = 0; i < COUNT(values); i++) {
        char text[32];
        snprintf(text, sizeof text, "%lld;", (long long)values[i]);
        EXPECT_F32(CALL(op, {.i = values[i]}), tm_no_ints, 1);
        expect_seen(text, 2);
    }
}
END_TEST

START_TEST(a_float)
{
    const tm_op *op = REGISTER("ffi_float(float x) -> Tensor", float_);
    MADE(CALL(op, {.f = -2.5}));
    expect_seen("-2.5;", 2);
    MADE(CALL(op, {.f = INFINITY}));
    expect_seen("inf;", 2);
}
END_TEST

START_TEST(a_bool)
{
    const tm_op *op = REGISTER("ffi_bool(bool x) -> Tensor", bool_);
    MADE(CALL(op, {.b = true}));
    expect_seen("1;", 2);
    MADE(CALL(op, {.b = false}));
    expect_seen("0;", 2);
}
END_TEST

START_TEST(a_string)
{
    const tm_op *op = REGISTER("ffi_str(str x) -> Tensor", str_);
    MADE(CALL(op, {.str = "two words"}));
    expect_seen("two words;", 2);
    MADE(CALL(op, {.str = ""}));
    expect_seen(";", 2);
    EXPECT_NULL(CALL(op, {.str = NULL}), TM_ERR_USAGE, "ffi_str: x|NULL");
    const tm_op *optional = REGISTER("ffi_opt_str(str? x) -> Tensor", str_);
    MADE(CALL(optional, {.opt = "given"}));
    expect_seen("given;", 2);
    MADE(CALL(optional, {.opt = NULL}));
    expect_seen("NULL;", 2);
}
END_TEST

START_TEST(a_dtype)
{
    const tm_op *op = REGISTER("ffi_dtype(dtype x) -> Tensor", dtype_);
    MADE(CALL(op, {.dtype = TM_BFLOAT16}));
    expect_seen("bfloat16;", 2);
    const tm_op *optional = REGISTER("ffi_opt_dtype(dtype? x) -> Tensor", dtype_);
    MADE(CALL(optional, {.dtype = TM_DTYPE_NONE}));
    expect_seen("none;", 2);
    MADE(CALL(optional, {.dtype = TM_COMPLEX128}));
    expect_seen("complex128;", 2);
}
END_TEST

START_TEST(a_list_of_ints)
{
    const tm_op *op = REGISTER("ffi_ints(int[] x) -> Tensor", ints_);
    MADE(CALL(op, {.ints = TM_INTS(3, -4, 5)}));
    expect_seen("3,-4,5,;", 2);
    MADE(CALL(op, {.ints = tm_no_ints}));
    expect_seen(";", 2);
    EXPECT_NULL(CALL(op, {.ints = {NULL, 2}}), TM_ERR_USAGE, "ffi_ints: x");
    EXPECT_NULL(CALL(op, {.ints = {&(const int64_t){1}, -1}}), TM_ERR_USAGE, "ffi_ints: x");
    const tm_op *optional = REGISTER("ffi_opt_ints(int[]? x) -> Tensor", opt_ints_);
    MADE(CALL(optional, {.opt = &TM_INTS(7)}));
    expect_seen("7,;", 2);
    MADE(CALL(optional, {.opt = NULL}));
    expect_seen("absent;", 2);
}
END_TEST

START_TEST(a_scalar_of_every_kind)
{
    const tm_op *op = REGISTER("ffi_scalar(Scalar x) -> Tensor", scalar_);
    MADE(CALL(op, {.scalar = tm_scalar_bool(true)}));
    expect_seen("b1;", 2);
    MADE(CALL(op, {.scalar = tm_scalar_int(INT64_MIN)}));
    expect_seen("i-9223372036854775808;", 2);
    MADE(CALL(op, {.scalar = tm_scalar_float(0.25)}));
    expect_seen("f0.25;", 2);
    MADE(CALL(op, {.scalar = tm_scalar_complex(1, -2)}));
    expect_seen("c1,-2;", 2);
    const tm_op *optional = REGISTER("ffi_opt_scalar(Scalar? x) -> Tensor", opt_scalar_);
    const tm_scalar three = tm_scalar_int(3);
    MADE(CALL(optional, {.opt = &three}));
    expect_seen("i3;", 2);
    MADE(CALL(optional, {.opt = NULL}));
    expect_seen("absent;", 2);
}
END_TEST

START_TEST(optional_numbers)
{
    const tm_op *i = REGISTER("ffi_opt_int(int? x) -> Tensor", opt_int_);
    const tm_op *f = REGISTER("ffi_opt_float(float? x) -> Tensor", opt_float_);
    const tm_op *b = REGISTER("ffi_opt_bool(bool? x) -> Tensor", opt_bool_);
    MADE(CALL(i, {.opt = TM_SOME(int64_t, -6)}));
    MADE(CALL(f, {.opt = TM_SOME(double, 1.5)}));
    MADE(CALL(b, {.opt = TM_SOME(bool, true)}));
    ck_assert_str_eq(seen, "-6;-6;1.5;1.5;1;1;");
    seen[0] = '\0';
    MADE(CALL(i, {.opt = NULL}));
    MADE(CALL(f, {.opt = NULL}));
    MADE(CALL(b, {.opt = NULL}));
    expect_seen("absent;", 6);
}
END_TEST

START_TEST(tensors_present_and_absent)
{
    const tm_op *op = REGISTER("ffi_tensor(Tensor x) -> Tensor", tensor_);
    const tm_op *optional = REGISTER("ffi_opt_tensor(Tensor? x) -> Tensor", tensor_);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    MADE(CALL(op, {.tensor = x}));
    expect_seen("(2, 3);", 2);
    EXPECT_NULL(CALL(op, {.tensor = TM_NONE}), TM_ERR_USAGE, "ffi_tensor: x|TM_NONE");
    MADE(CALL(optional, {.tensor = x}));
    expect_seen("(2, 3);", 2);
    MADE(CALL(optional, {.tensor = TM_NONE}));
    expect_seen("absent;", 2);
    EXPECT_NULL(CALL(optional, {.tensor = NULL}), TM_ERR_USAGE, "ffi_opt_tensor: x is NULL");
    tm_vmap_level *v = tm_vmap_push(NULL);
    MADE(CALL(optional, {.tensor = MADE(tm_vmap_in(v, x, 1))}));
    expect_seen("(2,);", 4); /* meta once, the kernel for each of three examples */
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

START_TEST(a_list_of_tensors)
{
    const tm_op *op = REGISTER("ffi_list(Tensor[] x) -> Tensor", list_);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3)), *y = test_f32_scalar(1);
    MADE(CALL(op, {.tensors = TM_TENSORS(x, y)}));
    expect_seen("(2, 3);();.", 2);
    MADE(CALL(op, {.tensors = {NULL, 0}}));
    expect_seen(".", 2);
    tm_vmap_level *v = tm_vmap_push(NULL);
    MADE(CALL(op, {.tensors = TM_TENSORS(y, MADE(tm_vmap_in(v, x, 0)), y)}));
    expect_seen("();(3,);();.", 3);
    EXPECT_OK(tm_vmap_pop(v));
}
END_TEST

/* -- All at once ------------------------------------------------------------------------------- */

/* More arguments than registers, in mixed order, so that some of each kind go by the stack. */
#define MIXED                                                                                      \
    int64_t a, const tm_tensor *b, double c, tm_int_list d, bool e, tm_scalar f, const char *g,    \
        tm_dtype h, tm_tensor_list i, const int64_t *j, double k, const tm_tensor *l, bool m,      \
        const tm_scalar *n, const double *o, double p, double q, double r, double s, double t,     \
        double u, int64_t v, bool w, tm_dtype x

static const char mixed_schema[] =
    "ffi_mixed(int a, Tensor b, float c, int[] d, bool e, Scalar f, str g, dtype h, Tensor[] i, "
    "int? j, float k, Tensor? l, bool m, Scalar? n, float? o, float p, float q, float r, float s, "
    "float t, float u, int v, bool w, dtype x) -> (Tensor first, Tensor second)";

static void note_mixed(MIXED)
{
    note("%lld %d %g %d:%lld %d ", (long long)a, tm_ndim(b), c, (int)d.count, (long long)d.data[1],
         e);
    note_scalar(f);
    note("%s %s %d %lld %g %d %d ", g, tm_dtype_name(h), (int)i.count, (long long)*j, k,
         l == TM_NONE, m);
    note_scalar(*n);
    note("%g %g %g %g %g %g %g %lld %d %s|", *o, p, q, r, s, t, u, (long long)v, w,
         tm_dtype_name(x));
}

static tm_status mixed_meta(tm_call *call, MIXED)
{
    note_mixed(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
    tm_status status = tm_output(call, 0, TM_FLOAT32, 0, NULL);
    return status == TM_OK ? tm_output(call, 1, TM_FLOAT64, 0, NULL) : status;
}

static tm_status mixed_impl(tm_call *call, MIXED, tm_tensor *first, tm_tensor *second)
{
    (void)call;
    note_mixed(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
    *(float *)tm_mutable_data(first) = (float)a;
    *(double *)tm_mutable_data(second) = u;
    return TM_OK;
}

START_TEST(twenty_four_mixed_arguments_and_two_outputs)
{
    const tm_op *op = OP(.schema = mixed_schema, .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)mixed_meta, .impl = (tm_fn)mixed_impl, .no_forms = true);
    ck_assert_int_eq(tm_op_num_params(op), TM_MAX_ARGS);
    tm_tensor *x = test_iota(TM_FLOAT32, TM_INTS(2, 3));
    const tm_scalar scalar = tm_scalar_complex(5, 6);
    const tm_value args[] = {{.i = 1},
                             {.tensor = x},
                             {.f = 2.5},
                             {.ints = TM_INTS(10, 11, 12)},
                             {.b = true},
                             {.scalar = tm_scalar_int(-4)},
                             {.str = "text"},
                             {.dtype = TM_UINT8},
                             {.tensors = TM_TENSORS(x, x)},
                             {.opt = TM_SOME(int64_t, 77)},
                             {.f = 3.5},
                             {.tensor = TM_NONE},
                             {.b = false},
                             {.opt = &scalar},
                             {.opt = TM_SOME(double, 8.25)},
                             {.f = 1},
                             {.f = 2},
                             {.f = 3},
                             {.f = 4},
                             {.f = 5},
                             {.f = 6},
                             {.i = -9},
                             {.b = true},
                             {.dtype = TM_INT64}};
    tm_value results[2];
    EXPECT_OK(tm_op_call(op, args, COUNT(args), results, 2));
    expect_seen("1 2 2.5 3:11 1 i-4;text uint8 2 77 3.5 1 0 c5,6;8.25 1 2 3 4 5 6 -9 1 int64|", 2);
    EXPECT_F32(results[0].tensor, tm_no_ints, 1);
    EXPECT(results[1].tensor, TM_FLOAT64, tm_no_ints, 6);
}
END_TEST

/* -- Calls with a wrong number of arguments
 * --------------------------------------------------------- */

START_TEST(the_counts_of_a_call_are_checked)
{
    const tm_op *op = REGISTER("ffi_int(int x) -> Tensor", int_);
    const tm_value args[2] = {{.i = 1}, {.i = 2}};
    tm_value results[2];
    EXPECT_FAIL(tm_op_call(op, args, 0, results, 1), TM_ERR_USAGE, "ffi_int: |1|0");
    EXPECT_FAIL(tm_op_call(op, args, 2, results, 1), TM_ERR_USAGE, "ffi_int: |1|2");
    EXPECT_FAIL(tm_op_call(op, args, -1, results, 1), TM_ERR_USAGE, "ffi_int: |1|-1");
    EXPECT_FAIL(tm_op_call(op, args, 1, results, 0), TM_ERR_USAGE, "ffi_int: |1|0");
    EXPECT_FAIL(tm_op_call(op, args, 1, results, 2), TM_ERR_USAGE, "ffi_int: |1|2");
    EXPECT_FAIL(tm_op_call(op, NULL, 1, results, 1), TM_ERR_USAGE, "");
    EXPECT_FAIL(tm_op_call(op, args, 1, NULL, 1), TM_ERR_USAGE, "");
    tm_spec specs[2];
    EXPECT_FAIL(tm_infer(op, args, 0, specs, 1), TM_ERR_USAGE, "ffi_int");
    EXPECT_FAIL(tm_infer(op, args, 1, specs, 2), TM_ERR_USAGE, "ffi_int");
    ck_assert_str_eq(seen, "");
}
END_TEST

Suite *ffi_suite(void)
{
    const TTest *tests[] = {an_int,
                            a_float,
                            a_bool,
                            a_string,
                            a_dtype,
                            a_list_of_ints,
                            a_scalar_of_every_kind,
                            optional_numbers,
                            tensors_present_and_absent,
                            a_list_of_tensors,
                            twenty_four_mixed_arguments_and_two_outputs,
                            the_counts_of_a_call_are_checked};
    return test_suite("ffi", tests, COUNT(tests));
}
