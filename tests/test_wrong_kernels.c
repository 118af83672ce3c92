/* test_wrong_kernels.c: metas and kernels that do what they may not are told so: the call fails
 * with what is wrong, and nothing else comes of it.
 */
#include <string.h>

#include "support.h"

static tm_status like_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}

static tm_status no_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call, (void)ptr, (void)step, (void)n;
    return TM_OK;
}
static tm_status no_reduce(tm_call *call, const tm_reduce_args *args)
{
    (void)call, (void)args;
    return TM_OK;
}
static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, no_loop}, {0}};
static const tm_reduce_loop reduce_loops[] = {{TM_FLOAT32, TM_FLOAT32, no_reduce}, {0}};

/* -- A kernel that calls what is for metas ------------------------------------------------------
 */

static int asked;

static tm_status late_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)out;
    switch (asked) {
    case 0:
        return tm_elementwise_meta(call, loops);
    case 1:
        return tm_elementwise_loop(call, no_loop, 1, (const tm_dtype[]){TM_FLOAT32});
    case 2:
        return tm_reduction_meta(call, x, 1, false, reduce_loops);
    case 3:
        return tm_reduction_meta_in(call, x, TM_FLOAT32, 1, false, reduce_loops);
    case 4:
        return tm_core_axes(call, 0, 1, (const int64_t[]){0});
    case 5:
        return tm_output_count(call, 1);
    case 6:
        return tm_output_like(call, 0, x);
    default:
        return tm_params(call, 8) ? TM_OK : TM_ERR_USAGE;
    }
}

START_TEST(kernels_cannot_do_what_metas_do)
{
    const tm_op *op = OP(.schema = "wk_late(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)like_meta, .impl = (tm_fn)late_impl);
    static const char *const names[] = {
        "tm_elementwise_meta", "tm_elementwise_loop", "tm_reduction_meta", "tm_reduction_meta_in",
        "tm_core_axes",        "tm_output_count",     "tm_output",         "tm_params"};
    for (asked = 0; asked < COUNT(names); asked++)
        EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_USAGE, names[asked]);
}
END_TEST

/* -- Metas that describe what cannot be ---------------------------------------------------------
 */

static tm_status no_view_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}
static tm_status outside_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_view(call, 0, x, 1, (const int64_t[]){2}, (const int64_t[]){1}, 1);
}

START_TEST(views_are_of_something_and_inside_it)
{
    const tm_op *of_nothing = OP(.schema = "wk_nothing(Tensor x) -> Tensor", .contract = TM_VIEW,
                                 .meta = (tm_fn)no_view_meta);
    const tm_op *outside = OP(.schema = "wk_outside(Tensor x) -> Tensor", .contract = TM_VIEW,
                              .meta = (tm_fn)outside_meta);
    EXPECT_NULL(CALL(of_nothing, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_SCHEMA,
                "does not say what output 0 is a view of");
    EXPECT_NULL(CALL(outside, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_SCHEMA,
                "leaves the storage");
}
END_TEST

static tm_status many_meta(tm_call *call, const tm_tensor *x)
{
    tm_dtype dtypes[100];
    for (int k = 0; k < COUNT(dtypes); k++)
        dtypes[k] = TM_FLOAT32;
    tm_status status = tm_elementwise_loop(call, no_loop, asked, dtypes);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

START_TEST(a_loop_has_as_many_operands_as_the_call)
{
    const tm_op *op = OP(.schema = "wk_many(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE,
                         .meta = (tm_fn)many_meta, .loops = loops);
    asked = 100;
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_SCHEMA,
                "meta sets 100 operands for a loop");
    asked = 3;
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), TM_ERR_SCHEMA,
                "meta set 3 operands for the loop, there are 2");
}
END_TEST

/* -- Outputs that a kernel states ----------------------------------------------------------------
 */

