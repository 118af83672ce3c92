/* test_wrong_numbers.c: what metas, kernels and declarations count or name by number, out of range:
 * each is refused in words, alone and mapped alike, and nothing is read or written by it.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "support.h"

static int asked;

static tm_status like_meta(tm_call *call, const tm_tensor *x)
{
    return tm_output_like(call, 0, x);
}
static tm_status copy_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    (void)call;
    for (int64_t i = 0; i < tm_numel(x); i++)
        ((float *)tm_mutable_data(out))[i] = ((const float *)tm_data(x))[i];
    return TM_OK;
}
static tm_status no_reduce(tm_call *call, const tm_reduce_args *args)
{
    (void)call, (void)args;
    return TM_OK;
}
static const tm_reduce_loop reduce_loops[] = {{TM_FLOAT32, TM_FLOAT32, no_reduce}, {0}};

/* Fails with that code and those words: alone, and for each of two examples. */
static void refused(const tm_op *op, tm_status code, const char *parts)
{
    EXPECT_NULL(CALL(op, {.tensor = F32(TM_INTS(2), 1, 2)}), code, parts);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = MADE(tm_vmap_in(v, F32(TM_INTS(2, 2), 1, 2, 3, 4), 0));
    EXPECT_NULL(CALL(op, {.tensor = row}), code, parts);
    EXPECT_OK(tm_vmap_pop(v));
}

/* -- Checks ------------------------------------------------------------------------------------ */

enum { CHECKS = 8 };

