/* test_ffi.c: kernels registered at run time as plain C functions of every type that a schema can
 * name: what arrives is what was given, alone and under vmap, through every contract.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
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

/* -- One type at a time ---------------------------------------------------------------------------
 */

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

/* -- All at once ----------------------------------------------------------------------------------
 */

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

/* -- Written arguments, composites, views, data-dependent ops
 * -------------------------------------- */

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
        OP(.schema = "ffi_scale_(Tensor! x, float by) -> Tensor!", .contract = TM_PER_EXAMPLE,
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
        OP(.schema = "ffi_both(Tensor x, Scalar? by=None) -> (Tensor sum, Tensor "
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
    const tm_op *op = OP(.schema = "ffi_wrong(Tensor x) -> Tensor", .contract = TM_COMPOSITE,
                         .meta = (tm_fn)same_meta, .impl = (tm_fn)wrong_shape_impl);
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_SCHEMA,
                "ffi_wrong: output 0|(2,)|()");
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
    const tm_op *op = OP(.schema = "ffi_diagonal(Tensor x, int offset=0) -> Tensor",
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
    const tm_op *op = OP(.schema = "ffi_flatten(Tensor x) -> Tensor", .contract = TM_VIEW_OR_COPY,
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
        OP(.schema = "ffi_positive(Tensor x) -> Tensor", .contract = TM_DATA_DEPENDENT,
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
    EXPECT_NULL(CALL(op, {.tensor = row}), TM_ERR_VMAP, "ffi_positive: x");
    EXPECT(CALL(op, {.tensor = x}), TM_INT64, TM_INTS(2), 0, 3); /* not mapped: once */
    EXPECT_OK(tm_vmap_pop(v));
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
    const tm_op *op = OP(.schema = "ffi_first(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)first_meta, .impl = (tm_fn)first_impl);
    tm_tensor *x = F32(TM_INTS(2), 2.5, 3);
    tm_value result;
    EXPECT_OK(tm_op_call(op, (const tm_value[]){{.tensor = x}}, 1, &result, 1));
    ck_assert_int_eq(result.scalar.kind, TM_KIND_FLOAT);
    ck_assert_double_eq(result.scalar.value.f, 2.5);
    ck_assert_int_eq(tm_op_output_type(op, 0), TM_TYPE_SCALAR);
    tm_vmap_level *v = tm_vmap_push(NULL);
    const tm_value mapped[] = {{.tensor = MADE(tm_vmap_in(v, x, 0))}};
    EXPECT_FAIL(tm_op_call(op, mapped, 1, &result, 1), TM_ERR_VMAP, "ffi_first: x|tm_vmap_out");
    EXPECT_OK(tm_vmap_pop(v));
    const tm_op *lazy = OP(.schema = "ffi_lazy(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                           .meta = (tm_fn)first_meta, .impl = (tm_fn)no_scalar_impl);
    EXPECT_FAIL(tm_op_call(lazy, (const tm_value[]){{.tensor = x}}, 1, &result, 1), TM_ERR_SCHEMA,
                "ffi_lazy: ");
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
    const tm_op *op = OP(.schema = "ffi_first(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)first_meta, .impl = (tm_fn)first_impl);
    tm_value result;
    tm_tensor *x = F32(TM_INTS(2), 2.5, 3);
    tm_mode *mode = tm_mode_push(&lazy, NULL);
    EXPECT_FAIL(tm_op_call(op, (const tm_value[]){{.tensor = x}}, 1, &result, 1), TM_ERR_SCHEMA,
                "ffi_first: output 0");
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
    const tm_op *op = OP(.schema = "ffi_mean(Tensor x, int[]? axis=None, bool keepdims=False) -> "
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
    const tm_op *out_op = tm_op_find("ffi_mean_out", NULL);
    ck_assert_ptr_eq(CALL(out_op, {.tensor = F32(TM_INTS(2, 2), 1, 3, 5, 9)}, {.opt = &TM_INTS(1)},
                          {.b = false}, {.tensor = out}),
                     out);
    EXPECT_F32(out, TM_INTS(2), 2, 7);
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
                            a_written_tensor_is_the_output,
                            a_composite_gets_places_for_its_outputs,
                            a_composite_must_return_what_meta_said,
                            a_view_is_its_meta_alone,
                            view_or_copy_decides_from_logical_strides,
                            a_data_dependent_op_states_its_shape,
                            a_host_value_is_a_scalar,
                            a_handler_cannot_leave_a_host_value_unset,
                            a_reduction_with_the_shared_meta,
                            the_counts_of_a_call_are_checked};
    return test_suite("ffi", tests, COUNT(tests));
}