static tm_status dynamic_meta(tm_call *call, const tm_tensor *x)
{
    (void)x;
    return tm_output(call, 0, TM_FLOAT32, 2, (const int64_t[]){TM_DYNAMIC, 3});
}
static tm_status dynamic_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)x, (void)out;
    static const int64_t shapes[][2] = {{2, 4}, {-1, 3}, {2, 3}};
    return asked == 3 ? tm_output_alloc(call, 7, 2, shapes[2])
                      : tm_output_alloc(call, 0, asked == 4 ? 1 : 2, shapes[asked % 4]);
}

START_TEST(a_stated_shape_is_meta_s)
{
    const tm_op *op = OP(.schema = "wk_dynamic(Tensor x) -> Tensor", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)dynamic_meta, .impl = (tm_fn)dynamic_impl);
    const tm_tensor *x = F32(TM_INTS(2), 1, 2);
    for (asked = 0; asked < 2; asked++)
        EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_SCHEMA,
                    "output 0 must have shape|as meta said");
    asked = 2;
    EXPECT_SHAPE(CALL(op, {.tensor = x}), TM_FLOAT32, TM_INTS(2, 3));
    asked = 3;
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_SCHEMA, "7");
    asked = 4;
    EXPECT_NULL(CALL(op, {.tensor = x}), TM_ERR_SCHEMA, "output 0 must have shape");
}
END_TEST

static tm_status host_meta(tm_call *call, const tm_tensor *x)
{
    (void)call, (void)x;
    return TM_OK;
}
static tm_status host_impl(tm_call *call, const tm_tensor *x, tm_scalar *out)
{
    (void)x, (void)out;
    return tm_output_scalar(call, asked, (tm_scalar){.kind = (tm_kind)(asked ? 1 : 9)});
}

START_TEST(a_host_value_is_a_number)
{
    const tm_op *op = OP(.schema = "wk_host(Tensor x) -> Scalar", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)host_meta, .impl = (tm_fn)host_impl);
    for (asked = 0; asked < 2; asked++) {
        tm_value result;
        EXPECT_FAIL(
            tm_op_call(op, (const tm_value[]){{.tensor = F32(TM_INTS(1), 1)}}, 1, &result, 1),
            TM_ERR_SCHEMA, asked ? "1" : "is no number");
    }
}
END_TEST

/* -- Definitions ---------------------------------------------------------------------------------
 */

START_TEST(contracts_that_a_schema_does_not_fit)
{
    const struct {
        const char *schema, *part;
        tm_contract contract;
    } wrong[] = {
        {"wk_two(Tensor x1, Tensor x2) -> Tensor", "takes one tensor", TM_REDUCTION},
        {"wk_list(Tensor[] xs) -> Tensor", "takes one tensor", TM_REDUCTION},
        {"wk_maybe(Tensor? x=None) -> Tensor", "takes one tensor", TM_REDUCTION},
        {"wk_pair(Tensor x) -> (Tensor a, Tensor b)", "takes one tensor", TM_REDUCTION},
        {"wk_view(Tensor! x) -> Tensor!", "writes no argument", TM_VIEW},
    };
    for (int i = 0; i < COUNT(wrong); i++) {
        const tm_op_def def = {sizeof def,
                               wrong[i].schema,
                               wrong[i].contract,
                               .meta = (tm_fn)like_meta,
                               .impl = (tm_fn)late_impl,
                               .reduce = wrong[i].contract == TM_REDUCTION ? reduce_loops : NULL};
        EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA, wrong[i].part);
    }
}
END_TEST

Suite *wrong_kernels_suite(void)
{
    const TTest *const tests[] = {kernels_cannot_do_what_metas_do,
                                  views_are_of_something_and_inside_it,
                                  a_loop_has_as_many_operands_as_the_call,
                                  a_stated_shape_is_meta_s,
                                  a_host_value_is_a_number,
                                  contracts_that_a_schema_does_not_fit};
    return test_suite("wrong_kernels", tests, COUNT(tests));
}