static tm_status checking_meta(tm_call *call, const tm_tensor *x)
{
    static const int ranks[] = {-1, INT_MIN, TM_MAX_NDIM + 1, INT_MAX};
    int64_t axis = asked % 2 ? INT64_MIN : INT64_MAX, shape[2 * TM_MAX_NDIM] = {1};
    int rank = ranks[asked / 2 % COUNT(ranks)], other = rank;
    uint32_t mask;
    tm_status status = tm_check_broadcast(call, "x", &other, shape, x);
    if (status != TM_OK)
        status = tm_check_axes(call, "axis", rank, NULL, &mask);
    if (status != TM_OK)
        status = tm_check_axes(call, "axis", rank, &TM_INTS(0, 40), &mask);
    if (status != TM_OK)
        status = tm_check_axes(call, "axis", 1, &(tm_int_list){NULL, -1}, &mask);
    if (status != TM_OK)
        status = tm_check_sizes(call, "shape", (tm_int_list){&axis, -1});
    if (status != TM_OK)
        status = tm_check_axis(call, "axis", rank, &axis);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

START_TEST(a_rank_is_one_that_a_tensor_can_have)
{
    const tm_op *op = OP(.schema = "wn_checks(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)checking_meta, .impl = (tm_fn)copy_impl);
    for (asked = 0; asked < CHECKS; asked++)
        refused(op, TM_ERR_SCHEMA, "the op's meta or kernel gives axis a rank of");
}
END_TEST

static tm_status masked_meta(tm_call *call, const tm_tensor *x)
{
    return asked % 2 ? tm_reduction_meta(call, x, 1u << asked, false, reduce_loops)
                     : tm_reduction_meta_in(call, x, TM_FLOAT32, 1u << asked, true, reduce_loops);
}

START_TEST(only_axes_of_x_are_reduced)
{
    const tm_op *op = OP(.schema = "wn_mask(Tensor x) -> Tensor", .contract = TM_REDUCTION,
                         .meta = (tm_fn)masked_meta, .reduce = reduce_loops);
    for (asked = 1; asked < 32; asked++)
        refused(op, TM_ERR_SCHEMA, "meta reduces axes that x does not have");
}
END_TEST

/* -- Core axes --------------------------------------------------------------------------------- */

static const struct {
    int operand, count;
    int64_t axes[2];
} cores[] = {{0, 1, {-1}},        {0, 1, {1}},  {0, 1, {31}},   {0, 1, {32}},        {0, 1, {256}},
             {0, 1, {INT64_MIN}}, {1, 1, {1}},  {0, 2, {0, 0}}, {1, 1, {INT64_MAX}}, {2, 1, {32}},
             {0, 33, {0}},        {64, 1, {0}}, {-1, 1, {0}}};

static tm_status core_meta(tm_call *call, const tm_tensor *x)
{
    tm_status status =
        tm_core_axes(call, cores[asked].operand, cores[asked].count, cores[asked].axes);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

START_TEST(core_axes_are_their_operands)
{
    const tm_op *op = OP(.schema = "wn_core(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)core_meta, .impl = (tm_fn)copy_impl);
    for (asked = 0; asked < COUNT(cores); asked++)
        refused(op, TM_ERR_SCHEMA, "core axes of operand");
}
END_TEST

static tm_status listed_meta(tm_call *call, tm_tensor_list xs)
{
    tm_status status = tm_core_axes(call, 0, 1, (const int64_t[]){1});
    return status == TM_OK ? tm_output_like(call, 0, xs.data[0]) : status;
}

START_TEST(core_axes_are_of_every_tensor_of_a_list)
{
    const tm_op *op = OP(.schema = "wn_list(Tensor[] xs) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)listed_meta, .impl = (tm_fn)copy_impl);
    const tm_tensor *a = test_iota(TM_FLOAT32, TM_INTS(2, 2)), *b = F32(TM_INTS(2), 1, 2);
    EXPECT_NULL(CALL(op, {.tensors = TM_TENSORS(a, b)}), TM_ERR_SCHEMA, "operand 0|1 dimension");
}
END_TEST

/* -- Loops --------------------------------------------------------------------------------------
 */

static tm_status lost_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    static const int64_t places[] = {-1, INT64_MIN, INT64_MAX};
    (void)ptr, (void)step;
    return tm_fail_at(call, asked < COUNT(places) ? places[asked] : n, TM_ERR_NUMERIC, "somewhere");
}
static tm_status lost_reduce(tm_call *call, const tm_reduce_args *args)
{
    return lost_loop(call, NULL, NULL, args->num);
}

START_TEST(a_failure_at_no_element_is_the_firsts)
{
    static const tm_loop loops[] = {
        {TM_FLOAT32, TM_FLOAT32, lost_loop}, {TM_INT32, TM_INT32, lost_loop}, {0}};
    static const tm_reduce_loop sums[] = {{TM_FLOAT32, TM_FLOAT32, lost_reduce}, {0}};
    const tm_op *ops[] = {OP(.schema = "wn_lost(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE,
                             .loops = loops, .can_fail = true),
                          OP(.schema = "wn_sum(Tensor x, int axis) -> Tensor",
                             .contract = TM_REDUCTION, .reduce = sums, .can_fail = true)};
    const tm_dtype dtypes[] = {TM_FLOAT32, TM_FLOAT16}; /* as they are, and converted */
    for (int o = 0; o < 2; o++)
        for (int d = 0; d < COUNT(dtypes); d++)
            for (asked = 0; asked < 4; asked++) {
                tm_vmap_level *v = tm_vmap_push(NULL);
                tm_tensor *x = MADE(tm_vmap_in(v, tm_zeros(TM_INTS(3, 2), dtypes[d]), 0));
                tm_value result, args[] = {{.tensor = x}, {.i = 0}};
                ck_assert_int_eq(tm_op_call(ops[o], args, 1 + o, &result, 1), TM_ERR_NUMERIC);
                ck_assert_int_eq(tm_error_get()->num_levels, 1);
                ck_assert_int_eq(tm_error_get()->levels[0].index, 0);
                EXPECT_ERROR(TM_ERR_NUMERIC, o ? "somewhere" : "somewhere (at index (0,))");
                EXPECT_OK(tm_vmap_pop(v));
            }
}
END_TEST

static tm_status no_loop(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call, (void)ptr, (void)step, (void)n;
    return TM_OK;
}
static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, no_loop}, {0}};

static tm_status dtypes_meta(tm_call *call, const tm_tensor *x)
{
    static const int no_dtypes[] = {0, -1, TM_NUM_DTYPES, 256 + TM_FLOAT32};
    tm_dtype compute[] = {TM_FLOAT32, TM_FLOAT32};
    compute[asked % 2] = (tm_dtype)no_dtypes[asked / 2];
    tm_status status = tm_elementwise_loop(call, no_loop, 2, compute);
    return status == TM_OK ? tm_output_like(call, 0, x) : status;
}

START_TEST(a_loop_is_over_dtypes)
{
    const tm_op *op = OP(.schema = "wn_dtypes(Tensor x) -> Tensor", .contract = TM_ELEMENTWISE,
                         .meta = (tm_fn)dtypes_meta, .loops = loops);
    for (asked = 0; asked < 8; asked++)
        refused(op, TM_ERR_SCHEMA, "which is no dtype");
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------ */

static tm_status greedy_meta(tm_call *call, const tm_tensor *x)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, (size_t)1 << 62};
    tm_need_workspace(call, sizes[asked]);
    return tm_output_like(call, 0, x);
}

START_TEST(workspace_that_nobody_has)
{
    const tm_op *op = OP(.schema = "wn_greedy(Tensor x) -> Tensor", .contract = TM_PER_EXAMPLE,
                         .meta = (tm_fn)greedy_meta, .impl = (tm_fn)copy_impl, .thread_safe = true);
    for (int threads = 1; threads < 3; threads++) {
        EXPECT_OK(tm_set_num_threads(threads));
        EXPECT_OK(tm_set_path(TM_PATH_SPLIT, threads > 1 ? TM_PATH_ON : TM_PATH_AUTO));
        for (asked = 0; asked < 4; asked++)
            refused(op, TM_ERR_MEMORY, "no memory for");
    }
}
END_TEST

static tm_status open_meta(tm_call *call, const tm_tensor *x)
{
    (void)x;
    return tm_output(call, 0, TM_FLOAT32, 1, (const int64_t[]){TM_DYNAMIC});
}
static tm_status open_impl(tm_call *call, const tm_tensor *x, tm_tensor *out)
{
    static const int ranks[] = {INT_MAX, INT_MIN, -1, TM_MAX_NDIM + 1};
    (void)x, (void)out;
    int64_t size = asked < 4 ? 1 : asked < 5 ? INT64_MAX : INT64_MIN;
    return tm_output_alloc(call, 0, asked < 4 ? ranks[asked] : 1, &size);
}

START_TEST(a_stated_shape_is_a_shape)
{
    const tm_op *op = OP(.schema = "wn_open(Tensor x) -> Tensor", .contract = TM_DATA_DEPENDENT,
                         .meta = (tm_fn)open_meta, .impl = (tm_fn)open_impl);
    const tm_tensor *x = F32(TM_INTS(1), 1);
    for (asked = 0; asked < 6; asked++)
        EXPECT_NULL(CALL(op, {.tensor = x}), asked == 4 ? TM_ERR_MEMORY : TM_ERR_SCHEMA,
                    asked < 4 ? "output 0 cannot have" : "");
}
END_TEST

/* -- Declarations ------------------------------------------------------------------------------ */

START_TEST(declarations_with_numbers_that_cannot_be)
{
    static const int8_t below[] = {1, -2}, above[] = {TM_MAX_NDIM + 1, 1};
    static const tm_loop bad_in[] = {{(tm_dtype)99, TM_FLOAT32, no_loop}, {0}};
    static const tm_loop bad_out[] = {{TM_FLOAT32, (tm_dtype)(256 + TM_BOOL), no_loop}, {0}};
    static const tm_reduce_loop bad_sum[] = {{TM_FLOAT32, TM_DTYPE_NONE, no_reduce}, {0}};
    const struct {
        tm_op_def def;
        const char *part;
    } wrong[] = {
        {{.contract = TM_PER_EXAMPLE, .core = below}, "core dimensions"},
        {{.contract = TM_PER_EXAMPLE, .core = above}, "core dimensions"},
        {{.contract = TM_PER_EXAMPLE, .rtol = -1}, "tolerance"},
        {{.contract = TM_PER_EXAMPLE, .atol = (double)NAN}, "tolerance"},
        {{.contract = (tm_contract)99}, "99 is no contract"},
        {{.contract = (tm_contract)-1}, "-1 is no contract"},
        {{.contract = TM_ELEMENTWISE, .loops = bad_in}, "must be dtypes"},
        {{.contract = TM_ELEMENTWISE, .loops = bad_out}, "must be dtypes"},
        {{.contract = TM_REDUCTION, .reduce = bad_sum}, "must be dtypes"},
    };
    for (int i = 0; i < COUNT(wrong); i++) {
        tm_op_def def = wrong[i].def;
        def.struct_size = sizeof def;
        def.schema = "wn_wrong(Tensor x) -> Tensor";
        def.meta = def.contract == TM_PER_EXAMPLE ? (tm_fn)like_meta : NULL;
        def.impl = def.contract == TM_PER_EXAMPLE ? (tm_fn)copy_impl : NULL;
        EXPECT_NULL(tm_library_register(test_library, &def), TM_ERR_SCHEMA, wrong[i].part);
        ck_assert_ptr_null(tm_op_find("wn_wrong", ""));
    }
    const tm_kernel_def over = {.struct_size = sizeof over, .loops = bad_in};
    EXPECT_FAIL(tm_library_override(test_library, tm_op_find("neg", ""), TM_KEY_PLAIN, &over),
                TM_ERR_SCHEMA, "must be dtypes");
}
END_TEST

Suite *wrong_numbers_suite(void)
{
    const TTest *const tests[] = {a_rank_is_one_that_a_tensor_can_have,
                                  only_axes_of_x_are_reduced,
                                  core_axes_are_their_operands,
                                  core_axes_are_of_every_tensor_of_a_list,
                                  a_failure_at_no_element_is_the_firsts,
                                  a_loop_is_over_dtypes,
                                  workspace_that_nobody_has,
                                  a_stated_shape_is_a_shape,
                                  declarations_with_numbers_that_cannot_be};
    return test_suite("wrong_numbers", tests, COUNT(tests));
}
